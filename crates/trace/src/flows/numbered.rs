//! Datagrams that carry numbers: what is missing, late or double, and the jitter of their times.

use std::collections::BTreeMap;

use farpath_record::trace::NumberedStream;

/// Gaps remembered of one stream; the oldest are given up and stay lost.
const HOLES_MAX: usize = 1 << 10;
/// A number this far behind, with the next one after it, begins another sequence (RFC 3550 appendix A.1).
const BEHIND_MAX: u64 = 100;
/// A number this far ahead begins another sequence, too.
const AHEAD_MAX: u64 = 1 << 24;

/// Follows the numbers of one stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbered {
    packets: u64,
    first: u64,
    /// One past the highest number.
    next: u64,
    /// Numbers from the first to the highest, of sequences before this one.
    earlier: u64,
    lost: u64,
    loss_events: u64,
    reordered: u64,
    duplicates: u64,
    /// Numbers that are missing: from, until.
    holes: BTreeMap<u64, u64>,
    /// Gaps below this number were given up.
    forgotten: u64,
    /// What a number that fits nowhere would have to be followed by.
    strange: Option<u64>,
}

impl Numbered {
    /// The number nearest to what is expected of which only the lower 16 bits are known.
    pub(crate) fn unwrapped(&self, lower: u16) -> u64 {
        let expected = self.next.max(1 << 16);
        let distance = lower.wrapping_sub(expected as u16) as i16;
        expected.wrapping_add(i64::from(distance) as u64)
    }

    /// Takes in a number.
    pub(crate) fn take(&mut self, number: u64) {
        self.packets += 1;
        if self.packets == 1 {
            (self.first, self.next) = (number, number + 1);
            return;
        }
        if number == self.next {
            self.next += 1;
        } else if number > self.next && number - self.next < AHEAD_MAX {
            self.miss(self.next, number);
            self.next = number + 1;
        } else if number < self.next && self.next - number <= BEHIND_MAX {
            self.late(number);
        } else if self.strange == Some(number) {
            self.begin_again(number);
        } else {
            self.strange = Some(number + 1);
            if number < self.next {
                self.late(number);
            }
            return;
        }
        self.strange = None;
    }

    fn miss(&mut self, from: u64, until: u64) {
        self.lost += until - from;
        self.loss_events += 1;
        if self.holes.len() >= HOLES_MAX {
            self.forgotten = self.holes.pop_first().map_or(0, |h| h.1);
        }
        self.holes.insert(from, until);
    }

    fn late(&mut self, number: u64) {
        let hole = self.holes.range(..=number).next_back();
        let hole = hole.map(|(from, until)| (*from, *until));
        match hole.filter(|h| number < h.1) {
            Some((from, until)) => {
                self.holes.remove(&from);
                self.loss_events -= 1;
                for part in [(number + 1, until), (from, number)] {
                    if part.0 < part.1 {
                        self.holes.insert(part.0, part.1);
                        self.loss_events += 1;
                    }
                }
                self.lost -= 1;
                self.reordered += 1;
            }
            None if number < self.forgotten => self.reordered += 1,
            // A sequence may have begun before its first number that was seen.
            None if number < self.first => {
                self.lost += self.first - number - 1;
                if self.first - number > 1 {
                    self.loss_events += 1;
                    self.holes.insert(number + 1, self.first);
                    if self.holes.len() > HOLES_MAX {
                        self.holes.pop_last();
                    }
                }
                self.first = number;
                self.reordered += 1;
            }
            None => self.duplicates += 1,
        }
    }

    /// A program began to count again.
    fn begin_again(&mut self, number: u64) {
        self.earlier += self.next - self.first;
        self.holes.clear();
        // The one before was taken for a duplicate, or not counted at all.
        if number <= self.next {
            self.duplicates = self.duplicates.saturating_sub(1);
        }
        (self.first, self.next) = (number - 1, number + 1);
        self.forgotten = 0;
    }

