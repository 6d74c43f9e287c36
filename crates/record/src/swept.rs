//! Swept values as numbers: columns of a CSV for programs that do not read quantities.

use farpath_units::{Distance, Duration, Rate, Ratio, Size};

use crate::{Keys, Point};

/// A kind of quantity: the end of its column's name, and a text of it in that unit.
type Kind = (&'static str, fn(&str) -> Option<f64>);

const KINDS: [Kind; 6] = [
    ("ns", |t| {
        Some(t.parse::<Duration>().ok()?.as_ps() as f64 / 1e3)
    }),
    ("bps", |t| Some(t.parse::<Rate>().ok()?.as_bps() as f64)),
    ("bytes", |t| Some(t.parse::<Size>().ok()?.as_bytes() as f64)),
    ("m", |t| Some(t.parse::<Distance>().ok()?.as_m() as f64)),
    ("ratio", |t| Some(t.parse::<Ratio>().ok()?.get())),
    ("bdp", |t| {
        let digits = t.strip_suffix("bdp").or_else(|| t.strip_suffix("BDP"))?;
        let times = digits.trim_end().parse::<f64>().ok()?;
        times.is_finite().then_some(times)
    }),
];

/// A value of a sweep as a number: a plain one as it stands, a time in ns, a rate in bit/s, a size in bytes, a distance in
/// metres, a ratio, a queue in bandwidth-delay products; with the end of its column's name, empty of what is plain. None of a word.
pub fn quantity(text: &str) -> Option<(&'static str, f64)> {
    let plain = text.replace('_', "").parse::<f64>().ok();
    let plain = plain.filter(|v| v.is_finite()).map(|v| ("", v));
    plain.or_else(|| {
        let mut kinds = KINDS.iter();
        kinds.find_map(|(unit, read)| Some((*unit, read(text)?)))
    })
}

/// Whether two texts are one value of a sweep: the same text, or one quantity written in two ways, as `512KiB` and
/// `524288 B`, or `1e-4` and `0.01 %`.
pub fn same(a: &str, b: &str) -> bool {
    let alike = |(_, read): &Kind| read(a).is_some_and(|v| read(b) == Some(v));
    let plain = |text: &str| quantity(text).filter(|(unit, _)| unit.is_empty());
    a == b || KINDS.iter().any(alike) || plain(a).is_some_and(|v| plain(b) == Some(v))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_quantity_is_written_in_several_ways() {
        for (a, b) in [
            ("512KiB", "512 KiB"),
            ("512 KiB", "524288 B"),
            ("1 Gbit/s", "1000Mbit/s"),
            ("25 ms", "0.025 s"),
            ("0.01 %", "1e-4"),
            ("10", "1e1"),
            ("1_000", "1000"),
            ("1bdp", "1.0 bdp"),
            ("cubic", "cubic"),
        ] {
            assert!(same(a, b) && same(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("512 KB", "512 KiB"),
            ("1 s", "1 m"),
            ("10 ms", "10 Mbit/s"),
            ("cubic", "reno"),
            ("1", "10"),
            ("1 %", "1"),
        ] {
            assert!(!same(a, b) && !same(b, a), "{a} {b}");
        }
    }

    #[test]
    fn values_of_sweeps_are_those_of_the_pages_axis() {
        let wanted = [
            ("1e-3", ("", 1e-3)),
            ("0.1 %", ("ratio", 1e-3)),
            ("25 ms", ("ns", 25e6)),
            ("9000", ("", 9000.0)),
            ("64 KiB", ("bytes", 65536.0)),
            ("10 Gbit/s", ("bps", 1e10)),
            ("0.5bdp", ("bdp", 0.5)),
        ];
        for (text, value) in wanted {
            assert_eq!(quantity(text), Some(value), "{text}");
        }
        assert_eq!(quantity("cubic"), None);
    }
}
