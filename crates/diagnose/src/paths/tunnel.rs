//! Interfaces of tunnels: which of them a flow goes through, and what their headers take of a packet.

use core::net::IpAddr;

use crate::flows::flow::Flow;
use crate::interfaces::passed::Owner;
use crate::read::Facts;
use crate::read::tunnels::{Tunnel, is_kind};

/// What headers of a tunnel take of a packet over IPv4 and over IPv6, bytes, where no setting changes it: WireGuard's own 32 (its protocol
/// page) with UDP and IP; those of GRE (RFC 2784); one of IP alone; those of VXLAN with the Ethernet within (RFC 7348).
const HEADERS: [(&str, [u64; 2]); 5] = [
    ("wg", [60, 80]),
    ("gre", [24, 44]),
    ("ipip", [20, 40]),
    ("tunl", [20, 40]),
    ("vxlan", [50, 70]),
];

impl Tunnel {
    /// What its headers take over IPv4 and over IPv6, bytes, where its kind says that.
    pub(crate) fn headers(&self) -> Option<[u64; 2]> {
        let mut all = HEADERS.iter();
        let own = all.find(|(kind, _)| is_kind(&self.name, kind));
        own.map(|(_, bytes)| *bytes)
    }

    /// Whether its interface is WireGuard's, by its name.
    pub(crate) fn is_wireguard(&self) -> bool {
        is_kind(&self.name, "wg")
    }

    /// Whether its interface is one of macOS, by its name.
    pub(crate) fn is_utun(&self) -> bool {
        is_kind(&self.name, "utun")
    }
}

/// The tunnel that a flow goes through, where texts say that: a route to an end, or the address of one, is of its interface. Or no route says
/// another, and its MTU lies between the size that `passes` and the one that is `lost`, or is above both and no other interface is printed.
pub(crate) fn of_flow<'f>(
    facts: &'f Facts,
    flow: &Flow,
    [passes, lost]: [f64; 2],
) -> Option<&'f Tunnel> {
    let pinged = flow.pings.target(facts);
    let ends = [flow.from.host.as_str(), flow.to.host.as_str()];
    let ends = ends.into_iter().chain(pinged);
    let ends: Vec<IpAddr> = ends.filter_map(|end| end.parse().ok()).collect();
    let is_of = |owner: &&Owner| ends.contains(&owner.to.unwrap_or(owner.address));
    let owners: Vec<&Owner> = facts.owners.iter().filter(is_of).collect();
    let has = |tunnel: &&Tunnel| owners.iter().any(|o| o.interface == tunnel.name);
    if let Some(tunnel) = facts.tunnels.iter().find(has) {
        return Some(tunnel);
    }
    if owners.iter().any(|o| o.to.is_some()) {
        return None;
    }
    let between = |t: &&Tunnel| t.mtu as f64 >= passes && t.mtu as f64 <= lost;
    let alone = |t: &&Tunnel| {
        let mut others = facts.interfaces.iter().filter(|i| i.name != t.name);
        t.mtu as f64 >= passes && facts.tunnels.len() == 1 && others.next().is_none()
    };
    let tunnels = &facts.tunnels;
    let first = tunnels.iter().find(between);
    first.or_else(|| tunnels.iter().find(alone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_of_a_kind() {
        let of = |name: &str| {
            let tunnel = Tunnel {
                name: name.to_owned(),
                mtu: 1420,
            };
            tunnel.headers()
        };
        assert_eq!(of("wg0"), Some([60, 80]));
        assert_eq!(of("gre1"), Some([24, 44]));
        // What a cipher takes is a setting.
        assert_eq!(of("tun0"), None);
        assert_eq!(of("gretap1"), None);
    }
}
