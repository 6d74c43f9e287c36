//! What to change on a host: its commands, their undo with the values it has now, what it costs and what it gives.

use farpath_predict::window::LARGEST;
use farpath_record::Finding;

use super::{Allowed, Host, How, MEMORY, PathAsked, SCALING, Way};
use crate::advice::{Buffers, End, Remedy, buffer, kept};
use crate::ceiling::Limit;
use crate::document::{Change, Then};
use crate::known::System;

/// What a TCP option costs that systems offer by themselves.
const OFFERED: &str = "new connections to all hosts offer it, as every system does by default";

/// Settings of one word that findings ask to change, and to what. The first holds every window down.
const SWITCHES: [(&str, &str, &str); 5] = [
    (SCALING, "1", OFFERED),
    ("net.ipv4.tcp_sack", "1", OFFERED),
    ("net.ipv4.tcp_timestamps", "1", "12 bytes of each segment"),
    (
        "net.ipv4.tcp_moderate_rcvbuf",
        "1",
        "connections may use what tcp_rmem allows",
    ),
    (
        "net.ipv4.tcp_congestion_control",
        "cubic",
        "new connections use CUBIC, which is the default of most systems",
    ),
];

/// Every change, that of the lowest ceiling first.
pub(super) fn changes(
    host: &Host<'_>,
    all: &[Allowed],
    path: Option<PathAsked>,
    findings: &[Finding],
) -> Vec<Change> {
    let mut list = Vec::new();
    // What holds every window down comes before any window.
    switches(host, all, findings, &SWITCHES[..1], &mut list);
    if let Some(path) = path {
        let wanted = host.line(path.rate).rate.value;
        let mut of_memory = false;
        for a in all.iter().filter(|a| a.how != How::Always) {
            if a.limit.rate.value >= super::ENOUGH * wanted {
                continue;
            }
            let remedy = match (a.by.as_str(), a.how) {
                // Both ways are one setting.
                (MEMORY, _) if !of_memory => {
                    of_memory = true;
                    memory(host, path)
                }
                (MEMORY, _) => None,
                // It is raised together with the automatic one; where that is enough, only a finding says what those get who ask.
                (_, How::Requested) => None,
                // No setting makes a larger one.
                _ if a.largest => None,
                _ => Some(window(host, path, a)),
            };
            let after = host.after(all, a);
            list.extend(remedy.map(|r| made(r, after)));
        }
    }
    switches(host, all, findings, &SWITCHES[1..], &mut list);
    list
}

/// Those settings of one word that findings ask to change.
fn switches(
    host: &Host<'_>,
    all: &[Allowed],
    findings: &[Finding],
    which: &[(&str, &str, &str)],
    list: &mut Vec<Change>,
) {
    for (key, to, risk) in which {
        let file = host.survey.settings.get(*key).map(|s| s.file.as_str());
        let asked = findings.iter().any(|f| {
            f.severity >= farpath_record::Severity::Warning && places(f).any(|p| Some(p) == file)
        });
        if let Some(now) = host.survey.setting(key).filter(|now| asked && now != to) {
            let remedy = set(key, to, now, risk);
            // It holds both ways.
            let gone = all.iter().filter(|a| a.by == *key);
            let after = gone.filter_map(|gone| host.after(all, gone));
            let after = after.min_by(|a, b| a.rate.value.total_cmp(&b.rate.value));
            list.push(made(remedy, after));
        }
    }
}

fn places(finding: &Finding) -> impl Iterator<Item = &str> {
    finding.evidence.iter().filter_map(|e| match &e.place {
        farpath_record::Location::Text { source, .. } => Some(source.as_str()),
        farpath_record::Location::Record { .. } => None,
    })
}

