//! The plane between interfaces made of memory, on a clock made of numbers.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::rc::Rc;

use farpath_scenario::plan::Plan;
use farpath_scenario::plan::address;
use farpath_scenario::{Source, parse};
use farpath_wire::Checksum;
use farpath_wire::packet::{LinkType, Network as Ip, Packet as Read, Transport as Segment};
use proptest::prelude::*;

use super::packet::{NEEDS_CHECKSUM, OFFLOAD};
use super::*;
use crate::driver::{Clock, Polling, drive};

const MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];

/// What a host sends, and when; what it got.
#[derive(Clone, Default)]
struct Memory(Rc<RefCell<Queues>>);

#[derive(Default)]
struct Queues {
    sends: VecDeque<(Time, Vec<u8>)>,
    now: Time,
    got: Vec<Vec<u8>>,
}

impl Interface for Memory {
    fn take(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut queues = self.0.borrow_mut();
        let now = queues.now;
        match queues.sends.front() {
            Some((at, _)) if *at <= now => {}
            _ => return Err(io::ErrorKind::WouldBlock.into()),
        }
        let (_, bytes) = queues.sends.pop_front().expect("there is one");
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn give(&mut self, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let all = parts.iter().flat_map(|p| p.iter().copied()).collect();
        self.0.borrow_mut().got.push(all);
        Ok(())
    }
}

struct World {
    plane: Plane<Memory>,
    hosts: Vec<Memory>,
    fidelity: Fidelity,
}

/// The plane of a scenario, with an interface for each host.
fn plane<I: Interface>(text: &str, hosts: impl IntoIterator<Item = I>) -> Plane<I> {
    let source = Source {
        name: "test.toml".to_owned(),
        text: text.to_owned(),
    };
    let scenario = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let (whole, pairs) = with_pairs(&scenario);
    let plan = Plan::new(&whole).expect("it has routes");
    let wan = Wan::new(&whole, plan, 1, farpath_element::Sampling::OFF);
    let plan = wan.plan.clone();
    let attachments = hosts.into_iter().enumerate().map(|(node, interface)| {
        let port = plan.nodes[node].ports[0];
        Attachment {
            node: NodeId(node),
            port,
            mac: MAC,
            interface,
        }
    });
    let attachments = attachments.collect();
    Plane::new(whole, wan, &pairs, attachments, 64 << 20).expect("memory")
}

/// Every scenario here has two hosts.
fn world(text: &str) -> World {
    let hosts = vec![Memory::default(), Memory::default()];
    World {
        plane: plane(text, hosts.iter().cloned()),
        hosts,
        fidelity: Fidelity::new(Duration::from_ms(1)),
    }
}

impl World {
    /// Does what a driver does at the instant `at`.
    fn step(&mut self, at: Time) {
        self.listen(at);
        self.work(at.next());
    }

    fn listen(&mut self, at: Time) {
        for host in &self.hosts {
            host.0.borrow_mut().now = at;
        }
        while self
            .plane
            .take_in(&mut || at)
            .expect("memory does not fail")
            > 0
        {}
    }

    fn work(&mut self, until: Time) {
        self.plane.advance(until);
        let (plane, fidelity) = (&mut self.plane, &mut self.fidelity);
        while plane
            .hand_out(until, &mut || until, fidelity)
            .expect("memory does not fail")
            > 0
        {}
    }

    /// Steps from event to event until nothing is under way.
    fn rest(&mut self) {
        for _ in 0..1_000_000 {
            let sends = self.hosts.iter().map(|h| {
                let queues = h.0.borrow();
                queues.sends.front().map_or(Time::MAX, |(at, _)| *at)
            });
            let next = sends.min().unwrap_or(Time::MAX);
            let due = self.plane.due();
            if due.min(next) == Time::MAX {
                return;
            }
            self.step(next.min(due));
        }
        panic!("it never comes to rest");
    }

    fn sends(&self, host: usize, at: Time, bytes: Vec<u8>) {
        self.hosts[host].0.borrow_mut().sends.push_back((at, bytes));
    }

