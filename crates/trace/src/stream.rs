//! One direction of a connection: the data of one end, and what the other end says of it.

mod bare;
mod holes;
mod marks;
mod past;
mod repeats;
mod reported;
mod sack;
mod seen;
mod unanswered;

use std::collections::{BTreeMap, VecDeque};

use crate::acks::Acks;
use crate::event::{Event, NEVER, Place, Sending};
use crate::flights::Flights;
use crate::loss_by_size::SizeClasses;
use crate::opening::Syn;
use crate::passages::Passages;
use crate::ranges::{Ranges, unwrapped};
use crate::room::{Room, make_room};
use crate::rtt::Rtt;
use crate::segment::{Segment, control};
use crate::sizes::Sizes;
use crate::stream::holes::Hole;
use crate::stream::marks::Marks;
use crate::stream::past::Past;
use crate::stream::repeats::Repeats;
use crate::stream::reported::Reports;
use crate::work;

/// Numbers start here, so that what comes before the first one seen has a number too.
const START: u64 = 1 << 32;
/// Two equal packets of one end within this time are one that the capture holds twice, or the network doubled.
pub(crate) const COPY_NS: i64 = 50_000;
/// Segments remembered of one direction until they are acknowledged.
const SENT_MAX: usize = 1 << 16;
/// Instants remembered at which SACK blocks went higher.
const SACKS_MAX: usize = 1 << 12;

/// A segment that was seen and is not acknowledged yet.
#[derive(Clone, Copy, Debug)]
struct Sent {
    seq: u64,
    end: u64,
    /// When it was seen first, and last.
    first: i64,
    last: i64,
    /// TSval and identification of the sending that was seen first; 0 without them.
    began: (u32, u16),
    /// TSval and TSecr; 0 without timestamps.
    stamp: u32,
    echo: u32,
    identification: u16,
    times: u8,
}

impl Sent {
    /// The bytes from `seq` to `end` of a segment that passes now, seen so often with it.
    fn new(s: &Segment, (seq, end): (u64, u64), times: u8) -> Sent {
        let (stamp, echo) = s.stamps.unwrap_or_default();
        Sent {
            seq,
            end,
            first: s.at,
            last: s.at,
            began: (stamp, s.ip_id),
            stamp,
            echo,
            identification: s.ip_id,
            times,
        }
    }

    /// Its bytes have come again, in this segment.
    fn passed_again(&mut self, s: &Segment) {
        self.last = s.at;
        if let Some(stamps) = s.stamps {
            (self.stamp, self.echo) = stamps;
        }
        self.identification = s.ip_id;
    }
}

/// One direction of a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stream {
    begun: bool,
    /// The number of the first payload byte; of the first one seen where the SYN was not.
    pub(crate) base: u64,
    /// One past the highest byte seen; a FIN counts as a byte.
    pub(crate) max: u64,
    /// Acknowledged below.
    pub(crate) una: u64,
    pub(crate) fin: Option<u64>,
    pub(crate) syn: Option<Syn>,

    pub(crate) packets: u64,
    pub(crate) data_packets: u64,
    pub(crate) bytes: u64,
    pub(crate) unique: u64,
    pub(crate) sizes: Sizes,
    pub(crate) size_classes: SizeClasses,
    pub(crate) repeated: u64,
    /// Packets that the capture holds twice, with others between.
    pub(crate) copies: u64,
    pub(crate) keep_alives: u64,
    pub(crate) probes: u64,
    /// Where the byte of the last probe ends.
    probed: u64,
    /// Bytes acknowledged that the capture does not have.
    pub(crate) missed: u64,
    /// Which of them may still come, where the capture has acknowledgements before what they answer.
    ahead: Ranges,
    /// Bytes that came after their acknowledgement.
    pub(crate) late: u64,
    pub(crate) missed_holes: u64,
    pub(crate) resets: u64,
    /// Packets that a router before the capture marked.
    pub(crate) congestion_marks: u64,
    /// What became of marks; none where there was no sign of any.
    pub(crate) marks: Option<Box<Marks>>,

    /// By where they end.
    holes: BTreeMap<u64, Hole>,
    /// Segments of new data, in order, and those that filled holes, by where they begin.
    sent: VecDeque<Sent>,
    filled: BTreeMap<u64, Sent>,
    /// How often they were sent again, byte by byte; none before the first.
    repeats: Option<Box<Repeats>>,
    /// Those that were acknowledged a moment ago.
    past: Option<Box<Past>>,
    /// Two packets one behind the other had unlike identifications, of those that had one. Some stacks have one for all, which tells nothing.
    pub(crate) ids_differ: bool,
    last_id: u16,
    sacked: Ranges,
    sack_high: VecDeque<(u64, i64)>,
    /// What a later acknowledgement with room for it left out: given up, or forgotten.
    doubted: Option<Box<Ranges>>,
    /// A segment had PSH.
    pushes: bool,
    /// How often the receiver gave up what it had SACKed, and had it sent again.
    pub(crate) reneges: u64,
    again_until: u64,
    open_events: usize,
    pub(crate) events: Vec<Event>,
    /// Which of them the receiver may report to have had twice; none before its first report.
    reports: Option<Box<Reports>>,
    pub(crate) forgotten_events: u64,
    /// When the highest byte was seen.
    max_at: i64,
    /// When data was last seen.
    data_at: i64,
    /// The last SYN or FIN without data: when it was seen, its TSval and identification, and whether it was a repetition.
    bare_at: i64,
    bare_stamp: u32,
    bare_identification: u16,
    bare_repeated: bool,

    // What the receiver says.
    pub(crate) acks: u64,
    /// Those without data, in time.
    pub(crate) bare_acks: Acks,
    pub(crate) duplicate_acks: u64,
    duplicates: u32,
    dup_at: i64,
    una_at: i64,
    ack_at: i64,
    window: u64,
    pub(crate) edge: u64,
    pub(crate) window_max: u64,
    pub(crate) zero_windows: u64,
    closed: bool,
    /// Since when it is closed, and for how long it was before.
    closed_at: i64,
    closed_ns: i64,
    pub(crate) told_twice: u64,
    /// The smallest shift of windows that allows what was sent.
    pub(crate) shift_needed: u8,
    last_window: u16,

    pub(crate) rtt: Rtt,
    pub(crate) flights: Flights,
    /// What passed.
    pub(crate) passages: Option<Box<Passages>>,
    pub(crate) first_data: Option<i64>,
    pub(crate) last_data: i64,
}

