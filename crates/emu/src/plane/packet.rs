//! What a host's kernel hands over: an offload header, an Ethernet header, and one datagram or a
//! super-frame of many, read once on the way in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use farpath_wire::ip::{
    PROTOCOL_ICMP, PROTOCOL_ICMPV6, PROTOCOL_TCP, PROTOCOL_UDP, skip_extensions,
};

/// Bytes of the offload header (virtio 1.2 §5.1.6, without `num_buffers`).
pub(super) const OFFLOAD: usize = 10;

/// Bytes of the Ethernet header.
pub(super) const ETHERNET: usize = 14;

/// Offset of the datagram.
pub(super) const DATAGRAM: usize = OFFLOAD + ETHERNET;

/// The checksum is left to whoever sends the packet on.
pub(super) const NEEDS_CHECKSUM: u8 = 1;

const GSO_ECN: u8 = 0x80;

/// Who sends what arrives, and who is given it.
pub type Way = [SocketAddr; 2];

/// Bits of a handle that number the segment.
pub(super) const SEGMENT_BITS: u32 = 10;

/// Segments a packet may have.
pub(super) const SEGMENTS: usize = 1 << SEGMENT_BITS;

/// What a packet is to be cut into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Cut {
    /// Nothing: it is one frame.
    #[default]
    Whole,
    /// TCP segments.
    Tcp,
    /// UDP datagrams.
    Udp,
}

/// What the transport header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// TCP.
    Tcp {
        /// Ports of source and destination.
        ports: [u16; 2],
        /// Sequence number.
        seq: u32,
        /// The eight control bits.
        control: u8,
    },
    /// UDP.
    Udp {
        /// Ports of source and destination.
        ports: [u16; 2],
    },
    /// An ICMP echo request or reply.
    Echo {
        /// Whether it is the request.
        request: bool,
        /// Which pinger.
        identifier: u16,
    },
    /// An ICMP error.
    IcmpError,
    /// Anything else, later fragments among it.
    Other,
}

/// A packet: where its parts lie in its bytes, and what the models must know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// 4 or 6.
    pub(super) version: u8,
    /// Offset of the transport header.
    pub(super) transport_at: u16,
    /// Offset of the payload.
    pub(super) payload_at: u16,
    /// Bytes up to the end of the datagram.
    pub(super) end: u32,
    /// What to cut it into.
    pub(super) cut: Cut,
    /// Payload bytes of a segment, but the last.
    pub(super) segment: u16,
    /// Offsets, from the Ethernet header on, of where the kernel left the checksum to be completed and of
    /// the field.
    pub(super) partial: Option<(u16, u16)>,
    /// Sender and receiver.
    pub(super) addresses: [IpAddr; 2],
    /// The transport header.
    pub(super) transport: Transport,
    /// The TOS byte or traffic class.
    pub(super) class: u8,
    /// TTL or hop limit.
    pub(super) ttl: u8,
    /// It must not be fragmented.
    pub(super) dont_fragment: bool,
    /// Of a fragment of a UDP datagram the number that all of them have.
    pub(super) fragment_of: Option<u32>,
    /// Nothing of its datagram comes behind it.
    pub(super) is_last: bool,
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at + 2)?;
    Some(u16::from_be_bytes([pair[0], pair[1]]))
}

fn little(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at + 2)?;
    Some(u16::from_le_bytes([pair[0], pair[1]]))
}

impl Packet {
    /// Reads a packet; nothing of what is not IP, or ends before its headers do.
    pub(super) fn parse(bytes: &[u8]) -> Option<Packet> {
        let ethertype = word(bytes, OFFLOAD + 12)?;
        let mut packet = match (ethertype, bytes.get(DATAGRAM)? >> 4) {
            (0x0800, 4) => Packet::parse_v4(bytes)?,
            (0x86dd, 6) => Packet::parse_v6(bytes)?,
            _ => return None,
        };
        if bytes[0] & NEEDS_CHECKSUM != 0 {
            packet.partial = Some((little(bytes, 6)?, little(bytes, 8)?));
        }
        let (size, payload) = (little(bytes, 4)?, packet.payload() as usize);
        packet.cut = match (bytes[1] & !GSO_ECN, packet.transport) {
            (0, _) => Cut::Whole,
            (1 | 4, Transport::Tcp { .. }) => Cut::Tcp,
            (5, Transport::Udp { .. }) => Cut::Udp,
            _ => return None,
        };
        packet.segment = size;
        if packet.cut != Cut::Whole && (size == 0 || payload > SEGMENTS * usize::from(size)) {
            return None;
        }
        Some(packet)
    }

