//! JUN007: what `tcp-mss` makes of the segment sizes that SYNs offer.

use farpath_predict::IpVersion;
use farpath_units::Size;

use super::model::{Interface, Router, Stated, Unit};
use crate::clamp::Clamp;
use crate::finding::{Finding, Severity};
use crate::rules::JUN007;
use crate::source::Place;
use crate::tunnels::{ESP, GRE, IPV4};

/// Fixed headers of IPv4 and TCP, bytes.
const HEADERS: u64 = IpVersion::V4.fixed_headers() as u64;

/// Fixed headers of IPv6 and TCP, bytes.
const HEADERS_IPV6: u64 = IpVersion::V6.fixed_headers() as u64;

/// The findings of `security flow tcp-mss` and of `tcp-mss` of `family inet` and `family inet6`.
pub(super) fn check(router: &Router) -> Vec<Finding> {
    let mut all = Vec::new();
    let up = router.interfaces.iter().filter(|i| i.off.is_none());
    let units = || up.clone().flat_map(|i| i.units.iter().map(move |u| (i, u)));
    for (interface, unit) in units() {
        let name = format!("{}.{}", interface.name, unit.number);
        if let Some(said) = &unit.tcp_mss {
            let at = (name.clone(), packet(interface, unit.inet_mtu.as_ref()));
            let named = format!("`tcp-mss {}` of {name}", said.value);
            let around = (HEADERS, 0);
            all.extend(judged(&named, said.value, &at, around, &said.place));
        }
        if let Some(said) = &unit.tcp_mss_ipv6 {
            let at = (name.clone(), packet(interface, unit.inet6_mtu.as_ref()));
            let named = format!("`family inet6 tcp-mss {}` of {name}", said.value);
            let around = (HEADERS_IPV6, 0);
            all.extend(judged(&named, said.value, &at, around, &said.place));
        }
    }
    let routed = units().filter(|(i, u)| i.is_framed() && !u.addresses.is_empty());
    let sizes = routed.map(|(i, u)| {
        let name = format!("{}.{}", i.name, u.number);
        (packet(i, u.inet_mtu.as_ref()), name)
    });
    let least = sizes.min();
    for said in &router.tcp_mss {
        let named = format!("`tcp-mss {} mss {}`", said.of, said.bytes.value);
        let place = &said.bytes.place;
        let inside = units().filter_map(|(i, u)| in_tunnel(router, said.of, i, u));
        let too_small = |(mtu, _): &(u64, String)| {
            Clamp::of(said.bytes.value, mtu.saturating_sub(HEADERS)) == Clamp::TooLarge
        };
        if let Some((mtu, name)) = inside.min().filter(too_small) {
            let (at, around) = ((name, mtu), (HEADERS, 0));
            all.extend(judged(&named, said.bytes.value, &at, around, place));
            continue;
        }
        let Some((mtu, name)) = &least else {
            continue;
        };
        let around = match said.of {
            "ipsec-vpn" => u64::from(IPV4 + ESP),
            "gre-in" | "gre-out" => u64::from(IPV4 + GRE),
            _ => 0,
        };
        let (at, around) = ((name.clone(), *mtu), (HEADERS, around));
        all.extend(judged(&named, said.bytes.value, &at, around, place));
    }
    all
}

/// The largest packet that a tunnel states, bytes, and the tunnel's name, where a statement of this kind is of its connections.
fn in_tunnel(
    router: &Router,
    of: &str,
    interface: &Interface,
    unit: &Unit,
) -> Option<(u64, String)> {
    let kinds = match interface.name.get(..3)? {
        "st0" => ["ipsec-vpn"; 2],
        "gr-" => ["gre-in", "gre-out"],
        "ip-" => [""; 2],
        _ => return None,
    };
    // What is stated of its kind alone goes before what is of all connections, and what the unit states before both.
    let own = router.tcp_mss.iter().any(|s| kinds.contains(&s.of));
    let applies = kinds.contains(&of) || of == "all-tcp" && !own;
    if !applies || unit.tcp_mss.is_some() || unit.off.is_some() {
        return None;
    }
    let mtu = unit.inet_mtu.as_ref().or(interface.mtu.as_ref())?;
    let name = format!("{}.{}", interface.name, unit.number);
    Some((mtu.value.as_bytes(), name))
}

/// The largest IP packet of a unit, bytes, where the family states `own` or nothing.
fn packet(interface: &Interface, own: Option<&Stated<Size>>) -> u64 {
    let whole = interface.media_mtu().as_bytes();
    let own = own.map(|m| m.value.as_bytes());
    own.unwrap_or(whole.saturating_sub(interface.header()))
}

/// Segments of `mss` in packets of an interface, each behind `headers` bytes, where a tunnel puts `around` bytes about each.
fn judged(
    named: &str,
    mss: u64,
    (name, mtu): &(String, u64),
    (headers, around): (u64, u64),
    place: &Place,
) -> Option<Finding> {
    let fits = mtu.saturating_sub(headers + around);
    let tunnel = match around {
        0 => String::new(),
        bytes => format!(" and at least {bytes} B of a tunnel"),
    };
    let (message, remedy, jumbo) = match Clamp::of(mss, fits) {
        Clamp::Fits => return None,
        Clamp::TooLarge => (
            format!(
                "{named} lets segments be offered that do not fit: the packets of {name} have {mtu} B, {fits} B behind {headers} B of headers{tunnel}"
            ),
            format!("{fits} at most"),
            false,
        ),
        Clamp::Small { times, jumbo } => (
            format!(
                "{named} is far below the {fits} B that {name} carries: TCP sends {times:.1} times as many packets as it need"
            ),
            format!("{fits}, unless what lies behind carries less"),
            jumbo,
        ),
    };
    let mut finding = Finding::new(&JUN007, message, place.clone(), vec![remedy]);
    if jumbo {
        finding.severity = Severity::Info;
    }
    Some(finding)
}
