//! Flows that are not TCP, beside what is known of how they were made, and beside tshark.

use farpath_mutate::{Corpus, run as mutate};
use farpath_record::trace::TraceFlow;
use farpath_trace::{Filter, Source, TraceDocument, analyse, analyse_some};

use crate::changed::{from_hex, to_hex};
use crate::datagrams::*;
use crate::oracles::tshark;
use crate::runs::read;
use crate::shapes::{connection, ethernet, pcap, v4};

fn document(all: Vec<Packet>) -> TraceDocument {
    read(&capture(all)).document
}

fn only(document: &TraceDocument) -> &TraceFlow {
    assert_eq!(document.flows.len(), 1, "{:?}", document.flows);
    &document.flows[0]
}

/// A hundred datagrams a second apart by 10 ms, of which some are lost, late, or double.
fn stream(payload: impl Fn(u64, u64) -> Vec<u8>, ports: (u16, u16)) -> Vec<Packet> {
    let mut all = Vec::new();
    for n in 1..=100u64 {
        let sent = n * 10 * MS;
        // 20 to 22 are lost, 40 comes after 41, 60 comes twice.
        let (late, times) = match n {
            20..=22 => (0, 0),
            40 => (12 * MS, 1),
            60 => (0, 2),
            _ => (0, 1),
        };
        for copy in 0..times {
            let frame = udp(true, ports, &payload(n, sent));
            all.push((START + sent + late + copy * MS, frame, 0));
        }
    }
    all
}

#[test]
fn numbers_of_iperf_say_what_is_lost_late_and_double() {
    for (kind, of) in [
        ("iperf3", iperf3 as fn(u32, u64) -> Vec<u8>),
        ("iperf2", |n, sent| iperf2(n as i32, sent)),
    ] {
        let found = document(stream(|n, sent| of(n as u32, sent), (40_000, 5201)));
        let flow = only(&found);
        assert_eq!(flow.application.as_deref(), Some(kind));
        let stream = &flow.a2b.streams[0];
        assert_eq!((stream.lost, stream.loss_events), (3, 1), "{stream:?}");
        assert_eq!((stream.reordered, stream.duplicates), (1, 1), "{stream:?}");
        assert_eq!(stream.loss_ratio, Some(0.03));
        assert_eq!((flow.a2b.packets, stream.packets), (98, 98));
        // 40 was 12 ms late, 60 came again a millisecond later: nothing else differed.
        assert_eq!(stream.delay_spread_ns, Some(12 * MS));
        assert!(stream.jitter_max_ns < Some(2 * MS), "{stream:?}");
    }
}

#[test]
fn the_rate_of_a_flow_is_payload_over_time() {
    let all = (0..101u64).map(|n| (START + n * MS, udp(true, (9, 10), &[0; 1000]), 0));
    let found = document(all.collect());
    let flow = only(&found);
    assert_eq!((flow.a2b.rate_bps, flow.a2b.bytes), (8_000_000, 101_000));
    assert_eq!(
        (flow.a.as_str(), flow.b.as_str()),
        ("10.0.0.1:9", "10.0.0.2:10")
    );
    assert_eq!(
        (flow.application.as_ref(), flow.a2b.streams.len()),
        (None, 0)
    );
    assert_eq!(found.others["udp"], 101);
}

#[test]
fn payload_without_numbers_has_no_stream() {
    // Bytes of a counter in no form: a congruential sequence (Knuth, volume 2, 3.3.4).
    let mut state = 1u64;
    let all = (0..200u64).map(|n| {
        let mut payload = Vec::new();
        for _ in 0..100 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            payload.push((state >> 33) as u8);
        }
        (START + n * MS, udp(true, (9, 10), &payload), 0)
    });
    let found = document(all.collect());
    assert!(only(&found).a2b.streams.is_empty());
}

#[test]
fn rtp_is_believed_where_several_packets_agree() {
    let mut all = Vec::new();
    for n in 0..200u32 {
        // Of 90 kHz by their type's lack of a clock, 3000 ticks each 33⅓ ms; every 50th is lost.
        if n % 50 != 49 {
            let frame = udp(
                true,
                (4000, 4002),
                &rtp(96, 65_500u32.wrapping_add(n) as u16, n * 3000, 7),
            );
            all.push((START + u64::from(n) * 100 * MS / 3, frame, 0));
        }
    }
    let found = document(all);
    let flow = only(&found);
    assert_eq!(flow.application.as_deref(), Some("rtp"));
    let s = &flow.a2b.streams[0];
    assert_eq!(
        (s.ssrc, s.payload_type, s.clock_hz),
        (Some(7), Some(96), Some(90_000))
    );
    // The last one lost has nothing behind it.
    assert_eq!((s.lost, s.first_number), (3, 65_500), "{s:?}");
    assert!(s.jitter_ns < Some(1000), "{s:?}");
    let two = document(
        (0..2)
            .map(|n| (START + n, udp(true, (1, 2), &rtp(0, n as u16, 0, 7)), 0))
            .collect(),
    );
    assert!(only(&two).a2b.streams.is_empty());
}

