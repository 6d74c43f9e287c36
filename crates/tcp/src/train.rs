//! HyStart as Linux's CUBIC has it (Ha and Rhee, "Taming the elephants: new TCP slow start", Computer
//! Networks 55(9), 2011): leave slow start when a train of ACKs is as long as the path, or when the
//! round trip grows.

use farpath_units::{Duration, Time};

use crate::arrival::{Arrival, Step};

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
    /// The smallest round trip since the timeout that it began with; none: the connection's counts.
    own_min: Option<Duration>,
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
            own_min: None,
        }
    }

    /// One that begins with a timeout, when `nxt` was the first byte not sent yet: its round goes on until all before that is
    /// acknowledged, and earlier round trips are forgotten (`cubictcp_state` of Linux).
    pub(crate) fn after_timeout(paced: bool, now: Time, nxt: u64) -> Train {
        Train {
            round_end: nxt,
            begun: now,
            last: now,
            own_min: Some(Duration::MAX),
            ..Train::new(paced)
        }
    }

    /// An ACK in slow start. One that measures no round trip is passed over (`cubictcp_acked` of Linux).
    pub(crate) fn on_ack(&mut self, ack: &Arrival) -> Step {
        let Some(rtt) = ack.rtt else {
            return Step::SlowStart;
        };
        let least = match &mut self.own_min {
            Some(own) => {
                *own = rtt.min(*own);
                *own
            }
            None => ack.rtt_min,
        };
        if ack.una > self.round_end {
            self.round_end = ack.nxt;
            (self.begun, self.last) = (ack.now, ack.now);
            self.round_min = Duration::MAX;
            self.samples = 0;
        }
        if ack.cwnd < LEAST_WINDOW || least == Duration::MAX {
            return Step::SlowStart;
        }
        let added = Duration::from_secs_f64((BURSTS / ack.rate).min(MOST_ADDED));
        let whole = (least + added).as_ps();
        let long = Duration::from_ps(whole / if self.paced { 1 } else { 2 });
        if ack.now.since(self.last) <= SPACING {
            self.last = ack.now;
            if ack.now.since(self.begun) > long {
                return Step::Leave;
            }
        }
        self.round_min = self.round_min.min(rtt);
        if self.samples < SAMPLES {
            self.samples += 1;
            return Step::SlowStart;
        }
        // The growth is clamped, not the round trip it is a part of.
        let eighth = Duration::from_ps(least.as_ps() / DIVISOR);
        let growth = eighth.clamp(LEAST_GROWTH, LARGEST_GROWTH);
        if self.round_min > least + growth {
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

    /// ACK `una` on a path of 20 ms; rounds are of 100 ACKs.
    fn arrival(ms: u64, una: u64, rtt_ms: Option<u64>) -> Arrival {
        Arrival {
            now: Time::ZERO + Duration::from_ms(ms),
            rtt: rtt_ms.map(Duration::from_ms),
            rtt_min: Duration::from_ms(20),
            una,
            nxt: una.next_multiple_of(100),
            cwnd: 100.0,
            rate: 1e6,
        }
    }

    /// They were part of a train, and began rounds.
    #[test]
    fn an_ack_that_measures_nothing_is_passed_over() {
        let mut train = Train::new(false);
        let mut step = |n: u64, rtt_ms| train.on_ack(&arrival(n, n, rtt_ms));
        assert_eq!(step(1, Some(20)), Step::SlowStart);
        assert!((2..=30).all(|n| step(n, None) == Step::SlowStart));
        // 30 ms after the last of the train.
        assert_eq!(step(31, Some(20)), Step::SlowStart);
        // A round that began with the 101st would have left out the samples before.
        assert_eq!(step(101, None), Step::SlowStart);
        assert_eq!(train.samples, 2);
    }

    /// A queue of 180 ms stands when the timeout comes: it is the path's, as in the kernel, and grows by 16 ms in a later round.
    #[test]
    fn after_a_timeout_the_round_and_the_round_trip_are_new() {
        let mut train = Train::after_timeout(false, Time::ZERO, 50);
        let mut step = |n: u64| {
            let rtt_ms = if n <= 100 { 200 } else { 230 };
            // The first answers come a round trip later, as one train.
            train.on_ack(&arrival(200 + n, n, Some(rtt_ms)))
        };
        let left = (1..=120).find(|n| step(*n) == Step::Leave);
        assert_eq!(left, Some(109));
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
