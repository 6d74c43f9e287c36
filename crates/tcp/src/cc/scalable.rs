//! Scalable TCP (Kelly, "Scalable TCP: improving performance in highspeed wide area networks", CCR
//! 33(2), 2003): one hundredth more for each acknowledgement, one eighth less for each loss, so that
//! recovery takes ln(8/7)/ln(1.01) = 13.4 round trips whatever the window.

use super::whole::Whole;
use super::{Ack, Control, Loss, Setup};
use crate::flavour::Flavour;

/// Segments added per segment acknowledged (Kelly §3, a).
const STEP: f64 = 0.01;
/// The part of the window a loss takes (Kelly §3, b).
const CUT: f64 = 0.125;
/// Up to here, in segments, it is Reno (Kelly §3.1, the legacy window).
const LEGACY_WINDOW: f64 = 16.0;
/// Linux adds a segment for every so many acknowledged, or for every window if that is less.
const EACH: f64 = 100.0;

/// Scalable TCP in avoidance.
#[derive(Clone, Debug)]
pub(crate) struct Scalable {
    flavour: Flavour,
    whole: Whole,
}

impl Control for Scalable {
    fn new(setup: &Setup) -> Scalable {
        Scalable {
            flavour: setup.flavour,
            whole: Whole::default(),
        }
    }

    fn increase(&mut self, ack: &Ack) -> f64 {
        match self.flavour {
            Flavour::Rfc => {
                if ack.cwnd > LEGACY_WINDOW * ack.segment {
                    STEP * ack.acked
                } else {
                    ack.acked / ack.cwnd * ack.segment
                }
            }
            Flavour::Linux => {
                let each = (ack.cwnd * ack.per_byte).floor().min(EACH);
                self.whole.add(ack.acked * ack.per_byte, each) * ack.segment
            }
        }
    }

    fn reduce(&mut self, loss: &Loss) -> f64 {
        self.whole.clear();
        let w = loss.window / loss.segment;
        let left = match self.flavour {
            Flavour::Rfc if w <= LEGACY_WINDOW => w / 2.0,
            Flavour::Rfc => w - (w * CUT).ceil(),
            Flavour::Linux => w.floor() - (w.floor() * CUT).floor(),
        };
        left * loss.segment
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{ack, loss, setup};

    /// ln(1/0.875)/ln(1.01) = 13.4 round trips (Kelly §3), whatever the window.
    #[test]
    fn recovery_takes_the_same_round_trips_at_any_window() {
        for window in [400.0, 10_274.0, 97_529.0] {
            let mut scalable = Scalable::new(&setup(Flavour::Rfc));
            let mut w = scalable.reduce(&loss(window));
            assert!((w / window - 0.875).abs() < 0.0025, "{w}");
            let mut rounds = 0.0;
            while w < window {
                w += scalable.increase(&ack(w, w));
                rounds += 1.0;
            }
            assert!((13.4_f64..=14.4).contains(&rounds), "{rounds}");
        }
    }

    #[test]
    fn a_small_window_is_renos() {
        let mut scalable = Scalable::new(&setup(Flavour::Rfc));
        assert_eq!(scalable.increase(&ack(10.0, 10.0)), 1.0);
        assert_eq!(scalable.reduce(&loss(16.0)), 8.0);
        assert_eq!(scalable.reduce(&loss(17.0)), 14.0); // 17 − ⌈17/8⌉
    }

    #[test]
    fn linux_adds_a_segment_for_every_hundred() {
        let mut scalable = Scalable::new(&setup(Flavour::Linux));
        let added: f64 = (0..500).map(|_| scalable.increase(&ack(1000.0, 2.0))).sum();
        assert_eq!(added, 10.0);
        let mut scalable = Scalable::new(&setup(Flavour::Linux));
        let added: f64 = (0..50).map(|_| scalable.increase(&ack(50.0, 1.0))).sum();
        assert_eq!(added, 1.0);
        assert_eq!(scalable.reduce(&loss(15.0)), 14.0); // 15 − (15 >> 3)
    }
}
