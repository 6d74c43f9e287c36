//! Copies that the network makes, behind the acknowledgement of the first one, and what a sender sends again without need.

use std::collections::{BTreeMap, BTreeSet};

use farpath_record::trace::{TraceConnection, TraceDirection};

use crate::runs::{data, read, run, run_with, three_routers};
use crate::shapes::{Tcp, ethernet, pcap, v4, v6};

const SYN: u8 = 2;
const ACK: u8 = 0x10;
const MS: u64 = 1_000_000;
const START: u64 = 1_000_000 * MS;
/// From the sender to the capture, which is at the receiver; and there and back.
const ONE_WAY: u64 = 20 * MS;
const ROUND_TRIP: u64 = 2 * ONE_WAY;
/// Rounds, of each of which one segment comes twice.
const ROUNDS: u64 = 10;

/// What packets may be known by.
#[derive(Clone, Copy, Debug)]
enum Known {
    /// Identifications that count up, and timestamps.
    Both,
    /// Identifications alone.
    Numbers,
    /// One identification for all.
    Constant(u16),
    /// Timestamps with an identification of 0, as in Linux with DF.
    Stamps,
    /// Timestamps of IPv6.
    V6,
}

impl Known {
    fn is_stamped(self) -> bool {
        matches!(self, Known::Both | Known::Stamps | Known::V6)
    }
}

/// Why a segment comes twice, and how much later.
#[derive(Clone, Copy, Debug)]
enum Again {
    Copied(u64),
    Sent(u64),
    /// Sent again, and so much later a copy of the first comes.
    Behind(u64, u64),
}

/// A capture at the receiver.
struct Made {
    known: Known,
    packets: Vec<(u64, Vec<u8>, u32)>,
}

impl Made {
    fn segment(&mut self, at: u64, control: u8, (from_a, seq, ack): (bool, u32, u32), length: u32) {
        let stamped = self.known.is_stamped();
        let mut options = Vec::new();
        if control & SYN != 0 {
            // Full segments have 1000 bytes beside their options.
            options.extend([2, 4, 3, if stamped { 244 } else { 232 }]);
        }
        if stamped {
            let sent = if from_a { at - ONE_WAY } else { at };
            options.extend([1, 1, 8, 10]);
            for time in [sent, sent - ONE_WAY] {
                options.extend(((time / MS) as u32).to_be_bytes());
            }
        }
        let tcp = Tcp {
            from_a,
            seq,
            ack,
            control,
            window: 65_535,
            options,
            payload: vec![7; length as usize],
        };
        let is_v6 = matches!(self.known, Known::V6);
        let mut frame = ethernet(&if is_v6 { v6(&tcp) } else { v4(&tcp) });
        let id = match self.known {
            Known::Both | Known::Numbers => 1 + self.packets.len() as u16,
            Known::Constant(id) => id,
            Known::Stamps | Known::V6 => 0,
        };
        if !is_v6 {
            frame[18..20].copy_from_slice(&id.to_be_bytes());
        }
        self.packets.push((at, frame, 0));
    }

    fn open(&mut self) {
        self.segment(START, SYN, (true, 1000, 0), 0);
        self.segment(START + AT_ONCE, SYN | ACK, (false, 5000, 1001), 0);
        self.segment(START + ROUND_TRIP, ACK, (true, 1001, 5001), 0);
    }
}

/// How soon what arrives is acknowledged.
const AT_ONCE: u64 = MS / 20;

/// A connection that is open.
fn opened(known: Known) -> Made {
    let mut made = Made {
        known,
        packets: Vec::new(),
    };
    made.open();
    made
}

/// When a segment arrives, and its number; ten go in a round trip.
fn arrival(number: u64) -> (u64, u32) {
    let (round, place) = (number / 10, number % 10);
    let at = START + (1 + round) * ROUND_TRIP + MS + place * 3 * MS / 10;
    (at, 1001 + 1000 * number as u32)
}

fn described(mut made: Made) -> TraceConnection {
    made.packets.sort_by_key(|p| p.0);
    let document = read(&pcap(1, &made.packets, false, true)).document;
    assert_eq!(document.connections.len(), 1);
    document.connections[0].clone()
}

