//! What slow start leaves where it overflows a queue: the window when the loss is heard, the cut of it, and the climb from there.
//!
//! All of the window at which the queue is full is acknowledged before the first loss is heard, a round trip later, and slow start grows by
//! that as well. With an ACK for each segment the window has doubled by then, and Reno's half of it is the window at the full queue.

use farpath_units::Size;

use crate::cc::Cc;
use crate::climb::Climb;
use crate::slow_start::SlowStart;

/// What [`Overflow::words`] begins with.
pub const HEARD: &str = "the loss is heard";

/// Seconds from which on a time has no decimals.
const LONG_S: f64 = 10.0;

/// One connection whose slow start overflows a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overflow {
    /// The window at which the queue is full, segments; above 0.
    pub window: f64,
    /// What follows the loss: its top is the window when that is heard.
    pub climb: Climb,
}

impl Overflow {
    /// Of a `slow_start` that fills the queue at `window` segments, above 0, and whose window grows to `most` segments at most. `like` is
    /// any climb of the connection.
    pub fn of(slow_start: SlowStart, window: f64, most: f64, like: Climb) -> Overflow {
        let heard = libm::fmin(slow_start.next(window), libm::fmax(most, window));
        Overflow {
            window,
            climb: Climb { top: heard, ..like },
        }
    }

    /// Segments that are lost until the first loss is heard: each by which the window grows finds the queue full.
    pub fn lost(&self) -> f64 {
        self.climb.top - self.window
    }

    /// The window after the cut, segments. `None` where [`Climb::start`] is, and for Westwood+, whose filters lag behind a doubling.
    pub fn left(&self) -> Option<f64> {
        match self.climb.cc {
            Cc::Westwood => None,
            _ => self.climb.start(),
        }
    }

    /// Seconds from there to a window of `full` segments; 0 where the cut leaves as much. `None` where [`Overflow::left`] or
    /// [`Climb::reach_s`] is.
    pub fn climb_s(&self, full: f64) -> Option<f64> {
        self.left().and_then(|_| self.climb.reach_s(full))
    }

    /// What follows the overflow, for people: without a full stop. `full` segments fill the path, or are all that the ends let be in
    /// flight; a segment of the windows shown has `segment_bytes`.
    pub fn words(&self, full: f64, segment_bytes: f64) -> String {
        let size = |segments: f64| {
            let bytes = (segments * segment_bytes) as u64;
            format!("{:.1}", Size::from_bytes(bytes))
        };
        let heard = format!(
            "{HEARD} a round trip later, at a window of some {}",
            size(self.climb.top)
        );
        let Some(left) = self.left() else {
            return format!("{heard}, and what the cut leaves has no closed form");
        };
        let left = size(left);
        match self.climb_s(full) {
            None => format!(
                "{heard}, and the cut leaves some {left}: how long the climb to what fills the path takes has no closed form"
            ),
            Some(seconds) if seconds <= 0.0 => {
                format!("{heard}, and the cut leaves some {left}, so that nothing is left to climb")
            }
            Some(seconds) => format!(
                "{heard}, and the cut leaves some {left}: the climb to what fills the path takes some {}",
                about(seconds)
            ),
        }
    }
}

