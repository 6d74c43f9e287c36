//! Connections side by side of which some lose and others do not: a member of a group of links, or one of several paths.

use farpath_diagnose::{FlowReport, Known};

use crate::{because, commands, of, of_files, on};

/// A connection: its rate in Mbit/s, and segments sent again in each second.
type Stream = (f64, [u32; 10]);

/// A log of ten seconds of such connections, and what it closes with.
fn log(each: &[Stream]) -> String {
    let mut all = String::from("Connecting to host 192.0.2.7, port 5201\n");
    let id = |n: usize| 5 + 2 * n;
    for n in 0..each.len() {
        all += &format!(
            "[{:3}] local 192.0.2.1 port {} connected to 192.0.2.7 port 5201\n",
            id(n),
            41_000 + 2 * n
        );
    }
    all += "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n";
    let mut row = |id: &str, second: usize, mbps: f64, again: u32, cwnd: &str| {
        // Rates go up and down by a hundredth or two.
        let mbps = mbps * [1.0, 1.02, 0.98, 1.01, 0.99][second % 5];
        all += &format!(
            "[{id:>3}]   {second}.00-{}.00   sec  {:.0} MBytes  {mbps:.0} Mbits/sec  {again:3}   {cwnd}\n",
            second + 1,
            mbps / 8.388_608
        );
    };
    for second in 0..10 {
        for (n, (mbps, again)) in each.iter().enumerate() {
            row(
                &id(n).to_string(),
                second,
                *mbps,
                again[second],
                "1.41 MBytes",
            );
        }
        let (sum, again) = together(each, |again| again[second]);
        row("SUM", second, sum, again, "");
    }
    let mut end = |id: &str, mbps: f64, again: u32| {
        let bytes = mbps * 10.0 / 8_589.934_592;
        all += &format!(
            "[{id:>3}]   0.00-10.00  sec  {bytes:.2} GBytes  {mbps:.0} Mbits/sec  {again}             sender\n[{id:>3}]   0.00-10.03  sec  {bytes:.2} GBytes  {mbps:.0} Mbits/sec                  receiver\n"
        );
    };
    for (n, (mbps, again)) in each.iter().enumerate() {
        end(&id(n).to_string(), *mbps, again.iter().sum());
    }
    let (sum, again) = together(each, |again| again.iter().sum());
    end("SUM", sum, again);
    all + "\niperf Done.\n"
}

/// The rate of all, and what they sent again.
fn together(each: &[Stream], of: impl Fn(&[u32; 10]) -> u32) -> (f64, u32) {
    let rate = each.iter().map(|(mbps, _)| mbps).sum();
    (rate, each.iter().map(|(_, again)| of(again)).sum())
}

/// Of eight connections those of these numbers lose, and have this rate.
fn some(numbers: &[usize], mbps: f64, again: [u32; 10]) -> Vec<Stream> {
    let of = |n: usize| match numbers.contains(&n) {
        true => (mbps, again),
        false => (1170.0, [0; 10]),
    };
    (0..8).map(of).collect()
}

const OFTEN: [u32; 10] = [48, 31, 27, 52, 40, 33, 60, 38, 29, 41];

fn far() -> Known {
    Known {
        rtt: Some("20 ms".parse().expect("a time")),
        ..on("25 Gbit/s")
    }
}

#[test]
fn losses_of_one_connection_of_eight_are_of_a_member() {
    for known in [far(), on("25 Gbit/s"), Known::default()] {
        let flow = of(&log(&some(&[2], 310.0, OFTEN)), &known).flows.remove(0);
        assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
        let why = because(&flow);
        for words in [
            "399 of 399 segments sent again are of 1 of 8 connections side by side (port 41004)",
            "one member of a group of links (LAG) or one path of several (ECMP)",
        ] {
            assert!(why.contains(words), "{words}: {why}");
        }
        let commands = commands(&flow);
        for words in ["show interfaces", "ethtool -S", "--cport 41004"] {
            assert!(commands.contains(words), "{words}: {commands}");
        }
        assert!(
            !commands.contains("qdisc") && !commands.contains("bbr"),
            "{commands}"
        );
        let asked = flow.missing.iter().any(|m| m.fact == "member_errors");
        assert!(asked, "{:?}", flow.missing);
    }
}

#[test]
fn half_of_the_connections_may_share_the_member() {
    let flow = of(&log(&some(&[1, 3, 4, 6], 300.0, OFTEN)), &far())
        .flows
        .remove(0);
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(
        why.contains("4 of 8 connections side by side (ports "),
        "{why}"
    );
}

