//! Datagrams made by hand: UDP, ICMP and what they carry.

use crate::shapes::{ethernet, ipv4, pcap, sum};

/// Addresses of a client, a server and a router between them.
pub(crate) const CLIENT: [u8; 4] = [10, 0, 0, 1];
pub(crate) const SERVER: [u8; 4] = [10, 0, 0, 2];
pub(crate) const ROUTER: [u8; 4] = [10, 0, 0, 254];

/// Nanoseconds of a millisecond, and when captures begin.
pub(crate) const MS: u64 = 1_000_000;
pub(crate) const START: u64 = 1_000_000_000_000;

/// Time, bytes, and the length on the link.
pub(crate) type Packet = (u64, Vec<u8>, u32);

/// A UDP datagram from the client, or to it.
pub(crate) fn udp(forth: bool, ports: (u16, u16), payload: &[u8]) -> Vec<u8> {
    let (from, to, ports) = if forth {
        (CLIENT, SERVER, ports)
    } else {
        (SERVER, CLIENT, (ports.1, ports.0))
    };
    let mut b = ports.0.to_be_bytes().to_vec();
    b.extend(ports.1.to_be_bytes());
    b.extend((8 + payload.len() as u16).to_be_bytes());
    b.extend([0, 0]);
    b.extend(payload);
    ethernet(&ipv4(17, (from, to), &[], &b))
}

/// A message of ICMP.
pub(crate) fn icmp(from: [u8; 4], to: [u8; 4], head: [u8; 8], body: &[u8]) -> Vec<u8> {
    let mut b = head.to_vec();
    b.extend(body);
    let check = sum(&[&b]);
    b[2..4].copy_from_slice(&check.to_be_bytes());
    ethernet(&ipv4(1, (from, to), &[], &b))
}

/// An echo request of the client, or its reply.
pub(crate) fn echo(forth: bool, identifier: u16, number: u16) -> Vec<u8> {
    let [i, j] = identifier.to_be_bytes();
    let [n, m] = number.to_be_bytes();
    let (from, to, kind) = if forth {
        (CLIENT, SERVER, 8)
    } else {
        (SERVER, CLIENT, 0)
    };
    icmp(from, to, [kind, 0, 0, 0, i, j, n, m], &[7; 56])
}

/// The payload of iperf3's datagram of this number, sent `sent` nanoseconds after its clock began.
pub(crate) fn iperf3(number: u32, sent: u64) -> Vec<u8> {
    let mut b = ((sent / 1_000_000_000) as u32 + 500).to_be_bytes().to_vec();
    b.extend(((sent % 1_000_000_000 / 1000) as u32).to_be_bytes());
    b.extend(number.to_be_bytes());
    b.resize(1460, 0x5a);
    b
}

/// The payload of iperf 2's.
pub(crate) fn iperf2(number: i32, sent: u64) -> Vec<u8> {
    let mut b = number.to_be_bytes().to_vec();
    b.extend(((sent / 1_000_000_000) as u32 + 1_700_000_000).to_be_bytes());
    b.extend(((sent % 1_000_000_000 / 1000) as u32).to_be_bytes());
    b.resize(1470, 0x36);
    b
}

/// An RTP packet.
pub(crate) fn rtp(payload_type: u8, number: u16, stamp: u32, ssrc: u32) -> Vec<u8> {
    let mut b = vec![0x80, payload_type];
    b.extend(number.to_be_bytes());
    b.extend(stamp.to_be_bytes());
    b.extend(ssrc.to_be_bytes());
    b.resize(172, 0xd5);
    b
}

/// A DNS name on the wire.
fn name(text: &str) -> Vec<u8> {
    let mut b = Vec::new();
    for label in text.split('.') {
        b.push(label.len() as u8);
        b.extend(label.as_bytes());
    }
    b.push(0);
    b
}

/// A DNS query, or its answer with a code and addresses.
pub(crate) fn dns(id: u16, text: &str, answer: Option<(u8, &[[u8; 4]])>) -> Vec<u8> {
    let mut b = id.to_be_bytes().to_vec();
    let (flags, count) = match answer {
        Some((code, addresses)) => (0x8180 | u16::from(code), addresses.len() as u16),
        None => (0x0100, 0),
    };
    b.extend(flags.to_be_bytes());
    b.extend([0, 1]);
    b.extend(count.to_be_bytes());
    b.extend([0; 4]);
    b.extend(name(text));
    b.extend([0, 1, 0, 1]);
    for address in answer.map_or(&[][..], |a| a.1) {
        b.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
        b.extend(address);
    }
    b
}

/// A QUIC long header of a kind (its two bits in version 1), with ids of the ends and a body of some bytes.
pub(crate) fn quic_long(kind: u8, to: &[u8], from: &[u8], body: usize) -> Vec<u8> {
    let mut b = vec![0xc0 | kind << 4, 0, 0, 0, 1];
    b.push(to.len() as u8);
    b.extend(to);
    b.push(from.len() as u8);
    b.extend(from);
    if kind == 0 {
        b.push(0);
    }
    b.extend((0x4000 | body as u16).to_be_bytes());
    b.resize(b.len() + body, 0xee);
    b
}

/// A QUIC short header with its spin bit.
pub(crate) fn quic_short(spin: bool, body: usize) -> Vec<u8> {
    let mut b = vec![0x40 | u8::from(spin) << 5];
    b.resize(1 + body, 0xcc);
    b
}

/// A capture of packets, sorted by time.
pub(crate) fn capture(mut all: Vec<Packet>) -> Vec<u8> {
    all.sort_by_key(|p| p.0);
    pcap(1, &all, false, true)
}
