//! What was sent again: which of it a report of the receiver is of, probes beside timeouts, repetitions with other bounds than the originals,
//! and originals that come late.

use farpath_record::trace::{Retransmissions, TraceConnection, TraceDirection};

use crate::runs::read;
use crate::shapes::{Tcp, pcap, v4};

const FULL: u32 = 1000;
/// Microseconds.
const MS: u64 = 1000;

/// A connection whose ends agreed to SACK, made segment by segment. Times are microseconds, numbers bytes from the first one on.
struct Made {
    /// Each packet has an identification of its own, in the order in which they are made.
    numbered: bool,
    packets: Vec<(u64, Vec<u8>, u32)>,
}

impl Made {
    /// The handshake takes so long from the capture to the receiver and back, and to the sender and back.
    fn new(to_receiver: u64, to_sender: u64, numbered: bool) -> Made {
        let mut made = Made {
            numbered,
            packets: Vec::new(),
        };
        let agreed = [2, 4, 3, 232, 1, 1, 4, 2];
        let of = |from_a, seq, ack, control, options: &[u8]| Tcp {
            from_a,
            seq,
            ack,
            control,
            window: 60_000,
            options: options.to_vec(),
            payload: Vec::new(),
        };
        made.put(0, &of(true, 100, 0, 2, &agreed));
        made.put(to_receiver, &of(false, 500, 101, 0x12, &agreed));
        made.put(to_receiver + to_sender, &of(true, 101, 501, 0x10, &[]));
        made
    }

    fn put(&mut self, at: u64, tcp: &Tcp) {
        let mut bytes = v4(tcp);
        let id = match self.numbered {
            true => 1 + self.packets.len() as u16,
            false => 0,
        };
        bytes[4..6].copy_from_slice(&id.to_be_bytes());
        let length = bytes.len() as u32;
        self.packets.push((at * 1000, bytes, length));
    }

    fn send(&mut self, at: u64, from: u32, until: u32) {
        self.put(
            at,
            &Tcp {
                from_a: true,
                seq: 101 + from,
                ack: 501,
                control: 0x10,
                window: 60_000,
                options: Vec::new(),
                payload: vec![0; (until - from) as usize],
            },
        );
    }

    fn answer(&mut self, at: u64, ack: u32, blocks: &[(u32, u32)]) {
        let mut options = Vec::new();
        if !blocks.is_empty() {
            options.extend([1, 1, 5, 2 + 8 * blocks.len() as u8]);
        }
        for (from, until) in blocks {
            options.extend((101 + from).to_be_bytes());
            options.extend((101 + until).to_be_bytes());
        }
        self.put(
            at,
            &Tcp {
                from_a: false,
                seq: 501,
                ack: 101 + ack,
                control: 0x10,
                window: 60_000,
                options,
                payload: Vec::new(),
            },
        );
    }

    /// Ten segments from here on.
    fn ten(&mut self, at: u64, base: u32) {
        for n in 0..10 {
            let from = base + n * FULL;
            self.send(at + u64::from(n) * 10, from, from + FULL);
        }
    }

    /// Ten rounds of ten segments at their sender, all acknowledged after a round trip: when the next one begins, and its first byte.
    fn rounds(&mut self, round_trip: u64) -> (u64, u32) {
        let (mut at, mut base) = (2 * round_trip, 0);
        for _ in 0..10 {
            self.ten(at, base);
            base += 10 * FULL;
            at += round_trip + 100;
            self.answer(at, base, &[]);
            at += 50;
        }
        (at, base)
    }

    fn found(mut self) -> TraceConnection {
        self.packets.sort_by_key(|p| p.0);
        let document = read(&pcap(101, &self.packets, false, true)).document;
        assert_eq!(document.connections.len(), 1);
        document.connections[0].clone()
    }
}

