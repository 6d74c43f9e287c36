//! pcapng: sections of blocks (draft-ietf-opsawg-pcapng).

use std::io;

use farpath_record::trace::TraceFile;

use super::pcap::word;
use super::{Head, Next, note};
use crate::input::{Input, PIECE_MAX};
use crate::link::LinkType;

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const STATISTICS: u32 = 5;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;
const EPB_DROPCOUNT: u16 = 4;
const ISB_IFDROP: u16 = 5;
const ISB_OSDROP: u16 = 7;
/// Most interfaces of a section; packets of others are not read.
const INTERFACES_MAX: usize = 4096;
/// Bytes of a block around its body.
const AROUND: usize = 12;

/// One interface of a section.
#[derive(Clone, Copy)]
struct Interface {
    link: LinkType,
    /// Largest captured length; 0 where it is unlimited.
    snaplen: u32,
    /// One tick is `numerator / denominator` nanoseconds.
    numerator: u64,
    denominator: u64,
    /// Nanoseconds added to every time.
    offset: i64,
    /// Packets lost, as its last statistics say.
    dropped: u64,
    /// The same, as the packets say.
    dropped_before_packets: u64,
}

/// The latest time of a packet, nanoseconds since 1970: the year 2116, as a file in the older format can say 2106.
/// A time and the time between any two others can then be added.
const LATEST_NS: i64 = i64::MAX / 2;

/// Where a file of sections stands.
#[derive(Default)]
pub(super) struct Sections {
    big_endian: bool,
    interfaces: Vec<Interface>,
    /// Packets lost by all interfaces of all sections so far.
    dropped: u64,
}

/// Whether a file begins with a section header.
pub(super) fn begins(bytes: &[u8]) -> bool {
    word(bytes, 0, false) == SECTION
}

impl Sections {
    /// The next packet; what stands before it is taken in.
    #[inline]
    pub(super) fn next(&mut self, input: &mut Input<'_>, file: &mut TraceFile) -> io::Result<Next> {
        loop {
            if !input.has(AROUND)? {
                return Ok(match input.bytes().len() {
                    0 => Next::End,
                    left => {
                        Next::Broken(format!("the file ends {left} bytes into a block's header"))
                    }
                });
            }
            let kind = word(input.bytes(), 0, self.big_endian);
            if kind == SECTION {
                let magic = word(input.bytes(), 8, false);
                self.big_endian = match magic {
                    BYTE_ORDER_MAGIC => false,
                    m if m.swap_bytes() == BYTE_ORDER_MAGIC => true,
                    _ => return Ok(Next::Broken("a section without byte order".to_owned())),
                };
            }
            let length = word(input.bytes(), 4, self.big_endian) as usize;
            if length < AROUND || !length.is_multiple_of(4) {
                return Ok(Next::Broken(format!(
                    "a block says it is {length} bytes long"
                )));
            }
            if length > PIECE_MAX {
                note(file, format!("a block of {length} bytes was left out"));
                if !input.skip(length as u64)? {
                    return Ok(Next::Broken(format!(
                        "the file ends inside a block of {length} bytes"
                    )));
                }
                continue;
            }
            if !input.has(length)? {
                return Ok(Next::Broken(format!(
                    "the file ends inside a block of {length} bytes"
                )));
            }
            if let Some(packet) = self.block(kind, &input.bytes()[..length], file) {
                return Ok(packet);
            }
            input.step(length);
        }
    }

    /// Whether packets of several interfaces may come.
    #[inline]
    pub(super) fn has_several(&self) -> bool {
        self.interfaces.len() > 1
    }

    /// Takes one whole block in; a packet comes back.
    #[inline]
    fn block(&mut self, kind: u32, block: &[u8], file: &mut TraceFile) -> Option<Next> {
        let body = &block[8..block.len() - 4];
        match kind {
            ENHANCED_PACKET => self.enhanced(body, block.len(), file),
            SIMPLE_PACKET => self.simple(body, block.len(), file),
            OLD_PACKET => self.old(body, block.len(), file),
            SECTION => {
                self.interfaces.clear();
                None
            }
            INTERFACE => {
                self.interface(body, file);
                None
            }
            STATISTICS => {
                self.statistics(body, file);
                None
            }
            _ => None,
        }
    }

