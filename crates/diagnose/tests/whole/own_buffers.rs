//! Buffers that programs set themselves, buffers at the kernel's limit, and rates that a buffer's change promises.

use farpath_diagnose::{FlowReport, Known};

use crate::{first_flow, of, on};

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
    first_flow(of(text, known))
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

/// Over SSH, too: neither a cipher nor a disk is what fills the buffer.
#[test]
fn a_buffer_that_a_program_set_counts_over_ssh() {
    let socket = SOCKET.replace("[2001:db8::2]:7000", "[2001:db8::2]:22");
    let text = socket + &settings(212_992, 4_194_304);
    let flow = flow(&text, &on("100 Mbit/s"));
    assert_eq!(flow.verdict.cause, "send_buffer", "{:#?}", flow.verdict);
    let commands = flow.changes[0].commands.join("\n");
    for says in ["SO_SNDBUF", "sysctl -w net.core.wmem_max=1048576"] {
        assert!(commands.contains(says), "{says}: {commands}");
    }
    assert!(!commands.contains("iostat"), "{commands}");
    // Twice the most that a program may ask for is what one gets that asked for as much or more.
    let text = text.replace("= 212992", "= 131072");
    let commands = self::flow(&text, &on("100 Mbit/s")).changes[0]
        .commands
        .join("\n");
    assert!(commands.contains("twice 131072"), "{commands}");
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
    // The buffer is 64 times as large, and the same part of it, four fifths, is in flight.
    assert!(
        (promised / (64.0 * 3.994e6) - 1.0).abs() < 0.02,
        "{promised}"
    );
    let most = 8_388_608.0 * 8.0 / 0.2104;
    let high = change.high_bps.expect("a rate");
    assert!(promised <= high && high <= most, "{change:#?}");
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

/// A test over 88 ms that was asked for 80 Mbit/s, and its socket in the middle of it: the buffer is as large as tuning had made it when
/// the program had no more for it.
fn asked_for_less(settings: &str) -> String {
    let mut text = format!(
        "root@dune:~# ping -c 3 -q 198.51.100.12\nPING 198.51.100.12 (198.51.100.12) 56(84) bytes of data.\n\n--- 198.51.100.12 ping statistics ---\n3 packets transmitted, 3 received, 0% packet loss, time 2003ms\nrtt min/avg/max/mdev = 87.902/88.014/88.110/0.061 ms\n\n{settings}root@dune:~# iperf3 -c 198.51.100.12 -t 8 -b 80M\nConnecting to host 198.51.100.12, port 5201\n[  5] local 192.0.2.12 port 47010 connected to 198.51.100.12 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
    );
    for second in 0..8 {
        text.push_str(&format!(
            "[  5]   {second}.00-{}.00   sec  9.50 MBytes  {:.1} Mbits/sec    0   8.29 MBytes\n",
            second + 1,
            79.7 + 0.3 * f64::from(second % 3)
        ));
    }
    text + "- - - - - - - - - - - - - - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-8.00   sec  76.2 MBytes  80.0 Mbits/sec    0             sender\n[  5]   0.00-8.09   sec  76.2 MBytes  79.1 Mbits/sec                  receiver\n\nroot@dune:~# ss -tinm dst 198.51.100.12\nState Recv-Q Send-Q Local Address:Port  Peer Address:Port\nESTAB 0      901104     192.0.2.12:47010 198.51.100.12:5201\n\t skmem:(r0,rb131072,t0,tb9437184,f3072,w921600,o0,bl0,d0) cubic wscale:10,10 rto:292 rtt:88.4/0.6 mss:1448 pmtu:1500 cwnd:6000 bytes_sent:49000000 bytes_acked:48100000 segs_out:33850 data_segs_out:33840 send 786244343bps pacing_rate 1572488000bps delivery_rate 420000000bps busy:4900ms rwnd_limited:300ms(6.1%) unacked:622 notsent:1448 minrtt:87.9 snd_wnd:16777216\n"
}

#[test]
fn a_buffer_that_never_filled_is_nobodys_limit() {
    let known =
        "root@dune:~# sysctl net.ipv4.tcp_wmem\nnet.ipv4.tcp_wmem = 4096\t16384\t33554432\n";
    for settings in [known, ""] {
        let flow = flow(&asked_for_less(settings), &on("1 Gbit/s"));
        assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
        let formulas: Vec<&str> = flow.ceilings.iter().map(|c| c.formula.as_str()).collect();
        let of_socket = formulas.iter().filter(|f| f.contains("socket buffer"));
        assert_eq!(of_socket.count(), 0, "{formulas:#?}");
        let set = formulas.iter().filter(|f| f.contains("net.ipv4.tcp_wmem"));
        assert_eq!(set.count() > 0, !settings.is_empty(), "{formulas:#?}");
        // Nor is the window that was offered and hardly waited for.
        let change = &flow.changes[0];
        let then = change.then.as_ref().expect("what is left");
        assert_eq!(then.cause, "link", "{change:#?}");
        assert!(change.low_bps < Some(100e6), "{change:#?}");
    }
}

/// A copy over 140 ms, and before it a test between the same hosts with these options; the memory of the copy's socket is `buffer`.
fn copied(options: &str, buffer: u32, settings: &str) -> String {
    format!(
        "[uma@dtn07 ~]$ ping -c 3 -q 198.51.100.77\nPING 198.51.100.77 (198.51.100.77) 56(84) bytes of data.\n\n--- 198.51.100.77 ping statistics ---\n3 packets transmitted, 3 received, 0% packet loss, time 2003ms\nrtt min/avg/max/mdev = 139.902/140.014/140.110/0.061 ms\n\n[uma@dtn07 ~]$ iperf3 -c 198.51.100.77 -t 20{options}\nConnecting to host 198.51.100.77, port 5201\n[  5] local 192.0.2.31 port 44400 connected to 198.51.100.77 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-20.00  sec  2.03 GBytes   871 Mbits/sec    0             sender\n[  5]   0.00-20.14  sec  2.03 GBytes   864 Mbits/sec                  receiver\n\niperf Done.\n[uma@dtn07 run118]$ scp run118_recal.tar uma@198.51.100.77:/data/in/\nrun118_recal.tar                            100% 8192MB  13.9MB/s   09:50\n[uma@dtn07 ~]$ ss -tinm dst 198.51.100.77\nState Recv-Q Send-Q    Local Address:Port     Peer Address:Port Process\nESTAB 0      1402640     192.0.2.31:44512   198.51.100.77:22\n\t skmem:(r0,rb131072,t0,tb{buffer},f1728,w1697152,o0,bl0,d0) ts sack cubic wscale:10,9 rto:341 rtt:140.288/0.097 mss:1448 pmtu:1500 cwnd:2910 bytes_sent:2348491112 bytes_acked:2346420473 bytes_received:3586112 delivery_rate 117610000bps app_limited busy:161799ms unacked:968 minrtt:139.921 snd_wnd:6291456\n{settings}"
    )
}

/// What a test got without a buffer of its own the hosts' settings let through.
#[test]
fn a_faster_test_is_the_least_that_settings_give() {
    let known =
        "[uma@dtn07 ~]$ sysctl net.ipv4.tcp_wmem\nnet.ipv4.tcp_wmem = 4096\t16384\t67108864\n";
    for (buffer, settings) in [(4_194_304, ""), (5_100_032, ""), (4_194_304, known)] {
        let text = copied("", buffer, settings);
        let d = of(&text, &on("1 Gbit/s"));
        let copy = d.flows.iter().find(|f| f.verdict.cause == "application");
        let copy = copy.unwrap_or_else(|| panic!("{:#?}", d.flows));
        let change = &copy.changes[0];
        assert!(change.predicted_bps > Some(864e6), "{buffer} {change:#?}");
        let asked = copy.missing.iter().any(|m| m.command.contains("tcp_wmem"));
        assert!(!asked, "{:#?}", copy.missing);
    }
    // A test that asked for its buffer shows nothing of what others are given.
    let d = of(&copied(" -w 32M", 4_194_304, ""), &on("1 Gbit/s"));
    let copy = d.flows.iter().find(|f| f.verdict.cause == "application");
    let then = copy.and_then(|f| f.changes[0].then.as_ref());
    assert_eq!(then.map(|t| t.cause), Some("send_buffer"), "{:#?}", d.flows);
}

/// 900 Mbit/s over 150 ms are 17 MB in flight, which eight connections side by side had together: no mere double of what one has.
#[test]
fn a_buffer_suits_what_the_path_carried_in_other_tests() {
    let test = |n: u32, mbit: u32| {
        let head = format!(
            "root@a:~# iperf3 -c 198.51.100.7 -t 10{}\nConnecting to host 198.51.100.7, port 5201\n",
            if n > 1 {
                format!(" -P {n}")
            } else {
                String::new()
            }
        );
        let sum = if n > 1 { "SUM" } else { "  5" };
        format!(
            "{head}[ ID] Interval           Transfer     Bitrate         Retr\n[{sum}]   0.00-10.00  sec  {} MBytes  {mbit} Mbits/sec    0             sender\n[{sum}]   0.00-10.15  sec  {} MBytes  {mbit} Mbits/sec                  receiver\n\niperf Done.\n\n",
            mbit * 119 / 100,
            mbit * 119 / 100
        )
    };
    let ping = "root@a:~# ping -q -c 20 198.51.100.7\nPING 198.51.100.7 (198.51.100.7) 56(84) bytes of data.\n\n--- 198.51.100.7 ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 19031ms\nrtt min/avg/max/mdev = 150.1/150.2/150.4/0.1 ms\n\n";
    let settings = "root@a:~# sysctl net.ipv4.tcp_wmem\nnet.ipv4.tcp_wmem = 4096\t16384\t4194304\n";
    let text = format!("{ping}{settings}{}{}", test(1, 112), test(8, 896));
    let flow = flow(&text, &Known::default());
    assert_eq!(flow.verdict.cause, "send_buffer", "{:#?}", flow.verdict);
    let commands = flow.changes[0].commands.join("\n");
    assert!(commands.contains("4096 16384 67108864"), "{commands}");
}

/// A test of iperf 2 from Windows over 20 ms: the window that it prints, and a rate.
fn from_windows(window: &str, rate: &str) -> FlowReport {
    let text = format!(
        "C:\\> ping 198.51.100.2
Reply from 198.51.100.2: bytes=32 time=20ms TTL=57

Ping statistics for 198.51.100.2:
    Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),
Approximate round trip times in milli-seconds:
    Minimum = 20ms, Maximum = 20ms, Average = 20ms
C:\\> iperf.exe -c 198.51.100.2 -t 10
------------------------------------------------------------
Client connecting to 198.51.100.2, TCP port 5001
TCP window size: {window} (default)
------------------------------------------------------------
[  3] local 192.0.2.1 port 50123 connected with 198.51.100.2 port 5001
[ ID] Interval       Transfer     Bandwidth
[  3]  0.0-10.0 sec  {rate}
"
    );
    flow(&text, &Known::default())
}

