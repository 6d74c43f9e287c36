//! BBR, which fills a line mostly without a queue.

use farpath_record::trace::Glitch;

use crate::runs::{read, run, two_routers};

/// 20 Mbit/s behind an interface of 1 Gbit/s, 50 ms there and back, and a queue that loses at the end of the start: the link is the limit,
/// not the interface. What slow start's losses cost is little, as the line was full meanwhile. Each ten seconds the round trip is probed.
#[test]
fn a_line_that_bbr_fills_is_a_link_and_its_probes_have_their_name() {
    let wan = "rate = \"20 Mbit/s\"\ndelay = \"25 ms\"\nqueue = \"1bdp\"";
    let run = run(&two_routers("", wan, "cc = \"bbr\"\nduration = \"30 s\""));
    let found = read(&run.captures["access"]).document;
    let seen = &found.connections[0].a2b;
    let shares = &seen.limit_shares;
    assert_eq!(seen.limited_by.as_deref(), Some("link"), "{shares:?}");
    assert!(shares["link"] > 0.8, "{shares:?}");
    assert!(!shares.contains_key("nic"), "{shares:?}");
    let of = |kind: &str| {
        seen.glitches
            .iter()
            .filter(|g| g.kind == kind)
            .collect::<Vec<_>>()
    };
    let (collapses, glitches) = (of("rate_collapse"), &seen.glitches);
    assert!(collapses.len() >= 2, "{glitches:?}");
    for collapse in collapses {
        assert_eq!(collapse.cause, Glitch::PROBE_RTT, "{glitches:?}");
    }
    // A tenth of what the line carries in two seconds.
    for recovery in of("recovery") {
        assert!(recovery.cost_bytes < 500_000, "{glitches:?}");
    }
}
