//! Two tests at one time that fill one member of a switch's port channel, while the other is idle: what the hash does, and no others' traffic.

use farpath_diagnose::{Diagnosis, Known};

use crate::{because, commands, of};

/// A test of some 470 Mbit/s from a host to 10.8.0.1, from a port, and the segments that it sent again in each second.
fn test(name: &str, (from, port): (&str, u32), lost: [u32; 8]) -> String {
    // No two tests have the same figures.
    let less = port % 5;
    let rows: String = (0..8)
        .map(|n| {
            let mbit = [470, 471, 469, 472, 471, 470, 471, 470][n] - less;
            format!(
                "[  5]   {n}.00-{}.00   sec  {:.1} MBytes   {mbit} Mbits/sec  {:3}    480 KBytes\n",
                n + 1,
                f64::from(mbit) / 8.388_608,
                lost[n]
            )
        })
        .collect();
    let again: u32 = lost.iter().sum();
    let mean = 470 - less;
    let total = f64::from(mean) / 8.388_608 * 8.0;
    format!(
        "admin@{name}:~$ iperf3 -c 10.8.0.1 -t 8\nConnecting to host 10.8.0.1, port 5201\n[  5] local {from} port {port} connected to 10.8.0.1 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n{rows}- - - - - - - - - - - - - - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-8.00   sec   {total:.0} MBytes   {mean} Mbits/sec  {again}             sender\n[  5]   0.00-8.04   sec   {total:.0} MBytes   {mean} Mbits/sec                  receiver\n\niperf Done.\n\n"
    )
}

fn port(place: u32, load: &str, bps: u64, drops: u32) -> String {
    format!(
        "dist1#show interfaces gi1/0/{place}
GigabitEthernet1/0/{place} is up, line protocol is up (connected)
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,
     reliability 255/255, txload {load}, rxload 1/255
  Full-duplex, 1000Mb/s
  Total output drops: {drops}
  30 second output rate {bps} bits/sec, 82000 packets/sec
"
    )
}

fn full() -> String {
    port(24, "254/255", 996_901_000, 1211)
}

/// The port channel, its idle member, and what the switch hashes.
fn channel() -> String {
    format!(
        "dist1#show interfaces port-channel 5
Port-channel5 is up, line protocol is up (connected)
  MTU 1500 bytes, BW 2000000 Kbit/sec, DLY 10 usec,
     reliability 255/255, txload 127/255, rxload 1/255
  Members in this channel: Gi1/0/23 Gi1/0/24
  5 minute output rate 998112000 bits/sec, 82211 packets/sec
{}",
        port(23, "1/255", 1_211_000, 0)
    )
}

const HASH: &str = "dist1#show etherchannel load-balance
EtherChannel Load-Balancing Configuration:
        dst-mac
";

fn first() -> String {
    test("a1", ("10.7.0.1", 47_310), [12, 3, 0, 4, 2, 0, 3, 1])
}

fn both() -> String {
    first() + &test("a3", ("10.7.0.3", 50_118), [10, 4, 1, 3, 0, 2, 2, 0])
}

fn ignored(d: &Diagnosis) -> usize {
    d.read.iter().map(|p| p.ignored_lines.len()).sum()
}

#[test]
fn tests_that_fill_one_member_are_spread_by_another_hash() {
    let d = of(&(both() + &channel() + &full() + HASH), &Known::default());
    assert_eq!(ignored(&d), 0, "{:?}", d.read);
    assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
    for flow in &d.flows {
        assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
        let why = because(flow);
        assert!(
            why.contains("GigabitEthernet1/0/24 of dist1 is full (997 Mbit/s of 1.00 Gbit/s), GigabitEthernet1/0/23 has room"),
            "{why}"
        );
        assert!(why.contains("are all that is carried there"), "{why}");
        let said = commands(flow);
        let hash = "on dist1: port-channel load-balance src-dst-mixed-ip-port in place of dst-mac";
        assert!(said.contains(hash), "{said}");
        assert!(said.contains("src-dst ip-l4port of NX-OS"), "{said}");
        let undo = &flow.changes[0].undo[0];
        assert_eq!(undo, "on dist1: port-channel load-balance dst-mac");
    }
}

/// A summary names the members as well.
#[test]
fn members_of_a_summary_are_of_one_channel() {
    let summary = "dist1#show etherchannel summary
Flags:  D - down        P - bundled in port-channel

Group  Port-channel  Protocol    Ports
------+-------------+-----------+-----------------------------------------------
5      Po5(SU)         LACP      Gi1/0/23(P) Gi1/0/24(P)
";
    let ports = port(23, "1/255", 1_211_000, 0) + &full();
    let d = of(&(both() + &ports + summary), &Known::default());
    for flow in &d.flows {
        assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
        assert!(because(flow).contains("has room"), "{}", because(flow));
    }
}

