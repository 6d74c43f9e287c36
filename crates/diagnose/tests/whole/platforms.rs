//! What ports of EOS, VRP and RouterOS print, and tables of several ports.

use farpath_diagnose::Diagnosis;

use crate::counters::lossy;
use crate::{because, commands, first, of_files, on};

/// A flow that sent so many of four million segments again, and what a router printed. All of its lines are read.
fn of(again: u32, router: &str) -> Diagnosis {
    let sender = lossy(again);
    let d = of_files(
        &[("sender.txt", &sender), ("router.txt", router)],
        &on("25 Gbit/s"),
    );
    let unread: Vec<u32> = d
        .read
        .iter()
        .flat_map(|p| p.ignored_lines.clone())
        .collect();
    assert!(unread.is_empty(), "{:#?}", d.read);
    d
}

fn eos(damaged: u32, discarded: u32) -> String {
    format!(
        "leaf1#show interfaces Ethernet1
Ethernet1 is up, line protocol is up (connected)
  Hardware is Ethernet, address is 0000.5e00.5301 (bia 0000.5e00.5301)
  Description: to spine1
  Internet address is 192.0.2.9/31
  Broadcast address is 255.255.255.255
  IP MTU 9214 bytes (default), BW 10000000 kbit
  Full-duplex, 10Gb/s, auto negotiation: off, uni-link: n/a
  Up 27 days, 19 hours, 38 minutes, 9 seconds
  Loopback Mode : None
  2 link status changes since last clear
  Last clearing of \"show interface\" counters never
  5 minutes input rate 812.28 Mbps (8.3% with framing overhead), 109421 packets/sec
  5 minutes output rate 3.07 kbps (0.0% with framing overhead), 1 packets/sec
     118277366 packets input, 91283746152 bytes
     Received 35 broadcasts, 459 multicast
     0 runts, 0 giants
     {damaged} input errors, {damaged} CRC, 0 alignment, 0 symbol, 0 input discards
     0 PAUSE input
     61836697 packets output, 45012837461 bytes
     Sent 526 broadcasts, 427958 multicast
     0 output errors, 0 collisions
     0 late collision, 0 deferred, {discarded} output discards
     0 PAUSE output
"
    )
}

fn vrp(damaged: u32, discarded: u32) -> String {
    format!(
        "<core1>display interface GigabitEthernet 0/0/1
GigabitEthernet0/0/1 current state : UP
Line protocol current state : UP
Description:to access3
Switch Port, PVID :    1, TPID : 8100(Hex), The Maximum Frame Length is 9216
IP Sending Frames' Format is PKTFMT_ETHNT_2, Hardware address is 0000-5e00-5302
Last physical up time   : 2026-11-22 06:02:06 UTC-08:00
Last physical down time : 2026-11-22 06:02:00 UTC-08:00
Current system time: 2026-11-30 03:17:23-08:00
Port Mode: COMMON COPPER
Speed : 10000,  Loopback: NONE
Duplex: FULL,  Negotiation: ENABLE
Mdi   : AUTO,  Flow-control: DISABLE
Last 300 seconds input rate 812283000 bits/sec, 109421 packets/sec
Last 300 seconds output rate 3072 bits/sec, 1 packets/sec
Input peak rate 912283000 bits/sec, Record time: 2026-11-22 06:13:01
Output peak rate 11544 bits/sec, Record time: 2026-11-22 06:13:01

Input:  118277366 packets, 91283746152 bytes
  Unicast:                  118276872,  Multicast:                         459
  Broadcast:                       35,  Jumbo:                               0
  Discard:                          0,  Pause:                               0
  Frames:                           0

  Total Error:                   {damaged}
  CRC:                           {damaged},  Giants:                              0
  Jabbers:                          0,  Fragments:                           0
  Runts:                            0,  DropEvents:                          0
  Alignments:                       0,  Symbols:                             0
  Ignoreds:                         0

Output:  61836697 packets, 45012837461 bytes
  Unicast:                   61827364,  Multicast:                        9321
  Broadcast:                       12,  Jumbo:                               0
  Discard:                       {discarded},  Pause:                               0

  Total Error:                      0
  Collisions:                       0,  ExcessiveCollisions:                 0
  Late Collisions:                  0,  Deferreds:                           0
  Buffers Purged:                   0

    Input bandwidth utilization  : 81.2%
    Output bandwidth utilization : 0.01%
"
    )
}

