//! What a capture does not hold is not made up: connections begun before it, one direction, options cut off, clocks set back,
//! windows that close, receivers that give up what they had SACKed.

use farpath_record::trace::{TraceConnection, TraceFile};
use farpath_trace::{Source, TraceDocument, analyse};

use crate::runs::{self, frames, read, three_routers};
use crate::shapes::{Tcp, connection, ethernet, pcap, v4};

const MS: u64 = 1_000_000;
const FULL: u32 = 1000;

/// Time, bytes, and the length on the link.
type Packet = (u64, Vec<u8>, u32);

fn document(all: &[Packet]) -> TraceDocument {
    read(&pcap(1, all, false, true)).document
}

fn only(all: &[Packet]) -> TraceConnection {
    let document = document(all);
    assert_eq!(document.connections.len(), 1);
    document.connections[0].clone()
}

/// What was simulated, at its sender.
fn simulated(wan: &str, bulk: &str) -> Vec<Packet> {
    let run = runs::run(&three_routers("20 ms", "", wan, bulk));
    let all = frames(&run.captures["access"]);
    let own = |(at, bytes, original): &(i64, &[u8], u32)| (*at as u64, bytes.to_vec(), *original);
    all.iter().map(own).collect()
}

/// A transfer that its window bounds, and one that losses do, with room in the window.
fn transfers() -> [Vec<Packet>; 2] {
    [
        simulated("", "window = \"96 kB\"\nbytes = \"4 MB\""),
        simulated(
            "lose = [{ flow = \"bulk\", segment = 200 }, { flow = \"bulk\", segment = 900 }]",
            "bytes = \"4 MB\"",
        ),
    ]
}

fn share(c: &TraceConnection, limit: &str) -> f64 {
    c.a2b.limit_shares.get(limit).copied().unwrap_or(0.0)
}

#[test]
fn without_the_handshake_a_full_window_is_found_and_none_is_made_up() {
    for all in transfers() {
        let (known, found) = (only(&all), only(&all[3..]));
        let [wanted, window] = [&known, &found].map(|c| share(c, "receive_window"));
        println!("{:?} {:?}", known.a2b.limit_shares, found.a2b.limit_shares);
        assert!((wanted - window).abs() < 0.1, "{window} of {wanted}");
        assert!(found.a2b.window_scale_inferred);
    }
}

#[test]
fn without_answers_no_window_is_full_and_the_syn_was_answered() {
    for all in transfers() {
        let forward = |p: &&Packet| p.1[36..38] == 5001u16.to_be_bytes();
        let one_way: Vec<Packet> = all.iter().filter(forward).cloned().collect();
        let found = only(&one_way);
        assert_eq!(share(&found, "receive_window"), 0.0, "{:?}", found.a2b);
        assert_eq!(found.a2b.unique_bytes, only(&all).a2b.unique_bytes);
        assert!(found.opening.as_ref().is_some_and(|o| o.answered));
        let text = found.notes.join("\n");
        assert!(text.contains("one direction only"), "{text}");
        assert!(
            !text.contains("nobody answered") && !text.contains("lost packets"),
            "{text}"
        );
    }
}

/// 54 bytes are the headers without any option, 60 have the MSS.
#[test]
fn options_that_were_cut_off_are_not_taken_for_absent() {
    for all in transfers() {
        let known = only(&all);
        for snap in [54, 60, 68] {
            let cut = |p: &Packet| {
                (
                    p.0,
                    p.1[..p.1.len().min(snap)].to_vec(),
                    p.2.max(p.1.len() as u32),
                )
            };
            let found = only(&all.iter().map(cut).collect::<Vec<_>>());
            let [wanted, window] = [&known, &found].map(|c| share(c, "receive_window"));
            assert!(
                (wanted - window).abs() < 0.1,
                "{snap}: {window} of {wanted}"
            );
            let sizes = [&known, &found].map(|c| (c.a2b.segments, c.a2b.mss, c.offload));
            assert_eq!(sizes[0], sizes[1], "{snap}");
            assert!(found.a2b.window_scale_inferred, "{snap}");
            let opening = found.opening.expect("it is there");
            assert!(opening.not_agreed.is_empty(), "{snap}: {opening:?}");
        }
    }
}

