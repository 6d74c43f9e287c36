//! Holes for large packets: what captures and pings show of them, and the size that passes.

use farpath_diagnose::{Diagnosis, Known, diagnose, read};
use farpath_record::trace::{IcmpError, TraceConnection, TraceDirection, TraceDocument};
use farpath_trace::{Analysis, DirectionFound, SegmentSeen};

const MSS: u32 = 1448;

/// A connection of host `.1` to port 5201 of host `.2`, captured at `.1`, and what it sent.
fn connection(id: u64, [from_s, until_s]: [f64; 2], port: u16, bytes: u64) -> TraceConnection {
    let ns = |s: f64| (s * 1e9) as u64;
    TraceConnection {
        id,
        a: format!("192.0.2.1:{port}"),
        b: "192.0.2.2:5201".to_owned(),
        start_ns: ns(from_s) as i64,
        duration_ns: ns(until_s - from_s),
        vantage: "sender_of_a".to_owned(),
        a2b: TraceDirection {
            segments: bytes.div_ceil(u64::from(MSS)).max(4),
            bytes,
            unique_bytes: bytes,
            mss: Some(MSS),
            window_scale: Some(10),
            window_max_bytes: 65_536,
            goodput_bps: 14_698,
            ..TraceDirection::default()
        },
        ..TraceConnection::default()
    }
}

/// What was seen of `a`'s data: `delivered` bytes of it, and full segments behind these sent again `again` times.
fn found(delivered: u64, again: usize) -> [DirectionFound; 2] {
    let mut one = DirectionFound::default();
    one.observed.get_or_insert_default().delivered = delivered;
    let segment = |n: usize| SegmentSeen {
        at_ns: 1_000_000_000 * n as i64,
        offset: delivered,
        length: MSS,
        class: "rto",
        why: "rto",
    };
    one.segments = (1..=again).map(segment).collect();
    [one, DirectionFound::default()]
}

/// iperf3 as it is captured on a path with a hole: words on one connection, data on the other, of which a cookie arrives.
fn iperf3(delivered: u64, errors: Vec<IcmpError>) -> Diagnosis {
    let document = TraceDocument {
        connections: vec![
            connection(1, [0.0, 5.2], 36_012, 439),
            connection(2, [0.1, 5.2], 36_022, 15_965),
        ],
        icmp_errors: errors,
        ..TraceDocument::new()
    };
    let analysis = Analysis {
        document,
        found: vec![found(439, 0), found(delivered, 4)],
        paired: Vec::new(),
    };
    let mut facts = read(&[]);
    facts.capture("client.pcapng", &analysis);
    diagnose(&facts, "0")
}

fn too_large() -> IcmpError {
    IcmpError {
        kind: "fragmentation_needed".to_owned(),
        from: "192.0.2.254".to_owned(),
        flow_from: "192.0.2.1:36022".to_owned(),
        mtu: Some(1400),
        count: 15,
        last_ns: 3_000_000_000,
        connection: Some(2),
        ..IcmpError::default()
    }
}

#[test]
fn a_capture_of_a_hole_names_it_and_the_size_that_passes() {
    let d = iperf3(37, vec![too_large()]);
    assert_eq!(d.flows.len(), 1, "the words of iperf3 make none");
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:?}", flow.verdict);
    assert!(flow.verdict.confidence > 0.9, "{:?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    assert!(
        because.contains("192.0.2.254 reports that it carries 1400 bytes"),
        "{because}"
    );
    let commands = flow.changes[0].commands.join("\n");
    assert!(commands.contains("dev INTERFACE mtu 1400"), "{commands}");
    assert!(
        flow.ceilings.iter().all(|c| c.cause != "ramp"),
        "it was never over"
    );
}

/// The router reported before anything was sent again: what is lost at the end of such a capture is lost for another reason.
#[test]
fn a_report_that_the_sender_heeds_is_no_hole() {
    let early = IcmpError {
        last_ns: 500_000_000,
        ..too_large()
    };
    let d = iperf3(8000, vec![early]);
    assert_ne!(
        d.flows[0].verdict.cause, "mtu_black_hole",
        "{:?}",
        d.flows[0].verdict
    );
    let d = iperf3(8000, vec![too_large()]);
    assert_eq!(
        d.flows[0].verdict.cause, "mtu_black_hole",
        "{:?}",
        d.flows[0].verdict
    );
}

