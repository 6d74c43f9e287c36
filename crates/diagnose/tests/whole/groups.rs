//! Links side by side, of which each connection takes one: full ports of a router, connections that differ, one that fills a member.

use farpath_diagnose::{Diagnosis, Known};

use crate::{because, of, of_files, on};

/// A log of connections side by side, each with its rate in Gbit/s and its segments sent again, over 10 s.
fn log(each: &[(f64, u32)]) -> String {
    let mut all = format!(
        "$ iperf3 -c 198.51.100.71 -P {} -t 10\nConnecting to host 198.51.100.71, port 5201\n",
        each.len()
    );
    for n in 0..each.len() {
        all += &format!(
            "[{:3}] local 192.0.2.71 port {} connected to 198.51.100.71 port 5201\n",
            5 + 2 * n,
            51_300 + 2 * n
        );
    }
    all += "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n";
    for second in 0..10 {
        for (n, (rate, again)) in each.iter().enumerate() {
            all += &format!(
                "[{:3}]   {second}.00-{}.00   sec  {:.2} GBytes  {rate:.2} Gbits/sec  {:3}   8.14 MBytes\n",
                5 + 2 * n,
                second + 1,
                rate / 8.589_934,
                again / 10
            );
        }
    }
    let mut end = |id: &str, rate: f64, again: u32| {
        let bytes = rate * 10.0 / 8.589_934;
        all += &format!(
            "[{id:>3}]   0.00-10.00  sec  {bytes:.2} GBytes  {rate:.2} Gbits/sec  {again}             sender\n[{id:>3}]   0.00-10.00  sec  {bytes:.2} GBytes  {rate:.2} Gbits/sec                  receiver\n"
        );
    };
    for (n, (rate, again)) in each.iter().enumerate() {
        end(&(5 + 2 * n).to_string(), *rate, *again);
    }
    if each.len() > 1 {
        let sum = each.iter().map(|e| e.0).sum();
        end("SUM", sum, each.iter().map(|e| e.1).sum());
    }
    all + "\niperf Done.\n"
}

/// Two connections share a member of 25 Gbit/s, three the next, and none takes the third.
const SHARED: [(f64, u32); 5] = [(11.9, 210), (11.7, 230), (7.9, 410), (7.8, 380), (7.7, 400)];

fn port(name: &str, bps: u64, drops: u32) -> String {
    format!(
        "Physical interface: {name}, Enabled, Physical link is Up
  Description: ae7 member
  Link-level type: Ethernet, MTU: 9192, Speed: 25Gbps, BPDU Error: None, Loopback: Disabled
  Input rate     : 31882171 bps (48113 pps)
  Output rate    : {bps} bps (341222 pps)
  Output errors:
    Carrier transitions: 1, Errors: 0, Drops: {drops}, Collisions: 0, Aged packets: 0, HS link CRC errors: 0, MTU errors: 0
"
    )
}

fn ports() -> String {
    "ops@agg2> show interfaces et-0/1/[0-2]\n".to_owned()
        + &port("et-0/1/0", 24_870_312_004, 1190)
        + &port("et-0/1/1", 24_711_904_112, 440)
        + &port("et-0/1/2", 90_112, 0)
}

fn commands(d: &Diagnosis) -> String {
    let changes = d.flows.iter().flat_map(|f| &f.changes);
    let all = changes.flat_map(|c| [c.host.clone(), c.commands.join("\n"), c.risk.clone()]);
    all.collect::<Vec<_>>().join("\n")
}

#[test]
fn full_members_are_named_with_what_they_dropped() {
    for line in ["75Gbit/s", "100Gbit/s"] {
        let files = [("log.txt", log(&SHARED)), ("router.txt", ports())];
        let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
        let d = of_files(&files, &on(line));
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence > 0.9, "{:#?}", flow.verdict);
        let why = because(flow);
        for words in [
            "et-0/1/0 and et-0/1/1 of agg2 are full (24.9 Gbit/s and 24.7 Gbit/s of 25.0 Gbit/s), et-0/1/2 has room (90.1 kbit/s)",
            "5 connections side by side got 7.70 Gbit/s to 11.9 Gbit/s each",
            "dropped 1630 packets, and 1630 segments were sent again",
            "2 full members of a group of links, each 25.0 Gbit/s",
        ] {
            assert!(why.contains(words), "{words}: {why}");
        }
        let change = commands(&d);
        assert!(change.starts_with("agg2"), "{change}");
        assert!(
            change.contains("layer3+4") && !change.contains("qdisc"),
            "{change}"
        );
        assert!(
            flow.missing.iter().all(|m| !m.command.contains(" -u ")),
            "{:?}",
            flow.missing
        );
    }
}

