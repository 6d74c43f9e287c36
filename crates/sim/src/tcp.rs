//! TCP connections on stations: the sans-IO endpoints of `farpath-tcp` joined to frames.

mod intake;
mod sink;
mod source;
mod steps;

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

/// Length of a SYN's IP datagram: MSS, SACK-permitted, timestamps, window scale, padded.
fn syn_bytes(ip_header: u16, timestamps: bool) -> u16 {
    ip_header + 20 + if timestamps { 20 } else { 12 }
}
