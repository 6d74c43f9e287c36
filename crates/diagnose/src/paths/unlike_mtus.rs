//! Interfaces of two hosts that have unlike MTUs: in one subnet nobody reports a packet that is too large for the other.

use core::net::IpAddr;

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::Flow;
use crate::hosts::tally::HOSTS_MAX;
use crate::items::Item;
use crate::read::Facts;

/// An interface of a host that is not down, as `ip` and `ifconfig` print it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Interface {
    /// The host.
    pub(crate) host: u32,
    /// Its name.
    pub(crate) name: String,
    /// The largest packet that it sends, bytes.
    pub(crate) mtu: f64,
    /// Its addresses, each with the number of bits that its subnet has.
    addresses: Vec<(IpAddr, u8)>,
}

/// Two interfaces of unlike MTUs, each for people, the one with the larger first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unlike {
    names: [String; 2],
    mtus: [f64; 2],
    /// Whether they are known to be in one subnet.
    subnet: bool,
}

/// Of more interfaces than this nobody knows which are of a flow.
const INTERFACES_MAX: usize = 512;

/// The network part of an address with so many bits; none of addresses that every link has again.
fn network((address, bits): (IpAddr, u8)) -> Option<u128> {
    let (value, width, own): (u128, u8, bool) = match address {
        IpAddr::V4(a) => (u128::from(u32::from(a)), 32, !a.is_link_local()),
        IpAddr::V6(a) => (u128::from(a), 128, a.segments()[0] & 0xffc0 != 0xfe80),
    };
    let rest = u32::from(width.checked_sub(bits)?);
    (own && bits > 0).then(|| value.checked_shr(rest).unwrap_or(0))
}

impl Interface {
    /// Whether both have an address of one subnet, and none is of both: bridges within hosts have the same everywhere.
    fn shares_subnet(&self, other: &Interface) -> bool {
        let mut shared = false;
        for own in &self.addresses {
            for its in &other.addresses {
                if own.0 == its.0 {
                    return false;
                }
                let alike = own.0.is_ipv4() == its.0.is_ipv4() && own.1 == its.1;
                let known = network(*own).is_some();
                shared |= alike && known && network(*own) == network(*its);
            }
        }
        shared
    }

    /// Whether it has this address.
    fn has(&self, address: Option<IpAddr>) -> bool {
        self.addresses.iter().any(|(own, _)| Some(*own) == address)
    }
}

impl Facts {
    /// Adds an interface of a host.
    pub(crate) fn interface(&mut self, of: Of, name: &str, mtu: f64) {
        if let Of::Host(host) = of {
            self.interfaces.push(Interface {
                host,
                name: crate::redact(name),
                mtu,
                addresses: Vec::new(),
            });
        }
    }

    /// Adds an address to the interface that was read last, if it is this one.
    pub(crate) fn addressed(&mut self, of: Of, name: &str, address: (IpAddr, u8)) {
        let name = crate::redact(name);
        let is_it = |i: &&mut Interface| Of::Host(i.host) == of && i.name == name;
        if let Some(interface) = self.interfaces.last_mut().filter(is_it) {
            interface.addresses.push(address);
        }
    }
}

/// The first two of these for which this holds.
fn find<'f>(
    all: &[&'f Interface],
    holds: impl Fn(&Interface, &Interface) -> bool,
) -> Option<[&'f Interface; 2]> {
    for a in all.iter().copied() {
        let mut others = all.iter().copied();
        if let Some(b) = others.find(|b| holds(a, b)) {
            return Some([a, b]);
        }
    }
    None
}

