//! Reno: additive increase of one segment a round trip, halving at a loss (RFC 5681 §3.1, §3.2).

use super::{Ack, Control, Loss, Setup};

/// Reno in avoidance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reno {
    /// Bytes acknowledged and not turned into growth yet.
    credit: f64,
}

impl Control for Reno {
    fn new(_setup: &Setup) -> Reno {
        Reno::default()
    }

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
    use crate::cc::tests::{ack, loss};

    #[test]
    fn one_segment_a_round_trip_and_half_at_a_loss() {
        let mut reno = Reno::default();
        let mut cwnd = 100.0;
        for _ in 0..50 {
            cwnd += reno.increase(&ack(cwnd, 2.0));
        }
        assert_eq!(cwnd, 101.0);
        assert_eq!(reno.reduce(&loss(20.0)), 10.0);
    }

    /// RFC 3649 table 1: round trips between losses are W·2/3 for a mean window W = 3/4 of the
    /// largest: 1500-byte packets, 100 ms; rate in Mbit/s, mean window, round trips.
    #[test]
    fn rfc3649_table_1_round_trips_between_losses() {
        for (mean, rounds) in [(8.3, 5.5), (83.3, 55.5), (833.3, 555.5), (8333.3, 5555.5)] {
            let mut reno = Reno::default();
            let peak = mean * 4.0 / 3.0;
            let mut cwnd = reno.reduce(&loss(peak));
            let mut taken = 0.0;
            while cwnd < peak {
                cwnd += reno.increase(&ack(cwnd, cwnd));
                taken += 1.0;
            }
            assert!(
                (0.0..=1.0).contains(&(taken - rounds)),
                "{mean}: {taken} for {rounds}"
            );
        }
    }
}