impl Stream {
    /// Takes in the sender's SYN.
    pub(crate) fn open(&mut self, segment: &Segment, room: &mut Room) {
        if !self.begun {
            self.begin(unwrapped(START, segment.seq.wrapping_add(1)), segment.at);
        }
        let answers = segment.is(control::ACK);
        if let Some(syn) = self.syn.as_mut().filter(|syn| syn.seq == segment.seq) {
            // A SYN-ACK of the end that sent the SYN answers one that crossed it.
            if syn.is_answer == answers {
                return self.syn_again(segment, room);
            }
            syn.is_answer = answers;
        }
        self.syn.get_or_insert_with(|| Syn::of(segment));
        self.bare_seen(segment);
    }

    fn begin(&mut self, number: u64, at: i64) {
        self.begun = true;
        (self.base, self.max, self.una, self.edge) = (number, number, number, number);
        (self.una_at, self.dup_at, self.data_at) = (at, NEVER, at);
        self.flights.begin(number, at);
    }

    /// Payload bytes of a full segment as far as is known.
    #[inline]
    pub(crate) fn mss(&self) -> u32 {
        self.sizes.full()
    }

    /// Takes in a segment with data or a FIN.
    #[inline]
    pub(crate) fn data(&mut self, s: &Segment, room: &mut Room) {
        let seq = if s.is(control::SYN) {
            s.seq.wrapping_add(1)
        } else {
            s.seq
        };
        if !self.begun {
            self.begin(unwrapped(START, seq), s.at);
        }
        let from = unwrapped(self.max, seq);
        let until = from + u64::from(s.length);
        if s.length == 1 && self.closed && from == self.una {
            // A receiver whose window is closed need not take the byte that a probe brings (RFC 9293 §3.8.6.1).
            self.probes += 1;
            self.probed = until;
            return;
        }
        if s.length > 0 {
            // In the middle of what was written there is no PSH, for whoever sends it at all.
            let cut = self.pushes && !s.is(control::PSH | control::FIN) && from > self.una;
            self.sizes.learn(s.length, cut);
            self.data_packets += 1;
            self.bytes += u64::from(s.length);
            self.first_data.get_or_insert(s.at);
            self.last_data = s.at;
        }
        let fin = s.is(control::FIN);
        let end = until + u64::from(fin);
        if fin {
            self.fin = Some(until);
        }
        if end > self.max {
            let new_from = if from < self.max {
                self.old(s, from, self.max, room);
                self.max
            } else {
                from
            };
            if from > self.max {
                self.pass_over(from, s, room);
            }
            self.new_data(s, new_from, end, fin, room);
            if fin {
                self.bare_seen(s);
            }
        } else if s.length > 0 {
            self.old(s, from, until, room);
        } else if fin && self.ahead.take(until, end).is_empty() {
            self.fin_again(s, until, room);
        }
        if s.length > 0 {
            let pieces = match s.length <= self.sizes.full() {
                true => 1,
                false => s.length.div_ceil(self.sizes.full().max(1)),
            };
            let lost = !self.events.is_empty();
            let passages = self
                .passages
                .get_or_insert_with(|| Box::new(Passages::new(s.header())));
            passages.add(s.at, s.length + pieces * passages.header, lost, room);
        }
        self.data_at = s.at;
    }

