//! Ports of routers that are full and drop, without a test beside them.

use crate::{asked, because, commands, first};

const ERRORS: &str = "n9k1# show interface ethernet1/7 counters errors

--------------------------------------------------------------------------------
Port          Align-Err    FCS-Err   Xmit-Err    Rcv-Err  UnderSize OutDiscards
--------------------------------------------------------------------------------
Eth1/7                0          0          0          0          0      881233
";

const RATE: &str = "n9k1# show interface ethernet1/7 | i rate|BW|duplex
  MTU 9216 bytes, BW 10000000 Kbit, DLY 10 usec
  full-duplex, 10 Gb/s, media type is 10G
  30 seconds input rate 1012331223 bits/sec, 101233 packets/sec
  30 seconds output rate 9612331223 bits/sec, 812233 packets/sec
";

/// 9.61 of 10 Gbit/s leave by a port that counts discards.
#[test]
fn a_full_port_that_drops_is_full_of_others() {
    let flow = first(&format!("{ERRORS}{RATE}"));
    assert_eq!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.6, "{:#?}", flow.verdict);
    let because = because(&flow);
    for says in ["96 % of its 10.0 Gbit/s", "has dropped 881233 packets"] {
        assert!(because.contains(says), "{says}: {because}");
    }
    assert_eq!(asked(&flow), ["port_drops"]);
    assert_eq!(flow.changes[0].host, "n9k1");
    assert!(commands(&flow).contains("find who fills ethernet1/7"));
}

/// A port with room drops bursts, a full one that drops nothing only waits, and what another port dropped is not its own.
#[test]
fn a_port_with_room_or_without_drops_is_not_named() {
    let roomy = RATE.replace("9612331223", "4612331223");
    let clean = ERRORS.replace("881233", "0");
    let other = ERRORS.replace("Eth1/7 ", "Eth1/8 ");
    let other = other.replace("ethernet1/7", "ethernet1/8");
    for text in [
        format!("{ERRORS}{roomy}"),
        format!("{clean}{RATE}"),
        format!("{other}{RATE}"),
    ] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "unknown", "{text}");
    }
}

/// `sar` of a router of Linux shows a port that is full of others: 993 of 1000 Mbit/s, of which this flow has 39.
#[test]
fn a_port_that_sar_shows_full_is_full_of_others() {
    let text = |full: &str, share: &str| {
        format!(
            "$ sar -n DEV 300 1 --iface=ens1
Linux 5.14.0 (border) \t11/30/2026 \t_x86_64_\t(16 CPU)

08:00:01 PM     IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil
08:05:01 PM      ens1  91221.12  81221.10 {full}  11221.10      0.00      0.00      1.00     {share}
Average:         ens1  91321.12  81221.10 {full}  11221.10      0.00      0.00      1.00     {share}

$ iperf3 -c far.example -R -t 3
Connecting to host far.example, port 5201
Reverse mode, remote host far.example is sending
[  5] local 192.0.2.10 port 45678 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-1.00   sec  4.89 MBytes  41.0 Mbits/sec
[  5]   1.00-2.00   sec  4.53 MBytes  38.0 Mbits/sec
[  5]   2.00-3.00   sec  4.65 MBytes  39.0 Mbits/sec
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-3.00   sec  14.1 MBytes  39.4 Mbits/sec    0             sender
[  5]   0.00-3.04   sec  14.1 MBytes  39.3 Mbits/sec                  receiver
"
        )
    };
    let flow = first(&text("121221.10", "99.30"));
    assert_eq!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
    let why = because(&flow);
    let said = "an interface on the path received 993 Mbit/s, 99 % of its rate";
    assert!(why.contains(said), "{why}");
    // One that has room is not what holds it.
    let flow = first(&text("61221.10", "50.15"));
    assert_ne!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
}

