//! One connection captured at two points, beside what is known of the path between them.

use farpath_mutate::{Corpus, run as mutate};
use farpath_record::trace::TracePair;
use farpath_trace::{Source, TraceDocument, analyse, compare};

use crate::changed::{from_hex, to_hex};
use crate::runs::{self, data, frames};
use crate::shapes::{connection, ethernet, pcap, v4};

/// Reads files and compares what they hold twice.
fn both(files: &[&[u8]]) -> (TraceDocument, Vec<TracePair>) {
    let sources = || {
        files.iter().enumerate().map(|(n, bytes)| Source {
            name: format!("{n}"),
            bytes: Box::new(*bytes),
        })
    };
    let analysis = analyse(sources(), &mut ()).expect("captures");
    let pairs = compare(sources(), &analysis.paired, &mut ()).expect("captures");
    (analysis.document, pairs)
}

/// A path that loses, 20 ms between the taps `access` and `far`, and two routers.
const LOSSY: &str = r#"
[scenario]
name = "lossy"
[[host]]
name = "s"
[[host]]
name = "d"
[[router]]
name = "r1"
[[router]]
name = "r2"
[[link]]
name = "access"
ends = ["s", "r1"]
rate = "1 Gbit/s"
delay = "1 ms"
[[link]]
name = "wan"
ends = ["r1", "r2"]
rate = "50 Mbit/s"
delay = "20 ms"
queue = "1bdp"
loss = 3e-3
[[link]]
name = "far"
ends = ["r2", "d"]
rate = "1 Gbit/s"
delay = "1 ms"
[[test]]
name = "bulk"
kind = "tcp"
from = "s"
to = "d"
cc = "cubic"
duration = "12 s"
"#;

/// A capture with other times.
fn shifted(bytes: &[u8], clock: impl Fn(i64) -> i64) -> Vec<u8> {
    let all = frames(bytes);
    let all: Vec<_> = all
        .iter()
        .map(|(at, b, n)| ((at + 1_000_000_000_000 + clock(*at)) as u64, b.to_vec(), *n))
        .collect();
    pcap(1, &all, false, true)
}

#[test]
fn losses_delays_and_clocks_between_two_points_are_found() {
    let run = runs::run(LOSSY);
    let near = shifted(&run.captures["access"], |_| 0);
    // The far clock is 5 s ahead, and gains 40 parts in a million.
    let far = shifted(&run.captures["far"], |at| 5_000_000_000 + at / 25_000);
    let (sent, came) = (data(&run.captures["access"]), data(&run.captures["far"]));
    for files in [[near.as_slice(), &far], [far.as_slice(), &near]] {
        let (document, pairs) = both(&files);
        assert_eq!(document.connections.len(), 2, "{:?}", document.notes);
        assert_eq!(document.connections[1].same_as, Some(1));
        assert!(
            document
                .notes
                .iter()
                .any(|n| n.contains("captured at two points"))
        );
        let [pair] = &pairs[..] else {
            panic!("{pairs:?}");
        };
        let reads_near_first = files[0].len() == near.len() && files[0] == near.as_slice();
        let ids = if reads_near_first { [1, 2] } else { [2, 1] };
        assert_eq!(pair.connections, ids);
        assert!(!pair.same_clock && pair.complete && !pair.translated);
        // Segments still under way at the end were not lost.
        let lost = sent.len() - came.len();
        let d = &pair.a2b;
        assert!(
            d.lost > 10 && d.lost as usize <= lost,
            "{} of {lost}",
            d.lost
        );
        assert!(lost - d.lost as usize <= 2, "{} of {lost}", d.lost);
        assert_eq!((d.reordered, d.duplicated, d.appeared), (0, 0, 0));
        // The link loses acknowledgements, too.
        assert_eq!((pair.b2a.lost, d.hops), (pair.b2a.lost_acks, Some(2)));
        assert!((1..40).contains(&pair.b2a.lost), "{}", pair.b2a.lost);
        let drift = pair.clock_drift_ppm.expect("both agree");
        assert!((drift - 40.0).abs() < 1.0, "{drift}");
        // Both ways have the same propagation; of what is sent a segment is longer than an ACK.
        let offset = pair.clock_offset_ns as f64 - 5e9;
        assert!(offset.abs() < 300e3, "{offset}");
        let least = d.delay_min_ns.expect("delays") as f64;
        assert!((least - 21.2e6).abs() < 500e3, "{least}");
        assert!(d.delay_p99_ns > d.delay_avg_ns && d.delay_max_ns >= d.delay_p99_ns);
        let back = pair.b2a.delay_max_ns.expect("delays") as f64;
        assert!((back - 21e6).abs() < 500e3, "{back}");
        for segment in &d.lost_segments {
            assert!(
                sent.iter()
                    .any(|s| s.offset == segment.offset && s.length == segment.length)
            );
        }
    }
}

#[test]
fn what_is_rewritten_between_two_points_is_named() {
    let run = runs::run(&LOSSY.replace("12 s", "1 s"));
    let near = shifted(&run.captures["access"], |_| 0);
    let rewritten: Vec<_> = frames(&run.captures["far"])
        .iter()
        .map(|(at, b, n)| {
            let mut b = b.to_vec();
            let is_forth = b[26..30] < b[30..34];
            let is_syn = b[14 + 20 + 13] & 2 != 0;
            if is_syn {
                options(&mut b, |kind, option| match kind {
                    // The MSS becomes 1300, and SACK two no-operations.
                    2 => option[2..4].copy_from_slice(&1300u16.to_be_bytes()),
                    4 => option.fill(1),
                    _ => {}
                });
            }
            // Another client address, as translation makes it.
            let place = if is_forth { 26 } else { 30 };
            b[place..place + 4].copy_from_slice(&[203, 0, 113, 9]);
            ((at + 1_000_000_000_000) as u64, b, *n)
        })
        .collect();
    let far = pcap(1, &rewritten, false, true);
    let (document, pairs) = both(&[&near, &far]);
    assert_eq!(document.connections.len(), 2);
    let [pair] = &pairs[..] else {
        panic!("{pairs:?}");
    };
    assert!(pair.translated);
    assert_eq!(pair.a2b.mss_rewritten.map(|m| m[1]), Some(1300));
    assert_eq!(pair.a2b.options_removed, ["sack"]);
    assert!(pair.b2a.options_removed.is_empty() && pair.a2b.options_added.is_empty());
}

