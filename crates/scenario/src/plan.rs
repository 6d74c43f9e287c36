//! From a scenario to a network: flows, routes, labels, circuits, and one port per link direction.
//!
//! The plan is what both drivers build their network from, and what the predictor and the report
//! read a test's path from: the same walk answers "which links, how often, under which label".

mod address;
mod answers;
mod bundle;
mod connection;
mod mtu;
mod numbers;
mod route;
mod stops;
mod walk;

use farpath_element::{Circuit, EXPLICIT_NULL, FIRST_LABEL, Forwarding, LabelAction, RouteAction};
use farpath_units::{Duration, Rate};
use farpath_wire::FlowDir;

use crate::model::{Ccc, LinkId, NodeId, Scenario, Way};
pub use address::{address, node_at};
pub(crate) use connection::max_ssthresh;
pub use connection::segments_per_growth;
pub use mtu::MtuStep;
pub use numbers::port_of;
use route::Routes;
pub use stops::{Expiry, Stop};
pub use walk::Hop;

/// Why a scenario that reads well still cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// No route between the ends of a test.
    #[error("test `{test}`: no route from `{from}` to `{to}`; join them with links or a circuit")]
    NoRoute {
        /// The test.
        test: String,
        /// One end.
        from: String,
        /// The other.
        to: String,
    },
    /// The stitched LSPs of a circuit never reach an interface.
    #[error("ccc `{ccc}`: {why}")]
    Circuit {
        /// The cross-connect at which the walk began.
        ccc: String,
        /// What is missing or looping.
        why: String,
    },
    /// More flows than frames can number.
    #[error("{0} flows: at most 32767 can be simulated at once")]
    TooManyFlows(usize),
}

/// One flow: a test's stream. Data travels forward, from `source` to `sink`.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Index of the test.
    pub test: usize,
    /// Number of the stream in it.
    pub stream: u32,
    /// Where data comes from.
    pub source: NodeId,
    /// Where it goes.
    pub sink: NodeId,
    /// It carries the requests of a stream whose answers are the flow before it.
    pub asks: bool,
    /// Bytes of IP and transport headers of its data frames.
    pub header_bytes: u16,
}

impl Flow {
    /// Where the frames of one of its directions come from, and where they go.
    fn ends(&self, dir: FlowDir) -> (NodeId, NodeId) {
        match dir.is_reverse() {
            true => (self.sink, self.source),
            false => (self.source, self.sink),
        }
    }
}

/// Where an output of a port or a node leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// To a node's own endpoint.
    Node(NodeId),
    /// Into another port's queue.
    Port(usize),
}

/// One direction of a link, and the tables of the node it leads to.
#[derive(Clone, Debug)]
pub struct PortPlan {
    /// The link.
    pub link: LinkId,
    /// The direction.
    pub way: Way,
    /// The node that transmits.
    pub from: NodeId,
    /// The node at the far end.
    pub to: NodeId,
    /// Rate: the link's, or the host's interface if that is slower.
    pub rate: Rate,
    /// The far node's tables; output numbers index `outputs`.
    pub forwarding: Forwarding,
    /// Where the outputs lead; the first is the far node itself.
    pub outputs: Vec<Output>,
    /// Some event changes this port during the run.
    pub changes: bool,
    /// A frame on it may be handed to the far node itself: delivered, or to be answered.
    pub reaches_node: bool,
}

impl PortPlan {
    fn output(&mut self, wanted: Output) -> u16 {
        let found = self.outputs.iter().position(|o| *o == wanted);
        let index = found.unwrap_or_else(|| {
            self.outputs.push(wanted);
            self.outputs.len() - 1
        });
        index as u16
    }
}

/// A node's own endpoint: which of its ports each flow leaves on.
#[derive(Clone, Debug, Default)]
pub struct NodePlan {
    /// By `FlowDir::index`: index into `ports`.
    pub routes: Vec<Option<u16>>,
    /// The ports used, by number in [`Plan::ports`].
    pub ports: Vec<usize>,
}