    fn got(&self, host: usize) -> Vec<Vec<u8>> {
        self.hosts[host].0.borrow().got.clone()
    }
}

/// One segment or a super-frame of TCP or UDP, as a kernel hands it over.
struct Made {
    version: u8,
    from: usize,
    to: usize,
    udp: bool,
    ports: [u16; 2],
    seq: u32,
    control: u8,
    /// Payload bytes, numbered from this.
    first: usize,
    payload: usize,
    size: u16,
    ttl: u8,
}

impl Default for Made {
    fn default() -> Made {
        Made {
            version: 4,
            from: 0,
            to: 1,
            udp: false,
            ports: Plan::flow_ports(0),
            seq: 1,
            control: 0x18,
            first: 0,
            payload: 1000,
            size: 0,
            ttl: 64,
        }
    }
}

fn payload(n: usize) -> u8 {
    (n ^ (n >> 8) ^ (n >> 13)) as u8
}

impl Made {
    fn bytes(&self) -> Vec<u8> {
        let transport = if self.udp { 8 } else { 20 };
        let ip = if self.version == 6 { 40 } else { 20 };
        let length = transport + self.payload;
        let mut out = vec![0; OFFLOAD];
        out[0] = NEEDS_CHECKSUM;
        out[6..8].copy_from_slice(&(14 + ip as u16).to_le_bytes());
        out[8..10].copy_from_slice(&if self.udp { 6_u16 } else { 16 }.to_le_bytes());
        if self.size > 0 {
            out[1] = match (self.udp, self.version) {
                (true, _) => 5,
                (false, 4) => 1,
                (false, _) => 4,
            };
            out[4..6].copy_from_slice(&self.size.to_le_bytes());
        }
        out.extend([0xff; 12]);
        let [a, b] = [self.from, self.to].map(|n| address(NodeId(n), self.version));
        let protocol = if self.udp { 17 } else { 6 };
        if self.version == 6 {
            out.extend([0x86, 0xdd, 0x60, 0, 0, 0]);
            out.extend((length as u16).to_be_bytes());
            out.extend([protocol, self.ttl]);
        } else {
            out.extend([0x08, 0x00, 0x45, 0]);
            out.extend(((ip + length) as u16).to_be_bytes());
            out.extend([0, 7, 0x40, 0, self.ttl, protocol, 0, 0]);
        }
        for address in [a, b] {
            match address {
                std::net::IpAddr::V4(a) => out.extend(a.octets()),
                std::net::IpAddr::V6(a) => out.extend(a.octets()),
            }
        }
        out.extend(self.ports[0].to_be_bytes());
        out.extend(self.ports[1].to_be_bytes());
        let packet = Packet {
            addresses: [a, b],
            transport: match self.udp {
                true => packet::Transport::Udp { ports: self.ports },
                false => packet::Transport::Tcp {
                    ports: self.ports,
                    seq: 0,
                    control: 0,
                },
            },
            ..Packet::plain(100)
        };
        let sum = !heading::pseudo(&packet, length as u32).value();
        if self.udp {
            out.extend((length as u16).to_be_bytes());
            out.extend(sum.to_be_bytes());
        } else {
            out.extend(self.seq.to_be_bytes());
            out.extend([0, 0, 0, 0, 0x50, self.control, 0xff, 0xff]);
            out.extend(sum.to_be_bytes());
            out.extend([0, 0]);
        }
        out.extend((self.first..self.first + self.payload).map(payload));
        out
    }
}

/// A packet as a receiving kernel reads it: it completes the checksum, and it must come out right.
fn read(bytes: &[u8]) -> (u32, Vec<u8>, u8, u16) {
    assert_eq!(bytes[OFFLOAD..OFFLOAD + 6], MAC);
    let mut frame = bytes[OFFLOAD..].to_vec();
    let parsed = packet::Packet::parse(bytes).expect("it is a packet");
    let segments = parsed.segments();
    if segments == 1 {
        assert_eq!(
            (bytes[1], parsed.segment),
            (0, 0),
            "one segment is not to be cut"
        );
    }
    if let Some((start, field)) = parsed.partial {
        let (start, field) = (usize::from(start), usize::from(start + field));
        let expected = heading::pseudo(&parsed, (frame.len() - start) as u32);
        let found = u16::from_be_bytes([frame[field], frame[field + 1]]);
        assert_eq!(found, !expected.value(), "the pseudo-header's sum");
        let sum = Checksum::new().with(&frame[start..]).value();
        frame[field..field + 2].copy_from_slice(&sum.to_be_bytes());
    }
    let whole = Read::parse(LinkType::Ethernet, &frame).expect("headers are right");
    let (ip, transport) = whole.ip.expect("it is IP");
    let ttl = match ip {
        Ip::V4(ip) => {
            let header = &frame[14..14 + 20];
            assert_eq!(Checksum::new().with(header).value(), 0, "the IP checksum");
            assert_eq!(usize::from(ip.total_length), frame.len() - 14);
            ip.ttl
        }
        Ip::V6(ip) => {
            assert_eq!(usize::from(ip.payload_length), frame.len() - 54);
            ip.hop_limit
        }
    };
    let seq = match transport {
        Segment::Tcp(tcp) => tcp.sequence,
        Segment::Udp(udp) => {
            assert_eq!(usize::from(udp.length), 8 + parsed.payload() as usize);
            0
        }
        _ => 0,
    };
    let body = bytes[usize::from(parsed.payload_at)..].to_vec();
    (seq, body, ttl, segments as u16)
}

const TWO: &str = r#"
[scenario]
name = "two"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r"
[[link]]
name = "access"
ends = ["a", "r"]
rate = "10 Gbit/s"
delay = "10 us"
mtu = 9000
[[link]]
name = "wan"
ends = ["r", "b"]
rate = "10 Gbit/s"
delay = "1 ms"
mtu = 9000
LOSS
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
duration = "1 s"
"#;

fn two(loss: &str) -> World {
    world(&TWO.replace("LOSS", loss))
}

#[test]
fn a_super_frame_crosses_in_one_piece_with_its_hops_counted() {
    for version in [4, 6] {
        let size: u16 = if version == 6 { 8928 } else { 8948 };
        let mut w = two("");
        let made = Made {
            version,
            payload: 50_000,
            size,
            ..Made::default()
        };
        w.sends(0, Time::ZERO, made.bytes());
        w.rest();
        let got = w.got(1);
        assert_eq!(got.len(), 1);
        let (seq, body, ttl, segments) = read(&got[0]);
        assert_eq!((seq, ttl, segments), (1, 63, 6));
        assert!(body.iter().copied().eq((0..50_000).map(payload)));
        assert_eq!(w.plane.packets_under_way(), 0);
        // Two hops at 10 Gb/s: a full frame on the first, five and the last, shorter one on the second.
        let log = &w.plane.log;
        let wire = |bytes: u64| bytes * 800;
        let head = if version == 6 { 60 } else { 40 };
        let full = wire(u64::from(size) + head + 38);
        let last = wire(50_000 - 5 * u64::from(size) + head + 38);
        // Neither is waited for with the gap behind it.
        let expected = 6 * full + last - 2 * wire(12) + 1_010_000_000;
        assert_eq!(log[0].1, Time::from_ps(expected));
    }
}

/// Three segments at 0, 10 ms and 500 ms, and another connection's in between; the second is sent again after 300 ms.
#[test]
fn a_pause_of_a_connection_is_known_by_its_own_frames() {
    for version in [4, 6] {
        let mut w = two("");
        w.plane.note_pauses();
        let of = |ports, seq| Made {
            version,
            ports,
            seq,
            ..Made::default()
        };
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        for (ms, ports, seq) in [
            (0, [40, 50], 1),
            (10, [40, 50], 1001),
            (250, [41, 50], 1),
            (310, [40, 50], 1001),
            (500, [40, 50], 2001),
        ] {
            w.sends(0, at(ms), of(ports, seq).bytes());
        }
        w.rest();
        let all: Vec<_> = w.plane.pauses().collect();
        let [(way, first), (_, other)] = &all[..] else {
            panic!("two connections: {all:?}");
        };
        assert_eq!(way.map(|end| end.port()), [40, 50]);
        let [(from, until), (last, open)] = first[..] else {
            panic!("one pause and the end: {first:?}");
        };
        assert_eq!(until.since(from), Duration::from_ms(490));
        assert_eq!((last, open), (until, Time::MAX));
        assert_eq!(other.len(), 1, "one segment has no pause: {other:?}");
    }
}

/// Bare acknowledgements, and segments and FINs that are none, over a link that loses every other one by chance.
#[test]
fn acknowledgements_that_are_lost_are_counted() {
    for version in [4, 6] {
        let mut w = two("[link.forward]\nloss = \"50%\"\n");
        w.plane.note_segments();
        let of = |control, payload| Made {
            version,
            ports: [40, 50],
            control,
            payload,
            ..Made::default()
        };
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        for ms in 0..200 {
            w.sends(0, at(ms), of(0x10, 0).bytes());
        }
        w.rest();
        let arrived = w.got(1).len() as u64;
        let bare = Acks {
            sent: 200,
            lost: 200 - arrived,
        };
        let acks = |w: &World| {
            let all: Vec<_> = w.plane.acks().collect();
            let [(way, acks)] = all[..] else {
                panic!("one way: {all:?}");
            };
            assert_eq!(way.map(|end| end.port()), [40, 50]);
            acks
        };
        assert_eq!(acks(&w), bare);
        assert!(arrived > 50 && bare.lost > 50, "{bare:?}");
        for (ms, (control, payload)) in [(0x10, 1000), (0x11, 0), (0x14, 0), (0x18, 1)]
            .into_iter()
            .cycle()
            .take(80)
            .enumerate()
        {
            w.sends(0, at(1000 + ms as u64), of(control, payload).bytes());
        }
        w.rest();
        assert_eq!(acks(&w), bare, "no bare ones were sent");
        let all: Vec<_> = w.plane.segments().collect();
        let [(_, data)] = all[..] else {
            panic!("one way: {all:?}");
        };
        assert_eq!(data.sent, 40, "twenty of each length");
        let lost: u64 = data.lost.iter().sum();
        assert!(lost > 5 && lost == data.lost[Drop::Error as usize]);
        assert!(data.first_lost >= Some(at(1000)));
    }
}

/// A host that sends one packet when it is asked to, on the real clock.
struct Timed<'a> {
    clock: Clock,
    packet: &'a RefCell<Option<Vec<u8>>>,
    /// When the other host was given it.
    got: &'a Cell<Option<Time>>,
    /// Always readable.
    null: &'a File,
}

