//! A path that changed in mid-test, as the pings beside it show.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::{because, first_flow, of, of_files, on};

/// The receiver's setting: half of it is window, 6.29 MB.
const RMEM: &str = "$ sysctl net.ipv4.tcp_rmem\nnet.ipv4.tcp_rmem = 4096 131072 12582912\n";

/// Read in the second part of the test: the window is full.
const SS: &str = "$ ss -tin dst 198.51.100.20\nState Recv-Q Send-Q Local Address:Port Peer Address:Port Process\nESTAB 0      9450000 192.0.2.10:41022 198.51.100.20:5201\n\t cubic wscale:14,14 rto:288 rtt:84.7/0.1 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:5480 ssthresh:5480 bytes_sent:1640000000 bytes_retrans:5792 bytes_acked:1633000000 segs_out:1132700 segs_in:530110 data_segs_out:1132690 send 749000000bps lastrcv:9000 pacing_rate 899000000bps delivery_rate 596000000bps delivered:1128300 busy:9000ms rwnd_limited:8650ms(96.1%) unacked:4345 retrans:0/4 rcv_space:14480 rcv_ssthresh:64088 notsent:3178000 minrtt:20.1 snd_wnd:6291456\n";

/// A log of these rates, Mbit/s: four segments are sent again in the fifth second.
fn log(rates: [f64; 10]) -> String {
    let mut text = "$ iperf3 -c 198.51.100.20 -t 10\n[  5] local 192.0.2.10 port 41022 connected to 198.51.100.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    for (n, rate) in rates.iter().enumerate() {
        let again = if n == 4 { 4 } else { 0 };
        text += &format!(
            "[  5]  {n}.00-{}.00  sec  {:.0} MBytes  {rate} Mbits/sec    {again}   7.92 MBytes\n",
            n + 1,
            rate / 8.388_608
        );
    }
    let mean = rates.iter().sum::<f64>() / 10.0;
    let bytes = mean * 10.0 / 8.388_608;
    text + &format!(
        "[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  {bytes:.0} MBytes  {mean:.0} Mbits/sec    4             sender\n[  5]   0.00-10.10  sec  {bytes:.0} MBytes  {mean:.0} Mbits/sec                  receiver\n"
    )
}

/// Ten pings, the first four of the first round trip and TTL.
fn pings(times: [f64; 2], ttls: [u32; 2]) -> String {
    let mut text =
        "$ ping -c 10 198.51.100.20\nPING 198.51.100.20 (198.51.100.20) 56(84) bytes of data.\n"
            .to_owned();
    for n in 0..10 {
        let part = usize::from(n >= 4);
        text += &format!(
            "64 bytes from 198.51.100.20: icmp_seq={} ttl={} time={} ms\n",
            n + 1,
            ttls[part],
            times[part]
        );
    }
    let mean = 0.4 * times[0] + 0.6 * times[1];
    let (least, most) = (times[0].min(times[1]), times[0].max(times[1]));
    text + &format!(
        "\n--- 198.51.100.20 ping statistics ---\n10 packets transmitted, 10 received, 0% packet loss, time 9012ms\nrtt min/avg/max/mdev = {least}/{mean:.3}/{most}/31.6 ms\n"
    )
}

fn flow(text: &str) -> FlowReport {
    first_flow(of(text, &on("10Gbit/s")))
}

const STEPS: [f64; 10] = [
    2470.0, 2520.0, 2510.0, 2520.0, 1170.0, 596.0, 597.0, 596.0, 596.0, 597.0,
];

/// 2.51 Gbit/s · 20.1 ms and 596 Mbit/s · 84.6 ms are 6.3 MB both, the window: what it leaves now goes by the 84.6 ms.
#[test]
fn a_fixed_window_on_a_path_that_became_longer_is_the_window() {
    let text = log(STEPS) + &pings([20.1, 84.6], [55, 51]);
    for text in [text.clone(), text + SS] {
        let files = [("sender.txt", text.as_str()), ("receiver.txt", RMEM)];
        let flow = first_flow(of_files(&files, &on("10Gbit/s")));
        assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
        let why = because(&flow);
        for part in ["RTT 20.1 ms to 84.6 ms, TTL 55 to 51", "6.3 MB in flight"] {
            assert!(why.contains(part), "{part}: {why}");
        }
        assert!(!why.contains("148225"), "{why}");
        let rate = flow.observed.goodput_bps.expect("it was measured");
        assert!((590e6..600e6).contains(&rate), "{rate}");
        let window = flow.ceilings.iter().find(|c| c.cause == "receive_window");
        let window = window.expect("its setting is known");
        assert!((590e6..660e6).contains(&window.limit_bps), "{window:?}");
        let change = flow.changes.first().expect("the window is to grow");
        assert!(
            change.commands.join("\n").contains("tcp_rmem"),
            "{change:?}"
        );
        assert!(
            change.predicted_bps.is_some_and(|bps| bps > 5e9),
            "{change:?}"
        );
    }
}

