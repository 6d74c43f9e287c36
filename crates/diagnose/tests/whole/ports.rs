//! What routers count: damaged frames, weak light, policers; the router and port as their texts name them.

use farpath_diagnose::{Diagnosis, FlowReport, Known, read, twin};

use crate::counters::lossy;
use crate::{because, of_files, on};

fn of(again: u32, router: &str) -> Diagnosis {
    let sender = lossy(again);
    of_files(
        &[("sender.txt", &sender), ("router.txt", router)],
        &on("25 Gbit/s"),
    )
}

fn commands(flow: &FlowReport) -> String {
    let all = flow.changes.iter();
    let all = all.map(|c| format!("{}: {}", c.host, c.commands.join("; ")));
    all.collect::<Vec<_>>().join("\n")
}

pub(crate) fn ios(packets: u64, damaged: u64) -> String {
    format!(
        "cr2-ams#show interfaces TenGigE0/1/0
TenGigabitEthernet0/1/0 is up, line protocol is up
  Hardware is BUILT-IN-EPA-8x10G, address is 0000.5e00.5307 (bia 0000.5e00.5307)
  MTU 9192 bytes, BW 10000000 Kbit/sec, DLY 10 usec,
     reliability 254/255, txload 10/255, rxload 20/255
  5 minute input rate 812283000 bits/sec, 109421 packets/sec
     {packets} packets input, 91283746152 bytes, 0 no buffer
     0 runts, 0 giants, 0 throttles
     {damaged} input errors, {damaged} CRC, 0 frame, 0 overrun, 0 ignored
"
    )
}

fn junos(packets: u64, framing: u64, aligned: u64) -> String {
    format!(
        "ops@cr2-ams> show interfaces xe-1/0/3 extensive
Physical interface: xe-1/0/3, Enabled, Physical link is Up
  Description: to cr1-ham xe-0/0/1
  Device flags   : Present Running
  Statistics last cleared: 2026-11-26 02:50:01 UTC (00:15:11 ago)
  Traffic statistics:
   Input  bytes  :          91283746152            812283744 bps
   Input  packets:             {packets}               109421 pps
   Output packets:             61827364                51022 pps
  Input errors:
    Errors: {framing}, Drops: 0, Framing errors: {framing}, Runts: 0, Policed discards: 0
  Output errors:
    Carrier transitions: 0, Errors: 0, Drops: 0, Collisions: 0, HS link CRC errors: 0, MTU errors: 0
  MAC statistics:                      Receive         Transmit
    Total octets                   91983746152      45012837461
    CRC/Align errors                      {aligned}                0
    FIFO errors                              0                0
  Egress queues: 8 supported, 4 in use
  Queue counters:       Queued packets  Transmitted packets      Dropped packets
    0                         61800211             61800211                    0
"
    )
}

/// 190 of four million are 4.7e-5: so are 5560 of 118 million packets.
#[test]
fn damaged_frames_of_a_port_weigh_by_their_share_and_are_named() {
    let bare = of(190, "");
    let bare = bare.flows[0].verdict.confidence;
    for (router, port) in [
        (ios(118_277_366, 5560), "TenGigabitEthernet0/1/0"),
        (junos(118_277_366, 5560, 5560), "xe-1/0/3"),
        (junos(118_277_366, 5560, 0), "xe-1/0/3"),
        (junos(118_277_366, 0, 5560), "xe-1/0/3"),
    ] {
        let d = of(190, &router);
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
        assert!(
            flow.verdict.confidence >= bare.max(0.97),
            "{:#?}",
            flow.verdict
        );
        let said = format!("at {port} of cr2-ams 5560 frames arrived damaged, 4.7e-5 of all");
        assert!(because(flow).contains(&said), "{}", because(flow));
        let told = commands(flow);
        let remedy = format!(
            "cr2-ams: clean or change the plugs, cable and transceiver of {port} (router.txt:"
        );
        assert!(told.contains(&remedy), "{told}");
        let left: usize = d.read.iter().map(|r| r.ignored_lines.len()).sum();
        assert_eq!(left, 0, "{:?}", d.read);
    }
    // So few of so many packets lost none of these segments.
    let few = of(190, &ios(118_277_366, 50));
    assert!(because(&few.flows[0]).contains("seen besides: "));
    assert!(!commands(&few.flows[0]).contains("cr2-ams"));
}

