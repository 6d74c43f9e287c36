//! HyStart++ (RFC 9406): leave slow start when the round trip grows, before the queue overflows.

use farpath_units::Duration;

use crate::arrival::Step;

const MIN_RTT_THRESH: Duration = Duration::from_ms(4);
const MAX_RTT_THRESH: Duration = Duration::from_ms(16);
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_ROUNDS: u32 = 5;
/// Growth in conservative slow start is divided by this (RFC 9406 §4.3).
pub(crate) const CSS_GROWTH_DIVISOR: f64 = 4.0;
/// Rounds and their smallest round-trip times.
#[derive(Clone, Debug)]
pub(crate) struct HyStart {
    paced: bool,
    window_end: u64,
    last_round_min: Duration,
    round_min: Duration,
    samples: u32,
    conservative: bool,
    baseline: Duration,
    rounds: u32,
}

impl HyStart {
    pub(crate) fn new(paced: bool) -> HyStart {
        HyStart {
            paced,
            window_end: 0,
            last_round_min: Duration::MAX,
            round_min: Duration::MAX,
            samples: 0,
            conservative: false,
            baseline: Duration::MAX,
            rounds: 0,
        }
    }

    pub(crate) fn is_paced(&self) -> bool {
        self.paced
    }

    pub(crate) fn is_conservative(&self) -> bool {
        self.conservative
    }

    /// An ACK in slow start moved the acknowledged edge to `una`, with `nxt` sent so far.
    pub(crate) fn on_ack(&mut self, rtt: Option<Duration>, una: u64, nxt: u64) -> Step {
        if let Some(rtt) = rtt {
            self.round_min = self.round_min.min(rtt);
            self.samples += 1;
        }
        if self.samples >= N_RTT_SAMPLE && self.round_min != Duration::MAX {
            self.judge();
        }
        if una >= self.window_end {
            self.window_end = nxt;
            self.last_round_min = self.round_min;
            self.round_min = Duration::MAX;
            self.samples = 0;
            if self.conservative {
                // RFC 9406 §4.2: the round in which CSS began counts as one.
                self.rounds += 1;
                if self.rounds >= CSS_ROUNDS {
                    return Step::Leave;
                }
            }
        }
        if self.conservative {
            Step::Conservative
        } else {
            Step::SlowStart
        }
    }

    fn judge(&mut self) {
        if self.conservative {
            if self.round_min < self.baseline {
                self.conservative = false;
                self.baseline = Duration::MAX;
            }
        } else if self.last_round_min != Duration::MAX {
            let eighth = Duration::from_ps(self.last_round_min.as_ps() / MIN_RTT_DIVISOR);
            let threshold = eighth.clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
            if self.round_min >= self.last_round_min + threshold {
                self.conservative = true;
                self.baseline = self.round_min;
                self.rounds = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays one round of 20 ACKs at one RTT; window ends are 20 bytes apart.
    fn round(h: &mut HyStart, n: u64, rtt_ms: u64) -> Step {
        let mut step = Step::SlowStart;
        for i in 1..=20 {
            step = h.on_ack(
                Some(Duration::from_ms(rtt_ms)),
                n * 20 + i,
                (n + 1) * 20 + i,
            );
        }
        step
    }

    #[test]
    fn rfc9406_4_2_threshold_is_an_eighth_of_the_round_trip_clamped() {
        // 120 ms: an eighth is 15 ms; 134 ms is not enough, 135 ms is. 580 ms: 16 ms is the most.
        for (base, below, above) in [(120, 134, 135), (580, 595, 596), (8, 11, 12)] {
            let mut h = HyStart::new(false);
            round(&mut h, 0, base);
            assert_eq!(round(&mut h, 1, below), Step::SlowStart);
            let mut h = HyStart::new(false);
            round(&mut h, 0, base);
            assert_eq!(round(&mut h, 1, above), Step::Conservative, "{base} ms");
        }
    }

    #[test]
    fn rfc9406_4_2_css_lasts_five_rounds_or_returns_when_the_round_trip_falls() {
        let mut h = HyStart::new(false);
        round(&mut h, 0, 120);
        let mut left = None;
        for n in 1..10 {
            if round_until_leave(&mut h, n, 140) {
                left = Some(n);
                break;
            }
        }
        assert_eq!(left, Some(6)); // rounds 1 to 5 were conservative
        let mut h = HyStart::new(false);
        round(&mut h, 0, 120);
        assert_eq!(round(&mut h, 1, 140), Step::Conservative);
        assert_eq!(round(&mut h, 2, 125), Step::SlowStart);
    }

    fn round_until_leave(h: &mut HyStart, n: u64, rtt_ms: u64) -> bool {
        (1..=20).any(|i| {
            h.on_ack(
                Some(Duration::from_ms(rtt_ms)),
                n * 20 + i,
                (n + 1) * 20 + i,
            ) == Step::Leave
        })
    }
}
