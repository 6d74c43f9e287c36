//! Holes that pings prove beside a sender that hangs, and path MTUs that are found.

use farpath_diagnose::Known;

use crate::{first, of};

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
}
