//! One flow of datagrams: both directions, and what it carries.

use farpath_record::count_of;
use farpath_record::trace::{FlowDirection, TraceFlow};

use crate::clock::Clock;
use crate::describe::end_text;
use crate::flows::dns::Dns;
use crate::flows::echo::Echo;
use crate::flows::icmp::{address_text, protocol_name};
use crate::flows::quic::{self, Quic};
use crate::flows::stream::Streams;
use crate::segment::{End, Segment};

/// Directions whose numbers are followed; of further ones packets and bytes are counted.
pub(crate) const FOLLOWED_MAX: usize = 20_000;

/// What one end sent.
#[derive(Clone, Debug, Default)]
struct Way {
    packets: u64,
    bytes: u64,
    first: i64,
    last: i64,
    last_length: u64,
    least: u64,
    most: u64,
    fragmented: u64,
    marks: u64,
    /// What is read of its payload; none where that is over.
    streams: Option<Box<Streams>>,
}

impl Way {
    fn take(&mut self, s: &Segment, length: u64) {
        if self.packets == 0 {
            (self.first, self.least) = (s.at, length);
        }
        self.packets += 1;
        self.bytes += length;
        (self.last, self.last_length) = (s.at, length);
        self.least = self.least.min(length);
        self.most = self.most.max(length);
        self.fragmented += u64::from(s.fragmented);
        self.marks += u64::from(s.ecn == 3);
    }

    fn described(&mut self, began: i64) -> FlowDirection {
        let since = |at: i64| (self.packets > 0).then(|| (at - began).max(0) as u64);
        let took = (self.last - self.first).max(0) as u128;
        // The last packet's time is where the span ends: what it carries took no part of it.
        let before = u128::from(self.bytes - self.last_length);
        let rate = (before * 8_000_000_000).checked_div(took).unwrap_or(0);
        FlowDirection {
            packets: self.packets,
            bytes: self.bytes,
            first_ns: since(self.first),
            last_ns: since(self.last),
            rate_bps: u64::try_from(rate).unwrap_or(u64::MAX),
            size_min_bytes: self.least,
            size_avg_bytes: self.bytes.checked_div(self.packets).unwrap_or(0),
            size_max_bytes: self.most,
            fragmented: self.fragmented,
            congestion_marks: self.marks,
            streams: self
                .streams
                .take()
                .map_or_else(Vec::new, |mut s| s.stated()),
        }
    }
}

/// One flow; index 0 is the end that sent first.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub(crate) ends: [End; 2],
    protocol: u8,
    pub(crate) started: i64,
    clock: Clock,
    ways: [Way; 2],
    pub(crate) dns: Option<Box<Dns>>,
    pub(crate) echo: Option<Box<Echo>>,
    quic: Option<Box<Quic>>,
    /// The file that it was seen in last.
    pub(crate) file: u32,
    /// The number of the flow between the same ends in an earlier file.
    pub(crate) same_as: Option<u64>,
    /// The number of the flow whose first datagram its own repeats from another port.
    pub(crate) retry_of: Option<u64>,
}

impl Flow {
    pub(crate) fn new(first: &Segment, ends: [End; 2]) -> Flow {
        Flow {
            ends,
            protocol: first.protocol,
            started: first.at,
            clock: Clock::new(first.at),
            ways: Default::default(),
            dns: None,
            echo: None,
            quic: None,
            file: first.place >> 16,
            same_as: None,
            retry_of: None,
        }
    }

    /// Counts a packet; which end sent it, and when, never before the packet before.
    pub(crate) fn count(&mut self, s: &Segment, from: End, length: u64) -> (usize, i64) {
        let side = usize::from(from != self.ends[0]);
        let mut s = *s;
        s.at = self.clock.time(s.at);
        self.ways[side].take(&s, length);
        (side, s.at)
    }

