//! Marks of ECN that a socket counts.

use farpath_diagnose::Known;

use crate::{asked_with, because, commands, first_flow, of};

/// A socket of the sender of which so many segments arrived marked.
fn socket(marked: &str) -> String {
    format!(
        "$ ss -tinmo\nESTAB 0 91224 192.0.2.1:40000 198.51.100.2:5201\n\t skmem:(r0,rb131072,t0,tb2626560,f2936,w95368,o0,bl0,d0) ts sack ecn ecnseen cubic wscale:7,7 rto:244 rtt:41.2/1.1 mss:1448 pmtu:1500 cwnd:52 ssthresh:50 bytes_sent:17600000 bytes_acked:17500000 segs_out:12160 data_segs_out:12155 send 14600000bps pacing_rate 17.5Mbps delivery_rate 14.1Mbps delivered:12090{marked} busy:10000ms unacked:50 notsent:18000 minrtt:40.0 snd_wnd:4194304\n"
    )
}

/// Nothing was sent again, and a queue marked 86 of 12 090 segments.
#[test]
fn a_sender_that_a_queue_slows_by_marks_is_said_to_be() {
    let log = crate::alike::log(40000, &[(14.1, 0); 10], 73.0);
    let of = |marked: &str| first_flow(of(&(log.clone() + &socket(marked)), &Known::default()));
    let flow = of(" delivered_ce:86");
    assert_eq!(flow.verdict.cause, "ecn_marks", "{:#?}", flow.verdict);
    let why = because(&flow);
    let said = "86 of 12090 segments that arrived were marked, 0.71 %, and 0 were sent again";
    assert!(why.contains(said), "{why}");
    // Nothing was to be changed, and nothing was asked for.
    let queues = asked_with(&flow, "marking_queue").expect("it is asked for");
    assert!(queues.contains("tc -s qdisc show"), "{queues}");
    let all = commands(&flow);
    for says in ["a higher threshold there", "sysctl -w net.ipv4.tcp_ecn=0"] {
        assert!(all.contains(says), "{says}: {all}");
    }
    let undo = flow.changes[0].undo.join("\n");
    assert!(undo.contains("net.ipv4.tcp_ecn=VALUE"), "{undo}");
    let flow = of("");
    assert_eq!(asked_with(&flow, "marking_queue"), None);
    assert_ne!(flow.verdict.cause, "ecn_marks", "{:#?}", flow.verdict);
}
