//! A segment as it is on the wire.

use core::fmt;

use farpath_wire::tcp::{Control, Options};

use crate::syntax::Letters;
use crate::tunnel::Tunnel;

/// A segment as it is on the wire; its payload is only counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Control bits.
    pub control: Control,
    /// Sequence number of the first byte, or of the SYN.
    pub sequence: u32,
    /// Next byte expected of the other side, where ACK is set.
    pub acknowledgement: u32,
    /// The window as it stands in the header, not scaled.
    pub window: u16,
    /// Options; padding is not kept.
    pub options: Options,
    /// Payload bytes.
    pub len: u32,
    /// The two ECN bits of the IP header (RFC 3168 §5).
    pub ecn: u8,
    /// The datagram it travels in; `None` straight in IP.
    pub tunnel: Option<Tunnel>,
}

impl Packet {
    /// A segment without payload and options.
    pub(super) fn bare(control: Control, sequence: u32, acknowledgement: u32) -> Packet {
        Packet {
            control,
            sequence,
            acknowledgement,
            window: 0,
            options: Options::default(),
            len: 0,
            ecn: 0,
            tunnel: None,
        }
    }

    /// Whether all of `bits` are set.
    pub fn has(&self, bits: Control) -> bool {
        self.control.contains(bits)
    }

    /// What it takes of sequence space: payload, SYN and FIN.
    pub fn space(&self) -> u32 {
        self.len
            .wrapping_add(u32::from(self.has(Control::SYN)))
            .wrapping_add(u32::from(self.has(Control::FIN)))
    }
}

/// In a script's notation, with the numbers as they are.
impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let next = self.sequence.wrapping_add(self.len);
        write!(
            f,
            "{} {}:{next}({})",
            Letters(self.control),
            self.sequence,
            self.len
        )?;
        if self.has(Control::ACK) {
            write!(f, " ack {}", self.acknowledgement)?;
        }
        write!(f, " win {}", self.window)?;
        let mut options = Vec::new();
        if let Some(mss) = self.options.mss {
            options.push(format!("mss {mss}"));
        }
        if self.options.sack_permitted {
            options.push("sackOK".to_owned());
        }
        if let Some((value, echo)) = self.options.timestamps {
            options.push(format!("TS val {value} ecr {echo}"));
        }
        if let Some(scale) = self.options.window_scale {
            options.push(format!("wscale {scale}"));
        }
        if !self.options.sack.blocks().is_empty() {
            let blocks: Vec<String> = self
                .options
                .sack
                .blocks()
                .iter()
                .map(|(from, to)| format!("{from}:{to}"))
                .collect();
            options.push(format!("sack {}", blocks.join(" ")));
        }
        if !options.is_empty() {
            write!(f, " <{}>", options.join(","))?;
        }
        if let Some(tunnel) = self.tunnel {
            write!(f, "{tunnel}")?;
        }
        Ok(())
    }
}
