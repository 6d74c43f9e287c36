//! Memory that all TCP sockets of a host have together (`tcp_mem`): once it is used up no buffer grows, whatever a socket's own settings
//! allow, and what arrives beyond it is dropped (tcp(7)).

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, number, word};
use crate::hosts::counted::growth;
use crate::items::{Item, LOSSES, of, step};
use crate::read::Facts;
use crate::read::kernel_log::SHORT;
use crate::read::sockstat::{ORPHANS, USED};
use crate::read::sysctl::{LEAST, MOST, PRESSURE};
use crate::seen::Side;
use crate::windows::room::Room;

/// How much it says of a flow that has room on the line, decibans.
const WEIGHT: f64 = 20.0;

/// How much memory at its most says beside segments that were sent again, for the window and against losses of the path: by itself, and where
/// the kernel counts what it dropped.
const BESIDE: [f64; 2] = [12.0, -14.0];
const DROPPED: [f64; 2] = [34.0, -24.0];

/// The most that is said by it. First of a log alone, which need not be of the time of the test; then of a log beside sockets that have the
/// most; then where the kernel counts what it dropped. Choices.
const LOGGED: f64 = 0.6;
const BOTH: f64 = 0.75;
const COUNTED: f64 = 0.9;

/// From the first part of the line on a flow is held by it less, and from the second on not at all.
const FULL: [f64; 2] = [0.5, 0.8];

/// Sockets that have this part of the most have it: some is given back between two readings.
const AT_MOST: f64 = 0.98;

/// Where segments are dropped less than one is in flight on average.
const OF_SEGMENT: f64 = 0.1;

/// Counters of what a kernel does without that memory: their facts and names in `nstat`, the surest first.
const COUNTERS: [(&str, &str); 3] = [
    (RECEIVE_DROPS, "TcpExtTCPRcvQDrop"),
    ("host_pruned", "TcpExtPruneCalled"),
    ("host_memory_pressures", "TcpExtTCPMemoryPressures"),
];

/// Segments that a kernel dropped as their socket had no memory.
const RECEIVE_DROPS: &str = "host_receive_drops";

/// How what is said first of such a host begins where no text says how fast anything was.
pub(crate) const ALL_SOCKETS: &str = "the memory of all TCP sockets of";

/// What all sockets of a host have, and the values of `tcp_mem`, pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pages {
    /// What they have.
    pub(crate) used: f64,
    /// The values, from the least on.
    pub(crate) limits: [f64; 3],
}

impl Pages {
    /// What these hosts say; none where less is used than lets buffers grow.
    fn of(facts: &Facts, hosts: &[u32]) -> Option<Pages> {
        let most = |name: &'static str| {
            let each = hosts
                .iter()
                .filter_map(|host| number(facts, Of::Host(*host), name));
            each.map(|n| n.value).reduce(f64::max)
        };
        let pages = Pages {
            used: most(USED)?,
            limits: [most(LEAST)?, most(PRESSURE)?, most(MOST)?],
        };
        (pages.used >= pages.limits[1]).then_some(pages)
    }

    /// Whether the sockets have all that TCP gets.
    pub(crate) fn is_most(self) -> bool {
        self.used >= AT_MOST * self.limits[2]
    }
}

/// Memory of TCP that a host has used up.
#[derive(Clone, Debug)]
pub(crate) struct UsedUp {
    /// What its sockets have, where a text says that it is too much.
    pub(crate) pages: Option<Pages>,
    /// Sockets that no program has open any more, where a text says how many.
    pub(crate) orphans: Option<f64>,
    /// Its kernel logged it.
    logged: bool,
    /// What its kernel counts of it: the name of the counter, and what it stands at or grew by.
    counted: Option<(&'static str, f64)>,
    /// From one reading to the next its kernel dropped no segment.
    quiet: bool,
    /// No text ties the host to its end.
    assumed: bool,
}

impl UsedUp {
    /// What these hosts say; none where they have enough.
    fn of(facts: &Facts, hosts: &[u32]) -> Option<UsedUp> {
        let logged = |host: &u32| word(facts, Of::Host(*host), SHORT).is_some();
        let logged = hosts.iter().any(logged);
        let pages = Pages::of(facts, hosts);
        if !logged && pages.is_none() {
            return None;
        }
        let last = |name: &'static str| {
            let mut each = hosts.iter().rev();
            let last = each.find_map(|host| number(facts, Of::Host(*host), name))?;
            Some(last.value)
        };
        let grew = |name: &'static str| growth(facts, hosts, name).map(|by| by.value);
        let counted = COUNTERS.into_iter().find_map(|(fact, name)| {
            let count = grew(fact).or_else(|| last(fact))?;
            (count > 0.0).then_some((name, count))
        });
        Some(UsedUp {
            pages,
            orphans: last(ORPHANS),
            logged,
            counted,
            quiet: grew(RECEIVE_DROPS) == Some(0.0),
            assumed: false,
        })
    }

