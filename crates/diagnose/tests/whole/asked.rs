//! What a verdict asks for is given back beside the first text: the connection stays, and what was asked for is evidence on it.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::of_files;

/// A path of 25 Gbit/s over 262 ms.
fn known() -> Known {
    Known {
        line: Some("25 Gbit/s".parse().expect("a rate")),
        rtt: "262 ms".parse().ok(),
        ..Known::default()
    }
}

fn of(files: &[(&str, &str)]) -> Diagnosis {
    of_files(files, &known())
}

/// A connection of 61 s that carried 5.8 GB: 764 Mbit/s by its kernel. `more` is what the kernel says of its time and losses.
pub(crate) fn socket(ports: [u16; 2], cc: &str, more: &str) -> String {
    let [from, to] = ports;
    format!(
        "State Recv-Q Send-Q   Local Address:Port     Peer Address:Port  Process\nESTAB 0      26987152 203.0.113.10:{from}   198.51.100.20:{to}\n\t {cc} wscale:14,14 rto:463 rtt:262.114/0.038 ato:40 mss:8948 pmtu:9000 cwnd:21042 bytes_sent:5838890000 bytes_acked:5814000000 segs_out:652538 lastsnd:1 delivery_rate 760000000bps busy:60900ms unacked:2781 minrtt:262.021 {more}\n"
    )
}

const FULL_WINDOW: &str = "rwnd_limited:58800ms(96.6%) notsent:2097152 snd_wnd:24903680";

/// Datagrams between the same hosts: Mbit/s that were sent, and how many of 100 000 were lost.
fn datagrams(mbits: u32, lost: u32) -> String {
    let passed = u64::from(mbits) * u64::from(100_000 - lost) / 100_000;
    format!(
        "[dtn1 ~]$ iperf3 -c 198.51.100.20 -u -b {mbits}M -t 10\nConnecting to host 198.51.100.20, port 5201\n[  5] local 203.0.113.10 port 4{mbits} connected to 198.51.100.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-10.00  sec  834 MBytes  {mbits} Mbits/sec  0.000 ms  0/100000 (0%)  sender\n[  5]   0.00-10.00  sec  834 MBytes  {passed} Mbits/sec  0.012 ms  {lost}/100000 ({}%)  receiver\n\niperf Done.\n",
        lost / 1000
    )
}

const FASTER: &str = "[dtn1 ~]$ iperf3 -c 198.51.100.20 -t 30 -P 1\nConnecting to host 198.51.100.20, port 5201\n[  5] local 203.0.113.10 port 41822 connected to 198.51.100.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-30.00  sec  52.4 GBytes  15.0 Gbits/sec    0             sender\n[  5]   0.00-30.26  sec  52.3 GBytes  14.8 Gbits/sec                  receiver\n\niperf Done.\n";

/// The flow whose rate is that of the socket.
fn transfer(diagnosis: &Diagnosis) -> &FlowReport {
    let is = |f: &&FlowReport| {
        let bps = f.observed.goodput_bps.unwrap_or(0.0);
        (bps - 763.7e6).abs() < 1e6
    };
    let found = diagnosis.flows.iter().find(is);
    found.unwrap_or_else(|| panic!("the transfer is gone: {:#?}", diagnosis.flows))
}

#[test]
fn datagrams_beside_a_connection_leave_it_a_flow() {
    let ss = socket([50412, 50210], "cubic", FULL_WINDOW);
    let alone = of(&[("ticket.txt", &ss)]);
    let d = of(&[("ticket.txt", &(ss + "\n" + &datagrams(700, 0)))]);
    assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
    let flow = transfer(&d);
    assert_eq!(flow.verdict.cause, "receive_window");
    assert_eq!(flow.verdict.cause, transfer(&alone).verdict.cause);
    // It stood first in the text, and its ports tell it from the test.
    assert_eq!(d.flows[0].name, "203.0.113.10:50412 > 198.51.100.20:50210");
    assert_eq!(d.flows[1].verdict.cause, "none");
}

#[test]
fn datagrams_that_lose_above_a_rate_settle_a_policer() {
    let lossy = "bytes_retrans:249998172 retrans:0/27939 notsent:2097152 snd_wnd:536870912";
    let ss = socket([50412, 50210], "bbr", lossy);
    let [below, above] = [datagrams(700, 0), datagrams(1222, 35_000)];
    let d = of(&[
        ("ticket.txt", &ss),
        ("below.txt", &below),
        ("above.txt", &above),
    ]);
    let flow = transfer(&d);
    assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence > 0.9, "{:#?}", flow.verdict);
    let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert!(!asked.contains(&"datagram_loss_ratio"), "{asked:?}");
    // What the datagrams lost is the policer's, too, and not the receiving program's.
    let lost = d.flows.iter().find(|f| {
        let bps = f.observed.goodput_bps.unwrap_or(0.0);
        (bps - 794e6).abs() < 1e6
    });
    let verdict = &lost.expect("a flow of its own").verdict;
    assert_eq!(verdict.cause, "policer", "{verdict:#?}");
}

