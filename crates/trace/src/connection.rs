//! One connection: both directions, and what is known of both together.

mod held;
mod ticks;

use held::Held;
use ticks::Ticks;

use crate::clock::Clock;
use crate::exchanges::{Exchanges, Turn, Turns};
use crate::opening::{Answers, Broken, Syns, Ttls};
use crate::peel::Rest;
use crate::room::Room;
use crate::rtt::LONGEST;
use crate::segment::{Checked, End, Segment, control};
use crate::stream::{COPY_NS, Stream};
use crate::tls::Tls;
use crate::work;

/// Two equal bare acknowledgements within this time are one: no link carries two as close.
const BARE_COPY_NS: i64 = 50;
/// TSvals remembered until they are echoed.
const STAMPS_MAX: usize = 4096;
/// Segments whose checksum was right before a wrong one means damage and not offload.
const CHECKED_LEAST: u64 = 8;

/// What one end sent last, to know it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Print {
    seq: u32,
    ack: u32,
    length: u32,
    window: u16,
    control: u8,
    ip_id: u16,
    stamps: Option<(u32, u32)>,
    sack: (u32, u32),
}

/// What is kept of one end beside its data.
#[derive(Clone, Debug, Default)]
struct Side {
    last: Print,
    last_at: i64,
    /// Its TSvals and when each was first seen here, for the time to the other end and back.
    stamps: std::collections::VecDeque<(u32, i64)>,
    ticks: Ticks,
    /// From here to the end and back: the shortest time.
    turn: Option<i64>,
    /// The other end's TSval that its data echoed last.
    echoed: Option<u32>,
    copies: u64,
    bare_copies: u64,
    checked_right: u64,
    checked_wrong: u64,
    damaged: u64,
    fin: bool,
    /// The other end sent data after this end's FIN.
    disregarded: bool,
    ttls: Ttls,
    held: Held,
}

/// One connection; index 0 is the end that opened it, or sent the first packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    pub(crate) number: u64,
    pub(crate) ends: [End; 2],
    pub(crate) started: i64,
    clock: Clock,
    /// What the end of the same index sent.
    pub(crate) streams: [Stream; 2],
    sides: [Side; 2],
    syn_at: Option<i64>,
    syn_ack_at: Option<i64>,
    pub(crate) handshake: Option<i64>,
    pub(crate) established: i64,
    pub(crate) syns: Syns,
    pub(crate) broken: Option<Broken>,
    /// The end that asks: the one that opened it, or else the one with the higher port.
    pub(crate) client: usize,
    pub(crate) exchanges: Exchanges,
    /// TLS, from a ClientHello on; not watched where the first data is something else, or all was seen.
    pub(crate) tls: Option<Box<Tls>>,
    tls_over: bool,
    /// Where the packets of each end are captured now, and everywhere they were.
    pub(crate) place: [Option<u32>; 2],
    pub(crate) places: Vec<u32>,
    /// The connection between the same ends that was captured at another point before.
    pub(crate) sibling: Option<u32>,
    pub(crate) closed_at: Option<i64>,
    pub(crate) packets: u64,
    /// Something of AccECN was seen.
    counts_marks: bool,
}

/// Where a connection was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vantage {
    At(usize),
    Middle,
    Unknown,
}

impl Connection {
    /// A connection that begins with this segment.
    pub(crate) fn new(number: u64, first: &Segment) -> Connection {
        // An answer to a SYN that was not captured was asked for by the other end.
        let answers = first.is(control::SYN) && first.is(control::ACK);
        let ends = if answers {
            [first.to, first.from]
        } else {
            [first.from, first.to]
        };
        let opens = first.is(control::SYN);
        let mut connection = Connection {
            number,
            client: usize::from(!opens && ends[0].port < ends[1].port),
            ends,
            started: first.at,
            clock: Clock::new(first.at),
            established: first.at,
            ..Connection::default()
        };
        connection.goes_on_at(first);
        connection
    }

