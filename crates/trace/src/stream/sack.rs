//! SACK blocks and what they tell of (RFC 2018, RFC 2883).

use super::{SACKS_MAX, Stream, TOLD_BACK};
use crate::event::Event;
use crate::ranges::{Ranges, unwrapped};
use crate::room::{Room, make_room};
use crate::segment::Segment;
use crate::work;

impl Stream {
    /// SACK blocks; how many bytes they tell of for the first time.
    #[cold]
    pub(super) fn sack(&mut self, s: &Segment, ack: u64, room: &mut Room) -> u64 {
        let blocks = &s.sack.blocks[..usize::from(s.sack.count)];
        let wide = |b: &(u32, u32)| (unwrapped(ack, b.0), unwrapped(ack, b.1));
        let mut new = 0;
        for (n, block) in blocks.iter().map(wide).enumerate() {
            let (from, until) = block;
            // RFC 2883 §4: below the acknowledgement, or inside the second block.
            let inside = blocks
                .get(1)
                .map(wide)
                .is_some_and(|b| b.0 <= from && until <= b.1);
            if n == 0 && (until <= ack || inside) {
                self.told(from, until, room);
                continue;
            }
            if from >= until || until > self.max || from < self.una {
                continue;
            }
            if let Some(doubted) = self.doubted.as_deref_mut() {
                doubted.take(from, until);
            }
            let added = self.sacked.add(from, until);
            if added > 0 {
                new += added;
                self.sack_sample(s.at, until);
            }
        }
        let end = self.sacked.end();
        if new > 0 && self.sack_high.back().is_none_or(|x| x.0 < end) {
            if self.sack_high.len() >= SACKS_MAX {
                self.sack_high.pop_front();
            }
            self.sack_high.push_back((end, s.at));
            work::count(1);
        }
        if new > 0 {
            self.flights.sacked(s.at, new, room);
        }
        new
    }

    /// An acknowledgement has room for SACK blocks and none: the receiver has given up what it had SACKed (RFC 2018 §8), or has
    /// forgotten to say so. Linux remembers four ranges. Which it is shows when something of that is sent again.
    #[cold]
    pub(super) fn doubt(&mut self) {
        if self.doubted.as_ref().is_none_or(|d| d.is_empty()) {
            work::count(self.sacked.len());
            self.doubted = Some(Box::new(self.sacked.clone()));
        }
    }

    /// Whether bytes that are sent again are among those that the receiver has left out: then it has given them up, and all the others.
    #[cold]
    pub(super) fn gave_up(&mut self, from: u64, until: u64) -> bool {
        let doubted = self.doubted.as_deref_mut();
        let is = doubted.is_some_and(|d| !d.take(from, until).is_empty());
        if is {
            self.reneges += 1;
            self.sacked = Ranges::default();
            self.doubted = None;
            self.sack_high.clear();
        }
        is
    }

    fn sack_sample(&mut self, at: i64, until: u64) {
        let place = self.sent.partition_point(|x| x.end < until);
        if let Some(sent) = self
            .sent
            .get(place)
            .filter(|x| x.seq < until && x.times == 1)
        {
            let ns = at - sent.first;
            self.rtt.sack.add(ns);
            self.flights.round_trip(ns);
        }
    }

    /// The receiver tells that it had these bytes twice: of each, the first segment that was not reported yet.
    fn told(&mut self, from: u64, until: u64, room: &mut Room) {
        self.told_twice += 1;
        let mut open = Vec::new();
        if from < until {
            open.push((from, until));
        }
        while let Some((from, until)) = open.pop() {
            let recent = self.events.len().saturating_sub(TOLD_BACK);
            work::count(self.events.len() - recent);
            let of = |e: &Event| !e.told && e.seq < until && from < e.seq + u64::from(e.length);
            let Some(place) = self.events[recent..].iter().position(of) else {
                continue;
            };
            let event = self.report(recent + place, (from, until), room);
            let rest = [
                (from, event.seq),
                (event.seq + u64::from(event.length), until),
            ];
            open.extend(rest.into_iter().filter(|part| part.0 < part.1));
        }
    }

    /// A report of bytes that an event has; the event as it is then. Of several segments that were sent as one, whole ones that
    /// are reported become an event of their own.
    fn report(&mut self, place: usize, (from, until): (u64, u64), room: &mut Room) -> Event {
        if std::mem::take(&mut self.events[place].reneged) {
            self.reneges = self.reneges.saturating_sub(1);
        }
        let event = self.events[place];
        let end = event.seq + u64::from(event.length);
        let (start, stop) = (from.max(event.seq), until.min(end));
        let full = u64::from(self.mss().max(1));
        let part = |from: u64, until: u64, told: bool| Event {
            seq: from,
            length: (until - from) as u32,
            pieces: (until - from).div_ceil(full) as u32,
            told,
            ..event
        };
        let reported = part(start, stop, true);
        let others = [part(stop, end, false), part(event.seq, start, false)];
        let pieces = reported.pieces + others[0].pieces + others[1].pieces;
        if event.pieces < 2 || pieces != event.pieces || room.events < others.len() {
            self.events[place].told = true;
            return event;
        }
        let is_repaired = place < self.open_events;
        self.events[place] = reported;
        for (other, at) in others.into_iter().zip([place + 1, place]) {
            if other.length > 0 {
                work::count(self.events.len() - at);
                room.events -= 1;
                make_room(&mut self.events);
                self.events.insert(at, other);
                self.open_events += usize::from(is_repaired);
            }
        }
        reported
    }
}
