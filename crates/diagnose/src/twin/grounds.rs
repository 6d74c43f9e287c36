//! What a scenario's figures are from: the facts on a flow, and what is assumed.

use farpath_units::Rate;

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::read::Facts;

/// A value and where it is from: `ss.txt:4`, or `assumed: …`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said<T> {
    /// The value.
    pub(super) value: T,
    /// Where it is from.
    pub(super) from: String,
}

/// Where the model's figures are from.
pub(super) struct Grounds<'a> {
    pub(super) facts: &'a Facts,
    pub(super) flow: &'a Flow,
    pub(super) e: &'a Evidence,
    pub(super) cause: Cause,
}

/// A rate that a line may have.
pub(super) fn rate(bps: f64) -> Option<Rate> {
    Rate::from_bps(bps.clamp(1e3, 4e12) as u64)
}

pub(super) fn assumed<T>(value: T, why: &str) -> Said<T> {
    Said {
        value,
        from: format!("assumed: {why}"),
    }
}

impl Grounds<'_> {
    /// A value and the places of its figure.
    pub(super) fn said<T>(&self, value: T, figure: &Figure) -> Said<T> {
        let places = figure.from.iter().take(3).map(|at| self.facts.place(*at));
        let from: Vec<String> = places.collect();
        Said {
            value,
            from: from.join(", "),
        }
    }

    /// What the line carries at least: the measured rate, its fastest interval, what the kernel saw delivered.
    pub(super) fn carried(&self) -> f64 {
        let e = self.e;
        let rate = e.rate.as_ref().map_or(0.0, |r| r.high);
        // An interval that filled the sender's own buffer was not carried.
        let peak = if e.filled.is_none() { e.peak } else { 0.0 };
        let delivered = e.delivery.as_ref().map_or(0.0, |d| d.value);
        let share = e.payload_share();
        rate.max(peak).max(delivered).max(1e4) / share
    }

    /// Whether anything was said to have arrived.
    pub(super) fn is_measured(&self) -> bool {
        self.e.rate.as_ref().is_some_and(|r| r.value > 0.0)
    }
}
