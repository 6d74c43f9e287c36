//! Memory that all TCP sockets of a host have together (`tcp_mem`): once it is used up no buffer grows, whatever a socket's own settings
//! allow.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flow::{Flow, number, word};
use crate::items::{Item, step};
use crate::read::Facts;
use crate::room::Room;
use crate::seen::Side;

/// The word of a host whose kernel logged that.
pub(crate) const SHORT: &str = "tcp_memory_short";

/// What all sockets of a host have of it, and from where on buffers grow no more: pages.
pub(crate) const USED: &str = "tcp_memory_pages";
pub(crate) const PRESSURE: &str = "tcp_mem_pressure_pages";

/// How much the log says of a flow that has room on the line, decibans.
const WEIGHT: f64 = 20.0;

/// The most that is said by it: the log need not be of the time of the test.
const LOGGED: f64 = 0.6;

/// From the first part of the line on a flow is held by it less, and from the second on not at all.
const FULL: [f64; 2] = [0.5, 0.8];

impl Evidence {
    /// The end whose memory of TCP is used up, as its kernel logged or counts: what its settings allow is the most then.
    pub(crate) fn of_tcp_memory(&mut self, facts: &Facts, flow: &Flow) {
        let ends = [
            (&flow.receivers, &flow.senders),
            (&flow.senders, &flow.receivers),
        ];
        let pages = ends.map(|(own, other)| used_up(facts, own, other));
        let logged = ends.map(|(own, other)| {
            let mut own = own.iter().filter(|host| !other.contains(host));
            own.any(|host| word(facts, Of::Host(*host), SHORT).is_some())
        });
        let [receives, sends] = [0, 1].map(|n| logged[n] || pages[n].is_some());
        let rooms = if receives {
            self.around.tcp_pages = pages[0];
            self.around.tcp_memory = Some(Side::Receiver);
            &mut self.windows
        } else if sends {
            self.around.tcp_pages = pages[1];
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

/// What all sockets of an end have of that memory, and from where on buffers grow no more, pages, where it is that much.
fn used_up(facts: &Facts, own: &[u32], other: &[u32]) -> Option<[f64; 2]> {
    let own = || own.iter().filter(move |host| !other.contains(host));
    let most = |name: &'static str| {
        let each = own().filter_map(|host| number(facts, Of::Host(*host), name));
        each.map(|n| n.value).reduce(f64::max)
    };
    let both = [most(USED)?, most(PRESSURE)?];
    (both[0] >= both[1]).then_some(both)
}

/// What a host says of that memory.
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
        sentence: match e.around.tcp_pages {
            Some([used, limit]) => format!(
                "the sockets of the {end} have {used:.0} pages of memory in all, and from {limit:.0} on (tcp_mem) no buffer grows, whatever its own setting allows"
            ),
            None => format!(
                "the {end}'s kernel logged that TCP is out of memory: no buffer grows then, whatever its own setting allows; the log may be of another time"
            ),
        },
    });
}
