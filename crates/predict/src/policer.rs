//! A token bucket that drops.

use crate::paced::burst_bytes;

/// The bucket, and how fast frames come to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policer {
    /// The rate at which it fills, bit/s; above 0.
    pub rate_bps: f64,
    /// What it holds, bytes.
    pub burst_bytes: f64,
    /// The rate at which segments of one burst arrive, bit/s; above 0.
    pub arrival_bps: f64,
}

/// How much faster than its window over the round trip a sender paces in congestion avoidance (Linux, `tcp_pacing_ca_ratio`).
pub(crate) const PACED: f64 = 1.2;

/// What becomes of the bucket while frames are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dropping {
    /// A dropped frame takes nothing: what comes in lets the next ones pass.
    #[default]
    Frames,
    /// Cells are dropped one by one (GCRA, ITU-T I.371): those of frames that have lost one already take what comes in, so
    /// that nothing of a clump passes once the bucket is empty.
    Cells,
}

impl Dropping {
    /// How much passes of `offered` that takes `seconds` to come, and what is left then, of a bucket that holds `tokens` and
    /// fills with `rate` a second; all in one unit.
    pub fn pass(self, offered: f64, tokens: f64, rate: f64, seconds: f64) -> (f64, f64) {
        let filled = tokens + rate * seconds;
        if offered <= filled {
            return (offered, filled - offered);
        }
        match self {
            Dropping::Frames => (libm::fmax(filled, 0.0), 0.0),
            Dropping::Cells => {
                // n ≤ b + rT·n/offered; whole frames alone count.
                let while_they_come = 1.0 - rate * seconds / offered;
                (libm::floor(libm::fmax(tokens, 0.0) / while_they_come), 0.0)
            }
        }
    }
}

/// What `streams` that start apart have together of the `all` that a policer's rate leaves, where one of them by itself has `alone`;
/// all in one unit. They take tokens from one another: n s / (1 + (n − 1) s) of it, s = alone/all, which is s for one and near 1
/// for many. How it fits what was simulated: docs/models/predict.md, policers.
pub fn apart(alone: f64, streams: f64, all: f64) -> f64 {
    if all <= 0.0 {
        return 0.0;
    }
    let share = libm::fmin(alone / all, 1.0);
    all * streams * share / (1.0 + (streams - 1.0) * share)
}

/// The same of streams that start at once, whose clumps come to the bucket one upon the other, round trip by round trip: of what they
/// have apart the largest of √(alone/apart), a half, and what that is of the whole. Fitted, as the other.
pub fn at_once(alone: f64, streams: f64, all: f64) -> f64 {
    let apart = apart(alone, streams, all);
    if apart <= 0.0 {
        return 0.0;
    }
    let of_few = libm::sqrt(libm::fmin(alone, all) / apart);
    apart * libm::fmax(libm::fmax(of_few, 0.5), apart / all)
}

impl Policer {
    /// Whether it drops nothing: frames of `frame_bytes` fit it and come no faster than it fills. Both are in bytes as it
    /// counts them, so a line's preambles, FCS and gaps leave its own rate more than enough.
    pub fn passes_all(self, frame_bytes: f64) -> bool {
        self.burst_bytes >= frame_bytes && self.arrival_bps <= self.rate_bps
    }

    /// The longest clump of segments that passes: W ≤ b + rW/C, so b/(1 − r/C). Infinite where
    /// they come no faster than the bucket fills.
    pub fn clump_bytes(self) -> f64 {
        let left = 1.0 - self.rate_bps / self.arrival_bps;
        if left <= 0.0 {
            return f64::INFINITY;
        }
        self.burst_bytes / left
    }

    /// Whether it takes part of each burst of a sender that paces at its rate over a round trip of `rtt_s` ([`burst_bytes`]).
    pub fn cuts_paced(self, segment_bytes: f64, rtt_s: f64) -> bool {
        self.clump_bytes() < burst_bytes(self.rate_bps / 8.0, segment_bytes, rtt_s)
    }

    /// The largest window that passes whole of a sender that spreads it over a round trip of `rtt_s`, at 1.2 times its rate: it comes
    /// in RTT/1.2, in which the bucket gives b + r·RTT/1.2. No more passes than what fills it in a round trip.
    pub fn paced_window(self, rtt_s: f64) -> f64 {
        let pipe = self.rate_bps * rtt_s / 8.0;
        libm::fmin(self.burst_bytes + pipe / PACED, pipe)
    }

    /// What passes of a stream of `offered_bps` in `seconds` that begin with a full bucket, as a
    /// mean rate, bit/s.
    pub fn stream_bps(self, offered_bps: f64, seconds: f64) -> f64 {
        let burst = if seconds > 0.0 {
            self.burst_bytes * 8.0 / seconds
        } else {
            0.0
        };
        libm::fmin(offered_bps, self.rate_bps + burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIGABIT: Policer = Policer {
        rate_bps: 1e9,
        burst_bytes: 62_500.0,
        arrival_bps: 10e9,
    };

    #[test]
    fn a_clump_passes_with_what_comes_in_meanwhile() {
        // 69 444 bytes take 55.6 us at 10 Gbit/s, in which 6944 bytes come into the bucket.
        assert!((GIGABIT.clump_bytes() - 69_444.4).abs() < 0.1);
        let slow = Policer {
            arrival_bps: 1e9,
            ..GIGABIT
        };
        assert_eq!(slow.clump_bytes(), f64::INFINITY);
    }

    /// 15 MB fill it in 120 ms, 12.5 MB in a sixth less.
    #[test]
    fn a_paced_window_passes_with_the_burst_and_what_comes_meanwhile() {
        assert!((GIGABIT.paced_window(0.12) - 12_562_500.0).abs() < 1.0);
        let deep = Policer {
            burst_bytes: 1e9,
            ..GIGABIT
        };
        assert_eq!(deep.paced_window(0.12), 15e6);
    }

    #[test]
    fn a_stream_passes_at_the_rate_and_once_with_the_burst() {
        assert_eq!(GIGABIT.stream_bps(0.5e9, 10.0), 0.5e9);
        assert_eq!(GIGABIT.stream_bps(2e9, 1.0), 1e9 + 500_000.0);
    }
}
