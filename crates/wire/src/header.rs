//! What all header parsers share: the error, the bounded reader, the Internet checksum.

/// Why bytes are not the header they were taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The bytes end inside the header.
    #[error("{what}: the bytes end inside the header")]
    Truncated {
        /// The header being read.
        what: &'static str,
    },
    /// A field has a value that the header cannot have.
    #[error("{what}: {field} is out of range")]
    Malformed {
        /// The header being read.
        what: &'static str,
        /// The field.
        field: &'static str,
    },
}

/// Takes bytes off the front of a slice, never past its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    what: &'static str,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(what: &'static str, bytes: &'a [u8]) -> Reader<'a> {
        Reader { what, rest: bytes }
    }

    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], HeaderError> {
        let (head, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(HeaderError::Truncated { what: self.what })?;
        self.rest = rest;
        Ok(*head)
    }

    pub(crate) fn slice(&mut self, len: usize) -> Result<&'a [u8], HeaderError> {
        let (head, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(HeaderError::Truncated { what: self.what })?;
        self.rest = rest;
        Ok(head)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, HeaderError> {
        self.array::<1>().map(|[b]| b)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, HeaderError> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, HeaderError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) const fn malformed(&self, field: &'static str) -> HeaderError {
        HeaderError::Malformed {
            what: self.what,
            field,
        }
    }
}

/// A running Internet checksum (RFC 1071). Zero bytes add nothing, so a payload that is left out
/// and stands for zeros needs no pass over it: only its length, in the pseudo-header, counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum(u64);

impl Checksum {
    /// The checksum of nothing.
    pub const fn new() -> Checksum {
        Checksum(0)
    }

    /// Adds bytes; every call but the last must add an even number.
    #[must_use]
    pub fn with(mut self, bytes: &[u8]) -> Checksum {
        let mut pairs = bytes.chunks_exact(2);
        for pair in &mut pairs {
            self.0 += u64::from(u16::from_be_bytes([pair[0], pair[1]]));
        }
        if let [odd] = pairs.remainder() {
            self.0 += u64::from(*odd) << 8;
        }
        self
    }

    /// The field's value: the complement of the folded sum. 0 over bytes that include a right checksum.
    pub const fn value(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc1071_section_3_example() {
        let sum = Checksum::new()
            .with(&[0x00, 0x01, 0xf2, 0x03])
            .with(&[0xf4, 0xf5, 0xf6, 0xf7]);
        assert_eq!(sum.value(), !0xddf2);
    }

    #[test]
    fn an_odd_byte_is_padded_with_zero() {
        assert_eq!(
            Checksum::new().with(&[1, 2, 3]),
            Checksum::new().with(&[1, 2, 3, 0])
        );
    }
}
