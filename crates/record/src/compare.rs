//! Two sets of runs laid side by side, metric by metric: how far apart their means are, and whether
//! luck alone may have done it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::number;
use crate::statistics::{Summary, runs_to_tell, shares, welch};
use crate::{Keys, Origin, Record, RunDocument, is_nothing, point_text};

/// Value of `schema` in a [`Comparison`].
pub const COMPARE_SCHEMA: &str = "farpath.compare/1";

/// A document and where it came from.
#[derive(Clone, Debug)]
pub struct Named {
    /// The file's name, for messages.
    pub name: String,
    /// What it holds.
    pub document: RunDocument,
}

/// Why records cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// One run counted twice.
    #[error(
        "{first} and {second} hold the same run: test {test}, {origin}, repeat {repeat} of seed \
            {seed}; runs of one set need seeds of their own (`farpath run --seed N`)"
    )]
    SameRun {
        /// A file.
        first: String,
        /// Another, or the same.
        second: String,
        /// The test.
        test: String,
        /// The origin.
        origin: &'static str,
        /// The repeat.
        repeat: u32,
        /// The seed.
        seed: u64,
    },
    /// Nothing to compare.
    #[error("nothing to compare: {0}")]
    Nothing(String),
}

/// What may be said of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The values are equal, or the 95 % interval of the difference holds zero.
    Same,
    /// The 95 % interval of the difference does not hold zero.
    Differs,
    /// The values differ, and a single run on a side does not show the spread of runs.
    Unknown,
}

/// One metric of one test at one point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The test's name.
    pub test: String,
    /// The sweep point.
    pub point: BTreeMap<String, String>,
    /// The metric, its unit last.
    pub metric: String,
    /// Whose values `a` are.
    pub origin_a: Origin,
    /// Whose values `b` are.
    pub origin_b: Origin,
    /// The first set.
    pub a: Summary,
    /// The second set.
    pub b: Summary,
    /// Mean of `b` less that of `a`.
    #[serde(with = "number::one")]
    pub difference: f64,
    /// Half the width of its 95 % confidence interval (Welch); null where the spread of runs is unknown.
    #[serde(with = "number::option")]
    pub difference_ci95: Option<f64>,
    /// The difference as a share of `a`'s mean; null where that is 0.
    #[serde(with = "number::option")]
    pub relative: Option<f64>,
    /// Cohen's d; null as for `difference_ci95`, and where nothing varies.
    #[serde(with = "number::option")]
    pub effect: Option<f64>,
    /// Degrees of freedom; null as for `effect`.
    #[serde(with = "number::option")]
    pub df: Option<f64>,
    /// What may be said.
    pub verdict: Verdict,
    /// Further runs on each side to detect a difference as large as this with 80 % probability; 0 where it is
    /// detected; null beyond 10 000, and where the spread of runs is unknown.
    pub more_runs: Option<u32>,
    /// Whether the difference is larger than the tolerance given and not explained by chance.
    pub beyond_tolerance: bool,
}

/// Everything compared: `farpath.compare/1`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// `farpath.compare/1`.
    pub schema: &'static str,
    /// Files of the first set.
    pub a: Vec<String>,
    /// Files of the second set; empty where the origins of one set are compared.
    pub b: Vec<String>,
    /// Largest relative difference that is accepted.
    pub tolerance: Option<f64>,
    /// Every metric both sides have, test by test in the order of the records.
    pub rows: Vec<Row>,
    /// Tests, by point and origin, that one side has no record of.
    pub tests_missing: u32,
    /// `TEST.METRIC, origin` that only the first set has.
    pub only_a: Vec<String>,
    /// The same of the second.
    pub only_b: Vec<String>,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// The keys of the first set's points.
    #[serde(skip)]
    pub keys: Keys,
}

impl Comparison {
    /// Whether something is beyond the tolerance, or a test is missing on one side; never without a
    /// tolerance. A metric that one side lacks is named and no finding: where luck spares a test its
    /// losses, there is no recovery to time.
    pub fn finding(&self) -> bool {
        let missing = self.tests_missing > 0;
        self.tolerance.is_some() && (missing || self.rows.iter().any(|r| r.beyond_tolerance))
    }
}

/// What one side has of a metric.
#[derive(Default)]
struct Side {
    /// Its value in each run.
    values: Vec<f64>,
    /// Of a share of counted things: how many were counted in all runs. 0 of other metrics.
    counted: f64,
    /// Whether any metric of the test was another in another run.
    random: bool,
}

/// What one side has of each metric.
type Values<'r> = BTreeMap<Key<'r>, Side>;

