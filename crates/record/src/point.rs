//! Sweep points in words: keys as short as tells them apart, and several points together.

use std::collections::BTreeMap;

use crate::{Origin, Point, RunDocument};

/// Points that are named one by one; of more, how many there are.
const NAMED: usize = 3;

/// Each key with the fewest last parts that no other key ends in: `cc`, or `f1.cc` beside `f2.cc`.
pub fn key_names<'a>(keys: &[&'a str]) -> BTreeMap<&'a str, &'a str> {
    let ends_in = |key: &str, tail: &str| {
        key.strip_suffix(tail)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let short = |key: &'a str| {
        let tails = key.rmatch_indices('.').map(|(dot, _)| &key[dot + 1..]);
        tails
            .chain([key])
            .find(|tail| {
                keys.iter()
                    .all(|other| *other == key || !ends_in(other, tail))
            })
            .unwrap_or(key)
    };
    keys.iter().map(|key| (*key, short(key))).collect()
}

/// A point in few words: `cc reno, loss 1e-4`; empty without a sweep.
pub fn point_words(point: &Point) -> String {
    let keys: Vec<&str> = point.keys().map(String::as_str).collect();
    let names = key_names(&keys);
    let words: Vec<String> = point
        .iter()
        .map(|(key, value)| format!("{} {value}", names[key.as_str()]))
        .collect();
    words.join(", ")
}

/// The keys of points in the order in which the sweep was written: what varies fastest is last.
pub fn key_order<'a>(points: &[&'a Point]) -> Vec<&'a str> {
    let mut keys: Vec<&str> = Vec::new();
    for key in points.iter().flat_map(|p| p.keys()) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let first = |key: &&str| points.first().and_then(|p| p.get(*key));
    let change = |key: &&str| points.iter().position(|p| p.get(*key) != first(key));
    // A key of one value is slowest of all.
    keys.sort_by_key(|key| std::cmp::Reverse(change(key).unwrap_or(usize::MAX)));
    keys
}

/// Which of `all` points `some` are, in few words: what they share, if no other point shares it, or each of them. Empty
/// if they are all.
pub fn points_words(some: &[&Point], all: &[&Point]) -> String {
    if some.len() >= all.len() {
        return String::new();
    }
    let mut shared: Point = some.first().map(|p| (*p).clone()).unwrap_or_default();
    shared.retain(|key, value| some.iter().all(|p| p.get(key) == Some(value)));
    let has = |p: &&&Point| shared.iter().all(|(key, value)| p.get(key) == Some(value));
    if !shared.is_empty() && all.iter().filter(has).count() == some.len() {
        return partial_words(&shared, all);
    }
    let mut words: Vec<String> = some.iter().take(NAMED).map(|p| point_words(p)).collect();
    if some.len() > NAMED {
        words.push(format!("{} more points", some.len() - NAMED));
    }
    words.join("; ")
}

/// A part of a point, its keys named as in the whole points.
fn partial_words(part: &Point, all: &[&Point]) -> String {
    let names = key_names(&key_order(all));
    let words = part.iter().map(|(key, value)| {
        let name = names.get(key.as_str()).copied().unwrap_or(key);
        format!("{name} {value}")
    });
    words.collect::<Vec<_>>().join(", ")
}

/// What is said of a record whose certificate failed.
const INVALID: &str = "INVALID, its numbers may not be trusted";

/// A note, and whom it is about: each test with the origins and points it holds for.
struct Said {
    text: String,
    about: Vec<About>,
}

struct About {
    test: String,
    origin: Origin,
    points: Vec<Point>,
}

/// What records say of themselves, each sentence once: `bulk, predicted, at cc bic: no closed form …`. Points are named
/// where it does not hold for all.
pub fn record_notes(run: &RunDocument) -> Vec<String> {
    let mut found: Vec<Said> = Vec::new();
    for record in &run.records {
        let invalid = (!record.valid).then_some(INVALID);
        for text in invalid
            .into_iter()
            .chain(record.notes.iter().map(String::as_str))
        {
            let at = match found.iter().position(|s| s.text == text) {
                Some(at) => at,
                None => {
                    let text = text.to_owned();
                    let about = Vec::new();
                    found.push(Said { text, about });
                    found.len() - 1
                }
            };
            add(&mut found[at].about, record);
        }
    }
    let said = |s: &Said| format!("{}: {}", about_words(&s.about, run), s.text);
    found.iter().map(said).collect()
}

