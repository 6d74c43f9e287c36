//! One connection captured at two points: its packets are read a second time and compared, packet by packet.

mod clock;
mod matched;

use std::collections::BTreeMap;

use farpath_record::trace::{PairDirection, TracePair};

use crate::connection::Connection;
use crate::describe::end_text;
use crate::opening::{Syn, missing};
use crate::pairs::clock::Clocks;
use crate::pairs::matched::{Compared, compare};
use crate::segment::{End, Segment};

/// Connections that are compared; of others only their numbers are said.
pub(crate) const PAIRS_MAX: usize = 64;
/// Packets that are compared, of all pairs and both points together.
const PACKETS_MAX: usize = 4_000_000;

/// A packet at one point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) at: i64,
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    pub(crate) length: u32,
    pub(crate) stamps: Option<(u32, u32)>,
    pub(crate) ip_id: u16,
    pub(crate) control: u8,
    pub(crate) ttl: u8,
}

/// A connection at one point, and how its packets are known again.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) id: u64,
    file: u32,
    ends: [End; 2],
    /// Where its packets were captured: file and interface.
    places: Vec<u32>,
    started: i64,
    last: i64,
    turns: [Option<i64>; 2],
    syns: [Option<Syn>; 2],
    bases: [u64; 2],
}

/// A connection that was captured at two points. [`crate::compare`] says what became of its packets between them.
#[derive(Clone, Debug)]
pub struct Paired {
    points: [Point; 2],
}

impl Point {
    pub(crate) fn new(connection: &Connection, id: u64) -> Point {
        let streams = &connection.streams;
        Point {
            id,
            file: connection.places.first().map_or(0, |p| p >> 16),
            ends: connection.ends,
            places: connection.places.clone(),
            started: connection.started,
            last: connection.last(),
            turns: [0, 1].map(|n| connection.turn(n)),
            syns: [0, 1].map(|n| streams[n].syn),
            bases: [0, 1].map(|n| streams[n].base),
        }
    }

    /// Which end's packet it is, if it belongs here.
    fn side(&self, s: &Segment) -> Option<usize> {
        let is_here = (self.started..=self.last).contains(&s.at) && self.places.contains(&s.place);
        match (s.from, s.to) {
            (from, to) if is_here && [from, to] == self.ends => Some(0),
            (from, to) if is_here && [to, from] == self.ends => Some(1),
            _ => None,
        }
    }
}

impl Paired {
    pub(crate) fn new(first: Point, second: Point) -> Paired {
        // Nearer to `a` is where its packets have more hops to go, or else where it answers sooner.
        let ttl = |p: &Point, end: usize| p.syns[end].map(|s| i64::from(s.ttl));
        let difference = |end: usize| match (ttl(&first, end), ttl(&second, end)) {
            (Some(x), Some(y)) => x - y,
            _ => 0,
        };
        let hops = difference(0) - difference(1);
        let turn = |p: &Point, end: usize| p.turns[end].unwrap_or(0);
        let sooner = (turn(&first, 0) - turn(&second, 0)) - (turn(&first, 1) - turn(&second, 1));
        let is_nearer = match hops {
            0 => sooner <= 0,
            hops => hops > 0,
        };
        let points = if is_nearer {
            [first, second]
        } else {
            [second, first]
        };
        Paired { points }
    }

    /// Numbers of the connection in the document: at the point nearer to its `a`, and at the other.
    pub fn ids(&self) -> [u64; 2] {
        [self.points[0].id, self.points[1].id]
    }
}

/// Packets of pairs at their points.
pub(crate) struct Collector<'a> {
    pairs: &'a [Paired],
    /// Pair and point by the ends, the lower one first.
    places: BTreeMap<[End; 2], Vec<(usize, usize)>>,
    /// By pair and point, what each end sent.
    seen: Vec<[[Vec<Seen>; 2]; 2]>,
    room: usize,
    full: Vec<bool>,
}

