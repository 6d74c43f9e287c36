//! Texts as people paste them: in mail that breaks lines, in other languages, with columns left out, and what tools print when they fail.

use farpath_diagnose::{Known, Source, read};

use crate::{of, of_files, on};

/// The value of the last number of this name.
fn number(text: &str, name: &str) -> Option<f64> {
    let facts = read(&[Source {
        name: "ticket.txt".to_owned(),
        bytes: text.as_bytes().to_vec(),
    }]);
    let found = facts.facts.iter().rev().find(|f| f.name == name)?;
    match &found.value {
        farpath_diagnose::Value::Number(figure) => Some(figure.value),
        farpath_diagnose::Value::Word(_) => None,
    }
}

/// Mail breaks a row before its unit and a closing row before the word behind it. 55.0 Mbit/s arrived, and not twice that.
#[test]
fn rows_that_mail_broke_are_one_test() {
    let text = "\
> [  5] local 10.1.2.3 port 51234 connected to 10.9.8.7 port
> 5201
> [ ID] Interval           Transfer     Bitrate
> [  5]   0.00-1.00   sec  6.31 MBytes  52.9
> Mbits/sec
> [  5]   1.00-2.00   sec  6.62 MBytes  55.5
> Mbits/sec
> [ ID] Interval           Transfer     Bitrate         Retr
> [  5]   0.00-2.04   sec  13.2 MBytes  54.3 Mbits/sec    0
> sender
> [  5]   0.00-2.00   sec  12.9 MBytes  54.2 Mbits/sec
> receiver
";
    let d = of(text, &Known::default());
    assert_eq!(d.flows.len(), 1);
    assert_eq!(d.flows[0].observed.goodput_bps, Some(54.2e6));
    assert_eq!(d.flows[0].name, "10.9.8.7 > 10.1.2.3");
    assert!(d.read.iter().all(|p| p.ignored_lines.is_empty()));
}

/// Windows and Linux translate the words of ping; names of fields, order and arithmetic stay.
#[test]
fn pings_of_other_languages_are_read() {
    let german = "\
Antwort von 10.9.8.7: Bytes=32 Zeit=37ms TTL=118
Antwort von 10.9.8.7: Bytes=32 Zeit=38ms TTL=118
    Pakete: Gesendet = 4, Empfangen = 3, Verloren = 1
    (25% Verlust),
    Minimum = 37ms, Maximum = 41ms, Mittelwert = 38ms
";
    let spanish = "    Mínimo = 37ms, Máximo = 41ms, Media = 38ms\n";
    let french = "Réponse de 10.9.8.7 : octets=32 temps=38 ms TTL=118\n";
    for text in [german, spanish, french] {
        assert_eq!(number(text, "rtt_avg_ns"), Some(38e6), "{text}");
    }
    assert_eq!(number(german, "rtt_max_ns"), Some(41e6));
    assert_eq!(number(german, "ping_sent"), Some(4.0));
    assert_eq!(number(german, "ping_received"), Some(3.0));
    let commas = "\
64 Bytes von 10.9.8.7: icmp_seq=1 ttl=117 Zeit=11,3 ms
200 Pakete übertragen, 199 empfangen, 0,5% Paketverlust, Zeit 1001ms
rtt min/avg/max/mdev = 11,300/11,400/11,500/0,100 ms
";
    assert_eq!(number(commas, "rtt_avg_ns"), Some(11.4e6));
    assert_eq!(number(commas, "ping_received"), Some(199.0));
    // Numbers that do not add up are not counts of packets.
    let prose = "Paths: Sent = 4, Received = 4, Lost = 3\na = 9ms, b = 3ms, c = 5ms\n";
    assert_eq!(number(prose, "ping_sent"), None);
    assert_eq!(number(prose, "rtt_avg_ns"), None);
}

