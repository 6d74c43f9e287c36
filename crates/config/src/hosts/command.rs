//! Commands of hosts: tests, interfaces, queues.

use farpath_units::Rate;

use super::buffer::{MOST, near_power};
use super::path::{held, queue, window};
use super::{Host, marks_of_tos, tc};
use crate::commands::{Word, Words};
use crate::finding::{Severity, quoted};
use crate::rules::{HOST001, HOST002, HOST011, HOST012, HOST014};
use crate::source::Place;

/// What reads the words after a command's name.
type Read = fn(Words<'_>, &Place, &mut Host) -> bool;

/// The commands, and what reads them; `tc` shows lines that begin with the last two.
const COMMANDS: [(&str, Read); 13] = [
    ("iperf", |w, _, h| iperf(w, h, false)),
    ("iperf2", |w, _, h| iperf(w, h, false)),
    ("iperf3", |w, _, h| iperf(w, h, true)),
    ("nuttcp", |w, _, h| iperf(w, h, true)),
    ("netperf", |w, _, h| netperf(w, h)),
    ("ttcp", |w, _, h| ttcp(w, "-b", h)),
    ("nttcp", |w, _, h| ttcp(w, "-w", h)),
    ("ifconfig", |w, _, h| link(w, h)),
    ("ip", |w, _, h| ip(w, h)),
    ("ethtool", |w, _, h| ethtool(w, h)),
    ("tc", |w, _, h| tc::read(w, h)),
    ("qdisc", |w, _, h| tc::listed(w, h)),
    ("class", |w, _, h| tc::listed(w, h)),
];

/// Least MTU of IPv6 (RFC 8200 §5).
const LEAST_MTU: u64 = 1280;

/// Above this a processor feels single frames and short rings.
const FAST: u64 = 10_000_000_000;

/// The name of a command, without its folder.
pub(super) fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether a line begins with the name of a command of hosts.
pub(super) fn is_one(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (first, second) = (words.next().unwrap_or(""), words.next());
    match name(first) {
        // IOS has lines that begin with `ip`, too.
        "ip" => matches!(
            second,
            Some("link" | "route" | "addr" | "-s" | "-d" | "-6" | "-4")
        ),
        // So has CatOS `tc`, and text may.
        "tc" => matches!(
            second,
            Some("qdisc" | "class" | "filter" | "-s" | "-d" | "-n")
        ),
        "qdisc" | "class" => tc::is_listed(line),
        known => second.is_some() && COMMANDS.iter().any(|(c, _)| *c == known),
    }
}

/// Reads a command; `false` if it is not understood.
pub(super) fn read(mut words: Words<'_>, place: &Place, host: &mut Host) -> bool {
    let Some(first) = words.next() else {
        return false;
    };
    let known = COMMANDS.iter().find(|(c, _)| *c == name(first.text));
    known.is_some_and(|(_, read)| read(words, place, host))
}

/// The value after an option, `-w 4M`, `-w4M` or `--window=4M`.
fn option<'a>(words: Words<'a>, short: &str, long: &str) -> Option<Word<'a>> {
    let mut words = words;
    while let Some(word) = words.next() {
        let inline = |text: &'a str| Word {
            text,
            at: word.at + word.text.len() - text.len(),
        };
        if word.text == short || (word.text == long && !long.is_empty()) {
            return words.next();
        }
        if let Some(rest) = word
            .text
            .strip_prefix(long)
            .filter(|_| !long.is_empty())
            .and_then(|r| r.strip_prefix('='))
        {
            return Some(inline(rest));
        }
        let rest = word.text.strip_prefix(short).filter(|r| !r.is_empty());
        if let Some(rest) = rest.filter(|r| r.starts_with(|c: char| c.is_ascii_digit())) {
            return Some(inline(rest));
        }
    }
    None
}

/// A size with iperf's letters: iperf3 counts in 1024 throughout, iperf 2 small letters in 1000.
fn size(text: &str, binary: bool) -> Option<u64> {
    let (digits, letter) = match text.char_indices().next_back()? {
        (at, letter) if letter.is_ascii_alphabetic() => (&text[..at], letter),
        _ => (text, ' '),
    };
    let base: u64 = if binary || letter.is_ascii_uppercase() {
        1024
    } else {
        1000
    };
    let scale = match letter.to_ascii_lowercase() {
        ' ' | 'b' => 1,
        'k' => base,
        'm' => base.pow(2),
        'g' => base.pow(3),
        _ => return None,
    };
    let whole = digits
        .parse::<u64>()
        .ok()
        .and_then(|n| n.checked_mul(scale));
    let part = || {
        digits
            .parse::<f64>()
            .ok()
            .filter(|n| n.is_finite() && *n >= 0.0)
    };
    whole.or_else(|| Some((part()? * scale as f64) as u64))
}

