//! What `--out`, `--junit` and `farpath new` write, and that nothing is written by halves.

use std::fs;
use std::path::Path;

use crate::farpath::{SMALL, farpath, farpath_in, names, with_small};
use crate::shape::document;

const FILES: [&str; 7] = [
    "links.csv",
    "metrics.csv",
    "records.json",
    "report.html",
    "report.json",
    "scenario.resolved.toml",
    "series.csv",
];

/// `aqm = "red"` ran with values that stood nowhere.
#[test]
fn what_manages_a_queue_is_written_with_every_value() {
    let folder = with_small();
    let set = ["--set", "link.rb.aqm=red"];
    let line = "link rb, r to b: red = { min = \"83.333 kB\", max = \"250 kB\", max_p = 0.1, weight = 0.002, gentle = true, ecn = false }";
    let checked = farpath_in(
        folder.path(),
        &[&["check", "small.toml"], &set[..]].concat(),
    );
    assert!(checked.exits(0).out.contains(line));
    let run = |args: &[&str]| farpath_in(folder.path(), args).exits(0).out;
    let first = run(&[&["run", "small.toml", "--out", "q", "--json"], &set[..]].concat());
    let again = run(&["run", "q/scenario.resolved.toml", "--out", "r", "--json"]);
    let read = |of: &str| fs::read_to_string(folder.path().join(of).join("scenario.resolved.toml"));
    let text = read("q").expect("it was written");
    assert!(text.ends_with(&format!("# {line}\n")), "{text}");
    assert_eq!(read("r").expect("it was written"), text);
    let sha = |text: &str| document(text)["scenario_sha256"].clone();
    assert_eq!(
        sha(&first),
        sha(&again),
        "the comments leave the scenario as it is"
    );
}

#[test]
fn out_holds_the_records_the_series_the_scenario_and_the_page() {
    let folder = with_small();
    let args = [
        "run",
        "small.toml",
        "--out",
        "deep/out",
        "--set",
        "link.rb.delay=5.5 ms",
        "--json",
    ];
    let ran = farpath_in(folder.path(), &args).exits(0);
    let out = folder.path().join("deep/out");
    assert_eq!(names(&out), FILES);
    let read = |name: &str| fs::read_to_string(out.join(name)).expect("it was written");
    assert_eq!(document(&read("records.json")), document(&ran.out));
    let resolved = read("scenario.resolved.toml");
    assert!(resolved.contains("delay = \"5.5 ms\""), "{resolved}");
    assert_eq!(
        resolved,
        SMALL.replace("delay = \"5 ms\"", "delay = \"5.5 ms\"")
    );
    // What was run can be run again, and is the same.
    let again = farpath_in(&out, &["run", "scenario.resolved.toml", "--json"]).exits(0);
    assert_eq!(
        document(&again.out)["records"],
        document(&ran.out)["records"]
    );
    let series = read("series.csv");
    let mut lines = series.lines();
    assert_eq!(lines.next(), Some("origin,test,repeat,series,t_ns,v,valid"));
    assert!(lines.all(|l| l.split(',').count() == 7), "{series}");
    let metrics = read("metrics.csv");
    let mut lines = metrics.lines();
    assert_eq!(
        lines.next(),
        Some("origin,test,repeat,metric,value,unit,valid")
    );
    let goodput = |l: &&str| l.starts_with("simulated,") && l.contains(",goodput_bps,");
    assert!(
        lines
            .clone()
            .filter(goodput)
            .all(|l| l.ends_with(",bit/s,true")),
        "{metrics}"
    );
    let records = document(&ran.out)["records"].clone();
    let count = |r: &serde_json::Value| r["metrics"].as_object().map_or(0, |m| m.len());
    let all: usize = records.as_array().expect("a list").iter().map(count).sum();
    assert_eq!(lines.count(), all, "{metrics}");
    let links = read("links.csv");
    assert!(
        links.contains("\nsimulated,rb,r>b,0,drops.error,") && links.contains(",rate_mean_bps,"),
        "{links}"
    );
    let page = read("report.html");
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"));
    assert!(
        !page.contains("src=\"http") && !page.contains("href=\"http"),
        "it stands alone"
    );
    let data: serde_json::Value = serde_json::from_str(&read("report.json")).expect("JSON");
    assert_eq!(data["topology"]["links"].as_array().map(Vec::len), Some(2));
}

