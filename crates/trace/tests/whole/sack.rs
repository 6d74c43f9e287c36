//! What SACK saved, beside runs of the same path without it.

use farpath_record::trace::SackBenefit;

use crate::runs::{read, run, two_routers};

/// A path on which segments of one window are lost by order. It holds 500 kB and the window is 450 kB: no queue stands, and
/// nothing else is lost.
fn bursts(lost: &str, more: &str) -> String {
    let wan = "rate = \"100 Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"1bdp\"";
    two_routers(
        "",
        &format!("{wan}\n[link.forward]\nlose = [{lost}]"),
        &format!("cc = \"reno\"\nbytes = \"8 MB\"\nwindow = \"450 kB\"\n{more}"),
    )
}

#[test]
fn what_sack_saved_is_what_a_run_without_it_takes_longer() {
    for (holes, step) in [(2, 40), (6, 12), (12, 6)] {
        let lost: Vec<String> = (0..holes)
            .map(|n| format!("{{ flow = \"bulk\", segment = {} }}", 800 + n * step))
            .collect();
        let lost = lost.join(", ");
        let with = run(&bursts(&lost, "sack = true"));
        let found = read(&with.captures["access"]).document;
        let benefit = found.connections[0].a2b.sack_benefit;
        let benefit = benefit.expect("several holes were repaired at once");
        assert_eq!((benefit.recoveries, benefit.holes), (1, holes));
        let without = run(&bursts(&lost, "sack = false"));
        let found = read(&without.captures["access"]);
        let direction = &found.document.connections[0].a2b;
        assert_eq!(direction.sack_benefit, None);
        let observed = found.found[0][0].observed.as_ref().expect("data");
        let flights = &observed.flights;
        let repair: u64 = flights.iter().map(|f| f.recovery.as_ns()).sum();
        let SackBenefit {
            took_ns,
            without_ns,
            ..
        } = benefit;
        println!("{holes} holes: {took_ns} ns, modelled {without_ns} without, {repair} measured");
        assert!(took_ns < without_ns);
        assert!((without_ns as f64 / repair as f64 - 1.0).abs() < 0.1);
    }
}
