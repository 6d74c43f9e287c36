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
    /// Of `10.90.4.1 dev eno1 FAILED`; none of other rows.
    pub(crate) fn of(text: &str, at: Place) -> Option<Unresolved> {
        let state = text.rsplit(' ').next()?;
        let address = text.split(' ').next()?;
        let failed = ["FAILED", "INCOMPLETE"].contains(&state);
        let is_address = address.parse::<core::net::IpAddr>().is_ok();
        (failed && is_address).then_some(())?;
        Some(Unresolved {
            address: crate::address(address),
            interface: crate::redact(after(text, " dev ")?),
            at,
        })
    }
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
        let of = |text: &str| Unresolved::of(text, Place::You).map(|n| (n.address, n.interface));
        for state in ["FAILED", "INCOMPLETE"] {
            let row = format!("10.90.4.1 dev eno1 {state}");
            let found = ("10.90.4.1".to_owned(), "eno1".to_owned());
            assert_eq!(of(&row), Some(found));
        }
        for other in [
            "10.90.4.1 dev eno1 lladdr 00:00:5e:00:53:01 REACHABLE",
            "the job FAILED",
            "10.90.4.1 FAILED",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
