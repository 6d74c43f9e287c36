//! Every page of help: narrow enough, and with something to learn from.

use crate::farpath::{command, farpath, ran};

const COMMANDS: [&[&str]; 31] = [
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
    &["figures"],
    &["conformance"],
    &["diagnose"],
    &["host"],
    &["trace"],
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
    &["lab", "ls"],
    &["lab", "down"],
    &["completions"],
    &["man"],
];

/// The page of a command; no terminal makes it wider.
fn help(page: &[&str]) -> String {
    let mut command = command();
    command.env("COLUMNS", "200").args(page).arg("--help");
    ran(command.output().expect("the binary was built"))
        .exits(0)
        .out
}

/// Every command there is, by the pages themselves.
#[test]
fn no_page_is_forgotten() {
    let mut pages: Vec<Vec<String>> = vec![Vec::new()];
    let mut next = 0;
    while let Some(page) = pages.get(next).cloned() {
        let text = help(&page.iter().map(String::as_str).collect::<Vec<_>>());
        let listed = text.lines().skip_while(|l| *l != "Commands:").skip(1);
        for line in listed.take_while(|l| !l.is_empty()) {
            let name = line.strip_prefix("  ").and_then(|l| l.split(' ').next());
            if let Some(name) = name.filter(|n| !n.is_empty() && *n != "help") {
                pages.push([&page[..], &[name.to_owned()]].concat());
            }
        }
        next += 1;
    }
    pages.sort();
    let mut known: Vec<Vec<String>> = COMMANDS
        .iter()
        .map(|c| c.iter().map(|w| (*w).to_owned()).collect())
        .collect();
    known.sort();
    assert_eq!(pages, known);
}

#[test]
fn shells_and_man_know_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = farpath(&["completions", shell]).exits(0).out;
        for word in ["scenarios", "--segments-per-ack", "--repeat"] {
            let word = if shell == "fish" {
                word.trim_start_matches('-')
            } else {
                word
            };
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    // Of `--cc` the names, where each takes any text.
    for shell in ["bash", "zsh", "fish"] {
        let script = farpath(&["completions", shell]).exits(0).out;
        for name in ["highspeed", "westwood"] {
            let in_help = "reno cubic highspeed scalable htcp bic hybla westwood";
            let script = script.replace(in_help, "");
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
    farpath(&["completions", "sh"]).exits(2).says(&["bash"]);
    let folder = tempfile::tempdir().expect("a folder");
    let man = folder.path().join("share/man1");
    farpath(&["man", man.to_str().expect("text")]).exits(0);
    for command in COMMANDS {
        let name = [&["farpath"], command].concat().join("-");
        let page = man.join(format!("{name}.1"));
        let text = std::fs::read_to_string(&page).expect(&name);
        assert!(
            text.contains(".SH SYNOPSIS") && text.contains("Example"),
            "{name}"
        );
    }
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    farpath(&["man", file.to_str().expect("text")])
        .exits(3)
        .says(&["file"]);
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

/// What an option is for is shown by a value, with its unit; what is to be typed stands at the end.
#[test]
fn the_pages_teach_by_example() {
    const QUANTITIES: [&str; 9] = [
        "RATE", "RTT", "TIME", "SIZE", "LOSS", "SHARE", "WINDOW", "LIMIT", "DISTANCE",
    ];
    for command in COMMANDS {
        let text = help(command);
        let examples = text.lines().skip_while(|l| !l.contains("Example"));
        let typed = examples.skip(1).filter(|l| l.starts_with("  "));
        assert!(typed.count() > 0, "{command:?}");
        let options = text.split("\n      --").skip(1);
        for option in options.chain(text.split("\n  -").skip(1)) {
            let option = option.split("\n      --").next().unwrap_or_default();
            let option = option.split("\n\n").next().unwrap_or_default();
            let (name, what) = option.split_once('>').unwrap_or((option, ""));
            let value = name.split_once('<').map_or("", |(_, value)| value);
            let is_quantity = value.split(',').any(|v| QUANTITIES.contains(&v));
            assert!(
                !is_quantity || what.contains(|c: char| c.is_ascii_digit()),
                "{command:?}: no example: --{option}"
            );
        }
    }
    let first = help(&[]);
    let first = first.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in [
        "Exit codes: 0 ok, 1",
        "130 interrupted",
        "Examples: farpath predict path",
    ] {
        assert!(first.contains(word), "{first}");
    }
}

/// The layers of a stack can be guessed from nowhere else. `esp` was missing, and a bridged AAL5: the page has all that a refusal names.
#[test]
fn the_page_of_overheads_names_every_layer() {
    let overhead = help(&["predict", "overhead"]);
    assert!(overhead.contains("oc12c"), "{overhead}");
    let page: Vec<&str> = overhead.split_whitespace().collect();
    let wrong = ["predict", "overhead", "--stack", "gbe/nothing/ip"];
    let refused = farpath(&wrong).exits(2).err;
    let (_, named) = refused.split_once("use ").expect("what to write instead");
    let mut layers = 0;
    for layer in named.split_whitespace() {
        let layer = layer.replace("*N", "*2");
        assert!(
            page.contains(&layer.as_str()),
            "{layer} is not in\n{overhead}"
        );
        layers += 1;
    }
    assert!(layers > 10, "{refused}");
}

/// A script asks what came of a command by its exit code; a page that only lists commands has none of its own.
#[test]
fn every_page_of_a_command_says_its_exit_codes() {
    for command in COMMANDS {
        let text = help(command);
        let is_list = text.contains("\nCommands:\n") && !command.is_empty();
        assert!(is_list || text.contains("\nExit codes: "), "{command:?}");
        // One page for -h and --help, in one form.
        assert!(!text.contains("see a summary"), "{command:?}");
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
    // Behind the number is the commit, or what kind of build it is.
    let number = format!("farpath {}", env!("CARGO_PKG_VERSION"));
    assert!(version.starts_with(&number), "{version}");
}