/// What VRP 8 prints, which has both ways' packets above and their counters below.
fn vrp8(damaged: u32, discarded: u32) -> String {
    format!(
        "<core8>display interface 10GE1/0/1
10GE1/0/1 current state : UP (ifindex: 7)
Line protocol current state : UP
Last line protocol up time : 2026-11-20 08:12:33
Description: to access3
Switch Port, Link-type : access(negotiated),
PVID :    1, TPID : 8100(Hex), The Maximum Frame Length is 9216
Internet protocol processing : disabled
IP Sending Frames' Format is PKTFMT_ETHNT_2, Hardware address is 0000-5e00-5301
Port Mode:         COMMON FIBER,       Port Split/Aggregate:               -
Speed:              10000,       Loopback:                        NONE
Duplex:              FULL,       Negotiation:                  DISABLE
Input Flow-control:  DISABLE,       Output Flow-control:          DISABLE
Mdi:                    -,       Fec:                             NONE
Last physical up time   : 2026-11-20 08:12:33
Last physical down time : 2026-11-20 08:10:01
Current system time: 2026-11-30 10:00:00
Statistics last cleared:never
    Last 300 seconds input rate: 812283000 bits/sec, 109421 packets/sec
    Last 300 seconds output rate: 3072 bits/sec, 1 packets/sec
    Input peak rate 912283000 bits/sec, Record time: 2026-11-22 06:13:01
    Output peak rate 11544 bits/sec, Record time: 2026-11-22 06:13:01
    Input :  91283746152 bytes, 118277366 packets
    Output:  45012837461 bytes, 61836697 packets
    Input:
      Unicast:               118276872,  Multicast:                      459
      Broadcast:                    35,  Jumbo:                            0
      Discard:                       0,  Frames:                           0
      Pause:                         0

      Total Error:                   {damaged}
      CRC:                           {damaged},  Giants:                           0
      Jabbers:                       0,  Fragments:                        0
      Runts:                         0,  DropEvents:                       0
      Alignments:                    0,  Symbols:                          0
      Ignoreds:                      0

    Output:
      Unicast:                61827364,  Multicast:                     9321
      Broadcast:                    12,  Jumbo:                            0
      Discard:                       {discarded},  Buffers Purged:                   0
      Pause:                         0

      Total Error:                   0
      Collisions:                    0,  Late Collisions:                  0
      Deferreds:                     0
    Input bandwidth utilization threshold : 90.00%
    Output bandwidth utilization threshold: 90.00%
    Last 300 seconds input utility rate:  8.12%
    Last 300 seconds output utility rate: 0.01%
"
    )
}

fn routeros(damaged: u32, discarded: u32) -> String {
    format!(
        "[admin@gw1] > /interface ethernet print stats where name=ether1
                      name:          ether1
            driver-rx-byte:  91 283 746 152
          driver-rx-packet:     118 277 366
            driver-tx-byte:  45 012 837 461
          driver-tx-packet:      61 836 697
              rx-too-short:               0
              rx-too-long:                0
                  rx-pause:               0
              rx-fcs-error:           {damaged}
            rx-align-error:               0
               rx-overflow:               0
              tx-collision:               0
         tx-late-collision:               0
                   tx-drop:           {discarded}
"
    )
}

/// 190 of four million are 4.7e-5: so are 5560 of 118 million packets.
#[test]
fn damaged_frames_are_read_of_each_system() {
    for (router, port) in [
        (eos(5560, 0), "Ethernet1 of leaf1"),
        (vrp(5560, 0), "GigabitEthernet0/0/1 of core1"),
        (vrp8(5560, 0), "10GE1/0/1 of core8"),
        (routeros(5560, 0), "ether1 of gw1"),
    ] {
        let d = of(190, &router);
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
        let said = format!("at {port} 5560 frames arrived damaged, 4.7e-5 of all");
        assert!(because(flow).contains(&said), "{}", because(flow));
    }
}

