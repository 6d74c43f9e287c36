//! Tunnels of IOS: what they are made of, and what carries them.

use super::{Device, Interface, Stated};
use crate::esp::{Sealed, Transform};
use crate::finding::Finding;
use crate::links::default_mtu;
use crate::platform::Platform;
use crate::tunnels::{self, ESP, GRE, IPV4, IPV6, KEY, Wrapped};

/// The `tunnel` statements of an interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tunnel {
    /// `tunnel source`: an interface by its full name, or an address.
    pub source: Option<Stated<String>>,
    /// `tunnel mode`; GRE over IPv4 unless stated.
    pub mode: Option<Stated<TunnelMode>>,
    /// `tunnel protection`: ESP around it, by the profile of this name; empty where the line names none.
    pub protection: Option<Stated<String>>,
    /// `tunnel key`.
    pub key: Option<Stated<()>>,
}

/// What a tunnel is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunnelMode {
    /// GRE over IPv4 (RFC 2784).
    Gre,
    /// GRE over IPv6.
    GreIpv6,
    /// IPv4 in IPv4.
    Ipip,
    /// IPv6 in IPv4.
    Ipv6ip,
    /// ESP in tunnel mode over IPv4.
    Ipsec,
    /// Another, such as MPLS traffic engineering's.
    Other,
}

/// `crypto ipsec`: what tunnels are sealed with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ipsec {
    /// Each `transform-set` by its name; `None` where a word of it is not known.
    pub sets: Vec<(String, Option<Transform>)>,
    /// Each `profile` by its name, and the sets that it offers.
    pub profiles: Vec<(String, Vec<String>)>,
}

impl Ipsec {
    /// What a profile may agree on; `None` where one of its sets is not known.
    fn of(&self, profile: &str) -> Option<Vec<Transform>> {
        let (_, names) = self.profiles.iter().rfind(|(name, _)| name == profile)?;
        let set = |name: &String| self.sets.iter().rfind(|(set, _)| set == name)?.1.clone();
        names.iter().map(set).collect()
    }
}

impl Tunnel {
    /// What it puts around a packet; `None` where that is not known.
    fn wrapped(&self, ipsec: &Ipsec) -> Option<Wrapped> {
        let key = if self.key.is_some() { KEY } else { 0 };
        let guarded = self.protection.is_some();
        let mode = self.mode.as_ref().map_or(TunnelMode::Gre, |m| m.value);
        let (header, own, [plain, secured]) = match mode {
            TunnelMode::Gre => (IPV4, GRE + key, ["GRE over IPv4", "GRE in ESP"]),
            TunnelMode::GreIpv6 => (IPV6, GRE + key, ["GRE over IPv6", "GRE in ESP"]),
            TunnelMode::Ipip => (IPV4, 0, ["IPv4 in IPv4", "IPv4 in ESP"]),
            TunnelMode::Ipv6ip => (IPV4, 0, ["IPv6 in IPv4", "IPv6 in ESP"]),
            TunnelMode::Ipsec => (IPV4, 0, ["ESP", "ESP"]),
            TunnelMode::Other => return None,
        };
        let bare = mode == TunnelMode::Ipsec;
        let profile = self.protection.as_ref().map(|p| p.value.as_str());
        let offered = profile.and_then(|p| ipsec.of(p)).unwrap_or_default();
        let sealed = offered
            .into_iter()
            .map(|t| Sealed::new(Some(t), header, own, bare));
        // Of several that may be agreed on, the one that leaves least.
        let least = sealed.min_by_key(|s| s.fits(1500));
        let sealed = (guarded || bare)
            .then(|| least.unwrap_or_else(|| Sealed::new(None, header, own, bare)));
        Some(Wrapped {
            bytes: header + own + if sealed.is_some() { ESP } else { 0 },
            what: if guarded { secured } else { plain },
            sealed,
        })
    }
}

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
    let tunnel = tunnels::Tunnel {
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
