//! Which interface has which address, and by which one a route leaves: `ip route get`, `ip route`, `ip -br addr`.

use core::net::IpAddr;

use super::{Facts, Line, Tool};
use crate::words::{after, whole};

/// The reader: what the kernel keeps of a route stands in the line below it.
pub(super) struct Routed;

impl Tool for Routed {
    fn name(&self) -> &'static str {
        "ip"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((to, interface, own)) = route(text) {
            facts.owned(interface, own, Some(to));
            facts.routes_by(text, line.at);
            return true;
        }
        if let Some(row) = row(text) {
            facts.routes_by(text, line.at);
            if let Some(own) = row.own {
                facts.owned(row.interface, own, None);
            }
            if let Some(metric) = row.default {
                facts.leaves_by_default(row.interface, metric);
            }
            if let Some(gateway) = after(text, " via ").filter(|_| text.starts_with("default ")) {
                facts.routes_through(gateway);
            }
            return true;
        }
        if let Some((interface, addresses)) = brief(text) {
            for own in addresses.into_iter().filter(|a| !a.is_loopback()) {
                facts.owns(&own.to_string());
                facts.owned(interface, own, None);
            }
            return true;
        }
        // What the kernel keeps of a route: `cache expires 590sec mtu 1400`.
        let keeps = going && (text == "cache" || text.starts_with("cache "));
        if keeps {
            facts.route_keeps(text, line.at);
        }
        keeps
    }
}

/// Whether a line is one of these.
pub(super) fn begins(text: &str) -> bool {
    route(text).is_some() || row(text).is_some() || brief(text).is_some()
}

/// A row of a table of routes.
#[derive(Debug, PartialEq)]
struct Row<'t> {
    interface: &'t str,
    /// The own address that packets have by it, where it names one.
    own: Option<IpAddr>,
    /// The metric of a default route of IPv4.
    default: Option<u64>,
}

/// `default via 10.1.0.1 dev eno1 proto dhcp metric 100`, `10.1.0.0/24 dev eno1 proto kernel scope link src 10.1.0.2 metric 100`.
fn row(text: &str) -> Option<Row<'_>> {
    let to = text.split_whitespace().next()?;
    let is_prefix = || {
        let (address, bits) = to.split_once('/')?;
        address.parse::<IpAddr>().ok()?;
        bits.parse::<u8>().ok()
    };
    // A route to one host has no bits.
    let is_host = || to.parse::<IpAddr>().is_ok() && text.contains(" via ");
    let default = to == "default";
    if !default && !is_host() && is_prefix().is_none() {
        return None;
    }
    let interface = after(text, " dev ")?;
    let via = after(text, " via ");
    let more = via.is_some() || text.contains(" proto ") || text.contains(" scope ");
    let old = via.is_some_and(|via| !via.contains(':')) || via.is_none();
    let metric = after(text, " metric ").map_or(Some(0), whole);
    more.then(|| Row {
        interface,
        own: after(text, " src ").and_then(|own| own.parse().ok()),
        default: metric.filter(|_| default && old),
    })
}

/// `192.0.2.9 via 10.1.0.1 dev eno1 src 10.1.0.2 uid 1000`: where the route goes, the interface, and the own address.
fn route(text: &str) -> Option<(IpAddr, &str, IpAddr)> {
    let to: IpAddr = text.split_whitespace().next()?.parse().ok()?;
    let interface = after(text, " dev ")?;
    let own = after(text, " src ").or_else(|| after(text, " from "))?;
    Some((to, interface, own.parse().ok()?))
}

/// `eno1   UP   10.1.0.2/24 fe80::1/64`: the interface and its addresses.
fn brief(text: &str) -> Option<(&str, Vec<IpAddr>)> {
    let mut words = text.split_whitespace();
    let interface = words.next()?;
    let state = words.next()?;
    if !["UP", "DOWN", "UNKNOWN"].contains(&state) {
        return None;
    }
    let address = |word: &str| -> Option<IpAddr> {
        let (address, bits) = word.split_once('/')?;
        bits.parse::<u8>().ok()?;
        address.parse().ok()
    };
    let rest: Vec<&str> = words.collect();
    let all: Vec<IpAddr> = rest.iter().filter_map(|word| address(word)).collect();
    // An address may have a metric: `10.1.0.2/24 metric 100`. An interface need not have an address.
    let is_name = interface.bytes().any(|b| b.is_ascii_digit());
    let known = match rest.is_empty() {
        true => is_name,
        false => !all.is_empty(),
    };
    known.then_some((interface, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn a_route_names_its_interface_and_the_own_address() {
        for text in [
            "192.0.2.9 via 10.1.0.1 dev eno1 src 10.1.0.2 uid 1000",
            "192.0.2.9 dev eno1 src 10.1.0.2 uid 0",
            "192.0.2.9 from 10.1.0.2 via 10.1.0.1 dev eno1 uid 0",
        ] {
            assert_eq!(
                route(text),
                Some((of("192.0.2.9"), "eno1", of("10.1.0.2"))),
                "{text}"
            );
        }
        let six = "2001:db8::2 from :: via fe80::1 dev eth0 proto ra src 2001:db8::1 metric 100";
        assert_eq!(
            route(six),
            Some((of("2001:db8::2"), "eth0", of("2001:db8::1")))
        );
        assert_eq!(route("10.1.0.0/24 dev eno1 proto kernel scope link"), None);
        assert_eq!(route("default via 10.1.0.1 dev eno1"), None);
        assert_eq!(route("64 bytes from 192.0.2.9: icmp_seq=1 ttl=57"), None);
    }

    #[test]
    fn a_row_of_a_table_names_an_address_or_the_default_route() {
        let own = Some(of("10.1.0.2"));
        let row_of = |own, default| {
            Some(Row {
                interface: "eno1",
                own,
                default,
            })
        };
        for (text, row) in [
            (
                "default via 10.1.0.1 dev eno1 proto dhcp src 10.1.0.2 metric 100",
                row_of(own, Some(100)),
            ),
            ("default via 10.1.0.1 dev eno1", row_of(None, Some(0))),
            ("default via fe80::1 dev eno1 proto ra", row_of(None, None)),
            (
                "10.1.0.0/24 dev eno1 proto kernel scope link src 10.1.0.2 metric 100",
                row_of(own, None),
            ),
            (
                "192.0.2.9 via 10.1.0.1 dev eno1 mtu 1400",
                row_of(None, None),
            ),
            ("default dev eno1 as ever", None),
            ("10.1.0.0/24 is what dev eno1 has", None),
        ] {
            assert_eq!(super::row(text), row, "{text}");
        }
    }

    #[test]
    fn a_brief_line_has_the_addresses_of_an_interface() {
        let text = "eno1             UP             10.1.0.2/24 metric 100 fe80::1/64";
        let (name, all) = brief(text).expect("it is one");
        assert_eq!(name, "eno1");
        assert_eq!(all, [of("10.1.0.2"), of("fe80::1")]);
        assert_eq!(brief("eno2 DOWN"), Some(("eno2", Vec::new())));
        assert_eq!(brief("everything UP again"), None);
        assert_eq!(brief("eno1 UP 52:54:00:12:34:56 <BROADCAST>"), None);
    }
}