/// What is found in rounds of ten segments that are acknowledged one by one, so long after they came.
fn connection(known: Known, again: Again, acked_after: u64) -> TraceConnection {
    let mut made = opened(known);
    for number in 0..10 * ROUNDS {
        let (at, seq) = arrival(number);
        made.segment(at, ACK, (true, seq, 5001), 1000);
        if number % 10 == 3 {
            match again {
                Again::Sent(after) => made.segment(at + after, ACK, (true, seq, 5001), 1000),
                Again::Copied(after) => {
                    let mut copy = made.packets.last().cloned().expect("the first one");
                    copy.0 += after;
                    made.packets.push(copy);
                }
                Again::Behind(after, more) => {
                    let mut copy = made.packets.last().cloned().expect("the first one");
                    copy.0 += after + more;
                    made.segment(at + after, ACK, (true, seq, 5001), 1000);
                    made.packets.push(copy);
                }
            }
        }
        made.segment(at + acked_after, ACK, (false, 5001, seq + 1000), 0);
    }
    described(made)
}

/// What is found in rounds of ten segments whose fourth is lost before the capture, or late by 12 ms. It is sent again 10 ms after
/// its first: sooner than a sender of this path can have heard.
fn found_behind(known: Known, is_late: bool) -> TraceDirection {
    let mut made = opened(known);
    for round in 0..ROUNDS {
        let first = 1001 + 10_000 * round as u32;
        let at = |place: u64| START + (1 + round) * ROUND_TRIP + MS + place * 3 * MS / 10;
        let hole = first + 3000;
        for place in 0..10 {
            let seq = first + 1000 * place as u32;
            if place != 3 {
                made.segment(at(place), ACK, (true, seq, 5001), 1000);
                let ack = if place < 3 { seq + 1000 } else { hole };
                made.segment(at(place) + AT_ONCE, ACK, (false, 5001, ack), 0);
            } else if is_late {
                made.segment(at(place), ACK, (true, seq, 5001), 1000);
                let late = made.packets.last_mut().expect("the first one");
                late.0 += 12 * MS;
            }
        }
        let again = at(3) + 10 * MS;
        made.segment(again, ACK, (true, hole, 5001), 1000);
        made.segment(again + AT_ONCE, ACK, (false, 5001, first + 10_000), 0);
    }
    described(made).a2b
}

fn figures(known: Known, again: Again) -> [u64; 3] {
    counted(&connection(known, again, AT_ONCE).a2b)
}

fn counted(d: &TraceDirection) -> [u64; 3] {
    [
        d.network_duplicates,
        d.retransmissions.unneeded,
        d.retransmitted_segments,
    ]
}

#[test]
fn copies_behind_the_acknowledgement_are_the_networks() {
    for after in [MS / 5, 3 * MS, 10 * MS, 45 * MS] {
        for known in [Known::Both, Known::Numbers, Known::V6, Known::Stamps] {
            let found = figures(known, Again::Copied(after));
            assert_eq!(found, [ROUNDS, 0, 0], "{known:?} {after}");
        }
    }
    // Within half a round trip nobody can have heard that it is missing.
    let found = figures(Known::Constant(0), Again::Copied(10 * MS));
    assert_eq!(found, [ROUNDS, 0, 0]);
}

#[test]
fn what_is_sent_again_behind_the_acknowledgement_is_no_copy() {
    for after in [45 * MS, 150 * MS] {
        let stamped = [Known::Both, Known::V6, Known::Stamps];
        let others = [Known::Constant(0), Known::Constant(7), Known::Numbers];
        for known in stamped.into_iter().chain(others) {
            let found = figures(known, Again::Sent(after));
            assert_eq!(found, [0, ROUNDS, ROUNDS], "{known:?} {after}");
        }
    }
}

/// Without timestamps, and with an identification that all packets have, a copy beyond half a round trip is not to be known.
#[test]
fn what_nothing_tells_apart_stays_unneeded() {
    for id in [0, 7] {
        let found = connection(Known::Constant(id), Again::Copied(45 * MS), AT_ONCE);
        assert_eq!(counted(&found.a2b), [0, ROUNDS, ROUNDS], "{id}");
        let note = found.notes.iter().find(|n| n.contains("is not known"));
        let said = note.is_some_and(|n| n.contains("10 segments") && n.contains("a capture at"));
        assert!(said, "{:?}", found.notes);
    }
    for known in [Known::Both, Known::Numbers, Known::V6, Known::Stamps] {
        let found = connection(known, Again::Sent(45 * MS), AT_ONCE);
        let open = found.notes.iter().any(|n| n.contains("is not known"));
        assert!(!open, "{known:?}: {:?}", found.notes);
    }
}

