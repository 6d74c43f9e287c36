//! owping counts each way by itself: what the data's way loses is of the flow, and what the other one loses is not.

use crate::{asked, because, first};

/// Both ways between two hosts, of which the one from b to a lost 14 of 6000, and a test with this option.
fn ticket(option: &str, rows: &str) -> String {
    let way = |ends: &str, lost: &str, delays: &str| {
        format!(
            "--- owping statistics from {ends} ---\nSID:\tcb00710aeb9e1f2a5c8d1f0e3a4b5c6d\nfirst:\t2026-11-29T02:10:11.102\nlast:\t2026-11-29T02:11:14.331\n6000 sent, {lost}, 0 duplicates\none-way delay min/median/max = {delays} ms, (err=0.4 ms)\none-way jitter = 0.1 ms (P95-P50)\nhops = 11 (consistently)\nno reordering\n\n\n"
        )
    };
    let there = way(
        "[203.0.113.10]:8810 to [198.51.100.10]:8788",
        "0 lost (0.000%)",
        "121/121.1/121.9",
    );
    let here = way(
        "[198.51.100.10]:8912 to [203.0.113.10]:8795",
        "14 lost (0.233%)",
        "119/119.2/119.6",
    );
    format!(
        "$ owping -c 6000 -i 0.01 b.example\nApproximately 63.3 seconds until results available\n\n{there}{here}$ iperf3 {option}-c b.example -t 20 -i 10\nConnecting to host b.example, port 5201\n{rows}"
    )
}

const BACK: &str = "Reverse mode, remote host b.example is sending
[  5] local 203.0.113.10 port 45566 connected to 198.51.100.10 port 5201
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-10.00  sec  2.10 MBytes  1.76 Mbits/sec
[  5]  10.00-20.00  sec  1.61 MBytes  1.35 Mbits/sec
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.24  sec  3.95 MBytes  1.64 Mbits/sec    7             sender
[  5]   0.00-20.00  sec  3.71 MBytes  1.56 Mbits/sec                  receiver

iperf Done.
";

const THERE: &str = "[  5] local 203.0.113.10 port 45570 connected to 198.51.100.10 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-10.00  sec  2.10 MBytes  1.76 Mbits/sec    4    43.8 KBytes
[  5]  10.00-20.00  sec  1.61 MBytes  1.35 Mbits/sec    3    39.6 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.00  sec  3.71 MBytes  1.56 Mbits/sec    7             sender
[  5]   0.00-20.24  sec  3.65 MBytes  1.51 Mbits/sec                  receiver

iperf Done.
";

#[test]
fn a_loss_of_the_datas_way_is_the_flows() {
    let flow = first(&ticket("-R ", BACK));
    let why = because(&flow);
    assert!(why.contains("(14 of 6000)"), "{:#?}", flow.verdict);
    let ends = "from 198.51.100.10 to 203.0.113.10";
    assert!(why.contains(ends), "{why}");
    for known in ["rtt", "idle_loss_ratio"] {
        assert!(!asked(&flow).contains(&known), "{:#?}", flow.missing);
    }
}

#[test]
fn a_loss_of_the_other_way_is_not() {
    let flow = first(&ticket("", THERE));
    let why = because(&flow);
    assert!(!why.contains("of 6000"), "{why}");
}

/// Of a way that loses and delays nothing no cause is named: what was tested is well, and the rest is not tested.
#[test]
fn a_clean_way_is_said_to_be_well_as_far_as_it_was_tested() {
    let owping = |lost: &str, delays: &str| {
        format!(
            "--- owping statistics from [203.0.113.10]:8810 to [198.51.100.10]:8788 ---\nSID:\tcb00710aeb9e1f2a5c8d1f0e3a4b5c6d\n6000 sent, {lost}, 0 duplicates\none-way delay min/median/max = {delays} ms, (err=0.4 ms)\nno reordering\n"
        )
    };
    let pscheduler = |doubled: u32, most: &str| {
        format!(
            "$ pscheduler task latency --source a.example --dest b.example\nPacket Statistics\n-----------------\nPackets Sent ......... 600 packets\nPackets Received ..... 600 packets\nPackets Lost ......... 0 packets\nPackets Duplicated ... {doubled} packets\nPackets Reordered .... 0 packets\n\nOne-way Latency Statistics\n--------------------------\nDelay Median ......... 2.60 ms\nDelay Minimum ........ 2.51 ms\nDelay Maximum ........ {most} ms\n"
        )
    };
    let clean = "nothing is wrong on this way at this rate: ";
    for (text, says) in [
        (
            owping("0 lost (0.000%)", "12.1/12.2/12.4"),
            "all 6000 packets from 203.0.113.10 to 198.51.100.10 arrived, and their delays differ by 0.3 ms",
        ),
        (
            pscheduler(0, "2.71"),
            "all 600 packets from a.example to b.example arrived, and their delays differ by 0.2 ms",
        ),
    ] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
        assert!(flow.verdict.second.is_none(), "{:#?}", flow.verdict);
        let why = because(&flow);
        assert!(why.starts_with(clean) && why.contains(says), "{why}");
        assert!(why.contains("Not tested are the other way"), "{why}");
    }
    for text in [
        owping("14 lost (0.233%)", "12.1/12.2/12.4"),
        owping("0 lost (0.000%)", "12.1/40.2/92.4"),
        pscheduler(3, "2.71"),
        pscheduler(0, "82.1"),
    ] {
        let why = because(&first(&text));
        assert!(!why.contains(clean), "{why}");
    }
}
