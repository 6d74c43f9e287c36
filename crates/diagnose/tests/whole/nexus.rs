//! `show interface` of NX-OS.

use farpath_diagnose::{Diagnosis, Known};

use crate::counters::lossy;
use crate::{of_files, on};

fn port(packets: u64, damaged: u64, discarded: u64) -> String {
    format!(
        "n9k-ams# show interface ethernet 1/1
Ethernet1/1 is up
admin state is up, Dedicated Interface
  Belongs to Po10
  Hardware: 100/1000/10000/25000 Ethernet, address: 0000.5e00.5307 (bia 0000.5e00.5307)
  Description: to cr1-ham
  MTU 9216 bytes, BW 10000000 Kbit , DLY 10 usec
  reliability 255/255, txload 1/255, rxload 20/255
  Encapsulation ARPA, medium is broadcast
  Port mode is trunk
  full-duplex, 10 Gb/s, media type is 10G
  Beacon is turned off
  Auto-Negotiation is turned on  FEC mode is Auto
  Input flow-control is off, output flow-control is off
  Auto-mdix is turned off
  Rate mode is dedicated
  Switchport monitor is off
  EtherType is 0x8100
  EEE (efficient-ethernet) : n/a
    admin fec state is auto, oper fec state is off
  Last link flapped 8week(s) 2day(s)
  Last clearing of \"show interface\" counters never
  1 interface resets
  Load-Interval #1: 30 seconds
    30 seconds input rate 812283000 bits/sec, 109421 packets/sec
    30 seconds output rate 3072 bits/sec, 1 packets/sec
    input rate 812.28 Mbps, 109.42 Kpps; output rate 3.07 Kbps, 1 pps
  Load-Interval #2: 5 minute (300 seconds)
    300 seconds input rate 802283000 bits/sec, 108421 packets/sec
    300 seconds output rate 3072 bits/sec, 1 packets/sec
    input rate 802.28 Mbps, 108.42 Kpps; output rate 3.07 Kbps, 1 pps
  RX
    {packets} unicast packets  134 multicast packets  0 broadcast packets
    {packets} input packets  91283746152 bytes
    0 jumbo packets  0 storm suppression packets
    0 runts  0 giants  {damaged} CRC  0 no buffer
    {damaged} input error  0 short frame  0 overrun   0 underrun  0 ignored
    0 watchdog  0 bad etype drop  0 bad proto drop  0 if down drop
    0 input with dribble  0 input discard
    0 Rx pause
  TX
    61827364 unicast packets  9321 multicast packets  12 broadcast packets
    61836697 output packets  45012837461 bytes
    0 jumbo packets
    0 output error  0 collision  0 deferred  0 late collision
    0 lost carrier  0 no carrier  0 babble  {discarded} output discard
    0 Tx pause
"
    )
}

fn of(again: u32, router: &str) -> Diagnosis {
    let sender = lossy(again);
    let d = of_files(
        &[("sender.txt", &sender), ("switch.txt", router)],
        &on("25 Gbit/s"),
    );
    let left: usize = d.read.iter().map(|r| r.ignored_lines.len()).sum();
    assert_eq!(left, 0, "{:?}", d.read);
    d
}

#[test]
fn damaged_frames_of_a_nexus_are_read_as_those_of_ios() {
    let d = of(190, &port(118_277_366, 5560, 0));
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    let said = "at Ethernet1/1 of n9k-ams 5560 frames arrived damaged, 4.7e-5 of all";
    assert!(because.contains(said), "{because}");
    let clean = of(190, &port(118_277_366, 0, 0));
    let because = clean.flows[0].verdict.because.join("\n");
    assert!(!because.contains("damaged"), "{because}");
}

#[test]
fn discards_of_a_nexus_are_those_of_a_queue() {
    let grew = port(100_000_000, 0, 9000) + &port(101_000_000, 0, 9190);
    let because = of(190, &grew).flows[0].verdict.because.join("\n");
    let said =
        "the queue of Ethernet1/1 of n9k-ams dropped 190 packets from one reading to the next";
    assert!(because.contains(said), "{because}");
}

/// Packets that left say that time passed, also where none came meanwhile.
#[test]
fn discards_grow_while_packets_leave() {
    let once = |left: u64, discarded: u64| {
        let text = port(100_000_000, 0, discarded);
        text.replace("61836697 output", &format!("{left} output"))
    };
    let grew = once(61_836_697, 9000) + &once(62_218_478, 9190);
    let because = of(190, &grew).flows[0].verdict.because.join("\n");
    let said = "dropped 190 packets from one reading to the next";
    assert!(because.contains(said), "{because}");
    // The same text twice is one reading.
    let stood = once(61_836_697, 9000) + &once(61_836_697, 9000);
    let because = of(190, &stood).flows[0].verdict.because.join("\n");
    assert!(!because.contains("from one reading"), "{because}");
}

