//! Words and numbers of a line, as tools print them.

use core::str::SplitWhitespace;

use crate::fact::{Figure, Place};

/// A number as printed: its value, and half a unit of its last digit either way.
pub(crate) fn number(text: &str, at: Place) -> Option<Figure> {
    // Nothing that is read here can be negative.
    let plain = text.trim();
    let digits = plain;
    let is_number = !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && digits.bytes().any(|b| b.is_ascii_digit())
        && digits.bytes().filter(|b| *b == b'.').count() <= 1;
    if !is_number || plain.len() > 24 {
        return None;
    }
    let value: f64 = plain.parse().ok()?;
    let places = digits.split_once('.').map_or(0, |(_, after)| after.len());
    let half = 0.5 * libm::pow(10.0, -(places as f64));
    let half = if places == 0 { 0.0 } else { half };
    Some(Figure::between(
        value,
        (value - half).max(0.0),
        value + half,
        at,
    ))
}

/// A whole number.
pub(crate) fn whole(text: &str) -> Option<u64> {
    let all = !text.is_empty() && text.len() <= 19 && text.bytes().all(|b| b.is_ascii_digit());
    all.then(|| text.parse().ok()).flatten()
}

/// A number with a decimal point and nothing else.
pub(crate) fn decimal(text: &str) -> Option<f64> {
    number(text, Place::You).map(|n| n.value)
}

/// The text behind `before` up to `after`, or to the end of the line if `after` is empty.
pub(crate) fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = &text[text.find(before)? + before.len()..];
    if after.is_empty() {
        return Some(rest);
    }
    rest.find(after).map(|end| &rest[..end])
}

/// The word behind `before`.
pub(crate) fn after<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    let rest = &text[text.find(before)? + before.len()..];
    rest.split_whitespace().next()
}

/// Whether a word is this one of a command of a router, or its beginning of so many letters at least: `sh` of `show`.
pub(crate) fn shortens(word: &str, full: &str, least: usize) -> bool {
    word.len() >= least && full.starts_with(word)
}

/// The prompt of a router, and the words behind `show` of a command that was typed there: `sw1#sh etherchannel summary`.
pub(crate) fn behind_show(text: &str) -> Option<(&str, SplitWhitespace<'_>)> {
    let (prompt, command) = text.split_once(['#', '>'])?;
    let mut words = command.split_whitespace();
    shortens(words.next()?, "show", 2).then_some((prompt, words))
}

/// The value of `key=value` or `key:value` among the words of a line, cut at a comma or bracket.
pub(crate) fn keyed<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut from = 0;
    while let Some(found) = text[from..].find(key) {
        let start = from + found;
        let end = start + key.len();
        let alone = text[..start]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_');
        if alone {
            let rest = &text[end..];
            let stop = rest
                .find(|c: char| c.is_whitespace() || matches!(c, ',' | ')' | ';'))
                .unwrap_or(rest.len());
            return Some(&rest[..stop]);
        }
        from = end;
    }
    None
}

/// Binary prefixes as most tools mean them in sizes.
pub(crate) fn binary(prefix: Option<char>) -> Option<f64> {
    Some(match prefix {
        None => 1.0,
        Some('K' | 'k') => 1024.0,
        Some('M' | 'm') => 1024.0 * 1024.0,
        Some('G' | 'g') => 1024.0 * 1024.0 * 1024.0,
        Some('T' | 't') => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        Some(_) => return None,
    })
}

/// Decimal prefixes, as in rates.
pub(crate) fn decimal_prefix(prefix: Option<char>) -> Option<f64> {
    Some(match prefix {
        None => 1.0,
        Some('K' | 'k') => 1e3,
        Some('M' | 'm') => 1e6,
        Some('G' | 'g') => 1e9,
        Some('T' | 't') => 1e12,
        Some(_) => return None,
    })
}

/// What a prefix of one letter, or none, multiplies by.
fn factor(prefix: &str, of: impl Fn(Option<char>) -> Option<f64>) -> Option<f64> {
    let mut chars = prefix.chars();
    let factor = of(chars.next())?;
    chars.next().is_none().then_some(factor)
}

/// What was printed without decimals is rounded to whole units of its prefix.
fn rounded(value: &str, factor: f64, at: Place) -> Option<Figure> {
    let mut figure = number(value, at)?;
    if factor > 1.0 && !value.contains('.') {
        figure.low = (figure.low - 0.5).max(0.0);
        figure.high += 0.5;
    }
    Some(figure.times(factor))
}

