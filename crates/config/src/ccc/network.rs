//! Routers side by side: who owns an address, which interfaces are two ends of a link.

use core::net::Ipv4Addr;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::circuit::{Hop, Port};
use crate::junos::model::{Interface, Lsp, Router, Unit};
use crate::links::MOST_ON_A_LINK;

/// The routers of all files and what joins them.
#[derive(Debug)]
pub struct Network<'r> {
    /// As configured.
    pub routers: &'r [Router],
    /// Both directions of every link: two interfaces in one subnet.
    pub hops: Vec<Hop>,
    /// Routers with an LSP to an address no router given has.
    pub leads_away: BTreeSet<usize>,
    names: Vec<Names<'r>>,
    owners: BTreeMap<Ipv4Addr, Vec<usize>>,
    /// Heads that define an LSP of a name: router and number.
    heads: BTreeMap<&'r str, Vec<(usize, usize)>>,
    from: BTreeMap<usize, Vec<usize>>,
}

/// What one router's names stand for.
#[derive(Debug, Default)]
struct Names<'r> {
    lsps: BTreeMap<&'r str, usize>,
    units: BTreeMap<String, (usize, usize)>,
    receivers: BTreeMap<&'r str, Vec<usize>>,
}

impl<'r> Network<'r> {
    /// Joins routers.
    pub fn new(routers: &'r [Router]) -> Network<'r> {
        let mut network = Network {
            routers,
            hops: Vec::new(),
            leads_away: BTreeSet::new(),
            names: routers.iter().map(Names::of).collect(),
            owners: BTreeMap::new(),
            heads: BTreeMap::new(),
            from: BTreeMap::new(),
        };
        for (number, router) in routers.iter().enumerate() {
            let units = router.interfaces.iter().flat_map(|i| &i.units);
            let addresses = units.flat_map(|u| &u.addresses).map(|a| a.value.0);
            let id = router.router_id.iter().map(|r| r.value);
            for address in addresses.chain(id) {
                let owners = network.owners.entry(address).or_default();
                if owners.last() != Some(&number) {
                    owners.push(number);
                }
            }
            for (i, lsp) in router.lsps().iter().enumerate() {
                let heads = network.heads.entry(lsp.name.as_str()).or_default();
                heads.push((number, i));
            }
        }
        network.find_links();
        let away = |r: &usize| {
            let lsps = routers[*r].lsps().iter().filter(|l| l.to.is_some());
            lsps.into_iter().any(|l| network.tail(*r, l).is_none())
        };
        network.leads_away = (0..routers.len()).filter(away).collect();
        network
    }

    fn find_links(&mut self) {
        let mut subnets: BTreeMap<(u32, u8), Vec<Port>> = BTreeMap::new();
        for (router, configured) in self.routers.iter().enumerate() {
            for interface in &configured.interfaces {
                for unit in &interface.units {
                    for (address, length) in unit.addresses.iter().map(|a| a.value) {
                        if length == 0 || length == 32 {
                            continue;
                        }
                        let net = u32::from(address) >> (32 - length);
                        subnets.entry((net, length)).or_default().push(Port {
                            router,
                            interface: format!("{}.{}", interface.name, unit.number),
                        });
                    }
                }
            }
        }
        for ports in subnets.into_values().filter(|p| p.len() <= MOST_ON_A_LINK) {
            for from in &ports {
                for to in ports.iter().filter(|to| to.router != from.router) {
                    self.from
                        .entry(from.router)
                        .or_default()
                        .push(self.hops.len());
                    self.hops.push(Hop {
                        from: from.clone(),
                        to: to.clone(),
                    });
                }
            }
        }
    }

    /// The LSP of this name that starts on a router.
    pub fn lsp(&self, router: usize, name: &str) -> Option<&'r Lsp> {
        let number = self.names[router].lsps.get(name)?;
        self.routers[router].lsps().get(*number)
    }

    /// Connections of a router that take from an LSP of this name.
    pub fn receivers(&self, router: usize, name: &str) -> &[usize] {
        self.names[router]
            .receivers
            .get(name)
            .map_or(&[], Vec::as_slice)
    }

