//! What was sent again by a simulated and by a real sender of one test, where that differs widely.

use std::collections::BTreeMap;

use farpath_record::{Origin, Point, Record};
use farpath_scenario::Test;
use farpath_tcp::SlowStart;

/// So many times as many segments sent again, and so many more, are another start, and no scatter.
const TIMES: f64 = 10.0;
const MORE: f64 = 100.0;

/// Notes on emulated and measured records beside a simulated one of the same test, point and repeat that sent far fewer segments
/// again, or far more. `tests` are those of each point.
pub(crate) fn say(records: &mut [Record], tests: &BTreeMap<Point, Vec<Test>>) {
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
        record.notes.push(words(own, model, ends_early));
    }
}

fn are_apart(a: f64, b: f64) -> bool {
    let (less, more) = (a.min(b), a.max(b));
    more > TIMES * less && more - less > MORE
}

fn words(own: f64, model: f64, ends_early: bool) -> String {
    let reason = match ends_early {
        true => {
            "the reason known is HyStart, which ends slow start by the times at which acknowledgements come. Those of a real host \
             jitter: one sender leaves it in time, and the other overflows the queue. --repeat says how often, and with \
             `slow_start = \"standard\"` and --tune-host neither has it"
        }
        false => {
            "a real host sends in other bursts and hears acknowledgements at other times than the model, so that a queue or a \
             policer takes more or less at the start; --repeat says how far the real host's own runs differ"
        }
    };
    format!("{own:.0} segments were sent again where the simulation sent {model:.0}: {reason}")
}

#[cfg(test)]
mod tests {
    use farpath_scenario::{Source, parse};

    use super::*;

    /// The notes of an emulated record beside a simulated one of repeat 0, which sent so many segments again.
    fn notes(simulated: f64, emulated: f64, repeat: u32, keys: &str) -> Vec<String> {
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
        // Scatter, and another repeat.
        assert!(notes(0.0, 100.0, 0, "").is_empty());
        assert!(notes(200.0, 1900.0, 0, "").is_empty());
        assert!(notes(0.0, 1245.0, 1, "").is_empty());
    }
}