/// Seconds above 0, rounded, for people: with a unit in which they are not nothing.
pub fn about(seconds: f64) -> String {
    if seconds >= LONG_S {
        format!("{seconds:.0} s")
    } else if seconds >= 1.0 {
        format!("{seconds:.1} s")
    } else if seconds >= 1e-3 {
        format!("{:.0} ms", seconds * 1e3)
    } else {
        format!("{:.0} µs", seconds * 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::Rules;
    use crate::htcp;

    /// Segments in flight that fill 1 Gbit/s x 100 ms, frames of 1538 bytes on the line.
    const PIPE: f64 = 12.5e6 / 1538.0;

    /// One ACK for each segment, 1 Gbit/s x 100 ms, behind a queue of so many BDP.
    fn overflow(cc: Cc, bdp: f64) -> Overflow {
        let slow_start = SlowStart {
            full: PIPE,
            initial: 10.0,
            segments_per_ack: 1.0,
            max_ssthresh: None,
            rounds_each: 1,
            quick: 0.0,
        };
        let (_, window) = slow_start.overflowing(bdp * 12.5e6 / 1514.0);
        let like = Climb {
            cc,
            top: 1.0,
            rtt_s: 0.1,
            segments_per_ack: 1.0,
            htcp: htcp::Growth::PAPER,
            rules: Rules::Document,
        };
        Overflow::of(slow_start, window, f64::INFINITY, like)
    }

    /// Simulated: Reno's window after the cut, and the seconds until the path is full, slow start included.
    #[test]
    fn the_cut_leaves_the_window_that_filled_the_queue() {
        for (bdp, left, full_s) in [
            (0.1, 2118.0, 607.0),
            (0.2, 4227.0, 395.0),
            (0.3, 5045.0, 313.0),
            (0.5, 9254.0, 0.0),
        ] {
            let reno = overflow(Cc::Reno, bdp);
            let said = reno.left().expect("half of it");
            assert!((said / left - 1.0).abs() < 0.03, "{bdp}: {said}");
            let climb_s = reno.climb_s(PIPE).expect("one segment a round trip");
            assert!(
                (climb_s - full_s).abs() <= 0.03 * full_s,
                "{bdp}: {climb_s}"
            );
        }
    }

    /// CUBIC keeps 0.7 of twice the window: W = 4211, 8422 and 18 496 at the cut, K = 14.67 and 18.49 s. Simulated with slow start: 37.3,
    /// 10.7 and 2 s.
    #[test]
    fn each_algorithm_cuts_the_window_at_which_the_loss_is_heard() {
        for (bdp, climb_s) in [(0.1, 36.06), (0.2, 9.45), (0.5, 0.0)] {
            let said = overflow(Cc::Cubic, bdp).climb_s(PIPE).expect("a curve");
            assert!((said - climb_s).abs() < 0.02, "{bdp}: {said}");
        }
        for cc in [Cc::HighSpeed, Cc::Scalable, Cc::Htcp, Cc::Bic] {
            assert_eq!(overflow(cc, 0.5).climb_s(PIPE), Some(0.0), "{cc}");
        }
        let westwood = overflow(Cc::Westwood, 0.2);
        assert_eq!((westwood.left(), westwood.climb_s(PIPE)), (None, None));
    }

    #[test]
    fn words_say_whether_a_climb_is_left() {
        let words = |cc, bdp| overflow(cc, bdp).words(PIPE, 1448.0);
        let short = words(Cc::Reno, 0.2);
        assert!(short.starts_with(HEARD), "{short}");
        // 4211.25 segments after the cut, 3916.2 less than the pipe.
        assert!(short.contains("the cut leaves some 6.1 MB"), "{short}");
        assert!(short.ends_with("takes some 392 s"), "{short}");
        assert!(words(Cc::Cubic, 0.2).ends_with("takes some 9.5 s"));
        assert!(words(Cc::Reno, 0.5).ends_with("nothing is left to climb"));
        assert!(words(Cc::Westwood, 0.2).ends_with("has no closed form"));
    }

    #[test]
    fn a_short_time_is_not_said_as_nothing() {
        let said = [392.2, 9.44, 1.22, 0.16, 0.000_4].map(about);
        assert_eq!(said, ["392 s", "9.4 s", "1.2 s", "160 ms", "400 µs"]);
    }

    /// As many are lost as were in flight; a window that the ends bound loses and keeps less.
    #[test]
    fn what_the_window_grows_by_is_lost() {
        let one = overflow(Cc::Reno, 1.0);
        assert!((one.lost() - one.window).abs() < 1e-9);
        let slow_start = SlowStart {
            full: PIPE,
            initial: 10.0,
            segments_per_ack: 1.0,
            max_ssthresh: None,
            rounds_each: 1,
            quick: 0.0,
        };
        let bound = Overflow::of(slow_start, 3000.0, 4000.0, one.climb);
        assert_eq!((bound.lost(), bound.left()), (1000.0, Some(2000.0)));
    }
}
