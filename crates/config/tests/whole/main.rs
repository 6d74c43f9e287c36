//! Configurations of routers and switches: read, checked, broken, written.

mod circuits;
mod junos;
mod links;
mod lower_effort;
mod mutated;
mod mutated_ios;
mod platforms;
mod qos;
mod rates;
mod secrets;
mod segments;
mod slips;
mod srr;
mod subnets;
mod tunnels;
mod units;
mod vlans;

use farpath_config::{Dialect, Report, Severity, Source, Status, check, place};

fn source(name: &str, text: &str) -> Source {
    Source {
        name: name.to_owned(),
        text: text.to_owned(),
    }
}

/// The check of one file.
fn checked(text: &str, dialect: Dialect) -> Report {
    check(&[source("r.conf", text)], &[Some(dialect)])
}

/// Findings of a rule in a file that is read whole: their severity and text.
fn found(text: &str, dialect: Dialect, rule: &str) -> Vec<(Severity, String)> {
    let report = checked(text, dialect);
    let file = &report.files[0];
    assert_eq!(file.status(), Status::Passed, "{text}: {file:?}");
    let of = report.findings.into_iter().filter(|f| f.rule == rule);
    of.map(|f| (f.severity, f.text)).collect()
}

/// Findings of a rule in the check of one text: their line, severity and text.
fn at_lines(report: &Report, text: &str, rule: &str) -> Vec<(usize, Severity, String)> {
    let of = report.findings.iter().filter(|f| f.rule == rule);
    let line = |f| text[..place(f).span.start].lines().count().max(1);
    of.map(|f| (line(f), f.severity, f.text.clone())).collect()
}
