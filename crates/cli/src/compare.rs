//! `farpath compare`: two sets of runs, or the origins of one, side by side.

#![allow(
    clippy::disallowed_methods,
    reason = "the binary's files are read here, with errors that name the path"
)]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use farpath_record::compare::{CompareError, Named, origins, sets};
use farpath_record::read;
use farpath_report::unitless;
use farpath_units::Ratio;

use crate::args::CompareArgs;
use crate::exit::{Exit, Failure, print, print_json};
use crate::run::layout;
use crate::value::maybe;

/// Largest file that is read.
const FILE_MAX: u64 = 1 << 30;

pub(crate) fn compare(args: &CompareArgs) -> Result<Exit, Failure> {
    let tolerance = maybe::<Ratio>("tolerance", args.tolerance.as_deref())?.map(Ratio::get);
    let (a, b) = chosen(args)?;
    let (a, b) = (open(a)?, open(b)?);
    let comparison = if b.is_empty() {
        origins(&a, tolerance)
    } else {
        sets(&a, &b, tolerance)
    };
    let mut comparison = comparison.map_err(|e| refused(&e))?;
    if !args.metric.is_empty() {
        let wanted = |m: &str| args.metric.iter().any(|w| w == m || w == unitless(m));
        let kept = comparison.keep(wanted);
        kept.map_err(|all| no_metric(&args.metric, &all))?;
    }
    if args.json {
        print_json(&comparison)?;
    } else {
        print(&farpath_report::compare::render(
            &comparison,
            layout(args.markdown),
        ))?;
    }
    Ok(if comparison.finding() {
        Exit::Finding
    } else {
        Exit::Ok
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
        .hint("name those of the second set with --with: farpath compare a1.json a2.json --with b1.json b2.json")),
        (a, b) => Ok((a, b)),
    }
}

fn open(files: &[PathBuf]) -> Result<Vec<Named>, Failure> {
    files.iter().map(|f| open_one(f)).collect()
}

fn open_one(path: &Path) -> Result<Named, Failure> {
    let path = if path.is_dir() {
        path.join("records.json")
    } else {
        path.to_owned()
    };
    let name = path.display().to_string();
    let cannot = |e: std::io::Error| {
        Failure::usage(format!("read {name}: {e}"))
            .hint("name a file written by `farpath run --json`, or the folder of `--out`")
    };
    let mut bytes = Vec::new();
    let file = File::open(&path).map_err(cannot)?;
    file.take(FILE_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() as u64 > FILE_MAX {
        return Err(
            Failure::usage(format!("read {name}: it is larger than 1 GiB"))
                .hint("records of a run with fewer repeats or points fit"),
        );
    }
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Failure::usage(format!("read {name}: byte {at} is not UTF-8"))
            .hint("name a file written by `farpath run --json`, or the folder of `--out`")
    })?;
    let document = read(&name, &text).map_err(|e| Failure::usage(e.to_string()).hint(e.remedy))?;
    Ok(Named { name, document })
}
