//! Expectations in a file of their own, for marking.

use crate::farpath::{Ran, farpath_in, with_small};

/// Runs `small.toml` with these files of expectations, and more.
fn marked(files: &[(&str, &str)], more: &[&str]) -> Ran {
    let folder = with_small();
    let mut args = vec!["run", "small.toml"];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("writable");
        args.extend(["--expect", name]);
    }
    args.extend(more);
    farpath_in(folder.path(), &args)
}

/// An expectation on `metric` with this bound.
fn expect(metric: &str, bound: &str) -> String {
    format!("[[expect]]\nmetric = \"{metric}\"\n{bound}\n")
}

#[test]
fn expectations_of_files_are_judged_beside_the_scenarios_own() {
    let held = expect("link.rb.r>b.drops", "max = 1000");
    let failed = expect("bulk.goodput_bps", "min = \"1 Gbit/s\"");
    let ran = marked(&[("a.toml", &held), ("b.toml", &failed)], &["--json"]).exits(1);
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let judged = document["expectations"].as_array().expect("a list").iter();
    let judged = judged.filter(|e| e["origin"] == "simulated");
    let judged: Vec<_> = judged
        .map(|e| (e["metric"].as_str().unwrap_or(""), e["pass"] == true))
        .collect();
    let all = [
        ("ping.rtt_avg_ns", true),
        ("bulk.goodput_bps", true),
        ("link.rb.r>b.drops", true),
        ("bulk.goodput_bps", false),
    ];
    assert_eq!(judged, all);
    assert_eq!(ran.err, "");
    // Whose expectation failed is said, though the scenario's own is of the same metric.
    let folder = with_small();
    std::fs::write(folder.path().join("b.toml"), &failed).expect("writable");
    let args = [
        "run",
        "small.toml",
        "--expect",
        "b.toml",
        "--junit",
        "j.xml",
    ];
    let said = farpath_in(folder.path(), &args).exits(1).out;
    let folded: Vec<&str> = said.split_whitespace().collect();
    assert!(folded.join(" ").contains("by b.toml"), "{said}");
    let xml = std::fs::read_to_string(folder.path().join("j.xml")).expect("a report");
    assert!(xml.contains("classname=\"small, b.toml\""), "{xml}");
    assert!(xml.contains("classname=\"small\""), "{xml}");
    // What is left out is left out of the file, too.
    let left_out = marked(&[("b.toml", &failed)], &["--only", "ping"]);
    assert_eq!(left_out.code, Some(0), "{}", left_out.err);
    assert!(
        left_out.err.contains("--only leaves out"),
        "{}",
        left_out.err
    );
    let bare = expect("bulk.goodput_bps", "min = 2400");
    let doubted = marked(&[("a.toml", &bare)], &["--predict"]);
    let words = "a.toml:3: `min = 2400` is read as 2.4 kbit/s: write the unit";
    assert!(doubted.err.contains(words), "{}", doubted.err);
}

#[test]
fn a_fault_of_a_file_of_expectations_names_file_line_and_what_is_missing() {
    let of = |text: &str| marked(&[("marks.toml", text)], &[]).exits(2);
    let held = expect("ping.rtt_avg_ns", "min = \"1 ms\"");
    let bound = "min = \"1 ms\"";
    of(&format!("{held}{}", expect("bulky.rtt_avg_ns", bound))).says(&[
        "marks.toml:5:10",
        "there is no test `bulky`",
        "did you mean `bulk`?",
        "1 error in marks.toml",
    ]);
    of(&expect("link.rc.r>b.drops", "max = 0")).says(&["marks.toml:2:10", "there is no link `rc`"]);
    let at = format!("at = {{ \"test.bulk.cc\" = \"reno\" }}\n{bound}");
    of(&expect("bulk.rtt_avg_ns", &at)).says(&["marks.toml:3:", "`test.bulk.cc` is not swept"]);
    of("[[expect]\n").says(&["marks.toml:1:", "not TOML"]);
    of(&format!("{held}[[host]]\nname = \"c\"\n")).says(&[
        "marks.toml:4:",
        "`host` beside [[expect]]",
        "the rest is the scenario's",
    ]);
    of("# nothing yet\n").says(&["marks.toml:1:", "there is no [[expect]]"]);
    let folder = with_small();
    let missing = ["run", "small.toml", "--expect", "none.toml"];
    let words = "`none.toml`: no such file\n  give a file of [[expect]] sections";
    farpath_in(folder.path(), &missing).exits(2).says(&[words]);
    let is_folder = ["run", "small.toml", "--expect", "."];
    farpath_in(folder.path(), &is_folder)
        .exits(2)
        .says(&["`.`: is a directory"]);
}

