//! From a captured frame to the TCP segment in it, through whatever it is wrapped in.

use crate::capture::Packet;
use crate::link::LinkType;
use crate::segment::{Checked, End, Segment, checksum};

/// What a packet turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peeled {
    /// A segment, now in the place given.
    Tcp,
    /// The first fragment of a datagram that holds a segment, how to find the others, and bytes of the datagram in it.
    FirstFragment(FragmentOf, u32),
    /// A later fragment: of which datagram, where its bytes end, and whether it is the last.
    Fragment(FragmentOf, u32, bool),
    /// A UDP datagram, or the first fragment of one.
    Udp,
    /// ICMP of IPv4, or the first fragment of such a message.
    Icmp,
    /// ICMPv6, likewise.
    IcmpV6,
    /// A later fragment of what is not TCP.
    LaterFragment,
    /// IP with another protocol, or no IP.
    Other,
    /// Cut off inside its headers.
    Short,
    /// A header that contradicts itself.
    Malformed,
}

/// Which datagram a fragment belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FragmentOf {
    pub(crate) from: u128,
    pub(crate) to: u128,
    pub(crate) id: u32,
}

/// Wrappings of one packet at most: more come from no network.
const DEPTH_MAX: u32 = 16;

/// What the next header is.
#[derive(Clone, Copy)]
enum Next {
    Ethernet,
    /// By its Ethernet type.
    Type(u16),
    Ppp,
    Mpls,
    Ip,
    Done(Peeled),
}

const TYPE_IPV4: u16 = 0x0800;
const TYPE_IPV6: u16 = 0x86dd;
const TYPE_MPLS: u16 = 0x8847;
const TYPE_MPLS_MULTICAST: u16 = 0x8848;
const TYPE_PPPOE_SESSION: u16 = 0x8864;
const TYPE_TRANSPARENT_ETHERNET: u16 = 0x6558;
/// 802.1Q, 802.1ad and what was in use before it.
const TYPE_VLAN: [u16; 4] = [0x8100, 0x88a8, 0x9100, 0x9200];
const PROTOCOL_IPIP: u8 = 4;
pub(crate) const PROTOCOL_TCP: u8 = 6;
pub(crate) const PROTOCOL_UDP: u8 = 17;
const PROTOCOL_IPV6: u8 = 41;
const PROTOCOL_GRE: u8 = 47;
pub(crate) const PROTOCOL_ICMP: u8 = 1;
pub(crate) const PROTOCOL_ICMPV6: u8 = 58;
const PROTOCOL_ETHERNET: u8 = 143;
/// The ports of VXLAN (RFC 7348 §5), GENEVE (RFC 8926 §3.3) and GTP-U (3GPP TS 29.281 §4.4.2).
const PORT_VXLAN: u16 = 4789;
const PORT_GENEVE: u16 = 6081;
const PORT_GTP: u16 = 2152;
/// ERSPAN of types I and II, and of type III, in GRE (draft-foschiano-erspan).
const TYPE_ERSPAN: u16 = 0x88be;
const TYPE_ERSPAN_III: u16 = 0x22eb;
/// Sequence numbers follow in GRE (RFC 2890 §2).
const GRE_SEQUENCE: u16 = 0x1000;
/// The GTP message that carries a datagram, and extension headers followed in one (3GPP TS 29.281 §5, §7.1).
const GTP_DATAGRAM: u8 = 255;
const GTP_EXTENSIONS_MAX: usize = 8;

/// What is left of a packet: bytes that were captured, and how many more there were.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rest<'a> {
    pub(crate) bytes: &'a [u8],
    /// Length on the link from here on.
    pub(crate) length: u32,
}

impl<'a> Rest<'a> {
    /// Without its first bytes; none where they were not captured.
    #[inline]
    pub(crate) fn after(self, count: usize) -> Option<Rest<'a>> {
        Some(Rest {
            bytes: self.bytes.get(count..)?,
            length: self.length.saturating_sub(count as u32),
        })
    }

    #[inline]
    pub(crate) fn two(self, at: usize) -> Option<u16> {
        let b = self.bytes.get(at..at + 2)?;
        Some(u16::from_be_bytes([b[0], b[1]]))
    }

    #[inline]
    pub(crate) fn one(self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }
}

