//! What was in flight, interval by interval, as the sender saw it.
//!
//! At the sender an acknowledgement counts when it passes. Elsewhere it counts as late as it reaches the sender and
//! what the sender answers comes by: the time from here to the sender and back.

use std::collections::VecDeque;

use crate::room::{Room, join_pairs, make_room};
use crate::rtt::LONGEST;
use crate::work;

/// Shortest interval, nanoseconds.
const WIDTH: i64 = 1_000_000;
/// Intervals of one direction; then each two become one.
const INTERVALS_MAX: usize = 1 << 16;
/// Acknowledgements on their way to the sender.
const PENDING_MAX: usize = 1 << 14;

/// A window is full where so many segments have no room: a sender waits until it can send several at once (Linux, for its
/// segmentation offload), and elsewhere than at the sender those that it has sent come one after the other. At most this share
/// of the window.
const NEARLY: u64 = 3;
const NEARLY_SHARE: u64 = 8;

/// A window smaller by more than one part in so many than the largest before is one that its receiver has taken back.
const OFFERED: u64 = 4;

/// Times that a window of an inferred shift was filled to less than a segment before it counts as one that the sender waits for.
const TIGHT: u32 = 3;

/// What keeps the sender from sending, at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing is in flight, or all that was written is.
    #[default]
    Idle,
    /// The receiver's window has no room for a segment.
    Window,
    /// Anything else.
    Busy,
}

/// One interval; times in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Interval {
    pub(crate) from: i64,
    pub(crate) until: i64,
    pub(crate) idle: i64,
    /// Of that, all that had been written was in flight.
    pub(crate) under_way: i64,
    pub(crate) window: i64,
    /// Of that, the receiver offered far less than before: its program has not read.
    pub(crate) held: i64,
    /// New payload bytes sent, bytes sent again, bytes acknowledged or SACKed.
    pub(crate) sent: u64,
    pub(crate) again: u64,
    pub(crate) delivered: u64,
    /// Most bytes in flight.
    pub(crate) peak: u64,
    /// Shortest round trip at the place of the capture; 0 without samples.
    pub(crate) rtt_min: i64,
    /// From here to the sender and back, the shortest time; 0 without samples.
    pub(crate) turn: i64,
    /// Packets of new data, and the longest gap before one while the window had room.
    pub(crate) packets: u32,
    pub(crate) gap_max: u32,
}

/// An acknowledgement on its way to the sender.
#[derive(Clone, Copy, Debug)]
struct Pending {
    due: i64,
    una: u64,
    edge: u64,
    inferred: bool,
}

/// The intervals of one direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flights {
    pub(crate) intervals: Vec<Interval>,
    current: Interval,
    begun: bool,
    merged: u32,
    width: i64,
    last: i64,
    last_sent: i64,
    state: State,
    shift: i64,
    pending: VecDeque<Pending>,
    max: u64,
    una: u64,
    edge: u64,
    /// The most that the receiver has offered beyond what it acknowledged.
    offered: u64,
    /// Up to here data was sent when the window was last full.
    filled: u64,
    full: u32,
    /// The last new segment was a small one: nothing more was written.
    small: bool,
    /// The other end was heard of.
    heard: bool,
    /// The shift of its windows is inferred: the smallest that allows what was sent, so that what was sent nearly fills them.
    inferred: bool,
    /// How often such a window became full.
    tight: u32,
    pub(crate) peak: u64,
}

impl Flights {
    pub(crate) fn begin(&mut self, number: u64, at: i64) {
        (self.max, self.una, self.edge) = (number, number, number);
        (self.last, self.last_sent) = (at, at);
        self.width = WIDTH;
        self.begun = true;
        self.current.from = at;
        self.current.until = at;
    }

    /// From here to the sender and back.
    pub(crate) fn set_shift(&mut self, shift: i64) {
        self.shift = shift;
    }

    /// Time passes until `at`.
    #[inline]
    fn pass(&mut self, at: i64, room: &mut Room) {
        while let Some(next) = self.pending.front().filter(|p| p.due <= at).copied() {
            self.pending.pop_front();
            work::count(1);
            self.charge(next.due, room);
            self.apply(&next);
        }
        self.charge(at, room);
    }

