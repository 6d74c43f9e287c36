//! Queries over UDP that a host answered, how long it had them, and how long they and the answers were on the way, by the frames of both.
//!
//! Of two ends that talk, the one that sends first asks. The other one has a query from when the last datagram that was sent to it has
//! arrived until it sends one back. That counts only where nothing else was on the way to it then, and where who asked sends nothing before
//! the answer has arrived. What both send of their own accord, as calls and streams are, has more on the way, and is none of it.

mod again;
mod given_up;
mod unanswered;

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use farpath_scenario::NodeId;
use farpath_scenario::plan::node_at;
use farpath_units::{Duration, Time};

use super::packet::{Packet, Transport, Way};
use super::turns::key;
use unanswered::Unanswered;

/// So many pairs of ends are followed: those that wait for nothing make room.
const ENDS: usize = 1 << 12;

/// So many times are kept of a host before they are added up.
const TIMES: usize = 1 << 16;

/// So many of the last waits of a host are kept.
const WAITS: usize = 1 << 10;

/// Queries over UDP that a host answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queries {
    /// Those whose answer arrived.
    pub answered: u64,
    /// Time in which it had one of them or more, and had not answered. Of one that was asked again it begins with the last copy; where answers to
    /// copies come as well, with the first one.
    pub at: Duration,
    /// Time in which one of them or more, or an answer to one, was on the way.
    pub way: Duration,
    /// How often the bytes of one of them were sent again, from the same port, as it or its answer was lost.
    pub retried: u64,
    /// Time in which who asked for one of them or more waited until then.
    pub retrying: Duration,
    /// Those that arrived, were never answered, and were asked again: at least.
    pub unanswered: u64,
    /// Time in which who asked for one of these or more waited until then.
    pub unheeded: Duration,
    /// Others that arrived and had nothing back until who asked sent another one, in the midst of queries that were answered: queries, if they ask.
    pub given_up: u64,
    /// Time in which nothing came back for one of these or more.
    pub silent: Duration,
}

/// A query and its answer, until that has arrived.
#[derive(Clone, Copy, Debug)]
struct Turn {
    asked: Time,
    /// When who answers had it.
    arrived: Time,
    answered: Time,
}

/// Two ends.
#[derive(Clone, Copy, Debug)]
struct Talk {
    /// Who asks, and who answers.
    way: Way,
    /// Datagrams on the way to who answers.
    under_way: u64,
    /// When the last one was sent.
    asked: Time,
    /// When the last one arrived, until something is sent back.
    arrived: Option<Time>,
    /// What is being answered, until the answer has arrived.
    answer: Option<Turn>,
    /// A datagram of either end was lost after the last one that asked was sent.
    is_lost: bool,
    /// When what is asked was first sent, and how often again since then, if it was.
    retried: Option<(Time, u64)>,
    /// What the last datagrams that asked carried.
    carried: again::Carried,
}

impl Talk {
    fn is_idle(&self) -> bool {
        self.under_way == 0 && self.arrived.is_none() && self.answer.is_none()
    }
}

/// Times that may overlap.
#[derive(Clone, Debug, Default)]
struct Times {
    times: Vec<(Time, Time)>,
    /// What is added up of those before an instant.
    past: Duration,
    until: Time,
}

impl Times {
    fn add(&mut self, from: Time, to: Time) {
        let from = from.max(self.until);
        if from < to {
            self.times.push((from, to));
        }
        if self.times.len() < TIMES {
            return;
        }
        join(&mut self.times);
        if self.times.len() > TIMES / 2 {
            self.past += sum(&self.times);
            self.until = self.times.last().map_or(self.until, |(_, to)| *to);
            self.times.clear();
        }
    }

    /// All of it, each instant once.
    fn sum(&self) -> Duration {
        self.sum_with(&[])
    }

    /// All of it and of these times, each instant once.
    fn sum_with(&self, more: &[(Time, Time)]) -> Duration {
        let more = more.iter().map(|(from, to)| ((*from).max(self.until), *to));
        let more = more.filter(|(from, to)| from < to);
        let mut times: Vec<(Time, Time)> = self.times.iter().copied().chain(more).collect();
        join(&mut times);
        self.past + sum(&times)
    }
}

/// Queries that a host answered.
#[derive(Clone, Debug, Default)]
struct Had {
    answered: u64,
    /// When it had any.
    at: Times,
    /// When any, or an answer, was on the way.
    way: Times,
    retried: u64,
    /// When who asked waited to send one again.
    retrying: Times,
}

