//! Instants and spans in integer picoseconds (design: u64 picoseconds last 213 days).

use core::fmt;
use core::ops::{Add, AddAssign, Sub};
use core::str::FromStr;

use crate::text::{Grammar, ParseError, in_largest_unit, padded, shorten};

/// An instant: picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A span of time in picoseconds. Reads `ps ns us µs ms s min h d`; prints `ps` to `s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// Later than anything that happens: "never".
    pub const MAX: Time = Time(u64::MAX);

    /// An instant from picoseconds since the start of the run.
    #[inline]
    pub const fn from_ps(ps: u64) -> Time {
        Time(ps)
    }

    /// Picoseconds since the start of the run.
    #[inline]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Nanoseconds since the start of the run, rounded down.
    #[inline]
    pub const fn as_ns(self) -> u64 {
        self.0 / 1000
    }

    /// Seconds since the start of the run, for rendering and congestion control.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-12
    }

    /// The span since `earlier`; zero when `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// The next representable instant.
    #[inline]
    pub const fn next(self) -> Time {
        Time(self.0.saturating_add(1))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// Longer than any run.
    pub const MAX: Duration = Duration(u64::MAX);

    /// A span from picoseconds.
    #[inline]
    pub const fn from_ps(ps: u64) -> Duration {
        Duration(ps)
    }

    /// A span from nanoseconds; saturates.
    #[inline]
    pub const fn from_ns(ns: u64) -> Duration {
        Duration(ns.saturating_mul(1000))
    }

    /// A span from microseconds; saturates.
    #[inline]
    pub const fn from_us(us: u64) -> Duration {
        Duration(us.saturating_mul(1_000_000))
    }

    /// A span from milliseconds; saturates.
    #[inline]
    pub const fn from_ms(ms: u64) -> Duration {
        Duration(ms.saturating_mul(1_000_000_000))
    }

    /// A span from whole seconds; saturates.
    #[inline]
    pub const fn from_secs(s: u64) -> Duration {
        Duration(s.saturating_mul(1_000_000_000_000))
    }

    /// A span from seconds, rounded to the nearest picosecond; saturates, negative becomes zero.
    #[inline]
    pub fn from_secs_f64(s: f64) -> Duration {
        Duration((s * 1e12 + 0.5) as u64)
    }

    /// Picoseconds.
    #[inline]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Nanoseconds, rounded down.
    #[inline]
    pub const fn as_ns(self) -> u64 {
        self.0 / 1000
    }

    /// Seconds, for rendering and congestion control.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-12
    }

    /// `self - other`, or zero.
    #[inline]
    pub const fn saturating_sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }

    /// `self × n`, saturating.
    #[inline]
    pub const fn times(self, n: u64) -> Duration {
        Duration(self.0.saturating_mul(n))
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    #[inline]
    fn add(self, d: Duration) -> Time {
        Time(self.0.saturating_add(d.0))
    }
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl Sub<Duration> for Time {
    type Output = Time;
    #[inline]
    fn sub(self, d: Duration) -> Time {
        Time(self.0.saturating_sub(d.0))
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, d: Duration) -> Duration {
        Duration(self.0.saturating_add(d.0))
    }
}

impl AddAssign for Duration {
    #[inline]
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Duration(self.0).fmt(f)
    }
}

const PRINTED: &[(&str, u64)] = &[
    ("ps", 1),
    ("ns", 1_000),
    ("µs", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", 1_000_000_000_000),
];

const GRAMMAR: Grammar = Grammar {
    noun: "time",
    units: &[
        ("ps", 1),
        ("ns", 1_000),
        ("us", 1_000_000),
        // The micro sign and the Greek letter: keyboards produce either.
        ("\u{b5}s", 1_000_000),
        ("\u{3bc}s", 1_000_000),
        ("ms", 1_000_000_000),
        ("s", 1_000_000_000_000),
        ("min", 60_000_000_000_000),
        ("h", 3_600_000_000_000_000),
        ("d", 86_400_000_000_000_000),
    ],
    listed: "ps ns us ms s min h d",
    plain: |_| "ms",
    example: "35 ms",
    finest: "a picosecond",
    largest: "18446744.073709551615 s, some 213 days",
    lesson: |number, unit| match unit {
        "m" => Some(format!(
            "`m` is metres: write `{0} min` or `{0} ms`",
            shorten(number)
        )),
        "sec" | "secs" | "second" | "seconds" => Some(format!("write `{} s`", shorten(number))),
        "day" | "days" => Some(format!("write `{} d`", shorten(number))),
        "msec" | "msecs" => Some(format!("write `{} ms`", shorten(number))),
        "usec" | "usecs" => Some(format!("write `{} us`", shorten(number))),
        "M" | "minute" | "minutes" => Some(format!("write `{} min`", shorten(number))),
        "hour" | "hours" | "hr" | "hrs" | "H" => Some(format!("write `{} h`", shorten(number))),
        _ => None,
    },
};

impl FromStr for Duration {
    type Err = ParseError;

    /// Reads `35 ms`, `1.5s` or `15 h`.
    fn from_str(text: &str) -> Result<Duration, ParseError> {
        GRAMMAR.read(text).map(Duration)
    }
}

impl FromStr for Time {
    type Err = ParseError;

    /// Reads the span since the start of the run.
    fn from_str(text: &str) -> Result<Time, ParseError> {
        GRAMMAR.read(text).map(Time)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        padded(f, &in_largest_unit(self.0, PRINTED, f.precision()))
    }
}
