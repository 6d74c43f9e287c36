//! What queues of routers' ports dropped, as each system prints it.

use crate::{because, commands, first, first_flow, of, on};

/// A test of 20 s that sent 833 segments again, at 60 ms.
const SENT_AGAIN: &str = "Connecting to host 203.0.113.10, port 5201
[  5] local 198.51.100.10 port 40120 connected to 203.0.113.10 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-4.00   sec  61.2 MBytes   128 Mbits/sec  712    812 KBytes
[  5]   4.00-8.00   sec  56.1 MBytes   118 Mbits/sec   31    790 KBytes
[  5]   8.00-12.00  sec  58.2 MBytes   122 Mbits/sec   28    905 KBytes
[  5]  12.00-16.00  sec  55.0 MBytes   115 Mbits/sec   33    745 KBytes
[  5]  16.00-20.00  sec  57.8 MBytes   121 Mbits/sec   29    880 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.00  sec   288 MBytes   121 Mbits/sec  833             sender
[  5]   0.00-20.07  sec   287 MBytes   120 Mbits/sec                  receiver

$ ping -c 5 -q 203.0.113.10
--- 203.0.113.10 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4005ms
rtt min/avg/max/mdev = 59.8/60.0/60.3/0.2 ms

";

/// What the queue of a class of IOS dropped in all.
fn of_class(drops: u32) -> String {
    format!(
        "r1#show policy-map interface Gi0/0/0 output
 GigabitEthernet0/0/0

  Service-policy output: WAN

    Class-map: class-default (match-any)
      212312 packets, 312345678 bytes
      Match: any
      Queueing
      queue limit 64 packets
      (queue depth/total drops/no-buffer drops) 12/{drops}/0
      (pkts output/bytes output) 211481/311012345
      shape (average) cir 200000000, bc 800000, be 800000
      target shape rate 200000000

"
    )
}

const JUNOS: &str = "ops@mx1> show interfaces queue ge-0/0/5
Physical interface: ge-0/0/5, Enabled, Physical link is Up
  Interface index: 151, SNMP ifIndex: 526
Forwarding classes: 16 supported, 4 in use
Egress queues: 8 supported, 4 in use
Queue: 0, Forwarding classes: best-effort
  Queued:
    Packets              :               6912345                 33012 pps
    Bytes                :            9812345678             400123456 bps
  Transmitted:
    Packets              :               6911395                 33010 pps
    Tail-dropped packets :                   829                     2 pps
    RED-dropped packets  :                     0                     0 pps
Queue: 3, Forwarding classes: network-control
    Tail-dropped packets :                     0                     0 pps
";

const NEXUS: &str = "n9k1# show queuing interface ethernet 1/48
slot  1
=======
Egress Queuing for Ethernet1/48 [System]
------------------------------------------------------------------------------
QoS-Group# Bandwidth% PrioLevel                Shape                   QLimit
                                   Min          Max        Units
------------------------------------------------------------------------------
      0            100         -           -            -     -            9(D)
+-------------------------------------------------------------+
|                              QOS GROUP 0                    |
+-------------------------------------------------------------+
|                           |  Unicast       |Multicast       |
+-------------------------------------------------------------+
|                   Tx Pkts |         548123|              40|
| WRED/AFD & Tail Drop Pkts |            829|               0|
";

/// As many as were sent again, and a shaper that has room: the queue before it is too short. So is its growth between two readings.
#[test]
fn a_class_that_dropped_as_many_is_the_queue() {
    let queue = "the queue of class class-default of WAN at GigabitEthernet0/0/0 of r1";
    for (router, said) in [
        (of_class(831), format!("{queue} dropped 831 packets")),
        (
            format!("{}{}", of_class(100), of_class(933)),
            format!("{queue} dropped 833 packets from one reading to the next"),
        ),
    ] {
        let flow = first(&format!("{SENT_AGAIN}{router}"));
        assert_eq!(flow.verdict.cause, "shallow_buffer", "{:#?}", flow.verdict);
        assert!(because(&flow).contains(&said), "{:#?}", flow.verdict);
        // It may be made longer, once what stands there is printed.
        let port = flow.changes.last().expect("the port's");
        assert_eq!(port.host, "r1", "{port:#?}");
        let first = &port.commands[0];
        assert!(
            first.starts_with("first the queue of class class-default"),
            "{first}"
        );
        let all = port.commands.join("\n");
        for words in [
            "queue-limit",
            "qos queue-softmax-multiplier 1200",
            "buffer-size",
        ] {
            assert!(all.contains(words), "{words}: {all}");
        }
        assert!(
            port.undo[0].contains("the limit that was printed before"),
            "{port:#?}"
        );
    }
}

