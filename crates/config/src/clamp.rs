//! Segment sizes that a router writes into the SYNs that it forwards: whether they fit, and whether they are far too small.

use farpath_predict::IpVersion;

/// The largest segment of Ethernet without jumbo frames, bytes.
pub(crate) const USUAL: u64 = 1500 - IpVersion::V4.fixed_headers() as u64;

/// What a segment size is beside the one that fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Clamp {
    /// Full segments do not fit.
    TooLarge,
    /// It is at least half of what fits.
    Fits,
    /// TCP sends so many times as many packets as it need.
    Small {
        times: f64,
        /// It is small only beside jumbo frames.
        jumbo: bool,
    },
}

impl Clamp {
    /// Segments of `mss` bytes, where those of `fits` bytes fit.
    pub(crate) fn of(mss: u64, fits: u64) -> Clamp {
        let twice = mss.saturating_mul(2);
        match () {
            () if mss > fits => Clamp::TooLarge,
            () if twice >= fits => Clamp::Fits,
            () => Clamp::Small {
                times: fits as f64 / mss.max(1) as f64,
                jumbo: twice >= USUAL,
            },
        }
    }
}
