//! Writing pcapng (draft-ietf-opsawg-pcapng): one section, several interfaces, nanoseconds.
//!
//! Times are rounded down to nanoseconds: picoseconds are allowed by the format and misread by many
//! readers. The clock's zero is the start of the run.

use core::net::IpAddr;
use std::io::{self, Write};

use farpath_units::Time;

use crate::packet::LinkType;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const NAME_RESOLUTION: u32 = 4;
const INTERFACE_STATISTICS: u32 = 5;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
/// Section length: not stated.
const UNKNOWN: u64 = u64::MAX;
/// Option codes.
const END_OF_OPTIONS: u16 = 0;
const SHB_USER_APPLICATION: u16 = 4;
const IF_NAME: u16 = 2;
const ISB_IFDROP: u16 = 5;
const IF_TSRESOL: u16 = 9;
/// Record types of a name resolution block.
const NAME_OF_IPV4: u16 = 1;
const NAME_OF_IPV6: u16 = 2;

/// Number of an interface within a file, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interface(u32);

/// A capture file being written.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    interfaces: u32,
    /// The block being built; kept so that writing a packet does not allocate.
    block: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a file: writes the section header.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn new(out: W) -> io::Result<Writer<W>> {
        let mut writer = Writer {
            out,
            interfaces: 0,
            block: Vec::new(),
        };
        writer.begin(SECTION_HEADER);
        writer.block.extend(BYTE_ORDER_MAGIC.to_le_bytes());
        writer.block.extend([1, 0, 0, 0]); // version 1.0
        writer.block.extend(UNKNOWN.to_le_bytes());
        writer.option(SHB_USER_APPLICATION, b"farpath");
        writer.option(END_OF_OPTIONS, b"");
        writer.end()?;
        Ok(writer)
    }

    /// Adds an interface; packets refer to it. Names longer than 65535 bytes are cut.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn interface(&mut self, name: &str, link: LinkType) -> io::Result<Interface> {
        self.begin(INTERFACE_DESCRIPTION);
        self.block.extend(link.code().to_le_bytes());
        self.block.extend([0, 0]);
        self.block.extend(0u32.to_le_bytes()); // no snapshot length
        self.option(IF_NAME, name.as_bytes());
        self.option(IF_TSRESOL, &[9]);
        self.option(END_OF_OPTIONS, b"");
        self.end()?;
        let number = Interface(self.interfaces);
        self.interfaces += 1;
        Ok(number)
    }

    /// Names addresses, so that viewers which resolve names show them.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn names<'n>(
        &mut self,
        names: impl IntoIterator<Item = (IpAddr, &'n str)>,
    ) -> io::Result<()> {
        self.begin(NAME_RESOLUTION);
        for (address, name) in names {
            let (kind, mut value) = match address {
                IpAddr::V4(a) => (NAME_OF_IPV4, a.octets().to_vec()),
                IpAddr::V6(a) => (NAME_OF_IPV6, a.octets().to_vec()),
            };
            value.extend(name.bytes().filter(|b| *b != 0));
            value.truncate(usize::from(u16::MAX) - 1);
            value.push(0);
            self.option(kind, &value);
        }
        self.option(END_OF_OPTIONS, b""); // the end of the records has the same form
        self.end()
    }

    /// Writes a packet: `captured` are its first bytes, `original` its length on the link; a
    /// smaller `original` counts as the captured length.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn packet(
        &mut self,
        interface: Interface,
        at: Time,
        captured: &[u8],
        original: u32,
    ) -> io::Result<()> {
        self.packet_at_ns(interface, at.as_ns(), captured, original)
    }

    /// As [`Writer::packet`], for times that count nanoseconds since 1970 (UTC).
    ///
    /// # Errors
    /// Those of the sink.
    pub fn packet_at_ns(
        &mut self,
        interface: Interface,
        ns: u64,
        captured: &[u8],
        original: u32,
    ) -> io::Result<()> {
        let length = captured.len() as u32;
        self.begin(ENHANCED_PACKET);
        self.block.extend(interface.0.to_le_bytes());
        self.block.extend(((ns >> 32) as u32).to_le_bytes());
        self.block.extend((ns as u32).to_le_bytes());
        self.block.extend(length.to_le_bytes());
        self.block.extend(original.max(length).to_le_bytes());
        self.block.extend(captured);
        self.pad();
        self.end()
    }

    /// Says that `packets` of an interface are missing, as of a time in nanoseconds.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn dropped(&mut self, interface: Interface, ns: u64, packets: u64) -> io::Result<()> {
        self.begin(INTERFACE_STATISTICS);
        self.block.extend(interface.0.to_le_bytes());
        self.block.extend(((ns >> 32) as u32).to_le_bytes());
        self.block.extend((ns as u32).to_le_bytes());
        self.option(ISB_IFDROP, &packets.to_le_bytes());
        self.option(END_OF_OPTIONS, b"");
        self.end()
    }

    /// Flushes and gives the sink back.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.block.extend(kind.to_le_bytes());
        self.block.extend([0; 4]); // the block's length, known at the end
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        let value = &value[..value.len().min(usize::from(u16::MAX))];
        self.block.extend(code.to_le_bytes());
        self.block.extend((value.len() as u16).to_le_bytes());
        self.block.extend(value);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn end(&mut self) -> io::Result<()> {
        let length = (self.block.len() as u32 + 4).to_le_bytes();
        self.block[4..8].copy_from_slice(&length);
        self.block.extend(length);
        self.out.write_all(&self.block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_say_their_length_at_both_ends() {
        let mut writer = Writer::new(Vec::new()).expect("a Vec takes everything");
        let there = writer
            .interface("odd", LinkType::Ppp)
            .expect("a Vec takes everything");
        let back = writer
            .interface("", LinkType::Ethernet)
            .expect("a Vec takes everything");
        for n in 0..5 {
            let interface = if n % 2 == 0 { there } else { back };
            writer
                .packet(interface, Time::from_ps(n << 52), &[7; 5][..n as usize], 3)
                .expect("a Vec takes everything");
        }
        let bytes = writer.finish().expect("a Vec takes everything");
        let word =
            |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let (mut at, mut kinds) = (0, Vec::new());
        while at < bytes.len() {
            let length = word(at + 4) as usize;
            assert_eq!((length % 4, word(at + length - 4) as usize), (0, length));
            if word(at) == ENHANCED_PACKET {
                let n = kinds.len() as u64 - 3;
                let ns = u64::from(word(at + 12)) << 32 | u64::from(word(at + 16));
                assert_eq!(
                    (u64::from(word(at + 20)), word(at + 24), ns),
                    (n, 3.max(n as u32), (n << 52) / 1000)
                );
            }
            kinds.push(word(at));
            at += length;
        }
        assert_eq!(kinds, [SECTION_HEADER, 1, 1, 6, 6, 6, 6, 6]);
    }
}
