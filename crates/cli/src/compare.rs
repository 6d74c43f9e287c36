//! `farpath compare`: two sets of runs, or the origins of one, side by side.

#![allow(
    clippy::disallowed_methods,
    reason = "the binary's files are read here, with errors that name the path"
)]

mod lab_run;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use farpath_experiment::beside::beside;
use farpath_record::compare::{CompareError, Comparison, Named, between, origins, sets};
use farpath_record::page::{self, ReportData, ScenarioText};
use farpath_record::{Keys, read, record_notes};
use farpath_report::unitless;
use farpath_scenario::keys_of;
use farpath_units::Ratio;
use serde::Deserialize;

use crate::args::CompareArgs;
use crate::exit::{Exit, Failure, layout, print, print_json};
use crate::output::{Output, links_csv};
use crate::value::read as read_value;

/// Largest file that is read.
const FILE_MAX: u64 = 1 << 30;

pub(crate) fn compare(args: &CompareArgs) -> Result<Exit, Failure> {
    // What cannot be written is found out before anything is read.
    let output = args.out.as_deref().map(Output::prepare).transpose()?;
    // Of more than two runs there is a page, and nothing to say which two are meant.
    let only_page = output.is_some()
        && args.records.len() > 2
        && args.with.is_empty()
        && args.between.is_none();
    let comparison = match only_page {
        true => None,
        false => Some(compared(args)?),
    };
    if let Some(output) = &output {
        page(args, comparison.as_ref(), output)?;
    }
    let Some(comparison) = comparison else {
        print(&written(output.as_ref()))?;
        return Ok(Exit::Ok);
    };
    if args.json {
        print_json(&comparison)?;
    } else {
        let table = farpath_report::compare::render(&comparison, layout(args.markdown));
        print(&format!("{table}{}", written(output.as_ref())))?;
    }
    Ok(if comparison.finding() {
        Exit::Finding
    } else {
        Exit::Ok
    })
}

fn written(output: Option<&Output>) -> String {
    output.map_or(String::new(), |o| {
        let folder = o.folder().display();
        format!("\nWritten to {folder}: open report.html there.\n")
    })
}

/// Writes the page of all runs that are named, each beside the others.
fn page(
    args: &CompareArgs,
    comparison: Option<&Comparison>,
    output: &Output,
) -> Result<(), Failure> {
    let files: Vec<&PathBuf> = args.records.iter().chain(&args.with).collect();
    let names = names(&files)?;
    let runs = names.into_iter().zip(files);
    let runs = runs.map(|(name, path)| Ok((name, of_page(path)?)));
    let runs = runs.collect::<Result<Vec<(String, ReportData)>, Failure>>()?;
    let mut page = beside(runs).expect("a run is named, or clap refuses");
    page.comparison = comparison.and_then(|c| serde_json::to_value(c).ok());
    let document = page.document.clone();
    output.write_results(&document, &page, links_csv(&document)?)?;
    Ok(())
}

/// What each run is called: its folder or file, or the whole path where others end alike.
fn names(files: &[&PathBuf]) -> Result<Vec<String>, Failure> {
    let whole = |path: &Path| -> PathBuf {
        match path.file_name().and_then(|n| n.to_str()) {
            Some("records.json" | "report.json") => path.parent().unwrap_or(path).to_owned(),
            _ => path.with_extension(""),
        }
    };
    let all: Vec<PathBuf> = files.iter().map(|p| whole(p)).collect();
    for (n, path) in all.iter().enumerate() {
        if all[..n].contains(path) {
            let name = path.display();
            return Err(Failure::usage(format!("{name}: the same run twice"))
                .hint("name each run once: a page has each beside the others"));
        }
    }
    let last = |path: &PathBuf| path.file_name().map(|n| n.to_string_lossy().into_owned());
    let name = |path: &PathBuf| match last(path) {
        Some(name)
            if all
                .iter()
                .filter(|p| last(p).as_ref() == Some(&name))
                .count()
                == 1 =>
        {
            name
        }
        _ => path.display().to_string(),
    };
    Ok(all.iter().map(name).collect())
}

