//! A line that nobody named: where it is full its rate is steady, and no interval is faster than what it leaves.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::items::{Item, spread, step};

/// An interval is above a line from this part of the rate on, and surely from that.
const ABOVE: [f64; 2] = [1.12, 1.25];

/// The same of what a sender handed over: its socket buffer may have grown meanwhile.
const ABOVE_OF_SENDER: [f64; 2] = [1.25, 1.5];

/// Intervals of a full line differ by less than this part of their mean, and by that they surely do not.
const UNEVEN: [f64; 2] = [0.12, 0.2];

/// Intervals of fewer round trips hold a burst or none.
const ROUNDS: f64 = 2.0;

impl Evidence {
    /// How surely the intervals are not those of a full line, where nobody said how fast it is, 0 to 1.
    pub(crate) fn refutes_line(&self) -> f64 {
        let (Some(rate), None) = (self.settled(), &self.line) else {
            return 0.0;
        };
        let short = self
            .rtt
            .as_ref()
            .is_some_and(|rtt| self.interval_s < ROUNDS * rtt.value);
        let Some(spread) = spread(&self.steady).filter(|_| !self.udp && !short) else {
            return 0.0;
        };
        // Only what a sender hands over comes in whole writes.
        let (fastest, above) = match self.peak_grain > 0.0 {
            true => (
                self.steady.iter().copied().fold(0.0, f64::max) - self.peak_grain,
                ABOVE_OF_SENDER,
            ),
            false => (self.peak, ABOVE),
        };
        let faster = step(fastest / rate.value, above[0], above[1]);
        let pieces = self.pieces();
        let spread = (spread * spread - pieces * pieces).max(0.0).sqrt();
        faster.max(step(spread, UNEVEN[0], UNEVEN[1]))
    }
}

/// Weighs intervals that no full line leaves.
pub(crate) fn by_unnamed_line(e: &Evidence, items: &mut Vec<Item>) {
    items.push(Item {
        holds: e.refutes_line(),
        weights: vec![(Cause::Link, -12.0)],
        sentence: String::new(),
    });
}
