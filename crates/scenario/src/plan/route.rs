//! Shortest paths between nodes: by propagation delay, then by hops, then by link number; where that
//! is a member of a bundle, by the flow's hash.

use farpath_units::Key;
use farpath_wire::FlowDir;

use crate::model::{Ccc, LinkId, NodeId, Scenario, Way};
use crate::plan::{Plan, PlanError, port_of};

/// One step towards a destination: the port a node sends on, the port that delivers to the next
/// node that reads an IP header (another one across a circuit), and that node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) port: usize,
    pub(super) entry: usize,
    pub(super) far: NodeId,
}

struct Edge {
    from: NodeId,
    link: LinkId,
    step: Step,
    cost: u64,
}

/// The distance of every node to every destination.
pub(super) struct Routes {
    edges: Vec<Edge>,
    /// `[destination][node]`.
    distance: Vec<Vec<u64>>,
}

/// What a hop costs besides its delay, in picoseconds: fewer hops win among equal delays.
const HOP: u64 = 1;

impl Routes {
    pub(super) fn new(scenario: &Scenario) -> Result<Routes, PlanError> {
        let mut edges = Vec::new();
        for (number, link) in scenario.links.iter().enumerate() {
            for way in [Way::Forward, Way::Reverse] {
                edges.extend(edge(scenario, LinkId(number), way, link)?);
            }
        }
        let count = scenario.node_count();
        let mut distance = vec![vec![u64::MAX; count]; count];
        for (destination, row) in distance.iter_mut().enumerate() {
            relax(scenario, &edges, NodeId(destination), row);
        }
        Ok(Routes { edges, distance })
    }

    /// The step from `at` towards `to` of `traffic`, which chooses among the members of a bundle
    /// unless it goes `via` a link of its own.
    pub(super) fn next(
        &self,
        scenario: &Scenario,
        at: NodeId,
        to: NodeId,
        via: Option<LinkId>,
        traffic: Key,
    ) -> Option<Step> {
        let best = self.best(scenario, at, to, via)?;
        let Some(bundle) = scenario.bundle_of(best.link).filter(|_| via.is_none()) else {
            return Some(best.step);
        };
        let member = bundle.member(traffic);
        let edge = self.edges.iter().find(|e| e.from == at && e.link == member);
        edge.map(|e| e.step)
    }

    /// The shortest way on from `at` towards `to`; a host does not forward, so only routers lie
    /// between.
    fn best(
        &self,
        scenario: &Scenario,
        at: NodeId,
        to: NodeId,
        via: Option<LinkId>,
    ) -> Option<&Edge> {
        let mut best: Option<(u64, &Edge)> = None;
        for edge in self
            .edges
            .iter()
            .filter(|e| e.from == at && via.is_none_or(|v| v == e.link))
        {
            let transit = edge.step.far == to || scenario.is_router(edge.step.far);
            let rest = self.distance[to.0][edge.step.far.0];
            if !transit || rest == u64::MAX {
                continue;
            }
            let cost = rest.saturating_add(edge.cost);
            if best.is_none_or(|(c, _)| cost < c) {
                best = Some((cost, edge));
            }
        }
        best.map(|(_, edge)| edge)
    }

    /// The LSP that starts at `at`, is not part of a circuit, and ends on the shortest path to
    /// `to`: the longest such, the first in the file among equals.
    pub(super) fn tunnel(&self, scenario: &Scenario, at: NodeId, to: NodeId) -> Option<usize> {
        let free = |number: usize| {
            scenario
                .cccs
                .iter()
                .all(|c| c.receive() != number && c.transmit() != number)
        };
        let mut on_path = Vec::new();
        let mut node = at;
        while node != to && on_path.len() <= scenario.node_count() {
            node = self.best(scenario, node, to, None)?.step.far;
            on_path.push(node);
        }
        let mut best: Option<(usize, usize)> = None;
        for (number, lsp) in scenario.lsps.iter().enumerate() {
            let (Some(first), Some(last)) = (lsp.path.first(), lsp.path.last()) else {
                continue;
            };
            let Some(reach) = on_path.iter().position(|n| n == last) else {
                continue;
            };
            if *first == at && free(number) && best.is_none_or(|(r, _)| reach > r) {
                best = Some((reach, number));
            }
        }
        best.map(|(_, number)| number)
    }
}

