//! Points of a sweep at which a test has no recovery, though the table has one at others, and origins that have none beside a forecast.

use farpath_record::{Keys, Origin, Point, Record, RunDocument, in_one, is_nothing, points_words};

use crate::rows::Row;

/// The metric that has no row where nothing was to be measured.
const RECOVERY: &str = "recovery_s";

const UNCUT: &str = "no loss cut the window";
const UNFORESEEN: &str = "no forecast has one";
const RARE: &str = "fewer than half of the repeats have one";
const UNKNOWN: &str =
    "no loss cut the window, or it was not back where it had been when the test ended";

/// Reasons that differ in nothing but their numbers, and the points that have one of them.
struct Lack<'r> {
    /// Whose value is missing, where others have one.
    origin: Option<Origin>,
    whys: Vec<String>,
    at: Vec<&'r Point>,
}

impl Lack<'_> {
    /// All reasons as one, `why` among them; `None` where that is another.
    fn with(&self, why: &str) -> Option<String> {
        let known = self.whys.iter().map(String::as_str);
        in_one(&known.chain([why]).collect::<Vec<_>>())
    }
}

/// A sentence for each test and reason; reasons that differ in their numbers alone are one, from the least to the greatest.
pub(crate) fn notes(run: &RunDocument, rows: &[Row]) -> Vec<String> {
    let keys = Keys::of(run);
    let of = |row: &Row| {
        Some(
            row.path
                .strip_suffix(RECOVERY)?
                .strip_suffix('.')?
                .to_owned(),
        )
    };
    let mut tests: Vec<String> = rows.iter().filter_map(of).collect();
    tests.dedup();
    let mut notes = Vec::new();
    for test in &tests {
        let mine = |r: &&Record| r.test == *test && r.kind != "search";
        let mut all: Vec<&Point> = Vec::new();
        for record in run.records.iter().filter(mine) {
            if !all.contains(&&record.point) {
                all.push(&record.point);
            }
        }
        let mut lacks: Vec<Lack<'_>> = Vec::new();
        for point in all.iter().copied() {
            let there = run.records.iter().filter(mine);
            let there: Vec<&Record> = there.filter(|r| r.point == *point).collect();
            let here = |&row: &&Row| row.point == *point && of(row).as_ref() == Some(test);
            match rows.iter().find(here) {
                None => add(&mut lacks, None, why(there), point),
                Some(row) => {
                    for (origin, why) in unseen(run, row, &there) {
                        add(&mut lacks, Some(origin), why, point);
                    }
                }
            }
        }
        notes.extend(lacks.iter().filter_map(|lack| {
            let at = match points_words(&lack.at, &all, &keys) {
                all if all.is_empty() => all,
                some => format!(", at {some}"),
            };
            let whose = lack.origin.map(|o| format!(", {}", o.name()));
            let why = lack.with(lack.whys.first()?)?;
            Some(format!(
                "{test} recovery{}{at}: none ({why})",
                whose.unwrap_or_default()
            ))
        }));
    }
    notes
}

/// Keeps a reason, with one that differs in its numbers alone.
fn add<'r>(lacks: &mut Vec<Lack<'r>>, origin: Option<Origin>, why: String, point: &'r Point) {
    let mut alike = lacks.iter_mut().filter(|known| known.origin == origin);
    match alike.find(|known| known.with(&why).is_some()) {
        Some(known) => {
            known.whys.push(why);
            known.at.push(point);
        }
        None => lacks.push(Lack {
            origin,
            whys: vec![why],
            at: vec![point],
        }),
    }
}

/// The origins with no value in a row whose records say why; forecasts have notes of their own.
fn unseen(run: &RunDocument, row: &Row, there: &[&Record]) -> Vec<(Origin, String)> {
    let values = run.origins().into_iter().zip(row.values.iter().copied());
    let lacking = values.filter(|(o, value)| value.is_none() && *o != Origin::Predicted);
    let said = |(origin, _): (Origin, Option<f64>)| {
        let mut records = there.iter().filter(|r| r.origin == origin);
        let why = records.find_map(|r| r.absent.get(RECOVERY))?;
        Some((origin, why.clone()))
    };
    lacking.filter_map(said).collect()
}

/// Why the records of a test at a point have no recovery.
fn why(records: Vec<&Record>) -> String {
    let value = |r: &&Record| r.metrics.get(RECOVERY).copied();
    let uncut = |r: &&Record| value(r).is_some_and(|v| is_nothing(RECOVERY, v));
    let said = records.iter().find_map(|r| r.absent.get(RECOVERY));
    let mut others = records.iter().filter(|r| r.origin != Origin::Predicted);
    let why = match () {
        () if records.iter().any(|r| value(r).is_some() && !uncut(r)) => RARE,
        () if others.clone().next().is_none() => said.map_or(UNFORESEEN, String::as_str),
        () if others.all(uncut) => UNCUT,
        () => said.map_or(UNKNOWN, String::as_str),
    };
    why.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Layout, render};

    /// A sweep over losses had a recovery where one was measured, and not a word of the others.
    #[test]
    fn points_without_a_recovery_are_named_with_the_reason() {
        let mut run = RunDocument::new("s", 1, String::new());
        for (cc, recovery) in [("reno", Some(4.0)), ("bbr", Some(0.0)), ("vegas", None)] {
            let mut one = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
            one.point = [("test.bulk.cc".to_owned(), cc.to_owned())].into();
            one.set("goodput_bps", 9e6);
            if let Some(recovery) = recovery {
                one.set(RECOVERY, recovery);
            }
            run.records.push(one);
        }
        let said = |run: &RunDocument| {
            let text = render(run, Layout::default());
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let text = said(&run);
        for words in [
            format!("- bulk recovery, at cc bbr: none ({UNCUT})"),
            format!("- bulk recovery, at cc vegas: none ({UNKNOWN})"),
        ] {
            assert!(text.contains(&words), "{text}");
        }
        let why = "the test ended 2 s after the cut";
        run.records[2].unset(RECOVERY, why.to_owned());
        assert!(said(&run).contains(&format!("at cc vegas: none ({why})")));
        // The same of others, with other numbers, is one sentence.
        let mut illinois = run.records[2].clone();
        illinois.point = [("test.bulk.cc".to_owned(), "illinois".to_owned())].into();
        illinois.unset(RECOVERY, "the test ended 0.4 s after the cut".to_owned());
        run.records.push(illinois);
        let text = said(&run);
        let one = "at cc vegas; cc illinois: none (the test ended 0.4 to 2 s after the cut)";
        assert!(text.contains(one), "{text}");
        // Beside a forecast whose it is that is missing.
        let mut foreseen = Record::new(Origin::Predicted, "bulk", "tcp", "a", "b");
        foreseen.point = run.records[2].point.clone();
        foreseen.set(RECOVERY, 9.0);
        let mut both = run.clone();
        both.records.push(foreseen);
        let one = format!("bulk recovery, simulated, at cc vegas: none ({why})");
        assert!(said(&both).contains(&one), "{}", said(&both));
        // Without a row there is nothing to compare with.
        run.records.remove(0);
        assert!(!said(&run).contains("recovery, at"));
    }
}
