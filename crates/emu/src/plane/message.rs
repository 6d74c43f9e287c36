//! How an end hands over a message in several pieces: what of that time is the path's, and what its program's.

use farpath_units::{Duration, Time};

/// The last message is not known to have been waited for where its sender has waited for acknowledgements more often than this: it is a
/// stream that its program writes at times of its own.
const STALLS: u32 = 3;

/// The time from the first byte of messages that is handed over until the last one is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Handing {
    /// A part was on the way, or acknowledgements of it were.
    pub way: Duration,
    /// All was there and nothing was heard any more: the sender's program paused.
    pub paused: Duration,
}

impl Handing {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Handing) -> Handing {
        Handing {
            way: self.way + other.way,
            paused: self.paused + other.paused,
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
}

impl Message {
    /// The first piece of one that follows what the other end sent.
    pub(super) fn answers() -> Message {
        Message {
            is_answer: true,
            ..Message::default()
        }
    }

    /// Another piece is handed over `now`, the one before it `then`. All until then was `there` since an instant, if it was, and its sender
    /// has `heard` of the other end last.
    pub(super) fn goes_on(&mut self, then: Time, now: Time, there: Option<Time>, heard: Time) {
        let free = there.map_or(now, |there| there.max(heard).clamp(then, now.max(then)));
        let paused = now.max(free).since(free);
        self.stalls += u32::from(there.is_some_and(|there| heard >= there));
        self.handing.paused += paused;
        self.handing.way += now.max(then).since(then).saturating_sub(paused);
    }

    /// Its times, once the other end answers.
    pub(super) fn answered(&self) -> Handing {
        self.handing
    }

    /// Its times, where it is the last one.
    pub(super) fn last(&self) -> Handing {
        match self.is_answer && self.stalls <= STALLS {
            true => self.handing,
            false => Handing::default(),
        }
    }
}
