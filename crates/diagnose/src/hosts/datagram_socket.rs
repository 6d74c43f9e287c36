//! A host that drops datagrams at full sockets, where no test says how fast they came: what its counters and its sockets say.

use std::collections::BTreeMap;

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::{Fact, Of, Place};
use crate::items::Item;
use crate::part::part;
use crate::read::Facts;
use crate::read::counters::RECEIVED;
use crate::read::ss::FullSocket;

/// Datagrams that a host dropped at full sockets, as facts have them.
const DROPPED: &str = "host_datagrams_dropped";

/// What it is worth, decibans: by a sign of now and another, by one of now, by a share since the start and a socket, and by one that may be of
/// any time. Choices.
const BOTH: f64 = 30.0;
const NOW: f64 = 26.0;
const EARLIER: f64 = 24.0;
const ONCE: f64 = 18.0;

/// From these parts of all datagrams on drops count: between two readings, and since a host's start. Fewer drops say nothing.
const GREW: f64 = 0.01;
const STOOD: f64 = 0.05;
const DROPS_LEAST: f64 = 100.0;

/// A socket whose program has not read this part of what its buffer takes is full, or nearly so.
const FULL: f64 = 0.5;

/// What a buffer takes where nobody set another, bytes (net.core.rmem_default of Linux), and how much more one datagram may fill: what arrives
/// is let in while the buffer is not beyond that.
const DEFAULT: f64 = 212_992.0;
const BEYOND: f64 = 65_536.0;

/// The setting of that, as facts have it.
const SET: &str = "core_rmem_default_bytes";

/// Most sockets that are kept.
const SOCKETS_MAX: usize = 64;

/// What a program asks for against bursts, bytes: 134 ms of 1 Gbit/s. A choice.
const ROOM: u64 = 16_777_216;

/// The setting that bounds what a program may ask for.
const MOST: &str = "net.core.rmem_max";

impl FullSocket {
    /// Whether it is full, or nearly so: without its buffer where as much waits as the usual one takes.
    pub(crate) fn is_full(&self) -> bool {
        match self.buffer {
            Some(buffer) => buffer > 0.0 && self.waiting >= FULL * buffer,
            None => (DEFAULT..=DEFAULT + BEYOND).contains(&self.waiting),
        }
    }

    /// Whether a text says what its buffer takes, or nothing says that it is not the usual one.
    fn may_be_full(&self, facts: &Facts) -> bool {
        let set = facts.facts.iter().filter(|fact| fact.name == SET);
        let mut set = set.filter_map(Fact::number);
        self.buffer.is_some() || set.all(|bytes| bytes.value == DEFAULT)
    }

    /// Whether it is full and has dropped as much as says something.
    fn drops(&self) -> bool {
        self.is_full() && self.dropped >= DROPS_LEAST
    }

    fn sentence(&self, facts: &Facts) -> String {
        let buffer = match self.buffer {
            Some(buffer) => format!(
                "whose buffer takes {buffer:.0}, and it has dropped {:.0} datagrams",
                self.dropped
            ),
            None => format!("as many as a buffer takes where nobody set another, {DEFAULT:.0}"),
        };
        format!(
            "{:.0} bytes wait in the socket {}, {buffer} ({})",
            self.waiting,
            self.local,
            facts.place(self.at)
        )
    }
}

impl Facts {
    /// Takes a socket of datagrams, where it is full or has dropped some.
    pub(crate) fn socket_of_datagrams(&mut self, socket: FullSocket) {
        let says = socket.is_full() || socket.dropped >= DROPS_LEAST;
        if says && self.datagram_sockets.len() < SOCKETS_MAX {
            self.datagram_sockets.push(socket);
        }
    }
}

/// What a host counts of datagrams.
#[derive(Clone, Debug, PartialEq)]
struct Counted {
    host: String,
    dropped: f64,
    /// Of all that arrived for its programs.
    share: f64,
    /// It is what was counted from one reading to another, and not all since the host's start.
    grew: bool,
    at: Place,
}

impl Counted {
    /// Of the host that drops the largest share.
    fn of(facts: &Facts) -> Option<Counted> {
        let mut all: BTreeMap<&str, [Vec<&Fact>; 2]> = BTreeMap::new();
        for fact in &facts.facts {
            let Some(n) = [DROPPED, RECEIVED].iter().position(|n| *n == fact.name) else {
                continue;
            };
            let Of::Host(host) = fact.of else { continue };
            let names = facts.hosts.get(host as usize);
            let name = names.and_then(|names| names.first());
            let both = all.entry(name.map_or("", String::as_str)).or_default();
            both[n].push(fact);
        }
        let each = all
            .into_iter()
            .filter_map(|(host, [dropped, received])| Counted::of_host(host, &dropped, &received));
        each.max_by(|a, b| a.share.total_cmp(&b.share))
    }

    /// Of the readings of one host, in their order.
    fn of_host(host: &str, dropped: &[&Fact], received: &[&Fact]) -> Option<Counted> {
        let value = |fact: &Fact| fact.number().map(|figure| figure.value);
        let ends = |all: &[&Fact]| Some([value(all.first()?)?, value(all.last()?)?]);
        let ([first, last], [before, after]) = (ends(dropped)?, ends(received)?);
        let grew = last > first && after >= before;
        let (lost, passed) = match grew {
            true => (last - first, after - before),
            false => (last, after),
        };
        let share = lost / (lost + passed).max(1.0);
        let least = if grew { GREW } else { STOOD };
        (lost >= DROPS_LEAST && share >= least).then_some(Counted {
            host: host.to_owned(),
            dropped: lost,
            share,
            grew,
            at: dropped.last()?.at,
        })
    }

