//! Tests of one flow one after another: how its rate went, and since when it is another.

use farpath_record::median;
use serde::Serialize;

use crate::ceiling::{bps, span};
use crate::complaint::is_beside;
use crate::document::FlowReport;
use crate::programs::unrated;
use crate::series::pettitt::Shift;

/// Tests of one flow from which on they are a history.
pub(crate) const SEVERAL: usize = 5;

/// A change below this share of the rate is not worth a word.
const LEAST_CHANGE: f64 = 0.1;

/// Odds of a change that is none.
const CHANCE: f64 = 0.05;

/// The tests of one flow in order of time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct History {
    /// `A > B`.
    pub name: String,
    /// Positions in `flows`: by the time of each test, or as they were read where one has none.
    pub tests: Vec<usize>,
    /// Least, median and greatest rate, bit/s.
    pub goodput_bps: [f64; 3],
    /// Since when the rate is another.
    pub change: Option<Change>,
}

/// Where a rate became another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Position in `flows` of the first test with the new rate.
    pub first: usize,
    /// Median of the tests before it, bit/s.
    pub before_bps: f64,
    /// Median from it on, bit/s.
    pub after_bps: f64,
}

impl History {
    /// What the tests show together, in a sentence.
    pub fn words(&self, reports: &[FlowReport]) -> String {
        let [low, median, high] = self.goodput_bps;
        let (span, median) = (span(low, high), bps(median));
        let all = format!("{} tests, {span}, median {median}", self.tests.len());
        let Some(change) = &self.change else {
            let few = self.last_apart(reports).map(|(count, rate)| {
                format!("{all}; the last {count} had about {}, as none before: too few to tell a change from chance", bps(rate))
            });
            return few.unwrap_or_else(|| format!("{all}; the rate did not change beyond chance"));
        };
        let from = reports[change.first].observed.source.as_deref();
        format!(
            "{all}; {} until {}, and {} since",
            bps(change.before_bps),
            from.unwrap_or("the next"),
            bps(change.after_bps)
        )
    }

    /// How many of the last tests, and two at least, are all slower than every test before them, or all faster, and their median, bit/s:
    /// the most of these that are fewer than those before.
    fn last_apart(&self, reports: &[FlowReport]) -> Option<(usize, f64)> {
        let rate = |n: &usize| reports.get(*n)?.observed.goodput_bps;
        let rates: Vec<f64> = self.tests.iter().filter_map(rate).collect();
        let apart = |count: &usize| {
            let (before, after) = rates.split_at(rates.len() - count);
            let [least, most] = ends(before);
            let [low, high] = ends(after);
            high <= (1.0 - LEAST_CHANGE) * least || most <= (1.0 - LEAST_CHANGE) * low
        };
        let few = 2..rates.len().div_ceil(2);
        let count = few.rev().find(apart)?;
        Some((count, middle(&rates[rates.len() - count..])))
    }

    /// Positions in `flows`: of each cause the last.
    fn latest<'a>(&'a self, reports: &'a [FlowReport]) -> impl Iterator<Item = usize> + 'a {
        let cause = |n: usize| reports[n].verdict.cause;
        let later = move |at: usize| self.tests[at + 1..].iter();
        let each = self.tests.iter().enumerate();
        each.filter(move |(at, n)| !later(*at).any(|m| cause(*m) == cause(**n)))
            .map(|(_, n)| *n)
    }
}

/// The reports that are shown whole: of a flow of several tests the last of each cause, and all others; those that only stand beside what
/// is explained last. What is slow and not a transfer is the second, or the first where nothing is known to hold the transfers back.
pub fn shown<'a>(
    reports: &'a [FlowReport],
    histories: &'a [History],
) -> impl Iterator<Item = &'a FlowReport> {
    let is_latest = |n: usize| {
        let mut of = histories.iter().filter(move |h| h.tests.contains(&n));
        of.all(|h| h.latest(reports).any(|m| m == n))
    };
    let is_flow = |n: &usize| !reports[*n].unrated && is_latest(*n);
    let mut order: Vec<usize> = (0..reports.len()).filter(is_flow).collect();
    order.sort_by_cached_key(|n| is_beside(reports, *n));
    if let Some(n) = reports.iter().position(|r| r.unrated) {
        let behind = usize::from(!unrated::leads(reports));
        order.insert(behind.min(order.len()), n);
    }
    order.into_iter().map(move |n| &reports[n])
}