    /// Reads a UDP payload that is not DNS; `followed` is how many directions are followed in all flows.
    pub(crate) fn read(&mut self, side: usize, at: i64, payload: &[u8], followed: &mut usize) {
        if let Some(quic) = &mut self.quic {
            quic.take(side, at, payload);
            return;
        }
        let is_first = self.ways[side].packets == 1;
        if is_first && quic::begins(payload) {
            let mut quic = Box::<Quic>::default();
            quic.take(side, at, payload);
            self.quic = Some(quic);
            return;
        }
        let way = &mut self.ways[side];
        if is_first && *followed < FOLLOWED_MAX {
            *followed += 1;
            way.streams = Some(Box::new(Streams::new()));
        }
        if let Some(streams) = &mut way.streams
            && !streams.take(at, payload)
        {
            way.streams = None;
            *followed -= 1;
        }
    }

    /// Whether a packet came back.
    pub(crate) fn is_answered(&self) -> bool {
        self.ways[1].packets > 0
    }

    /// Whether its first packet was just counted, and nothing else.
    pub(crate) fn is_begun(&self) -> bool {
        self.ways[0].packets == 1 && !self.is_answered()
    }

    /// When its last packet was captured.
    pub(crate) fn last(&self) -> i64 {
        self.clock.last
    }

    /// The end whose name is of use: the one that was asked.
    pub(crate) fn server(&self) -> u128 {
        self.ends[1].address
    }

    /// Describes it; the capture ends at `end`.
    pub(crate) fn described(&mut self, id: u64, end: i64, room: &mut usize) -> TraceFlow {
        let dns = self.dns.as_mut().filter(|d| d.is_any());
        let left_out = dns.as_ref().map_or(0, |d| d.left_out);
        let dns = dns.map(|d| d.stated(self.started, room));
        let [a2b, b2a] = [0, 1].map(|n| self.ways[n].described(self.started));
        let numbered = a2b.streams.first().or(b2a.streams.first());
        let application = if self.quic.is_some() {
            Some("quic".to_owned())
        } else if self.echo.is_some() {
            Some("echo".to_owned())
        } else if dns.is_some() {
            Some("dns".to_owned())
        } else {
            numbered.map(|s| s.kind.clone())
        };
        let name = |end: &End| match (&self.echo, end.port) {
            (Some(_), _) | (None, 0) => address_text(end.address),
            (None, _) => end_text(end),
        };
        let mut notes = Vec::new();
        if let Some(other) = self.same_as {
            notes.push(format!(
                "it has the ends of flow {other} and another file: both count, perhaps the same packets"
            ));
        }
        if let Some(first) = self.retry_of {
            notes.push(format!(
                "it begins with the first datagram of flow {first}, which had no answer then, from another port: a retry"
            ));
        }
        if left_out > 0 {
            notes.push(format!(
                "{} not followed: too many waited for answers",
                count_of(left_out, "query was", "queries were")
            ));
        }
        for stream in a2b.streams.iter().chain(&b2a.streams) {
            if stream.kind != "rtp" && stream.first_number > 1 {
                notes.push(format!(
                    "the first number seen is {}: what was lost before it is not counted",
                    stream.first_number
                ));
            }
        }
        if self.clock.steps > 0 {
            notes.push(format!(
                "time goes backwards {}: the capture's clock was set, or files or interfaces are not in order",
                count_of(self.clock.steps, "time", "times")
            ));
        }
        TraceFlow {
            id,
            protocol: protocol_name(self.protocol),
            application,
            a: name(&self.ends[0]),
            b: name(&self.ends[1]),
            name: None,
            start_ns: self.started,
            duration_ns: (self.last() - self.started).max(0) as u64,
            retry_of: self.retry_of,
            notes,
            a2b,
            b2a,
            echo: self.echo.as_ref().map(|e| e.stated(end)),
            dns,
            quic: self.quic.as_ref().map(|q| q.stated()),
        }
    }
}
