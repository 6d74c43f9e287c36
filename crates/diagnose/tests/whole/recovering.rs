//! A large window that few losses cut once: a long path comes back slowly.

use farpath_diagnose::{FlowReport, Known};

use crate::{because, commands, of};

/// Intervals of 5 s over 150 ms at 10 Gbit/s: Gbit/s, what was sent again, and the window in MiB.
fn ticket(rows: &[(f64, u32, f64)], cc: &str) -> FlowReport {
    let mut text = format!(
        "{cc}s$ iperf3 -c 203.0.113.50 -t 60 -i 5\nConnecting to host 203.0.113.50, port 5201\n[  5] local 192.0.2.50 port 40002 connected to 203.0.113.50 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
    );
    for (n, (gbit, again, mib)) in rows.iter().enumerate() {
        let (from, gbytes) = (5 * n, gbit * 5.0 / 8.589_934_592);
        text += &format!(
            "[  5]  {from:>2}.00-{}.00  sec  {gbytes:.2} GBytes  {gbit:.2} Gbits/sec  {again:>3}   {mib:.1} MBytes\n",
            from + 5
        );
    }
    let seconds = 5 * rows.len();
    let mean = rows.iter().map(|r| r.0).sum::<f64>() / rows.len() as f64;
    let again: u32 = rows.iter().map(|r| r.1).sum();
    let gbytes = mean * seconds as f64 / 8.589_934_592;
    text += &format!(
        "- - - - - - - - - - - - - - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-{seconds}.00  sec  {gbytes:.1} GBytes  {mean:.2} Gbits/sec  {again}             sender\n[  5]   0.00-{seconds}.15  sec  {gbytes:.1} GBytes  {mean:.2} Gbits/sec                  receiver\ns$ ping -c 5 -q 203.0.113.50\n--- 203.0.113.50 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 150.01/150.10/150.21/0.080 ms\ns$ ethtool eth0 | grep Speed\n\tSpeed: 10000Mb/s\n"
    );
    of(&text, &Known::default()).flows.remove(0)
}

const RENO: &str =
    "s$ sysctl net.ipv4.tcp_congestion_control\nnet.ipv4.tcp_congestion_control = reno\n";
const CUBIC: &str =
    "s$ sysctl net.ipv4.tcp_congestion_control\nnet.ipv4.tcp_congestion_control = cubic\n";

const KINDS: [&str; 4] = [
    "random_loss",
    "congestion_loss",
    "shallow_buffer",
    "policer",
];

/// Three segments, and half the rate for the rest of the minute: 47 400 round trips of Reno are two hours.
#[test]
fn a_window_that_one_loss_halved_is_what_holds_reno() {
    let mut rows = vec![(5.1, 0, 131.0), (7.33, 0, 131.0), (4.4, 3, 65.6)];
    rows.extend((0..9).map(|n| (3.67 + 0.002 * f64::from(n), 0, 65.6 + 0.05 * f64::from(n))));
    let flow = ticket(&rows, RENO);
    assert_eq!(flow.verdict.cause, "cwnd_recovery", "{:#?}", flow.verdict);
    let texts = because(&flow);
    assert!(
        texts.contains("3 segments were sent again between 10 and 15 s"),
        "{texts}"
    );
    assert!(texts.contains("takes 2.0 h to bring it back"), "{texts}");
    let commands = commands(&flow);
    assert!(
        commands.contains("tcp_congestion_control=bbr"),
        "{commands}"
    );
    assert!(
        commands.contains("tcp_congestion_control=cubic"),
        "{commands}"
    );
    assert!(!commands.contains("tc qdisc"), "{commands}");
    assert!(!flow.changes[0].undo.is_empty());
}

