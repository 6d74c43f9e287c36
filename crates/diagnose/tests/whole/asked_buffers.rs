//! A buffer that a test asked for (`-w`): no setting of the kernel's tuning rules it.

use farpath_diagnose::{FlowReport, Known};

use crate::{asked, commands, first_flow, of_files};

/// iperf3's report of a test over 90 ms, 524288 bytes asked for or none: with a window of 694880 bytes, 58 Mbit/s.
fn report(asked: u64) -> String {
    let interval = |n: u32| {
        format!(
            r#"{{"streams":[{{"socket":6,"start":{n},"end":{0},"seconds":1,"bytes":6900000,"bits_per_second":55200000,"retransmits":0,"snd_cwnd":1714432,"snd_wnd":694880,"rtt":95500,"rttvar":1400,"pmtu":1500,"omitted":false,"sender":true}}],"sum":{{"start":{n},"end":{0},"seconds":1,"bytes":6900000,"bits_per_second":55200000,"retransmits":0,"omitted":false,"sender":true}}}}"#,
            n + 1
        )
    };
    let intervals: Vec<String> = (0..10).map(interval).collect();
    let sum = r#"{"start":0,"end":10,"seconds":10,"bytes":69000000,"bits_per_second":55200000,"retransmits":0,"sender":true}"#;
    format!(
        r#"{{"start":{{"connected":[{{"socket":6,"local_host":"198.51.100.1","local_port":43058,"remote_host":"198.51.100.2","remote_port":5201}}],"version":"iperf 3.12","system_info":"Linux client 6.1.0 x86_64","tcp_mss_default":1448,"target_bitrate":0,"sock_bufsize":{asked},"sndbuf_actual":1048576,"rcvbuf_actual":1048576,"test_start":{{"protocol":"TCP","num_streams":1,"blksize":131072,"omit":0,"duration":10,"reverse":0}}}},"intervals":[{}],"end":{{"sum_sent":{sum},"sum_received":{sum}}}}}"#,
        intervals.join(",")
    )
}

fn flow(asked: u64, settings: &str) -> FlowReport {
    let known = Known {
        line: Some("200 Mbit/s".parse().expect("a rate")),
        rtt: "90 ms".parse().ok(),
        ..Known::default()
    };
    let report = report(asked);
    let files = [("client.json", report.as_str()), ("receiver.txt", settings)];
    let files = if settings.is_empty() {
        &files[..1]
    } else {
        &files[..]
    };
    first_flow(of_files(files, &known))
}

/// By Linux: a socket whose program set SO_RCVBUF is not tuned (`SOCK_RCVBUF_LOCK`), so that tcp_rmem is without effect.
#[test]
fn a_report_with_a_buffer_that_was_asked_for_says_to_leave_it_out() {
    let flow = flow(524_288, "");
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let commands = commands(&flow);
    assert!(commands.contains("leave -w out of the test"), "{commands}");
    assert!(!commands.contains("sysctl"), "{commands}");
    // What tuning gives without it, nobody said.
    assert_eq!(flow.changes[0].predicted_bps, None, "{:#?}", flow.changes);
    assert!(
        !asked(&flow).contains(&"receive_window_bytes"),
        "{:?}",
        flow.missing
    );
}

/// Settings that give the line's 2.25 MB stay as they are.
#[test]
fn settings_that_are_large_enough_stay() {
    let settings = "server$ sysctl net.ipv4.tcp_rmem net.core.rmem_max\nnet.ipv4.tcp_rmem = 4096\t131072\t67108864\nnet.core.rmem_max = 67108864\n";
    let flow = flow(524_288, settings);
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let commands = commands(&flow);
    assert!(commands.contains("leave -w out of the test"), "{commands}");
    assert!(!commands.contains("sysctl"), "{commands}");
}

/// 0 is what iperf3 prints where nobody asked.
#[test]
fn a_report_without_one_goes_by_the_settings() {
    let flow = flow(0, "");
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let commands = commands(&flow);
    assert!(!commands.contains("leave -w out"), "{commands}");
    assert!(commands.contains("net.ipv4.tcp_rmem"), "{commands}");
}

/// Ten seconds of iperf3 at one rate over 150 ms, behind the command that was typed.
fn typed(options: &str, mbit: f64, port: u16) -> String {
    let mut text = format!(
        "a$ iperf3 -c 203.0.113.9 {options}\nConnecting to host 203.0.113.9, port 5201\n[  5] local 192.0.2.10 port {port} connected to 203.0.113.9 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
    );
    let mbytes = mbit / 8.388_608;
    for n in 0..10 {
        text += &format!(
            "[  5]   {n}.00-{}.00   sec  {mbytes:.1} MBytes  {mbit:.1} Mbits/sec    0    900 KBytes\n",
            n + 1
        );
    }
    let all = 10.0 * mbytes;
    text + &format!(
        "- - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  {all:.1} MBytes  {mbit:.1} Mbits/sec    0             sender\n[  5]   0.00-10.02  sec  {all:.1} MBytes  {mbit:.1} Mbits/sec                  receiver\n\niperf Done.\n\n"
    )
}