#[test]
fn what_a_queue_dropped_is_read_of_junos_and_nexus() {
    for (router, said) in [
        (
            JUNOS,
            "the queue of best-effort at ge-0/0/5 of mx1 dropped 829 packets",
        ),
        (
            NEXUS,
            "the queue of QOS GROUP 0 at Ethernet1/48 of n9k1 dropped 829 packets",
        ),
    ] {
        let flow = first(&format!("{SENT_AGAIN}{router}"));
        assert_ne!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
        assert!(because(&flow).contains(said), "{:#?}", flow.verdict);
    }
}

/// A class of Junos on a line of 10 Gbit/s, whose queue sends 1 Gbit/s and dropped what the flow sent again.
const CLASS: &str = "Backup LON-PAR slow (class best-effort), 10G core.
lon$ ping -c 5 -q par
--- par ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4005ms
rtt min/avg/max/mdev = 6.9/7.0/7.1/0.1 ms
lon$ iperf3 -c par -t 10
[  5] local 10.5.0.1 port 40001 connected to 10.6.0.1 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-2.00   sec   226 MBytes   948 Mbits/sec  401    912 KBytes
[  5]   2.00-4.00   sec   221 MBytes   927 Mbits/sec  120    870 KBytes
[  5]   4.00-6.00   sec   219 MBytes   919 Mbits/sec  133    801 KBytes
[  5]   6.00-8.00   sec   222 MBytes   931 Mbits/sec  118    855 KBytes
[  5]   8.00-10.00  sec   221 MBytes   927 Mbits/sec  127    866 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-10.00  sec  1.08 GBytes   930 Mbits/sec  899             sender
[  5]   0.00-10.01  sec  1.08 GBytes   928 Mbits/sec                  receiver

noc@mx-lon> show interfaces queue xe-0/1/0
Physical interface: xe-0/1/0, Enabled, Physical link is Up
  Interface index: 148, SNMP ifIndex: 526
  Description: core to PAR
Forwarding classes: 16 supported, 4 in use
Egress queues: 8 supported, 4 in use
Queue: 0, Forwarding classes: best-effort
  Queued:
    Packets              :             812331122               101233 pps
    Bytes                :          1180122331100           1010233312 bps
  Transmitted:
    Packets              :             812329911                99991 pps
    Bytes                :          1180120601120            999912312 bps
    Tail-dropped packets :                   911                   89 pps
    RL-dropped packets   :                     0                    0 pps
    RED-dropped packets  :                     0                    0 pps
Queue: 1, Forwarding classes: expedited-forwarding
  Queued:
    Packets              :               1231122                  123 pps
    Bytes                :             122331100               101233 bps
  Transmitted:
    Packets              :               1231122                  123 pps
    Bytes                :             122331100               101233 bps
    Tail-dropped packets :                     0                    0 pps

";

/// What the scheduler of that class states, with braces; and by `display set` with its map, and the port's speed.
const SCHEDULER: [&str; 2] = [
    "noc@mx-lon> show configuration class-of-service schedulers BE
transmit-rate 1g exact;
buffer-size percent 10;
",
    "noc@mx-lon> show configuration class-of-service | display set
set class-of-service schedulers BE transmit-rate 1g exact
set class-of-service interfaces xe-0/1/0 scheduler-map SM
set class-of-service scheduler-maps SM forwarding-class best-effort scheduler BE
noc@mx-lon> show interfaces xe-0/1/0 | match speed
  Link-level type: Ethernet, MTU: 9192, Speed: 10Gbps, BPDU Error: None
",
];