/// Six intervals of 10 s over 120 ms: half the window for the rest of the minute, with a ping beside it and without.
#[test]
fn a_log_of_few_long_intervals_shows_the_window_too() {
    let log = "a$ sysctl net.ipv4.tcp_congestion_control
net.ipv4.tcp_congestion_control = reno
a$ iperf3 -c 10.0.5.1 -t 60 -i 10
[  5] local 10.0.3.2 port 45012 connected to 10.0.5.1 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-10.00  sec  1.03 GBytes   888 Mbits/sec    0   13.5 MBytes
[  5]  10.00-20.00  sec  1.09 GBytes   940 Mbits/sec    0   13.5 MBytes
[  5]  20.00-30.00  sec   563 MBytes   472 Mbits/sec    1   6.85 MBytes
[  5]  30.00-40.00  sec   573 MBytes   481 Mbits/sec    0   6.96 MBytes
[  5]  40.00-50.00  sec   583 MBytes   489 Mbits/sec    0   7.08 MBytes
[  5]  50.00-60.00  sec   592 MBytes   497 Mbits/sec    0   7.19 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-60.00  sec  4.38 GBytes   627 Mbits/sec    1             sender
[  5]   0.00-60.12  sec  4.37 GBytes   625 Mbits/sec                  receiver
";
    let ping = "a$ ping -c 10 10.0.5.1
10 packets transmitted, 10 received, 0% packet loss, time 9200ms
rtt min/avg/max/mdev = 120.001/120.022/120.061/0.020 ms
";
    for text in [format!("{log}{ping}"), log.to_owned()] {
        let flow = of(&text, &Known::default()).flows.remove(0);
        assert_eq!(flow.verdict.cause, "cwnd_recovery", "{:#?}", flow.verdict);
        let texts = because(&flow);
        assert!(
            texts.contains("1 segment was sent again between 20 and 30 s"),
            "{texts}"
        );
        let commands = commands(&flow);
        assert!(
            commands.contains("tcp_congestion_control=cubic"),
            "{commands}"
        );
    }
}

/// CUBIC is back within the test, which cost a twentieth of it: that is said, and no kind of loss is blamed.
#[test]
fn a_window_that_came_back_is_no_policer() {
    let rows = [
        (5.10, 0, 131.0),
        (7.33, 0, 131.0),
        (5.46, 3, 104.0),
        (6.09, 0, 114.0),
        (6.56, 0, 121.0),
        (6.89, 0, 126.0),
        (7.11, 0, 129.0),
        (7.24, 0, 130.0),
        (7.30, 0, 131.0),
        (7.33, 0, 131.0),
        (7.33, 0, 131.0),
        (7.33, 0, 131.0),
    ];
    let flow = ticket(&rows, CUBIC);
    assert!(!KINDS.contains(&flow.verdict.cause), "{:#?}", flow.verdict);
    let texts = because(&flow);
    assert!(texts.contains("the rate was back within 35 s"), "{texts}");
}

/// Losses that come again are of a path that loses.
#[test]
fn losses_that_come_again_are_no_single_cut() {
    let mut rows = vec![(5.1, 0, 131.0), (7.33, 0, 131.0), (4.4, 3, 65.6)];
    rows.extend([(3.67, 0, 65.7); 9]);
    rows[6] = (3.4, 2, 60.0);
    rows[10] = (3.2, 4, 52.0);
    let flow = ticket(&rows, RENO);
    assert_ne!(flow.verdict.cause, "cwnd_recovery", "{:#?}", flow.verdict);
}

/// A window that has grown since losses of the first interval, and the rate with it: 16.5 MiB over 150 ms are 0.92 Gbit/s. Nothing is full.
#[test]
fn a_window_that_still_grows_is_no_line() {
    for again in [4, 0] {
        let mut rows = vec![(0.88, again, 16.0)];
        rows.extend((1..12).map(|n| {
            let window = 16.0 + f64::from(n);
            let gbit = (window - 0.5) * 8.0 * 1_048_576.0 / 0.15 / 1e9;
            (gbit, 0, window)
        }));
        let flow = ticket(&rows, CUBIC);
        let cause = if again > 0 { "cwnd_recovery" } else { "ramp" };
        assert_eq!(flow.verdict.cause, cause, "{:#?}", flow.verdict);
        let texts = because(&flow);
        assert!(
            texts.contains("the window holds it, no line"),
            "{again} {texts}"
        );
        assert!(!flow.changes.is_empty(), "{again}");
    }
}

/// A line that is full but for one interval is the line, and the interval is named with what it cost: 5.41 of twelve times 9.41.
#[test]
fn a_dip_on_a_full_line_is_named_beside_it() {
    let mut rows = vec![(9.41, 0, 200.0); 12];
    rows[6].0 = 4.0;
    let flow = ticket(&rows, CUBIC);
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let texts = because(&flow);
    assert!(
        texts.contains("from 30 to 35 s the rate fell to 4.00 Gbit/s"),
        "{texts}"
    );
    assert!(texts.contains("which cost 4.79 % of the whole"), "{texts}");
}
