//! ICMP (RFC 792, RFC 1191) and ICMPv6 (RFC 4443): echo, time exceeded, and "too big", with the
//! label stack of the datagram that died (RFC 4884, RFC 4950).

use crate::header::{Checksum, HeaderError, Reader};
use crate::mpls::LabelStack;

/// Whether a message is ICMP or ICMPv6: they number their types differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// ICMP over IPv4.
    V4,
    /// ICMPv6 over IPv6.
    V6,
}

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Message {
    /// Echo request.
    EchoRequest {
        /// Which pinger.
        identifier: u16,
        /// Which ping.
        sequence: u16,
    },
    /// Echo reply.
    EchoReply {
        /// Which pinger.
        identifier: u16,
        /// Which ping.
        sequence: u16,
    },
    /// The TTL ran out on the way.
    TimeExceeded,
    /// Fragmentation needed (IPv4) or packet too big (IPv6).
    TooBig {
        /// MTU of the next hop in bytes; ICMP for IPv4 carries 16 bits of it.
        mtu: u32,
    },
    /// Any other type and code.
    Other {
        /// Type.
        kind: u8,
        /// Code.
        code: u8,
    },
}

/// Bytes of the quoted datagram that precede an extension structure (RFC 4884 §4): at least 128.
const QUOTE_BYTES: usize = 128;

/// A message with what an error quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icmp<'a> {
    /// What it says.
    pub message: Message,
    /// Errors: the beginning of the datagram that caused them, as much as is there. Else the payload.
    pub quoted: &'a [u8],
    /// Errors: the labels that datagram arrived with (RFC 4950); empty if none were reported.
    pub labels: LabelStack,
}

