//! Rates that texts state and that a flow fills: they come before windows that hosts have by default, and before guesses of what dropped.

use crate::{because, first};

/// A test of ten seconds, of so many Mbit/s and segments sent again in each, and pings of this round trip.
fn test(rows: &[(f64, u32)], rtt: &str) -> String {
    let mut all = "br$ iperf3 -c 10.0.0.9
Connecting to host 10.0.0.9, port 5201
[  5] local 10.18.0.4 port 40110 connected to 10.0.0.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
"
    .to_owned();
    for (n, (mbit, again)) in rows.iter().enumerate() {
        let size = mbit / 8.388_608;
        all += &format!(
            "[  5]   {n}.00-{}.00   sec  {size:.2} MBytes  {mbit:.1} Mbits/sec  {again}   71.0 KBytes\n",
            n + 1
        );
    }
    let seconds = rows.len();
    let mean = rows.iter().map(|(mbit, _)| mbit).sum::<f64>() / seconds as f64;
    let size = mean * seconds as f64 / 8.388_608;
    let again: u32 = rows.iter().map(|(_, again)| again).sum();
    all + &format!(
        "- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-{seconds}.00  sec  {size:.1} MBytes  {mean:.1} Mbits/sec  {again}             sender
[  5]   0.00-{seconds}.05  sec  {size:.1} MBytes  {mean:.1} Mbits/sec                  receiver

iperf Done.
br$ ping -c 4 -q 10.0.0.9
PING 10.0.0.9 (10.0.0.9) 56(84) bytes of data.

--- 10.0.0.9 ping statistics ---
4 packets transmitted, 4 received, 0% packet loss, time 3003ms
rtt min/avg/max/mdev = {rtt}/{rtt}/{rtt}/0.000 ms
"
    )
}

/// 19 Mbit/s that nothing is lost of. Over 6.9 ms they are 16.4 kB in flight, and over 14.1 ms 33.5 kB, near windows of old hosts.
fn even(rtt: &str) -> String {
    let mut rows = [(19.0, 0); 10];
    rows[0].0 = 19.9;
    test(&rows, rtt)
}

const TBF: &str = "br$ tc -s qdisc show dev eth0
qdisc tbf 8001: root refcnt 2 rate 20Mbit burst 32Kb lat 50ms
 Sent 18402311220 bytes 12212033 pkt (dropped 0, overlimits 24400123 requeues 0)
 backlog 0b 0p requeues 0
";

const HTB: &str = "br$ tc -s class show dev eth0
class htb 1:10 root prio 0 rate 20Mbit ceil 20Mbit burst 1600b cburst 1600b
 Sent 23891031 bytes 15812 pkt (dropped 0, overlimits 15102 requeues 0)
 backlog 0b 0p requeues 0
 lended: 15812 borrowed: 0 giants: 0
 tokens: 9500 ctokens: 9500
";

const JUNOS: &str = "noc@mx1> show configuration class-of-service interfaces
ge-0/0/1 {
    shaping-rate 20m;
}
";

/// What IOS prints of a shaper whose class dropped so many packets since its counters were cleared.
fn ios(drops: u32) -> String {
    format!(
        "br-r1#show policy-map interface GigabitEthernet0/0/0
 GigabitEthernet0/0/0

  Service-policy output: WAN-OUT

    Class-map: class-default (match-any)
      812033 packets, 1120331220 bytes
      5 minute offered rate 20310000 bps, drop rate 0000 bps
      Match: any
      Queueing
      queue limit 64 packets
      (queue depth/total drops/no-buffer drops) 41/{drops}/0
      (pkts output/bytes output) 810022/1117312033
      shape (average) cir 20000000, bc 80000, be 80000
      target shape rate 20000000
"
    )
}

