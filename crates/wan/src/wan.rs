//! The ports of a scenario and how they are joined.

use std::sync::Arc;

use farpath_element::atm::CircuitsConfig;
use farpath_element::impair::{Flap, Impairments, Line};
use farpath_element::qdisc::Limit;
use farpath_element::{
    Change as PortChange, Element, ElementId, Forwarding, Network, Outages, Port, PortConfig,
    Sampling,
};
use farpath_scenario::plan::{Flow, Output, Plan};
use farpath_scenario::{Change, Event, QueueLimit, Scenario, Way};
use farpath_units::{Duration, Key, Rate, Time};

use crate::circuits;
use crate::queueing::Site;

/// Everything ports are built from and results are made of.
pub struct Wan {
    /// Flows, routes, labels, circuits.
    pub plan: Plan,
    /// How often counters are noted.
    pub sampling: Sampling,
    headers: Arc<[u16]>,
    /// `TEST/STREAM` by flow number: what luck is keyed with, since numbers follow the test list.
    pub(crate) flow_names: Arc<[String]>,
    seed: u64,
    /// Packets that may wait in front of a host's interface, whatever the host says.
    host_queue: Option<u64>,
}

impl Wan {
    /// What lies between the hosts of `scenario`, whose plan is `plan`.
    pub fn new(scenario: &Scenario, plan: Plan, seed: u64, sampling: Sampling) -> Wan {
        let name = |f: &farpath_scenario::plan::Flow| {
            let asks = if f.asks { "/asks" } else { "" };
            format!("{}/{}{asks}", scenario.tests[f.test].name, f.stream)
        };
        Wan {
            headers: headers(&plan),
            flow_names: plan.flows.iter().map(name).collect(),
            plan,
            sampling,
            seed,
            host_queue: None,
        }
    }

    /// Hosts are real and keep their own queues: `packets` may wait here, which come in bursts.
    #[must_use]
    pub fn with_host_queue(mut self, packets: u64) -> Wan {
        self.host_queue = Some(packets);
        self
    }

    /// Port `number` before the start of the run.
    pub fn port(&self, scenario: &Scenario, number: usize) -> Port {
        let mut port = Port::new(self.port_config(scenario, number));
        if !self.impairments(scenario, number).is_none() {
            port.impair(self.line(scenario, number));
        }
        let arrivals = self.site(scenario, number).arrivals();
        if !arrivals.is_empty() {
            port.condition_arrivals(arrivals);
        }
        port
    }

    fn port_config(&self, scenario: &Scenario, number: usize) -> PortConfig {
        let plan = &self.plan.ports[number];
        let link = &scenario.links[plan.link.0];
        let direction = link.direction(plan.way);
        let site = self.site(scenario, number);
        PortConfig {
            rate: plan.rate,
            framing: link.framing,
            mtu: direction.mtu,
            limit: self.queue_limit(scenario, number),
            delay: direction.delay,
            reorder: direction.reorder,
            losses: self.losses(scenario, number, &direction.losses, None),
            forwarding: self.forwarding(scenario, number),
            headers: Arc::clone(&self.headers),
            sampling: self.sampling,
            changes: plan.changes,
            conditioning: site.conditioning(),
            queues: site.discipline(),
            circuits: self.circuits(scenario, number),
        }
    }

    /// What may wait in front of port `number`, whoever sends on it.
    pub fn queue_limit(&self, scenario: &Scenario, number: usize) -> Limit {
        let plan = &self.plan.ports[number];
        let queue = scenario.links[plan.link.0].direction_from(plan.from).queue;
        self.written_limit(scenario, number, queue)
    }

    /// The same where this is written of its queue. At a real host that says what waits in the host.
    fn written_limit(&self, scenario: &Scenario, number: usize, queue: QueueLimit) -> Limit {
        let plan = &self.plan.ports[number];
        match self.host_queue {
            Some(packets) if plan.from.0 < scenario.hosts.len() => Limit::Packets(packets),
            _ => Scenario::queue_limit(queue, plan.rate, self.plan.longest_rtt(number)),
        }
    }

