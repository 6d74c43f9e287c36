//! Windows that fill a queue: over the round trip that it makes they leave the rate, and hold nothing.

use farpath_diagnose::{FlowReport, Known};

use crate::{of, on};

/// Pings of a path at rest.
fn ping(ms: f64) -> String {
    format!(
        "PING 203.0.113.20 (203.0.113.20) 56(84) bytes of data.\n--- 203.0.113.20 ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 19026ms\nrtt min/avg/max/mdev = {:.3}/{ms:.3}/{:.3}/0.048 ms\n",
        ms - 0.05,
        ms + 0.15
    )
}

/// A socket whose window is full while the round trip is so long, at 938 Mbit/s.
fn socket(rtt_ms: f64, least: &str) -> String {
    let window = (938e6 * rtt_ms / 8e3).round();
    let flight = (window / 1448.0).floor();
    format!(
        "$ ss -tim dst 203.0.113.20\nESTAB 0      22151168 198.51.100.10:41822 203.0.113.20:5201\n\t cubic wscale:14,14 rto:289 rtt:{rtt_ms}/0.4 mss:1448 pmtu:1500 cwnd:{:.0} bytes_sent:1200000000 bytes_acked:1193000000 segs_out:828729 data_segs_out:828727 send 1.16Gbps pacing_rate 1.39Gbps delivery_rate 938Mbps delivered:823900 busy:10200ms rwnd_limited:3500ms(34.3%) unacked:{flight:.0} notsent:11082240 {least}snd_wnd:{window:.0}\n",
        1.25 * flight
    )
}

fn full(flow: &FlowReport) {
    let verdict = &flow.verdict;
    assert!(
        ["link", "shaper"].contains(&verdict.cause),
        "{verdict:#?} {:#?}",
        flow.ceilings
    );
    let promised = |c: &&farpath_diagnose::Change| c.commands.iter().any(|c| c.contains("rmem"));
    assert_eq!(flow.changes.iter().find(promised), None);
    let second = verdict.second.as_ref().map(|s| s.cause);
    assert!(!["receive_window", "client"].contains(&second.unwrap_or("")));
}

/// A port of 1 Gbit/s before which 3 to 80 ms stand, where the line is said to have ten times as much.
#[test]
fn a_full_window_beside_a_queue_does_not_hold() {
    for added in [8.0, 24.0, 48.1, 73.0, 79.0, 83.0, 98.0, 118.0] {
        for line in [None, Some("10Gbit/s"), Some("1Gbit/s")] {
            let text = ping(12.06) + &socket(12.0 + added, "minrtt:12.01 ");
            let known = line.map_or_else(Known::default, on);
            let d = of(&text, &known);
            full(&d.flows[0]);
            let why = d.flows[0].verdict.because.join("\n");
            assert!(added > 80.0 || why.contains("stand in a queue"), "{why}");
        }
    }
}

/// 48 ms at 936 Mbit/s are 5.6 MB.
#[test]
fn the_queue_is_said_in_bytes_and_the_line_is_slower_than_stated() {
    let text = ping(12.06) + &socket(60.1, "minrtt:12.01 ");
    let flow = of(&text, &on("40Gbit/s")).flows.remove(0);
    let why = flow.verdict.because.join("\n");
    assert!(
        why.contains("60.1 ms under load and 12.1 ms at rest: 5.6 MB stand in a queue, so a link is full at 936 Mbit/s, and it is slower than stated"),
        "{why}"
    );
    let window = flow.ceilings.iter().find(|c| c.cause == "receive_window");
    let window = window.expect("it was announced").limit_bps;
    assert!((window / 4.67e9 - 1.0).abs() < 0.02, "{window}");
}

/// Without pings the least that the kernel saw says it, and without that whoever knows it.
#[test]
fn the_round_trip_at_rest_is_the_kernels_or_yours() {
    let flow = of(&socket(60.1, "minrtt:12.01 "), &on("10Gbit/s"))
        .flows
        .remove(0);
    full(&flow);
    let known = Known {
        rtt: Some("12.3 ms".parse().expect("a time")),
        ..on("10Gbit/s")
    };
    full(&of(&socket(60.1, ""), &known).flows[0]);
}

/// What real kernels printed: 20 Mbit/s, 12 ms, a window of 172 672 bytes.
#[test]
fn a_small_window_fills_the_queue_of_a_slow_line() {
    let socket = "State Recv-Q Send-Q Local Address:Port  Peer Address:Port\nESTAB 0      460312    198.18.0.1:57966   198.18.0.2:5201\n\t skmem:(r0,rb131072,t0,tb580608,f2536,w513560,o0,bl0,d0) cubic wscale:7,10 rto:276 rtt:73.108/0.333 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:126 ssthresh:87 bytes_sent:14090677 bytes_acked:13919814 segs_out:9767 segs_in:3140 data_segs_out:9765 send 19964764bps lastrcv:5952 pacing_rate 23957464bps delivery_rate 18986272bps delivered:9648 busy:5948ms rwnd_limited:2036ms(34.2%) unacked:118 rcv_space:14480 rcv_ssthresh:64088 notsent:289448 minrtt:12.156 snd_wnd:172672\n";
    let settings =
        "root@server:~# sysctl net.ipv4.tcp_rmem\nnet.ipv4.tcp_rmem = 4096 131072 262144\n";
    let pings = ping(12.33).replace("203.0.113.20", "198.18.0.2");
    for line in [None, Some("1Gbit/s"), Some("20Mbit/s")] {
        for text in [
            socket.to_owned(),
            pings.clone() + socket,
            pings.clone() + socket + settings,
        ] {
            let known = line.map_or_else(Known::default, on);
            full(&of(&text, &known).flows[0]);
        }
    }
}

/// A window that holds leaves no queue: 12 ms with and without load. Few segments wait for their acknowledgements, and not in a queue.
#[test]
fn a_window_without_a_queue_holds() {
    let verdict = |text: String| of(&text, &on("10Gbit/s")).flows.remove(0).verdict;
    let held = verdict(ping(12.06) + &socket(12.4, "minrtt:12.01 "));
    assert_eq!(held.cause, "receive_window", "{held:#?}");
    let few = "ESTAB 0 8688 198.51.100.10:41822 203.0.113.20:5201\n\t cubic wscale:7,7 rto:240 rtt:42.1/0.4 mss:1448 pmtu:1500 cwnd:10 bytes_sent:5500000 bytes_acked:5494000 segs_out:3800 data_segs_out:3798 delivery_rate 550Kbps busy:80000ms rwnd_limited:72000ms(90.0%) unacked:2 notsent:5792 minrtt:12.01 snd_wnd:2896\n";
    let held = verdict(ping(12.06) + few);
    assert!(
        ["receive_window", "client"].contains(&held.cause),
        "{held:#?}"
    );
}
