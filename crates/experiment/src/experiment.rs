//! A run: every point of a scenario, every repeat and search, from every origin that is asked, and the judgement.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::thread::available_parallelism;

use farpath_observe::curve::compare_windows;
use farpath_record::{
    Done, EndedRun, Expect, Expectation, INTERRUPTED, Origin as Name, Point, Repeats, Results,
    RunDocument, RunOf, Sequence, Stopped, judge,
};
use farpath_scenario::plan::Plan;
use farpath_scenario::{Scenario, Set, SweepPoint, meet};
use farpath_units::{Duration, Key};

use crate::fault::Faults;
use crate::jobs::{self, Job, Room};
use crate::loaded::keep_only;
use crate::origin::{Findings, Origin, Setting};
use crate::origins::{answer, asked};
use crate::search::Task;
use crate::tap::Taps;
use crate::{
    Class, Fault, Loaded, Progress, Request, algorithms, losses, memory, probes, sequence, unvaried,
};

/// Single runs that had ended.
pub(crate) type Before = BTreeMap<RunOf, Findings>;

/// A single run that is wanted.
pub(crate) type Wanted<'a> = (RunOf, Job<'a, Findings>);

/// A run that can be made: its scenario is read, every point of it is planned and fits into memory.
pub struct Experiment {
    /// The scenario as it was asked for.
    pub loaded: Loaded,
    pub(crate) request: Request,
    /// Every key that is set, those of the congestion control included.
    sets: Vec<Set>,
    origins: Vec<Box<dyn Origin>>,
    points: Vec<At>,
    /// What had ended of the same run, stopped before.
    pub(crate) before: Before,
    /// Expectations of points that the settings leave out.
    pub unasked: usize,
    /// Expectations left out with the tests that were not asked for.
    pub left_out: usize,
    /// What of expectations and searches may be meant otherwise, a line each.
    pub doubts: Vec<String>,
}

/// One point of a sweep.
struct At {
    point: Point,
    scenario: Scenario,
    plan: Plan,
    /// Bytes a run of it may take.
    memory: u64,
}

/// What there is of a run that may have been stopped.
#[derive(Debug)]
pub struct Part {
    /// What has ended, each repeat of a point with all its origins; where a fault stopped it, the document says how much that
    /// is.
    pub outcome: Outcome,
    /// What stopped it; everything is there without.
    pub fault: Option<Fault>,
    /// The points of the sweep that have not all their repeats; searches that have not ended count as one without keys.
    pub missing: Vec<Point>,
    /// Where a fault stopped it, every single run that has ended, for one that goes on.
    pub ended: Vec<EndedRun>,
}

/// What came of the jobs of a run.
struct Ended {
    found: Findings,
    fault: Option<Fault>,
    /// How many repeats of each point have ended.
    repeats: Vec<usize>,
    /// Most repeats of a point or a search that have ended.
    most: usize,
    searches: Done,
    /// Where a fault stopped it, every single run that has ended.
    runs: Vec<EndedRun>,
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The records, links and judged expectations.
    pub document: RunDocument,
    /// Traces of connections, if they were asked for.
    pub sequences: Vec<Sequence>,
}

impl Experiment {
    /// Reads the scenario and finds out what can be found out before anything runs.
    pub fn new(request: Request) -> Result<Experiment, Fault> {
        let mut sets = request.sets.clone();
        let mut loaded = request.open(&sets)?;
        if let Some(cc) = &request.cc {
            sets.extend(algorithms::sets(&loaded.scenario, cc)?);
        }
        sets.extend(request.beside(&loaded.scenario));
        if sets.len() > request.sets.len() {
            loaded = request.open(&sets)?;
        }
        let mut doubts = loaded.document.doubts().lines();
        for file in &request.expects {
            doubts.extend(loaded.expect(file)?);
        }
        if loaded.scenario.tests.is_empty() && loaded.scenario.searches.is_empty() {
            let scenario = loaded.scenario.name.clone();
            return Err(Fault::NoTest { scenario });
        }
        let left_out = keep_only(&mut loaded.scenario, &request.only)?;
        let unasked = loaded.document.left_out();
        let mut origins = asked(&request);
        if !origins.iter().any(|o| o.kernels()) {
            algorithms::need_no_kernel(&loaded.scenario)?;
        }
        origins.retain(|o| !request.not_run.contains(&o.name()));
        let mut experiment = Experiment {
            loaded,
            request,
            sets,
            origins,
            points: Vec::new(),
            before: Before::new(),
            unasked,
            left_out,
            doubts,
        };
        experiment.points = experiment.points()?;
        for at in &experiment.points {
            // A sweep may go through several files.
            experiment.loaded.files.extend(at.scenario.files.clone());
            memory::check(at.memory)?;
        }
        Ok(experiment)
    }

