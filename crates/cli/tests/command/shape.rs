//! The run document against its contract, key by key.

use std::collections::BTreeSet;

use farpath_observe::limit::Limit;
use farpath_observe::metric::{self, Subject};
use serde_json::Value;

use crate::farpath::{farpath, farpath_in, with_small};

/// What a value must be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Is {
    Text,
    /// Text or null.
    MaybeText,
    /// A whole number from 0.
    Whole,
    MaybeNumber,
    Bool,
    Array,
    /// An object whose values are numbers.
    Numbers,
    /// An object whose values are texts.
    Texts,
    Object,
}

fn is(value: &Value, what: Is) -> bool {
    let all = |ok: fn(&Value) -> bool| value.as_object().is_some_and(|o| o.values().all(ok));
    match what {
        Is::Text => value.is_string(),
        Is::MaybeText => value.is_string() || value.is_null(),
        Is::Whole => value.is_u64(),
        Is::MaybeNumber => value.is_number() || value.is_null(),
        Is::Bool => value.is_boolean(),
        Is::Array => value.is_array(),
        Is::Numbers => all(Value::is_number),
        Is::Texts => all(Value::is_string),
        Is::Object => value.is_object(),
    }
}

/// Asserts that an object has exactly these keys with values of these kinds.
#[track_caller]
pub(crate) fn assert_shape(place: &str, value: &Value, keys: &[(&str, Is)]) {
    let object = value
        .as_object()
        .unwrap_or_else(|| panic!("{place} is not an object: {value}"));
    let found: BTreeSet<&str> = object.keys().map(String::as_str).collect();
    let wanted: BTreeSet<&str> = keys.iter().map(|(k, _)| *k).collect();
    assert_eq!(found, wanted, "keys of {place}");
    for (key, what) in keys {
        assert!(
            is(&object[*key], *what),
            "{place}.{key} is not {what:?}: {}",
            object[*key]
        );
    }
}

const DOCUMENT: [(&str, Is); 8] = [
    ("schema", Is::Text),
    ("scenario", Is::Text),
    ("version", Is::Text),
    ("seed", Is::Whole),
    ("scenario_sha256", Is::Text),
    ("records", Is::Array),
    ("links", Is::Array),
    ("expectations", Is::Array),
];

const RECORD: [(&str, Is); 16] = [
    ("schema", Is::Text),
    ("origin", Is::Text),
    ("test", Is::Text),
    ("kind", Is::Text),
    ("from", Is::Text),
    ("to", Is::Text),
    ("point", Is::Texts),
    ("repeat", Is::Whole),
    ("started_ns", Is::Whole),
    ("duration_ns", Is::Whole),
    ("metrics", Is::Numbers),
    ("limited_by", Is::MaybeText),
    ("streams", Is::Array),
    ("series", Is::Object),
    ("valid", Is::Bool),
    ("notes", Is::Array),
];

const LINK: [(&str, Is); 13] = [
    ("origin", Is::Text),
    ("link", Is::Text),
    ("direction", Is::Text),
    ("point", Is::Texts),
    ("bytes", Is::Whole),
    ("payload_bytes", Is::Whole),
    ("offered", Is::Whole),
    ("frames", Is::Whole),
    ("drops", Is::Numbers),
    ("t_ns", Is::Array),
    ("rate_bps", Is::Array),
    ("queue_bytes", Is::Array),
    ("queue_max_bytes", Is::Whole),
];

const EXPECTATION: [(&str, Is); 10] = [
    ("metric", Is::Text),
    ("origin", Is::Text),
    ("point", Is::Texts),
    ("min", Is::MaybeNumber),
    ("max", Is::MaybeNumber),
    ("actual", Is::MaybeNumber),
    ("stated", Is::MaybeText),
    ("source", Is::MaybeText),
    ("note", Is::MaybeText),
    ("pass", Is::Bool),
];

const STREAM: [(&str, Is); 3] = [
    ("stream", Is::Whole),
    ("metrics", Is::Numbers),
    ("limited_by", Is::Numbers),
];

