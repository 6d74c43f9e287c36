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

/// Frames of 4 MB that a camera posts after pauses over 150 ms.
const FRAMES: &str = "ops@cam:~$ ping -c 5 -q sink
PING sink (10.62.0.2) 56(84) bytes of data.

--- sink ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4004ms
rtt min/avg/max/mdev = 150.000/150.030/150.080/0.020 ms
ops@cam:~$ ss -tinm dst 10.62.0.2
State Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
ESTAB 0      0      10.62.0.1:50100     10.62.0.2:8080
\t skmem:(r0,rb131072,t0,tb8388608,f4096,w0,o0,bl0,d0) cubic wscale:10,10 rto:352 rtt:150.2/0.1 mss:1448 pmtu:1500 cwnd:2410 ssthresh:2410 bytes_sent:402653184 bytes_acked:402653184 data_segs_out:278080 send 186Mbps lastsnd:8801 lastrcv:8650 lastack:8650 pacing_rate 223Mbps delivery_rate 41.2Mbps app_limited busy:118000ms rcv_space:14480 minrtt:150
ops@cam:~$ ss -tinm dst 10.62.0.2
State Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
ESTAB 0      4165336 10.62.0.1:50100     10.62.0.2:8080
\t skmem:(r0,rb131072,t0,tb8388608,f4096,w4300000,o0,bl0,d0) cubic wscale:10,10 rto:352 rtt:150.2/0.1 mss:1448 pmtu:1500 cwnd:20 ssthresh:2410 bytes_sent:402696624 bytes_acked:402667664 data_segs_out:278110 send 1.54Mbps lastsnd:4 lastrcv:9810 lastack:4 pacing_rate 3.08Mbps delivery_rate 772kbps busy:118160ms unacked:20 rcv_space:14480 notsent:4136376 minrtt:150
ops@cam:~$ sysctl net.ipv4.tcp_slow_start_after_idle net.ipv4.tcp_wmem
net.ipv4.tcp_slow_start_after_idle = 1
net.ipv4.tcp_wmem = 4096\t16384\t16777216
ops@cam:~$ ethtool eth0 | grep Speed
\tSpeed: 1000Mb/s
";

/// The verdict on these frames beside another text.
fn beside(text: &str) -> farpath_diagnose::Diagnosis {
    let known = farpath_diagnose::Known::default();
    crate::of_files(&[("frames.txt", FRAMES), ("other.txt", text)], &known)
}

/// A test of another connection that was faster left 66 % of 93 %, and gave the program the rest: what begins anew after each pause is as slow.
#[test]
fn a_faster_test_of_the_path_agrees_with_slow_start_after_pauses() {
    let test = "ops@cam:~$ iperf3 -c sink -t 3
Connecting to host sink, port 5201
[  5] local 10.62.0.1 port 50200 connected to 10.62.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-3.00   sec   180 MBytes   503 Mbits/sec    0   9.1 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-3.00   sec   180 MBytes   503 Mbits/sec    0             sender
[  5]   0.00-3.15   sec   178 MBytes   474 Mbits/sec                  receiver
";
    let alone = beside("").flows.remove(0).verdict;
    assert_eq!(alone.cause, "ramp", "{alone:#?}");
    let with = beside(test).flows.remove(0).verdict;
    assert_eq!(with.cause, "ramp", "{with:#?}");
    assert!(with.confidence > alone.confidence - 0.05, "{with:#?}");
}

/// A full processor, a port at half duplex and a busy disk of other hosts took the lead of what the socket shows.
#[test]
fn what_untied_hosts_say_does_not_overrule_a_socket() {
    let processors = |host: &str| {
        format!(
            "root@{host}:~# hostname; ip -br addr show eth0\n{host}\neth0 UP ADDRESS/24\nroot@{host}:~# mpstat -P ALL 2 1 | tail -4\nAverage:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\nAverage:     all   50.20    0.00    1.10    0.00    0.00    0.40    0.00    0.00    0.00   48.30\nAverage:       0    0.30    0.00    0.20    0.00    0.00    0.30    0.00    0.00    0.00   99.20\nAverage:       1   99.90    0.00    0.10    0.00    0.00    0.00    0.00    0.00    0.00    0.00\n"
        )
    };
    let half =
        "root@sv-old:~# ethtool eth0 | egrep 'Speed|Duplex'\n\tSpeed: 100Mb/s\n\tDuplex: Half\n";
    let full = processors("backup7").replace("ADDRESS", "172.31.9.7");
    for (text, host) in [(full.as_str(), "backup7"), (half, "sv-old")] {
        let d = beside(text);
        let verdict = &d.flows[0].verdict;
        assert_eq!(verdict.cause, "ramp", "{verdict:#?}");
        assert!(verdict.confidence > 0.9, "{verdict:#?}");
        let left = |note: &String| note.contains(host) && note.contains("nothing ties that host");
        assert!(d.notes.iter().any(left), "{:?}", d.notes);
    }
    // The receiver's own processor, by its address, counts.
    let own = processors("sink").replace("ADDRESS", "10.62.0.2");
    let verdict = beside(&own).flows.remove(0).verdict;
    assert_eq!(verdict.cause, "host_cpu", "{verdict:#?}");
    assert!(verdict.confidence > 0.8, "{verdict:#?}");
}
