//! What a sender learns from its own host.

use farpath_units::Time;

use super::{Sender, State};
use crate::limit::Limit;

impl Sender {
    /// The host keeps back what could be sent at `now`: until the next call of `poll`, `limit` is
    /// what limits. It is [`Limit::Nic`], [`Limit::HostCpu`] or [`Limit::Disk`].
    ///
    /// A host that has been the limit for a whole window of data after a loss ends the loss's
    /// account: cwnd is no longer the limit and does not grow to what it was.
    pub fn held(&mut self, now: Time, limit: Limit) {
        self.note_limit(now, limit);
        if self.regain.is_infinite() || self.state != State::Open {
            return;
        }
        self.host_limited_to = self.host_limited_to.min(self.nxt);
        if self.una >= self.host_limited_to {
            self.regained(now);
        }
    }

    /// The host's own queue was full when a segment was to be sent; nothing is lost. cwnd falls as
    /// after a loss, at most once a window of data (Linux: a local drop puts the connection into
    /// CWR). Nothing happens when no new segment could be sent, or during recovery.
    ///
    /// Deviation from RFC 5681 §3.2: cwnd falls at once and not over a round trip; nothing has to
    /// be retransmitted meanwhile.
    pub fn congested(&mut self, now: Time) {
        let would_send = self.nxt + self.segment <= self.limit;
        if self.state == State::Open
            && would_send
            && self.una < self.nxt
            && self.una >= self.signalled_to
        {
            self.signalled_to = self.nxt;
            self.reduce(now, false);
            self.fall_to_ssthresh();
            self.refresh();
        }
    }
}
