//! Where two sets of runs are in their sweeps: sets of one point each are compared wherever these are.

use super::{CompareError, Comparison, Named, by_points};
use crate::{Keys, Point};

/// Compares two sets of documents, each origin with its like, point by point. What differs between the points of sets of
/// one point each differs between A and B, and a note says it.
///
/// # Errors
/// A run that a set holds twice; sets that have no metric in common.
pub fn sets(a: &[Named], b: &[Named], tolerance: Option<f64>) -> Result<Comparison, CompareError> {
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
