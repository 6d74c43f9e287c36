//! What SACK saved, beside runs of the same path without it.

use farpath_record::trace::SackBenefit;

use crate::runs::{read, run, with_fixed_windows};

/// A path on which segments of one window are lost by order.
const BURSTS: &str = r#"
[scenario]
name = "bursts"
[[host]]
name = "s"
[[host]]
name = "d"
[[router]]
name = "r1"
[[router]]
name = "r2"
[[link]]
name = "access"
ends = ["s", "r1"]
rate = "1 Gbit/s"
delay = "100 ns"
[[link]]
name = "wan"
ends = ["r1", "r2"]
rate = "100 Mbit/s"
delay = "20 ms"
queue = "4bdp"
[link.forward]
lose = [{lost}]
[[link]]
name = "far"
ends = ["r2", "d"]
rate = "1 Gbit/s"
delay = "100 ns"
[[test]]
name = "bulk"
kind = "tcp"
from = "s"
to = "d"
cc = "reno"
bytes = "8 MB"
{more}
"#;

#[test]
fn what_sack_saved_is_what_a_run_without_it_takes_longer() {
    for (holes, step) in [(2, 40), (6, 12), (12, 6)] {
        let lost: Vec<String> = (0..holes)
            .map(|n| format!("{{ flow = \"bulk\", segment = {} }}", 800 + n * step))
            .collect();
        let text = BURSTS.replace("{lost}", &lost.join(", "));
        let with = run(&with_fixed_windows(&text.replace("{more}", "sack = true")));
        let found = read(&with.captures["access"]).document;
        let benefit = found.connections[0].a2b.sack_benefit;
        let benefit = benefit.expect("several holes were repaired at once");
        assert_eq!((benefit.recoveries, benefit.holes), (1, holes));
        let without = run(&with_fixed_windows(&text.replace("{more}", "sack = false")));
        let found = read(&without.captures["access"]);
        let direction = &found.document.connections[0].a2b;
        assert_eq!(direction.sack_benefit, None);
        let flights = &found.found[0][0].observed.flights;
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
