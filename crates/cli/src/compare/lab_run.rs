//! What `lab run --json` wrote, as a record to compare.

use std::collections::BTreeMap;

use farpath_record::compare::Named;
use farpath_record::{Origin, Record, RunDocument};
use serde::{Deserialize, Deserializer};

use crate::exit::Failure;
use crate::lab::{PERCENTILE_LEAST, RUN_SCHEMA};

/// The schema stands within so many characters of a file's beginning.
const HEAD: usize = 100;

/// The kind of its record: a command is none of the tests of a scenario.
pub(super) const KIND: &str = "command";

/// What is read of the file: each key has to be there, or it is of another version.
#[derive(Deserialize)]
struct Run {
    command: String,
    #[serde(deserialize_with = "there")]
    exit_code: Option<u8>,
    #[serde(deserialize_with = "there")]
    fault: Option<String>,
    #[serde(deserialize_with = "there")]
    failure: Option<String>,
    #[serde(deserialize_with = "there")]
    took_ns: Option<u64>,
    #[serde(deserialize_with = "there")]
    rtt_p99_ns: Option<f64>,
    #[serde(deserialize_with = "there")]
    rtt_pings: Option<u64>,
    #[serde(deserialize_with = "there")]
    certificate: Option<Verdict>,
    #[serde(deserialize_with = "there")]
    connection: Option<Carried>,
    #[serde(deserialize_with = "there")]
    path_down_s: Option<f64>,
    #[serde(deserialize_with = "there")]
    program_frames: Option<u64>,
    datagrams: Vec<Datagrams>,
}

/// What may be null, and has to be there: a key that is left out says nothing, and is not null.
fn there<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(from)
}

#[derive(Deserialize)]
struct Verdict {
    valid: bool,
}

/// What all connections of one sender carried.
#[derive(Deserialize)]
struct Carried {
    all_bytes_sent: u64,
    all_segments_sent_again: u64,
}

/// What one host sent, what of it was dropped in its own queue and by the path, and what was in either when the run ended.
#[derive(Deserialize)]
struct Datagrams {
    datagrams: u64,
    host_dropped: u64,
    host_waiting: u64,
    dropped: u64,
    under_way: u64,
}

/// Whether a text is of `lab run --json`.
pub(super) fn is_one(text: &str) -> bool {
    let head: String = text.chars().take(HEAD).collect();
    head.contains(&format!("\"{RUN_SCHEMA}\""))
}

/// The run of such a text, in a file of that name, as a document with one record. Its one key is the command: runs of others are said to be.
pub(super) fn named(name: &str, text: &str) -> Result<Named, Failure> {
    let run: Run = serde_json::from_str(text).map_err(|e| {
        Failure::usage(format!("read {name}: {e}"))
            .hint("each version writes keys of its own: run it again with `farpath lab run ... --json FILE`")
    })?;
    let ended = match (&run.fault, run.exit_code) {
        (Some(why), _) => Some(format!("the run came to nothing ({why})")),
        (None, Some(0)) => None,
        (None, Some(code)) => Some(format!("its command ended with exit code {code}")),
        (None, None) => Some("it has no exit code".to_owned()),
    };
    if let Some(why) = ended {
        let title = format!("{name}: {why}, and what it took is not compared");
        return Err(Failure::usage(title).hint("name runs whose command ended with 0"));
    }
    let mut document = RunDocument::new("", 0, String::new());
    document.records.push(record(&run));
    Ok(Named {
        name: name.to_owned(),
        keys: BTreeMap::from([("command".to_owned(), run.command)]),
        document,
    })
}

