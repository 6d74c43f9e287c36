//! Pings to a host that is not an end of a flow, a first hop or one beyond: they share the link of the host that sends both, and so the queue
//! before it.

use crate::cause::Cause;
use crate::evidence::{Evidence, NS};
use crate::fact::Of;
use crate::flows::flow::Flow;
use crate::items::Item;
use crate::lines::bloat::{BLOAT, BLOAT_S, ms};
use crate::paths::pinged::runs_of;
use crate::read::Facts;
use crate::seen::Side;

/// What a window holds, over the rate, is the round trip of a queue that it fills between these parts of what the queue adds, and of the longest
/// ping.
const FILLS: [f64; 2] = [0.5, 1.5];

/// A line is full from this part of what it leaves for payload on.
const FULL: f64 = 0.85;

/// A queue that pings to another host met.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SharedQueue {
    /// The host.
    target: String,
    /// Mean round trip of the fastest run and of the slowest, and the longest of the latter, seconds.
    rest_s: f64,
    loaded_s: f64,
    most_s: f64,
}

impl SharedQueue {
    /// What the texts have of it: pings to one other host, and none of the flow's path, of which one run was far slower than another. Where
    /// they have none of these, those to a first hop, whatever went to the end: what waits there waits on the link that it shares.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Option<SharedQueue> {
        let pings = &flow.pings;
        let all = (0_u32..).zip(&facts.pings);
        let (near, far): (Vec<_>, Vec<_>) = all.partition(|(n, _)| pings.near.contains(n));
        let of_others = !pings.others.is_empty() && !far.is_empty();
        let chosen = if of_others { far } else { near };
        let target = chosen.first()?.1.first()?;
        if chosen.iter().any(|(_, of)| of.first() != Some(target)) {
            return None;
        }
        let is_chosen = |n: u32| chosen.iter().any(|(own, _)| *own == n);
        let mut runs = runs_of(facts, |of| matches!(of, Of::Ping(n) if is_chosen(n)));
        runs.sort_by(|a, b| a[1].value.total_cmp(&b[1].value));
        let [rest, .., loaded] = &runs[..] else {
            return None;
        };
        let [rest_s, loaded_s, most_s] = [&rest[1], &loaded[1], &loaded[2]].map(|f| f.value * NS);
        let added = loaded_s - libm::fmax(rest_s, rest[2].value * NS);
        (added > BLOAT_S && added > BLOAT * rest_s).then(|| SharedQueue {
            target: target.clone(),
            rest_s,
            loaded_s,
            most_s,
        })
    }

    /// Whether it was met on the way to this host.
    pub(crate) fn is_to(&self, name: &str) -> bool {
        self.target == name
    }

    /// What it adds to a round trip, seconds.
    fn added(&self) -> f64 {
        self.loaded_s - self.rest_s
    }
}

impl Evidence {
    /// How long the flow's congestion window takes at its rate, seconds, where that is the round trip of a queue which others' pings met.
    fn fills_shared(&self, shared: &SharedQueue) -> Option<f64> {
        let windows = self.counted.iter().filter(|r| r.side == Side::Sender);
        let most = windows.filter_map(|r| r.cwnd).fold(0.0, f64::max);
        let rate = self.settled().filter(|r| r.value > 0.0)?.value;
        // BBR keeps twice of what it sends in a round trip.
        let holds = self.is_even() && !self.is_bbr();
        let takes = most * 8.0 / rate;
        let fills = takes > FILLS[0] * shared.added() && takes < FILLS[1] * shared.most_s;
        (holds && fills).then_some(takes)
    }

    /// The queue that pings to another host met, where this flow fills it: by its window over its rate, seconds, or as its line is full.
    fn shared(&self) -> Option<(&SharedQueue, Option<f64>)> {
        let seen = self.udp || self.rtt_loaded.is_some();
        let shared = self.around.shared_queue.as_ref().filter(|_| !seen)?;
        let window = self.fills_shared(shared);
        let rate = self.settled()?.value;
        let full = |line: f64| rate > FULL * line * self.payload_share();
        let full = self.line.as_ref().is_some_and(|(l, _)| full(l.value));
        (full || window.is_some()).then_some((shared, window))
    }

    /// What the queue adds that this flow fills, and pings to another host met, seconds.
    pub(crate) fn shared_wait(&self) -> Option<f64> {
        self.shared().map(|(shared, _)| shared.added())
    }
}

/// A queue that pings to another host met is before the line that they share with the flow.
pub(crate) fn by_shared_queue(e: &Evidence, items: &mut Vec<Item>) {
    let Some((shared, window)) = e.shared() else {
        return;
    };
    let slower = e.is_slower_line() || e.is_shaped();
    let full = if slower { Cause::Shaper } else { Cause::Link };
    let as_well = window.map_or_else(String::new, |takes| {
        format!(
            ", and the congestion window takes {} at this rate, so that it stands there",
            ms(takes)
        )
    });
    items.push(Item {
        holds: 1.0,
        weights: vec![
            (full, 10.0),
            (Cause::CongestionLoss, -10.0),
            (Cause::RandomLoss, -10.0),
            (Cause::ShallowBuffer, -16.0),
            (Cause::Policer, -16.0),
            (Cause::ReceiveWindow, -8.0),
            (Cause::SendBuffer, -8.0),
            (Cause::Pacing, -8.0),
        ],
        sentence: format!(
            "pings to {} share the first links: they took {} in one run and {} in another{as_well}. The queue before the line adds {}: whatever shares the line waits as long",
            shared.target,
            ms(shared.rest_s),
            ms(shared.loaded_s),
            ms(shared.added())
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::infer::weigh;
    use crate::seen::Row;

    /// Seconds of 9.44 Mbit/s with windows of so many bytes, beside pings to another host of 14 ms and 941 ms.
    fn uploads(cwnd: f64) -> Evidence {
        let mut e = Evidence {
            rate: Some(Figure::exact(9.44e6, Place::You)),
            steady: vec![9.44e6; 8],
            counted: Row::intervals(1.0, [(9.44e6, 0.0, Some(cwnd)); 8]),
            interval_s: 1.0,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        e.around.shared_queue = Some(SharedQueue {
            target: "1.1.1.1".to_owned(),
            rest_s: 0.0144,
            loaded_s: 0.9412,
            most_s: 1.1023,
        });
        e
    }

    /// 1 MB take 847 ms at 9.44 Mbit/s.
    #[test]
    fn a_window_that_stands_in_the_queue_of_others_pings_fills_it() {
        let full = uploads(1e6);
        let adds = full.shared_wait().expect("it fills the queue");
        assert!((adds - 0.9268).abs() < 1e-9, "{adds}");
        let weighed = weigh(&full, &[]);
        assert_eq!(weighed.ranking[0].cause, Cause::Link);
        let said = |words: &str| weighed.because.iter().any(|(_, text)| text.contains(words));
        assert!(said("pings to 1.1.1.1 share the first links") && said("adds 927 ms"));
        // A small window is not what stands there, and round trips of its own say more.
        assert_eq!(uploads(1e5).shared_wait(), None);
        let own = Evidence {
            rtt_loaded: Some(Figure::exact(0.9, Place::You)),
            ..full
        };
        assert_eq!(own.shared_wait(), None);
        // Where the line is known, and full, no window is asked for.
        let known = Evidence {
            line: Some((Figure::exact(10e6, Place::You), "the line")),
            ..uploads(1e5)
        };
        assert!(known.shared_wait().is_some());
    }
}
