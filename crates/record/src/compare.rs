//! Two sets of runs laid side by side, metric by metric: how far apart their means are, and whether
//! luck alone may have done it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::number;
use crate::repeats::{counted, is_nothing};
use crate::statistics::Summary;
use crate::zero::Written;
use crate::{Keys, Origin, Record, RunDocument};

mod between;
mod more;
mod notes;
mod places;
mod ranked;
mod row;
mod verdict;

pub use between::between;
pub use places::sets;
use row::row;
pub use verdict::Verdict;

/// Value of `schema` in a [`Comparison`].
pub const COMPARE_SCHEMA: &str = "farpath.compare/1";

/// A document and where it came from.
#[derive(Clone, Debug)]
pub struct Named {
    /// The file's name, for messages.
    pub name: String,
    /// Every key of its scenario with its value, as it was run; empty where that is not known.
    pub keys: BTreeMap<String, String>,
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
    /// The same tests, at other points.
    #[error("nothing to compare: A and B have no point of their sweeps in common. {both}")]
    NoPoint {
        /// What both have, and which keys each sweeps.
        both: String,
    },
    /// Nothing to compare.
    #[error("nothing to compare: {0}")]
    Nothing(String),
    /// Records, and none of them is valid.
    #[error("nothing to compare: {0}")]
    NoneValid(String),
    /// A key that no point has, or a part of several.
    #[error(
        "{key} is not one key of the sweep; {}",
        there_are(swept, "it has none")
    )]
    NotSwept {
        /// The key.
        key: String,
        /// Those there are.
        swept: Vec<String>,
    },
    /// A value that a key never has.
    #[error(
        "the sweep never sets {key} to {value}; {}",
        there_are(values, "it has no values")
    )]
    NeverSet {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// Those there are.
        values: Vec<String>,
    },
}

/// `there are reno, cubic`; other words for none.
fn there_are(all: &[String], none: &str) -> String {
    match all {
        [] => none.to_owned(),
        all => format!("there are {}", all.join(", ")),
    }
}

/// One metric of one test at one point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The test's name; of what tests of a group have in common `group NAME`.
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
    /// Half the width of its 95 % confidence interval (of pairs Student's, else Welch's); null where the spread of runs
    /// is unknown.
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
    /// Where runs of a side are of two kinds, the probability that ranks differ as much by chance, two-sided (Mann and Whitney, of
    /// pairs Wilcoxon): the verdict is by it and not by means. Null elsewhere.
    #[serde(with = "number::option")]
    pub rank_p: Option<f64>,
    /// Whether both sides have the same seeds, so that runs are compared seed by seed: the same losses on either side.
    pub paired: bool,
    /// Smaller differences are none, for the metric is known in such steps only; null without steps.
    #[serde(with = "number::option")]
    pub step: Option<f64>,
    /// Further runs on each side to detect a difference as large as this with 80 % probability; 0 where it is
    /// detected; null beyond 10 000, where the spread of runs is unknown, and by ranks.
    pub more_runs: Option<u32>,
    /// Whether a side is a forecast whose closed form does not hold for the test, by its own note: never beyond the tolerance.
    pub out_of_range: bool,
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
    /// `TEST.METRIC, origin` of which every value of the first set says that there was nothing to measure, as a recovery of
    /// 0 s does, while the second has others.
    pub nothing_a: Vec<String>,
    /// The same of the second.
    pub nothing_b: Vec<String>,
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

    /// Keeps the metrics that are wanted.
    ///
    /// # Errors
    /// Where none is left: every metric there is, once.
    pub fn keep(&mut self, wanted: impl Fn(&str) -> bool) -> Result<(), BTreeSet<String>> {
        let all = self.rows.iter().map(|r| r.metric.clone()).collect();
        self.rows.retain(|r| wanted(&r.metric));
        if !self.rows.iter().any(between::by_formulas) {
            self.notes.retain(|note| note != between::FORMULAS);
        }
        if !self.rows.iter().any(ranked::by_forecast) {
            self.notes.retain(|note| note != ranked::FORECAST);
        }
        if !wanted(COMPLETION) {
            self.notes.retain(|note| !note.ends_with(notes::CLOCKED));
        }
        // `TEST.METRIC at POINT, origin`; names of tests have no dot.
        let metric = |of: &str| {
            let (_, rest) = of.split_once('.').unwrap_or(("", of));
            wanted(rest.split([' ', ',']).next().unwrap_or(rest))
        };
        self.notes
            .retain(|note| !ranked::names_metric(note) || metric(note));
        for list in [
            &mut self.only_a,
            &mut self.only_b,
            &mut self.nothing_a,
            &mut self.nothing_b,
        ] {
            list.retain(|of| metric(of));
        }
        match self.rows.is_empty() {
            true => Err(all),
            false => Ok(()),
        }
    }
}

