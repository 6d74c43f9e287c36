//! Sets of sequence numbers, 64 bits wide.

use std::collections::BTreeMap;

use crate::work;

/// Half-open ranges that do not touch: where each begins, and where it ends. A tree, because what comes in any order must not
/// cost more than what comes in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges(BTreeMap<u64, u64>);

/// Most ranges kept: a window of 1 GB with every second segment missing has more, and nothing real.
const RANGES_MAX: usize = 1 << 14;

impl Ranges {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many ranges there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a range; how many of its numbers are new.
    pub(crate) fn add(&mut self, from: u64, until: u64) -> u64 {
        work::count(1);
        if from >= until {
            return 0;
        }
        let (mut all, mut known) = ((from, until), 0);
        // Those that it touches, the highest first.
        while let Some((start, end)) = self.last_from(until).filter(|r| r.1 >= from) {
            work::count(1);
            self.0.remove(&start);
            known += end - start;
            all = (all.0.min(start), all.1.max(end));
        }
        if known == 0 && self.0.len() >= RANGES_MAX {
            return 0;
        }
        self.0.insert(all.0, all.1);
        all.1 - all.0 - known
    }

    /// The last range that begins at a number or before it.
    fn last_from(&self, number: u64) -> Option<(u64, u64)> {
        let last = self.0.range(..=number).next_back();
        last.map(|(start, end)| (*start, *end))
    }

    /// Forgets everything below a number; how many numbers are gone.
    pub(crate) fn forget_below(&mut self, number: u64) -> u64 {
        let mut forgotten = 0;
        while let Some(first) = self.0.first_entry().filter(|r| *r.key() < number) {
            work::count(1);
            let (start, end) = first.remove_entry();
            forgotten += end.min(number) - start;
            if end > number {
                self.0.insert(number, end);
            }
        }
        forgotten
    }

    /// Takes a range out: the parts of it that were there, the highest first.
    pub(crate) fn take(&mut self, from: u64, until: u64) -> Vec<(u64, u64)> {
        let mut taken = Vec::new();
        while from < until
            && let Some((start, end)) = self.last_from(until - 1).filter(|r| r.1 > from)
        {
            work::count(1);
            self.0.remove(&start);
            if end > until {
                self.0.insert(until, end);
            }
            if start < from {
                self.0.insert(start, from);
            }
            taken.push((start.max(from), end.min(until)));
        }
        taken
    }

    /// Forgets the lowest ranges beyond so many.
    pub(crate) fn keep_highest(&mut self, count: usize) {
        while self.0.len() > count {
            self.0.pop_first();
        }
    }

    /// Whether all of a range is there.
    pub(crate) fn covers(&self, from: u64, until: u64) -> bool {
        self.last_from(from).is_some_and(|r| until <= r.1)
    }

    /// The parts of a range that are not there, in order.
    pub(crate) fn gaps(&self, from: u64, until: u64) -> Vec<(u64, u64)> {
        let (mut gaps, mut at) = (Vec::new(), from);
        let first = self.last_from(from).map_or(from, |r| r.0);
        for (start, end) in self.0.range(first..until.max(first)) {
            work::count(1);
            if at < *start {
                gaps.push((at, *start));
            }
            at = at.max(*end);
        }
        if at < until {
            gaps.push((at, until));
        }
        gaps
    }

    /// One past the highest number; 0 of an empty set.
    pub(crate) fn end(&self) -> u64 {
        self.0.last_key_value().map_or(0, |r| *r.1)
    }

    /// How many numbers there are.
    #[cfg(test)]
    pub(crate) fn count(&self) -> u64 {
        self.0.iter().map(|r| r.1 - r.0).sum()
    }
}

/// The number of 64 bits with these lower 32 that lies nearest to `reference`.
#[inline]
pub(crate) fn unwrapped(reference: u64, number: u32) -> u64 {
    let distance = number.wrapping_sub(reference as u32) as i32;
    reference.wrapping_add(i64::from(distance) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_and_are_forgotten() {
        let mut all = Ranges::default();
        assert_eq!(
            [all.add(10, 20), all.add(30, 40), all.add(20, 30)],
            [10, 10, 10]
        );
        assert_eq!((all.count(), all.end()), (30, 40));
        assert_eq!([all.add(5, 50), all.add(7, 8)], [15, 0]);
        assert!(all.covers(5, 50) && !all.covers(4, 6));
        assert_eq!(all.gaps(0, 60), [(0, 5), (50, 60)]);
        assert_eq!(
            [all.gaps(7, 9), all.gaps(5, 50), all.gaps(3, 3)],
            [const { Vec::new() }; 3]
        );
        assert_eq!(all.gaps(49, 51), [(50, 51)]);
        assert_eq!(all.forget_below(45), 40);
        assert_eq!((all.count(), all.covers(45, 50)), (5, true));
        assert_eq!(all.forget_below(50), 5);
        assert!(all.is_empty());
    }

    #[test]
    fn numbers_wrap_both_ways() {
        let near = (1 << 33) - 10;
        assert_eq!(unwrapped(near, 5), (1 << 33) + 5);
        assert_eq!(unwrapped((1 << 33) + 5, u32::MAX), (1 << 33) - 1);
    }
}
