//! The bytes of what a router answers.

use std::net::IpAddr;

use farpath_wire::icmp::{Icmp, Message, Version};
use farpath_wire::ip::{Ipv4, Ipv6, PROTOCOL_ICMP, PROTOCOL_ICMPV6};
use farpath_wire::mpls::LabelStack;
use farpath_wire::{Checksum, Frame};

use super::heading::Macs;
use super::packet::{DATAGRAM, OFFLOAD};
use super::router::{About, Told};

/// Longest ICMP error for IPv4 (RFC 1812 §4.3.2.3).
const LONGEST_V4: usize = 576;

/// Longest ICMPv6 error: the smallest MTU (RFC 4443 §2.4).
const LONGEST_V6: usize = 1280;

/// Room kept for headers and a label stack.
const HEADERS: usize = 100;

/// Puts in `out` the whole packet that `frame` is: the answer `told` to the datagram `about`, from
/// address `from`. `mtu` is that of the way on.
pub(super) fn write(
    out: &mut Vec<u8>,
    (frame, told): (&Frame, &Told),
    about: &[u8],
    (from, mtu): (IpAddr, u32),
    macs: Macs,
) {
    out.clear();
    out.resize(OFFLOAD, 0);
    out.extend(macs.destination);
    out.extend(macs.source);
    let version = if from.is_ipv4() {
        Version::V4
    } else {
        Version::V6
    };
    out.extend(match version {
        Version::V4 => [0x08, 0x00],
        Version::V6 => [0x86, 0xdd],
    });
    match (version, about.first().map(|b| b >> 4)) {
        (Version::V4, Some(4)) => v4(out, frame, told, about, (from, mtu)),
        (Version::V6, Some(6)) => v6(out, frame, told, about, (from, mtu)),
        _ => {}
    }
    debug_assert!(
        out.len() > DATAGRAM,
        "an answer has the version of what it is about"
    );
}

fn message<'a>(
    version: Version,
    told: &Told,
    about: &'a [u8],
    header: usize,
    mtu: u32,
) -> Option<Icmp<'a>> {
    let most = match version {
        Version::V4 => LONGEST_V4,
        Version::V6 => LONGEST_V6,
    } - HEADERS;
    let labels = if told.label.is_some() {
        LabelStack::new(&[told.label]).unwrap_or(LabelStack::EMPTY)
    } else {
        LabelStack::EMPTY
    };
    let error = |message| Icmp {
        message,
        quoted: &about[..about.len().min(most)],
        labels,
    };
    Some(match told.about {
        About::Echo => {
            let asked = Icmp::parse(version, about.get(header..)?).ok()?;
            let Message::EchoRequest {
                identifier,
                sequence,
            } = asked.message
            else {
                return None;
            };
            Icmp {
                message: Message::EchoReply {
                    identifier,
                    sequence,
                },
                quoted: asked.quoted,
                labels: LabelStack::EMPTY,
            }
        }
        About::Expired => error(Message::TimeExceeded),
        About::TooBig { .. } => error(Message::TooBig { mtu }),
        About::Unreachable => {
            let (kind, code) = match version {
                Version::V4 => (3, 3),
                Version::V6 => (1, 4),
            };
            error(Message::Other { kind, code })
        }
    })
}

fn v4(out: &mut Vec<u8>, frame: &Frame, told: &Told, about: &[u8], (from, mtu): (IpAddr, u32)) {
    let (Ok((asked, rest)), IpAddr::V4(source)) = (Ipv4::parse(about), from) else {
        return;
    };
    let header = about.len() - rest.len();
    let Some(icmp) = message(Version::V4, told, about, header, mtu) else {
        return;
    };
    let ip = Ipv4 {
        tos: frame.class,
        total_length: (Ipv4::BYTES + icmp.bytes(Version::V4)) as u16,
        identification: 0,
        dont_fragment: false,
        more_fragments: false,
        fragment_offset: 0,
        ttl: frame.ttl,
        protocol: PROTOCOL_ICMP,
        source,
        destination: asked.source,
    };
    ip.write(out);
    icmp.write(Version::V4, Checksum::new(), out);
}

fn v6(out: &mut Vec<u8>, frame: &Frame, told: &Told, about: &[u8], (from, mtu): (IpAddr, u32)) {
    let (Ok((asked, _)), IpAddr::V6(source)) = (Ipv6::parse(about), from) else {
        return;
    };
    let Some(icmp) = message(Version::V6, told, about, Ipv6::BYTES, mtu) else {
        return;
    };
    let length = icmp.bytes(Version::V6);
    let ip = Ipv6 {
        traffic_class: frame.class,
        flow_label: 0,
        payload_length: length as u16,
        next_header: PROTOCOL_ICMPV6,
        hop_limit: frame.ttl,
        source,
        destination: asked.source,
    };
    ip.write(out);
    icmp.write(
        Version::V6,
        ip.pseudo_header(PROTOCOL_ICMPV6, length as u32),
        out,
    );
}
