//! A channel between two elements: one ring of frames, ordered by arrival. The ring is the delay line.

use farpath_units::{Duration, Time};
use farpath_wire::Frame;

/// Frames on their way from one element to another, and the promise about those to come.
#[derive(Debug, Default)]
pub struct Channel {
    ring: Vec<Frame>,
    /// Counts of frames taken and put since the start; their difference is the number in flight.
    taken: u64,
    put: u64,
    clock: Time,
    lookahead: Duration,
    /// Most frames in flight since the last review, as of its producer's promises.
    peak: u64,
    /// The ring is reviewed when so many frames have been put.
    review: u64,
}

const FIRST_CAPACITY: usize = 64;

/// A ring is reviewed when it has been gone round so often.
const REVIEW_ROUNDS: u64 = 4;

impl Channel {
    /// A channel whose producer never sends anything that arrives earlier than `lookahead` after
    /// the instant it has been advanced to.
    pub fn new(lookahead: Duration) -> Channel {
        Channel {
            lookahead,
            ..Channel::default()
        }
    }

    /// The oldest frame, if any.
    #[inline]
    pub fn head(&self) -> Option<&Frame> {
        if self.taken == self.put {
            return None;
        }
        Some(&self.ring[self.taken as usize & (self.ring.len() - 1)])
    }

    /// The arrival of the oldest frame; `Time::MAX` when there is none.
    #[inline]
    pub fn head_at(&self) -> Time {
        match self.head() {
            Some(frame) => frame.at,
            None => Time::MAX,
        }
    }

    /// Takes the oldest frame if it arrives before `until`.
    #[inline]
    pub fn pop_before(&mut self, until: Time) -> Option<Frame> {
        let frame = *self.head()?;
        if frame.at >= until {
            return None;
        }
        self.taken += 1;
        Some(frame)
    }

    /// The frames from the oldest on that lie side by side in the ring: all of them, or those up to
    /// its end.
    #[inline]
    pub fn frames(&self) -> &[Frame] {
        let len = self.ring.len();
        let first = self.taken as usize & len.wrapping_sub(1);
        let last = (first + (self.put - self.taken) as usize).min(len);
        self.ring.get(first..last).unwrap_or_default()
    }

    /// The oldest `count` frames have been dealt with.
    #[inline]
    pub fn drop_heads(&mut self, count: usize) {
        self.taken += count as u64;
    }

    /// Undoes the last [`Channel::pop_before`]; nothing may have been pushed since.
    pub(crate) fn put_back(&mut self) {
        self.taken -= 1;
    }

    /// Appends a frame; its arrival must not be earlier than that of the frame before it.
    #[inline]
    pub fn push(&mut self, frame: Frame) {
        debug_assert!(
            self.last_at() <= frame.at,
            "a channel is in order of arrival"
        );
        self.append(frame);
    }

    #[inline]
    fn append(&mut self, frame: Frame) {
        debug_assert!(
            self.clock <= frame.at,
            "a frame arrives before its producer promised"
        );
        *self.next_slot() = frame;
    }

    #[inline]
    fn next_slot(&mut self) -> &mut Frame {
        if (self.put - self.taken) as usize == self.ring.len() {
            self.grow();
        }
        let slot = self.put as usize & (self.ring.len() - 1);
        self.put += 1;
        &mut self.ring[slot]
    }

    /// Appends a frame like `like`, with its own arrival, `seq` and `side`, written where it is to
    /// lie.
    #[inline]
    pub fn push_like(&mut self, like: &Frame, at: Time, seq: u64, side: u32) {
        debug_assert!(self.last_at() <= at, "a channel is in order of arrival");
        debug_assert!(
            self.clock <= at,
            "a frame arrives before its producer promised"
        );
        let slot = self.next_slot();
        *slot = *like;
        slot.at = at;
        slot.seq = seq;
        slot.side = side;
    }

    /// Room for the next frames, at least one, as it lies in the ring; [`Channel::commit`] says how
    /// many were written.
    #[inline]
    pub(crate) fn spare(&mut self) -> &mut [Frame] {
        let used = (self.put - self.taken) as usize;
        if used == self.ring.len() {
            self.grow();
        }
        let first = self.put as usize & (self.ring.len() - 1);
        let last = self.ring.len().min(first + self.ring.len() - used);
        &mut self.ring[first..last]
    }

    /// The next `count` frames have been written to where [`Channel::spare`] said.
    #[inline]
    pub(crate) fn commit(&mut self, count: usize) {
        let first = self.put;
        self.put += count as u64;
        debug_assert!(
            (first..self.put).all(|n| self.follows(n)),
            "a channel is in order of arrival, and nothing arrives before its producer promised"
        );
    }

    /// Whether the `n`-th frame arrives neither before the one in front of it nor before the clock.
    fn follows(&self, n: u64) -> bool {
        let at = |n: u64| self.ring[n as usize & (self.ring.len() - 1)].at;
        self.clock <= at(n) && (n == self.taken || at(n - 1) <= at(n))
    }

    /// Inserts a frame at its place in time, behind those that arrive at the same instant: for
    /// links where a change of delay lets frames overtake.
    pub fn push_sorted(&mut self, frame: Frame) {
        self.append(frame);
        let mask = self.ring.len() as u64 - 1;
        let mut i = self.put - 1;
        while i > self.taken {
            let (here, before) = ((i & mask) as usize, ((i - 1) & mask) as usize);
            if self.ring[before].at <= self.ring[here].at {
                break;
            }
            self.ring.swap(here, before);
            i -= 1;
        }
    }

