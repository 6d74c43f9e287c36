//! What each of many connections came to, and how many of them to nothing.

use farpath_units::Duration;

use super::{Connections, Watched};
use crate::lab::ending::Ending;
use crate::lab::failed::Failed;
use crate::lab::many::Each;
use crate::lab::unheard::Unheard;
use crate::lab::waits::Waits;

impl Connections {
    /// What `one` of these ends, which `sent` so much, came to; none where its ends have no ports.
    pub(super) fn each(&self, ends: &[String; 2], one: &Watched, sent: u64) -> Option<Each> {
        let [own, peer] = ends;
        let other = self.all.get(&[peer.clone(), own.clone()]);
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
        let queued = of_server.map_or(Duration::ZERO, |c| c.queued.time());
        let of = of.map(|e| e.with_queued(queued.as_secs_f64()));
        let of = of.map(|e| e.with_repairs(&repairs).with_unheard(unheard));
        let of = of.map(|e| e.with_set_up(waits.and_then(|w| w.set_up)));
        let ending = waits.and_then(|w| w.ending(one.host));
        let asked = waits.map(|w| w.beats[usize::from(one.host != 0)]);
        let asked = asked.map_or([0; 2], |beat| [beat.taken, beat.prompt]);
        of.map(|e| e.with_ending(ending).with_requests(asked))
    }

    /// Whether the server sent nothing on this connection of its own, and the command had asked for something.
    pub(super) fn is_asked_in_vain(&self, ends: &[String; 2], one: &Watched) -> bool {
        let ending = self.waits.get(ends).and_then(|w| w.ending(one.host));
        let is_ended = ending.is_some_and(Ending::is_unanswered);
        one.host == 1 && (is_ended || self.unheard(ends, one) != Unheard::Nothing)
    }

    /// Of how many connections that carried anything the server ended how many without an answer to what the command asked.
    pub(super) fn failed(&self) -> Failed {
        let mut failed = Failed::default();
        for ([own, peer], one) in self.all.iter().filter(|(_, one)| one.host == 0) {
            let ends = [own.clone(), peer.clone()];
            let other = self.all.get(&[peer.clone(), own.clone()]);
            let answered = other.map_or(0, |other| other.sent(Some(one)));
            let ending = self.waits.get(&ends).and_then(|w| w.ending(0));
            if one.sent(other) > 0 || answered > 0 {
                failed.counts(ending);
            }
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

    /// Four that are tried again, and one that carries all there is.
    #[test]
    fn retries_in_front_of_an_answer_are_named() {
        let told = told(4, 1);
        assert_eq!(told.many, None);
        let words = "the server closed or reset 4 of 5 connections without an answer; ";
        assert!(told.line.starts_with(words), "{}", told.line);
    }
}
