//! Small segments that their sender held back until the one before was acknowledged: Nagle's algorithm (RFC 1122 §4.2.3.4).
//!
//! A program does not see acknowledgements. So a segment that leaves as soon as one without data has come, of all that was sent, was
//! written before, and had to wait.

use farpath_record::trace::HeldSmall;

use super::Connection;
use crate::segment::Segment;

/// Smaller than this no full segment is (RFC 9293 §3.7.1).
const FULL_LEAST: u32 = 536;

/// At once is within this, and an eighth of the time to the sender and back.
const AT_ONCE_NS: i64 = 1_000_000;

/// So many segments at least, and so many of a hundred, are worth a word: programs write at the same instants by chance.
const LEAST: u64 = 3;
const PERCENT_LEAST: u64 = 20;

/// What is kept of one end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    segments: u64,
    /// From the segment before to each of them, in all.
    waited: i64,
    /// Bytes that the receiver's window had room for behind the last segment.
    room: u64,
    /// The other end has sent data since.
    is_answered: bool,
}

impl Connection {
    /// Since when a segment with data was waited for, where this one was held back until that was acknowledged; nothing of it may have been
    /// taken in yet.
    pub(super) fn held_since(&self, s: &Segment, from: usize) -> Option<i64> {
        let (own, held) = (&self.streams[from], &self.sides[from].held);
        // What the other end said may have been what its program waited for.
        if own.una != own.max || held.is_answered || own.first_data.is_none() {
            return None;
        }
        if s.length >= own.mss().max(FULL_LEAST) {
            return None;
        }
        let turn = self.turn(from)?;
        let waited = s.at - own.last_delivered();
        let at_once = waited <= turn + turn / 8 + AT_ONCE_NS;
        // Nor did a full window hold it back; where its scale is unknown, so is its size.
        let fits = self.scale(from).1 || held.room >= u64::from(s.length);
        (at_once && fits).then_some(own.last_data)
    }

    /// Takes in a segment with data after the stream has; `since` is what [`Self::held_since`] said of it, if it is new.
    pub(super) fn note_held(&mut self, s: &Segment, from: usize, since: Option<i64>) {
        let own = &self.streams[from];
        let held = &mut self.sides[from].held;
        held.room = own.edge.saturating_sub(own.max);
        held.is_answered = false;
        if let Some(since) = since {
            held.segments += 1;
            held.waited += s.at - since;
        }
        self.sides[1 - from].held.is_answered = true;
    }

    /// What an end held back, where that was often.
    pub(crate) fn held_small(&self, from: usize) -> Option<HeldSmall> {
        let Held {
            segments, waited, ..
        } = self.sides[from].held;
        let all = self.streams[from].data_packets;
        if segments < LEAST || segments * 100 < PERCENT_LEAST * all {
            return None;
        }
        let mean = waited / segments.cast_signed();
        let delay = self.round_trip().map_or(0, |rtt| mean - rtt);
        Some(HeldSmall {
            segments,
            waited_ns: waited.max(0).unsigned_abs(),
            ack_delay_avg_ns: delay.max(0).unsigned_abs(),
        })
    }
}