fn add(about: &mut Vec<About>, record: &crate::Record) {
    let same = |a: &&mut About| a.test == record.test && a.origin == record.origin;
    if let Some(known) = about.iter_mut().find(same) {
        if !known.points.contains(&record.point) {
            known.points.push(record.point.clone());
        }
        return;
    }
    about.push(About {
        test: record.test.clone(),
        origin: record.origin,
        points: vec![record.point.clone()],
    });
}

/// `bulk, predicted and simulated, at cc bic; ping, simulated`
fn about_words(about: &[About], run: &RunDocument) -> String {
    let mut parts: Vec<(String, Vec<&str>, String)> = Vec::new();
    for one in about {
        let at = at_words(one, run);
        let same = parts
            .iter_mut()
            .find(|(test, _, points)| *test == one.test && *points == at);
        match same {
            Some((_, origins, _)) => origins.push(one.origin.name()),
            None => parts.push((one.test.clone(), vec![one.origin.name()], at)),
        }
    }
    let words = |(test, origins, at): &(String, Vec<&str>, String)| {
        let comma = if at.is_empty() { "" } else { ", at " };
        format!("{test}, {}{comma}{at}", origins.join(" and "))
    };
    parts.iter().map(words).collect::<Vec<_>>().join("; ")
}

fn at_words(about: &About, run: &RunDocument) -> String {
    let mut all: Vec<&Point> = Vec::new();
    let mine = |r: &&crate::Record| r.test == about.test && r.origin == about.origin;
    for record in run.records.iter().filter(mine) {
        if !all.contains(&&record.point) {
            all.push(&record.point);
        }
    }
    points_words(&about.points.iter().collect::<Vec<_>>(), &all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    fn point(pairs: &[(&str, &str)]) -> Point {
        let own = |(k, v): &(&str, &str)| ((*k).to_owned(), (*v).to_owned());
        pairs.iter().map(own).collect()
    }

    #[test]
    fn keys_are_as_short_as_tells_them_apart() {
        let pair = point(&[("test.f1.cc", "bbr"), ("test.f2.cc", "cubic")]);
        assert_eq!(point_words(&pair), "f1.cc bbr, f2.cc cubic");
        let apart = point(&[("link.l.loss", "1e-4"), ("test.f1.cc", "bbr")]);
        assert_eq!(point_words(&apart), "loss 1e-4, cc bbr");
        // One key is the end of the other.
        let nested = ["a.cc", "b.a.cc", "x"];
        assert_eq!(key_names(&nested)["b.a.cc"], "b.a.cc");
        assert_eq!(key_names(&nested)["x"], "x");
    }

    #[test]
    fn keys_come_in_the_order_they_were_written() {
        let points: Vec<Point> = ["1", "2"]
            .iter()
            .flat_map(|z| ["u", "v"].map(|a| point(&[("a", a), ("z", z), ("one", "1")])))
            .collect();
        let points: Vec<&Point> = points.iter().collect();
        assert_eq!(key_order(&points), ["one", "z", "a"]);
    }

    #[test]
    fn a_note_says_at_which_points_it_holds() {
        let mut run = RunDocument::new("s", 1, String::new());
        for (cc, loss) in [
            ("reno", "0"),
            ("reno", "1e-4"),
            ("bic", "0"),
            ("bic", "1e-4"),
        ] {
            let mut record = Record::new(Origin::Predicted, "bulk", "tcp", "a", "b");
            record.point = point(&[("test.bulk.cc", cc), ("link.l.loss", loss)]);
            record.notes.push("of all".to_owned());
            if cc == "bic" {
                record.notes.push("of bic".to_owned());
            }
            if cc == "bic" && loss == "0" {
                record.notes.push("of one".to_owned());
            }
            if (cc == "bic") == (loss == "0") {
                record.notes.push("of two".to_owned());
            }
            run.records.push(record);
        }
        let expected = [
            "bulk, predicted: of all",
            "bulk, predicted, at loss 1e-4, cc reno; loss 0, cc bic: of two",
            "bulk, predicted, at cc bic: of bic",
            "bulk, predicted, at loss 0, cc bic: of one",
        ];
        assert_eq!(record_notes(&run), expected);
    }
}