/// A port that damages one frame of 23, beside a flow that sends one segment of 21 000 again: it had 80 %.
#[test]
fn a_port_that_damages_far_more_than_a_flow_lost_is_not_known_to_carry_it() {
    let d = of(190, &ios(118_277, 5120));
    let flow = &d.flows[0];
    let why = because(flow);
    assert!(why.contains("or this flow does not arrive there"), "{why}");
    if flow.verdict.cause == "random_loss" {
        assert!(flow.verdict.confidence <= 0.61, "{:#?}", flow.verdict);
    }
}

/// One of nineteen million frames is what every line damages, however many segments were sent again.
#[test]
fn a_share_that_every_line_has_is_noise_at_a_port() {
    let d = of(120, &ios(2_310_182_231, 120));
    let why = because(&d.flows[0]);
    let said = "at TenGigabitEthernet0/1/0 of cr2-ams 120 frames arrived damaged, 5.2e-8 of all: so few are noise";
    assert!(why.contains(said), "{why}");
    assert!(!commands(&d.flows[0]).contains("cr2-ams"));
}

#[test]
fn a_port_read_twice_counts_by_what_came_between() {
    let grew = junos(100_000_000, 9000, 9000) + &junos(101_000_000, 9047, 9047);
    let d = of(190, &grew);
    let said = "47 frames arrived damaged from one reading to the next, 4.7e-5 of all";
    assert!(
        because(&d.flows[0]).contains(said),
        "{}",
        because(&d.flows[0])
    );
    let stood = junos(100_000_000, 9000, 9000) + &junos(101_000_000, 9000, 9000);
    let why = because(&of(190, &stood).flows[0]);
    let said = "the count of xe-1/0/3 of cr2-ams, 9000 damaged frames, did not grow from one reading to the next";
    assert!(
        !why.contains("arrived damaged") && why.contains(said),
        "{why}"
    );
    // The same figures twice are one reading.
    let twice = junos(118_277_366, 5560, 5560) + &junos(118_277_366, 5560, 5560);
    assert!(because(&of(190, &twice).flows[0]).contains("5560 frames arrived damaged"));
}

#[test]
fn bit_errors_and_weak_light_are_of_the_port_that_has_them() {
    let physical = "ops@cr2-ams> show interfaces xe-1/0/3
Physical interface: xe-1/0/3, Enabled, Physical link is Up
  PCS statistics                      Seconds
    Bit errors                           611
    Errored blocks                       611
";
    let d = of(190, physical);
    let flow = &d.flows[0];
    let said = "the line of xe-1/0/3 of cr2-ams had bit errors in 611 seconds";
    assert!(because(flow).contains(said), "{}", because(flow));
    let optics = "ops@cr2-ams> show interfaces diagnostics optics xe-1/0/3
Physical interface: xe-1/0/3
    Laser output power                        :  0.6110 mW / -2.14 dBm
    Laser rx power low alarm                  :  On
    Laser rx power low warning threshold      :  0.0269 mW / -15.70 dBm
";
    let d = of(190, optics);
    let flow = &d.flows[0];
    let said = "the transceiver of xe-1/0/3 of cr2-ams raises the alarm";
    assert!(because(flow).contains(said), "{}", because(flow));
    assert!(
        commands(flow).contains("cr2-ams: clean"),
        "{}",
        commands(flow)
    );
    let lit = of(190, &optics.replace(":  On", ":  Off"));
    assert!(!because(&lit.flows[0]).contains("transceiver"));
}

