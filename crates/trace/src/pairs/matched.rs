//! Which packet of one point is which of another.

use std::collections::{BTreeMap, VecDeque};

use farpath_record::trace::LostSegment;

use crate::pairs::Seen;
use crate::ranges::{Ranges, unwrapped};
use crate::segment::control;

/// Lost segments that are listed.
const LISTED_MAX: usize = 1000;

/// What a packet has that no other of its direction has. Each next form leaves out more of what is changed on the way.
type Print = (u32, u32, u32, u8, Option<(u32, u32)>, u16);

fn print(s: &Seen, form: usize) -> Print {
    let whole = (s.seq, s.ack, s.length, s.control, s.stamps, s.ip_id);
    match form {
        0 => whole,
        1 => (whole.0, whole.1, whole.2, whole.3, whole.4, 0),
        _ => (whole.0, whole.1, whole.2, whole.3, None, 0),
    }
}

/// What became of the packets of one direction between two points.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compared {
    pub(crate) packets: u64,
    pub(crate) lost: u64,
    pub(crate) lost_bytes: u64,
    pub(crate) lost_acks: u64,
    pub(crate) lost_segments: Vec<LostSegment>,
    pub(crate) reordered: u64,
    pub(crate) duplicated: u64,
    pub(crate) appeared: u64,
    pub(crate) appeared_bytes: u64,
    pub(crate) recut: u64,
    pub(crate) recut_into: u64,
    /// Time at the first point, and from there to the second by their clocks.
    pub(crate) delays: Vec<(i64, i64)>,
    pub(crate) hops: Option<i16>,
}

/// The packets of the first point, each with its place at the second one; and which of the second are left.
struct Matched {
    to: Vec<Option<usize>>,
    left: Vec<bool>,
    /// The print of a packet is that of several: its time says nothing.
    unsure: Vec<bool>,
    duplicated: u64,
}

fn matched(first: &[Seen], second: &[Seen], form: usize) -> Matched {
    let mut places: BTreeMap<Print, VecDeque<usize>> = BTreeMap::new();
    for (n, s) in second.iter().enumerate() {
        places.entry(print(s, form)).or_default().push_back(n);
    }
    let mut counts: BTreeMap<Print, usize> = BTreeMap::new();
    for s in first {
        *counts.entry(print(s, form)).or_default() += 1;
    }
    let mut m = Matched {
        to: vec![None; first.len()],
        left: vec![true; second.len()],
        unsure: vec![false; first.len()],
        duplicated: 0,
    };
    for (n, s) in first.iter().enumerate() {
        let print = print(s, form);
        let Some(waiting) = places.get_mut(&print) else {
            continue;
        };
        // Of equal packets one was lost, and none says which.
        m.unsure[n] = counts[&print] > waiting.len() && counts[&print] > 1;
        if let Some(place) = waiting.pop_front() {
            m.to[n] = Some(place);
            m.left[place] = false;
        }
        let count = counts.entry(print).or_default();
        *count -= 1;
        if *count == 0 {
            for extra in waiting.drain(..) {
                m.left[extra] = false;
                m.duplicated += 1;
            }
        }
    }
    m
}

/// Compares what passed the first point with what came to the second; `base` is the first payload byte's number.
pub(crate) fn compare(first: &[Seen], second: &[Seen], base: u64, started: i64) -> Compared {
    // What something on the way rewrites is left out where most packets do not match with it.
    let mut best = matched(first, second, 0);
    for form in 1..3 {
        let count = |m: &Matched| m.to.iter().flatten().count();
        if count(&best) * 2 >= first.len().min(second.len()) {
            break;
        }
        let other = matched(first, second, form);
        if count(&other) > count(&best) {
            best = other;
        }
    }
    let mut c = Compared {
        duplicated: best.duplicated,
        ..Compared::default()
    };
    let ends = |of: fn(&[Option<usize>]) -> Option<usize>| of(&best.to);
    let (Some(from), Some(until)) = (
        ends(|to| to.iter().position(Option::is_some)),
        ends(|to| to.iter().rposition(Option::is_some)),
    ) else {
        return c;
    };
    let pairs = (from..=until).filter_map(|n| Some((n, best.to[n]?)));
    for (n, place) in pairs.clone().filter(|p| !best.unsure[p.0]) {
        c.delays.push((first[n].at, second[place].at - first[n].at));
    }
    c.reordered = reordered(pairs.clone());
    if let Some((n, place)) = pairs.clone().next() {
        c.hops = Some(i16::from(first[n].ttl) - i16::from(second[place].ttl));
    }
    // Beyond the first and the last that both have, one of them did not capture, or the packet was under way.
    let last_place = pairs.map(|p| p.1).max().unwrap_or(0);
    let first_place = best.to.iter().flatten().min().copied().unwrap_or(0);
    let only_second = (first_place..=last_place).filter(|n| best.left[*n]);
    let only_second: Vec<&Seen> = only_second.map(|n| &second[n]).collect();
    let only_first = (from..=until).filter(|n| best.to[*n].is_none());
    let only_first: Vec<&Seen> = only_first.map(|n| &first[n]).collect();
    c.packets = (until - from + 1) as u64;
    let came = payload(&only_second, base);
    for s in &only_first {
        lose(&mut c, s, &came, base, started);
    }
    appear(&mut c, &only_second, &payload(&only_first, base), base);
    c
}

