//! Whether slow start took a transfer's time, or was over so soon that it cost next to nothing.

use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::evidence::Evidence;
use crate::items::{Item, spread, step};
use crate::seen::Side;

/// The part of its last intervals' rate that a test has as a whole: slow start that doubles leaves a third of it, and one that lasted for
/// the first third of the test seven tenths.
const WHOLE: [f64; 2] = [0.8, 0.93];

/// An interval shorter than a round trip, by this part of one, holds a burst or none: how fast it was says nothing of what comes next.
const SHORT: [f64; 2] = [0.5, 1.0];

/// Rates of intervals that differ by less than the first part of their mean do not grow, and by more than the second they may.
const FLAT: [f64; 2] = [0.02, 0.05];

/// Slow start doubles a window in each round trip: intervals of so many of them show it surely, and of less than the first they do not.
const ROUNDS: [f64; 2] = [1.0, 2.0];

/// Losses in this part of the intervals go through the whole test.
const MOST: [f64; 2] = [0.4, 0.7];

/// Fewer intervals after the start than this do not show whether the rate still grows.
const LATER_LEAST: usize = 3;

impl Evidence {
    /// How surely the test was about as fast as a whole as at its end, 0 to 1: slow start, whose rate grows from interval to interval, did
    /// not hold it, however few its round trips. 0 where intervals do not show it.
    pub(crate) fn ran_from_start(&self) -> f64 {
        let rows = &self.steady;
        let (Some(rate), true) = (&self.rate, rows.len() >= LATER_LEAST) else {
            return 0.0;
        };
        if self.udp || self.filled.is_some() {
            return 0.0;
        }
        let last = &rows[rows.len() - rows.len() / 3..];
        let end = last.iter().sum::<f64>() / last.len() as f64;
        let end = libm::fmax(end, self.late().unwrap_or(0.0));
        let whole = match &self.rtt_floor {
            Some(rtt) => step(self.interval_s / rtt.value, SHORT[0], SHORT[1]),
            None => 1.0,
        };
        match end > 0.0 {
            true => whole * step(rate.value / end, WHOLE[0], WHOLE[1]),
            false => 0.0,
        }
    }

    /// How surely the rate stood still in all intervals after the first fifth, 0 to 1: slow start, which doubles it in each round trip, was
    /// over by then. 0 where intervals do not show it, and where the window begins anew or an account of the sender's time says more.
    pub(crate) fn stands_flat(&self) -> f64 {
        let other = self.udp || self.filled.is_some();
        let known = self.account.is_some() || self.restart.is_some();
        let (Some(spread), Some(rtt)) = (spread(&self.steady), self.rtt_by_itself()) else {
            return 0.0;
        };
        if other || known {
            return 0.0;
        }
        let long = step(self.interval_s / rtt.value, ROUNDS[0], ROUNDS[1]);
        long * (1.0 - step(spread, FLAT[0], FLAT[1]))
    }

    /// How surely segments were sent again from the first half of the test on in most intervals, 0 to 1. The first loss ends slow start
    /// (RFC 5681 §3.1).
    pub(crate) fn lost_throughout(&self) -> f64 {
        let own = self.counted.iter().filter(|r| r.side == Side::Sender);
        let lossy: Vec<bool> = own
            .map(|r| r.retransmits.is_some_and(|n| n > 0.0))
            .collect();
        let early = lossy.iter().position(|l| *l);
        let early = early.is_some_and(|n| 2 * n < lossy.len());
        if !early || lossy.len() < LATER_LEAST + 1 {
            return 0.0;
        }
        let share = lossy.iter().filter(|l| **l).count() as f64 / lossy.len() as f64;
        step(share, MOST[0], MOST[1])
    }

    /// Whether slow start was over for most of the test, as intervals show it.
    pub(crate) fn is_past_start(&self) -> bool {
        let flat = self.ran_from_start().max(self.stands_flat());
        flat.max(self.lost_throughout()) > 0.5
    }
}

/// Whether the transfer was over before its window had opened.
pub(crate) fn opening(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    items.push(Item {
        holds: e.ran_from_start(),
        weights: vec![(Cause::Ramp, -30.0)],
        sentence: String::new(),
    });
    items.push(Item {
        holds: e.stands_flat(),
        weights: vec![(Cause::Ramp, -30.0)],
        sentence: String::new(),
    });
    items.push(Item {
        holds: e.lost_throughout(),
        weights: vec![(Cause::Ramp, -30.0)],
        sentence: String::new(),
    });
    let ramp = ceilings.iter().find(|c| c.cause == Cause::Ramp);
    let rtt = e.rtt_by_itself();
    let (Some(seconds), Some(ramp), Some(bytes), Some(rtt)) = (e.seconds, ramp, &e.bytes, rtt)
    else {
        return;
    };
    let least = bytes.value * 8.0 / ramp.rate.value;
    items.push(Item {
        holds: 1.0 - step(seconds / least, 1.8, 3.0),
        weights: vec![(Cause::Ramp, 16.0), (Cause::Shaper, -8.0)],
        sentence: format!(
            "the transfer was over in {}: slow start took most of that",
            match (seconds / rtt.value).round() {
                n if n <= 1.0 => "one round trip".to_owned(),
                n => format!("{n:.0} round trips"),
            }
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// Later seconds of these Mbit/s over so many seconds of round trip.
    fn later(mbit: &[f64], rtt: f64) -> Evidence {
        Evidence {
            rtt: Some(Figure::exact(rtt, Place::You)),
            steady: mbit.iter().map(|mbit| mbit * 1e6).collect(),
            interval_s: 1.0,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    #[test]
    fn a_rate_that_stands_still_is_not_of_slow_start() {
        assert_eq!(later(&[105.0; 4], 0.24).stands_flat(), 1.0);
        // It grows, it has not a round trip in each interval, or too few intervals show it.
        assert_eq!(later(&[50.0, 70.0, 90.0, 105.0], 0.24).stands_flat(), 0.0);
        assert_eq!(later(&[105.0; 4], 1.2).stands_flat(), 0.0);
        assert_eq!(later(&[105.0; 3], 0.24).stands_flat(), 0.0);
    }
}
