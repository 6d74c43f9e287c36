//! Named framings: what a link layer adds to what it carries.

use farpath_units::{Duration, Rate, Size};

use crate::atm::{Aal5, CELL};

/// How frames are delimited on a link. "Payload" here is what the framing encloses: label stack,
/// a customer's layer-2 header if one is carried, and the IP datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framing {
    /// No overhead at all: the rate is the rate of what is carried.
    None,
    /// Ethernet (IEEE 802.3 §3, §4): preamble and SFD 8, header 14, FCS 4, gap 12; 64-byte minimum.
    Ethernet,
    /// Ethernet with one 802.1Q tag: 4 bytes more.
    EthernetTagged,
    /// Packet over SONET/SDH (RFC 2615): flag 1, address and control 2, protocol 2, FCS 4.
    /// Octet stuffing is left out: it depends on the payload's content.
    Pos,
    /// AAL5 in cells of 53 bytes (ITU-T I.363.5, RFC 2684): header, padding and trailer.
    Atm(Aal5),
}

impl Framing {
    /// Framings by name, those of a scenario's `framing`.
    pub const NAMED: [(&str, Framing); 4] = [
        ("none", Framing::None),
        ("ethernet", Framing::Ethernet),
        ("pos", Framing::Pos),
        ("atm", Framing::Atm(Aal5::Llc)),
    ];

    /// Bytes of link time one frame costs, everything included.
    #[inline]
    pub const fn wire_bytes(self, payload: u32) -> u32 {
        match self {
            Framing::None => payload,
            Framing::Ethernet => max(payload + 18, 64) + 20,
            Framing::EthernetTagged => max(payload + 22, 64) + 20,
            Framing::Pos => payload + 9,
            Framing::Atm(aal5) => aal5.cells(payload) * CELL,
        }
    }

    /// Bytes one waiting frame occupies in a queue: without preamble, FCS, gap, flag,
    /// AAL5 padding and trailer.
    #[inline]
    pub const fn queue_bytes(self, payload: u32) -> u32 {
        match self {
            Framing::None => payload,
            Framing::Ethernet => payload + 14,
            Framing::EthernetTagged => payload + 18,
            Framing::Pos => payload + 4,
            Framing::Atm(aal5) => payload + aal5.header(),
        }
    }

    /// Of a frame's `wire_bytes` those in which one wrong bit loses it: of Ethernet the preamble, the SFD and the frame with its FCS,
    /// and not the gap behind it, which is idle. Of other framings all: they have no idle time.
    #[inline]
    pub const fn exposed_bytes(self, wire_bytes: u32) -> u32 {
        wire_bytes.saturating_sub(self.gap_bytes())
    }

    /// Bytes of link time behind the last one of a frame, in which the next one may not begin. The frame has arrived by then.
    #[inline]
    pub const fn gap_bytes(self) -> u32 {
        match self {
            Framing::Ethernet | Framing::EthernetTagged => GAP,
            Framing::None | Framing::Pos | Framing::Atm(_) => 0,
        }
    }

    /// The time of that gap at `rate`.
    pub fn gap(self, rate: Rate) -> Duration {
        rate.time_for(Size::from_bytes(self.gap_bytes().into()))
    }

    /// Time on a wire of `rate` of a frame with so much `payload`, until its last bit: the gap behind it (IEEE 802.3) delays the next
    /// one alone.
    pub fn time_for(self, rate: Rate, payload: u32) -> Duration {
        let whole = rate.time_for(Size::from_bytes(self.wire_bytes(payload).into()));
        whole.saturating_sub(self.gap(rate))
    }

    /// Whether frames travel in cells.
    #[inline]
    pub const fn is_atm(self) -> bool {
        matches!(self, Framing::Atm(_))
    }
}

/// Bytes of time between two frames of Ethernet (IEEE 802.3 §4.4.2).
const GAP: u32 = 12;

const fn max(a: u32, b: u32) -> u32 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_bit_between_frames_loses_none() {
        let exposed = |framing: Framing| framing.exposed_bytes(framing.wire_bytes(46));
        assert_eq!(exposed(Framing::Ethernet), 8 + 64);
        assert_eq!(exposed(Framing::EthernetTagged), 8 + 68);
        assert_eq!(exposed(Framing::Pos), 55);
        assert_eq!(exposed(Framing::None), 46);
        let gaps = [Framing::EthernetTagged, Framing::Pos].map(Framing::gap_bytes);
        assert_eq!(gaps, [12, 0]);
    }
}