impl Interface for Timed<'_> {
    fn take(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let packet = self.packet.borrow_mut().take();
        let bytes = packet.ok_or(io::ErrorKind::WouldBlock)?;
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn give(&mut self, _: &[IoSlice<'_>]) -> io::Result<()> {
        self.got.set(Some(self.clock.now()));
        Ok(())
    }
}

impl AsFd for Timed<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.null.as_fd()
    }
}

/// The plane is held up for 5 ms, five times what the path takes, and a host sends meanwhile.
#[test]
fn nothing_is_faster_than_the_path_however_long_the_plane_was_held_up() {
    let clock = Clock::start(Duration::ZERO);
    let null = File::open("/dev/null").expect("it is always there");
    let (sends, silent) = (RefCell::default(), RefCell::default());
    let got = Cell::new(None);
    let hosts = [&sends, &silent].map(|packet| Timed {
        clock,
        packet,
        got: &got,
        null: &null,
    });
    let mut plane = plane(&TWO.replace("LOSS", ""), hosts);
    let mut fidelity = Fidelity::new(Duration::from_ms(1));
    let mut sent = None;
    let turn = |plane: &mut Plane<Timed<'_>>, now: Time, _: &Fidelity| {
        if sent.is_some() {
            return plane.packets_under_way() > 0;
        }
        while clock.now() < now + Duration::from_ms(5) {}
        *sends.borrow_mut() = Some(Made::default().bytes());
        sent = Some(clock.now());
        true
    };
    drive(
        &mut plane,
        clock,
        (Polling::Busy, false),
        &mut fidelity,
        turn,
    )
    .expect("nothing fails");
    let took = got.get().zip(sent).map(|(got, sent)| got.since(sent));
    let least = Duration::from_us(10) + Duration::from_ms(1);
    assert!(took.is_some_and(|took| took >= least), "{took:?}");
}

