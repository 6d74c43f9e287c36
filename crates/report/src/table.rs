//! The one table a run prints: what the source stated, what each origin says, and what failed.

use farpath_record::{
    Expectation, Keys, Origin, Point, Record, RunDocument, points_words, record_notes_of,
};

use crate::allowed;
use crate::failures::failures;
use crate::few;
use crate::forecast;
use crate::gaps;
use crate::grid::Column;
use crate::group::group_path;
use crate::judges;
pub use crate::layout::{Form, Layout};
use crate::markdown::{self, lines};
use crate::metric::subject;
use crate::paths::{paths, points};
use crate::points::point_columns;
use crate::rows::{Row, rows};
use crate::stacked;
use crate::stated;
use crate::untouched;
use crate::validity::UNTRUSTED;
use crate::wrapped::{coloured, push_wrapped};

/// Renders the table, the failures and the notes; ends with a new line.
pub fn render(run: &RunDocument, layout: Layout) -> String {
    let mark = match layout.form {
        Form::Terminal => "",
        Form::Markdown => "### ",
    };
    let mut out = format!("{mark}{}, seed {}\n\n", run.scenario, run.seed);
    if let Some(stopped) = &run.stopped {
        push_wrapped(&mut out, &stopped.sentence(), "  ", layout);
        out.push('\n');
    }
    let rows = rows(run);
    let without = gaps::notes(run, &rows);
    let rows = untouched::folded(run, rows);
    if !rows.is_empty() {
        out += &grid(run, &rows, layout);
    }
    if rows.iter().any(|r| r.invalid.contains(&true)) {
        out.push('\n');
        push_wrapped(&mut out, UNTRUSTED, "  ", layout);
    }
    if rows.iter().any(|r| r.is_far(run)) {
        out.push('\n');
        push_wrapped(&mut out, forecast::KEY, "  ", layout);
    }
    if rows.iter().any(|r| r.few.contains(&true)) {
        out.push('\n');
        push_wrapped(&mut out, few::KEY, "  ", layout);
    }
    if untouched::is_any(&rows) {
        out.push('\n');
        push_wrapped(&mut out, untouched::MEANS, "  ", layout);
    }
    out += &crate::repeats::repeats(run, layout);
    let circumstances = [crate::taken::lines(run), crate::certificate::lines(run)];
    out += &listed("\n", circumstances.concat(), layout);
    let failed = failures(run);
    if !failed.is_empty() {
        out.push('\n');
    }
    for failure in failed {
        let text = match layout.form {
            Form::Terminal => format!("FAIL  {failure}"),
            Form::Markdown => format!("- **FAIL** {failure}"),
        };
        push_wrapped(&mut out, &text, "      ", layout);
    }
    out += &crate::drops::table(run, layout);
    let of_recovery = compares_recovery(run, &rows).then(|| RECOVERY.to_owned());
    let of_recovery = of_recovery.into_iter().chain(without);
    let notes = of_recovery.chain(notes(run)).chain(run.notes.clone());
    out += &listed("\nNotes\n", notes.collect(), layout);
    if !run.expectations.is_empty() {
        out += &judges::counted(run);
    }
    out
}

/// Said where a predicted recovery stands beside one of another origin: they end at different moments.
pub(crate) const RECOVERY: &str = "recovery: predicted, of one cut of a full window, until it is full again; of other origins from the last \
    cut until the window is as large as it was before, or the sending host has been the limit for a whole window of data";

fn compares_recovery(run: &RunDocument, rows: &[Row]) -> bool {
    let origins = run.origins();
    let has = |row: &Row, predicted: bool| {
        let mut all = origins.iter().zip(&row.values);
        all.any(|(o, v)| (*o == Origin::Predicted) == predicted && v.is_some())
    };
    rows.iter()
        .filter(|row| row.path.ends_with(".recovery_s"))
        .any(|row| has(row, true) && has(row, false))
}

/// Lines below a heading, neither if there are none.
fn listed(heading: &str, lines: Vec<String>, layout: Layout) -> String {
    let mut out = String::new();
    for line in lines {
        if out.is_empty() {
            out += &markdown::heading(heading, layout.form);
        }
        push_wrapped(&mut out, &format!("- {line}"), "  ", layout);
    }
    out
}

/// Every note once, headed by what it is about: those of records, then those of expectations.
fn notes(run: &RunDocument) -> Vec<String> {
    let paths = paths(run);
    let shown = |record: &Record, metric: &str| {
        let of_group = record
            .group
            .as_ref()
            .and_then(|name| group_path(name, metric));
        let path = of_group.unwrap_or_else(|| format!("{}.{metric}", record.test));
        paths.iter().any(|p| {
            let first = p.split(' ').next().unwrap_or_default();
            first == path || first.strip_prefix("search.") == Some(&path)
        })
    };
    record_notes_of(run, farpath_observe::metric::label, &shown)
        .into_iter()
        .chain(expected_notes(run))
        .collect()
}

