//! What was sent again and had arrived, and what the queue of a port dropped.

use farpath_diagnose::{FlowReport, Known};

use crate::{asked, because, commands, first, first_flow, of, of_files, on};

/// Eight seconds of iperf3 that sends so many segments again in each, the first more.
fn log(first: u32, each: u32) -> String {
    let mut text = "$ iperf3 -c 198.51.100.7 -t 8
Connecting to host 198.51.100.7, port 5201
[  5] local 192.0.2.1 port 40002 connected to 198.51.100.7 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
"
    .to_owned();
    for second in 0..8 {
        let again = if second == 0 {
            first
        } else {
            each + 7 * (second % 3)
        };
        text.push_str(&format!(
            "[  5]   {second}.00-{}.00   sec  90.0 MBytes   755 Mbits/sec  {again}   1.60 MBytes\n",
            second + 1
        ));
    }
    let all = first + 7 * each + 49;
    text + &format!(
        "- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-8.00   sec   720 MBytes   755 Mbits/sec  {all}             sender
[  5]   0.00-8.02   sec   718 MBytes   751 Mbits/sec                  receiver
"
    )
}

/// Of 3100 segments that were sent again 3060 had arrived: their receiver says so, and nothing lost them.
#[test]
fn what_had_arrived_was_not_lost() {
    let log = log(500, 365);
    let socket = "
$ ss -tin dst 198.51.100.7
ESTAB 0 2893104 192.0.2.1:40002 198.51.100.7:5201
	 cubic wscale:9,9 rto:220 rtt:15.9/0.9 mss:1448 pmtu:1500 cwnd:1120 ssthresh:1090 bytes_sent:612331120 bytes_retrans:4488800 bytes_acked:603002311 busy:7400ms retrans:0/3100 dsack_dups:3060 reordering:187 reord_seen:3312 minrtt:15.1
";
    let flow = first(&format!("{log}{socket}"));
    assert_eq!(flow.verdict.cause, "reordering", "{:?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    let said = "99 % of what was sent again had arrived already";
    assert!(because.contains(said), "{because}");
    let change = &flow.changes[0];
    assert!(change.commands[0].contains("by flow, not packet by packet"));
    // The same counts of the host, twice; and without them it is something that loses.
    let counters = |again: u32, arrived: u32| {
        format!("\n$ nstat -az\nTcpRetransSegs  {again}  0.0\nTcpExtTCPDSACKRecv  {arrived}  0.0\n")
    };
    let by_host = format!("{}{log}{}", counters(10, 2), counters(3110, 3062));
    let verdict = first(&by_host.replace("$ ", "tx$ ")).verdict;
    assert!(verdict.because.join("\n").contains(said), "{verdict:?}");
    assert_ne!(first(&log).verdict.cause, "reordering");
}

fn port(drops: u32, errors: u32) -> String {
    format!(
        "
leaf1#show interfaces TenGigabitEthernet1/49
TenGigabitEthernet1/49 is up, line protocol is up (connected)
  MTU 9216 bytes, BW 10000000 Kbit/sec, DLY 10 usec,
  Full-duplex, 10Gb/s, link type is auto, media type is 10GBase-LR
  Input queue: 0/2000/0/0 (size/max/drops/flushes); Total output drops: {drops}
     1204350 packets input, 88102233 bytes, 0 no buffer
     {errors} input errors, {errors} CRC, 0 frame, 0 overrun, 0 ignored
"
    )
}

/// As many packets as were sent again lie in one port's counter: that queue dropped them, and no policer did.
#[test]
fn a_port_that_dropped_as_many_is_the_queue() {
    let ping = "\n$ ping -c 4 -q 198.51.100.7\n4 packets transmitted, 4 received, 0% packet loss, time 3005ms\nrtt min/avg/max/mdev = 38.112/38.140/38.181/0.025 ms\n";
    let log = format!("{}{ping}", log(2300, 120));
    let flow = first(&format!("{log}{}", port(3150, 0)));
    assert_eq!(flow.verdict.cause, "shallow_buffer", "{:?}", flow.verdict);
    let said = "the queue of TenGigabitEthernet1/49 of leaf1 dropped 3150 packets; this flow sent 3189 segments again";
    let because = flow.verdict.because.join("\n");
    assert!(because.contains(said), "{because}");
    // One reading may be of any time, and a second one tells.
    assert!(flow.verdict.confidence <= 0.7, "{:?}", flow.verdict);
    assert!(asked(&flow).contains(&"port_drops"), "{:?}", flow.missing);
    // A count of years says nothing of this flow, and is said all the same; so are damaged frames that are too few.
    let flow = first(&format!("{log}{}", port(4_000_000, 3)));
    let because = flow.verdict.because.join("\n");
    assert!(
        because
            .contains("seen besides: at TenGigabitEthernet1/49 of leaf1 3 frames arrived damaged"),
        "{because}"
    );
    assert!(because.contains("dropped 4000000 packets"), "{because}");
}

/// What the kernel of the sender says of its bond.
const BOND: &str = "Ethernet Channel Bonding Driver: v5.15.0-91-generic

Bonding Mode: load balancing (round-robin)
MII Status: up
MII Polling Interval (ms): 100

Slave Interface: eno1
MII Status: up
Speed: 10000 Mbps
Duplex: full

Slave Interface: eno2
MII Status: up
Speed: 10000 Mbps
Duplex: full
";

fn beside_a_bond(bond: &str) -> FlowReport {
    let log = log(500, 365);
    first_flow(of_files(
        &[("log.txt", &log), ("sender.txt", bond)],
        &Known::default(),
    ))
}

/// A bond that takes its links in turn makes segments overtake each other: what is sent again was late, and a hash is the remedy.
#[test]
fn a_bond_that_takes_its_links_in_turn_is_the_cause() {
    let flow = beside_a_bond(BOND);
    assert_eq!(flow.verdict.cause, "reordering", "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    assert!(because.contains("over its links in turn"), "{because}");
    let commands = commands(&flow);
    assert!(
        commands.contains("mode 802.3ad with xmit_hash_policy layer3+4"),
        "{commands}"
    );
    assert!(commands.contains("tcp_reordering=127"), "{commands}");
    // One that hashes does not.
    let hashed =
        "Bonding Mode: IEEE 802.3ad Dynamic link aggregation\nTransmit Hash Policy: layer3+4 (1)";
    let hashed = BOND.replace("Bonding Mode: load balancing (round-robin)", hashed);
    assert_ne!(beside_a_bond(&hashed).verdict.cause, "reordering");
}

/// A link shared packet by packet; the counters of the sender stand below, as they were called and what was sent again by them.
fn shared(call: &str, again: u32) -> String {
    format!(
        "After enabling per-packet load sharing on the two core links throughput collapsed from 930 to 210 Mbit/s.
a$ ping -c 20 b
20 packets transmitted, 20 received, 0% packet loss, time 19022ms
rtt min/avg/max/mdev = 24.011/26.412/29.102/2.301 ms
a$ iperf3 -c b -t 10
[  5] local 10.0.0.1 port 40001 connected to 10.0.9.1 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  25.0 MBytes   210 Mbits/sec  812    612 KBytes
[  5]   1.00-2.00   sec  26.2 MBytes   220 Mbits/sec  911    540 KBytes
[  5]   2.00-3.00   sec  23.8 MBytes   199 Mbits/sec  780    588 KBytes
[  5]   3.00-4.00   sec  25.0 MBytes   210 Mbits/sec  830    611 KBytes
[  5]   4.00-5.00   sec  25.0 MBytes   210 Mbits/sec  799    570 KBytes
[  5]   5.00-6.00   sec  26.2 MBytes   220 Mbits/sec  870    601 KBytes
[  5]   6.00-7.00   sec  25.0 MBytes   210 Mbits/sec  802    577 KBytes
[  5]   7.00-8.00   sec  23.8 MBytes   199 Mbits/sec  844    592 KBytes
[  5]   8.00-9.00   sec  25.0 MBytes   210 Mbits/sec  815    610 KBytes
[  5]   9.00-10.00  sec  25.0 MBytes   210 Mbits/sec  820    560 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-10.00  sec   250 MBytes   210 Mbits/sec 8283             sender
[  5]   0.00-10.03  sec   249 MBytes   208 Mbits/sec                  receiver
a$ {call} TcpRetransSegs TcpExtTCPSACKReorder TcpExtTCPDSACKRecv
#kernel
TcpRetransSegs                  {again}               0.0
TcpExtTCPSACKReorder            5120               0.0
TcpExtTCPDSACKRecv              8190               0.0
"
    )
}

/// Counters that were read once are of the test where they count as much sent again as it does, or where the call before them is typed there.
#[test]
fn counters_of_the_test_alone_say_what_had_arrived() {
    let line = on("1Gbit/s");
    for (call, again) in [("nstat", 8283), ("nstat -n; sleep 11; nstat", 9100)] {
        let flow = first_flow(of(&shared(call, again), &line));
        assert_eq!(
            flow.verdict.cause, "reordering",
            "{call}: {:?}",
            flow.verdict
        );
        assert!(flow.verdict.confidence > 0.9, "{call}: {:?}", flow.verdict);
        let said = because(&flow);
        let arrived = "% of what was sent again had arrived already, as duplicate SACKs say";
        assert!(said.contains(arrived), "{call}: {said}");
        assert!(
            said.contains("5120 segments arrived out of order"),
            "{said}"
        );
    }
    // What a host counted since it was started is of other times.
    let flow = first_flow(of(&shared("nstat", 812_331), &line));
    assert_ne!(flow.verdict.cause, "reordering", "{:?}", flow.verdict);
}