fn iperf(words: Words<'_>, host: &mut Host, binary: bool) -> bool {
    if let Some(word) = option(words, "-S", "--tos") {
        tos(word, host);
    }
    let Some(word) = option(words, "-w", "--window") else {
        return true;
    };
    if apart(words, word, host) {
        return true;
    }
    // The window of a datagram socket is a queue, and limits no rate.
    let mut datagrams = words;
    if datagrams.any(|w| matches!(w.text, "-u" | "--udp")) {
        return true;
    }
    let streams = option(words, "-P", "--parallel").and_then(|w| w.text.parse().ok());
    let streams: u64 = streams.unwrap_or(1).max(1);
    buffer(word, streams, binary, host);
    true
}

/// A unit that stands apart from its number: the program does not take it.
fn apart(words: Words<'_>, size: Word<'_>, host: &mut Host) -> bool {
    let mut after = words.skip_while(|w| w.at <= size.at);
    let unit = after.next().filter(|w| {
        let letter = w.text.strip_suffix(['b', 'B']).unwrap_or(w.text);
        w.at > size.at && matches!(letter, "k" | "K" | "m" | "M" | "g" | "G")
    });
    let Some(unit) = unit.filter(|_| size.text.bytes().all(|b| b.is_ascii_digit())) else {
        return false;
    };
    let place = host.at(size.at..unit.at + unit.text.len());
    let message = format!(
        "`{} {}` has a space in it: {0} bytes are asked for",
        size.text, unit.text
    );
    let remedy = format!("write {}{}", size.text, unit.text);
    host.find(&HOST002, &place, message, remedy).severity = Severity::Error;
    true
}

/// `netperf … -- -s SIZE[,SIZE] -S SIZE[,SIZE]`: buffers at this end and at the other.
fn netperf(words: Words<'_>, host: &mut Host) -> bool {
    let mut words = words;
    if !words.any(|w| w.text == "--") {
        return true;
    }
    for end in ["-s", "-S"] {
        let Some(word) = option(words, end, "") else {
            continue;
        };
        let mut at = word.at;
        for text in word.text.split(',').filter(|t| !t.is_empty()) {
            buffer(Word { text, at }, 1, false, host);
            at += text.len() + 1;
        }
    }
    true
}

/// `ttcp -b SIZE`, `nttcp -w SIZE`.
fn ttcp(words: Words<'_>, short: &str, host: &mut Host) -> bool {
    if let Some(word) = option(words, short, "") {
        buffer(word, 1, false, host);
    }
    true
}

/// HOST002 and HOST003, of a buffer that `streams` connections each ask for.
fn buffer(word: Word<'_>, streams: u64, binary: bool, host: &mut Host) {
    let place = host.at(word.span());
    let Some(bytes) = size(word.text, binary) else {
        let message = format!("`{}` is not a size", quoted(word.text));
        let finding = host.find(&HOST002, &place, message, "write bytes, such as 64M");
        finding.severity = Severity::Error;
        return;
    };
    if bytes > MOST {
        let message = format!("a socket's buffer has at most {MOST} bytes, not {bytes}");
        let remedy = "ask for rate times round-trip time; several connections hold more";
        host.find(&HOST002, &place, message, remedy).severity = Severity::Error;
        return;
    }
    let what = format!("a window of {}", word.text);
    let remedy =
        "ask for rate times round-trip time, and let net.core.rmem_max and wmem_max allow it";
    window(host, &place, (&what, bytes, streams), remedy);
    near_power("a window of", bytes, &place, host);
    if bytes % 1024 != 0
        && !host
            .findings
            .iter()
            .any(|f| *crate::finding::place(f) == place && f.rule == HOST002.id)
    {
        let message = format!("a window of {bytes} bytes is not a multiple of 1024");
        let remedy = format!("write {}K, if that is meant", bytes.div_ceil(1024));
        host.find(&HOST002, &place, message, remedy).severity = Severity::Info;
    }
}

/// HOST001: what a TOS byte stands for.
fn tos(word: Word<'_>, host: &mut Host) {
    let tos = match word.text.strip_prefix("0x") {
        Some(hex) => u8::from_str_radix(hex, 16),
        None => word.text.parse(),
    };
    let place = host.at(word.span());
    let Ok(tos) = tos else {
        let message = format!("`{}` is not a TOS byte", quoted(word.text));
        let remedy = "write 0x00 to 0xff; 0x20 is DSCP 8";
        host.find(&HOST001, &place, message, remedy).severity = Severity::Error;
        return;
    };
    let (dscp, precedence) = marks_of_tos(tos);
    let ecn = match tos & 3 {
        0 => String::new(),
        bits => format!(", ECN bits {bits}"),
    };
    let message = format!("TOS 0x{tos:02x} is DSCP {dscp}, precedence {precedence}{ecn}");
    let remedy = "the switches must keep it, and queue by it";
    host.find(&HOST001, &place, message, remedy);
}

