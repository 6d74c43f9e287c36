//! What stands beside a test: the receiver's queue and counters, other connections, datagrams.

use farpath_diagnose::{Diagnosis, FlowReport};

use crate::{first_flow, of_files, on};

/// A transfer that waits for its receiver: 48 Mbit/s over 20 ms, on a path of 1 Gbit/s.
const WAITS: &str = "\
State  Recv-Q Send-Q  Local Address:Port  Peer Address:Port
ESTAB  0      2621440 192.0.2.1:40112     192.0.2.2:5001
\t skmem:(r0,rb131072,t0,tb4194304,f0,w2700000,o0,bl0,d0) ts sack cubic wscale:7,7 rto:224 rtt:20.31/0.4 mss:1448 pmtu:1500 cwnd:700 bytes_sent:60400000 bytes_acked:60280000 segs_out:41700 segs_in:9100 data_segs_out:41690 send 399Mbps delivery_rate 47.9Mbps busy:10050ms rwnd_limited:9600ms(95.5%) rcv_space:14480 notsent:2500000 minrtt:20.1
";

/// The same connection at its receiver, whose program has not read 3 MB.
const UNREAD: &str = "\
State  Recv-Q  Send-Q  Local Address:Port  Peer Address:Port
ESTAB  3014656 0       192.0.2.2:5001      192.0.2.1:40112
\t skmem:(r5980000,rb6291456,t0,tb87040,f0,w0,o0,bl0,d0) ts sack cubic wscale:7,7 rto:204 rtt:0.05/0.02 mss:1448 pmtu:1500 cwnd:10 bytes_received:60280000 segs_in:41700 lastsnd:10050 rcv_space:600000 rcv_ssthresh:3000000
";

const SETTINGS: &str = "net.ipv4.tcp_rmem = 4096\t131072\t6291456\n";

fn of(files: &[(&str, &str)]) -> Diagnosis {
    of_files(files, &on("1 Gbit/s"))
}

fn first(files: &[(&str, &str)]) -> FlowReport {
    first_flow(of(files))
}

#[test]
fn a_program_that_does_not_read_is_named_by_its_queue() {
    let flow = first(&[
        ("sender.txt", WAITS),
        ("receiver.txt", UNREAD),
        ("receiver-sysctl.txt", SETTINGS),
    ]);
    assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.9, "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    assert!(because.contains("3014656 bytes stood"), "{because}");
    assert_eq!(flow.changes[0].host, "192.0.2.2");
}

#[test]
fn without_the_receivers_queue_it_is_asked_for() {
    let flow = first(&[("sender.txt", WAITS), ("receiver.txt", SETTINGS)]);
    let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert!(
        asked.contains(&"receive_queue_bytes"),
        "{:#?} {asked:?}",
        flow.verdict
    );
}

#[test]
fn a_window_that_is_read_stays_a_window() {
    let window = "net.ipv4.tcp_rmem = 4096\t131072\t180000\n";
    let read = UNREAD.replace("3014656", "0");
    let flow = first(&[
        ("sender.txt", WAITS),
        ("receiver.txt", &read),
        ("receiver-sysctl.txt", window),
    ]);
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
}

#[test]
fn windows_that_close_again_and_again_are_the_receivers_program() {
    let before = "#kernel\nTcpExtTCPToZeroWindowAdv        12                 0.0\n";
    let after = "#kernel\nTcpExtTCPToZeroWindowAdv        96                 0.0\n";
    let flow = first(&[
        ("sender.txt", WAITS),
        ("receiver-before.txt", before),
        ("receiver-after.txt", after),
        ("receiver.txt", SETTINGS),
    ]);
    assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
}

/// iperf3 over 40 ms: losses now and then, 93 Mbit/s of a gigabit.
fn lossy() -> String {
    let mut text = String::from(
        "$ iperf3 -c 192.0.2.2 -t 10\nConnecting to host 192.0.2.2, port 5201\n[  5] local 192.0.2.1 port 40000 connected to 192.0.2.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
    );
    let rows = [
        (96, 34),
        (88, 21),
        (101, 28),
        (84, 30),
        (95, 19),
        (99, 33),
        (86, 24),
        (97, 29),
        (90, 26),
        (94, 22),
    ];
    for (n, (mbits, again)) in rows.into_iter().enumerate() {
        let row = format!(
            "[  5]   {n}.00-{}.00   sec  {:.1} MBytes  {mbits}.0 Mbits/sec  {again}    420 KBytes\n",
            n + 1,
            f64::from(mbits) / 8.39
        );
        text.push_str(&row);
    }
    text.push_str("[  5]   0.00-10.00  sec   111 MBytes  93.0 Mbits/sec  266             sender\n[  5]   0.00-10.04  sec   111 MBytes  92.7 Mbits/sec                  receiver\n\nrtt min/avg/max/mdev = 40.1/40.2/40.9/0.1 ms\n");
    text
}

/// Datagrams between the same hosts: Mbit/s that were sent, and how many of 100 000 were lost.
fn datagrams(mbits: u32, lost: u32) -> String {
    format!(
        "$ iperf3 -c 192.0.2.2 -u -b {mbits}M -t 10\nConnecting to host 192.0.2.2, port 5201\n[  5] local 192.0.2.1 port 40{mbits} connected to 192.0.2.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-10.00  sec  138 MBytes  {mbits} Mbits/sec  0.000 ms  0/100000 (0%)  sender\n[  5]   0.00-10.04  sec  138 MBytes  {} Mbits/sec  0.011 ms  {lost}/100000 ({:.2}%)  receiver\n",
        u64::from(mbits) * u64::from(100_000 - lost) / 100_000,
        f64::from(lost) / 1000.0
    )
}

