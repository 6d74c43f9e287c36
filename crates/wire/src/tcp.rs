//! The TCP header (RFC 9293 §3.1) with the options MSS, window scale and timestamps (RFC 7323),
//! SACK permitted and SACK (RFC 2018).

use crate::header::{Checksum, HeaderError, Reader};

/// Most SACK blocks that fit in a header (RFC 2018 §3): 4, or 3 beside timestamps.
pub const SACK_BLOCKS_MAX: usize = 4;

/// The control bits, as in byte 13 of the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Control(pub u8);

impl Control {
    /// No more data.
    pub const FIN: Control = Control(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Control = Control(0x02);
    /// Reset.
    pub const RST: Control = Control(0x04);
    /// Push.
    pub const PSH: Control = Control(0x08);
    /// The acknowledgement number counts.
    pub const ACK: Control = Control(0x10);
    /// The urgent pointer counts.
    pub const URG: Control = Control(0x20);
    /// ECN echo (RFC 3168).
    pub const ECE: Control = Control(0x40);
    /// Congestion window reduced (RFC 3168).
    pub const CWR: Control = Control(0x80);

    /// Whether every bit of `other` is set.
    pub const fn contains(self, other: Control) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Control) -> Control {
        Control(self.0 | other.0)
    }
}

/// SACK blocks: left edge, and right edge one past the last byte; at most [`SACK_BLOCKS_MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SackBlocks {
    blocks: [(u32, u32); SACK_BLOCKS_MAX],
    count: u8,
}

impl SackBlocks {
    /// The first [`SACK_BLOCKS_MAX`] of `blocks`.
    pub fn new(blocks: &[(u32, u32)]) -> SackBlocks {
        let mut s = SackBlocks::default();
        for (slot, block) in s.blocks.iter_mut().zip(blocks) {
            *slot = *block;
            s.count += 1;
        }
        s
    }

    /// The blocks.
    pub fn blocks(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.count)]
    }
}

/// The options farpath knows. Others are skipped when read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Maximum segment size in bytes.
    pub mss: Option<u16>,
    /// Shift of the windows this end will announce, 0 to 14.
    pub window_scale: Option<u8>,
    /// SACK may be used.
    pub sack_permitted: bool,
    /// TSval and TSecr.
    pub timestamps: Option<(u32, u32)>,
    /// SACK blocks.
    pub sack: SackBlocks,
}

const END: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// A TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tcp {
    /// From.
    pub source: u16,
    /// To.
    pub destination: u16,
    /// Sequence number.
    pub sequence: u32,
    /// Acknowledgement number.
    pub acknowledgement: u32,
    /// The control bits.
    pub control: Control,
    /// The window field as sent: unscaled.
    pub window: u16,
    /// The urgent pointer.
    pub urgent: u16,
    /// The options.
    pub options: Options,
}

impl Tcp {
    /// Reads a header; returns it and what follows. The checksum is not judged.
    ///
    /// # Errors
    /// When the bytes end inside the header, or an offset or an option's length cannot be.
    pub fn parse(bytes: &[u8]) -> Result<(Tcp, &[u8]), HeaderError> {
        let mut r = Reader::new("TCP", bytes);
        let (source, destination) = (r.u16()?, r.u16()?);
        let (sequence, acknowledgement) = (r.u32()?, r.u32()?);
        let [offset, control] = r.array()?;
        let (window, _checksum, urgent) = (r.u16()?, r.u16()?, r.u16()?);
        let Some(options) = (usize::from(offset >> 4) * 4).checked_sub(20) else {
            return Err(r.malformed("data offset"));
        };
        let options = Options::parse(r.slice(options)?)?;
        let control = Control(control);
        let tcp = Tcp {
            source,
            destination,
            sequence,
            acknowledgement,
            control,
            window,
            urgent,
            options,
        };
        Ok((tcp, r.rest()))
    }

