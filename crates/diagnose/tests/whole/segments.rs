//! The size of segments: it counts in the share that was lost as in the law.

use farpath_diagnose::{Diagnosis, Known};

use crate::of;

/// Four connections side by side, 30 GB in all, of which 1200 segments were sent again.
const LOG: &str = "Connecting to host 203.0.113.8, port 5201
[  5] local 192.0.2.8 port 40110 connected to 203.0.113.8 port 5201
[  7] local 192.0.2.8 port 40112 connected to 203.0.113.8 port 5201
[  9] local 192.0.2.8 port 40114 connected to 203.0.113.8 port 5201
[ 11] local 192.0.2.8 port 40116 connected to 203.0.113.8 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[SUM]   0.00-20.00  sec  27.9 GBytes  12.0 Gbits/sec  1200             sender
[SUM]   0.00-20.04  sec  27.9 GBytes  12.0 Gbits/sec                  receiver
5 packets transmitted, 5 received, 0% packet loss, time 4098ms
rtt min/avg/max/mdev = 30.089/30.101/30.112/0.008 ms
";

fn law(d: &Diagnosis) -> &str {
    let mut all = d.flows[0].ceilings.iter();
    let own = all.find(|c| c.cause == "random_loss");
    &own.expect("losses were counted").formula
}

#[test]
fn a_stated_mtu_counts_the_segments_too() {
    let with = |mtu: Option<&str>| {
        let known = Known {
            mtu: mtu.and_then(|m| m.parse().ok()),
            cc: Some("cubic".to_owned()),
            ..Known::default()
        };
        of(LOG, &known)
    };
    // 29.957 GB in 20.69 million segments of 1448 bytes, or in 3.348 million of 8948.
    let usual = with(None);
    assert!(
        law(&usual).starts_with("4 · cubic at a loss of 5.80e-5"),
        "{}",
        law(&usual)
    );
    let large = with(Some("9000B"));
    assert!(
        law(&large).starts_with("4 · cubic at a loss of 3.58e-4"),
        "{}",
        law(&large)
    );
    assert!(law(&large).ends_with("MSS 8948 bytes"), "{}", law(&large));
}

/// `-V` says the size of segments before the first connection stands there.
#[test]
fn the_size_that_iperf3_says_first_counts() {
    let head = "port 5201\n      Cookie: abcdefghij\n      TCP MSS: 8948 (default)\n";
    let log = LOG.replacen("port 5201\n", head, 1);
    let known = Known {
        cc: Some("cubic".to_owned()),
        ..Known::default()
    };
    let d = of(&log, &known);
    assert!(
        law(&d).starts_with("4 · cubic at a loss of 3.58e-4"),
        "{}",
        law(&d)
    );
    assert!(law(&d).ends_with("MSS 8948 bytes"), "{}", law(&d));
    let asked = d.flows[0].missing.iter().any(|m| m.fact == "mtu_bytes");
    assert!(!asked, "{:#?}", d.flows[0].missing);
}

/// Of 10 Gbit/s segments of 1448 bytes leave 9.41: intervals of 9.88 had larger ones, and an interface of either end says how large.
#[test]
fn an_interface_of_either_end_says_what_the_rate_shows() {
    let log = "$ iperf3 -c 203.0.113.61 -t 30 -i 10
Connecting to host 203.0.113.61, port 5201
[  5] local 192.0.2.60 port 40002 connected to 203.0.113.61 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-10.00  sec  8.91 GBytes  7.65 Gbits/sec    0    301 MBytes
[  5]  10.00-20.00  sec  11.5 GBytes  9.88 Gbits/sec   12    301 MBytes
[  5]  20.00-30.00  sec  11.5 GBytes  9.89 Gbits/sec    9    301 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-30.00  sec  31.9 GBytes  9.14 Gbits/sec   21             sender
[  5]   0.00-30.15  sec  31.8 GBytes  9.07 Gbits/sec                  receiver
$ sysctl net.ipv4.tcp_congestion_control
net.ipv4.tcp_congestion_control = bbr
$ ip link show dev bond0
5: bond0: <BROADCAST,MULTICAST,MASTER,UP,LOWER_UP> mtu 9000 qdisc noqueue state UP mode DEFAULT group default qlen 1000
$ ethtool bond0 | grep Speed
\tSpeed: 10000Mb/s
$ ping -c 5 -q 203.0.113.61
--- 203.0.113.61 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4004ms
rtt min/avg/max/mdev = 150.0/150.1/150.2/0.1 ms
";
    let link = |text: &str| {
        let d = of(text, &Known::default());
        let mut all = d.flows[0].ceilings.iter();
        let link = all.find(|c| c.cause == "link").expect("a port is known");
        link.limit_bps
    };
    assert!(link(log) > 9.8e9, "{}", link(log));
    // At a rate that small segments leave as well nothing says that the other end has large ones.
    let slower = log
        .replace("11.5 G", "10.8 G")
        .replace("9.88 G", "9.28 G")
        .replace("9.89 G", "9.28 G");
    assert!(link(&slower) < 9.5e9, "{}", link(&slower));
}
