//! `cargo xtask same`: what every shipped scenario gives, against the digests in `xtask/same.txt`.
//!
//! A line of that file is `SCENARIO WHAT DIGEST`: one for each metric of each origin over all records, one for what
//! limited them, one for each field of the links, one for the expectations. So a difference names itself. Runs are
//! read from `target/scenarios`, where `make scenarios` leaves them; real-time origins are left out.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use farpath_observe::metric::{self, Subject};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const RUNS: &str = "target/scenarios";
const BASELINE: &str = "xtask/same.txt";
/// Origins that give the same bits every time.
const EXACT: [&str; 2] = ["predicted", "simulated"];

/// Digests by scenario and what they are of.
type Digests = BTreeMap<(String, String), String>;

/// What to do with the digests of the runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Take them into the baseline, in place of those of the same scenarios.
    Write,
    /// Compare them with the baseline; scenarios that did not run are counted, no more.
    Check,
}

/// Writes or compares; `false` when a digest differs.
pub(crate) fn run(mode: Mode) -> Result<bool, String> {
    let mut found = Digests::new();
    for file in documents(Path::new(RUNS))? {
        let name = file.parent().and_then(|p| p.strip_prefix(RUNS).ok());
        let name = name.map(|p| p.display().to_string()).unwrap_or_default();
        let document: Value = serde_json::from_str(&read(&file)?)
            .map_err(|e| format!("read {}: {e}", file.display()))?;
        for (what, text) in parts(&document) {
            found.insert((name.clone(), what), digest(&text));
        }
    }
    if found.is_empty() {
        return Err(format!("no run lies in {RUNS}: `make scenarios` first"));
    }
    let baseline = parse(&read(Path::new(BASELINE)).unwrap_or_default())?;
    let ran = |name: &str| found.keys().any(|(n, _)| n == name);
    match mode {
        Mode::Write => {
            let kept = baseline.into_iter().filter(|((name, _), _)| !ran(name));
            let mut all: Digests = kept.collect();
            all.extend(found);
            let mut text = String::new();
            for ((name, what), digest) in &all {
                writeln!(text, "{name} {what} {digest}").map_err(|e| e.to_string())?;
            }
            fs::write(BASELINE, text).map_err(|e| format!("write {BASELINE}: {e}"))?;
            Ok(true)
        }
        Mode::Check => {
            let names: std::collections::BTreeSet<&String> =
                baseline.keys().map(|(name, _)| name).collect();
            let here = names.iter().filter(|n| ran(n)).count();
            let changes = changes(&baseline, &found);
            for line in &changes {
                println!("{line}");
            }
            println!(
                "same: {here} of {} scenarios compared, {} differences",
                names.len(),
                changes.len()
            );
            if !changes.is_empty() {
                println!(
                    "CHANGELOG.md says what was wrong before; then `cargo xtask same --write`"
                );
            }
            Ok(changes.is_empty())
        }
    }
}

/// One line for each difference among the scenarios that ran.
fn changes(baseline: &Digests, found: &Digests) -> Vec<String> {
    let ran = |name: &str| found.keys().any(|(n, _)| n == name);
    let mut lines = Vec::new();
    for (key, digest) in found {
        let (name, what) = key;
        match baseline.get(key) {
            None => lines.push(format!("{name}: {what} is new")),
            Some(before) if before != digest => lines.push(format!("{name}: {what} differs")),
            Some(_) => {}
        }
    }
    let gone = baseline
        .keys()
        .filter(|k| ran(&k.0) && !found.contains_key(*k));
    lines.extend(gone.map(|(name, what)| format!("{name}: {what} is gone")));
    lines
}

