//! Queues of IOS XR, `show policy-map interface ... output`: a class that drops now, while packets wait in it, sends all that it may.

use crate::{because, first};

/// A class of a policy map of this way that sends 1.997 Gbit/s, with so many packets in its queue, and a test that has all of it.
fn ticket(way: &str, waiting: u32, config: &str) -> String {
    format!(
        "RP/0/RSP0/CPU0:pe9#show policy-map interface TenGigE0/0/0/7.310 {way}
Mon Nov 30 03:01:11.112 UTC

TenGigE0/0/0/7.310 {way}: SHAPE-2G

Class class-default
  Classification statistics          (packets/bytes)     (rate - kbps)
    Matched             :            81233123/112312391231         1998123
    Transmitted         :            81212011/112281123121         1997012
    Total Dropped       :               21112/31268110             1111
  Queueing statistics
    Queue ID                             : 196634
    High watermark                       : N/A
    Inst-queue-len  (packets)            : {waiting}
    Avg-queue-len                        : N/A
    Taildropped(packets/bytes)           : 21112/31268110
    Queue(conform)      :            81212011/112281123121         1997012
    Queue(exceed)       :                   0/0                    0
    RED random drops(packets/bytes)      : 0/0

$ iperf3 -c 198.51.100.201 -t 30 -i 10
Connecting to host 198.51.100.201, port 5201
[  5] local 192.0.2.31 port 40122 connected to 198.51.100.201 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-10.00  sec  2.20 GBytes  1.89 Gbits/sec  118   9.41 MBytes
[  5]  10.00-20.00  sec  2.21 GBytes  1.90 Gbits/sec   96   9.72 MBytes
[  5]  20.00-30.00  sec  2.21 GBytes  1.90 Gbits/sec  102   9.55 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-30.00  sec  6.62 GBytes  1.90 Gbits/sec  316             sender
[  5]   0.00-30.05  sec  6.62 GBytes  1.89 Gbits/sec                  receiver

$ ping -c 10 -q 198.51.100.201
10 packets transmitted, 10 received, 0% packet loss, time 9012ms
rtt min/avg/max/mdev = 11.001/11.040/11.102/0.031 ms
{config}"
    )
}

const CONFIG: &str = "RP/0/RSP0/CPU0:pe9#show running-config policy-map SHAPE-2G
policy-map SHAPE-2G
 class class-default
  shape average 2 gbps
 !
 end-policy-map
!
";

#[test]
fn a_class_that_is_shaped_and_drops_now_is_the_shaper() {
    let flow = first(&ticket("output", 6021, CONFIG));
    assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
    let why = because(&flow);
    let queue = "the queue of class class-default of SHAPE-2G at TenGigE0/0/0/7.310 of pe9";
    assert!(why.contains(queue), "{why}");
    assert!(why.contains("its class is held to"), "{why}");
}

/// Nothing states its rate: what holds it is asked for.
#[test]
fn a_class_whose_rate_nothing_states_is_named_all_the_same() {
    let why = because(&first(&ticket("output", 6021, "")));
    assert!(why.contains("while packets wait in it"), "{why}");
    assert!(
        why.contains("all of the 2.00 Gbit/s that it sends"),
        "{why}"
    );
    let why = because(&first(&ticket("output", 0, "")));
    assert!(!why.contains("while packets wait in it"), "{why}");
    assert!(why.contains("dropped 21112 packets"), "{why}");
}

/// What arrives does not wait in the queue of a class.
#[test]
fn a_policy_map_of_what_arrives_has_no_queue() {
    let why = because(&first(&ticket("input", 6021, "")));
    assert!(!why.contains("SHAPE-2G"), "{why}");
}
