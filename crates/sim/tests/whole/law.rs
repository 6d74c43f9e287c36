//! The law at the level of the whole simulator: whatever the mode and the window, the same bits.

use farpath_element::{Drop, Mode};
use farpath_scenario::{Scenario, TestKind, shipped as all_shipped};
use farpath_sim::WINDOW;
use farpath_units::{Duration, Time};

use crate::world::{World, run_in, shipped};

/// Windows shorter than any delay, of a usual size, and longer than any run.
pub(crate) const WINDOWS: [Duration; 3] =
    [Duration::from_us(10), WINDOW, Duration::from_secs(3600)];

/// Asserts that two runs of one scenario are one.
#[track_caller]
pub(crate) fn assert_same(what: &str, a: &World, b: &World) {
    assert_eq!(a.outcome.end, b.outcome.end, "{what}: end");
    assert_eq!(a.records, b.records, "{what}: records");
    assert_eq!(a.links, b.links, "{what}: links");
    assert_eq!(a.digests(), b.digests(), "{what}: digests");
    assert_eq!(a.tapped, b.tapped, "{what}: captures");
    let (a, b) = (&a.outcome.built, &b.outcome.built);
    for port in 0..a.port_count() {
        assert_eq!(
            a.port(port).counters(),
            b.port(port).counters(),
            "{what}: counters of port {port}"
        );
    }
    assert_eq!(a.network.hops(), b.network.hops(), "{what}: hops");
}

/// Every frame that nodes put on the network ended at a node, was dropped and counted, or is on a
/// channel; the last only in a run that was cut off while a timeout was pending.
#[track_caller]
pub(crate) fn assert_conserved(what: &str, world: &World) {
    let built = &world.outcome.built;
    let ports = || (0..built.port_count()).map(|p| built.port(p));
    let offered: u64 = ports().map(|p| p.counters().offered).sum();
    let ended: u64 = (0..world.scenario.node_count())
        .map(|n| built.station(n).received)
        .sum();
    let (hops, in_flight) = (built.network.hops(), built.network.in_flight());
    assert_eq!(
        hops,
        offered + ended + in_flight,
        "{what}: frames on channels"
    );
    if in_flight > 0 {
        return;
    }
    let (mut sent, mut refused, mut dropped, mut copies) = (0, 0, 0, 0);
    for (number, port) in ports().enumerate() {
        assert_eq!(port.waiting() + port.held(), 0, "{what}: frames wait");
        let counters = port.counters();
        let before_the_wire =
            [Drop::Tail, Drop::Red, Drop::Mtu, Drop::Down].map(|d| counters.dropped(d));
        let cut = counters.realised.cut;
        let mut turned_away: u64 = before_the_wire.iter().sum::<u64>() - cut;
        // A policer of frames stands in front of the queue, one of cells behind the wire.
        if counters.offered != counters.frames + turned_away {
            turned_away += counters.dropped(Drop::Policed);
        }
        copies += counters.realised.duplicated;
        assert_eq!(
            counters.offered,
            counters.frames + turned_away,
            "{what}: port {number}"
        );
        sent += counters.frames;
        refused += turned_away;
        dropped += counters.drops.iter().sum::<u64>() - turned_away;
    }
    let from_nodes = hops - (sent - dropped + copies);
    assert_eq!(
        from_nodes + copies,
        ended + refused + dropped,
        "{what}: frames from nodes"
    );
}

/// A shipped scenario cut down to about a second of traffic, its last tests at once with the first.
fn shortened(name: &str) -> Scenario {
    let mut scenario = shipped(name, &[]);
    // Few and slow frames, each with luck of its own.
    let more: u32 = if name.starts_with("impaired/") { 40 } else { 1 };
    let kinds = || scenario.tests.iter().map(|t| &t.kind);
    let only_pings = kinds().all(|k| k.periodic().is_some());
    for test in &mut scenario.tests {
        test.start = Time::from_ps(test.start.as_ps() / 100);
        match &mut test.kind {
            TestKind::Ping(ping) => {
                ping.count = if only_pings {
                    60.max(3 * more)
                } else {
                    3 * more
                };
                ping.interval = Duration::from_ms(if only_pings { 2 } else { 40 });
            }
            kind if kind.tcp().is_some() => {
                test.omit = Duration::from_ms(200);
                test.duration = Some(Duration::from_ms(6000));
            }
            _ => {
                test.omit = Duration::ZERO;
                test.duration = Some(Duration::from_ms(12).times(more.into()));
            }
        }
    }
    for event in &mut scenario.events {
        event.at = Time::from_ps(event.at.as_ps() / 50);
    }
    scenario
}

#[test]
fn every_shipped_scenario_is_the_same_in_both_modes() {
    // Each in one window, all windows among them; in every window by `make test-long`.
    let long = std::env::var_os("FARPATH_LONG").is_some();
    for (number, source) in all_shipped().enumerate() {
        let one = &WINDOWS[number % WINDOWS.len()..][..1];
        same_in_both_modes(&source.name, if long { &WINDOWS } else { one });
    }
}

fn same_in_both_modes(name: &str, windows: &[Duration]) {
    let oracle = run_in(shortened(name), Mode::EventByEvent, 7);
    // What a black hole takes is all there is, and what finds the way across comes later.
    let least = if name.starts_with("mtu-step/") {
        20
    } else {
        500
    };
    assert!(
        oracle.outcome.built.network.hops() > least,
        "{}: hardly anything happens",
        name
    );
    for window in windows {
        let windowed = run_in(shortened(name), Mode::Windowed(*window), 7);
        assert_same(&format!("{}, {window}", name), &oracle, &windowed);
    }
    assert_eq!(oracle.outcome.built.network.in_flight(), 0);
    assert_conserved(name, &oracle);
}

#[test]
fn the_same_seed_gives_the_same_document() {
    let run = || {
        run_in(
            shortened("cern-snaky/five-passes"),
            Mode::Windowed(WINDOW),
            3,
        )
    };
    let (first, second) = (run(), run());
    assert_eq!(first.json(), second.json());
}

#[test]
fn without_luck_the_seed_changes_nothing() {
    let run = |seed| {
        run_in(
            shortened("cern-snaky/five-passes"),
            Mode::Windowed(WINDOW),
            seed,
        )
    };
    assert_same("seeds 1 and 2", &run(1), &run(2));
}
