//! Routers that bring their configuration: what the files say becomes LSPs, cross-connects, MTUs and
//! queues of the links the scenario names.
//!
//! A file tells names, labels' ways, circuits and classes; it cannot tell how long a fibre is, so rate,
//! delay and port memory stay with the `[[link]]`. A key written on a link wins over the file.

mod circuit;
mod classifiers;
mod configuration;
mod crossed;
mod filters;
mod interface;
mod known;
mod scheduling;
mod segments;
mod switch;
mod wired;

pub(crate) use configuration::load;
pub use wired::{Stated, Wired, wired};

use farpath_config::ccc::{Network, Port as CorePort, labelled};
use farpath_config::junos::model::Joins;

use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::model::{Ccc, Configuration, LinkId, Lsp, NodeId, Scenario, Way};
use crate::sections::Tables;
use interface::{interfaces, is_of, plain, port_in};

/// Adds to `scenario` what its routers' configurations say.
pub(crate) fn apply(
    configuration: &Configuration,
    tables: &Tables,
    scenario: &mut Scenario,
    faults: &mut Vec<Diagnostic>,
) {
    let mut wiring = Wiring {
        configuration,
        tables,
        network: Network::new(&configuration.report.routers),
        faults,
    };
    wiring.known_interfaces(scenario);
    if !wiring.faults.is_empty() {
        return;
    }
    wiring.lsps(scenario);
    if wiring.faults.is_empty() {
        wiring.circuits(scenario);
    }
    wiring.mtus(scenario);
    segments::apply(configuration, tables, scenario);
    filters::apply(configuration, tables, scenario, faults);
    scheduling::apply(configuration, tables, scenario, faults);
    switch::apply(configuration, tables, scenario, faults);
    circuit::apply(configuration, tables, scenario, faults);
}

/// What is derived, as it is derived.
struct Wiring<'a> {
    configuration: &'a Configuration,
    tables: &'a Tables,
    network: Network<'a>,
    faults: &'a mut Vec<Diagnostic>,
}

impl<'a> Wiring<'a> {
    /// Every interface that a link names exists on its router.
    fn known_interfaces(&mut self, scenario: &Scenario) {
        for (link, f) in scenario.links.iter().zip(&self.tables.links) {
            let Some(names) = interfaces(f) else { continue };
            for (node, name) in link.ends.iter().zip(&names) {
                let Some(known) = self.interfaces_of(*node) else {
                    continue;
                };
                if known.iter().any(|k| is_of(name.get_ref(), k)) {
                    continue;
                }
                let title = format!(
                    "`{}` has no interface `{}`",
                    scenario.node_name(*node),
                    name.get_ref()
                );
                let known = known.iter().map(String::as_str);
                let d = Diagnostic::new(name.span(), title);
                self.faults.push(d.suggest(name.get_ref(), known));
            }
        }
    }

    /// The logical interfaces a node's configuration has; `None` where it brings none.
    fn interfaces_of(&self, node: NodeId) -> Option<Vec<String>> {
        let file = self.configuration.nodes.iter().position(|n| *n == node)?;
        if let Some(device) = self.configuration.device(file) {
            let ports = device.interfaces.iter().filter(|i| !i.is_type());
            return Some(ports.map(|i| i.name.clone()).collect());
        }
        let routers = self.configuration.report.routers.iter();
        let own = routers.filter(|r| r.place.file == file);
        let interfaces = own.flat_map(|r| &r.interfaces);
        let names = interfaces.flat_map(|i| {
            let bare = i.units.is_empty().then(|| i.name.clone());
            let units = i.units.iter().map(|u| format!("{}.{}", i.name, u.number));
            bare.into_iter().chain(units)
        });
        Some(names.collect())
    }

    /// The link that ends at this interface of `node`.
    fn link_at(&self, scenario: &Scenario, node: NodeId, interface: &str) -> Option<LinkId> {
        let links = scenario.links.iter().zip(&self.tables.links);
        let at = |(link, f): (&crate::model::Link, &Fields)| {
            let names = interfaces(f)?;
            let side = link.ends.iter().position(|e| *e == node)?;
            is_of(names[side].get_ref(), interface).then_some(())
        };
        let mut numbered = links.enumerate();
        numbered.find_map(|(n, pair)| at(pair).map(|()| LinkId(n)))
    }

    /// Says that no link ends at an interface the configuration needs.
    fn unwired(&mut self, scenario: &Scenario, node: NodeId, interface: &str, what: &str) {
        let file = self.configuration.nodes.iter().position(|n| *n == node);
        let place = self.configuration.named_at(self.tables, file.unwrap_or(0));
        let (name, port) = (scenario.node_name(node), plain(interface));
        let title = format!("no [[link]] ends at `{interface}` of `{name}`, {what}");
        let help = format!(
            "give the link its `interfaces`, in the order of its `ends`: interfaces = [\"{port}\", \"...\"]"
        );
        let d = Diagnostic::new(place, title).help(help);
        if !self.faults.contains(&d) {
            self.faults.push(d);
        }
    }

    /// Every LSP whose end is among the routers.
    fn lsps(&mut self, scenario: &mut Scenario) {
        for (head, router) in self.configuration.report.routers.iter().enumerate() {
            for lsp in router.lsps().iter().filter(|l| l.off.is_none()) {
                let Some(tail) = self.network.tail(head, lsp).filter(|t| *t != head) else {
                    continue;
                };
                let way = self.network.way(head, lsp);
                let hops: Option<Vec<(LinkId, Way)>> = way
                    .iter()
                    .map(|hop| self.hop(scenario, &hop.from, &hop.to))
                    .collect();
                let (Some(hops), false) = (hops, way.is_empty()) else {
                    continue;
                };
                let nodes = way.iter().map(|h| h.to.router);
                let path = core::iter::once(head).chain(nodes);
                let mpls = self.configuration.report.routers[tail].mpls.as_ref();
                scenario.lsps.push(Lsp {
                    name: lsp.name.clone(),
                    path: path.map(|r| self.node(r)).collect(),
                    hops,
                    explicit_null: mpls.is_some_and(|m| m.explicit_null.is_some()),
                });
            }
        }
    }

