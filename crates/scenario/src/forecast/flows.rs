//! Flows that come and go: their mean load, and the time that the last of them takes.

use farpath_record::Record;

use super::ceiling::Ceiling;
use super::flow::Flow;
use super::{Path, put};
use crate::model::{Flows, Sizes, Tcp, Test};

impl Path<'_> {
    /// What flows offer on average, as far as the path and a policer on it let it through. A connection's own limits (window, losses,
    /// pace) bound no load: they make each flow longer, and without a `duration` the last one is waited for.
    pub(crate) fn flows(&self, test: &Test, flows: &Flows, record: &mut Record) {
        let share = flows.envelope.map_or(1.0, |e| match test.duration {
            Some(duration) => e.mean_between(test.omit, test.omit + duration),
            None => e.mean(),
        });
        let (size, count) = (flows.sizes.mean(), f64::from(flows.tcp.parallel));
        let offered = size * 8.0 * share / flows.spacing.as_secs_f64();
        let m = &mut record.metrics;
        put(m, "offered_bps", offered);
        put(m, "size_mean_bytes", size.round());
        let one = Tcp {
            parallel: 1,
            ..flows.tcp.clone()
        };
        let agreed = self.plan.tcp_config(self.scenario, self.flow, &one);
        if size >= f64::from(agreed.mss) && self.swallowed(&agreed, record) {
            return;
        }
        let alone = self.flow_of(&one);
        let Some(ceiling) = self.ceiling(test, &alone, record) else {
            return;
        };
        // The pace of each bounds a connection, not the load.
        let mut together = flows.tcp.clone();
        together.cc.pacing = None;
        let all = self.flow_of(&together);
        let met = self.meets_policers(test, &all);
        let rates = met.iter().map(|met| met.all_bps());
        let rate_bps = rates.fold(f64::INFINITY, f64::min);
        let (path_bps, path_limit) = match rate_bps < all.narrowest.bps {
            true => (rate_bps, "policer"),
            false => (all.narrowest.bps, all.narrowest.place),
        };
        let through = offered.min(path_bps);
        let holds = met.iter().all(|met| met.holds(size));
        let late = self.reported_after(&agreed) + alone.called_after(test);
        let takes_s = |bps: f64| {
            alone
                .ramp(bps)
                .after(late)
                .transfer_s(size.round() as u64, bps)
        };
        let last_s = last_s(&alone, &ceiling, (size, holds), takes_s);
        let goodput = match test.duration {
            Some(_) => through,
            None if through > 0.0 => count * size * 8.0 / (count * size * 8.0 / through + last_s),
            None => 0.0,
        };
        put(&mut record.metrics, "goodput_bps", goodput);
        let by = match offered < path_bps {
            true if last_s > count * size * 8.0 / offered => ceiling.by,
            true => "application",
            false => path_limit,
        };
        record.limited_by = Some(by.to_owned());
        let unequal = test.duration.is_none() && !matches!(flows.sizes, Sizes::Fixed(_));
        record.notes.push(mean_load(unequal).to_owned());
        if ceiling.policed.is_some() && !holds {
            record.notes.push(
                "as if the flows had the policer's rate together, and each what one alone has: how they share its bucket, and how long one takes, is not foreseen: simulate"
                    .to_owned(),
            );
        }
        self.note_bulk(test, &alone, ceiling.loss_bps, Some(size as u64), record);
        let short = self.short_queue(&all, through, false);
        self.note_queues(test, &all, (through, None), short.as_ref(), record);
        if size >= f64::from(agreed.mss) {
            self.note_crossing(test, (&alone, &agreed), record);
        }
    }
}

/// Of what a forecast of flows is, of which the last one is waited for where they are `unequal`.
fn mean_load(unequal: bool) -> &'static str {
    match unequal {
        true => {
            "mean load, and the last flow as long as one of mean size; queues and losses among the flows are not foreseen"
        }
        false => "mean load; queues and losses among the flows are not foreseen",
    }
}

/// How long a flow of `size` bytes takes by itself, which `takes_s` says for a rate: as losses hold it where one strikes it, and
/// otherwise as if there were none. A policer drops of it where its bucket does not hold it.
fn last_s(
    alone: &Flow,
    ceiling: &Ceiling,
    (size, holds): (f64, bool),
    takes_s: impl Fn(f64) -> f64,
) -> f64 {
    let clean_s = takes_s(alone.steady(f64::INFINITY));
    let held_s = takes_s(ceiling.bps * alone.share_borne());
    let struck = match ceiling.policed {
        Some(_) if holds => 0.0,
        Some(_) => 1.0,
        None => 1.0 - libm::exp(-alone.losses_in(size)),
    };
    clean_s + (held_s - clean_s) * struck
}