    #[inline]
    fn enhanced(&mut self, body: &[u8], step: usize, file: &mut TraceFile) -> Option<Next> {
        let number = |at| word(body, at, self.big_endian);
        let ticks = u64::from(number(4)) << 32 | u64::from(number(8));
        let (captured, original) = (number(12) as usize, number(16));
        let which = number(0);
        let Some(interface) = self.interfaces.get(which as usize) else {
            note(
                file,
                "packets of interfaces that were never described were left out".to_owned(),
            );
            return None;
        };
        if captured > body.len().saturating_sub(20) {
            note(
                file,
                "packets that say they are longer than their block were left out".to_owned(),
            );
            return None;
        }
        let (link, at) = (interface.link, interface.time(ticks));
        let options = 20 + captured.next_multiple_of(4);
        if options < body.len() {
            self.packet_options(which as usize, &body[options..], file);
        }
        Some(Next::Packet(Head {
            at,
            interface: which.min(0xffff) as u16,
            link,
            original,
            from: 28,
            until: 28 + captured,
            step,
        }))
    }

    /// A packet without a time: that of the packet before it.
    fn simple(&self, body: &[u8], step: usize, file: &mut TraceFile) -> Option<Next> {
        let original = word(body, 0, self.big_endian);
        let interface = self.interfaces.first()?;
        let most = match interface.snaplen {
            0 => u32::MAX,
            some => some,
        };
        let captured = (original.min(most) as usize).min(body.len().saturating_sub(4));
        note(
            file,
            "packets without times have the time of the one before".to_owned(),
        );
        Some(Next::Packet(Head {
            at: file.last_ns,
            interface: 0,
            link: interface.link,
            original,
            from: 12,
            until: 12 + captured,
            step,
        }))
    }

    /// The packet block that the enhanced one replaced.
    fn old(&self, body: &[u8], step: usize, file: &mut TraceFile) -> Option<Next> {
        let number = |at| word(body, at, self.big_endian);
        let first = word(body, 0, self.big_endian);
        let which = if self.big_endian {
            first >> 16
        } else {
            first & 0xffff
        };
        let ticks = u64::from(number(4)) << 32 | u64::from(number(8));
        let captured = number(12) as usize;
        let interface = self.interfaces.get(which as usize)?;
        if captured > body.len().saturating_sub(20) {
            note(
                file,
                "packets that say they are longer than their block were left out".to_owned(),
            );
            return None;
        }
        Some(Next::Packet(Head {
            at: interface.time(ticks),
            interface: which as u16,
            link: interface.link,
            original: number(16),
            from: 28,
            until: 28 + captured,
            step,
        }))
    }

    fn interface(&mut self, body: &[u8], file: &mut TraceFile) {
        if self.interfaces.len() >= INTERFACES_MAX {
            note(
                file,
                format!("more than {INTERFACES_MAX} interfaces in a section"),
            );
            return;
        }
        let first = word(body, 0, self.big_endian);
        let code = if self.big_endian {
            first >> 16
        } else {
            first & 0xffff
        };
        let mut interface = Interface {
            link: LinkType::new(code as u16),
            snaplen: word(body, 4, self.big_endian),
            numerator: 1000,
            denominator: 1,
            offset: 0,
            dropped: 0,
            dropped_before_packets: 0,
        };
        for (code, value) in options(body.get(8..).unwrap_or_default(), self.big_endian) {
            match (code, value) {
                (IF_TSRESOL, [resolution, ..]) => interface.resolution(*resolution),
                (IF_TSOFFSET, value) => {
                    let seconds = eight(value, self.big_endian) as i64;
                    interface.offset = seconds.saturating_mul(1_000_000_000);
                }
                _ => {}
            }
        }
        self.interfaces.push(interface);
    }

