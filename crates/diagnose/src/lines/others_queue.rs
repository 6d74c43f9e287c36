//! A queue that others fill: the round trip at the test's time is longer than at another, by more than the flow's own window can add.

use crate::cause::Cause;
use crate::ceiling::{bps, bytes};
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::items::Item;
use crate::lines::bloat::ms;

/// A queue that others fill, or another route.
#[derive(Clone, Debug)]
pub(crate) struct OthersQueue {
    /// What the round trip is longer by than at another time, seconds.
    adds_s: f64,
    /// The largest window of the flow, bytes.
    window: f64,
    /// The rate of a link at which that window takes as long, bit/s.
    fills: f64,
    /// What another test between the same hosts got, bit/s.
    then: f64,
}

/// From so many times the round trip of another time on, and so many seconds above it, it is longer. Choices, as the next.
const LONGER: f64 = 1.5;
const ADDS_S: f64 = 0.01;

/// A path that carried so many times what the window would fill is not filled by it.
const FASTER: f64 = 10.0;

impl Evidence {
    /// A round trip that is longer than at another time, by a queue that this flow's window could not fill.
    pub(crate) fn of_others_queue(&mut self, flow: &Flow) {
        let Some([then_s, now_s]) = self.around.moved.map(|moved| moved.means()) else {
            return;
        };
        let windows = self.counted.iter().filter_map(|r| r.cwnd);
        let window = windows.fold(0.0, f64::max) / self.streams;
        let tests = flow.beside.iter().filter(|test| !test.udp);
        let rates = tests.filter_map(|test| Some(test.goodput()?.0.value));
        let then = rates.fold(0.0, f64::max);
        let adds_s = now_s - then_s;
        if self.udp || window <= 0.0 || adds_s < ADDS_S || now_s < LONGER * then_s {
            return;
        }
        let fills = window * self.streams * 8.0 / adds_s;
        self.around.others_queue = (then > FASTER * fills).then_some(OthersQueue {
            adds_s,
            window,
            fills,
            then,
        });
    }
}

/// Weighs it: the flow's own queue cannot be what is full.
pub(crate) fn by_others_queue(e: &Evidence, items: &mut Vec<Item>) {
    let Some(queue) = &e.around.others_queue else {
        return;
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::CrossTraffic, 14.0)],
        sentence: String::new(),
    });
    items.push(Item {
        holds: 1.0,
        weights: vec![
            (Cause::CongestionLoss, -14.0),
            (Cause::ShallowBuffer, -6.0),
            (Cause::Shaper, -6.0),
        ],
        sentence: format!(
            "the round trip is {} longer than at another time, and this flow's window, {} at most, would fill such a queue only before a link of {}, where another test between the same hosts got {}: others fill it, or the route is another. mtr at both hours shows the hop from which on it is longer, and who runs that link has to add room",
            ms(queue.adds_s),
            bytes(queue.window),
            bps(queue.fills),
            bps(queue.then)
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::infer::weigh;

    #[test]
    fn a_queue_that_a_window_cannot_fill_is_of_others() {
        let figure = |value: f64| Figure::exact(value, Place::You);
        let score = |queue: bool, cause: Cause| {
            let mut e = Evidence {
                rate: Some(figure(4.25e6)),
                rtt: Some(figure(0.061)),
                bytes: Some(figure(5.1e6)),
                streams: 1.0,
                mss: 1448.0,
                ..Evidence::default()
            };
            e.around.others_queue = queue.then_some(OthersQueue {
                adds_s: 0.0406,
                window: 46e3,
                fills: 9.1e6,
                then: 930e6,
            });
            let ranking = weigh(&e, &[]).ranking;
            let mut own = ranking.iter().filter(|r| r.cause == cause);
            own.next().map_or(0.0, |r| r.confidence)
        };
        assert!(score(true, Cause::CrossTraffic) > score(false, Cause::CrossTraffic));
        assert!(score(true, Cause::CongestionLoss) < score(false, Cause::CongestionLoss));
    }
}
