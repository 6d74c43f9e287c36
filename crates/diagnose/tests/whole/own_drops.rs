//! Queues of the sender's own that drop what the host itself sends: `tc -s qdisc` and `ip -s link` count it.

use farpath_diagnose::{FlowReport, Known};

use crate::{asked_with, because, commands, first_flow, of_files, on};

/// 300 Mbit/s over 45 ms, of which 82 segments were sent again all through.
pub(crate) const TEST: &str = "[user@dtn ~]# iperf3 -c 192.0.2.77 -t 20
Connecting to host 192.0.2.77, port 5201
[  5] local 192.0.2.10 port 40022 connected to 192.0.2.77 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec   192 MBytes   322 Mbits/sec   21   1.9 MBytes
[  5]   5.00-10.00  sec   171 MBytes   287 Mbits/sec   22   1.6 MBytes
[  5]  10.00-15.00  sec   180 MBytes   302 Mbits/sec   19   1.4 MBytes
[  5]  15.00-20.00  sec   175 MBytes   294 Mbits/sec   20   1.7 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.00  sec   718 MBytes   301 Mbits/sec   82             sender
[  5]   0.00-20.04  sec   716 MBytes   300 Mbits/sec                  receiver
[user@dtn ~]# ping -c 20 192.0.2.77
20 packets transmitted, 20 received, 0% packet loss, time 19020ms
rtt min/avg/max/mdev = 45.012/45.080/45.301/0.110 ms
";

/// What `tc` prints of a root with so many packets dropped.
fn tc(root: &str, dropped: u32) -> String {
    format!(
        "[user@dtn ~]# tc -s qdisc show dev eth0\n{root}\n Sent 751000000 bytes 518600 pkt (dropped {dropped}, overlimits 0 requeues 0)\n backlog 0b 0p requeues 0\n"
    )
}

const PFIFO: &str = "qdisc pfifo 8001: root refcnt 2 limit 20p";

/// The test between readings of its sender, or before the only one.
fn with(readings: &[String], known: &Known) -> FlowReport {
    let text = readings.concat();
    first_flow(of_files(&[("t.txt", TEST), ("sender.txt", &text)], known))
}

#[test]
fn drops_of_the_senders_own_queue_that_grow_by_what_was_sent_again_are_the_cause() {
    let flow = with(&[tc(PFIFO, 12), tc(PFIFO, 96)], &Known::default());
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "shallow_buffer", "{verdict:#?}");
    assert!(verdict.confidence >= 0.85, "{verdict:#?}");
    let why = because(&flow);
    assert!(
        why.contains("(pfifo, 20 packets) dropped 84 packets from one reading to the next, and 82 segments were sent again"),
        "{why}"
    );
    let change = &flow.changes[0];
    assert_eq!(change.commands[0], "tc qdisc replace dev eth0 root fq");
    assert!(
        change.commands[1].contains("root pfifo limit 1000"),
        "{change:#?}"
    );
    assert_eq!(
        change.undo,
        ["tc qdisc replace dev eth0 root pfifo limit 20"]
    );
    assert_eq!(asked_with(&flow, "queue_drops"), None);
}

/// A count that was read once may be of another time: it is said less surely, and asked for again.
#[test]
fn one_reading_is_less_certain() {
    let flow = with(&[tc(PFIFO, 84)], &Known::default());
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "shallow_buffer", "{verdict:#?}");
    assert!((0.5..=0.8).contains(&verdict.confidence), "{verdict:#?}");
    let command = asked_with(&flow, "queue_drops").expect("it is asked for");
    assert!(command.contains("tc -s qdisc show dev eth0"), "{command}");
    assert!(
        because(&flow).contains("one reading does not say whether it was in this test"),
        "{}",
        because(&flow)
    );
    // Far more than was lost is of other times.
    let much = with(&[tc(PFIFO, 90_000)], &Known::default());
    let plain = with(&[], &Known::default());
    assert_eq!(much.verdict.cause, plain.verdict.cause);
    let apart = (much.verdict.confidence - plain.verdict.confidence).abs();
    assert!(apart < 0.01, "{:#?}", much.verdict);
}

