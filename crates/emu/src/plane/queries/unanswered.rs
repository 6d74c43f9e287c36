//! Queries over UDP that arrived, were never answered, and were asked again.
//!
//! Who hears nothing sends a query again: the same bytes to the same end, from the same port or another. The two bytes in front may differ,
//! with which DNS numbers queries (RFC 1035 §4.1.1). Where one of them is answered at last, the others before it were not.
//! An answer that comes late, after the query has been asked again, is one all the same. So they count only where an end was asked as much
//! more often than it has answered, and has answered most. Who is sent the same again and again is sent a stream, and asked nothing.
//!
//! A slow server may answer each copy: an answer that names a query which has its answer already is that of a copy. Of such a server no query
//! is known to be unanswered, and it has had each from when the first copy came.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, SocketAddr};

use farpath_scenario::NodeId;
use farpath_scenario::plan::node_at;
use farpath_units::{Duration, Time};

use super::given_up::GivenUp;
use super::{join, sum};
use crate::plane::packet::{Cut, Packet, Way};

/// So many pairs of a host that asks and an end that answers are followed: what comes later is not known.
const PAIRS: usize = 1 << 10;

/// So many queries of a pair are followed at once, the last ones, and each for so many times.
const OPEN: usize = 16;
const TIMES: u64 = 10;

/// More datagrams than this without one back are a stream.
const STREAM: u64 = 64;

/// So many waits are kept of a pair: further queries are not counted.
const WAITS: usize = 1 << 10;

/// Bytes of the longest datagram that is taken for a query: DNS without its extensions (RFC 1035 §2.3.4).
const LONGEST: usize = 512;

/// Bytes in front that tell a query from another one with the same question.
const NUMBER: usize = 2;

/// A query that was not answered yet.
#[derive(Clone, Debug)]
struct Query {
    /// What was sent last, and from where.
    bytes: Box<[u8]>,
    port: u16,
    /// When it was sent first and last, and how often.
    first: Time,
    last: Time,
    times: u64,
    /// When it first arrived.
    arrived: Option<Time>,
    /// A datagram of it was lost.
    is_lost: bool,
}

impl Query {
    fn is_like(&self, bytes: &[u8]) -> bool {
        let is_same = || self.bytes[NUMBER..] == bytes[NUMBER..];
        self.bytes.len() == bytes.len() && is_same()
    }
}

/// A host that asks, and an end that answers.
#[derive(Clone, Debug, Default)]
struct Pair {
    open: VecDeque<Query>,
    /// Datagrams that were sent since the last one came back.
    silent: u64,
    /// Datagrams that arrived at the end that answers, and those that it sent back.
    arrived: u64,
    answers: u64,
    /// Queries that were asked again, and from when until when.
    again: u64,
    waits: Vec<(Time, Time)>,
    /// The last queries that were asked again and answered: their ports and bytes.
    done: VecDeque<(u16, Box<[u8]>)>,
    /// Answers to copies of these.
    copies: u64,
    /// When the end had queries that were asked again, from the first copy of each until the first answer.
    had: Vec<(Time, Time)>,
    given_up: GivenUp,
}

impl Pair {
    /// Whether these bytes were asked before, and are not answered yet.
    fn is_open(&self, bytes: &[u8]) -> bool {
        self.open.iter().any(|query| query.is_like(bytes))
    }

    fn asks(&mut self, port: u16, bytes: &[u8], now: Time) {
        if let Some(query) = self.open.iter_mut().find(|query| query.is_like(bytes)) {
            query.bytes.copy_from_slice(bytes);
            (query.port, query.last) = (port, now);
            query.times += 1;
            if query.times > TIMES {
                self.silent = STREAM + 1;
            }
            return;
        }
        if self.open.len() >= OPEN {
            self.open.pop_front();
        }
        self.open.push_back(Query {
            bytes: bytes.into(),
            port,
            first: now,
            last: now,
            times: 1,
            arrived: None,
            is_lost: false,
        });
    }

