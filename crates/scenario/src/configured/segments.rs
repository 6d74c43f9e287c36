//! What routers let TCP's ends offer: `ip tcp adjust-mss` of IOS, `tcp-mss` of Junos.

use farpath_config::junos::model::Router as Junos;
use farpath_config::qos::Device;

use super::{Configuration, interfaces, is_of, port_in};
use crate::document::Tables;
use crate::model::Scenario;

/// The largest segment over IPv4 that SYNs on each link may offer, by the routers at its ends.
pub(super) fn apply(configuration: &Configuration, tables: &Tables, scenario: &mut Scenario) {
    for (router, number, _, name) in configuration.junos_ends(tables, scenario) {
        let most = of_junos(router, name.get_ref());
        let link = &mut scenario.links[number];
        link.segment = link.segment.into_iter().chain(most).min();
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
            let most = of_ios(device, name.get_ref());
            link.segment = link.segment.into_iter().chain(most).min();
        }
    }
}

fn of_ios(device: &Device, name: &str) -> Option<u32> {
    let interface = device.interfaces.iter().find(|i| i.name == name)?;
    interface.adjust_mss.as_ref().map(|m| m.value)
}

/// What the whole router says of all TCP, and the units of a port of theirs.
fn of_junos(router: &Junos, name: &str) -> Option<u32> {
    let port = port_in(router, name)?;
    let units = port.units.iter().filter(|u| u.off.is_none());
    let here = units.filter(|u| is_of(name, &format!("{}.{}", port.name, u.number)));
    let own = here.filter_map(|u| u.tcp_mss.as_ref()).map(|m| m.value);
    let flow = router.tcp_mss.iter();
    let all = flow.filter(|m| m.of == "all-tcp").map(|m| m.bytes.value);
    let least = own.chain(all).min()?;
    u32::try_from(least).ok()
}
