//! What records say of themselves, each sentence once.

use std::collections::BTreeMap;

use crate::point::points_words;
use crate::{Keys, Origin, Point, Record, RunDocument};

/// What a note says of repeats in which nothing is random but when they start: they show no luck.
pub const ONE_RUN: &str = "repeats are one run";

/// What a note says of a link whose outages are too many to follow.
pub const NOT_FOLLOWED: &str = "when is in no account of what limited this";

/// What a note on an outage of a connection's path begins with.
pub const WAS_DOWN: &str = "the path was down for ";

/// What a note says of a program that is not farpath's own.
pub const FOREIGN: &str = "it says nothing of what limited it";

/// What a note says of a result of one connection that has too few loss events for a mean.
pub const FEW_LOSSES: &str = "and ten or more make a mean";

/// As many notes that differ in nothing but their numbers are one; two are where both speak of one test at one point.
const ALIKE: usize = 3;

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

impl About {
    /// Whether both hold for one test at one point, of one origin.
    fn meets(&self, other: &About) -> bool {
        let same = self.test == other.test && self.origin == other.origin;
        same && self.points.iter().any(|p| other.points.contains(p))
    }
}

/// What tables call a metric, by its name in a record.
pub type Label = fn(&str) -> Option<&'static str>;

/// What records say of themselves, each sentence once: `bulk, predicted, at cc bic: no closed form …`. Points are named
/// where it does not hold for all; sentences that differ in their numbers alone are one, from the least to the greatest. The metric
/// that one begins with has its `label`.
pub fn record_notes(run: &RunDocument, label: Label) -> Vec<String> {
    record_notes_of(run, label, &|_, _| true)
}

/// As [`record_notes`], of the metrics alone that `shown` has: a note that begins with the name of a metric of its record
/// is about that metric.
pub fn record_notes_of(
    run: &RunDocument,
    label: Label,
    shown: &dyn Fn(&Record, &str) -> bool,
) -> Vec<String> {
    let counts = validity(run);
    let mut found: Vec<Said> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for record in &run.records {
        let has_numbers = record.not_run.is_none();
        let invalid = (!record.valid && has_numbers).then(|| invalid(counts[&place(record)]));
        let is_shown = |note: &&String| {
            let first = note.split(' ').next().unwrap_or_default();
            !record.metrics.contains_key(first) || shown(record, first)
        };
        let notes = record.notes.iter().filter(is_shown);
        for text in invalid.iter().chain(notes) {
            let at = *places.entry(text.clone()).or_insert(found.len());
            if at == found.len() {
                found.push(Said {
                    text: text.clone(),
                    about: Vec::new(),
                });
            }
            add(&mut found[at].about, record);
        }
    }
    let keys = Keys::of(run);
    let said = |s: &Said| {
        let about = about_words(&s.about, run, &keys);
        format!("{about}: {}", labelled(&s.text, label))
    };
    folded(found).iter().map(said).collect()
}

/// A note with its metric named as tables do.
fn labelled(text: &str, label: Label) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let words = label(first).unwrap_or(first);
    format!("{words}{}", &text[first.len()..])
}

fn place(record: &Record) -> (Origin, &str, &Point) {
    (record.origin, &record.test, &record.point)
}

/// How many repeats of a test at a point are invalid, and how many there are.
fn validity(run: &RunDocument) -> BTreeMap<(Origin, &str, &Point), (u32, u32)> {
    let mut counts: BTreeMap<_, (u32, u32)> = BTreeMap::new();
    for record in &run.records {
        let (invalid, all) = counts.entry(place(record)).or_default();
        *invalid += u32::from(!record.valid);
        *all += 1;
    }
    counts
}

/// What is said of records whose certificate failed.
fn invalid((invalid, all): (u32, u32)) -> String {
    match (invalid, all) {
        (_, 1) => "INVALID, its numbers may not be trusted".to_owned(),
        (some, all) if some == all => format!(
            "INVALID in all {all} repeats: the numbers may not be trusted, and the table of repeats leaves them out"
        ),
        (some, all) => {
            format!(
                "INVALID in {some} of {all} repeats, which are left out: values are those of the valid ones"
            )
        }
    }
}

