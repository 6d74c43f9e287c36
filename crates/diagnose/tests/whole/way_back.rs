//! Captures of a transfer whose acknowledgements find the way back full, and of some that do not.

use farpath_diagnose::{Diagnosis, Known, diagnose, read};
use farpath_observe::{Connection, RoundTrips};
use farpath_record::trace::{TraceConnection, TraceDirection, TraceDocument};
use farpath_trace::{Acks, Analysis, DirectionFound};
use farpath_units::Duration;

use crate::{asked, because, commands, first_flow, on};

/// Ten seconds in 50 bins, whose data is at one to eight parts of what makes this rate, or all at it.
fn acks(bps: u64, varies: bool, count: impl Fn(u64) -> u64) -> Acks {
    let bytes = |n: u64| match varies {
        true => bps / 8 / 5 * 2 * (1 + n % 8) / 9,
        false => bps / 8 / 5,
    };
    Acks {
        from_ns: 0,
        width_ns: 200_000_000,
        bins: (0..50)
            .map(|n| (count(bytes(n)) as u32, bytes(n)))
            .collect(),
    }
}

/// A capture at an end of an upload from a to b.
fn capture(vantage: &str, bps: u64, rtt_ms: [f64; 2], acks: Acks) -> Analysis {
    let bytes = bps / 8 * 10;
    let a2b = TraceDirection {
        unique_bytes: bytes,
        segments: bytes / 1448,
        mss: Some(1448),
        goodput_bps: bps,
        flight_max_bytes: 800_000,
        limit_shares: [("send_buffer".to_owned(), 0.66)].into(),
        ..TraceDirection::default()
    };
    let connection = TraceConnection {
        id: 1,
        a: "198.18.0.1:40000".to_owned(),
        b: "198.18.0.2:5201".to_owned(),
        vantage: vantage.to_owned(),
        duration_ns: 10_000_000_000,
        handshake_rtt_ns: Some((rtt_ms[0] * 1e6) as u64),
        a2b,
        ..TraceConnection::default()
    };
    let seen = Connection {
        delivered: bytes,
        lasted: Some(Duration::from_ns(10_000_000_000)),
        rtt: Some(RoundTrips {
            min_ns: rtt_ms[0] * 1e6,
            avg_ns: rtt_ms[1] * 1e6,
            max_ns: rtt_ms[1] * 1.5e6,
            smoothed: false,
        }),
        ..Connection::default()
    };
    let found = DirectionFound {
        observed: Some(Box::new(seen)),
        acks,
        ..DirectionFound::default()
    };
    Analysis {
        document: TraceDocument {
            connections: vec![connection],
            ..TraceDocument::new()
        },
        found: vec![[found, DirectionFound::default()]],
        paired: Vec::new(),
    }
}

fn of(captures: &[Analysis]) -> Diagnosis {
    known(captures, &on("100 Mbit/s"))
}

fn known(captures: &[Analysis], known: &Known) -> Diagnosis {
    let mut facts = read(&[]);
    for (n, analysis) in captures.iter().enumerate() {
        facts.capture(&format!("{n}.pcapng"), analysis);
    }
    known.tell(&mut facts);
    diagnose(&facts, "0")
}

/// Nobody said how fast the line is: a tenth of the time had twice the mean rate, so that it had room for more.
#[test]
fn a_way_back_that_loses_needs_no_known_line() {
    let every_second = |bytes: u64| bytes / 2896;
    let both = |bps, varies| {
        let sent = acks(bps, varies, every_second);
        let came = acks(bps, varies, |_| 56);
        [
            capture("sender_of_a", bps, [60.0, 130.0], came),
            capture("sender_of_b", bps, [60.0, 60.1], sent),
        ]
    };
    let flow = first_flow(known(&both(45_000_000, true), &Known::default()));
    assert_eq!(flow.verdict.cause, "way_back", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence <= 0.8, "{:#?}", flow.verdict);
    let what = commands(&flow);
    assert!(
        what.contains("class of its own") && !what.contains("root fq"),
        "{what}"
    );
    // At one rate all the time the line may be full, and a modem thins acknowledgements.
    let flow = first_flow(known(&both(45_000_000, false), &Known::default()));
    assert_ne!(flow.verdict.cause, "way_back", "{:#?}", flow.verdict);
}

/// A way back of 200 kbit/s has room for 278 frames of 90 bytes a second, 56 in a bin; the receiver acknowledges every second segment.
#[test]
fn acknowledgements_that_one_end_sent_and_the_other_never_got_are_the_way_back() {
    let every_second = |bytes: u64| bytes / 2896;
    let sent = capture(
        "sender_of_b",
        45_000_000,
        [60.0, 60.1],
        acks(45_000_000, true, every_second),
    );
    let came = || {
        capture(
            "sender_of_a",
            45_000_000,
            [60.0, 130.0],
            acks(45_000_000, true, |_| 56),
        )
    };
    let flow = first_flow(of(&[came(), sent]));
    assert_eq!(flow.verdict.cause, "way_back", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence > 0.9, "{:#?}", flow.verdict);
    let why = because(&flow);
    for part in [
        "left the receiver 2800 came",
        "280 a second",
        "70.0 ms above",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
    let what = commands(&flow);
    assert!(
        what.contains("class of its own") && !what.contains("wmem"),
        "{what}"
    );
    // The sender's alone makes it likely, and asks for the other.
    let flow = first_flow(of(&[came()]));
    assert_eq!(flow.verdict.cause, "way_back", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence <= 0.6, "{:#?}", flow.verdict);
    assert!(asked(&flow).contains(&"acks_sent"), "{:?}", flow.missing);
}

#[test]
fn healthy_acknowledgements_are_not_blamed() {
    let joined = |bytes: u64| bytes / 14_480;
    let second = |bytes: u64| bytes / 2896;
    // As many came as were sent: joined by a receiver with GRO, or of every second segment, under a queue of the data's own way.
    for each in [joined as fn(u64) -> u64, second] {
        let all = |vantage, rtt| capture(vantage, 45_000_000, rtt, acks(45_000_000, true, each));
        for captures in [
            vec![all("sender_of_a", [60.0, 130.0])],
            vec![
                all("sender_of_a", [60.0, 130.0]),
                all("sender_of_b", [60.0, 60.1]),
            ],
        ] {
            let flow = first_flow(of(&captures));
            assert_ne!(flow.verdict.cause, "way_back", "{:#?}", flow.verdict);
        }
    }
    // A modem thins them while the line of the data is full: its own queue has the round trip grow.
    let full = 93_500_000;
    let thinned = capture(
        "sender_of_a",
        full,
        [60.0, 130.0],
        acks(full, false, |_| 300),
    );
    let sent = capture("sender_of_b", full, [60.0, 60.1], acks(full, false, second));
    let flow = first_flow(of(&[thinned, sent]));
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
}
