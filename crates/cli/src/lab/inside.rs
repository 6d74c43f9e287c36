//! Which connections stay inside their host: nothing of them crosses the path.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

/// The addresses that a host was seen to use.
#[derive(Debug, Default)]
pub(super) struct Inside {
    own: BTreeSet<IpAddr>,
}

impl Inside {
    /// Takes in the host's ends of connections.
    pub(super) fn learn(&mut self, locals: impl IntoIterator<Item = SocketAddr>) {
        self.own.extend(locals.into_iter().map(address));
    }

    /// Whether a connection goes from a host to itself: over the loopback interface, or between its own addresses.
    pub(super) fn has(&self, local: SocketAddr, peer: SocketAddr) -> bool {
        let [local, peer] = [local, peer].map(address);
        local.is_loopback() || peer.is_loopback() || peer == local || self.own.contains(&peer)
    }
}

/// IPv4 as such, also where a socket for both versions has it.
fn address(end: SocketAddr) -> IpAddr {
    end.ip().to_canonical()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_of_a_host_with_itself_stay_inside_it() {
        let end = |text: &str| text.parse::<SocketAddr>().expect(text);
        let mut inside = Inside::default();
        inside.learn([end("198.18.0.1:40000"), end("[2001:db8::1]:40000")]);
        for (local, peer) in [
            ("127.0.0.1:5432", "127.0.0.1:40000"),
            ("[::1]:5432", "[::1]:40000"),
            ("[::ffff:127.0.0.2]:5432", "[::ffff:127.0.0.1]:40000"),
            ("203.0.113.9:5432", "203.0.113.9:40000"),
            ("203.0.113.9:40000", "[::ffff:198.18.0.1]:5432"),
            ("[2001:db8::9]:40000", "[2001:db8::1]:5432"),
        ] {
            assert!(inside.has(end(local), end(peer)), "{local} {peer}");
        }
        assert!(!inside.has(end("198.18.0.1:40000"), end("198.18.0.2:7000")));
        assert!(!inside.has(end("[2001:db8::1]:40000"), end("[2001:db8::2]:7000")));
    }
}
