//! `sysctl` settings, of Linux and of FreeBSD.

use farpath_predict::window::{MEMORY_PART, SHARES_PAGES, asked_window, room_for, sent_part};

use super::buffer::{MOST, near_power};
use super::names::{meant, removed};
use super::path::{SLOW, shown, window};
use super::setting::{setting, settings_backwards};
use super::{Host, scale, tc};
use crate::finding::{Finding, Severity, quoted};
use crate::near::nearest;
use crate::rules::{
    HOST004, HOST005, HOST006, HOST007, HOST008, HOST009, HOST010, HOST012, HOST016, HOST017,
    HOST018,
};
use crate::source::Place;

/// Keys of other parts of the system, as `sysctl -a` prints them.
const OTHERS: [&str; 12] = [
    "abi.", "crypto.", "debug.", "dev.", "fs.", "hw.", "kern.", "kernel.", "machdep.", "sunrpc.",
    "user.", "vm.",
];

/// Congestion controls of Linux and FreeBSD by their names there.
pub const CONTROLS: [&str; 24] = [
    "bbr",
    "bbr1",
    "bbr2",
    "bbr3",
    "bic",
    "cdg",
    "chd",
    "cubic",
    "dctcp",
    "hd",
    "highspeed",
    "htcp",
    "hybla",
    "illinois",
    "lp",
    "newreno",
    "nv",
    "prague",
    "reno",
    "scalable",
    "vegas",
    "veno",
    "westwood",
    "yeah",
];

/// The largest window without window scaling (RFC 7323 §2).
const UNSCALED: u64 = 65_535;

/// The default of `tcp_rmem` where nobody set it.
const DEFAULT_BUFFER: u64 = 131_072;

/// The kernel's own `netdev_max_backlog`.
const BACKLOG: u64 = 1000;

/// The kernel's own `tcp_limit_output_bytes` since 4.20, and the least that any kernel had.
const OUTPUT: u64 = 1_048_576;
const LEAST_OUTPUT: u64 = 131_072;

/// Bytes of a page, and the memory for TCP above which bytes were probably meant.
const PAGE: u128 = 4096;
const TOO_MUCH: u128 = 256 << 30;

/// Settings that are ints: `Invalid argument` is the answer to more than [`MOST`] (`proc_dointvec_minmax`).
const INTS: [&str; 9] = [
    "net.core.netdev_max_backlog",
    "net.core.optmem_max",
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.ipv4.tcp_limit_output_bytes",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
];

/// A segment on Ethernet with timestamps.
const SEGMENT: u64 = 1448;

/// The default buffer of receivers, as the last line that sets `tcp_rmem` says; else Linux's own.
pub(super) fn default_buffer(text: &str) -> u64 {
    let mut set = settings_backwards(text);
    let triple = set.find(|(key, _)| key == "net.ipv4.tcp_rmem");
    let default = triple.and_then(|(_, value)| value.split_whitespace().nth(1)?.parse().ok());
    default.unwrap_or(DEFAULT_BUFFER)
}

/// HOST017, of such a line: line `later` counts.
pub(super) fn is_overridden(content: &str, later: usize, place: &Place, host: &mut Host) {
    let Some((key, _)) = setting(content) else {
        return;
    };
    let message = format!("{key} is set again in line {later}, which counts");
    let remedy = "leave out one of them; settings of two hosts belong into two files";
    host.find(&HOST017, place, message, remedy);
}

