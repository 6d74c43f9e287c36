//! SACK blocks and what they tell of (RFC 2018, RFC 2883).

use super::{SACKS_MAX, Stream};
use crate::ranges::{Ranges, unwrapped};
use crate::room::Room;
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
}
