//! The window that is offered, and the application that reads.

use farpath_units::Time;

use super::Receiver;

impl Receiver {
    /// The window to advertise. RFC 9293 §3.8.6.2.2: its edge stays until a segment or half the
    /// buffer more is free, so that no silly windows are offered.
    #[inline]
    pub(super) fn offer(&mut self) -> u64 {
        let Some(slow) = &mut self.slow else {
            return self.window;
        };
        let edge = slow.read + self.window;
        if edge.saturating_sub(slow.edge) >= self.segment.min(self.window / 2) {
            slow.edge = edge;
        }
        slow.edge - self.next
    }

    /// The application reads `bytes` of what is in order, or all there is. Returns how many it got,
    /// and makes a window update due when that opens the window by two segments or half the buffer
    /// (RFC 1122 §4.2.3.3; Linux's rule). Only with [`crate::Reading::Told`].
    pub fn on_read(&mut self, _now: Time, bytes: u64) -> u64 {
        let unread = self.unread();
        let (next, window, segment) = (self.next, self.window, self.segment);
        let Some(slow) = self.slow.as_mut().filter(|_| next != u64::MAX) else {
            return 0;
        };
        let read = bytes.min(unread);
        slow.read += read;
        let more = (slow.read + window).saturating_sub(slow.edge);
        // An edge that was reached stopped the sender: any segment more must be said.
        let wanted = if slow.edge - next < segment {
            segment.min(window / 2)
        } else {
            (2 * segment).min(window / 2)
        };
        self.due |= read > 0 && more >= wanted;
        read
    }

    /// In-order bytes that the application has not read; 0 when it reads at once.
    pub fn unread(&self) -> u64 {
        self.slow.map_or(0, |slow| self.delivered() - slow.read)
    }
}