#[test]
fn connections_that_add_up_to_members_are_a_suspicion_that_asks_for_ports() {
    let d = of(&log(&SHARED), &on("100Gbit/s"));
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence < 0.9, "{:#?}", flow.verdict);
    let why = because(flow);
    assert!(
        why.contains("2 and 3 of them add up to what 25.0 Gbit/s leaves"),
        "{why}"
    );
    let facts: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert!(facts.contains(&"member_rates_bps"), "{facts:?}");
    // What differs and adds up to nothing in particular is said, and weighed for nothing.
    let odd = [(6.1, 90), (2.2, 120), (1.4, 80)];
    let d = of(&log(&odd), &on("100Gbit/s"));
    let flow = &d.flows[0];
    assert_ne!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(
        because(flow).contains("1.40 Gbit/s to 6.10 Gbit/s each: not all"),
        "{flow:#?}"
    );
    // As many each are not of several members.
    let even = of(&log(&[(5.2, 40); 4]), &on("100Gbit/s"));
    assert!(!because(&even.flows[0]).contains("group"), "{even:#?}");
}

#[test]
fn ports_of_others_and_of_the_line_itself_are_no_group_of_the_flow() {
    let files = |log: String, ports: String| [("log.txt", log), ("router.txt", ports)];
    let judge = |files: [(&str, String); 2], known: &Known| {
        let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
        of_files(&files, known)
    };
    // It has a fifth of what the full ports carry.
    let little = judge(
        files(log(&[(1.1, 9), (4.2, 3), (4.4, 7)]), ports()),
        &on("100Gbit/s"),
    );
    assert!(
        !because(&little.flows[0]).contains("full members"),
        "{little:#?}"
    );
    // The line is one port.
    let one =
        "ops@agg2> show interfaces et-0/1/0\n".to_owned() + &port("et-0/1/0", 24_870_312_004, 31);
    let alone = judge(files(log(&[(24.1, 31)]), one), &on("25Gbit/s"));
    assert_eq!(alone.flows[0].verdict.cause, "link");
    assert!(!because(&alone.flows[0]).contains("group"), "{alone:#?}");
}

#[test]
fn one_connection_that_fills_a_usual_port_may_have_one_member() {
    let d = of(&log(&[(24.75, 0)]), &on("100Gbit/s"));
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence < 0.9, "{:#?}", flow.verdict);
    assert!(
        because(flow).contains("on the way, or one member of a group of links"),
        "{}",
        because(flow)
    );
    assert!(commands(&d).contains("-P 8"), "{}", commands(&d));
    let second = flow.verdict.second.as_ref().map(|s| s.cause);
    assert_ne!(second, Some("no_window_scaling"));
    // Several that carried more show that it has.
    let both = of(&(log(&[(24.75, 0)]) + &log(&SHARED)), &on("100Gbit/s"));
    let flow = &both.flows[0];
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(
        because(flow).contains("it is one member of a group of links"),
        "{}",
        because(flow)
    );
}

const BOND: &str = "Ethernet Channel Bonding Driver: v6.8.0

Bonding Mode: IEEE 802.3ad Dynamic link aggregation
Transmit Hash Policy: POLICY
MII Status: up

Slave Interface: eno1
MII Status: up
Speed: 10000 Mbps
Duplex: full

Slave Interface: eno2
MII Status: up
Speed: 10000 Mbps
Duplex: full
";