/// Two tests send as many datagrams from one port, at two rates: they are two tests. None is lost at the higher rate, which a policer
/// would not let pass.
#[test]
fn datagrams_that_pass_far_above_the_rate_leave_no_policer() {
    let lossy = "bytes_retrans:2499981 retrans:0/279 notsent:2097152 snd_wnd:536870912";
    let ss = socket([50412, 50210], "bbr", lossy);
    let passed = |mbits: u32| {
        let seconds = 10_000.0 / f64::from(mbits);
        datagrams(mbits, 0)
            .replace("10.00", &format!("{seconds:.2}"))
            .replace(&format!(" port 4{mbits} "), " port 50000 ")
    };
    let (slow, fast) = (passed(1222), passed(3055));
    let d = of(&[
        ("ticket.txt", &ss),
        ("slow.txt", &slow),
        ("fast.txt", &fast),
    ]);
    assert_eq!(d.flows.len(), 3, "{:#?}", d.flows);
    let verdict = &transfer(&d).verdict;
    assert_ne!(verdict.cause, "policer", "{verdict:#?}");
}

#[test]
fn a_faster_test_settles_that_it_is_the_program() {
    let ss = socket([50412, 50210], "cubic", "app_limited snd_wnd:536870912");
    let d = of(&[("ticket.txt", &(ss + FASTER))]);
    assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
    let flow = transfer(&d);
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    assert!(
        because.contains("iperf3 between the same hosts got 14.8 Gbit/s, 19.4 times as much"),
        "{because}"
    );
}

/// A socket between other hosts is none of the test's, and is named.
#[test]
fn a_connection_between_other_hosts_is_left_out_by_name() {
    let ss = socket([50412, 50210], "cubic", FULL_WINDOW).replace("198.51.100.20", "192.0.2.77");
    let d = of(&[("ticket.txt", &(ss + FASTER))]);
    assert_eq!(d.flows.len(), 1, "{:#?}", d.flows);
    let note = "connections that are of no test for certain are left out: between 203.0.113.10:50412 and 192.0.2.77:50210 (5.8 GB)";
    assert!(d.notes.iter().any(|n| n == note), "{:?}", d.notes);
}

/// 7.6 MB/s, in the row of a copy that goes to a name, and in the socket of its address.
#[test]
fn a_copy_to_a_name_is_the_connection_to_its_address() {
    let ss = "ESTAB 0      1998848  203.0.113.10:50412   198.51.100.20:22\n\t cubic wscale:14,14 rto:463 rtt:262.114/0.038 mss:8948 pmtu:9000 cwnd:1042 bytes_sent:468648848 bytes_acked:466650000 delivery_rate 61000000bps app_limited busy:61000ms unacked:223 minrtt:262.021 snd_wnd:536870912\n";
    let row = "[dtn1 ~]$ scp big.tar data@ams-dtn.example.nl:/data/\nbig.tar                           12%  118GB   7.3MB/s 31:12:08 ETA\n";
    for text in [ss.to_owned(), format!("{ss}{row}")] {
        let d = of(&[("ticket.txt", &text)]);
        assert_eq!(d.flows.len(), 1, "{:#?}", d.flows);
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
        // 2 MiB over 262.114 ms are 64.0 Mbit/s.
        let because = flow.verdict.because.join("\n");
        assert!(because.contains("OpenSSH: 64.0 Mbit/s"), "{because}");
        let change = flow.changes[0].commands.join("\n");
        assert!(change.contains("2 MiB of a channel"), "{change}");
    }
}

#[test]
fn what_a_program_waits_for_is_asked_for_however_sure_it_is() {
    let ss = socket([50412, 50210], "cubic", "app_limited snd_wnd:536870912");
    let d = of(&[("sender.txt", &ss)]);
    let flow = transfer(&d);
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
    let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert_eq!(asked[..2], ["cpu_ratio", "disk_busy_ratio"]);
}

/// Eight connections side by side, 95 Mbit/s each, are one flow of 764 Mbit/s.
#[test]
fn connections_side_by_side_are_added_up() {
    let one = |n: u16| {
        let ss = socket([50412 + n, 50210 + n], "cubic", FULL_WINDOW);
        let ss = ss.replace("5838890000", "729862960");
        ss.replace("5814000000", "726750000")
            .replace("760000000bps", "95000000bps")
            .replace("24903680", "3112960")
            .replace("unacked:2781", "unacked:347")
    };
    let all: String = (0..8).map(one).collect();
    let d = of(&[("ticket.txt", &all)]);
    assert_eq!(d.flows.len(), 1, "{:#?}", d.flows);
    let flow = transfer(&d);
    assert_eq!(flow.name, "203.0.113.10 > 198.51.100.20 (8 connections)");
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    assert_eq!(flow.streams.len(), 8);
    let sum: f64 = flow.streams.iter().filter_map(|s| s.goodput_bps).sum();
    assert!((sum / 763.7e6 - 1.0).abs() < 1e-3, "{sum}");
    assert_eq!(
        flow.streams[7].name,
        "203.0.113.10:50419 > 198.51.100.20:50217"
    );
    // 8 times 3 112 960 bytes over 262.114 ms.
    let window = flow.ceilings.iter().find(|c| c.cause == "receive_window");
    let window = window.expect("it was announced").limit_bps;
    assert!((window / 760.1e6 - 1.0).abs() < 1e-3, "{window}");
    // One that its program limits is a connection of another kind.
    let held = "rwnd_limited:58800ms(96.6%) notsent:2097152 snd_wnd:3112960";
    let other = one(8).replace(held, "app_limited snd_wnd:536870912");
    let d = of(&[("ticket.txt", &(all + &other))]);
    assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
}