/// Tables of transceivers name their port shortly, and mark what is too low; with thresholds it is seen without a mark.
#[test]
fn light_that_is_too_weak_is_read_from_tables_of_transceivers() {
    let around = "ITU Channel not available (Wavelength not available),
Transceiver is internally calibrated.
If device is externally calibrated, only calibration is printed.
++ : high alarm, +  : high warning, -  : low warning, -- : low alarm.
NA or N/A: not applicable, Tx: transmit, Rx: receive.
mA: milliamperes, dBm: decibels (milliwatts).

";
    let summary = |row: &str| {
        format!(
            "cr2-ams#show int te0/1/0 transceiver
{around}                                           Optical   Optical
          Temperature  Voltage  Current    Tx Power  Rx Power
Port      (Celsius)    (Volts)  (mA)       (dBm)     (dBm)
--------- -----------  -------  --------   --------  --------
Te0/1/0     31.2       3.29      34.1       -2.4     {row}
"
        )
    };
    let detail = |value: &str| {
        format!(
            "cr2-ams#show interfaces te0/1/0 transceiver detail
{around}A2D readouts (if they differ), are reported in parentheses.
The threshold values are calibrated.

                                High Alarm  High Warn  Low Warn   Low Alarm
           Optical              Threshold   Threshold  Threshold  Threshold
           Receive Power        (dBm)       (dBm)      (dBm)      (dBm)
Port       (dBm)
---------  -----------------    ----------  ---------  ---------  ---------
Te0/1/0      {value}             2.5        0.5      -14.4      -18.4
"
        )
    };
    let clean = ios(118_277_366, 0);
    let alarm = "the transceiver of TenGigabitEthernet0/1/0 of cr2-ams raises the alarm";
    let warning = "the transceiver of TenGigabitEthernet0/1/0 of cr2-ams warns";
    for (optics, said) in [
        (summary("-15.8 --"), alarm),
        (summary("-15.8 -"), warning),
        (detail("-19.8   --"), alarm),
        (detail("-19.8"), alarm),
        (detail("-15.8"), warning),
    ] {
        let d = of(190, &format!("{clean}{optics}"));
        let flow = &d.flows[0];
        assert!(because(flow).contains(said), "{optics}{}", because(flow));
        assert!(because(flow).contains(".8 dBm"), "{}", because(flow));
        let told = commands(flow);
        assert!(
            told.contains("transceiver of TenGigabitEthernet0/1/0 ("),
            "{told}"
        );
        let left: usize = d.read.iter().map(|r| r.ignored_lines.len()).sum();
        assert_eq!(left, 0, "{optics}{:?}", d.read);
    }
    // Without a mark, and without the laser's current, a light speaks for itself where hardly any optics work.
    let bare = |dbm: &str| {
        summary(dbm)
            .replace("  Current  ", "")
            .replace("  (mA)     ", "")
            .replace("      34.1  ", "")
    };
    let d = of(190, &format!("{clean}{}", bare("-26.8")));
    let said = "TenGigabitEthernet0/1/0 of cr2-ams receives -26.8 dBm: hardly any optics";
    assert!(
        because(&d.flows[0]).contains(said),
        "{}",
        because(&d.flows[0])
    );
    for dbm in ["-19.8", "-40.0"] {
        let d = of(190, &format!("{clean}{}", bare(dbm)));
        assert!(!because(&d.flows[0]).contains("hardly any optics"), "{dbm}");
    }
    for optics in [summary("-5.8"), summary("N/A"), detail("-5.8")] {
        let d = of(190, &format!("{clean}{optics}"));
        assert!(!because(&d.flows[0]).contains("transceiver"), "{optics}");
    }
}

/// The speed of a router's port is offered as the line's where nobody said that, and is not taken for it.
#[test]
fn the_speed_of_a_port_is_offered_as_the_line() {
    let (sender, router) = (lossy(190), ios(118_277_366, 0));
    let files = [
        ("sender.txt", sender.as_str()),
        ("router.txt", router.as_str()),
    ];
    let d = of_files(&files, &Known::default());
    let notes = d.notes.join("\n");
    let said = "TenGigabitEthernet0/1/0 of cr2-ams runs at 10.0 Gbit/s: add --line 10Gbit/s";
    assert!(notes.contains(said), "{notes}");
    let link = d.flows[0].ceilings.iter().find(|c| c.cause == "link");
    assert_eq!(link, None);
    let notes = of(190, &router).notes.join("\n");
    assert!(!notes.contains("--line"), "{notes}");
    // A shaper on the way bounds the flow, whatever the line is.
    let shaped = format!(
        "{sender}qdisc tbf 8001: root refcnt 2 rate 9Gbit burst 1600b lat 50.0ms\n Sent 1 bytes 1 pkt (dropped 0, overlimits 2 requeues 0)\n"
    );
    let files = [
        ("sender.txt", shaped.as_str()),
        ("router.txt", router.as_str()),
    ];
    let d = of_files(&files, &Known::default());
    let shaper = d.flows[0].ceilings.iter().find(|c| c.cause == "shaper");
    assert!(shaper.is_some(), "{:#?}", d.flows[0].ceilings);
    assert!(!d.notes.join("\n").contains("--line"), "{:?}", d.notes);
}

