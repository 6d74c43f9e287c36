//! IPv4 (RFC 791) and IPv6 (RFC 8200) headers.

use core::net::{Ipv4Addr, Ipv6Addr};

use crate::header::{Checksum, HeaderError, Reader};

/// Protocol number of ICMP for IPv4.
pub const PROTOCOL_ICMP: u8 = 1;
/// Protocol number of TCP.
pub const PROTOCOL_TCP: u8 = 6;
/// Protocol number of UDP.
pub const PROTOCOL_UDP: u8 = 17;
/// Protocol number of ICMPv6.
pub const PROTOCOL_ICMPV6: u8 = 58;

/// Most IPv6 extension headers that are walked.
const EXTENSIONS_MAX: usize = 8;

/// An IPv4 header. Options are skipped when read and never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ipv4 {
    /// DSCP and ECN.
    pub tos: u8,
    /// Length of the datagram in bytes, header included.
    pub total_length: u16,
    /// Identification.
    pub identification: u16,
    /// Do not fragment.
    pub dont_fragment: bool,
    /// Not the last fragment.
    pub more_fragments: bool,
    /// Place of this fragment in units of 8 bytes, 13 bits.
    pub fragment_offset: u16,
    /// Time to live.
    pub ttl: u8,
    /// Protocol of what follows.
    pub protocol: u8,
    /// From.
    pub source: Ipv4Addr,
    /// To.
    pub destination: Ipv4Addr,
}

impl Ipv4 {
    /// Bytes that [`Ipv4::write`] appends.
    pub const BYTES: usize = 20;

    /// Reads a header; returns it and as much of the datagram's payload as is there: a capture may
    /// have cut it, and bytes after the datagram are padding. The checksum is not judged (hosts
    /// leave it to their interfaces); [`Checksum`] over the header gives 0 when it is right.
    ///
    /// # Errors
    /// When the bytes end inside the header, or version or lengths cannot be.
    pub fn parse(bytes: &[u8]) -> Result<(Ipv4, &[u8]), HeaderError> {
        let mut r = Reader::new("IPv4", bytes);
        let [version, tos] = r.array()?;
        let header = usize::from(version & 15) * 4;
        if version >> 4 != 4 || header < Ipv4::BYTES {
            return Err(r.malformed("version or header length"));
        }
        let total_length = r.u16()?;
        let Some(payload) = usize::from(total_length).checked_sub(header) else {
            return Err(r.malformed("total length"));
        };
        let identification = r.u16()?;
        let fragment = r.u16()?;
        let [ttl, protocol] = r.array()?;
        r.u16()?;
        let source = Ipv4Addr::from(r.array::<4>()?);
        let destination = Ipv4Addr::from(r.array::<4>()?);
        r.slice(header - Ipv4::BYTES)?;
        let rest = r.rest();
        let ip = Ipv4 {
            tos,
            total_length,
            identification,
            dont_fragment: fragment & 0x4000 != 0,
            more_fragments: fragment & 0x2000 != 0,
            fragment_offset: fragment & 0x1fff,
            ttl,
            protocol,
            source,
            destination,
        };
        Ok((ip, &rest[..payload.min(rest.len())]))
    }

    /// Appends the header with its checksum: 20 bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let fragment = u16::from(self.dont_fragment) << 14
            | u16::from(self.more_fragments) << 13
            | self.fragment_offset & 0x1fff;
        out.extend([0x45, self.tos]);
        out.extend(self.total_length.to_be_bytes());
        out.extend(self.identification.to_be_bytes());
        out.extend(fragment.to_be_bytes());
        out.extend([self.ttl, self.protocol, 0, 0]);
        out.extend(self.source.octets());
        out.extend(self.destination.octets());
        let sum = Checksum::new().with(&out[start..]).value();
        out[start + 10..start + 12].copy_from_slice(&sum.to_be_bytes());
    }

    /// The pseudo-header of TCP and UDP (RFC 9293 §3.1) over `length` bytes.
    pub fn pseudo_header(&self, length: u16) -> Checksum {
        Checksum::new()
            .with(&self.source.octets())
            .with(&self.destination.octets())
            .with(&[0, self.protocol])
            .with(&length.to_be_bytes())
    }
}

