//! Which packet of one point is which of another.

use std::collections::{BTreeMap, VecDeque};

use farpath_record::trace::LostSegment;

use crate::pairs::Seen;
use crate::ranges::{Ranges, unwrapped};
use crate::segment::control;

/// Packets that are compared with a piece: a super-segment is 45 full ones, and each may have been sent several times.
const NEAR_MAX: usize = 1024;

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
    /// Their payload bytes.
    pub(crate) bytes: u64,
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
    c.bytes = first[from..=until]
        .iter()
        .map(|s| u64::from(s.length))
        .sum();
    let quickest = c.delays.iter().map(|d| d.1).min().unwrap_or(i64::MIN);
    let mut sent = Recut::of(&only_first, base);
    for s in &only_second {
        appear(&mut c, s, &mut sent, base, quickest);
    }
    let full = only_second.iter().map(|s| s.length).max().unwrap_or(0);
    for (s, came) in sent.packets() {
        lose(&mut c, s, came, base, started, full);
    }
    c
}

/// Packets of the first point without their like at the second, each with the bytes of it that came in other pieces:
/// what offload cut or joined on the way.
struct Recut<'s> {
    /// By first byte, then in the order of sending.
    packets: Vec<(u64, &'s Seen, Ranges)>,
    longest: u64,
}

impl<'s> Recut<'s> {
    fn of(packets: &[&'s Seen], base: u64) -> Recut<'s> {
        let own = |s: &&'s Seen| (unwrapped(base, s.seq), *s, Ranges::default());
        let mut packets: Vec<_> = packets.iter().map(own).collect();
        packets.sort_by_key(|(from, s, _)| (*from, s.at));
        let longest = packets.iter().map(|p| u64::from(p.1.length)).max();
        Recut {
            packets,
            longest: longest.unwrap_or(0),
        }
    }

    /// Takes in a piece of the second point that came at `at`, `quickest` at the least after it was sent. Its bytes are of
    /// the last packet sent by then that holds them and whose own did not come before. Gives those that were never sent
    /// and those that are copies.
    fn take(&mut self, (from, until): (u64, u64), at: i64, quickest: i64) -> (u64, u64) {
        let begin = from.saturating_sub(self.longest);
        let [first, last] = [begin, until].map(|at| self.packets.partition_point(|p| p.0 < at));
        let holds = |p: &(u64, &Seen, Ranges)| p.0 + u64::from(p.1.length) > from;
        let mut near: Vec<usize> = (first..last)
            .rev()
            .take(NEAR_MAX)
            .filter(|n| holds(&self.packets[*n]))
            .collect();
        let sent_by_then = |n: &usize| self.packets[*n].1.at.saturating_add(quickest) <= at;
        near.sort_by_key(|n| (!sent_by_then(n), core::cmp::Reverse(self.packets[*n].1.at)));
        let mut left = vec![(from, until)];
        let mut sent = Ranges::default();
        for n in near {
            let (start, s, came) = &mut self.packets[n];
            let end = *start + u64::from(s.length);
            sent.add((*start).max(from), end.min(until));
            let mut rest = Vec::new();
            for (a, b) in left {
                let (low, high) = (a.max(*start), b.min(end));
                if low >= high {
                    rest.push((a, b));
                    continue;
                }
                let mut taken = Ranges::default();
                for (low, high) in came.gaps(low, high) {
                    came.add(low, high);
                    taken.add(low, high);
                }
                rest.extend(taken.gaps(a, b));
            }
            left = rest;
        }
        let unsent: u64 = left.iter().map(|(a, b)| bytes_in(&sent.gaps(*a, *b))).sum();
        (unsent, bytes_in(&left) - unsent)
    }

    /// Each packet with what came of it, in the order of sending.
    fn packets(&mut self) -> impl Iterator<Item = (&'s Seen, &Ranges)> {
        self.packets.sort_by_key(|p| p.1.at);
        self.packets.iter().map(|(_, s, came)| (*s, came))
    }
}

/// A packet of the first point without its like at the second. What is missing counts in segments of `full` bytes, the
/// largest piece that came.
fn lose(c: &mut Compared, s: &Seen, came: &Ranges, base: u64, started: i64, full: u32) {
    let from = unwrapped(base, s.seq);
    let gaps = came.gaps(from, from + u64::from(s.length));
    let missing = bytes_in(&gaps);
    c.recut += u64::from(missing < u64::from(s.length));
    if s.length > 0 && missing == 0 {
        return;
    }
    let in_segments = |(from, until): &(u64, u64)| match u64::from(full) {
        0 => 1,
        full => (until - from).div_ceil(full),
    };
    // What has no data is one packet.
    c.lost += gaps.iter().map(in_segments).sum::<u64>().max(1);
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

/// A packet of the second point without its like at the first, which passed in other pieces or not at all.
fn appear(c: &mut Compared, s: &Seen, sent: &mut Recut<'_>, base: u64, quickest: i64) {
    let from = unwrapped(base, s.seq);
    let (new, copied) = sent.take((from, from + u64::from(s.length)), s.at, quickest);
    c.appeared_bytes += new;
    match u64::from(s.length) {
        0 => c.appeared += 1,
        length if new == length => c.appeared += 1,
        length if copied == length => c.duplicated += 1,
        _ => c.recut_into += 1,
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
        let cases: [(&[_], &[_], [u64; 6]); 8] = [
            (&whole, &whole, [0, 0, 0, 0, 0, 0]),
            (&whole, &pieces, [0, 0, 0, 0, 1, 3]),
            (&pieces, &whole, [0, 0, 0, 0, 3, 1]),
            (&whole, &holed, [1, 1000, 0, 0, 1, 2]),
            (&whole, &pieces[..1], [2, 2000, 0, 0, 1, 1]),
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
    /// A super-segment loses its middle, and is sent again as another one: what came the second time did not come the first.
    #[test]
    fn what_was_lost_and_sent_again_in_other_pieces_counts_as_lost() {
        let ends = [(0, 1000), (20_000, 21_000)];
        let first = [
            data(0, ends[0].0, ends[0].1),
            data(10, 1000, 9000),
            data(200, 3000, 7000),
            data(400, ends[1].0, ends[1].1),
        ];
        let mut second = vec![data(50, ends[0].0, ends[0].1)];
        let pieces = |at: i64, from: u32, until: u32| {
            (from..until)
                .step_by(1000)
                .map(move |f| data(at, f, f + 1000))
        };
        second.extend(pieces(60, 1000, 3000));
        second.extend(pieces(60, 7000, 9000));
        // Of the second time one piece is lost again.
        second.extend(pieces(250, 3000, 4000));
        second.extend(pieces(250, 5000, 7000));
        second.push(data(450, ends[1].0, ends[1].1));
        let c = compare(&first, &second, 0, 0);
        assert_eq!((c.lost, c.lost_bytes, c.recut), (5, 5000, 2));
        let listed: Vec<_> = c
            .lost_segments
            .iter()
            .map(|s| (s.at_ns, s.offset, s.length))
            .collect();
        assert_eq!(listed, [(10, 3000, 4000), (200, 4000, 1000)]);
        // A piece of what was sent once and came is a copy.
        second.insert(6, data(260, 1000, 2000));
        let c = compare(&first, &second, 0, 0);
        assert_eq!((c.lost_bytes, c.duplicated, c.appeared), (5000, 1, 0));
    }
}
