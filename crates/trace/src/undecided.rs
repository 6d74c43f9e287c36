//! What the evidence of a capture leaves open of segments that were sent again.

use farpath_record::count_of;
use farpath_record::trace::TraceConnection;

use crate::classify::{Class, RTO_LEAST, Times, Why, undecided};
use crate::event::{Event, NEVER};
use crate::work;

/// Segments of one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Undecided {
    /// Sent without need, or copies that the network made.
    copies: u64,
    /// Sent again by the timer, or as a probe that was due with it.
    lone: u64,
}

impl Undecided {
    /// Those among the events of one direction.
    pub(crate) fn of(events: &[Event], classes: &[Class], times: Times) -> Undecided {
        Undecided {
            copies: undecided(events, classes, times),
            lone: lone(events, classes, times),
        }
    }
}

/// Timeouts of a segment that was alone under way. RFC 8985 §7.2 has a probe wait for a delayed acknowledgement then, and no longer than the
/// timer: that is mostly as long as a timeout. A timer waits twice as long before it sends the segment once more, which shows what it was.
fn lone(events: &[Event], classes: &[Class], times: Times) -> u64 {
    work::count(events.len());
    let backs_off = |n: usize| {
        let (first, next) = (&events[n], events.get(n + 1));
        next.is_some_and(|next| {
            next.seq == first.seq && next.lag.saturating_mul(2) >= first.lag.saturating_mul(3)
        })
    };
    let open = |n: &usize| {
        classes[*n] == Class::Again(Why::Rto) && may_be_probe(&events[*n], times) && !backs_off(*n)
    };
    (0..events.len()).filter(open).count() as u64
}

/// Whether a sender that probes may have sent this as a probe, although it waited for as long as the timer.
fn may_be_probe(e: &Event, times: Times) -> bool {
    let smoothed = match e.smoothed {
        0 => times.round_trip,
        some => some + times.to_sender,
    };
    let timer = smoothed + (4 * e.variation).max(RTO_LEAST);
    let due = timer.min(2 * smoothed + RTO_LEAST);
    // Behind a timeout of others a segment is sent again as soon as those are acknowledged.
    let quiet = e.lag.min(e.at - e.una_at - times.to_sender);
    let is_due = quiet >= RTO_LEAST / 5 * 4 && e.lag <= due.saturating_mul(5) / 4;
    let is_alone = e.head && e.tail && e.pieces == 1 && e.times < 2;
    let is_unheard = e.sack_at == NEVER && e.dup_at == NEVER;
    !times.is_sackless && is_alone && is_unheard && is_due
}

/// Says what is open of both directions, and what would decide it.
pub(crate) fn notes(described: &TraceConnection, open: [Undecided; 2]) -> Vec<String> {
    let both = [&described.a, &described.b].into_iter().zip(open);
    let mut all = Vec::new();
    for (sender, of) in both {
        if of.copies > 0 {
            all.push(format!(
                "whether {sender} sent {} without need, or the network copied what it had sent, is not known: they have neither timestamps nor an \
                 IP identification of their own. They count as unneeded; a capture at {sender} tells",
                count_of(of.copies, "segment", "segments")
            ));
        }
        if of.lone > 0 {
            all.push(format!(
                "whether {sender} sent {} again by its timer, or as a tail loss probe each, is not known: with one segment under way both are due at once \
                 (RFC 8985 §7.2). They count as timeouts; TCPLossProbes and TCPTimeouts of nstat at {sender} tell",
                count_of(of.lone, "segment", "segments")
            ));
        }
    }
    all
}
