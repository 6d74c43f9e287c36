//! What the path itself saw of connections, frame by frame.

use std::net::{IpAddr, SocketAddr};

use farpath_emu::plane::{Acks, Opening, Segments, Turns, Way};
use farpath_units::{Duration, Time};

use super::unopened::address;
use super::{Connections, Watched, turned};
use crate::lab::busiest::Busiest;
use crate::lab::ending::{Ending, Reset};
use crate::lab::lost::Lost;
use crate::lab::seen::name_of;
use crate::lab::waits::Waits;

impl Connections {
    /// Takes in when nothing was delivered from one end to the other, as the path itself saw it.
    pub(in crate::lab) fn pause(&mut self, [from, to]: Way, pauses: Vec<(Time, Time)>) {
        self.pauses.insert([to, from].map(name_of), pauses);
    }

    /// Takes in whose turn it was in a connection, as the path itself saw it.
    pub(in crate::lab) fn take_turns(&mut self, turns: &Turns) {
        let [a, b] = turns.ends.map(name_of);
        let is_command = [&a, &b].map(|end| self.command.contains(address(end)));
        let server = is_command.iter().position(|is_command| *is_command);
        let server = server.map(|command| 1 - command);
        let of = |end: usize| {
            let waits = Waits::of(turns, end);
            match self.server_ended.zip(server) {
                Some((at, server)) => waits.ended_by_lab(at, usize::from(server != end)),
                None => waits,
            }
        };
        let [first, second] = [0, 1].map(of);
        let way = [b.clone(), a.clone()];
        self.waits.insert(way, second);
        self.waits.insert([a, b], first);
    }

    /// Takes in when the lab was about to end the server: the end of time where it ended none.
    pub(in crate::lab) fn take_end(&mut self, at: Time) {
        self.server_ended = Some(at);
    }

    /// Takes in when the lab or the user was about to end the command.
    pub(in crate::lab) fn take_cut(&mut self, at: Time) {
        self.cut_at = Some(at);
    }

    /// Takes in the addresses of the command's host.
    pub(in crate::lab) fn take_command(&mut self, addresses: impl IntoIterator<Item = IpAddr>) {
        let names = addresses
            .into_iter()
            .map(|a| name_of(SocketAddr::new(a, 0)));
        let own = names.map(|name| address(&name).to_owned());
        self.command.extend(own);
    }

    /// Takes in how many acknowledgements without data one end sent to the other, and what the path dropped of them.
    pub(in crate::lab) fn take_acks(&mut self, [from, to]: Way, acks: Acks) {
        self.acks.insert([to, from].map(name_of), acks);
    }

    /// Takes in how many segments with data one end sent to the other, and what the path dropped of them.
    pub(in crate::lab) fn take_segments(&mut self, way: Way, segments: Segments) {
        self.segments.insert(way.map(name_of), segments);
    }

    /// Says what was lost on the way back of one of them, by its own end and the other, what timers cost, and how the server
    /// ended it. An outage says that itself.
    pub(super) fn repairs(&self, ends: &[String; 2], one: &Watched, told: &mut Busiest) {
        told.this_open_s = self.open_of(ends).map(Duration::as_secs_f64);
        told.handshake = self.handshake(ends, one);
        told.lost_back = self.segments.get(&turned(ends)).map(Lost::of);
        let acks = self.acks.get(ends).copied().unwrap_or_default();
        (told.acks, told.acks_lost) = (acks.sent, acks.lost);
        let Some(waits) = self.waits.get(ends) else {
            return;
        };
        told.timers_s = waits.repairs().timers.as_secs_f64();
        told.is_multipath = waits.is_multipath();
        told.server_ended = waits.ending(one.host);
        told.is_steered = self.is_steered(ends, one);
        // The kernel of a command that was ended resets what is unread.
        let reset = waits.command_reset(one.host);
        let is_cut = reset.zip(self.cut_at).is_some_and(|(at, cut)| at >= cut);
        let threw_away = waits.threw_away(one.host) && !is_cut;
        told.command_reset = threw_away.then(|| match waits.has_answered(one.host) {
            true => Reset::BehindAnswers,
            false => Reset::Unanswered,
        });
        let is_cut = one.host == 0 && told.server_ended == Some(Ending::EndedByLab);
        told.cut_off = if is_cut {
            self.cut_off(ends, one)
        } else {
            None
        };
        if !self.pauses.contains_key(ends) {
            told.repaired = waits.repaired(one.time());
        }
    }

    /// Bytes that the program of `one` of these ends had written, and those of them that the other end had got, as far as is known; none where it had all.
    fn cut_off(&self, ends: &[String; 2], one: &Watched) -> Option<[u64; 2]> {
        let other = self.other(ends);
        let received = other.map_or(0, |other| other.last.end.received);
        let got = received.max(one.last.end.acked);
        let written = one
            .ends
            .iter()
            .map(|end| end.sent.unwrap_or(end.acked) + end.unsent);
        let written = written.max()?.max(one.sent(other));
        (written > got).then_some([written, got])
    }

    /// Takes in how a connection began, as the path itself saw it.
    pub(in crate::lab) fn take_opening(&mut self, opening: &Opening) {
        let [a, b] = opening.ends.map(name_of);
        if opening.is_refused {
            self.refused.insert([a.clone(), b.clone()]);
        }
        // What waited for the window took a round trip as well.
        let tls = match opening.tls_round_trips {
            0 => [0; 2],
            trips => [trips + opening.tls_windows, opening.tls_windows],
        };
        if opening.alert.is_some() || opening.tls_round_trips > 0 {
            self.alerts.insert([a.clone(), b.clone()], opening.alert);
        }
        for ends in [[a.clone(), b.clone()], [b, a]] {
            self.tls.insert(ends, tls);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::seen::Seen;

    /// A command that resets its connection 4 s after its start, behind its own data: by itself, or when it was ended.
    #[test]
    fn a_reset_of_a_command_that_was_ended_is_not_its_own() {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let reset = |cut: Option<u64>| {
            let ends = ["198.18.0.1:40000", "198.18.0.2:7000"];
            let mut connections = Connections::across([100_000; 2]);
            let mut seen = Seen::default();
            (seen.end.sent, seen.end.acked) = (Some(9000), 9000);
            connections.note(at(3900), 0, [(ends.map(str::to_owned), seen)]);
            connections.take_turns(&Turns {
                reset: [Some(at(4000)), None],
                threw_away: [true, false],
                ..Turns::between(ends.map(|end| end.parse().expect(end)))
            });
            if let Some(cut) = cut {
                connections.take_cut(at(cut));
            }
            let told = connections.told([None, None]);
            told.expect("there is one").command_reset
        };
        assert_eq!(reset(None), Some(Reset::Unanswered));
        assert_eq!(reset(Some(3995)), None);
        assert_eq!(reset(Some(4005)), Some(Reset::Unanswered));
    }
}
