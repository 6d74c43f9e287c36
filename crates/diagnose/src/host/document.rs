//! `farpath.host/1`: what `farpath host --json` prints.

use farpath_record::Finding;
use farpath_record::survey::Survey;
use serde::Serialize;

use crate::cause::Cause;
use crate::document::{Ceiling, Change};

/// The name of the document's form.
pub(super) const SCHEMA: &str = "farpath.host/1";

/// What a host allows.
#[derive(Clone, Debug, Serialize)]
pub struct HostReport {
    /// `farpath.host/1`.
    pub schema: &'static str,
    /// Version of farpath.
    pub version: String,
    /// The answer.
    pub verdict: HostVerdict,
    /// The path it was judged for; none if none was named.
    pub path: Option<HostPath>,
    /// Every ceiling of a connection, lowest first; without a path at the verdict's round trip.
    pub ceilings: Vec<HostCeiling>,
    /// What it allows at several round trips.
    pub rates: Vec<RateAt>,
    /// What one loss costs on the path.
    pub congestion: Option<Congestion>,
    /// What is wrong or worth knowing, worst first.
    pub findings: Vec<Finding>,
    /// What to change.
    pub changes: Vec<Change>,
    /// What a reader must know of where the host runs.
    pub notes: Vec<String>,
    /// What could not be read.
    pub unknown: Vec<String>,
    /// What was read.
    pub survey: Survey,
}

/// The answer in one line, and its figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostVerdict {
    /// `This host allows 4.20 Gbit/s on 10 Gbit/s, 150 ms: tcp_wmem limits`.
    pub text: String,
    /// Payload that a connection may reach both ways, bit/s; none if no window could be read.
    pub allows_bps: Option<f64>,
    /// The same, of what this host sends.
    pub send_bps: Option<f64>,
    /// The same, of what this host receives.
    pub receive_bps: Option<f64>,
    /// Payload that the path leaves, bit/s.
    pub wanted_bps: Option<f64>,
    /// Round trip that the rates are for, nanoseconds.
    pub rtt_ns: u64,
    /// Which way the lowest ceiling is of.
    pub way: Option<Way>,
    /// The setting or interface that limits.
    pub by: String,
    /// The cause, by its word in a diagnosis.
    pub cause: &'static str,
    /// Whether it is 95 % of what the path leaves; none without a path, and where a way is unknown and the other is enough.
    pub enough: Option<bool>,
}

/// A path that a host is judged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HostPath {
    /// Rate of its slowest link, bit/s.
    pub rate_bps: u64,
    /// Round-trip time, nanoseconds.
    pub rtt_ns: u64,
    /// Largest IP packet, bytes.
    pub mtu_bytes: u64,
}

/// Which way data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// This host sends it.
    Send,
    /// This host receives it.
    Receive,
}

impl Way {
    /// What its window or buffer is as a cause.
    pub(super) fn cause(self) -> Cause {
        match self {
            Way::Send => Cause::SendBuffer,
            Way::Receive => Cause::ReceiveWindow,
        }
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Way::Send => "sending",
            Way::Receive => "receiving",
        }
    }
}

/// For which programs a ceiling holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// For those that ask for no buffer: the kernel tunes it.
    Automatic,
    /// For those that ask for as much as they may (`setsockopt`).
    Requested,
    /// For all.
    Always,
}

/// A ceiling of a host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostCeiling {
    /// Which way.
    pub way: Way,
    /// For which programs.
    pub how: How,
    /// The setting or interface it comes from.
    pub by: String,
    /// The ceiling.
    #[serde(flatten)]
    pub ceiling: Ceiling,
}

/// What a host allows at a round trip, bit/s of payload; none where nothing could be read.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RateAt {
    /// Round-trip time, nanoseconds.
    pub rtt_ns: u64,
    /// What it sends by its own tuning.
    pub send_bps: Option<f64>,
    /// What it receives by its own tuning.
    pub receive_bps: Option<f64>,
    /// What a program sends that asks for the largest buffer.
    pub send_requested_bps: Option<f64>,
    /// What a program receives that asks for the largest buffer.
    pub receive_requested_bps: Option<f64>,
}

/// What one loss costs on the path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Congestion {
    /// The host's congestion control.
    pub algorithm: String,
    /// Bytes in flight that fill the path.
    pub window_bytes: f64,
    /// Seconds to the old window after one loss; none where no closed form holds.
    pub recovery_s: Option<f64>,
    /// The share of segments that may be lost with the path still full; none where no law holds.
    pub loss_ratio_to_fill: Option<f64>,
}
