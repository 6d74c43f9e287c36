//! What makes no difference to the points of a sweep: to all of them, or to those where other keys have certain values; and
//! points at which nothing arrives, or next to nothing.

use std::collections::BTreeSet;

use crate::diagnostic::Diagnostic;
use crate::set::Set;

/// Between the name of a key and the reason.
const NO_EFFECT: &str = " has no effect: ";
/// What is worth a word at one point as at all of them, by words of its title.
const AT_ONE_POINT: [&str; 3] = [
    "holds no frame",
    "nothing that a test sends there arrives",
    "nothing can arrive in this test",
];
/// What a switch is where it is off: the same as without it.
const OFF: &str = "false";

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
    /// With the points at which the key is off and all else is as at one of these: they are the same run.
    fn with_off(mut self, points: &[Vec<Set>]) -> Seen {
        let Some(key) = self.at.key.clone() else {
            return self;
        };
        if !self.at.finding.title.contains(NO_EFFECT) {
            return self;
        }
        let is_off = |n: &usize| {
            let mut here = points[*n].iter();
            let off = here.any(|set| set.path == key && set.value == OFF);
            let mut known = self.points.iter();
            off && !self.points.contains(n)
                && known.any(|k| differ_in(&key, &points[*k], &points[*n]))
        };
        let off: Vec<usize> = (0..points.len()).filter(is_off).collect();
        self.points.extend(off);
        self.points.sort_unstable();
        self
    }

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
        .filter_map(|s| of_sweep(points, s.with_off(points)))
        .collect()
}

/// A swept key, and points that differ in nothing else.
pub(crate) type Alike<'k> = (&'k str, Vec<Vec<usize>>);

/// For each swept key the points that differ in nothing but its value; of a key that others advance with: none.
pub(crate) fn alike(points: &[Vec<Set>]) -> Vec<Alike<'_>> {
    let keys = points.first().into_iter().flatten();
    let mut all = Vec::new();
    for path in keys.map(|set| set.path.as_str()) {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for n in 0..points.len() {
            let same = |group: &&mut Vec<usize>| differ_in(path, &points[n], &points[group[0]]);
            match groups.iter_mut().find(same) {
                Some(group) => group.push(n),
                None => groups.push(vec![n]),
            }
        }
        if groups.iter().all(|group| group.len() > 1) {
            all.push((path, groups));
        }
    }
    all
}

/// Whether two points have the same values but for one key.
fn differ_in(path: &str, one: &[Set], other: &[Set]) -> bool {
    let rest = |point: &'_ [Set]| -> Vec<(String, String)> {
        let others = point.iter().filter(|set| set.path != path);
        others
            .map(|set| (set.path.clone(), set.value.clone()))
            .collect()
    };
    rest(one) == rest(other)
}

/// A finding of some points as one of the sweep; none where no keys tell these points from the others.
fn of_sweep(points: &[Vec<Set>], seen: Seen) -> Option<Diagnostic> {
    let AtPoint { mut finding, key } = seen.at;
    let everywhere = seen.points.len() == points.len();
    if everywhere && key.is_none() {
        return Some(finding);
    }
    let of = format!("{} of {} points", seen.points.len(), points.len());
    let Some((own, why)) = finding.title.split_once(NO_EFFECT) else {
        let worth = AT_ONE_POINT
            .iter()
            .any(|words| finding.title.contains(words));
        finding.title = match everywhere {
            true => format!("{} (all of {} points)", finding.title, points.len()),
            false => {
                let at = told_by(points, &seen.points, None)
                    .map_or_else(|| listed(points, &seen.points), |at| at.words());
                format!("{}, where {at} ({of})", finding.title)
            }
        };
        return worth.then_some(finding);
    };
    let own = key
        .as_ref()
        .map_or(own.to_owned(), |key| format!("`{key}`"));
    finding.title = match everywhere {
        true => format!(
            "{own} has no effect at any of {} points: {why}",
            points.len()
        ),
        false => {
            let at = told_by(points, &seen.points, key.as_deref())?;
            // That one of them takes the place of another is why they are swept.
            let named = |path: &&str| {
                let name = path.rsplit('.').next().unwrap_or_default();
                why.contains(&format!("`{name}`"))
            };
            if at.0.iter().any(|(path, _)| named(path)) {
                return None;
            }
            format!("{own} has no effect where {} ({of}): {why}", at.words())
        }
    };
    Some(finding)
}

/// One key or two, each with the values by which certain points are known.
struct Values<'k>(Vec<(&'k str, BTreeSet<&'k str>)>);

impl Values<'_> {
    fn words(&self) -> String {
        let one = |(path, values): &(&str, BTreeSet<&str>)| {
            let values: Vec<&str> = values.iter().copied().collect();
            format!("`{path}` is {}", values.join(", "))
        };
        let all: Vec<String> = self.0.iter().map(one).collect();
        all.join(" and ")
    }
}

/// The fewest keys that have certain values at these points and at no others; `key` itself tells nothing.
fn told_by<'k>(points: &'k [Vec<Set>], at: &[usize], key: Option<&str>) -> Option<Values<'k>> {
    let paths = || {
        let all = points.first().into_iter().flatten();
        all.map(|set| set.path.as_str())
            .filter(|path| Some(*path) != key)
    };
    let tells = |keys: &[&'k str]| {
        let of = |path: &&'k str| {
            let here = at.iter().filter_map(|n| value(points, *n, path));
            (*path, here.collect::<BTreeSet<&str>>())
        };
        let all: Vec<(&str, BTreeSet<&str>)> = keys.iter().map(of).collect();
        let has = |n: &usize| {
            all.iter()
                .all(|(path, here)| value(points, *n, path).is_some_and(|v| here.contains(v)))
        };
        let alike = (0..points.len()).filter(has).count() == at.len();
        alike.then_some(Values(all))
    };
    let pairs = paths().flat_map(|one| paths().map(move |two| [one, two]));
    paths().find_map(|path| tells(&[path])).or_else(|| {
        pairs
            .filter(|[one, two]| one < two)
            .find_map(|pair| tells(&pair))
    })
}

fn value<'k>(points: &'k [Vec<Set>], n: usize, path: &str) -> Option<&'k str> {
    let set = points[n].iter().find(|set| set.path == path)?;
    Some(set.value.as_str())
}

/// Points that no two keys tell from the others, the first three of them.
fn listed(points: &[Vec<Set>], at: &[usize]) -> String {
    let one = |n: &usize| {
        let sets = points[*n].iter();
        let sets: Vec<String> = sets
            .map(|s| format!("`{}` is {}", s.path, s.value))
            .collect();
        sets.join(" and ")
    };
    let all: Vec<String> = at.iter().take(3).map(one).collect();
    let more = if at.len() > 3 { ", and others" } else { "" };
    format!("{}{more}", all.join(", or "))
}
