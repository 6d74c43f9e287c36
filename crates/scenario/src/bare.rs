//! Numbers without a unit where a quantity is meant: what they are read as, and what was probably meant.

use farpath_observe::metric::Unit;
use farpath_units::{Duration, Rate, Size};
use toml::de::DeValue;

use crate::key::Kind;
use crate::literal::{found_word, number};
use crate::quantity;

/// A range that ends here or above is named by its least value alone.
const UNBOUNDED: i64 = 1_000_000_000;

/// Keys that count segments, which other tools take in bytes.
const OF_SEGMENTS: &[&str] = &[
    "initial_ssthresh",
    "initial_window",
    "max_ssthresh",
    "remembered_window",
];
/// Payload of a segment of 1500 bytes with timestamps.
const SEGMENT: u64 = 1448;

/// A number with the unit that its writer probably left out, for a remedy: what people count paths in (Mbit/s, ms,
/// MiB) where that gives a size that paths have, else the base unit. `None` for counts and ratios, which have no unit.
pub(crate) fn likely(unit: Unit, n: f64) -> Option<String> {
    let n_is = |most: f64| (1e-3..=most).contains(&n.abs());
    let word = match unit {
        Unit::Bps if n_is(1e5) => "Mbit/s",
        Unit::Bps => "bit/s",
        Unit::Bytes if n_is(1024.0) => "MiB",
        Unit::Bytes => "B",
        Unit::Ns if n_is(1e4) => "ms",
        Unit::Ns if n_is(1e7) => "us",
        Unit::Ns => "ns",
        Unit::S => "s",
        Unit::Ratio | Unit::Count => return None,
    };
    Some(format!("{n} {word}"))
}

/// The same of a key's value; what is not above zero is none, and one is shown.
pub(crate) fn like(key: &str, kind: &Kind, n: f64) -> String {
    // A test's times are counted in seconds, what a link or a host takes in milliseconds.
    let is_of_a_test = || {
        let keys = [
            "at",
            "duration",
            "for",
            "interval",
            "omit",
            "start",
            "start_spread",
            "timeout",
        ];
        keys.contains(&key)
    };
    let n = if n > 0.0 { n } else { 1.0 };
    let unit = match kind {
        Kind::Rate => Some(Unit::Bps),
        Kind::Size { .. } => Some(Unit::Bytes),
        Kind::Queue => None,
        _ if is_of_a_test() => Some(Unit::S),
        _ => Some(Unit::Ns),
    };
    let quantity = unit.and_then(|unit| likely(unit, n));
    quantity.unwrap_or_else(|| format!("{n} packets"))
}

/// What is wrong with a value of another type than its key's.
pub(crate) fn wrong(name: &str, kind: &Kind, found: &DeValue<'_>) -> String {
    match (kind, number(found)) {
        (Kind::Int { .. }, Some(n)) => format!("`{name}` must be a whole number, not {n:?}"),
        _ => format!("`{name}` cannot be {}", found_word(found)),
    }
}

/// Whether a value says that there is to be none: `false`, `"none"`, `"off"`. A number does not.
pub(crate) fn denies(found: &DeValue<'_>) -> bool {
    match found {
        DeValue::String(word) => word.trim().parse::<f64>().is_err() && quantity::denies(word),
        DeValue::Boolean(yes) => !yes,
        _ => false,
    }
}

/// What to write where a whole number from `min` to `max` is denied.
pub(crate) fn left_out(name: &str, min: i64, max: i64) -> String {
    let range = match max < UNBOUNDED {
        true => format!("from {min} to {max}"),
        false => format!("of at least {min}"),
    };
    format!(
        "leave `{name}` out, as `none` does in --set and in a sweep, or write a whole number {range}"
    )
}

/// The number that is meant by one in quotes, or by a broken one where only whole ones will do, none out of the key's range; or the table
/// that is meant by one time.
pub(crate) fn meant(kind: &Kind, found: &DeValue<'_>) -> Option<String> {
    if let Kind::Table(of) = kind {
        return delay(of.name, found);
    }
    let n = match (kind, found) {
        (Kind::Int { .. }, DeValue::String(text)) => of_bytes(text)?,
        (_, DeValue::String(text)) => text.trim().parse().ok()?,
        (_, other) => number(other)?,
    };
    match kind {
        Kind::Int { min, max } => {
            let whole = n.floor() as i64;
            let fits = n.is_finite() && (min..=max).contains(&&whole);
            fits.then(|| whole.to_string())
        }
        Kind::Number { above, max } => (*above < n && n <= *max).then(|| n.to_string()),
        _ => None,
    }
}

