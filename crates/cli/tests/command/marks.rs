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
    of(&format!("{held}{}", expect("bulk.rtt_average", bound))).says(&[
        "marks.toml:5:10",
        "a tcp test has no metric `rtt_average`",
        "1 error in marks.toml",
    ]);
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
        .says(&["marks.toml:2:10 judges bulky.goodput_bps: the scenario has no test `bulky`"]);
    of(&expect(
        "bulk.goodput_bps",
        "at = { \"test.bulk.cc\" = \"reno\" }\nmin = 1",
    ))
    .exits(2)
    .says(&["marks.toml:2:10 judges bulk.goodput_bps: `test.bulk.cc` is not swept"]);
    // What is demanded and not stated is said before it is handed in, and ends as the help says.
    let band = "value = \"50 Mbit/s\"\ntolerance = \"2 %\"\nstated_within = \"5 %\"";
    let unstated = of(&expect(
        "bulk.rtos",
        "min = 0\nmax = 1\nstated_within = \"5 %\"",
    ));
    assert_eq!(unstated.code, Some(2), "{}", unstated.err);
    let words = "note: not stated: marks.toml:2:10: bulk.rtos: the scenario has no expectation of its own of this\n";
    assert_eq!(unstated.err, words);
    let verdict = "small.toml: it can be run, and does not state all that --expect asks for\n";
    assert!(unstated.out.starts_with(verdict), "{}", unstated.out);
    // The scenario's own is a bound alone.
    let wide = of(&expect("bulk.goodput_bps", band)).err;
    assert!(wide.contains("at most 2.5 %"), "{wide}");
}

/// What the scenario lacks fails, and the rest is judged all the same: a missing test cost every other mark.
#[test]
fn what_a_scenario_lacks_fails_and_the_rest_is_judged() {
    let bound = "min = \"1 ms\"";
    let at = format!("at = {{ \"test.bulk.cc\" = \"reno\" }}\n{bound}");
    let marks = [
        expect("ping.rtt_avg_ns", bound),
        expect("Bulk.rtt_avg_ns", bound),
        expect("link.rbc.r>b.drops", "max = 0"),
        expect("ping.goodput_bps", "min = \"1 Mbit/s\""),
        expect("bulk.rtt_avg_ns", &at),
    ]
    .concat();
    for origin in ["--predict", "--simulate"] {
        let ran = marked(&[("marks.toml", &marks)], &["--json", origin]).exits(1);
        let document: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        let judged = document["expectations"].as_array().expect("a list").iter();
        let judged = judged.filter(|e| e["file"] == "marks.toml");
        let judged: Vec<(bool, &str)> = judged
            .map(|e| (e["pass"] == true, e["absent"].as_str().unwrap_or("")))
            .collect();
        let all = [
            (true, ""),
            (
                false,
                "the scenario has no test `Bulk`, and must have one of this name: did you mean it by `bulk`?",
            ),
            (
                false,
                "the scenario has no link `rbc`, and must have one of this name: did you mean it by `rb`?",
            ),
            (
                false,
                "`ping.goodput_bps` of the scenario: a ping has no metric `goodput_bps`",
            ),
            (false, "`test.bulk.cc` is not swept"),
        ];
        assert_eq!(judged, all, "{origin}");
    }
    let table = marked(&[("marks.toml", &marks)], &["--simulate"])
        .exits(1)
        .out;
    assert!(table.contains("marks.toml: 1 ok, 4 failed"), "{table}");
}

/// Runs `text` with these files beside it, reporting into a file that an earlier run left.
fn reported(text: &str, marks: &str, more: &[&str]) -> (Ran, String) {
    let folder = with_small();
    std::fs::write(folder.path().join("small.toml"), text).expect("writable");
    std::fs::create_dir(folder.path().join("in")).expect("writable");
    std::fs::write(folder.path().join("in/marks.toml"), marks).expect("writable");
    std::fs::write(folder.path().join("m.xml"), "the first student passes").expect("writable");
    let args = [
        "run",
        "small.toml",
        "--expect",
        "in/marks.toml",
        "--junit",
        "m.xml",
    ];
    let ran = farpath_in(folder.path(), &[&args, more].concat());
    let xml = std::fs::read_to_string(folder.path().join("m.xml")).expect("a report");
    (ran, xml)
}

