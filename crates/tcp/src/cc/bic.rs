//! BIC (Xu, Harfoush and Rhee, "Binary increase congestion control for fast long-distance networks",
//! INFOCOM 2004): a binary search for the window at which the last loss came, then a cautious look
//! beyond it.

use super::whole::Whole;
use super::{Ack, Control, Loss, Seen, Setup, Steer, Watch};
use crate::flavour::Flavour;

/// Up to here, in segments, it is Reno.
const LOW_WINDOW: f64 = 14.0;

/// The paper's largest and smallest step in segments a round trip, and what a loss takes.
const PAPER_LARGEST: f64 = 32.0;
const PAPER_LEAST: f64 = 0.01;
const PAPER_CUT: f64 = 0.125;

/// Linux: the largest step, the divisor of the search, round trips for the last segment below the old
/// maximum, and what remains after a loss, 819/1024.
const LARGEST: f64 = 16.0;
const DIVISOR: f64 = 4.0;
const SMOOTH: f64 = 20.0;
const BETA: f64 = 819.0 / 1024.0;
/// Linux adds one for so many at least until the first loss: 5 % a round trip.
const BEFORE_LOSS: f64 = 20.0;

/// Linux's `delayed_ack` counts sixteenths of a segment, and is two segments at the start and after a timeout.
const SIXTEENTHS: u32 = 16;
const RATIO_FIRST: u32 = 2 * SIXTEENTHS;

/// Segments for each ACK as Linux measures them: an ACK moves the mean by a sixteenth of what it is off.
///
/// The mean is whole, and its part below a segment does not count when it moves. So ACKs of one segment each leave it at 31
/// sixteenths where it falls to them, and ACKs of two at 32.
#[derive(Clone, Copy, Debug)]
struct AckRatio {
    sixteenths: u32,
}

impl AckRatio {
    fn new() -> AckRatio {
        AckRatio {
            sixteenths: RATIO_FIRST,
        }
    }

    /// An ACK of so many segments.
    fn measure(&mut self, segments: u32) {
        let left = self.sixteenths - self.sixteenths / SIXTEENTHS;
        self.sixteenths = left.saturating_add(segments);
    }

    /// What of `each`, acknowledged segments for each one added, is left where ACKs are taken for segments.
    fn divide(self, each: f64) -> f64 {
        (each * f64::from(SIXTEENTHS) / f64::from(self.sixteenths)).floor()
    }
}

/// BIC in avoidance.
#[derive(Clone, Debug)]
pub(crate) struct Bic {
    flavour: Flavour,
    /// The window in segments the search aims at; 0 before the first loss.
    maximum: f64,
    lost: bool,
    /// `maximum` before the last reduction.
    before: f64,
    whole: Whole,
    ratio: AckRatio,
    /// The first unacknowledged byte at the last ACK.
    una: u64,
}

impl Bic {
    /// The paper's step in segments a round trip at a window of `w` (§III).
    fn paper_step(&self, w: f64) -> f64 {
        if w < self.maximum {
            return ((self.maximum - w) / 2.0).clamp(PAPER_LEAST, PAPER_LARGEST);
        }
        // "Slow start" beyond the maximum: 1, 2, 4 … in successive round trips, that is the largest
        // power of two up to what has been gained and one.
        let gained = w - self.maximum + 1.0;
        libm::exp2(libm::log2(gained).floor()).min(PAPER_LARGEST)
    }

    /// Linux's: acknowledged segments for each one added. Where it is not Reno it divides by the segments for each ACK, as if it counted
    /// ACKs, and has counted segments since 5.7.
    fn linux_each(&self, w: f64) -> f64 {
        if w <= LOW_WINDOW {
            return w.max(1.0);
        }
        let each = if w < self.maximum {
            let distance = ((self.maximum - w) / DIVISOR).floor();
            if distance > LARGEST {
                w / LARGEST
            } else if distance <= 1.0 {
                w * SMOOTH / DIVISOR
            } else {
                w / distance
            }
        } else if w < self.maximum + DIVISOR {
            w * SMOOTH / DIVISOR
        } else if w < self.maximum + LARGEST * (DIVISOR - 1.0) {
            w * (DIVISOR - 1.0) / (w - self.maximum)
        } else {
            w / LARGEST
        };
        let each = if self.lost {
            each
        } else {
            each.min(BEFORE_LOSS)
        };
        self.ratio.divide(each.floor()).max(1.0)
    }
}

