//! `farpath run`: every point of a scenario, one table, one document.

use std::collections::BTreeMap;

use farpath_experiment::simulate::{self, Point, Wanted};
use farpath_experiment::tap::Taps;
use farpath_experiment::{Fault, Loaded, Progress, keep_only, narrow, open};
use farpath_experiment::{algorithms, emulate, memory, page, search};
use farpath_record::Sequence;
use farpath_record::{Expectation, Repeats, Results, RunDocument};
use farpath_report::table;
use farpath_scenario::{Scenario, Set};
use farpath_units::Key;

use crate::args::RunArgs;
use crate::captures::Captures;
use crate::exit::{Exit, Failure, note, print};
use crate::output::Output;
use crate::progress::{self, Bar};

/// The `--set` arguments.
pub(crate) fn sets(texts: &[String]) -> Result<Vec<Set>, Failure> {
    let parse = |t: &String| t.parse::<Set>().map_err(|e| Failure::usage(e.to_string()));
    texts.iter().map(parse).collect()
}

pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let emulate = args.emulate && emulate::prepare(&mut Bar::new())?;
    progress::watch_interrupts()?;
    let (mut loaded, sets) = asked_for(args)?;
    let seed = args.seed.unwrap_or(loaded.scenario.seed);
    let mut wanted = wanted(args, emulate, loaded.scenario.intervals);
    // What cannot be written or held is found out before anything runs.
    let output = args.out.as_deref().map(Output::prepare).transpose()?;
    let junit = args
        .junit
        .as_deref()
        .map(crate::output::prepare_file)
        .transpose()?;
    let points = points(&loaded, &sets, args)?;
    // A sweep may go through several files.
    for (_, scenario) in &points {
        loaded.files.extend(scenario.files.clone());
    }
    if let Some(output) = &output {
        output.has_room_for(loaded.files.keys())?;
        wanted.sequence = simulate::sequence_bursts(points.iter().map(|(_, s)| s));
    }
    for (_, scenario) in &points {
        memory::check(scenario)?;
    }
    let (captures, mut taps) = match &output {
        Some(output) if wanted.simulate => Captures::prepare(output.folder(), &loaded.scenario)?,
        _ => Default::default(),
    };
    if output.is_none() && wanted.simulate && loaded.scenario.links.iter().any(|l| l.tap) {
        note("`tap = true` writes its capture into the folder of --out DIR, and there is none");
    }
    let found = all_points(&loaded, points, (&sets, args), wanted, seed, &mut taps);
    let (mut document, sequences) = found.map_err(|fault| captures.failure(fault))?;
    document.expectations = judge(&loaded.scenario, &document);
    let failed = document.expectations.iter().any(|e| !e.pass);
    if let Some(output) = output {
        let page = page::data(&loaded, &document, sequences, command(args, document.seed));
        output.write(&loaded, &document, &page)?;
        captures.finish(taps)?;
    }
    if let Some(file) = junit {
        let mut xml = Vec::new();
        let not_run = (args.emulate && !emulate).then_some(emulate::NOT_RUN);
        farpath_report::junit::write(&document, not_run, &mut xml)
            .map_err(|e| Failure::environment(format!("JUnit XML: {e}")))?;
        file.write(&xml)?;
    }
    if args.json {
        print(&document.to_json())?;
    } else {
        print(&table::render(&document, layout()))?;
        if let Some(out) = &args.out {
            print(&format!(
                "\nWritten to {}: open report.html there.\n",
                out.display()
            ))?;
        }
    }
    Ok(if document.records.iter().any(|r| !r.valid) {
        Exit::Certificate
    } else if failed {
        Exit::Finding
    } else {
        Exit::Ok
    })
}

/// The scenario as the command line has it, and every `--set` that makes it so.
fn asked_for(args: &RunArgs) -> Result<(Loaded, Vec<Set>), Failure> {
    let mut sets = sets(&args.sets)?;
    let mut loaded = open(&args.scenario, &sets)?;
    if let Some(cc) = &args.cc {
        sets.extend(algorithms::sets(&loaded.scenario, cc)?);
        loaded = open(&args.scenario, &sets)?;
    }
    keep_only(&mut loaded.scenario, &args.only)?;
    narrow(&mut loaded.scenario, &sets);
    loaded.scenario.intervals = args.intervals.unwrap_or(loaded.scenario.intervals);
    if !args.emulate {
        algorithms::need_no_kernel(&loaded.scenario)?;
    }
    Ok((loaded, sets))
}

/// What the flags ask for; none of them is predictions and simulation. `intervals` are the scenario's.
fn wanted(args: &RunArgs, emulate: bool, intervals: u32) -> Wanted {
    let neither = !args.predict && !args.simulate;
    let manner = emulate::Manner {
        busy: args.busy,
        tune_host: args.tune_host,
        intervals,
    };
    Wanted {
        predict: args.predict || neither,
        simulate: args.simulate || neither,
        emulate: emulate.then_some(manner),
        sequence: 0,
        event_by_event: args.event_by_event,
        intervals,
    }
}

type At = BTreeMap<String, String>;

