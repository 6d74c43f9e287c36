//! Bytes that were passed over, and those that are not new: of holes, or seen before.

use super::{COPY_NS, SENT_MAX, Sent, Stream};
use crate::event::Place;
use crate::room::Room;
use crate::segment::Segment;
use crate::work;

/// Holes remembered of one direction.
const HOLES_MAX: usize = 1 << 12;
/// Spans of bytes that may come after their acknowledgement.
const AHEAD_MAX: usize = 64;
/// Segments that one that is sent again holds: as large as IP allows, of those that a small MSS makes of it.
const SENT_AGAIN_MAX: usize = 128;

/// Bytes that were passed over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hole {
    from: u64,
    until: u64,
    /// When what follows it was seen, and what is before it.
    at: i64,
    after: i64,
    stamp: u32,
    identification: u16,
}

impl Stream {
    /// Bytes are missing between the highest number and `from`.
    #[cold]
    pub(super) fn pass_over(&mut self, from: u64, s: &Segment, room: &mut Room) {
        if self.holes.len() < HOLES_MAX && from > self.una {
            let hole = Hole {
                from: self.max.max(self.una),
                until: from,
                at: s.at,
                after: self.max_at,
                stamp: s.stamps.map_or(0, |t| t.0),
                identification: s.ip_id,
            };
            self.holes.insert(hole.until, hole);
        }
        self.flights.sent(s.at, from, (0, false), 0, room);
    }

    /// Bytes that are not new: of holes, or seen before.
    #[cold]
    pub(super) fn old(&mut self, s: &Segment, from: u64, until: u64, room: &mut Room) {
        if s.length <= 1 && until == self.max && self.una >= from {
            self.keep_alives += 1;
            self.bytes -= u64::from(s.length);
            return;
        }
        if !self.ahead.is_empty() {
            let others = self.ahead.gaps(from, until);
            if self.come_late(s, from, until, room) {
                others.iter().for_each(|part| self.known(s, *part, room));
                return;
            }
        }
        self.known(s, (from, until), room);
    }

    /// Bytes were acknowledged that were not seen.
    #[cold]
    pub(super) fn miss(&mut self, from: u64, until: u64) {
        self.missed += until - from;
        self.ahead.add(from, until);
        self.ahead.keep_highest(AHEAD_MAX);
    }

    /// Bytes come for the first time, and were acknowledged before: the clocks of two interfaces differ, or their packets are
    /// not in order. No time can be had from them. Whether there are any.
    fn come_late(&mut self, s: &Segment, from: u64, until: u64, room: &mut Room) -> bool {
        let parts = self.ahead.take(from, until);
        let bytes: u64 = parts.iter().map(|part| part.1 - part.0).sum();
        if bytes == 0 {
            return false;
        }
        self.late += bytes;
        self.missed -= bytes;
        self.unique += bytes;
        self.sizes.add(s.length);
        self.size_classes.add(s.length);
        let full = self.mss();
        self.flights
            .sent(s.at, self.max, (bytes, false), full, room);
        true
    }

    /// Bytes of holes, or seen before. What fills a hole and has others besides becomes several events of one packet.
    fn known(&mut self, s: &Segment, (from, until): (u64, u64), room: &mut Room) {
        let first = self.events.len();
        self.divide(s, (from, until), room);
        if self.events.len() > first + 1 {
            self.join(first);
        }
    }

    /// Together the events of one packet count as the segments that it is, first of all the bytes that filled holes.
    fn join(&mut self, first: usize) {
        let full = self.mss().max(1);
        let parts = &mut self.events[first..];
        let mut bytes: u32 = 0;
        for place in [Place::Hole, Place::Seen] {
            for part in parts.iter_mut().filter(|part| part.place == place) {
                let before = bytes.div_ceil(full);
                bytes += part.length;
                part.pieces = bytes.div_ceil(full) - before;
            }
        }
        parts.iter_mut().skip(1).for_each(|part| part.joined = true);
    }

    /// The parts of a packet, one by one.
    fn divide(&mut self, s: &Segment, (from, until): (u64, u64), room: &mut Room) {
        let mut at = from;
        while at < until {
            work::count(1);
            let next = self.holes.range(at + 1..).next().map(|h| *h.1);
            let Some(hole) = next.filter(|h| h.from < until) else {
                self.again(s, at, until, room);
                return;
            };
            if hole.from > at {
                self.again(s, at, hole.from, room);
                at = hole.from;
            }
            let end = until.min(hole.until);
            self.fill(s, hole, at, end, room);
            at = end;
        }
    }

