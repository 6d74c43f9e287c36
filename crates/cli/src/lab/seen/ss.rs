//! What `ss -tinmH` of iproute2 printed of connections, as the kernel would have listed them: tests keep what kernels said in its
//! words.

use std::net::SocketAddr;

use farpath_probe::live::{Found, is_full};
use farpath_probe::report::Sample;
use farpath_units::Time;

use super::{LOSS, Seen, name_of, of};

/// Every connection of a listing: a line for its ends, and an indented one for what the kernel says of it.
pub(in crate::lab) fn read_all(now: Time, text: &str) -> Vec<([String; 2], Seen)> {
    let mut all = Vec::new();
    let mut ends = None;
    for line in text.lines() {
        if !line.starts_with(char::is_whitespace) {
            ends = ends_of(line);
        } else if let Some(ends) = ends.take() {
            let found = read(Found::between(ends), line);
            all.push((ends.map(name_of), of(now, &found)));
        }
    }
    all
}

/// The two ends in the first line of a connection: its last words.
fn ends_of(line: &str) -> Option<[SocketAddr; 2]> {
    let mut words = line.split_whitespace().rev();
    let [peer, own] = [words.next()?, words.next()?];
    Some([own.parse().ok()?, peer.parse().ok()?])
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
fn is_rate(announced: &str, word: &str, sample: &mut Sample) -> bool {
    match announced {
        // `4951368bps/5000000bps`: its own, and the most that the program allows.
        "pacing_rate" => {
            let (own, most) = word.split_once('/').unwrap_or((word, ""));
            sample.pacing_bps = Some(number(own) as u64);
            sample.pacing_limit_bps = (!most.is_empty()).then(|| number(most) as u64);
        }
        "delivery_rate" => sample.delivery_bps = Some(number(word) as u64),
        _ => return false,
    }
    true
}

/// Takes in a word that says where the kernel's time went, or what it waits for: milliseconds.
fn timed(name: &str, value: &str, sample: &mut Sample) {
    let us = (number(value) * 1e3) as u64;
    match name {
        "snd_wnd" => sample.window = Some(number(value) as u64),
        // Kernels with this timer say how much is unsent, and `ss` prints no 0.
        "busy" => {
            sample.busy_us = us;
            sample.unsent = sample.unsent.or(Some(0));
        }
        // `rtt:100.38/28.295`: smoothed, and its variation.
        "rtt" => sample.srtt_ns = us * 1000,
        "minrtt" => sample.rtt_min_ns = Some(us * 1000),
        "notsent" => sample.unsent = Some(number(value) as u64),
        "rwnd_limited" => sample.rwnd_us = us,
        "sndbuf_limited" => sample.sndbuf_us = us,
        "backoff" => sample.state = LOSS,
        _ => {}
    }
}

/// The second line of a connection: words, most of them `name:value`.
fn read(mut found: Found, line: &str) -> Found {
    let snapshot = &mut found.snapshot;
    let sample = &mut snapshot.sample;
    let (mut mss, mut unacked, mut cwnd, mut ssthresh) = (0, 0, 0, None);
    // Of the unacknowledged: what has arrived or is taken for lost, and what of it was sent again.
    let (mut left, mut again) = (0, 0);
    // What the word before announces: `delivery_rate 4999128bps`.
    let mut announced = "";
    for word in line.split_whitespace() {
        if is_rate(core::mem::replace(&mut announced, word), word, sample) {
            continue;
        }
        let Some((name, value)) = word.split_once(':') else {
            sample.app_limited |= word == "app_limited";
            // Before it stand at most the socket's options (`ts sack ecn`); behind it come words of `send 27Mbps`.
            if !WORDS.contains(&word) && found.cc.is_none() {
                found.cc = Some(word.to_owned());
            }
            continue;
        };
        let count = number(value) as u64;
        match name {
            "skmem" => [snapshot.send_queue, snapshot.send_buffer] = queued(value),
            "mss" => mss = count,
            "cwnd" => cwnd = count,
            "ssthresh" => ssthresh = Some(count),
            "unacked" => unacked = count,
            "sacked" | "lost" => left += count,
            "bytes_acked" => snapshot.acked = count,
            "data_segs_out" => snapshot.segments = count,
            "bytes_sent" => snapshot.sent = Some(count),
            "bytes_retrans" => snapshot.resent = Some(count),
            "bytes_received" => snapshot.received = count,
            // `retrans:0/12`: now and in all.
            "retrans" => {
                let (now, all) = value.split_once('/').unwrap_or((value, "0"));
                snapshot.retransmits = number(all) as u64;
                again = number(now) as u64;
                if again > 0 {
                    sample.state = sample.state.max(RECOVERY);
                }
            }
            _ => timed(name, value, sample),
        }
    }
    let memory = snapshot.send_queue.zip(snapshot.send_buffer);
    sample.full = memory.is_some_and(|memory| is_full(memory, mss, cwnd));
    // As the kernel counts it (`tcp_packets_in_flight`).
    sample.in_flight = (unacked + again).saturating_sub(left) * mss;
    sample.cwnd = cwnd * mss;
    sample.ssthresh = ssthresh.map(|segments| segments * mss);
    sample.retransmits = Some(snapshot.retransmits);
    found.details.mss = mss;
    found
}

/// Of a socket's memory `(r0,rb131072,t0,tb345600,f1872,w334000,o0,bl0,d0)` what is queued to be sent, `w`, and the send
/// buffer, `tb`.
fn queued(memory: &str) -> [Option<u64>; 2] {
    ["w", "tb"].map(|name| {
        let mut parts = memory.trim_matches(['(', ')']).split(',');
        parts.find_map(|p| p.strip_prefix(name)?.parse::<u64>().ok())
    })
}
