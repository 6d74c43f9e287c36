//! pcap, the older format: one header, then records (draft-ietf-opsawg-pcap).

use std::io;

use super::{Head, Next};
use crate::input::{Input, PIECE_MAX};
use crate::link::LinkType;

/// Length of the file's header.
pub(super) const HEADER_BYTES: usize = 24;
const RECORD_BYTES: usize = 16;
const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;
/// The version of a header that stands where a record would: as times of a record it would be one second of 2055.
const JOINED: (u16, u16) = (2, 4);

/// What the header says.
pub(super) struct Header {
    big_endian: bool,
    /// Nanoseconds of one tick.
    tick: i64,
    /// Before 2.3 the two lengths of a record stand the other way round, and in 2.3 they may.
    version: (u16, u16),
    link: LinkType,
}

/// Whether a file begins with one of pcap's four magic numbers.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let magic = word(bytes, 0, false);
    [MICROSECONDS, NANOSECONDS]
        .iter()
        .any(|m| magic == *m || magic == m.swap_bytes())
}

/// Four bytes as a number.
#[inline]
pub(super) fn word(bytes: &[u8], at: usize, big_endian: bool) -> u32 {
    let four = bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
    let four: [u8; 4] = four.unwrap_or_default();
    if big_endian {
        u32::from_be_bytes(four)
    } else {
        u32::from_le_bytes(four)
    }
}

impl Header {
    /// Reads [`HEADER_BYTES`] that [`begins`] knows.
    pub(super) fn parse(bytes: &[u8]) -> Header {
        let little = word(bytes, 0, false);
        let big_endian = little != MICROSECONDS && little != NANOSECONDS;
        let tick = match word(bytes, 0, big_endian) {
            NANOSECONDS => 1,
            _ => 1000,
        };
        Header {
            big_endian,
            tick,
            version: match (word(bytes, 4, big_endian), big_endian) {
                (both, true) => ((both >> 16) as u16, both as u16),
                (both, false) => (both as u16, (both >> 16) as u16),
            },
            // The upper bits tell of frame check sequences.
            link: LinkType::new((word(bytes, 20, big_endian) & 0xffff) as u16),
        }
    }

    /// The next record.
    #[inline]
    pub(super) fn next(&mut self, input: &mut Input<'_>) -> io::Result<Next> {
        let mut whole = input.has(RECORD_BYTES)?;
        while begins(input.bytes()) && self.joined(input)? {
            whole = input.has(RECORD_BYTES)?;
        }
        if !whole {
            return Ok(match input.bytes().len() {
                0 => Next::End,
                left => Next::Broken(format!("the file ends {left} bytes into a record's header")),
            });
        }
        let bytes = input.bytes();
        let number = |at| word(bytes, at, self.big_endian);
        let (seconds, ticks) = (number(0), number(4));
        let (mut captured, mut original) = (number(8), number(12));
        if self.version < (2, 3) || self.version == (2, 3) && captured > original {
            (captured, original) = (original, captured);
        }
        let at = i64::from(seconds) * 1_000_000_000 + i64::from(ticks) * self.tick;
        let length = captured as usize;
        if length > PIECE_MAX - RECORD_BYTES {
            return Ok(Next::Broken(format!(
                "a record says it is {length} bytes long"
            )));
        }
        if !input.has(RECORD_BYTES + length)? {
            return Ok(Next::Broken(format!(
                "the file ends inside a packet of {length} bytes"
            )));
        }
        Ok(Next::Packet(Head {
            at,
            interface: 0,
            link: self.link,
            original,
            from: RECORD_BYTES,
            until: RECORD_BYTES + length,
            step: RECORD_BYTES + length,
        }))
    }

    /// Whether another file was put behind this one, whose header then holds for what follows.
    #[cold]
    fn joined(&mut self, input: &mut Input<'_>) -> io::Result<bool> {
        if !input.has(HEADER_BYTES)? {
            return Ok(false);
        }
        let header = Header::parse(input.bytes());
        let is_header = header.version == JOINED;
        if is_header {
            *self = header;
            input.step(HEADER_BYTES);
        }
        Ok(is_header)
    }
}
