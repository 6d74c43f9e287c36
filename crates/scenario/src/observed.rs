//! What a test brings to its record and to what is observed of it.

use std::collections::{BTreeMap, BTreeSet};

use farpath_observe::merge::Place;
use farpath_observe::{InStep, Sends, Span, TailQueue};
use farpath_record::{Origin, Record};
use farpath_units::Size;
use farpath_wire::FlowDir;

use crate::forecast::class_of;
use crate::model::{
    Arrivals, Congestion, Direction, Loss, Match, Queueing, Scenario, Test, TestKind, Udp,
};
use crate::plan::{Hop, Plan, PortPlan};

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
        let sent = plan.flows.iter().position(|f| f.test == number && !f.asks);
        let flow = sent.filter(|_| test.kind.tcp().is_some());
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
        let direction = |port: &&PortPlan| self.direction_of(port);
        let named = |port: &&PortPlan| direction(port).losses.iter().any(is_named);
        let waits = |port: &&PortPlan| {
            let queueing = direction(port).queueing.as_ref();
            queueing.and_then(|q| own_queue(q, test))
        };
        let queue = narrowest.clone().find_map(waits).unwrap_or_default();
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
            queue_lost: Vec::new(),
            in_step: sent.and_then(|flow| self.in_step(plan, flow)),
        }
    }

    fn direction_of(&self, port: &PortPlan) -> &Direction {
        self.links[port.link.0].direction(port.way)
    }

    /// What a flow's packets have in common with others that come at one phase of a queue. Nothing on its way there and back is random or
    /// follows a trace, and every queue there drops from its tail. Starts that were drawn choose a phase, and it stays. Times of chance at
    /// which others send break the step of windows. Datagrams that one queue has spaced come to the next as a clock's would, so that
    /// for them Poisson arrivals do not count.
    fn in_step(&self, plan: &Plan, flow: usize) -> Option<InStep> {
        let test = &self.tests[plan.flows[flow].test];
        let sends = match (&test.kind, sender(test)) {
            (_, Some(own)) if !self.tests.iter().any(is_random) => {
                let first = self.tests.iter().position(|t| sender(t) == Some(own))?;
                Sends::Windows(first)
            }
            (TestKind::Udp(udp), None) if !self.tests.iter().any(is_uneven) => {
                Sends::Datagrams(udp.size)
            }
            _ => return None,
        };
        let dir = FlowDir::forward(flow as u16);
        let (there, back) = (plan.walk(self, dir), plan.walk(self, dir.turned()));
        let direction = |hop: &Hop| self.direction_of(&plan.ports[hop.port]);
        let is_steady = |hop: &Hop| is_steady(direction(hop));
        if !there.iter().chain(&back).all(is_steady) {
            return None;
        }
        let takes_alike =
            |hop: &Hop| takes_alike(direction(hop)) && self.waits_in_one(plan, hop.port);
        // Answers come in bursts of their own.
        let goes_on = test.kind.bulk().is_some() || test.kind.udp().is_some();
        Some(InStep {
            sends,
            round: plan.propagation(self, &there) + plan.propagation(self, &back),
            queues: self.tail_queues(plan, flow, &there),
            takes_alike: goes_on && self.events.is_empty() && there.iter().all(takes_alike),
        })
    }

    /// Whether all that tests send to a port waits in one queue, which drops of all alike: of several classes, in one.
    fn waits_in_one(&self, plan: &Plan, port: usize) -> bool {
        let direction = self.direction_of(&plan.ports[port]);
        let Some(queueing) = direction.queueing.as_ref() else {
            return true;
        };
        let classes = &queueing.classes;
        if classes.iter().any(|c| !c.drops.is_empty()) {
            return false;
        }
        let rules: Vec<&[Match]> = classes.iter().map(|c| &c.matches[..]).collect();
        let mut used = BTreeSet::new();
        for (n, flow) in plan.flows.iter().enumerate().filter(|_| classes.len() > 1) {
            let there = FlowDir::forward(n as u16);
            let test = &self.tests[flow.test];
            for dir in [there, there.turned()] {
                let walk = plan.walk(self, dir);
                let here = walk.iter().filter(|hop| hop.port == port);
                used.extend(here.map(|hop| class_of(&rules, test, hop.lsp.is_some())));
            }
        }
        used.len() <= 1
    }

    /// The queues on a flow's way.
    fn tail_queues(&self, plan: &Plan, flow: usize, way: &[Hop]) -> Vec<TailQueue> {
        let header = u32::from(plan.flows[flow].header_bytes);
        let payload = match self.tests[plan.flows[flow].test].kind.udp() {
            Some(udp) => udp.size,
            None => plan.mss(self, flow),
        };
        let link = |hop: &Hop| &self.links[plan.ports[hop.port].link.0];
        let queue = |(n, hop): (usize, &Hop)| {
            let port = &plan.ports[hop.port];
            let wire = link(hop).framing.wire_bytes(header + payload + hop.extra);
            let before = n.checked_sub(1).and_then(|n| way.get(n));
            TailQueue {
                name: self.port_name(port.link, port.way),
                before: before.map(|hop| link(hop).name.clone()),
                packet: port.rate.time_for(Size::from_bytes(wire.into())),
            }
        };
        way.iter().enumerate().map(queue).collect()
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

/// Whether a test sends now more and now less, so that a queue takes more of it than of others for that alone.
fn is_uneven(test: &Test) -> bool {
    let changes = |udp: &Udp| {
        let follows = udp.envelope.is_some() || udp.replay.is_some();
        follows || udp.on_off.is_some() || udp.cells.is_some()
    };
    test.kind.flows().is_some() || test.kind.udp().is_some_and(changes)
}

/// Whether nothing but its queue takes of what comes to a direction of a link.
fn takes_alike(direction: &Direction) -> bool {
    let conditioning = &direction.conditioning;
    conditioning.marks.is_empty()
        && conditioning.policers.is_empty()
        && direction.arrivals.is_empty()
        && direction.losses.is_empty()
        && direction.cells.is_none()
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
        place_of(1, test, neck, more)
    }

    /// The same of a test by its number.
    fn place_of(number: usize, test: &str, neck: &str, more: &str) -> Option<InStep> {
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
        scenario.place(&plan, number).in_step
    }

    #[test]
    fn senders_are_in_step_where_nothing_is_random() {
        let of = |test: &str, neck: &str, more: &str| {
            in_step(test, neck, more).map(|own| (own.sends, own.round))
        };
        let own = |sender| Some((Sends::Windows(sender), Duration::from_ms(50)));
        assert_eq!(of("", "", ""), own(0));
        assert_eq!(of("cc = \"reno\"", "", "cc = \"cubic\""), own(1));
        assert_eq!(of("start_spread = \"1 s\"", "", ""), own(0));
        assert_eq!(of("", "loss = 1e-4", ""), None);
        assert_eq!(of("", "jitter = { max = \"1 ms\" }", ""), None);
    }

    /// The neck of 10 Mbit/s is reached over the access link, and a full segment takes 1.23 ms there.
    #[test]
    fn queues_on_the_way_are_known_with_what_leads_to_them() {
        let own = in_step("", "framing = \"ethernet\"", "").expect("nothing is random");
        assert!(own.takes_alike);
        let [access, neck] = own.queues.as_slice() else {
            panic!("{:?}", own.queues);
        };
        assert_eq!(
            (access.name.as_str(), &access.before),
            ("access a>r", &None)
        );
        let before = Some("access".to_owned());
        assert_eq!((neck.name.as_str(), &neck.before), ("neck r>b", &before));
        assert_eq!(neck.packet.as_ps() / 10_000_000, 123);
    }

    /// One of two classes takes both tests: one queue takes of all. Where each has its own, or a drop rule takes of some alone, none does.
    #[test]
    fn a_class_that_takes_all_is_one_queue() {
        let alike = |classes: &str| {
            let neck = format!("scheduler = \"drr\"\nclass = [{classes}, {{ name = \"rest\" }}]");
            in_step("", &neck, "").map(|own| own.takes_alike)
        };
        assert_eq!(alike("{ name = \"q\", protocol = \"tcp\" }"), Some(true));
        assert_eq!(alike("{ name = \"q\", test = [\"one\"] }"), Some(false));
        let rule =
            "{ name = \"q\", protocol = \"tcp\", drop = { dscp = \"af13\", above = \"50 %\" } }";
        assert_eq!(alike(rule), Some(false));
    }

    /// A stream that comes at times of chance keeps other windows from a step, and not itself: a queue spaces it.
    #[test]
    fn datagrams_are_in_step_behind_a_queue() {
        let stream = "kind = \"udp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"60 s\"\nrate = \"6 Mbit/s\"\nsize = 1200\narrivals = \"poisson\"";
        let own = |more: &str| {
            let more = format!("[[test]]\nname = \"three\"\n{stream}\n{more}");
            [1, 2].map(|test| place_of(test, "", "", &more).map(|own| own.sends))
        };
        assert_eq!(own(""), [None, Some(Sends::Datagrams(1200))]);
        let bursts = "on_off = { on = \"1 s\", off = \"1 s\" }";
        assert_eq!(own(bursts), [None, None]);
    }
}
