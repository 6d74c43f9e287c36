//! Tests that tools reported, of either end.

use std::collections::BTreeMap;

use crate::account::Account;
use crate::fact::{Figure, Place};
use crate::lines::burst::{AFTER_BURST, after_burst};
use crate::programs::requests::MOUNTER;
use crate::read::COPIER;
use crate::series::outage::Recorded;

/// When a test began, seconds since 1970-01-01 00:00 UTC.
pub(crate) const STARTED: &str = "started_utc_s";

/// What a test is marked with that stands in one row among others, as `grep` leaves them of logs: they are between the same hosts.
pub(crate) const SERIES: &str = "series";

/// What a report calls the buffers that its program asked for.
pub(crate) const ASKED: [&str; 2] = [
    "send_buffer_requested_bytes",
    "receive_buffer_requested_bytes",
];

/// Which end printed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The end that sends the data.
    Sender,
    /// The end that receives it.
    Receiver,
}

impl Side {
    /// The end, for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Side::Sender => "sender",
            Side::Receiver => "receiver",
        }
    }

    /// The other end.
    pub(crate) fn other(self) -> Side {
        match self {
            Side::Sender => Side::Receiver,
            Side::Receiver => Side::Sender,
        }
    }
}

/// What the name of a file or a heading calls a host. Which end a client is depends on the test: of a download it receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An end, whoever opened the connection.
    End(Side),
    /// The host that opened the connection.
    Client,
    /// The host that waited for it.
    Server,
}

impl Role {
    /// The end it is of, where the client is the end `client`.
    pub(crate) fn side(self, client: Side) -> Side {
        match self {
            Role::End(side) => side,
            Role::Client => client,
            Role::Server => client.other(),
        }
    }
}

/// An end of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// Address or name; empty if it was not printed.
    pub host: String,
    /// Port, if it was printed.
    pub port: Option<u16>,
}

impl End {
    /// `192.0.2.1:5201`, `[2001:db8::1]:5201`.
    pub(crate) fn shown(&self) -> String {
        match (self.host.contains(':'), self.port) {
            (true, Some(port)) => format!("[{}]:{port}", self.host),
            (false, Some(port)) => format!("{}:{port}", self.host),
            (_, None) => self.host.clone(),
        }
    }
}

/// What one end reported of the whole test.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Rate of payload, bit/s.
    pub goodput: Figure,
    /// Payload, bytes.
    pub bytes: Option<Figure>,
    /// How long it took.
    pub seconds: f64,
}

/// An interval of a test, all streams together.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its start, seconds since that of the test.
    pub from: f64,
    /// Its end.
    pub until: f64,
    /// Rate of payload, bit/s.
    pub bps: f64,
    /// Segments sent again in it, where that was printed.
    pub retransmits: Option<f64>,
    /// Congestion window at its end, bytes, all streams together, where that was printed.
    pub cwnd: Option<f64>,
    /// Whose it is.
    pub side: Side,
    /// Where it was read.
    pub at: Place,
}

/// What one of the connections side by side sent again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamCount {
    /// What its tool calls it.
    pub id: String,
    /// The port of the end that opened it, if it was printed.
    pub port: Option<u16>,
    /// Payload, bytes.
    pub bytes: f64,
    /// Segments sent again.
    pub again: f64,
    /// Intervals in which that was counted.
    pub intervals: u32,
    /// Those in which some were sent again.
    pub lossy: u32,
    /// Whether a closing line said it of the whole test.
    pub whole: bool,
}

impl StreamCount {
    /// Takes an interval's bytes and segments sent again.
    pub(crate) fn interval(&mut self, bytes: f64, again: f64) {
        self.intervals += 1;
        self.lossy += u32::from(again > 0.0);
        if !self.whole {
            self.bytes += bytes;
            self.again += again;
        }
    }

    /// Takes what a closing line says of the whole test.
    pub(crate) fn whole(&mut self, bytes: f64, again: f64) {
        (self.bytes, self.again, self.whole) = (bytes, again, true);
    }
}

/// Most connections side by side of which each is counted.
const COUNTS_MAX: usize = 256;

/// A test, as one text reported it.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The tool.
    pub tool: &'static str,
    /// Where it was read first.
    pub at: Place,
    /// The end that sends.
    pub from: End,
    /// The end that receives.
    pub to: End,
    /// Which end opened the connection: the sender, unless the data was fetched.
    pub client: Side,
    /// The port of the end that waited, where a command or a head says it and no line of the connection does.
    pub(crate) service: Option<u16>,
    /// Other names of the two.
    pub aliases: [Vec<String>; 2],
    /// What it is called besides, where others are between the same ends; empty if it was not named.
    pub name: String,
    /// Datagrams, not a connection.
    pub udp: bool,
    /// Connections side by side.
    pub streams: u32,
    /// What the sender reported.
    pub sent: Option<Report>,
    /// What the receiver reported.
    pub received: Option<Report>,
    /// Rates of the connections side by side, where each was printed, by the sender and by the receiver.
    pub each: [Vec<Figure>; 2],
    /// The intervals.
    pub rows: Vec<Row>,
    /// What each of the connections side by side sent again, where that was printed of each.
    pub counts: Vec<StreamCount>,
    /// What else was said of it, by name with the unit last.
    pub numbers: BTreeMap<&'static str, Figure>,
    /// Names of congestion controls, by side, and of others that it speaks of.
    pub words: BTreeMap<&'static str, String>,
    /// What held the sender back, where that was seen.
    pub account: Option<Account>,
    /// What a record shows besides: outages, and what its links dropped.
    pub(crate) recorded: Option<Recorded>,
}