/// Three of 82 were dropped there: the rest was lost elsewhere.
#[test]
fn a_small_part_of_what_was_lost_is_said_and_not_the_cause() {
    let flow = with(&[tc(PFIFO, 12), tc(PFIFO, 15)], &Known::default());
    let plain = with(&[], &Known::default());
    assert_eq!(flow.verdict.cause, plain.verdict.cause);
    let why = because(&flow);
    assert!(
        why.contains("3.7 % of the 82 segments that were sent again: the rest was lost elsewhere"),
        "{why}"
    );
}

/// What a queue drops before a line that is full is what the line does not carry.
#[test]
fn before_a_full_line_it_is_the_line() {
    let flow = with(&[tc(PFIFO, 12), tc(PFIFO, 96)], &on("320 Mbit/s"));
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(because(&flow).contains("dropped 84 packets"));
}

/// `ip -s link` alone has the count; its first line names the queue, and the length of `pfifo_fast`.
#[test]
fn what_ip_counts_is_the_same() {
    let reading = |dropped: u32| {
        format!(
            "[user@dtn ~]# ip -s link show eth0\n2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc pfifo_fast state UP mode DEFAULT group default qlen 20\n    link/ether 02:00:00:01:02:03 brd ff:ff:ff:ff:ff:ff\n    RX:  bytes packets errors dropped  missed   mcast\n    11429882 150268 0 0 0 0\n    TX:  bytes packets errors dropped carrier collsns\n    751000000 518600 0 {dropped} 0 0\n"
        )
    };
    let flow = with(&[reading(0), reading(83)], &Known::default());
    assert_eq!(flow.verdict.cause, "shallow_buffer", "{:#?}", flow.verdict);
    let commands = commands(&flow);
    assert!(
        commands.contains("ip link set dev eth0 txqueuelen 1000"),
        "{commands}"
    );
    assert!(
        because(&flow).contains("(pfifo_fast, 20 packets) dropped 83 packets"),
        "{}",
        because(&flow)
    );
}

/// A queue that drops what has waited for long is full of what its own interface does not carry; a shaper's drops are the shaper's.
#[test]
fn other_queues_drop_for_other_reasons() {
    let codel = "qdisc fq_codel 8001: root refcnt 2 limit 10240p flows 1024";
    let flow = with(&[tc(codel, 12), tc(codel, 96)], &Known::default());
    assert_eq!(flow.verdict.cause, "congestion_loss", "{:#?}", flow.verdict);
    let tbf = "qdisc tbf 8001: root refcnt 2 rate 2Gbit burst 1250000b lat 50ms";
    let flow = with(&[tc(tbf, 12), tc(tbf, 96)], &Known::default());
    assert_ne!(flow.verdict.cause, "shallow_buffer", "{:#?}", flow.verdict);
}

/// What never got onto the cable was not dropped by a queue.
#[test]
fn errors_of_sending_are_not_called_drops() {
    let reading = |errors: u32| {
        format!(
            "[user@dtn ~]# ip -s link show eth0\n2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq state UP mode DEFAULT group default qlen 1000\n    link/ether 02:00:00:01:02:03 brd ff:ff:ff:ff:ff:ff\n    RX:  bytes packets errors dropped  missed   mcast\n    11429882 150268 0 0 0 0\n    TX:  bytes packets errors dropped carrier collsns\n    751000000 518600 {errors} 0 {errors} 0\n"
        )
    };
    let flow = with(&[reading(0), reading(80)], &Known::default());
    let why = because(&flow);
    assert!(why.contains("failed to send 80 packets"), "{why}");
    assert!(why.contains("as its carrier was lost"), "{why}");
    assert!(!why.contains("dropped 80"), "{why}");
}

