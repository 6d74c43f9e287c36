//! Port channels of switches and routers: which ports are their members, and by what they spread connections.

use super::optics::is_same;
use super::{Facts, Member, State};
use crate::interfaces::port::Port;

/// Most port channels, and most hashes, that are kept.
const KEPT_MAX: usize = 1000;

/// What texts say of port channels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Channels {
    /// Routers, and the members of a port channel of each.
    members: Vec<(String, Vec<String>)>,
    /// Routers, and what they hash, as their commands name it.
    hashes: Vec<(String, String)>,
}

impl Channels {
    /// `Members in this channel: Gi1/0/23 Gi1/0/24`.
    pub(super) fn has(&mut self, router: &str, members: Vec<String>) {
        if self.members.len() < KEPT_MAX {
            self.members.push((router.to_owned(), members));
        }
    }

    /// A router hashes by this: `dst-mac`.
    pub(super) fn hashes(&mut self, router: &str, by: &str) {
        if self.hashes.len() < KEPT_MAX {
            self.hashes.push((router.to_owned(), crate::redact(by)));
        }
    }

    /// What a router hashes, as far as a text says it.
    pub(crate) fn hash(&self, router: &str) -> Option<&str> {
        let mut last = self.hashes.iter().rev();
        let own = last.find(|(of, _)| of == router)?;
        Some(own.1.as_str())
    }
}

impl Facts {
    /// Whether two ports are members of one port channel, by what an interface lists or a summary does.
    pub(crate) fn are_of_one_channel(&self, one: &Port, other: &Port) -> bool {
        if one.router != other.router {
            return false;
        }
        let listed = |(router, members): &(String, Vec<String>)| {
            let has = |port: &Port| members.iter().any(|name| is_same(name, &port.name));
            *router == one.router && has(one) && has(other)
        };
        let carries = |m: &&Member| {
            let own = m.host.is_none() && m.device == one.router;
            own && m.state == State::Up && !m.group.is_empty()
        };
        let of = |port: &Port| {
            let mut own = self.members.iter().filter(carries);
            own.find(|m| is_same(&m.name, &port.name))
        };
        let groups = of(one).zip(of(other));
        self.channels.members.iter().any(listed) || groups.is_some_and(|(a, b)| a.group == b.group)
    }
}

/// The members in `Members in this channel: Gi1/0/23 Gi1/0/24`, of NX-OS with commas.
pub(super) fn members(text: &str) -> Option<Vec<String>> {
    let names = text.strip_prefix("Members in this channel:")?;
    let names = names.split([' ', ',']).filter(|name| !name.is_empty());
    Some(names.map(crate::redact).collect())
}

/// The heading above what IOS hashes, and what other lines of that command begin with.
pub(super) const HASHES: &str = "EtherChannel Load-Balancing Configuration:";
const PER_PROTOCOL: [&str; 4] = [
    "EtherChannel Load-Balancing Addresses Used Per-Protocol",
    "Non-IP:",
    "IPv4:",
    "IPv6:",
];

/// Whether a line says no more of that.
pub(super) fn is_per_protocol(text: &str) -> bool {
    PER_PROTOCOL.iter().any(|begin| text.starts_with(begin))
}

/// Whether a line is what IOS hashes, and nothing else: `dst-mac`, `src-dst-mixed-ip-port`.
pub(super) fn is_hash(text: &str) -> bool {
    let of = |b: u8| b.is_ascii_lowercase() || b == b'-';
    let ends = ["mac", "ip", "port"].iter().any(|end| text.ends_with(end));
    let begins = text.starts_with("src-") || text.starts_with("dst-");
    begins && ends && text.bytes().all(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(router: &str, name: &str) -> Port {
        Port {
            router: router.to_owned(),
            name: name.to_owned(),
        }
    }

    #[test]
    fn members_are_known_by_long_and_short_names() {
        let mut facts = Facts::default();
        let listed = members("Members in this channel: Gi1/0/23 Gi1/0/24").expect("a list");
        facts.channels.has("sw1", listed);
        let full = port("sw1", "GigabitEthernet1/0/24");
        let joined = |other: &Port| facts.are_of_one_channel(&full, other);
        assert!(joined(&port("sw1", "GigabitEthernet1/0/23")));
        assert!(!joined(&port("sw1", "GigabitEthernet1/0/22")));
        assert!(!joined(&port("sw2", "GigabitEthernet1/0/23")));
        let nexus = members("Members in this channel: Eth1/1, Eth1/2").expect("a list");
        assert_eq!(nexus, ["Eth1/1", "Eth1/2"]);
        assert_eq!(members("Members of the team: two"), None);
    }

    #[test]
    fn a_hash_is_a_word_alone() {
        for hash in ["dst-mac", "src-dst-ip", "src-dst-mixed-ip-port"] {
            assert!(is_hash(hash), "{hash}");
        }
        for other in ["dst-mac is bad", "dst-net", "mac", "Dst-mac"] {
            assert!(!is_hash(other), "{other}");
        }
    }
}
