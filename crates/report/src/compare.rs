//! A comparison as text.

use std::collections::BTreeMap;

use farpath_record::compare::{Comparison, Row, Verdict};
use farpath_record::quantity::{in_common_unit, quantity, unitless};
use farpath_record::statistics::Summary;
use farpath_record::{Origin, kinds_words};

use crate::grid::{Column, wrap};
use crate::layout::{Form, Layout};
use crate::markdown::lines;
use crate::table::RECOVERY;

/// Renders the table, what only one side has, the notes and a key; ends with a new line.
pub fn render(comparison: &Comparison, layout: Layout) -> String {
    let mut out = heading(comparison, layout.form);
    // What was changed between the sides comes before what came of it.
    let apart = comparison.apart();
    if let Some(note) = apart {
        out += &(paragraph(&format!("note: {note}"), layout) + "\n");
    }
    let all: Vec<&Row> = comparison.rows.iter().collect();
    let trivial = |row: &&&Row| all.len() > MANY && equal(row);
    let rows: Vec<&Row> = all.iter().filter(|r| !trivial(r)).copied().collect();
    let mut groups: Vec<(usize, String)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let heading = subject(row, comparison);
        if groups.last().is_none_or(|(_, last)| *last != heading) {
            groups.push((at, heading));
        }
    }
    if !rows.is_empty() {
        for line in lines(&columns(&rows), &groups, layout) {
            out += &(line + "\n");
        }
    }
    let mut texts = vec![folded(all.iter().filter(trivial).copied())];
    for (side, only) in [("A", &comparison.only_a), ("B", &comparison.only_b)] {
        if !only.is_empty() {
            texts.push(format!("only {side} has: {}", only_words(only)));
        }
    }
    for (side, nothing) in [("A", &comparison.nothing_a), ("B", &comparison.nothing_b)] {
        if !nothing.is_empty() {
            let words = only_words(nothing);
            texts.push(format!(
                "0 in every run of {side}, where nothing was to be measured, and not compared: {words}"
            ));
        }
    }
    texts.push(mixtures(&rows, comparison));
    let others = comparison.notes.iter().filter(|n| Some(*n) != apart);
    texts.extend(others.map(|n| format!("note: {n}")));
    texts.push(key(&rows));
    texts.push(verdict(comparison, &all));
    texts.push(largest(comparison, &all));
    for text in texts.iter().filter(|t| !t.is_empty()) {
        out.push('\n');
        out += &paragraph(text, layout);
    }
    out
}

/// Lines of a text; ends with a new line.
fn paragraph(text: &str, layout: Layout) -> String {
    if layout.form == Form::Markdown {
        return format!("{text}\n");
    }
    let lines = wrap(text, layout.width, layout.width);
    lines.into_iter().map(|line| line + "\n").collect()
}

/// A comparison of more rows has none of what is equal.
const MANY: usize = 40;

/// Whether both sides have one value, in every run.
fn equal(row: &Row) -> bool {
    let still = |s: &Summary| s.min == s.max;
    row.difference == 0.0 && still(&row.a) && still(&row.b)
}

/// Of which metrics rows are left out.
fn folded<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for row in rows {
        *counts.entry(unitless(&row.metric)).or_default() += 1;
    }
    let all: u32 = counts.values().sum();
    let each: Vec<String> = counts.iter().map(|(m, n)| format!("{m} {n}")).collect();
    match all {
        0 => String::new(),
        _ => format!("left out, one value on both sides: {}", each.join(", ")),
    }
}

/// What one side alone has: each, or of many how many of each metric.
fn only_words(only: &[String]) -> String {
    const EACH: usize = 6;
    if only.len() <= EACH {
        return only.join("; ");
    }
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for one in only {
        let origin = one.rsplit(", ").next().unwrap_or("");
        // A group's name comes before its metric.
        let (group, rest) = match one.strip_prefix(GROUP) {
            Some(rest) => (GROUP, rest),
            None => ("", one.as_str()),
        };
        let of = rest.split([' ', ',']).next().unwrap_or("");
        *counts.entry(format!("{group}{of}, {origin}")).or_default() += 1;
    }
    let times = |(of, n): (&String, &u32)| match n {
        1 => of.clone(),
        n => format!("{of} at {n} points"),
    };
    counts.iter().map(times).collect::<Vec<_>>().join("; ")
}

