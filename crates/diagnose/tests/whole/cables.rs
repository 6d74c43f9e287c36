//! What interfaces say of cables, light, radio and duplex, as people paste it: in parts, filtered, twice.

use farpath_diagnose::{Diagnosis, Known};

use crate::{first_flow, of, on};

/// A transfer from `bak1`, with this many segments sent again.
pub(crate) fn log(mbit: f64, again: u32) -> String {
    let bytes = mbit / 8.0 * 10.0 / 1.048576;
    format!(
        "[  5] local 192.0.2.5 port 38422 connected to 192.0.2.40 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  {bytes:.1} MBytes  {mbit:.1} Mbits/sec  {again}             sender
[  5]   0.00-10.00  sec  {bytes:.1} MBytes  {mbit:.1} Mbits/sec                  receiver
"
    )
}

pub(crate) const PING: &str = "5 packets transmitted, 5 received, 0% packet loss, time 4098ms
rtt min/avg/max/mdev = 4.089/4.101/4.112/0.008 ms
";

fn because(d: &Diagnosis) -> String {
    crate::because(&d.flows[0])
}

fn unread(d: &Diagnosis) -> Vec<u32> {
    d.read
        .iter()
        .flat_map(|p| p.ignored_lines.clone())
        .collect()
}

#[test]
fn a_speed_that_grep_took_out_is_a_line() {
    for text in ["Speed: 100Mb/s\n", "\tSpeed: 100Mb/s\n\tDuplex: Full\n"] {
        let d = of(&(text.to_owned() + &log(93.8, 0) + PING), &Known::default());
        assert_eq!(d.flows[0].verdict.cause, "link", "{:?}", d.flows[0].verdict);
        assert!(unread(&d).is_empty(), "{:?}", d.read);
        // A tenth of what most ports can do is what a broken pair leaves.
        let hint = "A cable with a broken pair leaves 100 Mbit/s";
        assert!(because(&d).contains(hint), "{}", because(&d));
    }
    let half = of(
        &("Duplex: Half\n".to_owned() + &log(8.0, 500) + PING),
        &Known::default(),
    );
    assert!(
        because(&half).contains("half duplex"),
        "{:?}",
        half.flows[0].verdict
    );
}

/// A port that came up at a tenth of what it should is a full line, and not what was expected.
#[test]
fn a_port_slower_than_what_is_expected_is_said_to_be() {
    let text = "Speed: 100Mb/s\nDuplex: Full\n".to_owned() + &log(93.8, 0) + PING;
    let known = Known {
        target: Some("1 Gbit/s".parse().expect("a rate")),
        ..Known::default()
    };
    let d = of(&text, &known);
    assert_eq!(d.flows[0].verdict.cause, "link", "{:?}", d.flows[0].verdict);
    assert!(
        because(&d).contains("runs at 100 Mbit/s, and 10 times as much is expected"),
        "{}",
        because(&d)
    );
    let change = &d.flows[0].changes[0];
    assert!(
        change
            .commands
            .iter()
            .any(|c| c.starts_with("change the cable"))
    );
    // 941 of 1000 Mbit/s are payload.
    assert!((change.predicted_bps.expect("it is known") / 941.5e6 - 1.0).abs() < 0.001);
    assert!(of(&text, &Known::default()).flows[0].changes.is_empty());
}

const LINKS: &str = "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP mode DEFAULT group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
     918273645 1200345      0       0       0    2201
    RX errors:  length    crc   frame    fifo overrun
                     0     77       0       0       0
    TX:  bytes packets errors dropped carrier collsns
    5918273645 4200345      0       0       0  183745
    TX errors: aborted   fifo  window heartbt transns
                     0      0       0       0       5
";

