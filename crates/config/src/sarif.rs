//! A report as SARIF 2.1.0 (OASIS), for code review tools.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::finding::{Finding, Rule, Severity};
use crate::report::{Fault, Report};
use crate::source::{Lines, Place, Source};

/// The rule of a text that cannot be read.
const UNREADABLE: &str = "CONFIG001";

/// The log: one run, its rules, and a result for each fault and finding.
pub fn log(report: &Report, sources: &[Source], version: &str) -> Value {
    let writer = Writer {
        report,
        lines: sources.iter().map(Lines::of).collect(),
    };
    let rules: BTreeMap<&str, &Rule> = report
        .findings
        .iter()
        .map(|f| (f.rule.id, f.rule))
        .collect();
    let mut described: Vec<Value> = rules.values().map(|r| rule(r)).collect();
    let faults: Vec<&Fault> = report.files.iter().flat_map(|f| &f.faults).collect();
    if !faults.is_empty() {
        described.push(json!({
            "id": UNREADABLE,
            "shortDescription": {"text": "text that cannot be read"},
            "defaultConfiguration": {"level": "error"},
        }));
    }
    let results = faults.iter().map(|f| writer.fault(f));
    let results = results.chain(report.findings.iter().map(|f| writer.result(f)));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "farpath", "version": version, "rules": described}},
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.name},
        "fullDescription": {"text": rule.explanation},
        "defaultConfiguration": {"level": level(rule.severity)},
    })
}

struct Writer<'s> {
    report: &'s Report,
    lines: Vec<Lines<'s>>,
}

impl Writer<'_> {
    fn location(&self, place: &Place) -> Value {
        let lines = &self.lines[place.file];
        let (line, column) = lines.line_and_column(place.span.start);
        let (end_line, end_column) = lines.line_and_column(place.span.end.max(place.span.start));
        json!({"physicalLocation": {
            "artifactLocation": {"uri": uri(&self.report.files[place.file].name)},
            "region": {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column},
        }})
    }

    fn fault(&self, fault: &Fault) -> Value {
        json!({
            "ruleId": UNREADABLE,
            "level": "error",
            "message": {"text": format!("{}; {}", fault.message, fault.remedy)},
            "locations": [self.location(&fault.place)],
        })
    }

    fn result(&self, finding: &Finding) -> Value {
        let related: Vec<Value> = finding
            .related
            .iter()
            .map(|(place, label)| {
                let mut location = self.location(place);
                location["message"] = json!({"text": label});
                location
            })
            .collect();
        let unsure = if finding.uncertain.is_empty() {
            ""
        } else {
            " (uncertain: statements it depends on were not understood)"
        };
        json!({
            "ruleId": finding.rule.id,
            "level": level(finding.severity),
            "message": {"text": format!("{}{unsure}; {}", finding.message, finding.remedies.join("; "))},
            "locations": [self.location(&finding.place)],
            "relatedLocations": related,
            "properties": {"uncertain": !finding.uncertain.is_empty()},
        })
    }
}

/// A file's name as a relative reference (RFC 3986 §4.2): what is no path character is escaped.
fn uri(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
