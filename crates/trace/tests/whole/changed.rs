//! A capture changed in ways that must not change what is said of it, and hostile ones.

use farpath_mutate::{Corpus, run as mutate};
use farpath_record::trace::TraceDirection;
use farpath_trace::{Source, TraceDocument, analyse};

use crate::runs::{self, frames, read};
use crate::shapes::{Tcp, connection, ethernet, pcap, v4};

/// Time, bytes, and the length on the link.
type Packet = (u64, Vec<u8>, u32);

/// A lossy path, seen at the sender.
fn base() -> Vec<Packet> {
    let case = farpath_arranged::Arranged::Loss.at(10);
    let run = runs::run(&case.text);
    let all = frames(&run.captures["access"]);
    let own = |(at, bytes, original): &(i64, &[u8], u32)| (*at as u64, bytes.to_vec(), *original);
    all.iter().map(own).collect()
}

/// Places in an untagged Ethernet frame with IPv4 and TCP.
const SOURCE: usize = 26;
const TCP: usize = 34;
const SEQ: usize = 38;
const ACK: usize = 42;
const OPTIONS: usize = 54;

fn number(b: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(b[at..at + 4].try_into().expect("four bytes"))
}

fn put(b: &mut [u8], at: usize, value: u32) {
    b[at..at + 4].copy_from_slice(&value.to_be_bytes());
}

fn document(all: &[Packet]) -> TraceDocument {
    read(&pcap(1, all, false, true)).document
}

/// What no change may touch.
fn verdict(d: &TraceDirection) -> (u64, u64, u64, Option<String>) {
    (
        d.unique_bytes,
        d.retransmitted_segments,
        d.retransmissions.fast,
        d.limited_by.clone(),
    )
}

fn first(all: &[Packet]) -> TraceDirection {
    let document = document(all);
    assert_eq!(document.connections.len(), 1);
    document.connections[0].a2b.clone()
}

#[test]
fn the_verdict_outlives_what_changes_nothing() {
    let base = base();
    let known = first(&base);
    assert!(known.retransmitted_segments >= 5, "{known:?}");
    let each = |change: &dyn Fn(usize, &mut Packet)| {
        let mut all = base.clone();
        all.iter_mut()
            .enumerate()
            .for_each(|(n, packet)| change(n, packet));
        all
    };
    let later = each(&|_, p| p.0 += 3_600_000_000_007);
    assert_eq!(verdict(&first(&later)), verdict(&known), "shifted in time");
    let wrapped = each(&|_, p| {
        let reverse = u16::from_be_bytes([p.1[TCP], p.1[TCP + 1]]) == 5001;
        let (own, other) = if reverse { (ACK, SEQ) } else { (SEQ, ACK) };
        let by = u32::MAX - 400_000;
        if !reverse || p.1[TCP + 13] & 0x10 != 0 {
            let value = number(&p.1, own).wrapping_add(by);
            put(&mut p.1, own, value);
        }
        let value = number(&p.1, other);
        put(&mut p.1, other, value);
        if reverse {
            shift_sack(&mut p.1, by);
        }
    });
    assert_eq!(
        verdict(&first(&wrapped)),
        verdict(&known),
        "numbers that wrap"
    );
    let bare = each(&|_, p| strip_timestamps(&mut p.1));
    let without = first(&bare);
    assert_eq!(without.unique_bytes, known.unique_bytes);
    assert_eq!(
        without.retransmitted_segments, known.retransmitted_segments,
        "no timestamps"
    );
    let cut = each(&|_, p| p.1.truncate(90));
    assert_eq!(verdict(&first(&cut)), verdict(&known), "90 bytes of each");
    // 68 bytes were tcpdump's default: what options the SYNs had is not known, and no window of 65 535 bytes is made of it.
    for length in [60, 64, 68] {
        let short = document(&each(&|_, p| p.1.truncate(length)));
        let d = &short.connections[0].a2b;
        assert_eq!(d.unique_bytes, known.unique_bytes, "{length} bytes of each");
        assert_eq!(d.limited_by, known.limited_by, "{length} bytes of each");
        assert!(d.window_scale_inferred, "{length} bytes of each");
    }
    let turned = each(&|_, p| {
        let (a, b) = (number(&p.1, SOURCE), number(&p.1, SOURCE + 4));
        put(&mut p.1, SOURCE, b);
        put(&mut p.1, SOURCE + 4, a);
    });
    assert_eq!(
        verdict(&first(&turned)),
        verdict(&known),
        "ends with each other's addresses"
    );
}

