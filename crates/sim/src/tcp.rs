//! TCP connections on stations: the sans-IO endpoints of `farpath-tcp` joined to frames.

mod dial;
mod intake;
mod silence;
mod sink;
mod source;
mod stamped;
mod steps;

use farpath_tcp::Config;

pub use sink::TcpSink;
pub(crate) use sink::TcpSinkConfig;
pub(crate) use source::TcpSourceConfig;
pub use source::{RttSummary, TcpSample, TcpSource};

/// TCP options of a segment without payload beyond the headers of a data segment: SACK blocks take
/// 8 bytes each and 4 for kind, length and padding (RFC 2018 §3).
fn sack_bytes(blocks: usize) -> u16 {
    if blocks == 0 {
        0
    } else {
        4 + 8 * blocks as u16
    }
}

/// Length of the IP datagram of a SYN, or of a SYN-ACK: MSS, window scale, SACK-permitted and timestamps, padded.
fn syn_bytes(ip_header: u16, config: &Config, answers: bool) -> u16 {
    let [asks, agrees] = config.window_scaling;
    let scales = asks && (agrees || !answers);
    let rest = match (config.timestamps, config.sack) {
        (true, _) => 12,
        (false, true) => 4,
        (false, false) => 0,
    };
    ip_header + 20 + 4 + if scales { 4 } else { 0 } + rest
}
