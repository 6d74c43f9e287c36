//! Policers among other places of a path: what is forecast beside what a simulation has.

use std::collections::BTreeMap;

use farpath_record::Record;
use farpath_scenario::forecast;
use farpath_scenario::plan::Plan;

use crate::world::{World, run_text};

/// A connection through a policer, and what `behind` says of the next link.
fn policed(police: &str, behind: &str, seconds: u32) -> (World, Record) {
    let world = run_text(&format!(
        "[scenario]\nname = \"p\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[router]]\nname = \"r\"\n[[router]]\nname = \"s\"\n\
         [[router]]\nname = \"t\"\n\
         [[link]]\nname = \"l1\"\nends = [\"a\", \"r\"]\nrate = \"500 Mbit/s\"\ndelay = \"1 us\"\n\
         [[link]]\nname = \"l2\"\nends = [\"r\", \"s\"]\nrate = \"500 Mbit/s\"\ndelay = \"30 ms\"\nforward.police = {{ {police} }}\n\
         [[link]]\nname = \"l3\"\nends = [\"s\", \"t\"]\ndelay = \"30 ms\"\n{behind}\n\
         [[link]]\nname = \"l4\"\nends = [\"t\", \"b\"]\nrate = \"500 Mbit/s\"\ndelay = \"1 us\"\n\
         [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nwindow = \"4 MB\"\nduration = \"{seconds} s\"\n"
    ));
    let plan = Plan::new(&world.scenario).expect("a plan");
    let foreseen = forecast(&world.scenario, &plan, &BTreeMap::new()).remove(0);
    (world, foreseen)
}

const SMALL: &str = "rate = \"50 Mbit/s\", burst = \"30 kB\"";

fn limited_by(record: &Record) -> &str {
    record.limited_by.as_deref().unwrap_or_default()
}

/// Acknowledgements come no faster than the slower line behind a policer sends, and with them segments. 3.85 Mbit/s were forecast, a kernel
/// (Linux 6.18, valid certificates, 29 November 2026) had 22.79 twice.
#[test]
fn a_slower_line_behind_a_policer_is_the_limit() {
    let (world, foreseen) = policed(SMALL, "rate = \"25 Mbit/s\"\nqueue = \"1bdp\"", 20);
    let [predicted, simulated] = [
        foreseen.metrics["goodput_bps"],
        world.metric("t", "goodput_bps"),
    ];
    assert!(
        (predicted / simulated - 1.0).abs() < 0.01,
        "{predicted} {simulated}"
    );
    assert!((simulated / 22.79e6 - 1.0).abs() < 0.01, "{simulated}");
    assert_eq!(limited_by(&foreseen), "link");
    // Slow start comes at up to twice its rate: of a line above half of the policer's the bucket drops, and a note says so.
    let says = |record: &Record| {
        record
            .notes
            .iter()
            .any(|n| n.contains("slow start comes at"))
    };
    assert!(!says(&foreseen), "{:?}", foreseen.notes);
    let (world, foreseen) = policed(SMALL, "rate = \"40 Mbit/s\"\nqueue = \"1bdp\"", 20);
    assert!(world.metric("t", "goodput_bps") < 0.8 * foreseen.metrics["goodput_bps"]);
    assert!(says(&foreseen), "{:?}", foreseen.notes);
    // A shaper whose burst is more than the bucket holds lets all of that come at once.
    let shaper = "rate = \"500 Mbit/s\"\nqueue = \"1 MB\"\nforward.shape = { rate = \"25 Mbit/s\", burst = \"200 kB\" }";
    let (world, foreseen) = policed(SMALL, shaper, 20);
    assert_eq!(limited_by(&foreseen), "policer");
    assert!(world.metric("t", "goodput_bps") < 12e6);
}

/// Of two policers the one that leaves less is the limit, and that is the smaller bucket here, not the lower rate: 23.2 Mbit/s were forecast
/// for 5.2 simulated.
#[test]
fn of_two_policers_the_one_that_leaves_less_limits() {
    let behind =
        "rate = \"500 Mbit/s\"\nforward.police = { rate = \"25 Mbit/s\", burst = \"5 MB\" }";
    let (world, foreseen) = policed(SMALL, behind, 20);
    let bounds = &foreseen.uncertainty["goodput_bps"];
    let (low, high) = (bounds.low.expect("one"), bounds.high.expect("one"));
    let simulated = world.metric("t", "goodput_bps");
    assert!(low < simulated && simulated < high, "{simulated}");
    assert!(foreseen.metrics["goodput_bps"] < 6e6);
}