    /// When its last packet was captured.
    pub(crate) fn last(&self) -> i64 {
        self.clock.last
    }

    /// How often the capture's clock went back.
    pub(crate) fn steps_back(&self) -> u64 {
        self.clock.steps
    }

    /// Only a SYN, and nobody has answered.
    pub(crate) fn is_half_open(&self) -> bool {
        self.syn_at.is_some() && self.streams[1].packets == 0 && !self.is_acknowledged()
    }

    /// The end that opened it acknowledged an answer, captured or not.
    pub(crate) fn is_acknowledged(&self) -> bool {
        self.streams[1].acks > 0
    }

    /// Whether a SYN with these numbers begins another connection between the same ends.
    pub(crate) fn is_another(&self, s: &Segment) -> bool {
        if s.is(control::ACK) || !s.is(control::SYN) {
            return false;
        }
        let from = self.side_of(s);
        match &self.streams[from].syn {
            Some(syn) => syn.seq != s.seq,
            None => {
                self.packets > 0 && (self.closed_at.is_some() || self.streams[from].packets > 0)
            }
        }
    }

    pub(crate) fn side_of(&self, s: &Segment) -> usize {
        usize::from(s.from != self.ends[0])
    }

    /// Takes in a segment.
    #[inline]
    pub(crate) fn take(&mut self, s: &Segment, inside: Rest<'_>, room: &mut Room) {
        let from = self.side_of(s);
        self.packets += 1;
        let mut s = *s;
        let before = self.clock.last;
        s.at = self.clock.time(s.at);
        let idle = s.at - before;
        if self.is_copy(&s, from) || self.is_damaged(&s, from) {
            return;
        }
        self.streams[from].packets += 1;
        if s.control & (control::SYN | control::FIN | control::RST) != 0 {
            self.opens_or_ends(&s, from, idle, room);
        }
        if !s.is(control::RST) {
            self.sides[from].ttls.take(s.ttl);
        }
        if let Some((value, echo)) = s.stamps {
            self.stamps(&s, from, value, echo);
        }
        if s.is(control::ACK) && !s.is(control::RST) {
            let shift = self.scale(1 - from);
            if self.established == self.started && from == 0 && !s.is(control::SYN) {
                self.handshake_ends(&s);
            }
            let below = self.streams[1 - from].una;
            self.streams[1 - from].acknowledge(&s, shift, room);
            let una = self.streams[1 - from].una;
            self.sides[1 - from].held.acknowledged(s.at, una);
            let bare = s.length == 0 && !s.is(control::SYN | control::FIN | control::RST);
            if from == self.client && bare && una > below {
                let other = &self.streams[1 - from];
                self.exchanges
                    .acknowledged(s.at, una >= other.max, other.rtt.latest);
            }
            if from != self.client && bare && self.streams[from].is_ahead(&s) {
                self.exchanges.sent_unseen(s.at);
            }
        }
        self.counts_marks |= s.counts_marks;
        if s.is(control::ECE | control::CWR) && !s.is(control::SYN | control::RST) {
            self.marked(&s, from, room);
        }
        if (s.length > 0 || s.is(control::FIN)) && !s.is(control::RST) {
            self.data(&s, inside, from, room);
        }
        if s.ecn == 3 {
            self.streams[from].congestion_marks += 1;
        }
    }

    /// An acknowledgement echoes a mark, or data says that the window was made smaller.
    #[cold]
    fn marked(&mut self, s: &Segment, from: usize, room: &mut Room) {
        if s.is(control::ECE) && s.is(control::ACK) {
            self.streams[1 - from].echo();
        }
        if s.is(control::CWR) && s.length > 0 {
            self.streams[from].reduce(s, room);
        }
    }

    /// Whether ECN-Echo and CWR mean what RFC 3168 has them mean: both SYNs agreed to that, or nothing of AccECN was seen.
    pub(crate) fn echoes_marks(&self) -> bool {
        match [0, 1].map(|n| self.streams[n].syn.as_ref()) {
            [Some(a), Some(b)] => a.ecn && b.ecn,
            _ => !self.counts_marks,
        }
    }

