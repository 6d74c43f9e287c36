//! The self-contained HTML report: one file, no network.
//!
//! The page carries the run as JSON and a script that draws it. Its plain part, written here, holds the same numbers
//! as tables, for readers without a script and for builds without the bundle of `web/`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use farpath_record::{Expectation, Origin, Record, RunDocument};
use serde::{Deserialize, Serialize};

const TEMPLATE: &str = include_str!("report.html");
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/report.js"));
const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/report.css"));
/// Enough style for the plain page to be read comfortably.
const PLAIN_STYLE: &str = "#plain{font:16px/1.5 system-ui,sans-serif;max-width:75rem;margin:0 auto;padding:2rem 1rem}\
#plain table{border-collapse:collapse;display:block;overflow-x:auto}#plain th,#plain td{padding:.3rem .7rem;\
border-bottom:1px solid #8886;text-align:left;vertical-align:top}#plain caption{text-align:left;font-weight:600;\
padding:.5rem 0}#plain .missing{border-left:4px solid #b45309;padding:.5rem 1rem}";

/// The version of [`ReportData`]'s JSON.
pub const SCHEMA: &str = "farpath.report/1";

/// Everything the page shows. An absent part leaves its section out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportData {
    /// `farpath.report/1`.
    pub schema: String,
    /// The run, as `--json` prints it.
    pub document: RunDocument,
    /// What was run, for a reader.
    pub scenario: ScenarioText,
    /// The command that made the run, as typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The nodes and links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,
    /// The way of each test through the topology.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<TestPath>,
    /// Time–sequence traces of TCP streams.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequence: Vec<Sequence>,
    /// What a reader must know about the whole run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The scenario, for a reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenarioText {
    /// Its name as `farpath run` takes it.
    pub name: String,
    /// Where the experiment comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// One or two sentences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The resolved text, TOML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The nodes and links of the scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// Hosts and routers.
    pub nodes: Vec<Node>,
    /// Full-duplex links.
    pub links: Vec<Link>,
}

/// A node of the drawing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Host or router.
    pub kind: NodeKind,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    /// An end of tests.
    Host,
    /// Forwards or switches.
    Router,
}

/// A link of the drawing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// The two nodes' names.
    pub ends: [String; 2],
    /// What it is, for a reader: `STM-64 9.585 Gbit/s · 58 ms`.
    pub label: String,
}

/// The way of one test, there and back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestPath {
    /// The test's name.
    pub test: String,
    /// The node that starts.
    pub from: String,
    /// The node that answers.
    pub to: String,
    /// Hops from `from` to `to`, in order.
    pub forward: Vec<Hop>,
    /// Hops from `to` to `from`, in order.
    pub reverse: Vec<Hop>,
}

/// One crossing of one link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// The link's name.
    pub link: String,
    /// The node it leaves.
    pub from: String,
    /// The node it reaches.
    pub to: String,
    /// The label-switched path it rides, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lsp: Option<String>,
    /// The cross-connect at `from` that put it there, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// How often this way has now crossed this link, in either direction, from 1.
    pub pass: u32,
}

/// What one TCP stream put on and took from the wire, seen at the sender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sequence {
    /// Where it comes from.
    pub origin: Origin,
    /// The test's name.
    pub test: String,
    /// The stream, from 0.
    pub stream: u32,
    /// The sweep point.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub point: BTreeMap<String, String>,
    /// Run-length coded events, in order of their first instant.
    pub bursts: Vec<SequenceBurst>,
    /// What happened later was not recorded; absent if all of it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete_until_ns: Option<u64>,
    /// Spans `[from, until)` with every event; empty if that is the whole trace. Outside them bursts that stand for
    /// many events are strokes, and of retransmissions and SACK blocks only some are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detail_ns: Vec<[u64; 2]>,
}

/// What an event of a time–sequence trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SequenceKind {
    /// A segment sent for the first time: bytes `seq` to `seq + len`.
    Data,
    /// A segment sent again.
    Retransmit,
    /// A cumulative acknowledgement that arrived: everything before `seq`.
    Ack,
    /// A SACK block that arrived: bytes `seq` to `seq + len`.
    Sack,
}

