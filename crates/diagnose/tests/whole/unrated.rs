//! What is slow and not a transfer, beside a test whose rate shows that the network is fine.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::{asked, because, commands, of, of_files, on};

const TEST: &str = "$ iperf3 -c 192.0.2.44 -t 10
[  5] local 192.0.2.7 port 50000 connected to 192.0.2.44 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  1.09 GBytes   940 Mbits/sec    0             sender
[  5]   0.00-10.00  sec  1.09 GBytes   938 Mbits/sec                  receiver
";

const CURL: &str = "$ curl -s -o /dev/null -w 'namelookup: %{time_namelookup}\\nconnect: %{time_connect}\\nstarttransfer: %{time_starttransfer}\\ntotal: %{time_total}\\n' http://192.0.2.44/q3
namelookup: 0.004211
connect: 0.032877
starttransfer: 8.911402
total: 8.998120
";

const NAME: &str = "$ curl -s -o /dev/null -w 'namelookup: %{time_namelookup}\\nconnect: %{time_connect}\\nstarttransfer: %{time_starttransfer}\\ntotal: %{time_total}\\n' http://www.example.org/
namelookup: 5.012211
connect: 5.024101
starttransfer: 5.074411
total: 5.081012
$ cat /etc/resolv.conf
nameserver 10.9.9.9
nameserver 10.9.9.10
$ dig +short @10.9.9.9 www.example.org
;; communications error to 10.9.9.9#53: timed out
;; no servers could be reached
$ dig @10.9.9.10 www.example.org | grep time
;; Query time: 1 msec
";

const QUEUE: &str = "web$ nstat -az | grep -E 'Listen|SynRetr'
TcpExtListenOverflows           48112              0.0
web$ ss -ltn sport = :8080
State  Recv-Q Send-Q Local Address:Port Peer Address:Port
LISTEN 129    128    0.0.0.0:8080       0.0.0.0:*
";

const TABLE: &str = "fw$ dmesg | tail -1
[ 8123.441002] nf_conntrack: nf_conntrack: table full, dropping packet
fw$ sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max
net.netfilter.nf_conntrack_count = 262144
net.netfilter.nf_conntrack_max = 262144
";

const IPV6: &str = "$ curl -6 -m 10 -o /dev/null https://repo.example.org/f
curl: (28) Failed to connect to repo.example.org port 443 after 10001 ms: Timeout was reached
$ curl -4 -so /dev/null -w 'conn %{time_connect} total %{time_total}\\n' https://repo.example.org/f
conn 0.013110 total 0.081200
";

fn judged(text: &str) -> Diagnosis {
    of(text, &Known::default())
}

/// What is slow beside the transfers.
fn slow(d: &Diagnosis) -> Option<&FlowReport> {
    d.flows.iter().find(|flow| flow.unrated)
}

#[test]
fn what_is_slow_beside_a_test_has_a_verdict_of_its_own() {
    for (text, cause, name) in [
        (CURL, "application", "requests"),
        (NAME, "name_lookup", "look-ups of names"),
        (QUEUE, "accept_queue", "new connections"),
        (TABLE, "full_table", "new connections"),
        (IPV6, "outage", "connections by IPv6"),
    ] {
        for text in [format!("{text}{TEST}"), format!("{TEST}{text}")] {
            let d = judged(&text);
            assert_eq!(d.flows.len(), 2, "{text}: {:#?}", d.flows);
            let [test, slow] = [&d.flows[0], &d.flows[1]];
            assert!(test.observed.goodput_bps.is_some(), "{test:#?}");
            assert!(!test.unrated && slow.unrated, "{text}");
            assert_ne!(test.verdict.cause, cause, "{text}");
            assert_eq!((slow.verdict.cause, slow.name.as_str()), (cause, name));
            assert!(slow.verdict.confidence >= 0.8, "{:#?}", slow.verdict);
            assert!(!slow.changes.is_empty(), "{text}");
            assert_eq!(slow.observed.goodput_bps, None);
            assert!(d.ticket.contains(name), "{}", d.ticket);
            assert!(d.ticket.contains("192.0.2.7 > 192.0.2.44"), "{}", d.ticket);
        }
    }
}