#[test]
fn figures_are_files_that_need_nothing_else() {
    let folder = with_small();
    let run = ["run", "small.toml", "--out", "out"];
    farpath_in(folder.path(), &run).exits(0);
    farpath_in(folder.path(), &["figures", "out"]).exits(0);
    let figures = folder.path().join("out/figures");
    let files = names(&figures);
    assert!(files.iter().any(|f| f.contains("goodput")), "{files:?}");
    for file in &files {
        let text = fs::read_to_string(figures.join(file)).expect("it was written");
        assert!(text.starts_with("<svg xmlns="), "{file}: {text}");
        for other in ["class=", "var(", "NaN", "undefined"] {
            assert!(!text.contains(other), "{file}: {other}");
        }
    }
    let some = [
        "figures",
        "out/report.json",
        "--name",
        "path",
        "--into",
        "x",
    ];
    farpath_in(folder.path(), &some).exits(0);
    let paths = files.iter().filter(|f| f.contains("path")).count();
    assert_eq!(names(&folder.path().join("x")).len(), paths);
    farpath_in(folder.path(), &["figures", "nowhere"])
        .exits(2)
        .says(&["nowhere", "--out"]);
    // A title of one's own, a span of time, and what cannot be had.
    let titled = [
        "figures",
        "out",
        "--name",
        "goodput",
        "--title",
        "My lesson",
        "--from",
        "0.2s",
        "--to",
        "500ms",
        "--into",
        "z",
    ];
    farpath_in(folder.path(), &titled).exits(0);
    let goodput = names(&folder.path().join("z"));
    let text = fs::read_to_string(folder.path().join("z").join(&goodput[0])).expect("written");
    assert!(
        text.contains(">My lesson<") && text.contains(">0.3<") && !text.contains(">0.1<"),
        "{text}"
    );
    let whole = fs::read_to_string(figures.join(&goodput[0])).expect("written");
    assert!(whole.contains(">small: Goodput<"), "{whole}");
    assert!(
        whole.contains("height=\"100%\" fill=\"#ffffff\"/>"),
        "{whole}"
    );
    // For a beamer: the same on a dark ground, and no text in the colour of ink.
    farpath_in(
        folder.path(),
        &["figures", "out", "--dark", "--into", "dark"],
    )
    .exits(0);
    let dark = fs::read_to_string(folder.path().join("dark").join(&goodput[0])).expect("written");
    assert!(
        dark.contains("height=\"100%\" fill=\"#14171b\"/>"),
        "{dark}"
    );
    assert!(
        !dark.contains("#1b1f24") && !dark.contains("#ffffff"),
        "{dark}"
    );
    for (more, words) in [
        (
            &["--from", "3s", "--to", "2s"][..],
            &["--from 3s --to 2s", "no time is between them"][..],
        ),
        (&["--from", "1h"], &["--from 1h", "ends at "]),
        (
            &["--x-range", "1MiB..2MiB"],
            &["--x-range 1MiB..2MiB", "nothing was swept"],
        ),
        (&["--x-range", "1MiB"], &["two values are wanted"]),
        (
            &["--y-range", "1MiB"],
            &["two values are wanted", "--y-range 0.."],
        ),
        (
            &["--y-range", "0..1ms"],
            &["--y-range 0..1ms", "nothing was swept"],
        ),
        (&["--rename", "queue"], &["two texts are wanted"]),
        (
            &["--rename", "queue=buffer"],
            &[
                "--rename 'queue=buffer'",
                "no figure of a sweep has the text queue",
            ],
        ),
        (&["--from", "2"], &["--from 2"]),
    ] {
        let args = [&["figures", "out", "--into", "y"], more].concat();
        farpath_in(folder.path(), &args).exits(2).says(words);
    }
    // Nothing written is a failure.
    let none = ["figures", "out", "--name", "goodptu", "--into", "y"];
    farpath_in(folder.path(), &none).exits(2).says(&[
        "--name goodptu: no figure",
        "there are",
        "small-path-",
    ]);
    assert!(!folder.path().join("y").exists());
}

