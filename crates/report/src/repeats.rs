//! What repeats of a run come to, below its table.

use std::collections::{BTreeMap, BTreeSet};

use farpath_record::quantity::{in_common_unit, unitless};
use farpath_record::{
    Expectation, Keys, MetricSummary, Origin, Point, Record, RunDocument, counting, is_nothing,
    kinds_words, median,
};

use crate::grid::{Column, whole_width};
use crate::group::{FAIRNESS, OF_GROUP, group_path, of_group};
use crate::layout::{Form, Layout};
use crate::markdown::lines;
use crate::metric::subject;
use crate::paths::{paths, points};
use crate::points::point_columns;
use crate::stacked::{METRIC, stacked};
use crate::validity::Index;
use crate::wrapped::push_wrapped;

/// Jain's index over the tests of a group, or their connections, which each of its records holds.
pub(crate) fn fairness(
    run: &RunDocument,
    (name, metric): (&str, &str),
    origin: Origin,
    point: &Point,
) -> Option<f64> {
    let mine = |r: &&Record| r.group.as_deref() == Some(name) && r.origin == origin;
    let first = run
        .records
        .iter()
        .filter(mine)
        .find(|r| r.point == *point)?;
    let same = run.records.iter().filter(mine);
    let repeats = same.filter(|r| r.point == *point && r.test == first.test);
    let of = |r: &Record| r.metrics.get(metric).copied();
    median(counting(repeats).into_iter().filter_map(of).collect())
}

/// How many repeats have a metric, and how many count; nothing without repeats, and of a link.
fn present(
    run: &RunDocument,
    index: &Index<'_>,
    path: &str,
    origin: Origin,
    point: &Point,
) -> Option<[usize; 2]> {
    run.repeats.as_ref()?;
    let metric = match of_group(path) {
        Some((_, metric, _)) => metric,
        None => path.rsplit('.').next()?,
    };
    // A search may have the name of the test that it runs.
    let is_search = path.starts_with("search.");
    let mine = index.named(path, origin, point).iter().copied();
    let mine = mine.filter(|r| (r.kind == "search") == is_search);
    // Each test of a group holds what the group has.
    let (mut have, mut all) = (BTreeSet::new(), BTreeSet::new());
    for record in counting(mine) {
        all.insert(record.repeat);
        if record.metrics.contains_key(metric) {
            have.insert(record.repeat);
        }
    }
    Some([have.len(), all.len()])
}

/// How many repeats have a metric, where those are fewer than half of the ones that count: no median, mean or interval
/// of so few says what the repeats are like.
pub(crate) fn rare(
    run: &RunDocument,
    index: &Index<'_>,
    path: &str,
    origin: Origin,
    point: &Point,
) -> Option<usize> {
    let [have, all] = present(run, index, path, origin, point)?;
    (have > 0 && 2 * have < all).then_some(have)
}

/// Of how many repeats a number of the table is the median, ` (4 of 8)`, where some of those that count lack it; else empty.
pub(crate) fn of_how_many(
    run: &RunDocument,
    index: &Index<'_>,
    path: &str,
    origin: Origin,
    point: &Point,
) -> String {
    let is_this = |e: &&Expectation| e.metric == path && e.origin == origin && e.point == *point;
    let judged = run.expectations.iter().find(is_this);
    let [have, all] = match judged.and_then(|e| e.repeats) {
        Some(partly) => [partly.have as usize, partly.of as usize],
        // A ratio or a difference is known to the expectation only.
        None if path.contains(' ') => return String::new(),
        None => present(run, index, path, origin, point).unwrap_or_default(),
    };
    match have > 0 && have < all {
        true => format!(" ({have} of {all})"),
        false => String::new(),
    }
}

/// A summary that the table shows: its path, and what heads it.
struct Shown<'r> {
    path: String,
    of: String,
    label: String,
    summary: &'r MetricSummary,
}

impl Shown<'_> {
    /// What it is of, in words.
    fn words(&self, keys: &Keys) -> String {
        let (origin, point) = (self.summary.origin.name(), keys.words(&self.summary.point));
        let comma = if point.is_empty() { "" } else { ", " };
        format!("{} {}, {origin}{comma}{point}", self.of, self.label)
    }
}

