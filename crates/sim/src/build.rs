//! From a plan to a network of stations and ports in virtual time.

use farpath_element::impair::Finder;
use farpath_element::{ElementId, Network, Sampling, Transmitter};
use farpath_scenario::plan::Plan;
use farpath_scenario::{LinkId, NodeId, Scenario};
use farpath_units::Duration;
use farpath_wan::Wan;
use farpath_wire::FlowDir;

use crate::built::{Built, Keep, Piece};
use crate::host::{Backlog, Host, Interface};
use crate::programs;
use crate::station::Station;

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
        let clocks = match keep.clocks {
            true => leaving(scenario, &wan.plan),
            false => Vec::new(),
        };
        let (mut ports, mut promised) = (Vec::new(), Vec::new());
        for number in 0..wan.plan.ports.len() {
            let mut port = wan.port(scenario, number);
            if keep.audit {
                port.audit();
            }
            let link = wan.plan.ports[number].link;
            if keep.taps && scenario.links[link.0].tap || clocks.contains(&link) {
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
}

/// The links by which connections with timestamps leave their two ends.
fn leaving(scenario: &Scenario, plan: &Plan) -> Vec<LinkId> {
    let mut links = Vec::new();
    for (number, flow) in plan.flows.iter().enumerate() {
        let tcp = scenario.tests[flow.test].kind.tcp();
        if !tcp.is_some_and(|tcp| tcp.timestamps) {
            continue;
        }
        let there = FlowDir::forward(number as u16);
        for way in [there, there.turned()] {
            let walk = plan.walk(scenario, way);
            let link = walk.first().map(|hop| plan.ports[hop.port].link);
            if let Some(link) = link
                && !links.contains(&link)
            {
                links.push(link);
            }
        }
    }
    links
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