/// What one side has of a metric.
#[derive(Default)]
struct Side {
    /// Its value in each run that had something to measure; empty where none had.
    values: Vec<f64>,
    /// The seed of each, where it is known.
    seeds: Vec<Option<u64>>,
    /// The steps in which it is known; 0 without.
    step: f64,
    /// Of a share of counted things: how many were counted in all runs. 0 of other metrics.
    counted: f64,
    /// Whether chance had a part at its point, or any metric of the test was another in another run.
    random: bool,
    /// Whether these runs, though several, are one: simulated, with nothing random at their point but its start.
    one_run: bool,
    /// Whether it is a forecast, and outside its formula's range.
    out_of_range: bool,
}

/// What one side has of each metric.
type Values<'r> = BTreeMap<Key<'r>, Side>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'r> {
    origin: Origin,
    test: &'r str,
    kind: &'r str,
    point: &'r BTreeMap<String, String>,
    metric: &'r str,
}

/// Compares two sets of documents, each origin with its like, point by point.
fn by_points(a: &[Named], b: &[Named], tolerance: Option<f64>) -> Result<Comparison, CompareError> {
    let written = Written::of(valid(a).chain(valid(b)).map(|(_, record)| record));
    let (left, right) = (values(a, &written)?, values(b, &written)?);
    let mut comparison = blank(a, b, tolerance);
    let mut one_run = notes::OneRun::default();
    let keys = comparison.keys.clone();
    for key in order(a, &written) {
        if let (Some(x), Some(y)) = (left.get(&key), right.get(&key)) {
            let row = row(&key, key.origin, x, y, tolerance);
            one_run.see(row.as_ref(), x, y);
            let of_ranks = ranked::of_row(row.as_ref(), x, y, || name(&key, &keys));
            comparison.notes.extend(of_ranks);
            comparison.rows.extend(row);
        }
    }
    comparison.notes.extend(one_run.say(&comparison));
    comparison.notes.extend(notes::unpaired(a, b, &comparison));
    // Of what `this` has a value of, what the other side has not, or has nothing to measure of.
    let lacks = |this: &Values<'_>, other: &Values<'_>, at_all: bool| {
        let has = this.iter().filter(|(_, side)| !side.values.is_empty());
        let lacks = |k: &Key<'_>| match other.get(k) {
            None => at_all,
            Some(side) => !at_all && side.values.is_empty(),
        };
        has.filter(|(k, _)| lacks(k))
            .map(|(k, _)| name(k, &keys))
            .collect::<Vec<_>>()
    };
    comparison.only_a = lacks(&left, &right, true);
    comparison.only_b = lacks(&right, &left, true);
    comparison.nothing_a = lacks(&right, &left, false);
    comparison.nothing_b = lacks(&left, &right, false);
    let tests = |of: &Values<'_>| -> BTreeSet<String> {
        let of_tests = of.keys().filter(|k| k.kind != GROUP);
        of_tests
            .map(|k| name(&Key { metric: "", ..*k }, &keys))
            .collect()
    };
    let missing = tests(&left).symmetric_difference(&tests(&right)).count();
    comparison.tests_missing = u32::try_from(missing).unwrap_or(u32::MAX);
    if comparison.rows.is_empty() {
        return Err(places::apart(a, b).unwrap_or_else(|| {
            let none = "the two sets have no test and metric of one origin in common";
            let invalid = nothing_valid(a, b).map(CompareError::NoneValid);
            invalid.unwrap_or_else(|| CompareError::Nothing(none.to_owned()))
        }));
    }
    Ok(comparison)
}

