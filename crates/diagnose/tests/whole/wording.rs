//! What is printed: lines of a ticket, numbers that are zero, questions asked once, and what follows a change.

use farpath_diagnose::{Diagnosis, Known};
use farpath_record::trace::{TraceConnection, TraceDirection};

use crate::{of, of_capture, on};

fn log(kbit: f64, arrived: f64, again: u32) -> String {
    let bytes = |kbit: f64| kbit * 10.0 / 8.0 / 1.024;
    format!(
        "[  5] local 192.0.2.5 port 38422 connected to host-with-a-name-as-long-as-names-are.branch.example port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  {:.1} KBytes  {kbit:.1} Kbits/sec  {again}             sender
[  5]   0.00-10.00  sec  {:.1} KBytes  {arrived:.1} Kbits/sec                  receiver
",
        bytes(kbit),
        bytes(arrived),
    )
}

const PING: &str = "5 packets transmitted, 5 received, 0% packet loss, time 4098ms
rtt min/avg/max/mdev = 20.089/20.101/20.112/0.008 ms
";

/// A ticket is mail: 80 columns, and no number without its unit.
fn is_mail(d: &Diagnosis) {
    for line in d.ticket.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert!(!line.trim_start().starts_with('%'), "{line}");
    }
}

#[test]
fn a_tickets_lines_are_as_long_as_mail_has_them() {
    for again in [0, 3, 60, 900] {
        let text = log(38_213.0, 38_190.0, again) + PING;
        is_mail(&of(&text, &Known::default()));
        is_mail(&of(&text, &on("1 Gbit/s")));
    }
    let long = of(&(log(38_213.0, 38_190.0, 900) + PING), &Known::default());
    let asked = long
        .ticket
        .lines()
        .filter(|l| l.contains("iperf3 -c") && l.contains("-u -b"));
    assert_eq!(asked.count(), 1, "{}", long.ticket);
    // What the path carries is unknown: it is asked for a quarter more than it carried.
    let mut missing = long.flows[0].missing.iter();
    let asked = missing.find(|m| m.fact == "datagram_loss_ratio");
    let asked = &asked.expect("a kind of loss that is open").command;
    let rate = asked.split(" -b ").nth(1).and_then(|r| r.split('k').next());
    let kbit = rate.and_then(|r| r.parse::<f64>().ok());
    assert!(
        kbit.is_some_and(|kbit| (46_000.0..50_000.0).contains(&kbit)),
        "{asked}"
    );
    assert!(asked.ends_with(" -t 5"), "{asked}");
}

#[test]
fn what_never_arrived_is_not_left_at_a_rate_of_zero() {
    let text = "[  5] local 192.0.2.5 port 38422 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  45.2 KBytes   370 Kbits/sec    2   1.41 KBytes
[  5]   1.00-2.00   sec  0.00 Bytes  0.00 bits/sec    1   1.41 KBytes
[  5]   2.00-3.00   sec  0.00 Bytes  0.00 bits/sec    1   1.41 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-3.00   sec  45.2 KBytes  123 Kbits/sec    4             sender
[  5]   0.00-3.04   sec  0.00 Bytes  0.00 bits/sec                  receiver
";
    let d = of(&(text.to_owned() + PING), &Known::default());
    assert!(
        !d.ticket.contains("0.0 MB") && !d.ticket.contains("left at 0"),
        "{}",
        d.ticket
    );
}

#[test]
fn a_test_is_asked_for_once() {
    // Near the line both rates at which datagrams would be sent are the line's.
    let d = of(&(log(15_000.0, 14_990.0, 300) + PING), &on("20 Mbit/s"));
    let asked = d.flows[0]
        .missing
        .iter()
        .find(|m| m.fact == "datagram_loss_ratio");
    if let Some(asked) = asked {
        assert_eq!(
            asked.command.matches("iperf3 -c").count(),
            1,
            "{}",
            asked.command
        );
    }
    let none = of(&(log(15_000.0, 14_990.0, 0) + PING), &on("100 Mbit/s"));
    assert!(!none.ticket.contains("hardly a segment"), "{}", none.ticket);
}

