//! What is asked of a stream from outside: whether it had a packet, and how long its window was closed.

use crate::ranges::unwrapped;
use crate::segment::{Segment, control};
use crate::stream::{Sent, Stream};

impl Stream {
    /// Whether this packet was seen; `long_ago` of one that may have been acknowledged since.
    pub(crate) fn has(&self, s: &Segment, long_ago: bool) -> bool {
        if s.length == 0 || !self.begun {
            return false;
        }
        let from = unwrapped(self.max, s.seq);
        let until = from + u64::from(s.length);
        if long_ago && until <= self.una {
            return true;
        }
        let stamp = s.stamps.map_or(0, |t| t.0);
        let is_same = |x: &Sent| {
            let telling = stamp != 0 || s.ip_id != 0;
            telling && (x.stamp, x.identification) == (stamp, s.ip_id)
        };
        self.first_sent(from, from + 1).is_some_and(is_same)
    }

    /// Whether more of this data was acknowledged than by this packet.
    pub(crate) fn has_acknowledged(&self, s: &Segment) -> bool {
        s.is(control::ACK) && self.begun && unwrapped(self.una, s.ack) < self.una
    }

    /// How long the receiver's window has been closed in all.
    #[inline]
    pub(crate) fn closed_for(&self, at: i64) -> i64 {
        let now = if self.closed { at - self.closed_at } else { 0 };
        self.closed_ns + now
    }
}
