use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::{Expectation, Series, StreamRecord};

fn document() -> RunDocument {
    let mut run = RunDocument::new("snaky-ccc", 1, "00ff".to_owned());
    let mut ping = Record::new(Origin::Simulated, "ping-folded", "ping", "w05gva", "w05chi");
    ping.duration_ns = 5_000_000_000;
    ping.set("rtt_min_ns", 580_061_234.0);
    ping.set("loss_ratio", 0.2);
    ping.set("jitter_ns", f64::NAN);
    ping.point.insert(
        "test.bulk.window".to_owned(),
        "64 MiB, \"exact\"".to_owned(),
    );
    ping.series.insert(
        "rtt_ns".to_owned(),
        Series {
            t_ns: vec![0, 1_000_000_000],
            v: vec![580_061_234.0, 580_061_300.5],
        },
    );
    let shares = BTreeMap::from([("receive_window".to_owned(), 1.0)]);
    ping.streams.push(StreamRecord {
        limited_by: shares,
        ..StreamRecord::default()
    });
    run.records.push(ping);
    run.links.push(LinkRecord {
        bytes: 10,
        payload_bytes: 5,
        offered: Some(2),
        frames: 1,
        drops: BTreeMap::from([("tail".to_owned(), 0)]),
        t_ns: vec![100_000_000],
        rate_bps: vec![9.9e9],
        queue_bytes: vec![0.0],
        queue_max_bytes: Some(0),
        ..LinkRecord::new(Origin::Simulated, "stm64", "cernh5>ar5-chicago")
    });
    run.expectations.push(Expectation {
        min: Some(580.0e6),
        actual: Some(580.06e6),
        stated: Some("580/581/584 ms".to_owned()),
        pass: true,
        ..Expectation::new(Origin::Simulated, "ping-folded.rtt_avg_ns")
    });
    run
}

#[test]
fn the_json_is_the_contracts_to_the_letter() {
    let expected = r#"{
"schema": "farpath.run/1",
"scenario": "snaky-ccc",
"version": "0.1.0",
"seed": 1,
"scenario_sha256": "00ff",
"records": [
{"schema": "farpath.record/1", "origin": "simulated", "test": "ping-folded", "kind": "ping", "from": "w05gva", "to": "w05chi", "point": {"test.bulk.window": "64 MiB, \"exact\""}, "repeat": 0, "started_ns": 0, "duration_ns": 5000000000, "metrics": {"loss_ratio": 0.2, "rtt_min_ns": 580061234}, "limited_by": null, "streams": [{"stream": 0, "metrics": {}, "limited_by": {"receive_window": 1}}], "series": {"rtt_ns": {"t_ns": [0, 1000000000], "v": [580061234, 580061300.5]}}, "valid": true, "notes": []}],
"links": [
{"origin": "simulated", "link": "stm64", "direction": "cernh5>ar5-chicago", "point": {}, "bytes": 10, "payload_bytes": 5, "offered": 2, "frames": 1, "drops": {"tail": 0}, "t_ns": [100000000], "rate_bps": [9900000000], "queue_bytes": [0], "queue_max_bytes": 0}],
"expectations": [
{"metric": "ping-folded.rtt_avg_ns", "origin": "simulated", "point": {}, "min": 580000000, "max": null, "actual": 580060000, "stated": "580/581/584 ms", "source": null, "note": null, "pass": true}]}
"#;
    assert_eq!(
        document().to_json(),
        expected.replace("\"0.1.0\"", &format!("\"{}\"", env!("CARGO_PKG_VERSION")))
    );
}

/// No file of a run had it: `farpath --version` alone knew.
#[test]
fn a_document_names_the_commit_where_that_is_known() {
    let mut run = document();
    assert_eq!(run.built(), run.version);
    run.commit = Some("1a2b3c4d5e6f 2026-11-22".to_owned());
    assert!(run.built().ends_with(" (1a2b3c4d5e6f 2026-11-22)"));
    assert!(
        run.to_json()
            .contains("\n\"commit\": \"1a2b3c4d5e6f 2026-11-22\",\n")
    );
    let read = RunDocument::from_json(&run.to_json()).expect("own JSON");
    assert_eq!(read.commit, run.commit);
}

#[test]
fn a_document_survives_the_round_trip() {
    let run = document();
    assert_eq!(
        RunDocument::from_json(&run.to_json()).expect("own JSON"),
        run
    );
    assert_eq!(run.origins(), [Origin::Simulated]);
}

