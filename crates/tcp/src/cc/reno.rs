//! Reno: additive increase of one segment a round trip, halving at a loss (RFC 5681 §3.1, §3.2).

use super::{Ack, Control, Loss};

/// Reno in avoidance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reno {
    /// Bytes acknowledged and not turned into growth yet.
    credit: f64,
}

impl Control for Reno {
    /// A whole segment for every cwnd of bytes acknowledged (RFC 3465 §2.1, which RFC 5681 §3.1
    /// recommends over adding a fraction per ACK).
    #[inline]
    fn increase(&mut self, ack: &Ack) -> f64 {
        self.credit += ack.acked;
        if self.credit < ack.cwnd {
            return 0.0;
        }
        self.credit -= ack.cwnd;
        ack.segment
    }

    /// RFC 5681 equation (4).
    fn reduce(&mut self, loss: &Loss) -> f64 {
        self.credit = 0.0;
        loss.window * 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_units::Time;

    #[test]
    fn one_segment_a_round_trip_and_half_at_a_loss() {
        let mut reno = Reno::default();
        let mut cwnd = 100.0 * 1448.0;
        for _ in 0..50 {
            let ack = Ack {
                now: Time::ZERO,
                acked: 2896.0,
                cwnd,
                segment: 1448.0,
                per_byte: 1.0 / 1448.0,
                srtt_s: 0.1,
            };
            cwnd += reno.increase(&ack);
        }
        assert_eq!(cwnd, 101.0 * 1448.0);
        let loss = Loss {
            window: 28_960.0,
            segment: 1448.0,
        };
        assert_eq!(reno.reduce(&loss), 14_480.0);
    }
}
