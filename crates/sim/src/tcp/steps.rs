//! What arrived in steps of a fraction of a round trip: from them it is seen when a connection runs at its rate.

use farpath_observe::STEPS_OF_A_ROUND;
use farpath_units::{Duration, Time};

/// So many steps are short; then each half as many are twice as long, so that a long test has few.
const SHORT: usize = 4096;

/// Payload bytes that arrived, step by step from the start of a test.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    /// The end of the step that is counted.
    end: Time,
    every: Duration,
    /// Since the start.
    arrived: u64,
    /// The end of each step, its length, and what had arrived by then.
    done: Vec<(Time, Duration, u64)>,
}

impl Steps {
    /// From `start` on; `round` is the shortest round trip of the path.
    pub(crate) fn new(start: Time, round: Duration) -> Steps {
        let every = Duration::from_ps((round.as_ps() / STEPS_OF_A_ROUND).max(1));
        Steps {
            end: start + every,
            every,
            arrived: 0,
            done: Vec::new(),
        }
    }

    /// When the step that is counted ends.
    #[inline]
    pub(crate) fn end(&self) -> Time {
        self.end
    }

    #[inline]
    pub(crate) fn add(&mut self, bytes: u64) {
        self.arrived += bytes;
    }

    /// Ends the steps that are over at `now`; what arrives from then on is of the next one.
    #[cold]
    pub(crate) fn go_on(&mut self, now: Time) {
        while self.end <= now {
            self.done.push((self.end, self.every, self.arrived));
            let n = self.done.len();
            if n >= SHORT && n.is_multiple_of(SHORT / 2) {
                self.every = self.every.times(2);
            }
            self.end += self.every;
        }
    }

    /// The end of each step, its length, and the bytes that arrived in it.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Time, Duration, u64)> + '_ {
        let before = [0]
            .into_iter()
            .chain(self.done.iter().map(|(.., all)| *all));
        let each = self.done.iter().zip(before);
        each.map(|((end, long, all), before)| (*end, *long, all - before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_grow_so_that_a_long_test_has_few() {
        let at = |us: u64| Time::ZERO + Duration::from_us(us);
        let mut steps = Steps::new(at(100), Duration::from_us(32));
        steps.go_on(at(103));
        steps.add(7);
        steps.go_on(at(104));
        let ends: Vec<_> = steps.each().map(|(end, _, bytes)| (end, bytes)).collect();
        assert_eq!(
            ends,
            [(at(101), 0), (at(102), 0), (at(103), 0), (at(104), 7)]
        );
        // A thousand seconds of round trips of 32 us.
        steps.go_on(at(1_000_000_000));
        assert!(steps.done.len() < 50_000, "{}", steps.done.len());
        let all: u64 = steps.each().map(|(_, long, _)| long.as_ns()).sum();
        let (end, long, _) = steps.each().last().expect("steps");
        assert_eq!(at(100) + Duration::from_ns(all), end);
        assert!(long.as_ns() < 1_000_000_000, "{long}");
    }
}