/// Everything a driver needs to build the network.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Every flow, in test order.
    pub flows: Vec<Flow>,
    /// Two per link: port `2·link` is forward, `2·link + 1` reverse.
    pub ports: Vec<PortPlan>,
    /// By node number.
    pub nodes: Vec<NodePlan>,
    /// First label of each LSP, as its ingress pushes it; `None` when nothing is pushed.
    labels: Vec<Vec<Option<u32>>>,
    /// By port.
    longest_rtts: Vec<Duration>,
}

impl Plan {
    /// Compiles a scenario.
    pub fn new(scenario: &Scenario) -> Result<Plan, PlanError> {
        let flows = flows(scenario);
        if flows.len() > 32_767 {
            return Err(PlanError::TooManyFlows(flows.len()));
        }
        let mut plan = Plan {
            ports: ports(scenario),
            nodes: vec![NodePlan::default(); scenario.node_count()],
            labels: labels(scenario),
            longest_rtts: Vec::new(),
            flows,
        };
        plan.switch_labels(scenario);
        plan.join_circuits(scenario);
        let routes = Routes::new(scenario)?;
        plan.route_flows(scenario, &routes)?;
        plan.find_reached(scenario);
        plan.find_longest_rtts(scenario);
        Ok(plan)
    }

    /// Installs what every LSP's transit and egress nodes do with its labels.
    fn switch_labels(&mut self, scenario: &Scenario) {
        for (number, lsp) in scenario.lsps.iter().enumerate() {
            for (hop, &(link, way)) in lsp.hops.iter().enumerate() {
                let Some(label) = self.labels[number][hop] else {
                    continue;
                };
                if label == EXPLICIT_NULL {
                    continue; // built into every node
                }
                let action = match lsp.hops.get(hop + 1) {
                    Some(&(next, next_way)) => {
                        let port = Output::Port(port_of(next, next_way));
                        let output = self.ports[port_of(link, way)].output(port);
                        match self.labels[number][hop + 1] {
                            Some(label) => LabelAction::Swap { label, output },
                            None => LabelAction::PopForward { output },
                        }
                    }
                    None => match self.end_of_lsp(scenario, number, port_of(link, way)) {
                        Some(action) => action,
                        None => LabelAction::PopAndRoute,
                    },
                };
                let table = &mut self.ports[port_of(link, way)].forwarding.labels;
                let index = (label - FIRST_LABEL) as usize;
                if table.len() <= index {
                    table.resize(index + 1, None);
                }
                table[index] = Some(action);
            }
        }
    }

    /// What the egress of a circuit's LSP does: stitch it to the next, or hand out the frame.
    fn end_of_lsp(&mut self, scenario: &Scenario, lsp: usize, port: usize) -> Option<LabelAction> {
        let ccc = scenario.cccs.iter().find(|c| c.receive() == lsp)?;
        match *ccc {
            Ccc::LspSwitch { transmit, .. } => {
                let (link, way) = scenario.lsps[transmit].hops[0];
                let output = self.ports[port].output(Output::Port(port_of(link, way)));
                let label = self.labels[transmit][0]?;
                Some(LabelAction::Swap { label, output })
            }
            Ccc::RemoteInterface {
                interface, router, ..
            } => {
                let way = scenario.way_from(router, interface);
                let output = self.ports[port].output(Output::Port(port_of(interface, way)));
                Some(LabelAction::PopToInterface { output })
            }
        }
    }

    fn join_circuits(&mut self, scenario: &Scenario) {
        for ccc in &scenario.cccs {
            let Ccc::RemoteInterface {
                router,
                interface,
                vlan,
                transmit,
                ..
            } = *ccc
            else {
                continue;
            };
            let incoming = port_of(interface, scenario.way_from(router, interface).turned());
            let (link, way) = scenario.lsps[transmit].hops[0];
            let Some(label) = self.labels[transmit][0] else {
                continue;
            };
            let output = self.ports[incoming].output(Output::Port(port_of(link, way)));
            self.ports[incoming].forwarding.circuit = Some(Circuit {
                label,
                output,
                tagged: vlan.is_some(),
            });
        }
    }