/// An uplink that is full of what others send: uploads lose, and downloads, which come in by it, lose nothing.
#[test]
fn a_port_that_drops_is_not_full_of_a_flow_that_comes_in_by_it() {
    let port = |drops: u32| {
        format!(
            "libw-rtr#show interfaces GigabitEthernet0/0/1
GigabitEthernet0/0/1 is up, line protocol is up
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,
     reliability 255/255, txload 249/255, rxload 21/255
  Input queue: 0/375/0/0 (size/max/drops/flushes); Total output drops: {drops}
  30 second input rate 81000000 bits/sec, 12011 packets/sec
  30 second output rate 978120000 bits/sec, 84011 packets/sec
"
        )
    };
    let test = |again: u32| {
        format!(
            "[it@libw-fs ~]$ iperf3 -c 192.0.2.30 -t 10 -i 10 -R
[  5] local 10.60.0.9 port 41420 connected to 192.0.2.30 port 5201
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-10.00  sec  1.09 GBytes   938 Mbits/sec
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.01  sec  1.09 GBytes   939 Mbits/sec    {again}             sender
[  5]   0.00-10.00  sec  1.09 GBytes   938 Mbits/sec                  receiver
"
        )
    };
    let of = |again: u32| {
        let text = port(8_812_311) + &test(again) + &port(8_821_455);
        crate::because(&crate::first(&text))
    };
    let why = of(0);
    assert!(!why.contains("this flow is all of that"), "{why}");
    assert!(!why.contains("this flow has 96 % of that"), "{why}");
    // One that lost segments may be what fills it.
    let why = of(210);
    assert!(why.contains("this flow has 96 % of that"), "{why}");
}

/// 1.18 GB in 10 s are 944 of the 1000 Mbit/s of an interface, on which a test has 20.
#[test]
fn an_interface_that_others_fill_between_two_dates_is_named() {
    let reading = |clock: &str, bytes: u64| {
        format!(
            "root@dl:~# date; ip -s link show eth0
Mon Nov 30 {clock} UTC 2026
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    {bytes} 6123456      0       0       0       0
    TX:  bytes packets errors dropped carrier collsns
    1234567890 1123456      0       0       0       0
"
        )
    };
    let test = "root@dl:~# ethtool eth0 | grep Speed
\tSpeed: 1000Mb/s
root@dl:~# iperf3 -c 198.51.100.9 -R -t 5
Connecting to host 198.51.100.9, port 5201
Reverse mode, remote host 198.51.100.9 is sending
[  5] local 192.0.2.7 port 40112 connected to 198.51.100.9 port 5201
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-5.00   sec  11.9 MBytes  20.0 Mbits/sec                  receiver
";
    let of = |seconds: u32| {
        let both = reading("10:00:00", 8_123_456_789)
            + &reading(&format!("10:00:{seconds}"), 9_303_456_789);
        crate::first(&(both + test))
    };
    let flow = of(10);
    assert_eq!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
    let why = flow.verdict.because.join("\n");
    assert!(
        why.contains("received 944 Mbit/s, 94 % of its 1.00 Gbit/s"),
        "{why}"
    );
    assert!(flow.changes[0].commands[0].contains("iftop -n -i eth0"));
    // As many bytes in a minute fill nothing.
    let why = of(59).verdict.because.join("\n");
    assert!(!why.contains("others fill it"), "{why}");
}

/// The speed of a port of EOS stands in the share that it prints beside a rate, and a line that is filtered has its name from the command.
#[test]
fn a_filtered_port_of_eos_is_full_by_its_own_share() {
    let text = "leaf2#show interfaces Ethernet52 | include rate|drops|errors
  5 minutes input rate 1.21 Gbps (12.3% with framing overhead), 140 kpps
  5 minutes output rate 9.81 Gbps (99.6% with framing overhead), 841 kpps
     0 output errors, 0 collisions
leaf2#show interfaces Ethernet52 counters discards
Port          InDiscards  OutDiscards
Et52                   0     88121003
";
    let flow = first(text);
    assert_eq!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("98 % of its 10.0 Gbit/s"), "{why}");
    let roomy = text.replace("9.81 Gbps (99.6%", "4.81 Gbps (49.5%");
    assert_eq!(first(&roomy).verdict.cause, "unknown");
}

/// A queue of Junos that drops, at a port whose name says its speed, or does not.
#[test]
fn a_full_queue_of_junos_is_what_is_said_first() {
    let text = "noc@mx1> show interfaces queue ge-0/0/3 egress
Physical interface: ge-0/0/3, Enabled, Physical link is Up
Queue: 0, Forwarding classes: best-effort
  Transmitted:
    Packets              :             880110020                 85310 pps
    Bytes                :         1199601201220             971100200 bps
    Tail-dropped packets :               1109991                   810 pps
noc@mx1> show interfaces ge-0/0/3 | match rate
  Input rate     : 81223112 bps (21220 pps)
  Output rate    : 972540200 bps (86210 pps)
";
    let flow = first(text);
    assert_eq!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(
        why.contains("its queue of best-effort has dropped 1109991"),
        "{why}"
    );
    let other = first(&text.replace("ge-0/0/3", "et-0/0/3"));
    let said = &other.verdict.because[0];
    assert!(
        said.starts_with("a queue is full as its text is printed"),
        "{said}"
    );
    assert!(said.contains("drops 810 packets a second"), "{said}");
}