impl Had {
    fn add(&mut self, turn: Turn, arrived: Time, retried: Option<(Time, u64)>) {
        if let Some((first, times)) = retried {
            self.retried += times;
            self.retrying.add(first, turn.asked);
        }
        self.answered += 1;
        self.at.add(turn.arrived, turn.answered);
        self.way.add(turn.asked, turn.arrived);
        self.way.add(turn.answered, arrived);
    }

    /// Those that are known, and beside them when it had any that were asked again.
    fn queries(&self, again: &[(Time, Time)]) -> Queries {
        Queries {
            answered: self.answered,
            at: self.at.sum_with(again),
            way: self.way.sum(),
            retried: self.retried,
            retrying: self.retrying.sum(),
            ..Queries::default()
        }
    }
}

/// Puts times in order, each instant in one of them.
fn join(times: &mut Vec<(Time, Time)>) {
    times.sort_unstable();
    times.dedup_by(|next, kept| {
        let joins = next.0 <= kept.1;
        if joins {
            kept.1 = kept.1.max(next.1);
        }
        joins
    });
}

fn sum(times: &[(Time, Time)]) -> Duration {
    let all = times.iter().map(|(from, to)| to.since(*from));
    all.fold(Duration::ZERO, |sum, time| sum + time)
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    talks: BTreeMap<Way, Talk>,
    hosts: BTreeMap<NodeId, Had>,
    /// When a host last waited for answers, from each query on: in order of their ends.
    waits: BTreeMap<NodeId, VecDeque<(Time, Time)>>,
    /// Datagrams between ends that were not followed, since most of those that were made room.
    turned_away: usize,
    unanswered: Unanswered,
    /// The last datagram in fragments between two addresses: the number of its fragments, and its ends.
    in_fragments: BTreeMap<[IpAddr; 2], (u32, Way)>,
}

impl Asked {
    /// Whether two ends are followed, or may be.
    fn has_room(&mut self, ends: &Way) -> bool {
        if self.talks.len() < ENDS || self.talks.contains_key(ends) {
            return true;
        }
        // It takes long, and seldom helps where most wait for an answer that never comes.
        if self.turned_away.is_multiple_of(ENDS) {
            self.talks.retain(|_, talk| !talk.is_idle());
        }
        self.turned_away = match self.talks.len() < ENDS / 2 {
            true => 0,
            false => self.turned_away + 1,
        };
        self.talks.len() < ENDS
    }

    /// A host has handed over `packet`, whose bytes these are.
    pub(super) fn sent(&mut self, packet: &Packet, bytes: &[u8], now: Time) {
        let Some(way) = way(packet) else {
            return;
        };
        if !self.has_room(&key(way)) {
            return;
        }
        if let Some(number) = packet.fragment_of {
            self.in_fragments.insert(packet.addresses, (number, way));
        }
        let talk = self.talks.entry(key(way)).or_insert(Talk {
            way,
            under_way: 0,
            asked: now,
            arrived: None,
            answer: None,
            is_lost: false,
            retried: None,
            carried: again::Carried::default(),
        });
        if talk.way == way {
            self.unanswered.asks(way, packet, bytes, now);
            let (first, times) = talk.retried.unwrap_or((talk.asked, 0));
            let is_again = talk.carried.asks((packet, bytes), (now, talk.is_lost));
            talk.retried = is_again.then_some((first, times + 1));
            talk.is_lost = false;
            talk.under_way += packet.segments() as u64;
            talk.asked = now;
            talk.answer = None;
            return;
        }
        if self.unanswered.answers(way, packet, bytes, now) {
            return;
        }
        if let Some(arrived) = talk.arrived.take()
            && talk.under_way == 0
        {
            talk.answer = Some(Turn {
                asked: talk.asked,
                arrived,
                answered: now,
            });
        }
    }