#[test]
fn echoes_are_paired_and_losses_counted_as_tshark_does() {
    let mut all = Vec::new();
    for n in 1..=20u16 {
        let at = START + u64::from(n) * 1000 * MS;
        all.push((at, echo(true, 77, n), 0));
        if n % 5 != 0 {
            all.push((at + (30 + u64::from(n)) * MS, echo(false, 77, n), 0));
        }
        if n == 3 {
            all.push((at + 50 * MS, echo(false, 77, n), 0));
        }
    }
    let file = capture(all);
    let found = read(&file).document;
    let flow = only(&found);
    let echo = flow.echo.as_ref().expect("an echo");
    // The capture ends with the last request: it may be answered yet.
    assert_eq!(
        (echo.requests, echo.replies, echo.lost, echo.duplicates),
        (20, 16, 3, 1)
    );
    assert_eq!(
        (echo.rtt_min_ns, echo.rtt_max_ns),
        (Some(31 * MS), Some(49 * MS))
    );
    let theirs = tshark(&file, "icmp.resptime", "icmp.resptime");
    let theirs: Vec<f64> = theirs.iter().map(|t| t.parse().expect("ms")).collect();
    let sum: f64 = theirs.iter().sum();
    let mean = echo.rtt_avg_ns.expect("samples") as f64 / 1e6;
    assert_eq!(theirs.len(), 16);
    assert!((sum / 16.0 - mean).abs() < 1e-3, "{sum} {mean}");
    assert_eq!((flow.a.as_str(), flow.b.as_str()), ("10.0.0.1", "10.0.0.2"));
}

#[test]
fn a_request_is_lost_once_the_longest_round_trip_has_passed() {
    let lost = |after_ms: u64, answered: bool| {
        let mut all = vec![(START, echo(true, 77, 1), 0)];
        if answered {
            all.push((START + 50 * MS, echo(false, 77, 1), 0));
        }
        all.push((START + 1000 * MS, echo(true, 77, 2), 0));
        all.push((
            START + (1000 + after_ms) * MS,
            udp(true, (9, 10), &[0; 8]),
            0,
        ));
        let found = document(all);
        let echo = found.flows.iter().find_map(|f| f.echo.as_ref());
        echo.expect("an echo").lost
    };
    assert_eq!([lost(0, true), lost(50, true), lost(51, true)], [0, 0, 1]);
    // Without a round trip nothing says how long one is.
    assert_eq!(lost(0, false), 2);
}

#[test]
fn queries_have_answers_codes_and_names_as_tshark_has_them() {
    let mut all = Vec::new();
    for n in 0..30u16 {
        let at = START + u64::from(n) * 100 * MS;
        let ports = (50_000 + n, 53);
        let name = format!("host{n}.example.org");
        all.push((at, udp(true, ports, &dns(n, &name, None)), 0));
        if n == 7 {
            // Sent again after a second, and answered then.
            all.push((at + 1000 * MS, udp(true, ports, &dns(n, &name, None)), 0));
            all.push((
                at + 1010 * MS,
                udp(false, ports, &dns(n, &name, Some((0, &[[192, 0, 2, 7]])))),
                0,
            ));
        } else if n % 10 != 9 {
            let code = if n % 10 == 8 { 3 } else { 0 };
            let addresses = [[192, 0, 2, n as u8]];
            let addresses = if code == 0 { &addresses[..] } else { &[] };
            let took = u64::from(n + 1) * MS;
            all.push((
                at + took,
                udp(false, ports, &dns(n, &name, Some((code, addresses)))),
                0,
            ));
        }
    }
    let file = capture(all);
    let found = read(&file).document;
    let flow = only(&found);
    assert_eq!(
        (flow.a.as_str(), flow.b.as_str()),
        ("10.0.0.1", "10.0.0.2:53")
    );
    let dns = flow.dns.as_ref().expect("DNS");
    assert_eq!(
        (dns.queries, dns.repeated, dns.answered, dns.unanswered),
        (30, 1, 27, 3)
    );
    assert_eq!((dns.rcodes["NOERROR"], dns.rcodes["NXDOMAIN"]), (24, 3));
    assert_eq!(
        (dns.answer_min_ns, dns.answer_max_ns),
        (Some(MS), Some(1010 * MS))
    );
    assert_eq!(dns.slowest[0].name, "host9.example.org");
    assert_eq!(dns.slowest[0].answer_ns, None);
    assert_eq!(dns.slowest[3].name, "host7.example.org");
    let theirs = tshark(&file, "dns.time", "dns.time");
    let theirs: Vec<f64> = theirs.iter().map(|t| t.parse().expect("s")).collect();
    assert_eq!(theirs.len() as u64, dns.answered);
    let sum: f64 = theirs.iter().sum();
    let mean = dns.answer_avg_ns.expect("samples") as f64 / 1e9;
    assert!((sum / 27.0 - mean).abs() < 1e-6, "{sum} {mean}");
}