#[test]
fn full_segments_that_never_arrive_are_a_hole_without_a_report_too() {
    let d = iperf3(37, Vec::new());
    assert_eq!(
        d.flows[0].verdict.cause, "mtu_black_hole",
        "{:?}",
        d.flows[0].verdict
    );
    let commands = d.flows[0].changes[0].commands.join("\n");
    assert!(commands.contains("dev INTERFACE mtu 1280"), "{commands}");
    // Full segments did arrive: what is lost then is lost for another reason.
    let d = iperf3(8000, Vec::new());
    assert_ne!(
        d.flows[0].verdict.cause, "mtu_black_hole",
        "{:?}",
        d.flows[0].verdict
    );
}

#[test]
fn the_mtu_to_set_is_one_that_was_answered() {
    let ping = |bytes: u32, answered: u32, said: &str| {
        format!(
            "PING far.example (198.51.100.20) {}({bytes}) bytes of data.\n{said}\n5 packets transmitted, {answered} received, 0% packet loss, time 4013ms\n{}",
            bytes - 28,
            if answered > 0 {
                "rtt min/avg/max/mdev = 18.3/18.4/18.5/0.1 ms\n"
            } else {
                ""
            }
        )
    };
    let log = "[  5] local 192.0.2.10 port 43210 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  84.8 KBytes  69.5 Kbits/sec    6             sender
[  5]   0.00-10.04  sec  0.00 Bytes  0.00 bits/sec                  receiver
";
    let large = ping(1500, 0, "");
    for (between, passes) in [
        (ping(1438, 5, ""), "1438"),
        (
            ping(1438, 5, "")
                + &ping(
                    1450,
                    0,
                    "From 192.0.2.1 icmp_seq=1 Frag needed and DF set (mtu = 1442)",
                ),
            "1442",
        ),
        (
            ping(1460, 0, "ping: local error: message too long, mtu=1444"),
            "1444",
        ),
        (String::new(), "1280"),
    ] {
        let text = format!("{}{large}{between}{log}", ping(84, 5, ""));
        let d = crate::of(&text, &Known::default());
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:?}", flow.verdict);
        let commands = flow.changes[0].commands.join("\n");
        assert!(commands.contains(&format!("mtu {passes}")), "{commands}");
    }
}

/// Nothing but pings of Windows: what is to be changed is said in its words.
#[test]
fn a_hole_before_a_host_of_windows_is_changed_in_its_words() {
    let lost = "C:\\> ping -f -l 1472 192.0.2.9

Pinging 192.0.2.9 with 1472 bytes of data:
Request timed out.
Request timed out.

Ping statistics for 192.0.2.9:
    Packets: Sent = 2, Received = 0, Lost = 2 (100% loss),

C:\\> ping -f -l 1372 192.0.2.9

Pinging 192.0.2.9 with 1372 bytes of data:
Reply from 192.0.2.9: bytes=1372 time=33ms TTL=61
Reply from 192.0.2.9: bytes=1372 time=33ms TTL=61

Ping statistics for 192.0.2.9:
    Packets: Sent = 2, Received = 2, Lost = 0 (0% loss),
Approximate round trip times in milli-seconds:
    Minimum = 33ms, Maximum = 33ms, Average = 33ms
";
    let d = crate::of(lost, &Known::default());
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
    let commands = crate::commands(flow);
    assert!(
        commands.contains("netsh interface ipv4 set subinterface"),
        "{commands}"
    );
    assert!(
        !commands.contains("sysctl") && !commands.contains("ip link set"),
        "{commands}"
    );
    let why = crate::because(flow);
    assert!(why.contains("the path MTU is 1400 to 1499 bytes"), "{why}");
}

/// `-D` of macOS keeps packets whole, and that of Linux prints times.
#[test]
fn pings_of_a_mac_bound_a_path_mtu() {
    let run = |data: u32, answered: u32| {
        let answer = match answered {
            0 => "Request timeout for icmp_seq 0\n".to_owned(),
            _ => format!(
                "{} bytes from 192.0.2.9: icmp_seq=0 ttl=61 time=24.1 ms\n",
                data + 8
            ),
        };
        format!(
            "mac$ ping -D -c 2 -s {data} 192.0.2.9\nPING 192.0.2.9 (192.0.2.9): {data} data bytes\n{answer}\n--- 192.0.2.9 ping statistics ---\n2 packets transmitted, {answered} packets received, {}% packet loss\n",
            50 * (2 - answered)
        )
    };
    let d = crate::of(&(run(8972, 0) + &run(1472, 2)), &Known::default());
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
    let why = crate::because(flow);
    assert!(why.contains("the path MTU is 1500 to 8999 bytes"), "{why}");
}

