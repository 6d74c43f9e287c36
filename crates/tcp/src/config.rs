//! What one connection is made of.

use farpath_units::Duration;

/// A host's rules: what a requested socket buffer becomes, and the stack's defaults of its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// A Linux of 2004 (2.4 and early 2.6).
    Linux2004,
    /// A current Linux (6.x).
    #[default]
    Linux6,
}

/// A congestion control algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// RFC 5681.
    Reno,
    /// RFC 9438.
    #[default]
    Cubic,
}

/// When a receiver acknowledges in-order data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAck {
    /// One ACK per this many full segments (1: every segment).
    pub every: u8,
    /// At the latest after this long (RFC 9293 §3.8.6.3: at most 0.5 s).
    pub timeout: Duration,
}

/// Both ends of one connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Payload bytes of a full segment (MSS less options).
    pub mss: u32,
    /// Most payload bytes the receiver lets be in flight; exact.
    pub receive_window: u64,
    /// Most unacknowledged payload bytes the sender's socket buffer holds.
    pub send_buffer: u64,
    /// Initial window in segments (RFC 6928: 10).
    pub initial_window: u32,
    /// Selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Timestamps (RFC 7323).
    pub timestamps: bool,
    /// The receiver's acknowledgement policy.
    pub delayed_ack: DelayedAck,
    /// Congestion control.
    pub algorithm: Algorithm,
    /// HyStart++ (RFC 9406) ends slow start before loss does.
    pub hystart: bool,
    /// Initial slow-start threshold in segments; `None` is unlimited.
    pub initial_ssthresh: Option<u32>,
    /// Payload bytes to send; `None` sends until stopped.
    pub amount: Option<u64>,
    /// RTO floor: the RFC's 1 s, Linux's 200 ms over SRTT.
    pub rto_min: Duration,
}
