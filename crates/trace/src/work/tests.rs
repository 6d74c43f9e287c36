//! Captures that somebody made to cost as much as possible: each packet costs about the same, however many there are.

use std::cell::Cell;

use super::*;
use crate::{Source, TraceDocument, analyse};

thread_local! {
    /// Steps done so far.
    pub(super) static DONE: Cell<u64> = const { Cell::new(0) };
}

/// Packets of the shorter capture; the longer one has four times as many.
const PACKETS: u32 = 12_000;
/// A packet of the longer capture costs at most so many times what one of the shorter costs.
const DEARER: f64 = 1.5;
/// Steps that a packet costs at most where no policer is looked for, and where one is: then it is replayed at each rate.
const STEPS_MAX: f64 = 300.0;
const STEPS_REPLAYED_MAX: f64 = 3000.0;

const SYN: u8 = 2;
const ACK: u8 = 16;
/// Time from a packet to the next, nanoseconds.
const APART: i64 = 10_000;

/// A capture under way.
struct Made {
    bytes: Vec<u8>,
    at: i64,
}

impl Made {
    /// pcap of nanoseconds and raw IPv4.
    fn new() -> Made {
        let head = [0xa1b2_3c4d_u32, 0x0004_0002, 0, 0, 65_535, 228];
        Made {
            bytes: head.iter().flat_map(|w| w.to_le_bytes()).collect(),
            at: 1_000_000_000_000,
        }
    }

    fn packet(&mut self, packet: &[u8]) {
        self.at += APART;
        let (seconds, ns) = (self.at / 1_000_000_000, self.at % 1_000_000_000);
        let length = packet.len() as u32;
        let original = u32::from(u16::from_be_bytes([packet[2], packet[3]])).max(length);
        for word in [seconds as u32, ns as u32, length, original] {
            self.bytes.extend(word.to_le_bytes());
        }
        self.bytes.extend(packet);
    }

    /// A segment of connection `number`, of which nothing but the headers was captured.
    fn segment(&mut self, number: u32, s: &Tcp) {
        self.packet(&ip(6, number, s.from_a, &s.bytes(), s.length));
    }

    fn segments(&mut self, all: impl IntoIterator<Item = Tcp>) {
        for s in all {
            self.segment(0, &s);
        }
    }
}

/// A segment as somebody made it.
#[derive(Clone, Default)]
struct Tcp {
    from_a: bool,
    seq: u32,
    ack: u32,
    control: u8,
    options: Vec<u8>,
    /// Of the payload, as the header of IP says.
    length: u32,
}

impl Tcp {
    fn bytes(&self) -> Vec<u8> {
        let ports: [u16; 2] = if self.from_a {
            [40_000, 5001]
        } else {
            [5001, 40_000]
        };
        let mut b: Vec<u8> = ports.iter().flat_map(|p| p.to_be_bytes()).collect();
        b.extend(self.seq.to_be_bytes());
        b.extend(self.ack.to_be_bytes());
        b.extend([
            ((20 + self.options.len()) as u8 / 4) << 4,
            self.control,
            0xff,
            0xff,
        ]);
        b.extend([0; 4]);
        b.extend(&self.options);
        b
    }
}

/// IPv4 between the ends of connection `number`, which says that `more` bytes follow what was captured.
fn ip(protocol: u8, number: u32, from_a: bool, body: &[u8], more: u32) -> Vec<u8> {
    let total = (20 + body.len() as u32 + more).min(65_535) as u16;
    let mut b = vec![0x45, 0];
    b.extend(total.to_be_bytes());
    b.extend([0, 0, 0, 0, 64, protocol, 0, 0]);
    let (a, z) = (0x0a00_0000 + number, 0x0b00_0001_u32);
    let ends = if from_a { [a, z] } else { [z, a] };
    ends.iter().for_each(|end| b.extend(end.to_be_bytes()));
    b.extend(body);
    b
}

fn data(seq: u32, length: u32) -> Tcp {
    Tcp {
        from_a: true,
        seq,
        ack: 1,
        control: ACK,
        length,
        ..Tcp::default()
    }
}

