//! Tests of iperf3 that failed: which connection did, and that no limit of a rate is made of it.

use crate::{asked, because, first};

const COMMAND: &str = "c$ iperf3 -c 203.0.113.9 -t 10\n";

/// A document that ends with this error.
fn json(error: &str) -> String {
    format!(
        "{COMMAND}{{\n\t\"start\": {{\"connected\": [], \"version\": \"iperf 3.9\"}},\n\t\"intervals\": [],\n\t\"end\": {{}},\n\t\"error\": \"{error}\"\n}}\n"
    )
}

#[test]
fn a_test_that_did_not_start_says_which_connection_failed() {
    let silent = "unable to connect to server: Connection timed out";
    let text = |said: &str| format!("{COMMAND}iperf3: error - {said}\n");
    for (text, says, fact) in [
        (text(silent), "was not open in time", "reachable"),
        (json(silent), "was not open in time", "reachable"),
        (
            json("error - unable to connect stream: Connection timed out"),
            "its control connection was open, and a data connection to the same port was not",
            "data_connection",
        ),
        (
            text("unable to connect to server: Connection refused"),
            "was refused",
            "listening",
        ),
        (
            text("the server has terminated"),
            "the server ended it",
            "server_log",
        ),
        (
            text("control socket has closed unexpectedly"),
            "its control connection (TCP port 5201, or that of -p) broke",
            "server_log",
        ),
    ] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "unknown", "{text}: {:#?}", flow.verdict);
        let why = because(&flow);
        assert!(
            why.starts_with("a test of iperf3 failed: "),
            "{text}: {why}"
        );
        assert!(why.contains(says), "{text}: {why}");
        assert!(asked(&flow).contains(&fact), "{text}: {:#?}", flow.missing);
    }
}

/// Seconds at these rates and with so many segments sent again, and the end of the test.
fn broke_off(rows: [(&str, &str, u32); 4]) -> String {
    let each = (0..).zip(rows).map(|(n, (bytes, rate, again))| {
        format!(
            "[  5]   {n}.00-{}.00   sec  {bytes}  {rate}    {again}    438 KBytes\n",
            n + 1
        )
    });
    format!(
        "{COMMAND}Connecting to host 203.0.113.9, port 5201\n[  5] local 192.0.2.1 port 45606 connected to 203.0.113.9 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n{}iperf3: error - control socket has closed unexpectedly\n",
        each.collect::<String>()
    )
}

/// What holds a rate does not stop one: of a test that moved nothing any more no limit is named.
#[test]
fn a_test_that_stopped_before_it_failed_has_no_limit_of_its_rate() {
    let (moves, stands) = (
        ("112 MBytes", "941 Mbits/sec"),
        ("0.00 Bytes", "0.00 bits/sec"),
    );
    let row = |(bytes, rate): (&'static str, &'static str), again| (bytes, rate, again);
    let text = broke_off([row(moves, 0), row(moves, 0), row(stands, 2), row(stands, 1)]);
    let flow = first(&text);
    let limits = [
        "policer",
        "shaper",
        "random_loss",
        "congestion_loss",
        "shallow_buffer",
        "link",
        "receive_window",
        "send_buffer",
        "cross_traffic",
        "application",
    ];
    assert!(!limits.contains(&flow.verdict.cause), "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("a test of iperf3 failed: "), "{why}");
}