/// Ratios that are shares of things counted, and the metric that has their number.
const COUNTED: [(&str, &str); 3] = [
    ("loss_ratio", "sent"),
    ("loss_ratio", "cells_sent"),
    ("conforming_ratio", "cells_received"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'r> {
    origin: Origin,
    test: &'r str,
    kind: &'r str,
    point: &'r BTreeMap<String, String>,
    metric: &'r str,
}

/// Compares two sets of documents, each origin with its like.
///
/// # Errors
/// A run that a set holds twice; sets that have no metric in common.
pub fn sets(a: &[Named], b: &[Named], tolerance: Option<f64>) -> Result<Comparison, CompareError> {
    let (left, right) = (values(a)?, values(b)?);
    let mut comparison = blank(a, b, tolerance);
    for key in order(a) {
        if let (Some(x), Some(y)) = (left.get(&key), right.get(&key)) {
            comparison
                .rows
                .extend(row(&key, key.origin, x, y, tolerance));
        }
    }
    let only = |this: &Values<'_>, other: &Values<'_>| {
        let missing = this.keys().filter(|k| !other.contains_key(*k));
        missing.map(name).collect::<Vec<_>>()
    };
    comparison.only_a = only(&left, &right);
    comparison.only_b = only(&right, &left);
    let tests = |of: &Values<'_>| -> BTreeSet<String> {
        let unnamed = of.keys().map(|k| name(&Key { metric: "", ..*k }));
        unnamed.collect()
    };
    let missing = tests(&left).symmetric_difference(&tests(&right)).count();
    comparison.tests_missing = u32::try_from(missing).unwrap_or(u32::MAX);
    if comparison.rows.is_empty() {
        return Err(CompareError::Nothing(
            "the two sets have no test and metric of one origin in common".to_owned(),
        ));
    }
    Ok(comparison)
}

/// Compares the origins of one set of documents: the first of them, in the order predicted,
/// simulated, emulated, measured, captured, with each other.
///
/// # Errors
/// A run that the set holds twice; a single origin; no metric in common.
pub fn origins(set: &[Named], tolerance: Option<f64>) -> Result<Comparison, CompareError> {
    let values = values(set)?;
    let mut comparison = blank(set, &[], tolerance);
    let present: BTreeSet<Origin> = values.keys().map(|k| k.origin).collect();
    let mut present = present.into_iter();
    let (Some(first), rest) = (present.next(), present.collect::<Vec<_>>()) else {
        return Err(CompareError::Nothing("there is no valid record".to_owned()));
    };
    if rest.is_empty() {
        return Err(CompareError::Nothing(format!(
            "every record is {}; name a second set, or run with a second origin",
            first.name()
        )));
    }
    for key in order(set).into_iter().filter(|k| k.origin == first) {
        for origin in &rest {
            let other = Key {
                origin: *origin,
                ..key
            };
            if let (Some(x), Some(y)) = (values.get(&key), values.get(&other)) {
                comparison.rows.extend(row(&key, *origin, x, y, tolerance));
            }
        }
    }
    if comparison.rows.is_empty() {
        return Err(CompareError::Nothing(
            "its origins have no metric in common".to_owned(),
        ));
    }
    Ok(comparison)
}

fn blank(a: &[Named], b: &[Named], tolerance: Option<f64>) -> Comparison {
    let names = |set: &[Named]| set.iter().map(|n| n.name.clone()).collect();
    Comparison {
        schema: COMPARE_SCHEMA,
        a: names(a),
        b: names(b),
        tolerance,
        rows: Vec::new(),
        tests_missing: 0,
        only_a: Vec::new(),
        only_b: Vec::new(),
        notes: notes(a, b),
        keys: a.first().map(|n| Keys::of(&n.document)).unwrap_or_default(),
    }
}

fn notes(a: &[Named], b: &[Named]) -> Vec<String> {
    let mut notes = Vec::new();
    let texts = |set: &[Named]| -> BTreeSet<String> {
        let short = |d: &RunDocument| d.scenario_sha256.chars().take(12).collect::<String>();
        set.iter()
            .map(|n| format!("{} ({})", n.document.scenario, short(&n.document)))
            .collect()
    };
    let (left, right) = (texts(a), texts(b));
    let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(", ");
    if !b.is_empty() && left != right {
        notes.push(format!(
            "the scenarios differ: A {}, B {}",
            list(&left),
            list(&right)
        ));
    }
    for (name, set, texts) in [("A", a, left), ("B", b, right)] {
        if texts.len() > 1 {
            notes.push(format!("{name} is of several scenarios: {}", list(&texts)));
        }
        let invalid = |n: &Named| n.document.records.iter().filter(|r| !r.valid).count();
        let invalid: usize = set.iter().map(invalid).sum();
        if invalid > 0 {
            notes.push(format!(
                "{invalid} records of {name} are marked invalid and left out"
            ));
        }
    }
    notes
}

fn key<'r>(record: &'r Record, metric: &'r str) -> Key<'r> {
    Key {
        origin: record.origin,
        test: &record.test,
        kind: &record.kind,
        point: &record.point,
        metric,
    }
}

fn name(key: &Key<'_>) -> String {
    let at = match point_text(key.point) {
        point if point.is_empty() => point,
        point => format!(" at {point}"),
    };
    format!("{}.{}{at}, {}", key.test, key.metric, key.origin.name())
}

