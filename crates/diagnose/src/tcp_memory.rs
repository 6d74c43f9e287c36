//! Memory that all TCP sockets of a host have together (`tcp_mem`): once it is used up no buffer grows, whatever a socket's own settings
//! allow.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flow::{Flow, word};
use crate::items::{Item, step};
use crate::read::Facts;
use crate::room::Room;
use crate::seen::Side;

/// The word of a host whose kernel logged that.
pub(crate) const SHORT: &str = "tcp_memory_short";

/// How much the log says of a flow that has room on the line, decibans.
const WEIGHT: f64 = 20.0;

/// The most that is said by it: the log need not be of the time of the test.
const LOGGED: f64 = 0.6;

/// From the first part of the line on a flow is held by it less, and from the second on not at all.
const FULL: [f64; 2] = [0.5, 0.8];

impl Evidence {
    /// The end whose kernel logged that its memory of TCP is used up: what its settings allow is the most then.
    pub(crate) fn of_tcp_memory(&mut self, facts: &Facts, flow: &Flow) {
        let logged = |own: &[u32], other: &[u32]| {
            let mut own = own.iter().filter(|host| !other.contains(host));
            own.any(|host| word(facts, Of::Host(*host), SHORT).is_some())
        };
        let rooms = if logged(&flow.receivers, &flow.senders) {
            self.around.tcp_memory = Some(Side::Receiver);
            &mut self.windows
        } else if logged(&flow.senders, &flow.receivers) {
            self.around.tcp_memory = Some(Side::Sender);
            &mut self.buffers
        } else {
            return;
        };
        let least = self.mss;
        let by_setting = |room: &&mut Room| !room.asked;
        for room in rooms.iter_mut().filter(by_setting) {
            room.bytes.low = libm::fmin(least, room.bytes.low);
            room.what.push_str(", less while tcp_mem is used up");
        }
    }

    /// What that memory holds back.
    fn short_of_memory(&self) -> Option<Cause> {
        Some(match self.around.tcp_memory.filter(|_| !self.udp)? {
            Side::Receiver => Cause::ReceiveWindow,
            Side::Sender => Cause::SendBuffer,
        })
    }

    /// Whether it is that memory which makes this cause.
    pub(crate) fn lacks_memory(&self, cause: Cause) -> bool {
        self.short_of_memory() == Some(cause)
    }

    /// The most that is said of a cause for which such a log speaks.
    pub(crate) fn at_most_of_memory(&self, cause: Cause) -> f64 {
        let seen = self.rwnd_share.is_some() || self.sndbuf_share.is_some();
        match self.lacks_memory(cause) && !seen {
            true => LOGGED,
            false => 1.0,
        }
    }
}

/// What a host logged of that memory.
pub(crate) fn by_tcp_memory(e: &Evidence, items: &mut Vec<Item>) {
    let Some(cause) = e.short_of_memory() else {
        return;
    };
    let end = match cause {
        Cause::ReceiveWindow => "receiver",
        _ => "sender",
    };
    let rate = e.settled().map_or(0.0, |r| r.value);
    let line = e.line.as_ref().map(|(l, _)| l.value * e.payload_share());
    items.push(Item {
        holds: line.map_or(1.0, |line| 1.0 - step(rate / line, FULL[0], FULL[1])),
        weights: vec![(cause, WEIGHT)],
        sentence: format!(
            "the {end}'s kernel logged that TCP is out of memory: no buffer grows then, whatever its own setting allows; the log may be of another time"
        ),
    });
}
