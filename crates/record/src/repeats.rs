//! What the repeats of a run have in common.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::statistics::Summary;
use crate::{Origin, Record};

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
    /// The test's name.
    pub test: String,
    /// The sweep point.
    pub point: BTreeMap<String, String>,
    /// The metric, its unit last.
    pub metric: String,
    /// Number, least, greatest, mean, standard deviation and confidence interval.
    #[serde(flatten)]
    pub summary: Summary,
}

impl Repeats {
    /// Sums up the records of a run with these seeds. Records marked invalid are left out.
    pub fn of(seeds: Vec<u64>, records: &[Record]) -> Repeats {
        let mut found: Vec<(&Record, &str, Vec<f64>)> = Vec::new();
        let mut places = BTreeMap::new();
        for record in records.iter().filter(|r| r.valid) {
            for (metric, value) in record.metrics.iter().filter(|(_, v)| v.is_finite()) {
                let key = (record.origin, &record.test, &record.point, metric);
                let at = *places.entry(key).or_insert(found.len());
                match found.get_mut(at) {
                    Some((_, _, values)) => values.push(*value),
                    None => found.push((record, metric, vec![*value])),
                }
            }
        }
        let summary = |(record, metric, values): (&Record, &str, Vec<f64>)| {
            let summary = Summary::of(&values).filter(|s| s.n > 1)?;
            Some(MetricSummary {
                origin: record.origin,
                test: record.test.clone(),
                point: record.point.clone(),
                metric: metric.to_owned(),
                summary,
            })
        };
        Repeats {
            count: u32::try_from(seeds.len()).unwrap_or(u32::MAX),
            seeds,
            metrics: found.into_iter().filter_map(summary).collect(),
        }
    }
}
