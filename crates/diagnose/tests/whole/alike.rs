//! What is alike: short queues and policers, programs that write little and full buffers, windows that are small and readers that are
//! slow, lines and what is none. Figures as real kernels leave them.

use farpath_diagnose::{FlowReport, Known};
use farpath_record::trace::{PolicerFound, TraceConnection, TraceDirection};

use crate::{because, commands, first_flow, of, of_capture, of_files, on};

/// A log of iperf3 between these ports: Mbit/s and segments sent again in each second, and the congestion window in KBytes.
pub(crate) fn log(port: u16, rows: &[(f64, u32)], cwnd: f64) -> String {
    let mut all = format!(
        "Connecting to host 198.51.100.2, port 5201\n[  5] local 192.0.2.1 port {port} connected to 198.51.100.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
    );
    let line = |from: usize, until: usize, mbit: f64, end: &str| {
        let size = mbit * (until - from) as f64 / 8.388_608;
        format!(
            "[  5]  {from:>2}.00-{until}.00  sec  {size:.2} MBytes  {mbit:.1} Mbits/sec  {end}\n"
        )
    };
    for (n, (mbit, again)) in rows.iter().enumerate() {
        all += &line(n, n + 1, *mbit, &format!("{again}   {cwnd:.0} KBytes"));
    }
    let mean = rows.iter().map(|r| r.0).sum::<f64>() / rows.len() as f64;
    let again: u32 = rows.iter().map(|r| r.1).sum();
    all +=
        "- - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n";
    all += &line(0, rows.len(), mean, &format!("{again}             sender"));
    all += &line(0, rows.len(), mean, "                receiver");
    all + "\niperf Done.\n"
}

/// Sixteen seconds of a queue of 60 kB, or a bucket as large: slow start overruns it, and each climb ends at it.
const REFUSED: [(f64, u32); 16] = [
    (43.0, 238),
    (18.1, 1),
    (17.8, 2),
    (17.6, 6),
    (15.2, 3),
    (18.3, 2),
    (16.1, 3),
    (18.6, 1),
    (14.9, 2),
    (17.7, 2),
    (16.3, 1),
    (19.2, 1),
    (15.4, 5),
    (16.2, 2),
    (15.3, 1),
    (15.1, 1),
];

fn second(flow: &FlowReport) -> (&'static str, f64) {
    let second = flow.verdict.second.as_ref().expect("another");
    (second.cause, second.confidence)
}

/// Why a policer and a short queue share the confidence of this verdict, the policer first.
fn shared(flow: &FlowReport) -> String {
    assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence < 0.55, "{:#?}", flow.verdict);
    let (cause, confidence) = second(flow);
    assert!(
        cause == "shallow_buffer" && confidence > 0.4,
        "{:#?}",
        flow.verdict
    );
    because(flow)
}

#[test]
fn a_policer_and_a_short_queue_share_whether_or_not_a_line_is_known() {
    let flow = first_flow(of(&log(40000, &REFUSED, 71.0), &Known::default()));
    let why = shared(&flow);
    assert!(
        why.contains("drops what a policer with as large a bucket drops"),
        "{why}"
    );
    assert!(why.contains("% together"), "{why}");
    assert!(why.contains("iperf3 -u") && why.contains("--line"), "{why}");
    let all = &flow.changes[0].commands;
    assert!(
        all[0].starts_with("tc qdisc show dev INTERFACE, and keep what it prints: "),
        "{all:?}"
    );
    assert_eq!(all[1..], ["tc qdisc replace dev INTERFACE root fq"]);
    assert!(
        flow.changes[0].risk.contains("it may as well be a queue"),
        "{:#?}",
        flow.changes
    );
    // A line that is known does not: what a short queue leaves of it goes by the queue.
    let flow = first_flow(of(&log(40000, &REFUSED, 71.0), &on("300 Mbit/s")));
    let why = shared(&flow);
    assert!(
        why.contains("iperf3 -u") && !why.contains("--line"),
        "{why}"
    );
    let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert!(asked.contains(&"datagram_loss_ratio"), "{asked:?}");
    // A counter, or a configuration, tells them apart.
    let router = "hostname edge1\n!\npolicy-map LIMIT\n class class-default\n  police 18000000 64000 conform-action transmit exceed-action drop\n!\ninterface GigabitEthernet0/1\n ip address 192.0.2.254 255.255.255.0\n service-policy output LIMIT\n!\n";
    let told = log(40000, &REFUSED, 71.0);
    let d = of_files(
        &[("test.txt", &told), ("edge1.cfg", router)],
        &Known::default(),
    );
    assert_eq!(d.flows[0].verdict.cause, "policer");
    assert!(
        d.flows[0].verdict.confidence > 0.7,
        "{:#?}",
        d.flows[0].verdict
    );
}

