//! Sorted, disjoint, non-touching byte ranges in a deque: appended at the back, trimmed at the front.

use std::collections::VecDeque;

/// The bytes `start .. end` of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Range {
    pub(crate) const fn new(start: u64, end: u64) -> Range {
        Range { start, end }
    }

    pub(crate) const fn len(self) -> u64 {
        self.end - self.start
    }
}

/// A set of bytes of the stream.
///
/// A range at or after the last one costs O(1); any other O(log n) to find, and what it swallows is
/// paid for by the insertions that made it. `VecDeque` moves the shorter side when a range vanishes
/// from the middle; recovery works from the front, so that side is the few holes already passed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges {
    ranges: VecDeque<Range>,
    bytes: u64,
    steps: u64,
}

impl Ranges {
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Number of ranges.
    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Bytes in all ranges together.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Ranges examined, moved or compared since the start: the cost of the structure, for tests.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn first(&self) -> Option<Range> {
        self.ranges.front().copied()
    }

    pub(crate) fn last(&self) -> Option<Range> {
        self.ranges.back().copied()
    }

    /// The range that `byte` is in.
    pub(crate) fn holding(&self, byte: u64) -> Option<Range> {
        let below = self.ranges.partition_point(|r| r.start <= byte);
        let range = *self.ranges.get(below.checked_sub(1)?)?;
        (byte < range.end).then_some(range)
    }

