//! Which ordinals have been received, for finding those that come twice: the same rule for every
//! origin.

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

#[cfg(test)]
mod tests {
    use super::*;

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
