//! For how much of a run any connection was open.

use std::collections::BTreeSet;

use farpath_units::{Duration, Time};

use super::{Connections, Watched, turned};
use crate::lab::waits::Waits;

/// Where of more than one end in so many neither a sample nor a frame is known, it is not known how long any was open.
const UNSEEN_PARTS: usize = 10;

impl Connections {
    /// Time in which one of them or more was open: from its SYN until the command closed it. Where it did not, until its kernel let go of it, or
    /// until its last sample or frame. None where that is not known of enough of them.
    pub(super) fn open(&self) -> Option<Duration> {
        let unseen = |(ends, one): &(&[String; 2], &Watched)| {
            one.is_closed && one.samples.is_empty() && !self.waits.contains_key(*ends)
        };
        let unseen = self.all.iter().filter(unseen).count();
        if unseen * UNSEEN_PARTS > self.all.len() || self.all.values().any(|c| c.is_given_up) {
            return None;
        }
        let ends: BTreeSet<&[String; 2]> = self.all.keys().chain(self.waits.keys()).collect();
        Some(together(ends.into_iter().filter_map(|e| self.span(e))))
    }

    /// The times in which the connections were open, added up, seconds: of some that were open side by side more than the time in which any was.
    pub(super) fn open_of_all(&self) -> f64 {
        let of = |(ends, _): (&[String; 2], &Watched)| {
            let [own, peer] = ends;
            // Each has two ends.
            let is_first = own <= peer || self.other(ends).is_none();
            self.open_of(ends).filter(|_| is_first)
        };
        self.all
            .iter()
            .filter_map(of)
            .map(Duration::as_secs_f64)
            .sum()
    }

    /// Time in which one connection was open, by both of its ends; none where neither was seen.
    pub(super) fn open_of(&self, ends: &[String; 2]) -> Option<Duration> {
        let both = [self.span(ends), self.span(&turned(ends))];
        let mut seen = both.into_iter().flatten().peekable();
        seen.peek().is_some().then(|| together(seen))
    }

    /// From when until when one of these ends was open; none where it was not seen.
    fn span(&self, ends: &[String; 2]) -> Option<(Time, Time)> {
        let listed = self.all.get(ends);
        let waits = self.waits.get(ends);
        // What a SYN carries is seen with it.
        let set_up = match waits.is_some_and(Waits::is_fast) {
            true => Duration::ZERO,
            false => listed.map_or(Duration::ZERO, Watched::set_up),
        };
        let seen = waits.and_then(|waits| waits.open(set_up));
        let both = [listed.and_then(|one| one.open(set_up)), seen];
        let both = both.into_iter().flatten();
        let (from, to) = both.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        let closed = listed.and_then(|one| self.closed(ends, one));
        Some((from, closed.map_or(to, |closed| closed.min(to))))
    }

    /// When the command had closed `one` of these ends: what comes after its FIN, or once no program of its host holds the socket, is its
    /// kernel's, and the other side's. None where it has not. A FIN behind a request that has no answer yet closes one way alone where a program
    /// goes on holding the socket.
    pub(super) fn closed(&self, ends: &[String; 2], one: &Watched) -> Option<Time> {
        let of_command = self.of_command(ends, one);
        let left = of_command.and_then(|one| one.left);
        let waits = self.waits.get(ends);
        let held = of_command.and_then(Watched::held_until);
        let is_half = |fin: Time| {
            let asks = waits.is_some_and(|w| w.is_command_unanswered(one.host));
            asks && held.is_some_and(|held| held > fin)
        };
        let by_frames = waits.and_then(|w| w.closed(one.host));
        let by_frames = by_frames.filter(|fin| !is_half(*fin));
        [by_frames, left].into_iter().flatten().min()
    }
}

impl Watched {
    /// From its SYN, which was `set_up` before it was open, to its end, or to its last sample; none where it was never listed.
    fn open(&self, set_up: Duration) -> Option<(Time, Time)> {
        let is_known = self.is_closed || !self.samples.is_empty();
        let begun = self.begun().as_ps().saturating_sub(set_up.as_ps());
        is_known.then(|| (Time::from_ps(begun), self.last.sample.t))
    }