/// Every metric once, test by test in the order of the records.
fn order(set: &[Named]) -> Vec<Key<'_>> {
    let mut seen = BTreeSet::new();
    let mut keys: Vec<Key<'_>> = Vec::new();
    for record in valid(set).map(|(_, r)| r) {
        let all = record.metrics.keys().map(|m| key(record, m));
        keys.extend(all.filter(|k| seen.insert(*k)));
    }
    // A test's records may be apart; its rows are not.
    let mut tests: BTreeMap<&str, usize> = BTreeMap::new();
    for key in &keys {
        let next = tests.len();
        tests.entry(key.test).or_insert(next);
    }
    keys.sort_by_key(|k| tests[k.test]);
    keys
}

fn valid(set: &[Named]) -> impl Iterator<Item = (&Named, &Record)> {
    let records = set
        .iter()
        .flat_map(|n| n.document.records.iter().map(move |r| (n, r)));
    records.filter(|(_, r)| r.valid)
}

fn values(set: &[Named]) -> Result<Values<'_>, CompareError> {
    let mut values = Values::new();
    let mut runs = BTreeMap::new();
    for (named, record) in valid(set) {
        let document = &named.document;
        let run = (
            &document.scenario_sha256,
            document.seed,
            record.origin,
            &record.test,
            &record.point,
            record.repeat,
        );
        let known = runs.insert(run, &named.name);
        // A closed form knows no luck: it stands in every file, and is the same.
        if let Some(first) = known
            && record.origin != Origin::Predicted
        {
            return Err(CompareError::SameRun {
                first: first.clone(),
                second: named.name.clone(),
                test: record.test.clone(),
                origin: record.origin.name(),
                repeat: record.repeat,
                seed: document.seed,
            });
        }
        let said = |(metric, v): &(&String, &f64)| v.is_finite() && !is_nothing(metric, **v);
        for (metric, value) in record.metrics.iter().filter(said) {
            let of = values.entry(key(record, metric)).or_default();
            if record.origin != Origin::Predicted || !of.values.contains(value) {
                of.values.push(*value);
                of.counted += counted(record, metric);
            }
        }
    }
    let varied = |side: &Side| side.values.iter().any(|v| *v != side.values[0]);
    let random: BTreeSet<Key<'_>> = values
        .iter()
        .filter(|(_, side)| varied(side))
        .map(|(key, _)| Key { metric: "", ..*key })
        .collect();
    for (key, side) in &mut values {
        side.random = random.contains(&Key { metric: "", ..*key });
    }
    Ok(values)
}

/// How many things a record counted of which `metric` is a share.
fn counted(record: &Record, metric: &str) -> f64 {
    let of = COUNTED.iter().filter(|(ratio, _)| *ratio == metric);
    of.filter_map(|(_, all)| record.metrics.get(*all)).sum()
}

/// Half the width of the interval of a difference of two shares of counted things, towards 0: equal shares in a few runs
/// do not show their spread. 0 where nothing was counted, or nothing is random.
fn counting(x: &Side, y: &Side, (a, b): (&Summary, &Summary)) -> f64 {
    let counts = [x, y].iter().any(|side| side.random && side.counted > 0.0);
    match counts {
        true => shares((a.mean, x.counted), (b.mean, y.counted)),
        false => 0.0,
    }
}

fn row(key: &Key<'_>, origin_b: Origin, x: &Side, y: &Side, tolerance: Option<f64>) -> Option<Row> {
    let (a, b) = (Summary::of(&x.values)?, Summary::of(&y.values)?);
    let exact = |s: &Summary, origin: Origin| s.n > 1 || origin == Origin::Predicted;
    let certain = (key.origin, origin_b) == (Origin::Predicted, Origin::Predicted);
    let known = exact(&a, key.origin) && exact(&b, origin_b) && (a.n > 1 || b.n > 1 || certain);
    let found = welch(&a, &b);
    let ci95 = found.ci95.max(counting(x, y, (&a, &b)));
    let verdict = if found.difference == 0.0 && (known || a == b) {
        Verdict::Same
    } else if !known {
        Verdict::Unknown
    } else if found.difference.abs() > ci95 {
        Verdict::Differs
    } else {
        Verdict::Same
    };
    let relative = (a.mean != 0.0).then(|| found.difference / a.mean.abs());
    let accepted = |share: f64| found.difference.abs() <= share * a.mean.abs();
    Some(Row {
        test: key.test.to_owned(),
        point: key.point.clone(),
        metric: key.metric.to_owned(),
        origin_a: key.origin,
        origin_b,
        a,
        b,
        difference: found.difference,
        difference_ci95: known.then_some(ci95),
        relative,
        effect: Some(found.effect).filter(|e| known && e.is_finite()),
        df: Some(found.df).filter(|d| known && d.is_finite()),
        verdict,
        more_runs: more_runs(&a, &b, verdict),
        beyond_tolerance: verdict != Verdict::Same && tolerance.is_some_and(|t| !accepted(t)),
    })
}

fn more_runs(a: &Summary, b: &Summary, verdict: Verdict) -> Option<u32> {
    match verdict {
        Verdict::Differs => Some(0),
        Verdict::Unknown => None,
        Verdict::Same => {
            let have = match (a.sd, b.sd) {
                (Some(_), Some(_)) => a.n.min(b.n),
                (Some(_), None) => a.n,
                _ => b.n,
            };
            runs_to_tell(a, b).map(|n| n.saturating_sub(have))
        }
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