/// Whether a set has records, valid or not.
fn has_some(set: &[Named]) -> bool {
    set.iter().any(|n| !n.document.records.is_empty())
}

/// That a set has records, and none of them is valid.
fn nothing_valid(a: &[Named], b: &[Named]) -> Option<String> {
    let sides = [("A", a), ("B", b)];
    let (side, _) = sides
        .into_iter()
        .find(|(_, set)| has_some(set) && valid(set).next().is_none())?;
    Some(format!(
        "every record of {side} is marked invalid, as an emulation with an invalid certificate is"
    ))
}

/// Compares the origins of one set of documents with each other: each, in the order predicted, simulated, emulated, measured,
/// captured, with those after it.
///
/// # Errors
/// A run that the set holds twice; a single origin; no metric in common.
pub fn origins(set: &[Named], tolerance: Option<f64>) -> Result<Comparison, CompareError> {
    let written = Written::of(valid(set).map(|(_, record)| record));
    let values = values(set, &written)?;
    let mut comparison = blank(set, &[], tolerance);
    let present: BTreeSet<Origin> = values.keys().map(|k| k.origin).collect();
    match present.iter().collect::<Vec<_>>()[..] {
        [] => {
            let none = "there is no valid record".to_owned();
            return Err(match has_some(set) {
                true => CompareError::NoneValid(none),
                false => CompareError::Nothing(none),
            });
        }
        [only] => {
            return Err(CompareError::Nothing(format!(
                "every record is {}; name a second set, or run with a second origin",
                only.name()
            )));
        }
        _ => {}
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut one_run = notes::OneRun::default();
    let keys = comparison.keys.clone();
    for key in order(set, &written) {
        for origin in present.iter().filter(|origin| **origin > key.origin) {
            let other = Key {
                origin: *origin,
                ..key
            };
            if let (Some(x), Some(y)) = (values.get(&key), values.get(&other)) {
                let row = row(&key, *origin, x, y, tolerance);
                one_run.see(row.as_ref(), x, y);
                let both = || format!("{} and {}", name(&key, &keys), origin.name());
                let of_ranks = ranked::of_row(row.as_ref(), x, y, both);
                comparison.notes.extend(of_ranks);
                rows.extend(row);
            }
        }
    }
    // The metrics of a test and point stand together, by the origins that are compared.
    let mut first = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        first
            .entry((row.test.clone(), row.point.clone()))
            .or_insert(at);
    }
    rows.sort_by_cached_key(|r| {
        let subject = (r.test.clone(), r.point.clone());
        (first.get(&subject).copied(), r.origin_a, r.origin_b)
    });
    comparison.rows = rows;
    comparison.notes.extend(one_run.say(&comparison));
    let of_forecasts = ranked::of_forecasts(&comparison.rows);
    comparison.notes.extend(of_forecasts);
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
        nothing_a: Vec::new(),
        nothing_b: Vec::new(),
        notes: notes::of_sets(a, b),
        keys: a.first().map(|n| Keys::of(&n.document)).unwrap_or_default(),
    }
}

/// How long bytes took: nothing of a test that a clock ended.
const COMPLETION: &str = "completion_ns";

/// How the metrics of a group begin, which the record of each of its tests has.
const OF_GROUP: &str = "group_";
/// The kind of what is compared of a group; its name stands for that of a test.
const GROUP: &str = "group";

fn key<'r>(record: &'r Record, metric: &'r str) -> Key<'r> {
    let (test, kind) = match &record.group {
        Some(group) if metric.starts_with(OF_GROUP) => (group, GROUP),
        _ => (&record.test, record.kind.as_str()),
    };
    Key {
        origin: record.origin,
        test,
        kind,
        point: &record.point,
        metric,
    }
}

/// `bulk`; `group all`.
fn subject(key: &Key<'_>) -> String {
    match key.kind {
        GROUP => format!("{GROUP} {}", key.test),
        _ => key.test.to_owned(),
    }
}

