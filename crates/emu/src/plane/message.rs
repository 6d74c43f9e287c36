//! How an end hands over a message in several pieces: what of that time is the path's, and what its program's.
//!
//! A piece that ends with less than a full segment is all that was written by then. What follows it was written later, however short a time:
//! that is its program's. The path's it is where the next piece was let go: a small one by the acknowledgement of a small one before, as
//! Nagle's algorithm has it, and a longer one by any, as a window has it. Small pieces that wait leave together. So each wait of a message but
//! the last ended before its program had written all of it, and held nobody up.

use farpath_units::{Duration, Time};

/// The last message is not known to have been waited for where its sender has waited for acknowledgements more often than this: it is a
/// stream that its program writes at times of its own.
const STALLS: u32 = 3;

/// A full segment has more, bytes: what the smallest MTU of IPv6 leaves with timestamps (RFC 8200 §5, RFC 7323 §3).
const FULL: u32 = 1208;

/// A piece that follows an acknowledgement within this part of the time that it had to wait for it was held back until then.
pub(super) const PROMPT: u64 = 8;

/// Options of TCP take so many bytes of a full segment at most (RFC 9293 §3.1).
const OPTIONS: u32 = 40;

/// A piece that is handed over at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// It is one segment, and not a full one.
    is_small: bool,
    /// Its last segment is not a full one.
    is_short: bool,
}

impl Piece {
    /// Of so many bytes, with so many in its last segment, of an end whose longest segment so far has so many.
    pub(super) fn of(length: u32, tail: u32, longest: u32) -> Piece {
        let is_short = |bytes: u32| is_small(bytes) || bytes + OPTIONS < longest;
        Piece {
            is_small: is_short(length),
            is_short: is_short(tail),
        }
    }
}

/// Whether a segment of so many bytes is not a full one, whatever the path.
pub(super) fn is_small(length: u32) -> bool {
    length < FULL
}

/// The time from the first byte of messages that is handed over until the last one is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Handing {
    /// A part was on the way, or acknowledgements of it were.
    pub way: Duration,
    /// Nothing that was written was left to send, or all was there and nothing was heard any more: the sender's program paused.
    pub paused: Duration,
    /// Of `way`, the time in which the last piece, a small one, waited for the acknowledgement of a small one before (RFC 1122 §4.2.3.4, Nagle's
    /// algorithm).
    pub held: Duration,
    /// Small pieces of other messages waited as well, and whether anybody waited for these is not known: `held` is a part of it. Or too few
    /// seem to have waited to know it of any.
    pub is_open: bool,
}

impl Handing {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Handing) -> Handing {
        Handing {
            way: self.way + other.way,
            paused: self.paused + other.paused,
            held: self.held + other.held,
            is_open: self.is_open || other.is_open,
        }
    }

    /// The same where nothing is known of small pieces that seem to have waited.
    pub(super) fn unknown(self) -> Handing {
        Handing {
            is_open: self.is_open || self.held > Duration::ZERO,
            held: Duration::ZERO,
            ..self
        }
    }
}

/// The last answer of an end, where it came in many pieces: whether the other end waited for them frames do not say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Streamed {
    /// The end that answered, by its number.
    pub end: usize,
    /// When it handed over the first piece, and the last.
    pub from: Time,
    /// See [`Self::from`].
    pub until: Time,
    /// How it handed them over.
    pub handing: Handing,
}

/// The message that is being handed over.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Message {
    handing: Handing,
    /// When its first piece was handed over.
    begun: Time,
    /// How often all of it was there before the next piece, which an acknowledgement let go.
    stalls: u32,
    /// The other end has sent before it.
    is_answer: bool,
    /// A small piece is not known to be acknowledged.
    has_small: bool,
    /// The last piece ended with less than a full segment: nothing that was written is left.
    is_all: bool,
    /// How long the last piece waited for the acknowledgement of a small one: a part of what is held.
    hold: Duration,
}

impl Message {
    /// The first piece, handed over `now`, of one that follows what the other end sent, if it is an answer.
    pub(super) fn begins(piece: Piece, now: Time, is_answer: bool) -> Message {
        Message {
            begun: now,
            is_answer,
            has_small: piece.is_short,
            is_all: piece.is_short,
            ..Message::default()
        }
    }

    /// Another piece is handed over `now`, the one before it `then`. All until then was `there` since an instant, if it was,
    /// and its sender has `heard` of the other end last; since then no data, if that is so: a piece that follows data answers it. Whether it
    /// is small, and seems to have waited for the acknowledgement of a small one.
    pub(super) fn goes_on(
        &mut self,
        piece: Piece,
        [then, now]: [Time; 2],
        there: Option<Time>,
        (heard, is_bare): (Time, bool),
    ) -> bool {
        let now = now.max(then);
        let gap = now.since(then);
        let free = there.map_or(now, |there| there.max(heard).clamp(then, now));
        let (waited, paused) = (free.since(then), now.since(free));
        let is_acknowledged = there.is_some_and(|there| heard >= there);
        self.stalls += u32::from(is_acknowledged);
        self.goes_past(gap);
        let is_prompt = is_acknowledged && is_bare && paused.times(PROMPT) <= waited;
        let is_held = is_prompt && piece.is_small && self.has_small;
        let has_heard = heard >= then && now.since(heard.min(now)).times(PROMPT) <= gap;
        // What follows data of the other end answers it.
        let is_let_go = is_held || !self.is_all || !is_bare || (has_heard && !piece.is_small);
        let own = if is_let_go { paused } else { gap };
        self.handing.paused += own;
        self.handing.way += gap.saturating_sub(own);
        if is_held {
            self.handing.held += waited;
            self.hold = waited;
        }
        self.has_small = piece.is_short || (self.has_small && !is_acknowledged);
        self.is_all = piece.is_short;
        is_held
    }

    /// Another piece follows the last one after a time: where that one had waited, this one was written later, and nobody waited meanwhile. What
    /// leaves with it, or right behind it, had waited as well.
    fn goes_past(&mut self, gap: Duration) {
        if gap.times(PROMPT) <= self.hold {
            return;
        }
        let hold = std::mem::take(&mut self.hold);
        self.handing.held = self.handing.held.saturating_sub(hold);
        self.handing.way = self.handing.way.saturating_sub(hold);
        self.handing.paused += hold;
    }

    /// Its times, once the other end answers.
    pub(super) fn answered(&self) -> Handing {
        self.handing
    }

    /// Its times, where it is the last one.
    pub(super) fn last(&self) -> Handing {
        match self.is_answer && self.stalls <= STALLS {
            true => self.handing,
            false => self.unanswered(),
        }
    }

    /// The same where it is an answer of an end in more pieces than that, the last of them at an instant; none where it is not.
    pub(super) fn streamed(&self, end: usize, until: Time) -> Option<Streamed> {
        (self.is_answer && self.stalls > STALLS).then_some(Streamed {
            end,
            from: self.begun,
            until,
            handing: self.handing,
        })
    }

    /// What is known of it where nobody is known to have waited for it.
    pub(super) fn unanswered(&self) -> Handing {
        Handing {
            is_open: self.handing.held > Duration::ZERO,
            ..Handing::default()
        }
    }
}
