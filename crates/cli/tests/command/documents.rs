//! Every `farpath …` line that a page tells the reader to type works as it stands.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::farpath::farpath_in;

/// The pages, in the order a reader meets them.
const PAGES: [(&str, &str); 12] = [
    ("README.md", include_str!("../../../../README.md")),
    (
        "docs/guides/write-a-scenario.md",
        include_str!("../../../../docs/guides/write-a-scenario.md"),
    ),
    (
        "docs/guides/router-configuration.md",
        include_str!("../../../../docs/guides/router-configuration.md"),
    ),
    (
        "docs/guides/labs.md",
        include_str!("../../../../docs/guides/labs.md"),
    ),
    (
        "docs/guides/ci/github.yml",
        include_str!("../../../../docs/guides/ci/github.yml"),
    ),
    (
        "docs/guides/ci/gitlab.yml",
        include_str!("../../../../docs/guides/ci/gitlab.yml"),
    ),
    (
        "docs/guides/ticket.md",
        include_str!("../../../../docs/guides/ticket.md"),
    ),
    (
        "docs/answers/glitches.md",
        include_str!("../../../../docs/answers/glitches.md"),
    ),
    (
        "docs/guides/captures.md",
        include_str!("../../../../docs/guides/captures.md"),
    ),
    (
        "docs/guides/figures.md",
        include_str!("../../../../docs/guides/figures.md"),
    ),
    (
        "docs/gallery/README.md",
        include_str!("../../../../docs/gallery/README.md"),
    ),
    (
        "docs/reference/cli.md",
        include_str!("../../../../docs/reference/cli.md"),
    ),
];

/// The lines to be typed: in blocks of shell and in workflows the lines that begin with `farpath`, in the help texts
/// those below "Examples" and "Start with".
pub(crate) fn commands(name: &str, page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut typed, mut examples) = (name.ends_with(".yml"), false);
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            typed = ["sh", "console"].contains(&language);
            examples = false;
        }
        examples |= line.starts_with("Example");
        let line = line.trim_start_matches("Start with:").trim();
        let line = line.trim_start_matches("$ ").trim_start_matches("- ");
        let is_start = line.starts_with("farpath run cern-snaky/five-passes --out report");
        if line.starts_with("farpath ") && (typed || examples || is_start) {
            let words = line.split(" # ").next().unwrap_or_default();
            // What a reader pipes into is not ours.
            let own = words.split(" | ").next().unwrap_or_default();
            found.push(own.trim().to_owned());
        }
    }
    found
}

/// The files that a page has the reader write: blocks of TOML whose first line is a comment with a name, and nothing else.
fn files(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let blocks = page.split("```toml\n").skip(1);
    blocks.filter_map(|block| {
        let (text, _) = block.split_once("```")?;
        let name = text.lines().next()?.strip_prefix("# ")?;
        let is_name = name.ends_with(".toml") && !name.contains(['/', ' ']);
        is_name.then_some((name, text))
    })
}

