//! `wg show`: over which version of IP a tunnel of WireGuard goes.

use super::tunnels::is_kind;
use super::{Facts, Line, Tool};

/// A tunnel of WireGuard, and how it reaches a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// The source, and the name at its prompt, which may be empty.
    pub(crate) prompt: (u32, String),
    /// Its interface.
    pub(crate) interface: String,
    /// Whether the peer's outer address is of IPv6.
    pub(crate) by_ipv6: bool,
    /// Where that was read.
    pub(crate) at: crate::fact::Place,
}

/// Most peers that are kept.
const PEERS_MAX: usize = 1000;

/// What else stands of an interface and of a peer.
const OTHERS: [&str; 10] = [
    "public key",
    "private key",
    "preshared key",
    "listening port",
    "fwmark",
    "peer",
    "allowed ips",
    "latest handshake",
    "transfer",
    "persistent keepalive",
];

/// The state of reading.
#[derive(Default)]
pub(super) struct WireGuard {
    /// The interface of the lines that follow.
    interface: String,
    /// The source, and the name at its prompt.
    prompt: (u32, String),
}

impl Tool for WireGuard {
    fn name(&self) -> &'static str {
        "wg"
    }

    /// `interface: wg0`, and below it `endpoint: [2001:db8::1]:51820` of each peer; one that is not known yet is `(none)`.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let Some((key, value)) = line.bare.split_once(": ") else {
            return false;
        };
        if key == "interface" && is_kind(value, "wg") {
            value.clone_into(&mut self.interface);
            self.prompt = facts.prompt();
            return true;
        }
        if !going || self.interface.is_empty() {
            return false;
        }
        if key == "endpoint" {
            if value != "(none)" && facts.wireguard.len() < PEERS_MAX {
                let peer = Peer {
                    prompt: self.prompt.clone(),
                    interface: crate::redact(&self.interface),
                    by_ipv6: value.starts_with('['),
                    at: line.at,
                };
                facts.wireguard.push(peer);
            }
            return true;
        }
        OTHERS.contains(&key)
    }
}
