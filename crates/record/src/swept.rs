//! Swept values as numbers: columns of a CSV for programs that do not read quantities.

use farpath_units::{Distance, Duration, Rate, Ratio, Size};

use crate::Keys;
use crate::judge::Point;

/// A kind of quantity: the end of its column's name, and a text of it in that unit.
type Kind = (&'static str, fn(&str) -> Option<f64>);

const KINDS: [Kind; 5] = [
    ("ns", |t| {
        Some(t.parse::<Duration>().ok()?.as_ps() as f64 / 1e3)
    }),
    ("bps", |t| Some(t.parse::<Rate>().ok()?.as_bps() as f64)),
    ("bytes", |t| Some(t.parse::<Size>().ok()?.as_bytes() as f64)),
    ("m", |t| Some(t.parse::<Distance>().ok()?.as_m() as f64)),
    ("ratio", |t| Some(t.parse::<Ratio>().ok()?.get())),
];

/// A column for each key of a sweep all of whose values are quantities of one kind with a unit: `link.wan.delay_ns`. Words, and
/// what is a number as it is written, have none.
pub(crate) struct Swept<'k>(Vec<(&'k str, Kind)>);

impl<'k> Swept<'k> {
    /// Of the points that a document has.
    pub(crate) fn of<'p>(keys: &'k Keys, points: impl Iterator<Item = &'p Point> + Clone) -> Self {
        let column = |key: &'k str| {
            let texts = || points.clone().filter_map(|p| p.get(key));
            let plain = texts().all(|t| t.parse::<f64>().is_ok());
            let kind = |(_, read): &&Kind| texts().all(|t| read(t).is_some());
            let kind = KINDS.iter().find(kind).filter(|_| !plain)?;
            Some((key, *kind))
        };
        let names = keys.names().iter();
        Swept(names.filter_map(|k| column(&k.key)).collect())
    }

    /// The names of the columns, each after a comma.
    pub(crate) fn heads(&self) -> String {
        let head = |(key, (unit, _)): &(&str, Kind)| format!(",{key}_{unit}");
        self.0.iter().map(head).collect()
    }

    /// The numbers of a point, each after a comma; empty where it has not the key.
    pub(crate) fn cells(&self, point: &Point) -> String {
        let number = |(key, (_, read)): &(&str, Kind)| {
            let value = point.get(*key).and_then(|text| read(text));
            value.map_or(",".to_owned(), |v| format!(",{v}"))
        };
        self.0.iter().map(number).collect()
    }
}
