//! From a plan to a network of stations and ports in virtual time.

use farpath_element::impair::Finder;
use farpath_element::{Element, ElementId, Io, Network, Port, Sampling, Transmitter};
use farpath_scenario::plan::Plan;
use farpath_scenario::{NodeId, Scenario};
use farpath_units::{Duration, Time};
use farpath_wan::{Drops, Wan};

use crate::host::{Backlog, Host, Interface};
use crate::programs;
use crate::station::Station;

/// One element of a simulated network.
pub enum Piece {
    /// A node's endpoint.
    Station(Box<Station>),
    /// One direction of a link.
    Port(Box<Port>),
}

impl Element for Piece {
    #[inline]
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        match self {
            Piece::Station(s) => s.advance(until, io),
            Piece::Port(p) => p.advance(until, io),
        }
    }

    #[inline]
    fn deadline(&self) -> Time {
        match self {
            Piece::Station(s) => s.deadline(),
            Piece::Port(p) => p.deadline(),
        }
    }
}

/// A scenario's network before its first instant.
pub struct Built {
    /// The elements.
    pub network: Network<Piece>,
    /// What its links are built from.
    pub wan: Wan,
    stations: Vec<ElementId>,
    ports: Vec<ElementId>,
}

/// What a run keeps besides counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keep {
    /// Bursts of each kind for every connection's time–sequence plot.
    pub sequence: usize,
    /// Sum hashes of every departure, drop and arrival.
    pub audit: bool,
    /// Copy frames on links with `tap = true`.
    pub taps: bool,
}

impl Built {
    /// Builds the network of `scenario`.
    pub fn new(
        scenario: &Scenario,
        plan: Plan,
        seed: u64,
        sampling: Sampling,
        keep: Keep,
    ) -> Built {
        let wan = Wan::new(scenario, plan, seed, sampling);
        let mut network = Network::new();
        let stations: Vec<ElementId> = (0..scenario.node_count())
            .map(|node| {
                network.add(Piece::Station(Box::new(station(
                    scenario, &wan, node, sampling,
                ))))
            })
            .collect();
        let (mut ports, mut promised) = (Vec::new(), Vec::new());
        for number in 0..wan.plan.ports.len() {
            let mut port = wan.port(scenario, number);
            if keep.audit {
                port.audit();
            }
            if keep.taps && scenario.links[wan.plan.ports[number].link.0].tap {
                port.tap();
            }
            let lookahead = port.lookahead();
            ports.push(network.add(Piece::Port(Box::new(port))));
            promised.push((ports[number], lookahead));
        }
        let mut built = Built {
            network,
            wan,
            stations,
            ports,
        };
        if scenario.links.iter().any(damages) {
            for node in 0..scenario.node_count() {
                built.station_mut(node).check_sums();
            }
        }
        built.connect(&promised);
        programs::install(scenario, &mut built, keep);
        built
    }

    fn connect(&mut self, ports: &[(ElementId, Duration)]) {
        let nodes = self.stations.iter().enumerate();
        let stations: Vec<_> = nodes
            .map(|(node, id)| (*id, self.station(node).lookahead()))
            .collect();
        self.wan.connect(&mut self.network, &stations, ports);
    }

    /// How many ports there are.
    pub fn port_count(&self) -> usize {
        self.ports.len()
    }

    /// A port, as numbered in the plan.
    pub fn port(&self, number: usize) -> &Port {
        match self.network.element(self.ports[number]) {
            Piece::Port(port) => port,
            Piece::Station(_) => unreachable!("ports were added as ports"),
        }
    }

    /// A port, to change or drain.
    pub fn port_mut(&mut self, number: usize) -> &mut Port {
        match self.network.element_mut(self.ports[number]) {
            Piece::Port(port) => port,
            Piece::Station(_) => unreachable!("ports were added as ports"),
        }
    }

    /// A node's station.
    pub fn station(&self, node: usize) -> &Station {
        match self.network.element(self.stations[node]) {
            Piece::Station(station) => station,
            Piece::Port(_) => unreachable!("stations were added as stations"),
        }
    }

    /// Frames that crossed a port's link and were dropped by the node behind it.
    pub fn dropped_behind(&self, number: usize) -> Drops {
        let node = self.wan.plan.ports[number].to;
        self.station(node.0).dropped(self.wan.input_of(number))
    }

    /// A node's station, to install programs or take results.
    pub fn station_mut(&mut self, node: usize) -> &mut Station {
        match self.network.element_mut(self.stations[node]) {
            Piece::Station(station) => station,
            Piece::Port(_) => unreachable!("stations were added as stations"),
        }
    }

    /// The port's promise has changed with its delay.
    pub(crate) fn renew_lookahead(&mut self, port: usize) {
        let lookahead = self.port(port).lookahead();
        self.network.set_lookahead(self.ports[port], lookahead);
    }
}

/// Whether a link hands on damaged frames.
fn damages(link: &farpath_scenario::Link) -> bool {
    let by_hosts = |d: &farpath_scenario::Direction| {
        matches!(d.impairments.corruption, Some((_, Finder::Checksum { .. })))
    };
    link.directions.iter().any(by_hosts)
}

fn station(scenario: &Scenario, wan: &Wan, node: usize, sampling: Sampling) -> Station {
    let router = node
        .checked_sub(scenario.hosts.len())
        .map(|r| &scenario.routers[r]);
    let routes = wan.plan.nodes[node].routes.clone();
    let host = match scenario.hosts.get(node) {
        Some(host) => machinery(scenario, wan, node, host),
        None => Host::none(),
    };
    Station::new(
        node as u32,
        router.is_none_or(|r| r.answers),
        router.is_some(),
        routes,
        host,
        sampling,
    )
}

/// What stands between a host's programs and its links.
fn machinery(scenario: &Scenario, wan: &Wan, node: usize, host: &farpath_scenario::Host) -> Host {
    let interface = |number: &usize| {
        let port = &wan.plan.ports[*number];
        let framing = scenario.links[port.link.0].framing;
        let backlog = Backlog {
            rule: host.queue_rule(),
            datagram: scenario.datagram_limit(NodeId(node), port.link),
            limit: wan.queue_limit(scenario, *number),
        };
        Interface::new(Transmitter::new(port.rate, framing), backlog)
    };
    let interfaces = wan.plan.nodes[node].ports.iter().map(interface).collect();
    Host::new(interfaces, &host.limits)
}
