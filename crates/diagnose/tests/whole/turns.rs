//! Captures of programs that ask and wait: on new connections, one request at a time, and a few at a time.

use farpath_diagnose::FlowReport;
use farpath_observe::{Connection, RoundTrips};
use farpath_record::trace::{RequestTotals, TraceConnection, TraceDirection, TraceDocument};
use farpath_trace::{Analysis, DirectionFound};
use farpath_units::Duration;

use farpath_diagnose::{Diagnosis, diagnose, read};

use crate::{asked, because, commands, on};

const RTT_NS: u64 = 141_000_000;

/// The diagnosis of captures at the client.
fn of(connections: Vec<TraceConnection>, lasted_ns: u64) -> Diagnosis {
    let found = |d: &TraceDirection| DirectionFound {
        observed: (d.unique_bytes > 0).then(|| {
            Box::new(Connection {
                delivered: d.unique_bytes,
                lasted: Some(Duration::from_ns(lasted_ns)),
                rtt: Some(RoundTrips {
                    min_ns: RTT_NS as f64,
                    avg_ns: RTT_NS as f64,
                    max_ns: RTT_NS as f64,
                    smoothed: false,
                }),
                ..Connection::default()
            })
        }),
        ..DirectionFound::default()
    };
    let analysis = Analysis {
        found: connections
            .iter()
            .map(|c| [found(&c.a2b), found(&c.b2a)])
            .collect(),
        document: TraceDocument {
            connections,
            ..TraceDocument::new()
        },
        paired: Vec::new(),
    };
    let mut facts = read(&[]);
    facts.capture("client.pcapng", &analysis);
    on("50 Mbit/s").tell(&mut facts);
    diagnose(&facts, "0")
}

/// What one end sent in so many segments, which its program had not more of for nearly all the time.
fn sent(bytes: u64, segments: u64, flight: u64, goodput_bps: u64) -> TraceDirection {
    TraceDirection {
        unique_bytes: bytes,
        segments,
        mss: Some(1428),
        goodput_bps,
        flight_max_bytes: flight,
        limit_shares: [("application".to_owned(), 0.98)].into(),
        ..TraceDirection::default()
    }
}

fn connection(id: u64, start_ns: i64, [a2b, b2a]: [TraceDirection; 2]) -> TraceConnection {
    TraceConnection {
        id,
        a: format!("[2001:db8::1]:{}", 51_000 + id),
        b: "[2001:db8::2]:8000".to_owned(),
        vantage: "sender_of_a".to_owned(),
        start_ns,
        duration_ns: 420_000_000,
        handshake_rtt_ns: Some(RTT_NS),
        a2b,
        b2a,
        ..TraceConnection::default()
    }
}

/// Twenty connections, one after the other, with answers of so many bytes that took so many round trips in all.
fn opened(bytes: u64, rounds: u64) -> Diagnosis {
    let each = |n: u64| {
        let segments = bytes.div_ceil(1428);
        let ways = [sent(74, 1, 74, 0), sent(bytes, segments, bytes, 0)];
        connection(n + 1, (n * (rounds + 1) * RTT_NS) as i64, ways)
    };
    of((0..20).map(each).collect(), rounds * RTT_NS)
}

/// It said "no TCP connection in it carried data".
#[test]
fn short_connections_spend_their_time_in_set_up() {
    let d = opened(272, 2);
    assert_eq!(d.flows.len(), 1, "{:#?}", d.flows);
    let flow = &d.flows[0];
    let why = because(flow);
    assert_eq!(flow.verdict.cause, "set_up", "{why}");
    assert!(why.contains("20 connections were opened"), "{why}");
    assert!(why.contains("2.0 round trips of 141 ms"), "{why}");
    assert!(why.contains("of which 1.0 (50 %) set it up"), "{why}");
    assert!(
        commands(flow).contains("keep connections open"),
        "{flow:#?}"
    );
    assert_eq!(flow.changes[0].host, "2001:db8::1");
    assert!(d.notes.is_empty(), "{:?}", d.notes);
}

