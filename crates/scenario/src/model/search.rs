//! What a scenario asks by many runs.

use farpath_units::{Rate, Ratio};

use crate::set::Set;

/// `[[search]]`: the highest value of a key at which a metric stays within a bound, by bisection.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Its name; its result is the metric `search.NAME.highest_…`.
    pub name: String,
    /// `--set` paths that all take the value tried.
    pub keys: Vec<String>,
    /// A rate that is known to hold.
    pub low: Rate,
    /// A rate that is known to fail.
    pub high: Rate,
    /// Stop when the bracket is this small relative to its upper end.
    pub resolution: Ratio,
    /// Tests that run; the others are left out.
    pub only: Vec<String>,
    /// The metrics that must stay at or below `at_most`.
    pub metrics: Vec<String>,
    /// The bound.
    pub at_most: f64,
}

impl Search {
    /// What its lowest and its highest value set.
    pub(crate) fn ends(&self) -> [Vec<Set>; 2] {
        let set = |rate: Rate| {
            let keys = self.keys.iter();
            keys.map(|key| Set::new(key, rate.to_string())).collect()
        };
        [set(self.low), set(self.high)]
    }
}