fn window(host: &Host<'_>, path: PathAsked, a: &Allowed) -> Remedy {
    let (end, key, core) = match a.way {
        Way::Send => (End::Sender, "net.ipv4.tcp_wmem", "net.core.wmem_max"),
        Way::Receive => (End::Receiver, "net.ipv4.tcp_rmem", "net.core.rmem_max"),
    };
    let triple = host.survey.numbers(key).unwrap_or_default();
    let core = host.survey.numbers(core).and_then(|c| c.first().copied());
    let now = Buffers {
        least: triple.first().copied(),
        default: triple.get(1).copied(),
        most: triple.get(2).copied(),
        core,
        ..Buffers::default()
    };
    let wanted = farpath_predict::window::bdp_bytes(path.rate, path.rtt);
    let mut remedy = buffer(Some(System::Linux), wanted, end, &now);
    if let Some(memory) = host.survey.memory_bytes {
        remedy
            .risk
            .push_str(&format!("; the host has {memory} bytes"));
    }
    let most = LARGEST.as_bytes() as f64;
    // Of what is on the line, headers are not in the window.
    let payload = host.line(path.rate).rate.value * path.rtt.as_secs_f64() / 8.0;
    if payload > most {
        remedy.commands.push(format!(
            "and {} connections side by side: a window ends at {most:.0} bytes (RFC 7323 §2.3)",
            (payload / most).ceil()
        ));
    }
    remedy
}

/// Room for the path's window several times over, and never more than half of the memory.
fn memory(host: &Host<'_>, path: PathAsked) -> Option<Remedy> {
    let key = MEMORY;
    let now = host.survey.setting(key)?;
    let page = host.survey.page_bytes.max(1) as f64;
    let wanted = farpath_predict::window::bdp_bytes(path.rate, path.rtt) * 4.0 / page;
    let half = host
        .survey
        .memory_bytes
        .map_or(f64::MAX, |m| m as f64 / 2.0 / page);
    let pressure = wanted.min(half) as u64;
    let new = [pressure / 4 * 3, pressure, pressure / 2 * 3];
    // None is made smaller than it is; where none would be larger, nothing is gained.
    let numbers = host.survey.numbers(key).filter(|n| n.len() == new.len())?;
    let larger = |n: usize| new[n].max(numbers[n]);
    if larger(1) == numbers[1] {
        return None;
    }
    let to = format!("{} {} {}", larger(0), larger(1), larger(2));
    let mut remedy = set(
        key,
        &to,
        now,
        "so much memory may be held by connections; the rest of the system goes without it",
    );
    if wanted > half {
        remedy
            .risk
            .push_str(": the host has too little for several such connections");
    }
    Some(remedy)
}

fn set(key: &str, to: &str, now: &str, risk: &str) -> Remedy {
    let quoted = |value: &str| match value.contains(' ') {
        true => format!("\"{value}\""),
        false => value.to_owned(),
    };
    Remedy {
        room: None,
        commands: vec![format!("sysctl -w {key}={}", quoted(to))],
        undo: vec![format!("sysctl -w {key}={}", quoted(now))],
        persist: kept(&[(key, to)]),
        risk: risk.to_owned(),
    }
}

/// A change of this host, and what limits then.
fn made(remedy: Remedy, after: Option<Limit>) -> Change {
    let rate = after.as_ref().map(|l| l.rate.clone());
    let mut change = remedy.change("this host", Some(System::Linux), rate);
    change.then = after.map(|l| Then {
        cause: l.cause.name(),
        limit_bps: l.rate.value,
    });
    change
}

impl Host<'_> {
    /// The lowest ceiling the same way that is left once this one is gone.
    fn after(&self, all: &[Allowed], gone: &Allowed) -> Option<Limit> {
        let others = all
            .iter()
            .filter(|a| a.way == gone.way && a.by != gone.by && a.how != How::Requested);
        others
            .map(|a| a.limit.clone())
            .min_by(|a, b| a.rate.value.total_cmp(&b.rate.value))
            .filter(|after| after.rate.value > gone.limit.rate.value)
    }
}
