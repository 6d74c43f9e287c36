//! Two values of one key of a sweep side by side: what one has against what the other has, at each point of the other keys.

use std::collections::BTreeSet;

use super::{CompareError, Comparison, Named, Row, Verdict, by_points};
use crate::swept::same;
use crate::{Keys, Origin, Point};

/// Compares the points of a set at which `key` has the first of two values with those at which it has the second. Both
/// are given as `A,B`; the points are paired by their other keys. What advances together with `key` differs with it, and a
/// note says so.
///
/// `key` is a key's whole name or as many of its last parts as tell it from other keys of the sweep; values may be written otherwise than in the sweep (`512KiB`).
///
/// # Errors
/// A key that no point has, values that it never has, or one value twice; a run that the set holds twice; no metric in common.
pub fn between(
    set: &[Named],
    key: &str,
    values: &str,
    tolerance: Option<f64>,
) -> Result<Comparison, CompareError> {
    let keys = keys(set);
    let key = whole(set, &keys, key)?;
    let (a, b) = two(set, &key, values)?;
    let beside = beside(set, &key, (&a, &b));
    let left_out: BTreeSet<&str> = beside.iter().map(|(key, ..)| key.as_str()).collect();
    let side = |value: &str| part(set, &keys, (&key, value), &left_out);
    let mut comparison = by_points(&side(&a), &side(&b), tolerance)?;
    comparison
        .notes
        .extend(beside.iter().map(|(other, one, two)| {
            format!("{other} differs with {key}: it is {one} in A and {two} in B")
        }));
    if comparison.rows.iter().any(by_formulas) {
        comparison.notes.push(FORMULAS.to_owned());
    }
    Ok(comparison)
}

/// What is to be known of predicted rows.
pub(super) const FORMULAS: &str = "predicted rows differ by their formulas, without chance: where these are of different algorithms, their own errors may be \
    larger than the difference";

/// Whether a row is one of two forecasts that differ.
pub(super) fn by_formulas(row: &Row) -> bool {
    row.origin_a == Origin::Predicted && row.verdict == Verdict::Differs
}

/// The keys of the first document that has any.
fn keys(set: &[Named]) -> Keys {
    let all = set.iter().map(|n| Keys::of(&n.document));
    let mut swept = all.filter(|keys| !keys.names().is_empty());
    swept.next().unwrap_or_default()
}

fn points(set: &[Named]) -> impl Iterator<Item = &Point> {
    let records = set.iter().flat_map(|n| &n.document.records);
    records.map(|r| &r.point)
}

/// The whole name of the one swept key that is called so, or whose last parts are these.
fn whole(set: &[Named], keys: &Keys, wanted: &str) -> Result<String, CompareError> {
    let is_swept = |key: &str| points(set).any(|p| p.contains_key(key));
    let names = keys.names().iter().map(|k| k.key.as_str());
    let swept: Vec<&str> = names.filter(|key| is_swept(key)).collect();
    let end = format!(".{wanted}");
    let ends: Vec<&str> = swept
        .iter()
        .copied()
        .filter(|k| k.ends_with(&end))
        .collect();
    match ends[..] {
        _ if swept.contains(&wanted) => Ok(wanted.to_owned()),
        [one] => Ok(one.to_owned()),
        _ => Err(CompareError::NotSwept {
            key: wanted.to_owned(),
            swept: swept.into_iter().map(str::to_owned).collect(),
        }),
    }
}

/// The values of a key in the order of the records, each once.
fn values_of(set: &[Named], key: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for value in points(set).filter_map(|p| p.get(key)) {
        if !all.contains(value) {
            all.push(value.clone());
        }
    }
    all
}

/// The two values that `A,B` names, as the sweep has them. A value may have a comma itself.
fn two(set: &[Named], key: &str, written: &str) -> Result<(String, String), CompareError> {
    let all = values_of(set, key);
    let find = |text: &str| {
        let exact = all.iter().find(|v| *v == text);
        exact
            .or_else(|| all.iter().find(|v| same(v, text)))
            .cloned()
    };
    let never = |value: &str| CompareError::NeverSet {
        key: key.to_owned(),
        value: value.to_owned(),
        values: all.clone(),
    };
    let commas = written.match_indices(',');
    let cuts: Vec<(&str, &str)> = commas
        .map(|(at, _)| (written[..at].trim(), written[at + 1..].trim()))
        .collect();
    let known = cuts.iter().find_map(|(a, b)| Some((find(a)?, find(b)?)));
    match (known, cuts.first()) {
        (Some((a, b)), _) if a == b => {
            Err(CompareError::Nothing(format!("{key} is {a} in A and in B")))
        }
        (Some(both), _) => Ok(both),
        (None, Some((a, _))) if find(a).is_none() => Err(never(a)),
        (None, Some((_, b))) => Err(never(b)),
        (None, None) => Err(never(written)),
    }
}

/// Keys that advance together with `key` and have another single value at `b` than at `a`; each with both.
fn beside(set: &[Named], key: &str, (a, b): (&str, &str)) -> Vec<(String, String, String)> {
    let groups = set.iter().flat_map(|n| &n.document.sweep);
    let group = groups.filter(|g| g.iter().any(|k| k == key)).flatten();
    let others: BTreeSet<&String> = group.filter(|k| *k != key).collect();
    let only = |other: &str, value: &str| {
        let at = points(set).filter(|p| p.get(key).is_some_and(|v| v == value));
        let all: BTreeSet<&String> = at.filter_map(|p| p.get(other)).collect();
        let mut all = all.into_iter();
        all.next().filter(|_| all.len() == 0).cloned()
    };
    let differs = |other: &String| {
        let (one, two) = (only(other, a)?, only(other, b)?);
        (one != two).then(|| (other.clone(), one, two))
    };
    others.into_iter().filter_map(differs).collect()
}

