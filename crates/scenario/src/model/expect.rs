//! What a scenario asks of its results.

use std::collections::BTreeMap;

use farpath_record::Origin;
use farpath_units::{Rate, Ratio};

/// `[[expect]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// `TEST.METRIC`, `link.NAME.A>B.METRIC` or `search.NAME.METRIC`.
    pub metric: String,
    /// Divide by this metric.
    pub over: Option<String>,
    /// Subtract this metric.
    pub minus: Option<String>,
    /// Lower bound, in the metric's unit.
    pub min: Option<f64>,
    /// Upper bound.
    pub max: Option<f64>,
    /// Origins it applies to; empty means those that ran.
    pub origins: Vec<Origin>,
    /// Sweep points it applies to: every pair must match; empty means all.
    pub point: BTreeMap<String, String>,
    /// The source's own words; never compared.
    pub stated: Option<String>,
    /// The source.
    pub source: Option<String>,
    /// Why stated and band differ.
    pub note: Option<String>,
}

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
