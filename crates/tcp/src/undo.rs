//! Taking a reduction back (RFC 3708, RFC 4015): what was before it, and whether every
//! retransmission since turned out to be a duplicate.

/// What a reduction would be taken back to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Undo {
    /// cwnd and ssthresh in bytes before the reduction; `None`: nothing to take back.
    prior: Option<(f64, f64)>,
    /// Bytes sent again since and not reported as duplicates.
    unexplained: u64,
    /// Whether anything was sent again since.
    resent: bool,
}

impl Undo {
    /// The window is about to be reduced.
    pub(crate) fn begin(&mut self, cwnd: f64, ssthresh: f64) {
        *self = Undo {
            prior: Some((cwnd, ssthresh)),
            unexplained: 0,
            resent: false,
        };
    }

    pub(crate) fn on_resent(&mut self, bytes: u64) {
        self.unexplained += bytes;
        self.resent = true;
    }

    /// A D-SACK reported `bytes` as received twice. Whether that explains every retransmission.
    pub(crate) fn on_duplicate(&mut self, bytes: u64) -> bool {
        self.unexplained = self.unexplained.saturating_sub(bytes);
        self.prior.is_some() && self.resent && self.unexplained == 0
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
        let mut undo = Undo::default();
        assert!(!undo.on_duplicate(1000), "nothing was reduced");
        undo.begin(20_000.0, f64::INFINITY);
        assert!(!undo.on_duplicate(1000), "nothing was sent again");
        undo.on_resent(1000);
        undo.on_resent(1000);
        assert!(!undo.on_duplicate(1000));
        assert!(undo.on_duplicate(1000));
        assert_eq!(undo.take(), Some((20_000.0, f64::INFINITY)));
        assert_eq!(undo.take(), None);
    }
}