#[test]
fn what_a_policer_dropped_speaks_for_it() {
    let policer = |packets: u32| {
        format!(
            "ops@cr2-ams> show policer
Policers:
Name                                                Bytes              Packets
policer-rne-200m-xe-1/0/3.0-i                    20263446                 {packets}
"
        )
    };
    let d = of(2300, &policer(2247));
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
    let said = "policer-rne-200m-xe-1/0/3.0-i of cr2-ams dropped 2247 packets";
    assert!(because(flow).contains(said), "{}", because(flow));
    let left: usize = d.read.iter().map(|r| r.ignored_lines.len()).sum();
    assert_eq!(left, 0, "{:?}", d.read);
    for none in [0, 12] {
        let d = of(2300, &policer(none));
        assert!(!because(&d.flows[0]).contains("of cr2-ams"), "{none}");
    }
}

/// A filter of Junos lists its counters, which drop nothing, and then its policers; of two readings the growth counts.
#[test]
fn policers_of_a_filter_are_read() {
    let filter = |command: &str, packets: u32| {
        format!(
            "ops@cr2-ams> {command}

Filter: CUST-RNE-IN
Counters:
Name                                                Bytes              Packets
accepted                                      91283746152            118277366
Policers:
Name                                                Bytes              Packets
policer-rne-200m-accept                          20263446                 {packets}

"
        )
    };
    let command = "show firewall filter CUST-RNE-IN";
    for text in [
        filter(command, 2247),
        filter("show firewall", 2247),
        filter(command, 40_000) + &filter(command, 42_247),
    ] {
        let d = of(2300, &text);
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
        let said = "policer-rne-200m-accept of cr2-ams dropped 2247 packets";
        assert!(because(flow).contains(said), "{}", because(flow));
        let left: usize = d.read.iter().map(|r| r.ignored_lines.len()).sum();
        assert_eq!(left, 0, "{:?}", d.read);
    }
}

