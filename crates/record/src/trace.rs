//! `farpath.trace/1`: what captures say, as `farpath trace --json` prints it.

mod exchange;
mod flow;
mod pair;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use exchange::{Opening, Request, RequestTotals, Reset, TlsFound};
pub use flow::{
    DnsFound, DnsQuery, EchoFound, FlowDirection, IcmpError, NumberedStream, QuicFound, TraceFlow,
};

pub use pair::{LostSegment, PairDirection, TracePair};

/// The version of [`TraceDocument`]'s JSON.
pub const SCHEMA: &str = "farpath.trace/1";

/// What captures say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceDocument {
    /// `farpath.trace/1`.
    pub schema: String,
    /// The version of farpath.
    pub version: String,
    /// The files, in the order in which they were read.
    pub files: Vec<TraceFile>,
    /// The connections, in the order of their first packets.
    pub connections: Vec<TraceConnection>,
    /// Flows that are not TCP, in the order of their first packets.
    pub flows: Vec<TraceFlow>,
    /// Errors that ICMP reported, in the order of their first packets.
    pub icmp_errors: Vec<IcmpError>,
    /// Connections that were captured at two points; each of them is two of `connections`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<TracePair>,
    /// Packets that belong to no connection of the list, by what they are: `udp`, `fragment`, `malformed` …
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub others: BTreeMap<String, u64>,
    /// What a reader must know of all of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One capture file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceFile {
    /// Its name as given; `-` is standard input.
    pub name: String,
    /// SHA-256 of the file as it stands, in hexadecimal; empty where it was not worked out.
    pub sha256: String,
    /// Packets.
    pub packets: u64,
    /// Bytes of the packets on their links, captured or not.
    pub bytes: u64,
    /// Time of the first packet, nanoseconds since 1970-01-01 00:00 UTC by the capture's clock.
    pub first_ns: i64,
    /// Time of the last packet.
    pub last_ns: i64,
    /// What the interfaces carried: `ethernet`, `ppp` …
    pub link_types: Vec<String>,
    /// The file ends before its end, or is damaged.
    pub truncated: bool,
    /// Packets that the capture lost, as the file says.
    pub dropped_by_capture: u64,
    /// What a reader must know of it.
    pub notes: Vec<String>,
}

/// One TCP connection. `a` opened it, as far as that was seen; else `a` sent the first packet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceConnection {
    /// Its number, from 1, in the order of first packets.
    pub id: u64,
    /// Address and port of the end that opened it.
    pub a: String,
    /// Address and port of the other end.
    pub b: String,
    /// Time of its first packet, nanoseconds since 1970-01-01 00:00 UTC by the capture's clock.
    pub start_ns: i64,
    /// From its first packet to its last, nanoseconds.
    pub duration_ns: u64,
    /// Both SYNs and an end (both FINs, or a reset) are in the capture.
    pub complete: bool,
    /// Where it was captured: `sender_of_a` is at the end `a`, `sender_of_b` at the end `b`, `middle` between; `unknown`.
    pub vantage: String,
    /// Segments are larger than a network carries: the capturing host's segmentation offload.
    pub offload: bool,
    /// From the SYN to the ACK that ends the handshake, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshake_rtt_ns: Option<u64>,
    /// The number of the same connection, captured at another point: it is in the list twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<u64>,
    /// The name of `b`: what the client of TLS asked for, or else what DNS answers of the same capture gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How it began; none where no SYN was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<Opening>,
    /// Its TLS handshake.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsFound>,
    /// Its first reset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset: Option<Reset>,
    /// Requests and their responses, where the ends take turns; at most 1001.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<Request>,
    /// All of them together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_totals: Option<RequestTotals>,
    /// What a reader must know of it.
    pub notes: Vec<String>,
    /// How good the evidence is: counts by name, only those that are not 0.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub quality: BTreeMap<String, u64>,
    /// What `a` sent, and what `b` answered to it.
    pub a2b: TraceDirection,
    /// What `b` sent, and what `a` answered to it.
    pub b2a: TraceDirection,
}

