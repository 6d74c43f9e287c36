//! Repeats that are all one run: nothing in the scenario is random, or the start of its only test alone is.

use std::collections::{BTreeMap, BTreeSet};

use farpath_record::{ONE_RUN, Origin, Point, Record};
use farpath_scenario::Test;
use farpath_units::Duration;

/// Repeats that differ by no more than this share are one run, where only its start was drawn: where in its intervals a
/// test begins moves its figures a little.
const ALIKE: f64 = 1e-3;

/// What a test is known by, of those that it has: the first.
const FIGURES: [&str; 3] = ["goodput_bps", "completion_ns", "rtt_avg_ns"];

/// Notes on simulated records that every repeat of a point gave the same: its scatter is not measured. `tests` are those of
/// each point.
pub(crate) fn say(records: &mut [Record], repeats: u32, tests: &BTreeMap<Point, Vec<Test>>) {
    let varied = where_first(records, |f, r| f.metrics != r.metrics);
    let apart = where_first(records, |f, r| {
        figure(f) != figure(r) && !alike(figure(f), figure(r))
    });
    let mut there: BTreeMap<(String, Point), u32> = BTreeMap::new();
    for r in records.iter().filter(|r| is_run(r)) {
        *there.entry((r.test.clone(), r.point.clone())).or_default() += 1;
    }
    // Of a run that was stopped, a point may have some of its repeats alone.
    let is_whole = |r: &Record| there.get(&(r.test.clone(), r.point.clone())) >= Some(&repeats);
    let tested = |r: &&mut Record| is_run(r) && is_whole(r);
    for record in records.iter_mut().filter(tested) {
        let is_alone = |t: &&Vec<Test>| t.len() == 1 && t[0].starts() == 1;
        let alone = tests.get(&record.point).filter(is_alone);
        let shifted = alone.is_some_and(|t| t[0].start_spread > Duration::ZERO);
        let note = match varied.contains(&record.point) {
            false => nothing_random(&record.test, repeats, alone.is_some()),
            true if shifted && !apart.contains(&record.point) => one_run_shifted(repeats),
            true => continue,
        };
        record.notes.push(note);
    }
    say_searches(records, repeats);
}

/// The same of searches. Whether anything was random on their way is in none of their records.
fn say_searches(records: &mut [Record], repeats: u32) {
    let mut found: BTreeMap<String, Vec<BTreeMap<String, f64>>> = BTreeMap::new();
    for r in records.iter().filter(|r| r.kind == SEARCH) {
        let all = found.entry(r.test.clone()).or_default();
        all.push(r.metrics.clone());
    }
    let one = |all: &Vec<_>| all.len() == repeats as usize && all.iter().all(|m| *m == all[0]);
    for record in records.iter_mut().filter(|r| r.kind == SEARCH) {
        if found.get(&record.test).is_some_and(one) {
            record.notes.push(format!(
                "{repeats} repeats found the same: nothing in the runs of this search is random, or chance moves the answer by \
                 less than `resolution`"
            ));
        }
    }
}

/// The kind of what a search found.
const SEARCH: &str = "search";

/// Whether a record is that of a simulated test.
fn is_run(record: &Record) -> bool {
    record.origin == Origin::Simulated && record.kind != SEARCH
}

/// The points at which a test's first simulated repeat `differs` from another.
fn where_first(records: &[Record], differs: impl Fn(&Record, &Record) -> bool) -> BTreeSet<Point> {
    let mine = || records.iter().filter(|r| is_run(r));
    let firsts: BTreeMap<(&str, &Point), &Record> = mine()
        .filter(|r| r.repeat == 0)
        .map(|r| ((r.test.as_str(), &r.point), r))
        .collect();
    let of = |r: &Record| firsts.get(&(r.test.as_str(), &r.point)).copied();
    let varied = mine().filter(|r| of(r).is_some_and(|f| differs(f, r)));
    varied.map(|r| r.point.clone()).collect()
}

fn figure(record: &Record) -> Option<f64> {
    FIGURES.iter().find_map(|m| record.metrics.get(*m).copied())
}

