//! Formats, link types and wrappings: the same connection in all of them.

use std::io::Write;

use farpath_record::trace::TraceConnection;
use farpath_trace::{Source, TraceDocument, TraceError, analyse};

use crate::shapes::{self, Tcp, connection, pcap, section};

type Wrap = fn(&[u8]) -> Vec<u8>;
type Datagram = fn(&Tcp) -> Vec<u8>;

fn document(files: &[Vec<u8>]) -> TraceDocument {
    let sources = files.iter().enumerate().map(|(n, bytes)| Source {
        name: format!("{n}.pcap"),
        bytes: Box::new(bytes.as_slice()),
    });
    analyse(sources, &mut ()).expect("captures").document
}

fn frames(datagram: Datagram, wrap: Wrap) -> Vec<(u64, Vec<u8>, u32)> {
    let all = connection(20).into_iter();
    all.map(|(at, tcp)| (at, wrap(&datagram(&tcp)), 0))
        .collect()
}

fn is_the_connection(c: &TraceConnection, what: &str) {
    assert!(c.complete, "{what}: {c:?}");
    assert_eq!(
        (c.a2b.unique_bytes, c.a2b.bytes, c.a2b.segments),
        (20_000, 20_000, 20),
        "{what}"
    );
    assert_eq!(
        (c.a2b.retransmitted_segments, c.b2a.unique_bytes),
        (0, 0),
        "{what}"
    );
    assert_eq!(
        (c.a2b.mss, c.a2b.window_scale),
        (Some(1000), Some(2)),
        "{what}"
    );
    assert_eq!(
        (c.a2b.window_max_bytes, c.a2b.flight_max_bytes),
        (32_768, 1000),
        "{what}"
    );
    assert_eq!(c.vantage, "sender_of_a", "{what}");
    assert!(c.quality.is_empty(), "{what}: {:?}", c.quality);
}

const ETHERNET: u32 = 1;

#[test]
fn every_link_type_and_wrapping_holds_the_same_connection() {
    let wraps: [(&str, u32, Wrap); 13] = [
        ("ethernet", ETHERNET, shapes::ethernet),
        ("qinq", ETHERNET, shapes::qinq),
        ("mpls", ETHERNET, shapes::mpls),
        ("pseudowire", ETHERNET, shapes::pseudowire),
        ("ppp", 9, shapes::ppp),
        ("ppp in hdlc", 50, shapes::ppp),
        ("c-hdlc", 104, shapes::c_hdlc),
        ("sll", 113, shapes::sll),
        ("sll2", 276, shapes::sll2),
        ("raw", 101, shapes::raw),
        ("null", 0, shapes::null),
        ("fddi", 10, shapes::fddi),
        ("atm", 100, shapes::snap),
    ];
    let datagrams: [(&str, Datagram); 13] = [
        ("v4", shapes::v4),
        ("v4 with options", shapes::v4_options),
        ("v6", shapes::v6),
        ("v6 with extension headers", shapes::v6_extended),
        ("ip in ip", shapes::ip_in_ip),
        ("gre", shapes::gre),
        ("vxlan", shapes::vxlan),
        ("geneve", shapes::geneve),
        ("gtp", shapes::gtp),
        ("gtp with extension headers", shapes::gtp_extended),
        ("erspan I", shapes::erspan),
        ("erspan II", shapes::erspan_ii),
        ("erspan III", shapes::erspan_iii),
    ];
    for (wrapped, link, wrap) in wraps {
        for (inside, datagram) in datagrams {
            let file = pcap(link, &frames(datagram, wrap), false, true);
            let found = document(&[file]);
            assert_eq!(
                found.connections.len(),
                1,
                "{inside} in {wrapped}: {:?}",
                found.others
            );
            let c = &found.connections[0];
            is_the_connection(c, &format!("{inside} in {wrapped}"));
            assert_eq!(c.a2b.rtt_min_ns, Some(10_000_000));
            assert_eq!(c.handshake_rtt_ns, Some(10_020_000));
        }
    }
}