/// `m` groups of `n` like events. Event `i` of group `j` is at `t_ns + j·group_gap_ns + i·gap_ns` and starts at byte
/// `seq + j·group_seq_step + i·seq_step`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SequenceBurst {
    /// What the events are.
    pub kind: SequenceKind,
    /// Instant of the first event, nanoseconds since the start of the run.
    pub t_ns: u64,
    /// Stream offset of the first event, bytes (0 is the first payload byte).
    pub seq: u64,
    /// Payload bytes an event covers; 0 for an acknowledgement.
    #[serde(default, skip_serializing_if = "zero")]
    pub len: u64,
    /// Events in a group, at least 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub n: u64,
    /// From one event of a group to the next, nanoseconds; the fraction is kept because it adds up over a long run.
    #[serde(default, skip_serializing_if = "still")]
    pub gap_ns: f64,
    /// Bytes from one event of a group to the next.
    #[serde(default, skip_serializing_if = "zero")]
    pub seq_step: u64,
    /// Groups, at least 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub m: u64,
    /// From one group to the next, nanoseconds.
    #[serde(default, skip_serializing_if = "still")]
    pub group_gap_ns: f64,
    /// Bytes from one group to the next.
    #[serde(default, skip_serializing_if = "zero")]
    pub group_seq_step: u64,
    /// Not 0: it stands for this many, as a stroke from its first event to its last or, of one event, as a sample.
    #[serde(default, skip_serializing_if = "zero")]
    pub stands_for: u64,
}

fn one() -> u64 {
    1
}

fn is_one(n: &u64) -> bool {
    *n == 1
}

fn zero(n: &u64) -> bool {
    *n == 0
}

fn still(gap: &f64) -> bool {
    *gap == 0.0
}

/// The page: one HTML file that needs nothing else.
pub fn render(data: &ReportData) -> String {
    let json = serde_json::to_string(data).expect("string keys and plain values always serialise");
    let style = format!("{PLAIN_STYLE}{STYLE}");
    fill(&[
        (
            "title",
            escape(&format!("{} · farpath", data.scenario.name)),
        ),
        ("style", style),
        ("plain", plain(data)),
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
    plain_expectations(&mut out, &document.expectations);
    plain_records(&mut out, &document.records);
    put(
        &mut out,
        format_args!(
            "<p>farpath {}, seed {}, scenario SHA-256 <code>{}</code>{}</p>",
            escape(&document.version),
            document.seed,
            escape(&document.scenario_sha256),
            data.command
                .as_ref()
                .map_or(String::new(), |c| format!(", <code>{}</code>", escape(c))),
        ),
    );
    out
}

fn plain_expectations(out: &mut String, expectations: &[Expectation]) {
    if expectations.is_empty() {
        return;
    }
    out.push_str("<table><caption>Expectations</caption><thead><tr>");
    for head in ["metric", "stated", "origin", "found", "allowed", "", "note"] {
        put(out, format_args!("<th scope=\"col\">{head}</th>"));
    }
    out.push_str("</tr></thead><tbody>\n");
    for e in expectations {
        let show = |v: Option<f64>| v.map_or(String::from("–"), |v| quantity(&e.metric, v));
        put(
            out,
            format_args!(
                "<tr><td>{}{}</td><td>{}</td><td>{}</td><td>{}</td><td>{} to {}</td><td>{}</td><td>{}</td></tr>\n",
                escape(&e.metric),
                escape(&point(&e.point)),
                escape(e.stated.as_deref().unwrap_or("")),
                origin(e.origin),
                show(e.actual),
                show(e.min),
                show(e.max),
                if e.pass { "pass" } else { "FAIL" },
                escape(e.note.as_deref().unwrap_or("")),
            ),
        );
    }
    out.push_str("</tbody></table>\n");
}

fn plain_records(out: &mut String, records: &[Record]) {
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
                escape(&point(&r.point)),
                origin(r.origin),
                escape(&metrics.join(", ")),
                escape(r.limited_by.as_deref().unwrap_or("")),
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

fn point(point: &BTreeMap<String, String>) -> String {
    if point.is_empty() {
        return String::new();
    }
    let pairs: Vec<String> = point.iter().map(|(k, v)| format!("{k} = {v}")).collect();
    format!(" ({})", pairs.join(", "))
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

/// A value with the unit its key ends in; the key of a ratio or difference is not read.
fn quantity(key: &str, value: f64) -> String {
    if key.contains(" over ") {
        return format!("{value:.4}");
    }
    let key = key.split(" minus ").next().unwrap_or(key);
    if key.ends_with("_ns") {
        return scaled(value, &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")]);
    }
    if key.ends_with("_bps") {
        return scaled(
            value,
            &[
                (1e9, "Gbit/s"),
                (1e6, "Mbit/s"),
                (1e3, "kbit/s"),
                (1.0, "bit/s"),
            ],
        );
    }
    if key.ends_with("_s") {
        return format!("{value:.3} s");
    }
    if key.ends_with("_bytes") {
        return format!("{value} B");
    }
    format!("{value}")
}

fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let fits = |(step, _): &&(f64, &str)| value.abs() >= *step;
    // Whole seconds of delay are read more easily in milliseconds.
    let units = if units[0].1 == "s" && value.abs() < 1e10 {
        &units[1..]
    } else {
        units
    };
    let (step, unit) = units
        .iter()
        .find(fits)
        .or(units.last())
        .expect("every unit list has an entry");
    format!("{:.3} {unit}", value / step)
}

fn escape(text: &str) -> String {
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