#[test]
fn published_laws_are_drawn_where_they_are_asked_for() {
    let folder = with_small();
    let course = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/course/solutions");
    let losses = course.join("wan-2003-4.toml").display().to_string();
    let run = ["run", &losses, "--predict", "--out", "losses"];
    farpath_in(folder.path(), &run).exits(0);
    let report = fs::read_to_string(folder.path().join("losses/report.json")).expect("written");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let laws = report["laws"].as_array().expect("laws");
    let mathis = laws.iter().find(|l| l["name"] == "mathis").expect("Mathis");
    let parts = mathis["curves"][0]["parts"].as_array().expect("parts");
    let at =
        |part: &serde_json::Value, n: usize| Some((part["x"][n].as_f64()?, part["y"][n].as_f64()?));
    // 8 MSS / RTT √(3/2) / √p, where frames take a little of the round trip.
    for (part, n, loss) in [
        (&parts[0], 0, 1e-4),
        (
            &parts[1],
            parts[1]["x"].as_array().map_or(0, Vec::len) - 1,
            0.1,
        ),
    ] {
        let (x, y) = at(part, n).expect("a point");
        let wanted = 1448.0 * 80.0 * (1.5_f64 / loss).sqrt();
        assert!(
            (x - loss).abs() < 1e-9 && (y / wanted - 1.0).abs() < 0.01,
            "{x} {y} {wanted}"
        );
    }
    assert!(parts[0]["holds"] == true && parts[1]["holds"] == false);
    let drawn = |more: &[&str], into: &str| {
        let args = [
            &["figures", "losses", "--name", "goodput", "--into", into][..],
            more,
        ]
        .concat();
        farpath_in(folder.path(), &args).exits(0);
        let name = names(&folder.path().join(into)).remove(0);
        fs::read_to_string(folder.path().join(into).join(name)).expect("written")
    };
    let two = drawn(&["--law", "mathis", "--law", "pftk"], "two");
    assert!(
        two.contains("Mathis et al. 1997") && two.contains(": PFTK 1998<"),
        "{two}"
    );
    assert!(!two.contains("Kelly") && !drawn(&[], "none").contains("Mathis"));
    // All are those of Reno, which this test has; others have to be named.
    let all = drawn(&["--law", "all"], "all");
    assert!(all.contains(": PFTK 1998<") && !all.contains("Kelly") && !all.contains("CUBIC"));
    assert!(drawn(&["--law", "scalable"], "kelly").contains("Kelly"));
    // What is not there says why.
    farpath_in(folder.path(), &["run", "small.toml", "--out", "out"]).exits(0);
    for (args, words) in [
        (
            ["losses", "mathsi"],
            &["mathsi", "mathis", "pftk-delack"][..],
        ),
        (
            ["losses", "window"],
            &["--law window", "does not change over", "cubic"],
        ),
        (["out", "mathis"], &["--law mathis", "nothing was swept"]),
    ] {
        let args = ["figures", args[0], "--law", args[1], "--into", "y"];
        farpath_in(folder.path(), &args).exits(2).says(words);
    }
}

