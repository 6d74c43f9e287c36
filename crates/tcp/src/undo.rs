//! Taking a reduction back (RFC 3708, RFC 4015): what was before it, and whether every
//! retransmission since turned out to be a duplicate.

use crate::SackBlock;

/// What a reduction would be taken back to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Undo {
    /// cwnd and ssthresh in bytes before the reduction; `None`: nothing to take back.
    prior: Option<(f64, f64)>,
    /// The first byte that was not acknowledged then: repairs are above it.
    from: u64,
    /// Bytes sent again since and not reported as duplicates.
    unexplained: u64,
    /// Whether anything was sent again since.
    resent: bool,
}

impl Undo {
    /// The window is about to be reduced, and everything below `una` is acknowledged.
    pub(crate) fn begin(&mut self, una: u64, cwnd: f64, ssthresh: f64) {
        *self = Undo {
            prior: Some((cwnd, ssthresh)),
            from: una,
            unexplained: 0,
            resent: false,
        };
    }

    pub(crate) fn on_resent(&mut self, bytes: u64) {
        self.unexplained += bytes;
        self.resent = true;
    }

    /// A D-SACK reported `twice` as received twice. Whether that explains every retransmission. What ends at or below the first
    /// byte that was repaired says nothing of it.
    pub(crate) fn on_duplicate(&mut self, twice: SackBlock) -> bool {
        if twice.end <= self.from {
            return false;
        }
        let bytes = twice.end.saturating_sub(twice.start);
        self.unexplained = self.unexplained.saturating_sub(bytes);
        self.prior.is_some() && self.resent && self.unexplained == 0
    }

    /// Whether there is a reduction to take back.
    pub(crate) fn is_open(&self) -> bool {
        self.prior.is_some()
    }

    /// cwnd and ssthresh before the reduction, if there is one to take back; there is none after.
    pub(crate) fn take(&mut self) -> Option<(f64, f64)> {
        self.prior.take()
    }

    /// The reduction stands.
    pub(crate) fn give_up(&mut self) {
        self.prior = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_retransmission_must_be_explained() {
        let block = |start: u64| SackBlock {
            start,
            end: start + 1000,
        };
        let mut undo = Undo::default();
        assert!(!undo.on_duplicate(block(0)), "nothing was reduced");
        undo.begin(5000, 20_000.0, f64::INFINITY);
        assert!(!undo.on_duplicate(block(5000)), "nothing was sent again");
        undo.on_resent(1000);
        undo.on_resent(1000);
        assert!(!undo.on_duplicate(block(4000)), "before the repairs");
        assert!(!undo.on_duplicate(block(5000)));
        assert!(undo.on_duplicate(block(6000)));
        assert_eq!(undo.take(), Some((20_000.0, f64::INFINITY)));
        assert_eq!(undo.take(), None);
    }
}
