//! What a bit error ratio costs: errors in a time, frames lost, and the ratio a count implies.

use farpath_units::{Duration, Rate, Size};

use crate::window::seconds;

/// Errors expected in `span` at `rate`: rate × time × BER (Poisson's mean: its square root is one
/// standard deviation).
pub fn expected_errors(rate: Rate, span: Duration, ber: f64) -> f64 {
    rate.as_bps() as f64 * seconds(span) * ber
}

/// Share of frames with at least one wrong bit in `wire` bytes: 1 − (1 − BER)^(8 L), when errors fall
/// independently. Of Ethernet these are what [`Framing::exposed_bytes`](crate::Framing::exposed_bytes) counts. `ber` between 0 and 1.
pub fn frame_loss(wire: Size, ber: f64) -> f64 {
    -libm::expm1(wire.as_bytes() as f64 * 8.0 * libm::log1p(-ber))
}

/// The bit error ratio at which `errors` are expected in `span` at `rate`.
pub fn implied_ber(rate: Rate, span: Duration, errors: f64) -> f64 {
    errors / (rate.as_bps() as f64 * seconds(span))
}

/// The bit error ratio at which frames of `wire` bytes are lost with probability `loss`: the
/// inverse of [`frame_loss`].
pub fn ber_for(wire: Size, loss: f64) -> f64 {
    -libm::expm1(libm::log1p(-loss) / (wire.as_bytes() as f64 * 8.0))
}