/// The twin's policer has the rate that datagrams showed, with headers.
#[test]
fn a_twin_takes_the_rate_that_passed() {
    let udp = "[dtn1 ~]$ iperf3 -c 198.51.100.20 -u -b 2000M -t 10\nConnecting to host 198.51.100.20, port 5201\n[  5] local 203.0.113.10 port 41000 connected to 198.51.100.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-10.00  sec  834 MBytes  2000 Mbits/sec  0.000 ms  0/100000 (0%)  sender\n[  5]   0.00-10.00  sec  834 MBytes  1000 Mbits/sec  0.012 ms  50000/100000 (50%)  receiver\n\niperf Done.\n";
    let sender = lossy(90_000);
    let source = |name: &str, text: &str| farpath_diagnose::Source {
        name: name.to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let facts = read(&[source("sender.txt", &sender), source("udp.txt", udp)]);
    let d = of_files(
        &[("sender.txt", &sender), ("udp.txt", udp)],
        &on("25 Gbit/s"),
    );
    assert_eq!(
        d.flows[0].verdict.cause, "policer",
        "{:#?}",
        d.flows[0].verdict
    );
    let twin = twin(&facts, 0).expect("there is one");
    assert!(
        twin.scenario.contains("rate = \"1.06215"),
        "{}",
        twin.scenario
    );
    assert!(
        twin.notes.iter().any(|n| n.contains("the policer's burst")),
        "{:?}",
        twin.notes
    );
}

/// `show interfaces` of IOS XR: a date with thousandths, drops behind packets, and damaged frames.
#[test]
fn ios_xr_counts_drops_and_damaged_frames() {
    let xr = |damaged: u32, input: u32, output: u32| {
        format!(
            "RP/0/RSP0/CPU0:xr1#show interfaces HundredGigE0/0/0/0
Sat Nov 28 02:51:12.112 UTC
HundredGigE0/0/0/0 is up, line protocol is up
  Interface state transitions: 3
  Hardware is HundredGigE, address is 0000.5e00.5302 (bia 0000.5e00.5302)
  Layer 1 Transport Mode is LAN
  Description: to-geant
  Internet address is 192.0.2.9/30
  MTU 9192 bytes, BW 100000000 Kbit (Max: 100000000 Kbit)
     reliability 255/255, txload 12/255, rxload 9/255
  Encapsulation ARPA,
  Full-duplex, 100000Mb/s, 100GBASE-LR4, link type is force-up
  output flow control is off, input flow control is off
  loopback not set,
  Last link flapped 3w0d
  ARP type ARPA, ARP timeout 04:00:00
  Last input 00:00:00, output 00:00:00
  Last clearing of \"show interface\" counters 00:10:02
  5 minute input rate 3821002000 bits/sec, 512034 packets/sec
  5 minute output rate 4921002000 bits/sec, 612034 packets/sec
     308120391 packets input, 288120391012 bytes, {input} total input drops
     0 drops for unrecognized upper-level protocol
     Received 0 broadcast packets, 120 multicast packets
              0 runts, 0 giants, 0 throttles, 0 parity
     {damaged} input errors, {damaged} CRC, 0 frame, 0 overrun, 0 ignored, 0 abort
     368120391 packets output, 368120391012 bytes, {output} total output drops
     Output 0 broadcast packets, 120 multicast packets
     0 output errors, 0 underruns, 0 applique, 0 resets
     0 output buffer failures, 0 output buffers swapped out
     3 carrier transitions
"
        )
    };
    let d = of(600, &xr(1_123_012, 17, 218_812));
    let unread: Vec<u32> = d
        .read
        .iter()
        .flat_map(|p| p.ignored_lines.clone())
        .collect();
    assert!(unread.is_empty(), "{:#?}", d.read);
    let why = because(&d.flows[0]);
    for part in [
        "at HundredGigE0/0/0/0 of xr1 1123012 frames arrived damaged",
        "the queue of HundredGigE0/0/0/0 of xr1 dropped 218812 packets",
        "HundredGigE0/0/0/0 of xr1 dropped 17 packets as they arrived",
    ] {
        assert!(why.contains(part), "{part}\n{why}");
    }
    let clean = because(&of(600, &xr(0, 0, 0)).flows[0]);
    assert!(!clean.contains("HundredGigE"), "{clean}");
}

/// Lines of a later release stand indented below the port's first line, as all of its text does.
#[test]
fn lines_that_nobody_knows_do_not_end_a_port() {
    let with = |margin: &str| {
        let known = "  5 minute input rate";
        let unknown = format!(
            "{margin}Frobnication enabled on both sides\n{margin}frobnication not set,\n{known}"
        );
        of(190, &ios(118_277_366, 5560).replace(known, &unknown))
    };
    let d = with("  ");
    let why = because(&d.flows[0]);
    let said = "at TenGigabitEthernet0/1/0 of cr2-ams 5560 frames arrived damaged, 4.7e-5 of all";
    assert!(why.contains(said), "{why}");
    let left: usize = d.read.iter().map(|r| r.ignored_lines.len()).sum();
    assert_eq!(left, 2, "{:?}", d.read);
    // What is not indented is of something else.
    let d = with("");
    assert!(
        !because(&d.flows[0]).contains("5560 frames"),
        "{:?}",
        d.read
    );
}

/// A port of a router that counts as many framing errors as the flow sent segments again, 500; it runs at 1 Gbit/s.
fn framing(errors: u32) -> String {
    format!(
        "noc@edge> show interfaces ge-0/0/5 extensive | match \"error|drop|Speed|flap|rate\"
  Link-level type: Ethernet, MTU: 1514, Speed: 1000mbps, Link-mode: Full-duplex, Flow control: Enabled
  Last flapped   : 2026-11-29 22:10:11 UTC (04:10:11 ago)
  Input errors:
    Errors: {errors}, Drops: 0, Framing errors: {errors}, Runts: 0, Policed discards: 0, L3 incompletes: 0, L2 channel errors: 0, L2 mismatch timeouts: 0, FIFO errors: 0, Resource errors: 0
  Output errors:
    Carrier transitions: 17, Errors: 0, Drops: 0, Collisions: 0, Aged packets: 0, FIFO errors: 0, HS link CRC errors: 0, MTU errors: 0, Resource errors: 0
cust$ iperf3 -c 192.0.2.200 -t 10
[  5] local 198.51.100.200 port 41000 connected to 192.0.2.200 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-2.00   sec  76.0 MBytes   319 Mbits/sec   98    1.01 MBytes
[  5]   2.00-4.00   sec  71.0 MBytes   298 Mbits/sec  102    0.71 MBytes
[  5]   4.00-6.00   sec  74.0 MBytes   310 Mbits/sec   97    0.91 MBytes
[  5]   6.00-8.00   sec  77.0 MBytes   323 Mbits/sec  103    0.87 MBytes
[  5]   8.00-10.00  sec  71.0 MBytes   298 Mbits/sec  100    0.69 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-10.00  sec   369 MBytes   310 Mbits/sec  500             sender
[  5]   0.00-10.02  sec   368 MBytes   308 Mbits/sec                  receiver
cust$ ping -c 20 192.0.2.200
20 packets transmitted, 20 received, 0% packet loss, time 19020ms
rtt min/avg/max/mdev = 17.901/18.021/18.211/0.090 ms
"
    )
}

#[test]
fn a_port_that_counts_as_many_errors_lost_them() {
    let flow = crate::first(&framing(512));
    let said = "at ge-0/0/5 of edge 512 frames arrived damaged; this flow sent 500 segments again";
    let why = crate::because(&flow);
    assert!(why.contains(said), "{why}");
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    // The port carries the flow: it is a line that has room.
    let line = flow.ceilings.iter().find(|c| c.cause == "link");
    let line = line.expect("the port's speed is known").limit_bps;
    assert!((line - 941e6).abs() < 1e6, "{line}");
    // Far more of them are of other times.
    let flow = crate::first(&framing(48_000));
    assert!(flow.ceilings.iter().all(|c| c.cause != "link"));
}

/// Two routers before and after a test that sends 54 segments again: one port counts damaged frames, the other what its queue dropped.
fn two_routers(damaged: [u32; 2], dropped: [u32; 2]) -> String {
    let reading = |n: usize| {
        format!(
            "cr1.mil#show interfaces TenGigabitEthernet0/0/3
TenGigabitEthernet0/0/3 is up, line protocol is up
  Input queue: 0/375/0/0 (size/max/drops/flushes); Total output drops: 0
     {0} input errors, {0} CRC, 0 frame, 0 overrun, 0 ignored
cr2.rom#show interfaces TenGigabitEthernet0/1/0
TenGigabitEthernet0/1/0 is up, line protocol is up
  Input queue: 0/375/0/0 (size/max/drops/flushes); Total output drops: {1}
     0 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored
",
            damaged[n], dropped[n]
        )
    };
    let test = "[ddm@t1se ~]$ iperf3 -c 198.51.100.77 -t 10 -i 2
[  5] local 192.0.2.31 port 40000 connected to 198.51.100.77 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-2.00   sec   118 MBytes   495 Mbits/sec   19   1.11 MBytes
[  5]   2.00-4.00   sec   107 MBytes   449 Mbits/sec    9   1.06 MBytes
[  5]   4.00-6.00   sec   102 MBytes   428 Mbits/sec    8    998 KBytes
[  5]   6.00-8.00   sec   111 MBytes   466 Mbits/sec   10   1.08 MBytes
[  5]   8.00-10.00  sec   104 MBytes   436 Mbits/sec    8   1.01 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-10.00  sec   542 MBytes   455 Mbits/sec   54             sender
[  5]   0.00-10.02  sec   540 MBytes   452 Mbits/sec                  receiver
[ddm@t1se ~]$ ping -q -c 20 198.51.100.77
PING 198.51.100.77 (198.51.100.77) 56(84) bytes of data.
--- 198.51.100.77 ping statistics ---
20 packets transmitted, 20 received, 0% packet loss, time 19022ms
rtt min/avg/max/mdev = 18.801/18.850/18.911/0.030 ms
";
    reading(0) + test + &reading(1)
}

/// 30 and 24 are the 54: it was a short queue, 80 %, and nobody was to clean the port that damaged most.
#[test]
fn counters_that_make_up_the_loss_together_are_both_mended() {
    let flow = crate::first(&two_routers([2211, 2241], [2304, 2328]));
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence < 0.6, "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("together, 30 and 24 of 54"), "{why}");
    let all = commands(&flow);
    let port =
        "cr1.mil: clean or change the plugs, cable and transceiver of TenGigabitEthernet0/0/3";
    assert!(all.contains(port), "{all}");
    assert!(all.contains("root fq"), "{all}");
    // One that has nearly all of it leads alone.
    let flow = crate::first(&two_routers([2211, 2215], [2304, 2356]));
    assert_eq!(flow.verdict.cause, "shallow_buffer", "{:#?}", flow.verdict);
    assert!(!commands(&flow).contains("clean or change"));
}