fn alike(a: Option<f64>, b: Option<f64>) -> bool {
    a.zip(b)
        .is_some_and(|(a, b)| (a - b).abs() <= ALIKE * a.abs())
}

fn nothing_random(test: &str, repeats: u32, alone: bool) -> String {
    let remedy = match alone {
        true => "`loss`, `jitter`, a udp test with arrivals = \"poisson\" and kind = \"flows\" are random; a `start_spread` would \
                 only shift a lone test in time"
            .to_owned(),
        false => format!(
            "give tests a `start_spread`, such as --set test.{test}.start_spread=1s; `loss`, `jitter`, a udp test with \
             arrivals = \"poisson\" and kind = \"flows\" are random too"
        ),
    };
    format!(
        "nothing in these runs is random: {repeats} repeats gave the same, and their scatter of 0 says nothing; {remedy}"
    )
}

fn one_run_shifted(repeats: u32) -> String {
    format!(
        "nothing but the start of this lone test is random: {repeats} {ONE_RUN}, shifted in time by its \
         `start_spread`: figures differ by where in it they are taken, and their scatter says nothing of other runs; `loss`, `jitter` or a \
         second test make repeats differ by more"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_scenario::{NodeId, Periodic, Source, parse};

    /// The notes of a record whose repeats had these goodputs, beside `others` more tests.
    fn notes(goodputs: &[f64], spread: Duration, others: usize) -> Vec<String> {
        let every = Periodic {
            count: 1,
            interval: Duration::from_secs(1),
            size: 84,
            ttl: 64,
            timeout: Duration::from_secs(1),
        };
        let mut test = Test::ping("t", [NodeId(0), NodeId(1)], every);
        test.start_spread = spread;
        notes_of(goodputs, vec![test; 1 + others])
    }

    fn notes_of(goodputs: &[f64], tests: Vec<Test>) -> Vec<String> {
        let tests = BTreeMap::from([(Point::new(), tests)]);
        let mut records: Vec<Record> = (0..)
            .zip(goodputs)
            .map(|(repeat, goodput)| {
                let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
                record.repeat = repeat;
                record.set("goodput_bps", *goodput);
                record
            })
            .collect();
        say(&mut records, 2, &tests);
        records.swap_remove(0).notes
    }

    #[test]
    fn repeats_that_are_one_run_say_so() {
        let (none, some) = (Duration::ZERO, Duration::from_secs(1));
        let same = notes(&[1e6, 1e6], none, 0);
        assert!(same[0].contains("would only shift a lone test"), "{same:?}");
        let beside = notes(&[1e6, 1e6], none, 1);
        assert!(
            beside[0].contains("--set test.t.start_spread"),
            "{beside:?}"
        );
        let shifted = notes(&[1e6, 1.0005e6], some, 0);
        assert!(
            shifted[0].contains("one run, shifted in time")
                && shifted[0].contains("figures differ by where in it they are taken"),
            "{shifted:?}"
        );
        // Other tests, luck, or figures that differ: repeats are what they seem.
        assert!(notes(&[1e6, 1.0005e6], some, 1).is_empty());
        assert!(notes(&[1e6, 1.0005e6], none, 0).is_empty());
        assert!(notes(&[1e6, 1.01e6], some, 0).is_empty());
    }

    /// Its connections start apart, and meet otherwise in each repeat.
    #[test]
    fn a_test_of_several_connections_is_not_alone() {
        let text = "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n\
                    [[link]]\nname = \"l\"\nends = [\"a\", \"b\"]\nrate = \"1 Gbit/s\"\n\
                    [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nparallel = 2\n";
        let (name, text) = ("x.toml".to_owned(), text.to_owned());
        let mut tests = parse(&Source { name, text }, &[])
            .expect("it is right")
            .tests;
        let same = notes_of(&[1e6, 1e6], tests.clone());
        assert!(same[0].contains("--set test.t.start_spread"), "{same:?}");
        tests[0].start_spread = Duration::from_secs(1);
        assert!(notes_of(&[1e6, 1.0005e6], tests).is_empty());
    }
}