/// Each option of the TCP header that has a length, as its kind and its bytes.
fn options(b: &mut [u8], mut each: impl FnMut(u8, &mut [u8])) {
    let header = 34 + usize::from(b[46] >> 4) * 4;
    let mut at = 54;
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

#[test]
fn offload_between_two_points_loses_nothing() {
    let run = runs::run(
        &LOSSY
            .replace("loss = 3e-3", "")
            .replace("queue = \"1bdp\"", "queue = \"64 MiB\"")
            .replace("12 s", "1 s"),
    );
    let far = shifted(&run.captures["far"], |_| 0);
    // Each two neighbours of the near capture become one, as a sending host's offload has them.
    let mut joined: Vec<(u64, Vec<u8>, u32)> = Vec::new();
    for (at, b, n) in frames(&run.captures["access"]) {
        let number = |b: &[u8]| u32::from_be_bytes(b[38..42].try_into().expect("four bytes"));
        let length = n.saturating_sub(66);
        if let Some(last) = joined.last_mut()
            && length > 1000
            && last.2 < 3000
            && last.2 > 1100
            && number(&last.1).wrapping_add(last.2 - 66) == number(b)
        {
            last.2 += length;
            let total = (last.2 - 14) as u16;
            last.1[16..18].copy_from_slice(&total.to_be_bytes());
            continue;
        }
        joined.push(((at + 1_000_000_000_000) as u64, b.to_vec(), n));
    }
    let near = pcap(1, &joined, false, true);
    let (_, pairs) = both(&[&near, &far]);
    let [pair] = &pairs[..] else {
        panic!("{pairs:?}");
    };
    assert_eq!(pair.a2b.lost, 0, "{:?}", pair.a2b);
    assert_eq!(pair.b2a.lost, 0);
    // Nothing appears: the pieces are those of the segments that were split.
    let d = &pair.a2b;
    assert_eq!((d.appeared, d.appeared_bytes), (0, 0), "{d:?}");
    let pairs_made = joined.iter().filter(|p| p.2 > 2000).count() as u64;
    assert!(pairs_made > 20, "{pairs_made}");
    assert!(d.recut > pairs_made / 2 && d.recut <= pairs_made, "{d:?}");
    // Two segments or three were joined.
    assert!((2 * d.recut..=3 * d.recut).contains(&d.recut_into), "{d:?}");
}

#[test]
fn files_of_a_ring_are_not_two_points() {
    let run = runs::run(&LOSSY.replace("12 s", "1 s"));
    let all = frames(&run.captures["access"]);
    let files: Vec<Vec<u8>> = all
        .chunks(all.len() / 3)
        .map(|part| {
            let part: Vec<_> = part
                .iter()
                .map(|(at, b, n)| ((at + 1_000_000_000_000) as u64, b.to_vec(), *n))
                .collect();
            pcap(1, &part, false, true)
        })
        .collect();
    let slices: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let (document, pairs) = both(&slices);
    assert_eq!((document.connections.len(), pairs.len()), (1, 0));
}

/// A connection at two points, the second of them changed at random: it is compared, or it is not the same one.
#[test]
fn changed_captures_of_a_second_point_are_compared_or_not() {
    let packets = |later: u64, without: usize| -> Vec<_> {
        let all = connection(12).into_iter().enumerate();
        let kept = all.filter(|(n, _)| *n != without);
        kept.map(|(_, (at, tcp))| (at + later, ethernet(&v4(&tcp)), 0))
            .collect()
    };
    let near = pcap(1, &packets(0, usize::MAX), false, true);
    let headers = |all: Vec<(u64, Vec<u8>, u32)>| -> Vec<_> {
        let cut = |(at, b, _): (u64, Vec<u8>, u32)| {
            let length = b.len() as u32;
            (at, b[..b.len().min(80)].to_vec(), length)
        };
        all.into_iter().map(cut).collect()
    };
    let texts = [
        to_hex(&pcap(1, &headers(packets(3_000_000, 7)), false, true)),
        to_hex(&pcap(1, &headers(packets(20_000_000_000, 9)), false, true)),
    ];
    let corpus =
        Corpus::of(texts.iter().map(String::as_str)).odd(&["ff", "00", "80", "7f", "ffff", ""]);
    let outcomes = mutate(&corpus, |text, _| {
        let far = from_hex(text);
        let sources = || {
            [("near", &near), ("far", &far)].map(|(name, bytes)| Source {
                name: name.to_owned(),
                bytes: Box::new(bytes.as_slice()),
            })
        };
        let Ok(analysis) = analyse(sources(), &mut ()) else {
            return "refused";
        };
        let pairs = compare(sources(), &analysis.paired, &mut ()).expect("they were read before");
        for way in pairs.iter().flat_map(|p| [&p.a2b, &p.b2a]) {
            let listed = way.lost_segments.iter().map(|s| u64::from(s.length));
            assert!(way.lost_bytes >= listed.sum(), "{way:?}");
        }
        match pairs.len() {
            0 => "apart",
            _ => "pair",
        }
    });
    outcomes.at_least("pair", 0.1).at_least("apart", 0.01);
}
