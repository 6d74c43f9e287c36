//! Marks that a port or a class believes.

/// Which mark of an arriving frame is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// None: marks become the port's default CoS, 0 unless stated.
    Nothing,
    /// 802.1Q priority.
    Cos,
    /// The DS field.
    Dscp,
    /// The upper three bits of the TOS byte.
    Precedence,
}