/// Without `-m` the kernel gives up, and curl's words do not name a time that ran out; pings by IPv4 may stand in for a connection.
#[test]
fn ipv6_that_the_kernel_gave_up_on_is_slow_beside_a_fast_test() {
    let six = "$ curl -so /dev/null -6 https://repo.example.org/f
curl: (28) Failed to connect to repo.example.org port 443 after 130212 ms: Couldn't connect to server
";
    let four = "$ curl -so /dev/null -w 'conn %{time_connect} total %{time_total}\\n' -4 https://repo.example.org/f
conn 0.013110 total 0.081200
";
    let pings = "$ ping -4 -c 5 repo.example.org
PING repo.example.org (192.0.2.44) 56(84) bytes of data.

--- repo.example.org ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4005ms
rtt min/avg/max/mdev = 8.101/8.118/8.130/0.010 ms
";
    for text in [
        format!("{six}{four}{TEST}"),
        format!("{TEST}{six}{four}"),
        format!("{six}{pings}{TEST}"),
    ] {
        let d = judged(&text);
        let slow = slow(&d).expect("IPv6 is down");
        assert_eq!(slow.name, "connections by IPv6", "{text}");
        assert_eq!(slow.verdict.cause, "outage", "{text}");
        assert!(slow.verdict.confidence >= 0.8, "{:#?}", slow.verdict);
    }
}

#[test]
fn a_wait_for_a_server_keeps_its_reasons_beside_a_test() {
    let d = judged(&format!("{TEST}{CURL}"));
    let slow = slow(&d).expect("the request waited");
    let says = "of 8998 ms that a request took 8850 ms passed before the first byte";
    assert!(because(slow).contains(says), "{}", because(slow));
    assert_eq!(asked(slow), ["server_time"]);
    assert_eq!(slow.changes[0].host, "the server");
    assert!(commands(slow).contains("$upstream_response_time"));
}

/// A measured rate that the user states is one, too.
#[test]
fn a_stated_rate_hides_nothing() {
    let known = Known {
        measured: Some("94Mbit/s".parse().expect("a rate")),
        ..Known::default()
    };
    let d = of(CURL, &known);
    let slow = slow(&d).expect("the request waited");
    assert_eq!(slow.verdict.cause, "application");
    assert!(d.flows[0].observed.goodput_bps.is_some());
}

/// A test that fills its line comes second; one that a window holds comes first.
#[test]
fn what_is_sure_stands_before_a_test_that_is_well() {
    let known = on("1Gbit/s");
    let well = of(&format!("{TEST}{CURL}"), &known);
    let begins = "requests: slow beside the transfers.";
    assert!(well.ticket.starts_with(begins), "{}", well.ticket);
    let log = "[  5] local 192.0.2.1 port 40000 connected to 192.0.2.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  31.2 MBytes  26.2 Mbits/sec    0             sender
[  5]   0.00-10.02  sec  31.2 MBytes  26.1 Mbits/sec                  receiver
10 packets transmitted, 10 received, 0% packet loss, time 9012ms
rtt min/avg/max/mdev = 19.980/20.010/20.110/0.040 ms
";
    let ticket = format!("{log}{CURL}");
    let settings = ("receiver.txt", "net.inet.tcp.recvspace = 65536\n");
    let held = of_files(&[("ticket.txt", &ticket), settings], &known);
    let verdict = &held.flows[0].verdict;
    assert_eq!(verdict.cause, "receive_window", "{verdict:#?}");
    let begins = "192.0.2.1 > 192.0.2.2: 26.1 Mbit/s.";
    assert!(held.ticket.starts_with(begins), "{}", held.ticket);
    assert!(held.ticket.contains("requests: slow"), "{}", held.ticket);
}

/// Losses delay an answer, too; a test by IPv6 shows that it works; without a rate the only flow says it all.
#[test]
fn what_the_transfers_refute_is_not_said() {
    let lossy = "$ ping -c 10 192.0.2.44
10 packets transmitted, 4 received, 60% packet loss, time 9013ms
rtt min/avg/max/mdev = 16.901/17.211/17.900/0.301 ms
";
    let by_ipv6 = TEST.replace("192.0.2.44", "2001:db8:5::10");
    let by_ipv6 = by_ipv6.replace("192.0.2.7", "2001:db8:5::7");
    let short = CURL.replace("8.9", "0.9");
    for text in [
        format!("{CURL}{lossy}{TEST}"),
        format!("{IPV6}{by_ipv6}"),
        format!("{short}{TEST}"),
        CURL.to_owned(),
        TEST.to_owned(),
    ] {
        let d = judged(&text);
        assert!(slow(&d).is_none(), "{text}: {:#?}", d.flows);
    }
}

