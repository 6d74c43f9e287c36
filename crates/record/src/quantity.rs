//! Values for people: a metric's unit is the end of its name, its digits are five.

/// Prints the value of a metric with its unit, to five significant digits: `580.06 ms`,
/// `989.97 Mbit/s`, `64 MiB`, `0.012 %`. The unit follows from the name's end: `_ns`, `_s`, `_bps`,
/// `_bytes`, `_km`, `_bdp`, `_rate`, `_ratio`; `X over Y` is a plain number, `X minus Y` has X's unit, and anything
/// else is a count or an index.
pub fn quantity(metric: &str, value: f64) -> String {
    if metric.contains(" over ") {
        return plain_ratio(value);
    }
    let name = metric.split(' ').next().unwrap_or(metric);
    let name = name.rsplit('.').next().unwrap_or(name);
    match unit(name) {
        "ns" => seconds(value * 1e-9),
        "s" => seconds(value),
        "bps" => scaled(
            value,
            1000.0,
            &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", "Pbit/s"],
        ),
        "bytes" => bytes(value),
        "km" => format!("{} km", digits(value)),
        "bdp" => format!("{} bdp", digits(value)),
        // As the column `unit` of metrics.csv has it.
        "rate" => format!("{} 1/s", digits(value)),
        "ratio" => ratio(value),
        _ => digits(value),
    }
}

/// The value with all its digits, in the unit that the metric's name says: `580061234 ns`.
pub fn exact(metric: &str, value: f64) -> String {
    let name = if metric.contains(" over ") {
        ""
    } else {
        metric.split(' ').next().unwrap_or(metric)
    };
    let unit = match unit(name.rsplit('.').next().unwrap_or(name)) {
        "ns" => " ns",
        "s" => " s",
        "bps" => " bit/s",
        "bytes" => " B",
        "km" => " km",
        "bdp" => " bdp",
        "rate" => " 1/s",
        _ => "",
    };
    format!("{value}{unit}")
}

