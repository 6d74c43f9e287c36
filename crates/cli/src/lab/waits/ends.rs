//! How a connection ends: who closed it, when and how, and the pause before that.

use farpath_units::{Duration, Time};

use super::Waits;
use crate::lab::ending::Ending;

/// A shorter wait at the end than this is not named.
const NAMED: Duration = Duration::from_secs(1);

/// One in which a command gave up its only request, beside other connections: its client had set a timeout.
const GIVEN_UP: Duration = Duration::from_ms(20);

/// In a run that was short, one behind a request that is most of a connection's time.
const NAMED_SHORT: Duration = Duration::from_ms(200);

impl Waits {
    /// When the command's end sent its FIN, or a reset, where this is the end of a host that has this number; none where it has not closed.
    pub(in crate::lab) fn closed(&self, host: usize) -> Option<Time> {
        self.closed[usize::from(host != 0)]
    }

    /// How the server ended it before the command did, where this is the end of a host that has this number; none where that is nothing to say.
    pub(in crate::lab) fn ending(&self, host: usize) -> Option<Ending> {
        let ends: [usize; 2] = match host {
            0 => [0, 1],
            _ => [1, 0],
        };
        if self.met_closed[ends[0]] {
            return Some(Ending::ClosedIdle);
        }
        if self.met_behind[ends[0]] {
            return Some(Ending::ClosedBehind);
        }
        if self.is_ended_by_lab {
            let [asked, answered] = ends.map(|who| self.has_sent[who]);
            let is_cut = asked && !answered && self.reset[ends[1]].is_some();
            return is_cut.then_some(Ending::EndedByLab);
        }
        if self.cut_short[ends[1]] {
            return Some(Ending::CutShort);
        }
        if self.left_request[ends[1]] {
            return Some(Ending::ClosedOnRequest);
        }
        let closed = ends.map(|who| self.closed[who]);
        Ending::of(
            closed,
            self.reset[ends[1]],
            ends.map(|who| self.has_sent[who]),
        )
    }

    /// Whether the command reset the connection behind new data of its own, before the server had closed, where this is the end of a host that has
    /// this number.
    pub(in crate::lab) fn threw_away(&self, host: usize) -> bool {
        self.threw_away[usize::from(host != 0)]
    }

    /// When the command first reset the connection, where this is the end of a host that has this number; none where it has not.
    pub(in crate::lab) fn command_reset(&self, host: usize) -> Option<Time> {
        self.reset[usize::from(host != 0)]
    }

    /// From when the server had the first of several requests of the command to which it sent nothing back, when it had the last of them, and until when:
    /// where that is worth naming. The connection ends at an instant, and this is the end of a host that has this number.
    pub(in crate::lab) fn unheard_pause(&self, host: usize, end: Time) -> Option<[Time; 3]> {
        let last = self.command_unanswered(host)?;
        let first = self.unheard.filter(|_| self.is_commands(host))?;
        let (from, until) = named(first, self.closed(host), end)?;
        let last = last.clamp(from, until);
        (last.since(from) >= NAMED_SHORT).then_some([from, last, until])
    }

    /// When the other end had closed right behind its answer, where this one sent a request on the connection afterwards and got a reset.
    pub(in crate::lab) fn tried_behind(&self) -> Option<Time> {
        self.closed[1].filter(|_| self.tried_behind)
    }

    /// Whether the server has sent data, where this is the end of a host that has this number.
    pub(in crate::lab) fn has_answered(&self, host: usize) -> bool {
        self.has_sent[usize::from(host == 0)]
    }

    /// When the server's end sent its FIN, or a reset, where this is the end of a host that has this number; none where it has not closed.
    pub(in crate::lab) fn server_closed(&self, host: usize) -> Option<Time> {
        self.closed[usize::from(host == 0)]
    }

    /// How many requests this end had answered when it closed the connection right behind an answer, and before the other one, which asked. None where it
    /// did not close so, had waited for another request, or had something of the other one that it had not answered.
    pub(in crate::lab) fn closed_behind(&self) -> Option<u64> {
        let [own, other] = self.closed;
        let is_first = own.is_some_and(|own| other.is_none_or(|other| own < other));
        let is_at_once = self.was_idle.is_none() && !self.has_paused_to_close;
        let is_behind = is_at_once && self.has_sent == [true; 2];
        let answers = self.beats[0].taken;
        (is_first && is_behind && !self.is_opener && answers > 0).then_some(answers)
    }

    /// Whether an instant lies between the first frame with data and the last, where both ends sent some.
    pub(in crate::lab) fn is_used_at(&self, at: Time) -> bool {
        let is_within = |begun: Time| (begun..=begun + self.span).contains(&at);
        self.has_sent == [true; 2] && self.begun.is_some_and(is_within)
    }

    /// What `ending` says of a server that the lab ended at an instant, or was about to: it is this end, 0, or the other one.
    pub(in crate::lab) fn ended_by_lab(&self, at: Time, server: usize) -> Waits {
        let closed = self.closed[server].or(self.reset[server]);
        Waits {
            is_ended_by_lab: closed.is_some_and(|closed| closed >= at),
            ..*self
        }
    }

    /// How long the set-up took of a connection that this end opened, and that neither end has sent data on; none of any other, or of one that was
    /// refused.
    pub(in crate::lab) fn empty(&self) -> Option<Duration> {
        let is_empty = self.is_opener && self.has_sent == [false; 2];
        self.set_up.filter(|_| is_empty && self.reset[1].is_none())
    }

