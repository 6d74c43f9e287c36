//! From a plan to a running network, and from a run to everything that can be compared.

use std::sync::Arc;

use farpath_element::atm::CircuitsConfig;
use farpath_element::impair::{Flap, Impairments, Line, Loss, LossSpec};
use farpath_element::qdisc::QueueCounter;
use farpath_element::{
    Change, Channel, ChannelId, Circuit, Counters, Drop, EXPLICIT_NULL, Element, ElementId,
    FIRST_LABEL, Forwarding, Io, LabelAction, Mode, Network, Outages, Port, PortConfig,
    RouteAction, Spread,
};
use farpath_units::{Duration, Key, Time};
use farpath_wire::FlowDir;

use crate::law::choices::Choices;
use crate::law::node::{Node, NodeOutcome};
use crate::law::plain::{Fault, Plain};
use crate::law::plan::{ChangePlan, LspEnd, Plan, Way};

const UNKNOWN_LABEL: u32 = 1_048_575;

/// How the ports are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Make {
    /// As the plan says: by pull only where something changes.
    AsPlanned,
    /// All by pull.
    Pull,
    /// The plain port, right or wrong.
    Plain(Fault),
    /// The real port behind a wrapper that goes one instant too far.
    TooFar,
    /// The real port, by pull, behind a wrapper that hides its deadlines.
    Asleep,
    /// The real port on channels that promise twice its delay.
    Boasting,
}

pub(crate) enum Part {
    Port(Port),
    Plain(Box<Plain>),
    TooFar(Port),
    Asleep(Port),
    Node(Node),
}

impl Element for Part {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        match self {
            Part::Port(port) | Part::Asleep(port) => port.advance(until, io),
            Part::Plain(plain) => plain.advance(until, io),
            Part::TooFar(port) => port.advance(until.next(), io),
            Part::Node(node) => node.advance(until, io),
        }
    }

    fn deadline(&self) -> Time {
        match self {
            Part::Port(port) | Part::TooFar(port) => port.deadline(),
            Part::Plain(plain) => plain.deadline(),
            Part::Asleep(_) => Time::MAX,
            Part::Node(node) => node.deadline(),
        }
    }
}

