//! Where two sets of runs are in their sweeps: sets of one point each are compared wherever these are.

use std::collections::{BTreeMap, BTreeSet};

use super::{CompareError, Comparison, Key, Named, by_points, order, subject};
use crate::swept::same;
use crate::zero::Written;
use crate::{Keys, Point};

/// Compares two sets of documents, each origin with its like, point by point. What differs between the points of sets of
/// one point each differs between A and B, and a note says it.
///
/// # Errors
/// A run that a set holds twice; sets that have no metric in common.
pub fn sets(a: &[Named], b: &[Named], tolerance: Option<f64>) -> Result<Comparison, CompareError> {
    let alike = written_alike(a, b);
    let b = alike.as_deref().unwrap_or(b);
    match (only_point(a), only_point(b)) {
        (Some(x), Some(y)) if x != y => {
            let mut comparison = by_points(&anywhere(a), &anywhere(b), tolerance)?;
            let (x, y) = (place(a, x), place(b, y));
            comparison.notes.push(format!("A is {x}, B {y}"));
            Ok(comparison)
        }
        _ => by_points(a, b, tolerance),
    }
}

/// The second set with the values of its points as the first one writes them, `2 MiB` for `2048KiB`; none where it has no others.
fn written_alike(a: &[Named], b: &[Named]) -> Option<Vec<Named>> {
    let mut words: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (key, value) in a
        .iter()
        .flat_map(|n| &n.document.records)
        .flat_map(|r| &r.point)
    {
        words.entry(key).or_default().insert(value);
    }
    let word = |key: &str, value: &str| -> Option<String> {
        let all = words.get(key).filter(|all| !all.contains(value))?;
        all.iter().find(|w| same(w, value)).map(|w| (*w).to_owned())
    };
    let mut points = b
        .iter()
        .flat_map(|n| &n.document.records)
        .flat_map(|r| &r.point);
    if !points.any(|(key, value)| word(key, value).is_some()) {
        return None;
    }
    let mut all = b.to_vec();
    let records = all.iter_mut().flat_map(|n| &mut n.document.records);
    for (key, value) in records.flat_map(|r| &mut r.point) {
        if let Some(word) = word(key, value) {
            *value = word;
        }
    }
    Some(all)
}

/// The point of all records of a set; none where they have several.
fn only_point(set: &[Named]) -> Option<&Point> {
    let mut points = set
        .iter()
        .flat_map(|n| n.document.records.iter().map(|r| &r.point));
    let first = points.next()?;
    points.all(|point| point == first).then_some(first)
}

/// The same records without their points.
fn anywhere(set: &[Named]) -> Vec<Named> {
    let mut all = set.to_vec();
    for named in &mut all {
        let records = named.document.records.iter_mut();
        records.for_each(|r| r.point.clear());
    }
    all
}

/// Where a set is, in words.
fn place(set: &[Named], point: &Point) -> String {
    let keys = set.first().map(|n| Keys::of(&n.document));
    match keys.unwrap_or_default().words(point) {
        words if words.is_empty() => "without a sweep".to_owned(),
        words => format!("at {words}"),
    }
}

/// Why two sets that have a test and metric of one origin in common have no point so; none where they have none of these either.
pub(super) fn apart(a: &[Named], b: &[Named]) -> Option<CompareError> {
    let same = |k: &Key<'_>, l: &Key<'_>| {
        (k.origin, k.test, k.kind, k.metric) == (l.origin, l.test, l.kind, l.metric)
    };
    let none = Written::default();
    let others = order(b, &none);
    let headed = |k: &&Key<'_>| k.metric == "goodput_bps";
    let all: Vec<Key<'_>> = order(a, &none)
        .into_iter()
        .filter(|k| others.iter().any(|l| same(k, l)))
        .collect();
    let shared = all.iter().find(headed).or(all.first())?;
    let swept = |set: &[Named]| {
        let keys: Vec<String> = set
            .first()
            .map(|n| Keys::of(&n.document))
            .unwrap_or_default()
            .names()
            .iter()
            .map(|k| k.key.clone())
            .collect();
        match keys.is_empty() {
            true => "nothing".to_owned(),
            false => keys.join(", "),
        }
    };
    let (one, two) = (swept(a), swept(b));
    let sweeps = match one == two {
        true => format!("both sweep {one}, over other values"),
        false => format!("A sweeps {one}, and B sweeps {two}"),
    };
    Some(CompareError::NoPoint {
        both: format!(
            "Both have {}.{}, {}; {sweeps}",
            subject(shared),
            shared.metric,
            shared.origin.name()
        ),
    })
}
