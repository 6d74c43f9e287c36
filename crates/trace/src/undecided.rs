//! What the evidence of a capture leaves open of segments that were sent again.

use farpath_record::count_of;
use farpath_record::trace::TraceConnection;

use crate::classify::{Class, Times, probes, undecided};
use crate::event::Event;

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
            lone: probes::open(events, classes, times),
        }
    }
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
