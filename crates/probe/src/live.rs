//! Running connections, watched from outside: samples of each by `NETLINK_SOCK_DIAG`. Nothing is sent.

mod ends;
mod filter;
mod kernel;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;

pub use ends::{Ended, Ends};
pub use filter::{Filter, FilterError};
pub use kernel::is_full;

use crate::clock::Clock;
use crate::report::Sample;
use crate::sys;
use crate::watch::{Stop, Watch, Woken};

/// Most connections that are watched; further ones are counted.
const CONNECTIONS_MAX: usize = 2000;

/// Most snapshots that are kept of one: beyond it every other one is dropped, and half as many are kept from then on.
const SNAPSHOTS_MAX: usize = 20_000;

/// Once all connections are gone, others are waited for so long: a test opens several, one after the other.
const LINGER_NS: u64 = 2_000_000_000;

/// What was seen of connections between two instants of CLOCK_MONOTONIC.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// How long it was watched, nanoseconds.
    pub lasted_ns: u64,
    /// Every connection that matched, by when it was seen first.
    pub connections: Vec<Seen>,
    /// Connections that matched and were too many to be watched.
    pub passed_over: usize,
    /// How many rounds of samples were taken.
    pub rounds: u64,
}

/// What was seen of one connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Its own end.
    pub local: SocketAddr,
    /// The other end.
    pub peer: SocketAddr,
    /// Its congestion control; none where the kernel does not say.
    pub cc: Option<String>,
    /// What does not change, or counts since its start, as of the last snapshot.
    pub details: Details,
    /// What changes, since the first one.
    pub snapshots: Vec<Snapshot>,
    /// It was there in the last round.
    pub open: bool,
    /// Every how many rounds a snapshot is kept.
    stride: u64,
}

/// What the kernel says of a connection beside its series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Details {
    /// Payload of a segment it sends, bytes.
    pub mss: u64,
    /// Smallest round-trip time.
    pub rtt_min_ns: Option<u64>,
    /// Round-trip time as its receiver measures it; none where it received nothing.
    pub receiver_rtt_ns: Option<u64>,
    /// Both ends offered window scaling.
    pub scaled: bool,
    /// Rate that the program set as the most, bit/s.
    pub pacing_limit_bps: Option<u64>,
    /// Times that segments were found to have overtaken others.
    pub reordered: u64,
    /// Segments sent again that had arrived.
    pub needless: u64,
    /// Segments received out of order.
    pub out_of_order: u64,
    /// The kernel keeps the timers that say what limited it (Linux 4.10).
    pub has_timers: bool,
}

/// A connection at one instant; counters are since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// What a series is made of; its time counts from the start of the watch.
    pub sample: Sample,
    /// Bytes acknowledged by the peer.
    pub acked: u64,
    /// Bytes received in order; in a connection's last words a FIN counts as one, if one came.
    pub received: u64,
    /// Bytes sent, again or not; none before Linux 4.19.
    pub sent: Option<u64>,
    /// Bytes sent again; none before Linux 4.19.
    pub resent: Option<u64>,
    /// Segments with data sent, again or not; 0 before Linux 4.6.
    pub segments: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Memory that the send buffer may take, bytes.
    pub send_buffer: Option<u64>,
    /// Memory that what is in it takes, packets' own account among it, bytes.
    pub send_queue: Option<u64>,
    /// Memory that the receive buffer may take, bytes.
    pub receive_buffer: Option<u64>,
    /// Bytes that were received and that the program has not read.
    pub unread: u64,
    /// Rate of the last delivery, bit/s.
    pub delivery_bps: Option<u64>,
}

/// What to watch.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Which connections.
    pub filter: Filter,
    /// How often a sample is taken, nanoseconds, above 0.
    pub every_ns: u64,
    /// How long at most, nanoseconds; none until they have all ended.
    pub for_ns: Option<u64>,
}

/// Watches connections until they have ended, the time is over, or `stop` is said. After each round `each` is handed what
/// was seen so far.
///
/// # Errors
/// Where the kernel has no `NETLINK_SOCK_DIAG` or does not answer.
pub fn watch(ask: &Ask, stop: &Stop, mut each: impl FnMut(&Watched)) -> io::Result<Watched> {
    let mut kernel = kernel::Kernel::open()?;
    let clock = Clock::from_zero(sys::monotonic_ns());
    let (_never, own) = Stop::new()?;
    let watch = Watch {
        clock,
        stop: [stop.clone(), own],
    };
    let mut book = Book::default();
    let end = ask.for_ns.unwrap_or(u64::MAX);
    let mut gone_since = None;
    loop {
        let now = clock.now();
        let mut found = Vec::new();
        kernel.connections(now, &ask.filter, &mut found)?;
        let some = book.round(now, found);
        each(&book.watched);
        gone_since = match some || book.watched.connections.is_empty() {
            true => None,
            false => gone_since.or(Some(now)),
        };
        let over = gone_since.is_some_and(|since| now.saturating_sub(since) >= LINGER_NS);
        if over || now >= end {
            break;
        }
        // The next round is due a whole number of intervals after the start, however long this one took.
        let next = (now / ask.every_ns + 1).saturating_mul(ask.every_ns);
        if watch.until(next.min(end)).map_err(io::Error::from)? == Woken::Stopped {
            break;
        }
    }
    Ok(book.watched)
}