#[test]
fn an_interval_above_a_line_that_nobody_named_refutes_it() {
    let rows = |rates: &[f64]| -> Vec<(f64, u32)> { rates.iter().map(|r| (*r, 0)).collect() };
    // Both are 94.1 Mbit/s on average, what a line of 100 Mbit/s leaves.
    let uneven = rows(&[
        31.0, 64.0, 66.0, 94.0, 129.0, 123.0, 98.0, 69.0, 92.0, 60.0, 172.0, 131.2,
    ]);
    let even = rows(&[94.1; 12]);
    for (rows, is) in [(uneven, false), (even, true)] {
        let flow = first_flow(of(&log(40000, &rows, 3000.0), &Known::default()));
        let why = because(&flow);
        assert_eq!(flow.verdict.cause == "link", is, "{:#?}", flow.verdict);
        assert_eq!(
            why.contains("what a line of 100 Mbit/s leaves"),
            is,
            "{why}"
        );
    }
    // Who names the line knows better.
    let known = on("100 Mbit/s");
    let uneven = rows(&[86.0, 93.0, 96.0, 94.0, 95.0, 92.0, 93.0, 95.0, 94.0, 96.0]);
    let flow = first_flow(of(&log(40000, &uneven, 3000.0), &known));
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
}

/// An upload that a capture at its sender shows, of so many Mbit/s in ten seconds.
fn upload(mbit: f64, shares: &[(&str, f64)]) -> TraceConnection {
    let bytes = (mbit * 1.25e6) as u64;
    TraceConnection {
        id: 1,
        a: "192.0.2.1:40000".to_owned(),
        b: "198.51.100.2:5201".to_owned(),
        vantage: "sender_of_a".to_owned(),
        duration_ns: 10_000_000_000,
        handshake_rtt_ns: Some(20_000_000),
        a2b: TraceDirection {
            unique_bytes: bytes,
            segments: bytes / 1448,
            mss: Some(1448),
            goodput_bps: (mbit * 1e6) as u64,
            limit_shares: shares
                .iter()
                .map(|(word, share)| ((*word).to_owned(), *share))
                .collect(),
            ..TraceDirection::default()
        },
        ..TraceConnection::default()
    }
}

fn seen(connection: TraceConnection) -> FlowReport {
    let delivered = connection.a2b.unique_bytes;
    first_flow(of_capture(
        connection,
        delivered,
        [20.0, 20.4, 22.0],
        &Known::default(),
    ))
}

#[test]
fn the_rate_of_a_policer_that_was_not_kept_busy_is_a_bound() {
    for (mbit, busy) in [(20.0, false), (31.0, true)] {
        let mut connection = upload(mbit, &[("policer", 0.9), ("cwnd_slow_start", 0.1)]);
        connection.a2b.retransmitted_segments = 300;
        connection.a2b.policer = Some(PolicerFound {
            rate_bps: 34_900_000,
            rate_least_bps: 34_900_000,
            rate_most_bps: 35_100_000,
            burst_bytes: 72_504,
        });
        let flow = seen(connection);
        let why = because(&flow);
        assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
        assert_eq!(why.contains("20.0 Mbit/s at least"), !busy, "{why}");
        assert_eq!(why.contains("fits a policer of 34.9 Mbit/s"), busy, "{why}");
        assert_eq!(
            commands(&flow).contains("maxrate 34900kbit"),
            busy,
            "{}",
            commands(&flow)
        );
        if !busy {
            assert!(
                flow.changes[0].risk.contains("the contract"),
                "{:#?}",
                flow.changes
            );
        }
    }
}

