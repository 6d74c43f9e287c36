//! Bad input: file, line, cause and remedy, exit 2, and nothing written.

use std::fs;

use crate::farpath::{SMALL, farpath, farpath_in, names};

/// Two stitches that hand a frame round for ever.
const LOOP: &str = r#"
[[router]]
name = "s"

[[link]]
name = "rs"
ends = ["r", "s"]
rate = "100 Mbit/s"

[[lsp]]
name = "out"
path = ["r", "s"]

[[lsp]]
name = "home"
path = ["s", "r"]

[[ccc]]
name = "at_s"
kind = "lsp-switch"
router = "s"
receive_lsp = "out"
transmit_lsp = "home"

[[ccc]]
name = "at_r"
kind = "lsp-switch"
router = "r"
receive_lsp = "home"
transmit_lsp = "out"
"#;

/// What is wrong, the text replaced, its replacement, and what must be said of it.
const CASES: [(&str, &str, &str, &[&str]); 13] = [
    (
        "an unknown key",
        "delay = \"5 ms\"",
        "dealy = \"5 ms\"",
        &["dealy", "did you mean `delay`?"],
    ),
    (
        "a missing unit",
        "delay = \"5 ms\"",
        "delay = 5",
        &["unit", "ms"],
    ),
    (
        "a missing unit in quotes",
        "delay = \"5 ms\"",
        "delay = \"5\"",
        &["unit", "ms"],
    ),
    (
        "a host that does not exist",
        "ends = [\"r\", \"b\"]",
        "ends = [\"r\", \"bb\"]",
        &["no host or router `bb`", "known here: a, b, r"],
    ),
    (
        "two of one name",
        "name = \"b\"",
        "name = \"a\"",
        &["`a`", "name"],
    ),
    (
        "a negative delay",
        "delay = \"5 ms\"",
        "delay = \"-5 ms\"",
        &["-5 ms"],
    ),
    (
        "a rate of zero",
        "rate = \"100 Mbit/s\"",
        "rate = \"0 Mbit/s\"",
        &["rate", "0"],
    ),
    (
        "a queue of zero",
        "queue = \"1 MB\"",
        "queue = \"0 packets\"",
        &["queue", "0"],
    ),
    (
        "a window beyond window scaling",
        "duration = \"2 s\"",
        "duration = \"2 s\"\nwindow = \"1.1 GB\"",
        &["window", "1073725440"],
    ),
    (
        "an ambiguous size",
        "duration = \"2 s\"",
        "duration = \"2 s\"\nwindow = \"64M\"",
        &["64M", "64 MB", "64 MiB"],
    ),
    ("no TOML", "[scenario]", "[scenario", &["TOML"]),
    (
        "an unknown metric",
        "metric = \"ping.rtt_avg_ns\"",
        "metric = \"ping.rtt_avg\"",
        &["rtt_avg"],
    ),
    (
        "an unknown section",
        "[[router]]",
        "[[ruoter]]",
        &["did you mean `router`?"],
    ),
];

/// The first line on which two texts differ, from 1.
fn first_difference(a: &str, b: &str) -> usize {
    1 + a.lines().zip(b.lines()).take_while(|(a, b)| a == b).count()
}

#[test]
fn every_kind_of_bad_input_is_named_with_its_line_and_a_remedy() {
    for (what, from, to, words) in CASES {
        let text = SMALL.replacen(from, to, 1);
        assert_ne!(text, SMALL, "{what}");
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("bad.toml"), &text).expect("writable");
        let line = first_difference(SMALL, &text);
        for command in ["run", "check"] {
            let mut args = vec![command, "bad.toml"];
            if command == "run" {
                args.extend(["--out", "out"]);
            }
            let ran = farpath_in(folder.path(), &args).exits(2).says(words);
            assert!(ran.err.starts_with("error: "), "{what}: {}", ran.err);
            // A line added behind the place may be named instead of the place itself.
            let places = [
                format!("bad.toml:{line}:"),
                format!("bad.toml:{}:", line + 1),
            ];
            assert!(
                places.iter().any(|p| ran.err.contains(p)),
                "{what}, line {line}: {}",
                ran.err
            );
            assert!(
                ran.err.contains("help: "),
                "{what} has no remedy: {}",
                ran.err
            );
        }
        assert_eq!(names(folder.path()), ["bad.toml"], "{what}");
    }
}