#[test]
fn collisions_are_half_duplex_and_rows_of_errors_stop_no_reader() {
    let d = of(
        &(LINKS.to_owned() + &log(8.2, 527) + PING),
        &on("100 Mbit/s"),
    );
    assert!(unread(&d).is_empty(), "{:?}", d.read);
    assert_eq!(
        d.flows[0].verdict.cause, "duplex",
        "{:?}",
        d.flows[0].verdict
    );
    assert!(because(&d).contains("183745 collisions"), "{}", because(&d));
    let clean = LINKS.replace("183745", "0");
    let d = of(&(clean + &log(8.2, 527) + PING), &on("100 Mbit/s"));
    assert_ne!(d.flows[0].verdict.cause, "duplex");
}

/// `netstat -i` of macOS, whose loopback has no address: the row of the link counts, and those of addresses repeat it.
const MAC_LINKS: &str =
    "Name  Mtu   Network       Address            Ipkts Ierrs    Opkts Oerrs  Coll
lo0   16384 <Link#1>                        97412     0    97412     0     0
lo0   16384 127           127.0.0.1         97412     -    97412     -     -
en0   1500  <Link#4>    02:00:00:00:00:01 1200345    77  4200345     0 183745
en0   1500  192.0.2       192.0.2.5       1200345     -  4200345     -     -
";

#[test]
fn collisions_of_a_mac_are_half_duplex_too() {
    let of = |links: &str| {
        of(
            &(links.to_owned() + &log(8.2, 527) + PING),
            &on("100 Mbit/s"),
        )
    };
    let d = of(MAC_LINKS);
    assert!(unread(&d).is_empty(), "{:?}", d.read);
    assert_eq!(
        d.flows[0].verdict.cause, "duplex",
        "{:?}",
        d.flows[0].verdict
    );
    assert!(because(&d).contains("183745 collisions"), "{}", because(&d));
    let d = of(&MAC_LINKS.replace("183745", "0"));
    assert_ne!(d.flows[0].verdict.cause, "duplex");
}

const ROUTER: &str = "GigabitEthernet0/1 is up, line protocol is up
  Hardware is CN Gigabit Ethernet, address is 0200.0000.0001 (bia 0200.0000.0001)
  MTU 1500 bytes, BW 100000 Kbit/sec, DLY 100 usec,
     reliability 251/255, txload 12/255, rxload 9/255
  Half Duplex, 100Mbps, media type is RJ45
  output flow-control is unsupported, input flow-control is unsupported
  5 minute output rate 4900000 bits/sec, 902 packets/sec
     81273645 packets input, 3928374651 bytes, 0 no buffer
     Received 201 broadcasts (0 IP multicasts)
     0 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored
     0 watchdog, 0 multicast, 0 pause input
     0 output errors, 188273 collisions, 1 interface resets
     0 unknown protocol drops
     0 babbles, 48273 late collision, 91823 deferred
     0 lost carrier, 0 no carrier, 0 pause output
     0 output buffer failures, 0 output buffers swapped out
";

#[test]
fn a_routers_late_collisions_are_a_duplex_mismatch() {
    for text in [
        ROUTER.to_owned(),
        ROUTER.replace("Half Duplex, 100Mbps", "Half-duplex, 100Mb/s"),
        ROUTER.replace("Half Duplex, 100Mbps", "Auto-duplex, Auto Speed"),
    ] {
        let d = of(&(text + &log(6.2, 300) + PING), &Known::default());
        assert!(unread(&d).is_empty(), "{:?}", d.read);
        assert_eq!(
            d.flows[0].verdict.cause, "duplex",
            "{:?}",
            d.flows[0].verdict
        );
        assert!(
            because(&d).contains("48273 late collisions"),
            "{}",
            because(&d)
        );
    }
    let junos = "Physical interface: fe-0/0/0, Enabled, Physical link is Up\n  Link-level type: Ethernet, MTU: 1514, Link-mode: Half-duplex, Speed: 100mbps, Loopback: Disabled\n";
    let d = of(
        &(junos.to_owned() + &log(6.2, 300) + PING),
        &Known::default(),
    );
    assert!(
        because(&d).contains("half duplex"),
        "{:?}",
        d.flows[0].verdict
    );
}

