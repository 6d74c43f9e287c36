//! Pings of a path that never rested: a queue stood in each of them, and nothing says what the path takes without it.

use farpath_diagnose::FlowReport;

use crate::{asked, asked_with, first, first_flow, of, on};

/// Between real kernels, 34 ms: other traffic fills a line of 100 Mbit/s and its queue of 400 kB all the time.
const SHARED: &str = "\
backup1:~$ ping -c 5 -i 0.2 10.9.3.2
PING 10.9.3.2 (10.9.3.2) 56(84) bytes of data.
64 bytes from 10.9.3.2: icmp_seq=1 ttl=62 time=145 ms
64 bytes from 10.9.3.2: icmp_seq=2 ttl=62 time=62.9 ms
64 bytes from 10.9.3.2: icmp_seq=3 ttl=62 time=65.7 ms
64 bytes from 10.9.3.2: icmp_seq=4 ttl=62 time=65.9 ms
64 bytes from 10.9.3.2: icmp_seq=5 ttl=62 time=65.8 ms

--- 10.9.3.2 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 802ms
rtt min/avg/max/mdev = 62.909/81.144/145.329/32.112 ms

backup1:~$ ping -c 2 -i 0.2 -W 1 -M do -s 1372 10.9.3.2
PING 10.9.3.2 (10.9.3.2) 1372(1400) bytes of data.
1380 bytes from 10.9.3.2: icmp_seq=1 ttl=62 time=66.1 ms
1380 bytes from 10.9.3.2: icmp_seq=2 ttl=62 time=66.0 ms

--- 10.9.3.2 ping statistics ---
2 packets transmitted, 2 received, 0% packet loss, time 200ms
rtt min/avg/max/mdev = 66.013/66.051/66.090/0.038 ms

backup1:~$ iperf3 -c 10.9.3.2 -t 7
Connecting to host 10.9.3.2, port 5201
[  5] local 10.9.1.1 port 55490 connected to 10.9.3.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   540 KBytes  4.42 Mbits/sec   56   96.1 KBytes
[  5]   1.00-2.00   sec   735 KBytes  6.02 Mbits/sec   66   86.9 KBytes
[  5]   2.00-3.00   sec   506 KBytes  4.14 Mbits/sec   62   86.9 KBytes
[  5]   3.00-4.00   sec   253 KBytes  2.07 Mbits/sec   78   86.9 KBytes
[  5]   4.00-5.00   sec   506 KBytes  4.13 Mbits/sec   50   92.1 KBytes
[  5]   5.00-6.00   sec   506 KBytes  4.15 Mbits/sec   72   84.2 KBytes
[  5]   6.00-7.00   sec   506 KBytes  4.14 Mbits/sec   23   57.9 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-7.00   sec  3.47 MBytes  4.15 Mbits/sec  407             sender
[  5]   0.00-7.07   sec  2.99 MBytes  3.55 Mbits/sec                  receiver

iperf Done.
";
const SOCKET: &str = "\
backup1:~$ ss -tinm dst 10.9.3.2\nESTAB 0      651504      10.9.1.1:55490     10.9.3.2:5201
\t skmem:(r0,rb131072,t0,tb677376,f1872,w673968,o0,bl0,d0) bbr wscale:7,10 rto:268 rtt:66.905/0.185 mss:1348 pmtu:1400 rcvmss:536 advmss:1348 cwnd:66 ssthresh:38 bytes_sent:2120021 bytes_retrans:358568 bytes_acked:1688662 segs_out:1577 segs_in:1015 data_segs_out:1575 bbr:(bw:4407512bps,mrtt:65,pacing_gain:1,cwnd_gain:2) send 10638129bps lastrcv:4248 pacing_rate 4363440bps delivery_rate 3743840bps delivered:1282 busy:4244ms rwnd_limited:144ms(3.4%) unacked:54 retrans:3/266 lost:4 sacked:26 rcv_space:13480 rcv_ssthresh:64188 notsent:578712 minrtt:65 snd_wnd:1249664
";

fn flow(text: &str) -> FlowReport {
    first_flow(of(text, &on("1Gbit/s")))
}

