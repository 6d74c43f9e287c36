//! What makes no difference to the points of a sweep: to all of them, or to those where another key has certain values.

use std::collections::BTreeSet;

use crate::diagnostic::Diagnostic;
use crate::set::Set;

/// Between the name of a key and the reason.
const NO_EFFECT: &str = " has no effect: ";

/// A finding at one point.
pub(crate) struct AtPoint {
    pub finding: Diagnostic,
    /// The swept key whose value it is about, if it is about one.
    pub key: Option<String>,
}

/// A finding, and the points it was found at.
struct Seen {
    at: AtPoint,
    points: Vec<usize>,
}

impl Seen {
    /// Values of a swept key may differ in nothing but where they stand.
    fn is_of(&self, other: &AtPoint) -> bool {
        let (own, finding) = (&self.at.finding, &other.finding);
        match (&self.at.key, &other.key) {
            (None, None) => own == finding,
            (own_key, key) => own_key == key && own.title == finding.title,
        }
    }
}

/// The findings of all points as those of their sweep.
pub(crate) fn swept(points: &[Vec<Set>], found: Vec<Vec<AtPoint>>) -> Vec<Diagnostic> {
    let mut seen: Vec<Seen> = Vec::new();
    for (point, findings) in found.into_iter().enumerate() {
        for at in findings {
            match seen.iter_mut().find(|s| s.is_of(&at)) {
                Some(known) => known.points.push(point),
                None => seen.push(Seen {
                    at,
                    points: vec![point],
                }),
            }
        }
    }
    seen.into_iter()
        .filter_map(|s| of_sweep(points, s))
        .collect()
}

/// A finding of some points as one of the sweep; none where no one key tells these points from the others.
fn of_sweep(points: &[Vec<Set>], seen: Seen) -> Option<Diagnostic> {
    let AtPoint { mut finding, key } = seen.at;
    let everywhere = seen.points.len() == points.len();
    if everywhere && key.is_none() {
        return Some(finding);
    }
    let (own, why) = finding.title.split_once(NO_EFFECT)?;
    let own = key
        .as_ref()
        .map_or(own.to_owned(), |key| format!("`{key}`"));
    let of = format!("{} of {} points", seen.points.len(), points.len());
    finding.title = match everywhere {
        true => format!(
            "{own} has no effect at any of {} points: {why}",
            points.len()
        ),
        false => {
            let paths = points.first()?.iter().map(|set| &set.path);
            let mut others = paths.filter(|path| key.as_ref() != Some(path));
            let (path, values) =
                others.find_map(|path| Some((path, tells(path, points, &seen.points)?)))?;
            // That one of them takes the place of another is why they are swept.
            let name = path.rsplit('.').next().unwrap_or_default();
            if why.contains(&format!("`{name}`")) {
                return None;
            }
            format!("{own} has no effect where `{path}` is {values} ({of}): {why}")
        }
    };
    Some(finding)
}

/// The values of a key at these points, if it has them at no other.
fn tells(path: &str, points: &[Vec<Set>], at: &[usize]) -> Option<String> {
    let value = |n: usize| {
        let set = points[n].iter().find(|set| set.path == path)?;
        Some(set.value.as_str())
    };
    let here: BTreeSet<&str> = at.iter().filter_map(|n| value(*n)).collect();
    let has = |n: &usize| value(*n).is_some_and(|value| here.contains(value));
    let alike = (0..points.len()).filter(has).count() == at.len();
    alike.then(|| here.into_iter().collect::<Vec<_>>().join(", "))
}
