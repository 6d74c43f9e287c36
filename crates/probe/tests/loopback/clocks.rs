//! Hosts whose clocks have nothing to do with each other: each in a time namespace of its own, whose CLOCK_MONOTONIC
//! is ahead of ours by some seconds to the nanosecond.

use std::process::Command;

use crate::run::{HOST, Run, metric, scenario};

/// How far the hosts' clocks are ahead.
const AHEAD_S: [(&str, u32); 2] = [("a", 1_000_000), ("b", 77)];

/// Runs a test between hosts with clocks of their own; what must be true of every such run is.
fn apart(number: u8, test: &str) -> Run {
    let command = |name: &str| {
        let ahead = AHEAD_S.iter().find(|(host, _)| *host == name);
        let ahead = ahead.expect("one of the two").1.to_string();
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--time", "--monotonic", &ahead]);
        command.args(["--fork", "--kill-child", "--", HOST]);
        command
    };
    let run = Run::through(number, &scenario("", test), |_| {}, command);
    assert!(run.record().valid, "{:?}", run.record().notes);
    for (host, ahead_s) in AHEAD_S {
        let clock = &run.results().clocks[host];
        let truth = i64::from(ahead_s) * 1_000_000_000;
        for offset in [Some(clock.start), clock.end] {
            let offset = offset.expect("clocks are compared before and after the run");
            let wrong = offset.offset_ns.abs_diff(truth);
            assert!(wrong <= offset.error_ns, "{host}: {wrong} ns: {offset:?}");
        }
    }
    let error = run.results().clock_error_ns("a", "b").expect("two clocks");
    assert!(error > 0);
    let said = format!("may be off by {:.3} ms", error as f64 * 1e-6);
    let notes = run.record().notes.join("\n");
    assert!(notes.contains(&said), "{notes}");
    run
}

#[test]
fn datagrams_between_clocks_of_their_own_are_counted() {
    let test = "kind = \"udp\"\nrate = \"8 Mbit/s\"\nsize = 1000\nduration = \"1 s\"\n";
    let run = apart(20, test);
    let record = run.record();
    let (sent, received) = (metric(record, "sent"), metric(record, "received"));
    assert!(sent > 0.0 && sent <= 1000.0, "{sent}");
    assert_eq!(sent, received, "{:?}", record.notes);
    assert!(
        metric(record, "goodput_bps") > 0.0,
        "in the receiver's time"
    );
}

#[test]
fn a_connection_between_clocks_of_their_own_is_timed() {
    // Reno is what every kernel lets everybody have.
    let test = "kind = \"tcp\"\nbytes = \"1 MB\"\nreverse = true\ncc = \"reno\"\n";
    let run = apart(21, test);
    let record = run.record();
    assert_eq!(metric(record, "bytes"), 1e6);
    // From one end's SYN to the other's last byte: less than anybody waits for.
    let took = metric(record, "completion_ns");
    assert!(0.0 < took && took < 60e9, "{took}");
    // Who connects is who reads: the clocks do not come into it.
    assert!(!record.uncertainty.contains_key("completion_ns"));
}

#[test]
fn a_time_from_one_clock_to_another_is_as_uncertain_as_both() {
    let run = apart(23, "kind = \"tcp\"\nbytes = \"1 MB\"\ncc = \"reno\"\n");
    let record = run.record();
    let error = run.results().clock_error_ns("a", "b").expect("two clocks");
    let took = metric(record, "completion_ns");
    let bounds = record.uncertainty["completion_ns"];
    let error_ns = error as f64;
    assert_eq!(bounds.low, Some((took - error_ns).max(0.0)));
    assert_eq!((bounds.high, bounds.level), (Some(took + error_ns), None));
    let taken = record.taken.as_ref().expect("it was taken");
    assert_eq!(taken.clock_error_ns, Some(error));
    let each: Option<u64> = taken.hosts.iter().map(|host| host.clock_error_ns).sum();
    assert_eq!(each, Some(error), "beside the conductor's");
    let addresses: Vec<&String> = taken.hosts.iter().flat_map(|h| &h.addresses).collect();
    assert_eq!(addresses, ["127.31.23.1", "127.31.23.2"]);
    assert_eq!(record.route, None, "nobody knows the way, and nobody asked");
}

#[test]
fn programs_of_one_machine_share_its_clock() {
    let run = Run::of(22, "kind = \"tcp\"\nbytes = \"1 kB\"\n");
    assert_eq!(run.results().clock_error_ns("a", "b"), Some(0));
    assert_eq!(run.results().largest_clock_error_ns(), Some(0));
    assert!(run.results().zero.is_some_and(|zero| zero.at_ns > 0));
    let record = run.record();
    assert!(!record.uncertainty.contains_key("completion_ns"));
    let notes = run.record().notes.join("\n");
    assert!(!notes.contains("may be off"), "{notes}");
}
