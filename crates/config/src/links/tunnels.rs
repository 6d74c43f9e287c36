//! QOS028: a tunnel of IOS whose packets fit the interface that carries it, and not the one at the other end of that link.

use std::collections::BTreeMap;

use super::{End, subnet};
use crate::finding::Finding;
use crate::qos::{Device, Interface, around, carrier};
use crate::rules::QOS028;
use crate::tunnels::HEADERS;

/// The findings of all tunnels whose carrier's link the files' subnets show.
pub(super) fn check(devices: &[Device], subnets: &BTreeMap<(u32, u8), Vec<End>>) -> Vec<Finding> {
    let mut all = Vec::new();
    for device in devices {
        let up = device.interfaces.iter().filter(|i| !i.shutdown);
        all.extend(up.filter_map(|interface| narrower(device, interface, subnets)));
    }
    all
}

/// The finding of a tunnel: what carries it takes its packets, and what is at the other end of that link takes only smaller ones. Where they
/// do not fit the first, it is found without the other file.
fn narrower(
    device: &Device,
    interface: &Interface,
    subnets: &BTreeMap<(u32, u8), Vec<End>>,
) -> Option<Finding> {
    let stated = interface.ip_mtu.as_ref()?;
    let packet = u64::from(stated.value);
    let (by, takes) = carrier(device, interface)?;
    let wrapped = around(device, interface)?;
    let most = wrapped.fits(takes)?;
    let outer = device.interfaces.iter().find(|i| i.name == by)?;
    let own = outer.addresses.iter();
    let nets = own.filter_map(|address| subnets.get(&subnet(address.value)?));
    let ends = nets.filter(|ends| ends.len() == 2).flatten();
    let others = ends.filter(|end| end.router.file != device.file);
    let known = others.filter_map(|end| Some((end.takes.packet?, end)));
    let (far, end) = known.min_by_key(|(packet, _)| *packet)?;
    let fits = wrapped.fits(far)?;
    if packet <= fits || packet > most {
        return None;
    }
    let message = format!(
        "`ip mtu {packet}` of {}: {} adds {} B, and {} at the other end of the link that carries it takes {far} B: what is larger is dropped there, without ICMP",
        interface.name,
        wrapped.what,
        far.saturating_sub(fits),
        end.name
    );
    let remedy = format!(
        "`ip mtu {fits}` at most, and `ip tcp adjust-mss {}`; or a larger `mtu` at the other end, {}",
        fits.saturating_sub(HEADERS.into()),
        end.name
    );
    let mut finding = Finding::new(&QOS028, message, stated.place.clone(), vec![remedy]);
    finding.relate(end.place.clone(), "the other end");
    finding.doubt(end.doubts.iter().cloned());
    Some(finding)
}