#[test]
fn a_loop_of_stitches_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("bad.toml"), format!("{SMALL}{LOOP}")).expect("writable");
    let ran = farpath_in(folder.path(), &["run", "bad.toml", "--out", "out"]).exits(2);
    let ran = ran.says(&["bad.toml:", "help: "]);
    assert!(
        ran.err.contains("loop") || ran.err.contains("circle") || ran.err.contains("round"),
        "{}",
        ran.err
    );
    assert_eq!(names(folder.path()), ["bad.toml"]);
}

#[test]
fn a_scenario_that_does_not_exist_is_named_with_the_nearest_that_does() {
    farpath(&["run", "cern-snaky/five-pases"]).exits(2).says(&[
        "cern-snaky/five-pases",
        "did you mean `cern-snaky/five-passes`?",
    ]);
    farpath(&["run", "unheard-of.toml"])
        .exits(2)
        .says(&["unheard-of.toml", "farpath scenarios"]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().to_str().expect("UTF-8");
    farpath(&["run", path]).exits(2).says(&[path]);
    fs::write(folder.path().join("latin1.toml"), [0x6e, 0xe9, 0xff]).expect("writable");
    farpath_in(folder.path(), &["run", "latin1.toml"])
        .exits(2)
        .says(&["latin1.toml", "UTF-8"]);
}

#[test]
fn a_bad_argument_of_set_and_only_is_shown_where_it_is() {
    let run = |args: &[&str]| {
        let mut all = vec!["run", "cern-snaky/one-pass"];
        all.extend(args);
        farpath(&all).exits(2)
    };
    run(&["--set", "link.stm64.dealy=1ms"]).says(&["--set", "did you mean `delay`?"]);
    run(&["--set", "link.stm65.delay=1ms"]).says(&["stm65", "did you mean `stm64`?"]);
    run(&["--set", "link.stm64.delay=1"]).says(&["--set", "unit"]);
    run(&["--set", "stm64.delay=1ms"]).says(&["`stm64` is a link: write link.stm64.delay"]);
    run(&["--set", "bulk.window=1MiB"]).says(&["`bulk` is a test: write test.bulk.window"]);
    run(&["--set", "nonsense"]).says(&["`nonsense` sets nothing", "SECTION.NAME.KEY=VALUE"]);
    run(&["--only", "bulkk"]).says(&["--only bulkk", "ping-folded, bulk"]);
}

#[test]
fn a_scenario_without_a_test_is_not_run_and_not_passed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (text, _) = SMALL.split_once("[[test]]").expect("a test");
    fs::write(folder.path().join("empty.toml"), text).expect("writable");
    farpath_in(folder.path(), &["run", "empty.toml"])
        .exits(2)
        .says(&["has no test", "[[test]]", "farpath lab up"]);
    let checked = farpath_in(folder.path(), &["check", "empty.toml"]).exits(0);
    assert!(
        checked
            .out
            .contains("ok for `farpath lab up`; it has no test"),
        "{}",
        checked.out
    );
    // What a lab's connections would meet is found without a test.
    let text = r#"[scenario]
name = "hole"
[[host]]
name = "client"
[[host]]
name = "server"
[[router]]
name = "west"
answers = false
[[router]]
name = "east"
[[link]]
name = "near"
ends = ["client", "west"]
rate = "1 Gbit/s"
[[link]]
name = "path"
ends = ["west", "east"]
rate = "20 Mbit/s"
delay = "50 ms"
mtu = 1400
[[link]]
name = "far"
ends = ["east", "server"]
rate = "1 Gbit/s"
"#;
    fs::write(folder.path().join("hole.toml"), text).expect("writable");
    let checked = farpath_in(folder.path(), &["check", "hole.toml"]).exits(0);
    for words in [
        "client to server, 100.002 ms of propagation there and back",
        "MTU →  link `path` lets through 1400 of 1500 bytes and `west` does not tell the sender",
        "MTU ←  link `path` lets through 1400 of 1500 bytes: `east` tells the sender",
        "`farpath lab` works without",
    ] {
        assert!(checked.out.contains(words), "{words}: {}", checked.out);
    }
}

