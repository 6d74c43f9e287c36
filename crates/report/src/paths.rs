//! What the table is of: metrics in full, and points.

use farpath_record::{Point, RunDocument};

use crate::group::{GROUP, OF_GROUP};
use crate::headline::{COMPLETION, headline, news, shows_completion};
use crate::metric::subject;

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