/// A hop in the middle that answers few pings loses nothing of what it forwards: the last one counts, whatever stands between.
#[test]
fn losses_of_a_trace_are_those_of_its_last_hop() {
    let text = "\
HOST: laptop                      Loss%   Snt   Last   Avg  Best  Wrst StDev
  1.|-- 192.168.1.1                0.0%    50    1.1   1.4   0.9   3.2   0.7
  2.|-- 203.0.113.1               60.0%    50    9.2   9.9   8.1  14.0   1.9
    |  `|-- 203.0.113.5
  3.|-- ???                       100.0    50    0.0   0.0   0.0   0.0   0.0
  4.|-- 198.51.100.5               0.0%    50   30.2  30.8  29.9  35.7   1.1
";
    assert_eq!(number(text, "ping_received"), Some(50.0));
    assert_eq!(number(text, "rtt_min_ns"), Some(29.9e6));
    assert_eq!(number(text, "hops"), Some(4.0));
}

/// `ss state established` prints no column of states, `tc … dev eth0` no interface, `nstat | grep` no title.
#[test]
fn columns_that_are_left_out_are_not_missed() {
    let ss = "\
Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
0      2896000 192.0.2.1:40000     192.0.2.5:5201  timer:(on,220ms,0)
\t ts sack cubic wscale:7,10 rto:281 rtt:80.4/0.2 mss:1448 cwnd:1450 bytes_acked:750000000 busy:30000ms sndbuf_limited:28500ms(95.0%) minrtt:80.1
";
    let d = of(ss, &Known::default());
    assert_eq!(d.flows[0].name, "192.0.2.1 > 192.0.2.5");
    assert_eq!(d.flows[0].verdict.cause, "send_buffer");
    let tc = "qdisc tbf 8001: root refcnt 2 rate 20Mbit burst 1600b lat 50.0ms\n Sent 1 bytes 1 pkt (dropped 4321, overlimits 2 requeues 0)\n";
    assert_eq!(number(tc, "shaper_bps"), Some(20e6));
    assert_eq!(number(tc, "qdisc_drops"), Some(4321.0));
    let nstat = "TcpRetransSegs                  1234               0.0\nTcpExtPruneCalled               77                 0.0\n";
    assert_eq!(number(nstat, "host_pruned"), Some(77.0));
    let iperf2 = "\
[ ID] Interval       Transfer     Bandwidth        Write/Err  Rtry     Cwnd/RTT(var)        NetPwr
[  1] 0.00-1.00 sec  10.2 MBytes  85.5 Mbits/sec  82/0         0       912K/85321(102) us  125.33
[  1] 0.00-1.08 sec  10.3 MBytes  82.5 Mbits/sec  83/0         0       912K/85310(95) us  120.90
";
    let facts = read(&[Source {
        name: "log".to_owned(),
        bytes: iperf2.as_bytes().to_vec(),
    }]);
    let test = &facts.tests[0];
    assert_eq!(test.sent.as_ref().map(|r| r.goodput.value), Some(82.5e6));
    // Losses and windows of intervals, as iperf3 has them: 912 KiB.
    assert_eq!(test.rows[0].retransmits, Some(0.0));
    assert_eq!(test.rows[0].cwnd, Some(933_888.0));
}

/// pScheduler's table, of two connections, and flent's summary.
#[test]
fn tables_for_people_are_read_as_their_json_is() {
    let text = "\
* Stream ID 5
Interval       Throughput     Retransmits    Current Window
0.0 - 1.0      512.41 Mbps    3              3.20 MBytes
1.0 - 2.0      611.22 Mbps    0              3.20 MBytes

* Stream ID 7
Interval       Throughput     Retransmits    Current Window
0.0 - 1.0      412.00 Mbps    1              3.10 MBytes
1.0 - 2.0      511.00 Mbps    0              3.10 MBytes

Summary
Interval       Throughput     Retransmits    Receiver Throughput
0.0 - 2.0      1.02 Gbps      4              1.01 Gbps
";
    let facts = read(&[Source {
        name: "p".to_owned(),
        bytes: text.as_bytes().to_vec(),
    }]);
    let [test] = &facts.tests[..] else {
        panic!("{:#?}", facts.tests)
    };
    assert_eq!((test.tool, test.streams), ("pscheduler", 2));
    let near = |value: f64, expected: f64| (value / expected - 1.0).abs() < 1e-9;
    assert!(near(test.rows[0].bps, 924.41e6), "{:?}", test.rows[0]);
    assert_eq!(test.rows[0].retransmits, Some(4.0));
    let received = test.received.as_ref().map_or(0.0, |r| r.goodput.value);
    assert!(near(received, 1.01e9), "{received}");
    let flent = "\
Summary of tcp_download test run from 2026-10-01 10:00:00
  Title: 'home'

                             avg       median          # data pts
 Ping (ms) ICMP   :        88.12        92.40 ms              350
 TCP download     :        18.20        18.42 Mbits/s         301
";
    let d = of(flent, &Known::default());
    let rate = d.flows[0].observed.goodput_bps.unwrap_or(0.0);
    assert!(near(rate, 18.2e6), "{rate}");
    assert_eq!(d.flows[0].observed.rtt_ns, Some(92.4e6));
}

/// What a tool could not do is said in its words, and nothing is made of it.
#[test]
fn errors_of_tools_are_said() {
    let texts = [
        "iperf3: error - unable to connect to server: Connection refused\n",
        "{\"start\": {\"connected\": []}, \"intervals\": [], \"end\": {}, \"error\": \"unable to connect to server: Connection refused\"}\n",
        "{\"event\":\"error\",\"data\":\"unable to connect to server: Connection refused\"}\n",
    ];
    for text in texts {
        let d = of(text, &Known::default());
        assert!(d.flows[0].observed.goodput_bps.is_none(), "{text}");
        let said = d.notes.join("\n");
        assert!(
            said.contains("iperf3 says: unable to connect"),
            "{text}: {said}"
        );
    }
}

/// A kernel that waited for the receiver's window for most of its time was not held by losses, nor by a queue that others filled.
#[test]
fn a_window_that_was_full_for_most_of_the_time_is_the_limit() {
    let text = "{\"TCPInfo\":{\"BusyTime\":9400000,\"BytesAcked\":61000000,\"BytesSent\":61100000,\"BytesRetrans\":120000,\"ElapsedTime\":9500000,\"MinRTT\":38000,\"RTT\":52000,\"RWndLimited\":8000000,\"SndBufLimited\":0,\"SndMSS\":1428},\"Origin\":\"server\",\"Test\":\"download\"}\n";
    let d = of(text, &Known::default());
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "receive_window", "{verdict:#?}");
    assert!(verdict.confidence >= 0.4, "{verdict:#?}");
}

/// Without a rate no cause limits it; what an interface says stands all the same.
#[test]
fn faults_of_interfaces_are_said_without_a_rate() {
    let text = "Settings for eth0:\n\tSpeed: 100Mb/s\n\tDuplex: Half\n\tLink detected: yes\n";
    let verdict = &of(text, &Known::default()).flows[0].verdict;
    assert_eq!(verdict.cause, "unknown");
    let because = verdict.because.join("\n");
    assert!(because.contains("half duplex"), "{because}");
}

/// `netsh` behind the prompt of the Windows host that sends says nothing of the host that receives.
#[test]
fn settings_behind_the_senders_prompt_are_the_senders() {
    let text = "\
C:\\> netsh interface tcp show global
TCP Global Parameters
----------------------------------------------
Receive Window Auto-Tuning Level    : disabled
C:\\>iperf3.exe -c 192.0.2.7 -t 3
[  4]   0.00-3.00   sec  7.50 MBytes  21.0 Mbits/sec                  sender
[  4]   0.00-3.00   sec  7.50 MBytes  20.9 Mbits/sec                  receiver
rtt min/avg/max/mdev = 25.0/25.0/25.0/0.0 ms
";
    let flow = &of(text, &Known::default()).flows[0];
    assert!(
        flow.ceilings.iter().all(|c| c.cause != "receive_window"),
        "{:#?}",
        flow.ceilings
    );
    // Fetched by the same host, they are the receiver's.
    let fetched = text.replace("-t 3", "-t 3 -R");
    let flow = &of(&fetched, &Known::default()).flows[0];
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let commands = flow.changes[0].commands.join("\n");
    assert!(!commands.contains("sysctl"), "{commands}");
}

/// Eight connections side by side: which kind of loss it is, is not said as surely as of one.
#[test]
fn kinds_of_loss_of_many_connections_are_said_with_care() {
    let mut text = String::from("iperf3 -c 198.51.100.2 -P 8\n");
    for n in 0..10 {
        let (mbit, again) = [(400, 220), (310, 0), (360, 90)][n % 3];
        text += &format!(
            "[SUM]   {n}.00-{}.00   sec  {:.1} MBytes  {mbit} Mbits/sec  {again}\n",
            n + 1,
            f64::from(mbit) / 8.388_608
        );
    }
    text += "[SUM]   0.00-10.00  sec   430 MBytes   361 Mbits/sec  1150             sender\n[SUM]   0.00-10.00  sec   428 MBytes   359 Mbits/sec                  receiver\n";
    let ping = "20 packets transmitted, 20 received, 0% packet loss\nrtt min/avg/max/mdev = 19.9/20.0/20.3/0.1 ms\n";
    let d = of_files(&[("log.txt", &text), ("ping.txt", ping)], &on("1 Gbit/s"));
    assert!(
        d.flows[0].verdict.confidence <= 0.6,
        "{:#?}",
        d.flows[0].verdict
    );
}

/// A client that was interrupted prints that nothing arrived: the other end's report never came.
#[test]
fn an_interrupted_test_has_the_senders_rate() {
    let text = "\
[  5] local 192.0.2.1 port 40000 connected to 192.0.2.5 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   112 MBytes   940 Mbits/sec    3    450 KBytes
^C[  5]   1.00-1.64   sec  71.2 MBytes   934 Mbits/sec    0    450 KBytes
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-1.64   sec   183 MBytes   938 Mbits/sec    3             sender
[  5]   0.00-1.64   sec  0.00 Bytes  0.00 bits/sec                  receiver
iperf3: interrupt - the client has terminated
";
    let d = of(text, &on("1 Gbit/s"));
    let flow = &d.flows[0];
    assert_eq!(flow.observed.goodput_bps, Some(938e6), "{flow:#?}");
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(
        d.notes
            .join("")
            .contains("iperf3 says: the client has terminated")
    );
}

/// Rows of a sender are iperf3's own by their columns, so that the head may be missing. Without any rows, more than a socket's
/// buffer holds was sent: it left the host.
#[test]
fn an_interrupted_test_needs_no_head() {
    let rows = "\
[  5]   0.00-1.00   sec  5.12 MBytes  43.0 Mbits/sec    0    540 KBytes
[  5]   1.00-2.00   sec  5.00 MBytes  41.9 Mbits/sec    0    512 KBytes
";
    let reports = "\
[  5]   0.00-2.32   sec  11.6 MBytes  42.0 Mbits/sec    0             sender
[  5]   0.00-2.32   sec  0.00 Bytes  0.00 bits/sec                  receiver
";
    for text in [format!("{rows}{reports}"), reports.to_owned()] {
        let d = of(&text, &on("1 Gbit/s"));
        let flow = &d.flows[0];
        assert_eq!(flow.observed.goodput_bps, Some(42e6), "{flow:#?}");
        assert_ne!(flow.verdict.cause, "mtu_black_hole", "{text}");
    }
    let d = of(rows, &on("1 Gbit/s"));
    assert_eq!(d.flows.len(), 1, "rows alone are a test that goes on");
}

/// `-O 1`: the second that is left out has the same times as the first one that counts, and is not added to it.
#[test]
fn intervals_that_are_left_out_are_not_added() {
    let text = "\
[  5] local 192.0.2.1 port 40000 connected to 192.0.2.5 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  80.0 MBytes   671 Mbits/sec   90    450 KBytes       (omitted)
[  5]   0.00-1.00   sec   112 MBytes   940 Mbits/sec    0    450 KBytes
[  5]   1.00-2.00   sec   112 MBytes   939 Mbits/sec    0    450 KBytes
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-2.00   sec   224 MBytes   940 Mbits/sec    0             sender
[  5]   0.00-2.04   sec   223 MBytes   938 Mbits/sec                  receiver
";
    let facts = read(&[Source {
        name: "log".to_owned(),
        bytes: text.as_bytes().to_vec(),
    }]);
    let rates: Vec<f64> = facts.tests[0].rows.iter().map(|r| r.bps).collect();
    assert_eq!(rates, [940e6, 939e6]);
}

/// The JSON of `--bidir` has each direction's sums, and twice the connections.
#[test]
fn both_directions_of_json_are_flows() {
    let end = |port: u16| {
        format!(
            "{{\"socket\": {port}, \"local_host\": \"192.0.2.1\", \"local_port\": {port}, \"remote_host\": \"192.0.2.5\", \"remote_port\": 5201}}"
        )
    };
    let sum = |bps: f64| {
        format!(
            "{{\"start\": 0, \"end\": 2, \"seconds\": 2, \"bytes\": {}, \"bits_per_second\": {bps}, \"retransmits\": 7}}",
            bps / 4.0
        )
    };
    let text = format!(
        "{{\"start\": {{\"connected\": [{}, {}], \"test_start\": {{\"protocol\": \"TCP\", \"reverse\": 0, \"bidir\": 1}}}}, \"intervals\": [{{\"streams\": [{{\"snd_cwnd\": 400000, \"rtt\": 900, \"sender\": true}}, {{\"sender\": false}}], \"sum\": {}, \"sum_bidir_reverse\": {}}}], \"end\": {{\"sum_sent\": {}, \"sum_received\": {}, \"sum_sent_bidir_reverse\": {}, \"sum_received_bidir_reverse\": {}}}}}",
        end(40_000),
        end(40_002),
        sum(936e6),
        sum(93e6),
        sum(936e6),
        sum(934e6),
        sum(94e6),
        sum(93e6)
    );
    let d = of(&text, &on("1 Gbit/s"));
    let of_flow = |name: &str| {
        let flow = d.flows.iter().find(|f| f.name == name);
        flow.and_then(|f| f.observed.goodput_bps)
    };
    assert_eq!(of_flow("192.0.2.1 > 192.0.2.5"), Some(934e6));
    assert_eq!(of_flow("192.0.2.5 > 192.0.2.1"), Some(93e6));
    let facts = read(&[Source {
        name: "log".to_owned(),
        bytes: text.into_bytes(),
    }]);
    assert!(facts.tests.iter().all(|t| t.streams == 1));
}

/// `-u --bidir`: what comes back is datagrams, too, with losses of its own. A test that was ended has no sums, and is of one stream each way.
#[test]
fn both_directions_of_datagrams_are_datagrams() {
    let end = |port: u16| {
        format!(
            r#"{{"socket": {port}, "local_host": "192.0.2.1", "local_port": {port}, "remote_host": "192.0.2.5", "remote_port": 5201}}"#
        )
    };
    let sum = |bps: f64, lost: u32| {
        format!(
            r#"{{"start": 0, "end": 2, "seconds": 2, "bytes": {}, "bits_per_second": {bps}, "lost_packets": {lost}, "packets": 20000}}"#,
            bps / 4.0
        )
    };
    let start = format!(
        r#""start": {{"connected": [{}, {}], "test_start": {{"protocol": "UDP", "reverse": 0, "bidir": 1}}}}"#,
        end(40_000),
        end(40_002)
    );
    let interval = format!(
        r#"{{"streams": [], "sum": {}, "sum_bidir_reverse": {}}}"#,
        sum(100e6, 0),
        sum(80e6, 4000)
    );
    let [there, back] = [sum(100e6, 0), sum(80e6, 4000)];
    let sums = format!(
        r#"{{"sum": {there}, "sum_sent": {there}, "sum_received": {there}, "sum_bidir_reverse": {back}, "sum_sent_bidir_reverse": {}, "sum_received_bidir_reverse": {back}}}"#,
        sum(100e6, 0)
    );
    for sums in [sums, "{}".to_owned()] {
        let ended = sums != "{}";
        let text = format!(r#"{{{start}, "intervals": [{interval}], "end": {sums}}}"#);
        let facts = read(&[Source {
            name: "log".to_owned(),
            bytes: text.into_bytes(),
        }]);
        assert_eq!(facts.tests.len(), 2, "{:#?}", facts.tests);
        assert!(facts.tests.iter().all(|t| t.udp && t.streams == 1));
        let came_back = facts.tests.iter().find(|t| t.from.host == "192.0.2.5");
        let numbers = &came_back.expect("the way back").numbers;
        let lost = numbers.get("datagrams_lost").map(|l| l.value);
        assert_eq!(lost, ended.then_some(4000.0));
    }
}

/// Interfaces dropped as many packets as segments were sent again: the path has lost nothing.
#[test]
fn drops_at_an_interface_explain_as_many_repetitions() {
    let mut text = String::from("iperf3 -c 10.52.0.12\n");
    for (n, again) in [912, 402, 688, 510, 377, 401, 388, 420, 395]
        .iter()
        .enumerate()
    {
        let from = n as f64;
        text += &format!(
            "[  5]   {from:.2}-{:.2}   sec   540 MBytes  4.53 Gbits/sec  {again}    803 KBytes\n",
            from + 1.0
        );
    }
    text += "[  5]   0.00-9.00   sec  4.75 GBytes  4.53 Gbits/sec 4493             sender\n[  5]   0.00-9.00   sec  4.75 GBytes  4.53 Gbits/sec                  receiver\n";
    text += "NIC statistics:\n     rx_missed_errors: 4470\n";
    let verdict = &of(&text, &on("10 Gbit/s")).flows[0].verdict;
    assert_eq!(verdict.cause, "nic", "{verdict:#?}");
}

/// Seconds in which one segment is sent again and again and nothing passes are not chance, whose share here is half a percent.
#[test]
fn seconds_without_anything_are_not_random_loss() {
    let rows = [
        (57.9, 11, 42.8),
        (17.6, 4, 1.41),
        (0.0, 3, 1.41),
        (0.0, 1, 1.41),
        (0.0, 1, 1.41),
        (4.4, 48, 40.2),
        (82.2, 0, 91.0),
        (0.0, 4, 1.41),
    ];
    let mut text = String::from(
        "[  5] local 10.0.3.1 port 20111 connected to 10.0.3.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
    );
    for (n, (mbit, again, cwnd)) in rows.iter().enumerate() {
        let from = n as f64;
        text += &format!(
            "[  5]   {from:.2}-{:.2}   sec  {:.2} MBytes  {mbit:.1} Mbits/sec   {again}   {cwnd} KBytes\n",
            from + 1.0,
            mbit / 8.388_608
        );
    }
    text += "[  5]   0.00-8.00   sec  19.3 MBytes  20.3 Mbits/sec   72             sender\n[  5]   0.00-8.02   sec  18.9 MBytes  19.8 Mbits/sec                  receiver\n";
    let verdict = &of(&text, &on("100 Mbit/s")).flows[0].verdict;
    let kinds = [
        "random_loss",
        "policer",
        "shallow_buffer",
        "congestion_loss",
    ];
    assert!(!kinds.contains(&verdict.cause), "{verdict:#?}");
    let because = verdict.because.join("\n");
    assert!(
        because.contains("for 3.0 s from 2.0 s on nothing arrived"),
        "{because}"
    );
}

/// A sender that counts 60 times what arrived: the receiver's 94.8 Mbit/s are a port of 100 Mbit/s, without the 12 bytes of timestamps.
#[test]
fn what_a_sender_claims_says_nothing_of_the_path() {
    let text = "\
[  4] local 192.168.7.72 port 50210 connected to 192.168.7.37 port 5201
[ ID] Interval           Transfer     Bandwidth
[  4]   0.00-1.00   sec   690 MBytes  5.79 Gbits/sec
[  4]   1.00-2.00   sec   550 MBytes  4.61 Gbits/sec
[  4]   2.00-3.00   sec   701 MBytes  5.88 Gbits/sec
[  4]   3.00-4.00   sec   590 MBytes  4.95 Gbits/sec
[  4]   4.00-5.00   sec   755 MBytes  6.33 Gbits/sec
[ ID] Interval           Transfer     Bandwidth
[  4]   0.00-5.00   sec  3.28 GBytes  5.63 Gbits/sec                  sender
[  4]   0.00-5.00   sec  56.5 MBytes  94.8 Mbits/sec                  receiver
";
    let verdict = &of(text, &on("1 Gbit/s")).flows[0].verdict;
    assert_eq!(verdict.cause, "link", "{verdict:#?}");
}

/// Sockets that stand behind a line of ethtool are not values of it.
#[test]
fn columns_behind_a_setting_are_another_tools() {
    let text = "\
Speed: 1000Mb/s
tcp    ESTAB 0      3512320     10.0.0.1:44022   10.9.9.9:443   users:((\"nginx\",pid=11,fd=3))
\t cubic wscale:9,7 rto:304 rtt:103.21/0.4 mss:1448 cwnd:10 bytes_acked:1218920 delivery_rate 1122400bps busy:1100ms minrtt:102.9
";
    assert_eq!(
        of(text, &Known::default()).flows[0].name,
        "10.0.0.1 > 10.9.9.9"
    );
}

/// A line that is only guessed at by its usual rate says so.
#[test]
fn a_line_that_nobody_named_is_said_to_be_a_guess() {
    let text = "[  5]   0.00-10.00  sec  1.09 GBytes   939 Mbits/sec    0             sender\n[  5]   0.00-10.00  sec  1.09 GBytes   938 Mbits/sec                  receiver\n";
    let verdict = &of(text, &Known::default()).flows[0].verdict;
    assert_eq!(verdict.cause, "link", "{verdict:#?}");
    let because = verdict.because.join("\n");
    assert!(
        because.contains("nobody said how fast the line is"),
        "{because}"
    );
    // One that was said, and that the rate is above, is not it.
    let verdict = &of(text, &on("500 Mbit/s")).flows[0].verdict;
    let because = verdict.because.join("\n");
    assert_eq!(verdict.cause, "link", "{verdict:#?}");
    let above = "the rate is above the 500 Mbit/s that the line was said to have";
    assert!(because.contains(above), "{because}");
    assert!(!because.contains("nobody said how fast"), "{because}");
}

/// Large pings that are all lost, beside small ones that are not, are said without a rate too.
#[test]
fn large_pings_that_are_lost_are_said_without_a_rate() {
    let text = "\
PING 10.241.7.9 (10.241.7.9): 2700 data bytes
3 packets transmitted, 0 packets received, 100.0% packet loss
PING 10.241.7.9 (10.241.7.9): 1200 data bytes
3 packets transmitted, 3 packets received, 0.0% packet loss
round-trip min/avg/max/stddev = 9.102/9.341/9.612/0.180 ms
";
    let because = of(text, &Known::default()).flows[0]
        .verdict
        .because
        .join("\n");
    assert!(
        because.contains("pings of 2728 bytes are all lost"),
        "{because}"
    );
}