/// Where the rate stays the window is not what the change shows, and where it steps by another ratio neither.
#[test]
fn a_change_that_the_rate_does_not_follow_says_nothing_of_windows() {
    let mut half = STEPS;
    half[5..].fill(1200.0);
    for rates in [[2510.0; 10], half] {
        let flow = flow(&(log(rates) + &pings([20.1, 84.6], [55, 51]) + RMEM));
        let why = because(&flow);
        assert!(!why.contains("in flight, which a window holds"), "{why}");
        assert!(why.contains("the route changed, as the TTL"), "{why}");
        let rate = flow.observed.goodput_bps.expect("it was measured");
        assert!(rate > 1.3e9, "{rate}");
    }
}

/// Another TTL alone is said, and nothing is made of it.
#[test]
fn a_ttl_that_changes_for_good_is_said() {
    let flow = flow(&(log([2510.0; 10]) + &pings([20.1, 20.2], [55, 51]) + RMEM));
    let why = because(&flow);
    assert!(why.contains("changed from 55 to 51 and stayed so"), "{why}");
}

/// Ten pings of host B from host A, of which the closing lines were pasted alone, milliseconds.
fn closing(ms: u32, comment: &str) -> String {
    format!(
        "A$ ping -c 10 B{comment}\n10 packets transmitted, 10 received, 0% packet loss, time 9011ms\nrtt min/avg/max/mdev = {ms}.001/{ms}.121/{ms}.311/0.090 ms\n"
    )
}

/// 12.58 MB in flight each 58.1 ms are 1.73 Gbit/s: half of what `tcp_rmem` allows.
const TODAY: &str = "A$ iperf3 -c B -t 20
[  5] local 10.1.0.9 port 44001 connected to 10.2.0.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec   985 MBytes  1.65 Gbits/sec    0   31.8 MBytes
[  5]   5.00-10.00  sec  1.01 GBytes  1.73 Gbits/sec    0   31.8 MBytes
[  5]  10.00-15.00  sec  1.01 GBytes  1.73 Gbits/sec    0   31.8 MBytes
[  5]  15.00-20.00  sec  1.01 GBytes  1.73 Gbits/sec    0   31.8 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-20.00  sec  3.98 GBytes  1.71 Gbits/sec    0             sender
[  5]   0.00-20.07  sec  3.98 GBytes  1.70 Gbits/sec                  receiver
B$ sysctl net.ipv4.tcp_rmem
net.ipv4.tcp_rmem = 4096 131072 25165824
A$ sysctl net.ipv4.tcp_wmem
net.ipv4.tcp_wmem = 4096 65536 67108864
A$ ethtool eth0 | grep Speed
\tSpeed: 10000Mb/s
";

/// Pings of last week are of another route, and no queue: 9.8 MB stood in one, by what a shaper made.
#[test]
fn pings_of_another_day_are_not_the_path_at_rest() {
    let (then, now) = (closing(12, ""), closing(58, ""));
    let head = "Throughput A->B fell this week, Monday 7.9 Gbit/s, today 1.7. Nothing changed on the hosts.\n";
    let one = |text: String| of(&text, &Known::default());
    let cases: [Diagnosis; 6] = [
        one(format!(
            "{head}Monday:\n{then}Today, nothing else running:\n{now}{TODAY}"
        )),
        one(format!(
            "{head}before the maintenance (idle):\n{then}after the maintenance (idle):\n{now}{TODAY}"
        )),
        one(format!(
            "{head}A$ date\nMon Nov 23 02:00:11 UTC 2026\n{then}A$ date\nMon Nov 30 02:00:11 UTC 2026\n{now}{TODAY}"
        )),
        one(format!(
            "{head}Monday:\n{then}{}{TODAY}",
            closing(58, "   # idle now")
        )),
        one(format!("{head}{now}{TODAY}Monday:\n{then}")),
        of_files(
            &[
                ("monday.txt", then.as_str()),
                ("today.txt", &format!("{now}{TODAY}")),
            ],
            &Known::default(),
        ),
    ];
    for (n, d) in cases.into_iter().enumerate() {
        let note = "is of another time than the test";
        assert!(
            d.notes.iter().any(|n| n.contains(note)),
            "{n}: {:?}",
            d.notes
        );
        let flow = first_flow(d);
        let rtt = flow.observed.rtt_ns.expect("it was pinged");
        assert!((58e6..58.4e6).contains(&rtt), "{n}: {rtt}");
        assert_eq!(
            flow.verdict.cause, "receive_window",
            "{n}: {:#?}",
            flow.verdict
        );
        let why = because(&flow);
        assert!(!why.contains("under load"), "{n}: {why}");
    }
}

