//! What no file says: the list of interfaces and their queueing disciplines (rtnetlink), offloads and rings (ethtool).
//! A kernel that does not answer leaves them unknown.

use std::collections::BTreeMap;

use farpath_record::survey::{Interface, Survey};
use netlink_sys::protocols::NETLINK_ROUTE;

use super::interfaces::UP;
use crate::netlink::{Netlink, attributes, number, text};
use crate::sys;

/// `RTM_GETLINK`, `RTM_GETQDISC` (linux/rtnetlink.h).
const LINKS: u16 = 18;
const QDISCS: u16 = 38;

/// Lengths of `struct ifinfomsg` and `struct tcmsg`.
const LINK: usize = 16;
const QDISC: usize = 20;

/// `IFLA_IFNAME`, `IFLA_MTU`, `IFLA_QDISC`, `IFLA_TXQLEN` (linux/if_link.h); `TCA_KIND`.
const NAME: u16 = 3;
const MTU: u16 = 4;
const ROOT_QDISC: u16 = 6;
const QUEUE: u16 = 13;
const KIND: u16 = 1;

/// Offloads by the command that asks for each (`ETHTOOL_G…`, linux/ethtool.h).
const OFFLOADS: [(&str, u32); 4] = [("sg", 0x18), ("tso", 0x1e), ("gso", 0x23), ("gro", 0x2b)];

/// A page of memory, bytes.
pub(super) fn page_bytes() -> u64 {
    sys::page_bytes().unwrap_or(4096)
}

/// Adds to a survey what the kernel says when it is asked.
pub(super) fn complete(survey: &mut Survey) {
    if let Some(links) = links() {
        // `/sys` may be that of another network namespace: the list is always that of the own one.
        survey
            .interfaces
            .retain(|i| links.iter().any(|l| l.interface.name == i.name && l.is_up));
        for link in links.into_iter().filter(|l| l.is_up) {
            let known = survey
                .interfaces
                .iter_mut()
                .find(|i| i.name == link.interface.name);
            match known {
                Some(known) => {
                    known.mtu_bytes = link.interface.mtu_bytes;
                    known.queue_packets = link.interface.queue_packets;
                    known.qdisc = link.interface.qdisc;
                }
                None => survey.interfaces.push(link.interface),
            }
        }
    }
    for interface in &mut survey.interfaces {
        ethtool(interface);
        // These state 10 Gbit/s whatever carries them.
        if matches!(interface.driver.as_deref(), Some("tun" | "veth")) {
            interface.speed_bps = None;
        }
    }
}

/// An interface as rtnetlink has it.
struct Link {
    is_up: bool,
    interface: Interface,
}

fn links() -> Option<Vec<Link>> {
    let mut netlink = Netlink::open(NETLINK_ROUTE).ok()?;
    let mut all: BTreeMap<u32, Link> = BTreeMap::new();
    let each = |body: &[u8]| {
        let (Some(index), Some(flags)) = (at(body, 4), at(body, 8)) else {
            return;
        };
        let mut interface = Interface::default();
        for (kind, value) in attributes(body, LINK) {
            match kind {
                NAME => interface.name = text(value),
                MTU => interface.mtu_bytes = number(value).map(u64::from),
                QUEUE => interface.queue_packets = number(value).map(u64::from),
                ROOT_QDISC => interface.qdisc = Some(text(value)),
                _ => {}
            }
        }
        let is_up = u64::from(flags) & UP != 0;
        all.insert(index, Link { is_up, interface });
    };
    netlink.list(LINKS, &[0; LINK], each).ok()?;
    leaves(&mut netlink, &mut all);
    Some(all.into_values().collect())
}

/// Below `mq`, each of a card's queues has a discipline of its own.
fn leaves(netlink: &mut Netlink, links: &mut BTreeMap<u32, Link>) {
    let mut below: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let each = |body: &[u8]| {
        // TC_H_ROOT is the card's own; everything else has a parent.
        let (Some(index), Some(parent)) = (at(body, 4), at(body, 12)) else {
            return;
        };
        let kind = attributes(body, QDISC).find(|(k, _)| *k == KIND);
        if let Some((_, kind)) = kind.filter(|_| parent != u32::MAX) {
            let (kinds, kind) = (below.entry(index).or_default(), text(kind));
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    };
    if netlink.list(QDISCS, &[0; QDISC], each).is_err() {
        return;
    }
    for (index, kinds) in below {
        let qdisc = links
            .get_mut(&index)
            .and_then(|l| l.interface.qdisc.as_mut());
        if let Some(qdisc) = qdisc.filter(|q| *q == "mq" || *q == "mqprio") {
            *qdisc = format!("{qdisc} {}", kinds.join(" "));
        }
    }
}

fn at(body: &[u8], offset: usize) -> Option<u32> {
    number(body.get(offset..)?)
}

fn ethtool(interface: &mut Interface) {
    let Ok(ethtool) = sys::Ethtool::new() else {
        return;
    };
    let name = &interface.name;
    for (offload, command) in OFFLOADS {
        if let Ok(value) = ethtool.value(name, command) {
            interface.offloads.insert(offload.to_owned(), value != 0);
        }
    }
    if let Ok(rings) = ethtool.rings(name) {
        let ring = |now: u32, most: u32| (most > 0).then(|| [now.into(), most.into()]);
        interface.receive_ring = ring(rings.receive, rings.receive_most);
        interface.send_ring = ring(rings.send, rings.send_most);
    }
    if interface.driver.is_none() {
        interface.driver = ethtool.driver(name).ok().filter(|d| !d.is_empty());
    }
}