#[test]
fn a_stated_shaper_comes_before_a_window_by_default() {
    for rtt in ["6.900", "14.100"] {
        for stated in [TBF, HTB, JUNOS, &ios(0)] {
            let flow = first(&(even(rtt) + stated));
            assert_eq!(flow.verdict.cause, "shaper", "{stated}{:#?}", flow.verdict);
            assert!(flow.verdict.confidence > 0.6, "{:#?}", flow.verdict);
            let why = because(&flow);
            assert!(!why.contains("window that systems have"), "{why}");
        }
    }
    // The rate is not what it leaves.
    let above = TBF.replace("20Mbit", "25Mbit");
    let flow = first(&(even("6.900") + &above));
    let why = because(&flow);
    assert!(!why.contains("to which a shaper is set"), "{why}");
}

/// A total since the counters were cleared is what routers print: it need not be as many as were sent again.
#[test]
fn a_shaper_that_dropped_long_before_is_still_the_shaper() {
    let rows = [
        (24.5, 12),
        (18.9, 3),
        (18.8, 2),
        (19.1, 4),
        (18.8, 3),
        (18.9, 2),
        (18.8, 3),
        (18.8, 4),
        (19.2, 3),
        (18.7, 2),
    ];
    let statement = "br-r1#show run policy-map WAN-OUT
policy-map WAN-OUT
 class class-default
  shape average 20000000
";
    for stated in [ios(2011), statement.to_owned()] {
        let flow = first(&(test(&rows, "24.200") + &stated));
        assert_eq!(flow.verdict.cause, "shaper", "{stated}{:#?}", flow.verdict);
        let why = because(&flow);
        let said = "of the 20.0 Mbit/s to which a shaper is set";
        assert!(why.contains(said), "{why}");
    }
}

/// A port of an unusual speed that is full of the flow alone is the line.
#[test]
fn a_port_that_the_flow_fills_is_the_line() {
    let serial = |bps: u32| {
        format!(
            "br-r1#show interfaces Serial0/1/0
Serial0/1/0 is up, line protocol is up
  MTU 1500 bytes, BW 20000 Kbit/sec, DLY 20000 usec,
     reliability 255/255, txload 250/255, rxload 8/255
  5 minute input rate 610000 bits/sec, 810 packets/sec
  5 minute output rate {bps} bits/sec, 1650 packets/sec
"
        )
    };
    let flow = first(&(even("6.900") + &serial(19_720_000)));
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let why = because(&flow);
    let said = "a router's port that this flow fills";
    assert!(why.contains(said), "{why}");
    let flow = first(&(even("6.900") + &serial(3_720_000)));
    let line = flow.ceilings.iter().find(|c| c.cause == "link");
    assert!(line.is_none(), "{line:#?}");
}

/// A port of a usual speed that is full of the flow alone, by its counters, is the line, though a window that systems have leaves as much.
#[test]
fn a_full_port_of_a_usual_speed_is_the_line_and_no_window() {
    let rows: Vec<(f64, u32)> = (0..10)
        .map(|n| (94.0 + f64::from(n % 2) * 0.1, 0))
        .collect();
    // 94 Mbit/s over 5.5 ms are 64.7 kB.
    let text = test(&rows, "5.500");
    let port = |bps: u32| {
        format!(
            "br-r1#show interfaces FastEthernet0/1
FastEthernet0/1 is up, line protocol is up
  MTU 1500 bytes, BW 100000 Kbit/sec, DLY 100 usec,
     reliability 255/255, txload 248/255, rxload 8/255
  5 minute input rate 610000 bits/sec, 810 packets/sec
  5 minute output rate {bps} bits/sec, 8130 packets/sec
"
        )
    };
    let flow = first(&(text.clone() + &port(97_300_000)));
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence > 0.6, "{:#?}", flow.verdict);
    let why = because(&flow);
    let said = "FastEthernet0/1 of br-r1 carries 97.3 Mbit/s, 97 % of its 100 Mbit/s";
    assert!(why.contains(said), "{why}");
    // One with room says nothing.
    let why = because(&first(&(text + &port(61_000_000))));
    assert!(!why.contains("this flow is all of that"), "{why}");
}