    fn parse_v4(bytes: &[u8]) -> Option<Packet> {
        let ip = &bytes[DATAGRAM..];
        let header = usize::from(ip[0] & 0x0f) * 4;
        if header < 20 || ip.len() < header {
            return None;
        }
        let end = DATAGRAM + usize::from(word(ip, 2)?);
        let fragment = word(ip, 6)?;
        let address = |at: usize| {
            let bytes: [u8; 4] = ip.get(at..at + 4)?.try_into().ok()?;
            Some(IpAddr::V4(Ipv4Addr::from(bytes)))
        };
        let mut packet = Packet {
            version: 4,
            transport_at: (DATAGRAM + header) as u16,
            payload_at: (DATAGRAM + header) as u16,
            end: end as u32,
            cut: Cut::Whole,
            segment: 0,
            partial: None,
            addresses: [address(12)?, address(16)?],
            transport: Transport::Other,
            class: ip[1],
            ttl: ip[8],
            dont_fragment: fragment & 0x4000 != 0,
            fragment_of: None,
            is_last: fragment & 0x2000 == 0,
        };
        if fragment & 0x3fff != 0 && ip[9] == PROTOCOL_UDP {
            packet.fragment_of = word(ip, 4).map(u32::from);
        }
        // A super-frame's total length may be left at 0 when it is too long for the field.
        if end > bytes.len() || end < usize::from(packet.transport_at) {
            packet.end = bytes.len() as u32;
        }
        if fragment & 0x1fff == 0 {
            packet.parse_transport(bytes, ip[9])?;
        }
        Some(packet)
    }

    fn parse_v6(bytes: &[u8]) -> Option<Packet> {
        let ip = &bytes[DATAGRAM..];
        let address = |at: usize| {
            let bytes: [u8; 16] = ip.get(at..at + 16)?.try_into().ok()?;
            Some(IpAddr::V6(Ipv6Addr::from(bytes)))
        };
        let rest = ip.get(40..)?;
        let walked = skip_extensions(ip[6], rest);
        let has_header = walked
            .as_ref()
            .is_ok_and(|(_, fragment, _)| !fragment.is_some_and(|f| f.is_later));
        let (protocol, fragment, inner) = walked.unwrap_or((ip[6], None, rest));
        let transport_at = bytes.len() - inner.len();
        let end = DATAGRAM + 40 + usize::from(word(ip, 4)?);
        let fits = end <= bytes.len() && end >= transport_at && end > DATAGRAM + 40;
        let mut packet = Packet {
            version: 6,
            transport_at: transport_at as u16,
            payload_at: transport_at as u16,
            end: if fits { end } else { bytes.len() } as u32,
            cut: Cut::Whole,
            segment: 0,
            partial: None,
            addresses: [address(8)?, address(24)?],
            transport: Transport::Other,
            class: (word(ip, 0)? >> 4) as u8,
            ttl: ip[7],
            dont_fragment: true,
            fragment_of: fragment.filter(|_| protocol == PROTOCOL_UDP).map(|f| f.id),
            // The last header in front is the fragment's, of 8 bytes; the flag ends the fourth of them.
            is_last: fragment.is_none() || bytes.get(transport_at - 5).is_none_or(|b| b & 1 == 0),
        };
        if has_header {
            packet.parse_transport(bytes, protocol)?;
        }
        Some(packet)
    }

