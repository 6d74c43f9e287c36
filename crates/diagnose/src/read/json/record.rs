//! Documents of farpath's own: `farpath.run/1`, records of every origin, and `farpath.trace/1`.

use std::collections::{BTreeMap, BTreeSet};

use farpath_observe::Limit;
use serde_json::Value as Json;

use super::links::Dropped;
use super::{ROWS_MAX, list, n, s};
use crate::account::Account;
use crate::fact::{Figure, Place};
use crate::known::System;
use crate::read::Facts;
use crate::redact;
use crate::seen::{End, Report, Row, Side, Test};
use crate::series::outage::Recorded;
use crate::series::stops::{self, Stop};

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
    let dropped = Dropped::of(value);
    let mut left = 0;
    for record in records {
        // A prediction is what a path should give: no evidence of what it gave.
        if is_predicted(record) && ran.contains(&key(record)) {
            left += 1;
            continue;
        }
        for end in ["from", "to"] {
            facts.recorded_hosts.extend(s(record, &[end]).map(redact));
        }
        let dropped = dropped.beside(record);
        match s(record, &["kind"]) {
            Some("ping") => ping(record, is_down(record, &dropped), at, facts),
            Some(_) => test(record, dropped, at, facts),
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

/// What a note of an outage begins with (`farpath_observe::limit::Outage`).
const WAS_DOWN: &str = "the path was down for ";

/// Whether a link was down: of a connection's own path by its notes; of datagrams and pings, which have none, by what links dropped.
fn is_down(record: &Json, dropped: &BTreeMap<String, f64>) -> bool {
    let mut notes = list(record, "notes").iter().filter_map(Json::as_str);
    let alone = matches!(s(record, &["kind"]), Some("udp" | "ping"));
    notes.any(|note| note.starts_with(WAS_DOWN)) || alone && dropped.contains_key("down")
}

/// A ping: what it lost is its own, and none of a test beside it. While a link is down it says nothing of the path at rest.
fn ping(record: &Json, down: bool, at: Place, facts: &mut Facts) {
    let metric = |name: &str| n(record, &["metrics", name]);
    let to = redact(s(record, &["to"]).unwrap_or(""));
    let of = facts.ping(vec![to]);
    for name in ["rtt_min_ns", "rtt_avg_ns", "rtt_max_ns"] {
        if let Some(ns) = metric(name) {
            facts.exact(of, name, ns, at);
        }
    }
    let Some((sent, received)) = metric("sent").zip(metric("received")) else {
        return;
    };
    if down && received < sent {
        let name = redact(s(record, &["test"]).unwrap_or(""));
        facts.notes.push(format!(
            "{name}: {:.0} of {sent:.0} pings were lost, and a link was down meanwhile: left out, as that says nothing of the path at rest",
            sent - received
        ));
        return;
    }
    facts.exact(of, "ping_sent", sent, at);
    facts.exact(of, "ping_received", received, at);
}

fn test(record: &Json, dropped: BTreeMap<String, f64>, at: Place, facts: &mut Facts) {
    let metric = |name: &str| n(record, &["metrics", name]);
    let account = account(record, at);
    let lasted = metric("completion_ns").or_else(|| n(record, &["duration_ns"]));
    let seconds = lasted.unwrap_or(0.0) / 1e9;
    let down = is_down(record, &dropped);
    // A record without goodput delivered nothing: its rate is 0.
    let nothing = (account.is_some() || down).then_some(0.0);
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
    datagrams(record, &mut test, at);
    test.rows = rows(record, at);
    // Of these alone the run knows its links.
    let own = matches!(s(record, &["origin"]), Some("simulated" | "emulated"));
    test.recorded = own.then(|| Recorded {
        down,
        stop: match (silence(record, (goodput, seconds)), noted(record, seconds)) {
            (Some(longest), all) if down => {
                let intervals = series(record, "goodput_bps").len();
                Some(with_others(longest, all, seconds, intervals))
            }
            (_, all) => all,
        },
        limit: s(record, &["limited_by"]).and_then(Limit::named),
        dropped,
    });
    test.account = account;
    systems(record, &mut test);
    facts.tests.push(test);
}

/// What a test with datagrams sent, and what of that was lost.
fn datagrams(record: &Json, test: &mut Test, at: Place) {
    let metric = |name: &str| n(record, &["metrics", name]);
    let counts = metric("sent").zip(metric("received"));
    let Some((sent, received)) = counts.filter(|(sent, _)| test.udp && *sent > 0.0) else {
        return;
    };
    test.set("datagrams", Figure::exact(sent, at));
    test.set(
        "datagrams_lost",
        Figure::exact((sent - received).max(0.0), at),
    );
    test.sent = metric("sent_bps").map(|bps| Report {
        goodput: Figure::exact(bps, at),
        bytes: None,
        seconds: test.received.as_ref().map_or(0.0, |r| r.seconds),
    });
}

/// A record's series of this name: times in seconds, and values.
fn series(record: &Json, name: &str) -> Vec<(f64, f64)> {
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
}

/// The longest time in which nothing arrived, of a test with this goodput and of so many seconds, if it is worth naming.
fn silence(record: &Json, (goodput, seconds): (f64, f64)) -> Option<Stop> {
    let started = n(record, &["started_ns"]).unwrap_or(0.0) / 1e9;
    let missing = series(record, "missing");
    let (from, until) = match goodput {
        0.0 => (0.0, seconds),
        _ if !missing.is_empty() => {
            let sent = n(record, &["metrics", "sent"])?.max(1.0);
            run_of_missing(&missing, seconds / sent, started)?
        }
        _ => silent(&series(record, "goodput_bps"), started)?,
    };
    let lasted = until - from;
    let worth = lasted > 0.0 && lasted >= stops::least(seconds);
    worth.then(|| Stop::one(Some(from), lasted))
}

/// The same by the note of an outage, of a record that was written without series: only how long it was in all.
fn noted(record: &Json, seconds: f64) -> Option<Stop> {
    let mut notes = list(record, "notes").iter().filter_map(Json::as_str);
    let note = notes.find(|note| note.starts_with(WAS_DOWN))?;
    let percent = crate::words::between(note, "(", " % of the time")?;
    let lasted = crate::words::decimal(percent)? / 100.0 * seconds;
    Some(Stop::one(None, lasted))
}

/// The longest stop of a series of so many intervals, with the time of all of them by the note. The note has whole percents, and the series
/// leaves out intervals at both ends of a stop: what differs by less is the same.
fn with_others(longest: Stop, all: Option<Stop>, seconds: f64, intervals: usize) -> Stop {
    let slack = seconds * (0.01 + 2.0 / intervals.max(1) as f64);
    let more = all.filter(|all| all.lasted > longest.lasted + slack);
    more.map_or(longest, |all| Stop {
        in_all: all.lasted,
        cost_s: all.lasted,
        ..longest
    })
}

/// The longest stretch of a series of rates without any, seconds since the test's start: its begin and end.
fn silent(rates: &[(f64, f64)], started: f64) -> Option<(f64, f64)> {
    let mut heard = started;
    let mut longest: Option<(f64, f64)> = None;
    for (t, bps) in rates.iter().filter(|(t, _)| *t > started) {
        if *bps > 0.0 {
            heard = *t;
        } else if longest.is_none_or(|(from, until)| t - heard > until - from) {
            longest = Some((heard - started, t - started));
        }
    }
    longest
}

/// The longest time between two datagrams that arrived, from the numbers of those that did not: sent `every` so many seconds, and seen to be
/// missing when a later one came.
fn run_of_missing(missing: &[(f64, f64)], every: f64, started: f64) -> Option<(f64, f64)> {
    let runs = missing.chunk_by(|a, b| a.0 == b.0 && b.1 == a.1 + 1.0);
    let span = |run: &[(f64, f64)]| {
        let (seen, first) = *run.first()?;
        Some((first * every, seen - started))
    };
    let length = |span: &(f64, f64)| span.1 - span.0;
    let all = runs.filter_map(span);
    all.max_by(|a, b| length(a).total_cmp(&length(b)))
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
            let known = Limit::named(word).is_some();
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
    let rates = series(record, "goodput_bps");
    let started = n(record, &["started_ns"]).unwrap_or(0.0) / 1e9;
    let Some(end) = rates.last().map(|r| r.0 - started).filter(|e| *e > 0.0) else {
        return Vec::new();
    };
    if rates.len() < ROWS {
        return Vec::new();
    }
    let windows = series(record, "cwnd_bytes");
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