/// The summaries of what the table above shows; a group's fairness, which each of its tests has, once and last.
fn shown(run: &RunDocument) -> Vec<Shown<'_>> {
    let paths = paths(run);
    let group = |test: &str| {
        // A forecast has none.
        let grouped = |r: &&Record| r.test == test && r.group.is_some();
        let name = run.records.iter().find(grouped)?.group.as_ref()?;
        let first = run
            .records
            .iter()
            .find(|r| r.group.as_ref() == Some(name))?;
        (first.test == test).then(|| name.clone())
    };
    let one = |summary: &'_ MetricSummary| -> Option<(String, String, String)> {
        let (test, metric) = (&summary.test, &summary.metric);
        if OF_GROUP.iter().any(|(known, ..)| known == metric) {
            let path = group_path(&group(test)?, metric)?;
            let (name, _, label) = of_group(&path)?;
            let of = format!("group {name}");
            return Some((path, of, label.to_owned()));
        }
        let path = format!("{test}.{metric}");
        if metric.contains(' ') || test.starts_with("search.") {
            let (of, label) = subject(&path);
            return Some((path, of, label));
        }
        let label = match metric.as_str() {
            "jain_index" => FAIRNESS,
            other => unitless(other),
        };
        Some((path, test.clone(), label.to_owned()))
    };
    let all = run.repeats.iter().flat_map(|r| &r.metrics);
    all.filter_map(|summary| {
        let (path, of, label) = one(summary)?;
        if is_of_one_stream(run, &path, summary.origin, &summary.point) {
            return None;
        }
        let has = !is_nothing(&summary.metric, summary.summary.max);
        (has && paths.contains(&path)).then_some(Shown {
            path,
            of,
            label,
            summary,
        })
    })
    .collect()
}

/// Whether a path is the fairness among the streams of a test that has one there: it is as fair as can be to itself.
pub(crate) fn is_of_one_stream(
    run: &RunDocument,
    path: &str,
    origin: Origin,
    point: &Point,
) -> bool {
    let Some(test) = path.strip_suffix(".jain_index") else {
        return false;
    };
    let mine = |r: &&Record| r.test == test && r.origin == origin && r.point == *point;
    let mut mine = run.records.iter().filter(mine).peekable();
    mine.peek().is_some() && mine.all(|r| r.streams.len() < 2)
}

/// The table of repeats: how many have it, least, greatest, mean, standard deviation and confidence interval of what
/// the table above shows. Of what fewer than half have it says how many, and no more.
pub(crate) fn repeats(run: &RunDocument, layout: Layout) -> String {
    let Some(repeats) = &run.repeats else {
        return String::new();
    };
    let index = Index::of(run);
    let few = |one: &Shown<'_>| {
        let s = one.summary;
        rare(run, &index, &one.path, s.origin, &s.point)
    };
    let keys = Keys::of(run);
    let rows = in_order(run, shown(run), &keys);
    let few: Vec<Option<usize>> = rows.iter().map(few).collect();
    let mut below = invalid(run);
    if few.iter().any(Option::is_some) {
        below.push(FEW.to_owned());
    }
    let whole = || rows.iter().zip(&few).filter(|(_, few)| few.is_none());
    let is_cut = |row: &Shown<'_>| row.summary.summary.cut() != (None, None);
    if whole().any(|(row, _)| is_cut(row)) {
        below.push(CUT_HERE.to_owned());
    }
    below.extend(unfinished(&index, whole().map(|(row, _)| row), &keys));
    let mixed = mixtures(whole().map(|(row, _)| row), &keys);
    if !mixed.is_empty() {
        below.push(format!("{MIXTURE}: {}", mixed.join(". ")));
    }
    if rows.is_empty() && below.is_empty() {
        return String::new();
    }
    let mut out = String::from("\n");
    let say = |out: &mut String, text: &str| {
        push_wrapped(out, text, "", layout);
        if layout.form == Form::Markdown {
            out.push('\n');
        }
    };
    let heading = format!(
        "{} repeats, each with its own seed; the table above has their medians",
        repeats.count
    );
    say(&mut out, &heading);
    let point = rows.first().map(|m| &m.summary.point);
    if rows.iter().any(|m| Some(&m.summary.point) != point) {
        say(&mut out, SAME_SEEDS);
    }
    if !rows.is_empty() {
        out += &format!("\n{}\n", table(&rows, &few, &keys, layout).join("\n"));
    }
    for text in below {
        out.push('\n');
        say(&mut out, &text);
    }
    out
}

/// What heads the rows of two kinds of run.
const MIXTURE: &str = "Two kinds of run, with none between, so that a mean is like neither";

