//! How far the clocks of two machines are apart, from messages that go to and fro between them.
//!
//! Of each exchange four instants are known: one clock's when it is sent, the other's when it is heard and when
//! it is answered, and the first one's when the answer is there. No message arrives before it is sent, so
//! the offset of the second clock lies between answered − received and heard − sent: its estimate is
//! the middle, and it is wrong by half the round trip at most, however unequal the two ways are (RFC 5905 §8,
//! the clock filter of §10: the exchange with the shortest round trip counts). No clock is read here.

use serde::{Deserialize, Serialize};

/// What one clock shows less what another does at the same instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offset {
    /// The estimate, in nanoseconds.
    pub offset_ns: i64,
    /// How far the truth may lie from it, either way.
    pub error_ns: u64,
}

impl Offset {
    /// How far apart two estimates are.
    pub(crate) fn distance_ns(&self, other: &Offset) -> u64 {
        self.offset_ns.abs_diff(other.offset_ns)
    }

    /// Whether both may be the same offset.
    pub(crate) fn agrees_with(&self, other: &Offset) -> bool {
        self.distance_ns(other) <= self.error_ns.saturating_add(other.error_ns)
    }
}

/// The instants of one exchange, in nanoseconds: the first and the last on the asking clock, those between on the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exchange {
    sent: u64,
    heard: u64,
    answered: u64,
    received: u64,
}

impl Exchange {
    /// None when the instants contradict each other.
    fn offset(&self) -> Option<Offset> {
        let [sent, heard, answered, received] =
            [self.sent, self.heard, self.answered, self.received].map(i128::from);
        let (highest, lowest) = (heard - sent, answered - received);
        let round_trip = u64::try_from(highest - lowest).ok()?;
        (answered >= heard).then_some(())?;
        Some(Offset {
            offset_ns: i64::try_from((highest + lowest).div_euclid(2)).ok()?,
            error_ns: round_trip.div_ceil(2),
        })
    }
}

/// Exchanges of one comparison. The first ones find both programs asleep.
const EXCHANGES: u32 = 8;

/// A comparison of two clocks under way.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// Exchanges begun.
    begun: u32,
    /// When the last one was.
    sent: u64,
    best: Option<Offset>,
}

impl Comparison {
    /// Begins the next exchange at `now` of the asking clock: its number, or none when there were enough.
    pub(crate) fn ask(&mut self, now: u64) -> Option<u32> {
        if self.begun == EXCHANGES {
            return None;
        }
        self.begun += 1;
        self.sent = now;
        Some(self.begun)
    }

    /// The answer of exchange `number` is there: when the other clock heard and answered it, and now. What answers
    /// nothing, or cannot be, is nothing.
    pub(crate) fn answer(&mut self, number: u32, [heard, answered]: [u64; 2], received: u64) {
        if number != self.begun {
            return;
        }
        let exchange = Exchange {
            sent: self.sent,
            heard,
            answered,
            received,
        };
        let found = exchange.offset();
        self.best = [self.best, found]
            .into_iter()
            .flatten()
            .min_by_key(|o| o.error_ns);
    }

    /// What the exchange with the shortest round trip says; none when none can be believed.
    pub(crate) fn offset(&self) -> Option<Offset> {
        self.best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a comparison finds with a clock that is `offset` ahead, if messages take these times there, until the
    /// answer, and back; and the shortest round trip.
    fn compare(offset: i64, base: u64, delays: &[[u64; 3]]) -> (Offset, u64) {
        let mut comparison = Comparison::default();
        let mut now = base;
        for [there, work, back] in delays {
            let Some(number) = comparison.ask(now) else {
                break;
            };
            let heard = (now + there).checked_add_signed(offset).expect("a time");
            now += there + work + back;
            comparison.answer(number, [heard, heard + work], now);
        }
        let least = delays.iter().take(8).map(|[there, _, back]| there + back);
        let offset = comparison.offset().expect("an offset");
        (offset, least.min().expect("an exchange"))
    }

    #[test]
    fn equal_ways_give_the_offset_and_the_shortest_round_trip_counts() {
        let delays = [[900, 5, 100], [40, 7, 40], [300, 0, 300]];
        let (found, _) = compare(-123_456, 1_000_000, &delays);
        let (offset_ns, error_ns) = (-123_456, 40);
        assert_eq!(
            found,
            Offset {
                offset_ns,
                error_ns
            }
        );
    }

    #[test]
    fn one_way_alone_is_wrong_by_the_whole_error_and_no_more() {
        let (found, _) = compare(0, 1000, &[[101, 0, 0]]);
        assert_eq!((found.offset_ns, found.error_ns), (50, 51));
        let (found, _) = compare(0, 1000, &[[0, 0, 101]]);
        assert_eq!((found.offset_ns, found.error_ns), (-51, 51));
    }

    #[test]
    fn what_cannot_be_is_nothing() {
        let mut comparison = Comparison::default();
        let number = comparison.ask(1000).expect("the first");
        // Answered before it was heard; more time spent there than it took in all; nobody asked.
        comparison.answer(number, [500, 499], 2000);
        comparison.answer(number, [500, 1501], 2000);
        comparison.answer(number + 1, [500, 600], 2000);
        comparison.answer(number, [0, u64::MAX], u64::MAX);
        assert_eq!(comparison.offset(), None);
        comparison.answer(number, [500, 600], 2000);
        assert_eq!(comparison.offset().map(|o| o.error_ns), Some(450));
        let more = std::iter::from_fn(|| comparison.ask(3000)).count();
        assert_eq!(more, 7);
    }

    proptest! {
        #[test]
        fn the_truth_is_within_the_error_however_unequal_the_ways(
            offset in -(1_i64 << 60)..1 << 60,
            base in 1_u64 << 60..1 << 61,
            delays in proptest::collection::vec(
                [0..10_000_000_000_u64, 0..10_000_000_000_u64, 0..10_000_000_000_u64],
                1..12,
            ),
        ) {
            let (found, least) = compare(offset, base, &delays);
            prop_assert!(found.offset_ns.abs_diff(offset) <= found.error_ns);
            prop_assert_eq!(found.error_ns, least.div_ceil(2));
        }

        #[test]
        fn any_two_comparisons_of_the_same_clocks_agree(
            offset in -1_000_000_i64..1_000_000,
            one in proptest::collection::vec([0..5000_u64, 0..5000_u64, 0..5000_u64], 1..9),
            other in proptest::collection::vec([0..5000_u64, 0..5000_u64, 0..5000_u64], 1..9),
        ) {
            let [one, other] = [one, other].map(|delays| compare(offset, 1 << 40, &delays).0);
            prop_assert!(one.agrees_with(&other));
        }

        #[test]
        fn no_instants_are_too_strange(all: [u64; 4], number in 0..10_u32) {
            let mut comparison = Comparison::default();
            comparison.ask(all[0]);
            comparison.answer(number, [all[1], all[2]], all[3]);
            if let Some(offset) = comparison.offset() {
                prop_assert!(offset.agrees_with(&offset));
            }
        }
    }
}
