//! One sample of one connection, as `ss` prints it.

use farpath_observe::{Sample, Timers};
use farpath_units::{Duration, Time};

/// What one end of a connection had counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct End {
    /// Both ends are sampled in each round.
    pub(super) round: usize,
    /// Bytes sent so far, each once.
    pub(super) sent: u64,
    /// Bytes acknowledged so far; the SYN counts as one to who opened the connection.
    pub(super) acked: u64,
    /// Bytes received so far.
    pub(super) received: u64,
    /// Bytes written and not sent yet.
    pub(super) unsent: u64,
    /// Less than a segment is written, and waits for the acknowledgement of what was sent before, though the congestion window has room
    /// (RFC 1122 §4.2.3.4, Nagle's algorithm).
    pub(super) is_held: bool,
}

/// What one sample of one connection says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// The congestion control, as the kernel names it.
    pub(super) control: String,
    /// Segments with data sent so far, again sent ones among them.
    pub(super) segments: u64,
    /// Segments sent again.
    pub(super) retransmits: u64,
    /// What was sent and received.
    pub(super) end: End,
    pub(super) sample: Sample,
}

impl Seen {
    /// Whether a retransmission timer has run out and is not made good.
    pub(super) fn backs_off(&self) -> bool {
        self.sample.timers.is_some_and(|t| t.state == LOSS)
    }
}

/// What `ss` says of a connection in one word, beside its congestion control (`tcp_info_print` of iproute2).
const WORDS: [&str; 8] = [
    "ts", "usec_ts", "sack", "ecn", "ecnseen", "accecn", "fastopen", "tcp-ao",
];

/// `tcpi_ca_state` is not printed; what is under way says the same (`enum tcp_ca_state`).
const RECOVERY: u8 = 3;
const LOSS: u8 = 4;

/// So many segments of small messages are under way at most.
const FEW: u64 = 2;

/// The number that a word begins with; 0 without one.
fn number(text: &str) -> f64 {
    let digits = text.split(|c: char| !c.is_ascii_digit() && c != '.').next();
    digits.and_then(|d| d.parse::<f64>().ok()).unwrap_or(0.0)
}

/// Takes in a rate that the word before announces; whether it is one.
fn is_rate(announced: &str, word: &str, timers: &mut Timers) -> bool {
    match announced {
        // `4951368bps/5000000bps`: its own, and the most that the program allows.
        "pacing_rate" => {
            let (own, most) = word.split_once('/').unwrap_or((word, ""));
            timers.pacing_bps = Some(number(own) as u64);
            timers.pacing_limit_bps = (!most.is_empty()).then(|| number(most) as u64);
        }
        "delivery_rate" => timers.delivery_bps = Some(number(word) as u64),
        _ => return false,
    }
    true
}

/// A time in milliseconds.
fn time(text: &str) -> Duration {
    Duration::from_secs_f64(number(text) / 1e3)
}

/// Takes in a word that says where the kernel's time went, or what it waits for.
fn timed(name: &str, value: &str, timers: &mut Timers) {
    match name {
        "snd_wnd" => timers.window = Some(number(value) as u64),
        // Kernels with this timer say how much is unsent, and `ss` prints no 0.
        "busy" => {
            timers.busy = time(value);
            timers.unsent = timers.unsent.or(Some(0));
        }
        "minrtt" => timers.min_rtt = Some(time(value)),
        "notsent" => timers.unsent = Some(number(value) as u64),
        "skmem" => timers.full = is_full(value),
        "rwnd_limited" => timers.receive_window = time(value),
        "sndbuf_limited" => timers.send_buffer = time(value),
        "backoff" => timers.state = LOSS,
        _ => {}
    }
}

/// The second line of a connection: words, most of them `name:value`.
pub(super) fn read(now: Time, line: &str) -> Seen {
    let mut seen = Seen::default();
    let mut timers = Timers::default();
    let (mut mss, mut unacked, mut cwnd, mut ssthresh) = (0, 0, 0, None);
    // Of the unacknowledged: what has arrived or is taken for lost, and what of it was sent again.
    let (mut left, mut again) = (0, 0);
    let mut sent_again = 0;
    let mut srtt = None;
    // What the word before announces: `delivery_rate 4999128bps`.
    let mut announced = "";
    for word in line.split_whitespace() {
        if is_rate(core::mem::replace(&mut announced, word), word, &mut timers) {
            continue;
        }
        let Some((name, value)) = word.split_once(':') else {
            timers.app_limited |= word == "app_limited";
            // Before it stand at most the socket's options (`ts sack ecn`); behind it come words of `send 27Mbps`.
            if !WORDS.contains(&word) && seen.control.is_empty() {
                seen.control = word.to_owned();
            }
            continue;
        };
        match name {
            "mss" => mss = number(value) as u64,
            "cwnd" => cwnd = number(value) as u64,
            "ssthresh" => ssthresh = Some(number(value) as u64),
            "unacked" => unacked = number(value) as u64,
            "sacked" | "lost" => left += number(value) as u64,
            "bytes_acked" => seen.end.acked = number(value) as u64,
            "data_segs_out" => seen.segments = number(value) as u64,
            "bytes_sent" => seen.end.sent = number(value) as u64,
            "bytes_retrans" => sent_again = number(value) as u64,
            "bytes_received" => seen.end.received = number(value) as u64,
            // `rtt:100.38/28.295`: smoothed, and its variation.
            "rtt" => srtt = Some(time(value.split('/').next().unwrap_or_default())),
            // `retrans:0/12`: now and in all.
            "retrans" => {
                let (now, all) = value.split_once('/').unwrap_or((value, "0"));
                seen.retransmits = number(all) as u64;
                again = number(now) as u64;
                if again > 0 {
                    timers.state = timers.state.max(RECOVERY);
                }
            }
            _ => timed(name, value, &mut timers),
        }
    }
    // As the kernel counts it (`tcp_packets_in_flight`).
    let in_flight = (unacked + again).saturating_sub(left) * mss;
    seen.end.sent = seen.end.sent.saturating_sub(sent_again);
    seen.end.unsent = timers.unsent.unwrap_or(0);
    // Of a bulk transfer far more is under way.
    seen.end.is_held =
        (1..mss).contains(&seen.end.unsent) && (1..=FEW.min(cwnd)).contains(&unacked);
    seen.sample = Sample {
        t: now,
        cwnd: Some(cwnd * mss),
        ssthresh: ssthresh.map(|segments| segments * mss),
        in_flight: Some(in_flight),
        srtt,
        resent: Some(seen.retransmits),
        loss_events: None,
        timers: Some(timers),
    };
    seen
}

/// Whether a writer waits, by a socket's memory `(r0,rb131072,t0,tb345600,f1872,w334000,o0,bl0,d0)`: it does where more
/// than two thirds of the send buffer `tb` is queued, `w` (`sk_stream_is_writeable`).
fn is_full(memory: &str) -> bool {
    let part = |name: &str| {
        let mut parts = memory.trim_matches(['(', ')']).split(',');
        parts.find_map(|p| p.strip_prefix(name)?.parse::<u64>().ok())
    };
    let (queued, buffer) = (part("w"), part("tb"));
    queued
        .zip(buffer)
        .is_some_and(|(queued, buffer)| queued > buffer / 3 * 2)
}