#[test]
fn every_file_format_holds_the_same_connection() {
    let all = frames(shapes::v4, shapes::ethernet);
    let mut files = Vec::new();
    for big in [false, true] {
        for other in [false, true] {
            files.push((
                format!("pcap {big} {other}"),
                pcap(ETHERNET, &all, big, other),
            ));
            files.push((
                format!("pcapng {big} {other}"),
                section(1, &all, big, other),
            ));
        }
    }
    let mut two = section(1, &all[..10], true, false);
    two.extend(section(1, &all[10..], false, true));
    files.push(("two sections".to_owned(), two));
    for (name, bytes) in files {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&bytes).expect("a Vec takes everything");
        let gzip = gzip.finish().expect("a Vec takes everything");
        let zstd = zstd::stream::encode_all(bytes.as_slice(), 1).expect("a Vec takes everything");
        for (packed, bytes) in [("", bytes), ("gzip", gzip), ("zstd", zstd)] {
            let found = document(&[bytes]);
            assert_eq!(found.connections.len(), 1, "{name} {packed}");
            is_the_connection(&found.connections[0], &format!("{name} {packed}"));
            assert_eq!(found.files[0].packets, 46, "{name} {packed}");
            let lost = if name.starts_with("pcapng") {
                3
            } else if name.starts_with("two") {
                6
            } else {
                0
            };
            assert_eq!(found.files[0].dropped_by_capture, lost, "{name} {packed}");
            assert_eq!(
                found.files[0].first_ns, 1_000_000_000_000,
                "{name} {packed}"
            );
        }
    }
}

/// Two interfaces whose packets are written in pieces of 16: times go to and fro by up to 300 ms.
#[test]
fn packets_of_several_interfaces_are_put_in_order() {
    let all = frames(shapes::v4, shapes::ethernet);
    let sorted = document(&[shapes::section(1, &all, false, false)]);
    let pieces = |first: usize| {
        all.iter()
            .skip(first)
            .step_by(2)
            .cloned()
            .collect::<Vec<_>>()
    };
    let (mut even, mut odd) = (pieces(0).into_iter(), pieces(1).into_iter());
    let mut mixed = Vec::new();
    loop {
        let (a, b): (Vec<_>, Vec<_>) = (
            even.by_ref().take(16).collect(),
            odd.by_ref().take(16).collect(),
        );
        if a.is_empty() && b.is_empty() {
            break;
        }
        mixed.extend(a.into_iter().map(|p| (0, p)));
        mixed.extend(b.into_iter().map(|p| (1, p)));
    }
    let file = shapes::section_of(1, &mixed);
    let found = document(&[file]);
    assert_eq!(found.connections[0].quality.get("clock_steps"), None);
    is_the_connection(&found.connections[0], "two interfaces");
    assert_eq!(found.connections[0].a2b, sorted.connections[0].a2b);
}

#[test]
fn files_of_a_ring_are_one_capture() {
    let all = frames(shapes::v4, shapes::ethernet);
    let files: Vec<Vec<u8>> = all
        .chunks(7)
        .map(|part| pcap(ETHERNET, part, false, true))
        .collect();
    let found = document(&files);
    assert_eq!((found.files.len(), found.connections.len()), (7, 1));
    is_the_connection(&found.connections[0], "ring");
}

/// `cat a.pcap b.pcap`: each has its own byte order and its own ticks; headers without packets follow on one another.
#[test]
fn files_that_were_put_behind_each_other_are_one_capture() {
    let all = frames(shapes::v4, shapes::ethernet);
    let file = |(n, part): (usize, &[_])| pcap(ETHERNET, part, n % 2 == 1, n % 3 == 1);
    let mut joined: Vec<u8> = all.chunks(7).enumerate().flat_map(file).collect();
    for _ in 0..100_000 {
        joined.extend(pcap(ETHERNET, &[], false, false));
    }
    let found = document(&[joined]);
    assert_eq!((found.files.len(), found.connections.len()), (1, 1));
    assert!(!found.files[0].truncated, "{:?}", found.files[0]);
    is_the_connection(&found.connections[0], "joined");
}

#[test]
fn headers_alone_say_the_same() {
    let cut = |(at, bytes, _): (u64, Vec<u8>, u32)| {
        let original = bytes.len() as u32;
        (at, bytes[..original.min(64) as usize].to_vec(), original)
    };
    let all: Vec<_> = frames(shapes::v4, shapes::ethernet)
        .into_iter()
        .map(cut)
        .collect();
    let found = document(&[pcap(ETHERNET, &all, false, true)]);
    is_the_connection(&found.connections[0], "64 bytes");
}