#[test]
fn discards_are_read_of_each_system() {
    for (before, after, port) in [
        (eos(0, 9000), eos(0, 9190), "Ethernet1 of leaf1"),
        (vrp(0, 9000), vrp(0, 9190), "GigabitEthernet0/0/1 of core1"),
        (vrp8(0, 9000), vrp8(0, 9190), "10GE1/0/1 of core8"),
        (routeros(0, 9000), routeros(0, 9190), "ether1 of gw1"),
    ] {
        // Time passed: more packets had arrived.
        let after = after.replace("118277366", "119277366");
        let after = after.replace("118 277 366", "119 277 366");
        let d = of(190, &format!("{before}{after}"));
        let why = because(&d.flows[0]);
        let said = format!("the queue of {port} dropped 190 packets from one reading to the next");
        assert!(why.contains(&said), "{why}");
    }
}

/// Of a table of several ports nothing says which one the flow crosses: what they count is noted, and weighed where the text has that port.
#[test]
fn a_table_of_errors_is_noted_or_of_a_port_that_is_known() {
    let table = "leaf1#show interfaces counters errors
Port                FCS    Align   Symbol       Rx    Runts   Giants       Tx
Et1                5560        0        0     5560        0        0        0
Et2                   0        0        0        0        0        0        0
Et3                  12        0        0       12        0        0        0
";
    let d = of(190, table);
    let notes = d.notes.join("\n");
    let said = "ports count frames that arrived damaged: Et1 of leaf1 5560, Et3 of leaf1 12; nothing says which port";
    assert!(notes.contains(said), "{notes}");
    let why = because(&d.flows[0]);
    assert!(!why.contains("damaged"), "{why}");
    // The port's own text has no counters.
    let own: String = eos(0, 0)
        .lines()
        .take(9)
        .map(|l| format!("{l}\n"))
        .collect();
    let d = of(190, &format!("{own}{table}"));
    let why = because(&d.flows[0]);
    let said = "at Ethernet1 of leaf1 5560 frames arrived damaged";
    assert!(why.contains(said), "{why}");
}

/// Read before and after: the only port whose count grew is named, and not the one that had counted most.
#[test]
fn of_several_ports_that_were_read_twice_the_one_that_grew_is_named() {
    let table = |drops: u32| {
        format!(
            "sw1#show interfaces counters errors
Port        Align-Err     FCS-Err    Xmit-Err     Rcv-Err  UnderSize  OutDiscards
Eth1/1              0           0           0           0          0        90000
Eth1/5              0           0           0           0          0        {drops}
"
        )
    };
    let idle = eos(0, 90_000).replace("Ethernet1", "Ethernet2");
    let after = eos(0, 9190).replace("118277366", "119277366");
    let one_by_one = format!("{}{idle}{after}{idle}", eos(0, 9000));
    for (text, port) in [
        (table(0) + &table(190), "Eth1/5 of sw1"),
        (one_by_one, "Ethernet1 of leaf1"),
    ] {
        let d = of(190, &text);
        let why = because(&d.flows[0]);
        let said = format!("the queue of {port} dropped 190 packets from one reading to the next");
        assert!(why.contains(&said), "{why}");
    }
}

#[test]
fn a_table_of_interfaces_of_routeros_is_read() {
    let table = "[admin@gw1] > /interface print stats
Flags: D - dynamic, X - disabled, R - running, S - slave
 #     NAME          RX-BYTE         TX-BYTE    RX-PACKET   TX-PACKET  RX-DROP  TX-DROP  TX-QUEUE-DROP
 0  R  ether1  91 283 746 152  45 012 837 461  118 277 366  61 836 697        0      100             90
";
    let d = of(190, table);
    let why = because(&d.flows[0]);
    let said = "the queue of ether1 of gw1 dropped 190 packets";
    assert!(why.contains(said), "{why}");
}

const SLOW: &str = "$ iperf3 -c 203.0.113.77 -t 10
[  5] local 192.0.2.10 port 51022 connected to 203.0.113.77 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  6.00 MBytes  5.03 Mbits/sec  353             sender
[  5]   0.00-10.01  sec  5.80 MBytes  4.86 Mbits/sec                  receiver

";

