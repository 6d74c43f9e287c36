//! `farpath run`: what its options do.

use serde_json::Value;

use crate::farpath::{SMALL, farpath, farpath_in, with_small};
use crate::shape::document;

fn records<'a>(document: &'a Value, origin: &str) -> Vec<&'a Value> {
    let all = document["records"].as_array().expect("checked");
    all.iter().filter(|r| r["origin"] == origin).collect()
}

fn run(args: &[&str]) -> Value {
    let folder = with_small();
    let mut all = vec!["run", "small.toml", "--json"];
    all.extend(args);
    document(&farpath_in(folder.path(), &all).exits(0).out)
}

#[test]
fn the_table_lays_predicted_beside_simulated_and_names_the_limit() {
    let folder = with_small();
    let out = farpath_in(folder.path(), &["run", "small.toml"])
        .exits(0)
        .out;
    for word in [
        "predicted",
        "simulated",
        "stated",
        "about ten",
        "limited by",
        "Mbit/s",
        "small",
    ] {
        assert!(out.contains(word), "`{word}` is not in\n{out}");
    }
    assert!(out.lines().all(|l| l.chars().count() <= 80), "{out}");
}

#[test]
fn a_failed_expectation_is_exit_1_and_stays_readable() {
    let folder = with_small();
    let strict = SMALL.replace("min = \"1 Mbit/s\"", "min = \"99 Mbit/s\"");
    std::fs::write(folder.path().join("strict.toml"), strict).expect("writable");
    let ran = farpath_in(folder.path(), &["run", "strict.toml"]).exits(1);
    assert!(ran.out.contains("FAIL"), "{}", ran.out);
    assert_eq!(ran.err, "");
    let ran = farpath_in(folder.path(), &["run", "strict.toml", "--json"]).exits(1);
    let document = document(&ran.out);
    let failed = document["expectations"].as_array().expect("checked");
    assert!(failed.iter().any(|e| e["pass"] == false));
}

