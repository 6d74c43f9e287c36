//! Small writes that wait for acknowledgements, as one reading of a socket shows them.

use crate::{because, commands, first};

/// A sender's socket of which so many bytes wait, after so many segments of 612312 bytes in all.
fn text(waits: u32, segments: u32) -> String {
    format!(
        "$ ss -tino dst 192.0.2.9
State Recv-Q Send-Q Local Address:Port Peer Address:Port
ESTAB 0      612    192.0.2.1:51222     192.0.2.9:61616 timer:(on,180ms,0)
\t cubic wscale:7,7 rto:204 rtt:21.2/19.8 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:10 bytes_sent:612312 bytes_acked:611700 bytes_received:12412 segs_out:2012 segs_in:1010 data_segs_out:{segments} data_segs_in:1000 send 5.46Mbps lastsnd:12 lastrcv:52 lastack:12 pacing_rate 10.9Mbps delivery_rate 11.5Mbps delivered:2000 app_limited busy:41020ms unacked:1 rcv_space:14480 rcv_ssthresh:64088 minrtt:1.01 notsent:{waits} snd_wnd:65536
$ ping -c 10 -q 192.0.2.9
--- 192.0.2.9 ping statistics ---
10 packets transmitted, 10 received, 0% packet loss, time 9012ms
rtt min/avg/max/mdev = 0.981/1.020/1.110/0.031 ms
"
    )
}

/// Header and body of each request in a write of its own, over 0.19 ms: 41 ms of each are the acknowledgement of the header.
#[test]
fn two_writes_for_each_answer_wait_for_a_delayed_acknowledgement() {
    let text = |rtt: &str| {
        format!(
            "cl$ ss -tino dst 10.1.1.2
State Recv-Q Send-Q Local Address:Port Peer Address:Port
ESTAB 0      20     10.1.1.1:40122     10.1.1.2:7000  timer:(on,228ms,0)
\t cubic wscale:7,7 rto:240 rtt:{rtt} ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:10 bytes_sent:43884 bytes_acked:43865 bytes_received:34132 segs_out:2440 segs_in:2440 data_segs_out:2438 data_segs_in:1219 send 5.62Mbps lastsnd:4 lastrcv:44 lastack:4 pacing_rate 11.2Mbps delivery_rate 61Mbps delivered:2438 app_limited busy:50112ms unacked:1 rcv_space:14480 rcv_ssthresh:64088 minrtt:0.16 snd_wnd:65152
cl$ ping -c 5 -q 10.1.1.2
5 packets transmitted, 5 received, 0% packet loss, time 4092ms
rtt min/avg/max/mdev = 0.171/0.190/0.210/0.013 ms
"
        )
    };
    let flow = first(&text("20.6/20.4"));
    assert_eq!(flow.verdict.cause, "small_writes", "{:#?}", flow.verdict);
    let because = because(&flow);
    let says = "2.0 small segments of 18 bytes go for each answer";
    assert!(because.contains(says), "{because}");
    assert!(!because.contains("a queue filled"), "{because}");
    assert!(commands(&flow).contains("TCP_NODELAY"));
    let rate = flow.observed.goodput_bps.expect("it carried some bytes");
    assert!((6e3..8e3).contains(&rate), "{rate}");
    // Where both writes wait as long the second did not wait for the first.
    let other = first(&text("40.9/1.2"));
    assert_ne!(other.verdict.cause, "small_writes", "{:#?}", other.verdict);
}

/// 306 bytes wait while one segment of ten that the window allows is sent: no queue made the round trip 21 ms long.
#[test]
fn a_rest_that_waits_beside_an_open_window_is_a_small_write() {
    let flow = first(&text(306, 2000));
    assert_eq!(flow.verdict.cause, "small_writes", "{:#?}", flow.verdict);
    assert!(
        because(&flow).contains("306 bytes wait in the sender's socket"),
        "{:#?}",
        flow.verdict
    );
    assert!(commands(&flow).contains("TCP_NODELAY"));
    // Nothing waits and they do not come in pairs, or segments are full: that rule held nothing back.
    for other in [text(0, 2600), text(306, 430)] {
        let flow = first(&other);
        assert_ne!(flow.verdict.cause, "small_writes", "{:#?}", flow.verdict);
    }
}
