//! Where scenario text comes from: a file, or the experiments that are built in.
//!
//! This is the only module of the crate that reads a file.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use include_dir::{Dir, include_dir};
use toml::de::{DeTable, DeValue};

use crate::network_kind;

static SHIPPED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");

/// Scenario text and the name it is reported under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// A path, or the name of a shipped scenario: what errors print before the line number.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A scenario that is built into the binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// What `farpath run` is given, such as `cern-snaky/five-passes`.
    pub name: String,
    /// The text.
    pub text: &'static str,
    /// `[scenario] summary`; empty if there is none.
    pub summary: String,
}

/// Why no text could be had. Every message says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Neither a file nor a shipped scenario.
    #[error("`{name}`: no such file, and no shipped scenario of that name\n  {remedy}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What to try.
        remedy: String,
    },
    /// The file exists and cannot be read.
    #[error("`{path}`: {cause}\n  {remedy}")]
    Unreadable {
        /// The path as given.
        path: String,
        /// What the system said.
        cause: std::io::Error,
        /// What to try.
        remedy: &'static str,
    },
    /// The file has results, and no scenario.
    #[error("`{path}`: {what}, not a scenario\n  {remedy}")]
    Results {
        /// The path as given.
        path: String,
        /// What is in it.
        what: &'static str,
        /// What reads it.
        remedy: String,
    },
    /// The file is too large to be a scenario, or is not UTF-8.
    #[error("`{path}`: {cause}\n  a scenario is a TOML text in UTF-8 of at most 4 MiB")]
    NotText {
        /// The path as given.
        path: String,
        /// What is wrong with it.
        cause: String,
    },
}

/// Largest file that is read.
const LARGEST_FILE: u64 = 4 << 20;

/// The shipped scenarios, ordered by name.
pub fn shipped() -> impl Iterator<Item = Shipped> {
    let mut found = Vec::new();
    collect(&SHIPPED, &mut found);
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.into_iter()
}

fn collect(dir: &'static Dir<'static>, found: &mut Vec<Shipped>) {
    for file in dir.files() {
        let path = file.path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let Some(text) = file.contents_utf8() else {
            continue;
        };
        // Names are the same on every system, whatever separates folders there.
        let parts = path.with_extension("");
        let parts: Vec<_> = parts.iter().map(|p| p.to_string_lossy()).collect();
        found.push(Shipped {
            name: parts.join("/"),
            text,
            summary: summary_of(text),
        });
    }
    for sub in dir.dirs() {
        collect(sub, found);
    }
}

fn summary_of(text: &str) -> String {
    let (table, _) = DeTable::parse_recoverable(text);
    let scenario = table.get_ref().get("scenario").map(|v| v.get_ref());
    let Some(DeValue::Table(scenario)) = scenario else {
        return String::new();
    };
    match scenario.get("summary").map(|v| v.get_ref()) {
        Some(DeValue::String(s)) => s.split_whitespace().collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}

/// The text behind `name_or_path`: a shipped scenario if one has that name, else a file.
///
/// # Errors
/// Names the path, the cause and the remedy.
pub fn load(name_or_path: &str) -> Result<Source, SourceError> {
    if let Some(found) = shipped().find(|s| s.name == name_or_path) {
        return Ok(Source {
            name: found.name,
            text: found.text.to_owned(),
        });
    }
    read(Path::new(name_or_path), name_or_path)
}

/// The text of a file of expectations; no shipped scenario is meant by its name.
///
/// # Errors
/// Names the path, the cause and the remedy.
pub fn load_expectations(path: &str) -> Result<Source, SourceError> {
    let remedy = "give a file of [[expect]] sections, as a scenario has them";
    read(Path::new(path), path).map_err(|error| match error {
        SourceError::Unknown { name: path, .. } => SourceError::Unreadable {
            path,
            cause: std::io::Error::new(std::io::ErrorKind::NotFound, "no such file"),
            remedy,
        },
        SourceError::Unreadable { path, cause, .. }
            if cause.kind() == std::io::ErrorKind::IsADirectory =>
        {
            SourceError::Unreadable {
                path,
                cause,
                remedy,
            }
        }
        other => other,
    })
}

/// The folder of a scenario's file: where the files it names are. Each is read once.
pub(crate) struct Beside<'a> {
    scenario: &'a str,
    files: RefCell<BTreeMap<String, Arc<str>>>,
}