    /// Whether its sockets have all that TCP gets.
    fn is_most(&self) -> bool {
        self.pages.is_some_and(Pages::is_most)
    }

    /// The most that is said by it.
    fn at_most(&self) -> f64 {
        match (self.is_most() && !self.assumed, &self.counted) {
            (true, Some(_)) => COUNTED,
            (true, None) if self.logged => BOTH,
            _ => LOGGED,
        }
    }

    /// What it says of an end, for people.
    fn sentence(&self, end: &str) -> String {
        let Some(Pages { used, limits }) = self.pages else {
            return format!(
                "the {end}'s kernel logged that TCP is out of memory: no buffer grows then, whatever its own setting allows; the log may be of another time"
            );
        };
        match self.is_most() {
            true => format!(
                "the sockets of the {end} have {used:.0} pages of memory in all, and TCP gets no more than {:.0} (the third value of tcp_mem): no buffer grows, whatever its own setting allows, and what arrives beyond it is dropped",
                limits[2]
            ),
            false => format!(
                "the sockets of the {end} have {used:.0} pages of memory in all, and from {:.0} on (tcp_mem) no buffer grows, whatever its own setting allows",
                limits[1]
            ),
        }
    }

    /// What its kernel dropped, beside this many segments that were sent again.
    fn beside(&self, again: f64) -> String {
        let by = match self.counted {
            Some((name, count)) => format!("its kernel counts {count:.0} of {name}"),
            None => "nstat -az TcpExtTCPRcvQDrop TcpExtPruneCalled on it, before and after a test, counts what it drops".to_owned(),
        };
        format!(
            "{again:.0} segments were sent again, and a receiver without memory drops what has crossed the path: {by}"
        )
    }
}

/// A host whose memory of TCP is used up and which may be either end, for people: whose it is, and how much it has.
fn open(facts: &Facts, flow: &Flow) -> Option<String> {
    let all = flow.receivers.iter().copied();
    let both: Vec<u32> = all.filter(|host| flow.senders.contains(host)).collect();
    let name = |host: u32| facts.hosts.get(host as usize)?.first();
    let speaks = |host: &u32| {
        number(facts, Of::Host(*host), USED).is_some()
            || word(facts, Of::Host(*host), SHORT).is_some()
    };
    let first = both.iter().copied().find(speaks)?;
    let own = both.into_iter().filter(|host| name(*host) == name(first));
    let own: Vec<u32> = own.collect();
    let used = UsedUp::of(facts, &own)?;
    let whose = name(first).map_or("a host", String::as_str);
    Some(match used.pages {
        Some(pages) => format!(
            "{ALL_SOCKETS} {whose} is {}: they have {:.0} pages, and by tcp_mem no buffer grows from {:.0} on, and TCP gets no more than {:.0}. {FIND} sysctl -w net.ipv4.tcp_mem=\"{}\", four times what it is, gives TCP more",
            if pages.is_most() { "used up" } else { "short" },
            pages.used,
            pages.limits[1],
            pages.limits[2],
            pages.limits.map(|n| format!("{:.0}", 4.0 * n)).join(" ")
        ),
        None => format!(
            "{ALL_SOCKETS} {whose} is used up, as its kernel logged. {FIND} sysctl -w net.ipv4.tcp_mem, with four times each of the values that sysctl net.ipv4.tcp_mem prints, gives TCP more"
        ),
    })
}

/// What comes before more of that memory.
const FIND: &str = "ss -tm on it shows which sockets hold it: a program that does not read what arrived is mended first. Then";

/// What tells more of such a host.
const TELLS: &str = "as a receiver it drops what arrives beyond the most, and its peers send it again; as a sender it takes less from its programs. Which end it is of what is slow no text says: a test that is typed at its prompt does";