/// What a page shows of a run: the report of its folder, or what its records say by themselves.
fn of_page(path: &Path) -> Result<ReportData, Failure> {
    if let Some(report) = report_of(path) {
        let name = report.display();
        let data = serde_json::from_str(&text(&report)?);
        return data.map_err(|e| {
            Failure::usage(format!("read {name}: {e}"))
                .hint("write it again with `farpath run SCENARIO --out FOLDER`")
        });
    }
    let document = open_one(path)?.document;
    if document.records.iter().any(|r| r.kind == lab_run::KIND) {
        let name = path.display();
        return Err(
            Failure::usage(format!("{name}: a run of a command has no page of its own"))
                .hint("compare it without --out"),
        );
    }
    Ok(ReportData {
        schema: page::SCHEMA.to_owned(),
        scenario: ScenarioText {
            name: document.scenario.clone(),
            ..ScenarioText::default()
        },
        command: None,
        topology: None,
        paths: Vec::new(),
        sequence: Vec::new(),
        captures: Vec::new(),
        keys: Keys::of(&document).names().to_vec(),
        said: record_notes(&document, farpath_observe::metric::label),
        notes: Vec::new(),
        laws: Vec::new(),
        comparison: None,
        runs: Vec::new(),
        document,
    })
}

fn compared(args: &CompareArgs) -> Result<Comparison, Failure> {
    let tolerance = args.tolerance.as_deref().map(tolerance).transpose()?;
    let comparison = match &args.between {
        Some(written) => {
            let (key, values) = two_values(written)?;
            between(&open(&args.records)?, key, values, tolerance)
        }
        None => {
            let (of_a, of_b) = chosen(args)?;
            match (open(of_a)?, open(of_b)?) {
                (a, b) if b.is_empty() => origins(&a, tolerance),
                (a, b) if is_one_text(&a, &b) => sets(&a, &b, tolerance),
                (a, b) => sets(&with_keys(a, of_a), &with_keys(b, of_b), tolerance),
            }
        }
    };
    let mut comparison = comparison.map_err(|e| refused(&e))?;
    if !args.metric.is_empty() {
        let wanted = |m: &str| args.metric.iter().any(|w| w == m || w == unitless(m));
        let kept = comparison.keep(wanted);
        kept.map_err(|all| no_metric(&args.metric, &all))?;
    }
    Ok(comparison)
}

/// The share of `--tolerance`. A number above 1 was meant in percent.
fn tolerance(text: &str) -> Result<f64, Failure> {
    let above = text
        .trim()
        .parse::<f64>()
        .is_ok_and(|n| n > 1.0 && n <= 100.0);
    read_value::<Ratio>("tolerance", text)
        .map(Ratio::get)
        .map_err(|failure| match above {
            true => failure.hint(format!("for {text} percent, --tolerance {text}%")),
            false => failure,
        })
}

/// The key and the two values of `--between KEY=A,B`.
fn two_values(written: &str) -> Result<(&str, &str), Failure> {
    let parts = written.split_once('=').filter(|(_, two)| two.contains(','));
    parts.ok_or_else(|| {
        Failure::usage(format!(
            "--between {written}: it takes a key and two of its values"
        ))
        .hint("write them like --between cc=reno,cubic")
    })
}

fn no_metric(wanted: &[String], all: &BTreeSet<String>) -> Failure {
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    Failure::usage(format!(
        "--metric {}: nothing of that name is compared",
        wanted.join(", ")
    ))
    .hint(format!("there are {}", all.join(", ")))
}

fn refused(error: &CompareError) -> Failure {
    let failure = Failure::usage(error.to_string());
    match error {
        CompareError::Nothing(_) => failure.hint(
            "name two files of the same tests, or one whose tests were both predicted and simulated",
        ),
        CompareError::NoneValid(_) => failure.hint(
            "run it again on an idle machine until its certificate is valid: `farpath lab run --strict` fails where it is not, or where the command sent nothing",
        ),
        CompareError::NoPoint { .. } => failure.hint(
            "run each at one value of the key that it sweeps, such as --set link.l.queue=1MB: sets of one point each are compared wherever these are",
        ),
        CompareError::NotSwept { .. } | CompareError::NeverSet { .. } => failure.hint(
            "name a key that the sweep changes and two of its values: --between cc=reno,cubic",
        ),
        _ => failure,
    }
}

