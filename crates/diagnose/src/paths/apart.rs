//! When two runs of pings of one path lie far apart, and by how much at least.

/// Runs lie apart from so many nanoseconds on, and this part of the shorter.
const APART_NS: f64 = 1e7;
const APART: f64 = 0.2;

/// A run that varies by less than this part of what lies between the two does not vary; by more where the TTL tells them apart.
const STILL: f64 = 0.05;
const STILL_TURNED: f64 = 0.3;

/// By how much a round trip differs from another of this length at least, seconds.
pub(crate) fn step_of(seconds: f64) -> f64 {
    libm::fmax(APART_NS * 1e-9, APART * seconds)
}

/// Whether two runs of pings, the shorter first, lie far apart and neither varies; least, mean and greatest of each, nanoseconds. Where the
/// TTL of their answers `turned` from one to the other, they may vary by more.
pub(crate) fn lie_apart(short: [f64; 3], long: [f64; 3], turned: bool) -> bool {
    let between = long[0] - short[2];
    let varies = (short[2] - short[0]).max(long[2] - long[0]);
    let still = if turned { STILL_TURNED } else { STILL };
    between > APART_NS && between > APART * short[1] && varies <= still * between
}