/// The interfaces by which the flow's ends may reach each other, and whether that is known: those with their addresses, or in one subnet.
fn pair<'f>(facts: &'f Facts, flow: &Flow) -> Option<([&'f Interface; 2], bool)> {
    let hosts = flow.senders.len() + flow.receivers.len();
    if facts.interfaces.len() > INTERFACES_MAX || hosts > 2 * HOSTS_MAX {
        return None;
    }
    let of_flow = |i: &&Interface| {
        let host = &i.host;
        flow.senders.contains(host) || flow.receivers.contains(host)
    };
    let all: Vec<&Interface> = facts.interfaces.iter().filter(of_flow).collect();
    let with = |host: &str| {
        let address = host.parse::<IpAddr>().ok();
        all.iter().copied().rfind(|i| i.has(address))
    };
    if let (Some(from), Some(to)) = (with(&flow.from.host), with(&flow.to.host)) {
        return from.shares_subnet(to).then_some(([from, to], true));
    }
    let unlike =
        |a: &Interface, b: &Interface| a.mtu > b.mtu && flow.are_apart(facts, a.host, b.host);
    if let Some(two) = find(&all, |a, b| unlike(a, b) && a.shares_subnet(b)) {
        return Some((two, true));
    }
    // Without addresses the only interfaces of both ends are those of the flow.
    let bare = all.iter().all(|i| i.addresses.is_empty());
    let alone = |one: &Interface| {
        let end = flow.end_of(one.host);
        let mut own = all.iter().filter(|i| flow.end_of(i.host) == end);
        end.is_some() && own.all(|i| i.mtu == one.mtu)
    };
    let two = find(&all, |a, b| unlike(a, b) && alone(a) && alone(b))?;
    bare.then_some((two, false))
}

impl Evidence {
    /// Interfaces of both ends with unlike MTUs.
    pub(crate) fn of_unlike_mtus(&mut self, facts: &Facts, flow: &Flow) {
        let Some((mut two, subnet)) = pair(facts, flow) else {
            return;
        };
        if two[0].mtu < two[1].mtu {
            two.reverse();
        }
        let host = |n: u32| {
            let named = facts.hosts.get(n as usize).and_then(|names| names.first());
            let called = || flow.host_called(facts, n, "one of the hosts");
            named.cloned().unwrap_or_else(called)
        };
        self.around.unlike_mtus = (two[0].mtu > two[1].mtu).then(|| Unlike {
            names: two.map(|i| format!("{} of {}", i.name, host(i.host))),
            mtus: two.map(|i| i.mtu),
            subnet,
        });
    }

    /// Whether something hangs, or what is large is lost.
    fn loses_what_is_large(&self) -> bool {
        let hangs = self.hangs_unexplained() || self.exceeded_mtu().is_some();
        self.large_lost.is_some() || hangs || self.swallowed.is_some()
    }

    /// That the MTUs of both ends differ, for people; where they need not be in one subnet, beside what hangs alone.
    pub(crate) fn unlike_mtus_in_words(&self) -> Option<String> {
        let unlike = self.around.unlike_mtus.as_ref();
        let unlike = unlike.filter(|u| u.subnet || self.loses_what_is_large())?;
        let ([larger, smaller], [most, least]) = (&unlike.names, unlike.mtus);
        let why = match unlike.subnet {
            true => {
                "in the same subnet: its hosts need the same, as a packet that is too large is lost there without a report"
            }
            false => {
                "the other end: within one subnet both need the same, and elsewhere a router between them has to report what is too large"
            }
        };
        Some(format!(
            "{larger} has an MTU of {most:.0} bytes, and {smaller} one of {least:.0}, {why}"
        ))
    }
}

/// Unlike MTUs speak for a hole where something is lost in it.
pub(crate) fn by_unlike_mtus(e: &Evidence, items: &mut Vec<Item>) {
    let weight = match e.loses_what_is_large() {
        true => vec![(Cause::MtuBlackHole, 6.0)],
        false => Vec::new(),
    };
    items.extend(e.unlike_mtus_in_words().map(|sentence| Item {
        holds: 1.0,
        weights: weight,
        sentence,
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subnet_is_what_both_addresses_begin_with() {
        let with = |address: &str, bits: u8| Interface {
            host: 0,
            name: "eth0".to_owned(),
            mtu: 1500.0,
            addresses: vec![(address.parse().expect("an address"), bits)],
        };
        let shares = |a: (&str, u8), b: (&str, u8)| with(a.0, a.1).shares_subnet(&with(b.0, b.1));
        assert!(shares(("10.9.0.20", 24), ("10.9.0.55", 24)));
        assert!(shares(("2001:db8::1", 64), ("2001:db8::2", 64)));
        assert!(!shares(("10.9.0.20", 24), ("10.9.1.55", 24)));
        assert!(!shares(("10.9.0.20", 24), ("10.9.0.55", 16)));
        // A bridge within a host, and what every link has.
        assert!(!shares(("172.17.0.1", 16), ("172.17.0.1", 16)));
        assert!(!shares(("fe80::1", 64), ("fe80::2", 64)));
        assert!(!shares(("10.9.0.20", 0), ("192.0.2.1", 0)));
    }
}
