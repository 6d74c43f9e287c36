//! What everyday pastes bring along: a tool's own socket, one host's settings, a ping beside datagrams, losses on short paths,
//! and round trips that vary at rest.

use crate::{of, on};

/// A log of iperf3 over 6 s; the rows' rates in Mbit/s and segments sent again.
fn log(rows: [(f64, u32); 6]) -> String {
    let mut all = String::from(
        "Connecting to host 198.51.100.2, port 5201\n[  5] local 192.0.2.1 port 38302 connected to 198.51.100.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
    );
    for (n, (mbit, again)) in rows.iter().enumerate() {
        let size = mbit / 8.388_608;
        all += &format!(
            "[  5]   {n}.00-{}.00   sec  {size:.2} MBytes  {mbit:.1} Mbits/sec  {again}   467 KBytes\n",
            n + 1
        );
    }
    let (mean, again) = (
        rows.iter().map(|r| r.0).sum::<f64>() / 6.0,
        rows.iter().map(|r| r.1).sum::<u32>(),
    );
    let size = 6.0 * mean / 8.388_608;
    all + &format!(
        "- - - - -\n[  5]   0.00-6.00   sec  {size:.2} MBytes  {mean:.1} Mbits/sec  {again}             sender\n[  5]   0.00-6.00   sec  {size:.2} MBytes  {mean:.1} Mbits/sec                  receiver\n\n"
    )
}

fn ping(ms: [f64; 4]) -> String {
    let [min, avg, max, mdev] = ms;
    format!(
        "20 packets transmitted, 20 received, 0% packet loss, time 19030ms\nrtt min/avg/max/mdev = {min}/{avg}/{max}/{mdev} ms\n\n"
    )
}

const EVEN: [(f64, u32); 6] = [
    (17.8, 0),
    (15.4, 0),
    (15.1, 0),
    (15.3, 0),
    (15.3, 0),
    (15.2, 0),
];

/// What iperf3 tells its server goes over a connection of its own.
const OWN_WORDS: &str = "\
ESTAB 0 0 192.0.2.1:38300 198.51.100.2:5201
\t cubic wscale:7,10 rto:292 rtt:90.1/25.4 mss:1448 pmtu:1500 cwnd:10 bytes_sent:164 bytes_acked:165 bytes_received:4 app_limited busy:180ms minrtt:90.05 snd_wnd:65152
";

const DATA: &str = "\
ESTAB 0 2129968 192.0.2.1:38302 198.51.100.2:5201
\t cubic wscale:7,10 rto:304 rtt:90.3/0.5 mss:1448 pmtu:1500 cwnd:298 bytes_sent:9051061 bytes_acked:8878390 delivery_rate 15.3Mbps busy:4632ms rwnd_limited:4444ms(95.9%) unacked:119 minrtt:90.1 snd_wnd:172672

";

#[test]
fn a_tools_own_socket_has_no_part_in_shares() {
    for sockets in [
        DATA.to_owned(),
        format!("{OWN_WORDS}{DATA}"),
        format!("{DATA}{OWN_WORDS}"),
    ] {
        let d = of(
            &(ping([90.1, 90.2, 90.3, 0.04]) + &log(EVEN) + &sockets),
            &on("200 Mbit/s"),
        );
        assert_eq!(d.flows.len(), 1);
        let verdict = &d.flows[0].verdict;
        assert_eq!(verdict.cause, "receive_window", "{verdict:#?}");
        assert!(verdict.confidence >= 0.9, "{verdict:#?}");
        let because = verdict.because.join("\n");
        assert!(because.contains("96 % of its time"), "{because}");
    }
}

#[test]
fn settings_at_a_prompt_are_of_the_host_whose_address_was_printed_there() {
    let text = format!(
        "{}root@src:~# iperf3 -c 198.51.100.2 -t 6\n{}root@src:~# sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem\nnet.ipv4.tcp_rmem = 4096\t131072\t33554432\nnet.ipv4.tcp_wmem = 4096\t16384\t4194304\n",
        ping([90.1, 90.2, 90.3, 0.04]),
        log(EVEN)
    );
    let d = of(&text, &on("200 Mbit/s"));
    let flow = &d.flows[0];
    let causes: Vec<&str> = flow.ceilings.iter().map(|c| c.cause).collect();
    // The receiver's memory is not known: neither a ceiling nor a value to go back to.
    assert!(causes.contains(&"send_buffer"), "{causes:?}");
    assert!(!causes.contains(&"receive_window"), "{causes:?}");
    let undo: Vec<&String> = flow.changes.iter().flat_map(|c| &c.undo).collect();
    assert!(undo.iter().all(|u| !u.contains("33554432")), "{undo:?}");
}

