//! Addresses and static routes, of whichever language: an address that stands for a whole subnet (NET001), and a next hop
//! that no interface reaches (NET002).

use core::net::Ipv4Addr;

use crate::dialect::Dialect;
use crate::finding::Finding;
use crate::ios::routes::static_routes;
use crate::junos::model::Router;
use crate::junos::routes::next_hops;
use crate::mask::bits;
use crate::qos::Device;
use crate::report::Report;
use crate::route::Route;
use crate::rules::{NET001, NET002};
use crate::source::{Place, Source};

/// A subnet, as an address in it and its length.
type Net = (Ipv4Addr, u8);

/// An address of an interface.
struct Own {
    interface: String,
    net: Net,
    place: Place,
}

/// Checks every router and switch.
pub(crate) fn check(sources: &[Source], report: &mut Report) {
    let mut found = Vec::new();
    for router in &report.routers {
        let own = of_junos(router);
        found.extend(own.iter().filter_map(stands_for_all));
        // A text with several routers says of none of them alone what it reaches.
        let alone = report.routers.iter();
        let alone = alone.filter(|r| r.place.file == router.place.file).count() == 1;
        if alone {
            let file = router.place.file;
            let set = report.files[file].dialect == Dialect::JunosSet;
            let text = &sources[file].text;
            let routes = next_hops(text, set, file, &mut found);
            found.extend(out_of_reach(&own, &routes));
        }
    }
    for device in report.devices.iter().filter(|d| d.dialect == Dialect::Ios) {
        let own = of_ios(device);
        let text = &sources[device.file].text;
        found.extend(own.iter().filter_map(stands_for_all));
        let routes = static_routes(text, device.file, &mut found);
        if !learns(text) {
            found.extend(out_of_reach(&own, &routes));
        }
    }
    report.findings.extend(found);
}

fn of_junos(router: &Router) -> Vec<Own> {
    let units = router.interfaces.iter();
    let units = units.flat_map(|i| i.units.iter().map(move |u| (i, u)));
    let all = units.flat_map(|(i, u)| {
        u.addresses.iter().map(move |a| Own {
            interface: format!("{}.{}", i.name, u.number),
            net: a.value,
            place: a.place.clone(),
        })
    });
    all.collect()
}

fn of_ios(device: &Device) -> Vec<Own> {
    let all = device.interfaces.iter().flat_map(|i| {
        i.addresses.iter().map(move |a| Own {
            interface: i.name.clone(),
            net: a.value,
            place: a.place.clone(),
        })
    });
    all.collect()
}

fn holds((address, length): Net, other: Ipv4Addr) -> bool {
    u32::from(address) & bits(length) == u32::from(other) & bits(length)
}

/// NET001; two ends of a cable may have both addresses of a /31 (RFC 3021).
fn stands_for_all(own: &Own) -> Option<Finding> {
    let (address, length) = own.net;
    let rest = !bits(length);
    let what = match u32::from(address) & rest {
        _ if !(1..=30).contains(&length) => return None,
        0 => "the address of the subnet itself",
        all if all == rest => "the broadcast address of its subnet",
        _ => return None,
    };
    let message = format!("{address}/{length} of {} is {what}", own.interface);
    let net = u32::from(address) & !rest;
    let [first, last] = [net + 1, (net | rest) - 1].map(Ipv4Addr::from);
    let remedy = format!("one from {first} to {last}, or another length");
    Some(Finding::new(
        &NET001,
        message,
        own.place.clone(),
        vec![remedy],
    ))
}

/// NET002, of a device with these addresses.
fn out_of_reach(own: &[Own], routes: &[Route]) -> Vec<Finding> {
    let connected = |hop: Ipv4Addr| own.iter().any(|o| holds(o.net, hop));
    // Another route may lead to the next hop; the default does not.
    let by_route = |hop: Ipv4Addr| {
        let nets = routes.iter().filter_map(|r| r.to);
        nets.filter(|net| net.1 > 0).any(|net| holds(net, hop))
    };
    let lost = |route: &&Route| {
        let hop = route.hop.0;
        !own.is_empty() && !connected(hop) && !by_route(hop)
    };
    let say = |route: &Route| {
        let (hop, place) = &route.hop;
        let message = format!("next hop {hop} is in the subnet of no interface");
        let near = own.iter().max_by_key(|o| {
            let differing = u32::from(o.net.0) ^ u32::from(*hop);
            differing.leading_zeros()
        });
        let remedy = near.map_or_else(String::new, |o| {
            let (address, length) = o.net;
            let net = Ipv4Addr::from(u32::from(address) & bits(length));
            format!(
                "an address of a neighbour; {} is in {net}/{length}",
                o.interface
            )
        });
        Finding::new(&NET002, message, place.clone(), vec![remedy])
    };
    routes.iter().filter(lost).map(say).collect()
}

/// Whether an IOS device has routes or addresses that its text does not show.
fn learns(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| {
        let address = line.starts_with("ip address ") || line.starts_with("ip unnumbered ");
        line.starts_with("router ")
            || address
                && ["dhcp", "negotiated", "unnumbered"]
                    .iter()
                    .any(|w| line.contains(w))
    })
}