/// The payload bytes of packets that have no like at the other point.
fn payload(packets: &[&Seen], base: u64) -> Ranges {
    let mut bytes = Ranges::default();
    for s in packets {
        let from = unwrapped(base, s.seq);
        bytes.add(from, from + u64::from(s.length));
    }
    bytes
}

/// A packet of the first point without its like at the second, to which `came` came in pieces of its own: what offload
/// cut or joined on the way.
fn lose(c: &mut Compared, s: &Seen, came: &Ranges, base: u64, started: i64) {
    let from = unwrapped(base, s.seq);
    let gaps = came.gaps(from, from + u64::from(s.length));
    let missing = bytes_in(&gaps);
    c.recut += u64::from(missing < u64::from(s.length));
    if s.length > 0 && missing == 0 {
        return;
    }
    c.lost += 1;
    c.lost_bytes += missing;
    let is_bare = s.length == 0 && s.control & (control::SYN | control::FIN | control::RST) == 0;
    c.lost_acks += u64::from(is_bare);
    for (from, until) in gaps {
        if c.lost_segments.len() < LISTED_MAX {
            c.lost_segments.push(LostSegment {
                at_ns: (s.at - started).max(0) as u64,
                offset: from.saturating_sub(base),
                length: (until - from) as u32,
            });
        }
    }
}

fn bytes_in(parts: &[(u64, u64)]) -> u64 {
    parts.iter().map(|(from, until)| until - from).sum()
}

/// Packets of the second point without their like at the first, which `sent` passed in other pieces.
fn appear(c: &mut Compared, packets: &[&Seen], sent: &Ranges, base: u64) {
    for s in packets {
        let from = unwrapped(base, s.seq);
        let new = bytes_in(&sent.gaps(from, from + u64::from(s.length)));
        c.appeared_bytes += new;
        if s.length > 0 && new < u64::from(s.length) {
            c.recut_into += 1;
        } else {
            c.appeared += 1;
        }
    }
}

/// Packets that come after one that was sent later (RFC 4737 §3.3).
fn reordered(pairs: impl Iterator<Item = (usize, usize)>) -> u64 {
    let mut by_arrival: Vec<(usize, usize)> = pairs.map(|(n, place)| (place, n)).collect();
    by_arrival.sort_unstable();
    let (mut highest, mut count) = (None, 0);
    for (_, n) in by_arrival {
        if highest.is_some_and(|h| n < h) {
            count += 1;
        } else {
            highest = Some(n);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data from `from` up to `until`, in bytes of the stream, at a time.
    fn data(at: i64, from: u32, until: u32) -> Seen {
        Seen {
            at,
            seq: from,
            ack: 1,
            length: until - from,
            stamps: None,
            ip_id: 0,
            control: control::ACK,
            ttl: 64,
        }
    }

    /// Packets of 1000 bytes at both ends of the stream, `between` them.
    fn stream(between: &[(u32, u32)]) -> Vec<Seen> {
        let ends = [(0, 1000), (9000, 10_000)];
        let all = ends[..1].iter().chain(between).chain(&ends[1..]);
        all.enumerate()
            .map(|(n, (from, until))| data(n as i64, *from, *until))
            .collect()
    }

    #[test]
    fn bytes_say_what_was_lost_appeared_or_was_cut_anew() {
        let whole = [(1000, 4000)];
        let pieces = [(1000, 2000), (2000, 3000), (3000, 4000)];
        let holed = [pieces[0], pieces[2]];
        // What passed, what came; packets and bytes lost, packets and bytes appeared, segments recut and their pieces.
        let cases: [(&[_], &[_], [u64; 6]); 7] = [
            (&whole, &whole, [0, 0, 0, 0, 0, 0]),
            (&whole, &pieces, [0, 0, 0, 0, 1, 3]),
            (&pieces, &whole, [0, 0, 0, 0, 3, 1]),
            (&whole, &holed, [1, 1000, 0, 0, 1, 2]),
            (&holed, &whole, [0, 0, 0, 1000, 2, 1]),
            (&whole, &[], [1, 3000, 0, 0, 0, 0]),
            (&[], &pieces, [0, 0, 3, 3000, 0, 0]),
        ];
        for (passed, came, expected) in cases {
            let c = compare(&stream(passed), &stream(came), 0, 0);
            let found = [
                c.lost,
                c.lost_bytes,
                c.appeared,
                c.appeared_bytes,
                c.recut,
                c.recut_into,
            ];
            assert_eq!(found, expected, "{passed:?} {came:?}");
            let listed: u64 = c.lost_segments.iter().map(|s| u64::from(s.length)).sum();
            assert_eq!(listed, c.lost_bytes, "{passed:?} {came:?}");
        }
        let c = compare(&stream(&whole), &stream(&holed), 0, 0);
        assert_eq!(
            (c.lost_segments[0].offset, c.lost_segments[0].length),
            (2000, 1000)
        );
    }
}