    /// What the far node does with frames; its bundles know when their members are down.
    fn forwarding(&self, scenario: &Scenario, number: usize) -> Forwarding {
        let plan = &self.plan.ports[number];
        let mut forwarding = plan.forwarding.clone();
        for spread in &mut forwarding.spreads {
            let outputs: Vec<u16> = spread.outputs().collect();
            for (n, output) in outputs.into_iter().enumerate() {
                if let Output::Port(member) = plan.outputs[usize::from(output)] {
                    spread.set_outages(n, self.outages(scenario, member));
                }
            }
        }
        forwarding
    }

    /// When a port, a member of a bundle, is down: by events, or by itself.
    fn outages(&self, scenario: &Scenario, number: usize) -> Outages {
        let plan = &self.plan.ports[number];
        let mut told: Vec<(Time, bool)> = Vec::new();
        for event in &scenario.events {
            if let Change::Up(up) = event.change
                && event.link == plan.link
                && event.ways.contains(&plan.way)
            {
                told.push((event.at, up));
            }
        }
        told.sort_by_key(|change| change.0);
        let mut is_up = true;
        told.retain(|change| std::mem::replace(&mut is_up, change.1) != change.1);
        let way = usize::from(plan.way == Way::Reverse);
        let flap = scenario.links[plan.link.0].directions[way].impairments.flap;
        let flap = flap.filter(|f| !f.holds);
        Outages::new(
            told.into_iter().map(|change| change.0).collect(),
            flap.map(|spec| Flap::new(spec, self.flap_key(scenario, number))),
            scenario
                .bundle_of(plan.link)
                .map_or(Duration::ZERO, |b| b.detection),
        )
    }

    fn site<'a>(&'a self, scenario: &'a Scenario, number: usize) -> Site<'a> {
        Site {
            scenario,
            plan: &self.plan,
            number,
            longest_rtt: self.plan.longest_rtt(number),
            key: self.port_key(scenario, number),
            flow_names: &self.flow_names,
        }
    }

    fn circuits(&self, scenario: &Scenario, number: usize) -> Option<CircuitsConfig> {
        let plan = &self.plan.ports[number];
        let names = Arc::clone(&self.flow_names);
        let is_single = |f: &Flow| {
            let udp = scenario.tests[f.test].kind.udp();
            udp.is_some_and(|udp| udp.cells.is_some())
        };
        let single = self.plan.flows.iter().map(is_single).collect();
        circuits::config(scenario, plan, Key::new(self.seed), (names, single))
    }

    /// What all luck of a port is keyed with.
    pub(crate) fn port_key(&self, scenario: &Scenario, port: usize) -> Key {
        let plan = &self.plan.ports[port];
        Key::new(self.seed)
            .with(&scenario.links[plan.link.0].name)
            .with(&scenario.direction_name(plan.link, plan.way))
    }

    /// What its times up and down are keyed with.
    pub(crate) fn flap_key(&self, scenario: &Scenario, port: usize) -> Key {
        self.port_key(scenario, port).with("flap")
    }

