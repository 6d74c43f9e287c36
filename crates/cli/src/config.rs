//! `farpath config`: router configuration, checked and written.

#![allow(
    clippy::disallowed_methods,
    reason = "the binary reads the files it is given, with errors that name the path"
)]

use std::io::IsTerminal;
use std::path::Path;

use farpath_config::{Dialect, Report, Severity, Source, check_with, json, sarif, text};

use crate::args::{ConfigArgs, ConfigCheckArgs, ConfigCommand, FailOn};
use crate::exit::{Exit, Failure, print};
use crate::lbe;

pub(crate) fn config(args: &ConfigArgs) -> Result<Exit, Failure> {
    match &args.command {
        ConfigCommand::Check(args) => check_files(args),
        ConfigCommand::Lbe(args) => lbe::write(args),
    }
}

fn check_files(args: &ConfigCheckArgs) -> Result<Exit, Failure> {
    let mut sources = Vec::new();
    for file in &args.files {
        sources.push(read(file)?);
    }
    let dialect = args.dialect.as_deref().map(named).transpose()?;
    let options = lbe::options(args)?;
    let report = check_with(&sources, &vec![dialect; sources.len()], &options);
    let shown = if args.json {
        format!("{:#}\n", json::document(&report, &sources))
    } else if args.sarif {
        format!(
            "{:#}\n",
            sarif::log(&report, &sources, env!("CARGO_PKG_VERSION"))
        )
    } else {
        text::render(&report, &sources, std::io::stdout().is_terminal())
    };
    print(&shown)?;
    Ok(outcome(&report, args.fail_on))
}

fn outcome(report: &Report, fail_on: FailOn) -> Exit {
    let threshold = match fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Info => Severity::Info,
    };
    if report.failed() {
        Exit::Usage
    } else if report.worst().is_some_and(|s| s >= threshold) {
        Exit::Finding
    } else {
        Exit::Ok
    }
}

pub(crate) fn named(name: &str) -> Result<Dialect, Failure> {
    Dialect::named(name).ok_or_else(|| {
        let all: Vec<&str> = Dialect::ALL.iter().map(|d| d.name()).collect();
        Failure::usage(format!("`{name}` is no dialect"))
            .hint(format!("known are {}", all.join(", ")))
    })
}

fn read(file: &Path) -> Result<Source, Failure> {
    let bytes = std::fs::read(file).map_err(|e| {
        Failure::environment(format!("read {}: {e}", file.display()))
            .hint("name files with the configuration of a router each")
    })?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Failure::usage(format!("{}: byte {at} is not UTF-8 text", file.display()))
            .hint("save the configuration as text")
    })?;
    Ok(Source {
        name: file.display().to_string(),
        text,
    })
}
