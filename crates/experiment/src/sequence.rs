//! Time–sequence traces for the page: every connection as it was recorded, thinned to what a page can carry.

use std::collections::BTreeMap;

use farpath_record::Origin;
use farpath_record::{Sequence, SequenceBurst, SequenceKind};
use farpath_scenario::Scenario;
use farpath_sim as sim;
use farpath_units::Time;
use farpath_wire::Burst;

/// Bursts of all connections together: some 3 MB of page.
const BUDGET: usize = 36_000;
/// Connections a page shows; of parallel ones the first of each test come first.
const MOST: usize = 32;
/// Where the budget does not suffice, a connection's time is cut into at most this many slots.
const SLOTS: usize = 400;
/// A burst of this many events or more is cheap for what it says, and kept.
const LARGE: u64 = 256;

/// Bursts of each kind recorded for all connections of a page together: some tens of MB. The page carries fewer.
const RECORDED: usize = 500_000;

/// What each connection keeps of them, `points` being all that share the page.
pub(crate) fn bursts_each<'s>(points: impl Iterator<Item = &'s Scenario>) -> usize {
    let streams = |s: &Scenario| -> usize {
        let tests = s.tests.iter().filter_map(|t| t.kind.tcp());
        tests.map(|tcp| tcp.parallel as usize).sum()
    };
    let all: usize = points.map(streams).sum();
    (RECORDED / all.max(1)).clamp(100, RECORDED / 5)
}

/// The time–sequence records of every connection of one point.
pub(crate) fn of(
    scenario: &Scenario,
    mut outcome: sim::Outcome,
    at: &BTreeMap<String, String>,
) -> Vec<Sequence> {
    let flows = outcome.built.wan.plan.flows.clone();
    let mut found = Vec::new();
    for node in 0..scenario.node_count() {
        for program in outcome.built.station_mut(node).programs_mut() {
            let Some(source) = program.tcp_source_mut() else {
                continue;
            };
            let (Some(sequence), mss) = (source.sequence.take(), source.config().tcp.mss) else {
                continue;
            };
            let flow = &flows[usize::from(source.config().flow.flow())];
            let record = sequence.finish();
            found.push(Sequence {
                origin: Origin::Simulated,
                test: scenario.tests[flow.test].name.clone(),
                stream: flow.stream,
                point: at.clone(),
                bursts: bursts(&record, mss.into()),
                complete_until_ns: record.cut.map(Time::as_ns),
                detail_ns: Vec::new(),
            });
        }
    }
    found.sort_by(|a, b| (&a.test, a.stream).cmp(&(&b.test, b.stream)));
    found
}

fn bursts(record: &sim::SequenceRecord, mss: u64) -> Vec<SequenceBurst> {
    let mut all = Vec::new();
    for (kind, len, track) in [
        (SequenceKind::Data, mss, &record.data),
        (SequenceKind::Retransmit, mss, &record.retransmits),
        (SequenceKind::Ack, 0, &record.acks),
    ] {
        all.extend(track.iter().flat_map(|b| plain(kind, len, b)));
    }
    all.extend(
        record
            .sacks
            .iter()
            .map(|&(at, start, end)| single(SequenceKind::Sack, at, start, end - start)),
    );
    all.sort_by_key(|b| b.t_ns);
    all
}

fn single(kind: SequenceKind, at: Time, seq: u64, len: u64) -> SequenceBurst {
    SequenceBurst {
        kind,
        t_ns: at.as_ns(),
        seq,
        len,
        n: 1,
        gap_ns: 0.0,
        seq_step: 0,
        m: 1,
        group_gap_ns: 0.0,
        group_seq_step: 0,
        stands_for: 0,
    }
}

/// A burst as the page expands it: whole groups, and what was cut off at either end apart.
fn plain(kind: SequenceKind, len: u64, burst: &Burst) -> Vec<SequenceBurst> {
    let group = burst.group().unwrap_or(burst.count());
    let cut = (group - burst.phase()) % group;
    let mut parts = Vec::new();
    let mut rest = *burst;
    if cut > 0 && cut < rest.count() {
        let (head, tail) = rest.split_at(cut);
        parts.push(groups(kind, len, &head, cut, 1));
        rest = tail;
    }
    let whole = rest.count() / group;
    let left = rest.count() % group;
    if whole > 0 && left > 0 {
        let (body, tail) = rest.split_at(whole * group);
        parts.push(groups(kind, len, &body, group, whole));
        rest = tail;
    }
    let (n, m) = if left > 0 {
        (rest.count(), 1)
    } else {
        (group.min(rest.count()), whole.max(1))
    };
    parts.push(groups(kind, len, &rest, n, m));
    parts
}

