//! How long files and functions may get before they are split.

use super::finding::Finding;
use super::waivers::{self, Waivers};
use crate::source::{Code, is_test_file, item_end};
use crate::tree::TextFile;

/// Most lines of a source file, tests left out.
const FILE_LINES: usize = 600;

/// Most lines of a function, signature and closing brace included, tests left out.
const FUNCTION_LINES: usize = 70;

/// Checks every source file, and that every waiver is still needed.
pub(super) fn check(files: &[TextFile], waivers: &Waivers) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut used_files = vec![false; waivers.files.len()];
    let mut used_functions = vec![false; waivers.functions.len()];
    for file in files.iter().filter(|file| is_measured(&file.path)) {
        let code = file.path.ends_with(".rs").then(|| Code::of(&file.text));
        let lines = code
            .as_ref()
            .map_or(file.text.lines().count(), Code::product_lines);
        if lines > FILE_LINES {
            let waiver = waivers.files.iter().position(|w| w.path == file.path);
            mark(&mut used_files, waiver);
            let limit = waiver.map_or(FILE_LINES, |i| waivers.files[i].lines);
            if lines > limit {
                findings.push(Finding::new(
                    &file.path,
                    0,
                    format!("{lines} lines without tests, at most {limit}"),
                ));
            }
        }
        for function in code.as_ref().map(functions).unwrap_or_default() {
            if function.lines <= FUNCTION_LINES {
                continue;
            }
            let named = |w: &waivers::LongFunction| w.path == file.path && w.name == function.name;
            let waiver = waivers.functions.iter().position(named);
            mark(&mut used_functions, waiver);
            let limit = waiver.map_or(FUNCTION_LINES, |i| waivers.functions[i].lines);
            if function.lines > limit {
                let message = format!(
                    "`{}` has {} lines, at most {limit}",
                    function.name, function.lines
                );
                findings.push(Finding::new(&file.path, function.start, message));
            }
        }
    }
    let stale_files = waivers
        .files
        .iter()
        .zip(used_files)
        .filter(|(_, used)| !used)
        .map(|(w, _)| w.path.clone());
    let stale_functions = waivers
        .functions
        .iter()
        .zip(used_functions)
        .filter(|(_, used)| !used);
    let stale_functions = stale_functions.map(|(w, _)| format!("{} in {}", w.name, w.path));
    findings.extend(
        stale_files
            .chain(stale_functions)
            .map(|what| Finding::new(waivers::PATH, 0, format!("no longer needed: {what}"))),
    );
    findings
}

fn mark(used: &mut [bool], index: Option<usize>) {
    if let Some(i) = index {
        used[i] = true;
    }
}

fn is_measured(path: &str) -> bool {
    let source = [".rs", ".ts", ".py", ".cc"]
        .iter()
        .any(|ending| path.ends_with(ending));
    source && !is_test_file(path) && !path.ends_with(".test.ts")
}

#[derive(Debug, PartialEq, Eq)]
struct Function {
    name: String,
    /// First line, from 1.
    start: usize,
    lines: usize,
}

/// Every function of a file that is not a test, nested ones included.
fn functions(code: &Code) -> Vec<Function> {
    let mut found = Vec::new();
    for (i, line) in code
        .lines
        .iter()
        .enumerate()
        .filter(|(i, _)| !code.test[*i])
    {
        if let Some(name) = declared_name(line) {
            let lines = item_end(&code.lines, i) - i + 1;
            found.push(Function {
                name,
                start: i + 1,
                lines,
            });
        }
    }
    found
}

/// The name after `fn` on this line; a function pointer type (`fn(u8)`) has none.
fn declared_name(line: &str) -> Option<String> {
    let mut rest = line;
    while let Some(at) = rest.find("fn ") {
        let alone = rest[..at]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let name: String = rest[at + 3..]
            .trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if alone && !name.is_empty() {
            return Some(name);
        }
        rest = &rest[at + 3..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::waivers::{LongFile, LongFunction};

    fn file(path: &str, text: String) -> [TextFile; 1] {
        [TextFile {
            path: path.to_owned(),
            text,
        }]
    }

    fn long_function(lines: usize) -> String {
        format!(
            "impl A {{\n    pub fn long(&self) {{\n{}    }}\n}}\n",
            "        b();\n".repeat(lines - 2)
        )
    }

    #[test]
    fn a_file_of_601_lines_fails_and_tests_do_not_count() {
        let none = Waivers::default();
        assert_eq!(
            check(&file("crates/a/src/b.rs", "// a\n".repeat(600)), &none),
            []
        );
        assert_eq!(
            check(&file("crates/a/src/b.rs", "// a\n".repeat(601)), &none).len(),
            1
        );
        let tests = format!(
            "{}#[cfg(test)]\nmod tests {{\n{}}}\n",
            "// a\n".repeat(600),
            "\n".repeat(600)
        );
        assert_eq!(check(&file("crates/a/src/b.rs", tests), &none), []);
        assert_eq!(
            check(&file("crates/a/tests/b.rs", "// a\n".repeat(900)), &none),
            []
        );
        assert_eq!(
            check(&file("web/src/b.ts", "// a\n".repeat(601)), &none).len(),
            1
        );
    }

    #[test]
    fn a_function_of_71_lines_fails_where_it_starts() {
        let none = Waivers::default();
        assert_eq!(
            check(&file("crates/a/src/b.rs", long_function(70)), &none),
            []
        );
        let found = check(&file("crates/a/src/b.rs", long_function(71)), &none);
        assert_eq!((found.len(), found[0].line), (1, 2));
        assert!(found[0].message.contains("`long` has 71 lines"));
    }

    #[test]
    fn a_waiver_lets_through_what_it_says_and_no_more() {
        let function = |lines| LongFunction {
            path: "crates/a/src/b.rs".to_owned(),
            name: "long".to_owned(),
            lines,
            reason: "one match".to_owned(),
        };
        let waivers = |lines| Waivers {
            functions: vec![function(lines)],
            ..Waivers::default()
        };
        assert_eq!(
            check(&file("crates/a/src/b.rs", long_function(80)), &waivers(80)),
            []
        );
        assert_eq!(
            check(&file("crates/a/src/b.rs", long_function(81)), &waivers(80)).len(),
            1
        );
    }

    #[test]
    fn a_waiver_that_is_not_needed_fails() {
        let waivers = Waivers {
            files: vec![LongFile {
                path: "gone.rs".to_owned(),
                lines: 700,
                reason: "a table".to_owned(),
            }],
            ..Waivers::default()
        };
        assert!(
            check(&file("crates/a/src/b.rs", String::new()), &waivers)[0]
                .message
                .contains("no longer needed")
        );
    }

    #[test]
    fn names_are_found_where_functions_are_declared() {
        assert_eq!(
            declared_name("    pub(crate) const fn step(&mut self)"),
            Some("step".to_owned())
        );
        assert_eq!(declared_name("    let f: fn(u8) = g;"), None);
        assert_eq!(declared_name("    often a"), None);
    }
}
