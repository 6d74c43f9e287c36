//! Interfaces of tunnels, as `ip` and `ifconfig` print them.

use super::Facts;
use crate::fact::{Of, Place};
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

/// Interfaces of tunnels that are kept.
const TUNNELS_MAX: usize = 64;

/// The least MTU that is taken for one, bytes: what every host of IPv4 takes (RFC 791 §3.1).
const LEAST: f64 = 576.0;

/// Whether a name is that of a tunnel's interface of this kind: `wg0`, `wg-office`, `vxlan.100`.
pub(crate) fn is_kind(name: &str, kind: &str) -> bool {
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
}
