//! A run that was stopped before its end: what is said of it, and how its reader goes on.

use std::collections::BTreeSet;
use std::path::Path;

use farpath_experiment::{Experiment, Part};
use farpath_record::{Expect, INTERRUPTED, Point, RunDocument, Stopped, count_of};
use farpath_report::junit::{self, Case, unjudged};

use crate::exit::{Failure, note};
use crate::output::Output;

/// Takes what had ended of the same run of the same `commit`, which was stopped, from the folder of `--out`.
pub(super) fn resume(
    experiment: &mut Experiment,
    output: &Output,
    commit: Option<String>,
) -> Result<(), Failure> {
    let folder = output.folder().display();
    let Some(earlier) = output.unfinished()? else {
        note(&format!(
            "--resume: {folder} has no resume.json of a run that was stopped, and everything is run"
        ));
        return Ok(());
    };
    let other = |words: String| {
        let title = format!("--resume: {folder}/resume.json is of {words}");
        let hint = "give the same command again, or another --out, or leave --resume out";
        Failure::usage(title).hint(hint)
    };
    let taken = experiment.resume(earlier, commit).map_err(other)?;
    let runs = count_of(
        taken as u64,
        "run that had ended is",
        "runs that had ended are",
    );
    note(&format!("--resume: {runs} taken from {folder}"));
    Ok(())
}

/// What is said last: where what had ended is, and how much of it. `folder` is where it was written, if it was.
pub(super) fn said(failure: Failure, part: &Part, folder: Option<&Path>) -> Failure {
    said_of(failure, (&part.outcome.document, &part.missing), folder)
}

fn said_of(
    failure: Failure,
    (document, missing): (&RunDocument, &[Point]),
    folder: Option<&Path>,
) -> Failure {
    let Some(stopped) = document.stopped.as_ref().filter(|s| s.has_parts()) else {
        return failure;
    };
    let words = match folder {
        _ if !stopped.is_something() => format!("{} had ended: nothing is kept", stopped.words()),
        Some(folder) => format!("{} are in {}", stopped.words(), folder.display()),
        None => format!("{} had ended", stopped.words()),
    };
    let failure = match failure.is_interruption() {
        true => Failure::interrupted(format!("{INTERRUPTED}: {words}")),
        false => failure.line(&words),
    };
    match how(&failure, (document, missing), folder.is_some()) {
        Some(how) => failure.hint(format!("what is missing: the same command with {how}")),
        None => failure,
    }
}

/// What is added to the command to run what is missing. Wrong text wants another text, of which nothing has ended.
fn how(
    failure: &Failure,
    (document, missing): (&RunDocument, &[Point]),
    written: bool,
) -> Option<String> {
    let stopped = document.stopped.as_ref()?;
    if written && stopped.is_something() && !failure.is_usage() {
        return Some("--resume".to_owned());
    }
    let place = if written { " and another --out" } else { "" };
    let rest = rest(document, missing).filter(|_| stopped.points.there > 0);
    rest.map(|rest| format!("{rest}{place}"))
}

/// The argument that runs the points that are missing, and maybe some again: the values of the sweep's first key, where that
/// is a quantity and stands by itself.
fn rest(document: &RunDocument, missing: &[Point]) -> Option<String> {
    let [key] = document.sweep.first()?.as_slice() else {
        return None;
    };
    // Searches have no point; they run again.
    let points = missing.iter().filter(|point| !point.is_empty());
    let values = points.map(|point| point.get(key));
    let values = values.collect::<Option<Vec<&String>>>()?;
    let mut known = BTreeSet::new();
    let each = values.into_iter().filter(|value| known.insert(*value));
    let each: Vec<String> = each.map(|value| as_toml(value)).collect();
    let is_path = key.contains('.');
    (is_path && !each.is_empty()).then(|| format!("--set '{key}=[{}]'", each.join(", ")))
}

/// A value of a sweep as TOML has it.
fn as_toml(value: &str) -> String {
    let is_bare = value.parse::<f64>().is_ok() || ["true", "false"].contains(&value);
    match is_bare || value.starts_with(['{', '[']) {
        true => value.to_owned(),
        false => format!("{value:?}"),
    }
}

