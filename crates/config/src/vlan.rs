//! VLANs: the tag an interface's frames have on the wire, and what a switch's port carries (IEEE 802.1Q).

mod mtus;

use crate::dialect::Dialect;
use crate::junos::model::{Interface as JunosPort, Unit};
use crate::qos::{Device, Interface, Switchport};
pub(crate) use mtus::check;

/// The largest VLAN ID; 0 and 4095 name none (IEEE 802.1Q, "Reserved VID values").
const LAST: u16 = 4094;

/// The VLAN of ports that state none.
pub const DEFAULT: u16 = 1;

/// How an interface's frames are tagged on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// They have no tag.
    Untagged,
    /// One 802.1Q tag with this VLAN ID.
    Id(u16),
    /// Two tags, or another encapsulation than 802.1Q.
    Other,
}

impl core::fmt::Display for Tag {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Tag::Untagged => f.write_str("no tag"),
            Tag::Id(id) => write!(f, "tag {id}"),
            Tag::Other => f.write_str("a tag that is not a single 802.1Q one"),
        }
    }
}

/// A set of VLAN IDs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vlans(Vec<u64>);

impl Vlans {
    /// None of them.
    pub fn none() -> Vlans {
        Vlans(vec![0; 64])
    }

    /// Every VLAN.
    pub fn all() -> Vlans {
        let mut all = Vlans::none();
        all.set(1, LAST, true);
        all
    }

    /// Puts in, or takes out, the VLANs from `first` to `last`.
    pub fn set(&mut self, first: u16, last: u16, carried: bool) {
        for id in first.max(1)..=last.min(LAST) {
            let bit = 1 << (id % 64);
            let word = &mut self.0[usize::from(id / 64)];
            *word = if carried { *word | bit } else { *word & !bit };
        }
    }

    /// Puts in, or takes out, a list such as `1,10-20`; `None`, and nothing done, where it is none.
    pub(crate) fn list(&mut self, text: &str, carried: bool) -> Option<()> {
        let id = |text: &str| {
            let id: u16 = text.trim().parse().ok()?;
            (1..=LAST).contains(&id).then_some(id)
        };
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            ranges.push((id(first)?, id(last)?));
        }
        for (first, last) in ranges {
            self.set(first, last, carried);
        }
        Some(())
    }

    /// Whether a VLAN is among them.
    pub fn has(&self, id: u16) -> bool {
        id <= LAST && self.0[usize::from(id / 64)] >> (id % 64) & 1 == 1
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_vlans_is_read_or_refused_whole() {
        let mut vlans = Vlans::none();
        assert_eq!(vlans.list("1,10-12,4094", true), Some(()));
        let some: Vec<u16> = (0..=4095).filter(|v| vlans.has(*v)).collect();
        assert_eq!(some, [1, 10, 11, 12, 4094]);
        for bad in ["0", "4095", "1,x", "5-", ""] {
            assert_eq!(vlans.list(bad, false), None, "{bad}");
        }
        vlans.list("11", false).expect("a list");
        assert!(vlans.has(10) && !vlans.has(11));
    }
}