#[test]
fn a_second_run_replaces_the_first() {
    let folder = with_small();
    for (seed, delay) in [("1", "5 ms"), ("2", "5.9 ms")] {
        let set = format!("link.rb.delay={delay}");
        farpath_in(
            folder.path(),
            &[
                "run",
                "small.toml",
                "--out",
                "out",
                "--seed",
                seed,
                "--set",
                &set,
            ],
        )
        .exits(0);
        let out = folder.path().join("out");
        assert_eq!(names(&out), FILES);
        let records = fs::read_to_string(out.join("records.json")).expect("it was written");
        assert_eq!(document(&records)["seed"].to_string(), seed);
    }
}

#[test]
fn a_tapped_link_is_captured() {
    let folder = with_small();
    let args = [
        "run",
        "small.toml",
        "--out",
        "out",
        "--only",
        "ping",
        "--set",
        "link.rb.tap=true",
    ];
    farpath_in(folder.path(), &args).exits(0);
    let capture = fs::read(folder.path().join("out/rb.pcapng")).expect("it was written");
    // A section header block in this machine's byte order.
    assert_eq!(capture[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
    let report = fs::read_to_string(folder.path().join("out/report.json")).expect("it was written");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["captures"][0]["file"], "rb.pcapng");
    assert!(
        report["captures"][0]["page"].is_null(),
        "pings have no page"
    );
}

#[test]
fn the_page_of_a_run_leads_to_the_page_of_each_capture() {
    let folder = with_small();
    let set = ["--set", "link.rb.tap=true"];
    let run = ["run", "small.toml", "--simulate", "--out", "out"];
    farpath_in(folder.path(), &[&run[..], &set].concat()).exits(0);
    let read = |name: &str| {
        fs::read_to_string(folder.path().join("out").join(name)).expect("it was written")
    };
    let report: serde_json::Value = serde_json::from_str(&read("report.json")).expect("JSON");
    let capture = &report["captures"][0];
    assert_eq!(capture["link"], "rb");
    assert_eq!(capture["origin"], "simulated");
    let page = read(capture["page"].as_str().expect("it has a TCP connection"));
    assert!(page.contains("farpath.trace-page/1"));
    assert!(page.contains("\"name\":\"rb.pcapng\""));
}

#[test]
fn a_captured_connection_is_judged_beside_the_others_and_compared() {
    let folder = with_small();
    let run = ["run", "small.toml", "--simulate", "--out"];
    let tapped = ["out", "--set", "link.rb.tap=true"];
    farpath_in(folder.path(), &[&run[..], &tapped].concat()).exits(0);
    let captured = ["beside", "--captured", "bulk=out/rb.pcapng"];
    let ran = farpath_in(folder.path(), &[&run[..], &captured].concat()).exits(0);
    assert!(ran.out.contains("captured"), "{}", ran.out);
    let text =
        fs::read_to_string(folder.path().join("beside/records.json")).expect("it was written");
    let all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let of = |origin: &str| {
        let records = all["records"].as_array().expect("a list");
        let found = records
            .iter()
            .find(|r| r["origin"] == origin && r["test"] == "bulk");
        found.expect("a record")["metrics"]["bytes"]
            .as_f64()
            .expect("a number")
    };
    let (sent, seen) = (of("simulated"), of("captured"));
    assert!((seen / sent - 1.0).abs() < 0.01, "{seen} of {sent}");
    let judged = all["expectations"].as_array().expect("a list");
    let own: Vec<_> = judged
        .iter()
        .filter(|e| e["origin"] == "captured")
        .collect();
    assert!(
        !own.is_empty() && own.iter().all(|e| e["pass"] == true),
        "{judged:?}"
    );
    let compared = farpath_in(folder.path(), &["compare", "beside/records.json"]).exits(0);
    assert!(compared.out.contains("captured"), "{}", compared.out);
}

/// A connection that was slow before it was measured: of the same one both say the same.
#[test]
fn a_captured_connection_is_measured_in_the_span_of_its_test() {
    let folder = with_small();
    let run = ["run", "small.toml", "--simulate", "--only", "bulk", "--set"];
    let test = ["test.bulk.omit=2s", "--set", "link.rb.loss=0.01", "--out"];
    let run = [&run[..], &test].concat();
    let tapped = ["out", "--set", "link.rb.tap=true"];
    farpath_in(folder.path(), &[&run[..], &tapped].concat()).exits(0);
    let goodputs = |out: &str, more: &[&str]| {
        let captured = [out, "--captured", "bulk=out/rb.pcapng"];
        let ran = farpath_in(folder.path(), &[&run[..], &captured, more].concat()).exits(0);
        let text = fs::read_to_string(folder.path().join(out).join("records.json"));
        let all: serde_json::Value = serde_json::from_str(&text.expect("written")).expect("JSON");
        let of = |origin: &str| {
            let records = all["records"].as_array().expect("a list");
            let found = records.iter().find(|r| r["origin"] == origin);
            found.and_then(|r| r["metrics"]["goodput_bps"].as_f64())
        };
        let both = ["simulated", "captured"].map(|origin| of(origin).expect("a number"));
        (
            both,
            ran.out.split_whitespace().collect::<Vec<_>>().join(" "),
        )
    };
    let ([sent, seen], said) = goodputs("beside", &[]);
    assert!((seen / sent - 1.0).abs() < 0.03, "{seen} of {sent}");
    let span = "measured from 2 s to 4 s of the connection, as the test is";
    assert!(said.contains(span), "{said}");
    let (_, said) = goodputs("longer", &["--set", "test.bulk.duration=9s"]);
    let span = "the test is measured from 2 s to 11 s";
    assert!(said.contains(span), "{said}");
}

#[test]
fn junit_tells_passed_from_failed() {
    let folder = with_small();
    let strict = SMALL.replace("min = \"1 Mbit/s\"", "min = \"99 Mbit/s\"");
    fs::write(folder.path().join("strict.toml"), strict).expect("writable");
    farpath_in(
        folder.path(),
        &["run", "strict.toml", "--simulate", "--junit", "j.xml"],
    )
    .exits(1);
    let xml = fs::read_to_string(folder.path().join("j.xml")).expect("it was written");
    assert!(xml.starts_with("<?xml"), "{xml}");
    assert_eq!(xml.matches("<testcase").count(), 2, "{xml}");
    assert_eq!(xml.matches("<failure").count(), 1, "{xml}");
    assert!(xml.contains("bulk.goodput_bps"), "{xml}");
    assert_eq!(names(folder.path()), ["j.xml", "small.toml", "strict.toml"]);
}

/// Two commands of one job that write to the same file: the first report is lost, and nobody would see it fail.
#[test]
fn a_report_in_the_place_of_another_runs_is_said() {
    let folder = with_small();
    let other = SMALL.replace("name = \"small\"", "name = \"other\"");
    fs::write(folder.path().join("other.toml"), other).expect("writable");
    let run = |file: &str, more: &[&str]| {
        let args = [&["run", file, "--simulate", "--junit", "j.xml"], more].concat();
        farpath_in(folder.path(), &args)
    };
    run("small.toml", &[]).exits(0);
    run("small.toml", &[]).exits(0);
    let said = run("other.toml", &[]);
    let words = "j.xml held the report of another run, `small`, and has this one's now: give each run a file of its own";
    assert_eq!(said.code, Some(0));
    assert!(said.err.contains(words), "{}", said.err);
    // One that could not be read is the same run.
    run("other.toml", &["--set", "link.none.rate=1Gbit/s"]).exits(2);
    run("other.toml", &[]).exits(0);
}

/// The path of `lab run` goes on as a scenario.
#[test]
fn the_path_of_a_lab_is_printed_as_a_scenario_that_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = [
        "lab", "run", "--rtt", "80ms", "--rate", "20Mbit/s", "--loss", "1%",
    ];
    let printed = farpath_in(folder.path(), &[&path[..], &["--print-scenario"]].concat());
    let printed = printed.exits(0).out;
    fs::write(folder.path().join("path.toml"), printed).expect("writable");
    farpath_in(folder.path(), &["check", "path.toml"]).exits(0);
    farpath_in(folder.path(), &["run", "path.toml", "--predict"]).exits(0);
    let wrong = [&path[..], &["--loss", "2", "--print-scenario"]].concat();
    assert!(
        farpath_in(folder.path(), &wrong)
            .code
            .is_some_and(|code| code > 1)
    );
    let both = ["lab", "run", "cern-snaky/one-pass", "--print-scenario"];
    farpath_in(folder.path(), &both).exits(125);
}

