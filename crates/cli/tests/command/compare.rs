//! `farpath compare`: two sets of runs, one set's origins, and what is refused.

use std::path::Path;

use serde_json::Value;

use crate::farpath::{farpath_in, with_small};

fn run(folder: &Path, out: &str, more: &[&str]) {
    let mut args = vec!["run", "small.toml", "--out", out, "--repeat", "3"];
    args.extend(more);
    farpath_in(folder, &args).exits(0);
}

#[test]
fn two_folders_are_compared_and_a_tolerance_judges() {
    let folder = with_small();
    let at = folder.path();
    run(at, "before", &[]);
    run(at, "again", &["--seed", "9"]);
    run(
        at,
        "after",
        &["--set", "link.rb.rate=50 Mbit/s", "--set", "link.rb.loss=0"],
    );
    let text = farpath_in(at, &["compare", "before", "after/records.json"])
        .exits(0)
        .out;
    assert!(
        text.contains("bulk: predicted") && text.contains("differs"),
        "{text}"
    );
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("the scenarios differ: link.rb.loss is ")
            && words.contains("; link.rb.rate is "),
        "keys, and no digests: {text}"
    );
    assert!(words.contains(" and 50 Mbit/s in B"), "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    let far = farpath_in(at, &["compare", "before", "after", "--tolerance", "1%"]);
    assert_eq!(far.code, Some(1), "{}", far.out);
    assert!(far.out.contains("BEYOND"), "{}", far.out);
    // A set against itself: nothing differs.
    farpath_in(at, &["compare", "before", "before", "--tolerance", "0"]).exits(0);
    let json = farpath_in(
        at,
        &["compare", "before", "--with", "again", "after", "--json"],
    );
    let document: Value = serde_json::from_str(&json.exits(0).out).expect("JSON");
    assert_eq!(document["schema"], "farpath.compare/1");
    let rows = document["rows"].as_array().expect("a list");
    let goodput = rows
        .iter()
        .find(|r| r["metric"] == "goodput_bps" && r["origin_a"] == "simulated");
    let goodput = goodput.expect("a row");
    assert_eq!(
        (&goodput["a"]["n"], &goodput["b"]["n"]),
        (&Value::from(3), &Value::from(6))
    );
    assert!(goodput["difference_ci95"].is_number(), "{goodput}");
    // The origins of one.
    let one = farpath_in(at, &["compare", "before"]).exits(0).out;
    assert!(one.contains("A predicted, B simulated \u{d7} 3"), "{one}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_remedy() {
    let folder = with_small();
    let at = folder.path();
    run(at, "a", &["--simulate"]);
    std::fs::write(at.join("bad.json"), "{\"schema\": \"farpath.predict/1\"}").expect("written");
    std::fs::write(
        at.join("cut.json"),
        "{\"schema\": \"farpath.run/1\",\n \"scen",
    )
    .expect("written");
    std::fs::write(at.join("binary.json"), [0xff, 0xfe]).expect("written");
    let refused = |args: &[&str], words: &[&str]| {
        let mut all = vec!["compare"];
        all.extend(args);
        farpath_in(at, &all).exits(2).says(words);
    };
    refused(&["a"], &["every record is simulated", "hint: "]);
    refused(
        &["a", "missing.json"],
        &["missing.json", "hint: name a file"],
    );
    refused(
        &["a", "bad.json"],
        &["bad.json", "farpath.predict/1", "hint: "],
    );
    refused(&["a", "cut.json"], &["cut.json:2:", "ends too early"]);
    refused(&["a", "binary.json"], &["byte 0 is not UTF-8"]);
    refused(&["a", "a", "a"], &["which are A", "--with"]);
    refused(&["a", "a", "--with", "a"], &["hold the same run"]);
    refused(&["a", "a", "--tolerance", "2"], &["--tolerance 2"]);
}

#[test]
fn metrics_are_chosen_by_their_names_and_the_same_seeds_are_pairs() {
    let folder = with_small();
    let at = folder.path();
    run(at, "before", &[]);
    run(at, "after", &["--set", "link.rb.rate=50 Mbit/s"]);
    for name in ["goodput", "goodput_bps"] {
        let args = ["compare", "before", "after", "--json", "--metric", name];
        let document: Value =
            serde_json::from_str(&farpath_in(at, &args).exits(0).out).expect("JSON");
        let rows = document["rows"].as_array().expect("a list");
        assert!(!rows.is_empty() && rows.iter().all(|r| r["metric"] == "goodput_bps"));
        let pairs = rows.iter().filter(|r| r["origin_a"] == "simulated");
        assert!(pairs.clone().count() > 0 && pairs.clone().all(|r| r["paired"] == true));
    }
    let none = farpath_in(at, &["compare", "before", "after", "--metric", "goodness"]).exits(2);
    none.says(&["--metric goodness", "goodput_bps"]);
}

/// One document has both sides, and its other keys pair the points; an expectation at one of them may write it otherwise.
#[test]
fn two_values_of_a_sweep_are_compared() {
    let folder = with_small();
    let at = folder.path();
    let small = std::fs::read_to_string(at.join("small.toml")).expect("it is there");
    let sweep = "[sweep]\n\"link.rb.rate\" = [\"100 Mbit/s\", \"50 Mbit/s\"]\n\"test.bulk.cc\" = [\"reno\", \"cubic\"]\n";
    std::fs::write(at.join("small.toml"), format!("{small}\n{sweep}")).expect("written");
    run(at, "both", &["--simulate"]);
    let args = [
        "compare",
        "both",
        "--between",
        "rate=100000kbit/s,50 Mbit/s",
    ];
    let found = farpath_in(at, &[&args[..], &["--json"]].concat()).exits(0);
    let document: Value = serde_json::from_str(&found.out).expect("JSON");
    assert_eq!(document["a"][0], "both/records.json at rb.rate 100 Mbit/s");
    let rows = document["rows"].as_array().expect("a list");
    let goodputs = rows.iter().filter(|r| r["metric"] == "goodput_bps");
    let of = |r: &Value| (r["point"].clone(), r["a"]["n"].clone(), r["paired"].clone());
    let goodputs: Vec<_> = goodputs.map(of).collect();
    let one = |cc: &str| {
        let point = serde_json::json!({ "test.bulk.cc": cc });
        (point, Value::from(3), Value::from(true))
    };
    assert_eq!(goodputs, [one("reno"), one("cubic")]);
    let text = farpath_in(at, &args).exits(0).out;
    assert!(
        text.contains("bulk, cc reno: simulated, A \u{d7} 3, B \u{d7} 3"),
        "{text}"
    );
    let paged = [&args[..], &["--out", "page"]].concat();
    farpath_in(at, &paged).exits(0);
    let page = std::fs::read_to_string(at.join("page/report.json")).expect("it was written");
    let page: Value = serde_json::from_str(&page).expect("JSON");
    assert_eq!(
        page["comparison"]["b"][0],
        "both/records.json at rb.rate 50 Mbit/s"
    );
    let refused = |between: &str, words: &[&str]| {
        let args = ["compare", "both", "--between", between];
        farpath_in(at, &args).exits(2).says(words);
    };
    refused(
        "loss=0,1",
        &[
            "loss is not one key of the sweep",
            "link.rb.rate, test.bulk.cc",
            "hint: ",
        ],
    );
    refused(
        "cc=reno,bbr",
        &["test.bulk.cc to bbr", "there are reno, cubic"],
    );
    refused(
        "cc",
        &[
            "--between cc",
            "hint: write them like --between cc=reno,cubic",
        ],
    );
}

/// One page of several runs: each is a value of the key `run`, and three have the page alone.
#[test]
fn a_page_has_all_runs_beside_each_other() {
    let folder = crate::farpath::with_small();
    let at = |args: &[&str]| crate::farpath::farpath_in(folder.path(), args);
    for (name, cc) in [("a", "reno"), ("b", "cubic"), ("c", "bbr")] {
        let set = format!("test.bulk.cc={cc}");
        let run = ["run", "small.toml", "--simulate", "--out", name];
        at(&[&run[..], &["--set", &set]].concat()).exits(0);
    }
    let table = at(&["compare", "a", "b", "--out", "page"]).exits(0).out;
    assert!(table.contains("Written to page"), "{table}");
    let read =
        |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("it was written");
    let page: serde_json::Value = serde_json::from_str(&read("page/report.json")).expect("JSON");
    assert_eq!(page["comparison"]["schema"], "farpath.compare/1");
    assert_eq!(page["runs"][1]["name"], "b");
    let only = at(&["compare", "a", "b", "c", "--out", "three"])
        .exits(0)
        .out;
    assert_eq!(only, "\nWritten to three: open report.html there.\n");
    let metrics = read("three/metrics.csv");
    assert!(metrics.starts_with("origin,test,run,repeat,"), "{metrics}");
    for run in ["a", "b", "c"] {
        assert!(metrics.contains(&format!("simulated,bulk,{run},0,goodput_bps,")));
    }
    at(&["compare", "a", "a/records.json", "b", "--out", "twice"])
        .exits(2)
        .says(&["the same run twice"]);
}

/// What `lab run --json` writes, of a command that takes two seconds, three, or ends with 7.
#[test]
fn runs_of_a_command_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, code: u8, valid: bool, took: u64| {
        let text = format!(
            r#"{{"schema": "farpath.lab-run/1", "command": "curl -sO http://server/x", "exit_code": {code}, "fault": null,
            "failure": null, "took_ns": {took}000000000, "rtt_p99_ns": 4e7, "rtt_pings": 400, "certificate": {{"valid": {valid}}},
            "connection": {{"all_bytes_sent": 6000000, "all_segments_sent_again": 0}},
            "path_down_s": 0.0, "program_frames": 9000, "datagrams": []}}"#
        );
        std::fs::write(folder.path().join(name), text).expect("writable");
    };
    write("before.json", 0, true, 2);
    write("after.json", 0, true, 3);
    write("failed.json", 7, true, 2);
    write("late.json", 0, false, 2);
    let at = |args: &[&str]| farpath_in(folder.path(), args);
    let json = at(&["compare", "before.json", "after.json", "--json"]);
    let document: Value = serde_json::from_str(&json.exits(0).out).expect("JSON");
    let rows = document["rows"].as_array().expect("a list");
    let mean = |metric: &str, side: &str| {
        let row = rows.iter().find(|r| r["metric"] == metric);
        row.and_then(|r| r[side]["mean"].as_f64())
    };
    assert_eq!(
        (mean("took_ns", "a"), mean("took_ns", "b")),
        (Some(2e9), Some(3e9))
    );
    assert_eq!(mean("goodput_bps", "b"), Some(1.6e7));
    let other = std::fs::read_to_string(folder.path().join("after.json")).expect("readable");
    let other = other.replace("curl -sO", "wget -q");
    std::fs::write(folder.path().join("other.json"), other).expect("writable");
    let words = "command is curl -sO http://server/x in A and wget -q http://server/x in B";
    let json = at(&["compare", "before.json", "other.json", "--json"]);
    let apart: Value = serde_json::from_str(&json.exits(0).out).expect("JSON");
    let notes = apart["notes"].to_string();
    assert!(notes.contains(words), "{notes}");
    let gate = ["--metric", "goodput", "--tolerance", "5%"];
    at(&[&["compare", "before.json", "after.json"][..], &gate].concat()).exits(1);
    at(&[&["compare", "before.json", "before.json"][..], &gate].concat()).exits(0);
    at(&["compare", "before.json", "after.json", "--tolerance", "5"])
        .exits(2)
        .says(&["for 5 percent, --tolerance 5%"]);
    at(&["compare", "before.json", "failed.json"])
        .exits(2)
        .says(&["failed.json: its command ended with exit code 7"]);
    let before = std::fs::read_to_string(folder.path().join("before.json")).expect("readable");
    let older = before.replace("\"program_frames\"", "\"frames\"");
    std::fs::write(folder.path().join("older.json"), older).expect("writable");
    at(&["compare", "older.json", "after.json"])
        .exits(2)
        .says(&[
            "older.json: missing field `program_frames`",
            "run it again with `farpath lab run",
        ]);
    at(&["compare", "late.json", "after.json"]).exits(2).says(&[
        "every record of A is marked invalid",
        "run it again on an idle machine",
    ]);
    at(&["compare", "before.json", "after.json", "--out", "page"])
        .exits(2)
        .says(&["a run of a command has no page of its own"]);
}
