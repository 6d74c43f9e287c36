//! What repeats of a run come to, below its table.

use farpath_record::{Keys, MetricSummary, RunDocument, is_nothing};

use crate::grid::Column;
use crate::markdown::lines;
use crate::quantity::{in_common_unit, unitless};
use crate::table::{Layout, paths};

/// The table of repeats: how many have it, least, greatest, mean, standard deviation and confidence interval of what
/// the table above shows.
pub(crate) fn repeats(run: &RunDocument, layout: Layout) -> String {
    let Some(repeats) = &run.repeats else {
        return String::new();
    };
    let shown = paths(run);
    let of = |m: &&MetricSummary| {
        let path = format!("{}.{}", m.test, m.metric);
        shown.contains(&path) && !is_nothing(&m.metric, m.summary.max)
    };
    let metrics: Vec<&MetricSummary> = repeats.metrics.iter().filter(of).collect();
    if metrics.is_empty() {
        return String::new();
    }
    let keys = Keys::of(run);
    let mut cells: [Vec<String>; 7] = Default::default();
    let mut groups: Vec<(usize, String)> = Vec::new();
    for (at, m) in metrics.iter().enumerate() {
        let mut heading = format!("{}, {}", m.test, m.origin.name());
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
        cells[0].push(format!("  {}{comma}{unit}", unitless(&m.metric)));
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
    let lines = lines(&columns, &groups, layout);
    format!(
        "\n{} repeats, each with its own seed; the table above has their medians\n\n{}\n",
        repeats.count,
        lines.join("\n")
    )
}
