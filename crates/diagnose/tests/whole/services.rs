//! A rate that a slower port leaves, and a service that is sold at it.

use crate::{because, commands, first};

const SECONDS: &str = "\
[  5]   0.00-1.00   sec  13.1 MBytes   110 Mbits/sec    0    498 KBytes
[  5]   1.00-2.00   sec  11.1 MBytes  93.2 Mbits/sec    0    612 KBytes
[  5]   2.00-3.00   sec  11.2 MBytes  93.8 Mbits/sec    0    581 KBytes
[  5]   3.00-4.00   sec  11.0 MBytes  92.6 Mbits/sec    0    655 KBytes
[  5]   4.00-5.00   sec  11.2 MBytes  93.8 Mbits/sec    0    690 KBytes
[  5]   5.00-6.00   sec  11.1 MBytes  93.2 Mbits/sec    0    540 KBytes
[  5]   6.00-7.00   sec  11.2 MBytes  93.8 Mbits/sec    0    600 KBytes
[  5]   7.00-8.00   sec  11.1 MBytes  93.2 Mbits/sec    0    650 KBytes
";

/// An upload at 93.5 Mbit/s from a port of 1 Gbit/s, over a round trip of so many milliseconds.
fn upload(ms: f64) -> String {
    format!(
        "pc$ ethtool eth0 | egrep 'Speed|Duplex'
\tSpeed: 1000Mb/s
\tDuplex: Full
pc$ iperf3 -c 203.0.113.20 -t 8
Connecting to host 203.0.113.20, port 5201
[  5] local 10.4.0.5 port 53210 connected to 203.0.113.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
{SECONDS}- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-8.00   sec  91.0 MBytes  95.4 Mbits/sec    0             sender
[  5]   0.00-8.05   sec  89.6 MBytes  93.4 Mbits/sec                  receiver
pc$ ping -c 10 203.0.113.20
PING 203.0.113.20 (203.0.113.20) 56(84) bytes of data.
10 packets transmitted, 10 received, 0% packet loss, time 9012ms
rtt min/avg/max/mdev = {ms:.3}/{:.3}/{:.3}/0.010 ms
",
        ms * 1.01,
        ms * 1.02
    )
}

/// Over 14 ms an access of 100 Mbit/s leaves what a port of 100 Mbit/s does: the contract says which, and no cable is blamed.
#[test]
fn a_service_that_is_sold_at_a_usual_rate_is_not_a_bad_cable() {
    let flow = first(&upload(14.0));
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("a service, a shaper or a port of"), "{why}");
    assert!(!why.contains("a port on the way runs at that"), "{why}");
    let said = commands(&flow);
    assert!(said.contains("first the contract"), "{said}");
    assert!(!said.contains("change the cable"), "{said}");
    let promised = flow.changes.iter().find(|c| c.predicted_bps.is_some());
    assert!(promised.is_none(), "{promised:#?}");
}

/// Within one network of 1 Gbit/s nothing is sold at 100 Mbit/s: a port has negotiated it.
#[test]
fn within_a_site_it_is_a_port_that_runs_at_that_speed() {
    let flow = first(&upload(0.3));
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("a port on the way runs at that"), "{why}");
    let said = commands(&flow);
    assert!(said.contains("change the cable"), "{said}");
}