/// How the name of a group is led in.
const GROUP: &str = "group ";

fn heading(comparison: &Comparison, form: Form) -> String {
    if comparison.b.is_empty() {
        return format!("Origins of {}\n\n", comparison.a.join(", "));
    }
    // Lines of a Markdown paragraph are one; items of a list are not.
    let item = match form {
        Form::Markdown => "- ",
        Form::Terminal => "",
    };
    let (a, b) = (comparison.a.join(", "), comparison.b.join(", "));
    format!("{item}A: {a}\n{item}B: {b}\n\n")
}

/// The test, its point, whose values they are, and of how many runs.
fn subject(row: &Row, comparison: &Comparison) -> String {
    let mut text = row.test.clone();
    if !row.point.is_empty() {
        text += &format!(", {}", comparison.keys.words(&row.point));
    }
    let times = |n: u32| match n {
        1 => String::new(),
        n => format!(" \u{d7} {n}"),
    };
    let (a, b) = (row.origin_a.name(), row.origin_b.name());
    let (n, m) = runs(row, comparison.rows.iter());
    let (n, m) = (times(n), times(m));
    if comparison.b.is_empty() {
        text + &format!(": A {a}{n}, B {b}{m}")
    } else {
        text + &format!(": {a}, A{n}, B{m}")
    }
}

/// Runs of a row's test on each side: the most that any of its metrics has.
fn runs<'r>(row: &Row, all: impl Iterator<Item = &'r Row>) -> (u32, u32) {
    let alike = |r: &&Row| {
        (&r.test, &r.point, r.origin_a, r.origin_b)
            == (&row.test, &row.point, row.origin_a, row.origin_b)
    };
    all.filter(alike)
        .fold((1, 1), |(n, m), r| (n.max(r.a.n), m.max(r.b.n)))
}

fn columns(rows: &[&Row]) -> Vec<Column> {
    let mut cells: [Vec<String>; 7] = Default::default();
    for row in rows {
        let (unit, numbers) = in_common_unit(
            &row.metric,
            row.a.mean,
            &[
                row.a.mean,
                row.b.mean,
                row.difference,
                row.difference_ci95.unwrap_or(0.0),
            ],
        );
        let comma = if unit.is_empty() { "" } else { ", " };
        let share = |value: f64| match row.relative {
            Some(_) => percent(value / row.a.mean.abs()),
            None => String::new(),
        };
        let is_more = row.difference > 0.0 && !is_rounding(row);
        let sign = if is_more { "+" } else { "" };
        let difference = match row.relative {
            Some(share) => format!("{sign}{}", percent(share)),
            None => format!("{sign}{}", numbers[2]),
        };
        let interval = match (row.difference_ci95, row.relative) {
            (None, _) => String::new(),
            (Some(half), Some(_)) => share(half),
            (Some(_), None) => numbers[3].clone(),
        };
        let fewer = if (row.a.n, row.b.n) == runs(row, rows.iter().copied()) {
            String::new()
        } else {
            format!(" ({}, {})", row.a.n, row.b.n)
        };
        let values = [
            format!("  {}{comma}{unit}{fewer}", unitless(&row.metric)),
            numbers[0].clone(),
            numbers[1].clone(),
            difference,
            interval,
            row.effect.map_or(String::new(), |d| format!("{d:.2}")),
            says(row),
        ];
        for (column, cell) in cells.iter_mut().zip(values) {
            column.push(cell);
        }
    }
    let heads = [
        "test, metric",
        "A",
        "B",
        "B \u{2212} A",
        "\u{b1} 95 %",
        "d",
        "",
    ];
    let number = |head: &str| !head.is_empty() && head != heads[0];
    heads
        .into_iter()
        .zip(cells)
        .map(|(head, cells)| Column {
            head: head.to_owned(),
            cells,
            number: number(head),
        })
        .collect()
}

/// Percent below which a difference is one of binary fractions.
const ROUNDING: f64 = 1e-10;

