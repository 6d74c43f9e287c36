//! When each program of a node is due, so that what is due costs nothing to those that have ended.

use farpath_units::Time;

/// An instant for each program: a tournament, in which the earlier of two goes up. It answers which is the earliest at
/// once, and who is due in the logarithm of their number.
#[derive(Debug, Default)]
pub(crate) struct Due {
    /// The earliest of all at 1, of the two halves at 2 and 3, and so on; programs' own from `leaves` on.
    earliest: Vec<Time>,
    leaves: usize,
    programs: usize,
}

impl Due {
    /// One more program, due at `at`.
    pub(crate) fn push(&mut self, at: Time) {
        if self.programs == self.leaves {
            let own = self.earliest.split_off(self.leaves);
            self.leaves = (2 * self.leaves).max(1);
            self.earliest = vec![Time::MAX; 2 * self.leaves];
            for (n, at) in own.into_iter().enumerate() {
                self.set(n, at);
            }
        }
        self.programs += 1;
        self.set(self.programs - 1, at);
    }

    /// The earliest of all; never without programs.
    #[inline]
    pub(crate) fn first(&self) -> Time {
        self.earliest.get(1).copied().unwrap_or(Time::MAX)
    }

    /// Program `n` is due at `at`.
    pub(crate) fn set(&mut self, n: usize, at: Time) {
        let mut i = n + self.leaves;
        self.earliest[i] = at;
        while i > 1 {
            let earlier = self.earliest[i].min(self.earliest[i ^ 1]);
            i /= 2;
            if self.earliest[i] == earlier {
                return;
            }
            self.earliest[i] = earlier;
        }
    }

    /// Program `n` is due at `at` if that is earlier than what was known.
    #[inline]
    pub(crate) fn lower(&mut self, n: usize, at: Time) {
        if at < self.earliest[n + self.leaves] {
            self.set(n, at);
        }
    }

    /// The first program from number `from` on that is due by `now`.
    pub(crate) fn next(&self, from: usize, now: Time) -> Option<usize> {
        if from >= self.programs {
            return None;
        }
        let mut i = from + self.leaves;
        while self.earliest[i] > now {
            // To the right, from as far up as all below has been seen.
            while i % 2 == 1 {
                i /= 2;
            }
            if i == 0 {
                return None;
            }
            i += 1;
        }
        while i < self.leaves {
            i *= 2;
            if self.earliest[i] > now {
                i += 1;
            }
        }
        Some(i - self.leaves)
    }
}

#[cfg(test)]
mod tests {
    use farpath_units::Time;

    use super::Due;

    /// An instant in picoseconds.
    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    /// All that are due by `now`, in their order.
    fn all(due: &Due, now: Time) -> Vec<usize> {
        let mut from = 0;
        std::iter::from_fn(|| {
            let n = due.next(from, now)?;
            from = n + 1;
            Some(n)
        })
        .collect()
    }

    #[test]
    fn without_programs_nothing_is_due() {
        let due = Due::default();
        assert_eq!((due.first(), due.next(0, Time::MAX)), (Time::MAX, None));
    }

    /// Against a plain list of the same instants, for every number of programs up to 33.
    #[test]
    fn it_is_a_list_that_is_searched_faster() {
        for programs in 1..=33 {
            let (mut due, mut list) = (Due::default(), Vec::new());
            for n in 0..programs {
                due.push(at(n * 7 % 11));
                list.push(n * 7 % 11);
            }
            for step in 0..200 {
                let (n, new) = (step * 5 % programs, step * 13 % 17);
                if step % 3 == 0 {
                    due.lower(n as usize, at(new));
                    list[n as usize] = list[n as usize].min(new);
                } else {
                    due.set(n as usize, at(new));
                    list[n as usize] = new;
                }
                assert_eq!(due.first(), at(*list.iter().min().expect("one at least")));
                for now in [0, 3, 8, 16] {
                    let due_by = |n: &usize| list[*n] <= now;
                    let expected: Vec<usize> = (0..list.len()).filter(due_by).collect();
                    assert_eq!(all(&due, at(now)), expected, "{list:?} by {now}");
                }
            }
        }
    }
}
