//! Tickets pasted into one text: both ends' logs, a ping, settings behind a prompt. The path, the settings and the rate are
//! those of SLAC's ticket of 2005; the texts are written anew.

use farpath_diagnose::{FlowReport, Known};

use crate::of;

const CLIENT: &str = "\
$ iperf -c 193.124.167.29 -t 20 -i 5 -w 8m
------------------------------------------------------------
Client connecting to 193.124.167.29, TCP port 5001
TCP window size: 16.0 MByte (WARNING: requested 8.0 MByte)
------------------------------------------------------------
[  3] local 134.79.240.36 port 41234 connected with 193.124.167.29 port 5001
[ ID] Interval       Transfer     Bandwidth
[  3]  0.0- 5.0 sec  12.1 MBytes  20.3 Mbits/sec
[  3]  5.0-10.0 sec   280 KBytes   459 Kbits/sec
[  3] 10.0-15.0 sec   288 KBytes   472 Kbits/sec
[  3]  0.0-20.5 sec  13.0 MBytes  5.3 Mbits/sec
";

const SERVER: &str = "\
server:
[  4] local 193.124.167.29 port 5001 connected with 134.79.240.36 port 41234
[  4]  0.0-20.0 sec  1.13 MBytes   472 Kbits/sec
";

const PING: &str = "
--- 193.124.167.29 ping statistics ---
20 packets transmitted, 20 packets received, 0.0% packet loss
round-trip min/avg/max/stddev = 250.3/273.9/299.7/14.2 ms
";

const SETTINGS: &str = "
server# sysctl -a | grep space
net.inet.tcp.recvspace=16384
net.inet.tcp.sendspace=16384
";

/// The one flow of a text, whose cause is the window with at least 0.9.
fn window(parts: &[&str]) -> FlowReport {
    let d = of(&parts.concat(), &Known::default());
    let [flow] = &d.flows[..] else {
        panic!("{:#?}", d.flows)
    };
    assert_eq!(flow.name, "134.79.240.36 > 193.124.167.29");
    assert_eq!(
        flow.verdict.cause, "receive_window",
        "{:#?} {:#?}",
        flow.verdict, flow.ceilings
    );
    assert!(flow.verdict.confidence >= 0.9, "{:#?}", flow.verdict);
    assert!(d.contradictions.is_empty(), "{:?}", d.contradictions);
    let because = flow.verdict.because.join("\n");
    assert!(
        because.contains("its own socket buffer filling"),
        "{because}"
    );
    assert_eq!(flow.changes[0].host, "193.124.167.29");
    flow.clone()
}

fn rate(flow: &FlowReport) -> (Option<f64>, Option<&'static str>) {
    (flow.observed.goodput_bps, flow.observed.side)
}

const RECEIVED: (Option<f64>, Option<&str>) = (Some(472e3), Some("receiver"));

#[test]
fn both_ends_of_one_connection_are_one_flow() {
    let flow = window(&[CLIENT, SERVER, PING, SETTINGS]);
    assert_eq!(rate(&flow), RECEIVED);
}

#[test]
fn the_servers_log_may_come_first() {
    let flow = window(&[SERVER, "\n", CLIENT, PING, SETTINGS]);
    assert_eq!(rate(&flow), RECEIVED);
}

#[test]
fn both_ends_may_use_the_same_id() {
    let server = SERVER.replace("[  4]", "[  3]");
    assert_eq!(rate(&window(&[CLIENT, &server, PING, SETTINGS])), RECEIVED);
    // Its row alone, behind the word.
    let row = "On the server:\n[  3]  0.0-20.0 sec  1.13 MBytes   472 Kbits/sec\n";
    assert_eq!(rate(&window(&[CLIENT, row, PING, SETTINGS])), RECEIVED);
}

#[test]
fn no_label_and_no_header_are_needed() {
    let server = SERVER.replace("server:\n", "");
    let client: String = CLIENT
        .lines()
        .filter(|l| l.starts_with('[') || l.starts_with("TCP"))
        .map(|l| format!("{l}\n"))
        .collect();
    assert_eq!(rate(&window(&[&client, &server, PING, SETTINGS])), RECEIVED);
    let whole = "------------\nServer listening on TCP port 5001\nTCP window size: 16.0 KByte (default)\n------------\n";
    let server = SERVER.replace("server:\n", whole);
    assert_eq!(rate(&window(&[CLIENT, &server, PING, SETTINGS])), RECEIVED);
}

#[test]
fn an_address_that_is_translated_is_still_the_same_connection() {
    let server = SERVER.replace("local 193.124.167.29", "local 10.1.2.3");
    assert_eq!(rate(&window(&[CLIENT, &server, PING, SETTINGS])), RECEIVED);
}

