//! What each of many connections came to, and how many of them to nothing.

use farpath_units::Duration;

use super::unopened::address;
use super::{Connections, Watched, turned};
use crate::lab::ending::Ending;
use crate::lab::failed::Failed;
use crate::lab::many::Each;
use crate::lab::too_soon::TooSoon;
use crate::lab::unheard::Unheard;
use crate::lab::waits::Waits;

/// As much is more than a request, bytes.
const BULK: u64 = 1_000_000;

impl Connections {
    /// What `one` of these ends, which `sent` so much, came to; none where its ends have no ports.
    pub(super) fn each(&self, ends: &[String; 2], one: &Watched, sent: u64) -> Option<Each> {
        let [own, peer] = ends;
        let other = self.other(ends);
        let waits = self.waits.get(ends);
        let [of_command, of_server] = match one.host {
            0 => [Some(one), other],
            _ => [other, Some(one)],
        };
        let left = of_command.and_then(|c| c.left);
        let waited = waits.map(|w| w.of_command(one.host, left));
        let held = waits.map(Waits::held_small).unwrap_or_default();
        let held = held.map(Option::unwrap_or_default);
        let tls = self.tls.get(ends).copied().unwrap_or_default();
        let unheard = self.unheard(ends, one);
        let of = Each::of([own.as_str(), peer.as_str()], sent, one.last.sample.timers);
        let of = of.map(|e| e.by_frames(waited).with_tls(tls).with_held(held));
        let served = waits.map(|w| w.of_server(one.host));
        let line = waits.map_or([0.0; 2], Waits::on_line);
        let of = of.map(|e| e.with_served(served).with_line(line));
        let repairs = waits.map(Waits::repairs).unwrap_or_default();
        let end = self.closed(ends, one).unwrap_or(one.last.sample.t);
        let queued = of_server.map_or(Duration::ZERO, |c| c.queued.time() + c.queued.untaken(end));
        let of = of.map(|e| e.with_queued(queued.as_secs_f64()));
        let of = of.map(|e| e.with_repairs(&repairs).with_unheard(unheard));
        let of = of.map(|e| e.with_set_up(waits.and_then(|w| w.set_up)));
        let ending = self.ending(ends, one);
        let asked = waits.map(|w| w.beats[usize::from(one.host != 0)]);
        let asked = asked.map_or([0; 2], |beat| [beat.taken, beat.prompt]);
        let is_early = waits.and_then(|w| w.left_early(one.host)).is_some();
        let of = of.map(|e| Each {
            is_early,
            errand: waits.map_or(0.0, |w| w.errand_of_server(one.host)),
            is_rejected: self.is_rejected(ends),
            is_fast: waits.is_some_and(Waits::is_fast),
            behind: self.closed_behind(ends, one),
            idle: waits.map_or(0.0, |w| w.idle_of_command(one.host)),
            ..e
        });
        of.map(|e| e.with_ending(ending).with_requests(asked))
    }

    /// How many requests on `one` of these ends the server had answered when it closed the connection right behind an answer; none where it did not.
    fn closed_behind(&self, ends: &[String; 2], one: &Watched) -> Option<u64> {
        let of_server = match one.host {
            0 => turned(ends),
            _ => ends.clone(),
        };
        self.waits.get(&of_server)?.closed_behind()
    }

    /// The command's ends of its connections that carried anything.
    fn carrying(&self) -> impl Iterator<Item = (&[String; 2], &Watched)> {
        let of_command = self.all.iter().filter(|(_, one)| one.host == 0);
        of_command.filter(move |&(ends, one)| {
            let other = self.other(ends);
            one.sent(other) > 0 || other.is_some_and(|other| other.sent(Some(one)) > 0)
        })
    }

    /// How many of the command's connections that carried anything it closed while the answer was on its way; none where there are none.
    pub(super) fn closed_early(&self) -> Option<TooSoon> {
        let mut all = TooSoon::default();
        for (ends, _) in self.carrying() {
            all.counts(self.waits.get(ends).and_then(|w| w.left_early(0)));
        }
        all.known()
    }

    /// How the server ended `one` of these ends without an answer, or with a reset, by its own choice alone.
    fn ending(&self, ends: &[String; 2], one: &Watched) -> Option<Ending> {
        let ending = self.waits.get(ends)?.ending(one.host);
        let ending = ending.or_else(|| self.left_idle(ends, one))?;
        let is_arranged = ending.is_without_answer() && self.is_steered(ends, one);
        (!is_arranged).then_some(ending)
    }

