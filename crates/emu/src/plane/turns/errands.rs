//! What a host waited for on connections that it opened itself, while it had its turn on another one: a server that calls back, or asks a further
//! one, before it answers; a command that has something to ask elsewhere before its next request.
//!
//! It waits from when it asks, by a SYN or by data, until what comes back has come. Of a turn on another connection that is the time only where the
//! turn ends as soon as the last answer is there, and nothing else that it asked is open: who sends at a time of its own did something else.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;

use farpath_scenario::NodeId;
use farpath_scenario::plan::node_at;
use farpath_units::{Duration, Time};

use super::{ACK, FIN, RST, SYN, Talk};
use crate::plane::packet::Way;

/// So many of the last waits of a host are kept.
const WAITS: usize = 1 << 10;

/// A turn that ends so soon after an answer, as a part of all of it, has waited for that.
const PROMPT: u64 = 8;

/// How long an end waited in its turns for connections that its host had opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errand {
    /// The time.
    pub time: Duration,
    /// The other end of these connections; none where there are none, or several ends.
    pub to: Option<SocketAddr>,
}

impl Errand {
    fn adds(&mut self, wait: Wait) {
        self.to = match self.time > Duration::ZERO {
            true => self.to.filter(|to| wait.to == Some(*to)),
            false => wait.to,
        };
        self.time += wait.until.since(wait.from);
    }
}

/// A time in which a host waited for connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    from: Time,
    until: Time,
    /// The other end of all of them; none where they have several.
    to: Option<SocketAddr>,
}

/// What an end that opened a connection asked there last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    since: Time,
    /// Nothing has come back yet, or not all of it.
    is_out: bool,
}

/// What one host waited for on connections that it opened.
#[derive(Clone, Debug, Default)]
struct Host {
    /// When, without an overlap, in order.
    waits: VecDeque<Wait>,
    /// Connections on which it has asked, and has no answer.
    out: BTreeSet<Way>,
}

impl Host {
    /// An answer has come.
    fn waits(&mut self, mut wait: Wait) {
        wait.from = wait.from.min(wait.until);
        while let Some(last) = self.waits.back().copied() {
            if last.until < wait.from {
                break;
            }
            wait = Wait {
                from: last.from.min(wait.from),
                until: last.until.max(wait.until),
                to: wait.to.filter(|to| last.to == Some(*to)),
            };
            self.waits.pop_back();
        }
        self.waits.push_back(wait);
        if self.waits.len() > WAITS {
            self.waits.pop_front();
        }
    }

    /// What it waited for between two instants, where the later one follows the last answer at once.
    fn within(&self, from: Time, to: Time) -> Errand {
        let mut errand = Errand::default();
        let last = self.waits.back().map_or(Time::ZERO, |last| last.until);
        let since = to.since(last.min(to));
        if since.times(PROMPT) > to.since(from.min(to)) || !self.out.is_empty() {
            return errand;
        }
        let waits = self.waits.iter().rev().take_while(|w| w.until > from);
        for wait in waits.filter(|w| w.from < to) {
            errand.adds(Wait {
                from: wait.from.max(from),
                until: wait.until.min(to),
                ..*wait
            });
        }
        errand
    }
}

/// What all hosts waited for so.
#[derive(Clone, Debug, Default)]
pub(super) struct Errands(BTreeMap<NodeId, Host>);

impl Errands {
    fn host(&mut self, end: SocketAddr) -> Option<&mut Host> {
        Some(self.0.entry(node_at(end.ip())?).or_default())
    }

    /// The first of these ends, which opens or opened the connection, asks for something `now`.
    fn asks(&mut self, way: Way, asked: &mut Option<Asked>, now: Time) {
        if asked.is_some_and(|asked| asked.is_out) {
            return;
        }
        *asked = Some(Asked {
            since: now,
            is_out: true,
        });
        if let Some(host) = self.host(way[0]) {
            host.out.insert(way);
        }
    }