#[test]
fn check_reads_a_file_of_expectations_as_run_does() {
    let of = |text: &str| {
        let folder = with_small();
        std::fs::write(folder.path().join("marks.toml"), text).expect("writable");
        farpath_in(
            folder.path(),
            &["check", "small.toml", "--expect", "marks.toml"],
        )
    };
    let held = of(&expect("bulk.goodput_bps", "min = \"1 Mbit/s\"")).exits(0);
    assert!(held.out.contains("3 expectations"), "{}", held.out);
    let wide = "value = \"1 Mbit/s\"\ntolerance = \"150 %\"";
    let doubted = of(&expect("bulk.goodput_bps", wide));
    assert!(
        doubted
            .err
            .contains("marks.toml:4: `tolerance = \"150 %\"`"),
        "{}",
        doubted.err
    );
    of(&expect("bulky.goodput_bps", "min = 1"))
        .exits(2)
        .says(&["there is no test `bulky`"]);
}

#[test]
fn who_asks_for_a_judgement_is_told_where_nothing_is_judged() {
    let folder = with_small();
    let text = crate::farpath::SMALL;
    let without = text.split("[[expect]]").next().expect("the scenario");
    std::fs::write(folder.path().join("bare.toml"), without).expect("writable");
    let none = "note: 0 expectations judged: no [[expect]] is on what was run\n";
    let left_out = "note: expectations not judged, since --only leaves out their tests: 1\n";
    let both = format!("{left_out}{none}");
    let marks = expect("bulk.goodput_bps", "min = \"1 Mbit/s\"");
    std::fs::write(folder.path().join("marks.toml"), marks).expect("writable");
    for (more, said) in [
        (&["--junit", "run.xml"][..], none),
        (&["--expect", "marks.toml", "--only", "ping"], both.as_str()),
        (&["--expect", "marks.toml"], ""),
        (&[], ""),
    ] {
        let args = [&["run", "bare.toml", "--predict"], more].concat();
        let ran = farpath_in(folder.path(), &args);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), said), "{more:?}");
    }
}

/// What is handed in must say something itself, and nothing too wide.
#[test]
fn a_file_of_expectations_can_demand_the_students_own() {
    let marks = expect(
        "bulk.bytes",
        "value = \"1 MB\"\ntolerance = \"99.9 %\"\nstated_within = \"5 %\"",
    );
    let with = |own: &str| {
        let folder = with_small();
        let text = format!("{}\n{own}", crate::farpath::SMALL);
        std::fs::write(folder.path().join("small.toml"), text).expect("writable");
        std::fs::write(folder.path().join("marks.toml"), &marks).expect("writable");
        let args = [
            "run",
            "small.toml",
            "--only",
            "bulk",
            "--expect",
            "marks.toml",
            "--json",
        ];
        farpath_in(folder.path(), &args).out
    };
    let lacks = |own: &str| -> Option<String> {
        let document: serde_json::Value = serde_json::from_str(&with(own)).expect("JSON");
        let judged = document["expectations"].as_array().expect("a list").iter();
        let mut of_marks = judged.filter(|e| e["file"] == "marks.toml");
        of_marks
            .next()
            .and_then(|e| Some(e["unstated"].as_str()?.to_owned()))
    };
    let own = |band: &str| lacks(&expect("bulk.bytes", band));
    let said = |lack: Option<String>| lack.unwrap_or_default();
    assert!(said(lacks("")).contains("no expectation of its own"));
    assert!(said(own("min = \"1 kB\"\nmax = \"900 MB\"")).contains("wider than 5 %"));
    assert!(said(own("min = \"1 kB\"")).contains("wider than 5 %"));
    let beside = own("value = \"2 MB\"\ntolerance = \"1 %\"");
    assert!(said(beside).contains("leaves out the middle"));
    assert_eq!(own("value = \"1.01 MB\"\ntolerance = \"2.4 %\""), None);
    // A scenario that asks itself asks nobody.
    let folder = with_small();
    let text = format!("{}\n{marks}", crate::farpath::SMALL);
    std::fs::write(folder.path().join("small.toml"), text).expect("writable");
    farpath_in(folder.path(), &["check", "small.toml"])
        .exits(2)
        .says(&[
            "asks a scenario for an expectation of its own",
            "--expect FILE",
        ]);
}

#[test]
fn what_only_leaves_out_of_the_judgement_is_counted() {
    let marks = expect("bulk.goodput_bps", "min = \"1 Mbit/s\"");
    let said = marked(&[("marks.toml", &marks)], &["--only", "ping", "--predict"]).err;
    let words = "expectations not judged, since --only leaves out their tests: 2";
    assert!(said.contains(words), "{said}");
}

/// The page says by which command it can be had again.
#[test]
fn the_page_names_the_file_of_expectations() {
    let folder = with_small();
    let marks = expect("bulk.goodput_bps", "min = \"1 Mbit/s\"");
    std::fs::write(folder.path().join("marks.toml"), marks).expect("writable");
    let args = [
        "run",
        "small.toml",
        "--predict",
        "--expect",
        "marks.toml",
        "--out",
        "page",
    ];
    farpath_in(folder.path(), &args).exits(0);
    let page = std::fs::read_to_string(folder.path().join("page/report.html")).expect("a page");
    assert!(page.contains("--expect 'marks.toml'"));
}