fn key(a: End, b: End) -> [End; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

impl<'a> Collector<'a> {
    pub(crate) fn new(pairs: &'a [Paired]) -> Collector<'a> {
        let pairs = &pairs[..pairs.len().min(PAIRS_MAX)];
        let mut places: BTreeMap<[End; 2], Vec<(usize, usize)>> = BTreeMap::new();
        for (n, pair) in pairs.iter().enumerate() {
            for (m, point) in pair.points.iter().enumerate() {
                let [a, b] = point.ends;
                places.entry(key(a, b)).or_default().push((n, m));
            }
        }
        Collector {
            pairs,
            places,
            seen: pairs.iter().map(|_| Default::default()).collect(),
            room: PACKETS_MAX / (2 * pairs.len().max(1)),
            full: vec![false; pairs.len()],
        }
    }

    pub(crate) fn take(&mut self, s: &Segment) {
        let Some(all) = self.places.get(&key(s.from, s.to)) else {
            return;
        };
        for (pair, point) in all {
            let Some(side) = self.pairs[*pair].points[*point].side(s) else {
                continue;
            };
            let seen = &mut self.seen[*pair][*point];
            if seen[0].len() + seen[1].len() >= self.room {
                self.full[*pair] = true;
                continue;
            }
            seen[side].push(Seen {
                at: s.at,
                seq: s.seq,
                ack: s.ack,
                length: s.length,
                stamps: s.stamps,
                ip_id: s.ip_id,
                control: s.control,
                ttl: s.ttl,
            });
        }
    }

    /// What is said of all of them; `files` are the names of the files.
    pub(crate) fn stated(self, files: &[String]) -> Vec<TracePair> {
        let each = self.pairs.iter().zip(&self.seen).zip(&self.full);
        each.map(|((pair, seen), full)| stated(pair, seen, *full, files))
            .collect()
    }
}

fn stated(pair: &Paired, seen: &[[Vec<Seen>; 2]; 2], full: bool, files: &[String]) -> TracePair {
    let [near, far] = &pair.points;
    // What `a` sent passes the first point first, what `b` sent the second one.
    let forth = compare(&seen[0][0], &seen[1][0], near.bases[0], near.started);
    let back = compare(&seen[1][1], &seen[0][1], far.bases[1], far.started);
    let same_clock = near.file == far.file;
    let clocks = Clocks::of(&forth.delays, &back.delays, same_clock);
    let mut a2b = direction(&forth, &clocks, 1.0);
    let mut b2a = direction(&back, &clocks, -1.0);
    rewritten(&mut a2b, near.syns[0].as_ref(), far.syns[0].as_ref());
    rewritten(&mut b2a, far.syns[1].as_ref(), near.syns[1].as_ref());
    let mut notes = Vec::new();
    if full {
        notes.push("not all packets were compared: there are too many".to_owned());
    }
    if forth.delays.is_empty() || back.delays.is_empty() {
        notes.push(
            "one direction has no packet at both points: the clocks cannot be compared".to_owned(),
        );
    } else if !same_clock {
        notes.push(
            "delays are those of two clocks, set so that the shortest of both ways are equal: where the ways differ, both are off by half of it"
                .to_owned(),
        );
    }
    let name = |point: &Point| files.get(point.file as usize).cloned().unwrap_or_default();
    TracePair {
        connections: [near.id, far.id],
        files: [name(near), name(far)],
        a: end_text(&near.ends[0]),
        b: end_text(&near.ends[1]),
        translated: near.ends != far.ends,
        same_clock,
        clock_offset_ns: clocks.offset_ns.round() as i64,
        clock_uncertainty_ns: if same_clock {
            0
        } else {
            clocks.round_trip_ns / 2
        },
        clock_drift_ppm: clocks.drift.map(|d| d * 1e6),
        round_trip_min_ns: clocks.round_trip_ns,
        complete: !full,
        notes,
        a2b,
        b2a,
    }
}

/// Counts and delays of a direction; `sign` is that of the clock's offset in them.
fn direction(compared: &Compared, clocks: &Clocks, sign: f64) -> PairDirection {
    let mut delays: Vec<i64> = compared
        .delays
        .iter()
        .map(|(at, ns)| ns - (sign * clocks.at(*at)).round() as i64)
        .collect();
    delays.sort_unstable();
    let at = |percent: usize| {
        delays
            .get((delays.len() * percent).div_ceil(100).max(1) - 1)
            .copied()
    };
    let sum: i128 = delays.iter().map(|d| i128::from(*d)).sum();
    let packets = compared.packets;
    PairDirection {
        packets,
        lost: compared.lost,
        loss_ratio: loss_ratio(compared),
        lost_bytes: compared.lost_bytes,
        lost_acks: compared.lost_acks,
        lost_segments: compared.lost_segments.clone(),
        reordered: compared.reordered,
        duplicated: compared.duplicated,
        appeared: compared.appeared,
        appeared_bytes: compared.appeared_bytes,
        recut: compared.recut,
        recut_into: compared.recut_into,
        delay_min_ns: delays.first().copied(),
        delay_avg_ns: (!delays.is_empty()).then(|| (sum / delays.len() as i128) as i64),
        delay_p50_ns: at(50),
        delay_p99_ns: at(99),
        delay_max_ns: delays.last().copied(),
        hops: compared.hops,
        ..PairDirection::default()
    }
}

/// Lost packets among those that passed; by bytes where offload makes packets of several segments.
fn loss_ratio(compared: &Compared) -> Option<f64> {
    let (lost, all) = match compared.recut {
        0 => (compared.lost, compared.packets),
        _ => (compared.lost_bytes, compared.bytes),
    };
    (all > 0).then(|| lost as f64 / all as f64)
}

/// What was changed in a SYN on its way.
fn rewritten(direction: &mut PairDirection, before: Option<&Syn>, after: Option<&Syn>) {
    let (Some(before), Some(after)) = (before, after) else {
        return;
    };
    if let (Some(x), Some(y)) = (before.mss, after.mss)
        && x != y
    {
        direction.mss_rewritten = Some([x, y]);
    }
    if let (Some(x), Some(y)) = (before.scale, after.scale)
        && x != y
    {
        direction.window_scale_rewritten = Some([x, y]);
    }
    direction.options_removed = missing(before, after);
    direction.options_added = missing(after, before);
}
