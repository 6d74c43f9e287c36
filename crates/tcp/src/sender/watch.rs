//! What a congestion control that watches every acknowledgement is shown, and what it changes.

use farpath_units::{Duration, Time};

use super::{LEAST_SSTHRESH, Sender, State};
use crate::cc::Seen;

impl Sender {
    /// Shows the algorithm an ACK that delivered `delivered` bytes, and follows it.
    #[inline(never)]
    pub(super) fn watch(&mut self, now: Time, delivered: u64, rtt: Option<Duration>) {
        let steer = self.control.watch(&Seen {
            now,
            delivered,
            rtt,
            una: self.una,
            nxt: self.nxt,
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
            segment: self.segment as f64,
            open: self.state == State::Open,
            cwnd_limited: self.cwnd_limited,
        });
        if let Some(ssthresh) = steer.ssthresh {
            self.ssthresh = ssthresh.max(LEAST_SSTHRESH * self.segment as f64);
        }
        if let Some(cwnd) = steer.cwnd {
            self.cwnd = cwnd;
            if self.cwnd >= self.regain {
                self.regained(now);
            }
        }
    }
}