/// One direction of a connection: the data of one end, and the acknowledgements of the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceDirection {
    /// Packets that the end sent, without those that the capture holds twice.
    pub packets: u64,
    /// Payload bytes in them, every repetition counted.
    pub bytes: u64,
    /// Payload bytes, each counted once.
    pub unique_bytes: u64,
    /// Data segments as they are on the wire: a packet of n times the MSS counts n.
    pub segments: u64,
    /// Segments sent again: the sum of `retransmissions`.
    pub retransmitted_segments: u64,
    /// Payload bytes that the capture holds more than once, but for copies that the network or the capture made.
    pub retransmitted_bytes: u64,
    /// Segments sent again, by class.
    pub retransmissions: Retransmissions,
    /// How the sender came to send the segments of class `upstream` again, by class.
    #[serde(skip_serializing_if = "Retransmissions::is_empty")]
    pub upstream_by: Retransmissions,
    /// How the sender came to send the segments of class `unneeded` again, by class.
    #[serde(skip_serializing_if = "Retransmissions::is_empty")]
    pub unneeded_by: Retransmissions,
    /// Segments that others had overtaken before the capture.
    pub reordered_segments: u64,
    /// Segments that the network doubled before the capture.
    pub network_duplicates: u64,
    /// Acknowledgements of this data that repeat the one before (RFC 5681 §2), or carry new SACK blocks and no new number.
    pub duplicate_acks: u64,
    /// Times that the receiver closed its window.
    pub zero_windows: u64,
    /// Packets that came marked as having met congestion (RFC 3168): only behind the router that marks them are there any.
    #[serde(skip_serializing_if = "is_zero")]
    pub marked: u64,
    /// Acknowledgements of this data with ECN-Echo: from a mark until the receiver has the sender's answer, there are many of one.
    #[serde(skip_serializing_if = "is_zero")]
    pub ecn_echoes: u64,
    /// Segments with CWR that answer such an echo: so often the window was made smaller for marks.
    #[serde(skip_serializing_if = "is_zero")]
    pub ecn_reductions: u64,
    /// Payload bytes of a full segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mss: Option<u32>,
    /// Shift of the receiver's windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scale: Option<u8>,
    /// The handshake was not captured: the shift is the smallest that allows what was sent.
    #[serde(skip_serializing_if = "is_false")]
    pub window_scale_inferred: bool,
    /// Largest window that the receiver announced, bytes.
    pub window_max_bytes: u64,
    /// Most bytes sent and not yet below the acknowledged number, as the sender saw it: what SACK blocks reported, and what was
    /// lost, is among it.
    pub flight_max_bytes: u64,
    /// Shortest time from a segment to its acknowledgement at the place of the capture, nanoseconds; segments sent
    /// once only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_min_ns: Option<u64>,
    /// Their mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_avg_ns: Option<u64>,
    /// The longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_max_ns: Option<u64>,
    /// How many there are.
    pub rtt_samples: u64,
    /// Other kinds of samples by name: `sack`, until a SACK block; `timestamp`, by echoed timestamps.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rtt_by: BTreeMap<String, RttSamples>,
    /// Unique bytes acknowledged, or sent where no acknowledgement was seen, over the time from the first to the last
    /// packet with data or of its acknowledgement, bit/s: the handshake is not in it, the start of a connection is.
    pub goodput_bps: u64,
    /// What limited it most of the time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<String>,
    /// Shares of its time by what limited it; they add up to 1.
    #[serde(with = "crate::number::map")]
    pub limit_shares: BTreeMap<String, f64>,
    /// Small segments that waited for acknowledgements; none where they are few.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_small: Option<HeldSmall>,
    /// Intervals that cost throughput, in order of time.
    pub glitches: Vec<Glitch>,
    /// What SACK saved; none where no recovery had several holes to repair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sack_benefit: Option<SackBenefit>,
    /// How its losses lie in time: `periodic`, `random`, `clustered`; `mixed` where most stand alone and a few bursts hold a quarter
    /// of the segments or more; none where they are too few.
    pub loss_pattern: Option<String>,
    /// The policer that its losses show.
    pub policer: Option<PolicerFound>,
    /// Segments and losses by size, where there are several sizes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loss_by_size: Vec<LossBySize>,
    /// `per_byte` where large segments are lost as much more often as they are larger: errors of bits or cells.
    /// `per_packet` where all sizes are lost alike: queues. None where the evidence does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_scales: Option<String>,
}

