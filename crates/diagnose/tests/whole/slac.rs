//! SLAC's ticket of 2005: what its authors never said.

use farpath_diagnose::Known;

use crate::of;

const TICKET: &str = include_str!("../data/slac.txt");

fn without(words: &[&str]) -> String {
    let keep = |l: &&str| !words.iter().any(|w| l.contains(w));
    TICKET
        .lines()
        .filter(keep)
        .map(|l| format!("{l}\n"))
        .collect()
}

#[test]
fn the_receivers_16_kib_are_the_cause() {
    let d = of(TICKET, &Known::default());
    let [flow] = &d.flows[..] else {
        panic!("{:?}", d.flows)
    };
    assert_eq!(flow.name, "134.79.240.36 > 193.124.167.29");
    assert_eq!(flow.observed.goodput_bps, Some(472e3));
    assert_eq!(flow.observed.source.as_deref(), Some("ticket.txt:25"));
    assert_eq!(flow.verdict.cause, "receive_window");
    assert!(flow.verdict.confidence >= 0.9, "{:?}", flow.verdict);
    let window = flow
        .ceilings
        .iter()
        .find(|c| c.cause == "receive_window")
        .expect("a window");
    // 16384 · 8 / 0.275 s, and at 300 and 250 ms; what ping rounds is 0.02 % of them.
    assert!((window.limit_bps - 476_625.0).abs() < 10.0, "{window:?}");
    assert!(
        (window.low_bps / 436_907.0 - 1.0).abs() < 3e-4,
        "{window:?}"
    );
    assert!(
        (window.high_bps / 524_288.0 - 1.0).abs() < 3e-4,
        "{window:?}"
    );
    assert!(
        window.formula.contains("16384 B") && window.from.contains(&"ticket.txt:34".to_owned()),
        "{window:?}"
    );
    let because = flow.verdict.because.join("\n");
    assert!(
        because.contains("its own socket buffer filling"),
        "{because}"
    );
    assert_eq!(flow.changes[0].host, "193.124.167.29");
    assert_eq!(flow.changes[0].os, "openbsd");
    assert!(d.ticket.contains("the receive"), "{}", d.ticket);
    assert!(d.contradictions.is_empty(), "{:?}", d.contradictions);
    // The user's name is in no part of it.
    let json = serde_json::to_string(&d).expect("plain values");
    assert!(!json.contains("guest"), "{json}");
}

#[test]
fn without_the_settings_it_is_still_the_window_and_they_are_asked_for() {
    let d = of(&without(&["net.inet"]), &Known::default());
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "receive_window", "{:?}", flow.verdict);
    let asked = &flow.missing[0];
    assert_eq!(asked.fact, "receive_window_bytes", "{:?}", flow.missing);
    assert!(
        asked.command.contains("net.inet.tcp.recvspace"),
        "{asked:?}"
    );
}

#[test]
fn without_the_ping_the_ping_is_asked_for() {
    let d = of(
        &without(&["rtt min", "packets transmitted"]),
        &Known::default(),
    );
    let flow = &d.flows[0];
    assert_eq!(flow.missing[0].fact, "rtt", "{:?}", flow.missing);
    assert!(
        flow.missing[0].command.starts_with("ping "),
        "{:?}",
        flow.missing
    );
    // Nothing about windows can be computed without a round trip.
    assert!(flow.ceilings.iter().all(|c| c.cause != "receive_window"));
}

#[test]
fn the_window_of_thrulay_is_7_mbit() {
    // "the window size … is 222KBytes, a maximum throughput of about 7Mbits/s": stated there.
    let known = Known {
        measured: "7 Mbit/s".parse().ok(),
        rtt: "250 ms".parse().ok(),
        window: "222 kB".parse().ok(),
        ..Known::default()
    };
    let flow = &of("", &known).flows[0];
    assert_eq!(flow.verdict.cause, "receive_window");
    assert!(flow.verdict.confidence >= 0.9, "{:?}", flow.verdict);
}
