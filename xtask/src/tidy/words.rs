//! Words that have no place in what a stranger clones: paths of one machine, private registries,
//! unfinished work, tests that are switched off.

use super::finding::Finding;
use crate::tree::TextFile;

/// Unfinished work and one machine's paths. Split in two, so that this file passes its own check.
const WORDS: [(&str, &str); 12] = [
    (
        concat!("TO", "DO"),
        "finish it, or write it down where work is planned",
    ),
    (
        concat!("FIX", "ME"),
        "finish it, or write it down where work is planned",
    ),
    (
        concat!("X", "XX"),
        "finish it, or write it down where work is planned",
    ),
    (concat!("to", "do!("), "a stub"),
    (concat!("unimple", "mented!("), "a stub"),
    (
        concat!("#[ig", "nore"),
        "a test that does not run asserts nothing",
    ),
    (concat!("/wo", "rk/"), "a path of one machine"),
    (concat!("/ho", "me/"), "a path of one machine"),
    (concat!("/ro", "ot/"), "a path of one machine"),
    (concat!("/Us", "ers/"), "a path of one machine"),
    (concat!("/tmp/ba", "sh_jobs"), "a path of one machine"),
    (concat!("../sha", "red"), "a path outside the repository"),
];

/// The only places lock files may point at.
const REGISTRIES: [&str; 2] = [
    "https://registry.npmjs.org/",
    "registry+https://github.com/rust-lang/crates.io-index",
];

/// Checks every text file.
pub(super) fn check(files: &[TextFile]) -> Vec<Finding> {
    files.iter().flat_map(check_file).collect()
}

fn check_file(file: &TextFile) -> Vec<Finding> {
    let is_lock = ["Cargo.lock", "package-lock.json", ".npmrc"]
        .iter()
        .any(|name| file.path.ends_with(name));
    let mut findings = Vec::new();
    for (i, line) in file.text.lines().enumerate() {
        let words = WORDS
            .iter()
            .filter(|(word, _)| !is_lock && stands_in(line, word));
        findings.extend(
            words.map(|(word, why)| Finding::new(&file.path, i + 1, format!("`{word}`: {why}"))),
        );
        if is_lock && names_foreign_registry(line) {
            let message = "a registry other than crates.io and registry.npmjs.org".to_owned();
            findings.push(Finding::new(&file.path, i + 1, message));
        }
    }
    findings
}

/// Whether `word` stands in `line` and not in the middle of a longer word or path.
fn stands_in(line: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let ends_open =
            word.ends_with(|c: char| !c.is_alphanumeric()) || word.starts_with(['#', '.', '/']);
        !before.is_some_and(joins)
            && (ends_open || !after.is_some_and(|c| c.is_alphanumeric() || c == '_'))
    })
}

/// Whether a line of a lock file fetches from somewhere else.
fn names_foreign_registry(line: &str) -> bool {
    let line = line.trim();
    let fetched = ["\"resolved\": \"", "source = \"", "registry="]
        .iter()
        .find_map(|key| line.strip_prefix(key));
    fetched.is_some_and(|from| !REGISTRIES.iter().any(|registry| from.starts_with(registry)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&[TextFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }])
        .len()
    }

    #[test]
    fn unfinished_work_is_found() {
        for (word, _) in &WORDS[..6] {
            assert_eq!(count("a.rs", &format!("    {word} later")), 1, "{word}");
        }
        assert_eq!(count("a.md", concat!("the word mas", "TO", "DON")), 0);
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for (word, _) in &WORDS[6..] {
            assert_eq!(count("a.md", &format!("see `{word}x`")), 1, "{word}");
        }
        assert_eq!(
            count("a.md", concat!("https://example.org/how-we", "/wo", "rk/")),
            0
        );
    }

    #[test]
    fn lock_files_name_public_registries_only() {
        let public = "      \"resolved\": \"https://registry.npmjs.org/a/-/a-1.0.0.tgz\",";
        assert_eq!(count("web/package-lock.json", public), 0);
        assert_eq!(
            count(
                "web/package-lock.json",
                &public.replace("npmjs.org", "example.net")
            ),
            1
        );
        assert_eq!(
            count(
                "Cargo.lock",
                "source = \"registry+https://example.net/index\""
            ),
            1
        );
        assert_eq!(count("web/.npmrc", "registry=http://example.net/npm"), 1);
    }
}
