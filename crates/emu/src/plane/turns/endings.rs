//! How ends close: both ways or their own alone, with all that they had asked for or without. Who closes over TLS sends an alert before its FIN,
//! and asks for nothing.

use farpath_units::{Duration, Time};

use super::Talk;

/// Records of TLS (RFC 8446 §5.1): an alert, and data; the third and fourth byte behind that are the length, of an alert in data 19 (§5.2, §6).
const ALERT: u8 = 21;
const DATA: u8 = 23;
const MAJOR: u8 = 3;
const ALERT_LENGTH: [u8; 2] = [0, 19];

/// An alert so soon before a FIN is the farewell of who closes.
const SOON: Duration = Duration::from_ms(10);

/// How an end has ended its part.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct End {
    /// What it had waited for when it sent its FIN, or a reset; none where it has sent neither.
    pub(super) waited: Option<Duration>,
    /// When that was.
    pub(super) closed: Option<Time>,
    /// When it was done so with all that the other end had sent, which had sent last.
    pub(super) done: Option<Time>,
    /// It had all that the other end had sent, which had sent last.
    pub(super) is_served: bool,
    /// It has sent a reset.
    pub(super) is_reset: bool,
    /// Data has come after its FIN.
    pub(super) is_sent_more: bool,
}

impl End {
    /// Whether it has closed its own way alone.
    pub(super) fn is_half(&self) -> bool {
        self.is_sent_more && !self.is_reset
    }

    /// What it waited for, of `all` that it seems to have.
    pub(super) fn waited(&self, all: Duration) -> Duration {
        self.waited.filter(|_| !self.is_half()).unwrap_or(all)
    }
}

impl Talk {
    /// An end is about to send new data of this payload: an alert, perhaps, once it has all that the other one has answered.
    pub(super) fn says_farewell(&mut self, end: usize, payload: &[u8]) {
        let is_alert = match payload {
            [ALERT, MAJOR, ..] => true,
            // What has more behind it is a small piece of a request.
            [DATA, MAJOR, _, high, low, rest @ ..] => {
                let is_all = rest.len() <= usize::from(u16::from_be_bytes(ALERT_LENGTH));
                [*high, *low] == ALERT_LENGTH && is_all
            }
            _ => false,
        };
        let is_answered = self.last.is_some_and(|(who, _)| who != end);
        let has_all = self.streams[1 - end].is_all_there();
        self.farewell = (is_alert && is_answered && has_all).then_some(end);
    }

    /// Whether an end that closes now has just said farewell, and nothing came since.
    pub(super) fn is_farewell(&self, end: usize, now: Time) -> bool {
        let last = self.last.filter(|(who, _)| *who == end);
        let is_soon = last.is_some_and(|(_, then)| now.since(then.min(now)) <= SOON);
        self.farewell == Some(end) && is_soon && self.streams[1 - end].is_all_there()
    }

    /// Whether an end opened the connection, and closed before the other one has.
    pub(super) fn gives_up(&self, end: usize) -> bool {
        let [own, other] = [end, 1 - end].map(|who| self.over[who].closed);
        let is_first = own.is_some_and(|own| other.is_none_or(|other| own <= other));
        is_first && self.asked.is_some_and(|(who, _)| who == end)
    }

    /// These times of the ends, without that of one that has closed its own way alone.
    pub(super) fn unless_half(&self, times: [Duration; 2]) -> [Duration; 2] {
        [0, 1].map(|end| match self.over[end].is_half() {
            true => Duration::ZERO,
            false => times[end],
        })
    }

    /// How long the last of an answer was under way to an end that had asked, and closed: with all of the answer, or its own way alone before it.
    pub(super) fn landing(&self, end: usize) -> Duration {
        let over = &self.over[end];
        if !over.is_half() {
            return self.turns.landing[end];
        }
        let stream = &self.streams[1 - end];
        let answered = self
            .last
            .filter(|(who, _)| *who != end && stream.is_all_there());
        let is_asked = self.streams[end].sent > 0 && !over.is_served;
        answered
            .filter(|_| is_asked)
            .map_or(Duration::ZERO, |(_, then)| {
                stream.grew.max(then).since(then)
            })
    }
}
