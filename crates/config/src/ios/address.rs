//! Addresses of interfaces, and the masks and lengths that say how much of them is the subnet's (NET003).

use core::net::{Ipv4Addr, Ipv6Addr};

use crate::commands::{Reader, Statement, Word};
use crate::qos::Interface;
use crate::rules::NET003;

/// A statement of interfaces.
type Said<'s, 'r, 't> = &'s mut Statement<'r, 't, Interface>;

/// Bits of an IPv6 address.
const LONGEST: u32 = 128;

/// How many ones a mask begins with, 0 to 32; `None` where others follow its first zero.
pub(super) fn length(mask: Ipv4Addr) -> Option<u8> {
    let bits = mask.to_bits();
    let ones = bits.leading_ones();
    (ones + bits.trailing_zeros() >= u32::BITS).then_some(ones as u8)
}

/// The length behind an address, 0 to 32.
pub(super) fn slashed(length: &str) -> Option<u8> {
    length.parse().ok().filter(|l| *l <= 32)
}

/// `ip address A MASK` or `A/LENGTH`, with `secondary` or `tag` behind it.
pub(super) fn address(s: Said<'_, '_, '_>) -> Option<()> {
    if s.off {
        return s.each(|i| i.addresses.clear());
    }
    let Some(first) = s.words.next() else {
        return Some(());
    };
    let (host, behind) = match first.text.split_once('/') {
        Some((host, behind)) => (host, Some(behind)),
        None => (first.text, None),
    };
    // `dhcp`, `negotiated` and the like state none.
    let Ok(address) = host.parse::<Ipv4Addr>() else {
        return Some(());
    };
    let (word, length) = match behind {
        Some(behind) => (first, slashed(behind)),
        None => {
            let Some(mask) = s.words.next().filter(Word::is_numeral) else {
                return Some(());
            };
            (mask, mask.text.parse().ok().and_then(length))
        }
    };
    let Some(length) = length else {
        refused(s.reader, word);
        return Some(());
    };
    let secondary = s.words.accept("secondary");
    let stated = s.stated((address, length));
    s.each(|i| {
        if !secondary {
            i.addresses.clear();
        }
        i.addresses.push(stated.clone());
    })
}

/// `ipv6 address A/LENGTH`: its length alone is read.
pub(super) fn address_ipv6(s: Said<'_, '_, '_>) -> Option<()> {
    while let Some(word) = s.words.next() {
        let parts = word.text.split_once('/');
        let Some((_, length)) = parts.filter(|(host, _)| host.parse::<Ipv6Addr>().is_ok()) else {
            continue;
        };
        if length.parse::<u32>().is_ok_and(|l| l > LONGEST) {
            refused(s.reader, word);
        }
    }
    s.pass_over()
}

/// NET003, of a mask, or of an address with its length.
pub(super) fn refused(reader: &mut Reader, word: Word<'_>) {
    let shown = crate::finding::quoted(word.text);
    let (message, remedy) = match word.text.parse::<Ipv4Addr>() {
        Err(_) if word.text.contains(':') => (
            format!("`{shown}`: a prefix of IPv6 has at most {LONGEST} bits"),
            "write 64 for a subnet of hosts, 127 for two ends of a cable (RFC 6164)".to_owned(),
        ),
        Err(_) if word.text.contains('/') => (
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
    };
    reader.fault(&NET003, word.span(), message, &remedy);
}

/// The mask that is probably meant: of a wildcard its opposite, else the ones in front.
fn meant(mask: Ipv4Addr) -> Ipv4Addr {
    let opposite = Ipv4Addr::from_bits(!mask.to_bits());
    if length(opposite).is_some() {
        return opposite;
    }
    let ones = mask.to_bits().leading_ones();
    Ipv4Addr::from_bits(!u32::MAX.checked_shr(ones).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_ones_and_then_zeros() {
        for (mask, ones, wanted) in [
            ([255, 255, 255, 252], Some(30), None),
            ([0, 0, 0, 0], Some(0), None),
            ([255, 255, 255, 255], Some(32), None),
            ([255, 255, 255, 253], None, Some([255, 255, 255, 252])),
            ([0, 0, 0, 3], None, Some([255, 255, 255, 252])),
            ([255, 0, 255, 0], None, Some([255, 0, 0, 0])),
        ] {
            let mask = Ipv4Addr::from(mask);
            assert_eq!(length(mask), ones, "{mask}");
            if let Some(wanted) = wanted {
                assert_eq!(meant(mask), Ipv4Addr::from(wanted), "{mask}");
            }
        }
    }
}
