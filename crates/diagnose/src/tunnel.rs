//! Interfaces of tunnels: which of them a flow goes through, and what their headers take of a packet.

use core::net::IpAddr;

use crate::fact::{Of, Place};
use crate::flow::Flow;
use crate::passed::Owner;
use crate::read::Facts;
use crate::words::{after, decimal};

/// An interface of a tunnel, as `ip` and `ifconfig` print it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tunnel {
    /// Its name.
    pub(crate) name: String,
    /// The largest packet that it takes, bytes.
    pub(crate) mtu: u64,
}

/// The head of what is printed of such an interface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Head<'t> {
    name: &'t str,
    mtu: f64,
    /// Whether its flags say that there is one other end.
    pub(crate) point_to_point: bool,
}

/// What Linux, the BSDs and programs call interfaces of tunnels, before a number or a name of one's own.
const NAMES: [&str; 16] = [
    "wg", "tun", "utun", "tap", "gre", "gretap", "gif", "tunl", "ipip", "ip6tnl", "sit", "vti",
    "xfrm", "ipsec", "vxlan", "geneve",
];

/// What headers of a tunnel take of a packet over IPv4 and over IPv6, bytes, where no setting changes it: WireGuard's own 32 (its protocol
/// page) with UDP and IP; those of GRE (RFC 2784); one of IP alone; those of VXLAN with the Ethernet within (RFC 7348).
const HEADERS: [(&str, [u64; 2]); 5] = [
    ("wg", [60, 80]),
    ("gre", [24, 44]),
    ("ipip", [20, 40]),
    ("tunl", [20, 40]),
    ("vxlan", [50, 70]),
];

/// Interfaces of tunnels that are kept.
const TUNNELS_MAX: usize = 64;

/// The least MTU that is taken for one, bytes: what every host of IPv4 takes (RFC 791 §3.1).
const LEAST: f64 = 576.0;

/// Whether a name is that of a tunnel's interface of this kind: `wg0`, `wg-office`, `vxlan.100`.
fn is_kind(name: &str, kind: &str) -> bool {
    let rest = name.strip_prefix(kind);
    rest.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.' | '_'))
    })
}

/// The head of a tunnel's interface: `7: wg0: <POINTOPOINT,NOARP,UP> mtu 1420`, `utun4: flags=8051<UP,POINTOPOINT> mtu 1380`,
/// `9: vxlan7: <BROADCAST,MULTICAST,UP> mtu 1450`.
pub(crate) fn head(text: &str) -> Option<Head<'_>> {
    let (before, rest) = text.split_once('<')?;
    let mut flags = rest.split_once('>')?.0.split(',');
    let point_to_point = flags.clone().any(|flag| flag == "POINTOPOINT");
    let up = flags.any(|flag| flag == "UP");
    let named = match before.split_once(": flags=") {
        Some((name, _)) => name,
        None => before.trim_end_matches([':', ' ']).rsplit(": ").next()?,
    };
    let name = named.split('@').next()?;
    let is_one = point_to_point || up && NAMES.iter().any(|kind| is_kind(name, kind));
    let mtu = after(text, " mtu ").and_then(decimal)?;
    (is_one && mtu >= LEAST).then_some(Head {
        name,
        mtu,
        point_to_point,
    })
}

impl Facts {
    /// Adds the interface of a tunnel.
    pub(crate) fn tunnel(&mut self, head: &Head<'_>, at: Place) {
        if head.point_to_point {
            self.exact(Of::Path, "mtu_tunnel_bytes", head.mtu, at);
        }
        if self.tunnels.len() < TUNNELS_MAX {
            self.tunnels.push(Tunnel {
                name: crate::redact(head.name),
                mtu: head.mtu as u64,
            });
        }
    }
}

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
/// another, and its MTU lies between the size that `passes` and the one that is `lost`.
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
    facts.tunnels.iter().find(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_tunnels_are_known_by_flags_or_names() {
        for (text, name, mtu) in [
            (
                "7: wg0: <POINTOPOINT,NOARP,UP,LOWER_UP> mtu 1420 qdisc noqueue state UNKNOWN",
                "wg0",
                1420.0,
            ),
            (
                "utun4: flags=8051<UP,POINTOPOINT,RUNNING,MULTICAST> mtu 1380",
                "utun4",
                1380.0,
            ),
            (
                "9: vxlan7: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UNKNOWN",
                "vxlan7",
                1450.0,
            ),
            (
                "5: ipsec0@NONE: <NOARP,UP,LOWER_UP> mtu 1400 qdisc noqueue state UNKNOWN",
                "ipsec0",
                1400.0,
            ),
        ] {
            let found = head(text).expect("it is one");
            assert_eq!((found.name, found.mtu), (name, mtu));
        }
        for text in [
            "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP",
            "4: gre0@NONE: <NOARP> mtu 1476 qdisc noop state DOWN",
            "6: greenlan: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP",
        ] {
            assert_eq!(head(text), None, "{text}");
        }
    }

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