/// All of 600 segments are sent again by a timer that ran out too soon, `joined` as one each. Every `each`th is reported.
fn reported(joined: u32, each: u32) -> Retransmissions {
    const COUNT: u32 = 600;
    let mut made = Made::new(20 * MS, 50, true);
    let (at, base) = made.rounds(20 * MS);
    let place = |n: u32| base + n * FULL;
    for n in 0..COUNT {
        made.send(at + u64::from(n) * 10, place(n), place(n + 1));
    }
    let again = at + 300 * MS;
    for n in (0..COUNT).step_by(joined as usize) {
        made.send(again + u64::from(n) * 10, place(n), place(n + joined));
    }
    let answered = again + 10 * MS;
    made.answer(answered, place(COUNT), &[]);
    for n in (0..COUNT).step_by(each as usize) {
        let twice = (place(n), place(n + 1));
        made.answer(
            answered + 10 * MS + u64::from(n) * 10,
            place(COUNT),
            &[twice],
        );
    }
    made.found().a2b.retransmissions
}

#[test]
fn reports_are_of_what_was_sent_again_however_much_came_behind_it() {
    for (joined, each, unneeded) in [(1, 1, 600), (2, 1, 600), (2, 2, 300), (3, 3, 200)] {
        let again = reported(joined, each);
        let counts = (again.unneeded, again.rto, again.total());
        assert_eq!(counts, (unneeded, 600 - unneeded, 600), "{joined}, {each}");
    }
}

/// Of ten segments the last `lost` are lost, and the very last is sent again so many milliseconds after the acknowledgement before them.
fn last_again(round_trip_ms: u64, lost: u32, after_ms: u64) -> TraceConnection {
    let round_trip = round_trip_ms * MS;
    let mut made = Made::new(round_trip, 50, true);
    let (at, base) = made.rounds(round_trip);
    made.ten(at, base);
    let (head, end) = (base + (10 - lost) * FULL, base + 10 * FULL);
    let mut quiet = at + 90;
    if lost < 10 {
        quiet = at + round_trip + 100;
        made.answer(quiet, head, &[]);
    }
    let again = quiet + after_ms * MS;
    made.send(again, end - FULL, end);
    let mut heard = again + round_trip;
    if lost > 1 {
        made.answer(heard, head, &[(end - FULL, end)]);
        for from in (head..end - FULL).step_by(FULL as usize) {
            made.send(heard + 100, from, from + FULL);
        }
        heard += round_trip + 100;
    }
    made.answer(heard, end, &[]);
    made.found()
}

fn is_open(found: &TraceConnection) -> bool {
    found.notes.iter().any(|n| n.contains("tail loss probe"))
}

/// A probe is due two round trips after what was heard last, and with the timer at the latest: a round trip and 200 ms.
#[test]
fn the_last_of_several_segments_under_way_is_a_probe_at_any_round_trip() {
    for round_trip in [50, 96, 120, 200, 300, 600] {
        let due = (2 * round_trip + 2).min(round_trip + 200);
        for lost in [2, 3, 10] {
            let found = last_again(round_trip, lost, due);
            let again = &found.a2b.retransmissions;
            let counts = (again.tlp, again.fast, again.total());
            let wanted = (1, u64::from(lost) - 1, u64::from(lost));
            assert_eq!(counts, wanted, "{round_trip} ms, {lost} lost: {again:?}");
            assert!(!is_open(&found), "{round_trip} ms, {lost} lost");
        }
    }
}

/// What leaves behind an acknowledgement is probed, in Linux, when a timer from the first segment under way has run out: after 200 ms where
/// that left a round trip before.
#[test]
fn a_window_without_an_answer_is_probed_by_the_timer_of_its_first_segment() {
    for round_trip_ms in [120, 300, 600] {
        let round_trip = round_trip_ms * MS;
        let mut made = Made::new(round_trip, 50, true);
        let (at, base) = made.rounds(round_trip);
        made.ten(at, base);
        made.answer(at + round_trip + 10, base + FULL, &[]);
        let last = (base + 10 * FULL, base + 11 * FULL);
        made.send(at + round_trip + 20, last.0, last.1);
        let again = at + round_trip + 200 * MS;
        made.send(again, last.0, last.1);
        let heard = again + round_trip;
        made.answer(heard, base + FULL, &[last]);
        for n in 1..10 {
            made.send(heard + 100, base + n * FULL, base + (n + 1) * FULL);
        }
        made.answer(heard + round_trip + 100, last.1, &[]);
        let again = made.found().a2b.retransmissions;
        let counts = (again.tlp, again.fast, again.total());
        assert_eq!(counts, (1, 9, 10), "{round_trip_ms} ms: {again:?}");
    }
}

