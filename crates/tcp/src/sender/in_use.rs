//! The window in use: the most in flight, in this window of data and in the one before, and whether that is all of cwnd.

use super::{Sender, State};
use crate::Flavour;

/// What was in flight, in bytes.
///
/// Where acknowledgements are lost with the data, as while a link is down, the next one covers nearly all, and little is in flight
/// when the loss is seen: less than the window that was in use.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InUse {
    /// The most of this window of data.
    now: u64,
    /// The most of the window of data before.
    before: u64,
    /// This window of data ends when this byte is acknowledged.
    until: u64,
}

impl InUse {
    /// From `una` up to `nxt` is in flight, and no more can be sent for the moment.
    #[inline]
    pub(super) fn note(&mut self, una: u64, nxt: u64) {
        if una >= self.until {
            *self = InUse {
                now: 0,
                before: self.now,
                until: nxt,
            };
        }
        self.now = self.now.max(nxt - una);
    }

    /// The most in both windows of data.
    pub(super) fn most(self) -> u64 {
        self.now.max(self.before)
    }
}

impl Sender {
    /// Whether what is in flight takes all of cwnd, so that no other segment would fit, whether or not one waits.
    ///
    /// By Linux's rules such a flight is limited by cwnd (`tcp_write_xmit`, Linux 6.18). A part of a segment counts as one.
    #[inline]
    pub(super) fn fills_cwnd(&self) -> bool {
        if self.flavour == Flavour::Rfc || self.state != State::Open {
            return false;
        }
        let segment = self.segment as f64;
        let whole = (self.cwnd / segment).floor().max(1.0);
        self.in_flight() as f64 > (whole - 1.0) * segment
    }

    /// Whether slow start waits until more of cwnd is used: it is twice what has been in flight (RFC 7661 in Linux's reading). By
    /// Linux's rules it does not wait where cwnd was the limit.
    #[inline]
    pub(super) fn is_half_used(&self) -> bool {
        let limited = self.cwnd_limited && self.flavour == Flavour::Linux;
        !limited && self.cwnd >= 2.0 * self.flight_peak as f64
    }
}