/// Behind a repetition comes a copy of the first sending: its clock or its count says which it is of.
#[test]
fn a_copy_of_the_first_behind_its_repetition_is_the_networks() {
    for known in [Known::Both, Known::Numbers, Known::V6, Known::Stamps] {
        for more in [5 * MS, 60 * MS] {
            let found = figures(known, Again::Behind(45 * MS, more));
            assert_eq!(found, [ROUNDS; 3], "{known:?} {more}");
        }
    }
    // Where all packets have one identification nothing says so.
    let found = figures(Known::Constant(7), Again::Behind(45 * MS, 60 * MS));
    assert_eq!(found, [0, 2 * ROUNDS, 2 * ROUNDS]);
}

/// One identification for all packets does not make a copy of what is sent again before it is acknowledged.
#[test]
fn an_identification_of_all_packets_tells_nothing() {
    for known in [Known::Constant(0), Known::Constant(7), Known::Numbers] {
        let found = connection(known, Again::Sent(150 * MS), 170 * MS);
        assert_eq!(counted(&found.a2b), [0, 0, ROUNDS], "{known:?}");
    }
}

/// The first sending is overtaken by its own repetition, which fills the hole: one is late, and the other was not needed.
#[test]
fn a_sending_behind_its_repetition_is_late() {
    const LATE: u64 = 53;
    for known in [Known::Both, Known::Numbers, Known::V6, Known::Stamps] {
        let mut made = opened(known);
        let (first, missing) = arrival(LATE);
        for number in 0..10 * ROUNDS {
            let (at, seq) = arrival(number);
            if number == LATE + 17 {
                let again = first + 45 * MS;
                made.segment(again, ACK, (true, missing, 5001), 1000);
                for came in [again, again + 5 * MS] {
                    made.segment(came + AT_ONCE, ACK, (false, 5001, seq), 0);
                }
            }
            made.segment(at, ACK, (true, seq, 5001), 1000);
            if number == LATE {
                made.packets.last_mut().expect("the first one").0 = first + 50 * MS;
                continue;
            }
            let waits = (LATE..LATE + 17).contains(&number);
            let ack = if waits { missing } else { seq + 1000 };
            made.segment(at + AT_ONCE, ACK, (false, 5001, ack), 0);
        }
        let d = described(made).a2b;
        assert_eq!(counted(&d), [0, 1, 1], "{known:?}");
        let others = (d.reordered_segments, d.retransmissions.upstream);
        assert_eq!(others, (1, 0), "{known:?}");
        assert_eq!(d.retransmitted_bytes, 1000, "{known:?}");
    }
}

/// How often data counts as sent again at once, as a lost repetition, and as one whose first copy never came.
fn reasons(d: &TraceDirection) -> [u64; 3] {
    let all = &d.retransmissions;
    [all.fast, all.lost_retransmission, all.upstream]
}

/// Another segment's repetition overtakes an original. PAWS discards the original (RFC 7323 §5), and it is sent again: once.
#[test]
fn an_original_that_comes_late_is_no_repetition() {
    const LOST: u64 = 53;
    const LATE: u64 = 56;
    for known in [Known::Both, Known::Numbers, Known::V6, Known::Stamps] {
        let mut made = opened(known);
        let ((first, lost), (_, late)) = (arrival(LOST), arrival(LATE));
        for number in 0..10 * ROUNDS {
            let (at, seq) = arrival(number);
            if number == 70 {
                made.segment(first + 45 * MS, ACK, (true, lost, 5001), 1000);
                for came in [first + 45 * MS, first + 47 * MS] {
                    made.segment(came + AT_ONCE, ACK, (false, 5001, late), 0);
                }
            }
            if number == 90 {
                let again = first + 125 * MS;
                made.segment(again, ACK, (true, late, 5001), 1000);
                made.segment(again + AT_ONCE, ACK, (false, 5001, seq), 0);
            }
            if number == LOST {
                continue;
            }
            made.segment(at, ACK, (true, seq, 5001), 1000);
            if number == LATE {
                made.packets.last_mut().expect("the late one").0 = first + 47 * MS;
                continue;
            }
            let ack = match number {
                LOST..70 => lost,
                70..90 => late,
                _ => seq + 1000,
            };
            made.segment(at + AT_ONCE, ACK, (false, 5001, ack), 0);
        }
        let d = described(made).a2b;
        assert_eq!(reasons(&d), [1, 0, 1], "{known:?}");
        let others = (d.reordered_segments, d.network_duplicates);
        assert_eq!(others, (1, 0), "{known:?}");
    }
}

