//! `--scenario` and `--verify`: a flow's evidence as a scenario, written and run.

use std::collections::BTreeSet;

use farpath_diagnose::{NoTwin, Run, Twin, Verify};
use farpath_experiment::{Experiment, Request, lab};
use farpath_record::Origin;
use farpath_scenario::{Set, Source};

use crate::args::DiagnoseArgs;
use crate::exit::Failure;
use crate::progress::{self, Bar};

/// The test of a twin.
const TEST: &str = "flow";

/// Longest measurement between real kernels, seconds: they take their time.
const REAL_TIME_MAX: f64 = 20.0;

/// Where a twin was asked for and cannot be made.
pub(super) fn none(why: NoTwin, flow: usize) -> Failure {
    let failure = Failure::usage(format!("no scenario of flow {flow}: {why}"));
    match why {
        NoTwin::NoRoundTrip => failure.hint("give --rtt, or what ping printed"),
        NoTwin::NoFlow { count } => failure.hint(format!("--flow takes 1 to {count}")),
    }
}

/// Gets a lab ready if one is asked for, and lets Ctrl-C end a run; to be called before anything is read. Returns why there is no lab,
/// where `FARPATH_LAB=auto` allows that.
pub(super) fn prepare(args: &DiagnoseArgs) -> Result<Option<String>, Failure> {
    let no_lab = match args.emulate {
        true => lab::prepare(&mut Bar::new())?,
        false => None,
    };
    if args.verify {
        progress::watch_interrupts()?;
    }
    Ok(no_lab)
}

/// Runs the twin before and after the change, simulated and, if wanted, between real kernels, unless there is `no_lab`.
pub(super) fn verify(
    twin: &Twin,
    emulate: bool,
    no_lab: Option<String>,
) -> Result<Verify, Failure> {
    let mut bar = Bar::new();
    let mut verify = both(twin, Origin::Simulated, twin.repeats, &mut bar)?;
    if emulate && no_lab.is_none() {
        verify.emulated = Some(Box::new(both(twin, Origin::Emulated, 1, &mut bar)?));
    }
    verify.notes.extend(no_lab);
    bar.finish();
    Ok(verify)
}

fn both(twin: &Twin, origin: Origin, repeats: u32, bar: &mut Bar) -> Result<Verify, Failure> {
    let mut notes = Vec::new();
    let before = runs(&twin.scenario, origin, repeats, bar, &mut notes)?;
    let after = match &twin.after {
        Some(text) => runs(text, origin, repeats, bar, &mut notes)?,
        None => Vec::new(),
    };
    let mut verify = twin.judge(&before, &after);
    // What is said of both runs is said once.
    notes.dedup();
    verify.notes.extend(notes);
    Ok(verify)
}

/// What each run of a scenario gave.
fn runs(
    text: &str,
    origin: Origin,
    repeats: u32,
    bar: &mut Bar,
    notes: &mut Vec<String>,
) -> Result<Vec<Run>, Failure> {
    let source = Source {
        name: "the twin".to_owned(),
        text: text.to_owned(),
    };
    let mut request = Request {
        origins: BTreeSet::from([origin]),
        repeats,
        source: Some(source),
        ..Request::new("the twin")
    };
    let mut experiment = Experiment::new(request.clone())?;
    let span = experiment.loaded.scenario.tests[0].duration;
    let long = span.is_some_and(|d| d.as_secs_f64() > REAL_TIME_MAX);
    if origin == Origin::Emulated && long {
        notes.push(format!(
            "emulated for {REAL_TIME_MAX:.0} s, which is shorter than the test was"
        ));
        let path = format!("test.{TEST}.duration");
        request.sets = vec![Set::new(path, format!("{REAL_TIME_MAX} s"))];
        experiment = Experiment::new(request)?;
    }
    let outcome = experiment.run(None, bar)?;
    if progress::interrupted() {
        return Err(Failure::interrupted("interrupted"));
    }
    let of_test = |r: &&farpath_record::Record| r.origin == origin && r.test == TEST;
    let records: Vec<_> = outcome.document.records.iter().filter(of_test).collect();
    if records.iter().any(|r| !r.valid) {
        notes.push("the emulation's certificate failed: its figures are not to be trusted".into());
    }
    let run = |r: &&farpath_record::Record| {
        Some(Run {
            goodput_bps: *r.metrics.get("goodput_bps")?,
            limited_by: r.limited_by.clone(),
            rtt_s: r.metrics.get("rtt_avg_ns").map(|ns| ns * 1e-9),
        })
    };
    Ok(records.iter().filter_map(run).collect())
}