/// `12.0 MBytes`, `941 Mbits`, `16.0 MByte`, `0.00 Bytes`: bytes for sizes, bits for rates.
pub(crate) fn quantity(value: &str, unit: &str, at: Place) -> Option<Figure> {
    let unit = unit.trim_end_matches("/sec").trim_end_matches("/s");
    let bare = ["Bytes", "Byte", "bytes", "byte"];
    if let Some(prefix) = bare.iter().find_map(|b| unit.strip_suffix(b)) {
        return rounded(value, factor(prefix, binary)?, at);
    }
    let prefix = ["bits", "bit"].iter().find_map(|b| unit.strip_suffix(b))?;
    rounded(value, factor(prefix, decimal_prefix)?, at)
}

/// The size of an iperf option: `8m` and `64K` are binary.
pub(crate) fn option_size(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (digits, unit) = text.split_at(end);
    Some(decimal(digits)? * factor(unit, binary)?)
}

/// The size of an option, with a suffix or without one.
pub(crate) fn size(text: &str) -> Option<f64> {
    whole(text).map(|n| n as f64).or_else(|| option_size(text))
}

/// The rate of an option, `100M` or `1G`: decimal.
pub(crate) fn option_rate(text: &str) -> Option<f64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    Some(decimal(digits)? * factor(unit, decimal_prefix)?)
}

/// `1Gbit`, `100Mbit`, `9.6Gbps`, `512Kbit`: rates as `ss` and `tc` print them, decimal.
pub(crate) fn rate(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (digits, unit) = text.split_at(end);
    let (prefix, bytes) = match unit {
        u if u.ends_with("bit/s") => (u.strip_suffix("bit/s")?, false),
        u if u.ends_with("bit") => (u.strip_suffix("bit")?, false),
        u if u.ends_with("bps") => (u.strip_suffix("bps")?, false),
        u if u.ends_with("b/s") => (u.strip_suffix("b/s")?, false),
        u if u.ends_with("Bps") => (u.strip_suffix("Bps")?, true),
        _ => return None,
    };
    let factor = factor(prefix, decimal_prefix)?;
    Some(decimal(digits)? * factor * if bytes { 8.0 } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_printed_is_half_a_digit_either_way() {
        let read = |v, u| quantity(v, u, Place::You).map(|f| (f.value, f.low, f.high));
        assert_eq!(read("472", "Kbits/sec"), Some((472e3, 471.5e3, 472.5e3)));
        assert_eq!(read("20.1", "Mbits/sec").map(|f| f.0), Some(20.1e6));
        assert_eq!(
            read("12.0", "MBytes").map(|f| f.1),
            Some(11.95 * 1_048_576.0)
        );
        assert_eq!(read("0.00", "bits/sec").map(|f| f.0), Some(0.0));
        for (value, unit) in [("1", "Xbits"), ("1e3", "bits"), ("", "Bytes"), ("1", "sec")] {
            assert_eq!(read(value, unit), None, "{value} {unit}");
        }
    }

    #[test]
    fn sizes_and_rates_of_options() {
        assert_eq!(option_size("8m"), Some(8_388_608.0));
        assert_eq!(size("65536"), Some(65536.0));
        assert_eq!(option_size("8mx"), None);
        assert_eq!(option_rate("100M"), Some(1e8));
        assert_eq!(rate("9.6Gbps"), Some(9.6e9));
        assert_eq!(rate("512Kbit"), Some(512e3));
        assert_eq!(rate("12MBps"), Some(96e6));
        assert_eq!(rate("12"), None);
    }

    #[test]
    fn a_word_of_a_command_may_be_its_beginning() {
        assert!(shortens("sh", "show", 2) && shortens("show", "show", 2));
        for word in ["s", "so", "shows", ""] {
            assert!(!shortens(word, "show", 2), "{word}");
        }
    }

    #[test]
    fn a_key_stands_alone() {
        assert_eq!(keyed("minrtt:3 rtt:20/1,x", "rtt:"), Some("20/1"));
        assert_eq!(keyed("a mss=1448)", "mss="), Some("1448"));
        assert_eq!(keyed("xmss=1", "mss="), None);
    }
}