/// Texts of both ends beside a test that lost many segments.
fn both_ends(sender: &str, receiver: &str) -> farpath_diagnose::FlowReport {
    let test = log(8.0, 500) + PING;
    let files = [
        ("log.txt", test.as_str()),
        ("sender.txt", sender),
        ("receiver.txt", receiver),
    ];
    first_flow(crate::of_files(&files, &on("100 Mbit/s")))
}

#[test]
fn a_duplex_mismatch_is_read_from_both_ends() {
    let port = |mode: &str| {
        format!("Settings for eth0:\n\tSpeed: 100Mb/s\n\tDuplex: {mode}\n\tAuto-negotiation: off\n")
    };
    for (modes, half) in [
        (["Half", "Full"], "192.0.2.5"),
        (["Full", "Half"], "192.0.2.40"),
    ] {
        let flow = both_ends(&port(modes[0]), &port(modes[1]));
        assert_eq!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
        let why = crate::because(&flow);
        assert!(
            why.contains(&format!("eth0 of {half} is at half duplex and eth0 of ")),
            "{why}"
        );
    }
    // Both are at half duplex, or of two speeds and so of two cables.
    let alike = both_ends(&port("Half"), &port("Half"));
    assert!(!crate::because(&alike).contains("mismatch"));
    let fast = port("Full").replace("100Mb/s", "1000Mb/s");
    let apart = both_ends(&port("Half"), &fast);
    assert!(!crate::because(&apart).contains("mismatch"));
}

/// A host that negotiates is at half duplex because its port does not: what is to be changed is the port.
#[test]
fn a_host_that_negotiates_is_left_as_it_is() {
    let port = |mode: &str, automatic: &str| {
        format!(
            "Settings for eth0:\n\tSpeed: 100Mb/s\n\tDuplex: {mode}\n\tAuto-negotiation: {automatic}\n"
        )
    };
    for (automatic, changed) in [("on", false), ("off", true)] {
        let flow = both_ends(&port("Half", automatic), &port("Full", "off"));
        assert_eq!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
        let commands = crate::commands(&flow);
        assert_eq!(commands.contains("autoneg on"), changed, "{commands}");
        assert!(
            commands.contains("on the switch: duplex auto"),
            "{commands}"
        );
    }
}

/// The facts of a table are counted with its lines, though they are known at its end alone.
#[test]
fn a_table_of_ports_gives_facts() {
    let table = "sw#show interfaces status\nPort      Name               Status       Vlan       Duplex  Speed Type\nFa0/5     srv                connected    10           full    100 10/100BaseTX\n";
    let d = of(
        &(table.to_owned() + &log(93.8, 0) + PING),
        &Known::default(),
    );
    let piece = d.read.iter().find(|p| p.tool == "show interfaces");
    let piece = piece.expect("the table was read");
    assert_eq!(piece.facts, 1, "{:?}", d.read);
}

#[test]
fn late_collisions_at_one_end_and_damaged_frames_at_the_other_are_a_mismatch() {
    let late = "NIC statistics:\n     rx_packets: 81273\n     tx_late_collisions: 4821\n";
    let damaged = "NIC statistics:\n     tx_packets: 81273\n     rx_crc_errors: 3911\n";
    for [sender, receiver] in [[late, damaged], [damaged, late]] {
        let flow = both_ends(sender, receiver);
        assert_eq!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
        let why = crate::because(&flow);
        assert!(
            why.contains("4821 late collisions") && why.contains("3911 frames arrived damaged"),
            "{why}"
        );
    }
}