    /// The interface and unit of a name; without a unit, `0` is meant.
    pub fn unit(&self, router: usize, name: &str) -> Option<(&'r Interface, &'r Unit)> {
        let units = &self.names[router].units;
        let found = units.get(name).or_else(|| {
            let bare = !name.contains('.');
            bare.then(|| units.get(&format!("{name}.0"))).flatten()
        });
        let (interface, unit) = *found?;
        let interface = &self.routers[router].interfaces[interface];
        Some((interface, &interface.units[unit]))
    }

    /// The router an LSP ends on; `None` if no router among the files has its `to` address.
    pub fn tail(&self, head: usize, lsp: &Lsp) -> Option<usize> {
        let owners = self.owners.get(&lsp.to.as_ref()?.value)?;
        owners
            .iter()
            .copied()
            .find(|o| *o != head)
            .or_else(|| owners.first().copied())
    }

    /// Heads that define an LSP of this name.
    pub fn heads(&self, name: &str) -> &[(usize, usize)] {
        self.heads.get(name).map_or(&[], Vec::as_slice)
    }

    /// The links an LSP takes: by the addresses of its path and then to its tail, over the fewest
    /// links; of several, the one `to` lies on, then the first.
    pub fn way(&self, head: usize, lsp: &Lsp) -> Vec<Hop> {
        let paths = self.routers[head]
            .mpls
            .as_ref()
            .map_or(&[][..], |m| &m.paths);
        let primary = lsp.primary.as_ref();
        let path = primary.and_then(|p| paths.iter().find(|e| e.name == p.value));
        let mut at = head;
        let mut way = Vec::new();
        let to = lsp.to.as_ref().map(|t| t.value);
        for address in path.iter().flat_map(|p| &p.hops).copied().chain(to) {
            let Some(hops) = self.shortest(at, address) else {
                return Vec::new();
            };
            way.extend(hops);
            at = way.last().map_or(head, |h: &Hop| h.to.router);
        }
        way
    }

    fn shortest(&self, from: usize, address: Ipv4Addr) -> Option<Vec<Hop>> {
        let owners = self.owners.get(&address)?;
        if owners.contains(&from) {
            return Some(Vec::new());
        }
        let mut came: BTreeMap<usize, usize> = BTreeMap::new();
        let mut open = VecDeque::from([from]);
        while let Some(at) = open.pop_front() {
            if owners.contains(&at) {
                return Some(self.trace(from, at, &came));
            }
            let mut hops = self.from.get(&at).cloned().unwrap_or_default();
            hops.sort_by_key(|h| !self.port_has(&self.hops[*h].to, address));
            for hop in hops {
                let next = self.hops[hop].to.router;
                if next != from && !came.contains_key(&next) {
                    came.insert(next, hop);
                    open.push_back(next);
                }
            }
        }
        None
    }

    fn trace(&self, from: usize, to: usize, came: &BTreeMap<usize, usize>) -> Vec<Hop> {
        let mut way = Vec::new();
        let mut at = to;
        while at != from {
            let hop = &self.hops[came[&at]];
            way.push(hop.clone());
            at = hop.from.router;
        }
        way.reverse();
        way
    }

    fn port_has(&self, port: &Port, address: Ipv4Addr) -> bool {
        let unit = self.unit(port.router, &port.interface);
        unit.is_some_and(|(_, u)| u.addresses.iter().any(|a| a.value.0 == address))
    }
}

impl<'r> Names<'r> {
    fn of(router: &'r Router) -> Names<'r> {
        let mut names = Names::default();
        for (i, lsp) in router.lsps().iter().enumerate() {
            names.lsps.entry(lsp.name.as_str()).or_insert(i);
        }
        for (i, interface) in router.interfaces.iter().enumerate() {
            for (u, unit) in interface.units.iter().enumerate() {
                names
                    .units
                    .insert(format!("{}.{}", interface.name, unit.number), (i, u));
            }
        }
        for (i, connection) in router.connections.iter().enumerate() {
            if let Some(receive) = connection.receive() {
                names
                    .receivers
                    .entry(receive.value.as_str())
                    .or_default()
                    .push(i);
            }
        }
        names
    }
}
