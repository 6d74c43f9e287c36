//! How long a run goes on when its tests are over.

use farpath_units::{Duration, Time};

/// The wait for what is still under way at the end of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    until: Time,
    latest: Time,
    wait: Duration,
    /// Datagrams count as lost at the end: what waits in queues is let out first.
    drains: bool,
    fewest: u64,
}

impl Rest {
    /// From `now` on it lasts `wait`; where it `drains`, for that long again whenever fewer frames are under way, up to `longest`.
    pub(crate) fn new(now: Time, wait: Duration, drains: bool, longest: Duration) -> Rest {
        Rest {
            until: now + wait,
            latest: now + longest,
            wait,
            drains,
            fewest: u64::MAX,
        }
    }

    /// Whether it is over at `now`, when so many frames are under way.
    pub(crate) fn is_over(&mut self, now: Time, under_way: u64) -> bool {
        if self.drains && under_way < self.fewest {
            self.fewest = under_way;
            self.until = self.until.max((now + self.wait).min(self.latest));
        }
        now >= self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a rest of 5 s is over after so many seconds, with so many frames under way.
    fn over(drains: bool, seen: &[(u64, u64)]) -> Vec<bool> {
        let at = |s: u64| Time::ZERO + Duration::from_secs(s);
        let mut rest = Rest::new(
            at(0),
            Duration::from_secs(5),
            drains,
            Duration::from_secs(20),
        );
        let each = seen.iter();
        each.map(|(s, frames)| rest.is_over(at(*s), *frames))
            .collect()
    }

    #[test]
    fn a_queue_that_empties_makes_a_rest_longer() {
        let empties = [(0, 9), (4, 8), (8, 7), (12, 7), (13, 7)];
        assert_eq!(over(true, &empties), [false, false, false, false, true]);
        assert_eq!(over(false, &empties), [false, false, true, true, true]);
        // What never gets fewer is given up, and what goes on for too long.
        assert_eq!(over(true, &[(0, 9), (4, 9), (5, 9)]), [false, false, true]);
        let slow = [(0, 99), (5, 98), (10, 97), (15, 96), (20, 95)];
        assert_eq!(over(true, &slow), [false, false, false, false, true]);
    }
}
