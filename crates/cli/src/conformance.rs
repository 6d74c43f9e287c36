//! `farpath conformance`: packetdrill scripts against the TCP model.

#![allow(
    clippy::disallowed_methods,
    reason = "scripts are read from the user's folder, with errors that name the path"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use farpath_drill::{Played, Printed, Verdict};
use farpath_experiment::Progress;
use farpath_report::junit;
use serde_json::{Value, json};

use crate::args::ConformanceArgs;
use crate::exit::{Exit, Failure, note, print};
use crate::output::prepare_report;
use crate::progress::{self, Bar};

/// Version of the JSON document.
const SCHEMA: &str = "farpath.conformance/1";
/// Largest script, and largest file that a script's shell lines run.
const FILE_BYTES: u64 = 4 << 20;
/// Folders below a folder, at most this deep.
const DEPTH: u32 = 16;
/// Reasons shown of each kind.
const REASONS: usize = 12;

/// What became of one file.
enum Fate {
    Run(Verdict),
    /// Not of the syntax: the error, with its line.
    Bad(String),
}

struct Result {
    file: PathBuf,
    fate: Fate,
    /// What its code printed.
    printed: Vec<Printed>,
}

pub(crate) fn conformance(args: &ConformanceArgs) -> std::result::Result<Exit, Failure> {
    progress::watch_interrupts()?;
    let mut files = Vec::new();
    for path in &args.paths {
        collect(path, &mut files)?;
    }
    if files.is_empty() {
        return Err(Failure::usage("no scripts found").hint(
            "scripts are files whose names end in .pkt; a folder is searched with all below it",
        ));
    }
    let junit = args.junit.as_deref().map(prepare_report).transpose()?;
    let mut bar = Bar::new();
    bar.expect(files.len() as u64);
    let mut results = Vec::with_capacity(files.len());
    for file in files {
        if progress::interrupted() {
            bar.finish();
            return Err(Failure::interrupted("interrupted"));
        }
        bar.say(&file.file_name().unwrap_or_default().to_string_lossy());
        let (fate, printed) = run(&file)?;
        results.push(Result {
            file,
            fate,
            printed,
        });
        bar.advance(1000);
    }
    bar.finish();
    if let Some(file) = junit {
        let cases: Vec<junit::Told> = results.iter().map(|r| case(r).into()).collect();
        let mut xml = Vec::new();
        junit::write_cases("conformance", &cases, &mut xml)
            .map_err(|e| Failure::environment(format!("JUnit XML: {e}")))?;
        file.write(&xml)?;
    }
    if args.json {
        print(&format!("{:#}\n", document(&results)))?;
    } else {
        print(&text(&results, args.verbose))?;
    }
    Ok(exit(&results))
}

fn exit(results: &[Result]) -> Exit {
    let any = |wanted: fn(&Fate) -> bool| results.iter().any(|r| wanted(&r.fate));
    if any(|fate| matches!(fate, Fate::Bad(_))) {
        Exit::Usage
    } else if any(|fate| matches!(fate, Fate::Run(Verdict::Differs { .. }))) {
        Exit::Finding
    } else {
        Exit::Ok
    }
}

/// Scripts at `path`: the file itself, or all below the folder, in order.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::result::Result<(), Failure> {
    if path.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    if !path.is_dir() {
        return Err(Failure::usage(format!(
            "{}: no such file or folder",
            path.display()
        )));
    }
    below(path, files, DEPTH)
}

fn below(folder: &Path, files: &mut Vec<PathBuf>, depth: u32) -> std::result::Result<(), Failure> {
    let failed = |e| Failure::usage(format!("read {}: {e}", folder.display()));
    let mut entries = fs::read_dir(folder)
        .map_err(failed)?
        .collect::<std::io::Result<Vec<_>>>()
        .map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        // Links are not followed: they may lead in circles.
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && depth == 0 {
            note(&format!("{}: nested too deeply, left out", path.display()));
        } else if kind.is_dir() {
            below(&path, files, depth - 1)?;
        } else if kind.is_file() && path.extension().is_some_and(|e| e == "pkt") {
            files.push(path);
        }
    }
    Ok(())
}

