//! Quantities as scenario files write them, with remedies that name the key.

use farpath_units::{Duration, ParseError, Rate, Ratio, Size};

use crate::diagnostic::shorten;
use crate::key::{Key, Kind};

/// A fault: what is wrong, and what to write instead.
pub(crate) type Refused = (String, String);

/// A queue's limit; waiting frames only, not the one in service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueLimit {
    /// Bytes, without preamble, FCS and gap.
    Bytes(Size),
    /// Frames.
    Packets(u64),
    /// As many bytes as the rate sends in this time.
    Time(Duration),
    /// This many bandwidth-delay products of the slowest path through the link.
    Bdp(f64),
}

impl core::str::FromStr for QueueLimit {
    type Err = String;

    /// As a scenario writes it: `512 KiB`, `1000 packets`, `10 ms`, `1bdp`; the error says what is wrong, and what to write.
    fn from_str(text: &str) -> Result<QueueLimit, String> {
        queue("queue", text).map_err(|(wrong, remedy)| format!("{wrong}: {remedy}"))
    }
}

/// A value of that kind as it would stand in a file.
pub(crate) fn example(kind: &Kind) -> String {
    match kind {
        Kind::Text => "\"text\"".to_owned(),
        Kind::Name | Kind::Ref(_) => "\"a-name\"".to_owned(),
        Kind::Bool => "true".to_owned(),
        Kind::Int { min, .. } => (*min).max(1).to_string(),
        Kind::Octets { .. } => "1500".to_owned(),
        Kind::Span { .. } => "\"58 ms\"".to_owned(),
        Kind::Rate => "\"1 Gbit/s\"".to_owned(),
        Kind::Size { .. } => "\"64 MiB\"".to_owned(),
        Kind::Sysctl => "128388607".to_owned(),
        Kind::SysctlTriple => "\"4096 87380 128388607\"".to_owned(),
        Kind::Ratio => "\"0.01 %\"".to_owned(),
        Kind::Number { .. } => "1.5".to_owned(),
        Kind::BitErrorRate => "\"1e-12\"".to_owned(),
        Kind::Queue => "\"1000 packets\"".to_owned(),
        Kind::Class => "\"ef\"".to_owned(),
        Kind::Codes { names: true, .. } => "[\"af11\", 8]".to_owned(),
        Kind::Codes { .. } => "[0, 1]".to_owned(),
        Kind::Framing => "\"gbe\"".to_owned(),
        Kind::Choice(words) | Kind::Control(words) => format!("\"{}\"", words[0]),
        Kind::Choices(words) => format!("[\"{}\"]", words[0]),
        Kind::Refs { .. } | Kind::Texts => "[\"a\", \"b\"]".to_owned(),
        Kind::Bound => "\"990 Mbit/s\"".to_owned(),
        // The usual distribution.
        Kind::Table(s) if s.name == "jitter" => "{ max = \"58 ms\" }".to_owned(),
        Kind::Table(s) | Kind::Tables(s) => {
            let value = |k: &Key| match (k.name, &k.kind) {
                // RED's, above its `min`.
                ("max", Kind::Queue) => "\"3000 packets\"".to_owned(),
                (_, Kind::Span { .. }) if k.default.parse::<Duration>().is_ok() => {
                    format!("\"{}\"", k.default)
                }
                (_, kind) => example(kind),
            };
            // One of two that stand for each other.
            let is_second = |n: usize| s.keys[..n].iter().any(|k| k.name == s.keys[n].instead_of);
            let shown = |(n, k): &(usize, &Key)| (*n < 2 || k.required) && !is_second(*n);
            let keys = s.keys.iter().enumerate().filter(shown);
            let keys: Vec<String> = keys
                .map(|(_, k)| format!("{} = {}", k.name, value(k)))
                .collect();
            format!("{{ {} }}", keys.join(", "))
        }
        Kind::Point => "{ \"test.bulk.window\" = \"8 MiB\" }".to_owned(),
    }
}

/// Longest propagation of one link: round trips over many of them still fit into the clock.
const LONGEST_DELAY: Duration = Duration::from_secs(86_400);

/// Longest of any other time: half of the clock, so that the sum of two fits into it.
const LONGEST_SPAN: Duration = Duration::from_secs(100 * 86_400);

/// "an interval of zero".
fn of_zero(name: &str) -> String {
    match name {
        "bytes" => "zero bytes".to_owned(),
        "for" => "`for` of zero".to_owned(),
        _ if name.starts_with(['a', 'e', 'i', 'o']) => format!("an {name} of zero"),
        _ => format!("a {name} of zero"),
    }
}