#[test]
fn what_cannot_be_written_is_exit_3_before_anything_runs() {
    let folder = with_small();
    let run = |args: &[&str]| {
        let mut all = vec!["run", "small.toml"];
        all.extend(args);
        // A run of a thousand repeats would be noticed.
        all.extend(["--repeat", "10000"]);
        farpath_in(folder.path(), &all).exits(3)
    };
    // A file where a folder is wanted: nobody, not even root, can write below it.
    run(&["--out", "small.toml/out"]).says(&["create folder small.toml/out", "hint: "]);
    run(&["--out", "small.toml"]).says(&["create folder small.toml", "hint: "]);
    run(&["--junit", "nowhere/j.xml"]).says(&["write nowhere/j.xml", "hint: "]);
    run(&["--junit", "."]).says(&["write .", "hint: "]);
    run(&["--out", "out", "--junit", "nowhere/j.xml"]).says(&["write nowhere/j.xml"]);
    let left: Vec<String> = names(folder.path())
        .into_iter()
        .filter(|n| n != "out")
        .collect();
    assert_eq!(left, ["small.toml"]);
    assert_eq!(
        fs::read_to_string(folder.path().join("small.toml")).expect("still there"),
        SMALL
    );
    if folder.path().join("out").exists() {
        assert!(names(&folder.path().join("out")).is_empty());
    }
}

