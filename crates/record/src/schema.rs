//! `farpath.run/1` and `farpath.record/1`: the JSON that `farpath run --json` prints.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Where a number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A closed form.
    Predicted,
    /// The model in virtual time.
    Simulated,
    /// Real kernels through the model in real time.
    Emulated,
    /// Real hosts over a real path.
    Measured,
    /// A capture file.
    Captured,
}

/// A time series: one value per instant, both arrays the same length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Nanoseconds since the start of the run.
    pub t_ns: Vec<u64>,
    /// Values, in the unit that ends the series' name.
    #[serde(with = "crate::number::list")]
    pub v: Vec<f64>,
}

/// One stream of a test (a parallel test has several).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamRecord {
    /// Number of the stream, from 0.
    pub stream: u32,
    /// Metrics of this stream alone.
    #[serde(with = "crate::number::map")]
    pub metrics: BTreeMap<String, f64>,
    /// Share of the stream's time, but for outages of its path (`outage_ratio`), by what limited it; shares sum to 1.
    #[serde(with = "crate::number::map")]
    pub limited_by: BTreeMap<String, f64>,
}

/// The result of one test at one point, one repeat, from one origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `farpath.record/1`.
    pub schema: String,
    /// Where the numbers come from.
    pub origin: Origin,
    /// The test's name in the scenario.
    pub test: String,
    /// `ping`, `tcp`, `udp` …
    pub kind: String,
    /// The host that starts.
    pub from: String,
    /// The host that answers.
    pub to: String,
    /// The sweep point: `--set` path to value as written; empty without a sweep.
    pub point: BTreeMap<String, String>,
    /// The group of tests whose goodputs are compared with its own, as the scenario names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// Start of the test, nanoseconds since the start of the run.
    pub started_ns: u64,
    /// Start of its measurement, behind what `omit` leaves out; absent of documents of earlier versions and of records without a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_from_ns: Option<u64>,
    /// Length of the test in nanoseconds.
    pub duration_ns: u64,
    /// Metrics; the unit is last in each name.
    #[serde(with = "crate::number::map")]
    pub metrics: BTreeMap<String, f64>,
    /// Why a metric has no value that others of its kind have: what it measures never came about.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub absent: BTreeMap<String, String>,
    /// Why the origin did not run the test: then there are no metrics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_run: Option<String>,
    /// What limited the test most of the time.
    pub limited_by: Option<String>,
    /// Where that was, of a link or a policer: the link and its direction, `neck r1>r2`. Left out where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited_at: Option<String>,
    /// The single streams.
    pub streams: Vec<StreamRecord>,
    /// Time series by name.
    pub series: BTreeMap<String, Series>,
    /// How long each of its answers, flows or connections took: `response_ns`, `flow_time_ns`, `completion_ns`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub times: BTreeMap<String, crate::Times>,
    /// Whether the numbers may be trusted (a failed certificate says no).
    pub valid: bool,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// What was found wrong or worth knowing, with its evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<crate::Finding>,
    /// How true the emulation was; only emulated records have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<crate::Certificate>,
    /// When, where and with what it was taken; absent from what a model says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<crate::Taken>,
    /// Between which values a metric may lie, where its evidence leaves that open.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub uncertainty: BTreeMap<String, crate::Uncertainty>,
    /// The way its packets took, where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<crate::Route>,
    /// How good the evidence of a captured or measured record is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_quality: Option<crate::EvidenceQuality>,
}

/// Counters and rate of one direction of one link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkRecord {
    /// Where the numbers come from.
    pub origin: Origin,
    /// The link's name.
    pub link: String,
    /// `A>B`.
    pub direction: String,
    /// The sweep point.
    pub point: BTreeMap<String, String>,
    /// Number of the repeat, from 0; not written where it is 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub repeat: u32,
    /// Bytes on the wire, framing included.
    pub bytes: u64,
    /// TCP and UDP payload bytes.
    pub payload_bytes: u64,
    /// Frames offered to it: those transmitted, those that wait, and those dropped before that. Absent from documents of
    /// earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<u64>,
    /// Frames transmitted.
    pub frames: u64,
    /// Frames dropped, before and after that, by reason: one of [`DROP_REASONS`](crate::link::DROP_REASONS).
    pub drops: BTreeMap<String, u64>,
    /// Directions of links, `LINK A>B`, that carry less than this one, where the node that it leads to dropped frames as too large: it
    /// sends on over these what comes this way. Empty where none was, and in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub too_large_for: Vec<String>,
    /// Ends of the rate's intervals, nanoseconds.
    pub t_ns: Vec<u64>,
    /// Wire rate in each interval, framing included.
    #[serde(with = "crate::number::list")]
    pub rate_bps: Vec<f64>,
    /// Waiting bytes at the end of each interval.
    #[serde(default, with = "crate::number::list")]
    pub queue_bytes: Vec<f64>,
    /// The most bytes that ever waited, between the ends of intervals too. Absent from documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_max_bytes: Option<u64>,
    /// The queues of a direction that has classes, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<QueueRecord>,
    /// The policers of a direction that has some, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policers: Vec<PolicerRecord>,
    /// What impairments came to, by metric; absent without any.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        with = "crate::number::map"
    )]
    pub realised: BTreeMap<String, f64>,
    /// Cells, on a link of cells: `sent`, `lost` on the way, `tagged` by a policer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cells: BTreeMap<String, u64>,
}