/// One interval of ten seconds: two of four connections lose all the time, and have a hundredth of the others' rate.
#[test]
fn losses_of_some_show_in_one_long_interval_too() {
    let mut log = String::from("Connecting to host 192.0.2.7, port 5201\n");
    for (id, port) in [(5, 40_002), (7, 40_004), (9, 40_006), (11, 40_008)] {
        log += &format!("[{id:3}] local 192.0.2.1 port {port} connected to 192.0.2.7 port 5201\n");
    }
    log += "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-10.00  sec  2.90 GBytes  2.49 Gbits/sec    0   9.1 MBytes
[  7]   0.00-10.00  sec  18.2 MBytes  15.3 Mbits/sec  212   35.1 KBytes
[  9]   0.00-10.00  sec  2.89 GBytes  2.48 Gbits/sec    0   9.0 MBytes
[ 11]   0.00-10.00  sec  17.1 MBytes  14.3 Mbits/sec  198   31.2 KBytes
[SUM]   0.00-10.00  sec  5.82 GBytes  5.00 Gbits/sec  410
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  2.90 GBytes  2.49 Gbits/sec    0             sender
[  5]   0.00-10.03  sec  2.90 GBytes  2.48 Gbits/sec                  receiver
[  7]   0.00-10.00  sec  18.2 MBytes  15.3 Mbits/sec  212             sender
[  7]   0.00-10.03  sec  18.0 MBytes  15.1 Mbits/sec                  receiver
[  9]   0.00-10.00  sec  2.89 GBytes  2.48 Gbits/sec    0             sender
[  9]   0.00-10.03  sec  2.89 GBytes  2.47 Gbits/sec                  receiver
[ 11]   0.00-10.00  sec  17.1 MBytes  14.3 Mbits/sec  198             sender
[ 11]   0.00-10.03  sec  17.0 MBytes  14.2 Mbits/sec                  receiver
[SUM]   0.00-10.00  sec  5.82 GBytes  5.00 Gbits/sec  410             sender
[SUM]   0.00-10.03  sec  5.81 GBytes  4.98 Gbits/sec                  receiver
";
    let flow = of(&log, &far()).flows.remove(0);
    let why = because(&flow);
    for words in [
        "410 of 410 segments sent again are of 2 of 4 connections side by side (ports 40004, 40008)",
        "one member of a group of links (LAG) or one path of several (ECMP)",
    ] {
        assert!(why.contains(words), "{words}: {why}");
    }
    assert!(!why.contains("hashes more of them"), "{why}");
    let asked = flow.missing.iter().find(|m| m.fact == "member_errors");
    assert!(asked.is_some(), "{:#?}", flow.missing);
}