/// Sentences that differ in their numbers alone as one, where the first of them stands.
fn folded(found: Vec<Said>) -> Vec<Said> {
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, said) in found.iter().enumerate() {
        alike.entry(shape(said)).or_default().push(at);
    }
    let mut found: Vec<Option<Said>> = found.into_iter().map(Some).collect();
    let meet = |places: &[usize]| {
        let about = |at: &usize| found[*at].as_ref().map_or(&[][..], |said| &said.about);
        let first = about(&places[0]);
        let meets = |one: &About| first.iter().any(|other| one.meets(other));
        places.iter().all(|at| about(at).iter().any(meets))
    };
    let fold = |places: &Vec<usize>| places.len() >= ALIKE || places.len() > 1 && meet(places);
    let alike: Vec<Vec<usize>> = alike.into_values().filter(fold).collect();
    for places in alike {
        let all: Vec<Said> = places.iter().filter_map(|at| found[*at].take()).collect();
        found[places[0]] = Some(one_of(all));
    }
    found.into_iter().flatten().collect()
}

/// What sentences have in common that may be one. An outage and what it cost belong together: ranges of both over a sweep would not say
/// which goes with which, so that only those of the same points are one.
fn shape(said: &Said) -> String {
    let shape = numbers(&said.text).0;
    match said.text.starts_with(WAS_DOWN) {
        true => {
            let points: Vec<&Point> = said.about.iter().flat_map(|a| &a.points).collect();
            format!("{shape}{points:?}")
        }
        false => shape,
    }
}

fn one_of(all: Vec<Said>) -> Said {
    let texts: Vec<&str> = all.iter().map(|s| s.text.as_str()).collect();
    let text = ranged(&texts);
    let mut about: Vec<About> = Vec::new();
    for one in all.into_iter().flat_map(|s| s.about) {
        let same = |a: &&mut About| a.test == one.test && a.origin == one.origin;
        match about.iter_mut().find(same) {
            Some(known) => {
                let new = |p: &Point| !known.points.contains(p);
                let points: Vec<Point> = one.points.into_iter().filter(new).collect();
                known.points.extend(points);
            }
            None => about.push(one),
        }
    }
    Said { text, about }
}

/// Sentences that differ in nothing but their numbers as one, from the least to the greatest; `None` of others, and of none.
#[must_use]
pub fn in_one(all: &[&str]) -> Option<String> {
    let shape = numbers(all.first()?).0;
    let alike = all.iter().all(|text| numbers(text).0 == shape);
    alike.then(|| ranged(all))
}

/// Sentences of one shape as one.
fn ranged(all: &[&str]) -> String {
    let values: Vec<Vec<String>> = all.iter().map(|text| numbers(text).1).collect();
    let shape = all.first().map(|text| numbers(text).0).unwrap_or_default();
    let parts: Vec<&str> = shape.split(NUMBER).collect();
    let mut text = parts[0].to_owned();
    for (slot, part) in parts[1..].iter().enumerate() {
        let mut of_slot: Vec<&String> = values.iter().map(|v| &v[slot]).collect();
        let value = |text: &&String| text.parse::<f64>().unwrap_or(0.0);
        of_slot.sort_by(|p, q| value(p).total_cmp(&value(q)));
        let (least, greatest) = (of_slot[0], of_slot[of_slot.len() - 1]);
        // A range of ranges goes from the least of all to the greatest.
        text += &match (is_of_range(parts[slot]), is_of_range(part)) {
            (false, true) => least.clone(),
            (true, false) => greatest.clone(),
            _ if least == greatest => least.clone(),
            _ => format!("{least} to {greatest}"),
        };
        text += part;
    }
    text
}

/// Whether this stands between the two numbers of a range, ` to ` or ` ms to `.
fn is_of_range(between: &str) -> bool {
    let mut words = between.split(' ').rev();
    let ends = [words.next(), words.next()] == [Some(""), Some("to")];
    // Nothing, or one word, stands before that and behind the number.
    let unit: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    ends && between.starts_with(' ') && unit.len() < 2
}

/// Stands for a number in a sentence's shape.
const NUMBER: char = '\0';

