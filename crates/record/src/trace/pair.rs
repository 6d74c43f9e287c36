//! What two captures of one connection say together.

use serde::{Deserialize, Serialize};

/// One connection that was captured at two points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TracePair {
    /// Its numbers in `connections`: the point nearer to `a` first.
    pub connections: [u64; 2],
    /// The files that hold it, in the same order.
    pub files: [String; 2],
    /// Address and port of the end that opened it, as the first point has them.
    pub a: String,
    /// Address and port of the other end.
    pub b: String,
    /// The addresses or ports differ between the points: something between translates them.
    #[serde(skip_serializing_if = "super::is_false")]
    pub translated: bool,
    /// Both points have one clock: the same file.
    pub same_clock: bool,
    /// Clock of the second point less that of the first, nanoseconds, if both ways take equally long. Half of the
    /// difference of the ways is in it. 0 of one clock.
    pub clock_offset_ns: i64,
    /// How far it may be off, because the ways differ: half of `round_trip_min_ns`.
    pub clock_uncertainty_ns: u64,
    /// How much faster the second clock runs, parts in a million; none where both directions do not agree on it.
    #[serde(with = "crate::number::option")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_drift_ppm: Option<f64>,
    /// Shortest time between the points and back. No clock's offset is in it.
    pub round_trip_min_ns: u64,
    /// Every packet was compared; else as many as there was room for.
    pub complete: bool,
    /// What a reader must know of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What `a` sent: from the first point to the second.
    pub a2b: PairDirection,
    /// What `b` sent: from the second point to the first.
    pub b2a: PairDirection,
}

/// One direction between two points: from the one that a packet passes first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PairDirection {
    /// Packets that passed the first point while both captured.
    pub packets: u64,
    /// Packets of them that never came to the second one; of what offload sends as one, the segments that did not come.
    pub lost: u64,
    /// `lost` over `packets`; over the bytes where offload cut or joined segments on the way.
    #[serde(with = "crate::number::option")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_ratio: Option<f64>,
    /// Payload bytes in them that never came.
    pub lost_bytes: u64,
    /// Those of them without data.
    pub lost_acks: u64,
    /// What was lost of those with data, in order of time: a segment, or the parts of one that did not come; at most 1000.
    pub lost_segments: Vec<LostSegment>,
    /// Packets that others had overtaken between the points.
    pub reordered: u64,
    /// Packets that came twice to the second point and passed the first once.
    pub duplicated: u64,
    /// Packets whose bytes only the second point has: the first capture lost them.
    pub appeared: u64,
    /// Payload bytes that only the second point has.
    pub appeared_bytes: u64,
    /// Segments of the first point whose bytes the second has, all or some, in other pieces: offload splits and joins.
    pub recut: u64,
    /// The pieces that the second point has of them.
    pub recut_into: u64,
    /// Shortest time from point to point, nanoseconds; the clock's offset is taken out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_min_ns: Option<i64>,
    /// Its mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_avg_ns: Option<i64>,
    /// The p50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_p50_ns: Option<i64>,
    /// The p99.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_p99_ns: Option<i64>,
    /// The longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_max_ns: Option<i64>,
    /// Routers between the points, by the TTL or hop limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<i16>,
    /// The MSS of the SYN at both points, where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mss_rewritten: Option<[u16; 2]>,
    /// The window scale of the SYN at both points, where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scale_rewritten: Option<[u8; 2]>,
    /// Options of the SYN that were taken out on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options_removed: Vec<String>,
    /// Options of the SYN that were put in on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options_added: Vec<String>,
}

/// A segment that was lost between two points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LostSegment {
    /// When it passed the first of them, nanoseconds since the connection's first packet there.
    pub at_ns: u64,
    /// Its first byte, counted from the first payload byte.
    pub offset: u64,
    /// Its payload, bytes.
    pub length: u32,
}