/// Nobody answers within two seconds, and the client asks anew from another port.
#[test]
fn a_query_from_another_port_is_a_repetition_by_its_number_and_question() {
    let ask = |ms: u64, port: u16, id: u16, name: &str| {
        let query = dns(id, name, None);
        (START + ms * MS, udp(true, (port, 53), &query), 0)
    };
    let answer = |ms: u64, port: u16, id: u16, name: &str| {
        let answer = dns(id, name, Some((0, &[[192, 0, 2, 7]])));
        (START + ms * MS, udp(false, (port, 53), &answer), 0)
    };
    let found = document(vec![
        ask(0, 5000, 1, "a.example.org"),
        ask(2000, 5001, 1, "a.example.org"),
        answer(2010, 5001, 1, "a.example.org"),
        // Late, of what has its answer.
        answer(2500, 5000, 1, "a.example.org"),
        // Queries of their own: another number, another name, and more than ten seconds later.
        ask(3000, 5002, 2, "a.example.org"),
        ask(4000, 5003, 2, "b.example.org"),
        ask(13_001, 5004, 2, "a.example.org"),
    ]);
    let dns = only(&found).dns.as_ref().expect("DNS");
    assert_eq!(
        (dns.queries, dns.repeated, dns.answered, dns.unanswered),
        (4, 1, 1, 3)
    );
    // Since it was sent first.
    assert_eq!(dns.answer_min_ns, Some(2010 * MS));
}

#[test]
fn a_request_that_is_sent_again_from_another_port_is_a_retry_where_any_is_answered() {
    let ask =
        |ms: u64, port: u16, payload: &[u8]| (START + ms * MS, udp(true, (port, 161), payload), 0);
    let answer = |ms: u64, port: u16| (START + ms * MS, udp(false, (port, 161), b"here"), 0);
    let retries = |all: Vec<Packet>| -> Vec<Option<u64>> {
        let found = document(all);
        for flow in &found.flows {
            let is_said = flow.notes.iter().any(|note| note.contains("flow 1"));
            assert_eq!(is_said, flow.retry_of.is_some(), "{flow:?}");
        }
        found.flows.iter().map(|flow| flow.retry_of).collect()
    };
    let asked = [
        ask(0, 5000, b"who is it"),
        ask(1000, 5001, b"who is it"),
        ask(3000, 5002, b"who is it"),
    ];
    let with = |answers: &[Packet]| [&asked[..], answers].concat();
    assert_eq!(
        retries(with(&[])),
        [None::<u64>; 3],
        "reports want no answer"
    );
    let last = retries(with(&[answer(3010, 5002)]));
    assert_eq!(last, [None, Some(1), Some(1)]);
    let each = retries(with(&[answer(10, 5000), answer(1010, 5001)]));
    assert_eq!(each, [None::<u64>; 3], "each time it was answered");
    let others = vec![
        ask(0, 5000, b"who is it"),
        ask(1000, 5001, b"who is he"),
        answer(1010, 5001),
    ];
    assert_eq!(retries(others), [None::<u64>; 2]);
}