/// One after the other at one prompt, both before the test: it loaded neither, and nobody says which path it had.
#[test]
fn pings_that_were_over_before_a_test_were_not_under_its_load() {
    for pings in [[12, 58], [58, 12]] {
        let pings = pings.map(|ms| closing(ms, "")).concat();
        let flow = first_flow(of(&(pings + TODAY), &Known::default()));
        let why = because(&flow);
        assert!(!why.contains("under load the round trip grew"), "{why}");
        assert_ne!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
    }
}

/// A traceroute of a path whose last hops are these, with what stands above it.
fn traced(head: &str, hops: &[(&str, f64)]) -> String {
    let mut all = format!(
        "{head}A$ traceroute -n 10.2.0.9\ntraceroute to 10.2.0.9 (10.2.0.9), 30 hops max, 60 byte packets\n 1  10.1.0.1  0.2 ms  0.2 ms  0.2 ms\n 2  203.0.113.5  1.1 ms  1.1 ms  1.1 ms\n"
    );
    for (n, (name, ms)) in hops.iter().enumerate() {
        all += &format!(" {}  {name}  {ms} ms  {ms} ms  {ms} ms\n", n + 3);
    }
    all
}

/// By two traces alone a queue of 126 ms stood before the line, 78 %, and cake was to shape it to what the window leaves.
#[test]
fn traces_that_took_different_ways_are_no_queue() {
    let short = [("203.0.113.21", 9.9), ("10.2.0.9", 10.9)];
    let long = [
        ("203.0.113.90", 10.9),
        ("203.0.113.97", 44.1),
        ("10.2.0.9", 58.1),
    ];
    let heads = [["", ""], ["-- archived from last week\n", "-- today\n"]];
    for [then, now] in heads {
        let text = traced(then, &short) + &traced(now, &long) + TODAY;
        let flow = first_flow(of(&text, &Known::default()));
        assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
        let why = because(&flow);
        assert!(!why.contains("stand in a queue"), "{why}");
        assert!(why.contains("that is distance, and no queue"), "{why}");
        let rtt = flow.observed.rtt_ns.expect("it was traced");
        assert!((58e6..58.4e6).contains(&rtt), "{rtt}");
    }
}

/// The same hops, of which those behind one are late: that is a queue still.
#[test]
fn a_trace_whose_own_hops_are_late_is_under_load() {
    let rest = [("203.0.113.21", 9.9), ("10.2.0.9", 10.9)];
    let late = [("203.0.113.21", 135.9), ("10.2.0.9", 136.9)];
    let text = traced("", &rest) + TODAY + &traced("During the next test:\n", &late);
    let flow = first_flow(of(&text, &Known::default()));
    let why = because(&flow);
    assert!(why.contains("26.8 MB stand in a queue"), "{why}");
}

/// Two traces, of last week and of today, say where the way became longer: whose it is comes before any window.
#[test]
fn a_way_that_became_longer_is_asked_for_first() {
    let trace = |hops: &[(&str, f64)]| {
        let mut all = "A$ traceroute -n 10.2.0.9\ntraceroute to 10.2.0.9 (10.2.0.9), 30 hops max, 60 byte packets\n".to_owned();
        for (n, (name, ms)) in hops.iter().enumerate() {
            all += &format!(" {}  {name}  {ms} ms  {ms} ms  {ms} ms\n", n + 1);
        }
        all
    };
    let then = trace(&[
        ("10.1.0.1", 0.2),
        ("203.0.113.5", 1.1),
        ("203.0.113.9", 11.8),
        ("10.2.0.9", 12.1),
    ]);
    let now = trace(&[
        ("10.1.0.1", 0.2),
        ("203.0.113.5", 1.1),
        ("203.0.113.77", 30.9),
        ("203.0.113.81", 57.1),
        ("10.2.0.9", 58.1),
    ]);
    let (before, after) = (closing(12, ""), closing(58, ""));
    let text = format!("Last week:\n{before}{then}\nToday:\n{after}{now}{TODAY}");
    let flow = first_flow(of(&text, &Known::default()));
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let why = because(&flow);
    for part in [
        "the way has become longer",
        "from hop 3 on it goes over 203.0.113.77 in place of 203.0.113.9",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
    let first = flow.changes.first().expect("it can be mended");
    assert!(
        first.commands[0].contains("4.8 times the rate"),
        "{first:?}"
    );
    let windows = flow.changes.get(1).expect("the window may grow meanwhile");
    assert!(
        windows.commands.join("\n").contains("tcp_rmem"),
        "{windows:?}"
    );
}
