//! Whose turn it was in a conversation of requests and answers, by the frames that carried it.
//!
//! A message is under way from when its sender's kernel hands its first byte over until the last of it is due at the other end. From then
//! on it is the other end's turn, until that one sends data. Segments without data, and data sent again, are nobody's turn.

mod asides;
mod beat;
mod endings;
mod errands;
mod greeting;
mod late;
mod pings;
mod seen;

use std::collections::BTreeMap;

use farpath_units::{Duration, Time};

use super::lines::{Carried, Passed};
use super::message::{Handing, Message, Piece, Streamed};
use super::overlap::{Overlap, Overlaps};
use super::packet::{Packet, Way};
use super::repairs::Repairing;
use super::small_writes::SmallWrites;
use super::stream::Stream;
use super::tickets::{Behind, Tickets};
use asides::Aside;
pub use beat::Beat;
use beat::Beating;
pub(super) use endings::is_alert;
use endings::{Asks, End};
pub use errands::Errand;
use errands::{Asked, Errands};
pub use greeting::Deferred;
use greeting::Opened;
use pings::Control;
pub use pings::Pings;
pub use seen::{Left, Turns};

const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;

/// The kind of the option of Multipath TCP, its subtype of who joins a connection (RFC 8684 §3.2), and the kinds of options of one byte.
const MPTCP: u8 = 30;
const JOINS: u8 = 1;
const OPTIONS_END: u8 = 0;
const NOTHING: u8 = 1;

/// Bytes of a header of TCP without options.
const HEADER: usize = 20;

/// So many connections are followed: what is more is not known.
const CONNECTIONS: usize = 1 << 12;

/// One connection.
#[derive(Clone, Debug)]
struct Talk {
    streams: [Stream; 2],
    /// The end that sent data last, and when.
    last: Option<(usize, Time)>,
    begun: Option<Time>,
    /// Who asked to open it, and when first.
    asked: Option<(usize, Time)>,
    /// When the first end last sent data, and how much of the second one's had come by then.
    question: Option<(Time, u64)>,
    /// Since when the second end has had the first of what the first one has sent since the second one last did.
    unheard: Option<Time>,
    opened: Opened,
    /// What is being sent, by the end that sent last.
    message: Message,
    /// Of several segments that are sent now the last one's bytes, where these are fewer.
    tail: Option<u32>,
    /// Bytes of the longest segment of each end.
    longest: [u32; 2],
    /// Since when the end that has just sent had all of what it answers; none where that is not so.
    turn: Option<Time>,
    /// The same of the end that has just gone on with what it sends, since when the other one had all of that; and of the one that has just closed.
    resumed: Option<Time>,
    /// When each end was last given a segment, with data or without, and one with data.
    heard: [Time; 2],
    given: [Time; 2],
    over: [End; 2],
    asks: [Asks; 2],
    /// What each end sent last left when a part of the other one's had come, and not all.
    answers_part: [bool; 2],
    /// The end that closed behind an answer that was still under way, to all that it had been asked.
    left_behind: Option<usize>,
    turns: Turns,
    overlaps: Overlaps,
    carried: [Carried; 2],
    repairs: [Repairing; 2],
    small_writes: [SmallWrites; 2],
    tickets: Tickets,
    /// What is sent now follows, and how long a request has waited for an acknowledgement that came with a ticket, or with the server's own words.
    behind: Behind,
    doubtful: Option<Duration>,
    /// What is sent now may be tickets alone, and whether that is known; and how it was before those that were sent last.
    beside: Option<bool>,
    aside: Option<Aside>,
    /// How it was before the server answered a client that had closed.
    late: Option<Aside>,
    /// The end that has just sent an alert of TLS, with all of the other one's answer.
    farewell: Option<usize>,
    /// The end that has just sent an alert of TLS behind its own answer, and since when the other one has had all of that.
    parting: Option<(usize, Time)>,
    beats: [Beating; 2],
    control: Control,
    /// What the end that opened it asked last.
    errand: Option<Asked>,
}

impl Talk {
    fn new(ends: Way) -> Talk {
        Talk {
            streams: Default::default(),
            last: None,
            begun: None,
            asked: None,
            question: None,
            unheard: None,
            opened: Opened::default(),
            message: Message::default(),
            tail: None,
            longest: [0; 2],
            turn: None,
            resumed: None,
            heard: [Time::ZERO; 2],
            given: [Time::ZERO; 2],
            over: Default::default(),
            asks: Default::default(),
            answers_part: [false; 2],
            left_behind: None,
            turns: Turns::between(ends),
            overlaps: Overlaps::default(),
            carried: Default::default(),
            repairs: Default::default(),
            small_writes: Default::default(),
            tickets: Tickets::default(),
            behind: Behind::Other,
            doubtful: None,
            beside: None,
            aside: None,
            late: None,
            farewell: None,
            parting: None,
            beats: Default::default(),
            control: Control::default(),
            errand: None,
        }
    }

    /// An end is about to send these bytes, perhaps again.
    fn reads(&mut self, end: usize, (seq, length): (u32, u32), payload: &[u8]) {
        let (_, until) = self.streams[end].place(seq, length);
        if until <= self.streams[end].sent {
            return;
        }
        self.says_farewell(end, payload);
        self.control.reads(end, payload);
        if !self.tickets.is_over() {
            self.behind = self.tickets.sent(end, payload);
            self.beside = self.tickets.beside(end);
        }
    }

    fn sent(&mut self, end: usize, (seq, length): (u32, u32), now: Time) {
        let (_, until) = self.streams[end].place(seq, length);
        if until <= self.streams[end].sent {
            let repairing = &mut self.repairs[end];
            let is_missing = repairing.is_missing && !self.streams[end].is_all_there();
            repairing.repeats(now, is_missing);
            return;
        }
        self.repairs[end].sends(now);
        if self.passes_by(end, until, now) {
            return;
        }
        let heard = &self.streams[1 - end];
        self.answers_part[end] = heard.arrived > 0 && !heard.is_all_there();
        self.goes_on_idle(end, length);
        self.asks(end, length);
        self.answers_late(end);
        match end {
            0 => self.question = Some((now, self.streams[1].arrived)),
            _ => self.unheard = None,
        }
        let own = &mut self.streams[end];
        let there = own.is_all_there().then_some(own.grew);
        own.sent = until;
        self.greets(end, now);
        self.reaches(now);
        let (heard, is_missing) = (self.heard[end], self.repairs[end].is_missing);
        let held = self.small_writes[end].waited(length, now, (there, heard));
        self.follows(end, held);
        self.small_writes[end].sends(length, now, (there, heard), is_missing);
        self.sets_aside(end);
        let is_too_late = self.over[1 - end].is_served;
        let tail = self.tail.take().unwrap_or(length);
        let piece = Piece::of(length, tail, self.longest[end]);
        match self.last.replace((end, now)) {
            // Nobody waits for what comes once the other end has all and closes.
            Some((who, _)) if who == end && is_too_late => {
                let handing = &mut self.turns.handing[end];
                *handing = handing.and(self.message.last());
                self.message = Message::begins(piece, now, false);
            }
            Some((who, then)) if who == end => {
                self.resumed = there.map(|there| there.max(then).min(now));
                let heard = (self.heard[end], self.given[end] <= then);
                if self.message.goes_on(piece, [then, now], there, heard) {
                    self.small_writes[end].waits();
                }
            }
            Some((_, then)) => {
                self.turns_to(end, then, now);
                self.message = Message::begins(piece, now, true);
            }
            None => self.message = Message::begins(piece, now, false),
        }
        self.carried[end].goes_on();
        let counted = Overlap {
            way: self.turns.way,
            other: self.turns.at[1 - end],
        };
        let new = (until, length);
        self.overlaps.sent(end, new, now, counted);
    }

    /// An end sends what was held for so long, if it was. A client does not wait for tickets, but for the acknowledgement that comes with them.
    fn follows(&mut self, end: usize, held: Option<Duration>) {
        let (client, waited) = match std::mem::take(&mut self.behind) {
            Behind::Other => return,
            Behind::OneRecord => {
                self.doubtful = held;
                return;
            }
            Behind::Tickets => (end, held),
            Behind::SecondTicket => (1 - end, self.doubtful.take()),
        };
        if let Some(waited) = waited {
            self.turns.handing[client].held += waited;
            self.small_writes[client].waits();
        }
    }

    /// An end sends after the other one, which sent last at `then`.
    fn turns_to(&mut self, end: usize, then: Time, now: Time) {
        let message = self.message;
        let stream = &self.streams[1 - end];
        let is_answered = stream.is_all_there();
        if is_answered {
            let there = stream.grew.max(then).min(now);
            self.turns.way += there.since(then);
            self.carried[1 - end].answered(there.since(then));
            self.turns.at[end] += now.since(there);
            self.turn = Some(there);
            self.beats[end].turn(now.since(there), now, self.control.is_ping());
        }
        let handing = &mut self.turns.handing[1 - end];
        *handing = handing.and(match is_answered {
            true => message.answered(),
            false => message.unanswered(),
        });
        self.overlaps.turns(end, is_answered);
    }