/// The points of the sweep, each with its scenario; one empty point without a sweep.
fn points(loaded: &Loaded, sets: &[Set], args: &RunArgs) -> Result<Vec<(At, Scenario)>, Fault> {
    let mut points = vec![At::new()];
    for (key, values) in &loaded.scenario.sweep {
        let with = |at: &At, value: &String| {
            let mut at = at.clone();
            at.insert(key.clone(), value.clone());
            at
        };
        points = points
            .iter()
            .flat_map(|at| values.iter().map(|v| with(at, v)).collect::<Vec<_>>())
            .collect();
    }
    if loaded.scenario.sweep.is_empty() {
        return Ok(vec![(At::new(), loaded.scenario.clone())]);
    }
    let scenario = |at: At| {
        let mut all = sets.to_vec();
        all.extend(at.iter().map(|(k, v)| Set::new(k, v)));
        let mut scenario = open(&args.scenario, &all)?.scenario;
        keep_only(&mut scenario, &args.only)?;
        scenario.intervals = loaded.scenario.intervals;
        Ok((at, scenario))
    };
    points.into_iter().map(scenario).collect()
}

/// The command that repeats the run.
fn command(args: &RunArgs, seed: u64) -> String {
    let mut words = vec![
        "farpath run".to_owned(),
        args.scenario.clone(),
        format!("--seed {seed}"),
    ];
    if args.emulate {
        words.push("--emulate".to_owned());
    }
    words.extend(args.cc.iter().map(|cc| format!("--cc {cc}")));
    words.extend(args.sets.iter().map(|s| format!("--set '{s}'")));
    words.extend(args.only.iter().map(|t| format!("--only {t}")));
    if args.repeat > 1 {
        words.push(format!("--repeat {}", args.repeat));
    }
    words.join(" ")
}

fn all_points(
    loaded: &Loaded,
    points: Vec<(At, Scenario)>,
    (sets, args): (&[Set], &RunArgs),
    wanted: Wanted,
    seed: u64,
    taps: &mut Option<Taps>,
) -> Result<(RunDocument, Vec<Sequence>), Fault> {
    let lucky = wanted.simulate || wanted.emulate.is_some();
    let repeats = if lucky { args.repeat } else { 1 };
    let searches = if wanted.simulate {
        loaded.scenario.searches.len()
    } else {
        0
    };
    // A scenario of searches has nothing else to run.
    let points = if loaded.scenario.tests.is_empty() {
        Vec::new()
    } else {
        points
    };
    let parts = 1 + u64::from(wanted.emulate.is_some());
    let runs = points.len() as u64 * u64::from(repeats) * parts;
    let mut progress = Bar::new();
    progress.expect(runs + searches as u64);
    let mut document = RunDocument::new(&loaded.scenario.name, seed, loaded.sha256());
    let mut sequences = Vec::new();
    let seeds = seeds(seed, repeats);
    for (at, scenario) in &points {
        for repeat in 0..repeats {
            progress.say(&label(&loaded.scenario.name, at, repeat, repeats));
            let tapped = if repeat == 0 { taps.as_mut() } else { None };
            let seed = seeds[repeat as usize];
            let found = simulate::point(scenario, at, wanted, seed, tapped, &mut progress)?;
            add(&mut document, &mut sequences, found, repeat);
        }
    }
    if wanted.simulate {
        for search in &loaded.scenario.searches {
            progress.say(&format!("search {}", search.name));
            document.records.push(search::highest(
                loaded,
                search,
                sets,
                wanted,
                seed,
                &mut progress,
            )?);
        }
    }
    if repeats > 1 {
        document.repeats = Some(Repeats::of(seeds, &document.records));
    }
    progress.finish();
    Ok((document, sequences))
}

/// The seed of each repeat: the run's own first, then numbers drawn from it. They keep to 53 bits,
/// which every reader of JSON has.
fn seeds(seed: u64, repeats: u32) -> Vec<u64> {
    let luck = Key::new(seed).with("repeat").stream();
    let drawn = (1..u64::from(repeats)).map(|n| luck.bits(n) >> 11);
    std::iter::once(seed).chain(drawn).collect()
}

fn label(name: &str, at: &At, repeat: u32, repeats: u32) -> String {
    let values: Vec<&str> = at.values().map(String::as_str).collect();
    let mut text = if values.is_empty() {
        name.to_owned()
    } else {
        values.join(" ")
    };
    if repeats > 1 {
        text.push_str(&format!(" {}/{repeats}", repeat + 1));
    }
    text
}

/// Adds what one point gave. Predictions know no luck: one of them stands for all repeats.
fn add(document: &mut RunDocument, sequences: &mut Vec<Sequence>, mut found: Point, repeat: u32) {
    if repeat > 0 {
        found
            .records
            .retain(|r| r.origin != farpath_record::Origin::Predicted);
    } else {
        document.links.append(&mut found.links);
        sequences.append(&mut found.sequences);
    }
    found.records.iter_mut().for_each(|r| r.repeat = repeat);
    document.records.append(&mut found.records);
}

fn judge(scenario: &Scenario, document: &RunDocument) -> Vec<Expectation> {
    let expects: Vec<farpath_record::Expect> = scenario
        .expects
        .iter()
        .map(|e| farpath_record::Expect {
            metric: e.metric.clone(),
            over: e.over.clone(),
            minus: e.minus.clone(),
            min: e.min,
            max: e.max,
            origins: e.origins.clone(),
            point: e.point.clone(),
            stated: e.stated.clone(),
            source: e.source.clone(),
            note: e.note.clone(),
        })
        .collect();
    let results = Results {
        records: &document.records,
        links: &document.links,
    };
    farpath_record::judge(&expects, results, &document.origins())
}

/// As wide as the terminal, 80 columns where there is none.
pub(crate) fn layout() -> table::Layout {
    use std::io::IsTerminal;
    let width = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let terminal = std::io::stdout().is_terminal();
    let plain = std::env::var_os("NO_COLOR").is_some();
    table::Layout {
        width: width.unwrap_or(80).clamp(60, 160),
        colour: terminal && !plain,
    }
}
