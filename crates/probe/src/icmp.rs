//! What a ping says and hears: ICMP echoes, and what comes instead of a reply (RFC 792, RFC 4443).

use std::net::IpAddr;

use farpath_wire::Checksum;
use farpath_wire::icmp::{Icmp, Message, Version};
use farpath_wire::ip::{Ipv4, Ipv6};
use farpath_wire::mpls::LabelStack;

use crate::report::IcmpError;

/// Bytes of an echo's header.
pub(crate) const HEADER: usize = 8;

/// What a received message says of one's own requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// The answer to the request of this sequence number.
    Reply(u16),
    /// The request of this sequence number came to nothing, for this reason; the labels it had there.
    Failed(u16, IcmpError, LabelStack),
}

fn version(remote: IpAddr) -> Version {
    match remote {
        IpAddr::V4(_) => Version::V4,
        IpAddr::V6(_) => Version::V6,
    }
}

/// An echo request to `remote` of `len` bytes in all, at least [`HEADER`]. The kernel computes the
/// checksum of ICMPv6 itself.
pub(crate) fn request(remote: IpAddr, identifier: u16, sequence: u16, len: usize) -> Vec<u8> {
    let request = Icmp {
        message: Message::EchoRequest {
            identifier,
            sequence,
        },
        quoted: &vec![0; len.saturating_sub(HEADER)],
        labels: LabelStack::EMPTY,
    };
    let mut bytes = Vec::with_capacity(len);
    request.write(version(remote), Checksum::new(), &mut bytes);
    bytes
}

/// Reads a message. With `headed` it begins with an IPv4 header, as raw sockets give it. Messages that
/// are not about echo requests to `remote` with `identifier` are none.
pub(crate) fn read(bytes: &[u8], remote: IpAddr, identifier: u16, headed: bool) -> Option<Heard> {
    let version = version(remote);
    let bytes = match headed {
        true => Ipv4::parse(bytes).ok()?.1,
        false => bytes,
    };
    let icmp = Icmp::parse(version, bytes).ok()?;
    let error = match (icmp.message, version) {
        (
            Message::EchoReply {
                identifier: of,
                sequence,
            },
            _,
        ) => {
            return (of == identifier).then_some(Heard::Reply(sequence));
        }
        (Message::TooBig { .. }, _) => IcmpError::FragmentationNeeded,
        (Message::TimeExceeded | Message::Other { kind: 11, .. }, Version::V4)
        | (Message::TimeExceeded | Message::Other { kind: 3, .. }, Version::V6) => {
            IcmpError::TimeExceeded
        }
        (Message::Other { kind: 3, .. }, Version::V4)
        | (Message::Other { kind: 1, .. }, Version::V6) => IcmpError::Unreachable,
        _ => return None,
    };
    // An extension header before an echo over IPv6 would have been ours.
    let (to, request): (IpAddr, _) = match version {
        Version::V4 => Ipv4::parse(icmp.quoted).map(|(ip, rest)| (ip.destination.into(), rest)),
        Version::V6 => Ipv6::parse(icmp.quoted).map(|(ip, rest)| (ip.destination.into(), rest)),
    }
    .ok()?;
    match Icmp::parse(version, request).ok()?.message {
        Message::EchoRequest {
            identifier: of,
            sequence,
        } if to == remote && of == identifier => Some(Heard::Failed(sequence, error, icmp.labels)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REMOTE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(198, 18, 0, 2));

    /// An IPv4 header without options in front of `payload`.
    fn headed(to: [u8; 4], payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x45, 0];
        bytes.extend((20 + payload.len() as u16).to_be_bytes());
        bytes.extend([0; 12]);
        bytes.extend(to);
        bytes.extend(payload);
        bytes
    }

    #[test]
    fn a_request_has_its_length_and_checksum() {
        let bytes = request(REMOTE, 7, 9, 57);
        assert_eq!(bytes.len(), 57);
        assert_eq!(bytes[..2], [8, 0]);
        assert_eq!(bytes[4..9], [0, 7, 0, 9, 0]);
        assert_eq!(Checksum::new().with(&bytes).value(), 0);
        assert_eq!(request(REMOTE, 7, 9, 0).len(), HEADER);
    }

    #[test]
    fn own_replies_and_errors_are_heard_and_no_others() {
        let mut reply = request(REMOTE, 7, 9, 64);
        reply[0] = 0;
        let bytes = headed([198, 18, 0, 1], &reply);
        assert_eq!(read(&bytes, REMOTE, 7, true), Some(Heard::Reply(9)));
        assert_eq!(read(&bytes, REMOTE, 8, true), None);
        assert_eq!(read(&reply, REMOTE, 7, false), Some(Heard::Reply(9)));

        let ours = headed([198, 18, 0, 2], &request(REMOTE, 7, 9, 8));
        let mut expired = vec![11, 0, 0, 0, 0, 0, 0, 0];
        expired.extend(&ours);
        let bytes = headed([198, 18, 0, 1], &expired);
        let heard = read(&bytes, REMOTE, 7, true);
        assert_eq!(
            heard,
            Some(Heard::Failed(9, IcmpError::TimeExceeded, LabelStack::EMPTY))
        );
        expired[..2].copy_from_slice(&[3, 4]);
        let bytes = headed([198, 18, 0, 1], &expired);
        let heard = read(&bytes, REMOTE, 7, true);
        assert_eq!(
            heard,
            Some(Heard::Failed(
                9,
                IcmpError::FragmentationNeeded,
                LabelStack::EMPTY
            ))
        );
        let elsewhere = "198.18.0.3".parse().expect("an address");
        assert_eq!(read(&bytes, elsewhere, 7, true), None);
        // One's own request, as a raw socket hears it on a loopback interface.
        assert_eq!(read(&ours, REMOTE, 7, true), None);
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(
            bytes in proptest::collection::vec(any::<u8>(), 0..120),
            v6: bool,
            with_header: bool,
        ) {
            let remote = if v6 { "::1" } else { "127.0.0.1" };
            let remote = remote.parse().expect("an address");
            let heard = read(&bytes, remote, 1, with_header);
            prop_assert!(heard.is_none() || bytes.len() >= HEADER);
        }
    }
}