#[test]
fn datagrams_lose_what_they_lose_whatever_a_ping_says() {
    let text = ping([20.1, 20.2, 20.3, 0.04])
        + "Connecting to host 198.51.100.2, port 5201\n[  5] local 192.0.2.1 port 40000 connected to 198.51.100.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-2.00   sec  4.76 MBytes  20.0 Mbits/sec  0.000 ms  0/3451 (0%)  sender\n[  5]   0.00-2.00   sec  2.17 MBytes  9.10 Mbits/sec  0.100 ms  1881/3451 (55%)  receiver\n";
    let d = of(&text, &on("50 Mbit/s"));
    let verdict = &d.flows[0].verdict;
    assert_ne!(verdict.cause, "application", "{verdict:#?}");
    assert!(
        !verdict.because.join("\n").contains("next to none"),
        "{verdict:#?}"
    );
}

#[test]
fn losses_on_a_short_path_are_no_program_that_pauses() {
    let rows = [
        (4.02, 26),
        (7.14, 43),
        (1.43, 22),
        (2.88, 16),
        (4.12, 33),
        (6.13, 37),
    ];
    for ms in [0.4, 2.1, 8.0] {
        let d = of(
            &(ping([ms, ms * 1.005, ms * 1.01, 0.01]) + &log(rows)),
            &on("100 Mbit/s"),
        );
        let verdict = &d.flows[0].verdict;
        let losses = ["random_loss", "shallow_buffer", "policer", "unknown"];
        // Without a reason of its own nothing else is sure.
        let open = verdict.because.is_empty() && verdict.confidence <= 0.6;
        assert!(
            losses.contains(&verdict.cause) || open,
            "{ms} ms: {verdict:#?}"
        );
    }
}

#[test]
fn a_path_that_loses_as_much_without_load_loses_by_chance() {
    let rows = [
        (8.1, 21),
        (8.2, 20),
        (8.0, 22),
        (8.3, 19),
        (8.0, 21),
        (8.2, 20),
    ];
    let text = "100 packets transmitted, 97 received, 3% packet loss, time 19030ms\nrtt min/avg/max/mdev = 20.1/20.2/20.4/0.05 ms\n\n".to_owned()
        + &log(rows);
    let d = of(&text, &on("100 Mbit/s"));
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "random_loss", "{verdict:#?}");
    assert!(
        verdict
            .because
            .join("\n")
            .contains("as large a share of pings is lost"),
        "{verdict:#?}"
    );
}

/// A window over round trips that vary at rest: a queue did not add what they vary by.
#[test]
fn round_trips_that_vary_at_rest_are_no_queue() {
    let rows = [(13.0, 0), (9.1, 0), (7.0, 0), (8.8, 0), (6.9, 0), (8.3, 0)];
    let socket = DATA
        .replace("rtt:90.3/0.5", "rtt:112.0/14")
        .replace("rwnd_limited:4444ms(95.9%)", "rwnd_limited:3900ms(84.2%)");
    let text = ping([90.1, 104.0, 121.0, 8.1]) + &log(rows) + &socket;
    let d = of(&text, &on("200 Mbit/s"));
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "receive_window", "{verdict:#?}");
    assert!(
        !verdict.because.join("\n").contains("a queue filled"),
        "{verdict:#?}"
    );
}

