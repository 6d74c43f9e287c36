//! Lists of link modes that ethtool prints: what an interface can do, what it offers, and what its partner does.

use crate::negotiated::Negotiated;
use crate::words::whole;

/// A list of modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modes {
    Supported,
    Advertised,
    Partner,
}

impl Modes {
    /// The list whose first line has this key.
    pub(super) fn named(key: &str) -> Option<Modes> {
        match key {
            "Supported link modes" => Some(Modes::Supported),
            "Advertised link modes" => Some(Modes::Advertised),
            "Link partner advertised link modes" => Some(Modes::Partner),
            _ => None,
        }
    }

    /// Takes modes, `1000baseT/Full 10000baseT/Full`: the fastest counts.
    pub(super) fn offers(self, text: &str, link: &mut Negotiated) {
        let most = match self {
            Modes::Supported => &mut link.supported,
            Modes::Advertised => &mut link.advertised,
            Modes::Partner => &mut link.partner,
        };
        let mbit = |mode: &str| whole(mode.split_once("base")?.0);
        for mbit in text.split_whitespace().filter_map(mbit) {
            *most = most.max(mbit as f64 * 1e6);
        }
    }
}
