//! The rate that a page begins with, to the digits that are known of it.

use farpath_predict::{PathInput, policed_range};
use farpath_report::quantity;

/// A range whose ends are more than so many times apart leaves two digits.
const WIDE: f64 = 1.5;

/// `bps` of the path `input`, limited by `limit`, for people. Two digits are shown where simulated paths through its policer have a wide
/// range.
pub(super) fn goodput(input: &PathInput, limit: Option<&str>, bps: f64) -> String {
    let wide = || policed_range(input).is_some_and(|[low, high]| high > WIDE * low);
    if limit == Some("policer") && wide() {
        format!("some {}", two_digits(bps))
    } else {
        quantity("goodput_bps", bps)
    }
}

/// A rate above 0, bit/s, to two digits, without the zeros that stand for more.
fn two_digits(bps: f64) -> String {
    let rounded = format!("{bps:.1e}").parse().unwrap_or(bps);
    let text = quantity("goodput_bps", rounded);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            let short = number.trim_end_matches('0').trim_end_matches('.');
            format!("{short} {unit}")
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_units::{Duration, Size};

    #[test]
    fn two_digits_are_two() {
        for (bps, text) in [
            (6_740_412.0, "6.7 Mbit/s"),
            (26_870_000.0, "27 Mbit/s"),
            (20_100_000.0, "20 Mbit/s"),
            (996_000_000.0, "1 Gbit/s"),
            (123_456.0, "120 kbit/s"),
            (4_000_000.0, "4 Mbit/s"),
        ] {
            assert_eq!(two_digits(bps), text, "{bps}");
        }
    }

    /// A bucket of half of what is in flight has 0.9 to 1.4 times what is likely, and a shorter one 0.6 to 2.5 times.
    #[test]
    fn a_wide_range_leaves_two_digits() {
        let rate = |text: &str| text.parse().expect(text);
        let of = |policer| PathInput {
            policer,
            ..PathInput::new(
                rate("1 Gbit/s"),
                Duration::from_ms(22),
                Size::from_bytes(1500),
            )
        };
        let wide = of(Some((rate("50 Mbit/s"), Size::from_bytes(62_500))));
        let said = |input: &PathInput, limit| goodput(input, Some(limit), 26_870_000.0);
        assert_eq!(said(&wide, "policer"), "some 27 Mbit/s");
        assert_eq!(said(&wide, "loss"), "26.870 Mbit/s");
        assert_eq!(said(&of(None), "policer"), "26.870 Mbit/s");
    }
}
