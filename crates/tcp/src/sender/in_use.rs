//! The window in use: the most in flight, in this window of data and in the one before.

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