/// A sentence with its numbers taken out, and they: words that stand by themselves, `4.9` or `604`, no part of a name.
fn numbers(text: &str) -> (String, Vec<String>) {
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    let (mut shape, mut numbers) = (String::new(), Vec::new());
    for (at, word) in text.split(' ').enumerate() {
        if at > 0 {
            shape.push(' ');
        }
        let inner = word.trim_start_matches('(');
        let end = inner.find(|c| !digits(c)).unwrap_or(inner.len());
        let number = inner[..end].trim_end_matches('.');
        let rest = &inner[number.len()..];
        let alone = rest.chars().all(|c| ".,;:)".contains(c));
        if number.parse::<f64>().is_ok() && alone {
            shape += &word[..word.len() - inner.len()];
            shape.push(NUMBER);
            shape += rest;
            numbers.push(number.to_owned());
        } else {
            shape += word;
        }
    }
    (shape, numbers)
}

fn add(about: &mut Vec<About>, record: &Record) {
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
fn about_words(about: &[About], run: &RunDocument, keys: &Keys) -> String {
    let mut parts: Vec<(String, Vec<&str>, String)> = Vec::new();
    for one in about {
        let at = at_words(one, run, keys);
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

fn at_words(about: &About, run: &RunDocument, keys: &Keys) -> String {
    let mut all: Vec<&Point> = Vec::new();
    let mine = |r: &&Record| r.test == about.test && r.origin == about.origin;
    for record in run.records.iter().filter(mine) {
        if !all.contains(&&record.point) {
            all.push(&record.point);
        }
    }
    points_words(&about.points.iter().collect::<Vec<_>>(), &all, keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABEL: Label = |name| (name == "ramp_s").then_some("ramp");

    /// Two repeats of one test, two points of another, and two repeats of a third of which one said the same at another point.
    #[test]
    fn two_notes_of_repeats_are_one_with_a_range() {
        let mut run = RunDocument::new("s", 1, String::new());
        for (test, repeat, point, apart) in [
            ("a", 0, "1", 3.2),
            ("a", 1, "1", 3.6),
            ("b", 0, "1", 4.0),
            ("b", 0, "2", 5.0),
            ("c", 0, "1", 6.0),
            ("c", 0, "2", 6.0),
            ("c", 1, "1", 7.0),
        ] {
            let mut record = Record::new(Origin::Simulated, test, "tcp", "a", "b");
            record.repeat = repeat;
            record.point.insert("queue".to_owned(), point.to_owned());
            record
                .notes
                .push(format!("{test} is measured {apart:.1} s apart"));
            run.records.push(record);
        }
        let notes = record_notes(&run, LABEL);
        assert_eq!(notes.len(), 4, "{notes:?}");
        assert_eq!(notes[0], "a, simulated: a is measured 3.2 to 3.6 s apart");
        assert_eq!(notes[3], "c, simulated: c is measured 6.0 to 7.0 s apart");
    }

    /// Three outages of a sweep, each with what it cost in two repeats.
    #[test]
    fn an_outage_stays_with_what_it_cost() {
        let mut run = RunDocument::new("s", 1, String::new());
        for (long, costs) in [("1", [2.1, 2.2]), ("3", [6.0, 6.0]), ("6", [12.3, 12.5])] {
            for (repeat, cost) in (0..).zip(costs) {
                let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
                record.repeat = repeat;
                record.point = point(&[("event.cut.for", long)]);
                record.notes.push(format!(
                    "the path was down for {long} s, and nothing new was delivered for {cost:.1} s"
                ));
                run.records.push(record);
            }
        }
        let notes = record_notes(&run, LABEL);
        assert_eq!(notes.len(), 3, "{notes:?}");
        for (note, said) in notes.iter().zip([
            "1 s, and nothing new was delivered for 2.1 to 2.2 s",
            "3 s, and nothing new was delivered for 6.0 s",
            "6 s, and nothing new was delivered for 12.3 to 12.5 s",
        ]) {
            assert!(
                note.ends_with(&format!("the path was down for {said}")),
                "{note}"
            );
        }
    }

    #[test]
    fn ranges_of_several_notes_are_one_range() {
        let mut run = RunDocument::new("s", 1, String::new());
        for (repeat, range) in [(0, "400.0 ms to 500.0 ms"), (1, "600.0 ms to 700.0 ms")] {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.repeat = repeat;
            record
                .notes
                .push(format!("it waited for {range}, 3 to 4 times"));
            run.records.push(record);
        }
        let wanted = "t, simulated: it waited for 400.0 ms to 700.0 ms, 3 to 4 times";
        assert_eq!(record_notes(&run, LABEL), [wanted]);
    }

    /// A note is about a metric only where its record has one of that name.
    #[test]
    fn a_note_on_a_metric_is_left_out_with_the_metric() {
        let mut run = RunDocument::new("s", 1, String::new());
        let mut record = Record::new(Origin::Predicted, "bulk", "tcp", "a", "b");
        record.set("ramp_s", 2.0);
        for note in ["ramp_s is early", "rtos are counted late", "of all"] {
            record.notes.push(note.to_owned());
        }
        run.records.push(record);
        let of = |shown: bool| {
            record_notes_of(&run, LABEL, &move |_, metric| metric != "ramp_s" || shown)
        };
        let all = ["ramp is early", "rtos are counted late", "of all"];
        let all = all.map(|note| format!("bulk, predicted: {note}"));
        assert_eq!(of(true), all);
        assert_eq!(of(false), all[1..]);
    }

    fn point(pairs: &[(&str, &str)]) -> Point {
        let own = |(k, v): &(&str, &str)| ((*k).to_owned(), (*v).to_owned());
        pairs.iter().map(own).collect()
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
            "bulk, predicted, at cc reno, loss 1e-4; cc bic, loss 0: of two",
            "bulk, predicted, at cc bic: of bic",
            "bulk, predicted, at cc bic, loss 0: of one",
        ];
        assert_eq!(record_notes(&run, LABEL), expected);
    }

    #[test]
    fn notes_that_differ_in_numbers_alone_are_one() {
        let mut run = RunDocument::new("s", 1, String::new());
        let late = [
            ("1e-4", "0.7", "604"),
            ("1e-5", "1.1", "18"),
            ("1e-6", "0.5", "65"),
        ];
        for (loss, share, wait) in late {
            let mut record = Record::new(Origin::Emulated, "bulk", "tcp", "a", "b");
            record.point = point(&[("link.l.loss", loss)]);
            record.notes.push(format!(
                "{share} % of the frames were late (limit 0.5 %), up to {wait} ms; host h{wait}"
            ));
            record.notes.push(format!(
                "p99 {share} ms (limit 10 ms): see RFC 6298, net.core.rmem_max"
            ));
            run.records.push(record);
        }
        let expected = [
            "bulk, emulated, at loss 1e-4: 0.7 % of the frames were late (limit 0.5 %), up to 604 ms; host h604",
            "bulk, emulated: p99 0.5 to 1.1 ms (limit 10 ms): see RFC 6298, net.core.rmem_max",
            "bulk, emulated, at loss 1e-5: 1.1 % of the frames were late (limit 0.5 %), up to 18 ms; host h18",
            "bulk, emulated, at loss 1e-6: 0.5 % of the frames were late (limit 0.5 %), up to 65 ms; host h65",
        ];
        assert_eq!(
            record_notes(&run, LABEL),
            expected,
            "names differ, and so do the sentences"
        );
        // Of two nothing is made.
        run.records.pop();
        assert_eq!(record_notes(&run, LABEL).len(), 4);
    }

    #[test]
    fn a_note_says_how_many_repeats_are_invalid() {
        let mut run = RunDocument::new("s", 1, String::new());
        for (test, valid) in [("one", [false, false]), ("some", [true, false])] {
            for (repeat, valid) in valid.into_iter().enumerate() {
                let mut record = Record::new(Origin::Emulated, test, "tcp", "a", "b");
                record.repeat = repeat as u32;
                record.valid = valid;
                run.records.push(record);
            }
        }
        let notes = record_notes(&run, LABEL);
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(
            notes[0].starts_with("one, emulated: INVALID in all 2 repeats"),
            "{notes:?}"
        );
        assert!(
            notes[1].starts_with("some, emulated: INVALID in 1 of 2 repeats"),
            "{notes:?}"
        );
    }
}
