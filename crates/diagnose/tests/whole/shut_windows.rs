//! A window that its receiver keeps shut: nothing moves, and no buffer is to be changed.

use farpath_diagnose::Known;

use crate::{asked, because, commands, first, first_flow, of_files};

/// A sender's socket with so much behind its ends, its timer doubled so often, and its last data so many ms ago.
fn reading(timer: &str, backoff: &str, pause_ms: u32) -> String {
    format!(
        "app4$ ss -tinmo dst 10.2.2.2\nState Recv-Q Send-Q   Local Address:Port  Peer Address:Port\nESTAB 0      2612440  10.2.2.9:40122      10.2.2.2:3100  {timer}\n\t skmem:(r0,rb131072,t0,tb2626560,f1024,w2680320,o0,bl0,d0) cubic wscale:7,7 rto:201 {backoff}rtt:0.41/0.12 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:44 bytes_sent:91203344 bytes_acked:91203345 bytes_received:812 lastsnd:{pause_ms} lastack:1204 delivery_rate 912Mbps busy:81203ms rwnd_limited:80120ms(98.7%) notsent:2612440 minrtt:0.18\n"
    )
}

/// The last of two readings has its timer doubled eight times.
fn stalled(unanswered: u32) -> String {
    let timer = |left: &str| format!("timer:(persist,{left},{unanswered})");
    reading(&timer("5.2sec"), "backoff:5 ", 8120) + &reading(&timer("44sec"), "backoff:8 ", 38_120)
}

#[test]
fn a_window_that_stays_shut_is_its_program_and_no_buffer() {
    let flow = first(&stalled(0));
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "client", "{verdict:#?}");
    assert!((0.8..0.9).contains(&verdict.confidence), "{verdict:#?}");
    assert_eq!(flow.observed.goodput_bps, None);
    assert_eq!(flow.observed.stalled_ns, Some(38_120_000_000.0));
    let because = because(&flow);
    assert!(
        because.contains("the receiver's window is shut"),
        "{because}"
    );
    assert!(
        !commands(&flow).contains("sysctl -w"),
        "{:#?}",
        flow.changes
    );
    assert_eq!(asked(&flow), ["receive_queue_bytes"]);
}

#[test]
fn what_the_receiver_has_not_read_settles_it() {
    let receiver = "loki$ ss -tnm src 10.2.2.2\nState  Recv-Q  Send-Q  Local Address:Port   Peer Address:Port\nESTAB  6291456 0           10.2.2.2:3100       10.2.2.9:40122\n\t skmem:(r6291456,rb6291456,t0,tb87040,f0,w0,o0,bl0,d0)\n";
    let sender = stalled(0);
    let files = [("app4.txt", sender.as_str()), ("loki.txt", receiver)];
    let flow = first_flow(of_files(&files, &Known::default()));
    assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence > 0.9, "{:#?}", flow.verdict);
    assert!(flow.missing.is_empty(), "{:#?}", flow.missing);
}

/// Where nobody answers the probes, the host or the path may be down. A window that has opened since is not shut.
#[test]
fn probes_without_an_answer_and_windows_that_open_say_less() {
    let deaf = first(&stalled(5));
    assert!(deaf.verdict.confidence <= 0.5, "{:#?}", deaf.verdict);
    let says = "5 probes in a row were not answered";
    assert!(because(&deaf).contains(says), "{}", because(&deaf));
    for last in [
        reading("", "", 4),
        reading("timer:(persist,200ms,0)", "backoff:1 ", 210),
    ] {
        let flow = first(&(stalled(0) + &last));
        assert!(!because(&flow).contains("is shut"), "{}", because(&flow));
        assert!(flow.observed.goodput_bps.is_some());
    }
}
