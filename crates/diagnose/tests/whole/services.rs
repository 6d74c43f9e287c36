//! A rate that a slower port leaves, and a service that is sold at it.

use farpath_diagnose::{FlowReport, Known};

use crate::{asked, because, commands, first, of};

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

/// What `speedtest` prints of both ways, Mbit/s, and of a round trip of 6.1 ms at rest and so many milliseconds under load.
fn access([down, up]: [f64; 2], loaded_ms: f64) -> String {
    format!(
        "$ speedtest
   Speedtest by Ookla
      Server: Example Net - Berlin (id: 1234)
         ISP: Example Telecom
Idle Latency:     6.12 ms   (jitter: 0.21ms, low: 5.91ms, high: 6.40ms)
    Download:   {down:.2} Mbps (data used: 312.1 MB)
                 {loaded_ms:.2} ms   (jitter: 1.21ms, low: 6.01ms, high: 230.12ms)
      Upload:   {up:.2} Mbps (data used: 60.1 MB)
                 {loaded_ms:.2} ms   (jitter: 0.91ms, low: 6.11ms, high: 230.12ms)
 Packet Loss:     0.0%
"
    )
}

/// The flow of a text with this rate, Mbit/s.
fn at(text: &str, mbit: f64) -> FlowReport {
    let d = of(text, &Known::default());
    let is_it = |f: &FlowReport| {
        let bps = f.observed.goodput_bps.unwrap_or(0.0);
        (bps / 1e6 / mbit - 1.0).abs() < 1e-6
    };
    let mut flows = d.flows.into_iter();
    flows.find(is_it).expect("a flow of this rate")
}

/// 250 down and 50 up, 1000 down and 500 up: services as they are sold, and six milliseconds do not make a queue.
#[test]
fn an_access_of_unlike_ways_is_a_service_and_no_queue() {
    let port = "$ ethtool eth0 | egrep 'Speed|Duplex'\n\tSpeed: 1000Mb/s\n\tDuplex: Full\n";
    for before in ["", port] {
        for (ways, mbit, service) in [
            ([251.71, 50.4], 251.71, "a service of 250 Mbit/s down"),
            ([251.71, 50.4], 50.4, "a service of 50 Mbit/s up"),
            ([938.71, 501.02], 501.02, "a service of 500 Mbit/s up"),
        ] {
            let text = format!("{before}{}", access(ways, 12.12));
            let flow = at(&text, mbit);
            assert_eq!(flow.verdict.cause, "unknown", "{mbit}: {:#?}", flow.verdict);
            let why = &flow.verdict.because;
            assert!(why[0].starts_with(service), "{mbit}: {why:#?}");
            assert!(!why.join("\n").contains("a queue filled"), "{why:#?}");
            let second = flow.verdict.second.as_ref().map(|s| s.cause);
            assert_eq!(second, Some("link"), "{mbit}: {:#?}", flow.verdict);
            assert_eq!(asked(&flow).first(), Some(&"line_bps"), "{mbit}");
            assert!(flow.changes.is_empty(), "{:#?}", flow.changes);
        }
        // What fills the port, or a usual line, is that line.
        for (ways, mbit) in [([938.71, 501.02], 938.71), ([93.71, 94.02], 94.02)] {
            let flow = at(&format!("{before}{}", access(ways, 12.12)), mbit);
            assert_eq!(flow.verdict.cause, "link", "{mbit}: {:#?}", flow.verdict);
        }
    }
}

/// Under load 100 ms more are a queue that others feel, and no service by itself.
#[test]
fn an_access_whose_round_trip_grows_far_has_a_queue() {
    let flow = at(&access([251.71, 50.4], 106.12), 50.4);
    let why = because(&flow);
    assert!(!why.contains("a service of 50 Mbit/s"), "{why}");
    assert!(why.contains("a queue filled"), "{why}");
}

/// What is lost beside the transfers is said, and decides nothing.
#[test]
fn an_access_that_loses_packets_says_so() {
    let text = access([251.71, 50.4], 12.12).replace("Loss:     0.0%", "Loss:     1.5%");
    let says = |mbit: f64| because(&at(&text, mbit)).contains("speedtest lost 1.50 % of packets");
    assert!([251.71, 50.4].into_iter().any(says));
    let unsaid = text.replace("Loss:     1.5%", "Loss: Not available.");
    let why = because(&at(&unsaid, 50.4));
    assert!(!why.contains("speedtest lost"), "{why}");
}

/// The server of a program that chooses it by itself is not a host that somebody pinged: that round trip is of another path.
#[test]
fn a_ping_to_another_host_is_not_of_the_path_to_a_chosen_server() {
    for (host, address) in [("www.example.com", "93.184.216.34"), ("8.8.8.8", "8.8.8.8")] {
        let text = format!(
            "mac$ ping -c 20 {host}\nPING {host} ({address}): 56 data bytes\n64 bytes from {address}: icmp_seq=0 ttl=57 time=120.1 ms\n\n--- {host} ping statistics ---\n20 packets transmitted, 20 packets received, 0.0% packet loss\nround-trip min/avg/max/stddev = 120.1/120.2/120.4/0.1 ms\nmac$ networkQuality -v\n==== SUMMARY ====\nUplink capacity: 20.140 Mbps (Accuracy: High)\nDownlink capacity: 236.244 Mbps (Accuracy: High)\nResponsiveness: Low (90 RPM) (Accuracy: High)\nInterface: en0\nUplink Flow count: 12\nDownlink Flow count: 16\n"
        );
        let d = crate::of(&text, &farpath_diagnose::Known::default());
        assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
        for flow in &d.flows {
            assert_eq!(flow.observed.rtt_ns, None, "{:#?}", flow.observed);
            let missing = flow.missing.iter().find(|m| m.fact == "rtt");
            let why = missing.map_or("", |m| m.would_decide.as_str());
            assert!(why.contains("is not an end of this flow"), "{why}");
        }
    }
}
