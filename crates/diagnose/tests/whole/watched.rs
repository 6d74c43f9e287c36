//! Two readings of a socket with a time between them.

use farpath_diagnose::Known;

use crate::{because, of};

/// A reading of a sender that its program keeps waiting: bytes that were acknowledged, and the time in which it had some to send, ms.
fn reading(prompt: &str, acked: u64, busy: u64) -> String {
    format!(
        "$ {prompt}ss -tinm dst 10.30.0.7\nState Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB 0      0      10.20.0.7:38810    10.30.0.7:3306\n\t skmem:(r0,rb131072,t0,tb2626560,f0,w0,o0,bl0,d0) cubic wscale:7,7 rto:232 rtt:30.2/0.1 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:812 bytes_sent:{acked} bytes_acked:{acked} segs_out:630112 segs_in:320112 data_segs_out:630110 send 311Mbps lastsnd:8 lastrcv:91000 lastack:4 pacing_rate 622Mbps delivery_rate 240Mbps delivered:630111 app_limited busy:{busy}ms rcv_space:14480 rcv_ssthresh:64088 minrtt:30.0 snd_wnd:3145728\n"
    )
}

/// 100 MB in 10 s are 80 Mbit/s, though it went three times as fast for the 3.4 s in which it had something to send.
#[test]
fn what_a_socket_carried_is_over_all_the_time() {
    let first = reading("", 912_345_679, 31_200);
    let text = first.clone() + &reading("sleep 10; ", 1_012_345_679, 34_600);
    let flow = of(&text, &Known::default()).flows.remove(0);
    let bps = flow.observed.goodput_bps.expect("it was watched");
    assert!((bps / 80e6 - 1.0).abs() < 0.001, "{bps}");
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
    let texts = because(&flow);
    assert!(
        texts.contains("for 3.4 s of that, and went at 235 Mbit/s"),
        "{texts}"
    );
    // Alone it is of the time in which it was busy.
    let flow = of(&first, &Known::default()).flows.remove(0);
    let bps = flow.observed.goodput_bps.expect("a rate");
    assert!((bps / 233.9e6 - 1.0).abs() < 0.01, "{bps}");
}

/// The same by what `date` printed above each.
#[test]
fn two_dates_say_how_long_it_was_watched() {
    let dated = |clock: &str, acked, busy| {
        format!(
            "$ date\nMon Nov 30 {clock} UTC 2026\n{}",
            reading("", acked, busy)
        )
    };
    let of_clock = |clock: &str| {
        let first = dated("10:00:00", 912_345_679, 31_200);
        let text = first + &dated(clock, 1_012_345_679, 34_600);
        let flow = of(&text, &Known::default()).flows.remove(0);
        flow.observed.goodput_bps.expect("a rate")
    };
    let bps = of_clock("10:00:10");
    assert!((bps / 80e6 - 1.0).abs() < 0.001, "{bps}");
    // Whole seconds say little of two.
    let bps = of_clock("10:00:02");
    assert!(bps > 200e6, "{bps}");
}
