//! What a reader of a comparison must know: which scenarios were compared, what was left out, and where repeats have no
//! luck in them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Comparison, Named, Row, Side, Verdict, valid};
use crate::{ONE_RUN, Origin, Point, RunDocument};

/// Whether two runs are of other scenarios, as far as texts show: a seed is a part of the text, so that texts of runs with
/// seeds of their own differ.
fn apart(a: &RunDocument, b: &RunDocument) -> bool {
    let other_text = a.seed == b.seed && a.scenario_sha256 != b.scenario_sha256;
    a.scenario != b.scenario || other_text
}

impl Comparison {
    /// The note that says in what the scenarios of the two sides differ; none where nobody knows that they do.
    pub fn apart(&self) -> Option<&String> {
        let says = |note: &&String| note.starts_with(DIFFER) || note.starts_with(SEEDS_DIFFER);
        self.notes.iter().find(says)
    }
}

/// What is to be known of the documents themselves.
pub(super) fn of_sets(a: &[Named], b: &[Named]) -> Vec<String> {
    let mut notes = Vec::new();
    let texts = |set: &[Named]| -> BTreeSet<String> {
        let short = |d: &RunDocument| d.scenario_sha256.chars().take(12).collect::<String>();
        set.iter()
            .map(|n| format!("{} ({})", n.document.scenario, short(&n.document)))
            .collect()
    };
    let any = |a: &[Named], b: &[Named]| {
        let mut all = a.iter();
        all.any(|a| b.iter().any(|b| apart(&a.document, &b.document)))
    };
    let (left, right) = (texts(a), texts(b));
    let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(", ");
    if let Some(apart) = keys_apart(a, b) {
        notes.push(apart);
    } else if !b.is_empty() && left != right {
        let or = if any(a, b) {
            ""
        } else {
            ", or their seeds alone"
        };
        notes.push(format!(
            "{DIFFER}{or}: A {}, B {}",
            list(&left),
            list(&right)
        ));
    }
    for (name, set, texts) in [("A", a, left), ("B", b, right)] {
        if any(set, set) {
            notes.push(format!("{name} is of several scenarios: {}", list(&texts)));
        }
        let whose = match b.is_empty() {
            true => String::new(),
            false => format!(" of {name}"),
        };
        notes.extend(invalid(set, &whose));
        notes.extend(clocked(set, &whose));
    }
    notes
}

/// How the note on tests ends whose completion is left out.
pub(super) const CLOCKED: &str = "is left out: a clock ended the test, and not its last byte";

/// Of which tests of a set the completion is left out, as it is that of the clock.
fn clocked(set: &[Named], whose: &str) -> Option<String> {
    let mine = valid(set).filter(|(_, record)| record.is_ended_by_clock());
    let tests: BTreeSet<&str> = mine.map(|(_, record)| record.test.as_str()).collect();
    let names: Vec<&str> = tests.into_iter().collect();
    (!names.is_empty()).then(|| format!("completion{whose} ({}) {CLOCKED}", names.join(", ")))
}

/// How many records of a set are left out, of each origin.
fn invalid(set: &[Named], whose: &str) -> Vec<String> {
    let records = || set.iter().flat_map(|n| &n.document.records);
    let of = |origin: Origin| {
        let mine = records().filter(|r| r.origin == origin && !r.valid);
        let many = mine.count();
        let (noun, verb) = if many == 1 {
            ("record", "is")
        } else {
            ("records", "are")
        };
        let name = origin.name();
        (many > 0)
            .then(|| format!("{many} {name} {noun}{whose} {verb} marked invalid and left out"))
    };
    Origin::ALL.into_iter().filter_map(of).collect()
}

/// Keys that are named; of more it says how many.
const KEYS: usize = 8;
/// Characters of a value; the rest is left out.
const LONG: usize = 60;

/// What differs between the scenarios of two sets, key by key, their seeds last; none where a set is of several, or its text is not
/// known.
fn keys_apart(a: &[Named], b: &[Named]) -> Option<String> {
    let of = |set: &[Named]| {
        let mut all: Vec<BTreeMap<String, String>> = set.iter().map(|n| n.keys.clone()).collect();
        all.iter_mut().for_each(|keys| {
            keys.remove(SEED);
        });
        all.dedup();
        let only = all.len() == 1;
        all.pop().filter(|keys| only && !keys.is_empty())
    };
    let seeds = |set: &[Named]| -> BTreeSet<u64> { set.iter().map(|n| n.document.seed).collect() };
    let seeds = (seeds(a), seeds(b));
    let (a, b) = (of(a)?, of(b)?);
    let value = |keys: &BTreeMap<String, String>, key: &str| match keys.get(key) {
        Some(value) if value.chars().count() > LONG => {
            format!("{}\u{2026}", value.chars().take(LONG).collect::<String>())
        }
        Some(value) => value.clone(),
        None => "not set".to_owned(),
    };
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let apart = keys.into_iter().filter(|key| a.get(*key) != b.get(*key));
    let words = |key: &String| {
        format!(
            "{key} is {} in A and {} in B",
            value(&a, key),
            value(&b, key)
        )
    };
    let mut words: Vec<String> = apart.map(words).collect();
    let more = words.len().saturating_sub(KEYS);
    words.truncate(KEYS);
    if more > 0 {
        words.push(format!("{more} more keys"));
    }
    let list = |seeds: &BTreeSet<u64>| {
        let all: Vec<String> = seeds.iter().map(u64::to_string).collect();
        all.join(", ")
    };
    let what = if words.is_empty() {
        SEEDS_DIFFER
    } else {
        DIFFER
    };
    if seeds.0 != seeds.1 {
        let (one, two) = (list(&seeds.0), list(&seeds.1));
        words.push(format!("{SEED} is {one} in A and {two} in B"));
    }
    (!words.is_empty()).then(|| format!("{what}: {}", words.join("; ")))
}

