//! Under which terms dependencies come, and that each has its line of reasons.

use serde_json::Value;

use super::finding::Finding;
use super::metadata::{packages, text};
use crate::tree::TextFile;

/// Terms that go with MIT OR Apache-2.0 without asking anything more of a user.
const ALLOWED: [&str; 11] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Where each direct dependency has its line.
const DECISIONS: &str = "docs/decisions/dependencies.md";

/// Checks a full `cargo metadata` document: every package, transitive ones included.
pub(super) fn check(metadata: &Value) -> Vec<Finding> {
    packages(metadata)
        .filter(|package| !is_allowed(text(package, "license")))
        .map(|package| {
            let (name, terms) = (text(package, "name"), text(package, "license"));
            Finding::new(
                "Cargo.lock",
                0,
                format!("`{name}` comes under `{terms}`, which is not on the list"),
            )
        })
        .collect()
}

/// Checks that every direct dependency from outside has a section in the decisions.
pub(super) fn check_decisions(metadata: &Value, files: &[TextFile]) -> Vec<Finding> {
    let decisions = files
        .iter()
        .find(|file| file.path == DECISIONS)
        .map_or("", |file| file.text.as_str());
    let is_ours = |name: &str| packages(metadata).any(|package| text(package, "name") == name);
    let mut names: Vec<&str> = packages(metadata)
        .flat_map(|package| package["dependencies"].as_array().into_iter().flatten())
        .map(|dependency| text(dependency, "name"))
        .filter(|name| !is_ours(name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !decisions.contains(&format!("`{name}`")));
    names
        .iter()
        .map(|name| {
            Finding::new(
                DECISIONS,
                0,
                format!("no line for `{name}`: why, terms, the way out"),
            )
        })
        .collect()
}

/// Whether an SPDX expression can be met with [`ALLOWED`] terms. `/` is the old way to write OR.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let met = alternatives(&tokens, &mut at);
    met && at == tokens.len()
}

fn alternatives(tokens: &[&str], at: &mut usize) -> bool {
    let mut met = conjunction(tokens, at);
    while tokens.get(*at) == Some(&"OR") {
        *at += 1;
        met |= conjunction(tokens, at);
    }
    met
}

fn conjunction(tokens: &[&str], at: &mut usize) -> bool {
    let mut met = term(tokens, at);
    while tokens.get(*at) == Some(&"AND") {
        *at += 1;
        met &= term(tokens, at);
    }
    met
}

fn term(tokens: &[&str], at: &mut usize) -> bool {
    let Some(first) = tokens.get(*at) else {
        return false;
    };
    *at += 1;
    if *first == "(" {
        let met = alternatives(tokens, at);
        let closed = tokens.get(*at) == Some(&")");
        *at += 1;
        return met && closed;
    }
    if tokens.get(*at) == Some(&"WITH") && *at + 1 < tokens.len() {
        let whole = format!("{first} WITH {}", tokens[*at + 1]);
        *at += 2;
        return ALLOWED.contains(&whole.as_str());
    }
    ALLOWED.contains(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn expressions_are_read_with_their_operators() {
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "(MIT OR GPL-3.0-only) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in [
            "",
            "GPL-2.0-only",
            "MIT AND GPL-2.0-only",
            "(MIT OR ISC",
            "GPL-2.0-only WITH Classpath-exception-2.0",
        ] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }

    #[test]
    fn a_copyleft_dependency_fails() {
        let metadata = json!({"packages": [{"name": "a", "license": "MIT"}, {"name": "b", "license": "GPL-3.0-or-later"}]});
        let found = check(&metadata);
        assert_eq!(found.len(), 1);
        assert!(found[0].message.contains("`b`"));
        assert_eq!(
            check(&json!({"packages": [{"name": "c", "license": null}]})).len(),
            1
        );
    }

    #[test]
    fn a_dependency_without_a_line_of_reasons_fails() {
        let metadata = json!({"packages": [
            {"name": "ours", "dependencies": [{"name": "theirs"}, {"name": "other"}]},
            {"name": "other", "dependencies": []}]});
        let with = |text: &str| {
            [TextFile {
                path: DECISIONS.to_owned(),
                text: text.to_owned(),
            }]
        };
        assert_eq!(check_decisions(&metadata, &with("| `theirs` | why |")), []);
        assert!(
            check_decisions(&metadata, &with(""))[0]
                .message
                .contains("`theirs`")
        );
    }
}