/// Reads a setting; `None` if it is none.
pub(super) fn read(content: &str, place: &Place, host: &mut Host) -> Option<()> {
    let (key, value) = setting(content)?;
    if OTHERS.iter().any(|o| key.starts_with(o)) {
        return Some(());
    }
    let value = value.split('#').next().unwrap_or_default();
    let value = value.trim().trim_matches(['"', '\'']).trim();
    if key.ends_with("congestion_control") || key == "net.inet.tcp.cc.algorithm" {
        control(&key, value, place, host);
        return Some(());
    }
    if key == "net.core.default_qdisc" && !value.is_empty() {
        tc::discipline(&key, value, place, host);
        return Some(());
    }
    let numbers = value.split_whitespace().map(str::parse);
    if let Some(meant) = meant(&key) {
        let message = format!("{key}: no Linux has a setting of this name");
        let remedy = format!("`{meant}` is one");
        host.find(&HOST016, place, message, remedy);
        return Some(());
    }
    if let Some((major, minor)) = host.kernel.and_then(|release| removed(&key, release)) {
        let message = format!("{key}: Linux has no such setting since {major}.{minor}");
        host.find(&HOST016, place, message, "leave it out");
        return Some(());
    }
    if key == scale::KEY {
        scale::read(value, place, host);
        return Some(());
    }
    let Ok(numbers) = numbers.collect::<Result<Vec<u64>, _>>() else {
        return text(&key, value, place, host);
    };
    let refused = numbers.iter().find(|n| **n > MOST);
    if let Some(number) = refused.filter(|_| INTS.contains(&key.as_str())) {
        let message = format!(
            "{key}: the kernel refuses {number} and keeps what it had, as the most is {MOST}"
        );
        let remedy = "write less; 536870912 is enough for 10 Gbit/s over 200 ms";
        host.find(&HOST004, place, message, remedy);
        return Some(());
    }
    match (key.as_str(), numbers.as_slice()) {
        ("net.ipv4.tcp_rmem" | "net.ipv4.tcp_wmem" | "net.ipv4.tcp_mem", all) => {
            triple(&key, all, place, host);
        }
        (key, [value]) if key.starts_with("net.") => single(key, *value, place, host),
        (key, []) if key.starts_with("net.") => return None,
        (key, _) if key.starts_with("net.") => {}
        _ => return None,
    }
    Some(())
}

/// A value that is not a number: most keys of `net.` may have one, those that are sizes may not.
fn text(key: &str, value: &str, place: &Place, host: &mut Host) -> Option<()> {
    let sizes = ["mem", "_max", "_default", "space", "_scaling", "_sack"];
    if !key.starts_with("net.") {
        return None;
    }
    let begins = value.starts_with(|c: char| c.is_ascii_digit());
    if begins && sizes.iter().any(|s| key.ends_with(s)) {
        let message = format!("{key} = {}: the kernel takes plain numbers", quoted(value));
        let remedy = "write bytes without a unit, and spaces between the numbers of a triple";
        host.find(&HOST004, place, message, remedy);
        return Some(());
    }
    (!sizes.iter().any(|s| key.ends_with(s))).then_some(())
}

fn single(key: &str, value: u64, place: &Place, host: &mut Host) {
    let own = "set it to rate times round-trip time, or leave it to the kernel's own tuning";
    match key {
        "net.inet.tcp.recvspace" | "net.inet.tcp.sendspace" => {
            let what = format!("{key} = {value}");
            window(host, place, (&what, value, 1), own);
        }
        "net.core.rmem_max" | "net.core.wmem_max" => {
            let what = format!("{key} = {value}, the most a program may ask for,");
            let remedy = "set it to rate times round-trip time for programs that set their buffers";
            // Linux doubles what is asked for.
            let bytes = match key {
                "net.core.rmem_max" => asked_window(value as f64, host.window.usual) as u64,
                _ => value.saturating_mul(2),
            };
            // It limits programs that ask for a buffer: others have tcp_rmem and tcp_wmem.
            if window(host, place, (&what, bytes, 1), remedy)
                && let Some(finding) = host.findings.last_mut()
            {
                finding.severity = Severity::Warning;
            }
        }
        "net.inet.tcp.recvbuf_max" | "net.inet.tcp.sendbuf_max" | "kern.ipc.maxsockbuf" => {
            let what = format!("{key} = {value}");
            window(
                host,
                place,
                (&what, value, 1),
                "set it to twice rate times round-trip time",
            );
        }
        "net.core.netdev_max_backlog" if value < BACKLOG => {
            let message = format!(
                "{key} = {value}: more frames than that at once are dropped before TCP sees them"
            );
            let remedy = format!("write {BACKLOG}, the kernel's own, or more");
            host.find(&HOST012, place, message, remedy);
        }
        "net.ipv4.tcp_limit_output_bytes" if value < LEAST_OUTPUT => {
            let message = format!(
                "{key} = {value}: a connection waits for its interface again after {value} bytes, and sends less than {LEAST_OUTPUT} at once"
            );
            let remedy = format!("write {OUTPUT}, the kernel's own, or leave it out");
            host.find(&HOST012, place, message, remedy);
        }
        _ => switch(key, value, place, host),
    }
}

