//! Which ordinals have been received, for finding those that come twice: the same rule for every
//! origin.

use crate::Series;

/// Ordinals remembered below the highest.
const WINDOW: u64 = 1 << 16;

/// The last ordinals received. One that comes more than 65 536 behind the highest counts as new.
#[derive(Debug)]
pub struct Seen {
    bits: Vec<u64>,
    /// All ordinals from here on are new.
    end: u64,
}

impl Default for Seen {
    fn default() -> Seen {
        Seen::new()
    }
}

impl Seen {
    /// Nothing has been received.
    pub fn new() -> Seen {
        Seen {
            bits: vec![0; (WINDOW / 64) as usize],
            end: 0,
        }
    }

    /// Notes `ordinal`, which is below `u64::MAX`; whether it is new.
    #[inline]
    pub fn is_new(&mut self, ordinal: u64) -> bool {
        if ordinal >= self.end {
            self.forget(ordinal);
        } else if ordinal + WINDOW < self.end {
            return true;
        }
        let (word, bit) = ((ordinal % WINDOW / 64) as usize, 1 << (ordinal % 64));
        let new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        new
    }

    /// Makes room for the ordinals up to `highest`.
    fn forget(&mut self, highest: u64) {
        let first = self.end.max((highest + 1).saturating_sub(WINDOW));
        for n in first..=highest {
            self.bits[(n % WINDOW / 64) as usize] &= !(1 << (n % 64));
        }
        self.end = highest + 1;
    }
}

/// Most numbers kept by [`Missing`].
const MOST_MISSING: usize = 1000;

/// Which ordinals did not come, the first thousand of them, and when that showed: a later one was there. What
/// is after the last that came shows nothing.
#[derive(Clone, Debug, Default)]
pub struct Missing {
    next: u64,
    numbers: Vec<u64>,
    t_ns: Vec<u64>,
}

impl Missing {
    /// `ordinal` has come at `t_ns`.
    #[inline]
    pub fn came(&mut self, ordinal: u64, t_ns: u64) {
        if ordinal == self.next {
            self.next += 1;
        } else if ordinal > self.next {
            let room = MOST_MISSING - self.numbers.len();
            self.numbers.extend((self.next..ordinal).take(room));
            self.t_ns.resize(self.numbers.len(), t_ns);
            self.next = ordinal + 1;
        } else if let Ok(late) = self.numbers.binary_search(&ordinal) {
            self.numbers.remove(late);
            self.t_ns.remove(late);
        }
    }

    /// The series; none when nothing is missing.
    pub fn series(&self) -> Option<Series> {
        let v: Vec<f64> = self.numbers.iter().map(|n| *n as f64).collect();
        let t_ns = self.t_ns.clone();
        (!v.is_empty()).then_some(Series { t_ns, v })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_known_when_a_later_one_comes_and_may_still_come() {
        let mut missing = Missing::default();
        for (ordinal, t_ns) in [(0, 10), (1, 20), (4, 30), (2, 40), (1, 50), (7, 60)] {
            missing.came(ordinal, t_ns);
        }
        let series = missing.series().expect("something is missing");
        assert_eq!(series.v, [3.0, 5.0, 6.0]);
        assert_eq!(series.t_ns, [30, 60, 60]);
        missing.came(1_000_000, 70);
        assert_eq!(missing.series().map(|s| s.v.len()), Some(MOST_MISSING));
        assert_eq!(Missing::default().series(), None);
    }

    #[test]
    fn what_comes_twice_is_known_within_the_window() {
        let mut seen = Seen::new();
        for (ordinal, new) in [
            (0, true),
            (0, false),
            (5, true),
            (3, true),
            (5, false),
            (WINDOW - 1, true),
            (0, false),
            (WINDOW, true),
            // Its place has been taken.
            (0, true),
            (1, true),
            (1, false),
            (10 * WINDOW, true),
            (9 * WINDOW + 1, true),
            (9 * WINDOW + 1, false),
        ] {
            assert_eq!(seen.is_new(ordinal), new, "{ordinal}");
        }
    }
}