#[test]
fn damaged_frames_count_by_how_they_grow() {
    let counters = |crc: u32| {
        format!(
            "root@repl-b:~# ethtool -S ens1f0 | grep err\n     rx_errors: {crc}\n     tx_errors: 0\n     rx_crc_errors: {crc}\n     rx_length_errors: 0\n"
        )
    };
    let optics = "\tLaser output power                        : 0.6012 mW / -2.21 dBm
\tReceiver signal average optical power     : 0.0331 mW / -14.80 dBm
\tLaser rx power high alarm                 : Off
\tLaser rx power low alarm                  : On
";
    let rest = "root@bak1:~# iperf3 -c 192.0.2.40\n".to_owned() + &log(1630.0, 169) + PING;
    let twice = counters(48_211) + &counters(48_902);
    let d = of(&(twice.clone() + optics + &rest), &on("10 Gbit/s"));
    assert!(unread(&d).is_empty(), "{:?}", d.read);
    assert_eq!(
        d.flows[0].verdict.cause, "random_loss",
        "{:?}",
        d.flows[0].verdict
    );
    let why = because(&d);
    assert!(
        why.contains("48902 frames arrived damaged, 691 of them from one reading to the next"),
        "{why}"
    );
    assert!(why.contains("its light is too weak"), "{why}");
    let commands = d.flows[0].changes[0].commands.join("\n");
    assert!(commands.contains("clean or change the plugs"), "{commands}");
    // Grown it says more than counted once, and of two interfaces nothing has grown.
    let confidence = |text: String| {
        let d = of(&(text + &rest), &on("10 Gbit/s"));
        let v = d.flows[0].verdict.clone();
        if v.cause == "random_loss" {
            v.confidence
        } else {
            0.0
        }
    };
    let once = confidence(counters(48_902));
    let grown = confidence(twice);
    assert!(grown > once, "{grown} {once}");
    let other = counters(48_211) + &counters(48_902).replace("ens1f0", "ens1f1");
    assert!((confidence(other) - once).abs() < 0.02);
}

#[test]
fn a_weak_radio_link_that_loses_at_rest_is_among_the_reasons() {
    let text = "Connected to 02:00:00:00:00:01 (on wlp0s20f3)
\tsignal: -78 dBm
\trx bitrate: 26.0 MBit/s MCS 3
\ttx bitrate: 19.5 MBit/s MCS 2
20 packets transmitted, 19 received, 5% packet loss, time 19034ms
rtt min/avg/max/mdev = 3.980/53.908/233.000/65.412 ms
";
    let d = of(&(text.to_owned() + &log(6.4, 48)), &Known::default());
    let why = because(&d);
    assert!(why.contains("-78 dBm"), "{why}");
    assert!(
        why.contains("loses 5 % of pings, and round trips vary by 229 ms"),
        "{why}"
    );
    let strong = text
        .replace("-78", "-50")
        .replace("19 received", "20 received")
        .replace("233.000", "4.9");
    let d = of(
        &(strong.replace("53.908", "4.2") + &log(6.4, 48)),
        &Known::default(),
    );
    assert!(!because(&d).contains("radio"), "{}", because(&d));
}

/// Both readings of the interface at a host, and by how much it grew in between.
fn read_twice(host: &str, before: u32, after: u32) -> String {
    let reading = |crc: u32| {
        format!(
            "root@{host}:~# date; ethtool -S enp3s0f1 | grep -E 'rx_crc|rx_errors'\nTue Mar  3 21:14:09 UTC 2026\n     rx_errors: 0\n     rx_crc_errors: {crc}\n"
        )
    };
    format!("{}{}", reading(before), reading(after))
}

/// Four connections side by side from `src4` to `dst9`, with 60 segments sent again.
fn four() -> String {
    let mut all =
        "root@src4:~# iperf3 -c dst9 -P 4 -t 40\nConnecting to host dst9, port 5201\n".to_owned();
    for n in 0..4 {
        all += &format!(
            "[{:3}] local 192.0.2.4 port 4110{n} connected to 198.51.100.9 port 5201\n",
            5 + 2 * n
        );
    }
    all += "[ ID] Interval           Transfer     Bitrate         Retr\n";
    let parts: [u32; 10] = [3, 8, 5, 9, 4, 7, 6, 2, 10, 6];
    for (n, part) in (0_u32..).zip(parts) {
        let mbit = 380.0 + f64::from(n % 4) * 60.0;
        let size = 4.0 * mbit / 8.388_608;
        all += &format!(
            "[SUM]   {}.00-{}.00   sec  {size:.1} MBytes  {mbit:.0} Mbits/sec  {part}\n",
            4 * n,
            4 * n + 4
        );
    }
    all + "- - - - -\n[SUM]   0.00-40.00  sec  2.16 GBytes   465 Mbits/sec  60             sender\n[SUM]   0.00-40.02  sec  2.14 GBytes   459 Mbits/sec                  receiver\n\nroot@src4:~# ping -q -c 10 dst9\nPING dst9 (198.51.100.9) 56(84) bytes of data.\n\n--- dst9 ping statistics ---\n10 packets transmitted, 10 received, 0% packet loss, time 9014ms\nrtt min/avg/max/mdev = 20.11/20.15/20.24/0.04 ms\n"
}