/// The files of A and of B.
fn chosen(args: &CompareArgs) -> Result<(&[PathBuf], &[PathBuf]), Failure> {
    match (&args.records[..], &args.with[..]) {
        ([_, _], []) => Ok(args.records.split_at(1)),
        (many, []) if many.len() > 2 => Err(Failure::usage(format!(
            "{} files: which are A, and which B?",
            many.len()
        ))
        .hint("name those of the second set with --with: farpath compare a1.json a2.json --with b1.json b2.json; --out FOLDER makes a page of all")),
        (a, b) => Ok((a, b)),
    }
}

fn open(files: &[PathBuf]) -> Result<Vec<Named>, Failure> {
    let mut set: Vec<Named> = files
        .iter()
        .map(|f| open_one(f))
        .collect::<Result<_, _>>()?;
    // Each run of a command is one of its own, without a seed in its file.
    for (number, named) in (1..).zip(&mut set) {
        let records = named.document.records.iter_mut();
        let commands = records.filter(|r| r.kind == lab_run::KIND);
        commands.for_each(|r| r.repeat = number);
    }
    Ok(set)
}

fn open_one(path: &Path) -> Result<Named, Failure> {
    let path = if path.is_dir() {
        path.join("records.json")
    } else {
        path.to_owned()
    };
    let name = path.display().to_string();
    let text = text(&path)?;
    if lab_run::is_one(&text) {
        return lab_run::named(&name, &text);
    }
    let document = read(&name, &text);
    let document = document.map_err(|e| Failure::usage(e.to_string()).hint(e.remedy))?;
    Ok(Named {
        name,
        keys: BTreeMap::new(),
        document,
    })
}

/// Whether all runs are of one scenario's text.
fn is_one_text(a: &[Named], b: &[Named]) -> bool {
    let mut texts = a.iter().chain(b).map(|n| &n.document.scenario_sha256);
    let first = texts.next();
    texts.all(|text| Some(text) == first)
}

/// A report's scenario, and no more of it.
#[derive(Deserialize)]
struct Reported {
    scenario: ScenarioText,
}

/// The same runs with the keys of their scenarios, where the report beside the records has these: what differs is said by its name then.
fn with_keys(mut set: Vec<Named>, files: &[PathBuf]) -> Vec<Named> {
    for (named, file) in set.iter_mut().zip(files) {
        let report = match report_of(file).map(|path| text(&path)) {
            Some(Ok(text)) => serde_json::from_str::<Reported>(&text).ok(),
            _ => None,
        };
        let resolved = report.and_then(|r| r.scenario.text);
        named.keys = resolved.map(|text| keys_of(&text)).unwrap_or_default();
    }
    set
}

/// The report of a folder, or beside its records; none where there is none.
fn report_of(path: &Path) -> Option<PathBuf> {
    let report = match path.is_dir() {
        true => path.join("report.json"),
        false => path.with_file_name("report.json"),
    };
    let of_folder = path.is_dir() || path.file_name().is_some_and(|n| n == "records.json");
    (of_folder && report.exists()).then_some(report)
}

fn text(path: &Path) -> Result<String, Failure> {
    let name = path.display().to_string();
    let cannot = |e: std::io::Error| {
        Failure::usage(format!("read {name}: {e}"))
            .hint("name a file written by `farpath run --json`, or the folder of `--out`")
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(cannot)?;
    file.take(FILE_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() as u64 > FILE_MAX {
        return Err(
            Failure::usage(format!("read {name}: it is larger than 1 GiB"))
                .hint("records of a run with fewer repeats or points fit"),
        );
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Failure::usage(format!("read {name}: byte {at} is not UTF-8"))
            .hint("name a file written by `farpath run --json`, or the folder of `--out`")
    })
}