/// A QUIC connection over 40 ms, 60 of them with a spin bit; captured at the client.
fn quic(spins: impl Fn(u64) -> bool) -> Vec<Packet> {
    let ports = (50_000, 443);
    let (first, client, server) = ([1; 8], [2; 4], [3; 8]);
    let mut all = vec![(
        START,
        udp(true, ports, &quic_long(0, &first, &client, 1170)),
        0,
    )];
    let mut flight = quic_long(0, &client, &server, 100);
    flight.extend(quic_long(2, &client, &server, 900));
    all.push((START + 43 * MS, udp(false, ports, &flight), 0));
    let mut finished = quic_long(2, &server, &client, 60);
    finished.extend(quic_short(false, 40));
    all.push((START + 44 * MS, udp(true, ports, &finished), 0));
    for n in 0..600u64 {
        // A packet each 4 ms: the client turns the bit when the server's comes back, 40 ms later.
        let at = START + 60 * MS + n * 4 * MS;
        all.push((at, udp(true, ports, &quic_short(spins(n), 30)), 0));
        if n >= 10 {
            all.push((
                at + MS,
                udp(false, ports, &quic_short(spins(n - 10), 900)),
                0,
            ));
        }
    }
    all
}

#[test]
fn quic_shows_its_handshake_and_its_spin_bit() {
    let found = document(quic(|n| n / 10 % 2 == 1));
    let flow = only(&found);
    let quic = flow.quic.as_ref().expect("QUIC");
    assert_eq!(flow.application.as_deref(), Some("quic"));
    assert_eq!(
        (quic.version.as_str(), quic.client_id.as_str()),
        ("v1", "02020202")
    );
    assert_eq!(quic.server_id, "03".repeat(8));
    assert_eq!(
        (quic.handshake_ns, quic.client_handshake_ns),
        (Some(43 * MS), Some(44 * MS))
    );
    assert_eq!((quic.packets["initial"], quic.packets["handshake"]), (2, 2));
    assert_eq!(quic.spin, "spins");
    assert_eq!(
        (quic.rtt_min_ns, quic.rtt_max_ns),
        (Some(40 * MS), Some(40 * MS))
    );
    assert!(quic.rtt_samples > 50);
}