/// A class that is full at the rate it is held to is what limits, and no queue before it: more of a queue gives nothing.
#[test]
fn a_class_that_is_full_is_the_shaper() {
    for stated in SCHEDULER {
        let flow = first_flow(of(&format!("{CLASS}{stated}"), &on("10Gbit/s")));
        assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence > 0.8, "{:#?}", flow.verdict);
        let said = "the queue of best-effort at xe-0/1/0 of mx-lon dropped 911 packets; this flow sent 899 segments again; its class is held to 1.00 Gbit/s, and this flow fills that";
        assert!(because(&flow).contains(said), "{:#?}", flow.verdict);
        let set = "set class-of-service schedulers BE transmit-rate RATE exact";
        assert!(commands(&flow).contains(set), "{:#?}", flow.changes);
    }
    // The same of a class of IOS.
    let full = of_class(831).replace("200000000", "128000000");
    let flow = first(&format!("{SENT_AGAIN}{full}"));
    assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
    assert!(because(&flow).contains("its class is held to 128 Mbit/s"));
}

/// Ten seconds of 561 Mbit/s over 12 ms, of which 0.13 % was sent again: 626 of 484 thousand segments.
fn shared() -> String {
    let rates = [
        612.0, 540.0, 575.0, 498.0, 603.0, 560.0, 521.0, 588.0, 547.0, 566.0,
    ];
    let again = [210, 44, 52, 38, 47, 61, 33, 50, 42, 49];
    let rows: Vec<(f64, u32)> = rates.into_iter().zip(again).collect();
    let log = crate::alike::log(40_120, &rows, 840.0);
    log + "\n$ ping -c 20 -q 198.51.100.2\n--- 198.51.100.2 ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 19019ms\nrtt min/avg/max/mdev = 12.025/12.145/12.298/0.088 ms\n\n"
}

/// A port at 1 Gbit/s of NX-OS, and of IOS: 14.8 million packets left by it, and so many were dropped.
fn port_of_nexus(dropped: u32) -> String {
    format!(
        "leaf4# show interface ethernet 1/48
Ethernet1/48 is up
admin state is up, Dedicated Interface
  MTU 1500 bytes, BW 1000000 Kbit, DLY 10 usec
  full-duplex, 1000 Mb/s, media type is 1G
  30 seconds input rate 12210000 bits/sec, 22011 packets/sec
  30 seconds output rate 583100000 bits/sec, 48100 packets/sec
  TX
    14811002 unicast packets  2 multicast packets  0 broadcast packets
    14811004 output packets  22401220110 bytes
    0 output error  0 collision  0 deferred  0 late collision
    0 lost carrier  0 no carrier  0 babble  {dropped} output discard
"
    )
}

/// A port of IOS by which so many packets left, and whose queue dropped so many.
pub(crate) fn port_of_ios(sent: u32, dropped: u32) -> String {
    format!(
        "leaf4#show interfaces GigabitEthernet1/0/48
GigabitEthernet1/0/48 is up, line protocol is up (connected)
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,
  Full-duplex, 1000Mb/s, link type is auto, media type is 10/100/1000BaseTX SFP
  Input queue: 0/2000/0/0 (size/max/drops/flushes); Total output drops: {dropped}
  30 second input rate 12210000 bits/sec, 22011 packets/sec
  30 second output rate 583100000 bits/sec, 48100 packets/sec
     7811002 packets input, 501220110 bytes, 0 no buffer
     0 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored
     {sent} packets output, 22401220110 bytes, 0 underruns
"
    )
}

/// The port has the drops of others, too: of all that was to leave by it as large a share was dropped as the flow sent again.
#[test]
fn a_port_that_drops_as_large_a_share_is_the_queue() {
    for port in [port_of_nexus(14_322), port_of_ios(14_811_002, 14_322)] {
        let text = shared() + &port;
        let line = first_flow(of(&text, &on("1Gbit/s")));
        for flow in [line, first(&text)] {
            assert_eq!(flow.verdict.cause, "shallow_buffer", "{:#?}", flow.verdict);
            let because = because(&flow);
            let said = "as large a share as the queue dropped of what was to leave by its port";
            assert!(because.contains(said), "{because}");
            assert!(!because.contains("what a line of"), "{because}");
        }
    }
    // A tenth of that share is of others.
    for port in [port_of_nexus(1432), port_of_ios(14_811_002, 1432)] {
        let flow = first_flow(of(&(shared() + &port), &on("1Gbit/s")));
        assert!(!because(&flow).contains("as large a share"), "{port}");
    }
}