/// 2400, meant as Mbit/s, is read as bit/s and holds: both commands say so, with the line, and the exit code stays.
#[test]
fn a_bound_without_a_unit_is_said() {
    let folder = with_small();
    let bare = SMALL.replace("min = \"1 Mbit/s\"", "min = 2400");
    let line = bare.lines().position(|l| l == "min = 2400");
    let line = line.expect("it is in the scenario") + 1;
    std::fs::write(folder.path().join("bare.toml"), &bare).expect("writable");
    let ran = farpath_in(folder.path(), &["run", "bare.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let words = format!("bare.toml:{line}: `min = 2400` is read as 2.4 kbit/s: write the unit");
    assert_eq!(ran.err.matches(&words).count(), 1, "{}", ran.err);
    let checked = farpath_in(folder.path(), &["check", "bare.toml"]).exits(0);
    let words = "warning: `min = 2400` is read as 2.4 kbit/s";
    assert!(checked.out.contains(words), "{}", checked.out);
}

/// What `check` warns of, a run says once, in its notes and in JSON.
#[test]
fn a_key_without_effect_is_a_note_of_a_run() {
    let folder = with_small();
    let idle = SMALL.replacen("name = \"a\"\n", "name = \"a\"\nrmem_max = 1000000\n", 1);
    std::fs::write(folder.path().join("idle.toml"), idle).expect("writable");
    let words = "idle.toml:6: `rmem_max` has no effect";
    let table = farpath_in(folder.path(), &["run", "idle.toml"]).exits(0);
    assert_eq!(table.out.matches(words).count(), 1, "{}", table.out);
    let json = farpath_in(folder.path(), &["run", "idle.toml", "--json"]).exits(0);
    let json = document(&json.out);
    let notes = json["notes"].as_array().expect("there is one");
    let said = notes.iter().filter_map(Value::as_str);
    assert_eq!(
        said.filter(|n| n.starts_with(words)).count(),
        1,
        "{notes:?}"
    );
}

/// 1, meant as 1 %, is 100 % of a ratio and holds always. With its sign, or below 1, it is what it says.
#[test]
fn a_whole_share_without_its_sign_is_said() {
    let folder = with_small();
    let expect = |bound: &str| format!("[[expect]]\nmetric = \"ping.loss_ratio\"\n{bound}\n");
    let said = |bound: &str| {
        std::fs::write(folder.path().join("marks.toml"), expect(bound)).expect("writable");
        let marks = ["small.toml", "--expect", "marks.toml"];
        let of = |verb: &str| farpath_in(folder.path(), &[&[verb], &marks[..]].concat());
        let (ran, checked) = (of("run"), of("check"));
        assert_eq!(checked.code, Some(0), "{}", checked.err);
        (ran.err, checked.err)
    };
    let words = "`max = 1` is read as 100 %, and always passes: for 1 % write `max = \"1 %\"`";
    let (ran, checked) = said("max = 1");
    assert!(ran.contains(words), "{ran}");
    let words = "`max = 1` is read as 100 %, and always passes";
    assert!(checked.contains(words), "{checked}");
    for right in ["max = \"1 %\"", "max = 0.01", "max = \"100 %\""] {
        let (ran, checked) = said(right);
        for err in [ran, checked] {
            assert!(!err.contains("is read as"), "{right}: {err}");
        }
    }
}

#[test]
fn set_changes_a_key_and_the_hash() {
    let plain = run(&[]);
    let set = run(&["--set", "link.rb.delay=5.5 ms"]);
    assert_ne!(plain["scenario_sha256"], set["scenario_sha256"]);
    let rtt = |d: &Value| {
        records(d, "simulated")[0]["metrics"]["rtt_min_ns"]
            .as_f64()
            .expect("a number")
    };
    assert_eq!(rtt(&set) - rtt(&plain), 1e6);
    let several = run(&[
        "--set",
        "test.ping.count=7",
        "--set",
        "test.ping.interval=10ms",
    ]);
    assert_eq!(records(&several, "simulated")[0]["metrics"]["sent"], 7);
}

#[test]
fn only_keeps_the_named_tests_and_their_expectations() {
    let document = run(&["--only", "ping"]);
    let tests: Vec<&Value> = document["records"]
        .as_array()
        .expect("checked")
        .iter()
        .map(|r| &r["test"])
        .collect();
    assert_eq!(tests, ["ping", "ping"]);
    let expectations = document["expectations"].as_array().expect("checked");
    assert!(
        expectations
            .iter()
            .all(|e| e["metric"] == "ping.rtt_avg_ns")
    );
}

#[test]
fn an_origin_flag_leaves_out_the_other() {
    let predicted = run(&["--predict"]);
    assert_eq!(records(&predicted, "simulated").len(), 0);
    assert_eq!(predicted["links"].as_array().expect("checked").len(), 0);
    let simulated = run(&["--simulate"]);
    assert_eq!(records(&simulated, "predicted").len(), 0);
    assert_eq!(run(&["--predict", "--simulate"]), run(&[]));
}

#[test]
fn the_seed_decides_all_luck() {
    assert_eq!(run(&["--seed", "5"]), run(&["--seed", "5"]));
    assert_eq!(run(&["--seed", "1"]), run(&[]));
    let (five, six) = (run(&["--seed", "5"]), run(&["--seed", "6"]));
    assert_eq!((&five["seed"], &six["seed"]), (&5.into(), &6.into()));
    assert_ne!(
        records(&five, "simulated")[1]["metrics"],
        records(&six, "simulated")[1]["metrics"]
    );
    assert_eq!(records(&five, "predicted"), records(&six, "predicted"));
}

#[test]
fn a_repeat_is_a_run_with_a_seed_of_its_own() {
    let document = run(&["--repeat", "3", "--seed", "5"]);
    let simulated = records(&document, "simulated");
    let repeats: Vec<u64> = simulated
        .iter()
        .filter_map(|r| r["repeat"].as_u64())
        .collect();
    assert_eq!(repeats, [0, 0, 1, 1, 2, 2]);
    assert_eq!(records(&document, "predicted").len(), 2);
    let seeds = document["repeats"]["seeds"].as_array().expect("seeds");
    assert_eq!((seeds.len(), &seeds[0]), (3, &Value::from(5)));
    let last = seeds[2].as_u64().expect("a number").to_string();
    let alone = run(&["--seed", &last]);
    assert_eq!(
        simulated[5]["metrics"],
        records(&alone, "simulated")[1]["metrics"]
    );
}

/// Links are counted in every repeat, and what is expected of them is judged by the median, as of tests.
#[test]
fn links_are_those_of_every_repeat() {
    let folder = with_small();
    let expect = "\n[[expect]]\nmetric = \"link.rb.r>b.drops\"\nmin = 0\n";
    let text = format!("{}{expect}", crate::farpath::SMALL);
    std::fs::write(folder.path().join("small.toml"), text).expect("a file");
    let args = ["run", "small.toml", "--repeat", "5"];
    let json = farpath_in(folder.path(), &[&args[..], &["--json"]].concat())
        .exits(0)
        .out;
    let document: Value = serde_json::from_str(&json).expect("JSON");
    let links = document["links"].as_array().expect("a list").iter();
    let mut counted: Vec<(u64, f64)> = links
        .filter(|l| l["link"] == "rb" && l["direction"] == "r>b")
        .map(|l| {
            let drops = l["drops"].as_object().expect("an object").values();
            let all: u64 = drops.filter_map(Value::as_u64).sum();
            (l["repeat"].as_u64().unwrap_or(0), all as f64)
        })
        .collect();
    assert_eq!(
        counted.iter().map(|c| c.0).collect::<Vec<_>>(),
        [0, 1, 2, 3, 4]
    );
    let first = counted[0].1;
    counted.sort_by(|a, b| a.1.total_cmp(&b.1));
    let median = counted[2].1;
    assert!(
        first != median,
        "the seed is one whose first repeat is not the middle one"
    );
    let judged = document["expectations"].as_array().expect("a list").iter();
    let mut of_link = judged.filter(|e| e["metric"] == "link.rb.r>b.drops");
    assert_eq!(
        of_link.next().map(|e| e["actual"].as_f64()),
        Some(Some(median))
    );
    let table = farpath_in(folder.path(), &args).exits(0).out;
    assert!(
        table.contains("Frames lost, medians of 5 repeats"),
        "{table}"
    );
    let of_link = table.lines().find(|l| l.starts_with("rb r>b "));
    let words: Vec<&str> = of_link.unwrap_or("").split_whitespace().collect();
    assert_eq!(words[2], median.to_string(), "{table}");
    assert_eq!(words[4..], ["by", "chance"], "{table}");
    assert!(
        table.contains("link.rb.r>b, simulated\n  drops "),
        "{table}"
    );
}

/// Without losses, only the starts are random: two flows that begin apart share the path otherwise in each repeat.
#[test]
fn a_spread_of_starts_makes_repeats_differ_and_a_seed_brings_them_back() {
    let folder = with_small();
    let second = SMALL.replace("loss = 0.001\n", "").replace(
        "[[expect]]\nmetric = \"ping",
        "[[test]]\nname = \"second\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nstart = \"1 s\"\nduration = \"2 s\"\n\n\
         [[expect]]\nmetric = \"ping",
    );
    std::fs::write(folder.path().join("two.toml"), second).expect("writable");
    let run = |more: &[&str]| {
        let args = ["run", "two.toml", "--json", "--simulate", "--repeat", "5"];
        document(
            &farpath_in(folder.path(), &[&args, more].concat())
                .exits(0)
                .out,
        )
    };
    let goodputs = |document: &Value| -> Vec<String> {
        let second = records(document, "simulated")
            .into_iter()
            .filter(|r| r["test"] == "second");
        second
            .map(|r| r["metrics"]["goodput_bps"].to_string())
            .collect()
    };
    let distinct = |document: &Value| -> usize {
        let all = goodputs(document);
        assert_eq!(all.len(), 5);
        all.into_iter()
            .collect::<std::collections::BTreeSet<_>>()
            .len()
    };
    let spread = ["--set", "test.second.start_spread=500 ms", "--seed", "7"];
    let (first, again) = (run(&spread), run(&spread));
    assert_eq!(first, again, "the same seed, the same bits");
    assert_eq!(distinct(&first), 5);
    assert_ne!(
        goodputs(&first),
        goodputs(&run(&[&spread[..3], &["8"]].concat()))
    );
    let starts: Vec<u64> = records(&first, "simulated")
        .iter()
        .filter(|r| r["test"] == "second")
        .filter_map(|r| r["started_ns"].as_u64())
        .collect();
    assert!(
        starts
            .iter()
            .all(|s| (1_000_000_000..=1_500_000_000).contains(s)),
        "{starts:?}"
    );
    // Without it nothing is random, and the notes say so.
    let level = run(&[]);
    assert_eq!(distinct(&level), 1);
    let notes = records(&level, "simulated")[0]["notes"].to_string();
    assert!(notes.contains("start_spread"), "{notes}");
}

#[test]
fn repeats_have_their_spread_in_the_document_and_in_the_table() {
    let document = run(&["--repeat", "4"]);
    let found = document["repeats"]["metrics"].as_array().expect("a list");
    let goodput = found
        .iter()
        .find(|m| m["test"] == "bulk" && m["metric"] == "goodput_bps")
        .expect("a summary");
    let mut values: Vec<f64> = records(&document, "simulated")
        .iter()
        .filter(|r| r["test"] == "bulk")
        .filter_map(|r| r["metrics"]["goodput_bps"].as_f64())
        .collect();
    values.sort_by(f64::total_cmp);
    assert_eq!(
        (
            &goodput["n"],
            goodput["min"].as_f64(),
            goodput["max"].as_f64()
        ),
        (&Value::from(4), Some(values[0]), Some(values[3]))
    );
    let mean = values.iter().sum::<f64>() / 4.0;
    assert!((goodput["mean"].as_f64().expect("a mean") / mean - 1.0).abs() < 1e-12);
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let sd = (squares / 3.0).sqrt();
    assert!((goodput["sd"].as_f64().expect("a deviation") / sd - 1.0).abs() < 1e-9);
    // t(0.975, 3) = 3.182.
    let half = goodput["ci95"].as_f64().expect("an interval");
    assert!((half / (3.182_446 * sd / 2.0) - 1.0).abs() < 1e-6, "{half}");
    let folder = with_small();
    let text = farpath_in(folder.path(), &["run", "small.toml", "--repeat", "4"])
        .exits(0)
        .out;
    assert!(text.contains("4 repeats, each with its own seed"), "{text}");
    assert!(
        text.contains("mean") && text.contains("std") && text.contains("goodput, Mbit/s"),
        "{text}"
    );
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    assert!(run(&[]).get("repeats").is_none());
}

/// Of transfers that lose every second frame some give up: their repeats have no goodput, and the mean is said to be of the others.
#[test]
fn repeats_that_did_not_end_are_counted() {
    let folder = with_small();
    let half = SMALL
        .replace("loss = 0.001", "loss = 0.55")
        .replace("duration = \"2 s\"", "bytes = \"3 kB\"");
    let half = half.split("[[expect]]").next().unwrap_or_default();
    std::fs::write(folder.path().join("half.toml"), half).expect("writable");
    let half = [
        "run",
        "half.toml",
        "--only",
        "bulk",
        "--simulate",
        "--repeat",
        "20",
    ];
    let text = farpath_in(folder.path(), &half).out;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains(
            "of 20 repeats did not come to an end and have none; the mean is of the others"
        ),
        "{text}"
    );
}

#[test]
fn one_instant_at_a_time_gives_the_same_document() {
    assert_eq!(run(&["--event-by-event"]), run(&[]));
}

#[test]
fn a_sweep_has_one_record_for_each_point() {
    let folder = with_small();
    let sweep = format!(
        "{SMALL}\n[sweep]\n\"link.rb.delay\" = [\"1 ms\", \"5 ms\"]\n\"test.bulk.parallel\" = [1, 2]\n"
    );
    let sweep = sweep.replace("min = \"10 ms\"", "min = \"2 ms\"");
    std::fs::write(folder.path().join("sweep.toml"), sweep).expect("writable");
    let ran = farpath_in(
        folder.path(),
        &["run", "sweep.toml", "--json", "--simulate"],
    )
    .exits(0);
    let document = document(&ran.out);
    let points: Vec<String> = records(&document, "simulated")
        .iter()
        .filter(|r| r["test"] == "bulk")
        .map(|r| {
            format!(
                "{} {}",
                r["point"]["link.rb.delay"], r["point"]["test.bulk.parallel"]
            )
        })
        .collect();
    // The last key varies fastest.
    let wanted = [
        "\"1 ms\" \"1\"",
        "\"1 ms\" \"2\"",
        "\"5 ms\" \"1\"",
        "\"5 ms\" \"2\"",
    ];
    assert_eq!(points, wanted);
}

#[test]
fn a_swept_key_that_is_set_is_swept_no_more() {
    let folder = with_small();
    let sweep = format!(
        "{SMALL}\n[sweep]\n\"link.rb.delay\" = [\"1 ms\", \"5 ms\"]\n\n[[expect]]\nmetric = \"bulk.rtos\"\n\
         at = {{ \"link.rb.delay\" = \"5 ms\" }}\nmin = 1\n"
    );
    let sweep = sweep.replace("min = \"10 ms\"", "min = \"2 ms\"");
    std::fs::write(folder.path().join("sweep.toml"), sweep).expect("writable");
    let run = |sets: &[&str]| {
        let args = [&["run", "sweep.toml", "--json", "--simulate"], sets].concat();
        farpath_in(folder.path(), &args)
    };
    // What is expected of the point that is left out is not asked for.
    let ran = run(&["--set", "link.rb.delay=1 ms"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("leaves out their points"), "{}", ran.err);
    let document = document(&ran.out);
    let bulk = records(&document, "simulated");
    let points: Vec<String> = bulk
        .iter()
        .filter(|r| r["test"] == "bulk")
        .map(|r| r["point"]["link.rb.delay"].to_string())
        .collect();
    assert_eq!(points, ["\"1 ms\""]);
    run(&["--set", "link.rb.delay=5 ms"]).exits(1);
}

/// Keys that advance together make as many points as each has values, and `--set` of one takes the step whole.
#[test]
fn keys_of_a_sweep_advance_together() {
    let folder = with_small();
    let sweep = format!(
        "{SMALL}\n[sweep]\n\"test.bulk.cc\" = [\"reno\", \"cubic\"]\n\n[[sweep.together]]\n\
         \"link.rb.delay\" = [\"1 ms\", \"5 ms\", \"6 ms\"]\n\"test.bulk.parallel\" = [1, 2, 2]\n"
    );
    let sweep = sweep.replace("min = \"10 ms\"", "min = \"2 ms\"");
    std::fs::write(folder.path().join("sweep.toml"), sweep).expect("writable");
    let points = |sets: &[&str]| -> Vec<String> {
        let args = [&["run", "sweep.toml", "--json", "--predict"], sets].concat();
        let ran = farpath_in(folder.path(), &args);
        let document = document(&ran.out);
        let point = |key: &str, r: &Value| r["point"][key].as_str().map(str::to_owned);
        records(&document, "predicted")
            .iter()
            .filter(|r| r["test"] == "bulk")
            .map(|r| {
                let keys = ["test.bulk.cc", "link.rb.delay", "test.bulk.parallel"];
                let values = keys.map(|k| point(k, r).unwrap_or_default());
                values.join(" ")
            })
            .collect()
    };
    let wanted = [
        "reno 1 ms 1",
        "reno 5 ms 2",
        "reno 6 ms 2",
        "cubic 1 ms 1",
        "cubic 5 ms 2",
        "cubic 6 ms 2",
    ];
    assert_eq!(points(&[]), wanted);
    assert_eq!(
        points(&["--set", "link.rb.delay=5 ms"]),
        ["reno 5 ms 2", "cubic 5 ms 2"]
    );
    // A value that is none of the steps leaves them to the others.
    assert_eq!(
        points(&["--set", "link.rb.delay=3 ms", "--set", "test.bulk.cc=bbr"]),
        ["bbr 3 ms 1", "bbr 3 ms 2"]
    );
}

/// A label stands for the step in results, tables and files; a single key may have one.
#[test]
fn a_label_names_the_steps_of_a_sweep() {
    let folder = with_small();
    let sweep = format!(
        "{SMALL}\n[[expect]]\nmetric = \"bulk.goodput_bps\"\nat = {{ site = \"far away\" }}\nmin = \"1 bit/s\"\n\n\
         [[sweep.together]]\nlabel.site = [\"near\", \"far away\"]\n\"link.rb.delay\" = [\"1 ms\", \"5 ms\"]\n"
    );
    let sweep = sweep.replace("min = \"10 ms\"", "min = \"2 ms\"");
    std::fs::write(folder.path().join("sweep.toml"), &sweep).expect("writable");
    let ran = |args: &[&str]| {
        let all = [&["run", "sweep.toml", "--predict"], args].concat();
        farpath_in(folder.path(), &all)
    };
    let points = |args: &[&str]| -> Vec<String> {
        let document = document(&ran(&[&["--json"], args].concat()).out);
        let of = records(&document, "predicted").into_iter();
        of.filter(|r| r["test"] == "bulk")
            .map(|r| r["point"].to_string())
            .collect()
    };
    let (near, far) = ("{\"site\":\"near\"}", "{\"site\":\"far away\"}");
    assert_eq!(points(&[]), [near, far]);
    assert_eq!(points(&["--set", "link.rb.delay=5 ms"]), [far]);
    // A value of no step has no label.
    assert_eq!(
        points(&["--set", "link.rb.delay=3 ms"]),
        ["{\"link.rb.delay\":\"3 ms\"}"]
    );
    let table = ran(&[]).out;
    assert!(
        table.contains("site") && table.contains("far away"),
        "{table}"
    );
    let refused = |from: &str, to: &str, title: &str| {
        std::fs::write(folder.path().join("sweep.toml"), sweep.replace(from, to))
            .expect("writable");
        let ran = ran(&[]);
        assert!(ran.err.contains(title), "{}", ran.err);
    };
    refused("[\"near\", ", "[", "has 2 values, and `site` has 1");
    refused("\"near\"", "\"far away\"", "has `far away` twice");
    refused(
        "label.site",
        "label",
        "`label` is not a name with a list of words",
    );
    refused(
        "at = { site = \"far away\" }",
        "at = { \"link.rb.delay\" = \"5 ms\" }",
        "`link.rb.delay` has a label",
    );
}

/// Whatever values they have: two that advance together vary alike, and of one point nothing varies.
#[test]
fn keys_of_a_sweep_are_in_the_order_of_the_file_everywhere() {
    let folder = with_small();
    let sweep = format!(
        "{SMALL}\n[sweep]\n\"test.bulk.parallel\" = [1, 2]\n\n[[sweep.together]]\n\
         \"test.bulk.cc\" = [\"reno\", \"reno\", \"cubic\"]\n\"link.rb.delay\" = [\"5 ms\", \"6 ms\", \"5 ms\"]\n"
    );
    std::fs::write(folder.path().join("sweep.toml"), sweep).expect("writable");
    let one = [
        "--set",
        "test.bulk.cc=cubic",
        "--set",
        "test.bulk.parallel=2",
    ];
    for sets in [&[][..], &one[..2], &one] {
        let args = ["run", "sweep.toml", "--predict", "--out", "found"];
        let ran = farpath_in(folder.path(), &[&args, sets].concat());
        let heads: Vec<&str> = ran
            .out
            .lines()
            .nth(2)
            .unwrap_or("")
            .split_whitespace()
            .collect();
        assert!(
            heads.join(" ").contains("parallel cc rb.delay"),
            "{}",
            ran.out
        );
        let file = |name: &str| {
            let path = folder.path().join("found").join(name);
            std::fs::read_to_string(path).expect("written")
        };
        let keys = "test.bulk.parallel,test.bulk.cc,link.rb.delay,";
        assert!(file("metrics.csv").starts_with(&format!("origin,test,{keys}repeat")));
        let page: Value = serde_json::from_str(&file("report.json")).expect("JSON");
        let names: Vec<&str> = page["keys"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|k| k["name"].as_str())
            .collect();
        assert_eq!(names, ["parallel", "cc", "rb.delay"], "of the page");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for args in [
        &["run", "cern-snaky/one-pass", "--json"][..],
        &["schema"],
        &["scenarios"],
    ] {
        let mut command = crate::farpath::command();
        command
            .args(args)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        let mut child = command.spawn().expect("the binary was built");
        drop(child.stdout.take());
        crate::farpath::ran(child.wait_with_output().expect("it ends")).exits(0);
    }
}

/// What `1bdp` comes to was in no output, and a sweep of it in no number of a table.
#[test]
fn queues_in_bdp_are_said_in_bytes() {
    let folder = with_small();
    let check = |set: &str| {
        let args = ["check", "small.toml", "--set", set];
        farpath_in(folder.path(), &args).exits(0).out
    };
    let said = check("link.rb.queue=2bdp");
    // 100 Mbit/s x 10.001 ms are 125.01 kB.
    assert!(
        said.contains("what queues hold\n\n  rb, r>b: 2bdp = 250.0"),
        "{said}"
    );
    assert!(!check("link.rb.queue=1MB").contains("what queues hold"));
    let text = format!(
        "{}[sweep]\n\"link.rb.queue\" = [\"0.5bdp\", \"1bdp\"]\n",
        crate::farpath::SMALL
    );
    std::fs::write(folder.path().join("small.toml"), text).expect("writable");
    let swept = farpath_in(folder.path(), &["check", "small.toml"])
        .exits(0)
        .out;
    assert!(swept.contains("rb, r>b: 0.5bdp = 62.5"), "{swept}");
    farpath_in(
        folder.path(),
        &["run", "small.toml", "--predict", "--out", "out"],
    )
    .exits(0);
    let csv = std::fs::read_to_string(folder.path().join("out/metrics.csv")).expect("it is there");
    let head = csv.lines().next().unwrap_or_default();
    assert!(head.ends_with(",link.rb.queue_bdp"), "{head}");
    assert!(
        csv.lines().nth(1).is_some_and(|l| l.ends_with(",0.5")),
        "{csv}"
    );
}

#[test]
fn scenarios_are_listed_and_printed_and_checked() {
    let list = farpath(&["scenarios"]).exits(0).out;
    for name in list.lines().filter(|l| !l.starts_with(' ')) {
        let text = farpath(&["scenarios", name]).exits(0).out;
        assert!(text.contains("[scenario]"), "{name}");
        let check = farpath(&["check", name]).exits(0).out;
        assert!(check.starts_with(&format!("{name}: ok\n")), "{check}");
    }
    let five = farpath(&["check", "cern-snaky/five-passes"]).exits(0).out;
    assert!(
        five.contains("    there  r04gva –ge-r04gva→ cernh5 –stm64→ ar5-chicago –ge-r04chi→ r04chi\n    back   r04chi –ge-r04chi→ ar5-chicago"),
        "{five}"
    );
    // The way of an LSP against the order of its link's `ends`.
    let folded = "–stm64 (ch5_ar5_t1_v591)→ ar5-chicago –stm64 (ar5_ch5_t2_v591)→ cernh5 –stm64";
    assert!(five.contains(folded), "{five}");
    farpath(&["check", "cern-snaky/fivepasses"])
        .exits(2)
        .says(&["did you mean `cern-snaky/five-passes`?"]);
}

#[test]
fn the_schema_is_json_schema_and_knows_the_sections() {
    let schema: Value = serde_json::from_str(&farpath(&["schema"]).exits(0).out).expect("JSON");
    assert!(
        schema["$schema"]
            .as_str()
            .expect("a text")
            .starts_with("https://json-schema.org/")
    );
    for section in [
        "scenario", "host", "router", "link", "lsp", "ccc", "test", "event", "expect", "sweep",
    ] {
        assert!(schema["properties"][section].is_object(), "{section}");
    }
}

/// Equal runs have no scatter to report, and a reader must not take 0 for a measurement.
#[test]
fn repeats_of_what_is_not_random_say_so() {
    let folder = with_small();
    let table = |more: &[&str]| {
        let run = ["run", "small.toml", "--simulate", "--only", "bulk"];
        let all = [&run[..], more].concat();
        let shown = farpath_in(folder.path(), &all).exits(0).out;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let words = "nothing in these runs is random: 3 repeats gave the same";
    let even = ["--repeat", "3", "--set", "link.rb.loss=0"];
    let shown = table(&even);
    assert!(shown.contains(words), "{shown}");
    for more in [&["--repeat", "3"][..], &["--set", "link.rb.loss=0"]] {
        let shown = table(more);
        assert!(!shown.contains("is random"), "{shown}");
    }
}
