//! From a plan to a network of stations and ports in virtual time.

use std::sync::Arc;

use farpath_element::atm::CircuitsConfig;
use farpath_element::impair::{Finder, GilbertElliott, Line, Loss, LossSpec};
use farpath_element::{Element, ElementId, Io, Network, Port, PortConfig, Sampling, Transmitter};
use farpath_scenario::plan::{Output, Plan};
use farpath_scenario::{Loss as LossModel, NodeId, Scenario, Way};
use farpath_units::{Duration, Key, Time};
use farpath_wire::FlowDir;

use crate::circuits;
use crate::host::{Backlog, Host, Interface};
use crate::programs;
use crate::queueing::Site;
use crate::station::{Drops, Station};

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
    /// The plan it was built from.
    pub plan: Plan,
    /// How often counters are noted.
    pub sampling: Sampling,
    stations: Vec<ElementId>,
    ports: Vec<ElementId>,
    /// Per port: the largest base RTT of any flow through it.
    longest_rtt: Vec<Duration>,
    /// `TEST/STREAM` by flow number: what luck is keyed with, since numbers follow the test list.
    flow_names: Arc<[String]>,
    seed: u64,
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
        let longest_rtt = longest_rtts(scenario, &plan);
        let headers = headers(&plan);
        let mut network = Network::new();
        let stations: Vec<ElementId> = (0..scenario.node_count())
            .map(|node| {
                network.add(Piece::Station(Box::new(station(
                    scenario, &plan, node, sampling,
                ))))
            })
            .collect();
        let flow_names = plan
            .flows
            .iter()
            .map(|f| {
                let asks = if f.asks { "/asks" } else { "" };
                format!("{}/{}{asks}", scenario.tests[f.test].name, f.stream)
            })
            .collect();
        let mut built = Built {
            network,
            plan,
            sampling,
            stations,
            ports: Vec::new(),
            longest_rtt,
            flow_names,
            seed,
        };
        for number in 0..built.plan.ports.len() {
            let mut port = Port::new(built.port_config(scenario, number, &headers));
            if keep.audit {
                port.audit();
            }
            if keep.taps && scenario.links[built.plan.ports[number].link.0].tap {
                port.tap();
            }
            if let Some(line) = built.line(scenario, number) {
                port.impair(line);
            }
            let id = built.network.add(Piece::Port(Box::new(port)));
            built.ports.push(id);
        }
        if scenario.links.iter().any(damages) {
            for node in 0..scenario.node_count() {
                built.station_mut(node).check_sums();
            }
        }
        built.connect();
        programs::install(scenario, &mut built, keep);
        built
    }

    fn port_config(&self, scenario: &Scenario, number: usize, headers: &Arc<[u16]>) -> PortConfig {
        let plan = &self.plan.ports[number];
        let link = &scenario.links[plan.link.0];
        let direction = &link.directions[usize::from(plan.way == Way::Reverse)];
        let limit = match scenario.hosts.get(plan.from.0) {
            Some(host) => farpath_element::qdisc::Limit::Packets(host.txqueuelen),
            None => Scenario::queue_limit(direction.queue, plan.rate, self.longest_rtt[number]),
        };
        let site = Site {
            scenario,
            plan: &self.plan,
            number,
            longest_rtt: self.longest_rtt[number],
            key: self.port_key(scenario, number),
            flow_names: &self.flow_names,
        };
        PortConfig {
            rate: plan.rate,
            framing: link.framing,
            mtu: direction.mtu,
            limit,
            delay: direction.delay,
            reorder: direction.reorder,
            losses: self.losses(scenario, number, &direction.losses, None),
            forwarding: plan.forwarding.clone(),
            headers: Arc::clone(headers),
            sampling: self.sampling,
            changes: plan.changes,
            conditioning: site.conditioning(),
            queues: site.discipline(),
            circuits: self.circuits(scenario, number),
        }
    }

    fn circuits(&self, scenario: &Scenario, number: usize) -> Option<CircuitsConfig> {
        let plan = &self.plan.ports[number];
        let names = Arc::clone(&self.flow_names);
        circuits::config(scenario, plan, Key::new(self.seed), names)
    }

    /// Causes of loss at work. Each has its own luck, keyed by what it is and, when an event put it
    /// there, by when: neither another cause beside it nor another event before it changes it.
    pub(crate) fn losses(
        &self,
        scenario: &Scenario,
        port: usize,
        models: &[LossModel],
        since: Option<Time>,
    ) -> Vec<Loss> {
        let key = self.port_key(scenario, port).with("loss");
        let key = since.map_or(key, |at| key.with("event").with_number(at.as_ps()));
        let at_work = |model: &LossModel| {
            // A scripted loss names a flow that may not be part of this run (`--only`).
            let spec = self.loss_spec(scenario, model)?;
            let loss = Loss::new(spec, key.with(purpose(model)));
            Some(loss.with_flow_names(Arc::clone(&self.flow_names)))
        };
        // Wrong bits on a link of cells are the circuits' affair.
        let framing = scenario.links[self.plan.ports[port].link.0].framing;
        let frames = models
            .iter()
            .filter(|m| !(framing.is_atm() && matches!(m, LossModel::BitError(_))));
        frames.filter_map(at_work).collect()
    }

    /// What all luck of a port is keyed with.
    fn port_key(&self, scenario: &Scenario, port: usize) -> Key {
        let plan = &self.plan.ports[port];
        Key::new(self.seed)
            .with(&scenario.links[plan.link.0].name)
            .with(&scenario.direction_name(plan.link, plan.way))
    }

    /// What its times up and down are keyed with.
    pub(crate) fn flap_key(&self, scenario: &Scenario, port: usize) -> Key {
        self.port_key(scenario, port).with("flap")
    }

    /// What else than loss happens to frames behind a port's transmitter, if anything does.
    fn line(&self, scenario: &Scenario, port: usize) -> Option<Line> {
        let plan = &self.plan.ports[port];
        let link = &scenario.links[plan.link.0];
        let impairments = &link.directions[usize::from(plan.way == Way::Reverse)].impairments;
        let key = self.port_key(scenario, port);
        (!impairments.is_none()).then(|| Line::new(impairments, key, &self.flow_names))
    }

    fn loss_spec(&self, scenario: &Scenario, model: &LossModel) -> Option<LossSpec> {
        Some(match model {
            LossModel::EveryNth(n) => LossSpec::EveryNth(*n),
            LossModel::Bernoulli(p) => LossSpec::Bernoulli(p.get()),
            LossModel::BitError(ber) => LossSpec::BitError(*ber),
            LossModel::GilbertElliott {
                p,
                r,
                loss_good,
                loss_bad,
            } => LossSpec::GilbertElliott(GilbertElliott {
                p: p.get(),
                r: r.get(),
                loss_good: loss_good.get(),
                loss_bad: loss_bad.get(),
            }),
            LossModel::Scripted {
                test,
                stream,
                segment,
            } => {
                let hit = |f: &farpath_scenario::plan::Flow| {
                    scenario.tests[f.test].name == *test && f.stream == *stream
                };
                let number = self.plan.flows.iter().position(hit)?;
                let ordinal = segment.saturating_sub(1);
                let kind = &scenario.tests[self.plan.flows[number].test].kind;
                let unit = match kind.tcp() {
                    Some(_) => u64::from(self.plan.mss(scenario, number)),
                    None => 1,
                };
                LossSpec::Scripted {
                    flow: FlowDir::forward(number as u16),
                    seq: ordinal.saturating_mul(unit),
                }
            }
        })
    }

    fn connect(&mut self) {
        for node in 0..self.stations.len() {
            let id = self.stations[node];
            let lookahead = self.station(node).lookahead();
            for port in self.plan.nodes[node].ports.clone() {
                self.network.connect(id, self.ports[port], lookahead);
            }
        }
        for number in 0..self.ports.len() {
            let lookahead = self.port(number).lookahead();
            for output in self.plan.ports[number].outputs.clone() {
                let (to, lookahead) = match output {
                    Output::Node(node) if self.plan.ports[number].reaches_node => {
                        (self.stations[node.0], lookahead)
                    }
                    Output::Node(node) => (self.stations[node.0], Network::<Piece>::NEVER),
                    Output::Port(port) => (self.ports[port], lookahead),
                };
                self.network.connect(self.ports[number], to, lookahead);
            }
        }
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
        let node = self.plan.ports[number].to;
        // A node's inputs are numbered like the ports that lead to it; see `connect`.
        let input = self.plan.ports[..number]
            .iter()
            .filter(|p| p.to == node)
            .count();
        self.station(node.0).dropped(input)
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

    /// The largest base RTT of any flow through a port.
    pub fn longest_rtt(&self, port: usize) -> Duration {
        self.longest_rtt[port]
    }

    /// The seed of the run.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// Whether a link hands on damaged frames.
fn damages(link: &farpath_scenario::Link) -> bool {
    let by_hosts = |d: &farpath_scenario::Direction| {
        matches!(d.impairments.corruption, Some((_, Finder::Checksum { .. })))
    };
    link.directions.iter().any(by_hosts)
}

/// What a cause of loss draws its luck for; at most one of each random kind is at work at a time.
fn purpose(model: &LossModel) -> &'static str {
    match model {
        LossModel::Scripted { .. } => "scripted",
        LossModel::EveryNth(_) => "every",
        LossModel::Bernoulli(_) => "bernoulli",
        LossModel::GilbertElliott { .. } => "gilbert-elliott",
        LossModel::BitError(_) => "bit-error",
    }
}

