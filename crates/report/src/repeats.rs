//! What repeats of a run come to, below its table.

use farpath_record::{Keys, MetricSummary, Origin, Point, RunDocument, is_nothing};

use crate::grid::Column;
use crate::markdown::lines;
use crate::quantity::{in_common_unit, unitless};
use crate::table::{FAIRNESS, Form, GROUP, Layout, paths, push_wrapped};
use crate::validity::Index;

/// The metric of a group that each of its records holds.
const OF_GROUP: &str = "group_jain_index";

/// Repeats that have a metric, and how many count, where fewer than half do: no median, mean or interval of
/// those is one of the repeats.
pub(crate) fn rare(
    run: &RunDocument,
    index: &Index<'_>,
    path: &str,
    origin: Origin,
    point: &Point,
) -> Option<(usize, usize)> {
    run.repeats.as_ref()?;
    let metric = match path.starts_with(GROUP) {
        true => OF_GROUP,
        false => path.rsplit('.').next()?,
    };
    let mine = index.named(path, origin, point);
    let any_valid = mine.iter().any(|r| r.valid);
    let counted = mine.iter().filter(|r| r.valid || !any_valid);
    let have = counted.clone().filter(|r| r.metrics.contains_key(metric));
    let (have, all) = (have.count(), counted.count());
    (have > 0 && 2 * have < all).then_some((have, all))
}

/// A summary that the table shows: its path, and what heads it.
struct Shown<'r> {
    path: String,
    of: String,
    label: String,
    summary: &'r MetricSummary,
}

/// The summaries of what the table above shows; a group's fairness, which each of its tests has, once and last.
fn shown(run: &RunDocument) -> Vec<Shown<'_>> {
    let paths = paths(run);
    let group = |test: &str| {
        let record = run.records.iter().find(|r| r.test == test)?;
        let name = record.group.as_ref()?;
        let first = run
            .records
            .iter()
            .find(|r| r.group.as_ref() == Some(name))?;
        (first.test == test).then(|| name.clone())
    };
    let one = |summary: &'_ MetricSummary| -> Option<(String, String, String)> {
        let (test, metric) = (&summary.test, &summary.metric);
        if metric == OF_GROUP {
            let name = group(test)?;
            let of = format!("group {name}");
            return Some((format!("{GROUP}{name}.jain_index"), of, FAIRNESS.to_owned()));
        }
        let label = match metric.as_str() {
            "jain_index" => FAIRNESS,
            other => unitless(other),
        };
        Some((format!("{test}.{metric}"), test.clone(), label.to_owned()))
    };
    let all = run.repeats.iter().flat_map(|r| &r.metrics);
    let mut found: Vec<Shown<'_>> = all
        .filter_map(|summary| {
            let (path, of, label) = one(summary)?;
            let has = !is_nothing(&summary.metric, summary.summary.max);
            (has && paths.contains(&path)).then_some(Shown {
                path,
                of,
                label,
                summary,
            })
        })
        .collect();
    found.sort_by_key(|s| s.path.starts_with(GROUP));
    found
}

/// The table of repeats: how many have it, least, greatest, mean, standard deviation and confidence interval of what
/// the table above shows, and what is left out.
pub(crate) fn repeats(run: &RunDocument, layout: Layout) -> String {
    let Some(repeats) = &run.repeats else {
        return String::new();
    };
    let (mut metrics, mut few) = (Vec::new(), Vec::new());
    let index = Index::of(run);
    for one in shown(run) {
        let s = one.summary;
        match rare(run, &index, &one.path, s.origin, &s.point) {
            Some(counts) => few.push((one, counts)),
            None => metrics.push(one),
        }
    }
    let keys = Keys::of(run);
    let missing = left_out(run, &few, &keys);
    if metrics.is_empty() && missing.is_empty() {
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
    let point = metrics.first().map(|m| &m.summary.point);
    if metrics.iter().any(|m| Some(&m.summary.point) != point) {
        say(&mut out, SAME_SEEDS);
    }
    if !metrics.is_empty() {
        out += &format!("\n{}\n", table(&metrics, &keys, layout).join("\n"));
    }
    for text in missing {
        out.push('\n');
        say(&mut out, &text);
    }
    out
}

/// How the points of a sweep hang together.
const SAME_SEEDS: &str = "Every point has the same seeds, and so the same random numbers: compare points repeat by repeat. \
    Their samples are not independent.";

/// What the table of repeats lacks, and why.
fn left_out(run: &RunDocument, few: &[(Shown<'_>, (usize, usize))], keys: &Keys) -> Vec<String> {
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
    let mut named: Vec<String> = few
        .iter()
        .take(NAMED)
        .map(|(one, (have, all))| {
            let s = one.summary;
            let at = match keys.words(&s.point) {
                words if words.is_empty() => words,
                words => format!(", {words}"),
            };
            let (of, label, origin) = (&one.of, &one.label, s.origin.name());
            format!("{of} {label}, {origin}{at}: {have} of {all}")
        })
        .collect();
    if few.len() > NAMED {
        named.push(format!("{} more", few.len() - NAMED));
    }
    if !named.is_empty() {
        texts.push(format!(
            "Left out here and above, for fewer than half of the repeats have it: {}",
            named.join("; ")
        ));
    }
    texts
}

/// What is left out is named one by one; of more, how many there are.
const NAMED: usize = 6;

fn table(metrics: &[Shown<'_>], keys: &Keys, layout: Layout) -> Vec<String> {
    let mut cells: [Vec<String>; 7] = Default::default();
    let mut groups: Vec<(usize, String)> = Vec::new();
    for (at, one) in metrics.iter().enumerate() {
        let m = one.summary;
        let mut heading = format!("{}, {}", one.of, m.origin.name());
        if !m.point.is_empty() {
            heading += &format!(", {}", keys.words(&m.point));
        }
        if groups.last().is_none_or(|(_, last)| *last != heading) {
            groups.push((at, heading));
        }
        let s = &m.summary;
        let values = [
            s.min,
            s.max,
            s.mean,
            s.sd.unwrap_or(0.0),
            s.ci95.unwrap_or(0.0),
        ];
        let (unit, numbers) = in_common_unit(&m.metric, s.mean, &values);
        let comma = if unit.is_empty() { "" } else { ", " };
        cells[0].push(format!("  {}{comma}{unit}", one.label));
        cells[1].push(s.n.to_string());
        for (column, number) in cells[2..].iter_mut().zip(numbers) {
            column.push(number);
        }
    }
    let heads = [
        "test, metric",
        "n",
        "min",
        "max",
        "mean",
        "std",
        "\u{b1} 95 %",
    ];
    let columns: Vec<Column> = heads
        .into_iter()
        .zip(cells)
        .map(|(head, cells)| Column {
            head: head.to_owned(),
            cells,
            number: head != heads[0],
        })
        .collect();
    lines(&columns, &groups, layout)
}
