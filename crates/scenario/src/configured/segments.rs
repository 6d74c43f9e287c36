//! What routers let TCP's ends offer: `ip tcp adjust-mss` and `ipv6 tcp adjust-mss` of IOS, `tcp-mss` of Junos.

use farpath_config::junos::model::Router as Junos;
use farpath_config::qos::Device;

use super::interface::{interfaces, is_of, port_in};
use crate::model::{Configuration, Scenario};
use crate::sections::Tables;

/// The largest segments that SYNs on each link may offer, over IPv4 and over IPv6, by the routers at its ends.
pub(super) fn apply(configuration: &Configuration, tables: &Tables, scenario: &mut Scenario) {
    for (router, number, _, name) in configuration.junos_ends(tables, scenario) {
        let most = of_junos(router, name.get_ref());
        lower(&mut scenario.links[number].segments, most);
    }
    for (file, node) in configuration.nodes.iter().enumerate() {
        let Some(device) = configuration.device(file) else {
            continue;
        };
        for (link, f) in scenario.links.iter_mut().zip(&tables.links) {
            let Some(side) = link.ends.iter().position(|e| e == node) else {
                continue;
            };
            let Some(name) = interfaces(f).map(|mut both| both.swap_remove(side)) else {
                continue;
            };
            lower(&mut link.segments, of_ios(device, name.get_ref()));
        }
    }
}

/// Keeps the smaller of what both say, for either version of IP.
fn lower(segments: &mut [Option<u32>; 2], most: [Option<u32>; 2]) {
    for (own, most) in segments.iter_mut().zip(most) {
        *own = own.iter().copied().chain(most).min();
    }
}

fn of_ios(device: &Device, name: &str) -> [Option<u32>; 2] {
    let Some(interface) = device.interfaces.iter().find(|i| i.name == name) else {
        return [None; 2];
    };
    let said = [&interface.adjust_mss, &interface.adjust_mss_ipv6];
    said.map(|mss| mss.as_ref().map(|m| m.value))
}

/// What the whole router says of all TCP, and the units of a port of theirs. Juniper's pages do not say what the first does to
/// IPv6: it is taken for one of IPv4.
fn of_junos(router: &Junos, name: &str) -> [Option<u32>; 2] {
    let Some(port) = port_in(router, name) else {
        return [None; 2];
    };
    let units = port.units.iter().filter(|u| u.off.is_none());
    let here = units.filter(|u| is_of(name, &format!("{}.{}", port.name, u.number)));
    let own = here.clone().filter_map(|u| u.tcp_mss.as_ref());
    let six = here.filter_map(|u| u.tcp_mss_ipv6.as_ref());
    let flow = router.tcp_mss.iter();
    let all = flow.filter(|m| m.of == "all-tcp").map(|m| m.bytes.value);
    let least = [
        own.map(|m| m.value).chain(all).min(),
        six.map(|m| m.value).min(),
    ];
    least.map(|mss| u32::try_from(mss?).ok())
}
