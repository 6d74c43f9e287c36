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