    /// Whether the command closed while the answer that it had waited for was on its way, for most of the connection's time, and whether some of that had
    /// come by then. This is the end of a host that has this number.
    pub(in crate::lab) fn left_early(&self, host: usize) -> Option<bool> {
        let left = self.left.filter(|_| self.is_commands(host))?;
        let pause = left.closed.since(left.asked.min(left.closed));
        let is_named = pause >= GIVEN_UP && self.is_most(pause, left.closed);
        is_named.then_some(left.is_begun)
    }

    /// From when until when at the end, which is at an instant, the other one has had all and sent nothing, where that is worth naming. It
    /// may have closed then.
    pub(in crate::lab) fn pause(&self, end: Time) -> Option<(Time, Time)> {
        let until = self.closed[1].map_or(end, |closed| closed.min(end));
        let from = match self.closing > Duration::ZERO {
            true => Time::from_ps(until.as_ps().saturating_sub(self.closing.as_ps())),
            false => self.unanswered?.min(until),
        };
        let pause = until.since(from);
        let is_short = pause >= NAMED_SHORT && self.is_unanswered();
        let is_named = pause >= NAMED || (is_short && self.is_most(pause, until));
        is_named.then_some((from, until))
    }

    /// The same where this end has had all that the other one sent, and has sent nothing.
    pub(in crate::lab) fn asked_pause(&self, end: Time) -> Option<(Time, Time)> {
        named(self.asked?, self.closed[0], end)
    }

    /// The same where the other end has sent one record that may be a ticket of TLS, or the answer.
    pub(in crate::lab) fn ticketed_pause(&self, end: Time) -> Option<(Time, Time)> {
        named(self.ticketed?, self.closed[1], end)
    }

    /// From when until when the server had the last request of a command, which closed at this instant; none where that is little of the connection's
    /// time. This is the end of a host that has this number.
    pub(in crate::lab) fn given_up(&self, host: usize, until: Time) -> Option<(Time, Time)> {
        let from = self.command_unanswered(host)?.min(until);
        let pause = until.since(from);
        (pause >= GIVEN_UP && self.is_most(pause, until)).then_some((from, until))
    }

    /// From when until when the other end had all that this one had sent, which closed an idle connection then, where that is worth naming.
    pub(in crate::lab) fn idle_pause(&self) -> Option<(Time, Time)> {
        self.named_idle(self.idle?)
    }

    /// The same, whether either end has sent data since or not.
    pub(in crate::lab) fn was_idle_pause(&self) -> Option<(Time, Time)> {
        self.named_idle(self.was_idle?)
    }

    /// An idle time, where it is worth naming.
    fn named_idle(&self, (from, until): (Time, Time)) -> Option<(Time, Time)> {
        let pause = until.since(from);
        let is_short = pause >= NAMED_SHORT && self.is_most(pause, until);
        (pause >= NAMED || is_short).then_some((from, until))
    }

    /// Whether the other end has not closed.
    pub(in crate::lab) fn is_other_open(&self) -> bool {
        self.closed[1].is_none()
    }

    /// Whether the command's end has sent last, and the server has had all of it and sent nothing, where this is the end of a host that has this
    /// number.
    pub(in crate::lab) fn is_command_unanswered(&self, host: usize) -> bool {
        self.command_unanswered(host).is_some()
    }

    /// Since when that is so.
    fn command_unanswered(&self, host: usize) -> Option<Time> {
        match host {
            0 => self.unanswered,
            _ => self.asked,
        }
    }

    /// Whether the command opened the connection, where this is the end of a host that has this number.
    pub(super) fn is_commands(&self, host: usize) -> bool {
        (host == 0) == self.is_opener
    }

    /// Whether a pause until an instant is half of the connection's time by then, or more.
    fn is_most(&self, pause: Duration, until: Time) -> bool {
        let is_half = |begun: Time| pause.times(2) >= until.since(begun.min(until));
        self.begun.is_some_and(is_half)
    }

    /// Whether this end has sent last, and the other one has had all of it and sent nothing.
    pub(in crate::lab) fn is_unanswered(&self) -> bool {
        self.unanswered.is_some()
    }
}

/// From an instant until an end has `closed`, or else until the end, where that is worth naming.
fn named(from: Time, closed: Option<Time>, end: Time) -> Option<(Time, Time)> {
    let until = closed.map_or(end, |closed| closed.min(end));
    let from = from.min(until);
    (until.since(from) >= NAMED).then_some((from, until))
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::{Beat, Turns};

    use super::*;

    /// Five answers of a server, which closes so long after it had what the client sent last: with its answer, on a request, or on a shorter word.
    #[test]
    fn a_server_that_closes_on_a_request_is_not_behind_its_answer() {
        let of = |closing: u64, left: bool| {
            let ends = ["198.18.0.1:40000", "198.18.0.2:7000"].map(|end| end.parse().expect(end));
            let at = |ms| Time::ZERO + Duration::from_ms(ms);
            let beat = Beat {
                taken: 5,
                ..Beat::default()
            };
            let turns = Turns {
                begun: Some(at(40)),
                span: Duration::from_ms(240),
                beats: [Beat::default(), beat],
                closing: [0, closing].map(Duration::from_ms),
                closed: [Some(at(320)), Some(at(280))],
                has_sent: [true; 2],
                left_request: [false, left],
                ..Turns::between(ends)
            };
            let [command, server] = [0, 1].map(|end| Waits::of(&turns, end));
            assert_eq!(command.ending(0), server.ending(1));
            (server.ending(1), server.closed_behind())
        };
        assert_eq!(of(0, false), (None, Some(5)));
        assert_eq!(of(1, true), (Some(Ending::ClosedOnRequest), None));
        assert_eq!(of(1, false), (None, None));
    }
}
