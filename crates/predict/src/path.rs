//! One path, every figure: what limits a TCP flow on it, and what losses and slow start cost.

use farpath_units::{Duration, Rate, Ratio, Size};

use crate::answer::{Answer, Value, answer};
use crate::cc::Cc;
use crate::framing::Framing;
use crate::overhead::{MtuError, checked_mtu};
use crate::slow_start::{Cost, SlowStart};
use crate::window::seconds;
use crate::{recovery, window};

/// The version of IP a path carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IpVersion {
    /// IPv4: header 20 bytes.
    #[default]
    V4,
    /// IPv6: header 40 bytes.
    V6,
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

/// A path and the flow on it.
#[derive(Clone, Debug, PartialEq)]
pub struct PathInput {
    /// Rate of the tightest link, left for its frames.
    pub rate: Rate,
    /// Round-trip time of the idle path; above 0.
    pub rtt: Duration,
    /// Longest IP datagram.
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
        }
    }

    /// Bytes of headers in an IP datagram of TCP data: 52 by default.
    pub fn header_bytes(&self) -> u64 {
        let ip = match self.ip {
            IpVersion::V4 => 20,
            IpVersion::V6 => 40,
        };
        let tcp = match self.timestamps {
            Timestamps::On => 32,
            Timestamps::Off => 20,
        };
        ip + tcp
    }
}

/// Why a path was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
    /// The window holds no segment.
    #[error("window {window} is below one segment of {mss}")]
    WindowBelowSegment {
        /// The window asked for.
        window: Size,
        /// One segment's payload.
        mss: Size,
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
    Ok(answers)
}

/// Loss ratio above which timeouts, which the response functions leave out, govern (Padhye et al.,
/// SIGCOMM 1998).
const LOSS_MAX: f64 = 0.02;

const OUTSIDE: &str = "Outside the formula's range: above 2 % timeouts govern. ";

/// What several answers share.
struct Figures<'i> {
    input: &'i PathInput,
    mss: Size,
    wire: Size,
    rtt_s: f64,
    /// Payload rate of the link.
    line_bps: f64,
    window_bps: Option<f64>,
    loss_bps: Option<f64>,
    /// Segments in flight that the link, or the window if that is less, allows.
    full: f64,
    slow_start: Cost,
}