fn is_first(repeat: &u32) -> bool {
    *repeat == 0
}

/// What one policer measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicerRecord {
    /// Its name.
    pub name: String,
    /// Green, yellow and red frames.
    pub frames: [u64; 3],
    /// Their bytes, as the policer counts them.
    pub bytes: [u64; 3],
}

/// What one class's queue did; `offered = frames + drops + waiting`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueRecord {
    /// The class's name.
    pub class: String,
    /// Frames offered.
    pub offered: u64,
    /// Frames sent.
    pub frames: u64,
    /// Their bytes on the wire, framing included.
    pub bytes: u64,
    /// Frames dropped by the queue: `tail`, `red` (early, by active queue management) and
    /// `down` (it waited when the link went down).
    pub drops: BTreeMap<String, u64>,
    /// Frames marked as having met congestion.
    pub marked: u64,
    /// Frames waiting at the end.
    pub waiting: u64,
    /// Most bytes ever waiting, as seen by arriving frames.
    pub queue_max_bytes: u64,
    /// Longest wait of a frame that was sent, nanoseconds.
    pub delay_max_ns: f64,
    /// Their mean wait, nanoseconds.
    pub delay_mean_ns: f64,
}

/// An expectation, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// `TEST.METRIC` or `link.NAME.A>B.METRIC`, with ` over ` or ` minus ` another.
    pub metric: String,
    /// The origin that was judged.
    pub origin: Origin,
    /// The sweep point.
    pub point: BTreeMap<String, String>,
    /// Lower bound.
    #[serde(default, with = "crate::number::option")]
    pub min: Option<f64>,
    /// Upper bound.
    #[serde(default, with = "crate::number::option")]
    pub max: Option<f64>,
    /// The value found; absent when the metric does not exist.
    #[serde(default, with = "crate::number::option")]
    pub actual: Option<f64>,
    /// Of how many repeats the value is, where some of those that count lack it; else absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Partly>,
    /// The reason for a missing value, where a record has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// The source's own words.
    pub stated: Option<String>,
    /// The source.
    pub source: Option<String>,
    /// Why the stated figure and the band differ, where they do.
    pub note: Option<String>,
    /// The file of `--expect` it stands in; absent for the scenario's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its number among the `[[expect]]` of that file, from 1: what has the same number there is one question. Absent for the
    /// scenario's own, and in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<u32>,
    /// Whether the file demands an answer of the scenario (`stated_within`): what it wants stays with whoever marks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
    /// What the scenario's own expectations lack, where the file demands one (`stated_within`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unstated: Option<String>,
    /// Whether the value lies inside the bounds, and nothing demanded is lacking.
    pub pass: bool,
}

/// How many repeats have a result that some of them lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partly {
    /// Those that have it, at least 1.
    pub have: u32,
    /// Those that count, more than `have`.
    pub of: u32,
}

impl Partly {
    /// In words: `3 of 8 repeats have it`.
    pub fn words(self) -> String {
        let verb = if self.have == 1 { "has" } else { "have" };
        format!("{} of {} repeats {verb} it", self.have, self.of)
    }
}

/// The one document `farpath run --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunDocument {
    /// `farpath.run/1`.
    pub schema: String,
    /// The scenario's name; empty without one.
    #[serde(default)]
    pub scenario: String,
    /// farpath's version.
    pub version: String,
    /// The commit farpath was built from, with its date; absent of a development build, and of one without a checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The seed of the run; 0 without a scenario.
    #[serde(default)]
    pub seed: u64,
    /// SHA-256 of the scenario text after `--set` and `--seed` and of the files it reads, hexadecimal; empty
    /// without a scenario.
    #[serde(default)]
    pub scenario_sha256: String,
    /// The keys of the sweep in the order of the scenario, those that advance together in one list; empty without a sweep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sweep: Vec<Vec<String>>,
    /// The scenario's links where there is a sweep and `links` is empty, as of predictions alone: keys of links are named so that
    /// they tell these apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link_names: Vec<String>,
    /// Every record.
    pub records: Vec<Record>,
    /// Every direction of every link.
    pub links: Vec<LinkRecord>,
    /// Every judged expectation.
    pub expectations: Vec<Expectation>,
    /// What the repeats have in common, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<crate::Repeats>,
    /// What stopped the run before its end, and how much of it is here; absent of a whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<crate::Stopped>,
    /// What of the scenario's text makes no difference to the run, or lets nothing through, a line each with its place; absent
    /// where nothing is found, and in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
