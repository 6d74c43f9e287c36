//! Lines that are guessed: by an average that is a usual line's by chance, by a `bandwidth` that sets no rate, and by a rate that a window
//! leaves as well.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::{alike, asked, because, first_flow, of_files};

/// A log of iperf3: Mbit/s and segments sent again in each second, and the congestion window in MBytes.
fn log(rows: &[(f64, u32)], cwnd: f64) -> String {
    alike::log(40_000, rows, cwnd * 1024.0)
}

fn ping(ms: f64) -> String {
    format!(
        "\n$ ping -c 20 -q 198.51.100.2\n20 packets transmitted, 20 received, 0% packet loss, time 19030ms\nrtt min/avg/max/mdev = {:.3}/{ms:.3}/{:.3}/0.050 ms\n",
        ms - 0.1,
        ms + 0.1
    )
}

fn with(log: &str, router: &str) -> Diagnosis {
    of_files(
        &[("log.txt", log), ("router.txt", router)],
        &Known::default(),
    )
}

fn first(log: &str, router: &str) -> FlowReport {
    first_flow(with(log, router))
}

/// 1.85 Gbit/s in the first second, 840 Mbit/s then: the average of 940 is what a line of 1 Gbit/s leaves.
#[test]
fn an_average_that_is_a_lines_by_chance_is_not_the_line() {
    let rates = [
        1850.0, 790.0, 850.0, 840.0, 870.0, 800.0, 860.0, 830.0, 840.0, 870.0,
    ];
    let rows: Vec<(f64, u32)> = rates
        .iter()
        .enumerate()
        .map(|(n, rate)| (*rate, if n == 0 { 900 } else { 0 }))
        .collect();
    let flow = first(&(log(&rows, 8.79) + &ping(80.0)), "");
    let why = because(&flow);
    assert_ne!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(!why.contains("what a line of"), "{why}");
    assert!(!why.contains("even, within"), "{why}");
}

/// As many packets as were sent again are in the counter of a port of 10 Gbit/s that has room: no line of a usual rate is guessed then.
#[test]
fn what_a_faster_port_dropped_weighs_more_than_a_usual_rate() {
    let junos = "ops@mx1> show interfaces xe-0/1/2 extensive
Physical interface: xe-0/1/2, Enabled, Physical link is Up
  Link-level type: Ethernet, MTU: 9192, Speed: 10Gbps, Loopback: Disabled
  Output errors:
    Carrier transitions: 1, Errors: 0, Drops: 3344, Collisions: 0, HS link CRC errors: 0, MTU errors: 0
";
    let nexus = "n9k-ams# show interface ethernet 1/1
Ethernet1/1 is up
  MTU 9216 bytes, BW 10000000 Kbit , DLY 10 usec
  full-duplex, 10 Gb/s, media type is 10G
  TX
    0 output error  0 collision  0 deferred  0 late collision
    0 lost carrier  0 no carrier  0 babble  7211 output discard
";
    // Sent again: 2961 and 6948.
    let mut slow = vec![(700.0, 2400)];
    slow.extend([(938.0, 62); 8]);
    slow.push((938.0, 65));
    let mut fast = vec![(3900.0, 6000)];
    fast.extend([(2350.0, 105); 8]);
    fast.push((2350.0, 108));
    let cases = [
        (
            slow,
            junos,
            "the queue of xe-0/1/2 of mx1 dropped 3344 packets; this flow sent 2961 segments again",
        ),
        (
            fast,
            nexus,
            "the queue of Ethernet1/1 of n9k-ams dropped 7211 packets; this flow sent 6948 segments again",
        ),
    ];
    for (rows, router, said) in cases {
        let flow = first(&log(&rows, 12.0), router);
        let why = because(&flow);
        assert_eq!(flow.verdict.cause, "shallow_buffer", "{:#?}", flow.verdict);
        assert!(!why.contains("what a line of"), "{why}");
        assert!(why.contains(said), "{why}");
    }
}

/// `show interfaces` of IOS, whose BW is what `bandwidth` says: the medium, and the rates of both ways in Mbit/s.
fn ios(medium: &str, arrives: u32, leaves: f64) -> String {
    format!(
        "rtr1#show interfaces GigabitEthernet0/0
GigabitEthernet0/0 is up, line protocol is up
  MTU 1500 bytes, BW 50000 Kbit/sec, DLY 10 usec,
  Encapsulation ARPA, loopback not set
{medium}  Input queue: 0/375/0/0 (size/max/drops/flushes); Total output drops: 900
  5 minute input rate {arrives}000000 bits/sec, 18000 packets/sec
  5 minute output rate {:.0} bits/sec, 9000 packets/sec
",
        leaves * 1e6
    )
}