    fn statistics(&mut self, body: &[u8], file: &mut TraceFile) {
        let which = word(body, 0, self.big_endian) as usize;
        let mut dropped = 0u64;
        for (code, value) in options(body.get(12..).unwrap_or_default(), self.big_endian) {
            if matches!(code, ISB_IFDROP | ISB_OSDROP) {
                dropped = dropped.saturating_add(eight(value, self.big_endian));
            }
        }
        self.lose(which, file, |interface| interface.dropped = dropped);
    }

    #[cold]
    fn packet_options(&mut self, which: usize, bytes: &[u8], file: &mut TraceFile) {
        let mut before = 0u64;
        for (code, value) in options(bytes, self.big_endian) {
            if code == EPB_DROPCOUNT {
                before = eight(value, self.big_endian);
            }
        }
        if before > 0 {
            self.lose(which, file, |interface| {
                interface.dropped_before_packets =
                    interface.dropped_before_packets.saturating_add(before);
            });
        }
    }

    /// Notes what an interface says that it lost. Statistics take the place of those before them.
    fn lose(&mut self, which: usize, file: &mut TraceFile, note: impl FnOnce(&mut Interface)) {
        let Some(interface) = self.interfaces.get_mut(which) else {
            return;
        };
        let before = interface.lost();
        note(interface);
        let others = self.dropped.saturating_sub(before);
        self.dropped = others.saturating_add(interface.lost());
        file.dropped_by_capture = self.dropped;
    }
}

impl Interface {
    /// if_tsresol: a power of ten, or of two with the upper bit set.
    fn resolution(&mut self, value: u8) {
        let power = u32::from(value & 0x7f);
        if value & 0x80 != 0 {
            self.numerator = 1_000_000_000;
            self.denominator = 1u64.checked_shl(power).unwrap_or(u64::MAX);
        } else if power <= 9 {
            self.numerator = 10u64.pow(9 - power);
            self.denominator = 1;
        } else {
            self.numerator = 1;
            self.denominator = 10u64.checked_pow(power - 9).unwrap_or(u64::MAX);
        }
    }

    /// Nanoseconds since 1970, rounded down; what is before is 1970, and what is behind [`LATEST_NS`] is that.
    #[inline]
    fn time(&self, ticks: u64) -> i64 {
        let ns = if self.denominator == 1 {
            ticks.saturating_mul(self.numerator)
        } else {
            (u128::from(ticks) * u128::from(self.numerator) / u128::from(self.denominator))
                .min(u128::from(u64::MAX)) as u64
        };
        let ns = i64::try_from(ns).unwrap_or(i64::MAX);
        ns.saturating_add(self.offset).clamp(0, LATEST_NS)
    }

    fn lost(&self) -> u64 {
        self.dropped.max(self.dropped_before_packets)
    }
}

/// Eight bytes as a number; 0 where there are not as many.
fn eight(value: &[u8], big_endian: bool) -> u64 {
    let bytes: [u8; 8] = value
        .get(..8)
        .and_then(|v| v.try_into().ok())
        .unwrap_or_default();
    if big_endian {
        u64::from_be_bytes(bytes)
    } else {
        u64::from_le_bytes(bytes)
    }
}

/// The options of a block: code and value, until their end or the first that does not fit.
fn options(bytes: &[u8], big_endian: bool) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let head: [u8; 4] = rest.get(..4)?.try_into().ok()?;
        let number = |at: usize| {
            let two = [head[at], head[at + 1]];
            if big_endian {
                u16::from_be_bytes(two)
            } else {
                u16::from_le_bytes(two)
            }
        };
        let (code, length) = (number(0), usize::from(number(2)));
        if code == 0 {
            return None;
        }
        let value = rest.get(4..4 + length)?;
        rest = rest
            .get(4 + length.next_multiple_of(4)..)
            .unwrap_or_default();
        Some((code, value))
    })
}
