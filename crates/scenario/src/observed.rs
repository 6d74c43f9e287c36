//! What a test brings to its record and to what is observed of it.

use std::collections::BTreeMap;

use farpath_observe::Span;
use farpath_observe::merge::Place;
use farpath_record::{Origin, Record};
use farpath_wire::FlowDir;

use crate::model::{Loss, Match, Queueing, Scenario, Test};
use crate::plan::{Plan, PortPlan};

impl Scenario {
    /// The empty record of a test at a point.
    pub fn record(&self, test: &Test, origin: Origin, point: &BTreeMap<String, String>) -> Record {
        let (from, to) = (self.node_name(test.from), self.node_name(test.to));
        let mut record = Record::new(origin, &test.name, test.kind.subject().name(), from, to);
        record.point.clone_from(point);
        record.started_ns = test.start.as_ns();
        record.measured_from_ns = Some(test.span().from().as_ns());
        record.duration_ns = test.duration.unwrap_or_default().as_ns();
        record
    }
}

impl Scenario {
    /// Where and when a test, known by its number, is measured.
    pub fn place(&self, plan: &Plan, number: usize) -> Place<'_> {
        let test = &self.tests[number];
        let flow = plan.flows.iter().position(|f| f.test == number && !f.asks);
        let flow = flow.filter(|_| test.kind.tcp().is_some());
        let hops = flow.map(|n| plan.walk(self, FlowDir::forward(n as u16)));
        let ports: Vec<_> = hops
            .iter()
            .flatten()
            .map(|hop| &plan.ports[hop.port])
            .collect();
        let least = ports.iter().map(|port| port.rate).min();
        let name = |port: &&PortPlan| {
            let direction = self.direction_name(port.link, port.way);
            format!("link {}, {direction}", self.links[port.link.0].name)
        };
        let narrowest = ports.iter().filter(|port| Some(port.rate) == least);
        let is_named = |loss: &Loss| matches!(loss, Loss::Scripted { .. } | Loss::EveryNth(_));
        let named = |port: &&PortPlan| {
            let direction = self.links[port.link.0].direction(port.way);
            direction.losses.iter().any(is_named)
        };
        let waits = |port: &&PortPlan| {
            let direction = self.links[port.link.0].direction(port.way);
            direction.queueing.as_ref().and_then(|q| own_queue(q, test))
        };
        let queue = narrowest.clone().find_map(waits).unwrap_or_default();
        let direction = |port: &&PortPlan| self.links[port.link.0].direction(port.way);
        let by_flow = |port: &&PortPlan| {
            let queueing = direction(port).queueing.as_ref();
            queueing.is_some_and(|q| q.fq_codel.is_some())
        };
        let jittered = |port: &&PortPlan| direction(port).impairments.jitter.is_some();
        Place {
            group: test.group.as_deref(),
            span: test.span(),
            narrowest: narrowest.clone().map(name).collect(),
            queue,
            by_flow: narrowest.clone().any(by_flow),
            jittered: ports.iter().any(jittered),
            by_model: test.kind.tcp().is_some_and(|tcp| tcp.cc.paces_by_model()),
            named_losses: !self.events.is_empty() || ports.iter().any(named),
            line_bps: flow.and_then(|flow| crate::forecast::line_bps(self, plan, flow)),
        }
    }
}

/// A word for what a test's frames wait in, where a scheduler serves several queues: by what hosts mark them with, and by the test's
/// name where queues are set apart by that. Tests with two words may be in one queue, and those in two have two.
fn own_queue(queueing: &Queueing, test: &Test) -> Option<String> {
    let mut known_by = queueing.classes.iter().flat_map(|c| &c.matches);
    let by_test = known_by.any(|m| matches!(m, Match::Test(_))) || queueing.fq_codel.is_some();
    let name = if by_test { test.name.as_str() } else { "" };
    (by_test || queueing.classes.len() > 1).then(|| format!("{} {name}", test.class >> 2))
}

impl Test {
    /// When it is measured.
    pub fn span(&self) -> Span {
        Span {
            start: self.start,
            omit: self.omit,
            duration: self.duration,
        }
    }
}
