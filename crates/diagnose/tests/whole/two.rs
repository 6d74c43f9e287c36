//! Two causes at once: both are named with their shares, and what limits after the first change.

use farpath_diagnose::{Diagnosis, Known, Source, diagnose, read};

fn of(text: &str, line: &str) -> Diagnosis {
    let source = Source {
        name: "ticket.txt".to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let mut facts = read(&[source]);
    Known {
        line: line.parse().ok(),
        ..Known::default()
    }
    .tell(&mut facts);
    diagnose(&facts, "0")
}

/// A record whose time went to limits in these shares: 40 Mbit/s over 50 ms.
fn record(shares: &str) -> String {
    format!(
        r#"{{"schema": "farpath.run/1", "records": [{{"origin": "measured", "test": "bulk", "kind": "tcp", "from": "a.example", "to": "b.example", "point": {{}}, "repeat": 0,
"duration_ns": 30000000000, "metrics": {{"goodput_bps": 40e6, "bytes": 150000000, "rtt_min_ns": 50e6, "rtt_avg_ns": 51e6, "retransmits": 0}},
"streams": [{{"stream": 0, "limited_by": {{{shares}}}}}], "valid": true, "notes": ["a note"],
"taken": {{"hosts": [{{"name": "b.example", "os": "freebsd"}}]}}}}]}}"#
    )
}

#[test]
fn a_program_with_pauses_and_a_window_between_them() {
    let d = of(
        &record(r#""application": 0.5, "receive_window": 0.5"#),
        "1 Gbit/s",
    );
    let flow = &d.flows[0];
    let verdict = &flow.verdict;
    let second = verdict.second.as_ref().expect("a second cause");
    let mut both = [verdict.cause, second.cause];
    both.sort_unstable();
    assert_eq!(both, ["application", "receive_window"], "{verdict:?}");
    for share in [verdict.share, second.share] {
        let share = share.expect("the record says it");
        assert!((0.49..0.51).contains(&share), "{verdict:?}");
    }
    // One change each. Without the pauses it is twice as fast: 80 Mbit/s, which is then the window's.
    assert_eq!(flow.changes.len(), 2, "{:?}", flow.changes);
    let first = flow.changes[0].then.as_ref().expect("what limits next");
    if verdict.cause == "application" {
        assert_eq!(first.cause, "receive_window");
        assert!((79e6..82e6).contains(&first.limit_bps), "{first:?}");
    }
    let last = flow.changes[1].then.as_ref().expect("what limits at last");
    assert_eq!(last.cause, "link");
    // The receiver's system is the record's: its commands are FreeBSD's.
    let commands = flow.changes.iter().flat_map(|c| &c.commands);
    assert!(
        commands.clone().any(|c| c.contains("recvbuf_max")),
        "{:?}",
        flow.changes
    );
    assert_eq!(d.notes, ["bulk: a note"]);
    assert!(
        d.ticket.contains("% of the time it is limited by"),
        "{}",
        d.ticket
    );
}

#[test]
fn one_cause_alone_has_no_second_share() {
    let d = of(
        &record(r#""receive_window": 0.97, "cwnd_slow_start": 0.03"#),
        "1 Gbit/s",
    );
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "receive_window");
    assert!(verdict.confidence > 0.9, "{verdict:?}");
    let second = verdict.second.as_ref().and_then(|s| s.share);
    assert!(
        second.is_none_or(|s| s < 0.2
            || verdict
                .second
                .as_ref()
                .is_some_and(|x| x.cause == "no_window_scaling")),
        "{verdict:?}"
    );
    assert_eq!(d.flows[0].changes.len(), 1);
}

/// The settings of both hosts are ceilings: 64 KiB of window, then 256 KiB of buffer, 45 to 100 % of which are data.
#[test]
fn the_next_ceiling_is_what_limits_after_the_change() {
    let text = "[  5] local 192.0.2.1 port 40000 connected to 192.0.2.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  31.2 MBytes  26.2 Mbits/sec    0             sender
[  5]   0.00-10.02  sec  31.2 MBytes  26.1 Mbits/sec                  receiver
10 packets transmitted, 10 received, 0% packet loss, time 9012ms
rtt min/avg/max/mdev = 19.980/20.010/20.110/0.040 ms
net.inet.tcp.recvspace = 65536
net.ipv4.tcp_wmem = 4096 16384 262144
";
    let d = of(text, "1 Gbit/s");
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "receive_window", "{:?}", flow.verdict);
    let then = flow.changes[0].then.as_ref().expect("a ceiling");
    assert_eq!(then.cause, "send_buffer");
    // 0.7 · 262144 B · 8 / 20 ms
    assert!((72e6..75e6).contains(&then.limit_bps), "{then:?}");
}

/// Predictions do not count as evidence beside a run of the same test.
#[test]
fn a_prediction_beside_a_run_is_left_out() {
    let run = record(r#""receive_window": 1"#);
    let both = run.replacen(
        "\"records\": [",
        r#""records": [{"origin": "predicted", "test": "bulk", "kind": "tcp", "from": "a.example", "to": "b.example", "point": {}, "metrics": {"goodput_bps": 9e8}, "streams": []},"#,
        1,
    );
    let d = of(&both, "1 Gbit/s");
    assert_eq!(d.flows.len(), 1, "{:?}", d.flows);
    assert_eq!(d.flows[0].observed.goodput_bps, Some(40e6));
    assert!(
        d.notes.iter().any(|n| n.contains("1 predicted")),
        "{:?}",
        d.notes
    );
}