#[test]
fn one_segment_that_is_left_under_way_is_a_probe_where_the_timer_was_not_due() {
    for round_trip in [50, 96, 120, 150] {
        let found = last_again(round_trip, 1, 2 * round_trip + 2);
        let again = &found.a2b.retransmissions;
        assert_eq!((again.tlp, again.rto), (1, 0), "{round_trip} ms: {again:?}");
    }
    // Where it allows for a delayed acknowledgement, or two round trips are longer, it comes with the timer.
    for round_trip in [50, 96, 120, 200, 300, 600] {
        let found = last_again(round_trip, 1, round_trip + 200);
        let again = &found.a2b.retransmissions;
        assert_eq!((again.tlp, again.rto), (0, 1), "{round_trip} ms: {again:?}");
        assert!(is_open(&found), "{round_trip} ms: {:?}", found.notes);
    }
}

/// The only segment under way is sent again after a round trip and 200 ms, and once more.
#[test]
fn what_the_timer_does_next_says_whether_a_probe_was_before_it() {
    for (more, wanted) in [(300, (1, 1)), (600, (0, 2))] {
        let mut made = Made::new(100 * MS, 50, true);
        made.send(101 * MS, 0, FULL);
        made.answer(201 * MS, FULL, &[]);
        let mut at = 202 * MS;
        for wait in [0, 300, more] {
            at += wait * MS;
            made.send(at, FULL, 2 * FULL);
        }
        made.answer(at + 100 * MS, 2 * FULL, &[]);
        let found = made.found();
        let again = &found.a2b.retransmissions;
        assert_eq!((again.tlp, again.rto), wanted, "{more} ms: {again:?}");
        assert!(!is_open(&found), "{more} ms: {:?}", found.notes);
    }
}

/// Two of ten segments are lost behind the capture, which has them as one if `joined`. They are sent again in these pieces, of which the receiver reports these bytes.
fn in_pieces(joined: bool, pieces: &[(u32, u32)], twice: &[(u32, u32)]) -> Retransmissions {
    let mut made = Made::new(20 * MS, 50, true);
    let (at, base) = made.rounds(20 * MS);
    match joined {
        true => made.send(at, base, base + 10 * FULL),
        false => made.ten(at, base),
    }
    let mut next = at + 20 * MS + 100;
    for n in 6..=10 {
        let block = (base + 5 * FULL, base + n * FULL);
        made.answer(next, base + 3 * FULL, &[block]);
        next += 10;
    }
    for (from, until) in pieces {
        next += 10;
        made.send(next, base + from, base + until);
    }
    let twice: Vec<_> = twice.iter().map(|b| (base + b.0, base + b.1)).collect();
    made.answer(next + 20 * MS, base + 10 * FULL, &twice);
    made.found().a2b.retransmissions
}

#[test]
fn bytes_that_are_sent_again_for_the_first_time_are_no_lost_repetition() {
    let across = (3500, 4500);
    for (pieces, twice) in [
        // Beside it, over it, and with a report of bytes of which it had others besides.
        ([across, (3000, 3500), (4500, 5000)], &[][..]),
        ([across, (3000, 4000), (4000, 5000)], &[][..]),
        ([across, (3000, 3500), (4500, 5000)], &[(4000, 4500)][..]),
    ] {
        let again = in_pieces(false, &pieces, twice);
        let counts = (again.fast, again.lost_retransmission, again.unneeded);
        assert_eq!(counts, (3, 0, 0), "{pieces:?}, {twice:?}: {again:?}");
    }
    // All of them once more.
    let whole = (3000, 4000);
    let again = in_pieces(false, &[across, (3000, 3500), whole], &[]);
    assert_eq!((again.fast, again.lost_retransmission), (2, 1), "{again:?}");
    // In any order.
    let quarters = [(4000, 4500), (3000, 3500), (4500, 5000), (3500, 4000)];
    for joined in [false, true] {
        let again = in_pieces(joined, &quarters, &[]);
        let counts = (again.fast, again.lost_retransmission);
        assert_eq!(counts, (4, 0), "{joined}: {again:?}");
    }
}