/// A port at half duplex is changed in the words of its system.
#[test]
fn a_port_at_half_duplex_is_changed_in_its_own_words() {
    let huawei = "<core1>display interface Ethernet 0/0/1
Ethernet0/0/1 current state : UP
Speed :  100,  Loopback: NONE
Duplex: HALF,  Negotiation: DISABLE
";
    let mikrotik = "[admin@gw1] > /interface ethernet monitor ether1
                      name: ether1
                    status: link-ok
          auto-negotiation: disabled
                      rate: 100Mbps
               full-duplex: no
";
    let nokia = "*A:pe2# show port 1/1/3 detail
===============================================================================
Ethernet Interface
===============================================================================
Description        : to customer
Interface          : 1/1/3                      Oper Speed       : 100 Mbps
Link-level         : Ethernet                   Config Speed     : 100 Mbps
Admin State        : up                         Oper Duplex      : half
Oper State         : up                         Config Duplex    : full
Physical Link      : Yes                        MTU              : 9212
===============================================================================
";
    for (router, port, command) in [
        (
            nokia,
            "pe2, 1/1/3",
            "configure port 1/1/3 ethernet autonegotiate",
        ),
        (huawei, "core1, Ethernet0/0/1", " undo duplex"),
        (
            mikrotik,
            "gw1, ether1",
            "/interface ethernet set ether1 auto-negotiation=yes",
        ),
    ] {
        let flow = first(&format!("{SLOW}{router}"));
        assert_eq!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
        assert_eq!(flow.changes[0].host, port);
        assert!(commands(&flow).contains(command), "{}", commands(&flow));
    }
}

/// What a router had no room for as it arrived, and how busy its processor was.
#[test]
fn a_router_that_is_held_by_its_processor_is_seen() {
    let router = "r1#show processes cpu sorted
CPU utilization for five seconds: 99%/98%; one minute: 97%; five minutes: 95%
 PID Runtime(ms)     Invoked      uSecs   5Sec   1Min   5Min TTY Process
 112      812312     9123123         89 12.31% 11.02% 10.90%   0 IP Input
r1#show interfaces GigabitEthernet0/1
GigabitEthernet0/1 is up, line protocol is up
  Hardware is iGbE, address is 0000.5e00.5301 (bia 0000.5e00.5301)
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,
  Input queue: 0/75/12/0 (size/max/drops/flushes); Total output drops: 0
     118277366 packets input, 91283746152 bytes, 0 no buffer
     0 runts, 0 giants, 0 throttles
     180 input errors, 0 CRC, 0 frame, 178 overrun, 2 ignored
";
    let d = of(190, router);
    let notes = d.notes.join("\n");
    let said = "the processor of r1 was busy for 99 % of five seconds, 98 % with packets";
    assert!(notes.contains(said), "{notes}");
    let why = because(&d.flows[0]);
    let said = "the receive ring of GigabitEthernet0/1 of r1 dropped 180 packets as they arrived";
    assert!(why.contains(said), "{why}");
    // They are nearly as many as were sent again: that a queue or a host has to change is not said then.
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
    let said = "a router that forwards with its processor loses what it has no time for";
    assert!(why.contains(said), "{why}");
    assert_eq!(flow.missing[0].fact, "router_drops", "{:#?}", flow.missing);
    assert!(!commands(flow).contains("qdisc"), "{:#?}", flow.changes);
    // The processor alone says as much: what its ports dropped is asked for.
    let (alone, _) = router.split_once("r1#show int").expect("it is there");
    let bare = of(190, alone);
    let flow = &bare.flows[0];
    for loss in ["random_loss", "shallow_buffer", "policer"] {
        assert_ne!(flow.verdict.cause, loss, "{:#?}", flow.verdict);
    }
    let said = "and no text counts what its ports dropped as it arrived";
    assert!(because(flow).contains(said), "{}", because(flow));
    assert_eq!(flow.missing[0].fact, "router_drops", "{:#?}", flow.missing);
    // Counters that show no drop are an answer.
    let lossless = router
        .replace("0/75/12/0", "0/75/0/0")
        .replace("180 input errors", "0 input errors")
        .replace("178 overrun, 2 ignored", "0 overrun, 0 ignored");
    let why = because(&of(190, &lossless).flows[0]);
    assert!(!why.contains("forwards with its processor"), "{why}");
    // One that is full of other work may lose some, or have them wait.
    let other = router.replace("99%/98%", "99%/12%");
    let d = of(190, &other);
    let why = because(&d.flows[0]);
    assert!(
        why.contains("it may be the cause, or a part of it"),
        "{why}"
    );
    assert!(d.flows[0].verdict.confidence <= 0.6, "{:#?}", d.flows[0]);
    // A processor that has time lost none.
    let idle = router.replace("99%/98%", "12%/4%");
    let why = because(&of(190, &idle).flows[0]);
    assert!(!why.contains("forwards with its processor"), "{why}");
}