/// How the points of a sweep hang together.
const SAME_SEEDS: &str = "Every point has the same seeds, and so the same random numbers: compare points repeat by repeat. \
    Their samples are not independent.";

/// What a row without figures means.
const FEW: &str = "Where n stands alone, fewer than half of the repeats have it, and the table above leaves it out.";

/// The head of where intervals are cut.
const CUT: &str = "cut at";
/// What it means.
const CUT_HERE: &str =
    "cut at: the interval of the mean ends there, as the metric has no values beyond it";

/// Where an interval is cut: `0`, `1`, `0, 1`, in the row's unit; empty where it is not.
fn cut((low, high): (Option<f64>, Option<f64>), written: Vec<String>) -> String {
    let ends = [low, high].into_iter().zip(written);
    let cut = ends.filter_map(|(end, text)| end.map(|_| text));
    cut.collect::<Vec<_>>().join(", ")
}

/// Where transfers of some repeats did not come to their end: they have neither goodput nor completion, and so are in no mean.
fn unfinished<'r>(
    index: &Index<'_>,
    rows: impl Iterator<Item = &'r Shown<'r>>,
    keys: &Keys,
) -> Vec<String> {
    let one = |row: &Shown<'_>| {
        let m = row.summary;
        if !["goodput_bps", "completion_ns"].contains(&m.metric.as_str()) {
            return None;
        }
        let all = index.named(&row.path, m.origin, &m.point).iter();
        let missing = all
            .filter(|r| r.valid && !r.metrics.contains_key(&m.metric))
            .count();
        (missing > 0).then(|| {
            format!(
                "{}: {missing} of {} repeats did not come to an end and have none; the mean is of the others",
                row.words(keys),
                missing + m.summary.n as usize,
            )
        })
    };
    first(rows.filter_map(one), " rows without some of the repeats")
}

/// Rows that are named in sentences; of more it says how many.
const NAMED: usize = 6;

/// Where the repeats are of two kinds, one sentence each.
fn mixtures<'r>(rows: impl Iterator<Item = &'r Shown<'r>>, keys: &Keys) -> Vec<String> {
    let one = |row: &Shown<'_>| {
        let m = row.summary;
        let kinds = kinds_words(&m.metric, m.summary.two_kinds.as_ref()?);
        Some(format!("{}: {kinds}", row.words(keys)))
    };
    first(rows.filter_map(one), "")
}

/// The first sentences on rows, and of `more` how many there are.
fn first(all: impl Iterator<Item = String>, more: &str) -> Vec<String> {
    let mut all: Vec<String> = all.collect();
    let rest = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    if rest > 0 {
        all.push(format!("{rest} more{more}"));
    }
    all
}

/// The rows as the table above has them: metric by metric and point by point, or test by test without a sweep.
fn in_order<'r>(run: &RunDocument, mut rows: Vec<Shown<'r>>, keys: &Keys) -> Vec<Shown<'r>> {
    let mut metrics: BTreeMap<String, usize> = BTreeMap::new();
    for path in paths(run) {
        let next = metrics.len();
        metrics.entry(path).or_insert(next);
    }
    let mut tests: BTreeMap<String, usize> = BTreeMap::new();
    for row in &rows {
        let first = tests.entry(row.of.clone()).or_insert(usize::MAX);
        *first = metrics[&row.path].min(*first);
    }
    let points: BTreeMap<&Point, usize> = points(run).into_iter().zip(0..).collect();
    let is_swept = !keys.names().is_empty();
    rows.sort_by_key(|row| {
        let metric = metrics[&row.path];
        let together = if is_swept { metric } else { tests[&row.of] };
        let point = points.get(&row.summary.point).copied();
        (together, row.summary.origin, metric, point)
    });
    rows
}

/// What the table of repeats lacks, for nothing vouches for it.
fn invalid(run: &RunDocument) -> Vec<String> {
    let mut texts = Vec::new();
    for origin in run.origins() {
        let of = run.records.iter().filter(|r| r.origin == origin);
        let invalid = of.clone().filter(|r| !r.valid).count();
        if invalid > 0 {
            texts.push(format!(
                "Left out, for its certificate is INVALID: {} of {} {} records",
                invalid,
                of.count(),
                origin.name()
            ));
        }
    }
    texts
}

