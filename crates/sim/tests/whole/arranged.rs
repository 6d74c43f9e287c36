//! Runs whose limit is known, and one run seen by several kinds of evidence.

use std::collections::BTreeMap;

use farpath_arranged::{Arranged, cases};
use farpath_observe::limit::shares;
use farpath_observe::{Connection, Observation, Surroundings};
use farpath_scenario::forecast;
use farpath_scenario::plan::Plan;
use farpath_sim::{evidence, observations};
use proptest::prelude::*;

use crate::world::{World, run_text, scenario};

type Shares = BTreeMap<String, f64>;

/// How a run's evidence is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// The simulated sender's own account.
    Account,
    /// What a kernel's timers would have said.
    Timers,
    /// What was delivered in each interval.
    Rates,
}

/// The shares of the first connection of the first test by one kind of evidence.
fn seen(world: &World, reader: Reader) -> Shares {
    let seen = observations(&world.scenario, &world.outcome);
    let Some(Some(Observation::Connections(all, _))) = seen.into_iter().next() else {
        panic!("a test of connections");
    };
    let whole = &all[0];
    let connection = match reader {
        Reader::Account => whole.clone(),
        Reader::Timers => Connection {
            account: Vec::new(),
            ..whole.clone()
        },
        Reader::Rates => Connection {
            account: Vec::new(),
            samples: Vec::new(),
            ..whole.clone()
        },
    };
    let evidence = evidence(&world.scenario, &world.outcome);
    let around = Surroundings {
        path: Some(evidence.path(0)),
        hosts: None,
    };
    shares(&connection, world.scenario.tests[0].span().from(), &around)
}

#[test]
fn what_was_arranged_is_what_is_named() {
    let mut wrong = Vec::new();
    for case in cases() {
        let world = run_text(&case.text);
        let named = world.record("bulk").limited_by.clone().unwrap_or_default();
        for reader in [Reader::Account, Reader::Timers, Reader::Rates] {
            let shares = seen(&world, reader);
            let of = |name: &str| shares.get(name).copied().unwrap_or(0.0);
            let limits = case.arranged.limits();
            let mut share: f64 = limits.iter().map(|l| of(l.name())).sum();
            if reader == Reader::Rates && !case.arranged.is_known_by_rates() {
                share += of("unknown");
            }
            let is_named = limits.iter().any(|l| l.name() == named);
            // Of a short transfer, the last round trip and more is not its window's.
            let least = match case.arranged {
                Arranged::SlowStart => 0.5,
                _ => 0.75,
            };
            if share < least || !is_named {
                wrong.push(format!("{} by {reader:?}: {named}, {shares:?}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn closed_forms_name_what_they_know() {
    let known = |case: &farpath_arranged::Case| case.arranged.is_known_to_closed_forms();
    for case in cases().filter(known) {
        let scenario = scenario(&case.text);
        let plan = Plan::new(&scenario).expect("a path");
        let records = forecast(&scenario, &plan, &BTreeMap::new());
        let named = records[0].limited_by.clone().unwrap_or_default();
        let limits = case.arranged.limits();
        assert!(
            limits.iter().any(|l| l.name() == named),
            "{}: {named}",
            case.name
        );
    }
}

/// A path with one connection, in small numbers that shrink well.
#[derive(Clone, Debug)]
struct Sketch {
    mbps: u64,
    rtt_ms: u64,
    queue_packets: u64,
    loss: Option<u64>,
    window_kb: Option<u64>,
    buffer_kb: Option<u64>,
    think_ms: Option<u64>,
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let some = |range: std::ops::Range<u64>| prop::option::weighted(0.4, range);
    let sizes = (some(20..4000), some(20..4000));
    let others = (some(20..10_000), some(1..300));
    (1..200_u64, 2..200_u64, 5..2000_u64, sizes, others).prop_map(
        |(mbps, rtt_ms, queue_packets, (window_kb, buffer_kb), (loss, think_ms))| Sketch {
            mbps,
            rtt_ms,
            queue_packets,
            loss,
            window_kb,
            buffer_kb,
            think_ms,
        },
    )
}

impl Sketch {
    fn text(&self) -> String {
        let sysctl = |kb: Option<u64>| match kb {
            Some(kb) => format!("4096 {0} {0}", kb * 1000),
            None => "4096 33554432 67108864".to_owned(),
        };
        let loss = self
            .loss
            .map_or(String::new(), |n| format!("lose_every = {n}"));
        let test = match self.think_ms {
            Some(ms) => format!("kind = \"request\"\nblock = \"300 kB\"\nthink_time = \"{ms} ms\""),
            None => "kind = \"tcp\"".to_owned(),
        };
        format!(
            r#"
[scenario]
name = "seen"
[[host]]
name = "a"
tcp_wmem = "{}"
tcp_rmem = "{}"
[[host]]
name = "b"
tcp_wmem = "{0}"
tcp_rmem = "{1}"
[[router]]
name = "r"
[[router]]
name = "q"
[[link]]
name = "a"
ends = ["a", "r"]
rate = "1 Gbit/s"
[[link]]
name = "wan"
ends = ["r", "q"]
rate = "{} Mbit/s"
delay = "{} us"
queue = "{} packets"
{loss}
[[link]]
name = "b"
ends = ["q", "b"]
rate = "1 Gbit/s"
[[test]]
name = "t"
from = "a"
to = "b"
duration = "20 s"
{test}
"#,
            sysctl(self.buffer_kb),
            sysctl(self.window_kb),
            self.mbps,
            self.rtt_ms * 500,
            self.queue_packets,
        )
    }
}

/// What two kinds of evidence may differ by.
const POINTS: f64 = 0.05;

/// Between requests a window's state is seen once an interval, and a sender's own interface not at all; and a kernel is busy while an
/// answer is under way, though nothing more is written, where the account says the application. What these share, or these samples
/// do not say, is then one word.
fn together(shares: &Shares) -> Shares {
    let mut merged = Shares::new();
    for (name, share) in shares {
        let name = match name.as_str() {
            "application" | "unknown" | "cwnd_slow_start" | "cwnd_recovery" | "loss" | "nic" => {
                "window"
            }
            other => other,
        };
        *merged.entry(name.to_owned()).or_default() += share;
    }
    merged
}

proptest! {
    /// The account and the kernel's timers agree; bare rates blame nobody that the account does not.
    #[test]
    fn one_run_is_one_story(sketch in sketch()) {
        let world = run_text(&sketch.text());
        let read = |reader| match sketch.think_ms {
            Some(_) => together(&seen(&world, reader)),
            None => seen(&world, reader),
        };
        let [account, timers] = [Reader::Account, Reader::Timers].map(read);
        // What rates leave unknown blames nobody.
        let mut rates = seen(&world, Reader::Rates);
        rates.remove("unknown");
        let rates = match sketch.think_ms {
            Some(_) => together(&rates),
            None => rates,
        };
        let share = |shares: &Shares, name: &str| shares.get(name).copied().unwrap_or(0.0);
        for name in account.keys().chain(timers.keys()) {
            let apart = (share(&account, name) - share(&timers, name)).abs();
            prop_assert!(apart <= POINTS, "{name}\naccount {account:?}\ntimers {timers:?}");
        }
        for (name, blamed) in &rates {
            let own = share(&account, name);
            prop_assert!(*blamed <= own + POINTS, "{name}\naccount {account:?}\nrates {rates:?}");
        }
    }
}

#[test]
fn each_arrangement_is_there_at_three_round_trips() {
    assert_eq!(cases().count(), 3 * Arranged::ALL.len());
}
