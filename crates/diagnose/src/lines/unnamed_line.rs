//! A line that nobody named: where it is full its rate is steady, and no interval is faster than what it leaves.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::items::{Item, spread, step};
use crate::lines::exceeded::HANDED;

/// An interval is above a line from this part of the rate on, and surely from that.
const ABOVE: [f64; 2] = [1.12, 1.25];

/// The same of what a sender handed over: its socket buffer may have grown meanwhile.
const ABOVE_OF_SENDER: [f64; 2] = [1.25, 1.5];

/// Intervals of a full line differ by less than this part of their mean, and by that they surely do not.
const UNEVEN: [f64; 2] = [0.12, 0.2];

/// Intervals of fewer round trips hold a burst or none.
const ROUNDS: f64 = 2.0;

/// So many intervals in a row are not bunched together: a choice.
const IN_A_ROW: usize = 3;

/// A start is faster than a line from so many times the fastest later interval on.
const START: f64 = 1.25;

/// What a sender handed over and its line did not carry yet is twice its congestion window at most: what is in flight, and as much again
/// that waits in its socket.
const HELD: f64 = 2.0;

impl Evidence {
    /// How surely the path is not a full line of which nobody said how fast it is, 0 to 1: by intervals, and by what drops elsewhere.
    pub(crate) fn refutes_line(&self) -> f64 {
        match (self.settled(), &self.line) {
            (Some(rate), None) => {
                let dropped = self.around.ports.drop_below_full(self);
                self.intervals_refute(&rate).max(dropped)
            }
            _ => 0.0,
        }
    }

    /// Whether an interval counted more than all after the start, by so much that neither a socket nor a queue can have held the rest.
    pub(crate) fn starts_beyond(&self) -> bool {
        let then = self.steady.iter().copied().fold(0.0, f64::max);
        let more = (self.peak - then) * self.interval_s / 8.0;
        let each = self.counted.iter().filter_map(|r| r.cwnd);
        let window = each.chain(self.cwnd.iter().map(|c| c.value));
        let window = HELD * window.fold(0.0, f64::max);
        // Only what a sender hands over comes in whole writes.
        let held = match self.peak_grain > 0.0 {
            true => libm::fmax(HANDED * self.streams, window),
            false => 0.0,
        };
        then > 0.0 && self.peak > START * then && more > held
    }

    /// Whether intervals in a row carried more than a line of this rate, bit/s: bunching gives to one what the next one lacks.
    pub(crate) fn outruns(&self, line: f64) -> bool {
        // Only what a sender hands over may wait in its socket.
        let held = match self.peak_grain > 0.0 {
            true => HANDED * self.streams * 8.0 / self.interval_s,
            false => 0.0,
        };
        let beyond = |row: &[f64]| row.iter().sum::<f64>() > IN_A_ROW as f64 * line + held;
        self.steady.windows(IN_A_ROW).any(beyond)
    }

    /// How surely the intervals are not those of a full line that leaves this rate, 0 to 1.
    fn intervals_refute(&self, rate: &Figure) -> f64 {
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
        let start = f64::from(u8::from(self.starts_beyond() || self.climbs()));
        faster.max(start).max(step(spread, UNEVEN[0], UNEVEN[1]))
    }
}

/// Weighs intervals that no full line leaves.
pub(crate) fn by_unnamed_line(e: &Evidence, items: &mut Vec<Item>) {
    crate::flows::carried_beside::by_carried_beside(e, items);
    crate::lines::sold_rate::by_service(e, items);
    items.push(Item {
        holds: e.refutes_line(),
        weights: vec![(Cause::Link, -12.0)],
        sentence: String::new(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;
    use crate::infer::usual_line;

    /// A sender's seconds after its start, Mbit/s: 850 is the middle one, 845 the mean.
    const LATER: [f64; 8] = [850.0, 840.0, 870.0, 800.0, 860.0, 830.0, 840.0, 870.0];

    /// A test of 935 Mbit/s on average, whose fastest second had so many Mbit/s.
    fn evidence(peak: f64) -> Evidence {
        Evidence {
            rate: Some(Figure::exact(935e6, Place::You)),
            steady: LATER.iter().map(|mbit| mbit * 1e6).collect(),
            peak: peak * 1e6,
            peak_grain: 1_048_576.0,
            interval_s: 1.0,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// 1.85 Gbit/s for a second, and 870 Mbit/s at most later: 122 MB that no line of 1 Gbit/s carried, nor a socket held.
    #[test]
    fn a_start_that_no_socket_held_refutes_a_line() {
        assert_eq!(evidence(1850.0).refutes_line(), 1.0);
        assert_eq!(evidence(900.0).refutes_line(), 0.0);
        let with = |cwnd: f64| Evidence {
            cwnd: Some(Figure::exact(cwnd, Place::You)),
            ..evidence(1850.0)
        };
        assert_eq!(with(8.79e6).refutes_line(), 1.0);
        assert_eq!(with(70e6).refutes_line(), 0.0);
    }

    /// 2.34 Gbit/s in the middle, which a line of 2.5 Gbit/s leaves: three seconds at the receiver had more than its own rate.
    #[test]
    fn no_line_is_guessed_below_what_intervals_carried() {
        let with = |last: f64, peak_grain: f64| {
            let gbit = [2.3, 2.2, 2.34, 2.3, 2.34, last, last, last];
            Evidence {
                rate: Some(Figure::exact(2.34e9, Place::You)),
                steady: gbit.iter().map(|gbit| gbit * 1e9).collect(),
                peak: last * 1e9,
                peak_grain,
                ..evidence(0.0)
            }
        };
        assert_eq!(usual_line(&with(2.36, 0.0)), Some(2.5e9));
        assert_eq!(usual_line(&with(2.52, 0.0)), None);
        assert!(with(2.52, 0.0).outruns(2.5e9));
        // 20 Mbit/s more for three seconds are 7.5 MB, which a sender's socket may hold.
        assert!(!with(2.52, 1_048_576.0).outruns(2.5e9));
    }

    /// The mean is a usual line's by chance: what came after the start is not.
    #[test]
    fn a_line_is_guessed_by_the_rate_after_the_start() {
        let e = evidence(900.0);
        assert_eq!(e.usual_rate().map(|r| r.value.round()), Some(850e6));
        assert_eq!(e.settled().map(|r| r.value.round()), Some(935e6));
        assert_eq!(usual_line(&e), None);
        let full = Evidence {
            steady: vec![941e6; 8],
            ..evidence(1000.0)
        };
        assert_eq!(usual_line(&full), Some(1e9));
    }
}