fn name(key: &Key<'_>, keys: &Keys) -> String {
    let at = match keys.text(key.point) {
        point if point.is_empty() => point,
        point => format!(" at {point}"),
    };
    format!("{}.{}{at}, {}", subject(key), key.metric, key.origin.name())
}

/// Every metric once, test by test in the order of the records; groups last.
fn order<'r>(set: &'r [Named], written: &Written<'_>) -> Vec<Key<'r>> {
    let mut seen = BTreeSet::new();
    let mut keys: Vec<Key<'_>> = Vec::new();
    for record in valid(set).map(|(_, r)| r) {
        let zeros = written.zeros(record).into_iter();
        let all = record.metrics.keys().map(String::as_str).chain(zeros);
        let all = all.map(|metric| key(record, metric));
        keys.extend(all.filter(|k| seen.insert(*k)));
    }
    // A test's records may be apart; its rows are not.
    let mut tests: BTreeMap<&str, usize> = BTreeMap::new();
    for key in &keys {
        let next = tests.len();
        tests.entry(key.test).or_insert(next);
    }
    keys.sort_by_key(|k| (k.kind == GROUP, tests[k.test]));
    keys
}

fn valid(set: &[Named]) -> impl Iterator<Item = (&Named, &Record)> {
    let records = set
        .iter()
        .flat_map(|n| n.document.records.iter().map(move |r| (n, r)));
    records.filter(|(_, r)| r.valid)
}

fn values<'r>(set: &'r [Named], written: &Written<'_>) -> Result<Values<'r>, CompareError> {
    let mut values = Values::new();
    let mut runs = BTreeMap::new();
    let mut groups = BTreeSet::new();
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
        let clocked = record.is_ended_by_clock();
        let zeros = written.zeros(record).into_iter().map(|m| (m, 0.0));
        let all = record.metrics.iter().map(|(m, v)| (m.as_str(), *v));
        for (metric, value) in all.chain(zeros).filter(|(_, v)| v.is_finite()) {
            if clocked && metric == COMPLETION {
                continue;
            }
            let key = key(record, metric);
            let of = values.entry(key).or_default();
            // Each test of a group has its metric, and it counts once.
            let again = key.kind == GROUP && !groups.insert((run.0, run.1, record.repeat, key));
            if again || is_nothing(metric, value) {
                continue;
            }
            of.out_of_range |= record.out_of_range().is_some();
            if record.origin != Origin::Predicted || !of.values.contains(&value) {
                of.values.push(value);
                of.seeds.push(seed(document, record));
                of.step = of.step.max(step(record, metric));
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
    let lucky = notes::lucky(set, random.iter().map(|key| (key.origin, key.point)));
    for (key, side) in &mut values {
        let chance = lucky.contains(&(key.origin, key.point));
        side.random = chance || random.contains(&Key { metric: "", ..*key });
        let alike = key.origin == Origin::Simulated && !chance;
        side.one_run = alike && side.values.len() > 1;
    }
    Ok(values)
}

/// The seed that a record's repeat has; none of a closed form, which knows no luck.
fn seed(document: &RunDocument, record: &Record) -> Option<u64> {
    let drawn = document.repeats.as_ref().map(|r| &r.seeds);
    let of_repeat = drawn.and_then(|seeds| seeds.get(record.repeat as usize));
    let first = (record.repeat == 0).then_some(&document.seed);
    let known = of_repeat.or(first).copied();
    known.filter(|_| record.origin != Origin::Predicted)
}

/// The steps in which a record knows a metric: a ramp is one of whole round trips, and where series show it, of stretches of a
/// hundredth of the test.
fn step(record: &Record, metric: &str) -> f64 {
    if metric != "ramp_s" || record.origin == Origin::Predicted {
        return 0.0;
    }
    let rtt = record.metrics.get("rtt_avg_ns").copied().unwrap_or(0.0);
    let stretch = match record.origin {
        Origin::Simulated => 0.0,
        _ => record.duration_ns as f64 / 100.0,
    };
    stretch.max(rtt) / 1e9
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
