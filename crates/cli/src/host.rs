//! `farpath host`: what this host's settings allow on a path, and what to change.

use farpath_diagnose::{PathAsked, judge};
use farpath_probe::{SurveyError, survey};
use farpath_units::{Duration, Rate};

use crate::args::HostArgs;
use crate::exit::{Exit, Failure, print, print_json};
use crate::value::{self, mtu};

mod page;

pub(crate) fn host(args: &HostArgs) -> Result<Exit, Failure> {
    let path = args.path.as_deref().map(path).transpose()?;
    let mtu = args.mtu.as_deref().map(mtu).transpose()?;
    let found = survey(&args.root, args.interface.as_deref()).map_err(|e| match e {
        SurveyError::NoInterface { .. } => Failure::usage(format!("--interface: {e}")),
        SurveyError::Unreadable { .. } => Failure::environment(e.to_string()),
    })?;
    let report = judge(&found, path, mtu, env!("CARGO_PKG_VERSION"));
    match (args.json, args.markdown) {
        (true, _) => print_json(&report)?,
        (_, true) => print(&page::markdown(&report))?,
        _ => print(&page::page(&report))?,
    }
    // What could not be read is not known to be enough.
    let is_short = report.path.is_some() && report.verdict.enough != Some(true);
    Ok(match is_short || report.has_findings() {
        true => Exit::Finding,
        false => Exit::Ok,
    })
}

/// `10Gbit/s,150ms`.
fn path(text: &str) -> Result<PathAsked, Failure> {
    let example = "write a rate and a round-trip time: --path 10Gbit/s,150ms";
    let (rate, rtt) = text
        .split_once(',')
        .ok_or_else(|| Failure::usage(format!("--path {text}: no comma")).hint(example))?;
    let rate: Rate = value::read("path", rate.trim()).map_err(|e: Failure| e.hint(example))?;
    let rtt: Duration = value::read("path", rtt.trim()).map_err(|e: Failure| e.hint(example))?;
    if rtt == Duration::ZERO {
        let message = format!("--path {text}: the round trip is zero, and no path is so short");
        return Err(Failure::usage(message).hint(example));
    }
    Ok(PathAsked { rate, rtt })
}