fn record(run: &Run) -> Record {
    let mut record = Record::new(Origin::Emulated, "command", KIND, "client", "server");
    // A certificate of the lab's own pings says nothing of a command that sent nothing.
    let is_of_nothing = run.failure.is_some() || run.program_frames == Some(0);
    let valid = run.certificate.as_ref().is_some_and(|c| c.valid);
    record.valid = valid && !is_of_nothing;
    let mut set = |metric: &str, value: Option<f64>| {
        if let Some(value) = value {
            record.set(metric, value);
        }
    };
    let whole = |n: u64| n as f64;
    let took = run.took_ns.filter(|ns| *ns > 0);
    set("took_ns", took.map(whole));
    // Of few it is the largest.
    let are_few = run.rtt_pings.is_some_and(|pings| pings < PERCENTILE_LEAST);
    let rtt = if are_few { "rtt_max_ns" } else { "rtt_p99_ns" };
    set(rtt, run.rtt_p99_ns);
    set("path_down_s", run.path_down_s);
    set("program_frames", run.program_frames.map(whole));
    if let Some(carried) = &run.connection {
        let bits = 8.0 * whole(carried.all_bytes_sent);
        set("goodput_bps", took.map(|ns| bits * 1e9 / whole(ns)));
        set("retransmits", Some(whole(carried.all_segments_sent_again)));
    }
    let sent: u64 = run.datagrams.iter().map(|d| d.datagrams).sum();
    let lost = run.datagrams.iter().map(|d| d.host_dropped + d.dropped);
    let lost: u64 = lost.sum();
    let left = run.datagrams.iter().map(|d| d.host_waiting + d.under_way);
    // Of these it is known what became of them.
    let ended = sent.saturating_sub(left.sum());
    if sent > 0 {
        set("sent", Some(whole(sent)));
    }
    if ended > 0 {
        set("loss_ratio", Some(whole(lost) / whole(ended)));
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
  "schema": "farpath.lab-run/1",
  "command": "curl -sO http://server/x",
  "exit_code": 0,
  "fault": null,
  "failure": null,
  "took_ns": 2000000000,
  "rtt_p99_ns": 40000000.0,
  "rtt_pings": 400,
  "certificate": {"valid": true, "frames": 900},
  "connection": {"sender": "the server", "all_bytes_sent": 5000000, "all_segments_sent_again": 3},
  "path_down_s": 0.0,
  "program_frames": 900,
  "datagrams": [{"sender": "your command", "datagrams": 200, "bytes": 1, "host_dropped": 2, "host_waiting": 0, "dropped": 8, "under_way": 0}]
}"#;

    #[test]
    fn a_run_of_a_command_is_a_record() {
        assert!(is_one(TEXT) && !is_one("{\"schema\": \"farpath.run/1\"}"));
        let named = named("a.json", TEXT).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(named.keys["command"], "curl -sO http://server/x");
        let record = &named.document.records[0];
        assert!(record.valid);
        for (metric, value) in [
            ("took_ns", 2e9),
            ("rtt_p99_ns", 4e7),
            ("goodput_bps", 2e7),
            ("retransmits", 3.0),
            ("program_frames", 900.0),
            ("sent", 200.0),
            ("loss_ratio", 0.05),
        ] {
            let found = record.metrics[metric];
            assert!((found - value).abs() <= 1e-9 * value, "{metric}: {found}");
        }
        for (pings, metric) in [(99, "rtt_max_ns"), (100, "rtt_p99_ns")] {
            let text = TEXT.replace("400,", &format!("{pings},"));
            let named = super::named("a.json", &text).unwrap_or_else(|e| panic!("{e}"));
            let metrics = &named.document.records[0].metrics;
            let rtts = metrics.keys().filter(|name| name.starts_with("rtt_"));
            assert_eq!(rtts.collect::<Vec<_>>(), [metric]);
        }
        let late = TEXT.replace("\"valid\": true", "\"valid\": false");
        let is_valid = |text: &str| {
            let read = super::named("a.json", text);
            read.is_ok_and(|named| named.document.records[0].valid)
        };
        assert!(is_valid(TEXT) && !is_valid(&late));
        let unused = TEXT.replace("\"program_frames\": 900", "\"program_frames\": 0");
        assert!(!is_valid(&unused));
        let strict = TEXT.replace("\"failure\": null", "\"failure\": \"late\"");
        assert!(!is_valid(&strict));
    }

    #[test]
    fn what_was_under_way_at_the_end_is_not_lost_and_has_not_arrived() {
        let waiting = TEXT.replace("\"host_waiting\": 0", "\"host_waiting\": 10");
        let text = waiting.replace("\"under_way\": 0", "\"under_way\": 90");
        let named = named("a.json", &text).unwrap_or_else(|e| panic!("{e}"));
        let metrics = &named.document.records[0].metrics;
        assert_eq!((metrics["sent"], metrics["loss_ratio"]), (200.0, 0.1));
    }

    /// An earlier version leaves a key out, or has another name for it: what it would have said is unknown, and not 0.
    #[test]
    fn a_report_that_lacks_a_key_is_refused_with_its_name() {
        for key in [
            "command",
            "exit_code",
            "failure",
            "took_ns",
            "rtt_pings",
            "valid",
            "all_bytes_sent",
            "program_frames",
            "datagrams",
            "host_waiting",
            "under_way",
        ] {
            let text = TEXT.replacen(&format!("\"{key}\":"), "\"renamed\":", 1);
            let said = named("a.json", &text).map_err(|e| e.to_string());
            let said = said.err().unwrap_or_default();
            let words = format!("read a.json: missing field `{key}`");
            assert!(said.starts_with(&words), "{key}: {said}");
            assert!(
                said.contains("run it again with `farpath lab run"),
                "{said}"
            );
        }
    }

    #[test]
    fn a_command_that_failed_is_not_compared() {
        let failed = TEXT.replace("\"exit_code\": 0", "\"exit_code\": 7");
        let said = named("a.json", &failed).map_err(|e| e.to_string());
        let words = "a.json: its command ended with exit code 7, ";
        assert!(said.is_err_and(|e| e.contains(words)));
        let fault = TEXT.replace("\"fault\": null", "\"fault\": \"interrupted\"");
        let said = named("a.json", &fault).map_err(|e| e.to_string());
        assert!(said.is_err_and(|e| e.contains("(interrupted)")));
    }
}