    /// What it says; `kind` is the stream's.
    pub(crate) fn stated(&self, kind: &str) -> NumberedStream {
        let expected = self.earlier + self.next - self.first;
        NumberedStream {
            kind: kind.to_owned(),
            first_number: self.first,
            packets: self.packets,
            lost: self.lost,
            loss_ratio: (expected > 0).then(|| self.lost as f64 / expected as f64),
            loss_events: self.loss_events,
            reordered: self.reordered,
            duplicates: self.duplicates,
            ..NumberedStream::default()
        }
    }
}

/// Jitter as RFC 3550 §6.4.1 has it, from the times of sending and of the capture.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Jitter {
    last: Option<f64>,
    now: f64,
    max: f64,
    least: f64,
    most: f64,
}

impl Jitter {
    /// Takes in how long a datagram took, nanoseconds by two clocks of whatever offset.
    pub(crate) fn take(&mut self, transit_ns: f64) {
        match self.last {
            Some(last) => {
                self.now += ((transit_ns - last).abs() - self.now) / 16.0;
                self.max = self.max.max(self.now);
                self.least = self.least.min(transit_ns);
                self.most = self.most.max(transit_ns);
            }
            None => (self.least, self.most) = (transit_ns, transit_ns),
        }
        self.last = Some(transit_ns);
    }

    /// Puts what it came to into a stream.
    pub(crate) fn state(&self, stream: &mut NumberedStream) {
        if self.last.is_some() && stream.packets > 1 {
            stream.jitter_ns = Some(self.now.round() as u64);
            stream.jitter_max_ns = Some(self.max.round() as u64);
            stream.delay_spread_ns = Some((self.most - self.least).round() as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: impl IntoIterator<Item = u64>) -> NumberedStream {
        let mut numbered = Numbered::default();
        numbers.into_iter().for_each(|n| numbered.take(n));
        numbered.stated("test")
    }

    #[test]
    fn missing_late_and_double_numbers_are_kept_apart() {
        let s = of([1, 2, 5, 4, 6, 6, 9, 3]);
        assert_eq!((s.lost, s.reordered, s.duplicates), (2, 2, 1));
        assert_eq!((s.loss_events, s.packets), (1, 8));
        assert_eq!(s.loss_ratio, Some(2.0 / 9.0));
    }

    #[test]
    fn a_first_number_that_was_overtaken_counts_as_late() {
        let s = of([3, 1, 2, 4]);
        assert_eq!((s.lost, s.reordered, s.duplicates), (0, 2, 0));
        assert_eq!(s.first_number, 1);
    }

    #[test]
    fn a_program_that_counts_again_loses_nothing() {
        let s = of((0..5000).chain(0..3000));
        assert_eq!((s.lost, s.reordered, s.duplicates), (0, 0, 0));
        assert_eq!(s.loss_ratio, Some(0.0));
    }

    #[test]
    fn gaps_beyond_the_limit_stay_lost() {
        let s = of((0..8000).step_by(2).chain([7997, 1]));
        assert_eq!(s.lost, 3999 - 2 + 1);
        assert_eq!(s.reordered, 2);
    }

    #[test]
    fn numbers_of_sixteen_bits_go_on_beyond_them() {
        let mut numbered = Numbered::default();
        for n in 65_000..70_000u32 {
            let number = numbered.unwrapped(n as u16);
            numbered.take(number);
        }
        let s = numbered.stated("rtp");
        assert_eq!((s.lost, s.packets), (0, 5000));
    }

    #[test]
    fn jitter_is_that_of_rfc_3550() {
        let mut jitter = Jitter::default();
        for transit in [0.0, 160.0, 160.0] {
            jitter.take(transit);
        }
        let mut stream = NumberedStream {
            packets: 3,
            ..NumberedStream::default()
        };
        jitter.state(&mut stream);
        // 160 / 16 = 10, then 10 - 10 / 16.
        assert_eq!(
            (stream.jitter_ns, stream.jitter_max_ns),
            (Some(9), Some(10))
        );
        assert_eq!(stream.delay_spread_ns, Some(160));
    }
}