    /// Something is sent back to this port `now`. Whether it answers a copy of what was answered before.
    fn answered(&mut self, port: u16, bytes: &[u8], now: Time) -> bool {
        let number = bytes.get(..NUMBER);
        let is_its = |query: &Query| query.port == port;
        let is_named = |query: &Query| is_its(query) && query.bytes.get(..NUMBER) == number;
        // Some answers repeat the query.
        let is_whole = |query: &Query| is_its(query) && bytes.starts_with(&query.bytes);
        let done = |is: &dyn Fn(&[u8]) -> bool| {
            let mut all = self.done.iter();
            all.any(|(own, query)| *own == port && is(query))
        };
        let all = self.open.iter().filter(|query| is_its(query)).count();
        let named = self.open.iter().filter(|query| is_named(query)).count();
        let whole = self.open.iter().position(is_whole);
        let is_copy = whole.is_none()
            && (done(&|query| bytes.starts_with(query))
                || (named == 0 && done(&|query| query.get(..NUMBER) == number)));
        if is_copy {
            self.copies += 1;
            return true;
        }
        let found = match (whole, named, all) {
            (Some(_), ..) => whole,
            (_, 1, _) => self.open.iter().position(is_named),
            (_, _, 1) => self.open.iter().position(is_its),
            _ => None,
        };
        let Some(query) = found.and_then(|n| self.open.remove(n)) else {
            // It may be the answer to any of them.
            self.open.retain(|query| query.port != port);
            return false;
        };
        if query.times > 1 && !query.is_lost && self.waits.len() < WAITS {
            self.again += query.times - 1;
            self.waits.push((query.first, query.last));
            self.had.extend(query.arrived.map(|arrived| (arrived, now)));
        }
        if query.times > 1 {
            if self.done.len() >= OPEN {
                self.done.pop_front();
            }
            self.done.push_back((query.port, query.bytes));
        }
        false
    }
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Unanswered(BTreeMap<(IpAddr, SocketAddr), Pair>);

impl Unanswered {
    /// Who asks has handed over `packet`, whose bytes these are.
    pub(super) fn asks(&mut self, [from, to]: Way, packet: &Packet, bytes: &[u8], now: Time) {
        let key = (from.ip(), to);
        if self.0.len() >= PAIRS && !self.0.contains_key(&key) {
            return;
        }
        let pair = self.0.entry(key).or_default();
        pair.silent += 1;
        let asked = payload(packet, bytes);
        let is_again = asked.is_some_and(|bytes| pair.is_open(bytes));
        pair.given_up.asks(is_again, now);
        if let Some(bytes) = asked.filter(|_| pair.silent <= STREAM) {
            pair.asks(from.port(), bytes, now);
        }
        if pair.silent > STREAM {
            pair.open.clear();
        }
    }

    /// Who answers has handed over `packet`, whose bytes these are, `now`. Whether that answers a copy of what was answered before.
    pub(super) fn answers(
        &mut self,
        [from, to]: Way,
        packet: &Packet,
        bytes: &[u8],
        now: Time,
    ) -> bool {
        let Some(pair) = self.0.get_mut(&(to.ip(), from)) else {
            return false;
        };
        pair.silent = 0;
        pair.answers += packet.segments() as u64;
        let bytes = payload(packet, bytes).unwrap_or_default();
        pair.answered(to.port(), bytes, now)
    }

    /// So many datagrams of who asks have arrived at an instant.
    pub(super) fn arrived(&mut self, [from, to]: Way, count: u64, at: Time) {
        if let Some(pair) = self.0.get_mut(&(from.ip(), to)) {
            pair.arrived += count;
            pair.given_up.arrived();
            let is_next = |query: &&mut Query| query.port == from.port() && query.arrived.is_none();
            if let Some(query) = pair.open.iter_mut().find(is_next) {
                query.arrived = Some(at);
            }
        }
    }

    /// The answer of an end has come at an instant to who asked at another one.
    pub(super) fn heard(&mut self, [from, to]: Way, asked: Time, at: Time) {
        if let Some(pair) = self.0.get_mut(&(to.ip(), from)) {
            pair.given_up.hears(asked, at);
        }
    }

