//! Classes of policy maps, and what is done with them.

use farpath_units::{Duration, Rate, Size};

use super::{Stated, Trust};
use crate::source::Place;

/// A class of a policy map and what is done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Name of the class map, or `class-default`.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// `set dscp`.
    pub set_dscp: Option<Stated<u8>>,
    /// `set precedence`.
    pub set_precedence: Option<Stated<u8>>,
    /// `set cos`.
    pub set_cos: Option<Stated<u8>>,
    /// `trust`.
    pub trust: Option<Stated<Trust>>,
    /// `police`.
    pub police: Option<Stated<Police>>,
    /// `police cir percent`: of the interface's rate.
    pub police_percent: Option<Stated<PolicePercent>>,
    /// `bandwidth`: what it has when all classes send.
    pub bandwidth: Option<Stated<Share>>,
    /// `priority`: it goes first, and has at most this share while others send, where one is stated.
    pub priority: Option<Stated<Option<Share>>>,
    /// `shape average`: rate and burst.
    pub shape: Option<Stated<(Rate, Option<Size>)>>,
    /// `shape average percent`: of the interface's rate, 1 to 100.
    pub shape_percent: Option<Stated<u32>>,
    /// `queue-limit`: what waits of it at most.
    pub queue_limit: Option<Stated<QueueLimit>>,
    /// `service-policy`: a policy of its own for what the class holds.
    pub service: Option<Stated<String>>,
    /// Statements not understood.
    pub unknown: Vec<Place>,
}

/// What a class keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// A rate.
    Rate(Rate),
    /// Percent of the interface's rate, 1 to 100.
    Percent(u32),
    /// Percent of what the others leave, 1 to 100.
    RemainingPercent(u32),
    /// Weight for what the others leave, 1 to 65536.
    RemainingRatio(u32),
}

/// How much of a class waits at most, as `queue-limit` states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// Frames, whatever their length.
    Packets(u64),
    /// Bytes of frames.
    Bytes(Size),
    /// What the rate of the class sends in this time.
    Time(Duration),
}

/// An Ethernet frame of 1500 bytes of IP, as policers and queues count it, bytes.
pub(crate) const FULL_FRAME_BYTES: u64 = 1514;

impl QueueLimit {
    /// Bytes of full Ethernet frames, 1514 B each, that it holds before `rate`; saturates.
    pub(crate) fn holds(self, rate: Rate) -> Size {
        match self {
            QueueLimit::Packets(n) => Size::from_bytes(n.saturating_mul(FULL_FRAME_BYTES)),
            QueueLimit::Bytes(size) => size,
            QueueLimit::Time(time) => rate.bytes_in(time),
        }
    }
}

impl core::fmt::Display for QueueLimit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            QueueLimit::Packets(1) => f.write_str("1 packet"),
            QueueLimit::Packets(n) => write!(f, "{n} packets"),
            QueueLimit::Bytes(size) => write!(f, "{size}"),
            QueueLimit::Time(time) => write!(f, "{time}"),
        }
    }
}

/// `police cir percent PERCENT …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicePercent {
    /// Of the interface's rate, 1 to 100.
    pub percent: u32,
    /// Depth of the bucket, as the time it takes to fill, where it is stated.
    pub burst: Option<Duration>,
    /// What happens beyond.
    pub exceed: Action,
}

/// `police RATE BURST …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Police {
    /// Committed rate.
    pub rate: Rate,
    /// Depth of the bucket.
    pub burst: Size,
    /// Where no burst is stated, the time of its rate that the bucket is taken to hold; platforms and releases differ.
    pub taken: Option<Duration>,
    /// Depth of the second bucket, or of the peak's.
    pub max_burst: Option<Size>,
    /// Peak rate, of two-rate policers.
    pub peak: Option<Rate>,
    /// What happens to frames within the rate.
    pub conform: Action,
    /// What happens beyond.
    pub exceed: Action,
    /// What happens beyond the second bucket.
    pub violate: Option<Action>,
}

/// What a policer does with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Let it pass.
    Transmit,
    /// Drop it.
    Drop,
    /// Let it pass with this DSCP.
    SetDscp(u8),
    /// Let it pass with the DSCP the `policed-dscp` map gives.
    MarkDown,
}

impl Class {
    /// A class that does nothing yet.
    pub(crate) fn named(name: &str, place: Place) -> Class {
        Class {
            name: name.to_owned(),
            place,
            set_dscp: None,
            set_precedence: None,
            set_cos: None,
            trust: None,
            police: None,
            police_percent: None,
            bandwidth: None,
            priority: None,
            shape: None,
            shape_percent: None,
            queue_limit: None,
            service: None,
            unknown: Vec::new(),
        }
    }
}
