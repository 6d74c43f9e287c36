//! Explicit congestion notification (RFC 3168 §6.1): the sender's half.

/// The sender's half of ECN.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ecn {
    pub(crate) on: bool,
    /// An echo arrived with the acknowledgement that is being handled.
    pub(crate) echoed: bool,
    /// One reduction per window of data: the next may follow when this byte, which says that the
    /// window was reduced, is acknowledged.
    answered_to: u64,
    /// The next new segment says that the window was reduced.
    cwr_due: bool,
    /// The recovery under way answers an echo: it began without a loss.
    pub(crate) answers: bool,
}

impl Ecn {
    pub(crate) fn new(on: bool) -> Ecn {
        Ecn {
            on,
            ..Ecn::default()
        }
    }

    /// Whether the echo that arrived asks for a reduction now; it is dealt with either way.
    pub(crate) fn must_reduce(&mut self, una: u64) -> bool {
        core::mem::take(&mut self.echoed) && (una > self.answered_to || self.answered_to == 0)
    }

    /// The window was reduced, for whatever reason, with everything below `nxt` sent.
    pub(crate) fn reduced(&mut self, nxt: u64) {
        if self.on {
            self.answered_to = nxt;
            self.cwr_due = true;
        }
    }

    /// Whether the segment about to leave carries CWR; once.
    pub(crate) fn take_cwr(&mut self) -> bool {
        core::mem::take(&mut self.cwr_due)
    }
}

/// The receiver's half: CE seen, echoed in every acknowledgement until CWR comes; by RFC 8257 in those for what came marked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Echo {
    pub(crate) on: bool,
    /// By RFC 8257 §3.2.
    pub(crate) is_exact: bool,
    pub(crate) echoing: bool,
}

impl Echo {
    pub(crate) fn new(on: bool, is_exact: bool) -> Echo {
        Echo {
            on,
            is_exact,
            ..Echo::default()
        }
    }

    /// RFC 3168 §6.1.3: the segment about to be handed in was marked CE, or carried CWR. CWR first:
    /// a marked segment that carries it begins a new echo. By RFC 8257 §3.2 the mark alone counts.
    pub(crate) fn note(&mut self, ce: bool, cwr: bool) {
        if self.on {
            self.echoing = ce || (self.echoing && !cwr && !self.is_exact);
        }
    }
}