    /// A host is given so many segments of `packet` for the first time, the last of them due at an instant: none of copies.
    pub(super) fn delivered(&mut self, packet: &Packet, count: usize, at: Time) {
        let Some(way) = way(packet).filter(|_| count > 0) else {
            return;
        };
        let Some(talk) = self.talks.get_mut(&key(way)) else {
            return;
        };
        if talk.way == way {
            talk.under_way = talk.under_way.saturating_sub(count as u64);
            talk.arrived = Some(at);
            self.unanswered.arrived(way, count as u64, at);
        } else if let Some(turn) = talk.answer.take()
            && let Some(host) = node_at(packet.addresses[0])
        {
            talk.is_lost = false;
            self.unanswered.heard(way, turn.asked, at);
            let retried = talk.retried.take();
            self.hosts.entry(host).or_default().add(turn, at, retried);
            if let Some(asker) = node_at(packet.addresses[1]) {
                let since = retried.map_or(turn.asked, |(first, _)| first);
                let waits = self.waits.entry(asker).or_default();
                if waits.len() >= WAITS {
                    waits.pop_front();
                }
                waits.push_back((since, at));
            }
        }
    }

    /// For how long of the time between two instants a host waited for answers that have come.
    pub(super) fn waited(&self, host: NodeId, from: Time, to: Time) -> Duration {
        let all = self.waits.get(&host).into_iter().flatten().rev();
        let last = all.take_while(|(_, until)| *until > from);
        let mut times: Vec<(Time, Time)> = last
            .map(|(since, until)| ((*since).max(from), (*until).min(to)))
            .filter(|(since, until)| since < until)
            .collect();
        join(&mut times);
        sum(&times)
    }

    /// A segment of `packet` does not arrive, or not whole.
    pub(super) fn lost(&mut self, packet: &Packet) {
        let Some(way) = way(packet).or_else(|| self.way_of_later(packet)) else {
            return;
        };
        let Some(talk) = self.talks.get_mut(&key(way)) else {
            return;
        };
        talk.is_lost = true;
        match talk.way == way {
            true => {
                talk.under_way = talk.under_way.saturating_sub(1);
                self.unanswered.lost(way);
            }
            false => talk.answer = None,
        }
    }

    /// Who sends the datagram of which `packet` is a later fragment, and to whom, where no other one in fragments was sent since.
    fn way_of_later(&self, packet: &Packet) -> Option<Way> {
        let (number, way) = self.in_fragments.get(&packet.addresses)?;
        (packet.fragment_of == Some(*number)).then_some(*way)
    }

    /// Whether the first of these ends sent the other one a datagram before any came back.
    pub(super) fn has_asked(&self, way: Way) -> bool {
        let talk = self.talks.get(&key(way));
        talk.is_some_and(|talk| talk.way == way)
    }

    /// Those that a host answered.
    pub(super) fn of(&self, host: NodeId) -> Queries {
        let none = Had::default();
        let had = self.hosts.get(&host).unwrap_or(&none);
        let (unanswered, unheeded) = self.unanswered.of(host);
        let (given_up, silent) = self.unanswered.given_up(host);
        Queries {
            unanswered,
            unheeded,
            given_up,
            silent,
            ..had.queries(&self.unanswered.had(host))
        }
    }
}

