//! Bytes to headers: one captured frame, from the link's header to the transport's.

use crate::ethernet::{self, Ethernet};
use crate::header::HeaderError;
use crate::icmp::{self, Icmp};
use crate::ip::{self, Ipv4, Ipv6};
use crate::mpls::LabelStack;
use crate::ppp;
use crate::tcp::Tcp;
use crate::udp::Udp;

/// What a capture's interface carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkType {
    /// LINKTYPE_ETHERNET: without preamble and FCS.
    Ethernet,
    /// LINKTYPE_PPP_HDLC: from the address byte, without flag and FCS.
    Ppp,
}

impl LinkType {
    /// The number in capture files.
    pub const fn code(self) -> u16 {
        match self {
            LinkType::Ethernet => 1,
            LinkType::Ppp => 50,
        }
    }
}

/// The network layer of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// IPv4.
    V4(Ipv4),
    /// IPv6.
    V6(Ipv6),
}

/// The transport layer of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport<'a> {
    /// TCP.
    Tcp(Tcp),
    /// UDP.
    Udp(Udp),
    /// ICMP or ICMPv6.
    Icmp(Icmp<'a>),
    /// A fragment that is not the first and so has no transport header.
    Fragment,
    /// A protocol farpath does not read.
    Other(u8),
}

/// One captured frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// The link's Ethernet header; `None` on PPP.
    pub ethernet: Option<Ethernet>,
    /// The label stack, empty without MPLS.
    pub labels: LabelStack,
    /// A customer's Ethernet header below the labels.
    pub customer: Option<Ethernet>,
    /// The IP header and what it carries; `None` when the frame carries no IP.
    pub ip: Option<(Network, Transport<'a>)>,
    /// Bytes of transport payload by what the headers say, captured or not.
    pub payload_bytes: u32,
}

impl<'a> Packet<'a> {
    /// Reads a captured frame, headers first to last; payload may be cut off.
    ///
    /// Below labels a first nibble of 4 or 6 is taken for IP and anything else for a customer's
    /// Ethernet without control word: MPLS itself does not say (RFC 4928 §2).
    ///
    /// # Errors
    /// When a header is cut short or malformed.
    pub fn parse(link: LinkType, bytes: &'a [u8]) -> Result<Packet<'a>, HeaderError> {
        let mut packet = Packet {
            ethernet: None,
            labels: LabelStack::EMPTY,
            customer: None,
            ip: None,
            payload_bytes: 0,
        };
        let (carried, rest) = match link {
            LinkType::Ethernet => {
                let (ethernet, rest) = Ethernet::parse(bytes)?;
                packet.ethernet = Some(ethernet);
                (Carried::by_ethertype(ethernet.ethertype), rest)
            }
            LinkType::Ppp => {
                let (protocol, rest) = ppp::parse(bytes)?;
                (Carried::by_ppp(protocol), rest)
            }
        };
        packet.read(carried, rest)?;
        Ok(packet)
    }

    fn read(&mut self, mut carried: Carried, mut rest: &'a [u8]) -> Result<(), HeaderError> {
        if let Carried::Bridged = carried {
            // RFC 3518 §4.2: flags and MAC type.
            rest = rest.get(2..).ok_or(HeaderError::Truncated {
                what: "PPP bridging",
            })?;
            carried = Carried::Ethernet;
        }
        if let Carried::Mpls = carried {
            (self.labels, rest) = LabelStack::parse(rest)?;
            carried = match rest.first().map(|b| b >> 4) {
                Some(4) => Carried::Ipv4,
                Some(6) => Carried::Ipv6,
                Some(_) => Carried::Ethernet,
                None => Carried::Other,
            };
        }
        if let Carried::Ethernet = carried {
            let (ethernet, after) = Ethernet::parse(rest)?;
            self.customer = Some(ethernet);
            rest = after;
            carried = Carried::by_ethertype(ethernet.ethertype);
        }
        match carried {
            Carried::Ipv4 => self.read_ipv4(rest),
            Carried::Ipv6 => self.read_ipv6(rest),
            _ => Ok(()),
        }
    }

    fn read_ipv4(&mut self, bytes: &'a [u8]) -> Result<(), HeaderError> {
        let header = bytes.first().map_or(0, |b| u32::from(b & 15) * 4);
        let (ip, rest) = Ipv4::parse(bytes)?;
        let length = u32::from(ip.total_length) - header;
        self.read_transport(
            Network::V4(ip),
            ip.protocol,
            ip.fragment_offset > 0,
            length,
            rest,
        )
    }

    fn read_ipv6(&mut self, bytes: &'a [u8]) -> Result<(), HeaderError> {
        let (ip, rest) = Ipv6::parse(bytes)?;
        let (protocol, fragment, after) = ip::skip_extensions(ip.next_header, rest)?;
        let length = u32::from(ip.payload_length) - (rest.len() - after.len()) as u32;
        let is_later = fragment.is_some_and(|f| f.is_later);
        self.read_transport(Network::V6(ip), protocol, is_later, length, after)
    }

    fn read_transport(
        &mut self,
        network: Network,
        protocol: u8,
        fragment: bool,
        length: u32,
        bytes: &'a [u8],
    ) -> Result<(), HeaderError> {
        let version = match network {
            Network::V4(_) => icmp::Version::V4,
            Network::V6(_) => icmp::Version::V6,
        };
        let (transport, header) = match (protocol, version) {
            _ if fragment => (Transport::Fragment, 0),
            (ip::PROTOCOL_TCP, _) => {
                let (tcp, rest) = Tcp::parse(bytes)?;
                (Transport::Tcp(tcp), bytes.len() - rest.len())
            }
            (ip::PROTOCOL_UDP, _) => (Transport::Udp(Udp::parse(bytes)?.0), Udp::BYTES),
            (ip::PROTOCOL_ICMP, icmp::Version::V4) | (ip::PROTOCOL_ICMPV6, icmp::Version::V6) => {
                (Transport::Icmp(Icmp::parse(version, bytes)?), 8)
            }
            (other, _) => (Transport::Other(other), 0),
        };
        self.payload_bytes = length.saturating_sub(header as u32);
        self.ip = Some((network, transport));
        Ok(())
    }
}

/// What a header says comes next.
#[derive(Clone, Copy)]
enum Carried {
    Ipv4,
    Ipv6,
    Mpls,
    Ethernet,
    Bridged,
    Other,
}

impl Carried {
    const fn by_ethertype(ethertype: u16) -> Carried {
        match ethertype {
            ethernet::TYPE_IPV4 => Carried::Ipv4,
            ethernet::TYPE_IPV6 => Carried::Ipv6,
            ethernet::TYPE_MPLS => Carried::Mpls,
            ethernet::TYPE_ETHERNET => Carried::Ethernet,
            _ => Carried::Other,
        }
    }

    const fn by_ppp(protocol: u16) -> Carried {
        match protocol {
            ppp::PROTOCOL_IPV4 => Carried::Ipv4,
            ppp::PROTOCOL_IPV6 => Carried::Ipv6,
            ppp::PROTOCOL_MPLS => Carried::Mpls,
            ppp::PROTOCOL_BRIDGED => Carried::Bridged,
            _ => Carried::Other,
        }
    }
}