/// What a key's value is, where its name alone would read oddly.
pub(crate) fn noun(name: &str) -> &str {
    match name {
        "at" | "for" | "start" | "start_spread" => "time",
        "bytes" => "size",
        "cc" => "congestion control",
        "omit" => "duration",
        "nic" => "rate",
        other => other,
    }
}

/// A length of time; zero only where it means something.
pub(crate) fn span(name: &str, text: &str, zero: bool) -> Result<Duration, Refused> {
    let span = text
        .parse::<Duration>()
        .map_err(|e| teach(name, text, &e))?;
    if span == Duration::ZERO && !zero {
        let remedy = match name {
            "delay" => {
                "every wire has some length, 5 ns for a metre of fibre: write \"5 ns\" or more"
            }
            _ => "give it some length, such as \"1 s\"",
        };
        return Err((of_zero(name), remedy.to_owned()));
    }
    let longest = if name == "delay" {
        LONGEST_DELAY
    } else {
        LONGEST_SPAN
    };
    if span > longest {
        let days = longest.as_ps() / Duration::from_secs(86_400).as_ps();
        return Err((
            format!("`{}` is too long for `{name}`", shorten(text)),
            format!("at most {days} d: the clock of a run ends after 213 days"),
        ));
    }
    Ok(span)
}

/// A rate, never zero.
pub(crate) fn rate(name: &str, text: &str) -> Result<Rate, Refused> {
    text.parse::<Rate>().map_err(|e| teach(name, text, &e))
}

/// A size.
pub(crate) fn size(name: &str, text: &str) -> Result<Size, Refused> {
    text.parse::<Size>().map_err(|e| teach(name, text, &e))
}

/// A size above zero and up to `max` bytes.
pub(crate) fn limited_size(name: &str, text: &str, max: u64) -> Result<Size, Refused> {
    let found = size(name, text)?;
    if found.as_bytes() == 0 {
        return Err((
            of_zero(name),
            "nothing could ever be sent; leave the key out for the default".to_owned(),
        ));
    }
    if found.as_bytes() > max {
        return Err((
            format!(
                "{name} of {} bytes is beyond TCP's window scaling",
                found.as_bytes()
            ),
            format!(
                "the largest window is 65535 << 14 = {max} bytes, just under 1 GiB (RFC 7323 §2.3)"
            ),
        ));
    }
    Ok(found)
}

/// A ratio.
pub(crate) fn ratio(name: &str, text: &str) -> Result<Ratio, Refused> {
    text.parse::<Ratio>().map_err(|e| teach(name, text, &e))
}

/// Bytes as `/proc` prints them, or a size.
pub(crate) fn sysctl(name: &str, text: &str) -> Result<Size, Refused> {
    match text.parse::<u64>() {
        Ok(0) => Err((of_zero(name), "no socket could send or receive".to_owned())),
        Ok(n) => Ok(Size::from_bytes(n)),
        Err(_) => size(name, text),
    }
}

/// Minimum, default, maximum.
pub(crate) fn sysctl_triple(name: &str, text: &str) -> Result<[Size; 3], Refused> {
    let remedy = || {
        format!("three numbers of bytes, as /proc prints them: {name} = \"4096 87380 128388607\"")
    };
    let numbers: Vec<u64> = text
        .split_ascii_whitespace()
        .map_while(|w| w.parse().ok())
        .collect();
    let [min, default, max] = numbers[..] else {
        return Err((
            format!("`{}` is not a valid {name}", shorten(text)),
            remedy(),
        ));
    };
    if text.split_ascii_whitespace().count() != 3 || min == 0 {
        return Err((
            format!("`{}` is not a valid {name}", shorten(text)),
            remedy(),
        ));
    }
    if min > default || default > max {
        return Err((
            format!("{name}: minimum, default and maximum are out of order"),
            remedy(),
        ));
    }
    Ok([
        Size::from_bytes(min),
        Size::from_bytes(default),
        Size::from_bytes(max),
    ])
}

/// Units of time.
const TIMES: [&str; 5] = ["ps", "ns", "us", "ms", "s"];

/// Whether a unit is one of these but for its case.
fn is_near(unit: &str, units: &[&str]) -> bool {
    units.iter().any(|u| u.eq_ignore_ascii_case(unit))
}

