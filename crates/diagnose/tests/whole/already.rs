//! What is so already is not advised, what nobody said is printed first, and datagrams are judged as datagrams.

use farpath_diagnose::FlowReport;
use farpath_record::trace::{TraceConnection, TraceDirection};

use crate::{of_capture, of_files, on};

/// CUBIC with losses now and then, 100 ms and 10 Gbit/s: some 60 Mbit/s, as its law has it (RFC 9438 §5).
const SOCKET: &str = "\
State  Recv-Q Send-Q  Local Address:Port  Peer Address:Port
ESTAB  0      9000000 192.0.2.1:40112     192.0.2.2:5001
\t skmem:(r0,rb131072,t0,tb90000000,f0,w9100000,o0,bl0,d0) ts sack cubic wscale:10,10 rto:304 rtt:100.2/0.1 mss:1448 pmtu:1500 cwnd:600 bytes_sent:500200000 bytes_retrans:24616 bytes_acked:500000000 segs_out:345500 segs_in:90000 data_segs_out:345490 send 69Mbps delivery_rate 66Mbps busy:60000ms retrans:0/17 rcv_space:14480 notsent:8000000 minrtt:100.0
";

const SETTINGS: &str = "\
net.ipv4.tcp_congestion_control = bbr
net.core.default_qdisc = fq
net.ipv4.tcp_wmem = 4096\t65536\t1073741824
";

fn flows(files: &[(&str, &str)]) -> Vec<FlowReport> {
    of_files(files, &on("10 Gbit/s")).flows
}

#[test]
fn what_the_host_has_already_is_not_advised() {
    let flow = &flows(&[("sender-ss.txt", SOCKET), ("sender.txt", SETTINGS)])[0];
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let change = &flow.changes[0];
    let commands = change.commands.join("\n");
    assert!(!commands.contains("sysctl -w"), "{commands}");
    assert!(!commands.contains("root fq"), "{commands}");
    assert!(
        commands.contains("this connection runs cubic"),
        "{commands}"
    );
    assert!(change.undo.iter().all(|u| !change.commands.contains(u)));
}

#[test]
fn a_setting_that_nobody_said_is_put_back_to_what_it_was() {
    let flow = &flows(&[("sender-ss.txt", SOCKET)])[0];
    let undo = flow.changes[0].undo.join("\n");
    assert!(undo.contains("tcp_congestion_control=VALUE"), "{undo}");
}

/// Datagrams between two hosts: Mbit/s that were sent, and how many of 100 000 were lost.
fn datagrams(port: u16, mbits: u32, lost: u32) -> String {
    format!(
        "Connecting to host 192.0.2.2, port 5201
[  5] local 192.0.2.1 port {port} connected to 192.0.2.2 port 5201
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-10.00  sec  138 MBytes  {mbits} Mbits/sec  0.000 ms  0/100000 (0%)  sender
[  5]   0.00-10.04  sec  138 MBytes  {} Mbits/sec  0.011 ms  {lost}/100000 ({:.2}%)  receiver

rtt min/avg/max/mdev = 40.1/40.2/40.9/0.1 ms
",
        u64::from(mbits) * u64::from(100_000 - lost) / 100_000,
        f64::from(lost) / 1000.0
    )
}

/// A policer of 220 Mbit/s: BBR gets 200 of it and sends one segment in fifty again.
const POLICED: &str = "\
Connecting to host 192.0.2.2, port 5201
[  5] local 192.0.2.1 port 40000 connected to 192.0.2.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-30.00  sec   720 MBytes   201 Mbits/sec  10400             sender
[  5]   0.00-30.04  sec   718 MBytes   200 Mbits/sec                  receiver
";

#[test]
fn datagrams_have_no_window_and_no_slow_start() {
    let (all, many) = (datagrams(40_001, 150, 0), datagrams(40_002, 400, 45_000));
    let settings = "net.ipv4.tcp_rmem = 4096\t131072\t6291456\n";
    let flows = flows(&[
        ("tcp.txt", POLICED),
        ("some.txt", &all),
        ("more.txt", &many),
        ("receiver.txt", settings),
        ("sender.txt", SETTINGS),
    ]);
    let causes: Vec<&str> = flows.iter().map(|f| f.verdict.cause).collect();
    assert_eq!(causes, ["policer", "none", "policer"], "{flows:#?}");
    for flow in &flows[1..] {
        let tcp = ["receive_window", "send_buffer", "ramp", "random_loss"];
        let own = flow.ceilings.iter().map(|c| c.cause);
        assert_eq!(own.filter(|c| tcp.contains(c)).count(), 0, "{flow:#?}");
        assert!(flow.changes.iter().all(|c| c.predicted_bps.is_none()));
    }
    // 55 % of 400 Mbit/s passed: the sender is to stay below.
    let commands = flows[0].changes[0].commands.join("\n");
    assert!(commands.contains("maxrate 220000kbit"), "{commands}");
}