    /// The seed of the first repeat.
    pub fn seed(&self) -> u64 {
        self.loaded.scenario.seed
    }

    /// What each point of the sweep runs; none of a scenario that has only searches.
    pub fn planned(&self) -> impl Iterator<Item = (&Scenario, &Plan)> {
        self.points.iter().map(|at| (&at.scenario, &at.plan))
    }

    /// The same, each with where on the sweep it stands.
    pub(crate) fn swept(&self) -> impl Iterator<Item = (&Point, &Scenario, &Plan)> {
        self.points
            .iter()
            .map(|at| (&at.point, &at.scenario, &at.plan))
    }

    /// Whether an origin is asked that can be had.
    pub fn has(&self, name: Name) -> bool {
        self.origins.iter().any(|o| o.name() == name)
    }

    /// Runs it all. `taps` are given what the tapped links of the first repeat carry.
    pub fn run(&self, taps: Option<&Taps>, progress: &mut dyn Progress) -> Result<Outcome, Fault> {
        let Part { outcome, fault, .. } = self.run_part(taps, progress);
        fault.map_or(Ok(outcome), Err)
    }

    /// The same, with what had ended when a fault or the user stopped it.
    pub fn run_part(&self, taps: Option<&Taps>, progress: &mut dyn Progress) -> Part {
        let lucky = self.origins.iter().any(|o| o.lucky());
        let repeats = if lucky {
            self.request.repeats.max(1)
        } else {
            1
        };
        let seeds = seeds(self.seed(), repeats);
        let Ended {
            found,
            fault,
            repeats: there,
            most,
            searches,
            runs,
        } = self.all(&seeds, taps, progress);
        let loaded = &self.loaded;
        let mut document = RunDocument::new(&loaded.scenario.name, seeds[0], loaded.sha256());
        document.sweep = loaded.scenario.sweep_keys();
        document.records = found.records;
        document.links = found.links;
        if document.links.is_empty() && !document.sweep.is_empty() {
            let names = loaded.scenario.links.iter().map(|l| l.name.clone());
            document.link_names = names.collect();
        }
        // Of a run that was stopped, no point may have come to the last seeds.
        let seeds = &seeds[..most];
        let tests = |at: &At| (at.point.clone(), at.scenario.tests.clone());
        let tests = self.points.iter().map(tests).collect();
        losses::say(&mut document.records, &document.links, &tests);
        probes::say(&mut document, self.swept());
        if most > 1 {
            unvaried::say(&mut document.records, most as u32, &tests);
            let results = Results {
                records: &document.records,
                links: &document.links,
            };
            let expects = &loaded.scenario.expects;
            document.repeats = Some(Repeats::of(seeds.to_vec(), results, expects));
        }
        let repeats = repeats as usize;
        let not_whole = self
            .points
            .iter()
            .zip(&there)
            .filter(|(_, n)| **n < repeats);
        let mut missing: Vec<Point> = not_whole.map(|(at, _)| at.point.clone()).collect();
        let stopped = |fault| stopped(fault, (&there, repeats), searches);
        document.stopped = fault.as_ref().map(stopped);
        if searches.there < searches.of && !missing.contains(&Point::new()) {
            missing.push(Point::new());
        }
        self.judge(&mut document, &missing);
        Part {
            outcome: Outcome {
                document,
                sequences: found.sequences,
            },
            fault,
            missing,
            ended: runs,
        }
    }

    /// Judges the scenario's expectations on all that a document has, but for those at points that are `missing`.
    pub fn judge(&self, document: &mut RunDocument, missing: &[Point]) {
        let results = Results {
            records: &document.records,
            links: &document.links,
        };
        let expects = &self.loaded.scenario.expects;
        document.expectations = judge(expects, results, &document.origins());
        if !missing.is_empty() {
            let there = |p: &Point| document.records.iter().any(|r| r.point == *p);
            let judged = |e: &Expectation| !missing.contains(&e.point) && there(&e.point);
            document.expectations.retain(judged);
        }
        document
            .expectations
            .retain_mut(|e| !self.compares_neighbours(e) || self.lacks(e));
        if self.request.marks_only {
            document.expectations.retain(|e| e.file.is_some());
        }
    }