/// The cases of a run that was stopped: the run itself, which failed, and what was not judged.
pub(super) fn cases(failure: &Failure, part: &Part, expects: &[Expect]) -> Vec<Case> {
    let document = &part.outcome.document;
    let words = document.stopped.as_ref().map(Stopped::words);
    let words = words.unwrap_or_default();
    let run = Case {
        name: "run".to_owned(),
        outcome: junit::Outcome::Fail(format!("{failure}; {words} had ended")),
    };
    let why = "the run was stopped before it was judged";
    let mut cases = unjudged(document, expects, &part.missing, why);
    cases.insert(0, run);
    cases
}

#[cfg(test)]
mod tests {
    use farpath_record::Done;

    use super::*;

    fn document(there: u64, of: u64, sweep: &[&[&str]]) -> RunDocument {
        let mut document = RunDocument::new("small", 1, String::new());
        let keys = |axis: &&[&str]| axis.iter().map(|k| (*k).to_owned()).collect();
        document.sweep = sweep.iter().map(keys).collect();
        document.stopped = Some(Stopped {
            why: INTERRUPTED.to_owned(),
            points: Done { there, of },
            runs: Done { there, of },
            searches: Done::default(),
        });
        document
    }

    fn at(pairs: &[(&str, &str)]) -> Point {
        let owned = |(k, v): &(&str, &str)| ((*k).to_owned(), (*v).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn an_interruption_says_how_much_is_where_and_how_to_go_on() {
        let (cc, window) = ("test.bulk.cc", "test.bulk.window");
        let missing = [
            at(&[(cc, "cubic"), (window, "8 MiB")]),
            at(&[(cc, "bbr"), (window, "4 MiB")]),
            at(&[(cc, "bbr"), (window, "8 MiB")]),
        ];
        let document = document(40, 43, &[&[cc], &[window]]);
        let at_time = || Failure::interrupted("interrupted at 36.8 s of virtual time");
        let said = said_of(at_time(), (&document, &missing), Some(Path::new("out")));
        assert_eq!(
            said.to_string(),
            "interrupted: 40 of 43 points are in out; what is missing: the same command with --resume"
        );
        assert!(said.is_interruption());
        let values = "--set 'test.bulk.cc=[\"cubic\", \"bbr\"]'";
        let printed = said_of(at_time(), (&document, &missing), None);
        assert_eq!(
            printed.to_string(),
            format!(
                "interrupted: 40 of 43 points had ended; what is missing: the same command with {values}"
            )
        );
        // A text that is mended is another scenario.
        let wrong = Failure::usage("wrong");
        let mended = said_of(wrong, (&document, &missing), Some(Path::new("out")));
        let hint = format!("the same command with {values} and another --out");
        assert!(mended.to_string().ends_with(&hint), "{mended}");
    }

    #[test]
    fn values_are_written_as_toml_has_them() {
        let values = [
            "8 MiB",
            "1e-4",
            "8",
            "true",
            "{ min = \"1 ms\" }",
            "say \"x\"",
        ];
        let written = [
            "\"8 MiB\"",
            "1e-4",
            "8",
            "true",
            "{ min = \"1 ms\" }",
            "\"say \\\"x\\\"\"",
        ];
        assert_eq!(values.map(as_toml), written);
    }

    #[test]
    fn nothing_is_promised_where_nothing_is_there_and_an_error_keeps_its_words() {
        let alone = document(0, 1, &[]);
        let fault = || Failure::environment("no memory");
        let one = said_of(fault(), (&alone, &[Point::new()]), None);
        assert_eq!(one.to_string(), "no memory");
        let none = document(0, 9, &[&["test.bulk.cc"]]);
        let none = said_of(
            Failure::interrupted("interrupted at 3 s"),
            (&none, &[]),
            None,
        );
        assert_eq!(
            none.to_string(),
            "interrupted: 0 of 9 points had ended: nothing is kept"
        );
        // Steps of a label, or of keys that go together, are not values of one key.
        for sweep in [&["site"] as &[&str], &["link.a.rate", "link.a.queue"]] {
            let some = document(2, 9, &[sweep]);
            let missing = [at(&[("site", "far")])];
            let said = said_of(fault(), (&some, &missing), None);
            assert_eq!(said.to_string(), "no memory 2 of 9 points had ended");
            let said = said_of(fault(), (&some, &missing), Some(Path::new("out")));
            assert_eq!(
                said.to_string(),
                "no memory 2 of 9 points are in out; what is missing: the same command with --resume"
            );
        }
    }
}
