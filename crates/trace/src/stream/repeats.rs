//! How often bytes that are not acknowledged were sent again, whatever the bounds of segments.

use std::collections::BTreeMap;

use super::Stream;
use crate::work;

/// Spans remembered of one direction.
const SPANS_MAX: usize = 1 << 14;
/// Spans that one segment is compared with: as many small ones as a large segment covers.
const TOUCHED_MAX: usize = 128;

/// Spans that do not overlap: where each begins, where it ends, and how often it was sent again.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeats(BTreeMap<u64, (u64, u8)>);

impl Repeats {
    /// Divides the span that has this number inside, so that one begins there.
    fn divide(&mut self, at: u64) {
        let before = self.0.range(..at).next_back();
        let inside = before.map(|(start, span)| (*start, *span));
        if let Some((start, (end, times))) = inside.filter(|x| x.1.0 > at) {
            self.0.insert(start, (at, times));
            self.0.insert(at, (end, times));
        }
    }

    /// These bytes are sent again.
    fn add(&mut self, from: u64, until: u64) {
        if from >= until || self.0.len() >= SPANS_MAX {
            return;
        }
        self.divide(from);
        self.divide(until);
        let (mut at, mut gaps) = (from, Vec::new());
        for (start, (end, times)) in self.0.range_mut(from..until).take(TOUCHED_MAX) {
            work::count(1);
            if at < *start {
                gaps.push((at, *start));
            }
            *times = times.saturating_add(1);
            at = *end;
        }
        let next = self.0.range(at..until.max(at)).next();
        let stop = next.map_or(until, |x| *x.0);
        if at < stop {
            gaps.push((at, stop));
        }
        for (start, end) in gaps {
            self.0.insert(start, (end, 1));
        }
    }

    /// How often bytes of a span were sent again, of those that were it least.
    fn least(&self, from: u64, until: u64) -> u8 {
        let before = self.0.range(..=from).next_back();
        let first = before.filter(|x| x.1.0 > from).map_or(from, |x| *x.0);
        let (mut at, mut least) = (from, u8::MAX);
        for (start, (end, times)) in self.0.range(first..until.max(first)).take(TOUCHED_MAX) {
            work::count(1);
            if at < *start {
                return 0;
            }
            least = least.min(*times);
            at = *end;
        }
        if at < until { 0 } else { least }
    }

    /// Forgets everything below a number.
    fn forget_below(&mut self, number: u64) {
        while let Some(first) = self.0.first_entry().filter(|x| *x.key() < number) {
            work::count(1);
            let (end, times) = first.remove();
            if end > number {
                self.0.insert(number, (end, times));
            }
        }
    }
}

impl Stream {
    /// Bytes that were seen before have come again.
    pub(super) fn count_again(&mut self, from: u64, until: u64) {
        let una = self.una;
        let repeats = self.repeats.get_or_insert_with(Box::default);
        repeats.add(from.max(una), until);
    }

    /// How often bytes of a span had been seen, of those that were seen least: what has some that were not sent again yet does not repeat a
    /// repetition.
    pub(super) fn seen_least(&self, from: u64, until: u64) -> u8 {
        let repeats = self.repeats.as_deref();
        let again = repeats.map_or(0, |repeats| repeats.least(from, until));
        let place = self.sent.partition_point(|x| x.end <= from);
        let is_new = self.sent.get(place).is_some_and(|x| x.seq < until);
        // What filled a hole may have been a second copy.
        again.saturating_add(if is_new { 1 } else { 2 })
    }

    /// All below a number is acknowledged.
    #[inline]
    pub(super) fn forget_repeats(&mut self, ack: u64) {
        if let Some(repeats) = self.repeats.as_deref_mut() {
            repeats.forget_below(ack);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_in_any_order_of_pieces() {
        let mut all = Repeats::default();
        for (from, until) in [(400, 450), (300, 350), (450, 500)] {
            assert_eq!(all.least(from, until), 0, "{from}");
            all.add(from, until);
        }
        let pieces = [(300, 350), (350, 400), (400, 500), (300, 500), (480, 520)];
        let least = |all: &Repeats| pieces.map(|(from, until)| all.least(from, until));
        assert_eq!(least(&all), [1, 0, 1, 0, 0]);
        all.add(320, 480);
        assert_eq!(least(&all), [1, 1, 1, 1, 0]);
        let twice = [(320, 350), (400, 480)].map(|(from, until)| all.least(from, until));
        assert_eq!(twice, [2, 2]);
        all.forget_below(460);
        assert_eq!(all.least(440, 480), 0);
        assert_eq!([all.least(460, 480), all.least(460, 500)], [2, 1]);
        all.forget_below(500);
        assert!(all.0.is_empty());
    }

    #[test]
    fn more_pieces_than_are_compared_keep_apart() {
        let mut all = Repeats::default();
        for n in 0..200 {
            all.add(10 * n, 10 * n + 5);
        }
        all.add(0, 2000);
        let spans: Vec<_> = all.0.iter().map(|x| (*x.0, x.1.0)).collect();
        assert!(
            spans.windows(2).all(|two| two[0].1 <= two[1].0),
            "{spans:?}"
        );
        assert_eq!([all.least(0, 5), all.least(5, 10)], [2, 1]);
        assert_eq!(all.least(1990, 1995), 1);
    }
}