#[test]
fn a_scripted_loss_takes_the_one_segment_and_only_its_first_transmission() {
    // Segment 3 of a real connection with its timestamps is the one that holds byte 2 · 8948.
    let mut w = two("[link.forward]\nlose = { flow = \"bulk\", segment = 3 }\n");
    let syn = Made {
        seq: 0,
        control: 0x02,
        payload: 0,
        ..Made::default()
    };
    w.sends(0, Time::ZERO, syn.bytes());
    let made = Made {
        payload: 60_000,
        size: 8948,
        ..Made::default()
    };
    w.sends(0, Time::ZERO, made.bytes());
    w.rest();
    let got: Vec<_> = w.got(1).iter().skip(1).map(|b| read(b)).collect();
    let spans: Vec<(u32, usize)> = got.iter().map(|g| (g.0 - 1, g.1.len())).collect();
    assert_eq!(spans, [(0, 2 * 8948), (3 * 8948, 60_000 - 3 * 8948)]);
    assert_eq!(
        (w.plane.traffic().lost, w.plane.packets_under_way()),
        (1, 0)
    );
    // Sent again, it arrives.
    let again = Made {
        seq: 1 + 2 * 8948,
        first: 2 * 8948,
        payload: 8948,
        ..Made::default()
    };
    let now = w.plane.network.now();
    w.sends(0, now, again.bytes());
    w.rest();
    assert_eq!(w.plane.traffic().lost, 1);
}

#[test]
fn damage_is_found_by_the_receivers_checksum() {
    let mut w = two("[link.forward]\ncorruption = { share = 0.2, found_by = \"checksum\" }\n");
    let made = Made {
        payload: 60_000,
        size: 8948,
        ..Made::default()
    };
    for n in 0..6 {
        w.sends(0, Time::ZERO + Duration::from_us(n), made.bytes());
    }
    w.rest();
    let got = w.got(1);
    let damaged: Vec<_> = got.iter().filter(|b| b[0] == 0).collect();
    assert!(!damaged.is_empty(), "a fifth of forty-two");
    let frame = &damaged[0][OFFLOAD..];
    let parsed = packet::Packet::parse(damaged[0]).expect("its headers are whole");
    let at = usize::from(parsed.transport_at) - OFFLOAD;
    let sum = heading::pseudo(&parsed, (frame.len() - at) as u32).with(&frame[at..]);
    assert_ne!(sum.value(), 0);
    assert_eq!(w.plane.packets_under_way(), 0);
}

/// A UDP datagram of 4000 bytes as a kernel hands it over, in fragments.
fn fragments(version: u8, id: u8) -> Vec<Vec<u8>> {
    let whole = Made {
        version,
        udp: true,
        payload: 4000,
        ..Made::default()
    };
    let mut whole = whole.bytes();
    // The kernel has completed the checksum.
    whole[0] = 0;
    let ip = if version == 6 { 40 } else { 20 };
    let (heads, body) = whole.split_at(OFFLOAD + 14 + ip);
    let last = body.len().div_ceil(1440) - 1;
    let pieces = body.chunks(1440).enumerate();
    let piece = |(n, piece): (usize, &[u8])| {
        let mut out = heads.to_vec();
        let header = &mut out[OFFLOAD + 14..];
        let more = u16::from(n < last);
        let at = (n * 1440) as u16;
        if version == 6 {
            header[4..6].copy_from_slice(&(piece.len() as u16 + 8).to_be_bytes());
            header[6] = 44;
            out.extend([17, 0]);
            out.extend((at | more).to_be_bytes());
            out.extend([9, 9, 9, id]);
        } else {
            header[2..4].copy_from_slice(&(piece.len() as u16 + 20).to_be_bytes());
            header[4..6].copy_from_slice(&[9, id]);
            header[6..8].copy_from_slice(&((more << 13) | (at / 8)).to_be_bytes());
        }
        out.extend(piece);
        out
    };
    pieces.map(piece).collect()
}

#[test]
fn a_datagram_in_fragments_counts_once_and_whole() {
    for (version, id_at) in [(4, OFFLOAD + 14 + 5), (6, OFFLOAD + 14 + 47)] {
        let mut w = two(
            "[link.forward]\nloss = \"10%\"\ncorruption = { share = 0.1, found_by = \"checksum\" }\n",
        );
        let mut sent = BTreeMap::new();
        for id in 0..100 {
            for piece in fragments(version, id) {
                w.sends(0, Time::ZERO + Duration::from_ms(u64::from(id)), piece);
            }
        }
        w.rest();
        for id in 0..100 {
            let of = |bytes: &&Vec<u8>| bytes[id_at] == id;
            let got: Vec<Vec<u8>> = w.got(1).iter().filter(of).cloned().collect();
            let last = |n: usize| fragments(version, id)[n].last().copied();
            let whole = got
                .iter()
                .enumerate()
                .all(|(n, b)| b.last().copied() == last(n));
            sent.insert(id, (got.len() == 3, whole));
        }
        let found = w.plane.datagrams(NodeId(0));
        assert_eq!((found.sent, found.bytes), (100, 400_000), "IPv{version}");
        let gone = sent.values().filter(|(all, whole)| !all || !whole).count();
        assert_eq!(found.lost + found.damaged, gone as u64, "IPv{version}");
        let damaged = sent.values().filter(|(all, whole)| *all && !whole).count();
        assert!(found.lost > 0 && found.damaged >= damaged as u64);
        assert!(damaged > 0, "IPv{version}");
    }
}

