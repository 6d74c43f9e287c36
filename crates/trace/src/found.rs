//! What a caller gets of each connection beside the document: single segments, and observations.

use farpath_observe::Connection as Observed;

use crate::acks::Acks;
use crate::classify::{Class, Why};
use crate::event::Event;

/// A segment that was not simply the next one, and what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentSeen {
    /// When it was captured, nanoseconds since 1970-01-01 00:00 UTC by the capture's clock.
    pub at_ns: i64,
    /// The first of its bytes, counted from the first payload byte of its direction.
    pub offset: u64,
    /// Payload bytes; 0: a SYN or FIN.
    pub length: u32,
    /// What it was: a class of `retransmissions`, `reordered` or `network_duplicate`.
    pub class: &'static str,
    /// How its sender came to send it again, where that is another word: of the classes `unneeded` and `upstream`.
    pub why: &'static str,
}

/// One direction of a connection.
#[derive(Clone, Debug, Default)]
pub struct DirectionFound {
    /// The segments that were not simply the next ones, in their order; at most a million in all.
    pub segments: Vec<SegmentSeen>,
    /// What was seen, for metrics and limits; times count from the connection's first packet. None where no data passed.
    pub observed: Option<Box<Observed>>,
    /// Acknowledgements without data of what was sent, in time.
    pub acks: Acks,
    /// The time at its end in which nothing that was sent again was acknowledged. None where the data came through.
    pub unanswered: Option<Unanswered>,
}

/// A time until the end of a capture in which a sender's timer ran out twice or more, and nothing more of its data was acknowledged: its path
/// or the other end does not answer. Times are nanoseconds since 1970-01-01 00:00 UTC by the capture's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unanswered {
    /// When the first segment that was never acknowledged was sent first.
    pub since_ns: i64,
    /// When data was last sent.
    pub until_ns: i64,
    /// How often data was sent again in it.
    pub again: usize,
    /// How many of these were timeouts.
    pub timeouts: usize,
    /// The other end was heard of in it: what it sends passes, and it takes no more data.
    pub heard: bool,
}

/// The word of a class.
pub(crate) fn class_word(class: Class) -> &'static str {
    match class {
        Class::Reordered => "reordered",
        Class::NetworkDuplicate => "network_duplicate",
        Class::Again(why) => why_word(why),
        Class::Unneeded(_) => "unneeded",
        Class::Upstream(_) => "upstream",
    }
}

fn why_word(why: Why) -> &'static str {
    match why {
        Why::Fast => "fast",
        Why::Rto => "rto",
        Why::Tlp => "tlp",
        Why::LostRetransmission => "lost_retransmission",
        Why::Unknown => "unknown",
    }
}

/// A segment for a caller; `base` is the number of the first payload byte.
pub(crate) fn seen(event: &Event, class: Class, base: u64) -> SegmentSeen {
    SegmentSeen {
        at_ns: event.at,
        offset: event.seq.saturating_sub(base),
        length: event.length,
        class: class_word(class),
        why: match class {
            Class::Again(why) | Class::Unneeded(why) | Class::Upstream(why) => why_word(why),
            _ => "",
        },
    }
}
