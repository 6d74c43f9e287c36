//! Which frames a port may carry, and which of them the rules of a class, a mark or a policer take.

use std::collections::BTreeSet;

use farpath_wire::FlowDir;

use crate::model::{Match, PoliceAction, PoliceRule, Protocol, Rule, Scenario};
use crate::plan::Plan;

/// One sort of frame on a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sort {
    /// The test it belongs to.
    pub test: usize,
    /// Its transport.
    pub protocol: Protocol,
    /// It goes the way of the test's data.
    pub data: bool,
    /// It carries a label there.
    pub labelled: bool,
}

/// What each port may carry.
pub(super) struct Traffic {
    ports: Vec<BTreeSet<Sort>>,
    /// DSCPs that a mark or a policer may set somewhere.
    set: BTreeSet<u8>,
}

impl Traffic {
    /// Of every test of a scenario, there and back; with what routers may answer where some may have to.
    pub(super) fn new(scenario: &Scenario, plan: &Plan) -> Traffic {
        let mut ports = vec![BTreeSet::new(); plan.ports.len()];
        let answered = plan
            .ports
            .iter()
            .any(|p| p.reaches_node && scenario.is_router(p.to));
        for (number, flow) in plan.flows.iter().enumerate() {
            let there = FlowDir::forward(u16::try_from(number).unwrap_or(0));
            let own = scenario.tests[flow.test].kind.protocol();
            for (dir, data) in [(there, !flow.asks), (there.turned(), false)] {
                // Nothing acknowledges a datagram.
                let sent = own != Protocol::Udp || dir == there;
                for hop in plan.walk(scenario, dir) {
                    let sort = Sort {
                        test: flow.test,
                        protocol: own,
                        data,
                        labelled: hop.lsp.is_some(),
                    };
                    let answer = Sort {
                        protocol: Protocol::Icmp,
                        data: false,
                        ..sort
                    };
                    ports[hop.port].extend(sent.then_some(sort));
                    ports[hop.port].extend(answered.then_some(answer));
                }
            }
        }
        // Which member carries a frame is not asked.
        for bundle in &scenario.bundles {
            let of = |from| {
                let port = move |l: &crate::model::LinkId| {
                    crate::plan::port_of(*l, scenario.way_from(from, *l))
                };
                bundle.links.iter().map(port)
            };
            for from in bundle
                .links
                .first()
                .map_or([].as_slice(), |l| &scenario.links[l.0].ends)
            {
                let all: BTreeSet<Sort> = of(*from).flat_map(|p| ports[p].clone()).collect();
                of(*from).for_each(|p| ports[p].clone_from(&all));
            }
        }
        Traffic {
            ports,
            set: set_somewhere(scenario),
        }
    }

    /// The sorts on a port.
    pub(super) fn on(&self, port: usize) -> &BTreeSet<Sort> {
        &self.ports[port]
    }

    /// Which of `rules` take frames on `port`, each with what it takes them by.
    pub(super) fn taken(
        &self,
        scenario: &Scenario,
        port: usize,
        rules: &[Vec<Match>],
        by: By<'_>,
    ) -> BTreeSet<(usize, Match)> {
        let mut taken = BTreeSet::new();
        for sort in &self.ports[port] {
            let test = &scenario.tests[sort.test];
            let dscps = self.set.iter().copied().chain([test.class >> 2]);
            for dscp in dscps {
                let frame = (test.name.as_str(), sort.protocol, dscp);
                let known = Match::known_by(rules, frame, sort.labelled);
                taken.extend(by.of(rules, known));
            }
        }
        taken
    }
}

/// Which of the rules that know a frame take it.
#[derive(Clone, Copy)]
pub(super) enum By<'a> {
    /// Classes and their drop rules, with the number of each one's class: the class that knows it by test, transport and DSCP in this
    /// order, and the first drop rule of that for its DSCP.
    Class(&'a [usize]),
    /// Marks or policers: the first in their order.
    Order,
}

impl By<'_> {
    /// Of rules that know a frame, each with what by, those that take it.
    fn of(self, rules: &[Vec<Match>], known: Vec<(usize, Match)>) -> Vec<(usize, Match)> {
        match self {
            By::Order => {
                let open = rules.iter().position(Vec::is_empty).unwrap_or(usize::MAX);
                let taker = known.into_iter().min_by_key(|(rule, _)| *rule);
                taker.into_iter().filter(|(rule, _)| *rule < open).collect()
            }
            By::Class(of) => {
                let Some((rule, what)) = known.first().cloned() else {
                    return Vec::new();
                };
                let by = known.last().map(|(_, by)| by.clone());
                // The first of a class's rules is its own.
                let is_drop = |n: &usize| *n > 0 && of[*n] == of[rule] && of[*n - 1] == of[*n];
                let drop = by.and_then(|by| {
                    let names = |n: &usize| is_drop(n) && rules[*n].contains(&by);
                    Some(((0..rules.len()).find(names)?, by))
                });
                [(rule, what)].into_iter().chain(drop).collect()
            }
        }
    }
}

/// Every DSCP that is set on some way.
fn set_somewhere(scenario: &Scenario) -> BTreeSet<u8> {
    let mut set = BTreeSet::new();
    let policed = |rule: &PoliceRule, set: &mut BTreeSet<u8>| {
        set.extend(rule.actions.iter().filter_map(|a| match a {
            PoliceAction::Mark(dscp) => Some(*dscp),
            PoliceAction::Pass | PoliceAction::Drop => None,
        }));
    };
    for direction in scenario.links.iter().flat_map(|l| &l.directions) {
        set.extend(direction.conditioning.marks.iter().map(|m| m.dscp));
        let here = direction.conditioning.policers.iter();
        here.for_each(|p| policed(p, &mut set));
        for rule in &direction.arrivals {
            match rule {
                Rule::Mark(m) => set.extend([m.dscp]),
                Rule::Police(p) => policed(p, &mut set),
            }
        }
    }
    set
}