    /// Bytes of a hole have come.
    fn fill(&mut self, s: &Segment, hole: Hole, from: u64, until: u64, room: &mut Room) {
        if until < hole.until {
            let rest = Hole {
                from: until,
                ..hole
            };
            self.holes.insert(hole.until, rest);
        } else {
            self.holes.remove(&hole.until);
        }
        if from > hole.from {
            let rest = Hole {
                until: from,
                ..hole
            };
            self.holes.insert(from, rest);
        }
        self.unique += until - from;
        if self.remembered() < SENT_MAX && room.sent > 0 {
            room.sent -= 1;
            // It may be a second copy: no round-trip time can be had from it.
            let sent = Sent::new(s, (from, until), 2);
            self.filled.insert(from, sent);
        }
        let evidence = (s.at - hole.at, hole.stamp, hole.identification, 0);
        let overtaken = self.was_overtaken(s);
        let before = self.events.len();
        self.note_event(s, (from, until), Place::Hole, evidence, room);
        if let Some(event) = self.events.get_mut(before) {
            event.gap = hole.at - hole.after;
            event.overtaken = overtaken;
        }
    }

    /// Segments that are remembered.
    #[inline]
    pub(super) fn remembered(&self) -> usize {
        self.sent.len() + self.filled.len()
    }

    /// The first remembered segment of those with bytes of a span.
    pub(super) fn first_sent(&self, from: u64, until: u64) -> Option<&Sent> {
        let place = self.sent.partition_point(|x| x.end <= from);
        let new = self.sent.get(place).filter(|x| x.seq < until);
        let before = self.filled.range(..=from).next_back();
        let filled = before
            .map(|x| x.1)
            .filter(|x| x.end > from)
            .or_else(|| self.filled.range(from..until).next().map(|x| x.1));
        match (new, filled) {
            (Some(a), Some(b)) if b.seq < a.seq => Some(b),
            (a, b) => a.or(b),
        }
    }

    /// Bytes that were seen before have come again.
    fn again(&mut self, s: &Segment, from: u64, until: u64, room: &mut Room) {
        if self.is_copy(s, from, until) {
            self.copies += 1;
            self.packets -= 1;
            self.data_packets -= 1;
            self.bytes -= u64::from(s.length);
            return;
        }
        self.repeated += until - from;
        let earlier = self.earlier(s, from, until);
        let overtaken = self.was_overtaken(s);
        let before = self.events.len();
        self.note_event(s, (from, until), Place::Seen, earlier.evidence, room);
        if let Some(event) = self.events.get_mut(before) {
            event.since = earlier.since;
            (event.same_echo, event.overtaken) = (earlier.same_echo, overtaken);
            event.sending = earlier.sending;
        }
        self.seen_again(s, from);
        self.count_again(from, until);
        let start = self.filled.range(..=from).next_back();
        let start = start.filter(|x| x.1.end > from).map_or(from, |x| *x.0);
        let first = self.sent.partition_point(|x| x.end <= from);
        let new = self.sent.range_mut(first..);
        let new = new.take_while(|x| x.seq < until).take(SENT_AGAIN_MAX);
        let filled = self.filled.range_mut(start..until.max(start));
        let filled = filled.map(|x| x.1).take(SENT_AGAIN_MAX);
        for sent in new.chain(filled) {
            work::count(1);
            sent.times = sent.times.saturating_add(1);
            sent.passed_again(s);
        }
    }

    /// The same packet has just passed, and others after it: several interfaces of one host, or mirrored ports, interleave.
    fn is_copy(&self, s: &Segment, from: u64, until: u64) -> bool {
        let print = (s.stamps.map_or(0, |t| t.0), s.ip_id);
        let sent = self.first_sent(from, until);
        let sent = sent.or_else(|| self.acknowledged_with(from));
        sent.is_some_and(|sent| {
            (sent.seq, sent.end) == (from, from + u64::from(s.length))
                && (sent.stamp, sent.identification) == print
                && print != (0, 0)
                && s.at - sent.last <= COPY_NS
        })
    }

    /// Holes below an acknowledgement never come: the capture lost them.
    #[cold]
    pub(super) fn give_up_holes(&mut self, ack: u64) {
        let mut missed = 0;
        while let Some(mut first) = self.holes.first_entry().filter(|h| h.get().from < ack) {
            work::count(1);
            let hole = first.get_mut();
            let (from, until) = (hole.from, ack.min(hole.until));
            hole.from = ack;
            if hole.until <= ack {
                first.remove();
            }
            missed += until - from;
            self.miss(from, until);
        }
        self.missed_holes += u64::from(missed > 0);
    }

    /// Bytes still missing at the end of the capture.
    pub(crate) fn open_holes(&self) -> u64 {
        self.holes.values().map(|h| h.until - h.from).sum()
    }
}
