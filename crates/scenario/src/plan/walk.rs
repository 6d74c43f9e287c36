//! The path one direction of a flow takes: every crossing of every link, in order.

use farpath_element::{Exit, RouteAction};
use farpath_units::{Duration, Time};
use farpath_wire::{FlowDir, Frame, Kind};

use crate::model::{Change, Event, NodeId, Scenario};
use crate::plan::{Output, Plan};

/// One crossing of one direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The port, as numbered in [`Plan::ports`].
    pub port: usize,
    /// Bytes between the link's framing and the IP datagram: labels and a customer's header.
    pub extra: u32,
    /// The LSP it travels in, by number.
    pub lsp: Option<usize>,
}

impl Plan {
    /// Every crossing from `dir`'s source to its destination. A walk that does not arrive within
    /// the TTL ends where the frame would die.
    pub fn walk(&self, scenario: &Scenario, dir: FlowDir) -> Vec<Hop> {
        let (start, _) = self.flows[usize::from(dir.flow())].ends(dir);
        self.walk_from(scenario, dir, start)
    }

    fn walk_from(&self, scenario: &Scenario, dir: FlowDir, start: NodeId) -> Vec<Hop> {
        let frame = Frame::new(Kind::Data, dir, 0, 28);
        self.crossed(scenario, start, frame).0
    }

    /// Every crossing of `frame` from `start` on, and the node that it is handed to in the end; none where it is dropped.
    pub(super) fn crossed(
        &self,
        scenario: &Scenario,
        start: NodeId,
        frame: Frame,
    ) -> (Vec<Hop>, Option<NodeId>) {
        let mut hops = Vec::new();
        let node = self.follow(start, frame, |port, frame| {
            let lsp = self.lsp_of(scenario, port, frame);
            hops.push(Hop {
                port,
                extra: frame.link_payload() - u32::from(frame.len),
                lsp,
            });
        });
        (hops, node)
    }

    /// Lets `frame` go from `start`, over what members it takes when none is down, `visit`ing every port it crosses as it is there; returns the
    /// node it is handed to, or `None` where it is dropped.
    pub(super) fn follow(
        &self,
        start: NodeId,
        mut frame: Frame,
        mut visit: impl FnMut(usize, &Frame),
    ) -> Option<NodeId> {
        let node = &self.nodes[start.0];
        let index = node.routes.get(frame.flow.index()).copied().flatten()?;
        let mut port = node.ports[usize::from(index)];
        loop {
            visit(port, &frame);
            let forwarding = &self.ports[port].forwarding;
            let output = match forwarding.decide(&mut frame) {
                Exit::Output(output) => output,
                Exit::Spread(spread) => forwarding.spreads[usize::from(spread)].usual(frame.flow),
                Exit::Drop(_) => return None,
            };
            match self.ports[port].outputs[usize::from(output)] {
                Output::Node(node) => return Some(node),
                Output::Port(next) => port = next,
            }
        }
    }

    /// The LSP whose label a frame carries on a port.
    fn lsp_of(&self, scenario: &Scenario, port: usize, frame: &Frame) -> Option<usize> {
        if !frame.label.is_some() {
            return None;
        }
        scenario.lsps.iter().enumerate().position(|(number, lsp)| {
            lsp.hops
                .iter()
                .zip(&self.labels[number])
                .any(|(&(link, way), label)| {
                    super::port_of(link, way) == port && *label == Some(frame.label.label())
                })
        })
    }

    /// The largest propagation there and back of any flow of a test through a port; of any flow at all where no test uses it.
    pub fn longest_rtt(&self, port: usize) -> Duration {
        self.longest_rtts[port]
    }

    /// Walks every flow once for the longest round trip of each port.
    pub(super) fn find_longest_rtts(&mut self, scenario: &Scenario) {
        let is_own = |n: &usize| !scenario.tests[self.flows[*n].test].stands_for_a_pair();
        let (own, others): (Vec<_>, Vec<_>) = (0..self.flows.len()).partition(is_own);
        let mut longest = self.longest_of(scenario, &own);
        for (own, any) in longest.iter_mut().zip(self.longest_of(scenario, &others)) {
            if *own == Duration::ZERO {
                *own = any;
            }
        }
        self.longest_rtts = longest;
    }

    fn longest_of(&self, scenario: &Scenario, flows: &[usize]) -> Vec<Duration> {
        let mut longest = vec![Duration::ZERO; self.ports.len()];
        for number in flows {
            let there = self.walk(scenario, FlowDir::forward(*number as u16));
            let back = self.walk(scenario, FlowDir::forward(*number as u16).turned());
            let rtt = self.propagation(scenario, &there) + self.propagation(scenario, &back);
            for hop in there.iter().chain(&back) {
                longest[hop.port] = longest[hop.port].max(rtt);
            }
        }
        longest
    }

    /// When one of some hops is down by the scenario's events, or `of_itself`, which is asked with a port's number: in order
    /// and without overlap. A member of a bundle is not asked: others carry its frames.
    pub fn outages(
        &self,
        scenario: &Scenario,
        hops: &[Hop],
        mut of_itself: impl FnMut(usize) -> Vec<(Time, Time)>,
    ) -> Vec<(Time, Time)> {
        let mut spans: Vec<(Time, Time)> = Vec::new();
        let mut ports: Vec<usize> = hops.iter().map(|hop| hop.port).collect();
        ports.sort_unstable();
        ports.dedup();
        for (number, port) in ports.into_iter().map(|n| (n, &self.ports[n])) {
            if scenario.bundle_of(port.link).is_some() {
                continue;
            }
            let mut since = None;
            let mine = |e: &&Event| e.link == port.link && e.ways.contains(&port.way);
            for event in scenario.events.iter().filter(mine) {
                match event.change {
                    Change::Up(false) => since = since.or(Some(event.at)),
                    Change::Up(true) => spans.extend(since.take().map(|from| (from, event.at))),
                    _ => {}
                }
            }
            spans.extend(since.map(|from| (from, Time::MAX)));
            spans.extend(of_itself(number));
        }
        spans.sort();
        let mut merged: Vec<(Time, Time)> = Vec::new();
        for (from, until) in spans {
            match merged.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(until),
                _ => merged.push((from, until)),
            }
        }
        merged
    }

    /// Propagation along a walk.
    pub fn propagation(&self, scenario: &Scenario, hops: &[Hop]) -> Duration {
        hops.iter().fold(Duration::ZERO, |sum, hop| {
            let port = &self.ports[hop.port];
            let way = usize::from(port.way == crate::model::Way::Reverse);
            sum + scenario.links[port.link.0].directions[way].delay
        })
    }

    /// Time on the transmitters along a walk for one datagram of `len` bytes, until its last bit and without waiting.
    pub fn serialisation(&self, scenario: &Scenario, hops: &[Hop], len: u32) -> Duration {
        hops.iter().fold(Duration::ZERO, |sum, hop| {
            let port = &self.ports[hop.port];
            let framing = scenario.links[port.link.0].framing;
            sum + framing.time_for(port.rate, len + hop.extra)
        })
    }

    /// Whether some route of this flow ends at `node`.
    pub fn delivers(&self, port: usize, dir: FlowDir) -> bool {
        self.ports[port].forwarding.routes.get(dir.index()) == Some(&RouteAction::Deliver)
    }
}
