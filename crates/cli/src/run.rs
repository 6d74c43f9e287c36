//! `farpath run`: every point of a scenario, one table, one document.

mod stopped;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::ValueEnum;
use farpath_experiment::tap::Taps;
use farpath_experiment::{Experiment, Loaded, Part, Request, lab};
use farpath_record::{Expect, Origin, RunDocument, Stopped, unmeasured};
use farpath_report::junit::{self, Case, not_run, without_emulation};
use farpath_report::table;
use farpath_scenario::Set;

use crate::args::{RunArgs, Series};
use crate::captured::{self, Captured};
use crate::captures::Captures;
use crate::exit::{Exit, Failure, layout, note, print};
use crate::output::{Output, Pending, links_csv, prepare_report};
use crate::progress::{self, Bar};

/// The `--set` arguments.
pub(crate) fn sets(texts: &[String]) -> Result<Vec<Set>, Failure> {
    let parse = |t: &String| t.parse::<Set>().map_err(|e| Failure::usage(e.to_string()));
    texts.iter().map(parse).collect()
}

pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    // What cannot be written is found out before anything runs. A report may go into the folder.
    let output = args.out.as_deref().map(Output::prepare).transpose();
    let mut junit = args.junit.as_deref().map(prepare_report).transpose()?;
    let ended = output.and_then(|output| run_with(args, output, &mut junit));
    // Who marks by reports finds one of every run.
    if let (Err(failure), Some(file)) = (&ended, junit) {
        let cases = [not_run(&failure.to_string()).into()];
        let mut xml = Vec::new();
        written(junit::write_cases(unread(args), &cases, &mut xml))?;
        file.write(&xml)?;
    }
    ended
}

/// The run; `report` is taken where there is something to be reported of it.
fn run_with(
    args: &RunArgs,
    output: Option<Output>,
    report: &mut Option<Pending>,
) -> Result<Exit, Failure> {
    let mut bar = Bar::new();
    let no_lab = match args.emulate {
        true => lab::prepare(&mut bar)?,
        false => None,
    };
    let lab = args.emulate && no_lab.is_none();
    progress::watch_interrupts()?;
    let captured = captured::read(&args.captured)?;
    let mut experiment = Experiment::new(request(args, lab)?)?;
    if let Some(output) = output.as_ref().filter(|_| args.resume) {
        stopped::resume(&mut experiment, output, commit())?;
    }
    let loaded = &experiment.loaded;
    say_of_expectations(args, &experiment);
    if let Some(output) = &output {
        output.has_room_for(loaded.files.keys())?;
    }
    let (captures, taps) = captures_of(output.as_ref(), &experiment)?;
    let mut part = experiment.run_part(taps.as_ref(), &mut bar);
    bar.finish();
    part.outcome.document.commit = commit();
    part.outcome.document.notes = loaded.without_effect();
    let failure = part.fault.take().map(|fault| captures.failure(fault));
    let older = output.as_ref().is_some_and(Output::has_older);
    let mut ended = Ended {
        not_judged: not_judged(args, failure.as_ref(), &part, &experiment),
        is_usage: failure.as_ref().is_some_and(Failure::is_usage),
        part,
        output,
        captures: (captures, taps),
        others: Vec::from_iter(no_lab.map(|why| without_emulation(&why))),
    };
    let said = |failure| stopped::said(failure, &ended.part, args.out.as_deref());
    let Some(failure) = failure.map(said) else {
        return ended.written(args, &experiment, captured, report);
    };
    let is_something = |s: &Stopped| s.is_something();
    if ended.stopped().is_some_and(is_something) {
        // The run's own end comes first.
        return match ended.written(args, &experiment, captured, report) {
            Err(other) => Err(failure.also(other)),
            Ok(_) => Err(failure),
        };
    }
    ended.report(args, report)?;
    let of_older = |out: &PathBuf| format!("{} has the results of an earlier run", out.display());
    Err(match args.out.as_ref().filter(|_| older).map(of_older) {
        Some(line) => failure.line(&line),
        None => failure,
    })
}

/// A run that has ended, whole or not.
struct Ended {
    part: Part,
    /// Their drafts go before the folder that they are in.
    captures: (Captures, Option<Taps>),
    output: Option<Output>,
    /// Cases of the JUnit report that are of no expectation.
    others: Vec<Case>,
    /// Those of a run that was stopped.
    not_judged: Vec<Case>,
    /// What stopped it is wrong text.
    is_usage: bool,
}

impl Ended {
    fn stopped(&self) -> Option<&Stopped> {
        self.part.outcome.document.stopped.as_ref()
    }

    /// Writes the report, unless the text was wrong.
    fn report(&mut self, args: &RunArgs, report: &mut Option<Pending>) -> Result<(), Failure> {
        let Some(file) = report.take_if(|_| !self.is_usage) else {
            return Ok(());
        };
        self.others.append(&mut self.not_judged);
        write_junit(args, &self.part.outcome.document, &self.others, file)
    }