#[test]
fn damage_that_matches_what_was_sent_again_settles_it() {
    let at = |host: &str, grown: u32| {
        let d = of(
            &(read_twice(host, 8101, 8101 + grown) + &four()),
            &on("10 Gbit/s"),
        );
        first_flow(d)
    };
    let matched = at("dst9", 63);
    assert_eq!(matched.verdict.cause, "random_loss", "{matched:#?}");
    assert!(matched.verdict.confidence > 0.9, "{:#?}", matched.verdict);
    let why = matched.verdict.because.join("\n");
    assert!(
        why.contains("at enp3s0f1 8164 frames arrived damaged, 63 of them from one reading to the next: as many as the 60 segments"),
        "{why}"
    );
    assert!(!why.contains("side by side"), "{why}");
    let clean = &matched.changes[0];
    assert_eq!(clean.host, "198.51.100.9");
    assert!(clean.commands[0].contains("transceiver of enp3s0f1"));
    let asks = |flow: &farpath_diagnose::FlowReport, fact: &str| {
        flow.missing.iter().any(|m| m.fact == fact)
    };
    assert!(
        !asks(&matched, "datagram_loss_ratio"),
        "{:?}",
        matched.missing
    );
    // A part of them speaks for that part, and what is of one connection holds the rest down.
    let few = at("dst9", 7);
    assert!(few.verdict.confidence <= 0.6, "{:#?}", few.verdict);
    let why = few.verdict.because.join("\n");
    assert!(why.contains("at most 12 % of the 60 segments"), "{why}");
    // Where the data is sent, what arrives is none of it.
    let back = at("src4", 63);
    assert!(back.verdict.confidence <= 0.6, "{:#?}", back.verdict);
    let why = back.verdict.because.join("\n");
    assert!(
        why.contains("none of the segments that it sent again"),
        "{why}"
    );
    let commands = back
        .changes
        .iter()
        .flat_map(|c| c.commands.join("\n").into_bytes());
    let commands = String::from_utf8(commands.collect()).expect("text");
    assert!(!commands.contains("clean or change"), "{commands}");
}

#[test]
fn a_kind_of_loss_that_is_held_down_as_connections_run_side_by_side_says_so() {
    let d = of(&four(), &on("10 Gbit/s"));
    let verdict = &d.flows[0].verdict;
    let why = verdict.because.join("\n");
    assert_eq!(
        verdict.confidence == 0.6,
        why.contains("no kind of loss is said with more than 60 %"),
        "{verdict:#?}"
    );
}

/// What collides at half duplex may be as it is meant to be; late collisions are a mismatch.
#[test]
fn collisions_alone_are_no_mismatch() {
    let d = of(
        &(LINKS.to_owned() + &log(8.2, 527) + PING),
        &on("100 Mbit/s"),
    );
    assert!(
        !d.ticket.contains("limited by a duplex mismatch"),
        "{}",
        d.ticket
    );
    assert!(d.ticket.contains("half duplex"), "{}", d.ticket);
    assert!(
        because(&d).contains("shared or negotiated"),
        "{}",
        because(&d)
    );
    let late = of(
        &(ROUTER.to_owned() + &log(6.2, 300) + PING),
        &Known::default(),
    );
    assert!(
        because(&late).contains("a duplex mismatch"),
        "{}",
        because(&late)
    );
}

