//! Reno: additive increase of one segment a round trip, halving at a loss (RFC 5681 §3.1, §3.2).

use super::{Ack, Control, Loss};

/// Reno has no state of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reno;

impl Control for Reno {
    /// RFC 5681 equation (3), by bytes acknowledged.
    #[inline]
    fn increase(&mut self, ack: &Ack) -> f64 {
        ack.segment * ack.acked / ack.cwnd
    }

    /// RFC 5681 equation (4).
    fn reduce(&mut self, loss: &Loss) -> f64 {
        loss.flight * 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_units::Time;

    #[test]
    fn one_segment_a_round_trip_and_half_at_a_loss() {
        let mut cwnd = 100.0 * 1448.0;
        for _ in 0..50 {
            let ack = Ack {
                now: Time::ZERO,
                acked: 2896.0,
                cwnd,
                segment: 1448.0,
                srtt_s: 0.1,
            };
            cwnd += Reno.increase(&ack);
        }
        assert!((cwnd / 1448.0 - 101.0).abs() < 0.01);
        let loss = Loss {
            cwnd: 29_000.0,
            flight: 28_960.0,
            segment: 1448.0,
        };
        assert_eq!(Reno.reduce(&loss), 14_480.0);
    }
}