/// The network doubles a segment before the capture, and both copies are lost behind it: its sender repeats it once.
#[test]
fn a_copy_that_the_network_made_is_no_repetition() {
    const LOST: u64 = 53;
    for known in [Known::Both, Known::Numbers, Known::V6, Known::Stamps] {
        let mut made = opened(known);
        let (first, lost) = arrival(LOST);
        for number in 0..10 * ROUNDS {
            let (at, seq) = arrival(number);
            if number == 70 {
                let again = first + 45 * MS;
                made.segment(again, ACK, (true, lost, 5001), 1000);
                made.segment(again + AT_ONCE, ACK, (false, 5001, seq), 0);
            }
            made.segment(at, ACK, (true, seq, 5001), 1000);
            if number == LOST {
                let mut copy = made.packets.last().cloned().expect("the first one");
                copy.0 += 3 * MS;
                made.packets.push(copy);
            }
            let ack = match number {
                LOST..70 => lost,
                _ => seq + 1000,
            };
            made.segment(at + AT_ONCE, ACK, (false, 5001, ack), 0);
        }
        let d = described(made).a2b;
        assert_eq!(reasons(&d), [1, 0, 0], "{known:?}");
        let others = (d.reordered_segments, d.network_duplicates);
        assert_eq!(others, (0, 1), "{known:?}");
    }
}

/// A link before the taps hands on every fiftieth packet twice.
#[test]
fn simulated_copies_are_the_networks() {
    let near = "forward.duplication = { every = 50, after = \"3 ms\" }";
    let test = "window = \"60 kB\"\nduration = \"5 s\"";
    let run = run(&three_routers("10 ms", near, "", test));
    let twice = |tap: &str| {
        let all = data(&run.captures[tap]);
        let offsets: BTreeSet<u64> = all.iter().map(|f| f.offset).collect();
        (all.len() - offsets.len()) as u64
    };
    let again = twice("access");
    for tap in ["wan", "far"] {
        let copies = twice(tap) - again;
        assert!(copies > 50, "{copies} at {tap}");
        let found = read(&run.captures[tap]).document.connections[0].a2b.clone();
        let counts = (found.network_duplicates, found.retransmitted_segments);
        assert_eq!(counts, (copies, again), "{tap}");
    }
}

/// Its TSval shows that it left after what had left the hole, however soon it comes.
#[test]
fn a_later_timestamp_rules_reordering_out() {
    for known in [Known::Both, Known::Stamps, Known::V6] {
        let found = found_behind(known, false);
        let counts = (found.reordered_segments, found.retransmissions.upstream);
        assert_eq!(counts, (0, ROUNDS), "{known:?}");
    }
}

#[test]
fn an_original_behind_its_repetition_is_reordered_and_the_repetition_was_not_needed() {
    for known in [Known::Both, Known::Stamps, Known::V6] {
        let found = found_behind(known, true);
        let counts = (found.reordered_segments, found.retransmitted_segments);
        assert_eq!(counts, (ROUNDS, ROUNDS), "{known:?}");
        assert_eq!(found.retransmissions.unneeded, ROUNDS, "{known:?}");
        assert_eq!(found.network_duplicates, 0, "{known:?}");
    }
}

/// A link holds packets back for longer than their repetition takes.
#[test]
fn each_simulated_segment_has_the_clock_of_its_own_sending_at_every_tap() {
    let near = "forward.reordering = { share = 0.02, by = \"45 ms\" }";
    let text = three_routers("10 ms", near, "", "duration = \"5 s\"");
    let run = run(&text);
    let sent = data(&run.captures["access"]);
    for segment in &sent {
        let clock = segment.at_ns / 1_000_000 + 1;
        assert_eq!(i64::from(segment.stamp), clock, "{segment:?}");
    }
    for tap in ["wan", "far"] {
        let mut left = BTreeMap::new();
        for segment in &sent {
            *left.entry((segment.offset, segment.stamp)).or_insert(0) += 1;
        }
        let seen = data(&run.captures[tap]);
        for segment in &seen {
            let copies = left.get_mut(&(segment.offset, segment.stamp));
            let copies = copies.expect("it was sent with this clock");
            *copies -= 1;
            assert!(*copies >= 0, "{segment:?} at {tap}");
        }
        let found = read(&run.captures[tap]).document.connections[0].a2b.clone();
        assert_eq!(found.network_duplicates, 0, "{tap}");
        assert!(found.reordered_segments > 0, "{tap}");
        // The sender's clock is known where its own link has no tap as well.
        let alone = run_with(&text, &[tap]);
        assert_eq!(data(&alone.captures[tap]), seen, "{tap}");
    }
}