/// A port of a gateway that collides at half duplex, at another speed than the one whose payload the rate happens to be.
#[test]
fn half_duplex_on_a_routers_port_counts_more_than_a_rate_that_another_speed_leaves() {
    let mut rows = String::from(
        "[  5] local 10.1.0.5 port 40000 connected to 10.9.0.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
    );
    for n in 0..10 {
        let (mbyte, mbit) = [(1.12, 9.44), (1.18, 9.90)][n % 2];
        rows += &format!(
            "[  5]  {n:>2}.00-{}.00  sec  {mbyte} MBytes  {mbit} Mbits/sec  {}   38.6 KBytes\n",
            n + 1,
            2 - n % 2
        );
    }
    rows += "[  5]   0.00-10.00  sec  11.4 MBytes  9.60 Mbits/sec   15             sender
[  5]   0.00-10.03  sec  11.3 MBytes  9.45 Mbits/sec                  receiver
4 packets transmitted, 4 received, 0% packet loss, time 3004ms
rtt min/avg/max/mdev = 28.9/29.0/29.1/0.07 ms
$ ethtool eth0
\tSpeed: 1000Mb/s
\tDuplex: Full
";
    let port = |mode: &str, collisions: u32| {
        rows.clone()
            + &format!(
                "gw1> show interfaces ge-0/0/1 extensive
Physical interface: ge-0/0/1, Enabled, Physical link is Up
  Link-level type: Ethernet, MTU: 1514, Link-mode: {mode}, Speed: 100mbps, BPDU Error: None,
  Output errors:
    Carrier transitions: 1, Errors: 212, Drops: 0, Collisions: {collisions}, Aged packets: 0, MTU errors: 0
"
            )
    };
    for collisions in [0, 4121] {
        let d = of(&port("Half-duplex", collisions), &Known::default());
        let verdict = &d.flows[0].verdict;
        assert_eq!(verdict.cause, "duplex", "{collisions} {verdict:#?}");
        assert!(
            !because(&d).contains("is what Ethernet at"),
            "{}",
            because(&d)
        );
        let low = d.flows[0].changes[0].low_bps;
        assert!(low.is_some_and(|low| low < 95e6), "{low:?}");
    }
    let d = of(&port("Half-duplex", 4121), &Known::default());
    assert!(because(&d).contains("4121 collisions"), "{}", because(&d));
    let d = of(&port("Full-duplex", 0), &Known::default());
    assert_ne!(d.flows[0].verdict.cause, "duplex");
}

/// A host that negotiates beside a port that is fixed to full duplex: what the host breaks off arrives damaged at the port.
#[test]
fn a_half_duplex_host_at_a_full_port_with_damaged_frames_is_a_mismatch() {
    let ethtool = "$ ethtool eth0\nSettings for eth0:\n\tSpeed: 100Mb/s\n\tDuplex: Half\n\tAuto-negotiation: on\n\tLink detected: yes\n";
    let port = |crc: u32| {
        format!(
            "sw4#sh int fa0/14 | i duplex|CRC|collision\n  Full-duplex, 100Mb/s, media type is 10/100BaseTX\n     {crc} input errors, {crc} CRC, 0 frame, 0 overrun, 0 ignored\n     0 output errors, 0 collisions, 1 interface resets\n"
        )
    };
    let with = |port: &str| of(&(log(2.7, 149) + PING + ethtool + port), &Known::default());
    let d = with(&port(7119));
    assert_eq!(d.flows[0].verdict.cause, "duplex", "{:#?}", d.flows[0]);
    let why = because(&d);
    assert!(why.contains("a duplex mismatch: eth0 of "), "{why}");
    assert!(
        why.contains("fa0/14 of sw4 at full, where 7119 frames arrived damaged"),
        "{why}"
    );
    // Of another speed it is the end of another cable, and without damage nothing shows it.
    let other = port(7119).replace("100Mb/s", "1000Mb/s");
    for port in [other, port(0)] {
        let why = because(&with(&port));
        assert!(!why.contains("a duplex mismatch: eth0 of "), "{why}");
        assert!(why.contains("at half duplex"), "{why}");
    }
}