#[test]
fn the_facts_of_a_trace_are_counted() {
    let text = "HOST: bak1                        Loss%   Snt   Last   Avg  Best  Wrst StDev
  1.|-- 192.0.2.1                  0.0%    20    0.4   0.4   0.3   0.6   0.1
  2.|-- 198.51.100.20              5.0%    20   20.1  20.2  20.0  20.9   0.2
";
    let d = of(text, &Known::default());
    let piece = d
        .read
        .iter()
        .find(|p| p.tool == "mtr")
        .expect("it was read");
    assert_eq!(piece.facts, 6, "times, pings and the number of hops");
}

/// Scaling was off in the capture: the window that was announced then is none that is left once it is on.
#[test]
fn a_window_without_scaling_is_not_what_follows_scaling() {
    let connection = TraceConnection {
        id: 1,
        a: "192.0.2.1:36012".to_owned(),
        b: "192.0.2.2:5201".to_owned(),
        duration_ns: 6_000_000_000,
        vantage: "sender_of_a".to_owned(),
        a2b: TraceDirection {
            segments: 4400,
            bytes: 6_350_000,
            unique_bytes: 6_350_000,
            mss: Some(1448),
            window_scale: Some(0),
            window_max_bytes: 65_535,
            flight_max_bytes: 65_160,
            goodput_bps: 8_470_000,
            limit_shares: [("receive_window".to_owned(), 1.0)].into(),
            ..TraceDirection::default()
        },
        ..TraceConnection::default()
    };
    let times = [60.1, 61.0, 63.0];
    let d = of_capture(connection, 6_350_000, times, &on("50 Mbit/s"));
    let flow = &d.flows[0];
    assert_eq!(
        flow.verdict.cause, "no_window_scaling",
        "{:?}",
        flow.verdict
    );
    let change = &flow.changes[0];
    let then = change.then.as_ref().map(|t| t.cause);
    assert_eq!(then, Some("link"), "{change:?}");
}

/// A line of 10 Mbit/s before a queue of a second: it is full, and those beside it wait.
#[test]
fn a_queue_that_makes_others_wait_is_said_with_what_helps_them() {
    let socket = |rtt: &str| {
        format!(
            "ESTAB 0 0 192.0.2.5:38422 198.51.100.20:5201\n\t cubic wscale:7,7 rto:1200 rtt:{rtt}/1.0 mss:1448 cwnd:900 bytes_acked:12000000 minrtt:20.05\n"
        )
    };
    let text = |rtt: &str| {
        log(9_560.0, 9_550.0, 0).replace(
            "host-with-a-name-as-long-as-names-are.branch.example",
            "198.51.100.20",
        ) + PING
            + &socket(rtt)
    };
    let d = of(&text("960.1"), &on("10 Mbit/s"));
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "link", "{:?}", flow.verdict);
    assert!(
        flow.verdict
            .because
            .join("\n")
            .contains("the queue before the line adds 940 ms"),
        "{:?}",
        flow.verdict
    );
    let commands = flow.changes[0].commands.join("\n");
    assert!(
        commands.contains("root cake bandwidth 9500kbit") && commands.contains("fq_codel"),
        "{commands}"
    );
    // 10 Mbit/s for 20 ms are 25 kB.
    assert!(
        commands.contains("a queue of 25.1 kB at most"),
        "{commands}"
    );
    assert!(flow.changes[0].predicted_bps.is_none());
    is_mail(&d);
    // Who types a command out of a ticket has to be able to take it back.
    let undo = d
        .ticket
        .find("\nTo undo:\n    tc qdisc del dev INTERFACE root");
    assert!(undo.is_some(), "{}", d.ticket);
    let short = of(&text("38.0"), &on("10 Mbit/s"));
    assert!(
        short.flows[0].changes.is_empty(),
        "{:?}",
        short.flows[0].changes
    );
}
