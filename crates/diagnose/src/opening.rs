//! Whether slow start took a transfer's time, or was over so soon that it cost next to nothing.

use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::evidence::Evidence;
use crate::items::{Item, step};
use crate::seen::Side;

/// The part of its last intervals' rate that a test has as a whole: slow start that doubles leaves a third of it, and one that lasted for
/// the first third of the test seven tenths.
const WHOLE: [f64; 2] = [0.8, 0.93];

/// An interval shorter than a round trip, by this part of one, holds a burst or none: how fast it was says nothing of what comes next.
const SHORT: [f64; 2] = [0.5, 1.0];

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
}

/// Whether the transfer was over before its window had opened.
pub(crate) fn opening(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    items.push(Item {
        holds: e.ran_from_start(),
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