/// A port of 1500 bytes that counts what arrives as too large is where large pings are lost, whoever lies between: its count was not read.
#[test]
fn a_port_that_counts_giants_is_where_large_packets_are_lost() {
    let pings = "nfs1$ ping -M do -s 8972 -c 5 10.9.1.2
PING 10.9.1.2 (10.9.1.2) 8972(9000) bytes of data.

--- 10.9.1.2 ping statistics ---
5 packets transmitted, 0 received, 100% packet loss, time 4097ms

nfs1$ ping -c 5 10.9.1.2
PING 10.9.1.2 (10.9.1.2) 56(84) bytes of data.

--- 10.9.1.2 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4005ms
rtt min/avg/max/mdev = 0.101/0.118/0.130/0.010 ms
";
    let of = |giants: u32| {
        let port = format!(
            "leaf2#show interfaces Ethernet11
Ethernet11 is up, line protocol is up (connected)
  Hardware is Ethernet, address is 001c.7300.0011
  MTU 1500 bytes, BW 25000000 kbit
  Full-duplex, 25Gb/s, auto negotiation: off, uni-link: n/a
     188122 packets input, 99112233 bytes
     Received 22 broadcasts, 12 multicast
     0 runts, {giants} giants
     {giants} input errors, 0 CRC, 0 alignment, 0 symbol, 0 input discards
     180002 packets output, 8811223344 bytes
     0 output errors, 0 collisions
"
        );
        let d = crate::of(&format!("{pings}{port}"), &Known::default());
        let flow = d.flows[0].clone();
        assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
        flow
    };
    let flow = of(9210);
    assert!(flow.verdict.confidence > 0.8, "{:#?}", flow.verdict);
    let why = crate::because(&flow);
    let says = "Ethernet11 of leaf2 counts 9210 frames that were too large for it (giants)";
    assert!(why.contains(says), "{why}");
    let commands = crate::commands(&flow);
    assert!(
        commands.contains("interface Ethernet11; mtu 9216"),
        "{commands}"
    );
    let flow = of(0);
    assert!(flow.verdict.confidence < 0.8, "{:#?}", flow.verdict);
    let why = crate::because(&flow);
    assert!(!why.contains("giants"), "{why}");
}

/// Answers whose TTL no router lowered: switches alone lie between, and one of them has the smaller MTU.
#[test]
fn a_hole_in_one_subnet_is_a_switch() {
    let ping = |data: u32, received: u32, ttl: u32| {
        let answer = format!(
            "{} bytes from 192.0.2.2: icmp_seq=1 ttl={ttl} time=0.213 ms\n",
            data + 8
        );
        format!(
            "PING 192.0.2.2 (192.0.2.2) {data}({}) bytes of data.\n{}\n--- 192.0.2.2 ping statistics ---\n3 packets transmitted, {received} received, {}% packet loss, time 2030ms\n",
            data + 28,
            if received > 0 { answer.as_str() } else { "" },
            if received > 0 { 0 } else { 100 }
        )
    };
    let of = |ttl: u32, port: &str| {
        let text = format!("{}{}\n{port}", ping(8972, 0, ttl), ping(1472, 3, ttl));
        let d = crate::of(&text, &Known::default());
        let flow = d.flows[0].clone();
        assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
        flow
    };
    let commands = crate::commands(&of(64, ""));
    assert!(
        commands.contains("on each switch between") && !commands.contains("iptables"),
        "{commands}"
    );
    let port = "sw1# show interface ethernet1/5 | include MTU\n  MTU 1500 bytes, BW 10000000 Kbit, DLY 10 usec\n";
    let flow = of(64, port);
    let change = &flow.changes[0];
    let commands = change.commands.join("\n");
    let shows = "on sw1, first: show running-config interface ethernet1/5, and keep";
    let at_port = commands.find(shows);
    let at_sender = commands.find("sysctl -w net.ipv4.tcp_mtu_probing=1");
    assert!(at_port.is_some() && at_port < at_sender, "{commands}");
    assert!(
        commands.contains("interface ethernet1/5; mtu 9216 (or the most"),
        "{commands}"
    );
    let undo = &change.undo[0];
    assert!(undo.contains("interface ethernet1/5; mtu 1500"), "{undo}");
    assert!(
        !change.commands.join("\n").contains("on each switch")
            && !change.risk.contains("find which switch"),
        "{change:#?}"
    );
    // What another port of that switch has, it takes.
    let wide = "sw1# show interface ethernet1/4 | include MTU\n  MTU 9198 bytes, BW 10000000 Kbit, DLY 10 usec\n";
    let commands = crate::commands(&of(64, &format!("{port}{wide}")));
    assert!(
        commands.contains("interface ethernet1/5; mtu 9198 (which ethernet1/4 has)"),
        "{commands}"
    );
    // The interface of a VLAN passes what goes through its switch by.
    let vlan = "sw1# show interface vlan10 | include MTU\n  MTU 1500 bytes, BW 10000000 Kbit, DLY 10 usec\n";
    let commands = crate::commands(&of(64, vlan));
    assert!(commands.contains("on each switch between"), "{commands}");
    let because = crate::because(&flow);
    assert!(
        because.contains("ethernet1/5 of sw1 has an MTU of 1500 bytes"),
        "{because}"
    );
    let commands = crate::commands(&of(61, port));
    assert!(
        commands.contains("iptables") && !commands.contains("on each switch between"),
        "{commands}"
    );
}

