//! A static route, as the text of any language states it.

use core::net::Ipv4Addr;

use crate::source::Place;

/// A static route.
pub(crate) struct Route {
    /// Where it goes to, as an address and its length; `None` where that is not read.
    pub(crate) to: Option<(Ipv4Addr, u8)>,
    /// The next hop, and where it is stated.
    pub(crate) hop: (Ipv4Addr, Place),
}
