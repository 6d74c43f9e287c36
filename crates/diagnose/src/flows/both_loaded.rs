//! A test that loads both ways at the same time, and says how long a round trip takes meanwhile.
//!
//! That round trip is of both queues, and nothing says which of the two is long. So the round trip at rest is not that of the transfers, and
//! with their rate it says nothing of windows. Where one way is far slower than the other, the queue is its own: before a fast line as long a
//! wait takes many times the memory.

use crate::cause::Cause;
use crate::ceiling::bytes;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::items::Item;
use crate::lines::bloat::{BLOAT, BLOAT_S, ms};

/// The round trip while both ways were loaded, nanoseconds: a number of a test.
pub(crate) const LOADED_BOTH: &str = "rtt_loaded_both_ns";

/// How many times as fast the other way was: a number of a test.
pub(crate) const OTHER_WAY: &str = "other_way_ratio";

/// From so many times on the queue is taken for that of the slower way. A choice.
const FASTER: f64 = 3.0;

/// It is far from the round trip at rest from so many times that one on, and by so much, seconds.
const FAR: f64 = 1.5;
const FAR_S: f64 = 5e-3;

impl Evidence {
    /// The round trip while both ways were loaded, seconds, where it is far above the one at rest, and the transfers' own are not known.
    pub(crate) fn waits_both_ways(&self) -> Option<&Figure> {
        let rest = self
            .rtt
            .as_ref()
            .filter(|_| self.rtt_loaded.is_none())?
            .value;
        let far = |both: &&Figure| both.value > FAR * rest && both.value > rest + FAR_S;
        self.both_loaded.as_ref().filter(far)
    }

    /// What the queue of this way adds to the round trip while both are loaded, seconds, where others feel it and the other way is so much
    /// faster that it is hardly its.
    pub(crate) fn waits_in_slower(&self) -> Option<f64> {
        let rest = self.rtt.as_ref()?.value;
        let added = self.waits_both_ways()?.value - rest;
        let slower = self.other_way.is_some_and(|times| times >= FASTER);
        (slower && added > BLOAT_S && added > BLOAT * rest).then_some(added)
    }
}

/// Says that the slower of both ways is full, and its queue long; whether it did.
fn by_slower(e: &Evidence, both: f64, rest: f64, items: &mut Vec<Item>) -> bool {
    let rate = e.settled().map_or(0.0, |rate| rate.value);
    let (Some(added), Some(times)) = (e.waits_in_slower(), e.other_way) else {
        return false;
    };
    let holds = added * rate / 8.0;
    items.push(Item {
        holds: 1.0,
        weights: vec![
            (Cause::Link, 18.0),
            (Cause::CongestionLoss, -10.0),
            (Cause::RandomLoss, -10.0),
            (Cause::ShallowBuffer, -16.0),
            (Cause::Policer, -16.0),
            (Cause::ReceiveWindow, -10.0),
            (Cause::SendBuffer, -10.0),
            (Cause::Application, -8.0),
            (Cause::Pacing, -8.0),
        ],
        sentence: format!(
            "a round trip took {} while both ways were loaded at the same time, and {} at rest: a queue is full. It is most likely that of this way, where so long a wait takes {}; the other is {times:.0} times as fast, and it would take {} there. The queue before the line adds {}: whatever shares the line waits as long",
            ms(both),
            ms(rest),
            bytes(holds),
            bytes(holds * times),
            ms(added)
        ),
    });
    true
}

/// Says that one of the two queues is long.
pub(crate) fn by_both_loaded(e: &Evidence, items: &mut Vec<Item>) {
    let Some((both, rest)) = e.waits_both_ways().zip(e.rtt.as_ref()) else {
        return;
    };
    if by_slower(e, both.value, rest.value, items) {
        return;
    }
    items.push(Item {
        holds: 1.0,
        // A queue grows where a line is full: in one of the two ways.
        weights: vec![(Cause::Link, 3.0)],
        sentence: format!(
            "a round trip took {} while both ways were loaded at the same time, and {} at rest: the queue of one of them is long. networkQuality -s, which loads one after the other, says which",
            ms(both.value),
            ms(rest.value)
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;
    use crate::infer::weigh;

    /// 93.118 Mbit/s of 12 connections over 24.118 ms at rest, 23 394 bytes each, and a round trip under load of both ways.
    fn access(both_ms: Option<f64>) -> Evidence {
        let exact = |value: f64| Figure::exact(value, Place::You);
        Evidence {
            rate: Some(exact(93.118e6)),
            rtt: Some(exact(24.118e-3)),
            rtt_floor: Some(exact(24.118e-3)),
            both_loaded: both_ms.map(|ms| exact(1e-3 * ms)),
            streams: 12.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    #[test]
    fn a_long_wait_is_in_the_queue_of_the_far_slower_way() {
        let beside = |times: Option<f64>| Evidence {
            other_way: times,
            ..access(Some(714.0))
        };
        let weighed = weigh(&beside(Some(20.0)), &[]);
        assert_eq!(weighed.ranking[0].cause, Cause::Link);
        let said = |words: &str| weighed.because.iter().any(|(_, text)| text.contains(words));
        assert!(
            said("adds 690 ms") && said("20 times as fast"),
            "{:?}",
            weighed.because
        );
        // Nothing says it of ways that are about as fast, or of the faster one.
        for times in [None, Some(1.5), Some(0.05)] {
            assert_eq!(beside(times).waits_in_slower(), None, "{times:?}");
        }
        // What is hardly felt is not such a queue.
        let brief = Evidence {
            other_way: Some(20.0),
            ..access(Some(60.0))
        };
        assert_eq!(brief.waits_in_slower(), None);
    }

    #[test]
    fn the_round_trip_at_rest_shows_no_window_of_transfers_that_waited() {
        let waited = access(Some(714.0));
        assert_eq!(waited.implied_flight(), None);
        let said = weigh(&waited, &[]).because;
        let of_queue = said.iter().find(|(_, text)| text.contains("714"));
        assert!(
            of_queue.is_some_and(|(causes, _)| *causes == [Cause::Link]),
            "{said:?}"
        );
        // Without it, or where nothing waited, the round trip is the transfers' own.
        for still in [None, Some(26.0)] {
            let flight = access(still).implied_flight().expect("rate and round trip");
            assert!((flight.value - 23_394.0).abs() < 1.0, "{flight:?}");
        }
        // So it is where a way has a round trip of its own.
        let own = Evidence {
            rtt_loaded: Some(Figure::exact(0.2, Place::You)),
            ..access(Some(714.0))
        };
        assert!(own.waits_both_ways().is_none());
    }
}