/// Who sends a datagram to whom. One in fragments counts by the first of them, which alone has ports.
fn way(packet: &Packet) -> Option<Way> {
    match packet.transport {
        Transport::Udp { ports } => Some(packet.way(ports)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sends_first_has_asked() {
        let mut asked = Asked::default();
        let packet = datagram(0, 1, [7, 53]);
        let there = way(&packet).expect("a datagram of UDP");
        let back = [there[1], there[0]];
        assert!(!asked.has_asked(there));
        asked.sent(&packet, &[], at(0));
        asked.sent(&datagram(1, 0, [53, 7]), &[], at(5));
        assert!(asked.has_asked(there) && !asked.has_asked(back));
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A datagram between the addresses of two hosts.
    fn datagram(from: usize, to: usize, ports: [u16; 2]) -> Packet {
        let address = |node| farpath_scenario::plan::address(NodeId(node), 4);
        Packet {
            addresses: [address(from), address(to)],
            transport: Transport::Udp { ports },
            ..Packet::plain(100)
        }
    }

    fn query(port: u16) -> Packet {
        datagram(0, 1, [port, 53])
    }

    fn answer(port: u16) -> Packet {
        datagram(1, 0, [53, port])
    }

    fn queries(asked: &Asked) -> Queries {
        let had = asked.hosts.get(&NodeId(1));
        had.map(|had| had.queries(&[])).unwrap_or_default()
    }

    fn found(asked: &Asked) -> (u64, Duration) {
        let had = queries(asked);
        (had.answered, had.at)
    }

    /// 300 ms at the server, 10 ms each way; each query from a port of its own, or all from one.
    #[test]
    fn the_time_from_a_query_to_its_answer_is_the_servers() {
        for own in [0, 1] {
            let mut asked = Asked::default();
            for n in 0..10_u16 {
                let (t, port) = (u64::from(n) * 400, 4000 + own * n);
                asked.sent(&query(port), &[], at(t));
                asked.delivered(&query(port), 1, at(t + 10));
                asked.sent(&answer(port), &[], at(t + 310));
                asked.delivered(&answer(port), 1, at(t + 320));
            }
            assert_eq!(found(&asked), (10, Duration::from_ms(3000)));
            assert_eq!(queries(&asked).way, Duration::from_ms(10 * 20));
            assert!(!asked.hosts.contains_key(&NodeId(0)));
        }
    }

    /// Queries and answers in three fragments each: the first one counts, and the others have no ports.
    #[test]
    fn a_datagram_in_fragments_is_one_query() {
        let mut asked = Asked::default();
        for n in 0..10_u32 {
            let t = u64::from(n) * 400;
            let first = |packet: Packet| Packet {
                fragment_of: Some(n),
                is_last: false,
                ..packet
            };
            let later = |packet: Packet| Packet {
                transport: Transport::Other,
                ..first(packet)
            };
            for (packet, sent) in [(query(7), t), (answer(7), t + 160)] {
                for fragment in [first(packet), later(packet), later(packet)] {
                    asked.sent(&fragment, &[], at(sent));
                }
                for fragment in [first(packet), later(packet), later(packet)] {
                    asked.delivered(&fragment, 1, at(sent + 10));
                }
            }
        }
        assert_eq!(found(&asked), (10, Duration::from_ms(1500)));
        let last = Packet {
            fragment_of: Some(10),
            transport: Transport::Other,
            ..query(7)
        };
        asked.lost(&last);
        assert!(
            asked.talks.values().all(|talk| !talk.is_lost),
            "another one"
        );
        let last = Packet {
            fragment_of: Some(9),
            ..last
        };
        asked.lost(&last);
        assert!(asked.talks.values().all(|talk| talk.is_lost));
    }

    /// Two at once, as a resolver asks for A and AAAA, and one beside them: each instant counts once.
    #[test]
    fn queries_side_by_side_count_once() {
        let mut asked = Asked::default();
        for port in [1, 1, 2] {
            asked.sent(&query(port), &[], at(0));
        }
        for port in [1, 1, 2] {
            asked.delivered(&query(port), 1, at(10));
        }
        for (port, ms) in [(1, 110), (1, 111), (2, 210)] {
            asked.sent(&answer(port), &[], at(ms));
        }
        for (port, ms) in [(1, 120), (1, 121), (2, 220)] {
            asked.delivered(&answer(port), 1, at(ms));
        }
        assert_eq!(found(&asked), (2, Duration::from_ms(200)));
        // 0 to 10, 110 to 120, and 210 to 220 ms: the one that was the second from its port has no answer of its own.
        assert_eq!(queries(&asked).way, Duration::from_ms(30));
    }

    /// A query that is lost and asked again a second later: its server had it for 50 ms.
    #[test]
    fn a_lost_query_is_not_the_servers_time() {
        let mut asked = Asked::default();
        asked.sent(&query(7), &[], at(0));
        asked.lost(&query(7));
        asked.sent(&query(7), &[], at(1000));
        asked.delivered(&query(7), 1, at(1010));
        asked.sent(&answer(7), &[], at(1060));
        asked.delivered(&answer(7), 1, at(1070));
        assert_eq!(found(&asked), (1, Duration::from_ms(50)));
        assert_eq!(queries(&asked).way, Duration::from_ms(20));
    }

    /// Two queries side by side, one after them, and an instant between: each counts once, and within two instants alone.
    #[test]
    fn who_asks_waits_from_its_query_to_the_answer() {
        let mut asked = Asked::default();
        for (port, from, to) in [(1, 0, 100), (2, 20, 120), (3, 150, 250)] {
            asked.sent(&query(port), &[], at(from));
            asked.delivered(&query(port), 1, at(from + 40));
            asked.sent(&answer(port), &[], at(from + 50));
            asked.delivered(&answer(port), 1, at(to));
        }
        let waited = |from, to| asked.waited(NodeId(0), at(from), at(to));
        assert_eq!(waited(0, 300), Duration::from_ms(220));
        assert_eq!(waited(110, 200), Duration::from_ms(10 + 50));
        assert_eq!(waited(120, 150), Duration::ZERO);
        assert_eq!(asked.waited(NodeId(1), at(0), at(300)), Duration::ZERO);
    }

    /// A query is lost, and then the answer to it: it is sent three times, 600 ms apart. The next one is new, however long after. One that is
    /// never answered counts for nothing.
    #[test]
    fn a_lost_query_or_answer_is_waited_for_until_it_is_sent_again() {
        let mut asked = Asked::default();
        let question = [7; 100];
        asked.sent(&query(7), &question, at(0));
        asked.lost(&query(7));
        asked.sent(&query(7), &question, at(600));
        asked.delivered(&query(7), 1, at(610));
        asked.sent(&answer(7), &[], at(610));
        asked.lost(&answer(7));
        for ms in [1200, 5000] {
            asked.sent(&query(7), &question, at(ms));
            asked.delivered(&query(7), 1, at(ms + 10));
            asked.sent(&answer(7), &[], at(ms + 10));
            asked.delivered(&answer(7), 1, at(ms + 20));
        }
        asked.sent(&query(7), &question, at(6000));
        asked.lost(&query(7));
        asked.sent(&query(7), &question, at(7000));
        asked.lost(&query(7));
        let found = queries(&asked);
        assert_eq!((found.answered, found.retried), (2, 2));
        assert_eq!(found.retrying, Duration::from_ms(1200));
    }

    /// A heartbeat every 250 ms, whose fourth is lost, and the answer to the seventh: each has a number of its own, or all carry the same.
    #[test]
    fn a_heartbeat_behind_one_that_was_lost_is_no_retry() {
        for own in [0, 1] {
            let mut asked = Asked::default();
            for n in 0..20_u8 {
                let beat = [own * n; 100];
                let t = u64::from(n) * 250;
                asked.sent(&query(7), &beat, at(t));
                if n == 4 {
                    asked.lost(&query(7));
                    continue;
                }
                asked.delivered(&query(7), 1, at(t + 25));
                asked.sent(&answer(7), &[], at(t + 25));
                match n {
                    7 => asked.lost(&answer(7)),
                    _ => asked.delivered(&answer(7), 1, at(t + 50)),
                }
            }
            let found = queries(&asked);
            assert_eq!((found.answered, found.retried), (18, 0), "{own}");
            assert_eq!(found.retrying, Duration::ZERO);
        }
    }

    /// A datagram every 20 ms each way, 50 ms apart; and one way alone.
    #[test]
    fn what_both_send_by_themselves_is_no_query() {
        let mut asked = Asked::default();
        let mut due = Vec::new();
        for n in 0..100 {
            due.push((n * 20, 0, true));
            due.push((n * 20 + 25, 0, false));
            due.push((n * 20 + 13, 1, true));
            due.push((n * 20 + 38, 1, false));
        }
        due.sort_unstable();
        for (ms, from, is_sent) in due {
            let packet = if from == 0 { query(9) } else { answer(9) };
            match is_sent {
                true => asked.sent(&packet, &[], at(ms)),
                false => asked.delivered(&packet, 1, at(ms)),
            }
        }
        asked.sent(&query(10), &[], at(5000));
        asked.delivered(&query(10), 1, at(5010));
        assert!(found(&asked).0 <= 1, "the last one at most: {asked:?}");
    }

    /// A client with a port for each query makes room; one of whose queries none is answered does not.
    #[test]
    fn ends_that_wait_for_nothing_make_room() {
        for (answers, wanted) in [(true, 9000), (false, 0)] {
            let mut asked = Asked::default();
            for port in 1..=9000_u16 {
                asked.sent(&query(port), &[], at(10));
                asked.delivered(&query(port), 1, at(20));
                if answers {
                    asked.sent(&answer(port), &[], at(30));
                    asked.delivered(&answer(port), 1, at(40));
                }
            }
            assert_eq!(found(&asked).0, wanted);
            assert!(asked.talks.len() <= ENDS);
        }
    }

    #[test]
    fn as_many_answers_as_there_may_be_take_bounded_memory() {
        let mut had = Times::default();
        let many = 3 * TIMES as u64;
        for n in 0..many {
            had.add(at(2 * n), at(2 * n + 1));
        }
        assert!(had.times.len() < TIMES);
        assert_eq!(had.sum(), Duration::from_ms(many));
    }
}