    #[inline]
    fn data(&mut self, s: &Segment, inside: Rest<'_>, from: usize, room: &mut Room) {
        if s.length == 0 {
            self.streams[from].data(s, room);
            return;
        }
        if !self.tls_over {
            self.secure(s, inside, from);
        }
        let before = self.streams[from].unique;
        let held = self.held_since(s, from);
        self.streams[from].data(s, room);
        let is_new = self.streams[from].unique > before;
        self.note_held(s, from, (held, is_new));
        if self.sides[1 - from].fin {
            self.sides[1 - from].disregarded = true;
        }
        let (own, other) = (&self.streams[from], &self.streams[1 - from]);
        let turn = Turn {
            at: s.at,
            new: own.unique - before,
            is_early: other.una < other.max,
            is_waiting: own.una < own.max,
            closed: self.streams[1 - self.client].closed_for(s.at),
        };
        if from == self.client {
            if let Some(done) = self.exchanges.ask(turn) {
                let turns = self.turns();
                self.exchanges.list(done, turn.at, turns, room);
            }
        } else {
            self.exchanges.answer(turn);
        }
    }

    /// From the capture to the client and to the server, and back.
    pub(crate) fn turns(&self) -> Turns {
        let of = |end| self.turn(end).unwrap_or(0);
        Turns {
            client: of(self.client),
            server: of(1 - self.client),
        }
    }

    /// Follows a TLS handshake.
    #[cold]
    fn secure(&mut self, s: &Segment, inside: Rest<'_>, from: usize) {
        let header = inside.length.saturating_sub(s.length) as usize;
        let payload = inside.bytes.get(header..).unwrap_or_default();
        let is_client = from == self.client;
        match &mut self.tls {
            Some(tls) => self.tls_over = !tls.take(s, payload, is_client),
            None if is_client && self.streams[from].unique == 0 => {
                self.tls = Tls::begin(s, payload).map(Box::new);
                self.tls_over = self.tls.is_none();
            }
            // A server that speaks first does not speak TLS.
            None => self.tls_over = true,
        }
    }

    /// Whether the packet before was the same.
    #[inline]
    fn is_copy(&mut self, s: &Segment, from: usize) -> bool {
        let side = &mut self.sides[from];
        let print = Print {
            seq: s.seq,
            ack: s.ack,
            length: s.length,
            window: s.window,
            control: s.control,
            ip_id: s.ip_id,
            stamps: s.stamps,
            sack: s.sack.blocks[0],
        };
        let apart = s.at - side.last_at;
        let same = print == side.last && self.streams[from].packets > 0;
        (side.last, side.last_at) = (print, s.at);
        if !same {
            return false;
        }
        let telling = s.length > 0 || s.ip_id != 0 || s.is(control::SYN | control::FIN);
        let bare = s.length == 0;
        let is = apart <= if telling { COPY_NS } else { BARE_COPY_NS };
        side.copies += u64::from(is && !bare);
        side.bare_copies += u64::from(is && bare);
        is
    }

    /// Whether a receiver would have refused it: its checksum is wrong where others of this end are right.
    #[inline]
    fn is_damaged(&mut self, s: &Segment, from: usize) -> bool {
        let side = &mut self.sides[from];
        match s.checked {
            Checked::Unknown => false,
            Checked::Right => {
                side.checked_right += 1;
                false
            }
            Checked::Wrong => {
                side.checked_wrong += 1;
                let damaged = side.checked_right >= CHECKED_LEAST
                    && side.checked_wrong * 10 < side.checked_right;
                side.damaged += u64::from(damaged);
                damaged
            }
        }
    }

