//! `[[search]]`: the highest value at which a metric stays within its bound, by bisection.

use std::collections::BTreeMap;

use crate::{Fault, Loaded, Progress, keep_only, open};
use farpath_record::{Origin, Record};
use farpath_scenario::{Search, Set};
use farpath_units::Rate;

use crate::simulate::{self, Point, Wanted};

/// Bisects, and returns the record of the search: kind `search`, metrics `highest_bps` and
/// `lowest_failing_bps`. What the runs on the way measured is not kept: they answer one question.
pub fn highest(
    loaded: &Loaded,
    search: &Search,
    sets: &[Set],
    wanted: Wanted,
    seed: u64,
    progress: &mut dyn Progress,
) -> Result<Record, Fault> {
    let (mut low, mut high) = (search.low.as_bps(), search.high.as_bps());
    let wanted = Wanted {
        predict: false,
        emulate: None,
        sequence: 0,
        ..wanted
    };
    let steps = steps(low, high, search.resolution.get());
    let mut told = 0;
    let mut step = 0;
    let mut notes = Vec::new();
    if !holds(
        search,
        &at(loaded, search, sets, wanted, (seed, low), progress)?,
    ) {
        return Err(Fault::LowEnd {
            name: search.name.clone(),
            low: search.low,
        });
    }
    if holds(
        search,
        &at(loaded, search, sets, wanted, (seed, high), progress)?,
    ) {
        notes.push(format!(
            "even the high end, {}, holds: the answer is above it",
            search.high
        ));
        low = high;
    }
    while (high - low) as f64 > search.resolution.get() * high as f64 && high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(
            search,
            &at(loaded, search, sets, wanted, (seed, middle), progress)?,
        ) {
            low = middle;
        } else {
            high = middle;
        }
        step += 1;
        let done = (1000 * step / steps.max(1)).min(1000);
        progress.advance(done.saturating_sub(told));
        told = done;
    }
    progress.advance(1000 - told);
    let mut record = Record::new(Origin::Simulated, &search.name, "search", "", "");
    record.set("highest_bps", low as f64);
    record.set("lowest_failing_bps", high as f64);
    record.notes = notes;
    Ok(record)
}

/// How often the bracket is halved at most, for the progress line.
fn steps(low: u64, high: u64, resolution: f64) -> u64 {
    let (mut width, mut steps) = (high - low, 0);
    while width as f64 > high as f64 * resolution && width > 1 {
        width = width.div_ceil(2);
        steps += 1;
    }
    steps
}

/// Runs the search's tests with every key at `bps`.
fn at(
    loaded: &Loaded,
    search: &Search,
    sets: &[Set],
    wanted: Wanted,
    (seed, bps): (u64, u64),
    progress: &mut dyn Progress,
) -> Result<Point, Fault> {
    let value = Rate::from_bps(bps).map_or_else(String::new, |r| r.to_string());
    let mut all = sets.to_vec();
    all.extend(search.keys.iter().map(|k| Set::new(k, &value)));
    let mut scenario = open(&loaded.source.name, &all)?.scenario;
    keep_only(&mut scenario, &search.only)?;
    let point = BTreeMap::from([(format!("search.{}", search.name), value)]);
    simulate::point(&scenario, &point, wanted, seed, None, &mut Within(progress))
}

fn holds(search: &Search, point: &Point) -> bool {
    search.metrics.iter().all(|metric| {
        let (test, name) = metric.split_once('.').unwrap_or((metric, ""));
        let simulated = |r: &&Record| r.origin == Origin::Simulated && r.test == test;
        let value = point
            .records
            .iter()
            .find(simulated)
            .and_then(|r| r.metrics.get(name));
        value.is_some_and(|v| *v <= search.at_most)
    })
}

/// One run of many: it may be ended, and how far it is by itself is not told.
struct Within<'a>(&'a mut dyn Progress);

impl Progress for Within<'_> {
    fn expect(&mut self, _parts: u64) {}
    fn say(&mut self, _label: &str) {}
    fn advance(&mut self, _thousandths: u64) {}
    fn note(&mut self, text: &str) {
        self.0.note(text);
    }
    fn interrupted(&self) -> bool {
        self.0.interrupted()
    }
}