/// Reads a packet; its segment, if it has one, goes into `segment`. Of TCP, UDP and ICMP what follows the IP header is
/// given, too.
#[inline]
pub(crate) fn peel<'a>(packet: &Packet<'a>, segment: &mut Segment) -> (Peeled, Rest<'a>) {
    let rest = Rest {
        bytes: packet.bytes,
        length: packet.original,
    };
    layers(packet.link, rest, segment).unwrap_or((Peeled::Short, rest))
}

#[inline]
fn layers<'a>(
    link: LinkType,
    mut rest: Rest<'a>,
    segment: &mut Segment,
) -> Option<(Peeled, Rest<'a>)> {
    let mut next;
    (next, rest) = outermost(link, rest)?;
    for _ in 0..DEPTH_MAX {
        (next, rest) = match next {
            Next::Ethernet => (Next::Type(rest.two(12)?), rest.after(14)?),
            Next::Type(TYPE_IPV4 | TYPE_IPV6) | Next::Ip => match rest.one(0)? >> 4 {
                4 => ipv4(rest, segment)?,
                6 => ipv6(rest, segment)?,
                _ => return Some((Peeled::Malformed, rest)),
            },
            Next::Type(of) => by_type(of, rest)?,
            Next::Ppp => ppp(rest)?,
            Next::Mpls => mpls(rest)?,
            Next::Done(done) => return Some((done, rest)),
        };
    }
    match next {
        Next::Done(done) => Some((done, rest)),
        _ => Some((Peeled::Malformed, rest)),
    }
}

#[inline]
fn outermost(link: LinkType, rest: Rest<'_>) -> Option<(Next, Rest<'_>)> {
    Some(match link {
        LinkType::ETHERNET => (Next::Ethernet, rest),
        LinkType::PPP | LinkType::PPP_HDLC | LinkType::PPP_ETHERNET => (Next::Ppp, rest),
        LinkType::RAW | LinkType::IPV4 | LinkType::IPV6 => (Next::Ip, rest),
        // Four bytes of address family, in the order of whoever wrote them; IP says the same.
        LinkType::NULL | LinkType::LOOP => (Next::Ip, rest.after(4)?),
        LinkType::C_HDLC => (Next::Type(rest.two(2)?), rest.after(4)?),
        LinkType::SLL => (Next::Type(rest.two(14)?), rest.after(16)?),
        LinkType::SLL2 => (Next::Type(rest.two(0)?), rest.after(20)?),
        LinkType::MPLS => (Next::Mpls, rest),
        // Frame control and two addresses; LLC and SNAP, which a length stands for.
        LinkType::FDDI => (Next::Type(0), rest.after(13)?),
        LinkType::ATM => (Next::Type(0), rest),
        _ => (Next::Done(Peeled::Other), rest),
    })
}

fn by_type(of: u16, rest: Rest<'_>) -> Option<(Next, Rest<'_>)> {
    Some(match of {
        TYPE_MPLS | TYPE_MPLS_MULTICAST => (Next::Mpls, rest),
        TYPE_TRANSPARENT_ETHERNET => (Next::Ethernet, rest),
        // RFC 2516 §4: version, code, session and length, then PPP.
        TYPE_PPPOE_SESSION => (Next::Ppp, rest.after(6)?),
        tag if TYPE_VLAN.contains(&tag) => (Next::Type(rest.two(2)?), rest.after(4)?),
        // IEEE 802.3 §3.2.6: a length; RFC 1042: SNAP holds a type.
        length if length < 0x0600 && rest.bytes.starts_with(&[0xaa, 0xaa, 3, 0, 0, 0]) => {
            (Next::Type(rest.two(6)?), rest.after(8)?)
        }
        _ => (Next::Done(Peeled::Other), rest),
    })
}

