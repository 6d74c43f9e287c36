//! How fine the clock of an end's timestamps is.

/// A clock has to go on by so many before its rate counts.
const LEAST: u32 = 32;

/// TSvals of an end's data, each later than the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ticks {
    first: Option<(u32, i64)>,
    last: (u32, i64),
    /// The smallest step from one to the next; 0 before the second.
    step: u32,
}

impl Ticks {
    /// Data with a later TSval than all before it passes.
    #[inline]
    pub(super) fn take(&mut self, value: u32, at: i64) {
        if self.first.is_none() {
            self.first = Some((value, at));
        } else {
            let step = value.wrapping_sub(self.last.0);
            self.step = match self.step {
                0 => step,
                least => least.min(step),
            };
        }
        self.last = (value, at);
    }

    /// Within this time the clock may show the same, nanoseconds; none where too little of it was seen. A clock may go by many at once:
    /// so the smallest step counts, and not a unit.
    pub(super) fn finest(&self) -> Option<i64> {
        let (value, at) = self.first?;
        let units = self.last.0.wrapping_sub(value);
        let ns = self.last.1.saturating_sub(at);
        let each = ns as f64 / f64::from(units.max(1));
        (units >= LEAST && ns > 0).then_some((each * f64::from(self.step)) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: i64 = 1_000_000;

    /// A clock that shows milliseconds, and goes on by so many at once.
    fn clock(by: u32, steps: u32) -> Option<i64> {
        let mut ticks = Ticks::default();
        for n in 0..=steps {
            ticks.take(
                u32::MAX.wrapping_add(n * by),
                i64::from(n * by) * MILLISECOND,
            );
        }
        ticks.finest()
    }

    #[test]
    fn a_clock_is_as_fine_as_its_steps() {
        assert_eq!(clock(1, 40), Some(MILLISECOND));
        assert_eq!(clock(16, 4), Some(16 * MILLISECOND));
        assert_eq!(clock(1, 20), None);
        assert_eq!(Ticks::default().finest(), None);
    }
}
