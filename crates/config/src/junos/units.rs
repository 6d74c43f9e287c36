//! Checks of ports and their units: lines (QOS013), tags (JUN005), members of bundles (JUN006), tunnels (QOS028).

use super::model::{Interface, Router, Unit};
use crate::esp::Sealed;
use crate::finding::{Finding, Severity};
use crate::rules::{JUN005, JUN006, QOS013};
use crate::source::Place;
use crate::tunnels::{ESP, GRE, IPV4, KEY, Tunnel, Wrapped};

/// Of a router's interfaces that are not switched off.
pub(super) fn units(router: &Router) -> Vec<Finding> {
    let mut all = Vec::new();
    for interface in router.interfaces.iter().filter(|i| i.off.is_none()) {
        all.extend(line(interface));
        all.extend(tags(interface));
        all.extend(member(router, interface));
        all.extend(tunnels(router, interface));
    }
    all
}

fn up(interface: &Interface) -> impl Iterator<Item = &Unit> + Clone {
    interface.units.iter().filter(|u| u.off.is_none())
}

fn found(rule: &'static crate::Rule, place: &Place, message: String, remedy: &str) -> Finding {
    Finding::new(rule, message, place.clone(), vec![remedy.to_owned()])
}

/// A port fixed to no more than one part in so many of what ports of its name carry is probably left so.
const FIXED: u64 = 100;

/// QOS013, of an Ethernet port that is half duplex, or fixed to a small part of its rate.
fn line(interface: &Interface) -> Vec<Finding> {
    if interface.is_sonet() || !interface.is_framed() {
        return Vec::new();
    }
    let name = &interface.name;
    let mut all = Vec::new();
    let mode = interface.link_mode.as_ref();
    if let Some(half) = mode.filter(|m| m.value.contains("half")) {
        let message = format!("`{name}` is half duplex: frames collide under load");
        let remedy = "let both ends negotiate, or write `link-mode full-duplex` at both";
        all.push(found(&QOS013, &half.place, message, remedy));
    }
    let rates = interface.fixed().zip(interface.rate_by_name());
    if let Some((fixed, usual)) = rates.filter(|(f, usual)| f.as_bps() <= usual.as_bps() / FIXED)
        && let Some(speed) = &interface.speed
    {
        let message = format!("`{name}` is fixed to {fixed}, and ports of its name carry {usual}");
        let remedy = "let both ends negotiate, unless the other end carries no more";
        let mut finding = found(&QOS013, &speed.place, message, remedy);
        finding.severity = Severity::Warning;
        all.push(finding);
    }
    all
}

/// JUN005, of an Ethernet port.
fn tags(interface: &Interface) -> Vec<Finding> {
    if interface.is_sonet() || !interface.is_framed() {
        return Vec::new();
    }
    let name = &interface.name;
    let mut all = Vec::new();
    let mut known: Vec<(u16, &Unit)> = Vec::new();
    for unit in up(interface) {
        let at = format!("`{name}.{}`", unit.number);
        let tag = unit.vlan.as_ref().map(|v| &v.place);
        let tag = tag.or(unit.vlan_tags.as_ref()).or(unit.vlan_list.as_ref());
        let carries = unit.routed.is_some() || unit.mpls.is_some() || unit.ccc.is_some();
        match (&interface.tagging, tag) {
            (None, Some(tag)) => {
                let message = format!("{at} has a VLAN, and `{name}` no `vlan-tagging`");
                let remedy = "write `vlan-tagging`, or `flexible-vlan-tagging`, on the port";
                all.push(found(&JUN005, tag, message, remedy));
            }
            (None, None) if unit.number != "0" && carries => {
                let message =
                    format!("{at} has no tag: without `vlan-tagging` a port has unit 0 alone");
                let remedy = "make it unit 0, or write `vlan-tagging` on the port and a `vlan-id` in the unit";
                all.push(found(&JUN005, &unit.place, message, remedy));
            }
            (Some(tagging), None) if carries => {
                let message = format!("{at} has no `vlan-id`, and `{name}` tags its frames");
                let remedy = "write `vlan-id`, with `native-vlan-id` of the port where its frames have no tag";
                let mut finding = found(&JUN005, &unit.place, message, remedy);
                finding.relate(tagging.clone(), "tagged here");
                all.push(finding);
            }
            _ => {}
        }
        let Some(vlan) = &unit.vlan else { continue };
        match known.iter().find(|(id, _)| *id == vlan.value) {
            Some((id, other)) => {
                let message = format!("{at} has VLAN {id}, and so has unit {}", other.number);
                let remedy = "give each unit of a port a VLAN of its own";
                let mut finding = found(&JUN005, &vlan.place, message, remedy);
                finding.relate(other.place.clone(), "the other unit");
                all.push(finding);
            }
            None => known.push((vlan.value, unit)),
        }
    }
    all
}

