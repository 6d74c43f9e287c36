//! Frame descriptors to bytes: the headers a capture shows. Payload is zeros and mostly left out.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::ethernet::{self, Ethernet, Mac, Vlan};
use crate::header::Checksum;
use crate::icmp::{self, Icmp, Message};
use crate::ip::{self, Ipv4, Ipv6};
use crate::mpls::LabelStack;
use crate::ppp;
use crate::tcp::{Control, Options, SACK_BLOCKS_MAX, SackBlocks, Tcp};
use crate::udp::Udp;
use crate::{Flags, Frame, Kind};

/// Shortest Ethernet frame without FCS (IEEE 802.3 §3.2.7).
const ETHERNET_MIN: usize = 60;

/// One direction of a link, as its frames are delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Ethernet II, tagged if `vlan` is there. Frames below 60 bytes are padded.
    Ethernet {
        /// The transmitting interface.
        source: Mac,
        /// The receiving interface.
        destination: Mac,
        /// The link's own tag.
        vlan: Option<Vlan>,
    },
    /// PPP in HDLC-like framing: packet over SONET/SDH.
    Ppp,
}

/// Both ends of a flow; `[0]` is the forward source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// IPv4.
    V4([Ipv4Addr; 2]),
    /// IPv6.
    V6([Ipv6Addr; 2]),
}

/// What the headers of a flow's frames hold beyond the descriptor. In pairs, `[0]` belongs to the
/// forward source and `[1]` to the forward destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowInfo {
    /// IP addresses.
    pub addresses: Addresses,
    /// TCP or UDP ports.
    pub ports: [u16; 2],
    /// Identifier of the flow's ICMP echoes.
    pub identifier: u16,
    /// What the flow's forward frames are: quoted by ICMP errors.
    pub kind: Kind,
    /// MSS option of each end's SYN.
    pub mss: u16,
    /// TCP timestamps are in use.
    pub timestamps: bool,
    /// SACK is in use.
    pub sack: bool,
    /// Shift of the windows each end announces, 0 to 14; none of an end that does not offer to scale them.
    pub window_scale: [Option<u8>; 2],
    /// Initial sequence number of each end.
    pub isn: [u32; 2],
    /// The two ends' interfaces in a customer's Ethernet carried below labels;
    /// [`Mac::documentation`] makes ones that Wireshark recognises there.
    pub customer: [Mac; 2],
    /// The tag of a customer's tagged Ethernet.
    pub customer_vlan: Vlan,
}

/// What a single frame's headers hold beyond descriptor and flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras<'a> {
    /// TCP: bytes that this frame's sender is ready to receive.
    pub window: u64,
    /// TCP timestamp value.
    pub tsval: u32,
    /// TCP timestamp echo.
    pub tsecr: u32,
    /// TCP SACK blocks as stream offsets, `[left, right)`.
    pub sack: &'a [(u64, u64)],
    /// TCP: where the *other* stream stands, as an offset. `Data`: what it acknowledges; `Ack`: the
    /// next byte its sender would send. 0 in a one-way transfer.
    pub opposite: u64,
    /// ICMP errors: the address of the node that answers; the flow's own end if absent.
    pub answerer: Option<IpAddr>,
    /// ICMP errors: the frame that died; reconstructed from `seq` if absent.
    pub quoted: Option<&'a Frame>,
    /// ICMP fragmentation needed: the next hop's MTU in bytes.
    pub mtu: u32,
    /// ICMP errors: the labels it arrived with.
    pub labels: LabelStack,
}

