//! `[[search]]`: the highest value at which a metric stays within its bound, by bisection.

use farpath_record::{Point, Record};
use farpath_scenario::plan::Plan;
use farpath_scenario::{Scenario, Search, Set};
use farpath_units::Rate;

use crate::loaded::{keep_only, read};
use crate::origin::{Findings, Origin, Setting, answer};
use crate::{Fault, Loaded, Progress, memory};

/// A search and what it is made with.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) loaded: &'a Loaded,
    /// The keys of the scenario that are set whatever is tried.
    pub(crate) sets: &'a [Set],
    pub(crate) search: &'a Search,
    pub(crate) origin: &'a dyn Origin,
    pub(crate) seed: u64,
}

impl Task<'_> {
    /// Bisects, and gives the record of the search: kind `search`, metrics `highest_bps` and
    /// `lowest_failing_bps`. What the runs on the way measured is not kept: they answer one question.
    pub(crate) fn highest(&self, progress: &mut dyn Progress) -> Result<Findings, Fault> {
        let search = self.search;
        let (mut low, mut high) = (search.low.as_bps(), search.high.as_bps());
        let steps = steps(low, high, search.resolution.get());
        let mut told = 0;
        let mut step = 0;
        let mut notes = Vec::new();
        if !self.holds(low, progress)? {
            return Err(Fault::LowEnd {
                name: search.name.clone(),
                low: search.low,
            });
        }
        if self.holds(high, progress)? {
            notes.push(format!(
                "even the high end, {}, holds: the answer is above it",
                search.high
            ));
            low = high;
        }
        while (high - low) as f64 > search.resolution.get() * high as f64 && high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.holds(middle, progress)? {
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
        let mut record = Record::new(self.origin.name(), &search.name, "search", "", "");
        record.set("highest_bps", low as f64);
        if low < high {
            record.set("lowest_failing_bps", high as f64);
        } else {
            let why = "even the high end holds".to_owned();
            record.unset("lowest_failing_bps", why);
        }
        record.notes = notes;
        Ok(Findings {
            records: vec![record],
            ..Findings::default()
        })
    }

    /// Bytes that one of its runs may take; 0 where that cannot be said, which the run itself will say.
    pub(crate) fn memory(&self) -> u64 {
        let scenario = self.scenario(&self.search.high.to_string()).ok();
        let needed = |s: &Scenario| Some(memory::needed(s, &Plan::new(s).ok()?));
        scenario.as_ref().and_then(needed).unwrap_or(0)
    }

    /// The search's tests with every key at `value`.
    fn scenario(&self, value: &str) -> Result<Scenario, Fault> {
        let mut all = self.sets.to_vec();
        all.extend(self.search.keys.iter().map(|k| Set::new(k, value)));
        let mut scenario = read(self.loaded.source.clone(), &all)?.scenario;
        keep_only(&mut scenario, &self.search.only)?;
        scenario.intervals = self.loaded.scenario.intervals;
        Ok(scenario)
    }

    /// Whether every metric is within the bound at `bps`.
    fn holds(&self, bps: u64, progress: &mut dyn Progress) -> Result<bool, Fault> {
        let value = Rate::from_bps(bps).map_or_else(String::new, |r| r.to_string());
        let mut scenario = self.scenario(&value)?;
        scenario.draw_starts(self.seed);
        let setting = Setting {
            scenario: &scenario,
            plan: &Plan::new(&scenario)?,
            point: &Point::from([(format!("search.{}", self.search.name), value)]),
            seed: self.seed,
            sequence: 0,
            taps: None,
        };
        let found = answer(self.origin, &setting, &mut Step(progress))?;
        Ok(self.search.metrics.iter().all(|metric| {
            let (test, name) = metric.split_once('.').unwrap_or((metric, ""));
            let record = found.records.iter().find(|r| r.test == test);
            let value = record.and_then(|r| r.metrics.get(name));
            value.is_some_and(|v| *v <= self.search.at_most)
        }))
    }
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

/// One run of many: it may be interrupted, and its own progress is not reported.
struct Step<'a>(&'a mut dyn Progress);

impl Progress for Step<'_> {
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