    #[cold]
    fn opens_or_ends(&mut self, s: &Segment, from: usize, idle: i64, room: &mut Room) {
        if s.is(control::SYN) {
            // Where both ends open at once, each sends a SYN and answers the other's (RFC 9293 §3.5).
            if s.is(control::ACK) == (from == 1) {
                self.syns.take(s.at, from == 1);
            }
            let is_silent = self.streams.iter().all(|stream| stream.unique == 0);
            if from == 1 && s.is(control::ACK) && self.handshake.is_some() && is_silent {
                self.syns.comes_behind(s.at);
            }
            self.streams[from].open(s, room);
            if s.is(control::ACK) {
                if let Some(syn) = self.syn_at
                    && self.syn_ack_at.is_none()
                {
                    self.turned(from, s.at - syn);
                }
                self.syn_ack_at.get_or_insert(s.at);
            } else if from == 0 {
                self.syn_at.get_or_insert(s.at);
            }
            self.state_sizes();
        }
        if s.is(control::FIN) {
            self.sides[from].fin = true;
            if self.sides[1 - from].fin {
                self.closed_at.get_or_insert(s.at);
            }
        }
        if s.is(control::RST) {
            self.streams[from].resets += 1;
            if self.broken.is_none() {
                self.broken = Some(Broken {
                    by: from,
                    at: s.at,
                    idle,
                    ttl: s.ttl,
                    answers: self.answered_by_reset(from),
                });
            }
            self.closed_at.get_or_insert(s.at);
        }
    }

    /// What a reset of this end answers.
    fn answered_by_reset(&self, from: usize) -> Answers {
        let other = &self.sides[1 - from];
        if self.streams[from].syn.is_none() && self.streams[1 - from].syn.is_some() {
            Answers::ClosedPort
        } else if self.sides[from].fin && self.sides[from].disregarded {
            Answers::DataAfterClose
        } else if self.sides[from].fin && other.fin {
            Answers::AfterClose
        } else if from == 0 && self.syn_ack_at.is_some() && self.handshake.is_none() {
            Answers::SynAck
        } else {
            Answers::MidStream
        }
    }

    /// TTLs of an end's packets, resets left out.
    pub(crate) fn ttls(&self, from: usize) -> Ttls {
        self.sides[from].ttls
    }

    #[cold]
    fn handshake_ends(&mut self, s: &Segment) {
        if let (Some(syn), Some(syn_ack)) = (self.syn_at, self.syn_ack_at) {
            self.handshake = Some(s.at - syn);
            self.turned(0, s.at - syn_ack);
            self.established = s.at;
            self.set_shifts();
        }
    }

    /// The time from here to an end and back was seen.
    #[inline]
    fn turned(&mut self, end: usize, ns: i64) {
        let turn = self.sides[end].turn.get_or_insert(i64::MAX);
        *turn = (*turn).min(ns.clamp(0, LONGEST));
    }

    /// Acknowledgements count as late as the sender has them, unless that is nearly at once.
    fn set_shifts(&mut self) {
        for from in 0..2 {
            let (own, other) = (self.turn(from), self.turn(1 - from));
            if let (Some(own), Some(other)) = (own, other)
                && own * 10 >= own + other
            {
                self.streams[from].flights.set_shift(own);
            }
        }
    }

    /// What both SYNs say of full segments.
    fn state_sizes(&mut self) {
        let [Some(a), Some(b)] = [0, 1].map(|n| self.streams[n].syn) else {
            return;
        };
        if a.options_cut || b.options_cut {
            return;
        }
        // RFC 9293 §3.7.1: 536 in IPv4 where nothing is said; options are not counted.
        let default = 536;
        let options = if a.stamps.is_some() && b.stamps.is_some() {
            12
        } else {
            0
        };
        let (to_b, to_a) = (b.mss.unwrap_or(default), a.mss.unwrap_or(default));
        let least = to_a.min(to_b);
        for stream in &mut self.streams {
            stream
                .sizes
                .state(u32::from(least).saturating_sub(options).max(1));
        }
    }