/// What a host sent is lost, damaged, delivered or in the network yet, at each instant.
#[test]
fn datagrams_under_way_are_counted() {
    for version in [4, 6] {
        let mut w = two("[link.forward]\nloss = \"20%\"\n");
        let made = Made {
            version,
            udp: true,
            payload: 5000,
            size: 1000,
            ..Made::default()
        };
        for n in 0..20 {
            w.sends(0, Time::ZERO + Duration::from_us(n * 100), made.bytes());
            for piece in fragments(version, n as u8) {
                w.sends(0, Time::ZERO + Duration::from_us(n * 100), piece);
            }
        }
        // The first are there after 1.01 ms and what their bits take.
        let under_way = |w: &World| {
            let found = w.plane.datagrams(NodeId(0));
            (
                found.sent,
                found.lost,
                w.plane.datagrams_under_way(NodeId(0)),
            )
        };
        for us in (0..900).step_by(100) {
            w.step(Time::ZERO + Duration::from_us(us));
            let (sent, lost, left) = under_way(&w);
            assert_eq!(sent, lost + left, "IPv{version} at {us} us");
            assert!(w.got(1).is_empty());
        }
        assert!(under_way(&w).2 > 0);
        assert_eq!(w.plane.datagrams_under_way(NodeId(1)), 0);
        w.rest();
        let (sent, lost, left) = under_way(&w);
        assert_eq!((sent, left), (20 * 6, 0), "IPv{version}");
        assert!(lost > 0);
    }
}

/// The rest found the host's own queue full, which the host counts.
#[test]
fn a_datagram_that_its_host_sends_in_part_is_not_counted() {
    for version in [4, 6] {
        let mut w = two("");
        for piece in &fragments(version, 1)[..2] {
            w.sends(0, Time::ZERO, piece.clone());
        }
        w.rest();
        assert_eq!(w.plane.datagrams(NodeId(0)).sent, 0, "IPv{version}");
    }
}

#[test]
fn routers_answer_real_pings_and_report_the_end_of_a_ttl_with_the_datagram() {
    let mut w = two("");
    let made = Made {
        ttl: 1,
        udp: true,
        ports: [4000, 33_434],
        ..Made::default()
    };
    w.sends(0, Time::ZERO, made.bytes());
    let made = Made {
        version: 6,
        ttl: 1,
        payload: 3000,
        ..Made::default()
    };
    w.sends(0, Time::ZERO, made.bytes());
    w.rest();
    let got = w.got(0);
    assert_eq!(got.len(), 2);
    for (bytes, version) in got.iter().zip([4, 6]) {
        let whole = Read::parse(LinkType::Ethernet, &bytes[OFFLOAD..]).expect("it reads");
        let (ip, transport) = whole.ip.expect("it is IP");
        let from = match ip {
            Ip::V4(ip) => std::net::IpAddr::V4(ip.source),
            Ip::V6(ip) => ip.source.into(),
        };
        assert_eq!(from, address(NodeId(2), version));
        let Segment::Icmp(icmp) = transport else {
            panic!("it is ICMP")
        };
        assert_eq!(icmp.message, farpath_wire::icmp::Message::TimeExceeded);
        let quoted = packet::Packet::parse(
            &[&[0; 10][..], &bytes[OFFLOAD..OFFLOAD + 14], icmp.quoted].concat(),
        );
        assert_eq!(quoted.expect("the quote reads").ttl, 1);
    }
    assert_eq!(w.plane.packets_under_way(), 0);
}

/// a - r - s - t - b, of which only the first link takes large datagrams.
fn narrow() -> String {
    let mut text = "[scenario]\nname = \"narrow\"\n".to_owned();
    for (kind, name) in [
        ("host", 'a'),
        ("host", 'b'),
        ("router", 'r'),
        ("router", 's'),
        ("router", 't'),
    ] {
        text += &format!("[[{kind}]]\nname = \"{name}\"\n");
    }
    for (from, to, mtu) in [
        ('a', 'r', 9216),
        ('r', 's', 1500),
        ('s', 't', 1500),
        ('t', 'b', 1500),
    ] {
        text += &format!("[[link]]\nname = \"{from}{to}\"\nends = [\"{from}\", \"{to}\"]\n");
        text += &format!("rate = \"1 Gbit/s\"\nmtu = {mtu}\n");
    }
    text
}

#[test]
fn what_is_too_big_is_told_the_mtu_behind_the_label() {
    let labelled = "[[lsp]]\nname = \"l\"\npath = [\"r\", \"s\", \"t\"]\n";
    for (lsp, mtu) in [("", 1500), (labelled, 1496)] {
        let text = narrow() + lsp;
        let mut w = world(&text);
        let made = Made {
            payload: 2000,
            ..Made::default()
        };
        w.sends(0, Time::ZERO, made.bytes());
        w.rest();
        let got = w.got(0);
        assert_eq!(got.len(), 1);
        let whole = Read::parse(LinkType::Ethernet, &got[0][OFFLOAD..]).expect("it reads");
        let Some((_, Segment::Icmp(icmp))) = whole.ip else {
            panic!("it is ICMP")
        };
        assert_eq!(icmp.message, farpath_wire::icmp::Message::TooBig { mtu });
    }
}

