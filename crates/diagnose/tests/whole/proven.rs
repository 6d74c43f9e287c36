//! Holes that pings prove beside a sender that hangs, and path MTUs that are found.

use farpath_diagnose::Known;

use crate::{because, first, of, on};

/// A sender whose last answer came 41 s ago; its delivery rate is of before.
const HANGS: &str = "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\nESTAB 0 44888 10.7.0.9:40122 10.8.0.30:22 timer:(on,11sec,6)\n\t cubic wscale:7,7 rto:14080 backoff:6 rtt:22.1/1.9 mss:1448 pmtu:1500 rcvmss:1100 advmss:1448 cwnd:1 ssthresh:7 bytes_sent:25000 bytes_retrans:10136 bytes_acked:3900 bytes_received:4100 segs_out:35 segs_in:22 data_segs_out:27 data_segs_in:14 lastsnd:3100 lastrcv:41020 lastack:41020 pacing_rate 5.1Mbps delivery_rate 1.9Mbps delivered:14 busy:41200ms unacked:8 retrans:1/7 lost:8 notsent:30408 minrtt:21.9\n";

fn ping(data: u32, answered: bool) -> String {
    let times = match answered {
        true => "rtt min/avg/max/mdev = 21.9/22.1/22.4/0.2 ms\n",
        false => "",
    };
    let (received, lost) = if answered { (4, 0) } else { (0, 100) };
    format!(
        "PING 10.8.0.30 (10.8.0.30) {data}({}) bytes of data.\n\n--- 10.8.0.30 ping statistics ---\n4 packets transmitted, {received} received, {lost}% packet loss, time 3055ms\n{times}\n",
        data + 28
    )
}

#[test]
fn pings_beside_a_sender_that_hangs_prove_the_hole() {
    let pings = ping(56, true) + &ping(1472, false) + &ping(1374, true);
    let flow = first(&(pings + HANGS));
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.99, "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    for words in ["pings of 1500 bytes are all lost", "acknowledged for 41 s"] {
        assert!(because.contains(words), "{words}: {because}");
    }
    // Nothing is asked but how large packets may be, and where.
    let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert!(asked.iter().all(|f| f.starts_with("mtu_")), "{asked:?}");
    assert!(flow.missing.iter().all(|m| !m.command.contains("iperf3")));
}

#[test]
fn an_old_rate_of_a_stalled_socket_is_not_what_was_measured() {
    let flow = first(&(ping(56, true) + HANGS));
    assert_eq!(flow.observed.goodput_bps, None);
    assert_eq!(flow.observed.stalled_ns, Some(41.02e9));
    assert!(flow.ceilings.iter().all(|c| c.cause != "random_loss"));
    let ticket = of(&(ping(56, true) + HANGS), &Known::default()).ticket;
    assert!(ticket.contains("stalled for 41.0 s"), "{ticket}");
    // One that moves has its last delivery.
    let moves = HANGS.replace("backoff:6 ", "").replace("lost:8 ", "");
    let rate = first(&moves).observed.goodput_bps;
    assert_eq!(rate, Some(1.9e6));
}

#[test]
fn a_path_mtu_that_a_trace_finds_works_in_its_direction() {
    let trace = "eva@pc:~$ tracepath -n 10.8.0.30\n 1?: [LOCALHOST]                      pmtu 1500\n 1:  10.7.0.1                                              0.512ms pmtu 1402\n 2:  172.30.0.2                                           21.900ms \n 3:  10.8.0.30                                            22.000ms reached\n     Resume: pmtu 1402 hops 3 back 3 \n";
    let flow = first(trace);
    let because = flow.verdict.because.join("\n");
    for words in [
        "path MTU is 1402 bytes",
        "discovery works in this direction",
    ] {
        assert!(because.contains(words), "{words}: {because}");
    }
    assert_eq!(
        flow.missing[0].fact, "mtu_back_bytes",
        "{:#?}",
        flow.missing
    );
    let local = "PING 10.8.0.30 (10.8.0.30) 1472(1500) bytes of data.\nping: local error: message too long, mtu=1402\n\n--- 10.8.0.30 ping statistics ---\n2 packets transmitted, 0 received, +2 errors, 100% packet loss, time 1018ms\n";
    let because = first(local).verdict.because.join("\n");
    assert!(
        because.contains("1402 bytes: the host that sent the pings knows it"),
        "{because}"
    );
    let router = local.replace(
        "ping: local error: message too long, mtu=1402",
        "From 10.8.9.1 icmp_seq=1 Frag needed and DF set (mtu = 1402)",
    );
    let because = first(&router).verdict.because.join("\n");
    let says = "1402 bytes at most: a router on the way reports it";
    assert!(because.contains(says), "{because}");
}