    #[inline]
    fn charge(&mut self, at: i64, room: &mut Room) {
        let spent = at - self.last;
        if spent <= 0 {
            return;
        }
        match self.state {
            State::Idle => {
                self.current.idle += spent;
                self.current.under_way += if self.max > self.una { spent } else { 0 };
            }
            State::Window => {
                self.current.window += spent;
                self.current.held += if self.is_held() { spent } else { 0 };
            }
            State::Busy => {}
        }
        self.last = at;
        self.current.until = at;
        if at - self.current.from >= self.width {
            self.close(room);
        }
    }

    fn close(&mut self, room: &mut Room) {
        let next = Interval {
            from: self.current.until,
            until: self.current.until,
            peak: self.max.saturating_sub(self.una),
            ..Interval::default()
        };
        let done = std::mem::replace(&mut self.current, next);
        if self.peak == 0
            && let Some(last) = self.intervals.last_mut().filter(|i| i.is_silent())
            && done.is_silent()
        {
            last.join(&done);
            return;
        }
        if self.intervals.len() >= INTERVALS_MAX
            || (room.intervals == 0 && self.intervals.len() > 16)
        {
            room.intervals += self.halve();
        }
        if room.intervals > 0 {
            room.intervals -= 1;
            make_room(&mut self.intervals);
            self.intervals.push(done);
        } else if let Some(last) = self.intervals.last_mut() {
            last.join(&done);
        }
    }

    /// Makes one of each two; how many are gone.
    fn halve(&mut self) -> usize {
        let before = self.intervals.len();
        work::count(before);
        join_pairs(&mut self.intervals, Interval::join);
        self.width *= 2;
        self.merged += 1;
        before - self.intervals.len()
    }

    #[inline]
    fn apply(&mut self, next: &Pending) {
        // It takes back what it offered only where it closes.
        self.edge = match next.edge == next.una {
            true => next.edge,
            false => self.edge.max(next.edge),
        };
        self.una = self.una.max(next.una);
        if self.inferred != next.inferred {
            self.offered = 0;
        }
        self.offered = self.offered.max(self.edge.saturating_sub(self.una));
        (self.heard, self.inferred) = (true, next.inferred);
        self.max = self.max.max(self.una);
        self.judge();
    }

    /// Whether the receiver offers far less than it has: the rest of its buffer is full of what its program has not read.
    #[inline]
    fn is_held(&self) -> bool {
        OFFERED * self.edge.saturating_sub(self.una) < (OFFERED - 1) * self.offered
    }

    #[inline]
    fn judge(&mut self) {
        if !self.heard {
            self.state = State::Busy;
            return;
        }
        let flight = self.max - self.una;
        let full = u64::from(self.full.max(1));
        self.current.peak = self.current.peak.max(flight);
        self.peak = self.peak.max(flight);
        self.state = if flight == 0 && self.edge > self.max {
            State::Idle
        } else if self.inferred && !self.is_telling(full) {
            if self.small { State::Idle } else { State::Busy }
        } else if self.edge < self.max + full.max(self.nearly(full)) {
            self.filled = self.max;
            State::Window
        } else if self.una < self.filled && self.edge < self.max + self.deferred() {
            State::Window
        } else if self.small {
            State::Idle
        } else {
            State::Busy
        };
    }

    /// Whether an inferred window says anything: it is closed, or full to less than a segment, or was several times.
    fn is_telling(&mut self, full: u64) -> bool {
        if self.edge == self.una {
            return true;
        }
        if self.edge < self.max {
            // Too small a shift as yet.
            self.tight = 0;
            return false;
        }
        let within = self.edge < self.max + full;
        self.tight += u32::from(within && self.state != State::Window);
        within || self.tight >= TIGHT
    }

    /// Room in a window for which a sender waits that had filled it within this round trip: a third of it (Linux,
    /// `tcp_tso_win_divisor`).
    #[inline]
    fn deferred(&self) -> u64 {
        (self.edge - self.una) / 3
    }

    /// Bytes that a full window may lack.
    #[inline]
    fn nearly(&self, full: u64) -> u64 {
        (NEARLY * full).min((self.edge - self.una) / NEARLY_SHARE)
    }

