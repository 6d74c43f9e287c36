//! HyStart as Linux's CUBIC has it (Ha and Rhee, "Taming the elephants: new TCP slow start", Computer
//! Networks 55(9), 2011): leave slow start when a train of ACKs is as long as the path, or when the
//! round trip grows.

use farpath_units::{Duration, Time};

use crate::slow_start::{Arrival, Step};

/// In segments: a smaller window is let alone.
const LEAST_WINDOW: f64 = 16.0;
/// ACKs closer than this belong to one train.
const SPACING: Duration = Duration::from_ms(2);
/// Samples of a round before its smallest is believed: the next one decides.
const SAMPLES: u32 = 8;
/// What pacing may add to a train: the time of four such bursts, a millisecond at most.
const BURSTS: f64 = 4.0 * 65_536.0;
const MOST_ADDED: f64 = 1e-3;
/// The round trip has grown when it exceeds the smallest by an eighth of that, within these bounds.
const DIVISOR: u64 = 8;
const LEAST_GROWTH: Duration = Duration::from_ms(4);
const LARGEST_GROWTH: Duration = Duration::from_ms(16);

/// One round of slow start.
#[derive(Clone, Debug)]
pub(crate) struct Train {
    /// A paced sender's ACKs come evenly, so that its train must be a whole round trip long.
    paced: bool,
    round_end: u64,
    begun: Time,
    last: Time,
    round_min: Duration,
    samples: u32,
}

impl Train {
    pub(crate) fn new(paced: bool) -> Train {
        Train {
            paced,
            round_end: 0,
            begun: Time::ZERO,
            last: Time::ZERO,
            round_min: Duration::MAX,
            samples: 0,
        }
    }

    /// An ACK in slow start.
    pub(crate) fn on_ack(&mut self, ack: &Arrival) -> Step {
        if ack.una > self.round_end {
            self.round_end = ack.nxt;
            (self.begun, self.last) = (ack.now, ack.now);
            self.round_min = Duration::MAX;
            self.samples = 0;
        }
        if ack.cwnd < LEAST_WINDOW || ack.rtt_min == Duration::MAX {
            return Step::SlowStart;
        }
        let added = Duration::from_secs_f64((BURSTS / ack.rate).min(MOST_ADDED));
        let whole = (ack.rtt_min + added).as_ps();
        let long = Duration::from_ps(whole / if self.paced { 1 } else { 2 });
        if ack.now.since(self.last) <= SPACING {
            self.last = ack.now;
            if ack.now.since(self.begun) > long {
                return Step::Leave;
            }
        }
        let Some(rtt) = ack.rtt else {
            return Step::SlowStart;
        };
        self.round_min = self.round_min.min(rtt);
        if self.samples < SAMPLES {
            self.samples += 1;
            return Step::SlowStart;
        }
        // The growth is clamped, not the round trip it is a part of.
        let eighth = Duration::from_ps(ack.rtt_min.as_ps() / DIVISOR);
        let growth = eighth.clamp(LEAST_GROWTH, LARGEST_GROWTH);
        if self.round_min > ack.rtt_min + growth {
            return Step::Leave;
        }
        Step::SlowStart
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round of 20 ACKs, `gap` apart, of `rtt_ms` on a path of `base_ms`; when slow start ended.
    fn round(paced: bool, gap: Duration, base_ms: u64, rtt_ms: u64) -> Option<u64> {
        let mut train = Train::new(paced);
        (1..=20).find(|n| {
            let step = train.on_ack(&Arrival {
                now: Time::ZERO + gap.times(*n),
                rtt: Some(Duration::from_ms(rtt_ms)),
                rtt_min: Duration::from_ms(base_ms),
                una: *n,
                nxt: 100,
                cwnd: 100.0,
                rate: 1e6,
            });
            step == Step::Leave
        })
    }

    /// 120 ms: an eighth is 15 ms. A clamp of the round trip itself would have asked for a doubling.
    #[test]
    fn the_round_trip_must_grow_by_an_eighth_within_4_and_16_ms() {
        let apart = Duration::from_ms(3);
        for (base, longest) in [(120, 135), (580, 596), (8, 12)] {
            assert_eq!(round(false, apart, base, longest), None, "{base} ms");
            assert_eq!(round(false, apart, base, longest + 1), Some(9), "{base} ms");
        }
    }

    #[test]
    fn a_train_as_long_as_the_path_ends_slow_start() {
        // ACKs 2 ms apart on 20 ms: unpaced, half of 21: the seventh ACK is 12 ms after the first.
        assert_eq!(round(false, Duration::from_ms(2), 20, 20), Some(7));
        assert_eq!(round(true, Duration::from_ms(2), 20, 20), Some(12));
        assert_eq!(round(false, Duration::from_us(2001), 20, 20), None);
    }

    #[test]
    fn a_small_window_is_let_alone() {
        let mut train = Train::new(false);
        for n in 1..20 {
            let step = train.on_ack(&Arrival {
                now: Time::from_ps(n),
                rtt: Some(Duration::from_ms(500)),
                rtt_min: Duration::from_ms(100),
                una: n,
                nxt: 100,
                cwnd: 15.0,
                rate: 1e6,
            });
            assert_eq!(step, Step::SlowStart);
        }
    }
}
