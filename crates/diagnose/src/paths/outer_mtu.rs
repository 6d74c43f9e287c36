//! Tunnels whose packets, with the tunnel's headers, are larger than what the interface below carries.

use std::collections::BTreeSet;

use crate::paths::unlike_mtus::Interface;
use crate::read::Facts;
use crate::read::tunnels::Tunnel;
use crate::read::wireguard::Peer;

/// Headers of a ping, IPv4 and ICMP, bytes.
const OF_PING: f64 = 28.0;

/// Most tunnels that are named.
const NAMED_MAX: usize = 4;

/// A tunnel's interface, what its headers take, and the widest interface that may be below it.
struct Overfull<'f> {
    tunnel: &'f Interface,
    headers: f64,
    below: &'f Interface,
}

/// Whether an interface may carry a tunnel: it is not one itself, and leaves the host.
fn may_carry(name: &str) -> bool {
    let tunnel = Tunnel {
        name: name.to_owned(),
        mtu: 0,
    };
    name != "lo" && tunnel.headers().is_none()
}

/// The tunnel to a peer, where no interface of its host that the texts have carries its largest packets.
fn overfull<'f>(facts: &'f Facts, peer: &Peer) -> Option<Overfull<'f>> {
    let (source, prompt) = &peer.prompt;
    // Without a name at its prompt it is of the only host of its text.
    let of_text = facts.host_sources.iter().zip(&facts.hosts);
    let names: BTreeSet<_> = of_text
        .filter(|(of, _)| *of == source)
        .map(|(_, names)| names.first())
        .collect();
    let is_alone = prompt.is_empty() && names.len() < 2;
    let is_here = |i: &&Interface| {
        let host = i.host as usize;
        let names = facts.hosts.get(host);
        let name = names.and_then(|n| n.first()).map_or("", String::as_str);
        facts.host_sources.get(host) == Some(source) && (name == prompt || is_alone)
    };
    let own: Vec<&Interface> = facts.interfaces.iter().filter(is_here).collect();
    let tunnel = own.iter().copied().rfind(|i| i.name == peer.interface)?;
    let kind = Tunnel {
        name: tunnel.name.clone(),
        mtu: tunnel.mtu as u64,
    };
    let [v4, v6] = kind.headers()?;
    let headers = match peer.by_ipv6 {
        true => v6 as f64,
        false => v4 as f64,
    };
    let carriers = own.iter().copied().filter(|i| may_carry(&i.name));
    let below = carriers.max_by(|a, b| a.mtu.total_cmp(&b.mtu))?;
    (tunnel.mtu + headers > below.mtu).then_some(Overfull {
        tunnel,
        headers,
        below,
    })
}

/// Which tunnels take packets that do not fit below them, a note each.
pub(crate) fn notes(facts: &Facts) -> Vec<String> {
    let (mut all, mut named) = (Vec::new(), BTreeSet::new());
    let found = facts.wireguard.iter();
    for (peer, of) in found.filter_map(|peer| Some((peer, overfull(facts, peer)?))) {
        let (name, mtu, fits) = (&of.tunnel.name, of.tunnel.mtu, of.below.mtu - of.headers);
        let note = format!(
            "{}: {name} takes packets of {mtu:.0} bytes, and WireGuard over {} adds {:.0}: {:.0} bytes do not fit into the MTU of {:.0} of {}. Such packets are cut in two, and where fragments are dropped they are lost: logins work, and transfers hang. Through the tunnel, ping -M do -c 3 -s {:.0} and -s {:.0} tell; where the first is lost and the second passes: ip link set dev {name} mtu {fits:.0}, at both ends",
            facts.place(peer.at),
            if peer.by_ipv6 { "IPv6" } else { "IPv4" },
            of.headers,
            mtu + of.headers,
            of.below.mtu,
            of.below.name,
            mtu - OF_PING,
            fits - OF_PING
        );
        // Peers of one interface are said once.
        if all.len() < NAMED_MAX && named.insert((&peer.prompt, &peer.interface)) {
            all.push(note);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    /// A tunnel of 1420 bytes by this endpoint, and another interface of this MTU.
    fn of(endpoint: &str, mtu: u32) -> Vec<String> {
        let text = format!(
            "root@branch:~# wg show\ninterface: wg0\n  public key: (hidden)\n  private key: (hidden)\n  listening port: 51820\n\npeer: (hidden)\n  endpoint: {endpoint}\n  allowed ips: 10.99.0.0/16\n  latest handshake: 41 seconds ago\n  transfer: 1.21 GiB received, 412.11 MiB sent\nroot@branch:~# ip link show wg0\n12: wg0: <POINTOPOINT,NOARP,UP,LOWER_UP> mtu 1420 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000\n    link/none\nroot@branch:~# ip link show ppp0\n11: ppp0: <POINTOPOINT,MULTICAST,NOARP,UP,LOWER_UP> mtu {mtu} qdisc fq_codel state UNKNOWN mode DEFAULT group default qlen 3\n    link/ppp\n"
        );
        let source = Source {
            name: "b.txt".to_owned(),
            bytes: text.into_bytes(),
        };
        notes(&read(&[source]))
    }

    /// 1420 and 80 are 1500; over IPv4 they are 1480.
    #[test]
    fn packets_of_a_tunnel_that_do_not_fit_below_it_are_said() {
        let said = of("[2001:db8:77::1]:51820", 1492).join("\n");
        for part in [
            "1500 bytes do not fit",
            "-s 1392 and -s 1384",
            "wg0 mtu 1412",
        ] {
            assert!(said.contains(part), "{said}");
        }
        for (endpoint, mtu) in [
            ("192.0.2.77:51820", 1492),
            ("[2001:db8:77::1]:51820", 1500),
            ("(none)", 1492),
        ] {
            assert!(of(endpoint, mtu).is_empty(), "{endpoint} {mtu}");
        }
    }
}
