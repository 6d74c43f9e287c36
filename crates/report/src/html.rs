//! The self-contained HTML report: one file, no network.
//!
//! The page carries the run as JSON and a script that draws it. Its plain part, written here, holds the same numbers
//! as tables, for readers without a script and for builds without the bundle of `web/`.

mod packed;

use std::fmt::Write as _;

use farpath_record::page::ReportData;
use farpath_record::quantity::quantity;
use farpath_record::{Expectation, Keys, Origin, Point, Record, RunDocument};

use crate::band::band;
use crate::judges;
use crate::limit::placed_limit_of;
use crate::validity::{Index, UNTRUSTED};

const TEMPLATE: &str = include_str!("report.html");
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/report.js"));
const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/report.css"));
/// Enough style for the plain page to be read comfortably.
const PLAIN_STYLE: &str = "#plain{font:16px/1.5 system-ui,sans-serif;max-width:75rem;margin:0 auto;padding:2rem 1rem}\
#plain table{border-collapse:collapse;display:block;overflow-x:auto}#plain th,#plain td{padding:.3rem .7rem;\
border-bottom:1px solid #8886;text-align:left;vertical-align:top}#plain caption{text-align:left;font-weight:600;\
padding:.5rem 0}#plain .missing{border-left:4px solid #b45309;padding:.5rem 1rem}";

/// The page: one HTML file that needs nothing else.
pub fn render(data: &ReportData) -> String {
    page(&data.scenario.name, plain(data), &packed::packed(data))
}

/// A page that carries data for the script, and a plain part for readers without one.
pub(crate) fn page(title: &str, plain: String, json: &str) -> String {
    fill(&[
        ("title", escape(&format!("{title} · farpath"))),
        ("style", format!("{PLAIN_STYLE}{STYLE}")),
        ("plain", plain),
        // `<` appears only inside JSON strings; written as an escape it can neither end the element nor open a comment.
        ("data", json.replace('<', "\\u003c")),
        ("script", SCRIPT.to_owned()),
    ])
}

/// Puts each value at its `{{name}}`; values are never searched for placeholders themselves.
fn fill(values: &[(&str, String)]) -> String {
    let mut page =
        String::with_capacity(TEMPLATE.len() + values.iter().map(|(_, v)| v.len()).sum::<usize>());
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after
            .split_once("}}")
            .expect("every placeholder of the template is closed");
        page.push_str(before);
        for (_, value) in values.iter().filter(|(known, _)| *known == name) {
            page.push_str(value);
        }
        rest = after;
    }
    page + rest
}

fn plain(data: &ReportData) -> String {
    let mut out = String::new();
    let document = &data.document;
    put(
        &mut out,
        format_args!("<h1>{}</h1>\n", escape(&data.scenario.name)),
    );
    if let Some(summary) = &data.scenario.summary {
        put(&mut out, format_args!("<p>{}</p>\n", escape(summary)));
    }
    if SCRIPT.is_empty() {
        out.push_str(
            "<p class=\"missing\"><strong>The drawing and the plots are missing:</strong> this farpath was built \
             without its web part. Run <code>make build</code> in the repository for the plots, then repeat the run. \
             The numbers below are complete.</p>\n",
        );
    }
    for note in &data.notes {
        put(&mut out, format_args!("<p>Note: {}</p>\n", escape(note)));
    }
    let keys = Keys::of(document);
    plain_expectations(&mut out, document, &keys);
    plain_records(&mut out, &document.records, &keys);
    for line in crate::taken::lines(document) {
        put(&mut out, format_args!("<p>{}</p>\n", escape(&line)));
    }
    put(
        &mut out,
        format_args!(
            "<p>farpath {}, seed {}, scenario SHA-256 <code>{}</code>{}</p>",
            escape(&document.built()),
            document.seed,
            escape(&document.scenario_sha256),
            data.command
                .as_ref()
                .map_or(String::new(), |c| format!(", <code>{}</code>", escape(c))),
        ),
    );
    out
}

fn plain_expectations(out: &mut String, run: &RunDocument, keys: &Keys) {
    if run.expectations.is_empty() {
        return;
    }
    out.push_str("<table><caption>Expectations</caption><thead><tr>");
    for head in ["metric", "stated", "origin", "found", "allowed", "", "note"] {
        put(out, format_args!("<th scope=\"col\">{head}</th>"));
    }
    out.push_str("</tr></thead><tbody>\n");
    let index = Index::of(run);
    let mut doubtful = false;
    for e in &run.expectations {
        let show = |v: f64| quantity(&e.metric, v);
        let trusted = index.trusted(&e.metric, e.origin, &e.point);
        doubtful |= !trusted;
        let sign = if trusted { "" } else { "! " };
        let found = e.actual.map_or("–".to_owned(), show);
        let mut found = e.absent.as_deref().map_or(found, escape);
        if let Some(partly) = e.repeats {
            found += &format!(", {}", partly.words());
        }
        put(
            out,
            format_args!(
                "<tr><td>{}{}</td><td>{}</td><td>{}</td><td>{sign}{}</td><td>{}</td><td>{sign}{}</td><td>{}</td></tr>\n",
                escape(&e.metric),
                escape(&point(&e.point, keys)),
                escape(e.stated.as_deref().unwrap_or("")),
                origin(e.origin),
                found,
                band(e, show),
                judged(e),
                escape(e.note.as_deref().unwrap_or("")),
            ),
        );
    }
    out.push_str("</tbody></table>\n");
    if doubtful {
        put(out, format_args!("<p>{UNTRUSTED}</p>\n"));
    }
}

/// The verdict of one expectation; that of a file of `--expect` has its name.
fn judged(e: &Expectation) -> String {
    let verdict = match judges::verdict(&[e]) {
        "ok" => "pass",
        other => other,
    };
    e.file.as_deref().map_or(verdict.to_owned(), |file| {
        format!("{} {verdict}", escape(judges::short(file)))
    })
}

fn plain_records(out: &mut String, records: &[Record], keys: &Keys) {
    out.push_str("<table><caption>Results</caption><thead><tr>");
    for head in ["test", "origin", "metrics", "limited by", "notes"] {
        put(out, format_args!("<th scope=\"col\">{head}</th>"));
    }
    out.push_str("</tr></thead><tbody>\n");
    for r in records {
        let metrics: Vec<String> = r
            .metrics
            .iter()
            .map(|(k, v)| format!("{k} {}", quantity(k, *v)))
            .collect();
        let mut notes = r.notes.clone();
        if !r.valid {
            notes.insert(0, String::from("not valid"));
        }
        put(
            out,
            format_args!(
                "<tr><td>{}{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                escape(&r.test),
                escape(&point(&r.point, keys)),
                origin(r.origin),
                escape(&metrics.join(", ")),
                escape(&placed_limit_of(r).unwrap_or_default()),
                escape(&notes.join("; ")),
            ),
        );
    }
    out.push_str("</tbody></table>\n");
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
}

fn point(point: &Point, keys: &Keys) -> String {
    match keys.words(point) {
        words if words.is_empty() => words,
        words => format!(" ({words})"),
    }
}

fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Predicted => "predicted",
        Origin::Simulated => "simulated",
        Origin::Emulated => "emulated",
        Origin::Measured => "measured",
        Origin::Captured => "captured",
    }
}

pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