    /// Writes and shows what there is, and says how it was judged.
    fn written(
        mut self,
        args: &RunArgs,
        experiment: &Experiment,
        captured: Vec<Captured>,
        report: &mut Option<Pending>,
    ) -> Result<Exit, Failure> {
        let loaded = &experiment.loaded;
        let document = &mut self.part.outcome.document;
        if !captured.is_empty() {
            captured::add(captured, document, &loaded.scenario)?;
            experiment.judge(document, &self.part.missing);
        }
        // Before series are taken out: means and queues of links are worked out from them.
        let links = self.output.as_ref().map(|_| links_csv(document));
        let links = links.transpose()?;
        keep_series(document, args.series);
        let mut size = 0;
        if let Some((output, links)) = self.output.take().zip(links) {
            let sequences = std::mem::take(&mut self.part.outcome.sequences);
            let mut page = experiment.page(document, sequences, command(args, document.seed));
            let stopped = document.stopped.as_ref();
            let (captures, taps) = std::mem::take(&mut self.captures);
            // They are of the first repeat, which is missing where searches alone have ended.
            if stopped.is_none_or(|s| s.runs.there > 0) {
                page.captures = captures.finish(taps)?;
            }
            page.notes.extend(stopped.map(Stopped::sentence));
            page.notes.extend(document.notes.clone());
            page.notes
                .extend(kept(args.series, document.repeats.is_some()));
            size = output.write(loaded, document, &page, links)?;
            let ended = std::mem::take(&mut self.part.ended);
            let unfinished = || experiment.unfinished(commit(), ended);
            output.keep(document.stopped.is_some().then(unfinished).as_ref())?;
        }
        if self.stopped().is_none() && !args.marks_only {
            let skipped = skipped(&self.part.outcome.document, &loaded.scenario.expects);
            say_skipped(args, &skipped);
            self.others.extend(skipped);
        }
        self.report(args, report)?;
        let document = &self.part.outcome.document;
        show(args, document, size)?;
        Ok(judged(document))
    }
}

/// Of a run that was stopped: the run itself as a case, and those of what was not judged.
fn not_judged(
    args: &RunArgs,
    failure: Option<&Failure>,
    part: &Part,
    experiment: &Experiment,
) -> Vec<Case> {
    let mut expects = experiment.loaded.scenario.expects.clone();
    expects.retain(|e| !args.marks_only || e.file.is_some());
    let cases = |failure: &Failure| stopped::cases(failure, part, &expects);
    failure.map(cases).unwrap_or_default()
}

/// How a run ends.
fn judged(document: &RunDocument) -> Exit {
    if farpath_report::fails(document) {
        Exit::Finding
    } else if document.records.iter().any(|r| !r.valid) {
        Exit::Certificate
    } else if document.expectations.iter().any(|e| !e.pass) {
        Exit::Finding
    } else {
        Exit::Ok
    }
}

/// The captures of what carries packets, in the folder of the results.
fn captures_of(
    output: Option<&Output>,
    experiment: &Experiment,
) -> Result<(Captures, Option<Taps>), Failure> {
    let carries = experiment.has(Origin::Simulated) || experiment.has(Origin::Emulated);
    match output {
        Some(output) if carries => return Captures::prepare(output.folder(), experiment),
        None if carries => say_untapped(&experiment.loaded),
        _ => {}
    }
    Ok(Default::default())
}

/// What is not judged, and what may be meant otherwise.
fn say_of_expectations(args: &RunArgs, experiment: &Experiment) {
    if experiment.unasked > 0 {
        note(&format!(
            "expectations not judged, since --set leaves out their points of the sweep: {}",
            experiment.unasked
        ));
    }
    // Who asks for a judgement takes what is not judged for what holds.
    if experiment.left_out > 0 && (args.junit.is_some() || !args.expects.is_empty()) {
        note(&format!(
            "expectations not judged, since --only leaves out their tests: {}",
            experiment.left_out
        ));
    }
    experiment.doubts.iter().for_each(|doubt| note(doubt));
}

/// The cases of the scenario's own expectations of origins that did not run: a file's fail.
fn skipped(document: &RunDocument, expects: &[Expect]) -> Vec<Case> {
    let ran = document.origins();
    let is_skipped = |e: &&Expect| {
        let runs = e.origins.is_empty() || e.origins.iter().any(|o| ran.contains(o));
        e.file.is_none() && !runs
    };
    let case = |e: &Expect| Case {
        name: e.written(),
        outcome: junit::Outcome::Skip(unmeasured(&e.origins)),
    };
    expects.iter().filter(is_skipped).map(case).collect()
}

/// Says how many those are and why the first is among them, where a judgement was asked for.
fn say_skipped(args: &RunArgs, skipped: &[Case]) {
    let asked = args.junit.is_some() || !args.expects.is_empty();
    let Some(first) = skipped.first().filter(|_| asked) else {
        return;
    };
    if let junit::Outcome::Skip(why) = &first.outcome {
        note(&format!(
            "expectations of the scenario not judged: {}; {}, {why}",
            skipped.len(),
            first.name
        ));
    }
}