/// Both ends scale: as much in flight as without it is a coincidence.
#[test]
fn a_socket_that_scales_excludes_a_window_without() {
    let rows = [(5.6, 0), (5.8, 0), (5.7, 0), (5.8, 0), (5.7, 0), (5.8, 0)];
    let settings = "net.ipv4.tcp_rmem = 4096\t131072\t33554432\nnet.ipv4.tcp_wmem = 4096\t16384\t33554432\nnet.ipv4.tcp_window_scaling = 1\n\n";
    let told = |sockets: &str| {
        let text = ping([90.1, 90.2, 90.3, 0.04])
            + &log(rows)
            + sockets
            + "sender:\n"
            + settings
            + "receiver:\n"
            + settings;
        of(&text, &on("200 Mbit/s")).flows[0].verdict.cause
    };
    assert_eq!(told(""), "no_window_scaling");
    let socket = DATA
        .replace("rwnd_limited:4444ms(95.9%)", "")
        .replace("snd_wnd:172672", "");
    assert_ne!(told(&socket), "no_window_scaling");
}

/// Without `wscale`, the window of 65 535 bytes that the socket shows is what scaling would lift: one cause, not two.
#[test]
fn a_window_without_scaling_is_counted_once() {
    let socket = DATA
        .replace("wscale:7,10 ", "")
        .replace("snd_wnd:172672", "snd_wnd:65535");
    let rows = [(5.9, 0), (5.8, 0), (5.8, 0), (5.8, 0), (5.8, 0), (5.8, 0)];
    let text = format!("{}{}{socket}", ping([90.0, 90.1, 90.3, 0.1]), log(rows));
    let d = of(&text, &on("50 Mbit/s"));
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "no_window_scaling", "{verdict:#?}");
    assert!(verdict.confidence > 0.85, "{verdict:#?}");
}

/// Two copies of one file to one host: the slow one is not lost, and a note has both.
#[test]
fn two_copies_of_one_file_are_both_shown() {
    let text = "$ scp f 10.8.1.1:\nf              100%  500MB   4.1MB/s   02:01\n$ scp f 10.8.1.1:\nf              100%  500MB  98.0MB/s   00:05\n";
    let d = of(text, &farpath_diagnose::Known::default());
    let rates: Vec<f64> = d
        .flows
        .iter()
        .filter_map(|f| f.observed.goodput_bps)
        .collect();
    assert_eq!(rates.len(), 2, "{rates:?}");
    assert!(rates[0] < 35e6 && rates[1] > 800e6, "{rates:?}");
    let said = d.notes.iter().any(|n| n.contains("24 times as much"));
    assert!(said, "{:?}", d.notes);
    // Another host's copy, and one that was hardly slower, are nothing to compare.
    for (from, to) in [
        (
            "$ scp f 10.8.1.1:\nf              100%  500MB  98",
            "$ scp f 10.9.9.9:\nf              100%  500MB  98",
        ),
        ("   4.1MB/s   02:01", "  60.0MB/s   00:08"),
    ] {
        let d = of(&text.replace(from, to), &farpath_diagnose::Known::default());
        assert!(
            !d.notes.iter().any(|n| n.contains("the same bytes")),
            "{:?}",
            d.notes
        );
    }
}

/// A thousand files in three round trips each are the complaint; the one large file that went quickly is not all that is said.
#[test]
fn a_batch_of_small_files_is_not_lost_beside_a_quick_large_one() {
    let text = "$ ping -c 3 -q dr01\nPING dr01 (10.99.0.5) 56(84) bytes of data.\n--- dr01 ping statistics ---\n3 packets transmitted, 3 received, 0% packet loss, time 2002ms\nrtt min/avg/max/mdev = 38.011/38.102/38.200/0.077 ms\n$ time sftp -b put.batch dr01 | tail -1\nsftp> put mail/cur/1700001000\n\nreal\t1m56.412s\nuser\t0m0.711s\nsys\t0m0.322s\n$ wc -l put.batch\n1000 put.batch\n$ du -sh --apparent-size mail/cur\n3.9M\tmail/cur\n$ scp big.iso dr01:/tmp/\nbig.iso                                      100% 2048MB 109.2MB/s   00:18\n";
    let d = of(text, &farpath_diagnose::Known::default());
    assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "application", "{verdict:#?}");
    let why = verdict.because.join("\n");
    assert!(
        why.contains("1000 files of 4.1 kB each took 116 ms a file, 3.1 round trips"),
        "{why}"
    );
}