    fn impairments<'a>(&self, scenario: &'a Scenario, port: usize) -> &'a Impairments {
        let plan = &self.plan.ports[port];
        let link = &scenario.links[plan.link.0];
        &link.direction(plan.way).impairments
    }

    /// What else than loss happens to frames behind a port's transmitter; nothing where `scenario` says nothing.
    pub fn line(&self, scenario: &Scenario, port: usize) -> Line {
        let key = self.port_key(scenario, port);
        Line::new(self.impairments(scenario, port), key, &self.flow_names)
    }

    /// What `event` makes of port `number`, which is one of its own.
    pub fn change(&self, scenario: &Scenario, event: &Event, number: usize) -> PortChange {
        match &event.change {
            Change::Rate(rate) => PortChange::Rate(self.host_rate(scenario, number, *rate)),
            Change::Delay(delay) => PortChange::Delay(*delay),
            Change::Up(up) => PortChange::Up(*up),
            Change::Losses(models) => {
                PortChange::Losses(self.losses(scenario, number, models, Some(event.at)))
            }
            Change::Queue(written) => {
                PortChange::Limit(self.written_limit(scenario, number, *written))
            }
        }
    }

    /// The rate of a port whose link has `rate`: a host's interface may be slower.
    pub(crate) fn host_rate(&self, scenario: &Scenario, number: usize, rate: Rate) -> Rate {
        let host = scenario.hosts.get(self.plan.ports[number].from.0);
        host.and_then(|h| h.nic).map_or(rate, |nic| nic.min(rate))
    }

    /// Joins nodes and ports as the plan says. `stations[node]` and `ports[number]` are their elements,
    /// and each comes with what it promises beyond the instant it has been advanced to.
    pub fn connect<E: Element>(
        &self,
        network: &mut Network<E>,
        stations: &[(ElementId, Duration)],
        ports: &[(ElementId, Duration)],
    ) {
        for (node, (id, lookahead)) in stations.iter().enumerate() {
            for port in &self.plan.nodes[node].ports {
                network.connect(*id, ports[*port].0, *lookahead);
            }
        }
        for (number, (id, lookahead)) in ports.iter().enumerate() {
            let port = &self.plan.ports[number];
            for output in &port.outputs {
                let (to, lookahead) = match *output {
                    Output::Node(node) if port.reaches_node => (stations[node.0].0, *lookahead),
                    Output::Node(node) => (stations[node.0].0, Network::<E>::NEVER),
                    Output::Port(port) => (ports[port].0, *lookahead),
                };
                network.connect(*id, to, lookahead);
            }
        }
    }

    /// Which input of the node behind it port `number` is: [`Wan::connect`] numbers a node's inputs
    /// like the ports that lead to it.
    pub fn input_of(&self, number: usize) -> usize {
        let node = self.plan.ports[number].to;
        let before = self.plan.ports[..number].iter();
        before.filter(|p| p.to == node).count()
    }

    /// The largest base RTT of any flow through a port.
    pub fn longest_rtt(&self, port: usize) -> Duration {
        self.plan.longest_rtt(port)
    }

    /// The seed of the run.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// Header bytes of data frames by flow and direction.
fn headers(plan: &Plan) -> Arc<[u16]> {
    plan.flows
        .iter()
        .flat_map(|f| [f.header_bytes, f.header_bytes])
        .collect()
}

#[cfg(test)]
mod tests {
    use farpath_scenario::plan::port_of;
    use farpath_scenario::{LinkId, Source, parse};

    use super::*;

    /// A real host keeps what its own interface holds back: its port has room for the bursts that come of it, whatever an event sets.
    #[test]
    fn the_port_of_a_real_host_keeps_its_room() {
        let text = "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[router]]\nname = \"r\"\n\
             [[link]]\nname = \"near\"\nends = [\"a\", \"r\"]\nrate = \"10 Mbit/s\"\nqueue = \"10 ms\"\n\
             [[link]]\nname = \"far\"\nends = [\"r\", \"b\"]\nrate = \"10 Mbit/s\"\n\
             [[test]]\nname = \"t\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"b\"\ncount = 5\n\
             [[event]]\nat = \"1 s\"\nlink = \"near\"\nqueue = \"20 ms\"\n";
        let source = Source {
            name: "x.toml".to_owned(),
            text: text.to_owned(),
        };
        let scenario = parse(&source, &[]).expect("a scenario");
        let wan = || {
            let plan = Plan::new(&scenario).expect("a plan");
            Wan::new(&scenario, plan, 1, Sampling::OFF)
        };
        let limits = |wan: &Wan, way| {
            let port = port_of(LinkId(0), way);
            let change = wan.change(&scenario, &scenario.events[0], port);
            let PortChange::Limit(then) = change else {
                panic!("its queue changes");
            };
            [wan.queue_limit(&scenario, port), then]
        };
        let written = [12_500, 25_000].map(Limit::Bytes);
        let real = wan().with_host_queue(9);
        assert_eq!(limits(&real, Way::Forward), [Limit::Packets(9); 2]);
        assert_eq!(limits(&real, Way::Reverse), written);
        assert_eq!(limits(&wan(), Way::Forward), written);
    }
}
