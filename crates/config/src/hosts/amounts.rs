//! Times, rates, sizes and shares as `tc` writes them (tc, 8, PARAMETERS).

use farpath_units::{Duration, Rate};

/// A number, and the unit behind it.
fn unit_apart(text: &str) -> (&str, &str) {
    let unit = text.find(|c: char| c.is_ascii_alphabetic());
    text.split_at(unit.unwrap_or(text.len()))
}

/// A time: `100ms`, `10us`, `1s`; a bare number is microseconds.
pub(super) fn time(text: &str) -> Option<Duration> {
    let units = [
        ("ms", 1e-3),
        ("msec", 1e-3),
        ("us", 1e-6),
        ("usec", 1e-6),
        ("s", 1.0),
        ("sec", 1.0),
        ("secs", 1.0),
    ];
    let (digits, unit) = unit_apart(text);
    let scale = match unit {
        "" => 1e-6,
        unit => units.iter().find(|(name, _)| *name == unit)?.1,
    };
    let seconds = digits.parse::<f64>().ok()? * scale;
    (0.0..1e6)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

/// The bits a second of a rate's unit: `bit`, or `bps` of bytes, behind k, m, g or t, with an i of 1024 each. `None` of any other.
fn worth(unit: &str) -> Option<f64> {
    let unit = unit.to_ascii_lowercase();
    let (prefix, bits) = match (unit.strip_suffix("bit"), unit.strip_suffix("bps")) {
        (Some(prefix), _) => (prefix, 1.0),
        (None, Some(prefix)) => (prefix, 8.0),
        (None, None) => return None,
    };
    let scale = match prefix {
        "" => 1.0,
        "k" => 1e3,
        "m" => 1e6,
        "g" => 1e9,
        "t" => 1e12,
        "ki" => 1024.0,
        "mi" => 1_048_576.0,
        "gi" => 1_073_741_824.0,
        "ti" => 1_099_511_627_776.0,
        _ => return None,
    };
    Some(bits * scale)
}

/// A rate: `1gbit`, `100mbit`, `1mbps` of bytes; a bare number is bits a second.
pub(super) fn bits(text: &str) -> Option<Rate> {
    let (digits, unit) = unit_apart(text);
    let worth = match unit {
        "" => 1.0,
        unit => worth(unit)?,
    };
    let bps = digits.parse::<f64>().ok()? * worth;
    (1.0..1e15)
        .contains(&bps)
        .then(|| Rate::from_bps(bps as u64))
        .flatten()
}

/// Number and unit of a rate whose unit `tc` does not know. `None` of a rate it takes, of a percentage, and of what is not a number
/// with letters behind it.
pub(super) fn odd_unit(text: &str) -> Option<(&str, &str)> {
    let (digits, unit) = unit_apart(text);
    let letters = |c: char| c.is_ascii_alphabetic() || c == '/';
    let odd = !unit.is_empty() && unit.chars().all(letters) && worth(unit).is_none();
    (odd && digits.parse::<f64>().is_ok()).then_some((digits, unit))
}

/// Number and prefix of a rate of bytes: `100` and `m` of `100mbps`. `None` of any other.
pub(super) fn in_bytes(text: &str) -> Option<(&str, &str)> {
    let (digits, unit) = unit_apart(text);
    let known = worth(unit).is_some() && digits.parse::<f64>().is_ok();
    let at = unit.len().checked_sub("bps".len()).filter(|_| known)?;
    let (prefix, bps) = unit.split_at(at);
    bps.eq_ignore_ascii_case("bps").then_some((digits, prefix))
}

/// A size in bytes: `1540`, `10kb` and `10k` of 1024 each; what stands behind a `/` is the size of a cell.
pub(super) fn size(text: &str) -> Option<u64> {
    let text = text.split('/').next()?.to_ascii_lowercase();
    let (digits, unit) = unit_apart(&text);
    let worth = match unit {
        "" | "b" => 1.0,
        "k" | "kb" => 1024.0,
        "m" | "mb" => 1_048_576.0,
        "g" | "gb" => 1_073_741_824.0,
        "kbit" => 128.0,
        "mbit" => 131_072.0,
        "gbit" => 134_217_728.0,
        _ => return None,
    };
    let bytes = digits.parse::<f64>().ok()? * worth;
    (0.0..1e12).contains(&bytes).then_some(bytes as u64)
}

/// A share of 0 to 100 %: `0.1%`, and `0.1` of the same.
pub(super) fn percent(text: &str) -> Option<f64> {
    let number = text.strip_suffix('%').unwrap_or(text);
    let share = number.parse::<f64>().ok()?;
    (0.0..=100.0).contains(&share).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: tc(8), RATES and SIZES.
    #[test]
    fn amounts_are_those_of_tc() {
        for (text, bps) in [
            ("100mbit", Some(100_000_000)),
            ("1Gbit", Some(1_000_000_000)),
            ("1mbps", Some(8_000_000)),
            ("1kibit", Some(1024)),
            ("8000", Some(8000)),
            ("100m", None),
            ("50%", None),
        ] {
            assert_eq!(bits(text).map(Rate::as_bps), bps, "{text}");
        }
        for (text, odd) in [
            ("100m", Some(("100", "m"))),
            ("1.5Mb/s", Some(("1.5", "Mb/s"))),
            ("100mbit", None),
            ("1e6bit", None),
            ("50%", None),
            ("$RATE", None),
            ("8000", None),
        ] {
            assert_eq!(odd_unit(text), odd, "{text}");
        }
        for (text, apart) in [
            ("100mbps", Some(("100", "m"))),
            ("1.5Gibps", Some(("1.5", "Gi"))),
            ("9000bps", Some(("9000", ""))),
            ("100mbit", None),
            ("$RATEbps", None),
            ("100xbps", None),
            ("8000", None),
        ] {
            assert_eq!(in_bytes(text), apart, "{text}");
        }
        for (text, bytes) in [
            ("1540", Some(1540)),
            ("10kb", Some(10_240)),
            ("32kbit", Some(4096)),
            ("1599b/8", Some(1599)),
            ("2Mb", Some(2_097_152)),
            ("10q", None),
        ] {
            assert_eq!(size(text), bytes, "{text}");
        }
        assert_eq!([percent("0.1%"), percent("5")], [Some(0.1), Some(5.0)]);
        assert_eq!([percent("101%"), percent("gemodel")], [None, None]);
    }
}