/// A server at 10 Gbit/s, whose segments the queue of a port at 1 Gbit/s drops.
const LOG: &str = "srv$ iperf3 -c 10.200.0.2 -t 20 -i 4
Connecting to host 10.200.0.2, port 5201
[  5] local 10.100.0.9 port 40002 connected to 10.200.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-4.00   sec   182 MBytes   382 Mbits/sec  1411   1.61 MBytes
[  5]   4.00-8.00   sec   141 MBytes   296 Mbits/sec   88   1.40 MBytes
[  5]   8.00-12.00  sec   150 MBytes   315 Mbits/sec   71   1.71 MBytes
[  5]  12.00-16.00  sec   138 MBytes   289 Mbits/sec   93   1.31 MBytes
[  5]  16.00-20.00  sec   146 MBytes   306 Mbits/sec   80   1.52 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.00  sec   757 MBytes   318 Mbits/sec  1743             sender
[  5]   0.00-20.04  sec   755 MBytes   316 Mbits/sec                  receiver
srv$ ping -c 100 -q 10.200.0.2
--- 10.200.0.2 ping statistics ---
100 packets transmitted, 100 received, 0% packet loss, time 99110ms
rtt min/avg/max/mdev = 40.01/40.12/40.40/0.08 ms
srv$ ethtool eth0 | grep Speed
\tSpeed: 10000Mb/s
";

const SLOWER: &str = "agg1# show interface ethernet1/48
Ethernet1/48 is up
admin state is up, Dedicated Interface
  Hardware: 100/1000/10000 Ethernet, address: 00de.fb12.3456 (bia 00de.fb12.3456)
  Description: to branch router 1G
  MTU 1500 bytes, BW 1000000 Kbit, DLY 10 usec
  reliability 255/255, txload 78/255, rxload 2/255
  Encapsulation ARPA, medium is p2p
  full-duplex, 1000 Mb/s, media type is 1G
  Beacon is turned off
  Auto-Negotiation is turned on  FEC mode is Auto
  Input flow-control is off, output flow-control is off
  30 seconds input rate 6123456 bits/sec, 9123 packets/sec
  30 seconds output rate 308123456 bits/sec, 25412 packets/sec
  RX
    182345 unicast packets  12 multicast packets  3 broadcast packets
    182360 input packets  12345678 bytes
    0 jumbo packets  0 storm suppression bytes
    0 runts  0 giants  0 CRC  0 no buffer
    0 input error  0 short frame  0 overrun   0 underrun  0 ignored
    0 watchdog  0 bad etype drop  0 bad proto drop  0 if down drop
    0 input with dribble  0 input discard
    0 Rx pause
  TX
    548123 unicast packets  40 multicast packets  2 broadcast packets
    548165 output packets  824123456 bytes
    0 jumbo packets
    0 output error  0 collision  0 deferred  0 late collision
    0 lost carrier  0 no carrier  0 babble  1738 output discard
    0 Tx pause
";

/// What a port drops crosses it: nothing gives more than its 1 Gbit/s, and no test asks more of it.
#[test]
fn no_more_is_promised_than_the_port_carries_that_dropped() {
    let text = format!("{LOG}{SLOWER}");
    let flow = crate::of(&text, &Known::default()).flows.remove(0);
    let promised: Vec<f64> = flow
        .changes
        .iter()
        .filter_map(|c| c.predicted_bps)
        .collect();
    assert!(!promised.is_empty(), "{:#?}", flow.changes);
    assert!(promised.iter().all(|bps| *bps < 1e9), "{promised:?}");
    for missing in &flow.missing {
        for rate in missing.command.split("-b ").skip(1) {
            let digits: String = rate.chars().take_while(char::is_ascii_digit).collect();
            let kbps: f64 = digits.parse().unwrap_or(0.0);
            assert!(kbps < 1e6, "{missing:#?}");
        }
    }
}