impl<'a> Icmp<'a> {
    /// Reads a message. The checksum is not judged. An extension that cannot be read is as if absent.
    ///
    /// # Errors
    /// When the bytes end inside the first 8.
    pub fn parse(version: Version, bytes: &'a [u8]) -> Result<Icmp<'a>, HeaderError> {
        let mut r = Reader::new("ICMP", bytes);
        let [kind, code] = r.array()?;
        r.u16()?;
        let rest: [u8; 4] = r.array()?;
        let (high, low) = (
            u16::from_be_bytes([rest[0], rest[1]]),
            u16::from_be_bytes([rest[2], rest[3]]),
        );
        let message = match (version, kind, code) {
            (Version::V4, 8, 0) | (Version::V6, 128, 0) => Message::EchoRequest {
                identifier: high,
                sequence: low,
            },
            (Version::V4, 0, 0) | (Version::V6, 129, 0) => Message::EchoReply {
                identifier: high,
                sequence: low,
            },
            (Version::V4, 11, 0) | (Version::V6, 3, 0) => Message::TimeExceeded,
            (Version::V4, 3, 4) => Message::TooBig {
                mtu: u32::from(low),
            },
            (Version::V6, 2, 0) => Message::TooBig {
                mtu: u32::from_be_bytes(rest),
            },
            _ => Message::Other { kind, code },
        };
        // RFC 4884 §4: ICMP counts 32-bit words in byte 5, ICMPv6 64-bit words in byte 4. ICMPv6's
        // packet too big has no length (its whole second word is the MTU).
        let words = match (version, message) {
            (Version::V4, Message::TimeExceeded | Message::TooBig { .. }) => {
                usize::from(rest[1]) * 4
            }
            (Version::V6, Message::TimeExceeded) => usize::from(rest[0]) * 8,
            _ => 0,
        };
        let body = r.rest();
        let (quoted, labels) = match body.split_at_checked(words) {
            Some((quoted, extension)) if words > 0 => {
                (quoted, labels_in(extension).unwrap_or(LabelStack::EMPTY))
            }
            _ => (body, LabelStack::EMPTY),
        };
        Ok(Icmp {
            message,
            quoted,
            labels,
        })
    }

    /// Appends the message with its checksum. For ICMPv6 `pseudo` is the pseudo-header, else
    /// [`Checksum::new`]. What follows an echo's quoted bytes counts as zeros.
    pub fn write(&self, version: Version, pseudo: Checksum, out: &mut Vec<u8>) {
        let start = out.len();
        let with_labels = self.carries_labels(version);
        let (kind, code, mut rest) = self.fields(version);
        if with_labels {
            match version {
                Version::V4 => rest[1] = (self.quote_bytes() / 4) as u8,
                Version::V6 => rest[0] = (self.quote_bytes() / 8) as u8,
            }
        }
        out.extend([kind, code, 0, 0]);
        out.extend(rest);
        if with_labels {
            let quoted = &self.quoted[..self.quoted.len().min(self.quote_bytes())];
            out.extend(quoted);
            out.resize(start + 8 + self.quote_bytes(), 0);
            write_labels(&self.labels, out);
        } else {
            out.extend(self.quoted);
        }
        let sum = pseudo.with(&out[start..]).value();
        out[start + 2..start + 4].copy_from_slice(&sum.to_be_bytes());
    }

    /// Bytes that [`Icmp::write`] appends.
    pub fn bytes(&self, version: Version) -> usize {
        if self.carries_labels(version) {
            8 + self.quote_bytes() + 8 + 4 * self.labels.entries().len()
        } else {
            8 + self.quoted.len()
        }
    }

    fn fields(&self, version: Version) -> (u8, u8, [u8; 4]) {
        let echo = |identifier: u16, sequence: u16| {
            let [a, b] = identifier.to_be_bytes();
            let [c, d] = sequence.to_be_bytes();
            [a, b, c, d]
        };
        match (self.message, version) {
            (
                Message::EchoRequest {
                    identifier,
                    sequence,
                },
                Version::V4,
            ) => (8, 0, echo(identifier, sequence)),
            (
                Message::EchoRequest {
                    identifier,
                    sequence,
                },
                Version::V6,
            ) => (128, 0, echo(identifier, sequence)),
            (
                Message::EchoReply {
                    identifier,
                    sequence,
                },
                Version::V4,
            ) => (0, 0, echo(identifier, sequence)),
            (
                Message::EchoReply {
                    identifier,
                    sequence,
                },
                Version::V6,
            ) => (129, 0, echo(identifier, sequence)),
            (Message::TimeExceeded, Version::V4) => (11, 0, [0; 4]),
            (Message::TimeExceeded, Version::V6) => (3, 0, [0; 4]),
            (Message::TooBig { mtu }, Version::V4) => {
                (3, 4, echo(0, u16::try_from(mtu).unwrap_or(u16::MAX)))
            }
            (Message::TooBig { mtu }, Version::V6) => (2, 0, mtu.to_be_bytes()),
            (Message::Other { kind, code }, _) => (kind, code, [0; 4]),
        }
    }

    /// Whether there are labels and this message has a place for them.
    fn carries_labels(&self, version: Version) -> bool {
        let extensible = match self.message {
            Message::TimeExceeded => true,
            Message::TooBig { .. } => version == Version::V4,
            _ => false,
        };
        extensible && !self.labels.entries().is_empty()
    }

    /// Bytes the quoted datagram takes before an extension: whole 8-byte words, at least 128 and at
    /// most what 8 bits can count in 4-byte words.
    fn quote_bytes(&self) -> usize {
        (self.quoted.len().div_ceil(8) * 8).clamp(QUOTE_BYTES, 1016)
    }
}

/// Finds the MPLS label stack object (class 1, type 1: RFC 4950 §3) in an extension structure.
fn labels_in(extension: &[u8]) -> Result<LabelStack, HeaderError> {
    let mut r = Reader::new("ICMP extension", extension);
    let [version, ..] = r.array::<4>()?;
    if version >> 4 != 2 {
        return Err(r.malformed("version"));
    }
    loop {
        let length = r.u16()?;
        let class: [u8; 2] = r.array()?;
        let Some(body) = usize::from(length).checked_sub(4) else {
            return Err(r.malformed("object length"));
        };
        let body = r.slice(body)?;
        if class == [1, 1] {
            return LabelStack::parse(body).map(|(stack, _)| stack);
        }
    }
}

/// Appends an extension structure (RFC 4884 §7) that holds one label stack object.
fn write_labels(labels: &LabelStack, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([0x20, 0, 0, 0]);
    out.extend((4 + 4 * labels.entries().len() as u16).to_be_bytes());
    out.extend([1, 1]);
    labels.write(out);
    let sum = Checksum::new().with(&out[start..]).value();
    out[start + 2..start + 4].copy_from_slice(&sum.to_be_bytes());
}