/// PPP, with or without address and control (RFC 1662 §3.1), its protocol in one byte or two (RFC 1661 §2).
fn ppp(mut rest: Rest<'_>) -> Option<(Next, Rest<'_>)> {
    if rest.bytes.starts_with(&[0xff, 3]) {
        rest = rest.after(2)?;
    } else if matches!(rest.two(0)?, 0x0f00 | 0x8f00) {
        return Some((Next::Type(rest.two(2)?), rest.after(4)?));
    }
    let first = rest.one(0)?;
    let (protocol, rest) = if first & 1 == 1 {
        (u16::from(first), rest.after(1)?)
    } else {
        (rest.two(0)?, rest.after(2)?)
    };
    Some(match protocol {
        0x0021 | 0x0057 => (Next::Ip, rest),
        0x0281 | 0x0283 => (Next::Mpls, rest),
        // RFC 3518 §4.2: flags and MAC type.
        0x0031 => (Next::Ethernet, rest.after(2)?),
        _ => (Next::Done(Peeled::Other), rest),
    })
}

/// A label stack (RFC 3032). What follows says itself what it is (RFC 4928 §2): 4 and 6 are IP, 0 a control word.
fn mpls(mut rest: Rest<'_>) -> Option<(Next, Rest<'_>)> {
    for _ in 0..DEPTH_MAX {
        let bottom = rest.one(2)? & 1 == 1;
        rest = rest.after(4)?;
        if bottom {
            return Some(match rest.one(0)? >> 4 {
                4 | 6 => (Next::Ip, rest),
                0 if rest.one(0)? == 0 && rest.one(1)? == 0 => (Next::Ethernet, rest.after(4)?),
                _ => (Next::Ethernet, rest),
            });
        }
    }
    Some((Next::Done(Peeled::Malformed), rest))
}

#[inline]
fn mapped(bytes: &[u8]) -> u128 {
    let four: [u8; 4] = bytes.try_into().unwrap_or_default();
    0xffff_0000_0000 | u128::from(u32::from_be_bytes(four))
}

#[inline]
fn ipv4<'a>(rest: Rest<'a>, segment: &mut Segment) -> Option<(Next, Rest<'a>)> {
    let head = rest.bytes.first_chunk::<20>()?;
    let header = usize::from(head[0] & 15) * 4;
    let mut length = u32::from(u16::from_be_bytes([head[2], head[3]]));
    if length == 0 {
        // A datagram longer than its field: what segmentation offload leaves.
        length = rest.length;
    }
    if header < 20 || length < header as u32 {
        return Some((Next::Done(Peeled::Malformed), rest));
    }
    segment.from.address = mapped(&head[12..16]);
    segment.to.address = mapped(&head[16..20]);
    segment.ip_id = u16::from_be_bytes([head[4], head[5]]);
    (segment.ttl, segment.ecn) = (head[8], head[1] & 3);
    let inside = Rest {
        bytes: rest
            .bytes
            .get(header..(length as usize).min(rest.bytes.len()))?,
        length: length - header as u32,
    };
    let offset = u16::from_be_bytes([head[6], head[7]]);
    if offset & 0x3fff != 0 {
        let place = Fragment {
            of: FragmentOf {
                from: segment.from.address,
                to: segment.to.address,
                id: u32::from(segment.ip_id),
            },
            start: u32::from(offset & 0x1fff) * 8,
            more: offset & 0x2000 != 0,
        };
        return Some((Next::Done(place.read(head[9], inside, segment)), inside));
    }
    transport(head[9], inside, segment)
}

