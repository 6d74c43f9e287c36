//! Time–sequence traces: what a connection's sender put on the wire and took from it, whatever the origin.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Origin;

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
    /// Bytes from one event of a group to the next; below zero where they go back, as repairs do.
    #[serde(default, skip_serializing_if = "same")]
    pub seq_step: i64,
    /// Groups, at least 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub m: u64,
    /// From one group to the next, nanoseconds.
    #[serde(default, skip_serializing_if = "still")]
    pub group_gap_ns: f64,
    /// Bytes from one group to the next; below zero where they go back.
    #[serde(default, skip_serializing_if = "same")]
    pub group_seq_step: i64,
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

fn same(step: &i64) -> bool {
    *step == 0
}

fn still(gap: &f64) -> bool {
    *gap == 0.0
}