/// Larger answers were the send buffer's, of which the receiver's capture shows nothing.
#[test]
fn answers_in_slow_start_on_new_connections_are_set_up_and_slow_start() {
    let flow = opened(20_000, 3).flows.remove(0);
    let why = because(&flow);
    assert_eq!(flow.verdict.cause, "set_up", "{why}");
    assert!(why.contains("slow start, which each begins anew"), "{why}");
    let all = commands(&flow);
    assert!(
        !all.contains("tcp_wmem") && all.contains("slow start"),
        "{all}"
    );
}

/// What was carried is not denied where it is too little to judge.
#[test]
fn a_connection_of_one_segment_carried_data() {
    let one = connection(1, 0, [sent(74, 1, 74, 0), sent(272, 1, 272, 0)]);
    let d = of(vec![one], 2 * RTT_NS);
    let notes = d.notes.join("\n");
    assert!(notes.contains("too little to say"), "{notes}");
    assert!(!notes.contains("no TCP connection"), "{notes}");
    let d = of(vec![connection(1, 0, Default::default())], 0);
    assert!(
        d.notes.join("\n").contains("no TCP connection"),
        "{:?}",
        d.notes
    );
}

fn both_ways(ways: [TraceDirection; 2], totals: Option<RequestTotals>) -> Vec<FlowReport> {
    let mut one = connection(1, 0, ways);
    one.request_totals = totals;
    of(vec![one], 5_700_000_000).flows
}

/// It was the program, and `top` and `iostat` were asked for.
#[test]
fn few_requests_at_a_time_wait_for_the_path() {
    let ways = [
        sent(33_600, 400, 840, 42_918),
        sent(121_600, 400, 3040, 156_457),
    ];
    let flows = both_ways(ways, None);
    assert_eq!(flows.len(), 2, "{flows:#?}");
    for flow in flows {
        let (why, all) = (because(&flow), commands(&flow));
        assert_eq!(flow.verdict.cause, "application", "{why}");
        assert!(
            why.contains("at most 10 small requests or answers"),
            "{why}"
        );
        assert!(all.contains("more requests be under way"), "{all}");
        // Whichever end sends, it is the client that asks.
        assert_eq!(flow.changes[0].host, "2001:db8::1");
        assert!(asked(&flow).is_empty(), "{:?}", flow.missing);
    }
}

#[test]
fn requests_one_after_the_other_are_said_to_be() {
    let ways = [sent(1100, 20, 55, 2368), sent(5440, 20, 272, 12_097)];
    let totals = |wire_ns| RequestTotals {
        client_is_a: true,
        requests: 20,
        request_bytes: 1100,
        response_bytes: 5440,
        wire_ns,
        server_thinking_ns: 170_000_000,
        client_thinking_ns: 370_000_000,
        ..RequestTotals::default()
    };
    for flow in both_ways(ways.clone(), Some(totals(2_810_000_000))) {
        let why = because(&flow);
        assert_eq!(flow.verdict.cause, "application", "{why}");
        assert!(
            why.contains("20 requests went one after the other: for 84 %"),
            "{why}"
        );
        assert!(commands(&flow).contains("one at a time"), "{flow:#?}");
    }
    // A server that thinks for most of it is what they wait for, whichever end sends more: it was "ask for larger pieces".
    let slow = RequestTotals {
        server_thinking_ns: 10_000_000_000,
        ..totals(400_000_000)
    };
    for flow in both_ways(ways.clone(), Some(slow)) {
        let (why, all) = (because(&flow), commands(&flow));
        assert_eq!(flow.verdict.cause, "application", "{why}");
        assert!(
            why.contains("the server took 500 ms for each of 20 requests"),
            "{why}"
        );
        assert!(why.contains("for 93 % of the time it had one"), "{why}");
        assert!(
            all.contains("what the server does for") && all.contains("top -H"),
            "{all}"
        );
        assert!(!all.contains("larger pieces"), "{all}");
        assert_eq!(flow.changes[0].host, "2001:db8::2");
    }
    // A client that thinks for most of the time does not wait for the path.
    for flow in both_ways(ways, Some(totals(300_000_000))) {
        let why = because(&flow);
        assert!(!why.contains("one after the other"), "{why}");
    }
}