impl Control for Bic {
    fn new(setup: &Setup) -> Bic {
        Bic {
            flavour: setup.flavour,
            maximum: 0.0,
            lost: false,
            before: 0.0,
            whole: Whole::default(),
            ratio: AckRatio::new(),
            una: 0,
        }
    }

    fn increase(&mut self, ack: &Ack) -> f64 {
        let w = ack.cwnd * ack.per_byte;
        match self.flavour {
            Flavour::Rfc => {
                let step = if w <= LOW_WINDOW {
                    1.0
                } else {
                    self.paper_step(w)
                };
                step * ack.acked / ack.cwnd * ack.segment
            }
            Flavour::Linux => {
                let each = self.linux_each(w.floor());
                self.whole.add(ack.acked * ack.per_byte, each) * ack.segment
            }
        }
    }

    fn reduce(&mut self, loss: &Loss) -> f64 {
        self.whole.clear();
        self.lost = true;
        let w = loss.window / loss.segment;
        let left = match self.flavour {
            Flavour::Rfc => 1.0 - PAPER_CUT,
            Flavour::Linux => BETA,
        };
        self.before = self.maximum;
        // Fast convergence: the old maximum was not reached, so leave room (§III.C).
        self.maximum = if w < self.maximum {
            w * (1.0 + left) / 2.0
        } else {
            w
        };
        if w <= LOW_WINDOW {
            loss.window / 2.0
        } else {
            loss.window * left
        }
    }

    fn restart(&mut self) {
        if self.flavour == Flavour::Linux {
            self.maximum = 0.0;
            self.lost = false;
            self.ratio = AckRatio::new();
        }
    }

    fn undo(&mut self) {
        self.maximum = self.before;
    }

    fn watches(&self) -> Watch {
        match self.flavour {
            Flavour::Rfc => Watch::Nothing,
            Flavour::Linux => Watch::Acks,
        }
    }

