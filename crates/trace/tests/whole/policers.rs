//! Policers are found where there is one, and nowhere else.

use farpath_arranged::{Arranged, cases};
use farpath_record::trace::PolicerFound;

use crate::runs::{TAPS, read, run, two_routers};

/// Whether the size is right to a tenth, and the rate, or what it may be, too.
fn is_right(found: PolicerFound, rate_bps: f64, burst_bytes: f64) -> bool {
    let size = found.burst_bytes as f64 / burst_bytes;
    let (least, most) = (found.rate_least_bps as f64, found.rate_most_bps as f64);
    (0.9..1.1).contains(&size) && least <= 1.1 * rate_bps && most >= 0.9 * rate_bps
}

#[test]
fn a_policer_is_found_at_every_tap() {
    let mut wrong = Vec::new();
    for case in cases().filter(|c| c.arranged == Arranged::Policer) {
        let run = run(&case.text);
        for tap in TAPS {
            let found = read(&run.captures[tap]).document.connections[0].a2b.policer;
            let name = format!("{} at {tap}: {found:?}", case.name);
            println!("{name}");
            let right = found.is_some_and(|found| {
                // With round trips that the bucket outlasts the losses tell the rate.
                let narrow = case.rtt_ms > 10 || found.rate_most_bps < found.rate_least_bps * 5 / 4;
                narrow && is_right(found, 20e6, 30e3)
            });
            if !right {
                wrong.push(name);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rates_and_sizes_of_policers_are_right_to_a_tenth() {
    let mut wrong = Vec::new();
    for (rate, burst, delay, cc) in [
        (20, 60, 10, "cubic"),
        (50, 100, 10, "reno"),
        (50, 250, 20, "cubic"),
        (100, 1000, 25, "cubic"),
        (200, 500, 5, "reno"),
        (200, 4000, 40, "cubic"),
    ] {
        let text = two_routers(
            "",
            &format!(
                "rate = \"1 Gbit/s\"\ndelay = \"{delay} ms\"\npolice = {{ name = \"p\", rate = \"{rate} Mbit/s\", burst = \"{burst} kB\" }}"
            ),
            &format!("cc = \"{cc}\"\nduration = \"20 s\""),
        );
        let run = run(&text);
        for tap in TAPS {
            let direction = read(&run.captures[tap]).document.connections[0].a2b.clone();
            let name = format!(
                "{rate} Mbit/s {burst} kB {delay} ms {cc} at {tap}: {:?}, {} bit/s, {:?}",
                direction.policer, direction.goodput_bps, direction.retransmissions
            );
            println!("{name}");
            let right = |p| is_right(p, f64::from(rate) * 1e6, f64::from(burst) * 1e3);
            if !direction.policer.is_some_and(right) {
                wrong.push(name);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn neither_a_full_line_nor_random_losses_are_a_policer() {
    let mut wrong = Vec::new();
    for (rate, delay, queue, loss, cc) in [
        ("20 Mbit/s", 10, "1bdp", "0", "reno"),
        ("20 Mbit/s", 10, "1bdp", "0", "cubic"),
        ("20 Mbit/s", 40, "30 kB", "0", "reno"),
        ("20 Mbit/s", 40, "30 kB", "0", "cubic"),
        ("50 Mbit/s", 5, "20 kB", "0", "cubic"),
        ("100 Mbit/s", 40, "100 kB", "0", "cubic"),
        ("100 Mbit/s", 10, "20 kB", "0", "reno"),
        ("1 Gbit/s", 5, "1bdp", "0.001", "reno"),
        ("1 Gbit/s", 20, "1bdp", "0.001", "reno"),
        ("1 Gbit/s", 50, "1bdp", "0.0003", "reno"),
        ("1 Gbit/s", 20, "1bdp", "0.01", "reno"),
        ("1 Gbit/s", 20, "1bdp", "0.003", "cubic"),
        ("20 Mbit/s", 20, "1bdp", "0.001", "reno"),
    ] {
        for seed in [1, 2, 3] {
            let text = two_routers(
                &format!("seed = {seed}"),
                &format!(
                    "rate = \"{rate}\"\ndelay = \"{delay} ms\"\nqueue = \"{queue}\"\nloss = {loss}"
                ),
                &format!("cc = \"{cc}\"\nduration = \"20 s\""),
            );
            let run = run(&text);
            for tap in TAPS {
                let analysis = read(&run.captures[tap]);
                let connection = &analysis.document.connections[0];
                if let Some(p) = &connection.a2b.policer {
                    wrong.push(format!(
                        "{rate} {delay} ms {queue} {loss} {cc} seed {seed} at {tap}: {p:?}, {}",
                        connection.a2b.goodput_bps
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All that is sent is lost meanwhile, repetitions of the timer as well.
#[test]
fn an_outage_is_not_a_policer() {
    let wan = "rate = \"50 Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"1bdp\"";
    let bulk = "cc = \"cubic\"\nwindow = \"200 KiB\"\nduration = \"10 s\"";
    for long in ["500 ms", "2 s"] {
        let of = format!("link = \"wan\"\nat = \"4 s\"\nfor = \"{long}\"\nup = false\n");
        let run = run(&(two_routers("", wan, bulk) + "[[event]]\n" + &of));
        for tap in TAPS {
            let seen = read(&run.captures[tap]).document.connections[0].a2b.clone();
            let shares = &seen.limit_shares;
            assert_eq!(seen.policer, None, "{long} at {tap}: {shares:?}");
            let policed = shares.contains_key("policer");
            assert!(!policed, "{long} at {tap}: {shares:?}");
        }
    }
}

/// BBR probes with a quarter more for a round trip: its queue comes and goes within one, and packets wait at the losses all the same.
#[test]
fn a_short_queue_that_bbr_probes_is_not_a_policer() {
    let of = |wan: &str| {
        let bulk = "cc = \"bbr\"\nduration = \"20 s\"";
        let run = run(&two_routers("", wan, bulk));
        let found = read(&run.captures["access"]).document;
        found.connections[0].a2b.clone()
    };
    for (rate, queue) in [(20, "0.3bdp"), (20, "0.2bdp"), (50, "0.2bdp")] {
        let wan = format!("rate = \"{rate} Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"{queue}\"");
        let seen = of(&wan);
        let lost = seen.retransmitted_segments;
        assert!(lost >= 100, "{rate} Mbit/s {queue}: {lost}");
        assert_eq!(seen.policer, None, "{rate} Mbit/s {queue}");
    }
    // The same line behind a policer, for which no packet waits.
    let police = "police = { name = \"p\", rate = \"15 Mbit/s\", burst = \"30 kB\" }";
    let wan = format!("rate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"1bdp\"\n{police}");
    let found = of(&wan).policer.expect("it drops what exceeds its rate");
    assert!(is_right(found, 15e6, 30e3), "{found:?}");
}

/// BBR keeps its rate behind a policer: packets come evenly at the policer's rate, as from a line. (At 20 ms a fourth of what is lost is lost
/// while round trips are long, which is a queue's to the tap at the sender: docs/models/trace.md.)
#[test]
fn the_even_rate_of_a_policer_is_not_a_links() {
    let police = "police = { name = \"p\", rate = \"5 Mbit/s\", burst = \"50 kB\" }";
    let wan = format!("rate = \"20 Mbit/s\"\ndelay = \"20100 us\"\nqueue = \"1bdp\"\n{police}");
    let text = two_routers("seed = 1", &wan, "cc = \"bbr\"\nduration = \"15 s\"");
    let text = text
        .replace("1 Gbit/s", "100 Mbit/s")
        .replace("100 ns", "10 us");
    let run = run(&text);
    for tap in ["access", "far"] {
        let seen = read(&run.captures[tap]).document.connections[0].a2b.clone();
        let shares = &seen.limit_shares;
        assert!(seen.policer.is_some(), "{tap}: {shares:?}");
        let limit = seen.limited_by.as_deref();
        assert_eq!(limit, Some("policer"), "{tap}: {shares:?}");
        let link = shares.get("link").copied().unwrap_or(0.0);
        assert!(link < 0.1, "{tap}: {shares:?}");
    }
}