    /// From the highest range downwards.
    pub(crate) fn descending(&self) -> impl Iterator<Item = Range> + '_ {
        self.ranges.iter().rev().copied()
    }

    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
        self.bytes = 0;
    }

    /// Adds `added` (not empty) and returns the range that now holds it; calls `new` for each part
    /// that was not in the set before.
    pub(crate) fn insert(&mut self, added: Range, mut new: impl FnMut(Range)) -> Range {
        debug_assert!(added.start < added.end);
        self.steps += 1;
        match self.ranges.back_mut() {
            Some(last) if added.start < last.start => {}
            Some(last) if added.start <= last.end => {
                if added.end > last.end {
                    new(Range::new(last.end, added.end));
                    self.bytes += added.end - last.end;
                    last.end = added.end;
                }
                return *last;
            }
            _ => {
                new(added);
                self.bytes += added.len();
                self.ranges.push_back(added);
                return added;
            }
        }
        self.insert_below_top(added, new)
    }

    fn insert_below_top(&mut self, added: Range, mut new: impl FnMut(Range)) -> Range {
        let first = self.find(|r| r.end < added.start);
        let mut merged = added;
        let mut covered = added.start;
        let mut stop = first;
        while let Some(r) = self.ranges.get(stop).filter(|r| r.start <= added.end) {
            if covered < r.start {
                new(Range::new(covered, r.start));
                self.bytes += r.start - covered;
            }
            covered = covered.max(r.end);
            merged = Range::new(merged.start.min(r.start), merged.end.max(r.end));
            stop += 1;
        }
        if covered < added.end {
            new(Range::new(covered, added.end));
            self.bytes += added.end - covered;
        }
        self.steps += (stop - first) as u64;
        if stop == first {
            self.steps += first.min(self.ranges.len() - first) as u64;
            self.ranges.insert(first, merged);
        } else {
            self.ranges[first] = merged;
            if stop > first + 1 {
                self.steps += first.min(self.ranges.len() - stop) as u64;
                self.ranges.drain(first + 1..stop);
            }
        }
        merged
    }

    /// Removes everything below `seq`; returns how many bytes that was.
    pub(crate) fn trim_below(&mut self, seq: u64) -> u64 {
        let before = self.bytes;
        while let Some(front) = self.ranges.front_mut().filter(|r| r.start < seq) {
            self.steps += 1;
            if front.end > seq {
                self.bytes -= seq - front.start;
                front.start = seq;
                break;
            }
            self.bytes -= front.len();
            self.ranges.pop_front();
        }
        before - self.bytes
    }

    /// Removes and returns the end of the first range if it starts at or below `seq`.
    pub(crate) fn take_reached(&mut self, seq: u64) -> Option<u64> {
        let front = self.first().filter(|r| r.start <= seq)?;
        self.steps += 1;
        self.bytes -= front.len();
        self.ranges.pop_front();
        Some(front.end)
    }

    /// The first gap in `from .. to`, if there is one.
    pub(crate) fn first_gap(&mut self, from: u64, to: u64) -> Option<Range> {
        let i = self.first_beyond(from);
        let mut start = from;
        let mut above = self.ranges.get(i);
        if let Some(r) = above.filter(|r| r.start <= from) {
            start = r.end;
            above = self.ranges.get(i + 1);
        }
        let end = above.map_or(to, |r| r.start.min(to));
        (start < end).then_some(Range::new(start, end))
    }

    /// The first stretch of the set within `from .. to`, if there is one.
    pub(crate) fn first_within(&mut self, from: u64, to: u64) -> Option<(u64, u64)> {
        let first = self.first_beyond(from);
        let range = self.ranges.get(first).filter(|r| r.start < to)?;
        Some((range.start.max(from), range.end.min(to)))
    }

    /// Bytes of the set within `from .. to`. O(ranges there), and O(1) where only the highest range
    /// reaches beyond `from`.
    pub(crate) fn bytes_between(&mut self, from: u64, to: u64) -> u64 {
        let first = self.first_beyond(from);
        let mut bytes = 0;
        for r in self.ranges.range(first..).take_while(|r| r.start < to) {
            self.steps += 1;
            bytes += r.end.min(to).saturating_sub(r.start.max(from));
        }
        bytes
    }

    /// Index of the first range that ends beyond `from`: at once near the back, where new arrivals
    /// are, otherwise by `find`.
    fn first_beyond(&mut self, from: u64) -> usize {
        let n = self.ranges.len();
        let ends_by = |back: usize| n < back || self.ranges[n - back].end <= from;
        if ends_by(1) {
            n
        } else if ends_by(2) {
            n - 1
        } else if ends_by(3) {
            n - 2
        } else {
            self.find(|r| r.end <= from)
        }
    }

    /// Index of the first range for which `below` is false: galloping from the front, where
    /// recovery works, so the cost is logarithmic in the holes already passed.
    fn find(&mut self, below: impl Fn(&Range) -> bool) -> usize {
        let n = self.ranges.len();
        let mut hi = 1;
        while hi <= n && below(&self.ranges[hi - 1]) {
            hi *= 2;
            self.steps += 1;
        }
        let (mut lo, mut hi) = (hi / 2, (hi - 1).min(n));
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            self.steps += 1;
            if below(&self.ranges[mid]) {
                lo = mid + 1
            } else {
                hi = mid
            }
        }
        lo
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn collect(set: &Ranges) -> Vec<(u64, u64)> {
        set.ranges.iter().map(|r| (r.start, r.end)).collect()
    }

    #[test]
    fn touching_ranges_merge_and_new_parts_are_told() {
        let mut set = Ranges::default();
        let mut new = Vec::new();
        for (a, b) in [(10, 20), (30, 40), (50, 60)] {
            set.insert(Range::new(a, b), |_| {});
        }
        let merged = set.insert(Range::new(15, 50), |r| new.push((r.start, r.end)));
        assert_eq!((merged, set.bytes()), (Range::new(10, 60), 50));
        assert_eq!(new, [(20, 30), (40, 50)]);
        assert_eq!(collect(&set), [(10, 60)]);
    }

    proptest! {
        #[test]
        fn agrees_with_a_set_of_bytes(ops in proptest::collection::vec((0u8..4, 0u64..120, 1u64..12), 1..200)) {
            let mut set = Ranges::default();
            let mut model = [false; 140];
            for (op, at, len) in ops {
                if op == 0 {
                    let removed = set.trim_below(at);
                    let expect = model[..at as usize].iter().filter(|b| **b).count();
                    prop_assert_eq!(removed, expect as u64);
                    model[..at as usize].fill(false);
                } else {
                    let mut fresh = 0;
                    let whole = set.insert(Range::new(at, at + len), |r| fresh += r.len());
                    let span = &mut model[at as usize..(at + len) as usize];
                    prop_assert_eq!(fresh, span.iter().filter(|b| !**b).count() as u64);
                    span.fill(true);
                    prop_assert!(model[whole.start as usize..whole.end as usize].iter().all(|b| *b));
                }
                prop_assert_eq!(set.bytes(), model.iter().filter(|b| **b).count() as u64);
                for pair in collect(&set).windows(2) {
                    prop_assert!(pair[0].1 < pair[1].0);
                }
                let to = (at + 3 * len) as usize;
                let within = model[at as usize..to.min(140)].iter().filter(|b| **b).count();
                prop_assert_eq!(set.bytes_between(at, to as u64), within as u64);
                let gap = set.first_gap(at, 130);
                let first = (at as usize..130).find(|i| !model[*i]);
                prop_assert_eq!(gap.map(|g| g.start as usize), first);
                if let Some(g) = gap {
                    prop_assert!(model[g.start as usize..g.end as usize].iter().all(|b| !*b));
                    prop_assert!(g.end == 130 || model[g.end as usize]);
                }
            }
        }
    }
}
