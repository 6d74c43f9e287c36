//! Interfaces, as `/proc/net` and `/sys/class/net` have them.

use farpath_record::survey::{Interface, Survey};

use super::files::Files;

/// `IFF_UP` (linux/if.h).
pub(super) const UP: u64 = 1;

/// Counters of `/sys/class/net/NAME/statistics` that bear on a path.
const STATISTICS: [&str; 14] = [
    "rx_bytes",
    "rx_packets",
    "rx_errors",
    "rx_dropped",
    "rx_missed_errors",
    "rx_fifo_errors",
    "rx_over_errors",
    "rx_crc_errors",
    "tx_bytes",
    "tx_packets",
    "tx_errors",
    "tx_dropped",
    "tx_fifo_errors",
    "tx_carrier_errors",
];

/// Most interfaces that are listed.
const INTERFACES_MAX: usize = 256;

pub(super) fn read(files: &mut Files, survey: &mut Survey) {
    let devices = files.full("/proc/net/dev").unwrap_or_default();
    let mut names: Vec<String> = devices
        .lines()
        .filter_map(|line| Some(line.split_once(':')?.0.trim().to_owned()))
        .collect();
    if names.is_empty() {
        names = files.names("/sys/class/net");
    }
    // A name is part of a path.
    names.retain(|name| !name.is_empty() && !name.contains('/') && name != "..");
    for name in names.into_iter().take(INTERFACES_MAX) {
        if let Some(interface) = interface(files, name) {
            survey.interfaces.push(interface);
        }
    }
    survey.default_interface = default_route(files).unwrap_or_default();
}

/// What its folder says; none where it is down.
fn interface(files: &mut Files, name: String) -> Option<Interface> {
    let of = |file: &str| format!("/sys/class/net/{name}/{file}");
    let flags = files.word(&of("flags"));
    let flags = flags.and_then(|f| u64::from_str_radix(f.trim_start_matches("0x"), 16).ok());
    let state = files.word(&of("operstate")).unwrap_or_default();
    if flags.is_some_and(|f| f & UP == 0) || state == "down" {
        return None;
    }
    // A card without a cable, and one without a rate, answer -1.
    let mbit: Option<i64> = files.word(&of("speed")).and_then(|s| s.parse().ok());
    let speed_bps = mbit
        .filter(|m| *m > 0 && *m < i64::from(u32::MAX))
        .map(|m| m.unsigned_abs() * 1_000_000);
    let duplex = files
        .word(&of("duplex"))
        .filter(|d| d == "full" || d == "half");
    let statistics = STATISTICS
        .iter()
        .filter_map(|s| {
            Some((
                (*s).to_owned(),
                files.number(&of(&format!("statistics/{s}")))?,
            ))
        })
        .collect();
    Some(Interface {
        speed_bps,
        duplex,
        mtu_bytes: files.number(&of("mtu")),
        driver: files.link(&of("device/driver")),
        queue_packets: files.number(&of("tx_queue_len")),
        statistics,
        name,
        ..Interface::default()
    })
}

/// The interface of the default route with the smallest metric, of IPv4 before that of IPv6.
fn default_route(files: &mut Files) -> Option<String> {
    let v4 = files.full("/proc/net/route").unwrap_or_default();
    let of_v4 = v4.lines().skip(1).filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_default = words.get(1) == Some(&"00000000") && words.get(7) == Some(&"00000000");
        let metric: u64 = words.get(6)?.parse().ok()?;
        is_default.then(|| (metric, words[0].to_owned()))
    });
    if let Some((_, name)) = of_v4.min() {
        return Some(name);
    }
    let v6 = files.text("/proc/net/ipv6_route").unwrap_or_default();
    let zeros = "0".repeat(32);
    let of_v6 = v6.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_default = words.first() == Some(&zeros.as_str()) && words.get(1) == Some(&"00");
        let metric = u64::from_str_radix(words.get(5)?, 16).ok()?;
        let name = *words.get(9)?;
        (is_default && name != "lo").then(|| (metric, name.to_owned()))
    });
    of_v6.min().map(|(_, name)| name)
}
