//! Small segments that their sender held back until one before was acknowledged: Nagle's algorithm (RFC 1122 §4.2.3.4).
//!
//! A program does not see acknowledgements. So a segment that leaves as soon as one without data has come was written before, and had
//! to wait. By the rule it waits for all that was sent. Linux has it wait only for a segment before that was small as well (Minshall's
//! change): the end of an answer leaves with the acknowledgement of its small beginning, whatever full segments are under way.

use farpath_record::trace::HeldSmall;

use super::Connection;
use crate::segment::Segment;

/// Smaller than this no full segment is (RFC 9293 §3.7.1).
const FULL_LEAST: u32 = 536;

/// At once is within this, or this part of the wait where that is more, and an eighth of the time to the sender and back.
const AT_ONCE_NS: i64 = 1_000_000;
const AT_ONCE_PART: i64 = 64;

/// So many segments at least, and so many of a hundred, or of a hundred parts of the time, are worth a word: programs write at the same
/// instants by chance.
const LEAST: u64 = 3;
const PERCENT_LEAST: u64 = 20;

/// So many small segments that neither rule lets go say nothing of those behind them: a handshake of TLS is sent by other rules than what
/// a program writes later.
const EXCUSED: u64 = 2;

/// What is kept of one end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    segments: u64,
    /// Small ones that left while one before was not acknowledged: neither rule lets them.
    unheld: u64,
    /// From the segment before to each of them, in all.
    waited: i64,
    /// Bytes that the receiver's window had room for behind the last segment.
    room: u64,
    /// The other end has sent data since.
    is_answered: bool,
    /// Where the last segment ends that was not full, and when all before that was acknowledged.
    small: Option<u64>,
    small_acked: Option<i64>,
}

impl Held {
    /// Takes in that what lies below `una` was acknowledged.
    #[inline]
    pub(super) fn acknowledged(&mut self, at: i64, una: u64) {
        if self.small.is_some_and(|end| end <= una) {
            (self.small, self.small_acked) = (None, Some(at));
        }
    }
}

impl Connection {
    /// Since when a segment with data was waited for, where this one was held back until that was acknowledged; nothing of it may have been
    /// taken in yet.
    pub(super) fn held_since(&self, s: &Segment, from: usize) -> Option<i64> {
        let (own, held) = (&self.streams[from], &self.sides[from].held);
        // What the other end said may have been what its program waited for.
        let is_free = held.unheld > held.segments + EXCUSED;
        if held.is_answered || own.first_data.is_none() || is_free {
            return None;
        }
        if s.length >= own.mss().max(FULL_LEAST) {
            return None;
        }
        let turn = self.turn(from)?;
        let soon = turn / 8 + AT_ONCE_NS.max((s.at - own.last_data) / AT_ONCE_PART);
        let is_released = |acknowledged: i64| {
            let waited = s.at - acknowledged;
            // What the same acknowledgement released before it, the congestion window had held.
            let is_first = own.last_data <= acknowledged + turn - turn / 8;
            is_first && (turn - soon..=turn + soon).contains(&waited)
        };
        let all = (own.una == own.max).then(|| own.last_delivered());
        // Nor did a full window hold it back; where its scale is unknown, so is its size.
        let fits = self.scale(from).1 || held.room >= u64::from(s.length);
        let mut waited_for = all.into_iter().chain(held.small_acked);
        (fits && waited_for.any(is_released)).then_some(own.last_data)
    }

    /// Takes in a segment with data after the stream has; `since` is what [`Self::held_since`] said of it, if it is new.
    pub(super) fn note_held(
        &mut self,
        s: &Segment,
        from: usize,
        (since, is_new): (Option<i64>, bool),
    ) {
        let own = &mut self.streams[from];
        let held = &mut self.sides[from].held;
        held.room = own.edge.saturating_sub(own.max);
        held.is_answered = false;
        if is_new && !s.length.is_multiple_of(own.mss().max(FULL_LEAST)) {
            held.unheld += u64::from(held.small.is_some());
            (held.small, held.small_acked) = (Some(own.max), None);
        }
        if let Some(since) = since.filter(|_| is_new) {
            held.segments += 1;
            held.waited = held.waited.saturating_add(s.at - since);
            own.flights.waited(since, s.at);
        }
        self.sides[1 - from].held.is_answered = true;
    }

    /// What an end held back, where that was often.
    pub(crate) fn held_small(&self, from: usize) -> Option<HeldSmall> {
        let Held {
            segments,
            unheld,
            waited,
            ..
        } = self.sides[from].held;
        let all = self.streams[from].data_packets;
        let lasted = self.last() - self.started;
        let is_often = segments.saturating_mul(100) >= all.saturating_mul(PERCENT_LEAST);
        let is_long =
            waited.saturating_mul(100) >= lasted.saturating_mul(PERCENT_LEAST.cast_signed());
        if segments < LEAST || unheld > segments || !(is_often || is_long) {
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