/// What a ping asks with comes back as large.
#[test]
fn answers_that_are_too_large_for_the_way_back_are_named_by_check() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[scenario]\nname = \"back\"\n[[host]]\nname = \"a\"\nmtu = 9000\n[[host]]\nname = \"b\"\nmtu = 9000\n[[link]]\nname = \"l\"\n\
        ends = [\"a\", \"b\"]\nrate = \"1 Gbit/s\"\nmtu = 9000\nreverse.mtu = 1500\n\
        [[test]]\nname = \"t\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"b\"\nsize = 5000\n";
    fs::write(folder.path().join("back.toml"), text).expect("writable");
    let checked = farpath_in(folder.path(), &["check", "back.toml"]).exits(0);
    let words = "MTU    link `l` lets through 1500 of 5000 bytes";
    assert!(checked.out.contains(words), "{}", checked.out);
}

/// A value of a sweep is tried by `check`, as a run would try it, and an error shows where it stands.
#[test]
fn a_wrong_value_of_a_sweep_is_found_by_check() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("s.toml");
    let text = "[scenario]\nname = \"s\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[link]]\nname = \"l\"\nends = [\"a\", \"b\"]\n\
        rate = \"10 Mbit/s\"\n[[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"1 s\"\n\
        [sweep]\n\"link.l.rate\" = [\"1 Mbit/s\", \"ten\"]\n";
    let path = file.to_str().expect("a path");
    let run_and_check = |values: &str, words: &[&str]| {
        std::fs::write(&file, text.replace("\"1 Mbit/s\", \"ten\"", values)).expect("a file");
        for args in [&["check", path][..], &["run", path, "--predict"]] {
            farpath(args).exits(2).says(words);
        }
    };
    run_and_check(
        "\"1 Mbit/s\", \"ten\"",
        &[
            "s.toml:18:30",
            "\"link.l.rate\" = [\"1 Mbit/s\", \"ten\"]",
            "`ten` is not a rate",
        ],
    );
    // All of them at once, each once.
    run_and_check(
        "\"1 Mbit/s\", \"ten\", \"5 Mbits\"",
        &[
            "`ten` is not a rate",
            "s.toml:18:37",
            "`5 Mbits` is not",
            "2 errors in",
        ],
    );
    run_and_check(
        "\"1 Mbit/s\", \"ten\", \"1 Mbit/s\"",
        &[
            "`link.l.rate` has `1 Mbit/s` twice",
            "the first",
            "the second",
        ],
    );
}

#[test]
fn a_framing_that_nobody_knows_is_the_only_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("s.toml");
    let text = "[scenario]\nname = \"s\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[link]]\nname = \"l\"\nends = [\"a\", \"b\"]\n\
        framing = \"gbee\"\n[[test]]\nname = \"t\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"b\"\n";
    std::fs::write(&file, text).expect("a file");
    farpath(&["check", file.to_str().expect("a path")])
        .exits(2)
        .says(&["did you mean `gbe`?", "1 error in"]);
}

/// An MTU that is too small at some points of a sweep is said with these.
#[test]
fn check_says_at_which_points_packets_are_too_large() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[scenario]\nname = \"s\"\n[[host]]\nname = \"a\"\nmtu = 9000\n[[host]]\nname = \"b\"\nmtu = 9000\n[[router]]\nname = \"r\"\n[[router]]\nname = \"s\"\n\
        [[link]]\nname = \"near\"\nends = [\"a\", \"r\"]\nrate = \"1 Gbit/s\"\nmtu = 9000\n\
        [[link]]\nname = \"far\"\nends = [\"r\", \"s\"]\nrate = \"1 Gbit/s\"\nmtu = 9000\n\
        [[link]]\nname = \"last\"\nends = [\"s\", \"b\"]\nrate = \"1 Gbit/s\"\nmtu = 9000\n\
        [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"1 s\"\n\
        [sweep]\n\"link.far.mtu\" = [9000, 1500]\n";
    fs::write(folder.path().join("s.toml"), text).expect("writable");
    let checked = farpath_in(folder.path(), &["check", "s.toml"]).exits(0);
    let lines: Vec<&str> = checked.out.lines().filter(|l| l.contains("MTU")).collect();
    assert!(
        lines.len() == 1 && lines[0].ends_with(", at link.far.mtu 1500"),
        "{}",
        checked.out
    );
}

