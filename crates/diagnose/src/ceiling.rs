//! Ceilings: what each cause by itself would leave of the rate. None uses a figure that was made of the rate.

mod settings;

use farpath_predict::law::{self, Conditions};
use farpath_predict::{Cc, IpVersion, pftk::Pftk, window};

pub(crate) use settings::{kernel, receiving, rooms, sending, socket_room};

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;
pub(crate) use crate::figures::{bps, bytes, ranged, span};
use crate::lines::group::Group;
use crate::losses::segments::{FIXED_HEADERS, HEADERS, STAMPS};
use crate::windows::room::{ANNOUNCED, Room};

/// What one cause would leave.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    /// The cause.
    pub(crate) cause: Cause,
    /// The rate, bit/s.
    pub(crate) rate: Figure,
    /// The most it may be where losses come in bursts that cost one cut each, bit/s.
    pub(crate) bursts: Option<f64>,
    /// How it was computed.
    pub(crate) formula: String,
}

impl Limit {
    /// Whether it is that of a window which a receiver announced.
    pub(crate) fn is_announced(&self) -> bool {
        self.formula.ends_with(ANNOUNCED)
    }
}

/// Every ceiling of a flow, lowest first.
pub(crate) fn ceilings(e: &Evidence) -> Vec<Limit> {
    let mut all = Vec::new();
    if let Some((line, what)) = &e.line {
        let what = e.line_called(what);
        let mut line = carried(e.payload_share(), line, &what);
        if !e.mss_said && e.datagram_share.is_none() {
            line.formula
                .push_str(" at an MTU of 1500, which is assumed");
        }
        all.push(line);
    }
    all.extend(e.around.group.as_ref().map(Group::ceiling));
    all.extend(crate::interfaces::slot::ceiling(e));
    all.extend(crate::interfaces::usb_port::ceiling(e));
    if !e.udp {
        // Datagrams have no window, and nobody slows down when they are lost.
        windows(e, &mut all);
        crate::windows::channel::channel(e, &mut all);
        losses(e, &mut all);
        ramp(e, &mut all);
    }
    let shaper = e.shaper_called();
    let stated: [(&Option<Figure>, Cause, &str); 5] = [
        (&e.around.disk, Cause::Disk, "the rate of a disk"),
        (&e.pacing, Cause::Pacing, "the sender's pacing rate"),
        (
            &e.application,
            Cause::Application,
            "the rate the program was asked for",
        ),
        (&e.shaper, Cause::Shaper, shaper.as_str()),
        (&e.policer, Cause::Policer, "the policer's rate"),
    ];
    for (figure, cause, what) in stated {
        if let Some(figure) = figure {
            let mut rate = figure.clone();
            // A policer lets less through than its rate, as a sender has to come back from its drops.
            rate.low *= if cause == Cause::Policer { 0.4 } else { 0.93 };
            all.push(limit(cause, rate, what.to_owned()));
        }
    }
    all.sort_by(|a, b| a.rate.value.total_cmp(&b.rate.value));
    all
}

/// Bytes of an Ethernet frame beside its packet, with gap and preamble.
pub(crate) const FRAME: f64 = 38.0;

/// Fixed headers of IPv6 and TCP, bytes.
const FIXED_HEADERS_IPV6: f64 = IpVersion::V6.fixed_headers() as f64;

/// Headers of IPv4 and TCP with timestamps, bytes; without them; and the same of IPv6.
const ALL_HEADERS: [f64; 4] = [
    HEADERS,
    FIXED_HEADERS,
    FIXED_HEADERS_IPV6 + STAMPS,
    FIXED_HEADERS_IPV6,
];

/// Headers of a full packet whose segments have `mss` bytes: those that make it as large as packets usually are, a multiple of a hundred.
pub(crate) fn headers(mss: f64) -> f64 {
    let usual = |headers: &f64| (mss + headers) % 100.0 == 0.0;
    ALL_HEADERS.into_iter().find(usual).unwrap_or(HEADERS)
}

/// What a queue discipline counts of a frame beside its payload: Ethernet's header and those of the packet, bytes.
pub(crate) const OVERHEAD_OF_QUEUE: f64 = 14.0 + HEADERS;

/// What of an Ethernet line's rate is left for payload in segments of `mss` bytes.
pub(crate) fn payload_share(mss: f64) -> f64 {
    mss / (mss + headers(mss) + FRAME)
}

/// What a line leaves of its rate for payload, where that is this share of it.
pub(crate) fn carried(share: f64, line: &Figure, what: &str) -> Limit {
    let mut rate = line.times(share);
    // Other framings and headers cost less or more than Ethernet's.
    rate.low = line.low * share * 0.95;
    rate.high = line.high * share.max(0.985);
    let formula = format!("{what}, {} · {share:.3} of payload", bps(line.value));
    limit(Cause::Link, rate, formula)
}