/// A filtered command may leave the speeds of ports out: their names say them.
#[test]
fn members_whose_speed_is_in_their_names_are_of_one_channel() {
    let summary = "dist1#show etherchannel summary
Group  Port-channel  Protocol    Ports
------+-------------+-----------+-----------------------------------------------
5      Po5(SU)         LACP      Gi1/0/23(P) Gi1/0/24(P)
";
    let ports = "dist1#show interfaces | include line protocol|output rate
GigabitEthernet1/0/23 is up, line protocol is up (connected)
  30 second output rate 1211000 bits/sec, 82 packets/sec
GigabitEthernet1/0/24 is up, line protocol is up (connected)
  30 second output rate 996901000 bits/sec, 82000 packets/sec
";
    let d = of(&(both() + ports + summary), &Known::default());
    assert_eq!(ignored(&d), 0, "{:?}", d.read);
    for flow in &d.flows {
        assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
        let said = "GigabitEthernet1/0/24 of dist1 is full (997 Mbit/s of 1.00 Gbit/s), GigabitEthernet1/0/23 has room";
        assert!(because(flow).contains(said), "{}", because(flow));
    }
}

/// Without the other test nobody knows what the rest is; with it the port is full of both, whether it has a group or not.
#[test]
fn what_another_test_carries_is_no_foreign_traffic() {
    let alone = of(&(first() + &full()), &Known::default());
    let verdict = &alone.flows[0].verdict;
    assert_eq!(verdict.cause, "cross_traffic", "{verdict:#?}");
    let d = of(&(both() + &full()), &Known::default());
    for flow in &d.flows {
        assert_ne!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
        assert!(!commands(flow).contains("fair-queue"), "{flow:#?}");
    }
}

/// Eight connections over two members of which one is suspended: it was unknown, 21 % each.
#[test]
fn the_last_member_of_a_port_channel_is_the_line() {
    let text = |gbit: f64, second: &str| {
        let size = gbit * 10.0 / 8.589_935;
        format!(
            "[root@st1 ~]# iperf3 -c 10.3.0.9 -P 8 -t 10 -i 10
[  5] local 10.3.0.1 port 40000 connected to 10.3.0.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[SUM]   0.00-10.00  sec  {size:.1} GBytes  {gbit:.2} Gbits/sec  3121             sender
[SUM]   0.00-10.00  sec  {size:.1} GBytes  {gbit:.2} Gbits/sec                  receiver
[root@st1 ~]# ping -q -c 3 10.3.0.9
PING 10.3.0.9 (10.3.0.9) 56(84) bytes of data.
--- 10.3.0.9 ping statistics ---
3 packets transmitted, 3 received, 0% packet loss, time 2031ms
rtt min/avg/max/mdev = 0.180/0.190/0.201/0.010 ms
n9k-1# show port-channel summary
Flags:  D - Down        P - Up in port-channel (members)
        s - Suspended   r - Module-removed
--------------------------------------------------------------------------------
Group Port-       Type     Protocol  Member Ports
      Channel
--------------------------------------------------------------------------------
20    Po20(SU)    Eth      LACP      Eth1/1(P)    Eth1/2({second})
"
        )
    };
    let of = |gbit: f64, second: &str| crate::first(&text(gbit, second));
    let flow = of(9.38, "s");
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let why = because(&flow);
    let said = "one member of Po20 alone carries something, and this flow is what a port of 10.0 Gbit/s leaves";
    assert!(why.contains(said), "{why}");
    let all = commands(&flow);
    assert!(
        all.contains("Eth1/2, a member of Po20, is suspended"),
        "{all}"
    );
    // Where both carry, or the rate is not a port's, the members say nothing of it.
    for flow in [of(9.38, "P"), of(7.2, "s")] {
        assert!(!because(&flow).contains("alone carries something"));
    }
}

/// One connection has what a member leaves, of a channel of which both carry something: it takes one of them.
#[test]
fn a_connection_pinned_to_a_member_is_said_to_be() {
    let summary = "dist1#show etherchannel summary
Group  Port-channel  Protocol    Ports
------+-------------+-----------+-----------------------------------------------
5      Po5(SU)         LACP      Gi1/0/23(P) Gi1/0/24(P)
";
    let rows: String = (0..8)
        .map(|n| {
            format!(
                "[  5]   {n}.00-{}.00   sec   112 MBytes   941 Mbits/sec    0   1.30 MBytes\n",
                n + 1
            )
        })
        .collect();
    let test = format!(
        "web1$ iperf3 -c 10.8.0.1 -t 8
[  5] local 10.8.0.2 port 44120 connected to 10.8.0.1 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
{rows}- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-8.00   sec   897 MBytes   941 Mbits/sec    0             sender
[  5]   0.00-8.00   sec   897 MBytes   941 Mbits/sec                  receiver
"
    );
    let d = of(&(test.clone() + summary), &Known::default());
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let said = "2 members of Po5 of dist1 carry something, of which one connection takes one";
    assert!(because(flow).contains(said), "{}", because(flow));
    // One of a channel that is left alone is said in other words.
    let left = summary.replace("Gi1/0/23(P)", "Gi1/0/23(D)");
    let d = of(&(test + &left), &Known::default());
    assert!(because(&d.flows[0]).contains("one member of Po5 alone"));
}
