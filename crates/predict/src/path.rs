//! One path, every figure: what limits a TCP flow on it, and what losses and slow start cost.

use farpath_units::{Duration, Rate, Ratio, Size};

use crate::answer::Answer;
use crate::cc::Cc;
use crate::figures::Figures;
use crate::framing::Framing;
use crate::overhead::MtuError;
use crate::window;

/// The version of IP a path carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IpVersion {
    /// IPv4: header 20 bytes.
    #[default]
    V4,
    /// IPv6: header 40 bytes.
    V6,
}

impl IpVersion {
    /// Bytes of its header without options or extensions (RFC 791 §3.1, RFC 8200 §3).
    pub const fn header(self) -> u32 {
        match self {
            IpVersion::V4 => 20,
            IpVersion::V6 => 40,
        }
    }

    /// Bytes of the fixed IP and TCP headers, which a maximum segment size leaves out of an MTU (RFC 9293 §3.7.1): 40 or 60.
    pub const fn fixed_headers(self) -> u32 {
        self.header() + 20
    }
}

/// Whether TCP carries timestamps (RFC 7323 §3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timestamps {
    /// 12 bytes of options in every segment.
    #[default]
    On,
    /// None.
    Off,
}

impl Timestamps {
    /// Bytes of a segment that the option takes, with its padding (RFC 7323 §3.2): 12 or 0.
    pub const fn option(self) -> u32 {
        match self {
            Timestamps::On => 12,
            Timestamps::Off => 0,
        }
    }
}

/// A path and the flow on it.
#[derive(Clone, Debug, PartialEq)]
pub struct PathInput {
    /// Rate of the tightest link, left for its frames.
    pub rate: Rate,
    /// Round-trip time of the idle path; above 0.
    pub rtt: Duration,
    /// Longest IP datagram; it may be shorter than the least MTU of a link.
    pub mtu: Size,
    /// Probability that a segment is lost.
    pub loss: Option<Ratio>,
    /// Most payload in flight.
    pub window: Option<Size>,
    /// Congestion control.
    pub cc: Cc,
    /// Framing of the tightest link.
    pub framing: Framing,
    /// Version of IP.
    pub ip: IpVersion,
    /// TCP timestamps.
    pub timestamps: Timestamps,
    /// Initial window in segments.
    pub initial_window: u32,
    /// Segments the receiver acknowledges with one ACK.
    pub segments_per_ack: u32,
    /// What the slower host can send or take, in bits of payload a second.
    pub host: Option<Rate>,
    /// First retransmission timeout; above 0. None: four round trips (RFC 5348 §4.3).
    pub timeout: Option<Duration>,
    /// A policer on the way that drops what exceeds its rate and burst, both above 0; it counts
    /// frames without preamble, FCS and gap.
    pub policer: Option<(Rate, Size)>,
    /// What H-TCP keeps of its window after a loss, 0.5 to 0.8; no other algorithm asks. None: ½.
    pub beta: Option<f64>,
    /// Queue in front of the line, in bytes of frames.
    pub queue: Option<Size>,
    /// Connections side by side, each with the window named.
    pub streams: u32,
    /// Goodput that is wanted, of all connections together: what it needs is answered.
    pub goodput: Option<Rate>,
}

impl PathInput {
    /// A path with the defaults: no loss named, no window named, CUBIC, untagged Ethernet, IPv4,
    /// timestamps on, initial window 10 (RFC 6928), one ACK for two segments (RFC 5681 §4.2).
    pub fn new(rate: Rate, rtt: Duration, mtu: Size) -> PathInput {
        PathInput {
            rate,
            rtt,
            mtu,
            loss: None,
            window: None,
            cc: Cc::default(),
            framing: Framing::Ethernet,
            ip: IpVersion::default(),
            timestamps: Timestamps::default(),
            initial_window: 10,
            segments_per_ack: 2,
            host: None,
            timeout: None,
            policer: None,
            beta: None,
            queue: None,
            streams: 1,
            goodput: None,
        }
    }

    /// Whether a window stands still until what is lost of it has arrived: BBR does not shrink it.
    pub fn stands_still(&self) -> bool {
        self.cc.is_bbr() && self.loss.is_some_and(|p| p.get() > 0.0)
    }

    /// Bytes of headers in an IP datagram of TCP data: 52 by default.
    pub fn header_bytes(&self) -> u64 {
        u64::from(self.ip.fixed_headers() + self.timestamps.option())
    }
}

