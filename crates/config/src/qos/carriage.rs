//! What carries tunnels of IOS, and what fits in them.

use super::{Device, Interface, TunnelMode, default_mtu};
use crate::finding::Finding;
use crate::platform::Platform;
use crate::tunnels::{Tunnel, Wrapped};

/// QOS028, of an interface that is a tunnel.
pub(super) fn check(device: &Device, interface: &Interface) -> Vec<Finding> {
    let said = &interface.tunnel;
    let (Some(source), Some(place)) = (&said.source, &interface.place) else {
        return Vec::new();
    };
    let Some((wrapped, outer)) = said
        .wrapped(&device.ipsec)
        .zip(outer(device, &source.value))
    else {
        return Vec::new();
    };
    let six = said
        .mode
        .as_ref()
        .is_some_and(|m| m.value == TunnelMode::Ipv6ip);
    let (key, mtu) = match six {
        true => ("ipv6 mtu", &interface.ipv6_mtu),
        false => ("ip mtu", &interface.ip_mtu),
    };
    let lowered = device.interfaces.iter().any(|i| i.adjust_mss.is_some());
    let tunnel = Tunnel {
        name: interface.name.clone(),
        place,
        key,
        stated: mtu.as_ref().map(|m| (m.value.into(), &m.place)),
        // IOS takes what GRE adds from the outer MTU; what a cipher will add it does not know in all releases.
        by_itself: wrapped.sealed.is_none(),
        wrapped,
        outer,
        lacks: (!lowered && !six).then_some("ip tcp adjust-mss"),
    };
    tunnel.check()
}

/// The largest packet of IPv4, bytes, that a tunnel takes where nothing is stated: what its outer interface takes, less what IOS puts around
/// it: 1476 of GRE over 1500, 1472 with a key. None where that interface, or what a cipher adds, is not known.
pub(crate) fn default_packet(device: &Device, interface: &Interface) -> Option<u32> {
    let said = &interface.tunnel;
    let mode = said.mode.as_ref().map_or(TunnelMode::Gre, |m| m.value);
    if device.platform == Platform::NxOs || mode == TunnelMode::Ipv6ip {
        return None;
    }
    let wrapped = said.wrapped(&device.ipsec).filter(|w| w.sealed.is_none())?;
    let (outer, named) = outer(device, &said.source.as_ref()?.value)?;
    named?;
    u32::try_from(wrapped.fits(outer)?).ok()
}

/// What hosts send at most as a rule, and what carries a tunnel of which nothing says it, bytes.
pub(super) const USUAL: u32 = 1500;

/// The largest packet that fits in a tunnel that states none, bytes, and of what it is left. A cipher that the file does not say leaves
/// the most that it may, so that what is larger surely does not fit.
pub(super) fn largest(device: &Device, interface: &Interface) -> Option<(u32, String)> {
    let said = &interface.tunnel;
    let wrapped = said.wrapped(&device.ipsec)?;
    let source = said.source.as_ref();
    let (carries, by) = match source.and_then(|s| outer(device, &s.value)) {
        Some((bytes, Some(name))) => (bytes, format!("{bytes} B of {name}")),
        Some((bytes, None)) => (bytes, format!("{bytes} B, which no interface exceeds")),
        None => (USUAL.into(), format!("{USUAL} B, which are assumed")),
    };
    let fits = wrapped.fits(carries)?;
    let most = match &wrapped.sealed {
        Some(sealed) if !sealed.known => "leaves at most",
        _ => "leaves",
    };
    let why = format!("which {} {most} of {by}", wrapped.what);
    Some((u32::try_from(fits).ok()?, why))
}

/// The interface that surely carries a tunnel, and the largest packet that it takes, bytes; none where a loopback is its source.
pub(crate) fn carrier(device: &Device, interface: &Interface) -> Option<(String, u64)> {
    let source = interface.tunnel.source.as_ref()?;
    let (takes, name) = outer(device, &source.value)?;
    Some((name?, takes))
}

/// What a tunnel of IPv4 puts around a packet; none where that is not known.
pub(crate) fn around(device: &Device, interface: &Interface) -> Option<Wrapped> {
    let said = &interface.tunnel;
    let mode = said.mode.as_ref().map(|m| m.value);
    let wrapped = said.wrapped(&device.ipsec)?;
    (mode != Some(TunnelMode::Ipv6ip)).then_some(wrapped)
}

/// The largest packet of what carries a tunnel with this source: of the interface that is named or has the address, or
/// else, behind a loopback, of whichever interface takes the largest.
fn outer(device: &Device, source: &str) -> Option<(u64, Option<String>)> {
    let address = source.parse::<core::net::Ipv4Addr>().ok();
    let has = |i: &&Interface| i.addresses.iter().any(|a| Some(a.value.0) == address);
    let named = |i: &&Interface| i.name == source || has(i);
    let packet = |i: &Interface| {
        let whole = device.interface(&i.name)?;
        let stated = whole
            .ip_mtu
            .as_ref()
            .or(whole.mtu.as_ref())
            .map(|m| m.value);
        stated.or_else(|| default_mtu(&whole)).map(u64::from)
    };
    let virtual_one = |i: &Interface| ["Loopback", "Tunnel"].iter().any(|k| i.name.starts_with(k));
    let of = device.interfaces.iter().find(named);
    if let Some(of) = of.filter(|i| !virtual_one(i)) {
        return Some((packet(of)?, Some(of.name.clone())));
    }
    let up = device
        .interfaces
        .iter()
        .filter(|i| !i.shutdown && !i.addresses.is_empty());
    let routed = up.filter(|i| !virtual_one(i));
    let all: Option<Vec<u64>> = routed.map(packet).collect();
    let largest = all?.into_iter().max()?;
    Some((largest, None))
}