    /// Something has come back to the first of these ends: all that was sent by then, if it `is_all`.
    fn comes(&mut self, way: Way, asked: &mut Option<Asked>, (at, is_all): (Time, bool)) {
        let Some(asked) = asked else {
            return;
        };
        let is_over = asked.is_out && is_all;
        asked.is_out &= !is_all;
        let since = asked.since;
        if let Some(host) = self.host(way[0]) {
            host.waits(Wait {
                from: since,
                until: at,
                to: Some(way[1]),
            });
            if is_over {
                host.out.remove(&way);
            }
        }
    }

    /// The first of these ends asks for nothing more: it has closed, or the connection is another one.
    pub(super) fn ends(&mut self, way: Way) {
        if let Some(host) = self.host(way[0]) {
            host.out.remove(&way);
        }
    }

    /// An end had its turn on a connection between two instants: what of that it waited for others goes to `errand`.
    fn turn(&self, end: SocketAddr, [from, to]: [Time; 2], errand: &mut Errand) {
        let host = node_at(end.ip()).and_then(|node| self.0.get(&node));
        let found = host.map_or(Errand::default(), |host| host.within(from, to));
        if found.time > Duration::ZERO {
            errand.adds(Wait {
                from,
                until: from + found.time,
                to: found.to,
            });
        }
    }
}

impl Talk {
    /// An end has handed over a segment, new data of it or not, and had its turn since an instant, if it had: what of that it waited for others,
    /// and what others may wait for here.
    pub(super) fn runs_errand(
        &mut self,
        errands: &mut Errands,
        (way, control, is_new): (Way, u8, bool),
        (since, now): (Option<Time>, Time),
    ) {
        // One subflow of Multipath TCP waits for another of the same program.
        if self.turns.is_multipath {
            errands.ends(way);
            return;
        }
        let end = usize::from(self.turns.ends != way);
        if let Some(since) = since {
            errands.turn(way[0], [since, now], &mut self.turns.errands[end]);
        }
        if !self.has_opened(end) {
            return;
        }
        if is_new || control & (SYN | ACK) == SYN {
            errands.asks(way, &mut self.errand, now);
        }
        if control & (FIN | RST) != 0 {
            errands.ends(way);
        }
    }