impl<'i> Figures<'i> {
    fn of(input: &'i PathInput) -> Result<Figures<'i>, PathError> {
        let mtu = checked_mtu(input.mtu, input.ip == IpVersion::V6)?;
        if input.rtt == Duration::ZERO {
            return Err(PathError::ZeroRtt);
        }
        let mss = u64::from(mtu)
            .checked_sub(input.header_bytes())
            .filter(|b| *b > 0);
        let mss = Size::from_bytes(mss.ok_or(MtuError::NoPayload { mtu: input.mtu })?);
        check_window(input.window, mss)?;
        check_count("initial window", input.initial_window, 65_535)?;
        check_count("segments for each ACK", input.segments_per_ack, 64)?;
        let wire = Size::from_bytes(u64::from(input.framing.wire_bytes(mtu)));
        let rtt_s = seconds(input.rtt);
        let line_bps = input.rate.as_bps() as f64 * mss.as_bytes() as f64 / wire.as_bytes() as f64;
        let pipe = recovery::pipe_segments(input.rate, input.rtt, wire);
        let full = match input.window {
            Some(window) => pipe.min(window.as_bytes() as f64 / mss.as_bytes() as f64),
            None => pipe,
        };
        let slow_start = SlowStart {
            full,
            initial: f64::from(input.initial_window),
            segments_per_ack: f64::from(input.segments_per_ack),
        };
        Ok(Figures {
            input,
            mss,
            wire,
            rtt_s,
            line_bps,
            window_bps: input.window.map(|w| window::window_limit_bps(w, input.rtt)),
            loss_bps: input
                .loss
                .filter(|p| p.get() > 0.0)
                .map(|p| loss_limit_bps(input, mss, p)),
            full,
            slow_start: slow_start.cost(),
        })
    }

    fn about_windows(&self) -> Vec<Answer> {
        let needed = self.line_bps * self.rtt_s / 8.0;
        let shift = window::shift_for(needed);
        let cover = match shift {
            Some(0) => "It fits without window scaling.".to_owned(),
            Some(shift) => {
                format!("Window scaling must offer a shift of {shift} or more (RFC 7323 §2.3).")
            }
            None => {
                "Beyond window scaling (1073725440 B): one flow cannot fill this path.".to_owned()
            }
        };
        vec![
            answer(
                "bdp_bytes",
                window::bdp_bytes(self.input.rate, self.input.rtt),
                "B",
            )
            .by("C × RTT / 8", "RFC 6349 §3.3.1")
            .note("C is the rate of frames, headers and framing included.")
            .holds("any path; the RTT of the idle path"),
            answer("window_needed_bytes", needed, "B")
                .by("goodput of the line × RTT / 8", "RFC 7323 §1.1")
                .note("Payload in flight; round up to whole segments.")
                .note(&cover)
                .holds("empty queues; what waits in a queue needs window on top"),
            answer("window_limit_bps", self.window_bps, "bit/s")
                .by("8 × W / RTT", "RFC 7323 §1.1")
                .note(self.window_note())
                .holds("W exact payload in flight, empty queues; a sender sends whole segments"),
            answer("window_scale", shift.map(f64::from), "")
                .by(
                    "least s ≤ 14 with 65535 × 2^s ≥ window needed",
                    "RFC 7323 §2.3",
                )
                .holds("receive windows in TCP headers"),
            answer("mss_bytes", self.mss.as_bytes() as f64, "B")
                .by(
                    "MTU − IP header − TCP header and options",
                    "RFC 9293 §3.7.1; RFC 7323 §3.2",
                )
                .note(format!("Each segment takes {} of the line.", self.wire))
                .holds("full-sized data segments"),
        ]
    }

    fn window_note(&self) -> String {
        let Some(window) = self.input.window else {
            return "No window was named.".to_owned();
        };
        let whole = window.as_bytes() / self.mss.as_bytes();
        let exact = recovery::segments_bps(whole as f64, self.mss, self.input.rtt);
        let mut note = format!(
            "Whole segments: {whole} of {}, {:.6} Mbit/s.",
            self.mss,
            exact / 1e6
        );
        if self.window_bps.is_some_and(|bps| bps < self.line_bps) {
            note.push_str(
                " If more was measured, the number may have been a socket buffer: Linux doubles \
                 what is asked for, and 3/4 of that (2004) became window.",
            );
        }
        note
    }

    fn about_rates(&self) -> Vec<Answer> {
        let (limit, goodput) = self.limit();
        let (formula, source) = match self.input.cc {
            Cc::Reno => (
                "8 × MSS / RTT × √(3/(2b)) / √p",
                "Mathis et al., CCR 27(3), 1997",
            ),
            Cc::Cubic => (
                "8 × MSS / RTT × max((C(3+β)/(4(1−β)))^¼ (RTT/p)^¾, √(3/2)/√p)",
                "RFC 9438 §5, §5.1, C = 0.4, β = 0.7",
            ),
        };
        vec![
            answer("line_goodput_bps", self.line_bps, "bit/s")
                .by(
                    "C × MSS / bytes of line time per frame",
                    "IEEE 802.3 §3, §4 (Ethernet); \
                    RFC 2615 (POS)",
                )
                .note(format!("{} of payload in {} of line.", self.mss, self.wire))
                .holds("full-sized segments back to back"),
            answer("loss_limit_bps", self.loss_bps, "bit/s")
                .by(formula, source)
                .note(self.loss_note())
                .holds(
                    "mean of many periodic losses, p below 0.02, no timeouts, window and \
                    line not limiting",
                ),
            answer("goodput_bps", goodput, "bit/s")
                .by("min(line, window, loss)", "RFC 6349 §3.3")
                .note("Long after slow start; queueing adds to the RTT and is left out.")
                .holds("one flow alone in steady state"),
            answer("limit", Value::Text(limit.to_owned()), "")
                .by("the least of line, window and loss", "RFC 6349 §3.3")
                .note(
                    "link: the line; receive_window: the window named; loss: the response to \
                    losses.",
                )
                .holds("one flow alone in steady state"),
            self.loss_to_fill(),
        ]
    }

    /// The loss at which the mean window is the pipe.
    fn loss_to_fill(&self) -> Answer {
        let (fill, formula, source) = match self.input.cc {
            Cc::Reno => (
                recovery::reno_loss_for(self.pipe(), f64::from(self.input.segments_per_ack)),
                "3 / (2b W²)",
                "RFC 3649 §3 (b = 1)",
            ),
            Cc::Cubic => (
                recovery::cubic_loss_for(self.pipe(), self.rtt_s),
                "max(RTT ((C(3+β)/(4(1−β)))^¼ / W)^(4/3), 3/(2W²))",
                "RFC 9438 §5, §5.1",
            ),
        };
        // Above 1 the ratio means nothing: a segment or two fill the pipe.
        let possible = (fill <= 1.0).then_some(fill);
        let note = match possible {
            None => "The pipe holds too little for the formula.".to_owned(),
            Some(fill) => format!(
                "{}At more than one segment lost in {:.3e} the mean window is below the pipe's \
                    {:.1} segments.",
                if fill > LOSS_MAX { OUTSIDE } else { "" },
                1.0 / fill,
                self.pipe()
            ),
        };
        answer("loss_ratio_to_fill", possible, "")
            .by(formula, source)
            .note(note)
            .holds("mean window equal to the pipe, empty queues; queues allow more loss")
    }

    fn about_time(&self) -> Vec<Answer> {
        const ROUNDS: &str = "no loss, no early exit (HyStart++), no handshake, no ACK timer: \
                              a packet-level run differs by up to an RTT";
        let cost = self.slow_start;
        let (iw, b) = (self.input.initial_window, self.input.segments_per_ack);
        let wrap = window::sequence_wrap_s(self.input.rate);
        // Multiplied before it becomes a float: 17 × 581 ms is 9.877 s, not 9.876999….
        let rounds_s = (u128::from(self.input.rtt.as_ps()) * u128::from(cost.rounds)) as f64 / 1e12;
        // RFC 9293 §3.4.2: a segment lives for at most the MSL of 2 minutes.
        let paws = if wrap < 120.0 {
            "Old segments can live that long (MSL 120 s) and pass for new ones: \
             timestamps (PAWS) are needed."
        } else {
            ""
        };
        let already = match cost.rounds {
            0 => "The initial window fills the path at once.",
            _ => "",
        };
        let counting = match b {
            2 => "A sender that counts bytes (RFC 3465, Linux) grows as with b = 1.",
            _ => "",
        };
        vec![
            answer("slow_start_s", rounds_s, "s")
                .by(
                    "RTT × least n with IW (1 + 1/b)^n ≥ W",
                    "RFC 5681 §3.1; RFC 6928",
                )
                .note(already)
                .note(format!(
                    "{} rounds to {:.1} segments, IW {iw}, b = {b}.",
                    cost.rounds, self.full
                ))
                .note(counting)
                .holds(ROUNDS),
            answer("slow_start_waste_s", cost.wasted_rtts * self.rtt_s, "s")
                .by(
                    "RTT × Σ (1 − w_k / W) over the rounds",
                    crate::slow_start::METHOD,
                )
                .note("What a transfer takes longer than at full rate from the start.")
                .holds(ROUNDS),
            self.recovery(),
            answer("sequence_wrap_s", wrap, "s")
                .by("2^31 / B, B = C/8", "RFC 7323 §5")
                .note(format!("The full cycle of 2^32 takes {:.6} s.", 2.0 * wrap))
                .note(paws)
                .holds("payload at the rate of the line"),
        ]
    }

    fn recovery(&self) -> Answer {
        const RANGE: &str = "one loss at the full window, fast retransmit, empty queue: \
                             a queue shortens the idle time, not the climb";
        match self.input.cc {
            Cc::Reno => self.reno_recovery(),
            Cc::Cubic => self.cubic_recovery(),
        }
        .holds(RANGE)
    }

    fn reno_recovery(&self) -> Answer {
        let b = f64::from(self.input.segments_per_ack);
        let printed = recovery::reno_s(self.input.rate, self.input.rtt, self.mss, 1.0);
        let counting = if b == 2.0 {
            "A sender that counts bytes (RFC 3465) takes half as long."
        } else {
            ""
        };
        answer("recovery_s", self.full / 2.0 * self.rtt_s * b, "s")
            .by(
                "b W/2 × RTT, W = C RTT / (8 × bytes of line per frame)",
                "RFC 5681 §3.1",
            )
            .note(format!(
                "W = {:.1} segments. C RTT²/(16 MSS) with the line rate for C and b = 1, as slides \
                 print it, is {printed:.3} s: it takes framing for payload.",
                self.full
            ))
            .note(counting)
    }

    fn cubic_recovery(&self) -> Answer {
        let (time, k) = (
            recovery::cubic_s(self.full, self.input.rtt),
            recovery::cubic_k_s(self.full),
        );
        let friendly = if time < k {
            "The Reno-friendly region governs here."
        } else {
            ""
        };
        answer("recovery_s", time, "s")
            .by(
                "min(∛(W (1−β)/C), W (1−β) RTT / α), α = 3(1−β)/(1+β)",
                "RFC 9438 §4.2, §4.3, C = 0.4, β = 0.7",
            )
            .note(format!(
                "W = {:.1} segments; K = {k:.3} s, 95 % of W after {:.3} s of it; mean over a cycle {:.1} %.",
                self.full,
                recovery::cubic_to_95pct_s(self.full),
                recovery::CUBIC_MEAN * 100.0
            ))
            .note(friendly)
    }

    fn pipe(&self) -> f64 {
        recovery::pipe_segments(self.input.rate, self.input.rtt, self.wire)
    }

    /// What limits, in the words of a record's `limited_by`, and to how much.
    fn limit(&self) -> (&'static str, f64) {
        let mut least = ("link", self.line_bps);
        for (name, bps) in [("receive_window", self.window_bps), ("loss", self.loss_bps)] {
            if let Some(bps) = bps
                && bps < least.1
            {
                least = (name, bps);
            }
        }
        least
    }

    fn loss_note(&self) -> String {
        let Some(loss) = self.input.loss else {
            return "No loss was named.".to_owned();
        };
        let p = loss.get();
        if p == 0.0 {
            return "Without loss there is no such limit.".to_owned();
        }
        let mut note = String::new();
        if p > LOSS_MAX {
            note.push_str(
                "Outside the formula's range: above 2 % timeouts govern, and the true \
                rate is lower. ",
            );
        }
        let reach = self.loss_bps.unwrap_or(0.0) * self.rtt_s / 8.0 / self.mss.as_bytes() as f64;
        if reach < 4.0 {
            note.push_str(
                "The window is below 4 segments, where losses are found by timeout: \
                the true rate is lower. ",
            );
        }
        if self.input.cc == Cc::Reno {
            note.push_str(
                "b segments for each ACK, growth by ACKs; counting bytes gives √b times as much.",
            );
        } else if recovery::cubic_own_window(p, self.rtt_s, recovery::CUBIC_C)
            < recovery::cubic_window(p, self.rtt_s)
        {
            note.push_str("The Reno-friendly region governs here.");
        }
        note.trim_end().to_owned()
    }
}

fn check_window(window: Option<Size>, mss: Size) -> Result<(), PathError> {
    let Some(window) = window else { return Ok(()) };
    if window < mss {
        return Err(PathError::WindowBelowSegment { window, mss });
    }
    match window::shift_for(window.as_bytes() as f64) {
        Some(_) => Ok(()),
        None => Err(PathError::WindowBeyondScaling { window }),
    }
}

fn check_count(what: &'static str, value: u32, most: u32) -> Result<(), PathError> {
    if (1..=most).contains(&value) {
        Ok(())
    } else {
        Err(PathError::Count { what, value, most })
    }
}

fn loss_limit_bps(input: &PathInput, mss: Size, loss: Ratio) -> f64 {
    match input.cc {
        Cc::Reno => {
            let b = f64::from(input.segments_per_ack);
            recovery::mathis_bps(
                mss,
                input.rtt,
                loss,
                recovery::mathis_constant(recovery::Losses::Periodic, b),
            )
        }
        Cc::Cubic => recovery::segments_bps(
            recovery::cubic_window(loss.get(), seconds(input.rtt)),
            mss,
            input.rtt,
        ),
    }
}
