//! One direction of a captured connection as a page: one file, no network, by the bundle of the report.

use std::collections::BTreeMap;

use farpath_record::trace::TraceDocument;
use farpath_record::{Sequence, SequenceBurst, Series};
use serde::Serialize;

use crate::html::{escape, page};
use crate::layout::{Form, Layout};
use crate::trace::render;

/// The version of [`TracePage`]'s JSON.
pub const SCHEMA: &str = "farpath.trace-page/1";

/// Everything the page shows. Times are nanoseconds since the connection's first packet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TracePage {
    /// `farpath.trace-page/1`.
    pub schema: String,
    /// The files, the one connection and its notes, as `--json` prints them.
    pub document: TraceDocument,
    /// The direction that is drawn: `a2b` or `b2a`.
    pub direction: String,
    /// The connections that are not drawn, the largest first.
    pub others: Vec<Other>,
    /// How many more there are.
    pub others_left_out: u64,
    /// New data, acknowledgements and SACK blocks.
    pub sequence: Sequence,
    /// What was sent again, or came late, by class.
    pub again: BTreeMap<String, Vec<SequenceBurst>>,
    /// The first byte that the receiver's window has no room for.
    pub edges: Vec<SequenceBurst>,
    /// What limited the sender, in order and without gaps between equal ones.
    pub limits: Vec<LimitSpan>,
    /// By name, which ends in the unit.
    pub series: BTreeMap<String, Series>,
}

/// A span of time and what limited the sender in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitSpan {
    /// Its start.
    pub from_ns: u64,
    /// Its end.
    pub until_ns: u64,
    /// A word of `limited_by`.
    pub limit: String,
}

/// A connection of which the page only says that it is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Other {
    /// Its number, for `--connection`.
    pub id: u64,
    /// Address and port of the end that opened it.
    pub a: String,
    /// Address and port of the other end.
    pub b: String,
    /// The name of the other end, by DNS or TLS of the same capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New payload bytes, both directions.
    pub bytes: u64,
}

/// The page: one HTML file that needs nothing else. Without a script it shows what `farpath trace` prints.
pub fn render_page(data: &TracePage) -> String {
    let ends = data.document.connections.first();
    let title = ends.map_or_else(String::new, |c| format!("{} to {}", c.a, c.b));
    let layout = Layout {
        width: 100,
        colour: false,
        form: Form::default(),
    };
    let text = render(&data.document, 1, layout);
    let plain = format!(
        "<h1>{}</h1>\n<pre>{}</pre>\n",
        escape(&title),
        escape(&text)
    );
    let json = serde_json::to_string(data).expect("string keys and plain values always serialise");
    page(&title, plain, &json)
}

#[cfg(test)]
mod tests;