/// What to write for a key that counts segments where its value has a unit: bytes, or segments in words.
pub(crate) fn in_segments(name: &str, found: &DeValue<'_>) -> Option<String> {
    let DeValue::String(text) = found else {
        return None;
    };
    if !OF_SEGMENTS.contains(&name) {
        return None;
    }
    let (digits, unit) = quantity::split(text);
    if ["segment", "segments", "packet", "packets", "mss", "MSS"].contains(&unit) {
        let count: u64 = digits.parse().ok()?;
        return Some(format!("`{name}` counts segments: write {name} = {count}"));
    }
    let bytes = text.parse::<Size>().ok()?.as_bytes();
    let count = (bytes / SEGMENT).max(1);
    Some(format!(
        "`{name}` counts segments, not bytes: write {name} = {count}, if they carry {SEGMENT} bytes"
    ))
}

/// A number in quotes, by itself or of bytes.
fn of_bytes(text: &str) -> Option<f64> {
    let (digits, unit) = quantity::split(text);
    let is_plain = ["", "B", "byte", "bytes"].contains(&unit);
    digits.parse().ok().filter(|_| is_plain)
}

/// Jitter that was written as one time, or as a number without its unit, as the table that says so; none of another section's.
fn delay(section: &str, found: &DeValue<'_>) -> Option<String> {
    let with_unit = |n: f64| match n > 0.0 {
        true => likely(Unit::Ns, n).filter(|_| n.is_finite()),
        false => (n == 0.0).then(|| "0 ms".to_owned()),
    };
    let time = match found {
        DeValue::String(text) => match text.parse::<Duration>() {
            Ok(_) => Some(text.to_string()),
            Err(_) => with_unit(text.trim().parse().ok()?),
        },
        other => with_unit(number(other)?),
    };
    time.filter(|_| section == "jitter")
        .map(|time| format!("{{ max = \"{time}\" }}"))
}

/// A number in the base unit of a metric, as people write it; `None` for counts and ratios.
pub(crate) fn printed(unit: Unit, n: f64) -> Option<String> {
    let (base, per) = match unit {
        Unit::Bps => ("bit/s", 1.0),
        Unit::Bytes => ("B", 1.0),
        Unit::Ns => ("ns", 1e3),
        Unit::S => ("s", 1e12),
        Unit::Ratio | Unit::Count => return None,
    };
    let (whole, plain) = (n * per, format!("{n} {base}"));
    if whole < 1.0 || whole.fract() != 0.0 || whole > u64::MAX as f64 {
        return Some(plain);
    }
    Some(match unit {
        Unit::Bps => Rate::from_bps(whole as u64).map_or(plain, |r| r.to_string()),
        Unit::Bytes => Size::from_bytes(whole as u64).to_string(),
        _ => Duration::from_ps(whole as u64).to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_left_out_is_one_that_gives_a_path_s_size() {
        let meant = |unit, n| likely(unit, n).expect("a quantity");
        assert_eq!(meant(Unit::Bps, 2400.0), "2400 Mbit/s");
        assert_eq!(meant(Unit::Bps, 2.4e9), "2400000000 bit/s");
        assert_eq!(meant(Unit::Bytes, 64.0), "64 MiB");
        assert_eq!(meant(Unit::Bytes, 52.6e6), "52600000 B");
        assert_eq!(meant(Unit::Ns, 171.0), "171 ms");
        assert_eq!(meant(Unit::Ns, 1.71e8), "171000000 ns");
        assert_eq!(meant(Unit::S, 20.0), "20 s");
        assert_eq!(likely(Unit::Ratio, 0.5), None);
        assert_eq!(likely(Unit::Count, 5.0), None);
    }

    #[test]
    fn bytes_are_not_read_as_a_count_of_segments() {
        let remedy = |name, text: &'static str| in_segments(name, &DeValue::String(text.into()));
        let twenty = "`remembered_window` counts segments, not bytes: write remembered_window = 20, if they carry 1448 bytes";
        assert_eq!(
            remedy("remembered_window", "29200 B").as_deref(),
            Some(twenty)
        );
        let ten = "`initial_window` counts segments: write initial_window = 10";
        assert_eq!(
            remedy("initial_window", "10 segments").as_deref(),
            Some(ten)
        );
        // A number alone is taken for what the key counts.
        assert_eq!(remedy("initial_window", "10"), None);
        assert_eq!(remedy("parallel", "10 B"), None);
    }

    #[test]
    fn what_was_read_is_printed_with_its_unit() {
        let read = |unit, n| printed(unit, n).expect("a quantity");
        assert_eq!(read(Unit::Bps, 2400.0), "2.4 kbit/s");
        assert_eq!(read(Unit::Bps, 0.05), "0.05 bit/s");
        assert_eq!(read(Unit::Ns, 171.0), "171 ns");
        assert_eq!(read(Unit::S, 0.05), "50 ms");
        assert_eq!(read(Unit::Bytes, 64.0), "64 B");
        assert_eq!(read(Unit::Bps, -3.0), "-3 bit/s");
    }
}
