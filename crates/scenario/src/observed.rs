//! What a test brings to its record and to what is observed of it.

use std::collections::BTreeMap;

use farpath_observe::merge::Place;
use farpath_observe::{InStep, Span};
use farpath_record::{Origin, Record};
use farpath_wire::FlowDir;

use crate::model::{Arrivals, Congestion, Direction, Loss, Match, Queueing, Scenario, Test, Udp};
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
            queues_took: false,
            in_step: flow.and_then(|flow| self.in_step(plan, flow)),
        }
    }

    /// What the packets of a flow's connections have in common with others that come at one phase of a queue: where no test sends at random,
    /// nothing on its way there and back is random or follows a trace, and every queue there drops from its tail. Starts that were drawn
    /// choose a phase, and it stays.
    fn in_step(&self, plan: &Plan, flow: usize) -> Option<InStep> {
        if self.tests.iter().any(is_random) {
            return None;
        }
        let dir = FlowDir::forward(flow as u16);
        let (there, back) = (plan.walk(self, dir), plan.walk(self, dir.turned()));
        let steady = there.iter().chain(&back).all(|hop| {
            let port = &plan.ports[hop.port];
            is_steady(self.links[port.link.0].direction(port.way))
        });
        let own = sender(&self.tests[plan.flows[flow].test])?;
        let first = self.tests.iter().position(|t| sender(t) == Some(own))?;
        steady.then(|| InStep {
            sender: first,
            round: plan.propagation(self, &there) + plan.propagation(self, &back),
        })
    }
}

/// The congestion control of a test's connections, if it has any.
fn sender(test: &Test) -> Option<&Congestion> {
    test.kind.tcp().map(|tcp| &tcp.cc)
}

/// Whether a test sends at random.
fn is_random(test: &Test) -> bool {
    let poisson = |udp: &Udp| udp.arrivals == Arrivals::Poisson || udp.on_off.is_some();
    test.kind.flows().is_some() || test.kind.udp().is_some_and(poisson)
}

/// Whether a direction of a link loses nothing at random, keeps its rate and delay, and drops from the tails of its queues.
fn is_steady(direction: &Direction) -> bool {
    let is_named = |loss: &Loss| matches!(loss, Loss::Scripted { .. } | Loss::EveryNth(_));
    let from_the_tail = |queueing: &Queueing| {
        queueing.fq_codel.is_none() && queueing.classes.iter().all(|c| c.aqm.is_none())
    };
    direction.impairments.is_none()
        && direction.losses.iter().all(is_named)
        && direction.queueing.as_ref().is_none_or(from_the_tail)
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

#[cfg(test)]
mod tests {
    use farpath_units::Duration;

    use super::*;
    use crate::{Source, parse};

    /// What the second test of a scenario has in common with others: two senders and a neck with these keys.
    fn in_step(test: &str, neck: &str, more: &str) -> Option<InStep> {
        let text = format!(
            "[scenario]\nname = \"s\"\n[[host]]\nname = \"a\"\n[[router]]\nname = \"r\"\n[[host]]\nname = \"b\"\n\
             [[link]]\nname = \"access\"\nends = [\"a\", \"r\"]\nrate = \"1 Gbit/s\"\ndelay = \"5 ms\"\n\
             [[link]]\nname = \"neck\"\nends = [\"r\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n{neck}\n\
             [[test]]\nname = \"one\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"60 s\"\n{test}\n\
             [[test]]\nname = \"two\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"60 s\"\n{more}\n"
        );
        let name = "s.toml".to_owned();
        let scenario = parse(&Source { name, text }, &[]).unwrap_or_else(|e| panic!("{e}"));
        let plan = Plan::new(&scenario).expect("a plan");
        scenario.place(&plan, 1).in_step
    }

    #[test]
    fn senders_are_in_step_where_nothing_is_random() {
        let own = |sender| {
            Some(InStep {
                sender,
                round: Duration::from_ms(50),
            })
        };
        assert_eq!(in_step("", "", ""), own(0));
        assert_eq!(in_step("cc = \"reno\"", "", "cc = \"cubic\""), own(1));
        assert_eq!(in_step("start_spread = \"1 s\"", "", ""), own(0));
        assert_eq!(in_step("", "loss = 1e-4", ""), None);
        assert_eq!(in_step("", "jitter = { max = \"1 ms\" }", ""), None);
    }
}
