//! What losses cost a connection: what of it was lost, and how long its ends waited for their timers to send that again.
//!
//! An end that sends again what is missing at the other one, and has heard nothing since it last sent, has waited for its timer. Who
//! hears of a loss by acknowledgements sends again as soon as they come, and has waited for none. A copy of data that an end has says
//! nothing of what it sent itself: it ends no wait.

use farpath_units::{Duration, Time};

/// What losses of an end's segments came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Repairs {
    /// Segments with data, and SYNs, that the network dropped or damaged: each frame counts.
    pub lost: u64,
    /// Those of them that were SYNs, of the first end or in answer to it.
    pub syns: u64,
    /// Time that the end waited for its timer to send again what was lost.
    pub timers: Duration,
    /// What of that was before the connection was open.
    pub opening: Duration,
}

/// One end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Repairing {
    known: Repairs,
    /// When it last sent data, or a SYN; none where it has sent neither.
    acted: Option<Time>,
    /// When it was last given anything but a copy of data that it has.
    heard: Time,
    /// Something it sent is lost, and has not been sent again.
    pub(super) is_missing: bool,
}

impl Repairing {
    /// It sends data, or a SYN, for the first time.
    pub(super) fn sends(&mut self, now: Time) {
        self.acted = Some(now);
    }

    /// It is given a segment other than a copy of data that it has.
    pub(super) fn hears(&mut self, at: Time) {
        self.heard = at.max(self.heard);
    }

    /// It sends some again. That is a repair where some of it `is_missing` at the other end.
    pub(super) fn repeats(&mut self, now: Time, is_missing: bool) -> Duration {
        let acted = self.acted.replace(now).unwrap_or(now);
        let waited = match is_missing {
            true => now.since(acted.max(self.heard)),
            false => Duration::ZERO,
        };
        self.known.timers += waited;
        waited
    }

    /// It sends a SYN again; something of either end `is_missing` before the connection is open.
    pub(super) fn opens_again(&mut self, now: Time, is_missing: bool) {
        let waited = self.repeats(now, is_missing);
        self.known.opening += waited;
    }

    /// A segment of it is lost.
    pub(super) fn loses(&mut self, is_syn: bool) {
        self.known.lost += 1;
        self.known.syns += u64::from(is_syn);
        self.is_missing = true;
    }

    /// What is known so far.
    pub(super) fn known(&self) -> Repairs {
        self.known
    }
}