/// Why a path was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The MTU is impossible.
    #[error(transparent)]
    Mtu(#[from] MtuError),
    /// The MTU is neither a count of bytes nor a size.
    #[error("`{0}` is not an MTU: write bytes, such as `9000` or `9000 B`")]
    MtuText(String),
    /// An RTT of zero.
    #[error("the round-trip time is zero: every path takes some, such as `0.1 ms`")]
    ZeroRtt,
    /// A retransmission timeout of zero.
    #[error("the retransmission timeout is zero: RFC 6298 takes 1 s at least, Linux 200 ms")]
    ZeroTimeout,
    /// A policer that lets nothing through.
    #[error("the policer's rate and burst must be above zero: 1Gbit/s,125kB")]
    EmptyPolicer,
    /// Nothing arrives.
    #[error(
        "with a loss ratio of 1 nothing arrives: for one segment in a hundred write 1% or 0.01"
    )]
    AllLost,
    /// A β where it decides nothing.
    #[error("β is H-TCP's alone, which measures it: write --cc htcp, or leave --beta out")]
    BetaOfOthers,
    /// A β that H-TCP never has.
    #[error("β is {0}: H-TCP keeps between 0.5 and 0.8 of its window")]
    Beta(f64),
    /// The window holds no segment.
    #[error("window {window} is below one segment of {mss}")]
    WindowBelowSegment {
        /// The window asked for.
        window: Size,
        /// One segment's payload.
        mss: Size,
    },
    /// The queue holds no frame.
    #[error(
        "queue {queue} holds no frame of {mtu} bytes, which takes {least}: write {least} or more, such as 100kB, 10ms or 1bdp"
    )]
    QueueBelowFrame {
        /// The queue asked for.
        queue: Size,
        /// The largest datagram, bytes.
        mtu: u32,
        /// What its frame takes in the queue.
        least: Size,
    },
    /// The window cannot be announced.
    #[error(
        "window {window} is beyond window scaling: the largest is 65535 B × 2^14 = 1073725440 B \
            (RFC 7323 §2.3)"
    )]
    WindowBeyondScaling {
        /// The window asked for.
        window: Size,
    },
    /// No initial window, or none that grows.
    #[error("{what} is {value}: it must be between 1 and {most}")]
    Count {
        /// Which count.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The greatest value taken.
        most: u32,
    },
}

/// Reads an MTU: a plain number of bytes (`9000`) or a size (`9000 B`, `9 kB`).
///
/// # Errors
/// Text that is neither.
pub fn mtu_from_text(text: &str) -> Result<Size, PathError> {
    let trimmed = text.trim();
    if !trimmed.is_empty() && trimmed.bytes().all(|b| b.is_ascii_digit()) {
        // Ten digits are beyond any MTU and within u64.
        return match trimmed.parse() {
            Ok(bytes) => Ok(Size::from_bytes(bytes)),
            Err(_) => Err(PathError::MtuText(trimmed.chars().take(40).collect())),
        };
    }
    trimmed
        .parse()
        .map_err(|_| PathError::MtuText(trimmed.chars().take(40).collect()))
}

/// Every figure of a path. Null where an input is missing.
///
/// # Errors
/// Inputs that describe no path: see [`PathError`].
pub fn path(input: &PathInput) -> Result<Vec<Answer>, PathError> {
    let figures = Figures::of(input)?;
    let mut answers = figures.about_windows();
    answers.extend(figures.about_rates());
    answers.extend(figures.about_time());
    answers.extend(figures.about_more());
    answers.extend(figures.about_wanted());
    Ok(answers)
}

pub(crate) fn check_window(window: Option<Size>, mss: Size) -> Result<(), PathError> {
    let Some(window) = window else { return Ok(()) };
    if window < mss {
        return Err(PathError::WindowBelowSegment { window, mss });
    }
    match window::shift_for(window.as_bytes() as f64) {
        Some(_) => Ok(()),
        None => Err(PathError::WindowBeyondScaling { window }),
    }
}

pub(crate) fn check_queue(input: &PathInput, mtu: u32) -> Result<(), PathError> {
    let least = Size::from_bytes(input.framing.queue_bytes(mtu).into());
    match input.queue {
        Some(queue) if queue < least => Err(PathError::QueueBelowFrame { queue, mtu, least }),
        _ => Ok(()),
    }
}

pub(crate) fn check_policer(input: &PathInput) -> Result<(), PathError> {
    match input.policer {
        Some((rate, burst)) if rate.as_bps() == 0 || burst.as_bytes() == 0 => {
            Err(PathError::EmptyPolicer)
        }
        _ => Ok(()),
    }
}

pub(crate) fn check_count(what: &'static str, value: u32, most: u32) -> Result<(), PathError> {
    if (1..=most).contains(&value) {
        Ok(())
    } else {
        Err(PathError::Count { what, value, most })
    }
}