    /// A datagram of who asks is lost.
    pub(super) fn lost(&mut self, [from, to]: Way) {
        if let Some(pair) = self.0.get_mut(&(from.ip(), to)) {
            let of_port = |query: &&mut Query| query.port == from.port();
            let all = pair.open.iter_mut().filter(of_port);
            all.for_each(|query| query.is_lost = true);
        }
    }

    /// How many of those that arrived at a host were never answered and asked again, and for how long who asked waited until then.
    pub(super) fn of(&self, host: NodeId) -> (u64, Duration) {
        let is_known = |pair: &&Pair| {
            let most = pair.arrived.saturating_sub(pair.answers);
            pair.copies == 0 && pair.again <= most.min(pair.answers)
        };
        let known: Vec<&Pair> = self.at(host).filter(is_known).collect();
        let mut waits: Vec<(Time, Time)> = known.iter().flat_map(|p| p.waits.clone()).collect();
        join(&mut waits);
        (known.iter().map(|p| p.again).sum(), sum(&waits))
    }

    /// How many others of those that arrived at a host had nothing back until who asked sent the next one, and for how long in all.
    pub(super) fn given_up(&self, host: NodeId) -> (u64, Duration) {
        let known = |pair: &Pair| {
            let most = pair.arrived.saturating_sub(pair.answers + pair.again);
            pair.given_up.known(most.min(pair.answers))
        };
        let mut silences: Vec<(Time, Time)> = self.at(host).flat_map(known).collect();
        let count = silences.len() as u64;
        join(&mut silences);
        (count, sum(&silences))
    }

    /// When a host that answers each copy had queries that were asked again.
    pub(super) fn had(&self, host: NodeId) -> Vec<(Time, Time)> {
        let known = self.at(host).filter(|pair| pair.copies > 0);
        known.flat_map(|pair| pair.had.iter().copied()).collect()
    }

