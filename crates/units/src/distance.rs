//! Distances along a route.

use core::fmt;
use core::str::FromStr;

use crate::text::{Grammar, ParseError, in_largest_unit, padded};

/// A distance in whole metres. Reads and prints `m` and `km`.
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

const UNITS: &[(&str, u64)] = &[("m", 1), ("km", 1000)];

const GRAMMAR: Grammar = Grammar {
    noun: "distance",
    units: UNITS,
    listed: "m km",
    plain: |_| "km",
    example: "7000 km",
    finest: "a metre",
    largest: "18446744073709551.615 km",
    lesson: |_, unit| {
        matches!(unit, "mi" | "mile" | "miles" | "nm" | "NM").then(|| {
            "miles come in several lengths: write kilometres, 1 statute mile = 1.609344 km"
                .to_owned()
        })
    },
};

impl FromStr for Distance {
    type Err = ParseError;

    /// Reads `7000 km` or `250 m`.
    fn from_str(text: &str) -> Result<Distance, ParseError> {
        GRAMMAR.read(text).map(Distance)
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        padded(f, &in_largest_unit(self.0, UNITS, f.precision()))
    }
}
