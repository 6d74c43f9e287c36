//! Every throughput figure of the five documents that farpath grew from, given as a ticket: it ends in the cause that
//! its document states, or in "unknown" (or a guess below 0.9) with the question that would decide.
//!
//! Sources: E. Martelli, "Snaky CCC tunnel", CERN, 2004 (CERN); "A short introduction to High-Speed Wide-Area-Networking"
//! (WAN); S. Alessandrini, "LBE performance on a STM-16 link", INFN, 2002 (INFN); R. L. Cottrell, "New Route from SLAC to
//! BINP", SLAC, 2005 (SLAC); B. Tierney et al., "Experiences with TCP on a Routed IP over OC-12 ATM WAN", LBNL (LBNL).

use farpath_diagnose::Known;

use crate::of;

/// What a document prints, and what it says of it.
struct Stated {
    what: &'static str,
    measured: &'static str,
    rtt: &'static str,
    /// Rate of the line for IP packets, MTU, loss ratio, congestion control, window; empty if it is not printed.
    line: &'static str,
    mtu: u64,
    loss: &'static str,
    cc: &'static str,
    window: &'static str,
    ends: Ends,
}

enum Ends {
    /// The document states one of these.
    In(&'static [&'static str]),
    /// It does not, and this fact is asked for.
    Asks(&'static str),
}

use Ends::{Asks, In};

#[rustfmt::skip]
const STATED: &[Stated] = &[
    // "TCP was stable at 990Mbps", workstations with 1 Gbit/s Ethernet, RTT 581 ms, window 64 MBytes (doubled by Linux).
    Stated { what: "CERN stable", measured: "990 Mbit/s", rtt: "581 ms", line: "1 Gbit/s", mtu: 9000, loss: "", cc: "", window: "", ends: In(&["link"]) },
    // "0.0-300.7 sec 34624 MBytes 966 Mbits/sec".
    Stated { what: "CERN log", measured: "966 Mbit/s", rtt: "581 ms", line: "1 Gbit/s", mtu: 9000, loss: "", cc: "", window: "", ends: In(&["link"]) },
    // "Geneva Chicago: C = 1Gbit/s, RTT = 120ms … On average 75% bandwidth utilisation": "packet loss occurs, when throughput approaches pipe size".
    Stated { what: "WAN 75 %", measured: "750 Mbit/s", rtt: "120 ms", line: "1 Gbit/s", mtu: 1500, loss: "", cc: "reno", window: "", ends: Asks("tcp_info") },
    // "~5.6 Gb/s to Chicago", "~6.6 Gb/s to California … shared link", "~7.4 Gb/s … only for 2-4min": no cause is stated.
    Stated { what: "WAN Chicago", measured: "5.65 Gbit/s", rtt: "120 ms", line: "10 Gbit/s", mtu: 9000, loss: "", cc: "", window: "", ends: Asks("tcp_info") },
    Stated { what: "WAN California", measured: "6.57 Gbit/s", rtt: "180 ms", line: "10 Gbit/s", mtu: 9000, loss: "", cc: "", window: "", ends: Asks("tcp_info") },
    Stated { what: "WAN short", measured: "7.4 Gbit/s", rtt: "180 ms", line: "10 Gbit/s", mtu: 9000, loss: "", cc: "", window: "", ends: Asks("tcp_info") },
    // "UDP: Maximum TX/RX rate = 956 / 540 Mbps, TCP: Maximum rate = 560 Mbps": presumed "at the end-nodes", not measured.
    Stated { what: "INFN UDP sent", measured: "956 Mbit/s", rtt: "4.55 ms", line: "1 Gbit/s", mtu: 1500, loss: "", cc: "", window: "", ends: In(&["link"]) },
    Stated { what: "INFN UDP received", measured: "540 Mbit/s", rtt: "4.55 ms", line: "1 Gbit/s", mtu: 1500, loss: "", cc: "", window: "", ends: Asks("tcp_info") },
    Stated { what: "INFN TCP", measured: "560 Mbit/s", rtt: "4.55 ms", line: "1 Gbit/s", mtu: 1500, loss: "", cc: "", window: "", ends: Asks("tcp_info") },
    // "TCP LBE max possible rate is around 850 Kbps": in the class of 1 %; "requires further investigations".
    Stated { what: "INFN LBE TCP", measured: "850 kbit/s", rtt: "4.55 ms", line: "1 Gbit/s", mtu: 1500, loss: "", cc: "", window: "", ends: Asks("tcp_info") },
    // "an achievable throughput of only about 470 kbits/s", "472 Kbits/sec"; sysctls of 16384 (the whole ticket is in slac.rs).
    Stated { what: "SLAC iperf", measured: "470 kbit/s", rtt: "275 ms", line: "", mtu: 1500, loss: "", cc: "", window: "16 KiB", ends: In(&["receive_window"]) },
    // "about 7Mbits/s … the window size is 222KBytes … about right for an RTT of about 250msecs".
    Stated { what: "SLAC thrulay", measured: "7 Mbit/s", rtt: "250 ms", line: "", mtu: 1500, loss: "", cc: "", window: "222 kB", ends: In(&["receive_window"]) },
    // "up to 6 Mbits/s", in December, when the round trip was 300 ms.
    Stated { what: "SLAC December", measured: "6 Mbit/s", rtt: "300 ms", line: "", mtu: 1500, loss: "", cc: "", window: "222 kB", ends: In(&["receive_window"]) },
    // "dropping to << 1 Mbits/s", diurnal, as the pings are: other traffic, which one figure does not show.
    Stated { what: "SLAC by day", measured: "500 kbit/s", rtt: "300 ms", line: "80 Mbit/s", mtu: 1500, loss: "", cc: "", window: "222 kB", ends: Asks("tcp_info") },
    // "80 using iperf parallel TCP streams … around 20-25Mbits/s": no cause is stated.
    Stated { what: "SLAC 80 streams", measured: "22 Mbit/s", rtt: "275 ms", line: "80 Mbit/s", mtu: 1500, loss: "", cc: "", window: "", ends: Asks("tcp_info") },
    // "Local LBL loop through GSR 400 to 513": "same speed as host to host without the switch or router".
    Stated { what: "LBNL loop", measured: "513 Mbit/s", rtt: "0.5 ms", line: "542 Mbit/s", mtu: 9180, loss: "", cc: "", window: "", ends: In(&["link", "unknown"]) },
    // "LBNL to ANL 150 to 300 (no SACK), 300 to 480 (with SACK)": "variance due to cell loss". 10⁻⁷ of cells is 2·10⁻⁵ of frames,
    // at which the law of Reno, which repairs each loss in a round trip, leaves 450: without SACK a counter has to say more.
    Stated { what: "LBNL no SACK", measured: "220 Mbit/s", rtt: "45 ms", line: "542 Mbit/s", mtu: 9180, loss: "1.92e-5", cc: "reno", window: "", ends: Asks("tcp_info") },
    Stated { what: "LBNL SACK", measured: "390 Mbit/s", rtt: "45 ms", line: "542 Mbit/s", mtu: 9180, loss: "1.92e-5", cc: "reno", window: "", ends: In(&["random_loss"]) },
    // "ANL to LBNL 346, LBNL to ANL 352": "very hard to determine source of these errors".
    Stated { what: "LBNL current", measured: "346 Mbit/s", rtt: "45 ms", line: "542 Mbit/s", mtu: 9180, loss: "", cc: "reno", window: "4 MiB", ends: Asks("retransmits") },
    // "After fixing this bug: achieved 572 Mbps (ATM rate)": of cells, whose payload is 518.
    Stated { what: "LBNL contract", measured: "513 Mbit/s", rtt: "45 ms", line: "518 Mbit/s", mtu: 9180, loss: "", cc: "", window: "", ends: In(&["link"]) },
];