/// `ip link set DEV mtu N txqueuelen N`; other uses of `ip` say nothing of a path.
fn ip(mut words: Words<'_>, host: &mut Host) -> bool {
    while words.peek().is_some_and(|w| w.text.starts_with('-')) {
        words.next();
    }
    match words.next().map(|w| w.text) {
        Some("link") => link(words, host),
        Some("route" | "addr" | "address" | "neigh" | "rule" | "netns") => route(words, host),
        _ => false,
    }
}

/// `ip route … window N`, `initcwnd N`: a window clamped for a route.
fn route(words: Words<'_>, host: &mut Host) -> bool {
    let mut words = words;
    while let Some(word) = words.next() {
        if word.text != "window" {
            continue;
        }
        let Some(value) = words.next() else { continue };
        let place = host.at(value.span());
        if let Ok(bytes) = value.text.parse::<u64>() {
            let what = format!("a route's window of {bytes}");
            window(host, &place, (&what, bytes, 1), "leave it out");
        }
    }
    true
}

/// `mtu N`, `txqueuelen N` of an interface.
fn link(words: Words<'_>, host: &mut Host) -> bool {
    let mut words = words;
    let mut mtu = 1500;
    let mut queues = Vec::new();
    while let Some(word) = words.next() {
        let kind = match word.text {
            "mtu" => &HOST011,
            "txqueuelen" | "txqlen" | "qlen" => &HOST012,
            _ => continue,
        };
        let Some(value) = words.next() else {
            return false;
        };
        let place = host.at(value.span());
        let Ok(number) = value.text.parse::<u64>() else {
            let shown = quoted(value.text);
            let message = format!("`{shown}` is not a value of `{}`", word.text);
            let finding = host.find(kind, &place, message, "write a whole number");
            finding.severity = Severity::Error;
            continue;
        };
        if word.text == "mtu" {
            mtu = number;
            datagrams(number, place, host);
        } else {
            queues.push((number, place));
        }
    }
    for (frames, place) in queues {
        queue(frames, mtu, &place, host);
    }
    true
}

/// HOST011.
fn datagrams(mtu: u64, place: Place, host: &mut Host) {
    let wrong = match mtu {
        0..68 => Some((Severity::Error, "IPv4 needs 68 bytes (RFC 791 §3.2)")),
        68..LEAST_MTU => Some((Severity::Warning, "IPv6 needs 1280 bytes (RFC 8200 §5)")),
        65_536.. => Some((Severity::Error, "a datagram has at most 65 535 bytes")),
        _ => None,
    };
    if let Some((severity, why)) = wrong {
        let message = format!("an MTU of {mtu}: {why}");
        host.find(
            &HOST011,
            &place,
            message,
            "write 1500, or 9000 where the whole path takes it",
        )
        .severity = severity;
    }
    host.mtus.push((mtu, place));
}

/// HOST014: `ethtool -K`, `-G` and `-s`.
fn ethtool(words: Words<'_>, host: &mut Host) -> bool {
    let mut words = words;
    let Some(mode) = words.next() else {
        return false;
    };
    let all: Vec<Word<'_>> = words.skip(1).collect();
    let fast = host.path.rate.is_none_or(|r| r.as_bps() >= FAST);
    let of = host
        .path
        .rate
        .map_or_else(String::new, |r| format!(" at {r}"));
    for pair in all.chunks(2) {
        let [key, value] = pair else { break };
        let here = host.at(key.at..value.at + value.text.len());
        let offload = matches!(key.text, "tso" | "gso" | "gro" | "lro" | "sg" | "tx" | "rx");
        match mode.text {
            "-K" | "--offload" | "--features" if offload && value.text == "off" && fast => {
                let message = format!(
                    "{} off: the processor handles each frame by itself{of}",
                    key.text
                );
                host.find(
                    &HOST014,
                    &here,
                    message,
                    "leave it on, but where frames are captured",
                );
            }
            "-G" | "--set-ring" if matches!(key.text, "rx" | "tx") && fast => {
                let short = value.text.parse::<u64>().is_ok_and(|n| n < 512);
                if short {
                    let message = format!("a ring of {} frames is short{of}", value.text);
                    host.find(
                        &HOST014,
                        &here,
                        message,
                        "write 1024 or more: `ethtool -g` shows the most",
                    );
                }
            }
            "-s" | "--change" if key.text == "duplex" && value.text == "half" => {
                let message = "half duplex: frames collide under load".to_owned();
                let finding =
                    host.find(&HOST014, &here, message, "write `duplex full` at both ends");
                finding.severity = Severity::Error;
            }
            "-s" | "--change" if key.text == "speed" => {
                let bps = value.text.parse().ok();
                let bps = bps.and_then(|mbps: u64| mbps.checked_mul(1_000_000));
                if let Some(rate) = bps.and_then(Rate::from_bps) {
                    held(host, &here, "the interface sends", rate);
                }
            }
            _ => {}
        }
    }
    mode.text.starts_with('-') || all.is_empty()
}
