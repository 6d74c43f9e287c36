//! What was sent again by a simulated and by a real sender of one test, where that differs widely.

use std::collections::BTreeMap;

use farpath_record::{LinkRecord, Origin, Point, Record, count_of};
use farpath_scenario::Test;
use farpath_tcp::SlowStart;

/// So many times as many segments sent again, and so many more, are another start, and no scatter.
const TIMES: f64 = 10.0;
const MORE: f64 = 100.0;

/// Why frames are dropped that come to a queue, to a policer, and in cells to either, when it has too many.
const BY_QUEUES: [&str; 4] = ["tail", "red", "host", "cell"];
const BY_POLICERS: [&str; 2] = ["policed", "cell"];

/// Notes on emulated and measured records beside a simulated one of the same test, point and repeat that sent far fewer segments
/// again, or far more. `links` are those of all runs, `tests` those of each point.
pub(crate) fn say(
    records: &mut [Record],
    links: &[LinkRecord],
    tests: &BTreeMap<Point, Vec<Test>>,
) {
    let key = |r: &Record| (r.test.clone(), r.point.clone(), r.repeat);
    let again = |r: &Record| r.metrics.get("retransmits").copied();
    let simulated: BTreeMap<_, f64> = records
        .iter()
        .filter(|r| r.origin == Origin::Simulated)
        .filter_map(|r| Some((key(r), again(r)?)))
        .collect();
    let real = |r: &&mut Record| matches!(r.origin, Origin::Emulated | Origin::Measured);
    for record in records.iter_mut().filter(real) {
        let both = again(record).zip(simulated.get(&key(record)).copied());
        let Some((own, model)) = both.filter(|(a, b)| are_apart(*a, *b)) else {
            continue;
        };
        let test = tests.get(&record.point);
        let test = test.and_then(|all| all.iter().find(|t| t.name == record.test));
        let ends_early = test
            .and_then(|t| t.kind.tcp())
            .is_some_and(|tcp| tcp.cc.slow_start == SlowStart::HyStart);
        let took = Took::of(links, record);
        record.notes.push(words((own, model), &took, ends_early));
    }
}

fn are_apart(a: f64, b: f64) -> bool {
    let (less, more) = (a.min(b), a.max(b));
    more > TIMES * less && more - less > MORE
}

/// Whether queues and policers dropped frames in a real run or in the simulated one beside it.
struct Took {
    queues: bool,
    policers: bool,
}

impl Took {
    /// What the links of the run of `record`, and of the simulated one, counted; where those of either are not known, it may be both.
    fn of(links: &[LinkRecord], record: &Record) -> Took {
        let of_run = |l: &&LinkRecord| l.repeat == record.repeat && l.point == record.point;
        let of = |origin: Origin| {
            links
                .iter()
                .filter(of_run)
                .filter(move |l| l.origin == origin)
        };
        let (real, simulated) = (of(record.origin), of(Origin::Simulated));
        if real.clone().next().is_none() || simulated.clone().next().is_none() {
            return Took {
                queues: true,
                policers: true,
            };
        }
        let both: Vec<&LinkRecord> = real.chain(simulated).collect();
        let dropped = |reasons: &[&str]| {
            let by = |l: &&LinkRecord| reasons.iter().any(|r| l.drops.get(*r) > Some(&0));
            both.iter().any(by)
        };
        Took {
            queues: dropped(&BY_QUEUES),
            policers: dropped(&BY_POLICERS),
        }
    }
}

fn words((own, model): (f64, f64), took: &Took, ends_early: bool) -> String {
    let by = match (took.queues, took.policers) {
        (true, true) => Some("a queue or a policer"),
        (true, false) => Some("a queue"),
        (false, true) => Some("a policer"),
        (false, false) => None,
    };
    let reason = match by {
        None => {
            "no queue and no policer dropped a frame in either run: what a sender takes for lost differs, or how much it sent; \
             --repeat says how far the real host's own runs differ"
                .to_owned()
        }
        Some(_) if took.queues && ends_early => {
            "the reason known is HyStart, which ends slow start by the times at which acknowledgements come. Those of a real host \
             jitter: one sender leaves it in time, and the other overflows the queue. --repeat says how often, and with \
             `slow_start = \"standard\"` and --tune-host neither has it"
                .to_owned()
        }
        Some(by) => format!(
            "a real host sends in other bursts and hears acknowledgements at other times than the model, so that {by} \
             takes more or less at the start; --repeat says how far the real host's own runs differ"
        ),
    };
    let sent = count_of(own as u64, "segment was", "segments were");
    format!("{sent} sent again where the simulation sent {model:.0}: {reason}")
}

