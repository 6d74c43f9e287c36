//! What the repeats of a run have in common.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::compared::{Compared, compared, parts};
use crate::range::range;
use crate::statistics::Summary;
use crate::zero::Written;
use crate::{Expect, LinkRecord, Origin, Point, Record, Results};

/// The repeats of a run: their seeds, and every metric of every test summed up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Repeats {
    /// How many, at least 2.
    pub count: u32,
    /// The seed of each: `farpath run --seed` with it repeats that one alone.
    pub seeds: Vec<u64>,
    /// One for each origin, test, point and metric that several repeats have.
    pub metrics: Vec<MetricSummary>,
}

/// One metric over the repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricSummary {
    /// Where the numbers come from.
    pub origin: Origin,
    /// The test's name; of a link's metric, `link.NAME.A>B`, of a search's `search.NAME`.
    pub test: String,
    /// The sweep point.
    pub point: BTreeMap<String, String>,
    /// The metric, its unit last; a ratio or difference as `METRIC over OTHER`.
    pub metric: String,
    /// Number, least, greatest, mean, median, standard deviation and confidence interval, and the kinds of run there are.
    #[serde(flatten)]
    pub summary: Summary,
}

/// Whether a value says that there was nothing to measure: a window that was never cut has nothing to recover from, and
/// no recovery of 0 s is faster than one of 2 s.
pub fn is_nothing(metric: &str, value: f64) -> bool {
    metric == "recovery_s" && value == 0.0
}

/// Ratios that are shares of things counted, and the metric that has their number.
const COUNTED: [(&str, &str); 3] = [
    ("loss_ratio", "sent"),
    ("loss_ratio", "cells_sent"),
    ("conforming_ratio", "cells_received"),
];

/// How many things a record counted of which `metric` is a share.
pub(crate) fn counted(record: &Record, metric: &str) -> f64 {
    let of = COUNTED.iter().filter(|(ratio, _)| *ratio == metric);
    of.filter_map(|(_, all)| record.metrics.get(*all)).sum()
}

/// The values of one metric, in the order of the repeats.
struct Found<'a> {
    origin: Origin,
    test: String,
    point: &'a Point,
    metric: &'a str,
    values: Vec<f64>,
    /// Of a share: of how many things in all repeats.
    counted: f64,
}

impl Found<'_> {
    fn varies(&self) -> bool {
        self.values.iter().any(|v| *v != self.values[0])
    }
}

impl Repeats {
    /// Sums up the results of a run with these seeds: every metric of its tests, and those of links, the ratios and the
    /// differences that `expects` name. Records marked invalid are left out.
    pub fn of(seeds: Vec<u64>, results: Results<'_>, expects: &[Expect]) -> Repeats {
        let named: Vec<&str> = expects.iter().map(|e| e.metric.as_str()).collect();
        let of_two: BTreeSet<String> = expects.iter().map(Expect::written).collect();
        let of_two: Vec<(&str, Vec<Compared>)> = of_two
            .iter()
            .map(|written| (written.as_str(), compared(written, results)))
            .collect();
        let mut found: Vec<Found<'_>> = Vec::new();
        let mut places = BTreeMap::new();
        let mut add = |origin, test: &str, point, metric, value: f64, counted: f64| {
            if !value.is_finite() {
                return;
            }
            let key = (origin, test.to_owned(), point, metric);
            let at = *places.entry(key).or_insert(found.len());
            match found.get_mut(at) {
                Some(known) => {
                    known.values.push(value);
                    known.counted += counted;
                }
                None => found.push(Found {
                    origin,
                    test: test.to_owned(),
                    point,
                    metric,
                    values: vec![value],
                    counted,
                }),
            }
        };
        let written = Written::of(results.records.iter().filter(|r| r.valid));
        for record in results.records.iter().filter(|r| r.valid) {
            let subject = match record.kind.as_str() {
                "search" => &format!("search.{}", record.test),
                _ => &record.test,
            };
            for (metric, value) in &record.metrics {
                let counted = counted(record, metric);
                add(
                    record.origin,
                    subject,
                    &record.point,
                    metric,
                    *value,
                    counted,
                );
            }
            for metric in written.zeros(record) {
                add(record.origin, subject, &record.point, metric, 0.0, 0.0);
            }
        }
        for link in results.links {
            for (metric, value) in named_of(link, results, &named) {
                add(link.origin, &link.path(), &link.point, metric, value, 0.0);
            }
        }
        for (written, values) in &of_two {
            let Some((of, rest)) = parts(written) else {
                continue;
            };
            for one in values.iter().filter(|one| one.valid) {
                add(one.origin, of, &one.point, rest, one.value, 0.0);
            }
        }
        Repeats {
            count: u32::try_from(seeds.len()).unwrap_or(u32::MAX),
            seeds,
            metrics: summed(found),
        }
    }
}