#[test]
fn every_figure_ends_in_its_cause_or_in_the_right_question() {
    let mut wrong = Vec::new();
    for s in STATED {
        let read = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let known = Known {
            measured: s.measured.parse().ok(),
            rtt: s.rtt.parse().ok(),
            line: read(s.line).and_then(|t| t.parse().ok()),
            mtu: Some(farpath_units::Size::from_bytes(s.mtu)),
            loss: read(s.loss).and_then(|t| t.parse().ok()),
            cc: read(s.cc),
            window: read(s.window).and_then(|t| t.parse().ok()),
            ..Known::default()
        };
        let flow = &of("", &known).flows[0];
        let (cause, sure) = (flow.verdict.cause, flow.verdict.confidence);
        let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
        let right = match s.ends {
            In(causes) => causes.contains(&cause) && (cause == "unknown" || sure >= 0.5),
            Asks(fact) => asked.contains(&fact) && sure < 0.9,
        };
        if !right {
            wrong.push(format!(
                "{}: {cause} {sure}, second {:?}, asks {asked:?}",
                s.what, flow.verdict.second
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Without a line rate and without a target nothing can be called in order.
#[test]
fn without_a_line_rate_nothing_is_called_right() {
    for measured in [
        "94 Mbit/s",
        "941 Mbit/s",
        "9.4 Gbit/s",
        "33 Mbit/s",
        "100 Gbit/s",
    ] {
        let known = Known {
            measured: measured.parse().ok(),
            rtt: "10 ms".parse().ok(),
            ..Known::default()
        };
        let d = of("", &known);
        let verdict = &d.flows[0].verdict;
        assert!(
            verdict.cause != "none" && !(verdict.cause == "link" && verdict.confidence >= 0.6),
            "{measured}: {verdict:?}"
        );
        assert!(
            d.flows[0].missing.iter().any(|m| m.fact == "line_bps"),
            "{measured}: {:?}",
            d.flows[0].missing
        );
    }
}

#[test]
fn a_full_line_is_said_to_be_one_and_a_target_that_is_met_is_nothing() {
    let known = |target: &str| Known {
        measured: "941 Mbit/s".parse().ok(),
        rtt: "10 ms".parse().ok(),
        line: "1 Gbit/s".parse().ok(),
        target: target.parse().ok(),
        ..Known::default()
    };
    let d = of("", &known(""));
    assert_eq!(d.flows[0].verdict.cause, "link");
    assert!(d.ticket.contains("This is the line"), "{}", d.ticket);
    assert_eq!(of("", &known("900 Mbit/s")).flows[0].verdict.cause, "none");
}
