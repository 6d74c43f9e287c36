//! What routes of hosts set of TCP.

use farpath_diagnose::Known;

use crate::{because, commands, first_flow, of, of_files};

const SENDER: &str = "\
gva$ ping -c 5 -q ham
PING ham (10.20.4.11) 56(84) bytes of data.

--- ham ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4006ms
rtt min/avg/max/mdev = 40.012/40.044/40.108/0.041 ms
gva$ iperf3 -c ham -t 10
Connecting to host ham, port 5201
[  5] local 10.10.1.3 port 48122 connected to 10.20.4.11 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  3.12 MBytes  26.2 Mbits/sec    0    288 KBytes
[  5]   1.00-2.00   sec  3.12 MBytes  26.2 Mbits/sec    0    288 KBytes
[  5]   2.00-3.00   sec  3.12 MBytes  26.2 Mbits/sec    0    288 KBytes
[  5]   3.00-4.00   sec  3.12 MBytes  26.2 Mbits/sec    0    288 KBytes
[  5]   4.00-5.00   sec  3.12 MBytes  26.2 Mbits/sec    0    288 KBytes
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-5.00  sec  15.6 MBytes  26.2 Mbits/sec    0             sender
[  5]   0.00-5.04  sec  15.6 MBytes  26.0 Mbits/sec                  receiver
gva$ ss -tinm dst 10.20.4.11
State Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
ESTAB 0      1310720 10.10.1.3:48122    10.20.4.11:5201
\t skmem:(r0,rb131072,t0,tb2626560,f3072,w1380000,o0,bl0,d0) cubic wscale:11,12 rto:240 rtt:40.1/0.05 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:204 bytes_sent:29400000 bytes_acked:29270000 data_segs_out:20304 send 58.9Mbps pacing_rate 118Mbps delivery_rate 26.1Mbps busy:9000ms rwnd_limited:8940ms(99.3%) unacked:90 snd_wnd:131072 notsent:1180000 minrtt:40
";

/// The receiver's settings, and a route to this network.
fn receiver(network: &str) -> String {
    format!(
        "ham$ sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem\nnet.ipv4.tcp_rmem = 4096\t131072\t67108864\nnet.ipv4.tcp_wmem = 4096\t16384\t67108864\nham$ ip route\ndefault via 10.20.4.1 dev eth0 proto static\n{network} via 10.20.4.1 dev eth0 proto static window 131072\n10.20.4.0/24 dev eth0 proto kernel scope link src 10.20.4.11\n"
    )
}

/// The program was said to have asked for a small buffer.
#[test]
fn a_window_that_a_route_holds_is_mended_at_the_route() {
    let with = |network: &str| {
        let text = receiver(network);
        let files = [("sender.txt", SENDER), ("receiver.txt", text.as_str())];
        first_flow(of_files(&files, &Known::default()))
    };
    let flow = with("10.10.0.0/16");
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let (why, change) = (because(&flow), commands(&flow));
    assert!(why.contains("sets `window 131072`"), "{why}");
    assert!(
        change.contains("ip route change 10.10.0.0/16 via 10.20.4.1 dev eth0 proto static, "),
        "{change}"
    );
    assert!(!change.contains("SO_RCVBUF"), "{change}");
    // A route to another network holds another window.
    let flow = with("10.11.0.0/16");
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let change = commands(&flow);
    assert!(!change.contains("ip route change"), "{change}");
}

#[test]
fn tiny_packets_of_a_route_are_noted() {
    let notes = |mtu: u32| {
        let route = format!(
            "gva$ ip route get 10.20.4.11\n10.20.4.11 via 10.10.1.1 dev ens1 src 10.10.1.3 uid 0\n    cache expires 512sec mtu {mtu}\n"
        );
        of(&format!("{SENDER}{route}"), &Known::default())
            .notes
            .join("\n")
    };
    let said = notes(576);
    assert!(said.contains("have 576 bytes at most"), "{said}");
    // A tunnel's MTU is usual.
    let said = notes(1400);
    assert!(!said.contains("bytes at most"), "{said}");
}