/// A queue of one packet is said where a TCP test fills the line behind it, in the words of its forecast; with the points that have one.
#[test]
fn check_says_what_a_queue_of_one_packet_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[scenario]\nname = \"s\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[router]]\nname = \"r\"\n\
        [[link]]\nname = \"near\"\nends = [\"a\", \"r\"]\nrate = \"1 Gbit/s\"\n\
        [[link]]\nname = \"far\"\nends = [\"r\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"1 packets\"\n\
        [[test]]\nname = \"bulk\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\ncc = \"reno\"\nduration = \"10 s\"\n";
    fs::write(folder.path().join("s.toml"), text).expect("writable");
    let at = |args: &[&str]| farpath_in(folder.path(), args).exits(0).out;
    let run = at(&["run", "s.toml", "--predict", "--json"]);
    let run: serde_json::Value = serde_json::from_str(&run).expect("JSON");
    let notes = run["records"][0]["notes"].as_array().expect("a list");
    let mut notes = notes.iter().filter_map(serde_json::Value::as_str);
    let of_queue = notes.find(|n| n.contains("it is full behind two segments"));
    let of_queue = of_queue.unwrap_or_else(|| panic!("{run}"));
    let said = at(&["check", "s.toml"]);
    assert!(said.contains(&format!("  bulk: {of_queue}\n")), "{said}");
    let heading = "what forecasts say of queues of less than two full frames";
    assert!(said.contains(heading), "{said}");
    for longer in ["2 packets", "2bdp"] {
        let set = format!("link.far.queue={longer}");
        let said = at(&["check", "s.toml", "--set", &set]);
        assert!(!said.contains(heading), "{said}");
    }
    // Its window fits, and the line is never full.
    let small = ["check", "s.toml", "--set", "test.bulk.window=8KiB"];
    assert!(!at(&small).contains(heading));
    let sweep = "[sweep]\n\"link.far.queue\" = [\"1 packets\", \"2bdp\"]\n";
    fs::write(folder.path().join("s.toml"), format!("{text}{sweep}")).expect("writable");
    let swept = at(&["check", "s.toml"]);
    let lines = swept.lines().filter(|l| l.contains(of_queue));
    let lines: Vec<&str> = lines.collect();
    assert!(
        lines.len() == 1 && lines[0].starts_with("  bulk, at link.far.queue 1"),
        "{swept}"
    );
}

/// What a test's way is over a sweep, and with a value that was set.
#[test]
fn check_has_the_way_of_a_swept_link_over_all_of_the_sweep() {
    let scenario = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../web/fixtures/sweeps/gaps.toml"
    );
    let swept = farpath(&["check", scenario]).exits(0).out;
    let range = "bulk (tcp): a to b, 20.002 ms to 320.002 ms of propagation there and back";
    assert!(swept.contains(range), "{swept}");
    let narrowed = ["check", scenario, "--set", "link.trunk.delay=40ms"];
    let one = farpath(&narrowed).exits(0);
    assert!(
        one.out.contains("a to b, 80.002 ms of propagation"),
        "{}",
        one.out
    );
}

/// What `--cc` has in it is shown as `--cc` has it.
#[test]
fn a_wrong_congestion_control_is_shown_as_it_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("small.toml"), SMALL).expect("writable");
    let ran = farpath_in(folder.path(), &["run", "small.toml", "--cc", "bbr3"]).exits(2);
    assert!(ran.err.contains("--cc:1:1"), "{}", ran.err);
    assert!(!ran.err.contains("--set"), "{}", ran.err);
}