    /// Data of an end has arrived.
    fn arrived(&mut self, end: usize, (seq, length): (u32, u32), at: Time) {
        if self.passes_through(end, (seq, length), at) {
            return;
        }
        self.streams[end].arrives(seq, length, at);
        self.repairs[end].is_missing &= !self.streams[end].is_all_there();
        let given = &mut self.given[1 - end];
        *given = at.max(*given);
        let over = &mut self.over[1 - end];
        over.is_sent_more |= over.waited.is_some();
        if end == 0 && self.has_spoken_last(0) {
            self.unheard.get_or_insert(at);
        }
        self.overlaps.arrived(end, self.streams[end].arrived, at);
        self.reaches(at);
    }

    /// An end asks to open the connection, or answers who does: for the first time, or again.
    fn opens(&mut self, end: usize, seq: u32, now: Time) {
        let (who, first) = *self.asked.get_or_insert((end, now));
        if who == end && self.turns.set_up.is_none() {
            self.turns.opening = Some((first, now));
        }
        let is_again = self.streams[end].first.replace(seq) == Some(seq);
        let is_missing = self.repairs.iter().any(|r| r.is_missing);
        if who != end {
            self.answers_opening(is_again && !is_missing, now);
        }
        match is_again {
            true => {
                self.repairs[end].opens_again(now, is_missing);
                self.repairs.iter_mut().for_each(|r| r.is_missing = false);
            }
            false => self.repairs[end].sends(now),
        }
    }

    /// A segment of an end has arrived: the first one that comes to who asked to open the connection answers that.
    fn answers(&mut self, end: usize, at: Time) {
        if let Some((_, then)) = self.asked.filter(|(who, _)| *who != end) {
            let took = match self.turns.is_fast {
                true => Duration::ZERO,
                false => at.since(then.min(at)),
            };
            self.turns.set_up.get_or_insert(took);
            self.turns.opening = None;
        }
    }

    /// Whether an end that asks to open a connection, with this number, has asked before.
    fn is_asked_again(&self, way: Way, seq: u32) -> bool {
        let end = usize::from(self.turns.ends != way);
        self.last.is_none() && self.streams[end].first == Some(seq)
    }

    /// A link has carried data of an end.
    fn passed(&mut self, end: usize, passed: &Passed) {
        let is_last = self.has_spoken_last(end);
        self.carried[end].passes(passed, is_last);
    }

    /// An end has sent a FIN, or a reset.
    fn ended(&mut self, end: usize, is_reset: bool, now: Time) {
        if let Some(aside) = self.aside.take_if(|aside| aside.is_known) {
            self.takes_back(&aside);
        }
        self.closes_idle(end, now);
        self.closes_behind(end, is_reset);
        self.closes_unmet(end);
        self.cuts_short(end);
        self.throws_away(end, is_reset);
        self.leaves(end, now);
        self.leaves_request(end, is_reset, now);
        let so_far = self.waited(end);
        let stream = &self.streams[1 - end];
        let is_all_there = stream.is_all_there();
        let is_heard = is_all_there && !self.is_too_late(end);
        let served = self.last.filter(|(who, _)| *who != end && is_heard);
        // Who has asked nothing has got no answer.
        let has_asked = self.streams[end].sent > 0;
        let is_first = self.is_open();
        if let Some((_, then)) = served {
            let there = stream.grew.max(then).min(now);
            if has_asked {
                self.turns.landing[end] = there.since(then);
            }
            if is_first {
                self.turns.closing[end] = now.since(there);
                self.resumed = Some(there);
            }
        }
        let is_served = served.is_some() || self.is_farewell(end, now);
        let over = &mut self.over[end];
        if is_served {
            over.is_served = true;
            over.done.get_or_insert(now);
        }
        over.waited.get_or_insert(so_far);
        over.closed.get_or_insert(now);
        over.is_reset |= is_reset;
        if is_reset {
            self.turns.reset[end].get_or_insert(now);
        }
        self.overlaps.closes(end);
    }

    /// The span so far without an end's own turns.
    fn waited(&self, end: usize) -> Duration {
        self.turns.span.saturating_sub(self.turns.at[end])
    }

    /// The last answer, where it came in many pieces.
    fn streamed(&self) -> Option<Streamed> {
        let (end, until) = self.last?;
        let streamed = self.message.streamed(end, until)?;
        let handing = self.small_writes[end].known(streamed.handing);
        Some(Streamed {
            handing,
            ..streamed
        })
    }

    /// What is known of them so far, with what came too late.
    fn known(&self) -> Turns {
        let is_left = |(end, _): &(usize, Time)| {
            let is_open = !self.over[1 - *end].is_served || self.gives_up(*end);
            self.streams[*end].is_all_there() && is_open && self.over[*end].done.is_none()
        };
        let since = |(end, then): (usize, Time)| (end, self.streams[end].grew.max(then));
        let [last, one] = self.beside_tickets();
        let last = last.filter(is_left);
        let mut handing = self.turns.handing;
        if let Some((end, _)) = self.last {
            handing[end] = handing[end].and(self.message.last());
        }
        let handing = [0, 1].map(|end| self.small_writes[end].known(handing[end]));
        let turns = Turns {
            streamed: self.streamed(),
            begun: self.begun,
            waited: [0, 1].map(|end| self.over[end].waited(self.waited(end))),
            handing,
            unanswered: last.map(since),
            unheard: self
                .unheard
                .filter(|_| last.is_some_and(|(end, _)| end == 0)),
            ticketed: one.map(since).map(|(_, since)| since),
            overlapping: self.overlaps.found(),
            windows: self.overlaps.windows(),
            lines: self.carried.each_ref().map(Carried::known),
            repairs: self.repairs.each_ref().map(Repairing::known),
            at_a_time: self.overlaps.at_a_time(),
            closing: self.unless_half(self.turns.closing),
            landing: [0, 1].map(|end| self.landing(end)),
            has_sent: [0, 1].map(|end| self.streams[end].sent > 0),
            done: self.done(),
            met_closed: self.by_reset(self.turns.met_closed),
            met_behind: self.by_reset(self.turns.met_behind),
            tried_behind: self.by_reset(self.turns.tried_behind),
            left_request: [0, 1]
                .map(|end| self.turns.left_request[end] && !self.over[end].is_half()),
            left: self.turns.left.filter(|_| !self.over[0].is_half()),
            closed: [0, 1].map(|end| {
                let over = &self.over[end];
                over.closed.filter(|_| !over.is_half())
            }),
            beats: self.beats.each_ref().map(Beating::known),
            pings: self.control.pings(),
            ..self.turns
        }
        .without_pings();
        match self.overlaps.backlog(self.turns.span) {
            Some((asker, share)) => turns.with_backlog(asker, share),
            None => turns,
        }
    }

    fn reaches(&mut self, now: Time) {
        let begun = *self.begun.get_or_insert(now);
        let span = now.since(begun.min(now));
        self.turns.span = self.turns.span.max(span);
    }
}

/// All connections, by their two ends in order, and what their ends waited for on others.
#[derive(Clone, Debug, Default)]
pub(super) struct Talks(BTreeMap<Way, Talk>, Errands);

impl Talks {
    /// A host has handed over `packet`, whose bytes these are. Where that answers what the other end sent, since when it had all of that.
    pub(super) fn sent(&mut self, packet: &Packet, bytes: &[u8], now: Time) -> Option<Time> {
        let (way, seq, control) = packet.tcp()?;
        let seq = seq.wrapping_add(u32::from(control & SYN != 0));
        let again = |talk: &Talk| talk.is_asked_again(way, seq);
        if control & SYN != 0 && control & ACK == 0 && !self.0.get(&key(way)).is_some_and(again) {
            // Another connection between the same ends.
            self.0.remove(&key(way));
            self.1.ends(way);
        }
        let is_room = self.0.len() < CONNECTIONS;
        if is_room && !self.0.contains_key(&key(way)) {
            self.0.insert(key(way), Talk::new(way));
        }
        let talk = self.0.get_mut(&key(way))?;
        let end = usize::from(talk.turns.ends != way);
        if control & (FIN | RST) != 0 {
            talk.small_writes[end].closes();
        }
        let before = talk.streams[end].sent;
        match packet.payload() {
            0 if control & SYN != 0 => {
                let option = option(packet, bytes, MPTCP).filter(|_| control & ACK != 0);
                talk.turns.is_multipath |= option.is_some();
                talk.turns.joins |= option.is_some_and(|first| first >> 4 == JOINS);
                talk.opens(end, seq, now);
            }
            0 => {}
            length => {
                if control & SYN != 0 && control & ACK == 0 {
                    talk.opens_fast(end, now);
                }
                let payload = bytes.get(usize::from(packet.payload_at)..packet.end as usize);
                talk.reads(end, (seq, length), payload.unwrap_or_default());
                let [first, last] = [0, packet.segments() - 1].map(|n| packet.slice(n, 1).1);
                talk.tail = (last < first).then_some(last);
                talk.longest[end] = talk.longest[end].max(first);
                talk.overlaps.cuts(end, talk.longest[end]);
                talk.sent(end, (seq, length), now);
            }
        }
        if control & (FIN | RST) != 0 {
            talk.ended(end, control & RST != 0, now);
        }
        let since = talk.turn.take();
        let is_new = talk.streams[end].sent > before;
        let paused = talk.resumed.take().or(since);
        talk.runs_errand(&mut self.1, (way, control, is_new), (paused, now));
        since
    }

