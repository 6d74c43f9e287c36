//! Several connections side by side on one path.

use farpath_units::{Duration, Rate, Ratio, Size};

use crate::{recovery, window};

/// What `streams` connections carry when each has the window `each`: min(line, n·8·W/RTT), bit/s.
pub fn window_limited_bps(line: Rate, streams: u32, each: Size, rtt: Duration) -> f64 {
    let windows = f64::from(streams) * window::window_limit_bps(each, rtt);
    libm::fmin(line.as_bps() as f64, windows)
}

/// What `streams` connections carry when each loses segments by itself with probability `loss`:
/// min(line, n × MSS·C/(RTT·√p)), bit/s (Hacker, Athey and Noble, IPDPS 2002, with `constant` for
/// their C).
///
/// Holds until the line is near: from there on the streams' own losses count, and more streams
/// lower each one's share.
pub fn loss_limited_bps(
    line: Rate,
    streams: u32,
    mss: Size,
    rtt: Duration,
    loss: Ratio,
    constant: f64,
) -> f64 {
    let losses = f64::from(streams) * recovery::mathis_bps(mss, rtt, loss, constant);
    libm::fmin(line.as_bps() as f64, losses)
}

/// Least number of streams of `each` bit/s that fill `line`; `None` beyond 2³² of them.
pub fn streams_to_fill(line_bps: f64, each_bps: f64) -> Option<u32> {
    let streams = libm::ceil(line_bps / each_bps * (1.0 - 1e-12)).max(1.0);
    (streams <= f64::from(u32::MAX)).then_some(streams as u32)
}