#[test]
fn a_bond_gives_a_connection_one_member_and_all_of_them_where_no_port_is_hashed() {
    let ethtool = "Settings for bond1:\n\tSpeed: 20000Mb/s\n\tDuplex: Full\n";
    let judge = |each: &[(f64, u32)], policy: &str| {
        let host = ethtool.to_owned() + &BOND.replace("POLICY", policy);
        of_files(
            &[("log.txt", &log(each)), ("sender.txt", &host)],
            &Known::default(),
        )
    };
    let four = [(2.33, 12), (2.35, 14), (2.34, 11), (2.36, 16)];
    let d = judge(&four, "layer2 (0)");
    assert_eq!(
        d.flows[0].verdict.cause, "link",
        "{:#?}",
        d.flows[0].verdict
    );
    assert!(because(&d.flows[0]).contains("a member of a host's bond, 10.0 Gbit/s"));
    assert!(
        commands(&d).contains("xmit_hash_policy layer3+4, where it is layer2 now"),
        "{}",
        commands(&d)
    );
    // Hashed by ports, four may fill both.
    let spread = judge(&four, "layer3+4 (1)");
    let lines = spread.flows[0]
        .ceilings
        .iter()
        .filter(|c| c.cause == "link");
    let lines: Vec<f64> = lines.map(|c| c.limit_bps).collect();
    assert!(lines.iter().all(|l| *l > 18e9), "{lines:?}");
    let alone = judge(&[(9.38, 0)], "layer3+4 (1)");
    assert_eq!(alone.flows[0].verdict.cause, "link");
    assert!(because(&alone.flows[0]).contains("a member of a host's bond"));
}

/// The file of a bond without its first line, and a test of eight connections that had more than a member: nothing is to be tried again.
#[test]
fn a_test_of_several_that_was_made_is_not_advised() {
    let tests = "dc1$ iperf3 -c dc2 -t 10
[  5] local 10.0.1.2 port 50112 connected to 10.0.2.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  10.9 GBytes  9.41 Gbits/sec    0             sender
[  5]   0.00-10.00  sec  10.9 GBytes  9.40 Gbits/sec                  receiver
dc1$ iperf3 -c dc2 -P 8 -t 10
[SUM]   0.00-10.00  sec  34.8 GBytes  29.9 Gbits/sec    0             sender
[SUM]   0.00-10.00  sec  34.8 GBytes  29.9 Gbits/sec                  receiver
dc1$ ethtool bond0 | grep Speed
\tSpeed: 40000Mb/s
";
    let ping = "dc1$ ping -c 10 dc2
10 packets transmitted, 10 received, 0% packet loss, time 9200ms
rtt min/avg/max/mdev = 0.301/0.322/0.361/0.020 ms
";
    let (_, members) = BOND.split_once("\n\n").expect("its first line");
    let members = members.replace("POLICY", "layer3+4 (1)");
    for bond in ["", members.as_str()] {
        let command = match bond {
            "" => "",
            _ => "dc1$ cat /proc/net/bonding/bond0\n",
        };
        let d = of(&format!("{tests}{command}{bond}{ping}"), &Known::default());
        let ignored: usize = d.read.iter().map(|p| p.ignored_lines.len()).sum();
        assert_eq!(ignored, 0, "{:?}", d.read);
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
        let said = crate::commands(flow);
        assert!(!said.contains("-P 8"), "{said}");
        let hashed = said.contains("it hashes by layer3+4 already");
        assert_eq!(hashed, !bond.is_empty(), "{said}");
    }
}

/// No test asks a path for tens of gigabits of datagrams.
#[test]
fn datagrams_are_asked_for_as_far_as_one_flow_of_them_goes() {
    let text = "[  5] local 192.0.2.71 port 51300 connected to 198.51.100.71 port 5201\n\
        [ ID] Interval           Transfer     Bitrate         Retr\n\
        [  5]   0.00-60.00  sec  14.0 GBytes  2.00 Gbits/sec  425             sender\n\
        [  5]   0.00-60.00  sec  14.0 GBytes  2.00 Gbits/sec                  receiver\n\
        20 packets transmitted, 20 received, 0% packet loss, time 19030ms\n\
        rtt min/avg/max/mdev = 1.10/1.11/1.13/0.01 ms\n";
    for line in ["10Gbit/s", "100Gbit/s", "400Gbit/s"] {
        let d = of(text, &on(line));
        let missing = &d.flows[0].missing;
        let asked = missing.iter().find(|m| m.command.contains(" -u "));
        let asked = asked.unwrap_or_else(|| panic!("{missing:?}"));
        let rates = asked.command.split("-b ").skip(1);
        let rates = rates.filter_map(|r| r.split('k').next()?.parse::<f64>().ok());
        let most = rates.fold(0.0, f64::max);
        assert!(most > 1e6 && most <= 1e7, "{asked:?}");
        assert!(
            asked.would_decide.contains("one member of a group"),
            "{asked:?}"
        );
    }
}