fn station(scenario: &Scenario, plan: &Plan, node: usize, sampling: Sampling) -> Station {
    let router = node
        .checked_sub(scenario.hosts.len())
        .map(|r| &scenario.routers[r]);
    let routes = plan.nodes[node].routes.clone();
    let host = match scenario.hosts.get(node) {
        Some(host) => machinery(scenario, plan, node, host),
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
fn machinery(scenario: &Scenario, plan: &Plan, node: usize, host: &farpath_scenario::Host) -> Host {
    let interface = |port: &usize| {
        let port = &plan.ports[*port];
        let framing = scenario.links[port.link.0].framing;
        let backlog = Backlog {
            rule: host.queue_rule(),
            datagram: scenario.datagram_limit(NodeId(node), port.link),
            packets: host.txqueuelen,
        };
        Interface::new(Transmitter::new(port.rate, framing), backlog)
    };
    let interfaces = plan.nodes[node].ports.iter().map(interface).collect();
    Host::new(interfaces, &host.limits)
}

/// Header bytes of data frames by flow and direction.
fn headers(plan: &Plan) -> Arc<[u16]> {
    plan.flows
        .iter()
        .flat_map(|f| [f.header_bytes, f.header_bytes])
        .collect()
}

/// For each port, the largest propagation there and back of any flow through it.
fn longest_rtts(scenario: &Scenario, plan: &Plan) -> Vec<Duration> {
    let mut longest = vec![Duration::ZERO; plan.ports.len()];
    for number in 0..plan.flows.len() {
        let there = plan.walk(scenario, FlowDir::forward(number as u16));
        let back = plan.walk(scenario, FlowDir::forward(number as u16).turned());
        let rtt = plan.propagation(scenario, &there) + plan.propagation(scenario, &back);
        for hop in there.iter().chain(&back) {
            longest[hop.port] = longest[hop.port].max(rtt);
        }
    }
    longest
}
