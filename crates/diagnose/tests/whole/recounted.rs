//! Segments sent again that one source counts and another does not.

use farpath_diagnose::Known;

use crate::{first, of};

/// A test of ten seconds that sent so many segments again in each half, and its socket with this word of them.
fn ticket(again: [u32; 2], sent: u64, word: &str) -> String {
    format!(
        "$ iperf3 -c 203.0.113.20 -t 10
Connecting to host 203.0.113.20, port 5201
[  5] local 198.51.100.10 port 41822 connected to 203.0.113.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec   655 MBytes  1.10 Gbits/sec  {}   6.91 MBytes
[  5]   5.00-10.00  sec   655 MBytes  1.10 Gbits/sec  {}   6.91 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  1.28 GBytes  1.10 Gbits/sec  {}             sender
[  5]   0.00-10.09  sec  1.27 GBytes  1.08 Gbits/sec                  receiver
$ ping -c 20 203.0.113.20
PING 203.0.113.20 (203.0.113.20) 56(84) bytes of data.
--- 203.0.113.20 ping statistics ---
20 packets transmitted, 20 received, 0% packet loss, time 19026ms
rtt min/avg/max/mdev = 50.011/50.064/50.213/0.048 ms
$ ss -tim dst 203.0.113.20
ESTAB 0      22151168 198.51.100.10:41822 203.0.113.20:5201
\t cubic wscale:14,14 rto:289 rtt:50.1/0.4 mss:1448 pmtu:1500 cwnd:6000 bytes_sent:{sent} bytes_acked:{} {word}data_segs_out:828727 send 1.16Gbps busy:9900ms rwnd_limited:9000ms(90.9%) unacked:4866 minrtt:50.01 snd_wnd:7050000
",
        again[0],
        again[1],
        again[0] + again[1],
        sent - 7_000_000
    )
}

#[test]
fn what_a_test_counts_is_not_denied_by_a_socket_that_prints_none() {
    let text = ticket([6120, 4280], 1_330_000_000, "");
    let d = of(&text, &Known::default());
    let flow = &d.flows[0];
    let why = flow.verdict.because.join("\n");
    assert!(!why.contains("no segment was sent again"), "{why}");
    let but: Vec<&str> = d.contradictions.iter().map(|c| c.text.as_str()).collect();
    let said = "198.51.100.10 > 203.0.113.20: iperf3 counts 10400 segments sent again, and ss none of 1.3 GB that the socket had sent: the former is taken; ss is of another connection, or of a time before";
    assert!(but.contains(&said), "{but:#?}");
    assert!(
        d.ticket.contains("Contradiction: 198.51.100.10"),
        "{}",
        d.ticket
    );
    let from = &d
        .contradictions
        .iter()
        .find(|c| c.text == said)
        .expect("it is there")
        .from;
    assert!(
        from.iter().any(|at| at.starts_with("ticket.txt:")),
        "{from:?}"
    );
}

/// A socket of another connection between the same hosts, or of a time before the first loss, contradicts nothing; nor one that agrees.
#[test]
fn a_socket_read_before_the_first_loss_contradicts_nothing() {
    for text in [
        ticket([0, 10400], 400_000_000, ""),
        ticket(
            [6120, 4280],
            1_330_000_000,
            "bytes_retrans:14480000 retrans:0/10000 ",
        ),
        ticket([0, 0], 1_330_000_000, ""),
    ] {
        let d = of(&text, &Known::default());
        assert!(
            !d.contradictions
                .iter()
                .any(|c| c.text.contains("sent again")),
            "{:#?}",
            d.contradictions
        );
    }
    let early = first(&ticket([0, 10400], 400_000_000, ""));
    let why = early.verdict.because.join("\n");
    assert!(!why.contains("no segment was sent again"), "{why}");
    let none = first(&ticket([0, 0], 1_330_000_000, ""));
    let why = none.verdict.because.join("\n");
    assert!(why.contains("no segment was sent again"), "{why}");
}
