//! What a router or switch spreads connections by over a group of links, where that leaves ports out.

use crate::read::Facts;

/// The hash of a router, as its commands name it, where it has no ports in it; none where no text says it.
pub(super) fn narrow<'f>(router: &str, facts: &'f Facts) -> Option<&'f str> {
    let hash = facts.channels.hash(router);
    hash.filter(|hash| !hash.contains("port"))
}

/// A hash that has ports in it, as IOS and NX-OS have it.
pub(super) fn wider(router: &str, hash: &str) -> String {
    format!(
        "{}port-channel load-balance src-dst-mixed-ip-port in place of {hash}; src-dst-port or src-dst-ip where a switch of IOS has not that one, src-dst ip-l4port of NX-OS",
        at(router)
    )
}

/// The hash that it has now.
pub(super) fn set(router: &str, hash: &str) -> String {
    format!("{}port-channel load-balance {hash}", at(router))
}

/// What more connections give by this hash.
pub(super) fn no_more(hash: &str) -> String {
    format!(
        "several connections side by side, such as iperf3 -P 8, once the hash has ports in it: by {hash} all of them between two hosts are on one member"
    )
}

fn at(router: &str) -> String {
    match router {
        "" => String::new(),
        router => format!("on {router}: "),
    }
}
