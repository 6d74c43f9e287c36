//! What ICMP reports of packets that went no further (RFC 792, RFC 1191, RFC 4443, RFC 4884, RFC 4950).

use std::collections::BTreeMap;
use std::net::Ipv6Addr;

use farpath_record::trace::IcmpError;

use crate::describe::end_text;
use crate::filter::Filter;
use crate::peel::{PROTOCOL_ICMP, PROTOCOL_ICMPV6, PROTOCOL_TCP, PROTOCOL_UDP, Rest};
use crate::segment::{End, Segment};

/// Errors that are listed; of others their packets are counted.
const ERRORS_MAX: usize = 10_000;
/// Labels read of one error.
const LABELS_MAX: usize = 16;

/// What an error is about, and who reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct About {
    from: u128,
    to: u128,
    icmp_type: u8,
    code: u8,
    mtu: Option<u32>,
    protocol: u8,
    ends: [End; 2],
}

/// Errors of one kind about one flow.
#[derive(Clone, Debug)]
struct Entry {
    about: About,
    is_v6: bool,
    labels: Vec<u32>,
    count: u64,
    first: i64,
    last: i64,
}

/// All errors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors {
    list: Vec<Entry>,
    places: BTreeMap<About, usize>,
    /// The last report to a sender of TCP that its packets are too large: the connection, its sender first, and the MTU.
    pub(crate) too_large: Option<([End; 2], u32)>,
    /// Errors that found no room.
    pub(crate) left_out: u64,
}

/// An error that was read.
pub(crate) struct Reported {
    about: About,
    is_v6: bool,
    labels: Vec<u32>,
}