/// The summary of each that several repeats have.
fn summed(found: Vec<Found<'_>>) -> Vec<MetricSummary> {
    // Where nothing differs in any repeat nothing was left to chance, and no loss is none.
    let random: BTreeSet<_> = found
        .iter()
        .filter(|one| one.varies())
        .map(|one| (one.origin, one.test.clone(), one.point))
        .collect();
    let summary = |one: Found<'_>| {
        let by_chance = random.contains(&(one.origin, one.test.clone(), one.point));
        let counted = if by_chance { one.counted } else { 0.0 };
        let summary = Summary::of(&one.values).filter(|s| s.n > 1)?;
        let summary = summary.of_counts(counted).within(range(one.metric));
        Some(MetricSummary {
            origin: one.origin,
            test: one.test,
            point: one.point.clone(),
            metric: one.metric.to_owned(),
            summary,
        })
    };
    found.into_iter().filter_map(summary).collect()
}

/// The metrics of a link that are named, each once.
fn named_of<'a>(
    link: &LinkRecord,
    results: Results<'_>,
    named: &[&'a str],
) -> BTreeMap<&'a str, f64> {
    let path = link.path();
    let of = |metric: &&'a str| {
        let name = metric.strip_prefix(path.as_str())?.strip_prefix('.')?;
        Some((name, results.link_metric(link, name)?))
    };
    named.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// None of 25 in five repeats was `0 ± 0`; up to 13.3 % (Wilson) is what is known.
    #[test]
    fn no_loss_of_few_is_not_none_for_certain() {
        let of = |rtts: [f64; 5], losses: [f64; 5]| {
            let record = |repeat: usize| {
                let mut one = Record::new(Origin::Simulated, "ping", "ping", "a", "b");
                one.repeat = repeat as u32;
                one.set("rtt_avg_ns", rtts[repeat]);
                one.set("sent", 5.0);
                one.set("loss_ratio", losses[repeat]);
                one
            };
            let records: Vec<Record> = (0..5).map(record).collect();
            let results = Results {
                records: &records,
                links: &[],
            };
            let all = Repeats::of(vec![1, 2, 3, 4, 5], results, &[]).metrics;
            let loss = all
                .into_iter()
                .find(|m| m.metric == "loss_ratio")
                .expect("it is there");
            (
                loss.summary.ci95.expect("of five"),
                loss.summary.ci95_low,
                loss.summary.ci95_high,
            )
        };
        let varied = [1e6, 1.1e6, 1e6, 1.2e6, 1e6];
        let (half, low, high) = of(varied, [0.0; 5]);
        assert!((half - 0.1332).abs() < 1e-4, "{half}");
        assert_eq!((low, high), (Some(0.0), Some(half)));
        // Where repeats differ by more than their counts do, that is what is known.
        let (half, ..) = of(varied, [0.0, 0.0, 1.0, 1.0, 1.0]);
        assert!(half > 0.5, "{half}");
        // Nothing was left to chance.
        assert_eq!(of([1e6; 5], [0.0; 5]).0, 0.0);
    }
}