    fn node(&self, router: usize) -> NodeId {
        self.configuration
            .node(&self.configuration.report.routers[router])
    }

    /// The link between two interfaces, and the way along it.
    fn hop(
        &mut self,
        scenario: &Scenario,
        from: &CorePort,
        to: &CorePort,
    ) -> Option<(LinkId, Way)> {
        let (a, b) = (self.node(from.router), self.node(to.router));
        let link = self.link_at(scenario, a, &from.interface);
        let link = link.filter(|l| Some(*l) == self.link_at(scenario, b, &to.interface));
        if link.is_none() {
            let what = format!(
                "which the files join with `{}` of `{}`",
                to.interface,
                scenario.node_name(b)
            );
            self.unwired(scenario, a, &from.interface, &what);
        }
        let link = link?;
        Some((link, scenario.way_from(a, link)))
    }

    /// Every connection that is switched on.
    fn circuits(&mut self, scenario: &mut Scenario) {
        let known = scenario.lsps.len();
        for (number, router) in self.configuration.report.routers.iter().enumerate() {
            let node = self.node(number);
            for connection in router.connections.iter().filter(|c| c.off.is_none()) {
                let starts = |l: &&Lsp| l.path.first() == Some(&node);
                let ends = |l: &&Lsp| l.path.last() == Some(&node);
                let find = |name: &str, fits: &dyn Fn(&&Lsp) -> bool| {
                    let lsps = scenario.lsps[..known].iter();
                    lsps.enumerate().find(|(_, l)| l.name == name && fits(l))
                };
                let transmit = connection.transmit().and_then(|t| find(&t.value, &starts));
                let receive = connection.receive().and_then(|r| find(&r.value, &ends));
                let (Some((transmit, _)), Some((receive, _))) = (transmit, receive) else {
                    self.not_built(scenario, node, connection);
                    continue;
                };
                let name = connection.name.clone();
                let Joins::Remote { interface, .. } = &connection.joins else {
                    scenario.cccs.push(Ccc::LspSwitch {
                        name,
                        router: node,
                        transmit,
                        receive,
                    });
                    continue;
                };
                let Some(port) = interface else { continue };
                let Some(link) = self.link_at(scenario, node, &port.value) else {
                    self.unwired(scenario, node, &port.value, "the interface of a circuit");
                    continue;
                };
                scenario.cccs.push(Ccc::RemoteInterface {
                    name,
                    router: node,
                    interface: link,
                    vlan: self.vlan(number, &port.value),
                    transmit,
                    receive,
                });
            }
        }
    }

    /// Says why a connection is left out: what it joins is not among the files.
    fn not_built(
        &mut self,
        scenario: &Scenario,
        node: NodeId,
        connection: &farpath_config::junos::model::Connection,
    ) {
        let place = self
            .configuration
            .named_at(self.tables, connection.place.file);
        let (title, help) = match &connection.joins {
            Joins::Interfaces(_) => (
                format!(
                    "{}: interface-switch `{}` of `{}` joins two interfaces of one router",
                    self.configuration.at(&connection.place),
                    connection.name,
                    scenario.node_name(node)
                ),
                "only circuits over LSPs are built: write `inactive:` in front of it",
            ),
            _ => (
                format!(
                    "{}: the LSPs of connection `{}` of `{}` lead to no router of the scenario",
                    self.configuration.at(&connection.place),
                    connection.name,
                    scenario.node_name(node)
                ),
                "give the router at their other end its `config`, too",
            ),
        };
        self.faults.push(Diagnostic::new(place, title).help(help));
    }

    /// The VLAN a circuit's interface carries, if it is one of VLANs.
    fn vlan(&self, router: usize, interface: &str) -> Option<u16> {
        let (port, unit) = self.network.unit(router, interface)?;
        let encapsulation = unit
            .encapsulation
            .as_ref()
            .or(port.encapsulation.as_ref())?;
        let of_vlan = encapsulation.value.contains("vlan");
        unit.vlan.as_ref().filter(|_| of_vlan).map(|v| v.value)
    }

    /// What routers' interfaces carry, where the scenario does not say.
    fn mtus(&self, scenario: &mut Scenario) {
        for (link, f) in scenario.links.iter_mut().zip(&self.tables.links) {
            let Some(names) = interfaces(f) else { continue };
            for (side, key) in ["forward", "reverse"].into_iter().enumerate() {
                let own = f.get::<Fields>(key).is_some_and(|o| o.has("mtu"));
                if own || f.has("mtu") {
                    continue;
                }
                if let Some(mtu) = self.mtu(link.ends[side], names[side].get_ref()) {
                    link.directions[side].mtu = mtu;
                }
            }
        }
    }

    /// What an interface of a Junos router puts behind its own header.
    fn mtu(&self, node: NodeId, name: &str) -> Option<u32> {
        let mut routers = self.configuration.report.routers.iter();
        let router = routers.find(|r| self.configuration.node(r) == node)?;
        let port = port_in(router, name)?;
        let with_labels = port.units.iter().filter(|u| u.mpls.is_some());
        let bytes = with_labels.map(|u| labelled(port, u)).min();
        let plain = port.media_mtu().as_bytes().saturating_sub(port.header());
        u32::try_from(bytes.map_or(plain, |b| b.as_bytes())).ok()
    }
}
