//! Datagrams of UDP for which nothing listened, by what the hosts that they came to reported.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use farpath_units::Time;
use farpath_wire::ip::PROTOCOL_UDP;

use crate::plane::packet::{Packet, Transport, Way};

/// So many pairs of ends are followed: what comes later is not known.
const ENDS: usize = 1 << 12;

/// Type and code of a report that nothing listens at a port (RFC 792; RFC 4443 §3.1).
const OVER_IPV4: [u8; 2] = [3, 3];
const OVER_IPV6: [u8; 2] = [1, 4];

/// Bytes of the header of a report, in front of the datagram that it quotes.
const REPORT: usize = 8;

/// When that was first reported, and how often, by who had sent a datagram and where to.
#[derive(Clone, Debug, Default)]
pub(super) struct Unheard(BTreeMap<Way, (Time, u64)>);

impl Unheard {
    /// A host has handed over `packet`, whose bytes these are, at an instant.
    pub(super) fn sent(&mut self, packet: &Packet, bytes: &[u8], now: Time) {
        let Some(way) = reported(packet, bytes) else {
            return;
        };
        if self.0.len() < ENDS || self.0.contains_key(&way) {
            self.0.entry(way).or_insert((now, 0)).1 += 1;
        }
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = (Way, Time, u64)> + '_ {
        self.0
            .iter()
            .map(|(way, (first, times))| (*way, *first, *times))
    }
}

/// The ends of the datagram of which a host reports that nothing listens; none of any other packet.
fn reported(packet: &Packet, bytes: &[u8]) -> Option<Way> {
    if packet.transport != Transport::IcmpError {
        return None;
    }
    let report = bytes.get(usize::from(packet.transport_at)..packet.end as usize)?;
    let nothing_listens = match packet.version {
        4 => OVER_IPV4,
        _ => OVER_IPV6,
    };
    if !report.starts_with(&nothing_listens) {
        return None;
    }
    let way = datagram(report.get(REPORT..)?)?;
    // Another host may refuse what passes it for reasons of its own.
    (way[1].ip() == packet.addresses[0]).then_some(way)
}

/// The ends of the datagram of UDP that begins with these bytes, its network header first.
fn datagram(bytes: &[u8]) -> Option<Way> {
    let (protocol, header, addresses) = match bytes.first()? >> 4 {
        4 => {
            let address = |at: usize| Some(IpAddr::V4(Ipv4Addr::from(array::<4>(bytes, at)?)));
            let header = usize::from(bytes[0] & 0x0f) * 4;
            (*bytes.get(9)?, header, [address(12)?, address(16)?])
        }
        6 => {
            let address = |at: usize| Some(IpAddr::V6(Ipv6Addr::from(array::<16>(bytes, at)?)));
            (*bytes.get(6)?, 40, [address(8)?, address(24)?])
        }
        _ => return None,
    };
    let port = |at: usize| Some(u16::from_be_bytes(array::<2>(bytes, header + at)?));
    let ports = [port(0)?, port(2)?];
    let way = [0, 1].map(|n| SocketAddr::new(addresses[n], ports[n]));
    (protocol == PROTOCOL_UDP).then_some(way)
}

/// So many bytes from one on.
fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use farpath_units::Duration;

    use super::*;

    /// A report of host `from` about a datagram of 198.18.0.1, port 40000, to 198.18.0.2, port 9000.
    fn report(from: &str, [kind, code, protocol]: [u8; 3]) -> (Packet, Vec<u8>) {
        let mut bytes = vec![0; 44];
        bytes.extend([kind, code, 0, 0, 0, 0, 0, 0]);
        let mut quoted = [0; 28];
        (quoted[0], quoted[9]) = (0x45, protocol);
        quoted[12..20].copy_from_slice(&[198, 18, 0, 1, 198, 18, 0, 2]);
        quoted[20..22].copy_from_slice(&40_000_u16.to_be_bytes());
        quoted[22..24].copy_from_slice(&9000_u16.to_be_bytes());
        bytes.extend(quoted);
        let packet = Packet {
            addresses: [from, "198.18.0.1"].map(|a| a.parse().expect(a)),
            transport: Transport::IcmpError,
            ..Packet::plain(bytes.len())
        };
        (packet, bytes)
    }

    #[test]
    fn who_hears_nothing_at_a_port_is_known() {
        let found = |from, what| {
            let mut unheard = Unheard::default();
            let (packet, bytes) = report(from, what);
            let at = |ms| Time::ZERO + Duration::from_ms(ms);
            unheard.sent(&packet, &bytes, at(300));
            unheard.sent(&packet, &bytes, at(900));
            unheard.sent(&packet, &bytes[..60], at(1000));
            unheard.all().collect::<Vec<_>>()
        };
        let way: Way = ["198.18.0.1:40000", "198.18.0.2:9000"].map(|end| end.parse().expect(end));
        let first = Time::ZERO + Duration::from_ms(300);
        assert_eq!(found("198.18.0.2", [3, 3, 17]), [(way, first, 2)]);
        assert_eq!(found("198.18.0.2", [3, 1, 17]), [], "no host");
        assert_eq!(found("198.18.0.2", [3, 3, 6]), [], "TCP");
        assert_eq!(found("198.18.0.9", [3, 3, 17]), [], "another host");
    }

    /// Over IPv6, with a header of 40 bytes.
    #[test]
    fn a_datagram_over_ipv6_is_read_too() {
        let mut quoted = [0; 48];
        (quoted[0], quoted[6]) = (0x60, 17);
        (quoted[8], quoted[23], quoted[24], quoted[39]) = (0x20, 1, 0x20, 2);
        quoted[40..44].copy_from_slice(&[0x9c, 0x40, 0x23, 0x28]);
        let ends: Way = ["[2000::1]:40000", "[2000::2]:9000"].map(|end| end.parse().expect(end));
        assert_eq!(datagram(&quoted), Some(ends));
        assert_eq!(datagram(&quoted[..42]), None);
    }
}