    /// The other end of this way has been given a segment, with data or without. What closes an idle connection was not asked for.
    pub(super) fn hears_of_errand(
        &mut self,
        errands: &mut Errands,
        ([from, to], control, has_data): (Way, u8, bool),
        at: Time,
    ) {
        let end = usize::from(self.turns.ends != [from, to]);
        if !self.has_opened(1 - end) {
            return;
        }
        if self.turns.is_multipath {
            errands.ends([to, from]);
            return;
        }
        let is_out = self.errand.is_some_and(|asked| asked.is_out);
        let is_answer = has_data || control & SYN != 0;
        if is_answer || (is_out && control & (FIN | RST) != 0) {
            let is_all = self.streams[end].is_all_there();
            errands.comes([to, from], &mut self.errand, (at, is_all));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Talks;
    use super::*;
    use crate::plane::packet::{Packet, Transport};

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn way(own: &str, other: &str) -> Way {
        [own, other].map(|end| end.parse().expect(end))
    }

    /// A server that has a request from 100 ms on, asks on a connection of its own at 110 ms, gets answers until 310 ms, and answers at this time.
    fn called(answers: u64, other_is_out: bool) -> Errand {
        let mut errands = Errands::default();
        let back = way("198.18.0.2:5000", "198.18.0.1:9000");
        let mut asked = None;
        errands.asks(back, &mut asked, at(110));
        errands.comes(back, &mut asked, (at(210), true));
        errands.asks(back, &mut asked, at(210));
        errands.comes(back, &mut asked, (at(250), false));
        errands.comes(back, &mut asked, (at(310), true));
        if other_is_out {
            let other = way("198.18.0.2:5001", "198.18.0.1:9000");
            errands.asks(other, &mut None, at(300));
        }
        let mut errand = Errand::default();
        let own = "198.18.0.2:7000".parse().expect("an end");
        errands.turn(own, [at(100), at(answers)], &mut errand);
        errand
    }

    #[test]
    fn a_turn_that_waits_for_another_connection_is_known() {
        let found = called(311, false);
        assert_eq!(found.time, Duration::from_ms(200));
        assert_eq!(found.to, Some("198.18.0.1:9000".parse().expect("an end")));
        // It worked on for a while, or has asked for more that has not come.
        assert_eq!(called(700, false), Errand::default());
        assert_eq!(called(311, true), Errand::default());
    }

    /// A segment of so many bytes of data, 50 ms on its way.
    fn passes(talks: &mut Talks, ends: Way, seq: u32, (control, length): (u8, u32), ms: u64) {
        let packet = Packet {
            addresses: ends.map(|end| end.ip()),
            transport: Transport::Tcp {
                ports: ends.map(|end| end.port()),
                seq,
                control,
            },
            ..Packet::plain(44 + length as usize)
        };
        talks.sent(&packet, &[], at(ms));
        talks.delivered(&packet, (0, length), at(ms + 50), None);
    }

    fn turned([a, b]: Way) -> Way {
        [b, a]
    }

    /// A connection, a request and its answer, from an instant on until 200 ms later.
    fn asked(talks: &mut Talks, ends: Way, ms: u64) {
        passes(talks, ends, 0, (SYN, 0), ms);
        passes(talks, turned(ends), 0, (SYN | ACK, 0), ms + 50);
        passes(talks, ends, 1, (ACK, 10), ms + 100);
        passes(talks, turned(ends), 1, (ACK, 10), ms + 150);
    }

    fn errands(talks: &Talks, ends: Way) -> Option<[Errand; 2]> {
        let found = talks.all().find(|turns| turns.ends == ends);
        found.map(|turns| turns.errands)
    }

    /// The server opens a connection back, asks there, and answers as soon as it has an answer itself.
    #[test]
    fn a_server_that_calls_back_is_known_by_frames() {
        let there = way("198.18.0.1:4000", "198.18.0.2:7000");
        let back = way("198.18.0.2:5000", "198.18.0.1:9000");
        let mut talks = Talks::default();
        passes(&mut talks, there, 0, (SYN, 0), 0);
        passes(&mut talks, turned(there), 0, (SYN | ACK, 0), 50);
        passes(&mut talks, there, 1, (ACK, 10), 100);
        asked(&mut talks, back, 150);
        passes(&mut talks, turned(there), 1, (ACK, 10), 350);
        let called = Errand {
            time: Duration::from_ms(200),
            to: Some(back[1]),
        };
        assert_eq!(errands(&talks, there), Some([Errand::default(), called]));
    }

    /// The command asks on another connection before it closes this one.
    #[test]
    fn a_command_that_asks_elsewhere_before_it_closes_is_known() {
        let first = way("198.18.0.1:4000", "198.18.0.2:7000");
        let second = way("198.18.0.1:4001", "198.18.0.2:7001");
        let mut talks = Talks::default();
        asked(&mut talks, first, 0);
        asked(&mut talks, second, 300);
        passes(&mut talks, first, 11, (FIN | ACK, 0), 501);
        let asked = Errand {
            time: Duration::from_ms(200),
            to: Some(second[1]),
        };
        assert_eq!(errands(&talks, first), Some([asked, Errand::default()]));
    }

    #[test]
    fn waits_that_overlap_count_once() {
        let mut host = Host::default();
        let wait = |from: u64, until: u64, port: u16| Wait {
            from: at(from),
            until: at(until),
            to: Some(SocketAddr::from(([198, 18, 0, 1], port))),
        };
        host.waits(wait(10, 50, 1));
        host.waits(wait(20, 40, 1));
        host.waits(wait(60, 90, 1));
        assert_eq!(host.waits, [wait(10, 50, 1), wait(60, 90, 1)]);
        let found = host.within(at(30), at(91));
        assert_eq!(
            (found.time, found.to),
            (Duration::from_ms(50), wait(0, 0, 1).to)
        );
        host.waits(wait(30, 95, 2));
        let all = Wait {
            to: None,
            ..wait(10, 95, 1)
        };
        assert_eq!(host.waits, [all]);
    }
}
