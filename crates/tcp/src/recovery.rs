//! How much may be sent during fast recovery: proportional rate reduction (RFC 9937 §6) and what
//! came before it.

use crate::Reduction;

/// The state of one recovery episode. All amounts are bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prr {
    how: Reduction,
    /// Delivered since the episode began.
    delivered: u64,
    /// Sent since the episode began, retransmissions included.
    out: u64,
    /// `RecoverFS`: what was in flight when it began.
    flight: u64,
    ssthresh: u64,
    segment: u64,
}

impl Prr {
    /// A new episode. `flight` is RFC 9937's `RecoverFS`.
    pub(crate) fn new(how: Reduction, flight: u64, ssthresh: u64, segment: u64) -> Prr {
        Prr {
            how,
            delivered: 0,
            out: 0,
            flight: flight.max(1),
            ssthresh,
            segment,
        }
    }

    pub(crate) fn on_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }

    /// What may have been sent so far: ⌈delivered · ssthresh / flight⌉, in whole segments.
    fn share(&self) -> u64 {
        let step = self.flight.saturating_mul(self.segment);
        // 64 bits hold the product of two windows of 4 GB; 128-bit division is ten times slower.
        let segments = match self.delivered.checked_mul(self.ssthresh) {
            Some(product) => product.div_ceil(step),
            None => (u128::from(self.delivered) * u128::from(self.ssthresh))
                .div_ceil(u128::from(step)) as u64,
        };
        segments.saturating_mul(self.segment)
    }

    /// The congestion window in bytes after an ACK that delivered `delivered` bytes and left `pipe`
    /// in flight; `None` leaves it as it is. `safe` is RFC 9937's SafeACK: the cumulative
    /// acknowledgement moved and no further loss shows.
    ///
    /// Deviation from RFC 9937 §6: the proportional share is rounded up to whole segments, not
    /// bytes, because only whole segments are sent; this is the cadence of the RFC's own examples.
    pub(crate) fn on_ack(&mut self, delivered: u64, pipe: u64, safe: bool) -> Option<u64> {
        if delivered == 0 {
            return None;
        }
        self.delivered += delivered;
        let mut send = match self.how {
            Reduction::AtOnce => self.ssthresh.saturating_sub(pipe),
            Reduction::RateHalving if pipe >= self.ssthresh => self.half().saturating_sub(self.out),
            Reduction::RateHalving => self.segment.min(self.ssthresh - pipe),
            _ if pipe > self.ssthresh => self.share().saturating_sub(self.out),
            how => self
                .catch_up(how, delivered, safe)
                .min(self.ssthresh - pipe),
        };
        if self.out == 0 {
            send = send.max(self.segment);
        }
        Some(pipe + send)
    }

    /// Rate halving: what may have been sent so far, one segment for every two delivered.
    fn half(&self) -> u64 {
        (self.delivered / 2).div_ceil(self.segment) * self.segment
    }

    /// How fast a window that fell below ssthresh is filled again.
    fn catch_up(&self, how: Reduction, delivered: u64, safe: bool) -> u64 {
        let conserved = self.delivered.saturating_sub(self.out);
        match how {
            Reduction::PrrConservative => conserved,
            Reduction::PrrSlowStart => conserved.max(delivered) + self.segment,
            _ if safe => conserved.max(delivered) + self.segment,
            _ => conserved.max(delivered),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_window_is_sent_evenly_over_the_recovery() {
        // 20 segments in flight, ssthresh 10, segment 1: one out for every two delivered.
        let mut prr = Prr::new(Reduction::Prr, 20, 10, 1);
        let mut sent = String::new();
        let mut pipe = 18;
        for _ in 0..12 {
            let cwnd = prr.on_ack(1, pipe, false).expect("something was delivered");
            if cwnd > pipe {
                prr.on_sent(cwnd - pipe);
                sent.push('S');
            } else {
                sent.push('-');
            }
            pipe = cwnd - 1;
        }
        assert_eq!(sent, "S-S-S-S-S-S-");
    }

    #[test]
    fn below_ssthresh_it_catches_up_by_slow_start_only_while_acks_are_safe() {
        let mut prr = Prr::new(Reduction::Prr, 20, 10, 1);
        assert_eq!(prr.on_ack(1, 4, false), Some(5));
        prr.on_sent(1);
        assert_eq!(prr.on_ack(1, 4, true), Some(6));
        prr.on_sent(2);
        assert_eq!(prr.on_ack(1, 9, true), Some(10));
        assert_eq!(prr.on_ack(0, 9, true), None);
    }

    #[test]
    fn the_first_retransmission_is_never_held_back() {
        let mut prr = Prr::new(Reduction::Prr, 100, 10, 1);
        assert_eq!(prr.on_ack(1, 10, false), Some(11));
    }
}