/// The records at one value of a key, without it and without what differs with it.
fn part(
    set: &[Named],
    keys: &Keys,
    (key, value): (&str, &str),
    left_out: &BTreeSet<&str>,
) -> Vec<Named> {
    let mut all = set.to_vec();
    let place: Point = [(key.to_owned(), value.to_owned())].into();
    for named in &mut all {
        named.name = format!("{} at {}", named.name, keys.words(&place));
        let records = &mut named.document.records;
        records.retain(|r| r.point.get(key).is_some_and(|v| v == value));
        for record in records {
            let stays = |k: &String| k != key && !left_out.contains(k.as_str());
            record.point.retain(|k, _| stays(k));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Verdict;
    use crate::{Origin, Record, RunDocument};

    /// A run of two congestion controls at two queues, five repeats of each; goodput by cc and repeat.
    fn run() -> Named {
        let mut document = RunDocument::new("s", 7, "00".to_owned());
        document.repeats = Some(crate::Repeats {
            count: 5,
            seeds: vec![7, 8, 9, 10, 11],
            ..Default::default()
        });
        document.sweep = vec![
            vec!["link.l.queue".to_owned()],
            vec!["test.bulk.cc".to_owned(), "test.bulk.window".to_owned()],
        ];
        for queue in ["512 KiB", "1 MiB"] {
            for (cc, window, base) in [("reno", "1 MB", 100.0), ("cubic", "2 MB", 110.0)] {
                for repeat in 0..5_u32 {
                    let mut record = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
                    let point = [
                        ("link.l.queue", queue),
                        ("test.bulk.cc", cc),
                        ("test.bulk.window", window),
                    ];
                    record.point = point.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
                    record.repeat = repeat;
                    record.set("goodput_bps", base + f64::from(repeat));
                    document.records.push(record);
                }
            }
        }
        Named {
            name: "run".to_owned(),
            keys: std::collections::BTreeMap::new(),
            document,
        }
    }

    /// As two documents give it: rows paired over the other keys, luck by repeats.
    #[test]
    fn two_values_are_compared_at_each_point_of_the_other_keys() {
        let found = between(&[run()], "test.bulk.cc", "reno,cubic", None).expect("comparable");
        assert_eq!(found.rows.len(), 2);
        for (row, queue) in found.rows.iter().zip(["512 KiB", "1 MiB"]) {
            let point: Vec<_> = row.point.iter().collect();
            assert_eq!(
                point,
                [(&"link.l.queue".to_owned(), &queue.to_owned())],
                "what advances together is in no point"
            );
            assert_eq!((row.a.n, row.b.n, row.difference), (5, 5, 10.0));
            assert_eq!(row.verdict, Verdict::Differs);
        }
        assert_eq!(found.a, ["run at cc reno"]);
        assert_eq!(found.b, ["run at cc cubic"]);
        assert_eq!(
            found.notes,
            ["test.bulk.window differs with test.bulk.cc: it is 1 MB in A and 2 MB in B"]
        );
        assert_eq!(found.tests_missing, 0);
    }

    #[test]
    fn a_key_has_a_short_name_and_a_value_several_ways_of_writing() {
        let found = between(&[run()], "queue", "524288B, 1MiB", None).expect("comparable");
        assert_eq!(found.rows.len(), 2);
        assert_eq!(found.a, ["run at queue 512 KiB"]);
        assert!(found.rows.iter().all(|r| r.difference == 0.0 && r.paired));
    }

    /// The note on predicted rows stood below a table without any.
    #[test]
    fn a_note_on_forecasts_goes_with_their_rows() {
        let mut both = run();
        let forecasts: Vec<Record> = both
            .document
            .records
            .iter()
            .filter(|r| r.repeat == 0)
            .cloned()
            .collect();
        for mut forecast in forecasts {
            forecast.origin = Origin::Predicted;
            forecast.metrics.insert("rtt_avg_ns".to_owned(), 1.0);
            both.document.records.push(forecast);
        }
        for record in &mut both.document.records {
            record.metrics.insert("rtt_avg_ns".to_owned(), 1.0);
        }
        let mut found = between(&[both], "cc", "reno,cubic", None).expect("comparable");
        assert!(found.notes.iter().any(|n| n == FORMULAS));
        found
            .keep(|metric| metric == "rtt_avg_ns")
            .expect("it is there");
        assert!(
            !found.notes.iter().any(|n| n == FORMULAS),
            "{:?}",
            found.notes
        );
    }

    #[test]
    fn what_is_not_in_the_sweep_is_named_beside_what_is() {
        let refused = |key, values| {
            let found = between(&[run()], key, values, None);
            found.expect_err("refused").to_string()
        };
        assert_eq!(
            refused("loss", "0,1"),
            "loss is not one key of the sweep; there are link.l.queue, test.bulk.cc, test.bulk.window"
        );
        assert_eq!(
            refused("cc", "reno,bbr"),
            "the sweep never sets test.bulk.cc to bbr; there are reno, cubic"
        );
        assert!(refused("cc", "reno").contains("to reno"), "no second value");
        assert!(refused("cc", "reno,reno").contains("reno in A and in B"));
        let mut plain = run();
        plain.document.sweep.clear();
        plain.document.records.truncate(1);
        plain.document.records[0].point.clear();
        let none = between(&[plain], "cc", "reno,cubic", None).expect_err("refused");
        assert_eq!(
            none.to_string(),
            "cc is not one key of the sweep; it has none"
        );
    }
}
