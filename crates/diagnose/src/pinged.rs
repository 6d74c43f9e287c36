//! Pings: whom they went to, and which of them are of a flow's path.

use std::net::IpAddr;

use crate::fact::{Fact, Figure, Of, Place};
use crate::first_hop::is_first_hop;
use crate::flow::{Flow, alike};
use crate::read::Facts;

/// Most targets that are named.
const NAMED_MAX: usize = 4;

/// Which pings are of a flow's path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pings {
    /// Numbers of those that are, in order.
    own: Vec<u32>,
    /// Numbers of those to a first hop of its path.
    pub(crate) near: Vec<u32>,
    /// Targets of pings where none of them is, by their first names.
    pub(crate) others: Vec<String>,
}

impl Pings {
    /// Whether what was said of this is of the flow's path.
    pub(crate) fn is_own(&self, of: Of) -> bool {
        match of {
            Of::Path => true,
            Of::Ping(n) => self.own.binary_search(&n).is_ok(),
            _ => false,
        }
    }

    /// The target of the first of them.
    pub(crate) fn target<'f>(&self, facts: &'f Facts) -> Option<&'f str> {
        let names = facts.pings.get(*self.own.first()? as usize)?;
        names.first().map(String::as_str)
    }

    /// Where the first of them was read.
    pub(crate) fn place(&self, facts: &Facts) -> Option<Place> {
        let first = Of::Ping(*self.own.first()?);
        let fact = facts.facts.iter().find(|f| f.of == first)?;
        Some(fact.at)
    }
}

impl Facts {
    /// A ping more, to a host of these names.
    pub(crate) fn ping(&mut self, names: Vec<String>) -> Of {
        self.reached(names.iter().map(String::as_str));
        self.pings.push(names);
        Of::Ping(self.pings.len() as u32 - 1)
    }

    /// Every figure of this name that was said of the path, in the order of the texts.
    pub(crate) fn of_path(&self, name: &str) -> impl DoubleEndedIterator<Item = &Figure> {
        self.figures(name, |of| of == Of::Path)
    }

    /// The same, with what a flow's pings said.
    pub(crate) fn along<'f>(
        &'f self,
        flow: &'f Flow,
        name: &'f str,
    ) -> impl DoubleEndedIterator<Item = &'f Figure> {
        self.figures(name, |of| flow.pings.is_own(of))
    }

    fn figures<'f>(
        &'f self,
        name: &str,
        is: impl Fn(Of) -> bool,
    ) -> impl DoubleEndedIterator<Item = &'f Figure> {
        let named = self.facts.iter().filter(move |f| f.name == name);
        named.filter(move |f| is(f.of)).filter_map(Fact::number)
    }
}

/// Least, mean and greatest round trip of a run of pings, nanoseconds.
pub(crate) type Run = [Figure; 3];

/// What each run of pings of a flow's path said.
pub(crate) fn runs(facts: &Facts, flow: &Flow) -> Vec<Run> {
    const NAMES: [&str; 3] = ["rtt_min_ns", "rtt_avg_ns", "rtt_max_ns"];
    let run = |three: &[Fact]| {
        let [least, mean, most] = three else {
            return None;
        };
        let one = least.of == mean.of && mean.of == most.of && flow.pings.is_own(least.of);
        let named = [least.name, mean.name, most.name] == NAMES;
        let figures = [least.number()?, mean.number()?, most.number()?];
        (one && named).then(|| figures.map(Figure::clone))
    };
    facts.facts.windows(3).filter_map(run).collect()
}

/// Whether a run of pings stands behind another test and before that of a flow, in one text: it was not this flow that loaded the path then.
pub(crate) fn is_before(facts: &Facts, flow: &Flow, run: &Run) -> bool {
    let line = |at: Place| match at {
        Place::Line(source, line) => Some((source, line)),
        _ => None,
    };
    let own = flow.test.as_ref().and_then(|t| line(t.at));
    let run = run[0].from.first().and_then(|at| line(*at));
    let (Some(own), Some(run)) = (own, run) else {
        return false;
    };
    let earlier = |at: (u32, u32)| at.0 == run.0 && at.1 < run.1;
    let mut others = facts.tests.iter().filter_map(|t| line(t.at));
    own.0 == run.0 && own.1 > run.1 && others.any(earlier)
}