fn groups(kind: SequenceKind, len: u64, burst: &Burst, n: u32, m: u32) -> SequenceBurst {
    let first = burst.first();
    let next = if m > 1 { burst.frame(n) } else { *first };
    let within = n > 1;
    SequenceBurst {
        n: n.into(),
        gap_ns: if within {
            burst.inner().at.as_ps() as f64 / 1000.0
        } else {
            0.0
        },
        // Steps are modulo 2⁶⁴, so that those of repairs can go back.
        seq_step: if within { burst.inner().seq as i64 } else { 0 },
        m: m.into(),
        group_gap_ns: next.at.since(first.at).as_ps() as f64 / 1000.0,
        group_seq_step: next.seq.wrapping_sub(first.seq) as i64,
        ..single(kind, first.at, first.seq, len)
    }
}

/// Leaves of all connections what a page can carry: all of them whole if that is little, else the opening and the
/// first loss of each in full and the rest as strokes. Returns what a reader must know of it.
pub(crate) fn thin(sequences: &mut Vec<Sequence>) -> Vec<String> {
    let mut notes = Vec::new();
    let all = sequences.len();
    if all > MOST {
        let mut streams: Vec<u32> = sequences.iter().map(|s| s.stream).collect();
        streams.sort_unstable();
        let last = streams[MOST - 1];
        let mut left = MOST;
        sequences.retain(|s| {
            let keep = s.stream <= last && left > 0;
            left -= usize::from(keep);
            keep
        });
        notes.push(format!(
            "The page traces {MOST} of {all} connections segment by segment."
        ));
    }
    let total: usize = sequences.iter().map(|s| s.bursts.len()).sum();
    if total > BUDGET {
        // Those that need less than their share leave the rest to the others.
        let mut order: Vec<usize> = (0..sequences.len()).collect();
        order.sort_by_key(|i| sequences[*i].bursts.len());
        let mut budget = BUDGET;
        for (done, i) in order.iter().enumerate() {
            let share = budget / (order.len() - done);
            thin_one(&mut sequences[*i], share);
            budget = budget.saturating_sub(sequences[*i].bursts.len());
        }
    }
    notes
}

fn thin_one(sequence: &mut Sequence, share: usize) {
    let bursts = &sequence.bursts;
    let (Some(first), Some(last)) = (bursts.first(), bursts.last()) else {
        return;
    };
    if bursts.len() <= share {
        return;
    }
    let slots = (share / 10).clamp(1, SLOTS);
    let start = first.t_ns;
    let width = (last.t_ns - start) / slots as u64 + 1;
    let slot = |b: &SequenceBurst| ((b.t_ns - start) / width) as usize;
    let mut sizes = vec![0usize; slots];
    for burst in bursts {
        sizes[slot(burst)] += 1;
    }
    let loss = bursts
        .iter()
        .find(|b| b.kind == SequenceKind::Retransmit)
        .map(&slot);
    let full = chosen(&sizes, loss, share / 2);
    sequence.detail_ns = spans(&full, start, width);
    sequence.bursts = strokes(bursts, &full, share / 5, slot);
}

/// The slots that are kept in full: half of the room from the start on, half around the first loss.
fn chosen(sizes: &[usize], loss: Option<usize>, room: usize) -> Vec<bool> {
    let mut full = vec![false; sizes.len()];
    let mut take = |from: usize, mut room: usize| {
        for slot in from..sizes.len() {
            if full[slot] {
                continue;
            }
            if sizes[slot] > room {
                return;
            }
            room -= sizes[slot];
            full[slot] = true;
        }
    };
    match loss {
        // The segment that was lost left a round trip earlier; a slot is usually longer than that.
        Some(slot) => {
            take(slot.saturating_sub(1), room / 2);
            take(0, room / 2);
        }
        None => take(0, room),
    }
    full
}

fn spans(full: &[bool], start: u64, width: u64) -> Vec<[u64; 2]> {
    let mut spans: Vec<[u64; 2]> = Vec::new();
    for (slot, _) in full.iter().enumerate().filter(|(_, kept)| **kept) {
        let from = start + slot as u64 * width;
        match spans.last_mut() {
            Some(span) if span[1] == from => span[1] = from + width,
            _ => spans.push([from, from + width]),
        }
    }
    spans
}

