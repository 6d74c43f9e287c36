//! What one connection is made of.

use farpath_units::{Duration, Rate};

use crate::cc::Algorithm;
use crate::flavour::Flavour;
use crate::retries::Retries;

/// A host's rules: what a requested socket buffer becomes, and the stack's defaults of its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// A BSD of 1999: NewReno without SACK, coarse timers, one segment at first.
    Bsd1999,
    /// A Linux of 2004 (2.4 and early 2.6).
    Linux2004,
    /// A Linux 5, or 6 up to 6.5.
    Linux5,
    /// A current Linux (6.18).
    #[default]
    Linux6,
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

/// How a sender spreads what its window allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pacing {
    /// The largest burst in bytes that leaves at once (generic segmentation offload: 64 KiB); at least
    /// two segments leave in any case.
    pub burst: u64,
    /// The rate of payload that the application asks not to be exceeded, whatever the window or the algorithm says
    /// (Linux's `SO_MAX_PACING_RATE`); `None`: no such rate.
    pub most: Option<Rate>,
}

impl Default for Pacing {
    fn default() -> Pacing {
        Pacing {
            burst: 65_536,
            most: None,
        }
    }
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
    /// One ACK per this many full segments (1: every segment). By Linux's rules half of the receiver's window is enough, where the
    /// application reads at once.
    pub every: u8,
    /// At the latest after this long (RFC 9293 §3.8.6.3: at most 0.5 s).
    pub timeout: Duration,
}

/// How a sender finds losses, repairs them and takes a reduction back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// RACK-TLP (RFC 8985): losses by time instead of by count, and a probe when the tail is silent.
    /// Without effect unless SACK is on.
    pub rack: bool,
    /// How the window comes down to ssthresh during fast recovery.
    pub reduction: Reduction,
    /// F-RTO (RFC 5682): a spurious timeout is recognised and taken back.
    pub frto: bool,
    /// NewReno (RFC 6582): without SACK, a partial acknowledgement shows the next hole. A Reno
    /// without it leaves recovery at the first new acknowledgement, as in RFC 2581 (obsoleted by
    /// RFC 5681), and may halve again for the next. Without effect when SACK is on.
    pub newreno: bool,
    /// Limited transmit (RFC 3042): duplicate acknowledgements release new segments.
    pub limited_transmit: bool,
    /// The receiver reports duplicates (RFC 2883), and a reduction is taken back when every
    /// retransmission turns out to be one (RFC 3708). Without effect unless SACK is on.
    pub dsack: bool,
    /// Eifel detection (RFC 3522): a reduction is taken back when the timestamp echoed shows that
    /// the original arrived. Without effect unless timestamps are on.
    pub eifel: bool,
    /// ECN (RFC 3168), at both ends.
    pub ecn: bool,
}

/// How the window comes down to ssthresh during fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Proportional rate reduction (RFC 9937).
    #[default]
    Prr,
    /// PRR with the conservative bound, CRB, of RFC 6937 (obsoleted by RFC 9937).
    PrrConservative,
    /// PRR with the slow-start bound, SSRB, of RFC 6937 (obsoleted by RFC 9937).
    PrrSlowStart,
    /// Rate halving: one segment for every two delivered, whatever ssthresh is, then ssthresh
    /// (Linux before 3.2).
    RateHalving,
    /// At once (RFC 5681 §3.2, RFC 6675 §5): nothing is sent until what is in flight has fallen to
    /// ssthresh.
    AtOnce,
}

/// What the floor of the retransmission timeout is a floor of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RtoFloor {
    /// The variation term, as in Linux: RTO = SRTT + max(4·RTTVAR, floor).
    #[default]
    Variation,
    /// The whole timeout (RFC 6298 §2.4): RTO = max(SRTT + 4·RTTVAR, floor).
    Timeout,
}

/// The retransmission timer's rules besides its floor (RFC 6298).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoRule {
    /// What [`Config::rto_min`] is a floor of.
    pub floor: RtoFloor,
    /// The clock's granularity G: the timer runs out at multiples of it; zero: exact.
    pub granularity: Duration,
    /// The timeout before the first measurement.
    pub initial: Duration,
    /// The largest timeout.
    pub largest: Duration,
}

/// Linux: 1 s at first, 120 s at most, exact.
impl Default for RtoRule {
    fn default() -> RtoRule {
        RtoRule {
            floor: RtoFloor::Variation,
            granularity: Duration::ZERO,
            initial: Duration::from_secs(1),
            largest: Duration::from_secs(120),
        }
    }
}

/// A receive buffer that nobody asked for: its window begins small and follows what arrives (Linux's receive-buffer
/// autotuning), up to [`Config::receive_window`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Autotuning {
    /// Whose rule the growth follows.
    pub profile: Profile,
    /// Bytes of window that the first buffer is taken for at the handshake.
    pub first: u64,
    /// Bytes of window that it has once the payload's share of it is known.
    pub start: u64,
}