impl Part {
    fn port(&mut self) -> Option<&mut Port> {
        match self {
            Part::Port(port) | Part::TooFar(port) | Part::Asleep(port) => Some(port),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortOutcome {
    pub(crate) name: String,
    pub(crate) digest: u64,
    pub(crate) counters: Counters,
    pub(crate) waiting: u64,
    pub(crate) queues: Vec<(QueueCounter, u64)>,
    /// On the line, and not yet on a channel.
    pub(crate) held: u64,
}

/// Everything two runs must agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) ports: Vec<PortOutcome>,
    pub(crate) nodes: Vec<NodeOutcome>,
    pub(crate) in_flight: u64,
    /// Every channel: frames ever put on it.
    pub(crate) totals: Vec<u64>,
}

/// A plan's network, and where everything of the plan is in it.
pub(crate) struct Net {
    pub(crate) network: Network<Part>,
    pub(crate) nodes: Vec<ElementId>,
    /// By link and direction.
    pub(crate) ports: Vec<[ElementId; 2]>,
    channels: usize,
    names: Arc<[String]>,
    root: Key,
    boasting: bool,
}

impl Net {
    pub(crate) fn build(plan: &Plan, make: Make) -> Net {
        let tables = Tables::of(plan);
        let names = plan.flows.iter().map(|f| f.name.clone()).collect();
        let mut net = Net {
            network: Network::new(),
            nodes: Vec::new(),
            ports: Vec::new(),
            channels: 0,
            names,
            root: Key::new(plan.seed),
            boasting: make == Make::Boasting,
        };
        if !plan.ports_first {
            net.add_nodes(plan, &tables);
        }
        for l in 0..plan.links.len() {
            let ids = [0, 1].map(|d| {
                let port = net.port(plan, &tables, l, d, make);
                net.network.add(port)
            });
            net.ports.push(ids);
        }
        if plan.ports_first {
            net.add_nodes(plan, &tables);
        }
        net.connect(plan, &tables);
        net
    }

    fn add_nodes(&mut self, plan: &Plan, tables: &Tables) {
        let habits: Vec<_> = plan.flows.iter().map(|f| f.habits.clone()).collect();
        for n in 0..plan.routers + plan.hosts.len() {
            let router = n < plan.routers;
            let think = if router {
                plan.router_think
            } else {
                plan.host_think
            };
            let mut node = Node::new(n as u32, think, &habits);
            node.answers = n % 3 != 2;
            for (f, flow) in plan.flows.iter().enumerate() {
                for (dir, from, to) in [(0, flow.from, flow.to), (1, flow.to, flow.from)] {
                    node.ends_here[2 * f + dir] = n == to;
                    let circuit = matches!(flow.way, Way::Circuit(..));
                    let next = plan
                        .next_hop(n, to)
                        .filter(|_| n == from || (router && !circuit));
                    node.routes[2 * f + dir] = next.map(|next| tables.out(plan, n, next).0);
                }
                if flow.from == n {
                    node.script.extend(flow.script.iter().cloned());
                }
            }
            node.script.sort_by_key(|b| b.at);
            self.nodes.push(self.network.add(Part::Node(node)));
        }
    }

    /// A cause of loss, keyed by the names of all it belongs to.
    fn losses(
        &self,
        plan: &Plan,
        l: usize,
        d: usize,
        specs: &[LossSpec],
        purpose: &str,
    ) -> Vec<Loss> {
        let key = self.root.with(&plan.links[l].name).with_number(d as u64);
        let made = specs.iter().enumerate().map(|(i, spec)| {
            let key = key.with(purpose).with_number(i as u64);
            Loss::new(spec.clone(), key).with_flow_names(self.names.clone())
        });
        made.collect()
    }

    /// What happens to cells on a link that carries some, keyed likewise.
    fn circuits(&self, plan: &Plan, l: usize, d: usize) -> Option<CircuitsConfig> {
        let direction = &plan.links[l].directions[d];
        direction.framing.is_atm().then(|| CircuitsConfig {
            single: Arc::default(),
            line: direction.rate,
            loss: direction.cells.loss,
            glue: direction.cells.glue,
            police: direction.cells.police,
            shape: direction.cells.shape,
            queue: None,
            key: self.root.with(&plan.links[l].name).with_number(d as u64),
            names: self.names.clone(),
        })
    }

    /// The far node's tables, whose bundles know when their members are down.
    fn forwarding(&self, plan: &Plan, tables: &Tables, l: usize, d: usize) -> Forwarding {
        let mut forwarding = tables.forwarding(plan, l, d);
        let far = plan.links[l].ends[1 - d];
        for spread in &mut forwarding.spreads {
            let outputs: Vec<u16> = spread.outputs().collect();
            for (n, output) in outputs.into_iter().enumerate() {
                let (link, way) = tables.outs[far][usize::from(output) - 1];
                let next = plan.links[link].ends[1 - way];
                let late = plan.bundle(far, next).expect("it is one").late;
                let mut up = true;
                let told = plan.changes.iter().filter_map(|change| match change {
                    (at, l, d, ChangePlan::Up(to)) if (*l, *d) == (link, way) => {
                        (std::mem::replace(&mut up, *to) != *to).then_some(*at)
                    }
                    _ => None,
                });
                let told = told.collect();
                let key = self
                    .root
                    .with(&plan.links[link].name)
                    .with_number(way as u64);
                let flap = plan.links[link].directions[way].impairments.flap;
                let flap = flap.filter(|f| !f.holds);
                let flap = flap.map(|spec| Flap::new(spec, key.with("flap")));
                spread.set_outages(n, Outages::new(told, flap, late));
            }
        }
        for (f, flow) in plan.flows.iter().enumerate() {
            let dir = FlowDir::forward(f as u16);
            for (dir, n) in [(dir, 0), (dir.turned(), 1)] {
                let key = Key::new(1).with(&flow.name).with_number(n);
                let spreads = forwarding.spreads.iter_mut();
                spreads.for_each(|s| s.set_flow(dir, key.stream()));
            }
        }
        forwarding
    }

    fn port(&self, plan: &Plan, tables: &Tables, l: usize, d: usize, make: Make) -> Part {
        let direction = &plan.links[l].directions[d];
        let by_pull = matches!(make, Make::Pull | Make::Asleep);
        let config = PortConfig {
            rate: direction.rate,
            framing: direction.framing,
            mtu: direction.mtu,
            limit: direction.limit,
            delay: direction.delay,
            reorder: direction.reorder,
            losses: self.losses(plan, l, d, &direction.losses, "loss"),
            forwarding: self.forwarding(plan, tables, l, d),
            headers: plan.flows.iter().flat_map(|f| [f.header; 2]).collect(),
            sampling: plan.sampling,
            changes: direction.changes || by_pull,
            queues: direction.queues.clone(),
            conditioning: direction.conditioning.clone(),
            circuits: self.circuits(plan, l, d),
        };
        let key = self.root.with(&plan.links[l].name).with_number(d as u64);
        let impairments = &direction.impairments;
        let line = (!impairments.is_none()).then(|| Line::new(impairments, key, &self.names));
        if let Make::Plain(fault) = make {
            return Part::Plain(Box::new(Plain::new(config, line, fault)));
        }
        let mut port = Port::new(config);
        if let Some(line) = line {
            port.impair(line);
        }
        port.audit();
        match make {
            Make::TooFar => Part::TooFar(port),
            Make::Asleep => Part::Asleep(port),
            _ => Part::Port(port),
        }
    }

    /// The line of a change. Whether the link goes down by itself and at what rates is not changed.
    fn changed_line(
        &self,
        plan: &Plan,
        (l, d): (usize, usize),
        impairments: &Impairments,
        change: usize,
    ) -> Line {
        let single = Impairments {
            flap: None,
            trace: None,
            ..impairments.clone()
        };
        let key = self.root.with(&plan.links[l].name).with_number(d as u64);
        Line::new(&single, key.with_number(change as u64), &self.names)
    }

    fn connect(&mut self, plan: &Plan, tables: &Tables) {
        let joined = |net: &mut Net, from, to, lookahead| {
            net.network.connect(from, to, lookahead);
            net.channels += 1;
        };
        for n in 0..self.nodes.len() {
            let router = n < plan.routers;
            let think = if router {
                plan.router_think
            } else {
                plan.host_think
            };
            for &(l, d) in &tables.outs[n] {
                joined(self, self.nodes[n], self.ports[l][d], think);
            }
        }
        for l in 0..plan.links.len() {
            for d in 0..2 {
                let far = plan.links[l].ends[1 - d];
                let lookahead = self.lookahead(self.ports[l][d]);
                joined(self, self.ports[l][d], self.nodes[far], lookahead);
                for &(next, e) in tables.outs[far].iter().filter(|_| far < plan.routers) {
                    joined(self, self.ports[l][d], self.ports[next][e], lookahead);
                }
            }
        }
    }

    fn lookahead(&mut self, id: ElementId) -> Duration {
        match self.network.element_mut(id) {
            Part::Plain(plain) => plain.lookahead(),
            part => {
                let honest = part.port().map_or(Duration::ZERO, |p| p.lookahead());
                honest.times(1 + u64::from(self.boasting))
            }
        }
    }

    /// Runs to `end` in slices that end at `cuts` and wherever the plan changes something; the
    /// slices take `modes` in turn.
    pub(crate) fn run(&mut self, plan: &Plan, end: Time, modes: &[Mode], cuts: &[Time]) {
        let from = self.network.now();
        let changes = plan.changes.iter().map(|c| c.0);
        let mut stops: Vec<Time> = changes.chain(cuts.iter().copied()).collect();
        stops.retain(|&t| t >= from && t < end);
        stops.push(end);
        stops.sort();
        for (i, &stop) in stops.iter().enumerate() {
            self.network.run(stop, modes[i % modes.len()]);
            let again = i > 0 && stops[i - 1] == stop;
            if stop < end && !again {
                self.apply(plan, stop);
            }
        }
    }

    fn apply(&mut self, plan: &Plan, now: Time) {
        for (i, (at, l, d, change)) in plan.changes.iter().enumerate() {
            if *at != now {
                continue;
            }
            let change = match change {
                ChangePlan::Rate(rate) => Change::Rate(*rate),
                ChangePlan::Delay(delay) => Change::Delay(*delay),
                ChangePlan::Losses(specs) => {
                    Change::Losses(self.losses(plan, *l, *d, specs, &format!("change{i}")))
                }
                ChangePlan::Limit(limit) => Change::Limit(*limit),
                ChangePlan::Up(up) => Change::Up(*up),
                ChangePlan::Line(impairments, overtaking) => Change::Line {
                    line: Box::new(self.changed_line(plan, (*l, *d), impairments, i)),
                    overtaking: *overtaking,
                },
            };
            let id = self.ports[*l][*d];
            match self.network.element_mut(id) {
                Part::Plain(plain) => plain.apply(change),
                part => part.port().expect("a link is a port").apply(change),
            }
            let lookahead = self.lookahead(id);
            self.network.set_lookahead(id, lookahead);
        }
    }

    /// Every host and router sends in bursts from now on.
    pub(crate) fn send_in_bursts(&mut self, seed: u64) {
        for id in &self.nodes {
            if let Part::Node(node) = self.network.element_mut(*id) {
                node.cutter = Some(Choices::from_seed(seed + u64::from(node.number)));
            }
        }
    }

    /// What `take` makes of every channel.
    pub(crate) fn channels<T>(&mut self, take: impl Fn(&mut Channel) -> T) -> Vec<T> {
        let ids = (0..self.channels).map(ChannelId);
        ids.map(|id| take(self.network.channel_mut(id))).collect()
    }

    /// Nothing is on its way, waits, or will be sent.
    pub(crate) fn is_drained(&self) -> bool {
        let idle = self
            .network
            .elements()
            .iter()
            .all(|e| e.deadline() == Time::MAX);
        idle && self.network.in_flight() == 0
    }

    /// Settles the counters at `end` and gathers everything.
    pub(crate) fn outcome(&mut self, plan: &Plan, end: Time) -> Outcome {
        let mut ports = Vec::new();
        for (l, ids) in self.ports.clone().iter().enumerate() {
            for (d, id) in ids.iter().enumerate() {
                let name = format!("{} {d}", plan.links[l].name);
                ports.push(match self.network.element_mut(*id) {
                    Part::Plain(plain) => PortOutcome {
                        name,
                        digest: plain.digest(),
                        counters: plain.counters(end),
                        waiting: plain.waiting(),
                        queues: plain.queues(),
                        held: plain.held(),
                    },
                    part => {
                        let port = part.port().expect("a link is a port");
                        port.finish(end);
                        PortOutcome {
                            name,
                            digest: port.digest(),
                            counters: port.counters().clone(),
                            waiting: port.waiting(),
                            queues: port
                                .queues()
                                .into_iter()
                                .map(|(c, n)| (c.clone(), n))
                                .collect(),
                            held: port.held(),
                        }
                    }
                });
            }
        }
        let nodes = self.nodes.iter().map(|id| match self.network.element(*id) {
            Part::Node(node) => node.outcome.clone(),
            _ => unreachable!("nodes are nodes"),
        });
        let channels = 0..self.channels;
        let ids = channels.map(ChannelId);
        Outcome {
            ports,
            nodes: nodes.collect(),
            in_flight: self.network.in_flight(),
            totals: ids.map(|id| self.network.channel(id).total()).collect(),
        }
    }
}

impl Outcome {
    pub(crate) fn dropped(&self, reason: Drop) -> u64 {
        let ports = self.ports.iter().map(|p| p.counters.dropped(reason));
        let nodes = self.nodes.iter().map(|n| n.drops[reason as usize]);
        ports.chain(nodes).sum()
    }
}

/// Outgoing links and labels of every node.
struct Tables {
    /// By node: (link, direction) of each output, in order.
    outs: Vec<Vec<(usize, usize)>>,
    /// By node.
    labels: Vec<Vec<Option<LabelAction>>>,
    /// By flow: the first label of its LSP, forward and back.
    first: Vec<[u32; 2]>,
}

impl Tables {
    fn of(plan: &Plan) -> Tables {
        let nodes = plan.routers + plan.hosts.len();
        let mut tables = Tables {
            outs: vec![Vec::new(); nodes],
            labels: vec![Vec::new(); nodes],
            first: vec![[0; 2]; plan.flows.len()],
        };
        for (l, link) in plan.links.iter().enumerate() {
            tables.outs[link.ends[0]].push((l, 0));
            tables.outs[link.ends[1]].push((l, 1));
        }
        for (f, flow) in plan.flows.iter().enumerate() {
            match &flow.way {
                Way::Ip => {}
                Way::Lsp(walk, end) => {
                    tables.first[f][0] = tables.signal(plan, walk, Some(*end), flow.to);
                }
                Way::Circuit(walk, _) => {
                    let mut back = walk.clone();
                    back.reverse();
                    tables.first[f][0] = tables.signal(plan, walk, None, flow.to);
                    tables.first[f][1] = tables.signal(plan, &back, None, flow.from);
                }
            }
        }
        tables
    }

    /// The output of `node` that leads to its neighbour `next`, and the link direction behind it.
    fn out(&self, plan: &Plan, node: usize, next: usize) -> (usize, (usize, usize)) {
        let leads = |&(l, d): &(usize, usize)| plan.links[l].ends[1 - d] == next;
        let place = self.outs[node].iter().position(leads);
        let place = place.expect("next hops are neighbours");
        (place, self.outs[node][place])
    }

    /// Enters the labels of a walk from its last router to its first; no `end`: a circuit that
    /// ends at `host`. Returns the label the first router pushes.
    fn signal(&mut self, plan: &Plan, walk: &[usize], end: Option<LspEnd>, host: usize) -> u32 {
        let last = walk.len() - 1;
        let mut label = EXPLICIT_NULL;
        for i in (1..=last).rev() {
            let next = if i == last { host } else { walk[i + 1] };
            let output = 1 + self.out(plan, walk[i], next).0 as u16;
            let swap = LabelAction::Swap { label, output };
            let action = match end {
                None if i == last => LabelAction::PopToInterface { output },
                Some(LspEnd::ExplicitNull) if i == last => continue,
                Some(LspEnd::Broken) if i == last => {
                    label = UNKNOWN_LABEL;
                    continue;
                }
                Some(LspEnd::Ultimate) if i == last => LabelAction::PopAndRoute,
                // Nothing is left to pop where the walk has one hop only.
                Some(LspEnd::Penultimate) if i == last && last == 1 => LabelAction::PopAndRoute,
                Some(LspEnd::Penultimate) if i == last => continue,
                Some(LspEnd::Penultimate) if i + 1 == last => LabelAction::PopForward { output },
                _ => swap,
            };
            label = FIRST_LABEL + self.labels[walk[i]].len() as u32;
            self.labels[walk[i]].push(Some(action));
        }
        label
    }

    /// The tables of the node at the far end, as seen from one direction of a link.
    fn forwarding(&self, plan: &Plan, l: usize, d: usize) -> Forwarding {
        let (near, far) = (plan.links[l].ends[d], plan.links[l].ends[1 - d]);
        let mut forwarding = Forwarding {
            routes_ip: far < plan.routers,
            labels: self.labels[far].clone(),
            ..Forwarding::default()
        };
        for (f, flow) in plan.flows.iter().enumerate() {
            for (dir, from, to) in [(0, flow.from, flow.to), (1, flow.to, flow.from)] {
                let mut route = self.route(plan, far, to, &mut forwarding.spreads);
                match &flow.way {
                    Way::Lsp(walk, _) if dir == 0 && near == from && far == walk[0] => {
                        let (place, (nl, nd)) = self.out(plan, far, walk[1]);
                        route = RouteAction::Push {
                            label: self.first[f][0],
                            output: 1 + place as u16,
                            mtu: plan.links[nl].directions[nd].mtu as u16 - 4,
                        };
                    }
                    Way::Circuit(walk, tagged) if near == from && far < plan.routers => {
                        let next = walk[if dir == 0 { 1 } else { walk.len() - 2 }];
                        forwarding.circuit = Some(Circuit {
                            label: self.first[f][dir],
                            output: 1 + self.out(plan, far, next).0 as u16,
                            tagged: *tagged,
                        });
                    }
                    _ => {}
                }
                forwarding.routes.push(route);
            }
        }
        forwarding
    }

    fn route(&self, plan: &Plan, node: usize, to: usize, spreads: &mut Vec<Spread>) -> RouteAction {
        if node == to {
            return RouteAction::Deliver;
        }
        match plan.next_hop(node, to) {
            Some(next) if node < plan.routers => {
                let (place, (l, d)) = self.out(plan, node, next);
                let mtu = plan.links[l].directions[d].mtu as u16;
                let Some(bundle) = plan.bundle(node, next) else {
                    let output = 1 + place as u16;
                    return RouteAction::Forward { output, mtu };
                };
                let output = |m| {
                    self.outs[node]
                        .iter()
                        .position(|o| o == m)
                        .expect("an output")
                };
                let members = plan.members(node, next);
                let outputs: Vec<u16> = members.iter().map(|m| 1 + output(m) as u16).collect();
                spreads.push(Spread::new(bundle.unit, &outputs));
                let spread = spreads.len() as u16 - 1;
                RouteAction::Spread { spread, mtu }
            }
            _ => RouteAction::None,
        }
    }
}