/// The report of the run before stood for one that could not be run.
#[test]
fn a_run_that_cannot_begin_has_a_report_of_its_error() {
    let held = expect("ping.rtt_avg_ns", "min = \"1 ms\"");
    let small = crate::farpath::SMALL;
    let typo = small.replace("duration", "duratoin");
    for (text, marks, more, said) in [
        (
            typo.as_str(),
            held.as_str(),
            &[][..],
            "unknown key `duratoin`",
        ),
        ("[scenario\n", &held, &[], "not TOML"),
        (small, "[[expect]\n", &[], "not TOML"),
        (
            small,
            &held,
            &["--only", "none"],
            "--only none: no such test",
        ),
        (
            small,
            &held,
            &["--set", "link.rc.delay=1ms"],
            "there is no link `rc`",
        ),
    ] {
        let (ran, xml) = reported(text, marks, more);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(
            xml.contains("tests=\"1\" skipped=\"0\" errors=\"1\" failures=\"0\""),
            "{xml}"
        );
        assert!(xml.contains("<testsuite name=\"small.toml\""), "{xml}");
        assert!(
            xml.contains("<error message=\"not run: ") && xml.contains(said),
            "{xml}"
        );
    }
    // A folder that is made for the results may hold the report, too.
    let folder = with_small();
    let report = folder.path().join("new/m.xml");
    for (test, code) in [("none", 2), ("ping", 0)] {
        let args = [
            "run",
            "small.toml",
            "--simulate",
            "--out",
            "new",
            "--junit",
            "new/m.xml",
            "--only",
            test,
        ];
        let ran = farpath_in(folder.path(), &args);
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        let xml = std::fs::read_to_string(&report).expect("a report");
        assert_eq!(xml.contains("<error"), code == 2, "{xml}");
    }
    let (ran, xml) = reported(small, &held, &["--predict"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(xml.contains("classname=\"small, marks.toml\""), "{xml}");
    assert!(!xml.contains("first student"), "{xml}");
}

/// Results of an earlier run stay until there is something to put in their place, and none are left beside that.
#[test]
fn results_of_an_earlier_run_go_when_there_are_others() {
    let folder = with_small();
    let read = |name: &str| std::fs::read_to_string(folder.path().join("out").join(name));
    let records = || read("records.json").expect("they are there");
    let run = |more: &[&str]| {
        let args = ["run", "small.toml", "--simulate", "--out", "out"];
        farpath_in(folder.path(), &[&args, more].concat())
    };
    run(&[]).exits(0);
    // Nothing began: what is there is whole, and of the run that it names.
    let first = records();
    run(&["--only", "none"]).exits(2);
    assert_eq!(records(), first);
    // A search without an end to begin at is a run that does not end: what had ended is there, and says so.
    let text = std::fs::read_to_string(folder.path().join("small.toml")).expect("readable");
    let search = "\n[[search]]\nname = \"s\"\nkeys = [\"link.rb.rate\"]\nlow = \"1 Mbit/s\"\nhigh = \"2 Mbit/s\"\n\
                  metrics = [\"bulk.bytes\"]\nat_most = 1\n";
    std::fs::write(folder.path().join("small.toml"), text + search).expect("writable");
    let ran = run(&[]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    let words = "1 of 1 points, 0 of 1 searches are in out";
    assert!(ran.err.contains(words), "{}", ran.err);
    let why = "This run was stopped by an error";
    assert!(ran.out.contains(why), "{}", ran.out);
    let found: serde_json::Value = serde_json::from_str(&records()).expect("JSON");
    let stopped = &found["stopped"];
    assert_eq!(stopped["searches"]["of"], 1, "{stopped}");
    let says = |text: Option<&str>| text.is_some_and(|t| t.contains("search `s`"));
    assert!(says(stopped["why"].as_str()), "{stopped}");
    let names = crate::farpath::names(&folder.path().join("out"));
    assert!(names.iter().all(|n| !n.ends_with(".part")), "{names:?}");
    for name in ["report.html", "report.json"] {
        assert!(read(name).expect("written").contains(why), "{name}");
    }
    // The same of a sweep: how to go on is said.
    let swept = "\n[sweep]\n\"link.rb.delay\" = [\"5 ms\", \"6 ms\"]\n";
    let text = format!("{}{search}{swept}", crate::farpath::SMALL);
    std::fs::write(folder.path().join("small.toml"), text).expect("writable");
    let ran = run(&["--json"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    crate::shape::document(&ran.out);
    let words = "2 of 2 points, 0 of 1 searches are in out";
    assert!(ran.err.contains(words), "{}", ran.err);
}

/// Whoever goes on has what had ended; another run is refused, and a whole one leaves nothing to go on with.
#[test]
fn a_stopped_run_goes_on_from_its_folder() {
    let folder = with_small();
    let at = |name: &str| folder.path().join(name);
    let text = std::fs::read_to_string(at("small.toml")).expect("readable");
    // Nothing holds at the low end: an error behind the only point.
    let search = "\n[[search]]\nname = \"s\"\nkeys = [\"link.rb.rate\"]\nlow = \"1 Mbit/s\"\nhigh = \"2 Mbit/s\"\n\
                  metrics = [\"bulk.bytes\"]\nat_most = 1\n";
    std::fs::write(at("small.toml"), text + search).expect("writable");
    let run = |code: i32, more: &[&str]| {
        let args = ["run", "small.toml", "--simulate", "--out", "out"];
        let ran = farpath_in(folder.path(), &[&args, more].concat());
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        ran.err
    };
    let records = || std::fs::read_to_string(at("out/records.json")).expect("they are there");
    let fresh = run(2, &["--resume"]);
    assert!(
        fresh.contains("note: --resume: out has no resume.json"),
        "{fresh}"
    );
    let first = records();
    let again = run(2, &["--resume"]);
    let taken = "note: --resume: 1 run that had ended is taken from out";
    assert!(again.contains(taken), "{again}");
    assert_eq!(records(), first);
    for (option, value, words) in [
        ("--seed", "9", "is of seed 1"),
        (
            "--only",
            "bulk",
            "is of a run without options such as --only",
        ),
        ("--set", "link.rb.delay=6ms", "is of another scenario"),
    ] {
        let refused = run(2, &["--resume", option, value]);
        assert!(refused.contains(words), "{refused}");
    }
    assert_eq!(records(), first);
    run(0, &["--only", "bulk"]);
    assert!(!at("out/resume.json").exists());
    std::fs::write(at("out/resume.json"), "{").expect("writable");
    let broken = run(3, &["--resume"]);
    assert!(broken.contains("read out/resume.json"), "{broken}");
}

/// What was built and what was answered have verdicts of their own.
#[test]
fn a_verdict_says_whether_the_figure_or_the_answer_is_wrong() {
    let band = |value: &str| {
        let bound = format!("value = \"{value}\"\ntolerance = \"60 %\"\nstated_within = \"5 %\"");
        expect("ping.rtt_max_ns", &bound)
    };
    let own = |text: &str| {
        format!(
            "{}\n{}",
            crate::farpath::SMALL,
            expect("ping.rtt_max_ns", text)
        )
    };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let small = crate::farpath::SMALL;
    let more = ["--simulate", "--only", "ping"];
    let (ran, xml) = reported(small, &band("10 ms"), &more);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.contains("marks.toml not stated\n"), "{}", ran.out);
    assert!(!ran.out.contains("marks.toml FAIL"), "{}", ran.out);
    assert!(
        xml.contains("<failure message=\"not stated: the scenario has no expectation"),
        "{xml}"
    );
    let stated = own("value = \"90 ms\"\ntolerance = \"2 %\"");
    let (ran, xml) = reported(&stated, &band("90 ms"), &more);
    assert!(ran.out.contains("marks.toml FAIL\n"), "{}", ran.out);
    assert!(xml.contains("<failure message=\"actual"), "{xml}");
    let (ran, xml) = reported(
        &own("value = \"80 ms\"\ntolerance = \"2 %\""),
        &band("90 ms"),
        &more,
    );
    assert!(
        words(&ran.out).contains("marks.toml FAIL and not stated"),
        "{}",
        ran.out
    );
    // One prefix, whether the figure is inside or outside, and the student's own band alone.
    let wrong = "your answer, 78.4 ms to 81.6 ms, is not it";
    let message = format!("<failure message=\"not stated: {wrong}; outside the band: actual");
    assert!(
        xml.replace(".400 ms", ".4 ms")
            .replace(".600 ms", ".6 ms")
            .contains(&message),
        "{xml}"
    );
    assert!(!xml.contains("unstated"), "{xml}");
}

/// What the scenario expects itself is the student's answer: a wrong tolerance of it failed whoever the marks let pass.
#[test]
fn marks_alone_can_decide() {
    let answer = "value = \"10 ms\"\ntolerance = \"0.0001 %\"";
    let text = format!(
        "{}\n{}",
        crate::farpath::SMALL,
        expect("ping.rtt_max_ns", answer)
    );
    let bound = "value = \"10 ms\"\ntolerance = \"60 %\"\nstated_within = \"5 %\"";
    let marks = expect("ping.rtt_max_ns", bound);
    let more = ["--simulate", "--only", "ping", "--marks-only"];
    let (ran, xml) = reported(&text, &marks, &more[..3]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(xml.contains("classname=\"small\""), "{xml}");
    let (ran, xml) = reported(&text, &marks, &more);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("\n1 figure judged: 1 ok, 0 failed\n"),
        "{}",
        ran.out
    );
    assert!(!xml.contains("classname=\"small\""), "{xml}");
    assert!(xml.contains("classname=\"small, marks.toml\""), "{xml}");
    // Who states nothing fails as before.
    let (ran, _) = reported(crate::farpath::SMALL, &marks, &more);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let folder = with_small();
    let args = ["run", "small.toml", "--marks-only"];
    farpath_in(folder.path(), &args)
        .exits(2)
        .says(&["--expect"]);
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
    let several = |bands: &[&str]| {
        let all: Vec<String> = bands.iter().map(|b| expect("bulk.bytes", b)).collect();
        lacks(&all.concat()).unwrap_or_default()
    };
    let right = "value = \"1.01 MB\"\ntolerance = \"2.4 %\"";
    assert!(several(&[right, "value = \"2 MB\""]).contains("has 2 expectations of this"));
    let not_here = format!("origins = [\"emulated\"]\n{right}");
    assert!(several(&[&not_here]).contains("leave out what is judged"));
    // Without a tolerance it is an answer, too, right or wrong.
    assert_eq!(several(&["value = \"1.01 MB\""]), "");
    assert!(several(&["value = \"1.2 MB\""]).contains(", is not it"));
    let said = |lack: Option<String>| lack.unwrap_or_default();
    assert!(said(lacks("")).contains("no expectation of its own"));
    assert!(said(own("min = \"1 kB\"\nmax = \"900 MB\"")).contains("wider than 5 %"));
    assert!(said(own("min = \"1 kB\"")).contains("wider than 5 %"));
    let beside = own("value = \"2 MB\"\ntolerance = \"1 %\"");
    assert!(said(beside).contains(", is not it"));
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

/// It ended with 1, and neither the table nor the report named it.
#[test]
fn what_is_on_an_origin_that_did_not_run_is_not_measured() {
    let of = |origins: &str| {
        let bound = format!("min = \"1 Mbit/s\"\norigins = [\"{origins}\"]");
        expect("bulk.goodput_bps", &bound)
    };
    let more = ["--predict"];
    let (ran, xml) = reported(crate::farpath::SMALL, &of("emulated"), &more);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let words: Vec<&str> = ran.out.split_whitespace().collect();
    let said = words.join(" ");
    assert!(
        said.contains("FAIL bulk.goodput_bps, emulated: no such result (not measured"),
        "{said}"
    );
    assert!(said.contains("add --emulate"), "{said}");
    let name = "name=\"bulk.goodput_bps (emulated)\"";
    assert!(xml.contains(name) && xml.contains("add --emulate"), "{xml}");
    // The scenario's own is skipped, and said.
    let text = format!("{}\n{}", crate::farpath::SMALL, of("simulated"));
    let marks = expect("bulk.goodput_bps", "min = \"1 kbit/s\"");
    let (ran, xml) = reported(&text, &marks, &more);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err
            .contains("not judged: 1; bulk.goodput_bps, not measured"),
        "{}",
        ran.err
    );
    assert!(
        xml.contains("skipped=\"1\"") && xml.contains("add --simulate"),
        "{xml}"
    );
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
