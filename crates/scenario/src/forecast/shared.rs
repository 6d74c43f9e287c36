//! Policers that several tests send through at the same time. No law here says who gets what of the bucket: a word of it.

use farpath_record::Record;
use farpath_units::Rate;

use super::policer::{PATHS_WITHIN, bucket};
use super::{Path, mean_share};
use crate::model::{PoliceRule, Test};

impl Path<'_> {
    /// Says which other tests take tokens from a policer of this one, where that is forecast as if it were alone.
    pub(super) fn note_shared(&self, number: usize, record: &mut Record) {
        let own = &self.scenario.tests[number];
        if own.kind.periodic().is_some() {
            return;
        }
        let others = self.met_by(number);
        for (port, rule) in self.dropping(own) {
            let meet = others.iter().filter(|(n, path)| {
                let theirs = path.dropping(&self.scenario.tests[*n]);
                theirs.iter().any(|(_, other)| std::ptr::eq(*other, rule))
            });
            let meet: Vec<&(usize, Path<'_>)> = meet.collect();
            let sent = meet
                .iter()
                .map(|(n, path)| path.counted_bps(&self.scenario.tests[*n], port, rule));
            let sent = self.counted_bps(own, port, rule) + sent.sum::<f64>();
            let Some((rate_bps, _)) = bucket(rule).filter(|(rate, _)| sent > *rate) else {
                continue;
            };
            if meet.is_empty() {
                continue;
            }
            let names = meet.iter().map(|(n, _)| &self.scenario.tests[*n].name);
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            let rate = Rate::from_bps(rate_bps as u64).unwrap_or(rule.rate);
            record.uncertainty.remove("goodput_bps");
            record.notes.retain(|note| note != PATHS_WITHIN);
            record.notes.push(format!(
                "{} send{} through the policer `{}` on {} at the same time: what they take of its {rate} is not foreseen, and the test may have less than is said here",
                names.join(", "),
                if names.len() == 1 { "s" } else { "" },
                rule.name,
                self.port_name(port)
            ));
        }
    }

    /// The policers that drop of what a test sends, each with its port.
    pub(super) fn dropping<'s>(&'s self, test: &Test) -> Vec<(usize, &'s PoliceRule)> {
        let mut all = Vec::new();
        for hop in &self.there {
            let rules = self.policed_by(hop, test).into_iter().flatten();
            let rules = rules.filter(|rule| bucket(rule).is_some());
            all.extend(rules.map(|rule| (hop.port, rule)));
        }
        all
    }

    /// What a test sends, alone on its path, as a policer counts it, bit/s.
    fn counted_bps(&self, test: &Test, port: usize, rule: &PoliceRule) -> f64 {
        let (payload, bps) = if let Some(udp) = test.kind.udp() {
            (udp.size, udp.rate.as_bps() as f64 * mean_share(udp))
        } else if let Some(tcp) = test.kind.tcp() {
            let flow = self.flow_of(tcp);
            (flow.config.mss, flow.steady(f64::INFINITY))
        } else {
            return 0.0;
        };
        let header = self.header();
        let extra = self.there.iter().find(|hop| hop.port == port);
        let extra = extra.map_or(0, |hop| hop.extra);
        let framing = self.scenario.links[self.plan.ports[port].link.0].framing;
        let frame = f64::from(framing.queue_bytes(payload + header + extra));
        bps * (frame + f64::from(rule.overhead)) / f64::from(payload.max(1))
    }
}
