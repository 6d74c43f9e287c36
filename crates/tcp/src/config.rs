//! What one connection is made of.

use farpath_units::Duration;

use crate::cc::Algorithm;
use crate::profile::LARGEST_WINDOW;

/// A host's rules: what a requested socket buffer becomes, and the stack's defaults of its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// A Linux of 2004 (2.4 and early 2.6).
    Linux2004,
    /// A current Linux (6.x).
    #[default]
    Linux6,
}

/// Whose rules a congestion control follows where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// The RFC's, or the paper's.
    #[default]
    Rfc,
    /// A current Linux kernel's, whole segments and table look-ups included.
    Linux,
}

/// How a connection grows before its first loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SlowStart {
    /// Doubling until a loss (RFC 5681 §3.1).
    #[default]
    Standard,
    /// Doubling up to `max_ssthresh` segments, then half of that a round trip at most (RFC 3742).
    Limited {
        /// In segments; the RFC recommends 100.
        max_ssthresh: u32,
    },
    /// HyStart as Linux's CUBIC has it: a train of ACKs as long as the path, or a longer round trip,
    /// ends slow start.
    HyStart,
    /// HyStart++ (RFC 9406): a longer round trip slows it down, five such rounds end it.
    HyStartPlusPlus,
}

/// What one ACK is worth when cwnd grows (appropriate byte counting, RFC 3465).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ByteCounting {
    /// One segment per ACK, however much it acknowledges: delayed ACKs slow slow start to 1.5× a
    /// round trip, and congestion avoidance to half its slope.
    Off,
    /// What it acknowledges, at most this many segments (RFC 3465's L; 2 is its usual value).
    Limit(u8),
    /// All it acknowledges: doubling whatever the ACK policy (current Linux).
    #[default]
    Full,
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
    /// Whose rules it follows.
    pub flavour: Flavour,
    /// Growth before the first loss.
    pub slow_start: SlowStart,
    /// Initial slow-start threshold in segments; `None` is unlimited.
    pub initial_ssthresh: Option<u32>,
    /// The window in segments that the host remembers of an earlier connection to the same
    /// destination (RFC 9040 §6): this one starts from it, and in congestion avoidance.
    pub remembered_window: Option<u32>,
    /// Whether cwnd falls back to the initial window after an idle time longer than the RTO (RFC 5681
    /// §4.1).
    pub idle_restart: bool,
    /// Payload bytes to send; `None` sends until stopped.
    pub amount: Option<u64>,
    /// Floor of the RTO's variation term, as in Linux: RTO = SRTT + max(4·RTTVAR, this). 200 ms there.
    pub rto_min: Duration,
    /// What one ACK is worth when cwnd grows.
    pub byte_counting: ByteCounting,
}

impl Config {
    /// The first congestion window in segments; at least 1.
    pub(crate) fn first_window(&self) -> u32 {
        self.remembered_window.unwrap_or(self.initial_window).max(1)
    }

    /// The first slow-start threshold in segments; `None` is unlimited.
    pub(crate) fn first_ssthresh(&self) -> Option<u32> {
        self.initial_ssthresh.or(self.remembered_window)
    }

    /// Payload bytes of a full segment as sent: the MSS, or the whole window where that is smaller.
    pub(crate) fn segment(&self) -> u64 {
        u64::from(self.mss)
            .min(self.send_buffer)
            .min(self.receive_window)
            .max(1)
    }
}

/// A current Linux on Ethernet with timestamps (MSS 1448), no limit but congestion control,
/// sending until stopped.
impl Default for Config {
    fn default() -> Config {
        Config {
            mss: 1448,
            receive_window: LARGEST_WINDOW,
            send_buffer: u64::MAX,
            initial_window: 10,
            sack: true,
            timestamps: true,
            delayed_ack: DelayedAck {
                every: 2,
                timeout: Duration::from_ms(40),
            },
            algorithm: Algorithm::Cubic,
            flavour: Flavour::Rfc,
            slow_start: SlowStart::Standard,
            initial_ssthresh: None,
            remembered_window: None,
            idle_restart: true,
            amount: None,
            rto_min: Duration::from_ms(200),
            byte_counting: ByteCounting::Full,
        }
    }
}
