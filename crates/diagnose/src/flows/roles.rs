//! Whom the names of files and headings speak of: "sender" and "receiver" are of one flow, and each stays the same host in all others.

use crate::ceiling::bps;
use crate::fact::Place;
use crate::flows::flow::{Flow, alike};
use crate::flows::placed::by_names;
use crate::read::Facts;
use crate::seen::{Role, Side};

/// How a flow goes beside the one that roles are of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Roles {
    /// Which end opened the connection of that flow.
    client: Side,
    /// Whether this one goes the other way.
    turned: bool,
}

/// So much slower than the first a flow is the one that people speak of.
const SLOW: f64 = 0.5;

impl Flow {
    /// The end of this flow that a role speaks of.
    pub(crate) fn side_of(&self, role: Role) -> Side {
        let own = self.test.as_ref().map_or(Side::Sender, |t| t.client);
        match self.roles {
            None => role.side(own),
            Some(Roles { client, turned }) if turned => role.side(client).other(),
            Some(Roles { client, .. }) => role.side(client),
        }
    }

    /// Names of an end: 0 the sender, 1 the receiver.
    pub(crate) fn end_names(&self, n: usize) -> Vec<&String> {
        let end = if n == 0 { &self.from } else { &self.to };
        let aliases = self.test.iter().flat_map(|t| t.aliases[n].iter());
        let all = aliases.chain([&end.host]);
        all.filter(|name| !name.is_empty()).collect()
    }

    /// Whether it goes the other way between the hosts of another, or the same way; none where they have none in common.
    pub(crate) fn is_turned(&self, other: &Flow) -> Option<bool> {
        let is = |a: usize, b: usize| {
            let (a, b) = (self.end_names(a), other.end_names(b));
            a.iter().any(|a| b.iter().any(|b| alike(a, b)))
        };
        match (is(0, 0) || is(1, 1), is(0, 1) || is(1, 0)) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    }

    /// How fast a connection was, bit/s; datagrams go as fast as they were asked to.
    fn connected_bps(&self) -> Option<f64> {
        let test = self.test.as_ref().filter(|t| !t.udp)?;
        Some(test.goodput()?.0.value)
    }
}

/// That a line which you said once is taken both ways, where flows go both ways: many lines carry more one way than the other.
pub(crate) fn line_of_both_ways(facts: &Facts, flows: &[Flow]) -> Option<String> {
    let first = flows.first()?;
    let line = facts.of_path("line_bps").last()?;
    let both = flows.iter().any(|f| f.is_turned(first) == Some(true));
    (both && line.from.contains(&Place::You)).then(|| {
        format!(
            "--line {} is taken both ways: where the line carries less one way, diagnose the flow that goes so again with that rate",
            bps(line.value)
        )
    })
}

/// Finds the flow that roles are of, where flows go both ways: the first, or a far slower one; not one whose hosts are named otherwise.
pub(crate) fn give(facts: &Facts, flows: &mut [Flow]) {
    let roles: Vec<(&Vec<String>, Role)> = (facts.hosts.iter().zip(&facts.sides))
        .filter_map(|(names, role)| Some((names, (*role)?)))
        .collect();
    if flows.len() < 2 || roles.is_empty() {
        return;
    }
    let agrees = |flow: &&Flow| {
        let named = |(names, role): &(&Vec<String>, Role)| {
            by_names(facts, flow, names).is_none_or(|side| side == flow.side_of(*role))
        };
        roles.iter().all(named)
    };
    let Some(first) = flows.iter().find(agrees).or(flows.first()) else {
        return;
    };
    let slowest = (flows.iter().filter(agrees))
        .filter_map(|f| Some((f, f.connected_bps()?)))
        .min_by(|(_, a), (_, b)| a.total_cmp(b));
    let own = first.connected_bps().unwrap_or(f64::INFINITY);
    let slower = slowest.filter(|(_, bps)| *bps < SLOW * own);
    let of = slower.map_or(first, |(flow, _)| flow);
    let client = of.test.as_ref().map_or(Side::Sender, |t| t.client);
    let turned: Vec<Option<bool>> = flows.iter().map(|f| f.is_turned(of)).collect();
    if !turned.contains(&Some(true)) {
        return;
    }
    for (flow, turned) in flows.iter_mut().zip(turned) {
        flow.roles = turned.map(|turned| Roles { client, turned });
    }
}
