//! Shares of time by limit beside the simulated sender's own account.

use std::collections::BTreeMap;

use farpath_arranged::{Arranged, cases};
use farpath_observe::Surroundings;
use farpath_observe::limit::shares;
use farpath_units::{Duration, Time};

use crate::runs::{TAPS, read, run, three_routers};

/// From the connection's first packet to the measurement, as `arranged` has it.
fn omitted(arranged: Arranged, rtt_ms: u64) -> Time {
    let rounds = match arranged {
        Arranged::Application | Arranged::SlowStart | Arranged::Mtu => 0,
        _ => 20,
    };
    Time::ZERO + Duration::from_ms(rounds * rtt_ms)
}

/// What a capture at this tap cannot tell from `unknown`: the send buffer, which no packet shows; and the sender's interface
/// seen from afar, where any line that never loses is the same.
fn is_unseen(arranged: Arranged, tap: &str) -> bool {
    match arranged {
        Arranged::SendBuffer => true,
        Arranged::Nic => tap != "access",
        _ => false,
    }
}

#[test]
fn limits_of_arranged_runs_are_within_five_points_of_the_senders_account_at_every_tap() {
    let (mut wrong, mut worst) = (Vec::new(), BTreeMap::<&str, f64>::new());
    for case in cases() {
        let run = run(&case.text);
        let truth = &run.document.records[0].streams[0].limited_by;
        for tap in TAPS {
            let analysis = read(&run.captures[tap]);
            let direction = &analysis.document.connections[0].a2b;
            if case.arranged == Arranged::Mtu && tap != "access" {
                // What is too large for the link is lost before it.
                assert_eq!(direction.unique_bytes, 0, "{} at {tap}", case.name);
                continue;
            }
            // What stays at one height was seen to leave its sender, and no other limit has that shape.
            let is_buffer = direction.limited_by.as_deref() == Some("send_buffer");
            let shows = case.arranged == Arranged::SendBuffer && tap == "access";
            let shares_named = &direction.limit_shares;
            assert_eq!(is_buffer, shows, "{} at {tap}: {shares_named:?}", case.name);
            let found = analysis.found[0][0].observed.as_ref().expect("data");
            let from = omitted(case.arranged, case.rtt_ms);
            let seen = shares(found, from, &Surroundings::default());
            let limits = case.arranged.limits();
            let of = |shares: &BTreeMap<String, f64>| -> f64 {
                let share = |name: &str| shares.get(name).copied().unwrap_or(0.0);
                let unknown = match is_unseen(case.arranged, tap) {
                    true => share("unknown"),
                    false => 0.0,
                };
                limits.iter().map(|l| share(l.name())).sum::<f64>() + unknown
            };
            let apart = (of(truth) - of(&seen)).abs();
            let name = format!("{} at {tap}", case.name);
            println!(
                "{name}: {:.3} of {:.3}: {seen:?}, {truth:?}",
                of(&seen),
                of(truth)
            );
            let most = worst.entry(tap).or_default();
            *most = most.max(apart);
            // What goes by as a burst was sent at once: 6.9 points where that takes much of a round trip.
            let bursts = case.arranged == Arranged::ReceiveWindow && tap != "access";
            let missed = match bursts && case.rtt_ms == 10 {
                true => 0.07,
                false => 0.05,
            };
            if apart > missed {
                wrong.push(format!("{name}: {apart:.3}"));
            }
            // The whole round trip is seen wherever data goes by.
            let rtt_ms = found.rtt.map_or(0.0, |rtt| rtt.min_ns / 1e6);
            let way = (rtt_ms / case.rtt_ms as f64 - 1.0).abs();
            assert!(
                case.arranged == Arranged::Mtu || way < 0.01,
                "{name}: {rtt_ms} ms"
            );
        }
    }
    println!("most apart: {worst:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A long path that stays full: a queue of one bandwidth–delay product stands, and a loss now and then is repaired
/// without it running empty. Half of the delay is on each side of the middle.
#[test]
fn a_full_link_is_named_wherever_it_was_captured_though_losses_are_repaired_on_it() {
    let mut wrong = Vec::new();
    // The second one is full for 7 % of its time, which no tap shows.
    for (loss, lasts, more, missed) in [
        ("1e-6", "8", "", 0.05),
        ("1e-4", "8", "", 0.08),
        ("1e-4", "30", "", 0.05),
        ("1e-6", "8", "timestamps = false", 0.05),
    ] {
        let bulk = format!("duration = \"{lasts} s\"\n{more}");
        let run = run(&three_routers(
            "20 ms",
            "",
            &format!("loss = {loss}"),
            &bulk,
        ));
        let truth = &run.document.records[0].streams[0].limited_by;
        for tap in TAPS {
            let found = read(&run.captures[tap]).found.swap_remove(0);
            let found = found[0].observed.as_ref().expect("data");
            let seen = shares(found, Time::ZERO, &Surroundings::default());
            let of = |all: &BTreeMap<String, f64>| all.get("link").copied().unwrap_or(0.0);
            let name = format!("{loss}, {lasts} s, {more}, {tap}");
            println!("{name}: {seen:?} against {truth:?}");
            // Far from a sender without timestamps no queue is seen: until the first loss nothing tells of the link.
            let allowed = if more.is_empty() || tap == "access" {
                missed
            } else {
                0.18
            };
            if (of(truth) - of(&seen)).abs() > allowed {
                wrong.push(format!("{name}: {:.3} of {:.3}", of(&seen), of(truth)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
