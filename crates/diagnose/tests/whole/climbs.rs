//! Tests whose rate climbs to their end: no line is full of them, and they are not even.

use farpath_diagnose::FlowReport;

use crate::{because, commands, first};

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

/// Twenty seconds over 281 ms, which hold three windows or four in turn, of a sender that begins at a threshold of 14 segments: KBytes of its
/// window, and Mbit/s. `carried` is how many windows an interval has in turn.
fn from_a_threshold(carried: [f64; 2], metrics: &str) -> FlowReport {
    let mut text = "lon1$ ping -c 5 -q 203.0.113.77\n--- 203.0.113.77 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 281.00/281.10/281.20/0.040 ms\nlon1$ iperf3 -c 203.0.113.77 -t 20\nConnecting to host 203.0.113.77, port 5201\n[  5] local 192.0.2.10 port 48122 connected to 203.0.113.77 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    let mut all = 0.0;
    for n in 0..20_u8 {
        let window = 1448.0 * (17.0 + 3.56 * f64::from(n));
        let bytes = carried[usize::from(n % 2)] * (window - 2500.0);
        all += bytes;
        text += &format!(
            "[  5]  {n:>2}.00-{}.00  sec  {:.3} MBytes  {:.2} Mbits/sec    0   {:.1} KBytes\n",
            n + 1,
            bytes / 1_048_576.0,
            bytes * 8.0 / 1e6,
            window / 1024.0
        );
    }
    let [mbytes, mbit] = [all / 1_048_576.0, all * 8.0 / 20.0 / 1e6];
    for end in ["0             sender", "              receiver"] {
        text +=
            &format!("[  5]   0.00-20.00  sec  {mbytes:.2} MBytes  {mbit:.2} Mbits/sec  {end}\n");
    }
    first(&format!(
        "{text}\niperf Done.\n{metrics}lon1$ ethtool ens1 | grep Speed\n\tSpeed: 10000Mb/s\n"
    ))
}

/// It was "other traffic", 43 %: the rate went up and down, and the window grew by a segment a round trip.
#[test]
fn a_kept_threshold_of_a_long_path_is_no_other_traffic() {
    let metrics = "lon1$ ip tcp_metrics show 203.0.113.77\n203.0.113.77 age 41.120sec ssthresh 14 cwnd 14 rtt 281250us rttvar 300us source 192.0.2.10\n";
    let flow = from_a_threshold([3.0, 4.0], metrics);
    assert_eq!(flow.verdict.cause, "ramp", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("ended at 14 segments"), "{why}");
    let all = commands(&flow);
    assert!(all.contains("ip tcp_metrics flush 203.0.113.77"), "{all}");
    assert!(all.contains("tcp_no_metrics_save=1"), "{all}");
    // Without it the threshold is asked for.
    let flow = from_a_threshold([3.0, 4.0], "");
    assert_eq!(flow.verdict.cause, "ramp", "{:#?}", flow.verdict);
    let all = commands(&flow);
    assert!(all.contains("ip tcp_metrics show"), "{all}");
}

/// Seconds that differ by more than whole windows are not the window's alone.
#[test]
fn a_rate_that_varies_by_more_than_whole_windows_is_not_the_windows() {
    let why = because(&from_a_threshold([1.5, 4.5], ""));
    assert!(!why.contains("the window holds it"), "{why}");
}