impl Plan {
    /// What the hash of a bundle sees of one direction of a flow: as with addresses and ports, both
    /// halves of a connection that goes the same way, requests and the ACKs of answers, are alike.
    pub(super) fn key_of(&self, scenario: &Scenario, dir: FlowDir) -> Key {
        let flow = &self.flows[usize::from(dir.flow())];
        let test = &scenario.tests[flow.test];
        let onward = (flow.source == test.from) != dir.is_reverse();
        let key = Key::new(0).with("flow").with(&test.name);
        key.with_number(flow.stream.into())
            .with_number(onward.into())
    }
}

/// The IP adjacency one direction of a link gives, if any.
fn edge(
    scenario: &Scenario,
    link: LinkId,
    way: Way,
    model: &crate::model::Link,
) -> Result<Option<Edge>, PlanError> {
    let [a, b] = model.ends;
    let (from, to) = if way == Way::Forward { (a, b) } else { (b, a) };
    if circuit_at(scenario, from, link).is_some() {
        return Ok(None); // what the router itself would send there belongs to the circuit
    }
    let port = port_of(link, way);
    let delay = model.direction(way).delay.as_ps();
    let Some(ccc) = circuit_at(scenario, to, link) else {
        let step = Step {
            port,
            entry: port,
            far: to,
        };
        return Ok(Some(Edge {
            from,
            link,
            step,
            cost: delay + HOP,
        }));
    };
    let (exit, lsp_delay) = follow(scenario, ccc)?;
    let (out, router) = exit;
    let out_way = scenario.way_from(router, out);
    let ends = scenario.links[out.0].ends;
    let far = if out_way == Way::Forward {
        ends[1]
    } else {
        ends[0]
    };
    let out_delay = scenario.links[out.0].direction(out_way).delay;
    let step = Step {
        port,
        entry: port_of(out, out_way),
        far,
    };
    let cost = delay
        .saturating_add(lsp_delay)
        .saturating_add(out_delay.as_ps())
        + HOP;
    Ok(Some(Edge {
        from,
        link,
        step,
        cost,
    }))
}

/// The cross-connect that owns `link` at `router`.
fn circuit_at(scenario: &Scenario, at: NodeId, link: LinkId) -> Option<&Ccc> {
    let owns = |c: &&Ccc| matches!(c, Ccc::RemoteInterface { router, interface, .. } if *router == at && *interface == link);
    scenario.cccs.iter().find(owns)
}

/// Follows a circuit from its first LSP to the interface at its end: link, router, and the delay.
fn follow(scenario: &Scenario, start: &Ccc) -> Result<((LinkId, NodeId), u64), PlanError> {
    let fail = |why: String| PlanError::Circuit {
        ccc: start.name().to_owned(),
        why,
    };
    let mut lsp = start.transmit();
    let mut delay = 0_u64;
    for _ in 0..=scenario.lsps.len() {
        for &(link, way) in &scenario.lsps[lsp].hops {
            let direction = scenario.links[link.0].direction(way);
            delay = delay.saturating_add(direction.delay.as_ps());
        }
        match scenario.cccs.iter().find(|c| c.receive() == lsp) {
            None => {
                let name = &scenario.lsps[lsp].name;
                return Err(fail(format!(
                    "the stitched path ends nowhere: no cross-connect receives LSP `{name}`; add an lsp-switch or a remote-interface-switch with receive_lsp = \"{name}\""
                )));
            }
            Some(Ccc::RemoteInterface {
                interface, router, ..
            }) => {
                return Ok(((*interface, *router), delay));
            }
            Some(Ccc::LspSwitch { transmit, .. }) => lsp = *transmit,
        }
    }
    let name = &scenario.lsps[lsp].name;
    Err(fail(format!(
        "the stitched LSPs loop through `{name}` and never reach an interface"
    )))
}

/// Distances to `destination` (Bellman–Ford: graphs are small, and ties must not depend on a heap).
fn relax(scenario: &Scenario, edges: &[Edge], destination: NodeId, row: &mut [u64]) {
    row[destination.0] = 0;
    loop {
        let mut changed = false;
        for edge in edges {
            let far = edge.step.far;
            let usable = far == destination || scenario.is_router(far);
            let through = row[far.0].saturating_add(edge.cost);
            if usable && row[far.0] != u64::MAX && through < row[edge.from.0] {
                row[edge.from.0] = through;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}