/// Mirrored ports and the bridges of one host: a burst passes, and 30 µs later once more.
#[test]
fn copies_of_a_burst_count_once() {
    let base = &transfers()[0];
    let known = only(base);
    let numbered = base.iter().enumerate().map(|(n, p)| {
        let mut p = p.clone();
        p.1[18..20].copy_from_slice(&(n as u16 + 1).to_be_bytes());
        p
    });
    let once: Vec<Packet> = numbered.collect();
    let mut twice: Vec<Packet> = once.clone();
    twice.extend(once.iter().map(|p| (p.0 + 30_000, p.1.clone(), p.2)));
    twice.sort_by_key(|p| p.0);
    let found = only(&twice);
    let figures = |c: &TraceConnection| {
        let d = &c.a2b;
        (
            d.bytes,
            d.unique_bytes,
            d.segments,
            d.retransmitted_segments,
            d.network_duplicates,
            d.rtt_samples,
        )
    };
    assert_eq!(figures(&found), figures(&known));
}

/// As pcapng's simple packet blocks, or a clock of seconds.
#[test]
fn without_times_there_is_no_rate_and_no_place() {
    let all = connection(20);
    let at_once = all.iter().map(|(_, tcp)| (MS, ethernet(&v4(tcp)), 0));
    let found = only(&at_once.collect::<Vec<_>>());
    assert_eq!((found.a2b.unique_bytes, found.a2b.goodput_bps), (20_000, 0));
    assert_eq!(found.vantage, "unknown");
}

/// A tap for each direction, whose clocks differ: at the receiver acknowledgements stand before what they answer.
#[test]
fn data_that_stands_after_its_acknowledgement_is_no_repetition() {
    for all in transfers() {
        let known = only(&all);
        let reverse = |p: &Packet| p.1[34..36] == 5001u16.to_be_bytes();
        // 80 ms of round trip lie behind the sender.
        let at = |p: &Packet| p.0 + if reverse(p) { 915 * MS } else { 1000 * MS };
        let moved = all.iter().map(|p| (at(p), p.1.clone(), p.2));
        let mut moved: Vec<Packet> = moved.collect();
        moved.sort_by_key(|p| p.0);
        let found = only(&moved);
        assert_eq!(found.a2b.unique_bytes, known.a2b.unique_bytes);
        let again = [&known, &found].map(|c| c.a2b.retransmitted_segments);
        assert_eq!(again[0], again[1]);
        assert!(found.quality["bytes_after_their_acks"] > 0);
        assert!(
            !found.quality.contains_key("bytes_missed_by_capture"),
            "{:?}",
            found.quality
        );
        println!("{:?}", found.a2b.limit_shares);
    }
}