    #[inline]
    fn new_data(&mut self, s: &Segment, from: u64, end: u64, fin: bool, room: &mut Room) {
        self.max = end;
        self.max_at = s.at;
        self.note_id(s.ip_id);
        let new = end - u64::from(fin) - from;
        self.unique += new;
        if new > 0 {
            self.sizes.add(s.length);
            self.size_classes.add(s.length);
        }
        if self.last_window > 0 && self.acks > 0 {
            while self.shift_needed < 14
                && (u64::from(self.last_window) << self.shift_needed) < self.max - self.una
            {
                self.shift_needed += 1;
            }
        }
        self.remember(Sent::new(s, (from, end), 1), room);
        let full = self.mss();
        // Whoever has sent all that was written says so with PSH (RFC 9293 §3.9.1).
        self.pushes |= s.is(control::PSH);
        let small =
            !new.is_multiple_of(u64::from(full.max(1))) && (s.is(control::PSH) || !self.pushes);
        self.flights.sent(s.at, self.max, (new, small), full, room);
    }

    #[inline]
    fn remember(&mut self, sent: Sent, room: &mut Room) {
        if self.remembered() >= SENT_MAX || room.sent == 0 {
            if self.sent.pop_front().is_none() {
                return;
            }
        } else {
            room.sent -= 1;
        }
        self.sent.push_back(sent);
    }

    fn note_event(
        &mut self,
        s: &Segment,
        (seq, until): (u64, u64),
        place: Place,
        (lag, stamp, identification, times): (i64, u32, u16, u8),
        room: &mut Room,
    ) {
        let length = (until - seq) as u32;
        let pieces = match length {
            0 => 0,
            _ => length.div_ceil(self.mss().max(1)).max(1),
        };
        if length > 0 {
            self.flights.again(s.at, until, length, room);
        }
        let reneged = place == Place::Seen && self.doubted.is_some() && self.gave_up(seq, until);
        if room.events == 0 {
            self.forgotten_events += u64::from(pieces);
            return;
        }
        room.events -= 1;
        let counts_up = s.ip_id != 0 && identification != 0;
        let above = self.sack_high.partition_point(|x| x.0 <= until);
        let head = self.first_sent(self.una, self.una + 1);
        let head_lag = head.map_or(NEVER, |sent| s.at - sent.last);
        make_room(&mut self.events);
        self.events.push(Event {
            at: s.at,
            seq,
            length,
            pieces,
            place,
            lag,
            since: lag,
            gap: 0,
            stamp: s.stamps.map(|t| t.0.wrapping_sub(stamp) as i32),
            identification: counts_up.then(|| s.ip_id.wrapping_sub(identification) as i16),
            sending: Sending::Later,
            times,
            same_echo: false,
            overtaken: false,
            is_syn: false,
            joined: false,
            known: until <= self.una || self.sacked.covers(seq, until),
            told: false,
            reneged,
            head: seq <= self.una && self.una < until,
            tail: until >= self.max,
            head_lag,
            sack_at: self.sack_high.get(above).map_or(NEVER, |x| x.1),
            dup_at: self.dup_at,
            una_at: self.una_at,
            ack_at: self.ack_at,
            una: self.una,
            max: self.max,
            smoothed: self.rtt.smoothed,
            variation: self.rtt.variation,
            repaired_at: NEVER,
        });
        self.note_report();
        self.again_until = self.max;
    }

    /// Takes in what the other end says of this data; the shift of its windows, and whether that is inferred.
    #[inline]
    pub(crate) fn acknowledge(
        &mut self,
        s: &Segment,
        (shift, inferred): (u8, bool),
        room: &mut Room,
    ) {
        let bare = s.length == 0 && !s.is(control::SYN | control::FIN | control::RST);
        let shift = if s.is(control::SYN) { 0 } else { shift };
        let window = u64::from(s.window) << shift;
        if !self.begun {
            self.begin(unwrapped(START, s.ack), s.at);
        }
        let (una, ack) = (self.una, unwrapped(self.una, s.ack));
        let before_sacked = if s.sack.count > 0 {
            self.sack(s, ack, room)
        } else {
            0
        };
        if ack > self.una {
            self.rtt.latest = 0;
            self.advance(s, ack, room);
            // RFC 2018 §4: as long as a receiver keeps data out of order, its acknowledgements report it.
            if s.sack.count == 0 && !s.options_cut && !self.sacked.is_empty() {
                self.doubt();
            }
        } else if bare && ack == self.una && self.max > self.una {
            let repeats = window == self.window && s.sack.count == 0;
            if repeats || before_sacked > 0 {
                self.duplicate_acks += 1;
                self.duplicates += 1;
                if self.duplicates == 3 {
                    self.dup_at = s.at;
                }
            }
        }
        if bare {
            self.bare_acks.take(s.at, self.una - una);
        }
        self.acks += 1;
        self.ack_at = s.at;
        if ack >= self.una && !s.is(control::RST) {
            self.window(s, ack, window);
        }
        self.flights
            .acknowledged(s.at, (self.una, self.edge), inferred, room);
    }