/// Settings that are on, off or a mode.
fn switch(key: &str, value: u64, place: &Place, host: &mut Host) {
    let name = key.rsplit('.').next().unwrap_or(key);
    match (name, value) {
        ("tcp_window_scaling", 0) => unscaled(key, place, host),
        ("tcp_sack", 0) => {
            let message =
                format!("{key} = 0: of several losses in a window TCP repairs one a round trip");
            host.find(&HOST006, place, message, "write 1 (RFC 2018)");
        }
        ("tcp_timestamps", 0) => timestamps(key, place, host),
        ("tcp_mtu_probing", 0) => {
            let message = format!(
                "{key} = 0: where routers' answers are filtered, a connection whose segments are too large stands still"
            );
            let remedy = "write 1, which probes once segments vanish (RFC 4821)";
            host.find(&HOST008, place, message, remedy);
        }
        ("tcp_slow_start_after_idle", 1) => {
            let rtt = host.path.rtt_text();
            let message = format!(
                "{key} = 1: after a pause of a retransmission timeout cwnd falls, and takes round trips of {rtt} to grow again"
            );
            let remedy = "write 0, if requests with pauses are to be fast";
            host.find(&HOST010, place, message, remedy);
        }
        ("tcp_moderate_rcvbuf", 0) => untuned(key, place, host),
        _ => {}
    }
}

/// HOST005, of windows that end at what fits into their field.
fn unscaled(key: &str, place: &Place, host: &mut Host) {
    let ends = format!("{key} = 0: windows end at {UNSCALED} bytes,");
    stays(&ends, UNSCALED, "write 1 (RFC 7323 §2)", place, host);
}

/// HOST005, of a receive buffer that does not grow: its default is what there is, whatever the path holds.
fn untuned(key: &str, place: &Place, host: &mut Host) {
    let bytes = host.default_buffer;
    let ends = format!(
        "{key} = 0: the receive buffer stays at the default of tcp_rmem, {bytes} bytes, which allows"
    );
    let window = (bytes as f64 * host.window.usual) as u64;
    let unknown = host.path.rate.is_none();
    let found = stays(&ends, window, "write 1", place, host);
    if let Some(finding) = found.filter(|_| unknown) {
        finding.severity = Severity::Warning;
    }
}

/// HOST005, of a window that stays at `bytes`, as `ends` says.
fn stays<'h>(
    ends: &str,
    bytes: u64,
    remedy: &str,
    place: &Place,
    host: &'h mut Host,
) -> Option<&'h mut Finding> {
    let path = host.path;
    let allowed = path.rate_of(bytes);
    if path.rate.is_some_and(|rate| allowed >= rate.as_bps()) {
        return None;
    }
    let of = path.rate.map_or_else(String::new, |r| format!(" of {r}"));
    let message = format!(
        "{ends} {}{of} at a round trip of {}",
        shown(allowed),
        path.rtt_text()
    );
    let finding = host.find(&HOST005, place, message, remedy);
    // As of a third number that is too small: less than half of a rate that is stated is not what was meant.
    if path.rate.is_some_and(|rate| allowed >= rate.as_bps() / 2) {
        finding.severity = Severity::Warning;
    }
    Some(finding)
}

/// HOST007: 32 bits of sequence numbers are used up in less than an old segment may live (RFC 7323 §5).
fn timestamps(key: &str, place: &Place, host: &mut Host) {
    let wrap = host.path.rate.map(|rate| {
        let bits = (1_u128 << 31) * 8;
        bits as f64 / rate.as_bps() as f64
    });
    let message = match wrap {
        Some(seconds) => format!(
            "{key} = 0: at {} sequence numbers come round in {seconds:.1} s, and old segments are taken for new ones",
            shown(host.path.rate.map_or(0, |r| r.as_bps()))
        ),
        None => format!(
            "{key} = 0: old segments are taken for new ones, and round trips are measured once a window"
        ),
    };
    let severe = wrap.is_some_and(|seconds| seconds < 60.0);
    let finding = host.find(&HOST007, place, message, "write 1 (RFC 7323 §5)");
    if !severe {
        finding.severity = Severity::Info;
    }
}