/// What typing `line` in `folder` prints, with this build's `farpath` first in the path.
pub(crate) fn type_in(folder: &Path, line: &str) -> Result<String, String> {
    let binary = Path::new(env!("CARGO_BIN_EXE_farpath"));
    let own = binary.parent().expect("it lies in a folder").display();
    let output = Command::new("sh")
        .args(["-c", line])
        .env("PATH", format!("{own}:/usr/bin:/bin"))
        // Other labs of this machine are not the page's.
        .env("XDG_RUNTIME_DIR", folder)
        .current_dir(folder)
        .output()
        .map_err(|e| format!("run sh: {e}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    // A finding of the host that the test runs on is not the page's fault.
    let of_host = line.starts_with("farpath host") && output.status.code() == Some(1);
    if output.status.success() || of_host {
        return Ok(printed);
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}\n{printed}{complaint}", output.status))
}

/// Shared scenarios by closed forms alone, but in `make test-long`: `make scenarios` runs them all with their pages.
#[test]
fn every_command_of_the_pages_works() {
    let long = std::env::var_os("FARPATH_LONG").is_some();
    type_all(|line| match line.strip_prefix("farpath run ") {
        Some(of) if !long && of.contains('/') && line != SHOWN => format!("{line} --predict"),
        _ => line.to_owned(),
    });
}

/// The README shows what this prints.
const SHOWN: &str = "farpath run cern-snaky/five-passes";

/// Types every command of every page, as `typed` has it.
fn type_all(typed: impl Fn(&str) -> String) {
    let mut seen = BTreeSet::new();
    for (name, page) in PAGES {
        let found = commands(name, page);
        assert!(!found.is_empty(), "{name} shows no command");
        let folder = tempfile::tempdir().expect("a folder");
        for (file, text) in files(page) {
            std::fs::write(folder.path().join(file), text).expect("it is writable");
        }
        let mut on_page = BTreeSet::new();
        if name == "docs/reference/cli.md" {
            // The help texts take the reader's own file as given.
            type_in(folder.path(), "farpath new my-path.toml").expect("a scenario to start from");
            let own = std::fs::read_to_string(folder.path().join("my-path.toml"));
            let sweep =
                own.expect("made") + "\n[sweep]\n\"test.bulk.cc\" = [\"reno\", \"cubic\"]\n";
            std::fs::write(folder.path().join("sweep.toml"), sweep).expect("it is writable");
            type_in(folder.path(), "farpath run sweep.toml --out sweep").expect("it runs");
            let ticket = include_str!("../../../diagnose/tests/data/slac.txt");
            std::fs::write(folder.path().join("ticket.txt"), ticket).expect("it is writable");
            let marks = "[[expect]]\nmetric = \"bulk.goodput_bps\"\nmin = \"1 bit/s\"\n";
            std::fs::write(folder.path().join("marks.toml"), marks).expect("it is writable");
            captures(folder.path());
        }
        for line in found {
            // Running connections of whoever tests are not the page's: `labs` has some of its own.
            if line.contains(" --live ") {
                continue;
            }
            // Where it is written to makes no other command of it; a file that is made is needed here.
            let (what, _) = line.split_once(" --out ").unwrap_or((&line, ""));
            // A lab of one page is not another's: what a page brings up it takes down.
            let of_lab = line.starts_with("farpath lab ") && !line.starts_with("farpath lab run ");
            let (is_new, of_page) = (seen.insert(what.to_owned()), on_page.insert(line.clone()));
            let is_typed = is_new || (of_lab && of_page) || line.starts_with("farpath new ");
            if !is_typed {
                continue;
            }
            let typed = typed(&line);
            let printed = type_in(folder.path(), &typed)
                .unwrap_or_else(|said| panic!("{name}: `{typed}` failed: {said}"));
            if line == SHOWN {
                the_readme_shows(&printed);
            }
        }
        let labs = folder.path().join("farpath");
        assert!(!labs.exists(), "{name}: a lab is still up");
    }
}

/// What a step of a workflow types as a whole, with every line it has; those without a lab are left out.
fn steps(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // Where the block of `run: |` that is being read is indented from.
    let mut inside = None;
    for line in page.lines() {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim_start();
        let item = text.trim_start_matches("- ");
        if let Some(block) = found
            .last_mut()
            .filter(|_| inside.is_some_and(|i| indent > i))
        {
            block.push_str(text);
            block.push('\n');
            continue;
        }
        inside = (item == "run: |").then_some(indent);
        if inside.is_some() {
            found.push(String::new());
        } else if item.starts_with("farpath ") && text != item {
            found.push(item.to_owned());
        }
    }
    found.retain(|step| step.contains("farpath lab run"));
    found
}

/// GitHub's shell of a step is `bash -e {0}`; GitLab's runner ends a script at its first command that fails, too.
#[test]
fn a_step_of_a_workflow_fails_where_its_first_line_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it is writable");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("it is ours");
    };
    // The first call fails, and the others do not.
    program(
        "farpath",
        "#!/bin/sh\nmkdir once 2>/dev/null && exit 1\nexit 0\n",
    );
    program(
        "sudo",
        "#!/bin/sh\nwhile case $1 in -*) ;; *) false ;; esac; do shift; done\nexec \"$@\"\n",
    );
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    for (name, page) in PAGES.into_iter().filter(|(name, _)| name.ends_with(".yml")) {
        let steps = steps(page);
        assert!(!steps.is_empty(), "{name} has no step with a lab");
        for step in steps {
            drop(std::fs::remove_dir(folder.path().join("once")));
            let mut shell = Command::new("bash");
            let shell = shell.args(["-e", "-c", &step]).env("PATH", &path);
            let status = shell.current_dir(folder.path()).status().expect("a shell");
            assert!(
                folder.path().join("once").exists(),
                "{name}: nothing ran: {step}"
            );
            assert_eq!(status.code(), Some(1), "{name}: passed: {step}");
        }
    }
}

