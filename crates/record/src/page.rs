//! A run as a page shows it: its document, and the drawing and the traces that no record holds.

use serde::{Deserialize, Serialize};

use crate::{KeyName, Origin, Point, RunDocument, Sequence};

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
    /// Captures beside the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<LinkCapture>,
    /// The keys of the sweep as they were written, the slowest first, with what they are called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<KeyName>,
    /// What records say of themselves, each sentence once, with the tests and points it holds for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// What a reader must know about the whole run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Published laws of what the sweep changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<PublishedLaw>,
    /// What `farpath compare` says of the runs: `farpath.compare/1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<serde_json::Value>,
    /// The runs, where a page has several; each is a value of the key `run` in every point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunOfPage>,
}

/// A law as curves over the points of a test's sweep, whatever the line carries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedLaw {
    /// Its name on a command line: `mathis`.
    pub name: String,
    /// Its name in a legend.
    pub title: String,
    /// The formula of one connection.
    pub formula: String,
    /// The document.
    pub source: String,
    /// Where it holds.
    pub range: String,
    /// The test.
    pub test: String,
    /// The metric: `goodput_bps`.
    pub metric: String,
    /// The key of the sweep along x.
    pub key: String,
    /// No connection of the test is of it: they have another congestion control, or no window is set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// One curve, or one for each value of the other keys on which it depends.
    pub curves: Vec<LawCurve>,
}

/// A law at one value of the other keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LawCurve {
    /// Those of the other keys on which it depends.
    pub at: Point,
    /// Pieces from left to right; each begins where the one before ends.
    pub parts: Vec<LawPart>,
}

/// A piece of a curve that lies within the range of its law, or outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LawPart {
    /// Whether the law holds there.
    pub holds: bool,
    /// Values of the key, ascending: ratios, nanoseconds, bytes or plain numbers.
    pub x: Vec<f64>,
    /// The metric at each, in its unit.
    pub y: Vec<f64>,
}

/// One of several runs of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOfPage {
    /// Its name on the page.
    pub name: String,
    /// The command that made it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// farpath's version, with its commit where that is known.
    pub version: String,
    /// Its seed.
    pub seed: u64,
    /// SHA-256 of its scenario, hexadecimal.
    pub scenario_sha256: String,
}

/// The capture of a link, in the folder of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkCapture {
    /// The link.
    pub link: String,
    /// Whose packets they are.
    pub origin: Origin,
    /// The file's name.
    pub file: String,
    /// The name of the page that `farpath trace` made of it; none where it has no TCP connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
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