fn percent(share: f64) -> String {
    let value = share * 100.0;
    // What is left of rounding is not a difference.
    let value = if value.abs() < ROUNDING { 0.0 } else { value };
    match value.abs() {
        v if v >= 1000.0 => format!("{value:.0} %"),
        v if v >= 0.01 || v == 0.0 => format!("{value:.2} %"),
        _ => format!("{value:.0e} %"),
    }
}

/// What is said of a difference that chance may have made.
const UNTOLD: &str = "inconclusive";

/// Whether there is no difference but that of binary fractions.
fn is_rounding(row: &Row) -> bool {
    row.difference.abs() * 100.0 <= ROUNDING * row.a.mean.abs()
}

/// What is said of a difference that the metric's steps hide.
const BELOW: &str = "below a step";

/// What is added where ranks were compared and not means.
const BY_RANKS: &str = ", by ranks";

/// Nobody makes more further runs than these: they are not advised.
const MORE: u32 = 100;

/// Whether a difference is below the steps in which the metric is known.
fn is_below_step(row: &Row) -> bool {
    row.difference != 0.0 && row.step.is_some_and(|s| row.difference.abs() < s)
}

/// Whether two values differ, and chance may have done it.
fn is_untold(row: &Row) -> bool {
    row.verdict == Verdict::Inconclusive
}

/// What may be said of a difference, with its mark.
fn says(row: &Row) -> String {
    let text = found(row);
    match row.out_of_range {
        _ if row.beyond_tolerance => format!("{text} BEYOND"),
        true => format!("{text} ?"),
        false => text,
    }
}

/// The same without it.
fn found(row: &Row) -> String {
    let by = if row.rank_p.is_some() { BY_RANKS } else { "" };
    match (row.verdict, row.more_runs) {
        (Verdict::Differs, _) => format!("differs{by}"),
        (Verdict::Unknown, _) => "one run".to_owned(),
        (Verdict::Same, _) if is_below_step(row) => BELOW.to_owned(),
        (Verdict::Same, _) => "same".to_owned(),
        (Verdict::Inconclusive, Some(more @ 1..=MORE)) => format!("{UNTOLD}; {more} more"),
        (Verdict::Inconclusive, _) => format!("{UNTOLD}{by}"),
    }
}

fn key(rows: &[&Row]) -> String {
    let pairs = rows.iter().filter(|r| r.paired).count();
    let by = match pairs {
        0 => "Welch",
        n if n == rows.len() => "of pairs, Student",
        _ => "of pairs Student, else Welch",
    };
    let mut text = format!(
        "differs: the 95 % confidence interval of B \u{2212} A ({by}) does not hold zero. same: A and B are equal."
    );
    if rows.iter().any(|r| found(r).starts_with(UNTOLD)) {
        text += " inconclusive: it does hold zero, and A and B differ.";
    }
    if pairs > 0 {
        text += " Pairs: both sides have the same seeds, and are compared seed by seed.";
    }
    if rows.iter().any(|r| found(r) == BELOW) {
        text += " below a step: a ramp is known to a round trip, and of real hosts to a hundredth of its test.";
    }
    if rows.iter().any(|r| found(r).ends_with(" more")) {
        text += &format!(
            " N more: runs to add on each side, to tell a difference as large as this from none; without a number it takes more than {MORE}."
        );
    }
    if rows.iter().any(|r| r.rank_p.is_some()) {
        text += " by ranks: runs of a side are of two kinds, whose mean is like neither, and Mann and Whitney's test of ranks \
            (of pairs Wilcoxon's) stands for the interval.";
    }
    if rows.iter().any(|r| r.verdict == Verdict::Unknown) {
        text += " one run: it takes two or more (`--repeat`) to know the spread of runs, or that nothing in them is random.";
    }
    if rows.iter().any(|r| r.out_of_range) {
        text += " ?: a forecast outside its formula's range, by its own note; it is never beyond a tolerance.";
    }
    if rows.iter().any(|r| r.metric.ends_with("loss_ratio")) {
        text += " Of a loss ratio the interval is at least that of its counts (Wilson, Newcombe).";
    }
    let of_prediction = |r: &&Row| [r.origin_a, r.origin_b].contains(&Origin::Predicted);
    let unlike = |r: &&Row| r.origin_a != r.origin_b && of_prediction(r);
    if rows.iter().any(|r| r.metric == "recovery_s" && unlike(r)) {
        text += &format!(" {RECOVERY}.");
    }
    text + " d: Cohen's d, B \u{2212} A over the standard deviation of one run (the root of both variances' mean)."
}