    /// The host that has just handed over `packet` waited so long for answers to queries, while it had what it answers.
    pub(super) fn asked_elsewhere(&mut self, packet: &Packet, waited: Duration) {
        let Some((way, ..)) = packet.tcp() else {
            return;
        };
        if let Some(talk) = self.0.get_mut(&key(way)) {
            let end = usize::from(talk.turns.ends != way);
            talk.turns.elsewhere[end] += waited;
        }
    }

    /// The network has dropped a segment of `packet`, or damaged it.
    pub(super) fn lost(&mut self, packet: &Packet) {
        let Some((way, _, control)) = packet.tcp() else {
            return;
        };
        let is_syn = control & SYN != 0;
        let talk = self.0.get_mut(&key(way));
        if let Some(talk) = talk.filter(|_| is_syn || packet.payload() > 0) {
            let end = usize::from(talk.turns.ends != way);
            talk.repairs[end].loses(is_syn);
        }
    }

    /// A host is given the `length` bytes from `from` on of `packet`, which were due at an instant, after a link has carried them.
    pub(super) fn delivered(
        &mut self,
        packet: &Packet,
        (from, length): (u32, u32),
        at: Time,
        passed: Option<Passed>,
    ) {
        let Some((way, seq, control)) = packet.tcp() else {
            return;
        };
        let Some(talk) = self.0.get_mut(&key(way)) else {
            return;
        };
        let end = usize::from(talk.turns.ends != way);
        let heard = &mut talk.heard[1 - end];
        *heard = at.max(*heard);
        if control & SYN == 0 {
            talk.acknowledges(end, at);
        }
        talk.answers(end, at);
        let seq = seq.wrapping_add(from);
        if length == 0 || !talk.streams[end].has(seq, length) {
            talk.repairs[1 - end].hears(at);
        }
        if length > 0 {
            if let Some(passed) = &passed {
                talk.passed(end, passed);
            }
            talk.arrived(end, (seq, length), at);
        }
        talk.hears_of_errand(&mut self.1, (way, control, length > 0), at);
    }

    /// Whose turn it was, for each connection.
    pub(super) fn all(&self) -> impl Iterator<Item = Turns> + '_ {
        self.0.values().map(Talk::turns)
    }
}

/// What an option of this kind begins with in the header of a segment, which these bytes are: none where there is none.
fn option(packet: &Packet, bytes: &[u8], kind: u8) -> Option<u8> {
    let [from, to] = [packet.transport_at, packet.payload_at].map(usize::from);
    let mut options = bytes.get(from + HEADER..to).unwrap_or_default();
    loop {
        options = match options {
            [] | [OPTIONS_END, ..] | [_] => return None,
            [NOTHING, rest @ ..] => rest,
            [found, _, first, ..] if *found == kind => return Some(*first),
            [_, length, ..] => options
                .get(usize::from(*length).max(2)..)
                .unwrap_or_default(),
        };
    }
}

