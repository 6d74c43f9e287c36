//! Ratios between 0 and 1: loss, utilisation, share.

use core::fmt;
use core::str::FromStr;

use crate::text::{ParseError, is_decimal, padded, shorten};

/// A ratio in `[0, 1]`, such as a loss probability. The one quantity that reads without a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Ratio(f64);

impl Ratio {
    /// A ratio; `None` outside `[0, 1]` or not a number.
    pub fn new(value: f64) -> Option<Ratio> {
        // Adding 0 turns the negative zero into the plain one.
        (0.0..=1.0).contains(&value).then_some(Ratio(value + 0.0))
    }

    /// The value in `[0, 1]`.
    #[inline]
    pub const fn get(self) -> f64 {
        self.0
    }
}

const NOUN: &str = "ratio";
const EXAMPLE: &str = "0.01`, `1e-6` or `1 %";

impl FromStr for Ratio {
    type Err = ParseError;

    /// Reads `0.01`, `1e-6` or `1 %`; rounds to the nearest double.
    fn from_str(text: &str) -> Result<Ratio, ParseError> {
        let trimmed = text.trim();
        let (number, percent) = match trimmed.strip_suffix('%') {
            Some(number) => (number.trim_end(), true),
            None => (trimmed, false),
        };
        if number.starts_with(['-', '\u{2212}']) {
            return Err(ParseError::Negative {
                noun: NOUN,
                text: shorten(trimmed),
            });
        }
        if number.contains(',') {
            return Err(ParseError::Comma {
                text: shorten(trimmed),
                example: EXAMPLE,
            });
        }
        let not_a_number = || ParseError::NotANumber {
            noun: NOUN,
            text: shorten(trimmed),
            example: EXAMPLE,
        };
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let exponent: i64 = exponent.parse().map_err(|_| not_a_number())?;
        if !is_decimal(mantissa) {
            return Err(not_a_number());
        }
        // The percent goes into the exponent, so that `0.1 %` is the double nearest to 0.001.
        let exponent = exponent.saturating_sub(if percent { 2 } else { 0 });
        let value: f64 = format!("{mantissa}e{exponent}")
            .parse()
            .map_err(|_| not_a_number())?;
        Ratio::new(value).ok_or_else(|| ParseError::RatioRange {
            text: shorten(trimmed),
        })
    }
}

impl fmt::Display for Ratio {
    /// A plain decimal down to 0.001, below that with an exponent: `1e-6`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let small = self.0 != 0.0 && self.0 < 1e-3;
        let text = match (small, f.precision()) {
            (true, None) => format!("{:e}", self.0),
            (true, Some(places)) => format!("{:.places$e}", self.0),
            (false, None) => format!("{}", self.0),
            (false, Some(places)) => format!("{:.places$}", self.0),
        };
        padded(f, &text)
    }
}