#[test]
fn a_run_that_fails_keeps_what_had_ended_and_reports_the_fault() {
    let folder = with_small();
    let search = "\n[[search]]\nname = \"s\"\nkeys = [\"link.rb.rate\"]\nlow = \"10 Mbit/s\"\nhigh = \"20 Mbit/s\"\nonly = [\"ping\"]\nmetrics = [\"ping.rtt_min_ns\"]\nat_most = \"1 ms\"\n";
    fs::write(
        folder.path().join("search.toml"),
        format!("{SMALL}{search}"),
    )
    .expect("writable");
    let args = ["run", "search.toml", "--out", "out", "--junit", "j.xml"];
    let ran = farpath_in(folder.path(), &args);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    for words in ["search `s`", "already the low end", "hint: "] {
        assert!(ran.err.contains(words), "{words}\n{}", ran.err);
    }
    // A report says so, and the point before the search is there.
    let xml = fs::read_to_string(folder.path().join("j.xml")).expect("a report");
    assert!(
        xml.contains("<error message=\"not run: ") && xml.contains("already the low end"),
        "{xml}"
    );
    assert_eq!(
        names(folder.path()),
        ["j.xml", "out", "search.toml", "small.toml"]
    );
    assert!(
        ran.out.contains("1 of 1 points, 0 of 1 searches"),
        "{}",
        ran.out
    );
}

