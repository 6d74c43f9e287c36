//! Tests with datagrams of which a part was lost: what lost them, and never that they are to come faster.

use crate::port_queues::port_of_ios;
use crate::ports::ios;
use crate::{asked, because, commands, first};

/// 400 Mbit/s of datagrams were asked for and sent, and so many of 1071428 were lost.
fn datagrams(lost: u32) -> String {
    format!(
        "$ iperf3 -c 198.51.100.40 -u -b 400M -l 1400 -t 30
Connecting to host 198.51.100.40, port 5201
[  5] local 192.0.2.4 port 40222 connected to 198.51.100.40 port 5201
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-30.00  sec  1.40 GBytes   400 Mbits/sec  0.000 ms  0/1071428 (0%)  sender
[  5]   0.00-30.01  sec  1.39 GBytes   399 Mbits/sec  0.011 ms  {lost}/1071428 ({:.2}%)  receiver

rtt min/avg/max/mdev = 8.400/8.449/8.499/0.029 ms
",
        f64::from(lost) / 10_714.28
    )
}

/// 152510 of 49 million are 0.31 %, as 3320 of 1071428 are.
#[test]
fn datagrams_are_lost_where_as_large_a_share_arrives_damaged() {
    let flow = first(&(datagrams(3320) + &ios(49_211_300, 152_510)));
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let because = because(&flow);
    let said = "0.31 % of the datagrams were lost, and 0.31 % of the frames";
    assert!(because.contains(said), "{because}");
    let plugs = "clean or change the plugs, cable and transceiver of TenGigabitEthernet0/1/0";
    assert!(commands(&flow).contains(plugs), "{:#?}", flow.changes);
    assert!(!commands(&flow).contains("faster"), "{:#?}", flow.changes);
}

#[test]
fn datagrams_that_nobody_says_who_lost_are_not_to_come_faster() {
    for text in [
        datagrams(3320),
        datagrams(3320) + &ios(49_211_300, 12),
        datagrams(9000),
    ] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
        let because = because(&flow);
        assert!(because.contains("of the datagrams were lost"), "{because}");
        assert!(!commands(&flow).contains("faster"), "{:#?}", flow.changes);
        assert!(asked(&flow).contains(&"interface_errors"), "{text}");
    }
    // What any path loses now and then is none.
    let flow = first(&datagrams(200));
    assert_eq!(flow.verdict.cause, "none", "{:#?}", flow.verdict);
}

/// 3320 of 1071428 are 0.31 %, as 46 thousand of 14.9 million are; from one reading to the next they are as many.
#[test]
fn datagrams_are_lost_where_a_queue_dropped_as_many() {
    let grown = port_of_ios(14_811_002, 46_000) + &port_of_ios(16_011_002, 49_330);
    for (router, said) in [
        (port_of_ios(14_811_002, 46_000), "as large a share"),
        (grown, "about as many as the test lost, 3320"),
    ] {
        let flow = first(&(datagrams(3320) + &router));
        assert_eq!(flow.verdict.cause, "congestion_loss", "{:#?}", flow.verdict);
        let because = because(&flow);
        assert!(because.contains(said), "{because}");
        assert!(
            because.contains("the queue of GigabitEthernet1/0/48 of leaf4 dropped"),
            "{because}"
        );
        assert!(!commands(&flow).contains("faster"), "{:#?}", flow.changes);
    }
    // Of a queue that hardly dropped any it is not.
    let flow = first(&(datagrams(3320) + &port_of_ios(14_811_002, 40)));
    assert_ne!(flow.verdict.cause, "congestion_loss", "{:#?}", flow.verdict);
}

/// nuttcp's of 8948 bytes, 698461 in 10 s, of which so many were lost: what arrived of 5 Gbit/s; a processor of the sender was so busy.
fn of_nuttcp(lost: u32, busy: u32) -> String {
    let arrived = f64::from(698_461 - lost) * 8948.0;
    format!(
        "$ nuttcp -u -R5g -T10 -l8948 198.51.100.40\n {:.4} MB /  10.00 sec = {:.4} Mbps {busy} %TX 44 %RX {lost} / 698461 drop/pkt {:.2} %loss\n",
        arrived / 1_048_576.0,
        8.0 * arrived / 1e7,
        100.0 * f64::from(lost) / 698_461.0
    )
}

