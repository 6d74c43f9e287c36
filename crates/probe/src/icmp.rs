//! ICMP messages as a ping writes and reads them (RFC 792, RFC 4443).

use std::net::IpAddr;

/// Bytes of an echo's header.
pub(crate) const HEADER: usize = 8;

/// What a received message says of one's own requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// The answer to the request of this sequence number.
    Reply(u16),
    /// The request of this sequence number came to nothing, for this reason.
    Failed(u16, &'static str),
}

/// Types of echo request, echo reply, and what an error is called.
struct Types {
    request: u8,
    reply: u8,
    errors: &'static [(u8, &'static str)],
}

const V4: Types = Types {
    request: 8,
    reply: 0,
    errors: &[(3, "Unreachable"), (11, "TimeExceeded")],
};
const V6: Types = Types {
    request: 128,
    reply: 129,
    errors: &[
        (1, "Unreachable"),
        (2, "FragmentationNeeded"),
        (3, "TimeExceeded"),
    ],
};

/// "Fragmentation needed and DF set" (RFC 792).
const NEEDS_FRAGMENTS: (u8, u8) = (3, 4);

fn types(v6: bool) -> &'static Types {
    if v6 { &V6 } else { &V4 }
}

/// An echo request of `len` bytes in all, at least [`HEADER`]. The kernel computes the checksum of
/// ICMPv6 itself.
pub(crate) fn request(v6: bool, identifier: u16, sequence: u16, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len.max(HEADER)];
    bytes[0] = types(v6).request;
    bytes[4..6].copy_from_slice(&identifier.to_be_bytes());
    bytes[6..8].copy_from_slice(&sequence.to_be_bytes());
    if !v6 {
        let sum = checksum(&bytes);
        bytes[2..4].copy_from_slice(&sum.to_be_bytes());
    }
    bytes
}

/// The internet checksum (RFC 1071).
fn checksum(bytes: &[u8]) -> u16 {
    let mut sum = 0_u64;
    for pair in bytes.chunks(2) {
        let low = pair.get(1).copied().unwrap_or(0);
        sum += u64::from(u16::from_be_bytes([pair[0], low]));
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// Reads a message. With `headed` it begins with an IPv4 header, as raw sockets give it. Messages that
/// are not about echo requests to `remote` with `identifier` are none.
pub(crate) fn read(
    bytes: &[u8],
    remote: IpAddr,
    identifier: Option<u16>,
    headed: bool,
) -> Option<Heard> {
    let v6 = remote.is_ipv6();
    let types = types(v6);
    let message = if headed { after_v4(bytes)? } else { bytes };
    let (kind, code) = (*message.first()?, *message.get(1)?);
    if kind == types.reply {
        return sequence_of(message, identifier).map(Heard::Reply);
    }
    let (_, name) = types.errors.iter().find(|(number, _)| *number == kind)?;
    let name = match (v6, (kind, code) == NEEDS_FRAGMENTS) {
        (false, true) => "FragmentationNeeded",
        _ => name,
    };
    let inner = message.get(HEADER..)?;
    let (to, request) = if v6 {
        // An extension header before the echo would have been ours.
        (
            IpAddr::from(<[u8; 16]>::try_from(inner.get(24..40)?).ok()?),
            inner.get(40..)?,
        )
    } else {
        (
            IpAddr::from(<[u8; 4]>::try_from(inner.get(16..20)?).ok()?),
            after_v4(inner)?,
        )
    };
    if to != remote || *request.first()? != types.request {
        return None;
    }
    sequence_of(request, identifier).map(|sequence| Heard::Failed(sequence, name))
}

/// What follows an IPv4 header.
fn after_v4(bytes: &[u8]) -> Option<&[u8]> {
    bytes.get(usize::from(bytes.first()? & 15) * 4..)
}

fn sequence_of(echo: &[u8], identifier: Option<u16>) -> Option<u16> {
    let found = u16::from_be_bytes(echo.get(4..6)?.try_into().ok()?);
    if identifier.is_some_and(|wanted| wanted != found) {
        return None;
    }
    Some(u16::from_be_bytes(echo.get(6..8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REMOTE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(198, 18, 0, 2));

    /// An IPv4 header without options in front of `payload`.
    fn headed(to: [u8; 4], payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x45; 1];
        bytes.extend([0; 15]);
        bytes.extend(to);
        bytes.extend(payload);
        bytes
    }

    #[test]
    fn rfc1071_the_example_of_section_3() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(checksum(&bytes), !0xddf2);
        // A message with its checksum sums up to nothing.
        assert_eq!(checksum(&request(false, 7, 9, 57)), 0);
    }

    #[test]
    fn own_replies_and_errors_are_heard_and_no_others() {
        let mut reply = request(false, 7, 9, 64);
        reply[0] = 0;
        let bytes = headed([198, 18, 0, 1], &reply);
        assert_eq!(read(&bytes, REMOTE, Some(7), true), Some(Heard::Reply(9)));
        assert_eq!(read(&bytes, REMOTE, Some(8), true), None);
        assert_eq!(read(&reply, REMOTE, None, false), Some(Heard::Reply(9)));

        let ours = headed([198, 18, 0, 2], &request(false, 7, 9, 8));
        let mut expired = vec![11, 0, 0, 0, 0, 0, 0, 0];
        expired.extend(&ours);
        let bytes = headed([198, 18, 0, 1], &expired);
        let heard = read(&bytes, REMOTE, Some(7), true);
        assert_eq!(heard, Some(Heard::Failed(9, "TimeExceeded")));
        expired[..2].copy_from_slice(&[3, 4]);
        let bytes = headed([198, 18, 0, 1], &expired);
        let heard = read(&bytes, REMOTE, Some(7), true);
        assert_eq!(heard, Some(Heard::Failed(9, "FragmentationNeeded")));
        let elsewhere = "198.18.0.3".parse().expect("an address");
        assert_eq!(read(&bytes, elsewhere, Some(7), true), None);
        // One's own request, as a raw socket hears it on a loopback interface.
        assert_eq!(read(&ours, REMOTE, Some(7), true), None);
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
            let heard = read(&bytes, remote, Some(1), with_header);
            prop_assert!(heard.is_none() || bytes.len() >= HEADER);
        }
    }
}