/// Outside the full slots, small bursts of one kind in one slot become a stroke from the first event to the last.
/// Retransmissions and SACK blocks go back and forth, so that no stroke stands for them: some are kept as they are.
fn strokes(
    bursts: &[SequenceBurst],
    full: &[bool],
    room: usize,
    slot: impl Fn(&SequenceBurst) -> usize,
) -> Vec<SequenceBurst> {
    let mut sacks = Sample::new(bursts, SequenceKind::Sack, full, room / 2, &slot);
    let mut repairs = Sample::new(bursts, SequenceKind::Retransmit, full, room / 2, &slot);
    let large = large(bursts, room / 4);
    let mut out: Vec<SequenceBurst> = Vec::new();
    // Where the open stroke of data and of acknowledgements stands in `out`.
    let mut open: [Option<(usize, usize)>; 2] = [None; 2];
    for burst in bursts {
        let here = slot(burst);
        match burst.kind {
            SequenceKind::Sack if !full[here] => {
                out.extend(sacks.take(burst));
                continue;
            }
            SequenceKind::Retransmit if !full[here] => {
                out.extend(repairs.take(burst));
                continue;
            }
            SequenceKind::Sack | SequenceKind::Retransmit => {
                out.push(burst.clone());
                continue;
            }
            SequenceKind::Data | SequenceKind::Ack => {}
        }
        let kind = usize::from(burst.kind == SequenceKind::Ack);
        if full[here] || burst.n * burst.m >= large {
            open[kind] = None;
            out.push(burst.clone());
            continue;
        }
        match open[kind] {
            Some((at, begun)) if begun == here => extend(&mut out[at], burst),
            _ => {
                open[kind] = Some((out.len(), here));
                out.push(stroke(burst));
            }
        }
    }
    out
}

/// Every so-manieth burst of a kind, which stands for those left out since the one before.
struct Sample {
    every: usize,
    left: usize,
    events: u64,
    waiting: usize,
}

impl Sample {
    fn new(
        bursts: &[SequenceBurst],
        kind: SequenceKind,
        full: &[bool],
        room: usize,
        slot: impl Fn(&SequenceBurst) -> usize,
    ) -> Sample {
        let left = bursts
            .iter()
            .filter(|b| b.kind == kind && !full[slot(b)])
            .count();
        Sample {
            every: left.div_ceil(room + 1).max(1),
            left,
            events: 0,
            waiting: 0,
        }
    }

    fn take(&mut self, burst: &SequenceBurst) -> Option<SequenceBurst> {
        self.left -= 1;
        self.waiting += 1;
        self.events += burst.n * burst.m;
        if self.waiting < self.every && self.left > 0 {
            return None;
        }
        let stands_for = if self.waiting == 1 { 0 } else { self.events };
        (self.waiting, self.events) = (0, 0);
        Some(SequenceBurst {
            stands_for,
            ..burst.clone()
        })
    }
}

/// From how many events on a burst is kept: `LARGE`, or more where that many would be too many.
fn large(bursts: &[SequenceBurst], room: usize) -> u64 {
    let mut sizes: Vec<u64> = bursts
        .iter()
        .map(|b| b.n * b.m)
        .filter(|n| *n >= LARGE)
        .collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.get(room).map_or(LARGE, |size| size + 1)
}

/// A burst as a stroke: its first and its last event.
fn stroke(burst: &SequenceBurst) -> SequenceBurst {
    let mut stroke = SequenceBurst {
        n: 1,
        m: 1,
        stands_for: 0,
        ..burst.clone()
    };
    (
        stroke.gap_ns,
        stroke.seq_step,
        stroke.group_gap_ns,
        stroke.group_seq_step,
    ) = (0.0, 0, 0.0, 0);
    extend(&mut stroke, burst);
    stroke
}

/// Draws a stroke on to the last event of `burst`.
fn extend(stroke: &mut SequenceBurst, burst: &SequenceBurst) {
    let (n, m) = ((burst.n - 1) as f64, (burst.m - 1) as f64);
    let end = burst.t_ns as f64 + n * burst.gap_ns + m * burst.group_gap_ns;
    stroke.n = 2;
    stroke.gap_ns = (end - stroke.t_ns as f64).max(0.0).round();
    stroke.seq_step = last(burst) as i64 - stroke.seq as i64;
    stroke.stands_for += burst.n * burst.m;
}

