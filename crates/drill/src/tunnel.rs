//! TCP in UDP datagrams.

use core::fmt;

/// The UDP ports around a segment that travels in a datagram (draft-cheshire-tcp-over-udp).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnel {
    /// The sender's.
    pub from: u16,
    /// The receiver's.
    pub to: u16,
}

impl Tunnel {
    /// The way back.
    pub(crate) const fn turned(self) -> Tunnel {
        Tunnel {
            from: self.to,
            to: self.from,
        }
    }
}

impl fmt::Display for Tunnel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/udp({} > {})", self.from, self.to)
    }
}
