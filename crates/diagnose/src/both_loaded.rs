//! A test that loads both ways at the same time, and says how long a round trip takes meanwhile.
//!
//! That round trip is of both queues, and nothing says which of the two is long. So the round trip at rest is not that of the transfers, and
//! with their rate it says nothing of windows.

use crate::bloat::ms;
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::items::Item;

/// The round trip while both ways were loaded, nanoseconds: a number of a test.
pub(crate) const LOADED_BOTH: &str = "rtt_loaded_both_ns";

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
}

/// Says that one of the two queues is long.
pub(crate) fn by_both_loaded(e: &Evidence, items: &mut Vec<Item>) {
    let Some((both, rest)) = e.waits_both_ways().zip(e.rtt.as_ref()) else {
        return;
    };
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
