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
    /// The other end of that connection, the first one's where there were several; none without any.
    pub to: Option<SocketAddr>,
    /// Connections to other ends were among them.
    pub is_several: bool,
}

impl Errand {
    fn adds(&mut self, time: Duration, to: SocketAddr) {
        self.is_several |= self.to.is_some_and(|first| first != to);
        self.to.get_or_insert(to);
        self.time += time;
    }
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
    waits: VecDeque<(Time, Time)>,
    /// The connection whose answer came last.
    last: Option<Way>,
    /// Connections on which it has asked, and has no answer.
    out: BTreeSet<Way>,
}

impl Host {
    /// An answer has come.
    fn waits(&mut self, from: Time, until: Time) {
        let (mut from, mut until) = (from.min(until), until);
        while let Some((since, then)) = self.waits.pop_back() {
            if then < from {
                self.waits.push_back((since, then));
                break;
            }
            (from, until) = (from.min(since), until.max(then));
        }
        self.waits.push_back((from, until));
        if self.waits.len() > WAITS {
            self.waits.pop_front();
        }
    }

    /// How much of the time between two instants it waited, where the later one follows the last answer at once.
    fn within(&self, from: Time, to: Time) -> Option<(Duration, SocketAddr)> {
        let [_, other] = self.last?;
        let (_, until) = *self.waits.back()?;
        let since = to.since(until.min(to));
        let is_prompt = since.times(PROMPT) <= to.since(from.min(to));
        let last = self.waits.iter().rev().take_while(|(_, then)| *then > from);
        let parts = last.map(|(since, then)| ((*since).max(from), (*then).min(to)));
        let time = parts.fold(Duration::ZERO, |sum, (since, then)| {
            sum + then.since(since.min(then))
        });
        (is_prompt && self.out.is_empty() && time > Duration::ZERO).then_some((time, other))
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
            host.waits(since, at);
            host.last = Some(way);
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
        if let Some((time, other)) = host.and_then(|host| host.within(from, to)) {
            errand.adds(time, other);
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
    use super::*;

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
        assert!(!found.is_several);
        // It worked on for a while, or has asked for more that has not come.
        assert_eq!(called(700, false), Errand::default());
        assert_eq!(called(311, true), Errand::default());
    }

    #[test]
    fn waits_that_overlap_count_once() {
        let mut host = Host::default();
        for (from, until) in [(10, 50), (20, 40), (60, 90), (30, 95)] {
            host.waits(at(from), at(until));
        }
        assert_eq!(host.waits, [(at(10), at(95))]);
    }
}