/// JUN006, of a member of a bundle.
fn member(router: &Router, interface: &Interface) -> Vec<Finding> {
    let mut all = Vec::new();
    let Some(of) = &interface.member_of else {
        return all;
    };
    let (name, bundle) = (&interface.name, &of.value);
    if let Some(unit) = up(interface).next() {
        let message = format!(
            "`{name}` is a member of `{bundle}` and has unit {}",
            unit.number
        );
        let remedy = format!("put it on `{bundle}`");
        all.push(found(&JUN006, &unit.place, message, &remedy));
    }
    let whole = router.interfaces.iter().find(|i| i.name == *bundle);
    if let Some((own, whole)) = interface.mtu.as_ref().zip(whole)
        && own.value != whole.media_mtu()
    {
        let message = format!(
            "`{name}` states an MTU of {} bytes, and its bundle `{bundle}` has {}",
            own.value.as_bytes(),
            whole.media_mtu().as_bytes()
        );
        let remedy = format!("write `mtu` on `{bundle}` alone: the bundle's is what counts");
        let mut finding = found(&JUN006, &own.place, message, &remedy);
        finding.severity = Severity::Warning;
        all.push(finding);
    }
    let of_bundle = |i: &&Interface| {
        i.off.is_none() && i.member_of.as_ref().is_some_and(|m| m.value == *bundle)
    };
    let first = router.interfaces.iter().find(of_bundle);
    let rates = first.and_then(|f| Some((f, f.rate()?, interface.rate()?)));
    if let Some((first, one, other)) = rates.filter(|(_, one, other)| one != other) {
        let message = format!(
            "members of `{bundle}` differ: `{}` has {one} and `{name}` {other}",
            first.name
        );
        let remedy = "give a bundle ports of one rate: a flow takes one member, whatever its rate";
        let mut finding = found(&JUN006, &of.place, message, remedy);
        finding.severity = Severity::Warning;
        all.push(finding);
    }
    all
}

/// QOS028, of GRE, IP in IP and IPsec.
fn tunnels(router: &Router, interface: &Interface) -> Vec<Finding> {
    let name = &interface.name;
    let [gre, ip, st] = ["gr-", "ip-", "st0"].map(|kind| name.starts_with(kind));
    let mut all = Vec::new();
    for unit in up(interface).filter(|u| u.routed.is_some()) {
        let key = if unit.tunnel_key.is_some() { KEY } else { 0 };
        let (bytes, what) = match (gre, ip, st) {
            (true, ..) => (IPV4 + GRE + key, "GRE over IPv4"),
            (_, true, _) => (IPV4, "IPv4"),
            (.., true) => (IPV4 + ESP, "ESP"),
            _ => return all,
        };
        let whole = format!("{name}.{}", unit.number);
        let bound = router.sealed.iter().find(|(of, _)| *of == whole);
        let transform = bound.map(|(_, transform)| transform.clone());
        let sealed = st.then(|| Sealed::new(transform, IPV4, 0, true));
        let Some(outer) = outer(router, unit) else {
            continue;
        };
        let tunnel = Tunnel {
            name: format!("`{name}.{}`", unit.number),
            place: &unit.place,
            key: "family inet mtu",
            stated: unit
                .inet_mtu
                .as_ref()
                .map(|m| (m.value.as_bytes(), &m.place)),
            by_itself: false,
            wrapped: Wrapped {
                bytes,
                what,
                sealed,
            },
            outer,
            lacks: None,
        };
        all.extend(tunnel.check());
    }
    all
}

/// The largest IP packet of the unit that has a tunnel's source address, or else of any.
fn outer(router: &Router, tunnel: &Unit) -> Option<(u64, Option<String>)> {
    let source = tunnel.tunnel_source.as_ref().map(|s| s.value);
    let framed = router.interfaces.iter();
    let framed = framed.filter(|i| i.off.is_none() && i.is_framed());
    let routed = framed.flat_map(|i| up(i).map(move |u| (i, u)));
    let routed = routed.filter(|(_, u)| u.routed.is_some());
    let packet = |(interface, unit): (&Interface, &Unit)| {
        let whole = interface.media_mtu().as_bytes();
        let own = unit.inet_mtu.as_ref().map(|m| m.value.as_bytes());
        own.unwrap_or(whole.saturating_sub(interface.header()))
    };
    let has = |(_, u): &(&Interface, &Unit)| u.addresses.iter().any(|a| Some(a.value.0) == source);
    if let Some((interface, unit)) = routed.clone().find(has) {
        let name = format!("`{}.{}`", interface.name, unit.number);
        return Some((packet((interface, unit)), Some(name)));
    }
    Some((routed.map(packet).max()?, None))
}