#[test]
fn a_datagram_in_fragments_counts_when_it_is_whole() {
    let mut all = Vec::new();
    for (n, (at, tcp)) in connection(20).into_iter().enumerate() {
        let whole = shapes::v4(&tcp);
        if tcp.payload.is_empty() {
            all.push((at, shapes::ethernet(&whole), 0));
            continue;
        }
        // 400 bytes of payload are a multiple of eight with the header of twenty bytes and four of them.
        for (from, until, more) in [(20, 428, true), (428, 828, true), (828, whole.len(), false)] {
            let mut piece = whole[..20].to_vec();
            piece.extend(&whole[from..until]);
            let length = (piece.len() as u16).to_be_bytes();
            piece[2..4].copy_from_slice(&length);
            piece[4..6].copy_from_slice(&(n as u16).to_be_bytes());
            let field = ((from as u16 - 20) / 8) | if more { 0x2000 } else { 0 };
            piece[6..8].copy_from_slice(&field.to_be_bytes());
            all.push((at + from as u64, shapes::ethernet(&piece), 0));
        }
    }
    let found = document(&[pcap(ETHERNET, &all, false, true)]);
    is_the_connection(&found.connections[0], "fragments");
    assert_eq!(found.others["fragments"], 60);
}

fn refused(bytes: &[u8]) -> TraceError {
    let source = Source {
        name: "x".to_owned(),
        bytes: Box::new(bytes),
    };
    analyse([source], &mut ()).err().expect("no capture")
}

#[test]
fn what_is_no_capture_is_refused_by_name_offset_and_remedy() {
    let empty = refused(&[]);
    assert_eq!(empty.to_string(), "read x: the file is empty");
    let text = refused(b"hello, world");
    assert_eq!(
        text.to_string(),
        "read x: byte 0: not a capture: it begins with 68 65 6c 6c 6f 2c 20 77"
    );
    let short = refused(&pcap(1, &[], false, true)[..10]);
    assert_eq!(
        short.to_string(),
        "read x: byte 0: the file ends inside its header"
    );
    for error in [empty, text, short] {
        assert!(error.remedy().is_some());
    }
}

#[test]
fn a_file_that_breaks_off_says_where() {
    let whole = pcap(ETHERNET, &frames(shapes::v4, shapes::ethernet), false, true);
    for cut in [whole.len() - 1, 1000, 30] {
        let found = document(&[whole[..cut].to_vec()]);
        let file = &found.files[0];
        assert!(file.truncated, "{cut}");
        assert!(file.notes[0].starts_with("byte "), "{:?}", file.notes);
        assert!(
            file.notes[0].contains("copy the file again"),
            "{:?}",
            file.notes
        );
    }
    let mut lying = whole.clone();
    lying[24 + 8..24 + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    let found = document(&[lying]);
    assert_eq!(found.files[0].packets, 0);
    assert!(
        found.files[0].notes[0].starts_with("byte 24: a record says it is 4294967295 bytes long")
    );
}

/// Before version 2.3 the length on the wire came first; a capture of 1994 that tcptrace carries has it so.
#[test]
fn an_old_pcap_has_its_lengths_the_other_way_round() {
    let mut bytes = pcap(ETHERNET, &frames(shapes::v4, shapes::ethernet), true, false);
    bytes[6..8].copy_from_slice(&[0, 2]);
    let mut at = 24;
    while at < bytes.len() {
        let captured =
            u32::from_be_bytes([bytes[at + 8], bytes[at + 9], bytes[at + 10], bytes[at + 11]]);
        let (first, second) = bytes[at + 8..at + 16].split_at_mut(4);
        first.swap_with_slice(second);
        at += 16 + captured as usize;
    }
    is_the_connection(&document(&[bytes]).connections[0], "version 2.2");
}

#[test]
fn a_link_type_that_is_not_read_is_said() {
    let file = pcap(127, &frames(shapes::v4, shapes::ethernet), false, true);
    let found = document(&[file]);
    assert!(found.connections.is_empty());
    let note = &found.files[0].notes[0];
    assert!(
        note.starts_with("packets of link type 127 are counted and not read"),
        "{note}"
    );
}