/// Appends the headers of `frame` as they are on `link`, and returns the length in bytes that the
/// whole frame has there, without preamble and FCS.
///
/// Captured are all headers and no payload, but a frame that fits in Ethernet's shortest is there
/// with its padding. Checksums are right for a payload of zeros. When `frame.len` is smaller than
/// the headers it asks for, lengths are those of the headers.
pub fn encode(
    frame: &Frame,
    flow: &FlowInfo,
    link: &Link,
    extras: &Extras<'_>,
    out: &mut Vec<u8>,
) -> u32 {
    let start = out.len();
    write_link(frame, flow, link, out);
    if frame.label.is_some() {
        out.extend(frame.label.0.to_be_bytes());
    }
    let from = usize::from(frame.flow.is_reverse());
    if frame.inner() > 0 {
        let customer = Ethernet {
            destination: flow.customer[1 - from],
            source: flow.customer[from],
            vlan: (frame.inner() == 18).then_some(flow.customer_vlan),
            ethertype: network_type(flow),
        };
        customer.write(out);
    }
    let before_datagram = out.len() - start;
    let length = before_datagram + usize::from(write_datagram(frame, flow, extras, out));
    if matches!(link, Link::Ethernet { .. }) && length < ETHERNET_MIN {
        out.resize(start + ETHERNET_MIN, 0);
        return ETHERNET_MIN as u32;
    }
    length as u32
}

const fn network_type(flow: &FlowInfo) -> u16 {
    match flow.addresses {
        Addresses::V4(_) => ethernet::TYPE_IPV4,
        Addresses::V6(_) => ethernet::TYPE_IPV6,
    }
}

fn write_link(frame: &Frame, flow: &FlowInfo, link: &Link, out: &mut Vec<u8>) {
    let labelled = frame.label.is_some();
    match *link {
        Link::Ethernet {
            source,
            destination,
            vlan,
        } => {
            let ethertype = match (labelled, frame.inner()) {
                (true, _) => ethernet::TYPE_MPLS,
                (false, 0) => network_type(flow),
                (false, _) => ethernet::TYPE_ETHERNET,
            };
            Ethernet {
                destination,
                source,
                vlan,
                ethertype,
            }
            .write(out);
        }
        Link::Ppp => {
            let protocol = match (labelled, frame.inner(), flow.addresses) {
                (true, _, _) => ppp::PROTOCOL_MPLS,
                (false, 0, Addresses::V4(_)) => ppp::PROTOCOL_IPV4,
                (false, 0, Addresses::V6(_)) => ppp::PROTOCOL_IPV6,
                (false, _, _) => ppp::PROTOCOL_BRIDGED,
            };
            ppp::write(protocol, out);
            if protocol == ppp::PROTOCOL_BRIDGED {
                out.extend([0, 1]); // RFC 3518 §4.2: no flags, MAC type IEEE 802.3.
            }
        }
    }
}

/// Appends the IP header and what it carries; returns the datagram's length.
fn write_datagram(frame: &Frame, flow: &FlowInfo, extras: &Extras<'_>, out: &mut Vec<u8>) -> u16 {
    let body = match frame.kind {
        Kind::Data | Kind::Ack | Kind::Syn | Kind::SynAck => {
            Body::Tcp(segment(frame, flow, extras))
        }
        Kind::Udp => Body::Udp,
        Kind::EchoRequest => Body::echo(Message::EchoRequest {
            identifier: flow.identifier,
            sequence: frame.seq as u16,
        }),
        Kind::EchoReply => Body::echo(Message::EchoReply {
            identifier: flow.identifier,
            sequence: frame.seq as u16,
        }),
        Kind::TimeExceeded => Body::error(
            Message::TimeExceeded,
            quote(frame, flow, extras),
            extras.labels,
        ),
        Kind::FragmentationNeeded => Body::error(
            Message::TooBig { mtu: extras.mtu },
            quote(frame, flow, extras),
            extras.labels,
        ),
    };
    match flow.addresses {
        Addresses::V4(ends) => write_ipv4(frame, flow, extras, ends, &body, out),
        Addresses::V6(ends) => write_ipv6(frame, flow, extras, ends, &body, out),
    }
}

