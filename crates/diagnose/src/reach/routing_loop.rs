//! A loop of routers: in a trace that does not reach its end the same ones answer again and again, in turn.

use crate::document::MissingFact;
use crate::fact::Place;
use crate::paths::detour::Hop;
use crate::read::Facts;

/// How what is said first of a loop begins.
pub(crate) const LOOP: &str = "the way there is a loop of routers";

/// Most routers of a loop.
const ROUTERS_MAX: usize = 4;

/// Routers that send what goes to one address to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoutingLoop {
    /// Their names, in the order in which they answer.
    routers: Vec<String>,
    /// The hop at which the first of them answered first.
    first: u32,
    /// Where the trace was to go; empty where it does not say.
    end: String,
    /// Where the trace begins.
    at: Place,
}

impl RoutingLoop {
    /// The loop in which a trace ended: two rounds of it at least, and each router once in a round.
    pub(crate) fn of(hops: &[Hop], target: &[String], at: Place) -> Option<RoutingLoop> {
        let routers = (2..=ROUTERS_MAX).find_map(|round| in_turn(hops, round))?;
        let first = routers.first()?;
        let names = routers.iter().map(|hop| hop.name.clone());
        Some(RoutingLoop {
            routers: names.collect(),
            first: first.number,
            end: crate::redact(target.last().map_or("", String::as_str)),
            at,
        })
    }

    /// What it shows, for people.
    pub(crate) fn said(&self, facts: &Facts) -> String {
        let end = match self.end.as_str() {
            "" => "there",
            end => end,
        };
        format!(
            "{LOOP}: {} send what goes to {end} round, from hop {} on ({}). No firewall does that: one of them has a route that leads back, or none for {end} but its default",
            self.routers.join(" and "),
            self.first,
            facts.place(self.at)
        )
    }

    /// What tells which of them it is.
    pub(crate) fn asks(&self) -> MissingFact {
        let end = match self.end.as_str() {
            "" => "ADDRESS",
            end => end,
        };
        MissingFact {
            fact: "reachable",
            would_decide: "which of these routers sends back what it is to send on".to_owned(),
            command: format!(
                "on {}: show ip route {end} (of Linux: ip route get {end}): the next hop of each; one of them has to be another",
                self.routers.join(" and ")
            ),
        }
    }
}

/// The first round of a loop of so many routers with which a trace ends.
fn in_turn(hops: &[Hop], round: usize) -> Option<&[Hop]> {
    let again = |n: &usize| {
        let (own, before) = (&hops[*n], &hops[*n - round]);
        own.name == before.name && own.number == before.number + round as u32
    };
    let repeats = (round..hops.len()).rev().take_while(again).count();
    let start = hops.len().checked_sub(repeats + round)?;
    let first = hops.get(start..start + round)?;
    let once = |hop: &Hop| first.iter().filter(|other| other.name == hop.name).count() == 1;
    (repeats >= round && first.iter().all(once)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hops(names: &[&str]) -> Vec<Hop> {
        let each = (1..).zip(names);
        let hop = |(number, name): (u32, &&str)| Hop {
            number,
            name: (*name).to_owned(),
            least_ms: f64::from(number),
        };
        each.map(hop).collect()
    }

    #[test]
    fn routers_that_answer_in_turn_are_a_loop() {
        let of = |names: &[&str]| {
            let found = RoutingLoop::of(&hops(names), &[], Place::You)?;
            Some((found.first, found.routers.len()))
        };
        assert_eq!(of(&["g", "a", "b", "a", "b", "a"]), Some((2, 2)));
        assert_eq!(of(&["g", "a", "b", "c", "a", "b", "c"]), Some((2, 3)));
        // One that answers twice, as load is spread, or once more behind another, is none.
        assert_eq!(of(&["g", "a", "a", "a", "a"]), None);
        assert_eq!(of(&["g", "a", "b", "a"]), None);
        assert_eq!(of(&["a", "b", "a", "b", "c"]), None);
        assert_eq!(of(&[]), None);
    }
}