/// Segments sent again, by how the sender came to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Retransmissions {
    /// Acknowledgements showed the loss (RFC 5681 §3.2, RFC 6675, RFC 8985).
    pub fast: u64,
    /// The retransmission timeout, and what was sent again until it was repaired (RFC 6298).
    pub rto: u64,
    /// A tail loss probe (RFC 8985 §7).
    pub tlp: u64,
    /// The retransmission had been lost too.
    pub lost_retransmission: u64,
    /// The receiver had it already.
    pub unneeded: u64,
    /// The first copy never came to the place of the capture.
    pub upstream: u64,
    /// The evidence does not say.
    pub unknown: u64,
}

/// Round-trip times of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RttSamples {
    /// The shortest, nanoseconds.
    pub min_ns: u64,
    /// The mean.
    pub avg_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// How many.
    pub samples: u64,
}

/// Segments that their sender held back until the one before was acknowledged, as Nagle's algorithm does (RFC 1122 §4.2.3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HeldSmall {
    /// How many.
    pub segments: u64,
    /// From the segment before to each of them, in all, nanoseconds.
    pub waited_ns: u64,
    /// What of each wait is more than the shortest round trip, on average, nanoseconds: the receiver delayed its acknowledgement
    /// (RFC 1122 §4.2.3.2).
    pub ack_delay_avg_ns: u64,
}

impl HeldSmall {
    /// The word of such waits among limits.
    pub const LIMIT: &str = "small_writes";
}

/// An interval that cost throughput.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Glitch {
    /// `recovery`, `stall`, `rate_collapse`, or `reduction`: the window was made smaller for marks, and nothing was lost.
    pub kind: String,
    /// Its start, nanoseconds since the connection's first packet.
    pub start_ns: u64,
    /// Until the rate was back, nanoseconds.
    pub duration_ns: u64,
    /// Bytes that were not delivered in that time, beside the rate before it.
    pub cost_bytes: u64,
    /// Why, in the words of limits: `loss`, `receive_window`, `application`, `link`, `unknown` … or [`Glitch::PROBE_RTT`],
    /// [`Glitch::MARKS`].
    pub cause: String,
    /// Segments sent again in it.
    #[serde(skip_serializing_if = "is_zero")]
    pub retransmitted_segments: u64,
}

impl Glitch {
    /// The cause of a collapse that is BBR's ProbeRTT: four segments in flight for 200 ms and a round trip at least, each ten seconds.
    pub const PROBE_RTT: &str = "probe_rtt";

    /// The cause of a reduction: routers marked packets instead of dropping them (RFC 3168), and the receiver echoed that.
    pub const MARKS: &str = "ecn_marks";
}

/// What selective acknowledgements saved in recoveries: with them several holes are repaired in one round trip, without them
/// one in each (RFC 6582).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SackBenefit {
    /// Recoveries with several holes.
    pub recoveries: u64,
    /// Holes in them: stretches of lost segments count by segment.
    pub holes: u64,
    /// How long these recoveries took, nanoseconds: time in two of them counts once.
    pub took_ns: u64,
    /// How long they would have taken at one hole a round trip.
    pub without_ns: u64,
}

/// Segments of about one size, from a power of two up to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LossBySize {
    /// Their mean payload, bytes.
    pub size_avg_bytes: u64,
    /// How many were sent, repetitions left out.
    pub segments: u64,
    /// How many of them were lost.
    pub lost: u64,
    /// `lost` over `segments`.
    pub loss_ratio: f64,
}

/// A policer that losses show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PolicerFound {
    /// Its rate, bit/s.
    pub rate_bps: u64,
    /// The lowest rate that explains the losses as well, bit/s.
    pub rate_least_bps: u64,
    /// The highest one, bit/s. Far apart: the sender stayed below the policer's rate, and its size alone is sure.
    pub rate_most_bps: u64,
    /// What it lets pass at once, bytes.
    pub burst_bytes: u64,
}

fn is_false(value: &bool) -> bool {
    !*value
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl TraceDocument {
    /// An empty document of this version of farpath.
    pub fn new() -> TraceDocument {
        TraceDocument {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..TraceDocument::default()
        }
    }
}

impl Retransmissions {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.fast
            + self.rto
            + self.tlp
            + self.lost_retransmission
            + self.unneeded
            + self.upstream
            + self.unknown
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }
}