/// Whether a sender finds the largest segment by probing (Linux's `net.ipv4.tcp_mtu_probing`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MtuProbing {
    /// 0: it believes what routers say, and nothing else.
    #[default]
    Off,
    /// 1: when retransmissions of full segments are not answered for long, it falls to a small segment
    /// and searches upwards from there.
    BlackHole,
    /// 2: it begins with a small segment and searches from the start.
    Always,
}

/// How the receiving application reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// At once: the window never closes.
    #[default]
    AtOnce,
    /// When [`Receiver::on_read`](crate::Receiver::on_read) says so; what is unread fills the window.
    Told,
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
    /// Whether the sender and the receiver offer to scale windows (RFC 7323). Where one does not, whoever makes a `Config` bounds
    /// `receive_window` by [`UNSCALED_WINDOW`](crate::UNSCALED_WINDOW).
    pub window_scaling: [bool; 2],
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
    /// Most payload bytes of the congestion window: a route's locked `cwnd`; `None` is unlimited.
    pub largest_window: Option<u64>,
    /// Pacing; `None` sends what the window allows at once. An algorithm that sets its rate paces
    /// without being asked.
    pub pacing: Option<Pacing>,
    /// Whether cwnd falls back to the initial window after an idle time longer than the RTO (RFC 5681
    /// §4.1).
    pub idle_restart: bool,
    /// Payload bytes to send; `None` sends until stopped.
    pub amount: Option<u64>,
    /// Floor of the RTO; `rto.floor` says of which part. Linux has 200 ms under the variation term.
    pub rto_min: Duration,
    /// What one ACK is worth when cwnd grows.
    pub byte_counting: ByteCounting,
    /// Loss recovery.
    pub recovery: Recovery,
    /// The retransmission timer.
    pub rto: RtoRule,
    /// How often it tries before it gives up.
    pub retries: Retries,
    /// Whether the sender finds the largest segment of the path by probing.
    pub mtu_probing: MtuProbing,
    /// Most segments at the start, after an idle time or after a duplicate that the receiver
    /// acknowledges one by one (Linux's quick ACKs: 16, and no more than half the window); 0: none.
    pub quick_acks: u8,
    /// The largest burst in bytes that the sender's host hands to its card as one segment (TCP segmentation offload); 0: one
    /// segment at a time. While an ACK is near a sender that does not pace waits to make a burst whole, as Linux does.
    pub tso: u64,
    /// How long the receiver's host gathers segments in order before its stack has them as one (generic receive
    /// offload), 64 KiB at most; zero: not at all. What is gathered is acknowledged at once and together.
    pub gro: Duration,
    /// How the window begins and grows to `receive_window`; `None` has it from the start.
    pub autotuning: Option<Autotuning>,
    /// Most acknowledgements of what is out of order that the receiver holds back to send one for all; 0: none. They
    /// wait for a millisecond or a twentieth of the handshake's round trip, the shorter.
    pub compressed_sacks: u32,
    /// How the receiving application reads.
    pub reading: Reading,
}

impl Config {
    /// The first congestion window in segments; at least 1.
    pub fn first_window(&self) -> u32 {
        self.remembered_window.unwrap_or(self.initial_window).max(1)
    }

    /// The largest congestion window in bytes, a segment at least; infinite without a bound.
    pub(crate) fn most(&self) -> f64 {
        let largest = self.largest_window.map(|bytes| bytes.max(self.segment()));
        largest.map_or(f64::INFINITY, |bytes| bytes as f64)
    }

    /// Bytes that a SYN-ACK offers, as far as 16 bits can say.
    pub fn first_offer(&self) -> u64 {
        let first = self
            .autotuning
            .map_or(u64::MAX, |rule| rule.first_offer(self.segment()));
        first.min(self.receive_window)
    }

    /// Segments that the receiver acknowledges one by one at first: no more than half the window that it offers, as in Linux, and 2
    /// where that is none.
    pub fn first_quick_acks(&self) -> u8 {
        let half = match self.first_offer() / (2 * self.segment()) {
            0 => 2,
            half => half.min(255),
        };
        self.quick_acks.min(half as u8)
    }

    /// The first slow-start threshold in segments, 2 at least; infinite is unlimited.
    pub fn first_ssthresh(&self) -> f64 {
        let first = self.initial_ssthresh.or(self.remembered_window);
        first.map_or(f64::INFINITY, |segments| f64::from(segments.max(2)))
    }

    /// Payload bytes of a full segment as sent: the MSS, or the whole window where that is smaller.
    pub(crate) fn segment(&self) -> u64 {
        u64::from(self.mss)
            .min(self.send_buffer)
            .min(self.receive_window)
            .max(1)
    }
}
