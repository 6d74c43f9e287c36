//! Data rates in bits per second, never zero.

use core::num::NonZeroU64;

use crate::{Duration, Size};

/// A data rate: a whole, non-zero number of bits per second. "Down" is a state, not a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(NonZeroU64);

impl Rate {
    /// A rate from bits per second; `None` for zero.
    #[inline]
    pub const fn from_bps(bps: u64) -> Option<Rate> {
        match NonZeroU64::new(bps) {
            Some(n) => Some(Rate(n)),
            None => None,
        }
    }

    /// Bits per second.
    #[inline]
    pub const fn as_bps(self) -> u64 {
        self.0.get()
    }

    /// The time this rate takes for `size`: round(8·L·10¹² / rate) picoseconds, in u128, saturating.
    #[inline]
    pub fn time_for(self, size: Size) -> Duration {
        let bits_ps = size.as_bytes() as u128 * 8_000_000_000_000;
        let rate = self.as_bps() as u128;
        let ps = (bits_ps + rate / 2) / rate;
        Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// Whole bytes that pass in `span`, rounded down.
    #[inline]
    pub fn bytes_in(self, span: Duration) -> Size {
        let bytes = self.as_bps() as u128 * span.as_ps() as u128 / 8_000_000_000_000;
        Size::from_bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}