    /// The arrival of the newest frame; the start of the run when there is none.
    pub(crate) fn last_at(&self) -> Time {
        if self.taken == self.put {
            return Time::ZERO;
        }
        self.ring[(self.put - 1) as usize & (self.ring.len() - 1)].at
    }

    /// Frames the ring holds before it grows.
    pub fn capacity(&self) -> usize {
        self.ring.len()
    }

    /// Frames in flight.
    pub fn in_flight(&self) -> u64 {
        self.put - self.taken
    }

    /// Frames ever put on the channel.
    pub fn total(&self) -> u64 {
        self.put
    }

    /// Nothing that is still to be pushed arrives earlier than this.
    #[inline]
    pub fn clock(&self) -> Time {
        self.clock
    }

    /// The producer has been advanced to `until`, or has nothing to do before.
    #[inline]
    pub(crate) fn promise(&mut self, until: Time) {
        self.clock = self.clock.max(until + self.lookahead);
        self.peak = self.peak.max(self.put - self.taken);
        if self.put >= self.review {
            self.review();
        }
    }

    /// A run has ended at `now`: what it promised beyond may be undone from outside.
    pub(crate) fn restart(&mut self, now: Time) {
        self.clock = now + self.lookahead;
    }

    /// Replaces the lookahead, after a change of the producer's delay at `now`.
    pub(crate) fn set_lookahead(&mut self, lookahead: Duration, now: Time) {
        self.lookahead = lookahead;
        self.clock = now + lookahead;
    }

    /// The lookahead.
    pub fn lookahead(&self) -> Duration {
        self.lookahead
    }

    #[cold]
    fn grow(&mut self) {
        self.resize((self.ring.len() * 2).max(FIRST_CAPACITY));
    }

    /// Shrinks a ring of which a quarter at most is in use. Its slots are written in turn, all of
    /// them: a ring that keeps the size of one large burst pushes the others out of the cache.
    #[cold]
    fn review(&mut self) {
        let (needed, len) = (self.peak.max(1) as usize, self.ring.len());
        if self.review > 0 && 4 * needed <= len && len > FIRST_CAPACITY {
            self.resize((2 * needed).next_power_of_two().max(FIRST_CAPACITY));
        }
        self.peak = 0;
        self.review = self.put + REVIEW_ROUNDS * self.ring.len().max(FIRST_CAPACITY) as u64;
    }

    /// Moves what is in flight to a ring of `len` slots, a power of two.
    fn resize(&mut self, len: usize) {
        let filler = Frame::new(farpath_wire::Kind::Ack, farpath_wire::FlowDir(0), 0, 0);
        let mut ring = vec![filler; len];
        let (from, to) = (self.ring.len().wrapping_sub(1), len - 1);
        for i in self.taken..self.put {
            ring[i as usize & to] = self.ring[i as usize & from];
        }
        self.ring = ring;
    }
}

#[cfg(test)]
mod tests {
    use farpath_wire::{FlowDir, Kind};

    use super::*;

    #[test]
    fn a_sorted_push_goes_behind_frames_of_the_same_instant() {
        let mut channel = Channel::new(Duration::ZERO);
        for (seq, at) in [(0, 5), (1, 9), (2, 5), (3, 7), (4, 5), (5, 9)] {
            let mut frame = Frame::new(Kind::Udp, FlowDir(0), seq, 100);
            frame.at = Time::from_ps(at);
            channel.push_sorted(frame);
        }
        let order = std::iter::from_fn(|| channel.pop_before(Time::MAX));
        assert_eq!(order.map(|f| f.seq).collect::<Vec<_>>(), [0, 2, 4, 3, 1, 5]);
    }

    #[test]
    fn a_ring_shrinks_to_what_is_used_and_keeps_its_order() {
        let mut channel = Channel::new(Duration::ZERO);
        let (mut next, mut sizes) = (0, Vec::new());
        for seq in 0..100_000 {
            let mut frame = Frame::new(Kind::Udp, FlowDir(0), seq, 100);
            frame.at = Time::from_ps(seq);
            channel.push(frame);
            // A burst of 3000 at first, then 150 in flight, then 10.
            let most = match seq {
                0..3000 => 3000,
                3000..50_000 => 150,
                _ => 10,
            };
            while channel.in_flight() > most {
                assert_eq!(channel.pop_before(Time::MAX).map(|f| f.seq), Some(next));
                next += 1;
            }
            channel.promise(Time::from_ps(seq));
            sizes.push(channel.capacity());
        }
        sizes.dedup();
        assert_eq!(sizes, [64, 128, 256, 512, 1024, 2048, 4096, 512, 64]);
        assert_eq!(channel.in_flight(), 10);
        assert_eq!(channel.head().map(|f| f.seq), Some(99_990));
    }

    #[test]
    fn a_ring_that_grows_while_it_is_wrapped_keeps_its_order() {
        let mut channel = Channel::new(Duration::ZERO);
        let push = |channel: &mut Channel, seq: u64| {
            let mut frame = Frame::new(Kind::Udp, FlowDir(0), seq, 100);
            frame.at = Time::from_ps(seq);
            channel.push(frame);
        };
        let mut next = 0;
        for seq in 0..1000 {
            push(&mut channel, seq);
            if seq % 3 == 0 {
                assert_eq!(channel.pop_before(Time::MAX).map(|f| f.seq), Some(next));
                next += 1;
            }
        }
        let rest = std::iter::from_fn(|| channel.pop_before(Time::MAX));
        assert!(rest.map(|f| f.seq).eq(next..1000));
    }
}
