//! A TCP segment as a capture shows it, read in place.

/// Control bits, as in byte 13 of the header (RFC 9293 §3.1).
pub(crate) mod control {
    pub(crate) const FIN: u8 = 0x01;
    pub(crate) const SYN: u8 = 0x02;
    pub(crate) const RST: u8 = 0x04;
    pub(crate) const PSH: u8 = 0x08;
    pub(crate) const ACK: u8 = 0x10;
    /// ECN-Echo, and what answers it (RFC 3168 §6.1).
    pub(crate) const ECE: u8 = 0x40;
    pub(crate) const CWR: u8 = 0x80;
}

/// One end of a connection. An IPv4 address is mapped into IPv6 (RFC 4291 §2.5.5.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct End {
    pub(crate) address: u128,
    pub(crate) port: u16,
}

/// What a checksum says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Checked {
    /// Not all of the segment was captured.
    #[default]
    Unknown,
    Right,
    Wrong,
}

/// SACK blocks of one segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sack {
    pub(crate) count: u8,
    pub(crate) blocks: [(u32, u32); 4],
}

/// A TCP segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Segment {
    /// When it was captured, nanoseconds.
    pub(crate) at: i64,
    /// Where it was captured: the number of the file, and in the lower 16 bits that of the interface.
    pub(crate) place: u32,
    /// The protocol of the IP header; of other protocols than TCP only the ends below are set.
    pub(crate) protocol: u8,
    /// It came in fragments.
    pub(crate) fragmented: bool,
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    pub(crate) control: u8,
    /// The bit before CWR, which AccECN has: then the three are digits of a count.
    pub(crate) counts_marks: bool,
    pub(crate) window: u16,
    /// Payload bytes by what the headers say, captured or not.
    pub(crate) length: u32,
    /// IPv4 identification; 0 in IPv6.
    pub(crate) ip_id: u16,
    pub(crate) ttl: u8,
    /// The two bits of RFC 3168.
    pub(crate) ecn: u8,
    pub(crate) checked: Checked,
    /// TSval and TSecr (RFC 7323).
    pub(crate) stamps: Option<(u32, u32)>,
    pub(crate) sack: Sack,
    pub(crate) mss: Option<u16>,
    pub(crate) scale: Option<u8>,
    pub(crate) sack_permitted: bool,
    /// Not all options were captured: what is not among them is not known.
    pub(crate) options_cut: bool,
}

impl Segment {
    /// Bytes of the headers of IP and TCP, without what is rare in both.
    pub(crate) fn header(&self) -> u32 {
        let ip = if self.from.address >> 32 == 0xffff {
            20
        } else {
            40
        };
        ip + if self.stamps.is_some() { 32 } else { 20 }
    }

    pub(crate) fn is(&self, bits: u8) -> bool {
        self.control & bits != 0
    }

    /// Reads the TCP header; `length` is that of the segment by the IP header. False where the bytes end too early.
    #[inline]
    pub(crate) fn read(&mut self, bytes: &[u8], length: u32) -> bool {
        let Some(head) = bytes.first_chunk::<20>() else {
            return false;
        };
        let two = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
        let four =
            |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let header = u32::from(head[12] >> 4) * 4;
        if header < 20 || header > length {
            return false;
        }
        (self.from.port, self.to.port) = (two(0), two(2));
        (self.seq, self.ack) = (four(4), four(8));
        self.control = head[13];
        self.counts_marks = head[12] & 1 != 0;
        self.window = two(14);
        self.length = length - header;
        if header > 20 {
            let end = bytes.len().min(header as usize);
            self.options_cut = end < header as usize;
            self.options(&bytes[20..end]);
        }
        true
    }

    #[inline]
    fn options(&mut self, options: &[u8]) {
        // What nearly every segment has: two no-operations and a timestamp (RFC 7323 appendix A).
        if let Some(o) = options.first_chunk::<12>()
            && o[..4] == [1, 1, 8, 10]
        {
            let four = |at: usize| u32::from_be_bytes([o[at], o[at + 1], o[at + 2], o[at + 3]]);
            self.stamps = Some((four(4), four(8)));
            if options.len() > 12 {
                self.rare_options(&options[12..]);
            }
            return;
        }
        self.rare_options(options);
    }

    fn rare_options(&mut self, mut options: &[u8]) {
        while let [kind, rest @ ..] = options {
            let length = match (kind, rest) {
                (0, _) => return,
                (1, _) => {
                    options = rest;
                    continue;
                }
                (_, [length, ..]) => usize::from(*length),
                _ => return,
            };
            let Some(value) = options.get(2..length) else {
                return;
            };
            match (kind, value) {
                (2, [a, b]) => self.mss = Some(u16::from_be_bytes([*a, *b])),
                // RFC 7323 §2.3: a shift above 14 counts as 14.
                (3, [shift]) => self.scale = Some((*shift).min(14)),
                (4, []) => self.sack_permitted = true,
                (5, blocks) => self.blocks(blocks),
                (8, [a, b, c, d, e, f, g, h]) => {
                    self.stamps = Some((
                        u32::from_be_bytes([*a, *b, *c, *d]),
                        u32::from_be_bytes([*e, *f, *g, *h]),
                    ));
                }
                _ => {}
            }
            options = options.get(length..).unwrap_or_default();
        }
    }

    fn blocks(&mut self, bytes: &[u8]) {
        let (blocks, _) = bytes.as_chunks::<8>();
        for (slot, b) in self.sack.blocks.iter_mut().zip(blocks) {
            *slot = (
                u32::from_be_bytes([b[0], b[1], b[2], b[3]]),
                u32::from_be_bytes([b[4], b[5], b[6], b[7]]),
            );
            self.sack.count += 1;
        }
    }
}

/// The one's complement sum of RFC 1071, begun with `sum`.
pub(crate) fn checksum(sum: u64, bytes: &[u8]) -> u16 {
    let (words, rest) = bytes.as_chunks::<4>();
    let mut sum = sum;
    for word in words {
        sum += u64::from(u32::from_be_bytes(*word));
    }
    let mut last = [0u8; 4];
    last[..rest.len()].copy_from_slice(rest);
    sum += u64::from(u32::from_be_bytes(last));
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}
