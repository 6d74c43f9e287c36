//! The check bites: each deliberate mistake is found by the law within a few networks.

use std::panic::{AssertUnwindSafe, catch_unwind};

use farpath_element::Mode;
use farpath_units::Duration;

use crate::law::choices::Choices;
use crate::law::equivalence::{EVENTS, difference, oracle, run};
use crate::law::net::Make;
use crate::law::plain::Fault;
use crate::law::plan::Plan;

/// Enough for the rarest: one network in thirty-five shows that a port went one instant too far.
const NETWORKS: u64 = 240;

/// In how many of `networks` the mistake shows.
fn caught(make: Make, mode: Mode, networks: u64) -> u64 {
    let shows = |seed: &u64| {
        let plan = Plan::draw(&mut Choices::from_seed(*seed));
        let (truth, end, drained) = oracle(&plan, Make::AsPlanned);
        let found = catch_unwind(AssertUnwindSafe(|| run(&plan, make, end, &[mode], &[])));
        // A violated assertion inside the network is a catch, too.
        drained && found.map_or(true, |found| difference(&truth, &found).is_some())
    };
    (0..networks).filter(shows).count() as u64
}

#[test]
fn every_seeded_fault_is_caught() {
    let window = Mode::Windowed(Duration::from_us(137));
    let faults = [
        (Make::Plain(Fault::FullQueueBoundary), EVENTS),
        (Make::Plain(Fault::TieOrder), EVENTS),
        (Make::Plain(Fault::ArrivalBeforeEnd), EVENTS),
        (Make::Plain(Fault::RoundingDown), EVENTS),
        (Make::Plain(Fault::LossFreesTheLink), EVENTS),
        (Make::Plain(Fault::ServiceCounts), EVENTS),
        (Make::Plain(Fault::LuckBeforeQueue), EVENTS),
        (Make::Plain(Fault::IntervalEnd), EVENTS),
        (Make::Plain(Fault::LineTies), EVENTS),
        (Make::Plain(Fault::HeldBackHoldsAll), EVENTS),
        (Make::Plain(Fault::LossOneLate), EVENTS),
        (Make::Plain(Fault::RunsSpendNoLuck), EVENTS),
        (Make::TooFar, window),
        (Make::Asleep, EVENTS),
        (Make::Boasting, window),
    ];
    for (make, mode) in faults {
        let count = caught(make, mode, NETWORKS);
        println!("{make:?}: {count} of {NETWORKS}");
        assert!(count > 0, "{make:?} was never caught");
    }
}