/// A test through a tunnel, and pings that were too large for it and were refused by their own host: the size it names is the path's.
#[test]
fn the_mtu_that_a_host_knows_is_used_beside_a_test() {
    let pings = "h$ ping -M do -s 1372 -c 3 10.66.0.10\nPING 10.66.0.10 (10.66.0.10) 1372(1400) bytes of data.\n\n--- 10.66.0.10 ping statistics ---\n3 packets transmitted, 3 received, 0% packet loss, time 2003ms\nrtt min/avg/max/mdev = 24.012/24.104/24.210/0.081 ms\nh$ ping -M do -s 1472 -c 3 10.66.0.10\nPING 10.66.0.10 (10.66.0.10) 1472(1500) bytes of data.\nping: local error: message too long, mtu=1400\nping: local error: message too long, mtu=1400\nping: local error: message too long, mtu=1400\n\n--- 10.66.0.10 ping statistics ---\n3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 2046ms\n\n";
    let mut log = "h$ iperf3 -c 10.66.0.10 -t 6\nConnecting to host 10.66.0.10, port 5201\n[  5] local 10.66.1.5 port 47312 connected to 10.66.0.10 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    for n in 0..6 {
        log += &format!(
            "[  5]   {n}.00-{}.00   sec  11.0 MBytes  92.5 Mbits/sec    0   610 KBytes\n",
            n + 1
        );
    }
    log += "- - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-6.00   sec  66.2 MBytes  92.5 Mbits/sec    0             sender\n[  5]   0.00-6.04   sec  66.1 MBytes  91.8 Mbits/sec                  receiver\n\niperf Done.\n";
    let d = of(&format!("{pings}{log}"), &on("100 Mbit/s"));
    let flow = &d.flows[0];
    assert_ne!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
    let why = because(flow);
    let says = "the path MTU is 1400 bytes, and the host of the pings knows it";
    assert!(why.contains(says), "{why}");
    // 1348 of the 1438 bytes of a frame.
    let line = flow.ceilings.iter().find(|c| c.cause == "link");
    let formula = &line.expect("its rate is known").formula;
    assert!(formula.contains("0.937 of payload"), "{formula}");
    assert!(!formula.contains("assumed"), "{formula}");
}

/// Windows and macOS name no size: what was refused with a word was not lost all the same.
#[test]
fn pings_that_were_refused_with_a_word_are_not_lost() {
    let windows = |says: &str| {
        format!(
            "C:\\> ping -f -n 2 -l 1472 192.0.2.9\n\nPinging 192.0.2.9 with 1472 bytes of data:\n{says}\n{says}\n\nPing statistics for 192.0.2.9:\n    Packets: Sent = 2, Received = 0, Lost = 2 (100% loss),\n\nC:\\> ping -f -n 2 -l 1372 192.0.2.9\n\nPinging 192.0.2.9 with 1372 bytes of data:\nReply from 192.0.2.9: bytes=1372 time=24ms TTL=61\nReply from 192.0.2.9: bytes=1372 time=24ms TTL=61\n\nPing statistics for 192.0.2.9:\n    Packets: Sent = 2, Received = 2, Lost = 0 (0% loss),\nApproximate round trip times in milli-seconds:\n    Minimum = 24ms, Maximum = 24ms, Average = 24ms\n"
        )
    };
    let mac = "mac$ ping -D -c 2 -s 1472 192.0.2.9\nPING 192.0.2.9 (192.0.2.9): 1472 data bytes\nping: sendto: Message too long\nping: sendto: Message too long\nRequest timeout for icmp_seq 0\n\n--- 192.0.2.9 ping statistics ---\n2 packets transmitted, 0 packets received, 100.0% packet loss\nmac$ ping -D -c 2 -s 1372 192.0.2.9\nPING 192.0.2.9 (192.0.2.9): 1372 data bytes\n1380 bytes from 192.0.2.9: icmp_seq=0 ttl=61 time=24.1 ms\n1380 bytes from 192.0.2.9: icmp_seq=1 ttl=61 time=24.0 ms\n\n--- 192.0.2.9 ping statistics ---\n2 packets transmitted, 2 packets received, 0.0% packet loss\nround-trip min/avg/max/stddev = 24.000/24.050/24.100/0.050 ms\n".to_owned();
    let texts = [
        windows("Packet needs to be fragmented but DF set."),
        windows("Reply from 192.0.2.1: Packet needs to be fragmented but DF set."),
        mac,
    ];
    for text in texts {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "unknown", "{text} {:#?}", flow.verdict);
        let why = because(&flow);
        let says = "pings of 1500 bytes were refused with a word";
        assert!(why.contains(says), "{text} {why}");
    }
}