/// Whether a unit means bytes or bits, however it is written: `KB`, `kib`, `M`.
fn is_of_bytes(unit: &str) -> bool {
    let rest = unit.strip_prefix(['k', 'K', 'm', 'M', 'g', 'G', 't', 'T']);
    let rest = rest.unwrap_or(unit);
    let is = ["b", "ib", "bit", "bits", "byte", "bytes"];
    is_near(rest, &is) || rest.is_empty() && !unit.is_empty()
}

/// Bytes, packets, a time or bandwidth-delay products.
pub(crate) fn queue(name: &str, text: &str) -> Result<QueueLimit, Refused> {
    let none = || {
        let remedy = "nothing could wait and most frames would be lost; \"1 packet\" is the least";
        (of_zero(name), remedy.to_owned())
    };
    if split(text).0.parse::<f64>() == Ok(0.0) {
        return Err(none());
    }
    let (digits, unit) = split(text);
    match unit {
        "packets" | "packet" | "frames" | "frame" => match digits.parse::<u64>() {
            Ok(n) => Ok(QueueLimit::Packets(n)),
            Err(_) => Err((
                format!("`{}` is not a number of packets", shorten(digits)),
                "a whole number".to_owned(),
            )),
        },
        "bdp" | "BDP" => match digits
            .parse::<f64>()
            .ok()
            .filter(|n| n.is_finite() && *n > 0.0 && *n <= 1e6)
        {
            Some(n) => Ok(QueueLimit::Bdp(n)),
            None => Err((
                format!(
                    "`{}` is not a number of bandwidth-delay products",
                    shorten(digits)
                ),
                "write \"1bdp\"".to_owned(),
            )),
        },
        _ => {
            let of_time = match text.parse::<Duration>() {
                Ok(span) => return Ok(QueueLimit::Time(span)),
                Err(said) => said,
            };
            let said = match text.parse::<Size>() {
                Ok(s) => return Ok(QueueLimit::Bytes(s)),
                Err(said) => said,
            };
            Err(no_queue((name, text), (digits, unit), &said, &of_time))
        }
    }
}

/// Why a text is not a queue: a unit of bytes, of time or of packets that is written another way has a lesson of its own.
fn no_queue(
    (name, text): (&str, &str),
    (digits, unit): (&str, &str),
    of_bytes: &ParseError,
    of_time: &ParseError,
) -> Refused {
    let number = shorten(digits);
    let title = format!("`{}` is not a valid {name}", shorten(text));
    match of_bytes {
        ParseError::Negative { .. } => teach(name, text, of_bytes),
        ParseError::NoUnit { .. } => (
            format!("missing unit in {name} \"{}\"", shorten(text)),
            format!("write \"{number} packets\", \"{number} KiB\" or \"{number} ms\""),
        ),
        ParseError::Unit { .. } if is_of_bytes(unit) => teach(name, text, of_bytes),
        ParseError::Unit { .. } if is_near(unit, &TIMES) => teach(name, text, of_time),
        ParseError::Unit { .. } if is_near(unit, &["packets", "packet", "frames", "bdp"]) => (
            title,
            format!("write \"{number} {}\"", unit.to_ascii_lowercase()),
        ),
        _ => (
            title,
            "bytes, packets, a time or bandwidth-delay products: \"512 KiB\", \"1000 packets\", \"10 ms\", \"1bdp\"".to_owned(),
        ),
    }
}

/// The TOS byte a name stands for (RFC 2474, 2597, 3246, 5865, 8622; the DSCP is its upper six bits).
pub(crate) fn class(name: &str, text: &str) -> Result<u8, Refused> {
    let lower = text.to_ascii_lowercase();
    let digit = |i: usize, from: u8, to: u8| {
        lower
            .as_bytes()
            .get(i)
            .map(|b| b.wrapping_sub(b'0'))
            .filter(|d| (from..=to).contains(d))
    };
    let dscp = match lower.as_str() {
        "be" | "default" | "df" => Some(0),
        "le" => Some(1),
        "ef" => Some(46),
        "va" => Some(44),
        s if s.len() == 3 && s.starts_with("cs") => digit(2, 0, 7).map(|d| d * 8),
        s if s.len() == 4 && s.starts_with("af") => match (digit(2, 1, 4), digit(3, 1, 3)) {
            (Some(c), Some(p)) => Some(c * 8 + p * 2),
            _ => None,
        },
        _ => None,
    };
    dscp.map(|d| d << 2).ok_or_else(|| {
        let remedy = "a DSCP name (be, le, cs0 to cs7, af11 to af43, va, ef) or the whole TOS byte as a number";
        (format!("`{}` is not a valid {name}", shorten(text)), remedy.to_owned())
    })
}

