//! Circuits over several routers: their walk, their checks, their configuration written.

mod circuit;
mod connections;
mod core_links;
mod ends;
mod mtu;
mod network;
pub mod snaky;
mod state;
mod walk;

pub use circuit::{Chain, Circuit, Crossing, End, Hop, Load, Port};
pub use mtu::labelled;
pub use network::Network;
pub use walk::circuits;

use farpath_units::Rate;

use crate::finding::{Finding, Rule};
use crate::junos::model::Router;
use crate::source::Place;

/// A statement nobody understood.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    pub(crate) place: Place,
    /// Its words from the top of its router.
    pub(crate) path: Vec<String>,
    /// The router's statement.
    pub(crate) router: Place,
}

/// What the checks read, and what they found.
pub(crate) struct Check<'n, 'r> {
    network: &'n Network<'r>,
    circuits: &'n [Circuit],
    unknown: &'n [Unknown],
    /// The rate of the test the circuits are for.
    rate: Option<Rate>,
    findings: Vec<Finding>,
}

/// Checks the circuits of `network`, which are for a test of `rate` one way, if one is stated.
pub(crate) fn check(
    network: &Network<'_>,
    circuits: &[Circuit],
    unknown: &[Unknown],
    rate: Option<Rate>,
) -> Vec<Finding> {
    let mut check = Check {
        network,
        circuits,
        unknown,
        rate,
        findings: Vec::new(),
    };
    check.connections();
    check.chains();
    check.ends();
    check.mtus();
    check.core();
    check.states();
    check.findings
}

/// How many statements nobody understood are named in a finding for each part it rests on.
const MOST_NAMED: usize = 20;

fn order(place: &Place) -> (usize, usize, usize) {
    (place.file, place.span.start, place.span.end)
}

/// Parts of a configuration a finding rests on, as paths.
type Rests<'a> = &'a [&'a [&'a str]];

/// `protocols connections` and `protocols mpls`: what the walk goes by.
const WALK: Rests<'static> = &[&["protocols", "connections"], &["protocols", "mpls"]];

/// Statements in these parts of a router's configuration that nobody understood, of all in [`order_unknown`]'s order; at
/// most [`MOST_NAMED`] of each part.
pub(crate) fn unknown_in(unknown: &[Unknown], router: &Place, rests: Rests<'_>) -> Vec<Place> {
    let top = order(router);
    let mut places = Vec::new();
    for part in rests {
        let before = |u: &Unknown| {
            let words = u.path.iter().map(String::as_str);
            (order(&u.router), words.collect::<Vec<_>>()) < (top, part.to_vec())
        };
        let from = unknown.partition_point(before);
        let within = |u: &&Unknown| {
            let starts = part.iter().zip(&u.path).all(|(a, b)| a == b);
            order(&u.router) == top && part.len() <= u.path.len() && starts
        };
        let found = unknown[from..].iter().take_while(within);
        places.extend(found.take(MOST_NAMED).map(|u| u.place.clone()));
    }
    places
}

/// Puts them into the order in which they are looked for.
pub(crate) fn order_unknown(unknown: &mut [Unknown]) {
    unknown.sort_by(|a, b| (order(&a.router), &a.path).cmp(&(order(&b.router), &b.path)));
}

impl<'r> Check<'_, 'r> {
    /// Adds a finding on `router`, with the severity its check usually has.
    fn say(
        &mut self,
        rule: &'static Rule,
        at: (usize, &Place),
        message: String,
        remedy: &str,
        rests: Rests<'_>,
    ) -> &mut Finding {
        let (router, place) = at;
        let remedies = vec![remedy.to_owned()];
        let mut finding = Finding::new(rule, message, place.clone(), remedies);
        finding.doubt(self.unknown_in(router, rests));
        self.findings.push(finding);
        self.findings.last_mut().expect("one was added")
    }

    fn unknown_in(&self, router: usize, rests: Rests<'_>) -> Vec<Place> {
        unknown_in(self.unknown, &self.router(router).place, rests)
    }

    fn router(&self, number: usize) -> &'r Router {
        &self.network.routers[number]
    }

    /// Both chains of a circuit.
    fn chains_of(circuit: &Circuit) -> impl Iterator<Item = &Chain> {
        core::iter::once(&circuit.forward).chain(&circuit.reverse)
    }

    /// Every port some circuit goes through between routers, once.
    fn core_ports(&self) -> Vec<Port> {
        let hops = self.circuits.iter().flat_map(|c| &c.loads);
        let mut ports: Vec<Port> = hops
            .flat_map(|l| [l.hop.from.clone(), l.hop.to.clone()])
            .collect();
        ports.sort();
        ports.dedup();
        ports
    }
}
