//! Buffers that programs set themselves, buffers at the kernel's limit, and rates that a buffer's change promises.

use farpath_diagnose::{FlowReport, Known};

use crate::{of, on};

/// A program that sets SO_SNDBUF to 128 KiB over 60 ms, as a kernel printed it: tuning would give two congestion windows.
const SOCKET: &str = "\
State Recv-Q Send-Q Local Address:Port   Peer Address:PortProcess
ESTAB 0      315588 [2001:db8::1]:51140 [2001:db8::2]:7000
\t skmem:(r0,rb131072,t0,tb262144,f1852,w342212,o0,bl0,d0) cubic wscale:10,10 rto:264 rtt:63.98/1.487 mss:1428 pmtu:1500 rcvmss:536 advmss:1428 cwnd:554 ssthresh:543 bytes_sent:22476752 bytes_acked:22161165 segs_out:15778 segs_in:8621 data_segs_out:15776 send 98919912bps lastsnd:60 lastrcv:4792 pacing_rate 118702728bps delivery_rate 25413760bps delivered:15556 busy:4792ms sndbuf_limited:3928ms(82.0%) unacked:221 rcv_space:14280 rcv_ssthresh:64108 minrtt:60.21 snd_wnd:2927616
";

/// What its host allows.
fn settings(core: u64, most: u64) -> String {
    format!("net.core.wmem_max = {core}\nnet.ipv4.tcp_wmem = 4096\t16384\t{most}\n")
}

fn flow(text: &str, known: &Known) -> FlowReport {
    of(text, known).flows.remove(0)
}

#[test]
fn a_buffer_that_the_program_set_is_not_the_kernels_to_change() {
    let text = format!("{SOCKET}{}", settings(212_992, 4_194_304));
    let d = of(&text, &on("100 Mbit/s"));
    assert!(d.contradictions.is_empty(), "{:#?}", d.contradictions);
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "send_buffer", "{:#?}", flow.verdict);
    let commands = flow.changes[0].commands.join("\n");
    assert!(commands.contains("SO_SNDBUF"), "{commands}");
    assert!(!commands.contains("tcp_wmem="), "{commands}");
    assert!(
        commands.contains("sysctl -w net.core.wmem_max=1048576"),
        "{commands}"
    );
    // A buffer takes one segment more than it has room for: the rate is below what that leaves.
    let own = flow.ceilings.iter().filter(|c| c.cause == "send_buffer");
    let highest = own.map(|c| c.high_bps).fold(0.0, f64::max);
    assert!(highest > 38.4e6 && highest < 45e6, "{highest}");
    // Enough to ask for, and no more of the kernel than it gives.
    let text = format!("{SOCKET}{}", settings(4_194_304, 524_288));
    let commands = self::flow(&text, &on("100 Mbit/s")).changes[0]
        .commands
        .join("\n");
    assert!(
        commands.contains("as net.core.wmem_max, 4194304"),
        "{commands}"
    );
    assert!(commands.contains("tcp_wmem="), "{commands}");
}

#[test]
fn a_buffer_at_its_setting_is_the_kernels() {
    let text = format!("{SOCKET}{}", settings(4_194_304, 262_144));
    let commands = flow(&text, &on("100 Mbit/s")).changes[0]
        .commands
        .join("\n");
    assert!(commands.contains("tcp_wmem="), "{commands}");
    assert!(!commands.contains("program ask for no"), "{commands}");
}

#[test]
fn a_test_that_asked_for_a_size_at_both_ends_leaves_it_out() {
    let socket = SOCKET
        .replace("rb131072", "rb262144")
        .replace("sndbuf_limited:3928ms(82.0%)", "rwnd_limited:3928ms(82.0%)")
        .replace("snd_wnd:2927616", "snd_wnd:316000");
    let flow = flow(&socket, &on("100 Mbit/s"));
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let commands = flow.changes[0].commands.join("\n");
    assert!(commands.contains("leave -w out of the test"), "{commands}");
}

#[test]
fn a_change_promises_no_more_than_its_own_buffer_gives() {
    let text = "\
TCP Global Parameters
----------------------------------------------
Receive Window Auto-Tuning Level    : normal

root@data:~# ss -tinm sport = :443
State      Recv-Q      Send-Q           Local Address:Port            Peer Address:Port       Process
ESTAB      0           131072            203.0.113.40:443          198.51.100.203:50114
\t skmem:(r0,rb131072,t0,tb131072,f1024,w130048,o0,bl0,d0) sack cubic wscale:8,7 rto:412 rtt:210.402/0.311 mss:1460 pmtu:1500 cwnd:144 bytes_sent:391223422 bytes_acked:391118000 bytes_received:1822 delivery_rate 3994000bps busy:783902ms sndbuf_limited:780110ms(99.5%) unacked:72 minrtt:209.901 snd_wnd:8388608
root@data:~# sysctl net.ipv4.tcp_wmem
net.ipv4.tcp_wmem = 4096\t16384\t131072
";
    let flow = flow(text, &Known::default());
    assert_eq!(flow.verdict.cause, "send_buffer");
    let change = &flow.changes[0];
    let commands = change.commands.join("\n");
    assert!(commands.contains("4096 16384 8388608"), "{commands}");
    let promised = change.predicted_bps.expect("a rate");
    assert!(
        (promised - 8_388_608.0 * 8.0 / 0.2104).abs() < 1e6,
        "{promised}"
    );
    assert_eq!(change.high_bps, Some(promised));
}

