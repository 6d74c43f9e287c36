//! Packets that are not TCP: flows of UDP and of echoes, and errors that ICMP reports, within bounds.

pub(crate) mod dns;
mod echo;
mod flow;
pub(crate) mod icmp;
mod numbered;
mod quic;
mod retries;
mod stream;

use std::collections::BTreeSet;

use farpath_record::trace::TraceFlow;

use crate::filter::Filter;
use crate::flows::dns::{Dns, Names};
use crate::flows::echo::Echo;
use crate::flows::flow::Flow;
use crate::flows::icmp::Errors;
use crate::flows::retries::{Request, Requests};
use crate::index::{Index, Key};
use crate::peel::{PROTOCOL_UDP, Rest};
use crate::segment::{End, Segment};

/// Flows kept; packets of further ones are only counted.
pub(crate) const FLOWS_MAX: usize = 50_000;
/// Queries of DNS that wait in all flows together.
const WAITING_MAX: usize = 1 << 16;
/// The port of DNS (RFC 1035 §4.2).
pub(crate) const PORT_DNS: u16 = 53;
/// Bytes of a UDP header.
const UDP_HEADER: usize = 8;

/// All flows.
pub(crate) struct Flows {
    udp: Index,
    icmp: Index,
    list: Vec<Flow>,
    pub(crate) errors: Errors,
    pub(crate) names: Names,
    /// What flows began with.
    requests: Requests,
    /// Queries of DNS that may still wait.
    room: usize,
    /// Directions whose numbers are followed.
    followed: usize,
    /// Packets of flows that found no room.
    pub(crate) untracked: u64,
}

impl Flows {
    pub(crate) fn new() -> Flows {
        Flows {
            udp: Index::new(),
            icmp: Index::new(),
            list: Vec::new(),
            errors: Errors::default(),
            names: Names::default(),
            requests: Requests::default(),
            room: WAITING_MAX,
            followed: 0,
            untracked: 0,
        }
    }

    /// The flow between two ends, perhaps a new one.
    fn find(&mut self, s: &Segment, from: End, to: End) -> Option<&mut Flow> {
        let index = if s.protocol == PROTOCOL_UDP {
            &mut self.udp
        } else {
            &mut self.icmp
        };
        let key = Key::new(from, to);
        let file = s.place >> 16;
        let known = index.find(&key).map(|place| place as usize);
        // A file that begins before the flow ended holds it once more.
        let goes_on = known.filter(|place| {
            let flow = &mut self.list[*place];
            let goes_on = flow.file == file || s.at >= flow.last();
            if goes_on {
                flow.file = file;
            }
            goes_on
        });
        let place = match goes_on {
            Some(place) => place,
            None => {
                let place = self.list.len();
                if place >= FLOWS_MAX || !index.insert(key, place as u32) {
                    self.untracked += 1;
                    return None;
                }
                let mut flow = Flow::new(s, [from, to]);
                flow.same_as = known.map(|place| place as u64 + 1);
                self.list.push(flow);
                place
            }
        };
        self.list.get_mut(place)
    }

