//! The one table a run prints: what the source stated, what each origin says, and what failed.

use farpath_record::quantity::{decimal, quantity};
use farpath_record::{
    Expectation, Keys, Origin, Point, Record, Results, RunDocument, is_nothing, points_words,
    record_notes_of,
};

use crate::allowed;
use crate::failures::{failures, source_words};
use crate::few;
use crate::forecast;
use crate::gaps;
use crate::grid::Column;
use crate::headline::{COMPLETION, headline, news, shows_completion};
use crate::judges;
use crate::limit::limits_of;
use crate::markdown::{self, lines};
use crate::metric::{GROUP, subject};
use crate::points::point_columns;
use crate::repeats::{
    OF_GROUP, fairness, group_path, is_of_one_stream, of_group, of_how_many, rare,
};
use crate::stacked;
use crate::stated;
use crate::untouched;
use crate::validity::{Index, UNTRUSTED};
use crate::wrapped::{coloured, push_wrapped};

/// How the table is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Columns of the terminal; a line is longer only if its numbers leave no room.
    pub width: usize,
    /// Colours marks with ANSI sequences; the text is the same without.
    pub colour: bool,
    /// For a terminal, or to be pasted into a page.
    pub form: Form,
}

/// What a table is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Columns of characters of one width.
    #[default]
    Terminal,
    /// A Markdown table, as GitHub and GitLab read it.
    Markdown,
}

impl Default for Layout {
    /// 80 columns, no colour.
    fn default() -> Layout {
        Layout {
            width: 80,
            colour: false,
            form: Form::Terminal,
        }
    }
}

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

/// One line of the table.
pub(crate) struct Row {
    /// The metric in full, as an expectation names it.
    pub(crate) path: String,
    /// Which bound of the forecast it is; empty of the figure itself.
    pub(crate) bound: &'static str,
    pub(crate) point: Point,
    stated: String,
    allowed: String,
    /// One per origin of the run.
    values: Vec<Option<f64>>,
    /// Of how many repeats each is, where some lack it.
    partly: Vec<String>,
    /// Of which origins no valid record says it.
    invalid: Vec<bool>,
    /// Of which origins it hangs on few loss events.
    few: Vec<bool>,
    limited_by: String,
    mark: String,
}

impl Row {
    /// What it is of, and what it is.
    fn subject(&self) -> (String, String) {
        let (of, label) = subject(&self.path);
        match self.bound {
            "" => (of, label),
            bound => (of, format!("{label}, {bound}")),
        }
    }

    /// Whether its cells are those of another, but for its point.
    pub(crate) fn says_as(&self, other: &Row) -> bool {
        let words = |r: &Row| [&r.stated, &r.allowed, &r.limited_by, &r.mark].map(Clone::clone);
        let numbers = |r: &Row| {
            (
                r.values.clone(),
                r.partly.clone(),
                r.invalid.clone(),
                r.few.clone(),
            )
        };
        (numbers(self), words(self)) == (numbers(other), words(other))
    }

    /// One of a forecast's bounds, by [`forecast::bounds`].
    fn of_bound((path, bound, point, values): forecast::Bound) -> Row {
        Row {
            path,
            bound,
            point,
            stated: String::new(),
            allowed: String::new(),
            invalid: vec![false; values.len()],
            few: vec![false; values.len()],
            partly: vec![String::new(); values.len()],
            values,
            limited_by: String::new(),
            mark: String::new(),
        }
    }

    /// A value with its unit: of a whole number of KiB beside one that is none, the unit of that one.
    fn print(&self, value: f64) -> String {
        let is_decimal =
            |v: &f64| *v >= 1000.0 && quantity(&self.path, *v) == decimal(&self.path, *v);
        match self.values.iter().flatten().any(is_decimal) {
            true => decimal(&self.path, value),
            false => quantity(&self.path, value),
        }
    }

    /// Whether its prediction is far from what happened.
    fn is_far(&self, run: &RunDocument) -> bool {
        let doubted = self.invalid.iter().zip(&self.few);
        let doubted = doubted.map(|(invalid, few)| *invalid || *few);
        let values = self.values.iter().copied().zip(doubted);
        forecast::is_marked(run, (&self.path, &self.point), values)
    }
}

fn rows(run: &RunDocument) -> Vec<Row> {
    let points = points(run);
    let index = Index::of(run);
    let mut rows: Vec<Row> = Vec::new();
    for path in paths(run) {
        for point in &points {
            if let Some(mut row) = row(run, &index, &path, point) {
                // What limits a test is said once for each point, beside its first metric.
                if !rows
                    .iter()
                    .any(|r| r.point == row.point && subject(&r.path).0 == subject(&path).0)
                {
                    let test = path.split('.').next().unwrap_or("");
                    row.limited_by = limits_of(run, test, point);
                }
                rows.push(row);
            }
        }
        rows.extend(
            forecast::bounds(run, &path, &points)
                .into_iter()
                .map(Row::of_bound),
        );
    }
    rows
}