/// One member of the bond carries everything: the one that is active, whatever the others could do.
#[test]
fn a_bond_with_a_member_in_reserve_is_as_fast_as_the_active_one() {
    let bond = |active: &str, fast: &str, slow: &str| {
        format!(
            "Ethernet Channel Bonding Driver: v5.15.0

Bonding Mode: fault-tolerance (active-backup)
Primary Slave: ens2f0 (primary_reselect always)
Currently Active Slave: {active}
MII Status: up
MII Polling Interval (ms): 100

Slave Interface: ens2f0
{fast}

Slave Interface: eno1
{slow}
"
        )
    };
    let up = |mbit: u32| format!("MII Status: up\nSpeed: {mbit} Mbps\nDuplex: full");
    let down = "MII Status: down\nSpeed: Unknown\nDuplex: Unknown";
    let cases = [
        (bond("eno1", down, &up(1000)), 0.94, "1.00 Gbit/s"),
        (bond("ens2f0", &up(10_000), &up(1000)), 9.38, "10.0 Gbit/s"),
    ];
    for (bond, rate, line) in cases {
        let d = of_files(
            &[("log.txt", &log(&[(rate, 0)])), ("sender.txt", &bond)],
            &Known::default(),
        );
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
        let said = format!("the active member of a host's bond, {line}");
        assert!(because(flow).contains(&said), "{}", because(flow));
    }
}

/// A member without a link is named with its bond and its host, and with what to check.
#[test]
fn a_member_of_a_bond_that_is_down_is_named_in_the_advice() {
    let up = "Slave Interface: eno2\nMII Status: up\nSpeed: 10000 Mbps\nDuplex: full";
    let down = "Slave Interface: eno2\nMII Status: down\nSpeed: Unknown\nDuplex: Unknown";
    let both = format!("$ cat /proc/net/bonding/bond0\n{BOND}").replace("POLICY", "layer2 (0)");
    assert!(both.contains(up));
    let judge = |bond: &str| {
        let each = [(2.33, 12), (2.35, 14), (2.34, 11), (2.36, 16)];
        of_files(
            &[("log.txt", &log(&each)), ("sender.txt", bond)],
            &Known::default(),
        )
    };
    let d = judge(&both.replace(up, down));
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "link", "{verdict:#?}");
    let said = "eno2, a member of bond0, has no link";
    let told = commands(&d);
    assert!(told.contains(said), "{told}");
    assert!(told.contains("ethtool eno2"), "{told}");
    let notes = d.notes.join("\n");
    assert!(notes.contains(said), "{notes}");
    let whole = judge(&both);
    let told = commands(&whole) + &whole.notes.join("\n");
    assert!(!told.contains("has no link"), "{told}");
    // It came back.
    let back = judge(&(both.replace(up, down) + &both));
    assert!(!commands(&back).contains("has no link"));
}

/// Of a switch's port channel too.
#[test]
fn a_member_of_a_port_channel_that_is_down_is_noted() {
    let table = "sw1#show etherchannel summary
Flags:  D - down        P - bundled in port-channel
        I - stand-alone s - suspended

Group  Port-channel  Protocol    Ports
------+-------------+-----------+-----------------------------------------------
1      Po1(SU)         LACP      Gi0/0(s)    Gi0/1(P)    Gi0/2(D)
";
    let d = of(&(log(&[(9.38, 0)]) + table), &on("10Gbit/s"));
    let notes = d.notes.join("\n");
    for said in [
        "at sw1 Gi0/0, a member of Po1, is suspended",
        "at sw1 Gi0/2, a member of Po1, has no link",
    ] {
        assert!(notes.contains(said), "{notes}");
    }
    assert!(!notes.contains("Gi0/1,"), "{notes}");
}
