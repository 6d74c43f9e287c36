//! QOS028 of PPP over Ethernet: what its carrier leaves for packets.

use super::super::{Device, Interface, Stated, default_mtu};
use crate::finding::Finding;
use crate::tunnels::{Tunnel, Wrapped};

/// PPPoE's header and PPP's, bytes (RFC 2516 §4 and §7).
const HEADERS: u32 = 8;

/// An Ethernet frame carries no more of it, whatever the port's MTU, unless both ends agree on `ppp-max-payload` (RFC 2516 §7).
const ETHERNET: u32 = 1500;

/// Fixed headers of IPv4 and TCP, bytes.
const FIXED: u64 = farpath_predict::IpVersion::V4.fixed_headers() as u64;

/// What carries an interface's PPPoE: its dialer's, or of the only virtual template the one that others dial in by.
fn carrier<'d>(device: &'d Device, interface: &Interface) -> Option<&'d Interface> {
    let mut up = device.interfaces.iter().filter(|i| !i.shutdown);
    if let Some(pool) = &interface.pppoe.pool {
        let is_it =
            |said: &Option<Stated<u32>>| said.as_ref().is_some_and(|s| s.value == pool.value);
        return up.find(|i| is_it(&i.pppoe.client) || i.pvcs.iter().any(|p| is_it(&p.dial_pool)));
    }
    let is_template = |i: &Interface| i.name.starts_with("Virtual-Template");
    let templates = device.interfaces.iter().filter(|i| is_template(i));
    let alone = is_template(interface) && templates.count() == 1;
    let answers = |i: &&Interface| i.pppoe.enabled.is_some() && i.pppoe.client.is_none();
    up.find(answers).filter(|_| alone)
}

/// QOS028, of an interface that PPPoE carries.
pub(super) fn check(device: &Device, interface: &Interface) -> Vec<Finding> {
    let carrier = carrier(device, interface).filter(|c| c.pppoe.larger.is_none());
    let (Some(carrier), Some(place)) = (carrier, &interface.place) else {
        return Vec::new();
    };
    let whole = device.interface(&carrier.name);
    let takes = whole.and_then(|w| w.mtu.as_ref().map(|m| m.value).or_else(|| default_mtu(&w)));
    let takes = takes.map_or(ETHERNET, |mtu| mtu.min(ETHERNET));
    let fits = u64::from(takes.saturating_sub(HEADERS));
    let (key, stated) = match (&interface.ip_mtu, &interface.mtu) {
        (None, Some(mtu)) => ("mtu", Some(mtu)),
        (own, _) => ("ip mtu", own.as_ref()),
    };
    let lowered = device
        .interfaces
        .iter()
        .filter_map(|i| i.adjust_mss.as_ref());
    let mut lowered = lowered.map(|mss| u64::from(mss.value)).peekable();
    let lacks = lowered.peek().is_none();
    let tunnel = Tunnel {
        name: interface.name.clone(),
        place,
        key,
        stated: stated.map(|m| (m.value.into(), &m.place)),
        // Where segments are lowered to what fits, TCP needs no more.
        by_itself: lowered.any(|mss| mss + FIXED <= fits),
        wrapped: Wrapped {
            bytes: HEADERS,
            what: "PPPoE",
            sealed: None,
        },
        outer: (takes.into(), Some(carrier.name.clone())),
        lacks: lacks.then_some("ip tcp adjust-mss"),
    };
    tunnel.check()
}