    /// The last sample in which a program held it.
    fn held_until(&self) -> Option<Time> {
        let samples = self.samples.iter().zip(&self.ends);
        let held = samples.filter(|(_, end)| !end.is_left);
        held.map(|(sample, _)| sample.t).next_back()
    }

    /// The round trip of its handshake; 0 where none was measured.
    fn set_up(&self) -> Duration {
        let timers = self.last.sample.timers;
        timers.and_then(|t| t.min_rtt).unwrap_or_default()
    }
}

/// How long any of these lasted.
pub(in crate::lab) fn together(spans: impl Iterator<Item = (Time, Time)>) -> Duration {
    let mut spans: Vec<(Time, Time)> = spans.collect();
    spans.sort_unstable();
    let (mut all, mut until) = (Duration::ZERO, Time::ZERO);
    for (from, to) in spans {
        let from = until.max(from);
        if to > from {
            all += to.since(from);
            until = to;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::seen::Seen;
    use farpath_emu::plane::Turns;
    use farpath_observe::Sample;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn what_overlaps_counts_once() {
        let spans = [(0, 10), (5, 8), (9, 20), (30, 31)].map(|(a, b)| (at(a), at(b)));
        assert_eq!(together(spans.into_iter()), Duration::from_ms(21));
        assert_eq!(together(std::iter::empty()), Duration::ZERO);
    }

    /// Two that overlap, one long after them, and an end of which nothing is known.
    #[test]
    fn connections_are_open_from_their_first_sample_to_their_last() {
        let mut connections = Connections::across([1000; 2]);
        for (port, times) in [(1, [100, 300]), (2, [200, 500]), (3, [9000, 9100])] {
            for t in times.map(at) {
                let sample = Sample {
                    t,
                    ..Sample::default()
                };
                let seen = Seen {
                    sample,
                    ..Seen::default()
                };
                let ends = [format!("198.18.0.1:{port}"), "198.18.0.2:80".to_owned()];
                connections.note(t, 0, [(ends, seen)]);
            }
        }
        assert_eq!(connections.open(), Some(Duration::from_ms(500)));
        let one = |port| [format!("198.18.0.1:{port}"), "198.18.0.2:80".to_owned()];
        assert_eq!(connections.open_of(&one(2)), Some(Duration::from_ms(300)));
        assert_eq!(connections.open_of(&one(9)), None, "it was not seen");
    }

    /// A client that closes 50 ms after its SYN, and a server that lets go of its end a second later.
    #[test]
    fn a_connection_is_open_until_the_command_closes_it() {
        let open_of = |closed: Option<u64>, is_left: bool, unanswered: Option<u64>| {
            let mut connections = Connections::across([1000; 2]);
            let [own, peer] = ["198.18.0.1:1", "198.18.0.2:80"];
            for (host, t) in [(0, 100), (1, 100), (0, 200), (1, 1200)] {
                let mut seen = Seen {
                    sample: Sample {
                        t: at(t),
                        ..Sample::default()
                    },
                    ..Seen::default()
                };
                seen.end.is_left = is_left && (host, t) == (0, 200);
                let ends = match host {
                    0 => [own, peer],
                    _ => [peer, own],
                };
                connections.note(at(t), host, [(ends.map(str::to_owned), seen)]);
            }
            connections.take_turns(&Turns {
                closed: [closed.map(at), None],
                unanswered: unanswered.map(|ms| (0, at(ms))),
                ..Turns::between([own, peer].map(|end| end.parse().expect(end)))
            });
            connections.open()
        };
        let open = |closed, is_left| open_of(closed, is_left, None);
        assert_eq!(open(None, false), Some(Duration::from_ms(1100)));
        assert_eq!(open(Some(150), false), Some(Duration::from_ms(50)));
        assert_eq!(open(None, true), Some(Duration::from_ms(100)));
        assert_eq!(open(Some(150), true), Some(Duration::from_ms(50)));
        // A FIN with the request, of a client that goes on waiting for the answer; and of one that has gone.
        let asked = |is_left| open_of(Some(120), is_left, Some(130));
        assert_eq!(asked(false), Some(Duration::from_ms(1100)));
        assert_eq!(
            open_of(Some(250), false, Some(260)),
            Some(Duration::from_ms(150))
        );
    }
}