#[test]
fn new_writes_a_scenario_that_runs_and_never_overwrites() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = farpath_in(folder.path(), &["new", "mine.toml"]).exits(0);
    assert!(ran.out.contains("farpath run mine.toml"), "{}", ran.out);
    let text = fs::read_to_string(folder.path().join("mine.toml")).expect("it was written");
    assert_eq!(farpath(&["new"]).exits(0).out, text);
    assert_eq!(farpath_in(folder.path(), &["new", "-"]).exits(0).out, text);
    assert!(!folder.path().join("-").exists());
    farpath_in(folder.path(), &["check", "mine.toml"]).exits(0);
    farpath_in(folder.path(), &["run", "mine.toml"]).exits(0);

    fs::write(folder.path().join("mine.toml"), "mine").expect("writable");
    farpath_in(folder.path(), &["new", "mine.toml"])
        .exits(3)
        .says(&["mine.toml", "nothing is overwritten"]);
    assert_eq!(
        fs::read_to_string(folder.path().join("mine.toml")).expect("still there"),
        "mine"
    );
    farpath_in(folder.path(), &["new", "no/such/folder.toml"])
        .exits(3)
        .says(&["no/such/folder.toml", "hint: "]);
}

/// `cern-snaky/from-config` with its files, one of them in a folder of its own, and a rate that follows a
/// trace.
fn with_files(rate: &str) -> tempfile::TempDir {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/cern-snaky/");
    let read = |name: &str| fs::read_to_string(format!("{shipped}{name}")).expect("shipped");
    let text = read("from-config.toml")
        .replace("\"ar5-chicago.conf\"", "\"us/ar5-chicago.conf\"")
        .replace(
            "delay = \"58 ms\"",
            "delay = \"58 ms\"\nrate_trace = { file = \"line.csv\" }",
        );
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("us")).expect("writable");
    for (name, text) in [
        ("s.toml", text),
        ("cernh5.conf", read("cernh5.conf")),
        ("us/ar5-chicago.conf", read("ar5-chicago.conf")),
        ("line.csv", format!("time_s,rate\n0,{rate}\n")),
    ] {
        fs::write(folder.path().join(name), text).expect("writable");
    }
    folder
}

#[test]
fn a_folder_of_results_runs_elsewhere_with_the_files_the_scenario_reads() {
    use sha2::{Digest, Sha256};
    let json = |text: &str| -> serde_json::Value { serde_json::from_str(text).expect("JSON") };
    let folder = with_files("5 Gbit/s");
    let run = ["run", "s.toml", "--only", "ping", "--json"];
    let out = [&run[..], &["--out", "out"]].concat();
    // Its notes name the file and the line of a key without effect.
    let without_places = |text: &str| {
        let mut document = json(text);
        let notes = document.as_object_mut().and_then(|d| d.remove("notes"));
        (notes.and_then(|n| n.as_array().map(Vec::len)), document)
    };
    let (said, first) = without_places(&farpath_in(folder.path(), &out).exits(0).out);
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let moved = elsewhere.path().join("moved");
    fs::rename(folder.path().join("out"), &moved).expect("one file system");
    drop(folder);
    let again = [
        "run",
        "moved/scenario.resolved.toml",
        "--only",
        "ping",
        "--json",
    ];
    let second = without_places(&farpath_in(elsewhere.path(), &again).exits(0).out);
    assert!(second == (said, first.clone()), "{:?}", second.0);
    // The hash is what the reference says.
    let hex = |bytes: &[u8]| -> String {
        let digest = Sha256::digest(bytes);
        digest.iter().map(|b| format!("{b:02x}")).collect()
    };
    let read = |name: &str| fs::read(moved.join(name)).expect("it was copied");
    let mut all = read("scenario.resolved.toml");
    for name in ["cernh5.conf", "line.csv", "us/ar5-chicago.conf"] {
        all.extend(format!("\0{name}\0{}", hex(&read(name))).bytes());
    }
    assert_eq!(first["scenario_sha256"], hex(&all));
    // Another rate in the trace, the same text of the scenario: another hash.
    let other = with_files("4 Gbit/s");
    let third = json(&farpath_in(other.path(), &run).exits(0).out);
    assert_ne!(third["scenario_sha256"], first["scenario_sha256"]);
}

