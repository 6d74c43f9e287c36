//! Addresses of interfaces.

use core::net::{Ipv4Addr, Ipv6Addr};

use crate::commands::{Reader, Statement, Word};
use crate::mask::{BITS_IPV6, length, refusal, slashed};
use crate::qos::Interface;
use crate::rules::NET003;

/// A statement of interfaces.
type Said<'s, 'r, 't> = &'s mut Statement<'r, 't, Interface>;

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
    for word in s.words.by_ref() {
        let parts = word.text.split_once('/');
        let Some((_, length)) = parts.filter(|(host, _)| host.parse::<Ipv6Addr>().is_ok()) else {
            continue;
        };
        if length.parse::<u32>().is_ok_and(|l| l > BITS_IPV6) {
            refused(s.reader, word);
        }
    }
    s.pass_over()
}

/// NET003, of a mask, or of an address with its length.
fn refused(reader: &mut Reader, word: Word<'_>) {
    let (message, remedy) = refusal(word.text);
    reader.fault(&NET003, word.span(), message, &remedy);
}