    fn parse_transport(&mut self, bytes: &[u8], protocol: u8) -> Option<()> {
        let at = usize::from(self.transport_at);
        let header = bytes.get(at..self.end as usize)?;
        let ports = || Some([word(header, 0)?, word(header, 2)?]);
        let length = match protocol {
            PROTOCOL_TCP => {
                let seq = header.get(4..8)?.try_into().map(u32::from_be_bytes).ok()?;
                self.transport = Transport::Tcp {
                    ports: ports()?,
                    seq,
                    control: *header.get(13)?,
                };
                usize::from(header.get(12)? >> 4) * 4
            }
            PROTOCOL_UDP => {
                self.transport = Transport::Udp { ports: ports()? };
                8
            }
            PROTOCOL_ICMP | PROTOCOL_ICMPV6 => {
                self.transport = icmp(protocol, header)?;
                8
            }
            _ => 0,
        };
        if length > header.len() || (protocol == PROTOCOL_TCP && length < 20) {
            return None;
        }
        self.payload_at += length as u16;
        Some(())
    }

    /// Whether a UDP datagram begins in it, or several do.
    pub(super) fn begins_udp(&self) -> bool {
        matches!(self.transport, Transport::Udp { .. })
    }

    /// Whether it is of UDP: later fragments, too.
    pub(super) fn is_udp(&self) -> bool {
        self.begins_udp() || self.fragment_of.is_some()
    }

    /// Its two ends, the sender first, whose ports these are.
    pub(super) fn way(&self, ports: [u16; 2]) -> Way {
        [0, 1].map(|n| SocketAddr::new(self.addresses[n], ports[n]))
    }

    /// Who sends a segment of TCP to whom, its sequence number and its control bits; none of anything else.
    pub(super) fn tcp(&self) -> Option<(Way, u32, u8)> {
        let Transport::Tcp {
            ports,
            seq,
            control,
        } = self.transport
        else {
            return None;
        };
        Some((self.way(ports), seq, control))
    }

    /// Bytes of payload in all.
    pub(super) fn payload(&self) -> u32 {
        self.end - u32::from(self.payload_at)
    }

    /// How many frames it is.
    pub(super) fn segments(&self) -> usize {
        match self.cut {
            Cut::Whole => 1,
            Cut::Tcp | Cut::Udp => {
                let payload = self.payload() as usize;
                payload.div_ceil(usize::from(self.segment)).max(1)
            }
        }
    }

    /// First payload byte and number of payload bytes of `count` segments from `first` on.
    pub(super) fn slice(&self, first: usize, count: usize) -> (u32, u32) {
        if self.cut == Cut::Whole {
            return (0, self.payload());
        }
        let size = u32::from(self.segment);
        let from = first as u32 * size;
        (from, (count as u32 * size).min(self.payload() - from))
    }

    /// Length of the IP datagram that is segment `n`.
    pub(super) fn datagram(&self, n: usize) -> u16 {
        let headers = u32::from(self.payload_at) - DATAGRAM as u32;
        (headers + self.slice(n, 1).1).min(65_535) as u16
    }

    /// A frame of `len` bytes in all, of nothing in particular.
    #[cfg(test)]
    pub(super) fn plain(len: usize) -> Packet {
        Packet {
            version: 4,
            transport_at: 44,
            payload_at: 44,
            end: len as u32,
            cut: Cut::Whole,
            segment: 0,
            partial: None,
            addresses: [IpAddr::V4(Ipv4Addr::UNSPECIFIED); 2],
            transport: Transport::Other,
            class: 0,
            ttl: 64,
            dont_fragment: false,
            fragment_of: None,
            is_last: true,
        }
    }
}

fn icmp(protocol: u8, header: &[u8]) -> Option<Transport> {
    let kind = *header.first()?;
    let identifier = word(header, 4)?;
    let echo = |request| Transport::Echo {
        request,
        identifier,
    };
    Some(match (protocol, kind) {
        (PROTOCOL_ICMP, 8) | (PROTOCOL_ICMPV6, 128) => echo(true),
        (PROTOCOL_ICMP, 0) | (PROTOCOL_ICMPV6, 129) => echo(false),
        (PROTOCOL_ICMP, 3 | 4 | 5 | 11 | 12) | (PROTOCOL_ICMPV6, 1..=4) => Transport::IcmpError,
        _ => Transport::Other,
    })
}
