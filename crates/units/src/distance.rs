//! Distances along a route.

/// A distance in whole metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Distance(u64);

impl Distance {
    /// A distance from metres.
    pub const fn from_m(m: u64) -> Distance {
        Distance(m)
    }

    /// Metres.
    pub const fn as_m(self) -> u64 {
        self.0
    }
}