#[test]
fn a_rate_above_bw_does_not_fill_a_line() {
    let log = log(&[(205.0, 0); 10], 6.0);
    let d = with(&log, &ios("", 213, 3.0));
    let flow = &d.flows[0];
    let why = because(flow);
    assert_ne!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(!why.contains("% of its rate"), "{why}");
    let notes = d.notes.join("\n");
    assert!(!notes.contains("--line 50Mbit/s"), "{notes}");
}

/// 49.8 of 50 Mbit/s leave, and the flow arrives: what is full is its way back, and what was dropped there is not its data.
#[test]
fn the_other_way_of_an_interface_is_not_the_flows() {
    let flow = first(&log(&[(205.0, 0); 10], 6.0), &ios("", 213, 49.8));
    let why = because(&flow);
    assert_ne!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(
        why.contains("an interface on the path sent 49.8 Mbit/s, 100 % of its rate"),
        "{why}"
    );
    assert!(why.contains("goes the other way"), "{why}");
    assert!(
        why.contains("dropped 900 packets; this flow's data does not leave by that port"),
        "{why}"
    );
}

/// What arrives at a shared port is as much as the flow by chance: its full queue dropped, and the flow lost segments.
#[test]
fn a_rate_that_is_alike_is_not_the_flow_where_a_full_port_drops() {
    let flow = first(&log(&[(6.6, 8); 10], 0.5), &ios("", 7, 49.8));
    let why = because(&flow);
    assert_ne!(flow.verdict.cause, "way_back", "{:#?}", flow.verdict);
    assert!(!why.contains("goes the other way"), "{why}");
    assert!(!why.contains("does not leave by that port"), "{why}");
}

#[test]
fn the_medium_is_the_rate_where_bw_is_not() {
    let medium = "  Full Duplex, 1Gbps, media type is RJ45\n";
    let flow = first(&log(&[(935.0, 0); 10], 6.0), &ios(medium, 980, 3.0));
    let why = because(&flow);
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(
        why.contains("received 980 Mbit/s, 98 % of its rate: this flow has 95 % of that"),
        "{why}"
    );
}

/// 9.43 Mbit/s are what a line of 10 Mbit/s leaves, and 212 992 bytes in 178 ms: neither is the verdict, and what decides is asked for.
#[test]
fn a_guessed_line_is_not_the_verdict_beside_a_usual_window() {
    let lines = "Connecting to host 198.51.100.2, port 5201\n[  4] local 192.0.2.1 port 50210 connected to 198.51.100.2 port 5201\n[ ID] Interval           Transfer     Bandwidth\n[  4]   0.00-10.00  sec  11.2 MBytes  9.43 Mbits/sec                  sender\n[  4]   0.00-10.00  sec  11.2 MBytes  9.43 Mbits/sec                  receiver\n";
    let flow = first(&(lines.to_owned() + &ping(178.0)), "");
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
    assert!(
        because(&flow).contains("212992 bytes"),
        "{}",
        because(&flow)
    );
    let asked = asked(&flow);
    for fact in ["line_bps", "receive_window_bytes"] {
        assert!(asked.contains(&fact), "{asked:?}");
    }
    // At another round trip no such window fits.
    let flow = first(&(lines.to_owned() + &ping(140.0)), "");
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
}

/// 126 kB in flight, and nothing known of either end: the size alone does not say which of them has room for no more.
#[test]
fn a_buffer_of_a_usual_size_may_be_either_ends() {
    let text = "$ iperf3 -c 203.0.113.77 -t 20 -i 5
Connecting to host 203.0.113.77, port 5201
[  5] local 192.0.2.77 port 41822 connected to 203.0.113.77 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-5.00  sec  5.66 MBytes  9.5 Mbits/sec    0
[  5]   5.00-10.00  sec  6.02 MBytes  10.1 Mbits/sec    0
[  5]  10.00-15.00  sec  6.02 MBytes  10.1 Mbits/sec    0
[  5]  15.00-20.00  sec  6.02 MBytes  10.1 Mbits/sec    0
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.00  sec  23.8 MBytes  10 Mbits/sec    0             sender
[  5]   0.00-20.10  sec  23.6 MBytes  9.9 Mbits/sec                  receiver
$ ping -c 5 -q 203.0.113.77
--- 203.0.113.77 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4005ms
rtt min/avg/max/mdev = 100.000/100.100/100.300/0.110 ms
$ ethtool eth0 | grep Speed
\tSpeed: 1000Mb/s
";
    let flow = crate::first(text);
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(
        why.contains("the send buffer (39 %), the receive window (39 %)"),
        "{why}"
    );
    assert!(why.contains("as a send buffer of 131072 bytes"), "{why}");
    let asked = asked(&flow);
    for fact in ["receive_window_bytes", "send_buffer_bytes"] {
        assert!(asked.contains(&fact), "{asked:?}");
    }
    assert_eq!(flow.changes, []);
}

