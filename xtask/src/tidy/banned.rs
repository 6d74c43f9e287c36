//! What the core crates may not touch: clocks, files, sockets, threads, the terminal, hash order.
//!
//! The lints in clippy.toml stop the same things where they see them; this check also sees macros,
//! re-exports and types that are only named.

use super::finding::Finding;
use crate::source::{Code, is_test_file};
use crate::tree::TextFile;

/// Crates whose behaviour must be a function of their arguments.
const PURE: [&str; 6] = ["units", "wire", "element", "tcp", "predict", "record"];

/// Banned outside tests, with the reason.
const BANNED: [(&str, &str); 14] = [
    ("std::fs", "files belong to the edges"),
    ("std::net", "sockets belong to the edges"),
    ("std::env", "the environment belongs to the command line"),
    ("std::process", "processes belong to the edges"),
    ("std::thread", "threads belong to the drivers"),
    (
        "HashMap",
        "its order changes from run to run: use BTreeMap or a dense index",
    ),
    (
        "HashSet",
        "its order changes from run to run: use BTreeSet or a dense index",
    ),
    ("RandomState", "its order changes from run to run"),
    ("print!", "the terminal belongs to the command line"),
    ("println!", "the terminal belongs to the command line"),
    ("eprint!", "the terminal belongs to the command line"),
    ("eprintln!", "the terminal belongs to the command line"),
    ("thread_local!", "no globals: pass it as an argument"),
    ("static mut", "no globals: pass it as an argument"),
];

/// Banned in tests as well.
const BANNED_EVERYWHERE: [(&str, &str); 3] = [
    ("Instant::now", "time is an argument"),
    ("SystemTime", "time is an argument"),
    ("sleep(", "time is an argument"),
];

/// Checks every source file of the pure crates.
pub(super) fn check(files: &[TextFile]) -> Vec<Finding> {
    // An example is a program of its own around the core, with a terminal and a clock.
    let pure = |file: &&TextFile| {
        PURE.iter()
            .any(|name| file.path.starts_with(&format!("crates/{name}/")))
            && !file.path.contains("/examples/")
    };
    files
        .iter()
        .filter(pure)
        .filter(|file| file.path.ends_with(".rs"))
        .flat_map(check_file)
        .collect()
}

fn check_file(file: &TextFile) -> Vec<Finding> {
    let code = Code::of(&file.text);
    let all_tests = is_test_file(&file.path);
    let mut findings = Vec::new();
    for (i, line) in code.lines.iter().enumerate() {
        let in_test = all_tests || code.test[i];
        let outside_tests = BANNED.iter().filter(|_| !in_test);
        for (word, why) in BANNED_EVERYWHERE.iter().chain(outside_tests) {
            if stands_in(line, word) {
                findings.push(Finding::new(
                    &file.path,
                    i + 1,
                    format!("`{word}` in a core crate: {why}"),
                ));
            }
        }
    }
    findings
}

/// Whether `word` occurs in `line` and does not continue a longer name.
fn stands_in(line: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].chars().next_back().is_some_and(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_found(path: &str, text: &str) -> Vec<usize> {
        let file = TextFile {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        check(&[file])
            .into_iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn clocks_files_threads_and_hash_order_are_found() {
        for text in [
            "let t = std::time::Instant::now();",
            "use std::time::SystemTime;",
            "use std::fs;",
            "std::net::UdpSocket::bind(a)",
            "std::thread::spawn(f);",
            "use std::collections::HashMap;",
            "fn f() -> HashSet<u8>",
            "println!(\"x\")",
            "sleep(d)",
        ] {
            assert_eq!(lines_found("crates/tcp/src/a.rs", text), [1], "{text}");
        }
    }

    #[test]
    fn comments_strings_and_longer_names_are_not() {
        let text = "// HashMap\nlet a = \"println!\";\nMyHashMap::new();\nfn oversleep(d) {}\n";
        assert_eq!(lines_found("crates/element/src/a.rs", text), [0; 0]);
    }

    #[test]
    fn crates_at_the_edges_are_free() {
        assert_eq!(
            lines_found("crates/cli/src/a.rs", "std::fs::read(p)"),
            [0; 0]
        );
    }

    #[test]
    fn tests_may_print_but_not_read_the_clock() {
        let text = "#[cfg(test)]\nmod tests {\n    println!();\n    Instant::now();\n}\n";
        assert_eq!(lines_found("crates/wire/src/a.rs", text), [4]);
    }
}