/// What a connection begins with is a ceiling where the rate is what it leaves, and none where the rate is another.
#[test]
fn the_window_that_iperf2_prints_on_windows_is_a_ceiling_where_the_rate_is_its() {
    for (window, rate, bytes) in [
        ("64.0 KByte", "31.0 MBytes  26.0 Mbits/sec", "65536 B"),
        (" 208 KByte", "98.9 MBytes  83.0 Mbits/sec", "208 KByte"),
    ] {
        let flow = from_windows(window, rate);
        assert_eq!(flow.verdict.cause, "send_buffer", "{:#?}", flow.verdict);
        let why = flow.verdict.because.join("\n");
        assert!(why.contains(bytes), "{why}");
    }
    let fast = from_windows(" 208 KByte", "1.05 GBytes   900 Mbits/sec");
    let own = fast.ceilings.iter().find(|c| c.cause == "send_buffer");
    assert!(own.is_none(), "{:#?}", fast.ceilings);
}

/// Ten of 630 thousand segments were sent again, and the kernel waited for the buffer for 90 % of its time: nothing was to be changed.
#[test]
fn few_losses_beside_a_full_buffer_do_not_keep_it_as_it_is() {
    let socket = "ESTAB 0      4194304 192.0.2.7:40112 198.51.100.9:443
\t skmem:(r0,rb131072,t0,tb4194304,f0,w4200000,o0,bl0,d0) cubic wscale:7,9 rto:320 rtt:118.2/1.1 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:2100 ssthresh:1900 bytes_sent:912345678 bytes_retrans:14480 bytes_acked:909345678 segs_out:630100 segs_in:310000 data_segs_out:630090 send 205Mbps lastsnd:4 lastrcv:90000 lastack:4 pacing_rate 246Mbps delivery_rate 198Mbps delivered:628000 busy:37000ms sndbuf_limited:33300ms(90.0%) unacked:2060 retrans:0/10 rcv_space:14480 rcv_ssthresh:64088 notsent:1211424 minrtt:117.1 snd_wnd:16777216
net.ipv4.tcp_wmem = 4096 16384 4194304
";
    let flow = flow(socket, &Known::default());
    assert_eq!(flow.verdict.cause, "send_buffer", "{:#?}", flow.verdict);
    let commands = flow.changes[0].commands.join("\n");
    assert!(
        commands.contains("sysctl -w net.ipv4.tcp_wmem="),
        "{commands}"
    );
}
