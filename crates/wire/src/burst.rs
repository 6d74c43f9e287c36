//! Bursts: consecutive frames of one flow on one wire, run-length coded in two levels.
//!
//! Delayed acknowledgements make a sender emit pairs and slow start makes fours, so a train with a
//! single gap is two frames long on the access link. A burst is therefore a window onto a regular
//! pattern of groups: inside a group every frame follows the one before by the *inner* step, and
//! the first frame of a group follows the last of the group before by the *outer* step. The window
//! may begin and end inside a group, so that cutting a burst anywhere gives two bursts.

use core::iter::FusedIterator;

use farpath_units::{Duration, Time};

use crate::Frame;

/// How a frame differs from the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Later by this much.
    pub at: Duration,
    /// Added to `seq`, modulo 2⁶⁴.
    pub seq: u64,
    /// Added to `side`, modulo 2³².
    pub side: u32,
}

impl Step {
    #[inline]
    fn between(earlier: &Frame, later: &Frame) -> Step {
        Step {
            at: later.at.since(earlier.at),
            seq: later.seq.wrapping_sub(earlier.seq),
            side: later.side.wrapping_sub(earlier.side),
        }
    }
}

/// Consecutive frames of one flow, class, size and kind on one wire; at least one.
///
/// Every field but `at`, `seq` and `side` is the same in all frames, and `at` never decreases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    first: Frame,
    inner_gap: u64,
    inner_seq: u64,
    outer_gap: u64,
    outer_seq: u64,
    inner_side: u32,
    outer_side: u32,
    /// Frames in all; at least 1.
    count: u32,
    /// Frames in a whole group; [`ENDLESS`] while no boundary lies inside the burst.
    group: u32,
    /// Place of `first` within its group, below `group`.
    phase: u32,
}

/// Group size of a burst without a boundary.
const ENDLESS: u32 = u32::MAX;

impl Burst {
    /// One frame.
    #[inline]
    pub const fn single(frame: Frame) -> Burst {
        Burst {
            first: frame,
            inner_gap: 0,
            inner_seq: 0,
            outer_gap: 0,
            outer_seq: 0,
            inner_side: 0,
            outer_side: 0,
            count: 1,
            group: ENDLESS,
            phase: 0,
        }
    }

    /// `count` frames (at least 1), each `step` after the one before.
    ///
    /// The last frame's `at` must be representable.
    pub const fn train(first: Frame, count: u32, step: Step) -> Burst {
        assert!(count >= 1, "a burst has a frame");
        let mut burst = Burst::single(first);
        burst.count = count;
        burst.set_inner(step);
        burst
    }

    /// `count` frames in groups of `group` (both at least 1): `inner` between the frames of a group,
    /// `outer` from the last of a group to the first of the next. The last group may be cut short.
    ///
    /// The last frame's `at` must be representable.
    pub const fn grouped(first: Frame, count: u32, group: u32, inner: Step, outer: Step) -> Burst {
        assert!(group >= 1, "a group has a frame");
        let mut burst = Burst::train(first, count, inner);
        burst.group = group;
        burst.set_outer(outer);
        burst
    }

    const fn set_inner(&mut self, step: Step) {
        self.inner_gap = step.at.as_ps();
        self.inner_seq = step.seq;
        self.inner_side = step.side;
    }

    const fn set_outer(&mut self, step: Step) {
        self.outer_gap = step.at.as_ps();
        self.outer_seq = step.seq;
        self.outer_side = step.side;
    }

    /// Number of frames, at least 1.
    #[inline]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The first frame.
    #[inline]
    pub const fn first(&self) -> &Frame {
        &self.first
    }

    /// The first frame, to change what all frames share (label, TTL, class, flags). Setting `at`,
    /// `seq` or `side` moves every frame by the same amount.
    #[inline]
    pub const fn first_mut(&mut self) -> &mut Frame {
        &mut self.first
    }

    /// The last frame.
    #[inline]
    pub fn last(&self) -> Frame {
        self.frame(self.count - 1)
    }

    /// The step between the frames of a group.
    #[inline]
    pub const fn inner(&self) -> Step {
        Step {
            at: Duration::from_ps(self.inner_gap),
            seq: self.inner_seq,
            side: self.inner_side,
        }
    }

    /// The step from the last frame of a group to the first of the next.
    #[inline]
    pub const fn outer(&self) -> Step {
        Step {
            at: Duration::from_ps(self.outer_gap),
            seq: self.outer_seq,
            side: self.outer_side,
        }
    }