fn write_ipv4(
    frame: &Frame,
    flow: &FlowInfo,
    extras: &Extras<'_>,
    ends: [Ipv4Addr; 2],
    body: &Body,
    out: &mut Vec<u8>,
) -> u16 {
    let from = usize::from(frame.flow.is_reverse());
    let least = Ipv4::BYTES + body.header_bytes(icmp::Version::V4);
    let total_length = frame.len.max(least as u16);
    let dont_fragment = frame.flags().contains(Flags::DONT_FRAGMENT);
    let ip = Ipv4 {
        tos: frame.class,
        total_length,
        // RFC 6864 §4.1: of no meaning when the datagram may not be fragmented.
        identification: if dont_fragment { 0 } else { frame.seq as u16 },
        dont_fragment,
        more_fragments: false,
        fragment_offset: 0,
        ttl: frame.ttl,
        protocol: body.protocol(icmp::Version::V4),
        source: match extras.answerer {
            Some(IpAddr::V4(node)) if body.is_error() => node,
            _ => ends[from],
        },
        destination: ends[1 - from],
    };
    ip.write(out);
    let length = total_length - Ipv4::BYTES as u16;
    let pseudo = ip.pseudo_header(length);
    body.write(icmp::Version::V4, flow, from, length, pseudo, out);
    total_length
}

fn write_ipv6(
    frame: &Frame,
    flow: &FlowInfo,
    extras: &Extras<'_>,
    ends: [Ipv6Addr; 2],
    body: &Body,
    out: &mut Vec<u8>,
) -> u16 {
    let from = usize::from(frame.flow.is_reverse());
    let least = body.header_bytes(icmp::Version::V6) as u16;
    let payload_length = frame.len.saturating_sub(Ipv6::BYTES as u16).max(least);
    let next_header = body.protocol(icmp::Version::V6);
    let ip = Ipv6 {
        traffic_class: frame.class,
        flow_label: u32::from(frame.flow.0),
        payload_length,
        next_header,
        hop_limit: frame.ttl,
        source: match extras.answerer {
            Some(IpAddr::V6(node)) if body.is_error() => node,
            _ => ends[from],
        },
        destination: ends[1 - from],
    };
    ip.write(out);
    let pseudo = ip.pseudo_header(next_header, u32::from(payload_length));
    body.write(icmp::Version::V6, flow, from, payload_length, pseudo, out);
    // The longest datagram a descriptor knows is 65535 bytes, header included: no saturation then.
    payload_length.saturating_add(Ipv6::BYTES as u16)
}

/// What an IP header is followed by.
enum Body {
    Tcp(Tcp),
    Udp,
    Icmp {
        message: Message,
        quoted: Vec<u8>,
        labels: LabelStack,
    },
}

impl Body {
    const fn echo(message: Message) -> Body {
        Body::Icmp {
            message,
            quoted: Vec::new(),
            labels: LabelStack::EMPTY,
        }
    }

    const fn error(message: Message, quoted: Vec<u8>, labels: LabelStack) -> Body {
        Body::Icmp {
            message,
            quoted,
            labels,
        }
    }

    const fn is_error(&self) -> bool {
        matches!(
            self,
            Body::Icmp {
                message: Message::TimeExceeded | Message::TooBig { .. },
                ..
            }
        )
    }

    const fn protocol(&self, version: icmp::Version) -> u8 {
        match (self, version) {
            (Body::Tcp(_), _) => ip::PROTOCOL_TCP,
            (Body::Udp, _) => ip::PROTOCOL_UDP,
            (Body::Icmp { .. }, icmp::Version::V4) => ip::PROTOCOL_ICMP,
            (Body::Icmp { .. }, icmp::Version::V6) => ip::PROTOCOL_ICMPV6,
        }
    }

    fn header_bytes(&self, version: icmp::Version) -> usize {
        match self {
            Body::Tcp(tcp) => tcp.header_bytes(),
            Body::Udp => Udp::BYTES,
            Body::Icmp {
                message,
                quoted,
                labels,
            } => Icmp {
                message: *message,
                quoted,
                labels: *labels,
            }
            .bytes(version),
        }
    }

    fn write(
        &self,
        version: icmp::Version,
        flow: &FlowInfo,
        from: usize,
        length: u16,
        pseudo: Checksum,
        out: &mut Vec<u8>,
    ) {
        match self {
            Body::Tcp(tcp) => tcp.write(pseudo, out),
            Body::Udp => {
                let udp = Udp {
                    source: flow.ports[from],
                    destination: flow.ports[1 - from],
                    length,
                };
                udp.write(pseudo, out);
            }
            Body::Icmp {
                message,
                quoted,
                labels,
            } => {
                // ICMP for IPv4 has no pseudo-header (RFC 792); ICMPv6 has (RFC 4443 §2.3).
                let pseudo = match version {
                    icmp::Version::V4 => Checksum::new(),
                    icmp::Version::V6 => pseudo,
                };
                Icmp {
                    message: *message,
                    quoted,
                    labels: *labels,
                }
                .write(version, pseudo, out);
            }
        }
    }
}