/// What `units` says about a quantity, with the key's name.
fn teach(name: &str, text: &str, error: &ParseError) -> Refused {
    let text = shorten(text);
    match error {
        ParseError::Negative { .. } => (
            format!("negative {}: {text}", noun(name)),
            "write it without the sign".to_owned(),
        ),
        ParseError::NoUnit { units, example, .. } => (
            format!("missing unit in {name} \"{text}\""),
            format!("write the unit, such as \"{example}\"; units: {units}"),
        ),
        ParseError::ZeroRate { .. } => {
            let remedy =
                "nothing would ever pass; an [[event]] with `up = false` takes a link down";
            (of_zero(noun(name)), remedy.to_owned())
        }
        other => (
            format!("`{text}` is not a valid {}", noun(name)),
            other.to_string(),
        ),
    }
}

/// The number and the unit of a quantity, as text.
pub(crate) fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let exponent = matches!(bytes[end], b'e' | b'E')
            && end > 0
            && matches!(bytes.get(end + 1), Some(b'0'..=b'9' | b'+' | b'-'))
            && matches!(bytes[end - 1], b'0'..=b'9' | b'.');
        let sign = matches!(bytes[end], b'+' | b'-')
            && (end == 0 || matches!(bytes[end - 1], b'e' | b'E'));
        if bytes[end].is_ascii_digit() || matches!(bytes[end], b'.' | b'_') || sign || exponent {
            end += 1;
        } else {
            break;
        }
    }
    (&text[..end], text[end..].trim_start())
}

/// Whether a word stands for false: `"false"`, `"no"`, `"off"`.
pub(crate) fn denies(word: &str) -> bool {
    let word = word.trim().to_ascii_lowercase();
    ["false", "no", "off", "0", "none"].contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_the_tos_byte() {
        let tos = |s| class("class", s).expect("a class");
        assert_eq!(
            (
                tos("ef"),
                tos("le"),
                tos("cs1"),
                tos("AF11"),
                tos("af43"),
                tos("be")
            ),
            (184, 4, 32, 40, 152, 0)
        );
        for wrong in ["cs8", "af10", "af44", "af51", "cs", "expedited"] {
            assert!(class("class", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn queues_come_in_four_kinds() {
        assert_eq!(queue("queue", "10 packets"), Ok(QueueLimit::Packets(10)));
        assert_eq!(queue("queue", "1bdp"), Ok(QueueLimit::Bdp(1.0)));
        assert_eq!(queue("queue", "0.5 bdp"), Ok(QueueLimit::Bdp(0.5)));
        assert_eq!(
            queue("queue", "10 ms"),
            Ok(QueueLimit::Time(Duration::from_ms(10)))
        );
        assert_eq!(
            queue("queue", "64 KiB"),
            Ok(QueueLimit::Bytes(Size::from_bytes(65_536)))
        );
        for wrong in [
            "0 packets",
            "0 ms",
            "0bdp",
            "-1 ms",
            "10",
            "1.5 packets",
            "ten",
            "",
        ] {
            assert!(queue("queue", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_queue_in_units_of_another_case_says_the_right_one() {
        for (wrong, right) in [
            ("500 KB", "500 kB"),
            ("500 kib", "500 KiB"),
            ("500 mb", "500 MB"),
            ("500 kb", "bits"),
            ("5 M", "5 MB"),
            ("10 MS", "10 ms"),
            ("10 Packets", "10 packets"),
            ("1 Bdp", "1 bdp"),
        ] {
            let (_, remedy) = queue("queue", wrong).expect_err(wrong);
            assert!(remedy.contains(right), "{wrong}: {remedy}");
        }
        let (_, remedy) = queue("queue", "5 apples").expect_err("no unit");
        assert!(remedy.contains("1bdp"), "{remedy}");
    }

    #[test]
    fn numbers_part_from_units() {
        assert_eq!(split("58 ms"), ("58", "ms"));
        assert_eq!(split("1e-4"), ("1e-4", ""));
        assert_eq!(split("2e3 B"), ("2e3", "B"));
        assert_eq!(split("-5ms"), ("-5", "ms"));
        assert_eq!(split("é"), ("", "é"));
    }
}