/// Each option of the TCP header that has a length, as its kind and its bytes.
fn options(b: &mut [u8], mut each: impl FnMut(u8, &mut [u8])) {
    let header = TCP + usize::from(b[TCP + 12] >> 4) * 4;
    let mut at = OPTIONS;
    while at < header && b[at] != 0 {
        let length = if b[at] == 1 {
            1
        } else {
            usize::from(b[at + 1])
        };
        each(b[at], &mut b[at..at + length]);
        at += length;
    }
}

/// The edges of SACK blocks, moved.
fn shift_sack(b: &mut [u8], by: u32) {
    options(b, |kind, option| {
        for edge in (2..option.len()).step_by(4).filter(|_| kind == 5) {
            let value = number(option, edge).wrapping_add(by);
            put(option, edge, value);
        }
    });
}

/// Timestamps become no-operations.
fn strip_timestamps(b: &mut [u8]) {
    options(b, |kind, option| {
        if kind == 8 {
            option.fill(1);
        }
    });
}

#[test]
fn what_the_capture_lost_or_holds_twice_is_said_and_changes_little() {
    let base = base();
    let known = first(&base);
    let thinned: Vec<_> = base
        .iter()
        .enumerate()
        .filter(|(n, _)| n % 1000 != 777)
        .map(|(_, p)| p.clone())
        .collect();
    let found = document(&thinned);
    let c = &found.connections[0];
    assert!(c.quality["bytes_missed_by_capture"] > 0, "{:?}", c.quality);
    assert_eq!(c.a2b.limited_by, known.limited_by);
    let near = known.retransmitted_segments as f64;
    let apart = (c.a2b.retransmitted_segments as f64 - near).abs();
    assert!(apart <= 0.02 * near + 2.0, "{apart} of {near}");
    let twice = base.iter().enumerate().flat_map(|(n, p)| {
        let copies = if n % 10 == 0 { 2 } else { 1 };
        std::iter::repeat_n(p.clone(), copies)
    });
    let found = document(&twice.collect::<Vec<_>>());
    let c = &found.connections[0];
    assert_eq!(verdict(&c.a2b), verdict(&known), "every tenth packet twice");
    assert!(
        c.quality["doubled_packets"] as usize > base.len() / 11,
        "{:?}",
        c.quality
    );
}

#[test]
fn segments_cut_anew_as_offload_does_say_the_same_of_bytes() {
    let base = base();
    let known = first(&base);
    // Neighbours in sequence become one, as long as they came within 300 µs.
    let mut all: Vec<Packet> = Vec::new();
    let length = |p: &Packet| p.2.saturating_sub(66);
    let forward = |p: &Packet| u16::from_be_bytes([p.1[TCP + 2], p.1[TCP + 3]]) == 5001;
    for packet in &base {
        let joins = all.last().is_some_and(|last| {
            let follows = number(&last.1, SEQ).wrapping_add(length(last)) == number(&packet.1, SEQ);
            let near = packet.0 - last.0 < 300_000 && last.2 + packet.2 < 60_000;
            forward(last)
                && forward(packet)
                && length(last) > 1000
                && length(packet) > 1000
                && follows
                && near
        });
        match all.last_mut() {
            Some(last) if joins => {
                last.2 += length(packet);
                let total = (last.2 - 14) as u16;
                last.1[16..18].copy_from_slice(&total.to_be_bytes());
            }
            _ => all.push(packet.clone()),
        }
    }
    assert!(all.len() < base.len() * 9 / 10);
    let found = document(&all);
    let c = &found.connections[0];
    assert!(c.offload);
    assert_eq!(c.a2b.unique_bytes, known.unique_bytes);
    assert_eq!(c.a2b.segments, known.segments);
    assert_eq!(c.a2b.limited_by, known.limited_by);
    let near = known.retransmitted_segments as f64;
    assert!(
        (c.a2b.retransmitted_segments as f64 - near).abs() <= 0.02 * near,
        "{:?}",
        c.a2b
    );
}

fn blank() -> Tcp {
    connection(0).remove(0).1
}