/// Three segments that a router reports, and one that arrives: the reports on their way back are not what was sent.
#[test]
fn what_is_reported_as_too_big_is_lost() {
    for (version, udp) in [(4, false), (4, true), (6, false), (6, true)] {
        let mut w = world(&narrow());
        w.plane.note_segments();
        let of = |payload, size, seq| Made {
            version,
            udp,
            ports: [40, 50],
            payload,
            size,
            seq,
            ..Made::default()
        };
        w.sends(0, Time::ZERO, of(1000, 0, 1).bytes());
        w.sends(0, Time::ZERO, of(6000, 2000, 1001).bytes());
        w.step(Time::ZERO);
        let case = format!("IPv{version}, UDP {udp}");
        accounts_for_all(&mut w, udp, &case);
        let answered = w.got(0).len();
        assert_eq!((w.got(1).len(), answered), (1, 3), "{case}");
        let found = w.plane.datagrams(NodeId(0));
        let expected = if udp { (4, 3) } else { (0, 0) };
        assert_eq!((found.sent, found.lost), expected, "{case}");
        let bytes = 2008 + if version == 6 { 40 } else { 20 };
        let expected = if udp { (3, bytes) } else { (0, 0) };
        let large = (found.too_large, found.too_large_bytes);
        assert_eq!(large, expected, "{case}");
        let all: Vec<_> = w.plane.segments().collect();
        let counts = all
            .iter()
            .map(|(_, s)| (s.sent, s.lost[Drop::Mtu as usize]));
        let expected = if udp { vec![] } else { vec![(4, 3)] };
        assert_eq!(counts.collect::<Vec<_>>(), expected, "{case}");
    }
}

/// Runs until nothing is under way. At each step the datagrams that the first host sent are lost, under way or at the second; segments
/// of TCP are none.
fn accounts_for_all(w: &mut World, udp: bool, case: &str) {
    while w.plane.packets_under_way() > 0 {
        let due = w.plane.due();
        w.step(due);
        let found = w.plane.datagrams(NodeId(0));
        let left = w.plane.datagrams_under_way(NodeId(0));
        let arrived = w.got(1).len() as u64 * u64::from(udp);
        assert_eq!(found.sent, found.lost + left + arrived, "{case}");
    }
}

/// A segment whose TTL ends at the router beside one that arrives: the report on its way back is not what was sent.
#[test]
fn what_is_reported_at_the_end_of_its_ttl_is_lost() {
    for (version, udp) in [(4, false), (4, true), (6, false), (6, true)] {
        let mut w = two("");
        w.plane.note_segments();
        let of = |ttl, seq| Made {
            version,
            udp,
            ports: [4000, 33_434],
            ttl,
            seq,
            ..Made::default()
        };
        w.sends(0, Time::ZERO, of(64, 1).bytes());
        w.sends(0, Time::ZERO, of(1, 1001).bytes());
        w.step(Time::ZERO);
        let case = format!("IPv{version}, UDP {udp}");
        accounts_for_all(&mut w, udp, &case);
        assert_eq!((w.got(1).len(), w.got(0).len()), (1, 1), "{case}");
        let found = w.plane.datagrams(NodeId(0));
        let expected = if udp { (2, 1, 1) } else { (0, 0, 0) };
        let counts = (found.sent, found.lost, found.expired);
        assert_eq!(counts, expected, "{case}");
        let all: Vec<_> = w.plane.segments().collect();
        let counts = all
            .iter()
            .map(|(_, s)| (s.sent, s.lost[Drop::Ttl as usize]));
        let expected = if udp { vec![] } else { vec![(2, 1)] };
        assert_eq!(counts.collect::<Vec<_>>(), expected, "{case}");
        let behind = (0..w.plane.port_count()).map(|port| w.plane.dropped_behind(port));
        let died: u64 = behind.map(|drops| drops[Drop::Ttl as usize]).sum();
        assert_eq!(died, 1, "{case}");
    }
}

/// Nothing happens while a frame is on its way for an hour, and it arrives when it is due.
#[test]
fn a_frame_may_be_on_its_way_for_an_hour() {
    let far = TWO.replace("delay = \"1 ms\"", "delay = \"3600 s\"");
    let mut w = world(&far.replace("LOSS", ""));
    w.sends(0, Time::ZERO, Made::default().bytes());
    w.step(Time::ZERO);
    let mut steps = 0;
    let mut due = Time::ZERO;
    while w.got(1).is_empty() && steps < 100 {
        steps += 1;
        due = w.plane.due();
        w.step(due);
    }
    let hour = Time::ZERO + Duration::from_secs(3600);
    let within = hour + Duration::from_us(10)..hour + Duration::from_us(20);
    assert!(within.contains(&due), "{due:?} after {steps} steps");
    assert_eq!(w.plane.packets_under_way(), 0);
}

