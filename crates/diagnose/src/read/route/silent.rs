//! Hops of a trace that do not answer: with answers from behind them they pass on what goes through.

use super::HOPS_MAX;

/// The state of a trace.
#[derive(Default)]
pub(super) struct Silent {
    /// Hops that have stayed silent since the last one that answered.
    open: Vec<u32>,
    /// Silent hops with one behind them that answered.
    passed: Vec<u32>,
}

impl Silent {
    /// Takes the next hop, with its number where that is known.
    pub(super) fn take(&mut self, number: Option<u32>, is_silent: bool) {
        if !is_silent {
            self.passed.append(&mut self.open);
            return;
        }
        let known = self.open.len() + self.passed.len();
        let new = number.filter(|n| known < HOPS_MAX && self.open.last() != Some(n));
        self.open.extend(new);
    }

    /// The first of the hops from which on nothing answered, up to the end; none where the last one did.
    pub(super) fn since(&self) -> Option<u32> {
        self.open.first().copied()
    }

    /// Silent hops with answers from behind them, for people: `4 to 6, 9`; empty without any.
    pub(super) fn passed(&self) -> String {
        let mut runs: Vec<[u32; 2]> = Vec::new();
        for n in &self.passed {
            match runs.last_mut() {
                Some([_, last]) if last.checked_add(1) == Some(*n) => *last = *n,
                _ => runs.push([*n, *n]),
            }
        }
        let shown = |[first, last]: &[u32; 2]| match first == last {
            true => first.to_string(),
            false => format!("{first} to {last}"),
        };
        let all: Vec<String> = runs.iter().map(shown).collect();
        all.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::Silent;

    fn of(hops: &[(u32, bool)]) -> (String, Option<u32>) {
        let mut silent = Silent::default();
        for (n, is_silent) in hops {
            silent.take(Some(*n), *is_silent);
        }
        (silent.passed(), silent.since())
    }

    #[test]
    fn silent_hops_are_passed_where_one_behind_them_answers() {
        let trace = [
            (1, false),
            (2, true),
            (3, true),
            (4, false),
            (5, true),
            (6, false),
        ];
        assert_eq!(of(&trace), ("2 to 3, 5".to_owned(), None));
        assert_eq!(of(&trace[..3]), (String::new(), Some(2)));
        // tracepath has a line for each try.
        let twice = [(1, false), (2, true), (2, true), (3, false)];
        assert_eq!(of(&twice), ("2".to_owned(), None));
    }
}
