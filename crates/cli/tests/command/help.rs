//! Every page of help: narrow enough, and with something to learn from.

use crate::farpath::{command, farpath, ran};

const COMMANDS: [&[&str]; 23] = [
    &[],
    &["run"],
    &["check"],
    &["new"],
    &["scenarios"],
    &["schema"],
    &["predict"],
    &["predict", "path"],
    &["predict", "overhead"],
    &["predict", "route"],
    &["predict", "rfc6349"],
    &["compare"],
    &["conformance"],
    &["config"],
    &["config", "check"],
    &["config", "snaky"],
    &["config", "lbe"],
    &["lab"],
    &["lab", "run"],
    &["lab", "up"],
    &["lab", "exec"],
    &["lab", "set"],
    &["lab", "status"],
];

/// The page of a command on a terminal of 80 columns.
fn help(page: &[&str]) -> String {
    let mut command = command();
    command.env("COLUMNS", "80").args(page).arg("--help");
    ran(command.output().expect("the binary was built"))
        .exits(0)
        .out
}

#[test]
fn every_page_fits_eighty_columns_and_says_what_each_option_is_for() {
    for command in COMMANDS {
        let text = help(command);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{command:?}: {line}");
        }
        // A line that was broken to fit begins at the margin.
        let examples = text.lines().skip_while(|l| !l.starts_with("Example"));
        for line in examples.skip(1).take_while(|l| !l.is_empty()) {
            assert!(line.starts_with("  "), "{command:?}: {line}");
        }
        assert!(text.contains("Usage: farpath"), "{command:?}");
        // An option with nothing beside or below it explains nothing.
        let lines: Vec<&str> = text.lines().collect();
        for (n, line) in lines
            .iter()
            .enumerate()
            .filter(|(_, l)| l.trim_start().starts_with('-'))
        {
            let beside = line
                .trim_start()
                .split_once("  ")
                .map(|(_, t)| t)
                .is_some_and(|t| !t.trim().is_empty());
            let below = lines.get(n + 1).is_some_and(|l| l.starts_with("        "));
            assert!(beside || below, "{command:?}: {line}");
        }
    }
}

#[test]
fn the_pages_teach_by_example() {
    for command in [&["run"][..], &["predict", "path"], &["predict", "overhead"]] {
        assert!(help(command).contains("Example"), "{command:?}");
    }
    let first = help(&[]);
    let first = first.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in [
        "Exit codes: 0 ok, 1",
        "130 interrupted",
        "Start with: farpath run",
    ] {
        assert!(first.contains(word), "{first}");
    }
    // The layers of a stack can be guessed from nowhere else.
    let overhead = help(&["predict", "overhead"]);
    for layer in [
        "eth", "pos", "atm", "aal5-llc", "vlan", "mpls*", "ip6", "tcp+ts", "udp", "oc12c",
    ] {
        assert!(overhead.contains(layer), "{layer} is not in\n{overhead}");
    }
}

/// The examples of the help are commands that work.
#[test]
fn examples_are_right() {
    for command in [&["predict", "path"][..], &["predict", "overhead"]] {
        let text = help(command);
        let examples = text
            .lines()
            .filter_map(|l| l.trim().strip_prefix("farpath "));
        let mut seen = 0;
        for example in examples.filter(|e| e.starts_with("predict")) {
            farpath(&example.split_whitespace().collect::<Vec<_>>()).exits(0);
            seen += 1;
        }
        assert!(seen > 0, "{text}");
    }
}

#[test]
fn wrong_arguments_are_exit_2_with_a_way_out() {
    for args in [
        &["rnu"][..],
        &["run"],
        &["run", "cern-snaky/one-pass", "--sed", "1"],
        &["run", "cern-snaky/one-pass", "--repeat", "0"],
        &["run", "cern-snaky/one-pass", "--seed", "-1"],
        &["predict", "path", "--rate", "10Gbit/s"],
        &[],
    ] {
        let ran = farpath(args).exits(2);
        assert!(
            ran.err.contains("--help") || ran.err.contains("Usage:"),
            "{args:?}: {}",
            ran.err
        );
        assert_eq!(ran.out, "");
    }
    farpath(&["scenario"]).exits(2).says(&["'scenarios'"]);
    let version = farpath(&["--version"]).exits(0).out;
    assert_eq!(version, format!("farpath {}\n", env!("CARGO_PKG_VERSION")));
}