#[test]
fn a_ping_at_rest_is_asked_for_first() {
    for text in [SHARED.to_owned(), SHARED.to_owned() + SOCKET] {
        let flow = flow(&text);
        assert_eq!(flow.missing[0].fact, "rtt_idle_ns", "{:#?}", flow.missing);
        assert!(
            flow.missing[0].command.contains("ping -c 20 10.9.3.2"),
            "{:#?}",
            flow.missing
        );
        assert!(flow.verdict.confidence <= 0.6, "{:#?}", flow.verdict);
    }
}

/// What a kernel saw in between is the path at rest, and the pings are not.
#[test]
fn pings_far_above_the_least_of_the_kernel_are_under_load() {
    let least = SOCKET
        .replace("minrtt:65 ", "minrtt:34.1 ")
        .replace("mrtt:65,", "mrtt:34.1,");
    let still = SHARED
        .find("backup1:~$ ping -c 2")
        .expect("the second ping");
    let flow = flow(&(SHARED[still..].to_owned() + &least));
    assert_eq!(flow.missing[0].fact, "rtt_idle_ns", "{:#?}", flow.missing);
}

/// A ping of the idle path beside one under load is what was wanted.
#[test]
fn a_ping_at_rest_that_is_there_is_not_asked_for() {
    let idle = "$ ping -c 5 -q 10.9.3.2\nPING 10.9.3.2 (10.9.3.2) 56(84) bytes of data.\n\n--- 10.9.3.2 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 34.011/34.053/34.110/0.031 ms\n\n";
    let flow = flow(&(idle.to_owned() + SHARED));
    assert!(
        !asked(&flow).contains(&"rtt_idle_ns"),
        "{:#?}",
        flow.missing
    );
}

/// Five of 200 pings were lost, and the others took 12 to 109 ms: an access that neighbours fill in the evening.
const EVENING: &str = "\
$ ping -c 200 -i 0.2 192.0.2.80
PING 192.0.2.80 (192.0.2.80) 56(84) bytes of data.
--- 192.0.2.80 ping statistics ---
200 packets transmitted, 195 received, 2.5% packet loss, time 40081ms
rtt min/avg/max/mdev = 12.012/47.204/109.018/22.310 ms
$ iperf3 -c 192.0.2.80 -R -t 10
Connecting to host 192.0.2.80, port 5201
Reverse mode, remote host 192.0.2.80 is sending
[  5] local 10.0.0.5 port 53210 connected to 192.0.2.80 port 5201
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-1.00   sec   512 KBytes  4.19 Mbits/sec
[  5]   1.00-2.00   sec   256 KBytes  2.10 Mbits/sec
[  5]   2.00-3.00   sec   384 KBytes  3.15 Mbits/sec
[  5]   3.00-4.00   sec   128 KBytes  1.05 Mbits/sec
[  5]   4.00-5.00   sec   384 KBytes  3.15 Mbits/sec
[  5]   5.00-6.00   sec   256 KBytes  2.10 Mbits/sec
[  5]   6.00-7.00   sec   384 KBytes  3.15 Mbits/sec
[  5]   7.00-8.00   sec   256 KBytes  2.10 Mbits/sec
[  5]   8.00-9.00   sec   256 KBytes  2.10 Mbits/sec
[  5]   9.00-10.00  sec   256 KBytes  2.10 Mbits/sec
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  3.25 MBytes  2.73 Mbits/sec   70             sender
[  5]   0.00-10.00  sec  3.00 MBytes  2.52 Mbits/sec                  receiver
";

#[test]
fn lost_pings_beside_some_that_waited_are_no_chance() {
    let flow = first(EVENING);
    let verdict = &flow.verdict;
    assert!(
        ["cross_traffic", "unknown"].contains(&verdict.cause),
        "{verdict:#?}"
    );
    assert!(verdict.confidence <= 0.6, "{verdict:#?}");
    let command = asked_with(&flow, "idle_loss_ratio").expect("it decides");
    assert!(command.contains("at a quiet hour"), "{command}");
    assert!(command.contains("ping -c 200 192.0.2.80"), "{command}");
    // None waited: no queue was full, and the hour says nothing.
    let still = EVENING.replace("47.204/109.018", "12.104/12.418");
    let command = first(&still);
    let command = asked_with(&command, "idle_loss_ratio").unwrap_or_default();
    assert!(!command.contains("at a quiet hour"), "{command}");
}
