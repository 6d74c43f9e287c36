//! `show interface` of NX-OS.

use farpath_diagnose::Diagnosis;

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