/// What a window or buffer leaves, by the evidence's round trip.
pub(crate) fn in_flight(cause: Cause, e: &Evidence, rtt: &Figure, room: &Room) -> Limit {
    let rate = room.bytes.over(rtt).times(8.0 * e.streams);
    limit(cause, rate, formula(e, &room.bytes, rtt, &room.what))
}

pub(crate) fn limit(cause: Cause, rate: Figure, formula: String) -> Limit {
    Limit {
        cause,
        rate,
        bursts: None,
        formula,
    }
}

fn windows(e: &Evidence, all: &mut Vec<Limit>) {
    let Some(rtt) = e.rtt_by_itself() else { return };
    let rooms = e.windows.iter().map(|r| (Cause::ReceiveWindow, r));
    for (cause, room) in rooms.chain(e.buffers.iter().map(|r| (Cause::SendBuffer, r))) {
        // What no SYN's scale can say is never in flight (RFC 7323 §2.3): that holds of the peer's window too.
        let mut room = room.clone();
        cap(&mut room.bytes, window::LARGEST.as_bytes() as f64);
        all.push(in_flight(cause, e, rtt, &room));
    }
    if let Some(at) = e.unscaled {
        let bytes = Figure::exact(UNSCALED, at);
        let rate = bytes.over(rtt).times(8.0 * e.streams);
        let formula = formula(e, &bytes, rtt, "without window scaling");
        all.push(limit(Cause::NoWindowScaling, rate, formula));
    }
}

/// The same, no larger than `most` bytes.
pub(crate) fn cap(bytes: &mut Figure, most: f64) {
    for value in [&mut bytes.value, &mut bytes.low, &mut bytes.high] {
        *value = value.min(most);
    }
}

/// The largest window without scaling, bytes (RFC 9293 §3.1).
pub(crate) const UNSCALED: f64 = window::UNSCALED_MAX as f64;

/// `16384 B · 8 / RTT (250 to 300 ms), net.inet.tcp.recvspace`.
pub(crate) fn formula(e: &Evidence, bytes: &Figure, rtt: &Figure, what: &str) -> String {
    let ms = |s: f64| format!("{}", (s * 1e5).round() / 100.0);
    let span = match rtt.high - rtt.low <= 0.02 * rtt.value {
        true => format!("{} ms", ms(rtt.value)),
        false => format!("{} to {} ms", ms(rtt.low), ms(rtt.high)),
    };
    let streams = side_by_side(e);
    let room = match bytes.high - bytes.low <= 0.01 * bytes.value {
        true => format!("{:.0} B", bytes.value),
        false => format!("{:.0} to {:.0} B", bytes.low, bytes.high),
    };
    format!("{streams}{room} · 8 / RTT ({span}): {what}")
}

/// `8 · ` of eight connections side by side.
fn side_by_side(e: &Evidence) -> String {
    match e.streams {
        n if n > 1.0 => format!("{n} · "),
        _ => String::new(),
    }
}

fn losses(e: &Evidence, all: &mut Vec<Limit>) {
    let Some(rtt) = e.rtt_by_itself() else { return };
    // Of a socket that hangs everything is lost: a law goes by a share.
    if e.stuck.is_some() {
        return;
    }
    // Losses come in bursts that cost one cut each, above all the one that ends slow start: of segments sent again, as few
    // as one in forty may be an event of its own.
    let sources = [
        (&e.again, 40.0, SENT_AGAIN),
        (&e.idle_loss, 1.5, "packets that the path loses"),
    ];
    for (share, bursts, what) in sources {
        // What some of several connections lost says nothing of all of them.
        let lasting = e.start_only() < 0.5 && e.uncommon() < 0.5 && e.cut_once().is_none();
        let own = what != SENT_AGAIN || lasting;
        let Some(share) = share
            .as_ref()
            .filter(|s| own && s.value > 0.0 && s.value < 0.5)
        else {
            continue;
        };
        let Some((rate, most, by)) = loss_rate(e, share, bursts, rtt) else {
            continue;
        };
        let formula = format!(
            "{}{by} at a loss of {} of {what}, MSS {} bytes{}",
            side_by_side(e),
            crate::part::part(share.value),
            e.mss,
            if e.mss_said { "" } else { ", which is assumed" }
        );
        all.push(Limit {
            bursts: Some(most),
            ..limit(Cause::RandomLoss, rate, formula)
        });
    }
}

/// What is sent again at the start alone says nothing of what the path loses later on.
const SENT_AGAIN: &str = "segments sent again";

/// Linux's least retransmission timeout, seconds (`TCP_RTO_MIN`); RFC 6298 §2.4 has 1 s.
const LEAST_TIMEOUT_S: f64 = 0.2;