#[test]
fn another_schema_is_refused_and_unknown_keys_are_not() {
    let text = document().to_json();
    let error = RunDocument::from_json(&text.replace("farpath.run/1", "farpath.run/9"))
        .expect_err("schema 9");
    assert!(error.to_string().contains("farpath.run/9"), "{error}");
    let more = text.replacen("\"seed\": 1", "\"seed\": 1, \"later\": [1]", 1);
    assert_eq!(
        RunDocument::from_json(&more).expect("a later document"),
        document()
    );
}

#[test]
fn series_are_rows_with_quoted_points() {
    let mut csv = Vec::new();
    document()
        .write_series_csv(&mut csv)
        .expect("a Vec takes everything");
    let expected = "origin,test,test.bulk.window,repeat,series,t_ns,v,valid\n\
        simulated,ping-folded,\"64 MiB, \"\"exact\"\"\",0,rtt_ns,0,580061234,true\n\
        simulated,ping-folded,\"64 MiB, \"\"exact\"\"\",0,rtt_ns,1000000000,580061300.5,true\n\
        simulated,link.stm64.cernh5>ar5-chicago,,0,rate_bps,100000000,9900000000,true\n\
        simulated,link.stm64.cernh5>ar5-chicago,,0,queue_bytes,100000000,0,true\n";
    assert_eq!(String::from_utf8(csv).expect("UTF-8"), expected);
}

/// A link has no certificate of its own: its numbers are as good as the run's.
#[test]
fn links_and_series_of_an_invalid_run_say_so() {
    let mut run = document();
    let link = run.links[0].clone();
    for (repeat, valid) in [(0, false), (1, true)] {
        let mut record = Record::new(Origin::Emulated, "bulk", "tcp", "a", "b");
        record.repeat = repeat;
        record.valid = valid;
        let series = Series {
            t_ns: vec![1],
            v: vec![2.0],
        };
        record.series.insert("cwnd_bytes".to_owned(), series);
        run.records.push(record);
        run.links.push(LinkRecord {
            origin: Origin::Emulated,
            repeat,
            ..link.clone()
        });
    }
    let (mut series, mut links) = (Vec::new(), Vec::new());
    run.write_series_csv(&mut series).expect("a Vec");
    run.write_links_csv(&mut links).expect("a Vec");
    for csv in [series, links] {
        let csv = String::from_utf8(csv).expect("UTF-8");
        let emulated: Vec<&str> = csv.lines().filter(|l| l.starts_with("emulated,")).collect();
        let (invalid, valid): (Vec<&str>, Vec<&str>) =
            emulated.iter().partition(|l| l.ends_with(",false"));
        assert!(invalid.len() > 1 && invalid.len() == valid.len(), "{csv}");
        assert!(valid.iter().all(|l| l.ends_with(",true")), "{csv}");
    }
}

/// Whoever filters nothing still sees which numbers a certificate refused.
#[test]
fn metrics_say_whether_they_are_valid() {
    let mut run = RunDocument::new("s", 1, String::new());
    for (origin, valid) in [(Origin::Simulated, true), (Origin::Emulated, false)] {
        let mut record = Record::new(origin, "bulk", "tcp", "a", "b");
        record.set("goodput_bps", 5.0);
        record.valid = valid;
        run.records.push(record);
    }
    let mut csv = Vec::new();
    run.write_metrics_csv(&mut csv)
        .expect("a Vec takes everything");
    let expected = "origin,test,repeat,metric,value,unit,valid\n\
        simulated,bulk,0,goodput_bps,5,bit/s,true\n\
        emulated,bulk,0,goodput_bps,5,bit/s,false\n";
    assert_eq!(String::from_utf8(csv).expect("UTF-8"), expected);
}

/// Where it was judged, each repeat by itself.
#[test]
fn ratios_are_rows_of_metrics() {
    let mut run = RunDocument::new("s", 1, String::new());
    for (test, values) in [("a", [6.0, 8.0]), ("b", [3.0, 2.0])] {
        for (repeat, value) in (0..).zip(values) {
            let mut record = Record::new(Origin::Simulated, test, "tcp", "x", "y");
            record.repeat = repeat;
            record.set("rtt_avg_ns", value);
            run.records.push(record);
        }
    }
    let expects = [(Some("b.rtt_avg_ns"), None), (None, Some("b.rtt_avg_ns"))];
    let expects = expects.map(|(over, minus)| crate::Expect {
        metric: "a.rtt_avg_ns".to_owned(),
        over: over.map(str::to_owned),
        minus: minus.map(str::to_owned),
        ..crate::Expect::default()
    });
    let results = crate::Results {
        records: &run.records,
        links: &[],
    };
    let repeats = crate::Repeats::of(vec![1, 2], results, &expects);
    let ratio = repeats.metrics.iter().find(|m| m.metric.contains(" over "));
    let ratio = ratio.expect("it has repeats");
    assert_eq!(
        (ratio.test.as_str(), ratio.metric.as_str()),
        ("a", "rtt_avg_ns over b.rtt_avg_ns")
    );
    assert_eq!((ratio.summary.min, ratio.summary.max), (2.0, 4.0));
    run.expectations = crate::judge(&expects, results, &[Origin::Simulated]);
    let mut csv = Vec::new();
    run.write_metrics_csv(&mut csv).expect("a Vec");
    let expected = "simulated,a,0,rtt_avg_ns minus b.rtt_avg_ns,3,ns,true\n\
        simulated,a,1,rtt_avg_ns minus b.rtt_avg_ns,6,ns,true\n\
        simulated,a,0,rtt_avg_ns over b.rtt_avg_ns,2,,true\n\
        simulated,a,1,rtt_avg_ns over b.rtt_avg_ns,4,,true\n";
    let csv = String::from_utf8(csv).expect("UTF-8");
    assert!(csv.ends_with(expected), "{csv}");
}