/// Neither as many nor as large a share was dropped: but all of it in ten minutes, at a port that carries as much as the flow has.
#[test]
fn a_port_that_was_cleared_of_late_is_the_queue() {
    let cleared = |when: &str, dropped: u32| {
        let last = "media type is 1G\n";
        let line = format!("{last}  Last clearing of \"show interface\" counters {when}\n");
        first_flow(of(
            &(shared() + &port_of_nexus(dropped).replace(last, &line)),
            &on("1Gbit/s"),
        ))
    };
    let flow = cleared("00:10:03", 3000);
    assert_eq!(flow.verdict.cause, "shallow_buffer", "{:#?}", flow.verdict);
    let said = "the queue of Ethernet1/48 of leaf4 dropped 3000 packets in the 10 min since its counters were cleared, and as much leaves by that port as this flow has; this flow sent 626 segments again";
    assert!(because(&flow).contains(said), "{}", because(&flow));
    // Counters of a day or of always, fewer than were sent again, and more in a second than the flow loses say nothing.
    for (when, dropped) in [
        ("never", 3000),
        ("23:10:03", 3000),
        ("00:10:03", 100),
        ("00:10:03", 200_000),
    ] {
        let why = because(&cleared(when, dropped));
        assert!(!why.contains("were cleared"), "{why}");
    }
}

/// As many packets as were sent again, in a counter of weeks or of always: that may be chance, where one that grew by as many is not.
#[test]
fn as_many_in_an_old_counter_may_be_chance() {
    let port = |when: &str, dropped: u32| {
        let last = "media type is 1G\n";
        let line = format!("{last}  Last clearing of \"show interface\" counters {when}\n");
        port_of_nexus(dropped).replace(last, &line)
    };
    let chance = "were not cleared for hours, or never, so that as many may be chance";
    for when in ["never", "3w2d", "23:10:03"] {
        let flow = first_flow(of(&(shared() + &port(when, 640)), &on("1Gbit/s")));
        let why = because(&flow);
        assert!(why.contains("dropped 640 packets"), "{why}");
        assert!(why.contains(chance), "{why}");
        let short = flow.verdict.cause == "shallow_buffer";
        assert!(
            !short || flow.verdict.confidence <= 0.6,
            "{:#?}",
            flow.verdict
        );
    }
    let later = port("never", 1640).replace("14811004", "14911004");
    let grew = shared() + &port("never", 1000) + &later;
    let flow = first_flow(of(&grew, &on("1Gbit/s")));
    assert_eq!(flow.verdict.cause, "shallow_buffer", "{:#?}", flow.verdict);
    assert!(!because(&flow).contains(chance), "{:#?}", flow.verdict);
}

/// The rate of a port of Junos, as it is printed and as it is set.
#[test]
fn a_port_that_is_shaped_is_the_shaper() {
    for stated in [
        "noc@mx-lon> show class-of-service interface xe-0/1/0
Physical interface: xe-0/1/0, Index: 148
Maximum usable queues: 8, Queues in use: 4
Shaping rate: 1000000000 bps
  Scheduler map: SM, Index: 45611
",
        "noc@mx-lon> show configuration class-of-service interfaces xe-0/1/0 | display set
set class-of-service interfaces xe-0/1/0 scheduler-map SM
set class-of-service interfaces xe-0/1/0 shaping-rate 1g
",
    ] {
        let flow = first_flow(of(&format!("{CLASS}{stated}"), &on("10Gbit/s")));
        assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
        let set = "set class-of-service interfaces xe-0/1/0 shaping-rate RATE";
        assert!(commands(&flow).contains(set), "{:#?}", flow.changes);
    }
}