/// Rows of two kinds of run that are named; of more it says how many.
const NAMED: usize = 6;

/// Where runs are of two kinds: how many of each, and what medians say.
fn mixtures(rows: &[&Row], comparison: &Comparison) -> String {
    let side = |row: &Row, name: &str, s: &Summary| {
        let kinds = s.two_kinds.as_ref();
        let kinds = kinds.map(|k| format!("{}, ", kinds_words(&row.metric, k)));
        let median = quantity(&row.metric, s.median.unwrap_or(s.mean));
        format!("{name} {}median {median}", kinds.unwrap_or_default())
    };
    let one = |row: &&Row| {
        let (a, b) = (side(row, "A", &row.a), side(row, "B", &row.b));
        format!("{}: {a}; {b}", place(row, comparison))
    };
    let mixed = |row: &&&Row| row.a.two_kinds.is_some() || row.b.two_kinds.is_some();
    let mut all: Vec<String> = rows.iter().filter(mixed).map(one).collect();
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    if more > 0 {
        all.push(format!("{more} more"));
    }
    match all.is_empty() {
        true => String::new(),
        false => format!(
            "two kinds of run, with none between, so that a mean is like neither: {}",
            all.join(". ")
        ),
    }
}

/// A row's test, metric and point: `bulk goodput, loss 1e-4`.
fn place(row: &Row, comparison: &Comparison) -> String {
    let point = comparison.keys.words(&row.point);
    let comma = if point.is_empty() { "" } else { ", " };
    format!("{} {}{comma}{point}", row.test, unitless(&row.metric))
}

/// The largest difference of each kind: of those apart from chance, of single runs, and of those that chance may have made; and how
/// many of these no few further runs tell. Nothing of one row alone, which says it itself.
fn largest(comparison: &Comparison, rows: &[&Row]) -> String {
    if rows.len() < 2 {
        return String::new();
    }
    let most = |of: &dyn Fn(&Row) -> bool| {
        let size = |row: &Row| row.relative.map_or(0.0, f64::abs);
        let all = rows.iter().filter(|r| of(r));
        let most = all.max_by(|p, q| size(p).total_cmp(&size(q)))?;
        let sign = if most.difference > 0.0 { "+" } else { "" };
        let difference = match most.relative {
            Some(share) => percent(share),
            None => quantity(&most.metric, most.difference),
        };
        let place = place(most, comparison);
        Some(format!("{place}, {sign}{difference}"))
    };
    let mut parts = Vec::new();
    parts.extend(
        most(&|r| r.verdict == Verdict::Differs).map(|m| format!("of those that differ {m}")),
    );
    parts.extend(most(&|r| r.verdict == Verdict::Unknown).map(|m| format!("of single runs {m}")));
    if let Some(most) = most(&is_untold) {
        let many =
            |r: &&&Row| is_untold(r) && r.rank_p.is_none() && r.more_runs.is_none_or(|n| n > MORE);
        let far = match rows.iter().filter(many).count() {
            0 => String::new(),
            n => format!(" ({n} of them take more than {MORE} runs a side to tell)"),
        };
        parts.push(format!("of the inconclusive {most}{far}"));
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!("largest: {}", parts.join("; ")),
    }
}

fn verdict(comparison: &Comparison, rows: &[&Row]) -> String {
    let count = |of: &dyn Fn(&Row) -> bool| rows.iter().filter(|r| of(r)).count();
    let mut text = format!(
        "{} metrics: {} differ, {} the same, {} inconclusive, {} of single runs",
        rows.len(),
        count(&|r| r.verdict == Verdict::Differs),
        count(&|r| r.verdict == Verdict::Same),
        count(&is_untold),
        count(&|r| r.verdict == Verdict::Unknown)
    );
    if let Some(tolerance) = comparison.tolerance {
        let beyond = rows.iter().filter(|r| r.beyond_tolerance).count();
        text += &format!("; {beyond} beyond the tolerance of {}", percent(tolerance));
    }
    text
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