/// How a note begins that says in what the two sides' scenarios differ.
const DIFFER: &str = "the scenarios differ";
/// The same where nothing but the seed does.
const SEEDS_DIFFER: &str = "the seeds alone differ";

/// The key of the seed, which is a part of every text.
const SEED: &str = "scenario.seed";

/// The seeds of all runs of a set.
fn seeds(set: &[Named]) -> BTreeSet<u64> {
    let of = |named: &Named| match &named.document.repeats {
        Some(repeats) => repeats.seeds.clone(),
        None => vec![named.document.seed],
    };
    set.iter().flat_map(of).collect()
}

/// That runs of both sides have seeds in common and are not compared seed by seed, as the sides do not have the same ones, and what
/// would pair them; none where no row is of several runs on both sides, and of forecasts, which have no seeds.
pub(super) fn unpaired(a: &[Named], b: &[Named], of: &Comparison) -> Option<String> {
    let apart = |r: &Row| {
        let of_runs = r.origin_a != Origin::Predicted && r.a.n > 1 && r.b.n > 1;
        of_runs && !r.paired
    };
    let (one, two) = (seeds(a), seeds(b));
    let common = one.intersection(&two).count();
    (common > 1 && one != two && of.rows.iter().any(apart)).then(|| {
        format!(
            "A has runs of {} seeds and B of {}, {common} of them in common: as the seeds are not the same ones, the runs are taken for \
             independent. With the same `--seed` and `--repeat` on both sides they are compared seed by seed, which shows smaller differences",
            one.len(),
            two.len()
        )
    })
}

/// Where chance had a part: the places where values `varied`, unless their records say that only the start did.
pub(super) fn lucky<'r>(
    set: &'r [Named],
    varied: impl Iterator<Item = (Origin, &'r Point)>,
) -> BTreeSet<(Origin, &'r Point)> {
    let says = |notes: &[String]| notes.iter().any(|note| note.contains(ONE_RUN));
    let shifted: BTreeSet<(Origin, &Point)> = valid(set)
        .filter(|(_, record)| says(&record.notes))
        .map(|(_, record)| (record.origin, &record.point))
        .collect();
    varied.filter(|place| !shifted.contains(place)).collect()
}

/// What a note on ranks says of runs.
pub(super) const FAR: &str =
    "a run lies far from the others and makes the interval of the means wide";

/// That ranks differ, with probability `p` by chance, where means do not show it; of what `name` names.
pub(super) fn far(name: &str, p: f64) -> String {
    let p = match p {
        0.001.. => format!("p = {p:.3}"),
        _ => "p below 0.001".to_owned(),
    };
    format!("{name}: {FAR}: by ranks A and B differ ({p}, two-sided)")
}

/// Points that a note names; of more it says how many.
const NAMED: usize = 3;

/// Differences called significant between runs of which a side's are one.
#[derive(Default)]
pub(super) struct OneRun {
    /// Sides whose several runs are one.
    sides: BTreeSet<&'static str>,
    /// Where.
    points: Vec<Point>,
}

impl OneRun {
    /// Takes note of a row that differs, and of its sides.
    pub(super) fn see(&mut self, row: Option<&Row>, x: &Side, y: &Side) {
        let Some(row) = row.filter(|r| r.verdict == Verdict::Differs) else {
            return;
        };
        let alike = [("A", x.one_run), ("B", y.one_run)];
        let alike = alike.iter().filter(|(_, one)| *one);
        self.sides.extend(alike.clone().map(|(name, _)| *name));
        if alike.count() > 0 && !self.points.contains(&row.point) {
            self.points.push(row.point.clone());
        }
    }

    /// The note, where one is due.
    pub(super) fn say(&self, of: &Comparison) -> Option<String> {
        if self.sides.is_empty() {
            return None;
        }
        let sides: Vec<&str> = self.sides.iter().copied().collect();
        let whose = match of.b.is_empty() {
            true => String::new(),
            false => format!(" of {}", sides.join(" and ")),
        };
        let words = self.points.iter().filter(|p| !p.is_empty());
        let words: Vec<String> = words.map(|p| of.keys.words(p)).collect();
        let place = match words.len() {
            0 => String::new(),
            n if n <= NAMED => format!(" at {}", words.join("; ")),
            n => format!(" at {n} points"),
        };
        Some(format!(
            "nothing in the simulated runs{whose}{place} is random: their {ONE_RUN}, whose difference is the scenario's and \
             whose interval says nothing of chance; `loss`, `jitter` or a `start_spread` of several tests make repeats differ"
        ))
    }
}