    #[inline]
    fn window(&mut self, s: &Segment, ack: u64, window: u64) {
        self.window = window;
        self.last_window = s.window;
        self.window_max = self.window_max.max(window);
        let closed = s.window == 0;
        // Whoever closes the window takes back what it offered before, too.
        self.edge = match closed {
            true => ack,
            false => self.edge.max(ack + window),
        };
        if closed != self.closed {
            if closed {
                self.zero_windows += 1;
                self.closed_at = s.at;
            } else {
                self.closed_ns = self.closed_ns.saturating_add(s.at - self.closed_at);
            }
        }
        self.closed = closed;
    }

    /// Acknowledged bytes grow.
    #[inline]
    fn advance(&mut self, s: &Segment, ack: u64, room: &mut Room) {
        if ack > self.max && ack == self.probed {
            self.unique += 1;
            self.max = ack;
        } else if ack > self.max {
            // Of the number of a FIN that was not captured nothing is missing but the FIN.
            self.miss(self.max, ack);
            self.max = ack;
        }
        if !self.holes.is_empty() {
            self.give_up_holes(ack);
        }
        let mut newest: Option<Sent> = None;
        let mut once = true;
        let echo = s.stamps.map(|t| t.1);
        let mut by_echo = None;
        while let Some(sent) = self.sent.front().filter(|x| x.end <= ack) {
            once &= sent.times == 1;
            if by_echo.is_none() && echo == Some(sent.stamp) && sent.times == 1 {
                by_echo = Some(sent.first);
            }
            let gone = *sent;
            newest = Some(gone);
            self.sent.pop_front();
            room.sent += 1;
            work::count(1);
            self.keep(gone, s.at, room);
        }
        // What filled a hole has no round trip, and neither has what is acknowledged with it.
        once &= !self.acknowledge_filled(ack, s.at, room);
        if let Some(split) = self.sent.front().filter(|x| x.seq < ack)
            && self.fin.is_none()
        {
            // Offload cut it into what was acknowledged one after the other.
            self.sizes.learn((ack - split.seq) as u32, true);
        }
        if let Some(sent) = newest.filter(|_| once) {
            // What a SACK block reported earlier did not wait for this acknowledgement.
            if self.sacked.is_empty() || !self.sacked.covers(sent.seq, sent.end) {
                self.rtt.add_karn(s.at - sent.first);
                self.flights.round_trip(s.at - sent.first);
            }
        }
        if let Some(first) = by_echo {
            self.rtt.add_timestamp(s.at - first);
        }
        let mut delivered = ack - self.una;
        self.una = ack;
        self.una_at = s.at;
        self.forget_repeats(ack);
        (self.duplicates, self.dup_at) = (0, NEVER);
        if !self.sacked.is_empty() {
            delivered -= self.sacked.forget_below(ack).min(delivered);
            while self.sack_high.front().is_some_and(|x| x.0 <= ack) {
                self.sack_high.pop_front();
            }
            if let Some(doubted) = self.doubted.as_deref_mut() {
                doubted.forget_below(ack);
            }
        }
        if let Some(marks) = self.marks.as_deref_mut() {
            marks.acknowledged(s.at, ack);
        }
        self.flights.delivered(delivered);
        if self.open_events < self.events.len() {
            self.repair(s.at, ack);
        }
    }

    /// Notes for the events whose time it is that all was acknowledged that had been sent then.
    fn repair(&mut self, at: i64, ack: u64) {
        while let Some(event) = self
            .events
            .get_mut(self.open_events)
            .filter(|e| e.max <= ack)
        {
            event.repaired_at = at;
            self.open_events += 1;
            work::count(1);
        }
    }

    /// When data was last seen or acknowledged for the first time.
    pub(crate) fn last_delivered(&self) -> i64 {
        match self.acks {
            0 => self.last_data,
            _ => self.una_at,
        }
    }

    /// What may be remembered of others again.
    pub(crate) fn release(&mut self, room: &mut Room) {
        room.sent += self.remembered();
        self.sent = VecDeque::new();
        self.filled = BTreeMap::new();
        self.repeats = None;
        self.forget_past(room);
    }
}