/// Midway on a path of 40 ms: the fourth of ten segments does not come in its turn, but so long after it as `late` says, or never. These
/// bytes are sent again, so long after that turn, and reported if `twice`.
fn midway(late: Option<u64>, again: &[(u64, (u32, u32))], numbered: bool) -> TraceDirection {
    let mut made = Made::new(20 * MS, 20 * MS, numbered);
    let (mut at, mut base) = (60 * MS, 0);
    for _ in 0..8 {
        made.ten(at, base);
        for n in 0..10 {
            let heard = at + 20 * MS + u64::from(n) * 10;
            made.answer(heard, base + (n + 1) * FULL, &[]);
        }
        base += 10 * FULL;
        at += 40 * MS + 100;
    }
    let turn = at + 30;
    for n in 0..10 {
        let from = base + n * FULL;
        let when = match (n, late) {
            (3, None) => continue,
            (3, Some(late)) => turn + late,
            _ => at + u64::from(n) * 10,
        };
        made.send(when, from, from + FULL);
    }
    for n in 1..=10 {
        let heard = at + 20 * MS + u64::from(n) * 10;
        let held = (base + 4 * FULL, base + n * FULL);
        match n {
            1..=3 => made.answer(heard, base + n * FULL, &[]),
            4 => {}
            _ => made.answer(heard, base + 3 * FULL, &[held]),
        }
    }
    let end = base + 10 * FULL;
    let mut came: Vec<u64> = late.into_iter().map(|late| turn + late).collect();
    for (after, (from, until)) in again {
        made.send(turn + after, base + from, base + until);
        if late.is_none() {
            came.push(turn + after);
        }
    }
    let filled = came.into_iter().max().unwrap_or(turn) + 20 * MS;
    made.answer(filled, end, &[]);
    if let (Some(late), [(after, (from, until))]) = (late, again)
        && late < *after
    {
        let twice = (base + from, base + until);
        made.answer(turn + after + 20 * MS, end, &[twice]);
    }
    made.found().a2b
}

fn counted(d: &TraceDirection) -> [u64; 5] {
    let again = &d.retransmissions;
    [
        d.reordered_segments,
        again.unneeded,
        again.upstream,
        again.total(),
        d.network_duplicates,
    ]
}

/// An original comes nine tenths of a round trip late, and then its repetition, before anybody can have heard of either. The receiver reports it.
#[test]
fn what_came_late_before_its_repetition_was_not_lost() {
    let whole = (3000, 4000);
    for behind in [5 * MS, 18 * MS, 24 * MS] {
        let found = midway(Some(36 * MS), &[(36 * MS + behind, whole)], true);
        assert_eq!(counted(&found), [1, 1, 0, 1, 0], "{behind}: {found:?}");
    }
    // Neither clock nor count: later than a copy that the network makes.
    let found = midway(Some(36 * MS), &[(60 * MS, whole)], false);
    assert_eq!(counted(&found), [1, 1, 0, 1, 0], "{found:?}");
}

/// A repetition fills the second part of a hole and repeats what is behind it: it is one packet.
#[test]
fn a_packet_that_fills_a_part_of_a_hole_counts_once() {
    let across = (41 * MS, (3500, 4500));
    let found = midway(None, &[across, (42 * MS, (3000, 3500))], true);
    assert_eq!(counted(&found), [0, 0, 2, 2, 0], "{found:?}");
    assert_eq!(found.segments, 91, "{found:?}");
    // The original comes behind it: that was late, and nothing lost.
    let found = midway(Some(46 * MS), &[across], true);
    assert_eq!(counted(&found), [1, 1, 0, 1, 0], "{found:?}");
}