/// The stream offset of a burst's last event.
fn last(burst: &SequenceBurst) -> u64 {
    let (n, m) = ((burst.n - 1) as i64, (burst.m - 1) as i64);
    (burst.seq as i64 + n * burst.seq_step + m * burst.group_seq_step) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_units::Duration;
    use farpath_wire::{Coalescer, FlowDir, Frame, Kind};

    /// A congested connection: every acknowledgement at an instant of its own, a loss in the middle.
    fn trace(stream: u32, events: u64) -> Sequence {
        let ns = |ns: u64| Time::ZERO + Duration::from_ns(ns);
        let at = |i: u64| ns(i * 10_000 + i * i % 977);
        let mut bursts: Vec<SequenceBurst> = (0..events)
            .flat_map(|i| {
                let data = single(SequenceKind::Data, at(i), i * 1448, 1448);
                let ack = single(SequenceKind::Ack, ns(at(i).as_ns() + 5000), i * 1448, 0);
                [data, ack]
            })
            .collect();
        bursts.push(single(
            SequenceKind::Retransmit,
            at(events / 2),
            700 * 1448,
            1448,
        ));
        bursts.sort_by_key(|b| b.t_ns);
        let (origin, test, point) = (Origin::Simulated, "t".to_owned(), BTreeMap::new());
        Sequence {
            origin,
            test,
            stream,
            point,
            bursts,
            complete_until_ns: None,
            detail_ns: Vec::new(),
        }
    }

    fn events(sequence: &Sequence) -> u64 {
        sequence
            .bursts
            .iter()
            .map(|b| {
                if b.stands_for > 0 {
                    b.stands_for
                } else {
                    b.n * b.m
                }
            })
            .sum()
    }

    /// Every event of a burst: its instant and its byte.
    fn expanded(b: &SequenceBurst) -> impl Iterator<Item = (u64, i64)> + '_ {
        (0..b.m).flat_map(move |j| {
            (0..b.n).map(move |i| {
                let at = b.t_ns as f64 + j as f64 * b.group_gap_ns + i as f64 * b.gap_ns;
                let seq = b.seq as i64 + j as i64 * b.group_seq_step + i as i64 * b.seq_step;
                (at as u64, seq)
            })
        })
    }

    #[test]
    fn bursts_give_their_events_back_where_repairs_go_back_too() {
        // Each timeout begins again at the first hole, and the last repairs run from the end to the start.
        let rounds = [
            vec![90u64, 91, 92, 93],
            vec![80, 81, 82, 83],
            vec![70, 71, 72, 73],
            vec![60, 61, 95, 12, 11, 10, 9, 40],
        ];
        let sent: Vec<(u64, i64)> = (0..)
            .zip(rounds.concat())
            .map(|(i, segment)| (1000 * i, 1448 * segment as i64))
            .collect();
        let mut open = Coalescer::new();
        let mut bursts: Vec<Burst> = Vec::new();
        for (ns, seq) in &sent {
            let frame = Frame::new(Kind::Data, FlowDir(0), *seq as u64, 0);
            let at = Time::ZERO + Duration::from_ns(*ns);
            bursts.extend(open.push(frame.arriving(at)));
        }
        bursts.extend(open.finish());
        let page: Vec<SequenceBurst> = bursts
            .iter()
            .flat_map(|b| plain(SequenceKind::Retransmit, 1448, b))
            .collect();
        assert!(page.iter().any(|b| b.seq_step < 0 || b.group_seq_step < 0));
        assert_eq!(page.iter().flat_map(expanded).collect::<Vec<_>>(), sent);
        assert!(
            page.iter()
                .all(|b| Some(last(b)) == expanded(b).last().map(|e| e.1 as u64))
        );
    }

    #[test]
    fn what_fits_is_left_alone() {
        let mut sequences = vec![trace(0, 1000), trace(1, 1000)];
        let before = sequences.clone();
        assert!(thin(&mut sequences).is_empty());
        assert_eq!(sequences, before);
    }

    #[test]
    fn a_long_trace_keeps_its_opening_its_first_loss_its_ends_and_its_count() {
        let mut sequences = vec![trace(0, 400_000), trace(1, 500)];
        let before = sequences.clone();
        thin(&mut sequences);
        assert!(sequences.iter().map(|s| s.bursts.len()).sum::<usize>() <= BUDGET);
        assert_eq!(sequences[1], before[1]);
        let thinned = &sequences[0];
        assert_eq!(events(thinned), events(&before[0]));
        let loss = before[0]
            .bursts
            .iter()
            .find(|b| b.kind == SequenceKind::Retransmit)
            .expect("it has one")
            .t_ns;
        let [opening, around] = thinned.detail_ns[..] else {
            panic!("{:?}", thinned.detail_ns)
        };
        assert!(opening[0] == 0 && around[0] < loss && loss < around[1]);
        for span in [opening, around] {
            let inside = |s: &Sequence| {
                s.bursts
                    .iter()
                    .filter(|b| span[0] <= b.t_ns && b.t_ns < span[1])
                    .cloned()
                    .collect::<Vec<_>>()
            };
            assert_eq!(inside(thinned), inside(&before[0]));
        }
        let end = |s: &Sequence| {
            let data = s.bursts.iter().rfind(|b| b.kind == SequenceKind::Data);
            last(data.expect("it has data"))
        };
        assert_eq!(end(thinned), end(&before[0]));
    }

    #[test]
    fn of_very_many_connections_the_first_of_each_test_are_shown() {
        let mut sequences: Vec<Sequence> = (0..100).map(|stream| trace(stream, 10)).collect();
        let notes = thin(&mut sequences);
        assert_eq!(sequences.len(), MOST);
        assert!(sequences.iter().all(|s| (s.stream as usize) < MOST));
        assert_eq!(
            notes,
            ["The page traces 32 of 100 connections segment by segment."]
        );
    }
}
