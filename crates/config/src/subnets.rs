//! Addresses that are there twice (NET004), and subnets of one device that overlap (NET005).

use core::net::Ipv4Addr;
use std::collections::BTreeMap;

use crate::finding::{Finding, Severity};
use crate::junos::model::Router;
use crate::mask::bits;
use crate::qos::Device;
use crate::report::Report;
use crate::rules::{NET004, NET005};
use crate::source::{Place, Source};

/// Interfaces whose addresses other devices may have, too: loopbacks, gateways of subnets that several devices have, management.
const SHARED: [&str; 11] = [
    "Loopback", "lo", "Vlan", "irb", "vlan", "BVI", "Virtual", "mgmt", "Mgmt", "fxp", "em",
];

/// An address of an interface that is up.
struct At<'a> {
    device: &'a str,
    interface: String,
    /// The routing table; the device's own is empty.
    table: &'a str,
    net: (Ipv4Addr, u8),
    place: &'a Place,
}

impl At<'_> {
    /// The subnet of this length that it is in.
    fn within(&self, length: u8) -> (u32, u8) {
        (self.net.0.to_bits() & bits(length), length)
    }
}

/// Checks every router and switch by itself, and the addresses of all together.
pub(crate) fn check(sources: &[Source], report: &mut Report) {
    let mut found = Vec::new();
    let mut all: Vec<Vec<At<'_>>> = Vec::new();
    for router in &report.routers {
        // Which instance an interface is in is not read.
        let text = &sources[router.place.file].text;
        if !text.contains("routing-instances") {
            all.push(of_junos(router));
        }
    }
    all.extend(report.devices.iter().map(of_ios));
    for own in &all {
        found.extend(overlapping(own));
    }
    found.extend(of_several(&all));
    report.findings.extend(found);
}

fn of_junos(router: &Router) -> Vec<At<'_>> {
    let ports = router.interfaces.iter().filter(|i| i.off.is_none());
    let units = ports.flat_map(|i| i.units.iter().map(move |u| (i, u)));
    let up = units.filter(|(_, u)| u.off.is_none());
    let device = router.name.as_str();
    let all = up.flat_map(move |(i, u)| {
        u.addresses.iter().map(move |a| At {
            device,
            interface: format!("{}.{}", i.name, u.number),
            table: "",
            net: a.value,
            place: &a.place,
        })
    });
    all.collect()
}

fn of_ios(switch: &Device) -> Vec<At<'_>> {
    let device = switch.name.as_deref().unwrap_or_default();
    let up = switch.interfaces.iter().filter(|i| !i.shutdown);
    let all = up.flat_map(move |i| {
        i.addresses.iter().map(move |a| At {
            device,
            interface: i.name.clone(),
            table: i.vrf.as_ref().map_or("", |v| v.value.as_str()),
            net: a.value,
            place: &a.place,
        })
    });
    all.collect()
}

/// NET004 and NET005, of one device: each address is held against the larger subnets, and the equal ones before it.
fn overlapping(own: &[At<'_>]) -> Vec<Finding> {
    let mut sorted: Vec<&At<'_>> = own.iter().filter(|a| a.net.1 > 0).collect();
    sorted.sort_by_key(|a| a.net.1);
    let mut seen: BTreeMap<(&str, (u32, u8)), &At<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    for at in sorted {
        let key = |length: u8| (at.table, at.within(length));
        let other = (1..=at.net.1).find_map(|length| seen.get(&key(length)).copied());
        let other = other.filter(|o| o.interface != at.interface);
        seen.entry(key(at.net.1)).or_insert(at);
        let Some(other) = other else { continue };
        let (first, second) = match other.place.span.start < at.place.span.start {
            true => (other, at),
            false => (at, other),
        };
        if first.net.0 == second.net.0 {
            found.push(twice(first, second, ""));
        } else if at.net.1 < 32 {
            found.push(overlap(first, second));
        }
    }
    found
}

/// NET004, of two devices; of a routing table of their own nobody knows whether it is one.
fn of_several(all: &[Vec<At<'_>>]) -> Vec<Finding> {
    let mut seen: BTreeMap<Ipv4Addr, &At<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    for at in all.iter().flatten() {
        let shared = SHARED.iter().any(|s| at.interface.starts_with(s));
        if shared || !at.table.is_empty() || at.net.1 == 32 {
            continue;
        }
        let first = *seen.entry(at.net.0).or_insert(at);
        // Two texts of one device may be two versions of it.
        if first.device != at.device {
            let of = format!(" of `{}`", first.device);
            let mut finding = twice(first, at, &of);
            finding.severity = Severity::Warning;
            found.push(finding);
        }
    }
    found
}

/// NET004: `second` has the address of `first`, which is one `of` another device or of its own.
fn twice(first: &At<'_>, second: &At<'_>, of: &str) -> Finding {
    let message = format!(
        "{} of {} is the address of {}{of}, too",
        second.net.0, second.interface, first.interface
    );
    let remedy = "another address of the subnet".to_owned();
    let mut finding = Finding::new(&NET004, message, second.place.clone(), vec![remedy]);
    finding.relate(first.place.clone(), "the same address");
    finding
}

/// NET005.
fn overlap(first: &At<'_>, second: &At<'_>) -> Finding {
    let [a, b] = [first, second].map(|at| {
        let (net, length) = at.within(at.net.1);
        format!("{}/{length}", Ipv4Addr::from_bits(net))
    });
    let message = match a == b {
        true => format!(
            "{} and {} are both in {a}",
            second.interface, first.interface
        ),
        false => format!(
            "{b} of {} overlaps with {a} of {}",
            second.interface, first.interface
        ),
    };
    let remedy = "a subnet of its own, or a routing table of its own".to_owned();
    let mut finding = Finding::new(&NET005, message, second.place.clone(), vec![remedy]);
    finding.relate(first.place.clone(), "the other subnet");
    finding
}