    /// Whether an expectation compares forecasts of tests that share a link, each made as if it were alone there.
    fn compares_neighbours(&self, e: &Expectation) -> bool {
        let Some(at) = self.points.iter().find(|at| at.point == e.point) else {
            return false;
        };
        let metrics = e.metric.split(' ').step_by(2);
        let tests: Vec<&str> = metrics.filter_map(|m| m.split('.').next()).collect();
        let meet = |other: &&str| meet(&at.scenario, &at.plan, [tests[0], other]);
        e.origin == Name::Predicted && tests.iter().skip(1).any(meet)
    }

    /// Takes the value of such an expectation away; false where forecasts were not asked for by name.
    fn lacks(&self, e: &mut Expectation) -> bool {
        e.actual = None;
        e.pass = false;
        e.absent = Some("forecasts take each test as if alone, and these share a link".to_owned());
        let metric = e.metric.split(' ').next().unwrap_or_default();
        let of = |asked: &&Expect| asked.metric == metric && asked.stated == e.stated;
        let asked = self.loaded.scenario.expects.iter().filter(of);
        asked
            .flat_map(|asked| &asked.origins)
            .any(|origin| *origin == Name::Predicted)
    }

    /// The points of the sweep; one empty point without a sweep, none of a scenario that has only searches.
    fn points(&self) -> Result<Vec<At>, Fault> {
        let loaded = &self.loaded;
        if loaded.scenario.tests.is_empty() {
            return Ok(Vec::new());
        }
        let at = |point: SweepPoint| {
            let mut all = self.sets.clone();
            all.extend(point.sets.iter().cloned());
            let mut scenario = match point.sets.is_empty() {
                true => loaded.scenario.clone(),
                false => self.request.open(&all)?.scenario,
            };
            keep_only(&mut scenario, &self.request.only)?;
            At::new(point.at, scenario)
        };
        let (mut points, mut faults) = (Vec::new(), Faults::default());
        for point in loaded.scenario.points() {
            points.extend(faults.of(at(point)));
            if faults.enough() {
                break;
            }
        }
        faults.none().map(|()| points)
    }

    /// What every point, repeat and search gives, in this order whatever ran beside what.
    fn all(&self, seeds: &[u64], taps: Option<&Taps>, progress: &mut dyn Progress) -> Ended {
        let (mut beside, alone) = self.runs(seeds, taps);
        let searches = self.searches(seeds);
        // Closed forms take no time.
        let lucky = self.origins.iter().filter(|o| o.lucky()).count();
        let parts = self.points.len() * lucky * seeds.len() + searches.len();
        progress.expect(parts as u64);
        beside.extend(searches);
        let room = self.room();
        let mut fault = None;
        let mut ended = |wanted: Vec<Wanted<'_>>, room: Room| {
            // Nothing is begun behind a fault.
            let begun = if fault.is_some() { Vec::new() } else { wanted };
            let (of, jobs): (Vec<RunOf>, Vec<Job<'_, Findings>>) = begun.into_iter().unzip();
            let each = jobs::each(jobs, room, progress).into_iter();
            let kept = |one: Option<Result<Findings, Fault>>| match one? {
                Ok(found) => Some(found),
                Err(first) => {
                    fault.get_or_insert(first);
                    None
                }
            };
            let each = of.into_iter().zip(each.map(kept));
            each.map(|one| self.or_before(one)).collect::<Vec<_>>()
        };
        let beside = ended(beside, room);
        let alone = ended(alone, Room { jobs: 1, ..room });
        let runs = match &fault {
            Some(_) => self.ended(beside.iter().chain(&alone)),
            None => Vec::new(),
        };
        let (mut beside, mut alone) = (findings(beside), findings(alone));
        let (mut all, mut repeats) = (Findings::default(), Vec::new());
        for _ in &self.points {
            let found = self.origins.iter().map(|origin| {
                let real_time = origin.real_time();
                let from = if real_time { &mut alone } else { &mut beside };
                let runs = repeats_of(origin.as_ref(), seeds).len();
                let each: Vec<Option<Findings>> = from.take(runs).collect();
                each.into_iter().map_while(|one| one).collect()
            });
            // Every origin takes its own, also where one before has nothing.
            let mut found: Vec<Vec<Findings>> = found.collect();
            let there = self.origins.iter().zip(&found);
            let there = there.map(|(origin, runs)| match origin.lucky() {
                true => runs.len(),
                false => runs.len() * seeds.len(),
            });
            let there = there.min().unwrap_or(seeds.len());
            (0..there).for_each(|n| all.append(self.repeat(&mut found, n)));
            repeats.push(there);
        }
        let mut most = repeats.iter().copied().max().unwrap_or_default();
        let mut whole = 0;
        for mut each in chunks(beside, seeds.len()) {
            let there = each.iter().take_while(|one| one.is_some()).count();
            most = most.max(there);
            whole += usize::from(there == seeds.len());
            let ended = each.drain(..there).flatten();
            ended.for_each(|found| all.append(found));
        }
        Ended {
            found: all,
            fault,
            repeats,
            most,
            searches: done(whole, self.loaded.scenario.searches.len()),
            runs,
        }
    }

