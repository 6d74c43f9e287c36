//! What divides or subtracts two metrics, repeat by repeat.

use std::collections::BTreeSet;

use crate::results::{Subject, split};
use crate::{Origin, Point, Results};

/// A ratio or difference of one repeat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compared {
    pub origin: Origin,
    pub point: Point,
    pub repeat: u32,
    pub value: f64,
    /// All records that it is of are valid.
    pub valid: bool,
}

/// One repeat of a point.
type Place<'a> = (Origin, &'a Point, u32);

/// What a written ratio or difference is of, and the rest of it: `A`, `x_ns minus B.x_ns` of `A.x_ns minus B.x_ns`. None of a
/// metric alone.
pub(crate) fn parts(written: &str) -> Option<(&str, &str)> {
    let (first, _) = written.split_once(' ')?;
    let (_, name) = split(first)?;
    let of = first.strip_suffix(name)?.strip_suffix('.')?;
    Some((of, &written[of.len() + 1..]))
}

/// A written ratio or difference in each repeat that has it; nothing of a metric alone.
pub(crate) fn compared(written: &str, results: Results<'_>) -> Vec<Compared> {
    let mut words = written.split(' ');
    let first = words.next().and_then(split);
    let rest: Vec<&str> = words.collect();
    let Some((subject, name)) = first.filter(|_| !rest.is_empty()) else {
        return Vec::new();
    };
    let places = results.places(subject).into_iter();
    let one = |at: Place<'_>| {
        let (mut value, mut valid) = results.at(subject, name, at)?;
        for pair in rest.chunks(2) {
            let (subject, name) = split(pair.get(1)?)?;
            // What was not swept has one result for all points.
            let swept = results.places(subject).contains(&at);
            let whole = Point::new();
            let at = if swept { at } else { (at.0, &whole, at.2) };
            let (other, is_valid) = results.at(subject, name, at)?;
            value = if pair[0] == "over" {
                value / other
            } else {
                value - other
            };
            valid &= is_valid;
        }
        let (origin, point, repeat) = at;
        value.is_finite().then(|| Compared {
            origin,
            point: point.clone(),
            repeat,
            value,
            valid,
        })
    };
    places.filter_map(one).collect()
}

impl<'a> Results<'a> {
    /// Where a subject has results.
    fn places(&self, subject: Subject<'_>) -> BTreeSet<Place<'a>> {
        let records = self.records.iter().filter(|r| subject.is_record(r));
        let records = records.map(|r| (r.origin, &r.point, r.repeat));
        let links = self.links.iter().filter(|l| subject.is_link(l));
        let links = links.map(|l| (l.origin, &l.point, l.repeat));
        records.chain(links).collect()
    }

    /// A metric in one repeat, and whether it is valid.
    fn at(&self, subject: Subject<'_>, name: &str, at: Place<'_>) -> Option<(f64, bool)> {
        if let Subject::Link { .. } = subject {
            let mut links = self.links.iter().filter(|l| subject.is_link(l));
            let link = links.find(|l| (l.origin, &l.point, l.repeat) == at)?;
            return Some((self.link_metric(link, name)?, true));
        }
        let mut records = self.records.iter().filter(|r| subject.is_record(r));
        let record = records.find(|r| (r.origin, &r.point, r.repeat) == at)?;
        Some((record.value(name)?, record.valid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    #[test]
    fn a_ratio_is_that_of_each_repeat() {
        let mut records = Vec::new();
        for (test, values) in [("a", [6.0, 8.0]), ("b", [3.0, 2.0])] {
            for (repeat, value) in (0..).zip(values) {
                let mut record = Record::new(Origin::Simulated, test, "tcp", "x", "y");
                record.repeat = repeat;
                record.set("goodput_bps", value);
                record.valid = (test, repeat) != ("b", 1);
                records.push(record);
            }
        }
        let results = Results {
            records: &records,
            links: &[],
        };
        let values = |written: &str| -> Vec<(f64, bool)> {
            let all = compared(written, results).into_iter();
            all.map(|c| (c.value, c.valid)).collect()
        };
        let ratio = "a.goodput_bps over b.goodput_bps";
        assert_eq!(values(ratio), [(2.0, true), (4.0, false)]);
        let difference = values("a.goodput_bps minus b.goodput_bps");
        assert_eq!(difference, [(3.0, true), (6.0, false)]);
        assert!(values("a.goodput_bps").is_empty());
        assert!(values("a.goodput_bps over c.goodput_bps").is_empty());
        let rest = "goodput_bps over b.goodput_bps";
        assert_eq!(parts(ratio), Some(("a", rest)));
        let of_link = parts("link.l.a>b.drops.tail over link.l.a>b.frames");
        assert_eq!(
            of_link,
            Some(("link.l.a>b", "drops.tail over link.l.a>b.frames"))
        );
    }
}