/// 58 of the segments were lost by the `netem` that a test left behind, and as many were sent again.
#[test]
fn a_netem_that_loses_on_purpose_is_taken_away() {
    let tc = |dropped: u32| {
        format!(
            "vm$ tc -s qdisc show dev ens18\nqdisc netem 8001: root refcnt 2 limit 1000 delay 40.0ms loss 0.5%\n Sent 912233441 bytes 712331 pkt (dropped {dropped}, overlimits 0 requeues 0)\n backlog 0b 0p requeues 0\n"
        )
    };
    let test = "vm$ iperf3 -c 10.12.0.5 -t 20 -i 5
Connecting to host 10.12.0.5, port 5201
[  5] local 10.12.0.9 port 40110 connected to 10.12.0.5 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec  4.10 MBytes  6.88 Mbits/sec   16   31.1 KBytes
[  5]   5.00-10.00  sec  3.50 MBytes  5.87 Mbits/sec   13   28.3 KBytes
[  5]  10.00-15.00  sec  4.38 MBytes  7.34 Mbits/sec   15   42.4 KBytes
[  5]  15.00-20.00  sec  3.88 MBytes  6.50 Mbits/sec   14   25.5 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.00  sec  15.9 MBytes  6.65 Mbits/sec   58             sender
[  5]   0.00-20.04  sec  15.7 MBytes  6.57 Mbits/sec                  receiver
";
    let ping = "vm$ ping -c 5 -q 10.12.0.5
--- 10.12.0.5 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4006ms
rtt min/avg/max/mdev = 40.210/40.260/40.300/0.030 ms
vm$ ethtool ens18 | grep Speed
\tSpeed: 10000Mb/s
";
    let text = format!("{}{test}{}{ping}", tc(3562), tc(3620));
    let flow = crate::first(&text);
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.85, "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("loss 0.5%, on purpose) dropped 58"), "{why}");
    let commands = commands(&flow);
    let away = "tc qdisc del dev ens18 root";
    assert!(commands.contains(away), "{commands}");
    assert!(!commands.contains("bbr"), "{commands}");
    let back = "tc qdisc add dev ens18 root netem limit 1000 delay 40.0ms loss 0.5%";
    let undo = &flow.changes[0].undo;
    assert!(undo.iter().any(|line| line == back), "{undo:?}");
}