    /// Appends the header with the checksum over `pseudo`, itself and a payload of zeros. SACK
    /// blocks that do not fit into 60 bytes are left out, the last first (RFC 2018 §3).
    pub fn write(&self, pseudo: Checksum, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend(self.source.to_be_bytes());
        out.extend(self.destination.to_be_bytes());
        out.extend(self.sequence.to_be_bytes());
        out.extend(self.acknowledgement.to_be_bytes());
        out.extend([(self.header_bytes() / 4 * 16) as u8, self.control.0]);
        out.extend(self.window.to_be_bytes());
        out.extend([0, 0]);
        out.extend(self.urgent.to_be_bytes());
        self.options.write(out);
        let sum = pseudo.with(&out[start..]).value();
        out[start + 16..start + 18].copy_from_slice(&sum.to_be_bytes());
    }

    /// Bytes that [`Tcp::write`] appends: 20 to 60.
    pub fn header_bytes(&self) -> usize {
        20 + self.options.fixed_bytes() + self.options.sack_bytes()
    }
}

impl Options {
    fn parse(bytes: &[u8]) -> Result<Options, HeaderError> {
        let mut r = Reader::new("TCP options", bytes);
        let mut options = Options::default();
        while let [kind, ..] = *r.rest() {
            r.u8()?;
            match kind {
                END => break,
                NOP => continue,
                _ => {}
            }
            let Some(length) = usize::from(r.u8()?).checked_sub(2) else {
                return Err(r.malformed("option length"));
            };
            let mut body = Reader::new("TCP option", r.slice(length)?);
            match (kind, length) {
                (MSS, 2) => options.mss = Some(body.u16()?),
                // RFC 7323 §2.3: a shift above 14 is used as 14.
                (WINDOW_SCALE, 1) => options.window_scale = Some(body.u8()?.min(14)),
                (SACK_PERMITTED, 0) => options.sack_permitted = true,
                (TIMESTAMPS, 8) => options.timestamps = Some((body.u32()?, body.u32()?)),
                (SACK, 8 | 16 | 24 | 32) => {
                    let mut sack = SackBlocks::default();
                    for slot in &mut sack.blocks[..length / 8] {
                        *slot = (body.u32()?, body.u32()?);
                        sack.count += 1;
                    }
                    options.sack = sack;
                }
                (MSS | WINDOW_SCALE | SACK_PERMITTED | TIMESTAMPS | SACK, _) => {
                    return Err(r.malformed("option length"));
                }
                _ => {}
            }
        }
        Ok(options)
    }

    /// Bytes of all options but SACK blocks, padding included.
    fn fixed_bytes(&self) -> usize {
        let mss = if self.mss.is_some() { 4 } else { 0 };
        let scale = if self.window_scale.is_some() { 4 } else { 0 };
        // "SACK permitted" takes the place of the timestamps' padding when both are there.
        let rest = match (self.sack_permitted, self.timestamps.is_some()) {
            (_, true) => 12,
            (true, false) => 4,
            (false, false) => 0,
        };
        mss + scale + rest
    }

    /// SACK blocks that fit beside the other options.
    fn sack_count(&self) -> usize {
        let room = (40 - self.fixed_bytes()).saturating_sub(4) / 8;
        self.sack.blocks().len().min(room)
    }

    fn sack_bytes(&self) -> usize {
        match self.sack_count() {
            0 => 0,
            n => 4 + 8 * n,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        if let Some(mss) = self.mss {
            out.extend([MSS, 4]);
            out.extend(mss.to_be_bytes());
        }
        if self.sack_permitted {
            if self.timestamps.is_none() {
                out.extend([NOP, NOP]);
            }
            out.extend([SACK_PERMITTED, 2]);
        }
        if let Some((value, echo)) = self.timestamps {
            if !self.sack_permitted {
                out.extend([NOP, NOP]);
            }
            out.extend([TIMESTAMPS, 10]);
            out.extend(value.to_be_bytes());
            out.extend(echo.to_be_bytes());
        }
        if let Some(shift) = self.window_scale {
            out.extend([NOP, WINDOW_SCALE, 3, shift.min(14)]);
        }
        let count = self.sack_count();
        if count > 0 {
            out.extend([NOP, NOP, SACK, (2 + 8 * count) as u8]);
            for (left, right) in &self.sack.blocks()[..count] {
                out.extend(left.to_be_bytes());
                out.extend(right.to_be_bytes());
            }
        }
    }
}