#[test]
fn a_spin_bit_that_means_nothing_is_not_read() {
    let fixed = document(quic(|_| false));
    let of = |d: &TraceDocument| only(d).quic.clone().expect("QUIC");
    assert_eq!(
        (of(&fixed).spin.as_str(), of(&fixed).rtt_samples),
        ("fixed", 0)
    );
    // The finaliser of MurmurHash3: as good as random.
    let bit = |n: u64| {
        let mixed = (n ^ n >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        (mixed ^ mixed >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53) >> 63 == 1
    };
    let random = document(quic(bit));
    assert_eq!(
        (of(&random).spin.as_str(), of(&random).rtt_samples),
        ("random", 0)
    );
}

#[test]
fn errors_name_the_flow_that_they_quote() {
    let mut all: Vec<Packet> = connection(5)
        .into_iter()
        .map(|(at, tcp)| (at, ethernet(&v4(&tcp)), 0))
        .collect();
    let quoted = v4(&connection(1)[3].1);
    for n in 0..3 {
        let head = [3, 4, 0, 0, 0, 0, 0x05, 0x78];
        all.push((START + n, icmp(ROUTER, CLIENT, head, &quoted[..28]), 0));
    }
    // As traceroute has it, with labels (RFC 4950): 128 bytes of quotation, then the stack 16 and 17.
    let probe = udp(true, (33_000, 33_434), &[0; 100]);
    let mut body = probe[14..].to_vec();
    body.resize(128, 0);
    body.extend([0x20, 0, 0, 0, 0, 12, 1, 1, 0, 1, 0, 1, 0, 1, 0x11, 1]);
    all.push((START + 5, probe.clone(), 0));
    all.push((
        START + 6,
        icmp(ROUTER, CLIENT, [11, 0, 0, 0, 0, 32, 0, 0], &body),
        0,
    ));
    let found = document(all);
    let [needed, exceeded] = &found.icmp_errors[..] else {
        panic!("{:?}", found.icmp_errors);
    };
    assert_eq!(
        (needed.kind.as_str(), needed.mtu, needed.count),
        ("fragmentation_needed", Some(1400), 3)
    );
    assert_eq!(
        (needed.connection, needed.from.as_str()),
        (Some(1), "10.0.0.254")
    );
    assert_eq!(
        (needed.flow_from.as_str(), needed.flow_to.as_str()),
        ("10.0.0.1:40000", "10.0.0.2:5001")
    );
    assert_eq!(
        (exceeded.kind.as_str(), exceeded.flow),
        ("time_exceeded", Some(1))
    );
    assert_eq!(exceeded.labels, [16, 17]);
    let notes = &found.connections[0].notes;
    assert!(notes.iter().any(|n| n.contains("MTU 1400 B")), "{notes:?}");
}

#[test]
fn more_flows_than_fit_are_counted() {
    let all = (0..60_000u32).map(|n| {
        let mut frame = udp(true, (1, 2), &[0; 8]);
        frame[26..30].copy_from_slice(&(0x0b00_0000 + n).to_be_bytes());
        (START + u64::from(n), frame, 0)
    });
    let found = document(all.collect());
    assert_eq!(found.flows.len(), 50_000);
    assert_eq!(found.others["flow_packets_left_out"], 10_000);
    assert!(
        found.notes[0].contains("further flows"),
        "{:?}",
        found.notes
    );
}

#[test]
fn filters_take_flows_and_errors_of_what_they_name() {
    let mut all = stream(|n, sent| iperf3(n as u32, sent), (40_000, 5201));
    all.push((START, echo(true, 9, 1), 0));
    let quoted = udp(true, (40_000, 5201), &[0; 8]);
    all.push((
        START + 1,
        icmp(ROUTER, CLIENT, [3, 3, 0, 0, 0, 0, 0, 0], &quoted[14..]),
        0,
    ));
    let file = capture(all);
    let of = |text: &str| {
        let filter = Filter::parse(text).expect("a filter");
        let source = Source {
            name: "x".to_owned(),
            bytes: Box::new(file.as_slice()),
        };
        let found = analyse_some([source], Some(filter), &mut ())
            .expect("a capture")
            .document;
        (found.flows.len(), found.icmp_errors.len())
    };
    assert_eq!(of("udp port 5201"), (1, 1));
    assert_eq!(of("icmp"), (1, 1));
    assert_eq!(of("tcp"), (0, 0));
    assert_eq!(of("host 10.0.0.254"), (0, 1));
}

#[test]
fn changed_datagrams_are_read_or_left_out() {
    let mut files = Vec::new();
    let first = |all: Vec<Packet>| all.into_iter().take(12).collect::<Vec<_>>();
    let short = |all: Vec<Packet>| -> Vec<Packet> {
        all.into_iter()
            .map(|(at, b, _)| (at, b[..b.len().min(90)].to_vec(), 1000))
            .collect()
    };
    files.push(short(first(stream(
        |n, sent| iperf3(n as u32, sent),
        (40_000, 5201),
    ))));
    files.push(short(first(quic(|n| n % 2 == 0))));
    let answer = dns(
        1,
        "a.example.org",
        Some((0, &[[192, 0, 2, 1], [192, 0, 2, 2]])),
    );
    let mut mixed = vec![
        (START, udp(true, (5, 53), &dns(1, "a.example.org", None)), 0),
        (START + 5, udp(false, (5, 53), &answer), 0),
        (START + 6, echo(true, 3, 4), 0),
        (START + 7, echo(false, 3, 4), 0),
    ];
    let quoted = udp(true, (5, 6), &[0; 110]);
    let mut body = quoted[14..].to_vec();
    body.extend([0x20, 0, 0, 0, 0, 12, 1, 1, 0, 1, 0, 1, 0, 1, 0x11, 1]);
    mixed.push((
        START + 8,
        icmp(ROUTER, CLIENT, [11, 0, 0, 0, 0, 32, 0, 0], &body),
        0,
    ));
    files.push(mixed);
    let texts: Vec<String> = files
        .iter()
        .map(|f| to_hex(&pcap(1, f, false, true)))
        .collect();
    let corpus = Corpus::of(texts.iter().map(String::as_str))
        .odd(&["ff", "00", "c0", "3f", "01", "ffff", ""]);
    let outcomes = mutate(&corpus, |text, _| {
        let bytes = from_hex(text);
        let source = Source {
            name: "x".to_owned(),
            bytes: Box::new(bytes.as_slice()),
        };
        match analyse([source], &mut ()) {
            Ok(found) => {
                for flow in &found.document.flows {
                    for direction in [&flow.a2b, &flow.b2a] {
                        for s in &direction.streams {
                            assert!(
                                s.loss_ratio.is_none_or(|r| (0.0..=1.0).contains(&r)),
                                "{s:?}"
                            );
                        }
                    }
                    if let Some(dns) = &flow.dns {
                        assert!(dns.answered + dns.unanswered >= dns.queries, "{dns:?}");
                    }
                }
                if found.document.flows.is_empty() {
                    "empty"
                } else {
                    "flows"
                }
            }
            Err(_) => "refused",
        }
    });
    outcomes.at_least("flows", 0.2);
}