#[test]
fn a_flood_of_syns_ends_in_a_bounded_table_and_a_note() {
    let mut all = Vec::new();
    for n in 0..400_000u32 {
        let syn = Tcp { seq: n, ..blank() };
        let mut frame = ethernet(&v4(&syn));
        put(&mut frame, SOURCE, 0x0b00_0000 + n);
        all.push((1_000_000_000 + u64::from(n), frame, 0));
    }
    // A real connection in the midst of it is not lost.
    let real = connection(5)
        .into_iter()
        .map(|(at, tcp)| (at, ethernet(&v4(&tcp)), 0));
    all.extend(real);
    let found = document(&all);
    assert!(found.connections.len() <= 150_000);
    let left_out = found.others["unanswered_syns_left_out"];
    assert_eq!(left_out + found.connections.len() as u64, 400_001);
    assert_eq!(
        found.connections.last().map(|c| c.a2b.unique_bytes),
        Some(5000)
    );
    assert!(
        found.notes[0].contains("unanswered SYNs"),
        "{:?}",
        found.notes
    );
}

#[test]
fn a_packed_file_that_unpacks_without_end_is_read_within_bounds() {
    // 64 MiB of empty records, packed to less than 100 kB.
    let mut bytes = pcap(1, &[], false, true);
    bytes.resize(64 << 20, 0);
    let packed = zstd::stream::encode_all(bytes.as_slice(), 3).expect("a Vec takes everything");
    assert!(packed.len() < 100_000);
    let found = read(&packed).document;
    assert_eq!(found.files[0].packets, ((64 << 20) - 24) / 16);
    assert!(found.connections.is_empty());
    assert_eq!(found.others["cut_off"], found.files[0].packets);
}

/// Bytes as text and back, for changes at random.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let lines = bytes.chunks(16).map(|line| {
        let words = line.iter().map(|b| format!("{b:02x}"));
        words.collect::<Vec<_>>().join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

pub(crate) fn from_hex(text: &str) -> Vec<u8> {
    let words = text.split_whitespace();
    words
        .filter_map(|w| u8::from_str_radix(w, 16).ok())
        .collect()
}

#[test]
fn changed_captures_are_read_or_refused() {
    let packets: Vec<_> = connection(6)
        .into_iter()
        .map(|(at, tcp)| (at, ethernet(&v4(&tcp)), 0))
        .collect();
    let short: Vec<_> = packets
        .iter()
        .map(|(at, b, _)| (*at, b[..b.len().min(70)].to_vec(), 1054))
        .collect();
    let texts = [
        to_hex(&pcap(1, &short, false, true)),
        to_hex(&crate::shapes::section(1, &short, true, true)),
        to_hex(&pcap(113, &short, true, false)),
    ];
    let corpus = Corpus::of(texts.iter().map(String::as_str))
        .odd(&["ff", "00", "80", "7f", "01", "ffff", ""]);
    let outcomes = mutate(&corpus, |text, _| {
        let bytes = from_hex(text);
        let source = Source {
            name: "x".to_owned(),
            bytes: Box::new(bytes.as_slice()),
        };
        match analyse([source], &mut ()) {
            Ok(found) => {
                for c in &found.document.connections {
                    for d in [&c.a2b, &c.b2a] {
                        assert_eq!(d.retransmitted_segments, d.retransmissions.total());
                        let sum: f64 = d.limit_shares.values().sum();
                        assert!(
                            d.limit_shares.is_empty() || (sum - 1.0).abs() < 1e-6,
                            "{d:?}"
                        );
                    }
                }
                if found.document.files[0].truncated {
                    "broken"
                } else {
                    "read"
                }
            }
            Err(_) => "refused",
        }
    });
    outcomes.at_least("read", 0.05).at_least("broken", 0.05);
}

/// What a file with a broken clock or broken bytes has.
#[test]
fn times_of_any_size_and_order_are_read() {
    let packets: Vec<_> = connection(6).into_iter().map(|(_, tcp)| tcp).collect();
    let times = [1_000_000_000, 1 << 62, i64::MAX as u64, u64::MAX];
    let patterns = 4_usize.pow(6);
    for pattern in 0..patterns {
        let timed = packets.iter().enumerate().map(|(n, tcp)| {
            let digit = pattern / 4_usize.pow(n as u32 % 6) % 4;
            (times[digit], ethernet(&v4(tcp)), 0)
        });
        let timed: Vec<Packet> = timed.collect();
        let document = read(&crate::shapes::section(1, &timed, true, false)).document;
        assert!(!document.connections.is_empty(), "pattern {pattern}");
    }
}
