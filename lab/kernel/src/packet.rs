//! What the forwarder reads of a packet: an IPv4 datagram's length and a TCP segment's place in the stream.

/// A TCP segment, as far as the script needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Sequence number of the first byte.
    pub(crate) seq: u32,
    /// Payload bytes.
    pub(crate) payload: u32,
    /// Whether it carries SYN.
    pub(crate) syn: bool,
}

const IPV4: u8 = 4;
const TCP: u8 = 6;
const SYN: u8 = 0x02;

/// The TCP segment in an IPv4 datagram (RFC 791 §3.1, RFC 9293 §3.1); `None` for anything else and for fragments' tails.
pub(crate) fn segment(datagram: &[u8]) -> Option<Segment> {
    let first = *datagram.first()?;
    let ip_header = usize::from(first & 0x0f) * 4;
    if first >> 4 != IPV4 || ip_header < 20 || *datagram.get(9)? != TCP {
        return None;
    }
    let total = usize::from(u16_at(datagram, 2)?);
    if u16_at(datagram, 6)? & 0x1fff != 0 || total > datagram.len() {
        return None;
    }
    let tcp = datagram.get(ip_header..total)?;
    let tcp_header = usize::from(*tcp.get(12)? >> 4) * 4;
    if tcp_header < 20 {
        return None;
    }
    Some(Segment {
        seq: u32::from_be_bytes(tcp.get(4..8)?.try_into().ok()?),
        payload: u32::try_from(tcp.len().checked_sub(tcp_header)?).ok()?,
        syn: *tcp.get(13)? & SYN != 0,
    })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A datagram of `options` bytes of TCP options and `payload` bytes of data.
    fn datagram(options: usize, payload: usize, flags: u8) -> Vec<u8> {
        let total = 20 + 20 + options + payload;
        let mut d = vec![0; total];
        d[0] = 0x45;
        d[2..4].copy_from_slice(&(total as u16).to_be_bytes());
        d[6] = 0x40; // don't fragment
        d[9] = 6;
        d[24..28].copy_from_slice(&0x0102_0304_u32.to_be_bytes());
        d[32] = (((20 + options) / 4) << 4) as u8;
        d[33] = flags;
        d
    }

    #[test]
    fn payload_is_what_the_two_headers_leave() {
        let found = segment(&datagram(12, 1448, 0x10)).expect("a segment");
        assert_eq!(
            (found.seq, found.payload, found.syn),
            (0x0102_0304, 1448, false)
        );
        let syn = segment(&datagram(20, 0, 0x02)).expect("a segment");
        assert_eq!((syn.payload, syn.syn), (0, true));
    }

    #[test]
    fn anything_else_is_none_and_nothing_panics() {
        let good = datagram(12, 100, 0x10);
        for len in 0..good.len() {
            assert_eq!(segment(&good[..len]), None, "{len}");
        }
        for (at, value) in [
            (0, 0x65),
            (0, 0x44),
            (9, 17),
            (6, 0x01),
            (32, 0x40),
            (32, 0xff),
        ] {
            let mut bad = datagram(0, 8, 0x10);
            bad[at] = value;
            assert_eq!(segment(&bad), None, "byte {at} = {value:#x}");
        }
    }
}