/// Values of one metric as plain numbers in the unit that suits `reference`, and that unit; empty
/// for counts and indices. Bytes are in decimal units: one number is a whole of KiB, and the next one is not.
pub fn in_common_unit(metric: &str, reference: f64, values: &[f64]) -> (String, Vec<String>) {
    let text = decimal(metric, reference);
    let shown = text.rsplit_once(' ').map_or("", |(_, unit)| unit);
    let seconds = [
        ("h", 3600.0),
        ("s", 1.0),
        ("ms", 1e-3),
        ("µs", 1e-6),
        ("ns", 1e-9),
    ];
    let rates = [
        ("kbit/s", 1e3),
        ("Mbit/s", 1e6),
        ("Gbit/s", 1e9),
        ("Tbit/s", 1e12),
        ("Pbit/s", 1e15),
    ];
    let sizes = [("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)];
    let all = [&seconds[..], &rates, &sizes, &[("%", 0.01)]].concat();
    let known = all.iter().find(|(name, _)| *name == shown);
    let scale = known.map_or(1.0, |(_, scale)| *scale);
    let is_ns = unit(metric) == "ns" && !metric.contains(" over ");
    let base = if is_ns { 1e-9 } else { 1.0 };
    let numbers = values.iter().map(|v| digits(tidy(v * base / scale)));
    (shown.to_owned(), numbers.collect())
}

/// The unit that ends a name; a name without `_` may be its own unit (`bytes`).
fn unit(name: &str) -> &str {
    name.rsplit('_').next().unwrap_or(name)
}

/// A metric's name without the unit that [`quantity`] prints: `rtt_avg` of `rtt_avg_ns`. A ratio of goodputs keeps it: without, it
/// would be called a goodput.
pub fn unitless(metric: &str) -> &str {
    match metric.rsplit_once('_') {
        Some((name, "ratio")) if name.ends_with("goodput") => metric,
        Some((name, "ns" | "s" | "bps" | "bytes" | "km" | "bdp" | "ratio")) => name,
        _ => metric,
    }
}

/// Five significant digits, four below a hundredth, and four places between that and one; a whole number below 10⁹ keeps all of its own, and what
/// only rounds to one keeps its zeros: they say how close it is.
fn digits(value: f64) -> String {
    let size = value.abs();
    if value.fract() == 0.0 && size < 1e9 {
        return format!("{value:.0}");
    }
    if !(1e-4..1e9).contains(&size) {
        return format!("{value:.4e}");
    }
    // The exponent after rounding: 9.99999 has two digits before the point once it is 10.000.
    let rounded = format!("{value:.4e}");
    let places = match exponent(&rounded) {
        small if small < -2 => 3 - small,
        power => (4 - power).clamp(0, 4),
    };
    format!("{value:.*}", places as usize)
}

/// A quotient to four places; zeros that end it say nothing, since no unit was chosen for it.
fn plain_ratio(value: f64) -> String {
    let text = digits(value);
    if text.contains('e') || !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The power of ten of a number in scientific notation.
fn exponent(scientific: &str) -> i32 {
    let power = scientific.rsplit('e').next();
    power.and_then(|e| e.parse().ok()).unwrap_or(0)
}

fn scaled(value: f64, step: f64, units: &[&str]) -> String {
    let mut scaled = value;
    let mut unit = 0;
    // 999.995 k would round up to 1000.0 k.
    while scaled.abs() >= step * (1.0 - 5e-6) && unit + 1 < units.len() {
        scaled /= step;
        unit += 1;
    }
    format!("{} {}", digits(tidy(scaled)), units[unit])
}

/// Removes the last bits of a division, so that 990 000 000 prints as `990 Mbit/s`.
fn tidy(value: f64) -> f64 {
    let whole = value.round();
    if (value - whole).abs() <= whole.abs() * 1e-12 {
        whole
    } else {
        value
    }
}

fn seconds(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0 s".to_owned()
    } else if size >= 36_000.0 {
        format!("{} h", digits(tidy(value / 3600.0)))
    } else if size >= 0.999_995 {
        format!("{} s", digits(tidy(value)))
    } else {
        scaled(value * 1e9, 1000.0, &["ns", "µs", "ms"])
    }
}

/// Whole bytes up to here stand as they are: a segment has 1448 B, and not 1.4480 kB.
const FEW_BYTES: f64 = 10_000.0;

/// Bytes in decimal units.
fn decimal_bytes(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() < FEW_BYTES {
        true => format!("{value:.0} B"),
        false => scaled(value, 1000.0, &["B", "kB", "MB", "GB", "TB"]),
    }
}

/// Binary units where they are exact and somebody may have chosen the number, else decimal ones.
fn bytes(value: f64) -> String {
    for (unit, name) in [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
        let count = value / unit as f64;
        if count.fract() == 0.0 && (1.0..10_000.0).contains(&count.abs()) {
            return format!("{count:.0} {name}");
        }
    }
    decimal_bytes(value)
}

/// A value in decimal units, where [`quantity`] has bytes in binary ones: `250.88 kB` for `245 KiB`.
pub fn decimal(metric: &str, value: f64) -> String {
    let text = quantity(metric, value);
    match text.rsplit_once(' ') {
        Some((_, "KiB" | "MiB" | "GiB")) => decimal_bytes(value),
        _ => text,
    }
}

/// Whether somebody who writes a number of bytes in a few digits has decimal units in mind: `256 kB` is 250 KiB as well.
pub fn is_decimal(bytes: f64) -> bool {
    let whole = bytes.round();
    let scientific = format!("{whole:e}");
    let mantissa = scientific.split('e').next().unwrap_or_default();
    whole != 0.0 && whole % 1000.0 == 0.0 && mantissa.len() <= "1.024".len()
}

/// `count` of `all` in per cent, with the digits that a count supports: two, and three from 1000 on, which chance moves
/// by 3 % (its square root).
pub fn share(count: u64, all: u64) -> String {
    let percent = count as f64 / all.max(1) as f64 * 100.0;
    let digits: usize = if count < 1000 { 1 } else { 2 };
    if count == 0 {
        return "0 %".to_owned();
    }
    if percent < 1e-3 {
        return format!("{:.digits$e}", percent / 100.0);
    }
    let rounded = format!("{percent:.digits$e}");
    let places = (digits as i32 - exponent(&rounded)).max(0) as usize;
    format!("{percent:.places$} %")
}

fn ratio(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-5 {
        return format!("{value:.2e}");
    }
    let percent = value * 100.0;
    if percent == 0.0 || percent.abs() >= 1.0 {
        format!("{} %", digits(tidy(percent)))
    } else {
        // Three digits are enough below one per cent.
        let exponent = exponent(&format!("{percent:.2e}"));
        let places = 2 - exponent;
        let text = format!("{percent:.*}", places.clamp(0, 9) as usize);
        format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_the_digits_of_its_count() {
        let cases = [
            (96, 2512, "3.8 %"),
            (6, 9371, "0.064 %"),
            (1392, 17_779, "7.83 %"),
            (0, 10, "0 %"),
            (10, 10, "100 %"),
            (1, 3, "33 %"),
            (3, 2_000_000, "1.5e-6"),
        ];
        for (count, all, text) in cases {
            assert_eq!(share(count, all), text, "{count} of {all}");
        }
    }

    #[test]
    fn values_have_units_and_sensible_digits() {
        let cases = [
            ("ping.rtt_avg_ns", 580_061_234.0, "580.06 ms"),
            ("rtt_avg_ns", 581_000_000.0, "581 ms"),
            ("rtt_avg_ns", 1234.0, "1.2340 µs"),
            ("rtt_avg_ns", 12.0, "12 ns"),
            ("rtt_avg_ns", 999_999_999.0, "1.0000 s"),
            ("completion_ns", 2e9, "2 s"),
            ("recovery_s", 54_000.0, "15 h"),
            ("recovery_s", 0.0, "0 s"),
            ("goodput_bps", 989_972_345.0, "989.97 Mbit/s"),
            ("goodput_bps", 990_000_000.0, "990 Mbit/s"),
            ("link.stm64.a>b.rate_max_bps", 9.99999e9, "10.000 Gbit/s"),
            ("goodput_bps", 0.0, "0 bit/s"),
            ("cwnd_max_bytes", 67_108_864.0, "64 MiB"),
            ("bdp_bytes", 145e6, "145 MB"),
            ("queue_max_bytes", 0.0, "0 B"),
            // Whole bytes of a segment or two keep their digits.
            ("mss_bytes", 1448.0, "1448 B"),
            ("mtu_bytes", 9000.0, "9000 B"),
            ("window_bytes", 4096.0, "4 KiB"),
            ("queue_max_bytes", 10_001.0, "10.001 kB"),
            ("queue_mean_bytes", 1448.5, "1.4485 kB"),
            ("loss_ratio", 0.0, "0 %"),
            ("loss_ratio", 1e-6, "1.00e-6"),
            // Ratios whose name ends in another word have the digits that they are known by.
            ("loss_ratio_for_goodput", 0.000_145_33, "0.0001453"),
            ("loss_ratio_for_goodput", 0.001_25, "0.001250"),
            ("loss_ratio_for_goodput", 0.0123, "0.0123"),
            ("loss_ratio", 0.000_12, "0.012 %"),
            ("loss_ratio", 0.2, "20 %"),
            ("search.s.highest_bdp", 0.25, "0.2500 bdp"),
            ("web.request_rate", 1.427, "1.4270 1/s"),
            ("link.stm64.a>b.drops.tail", 7.0, "7"),
            ("jain_index", 0.987_654_3, "0.9877"),
            ("link.s.a>b.bytes over link.s.b>a.bytes", 1.5, "1.5"),
            ("a.rtt_avg_ns minus b.rtt_avg_ns", 464.0e6, "464 ms"),
            ("retransmits", 123_456_789.0, "123456789"),
        ];
        for (metric, value, text) in cases {
            assert_eq!(quantity(metric, value), text, "{metric} {value}");
        }
        assert_eq!(
            (
                unitless("rtt_avg_ns"),
                unitless("received"),
                unitless("sent_bps"),
                unitless("group_goodput_ratio")
            ),
            ("rtt_avg", "received", "sent", "group_goodput_ratio")
        );
    }

    #[test]
    fn bytes_may_be_meant_in_decimal_units() {
        assert_eq!(quantity("queue_max_bytes", 250_880.0), "245 KiB");
        assert_eq!(quantity("cwnd_max_bytes", 247_833_600.0), "247.83 MB");
        assert_eq!(decimal("queue_max_bytes", 250_880.0), "250.88 kB");
        assert_eq!(decimal("goodput_bps", 72e6), "72 Mbit/s");
        for bytes in [256e3, 512e3, 1e6, 64e6] {
            assert!(is_decimal(bytes), "{bytes}");
        }
        for bytes in [0.0, 1024.0, 65_536.0, 67_108_864.0, 131_072_000.0] {
            assert!(!is_decimal(bytes), "{bytes}");
        }
    }

    /// One table had `cwnd_max, KiB` of one origin and `cwnd_max, kB` of the other.
    #[test]
    fn numbers_beside_each_other_are_in_decimal_units() {
        let of = |mean: f64| in_common_unit("cwnd_max_bytes", mean, &[mean]);
        assert_eq!(of(250_880.0), ("kB".to_owned(), vec!["250.88".to_owned()]));
        assert_eq!(of(250_881.0), ("kB".to_owned(), vec!["250.88".to_owned()]));
        assert_eq!(of(1448.0), ("B".to_owned(), vec!["1448".to_owned()]));
    }

    #[test]
    fn no_value_panics() {
        for metric in [
            "a_ns", "a_s", "a_bps", "a_bytes", "a_ratio", "a_km", "a", "",
        ] {
            for v in [
                0.0,
                -1.0,
                1e-300,
                1e300,
                f64::NAN,
                f64::INFINITY,
                -0.3,
                0.5,
                1023.99,
            ] {
                assert!(!quantity(metric, v).is_empty());
            }
        }
    }
}