#[test]
fn without_the_servers_report_the_steady_intervals_are_the_rate() {
    let flow = window(&[CLIENT, PING, SETTINGS]);
    let (rate, side) = rate(&flow);
    assert_eq!((rate, side), (Some(465.5e3), Some("sender")));
    // The buffer's size unsaid: the intervals alone show it.
    let bare = CLIENT.replace(
        "TCP window size: 16.0 MByte (WARNING: requested 8.0 MByte)\n",
        "",
    );
    assert_eq!(self::rate(&window(&[&bare, PING, SETTINGS])).0, rate);
}

#[test]
fn a_prompt_says_whose_settings_follow() {
    for prompt in [
        "server# sysctl -a | grep space",
        "root@server:~ # sysctl -a | grep space",
        "[admin@server ~]$ sysctl net.inet.tcp.recvspace net.inet.tcp.sendspace",
        "== server ==",
    ] {
        // The client's prints the same keys: only the labels tell the two apart.
        let client = "\nclient# sysctl -a | grep space\nnet.inet.tcp.recvspace=4194304\nnet.inet.tcp.sendspace=16777216\n";
        let settings = SETTINGS.replace("server# sysctl -a | grep space", prompt);
        let bsd = CLIENT.replace("16.0 MByte (WARNING: requested 8.0 MByte)", "16.0 MByte");
        let flow = window(&[&bsd, SERVER, PING, client, &settings]);
        let windows: Vec<f64> = flow
            .ceilings
            .iter()
            .filter(|c| c.cause == "receive_window")
            .map(|c| (c.limit_bps * 0.2739 / 8.0).round())
            .collect();
        assert_eq!(windows.len(), 1, "{prompt}: {:?}", flow.ceilings);
        assert!(
            (windows[0] - 16_384.0).abs() < 200.0,
            "{prompt}: {windows:?}"
        );
    }
}

#[test]
fn a_prompt_may_be_the_hosts_name() {
    let client = CLIENT
        .replace("-c 193.124.167.29", "-c rainbow.inp.nsk.su")
        .replace("to 193.124.167.29,", "to rainbow.inp.nsk.su,");
    let settings = SETTINGS.replace("server#", "rainbow:root {12}");
    let flow = window(&[&client, SERVER, PING, &settings]);
    assert_eq!(rate(&flow), RECEIVED);
}

#[test]
fn a_burst_that_no_buffer_holds_is_no_buffer_filling() {
    // 12 MB went out at first, and the buffer has 64 KB.
    let small = CLIENT.replace("16.0 MByte (WARNING: requested 8.0 MByte)", "64.0 KByte");
    let d = of(&[&small, PING].concat(), &Known::default());
    assert_eq!(d.flows[0].observed.goodput_bps, Some(5.3e6));
}

const LOG: &str = "\
[  5] local 198.51.100.10 port 50110 connected to 203.0.113.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  26.2 MBytes  22.0 Mbits/sec    0             sender
[  5]   0.00-10.17  sec  25.9 MBytes  21.4 Mbits/sec                  receiver
rtt min/avg/max/mdev = 174.8/175.1/176.0/0.2 ms
";

/// A socket that waits for its receiver, with these ends.
fn socket(own: &str, peer: &str) -> String {
    format!(
        "ESTAB 0 1523680 {own} {peer}\n\t skmem:(r0,rb131072,t0,tb4194304,f1232,w1523680,o0,bl0,d0) ts sack cubic \
         wscale:7,9 rto:376 rtt:175.2/0.3 mss:1448 cwnd:1204 bytes_sent:27472896 bytes_acked:27000000 \
         segs_out:19000 busy:10000ms rwnd_limited:9870ms(98.7%) unacked:332 notsent:1042368 minrtt:174.8\n"
    )
}

#[test]
fn the_socket_of_another_connection_is_no_evidence() {
    let cause = |socket: &str| {
        let d = of(&format!("{LOG}\n{socket}"), &Known::default());
        (d.flows[0].verdict.cause, d.flows[0].verdict.confidence)
    };
    let own = cause(&socket("198.51.100.10:50110", "203.0.113.20:5201"));
    assert!(own.0 == "receive_window" && own.1 > 0.8, "{own:?}");
    for (from, to) in [
        ("198.51.100.10:50000", "192.0.2.99:443"),
        ("198.51.100.10:41522", "203.0.113.20:22"),
    ] {
        assert_eq!(cause(&socket(from, to)), cause(""), "{from} > {to}");
    }
}

