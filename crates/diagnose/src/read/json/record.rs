//! Documents of farpath's own: `farpath.run/1`, records of every origin, and `farpath.trace/1`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::{ROWS_MAX, list, n, s};
use crate::account::Account;
use crate::fact::{Figure, Of, Place};
use crate::known::System;
use crate::read::Facts;
use crate::redact;
use crate::seen::{End, Report, Row, Side, Test};

/// Most notes of records that are handed on.
const NOTES_MAX: usize = 8;

/// Intervals that a record's series are cut into: as many as a log has.
const ROWS: usize = 12;

/// A run of farpath: its records, by what they were measured or computed to be.
pub(super) fn run(value: &Json, at: Place, facts: &mut Facts) -> bool {
    let records = list(value, "records");
    // Each test that was run, with its point.
    let key = |r: &Json| {
        (
            s(r, &["test"]).map(str::to_owned),
            r.get("point").map(Json::to_string),
        )
    };
    let is_predicted = |r: &Json| s(r, &["origin"]) == Some("predicted");
    let ran = records.iter().filter(|r| !is_predicted(r)).map(key);
    let ran: BTreeSet<_> = ran.collect();
    let mut left = 0;
    for record in records {
        // A prediction is what a path should give: no evidence of what it gave.
        if is_predicted(record) && ran.contains(&key(record)) {
            left += 1;
            continue;
        }
        match s(record, &["kind"]) {
            Some("ping") => ping(record, at, facts),
            Some(_) => test(record, at, facts),
            None => {}
        }
        notes(record, facts);
    }
    if left > 0 {
        facts.notes.push(format!(
            "{left} predicted records are left out: the same tests were run"
        ));
    }
    records.iter().any(|r| r.get("metrics").is_some())
}

fn notes(record: &Json, facts: &mut Facts) {
    let name = redact(s(record, &["test"]).unwrap_or(""));
    for note in list(record, "notes").iter().filter_map(Json::as_str) {
        let note = format!("{name}: {}", redact(note));
        if facts.notes.len() < NOTES_MAX && !facts.notes.contains(&note) {
            facts.notes.push(note);
        }
    }
}

fn ping(record: &Json, at: Place, facts: &mut Facts) {
    let metric = |name: &str| n(record, &["metrics", name]);
    for name in ["rtt_min_ns", "rtt_avg_ns", "rtt_max_ns"] {
        if let Some(ns) = metric(name) {
            facts.exact(Of::Path, name, ns, at);
        }
    }
    if let Some((sent, received)) = metric("sent").zip(metric("received")) {
        facts.exact(Of::Path, "ping_sent", sent, at);
        facts.exact(Of::Path, "ping_received", received, at);
    }
}

fn test(record: &Json, at: Place, facts: &mut Facts) {
    let metric = |name: &str| n(record, &["metrics", name]);
    let account = account(record, at);
    let lasted = metric("completion_ns").or_else(|| n(record, &["duration_ns"]));
    let seconds = lasted.unwrap_or(0.0) / 1e9;
    // A record without goodput delivered nothing: its rate is 0.
    let nothing = account.is_some().then_some(0.0);
    let Some(goodput) = metric("goodput_bps").or(nothing) else {
        return;
    };
    let mut test = Test::new("farpath", at);
    test.udp = s(record, &["kind"]) == Some("udp");
    let end = |key: &str| End {
        host: redact(s(record, &[key]).unwrap_or("")),
        port: None,
    };
    (test.from, test.to) = (end("from"), end("to"));
    test.name = name(record);
    test.streams = list(record, "streams").len().max(1) as u32;
    let bytes = metric("bytes").filter(|_| goodput > 0.0);
    test.received = Some(Report {
        goodput: Figure::exact(goodput, at),
        bytes: bytes.map(|b| Figure::exact(b, at)),
        seconds,
    });
    for (name, fact) in [
        ("retransmits", "retransmits"),
        ("rtt_avg_ns", "rtt_loaded_ns"),
        ("rtt_min_ns", "handshake_rtt_ns"),
        ("cwnd_max_bytes", "cwnd_bytes"),
    ] {
        if let Some(value) = metric(name) {
            test.set(fact, Figure::exact(value, at));
        }
    }
    test.rows = rows(record, at);
    test.account = account;
    systems(record, &mut test);
    facts.tests.push(test);
}

