//! Tests whose rate climbs to their end: no line is full of them, and they are not even.

use farpath_diagnose::FlowReport;

use crate::{because, first};

/// Seconds over 150 ms: Mbit/s and the congestion window in MBytes; so many segments were sent again in the second of them.
fn climb(again: u32) -> FlowReport {
    let rows = [
        (310.0, 5.54),
        (1980.0, 35.4),
        (2010.0, 35.9),
        (2060.0, 36.8),
        (2120.0, 37.9),
        (2180.0, 39.0),
        (2240.0, 40.1),
        (2310.0, 41.3),
        (2380.0, 42.6),
        (2450.0, 43.8),
        (2520.0, 45.1),
        (2600.0, 46.5),
    ];
    let mut text = "a$ iperf3 -c 198.51.100.2 -t 12\nConnecting to host 198.51.100.2, port 5201\n[  5] local 192.0.2.1 port 40002 connected to 198.51.100.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    for (n, (mbit, window)) in rows.iter().enumerate() {
        let lost = if n == 1 { again } else { 0 };
        text += &format!(
            "[  5]  {n:>2}.00-{}.00  sec  {:.0} MBytes  {mbit:.0} Mbits/sec  {lost:>4}   {window:.1} MBytes\n",
            n + 1,
            mbit / 8.388_608
        );
    }
    text += &format!(
        "- - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-12.00  sec  2.93 GBytes  2.10 Gbits/sec  {again}             sender\n[  5]   0.00-12.15  sec  2.92 GBytes  2.07 Gbits/sec                  receiver\n\niperf Done.\na$ ping -c 5 -q 198.51.100.2\n--- 198.51.100.2 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 150.00/150.03/150.10/0.040 ms\n"
    );
    first(&text)
}

/// Four seconds had more than a line of 2.5 Gbit/s leaves, and each more than the one before.
#[test]
fn a_climb_behind_the_start_is_no_line() {
    for again in [4121, 0] {
        let flow = climb(again);
        assert_ne!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
        let why = because(&flow);
        assert!(!why.contains("what a line of"), "{again} {why}");
        assert!(!why.contains("are even"), "{again} {why}");
    }
}

/// Nothing was lost: the window grew as congestion avoidance lets it, and the rate with it.
#[test]
fn a_window_that_grows_behind_slow_start_holds_the_rate() {
    let flow = climb(0);
    assert_eq!(flow.verdict.cause, "ramp", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("the window holds it, no line"), "{why}");
}
