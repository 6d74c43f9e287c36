//! Requests over UDP that are sent again from another port, as the first datagrams of flows show them.

use std::collections::{BTreeMap, VecDeque};

use crate::index::folded;
use crate::segment::{End, Segment};

/// Requests that are remembered; the oldest make room.
const REQUESTS_MAX: usize = 1 << 12;
/// One is sent again within this time, nanoseconds.
const AGAIN_NS: i64 = 10_000_000_000;

/// What is alike when a request is sent again. Of one host all have one TTL; probes that find routers have others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Request {
    from: u128,
    to: End,
    ttl: u8,
    /// Of the payload.
    length: usize,
    hash: u64,
}

impl Request {
    /// A datagram whose payload was captured whole.
    pub(crate) fn of(s: &Segment, payload: &[u8]) -> Request {
        let word = |bytes: &[u8]| bytes.iter().fold(0_u64, |w, b| (w << 8) | u64::from(*b));
        let words = payload.chunks(8).map(word);
        Request {
            from: s.from.address,
            to: s.to,
            ttl: s.ttl,
            length: payload.len(),
            hash: words.fold(payload.len() as u64, folded),
        }
    }
}

/// When a request was sent, from which port, and the place of its flow.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: i64,
    port: u16,
    place: usize,
}

/// Requests that may be sent again.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    sent: BTreeMap<Request, Sent>,
    /// The same in the order in which they came.
    oldest: VecDeque<(Request, usize)>,
}

impl Requests {
    /// The place of the flow that sent this request before, from another port and not long ago.
    pub(crate) fn first(&self, request: &Request, s: &Segment) -> Option<usize> {
        let sent = self.sent.get(request)?;
        let after = s.at.saturating_sub(sent.at);
        let is_again = sent.port != s.from.port && (0..=AGAIN_NS).contains(&after);
        is_again.then_some(sent.place)
    }

    /// Remembers a request, with the place of its flow.
    pub(crate) fn add(&mut self, request: Request, s: &Segment, place: usize) {
        if self.oldest.len() >= REQUESTS_MAX
            && let Some((oldest, place)) = self.oldest.pop_front()
            && self.sent.get(&oldest).is_some_and(|s| s.place == place)
        {
            self.sent.remove(&oldest);
        }
        self.oldest.push_back((request, place));
        let sent = Sent {
            at: s.at,
            port: s.from.port,
            place,
        };
        self.sent.insert(request, sent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(at: i64, port: u16) -> Segment {
        let from = End { address: 1, port };
        let to = End {
            address: 2,
            port: 161,
        };
        Segment {
            at,
            from,
            to,
            ttl: 64,
            ..Segment::default()
        }
    }

    #[test]
    fn one_payload_from_another_port_within_ten_seconds_is_the_same_request() {
        let mut requests = Requests::default();
        let first = sent(0, 5000);
        requests.add(Request::of(&first, b"who is there"), &first, 7);
        let found = |s: &Segment, payload: &[u8]| requests.first(&Request::of(s, payload), s);
        let again = sent(AGAIN_NS, 5001);
        assert_eq!(found(&again, b"who is there"), Some(7));
        assert_eq!(found(&again, b"who is here"), None);
        assert_eq!(found(&sent(1, 5000), b"who is there"), None);
        assert_eq!(found(&sent(AGAIN_NS + 1, 5001), b"who is there"), None);
        let probe = Segment { ttl: 2, ..again };
        assert_eq!(found(&probe, b"who is there"), None);
    }

    #[test]
    fn the_oldest_make_room() {
        let mut requests = Requests::default();
        let s = sent(0, 5000);
        let of = |n: usize| Request::of(&s, &n.to_be_bytes());
        for n in 0..=REQUESTS_MAX {
            requests.add(of(n), &s, n);
        }
        assert_eq!(requests.sent.len(), REQUESTS_MAX);
        let again = sent(1, 5001);
        assert_eq!(requests.first(&of(0), &again), None);
        assert_eq!(requests.first(&of(1), &again), Some(1));
    }
}
