//! A run that was stopped before its end: why, and how much of it there is.

use serde::{Deserialize, Serialize};

/// What there is of a run that was stopped before its end. Everything of it in a document is whole: a point or repeat that
/// was under way has no record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// `interrupted`, or the error that stopped it.
    pub why: String,
    /// Points of the sweep with all their repeats; without a sweep there is one.
    pub points: Done,
    /// Runs: points times repeats.
    pub runs: Done,
    /// Searches.
    pub searches: Done,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// How many there are.
    pub there: u64,
    /// How many there were to be.
    pub of: u64,
}

/// What [`Stopped::why`] says where a user stopped the run.
pub const INTERRUPTED: &str = "interrupted";

impl Stopped {
    /// Whether anything is there.
    pub fn is_something(&self) -> bool {
        self.runs.there + self.searches.there > 0
    }

    /// Whether the run was of several parts, of which some may be there.
    pub fn has_parts(&self) -> bool {
        self.runs.of + self.searches.of > 1
    }

    /// How much is there: `40 of 96 points`; `12 of 100 repeats`; `3 of 4 points, 17 of 20 runs, 0 of 1 searches`.
    pub fn words(&self) -> String {
        let named = |done: Done, name: &str| format!("{} of {} {name}", done.there, done.of);
        let repeated = self.runs.of > self.points.of;
        let mut parts = Vec::new();
        match (self.points.of, repeated) {
            (0, _) => {}
            (1, true) => parts.push(named(self.runs, "repeats")),
            _ => parts.push(named(self.points, "points")),
        }
        if repeated && self.points.of > 1 {
            parts.push(named(self.runs, "runs"));
        }
        if self.searches.of > 0 {
            parts.push(named(self.searches, "searches"));
        }
        parts.join(", ")
    }

    /// What a reader of results must know.
    pub fn sentence(&self) -> String {
        match self.why == INTERRUPTED {
            true => format!("This run was interrupted: {} are here.", self.words()),
            false => format!(
                "This run was stopped by an error, and {} are here: {}",
                self.words(),
                self.why
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stopped(points: [u64; 2], runs: [u64; 2], searches: [u64; 2]) -> Stopped {
        let done = |[there, of]: [u64; 2]| Done { there, of };
        Stopped {
            why: INTERRUPTED.to_owned(),
            points: done(points),
            runs: done(runs),
            searches: done(searches),
        }
    }

    #[test]
    fn how_much_is_there_is_said_of_what_a_run_has() {
        for (points, runs, searches, words) in [
            ([40, 96], [40, 96], [0, 0], "40 of 96 points"),
            ([0, 1], [12, 100], [0, 0], "12 of 100 repeats"),
            ([3, 4], [17, 20], [0, 0], "3 of 4 points, 17 of 20 runs"),
            ([1, 1], [1, 1], [0, 2], "1 of 1 points, 0 of 2 searches"),
            ([0, 0], [0, 0], [1, 2], "1 of 2 searches"),
        ] {
            let one = stopped(points, runs, searches);
            assert_eq!(one.words(), words);
            assert!(one.has_parts() && one.is_something());
            assert_eq!(
                one.sentence(),
                format!("This run was interrupted: {words} are here.")
            );
        }
        let alone = stopped([0, 1], [0, 1], [0, 0]);
        assert!(!alone.has_parts() && !alone.is_something());
        let by_error = Stopped {
            why: "no memory".to_owned(),
            ..stopped([1, 2], [1, 2], [0, 0])
        };
        assert_eq!(
            by_error.sentence(),
            "This run was stopped by an error, and 1 of 2 points are here: no memory"
        );
    }
}