/// Sends datagrams until nothing is under way: no more are lost or on their way at any instant than were sent.
fn conserved(w: &mut World, datagrams: u64, made: &Made) -> Datagrams {
    for _ in 0..datagrams {
        w.sends(0, Time::ZERO, made.bytes());
    }
    w.step(Time::ZERO);
    while w.plane.packets_under_way() > 0 {
        let due = w.plane.due();
        w.step(due);
        let found = w.plane.datagrams(NodeId(0));
        let left = w.plane.datagrams_under_way(NodeId(0));
        assert!(found.sent >= found.lost + left, "{found:?} {left}");
    }
    assert_eq!(w.plane.datagrams_under_way(NodeId(0)), 0);
    w.plane.datagrams(NodeId(0))
}

/// Forty datagrams at once through a policer, and over a line that loses every second one by chance.
#[test]
fn a_policer_takes_others_than_chance() {
    let policer = "police = { name = \"contract\", rate = \"1 Mbit/s\", burst = \"12 kB\" }";
    for (impairment, is_policed) in [(policer, true), ("loss = \"50%\"", false)] {
        let mut w = two(&format!("[link.forward]\n{impairment}\n"));
        let made = Made {
            udp: true,
            ports: [4000, 5000],
            payload: 1000,
            ..Made::default()
        };
        let found = conserved(&mut w, 40, &made);
        assert_eq!(found.policed > 0, is_policed, "{found:?}");
        assert_eq!(found.by_chance > 0, !is_policed, "{found:?}");
        assert!(found.lost >= found.policed + found.by_chance, "{found:?}");
    }
}

/// The second and the fourth come twice, and of six answers each second does: a copy does not count as a datagram, and an answer to a
/// copy is an answer.
#[test]
fn answers_to_copies_are_answers() {
    let (access, every) = ("name = \"access\"", "duplication = { every = 2 }");
    let there = format!("{access}\nforward.{every}");
    let both = format!("{there}\nreverse.{every}");
    let mut w = world(&TWO.replace("LOSS", "").replace(access, &both));
    let expiring = Made {
        udp: true,
        ports: [4000, 33_434],
        ttl: 1,
        ..Made::default()
    };
    let found = conserved(&mut w, 4, &expiring);
    assert_eq!((found.sent, found.lost), (4, 4));
    assert_eq!((w.got(0).len(), w.got(1).len()), (9, 0));
    for bytes in w.got(0) {
        let whole = Read::parse(LinkType::Ethernet, &bytes[OFFLOAD..]).expect("it reads");
        let Some((_, Segment::Icmp(icmp))) = whole.ip else {
            panic!("it is ICMP")
        };
        assert_eq!(icmp.message, farpath_wire::icmp::Message::TimeExceeded);
    }
    // Of nine frames the third, sixth and ninth are copies. The fourth is not, and is lost alone where each second is.
    for (lose_every, lost, arrived) in [(3, 0, 6), (2, 1, 5)] {
        let loss = format!("forward.lose_every = {lose_every}");
        let text = TWO.replace("LOSS", &loss);
        let mut w = world(&text.replace(access, &there));
        let through = Made {
            udp: true,
            ports: [4000, 33_434],
            ..Made::default()
        };
        let found = conserved(&mut w, 6, &through);
        assert_eq!((found.sent, found.lost), (6, lost), "{lose_every}");
        assert_eq!(w.got(1).len(), arrived, "{lose_every}");
    }
}

/// Three queries, of which the second comes twice: where the third is on the way yet, an answer is not known to be one to all.
#[test]
fn a_copy_of_a_query_is_none() {
    let access = "name = \"access\"";
    let copied = format!("{access}\nforward.duplication = {{ every = 2 }}");
    for (answered_us, answered) in [(1500, 0), (2500, 1)] {
        let mut w = world(&TWO.replace("LOSS", "").replace(access, &copied));
        w.plane.note_queries();
        let query = Made {
            udp: true,
            ports: [4000, 53],
            ..Made::default()
        };
        for us in [0, 0, 1000] {
            w.sends(0, Time::ZERO + Duration::from_us(us), query.bytes());
        }
        let answer = Made {
            from: 1,
            to: 0,
            udp: true,
            ports: [53, 4000],
            ..Made::default()
        };
        let at = Time::ZERO + Duration::from_us(answered_us);
        w.sends(1, at, answer.bytes());
        w.rest();
        assert_eq!((w.got(0).len(), w.got(1).len()), (1, 4));
        assert_eq!(w.plane.queries(NodeId(1)).answered, answered);
    }
}