/// An acknowledgement with SACK blocks.
fn answer(ack: u32, blocks: &[(u32, u32)]) -> Tcp {
    let mut options = Vec::new();
    if !blocks.is_empty() {
        options.extend([1, 1, 5, 2 + 8 * blocks.len() as u8]);
        for (from, until) in blocks {
            options.extend(from.to_be_bytes());
            options.extend(until.to_be_bytes());
        }
    }
    Tcp {
        seq: 1,
        ack,
        control: ACK,
        options,
        ..Tcp::default()
    }
}

/// A connection whose end `b` takes segments of so many bytes.
fn opened(made: &mut Made, mss: u8) {
    let syn = Tcp {
        control: SYN,
        options: vec![2, 4, 0, mss],
        ..Tcp::default()
    };
    made.segments([
        Tcp {
            from_a: true,
            ..syn.clone()
        },
        Tcp {
            ack: 1,
            control: SYN | ACK,
            ..syn
        },
        data(1, 0),
    ]);
}

/// Numbers below `n`, in an order that looks like none.
fn shuffled(n: u32) -> impl Iterator<Item = u32> {
    // 7919 is prime, and no count of packets here is a multiple of it.
    (0..n).map(move |m| (u64::from(m) * 7919 % u64::from(n)) as u32)
}

/// A capture of about so many packets.
type Make = fn(u32) -> Vec<Vec<u8>>;

fn file(make: impl FnOnce(&mut Made)) -> Vec<Vec<u8>> {
    let mut made = Made::new();
    make(&mut made);
    vec![made.bytes]
}

fn syns(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        for number in 0..n {
            let syn = Tcp {
                from_a: true,
                control: SYN,
                ..Tcp::default()
            };
            made.segment(number, &syn);
        }
    })
}

/// Connections that begin anew between the same ends.
fn syns_of_one(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        made.segments((0..n).map(|seq| Tcp {
            from_a: true,
            seq: seq.wrapping_mul(100_000),
            control: SYN,
            ..Tcp::default()
        }));
    })
}

/// First fragments that nothing follows, and later ones that follow nothing.
fn fragments(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        for number in 0..n {
            let mut packet = ip(6, 0, true, &data(number, 0).bytes(), 0);
            packet[4..6].copy_from_slice(&(number as u16).to_be_bytes());
            let field: u16 = if number % 2 == 0 { 0x2000 } else { 0x2005 };
            packet[6..8].copy_from_slice(&field.to_be_bytes());
            made.packet(&packet);
        }
    })
}

/// Every second byte first, then those between in any order.
fn tiny_and_out_of_order(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        opened(made, 100);
        made.segments((0..n / 2).map(|at| data(2 + 2 * at, 1)));
        made.segments(shuffled(n / 2).map(|at| data(1 + 2 * at, 1)));
    })
}

/// One hole after the other, which are given up one after the other.
fn holes_given_up(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        opened(made, 100);
        made.segments((0..n / 2).map(|at| data(2 + 2 * at, 1)));
        made.segments((0..n / 2).map(|at| answer(1 + at, &[])));
    })
}

/// One large hole, which is filled byte by byte in the midst of what was sent.
fn one_hole(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        opened(made, 100);
        made.segments((0..n / 4).map(|at| data(1 + at, 1)));
        made.segments((0..n / 4).map(|at| data(1 + n + at, 1)));
        made.segments(shuffled(n / 2).map(|at| data(1 + n / 4 + at, 1)));
    })
}

/// Segments of one byte, then large ones that repeat all of them.
fn all_sent_again(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        opened(made, 100);
        made.segments((0..n / 2).map(|at| data(1 + at, 1)));
        made.segments((0..n / 2).map(|_| data(1, n / 2)));
    })
}

/// SACK blocks in any order, and large ones that join all of them.
fn overlapping_sacks(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        opened(made, 100);
        made.segments((0..n / 2).map(|at| data(1 + 2 * at, 2)));
        for (m, at) in shuffled(n / 2).enumerate() {
            let all = [(3, n / 8), (n / 4, n / 2)];
            let one = [(2 + 2 * at, 3 + 2 * at), (4 + at, 5 + at)];
            made.segments([answer(1, if m % 100 == 99 { &all } else { &one })]);
        }
    })
}

/// Each acknowledgement reports that something came twice.
fn all_reported_twice(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        opened(made, 100);
        made.segments((0..n / 4).map(|at| data(1 + 10 * at, 10)));
        made.segments(shuffled(n / 4).map(|at| data(1 + 10 * at, 10)));
        let told = |at: u32| answer(1 + 10 * (n / 4), &[(1 + 10 * at, 11 + 10 * at)]);
        made.segments(shuffled(n / 2).map(|at| told(at / 2)));
    })
}