impl<'a> Beside<'a> {
    /// The folder of the scenario called `scenario`: a path, or a shipped one's name.
    pub(crate) fn of(scenario: &'a str) -> Beside<'a> {
        let files = RefCell::default();
        Beside { scenario, files }
    }

    /// The text of the file `name`, which ends in one of `endings`. A fault comes as title and remedy.
    pub(crate) fn text(&self, name: &str, endings: &[&str]) -> Result<Arc<str>, (String, String)> {
        plain(name, endings)?;
        if let Some(text) = self.files.borrow().get(name) {
            return Ok(Arc::clone(text));
        }
        let text: Arc<str> = beside(self.scenario, name)?.into();
        self.files
            .borrow_mut()
            .insert(name.to_owned(), Arc::clone(&text));
        Ok(text)
    }

    /// Every file that was read, by its name in the scenario.
    pub(crate) fn files(self) -> BTreeMap<String, Arc<str>> {
        self.files.into_inner()
    }
}

/// Refuses a name that leads elsewhere, or has another ending.
fn plain(name: &str, endings: &[&str]) -> Result<(), (String, String)> {
    let path = Path::new(name);
    let plain = path
        .components()
        .all(|c| matches!(c, std::path::Component::Normal(_)));
    if !plain
        || !endings
            .iter()
            .any(|e| path.extension().is_some_and(|p| p == *e))
    {
        let endings = endings.join(" or .");
        let title = format!(
            "`{}` is not a .{endings} file beside the scenario",
            crate::diagnostic::shorten(name)
        );
        let remedy = format!(
            "a relative path that stays below the scenario's folder and ends in .{endings}"
        );
        return Err((title, remedy));
    }
    Ok(())
}

fn beside(scenario: &str, name: &str) -> Result<String, (String, String)> {
    let path = Path::new(name);
    if let Some((folder, _)) = scenario.rsplit_once('/')
        && let Some(file) = SHIPPED.get_file(Path::new(folder).join(path))
        && shipped().any(|s| s.name == scenario)
    {
        let text = file.contents_utf8().unwrap_or_default();
        return Ok(text.to_owned());
    }
    let folder = Path::new(scenario).parent().unwrap_or(Path::new(""));
    let path = folder.join(path);
    let shown = path.to_string_lossy().into_owned();
    match read(&path, &shown) {
        Ok(source) => Ok(source.text),
        Err(SourceError::Unknown { .. }) => {
            let title = format!("there is no file `{shown}`");
            Err((
                title,
                "the path is relative to the scenario's file".to_owned(),
            ))
        }
        Err(other) => {
            let said = other.to_string();
            let (title, remedy) = said.split_once('\n').unwrap_or((&said, ""));
            Err((title.to_owned(), remedy.trim().to_owned()))
        }
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "the one place of this crate that reads a file"
)]
fn read(path: &Path, name: &str) -> Result<Source, SourceError> {
    let unreadable = |cause: std::io::Error| match cause.kind() {
        std::io::ErrorKind::NotFound => SourceError::Unknown {
            name: name.to_owned(),
            remedy: nearest(name),
        },
        std::io::ErrorKind::PermissionDenied => SourceError::Unreadable {
            path: name.to_owned(),
            cause,
            remedy: "make the file readable for this user",
        },
        _ => SourceError::Unreadable {
            path: name.to_owned(),
            cause,
            remedy: "give a file, or a name that `farpath scenarios` lists",
        },
    };
    let about = std::fs::metadata(path).map_err(unreadable)?;
    if about.is_dir() {
        if let Some(remedy) = in_folder(name) {
            let name = name.to_owned();
            return Err(SourceError::Unknown { name, remedy });
        }
        let cause = std::io::Error::from(std::io::ErrorKind::IsADirectory);
        return Err(unreadable(cause));
    }
    // A device or a pipe tells no length, and may never end.
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let read = file.take(LARGEST_FILE + 1).read_to_end(&mut bytes);
    read.map_err(unreadable)?;
    // One of results may be far larger than a scenario.
    if let Some(results) = results(&bytes, path, name) {
        return Err(results);
    }
    if bytes.len() as u64 > LARGEST_FILE {
        let cause = match about.len() {
            0 => "it does not end".to_owned(),
            length => format!("the file has {length} bytes"),
        };
        return Err(SourceError::NotText {
            path: name.to_owned(),
            cause,
        });
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source {
            name: name.to_owned(),
            text,
        }),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let line = e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
            let cause = format!("line {line} is not UTF-8 (byte {at})");
            Err(SourceError::NotText {
                path: name.to_owned(),
                cause,
            })
        }
    }
}

/// What farpath writes as JSON, by its schema: what it is, and the command that reads it.
const RESULTS: [(&str, &str, &str); 6] = [
    ("farpath.report/", "the data of a run's page", "figures"),
    ("farpath.run/", "the records of a run", "compare"),
    ("farpath.compare/", "a comparison of runs", ""),
    ("farpath.diagnosis/", "a diagnosis", ""),
    (
        "farpath.trace/",
        "what `farpath trace` said of captures",
        "",
    ),
    ("farpath.", "JSON that farpath wrote", ""),
];

/// So much of a file has its schema, as the first key.
const HEAD: usize = 200;