fn four(b: &[u8], at: usize) -> Option<u32> {
    let bytes = b.get(at..at + 4)?;
    Some(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn mapped(four: u32) -> u128 {
    0xffff_0000_0000 | u128::from(four)
}

/// Reads a message; none where it is not an error. `segment` has the ends of its own header.
pub(crate) fn read(inside: Rest<'_>, segment: &Segment) -> Option<Reported> {
    let b = inside.bytes;
    let is_v6 = segment.protocol == PROTOCOL_ICMPV6;
    let (icmp_type, code) = (*b.first()?, *b.get(1)?);
    let is_error = if is_v6 {
        matches!(icmp_type, 1..=4)
    } else {
        matches!(icmp_type, 3 | 4 | 5 | 11 | 12)
    };
    if !is_error {
        return None;
    }
    let mtu = match (is_v6, icmp_type, code) {
        // RFC 1191 §4: in the last two bytes of what was unused; 0 from routers before it.
        (false, 3, 4) => Some(four(b, 4)? & 0xffff).filter(|mtu| *mtu > 0),
        (true, 2, _) => four(b, 4),
        _ => None,
    };
    let quoted = b.get(8..)?;
    let (protocol, ends) = quotation(quoted, is_v6)?;
    Some(Reported {
        about: About {
            from: segment.from.address,
            to: segment.to.address,
            icmp_type,
            code,
            mtu,
            protocol,
            ends,
        },
        is_v6,
        labels: labels(b, is_v6),
    })
}

/// Protocol and ends of the packet that an error quotes.
fn quotation(b: &[u8], is_v6: bool) -> Option<(u8, [End; 2])> {
    let (protocol, from, to, header) = if is_v6 {
        let address = |at: usize| -> Option<u128> {
            let bytes: [u8; 16] = b.get(at..at + 16)?.try_into().ok()?;
            Some(u128::from_be_bytes(bytes))
        };
        (*b.get(6)?, address(8)?, address(24)?, 40)
    } else {
        let header = usize::from(b.first()? & 15) * 4;
        let (from, to) = (four(b, 12)?, four(b, 16)?);
        (*b.get(9)?, mapped(from), mapped(to), header.max(20))
    };
    let mut ports = [0, 0];
    if let Some(p) = b.get(header..header + 8) {
        match protocol {
            PROTOCOL_TCP | PROTOCOL_UDP => {
                ports = [
                    u16::from_be_bytes([p[0], p[1]]),
                    u16::from_be_bytes([p[2], p[3]]),
                ];
            }
            // The identifier of an echo.
            PROTOCOL_ICMP | PROTOCOL_ICMPV6 if matches!(p[0], 8 | 128) => {
                ports = [u16::from_be_bytes([p[4], p[5]]), 0];
            }
            _ => {}
        }
    }
    let [a, b] = [(from, ports[0]), (to, ports[1])].map(|(address, port)| End { address, port });
    Some((protocol, [a, b]))
}

/// The label stack of an extension (RFC 4950 §3); none without.
fn labels(b: &[u8], is_v6: bool) -> Vec<u32> {
    let stack = || -> Option<Vec<u32>> {
        // RFC 4884 §4: the quotation's length in words of 4 bytes, or of 8 in IPv6.
        let length = if is_v6 {
            usize::from(*b.get(4)?) * 8
        } else {
            usize::from(*b.get(5)?) * 4
        };
        // RFC 4884 §5.5: what does not state a length has 128 bytes before the extension.
        let length = if length == 0 { 128 } else { length };
        let mut extension = b.get(8 + length..)?;
        if extension.first()? >> 4 != 2 {
            return None;
        }
        extension = extension.get(4..)?;
        let object = usize::from(u16::from_be_bytes([
            *extension.first()?,
            *extension.get(1)?,
        ]));
        if extension.get(2..4)? != [1, 1] {
            return None;
        }
        let (entries, _) = extension.get(4..object)?.as_chunks::<4>();
        let entries = entries.iter().take(LABELS_MAX);
        Some(entries.map(|e| u32::from_be_bytes(*e) >> 12).collect())
    };
    stack().unwrap_or_default()
}

impl Reported {
    /// Whether a filter takes the error, or what it quotes.
    pub(crate) fn is_wanted(&self, filter: &Filter, own: &Segment) -> bool {
        let [from, to] = self.about.ends;
        let quoted = Segment {
            protocol: self.about.protocol,
            from,
            to,
            ..Segment::default()
        };
        filter.matches(own) || filter.matches(&quoted)
    }
}

impl Errors {
    /// Takes in an error.
    pub(crate) fn take(&mut self, reported: Reported, at: i64) {
        if let Some(mtu) = reported.about.mtu
            && reported.about.protocol == PROTOCOL_TCP
        {
            self.too_large = Some((reported.about.ends, mtu));
        }
        if let Some(place) = self.places.get(&reported.about) {
            let entry = &mut self.list[*place];
            entry.count += 1;
            entry.last = entry.last.max(at);
            return;
        }
        if self.list.len() >= ERRORS_MAX {
            self.left_out += 1;
            return;
        }
        self.places.insert(reported.about, self.list.len());
        self.list.push(Entry {
            about: reported.about,
            is_v6: reported.is_v6,
            labels: reported.labels,
            count: 1,
            first: at,
            last: at,
        });
    }

    /// Describes them; `of` finds the connection and the flow of what they quote.
    pub(crate) fn described(
        &self,
        of: impl Fn(u8, [End; 2]) -> (Option<u64>, Option<u64>),
    ) -> Vec<IcmpError> {
        let each = |e: &Entry| {
            let about = &e.about;
            let (connection, flow) = of(about.protocol, about.ends);
            let with_ports = matches!(about.protocol, PROTOCOL_TCP | PROTOCOL_UDP);
            let end = |end: &End| {
                if with_ports {
                    end_text(end)
                } else {
                    address_text(end.address)
                }
            };
            IcmpError {
                kind: kind(e.is_v6, about.icmp_type, about.code).to_owned(),
                icmp_type: about.icmp_type,
                code: about.code,
                from: address_text(about.from),
                to: address_text(about.to),
                protocol: protocol_name(about.protocol),
                flow_from: end(&about.ends[0]),
                flow_to: end(&about.ends[1]),
                mtu: about.mtu,
                labels: e.labels.clone(),
                count: e.count,
                first_ns: e.first,
                last_ns: e.last,
                connection,
                flow,
            }
        };
        self.list.iter().map(each).collect()
    }
}

/// An address as text.
pub(crate) fn address_text(address: u128) -> String {
    let address = Ipv6Addr::from(address);
    match address.to_ipv4_mapped() {
        Some(v4) => v4.to_string(),
        None => address.to_string(),
    }
}

/// A protocol's name, or its number.
pub(crate) fn protocol_name(protocol: u8) -> String {
    match protocol {
        PROTOCOL_TCP => "tcp".to_owned(),
        PROTOCOL_UDP => "udp".to_owned(),
        PROTOCOL_ICMP => "icmp".to_owned(),
        PROTOCOL_ICMPV6 => "icmpv6".to_owned(),
        other => other.to_string(),
    }
}

/// What an error says.
fn kind(is_v6: bool, icmp_type: u8, code: u8) -> &'static str {
    match (is_v6, icmp_type, code) {
        (false, 3, 0) => "net_unreachable",
        (false, 3, 1) => "host_unreachable",
        (false, 3, 2) => "protocol_unreachable",
        (false, 3, 3) | (true, 1, 4) => "port_unreachable",
        (false, 3, 4) => "fragmentation_needed",
        (false, 3, 9 | 10 | 13) | (true, 1, 1) => "prohibited",
        (false, 3, _) | (true, 1, _) if !(is_v6 && code <= 3) => "unreachable",
        (true, 1, 0) => "no_route",
        (true, 1, 2) => "beyond_scope",
        (true, 1, _) => "address_unreachable",
        (true, 2, _) => "packet_too_big",
        (false, 4, _) => "source_quench",
        (false, 5, _) => "redirect",
        (false, 11, 0) | (true, 3, 0) => "time_exceeded",
        (false, 11, _) | (true, 3, _) => "reassembly_time_exceeded",
        _ => "parameter_problem",
    }
}