    /// The runs of every origin at every point: those that go on side by side, and those that run alone.
    fn runs<'a>(
        &'a self,
        seeds: &[u64],
        taps: Option<&'a Taps>,
    ) -> (Vec<Wanted<'a>>, Vec<Wanted<'a>>) {
        let sequence = match self.request.sequences {
            true => sequence::bursts_each(self.points.iter().map(|at| &at.scenario)),
            false => 0,
        };
        let (mut beside, mut alone) = (Vec::new(), Vec::new());
        for at in &self.points {
            for origin in &self.origins {
                for repeat in repeats_of(origin.as_ref(), seeds) {
                    let first = repeat == 0;
                    let seed = seeds[repeat];
                    let sequence = if first { sequence } else { 0 };
                    let taps = taps.filter(|_| first);
                    let job = Job {
                        label: label(&self.loaded.scenario, &at.point, repeat, seeds.len()),
                        memory: at.memory,
                        work: Box::new(move |progress: &mut dyn Progress| {
                            let drawn = at.drawn(seed);
                            let setting = Setting {
                                scenario: drawn.as_ref(),
                                plan: &at.plan,
                                point: &at.point,
                                seed,
                                sequence,
                                taps,
                            };
                            answer(origin.as_ref(), &setting, progress)
                        }),
                    };
                    let wanted = self.wanted(run_of(origin.name(), &at.point, repeat), job);
                    let real_time = origin.real_time();
                    if real_time { &mut alone } else { &mut beside }.push(wanted);
                }
            }
        }
        (beside, alone)
    }

    /// One repeat of a point, from what each origin gave there. Traces are those of the first.
    fn repeat(&self, found: &mut [Vec<Findings>], repeat: usize) -> Findings {
        let mut all = Findings::default();
        for (origin, runs) in self.origins.iter().zip(found) {
            all.append(match origin.lucky() {
                true => std::mem::take(&mut runs[repeat]),
                false => runs[0].clone(),
            });
        }
        compare_windows(&mut all.records);
        if repeat > 0 {
            // An origin without randomness has one result for all repeats: windows are compared with it, and it is
            // listed once.
            let lucky = |name| self.origins.iter().any(|o| o.name() == name && o.lucky());
            all.records.retain(|r| lucky(r.origin));
            all.links.retain(|l| lucky(l.origin));
            all.sequences.clear();
        }
        let number = repeat as u32;
        all.records.iter_mut().for_each(|r| r.repeat = number);
        all.links.iter_mut().for_each(|l| l.repeat = number);
        all
    }

    /// The searches, which are answered by the simulation: every repeat of each.
    fn searches(&self, seeds: &[u64]) -> Vec<Wanted<'_>> {
        let Some(origin) = self.origins.iter().find(|o| o.name() == Name::Simulated) else {
            return Vec::new();
        };
        let job = |search, repeat: usize| {
            let task = Task {
                loaded: &self.loaded,
                sets: &self.sets,
                search,
                origin: origin.as_ref(),
                repeat: repeat as u32,
                seed: seeds[repeat],
            };
            let of = RunOf {
                search: Some(task.search.name.clone()),
                ..run_of(Name::Simulated, &Point::new(), repeat)
            };
            let name = format!("search {}", task.search.name);
            let job = Job {
                label: numbered(name, repeat, seeds.len()),
                memory: task.memory(),
                work: Box::new(move |progress: &mut dyn Progress| task.bisect(progress)),
            };
            self.wanted(of, job)
        };
        let all = self.loaded.scenario.searches.iter();
        all.flat_map(|search| (0..seeds.len()).map(move |n| job(search, n)))
            .collect()
    }

    /// How much may go on at once.
    fn room(&self) -> Room {
        let processors = || available_parallelism().map_or(1, |n| n.get());
        Room {
            jobs: self.request.jobs.map_or_else(processors, |n| n.get()),
            memory: memory::room(),
        }
    }
}

