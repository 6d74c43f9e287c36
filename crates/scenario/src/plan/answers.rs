//! Which routers may have something to say: where frames can reach a router itself.
//!
//! A router that never has to answer costs a simulation nothing and gives its neighbours no reason
//! to wait for it: without this, every short access link would hold the whole network to windows of
//! its own delay.

use farpath_wire::{FlowDir, Frame, Kind};

use crate::model::{NodeId, Scenario};
use crate::plan::{Plan, port_of};

impl Scenario {
    /// Whether a node tells senders what it does not carry on: a router that is not silent.
    pub(super) fn answers(&self, node: NodeId) -> bool {
        let router = node.0.checked_sub(self.hosts.len());
        router.is_some_and(|r| self.routers[r].answers)
    }
}

impl Plan {
    /// Notes on every port whether a frame on it may be for the far node itself.
    ///
    /// Routes don't change during a run, so each flow's largest frame, with the TTL it is sent
    /// with, shows where any frame of it can end. If none ends at a router on the way, no router
    /// ever answers; if one does, answers and their fate are not followed further: then any router
    /// may be reached.
    pub(super) fn find_reached(&mut self, scenario: &Scenario) {
        let mut reached = vec![false; self.ports.len()];
        let mut all_arrive = true;
        for number in 0..self.flows.len() {
            let forward = FlowDir::forward(number as u16);
            for dir in [forward, forward.turned()] {
                let (from, to) = self.flows[number].ends(dir);
                match self.last_port(scenario, dir, from) {
                    Some(port) if self.ports[port].to == to => reached[port] = true,
                    _ => all_arrive = false,
                }
            }
        }
        // What reaches a node over one member of a bundle may come over all of them.
        for port in 0..self.ports.len() {
            let (link, from) = (self.ports[port].link, self.ports[port].from);
            let bundle = scenario.bundle_of(link).filter(|_| reached[port]);
            for member in bundle.iter().flat_map(|b| &b.links) {
                reached[port_of(*member, scenario.way_from(from, *member))] = true;
            }
        }
        for (port, reached) in self.ports.iter_mut().zip(reached) {
            port.reaches_node = reached || !all_arrive || !scenario.is_router(port.to);
        }
    }

    /// The port that hands the largest frame of a flow to a node; `None` where it is dropped.
    fn last_port(&self, scenario: &Scenario, dir: FlowDir, from: NodeId) -> Option<usize> {
        let node = &self.nodes[from.0];
        let index = node.routes.get(dir.index()).copied().flatten()?;
        let port = node.ports[usize::from(index)];
        let test = &scenario.tests[self.flows[usize::from(dir.flow())].test];
        let header = self.flows[usize::from(dir.flow())].header_bytes;
        let len = test.kind.datagram_bytes(header.into());
        let len = len.unwrap_or_else(|| scenario.datagram_limit(from, self.ports[port].link));
        let all = test.kind.periodic().filter(|_| !dir.is_reverse());
        let mut frame = Frame::new(Kind::Data, dir, 0, u16::try_from(len).unwrap_or(u16::MAX));
        frame.ttl = all.map_or(frame.ttl, |all| all.ttl);
        let mut last = None;
        self.follow(from, frame, |port, _| last = Some(port))
            .and(last)
    }
}
