//! Sweep points in words: keys as short as tells them apart, and several points together.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{Record, RunDocument};

/// A sweep point.
pub type Point = BTreeMap<String, String>;

/// Points that are named one by one; of more than one more, how many there are.
const NAMED: usize = 5;

/// Points of so many keys or more take many words: of more than so many of them the first alone is named.
const LONG: usize = 3;
const LONG_NAMED: usize = 2;

/// Values of a key that are named in the place of points.
const VALUES: usize = 4;

/// The keys of a run's points in the order of the scenario's sweep, each with its name in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys(Vec<KeyName>);

/// A key of a sweep, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyName {
    /// The `--set` path.
    pub key: String,
    /// Its fewest last parts that mean nothing else in the run: `cc`, or `f1.cc` where test `f2` could have one too. Of an event the name and
    /// these parts, `cut for`.
    pub name: String,
}

impl Keys {
    /// Those of a run's sweep; then any others that its results' points have, what varies fastest last.
    pub fn of(run: &RunDocument) -> Keys {
        let links = run.links.iter().map(|l| &l.point);
        let judged = run.expectations.iter().map(|e| &e.point);
        let all = run
            .records
            .iter()
            .map(|r| &r.point)
            .chain(links)
            .chain(judged);
        let points: Vec<&Point> = all.collect();
        let mut keys: Vec<&str> = run.sweep.iter().flatten().map(String::as_str).collect();
        let written = keys.clone();
        let others = key_order(&points);
        keys.extend(others.into_iter().filter(|key| !written.contains(key)));
        let beside: Vec<String> = keys.iter().flat_map(|key| beside(run, key)).collect();
        let others: Vec<&str> = keys
            .iter()
            .copied()
            .chain(beside.iter().map(String::as_str))
            .collect();
        let named = |key: &&str| KeyName {
            key: (*key).to_owned(),
            name: event_name(key, key_name(key, &others)),
        };
        Keys(keys.iter().map(named).collect())
    }

    /// Each key with its name.
    pub fn names(&self) -> &[KeyName] {
        &self.0
    }

    /// A point in few words: `loss 1e-4, cc reno`; empty without a sweep.
    pub fn words(&self, point: &Point) -> String {
        let pairs = self.pairs(point);
        let words = pairs.map(|(_, name, value)| format!("{name} {value}"));
        words.collect::<Vec<_>>().join(", ")
    }

    /// A point as a reader of tables wants it: `key=value` pairs joined by `;`, the keys whole.
    pub fn text(&self, point: &Point) -> String {
        let pairs = self.pairs(point);
        let texts = pairs.map(|(key, _, value)| format!("{key}={value}"));
        texts.collect::<Vec<_>>().join(";")
    }

    /// Key, name and value of all that a point has; keys that are none of these come last, by their whole names.
    fn pairs<'a>(&'a self, point: &'a Point) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
        let known = self.0.iter().filter_map(|k| {
            let value = point.get(&k.key)?;
            Some((k.key.as_str(), k.name.as_str(), value.as_str()))
        });
        let is_foreign = |key: &str| self.0.iter().all(|k| k.key != key);
        let foreign = point.iter().filter(move |(key, _)| is_foreign(key));
        known.chain(foreign.map(|(key, value)| (key.as_str(), key.as_str(), value.as_str())))
    }
}

/// The same key of what stands beside its subject: of other tests of its kind, other links, other hosts.
fn beside(run: &RunDocument, key: &str) -> Vec<String> {
    let mut parts = key.splitn(3, '.');
    let (Some(section), Some(name), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return Vec::new();
    };
    let kind = |test: &str| {
        run.records
            .iter()
            .find(|r| r.test == test)
            .map(|r| r.kind.as_str())
    };
    let names: BTreeSet<&str> = match section {
        "test" => {
            let alike = |r: &&Record| Some(r.kind.as_str()) == kind(name);
            run.records
                .iter()
                .filter(alike)
                .map(|r| r.test.as_str())
                .collect()
        }
        "link" => {
            let carried = run.links.iter().map(|l| &l.link);
            carried.chain(&run.link_names).map(String::as_str).collect()
        }
        "host" => run
            .records
            .iter()
            .flat_map(|r| [r.from.as_str(), r.to.as_str()])
            .collect(),
        _ => BTreeSet::new(),
    };
    let others = names.into_iter().filter(|other| *other != name);
    others
        .map(|other| format!("{section}.{other}.{rest}"))
        .collect()
}

/// The fewest last parts of `key` that no other of `all` ends in.
fn key_name<'a>(key: &'a str, all: &[&str]) -> &'a str {
    let ends_in = |key: &str, tail: &str| {
        key.strip_suffix(tail)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let tails = key.rmatch_indices('.').map(|(dot, _)| &key[dot + 1..]);
    tails
        .chain([key])
        .find(|tail| {
            all.iter()
                .all(|other| *other == key || !ends_in(other, tail))
        })
        .unwrap_or(key)
}

