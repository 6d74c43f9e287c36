//! Slow start in rounds: how long until the window is full, and what the filling costs.
//!
//! A rounds model: each round lasts one RTT and multiplies the window by 1 + 1/b, with b segments
//! for each ACK. It counts neither the handshake, nor the delayed-ACK timer, nor the way home of
//! the last ACK, and nothing is lost; a packet-level run differs by a few tenths of an RTT.

use farpath_units::{Duration, Rate, Size};

use crate::answer::{Answer, answer};
use crate::window::seconds;

/// Where the idea of counting what slow start wastes comes from.
pub(crate) const METHOD: &str = "LBNL, TCP over an OC-12 ATM WAN (method)";

/// How a sender's window grows from its first round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowStart {
    /// Window that fills the path, in segments; above 0.
    pub full: f64,
    /// Initial window in segments; above 0. RFC 6928 gives 10.
    pub initial: f64,
    /// Segments for each ACK: 1, or 2 with delayed ACKs (RFC 5681 §4.2); above 0.
    pub segments_per_ack: f64,
}

/// What slow start costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Rounds until the window is at least full: the smallest n with IW·(1 + 1/b)ⁿ ≥ W.
    pub rounds: u32,
    /// Round trips' worth of a full window that were not sent: Σ (1 − wₖ/W).
    pub wasted_rtts: f64,
    /// Segments sent in those rounds.
    pub sent: f64,
}

impl SlowStart {
    fn growth(&self) -> f64 {
        1.0 + 1.0 / self.segments_per_ack
    }

    /// The window that overflows a queue of `queue` segments: of a window w that grew by g in a round, w (1 − 1/g) waits,
    /// as long as its segments come one behind the other and are not paced.
    pub fn overflowing(&self, queue: f64) -> f64 {
        queue / (1.0 - 1.0 / self.growth())
    }

    /// Rounds, waste and segments sent until the window is full.
    pub fn cost(&self) -> Cost {
        let mut cost = Cost {
            rounds: 0,
            wasted_rtts: 0.0,
            sent: 0.0,
        };
        let mut window = self.initial;
        // Growth is exponential, so even 2^64 segments take 110 rounds; the bound is for a
        // segments_per_ack so large that nothing grows.
        while window < self.full && cost.rounds < 100_000 {
            cost.rounds += 1;
            cost.wasted_rtts += 1.0 - window / self.full;
            cost.sent += window;
            window *= self.growth();
        }
        cost
    }

    /// Seconds from the first segment sent to the last one of `size`, when a full window carries
    /// `goodput` in one `rtt`.
    pub fn transfer_s(&self, size: Size, mss: Size, goodput: Rate, rtt: Duration) -> f64 {
        let segments = size.as_bytes() as f64 / mss.as_bytes() as f64;
        let segment_s = mss.as_bytes() as f64 * 8.0 / goodput.as_bps() as f64;
        let mut window = self.initial;
        let mut sent = 0.0;
        let mut rounds = 0_u32;
        while window < self.full && sent + window < segments && rounds < 100_000 {
            sent += window;
            rounds += 1;
            window *= self.growth();
        }
        f64::from(rounds) * seconds(rtt) + (segments - sent) * segment_s
    }

    /// [`SlowStart::transfer_s`] with its grounds: `transfer_s`.
    pub fn transfer_answer(&self, size: Size, mss: Size, goodput: Rate, rtt: Duration) -> Answer {
        let time = self.transfer_s(size, mss, goodput, rtt);
        let ideal = size.as_bytes() as f64 * 8.0 / goodput.as_bps() as f64;
        let lost = if time > 0.0 {
            (1.0 - ideal / time) * 100.0
        } else {
            0.0
        };
        answer("transfer_s", time, "s")
            .by("8 S / C + RTT × Σ (1 − w_k / W) over the rounds", METHOD)
            .note(format!("{lost:.2} % of it lost to slow start."))
            .holds(
                "first to last segment sent, no loss; the handshake and the last ACK come on top",
            )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every acknowledgement lets two segments go while one leaves the queue: half of the window waits.
    #[test]
    fn half_of_a_doubled_window_waits() {
        let of = |segments_per_ack| SlowStart {
            full: 1e4,
            initial: 10.0,
            segments_per_ack,
        };
        assert_eq!(of(1.0).overflowing(169.0), 338.0);
        assert!((of(2.0).overflowing(169.0) - 507.0).abs() < 1e-9);
    }
}