/// Numbers that go to and fro over half of their space.
fn wraps(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        let at = |m: u32| m.wrapping_mul(0x7fff_f000).wrapping_add(m);
        made.segments((0..n / 2).flat_map(|m| [data(at(m), 1000), answer(at(m ^ 1), &[])]));
    })
}

/// Large segments sent again, each of which is thousands of the smallest.
fn lengths_that_lie(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        opened(made, 1);
        made.segments((0..n / 2).map(|at| data(1 + at.wrapping_mul(65_000), 65_000)));
        made.segments(shuffled(n / 2).map(|at| data(1 + at.wrapping_mul(65_000), 65_000)));
    })
}

/// Losses at random, repaired an instant later.
fn losses(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        opened(made, 100);
        for at in 0..n / 4 {
            let seq = |m: u32| 1 + 100 * m;
            made.at += i64::from(at.wrapping_mul(7919) % 1000) * APART;
            let lost = at.wrapping_mul(7919) % 10 == 0;
            made.segments([data(seq(at), 100)]);
            made.at += 10_000_000;
            let back = if lost { at } else { at + 1 };
            made.segments([answer(seq(back), &[])]);
            if lost {
                made.segments([data(seq(at), 100), answer(seq(at + 1), &[])]);
            }
        }
    })
}

/// Many connections with losses at random.
fn lossy_connections(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        for at in 0..200 {
            for number in 0..n / 200 {
                let seq = 1 + 1000 * at;
                let lost = (at * 31 + number * 17) % 10 == 0;
                made.segment(number, &data(seq, 1000));
                if lost {
                    made.segment(number, &data(seq, 1000));
                }
                made.segment(number, &answer(seq + 1000, &[]));
            }
        }
    })
}

fn udp(number: u32, from_a: bool, ports: [u16; 2], payload: &[u8]) -> Vec<u8> {
    let ports = if from_a { ports } else { [ports[1], ports[0]] };
    let mut b: Vec<u8> = ports.iter().flat_map(|p| p.to_be_bytes()).collect();
    b.extend((8 + payload.len() as u16).to_be_bytes());
    b.extend([0, 0]);
    b.extend(payload);
    ip(17, number, from_a, &b, 0)
}

/// Queries that nobody answers, more than wait at any time, of which each moment some are given up.
fn unanswered_queries(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        for number in 0..n {
            let mut query = (number as u16).to_be_bytes().to_vec();
            query.extend([1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, b'x', 0, 0, 1, 0, 1]);
            made.at += 30_000_000_000 / i64::from(n);
            made.packet(&udp(
                0,
                true,
                [40_000 + (number / 65_536) as u16, 53],
                &query,
            ));
        }
    })
}

/// Numbered datagrams of which every second one comes late, or never.
fn late_numbers(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        let numbers = (0..n / 2)
            .map(|at| 2 * at)
            .chain(shuffled(n / 2).map(|at| 2 * at + 1));
        for number in numbers {
            let mut payload = vec![0x80, 96];
            payload.extend((number as u16).to_be_bytes());
            payload.extend(number.wrapping_mul(160).to_be_bytes());
            payload.extend([0, 0, 0, 7]);
            made.packet(&udp(0, true, [4000, 4002], &payload));
        }
    })
}

/// Echo replies, of which none has the number of a request.
fn echoes(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        for number in 0..n {
            let (kind, number) = if number % 2 == 0 {
                (8, number)
            } else {
                (0, number + 1)
            };
            let mut body = vec![kind, 0, 0, 0, 0, 9];
            body.extend((number as u16).to_be_bytes());
            made.packet(&ip(1, 0, kind == 8, &body, 0));
        }
    })
}

/// Connections, and an error for each of them.
fn errors(n: u32) -> Vec<Vec<u8>> {
    file(|made| {
        for number in 0..n / 2 {
            made.segment(number, &data(1, 100));
            let quoted = ip(6, number, true, &data(1, 0).bytes(), 0);
            let body = [&[3, 1, 0, 0, 0, 0, 0, 0], quoted.as_slice()].concat();
            made.packet(&ip(1, 0, false, &body, 0));
        }
    })
}