/// What a key of this name is called: of an event with the event before it, as `for` or `at` alone say nothing. One without a name has its
/// whole key.
fn event_name(key: &str, name: &str) -> String {
    let of_event = key.strip_prefix("event.").and_then(|of| of.split_once('.'));
    match of_event {
        Some((event, _)) if event.parse::<u64>().is_ok() => key.to_owned(),
        Some((event, rest)) if rest.ends_with(name) => format!("{event} {name}"),
        Some((event, rest)) => format!("{event} {rest}"),
        None => name.to_owned(),
    }
}

/// The keys of points in the order in which the sweep was written: what varies fastest is last.
fn key_order<'a>(points: &[&'a Point]) -> Vec<&'a str> {
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

/// The values that a key has at these points, each once, in their order.
fn values<'a>(points: &[&'a Point], key: &str) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for value in points.iter().filter_map(|p| p.get(key)) {
        if !found.contains(&value.as_str()) {
            found.push(value);
        }
    }
    found
}

/// Which of `all` points `some` are by a few values of keys, `cc reno or bic, loss 0`; none where other points have these as well.
fn by_values(some: &[&Point], all: &[&Point], keys: &Keys) -> Option<String> {
    let (mut chosen, mut words) = (Vec::new(), Vec::new());
    for (key, name, _) in keys.pairs(some.first()?) {
        let own = values(some, key);
        if own.len() == values(all, key).len() {
            continue;
        }
        if own.len() > VALUES {
            return None;
        }
        words.push(format!("{name} {}", own.join(" or ")));
        chosen.push((key, own));
    }
    let has = |p: &&&Point| {
        let mut each = chosen.iter();
        each.all(|(key, own)| p.get(*key).is_some_and(|v| own.contains(&v.as_str())))
    };
    (all.iter().filter(has).count() == some.len()).then(|| words.join(", "))
}