/// `bulk, simulated, rate=1 Gbit/s, repeat 2`: what tells its flow from others between the same hosts.
fn name(record: &Json) -> String {
    let mut all: Vec<String> = ["test", "origin"]
        .iter()
        .filter_map(|key| s(record, &[key]).map(redact))
        .collect();
    let point = record.get("point").and_then(Json::as_object);
    for (key, value) in point.into_iter().flatten() {
        all.push(redact(&format!("{key}={}", value.as_str().unwrap_or(""))));
    }
    if let Some(repeat) = n(record, &["repeat"]).filter(|r| *r > 0.0) {
        all.push(format!("repeat {repeat}"));
    }
    all.join(", ")
}

/// What held it back, all streams together.
fn account(record: &Json, at: Place) -> Option<Account> {
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    for stream in list(record, "streams") {
        let each = stream.get("limited_by").and_then(Json::as_object);
        for (word, share) in each.into_iter().flatten() {
            let share = share.as_f64().filter(|s| (0.0..=1.0).contains(s));
            // Of foreign documents any word may come: those that no record has are left.
            let known = farpath_observe::Limit::named(word).is_some();
            if let Some(share) = share.filter(|_| known) {
                *shares.entry(word.clone()).or_default() += share;
            }
        }
    }
    let whole: f64 = shares.values().sum();
    if whole <= 0.0 {
        return None;
    }
    shares.values_mut().for_each(|share| *share /= whole);
    let valid = record.get("valid").and_then(Json::as_bool) != Some(false);
    let origin = s(record, &["origin"]);
    let captured = origin == Some("captured");
    let trust = match (origin, s(record, &["evidence_quality", "vantage"])) {
        (Some("captured"), Some("sender")) => 1.0,
        (Some("captured"), Some("middle")) => 0.35,
        (Some("captured"), _) => 0.25,
        (Some("predicted"), _) => 0.5,
        _ => 1.0,
    };
    Some(Account {
        shares,
        trust: trust * if valid { 1.0 } else { 0.5 },
        sees_buffers: !captured,
        by: match origin {
            Some("predicted") => "the prediction",
            Some("simulated") => "the simulated record",
            Some("emulated") => "the emulated record",
            Some("measured") => "the measured record",
            Some("captured") => "the captured record",
            _ => "the record",
        },
        at,
    })
}

/// Its series, as the intervals of a log.
fn rows(record: &Json, at: Place) -> Vec<Row> {
    let series = |name: &str| -> Vec<(f64, f64)> {
        let Some(series) = record.get("series").and_then(|s| s.get(name)) else {
            return Vec::new();
        };
        let times = list(series, "t_ns").iter().filter_map(Json::as_f64);
        let values = list(series, "v").iter();
        let values = values.map(|v| v.as_f64().unwrap_or(f64::NAN));
        let each = times.map(|t| t / 1e9).zip(values);
        each.filter(|(t, v)| t.is_finite() && v.is_finite() && *v >= 0.0)
            .take(ROWS_MAX)
            .collect()
    };
    let rates = series("goodput_bps");
    let started = n(record, &["started_ns"]).unwrap_or(0.0) / 1e9;
    let Some(end) = rates.last().map(|r| r.0 - started).filter(|e| *e > 0.0) else {
        return Vec::new();
    };
    if rates.len() < ROWS {
        return Vec::new();
    }
    let windows = series("cwnd_bytes");
    let every = end / ROWS as f64;
    let within = |all: &[(f64, f64)], n: usize| -> Vec<f64> {
        let span = n as f64 * every..(n + 1) as f64 * every;
        let of = all
            .iter()
            .filter(|(t, _)| span.contains(&(t - started - 1e-9)));
        of.map(|(_, v)| *v).collect()
    };
    let row = |n: usize| {
        let of = within(&rates, n);
        Row {
            from: n as f64 * every,
            until: (n + 1) as f64 * every,
            bps: of.iter().sum::<f64>() / of.len().max(1) as f64,
            retransmits: None,
            cwnd: within(&windows, n).last().copied(),
            side: Side::Receiver,
            at,
        }
    };
    (0..ROWS).map(row).collect()
}

/// The systems of its hosts, where it says them.
fn systems(record: &Json, test: &mut Test) {
    let Some(taken) = record.get("taken") else {
        return;
    };
    for host in list(taken, "hosts") {
        let os = s(host, &["os"]).map(str::to_ascii_lowercase);
        let Some(system) = os.and_then(|os| System::named(&os)) else {
            continue;
        };
        let name = s(host, &["name"]);
        for (end, key) in [(&test.from, "sender_system"), (&test.to, "receiver_system")] {
            if name == Some(end.host.as_str()) {
                test.words.insert(key, system.name().to_owned());
            }
        }
    }
}