fn run(file: &Path) -> std::result::Result<(Fate, Vec<Printed>), Failure> {
    let text = read(file).map_err(|e| Failure::usage(format!("read {}: {e}", file.display())))?;
    let script = match farpath_drill::parse(&text) {
        Ok(script) => script,
        Err(e) => {
            let said = format!("{}:{}: {}; {}", file.display(), e.line, e.cause, e.remedy);
            return Ok((Fate::Bad(said), Vec::new()));
        }
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    let files = |name: &str| read(&folder.join(name)).ok();
    let Played { verdict, printed } = farpath_drill::play(&script, &files);
    Ok((Fate::Run(verdict), printed))
}

/// A text file of bounded size; what is not UTF-8 in it stands in comments.
fn read(file: &Path) -> std::io::Result<String> {
    if fs::metadata(file)?.len() > FILE_BYTES {
        return Err(std::io::Error::other("the file is larger than 4 MiB"));
    }
    Ok(String::from_utf8_lossy(&fs::read(file)?).into_owned())
}

fn case(result: &Result) -> junit::Case {
    junit::Case {
        name: result.file.display().to_string(),
        outcome: match &result.fate {
            Fate::Run(Verdict::Pass) => junit::Outcome::Pass,
            Fate::Run(verdict @ Verdict::Differs { .. }) => {
                junit::Outcome::Fail(verdict.to_string())
            }
            Fate::Run(verdict @ Verdict::Unsupported { .. }) => {
                junit::Outcome::Skip(verdict.to_string())
            }
            Fate::Bad(message) => junit::Outcome::Fail(message.clone()),
        },
    }
}

fn document(results: &[Result]) -> Value {
    let scripts: Vec<Value> = results
        .iter()
        .map(|result| {
            let file = result.file.display().to_string();
            let mut script = match &result.fate {
                Fate::Run(Verdict::Pass) => json!({"file": file, "verdict": "pass"}),
                Fate::Run(Verdict::Differs { first: d, behind }) => json!({
                    "file": file, "verdict": "differs", "line": d.line, "what": d.kind,
                    "expected": d.expected, "got": d.got,
                    "behind": behind.iter().map(|d| json!({
                        "line": d.line, "what": d.kind, "expected": d.expected, "got": d.got,
                    })).collect::<Vec<_>>(),
                }),
                Fate::Run(Verdict::Unsupported { line, reason }) => json!({
                    "file": file, "verdict": "unsupported", "line": line, "reason": reason,
                }),
                Fate::Bad(message) => json!({"file": file, "verdict": "bad", "error": message}),
            };
            if !result.printed.is_empty() {
                let lines = result.printed.iter();
                let lines = lines.map(|p| json!({"line": p.line, "text": p.text}));
                script["printed"] = lines.collect();
            }
            script
        })
        .collect();
    let tally = Tally::new(results);
    json!({
        "schema": SCHEMA,
        "version": env!("CARGO_PKG_VERSION"),
        "counts": {
            "scripts": results.len(), "pass": tally.pass, "differs": tally.differs,
            "unsupported": tally.unsupported, "bad": tally.bad,
        },
        "differences": tally.differences,
        "reasons": tally.reasons,
        "scripts": scripts,
    })
}

/// How many of what.
struct Tally {
    pass: usize,
    differs: usize,
    unsupported: usize,
    bad: usize,
    differences: BTreeMap<String, usize>,
    reasons: BTreeMap<String, usize>,
}

impl Tally {
    fn new(results: &[Result]) -> Tally {
        let mut tally = Tally {
            pass: 0,
            differs: 0,
            unsupported: 0,
            bad: 0,
            differences: BTreeMap::new(),
            reasons: BTreeMap::new(),
        };
        for result in results {
            match &result.fate {
                Fate::Run(Verdict::Pass) => tally.pass += 1,
                Fate::Run(Verdict::Differs { first: d, .. }) => {
                    tally.differs += 1;
                    *tally.differences.entry(d.kind.to_owned()).or_default() += 1;
                }
                Fate::Run(Verdict::Unsupported { reason, .. }) => {
                    tally.unsupported += 1;
                    *tally.reasons.entry(reason.clone()).or_default() += 1;
                }
                Fate::Bad(_) => tally.bad += 1,
            }
        }
        tally
    }
}

fn text(results: &[Result], verbose: bool) -> String {
    let mut text = String::new();
    for result in results {
        let file = result.file.display();
        for Printed { line, text: said } in &result.printed {
            text.push_str(&format!("{file}:{line}: printed {said}\n"));
        }
        match &result.fate {
            Fate::Run(Verdict::Differs { first, behind }) => {
                for d in core::iter::once(first).chain(behind) {
                    text.push_str(&format!(
                        "{file}:{}: differs ({})\n  expected  {}\n  got       {}\n",
                        d.line, d.kind, d.expected, d.got
                    ));
                }
            }
            Fate::Bad(message) => text.push_str(&format!("{message}\n")),
            Fate::Run(Verdict::Unsupported { line, reason }) if verbose => {
                text.push_str(&format!("{file}:{line}: unsupported: {reason}\n"));
            }
            Fate::Run(Verdict::Pass) if verbose => text.push_str(&format!("{file}: pass\n")),
            Fate::Run(_) => {}
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let tally = Tally::new(results);
    text.push_str(&format!(
        "{} scripts: {} pass, {} differ, {} unsupported",
        results.len(),
        tally.pass,
        tally.differs,
        tally.unsupported
    ));
    if tally.bad > 0 {
        text.push_str(&format!(", {} not of the syntax", tally.bad));
    }
    text.push('\n');
    histogram("differ in", &tally.differences, &mut text);
    histogram("unsupported", &tally.reasons, &mut text);
    text
}

fn histogram(title: &str, counts: &BTreeMap<String, usize>, text: &mut String) {
    let mut rows: Vec<(&String, &usize)> = counts.iter().collect();
    rows.sort_by_key(|(name, count)| (core::cmp::Reverse(**count), (*name).clone()));
    for (name, count) in rows.iter().take(REASONS) {
        text.push_str(&format!("  {title} {count:>5}  {name}\n"));
    }
    let rest: usize = rows.iter().skip(REASONS).map(|(_, count)| **count).sum();
    if rest > 0 {
        text.push_str(&format!(
            "  {title} {rest:>5}  for other reasons (--json has all)\n"
        ));
    }
}
