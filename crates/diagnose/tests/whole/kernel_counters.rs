//! What a host's kernel drops by itself: fragments that it does not put together, and packets that its reverse path filter refuses.

use farpath_diagnose::Known;

use crate::{asked, because, commands, first, of};

/// Datagrams of 8 kB, of which 12 207 were lost, between two readings of the receiver's counters.
fn fragments(failed: u32, timed_out: u32) -> String {
    let counts = |failed: u32, timed_out: u32| {
        format!(
            "rx$ nstat -az IpReasmFails IpReasmTimeout UdpRcvbufErrors | tail -3\nIpReasmFails                    {failed}                 0.0\nIpReasmTimeout                  {timed_out}                  0.0\nUdpRcvbufErrors                 0                  0.0\n"
        )
    };
    format!(
        "{}tx$ iperf3 -c rx -u -b 2G -l 8192 -t 10\nConnecting to host rx, port 5201\n[  5] local 10.4.1.2 port 40441 connected to 10.4.1.7 port 5201\n[ ID] Interval           Transfer     Bitrate         Total Datagrams\n[  5]   0.00-10.00  sec  2.33 GBytes  2.00 Gbits/sec  305176\n- - - - - - - - - - - - - - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-10.00  sec  2.33 GBytes  2.00 Gbits/sec  0.000 ms  0/305176 (0%)  sender\n[  5]   0.00-10.00  sec  2.23 GBytes  1.92 Gbits/sec  0.004 ms  12207/305176 (4%)  receiver\n\niperf Done.\n{}rx$ sysctl net.ipv4.ipfrag_high_thresh\nnet.ipv4.ipfrag_high_thresh = 262144\n",
        counts(12, 2),
        counts(12 + failed, 2 + timed_out)
    )
}

/// The receiving program had 31 %.
#[test]
fn fragments_that_a_receiver_does_not_put_together_are_the_cause() {
    let flow = first(&fragments(12_207, 0));
    assert_eq!(flow.verdict.cause, "reassembly", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("100.0 % of the 12207 that were lost"), "{why}");
    assert!(commands(&flow).contains("ipfrag_high_thresh=4194304"));
    // Those that it waited for in vain were lost before, and counts that stay say nothing.
    for (failed, timed_out) in [(12_207, 12_207), (0, 0)] {
        let flow = first(&fragments(failed, timed_out));
        assert_ne!(flow.verdict.cause, "reassembly", "{:#?}", flow.verdict);
    }
}

/// A server that nobody reaches, and two readings of its counters.
fn filtered(last: u32) -> String {
    let counts = |all: u32, dropped: u32| {
        format!(
            "srv# nstat -az TcpExtIPReversePathFilter IpInReceives | tail -2\nIpInReceives                    {all}            0.0\nTcpExtIPReversePathFilter       {dropped}              0.0\n"
        )
    };
    format!(
        "cli$ ping -c 5 srv.example.net\nPING srv.example.net (192.0.2.66) 56(84) bytes of data.\n\n--- srv.example.net ping statistics ---\n5 packets transmitted, 0 received, 100% packet loss, time 4100ms\n\ncli$ curl -sS -o /dev/null --connect-timeout 8 https://srv.example.net/\ncurl: (28) Connection timed out after 8001 milliseconds\n{}{}srv# sysctl net.ipv4.conf.all.rp_filter\nnet.ipv4.conf.all.rp_filter = 1\n",
        counts(8_812_001, 41_022),
        counts(8_822_110, last)
    )
}

/// It asked for a trace, and left the counter out.
#[test]
fn a_reverse_path_filter_that_drops_is_the_cause() {
    let text = filtered(41_391);
    let d = of(&text, &Known::default());
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "reverse_path", "{:#?}", flow.verdict);
    let why = because(flow);
    assert!(why.contains("dropped 369 packets"), "{why}");
    assert!(why.contains("3.65 % of all that arrived"), "{why}");
    assert_eq!(asked(flow), ["martian_sources"]);
    assert!(commands(flow).contains("rp_filter=2"));
    // A host that nobody asked for anything may be any.
    let d = of(&text.replace("srv# ", "backup7# "), &Known::default());
    let verdict = &d.flows[0].verdict;
    assert_ne!(verdict.cause, "reverse_path", "{verdict:#?}");
    // One that drops nothing is not it.
    let d = of(&filtered(41_022), &Known::default());
    let verdict = &d.flows[0].verdict;
    assert_ne!(verdict.cause, "reverse_path", "{verdict:#?}");
}
