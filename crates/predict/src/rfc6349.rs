//! The figures of the TCP throughput test method (RFC 6349).

use farpath_units::{Duration, Rate, Size};

use crate::answer::{Answer, answer};
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

/// What a TCP throughput test measured, beside the path it was on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Bytes of payload transferred.
    pub bytes: Size,
    /// How long that took; above 0.
    pub time: Duration,
    /// Bytes sent again, of those sent beyond `bytes`.
    pub retransmitted: Option<Size>,
    /// RTT of the idle path; above 0.
    pub rtt: Option<Duration>,
    /// Mean RTT during the transfer.
    pub loaded_rtt: Option<Duration>,
}

/// The ratios of RFC 6349 §4 of what was measured on a line whose payload rate is `line_bps` bit/s.
pub fn ratios(line_bps: f64, measured: &Measured) -> Vec<Answer> {
    let bits = measured.bytes.as_bytes() as f64 * 8.0;
    let actual = seconds(measured.time);
    let ideal = bits / line_bps;
    let again = measured.retransmitted.unwrap_or_default();
    let sent = Size::from_bytes(measured.bytes.as_bytes().saturating_add(again.as_bytes()));
    let efficiency = measured
        .retransmitted
        .map(|again| tcp_efficiency_ratio(sent, again));
    let buffer = measured.rtt.zip(measured.loaded_rtt);
    let faster = if actual < ideal {
        "It was faster than the line: the bytes or the time are not those of the transfer."
    } else {
        ""
    };
    vec![
        answer("goodput_bps", bits / actual, "bit/s").by("8 × bytes / time", "RFC 6349 §2.2"),
        answer("line_goodput_bps", line_bps, "bit/s")
            .by("C × MSS / bytes of line time per frame", "RFC 6349 §4.1.1")
            .holds("full-sized segments back to back"),
        answer("ideal_transfer_s", ideal, "s")
            .by("8 × bytes / goodput of the line", "RFC 6349 §4.1")
            .holds("no slow start, no losses"),
        answer("transfer_time_ratio", actual / ideal, "")
            .by("actual / ideal transfer time", "RFC 6349 §4.1")
            .note(faster),
        answer("tcp_efficiency_ratio", efficiency, "")
            .by("(sent − retransmitted) / sent", "RFC 6349 §4.2"),
        answer(
            "buffer_delay_ratio",
            buffer.map(|(base, loaded)| buffer_delay_ratio(base, loaded)),
            "",
        )
        .by(
            "(mean RTT under load − base RTT) / base RTT",
            "RFC 6349 §4.3",
        ),
    ]
}