const DROPS: [&str; 12] = [
    "tail",
    "red",
    "policed",
    "error",
    "mtu",
    "ttl",
    "no_route",
    "down",
    "host",
    "scripted",
    "cell",
    "every_nth",
];

fn items<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key]
        .as_array()
        .unwrap_or_else(|| panic!("{key} is not an array"))
}

/// Asserts that a text is a run document of the contract, and returns it.
#[track_caller]
pub(crate) fn document(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let mut keys = DOCUMENT.to_vec();
    // Only what was run several times has the first, a sweep the second, one that carried nothing the third, what was
    // stopped the fourth, and a text with keys that do nothing the last.
    for (key, is) in [
        ("repeats", Is::Object),
        ("sweep", Is::Array),
        ("link_names", Is::Array),
        ("stopped", Is::Object),
        ("notes", Is::Array),
    ] {
        keys.extend(document.get(key).map(|_| (key, is)));
    }
    assert_shape("document", &document, &keys);
    assert_eq!(document["schema"], "farpath.run/1");
    assert_eq!(document["version"], env!("CARGO_PKG_VERSION"));
    let sha = document["scenario_sha256"].as_str().expect("a text");
    assert!(
        sha.len() == 64 && sha.bytes().all(|b| b.is_ascii_hexdigit()),
        "{sha}"
    );
    for record in items(&document, "records") {
        check_record(record);
    }
    for link in items(&document, "links") {
        let mut keys = LINK.to_vec();
        // The first repeat's is not written.
        if link["repeat"].as_u64().is_some_and(|n| n > 0) {
            keys.push(("repeat", Is::Whole));
        }
        // Of a direction whose queue is managed, or that has several.
        if link.get("queues").is_some() {
            keys.push(("queues", Is::Array));
        }
        // Of one behind which frames were too large.
        if link.get("too_large_for").is_some() {
            keys.push(("too_large_for", Is::Array));
        }
        assert_shape("link", link, &keys);
        for reason in link["drops"].as_object().expect("checked").keys() {
            assert!(DROPS.contains(&reason.as_str()), "drops.{reason}");
        }
        let intervals = items(link, "t_ns").len();
        assert_eq!(items(link, "rate_bps").len(), intervals);
        assert_eq!(items(link, "queue_bytes").len(), intervals);
        assert!(link["direction"].as_str().expect("checked").contains('>'));
    }
    for expectation in items(&document, "expectations") {
        assert_shape("expectation", expectation, &EXPECTATION);
    }
    document
}

fn check_record(record: &Value) {
    let place = format!("record {} {}", record["origin"], record["test"]);
    let mut keys = RECORD.to_vec();
    // Of tests whose single responses, flows or connections have times.
    if record.get("times").is_some() {
        keys.push(("times", Is::Object));
    }
    // Of tests that have no value of a metric for a reason.
    if record.get("absent").is_some() {
        keys.push(("absent", Is::Object));
    }
    // Of what a run measured; documents of earlier versions have none.
    if record.get("measured_from_ns").is_some() {
        keys.push(("measured_from_ns", Is::Whole));
    }
    assert_shape(&place, record, &keys);
    assert_eq!(record["schema"], "farpath.record/1");
    assert!(["predicted", "simulated"].contains(&record["origin"].as_str().expect("checked")));
    for (name, series) in record["series"].as_object().expect("checked") {
        assert_shape(name, series, &[("t_ns", Is::Array), ("v", Is::Array)]);
        assert_eq!(
            items(series, "t_ns").len(),
            items(series, "v").len(),
            "{name}"
        );
        assert!(items(series, "t_ns").iter().all(Value::is_u64), "{name}");
        assert!(items(series, "v").iter().all(Value::is_number), "{name}");
    }
    if let Some(limit) = record["limited_by"].as_str() {
        assert!(Limit::named(limit).is_some(), "{place}: {limit}");
    }
    for stream in items(record, "streams") {
        assert_shape("stream", stream, &STREAM);
        let shares = stream["limited_by"].as_object().expect("checked");
        assert!(
            shares.keys().all(|k| Limit::named(k).is_some()),
            "{shares:?}"
        );
        let sum: f64 = shares.values().filter_map(Value::as_f64).sum();
        assert!(shares.is_empty() || (sum - 1.0).abs() < 1e-9, "{shares:?}");
    }
    let metrics = record["metrics"].as_object().expect("checked");
    let kind = Subject::of_test(record["kind"].as_str().expect("checked"));
    if let Some(kind) = kind {
        let known = |name: &str| metric::of(kind).any(|m| m.name == name);
        assert!(
            metrics.keys().all(|name| known(name)),
            "{place}: {metrics:?}"
        );
    }
    assert!(
        metrics.values().all(Value::is_number),
        "{place}: {metrics:?}"
    );
    if record["origin"] == "simulated" {
        for wanted in wanted_metrics(record["kind"].as_str().expect("checked")) {
            assert!(metrics.contains_key(*wanted), "{place} has no {wanted}");
        }
    }
}