    /// New data was sent: up to `max`, `new` bytes in a segment, `small` if nothing more was written; `full` is a full one's payload.
    #[inline]
    pub(crate) fn sent(
        &mut self,
        at: i64,
        max: u64,
        (new, small): (u64, bool),
        full: u32,
        room: &mut Room,
    ) {
        self.pass(at, room);
        self.max = self.max.max(max);
        if new > 0 {
            self.full = full;
            self.small = small;
            self.current.sent += new;
            self.current.packets += 1;
            let gap = (at - self.last_sent).clamp(0, i64::from(u32::MAX)) as u32;
            self.current.gap_max = self.current.gap_max.max(gap);
            self.last_sent = at;
        }
        self.judge();
    }

    /// A segment that was written at `since` was held back until now: nothing more could be sent, and no window was the reason.
    pub(crate) fn waited(&mut self, since: i64, at: i64) {
        let current = std::iter::once(&mut self.current);
        let back = current.chain(self.intervals.iter_mut().rev());
        for i in back.take_while(|i| i.until > since) {
            work::count(1);
            let within = i.until.min(at) - i.from.max(since);
            i.idle = i.idle.max(within).min(i.until - i.from - i.window).max(0);
        }
    }

    /// Bytes were sent again.
    pub(crate) fn again(&mut self, at: i64, _until: u64, length: u32, room: &mut Room) {
        self.pass(at, room);
        self.current.again += u64::from(length);
        self.judge();
    }

    /// An acknowledgement passes: below what, and where the window ends, by a shift that may be inferred.
    #[inline]
    pub(crate) fn acknowledged(
        &mut self,
        at: i64,
        (una, edge): (u64, u64),
        inferred: bool,
        room: &mut Room,
    ) {
        self.pass(at, room);
        let next = Pending {
            due: at + self.shift,
            una,
            edge,
            inferred,
        };
        if self.shift == 0 {
            self.apply(&next);
        } else if self.pending.len() < PENDING_MAX {
            self.pending.push_back(next);
        }
    }

    /// SACK blocks reported this many bytes for the first time.
    pub(crate) fn sacked(&mut self, at: i64, new: u64, room: &mut Room) {
        self.pass(at, room);
        self.current.delivered += new;
    }

    /// Bytes were acknowledged that no SACK block had reported.
    #[inline]
    pub(crate) fn delivered(&mut self, bytes: u64) {
        self.current.delivered += bytes;
    }

    /// The sender answered what had passed here.
    #[inline]
    pub(crate) fn turned(&mut self, ns: i64) {
        let ns = ns.clamp(1, LONGEST);
        if self.current.turn == 0 || ns < self.current.turn {
            self.current.turn = ns;
        }
    }

    /// A round trip ended, which was seen from here.
    #[inline]
    pub(crate) fn round_trip(&mut self, ns: i64) {
        let ns = ns.clamp(1, LONGEST);
        if self.current.rtt_min == 0 || ns < self.current.rtt_min {
            self.current.rtt_min = ns;
        }
    }

    /// The intervals, the last one with what is still open: until the last acknowledgement has reached the sender.
    pub(crate) fn finish(&mut self) -> Vec<Interval> {
        if let Some(last) = self.pending.back().map(|p| p.due) {
            self.pass(last, &mut Room::default());
        }
        let mut all = std::mem::take(&mut self.intervals);
        if self.current.until > self.current.from {
            all.push(self.current);
        }
        all
    }
}

impl Interval {
    /// Nothing was sent in it, and nothing acknowledged.
    fn is_silent(&self) -> bool {
        self.sent + self.again + self.delivered == 0
    }

    fn join(&mut self, later: &Interval) {
        self.until = later.until;
        self.idle += later.idle;
        self.under_way += later.under_way;
        self.window += later.window;
        self.held += later.held;
        self.sent += later.sent;
        self.again += later.again;
        self.delivered += later.delivered;
        self.peak = self.peak.max(later.peak);
        if self.rtt_min == 0 || (later.rtt_min > 0 && later.rtt_min < self.rtt_min) {
            self.rtt_min = later.rtt_min;
        }
        if self.turn == 0 || (later.turn > 0 && later.turn < self.turn) {
            self.turn = later.turn;
        }
        self.packets = self.packets.saturating_add(later.packets);
        self.gap_max = self.gap_max.max(later.gap_max);
    }
}