    /// Frames in a whole group; `None` when no boundary lies inside the burst, so that only the
    /// inner step counts.
    #[inline]
    pub const fn group(&self) -> Option<u32> {
        if self.group == ENDLESS {
            None
        } else {
            Some(self.group)
        }
    }

    /// Place of the first frame within its group, from 0.
    #[inline]
    pub const fn phase(&self) -> u32 {
        self.phase
    }

    /// Frame number `index`, from 0.
    ///
    /// # Panics
    /// When the burst has no such frame.
    pub fn frame(&self, index: u32) -> Frame {
        assert!(
            index < self.count,
            "frame {index} of a burst of {}",
            self.count
        );
        // Modulo 2⁶⁴ throughout: partial products may leave the range, the frame's own fields do not.
        let place = u64::from(self.phase) + u64::from(index);
        let boundaries = place / u64::from(self.group);
        let inner = u64::from(index) - boundaries;
        let mut frame = self.first;
        let gap = self
            .inner_gap
            .wrapping_mul(inner)
            .wrapping_add(self.outer_gap.wrapping_mul(boundaries));
        frame.at = Time::from_ps(frame.at.as_ps().wrapping_add(gap));
        frame.seq = frame
            .seq
            .wrapping_add(self.inner_seq.wrapping_mul(inner))
            .wrapping_add(self.outer_seq.wrapping_mul(boundaries));
        let side = u64::from(self.inner_side)
            .wrapping_mul(inner)
            .wrapping_add(u64::from(self.outer_side).wrapping_mul(boundaries));
        frame.side = frame.side.wrapping_add(side as u32);
        frame
    }

    /// The frames, in order.
    #[inline]
    pub const fn frames(&self) -> Frames {
        Frames { burst: *self }
    }

    /// The first `k` frames and the rest, in constant time.
    ///
    /// # Panics
    /// Unless `0 < k < count`: both parts have a frame.
    pub fn split_at(&self, k: u32) -> (Burst, Burst) {
        assert!(
            k > 0 && k < self.count,
            "cut after {k} of a burst of {}",
            self.count
        );
        let mut head = *self;
        head.count = k;
        let mut tail = *self;
        tail.first = self.frame(k);
        tail.count = self.count - k;
        if self.group != ENDLESS {
            tail.phase = ((u64::from(self.phase) + u64::from(k)) % u64::from(self.group)) as u32;
        }
        (head, tail)
    }

    /// How many frames arrive earlier than `until`, in constant time.
    pub fn count_before(&self, until: Time) -> u32 {
        if until <= self.first.at {
            return 0;
        }
        if self.count == 1 || self.last().at < until {
            return self.count;
        }
        // Counted from the place where the first group would have begun; that instant may lie
        // before the start of the run, hence u128 and an offset instead of an instant.
        let (gap, group) = (u128::from(self.inner_gap), u128::from(self.group));
        let period = (group - 1) * gap + u128::from(self.outer_gap);
        let latest =
            u128::from(until.since(self.first.at).as_ps() - 1) + u128::from(self.phase) * gap;
        // The last frame is not earlier than `until`, so some gap is positive and so is the period.
        let (groups, rest) = (latest / period, latest % period);
        let within = rest.checked_div(gap).map_or(group, |n| group.min(n + 1));
        let places = groups * group + within - u128::from(self.phase);
        u32::try_from(places).unwrap_or(u32::MAX).min(self.count)
    }

    /// The same frames, all later by `delay`. The last frame's `at` must stay representable.
    #[inline]
    #[must_use]
    pub fn delayed(mut self, delay: Duration) -> Burst {
        self.first.at += delay;
        self
    }
}

/// The frames of a burst, in order.
#[derive(Clone, Debug)]
pub struct Frames {
    /// What is left; `count` reaches 0 here and only here.
    burst: Burst,
}

impl Iterator for Frames {
    type Item = Frame;

    #[inline]
    fn next(&mut self) -> Option<Frame> {
        let b = &mut self.burst;
        if b.count == 0 {
            return None;
        }
        let frame = b.first;
        b.count -= 1;
        b.phase += 1;
        let step = if b.phase == b.group {
            b.phase = 0;
            b.outer()
        } else {
            b.inner()
        };
        b.first.at = Time::from_ps(frame.at.as_ps().wrapping_add(step.at.as_ps()));
        b.first.seq = frame.seq.wrapping_add(step.seq);
        b.first.side = frame.side.wrapping_add(step.side);
        Some(frame)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.burst.count as usize, Some(self.burst.count as usize))
    }
}

impl ExactSizeIterator for Frames {}
impl FusedIterator for Frames {}

