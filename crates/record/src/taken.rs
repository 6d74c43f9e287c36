//! When, where and with what a record was taken, and how good its evidence is: what a record of a model has no need of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// When, where and with what something was measured or captured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Taken {
    /// The instant that the record's times count from, nanoseconds since 1970-01-01 00:00 UTC; none where no clock of
    /// the day was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_utc_ns: Option<u64>,
    /// How far that may be from UTC, nanoseconds: the maximum error that the kernel states of its clock (adjtimex(2));
    /// none where nothing keeps that clock right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utc_error_ns: Option<u64>,
    /// How far the clocks of its hosts may lie apart, nanoseconds: 0 where all read one clock; none where that is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_error_ns: Option<u64>,
    /// The program that measured, with its version: `iperf 3.12`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The hosts that took part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<Host>,
}

/// A host that took part in a measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Its addresses, as text: those that the test used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
    /// Its operating system: `linux`, `freebsd` …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// The release of its kernel: `6.12.9`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// How far its times may be off beside those of the program that had the test run, nanoseconds; none of a host that
    /// reported no times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_error_ns: Option<u64>,
}

/// Between which values a metric may lie. A bound that is not known is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Uncertainty {
    /// The lower bound, in the metric's unit.
    #[serde(default, with = "crate::number::option")]
    pub low: Option<f64>,
    /// The upper bound.
    #[serde(default, with = "crate::number::option")]
    pub high: Option<f64>,
    /// With which confidence, above 0 and below 1; none where the bounds are certain.
    #[serde(default, with = "crate::number::option")]
    pub level: Option<f64>,
}

/// The way packets took from the end that starts to the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Route {
    /// The nodes that count a packet's TTL down, in order, and the far end; one that is not known has no address.
    pub hops: Vec<RouteHop>,
    /// Whether the last of them is the far end.
    pub reached: bool,
}

/// One hop of a route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RouteHop {
    /// The TTL that it answered to.
    pub ttl: u8,
    /// Its address, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Round-trip times of its answers, nanoseconds; empty where it was not asked.
    pub rtt_ns: Vec<u64>,
    /// MPLS labels that the probe carried there (RFC 4950), outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<u32>,
}

/// How good the evidence of a captured or measured record is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvidenceQuality {
    /// Where it was taken: `sender`, `receiver`, `middle`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vantage: Option<String>,
    /// Packets that the capture is known to have lost.
    pub dropped: u64,
    /// Bytes kept of a packet; none where all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snaplen: Option<u32>,
    /// What else a reader must know, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
}
