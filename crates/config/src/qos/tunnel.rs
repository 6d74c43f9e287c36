//! Tunnels of IOS: what they are made of.

use super::Stated;
use crate::esp::{Sealed, Transform};
use crate::tunnels::{ESP, GRE, IPV4, IPV6, KEY, Wrapped};

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
    pub(super) fn wrapped(&self, ipsec: &Ipsec) -> Option<Wrapped> {
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
