//! An ACK in slow start, and where slow start stands after it.

use farpath_units::{Duration, Time};

/// Where slow start stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Standard slow start.
    SlowStart,
    /// Conservative slow start.
    Conservative,
    /// Enough: `ssthresh = cwnd`.
    Leave,
}

/// An ACK in slow start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// When.
    pub(crate) now: Time,
    /// The round-trip time it measured, if it did.
    pub(crate) rtt: Option<Duration>,
    /// The connection's smallest.
    pub(crate) rtt_min: Duration,
    /// The first unacknowledged byte.
    pub(crate) una: u64,
    /// The first byte not sent yet.
    pub(crate) nxt: u64,
    /// The congestion window in segments.
    pub(crate) cwnd: f64,
    /// The pacing rate in bytes a second, whether the sender paces or not.
    pub(crate) rate: f64,
}