    fn route_flows(&mut self, scenario: &Scenario, routes: &Routes) -> Result<(), PlanError> {
        for number in 0..self.flows.len() {
            let flow = self.flows[number].clone();
            let forward = FlowDir::forward(number as u16);
            for dir in [forward, forward.turned()] {
                let (from, to) = flow.ends(dir);
                let no_route = || PlanError::NoRoute {
                    test: scenario.tests[flow.test].name.clone(),
                    from: scenario.node_name(from).to_owned(),
                    to: scenario.node_name(to).to_owned(),
                };
                let test = &scenario.tests[flow.test];
                let via = test.via.filter(|_| from == test.from);
                let visited = self
                    .route(scenario, routes, dir, from, to, via)
                    .ok_or_else(no_route)?;
                // Routers on the way may answer towards the source, and know that they are not
                // the destination.
                for node in visited {
                    if scenario.is_router(node) && node != from && node != to {
                        self.route(scenario, routes, dir.turned(), node, from, None)
                            .ok_or_else(no_route)?;
                        self.route(scenario, routes, dir, node, to, None)
                            .ok_or_else(no_route)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Installs the route of one direction of a flow from `from` on; returns the nodes it visits.
    fn route(
        &mut self,
        scenario: &Scenario,
        routes: &Routes,
        dir: FlowDir,
        from: NodeId,
        to: NodeId,
        via: Option<LinkId>,
    ) -> Option<Vec<NodeId>> {
        let key = self.key_of(scenario, dir);
        let mut visited = vec![from];
        let mut step = routes.next(scenario, from, to, via, key)?;
        self.node_route(dir, from, step.port);
        // The ports that may deliver to the next node.
        let mut entries = vec![step.entry];
        loop {
            let far = step.far;
            visited.push(far);
            if far == to {
                for entry in entries {
                    let table = &mut self.ports[entry].forwarding.routes;
                    set(table, dir.index(), RouteAction::Deliver);
                }
                return Some(visited);
            }
            if !scenario.is_router(far) || visited.len() > 4 * scenario.node_count() + 4 {
                return None;
            }
            let next = routes.next(scenario, far, to, None, key)?;
            let mut tunnel = None;
            for &entry in &entries {
                let towards = (far, to, entry, next.port);
                let (action, lsp) = self.forward_action(scenario, routes, dir, towards);
                // A tunnel's end routes again: make sure every node on the plain path can.
                let table = &mut self.ports[entry].forwarding.routes;
                set(table, dir.index(), action);
                tunnel = lsp;
            }
            (step, entries) = match tunnel {
                Some(lsp) => {
                    // A label may expire at any of its routers.
                    let path = &scenario.lsps[lsp].path;
                    visited.extend(&path[1..path.len() - 1]);
                    let end = self.tunnel_end(scenario, lsp);
                    (end, vec![end.entry])
                }
                None => match self.members(scenario, next.port) {
                    Some((_, members)) => (next, members),
                    None => (next, vec![next.entry]),
                },
            };
        }
    }

    /// The last hop of an LSP that carries routed traffic.
    fn tunnel_end(&self, scenario: &Scenario, lsp: usize) -> route::Step {
        let (link, way) = *scenario.lsps[lsp].hops.last().expect("an LSP has a hop");
        let port = port_of(link, way);
        route::Step {
            port,
            entry: port,
            far: self.ports[port].to,
        }
    }

    fn forward_action(
        &mut self,
        scenario: &Scenario,
        routes: &Routes,
        dir: FlowDir,
        (at, to, entry, port): (NodeId, NodeId, usize, usize),
    ) -> (RouteAction, Option<usize>) {
        let mtu = |link: LinkId, labels: u32| {
            let mtu = scenario.links[link.0].direction_from(at).mtu;
            mtu.saturating_sub(labels).min(65_535) as u16
        };
        if let Some(lsp) = routes.tunnel(scenario, at, to) {
            let (link, way) = scenario.lsps[lsp].hops[0];
            let output = self.ports[entry].output(Output::Port(port_of(link, way)));
            let action = match self.labels[lsp][0] {
                Some(label) => RouteAction::Push {
                    label,
                    output,
                    mtu: mtu(link, 4),
                },
                None => RouteAction::Forward {
                    output,
                    mtu: mtu(link, 0),
                },
            };
            return (action, Some(lsp));
        }
        let mtu = mtu(self.ports[port].link, 0);
        let Some((bundle, members)) = self.members(scenario, port) else {
            let output = self.ports[entry].output(Output::Port(port));
            return (RouteAction::Forward { output, mtu }, None);
        };
        let draws = bundle.draws(self.key_of(scenario, dir));
        let entry = &mut self.ports[entry];
        let outputs = members.iter().map(|m| entry.output(Output::Port(*m)));
        let outputs: Vec<u16> = outputs.collect();
        let spread = entry.spread(bundle.unit, &outputs, dir, draws);
        (RouteAction::Spread { spread, mtu }, None)
    }

    fn node_route(&mut self, dir: FlowDir, node: NodeId, port: usize) {
        let plan = &mut self.nodes[node.0];
        let found = plan.ports.iter().position(|p| *p == port);
        let index = found.unwrap_or_else(|| {
            plan.ports.push(port);
            plan.ports.len() - 1
        });
        set(&mut plan.routes, dir.index(), Some(index as u16));
    }
}

fn set<T: Clone + Default>(table: &mut Vec<T>, index: usize, value: T) {
    if table.len() <= index {
        table.resize(index + 1, T::default());
    }
    table[index] = value;
}

fn flows(scenario: &Scenario) -> Vec<Flow> {
    let mut flows = Vec::new();
    for (number, test) in scenario.tests.iter().enumerate() {
        let streams = test.kind.tcp().map_or(1, |tcp| tcp.parallel);
        let (source, sink) = test.data_ends();
        for stream in 0..streams {
            let data = Flow {
                test: number,
                stream,
                source,
                sink,
                asks: false,
                header_bytes: test.header_bytes(),
            };
            let asking = test.kind.exchange(stream).map(|_| Flow {
                source: sink,
                sink: source,
                asks: true,
                ..data.clone()
            });
            flows.push(data);
            flows.extend(asking);
        }
    }
    flows
}

fn ports(scenario: &Scenario) -> Vec<PortPlan> {
    let mut ports = Vec::new();
    for (number, link) in scenario.links.iter().enumerate() {
        for way in [Way::Forward, Way::Reverse] {
            let [a, b] = link.ends;
            let (from, to) = if way == Way::Forward { (a, b) } else { (b, a) };
            let nic = scenario.hosts.get(from.0).and_then(|h| h.nic);
            let rate = link.direction(way).rate;
            let changes =
                |e: &crate::model::Event| e.link == LinkId(number) && e.ways.contains(&way);
            ports.push(PortPlan {
                link: LinkId(number),
                way,
                from,
                to,
                rate: nic.map_or(rate, |nic| nic.min(rate)),
                forwarding: Forwarding {
                    routes_ip: scenario.is_router(to),
                    ..Forwarding::default()
                },
                outputs: vec![Output::Node(to)],
                changes: scenario.events.iter().any(changes),
                reaches_node: true,
            });
        }
    }
    ports
}

/// The label each hop of each LSP carries: numbered per receiving node in file order; at the end a
/// real label for circuits, explicit null where asked for, else none (penultimate-hop popping).
fn labels(scenario: &Scenario) -> Vec<Vec<Option<u32>>> {
    let mut next = vec![FIRST_LABEL; scenario.node_count()];
    let of = |(number, lsp): (usize, &crate::model::Lsp)| {
        let in_circuit = scenario.cccs.iter().any(|c| c.receive() == number);
        let label = |(hop, node): (usize, &NodeId)| {
            let last = hop + 1 == lsp.hops.len();
            if last && !in_circuit {
                return lsp.explicit_null.then_some(EXPLICIT_NULL);
            }
            let label = next[node.0];
            next[node.0] += 1;
            Some(label)
        };
        lsp.path.iter().skip(1).enumerate().map(label).collect()
    };
    scenario.lsps.iter().enumerate().map(of).collect()
}