/// 48 Mbit/s in every interval through losses, below a port of 1 Gbit/s: chance would leave them 10 % apart.
#[test]
fn an_even_rate_through_losses_is_not_of_chance() {
    let text = "cust$ iperf3 -c 198.51.100.9 -t 20 -i 5
Connecting to host 198.51.100.9, port 5201
[  5] local 10.118.0.20 port 40220 connected to 198.51.100.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec  28.9 MBytes  48.4 Mbits/sec   41   120 KBytes
[  5]   5.00-10.00  sec  28.6 MBytes  48.1 Mbits/sec   18   110 KBytes
[  5]  10.00-15.00  sec  28.6 MBytes  47.9 Mbits/sec   17   131 KBytes
[  5]  15.00-20.00  sec  28.6 MBytes  48.0 Mbits/sec   18   118 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.00  sec   115 MBytes  48.2 Mbits/sec   94             sender
[  5]   0.00-20.02  sec   115 MBytes  48.0 Mbits/sec                  receiver
cust$ ping -c 10 -q 198.51.100.9
--- 198.51.100.9 ping statistics ---
10 packets transmitted, 10 received, 0% packet loss, time 9012ms
rtt min/avg/max/mdev = 12.010/12.110/12.300/0.090 ms
cust$ ethtool eth0 | grep Speed
\tSpeed: 1000Mb/s
";
    let flow = crate::first(text);
    assert_ne!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("where chance would leave 10 %"), "{why}");
    let commands = crate::commands(&flow);
    assert!(!commands.contains("bbr"), "{commands}");
}

/// A network of 1 Gbit/s that is full: 26 kB in flight are what the rate and 0.222 ms make, and no window.
#[test]
fn a_full_line_over_a_short_round_trip_needs_no_small_window() {
    let flow = crate::first(
        "a$ iperf3 -c b -t 10
[  5] local 10.0.3.2 port 45012 connected to 10.0.3.1 port 5201
[  5]   0.00-10.00  sec  1.10 GBytes   943 Mbits/sec    0             sender
[  5]   0.00-10.00  sec  1.10 GBytes   941 Mbits/sec                  receiver
a$ ping -c 10 b
10 packets transmitted, 10 received, 0% packet loss, time 9200ms
rtt min/avg/max/mdev = 0.201/0.222/0.261/0.020 ms
",
    );
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(because(&flow).contains("what a line of 1.00 Gbit/s leaves"));
    let commands = crate::commands(&flow);
    assert!(!commands.contains("rmem"), "{commands}");
}

/// Over 0.5 ms 58.8 kB are in flight, a tenth below a window of 64 kB; over 0.557 ms 65.5 kB, which are both.
#[test]
fn a_full_line_is_named_beside_a_window_that_is_not_as_near() {
    let with = |rtt: &str| {
        let text = format!(
            "a$ iperf3 -c b -t 10
[  5] local 10.0.3.2 port 45012 connected to 10.0.3.1 port 5201
[  5]   0.00-10.00  sec  1.10 GBytes   943 Mbits/sec    0             sender
[  5]   0.00-10.00  sec  1.10 GBytes   941 Mbits/sec                  receiver
a$ ping -c 10 b
10 packets transmitted, 10 received, 0% packet loss, time 9200ms
rtt min/avg/max/mdev = {rtt}/0.020 ms
"
        );
        crate::first(&text).verdict
    };
    let line = with("0.451/0.500/0.549");
    assert_eq!(line.cause, "link", "{line:#?}");
    assert!(line.confidence > 0.5, "{line:#?}");
    let both = with("0.551/0.557/0.561");
    assert_eq!(both.cause, "unknown", "{both:#?}");
}

/// 941 Mbit/s over 0.552 ms are 65 kB in flight; a congestion window of 1.19 MB was used up once, so that no window of 64 kB held it. A switch in
/// the network of the end, which answers from no nearer, does not answer all pings to itself.
#[test]
fn a_window_that_grew_far_beyond_a_usual_one_is_a_full_line() {
    let rows = [941.0, 941.0, 942.0, 941.0, 941.0, 941.0, 942.0, 941.0];
    let rows: Vec<(f64, u32)> = rows.into_iter().map(|mbit| (mbit, 0)).collect();
    let pings = |to: &str, received: u32, rtt: &str| {
        format!(
            "$ ping -c 100 -q {to}\nPING {to} ({to}) 56(84) bytes of data.\n\n--- {to} ping statistics ---\n100 packets transmitted, {received} received, {}% packet loss, time 99099ms\nrtt min/avg/max/mdev = {rtt}/0.029 ms\n\n",
            100 - received
        )
    };
    let text = log(&rows, 1.19).replace("198.51.100.2", "10.5.0.9")
        + &pings("10.5.0.1", 78, "0.600/0.735/0.898")
        + &pings("10.5.0.9", 100, "0.540/0.552/0.565");
    let flow = crate::first(&text);
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let why = because(&flow);
    let said = "10.5.0.1 leaves 22.0 % of the pings to itself unanswered";
    assert!(why.contains(said), "{why}");
}