/// A class of marked traffic inside a policy that shapes all: its own rate is the one that the flow fills, and its queue is full. What it
/// dropped since its counters were cleared is far more than this test lost.
#[test]
fn the_class_inside_a_shaper_of_all_is_what_holds() {
    let text = format!(
        "{SENT_AGAIN}r1#show policy-map interface Gi0/0/0 output
 GigabitEthernet0/0/0

  Service-policy output: WAN

    Class-map: class-default (match-any)
      212312 packets, 312345678 bytes
      Match: any
      Queueing
      queue limit 416 packets
      (queue depth/total drops/no-buffer drops) 0/0/0
      (pkts output/bytes output) 211481/311012345
      shape (average) cir 1000000000, bc 4000000, be 4000000
      target shape rate 1000000000

      Service-policy : QUEUES

        Class-map: BULK (match-any)
          112312 packets, 162345678 bytes
          Match: ip dscp cs1 (8)
          Queueing
          queue limit 64 packets
          (queue depth/total drops/no-buffer drops) 62/5310/0
          (pkts output/bytes output) 107002/161012345
          shape (average) cir 128000000, bc 512000, be 512000
          target shape rate 128000000

        Class-map: class-default (match-any)
          100000 packets, 150000000 bytes
          Match: any
          queue limit 416 packets
          (queue depth/total drops/no-buffer drops) 0/0/0

"
    );
    let flow = first(&text);
    assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
    let said = "the queue of class BULK of QUEUES at GigabitEthernet0/0/0 of r1 dropped 5310 packets; this flow sent 833 segments again; its class is held to 128 Mbit/s, and this flow fills that, with 97 % of its queue full when it was printed";
    assert!(because(&flow).contains(said), "{:#?}", flow.verdict);
    assert!(
        commands(&flow).contains(" class BULK"),
        "{:#?}",
        flow.changes
    );
    assert!(!because(&flow).contains("DSCP"), "{:#?}", flow.verdict);
    // The rule that marks the flow is why it is in that class.
    let rule = "backup01:~# iptables -t mangle -vnL OUTPUT
Chain OUTPUT (policy ACCEPT 22000 packets, 31M bytes)
 pkts bytes target     prot opt in     out     source               destination
 410K  611M DSCP       all  --  *      *       0.0.0.0/0            203.0.113.0/24       DSCP set 0x08
";
    let flow = first(&format!("{text}{rule}"));
    assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
    let said = "the class takes what is marked DSCP 8, and a rule of a host sets that mark";
    assert!(because(&flow).contains(said), "{:#?}", flow.verdict);
}

/// The queue of a port of a Catalyst 6500, which had dropped so many packets.
fn of_catalyst(dropped: u32) -> String {
    format!(
        "c6509#show queueing interface gigabitEthernet 3/12
Interface GigabitEthernet3/12 queueing strategy:  Weighted Round-Robin
  Port QoS is enabled
    Queueing Mode In Tx direction: mode-cos
    Transmit queues [type = 1p3q8t]:
  Packets dropped on Transmit:
    queue     dropped  [cos-map]
    1               {dropped}  [0 1 ]
    2                    0  [2 3 4 ]
"
    )
}

/// No text says the port's speed, and the line is said to be ten times as fast: no more is promised than its name says.
#[test]
fn no_more_is_promised_than_the_name_of_a_port_that_drops_says() {
    let text = format!("{}{}{}", of_catalyst(90_122), shared(), of_catalyst(90_750));
    let flow = first_flow(of(&text, &on("10Gbit/s")));
    assert_eq!(flow.verdict.cause, "shallow_buffer", "{:#?}", flow.verdict);
    let promised: Vec<f64> = flow
        .changes
        .iter()
        .filter_map(|c| c.predicted_bps)
        .collect();
    assert!(!promised.is_empty(), "{:#?}", flow.changes);
    assert!(promised.iter().all(|bps| *bps < 1e9), "{promised:?}");
    // A port whose name has no speed bounds nothing.
    let text = text.replace("gigabitEthernet 3/12", "ethernet 3/12");
    let text = text.replace("GigabitEthernet3/12", "Ethernet3/12");
    let flow = first_flow(of(&text, &on("10Gbit/s")));
    let promised = flow.changes.iter().filter_map(|c| c.predicted_bps);
    assert!(promised.fold(0.0, f64::max) > 1e9, "{:#?}", flow.changes);
}

/// What a queue drops as its text is printed is said: its total may be of another time.
#[test]
fn a_queue_that_drops_now_is_noted() {
    let d = crate::of(JUNOS, &farpath_diagnose::Known::default());
    let notes = d.notes.join("\n");
    let said = "best-effort at ge-0/0/5 of mx1 drops 2 packets a second as this is printed";
    assert!(notes.contains(said), "{notes}");
    assert!(!notes.contains("network-control"), "{notes}");
}