/// A window of 9 MiB, full, over 238 ms: 9 437 184 · 8 / 0.238 s are 317 Mbit/s. The kernel's shares are cut off.
const FULL: &str = "\
State  Recv-Q Send-Q  Local Address:Port  Peer Address:Port
ESTAB  0      24576000 192.0.2.1:40112    192.0.2.2:5001
\t skmem:(r0,rb131072,t1,tb88604672,f3072,w33554432,o0,bl0,d0) ts sack cubic wscale:10,10 rto:442 rtt:238.2/0.1 mss:1448 pmtu:1500 cwnd:13000 bytes_sent:1152000000 bytes_acked:1142600000 segs_out:795600 segs_in:201400 data_segs_out:795600 send 632Mbps delivery_rate 316Mbps busy:30000ms unacked:6517 rcv_space:14480 notsent:15100000 minrtt:238.1 snd_wnd:9437184
";

#[test]
fn a_socket_with_bytes_to_send_does_not_wait_for_its_program() {
    let flow = &flows(&[("ss.txt", FULL)])[0];
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let own = flow.ceilings.iter().find(|c| c.cause == "receive_window");
    let limit = own.expect("the window is known").limit_bps;
    assert!((limit - 9_437_184.0 * 8.0 / 0.2382).abs() < 1e6, "{limit}");
    // The receiver's settings were not said: they are printed before they are changed.
    let first = &flow.changes[0].commands[0];
    assert!(first.contains("print them first"), "{first}");
}

#[test]
fn no_test_is_proposed_that_no_known_line_carries() {
    let log = POLICED
        .replace("201 Mbits", "8.71 Gbits")
        .replace("200 Mbits", "8.70 Gbits");
    let log = log
        .replace("720 MBytes", "30.4 GBytes")
        .replace("718 MBytes", "30.4 GBytes");
    let d = of_files(
        &[(
            "log.txt",
            &(log + "rtt min/avg/max/mdev = 40.1/40.2/40.9/0.1 ms\n"),
        )],
        &farpath_diagnose::Known::default(),
    );
    let asked = &d.flows[0].missing;
    assert!(
        asked.iter().all(|m| !m.command.contains("-u -b")),
        "{asked:#?}"
    );
}

/// The receiver's first 64 KiB held for a fifth of the time, until it tuned its window to 8 MB: scaling is there, and the window is large.
#[test]
fn a_window_that_is_scaled_is_none_without_scaling() {
    let shares = [
        ("cwnd_recovery", 0.7),
        ("receive_window", 0.25),
        ("loss", 0.05),
    ];
    let connection = TraceConnection {
        id: 1,
        a: "192.0.2.1:36012".to_owned(),
        b: "192.0.2.2:5201".to_owned(),
        duration_ns: 20_000_000_000,
        vantage: "sender_of_a".to_owned(),
        a2b: TraceDirection {
            segments: 22_000,
            bytes: 31_900_000,
            unique_bytes: 31_850_000,
            retransmitted_segments: 8,
            mss: Some(1448),
            window_scale: Some(10),
            window_max_bytes: 8_658_944,
            flight_max_bytes: 700_000,
            goodput_bps: 12_700_000,
            limit_shares: shares.map(|(word, share)| (word.to_owned(), share)).into(),
            ..TraceDirection::default()
        },
        ..TraceConnection::default()
    };
    let times = [240.1, 241.0, 250.0];
    let flow = &of_capture(connection, 31_850_000, times, &on("60 Mbit/s")).flows[0];
    let named = format!("{:?}", flow.verdict);
    assert!(!named.contains("no_window_scaling"), "{named}");
    let commands = flow.changes.iter().flat_map(|c| &c.commands);
    let window = commands.filter(|c| c.contains("window_scaling") || c.contains("rmem"));
    assert_eq!(window.count(), 0, "{:#?}", flow.changes);
}
