//! How a host's interface runs, and lists of link modes that ethtool prints: what it can do, what it offers, and what its partner does.

use crate::fact::Place;
use crate::words::whole;

/// What an interface of a host says of its duplex.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Duplexed {
    /// The host.
    pub(crate) host: u32,
    /// The interface, empty where it was not printed.
    pub(crate) name: String,
    /// Whether it is at half duplex.
    pub(crate) half: bool,
    /// Where that was read.
    pub(crate) at: Place,
}

/// What a host says of one of its interfaces.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Negotiated {
    /// Its name; empty where it is not known.
    pub(crate) name: String,
    /// The fastest mode that it can run in, bit/s; 0 where nothing says it, as below.
    pub(crate) supported: f64,
    /// The fastest that it offers its partner.
    pub(crate) advertised: f64,
    /// The fastest that its partner, the port at the other end of its cable, offers.
    pub(crate) partner: f64,
    /// Whether it negotiates; false where its speed is set.
    pub(crate) automatic: Option<bool>,
    /// Where its speed was read.
    pub(crate) at: Option<Place>,
}

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
