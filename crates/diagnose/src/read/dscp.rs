//! Code points of packets (DSCP), as people and programs write them.

use crate::words::whole;

/// A number, as decimal, hexadecimal or octal digits: `8`, `0x08`, `010`.
pub(super) fn number(word: &str) -> Option<u64> {
    match (word.strip_prefix("0x"), word.strip_prefix('0')) {
        (Some(digits), _) => u64::from_str_radix(digits, 16).ok(),
        (None, Some(digits)) if !digits.is_empty() => u64::from_str_radix(digits, 8).ok(),
        _ => whole(word),
    }
}

/// The number of a class selector or of an assured-forwarding class (RFC 2474 §4.2.2, RFC 2597 §6), of EF (RFC 3246), or of LE (RFC 8622).
pub(super) fn class(word: &str) -> Option<u64> {
    let word = word.to_ascii_lowercase();
    let digit = |c: char| c.to_digit(10).map(u64::from);
    let mut digits = word.get(2..)?.chars();
    match (word.get(..2)?, digits.next(), digits.next()) {
        ("ef", None, None) => Some(46),
        ("le", None, None) => Some(1),
        ("cs", Some(n), None) => digit(n).filter(|n| *n < 8).map(|n| 8 * n),
        ("af", Some(n), Some(drop)) => Some(8 * digit(n)? + 2 * digit(drop)?),
        _ => None,
    }
}

/// A code point by its name or its number.
pub(super) fn point(word: &str) -> Option<u64> {
    let dscp = class(word).or_else(|| number(word))?;
    (dscp < 64).then_some(dscp)
}

/// The code point in the former type-of-service byte, of which it is the upper six bits (RFC 2474 §3).
pub(super) fn of_tos(word: &str) -> Option<u64> {
    number(word)
        .filter(|byte| *byte < 256)
        .map(|byte| byte >> 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_point_has_a_name_or_is_the_upper_part_of_a_byte() {
        for (word, dscp) in [
            ("cs1", Some(8)),
            ("LE", Some(1)),
            ("ef", Some(46)),
            ("af41", Some(34)),
            ("0x08", Some(8)),
            ("8", Some(8)),
            ("64", None),
            ("bulk", None),
        ] {
            assert_eq!(point(word), dscp, "{word}");
        }
        for (word, dscp) in [("32", Some(8)), ("0x20", Some(8)), ("040", Some(8))] {
            assert_eq!(of_tos(word), dscp, "{word}");
        }
        assert_eq!((of_tos("0"), of_tos("256")), (Some(0), None));
    }
}
