//! The lines of the table, before they are laid out.

use farpath_record::quantity::{decimal, quantity};
use farpath_record::{Expectation, Origin, Point, Results, RunDocument, is_nothing};

use crate::allowed;
use crate::band::source_words;
use crate::few;
use crate::forecast;
use crate::group::of_group;
use crate::judges;
use crate::limit::limits_of;
use crate::metric::subject;
use crate::paths::{paths, points};
use crate::repeats::{fairness, is_of_one_stream, of_how_many, rare};
use crate::validity::Index;

/// One line of the table.
pub(crate) struct Row {
    /// The metric in full, as an expectation names it.
    pub(crate) path: String,
    /// Which bound of the forecast it is; empty of the figure itself.
    pub(crate) bound: &'static str,
    pub(crate) point: Point,
    pub(crate) stated: String,
    pub(crate) allowed: String,
    /// One per origin of the run.
    pub(crate) values: Vec<Option<f64>>,
    /// Of how many repeats each is, where some lack it.
    pub(crate) partly: Vec<String>,
    /// Of which origins no valid record says it.
    pub(crate) invalid: Vec<bool>,
    /// Of which origins it hangs on few loss events.
    pub(crate) few: Vec<bool>,
    pub(crate) limited_by: String,
    pub(crate) mark: String,
}

impl Row {
    /// What it is of, and what it is.
    pub(crate) fn subject(&self) -> (String, String) {
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
    pub(crate) fn print(&self, value: f64) -> String {
        let is_decimal =
            |v: &f64| *v >= 1000.0 && quantity(&self.path, *v) == decimal(&self.path, *v);
        match self.values.iter().flatten().any(is_decimal) {
            true => decimal(&self.path, value),
            false => quantity(&self.path, value),
        }
    }

    /// Whether its prediction is far from what happened.
    pub(crate) fn is_far(&self, run: &RunDocument) -> bool {
        let doubted = self.invalid.iter().zip(&self.few);
        let doubted = doubted.map(|(invalid, few)| *invalid || *few);
        let values = self.values.iter().copied().zip(doubted);
        forecast::is_marked(run, (&self.path, &self.point), values)
    }
}

/// The lines of a run, metric by metric and point by point.
pub(crate) fn rows(run: &RunDocument) -> Vec<Row> {
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
