//! What is expected of a metric.

use crate::{Origin, Point};

/// An expectation with its tolerance already resolved into bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// `TEST.METRIC`, `link.NAME.A>B.METRIC` or `search.NAME.METRIC`.
    pub metric: String,
    /// Divide by this metric.
    pub over: Option<String>,
    /// Subtract this metric.
    pub minus: Option<String>,
    /// Lower bound, inclusive.
    pub min: Option<f64>,
    /// Upper bound, inclusive.
    pub max: Option<f64>,
    /// Origins it applies to; empty means those that ran.
    pub origins: Vec<Origin>,
    /// Sweep points it applies to: every pair must match.
    pub point: Point,
    /// The source's own words; never compared.
    pub stated: Option<String>,
    /// The source.
    pub source: Option<String>,
    /// Why stated and band differ.
    pub note: Option<String>,
    /// The file of `--expect` it stands in; none for the scenario's own.
    pub file: Option<String>,
    /// Its number among the `[[expect]]` of that file, from 1: one question, at however many points; none for the scenario's own.
    pub question: Option<u32>,
    /// Where it stands, `marks.toml:12:10`; none for the scenario's own.
    pub place: Option<String>,
    /// The scenario must expect the same in a band of its own that holds the middle of this one and is at most this share of its
    /// own middle wide.
    pub stated_within: Option<f64>,
    /// What the scenario has not, and must have for a file of `--expect` to judge it: it fails.
    pub lacking: Option<String>,
}

impl Expect {
    /// What it speaks of, in words: `A.goodput_bps over B.goodput_bps`.
    pub fn written(&self) -> String {
        let mut metric = self.metric.clone();
        for (word, other) in [("over", &self.over), ("minus", &self.minus)] {
            if let Some(other) = other {
                metric = format!("{metric} {word} {other}");
            }
        }
        metric
    }
}