    /// Those whose end that answers is a host's.
    fn at(&self, host: NodeId) -> impl Iterator<Item = &Pair> {
        let own = self.0.iter();
        let own = own.filter(move |((_, to), _)| node_at(to.ip()) == Some(host));
        own.map(|(_, pair)| pair)
    }
}

/// What a datagram carries that may be a query, or an answer to one; none of several in one packet.
fn payload<'a>(packet: &Packet, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let payload = bytes.get(usize::from(packet.payload_at)..packet.end as usize)?;
    let is_one = packet.cut == Cut::Whole;
    (is_one && (NUMBER + 1..=LONGEST).contains(&payload.len())).then_some(payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn ends(port: u16) -> Way {
        let address = |node| farpath_scenario::plan::address(NodeId(node), 4);
        [(0, port), (1, 53)].map(|(node, port)| SocketAddr::new(address(node), port))
    }

    /// A packet of nothing but so many bytes of payload.
    fn of(bytes: usize) -> Packet {
        Packet {
            payload_at: 0,
            ..Packet::plain(bytes)
        }
    }

    /// What becomes of a datagram between a port and the server.
    #[derive(Clone, Copy)]
    enum Step {
        /// Sent, and there.
        Asked,
        Lost,
        Answered,
    }
    use Step::{Answered, Asked, Lost};

    fn found(steps: &[(u64, Step, u16, &str)]) -> (u64, Duration) {
        taken(steps).of(NodeId(1))
    }

    fn taken(steps: &[(u64, Step, u16, &str)]) -> Unanswered {
        let mut all = Unanswered::default();
        for (ms, step, port, text) in steps {
            let (way, bytes) = (ends(*port), text.as_bytes());
            let packet = of(bytes.len());
            match step {
                Asked => {
                    all.asks(way, &packet, bytes, at(*ms));
                    all.arrived(way, 1, at(*ms));
                }
                Lost => {
                    all.asks(way, &packet, bytes, at(*ms));
                    all.lost(way);
                }
                Answered => {
                    all.answers([way[1], way[0]], &packet, bytes, at(*ms));
                }
            }
        }
        all
    }

    const NONE: (u64, Duration) = (0, Duration::ZERO);

    /// One whose number stays, and one that is asked by another number, and from another port.
    #[test]
    fn a_query_that_is_asked_again_had_no_answer() {
        let again = [
            (0, Asked, 7, "01 name"),
            (500, Asked, 7, "01 name"),
            (540, Answered, 7, "01 name and answer"),
        ];
        assert_eq!(found(&again), (1, Duration::from_ms(500)));
        let anew = [
            (0, Asked, 7, "01 name"),
            (40, Answered, 7, "01 name and answer"),
            (100, Asked, 8, "02 name"),
            (600, Asked, 9, "03 name"),
            (640, Answered, 9, "03 name and answer"),
        ];
        assert_eq!(found(&anew), (1, Duration::from_ms(500)));
    }

    /// A server that takes 600 ms for each datagram and answers all of them, asked again after 250 ms: by whole queries that answers repeat, and
    /// by numbers. Each was answered, and the copies of the last one are in its hand yet.
    #[test]
    fn a_slow_server_that_answers_copies_has_had_the_first_ones() {
        for names in [["00 one", "00 two"], ["01 one", "02 two"]] {
            let [one, two] = names;
            let answers = match names[1].starts_with("00") {
                true => ["00 one, yes", "00 two, yes"],
                false => ["01 is it", "02 is it"],
            };
            let all = taken(&[
                (0, Asked, 7, one),
                (250, Asked, 7, one),
                (500, Asked, 7, one),
                (600, Answered, 7, answers[0]),
                (610, Asked, 7, two),
                (850, Answered, 7, answers[0]),
                (860, Asked, 7, two),
                (1100, Answered, 7, answers[0]),
                (1110, Asked, 7, two),
                (1210, Answered, 7, answers[1]),
            ]);
            assert_eq!(all.of(NodeId(1)), NONE, "{one}");
            let had = [(0, 600), (610, 1210)].map(|(from, to)| (at(from), at(to)));
            assert_eq!(all.had(NodeId(1)), had, "{one}");
        }
    }

    /// Two side by side from one port, of which one has its answer.
    #[test]
    fn an_answer_is_that_of_its_number() {
        let both = [
            (0, Asked, 7, "01 name A"),
            (1, Asked, 7, "02 name B"),
            (41, Answered, 7, "01 address"),
            (500, Asked, 7, "02 name B"),
            (540, Answered, 7, "02 address"),
        ];
        assert_eq!(found(&both), (1, Duration::from_ms(499)));
        // Which of them it answers is not known.
        let either = both.map(|(ms, step, port, text)| (ms, step, port, &text[3..]));
        assert_eq!(found(&either), NONE);
    }

    /// Lost on the way, never answered at all, answered late, another one, and one of a server that seldom answers.
    #[test]
    fn what_may_have_another_reason_does_not_count() {
        for steps in [
            &[
                (0, Lost, 7, "01 name"),
                (500, Asked, 7, "01 name"),
                (540, Answered, 7, "01 name"),
            ][..],
            &[(0, Asked, 7, "01 name"), (500, Asked, 7, "01 name")],
            &[
                (0, Asked, 7, "01 name"),
                (500, Asked, 7, "01 name"),
                (600, Answered, 7, "01 name"),
                (1100, Answered, 7, "01 name"),
            ],
            &[
                (0, Asked, 7, "01 name"),
                (500, Asked, 7, "02 else"),
                (540, Answered, 7, "02 else"),
            ],
            &[
                (0, Asked, 7, "01 name"),
                (500, Asked, 7, "01 name"),
                (1000, Asked, 7, "01 name"),
                (1040, Answered, 7, "01 name"),
            ],
        ] {
            assert_eq!(found(steps), NONE);
        }
    }

    /// The same bytes over and over, which are answered now and then.
    #[test]
    fn a_stream_asks_nothing() {
        for count in [15, 200] {
            let mut all = Unanswered::default();
            let way = ends(7);
            for n in 0..count {
                all.asks(way, &of(5), b"alive", at(20 * n));
                all.arrived(way, 1, at(20 * n));
            }
            all.answers([way[1], way[0]], &of(5), b"alive", at(20 * count));
            assert!(all.0.values().all(|pair| pair.again == 0), "{count}");
        }
    }
}