#[test]
fn datagrams_tell_kinds_of_loss_apart() {
    let ends = |tests: &[(u32, u32)]| {
        let all: String = tests
            .iter()
            .map(|(rate, lost)| datagrams(*rate, *lost))
            .collect();
        let text = format!("{}\n{all}", lossy());
        let flow = first(&[("ticket.txt", &text)]);
        (flow.verdict.cause, flow.verdict.confidence)
    };
    // Chance takes the same share at any rate; a policer of 100 Mbit/s what is above; a short queue takes none.
    assert_eq!(ends(&[(60, 330), (800, 334)]).0, "random_loss");
    assert_eq!(ends(&[(150, 33_300), (400, 75_000)]).0, "policer");
    assert_eq!(ends(&[(150, 0), (800, 0)]).0, "shallow_buffer");
}

/// A policer that lets 100 Mbit/s through on one test does not hold the path to what arrived of a slower one.
#[test]
fn the_most_that_passed_is_what_a_policer_lets_through() {
    let text = format!(
        "{}\n{}{}",
        lossy(),
        datagrams(102, 6_000),
        datagrams(400, 75_000)
    );
    let flow = first(&[("ticket.txt", &text)]);
    let commands: Vec<&String> = flow.changes.iter().flat_map(|c| &c.commands).collect();
    let paced = commands.iter().any(|c| c.contains("maxrate 100000kbit"));
    assert!(paced, "{commands:?}");
}

#[test]
fn kinds_of_loss_that_are_open_ask_for_datagrams() {
    let flow = first(&[("ticket.txt", &lossy())]);
    let asked = flow
        .missing
        .iter()
        .find(|m| m.fact == "datagram_loss_ratio");
    let sure = flow.verdict.confidence >= 0.9;
    assert!(
        sure || asked.is_some_and(|m| m.command.contains("-u -b")),
        "{flow:#?}"
    );
}

/// Of 80 and of 160 Mbit/s 40 pass, and all of 30: a ceiling, and no text says whether anything waits before it.
#[test]
fn datagrams_of_which_as_much_passes_at_each_rate_meet_a_ceiling() {
    let tests = [(80, 50_000), (160, 75_000), (30, 0)];
    let text: String = tests
        .iter()
        .map(|(rate, lost)| datagrams(*rate, *lost))
        .collect();
    let d = of(&[("ticket.txt", &text)]);
    assert_eq!(d.flows.len(), 3, "{:#?}", d.flows);
    for flow in &d.flows[..2] {
        assert!(flow.verdict.confidence < 0.5, "{:#?}", flow.verdict);
        let because = flow.verdict.because.join("\n");
        assert!(because.contains("as much passed, 40.0 Mbit/s"), "{because}");
        // The line is stated, and faster.
        let all = "it is a policer or a shaper at 40.0 Mbit/s";
        assert!(because.contains(all), "{because}");
        let asked = flow.missing.iter().any(|m| m.fact == "rtt_loaded_ns");
        assert!(asked, "{:#?}", flow.missing);
        assert!(because.contains("whether the round trip grew"), "{because}");
    }
    assert_ne!(d.flows[2].verdict.cause, "policer", "{:#?}", d.flows[2]);
}

/// What passes goes up with what is sent: chance takes a share of it, and nothing is a ceiling.
#[test]
fn datagrams_that_lose_the_same_share_meet_none() {
    let text = datagrams(80, 10_000) + &datagrams(160, 10_000);
    let d = of(&[("ticket.txt", &text)]);
    for flow in &d.flows {
        let because = flow.verdict.because.join("\n");
        assert!(!because.contains("a ceiling"), "{because}");
    }
}

/// A download that names no address, and `ss` at its host with an upload to a recorder beside it: the upload is a flow of its own, and its
/// round trip is none of the download's.
#[test]
fn an_upload_beside_a_download_is_a_flow_of_its_own() {
    let curl = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n100 1024M  100 1024M    0     0  35.7M      0  0:00:28  0:00:28 --:--:-- 36.1M\n";
    let upload = "ESTAB  0      0      192.168.1.10:40222    198.51.100.9:554\n\t cubic wscale:7,7 rto:240 rtt:38.1/2.0 mss:1448 pmtu:1500 cwnd:30 bytes_sent:60400000 bytes_acked:60280000 segs_out:41700 segs_in:9100 data_segs_out:41690 busy:90050ms minrtt:36.0\n";
    let download = "ESTAB  0      0      192.168.1.10:51000    203.0.113.5:443\n\t cubic wscale:7,7 rto:204 rtt:20.0/0.2 mss:1448 pmtu:1500 cwnd:10 bytes_received:900280000 segs_in:641700 lastsnd:10050 rcv_space:600000 minrtt:19.8\n";
    let head = "State  Recv-Q Send-Q  Local Address:Port  Peer Address:Port\n";
    for sockets in [[upload, download], [download, upload]] {
        let text = format!("{curl}$ ss -tin\n{head}{}", sockets.concat());
        let d = of(&[("ticket.txt", &text)]);
        let named = |part: &str| d.flows.iter().filter(|f| f.name.contains(part)).count();
        assert_eq!(named("198.51.100.9"), 1, "{:#?}", d.flows);
        let is_fast = |f: &&FlowReport| f.observed.goodput_bps.is_some_and(|bps| bps > 2e8);
        let fast = d.flows.iter().find(is_fast).expect("the download");
        assert!(!fast.name.contains("198.51.100.9"), "{}", fast.name);
        let rtt = fast.observed.rtt_ns;
        assert!(rtt.is_none_or(|ns| ns < 30e6), "{rtt:?}");
    }
}