/// Metrics that every finished test of a kind has; `recovery_s` needs a loss, and `completion_ns` a last byte.
fn wanted_metrics(kind: &str) -> &'static [&'static str] {
    match kind {
        "ping" => &[
            "rtt_min_ns",
            "rtt_avg_ns",
            "rtt_max_ns",
            "rtt_p50_ns",
            "rtt_p99_ns",
            "sent",
            "received",
            "loss_ratio",
        ],
        "tcp" => &[
            "goodput_bps",
            "bytes",
            "retransmits",
            "rtos",
            "cwnd_max_bytes",
            "rtt_min_ns",
            "rtt_avg_ns",
            "rtt_max_ns",
            "ramp_s",
            "jain_index",
        ],
        "udp" => &[
            "sent_bps",
            "goodput_bps",
            "loss_ratio",
            "jitter_ns",
            "reordered",
        ],
        _ => &[],
    }
}

#[test]
fn the_run_document_has_the_shape_of_its_contract() {
    let folder = with_small();
    let ran = farpath_in(folder.path(), &["run", "small.toml", "--json"]).exits(0);
    let document = document(&ran.out);
    assert_eq!(document["scenario"], "small");
    assert_eq!(document["seed"], 1);
    let records = items(&document, "records");
    let found: Vec<(&str, &str)> = records
        .iter()
        .map(|r| {
            (
                r["origin"].as_str().expect("checked"),
                r["test"].as_str().expect("checked"),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("predicted", "ping"),
            ("predicted", "bulk"),
            ("simulated", "ping"),
            ("simulated", "bulk")
        ]
    );
    let directions: Vec<&str> = items(&document, "links")
        .iter()
        .filter_map(|l| l["direction"].as_str())
        .collect();
    assert_eq!(directions, ["a>r", "r>a", "r>b", "b>r"]);
    let expectation = &items(&document, "expectations")[0];
    assert_eq!(expectation["metric"], "ping.rtt_avg_ns");
    assert_eq!(
        (&expectation["min"], &expectation["max"]),
        (&10_000_000.into(), &12_000_000.into())
    );
    assert_eq!(
        (&expectation["stated"], &expectation["pass"]),
        (&"about ten".into(), &true.into())
    );
    assert!(
        expectation["actual"]
            .as_f64()
            .is_some_and(|a| (10e6..10.1e6).contains(&a))
    );
}

#[test]
fn shipped_scenarios_give_documents_of_the_contract_too() {
    for name in ["cern-snaky/one-pass", "cern-snaky/window-sweep"] {
        let ran = farpath(&["run", name, "--json"]).exits(0);
        let document = document(&ran.out);
        assert!(
            items(&document, "expectations")
                .iter()
                .all(|e| e["pass"] == true)
        );
    }
    let capacity = farpath(&["run", "cern-snaky/capacity", "--predict", "--json"]);
    document(&capacity.out);
}