/// Whether the prediction of a metric in full is marked as far from what happened.
pub(crate) fn far(run: &RunDocument, path: &str, point: &Point) -> bool {
    row(run, &Index::of(run), path, point).is_some_and(|row| row.is_far(run))
}

fn row(run: &RunDocument, index: &Index<'_>, path: &str, point: &Point) -> Option<Row> {
    let judged: Vec<&Expectation> = run
        .expectations
        .iter()
        .filter(|e| e.metric == path && e.point == *point)
        .collect();
    let results = Results {
        records: &run.records,
        links: &run.links,
    };
    let value = |origin: Origin| {
        // A ratio or a difference is known to the expectation only.
        let compared = judged
            .iter()
            .filter(|e| e.origin == origin)
            .find_map(|e| e.actual);
        compared.or_else(|| match of_group(path) {
            _ if rare(run, index, path, origin, point).is_some() => None,
            _ if is_of_one_stream(run, path, origin, point) => None,
            Some((name, metric, _)) => fairness(run, (name, metric), origin, point),
            None => results.value(path, origin, point),
        })
    };
    let values: Vec<Option<f64>> = run.origins().into_iter().map(value).collect();
    let partly = |origin: Origin| of_how_many(run, index, path, origin, point);
    let partly = run.origins().into_iter().map(partly).collect();
    let untrusted = |origin: Origin| !index.trusted(path, origin, point);
    let invalid = run.origins().into_iter().map(untrusted).collect();
    let hangs = |origin: Origin| few::is_few(run, path, origin, point);
    let few = run.origins().into_iter().map(hangs).collect();
    let metric = path.rsplit('.').next().unwrap_or_default();
    let nothing = |v: &Option<f64>| v.is_none_or(|v| is_nothing(metric, v));
    if judged.is_empty() && values.iter().all(nothing) {
        return None;
    }
    let mut stated: Vec<&str> = judged.iter().copied().filter_map(source_words).collect();
    stated.dedup();
    let judges = judges::of(&judged);
    let mark = judges.iter().map(|(judge, all)| {
        let verdict = judges::verdict(all);
        judge.map_or(verdict.to_owned(), |file| {
            format!("{} {verdict}", judges::short(file))
        })
    });
    let mark = mark.collect::<Vec<_>>().join(", ");
    let (path, stated) = (path.to_owned(), stated.join("; "));
    Some(Row {
        path,
        bound: "",
        point: point.clone(),
        stated,
        allowed: allowed::words(&judged),
        values,
        partly,
        invalid,
        few,
        limited_by: String::new(),
        mark,
    })
}

/// Every metric the table shows, in full: test by test in the order of the records, first what is
/// always shown, then what is expected; then what is expected of links.
pub(crate) fn paths(run: &RunDocument) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut add = |path: String| {
        if !paths.contains(&path) {
            paths.push(path);
        }
    };
    for record in &run.records {
        let test = if record.kind == "search" {
            format!("search.{}", record.test)
        } else {
            record.test.clone()
        };
        for metric in headline(record) {
            add(format!("{test}.{metric}"));
        }
        if shows_completion(run, record) {
            add(format!("{test}.{COMPLETION}"));
        }
        for metric in news(record) {
            add(format!("{test}.{metric}"));
        }
        if record.streams.len() > 1 && record.metrics.contains_key("jain_index") {
            add(format!("{test}.jain_index"));
        }
        for expectation in &run.expectations {
            if expectation
                .metric
                .strip_prefix(&test)
                .is_some_and(|rest| rest.starts_with('.'))
            {
                add(expectation.metric.clone());
            }
        }
    }
    for expectation in &run.expectations {
        add(expectation.metric.clone());
    }
    for group in run.records.iter().filter_map(|r| r.group.as_ref()) {
        for (_, end, _) in OF_GROUP {
            add(format!("{GROUP}{group}.{end}"));
        }
    }
    // A test's records may be apart (one for each origin and point); its lines are not.
    let subjects: Vec<String> = paths.iter().map(|p| subject(p).0).collect();
    let first = |s: &String| subjects.iter().position(|other| other == s);
    let mut order: Vec<usize> = (0..paths.len()).collect();
    order.sort_by_key(|i| (first(&subjects[*i]), *i));
    order.into_iter().map(|i| paths[i].clone()).collect()
}

/// Every point of the run, in the order of the records.
pub(crate) fn points(run: &RunDocument) -> Vec<&Point> {
    let mut seen = Vec::new();
    let all = run
        .records
        .iter()
        .map(|r| &r.point)
        .chain(run.links.iter().map(|l| &l.point));
    for point in all.chain(run.expectations.iter().map(|e| &e.point)) {
        if !seen.contains(&point) {
            seen.push(point);
        }
    }
    seen
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