#[test]
fn what_is_left_of_a_program_is_what_its_socket_holds() {
    let text = "\
[mokonkwo@dtn07 run118]$ scp run118_recal.tar mokonkwo@198.51.100.77:/data/in/
run118_recal.tar                            100% 8192MB  13.9MB/s   09:50
[mokonkwo@dtn07 ~]$ ss -tinm dst 198.51.100.77
State Recv-Q Send-Q    Local Address:Port     Peer Address:Port Process
ESTAB 0      2070640     192.0.2.31:44512   198.51.100.77:22
\t skmem:(r0,rb131072,t0,tb4194304,f1728,w2297152,o0,bl0,d0) ts sack cubic wscale:10,9 rto:341 rtt:140.288/0.097 mss:1448 pmtu:1500 cwnd:2910 bytes_sent:2348491112 bytes_acked:2346420473 bytes_received:3586112 delivery_rate 117610000bps app_limited busy:161799ms unacked:1430 minrtt:139.921 snd_wnd:6291456
";
    let flow = flow(text, &on("1 Gbit/s"));
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
    let change = &flow.changes[0];
    let then = change.then.as_ref().expect("what is left");
    assert_eq!(then.cause, "send_buffer");
    assert!(then.limit_bps < 240e6, "{then:#?}");
    let asked = flow.missing.iter().any(|m| m.command.contains("tcp_wmem"));
    assert!(asked, "{:#?}", flow.missing);
    let window = flow.ceilings.iter().find(|c| c.cause == "receive_window");
    let window = window.expect("what the peer offered").limit_bps;
    assert!((window - 359e6).abs() < 1e6, "{window}");
}

/// What iperf 3.12 prints of the window that its peer offered.
#[test]
fn a_window_that_was_offered_and_not_used_is_no_limit() {
    let json = |window: &str, most: &str| {
        let interval = |n: u32| {
            let (from, until) = (f64::from(n), f64::from(n + 1));
            format!(
                "{{\"streams\":[{{\"socket\":5,\"start\":{from},\"end\":{until},\"seconds\":1,\"bytes\":237500000,\"bits_per_second\":1900000000,\"retransmits\":100,\"snd_cwnd\":29000000{window},\"rtt\":60138,\"omitted\":false,\"sender\":true}}],\"sum\":{{\"start\":{from},\"end\":{until},\"seconds\":1,\"bytes\":237500000,\"bits_per_second\":1900000000,\"retransmits\":100,\"omitted\":false,\"sender\":true}}}}"
            )
        };
        let all: Vec<String> = (0..10).map(interval).collect();
        let sum = "{\"start\":0,\"end\":10,\"seconds\":10,\"bytes\":2375000000,\"bits_per_second\":1900000000,\"retransmits\":1000,\"sender\":true}";
        format!(
            "{{\"start\":{{\"connected\":[{{\"socket\":5,\"local_host\":\"192.0.2.140\",\"local_port\":47112,\"remote_host\":\"203.0.113.9\",\"remote_port\":5201}}],\"version\":\"iperf 3.12\",\"test_start\":{{\"protocol\":\"TCP\",\"num_streams\":1,\"duration\":10}}}},\"intervals\":[{}],\"end\":{{\"streams\":[{{\"sender\":{{\"socket\":5,\"bits_per_second\":1900000000{most},\"mean_rtt\":60138}},\"receiver\":{{\"socket\":5,\"bits_per_second\":1900000000}}}}],\"sum_sent\":{sum},\"sum_received\":{sum}}}}}",
            all.join(",")
        )
    };
    for (window, most) in [
        (",\"snd_wnd\":67105792", ""),
        ("", ",\"max_snd_wnd\":67105792"),
    ] {
        let flow = flow(&json(window, most), &Known::default());
        let offered = flow.ceilings.iter().find(|c| c.cause == "receive_window");
        let offered = offered.expect("what the peer offered").limit_bps;
        assert!((offered - 8.93e9).abs() < 2e7, "{offered}");
        let second = flow.verdict.second.as_ref().expect("the likeliest");
        assert_ne!(second.cause, "receive_window", "{:#?}", flow.verdict);
        let because = flow.verdict.because.join("\n");
        assert!(!because.contains("the receive window"), "{because}");
    }
}