/// Five segments of one connection, in several seconds or in one: no policer of all holds the other seven.
#[test]
fn few_losses_of_one_connection_make_no_policer() {
    for again in [
        [0, 0, 2, 0, 0, 1, 0, 2, 0, 0],
        [0, 0, 0, 5, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 5],
        [5, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ] {
        for known in [far(), on("25 Gbit/s"), on("100 Gbit/s"), Known::default()] {
            let flow = of(&log(&some(&[2], 1100.0, again)), &known).flows.remove(0);
            let second = flow.verdict.second.as_ref().map(|s| s.cause);
            for cause in [Some(flow.verdict.cause), second] {
                assert!(
                    !matches!(cause, Some("policer" | "shallow_buffer")),
                    "{again:?} {:#?}",
                    flow.verdict
                );
            }
        }
    }
}

/// Losses of all alike say nothing of a member.
#[test]
fn losses_of_all_connections_are_of_no_member() {
    let all: Vec<usize> = (0..8).collect();
    let flow = of(&log(&some(&all, 600.0, OFTEN)), &far()).flows.remove(0);
    assert!(
        !because(&flow).contains("one member"),
        "{:#?}",
        flow.verdict
    );
    assert!(flow.missing.iter().all(|m| m.fact != "member_errors"));
}

/// iperf3's JSON says the same of its streams.
#[test]
fn json_shows_which_connections_lost() {
    let streams = some(&[2], 310.0, OFTEN);
    let stream = |n: usize, second: Option<usize>| {
        let (mbps, again) = &streams[n];
        let (seconds, again) = match second {
            Some(second) => (1.0, again[second]),
            None => (10.0, again.iter().sum()),
        };
        let (bytes, bps) = (mbps * 125_000.0 * seconds, mbps * 1e6);
        format!(
            "{{\"socket\":{},\"bytes\":{bytes},\"bits_per_second\":{bps},\"retransmits\":{again},\"omitted\":false}}",
            5 + 2 * n
        )
    };
    let each = |second| {
        (0..8)
            .map(|n| stream(n, second))
            .collect::<Vec<_>>()
            .join(",")
    };
    let connected = (0..8).map(|n| {
        format!("{{\"socket\":{},\"local_host\":\"192.0.2.1\",\"local_port\":{},\"remote_host\":\"192.0.2.7\",\"remote_port\":5201}}", 5 + 2 * n, 41_000 + 2 * n)
    });
    let (mbps, again) = together(&streams, |again| again.iter().sum());
    let sum = |from: usize, until: usize, again: u32| {
        format!(
            "{{\"start\":{from},\"end\":{until},\"seconds\":{},\"bytes\":{},\"bits_per_second\":{},\"retransmits\":{again},\"omitted\":false}}",
            until - from,
            mbps * 125_000.0 * (until - from) as f64,
            mbps * 1e6
        )
    };
    let intervals = (0..10).map(|s| {
        let again = together(&streams, |again| again[s]).1;
        format!(
            "{{\"streams\":[{}],\"sum\":{}}}",
            each(Some(s)),
            sum(s, s + 1, again)
        )
    });
    let ends = (0..8).map(|n| {
        format!(
            "{{\"sender\":{},\"receiver\":{}}}",
            stream(n, None),
            stream(n, None)
        )
    });
    let json = format!(
        "{{\"start\":{{\"connected\":[{}],\"test_start\":{{\"protocol\":\"TCP\",\"reverse\":0}}}},\"intervals\":[{}],\"end\":{{\"streams\":[{}],\"sum_sent\":{},\"sum_received\":{}}}}}",
        connected.collect::<Vec<_>>().join(","),
        intervals.collect::<Vec<_>>().join(","),
        ends.collect::<Vec<_>>().join(","),
        sum(0, 10, again),
        sum(0, 10, again)
    );
    let flow = of_files(&[("test.json", json.as_str())], &far())
        .flows
        .remove(0);
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    assert!(
        because(&flow).contains("1 of 8 connections side by side (port 41004)"),
        "{}",
        because(&flow)
    );
}

/// Tests of one loop that are fast and slow by turns: a queue or a policer common to all would hold all.
#[test]
fn tests_that_are_slow_by_turns_are_of_a_member() {
    let row = |mbytes: u32, mbit: u32, again: u32| {
        format!(
            "[  5]   0.00-5.00   sec  {mbytes} MBytes  {mbit} Mbits/sec  {again}             sender\n[  5]   0.00-5.00   sec  {mbytes} MBytes  {mbit} Mbits/sec                  receiver\n"
        )
    };
    let (fast, slow) = (row(5580, 9370, 0), row(299, 502, 4211));
    let errors = "sw-b#show interfaces counters errors\nPort         FCS  Align   Symbol     Rx   Runts   Giants     Tx\nEt49           0      0        0      0       0        0      0\nEt50      182231      0   182231 182231       0        0      0\n";
    let group = "sw-b#show port-channel 1 detailed\nPort Channel Port-Channel1 (Fallback State: Unconfigured):\n  Minimum links: unconfigured\n  Active Ports:\n      Port            Time Became Active       Protocol       Mode      Weight\n    --------------- ------------------------ -------------- ------------ ------\n      Ethernet49      Mon Nov  2 08:11:00         LACP          Active      0\n      Ethernet50      Mon Nov  2 08:11:02         LACP          Active      0\n\n";
    let run = "srv1:~$ for p in 5001 5002 5003 5004; do iperf3 -c 10.2.0.8 --cport $p -t 5 | grep -E \"sender|receiver\"; done\n";
    let slow_flow = |text: &str| {
        let d = of(text, &Known::default());
        let is_it = |f: &&FlowReport| f.observed.goodput_bps.is_some_and(|bps| bps < 1e9);
        d.flows.iter().find(is_it).cloned().expect("a slow one")
    };
    let by_turns = format!("{run}{fast}{slow}{fast}{slow}");
    let flow = slow_flow(&format!("{errors}{group}{by_turns}"));
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let why = flow.verdict.because.join("\n");
    assert!(
        why.contains("of 4 tests of one command 2 got 502 Mbit/s at most"),
        "{why}"
    );
    assert!(
        why.contains("Et50 of sw-b alone counts damaged frames, 182231"),
        "{why}"
    );
    // What begins once and lasts may be of others.
    let later = slow_flow(&format!("{run}{fast}{fast}{slow}{slow}"));
    assert!(!later.verdict.because.join("\n").contains("by turns"));
}
