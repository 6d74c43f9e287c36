//! The UDP header (RFC 768).

use crate::header::{Checksum, HeaderError, Reader};

/// A UDP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Udp {
    /// From.
    pub source: u16,
    /// To.
    pub destination: u16,
    /// Length of header and payload in bytes.
    pub length: u16,
}

impl Udp {
    /// Bytes of the header.
    pub const BYTES: usize = 8;

    /// Reads a header; returns it and as much of the payload as is there.
    ///
    /// # Errors
    /// When the bytes end inside the header or the length is below 8.
    pub fn parse(bytes: &[u8]) -> Result<(Udp, &[u8]), HeaderError> {
        let mut r = Reader::new("UDP", bytes);
        let udp = Udp {
            source: r.u16()?,
            destination: r.u16()?,
            length: r.u16()?,
        };
        r.u16()?;
        let Some(payload) = usize::from(udp.length).checked_sub(Udp::BYTES) else {
            return Err(r.malformed("length"));
        };
        let rest = r.rest();
        Ok((udp, &rest[..payload.min(rest.len())]))
    }

    /// Appends the header with the checksum over `pseudo`, itself and a payload of zeros.
    pub fn write(&self, pseudo: Checksum, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend(self.source.to_be_bytes());
        out.extend(self.destination.to_be_bytes());
        out.extend(self.length.to_be_bytes());
        let sum = match pseudo.with(&out[start..]).value() {
            0 => 0xffff, // RFC 768: a sent 0 means "none", so a computed 0 is sent as all ones.
            sum => sum,
        };
        out.extend(sum.to_be_bytes());
    }
}
