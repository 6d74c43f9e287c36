//! `farpath figures`: the figures of a run's page as files.

#![allow(
    clippy::disallowed_methods,
    reason = "the binary's files are read and written here, with errors that name the path"
)]

use std::fs;

use farpath_report::figures::{Bars, Figure, FiguresError, figures};

use crate::args::{self, FiguresArgs};
use crate::exit::{Exit, Failure, print};
use crate::output::prepare_file;

pub(crate) fn run(args: &FiguresArgs) -> Result<Exit, Failure> {
    let report = match args.run.is_dir() {
        true => args.run.join("report.json"),
        false => args.run.clone(),
    };
    let name = report.display();
    let text = fs::read_to_string(&report).map_err(|e| {
        Failure::usage(format!("read {name}: {e}"))
            .hint("name a folder written by `farpath run --out`, or the report.json in it")
    })?;
    let bars = match args.bars {
        args::Bars::Range => Bars::Range,
        args::Bars::Ci95 => Bars::Ci95,
    };
    let drawn = figures(&text, bars).map_err(|error| match error {
        FiguresError::NoScript => Failure::environment(error.to_string())
            .hint("`make build` in the repository builds it whole"),
        FiguresError::Drawing(why) => Failure::usage(format!("{name}: {why}"))
            .hint("name a folder written by `farpath run --out`, or the report.json in it"),
    })?;
    let wanted = |name: &str| args.name.as_deref().is_none_or(|part| name.contains(part));
    let drawn = match drawn.iter().any(|f| wanted(&f.name)) {
        true => drawn,
        false => return Err(nothing(args, &drawn)),
    };
    let beside = report.with_file_name("figures");
    let folder = args.into.as_deref().unwrap_or(&beside);
    fs::create_dir_all(folder).map_err(|e| {
        Failure::environment(format!("create folder {}: {e}", folder.display()))
            .hint("choose a place you may write to")
    })?;
    let mut count = 0;
    for figure in drawn.iter().filter(|f| wanted(&f.name)) {
        let path = folder.join(format!("{}.svg", figure.name));
        prepare_file(&path)?.write(figure.svg.as_bytes())?;
        count += 1;
    }
    let plural = if count == 1 { "" } else { "s" };
    print(&format!("{count} figure{plural} in {}\n", folder.display()))?;
    Ok(Exit::Ok)
}

/// Figures that an error names; the others are counted.
const NAMED: usize = 20;

/// No figure is called so, or there is none at all.
fn nothing(args: &FiguresArgs, drawn: &[Figure]) -> Failure {
    let run = args.run.display();
    let Some(part) = &args.name else {
        return Failure::usage(format!("{run} has no figure"))
            .hint("a run has figures of what has a path, is swept, repeated or goes on over time");
    };
    let names: Vec<&str> = drawn.iter().take(NAMED).map(|f| f.name.as_str()).collect();
    let more = match drawn.len() - names.len() {
        0 => String::new(),
        n => format!("\n  and {n} more"),
    };
    Failure::usage(format!(
        "--name {part}: no figure of {run} has that in its name"
    ))
    .hint(format!("there are\n  {}{more}", names.join("\n  ")))
}
