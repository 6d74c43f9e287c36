//! A report as SARIF 2.1.0 (OASIS), for code review tools.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::finding::{Finding, Role, Rule, Severity, place};
use crate::report::{Fault, Report};
use crate::rules::{CONFIG001, rule};
use crate::source::{Lines, Place, Source};

/// The log: one run, its rules, and a result for each fault and finding.
pub fn log(report: &Report, sources: &[Source], version: &str) -> Value {
    let writer = Writer {
        report,
        lines: sources.iter().map(Lines::of).collect(),
    };
    let rules: BTreeSet<&str> = report.findings.iter().map(|f| &*f.rule).collect();
    let mut described: Vec<Value> = rules.into_iter().map(|id| described(rule(id))).collect();
    let faults: Vec<&Fault> = report.files.iter().flat_map(|f| &f.faults).collect();
    if !faults.is_empty() {
        described.push(json!({
            "id": CONFIG001.id,
            "shortDescription": {"text": CONFIG001.title},
            "defaultConfiguration": {"level": level(CONFIG001.severity)},
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

fn described(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.title,
        "shortDescription": {"text": rule.title},
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
            "ruleId": CONFIG001.id,
            "level": level(CONFIG001.severity),
            "message": {"text": format!("{}; {}", fault.message, fault.remedy)},
            "locations": [self.location(&fault.place)],
        })
    }

    fn result(&self, finding: &Finding) -> Value {
        let related = finding.with(Role::Related).map(|other| {
            let mut location = self.location(&other.place);
            location["message"] = json!({"text": other.note});
            location
        });
        let unsure = match finding.is_uncertain() {
            true => " (uncertain: statements it depends on were not understood)",
            false => "",
        };
        json!({
            "ruleId": finding.rule,
            "level": level(finding.severity),
            "message": {"text": format!("{}{unsure}; {}", finding.text, finding.remedies.join("; "))},
            "locations": [self.location(place(finding))],
            "relatedLocations": related.collect::<Vec<Value>>(),
            "properties": {"uncertain": finding.is_uncertain()},
        })
    }
}

/// A file's name as a relative reference (RFC 3986 §4.2): characters that a path may not have are escaped.
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
