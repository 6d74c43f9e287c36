//! The times of one connection's packets where the clock of the capture was set back.

/// Packets earlier than the one before by less than this were written out of order; by more, the clock was set.
const STEP_NS: i64 = 1_000_000;

/// A clock that never goes back.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    /// The last time.
    pub(crate) last: i64,
    /// What the clock was set back by, as far as it has not caught up.
    behind: i64,
    /// How often it went back.
    pub(crate) steps: u64,
}

impl Clock {
    /// A clock that shows this time.
    pub(crate) fn new(at: i64) -> Clock {
        Clock {
            last: at,
            ..Clock::default()
        }
    }

    /// The time of the next packet, which was captured at `at`. What the clock went back by counts as no time.
    #[inline]
    pub(crate) fn time(&mut self, at: i64) -> i64 {
        if at >= self.last {
            self.behind = 0;
            self.last = at;
            return at;
        }
        self.set_back(at)
    }

    #[cold]
    fn set_back(&mut self, at: i64) -> i64 {
        let back = self.last.saturating_sub(at.saturating_add(self.behind));
        if back > 0 {
            self.steps += 1;
        }
        if back >= STEP_NS {
            self.behind = self.behind.saturating_add(back);
        }
        self.last = self.last.max(at.saturating_add(self.behind));
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that is set back by three seconds: time goes on where it was.
    #[test]
    fn a_step_back_is_one_and_takes_no_time() {
        let mut clock = Clock::new(10_000_000_000);
        let packets = [10, 11, 8, 9, 10, 11, 12].map(|s| s * 1_000_000_000);
        let times = packets.map(|at| clock.time(at) / 1_000_000_000);
        assert_eq!((times, clock.steps), ([10, 11, 11, 12, 13, 14, 15], 1));
    }

    /// Packets that were written out of order: none is moved for long.
    #[test]
    fn what_is_out_of_order_has_the_time_of_the_one_before() {
        let mut clock = Clock::new(0);
        let packets = [100, 95, 101, 99, 102].map(|at| at * 1000);
        let times = packets.map(|at| clock.time(at) / 1000);
        assert_eq!((times, clock.steps), ([100, 100, 101, 101, 102], 2));
        // The same with pieces of half a second: once there is a later time, it is the time.
        let mut clock = Clock::new(0);
        let packets = [1000, 500, 1100, 700, 1200].map(|at| at * 1_000_000);
        let times = packets.map(|at| clock.time(at) / 1_000_000);
        assert_eq!((times, clock.steps), ([1000, 1000, 1100, 1100, 1200], 2));
    }
}