/// What losses of this share leave, and by which law; none where the sender is one of BBR, which has no law of its losses.
fn loss_rate(
    e: &Evidence,
    share: &Figure,
    bursts: f64,
    rtt: &Figure,
) -> Option<(Figure, f64, String)> {
    if e.is_bbr() {
        return None;
    }
    let cc: Option<Cc> = e.cc.as_deref().and_then(|name| name.parse().ok());
    let at = |cc: Cc, p: f64, rtt_s: f64| {
        let p = p.clamp(1e-10, 0.5);
        let window = match p > 0.02 {
            true => {
                // A timeout is no shorter than a host's least, however short the path; probes of the tail (RFC 8985 §7) spare
                // some of them. Between all and none, in the middle.
                let of = Pftk::of_rtt(rtt_s);
                let timeout_s = libm::fmax(of.timeout_s, LEAST_TIMEOUT_S);
                let all = Pftk { timeout_s, ..of }.full(p);
                libm::sqrt(all * of.full(p)) * rtt_s
            }
            false => law::window(cc, p, Conditions::of_linux(cc, rtt_s))?,
        };
        Some(window * e.mss * 8.0 / rtt_s * e.streams)
    };
    let (slow, fast) = match cc {
        Some(cc) => (cc, cc),
        // Which it is was not said: what most hosts have had.
        None => (Cc::Reno, Cc::Cubic),
    };
    let mut rate = share.with(rtt);
    rate.value = at(fast, share.value, rtt.value)?;
    // The laws are of many losses at their mean; one run's few are a third off.
    rate.low = at(slow, share.high, rtt.high)?.min(rate.value) * 0.67;
    rate.high = rate.value * 2.0;
    let most = at(fast, share.value / bursts, rtt.low)?.max(rate.value) * 1.5;
    let faster = e.rate.as_ref().is_some_and(|r| r.low > FASTER * rate.high);
    let name = match (cc, &e.cc, faster) {
        (Some(cc), _, _) => cc.name().to_owned(),
        (None, Some(other), _) => format!("Reno to CUBIC, which {other} need not be like,"),
        (None, None, true) => {
            "Reno to CUBIC (which BBR is not held by; this sender was far faster)".to_owned()
        }
        (None, None, false) => {
            "Reno to CUBIC (nothing says which; BBR is not held by it)".to_owned()
        }
    };
    Some((rate, most, name))
}

/// A sender with so many times the most that a law leaves is not of that law, or its losses came in bursts.
const FASTER: f64 = 3.0;

/// A transfer that is short beside its round trips spends them on opening its window.
fn ramp(e: &Evidence, all: &mut Vec<Limit>) {
    // A queue that stands is not waited for in slow start: the line is full then.
    let (Some(rtt), Some(bytes), Some(seconds)) = (e.rtt_by_itself(), &e.bytes, e.seconds) else {
        return;
    };
    if e.swallowed.is_some() || e.is_past_start() {
        // It was not over: what it had to send never arrived. Or it was as fast at its start, or from its first fifth on.
        return;
    }
    let rounds = rounds(e, bytes.value);
    let took = |rtt: f64| rtt * (rounds + 1.0);
    if seconds > 3.0 * took(rtt.value) {
        return;
    }
    let mut rate = bytes.with(rtt);
    rate.value = bytes.value * 8.0 / took(rtt.value);
    rate.low = bytes.low * 8.0 / (took(rtt.high) * 1.8);
    rate.high = bytes.high * 8.0 / took(rtt.low) * 1.3;
    let formula = format!(
        "{:.0} B in {rounds:.1} round trips of slow start that doubles, from {}",
        bytes.value,
        match e.first_segments() {
            n if n < 2.0 => "one segment".to_owned(),
            n => format!("{n:.0} segments"),
        }
    );
    all.push(limit(Cause::Ramp, rate, formula));
}

/// Round trips in which slow start sends so many bytes.
///
/// RFC 6928: ten segments at first, unless SYNs were lost; each round trip doubles them, as a Linux host counts bytes and BBR doubles by definition. `predict`
/// takes one ACK for two segments by default, and says what counting bytes makes of it.
pub(crate) fn rounds(e: &Evidence, bytes: f64) -> f64 {
    let first = e.first_segments() * e.mss * e.streams;
    libm::log2(bytes / first + 1.0).max(1.0)
}

/// How long slow start takes until it sends at a rate, bit/s, in seconds; none without a round trip.
pub(crate) fn slow_start_s(e: &Evidence, rate: f64) -> Option<f64> {
    let rtt = e.rtt_by_itself()?.value;
    Some(rtt * (rounds(e, rate * rtt / 8.0) + 1.0))
}

/// How much longer than slow start takes for its bytes a connection was at work, as its kernel counts; none where it does not.
pub(crate) fn opened(e: &Evidence) -> Option<f64> {
    let ((bytes, busy_s), rtt) = (e.worked.as_ref()?, e.rtt.as_ref()?);
    Some(busy_s / (rtt.value * (rounds(e, *bytes) + 1.0)))
}
