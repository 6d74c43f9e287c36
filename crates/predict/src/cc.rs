//! The congestion controls the closed forms know.

use core::fmt;
use core::str::FromStr;

/// A congestion control with a closed form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cc {
    /// AIMD(1, ½) (RFC 5681).
    Reno,
    /// CUBIC (RFC 9438).
    #[default]
    Cubic,
}

/// The name is none of a congestion control the predictor knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` has no closed form here: use `reno` or `cubic`")]
pub struct UnknownCc(String);

impl FromStr for Cc {
    type Err = UnknownCc;

    fn from_str(text: &str) -> Result<Cc, UnknownCc> {
        match text {
            "reno" | "newreno" => Ok(Cc::Reno),
            "cubic" => Ok(Cc::Cubic),
            _ => Err(UnknownCc(text.chars().take(40).collect())),
        }
    }
}

impl fmt::Display for Cc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Cc::Reno => "reno",
            Cc::Cubic => "cubic",
        })
    }
}
