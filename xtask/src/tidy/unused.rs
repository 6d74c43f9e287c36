//! Every dependency a manifest names is used: a row that says what a crate does not know is kept by the manifest too.
//!
//! By name in the code, not by rustc's `unused_crate_dependencies`, which knows one target at a time: a crate that
//! only one of several test programs uses is unused in all others.

use serde_json::Value;

use super::finding::Finding;
use super::metadata::{packages, text};
use crate::source::{Code, is_test_file};
use crate::tree::TextFile;

/// Checks a `cargo metadata --no-deps` document against the sources.
pub(super) fn check(metadata: &Value, files: &[TextFile]) -> Vec<Finding> {
    let root = text(metadata, "workspace_root");
    let mut findings = Vec::new();
    for package in packages(metadata) {
        let manifest = text(package, "manifest_path");
        let manifest = manifest.strip_prefix(root).unwrap_or(manifest);
        let manifest = manifest.trim_start_matches('/');
        let Some(folder) = manifest.strip_suffix("Cargo.toml") else {
            continue;
        };
        let used = Used::of(files, folder);
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        findings.extend(dependencies.filter_map(|dependency| {
            let message = used.fault(dependency)?;
            Some(Finding::new(manifest, 0, message))
        }));
    }
    findings
}

/// The code of one package, comments and literals blanked.
#[derive(Default)]
struct Used {
    product: Vec<String>,
    tests: Vec<String>,
}

impl Used {
    fn of(files: &[TextFile], folder: &str) -> Used {
        let mut used = Used::default();
        let sources = files
            .iter()
            .filter(|f| f.path.starts_with(folder) && f.path.ends_with(".rs"));
        for file in sources {
            let code = Code::of(&file.text);
            // Examples are built with what tests may use.
            let apart = is_test_file(&file.path) || file.path.contains("/examples/");
            for (line, test) in code.lines.into_iter().zip(code.test) {
                let part = if apart || test {
                    &mut used.tests
                } else {
                    &mut used.product
                };
                part.push(line);
            }
        }
        used
    }

    /// What is wrong with one dependency of `cargo metadata`.
    fn fault(&self, dependency: &Value) -> Option<String> {
        let name = dependency["rename"]
            .as_str()
            .unwrap_or_else(|| text(dependency, "name"));
        let word = name.replace('-', "_");
        let within = |lines: &[String]| lines.iter().any(|l| names(l, &word));
        match (within(&self.product), within(&self.tests)) {
            (true, _) => None,
            (false, true) if text(dependency, "kind") == "dev" => None,
            (false, true) => Some(format!(
                "only tests use `{name}`: it belongs under [dev-dependencies]"
            )),
            (false, false) => Some(format!("nothing uses `{name}`: take it out")),
        }
    }
}

/// Whether `line` has `word` as a whole name.
fn names(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn findings(kind: Option<&str>, files: &[(&str, &str)]) -> Vec<String> {
        let metadata = json!({"workspace_root": "/w", "packages": [{
            "name": "a", "manifest_path": "/w/crates/a/Cargo.toml",
            "dependencies": [{"name": "some-crate", "kind": kind, "rename": null}],
        }]});
        let file = |(path, text): &(&str, &str)| TextFile {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        };
        let files: Vec<TextFile> = files.iter().map(file).collect();
        let found = check(&metadata, &files).into_iter();
        found.map(|f| format!("{} {}", f.path, f.message)).collect()
    }

    #[test]
    fn what_nothing_names_is_found() {
        let files = [
            (
                "crates/a/src/lib.rs",
                "// some_crate::x\nuse some_crates::y;\n",
            ),
            ("crates/b/src/lib.rs", "use some_crate::x;\n"),
        ];
        let unused = "crates/a/Cargo.toml nothing uses `some-crate`: take it out";
        assert_eq!(findings(None, &files), [unused]);
        assert_eq!(findings(Some("dev"), &files), [unused]);
    }

    #[test]
    fn what_tests_alone_use_is_for_tests() {
        for test in [
            ("crates/a/tests/whole/main.rs", "use some_crate::x;\n"),
            ("crates/a/examples/page.rs", "some_crate::x();\n"),
            (
                "crates/a/src/lib.rs",
                "#[cfg(test)]\nmod tests {\n    use some_crate::x;\n}\n",
            ),
        ] {
            assert!(findings(None, &[test])[0].contains("[dev-dependencies]"));
            assert!(findings(Some("dev"), &[test]).is_empty());
        }
    }

    #[test]
    fn what_the_product_uses_passes() {
        let file = ("crates/a/src/lib.rs", "pub use some_crate as other;\n");
        assert!(findings(None, &[file]).is_empty());
        assert!(findings(Some("build"), &[file]).is_empty());
    }
}
