//! Shares of time by limit beside the simulated sender's own account.

use std::collections::BTreeMap;

use farpath_arranged::{Arranged, cases};
use farpath_observe::Surroundings;
use farpath_observe::limit::shares;
use farpath_units::{Duration, Time};

use crate::runs::{read, run};

/// From the connection's first packet to the measurement, as `arranged` has it.
fn omitted(arranged: Arranged, rtt_ms: u64) -> Time {
    let rounds = match arranged {
        Arranged::Application | Arranged::SlowStart | Arranged::Mtu => 0,
        _ => 20,
    };
    Time::ZERO + Duration::from_ms(rounds * rtt_ms)
}

#[test]
fn limits_of_arranged_runs_are_within_five_points_of_the_senders_account() {
    let mut wrong = Vec::new();
    for case in cases() {
        let run = run(&case.text);
        let truth = &run.document.records[0].streams[0].limited_by;
        let analysis = read(&run.captures["access"]);
        let found = &analysis.found[0][0].observed;
        let from = omitted(case.arranged, case.rtt_ms);
        let seen = shares(found, from, &Surroundings::default());
        let limits = case.arranged.limits();
        let of = |shares: &BTreeMap<String, f64>| -> f64 {
            let each = limits
                .iter()
                .map(|l| shares.get(l.name()).copied().unwrap_or(0.0));
            // A capture does not show a send buffer: it is unknown, and nothing else.
            let unknown = match case.arranged {
                Arranged::SendBuffer => shares.get("unknown").copied().unwrap_or(0.0),
                _ => 0.0,
            };
            each.sum::<f64>() + unknown
        };
        let apart = (of(truth) - of(&seen)).abs();
        println!(
            "{}: {:.3} against {:.3}: {seen:?} against {truth:?}",
            case.name,
            of(&seen),
            of(truth)
        );
        if apart > 0.05 {
            wrong.push(format!("{}: {apart:.3}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