#[test]
fn datagrams_of_nuttcp_are_not_a_connection() {
    let flow = first(&of_nuttcp(42_112, 61));
    let because = because(&flow);
    assert!(because.contains("of the datagrams were lost"), "{because}");
    assert_ne!(flow.verdict.cause, "receive_window", "{because}");
    let flow = first(&of_nuttcp(0, 31));
    assert_eq!(flow.verdict.cause, "none", "{:#?}", flow.verdict);
    // A sender that is busy all the time may have been asked for more.
    let flow = first(&of_nuttcp(0, 99));
    assert_ne!(flow.verdict.cause, "none", "{:#?}", flow.verdict);
}

/// Datagrams that all arrive, at the rate that was asked for, show that nothing is wrong there, and nothing of what they do not test.
#[test]
fn a_clean_run_says_what_it_does_not_test() {
    let text = "$ iperf3 -u -c 198.51.100.10 -b 100M -t 10
[  5] local 203.0.113.10 port 45566 connected to 198.51.100.10 port 5201
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-10.00  sec   119 MBytes   100 Mbits/sec  0.000 ms  0/86324 (0%)  sender
[  5]   0.00-10.00  sec   119 MBytes   100 Mbits/sec  0.012 ms  0/86324 (0%)  receiver
";
    let flow = crate::first(text);
    assert_eq!(flow.verdict.cause, "none", "{:#?}", flow.verdict);
    let why = crate::because(&flow);
    assert!(
        why.contains("nothing is wrong on this way at this rate. More than that"),
        "{why}"
    );
}

/// 956.4 Mbit/s of 1448 bytes are all that a line of 1 Gbit/s leaves: 1 Gbit/s of them was sent.
#[test]
fn datagrams_that_fill_a_usual_line_name_it() {
    let text = "$ iperf3 -c 198.51.100.20 -u -b 1G -t 10
Connecting to host 198.51.100.20, port 5201
[  5] local 192.0.2.10 port 51111 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-10.00  sec  1.16 GBytes  1.00 Gbits/sec  0.000 ms  0/863259 (0%)  sender
[  5]   0.00-10.00  sec  1.11 GBytes   956 Mbits/sec  0.012 ms  37984/863259 (4.4%)  receiver

iperf Done.
";
    let flow = first(text);
    let second = flow.verdict.second.as_ref().map_or("", |s| s.cause);
    assert!(
        [flow.verdict.cause, second].contains(&"link"),
        "{:#?}",
        flow.verdict
    );
    let because = because(&flow);
    assert!(
        because.contains("a line of 1.00 Gbit/s leaves for datagrams"),
        "{because}"
    );
}

/// Of 2 Gbit/s 956 Mbit/s arrived, which Ethernet of 1 Gbit/s leaves for 1448 of 1538 bytes: it was a policer, 51 %.
#[test]
fn datagrams_that_fill_a_slower_line_behind_a_faster_interface_are_the_lines() {
    let text = "$ iperf3 -u -b 2G -c 198.51.100.40 -t 3
Connecting to host 198.51.100.40, port 5201
[  5] local 192.0.2.4 port 51922 connected to 198.51.100.40 port 5201
[ ID] Interval           Transfer     Bitrate         Total Datagrams
[  5]   0.00-1.00   sec   238 MBytes  2.00 Gbits/sec  172660
[  5]   1.00-2.00   sec   238 MBytes  2.00 Gbits/sec  172664
[  5]   2.00-3.00   sec   238 MBytes  2.00 Gbits/sec  172663
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-3.00   sec   714 MBytes  2.00 Gbits/sec  0.000 ms  0/517987 (0%)  sender
[  5]   0.00-3.04  sec   346 MBytes   956 Mbits/sec  0.012 ms  267039/517987 (52%)  receiver

$ ethtool ens1 | grep Speed
\tSpeed: 10000Mb/s
";
    let flow = first(text);
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let because = because(&flow);
    assert!(because.contains("Ethernet at 1.00 Gbit/s"), "{because}");
}