/// Connections that were captured at two points.
fn pairs(n: u32) -> Vec<Vec<u8>> {
    let point = |ahead: i64| {
        file(|made| {
            made.at += ahead;
            for number in 0..n / 4 {
                let syn = Tcp {
                    from_a: true,
                    seq: number,
                    control: SYN,
                    ..Tcp::default()
                };
                made.segment(number, &syn);
                let answer = Tcp {
                    seq: number * 3,
                    ack: number + 1,
                    control: SYN | ACK,
                    ..Tcp::default()
                };
                made.segment(number, &answer);
            }
        })
    };
    [point(0), point(777)].concat()
}

/// One block of a pcapng file, little-endian.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes(), &length[..], body, &length].concat()
}

/// A pcapng file of so many interfaces, each with a link type of its own, and what says of one after the other what it lost.
fn interfaces(n: u32) -> Vec<Vec<u8>> {
    let mut bytes = block(
        0x0a0d_0d0a,
        &[
            0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255,
        ],
    );
    for number in 0..n / 4 {
        let mut body = (100 + number as u16).to_le_bytes().to_vec();
        body.extend([0; 6]);
        bytes.extend(block(1, &body));
    }
    for number in 0..n {
        let which = number % (n / 4);
        let mut body = which.to_le_bytes().to_vec();
        body.extend([0; 4]);
        body.extend((number.wrapping_mul(7919) % n * 100).to_le_bytes());
        body.extend([0; 8]);
        // epb_dropcount of 1.
        body.extend([4, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(block(6, &body));
    }
    vec![bytes]
}

fn read(files: &[Vec<u8>]) -> (TraceDocument, f64) {
    let sources = files.iter().enumerate().map(|(n, bytes)| Source {
        name: format!("file {n}"),
        bytes: Box::new(bytes.as_slice()),
    });
    let before = DONE.get();
    let document = analyse(sources, &mut ()).expect("captures").document;
    let packets: u64 = document.files.iter().map(|f| f.packets).sum();
    let steps = (DONE.get() - before) as f64 / packets as f64;
    (document, steps)
}

#[test]
fn a_packet_of_a_longer_capture_costs_no_more() {
    let all: [(&str, Make); 21] = [
        ("SYNs", syns),
        ("SYNs between the same ends", syns_of_one),
        ("fragments", fragments),
        ("tiny and out of order", tiny_and_out_of_order),
        ("holes that are given up", holes_given_up),
        ("one hole", one_hole),
        ("all sent again", all_sent_again),
        ("overlapping SACKs", overlapping_sacks),
        ("all reported twice", all_reported_twice),
        ("wraps", wraps),
        ("lengths that lie", lengths_that_lie),
        ("losses", losses),
        ("lossy connections", lossy_connections),
        ("unanswered queries", unanswered_queries),
        ("late numbers", late_numbers),
        ("echoes", echoes),
        ("errors", errors),
        ("pairs", pairs),
        ("interfaces", interfaces),
        ("packed by gzip", |n| vec![packed(&one_hole(n)[0])]),
        ("a bomb", |n| vec![packed(&bomb(n))]),
    ];
    let mut wrong = Vec::new();
    for (name, make) in all {
        let (_, short) = read(&make(PACKETS));
        let (document, long) = read(&make(4 * PACKETS));
        let is_replayed = ["losses", "lossy connections", "lengths that lie"].contains(&name);
        let most = if is_replayed {
            STEPS_REPLAYED_MAX
        } else {
            STEPS_MAX
        };
        let text = format!("{name}: {short:.1} steps a packet, {long:.1} of four times as many");
        println!("{text}; {:?}", document.notes);
        if long > DEARER * short || long > most {
            wrong.push(text);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A file packed by gzip.
fn packed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).expect("memory");
    packer.finish().expect("memory")
}

/// Packets of nothing, which pack to a thousandth.
fn bomb(n: u32) -> Vec<u8> {
    let mut bytes = Made::new().bytes;
    for _ in 0..n {
        for word in [1_u32, 0, 1000, 1000] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.resize(bytes.len() + 1000, 0);
    }
    bytes
}

#[test]
fn what_is_counted_is_what_is_done() {
    let before = DONE.get();
    count(3);
    assert_eq!(DONE.get() - before, 3);
}