impl Evidence {
    /// The end whose memory of TCP is used up, as its kernel logged or counts: what its settings allow is the most then.
    pub(crate) fn of_tcp_memory(&mut self, facts: &Facts, flow: &Flow) {
        let ends = [
            (Side::Receiver, &flow.receivers, &flow.senders),
            (Side::Sender, &flow.senders, &flow.receivers),
        ];
        let found = ends.into_iter().find_map(|(side, own, other)| {
            let alone = own.iter().copied().filter(|host| !other.contains(host));
            let alone: Vec<u32> = alone.collect();
            let assumed = alone.iter().all(|host| flow.assumed.contains(host));
            let used = UsedUp::of(facts, &alone)?;
            Some((side, UsedUp { assumed, ..used }))
        });
        let Some((side, used)) = found else {
            self.around.tcp_open = open(facts, flow);
            return;
        };
        let least = match used.is_most() {
            true => OF_SEGMENT * self.mss,
            false => self.mss,
        };
        let rooms = match side {
            Side::Receiver => &mut self.windows,
            Side::Sender => &mut self.buffers,
        };
        let by_setting = |room: &&mut Room| !room.asked;
        for room in rooms.iter_mut().filter(by_setting) {
            room.bytes.low = libm::fmin(least, room.bytes.low);
            room.what.push_str(", less while tcp_mem is used up");
        }
        self.around.tcp_memory = Some((side, used));
    }

    /// What that memory holds back.
    fn short_of_memory(&self) -> Option<Cause> {
        let (side, _) = self.around.tcp_memory.as_ref().filter(|_| !self.udp)?;
        Some(match side {
            Side::Receiver => Cause::ReceiveWindow,
            Side::Sender => Cause::SendBuffer,
        })
    }

    /// Whether it is that memory which makes this cause.
    pub(crate) fn lacks_memory(&self, cause: Cause) -> bool {
        self.short_of_memory() == Some(cause)
    }

    /// What a full socket of the receiver speaks for: the memory of all its sockets where they have the most, and its program otherwise.
    pub(crate) fn fills_socket(&self) -> Cause {
        let used = self.around.tcp_memory.as_ref();
        let most = used.is_some_and(|(_, used)| used.is_most());
        match most && self.lacks_memory(Cause::ReceiveWindow) {
            true => Cause::ReceiveWindow,
            false => Cause::Client,
        }
    }

    /// The most that is said of a cause for which such a log speaks.
    pub(crate) fn at_most_of_memory(&self, cause: Cause) -> f64 {
        let seen = self.rwnd_share.is_some() || self.sndbuf_share.is_some();
        match &self.around.tcp_memory {
            Some((_, used)) if self.lacks_memory(cause) && !seen => used.at_most(),
            _ => 1.0,
        }
    }

    /// What is said first of a host whose memory of TCP is used up, where no text says how fast anything was.
    pub(crate) fn memory_alone(&self) -> Option<String> {
        let open = self.around.tcp_open.as_ref();
        Some(format!("{}; {TELLS}", open?))
    }
}

/// What a host says of that memory.
pub(crate) fn by_tcp_memory(e: &Evidence, items: &mut Vec<Item>) {
    let beside = e.memory_alone().filter(|_| e.rate.is_some());
    items.extend(beside.map(|sentence| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence,
    }));
    let (Some(cause), Some((side, used))) = (e.short_of_memory(), &e.around.tcp_memory) else {
        return;
    };
    let rate = e.settled().map_or(0.0, |r| r.value);
    let line = e.line.as_ref().map(|(l, _)| l.value * e.payload_share());
    let holds = line.map_or(1.0, |line| 1.0 - step(rate / line, FULL[0], FULL[1]));
    items.push(Item {
        holds,
        weights: vec![(cause, WEIGHT)],
        sentence: used.sentence(side.name()),
    });
    let again = e.sent_again().filter(|again| *again > 0.0);
    let drops = *side == Side::Receiver && used.is_most() && !used.quiet;
    if let Some(again) = again.filter(|_| drops) {
        let [own, losses] = match used.counted {
            Some(_) => DROPPED,
            None => BESIDE,
        };
        items.push(Item {
            holds,
            weights: [of(&LOSSES, losses), vec![(cause, own)]].concat(),
            sentence: used.beside(again),
        });
    }
}