/// Each port's light stands in a block of lines that its name heads, with a mark where it is too weak.
#[test]
fn weak_light_of_a_nexus_is_read() {
    let block = |name: &str, light: &str| {
        format!(
            "{name}
    transceiver is present
    type is 10Gbase-LR
    name is CISCO-FINISAR
    part number is FTLX1474D3BCL-CS
    revision is A
    serial number is FNS00000000
    nominal bitrate is 10300 MBit/sec
    Link length supported for 9/125um fiber is 10 km
    cisco id is 3
    cisco extended id number is 4

           SFP Detail Diagnostics Information (internal calibration)
  ----------------------------------------------------------------------------
                Current              Alarms                  Warnings
                Measurement     High        Low         High          Low
  ----------------------------------------------------------------------------
  Temperature   31.02 C        75.00 C     -5.00 C     70.00 C        0.00 C
  Voltage        3.29 V         3.63 V      2.97 V      3.46 V        3.13 V
  Current       38.10 mA       70.00 mA     1.00 mA    68.00 mA      2.00 mA
  Tx Power      -2.31 dBm       3.49 dBm  -12.19 dBm    0.49 dBm     -8.19 dBm
  Rx Power     {light}    3.49 dBm  -18.38 dBm    0.49 dBm    -14.40 dBm
  Transmit Fault Count = 0
  ----------------------------------------------------------------------------
  Note: ++  high-alarm; +  high-warning; --  low-alarm; -  low-warning
"
        )
    };
    let light = |mark: &str| {
        let command = "n9k-ams# show interface ethernet1/49 transceiver details\n";
        of(190, &(command.to_owned() + &block("Ethernet1/49", mark)))
    };
    let why = |d: &Diagnosis| d.flows[0].verdict.because.join("\n");
    let begin = "the transceiver of Ethernet1/49 of n9k-ams";
    for (mark, said) in [
        (
            "-18.92 dBm --",
            "raises the alarm that its light is too weak: -18.9 dBm",
        ),
        (
            "-15.92 dBm -",
            "warns that its light is too weak: -15.9 dBm",
        ),
    ] {
        let why = why(&light(mark));
        assert!(why.contains(&format!("{begin} {said}")), "{why}");
    }
    let lit = why(&light("-2.92 dBm"));
    assert!(!lit.contains("transceiver"), "{lit}");
    // Of several ports nothing says which one the flow crosses.
    let several = block("Ethernet1/49", "-18.92 dBm --") + &block("Ethernet1/50", "-2.92 dBm");
    let d = of(
        190,
        &format!("n9k-ams# show interface transceiver details\n{several}"),
    );
    let notes = d.notes.join("\n");
    let said = "receive too little light: Ethernet1/49 of n9k-ams";
    assert!(notes.contains(said), "{notes}");
}

/// A few losses at 40 ms, and a switch's count of damaged frames, filtered, before and after.
fn few(before: u32, after: u32) -> String {
    let row = |n: u32, mbit: f64, again: u32, cwnd: u32| {
        format!(
            "[  5]   {n}.00-{}.00   sec  {:.2} MBytes  {mbit} Mbits/sec    {again}    {cwnd} KBytes\n",
            n + 1,
            mbit / 8.389
        )
    };
    let rows = [
        (102.0, 2, 490),
        (44.0, 1, 220),
        (38.0, 0, 190),
        (35.7, 1, 180),
        (41.9, 0, 210),
        (36.7, 0, 185),
        (39.8, 1, 200),
        (34.6, 0, 172),
        (42.9, 0, 215),
        (37.7, 1, 190),
    ];
    let rows: String = (0..)
        .zip(rows)
        .map(|(n, r)| row(n, r.0, r.1, r.2))
        .collect();
    let crc = |count: u32| {
        format!(
            "n9k-2# show interface ethernet1/1 | include CRC\n    0 runts  0 giants  {count} CRC  0 no buffer\n"
        )
    };
    format!(
        "a@one:~$ iperf3 -c 192.0.2.2\nConnecting to host 192.0.2.2, port 5201\n[  5] local 192.0.2.9 port 48122 connected to 192.0.2.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n{rows}- - - - - - - - - - - - - - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  54.0 MBytes  45.3 Mbits/sec    6             sender\n[  5]   0.00-10.04  sec  53.9 MBytes  45.1 Mbits/sec                  receiver\n\niperf Done.\na@one:~$ ping -c 6 192.0.2.2\n6 packets transmitted, 6 received, 0% packet loss, time 5007ms\nrtt min/avg/max/mdev = 40.100/40.133/40.200/0.047 ms\n\n{}{}",
        crc(before),
        crc(after)
    )
}

/// Six damaged frames between two readings are the six segments that were sent again, as on a host; thousands are mostly of others.
#[test]
fn damaged_frames_that_grew_by_what_was_sent_again_are_known_to_be_it() {
    let sure = crate::first(&few(48_213, 48_219));
    assert_eq!(sure.verdict.cause, "random_loss", "{:#?}", sure.verdict);
    assert!(sure.verdict.confidence > 0.8, "{:#?}", sure.verdict);
    let because = sure.verdict.because.join("\n");
    let said =
        "6 frames arrived damaged from one reading to the next; this flow sent 6 segments again";
    assert!(because.contains(said), "{because}");
    let open = crate::first(&few(48_213, 54_219)).verdict;
    let known = open.cause == "random_loss" && open.confidence > 0.9;
    assert!(!known, "{open:#?}");
}