#[test]
fn results_overwrite_no_file_the_scenario_reads() {
    let folder = with_files("5 Gbit/s");
    let path = |name: &str| folder.path().join(name);
    fs::rename(path("line.csv"), path("series.csv")).expect("one file system");
    let text = fs::read_to_string(path("s.toml")).expect("written");
    fs::write(path("s.toml"), text.replace("line.csv", "series.csv")).expect("writable");
    let ran = farpath_in(folder.path(), &["run", "s.toml", "--out", "."]).exits(2);
    ran.says(&["`series.csv`", "another name"]);
    let kept = fs::read_to_string(path("series.csv")).expect("still there");
    assert_eq!(kept, "time_s,rate\n0,5 Gbit/s\n");
}

/// mahimahi's own names of the two directions, and an ordinary rate the other way.
#[test]
fn a_mahimahi_trace_keeps_its_name_and_leaves_the_other_direction_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "[scenario]\nname = \"m\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[router]]\nname = \"r\"\n\
        [[link]]\nname = \"lan\"\nends = [\"a\", \"r\"]\nrate = \"1 Gbit/s\"\n\
        [[link]]\nname = \"cell\"\nends = [\"r\", \"b\"]\nrate = \"50 Mbit/s\"\ndelay = \"20 ms\"\n\
        forward.rate_trace = { file = \"lte.down\" }\n\
        [[test]]\nname = \"u\"\nkind = \"udp\"\nfrom = \"a\"\nto = \"b\"\nrate = \"20 Mbit/s\"\nduration = \"2 s\"\nsize = \"1472 B\"\n";
    fs::write(folder.path().join("m.toml"), text).expect("writable");
    // 1500 bytes a millisecond are 12 Mbit/s, a datagram takes 1538, and the first is 20 ms under way.
    fs::write(folder.path().join("lte.down"), "1\n").expect("writable");
    let run = ["run", "m.toml", "--simulate", "--json"];
    let goodput = |more: &[&str]| {
        let out = farpath_in(folder.path(), &[&run[..], more].concat())
            .exits(0)
            .out;
        let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        document["records"][0]["metrics"]["goodput_bps"]
            .as_f64()
            .expect("a rate")
            / 1e6
    };
    assert!(
        (goodput(&[]) - 12.0 * 1472.0 / 1538.0 * 0.99).abs() < 0.05,
        "{}",
        goodput(&[])
    );
    let back = ["--set", "test.u.from=b", "--set", "test.u.to=a"];
    assert!(
        (goodput(&back) - 20.0 * 0.99).abs() < 0.05,
        "{}",
        goodput(&back)
    );
}

/// Of many repeats and points series are most of what is written.
#[test]
fn series_of_repeats_can_be_left_out() {
    let folder = with_small();
    let repeats = |series: &str| -> std::collections::BTreeSet<String> {
        let args = [
            "run",
            "small.toml",
            "--simulate",
            "--repeat",
            "2",
            "--out",
            series,
            "--series",
            series,
        ];
        farpath_in(folder.path(), &args).exits(0);
        let csv = fs::read_to_string(folder.path().join(series).join("series.csv"))
            .expect("it was written");
        let page = fs::read_to_string(folder.path().join(series).join("report.json"))
            .expect("it was written");
        assert_eq!(
            page.contains("\"goodput_bps\":{\"t_ns\""),
            series != "none",
            "{series}"
        );
        let links = fs::read_to_string(folder.path().join(series).join("links.csv"))
            .expect("it was written");
        let means = links.lines().filter(|l| l.contains(",rate_mean_bps,"));
        // Two links, two directions, both repeats.
        assert_eq!(means.count(), 8, "{series}: {links}");
        csv.lines()
            .skip(1)
            .filter_map(|l| l.split(',').nth(2))
            .map(str::to_owned)
            .collect()
    };
    let of = |all: &[&str]| all.iter().map(|r| (*r).to_owned()).collect();
    assert_eq!(repeats("all"), of(&["0", "1"]));
    assert_eq!(repeats("first"), of(&["0"]));
    assert_eq!(repeats("none"), of(&[]));
}