#[test]
fn link_counters_are_rows_with_the_names_that_expectations_use() {
    let mut run = document();
    run.links[0].repeat = 2;
    run.links[0].drops.insert("error".to_owned(), 7);
    let mut csv = Vec::new();
    run.write_links_csv(&mut csv)
        .expect("a Vec takes everything");
    let text = String::from_utf8(csv).expect("UTF-8");
    let about = "simulated,stm64,cernh5>ar5-chicago,,2";
    let expected = [
        "origin,link,direction,test.bulk.window,repeat,metric,value,unit,valid".to_owned(),
        format!("{about},bytes,10,B,true"),
        format!("{about},payload_bytes,5,B,true"),
        format!("{about},offered,2,,true"),
        format!("{about},frames,1,,true"),
        format!("{about},drops,7,,true"),
        format!("{about},rate_mean_bps,9900000000,bit/s,true"),
        format!("{about},rate_max_bps,9900000000,bit/s,true"),
        format!("{about},queue_max_bytes,0,B,true"),
        format!("{about},queue_mean_bytes,0,B,true"),
        format!("{about},queue_p50_bytes,0,B,true"),
        format!("{about},queue_p99_bytes,0,B,true"),
        format!("{about},drops.error,7,,true"),
        format!("{about},drops.tail,0,,true"),
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_million_damaged_documents_do_not_panic() {
    let text = document().to_json().into_bytes();
    let mut state = 7u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut refused = 0;
    for _ in 0..1_000_000 {
        let mut bytes = text.clone();
        let place = random() % bytes.len();
        bytes[place] = b"0{}[],:\"xe-.\\"[random() % 13];
        if random() % 4 == 0 {
            bytes.truncate(random() % text.len());
        }
        refused += u32::from(RunDocument::from_json(&String::from_utf8_lossy(&bytes)).is_err());
    }
    assert!(refused > 100_000, "{refused}");
}

proptest! {
    #[test]
    fn numbers_keep_their_value(v in prop_oneof![any::<f64>(), any::<i64>().prop_map(|i| i as f64), any::<i32>().prop_map(f64::from)]) {
        let text = serde_json::to_string(&Number(v)).expect("a number");
        let back: Number = serde_json::from_str(&text).expect("own JSON");
        prop_assert!(back.0 == v || (!v.is_finite() && back.0.is_nan()), "{v} {text}");
        if v.fract() == 0.0 && v.abs() < 1e15 {
            prop_assert!(serde_json::from_str::<Value>(&text).expect("own JSON").is_i64());
        }
    }
}

/// Swept quantities stand a second time as numbers, in the unit that the column's name ends in, behind all other columns. Words and
/// plain numbers do not.
#[test]
fn swept_quantities_have_columns_of_numbers() {
    let mut run = document();
    run.links.clear();
    run.expectations.clear();
    run.records = [
        ("10 ms", "0.01 %", "cubic", "4"),
        ("0.5 s", "1e-4", "reno", "8"),
    ]
    .map(|(delay, loss, cc, streams)| {
        let mut record = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
        for (key, value) in [
            ("link.l.delay", delay),
            ("link.l.loss", loss),
            ("test.bulk.cc", cc),
            ("test.bulk.parallel", streams),
        ] {
            record.point.insert(key.to_owned(), value.to_owned());
        }
        record.set("goodput_bps", 1e6);
        record
    })
    .to_vec();
    let mut csv = Vec::new();
    run.write_metrics_csv(&mut csv).expect("a Vec");
    let text = String::from_utf8(csv).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].ends_with(",valid,link.l.delay_ns,link.l.loss_ratio"),
        "{text}"
    );
    assert!(lines[1].ends_with(",true,10000000,0.0001"), "{text}");
    assert!(lines[2].ends_with(",true,500000000,0.0001"), "{text}");
}