#[cfg(test)]
mod tests {
    use farpath_scenario::{Source, parse};

    use super::*;

    /// The notes of an emulated record beside a simulated one of repeat 0, which sent so many segments again. Of links nothing is known.
    fn notes(simulated: f64, emulated: f64, repeat: u32, keys: &str) -> Vec<String> {
        notes_with(&[], [simulated, emulated], repeat, keys)
    }

    /// The same between such links.
    fn notes_with(
        links: &[LinkRecord],
        [simulated, emulated]: [f64; 2],
        repeat: u32,
        keys: &str,
    ) -> Vec<String> {
        let text = format!(
            "[scenario]\nname = \"s\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[link]]\nname = \"l\"\n\
             ends = [\"a\", \"b\"]\nrate = \"1 Gbit/s\"\ndelay = \"10 ms\"\n[[test]]\nname = \"t\"\nkind = \"tcp\"\n\
             from = \"a\"\nto = \"b\"\nduration = \"10 s\"\n{keys}\n"
        );
        let name = "s.toml".to_owned();
        let scenario = parse(&Source { name, text }, &[]).expect("a scenario");
        let record = |origin, repeat, again| {
            let mut record = Record::new(origin, "t", "tcp", "a", "b");
            record.repeat = repeat;
            record.set("retransmits", again);
            record
        };
        let mut records = [
            record(Origin::Simulated, 0, simulated),
            record(Origin::Emulated, repeat, emulated),
        ];
        say(
            &mut records,
            links,
            &BTreeMap::from([(Point::new(), scenario.tests)]),
        );
        assert!(records[0].notes.is_empty());
        records[1].notes.clone()
    }

    #[test]
    fn losses_that_differ_widely_are_explained() {
        let start = notes(0.0, 1245.0, 0, "cc = \"cubic\"");
        let words = "1245 segments were sent again where the simulation sent 0: the reason known is HyStart";
        assert!(start[0].starts_with(words), "{start:?}");
        let turned = notes(1245.0, 3.0, 0, "cc = \"cubic\"");
        assert!(
            turned[0].starts_with("3 segments were sent again where"),
            "{turned:?}"
        );
        let reno = notes(0.0, 1245.0, 0, "cc = \"reno\"");
        assert!(!reno[0].contains("HyStart"), "{reno:?}");
        assert!(reno[0].contains("so that a queue or a policer takes"));
        // Scatter, and another repeat.
        assert!(notes(0.0, 100.0, 0, "").is_empty());
        assert!(notes(200.0, 1900.0, 0, "").is_empty());
        assert!(notes(0.0, 1245.0, 1, "").is_empty());
    }

    #[test]
    fn what_dropped_nothing_is_not_named() {
        let links = |simulated: (&str, u64), emulated: (&str, u64)| {
            let link = |origin, (reason, count): (&str, u64)| LinkRecord {
                drops: BTreeMap::from([(reason.to_owned(), count)]),
                ..LinkRecord::new(origin, "l", "a>b")
            };
            [
                link(Origin::Simulated, simulated),
                link(Origin::Emulated, emulated),
            ]
        };
        let said = |links: &[LinkRecord], keys: &str| {
            let notes = notes_with(links, [517.0, 1.0], 0, keys);
            assert_eq!(notes.len(), 1);
            notes[0].clone()
        };
        let none = links(("tail", 0), ("tail", 0));
        for keys in ["cc = \"reno\"", "cc = \"cubic\""] {
            let words = "1 segment was sent again where the simulation sent 517: no queue and no policer dropped a frame";
            let said = said(&none, keys);
            assert!(said.starts_with(words), "{said}");
        }
        let chance = links(("error", 20), ("tail", 0));
        assert!(said(&chance, "").contains(": no queue and no policer"));
        let queue = links(("tail", 500), ("tail", 0));
        assert!(said(&queue, "cc = \"reno\"").contains("so that a queue takes"));
        assert!(said(&queue, "cc = \"cubic\"").contains("HyStart"));
        let policer = links(("tail", 0), ("policed", 9));
        for keys in ["cc = \"reno\"", "cc = \"cubic\""] {
            assert!(said(&policer, keys).contains("so that a policer takes"));
        }
        // Of the real run's links nothing is known.
        assert!(said(&none[..1], "cc = \"reno\"").contains("a queue or a policer"));
    }
}