#[test]
fn files_that_are_not_in_order_are_named() {
    let all = connection(60);
    let frames: Vec<Packet> = all
        .iter()
        .map(|(at, tcp)| (*at, ethernet(&v4(tcp)), 0))
        .collect();
    let notes = |order: [usize; 3]| {
        let parts: Vec<Vec<u8>> = frames
            .chunks(50)
            .map(|part| pcap(1, part, false, true))
            .collect();
        let source = |n: usize| Source {
            name: format!("ring{n}"),
            bytes: Box::new(parts[n].as_slice()),
        };
        let files = analyse(order.map(source), &mut ())
            .expect("captures")
            .document
            .files;
        let of = |f: TraceFile| (f.name, f.notes.join(" "));
        files.into_iter().map(of).collect::<Vec<_>>()
    };
    assert!(notes([0, 1, 2]).iter().all(|n| n.1.is_empty()));
    let found = notes([0, 2, 1]);
    let [_, _, (name, note)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert!(
        name == "ring1" && note.contains("ring2") && note.contains("oldest first"),
        "{note}"
    );
}

#[test]
fn a_clock_that_is_set_back_goes_on_where_it_was() {
    let all = transfers().into_iter().next().expect("the first");
    let known = only(&all);
    let half = all.len() / 2;
    let set = |(n, p): (usize, &Packet)| {
        let at = 100_000 * MS + p.0 - if n < half { 0 } else { 30_000 * MS };
        (at, p.1.clone(), p.2)
    };
    let found = only(&all.iter().enumerate().map(set).collect::<Vec<_>>());
    assert_eq!(found.quality["clock_steps"], 1);
    assert_eq!(found.vantage, known.vantage);
    // The time between two packets is missing, of some 2800.
    let figures = |c: &TraceConnection| [c.a2b.rtt_min_ns.unwrap_or(0), c.a2b.goodput_bps];
    for (value, wanted) in figures(&found).into_iter().zip(figures(&known)) {
        let ratio = value as f64 / wanted as f64;
        assert!((ratio - 1.0).abs() < 0.01, "{value} of {wanted}");
    }
    assert_eq!(found.a2b.limited_by, known.a2b.limited_by);
}

/// Segments of one connection, made one by one.
struct Made {
    at: u64,
    next: u32,
    packets: Vec<Packet>,
}

impl Made {
    /// After a handshake of 20 ms.
    fn new() -> Made {
        let opened = connection(0);
        let framed = |(at, tcp): &(u64, Tcp)| (*at, ethernet(&v4(tcp)), 0);
        Made {
            at: opened[2].0,
            next: 0,
            packets: opened[..3].iter().map(framed).collect(),
        }
    }

    fn send(&mut self, after: u64, offset: u32, length: u32) {
        self.put(after, true, offset, length, &[], 8192);
    }

    fn answer(&mut self, after: u64, ack: u32, window: u16, sack: &[(u32, u32)]) {
        self.put(after, false, ack, 0, sack, window);
    }

    fn put(
        &mut self,
        after: u64,
        from_a: bool,
        number: u32,
        length: u32,
        sack: &[(u32, u32)],
        window: u16,
    ) {
        self.at += after;
        let (a, b) = (0xffff_f001u32, 7001);
        let mut options = Vec::new();
        if !sack.is_empty() {
            options = vec![1, 1, 5, 2 + 8 * sack.len() as u8];
            for (from, until) in sack {
                options.extend(a.wrapping_add(*from).to_be_bytes());
                options.extend(a.wrapping_add(*until).to_be_bytes());
            }
        }
        let number = a.wrapping_add(number);
        let tcp = Tcp {
            from_a,
            seq: if from_a { number } else { b },
            ack: if from_a { b } else { number },
            control: 0x10,
            window,
            options,
            payload: vec![0; length as usize],
        };
        let mut frame = ethernet(&v4(&tcp));
        // Each datagram has an identification of its own.
        frame[18..20].copy_from_slice(&(self.packets.len() as u16).to_be_bytes());
        self.packets.push((self.at, frame, 0));
    }

    /// Ten rounds of ten segments, all acknowledged.
    fn rounds(&mut self) {
        for _ in 0..10 {
            for _ in 0..10 {
                self.send(MS / 100, self.next, FULL);
                self.next += FULL;
            }
            self.answer(20 * MS, self.next, 8192, &[]);
        }
    }
}

/// Probes of one byte, which the receiver does not take (RFC 9293 §3.8.6.1), and one that it takes.
#[test]
fn a_closed_window_is_the_receivers_and_its_probes_are_no_losses() {
    for taken in [0, 1] {
        let mut made = Made::new();
        made.rounds();
        made.answer(MS, made.next, 0, &[]);
        for n in 0..5 {
            made.send((300 * MS) << n, made.next, 1);
            made.answer(20 * MS, made.next + taken, 0, &[]);
        }
        made.next += taken;
        made.answer(500 * MS, made.next, 8192, &[]);
        made.rounds();
        let found = only(&made.packets);
        assert_eq!(found.a2b.retransmitted_segments, 0, "{:?}", found.a2b);
        assert_eq!(found.a2b.unique_bytes, u64::from(made.next));
        assert_eq!(found.a2b.limited_by.as_deref(), Some("receive_window"));
        assert!(
            found.quality["zero_window_probes"] >= 1,
            "{:?}",
            found.quality
        );
        assert!(!found.quality.contains_key("bytes_missed_by_capture"));
    }
}

/// RFC 2018 §8: what was SACKed may be given up, and is then sent again with need.
#[test]
fn what_a_receiver_gave_up_after_sacking_it_is_needed_again() {
    let mut made = Made::new();
    made.rounds();
    let base = made.next;
    for n in 0..5 {
        made.send(MS / 100, base + n * FULL, FULL);
    }
    for n in 2..=5 {
        made.answer(MS, base, 8192, &[(base + FULL, base + n * FULL)]);
    }
    made.send(MS, base, FULL);
    made.answer(20 * MS, base + FULL, 8192, &[]);
    for n in 1..5 {
        made.send(if n == 1 { 300 * MS } else { MS }, base + n * FULL, FULL);
    }
    made.answer(20 * MS, base + 5 * FULL, 8192, &[]);
    let found = only(&made.packets);
    assert_eq!(found.quality["sack_reneges"], 1);
    let again = found.a2b.retransmissions;
    assert_eq!(
        (again.fast, again.rto, again.unneeded),
        (1, 4, 0),
        "{again:?}"
    );
}

/// Of ten segments every second one is lost, and the last of the others overtook them. A Linux receiver remembers four ranges and not
/// the fifth: once the four are whole, it holds a segment that its acknowledgements do not name. It is not sent again.
#[test]
fn what_a_receiver_has_forgotten_to_name_is_not_given_up() {
    let mut made = Made::new();
    made.rounds();
    let base = made.next;
    for n in 0..10 {
        made.send(MS / 100, base + n * FULL, FULL);
    }
    let range = |n: u32| (base + n * FULL, base + (n + 1) * FULL);
    let mut held: Vec<(u32, u32)> = Vec::new();
    for n in [9, 7, 5, 3, 1] {
        held.insert(0, range(n));
        held.truncate(4);
        made.answer(MS, base, 8192, &held);
    }
    for n in [0, 2, 4, 6, 8] {
        made.send(MS / 100, base + n * FULL, FULL);
    }
    let named = [vec![3, 5, 7], vec![5, 7], vec![7], vec![]];
    for (n, named) in (1..).zip(named) {
        let named: Vec<(u32, u32)> = named.into_iter().map(range).collect();
        made.answer(MS, base + 2 * n * FULL, 8192, &named);
    }
    made.answer(MS, base + 10 * FULL, 8192, &[]);
    let found = only(&made.packets);
    assert_eq!(found.quality.get("sack_reneges"), None);
    let again = found.a2b.retransmissions;
    assert_eq!((again.total(), again.unneeded), (5, 0), "{again:?}");
    assert_eq!(found.a2b.unique_bytes, u64::from(base + 10 * FULL));
}

/// As after a report of a smaller MTU: both pieces are the first repetition.
#[test]
fn a_segment_that_is_sent_again_in_pieces_is_repeated_once() {
    let mut made = Made::new();
    made.rounds();
    let base = made.next;
    for n in 0..5 {
        made.send(MS / 100, base + n * FULL, FULL);
    }
    for n in 2..=5 {
        made.answer(MS, base, 8192, &[(base + FULL, base + n * FULL)]);
    }
    made.send(MS, base, 600);
    made.send(MS / 10, base + 600, 400);
    made.answer(20 * MS, base + 5 * FULL, 8192, &[]);
    let again = only(&made.packets).a2b.retransmissions;
    assert_eq!((again.fast, again.lost_retransmission), (2, 0), "{again:?}");
}

/// A D-SACK may name one segment of several that left as one, or several that left one by one.
#[test]
fn a_report_is_of_the_segments_that_it_names() {
    let found = |sizes: &[u32], (from, until): (u32, u32)| {
        let mut made = Made::new();
        made.rounds();
        let base = made.next;
        for n in 0..5 {
            made.send(MS / 100, base + n * FULL, FULL);
        }
        for n in 4..=5 {
            made.answer(MS, base, 8192, &[(base + 3 * FULL, base + n * FULL)]);
        }
        let mut next = base;
        for size in sizes {
            made.send(MS / 10, next, *size);
            next += *size;
        }
        let twice = (base + from, base + until);
        made.answer(20 * MS, base + 5 * FULL, 8192, &[twice]);
        let again = only(&made.packets).a2b.retransmissions;
        (again.fast, again.unneeded, again.total())
    };
    let middle = (FULL, 2 * FULL);
    assert_eq!(found(&[3 * FULL], middle), (2, 1, 3));
    assert_eq!(found(&[3 * FULL], (0, FULL)), (2, 1, 3));
    assert_eq!(found(&[3 * FULL], (0, 3 * FULL)), (0, 3, 3));
    assert_eq!(found(&[FULL; 3], middle), (2, 1, 3));
    assert_eq!(found(&[FULL; 3], (FULL, 3 * FULL)), (1, 2, 3));
    // Parts of segments are not counted by themselves.
    assert_eq!(found(&[3 * FULL], (500, 1500)), (0, 3, 3));
}

/// RFC 9293 §3.5, figure 7: both SYNs cross, and each is answered.
#[test]
fn ends_that_open_at_once_repeat_no_syn() {
    let mut all = connection(20);
    let (syn, answer) = (all[0].clone(), all[1].clone());
    let crossing = Tcp {
        control: 2,
        ack: 0,
        ..answer.1.clone()
    };
    let own = Tcp {
        control: 0x12,
        ack: answer.1.seq.wrapping_add(1),
        ..syn.1.clone()
    };
    all.insert(1, (syn.0 + 4 * MS, crossing));
    all.insert(2, (syn.0 + 4 * MS + 1000, own));
    let found = only(
        &all.iter()
            .map(|(at, tcp)| (*at, ethernet(&v4(tcp)), 0))
            .collect::<Vec<_>>(),
    );
    let opening = found.opening.expect("it is there");
    assert_eq!(
        (
            opening.syns,
            opening.syn_retransmissions,
            opening.syn_ack_retransmissions
        ),
        (1, 0, 0)
    );
    assert_eq!(
        found.a2b.retransmitted_segments + found.b2a.retransmitted_segments,
        0
    );
    assert_eq!(found.a2b.unique_bytes, 20_000);
}

/// A path carries less than the MSS that both ends named: full segments are smaller, and only the last of a write has PSH.
#[test]
fn segments_that_the_path_made_smaller_do_not_wait_for_the_program() {
    let made = |push: &dyn Fn(usize) -> bool| {
        let mut made = Made::new();
        for round in 0..20 {
            for _ in 0..10 {
                made.send(MS / 100, made.next, 900);
                made.next += 900;
                let last = made.packets.len() - 1;
                if push(round) {
                    made.packets[last].1[47] |= 8;
                }
            }
            made.answer(20 * MS, made.next, 65_535, &[]);
        }
        share(&only(&made.packets), "application")
    };
    // The first write is a short one.
    let smaller = made(&|round| round == 0);
    assert!(smaller < 0.2, "{smaller}");
    let written = made(&|_| true);
    assert!(written > 0.8, "{written}");
}

#[test]
fn fragments_count_in_any_order() {
    let mut all = Vec::new();
    for (n, (at, tcp)) in connection(20).into_iter().enumerate() {
        let whole = v4(&tcp);
        let cuts: &[(usize, usize)] = match tcp.payload.is_empty() {
            true => &[(20, whole.len())],
            false => &[(828, whole.len()), (428, 828), (20, 428)],
        };
        for (place, (from, until)) in cuts.iter().enumerate() {
            let mut piece = whole[..20].to_vec();
            piece.extend(&whole[*from..*until]);
            let length = (piece.len() as u16).to_be_bytes();
            piece[2..4].copy_from_slice(&length);
            piece[4..6].copy_from_slice(&(n as u16).to_be_bytes());
            let more = if *until < whole.len() { 0x2000 } else { 0 };
            piece[6..8].copy_from_slice(&(((*from as u16 - 20) / 8) | more).to_be_bytes());
            all.push((at + place as u64, ethernet(&piece), 0));
        }
    }
    assert_eq!(only(&all).a2b.unique_bytes, 20_000);
}
