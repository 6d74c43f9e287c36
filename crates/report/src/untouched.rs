//! Keys of a sweep that do not touch a test: its rows stand in the table once.

use std::collections::{BTreeMap, BTreeSet};

use farpath_record::{Keys, Point, Record, RunDocument};

use crate::metric::subject;
use crate::rows::Row;

/// Stands for every value of such a key.
const ANY: &str = "any";

/// What it means, below the table.
pub(crate) const MEANS: &str = "any: every figure of the test is the same at each value of the key";

/// Rows of tests of which every figure, by each origin and in each repeat, is the same at all values of a key: once.
pub(crate) fn folded(run: &RunDocument, mut rows: Vec<Row>) -> Vec<Row> {
    let mut tests: Vec<&str> = run
        .records
        .iter()
        .filter(|r| r.kind != "search")
        .map(|r| r.test.as_str())
        .collect();
    let mut seen = BTreeSet::new();
    tests.retain(|test| seen.insert(*test));
    for key in Keys::of(run).names() {
        for test in &tests {
            if let Some(values) = same_at(run, test, &key.key)
                && let Some(kept) = once(&rows, test, &key.key, &values)
            {
                rows = rows
                    .into_iter()
                    .enumerate()
                    .filter(|(at, row)| subject(&row.path).0 != **test || kept.contains(at))
                    .map(|(at, mut row)| {
                        if kept.contains(&at) {
                            row.point.insert(key.key.clone(), ANY.to_owned());
                        }
                        row
                    })
                    .collect();
            }
        }
    }
    rows
}

/// Whether any row is of all values of a key.
pub(crate) fn is_any(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.point.values().any(|v| v == ANY))
}

/// The values of a key at which a test ran, where there are several and its records are the same at all of them.
fn same_at(run: &RunDocument, test: &str, key: &str) -> Option<BTreeSet<String>> {
    let mine = |r: &&Record| r.test == test && r.kind != "search";
    let all: Vec<&Record> = run.records.iter().filter(mine).collect();
    let values: BTreeSet<String> = all
        .iter()
        .filter_map(|r| r.point.get(key).cloned())
        .collect();
    let mut groups: BTreeMap<(&str, u32, Point), Vec<&Record>> = BTreeMap::new();
    for record in all {
        let place = (
            record.origin.name(),
            record.repeat,
            without(&record.point, key),
        );
        groups.entry(place).or_default().push(record);
    }
    let same = |a: &Record, b: &Record| {
        let found = (&a.metrics, &a.absent, &a.limited_by, a.valid)
            == (&b.metrics, &b.absent, &b.limited_by, b.valid);
        found && a.notes == b.notes
    };
    let all_same = groups
        .values()
        .all(|group| group.len() == values.len() && group.iter().all(|r| same(r, group[0])));
    (values.len() > 1 && all_same).then_some(values)
}

/// The places of the first rows of a test for each value of the other keys, where those at every value of this one say the same.
fn once(rows: &[Row], test: &str, key: &str, values: &BTreeSet<String>) -> Option<BTreeSet<usize>> {
    let mut groups: BTreeMap<(String, &str, Point), Vec<usize>> = BTreeMap::new();
    for (at, row) in rows
        .iter()
        .enumerate()
        .filter(|(_, r)| subject(&r.path).0 == test)
    {
        let place = (row.path.clone(), row.bound, without(&row.point, key));
        groups.entry(place).or_default().push(at);
    }
    let whole = |group: &Vec<usize>| {
        let at: BTreeSet<&String> = group
            .iter()
            .filter_map(|n| rows[*n].point.get(key))
            .collect();
        at.len() == values.len() && group.iter().all(|n| rows[*n].says_as(&rows[group[0]]))
    };
    groups
        .values()
        .all(whole)
        .then(|| groups.values().map(|group| group[0]).collect())
}

fn without(point: &Point, key: &str) -> Point {
    let others = point.iter().filter(|(k, _)| *k != key);
    others.map(|(k, v)| (k.clone(), v.clone())).collect()
}
