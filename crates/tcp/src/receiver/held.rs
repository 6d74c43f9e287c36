//! Segments behind a gap that the host's card gathers before the stack has them: it answers them as one.

use farpath_units::{Duration, Time};

use super::Receiver;
use super::full_segment::GATHERED;

/// Segments out of order, one behind the other, that the stack does not have yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    seq: u64,
    end: u64,
    retransmit: bool,
    /// They are handed over then.
    until: Time,
    /// The timer that ran when the first of them came.
    after: Time,
}

impl Receiver {
    /// A segment that is out of order, at a host that gathers for `time`: it joins those that it follows, for as long and as
    /// many as an in-order segment would. What does not follow them has the stack take them first. Segments that fill a gap or
    /// came before are taken at once.
    #[cold]
    pub(super) fn gather(
        &mut self,
        now: Time,
        time: Duration,
        segment: (u64, u64),
        retransmit: bool,
    ) {
        let (seq, end) = segment;
        if let Some(held) = &mut self.held {
            if held.end == seq && end - held.seq <= GATHERED && held.retransmit == retransmit {
                held.end = end;
                return;
            }
            self.hand_over(now);
        }
        if seq <= self.next || seq == end {
            return self.take(now, segment, retransmit);
        }
        // What was gathered in order ends here.
        if self.above.is_empty()
            && let Some(gathers) = self.gathers
        {
            self.due |= self.next - self.acked >= gathers.threshold;
        }
        let held = Held {
            seq,
            end,
            retransmit,
            until: now + time,
            after: self.deadline,
        };
        self.in_order = false;
        self.deadline = self.deadline.min(held.until);
        self.held = Some(held);
    }

    /// The stack takes what is held.
    pub(super) fn hand_over(&mut self, now: Time) {
        if let Some(held) = self.held.take() {
            self.deadline = held.after;
            self.take(now, (held.seq, held.end), held.retransmit);
        }
    }

    /// Whether the timer is the end of a gathering behind a gap, which has come by `now`.
    pub(super) fn has_gathered(&self, now: Time) -> bool {
        self.held.is_some_and(|held| now >= held.until)
    }

    /// The stack's timer runs out at `at`; what is held keeps its own.
    #[inline]
    pub(super) fn set_timer(&mut self, at: Time) {
        self.deadline = match &mut self.held {
            Some(held) => {
                held.after = at;
                held.until.min(at)
            }
            None => at,
        };
    }
}
