//! Senders that begin anew after each pause of their program.

use crate::first;

/// A server that answers requests: ten segments of window, though it had many and lost nothing.
fn server(cwnd: u32, pause_ms: u32, marks: &str) -> String {
    format!(
        "root@api:~# ss -tin sport = :443\nState Recv-Q Send-Q Local Address:Port Peer Address:Port Process\nESTAB 0      0      192.0.2.10:443     203.0.113.77:50114\n\t ts sack cubic wscale:7,7 rto:344 rtt:140.2/0.4 mss:1448 pmtu:1500 rcvmss:600 advmss:1448 cwnd:{cwnd} ssthresh:180 bytes_sent:29112400 bytes_acked:29112401 bytes_received:81022 segs_out:20311 segs_in:9912 data_segs_out:20202 data_segs_in:204 send 826247bps lastsnd:{pause_ms} lastrcv:{pause_ms} lastack:{pause_ms} pacing_rate 1652488bps delivery_rate 11034000bps delivered:20203 {marks}busy:61200ms rcv_space:14480 rcv_ssthresh:64088 minrtt:139.9 snd_wnd:4194304\n"
    )
}

fn setting(on: u8) -> String {
    format!(
        "root@api:~# sysctl net.ipv4.tcp_slow_start_after_idle\nnet.ipv4.tcp_slow_start_after_idle = {on}\n"
    )
}

const SET: &str = "sysctl -w net.ipv4.tcp_slow_start_after_idle=0";

#[test]
fn a_window_that_begins_anew_after_pauses_is_slow_start() {
    for (cwnd, pause, said) in [
        (
            10,
            20,
            "10 segments is below its slow-start threshold of 180",
        ),
        (
            190,
            4100,
            "nothing was sent for 4100 ms, and its timeout is 344 ms",
        ),
    ] {
        let socket = server(cwnd, pause, "app_limited ");
        let flow = first(&(socket.clone() + &setting(1)));
        let because = flow.verdict.because.join("\n");
        assert!(because.contains(said), "{because}");
        let causes = [
            flow.verdict.cause,
            flow.verdict.second.as_ref().map_or("", |s| s.cause),
        ];
        assert!(causes.contains(&"ramp"), "{:#?}", flow.verdict);
        let change = flow
            .changes
            .iter()
            .find(|c| c.commands.iter().any(|l| l == SET));
        let change = change.expect("it is advised");
        assert!(change.undo.contains(&SET.replace("=0", "=1")));
        if flow.verdict.cause == "ramp" {
            assert_eq!(change.predicted_bps, None, "{change:#?}");
        }
    }
}

#[test]
fn without_the_setting_or_a_pause_nothing_is_said_of_it() {
    let bare = first(&server(10, 20, "app_limited "));
    let off = first(&(server(10, 20, "app_limited ") + &setting(0)));
    assert_eq!(bare.verdict.confidence, off.verdict.confidence);
    for text in [
        server(10, 20, "app_limited "),
        server(10, 20, "app_limited ") + &setting(0),
        server(190, 20, "app_limited ") + &setting(1),
        server(10, 20, "") + &setting(1),
        server(10, 20, "app_limited bytes_retrans:2896 ") + &setting(1),
    ] {
        let flow = first(&text);
        let because = flow.verdict.because.join("\n");
        assert!(!because.contains("begins anew"), "{because}");
        let all = flow.changes.iter().flat_map(|c| &c.commands);
        assert!(all.clone().all(|line| line != SET));
    }
}