/// In whose unit rows are that share one: the greatest, or the least where this would have fewer digits than others there, and not
/// make them much longer.
fn reference(metric: &str, means: &[f64]) -> f64 {
    let greatest = means.iter().copied().fold(0.0, f64::max);
    let known = means.iter().copied().filter(|mean| *mean > 0.0);
    let least = known.fold(greatest, f64::min);
    let of = |like: f64, value: f64| {
        let (_, numbers) = in_common_unit(metric, like, &[value]);
        numbers[0].parse::<f64>().unwrap_or_default()
    };
    match of(greatest, least) < SHORT && of(least, greatest) < LONG {
        true => least,
        false => greatest,
    }
}

/// Below this a number with four places has fewer than four digits.
const SHORT: f64 = 0.1;
/// Numbers below this have at most five digits.
const LONG: f64 = 1e5;

/// The table: of a sweep a heading for each metric and a row for each point, all in one unit; else a heading for each
/// test and a row for each metric. Of a row in `few` there is the number of repeats alone.
fn table(rows: &[Shown<'_>], few: &[Option<usize>], keys: &Keys, layout: Layout) -> Vec<String> {
    let points: Vec<&Point> = rows.iter().map(|r| &r.summary.point).collect();
    let mut columns = point_columns(&points, keys);
    let is_swept = !columns.is_empty();
    let mut means: BTreeMap<(&str, Origin), Vec<f64>> = BTreeMap::new();
    for row in rows {
        let all = means.entry((&row.path, row.summary.origin)).or_default();
        all.push(row.summary.summary.mean);
    }
    let mut cells: [Vec<String>; 7] = Default::default();
    let (mut names, mut groups) = (Vec::new(), Vec::new());
    for (at, (row, few)) in rows.iter().zip(few).enumerate() {
        let (m, s) = (row.summary, &row.summary.summary);
        let values = [
            s.min,
            s.max,
            s.mean,
            s.sd.unwrap_or(0.0),
            s.ci95.unwrap_or(0.0),
            s.cut().0.unwrap_or(0.0),
            s.cut().1.unwrap_or(0.0),
        ];
        let like = reference(&m.metric, &means[&(row.path.as_str(), m.origin)]);
        let (unit, mut numbers) = in_common_unit(&m.metric, like, &values);
        let ends = numbers.split_off(5);
        numbers.push(cut(s.cut(), ends));
        let comma = if unit.is_empty() { "" } else { ", " };
        let name = format!("{}{comma}{unit}", row.label);
        let heading = match is_swept {
            true => format!("{} {name}, {}", row.of, m.origin.name()),
            false => format!("{}, {}", row.of, m.origin.name()),
        };
        if groups.last().is_none_or(|(_, last)| *last != heading) {
            groups.push((at, heading));
        }
        names.push(name);
        cells[0].push(few.unwrap_or(s.n as usize).to_string());
        for (column, number) in cells[1..].iter_mut().zip(numbers) {
            column.push(if few.is_some() { String::new() } else { number });
        }
    }
    if !is_swept {
        columns.push(Column::text(METRIC, names));
    }
    columns[0].indent();
    let texts = columns.len();
    let heads = ["n", "min", "max", "mean", "std", "\u{b1} 95 %", CUT];
    let is_cut = cells[6].iter().any(|cell| !cell.is_empty());
    let heads = heads.into_iter().take(if is_cut { 7 } else { 6 });
    columns.extend(heads.zip(cells).map(|(head, cells)| Column {
        head: head.to_owned(),
        cells,
        number: true,
    }));
    if layout.form == Form::Terminal && whole_width(&columns) > layout.width {
        let numbers = columns.split_off(texts);
        (columns, groups) = stacked(&columns, numbers, groups);
    }
    lines(&columns, &groups, layout)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A completion of 18.6 ms was 0.0186 s, three times, where another point took seconds.
    #[test]
    fn rows_of_one_unit_keep_the_digits_of_the_least() {
        let of = |means: &[f64]| {
            in_common_unit("completion_ns", reference("completion_ns", means), means)
        };
        assert_eq!(
            of(&[18.6e6, 2.5e9]),
            (
                "ms".to_owned(),
                vec!["18.600".to_owned(), "2500".to_owned()]
            )
        );
        // Where the greatest would be too long, or the least has digits enough, the greatest counts.
        assert_eq!(of(&[18.6e3, 2.5e9]).0, "s");
        assert_eq!(of(&[0.5e9, 2.5e9]).0, "s");
        assert_eq!(of(&[0.0, 2.5e9]).0, "s");
        assert_eq!(reference("goodput_bps", &[9e5, 9e7]), 9e7);
    }
}