/// Flows of which there are several tests.
pub(crate) fn of(reports: &[FlowReport]) -> Vec<History> {
    let mut names: Vec<&str> = Vec::new();
    for report in reports {
        if !names.contains(&report.name.as_str()) {
            names.push(&report.name);
        }
    }
    let each = names.into_iter().map(|name| {
        let rated = |n: &usize| reports[*n].observed.goodput_bps.is_some();
        let own = (0..reports.len()).filter(|n| reports[*n].name == name);
        (name, own.filter(rated).collect::<Vec<usize>>())
    });
    each.filter(|(_, tests)| tests.len() >= SEVERAL)
        .map(|(name, tests)| one(name, tests, reports))
        .collect()
}

fn one(name: &str, mut tests: Vec<usize>, reports: &[FlowReport]) -> History {
    let at = |n: &usize| reports[*n].observed.at_utc_ns;
    if tests.iter().all(|n| at(n).is_some()) {
        tests.sort_by_key(at);
    }
    let rate = |n: &usize| reports[*n].observed.goodput_bps.unwrap_or(0.0);
    let rates: Vec<f64> = tests.iter().map(rate).collect();
    let change = changed(&rates).map(|first| Change {
        first: tests[first],
        before_bps: middle(&rates[..first]),
        after_bps: middle(&rates[first..]),
    });
    let [least, most] = ends(&rates);
    History {
        name: name.to_owned(),
        tests,
        goodput_bps: [least, middle(&rates), most],
        change,
    }
}

/// The first of the rates that are others, by Pettitt's test. None where chance may have made it.
fn changed(rates: &[f64]) -> Option<usize> {
    let shift = Shift::of(rates)?;
    let (before, after) = rates.split_at(shift.first);
    let (before, after) = (middle(before), middle(after));
    let apart = (before - after).abs() >= LEAST_CHANGE * before.max(after);
    (apart && shift.odds() < CHANCE).then_some(shift.first)
}

/// The least and the greatest.
fn ends(rates: &[f64]) -> [f64; 2] {
    let each = || rates.iter().copied();
    [
        each().fold(f64::INFINITY, f64::min),
        each().fold(0.0, f64::max),
    ]
}

/// The middle one; 0 of none.
fn middle(rates: &[f64]) -> f64 {
    median(rates.to_vec()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that were as fast as each other have one rate, and no range.
    #[test]
    fn a_range_of_equal_ends_is_one_rate() {
        let history = |rates: [f64; 3]| History {
            name: "a > b".to_owned(),
            tests: vec![0; 5],
            goodput_bps: rates,
            change: None,
        };
        let words = |rates| history(rates).words(&[]);
        assert!(words([1e9; 3]).starts_with("5 tests, 1.00 Gbit/s, median"));
        assert!(words([1e9, 2e9, 3e9]).starts_with("5 tests, 1.00 Gbit/s to 3.00 Gbit/s, "));
    }

    /// Rates of 20 days that wander, and of 20 of which the last eight are lower; one good day among these changes nothing back.
    #[test]
    fn a_change_differs_from_what_wanders() {
        let wanders: Vec<f64> = (0..20).map(|n| 60.0 + f64::from(n * 7 % 5)).collect();
        assert_eq!(changed(&wanders), None);
        let falls: Vec<f64> = (0..20)
            .map(|n| f64::from(n * 7 % 5) + if n < 12 || n == 15 { 60.0 } else { 25.0 })
            .collect();
        assert_eq!(changed(&falls), Some(12));
        // A hundredth more is a change, and nobody's trouble.
        let hardly: Vec<f64> = (0..20).map(|n| if n < 12 { 60.0 } else { 60.6 }).collect();
        assert_eq!(changed(&hardly), None);
        assert_eq!(changed(&[1.0, 2.0, 1.0, 2.0, 1.0]), None);
        // Five against five that are all slower: one order of 126 has as much.
        let ten = [9.41, 9.40, 9.41, 9.39, 9.41, 2.31, 2.05, 2.44, 2.20, 2.11];
        assert_eq!(changed(&ten), Some(5));
        // Three against three: one order of ten.
        assert_eq!(changed(&[9.4, 9.3, 9.5, 2.3, 2.1, 2.2]), None);
        assert_eq!(middle(&[3.0, 1.0, 2.0, 4.0]), 2.5);
    }
}
