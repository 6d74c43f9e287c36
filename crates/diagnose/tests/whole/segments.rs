//! The size of segments: it counts in the share that was lost as in the law.

use farpath_diagnose::{Diagnosis, Known};

use crate::of;

/// Four connections side by side, 30 GB in all, of which 1200 segments were sent again.
const LOG: &str = "Connecting to host 203.0.113.8, port 5201
[  5] local 192.0.2.8 port 40110 connected to 203.0.113.8 port 5201
[  7] local 192.0.2.8 port 40112 connected to 203.0.113.8 port 5201
[  9] local 192.0.2.8 port 40114 connected to 203.0.113.8 port 5201
[ 11] local 192.0.2.8 port 40116 connected to 203.0.113.8 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[SUM]   0.00-20.00  sec  27.9 GBytes  12.0 Gbits/sec  1200             sender
[SUM]   0.00-20.04  sec  27.9 GBytes  12.0 Gbits/sec                  receiver
5 packets transmitted, 5 received, 0% packet loss, time 4098ms
rtt min/avg/max/mdev = 30.089/30.101/30.112/0.008 ms
";

fn law(d: &Diagnosis) -> &str {
    let mut all = d.flows[0].ceilings.iter();
    let own = all.find(|c| c.cause == "random_loss");
    &own.expect("losses were counted").formula
}

#[test]
fn a_stated_mtu_counts_the_segments_too() {
    let with = |mtu: Option<&str>| {
        let known = Known {
            mtu: mtu.and_then(|m| m.parse().ok()),
            cc: Some("cubic".to_owned()),
            ..Known::default()
        };
        of(LOG, &known)
    };
    // 29.957 GB in 20.69 million segments of 1448 bytes, or in 3.348 million of 8948.
    let usual = with(None);
    assert!(
        law(&usual).starts_with("4 · cubic at a loss of 5.80e-5"),
        "{}",
        law(&usual)
    );
    let large = with(Some("9000B"));
    assert!(
        law(&large).starts_with("4 · cubic at a loss of 3.58e-4"),
        "{}",
        law(&large)
    );
    assert!(law(&large).ends_with("MSS 8948 bytes"), "{}", law(&large));
}

/// `-V` says the size of segments before the first connection stands there.
#[test]
fn the_size_that_iperf3_says_first_counts() {
    let head = "port 5201\n      Cookie: abcdefghij\n      TCP MSS: 8948 (default)\n";
    let log = LOG.replacen("port 5201\n", head, 1);
    let known = Known {
        cc: Some("cubic".to_owned()),
        ..Known::default()
    };
    let d = of(&log, &known);
    assert!(
        law(&d).starts_with("4 · cubic at a loss of 3.58e-4"),
        "{}",
        law(&d)
    );
    assert!(law(&d).ends_with("MSS 8948 bytes"), "{}", law(&d));
    let asked = d.flows[0].missing.iter().any(|m| m.fact == "mtu_bytes");
    assert!(!asked, "{:#?}", d.flows[0].missing);
}