fn ipv6<'a>(rest: Rest<'a>, segment: &mut Segment) -> Option<(Next, Rest<'a>)> {
    let head = rest.bytes.first_chunk::<40>()?;
    let address = |at: usize| -> u128 {
        let bytes: [u8; 16] = head[at..at + 16].try_into().unwrap_or_default();
        u128::from_be_bytes(bytes)
    };
    (segment.from.address, segment.to.address) = (address(8), address(24));
    segment.ip_id = 0;
    (segment.ttl, segment.ecn) = (head[7], (head[1] >> 4) & 3);
    let mut length = u32::from(u16::from_be_bytes([head[4], head[5]]));
    if length == 0 {
        // A jumbogram, or what segmentation offload leaves.
        length = rest.length.saturating_sub(40);
    }
    let whole = 40 + length as usize;
    let mut inside = Rest {
        bytes: &rest.bytes[40..whole.min(rest.bytes.len())],
        length,
    };
    let mut protocol = head[6];
    for _ in 0..DEPTH_MAX {
        let header = match protocol {
            // Hop-by-hop, routing, destination, mobility, host identity, shim (RFC 8200 §4.1).
            0 | 43 | 60 | 135 | 139 | 140 => 8 + usize::from(inside.one(1)?) * 8,
            // Authentication (RFC 4302 §2.2).
            51 => 8 + usize::from(inside.one(1)?) * 4,
            44 => {
                let field = inside.two(2)?;
                let id = u32::from(inside.two(4)?) << 16 | u32::from(inside.two(6)?);
                let place = Fragment {
                    of: FragmentOf {
                        from: segment.from.address,
                        to: segment.to.address,
                        id,
                    },
                    start: u32::from(field & 0xfff8),
                    more: field & 1 != 0,
                };
                let (of, after) = (inside.one(0)?, inside.after(8)?);
                if place.start == 0 && !place.more {
                    (protocol, inside) = (of, after);
                    continue;
                }
                return Some((Next::Done(place.read(of, after, segment)), after));
            }
            other => return transport(other, inside, segment),
        };
        protocol = inside.one(0)?;
        inside = inside.after(header)?;
    }
    Some((Next::Done(Peeled::Malformed), rest))
}

/// A piece of a datagram.
struct Fragment {
    of: FragmentOf,
    start: u32,
    more: bool,
}

impl Fragment {
    fn read(&self, protocol: u8, inside: Rest<'_>, segment: &mut Segment) -> Peeled {
        (segment.protocol, segment.fragmented) = (protocol, true);
        match (protocol, self.start) {
            (PROTOCOL_TCP, 0) if segment.read(inside.bytes, inside.length) => {
                Peeled::FirstFragment(self.of, inside.length)
            }
            (PROTOCOL_TCP, 0) => Peeled::Short,
            (PROTOCOL_TCP, start) => {
                Peeled::Fragment(self.of, start.saturating_add(inside.length), !self.more)
            }
            (_, 1..) => Peeled::LaterFragment,
            (PROTOCOL_UDP, 0) => udp(inside, segment),
            (PROTOCOL_ICMP, 0) => Peeled::Icmp,
            (PROTOCOL_ICMPV6, 0) => Peeled::IcmpV6,
            _ => Peeled::Other,
        }
    }
}

/// The ports of a UDP datagram.
fn udp(inside: Rest<'_>, segment: &mut Segment) -> Peeled {
    let (Some(from), Some(to)) = (inside.two(0), inside.two(2)) else {
        return Peeled::Short;
    };
    (segment.from.port, segment.to.port) = (from, to);
    Peeled::Udp
}

#[inline]
fn transport<'a>(
    protocol: u8,
    inside: Rest<'a>,
    segment: &mut Segment,
) -> Option<(Next, Rest<'a>)> {
    let done = |peeled| Some((Next::Done(peeled), inside));
    segment.protocol = protocol;
    match protocol {
        PROTOCOL_TCP => {
            if inside.bytes.len() < 20 {
                return done(Peeled::Short);
            }
            if !segment.read(inside.bytes, inside.length) {
                return done(Peeled::Malformed);
            }
            segment.checked = check(inside, segment.from, segment.to);
            done(Peeled::Tcp)
        }
        PROTOCOL_UDP => match tunnel(inside) {
            Some(found) => Some(found),
            None => done(udp(inside, segment)),
        },
        PROTOCOL_ICMP => done(Peeled::Icmp),
        PROTOCOL_ICMPV6 => done(Peeled::IcmpV6),
        PROTOCOL_IPIP | PROTOCOL_IPV6 => Some((Next::Ip, inside)),
        PROTOCOL_ETHERNET => Some((Next::Ethernet, inside)),
        PROTOCOL_GRE => gre(inside),
        _ => done(Peeled::Other),
    }
}