/// The windows and buffers among a flow's ceilings, with what each leaves.
fn rooms(flow: &FlowReport) -> Vec<(&str, f64)> {
    let rooms = ["receive_window", "send_buffer"];
    let all = flow.ceilings.iter().filter(|c| rooms.contains(&c.cause));
    all.map(|c| (c.cause, c.limit_bps)).collect()
}

/// 262144 bytes were asked for, and Linux gave 425984, its limit twice: 212992 over 46.12 ms are 36.95 Mbit/s.
#[test]
fn the_buffer_that_a_report_says_was_given_bounds_the_sender() {
    let report = report(262_144)
        .replace("1048576", "425984")
        .replace("694880", "524288")
        .replace("1714432", "372136")
        .replace("95500", "46120")
        .replace("55200000", "36900000")
        .replace("6900000", "4612500");
    let flow = first_flow(of_files(&[("client.json", &report)], &Known::default()));
    let all = rooms(&flow);
    let buffer = all.iter().find(|(cause, _)| *cause == "send_buffer");
    let bps = buffer.map_or(0.0, |(_, bps)| *bps);
    assert!((bps / 36.95e6 - 1.0).abs() < 0.01, "{all:?}");
    assert!(
        !asked(&flow).contains(&"send_buffer_bytes"),
        "{:?}",
        flow.missing
    );
}

/// `-w` of iperf3 is of both ends: 262144 bytes over 150 ms are 13.98 Mbit/s.
#[test]
fn a_buffer_that_was_typed_bounds_window_and_buffer() {
    let known = Known {
        rtt: "150 ms".parse().ok(),
        ..Known::default()
    };
    let of = |text: &str| of_files(&[("log.txt", text)], &known);
    let flow = first_flow(of(&typed("-w 256K -t 10", 13.4, 40_022)));
    let all = rooms(&flow);
    assert_eq!(all.len(), 2, "{all:?}");
    for (cause, bps) in all {
        assert!((bps / 13.98e6 - 1.0).abs() < 0.01, "{cause} {bps}");
    }
    assert!(
        !asked(&flow).contains(&"receive_window_bytes"),
        "{:?}",
        flow.missing
    );
    // What was asked for leaves no such rate.
    let d = of(&typed("-w 256K -t 10", 300.0, 40_022));
    let verdict = &d.flows[0].verdict;
    assert!(
        !["receive_window", "send_buffer"].contains(&verdict.cause),
        "{verdict:#?}"
    );
    let texts: Vec<&str> = d.contradictions.iter().map(|c| c.text.as_str()).collect();
    assert!(texts.iter().any(|t| t.contains("(-w)")), "{texts:?}");
    // It is of its own test alone.
    let two = typed("-w 256K -t 10", 13.4, 40_022) + &typed("-t 10", 300.0, 40_024);
    let d = of(&two);
    let other = d.flows.iter().find(|f| {
        let rate = f.observed.goodput_bps;
        rate.is_some_and(|bps| bps > 1e8)
    });
    assert_eq!(rooms(other.expect("the second test")), []);
}

/// What a program was asked for and what a buffer leaves are each of its own test: 50 Mbit/s beside 65536 bytes over 40 ms, and neither.
#[test]
fn options_are_of_the_test_below_them() {
    let known = Known {
        rtt: "40 ms".parse().ok(),
        ..Known::default()
    };
    let text = typed("-b 50M -t 10", 50.0, 40_022)
        + &typed("-w 64K -t 10", 12.9, 40_024)
        + &typed("-t 10", 180.0, 40_026);
    let d = of_files(&[("log.txt", &text)], &known);
    let of = |mbit: f64| {
        let is_it = |f: &&FlowReport| {
            let rate = f.observed.goodput_bps;
            rate.is_some_and(|bps| (bps / 1e6 - mbit).abs() < 1.0)
        };
        d.flows.iter().find(is_it).expect("each has a flow")
    };
    let asked = |mbit: f64| of(mbit).ceilings.iter().any(|c| c.cause == "application");
    assert_eq!([50.0, 12.9, 180.0].map(asked), [true, false, false]);
    let verdict = &of(50.0).verdict;
    assert_eq!(verdict.cause, "application", "{verdict:#?}");
    for mbit in [12.9, 180.0] {
        assert_ne!(of(mbit).verdict.cause, "application", "{mbit}");
    }
    // Of both in one test the lower one decides.
    let d = of_files(
        &[("log.txt", &typed("-b 8M -w 64K -t 10", 8.0, 40_028))],
        &known,
    );
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "application", "{verdict:#?}");
}