/// The TCP header of a frame.
fn segment(frame: &Frame, flow: &FlowInfo, extras: &Extras<'_>) -> Tcp {
    let from = usize::from(frame.flow.is_reverse());
    // A stream offset as a sequence number: the SYN takes one; both count modulo 2^32.
    let number =
        |end: usize, offset: u64| flow.isn[end].wrapping_add(1).wrapping_add(offset as u32);
    let opening = matches!(frame.kind, Kind::Syn | Kind::SynAck);
    let (sequence, acknowledgement, control) = match frame.kind {
        Kind::Syn => (flow.isn[from], 0, Control::SYN),
        Kind::SynAck => (
            flow.isn[from],
            number(1 - from, 0),
            Control::SYN.with(Control::ACK),
        ),
        Kind::Ack => (
            number(from, extras.opposite),
            number(1 - from, frame.seq),
            Control::ACK,
        ),
        _ => (
            number(from, frame.seq),
            number(1 - from, extras.opposite),
            Control::ACK,
        ),
    };
    // RFC 3168 §6.1.
    let ecn = match frame.kind {
        _ if !frame.flags().contains(Flags::ECN) => Control(0),
        Kind::Syn => Control::ECE.with(Control::CWR),
        Kind::SynAck | Kind::Ack => Control::ECE,
        _ => Control::CWR,
    };
    // RFC 7323 §2.2: the window of a SYN is never scaled.
    let scaled = flow.window_scale.iter().all(Option::is_some);
    let shift = match flow.window_scale[from] {
        Some(shift) if scaled && !opening => shift.min(14),
        _ => 0,
    };
    let mut blocks = [(0, 0); SACK_BLOCKS_MAX];
    let used = if flow.sack && !opening {
        extras.sack.len().min(SACK_BLOCKS_MAX)
    } else {
        0
    };
    for (block, (left, right)) in blocks.iter_mut().zip(extras.sack) {
        *block = (number(1 - from, *left), number(1 - from, *right));
    }
    Tcp {
        source: flow.ports[from],
        destination: flow.ports[1 - from],
        sequence,
        acknowledgement,
        control: control.with(ecn),
        window: u16::try_from(extras.window >> shift).unwrap_or(u16::MAX),
        urgent: 0,
        options: Options {
            mss: opening.then_some(flow.mss),
            // Who answers agrees to what was offered, and offers nothing.
            window_scale: flow.window_scale[from]
                .filter(|_| opening && (scaled || frame.kind == Kind::Syn)),
            sack_permitted: opening && flow.sack,
            timestamps: flow.timestamps.then_some((extras.tsval, extras.tsecr)),
            sack: SackBlocks::new(&blocks[..used]),
        },
    }
}

/// The beginning of the datagram that an error answers: as many bytes as the error's length leaves
/// room for, and at least the IP header and 8 bytes (RFC 792).
fn quote(frame: &Frame, flow: &FlowInfo, extras: &Extras<'_>) -> Vec<u8> {
    let mut died = Frame::new(flow.kind, frame.flow.turned(), frame.seq, 0);
    died.ttl = 1;
    let mut died = extras.quoted.copied().unwrap_or(died);
    if matches!(died.kind, Kind::TimeExceeded | Kind::FragmentationNeeded) {
        // RFC 1122 §3.2.2: an error about an error is never sent, so it is never quoted.
        died.kind = Kind::Udp;
    }
    let mut bytes = Vec::with_capacity(128);
    write_datagram(&died, flow, &Extras::default(), &mut bytes);
    let header = match flow.addresses {
        Addresses::V4(_) => Ipv4::BYTES,
        Addresses::V6(_) => Ipv6::BYTES,
    };
    let room = usize::from(frame.len).saturating_sub(header + 8);
    bytes.truncate(room.max(header + 8));
    bytes
}