/// What a datagram of UDP is wrapped around; none where it is itself what was sent, or its headers were not captured.
#[inline]
fn tunnel(inside: Rest<'_>) -> Option<(Next, Rest<'_>)> {
    let port = inside.two(2)?;
    match port {
        PORT_VXLAN if inside.one(8)? & 8 != 0 => Some((Next::Ethernet, inside.after(16)?)),
        PORT_GENEVE => geneve(inside.after(8)?),
        PORT_GTP => gtp(inside.after(8)?),
        _ => None,
    }
}

/// GENEVE (RFC 8926 §3.4): version 0, and options of so many words.
fn geneve(rest: Rest<'_>) -> Option<(Next, Rest<'_>)> {
    let first = rest.one(0)?;
    let options = usize::from(first & 0x3f) * 4;
    (first >> 6 == 0).then_some(())?;
    Some((Next::Type(rest.two(2)?), rest.after(8 + options)?))
}

/// GTP-U (3GPP TS 29.281 §5.1): version 1; four more bytes where one of three flags says so, and extension headers.
fn gtp(rest: Rest<'_>) -> Option<(Next, Rest<'_>)> {
    let (flags, message) = (rest.one(0)?, rest.one(1)?);
    (flags >> 4 == 3 && message == GTP_DATAGRAM).then_some(())?;
    if flags & 7 == 0 {
        return Some((Next::Ip, rest.after(8)?));
    }
    let mut kind = if flags & 4 != 0 { rest.one(11)? } else { 0 };
    let mut rest = rest.after(12)?;
    for _ in 0..GTP_EXTENSIONS_MAX {
        if kind == 0 {
            return Some((Next::Ip, rest));
        }
        let length = usize::from(rest.one(0)?) * 4;
        kind = rest.one(length.checked_sub(1)?)?;
        rest = rest.after(length)?;
    }
    None
}

/// GRE (RFC 2784, with key and sequence number of RFC 2890).
fn gre(rest: Rest<'_>) -> Option<(Next, Rest<'_>)> {
    let (flags, of) = (rest.two(0)?, rest.two(2)?);
    let optional = [0x8000, 0x2000, GRE_SEQUENCE]
        .iter()
        .filter(|bit| flags & **bit != 0);
    let header = 4 + 4 * optional.count();
    match flags & 7 {
        // Type II has a header of its own, and differs from type I by the sequence number.
        0 if of == TYPE_ERSPAN => {
            let own = if flags & GRE_SEQUENCE != 0 { 8 } else { 0 };
            Some((Next::Ethernet, rest.after(header + own)?))
        }
        0 if of == TYPE_ERSPAN_III => {
            let rest = rest.after(header)?;
            let own = if rest.one(11)? & 1 != 0 { 20 } else { 12 };
            Some((Next::Ethernet, rest.after(own)?))
        }
        0 => Some((Next::Type(of), rest.after(header)?)),
        // Version 1 carries PPP, and an acknowledgement besides (RFC 2637 §4.1).
        1 => {
            let acknowledged = if flags & 0x80 != 0 { 4 } else { 0 };
            Some((Next::Ppp, rest.after(header + acknowledged)?))
        }
        _ => Some((Next::Done(Peeled::Other), rest)),
    }
}

/// Whether a segment that was captured whole has the right checksum (RFC 9293 §3.1).
#[inline]
fn check(inside: Rest<'_>, from: End, to: End) -> Checked {
    if (inside.bytes.len() as u32) < inside.length {
        return Checked::Unknown;
    }
    // A mapped address sums up as the four bytes and 0xffff, which is nothing.
    let halves = |of: u128| {
        let (upper, lower) = ((of >> 64) as u64, of as u64);
        (upper >> 32) + (upper & 0xffff_ffff) + (lower >> 32) + (lower & 0xffff_ffff)
    };
    let pseudo = halves(from.address) + halves(to.address) + 6 + u64::from(inside.length);
    match checksum(pseudo, inside.bytes) {
        0xffff => Checked::Right,
        _ => Checked::Wrong,
    }
}