/// Both ways of a connection by one name.
pub(super) fn key([a, b]: Way) -> Way {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::packet::Transport;
    use crate::plane::repairs::Repairs;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn talk() -> Talk {
        Talk::new(["198.18.0.1:4000", "198.18.0.2:70"].map(|end| end.parse().expect(end)))
    }

    /// Requests of the first end, `thinks` after each answer; `works` to answer, each way `takes`.
    fn asked(thinks: u64, works: u64, takes: u64, rounds: u32) -> Turns {
        let (mut talk, mut t) = (talk(), 7);
        // Numbers run over in the middle.
        let number = |n: u32| u32::MAX.wrapping_add(10 * n).wrapping_sub(1000);
        for n in 0..rounds {
            talk.sent(0, (number(n), 10), at(t));
            talk.streams[0].arrives(number(n), 10, at(t + takes));
            talk.sent(1, (number(n), 10), at(t + takes + works));
            talk.streams[1].arrives(number(n), 10, at(t + 2 * takes + works));
            t += 2 * takes + works + thinks;
        }
        talk.turns
    }

    #[test]
    fn the_time_of_a_request_is_of_the_end_that_has_it() {
        for (thinks, works, takes) in [(0, 0, 100), (1, 0, 9), (150, 3, 100), (70, 130, 20)] {
            let found = asked(thinks, works, takes, 201);
            assert_eq!(found.at[0], Duration::from_ms(200 * thinks));
            assert_eq!(found.at[1], Duration::from_ms(201 * works));
            assert_eq!(found.way, Duration::from_ms(401 * takes));
        }
    }

    /// A request in two segments, the first lost: it is under way until that has come again. Sent again it counts for none.
    #[test]
    fn a_message_is_under_way_until_all_of_it_is_there() {
        let mut talk = talk();
        talk.sent(0, (1, 10), at(0));
        talk.sent(0, (11, 10), at(0));
        talk.streams[0].arrives(11, 10, at(50));
        talk.sent(0, (1, 10), at(300));
        talk.streams[0].arrives(1, 10, at(350));
        talk.sent(1, (1, 10), at(360));
        assert_eq!(talk.turns.way, Duration::from_ms(350));
        assert_eq!(talk.turns.at, [Duration::ZERO, Duration::from_ms(10)]);
    }

    /// A request and its answer, each lost once, and each sent again by a timer. The next request arrives, and is sent again all the same:
    /// nobody has waited for that.
    #[test]
    fn timers_cost_what_was_lost_and_nothing_else() {
        let mut talk = talk();
        talk.sent(0, (1, 10), at(0));
        talk.repairs[0].loses(false);
        talk.sent(0, (1, 10), at(300));
        talk.arrived(0, (1, 10), at(350));
        talk.sent(1, (1, 10), at(360));
        talk.repairs[1].loses(false);
        talk.sent(1, (1, 10), at(700));
        talk.arrived(1, (1, 10), at(750));
        talk.sent(0, (11, 10), at(760));
        talk.arrived(0, (11, 10), at(810));
        talk.sent(0, (11, 10), at(1000));
        let [asked, answered] = talk.turns().repairs;
        assert_eq!((asked.lost, answered.lost), (1, 1));
        assert_eq!(asked.timers, Duration::from_ms(300));
        assert_eq!(answered.timers, Duration::from_ms(340));
        // An acknowledgement that says what is missing ends no wait for a timer.
        talk.sent(1, (11, 10), at(1100));
        talk.sent(1, (21, 10), at(1100));
        talk.repairs[1].loses(false);
        talk.repairs[1].hears(at(1300));
        talk.sent(1, (11, 10), at(1301));
        assert_eq!(talk.turns().repairs[1].timers, Duration::from_ms(341));
    }

    /// An answer is lost, and with it the acknowledgement of its request, which is sent again first: a copy of what its receiver has. That
    /// ends no wait of the receiver for its own timer, whichever end it is.
    #[test]
    fn a_copy_of_what_came_before_ends_no_wait_for_a_timer() {
        for loser in [0, 1] {
            let packet = |from: usize, seq: u32| {
                let addresses = ["198.18.0.1", "198.18.0.2"].map(|a| a.parse().expect(a));
                let ports = [4000, 70];
                Packet {
                    addresses: [addresses[from], addresses[1 - from]],
                    transport: Transport::Tcp {
                        ports: [ports[from], ports[1 - from]],
                        seq,
                        control: ACK,
                    },
                    ..Packet::plain(54)
                }
            };
            let mut talks = Talks::default();
            let [came, lost] = [packet(1 - loser, 1), packet(loser, 1)];
            talks.sent(&came, &[], at(0));
            talks.delivered(&came, (0, 10), at(50), None);
            talks.sent(&lost, &[], at(51));
            talks.lost(&lost);
            talks.sent(&came, &[], at(318));
            talks.delivered(&came, (0, 10), at(368), None);
            talks.sent(&lost, &[], at(382));
            talks.delivered(&lost, (0, 10), at(432), None);
            let found = talks.0.values().map(|talk| {
                // The end that is seen first is the first of the two.
                let [first, second] = talk.turns().repairs;
                [first.timers, second.timers]
            });
            let wanted = [[Duration::ZERO, Duration::from_ms(331)]];
            assert_eq!(found.collect::<Vec<_>>(), wanted, "{loser}");
        }
    }

    /// A SYN is lost, and then the answer to it; another number is another connection.
    #[test]
    fn a_lost_syn_is_waited_for_before_a_connection_is_open() {
        let packet = |from: usize, seq: u32, control: u8| {
            let addresses = ["198.18.0.1", "198.18.0.2"].map(|a| a.parse().expect(a));
            let ports = [4000, 70];
            Packet {
                addresses: [addresses[from], addresses[1 - from]],
                transport: Transport::Tcp {
                    ports: [ports[from], ports[1 - from]],
                    seq,
                    control,
                },
                ..Packet::plain(44)
            }
        };
        let mut talks = Talks::default();
        let (asks, answers) = (packet(0, 7, SYN), packet(1, 9, SYN | ACK));
        for (packet, ms) in [
            (&asks, 0),
            (&asks, 1000),
            (&answers, 1100),
            (&answers, 2100),
        ] {
            talks.sent(packet, &[], at(ms));
            if ms == 0 || ms == 1100 {
                talks.lost(packet);
            }
        }
        let repairs = |talks: &Talks| talks.0.values().map(|talk| talk.turns().repairs).next();
        let second = Repairs {
            lost: 1,
            syns: 1,
            timers: Duration::from_secs(1),
            opening: Duration::from_secs(1),
        };
        assert_eq!(repairs(&talks), Some([second; 2]));
        talks.sent(&packet(0, 99, SYN), &[], at(5000));
        assert_eq!(repairs(&talks), Some(Default::default()));
    }

    /// 80 B asked, 200 B answered over 75 ms each way, and the client closes: what comes after its FIN, as a server's last words do, it
    /// waits for only where it has closed its own way alone, and takes them.
    #[test]
    fn nothing_is_waited_for_once_an_end_has_closed() {
        let waited = |farewell: bool, reset: bool| {
            let mut talk = talk();
            talk.sent(0, (1, 80), at(0));
            talk.arrived(0, (1, 80), at(75));
            talk.sent(1, (1, 200), at(75));
            talk.arrived(1, (1, 200), at(150));
            talk.ended(0, false, at(150));
            if farewell {
                talk.sent(1, (201, 24), at(225));
                talk.arrived(1, (201, 24), at(300));
            }
            if reset {
                talk.ended(0, true, at(300));
            }
            talk.turns().waited[0]
        };
        for (farewell, reset, ms) in [
            (false, false, 150),
            (true, true, 150),
            (true, false, 300),
            (false, true, 150),
        ] {
            let wanted = Duration::from_ms(ms);
            assert_eq!(waited(farewell, reset), wanted, "{farewell} {reset}");
        }
    }

    /// A SYN and its answer, 80 B asked and 200 B answered, 400 ms each way, and a client that closes at once. Half of 1.6 s is the set-up, and a
    /// quarter is the answer on its way. Where the client takes more after its FIN, it has closed its own way alone.
    #[test]
    fn a_set_up_and_the_way_of_the_last_answer_are_known() {
        let found = |farewell: bool| {
            let mut talk = talk();
            talk.opens(0, 1, at(0));
            talk.answers(0, at(400));
            talk.opens(1, 1, at(400));
            talk.answers(1, at(800));
            talk.sent(0, (1, 80), at(800));
            talk.arrived(0, (1, 80), at(1200));
            talk.sent(1, (1, 200), at(1200));
            talk.arrived(1, (1, 200), at(1600));
            talk.ended(0, false, at(1600));
            talk.answers(1, at(2400));
            if farewell {
                talk.sent(1, (201, 24), at(2000));
                talk.arrived(1, (201, 24), at(2400));
            }
            talk.turns()
        };
        let turns = found(false);
        assert_eq!(turns.set_up, Some(Duration::from_ms(800)));
        assert_eq!(turns.way, Duration::from_ms(400), "of the request");
        assert_eq!(turns.landing, [400, 0].map(Duration::from_ms));
        assert_eq!(turns.done, [Some(at(1600)), None]);
        let half = found(true);
        assert_eq!((half.done, half.landing), ([None; 2], [Duration::ZERO; 2]));
    }

    /// A SYN that is sent three times, 3 s apart in all, and is answered at last, or never.
    #[test]
    fn a_connection_that_nobody_opens_is_known() {
        let opening = |is_answered: bool| {
            let mut talk = talk();
            for ms in [0, 1000, 3000] {
                talk.opens(0, 1, at(ms));
            }
            if is_answered {
                talk.opens(1, 1, at(3040));
                talk.answers(1, at(3080));
            }
            talk.turns().opening
        };
        assert_eq!(opening(false), Some((at(0), at(3000))));
        assert_eq!(opening(true), None);
    }

    /// 80 B asked and 200 B answered, 75 ms each way: the end that has all and closes first took the time until then, if nothing came after.
    #[test]
    fn the_pause_before_an_end_closes_is_its_own() {
        let closed = |first: usize, farewell: bool| {
            let mut talk = talk();
            talk.sent(0, (1, 80), at(0));
            talk.arrived(0, (1, 80), at(75));
            talk.sent(1, (1, 200), at(75));
            talk.arrived(1, (1, 200), at(150));
            assert_eq!(talk.turns().unanswered, Some((1, at(150))));
            talk.ended(first, false, at(950));
            if farewell {
                talk.sent(1, (201, 24), at(1025));
                talk.arrived(1, (201, 24), at(1100));
            }
            talk.ended(1 - first, false, at(1300));
            let turns = talk.turns();
            assert_eq!((turns.unanswered, turns.at[0]), (None, Duration::ZERO));
            turns.closing
        };
        assert_eq!(closed(0, false), [800, 0].map(Duration::from_ms));
        assert_eq!(closed(1, false), [Duration::ZERO; 2]);
        assert_eq!(closed(0, true), [Duration::ZERO; 2]);
        // An end that takes a request, and closes without an answer. It waited for none, and nothing landed.
        let mut heard = talk();
        heard.sent(0, (1, 80), at(0));
        heard.arrived(0, (1, 80), at(75));
        heard.ended(1, false, at(950));
        assert_eq!(heard.turns().closing, [0, 875].map(Duration::from_ms));
        assert_eq!(heard.turns().landing, [Duration::ZERO; 2]);
        assert_eq!(heard.turns().unanswered, None);
    }

    /// A client that closes its own way with its request, over 75 ms each way, and a server that works for 800 ms: it has waited for the answer,
    /// and for its way.
    #[test]
    fn a_request_with_a_fin_is_waited_for() {
        let mut talk = talk();
        talk.sent(0, (1, 80), at(0));
        talk.ended(0, false, at(0));
        talk.arrived(0, (1, 80), at(75));
        assert_eq!(talk.turns().unanswered, Some((0, at(75))));
        talk.sent(1, (1, 200), at(875));
        talk.ended(1, false, at(875));
        talk.arrived(1, (1, 200), at(950));
        let turns = talk.turns();
        assert_eq!(turns.at, [0, 800].map(Duration::from_ms));
        assert_eq!(turns.landing, [75, 0].map(Duration::from_ms));
        assert_eq!(turns.waited[0], Duration::from_ms(950));
        assert_eq!((turns.closed[0], turns.done[0]), (None, None));
    }

    /// A client over TLS that has its answer, and says so before its FIN; and one that gives up a request in the same way.
    #[test]
    fn an_alert_before_a_fin_asks_for_nothing() {
        let found = |is_answered: bool| {
            let mut talk = talk();
            talk.sent(0, (1, 80), at(0));
            talk.arrived(0, (1, 80), at(50));
            if is_answered {
                talk.sent(1, (1, 200), at(50));
                talk.arrived(1, (1, 200), at(100));
            }
            talk.reads(0, (81, 24), &[23, 3, 3, 0, 19, 7]);
            talk.sent(0, (81, 24), at(100));
            talk.ended(0, false, at(100));
            talk.arrived(0, (81, 24), at(150));
            talk.turns()
        };
        let answered = found(true);
        assert_eq!(answered.done[0], Some(at(100)));
        assert_eq!(
            (answered.unanswered, answered.way),
            (None, Duration::from_ms(100))
        );
        let given_up = found(false);
        assert_eq!(
            (given_up.done[0], given_up.unanswered),
            (None, Some((0, at(150))))
        );
    }

    /// A request behind a handshake of TLS 1.3, over 50 ms each way, tickets at once, and the answer after 300 ms: all of that is the server's. What
    /// follows one record says whether that was a ticket.
    #[test]
    fn a_ticket_is_no_answer() {
        let found = |is_known: Option<bool>, answers: bool, asks: bool| {
            let mut talk = talk();
            talk.sent(0, (1, 200), at(0));
            talk.arrived(0, (1, 200), at(50));
            talk.beside = is_known;
            talk.sent(1, (1, 255), at(50));
            talk.arrived(1, (1, 255), at(100));
            if asks {
                talk.sent(0, (201, 80), at(100));
                talk.arrived(0, (201, 80), at(150));
            }
            if answers {
                talk.sent(1, (256, 900), at(350));
                talk.arrived(1, (256, 900), at(400));
            }
            talk
        };
        let had = |is_known: Option<bool>| {
            let turns = found(is_known, true, false).turns();
            (turns.at[1], turns.way, turns.unanswered)
        };
        let [all, way] = [300, 50].map(Duration::from_ms);
        let answered = Some((1, at(400)));
        assert_eq!(had(Some(false)), (all, way, answered));
        assert_eq!(had(Some(true)), (all, way, answered));
        assert_eq!(had(None), (Duration::ZERO, way, answered));
        // The client goes on: it was an answer.
        let asked = found(Some(false), false, true).turns();
        assert_eq!((asked.way, asked.ticketed), (way.times(2), None));
        // Nothing follows: tickets do not answer, and of one record it is not known.
        let tickets = found(Some(true), false, false).turns();
        assert_eq!(tickets.unanswered, Some((0, at(50))));
        let one = found(Some(false), false, false).turns();
        assert_eq!(one.unanswered, Some((1, at(100))));
        assert_eq!((one.ticketed, tickets.ticketed), (Some(at(50)), None));
        // A client that gives up behind them.
        let mut given_up = found(Some(true), false, false);
        given_up.reads(0, (201, 24), &[23, 3, 3, 0, 19, 7]);
        given_up.sent(0, (201, 24), at(950));
        given_up.ended(0, false, at(950));
        assert_eq!(given_up.turns().done, [None; 2]);
        assert_eq!(given_up.turns().at[0], Duration::ZERO);
        // A server that closes behind its tickets.
        let mut closed = found(Some(true), false, false);
        closed.ended(1, false, at(950));
        assert_eq!(closed.turns().closing, [0, 900].map(Duration::from_ms));
    }

    /// A client that asks a second after each answer, 50 ms each way, and a server that answers at once.
    #[test]
    fn requests_by_a_timer_are_known() {
        let mut talk = talk();
        for n in 0..6_u32 {
            let t = 1100 * u64::from(n);
            talk.sent(0, (1 + 80 * n, 80), at(t));
            talk.arrived(0, (1 + 80 * n, 80), at(t + 50));
            talk.sent(1, (1 + 200 * n, 200), at(t + 50));
            talk.arrived(1, (1 + 200 * n, 200), at(t + 100));
        }
        let [client, server] = talk.turns().beats;
        assert_eq!((client.turns, client.taken, client.prompt), (5, 5, 0));
        assert_eq!(client.paused, Duration::from_secs(5));
        assert_eq!((server.turns, server.taken, server.prompt), (0, 6, 5));
    }

    /// A request in two pieces, of which the first leaves with the end of a handshake and the second behind its acknowledgement, over 50 ms each way:
    /// tickets come between them. It is one request, and the server has it for 300 ms.
    #[test]
    fn tickets_within_a_request_are_no_answer() {
        let mut talk = talk();
        talk.sent(0, (1, 200), at(0));
        talk.arrived(0, (1, 200), at(50));
        talk.beside = Some(true);
        talk.sent(1, (1, 510), at(50));
        talk.arrived(1, (1, 510), at(100));
        talk.heard[0] = at(100);
        talk.sent(0, (201, 80), at(100));
        talk.arrived(0, (201, 80), at(150));
        talk.sent(1, (511, 900), at(450));
        talk.arrived(1, (511, 900), at(500));
        let turns = talk.turns();
        assert_eq!(turns.at, [0, 300].map(Duration::from_ms));
        assert_eq!(turns.way, Duration::from_ms(50), "of the second piece");
        assert_eq!(turns.handing[0].way, Duration::from_ms(100));
    }

    /// A client that has an answer, and writes the two bytes of a length as a record of their own, with the request behind it and its FIN: it is not
    /// an alert.
    #[test]
    fn a_small_record_in_front_of_a_request_is_no_farewell() {
        let closed = |more: usize| {
            let mut talk = talk();
            talk.sent(0, (1, 80), at(0));
            talk.arrived(0, (1, 80), at(50));
            talk.sent(1, (1, 200), at(50));
            talk.arrived(1, (1, 200), at(100));
            let record = [&[23, 3, 3, 0, 19][..], &vec![7; 19 + more][..]].concat();
            let place = (81, record.len() as u32);
            talk.reads(0, place, &record);
            talk.sent(0, place, at(200));
            talk.ended(0, false, at(200));
            talk.arrived(0, place, at(250));
            talk.turns()
        };
        assert_eq!(closed(0).done[0], Some(at(200)));
        let asked = closed(60);
        assert_eq!(
            (asked.done[0], asked.unanswered),
            (None, Some((0, at(250))))
        );
    }

    /// A client that gives up after 3 s, and a server that is ended behind it. It has answered nothing, or has only greeted.
    #[test]
    fn a_request_that_is_given_up_stays_without_an_answer() {
        for greets in [false, true] {
            let mut talk = talk();
            talk.opens(0, 1, at(0));
            talk.opens(1, 1, at(40));
            talk.answers(1, at(80));
            if greets {
                talk.sent(1, (1, 20), at(81));
                talk.arrived(1, (1, 20), at(121));
            }
            talk.sent(0, (1, 64), at(130));
            talk.arrived(0, (1, 64), at(170));
            talk.ended(0, false, at(3130));
            let wanted = Some((0, at(170)));
            assert_eq!(talk.turns().unanswered, wanted, "{greets}");
            talk.ended(1, false, at(3200));
            let turns = talk.turns();
            assert_eq!(turns.unanswered, wanted, "{greets}");
            assert_eq!(turns.closing, [Duration::ZERO; 2], "{greets}");
            assert_eq!(turns.closed[1], Some(at(3200)));
        }
    }

    /// Requests and answers of so many bytes, one after the other, 40 ms each way: what is written in one is one segment. The server takes
    /// `works` for each, and the time in which it had requests is that.
    fn alternating(rounds: &[(&[u32], &[u32])], works: u64) -> Turns {
        let (mut talk, mut t, mut numbers) = (talk(), 5, [1, 1]);
        for (asked, answered) in rounds {
            for (end, pieces) in [(0, asked), (1, answered)] {
                let first = numbers[end];
                for length in *pieces {
                    talk.sent(end, (numbers[end], *length), at(t));
                    numbers[end] += length;
                }
                t += 40;
                talk.arrived(end, (first, numbers[end] - first), at(t));
                t += works * u64::from(end == 0);
            }
        }
        talk.turns()
    }

    /// A first request that is larger than the others, a handshake of TLS whose last message goes before the request, a one-way message before
    /// one, headers and bodies, a large answer at the end: one is outstanding at a time.
    #[test]
    fn a_large_request_is_one() {
        type Round = (&'static [u32], &'static [u32]);
        let then = |first: &[Round], rest: Round, n: usize| -> Vec<Round> {
            [first, &vec![rest; n][..]].concat()
        };
        let hello: Round = (&[517], &[1193]);
        let of_tls: [Round; 3] = [hello, (&[93], &[242]), (&[96], &[671])];
        let with_finished: [Round; 2] = [hello, (&[80, 89], &[255, 255, 600])];
        let in_two: [Round; 2] = [hello, (&[80, 89], &[510, 155])];
        let posted = then(&[(&[80, 300], &[90])], (&[93], &[100]), 12);
        let large: Round = (&[93], &[1448, 1448, 1448, 1448, 900]);
        for (rounds, works) in [
            (then(&[(&[517], &[100])], (&[93], &[100]), 23), 0),
            (then(&[(&[200], &[129])], (&[32], &[30]), 23), 0),
            (then(&[(&[180], &[100])], (&[93], &[100]), 23), 3),
            (then(&with_finished, (&[89], &[600]), 20), 40),
            (then(&in_two, (&[89], &[155, 300]), 20), 0),
            (then(&[(&[400, 93], &[100])], (&[93], &[100]), 23), 0),
            (of_tls.repeat(8), 0),
            (then(&posted, large, 1), 0),
        ] {
            let found = alternating(&rounds, works);
            let other = found.at[1] + found.overlapping[0].other;
            let wanted = Duration::from_ms(works * rounds.len() as u64);
            assert_eq!(other, wanted, "{rounds:?}");
            let way = found.way + found.overlapping[0].way;
            let legs = 2 * rounds.len() as u64 - 1;
            assert_eq!(way, Duration::from_ms(40 * legs), "{rounds:?}");
        }
    }

    /// A request that nobody answers: since when it has been there.
    #[test]
    fn a_request_without_an_answer_is_known() {
        let mut talk = talk();
        assert_eq!(talk.turns().unanswered, None);
        talk.sent(0, (1, 10), at(10));
        assert_eq!(talk.turns().unanswered, None, "it is under way");
        talk.streams[0].arrives(1, 10, at(60));
        assert_eq!(talk.turns().unanswered, Some((0, at(60))));
        talk.sent(1, (1, 10), at(70));
        assert_eq!(talk.turns().unanswered, None, "the answer is under way");
        talk.streams[1].arrives(1, 10, at(120));
        assert_eq!(talk.turns().unanswered, Some((1, at(120))));
    }

    /// A request each second that nobody answers: the first of them is known beside the last. One that is answered is none of them.
    #[test]
    fn the_first_of_several_requests_without_an_answer_is_known() {
        let unheard = |answers: bool| {
            let mut talk = talk();
            for n in 0..3_u32 {
                let then = 1000 * u64::from(n);
                talk.sent(0, (10 * n, 10), at(then));
                talk.arrived(0, (10 * n, 10), at(then + 30));
                if answers {
                    talk.sent(1, (10 * n, 10), at(then + 31));
                    talk.arrived(1, (10 * n, 10), at(then + 61));
                }
            }
            talk.turns().unheard
        };
        assert_eq!(unheard(false), Some(at(30)));
        assert_eq!(unheard(true), None);
    }

    #[test]
    fn options_are_read_up_to_their_end() {
        let found = |options: &[u8]| {
            let bytes = [&[0; HEADER][..], options].concat();
            let packet = Packet {
                transport_at: 0,
                payload_at: bytes.len() as u16,
                ..Packet::plain(bytes.len())
            };
            option(&packet, &bytes, MPTCP)
        };
        assert_eq!(found(&[2, 4, 5, 180, 1, 3, 3, 7, 30, 4, 16, 1]), Some(16));
        assert_eq!(found(&[2, 4, 5, 180, 1, 3, 3, 7]), None);
        assert_eq!(found(&[2, 4, 30, 30, 0, 30, 4, 0]), None, "behind the end");
        assert_eq!([found(&[3, 0, 7]), found(&[8]), found(&[])], [None; 3]);
    }

    /// Both send at will: neither waits for the other.
    #[test]
    fn who_sends_before_all_has_come_has_not_waited() {
        let mut talk = talk();
        for n in 0..50 {
            let t = u64::from(n) * 10;
            talk.sent(0, (n * 10, 10), at(t));
            talk.sent(1, (n * 10, 10), at(t + 5));
            // 100 ms on the way.
            if let Some(old) = n.checked_sub(10) {
                talk.streams[0].arrives(old * 10, 10, at(t));
                talk.streams[1].arrives(old * 10, 10, at(t + 5));
            }
        }
        assert_eq!(talk.turns.way, Duration::ZERO);
        assert_eq!(talk.turns.at, [Duration::ZERO; 2]);
    }

    /// A client with `depth` requests on the way at most, the answers as soon as the server has `works` on each; 70 ms each way, and a
    /// tenth of a millisecond between two segments.
    fn pipelined(depth: u64, works: u64, rounds: u64) -> Turns {
        const GAP: u64 = 100;
        let mut talk = talk();
        let us = |t: u64| Time::ZERO + Duration::from_us(t);
        // What happens when: 0 the client sends, 1 a request comes, 2 the server sends, 3 an answer comes.
        let mut all: Vec<(u64, u8, u32)> = Vec::new();
        for round in 0..rounds {
            for n in 0..depth {
                let t = round * (140_000 + works + GAP) + n * GAP;
                let number = (round * depth + n) as u32 * 10;
                all.push((t, 0, number));
                all.push((t + 70_000, 1, number));
                all.push((t + 70_000 + works + 10, 2, number));
                all.push((t + 140_000 + works + 10, 3, number));
            }
        }
        all.sort_unstable();
        for (t, what, number) in all {
            let end = usize::from(what > 1);
            match what {
                0 | 2 => talk.sent(end, (number, 10), us(t)),
                _ => talk.arrived(end, (number, 10), us(t)),
            }
        }
        talk.turns()
    }

    /// Nobody has nothing to send here: each side waits for what is on the way, or for the server.
    #[test]
    fn who_sends_as_soon_as_something_comes_has_waited_for_it() {
        for end in [0, 1] {
            let share = |found: Turns| {
                let span = found.span.as_secs_f64();
                let overlap = found.overlapping[end];
                let way = found.way + overlap.way;
                let other = found.at[1 - end] + overlap.other;
                [way, other].map(|time| time.as_secs_f64() / span)
            };
            for depth in [2, 10, 50] {
                let found = pipelined(depth, 0, 40);
                let [way, other] = share(found);
                assert!((0.93..=1.0).contains(&way), "{depth}: {found:?}");
                assert!(other < 0.01, "{depth}: {found:?}");
                let at_a_time = found.at_a_time.expect("they are few");
                assert!((at_a_time / depth as f64 - 1.0).abs() < 0.05, "{found:?}");
            }
            // A fifteenth of the time is of the server's own.
            let [way, other] = share(pipelined(10, 10_000, 40));
            assert!((0.9..0.94).contains(&way), "{end}: {way}");
            let wanted = if end == 0 { 0.05..0.07 } else { 0.0..0.01 };
            assert!(wanted.contains(&other), "{end}: {other}");
        }
        let alone = pipelined(1, 0, 40);
        let rest = alone.overlapping.map(|o| (o.way, o.other));
        assert_eq!(rest, [(Duration::ZERO, Duration::ZERO); 2], "turns have it");
        assert!(alone.at_a_time.is_some_and(|n| (n - 1.0).abs() < 0.01));
    }

    /// A client that keeps `depth` requests outstanding over `way` ms each way, and a server that thinks 30 ms for each, one after the other
    /// or all at once; it closes with the last answer, or in the middle. Its window has room for ten segments at first: what is written
    /// behind them waits for an acknowledgement, and is one.
    fn kept(depth: u64, way: u64, serial: bool, rounds: u64, drains: bool) -> Turns {
        let mut talk = talk();
        let mut due = std::collections::BTreeSet::new();
        due.extend((0..depth.min(10)).map(|n| (7 + n, 0, n, 1)));
        due.insert((8 + 2 * way, 0, 10, depth.saturating_sub(10)));
        let (mut free, mut asked) = (0, depth);
        while let Some((t, what, n, count)) = due.pop_first() {
            let (number, length) = (n as u32 * 10, count as u32 * 10);
            match what {
                _ if count == 0 => {}
                0 => {
                    talk.sent(0, (number, length), at(t));
                    due.insert((t + way, 1, n, count));
                }
                1 => {
                    talk.arrived(0, (number, length), at(t));
                    for one in n..n + count {
                        free = if serial { t.max(free) + 30 } else { t + 30 };
                        due.insert((free, 2, one, 1));
                    }
                }
                2 => {
                    talk.sent(1, (number, length), at(t));
                    due.insert((t + way, 3, n, 1));
                }
                _ => {
                    talk.arrived(1, (number, length), at(t));
                    if asked < rounds {
                        due.insert((t, 0, asked, 1));
                        asked += 1;
                    } else if !drains {
                        talk.ended(0, false, at(t));
                    }
                }
            }
        }
        talk.turns()
    }

    /// The server always has requests in hand: neither side waits for what is on the way, wherever in its work they come.
    #[test]
    fn requests_that_wait_at_a_busy_server_are_not_on_the_way() {
        let share = |turns: Turns, time: Duration| time.as_secs_f64() / turns.span.as_secs_f64();
        for (way, drains) in [
            (40, true),
            (45, true),
            (44, false),
            (40, false),
            (7, true),
            (29, true),
        ] {
            let found = kept(16, way, true, 400, drains);
            let [client, server] = found.overlapping;
            let other = share(found, found.at[1] + client.other);
            let wanted = 1.0 - (2 * way) as f64 / (16.0 * 30.0);
            assert!(
                (other - wanted).abs() < 0.05,
                "{way} {drains}: {other} {found:?}"
            );
            let way = share(found, found.way + client.way);
            assert!(way < 1.05 - other, "{way} {found:?}");
            let waited = share(found, found.way + server.way);
            assert!(waited < 0.25, "{waited} {found:?}");
        }
        // All at once: 30 ms of each 110.
        let found = kept(16, 40, false, 400, true);
        let other = share(found, found.at[1] + found.overlapping[0].other);
        assert!((0.2..0.35).contains(&other), "{other} {found:?}");
    }

    /// Four requests or so outstanding, and a server that takes about as long for each as a round trip: the first answer comes before any turns
    /// overlap.
    #[test]
    fn a_few_requests_that_wait_at_a_busy_server_are_not_on_the_way() {
        let share = |turns: Turns, time: Duration| time.as_secs_f64() / turns.span.as_secs_f64();
        for (depth, way) in [(3, 20), (4, 20), (5, 20), (4, 15), (4, 25)] {
            let found = kept(depth, way, true, 400, true);
            let client = found.overlapping[0];
            let other = share(found, found.at[1] + client.other);
            let wanted = 1.0 - (2 * way) as f64 / (30 * depth) as f64;
            assert!(
                (other - wanted).abs() < 0.05,
                "{depth} {way}: {other} {found:?}"
            );
            let way = share(found, found.way + client.way);
            assert!(way < 1.05 - other, "{depth} {way} {found:?}");
        }
    }

    /// Eight outstanding, 120 ms for each, 30 ms each way, and a client that takes 40 ms every second time until it asks again: the server has
    /// seven more all the while.
    #[test]
    fn a_client_that_asks_late_with_more_outstanding_keeps_nobody_waiting() {
        let mut talk = talk();
        let done = |n: u32| 37 + 120 * (u64::from(n) + 1);
        let mut due: Vec<(u64, u8, u32)> = Vec::new();
        for n in 0..40_u32 {
            let asked = match n.checked_sub(8) {
                // The answer to the one eight before it has come.
                Some(before) => done(before) + 30 + if n % 2 == 0 { 40 } else { 1 },
                None => 7,
            };
            due.extend([(asked, 0, n), (asked + 30, 1, n)]);
            due.extend([(done(n), 2, n), (done(n) + 30, 3, n)]);
        }
        due.sort_unstable();
        for (t, what, n) in due {
            let end = usize::from(what > 1);
            match what {
                0 | 2 => talk.sent(end, (10 * n, 10), at(t)),
                _ => talk.arrived(end, (10 * n, 10), at(t)),
            }
        }
        let found = talk.turns();
        let share = |time: Duration| time.as_secs_f64() / found.span.as_secs_f64();
        assert_eq!(found.at[0], Duration::ZERO, "{found:?}");
        assert!(share(found.at[1]) > 0.7, "{found:?}");
        assert!(share(found.way) < 0.1, "{found:?}");
    }

    /// A program that sends every 20 ms whatever comes, and one that answers each: the first does not wait for the second.
    #[test]
    fn who_sends_at_times_of_its_own_has_not_waited() {
        let mut talk = talk();
        let mut all: Vec<(u64, u8, u32)> = Vec::new();
        for n in 0..100 {
            let (t, number) = (u64::from(n) * 20, n * 10);
            let round = [(0, 0), (70, 1), (71, 2), (150, 3)];
            all.extend(round.map(|(after, what)| (t + after, what, number)));
        }
        all.sort_unstable();
        for (t, what, number) in all {
            let end = usize::from(what > 1);
            match what {
                0 | 2 => talk.sent(end, (number, 10), at(t)),
                _ => talk.arrived(end, (number, 10), at(t)),
            }
        }
        let [sender, _] = talk.turns().overlapping;
        assert_eq!(sender, Overlap::default());
    }

    /// Requests of `pieces` segments of so many bytes, `gap` ms apart, 40 ms on the way; each is acknowledged at once, and 90 ms after the last
    /// one there is an answer.
    fn in_pieces(length: u32, pieces: u64, gap: u64) -> Turns {
        let mut talk = talk();
        let mut all: Vec<(u64, u8, u32)> = Vec::new();
        for round in 0..3 {
            let t = round * 10_000;
            for n in 0..pieces {
                let number = (round * pieces + n) as u32 * length;
                let sent = t + n * gap;
                all.extend([(sent, 2, number), (sent + 40, 0, number), (sent + 80, 1, 0)]);
            }
            let number = round as u32 * 10;
            let answer = t + (pieces - 1) * gap + 40 + 90;
            all.extend([(answer, 4, number), (answer + 40, 3, number)]);
        }
        all.sort_unstable();
        for (t, what, number) in all {
            match what {
                0 => talk.arrived(0, (number, length), at(t)),
                1 => talk.heard[0] = at(t),
                2 => talk.sent(0, (number, length), at(t)),
                3 => talk.arrived(1, (number, 10), at(t)),
                _ => talk.sent(1, (number, 10), at(t)),
            }
        }
        talk.turns()
    }

    /// A request that takes its line a second, and one whose program pauses between its pieces: neither is time of who answers.
    #[test]
    fn a_request_is_on_the_way_from_its_first_byte_on() {
        let full = in_pieces(1448, 101, 10);
        assert_eq!(full.handing[0].way, Duration::from_ms(3 * 1000));
        assert_eq!(full.handing[0].paused, Duration::ZERO);
        assert_eq!(full.at[1], Duration::from_ms(3 * 90));
        assert_eq!(full.way, Duration::from_ms(3 * 40 + 2 * 40));
        // Each small piece is all that was written by then: the program pauses for 200 ms.
        let paused = in_pieces(10, 11, 200);
        assert_eq!(paused.handing[0].way, Duration::ZERO);
        assert_eq!(paused.handing[0].paused, Duration::from_ms(3 * 10 * 200));
        assert_eq!(paused.at[1], Duration::from_ms(3 * 90));
        assert_eq!(in_pieces(10, 1, 0).handing, [Handing::default(); 2]);
        // The acknowledgement of one lets the next go. What is written by then goes with it: the last piece alone came later by that.
        let held = in_pieces(10, 11, 80);
        assert_eq!(held.handing[0].way, Duration::from_ms(3 * 80));
        assert_eq!(held.handing[0].paused, Duration::from_ms(3 * 9 * 80));
        assert_eq!(held.handing[0].held, Duration::from_ms(3 * 80));
        assert_eq!(paused.handing[0].held, Duration::ZERO);
        assert_eq!(full.handing[0].held, Duration::ZERO);
    }

    /// Ten pieces of 50 B without Nagle's algorithm, over 100 ms each way: an acknowledgement comes right before each, by chance. All of the time
    /// between them is their program's.
    #[test]
    fn pauses_shorter_than_a_round_trip_are_the_programs() {
        let mut talk = talk();
        let mut all: Vec<(u64, u8, u32)> = Vec::new();
        for n in 0..10_u32 {
            let t = 101 * u64::from(n);
            let number = 50 * n;
            all.extend([(t, 2, number), (t + 100, 0, number), (t + 200, 1, 0)]);
        }
        all.retain(|(t, ..)| *t <= 1009);
        all.sort_unstable();
        for (t, what, number) in all {
            match what {
                0 => talk.arrived(0, (number, 50), at(t)),
                1 => talk.heard[0] = at(t),
                _ => talk.sent(0, (number, 50), at(t)),
            }
        }
        talk.sent(1, (1, 5000), at(1009));
        let turns = talk.turns();
        let own = Handing {
            paused: Duration::from_ms(9 * 101),
            ..Handing::default()
        };
        assert_eq!(turns.handing[0], own);
        assert_eq!(turns.way, Duration::from_ms(100));
    }

    /// Two full segments and a bit more at a time, 50 ms apart, over 40 ms each way: that is all that was written.
    #[test]
    fn what_ends_with_a_small_segment_is_all_that_was_written() {
        let paused = |tail: Option<u32>| {
            let mut talk = talk();
            talk.sent(0, (1, 80), at(0));
            talk.arrived(0, (1, 80), at(40));
            for n in 0..2 {
                talk.tail = tail;
                talk.sent(1, (1 + 3000 * n, 3000), at(40 + 50 * u64::from(n)));
            }
            talk.turns().handing[1].paused
        };
        assert_eq!(paused(Some(104)), Duration::from_ms(50));
        assert_eq!(paused(None), Duration::ZERO, "a window may have held it");
    }

    /// A request of 4000 B, 40 ms away, and an answer in twenty pieces, 100 ms apart: whoever asks again has waited for them. At the end frames do
    /// not say it.
    #[test]
    fn an_answer_in_many_pieces_is_known() {
        let found = |asks: bool| {
            let mut talk = talk();
            talk.sent(0, (1, 4000), at(0));
            talk.arrived(0, (1, 4000), at(40));
            for n in 0..20_u32 {
                let t = 140 + 100 * u64::from(n);
                talk.sent(1, (1 + 40 * n, 40), at(t));
                talk.arrived(1, (1 + 40 * n, 40), at(t + 40));
                talk.heard[1] = at(t + 80);
            }
            if asks {
                talk.sent(0, (4001, 4000), at(2081));
            } else {
                talk.ended(0, false, at(2081));
            }
            talk.turns()
        };
        let handing = Handing {
            paused: Duration::from_ms(1900),
            ..Handing::default()
        };
        let asked = found(true);
        assert_eq!((asked.handing[1], asked.streamed), (handing, None));
        let last = found(false);
        let streamed = Streamed {
            end: 1,
            from: at(140),
            until: at(2040),
            handing,
        };
        assert_eq!(last.handing[1], Handing::default());
        assert_eq!(last.streamed, Some(streamed));
    }

    /// A request, a header at once and a body behind its acknowledgement, 40 ms each way: an answer as of Python's `http.server`. A body of a
    /// full segment does not wait, and one that its program writes later has not.
    #[test]
    fn a_small_write_that_waited_is_known_of_one_answer() {
        let held = |body: u32, written: u64| {
            let mut talk = talk();
            talk.sent(0, (1, 80), at(0));
            talk.arrived(0, (1, 80), at(40));
            talk.sent(1, (1, 200), at(40));
            talk.arrived(1, (1, 200), at(80));
            talk.heard[1] = at(120);
            talk.sent(1, (201, body), at(written));
            talk.arrived(1, (201, body), at(written + 40));
            talk.turns().handing[1].held
        };
        assert_eq!(held(300, 120), Duration::from_ms(80));
        assert_eq!(held(1448, 120), Duration::ZERO);
        assert_eq!(held(300, 150), Duration::ZERO);
    }

    /// A header, full segments, and 1220 B behind the acknowledgement of the header, 40 ms each way: they are short beside segments of 1448 B.
    #[test]
    fn a_rest_that_is_nearly_full_may_wait_as_well() {
        let held = |longest: u32| {
            let mut talk = talk();
            talk.sent(0, (1, 80), at(0));
            talk.arrived(0, (1, 80), at(40));
            talk.longest[1] = longest;
            talk.sent(1, (1, 200), at(40));
            talk.sent(1, (201, 14_480), at(40));
            talk.arrived(1, (1, 14_680), at(82));
            talk.heard[1] = at(120);
            talk.sent(1, (14_681, 1220), at(120));
            talk.arrived(1, (14_681, 1220), at(160));
            talk.turns().handing[1].held
        };
        assert_eq!(held(1448), Duration::from_ms(80));
        assert_eq!(held(1220), Duration::ZERO);
    }

    /// The last words of a server of TLS, 24 B, are sent when it hears the FIN, and not when the answer before is acknowledged. A piece that
    /// follows data is an answer to it.
    #[test]
    fn what_follows_a_fin_or_data_was_not_held() {
        let held = |closes: bool, asks: bool| {
            let mut talk = talk();
            talk.sent(0, (1, 80), at(0));
            if asks {
                talk.sent(0, (81, 80), at(39));
            }
            talk.arrived(0, (1, 80), at(40));
            talk.sent(1, (1, 200), at(40));
            talk.arrived(1, (1, 200), at(80));
            if closes {
                talk.ended(0, false, at(80));
            }
            if asks {
                talk.arrived(0, (81, 80), at(120));
            }
            talk.heard[1] = at(120);
            talk.sent(1, (201, 24), at(120));
            talk.arrived(1, (201, 24), at(160));
            talk.turns().handing[1].held
        };
        assert_eq!(held(false, false), Duration::from_ms(80));
        assert_eq!(held(true, false), Duration::ZERO);
        assert_eq!(held(false, true), Duration::ZERO);
    }

    /// A handshake of TLS 1.3 over 50 ms each way, and a request that leaves as tickets come with the acknowledgement of the handshake's end.
    /// An answer in their place is what the client waits for.
    #[test]
    fn a_request_behind_tickets_was_held_back() {
        let held = |behind: [Behind; 2], written: u64| {
            let mut talk = talk();
            talk.sent(0, (1, 517), at(0));
            talk.arrived(0, (1, 517), at(50));
            talk.sent(1, (1, 1331), at(53));
            talk.arrived(1, (1, 1331), at(103));
            talk.heard[0] = at(103);
            talk.sent(0, (518, 80), at(104));
            talk.arrived(0, (518, 80), at(154));
            talk.sent(1, (1332, 255), at(155));
            talk.arrived(1, (1332, 255), at(205));
            talk.heard[0] = at(205);
            talk.behind = behind[0];
            talk.sent(0, (598, 63), at(written));
            talk.arrived(0, (598, 63), at(written + 50));
            talk.behind = behind[1];
            talk.sent(1, (1587, 200), at(written + 50));
            talk.turns().handing[0].held
        };
        let tickets = [Behind::Tickets, Behind::Other];
        assert_eq!(held(tickets, 205), Duration::from_ms(101));
        assert_eq!(held([Behind::Other; 2], 205), Duration::ZERO);
        assert_eq!(held(tickets, 300), Duration::ZERO);
        // The second one comes behind the request, or never.
        let second = [Behind::OneRecord, Behind::SecondTicket];
        assert_eq!(held(second, 205), Duration::from_ms(101));
        assert_eq!(held(second, 300), Duration::ZERO);
        let one = [Behind::OneRecord, Behind::Other];
        assert_eq!(held(one, 205), Duration::ZERO);
    }

    /// A client that has its answer and closes, 40 ms away: its last words, and those of the server, are sent after that. One that closes its
    /// own way alone goes on.
    #[test]
    fn an_end_has_closed_when_it_sends_its_fin() {
        let closed = |more: bool, is_reset: bool| {
            let mut talk = talk();
            talk.sent(0, (1, 80), at(0));
            talk.arrived(0, (1, 80), at(40));
            talk.sent(1, (1, 200), at(40));
            talk.arrived(1, (1, 200), at(80));
            talk.ended(0, false, at(90));
            if more {
                talk.sent(1, (201, 200), at(91));
                talk.arrived(1, (201, 200), at(131));
            }
            if is_reset {
                talk.ended(0, true, at(131));
            }
            talk.ended(1, false, at(170));
            talk.turns().closed
        };
        let all = [90, 170].map(|ms| Some(at(ms)));
        assert_eq!(closed(false, false), all);
        assert_eq!(closed(true, true), all);
        assert_eq!(closed(true, false), [None, Some(at(170))]);
    }

    /// A server that closes at once, and resets the connection as a request comes; and one that resets it behind a part of its answer.
    #[test]
    fn a_reset_is_known_beside_a_fin() {
        let mut closes = talk();
        closes.ended(1, false, at(40));
        closes.sent(0, (1, 200), at(45));
        closes.arrived(0, (1, 200), at(85));
        closes.ended(1, true, at(85));
        let found = closes.turns();
        assert_eq!(found.reset, [None, Some(at(85))]);
        assert_eq!(found.closed, [None, Some(at(40))]);
        assert_eq!(found.has_sent, [true, false]);
        let mut breaks = talk();
        breaks.sent(0, (1, 200), at(0));
        breaks.arrived(0, (1, 200), at(40));
        breaks.sent(1, (1, 1000), at(40));
        breaks.ended(1, true, at(41));
        let found = breaks.turns();
        assert_eq!(
            (found.reset, found.closed),
            ([None, Some(at(41))], [None, Some(at(41))])
        );
        assert_eq!(found.has_sent, [true; 2]);
    }

    /// Answers in two small pieces, 75 ms each way; each second one leaves as an acknowledgement comes. If an end has not waited for that the
    /// first time, it does not wait for it. Who keeps several requests outstanding may have another answer.
    #[test]
    fn a_small_write_beside_an_acknowledgement_has_not_waited_for_it() {
        let found = |gap: u64, heard: u64| {
            let mut talk = talk();
            talk.sent(0, (1, 80), at(0));
            talk.arrived(0, (1, 80), at(75));
            talk.sent(1, (1, 200), at(100));
            talk.arrived(1, (1, 200), at(175));
            talk.heard[1] = at(heard);
            talk.sent(1, (201, 200), at(100 + gap));
            talk.arrived(1, (201, 200), at(175 + gap));
            talk.sent(0, (81, 80), at(400));
            talk.arrived(0, (81, 80), at(475));
            talk.heard[1] = at(475);
            talk.sent(1, (401, 200), at(475));
            talk.arrived(1, (401, 200), at(550));
            talk.heard[1] = at(625);
            talk.sent(1, (601, 200), at(625));
            talk.arrived(1, (601, 200), at(700));
            talk.turns()
        };
        let held = |turns: Turns| (turns.handing[1].held, turns.handing[1].is_open);
        let waited = found(150, 250);
        assert_eq!(held(waited), (Duration::from_ms(300), false));
        assert_eq!(held(found(80, 75)), (Duration::ZERO, false));
        assert_eq!(held(waited.with_backlog(0, 0.5)), (Duration::ZERO, true));
        assert_eq!(held(waited.with_backlog(1, 0.5)), held(waited));
    }

    /// Small pieces that nobody answers are nobody's wait.
    #[test]
    fn a_stream_is_no_request() {
        let mut talk = talk();
        for n in 0..100_u32 {
            let t = u64::from(n) * 80;
            talk.sent(0, (n * 10, 10), at(t));
            talk.arrived(0, (n * 10, 10), at(t + 40));
            talk.heard[0] = at(t + 80);
        }
        let open = Handing {
            is_open: true,
            ..Handing::default()
        };
        assert_eq!(talk.turns().handing, [open, Handing::default()]);
    }
}