/// An IPv6 header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ipv6 {
    /// DSCP and ECN.
    pub traffic_class: u8,
    /// Flow label, 20 bits.
    pub flow_label: u32,
    /// Bytes after this header.
    pub payload_length: u16,
    /// Protocol of what follows.
    pub next_header: u8,
    /// Time to live.
    pub hop_limit: u8,
    /// From.
    pub source: Ipv6Addr,
    /// To.
    pub destination: Ipv6Addr,
}

impl Ipv6 {
    /// Bytes of the header.
    pub const BYTES: usize = 40;

    /// Reads a header; returns it and as much of the datagram's payload as is there.
    ///
    /// # Errors
    /// When the bytes end inside the header or the version is not 6.
    pub fn parse(bytes: &[u8]) -> Result<(Ipv6, &[u8]), HeaderError> {
        let mut r = Reader::new("IPv6", bytes);
        let word = r.u32()?;
        if word >> 28 != 6 {
            return Err(r.malformed("version"));
        }
        let payload_length = r.u16()?;
        let [next_header, hop_limit] = r.array()?;
        let source = Ipv6Addr::from(r.array::<16>()?);
        let destination = Ipv6Addr::from(r.array::<16>()?);
        let rest = r.rest();
        let ip = Ipv6 {
            traffic_class: (word >> 20) as u8,
            flow_label: word & 0xf_ffff,
            payload_length,
            next_header,
            hop_limit,
            source,
            destination,
        };
        Ok((ip, &rest[..usize::from(payload_length).min(rest.len())]))
    }

    /// Appends the header: 40 bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        let word = 6 << 28 | u32::from(self.traffic_class) << 20 | self.flow_label & 0xf_ffff;
        out.extend(word.to_be_bytes());
        out.extend(self.payload_length.to_be_bytes());
        out.extend([self.next_header, self.hop_limit]);
        out.extend(self.source.octets());
        out.extend(self.destination.octets());
    }

    /// The pseudo-header (RFC 8200 §8.1) of `protocol` over `length` bytes.
    pub fn pseudo_header(&self, protocol: u8, length: u32) -> Checksum {
        Checksum::new()
            .with(&self.source.octets())
            .with(&self.destination.octets())
            .with(&length.to_be_bytes())
            .with(&[0, 0, 0, protocol])
    }
}

/// What a fragment header of IPv6 says (RFC 8200 §4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The number that all fragments of a datagram have.
    pub id: u32,
    /// Whether it is not the first.
    pub is_later: bool,
}

/// Walks IPv6 extension headers (RFC 8200 §4): hop-by-hop, routing, fragment, destination options.
/// Returns the protocol they end in, which fragment this is if it is one, and the bytes that follow: no transport header of a
/// later fragment.
///
/// # Errors
/// When the bytes end inside an extension, or there are more than eight.
pub fn skip_extensions(
    next_header: u8,
    bytes: &[u8],
) -> Result<(u8, Option<Fragment>, &[u8]), HeaderError> {
    let mut r = Reader::new("IPv6 extension", bytes);
    let mut protocol = next_header;
    let mut fragment = None;
    for _ in 0..=EXTENSIONS_MAX {
        match protocol {
            0 | 43 | 60 => {
                let [next, length] = r.array()?;
                r.slice(6 + usize::from(length) * 8)?;
                protocol = next;
            }
            44 => {
                let [next, _] = r.array()?;
                let is_later = r.u16()? & 0xfff8 != 0;
                let id = r.u32()?;
                fragment = Some(Fragment { id, is_later });
                if is_later {
                    return Ok((next, fragment, r.rest()));
                }
                protocol = next;
            }
            _ => return Ok((protocol, fragment, r.rest())),
        }
    }
    Err(r.malformed("number of extensions"))
}