    /// Both ends' timestamps: the time from here to the end that echoes, and back.
    #[inline]
    fn stamps(&mut self, s: &Segment, from: usize, value: u32, echo: u32) {
        let own = &mut self.sides[from].stamps;
        if own
            .back()
            .is_none_or(|b| (value.wrapping_sub(b.0) as i32) > 0)
        {
            if own.len() >= STAMPS_MAX {
                own.pop_front();
            }
            own.push_back((value, s.at));
            if s.length > 0 {
                self.sides[from].ticks.take(value, s.at);
            }
        }
        if s.length == 0 {
            return;
        }
        // Data answers the acknowledgement whose TSval it echoes, or comes later.
        let other = &mut self.sides[1 - from].stamps;
        while other.len() > 1 && (echo.wrapping_sub(other[1].0) as i32) >= 0 {
            other.pop_front();
            work::count(1);
        }
        if let Some((stamp, at)) = other.front().copied()
            && stamp == echo
        {
            self.turned(from, s.at - at);
            // Later data that echoes the same waited for something else.
            if self.sides[from].echoed != Some(echo) {
                self.sides[from].echoed = Some(echo);
                self.streams[from].flights.turned(s.at - at);
            }
        }
    }

    /// From here to an end and back; the shortest time seen.
    pub(crate) fn turn(&self, end: usize) -> Option<i64> {
        let by_data = self.streams[1 - end].rtt.floor();
        match (self.sides[end].turn, by_data) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Within this time the clock of an end's timestamps may show the same, nanoseconds; none where that was not seen.
    pub(crate) fn tick(&self, end: usize) -> Option<i64> {
        self.sides[end].ticks.finest()
    }

    /// The whole round trip; the shortest time seen.
    pub(crate) fn round_trip(&self) -> Option<i64> {
        match (self.turn(0), self.turn(1)) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        }
    }

    pub(crate) fn vantage(&self) -> Vantage {
        let (Some(a), Some(b)) = (self.turn(0), self.turn(1)) else {
            return Vantage::Unknown;
        };
        if a + b == 0 {
            // The capture's clock is too coarse, or it has no times.
            Vantage::Unknown
        } else if a * 10 < a + b {
            Vantage::At(0)
        } else if b * 10 < a + b {
            Vantage::At(1)
        } else {
            Vantage::Middle
        }
    }

    /// The shift of the windows that end `of` announced, which the data of the other end must fit in.
    fn shift_of(&self, announcer: usize) -> (u8, bool) {
        let [a, b] = [announcer, 1 - announcer].map(|n| self.streams[n].syn.as_ref());
        match (a, b) {
            // RFC 7323 §2.2: both must have asked.
            (Some(x), Some(y)) => match (x.scale, y.scale) {
                (Some(scale), Some(_)) => (scale, false),
                _ if x.options_cut || y.options_cut => {
                    (self.streams[1 - announcer].shift_needed, true)
                }
                _ => (0, false),
            },
            (Some(x), None) if !x.options_cut => (x.scale.unwrap_or(0), true),
            _ => (self.streams[1 - announcer].shift_needed, true),
        }
    }

    /// The shift of windows that bound the data of an end, and whether it was inferred.
    #[inline]
    pub(crate) fn scale(&self, data_of: usize) -> (u8, bool) {
        self.shift_of(1 - data_of)
    }

    /// Both SYNs, and both FINs or a reset.
    pub(crate) fn is_complete(&self) -> bool {
        let opened = self.streams.iter().all(|s| s.syn.is_some());
        opened && self.closed_at.is_some()
    }

    /// Copies that an end's packets have: of data, and of bare acknowledgements.
    pub(crate) fn copies(&self, from: usize) -> (u64, u64) {
        let side = &self.sides[from];
        (side.copies + self.streams[from].copies, side.bare_copies)
    }

    /// Segments of an end whose checksums were right, wrong, and wrong because they were damaged.
    pub(crate) fn checksums(&self, from: usize) -> (u64, u64, u64) {
        let side = &self.sides[from];
        (side.checked_right, side.checked_wrong, side.damaged)
    }
}