/// The parts of a document that have a digest of their own, as text.
fn parts(document: &Value) -> BTreeMap<String, String> {
    let mut parts: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |what: String, at: &str, value: &Value| {
        let text = parts.entry(what).or_default();
        text.push_str(&format!("{at} {value}\n"));
    };
    let origin = |v: &Value| v["origin"].as_str().unwrap_or_default().to_owned();
    let exact = |v: &&Value| EXACT.contains(&origin(v).as_str());
    let list = |name: &str| document[name].as_array().into_iter().flatten();
    for record in list("records").filter(exact) {
        let origin = origin(record);
        let at = format!(
            "{} {} {}",
            record["test"], record["point"], record["repeat"]
        );
        let kind = Subject::of_test(record["kind"].as_str().unwrap_or_default());
        for (metric, value) in record["metrics"].as_object().into_iter().flatten() {
            if kind.is_some_and(|kind| metric::of(kind).all(|m| m.name != metric)) {
                add(format!("{origin}.{metric}.not_in_the_registry"), &at, value);
            }
            add(format!("{origin}.{metric}"), &at, value);
        }
        add(format!("{origin}.limited_by"), &at, &record["limited_by"]);
    }
    for link in list("links").filter(exact) {
        let at = format!("{} {} {}", link["link"], link["direction"], link["point"]);
        for (field, value) in link.as_object().into_iter().flatten() {
            add(format!("links.{field}"), &at, value);
        }
    }
    for expectation in list("expectations").filter(exact) {
        // What is judged, and how; not the words around it.
        let judged = ["metric", "point", "min", "max", "actual", "pass"];
        let judged = judged.map(|key| &expectation[key]);
        add(
            "expectations".to_owned(),
            &origin(expectation),
            &json!(judged),
        );
    }
    parts
}

/// The first 16 hexadecimal digits of a text's SHA-256.
fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
}

fn parse(text: &str) -> Result<Digests, String> {
    let mut all = Digests::new();
    for (number, line) in text.lines().enumerate() {
        let [name, what, digest] = line.split(' ').collect::<Vec<_>>()[..] else {
            return Err(format!(
                "{BASELINE}:{}: not `SCENARIO WHAT DIGEST`",
                number + 1
            ));
        };
        all.insert((name.to_owned(), what.to_owned()), digest.to_owned());
    }
    Ok(all)
}

/// Every `records.json` below a folder, in order.
fn documents(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry
                .map_err(|e| format!("read {}: {e}", folder.display()))?
                .path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|n| n == "records.json") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|e| format!("read {}: {e}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(goodput: f64, test: &str) -> Digests {
        let document = json!({
            "records": [
                {"origin": "simulated", "test": test, "point": {}, "repeat": 0, "limited_by": "link",
                 "metrics": {"goodput_bps": goodput, "bytes": 1}},
                {"origin": "emulated", "test": "t", "metrics": {"bytes": 7}},
            ],
            "links": [{"origin": "simulated", "link": "l", "direction": "a>b", "point": {}, "bytes": 3}],
            "expectations": [],
        });
        let parts = parts(&document).into_iter();
        parts
            .map(|(what, text)| (("s".to_owned(), what), digest(&text)))
            .collect()
    }

    #[test]
    fn a_difference_names_its_metric() {
        let before = digests(1.0, "t");
        assert!(changes(&before, &digests(1.0, "t")).is_empty());
        assert_eq!(
            changes(&before, &digests(2.0, "t")),
            ["s: simulated.goodput_bps differs"]
        );
        assert_eq!(changes(&before, &digests(1.0, "u")).len(), 3);
        assert!(!before.keys().any(|(_, what)| what.starts_with("emulated")));
    }

    #[test]
    fn a_metric_more_or_less_is_a_difference() {
        let (before, mut after) = (digests(1.0, "t"), digests(1.0, "t"));
        after.remove(&("s".to_owned(), "simulated.bytes".to_owned()));
        assert_eq!(changes(&before, &after), ["s: simulated.bytes is gone"]);
        assert_eq!(changes(&after, &before), ["s: simulated.bytes is new"]);
        assert!(changes(&before, &Digests::new()).is_empty());
    }
}
