//! `[[search]]`: the highest or the lowest value at which a metric stays within its bounds, by bisection.

use farpath_record::{Point, Record};
use farpath_scenario::plan::Plan;
use farpath_scenario::{Amount, Find, Scenario, Search, Set};

use crate::loaded::{keep_only, read};
use crate::origin::{Findings, Origin, Setting};
use crate::origins::answer;
use crate::{Fault, Loaded, Progress, memory};

/// A search and what it is made with.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) loaded: &'a Loaded,
    /// The keys of the scenario that are set whatever is tried.
    pub(crate) sets: &'a [Set],
    pub(crate) search: &'a Search,
    pub(crate) origin: &'a dyn Origin,
    /// The number of the repeat, from 0, and its seed.
    pub(crate) repeat: u32,
    pub(crate) seed: u64,
}

/// The values between which the answer lies, and what is to be said of them.
struct Bracket {
    holds: Amount,
    /// None where both ends hold.
    fails: Option<Amount>,
}

impl Task<'_> {
    /// Bisects, and gives the record of the search: kind `search`, metrics `highest_…` and `lowest_failing_…`, or `lowest_…` and
    /// `highest_failing_…`. What the runs on the way measured is not kept: they answer one question.
    pub(crate) fn bisect(&self, progress: &mut dyn Progress) -> Result<Findings, Fault> {
        let search = self.search;
        let Bracket { holds, fails } = self.bracket(progress)?;
        let mut record = Record::new(self.origin.name(), &search.name, "search", "", "");
        record.repeat = self.repeat;
        let [name, failing] = search.metrics_found();
        record.set(&name, holds.value());
        match fails {
            Some(fails) => record.set(&failing, fails.value()),
            None => {
                let (end, side) = match search.find {
                    Find::Highest => ("high", "above"),
                    Find::Lowest => ("low", "below"),
                };
                record.unset(&failing, format!("even the {end} end holds"));
                record.notes.push(format!(
                    "even the {end} end, {holds}, holds: the answer is {side} it"
                ));
            }
        }
        record.notes.extend(self.beside_a_sweep());
        Ok(Findings {
            records: vec![record],
            ..Findings::default()
        })
    }

    /// That its answer is of none of the points, where the scenario has a sweep.
    fn beside_a_sweep(&self) -> Option<String> {
        let sweep = &self.loaded.scenario.sweep;
        let keys: Vec<&str> = sweep.iter().map(|(key, _)| key.as_str()).collect();
        (!keys.is_empty()).then(|| {
            format!(
                "searched once, with the scenario's own {}, and not at the points of the sweep: --set gives it another",
                keys.join(", ")
            )
        })
    }

    fn bracket(&self, progress: &mut dyn Progress) -> Result<Bracket, Fault> {
        let search = self.search;
        let (mut holds, mut fails) = match search.find {
            Find::Highest => (search.low, search.high),
            Find::Lowest => (search.high, search.low),
        };
        if !self.holds(holds, progress)? {
            return Err(Fault::NoneHolds {
                name: search.name.clone(),
                find: search.find,
                end: holds.to_string(),
                seed: (self.repeat > 0).then_some(self.seed),
            });
        }
        let resolution = search.resolution.get();
        let steps = steps(search.low.n, search.high.n, resolution);
        let mut told = 0;
        let mut step = 0;
        if self.holds(fails, progress)? {
            progress.advance(1000);
            return Ok(Bracket {
                holds: fails,
                fails: None,
            });
        }
        loop {
            let width = holds.n.abs_diff(fails.n);
            let upper = holds.n.max(fails.n);
            if width as f64 <= resolution * upper as f64 || width <= 1 {
                break;
            }
            let middle = Amount {
                n: holds.n.min(fails.n) + width / 2,
                ..holds
            };
            match self.holds(middle, progress)? {
                true => holds = middle,
                false => fails = middle,
            }
            step += 1;
            let done = (1000 * step / steps.max(1)).min(1000);
            progress.advance(done.saturating_sub(told));
            told = done;
        }
        progress.advance(1000 - told);
        let fails = Some(fails);
        Ok(Bracket { holds, fails })
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

    /// Whether every metric is within the bounds at a value. One that its record does not have is not.
    fn holds(&self, value: Amount, progress: &mut dyn Progress) -> Result<bool, Fault> {
        let search = self.search;
        let value = value.to_string();
        let mut scenario = self.scenario(&value)?;
        scenario.draw_starts(self.seed);
        let setting = Setting {
            scenario: &scenario,
            plan: &Plan::new(&scenario)?,
            point: &Point::from([(format!("search.{}", search.name), value)]),
            seed: self.seed,
            sequence: 0,
            taps: None,
        };
        let found = answer(self.origin, &setting, &mut Step(progress))?;
        Ok(search.metrics.iter().all(|metric| {
            let (test, name) = metric.split_once('.').unwrap_or((metric, ""));
            let record = found.records.iter().find(|r| r.test == test);
            let value = record.and_then(|r| r.value(name));
            value.is_some_and(|v| {
                search.at_least.is_none_or(|least| v >= least)
                    && search.at_most.is_none_or(|most| v <= most)
            })
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