    fn sentence(&self, facts: &Facts) -> String {
        format!(
            "{} dropped {:.0} datagrams at full sockets, {} of those that arrived, {} ({})",
            match self.host.as_str() {
                "" => "the host that counts them",
                name => name,
            },
            self.dropped,
            part(self.share),
            match self.grew {
                true => "from one reading to the next",
                false => "since its start",
            },
            facts.place(self.at)
        )
    }
}

/// Datagrams that a host dropped at full sockets.
#[derive(Clone, Debug)]
pub(crate) struct Overfull {
    /// Whose sockets they are, for people.
    host: String,
    /// Whether counters that grew say so, and whether a socket does.
    grew: bool,
    by_socket: bool,
    /// What the signs say, for people.
    said: Vec<String>,
    /// What they are worth together, decibans.
    worth: f64,
}

impl Overfull {
    /// Of texts with a sign that says something by itself.
    fn of(facts: &Facts) -> Option<Overfull> {
        let counted = Counted::of(facts);
        let by_drops = |a: &&FullSocket, b: &&FullSocket| a.dropped.total_cmp(&b.dropped);
        let sockets = facts.datagram_sockets.iter();
        let socket = sockets.filter(|s| s.may_be_full(facts)).max_by(by_drops);
        let grew = counted.as_ref().is_some_and(|counted| counted.grew);
        let drops = socket.is_some_and(FullSocket::drops);
        let worth = match (&counted, socket) {
            (Some(_), Some(_)) if grew || drops => BOTH,
            (Some(_), Some(_)) => EARLIER,
            (Some(_), None) if grew => NOW,
            (Some(_), None) => ONCE,
            (None, Some(_)) if drops => NOW,
            _ => return None,
        };
        let of_count = counted.as_ref().map_or("", |counted| counted.host.as_str());
        let of_socket = socket.map_or("", |socket| socket.host.as_str());
        let host = match (of_count, of_socket) {
            ("", "") => "the receiving host",
            ("", name) | (name, _) => name,
        };
        let by_count = counted.as_ref().map(|counted| counted.sentence(facts));
        let by_socket = socket.map(|socket| socket.sentence(facts));
        Some(Overfull {
            host: host.to_owned(),
            grew,
            by_socket: socket.is_some_and(|socket| socket.buffer.is_some()),
            said: by_count.into_iter().chain(by_socket).collect(),
            worth,
        })
    }

    /// The signs that are missing, and what tells a slow program from a burst.
    pub(crate) fn asks(&self) -> Vec<MissingFact> {
        let ask = |fact, would_decide: &str, command: String| MissingFact {
            fact,
            would_decide: would_decide.to_owned(),
            command,
        };
        let count = ask(
            DROPPED,
            "whether the host still drops datagrams at full sockets: by how much the count grows, beside those that it hands on",
            format!(
                "on {}, twice, a minute apart: nstat -az UdpInDatagrams UdpRcvbufErrors",
                self.host
            ),
        );
        let sockets = ask(
            "datagram_socket",
            "which program's socket it is: its Recv-Q is near rb of skmem, and d of skmem grows",
            format!("on {}, as root: ss -uanmp", self.host),
        );
        let thread = ask(
            "reader_cpu_ratio",
            "whether the program is too slow all the time: one of its threads fills a processor then, and a larger buffer helps against bursts alone",
            format!("on {}, while datagrams come: top -H", self.host),
        );
        let lacks = [
            (!self.grew, count),
            (!self.by_socket, sockets),
            (true, thread),
        ];
        let lacks = lacks.into_iter().filter(|(lacks, _)| *lacks);
        lacks.map(|(_, fact)| fact).collect()
    }

    /// Room for bursts, and readers that keep up.
    fn change(&self) -> Change {
        let remedy = Remedy {
            commands: vec![
                format!("sysctl -w {MOST}={ROOM}, where it is smaller now: what a program may ask for"),
                format!("let the program ask for it, and start it again (SO_RCVBUF): rcvbufSize=\"{ROOM}\" of rsyslog's imudp, nfcapd -B {ROOM}. A program that asks for nothing has net.core.rmem_default"),
                "where a thread of the program fills a processor (top -H): more threads or processes on the same port (SO_REUSEPORT), or less work for each datagram. A larger buffer helps against bursts alone".to_owned(),
                "nstat -az UdpRcvbufErrors, and ss -uanm: neither that count nor d of skmem grows any more".to_owned(),
            ],
            undo: vec![format!(
                "sysctl -w {MOST}=VALUE, with the value that `sysctl {MOST}` printed before"
            )],
            persist: vec![format!("{MOST} = {ROOM} in a file of /etc/sysctl.d")],
            risk: format!(
                "each socket that asks may then use up to twice {ROOM} bytes of kernel memory"
            ),
            ..Remedy::default()
        };
        remedy.change(&self.host, None, None)
    }
}

impl Evidence {
    /// Takes what a host dropped at full sockets of datagrams, where no test says how fast they came.
    pub(crate) fn of_datagram_sockets(&mut self, facts: &Facts) {
        if self.rate.is_none() && !self.udp {
            self.around.overfull = Overfull::of(facts);
        }
    }

    /// What to change about it.
    pub(crate) fn change_datagram_sockets(&self) -> Option<Change> {
        self.around.overfull.as_ref().map(Overfull::change)
    }
}

/// Weighs it.
pub(crate) fn by_datagram_sockets(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.around.overfull.as_ref().map(|overfull| Item {
        holds: 1.0,
        weights: vec![(Cause::Client, overfull.worth)],
        sentence: format!(
            "{}: the program does not read as fast as they come, or comes back too late after bursts, and no part of the path loses these",
            overfull.said.join("; ")
        ),
    }));
}