/// That a file is of results, where it is JSON: no TOML begins as an object does.
fn results(bytes: &[u8], path: &Path, name: &str) -> Option<SourceError> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).into_owned();
    let head = head.trim_start();
    if !head.starts_with('{') {
        return None;
    }
    let found = RESULTS.iter().find(|(schema, ..)| head.contains(*schema));
    let (what, reader) = found.map_or(("JSON", ""), |(_, what, reader)| (*what, *reader));
    let mut remedies = Vec::new();
    if !reader.is_empty() {
        remedies.push(format!("`farpath {reader} {name}` reads it"));
    }
    let beside = path.with_file_name(RESOLVED);
    if is_file(&beside) {
        let beside = beside.display();
        remedies.push(format!("the scenario that was run is beside it: {beside}"));
    }
    if remedies.is_empty() {
        remedies.push("a scenario is a TOML text: `farpath new` writes one".to_owned());
    }
    Some(SourceError::Results {
        path: name.to_owned(),
        what,
        remedy: remedies.join("; "),
    })
}

/// What `farpath run --out` calls the scenario as it was run.
const RESOLVED: &str = "scenario.resolved.toml";

#[allow(
    clippy::disallowed_methods,
    reason = "whether a file is there is asked here alone"
)]
fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// The shipped scenarios in a folder of that name.
fn in_folder(name: &str) -> Option<String> {
    let folder = format!("{}/", name.trim_end_matches('/'));
    let inside = shipped().map(|s| s.name).filter(|n| n.starts_with(&folder));
    let inside: Vec<String> = inside.map(|n| format!("    {n}")).collect();
    (!inside.is_empty()).then(|| {
        format!(
            "it is a folder of shipped scenarios; give one of them:\n{}",
            inside.join("\n")
        )
    })
}

fn nearest(name: &str) -> String {
    if let Some(inside) = in_folder(name) {
        return inside;
    }
    if let Some(figures) = network_kind::remedy(name) {
        return figures;
    }
    let names: Vec<String> = shipped().map(|s| s.name).collect();
    // `five-passes` alone is what people type.
    let last = |n: &str| n.rsplit('/').next().unwrap_or(n).to_owned();
    let best = names
        .iter()
        .map(|n| {
            (
                strsim::jaro_winkler(n, name).max(strsim::jaro_winkler(&last(n), name)),
                n,
            )
        })
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((likeness, n)) if likeness > 0.8 => format!("did you mean `{n}`?"),
        _ => "`farpath scenarios` lists the shipped ones; a path must name an existing file"
            .to_owned(),
    }
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "the file that is refused has to be written first"
)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_answered_with_a_likely_one() {
        let e = load("five-pases").expect_err("no such file");
        assert_eq!(
            e.to_string(),
            "`five-pases`: no such file, and no shipped scenario of that name\n  \
             did you mean `cern-snaky/five-passes`?"
        );
    }

    #[test]
    fn a_folder_of_shipped_scenarios_is_answered_with_what_is_in_it() {
        for name in ["cern-snaky", "cern-snaky/"] {
            let said = load(name).expect_err("a folder").to_string();
            let all = shipped().filter(|s| s.name.starts_with("cern-snaky/"));
            let mut listed = 0;
            for s in all {
                assert!(said.contains(&s.name), "{said}");
                listed += 1;
            }
            assert!(listed > 3 && !said.contains("did you mean"), "{said}");
            assert!(!said.contains("slac-binp/"), "{said}");
        }
    }

    /// They were answered with errors of TOML.
    #[test]
    fn results_are_answered_with_the_command_that_reads_them() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let said = |text: &str| {
            let file = dir.path().join("report.json");
            std::fs::write(&file, text).expect("written");
            let said = load(file.to_str().expect("UTF-8")).expect_err("results");
            said.to_string()
        };
        let run = said("{\n\"schema\": \"farpath.run/1\",\n\"scenario\": \"x\"}");
        assert!(
            run.contains("the records of a run, not a scenario"),
            "{run}"
        );
        assert!(
            run.contains("`farpath compare ") && !run.contains(RESOLVED),
            "{run}"
        );
        std::fs::write(dir.path().join(RESOLVED), "").expect("written");
        let large = format!("{{\"schema\":\"farpath.report/1\"{}", " ".repeat(5 << 20));
        let page = said(&large);
        assert!(
            page.contains("`farpath figures ") && page.contains(RESOLVED),
            "{page}"
        );
        assert!(said("{}").contains("JSON, not a scenario"));
    }

    #[test]
    fn a_folder_and_a_binary_file_are_refused() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let text = load(dir.path().to_str().expect("UTF-8"))
            .expect_err("a folder")
            .to_string();
        assert!(
            text.contains("directory") && text.contains("`farpath scenarios`"),
            "{text}"
        );
        let file = dir.path().join("x.toml");
        std::fs::write(&file, b"a = 1\n\xff\n").expect("written");
        let text = load(file.to_str().expect("UTF-8"))
            .expect_err("not text")
            .to_string();
        assert!(text.contains("line 2 is not UTF-8 (byte 6)"), "{text}");
    }

    #[test]
    fn shipped_scenarios_have_names_texts_and_summaries() {
        let all: Vec<Shipped> = shipped().collect();
        assert!(all.iter().any(|s| s.name == "cern-snaky/five-passes"));
        for s in &all {
            assert!(
                !s.summary.is_empty(),
                "{} says nothing about itself",
                s.name
            );
            assert_eq!(load(&s.name).expect("shipped").text, s.text);
        }
    }
}