/// Without the line of its ends a test is still of the port that its command says, or of iperf3's own.
#[test]
fn a_socket_of_another_service_is_not_that_of_a_test_without_its_ends() {
    let viewer = "$ ss -tin dst 198.51.100.77\nESTAB 0 0 10.0.0.5:443 198.51.100.77:51234\n\t bbr wscale:8,9 rto:232 rtt:24.4/1.6 mss:1448 pmtu:1500 rcvmss:1448 advmss:1448 cwnd:66 bytes_sent:91234912 bytes_retrans:1448 bytes_acked:91233464 bytes_received:3122 segs_out:63102 segs_in:31211 data_segs_out:63101 data_segs_in:12 bbr:(bw:48.1Mbps,mrtt:23.9,pacing_gain:1,cwnd_gain:2) send 31.3Mbps lastsnd:812 lastrcv:812 pacing_rate 47.6Mbps delivery_rate 41.2Mbps delivered:63100 app_limited busy:9120ms retrans:0/1 rcv_space:14600 rcv_ssthresh:64088 minrtt:23.9 snd_wnd:3145728\n";
    let rows = "[  5]   0.00-10.00  sec   560 MBytes   470 Mbits/sec   11             sender\n[  5]   0.00-10.02  sec   559 MBytes   468 Mbits/sec                  receiver\n";
    for head in [
        "$ iperf3 -c 198.51.100.77 -t 10\n",
        "$ iperf3 -c 198.51.100.77 -p 5202 -t 10\n",
        "Connecting to host 198.51.100.77, port 5201\n",
    ] {
        let d = of(&format!("{viewer}{head}{rows}"), &Known::default());
        assert_eq!(d.flows.len(), 2, "{head}: {:#?}", d.flows);
        let fast = |f: &&FlowReport| f.observed.goodput_bps.is_some_and(|bps| bps > 4e8);
        let test = d.flows.iter().find(fast).expect("the test is a flow");
        assert_ne!(test.verdict.cause, "application", "{head}");
        let because = test.verdict.because.join("\n");
        assert!(!because.contains("app_limited"), "{head}: {because}");
    }
    // A test of that port may be what the socket carried.
    let same = format!("{viewer}$ iperf3 -c 198.51.100.77 -p 51234 -t 10\n{rows}");
    assert_eq!(of(&same, &Known::default()).flows.len(), 1);
}

/// The rate of rsync beside the log of eight streams is not the rate of eight.
#[test]
fn a_rate_that_you_name_is_one_connections() {
    let eight: String = (0..8)
        .map(|n| {
            format!(
                "[{:>3}]   0.00-10.00  sec  24.0 MBytes  20.1 Mbits/sec    0             sender\n",
                5 + 2 * n
            )
        })
        .collect();
    let log = format!(
        "$ iperf3 -c 203.0.113.20 -P 8\n{eight}[SUM]   0.00-10.00  sec   192 MBytes   161 Mbits/sec    0             sender\n\
         rtt min/avg/max/mdev = 174.8/175.1/176.0/0.2 ms\n"
    );
    let known = Known {
        measured: Some("22 Mbit/s".parse().expect("a rate")),
        ..Known::default()
    };
    let d = of(&log, &known);
    let because = format!("{:?}", d.flows[0].verdict);
    assert!(
        !because.contains("60"),
        "an eighth of the flight: {because}"
    );
}

/// A mail as it was sent: signs of equality and long lines in quoted-printable.
#[test]
fn a_mail_in_quoted_printable_says_the_same() {
    let mail = |equals: &str, broken: &str| {
        format!(
            "Gr{0}, hier die Ausgaben:\n\n> root@turin:~# ping -q -c 5 pavia\n> 5 packets transmitted, 5 received, 0% packet loss, time 4005ms\n> rtt min/avg/max/mdev {equals} 80.1/80.2/80.4/0.1 ms\n> root@turin:~# iperf3 -c pavia\n> [  5] local 10.7.0.1 port 50212 connected to 10.7.0.2 port 5201\n> [ ID] Interval           Transfer     Bitrate         Retr\n> [  5]   0.00-10.00  sec   388 MBytes   325 Mbits/sec    0         {broken}    sender\n> [  5]   0.00-10.02  sec   386 MBytes   323 Mbits/sec              {broken}    receiver\n> root@pavia:~# sysctl net.ipv4.tcp_rmem\n> net.ipv4.tcp_rmem {equals} 4096 131072 6291456\n",
            if equals == "=" {
                "üße"
            } else {
                "=C3=BC=C3=9Fe"
            }
        )
    };
    let plain = of(&mail("=", ""), &Known::default());
    let sent = of(&mail("=3D", "=\n"), &Known::default());
    let verdict = |d: &farpath_diagnose::Diagnosis| {
        let v = &d.flows[0].verdict;
        (v.cause, v.confidence)
    };
    assert_eq!(
        verdict(&plain).0,
        "receive_window",
        "{:#?}",
        plain.flows[0].verdict
    );
    assert_eq!(verdict(&sent), verdict(&plain), "{:#?}", sent.read);
    // Lines keep their places.
    let settings = sent
        .read
        .iter()
        .find(|p| p.tool == "sysctl")
        .expect("they are read");
    assert_eq!(settings.source, "ticket.txt:14");
}
