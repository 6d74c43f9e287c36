//! VLANs: the tag an interface's frames have on the wire, and what a switch's port carries (IEEE 802.1Q).

mod mtus;
mod tags;

use crate::dialect::Dialect;
use crate::junos::model::{Interface as JunosPort, Unit};
use crate::qos::{Device, Interface, Switchport};
pub(crate) use mtus::check;
use tags::LAST;
pub use tags::{Tag, Vlans};

/// The VLAN of ports that state none.
pub const DEFAULT: u16 = 1;

/// The tag of a Junos unit's frames; those of the port's `native-vlan-id` have none.
pub fn of_unit(port: &JunosPort, unit: &Unit) -> Tag {
    let native = port.native_vlan.as_ref().map(|n| n.value);
    match &unit.vlan {
        _ if unit.vlan_tags.is_some() => Tag::Other,
        Some(vlan) if Some(vlan.value) != native => Tag::Id(vlan.value),
        _ => Tag::Untagged,
    }
}

/// The tag of frames of an IOS interface that routes.
pub fn of_interface(interface: &Interface) -> Tag {
    interface.tag.as_ref().map_or(Tag::Untagged, |t| t.value)
}

/// Whether an interface is a port of a switch: it carries VLANs and routes nothing itself, as every port of CatOS.
pub fn is_switched(device: &Device, interface: &Interface) -> bool {
    if interface.is_type() || device.dialect == Dialect::CatOs {
        return !interface.is_type();
    }
    let says = [&interface.access_vlan, &interface.native_vlan];
    let vlans = says.iter().any(|v| v.is_some()) || interface.trunk_vlans.is_some();
    (interface.switchport.is_some() || vlans) && interface.addresses.is_empty()
}

/// The VLAN in which a switch puts frames with this tag that arrive at a port of it; `None` if it takes none such.
pub fn within(port: &Interface, tag: Tag) -> Option<u16> {
    (1..=LAST).find(|vlan| on_port(port, *vlan) == Some(tag))
}

/// The tag that frames of a VLAN have on a switch's port; `None` where the port does not carry it.
pub fn on_port(port: &Interface, vlan: u16) -> Option<Tag> {
    let stated = |v: &Option<crate::qos::Stated<u16>>| v.as_ref().map_or(DEFAULT, |v| v.value);
    let mode = port.switchport.as_ref().map(|s| s.value);
    if mode != Some(Switchport::Trunk) {
        return (vlan == stated(&port.access_vlan)).then_some(Tag::Untagged);
    }
    if port.tag.is_some() {
        return Some(Tag::Other);
    }
    let carried = port.trunk_vlans.as_ref().is_none_or(|v| v.value.has(vlan));
    let tag = match vlan == stated(&port.native_vlan) {
        true => Tag::Untagged,
        false => Tag::Id(vlan),
    };
    carried.then_some(tag)
}

/// Whether a switch carries frames from where they have one tag to where they have another.
pub(crate) fn joins(switch: &Device, one: Tag, other: Tag) -> bool {
    let ports = || {
        let all = switch.interfaces.iter();
        all.filter(|i| !i.shutdown && is_switched(switch, i))
    };
    let vlans = ports().filter_map(|p| within(p, one).map(|v| (p, v)));
    let mut joined = vlans.flat_map(|(p, v)| ports().map(move |q| (p, q, v)));
    joined.any(|(p, q, v)| p.name != q.name && on_port(q, v) == Some(other))
}