    /// Takes in a UDP datagram; false where its header contradicts itself.
    pub(crate) fn udp(&mut self, s: &Segment, inside: Rest<'_>) -> bool {
        let Some(stated) = inside.two(4).map(u64::from) else {
            return true;
        };
        let header = UDP_HEADER as u64;
        let length = match stated {
            // A datagram longer than its field (RFC 2675 §4), or what segmentation offload leaves.
            0 => u64::from(inside.length).saturating_sub(header),
            short if short < header => return false,
            stated => stated - header,
        };
        let bytes = inside.bytes.get(UDP_HEADER..).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(length as usize)];
        // A client has another port for each query: they belong together.
        let (mut from, mut to) = (s.from, s.to);
        let port = match (from.port, to.port) {
            (PORT_DNS, PORT_DNS) => Some(PORT_DNS),
            (_, PORT_DNS) => Some(std::mem::take(&mut from.port)),
            (PORT_DNS, _) => Some(std::mem::take(&mut to.port)),
            _ => None,
        };
        let (mut room, mut followed) = (self.room, self.followed);
        let Some(flow) = self.find(s, from, to) else {
            return true;
        };
        let (side, at) = flow.count(s, from, length);
        let Some(port) = port else {
            flow.read(side, at, bytes, &mut followed);
            let is_whole = !bytes.is_empty() && bytes.len() as u64 == length;
            if flow.is_begun() && is_whole {
                self.begin(s, bytes);
            }
            self.followed = followed;
            return true;
        };
        if let Some(message) = dns::read(bytes) {
            let began = flow.started;
            let dns = flow.dns.get_or_insert_with(Box::<Dns>::default);
            dns.take(&message, port, at, began, &mut room);
            self.room = room;
            self.names.take(&message, at);
        }
        true
    }

    /// The last flow has begun, perhaps with what another one of its client began with and had no answer to.
    fn begin(&mut self, s: &Segment, payload: &[u8]) {
        let request = Request::of(s, payload);
        let place = self.list.len() - 1;
        let first = self.requests.first(&request, s);
        match first.filter(|first| !self.list[*first].is_answered()) {
            Some(first) => self.list[place].retry_of = Some(first as u64 + 1),
            None => self.requests.add(request, s, place),
        }
    }

    /// Takes in a segment of a server of DNS over TCP (RFC 7766 §8), for the names that it gives: of messages that begin with
    /// it and are whole.
    #[cold]
    pub(crate) fn dns_answers(&mut self, s: &Segment, inside: Rest<'_>) {
        let header = inside.length.saturating_sub(s.length) as usize;
        let mut bytes = inside.bytes.get(header..).unwrap_or_default();
        while let Some((length, rest)) = bytes.split_first_chunk::<2>() {
            let length = usize::from(u16::from_be_bytes(*length));
            let Some((message, after)) = rest.split_at_checked(length) else {
                return;
            };
            if let Some(message) = dns::read(message) {
                self.names.take(&message, s.at);
            }
            bytes = after;
        }
    }

    /// Takes in a message of ICMP; what it is called where it is neither an echo nor an error.
    pub(crate) fn icmp(
        &mut self,
        s: &Segment,
        inside: Rest<'_>,
        filter: Option<&Filter>,
    ) -> Option<&'static str> {
        let is_wanted = |s: &Segment| filter.is_none_or(|f| f.matches(s));
        if let Some(reported) = icmp::read(inside, s) {
            if filter.is_some_and(|f| !reported.is_wanted(f, s)) {
                return Some("filtered");
            }
            self.errors.take(reported, s.at);
            return None;
        }
        if !is_wanted(s) {
            return Some("filtered");
        }
        let is_request = match inside.one(0) {
            Some(8 | 128) => true,
            Some(0 | 129) => false,
            _ => return None,
        };
        let (Some(identifier), Some(number)) = (inside.two(4), inside.two(6)) else {
            return Some("cut_off");
        };
        let (mut from, mut to) = (s.from, s.to);
        let asking = if is_request { &mut from } else { &mut to };
        asking.port = identifier;
        let length = u64::from(inside.length).saturating_sub(UDP_HEADER as u64);
        let flow = self.find(s, from, to)?;
        let (_, at) = flow.count(s, from, length);
        let echo = flow
            .echo
            .get_or_insert_with(|| Box::new(Echo::new(identifier)));
        if is_request {
            echo.request(number, at);
        } else {
            echo.reply(number, at);
        }
        None
    }

    /// The number of the flow that an error quotes.
    pub(crate) fn number(&self, protocol: u8, [mut a, mut b]: [End; 2]) -> Option<u64> {
        let index = if protocol == PROTOCOL_UDP {
            match (a.port, b.port) {
                (PORT_DNS, PORT_DNS) => {}
                (_, PORT_DNS) => a.port = 0,
                (PORT_DNS, _) => b.port = 0,
                _ => {}
            }
            &self.udp
        } else {
            &self.icmp
        };
        index
            .find(&Key::new(a, b))
            .map(|place| u64::from(place) + 1)
    }

    /// Describes all of them; the capture ends at `end`.
    pub(crate) fn described(&mut self, end: i64) -> Vec<TraceFlow> {
        // What nobody ever answers may be reports, which are not sent again.
        let answered = self.list.iter().zip(1_u64..);
        let answered = answered.filter(|(flow, _)| flow.is_answered());
        let answered: BTreeSet<u64> = answered
            .map(|(flow, number)| flow.retry_of.unwrap_or(number))
            .collect();
        let mut all = Vec::new();
        for (n, flow) in self.list.iter_mut().enumerate() {
            flow.retry_of = flow.retry_of.filter(|first| answered.contains(first));
            let mut described = flow.described(n as u64 + 1, end, &mut self.room);
            described.name = self
                .names
                .of(flow.server(), flow.started)
                .map(str::to_owned);
            all.push(described);
        }
        all
    }
}