/// The pings of a flow's path: those to one of its ends. Where there are none, those to the only target that may be its peer by another name.
pub(crate) fn of_flow(facts: &Facts, flow: &Flow) -> Pings {
    let ends = [0, 1].map(|n| names(flow, n));
    let is = |of: &Vec<String>, end: &[String]| of.iter().any(|a| end.iter().any(|b| alike(a, b)));
    let all = || (0_u32..).zip(&facts.pings);
    let first_hops = all().filter(|(_, of)| is_first_hop(of, flow));
    let near: Vec<u32> = first_hops.map(|(n, _)| n).collect();
    let own: Vec<u32> = all()
        .filter(|(_, of)| ends.iter().any(|end| is(of, end)))
        .map(|(n, _)| n)
        .collect();
    if !own.is_empty() {
        return Pings {
            own,
            near,
            others: Vec::new(),
        };
    }
    let far: Vec<(u32, &Vec<String>)> = all().filter(|(n, _)| !near.contains(n)).collect();
    // A ping to a first hop alone may be to the end after all, where nothing says how the end is called.
    let nameless = ends.iter().all(Vec::is_empty);
    let far = match far.is_empty() && nameless {
        true => all().collect(),
        false => far,
    };
    let may: Vec<(u32, &Vec<String>)> = far
        .iter()
        .copied()
        .filter(|(_, of)| !apart(facts, of, peer(&ends, flow)))
        .collect();
    let one = may
        .first()
        .is_some_and(|(_, first)| may.iter().all(|(_, of)| is(of, first)));
    let others = match one {
        true => Vec::new(),
        false => targets(&facts.pings),
    };
    let own: Vec<u32> = may.iter().filter(|_| one).map(|(n, _)| *n).collect();
    let near = near.into_iter().filter(|n| !own.contains(n)).collect();
    Pings { own, near, others }
}

/// The first names of pings, each once, as many as are named.
fn targets<'f>(pings: impl IntoIterator<Item = &'f Vec<String>>) -> Vec<String> {
    let mut targets: Vec<String> = Vec::new();
    for target in pings.into_iter().filter_map(|of| of.first()) {
        if targets.len() < NAMED_MAX && !targets.contains(target) {
            targets.push(target.clone());
        }
    }
    targets
}

/// Every name of an end of a flow: 0 the sender, 1 the receiver.
fn names(flow: &Flow, n: usize) -> Vec<String> {
    let end = if n == 0 { &flow.from } else { &flow.to };
    let aliases = flow.test.iter().flat_map(|t| t.aliases[n].iter());
    let all = aliases.chain([&end.host]).filter(|name| !name.is_empty());
    all.cloned().collect()
}

/// Names of the end that did not open the connection, which is the one that people ping.
fn peer<'e>(ends: &'e [Vec<String>; 2], flow: &Flow) -> &'e [String] {
    let fetched = flow
        .test
        .as_ref()
        .is_some_and(|t| t.client == crate::seen::Side::Receiver);
    &ends[usize::from(!fetched)]
}

/// Whether both have addresses of one kind, and none in common, or names of records: they are two hosts.
fn apart(facts: &Facts, a: &[String], b: &[String]) -> bool {
    let recorded = |names: &[String]| names.iter().any(|n| facts.recorded_hosts.contains(n));
    if recorded(a) && recorded(b) {
        return !a.iter().any(|x| b.contains(x));
    }
    let addresses =
        |names: &[String]| -> Vec<IpAddr> { names.iter().filter_map(|n| n.parse().ok()).collect() };
    let (a, b) = (addresses(a), addresses(b));
    let kind = a
        .iter()
        .any(|x| b.iter().any(|y| x.is_ipv4() == y.is_ipv4()));
    kind && !a.iter().any(|x| b.contains(x))
}

/// Names the targets of pings that are of no flow's path.
pub(crate) fn left_out(facts: &Facts, flows: &[Flow]) -> Option<String> {
    let of = |f: &Flow, n: &u32| f.pings.own.binary_search(n).is_ok() || f.pings.near.contains(n);
    let taken = |n: &u32| flows.iter().any(|f| of(f, n));
    let rest = (0_u32..).zip(&facts.pings).filter(|(n, _)| !taken(n));
    let named = targets(rest.map(|(_, of)| of));
    (!named.is_empty()).then(|| {
        format!(
            "pings to {} are of no flow's path, and are left out",
            named.join(", ")
        )
    })
}
