//! A sender that paces in front of a policer: its window climbs until the bucket is empty, and after the cut the bucket fills again.

use crate::climb::Climb;
use crate::policer::{PACED, Policer};

/// Climbs that are followed, and after how many of them one is like the next.
const CLIMBS: u32 = 12;
const SETTLED: u32 = 4;
/// Round trips after which that is given up.
const ROUNDS_MOST: u32 = 1_000_000;
/// Segments of the smallest window that is followed.
const LEAST: f64 = 2.0;

/// The mean window, in segments of `counted_bytes` as the policer counts them, of a sender that grows and is cut as `climb` says, whose
/// `top` counts for nothing. Each round trip comes in RTT/1.2; what is above the policer's rate empties the bucket, and a window
/// that it does not hold loses. No more than the rate. `None` where the algorithm has no climb, or a climb lasts too long.
pub fn mean_window(policer: Policer, counted_bytes: f64, climb: Climb) -> Option<f64> {
    let pipe = policer.rate_bps * climb.rtt_s / 8.0 / counted_bytes;
    let bucket = policer.burst_bytes / counted_bytes;
    let meanwhile = pipe / PACED;
    let mut climb = Climb {
        top: (bucket + meanwhile).min(pipe).max(LEAST),
        ..climb
    };
    let (mut tokens, mut walked) = (bucket, 0);
    let (mut sum, mut rounds) = (0.0, 0.0);
    for cycle in 0..CLIMBS {
        let (mut window, mut round) = (climb.start()?, 0);
        while window <= tokens + meanwhile {
            tokens = (tokens + pipe - window).min(bucket);
            if cycle >= SETTLED {
                sum += window;
                rounds += 1.0;
            }
            if tokens < 0.0 {
                break;
            }
            if walked >= ROUNDS_MOST {
                return None;
            }
            window = climb.next(window, round);
            round += 1;
            walked += 1;
        }
        tokens = tokens.max(0.0);
        climb.top = window.max(LEAST);
    }
    (rounds > 0.0).then(|| (sum / rounds).min(pipe))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::{Cc, Rules};
    use crate::htcp::Growth;

    /// Payload in Mbit/s of one connection that paces, of segments of 1448 bytes that a policer counts as 1514.
    fn mbps(cc: Cc, rate_mbps: f64, rtt_s: f64, burst_bytes: f64) -> f64 {
        let policer = Policer {
            rate_bps: rate_mbps * 1e6,
            burst_bytes,
            arrival_bps: 1e9,
        };
        let climb = Climb {
            cc,
            top: 0.0,
            rtt_s,
            segments_per_ack: 1.0,
            htcp: Growth::PAPER,
            rules: Rules::Document,
        };
        let window = mean_window(policer, 1514.0, climb).expect("a climb");
        window * 1448.0 * 8.0 / rtt_s / 1e6
    }

    /// Simulated with `pacing = true`, 60 s from 10 s on.
    #[test]
    fn a_deeper_bucket_leaves_a_sender_that_paces_more() {
        for (cc, rate, rtt_ms, kilobytes, simulated) in [
            (Cc::Reno, 20.0, 40.0, 15.0, 14.66),
            (Cc::Reno, 20.0, 40.0, 50.0, 15.64),
            (Cc::Reno, 20.0, 40.0, 300.0, 18.15),
            (Cc::Reno, 5.0, 40.0, 50.0, 4.71),
            (Cc::Reno, 50.0, 40.0, 300.0, 39.63),
            (Cc::Reno, 20.0, 150.0, 100.0, 14.87),
            (Cc::Cubic, 20.0, 40.0, 15.0, 16.67),
            (Cc::Cubic, 20.0, 40.0, 100.0, 18.31),
            (Cc::Cubic, 20.0, 10.0, 50.0, 19.04),
            (Cc::Cubic, 50.0, 40.0, 300.0, 43.73),
            (Cc::Cubic, 20.0, 150.0, 300.0, 18.36),
        ] {
            let found = mbps(cc, rate, rtt_ms / 1e3, kilobytes * 1e3);
            let what = format!("{cc} {rate} Mbit/s {rtt_ms} ms {kilobytes} kB: {found}");
            assert!((found / simulated - 1.0).abs() < 0.05, "{what}");
        }
    }

    #[test]
    fn no_more_passes_than_the_rate() {
        let most = 20.0 * 1448.0 / 1514.0;
        let found = mbps(Cc::Reno, 20.0, 0.01, 1e6);
        assert!(found > 0.98 * most && found < most * 1.0001, "{found}");
        let bbr = Climb {
            cc: Cc::Bbr,
            top: 0.0,
            rtt_s: 0.01,
            segments_per_ack: 1.0,
            htcp: Growth::PAPER,
            rules: Rules::Document,
        };
        let policer = Policer {
            rate_bps: 20e6,
            burst_bytes: 1e5,
            arrival_bps: 1e9,
        };
        assert_eq!(mean_window(policer, 1514.0, bbr), None);
    }
}