/// A program that asks 2031 times over 22 ms, and carries little: as many segments go as come.
const SOCKET: &str = "app$ ss -tin dst 198.51.100.9
ESTAB 0      0      192.0.2.4:51122 198.51.100.9:5432
\t cubic wscale:7,7 rto:222 rtt:22.1/0.1 mss:1448 pmtu:1500 rcvmss:1448 advmss:1448 cwnd:10 bytes_sent:412334 bytes_acked:412334 bytes_received:612000 segs_out:2061 segs_in:2055 data_segs_out:2031 data_segs_in:2029 send 5.24Mbps lastsnd:12 lastrcv:12 lastack:12 pacing_rate 10.5Mbps delivery_rate 525kbps delivered:2032 app_limited busy:44800ms rcv_space:14480 rcv_ssthresh:64088 minrtt:21.9 snd_wnd:64128
";

#[test]
fn small_requests_one_after_the_other_are_a_flow_beside_a_test() {
    let test = TEST.replace("192.0.2.44", "198.51.100.9");
    let test = test.replace("192.0.2.7", "192.0.2.4");
    let d = judged(&format!("{test}{SOCKET}"));
    assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
    let asks = |flow: &&FlowReport| because(flow).contains("2031 requests · 22.1 ms");
    let flow = d.flows.iter().find(asks).expect("its socket shows them");
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
    assert!(commands(flow).contains("a JOIN or IN"), "{flow:#?}");
    // A shell has its keys alone, and fewer requests wait for less.
    let shell = SOCKET.replace(":5432", ":22");
    let few = SOCKET.replace("rtt:22.1/0.1", "rtt:1.1/0.1");
    let few = few.replace("busy:44800ms", "busy:2240ms");
    for other in [shell, few] {
        let d = judged(&format!("{test}{other}"));
        assert_eq!(d.flows.len(), 1, "{other}: {:#?}", d.flows);
    }
}

/// Datagrams of another program that a full socket drops; of a test of datagrams it may be that one's.
const FULL: &str = "col$ ss -uanm sport = :2055
State  Recv-Q Send-Q Local Address:Port Peer Address:Port
UNCONN 213248 0      0.0.0.0:2055       0.0.0.0:*
\t skmem:(r213248,rb212992,t0,tb212992,f3392,w0,o0,bl0,d20111009)
col$ nstat -az UdpInDatagrams UdpRcvbufErrors; sleep 60; nstat -az UdpInDatagrams UdpRcvbufErrors
#kernel
UdpInDatagrams                  91233122           0.0
UdpRcvbufErrors                 20112231           0.0
#kernel
UdpInDatagrams                  92433122           0.0
UdpRcvbufErrors                 20412231           0.0
";

#[test]
fn datagrams_that_are_not_read_have_a_verdict_beside_a_test() {
    let d = judged(&format!("{FULL}{TEST}"));
    let slow_one = slow(&d).expect("a socket is full");
    assert_eq!(slow_one.verdict.cause, "client", "{slow_one:#?}");
    assert_eq!(slow_one.name, "reading of datagrams");
    let says = "col dropped 300000 datagrams at full sockets";
    assert!(because(slow_one).contains(says), "{slow_one:#?}");
    let datagrams = "[  5] local 192.0.2.7 port 40000 connected to 192.0.2.44 port 5201
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-10.00  sec   119 MBytes   100 Mbits/sec  0.000 ms  0/85000 (0%)  sender
[  5]   0.00-10.00  sec   115 MBytes  96.5 Mbits/sec  0.020 ms  2975/85000 (3.5%)  receiver
";
    let d = judged(&format!("{FULL}{datagrams}"));
    assert!(slow(&d).is_none(), "{:#?}", d.flows);
}
