//! The figures of the TCP throughput test method (RFC 6349).

use farpath_units::{Duration, Rate, Size};

use crate::window::seconds;

/// Frames a second when each takes `wire` bytes of the line: C/(8·L) (RFC 6349 §4.1.1).
pub fn frames_per_s(rate: Rate, wire: Size) -> f64 {
    rate.as_bps() as f64 / (8.0 * wire.as_bytes() as f64)
}

/// Bit/s of TCP payload when each frame of `wire` bytes carries `mss` of it.
pub fn payload_bps(rate: Rate, wire: Size, mss: Size) -> f64 {
    frames_per_s(rate, wire) * mss.as_bytes() as f64 * 8.0
}

/// How far the mean RTT under load exceeds the base RTT, as a share of the base (RFC 6349 §4.3,
/// there in per cent). Negative when the load made it shorter.
pub fn buffer_delay_ratio(base: Duration, loaded: Duration) -> f64 {
    (seconds(loaded) - seconds(base)) / seconds(base)
}

/// The share of bytes sent that were not retransmitted (RFC 6349 §4.2, there in per cent).
pub fn tcp_efficiency_ratio(sent: Size, retransmitted: Size) -> f64 {
    (sent.as_bytes() as f64 - retransmitted.as_bytes() as f64) / sent.as_bytes() as f64
}

/// Measured over ideal transfer time (RFC 6349 §4.1).
pub fn transfer_time_ratio(actual: Duration, ideal: Duration) -> f64 {
    seconds(actual) / seconds(ideal)
}
