//! Data rates in bits per second, never zero.

use core::fmt;
use core::num::NonZeroU64;
use core::str::FromStr;

use crate::text::{Grammar, ParseError, in_largest_unit, padded, shorten};
use crate::{Duration, Size};

/// A data rate: a whole, non-zero number of bits per second. "Down" is a state, not a rate.
///
/// Reads `bit/s kbit/s Mbit/s Gbit/s Tbit/s`, and the field's `bps kbps …` and `b/s kb/s Mb/s …`,
/// all decimal. Bytes per second and binary prefixes are refused.
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

    /// The time this rate takes for `size`: round(8·L·10¹² / rate) picoseconds, halves up, exact
    /// for every size and rate; saturating.
    #[inline]
    pub fn time_for(self, size: Size) -> Duration {
        // Up to 2.3 MB the bits in picoseconds fit 64 bits, whose division is many times faster
        // than that of 128: this is the transmitter's inner loop.
        const PS: u64 = 8_000_000_000_000;
        let rate = self.as_bps();
        if let Some(scaled) = size.as_bytes().checked_mul(PS)
            && let Some(rounded) = scaled.checked_add(rate / 2)
        {
            return Duration::from_ps(rounded / rate);
        }
        let ps = (u128::from(size.as_bytes()) * u128::from(PS) + u128::from(rate / 2))
            / u128::from(rate);
        Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// Whole bytes that pass in `span`, rounded down.
    #[inline]
    pub fn bytes_in(self, span: Duration) -> Size {
        let bytes = self.as_bps() as u128 * span.as_ps() as u128 / 8_000_000_000_000;
        Size::from_bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

const PRINTED: &[(&str, u64)] = &[
    ("bit/s", 1),
    ("kbit/s", 1_000),
    ("Mbit/s", 1_000_000),
    ("Gbit/s", 1_000_000_000),
    ("Tbit/s", 1_000_000_000_000),
];

const GRAMMAR: Grammar = Grammar {
    noun: "rate",
    units: &[
        ("bit/s", 1),
        ("kbit/s", 1_000),
        ("Mbit/s", 1_000_000),
        ("Gbit/s", 1_000_000_000),
        ("Tbit/s", 1_000_000_000_000),
        ("bps", 1),
        ("kbps", 1_000),
        ("Mbps", 1_000_000),
        ("Gbps", 1_000_000_000),
        ("Tbps", 1_000_000_000_000),
        ("b/s", 1),
        ("kb/s", 1_000),
        ("Mb/s", 1_000_000),
        ("Gb/s", 1_000_000_000),
        ("Tb/s", 1_000_000_000_000),
    ],
    listed: "bit/s kbit/s Mbit/s Gbit/s Tbit/s",
    plain,
    example: "10 Gbit/s",
    finest: "one bit per second",
    largest: "18446744.073709551615 Tbit/s",
    lesson: rate_lesson,
};

/// Rates of paths are counted in Mbit/s, where that gives one that paths have.
fn plain(number: &str) -> &'static str {
    let is_few = number.parse::<f64>().is_ok_and(|n| n <= 1e5);
    if is_few { "Mbit/s" } else { "bit/s" }
}

fn rate_lesson(number: &str, unit: &str) -> Option<String> {
    let n = shorten(number);
    let base = ["ps", "/s"].iter().find_map(|tail| unit.strip_suffix(tail));
    match (base, unit) {
        (Some("B" | "kB" | "KB" | "MB" | "GB" | "TB"), _) => Some(format!(
            "`{unit}` is bytes per second; a rate is in bits per second, eight times as many: \
             write it in bit/s kbit/s Mbit/s Gbit/s"
        )),
        (Some("KiB" | "MiB" | "GiB" | "Kib" | "Mib" | "Gib" | "Kibit" | "Mibit" | "Gibit"), _) => {
            Some(
                "rates are decimal: 1 Mbit/s is 1 000 000 bit/s; write bit/s kbit/s Mbit/s Gbit/s"
                    .to_owned(),
            )
        }
        (_, "k" | "K") => Some(format!("say what is counted: write `{n} kbit/s`")),
        (_, "M" | "G" | "T") => Some(format!("say what is counted: write `{n} {unit}bit/s`")),
        (_, "bit" | "kbit" | "Mbit" | "Gbit" | "Tbit") => Some(format!(
            "that is an amount; a rate is per second: write `{n} {unit}/s`"
        )),
        // As `tc` writes them.
        (_, "mbit" | "gbit" | "tbit" | "Kbit") => {
            let mut right = unit.to_owned();
            let first = match right.remove(0).to_ascii_uppercase() {
                'K' => 'k',
                other => other,
            };
            Some(format!("write `{n} {first}{right}/s`"))
        }
        (_, "B" | "kB" | "MB" | "GB" | "TB" | "KiB" | "MiB" | "GiB" | "TiB") => Some(
            "that is a size in bytes; a rate is in bits per second, such as `10 Gbit/s`".to_owned(),
        ),
        _ => None,
    }
}

impl FromStr for Rate {
    type Err = ParseError;

    /// Reads `10 Gbit/s`, `10Gbps` or `622.08 Mb/s`.
    fn from_str(text: &str) -> Result<Rate, ParseError> {
        let bps = match GRAMMAR.read(text) {
            // No unit makes it a rate.
            Err(ParseError::NoUnit { text, .. }) if is_zero(&text) => 0,
            read => read?,
        };
        Rate::from_bps(bps).ok_or_else(|| ParseError::ZeroRate {
            text: shorten(text.trim()),
        })
    }
}

/// Whether a text is a number that is zero.
fn is_zero(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(|number| number == 0.0)
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        padded(f, &in_largest_unit(self.as_bps(), PRINTED, f.precision()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Rate {
        text.parse().expect(text)
    }

    #[test]
    fn a_million_small_frames_at_400_gbit_take_exactly_their_time() {
        let line = rate("400 Gbit/s");
        // 64 B = 512 bit at 400 Gbit/s = 1280 ps; with preamble and gap 84 B = 1680 ps.
        for (bytes, total) in [(64, "1.28 ms"), (84, "1.68 ms")] {
            let one = line.time_for(Size::from_bytes(bytes));
            let sum = (0..1_000_000).fold(Duration::ZERO, |sum, _| sum + one);
            assert_eq!(sum, total.parse().expect("a duration"));
            assert_eq!(sum, line.time_for(Size::from_bytes(bytes * 1_000_000)));
        }
    }

    #[test]
    fn a_bare_number_is_answered_with_a_rate_that_paths_have() {
        for (text, meant) in [
            ("20", "such as `20 Mbit/s`"),
            ("0.5", "such as `0.5 Mbit/s`"),
            ("20000000", "such as `20000000 bit/s`"),
        ] {
            let said = text.parse::<Rate>().expect_err(text).to_string();
            assert!(said.ends_with(meant), "{said}");
        }
        // `0 Mbit/s` is none either.
        for text in ["0", "0.0"] {
            let said = text.parse::<Rate>().expect_err(text).to_string();
            assert!(said.contains("a rate is never zero"), "{said}");
        }
    }

    #[test]
    fn every_ethernet_rate_has_whole_picoseconds_per_byte() {
        for text in [
            "10 Mbit/s",
            "100 Mbit/s",
            "1 Gbit/s",
            "10 Gbit/s",
            "100 Gbit/s",
            "400 Gbit/s",
        ] {
            let r = rate(text);
            let byte = r.time_for(Size::from_bytes(1)).as_ps();
            assert_eq!(
                u128::from(byte) * u128::from(r.as_bps()),
                8_000_000_000_000,
                "{text}"
            );
        }
    }

    #[test]
    fn short_and_long_division_agree() {
        let stream = crate::Key::new(1).with("division").stream();
        for n in 0..100_000 {
            let bps = (stream.bits(2 * n) >> (n % 64)).max(1);
            let bytes = stream.bits(2 * n + 1) >> (n / 64 % 64);
            let exact =
                (u128::from(bytes) * 8_000_000_000_000 + u128::from(bps / 2)) / u128::from(bps);
            let time = Rate::from_bps(bps)
                .expect("not zero")
                .time_for(Size::from_bytes(bytes));
            assert_eq!(
                time.as_ps(),
                u64::try_from(exact).unwrap_or(u64::MAX),
                "{bytes} B at {bps} bit/s"
            );
        }
    }

    #[test]
    fn a_sonet_cell_is_within_half_a_picosecond() {
        // 53 B at 149.76 Mbit/s = 2 831 196.581… ps.
        assert_eq!(
            rate("149.76 Mbit/s").time_for(Size::from_bytes(53)).as_ps(),
            2_831_197
        );
    }

    #[test]
    fn extremes_saturate() {
        let slow = rate("1 bit/s");
        assert_eq!(slow.time_for(Size::from_bytes(u64::MAX)), Duration::MAX);
        let fast = Rate::from_bps(u64::MAX).expect("not zero");
        assert_eq!(fast.bytes_in(Duration::MAX).as_bytes(), u64::MAX);
        assert_eq!(fast.time_for(Size::from_bytes(0)), Duration::ZERO);
    }
}