/// A connection as the kernel lists it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The kernel's name for the socket.
    cookie: u64,
    /// Number of the socket's file: `socket:[INODE]` in `/proc/PID/fd`; 0 where no program holds it.
    pub inode: u32,
    /// Its own end.
    pub local: SocketAddr,
    /// The other end.
    pub peer: SocketAddr,
    /// Its congestion control; none where the kernel does not say.
    pub cc: Option<String>,
    /// What does not change, or counts since its start.
    pub details: Details,
    /// What changes.
    pub snapshot: Snapshot,
}

impl Found {
    /// One between two ends, its own first, of which nothing else is known.
    pub fn between([local, peer]: [SocketAddr; 2]) -> Found {
        Found {
            cookie: 0,
            inode: 0,
            local,
            peer,
            cc: None,
            details: Details::default(),
            snapshot: Snapshot::default(),
        }
    }
}

/// The TCP connections of one network namespace, whoever asks from wherever.
pub struct Sockets {
    kernel: kernel::Kernel,
}

impl Sockets {
    /// Those of the network namespace of the calling thread.
    ///
    /// # Errors
    /// Where the kernel has no `NETLINK_SOCK_DIAG`.
    pub fn open() -> io::Result<Sockets> {
        let kernel = kernel::Kernel::open()?;
        Ok(Sockets { kernel })
    }

    /// Every one that carries data, or may, as it is now; times are 0.
    ///
    /// # Errors
    /// Where the kernel does not answer.
    pub fn list(&mut self) -> io::Result<Vec<Found>> {
        let mut all = Vec::new();
        self.kernel.connections(0, &Filter::default(), &mut all)?;
        Ok(all)
    }
}

/// What was seen so far, and which entry each socket has.
#[derive(Default)]
struct Book {
    watched: Watched,
    entries: BTreeMap<u64, usize>,
    passed_over: std::collections::BTreeSet<u64>,
}

impl Book {
    /// Enters what a round found; whether it was anything.
    fn round(&mut self, now_ns: u64, found: Vec<Found>) -> bool {
        let round = self.watched.rounds;
        self.watched.rounds += 1;
        self.watched.lasted_ns = now_ns;
        for seen in &mut self.watched.connections {
            seen.open = false;
        }
        let some = !found.is_empty();
        for one in found {
            let entry = self.entries.get(&one.cookie).copied();
            let Some(seen) = entry.and_then(|n| self.watched.connections.get_mut(n)) else {
                self.enter(one);
                continue;
            };
            seen.open = true;
            seen.details = one.details;
            seen.cc = one.cc.or(seen.cc.take());
            seen.take(round, one.snapshot);
        }
        some
    }

    fn enter(&mut self, one: Found) {
        if self.watched.connections.len() >= CONNECTIONS_MAX {
            self.passed_over.insert(one.cookie);
            self.watched.passed_over = self.passed_over.len();
            return;
        }
        self.entries
            .insert(one.cookie, self.watched.connections.len());
        let ends = [one.local, one.peer];
        let mut seen = Seen::new(ends, one.details, vec![one.snapshot]);
        seen.cc = one.cc;
        self.watched.connections.push(seen);
    }
}

impl Seen {
    /// A connection between two ends with what was seen of it, still open.
    pub fn new(ends: [SocketAddr; 2], details: Details, snapshots: Vec<Snapshot>) -> Seen {
        let [local, peer] = ends;
        Seen {
            local,
            peer,
            cc: None,
            details,
            snapshots,
            open: true,
            stride: 1,
        }
    }

    /// Keeps a snapshot: the last one always, those before it every `stride` rounds.
    fn take(&mut self, round: u64, snapshot: Snapshot) {
        if !round.is_multiple_of(self.stride)
            && self.snapshots.len() > 2
            && let Some(last) = self.snapshots.last_mut()
        {
            *last = snapshot;
            return;
        }
        self.snapshots.push(snapshot);
        if self.snapshots.len() > SNAPSHOTS_MAX {
            let mut n = 0;
            self.snapshots.retain(|_| {
                n += 1;
                n % 2 == 1
            });
            self.snapshots.push(snapshot);
            self.snapshots.dedup();
            self.stride *= 2;
        }
    }
}

#[cfg(test)]
mod tests;
