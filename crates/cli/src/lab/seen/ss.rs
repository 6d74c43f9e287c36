//! What `ss -tinmH` of iproute2 printed of connections: tests keep what kernels said in its words.

use std::net::SocketAddr;

use farpath_observe::{Sample, Timers};
use farpath_probe::live::is_full;
use farpath_units::{Duration, Time};

use super::{LOSS, Seen, is_held};
use crate::lab::connections::name_of;

/// Every connection of a listing: a line for its ends, and an indented one for what the kernel says of it.
pub(in crate::lab) fn read_all(now: Time, text: &str) -> Vec<([String; 2], Seen)> {
    let mut all = Vec::new();
    let mut ends = None;
    for line in text.lines() {
        if !line.starts_with(char::is_whitespace) {
            ends = ends_of(line);
        } else if let Some(ends) = ends.take() {
            all.push((ends, read(now, line)));
        }
    }
    all
}

/// The two ends in the first line of a connection: its last words. A socket for both versions of IP names IPv4 in IPv6.
fn ends_of(line: &str) -> Option<[String; 2]> {
    let mut words = line.split_whitespace().rev();
    let [peer, own] = [words.next()?, words.next()?];
    let name = |end: &str| end.parse::<SocketAddr>().map_or(end.to_owned(), name_of);
    Some([own, peer].map(name))
}

/// What `ss` says of a connection in one word, beside its congestion control (`tcp_info_print` of iproute2).
const WORDS: [&str; 8] = [
    "ts", "usec_ts", "sack", "ecn", "ecnseen", "accecn", "fastopen", "tcp-ao",
];

/// `tcpi_ca_state` is not printed; what is under way says the same (`enum tcp_ca_state`).
const RECOVERY: u8 = 3;

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
        "rwnd_limited" => timers.receive_window = time(value),
        "sndbuf_limited" => timers.send_buffer = time(value),
        "backoff" => timers.state = LOSS,
        _ => {}
    }
}

/// The second line of a connection: words, most of them `name:value`.
fn read(now: Time, line: &str) -> Seen {
    let mut seen = Seen::default();
    let mut timers = Timers::default();
    let (mut mss, mut unacked, mut cwnd, mut ssthresh) = (0, 0, 0, None);
    // Of the unacknowledged: what has arrived or is taken for lost, and what of it was sent again.
    let (mut left, mut again) = (0, 0);
    let mut sent_again = 0;
    let mut srtt = None;
    let mut memory = None;
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
            "skmem" => memory = queued(value),
            "mss" => mss = number(value) as u64,
            "cwnd" => cwnd = number(value) as u64,
            "ssthresh" => ssthresh = Some(number(value) as u64),
            "unacked" => unacked = number(value) as u64,
            "sacked" | "lost" => left += number(value) as u64,
            "bytes_acked" => seen.end.acked = number(value) as u64,
            "data_segs_out" => seen.segments = number(value) as u64,
            "bytes_sent" => seen.end.sent = Some(number(value) as u64),
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
    timers.full = memory.is_some_and(|memory| is_full(memory, mss, cwnd));
    // As the kernel counts it (`tcp_packets_in_flight`).
    let in_flight = (unacked + again).saturating_sub(left) * mss;
    seen.end.sent = seen.end.sent.map(|all| all.saturating_sub(sent_again));
    seen.end.unsent = timers.unsent.unwrap_or(0);
    seen.end.is_held = is_held(seen.end.unsent, mss, (unacked, cwnd));
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

/// Of a socket's memory `(r0,rb131072,t0,tb345600,f1872,w334000,o0,bl0,d0)` what is queued to be sent, `w`, and the send
/// buffer, `tb`.
fn queued(memory: &str) -> Option<(u64, u64)> {
    let part = |name: &str| {
        let mut parts = memory.trim_matches(['(', ')']).split(',');
        parts.find_map(|p| p.strip_prefix(name)?.parse::<u64>().ok())
    };
    part("w").zip(part("tb"))
}