/// Joins frames into bursts, greedily and without loss: expanding what comes out gives exactly what
/// went in, whatever went in. Never allocates.
#[derive(Clone, Debug)]
pub struct Coalescer {
    /// What has been joined so far; meaningless in [`State::Empty`].
    burst: Burst,
    last: Frame,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Empty,
    /// No boundary seen yet.
    OneGroup,
    /// One boundary seen. The first group may turn out to be a partial one, so the group size is
    /// not known before the second group has ended.
    TwoGroups {
        first: u32,
        second: u32,
    },
    /// The pattern is known; `place` is the last frame's place in its group.
    Regular {
        place: u32,
    },
}

impl Default for Coalescer {
    fn default() -> Coalescer {
        Coalescer::new()
    }
}

impl Coalescer {
    /// A coalescer that holds nothing.
    pub const fn new() -> Coalescer {
        let none = Frame::new(crate::Kind::Data, crate::FlowDir(0), 0, 0);
        Coalescer {
            burst: Burst::single(none),
            last: none,
            state: State::Empty,
        }
    }

    /// Whether nothing is held.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.state == State::Empty
    }

    /// Takes the next frame of the wire; returns the burst it could not join, if there was one.
    #[inline]
    pub fn push(&mut self, frame: Frame) -> Option<Burst> {
        if self.state != State::Empty && self.joins(&frame) {
            self.burst.count += 1;
            self.last = frame;
            return None;
        }
        let done = self.finish();
        self.burst = Burst::single(frame);
        self.last = frame;
        self.state = State::OneGroup;
        done
    }

    /// Ends the burst in hand and returns it.
    #[inline]
    pub fn finish(&mut self) -> Option<Burst> {
        match core::mem::replace(&mut self.state, State::Empty) {
            State::Empty => None,
            State::TwoGroups { first, second } => {
                self.set_group(first, second);
                Some(self.burst)
            }
            State::OneGroup | State::Regular { .. } => Some(self.burst),
        }
    }

    /// Whether `frame` continues the burst; if so, the pattern and the state already include it.
    #[inline]
    fn joins(&mut self, frame: &Frame) -> bool {
        if !alike(&self.last, frame) || frame.at < self.last.at || self.burst.count == ENDLESS - 1 {
            return false;
        }
        let step = Step::between(&self.last, frame);
        match self.state {
            State::Regular { place } => {
                let boundary = place + 1 == self.burst.group;
                self.state = State::Regular {
                    place: if boundary { 0 } else { place + 1 },
                };
                let joins = step
                    == if boundary {
                        self.burst.outer()
                    } else {
                        self.burst.inner()
                    };
                if !joins {
                    self.state = State::Regular { place };
                }
                joins
            }
            State::OneGroup => self.join_one_group(step),
            State::TwoGroups { first, second } => self.join_two_groups(step, first, second),
            State::Empty => false,
        }
    }

    fn join_one_group(&mut self, step: Step) -> bool {
        if self.burst.count == 1 {
            self.burst.set_inner(step);
        } else if step != self.burst.inner() {
            self.burst.set_outer(step);
            self.state = State::TwoGroups {
                first: self.burst.count,
                second: 1,
            };
        }
        true
    }

    fn join_two_groups(&mut self, step: Step, first: u32, second: u32) -> bool {
        let (inner, outer) = (self.burst.inner(), self.burst.outer());
        if step == inner {
            // Longer than the first group is fine: then the first was cut at its front.
            self.state = State::TwoGroups {
                first,
                second: second + 1,
            };
        } else if step != outer {
            return false;
        } else if second >= first {
            self.set_group(first, second);
            self.state = State::Regular { place: 0 };
        } else if first == 2 && second == 1 {
            // a·b.c.d: what looked like a pair and a new group was a single frame and a group.
            self.burst.set_inner(outer);
            self.burst.set_outer(inner);
            self.state = State::TwoGroups {
                first: 1,
                second: 3,
            };
        } else {
            return false;
        }
        true
    }

    /// Fixes the group size once both groups are known; a shorter second group is one cut at its end.
    fn set_group(&mut self, first: u32, second: u32) {
        self.burst.group = first.max(second);
        self.burst.phase = self.burst.group - first;
    }
}

/// Whether two frames agree in everything but `at`, `seq` and `side`.
#[inline]
fn alike(a: &Frame, b: &Frame) -> bool {
    let mut moved = *b;
    moved.at = a.at;
    moved.seq = a.seq;
    moved.side = a.side;
    moved == *a
}

#[cfg(test)]
#[path = "burst_tests.rs"]
mod tests;