/// The captures that the help texts take as given: one simulated link, under each name.
fn captures(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("my-path.toml")).expect("it was made");
    let link = "[[link]]\n";
    let text = text.replacen(link, &format!("{link}tap = true\n"), 1);
    std::fs::write(folder.join("tapped.toml"), text).expect("it is writable");
    type_in(folder, "farpath run tapped.toml --simulate --out tapped").expect("a run");
    let files = std::fs::read_dir(folder.join("tapped")).expect("its results");
    let files = files.map(|f| f.expect("an entry").path());
    let capture = files
        .into_iter()
        .find(|f| f.extension().is_some_and(|e| e == "pcapng"));
    let capture = capture.expect("the link's capture");
    for name in [
        "transfer.pcapng",
        "sender.pcapng",
        "ring-1.pcap.gz",
        "ring-2.pcap.gz",
        "day.pcap.zst",
    ] {
        std::fs::copy(&capture, folder.join(name)).expect("it is writable");
    }
    // The round trip of that path.
    let ping = "20 packets transmitted, 20 received, 0% packet loss, time 19030ms\nrtt min/avg/max/mdev = 100.231/100.240/100.300/0.010 ms\n";
    std::fs::write(folder.join("ping.txt"), ping).expect("it is writable");
}

/// The README's table is this one, down to the notes.
fn the_readme_shows(printed: &str) {
    let (table, _) = printed.split_once("\nNotes\n").expect("it has notes");
    let (_, readme) = PAGES[0];
    assert!(
        readme.contains(table.trim_end()),
        "paste into README.md:\n{table}"
    );
}

/// The guide's recipe gave 64 connections that lose in lockstep: 86 % of the line, where the rule of a product over √n promises 98.
#[test]
fn the_recipe_for_many_connections_keeps_the_line_full() {
    let page = include_str!("../../../../docs/guides/figures.md");
    let (_, recipe) = page.split_once("```text\n[[link]]\n").expect("a recipe");
    let (recipe, _) = recipe.split_once("```").expect("an end");
    let rest = r#"
[scenario]
name = "many"
[[host]]
name = "a"
txqueuelen = 100000
tcp_wmem = "4096 131072 67108864"
[[router]]
name = "r"
[[host]]
name = "b"
tcp_rmem = "4096 131072 67108864"
[[link]]
name = "neck"
ends = ["r", "b"]
rate = "100 Mbit/s"
delay = "45 ms"
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
cc = "reno"
flavour = "rfc"
delayed_ack = 1
omit = "30 s"
duration = "30 s"
"#;
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("{rest}[[link]]\n{recipe}");
    let jitter = "jitter = { max = \"1 ms\" }\n";
    assert!(text.contains(jitter), "{text}");
    // Goodput of 64 connections as a share of that of one.
    let share = |text: &str| {
        std::fs::write(folder.path().join("many.toml"), text).expect("writable");
        let args = ["run", "many.toml", "--simulate", "--json"];
        let out = farpath_in(folder.path(), &args).exits(0).out;
        let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        let records = document["records"].as_array().expect("records");
        let goodput = |n: &str| {
            let mut of = records.iter().filter(|r| r["point"]["n"] == n);
            let metrics = &of.next().expect("a point")["metrics"];
            metrics["goodput_bps"].as_f64().expect("a number")
        };
        goodput("64") / goodput("1")
    };
    let (mixed, lockstep) = (share(&text), share(&text.replace(jitter, "")));
    // Within one in a hundred of the rule's, by luck of the seed.
    assert!(mixed >= 0.97 && lockstep < 0.9, "{mixed} {lockstep}");
}