/// Says that nothing was judged, where that was asked for: the run passes all the same.
fn say_unjudged(args: &RunArgs, document: &RunDocument) {
    let asked = args.junit.is_some() || !args.expects.is_empty();
    if asked && document.expectations.is_empty() && document.stopped.is_none() {
        note("0 expectations judged: no [[expect]] is on what was run");
    }
}

fn write_junit(
    args: &RunArgs,
    document: &RunDocument,
    others: &[Case],
    file: Pending,
) -> Result<(), Failure> {
    let mut xml = Vec::new();
    written(junit::write(document, others, &mut xml))?;
    file.say_replaced(&xml, 1, unread(args));
    file.write(&xml)
}

/// What the report of a scenario is called that cannot be read.
fn unread(args: &RunArgs) -> &str {
    args.scenario.rsplit('/').next().unwrap_or_default()
}

fn written<E: std::fmt::Display>(xml: Result<(), E>) -> Result<(), Failure> {
    xml.map_err(|e| Failure::environment(format!("JUnit XML: {e}")))
}

/// The commit farpath was built from, with its date, where that is known.
fn commit() -> Option<String> {
    let commit = env!("FARPATH_COMMIT");
    (!commit.is_empty()).then(|| commit.to_owned())
}

/// What the arguments ask for; `lab` says whether this machine can run a lab. Without a named origin, predictions
/// and simulation.
fn request(args: &RunArgs, lab: bool) -> Result<Request, Failure> {
    let neither = !args.predict && !args.simulate;
    let origins = [
        (Origin::Predicted, args.predict || neither),
        (Origin::Simulated, args.simulate || neither),
        (Origin::Emulated, args.emulate),
    ];
    let asked = origins.into_iter().filter(|(_, asked)| *asked);
    let not_run = [Origin::Emulated].into_iter().filter(|_| !lab);
    Ok(Request {
        sets: sets(&args.sets)?,
        expects: args.expects.clone(),
        marks_only: args.marks_only,
        only: args.only.clone(),
        cc: args.cc.clone(),
        origins: asked.map(|(origin, _)| origin).collect(),
        not_run: not_run.collect::<BTreeSet<_>>(),
        seed: args.seed,
        repeats: args.repeat,
        intervals: args.intervals,
        event_by_event: args.event_by_event,
        busy: args.busy,
        tune_host: args.tune_host,
        sequences: args.out.is_some(),
        jobs: args.jobs,
        ..Request::new(&args.scenario)
    })
}

/// Takes out the series of repeats that shall have none.
fn keep_series(document: &mut RunDocument, series: Series) {
    let kept = |repeat: u32| match series {
        Series::All => true,
        Series::First => repeat == 0,
        Series::None => false,
    };
    for record in document.records.iter_mut().filter(|r| !kept(r.repeat)) {
        record.series.clear();
    }
    for link in document.links.iter_mut().filter(|l| !kept(l.repeat)) {
        link.t_ns.clear();
        link.rate_bps.clear();
        link.queue_bytes.clear();
    }
}

/// A capture that is asked for and goes nowhere is worth a word.
fn say_untapped(loaded: &Loaded) {
    if loaded.scenario.links.iter().any(|l| l.tap) {
        note("`tap = true` writes its capture into the folder of --out DIR, and there is none");
    }
}

/// What a page says of series that were taken out of it.
fn kept(series: Series, repeats: bool) -> Option<String> {
    match series {
        Series::First if repeats => Some(
            "Time series are those of the first repeat alone (--series first); tables and distributions have all repeats. Mean rates of links and percentiles of their queues are of the first repeat here, and of all in links.csv."
                .to_owned(),
        ),
        Series::None => {
            Some("No time series were kept (--series none): nothing is drawn over time. Mean rates of links and percentiles of their queues are in links.csv alone.".to_owned())
        }
        Series::All | Series::First => None,
    }
}

/// `size` is how many bytes of series were written.
fn show(args: &RunArgs, document: &RunDocument, size: usize) -> Result<(), Failure> {
    say_unjudged(args, document);
    if args.json {
        return print(&document.to_json());
    }
    print(&table::render(document, layout(args.markdown)))?;
    let Some(out) = &args.out else { return Ok(()) };
    print(&format!(
        "\nWritten to {}: open report.html there.\n",
        out.display()
    ))?;
    if size < LARGE || args.series == Series::None {
        return Ok(());
    }
    print(&format!(
        "series.csv has {} MB: `--series first` keeps those of the first repeat, `--series none` none.\n",
        size / 1_000_000
    ))
}

/// Bytes of series that are worth a word.
const LARGE: usize = 50_000_000;

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
    words.extend(args.expects.iter().map(|f| format!("--expect '{f}'")));
    words.extend(args.marks_only.then(|| "--marks-only".to_owned()));
    words.extend(args.only.iter().map(|t| format!("--only {t}")));
    if args.repeat > 1 {
        words.push(format!("--repeat {}", args.repeat));
    }
    words.extend(args.captured.iter().map(|c| format!("--captured '{c}'")));
    if args.series != Series::All {
        let value = args.series.to_possible_value().expect("none is hidden");
        words.push(format!("--series {}", value.get_name()));
    }
    words.extend(args.intervals.map(|n| format!("--intervals {n}")));
    words.join(" ")
}
