//! Counters since the kernel started: `/proc/net/snmp`, `netstat` and `softnet_stat`.

use farpath_record::survey::{Softnet, Survey};

use super::files::Files;

pub(super) fn read(files: &mut Files, survey: &mut Survey) {
    for path in ["/proc/net/snmp", "/proc/net/netstat"] {
        let text = files.full(path).unwrap_or_default();
        survey.counters.extend(pairs(&text));
    }
    let processors = files.full("/proc/net/softnet_stat");
    survey.softnet = processors.map(|t| softnet(&t));
}

/// Two lines a group: `Tcp: ActiveOpens …` and `Tcp: 12 …`. A value below zero (`MaxConn`) is left out.
fn pairs(text: &str) -> Vec<(String, u64)> {
    let mut all = Vec::new();
    let mut lines = text.lines();
    while let (Some(names), Some(values)) = (lines.next(), lines.next()) {
        let (Some((group, names)), Some((same, values))) =
            (names.split_once(':'), values.split_once(':'))
        else {
            continue;
        };
        if group != same {
            continue;
        }
        let names = names.split_whitespace();
        for (name, value) in names.zip(values.split_whitespace()) {
            if let Ok(value) = value.parse() {
                all.push((format!("{group}{name}"), value));
            }
        }
    }
    all
}

/// A line of hexadecimal columns a processor: processed, dropped, squeezed.
fn softnet(text: &str) -> Softnet {
    let mut sum = Softnet::default();
    for line in text.lines() {
        let mut columns = line
            .split_whitespace()
            .map(|c| u64::from_str_radix(c, 16).unwrap_or(0));
        let mut next = || columns.next().unwrap_or(0);
        sum.processed = sum.processed.saturating_add(next());
        sum.dropped = sum.dropped.saturating_add(next());
        sum.squeezed = sum.squeezed.saturating_add(next());
    }
    sum
}
