//! `duplex full`, and what older releases write for it on Ethernet and `FastEthernet`: `full-duplex`, `half-duplex`.

use crate::commands::Statement;
use crate::qos::{Duplex, Interface};

/// `duplex auto`, `half` or `full`.
pub(super) fn stated(s: &mut Statement<'_, '_, Interface>) -> Option<()> {
    let words = [
        ("auto", Duplex::Auto),
        ("half", Duplex::Half),
        ("full", Duplex::Full),
    ];
    let value = s.choice(&words);
    if value.is_none() {
        if !s.off {
            return None;
        }
        s.next();
    }
    s.finish();
    s.put(value, |i| &mut i.duplex)
}

/// `full-duplex`.
pub(super) fn full(s: &mut Statement<'_, '_, Interface>) -> Option<()> {
    s.finish();
    s.put(Some(Duplex::Full), |i| &mut i.duplex)
}

/// `half-duplex`.
pub(super) fn half(s: &mut Statement<'_, '_, Interface>) -> Option<()> {
    s.finish();
    s.put(Some(Duplex::Half), |i| &mut i.duplex)
}