impl Test {
    pub(crate) fn new(tool: &'static str, at: Place) -> Test {
        Test {
            tool,
            at,
            from: End::default(),
            to: End::default(),
            client: Side::Sender,
            service: None,
            aliases: [Vec::new(), Vec::new()],
            name: String::new(),
            udp: false,
            streams: 1,
            sent: None,
            received: None,
            each: [Vec::new(), Vec::new()],
            rows: Vec::new(),
            counts: Vec::new(),
            numbers: BTreeMap::new(),
            words: BTreeMap::new(),
            account: None,
            recorded: None,
        }
    }

    /// The same test, the data going the other way.
    pub(crate) fn turn(&mut self) {
        core::mem::swap(&mut self.from, &mut self.to);
        self.aliases.swap(0, 1);
        self.client = self.client.other();
        for row in &mut self.rows {
            row.side = row.side.other();
        }
    }

    /// The same without its intervals, and with what lasted of them after a burst.
    pub(crate) fn head(&self) -> Test {
        let mut numbers = self.numbers.clone();
        let lasting = after_burst(self).filter(|_| !self.udp);
        let words = ["cc", MOUNTER, SERIES].into_iter();
        let words = words.filter_map(|name| self.words.get_key_value(name));
        let words = words.map(|(name, word)| (*name, word.clone()));
        numbers.extend(lasting.map(|then| (AFTER_BURST, Figure::exact(then, self.at))));
        Test {
            from: self.from.clone(),
            to: self.to.clone(),
            client: self.client,
            aliases: self.aliases.clone(),
            name: self.name.clone(),
            udp: self.udp,
            streams: self.streams,
            sent: self.sent.clone(),
            received: self.received.clone(),
            numbers,
            words: words.collect(),
            recorded: self.recorded.clone(),
            ..Test::new(self.tool, self.at)
        }
    }

    /// The truth of what was delivered: the receiver's report before the sender's.
    pub(crate) fn goodput(&self) -> Option<(&Figure, Side)> {
        let received = self.received.as_ref().map(|r| (&r.goodput, Side::Receiver));
        received.or_else(|| self.sent.as_ref().map(|r| (&r.goodput, Side::Sender)))
    }

    /// Whether it says which way the data went: a copy of `robocopy` between letters of drives does not.
    pub(crate) fn says_its_way(&self) -> bool {
        self.tool != "robocopy" || self.words.contains_key(COPIER)
    }

    /// The rate of each of the connections side by side, as far as those of all were printed.
    pub(crate) fn each(&self) -> &[Figure] {
        let [sent, received] = &self.each;
        let all = |each: &&Vec<Figure>| each.len() == self.streams as usize && each.len() > 1;
        [received, sent]
            .into_iter()
            .find(all)
            .map_or(&[], Vec::as_slice)
    }

    /// Whether it says how fast anything was.
    pub(crate) fn is_measured(&self) -> bool {
        self.goodput().is_some() || !self.rows.is_empty()
    }

    /// Whether the sender's intervals make twice what arrived, or more: what its socket took, or was said to take, is not what left it.
    pub(crate) fn overstates(&self, rows: &[&Row]) -> bool {
        let mean = rows.iter().map(|r| r.bps).sum::<f64>() / rows.len().max(1) as f64;
        let came = self.received.as_ref().map(|r| r.goodput.value);
        came.is_some_and(|came| mean > 2.0 * came)
    }

    /// What is counted of the connection of this name; none of too many.
    pub(crate) fn count(&mut self, id: &str) -> Option<&mut StreamCount> {
        let known = self.counts.iter().position(|c| c.id == id);
        if known.is_none() && self.counts.len() < COUNTS_MAX {
            self.counts.push(StreamCount {
                id: id.to_owned(),
                ..StreamCount::default()
            });
        }
        let at = known.unwrap_or(self.counts.len().saturating_sub(1));
        self.counts.get_mut(at).filter(|c| c.id == id)
    }

    /// Sets a number, the first that is said of it.
    pub(crate) fn set(&mut self, name: &'static str, figure: Figure) {
        self.numbers.entry(name).or_insert(figure);
    }

    /// How many facts it stands for.
    pub(crate) fn facts(&self) -> usize {
        let reports = usize::from(self.sent.is_some()) + usize::from(self.received.is_some());
        reports + self.rows.len() + self.numbers.len() + self.words.len()
    }
}

/// The shortest of these intervals, seconds; infinity without any.
pub(crate) fn shortest<'r>(rows: impl IntoIterator<Item = &'r Row>) -> f64 {
    let lasts = rows.into_iter().map(|r| r.until - r.from);
    lasts.fold(f64::INFINITY, f64::min)
}

/// The intervals of a test's start, a sixth of them, and those after it.
pub(crate) fn after_start<T>(rows: &[T]) -> (&[T], &[T]) {
    rows.split_at(rows.len().div_ceil(6))
}

#[cfg(test)]
impl Row {
    /// A sender's seconds, one behind the other: Mbit/s, and what was sent again in each.
    pub(crate) fn seconds(all: &[(f64, f64)]) -> Vec<Row> {
        Row::intervals(
            1.0,
            all.iter().map(|(mbit, again)| (mbit * 1e6, *again, None)),
        )
    }

    /// A sender's intervals, each of so many seconds, one behind the other: bit/s, what was sent again in each, and the window in bytes.
    pub(crate) fn intervals(
        each_s: f64,
        all: impl IntoIterator<Item = (f64, f64, Option<f64>)>,
    ) -> Vec<Row> {
        let row = |(n, (bps, again, cwnd)): (usize, (f64, f64, Option<f64>))| Row {
            from: each_s * n as f64,
            until: each_s * (n + 1) as f64,
            bps,
            retransmits: Some(again),
            cwnd,
            side: Side::Sender,
            at: Place::You,
        };
        all.into_iter().enumerate().map(row).collect()
    }
}
