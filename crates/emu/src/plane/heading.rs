//! The headers of a run: consecutive segments of one packet, as they are written to a host.

use std::net::IpAddr;
use std::ops::Range;

use farpath_wire::{Checksum, Frame};

use super::packet::{Cut, DATAGRAM, ETHERNET, OFFLOAD, Packet, Transport};

/// TCP: congestion window reduced, of the first segment only.
const CWR: u8 = 0x80;

/// TCP: push and fin, of the last segment only.
const LAST_ONLY: u8 = 0x09;

/// Sends to `destination` from `source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Macs {
    /// The receiving interface.
    pub destination: [u8; 6],
    /// The interface at the other end of its link.
    pub source: [u8; 6],
}

fn put(out: &mut [u8], at: usize, value: u16) {
    out[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

fn get(out: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([out[at], out[at + 1]])
}

/// Puts in `out` everything in front of the payload of `count` segments of `packet` from `first` on, whose
/// bytes are `bytes`; TTL and TOS byte are those of `frame`. Returns where in `bytes` their payload lies.
pub(super) fn write(
    out: &mut Vec<u8>,
    (packet, bytes): (&Packet, &[u8]),
    (first, count): (usize, usize),
    frame: &Frame,
    macs: Macs,
) -> Range<usize> {
    let payload_at = usize::from(packet.payload_at);
    let (from, length) = packet.slice(first, count);
    out.clear();
    out.extend_from_slice(&bytes[..payload_at]);
    offload(out, packet, first, count);
    out[OFFLOAD..OFFLOAD + 6].copy_from_slice(&macs.destination);
    out[OFFLOAD + 6..OFFLOAD + 12].copy_from_slice(&macs.source);
    let datagram = payload_at - DATAGRAM + length as usize;
    network(out, packet.version, first, datagram, frame);
    let whole = count == packet.segments();
    if !whole {
        transport(out, packet, (first, count), (from, length));
    }
    let start = payload_at + from as usize;
    start..start + length as usize
}

fn offload(out: &mut [u8], packet: &Packet, first: usize, count: usize) {
    if packet.cut == Cut::Whole {
        return;
    }
    if count == 1 {
        out[1..6].fill(0);
    } else if first > 0 {
        // The kernel that reads this clears CWR behind the first segment.
        out[1] &= 0x7f;
    }
}

fn network(out: &mut [u8], version: u8, first: usize, datagram: usize, frame: &Frame) {
    let ip = &mut out[DATAGRAM..];
    if version == 6 {
        let class = u16::from(frame.class) << 4;
        let word = get(ip, 0) & 0xf00f | class;
        put(ip, 0, word);
        put(ip, 4, (datagram - 40) as u16);
        ip[7] = frame.ttl;
        return;
    }
    let header = usize::from(ip[0] & 0x0f) * 4;
    ip[1] = frame.class;
    put(ip, 2, datagram as u16);
    let identification = get(ip, 4).wrapping_add(first as u16);
    put(ip, 4, identification);
    ip[8] = frame.ttl;
    put(ip, 10, 0);
    let sum = Checksum::new().with(&ip[..header]).value();
    put(ip, 10, sum);
}

/// The transport header of some of a packet's segments.
fn transport(
    out: &mut [u8],
    packet: &Packet,
    (first, count): (usize, usize),
    (from, length): (u32, u32),
) {
    let at = usize::from(packet.transport_at);
    let total = u32::from(packet.payload_at - packet.transport_at) + length;
    match packet.transport {
        Transport::Tcp {
            seq, mut control, ..
        } => {
            let seq = seq.wrapping_add(from);
            out[at + 4..at + 8].copy_from_slice(&seq.to_be_bytes());
            if first > 0 {
                control &= !CWR;
            }
            if first + count < packet.segments() {
                control &= !LAST_ONLY;
            }
            out[at + 13] = control;
        }
        Transport::Udp { .. } => put(out, at + 4, total as u16),
        _ => return,
    }
    if let Some((start, field)) = packet.partial {
        let field = OFFLOAD + usize::from(start) + usize::from(field);
        if field + 2 <= out.len() {
            put(out, field, !pseudo(packet, total).value());
        }
    }
}

/// The sum over the pseudo-header of a packet whose transport part has `length` bytes.
pub(super) fn pseudo(packet: &Packet, length: u32) -> Checksum {
    let protocol = match packet.transport {
        Transport::Tcp { .. } => 6,
        _ => 17,
    };
    let mut sum = Checksum::new();
    for address in packet.addresses {
        sum = match address {
            IpAddr::V4(a) => sum.with(&a.octets()),
            IpAddr::V6(a) => sum.with(&a.octets()),
        };
    }
    sum.with(&length.to_be_bytes()).with(&[0, protocol])
}

/// Completes the checksum of a single segment, then spoils its last byte: what a receiver must find.
/// `all` is the headers followed by the payload.
pub(super) fn damage(all: &mut [u8], packet: &Packet) {
    if let Some((start, field)) = packet.partial {
        let start = OFFLOAD + usize::from(start);
        let field = start + usize::from(field);
        if field + 2 <= all.len() {
            let sum = Checksum::new().with(&all[start..]).value();
            put(all, field, sum);
        }
    }
    all[0] = 0;
    if all.len() > OFFLOAD + ETHERNET
        && let Some(last) = all.last_mut()
    {
        *last ^= 0x55;
    }
}