/// Which of `all` points `some` are, in few words: what they share, if no other point shares it, each of them, or a few values of their
/// keys. Of many that these do not tell from the others, the first ones and how many there are: `12 of 27 points, first rate 1 Gbit/s, …`.
/// Empty if they are all.
pub fn points_words(some: &[&Point], all: &[&Point], keys: &Keys) -> String {
    if some.len() >= all.len() {
        return String::new();
    }
    let mut shared: Point = some.first().map(|p| (*p).clone()).unwrap_or_default();
    shared.retain(|key, value| some.iter().all(|p| p.get(key) == Some(value)));
    let has = |p: &&&Point| shared.iter().all(|(key, value)| p.get(key) == Some(value));
    if !shared.is_empty() && all.iter().filter(has).count() == some.len() {
        return keys.words(&shared);
    }
    let is_long = some.iter().any(|p| p.len() >= LONG);
    let most = if is_long { LONG_NAMED } else { NAMED + 1 };
    let words = |named: usize| {
        let words: Vec<String> = some.iter().take(named).map(|p| keys.words(p)).collect();
        words.join("; ")
    };
    let (count, every) = (some.len(), all.len());
    if count <= most {
        return words(count);
    }
    by_values(some, all, keys).unwrap_or_else(|| match is_long {
        true => format!("{count} of {every} points, first {}", words(1)),
        false => format!("{}; {} more points", words(NAMED), count - NAMED),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Record};

    fn point(pairs: &[(&str, &str)]) -> Point {
        let own = |(k, v): &(&str, &str)| ((*k).to_owned(), (*v).to_owned());
        pairs.iter().map(own).collect()
    }

    /// A run of these tests at one point.
    fn run(tests: &[(&str, &str)], at: &[(&str, &str)]) -> RunDocument {
        let mut run = RunDocument::new("s", 1, String::new());
        for (test, kind) in tests {
            let mut record = Record::new(Origin::Simulated, test, kind, "a", "b");
            record.point = point(at);
            run.records.push(record);
        }
        run
    }

    #[test]
    fn keys_are_as_short_as_tells_them_apart() {
        let words = |tests: &[(&str, &str)], at: &[(&str, &str)]| {
            Keys::of(&run(tests, at)).words(&point(at))
        };
        let pair = [("test.f1.cc", "bbr"), ("test.f2.cc", "cubic")];
        assert_eq!(
            words(&[("f1", "tcp"), ("f2", "tcp")], &pair),
            "f1.cc bbr, f2.cc cubic"
        );
        // Whose it is, where another test could have one; a ping has none.
        let one = [("link.l.loss", "1e-4"), ("test.f1.cc", "bbr")];
        assert_eq!(
            words(&[("f1", "tcp"), ("f2", "tcp")], &one),
            "loss 1e-4, f1.cc bbr"
        );
        assert_eq!(
            words(&[("f1", "tcp"), ("p", "ping")], &one),
            "loss 1e-4, cc bbr"
        );
        assert_eq!(
            words(&[("f1", "tcp")], &[("host.a.rmem_max", "1 MiB")]),
            "a.rmem_max 1 MiB"
        );
        // One key is the end of the other.
        let nested = ["a.cc", "b.a.cc", "x"];
        assert_eq!(key_name("b.a.cc", &nested), "b.a.cc");
        assert_eq!(key_name("x", &nested), "x");
    }

    /// `goodput, at for 5 s` said of which event nothing.
    #[test]
    fn a_key_of_an_event_names_the_event() {
        let words = |at: &[(&str, &str)]| Keys::of(&run(&[("t", "tcp")], at)).words(&point(at));
        assert_eq!(words(&[("event.cut.for", "5 s")]), "cut for 5 s");
        let rate = [("event.cut.forward.rate", "1 Mbit/s")];
        assert_eq!(words(&rate), "cut rate 1 Mbit/s");
        let two = [("event.a.for", "1 s"), ("event.b.for", "2 s")];
        assert_eq!(words(&two), "a for 1 s, b for 2 s");
        assert_eq!(words(&[("event.1.for", "5 s")]), "event.1.for 5 s");
        assert_eq!(words(&[("event.cut", "5 s")]), "cut 5 s");
    }

    #[test]
    fn a_key_of_a_link_is_called_alike_where_nothing_was_carried() {
        let at = [("link.near.loss", "1e-4")];
        let mut run = run(&[("t", "tcp")], &at);
        let words = |run: &RunDocument| Keys::of(run).words(&point(&at));
        assert_eq!(words(&run), "loss 1e-4");
        run.link_names = ["near", "far"].map(str::to_owned).to_vec();
        assert_eq!(words(&run), "near.loss 1e-4");
        let read = RunDocument::from_json(&run.to_json()).expect("its own text");
        assert_eq!(words(&read), "near.loss 1e-4");
    }

    #[test]
    fn a_point_is_in_the_order_of_the_sweep() {
        let mut all = run(&[], &[]);
        for z in ["1", "2"] {
            for a in ["u", "v"] {
                all.records
                    .extend(run(&[("t", "tcp")], &[("test.t.z", z), ("test.t.a", a)]).records);
            }
        }
        let keys = Keys::of(&all);
        assert_eq!(keys.words(&all.records[0].point), "z 1, a u");
        assert_eq!(keys.text(&all.records[3].point), "test.t.z=2;test.t.a=v");
    }

    /// Where one key varies as fast as another, or none varies, points do not say in which order they were written.
    #[test]
    fn keys_are_in_the_order_of_the_file_whatever_their_values() {
        let at = [("a", "u"), ("m", "1"), ("z", "p")];
        let mut one = run(&[("t", "tcp")], &at);
        one.sweep = vec![vec!["z".to_owned()], vec!["m".to_owned(), "a".to_owned()]];
        assert_eq!(Keys::of(&one).text(&one.records[0].point), "z=p;m=1;a=u");
        one.records[0].point.insert("b".to_owned(), "2".to_owned());
        assert_eq!(
            Keys::of(&one).words(&one.records[0].point),
            "z p, m 1, a u, b 2"
        );
    }

    /// Four of seven algorithms have a note: all of them are named, and of seven of eight the first five.
    #[test]
    fn points_of_a_note_are_named_up_to_six() {
        let ccs = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let points: Vec<Point> = ccs.iter().map(|cc| point(&[("t.cc", *cc)])).collect();
        let all: Vec<&Point> = points.iter().collect();
        let words = |count: usize| points_words(&all[..count], &all, &Keys::default());
        assert_eq!(words(4).matches(';').count(), 3);
        assert!(
            words(6).ends_with('f') && !words(6).contains("more"),
            "{}",
            words(6)
        );
        assert!(words(7).ends_with("; 2 more points"), "{}", words(7));
        assert_eq!(words(8), "");
    }

    /// Three keys of three values: a list of points would be longer than what is said of them.
    #[test]
    fn many_points_of_several_keys_are_few_words() {
        let mut points = Vec::new();
        for a in ["1", "2", "3"] {
            for b in ["u", "v", "w"] {
                points.extend(["x", "y", "z"].map(|c| point(&[("a", a), ("b", b), ("c", c)])));
            }
        }
        let all: Vec<&Point> = points.iter().collect();
        let words = |numbers: &[usize]| {
            let some: Vec<&Point> = numbers.iter().map(|n| all[*n]).collect();
            points_words(&some, &all, &Keys::default())
        };
        // (1, u, x), (2, v, y) and (3, w, z).
        assert_eq!(words(&[0, 13]), "a 1, b u, c x; a 2, b v, c y");
        assert_eq!(words(&[0, 13, 26]), "3 of 27 points, first a 1, b u, c x");
        assert_eq!(words(&[0, 1, 2, 9, 10, 11]), "a 1 or 2, b u");
        assert_eq!(words(&[0, 1, 2]), "a 1, b u");
        // Of two keys they are named one by one where they are few.
        let two = |a: &str, b: &str| point(&[("a", a), ("b", b)]);
        let points = ["1", "2", "3"].map(|a| ["u", "v", "w", "x"].map(|b| two(a, b)));
        let all: Vec<&Point> = points.iter().flatten().collect();
        let words = |count: usize| points_words(&all[..count], &all, &Keys::default());
        assert_eq!(words(2), "a 1, b u; a 1, b v");
        assert_eq!(words(8), "a 1 or 2");
        assert!(words(9).ends_with("; 4 more points"), "{}", words(9));
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
}