/// 85 Mbit/s over 9.5 ms by a router whose processor is full; 50 segments are sent again.
const BEHIND_FULL_ROUTER: &str = "pc@br:~$ iperf3 -c 10.200.0.5 -t 10 -i 2
[  5] local 10.201.0.9 port 44000 connected to 10.200.0.5 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-2.00   sec  20.9 MBytes  87.6 Mbits/sec   12    202 KBytes
[  5]   2.00-4.00   sec  20.2 MBytes  84.9 Mbits/sec    9    188 KBytes
[  5]   4.00-6.00   sec  20.4 MBytes  85.5 Mbits/sec   11    196 KBytes
[  5]   6.00-8.00   sec  20.1 MBytes  84.3 Mbits/sec    8    191 KBytes
[  5]   8.00-10.00  sec  20.3 MBytes  85.1 Mbits/sec   10    199 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-10.00  sec   102 MBytes  85.5 Mbits/sec   50             sender
[  5]   0.00-10.02  sec   101 MBytes  84.9 Mbits/sec                  receiver
pc@br:~$ ping -q -c 10 10.200.0.5
PING 10.200.0.5 (10.200.0.5) 56(84) bytes of data.
--- 10.200.0.5 ping statistics ---
10 packets transmitted, 10 received, 0% packet loss, time 9013ms
rtt min/avg/max/mdev = 9.201/9.512/10.911/0.430 ms
br-isr#show processes cpu sorted | i CPU
CPU utilization for five seconds: 99%/94%; one minute: 97%; five minutes: 95%
";

/// The port by which the flow leaves has dropped nothing, and nothing comes in there: it was a short queue then, 63 %.
#[test]
fn a_port_that_takes_in_nothing_says_nothing_of_what_a_router_drops() {
    let port = |arrives: u32| {
        format!(
            "br-isr#show interfaces GigabitEthernet0/0 | i drops|rate
  Input queue: 0/75/0/0 (size/max/drops/flushes); Total output drops: 0
  5 minute input rate {arrives} bits/sec, 3300 packets/sec
  5 minute output rate 93120000 bits/sec, 8100 packets/sec
"
        )
    };
    let of = |port: &str| first(&format!("{BEHIND_FULL_ROUTER}{port}"));
    let said = "a router that forwards with its processor loses what it has no time for";
    for port in [String::new(), port(3_120_000)] {
        let flow = of(&port);
        assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
        assert!(because(&flow).contains(said), "{}", because(&flow));
        assert_eq!(flow.missing[0].fact, "router_drops");
    }
    // One by which as much arrives would have dropped it.
    let flow = of(&port(93_120_000));
    assert!(!because(&flow).contains(said), "{}", because(&flow));
}