impl At {
    fn new(point: Point, scenario: Scenario) -> Result<At, Fault> {
        let plan = Plan::new(&scenario)?;
        Ok(At {
            memory: memory::needed(&scenario, &plan),
            point,
            scenario,
            plan,
        })
    }

    /// The scenario with the starts that a seed draws.
    fn drawn(&self, seed: u64) -> Cow<'_, Scenario> {
        let spread = |t: &farpath_scenario::Test| t.start_spread > Duration::ZERO;
        if !self.scenario.tests.iter().any(spread) {
            return Cow::Borrowed(&self.scenario);
        }
        let mut scenario = self.scenario.clone();
        scenario.draw_starts(seed);
        Cow::Owned(scenario)
    }
}

/// What a fault left: how many of the `repeats` of each point, and the searches.
fn stopped(fault: &Fault, (there, repeats): (&[usize], usize), searches: Done) -> Stopped {
    let whole = there.iter().filter(|n| **n == repeats).count();
    Stopped {
        why: match fault.class() {
            Class::Interrupted => INTERRUPTED.to_owned(),
            _ => fault.to_string(),
        },
        points: done(whole, there.len()),
        runs: done(there.iter().sum(), there.len() * repeats),
        searches,
    }
}

/// The single run of a point and repeat that an origin answers.
fn run_of(origin: Name, point: &Point, repeat: usize) -> RunOf {
    RunOf {
        origin,
        search: None,
        point: point.clone(),
        repeat: repeat as u32,
    }
}

/// What came of each, one after the other.
fn findings(each: Vec<(RunOf, Option<Findings>)>) -> std::vec::IntoIter<Option<Findings>> {
    let found = each.into_iter().map(|(_, found)| found);
    found.collect::<Vec<_>>().into_iter()
}

/// So many of so many.
fn done(there: usize, of: usize) -> Done {
    Done {
        there: there as u64,
        of: of as u64,
    }
}

/// The repeats that an origin runs: one without luck stands for all.
fn repeats_of(origin: &dyn Origin, seeds: &[u64]) -> std::ops::Range<usize> {
    0..if origin.lucky() { seeds.len() } else { 1 }
}

/// The seed of each repeat: the run's own first, then numbers drawn from it. They keep to 53 bits,
/// which every reader of JSON has.
fn seeds(seed: u64, repeats: u32) -> Vec<u64> {
    let luck = Key::new(seed).with("repeat").stream();
    let drawn = (1..u64::from(repeats)).map(|n| luck.bits(n) >> 11);
    std::iter::once(seed).chain(drawn).collect()
}

/// What a run is called while it goes on: its point's values in the order of the sweep, or the scenario's name.
fn label(scenario: &Scenario, at: &Point, repeat: usize, repeats: usize) -> String {
    let values = scenario.sweep.iter().filter_map(|(key, _)| at.get(key));
    let values: Vec<&str> = values.map(String::as_str).collect();
    let text = if values.is_empty() {
        scenario.name.clone()
    } else {
        values.join(" ")
    };
    numbered(text, repeat, repeats)
}

/// A name with the number of its repeat, `5 ms 2/3`, where there are several.
fn numbered(name: String, repeat: usize, repeats: usize) -> String {
    match repeats {
        0 | 1 => name,
        _ => format!("{name} {}/{repeats}", repeat + 1),
    }
}

/// So many at a time.
fn chunks<T>(mut all: impl Iterator<Item = T>, many: usize) -> impl Iterator<Item = Vec<T>> {
    std::iter::from_fn(move || Some(all.by_ref().take(many).collect::<Vec<T>>()))
        .take_while(|chunk| !chunk.is_empty())
}