    /// Whether another connection between the same hosts, with answers on it, was in use when the server ended `one`, on which the command had sent
    /// much: that may have steered it, as one of iperf3 does.
    pub(super) fn is_steered(&self, ends: &[String; 2], one: &Watched) -> bool {
        let [own, peer] = ends;
        let other = self.other(ends);
        let sent = match one.host {
            0 => one.sent(other),
            _ => other.map_or(0, |other| other.sent(Some(one))),
        };
        let is_beside = |[from, to]: &[String; 2]| {
            let is_other = from != own || to != peer;
            is_other && address(from) == address(own) && address(to) == address(peer)
        };
        let ended = self.waits.get(ends);
        let ended = ended.and_then(|waits| waits.server_closed(one.host));
        ended.filter(|_| sent >= BULK).is_some_and(|at| {
            let mut others = self.waits.iter().filter(|(ends, _)| is_beside(ends));
            others.any(|(_, waits)| waits.is_used_at(at))
        })
    }

    /// Whether the server sent nothing on this connection of its own, and the command had asked for something.
    pub(super) fn is_asked_in_vain(&self, ends: &[String; 2], one: &Watched) -> bool {
        let ending = self.ending(ends, one);
        let is_ended = ending.is_some_and(Ending::is_unanswered);
        one.host == 1 && (is_ended || self.unheard(ends, one) != Unheard::Nothing)
    }

