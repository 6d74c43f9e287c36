//! How an end hands over a message in several pieces: what of that time is the path's, and what its program's.

use farpath_units::{Duration, Time};

/// The last message is not known to have been waited for where its sender has waited for acknowledgements more often than this: it is a
/// stream that its program writes at times of its own.
const STALLS: u32 = 3;

/// A full segment has more, bytes: what the smallest MTU of IPv6 leaves with timestamps (RFC 8200 §5, RFC 7323 §3).
const FULL: u32 = 1208;

/// A piece that follows an acknowledgement within this part of the time that it had to wait for it was held back until then.
pub(super) const PROMPT: u64 = 8;

/// Whether a segment of so many bytes is not a full one.
pub(super) fn is_small(length: u32) -> bool {
    length < FULL
}

/// The time from the first byte of messages that is handed over until the last one is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Handing {
    /// A part was on the way, or acknowledgements of it were.
    pub way: Duration,
    /// All was there and nothing was heard any more: the sender's program paused.
    pub paused: Duration,
    /// Of `way`, the time in which a small piece waited for the acknowledgement of a small one before (RFC 1122 §4.2.3.4, Nagle's algorithm).
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

/// The message that is being handed over.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Message {
    handing: Handing,
    /// How often all of it was there before the next piece, which an acknowledgement let go.
    stalls: u32,
    /// The other end has sent before it.
    is_answer: bool,
    /// A small piece is not known to be acknowledged.
    has_small: bool,
}

impl Message {
    /// The first piece, of so many bytes, of one that follows what the other end sent, if it is an answer.
    pub(super) fn begins(length: u32, is_answer: bool) -> Message {
        Message {
            is_answer,
            has_small: is_small(length),
            ..Message::default()
        }
    }

    /// Another piece of so many bytes is handed over `now`, the one before it `then`. All until then was `there` since an instant, if it was,
    /// and its sender has `heard` of the other end last; since then no data, if that is so: a piece that follows data answers it. Whether it
    /// is small, and seems to have waited for the acknowledgement of a small one.
    pub(super) fn goes_on(
        &mut self,
        length: u32,
        [then, now]: [Time; 2],
        there: Option<Time>,
        (heard, is_bare): (Time, bool),
    ) -> bool {
        let free = there.map_or(now, |there| there.max(heard).clamp(then, now.max(then)));
        let paused = now.max(free).since(free);
        let waited = free.since(then);
        let is_acknowledged = there.is_some_and(|there| heard >= there);
        let is_small = is_small(length);
        self.stalls += u32::from(is_acknowledged);
        self.handing.paused += paused;
        self.handing.way += now.max(then).since(then).saturating_sub(paused);
        let is_prompt = is_acknowledged && is_bare && paused.times(PROMPT) <= waited;
        let is_held = is_prompt && is_small && self.has_small;
        if is_held {
            self.handing.held += waited;
        }
        self.has_small = is_small || (self.has_small && !is_acknowledged);
        is_held
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

    /// What is known of it where nobody is known to have waited for it.
    pub(super) fn unanswered(&self) -> Handing {
        Handing {
            is_open: self.handing.held > Duration::ZERO,
            ..Handing::default()
        }
    }
}
