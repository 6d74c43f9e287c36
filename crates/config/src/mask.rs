//! Masks and the lengths of prefixes, and what is none (NET003).

use core::net::Ipv4Addr;

use crate::finding::quoted;

/// Bits of an IPv6 address.
pub(crate) const BITS_IPV6: u32 = 128;

/// How many ones a mask begins with, 0 to 32; `None` where others follow its first zero.
pub(crate) fn length(mask: Ipv4Addr) -> Option<u8> {
    let bits = mask.to_bits();
    let ones = bits.leading_ones();
    (ones + bits.trailing_zeros() >= u32::BITS).then_some(ones as u8)
}

/// The mask with this many ones in front, 0 to 32, as bits.
pub(crate) fn bits(length: u8) -> u32 {
    !u32::MAX.checked_shr(u32::from(length)).unwrap_or(0)
}

/// The length behind an address, 0 to 32.
pub(crate) fn slashed(length: &str) -> Option<u8> {
    length.parse().ok().filter(|l| *l <= 32)
}

/// NET003: what is wrong with a mask, or with an address and the length behind it, and what to write.
pub(crate) fn refusal(word: &str) -> (String, String) {
    let shown = quoted(word);
    match word.parse::<Ipv4Addr>() {
        Err(_) if word.contains(':') => (
            format!("`{shown}`: a prefix of IPv6 has at most {BITS_IPV6} bits"),
            "write 64 for a subnet of hosts, 127 for two ends of a cable (RFC 6164)".to_owned(),
        ),
        Err(_) if word.contains('/') => (
            format!("`{shown}`: a prefix of IPv4 has at most {} bits", u32::BITS),
            "write 0 to 32".to_owned(),
        ),
        Err(_) => (
            format!("`{shown}` is not a mask"),
            "write one such as 255.255.255.0".to_owned(),
        ),
        Ok(mask) => (
            format!("`{shown}` is not a mask: ones follow a zero in it"),
            format!("`{}`, if that is meant", meant(mask)),
        ),
    }
}

/// The mask that is probably meant: of a wildcard its opposite, else the ones in front.
fn meant(mask: Ipv4Addr) -> Ipv4Addr {
    let opposite = Ipv4Addr::from_bits(!mask.to_bits());
    if length(opposite).is_some() {
        return opposite;
    }
    Ipv4Addr::from_bits(bits(mask.to_bits().leading_ones() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_ones_and_then_zeros() {
        for (mask, ones, wanted) in [
            ([255_u8, 255, 255, 252], Some(30), None),
            ([0, 0, 0, 0], Some(0), None),
            ([255, 255, 255, 255], Some(32), None),
            ([255, 255, 255, 253], None, Some([255_u8, 255, 255, 252])),
            ([0, 0, 0, 3], None, Some([255, 255, 255, 252])),
            ([255, 0, 255, 0], None, Some([255, 0, 0, 0])),
        ] {
            let mask = Ipv4Addr::from(mask);
            assert_eq!(length(mask), ones, "{mask}");
            if let Some(ones) = ones {
                assert_eq!(bits(ones), mask.to_bits());
            }
            if let Some(wanted) = wanted {
                assert_eq!(meant(mask), Ipv4Addr::from(wanted), "{mask}");
            }
        }
    }
}