/// A request of ten segments of 1078 bytes on the wire, and an answer of one: 4.312 ms each at 2 Mbit/s, 2.02 ms there and back. At 10 Gbit/s
/// all of them take less than a round trip.
#[test]
fn a_line_is_taken_by_a_request_that_fills_it() {
    let slow = "rate = \"2 Mbit/s\"\ndelay = \"1 ms\"";
    let text = TWO.replace("rate = \"10 Gbit/s\"\ndelay = \"1 ms\"", slow);
    let queue = "queue = \"1 MB\"";
    for (text, there, back) in [(text.as_str(), 43_120, 4312), (TWO, 0, 0)] {
        let mut w = world(&text.replace("LOSS", queue));
        w.plane.note_turns();
        let [here, far] = Plan::flow_ports(0);
        for n in 0..10 {
            let piece = Made {
                seq: 1 + 1000 * n,
                ..Made::default()
            };
            w.sends(0, Time::ZERO, piece.bytes());
        }
        let answer = Made {
            from: 1,
            to: 0,
            ports: [far, here],
            ..Made::default()
        };
        w.sends(1, Time::ZERO + Duration::from_ms(100), answer.bytes());
        w.rest();
        let turns: Vec<Turns> = w.plane.turns().collect();
        assert_eq!(turns.len(), 1);
        let [asked, answered] = turns[0].lines;
        let us = [asked.all, asked.way, answered.all, answered.way].map(|t| t.as_ns() / 1000);
        assert_eq!(us, [there, there, back, 0]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64 * ProptestConfig::default().cases / 256))]

    /// However late and in whatever pattern a driver wakes, deliveries are due at the same instants.
    #[test]
    fn departures_do_not_depend_on_the_driver(
        packets in prop::collection::vec((0_u64..2000, 0..2_usize, 1_usize..60_000, 0..3_u8), 1..40),
        wakes in prop::collection::vec(1_u64..700, 1..40),
    ) {
        let loss = "[link.forward]\nloss = \"5%\"\nqueue = \"200 kB\"\n[link.reverse]\nloss = \"2%\"\n";
        let run = |wakes: &[u64]| {
            let mut w = two(loss);
            w.plane.set_coalescing(Duration::ZERO);
            let mut sorted = packets.clone();
            sorted.sort();
            let mut wake = wakes.iter().cycle();
            let mut now = Time::ZERO;
            for (us, from, size, kind) in &sorted {
                let at = Time::ZERO + Duration::from_us(*us);
                while !wakes.is_empty() {
                    let next = now + Duration::from_us(*wake.next().expect("it cycles"));
                    if next >= at { break; }
                    now = next;
                    w.work(now);
                }
                let (size, cut) = if *kind == 0 { ((*size).min(8000), 0) } else { (*size, 1448) };
                let made = Made {
                    version: if *kind == 2 { 6 } else { 4 },
                    from: *from,
                    to: 1 - *from,
                    udp: *kind == 2,
                    ports: if *kind == 1 { Plan::flow_ports(0) } else { [1, 2] },
                    payload: size,
                    size: cut,
                    ..Made::default()
                };
                w.sends(*from, at, made.bytes());
                w.listen(at);
            }
            w.rest();
            let traffic = w.plane.traffic();
            let mut log = w.plane.log.clone();
            log.sort();
            let deliveries: Vec<_> = log.iter().map(|l| (l.0, l.1, l.3)).collect();
            (deliveries, traffic, w.plane.packets_under_way())
        };
        let (deliveries, traffic, left) = run(&[]);
        let (late, same, none) = run(&wakes);
        prop_assert_eq!(left + none, 0);
        prop_assert_eq!(traffic.frames_in, traffic.frames_out + traffic.lost);
        prop_assert_eq!(traffic, same);
        prop_assert_eq!(deliveries, late);
    }

    /// Whatever is lost, what arrives is what was sent, in pieces whose headers are right.
    #[test]
    fn survivors_arrive_with_right_headers(
        loss in 1_u32..40, size in 500_u16..9000, payload_bytes in 1_usize..60_000,
        version in prop::sample::select(vec![4_u8, 6]), udp: bool, span in 0_u64..100,
    ) {
        let mut w = two(&format!("[link.forward]\nloss = \"{loss}%\"\n"));
        w.plane.set_coalescing(Duration::from_us(span));
        let size = size.min(8900);
        for n in 0..5 {
            let made = Made {
                version, udp, payload: payload_bytes, size, first: 0, seq: 1, ..Made::default()
            };
            w.sends(0, Time::ZERO + Duration::from_us(n), made.bytes());
        }
        w.rest();
        let mut frames = 0;
        for bytes in w.got(1) {
            let (seq, body, ttl, segments) = read(&bytes);
            prop_assert_eq!(ttl, 63);
            frames += u64::from(segments);
            if !udp {
                let from = seq as usize - 1;
                prop_assert!(body.iter().copied().eq((from..from + body.len()).map(payload)));
                prop_assert_eq!(from % usize::from(size), 0);
            }
        }
        let traffic = w.plane.traffic();
        prop_assert_eq!(frames, traffic.frames_out);
        prop_assert_eq!(traffic.frames_in, traffic.frames_out + traffic.lost);
        prop_assert_eq!(w.plane.packets_under_way(), 0);
        let datagrams = Datagrams {
            sent: traffic.frames_in,
            bytes: 5 * payload_bytes as u64,
            lost: traffic.lost,
            by_chance: w.plane.datagrams(NodeId(0)).by_chance,
            ..Datagrams::default()
        };
        let none = Datagrams::default();
        let wanted = if udp { datagrams } else { none };
        let found = [0, 1].map(|host| w.plane.datagrams(NodeId(host)));
        prop_assert_eq!(found, [wanted, none]);
    }

    /// No bytes a host may send bring the reader down.
    #[test]
    fn any_bytes_can_be_read(mut bytes in prop::collection::vec(any::<u8>(), 0..200), kind in 0..3_usize) {
        let made = [
            Made::default().bytes(),
            Made { version: 6, udp: true, size: 100, ..Made::default() }.bytes(),
            Vec::new(),
        ][kind].clone();
        for (i, b) in made.iter().enumerate() {
            if i < bytes.len() && bytes[i] < 230 { bytes[i] = *b; }
        }
        let mut w = two("");
        w.sends(0, Time::ZERO, bytes);
        w.rest();
        prop_assert_eq!(w.plane.packets_under_way(), 0);
    }
}