/// The input drops of its other port grew by the 50 that were sent again: it was unknown, and these drops were asked for.
#[test]
fn input_drops_that_grew_by_what_was_sent_again_name_the_router() {
    let port = |drops: u32| {
        format!(
            "br-isr#show interfaces GigabitEthernet0/1
GigabitEthernet0/1 is up, line protocol is up
  Input queue: 76/75/{drops}/0 (size/max/drops/flushes); Total output drops: 0
     0 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored
"
        )
    };
    let flow = first(&format!("{BEHIND_FULL_ROUTER}{}{}", port(1021), port(1071)));
    assert_eq!(flow.verdict.cause, "congestion_loss", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(
        why.contains("these are as many as were sent again"),
        "{why}"
    );
    assert_eq!(flow.changes[0].host, "br-isr");
    assert!(!commands(&flow).contains("qdisc"), "{}", commands(&flow));
    assert!(flow.missing.iter().all(|m| m.fact != "router_drops"));
}

/// 394 Mbit/s over 6 ms, of which nothing was sent again.
const STEADY: &str = "$ iperf3 -c far.example -t 4
Connecting to host far.example, port 5201
[  5] local 192.0.2.10 port 45678 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  47.8 MBytes  401 Mbits/sec    0   2.00 MBytes
[  5]   1.00-2.00   sec  46.3 MBytes  388 Mbits/sec    0   2.00 MBytes
[  5]   2.00-3.00   sec  48.3 MBytes  405 Mbits/sec    0   2.00 MBytes
[  5]   3.00-4.00   sec  46.6 MBytes  391 Mbits/sec    0   2.00 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-4.00  sec  189 MBytes  396 Mbits/sec    0             sender
[  5]   0.00-4.04  sec  189 MBytes  394 Mbits/sec                  receiver
PING far.example (198.51.100.20) 56(84) bytes of data.

--- far.example ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4005ms
rtt min/avg/max/mdev = 6.000/6.030/6.100/0.040 ms

";

/// A rate without loss may be what a full processor of a router leaves: that is asked first, before settings of hosts.
#[test]
fn a_full_processor_of_a_router_is_asked_for_without_loss_too() {
    let ios = "r1#show processes cpu sorted\nCPU utilization for five seconds: 99%/97%; one minute: 98%; five minutes: 95%\n";
    let asa =
        "r1# show cpu usage\nCPU utilization for 5 seconds = 99%; 1 minute: 98%; 5 minutes: 96%\n";
    let mikrotik = "[admin@r1] > /system resource print\n                   uptime: 4w2d11h\n                  version: 7.12 (stable)\n                cpu-count: 4\n                 cpu-load: 99%\n            board-name: hAP ac^2\n";
    let steady = |router: &str| first(&format!("{STEADY}{router}"));
    for router in [ios, asa, mikrotik] {
        let flow = &steady(router);
        let why = because(flow);
        assert!(
            why.contains("the processor of r1 was busy for 99 %"),
            "{why}"
        );
        assert!(why.contains("it may be what holds the rate"), "{why}");
        assert_eq!(flow.missing[0].fact, "router_drops", "{:#?}", flow.missing);
    }
    let idle = steady(&asa.replace("= 99%", "= 12%"));
    assert!(!because(&idle).contains("processor of r1"));
}

/// Of several ports the one that counts collisions is named, also where others stand below it.
#[test]
fn collisions_are_of_the_port_that_counts_them() {
    let port = |name: &str, late: u32| {
        format!(
            "{name} is up, line protocol is up (connected)
  MTU 1500 bytes, BW 100000 Kbit/sec, DLY 100 usec,
  Auto-duplex, 100Mb/s, media type is RJ45
     {late} output errors, {late} collisions, 0 interface resets
     0 babbles, {late} late collision, 0 deferred
"
        )
    };
    let first_port = port("FastEthernet0/1", 1810);
    let second = port("FastEthernet0/2", 0);
    let flow = first(&format!("{SLOW}sw1#show interfaces\n{first_port}{second}"));
    assert_eq!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
    let said = "FastEthernet0/1 of sw1 counts 1810 late collisions";
    assert!(because(&flow).contains(said), "{}", because(&flow));
}

/// Light is held against the limits that each system prints beside it. Of a table of several ports nothing says which one the flow crosses.
#[test]
fn weak_light_is_read_of_eos_and_vrp() {
    let eos = |rows: &str| {
        format!(
            "leaf1#show interfaces Ethernet21 transceiver detail
mA: milliamperes, dBm: decibels (milliwatts), NA or N/A: not applicable.
 ++ : high alarm, +  : high warning, -  : low warning, -- : low alarm.
A2D readouts (if they differ), are reported in parentheses.
The threshold values are calibrated.
                         High Alarm  High Warn   Low Alarm   Low Warn
           Tx Power      Threshold   Threshold   Threshold   Threshold
Port       (dBm)         (dBm)       (dBm)       (dBm)       (dBm)
-------    ------------  ----------  ----------  ----------  ----------
Et21       -2.39         4.40        3.40        -9.60       -8.60
                         High Alarm  High Warn   Low Alarm   Low Warn
           Rx Power      Threshold   Threshold   Threshold   Threshold
Port       (dBm)         (dBm)       (dBm)       (dBm)       (dBm)
-------    ------------  ----------  ----------  ----------  ----------
{rows}"
        )
    };
    let row = |port: &str, dbm: &str| {
        format!("{port}       {dbm}        4.40        3.40        -11.50      -10.50\n")
    };
    let vrp = |dbm: &str| {
        format!(
            "<core1>display transceiver interface 10GE1/0/1 verbose

10GE1/0/1 transceiver information:
-------------------------------------------------------------
Common information:
  Transceiver Type               :10GBASE_SR
  Transfer Distance(m)           :300(50um)
-------------------------------------------------------------
Diagnostic information:
  Bias Current(mA)               :6.53
  RX Power(dBM)                 :{dbm}
  RX Power High Warning(dBM)    :-1.00
  RX Power Low  Warning(dBM)    :-10.50
  RX Power High Threshold(dBM)  :2.00
  RX Power Low  Threshold(dBM)  :-11.50
-------------------------------------------------------------
"
        )
    };
    let alarm = "raises the alarm that its light is too weak: -12.8 dBm";
    let warning = "warns that its light is too weak: -11.2 dBm";
    for (dbm, said) in [("-12.8", alarm), ("-11.2", warning)] {
        for (router, port) in [
            (eos(&row("Et21", dbm)), "Et21 of leaf1"),
            (vrp(dbm), "10GE1/0/1 of core1"),
        ] {
            let why = because(&of(190, &router).flows[0]);
            let said = format!("the transceiver of {port} {said}");
            assert!(why.contains(&said), "{why}");
        }
    }
    for lit in [eos(&row("Et21", "-2.3")), vrp("-2.3")] {
        let why = because(&of(190, &lit).flows[0]);
        assert!(!why.contains("transceiver"), "{why}");
    }
    let several = eos(&(row("Et21", "-12.8") + &row("Et22", "-2.3")));
    let d = of(190, &several);
    let notes = d.notes.join("\n");
    let said = "ports receive too little light: Et21 of leaf1; nothing says which port";
    assert!(notes.contains(said), "{notes}");
    let why = because(&d.flows[0]);
    assert!(!why.contains("transceiver"), "{why}");
}

/// The summary of EOS has no limits: it is read, and nothing is made of it.
#[test]
fn a_summary_of_transceivers_without_limits_says_nothing() {
    let summary = "leaf1#show interfaces Ethernet21 transceiver
If device is externally calibrated, only calibrated values are printed.
 N/A: not applicable, Tx: transmit, Rx: receive.
mA: milliamperes, dBm: decibels (milliwatts).
                               Bias      Optical   Optical
          Temp       Voltage   Current   Tx Power  Rx Power
Port      (Celsius)  (Volts)   (mA)      (dBm)     (dBm)     Last Update
-----     ---------  --------  --------  --------  --------  -------------------
Et21       31.11      3.31      6.40     -2.30     -19.80    0:00:01 ago
";
    let why = because(&of(190, summary).flows[0]);
    assert!(!why.contains("transceiver"), "{why}");
}

const PANOS_PORT: &str = "admin@PA-850> show interface ethernet1/1

--------------------------------------------------------------------------------
Name: ethernet1/1, ID: 16
Link status:
  Runtime link speed/duplex/state: 100/half/up
MAC address:
  Port MAC address 00:00:5e:00:53:10
Operation mode: layer3
Interface MTU 1500
--------------------------------------------------------------------------------
Physical port counters read from MAC:
--------------------------------------------------------------------------------
rx-unicast                    812345
tx-error                      5560
--------------------------------------------------------------------------------
Hardware interface counters read from CPU:
--------------------------------------------------------------------------------
receive errors                           5560
packets dropped                          5560
";
const PANOS_COUNTERS: &str = "admin@PA-850(active)> show counter global filter delta yes
Global counters:
Elapsed time since last sampling: 10.003 seconds

name                                   value     rate severity  category  aspect    description
--------------------------------------------------------------------------------
tcp_drop_out_of_wnd                     5560       81 warn      tcp       resource  out-of-window packets dropped
--------------------------------------------------------------------------------
Total counters shown: 1
";
const PANOS_SESSIONS: &str = "admin@PA-850> show session info
target-dp: *.dp0
--------------------------------------------------------------------------------
Number of sessions supported:                    196606
Number of allocated sessions:                    5560
Session table utilization:                       2%
Throughput:                                      812345 kbps
";
const AOSCX: &str = "sw1# show interface 1/1/1

Interface 1/1/1 is up
 Admin state is up
 Link state: up for 3 days (since Mon Nov 23 10:11:12 UTC 2026)
 Description: to core
 Hardware: Ethernet, MAC Address: 00:00:5e:00:53:01
 MTU 1500
 Type 1GbT
 Half-duplex
 qos trust none
 Speed 100 Mb/s
 Auto-negotiation is on
 VLAN Mode: access
 Rate collection interval: 300 seconds

 Rate                       RX                   TX        Total (RX+TX)
 ---------------- -------------------- -------------------- --------------------
 Mbits / sec                1.20                94.20                95.40
 KPkts / sec                2.10                 8.20                10.30

 Statistic                  RX                   TX                Total
 ---------------- -------------------- -------------------- --------------------
 Packets                 1234567            987654321          988888888
 Dropped                       0                 5560               5560
 Errors                     5560                    0               5560
   CRC/FCS                  5560                  n/a               5560
   Collision                 n/a                 5560               5560
";

/// What is recognised and not read is named as that, and nothing is made of its counters.
#[test]
fn platforms_that_are_not_read_are_named() {
    let asa = "ciscoasa# show interface
Interface GigabitEthernet0/0 \"outside\", is up, line protocol is up
  Hardware is i82546GB rev03, BW 100 Mbps, DLY 100 usec
\tHalf-Duplex(Half-duplex), Auto-Speed(100 Mbps)
\tInput flow control is unsupported, output flow control is off
\tMAC address 0000.5e00.5301, MTU 1500
\tIP address 203.0.113.77, subnet mask 255.255.255.0
\t1328522 packets input, 124426545 bytes, 0 no buffer
\tReceived 1215464 broadcasts, 0 runts, 0 giants
\t5560 input errors, 5560 CRC, 0 frame, 0 overrun, 0 ignored, 0 abort
\t0 L2 decode drops
\t124606 packets output, 86803402 bytes, 0 underruns
\t0 pause output, 0 resume output
\t0 output errors, 0 collisions, 0 interface resets
\t0 late collisions, 0 deferred
\tinput queue (blocks free curr/low): hardware (255/250)
\toutput queue (blocks free curr/low): hardware (255/254)
";
    let sros = "A:PE1# show lag 1 detail
===============================================================================
Ethernet Interface
===============================================================================
Description        : to core
Interface          : 1/1/1                      Oper Speed       : 10 Gbps
Oper State         : up                         Oper Duplex      : full
===============================================================================
Traffic Statistics
===============================================================================
                                                   Input                 Output
-------------------------------------------------------------------------------
Octets                                      812345678901           471147114711
Errors                                              5560                      0
===============================================================================
";
    let fortios = "FGT60F # diagnose hardware deviceinfo nic port1
Description     :FortiASIC NP6XLITE Adapter
Speed           :100
Duplex          :Half
Rx_CRC_Errors   :5560
Collisions      :5560
";
    for (router, name) in [
        (asa, "Cisco ASA"),
        (sros, "Nokia SR OS"),
        (fortios, "FortiOS"),
        (PANOS_PORT, "Palo Alto PAN-OS"),
        (PANOS_COUNTERS, "Palo Alto PAN-OS"),
        (PANOS_SESSIONS, "Palo Alto PAN-OS"),
        (AOSCX, "Aruba AOS-CX"),
    ] {
        let d = of(190, router);
        let notes = d.notes.join("\n");
        let said = format!("output of {name}, which is not read: say by option");
        assert!(notes.contains(&said), "{notes}");
        let tools: Vec<&str> = d.read.iter().map(|p| p.tool.as_str()).collect();
        assert!(tools.iter().any(|t| t.starts_with(name)), "{tools:?}");
        let flow = &d.flows[0];
        let why = because(flow);
        assert!(!why.contains("5560"), "{why}");
        assert_ne!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
    }
}
