//! A neighbour whose hardware address a host did not find: what goes to it never leaves the host's own network.

use crate::asking::Asking;
use crate::document::MissingFact;
use crate::fact::Place;
use crate::read::Facts;
use crate::words::after;

/// A row of `ip neigh` that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unresolved {
    /// The neighbour.
    address: String,
    interface: String,
    /// Where it was read.
    at: Place,
}

impl Unresolved {
    /// Of `10.90.4.1 dev eno1 FAILED`, and of `10.90.4.1 FAILED` below a command that names the interface; none of other rows.
    pub(crate) fn of(text: &str, asked: &str, at: Place) -> Option<Unresolved> {
        if let Some((address, interface)) = incomplete(text) {
            return Some(Unresolved {
                address: crate::address(address),
                interface: crate::redact(interface),
                at,
            });
        }
        let state = text.rsplit(' ').next()?;
        let address = text.split(' ').next()?;
        let failed = ["FAILED", "INCOMPLETE"].contains(&state);
        let is_address = address.parse::<core::net::IpAddr>().is_ok();
        (failed && is_address).then_some(())?;
        let bare = text.split_whitespace().count() == 2 && !asked.is_empty();
        let interface = after(text, " dev ").or_else(|| bare.then_some(asked))?;
        Some(Unresolved {
            address: crate::address(address),
            interface: crate::redact(interface),
            at,
        })
    }
}

/// The interface of which `ip neigh show dev eth0` asks, empty where a command for neighbours names none; none of other lines.
pub(crate) fn asked(text: &str) -> Option<String> {
    let is_one = text.contains("ip neigh") || text.contains("ip n ");
    let typed = is_one && text.len() < 200;
    typed.then(|| after(text, " dev ").unwrap_or("").to_owned())
}

/// Address and interface of a row of `arp` without a hardware address: `10.0.0.1  (incomplete)  eth0`, `? (10.0.0.1) at <incomplete> on eth0`,
/// and `Internet  10.0.0.1  0  Incomplete  ARPA` of IOS, which names no interface.
fn incomplete(text: &str) -> Option<(&str, &str)> {
    let words: Vec<&str> = text.split_whitespace().take(8).collect();
    let found = match words[..] {
        [address, "(incomplete)", .., interface] => (address, interface),
        [
            _,
            address,
            "at",
            "<incomplete>" | "(incomplete)",
            "on",
            interface,
            ..,
        ] => (address.strip_prefix('(')?.strip_suffix(')')?, interface),
        ["Internet", address, _, "Incomplete", "ARPA", ..] => (address, "INTERFACE"),
        _ => return None,
    };
    found.0.parse::<core::net::IpAddr>().ok()?;
    Some(found)
}

/// What is asked of a host that does not find a neighbour: where `ip neigh` says so of whom was pinged, or the host itself answered its pings.
pub(crate) fn asks(facts: &Facts, asking: &Asking) -> Option<MissingFact> {
    let refused = &facts.refused;
    let by = refused.unreachable.as_deref().unwrap_or("");
    let own = facts.prompts.owns.iter().any(|(_, address)| address == by);
    let failed = refused.unresolved.as_ref();
    let failed = failed.filter(|n| own || n.address == asking.host);
    if !own && failed.is_none() {
        return None;
    }
    let (address, interface) = match failed {
        Some(failed) => (failed.address.as_str(), failed.interface.as_str()),
        None => ("GATEWAY", "INTERFACE"),
    };
    let why = match failed {
        Some(failed) => format!(
            "the own host found no hardware address of {address} (ip neigh, {})",
            facts.place(failed.at)
        ),
        None => format!(
            "{by}, which is the own host, says that it found no hardware address of the next hop"
        ),
    };
    Some(MissingFact {
        fact: "reachable",
        would_decide: format!(
            "why nothing answers: {why}. Nothing in its own network answers ARP or ND for that: another VLAN at the port of the switch, a filter there, or a neighbour that is off or has another address"
        ),
        command: format!(
            "on that host: arping -c 3 -I {interface} {address}; tcpdump -eni {interface} -c 20: which VLANs and neighbours are heard; ip -d link show {interface}. On the switch: the VLAN of its port, and the table of MAC addresses"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_neighbours_without_an_address_are_known() {
        let below = |text: &str, asked: &str| {
            Unresolved::of(text, asked, Place::You).map(|n| (n.address, n.interface))
        };
        let of = |text: &str| below(text, "");
        for state in ["FAILED", "INCOMPLETE"] {
            let row = format!("10.90.4.1 dev eno1 {state}");
            let found = ("10.90.4.1".to_owned(), "eno1".to_owned());
            assert_eq!(of(&row), Some(found));
        }
        let found = Some(("10.90.4.1".to_owned(), "eno1".to_owned()));
        assert_eq!(below("10.90.4.1 FAILED", "eno1"), found);
        assert_eq!(asked("# ip neigh show dev eno1"), Some("eno1".to_owned()));
        for row in [
            "10.90.4.1                (incomplete)                  eno1",
            "? (10.90.4.1) at <incomplete> on eno1",
        ] {
            assert_eq!(of(row), found, "{row}");
        }
        for other in [
            "10.90.4.1 dev eno1 lladdr 00:00:5e:00:53:01 REACHABLE",
            "the job FAILED",
            "10.90.4.1 FAILED",
            "Internet  10.90.4.1  3  0000.5e00.5301  ARPA  Vlan4",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