/// Packets as large as a tunnel's interface takes vanish in it: its MTU and smaller segments come before what a sender can do, and no switch
/// is to be changed. Where a route says that the path is another one, the tunnel is left alone.
#[test]
fn a_hole_in_a_tunnel_is_mended_at_the_tunnel() {
    let ping = |bytes: u32, received: u32| {
        let answer = match received {
            0 => String::new(),
            _ => format!(
                "{} bytes from 192.0.2.2: icmp_seq=1 ttl=64 time=21.2 ms\n",
                bytes - 20
            ),
        };
        format!(
            "PING 192.0.2.2 (192.0.2.2) {}({bytes}) bytes of data.\n{answer}\n--- 192.0.2.2 ping statistics ---\n3 packets transmitted, {received} received, {}% packet loss, time 2030ms\n",
            bytes - 28,
            if received > 0 { 0 } else { 100 }
        )
    };
    let of = |route: &str| {
        let text = format!(
            "{}{}\n7: wg0: <POINTOPOINT,NOARP,UP,LOWER_UP> mtu 1420 qdisc noqueue state UNKNOWN group default qlen 1000\n    link/none \n{route}",
            ping(1420, 0),
            ping(1360, 3)
        );
        let d = crate::of(&text, &Known::default());
        let flow = d.flows[0].clone();
        assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
        flow
    };
    for route in ["", "\n192.0.2.2 dev wg0 src 192.0.2.1 uid 0\n"] {
        let flow = of(route);
        let commands = crate::commands(&flow);
        let tunnel = commands.find("ip link set dev wg0 mtu 1360");
        let sender = commands.find("sysctl -w net.ipv4.tcp_mtu_probing=1");
        assert!(tunnel.is_some() && tunnel < sender, "{commands}");
        assert!(commands.contains("--clamp-mss-to-pmtu"), "{commands}");
        assert!(!commands.contains("on each switch"), "{commands}");
        let undo = flow.changes[0].undo.join("\n");
        assert!(undo.contains("ip link set dev wg0 mtu 1420"), "{undo}");
    }
    let beside = of("\n192.0.2.2 dev eth0 src 192.0.2.1 uid 0\n");
    let commands = crate::commands(&beside);
    assert!(
        commands.contains("on each switch") && !commands.contains("wg0"),
        "{commands}"
    );
}

/// A tunnel's interface that takes more than vanishes is set too high: the only one that is printed is where it is changed.
#[test]
fn a_tunnel_that_is_set_too_high_is_lowered() {
    let ping = |bytes: u32, received: u32| {
        format!(
            "PING 192.0.2.2 (192.0.2.2) {}({bytes}) bytes of data.\n\n--- 192.0.2.2 ping statistics ---\n3 packets transmitted, {received} received, {}% packet loss, time 2030ms\n",
            bytes - 28,
            if received > 0 { 0 } else { 100 }
        )
    };
    let of = |other: &str| {
        let text = format!(
            "{}{}\n7: tun0: <POINTOPOINT,MULTICAST,NOARP,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UNKNOWN mode DEFAULT group default qlen 500\n    link/none\n{other}",
            ping(1428, 0),
            ping(1328, 3)
        );
        crate::commands(&crate::of(&text, &Known::default()).flows[0])
    };
    let commands = of("");
    assert!(
        commands.contains("ip link set dev tun0 mtu 1328"),
        "{commands}"
    );
    let beside = of(
        "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000\n    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    inet 198.51.100.4/24 brd 198.51.100.255 scope global eth0\n",
    );
    assert!(!beside.contains("tun0"), "{beside}");
}