/// HOST009, of a congestion control's name.
fn control(key: &str, name: &str, place: &Place, host: &mut Host) {
    let known = name.split_whitespace().all(|n| CONTROLS.contains(&n));
    if !known || name.is_empty() {
        let message = format!("{key} = {}: no kernel farpath knows has it", quoted(name));
        let remedy = match nearest(CONTROLS, name) {
            Some(meant) => format!("write {meant}, which is one"),
            None => "write cubic, bbr, htcp or another that is loaded".to_owned(),
        };
        host.find(&HOST009, place, message, remedy);
        return;
    }
    let slow = matches!(name, "reno" | "newreno" | "veno");
    let Some(product) = host.path.product().filter(|_| slow) else {
        return;
    };
    // Half of the window grows by a segment a round trip (RFC 5681 §3.1).
    let rounds = product / 2 / SEGMENT;
    let seconds = rounds as f64 * host.path.rtt.as_secs_f64();
    if seconds < 10.0 {
        return;
    }
    let message = format!(
        "{key} = {name}: after one loss it takes {rounds} round trips, {}, to fill this path again",
        lasting(seconds)
    );
    host.find(&HOST009, place, message, "write cubic or bbr");
}

fn lasting(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

fn triple(key: &str, numbers: &[u64], place: &Place, host: &mut Host) {
    let remedy = "write least, default and most in bytes";
    let [least, default, most] = numbers else {
        let message = format!("{key} has {} numbers instead of three", numbers.len());
        host.find(&HOST004, place, message, remedy);
        return;
    };
    if least > default || default > most {
        let message = format!("{key}: {least}, {default}, {most} do not rise");
        host.find(&HOST004, place, message, remedy);
        return;
    }
    near_power(&format!("{key}: the default"), *default, place, host);
    let part = match key {
        "net.ipv4.tcp_rmem" => host.window,
        "net.ipv4.tcp_wmem" => sent_part(host.kernel.or(Some(SHARES_PAGES))),
        _ => return pages(key, [*default, *most], place, host),
    };
    let remedy = match host.path.product() {
        Some(product) => {
            let room = room_for(product as f64, Some(*most));
            format!(
                "set the third number to {room}: twice what the path holds, and the next power of two"
            )
        }
        None => "set the third number to a power of two, twice rate times round-trip time or more"
            .to_owned(),
    };
    let parts = scale::parts(host).filter(|_| key == "net.ipv4.tcp_rmem");
    let unstated = match (host.kernel, key) {
        (Some(_), _) => "",
        (None, "net.ipv4.tcp_wmem") => " since Linux 4.0, less before it: --kernel states it",
        (None, _) if parts.is_some() => " before Linux 6.6: --kernel states it",
        (None, _) => ", by the kernel: --kernel states it",
    };
    let share = match parts {
        Some(parts) => format!("one part in {parts} of it, by {}", scale::KEY),
        None => format!(
            "{:.0} to {:.0} % of it payload",
            100.0 * part.least,
            100.0 * part.most
        ),
    };
    let what = format!("{key} up to {most} ({share}{unstated})");
    let bytes = (*most as f64 * part.usual) as u64;
    window(host, place, (&what, bytes, 1), &remedy);
}

/// HOST004 and HOST018, of memory for all connections together, which is counted in pages.
fn pages(key: &str, [pressure, most]: [u64; 2], place: &Place, host: &mut Host) {
    let bytes = u128::from(most) * PAGE;
    if bytes < TOO_MUCH {
        return memory(key, pressure, place, host);
    }
    let message = format!(
        "{key} up to {most} is {} GiB: it counts pages of {PAGE} bytes, not bytes",
        bytes >> 30
    );
    let remedy = "write pages, or leave it out: the kernel sets it by the memory there is";
    let finding = host.find(&HOST004, place, message, remedy);
    finding.severity = Severity::Warning;
}

/// What of an Ethernet line's rate is payload in packets of 1500 bytes: 1448 of 1538 bytes.
const PAYLOAD: f64 = 1448.0 / 1538.0;

/// HOST018: the rate that all connections together get before the memory of `pressure` pages is used up.
fn memory(key: &str, pressure: u64, place: &Place, host: &mut Host) {
    let path = host.path;
    let bytes = pressure as f64 * PAGE as f64;
    let [receive, send] =
        [MEMORY_PART.receive, MEMORY_PART.send].map(|p| path.rate_of((bytes * p[1]) as u64));
    let wanted = path
        .rate
        .map_or(SLOW as f64, |r| PAYLOAD * r.as_bps() as f64);
    if receive.min(send) as f64 >= wanted {
        return;
    }
    let of = path.rate.map_or_else(String::new, |r| format!(" of {r}"));
    let message = format!(
        "{key}: {pressure} pages of {PAGE} bytes allow all connections together {} receiving and {} sending{of}, at a round trip of {}",
        shown(receive),
        shown(send),
        path.rtt_text()
    );
    let remedy = "leave it out: the kernel sets it by the memory there is";
    host.find(&HOST018, place, message, remedy);
}