/// A `netem` that was read once, long after it was set: of all packets it lost the share that was sent again in the test.
#[test]
fn a_netem_that_loses_as_large_a_share_is_the_place_though_it_was_read_once() {
    let text = |loss: &str| {
        format!(
            "app1$ tc -s qdisc show dev eth0
qdisc netem 8001: root refcnt 2 limit 1000 delay 40ms loss {loss}
 Sent 912312331 bytes 712312 pkt (dropped 7123, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
app1$ iperf3 -c 10.2.0.4 -t 10
[  5] local 10.1.0.4 port 45012 connected to 10.2.0.4 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-2.00   sec   812 KBytes  3.33 Mbits/sec    8   21.2 KBytes
[  5]   2.00-4.00   sec   912 KBytes  3.73 Mbits/sec    7   18.3 KBytes
[  5]   4.00-6.00   sec   780 KBytes  3.19 Mbits/sec    6   21.1 KBytes
[  5]   6.00-8.00   sec   901 KBytes  3.69 Mbits/sec    6   17.0 KBytes
[  5]   8.00-10.00  sec   850 KBytes  3.48 Mbits/sec    5   23.9 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-10.00  sec  4.16 MBytes  3.49 Mbits/sec   32             sender
[  5]   0.00-10.04  sec  4.10 MBytes  3.43 Mbits/sec                  receiver
app1$ ping -c 100 10.2.0.4
100 packets transmitted, 99 received, 1% packet loss, time 99040ms
rtt min/avg/max/mdev = 40.301/40.421/40.911/0.190 ms
"
        )
    };
    let said = "about the share that it loses on purpose";
    for loss in ["1%", "1% 25%"] {
        let flow = crate::first(&text(loss));
        assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
        let why = because(&flow);
        assert!(
            why.contains("the queue before eth0") && why.contains(said),
            "{why}"
        );
        let commands = commands(&flow);
        let away = "tc qdisc del dev eth0 root";
        assert!(commands.contains(away), "{commands}");
        let options = format!("limit 1000 delay 40ms loss {loss}");
        let back = format!("tc qdisc add dev eth0 root netem {options}");
        assert!(
            flow.changes[0].undo.contains(&back),
            "{:?}",
            flow.changes[0].undo
        );
    }
    // A share that is far smaller, and one that nothing is held against: they lost something else.
    for loss in ["0.01%", "gemodel p 1% r 10% 1-h 100% 1-k 0%"] {
        let why = because(&crate::first(&text(loss)));
        assert!(!why.contains(said), "{why}");
    }
}

/// 726 segments were sent again, most of them at the start, and the sender's own queue dropped 726 packets: a policer had 41 to 51 %.
#[test]
fn a_queue_that_dropped_all_that_was_sent_again_leaves_nothing_for_a_policer() {
    let again = [610, 38, 0, 0, 41, 0, 0, 37, 0, 0];
    let rates = [102, 86, 91, 96, 101, 86, 91, 96, 101, 86];
    let row = |(n, (mbit, retr)): (usize, (&u32, &u32))| {
        format!(
            "[  5]  {n}.00-{}.00  sec  {:.1} MBytes  {mbit}.0 Mbits/sec  {retr}  1.05 MBytes\n",
            n + 1,
            f64::from(*mbit) / 8.388_608
        )
    };
    let rows: String = rates.iter().zip(&again).enumerate().map(row).collect();
    let text = |root: &str, dropped: [u32; 2]| {
        let tc = dropped.map(|n| {
            format!(
                "n1$ tc -s qdisc show dev eth0\n{root}\n Sent 75000000 bytes 50000 pkt (dropped {n}, overlimits 0 requeues 0)\n backlog 0b 0p requeues 0\n"
            )
        });
        format!(
            "n1$ ping -c 5 -q n2\nPING n2 (10.9.0.2) 56(84) bytes of data.\n\n--- n2 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4004ms\nrtt min/avg/max/mdev = 100.200/100.230/100.280/0.020 ms\n{}n1$ iperf3 -c n2\nConnecting to host n2, port 5201\n[  5] local 10.9.0.1 port 48122 connected to 10.9.0.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n{rows}- - - - - - - - - - - - - - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  111.6 MBytes  93.6 Mbits/sec  726             sender\n[  5]   0.00-10.05  sec  111.0 MBytes  92.7 Mbits/sec                  receiver\n\n{}n1$ ethtool eth0 | grep Speed\n\tSpeed: 10000Mb/s\n",
            tc[0], tc[1]
        )
    };
    for (root, longer) in [
        (
            "qdisc pfifo 8001: root refcnt 2 limit 1000p",
            "root pfifo limit 10000",
        ),
        (
            "qdisc netem 8001: root refcnt 2 limit 1000 delay 100ms",
            "root netem limit 10000 delay 100ms",
        ),
    ] {
        let flow = crate::first(&text(root, [14, 740]));
        let verdict = &flow.verdict;
        assert_eq!(verdict.cause, "shallow_buffer", "{root}: {verdict:#?}");
        assert!(verdict.confidence >= 0.7, "{root}: {verdict:#?}");
        let commands = commands(&flow);
        assert!(commands.contains(longer), "{commands}");
        assert!(because(&flow).contains(", 1000 packets) dropped 726"));
        // A tenth of them leaves the rest to others.
        let part = crate::first(&text(root, [14, 86])).verdict;
        assert!(part.confidence < 0.7, "{root}: {part:#?}");
    }
}