    /// Of how many connections that carried anything the server ended how many without an answer to what the command asked.
    pub(super) fn failed(&self) -> Failed {
        let mut failed = Failed::default();
        for (ends, one) in self.carrying() {
            failed.counts(self.ending(ends, one));
        }
        failed
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::Turns;
    use farpath_units::{Duration, Time};

    use crate::lab::busiest::Busiest;
    use crate::lab::connections::Connections;
    use crate::lab::ending::Ending;
    use crate::lab::seen::Seen;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// So many connections one after another, each with a request of 16 B, of which the server answers the last ones by 300 B, and closes the others
    /// without an answer.
    fn told(closed: u16, answered: u16) -> Busiest {
        let mut connections = Connections::across([100_000; 2]);
        for n in 0..closed + answered {
            let t = 200 * u64::from(n);
            let is_closed = n < closed;
            let own = format!("198.18.0.1:{}", 40_000 + n);
            let ends = [own, "198.18.0.2:7000".to_owned()];
            let [there, back] = [16, if is_closed { 0 } else { 300 }].map(|sent| {
                let mut seen = Seen::default();
                seen.sample.t = at(t + 100);
                seen.sample.timers.get_or_insert_default().min_rtt = Some(Duration::from_ms(80));
                (seen.end.sent, seen.end.acked) = (Some(sent), sent);
                seen
            });
            let [own, peer] = ends.clone();
            connections.note(at(t + 100), 0, [(ends.clone(), there)]);
            connections.note(at(t + 100), 1, [([peer, own], back)]);
            let none = Turns::between(ends.map(|end| end.parse().expect("an end")));
            connections.take_turns(&Turns {
                begun: Some(at(t + 80)),
                span: Duration::from_ms(if is_closed { 40 } else { 80 }),
                waited: [if is_closed { 40 } else { 80 }, 0].map(Duration::from_ms),
                way: Duration::from_ms(40),
                has_sent: [true, !is_closed],
                closed: match is_closed {
                    true => [Some(at(t + 161)), Some(at(t + 120))],
                    false => [Some(at(t + 160)), Some(at(t + 200))],
                },
                ..none
            });
        }
        connections.told([None, None]).expect("there is one")
    }

    /// The server sent most on those that it answered: the others count among them.
    #[test]
    fn connections_without_an_answer_count_among_those_with_one() {
        let told = told(12, 6);
        let many = told.many.as_ref().expect("they are many");
        assert_eq!((many.connections, many.closed_unanswered), (18, 12));
        let words = "over 18 connections from port 7000: the server closed or reset 12 of them without an answer; each took 2.0 round trips";
        assert!(told.line.contains(words), "{}", told.line);
        assert!(!told.line.contains("kept open"), "{}", told.line);
    }

    /// Six connections one after another, each closed by the server so long after its answer, while the command sleeps and then opens the next one.
    #[test]
    fn connections_that_the_server_left_idle_are_named() {
        let said = |idle: u64| {
            let mut connections = Connections::across([100_000; 2]);
            for n in 0..6_u16 {
                let t = 1000 * u64::from(n);
                let [own, peer] = [
                    format!("198.18.0.1:{}", 40_000 + n),
                    "198.18.0.2:7000".to_owned(),
                ];
                let both = [[own.clone(), peer.clone()], [peer.clone(), own.clone()]];
                for (host, ends) in both.into_iter().enumerate() {
                    let mut seen = Seen::default();
                    seen.sample.t = at(t + 200);
                    seen.sample.timers.get_or_insert_default().min_rtt =
                        Some(Duration::from_ms(80));
                    let sent = if host == 0 { 16 } else { 300 };
                    (seen.end.sent, seen.end.acked) = (Some(sent), sent);
                    seen.end.awaits = Some(false);
                    connections.note(at(t + 200), host, [(ends, seen)]);
                }
                let closed = at(t + 160 + idle);
                connections.take_turns(&Turns {
                    begun: Some(at(t + 80)),
                    span: Duration::from_ms(80),
                    waited: [80, 0].map(Duration::from_ms),
                    way: Duration::from_ms(40),
                    landing: [40, 0].map(Duration::from_ms),
                    set_up: Some(Duration::from_ms(80)),
                    has_sent: [true; 2],
                    was_idle: [Some((at(t + 160), closed)), None],
                    closed: [Some(at(t + 900)), Some(closed)],
                    ..Turns::between([own, peer].map(|end| end.parse().expect("an end")))
                });
            }
            connections.told([None, None]).expect("there is one").line
        };
        let left = said(500);
        let words = "the server had closed 5 of them, which were idle, before your command asked again; each took 2.0 round trips";
        assert!(left.contains(words), "{left}");
        assert!(!left.contains("kept open"), "{left}");
        // One that closes soon does not keep its connections.
        let soon = said(50);
        assert!(
            !soon.contains("were idle") && soon.contains("kept open"),
            "{soon}"
        );
    }

    /// A server that closes right behind its answer, and a command that asks again on that connection, closes, and opens another one; and one that does not
    /// ask on it.
    #[test]
    fn a_request_that_was_tried_again_on_another_connection_is_named() {
        let ending = |tries: bool, opens: bool| {
            let mut connections = Connections::across([100_000; 2]);
            let ends = |port: u16| [format!("198.18.0.1:{port}"), "198.18.0.2:7000".to_owned()];
            connections.note(at(900), 0, [(ends(40_000), Seen::default())]);
            let between =
                |port: u16| Turns::between(ends(port).map(|end| end.parse().expect("an end")));
            connections.take_turns(&Turns {
                begun: Some(at(80)),
                set_up: Some(Duration::from_ms(80)),
                has_sent: [true; 2],
                closed: [Some(at(901)), Some(at(200))],
                reset: [None, Some(at(940))],
                tried_behind: [tries, false],
                ..between(40_000)
            });
            if opens {
                connections.take_turns(&Turns {
                    begun: Some(at(1000)),
                    set_up: Some(Duration::from_ms(80)),
                    ..between(40_001)
                });
            }
            let ends = ends(40_000);
            let one = connections.all.get(&ends).expect("it was noted");
            connections.ending(&ends, one)
        };
        assert_eq!(ending(true, true), Some(Ending::LeftIdle));
        assert_eq!(ending(true, false), None, "it may have been a farewell");
        assert_eq!(ending(false, true), None);
    }

    /// An upload of iperf3, which the server closes and resets as the command says by another connection that it is over; and without one.
    #[test]
    fn what_another_connection_steers_is_not_without_an_answer() {
        let said = |is_steered: bool| {
            let mut connections = Connections::across([100_000; 2]);
            let ends = |port: u16| [format!("198.18.0.1:{port}"), "198.18.0.2:5201".to_owned()];
            let mut seen = Seen::default();
            seen.sample.t = at(900);
            (seen.end.sent, seen.end.acked) = (Some(9_000_000), 9_000_000);
            connections.note(at(900), 0, [(ends(40_000), seen)]);
            let between =
                |port: u16| Turns::between(ends(port).map(|end| end.parse().expect("an end")));
            connections.take_turns(&Turns {
                begun: Some(at(80)),
                span: Duration::from_ms(900),
                has_sent: [true, false],
                closed: [None, Some(at(1000))],
                reset: [None, Some(at(1040))],
                ..between(40_000)
            });
            if is_steered {
                connections.take_turns(&Turns {
                    begun: Some(at(40)),
                    span: Duration::from_ms(1200),
                    has_sent: [true; 2],
                    ..between(40_001)
                });
            }
            connections.told([None, None]).expect("there is one").line
        };
        let words = "the server closed the connection without an answer, and reset it";
        let alone = said(false);
        assert!(
            alone.contains(words) && !alone.contains("may have"),
            "{alone}"
        );
        let steered = said(true);
        let words = format!(
            "{words}: another connection between both was in use then, and may have arranged that"
        );
        assert!(steered.contains(&words), "{steered}");
    }

    /// Four that are tried again, and one that carries all there is.
    #[test]
    fn retries_in_front_of_an_answer_are_named() {
        let told = told(4, 1);
        assert_eq!(told.many, None);
        let words = "the server closed or reset 4 of 5 connections without an answer; ";
        assert!(told.line.starts_with(words), "{}", told.line);
    }
}