#[test]
fn a_full_buffer_and_a_slow_program_share_on_the_wire() {
    let flow = seen(upload(
        75.0,
        &[
            ("unknown", 0.8),
            ("application", 0.1),
            ("cwnd_slow_start", 0.1),
        ],
    ));
    let mut both = [flow.verdict.cause, second(&flow).0];
    both.sort_unstable();
    assert_eq!(both, ["application", "send_buffer"], "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence < 0.55, "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(
        why.contains("ss -tinm on the sender tells them apart"),
        "{why}"
    );
}

/// Packets that leave evenly at a rate which no interface has are shaped or paced: no ring of an interface is advised.
#[test]
fn an_even_pace_of_no_usual_line_is_no_interface() {
    let flow = seen(upload(
        75.2,
        &[("nic", 0.64), ("unknown", 0.34), ("cwnd_slow_start", 0.02)],
    ));
    assert_ne!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
    assert!(
        !commands(&flow).contains("ethtool -G"),
        "{}",
        commands(&flow)
    );
    let why = because(&flow);
    assert!(why.contains("no usual interface"), "{why}");
}

/// A socket that waits for its peer's window, printed with these windows.
fn socket(windows: &[u32]) -> String {
    let each = windows.iter().map(|window| {
        format!(
            "$ ss -tinm\nESTAB 0 3833032 192.0.2.1:40000 198.51.100.2:5201\n\t skmem:(r0,rb131072,t0,tb4194304,f56,w3882952,o0,bl0,d0) cubic wscale:10,10 rto:244 rtt:37.9/6.9 mss:1448 pmtu:1500 cwnd:4032 bytes_sent:90000000 bytes_acked:89999000 segs_out:62000 data_segs_out:62000 send 1230000000bps busy:9600ms rwnd_limited:9100ms(94.8%) notsent:3516080 minrtt:28.1 snd_wnd:{window}\n"
        )
    });
    each.collect()
}

#[test]
fn a_window_that_shrank_is_a_reader_and_no_setting() {
    let test = log(40000, &[(74.7, 0); 10], 5700.0);
    let of =
        |windows: &[u32]| first_flow(of(&(test.clone() + &socket(windows)), &Known::default()));
    let slow = of(&[65536, 5_140_480, 1024, 1024]);
    assert_eq!(slow.verdict.cause, "client", "{:#?}", slow.verdict);
    assert!(because(&slow).contains("shrank from"), "{}", because(&slow));
    assert!(!commands(&slow).contains("tcp_rmem"), "{}", commands(&slow));
    let held = of(&[65536, 299_008, 352_256, 352_256]);
    assert_eq!(held.verdict.cause, "receive_window", "{:#?}", held.verdict);
}

/// Near the end of a test a receiver announces less: what held the test is the window of its middle.
#[test]
fn a_window_is_the_largest_that_was_full_not_the_last() {
    let read = |window: u32, unacked: u32| {
        format!(
            "$ ss -tinm\nESTAB 0 3833032 192.0.2.1:40000 198.51.100.2:5201\n\t skmem:(r0,rb131072,t0,tb4194304,f56,w3882952,o0,bl0,d0) cubic wscale:7,10 rto:276 rtt:72.5/0.1 mss:1448 pmtu:1500 cwnd:1839 bytes_sent:90000000 bytes_acked:89999000 segs_out:62000 data_segs_out:62000 send 294000000bps busy:9600ms rwnd_limited:9100ms(94.8%) unacked:{unacked} notsent:2516080 minrtt:72.3 snd_wnd:{window}\n"
        )
    };
    let test = log(40000, &[(140.0, 0); 10], 2600.0);
    let of = |last: String| {
        let usual = [read(1_328_256, 917), read(1_328_256, 917)].concat();
        of(&(test.clone() + &usual + &last), &Known::default())
    };
    let windows = |flow: &FlowReport| -> Vec<f64> {
        let own = flow.ceilings.iter().filter(|c| c.cause == "receive_window");
        own.map(|c| c.limit_bps).collect()
    };
    for last in [read(456_192, 315), read(1_328_256, 917)] {
        let d = of(last);
        assert!(d.contradictions.is_empty(), "{:#?}", d.contradictions);
        let flow = first_flow(d);
        assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
        let windows = windows(&flow);
        assert!(!windows.is_empty(), "{:#?}", flow.ceilings);
        let least = windows.into_iter().fold(f64::INFINITY, f64::min);
        assert!(least > 130e6, "{:#?}", flow.ceilings);
    }
}

fn ping(sent: u32, received: u32) -> String {
    format!(
        "$ ping -c {sent} 198.51.100.2\nPING 198.51.100.2 (198.51.100.2) 56(84) bytes of data.\n\n--- 198.51.100.2 ping statistics ---\n{sent} packets transmitted, {received} received, {}% packet loss, time 8123ms\nrtt min/avg/max/mdev = 28.3/32.7/43.1/4.0 ms\n\n",
        100 * (sent - received) / sent
    )
}

#[test]
fn pings_that_a_flow_does_not_miss_are_lost_on_the_way_back() {
    let mut rows: Vec<(f64, u32)> = (0..12)
        .map(|n| (340.0 + f64::from(n % 5) * 7.0, 0))
        .collect();
    rows.splice(
        0..5,
        [(5.0, 1), (10.0, 1), (30.0, 1), (79.0, 0), (234.0, 0)],
    );
    let test = log(40000, &rows, 4226.0);
    let of = |pings: [String; 2]| {
        let [rest, load] = pings;
        first_flow(of_files(
            &[
                ("rest.txt", &rest),
                ("test.txt", &test),
                ("load.txt", &load),
            ],
            &Known::default(),
        ))
    };
    let lossy = of([ping(30, 19), ping(40, 26)]);
    assert_eq!(lossy.verdict.cause, "way_back", "{:#?}", lossy.verdict);
    assert!(lossy.verdict.confidence <= 0.6, "{:#?}", lossy.verdict);
    assert!(
        because(&lossy).contains("the way back does"),
        "{}",
        because(&lossy)
    );
    let commands = commands(&lossy);
    assert!(
        commands.contains("mtr") && !commands.contains("root fq"),
        "{commands}"
    );
    let calm = of([ping(30, 30), ping(40, 40)]);
    assert_ne!(calm.verdict.cause, "way_back", "{:#?}", calm.verdict);
}

#[test]
fn tests_beyond_the_most_that_are_judged_are_counted() {
    let texts: Vec<(String, String)> = (0..410_u16)
        .map(|n| {
            (
                format!("{n}.txt"),
                log(40000 + n, &[(50.0 + f64::from(n), 0); 10], 900.0),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let d = of_files(&files, &Known::default());
    assert_eq!(d.flows.len(), 400);
    let note = d
        .notes
        .iter()
        .find(|n| n.contains("400 flows are judged at most"));
    assert!(
        note.is_some_and(|n| n.starts_with("10 reports of tests")),
        "{:#?}",
        d.notes
    );
    let few = of_files(&files[..400], &Known::default());
    assert!(
        !few.notes.iter().any(|n| n.contains("at most")),
        "{:#?}",
        few.notes
    );
}

/// Two intervals and a share of segments sent again: nothing in them is a policer's alone.
#[test]
fn a_share_of_losses_alone_names_no_policer() {
    let text = "gw$ iperf3 -c 10.8.0.2 -t 10
[  5] local 10.8.0.1 port 40010 connected to 10.8.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec  53.1 MBytes  89.1 Mbits/sec  412   112 KBytes
[  5]   5.00-10.00  sec  54.0 MBytes  90.6 Mbits/sec  398   108 KBytes
[  5]   0.00-10.00  sec   107 MBytes  89.8 Mbits/sec  810             sender
[  5]   0.00-10.03  sec   107 MBytes  89.5 Mbits/sec                  receiver
gw$ ping -c 10 10.8.0.2
10 packets transmitted, 10 received, 0% packet loss, time 9020ms
rtt min/avg/max/mdev = 11.101/11.821/13.911/0.590 ms
";
    let flow = first_flow(of(text, &Known::default()));
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(
        why.contains("all that speaks for a policer") && why.contains("iperf3 -u"),
        "{why}"
    );
    let commands = commands(&flow);
    assert!(!commands.contains("tc qdisc replace"), "{commands}");
}

/// Ten seconds of which each loses some, and nothing else: with a round trip a policer and chance are even, and without one nothing decides.
#[test]
fn losses_in_every_second_of_one_log_name_no_policer() {
    let rows = [
        (212, 31, 310),
        (231, 12, 350),
        (198, 40, 270),
        (244, 9, 380),
        (205, 28, 290),
        (222, 17, 330),
        (239, 11, 370),
        (201, 33, 280),
        (218, 20, 320),
        (230, 14, 345),
    ];
    let mut text = String::from(
        "$ iperf3 -c 203.0.113.5\nConnecting to host 203.0.113.5, port 5201\n[  5] local 192.0.2.9 port 48122 connected to 203.0.113.5 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
    );
    for (n, (mbit, again, cwnd)) in rows.iter().enumerate() {
        text += &format!(
            "[  5]   {n}.00-{}.00   sec  {:.1} MBytes   {mbit} Mbits/sec   {again}    {cwnd} KBytes\n",
            n + 1,
            f64::from(*mbit) / 8.388_608
        );
    }
    text += "- - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec   262 MBytes   220 Mbits/sec  215             sender\n[  5]   0.00-10.04  sec   262 MBytes   219 Mbits/sec                  receiver\n\niperf Done.\n";
    let flow = first_flow(of(&text, &Known::default()));
    assert_ne!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
    let asks_rtt = flow.missing.iter().any(|m| m.command.contains("ping"));
    assert!(asks_rtt, "{:#?}", flow.missing);
}

/// TCP whose first second is the bucket's burst, and datagrams of which as much passes as of TCP from then on: one policer takes both.
#[test]
fn a_policer_of_tcp_after_its_burst_takes_the_datagrams_too() {
    let rows: Vec<(f64, u32)> = (0..10)
        .map(|n| match n {
            0 => (412.0, 1830),
            _ => (94.4 + f64::from(n % 2), 188 + 13 * (n % 5)),
        })
        .collect();
    let datagrams = "
$ iperf3 -c 198.51.100.2 -u -b 200M -t 5
Connecting to host 198.51.100.2, port 5201
[  5] local 192.0.2.1 port 41022 connected to 198.51.100.2 port 5201
[ ID] Interval           Transfer     Bitrate         Total Datagrams
[  5]   0.00-1.00   sec  23.8 MBytes   200 Mbits/sec  17265
[  5]   1.00-2.00   sec  23.8 MBytes   200 Mbits/sec  17265
[  5]   2.00-3.00   sec  23.8 MBytes   200 Mbits/sec  17265
[  5]   3.00-4.00   sec  23.8 MBytes   200 Mbits/sec  17265
[  5]   4.00-5.00   sec  23.8 MBytes   200 Mbits/sec  17265
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-5.00   sec   119 MBytes   200 Mbits/sec  0.000 ms  0/86318 (0%)  sender
[  5]   0.00-5.01   sec  58.3 MBytes  97.6 Mbits/sec  0.118 ms  44124/86318 (51%)  receiver

iperf Done.
$ ping -c 5 198.51.100.2
5 packets transmitted, 5 received, 0% packet loss, time 4006ms
rtt min/avg/max/mdev = 7.980/8.012/8.050/0.023 ms
";
    let d = of(&(log(40_000, &rows, 95.0) + datagrams), &Known::default());
    assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
    for flow in &d.flows {
        assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
    }
    let why: String = d.flows.iter().map(because).collect();
    assert!(
        why.contains("TCP between the same hosts got 95.4 Mbit/s"),
        "{why}"
    );
}

/// A morning's test fills the line; in the evening the mtr of that hour is 40 ms longer, and a window of 32 kB fills no such queue.
#[test]
fn a_queue_of_the_evening_is_of_others() {
    let mtr = |start: &str, third: [f64; 3], end: [f64; 3], lost: &str| {
        let row = |hop: u32, name: &str, lost: &str, [least, mean, most]: [f64; 3]| {
            format!(
                "  {hop}.|-- {name:<26} {lost}%   100  {mean:>5.1}  {mean:>5.1}  {least:>5.1}  {most:>5.1}   0.3\n"
            )
        };
        format!(
            "a$ mtr -rwc 100 198.51.100.2\nStart: 2026-11-30T{start}+0000\nHOST: a                          Loss%   Snt   Last   Avg  Best  Wrst StDev\n{}{}{}",
            row(1, "192.0.2.254", "0.0", [0.2, 0.3, 1.1]),
            row(2, "203.0.113.1", lost, third),
            row(3, "198.51.100.2", lost, end)
        )
    };
    let morning = vec![(933.0, 0); 10];
    let evening: Vec<(f64, u32)> = (0..10)
        .map(|n| (3.1 + 0.7 * f64::from(n % 4), 1 + n % 2))
        .collect();
    let text = format!(
        "09:02\n{}{}\n20:31\n{}{}",
        log(48_122, &morning, 3100.0),
        mtr("09:03:02", [20.1, 20.3, 22.0], [20.2, 20.4, 22.1], "0.0"),
        log(48_990, &evening, 31.0),
        mtr("20:33:02", [55.1, 60.9, 68.3], [55.3, 61.0, 68.8], "1.0")
    );
    let d = of(&text, &Known::default());
    assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
    let fast = |f: &&FlowReport| f.observed.goodput_bps.is_some_and(|bps| bps > 1e8);
    let (early, late): (Vec<_>, Vec<_>) = d.flows.iter().partition(fast);
    let rtt = |flows: &[&FlowReport]| flows[0].observed.rtt_ns.expect("a trace of its time");
    assert!(rtt(&early) < 25e6, "{:#?}", early[0]);
    assert!(rtt(&late) > 50e6, "{:#?}", late[0]);
    assert_ne!(late[0].verdict.cause, "congestion_loss", "{:#?}", late[0]);
    let why = because(late[0]);
    assert!(why.contains("longer than at another time"), "{why}");
}