/// The notes of the scenario's own expectations: a file's are of whoever marks. Each has the metrics that have it: `bulk recovery, at cc bic: 53 round trips`.
fn expected_notes(run: &RunDocument) -> Vec<String> {
    type Of<'a> = (String, Vec<&'a Point>);
    let mut found: Vec<(&str, Vec<Of<'_>>)> = Vec::new();
    for Expectation {
        note,
        metric,
        point,
        ..
    } in run.expectations.iter().filter(|e| e.file.is_none())
    {
        let Some(note) = note else { continue };
        let (of, label) = subject(metric);
        let of = format!("{of} {label}");
        let at = found.iter().position(|(known, _)| known == note);
        let at = at.unwrap_or(found.len());
        if at == found.len() {
            found.push((note, Vec::new()));
        }
        let all = &mut found[at].1;
        match all.iter_mut().find(|(known, _)| *known == of) {
            Some((_, points)) if points.contains(&point) => {}
            Some((_, points)) => points.push(point),
            None => all.push((of, vec![point])),
        }
    }
    let (keys, every) = (Keys::of(run), points(run));
    let about = |(of, at): &Of<'_>| match points_words(at, &every, &keys) {
        at if at.is_empty() => of.clone(),
        at => format!("{of}, at {at}"),
    };
    let line = |(note, all): &(&str, Vec<Of<'_>>)| {
        let all: Vec<String> = all.iter().map(about).collect();
        format!("{}: {note}", all.join("; "))
    };
    found.iter().map(line).collect()
}

/// The table's lines: a heading for each test, its metrics below.
fn grid(run: &RunDocument, rows: &[Row], layout: Layout) -> String {
    let subjects: Vec<(String, String)> = rows.iter().map(Row::subject).collect();
    let mut groups: Vec<(usize, String)> = Vec::new();
    for (i, (of, _)) in subjects.iter().enumerate() {
        if groups.last().is_none_or(|(_, last)| last != of) {
            groups.push((i, of.clone()));
        }
    }
    let mut columns = columns(run, rows, &subjects);
    // A sweep of one metric a test needs no column to say which.
    let swept = columns.iter().any(|c| c.head == "test, metric")
        && rows.iter().any(|r| !r.point.is_empty());
    let alone = |(at, of): &(usize, String)| {
        subjects
            .iter()
            .filter(|(other, _)| other == of)
            .all(|(_, label)| *label == subjects[*at].1)
    };
    if swept && groups.iter().all(alone) {
        columns.remove(0);
        columns[0].indent();
        for (at, heading) in &mut groups {
            *heading = format!("{heading} {}", subjects[*at].1);
        }
    }
    // What limits a test has a column only if it changes with the point.
    if let Some(limits) = constant_limits(rows, &groups) {
        columns.retain(|c| c.head != LIMITED_BY);
        for ((_, heading), limit) in groups.iter_mut().zip(limits) {
            if !limit.is_empty() {
                *heading += &format!(", limited by {limit}");
            }
        }
    }
    if layout.form == Form::Terminal {
        (columns, groups) = stacked::make_room(columns, groups, layout.width);
    }
    let lines = lines(&columns, &groups, layout);
    lines
        .iter()
        .map(|line| coloured(line, layout) + "\n")
        .collect()
}

/// Head of the column that says what limits a test.
const LIMITED_BY: &str = "limited by";

/// What limits each group, if that is one thing for each (or nothing).
fn constant_limits(rows: &[Row], groups: &[(usize, String)]) -> Option<Vec<String>> {
    let ends = groups
        .iter()
        .skip(1)
        .map(|(start, _)| *start)
        .chain([rows.len()]);
    let limit = |(start, end): (usize, usize)| {
        let mut limits: Vec<&String> = rows[start..end]
            .iter()
            .map(|r| &r.limited_by)
            .filter(|l| !l.is_empty())
            .collect();
        limits.dedup();
        match limits[..] {
            [] => Some(String::new()),
            [one] => Some(one.clone()),
            _ => None,
        }
    };
    groups
        .iter()
        .map(|(start, _)| *start)
        .zip(ends)
        .map(limit)
        .collect()
}

fn columns(run: &RunDocument, rows: &[Row], subjects: &[(String, String)]) -> Vec<Column> {
    // A metric is printed where it changes.
    let metric = |i: usize| {
        let again = i > 0 && subjects[i] == subjects[i - 1];
        if again {
            String::new()
        } else {
            format!("  {}", subjects[i].1)
        }
    };
    let mut columns = vec![Column::text(
        "test, metric",
        (0..rows.len()).map(metric).collect(),
    )];
    let at: Vec<&Point> = rows.iter().map(|r| &r.point).collect();
    columns.extend(point_columns(&at, &Keys::of(run)));
    let said = |words: fn(&Row) -> &String| {
        let said = rows
            .iter()
            .map(|r| (r.path.as_str(), &r.point, words(r).as_str()));
        stated::cells(&said.collect::<Vec<_>>(), &Keys::of(run))
    };
    columns.push(Column::text("stated", said(|r| &r.stated)));
    for (i, origin) in run.origins().into_iter().enumerate() {
        let print = |r: &Row| match r.values[i].map(|v| r.print(v) + &r.partly[i]) {
            Some(v) if r.invalid[i] => format!("! {v}"),
            Some(v) if r.few[i] || origin == Origin::Predicted && r.is_far(run) => {
                format!("{}{v}", forecast::MARK)
            }
            Some(v) => v,
            None => String::new(),
        };
        columns.push(Column {
            head: origin.name().to_owned(),
            cells: rows.iter().map(print).collect(),
            number: true,
        });
    }
    columns.push(Column::text(allowed::HEAD, said(|r| &r.allowed)));
    columns.push(Column::text(
        LIMITED_BY,
        rows.iter().map(|r| r.limited_by.clone()).collect(),
    ));
    columns.push(Column::text(
        "",
        rows.iter().map(|r| r.mark.clone()).collect(),
    ));
    columns.retain(|c| c.cells.iter().any(|cell| !cell.is_empty()));
    columns
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