    fn watch(&mut self, seen: &Seen) -> Steer {
        // What ends a recovery, or fills a hole, does not measure how its receiver acknowledges (`bictcp_acked`: Linux asks for the state
        // before it).
        if seen.orderly && seen.una > self.una {
            let segments = (seen.delivered as f64 / seen.segment).ceil();
            self.ratio.measure(segments as u32);
        }
        self.una = seen.una;
        Steer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{ack, loss, seen, setup};
    use farpath_units::{Duration, Time};

    /// Linux's, after so many ACKs of so many segments each.
    fn acked(acks: u64, segments: u64) -> Bic {
        let mut bic = Bic::new(&setup(Flavour::Linux));
        for n in 1..=acks {
            let at = seen(Time::ZERO, Duration::from_ms(100), n * segments, 9.0, 1.0);
            bic.watch(&Seen {
                delivered: segments,
                ..at
            });
        }
        bic
    }

    /// Segments a round trip at `w` with the maximum at 1000; Linux's where it takes an ACK for one segment.
    fn step(flavour: Flavour, w: f64) -> f64 {
        let mut bic = Bic::new(&setup(flavour));
        bic.ratio.sixteenths = SIXTEENTHS;
        bic.reduce(&loss(1000.0));
        match flavour {
            Flavour::Rfc => bic.increase(&ack(w, w)),
            Flavour::Linux => w / bic.linux_each(w),
        }
    }

    /// The published increments: 16 far below the maximum, a quarter of the distance near it, 0.2 at
    /// it, a third of the gain beyond, 16 again.
    #[test]
    fn linux_searches_in_these_steps() {
        for (w, segments) in [
            (800.0, 16.0),
            (935.0, 16.0),
            (960.0, 10.0),
            (996.0, 0.2),
            (1000.0, 0.2),
            (1003.0, 0.2),
            (1006.0, 2.0),
            (1030.0, 10.0),
            (1048.0, 16.0),
            (2000.0, 16.0),
        ] {
            let actual = step(Flavour::Linux, w);
            assert!(
                (actual / segments - 1.0).abs() < 0.02,
                "{w}: {actual} for {segments}"
            );
        }
    }

    #[test]
    fn the_paper_halves_the_distance_and_doubles_beyond() {
        for (w, segments) in [
            (800.0, 32.0),
            (960.0, 20.0),
            (999.0, 0.5),
            (999.99, 0.01),
            (1000.0, 1.0),
            (1001.0, 2.0),
            (1003.0, 4.0),
            (1100.0, 32.0),
        ] {
            let actual = step(Flavour::Rfc, w);
            assert!(
                (actual - segments).abs() < 1e-6,
                "{w}: {actual} for {segments}"
            );
        }
    }

    #[test]
    fn a_loss_takes_a_fifth_in_linux_and_an_eighth_in_the_paper() {
        for (flavour, left) in [(Flavour::Linux, 0.8), (Flavour::Rfc, 0.875)] {
            let mut bic = Bic::new(&setup(flavour));
            assert!((bic.reduce(&loss(1000.0)) - 1000.0 * left).abs() < 0.2);
            assert_eq!(bic.maximum, 1000.0);
            bic.reduce(&loss(900.0));
            assert!(
                (bic.maximum - 450.0 * (1.0 + left)).abs() < 0.2,
                "{}",
                bic.maximum
            );
            assert_eq!(bic.reduce(&loss(14.0)), 7.0);
        }
    }

    #[test]
    fn linux_grows_by_a_twentieth_for_each_ack_before_the_first_loss() {
        let bic = Bic::new(&setup(Flavour::Linux));
        assert_eq!(bic.linux_each(10_000.0), 10.0);
        assert_eq!(acked(200, 4).linux_each(10_000.0), 5.0);
    }

    /// 32 + 1 - 2 = 31, and 31 + 1 - 1 stays; 32 + 2 - 2 stays; 4 is added to 32 and a whole sixteenth taken until 64.
    #[test]
    fn linux_measures_the_segments_for_each_ack_in_whole_sixteenths() {
        for (segments, sixteenths) in [(1, 31), (2, 32), (4, 64), (44, 704)] {
            let found = acked(1000, segments).ratio.sixteenths;
            assert_eq!(found, sixteenths, "{segments}");
        }
    }

    /// 100 segments, the maximum at 1000: one for 100/16 = 6, by 2 or 4 segments an ACK 3 or 1; at the maximum one for 5000, 2500, 1250.
    #[test]
    fn linux_grows_faster_by_the_segments_for_each_ack() {
        for (segments, far, near) in [(2, 3.0, 2500.0), (4, 1.0, 1250.0)] {
            let mut bic = acked(1000, segments);
            bic.reduce(&loss(1000.0));
            assert_eq!(bic.linux_each(100.0), far, "{segments}");
            assert_eq!(bic.linux_each(1000.0), near, "{segments}");
            assert_eq!(bic.linux_each(14.0), 14.0, "Reno");
            bic.restart();
            assert_eq!(bic.ratio.sixteenths, RATIO_FIRST);
        }
    }

    /// What is acknowledged out of order, or while losses are repaired, is not measured; the paper's has no ratio.
    #[test]
    fn linux_measures_no_ack_of_a_repair() {
        let mut bic = acked(10, 2);
        let at = seen(Time::ZERO, Duration::from_ms(100), 20, 9.0, 1.0);
        bic.watch(&Seen { delivered: 9, ..at });
        bic.watch(&Seen {
            una: 29,
            delivered: 9,
            orderly: false,
            ..at
        });
        assert_eq!(bic.ratio.sixteenths, 32);
        let paper = Bic::new(&setup(Flavour::Rfc));
        assert_eq!(paper.watches(), Watch::Nothing);
    }
}
