//! What switches and routers log of the network beside its links: hosts that flap between ports, spanning trees that change, neighbours of a
//! routing protocol that were lost. In the seconds of a stop that a test saw they say what was down.

use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Fact;
use crate::flows::flow::Flow;
use crate::items::Item;
use crate::reach::link_log::times;
use crate::read::Facts;
use crate::read::kernel_log::events::{LOOP, NEIGHBOUR, SECOND};

/// An event is of a stop from so many seconds before it on until as many behind it: clocks of hosts and routers differ. A choice.
const APART_S: f64 = 3.0;

/// Seconds of a day.
const DAY_S: f64 = 86_400.0;

/// How much such an event says of an outage that a test saw, decibans: as a log of a link.
const WEIGHT: f64 = 20.0;

/// Most events that are named.
const NAMED_MAX: usize = 3;

/// What a log says of the network.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PathEvents {
    /// The events, each once, with how often it was logged, for people.
    said: String,
    /// Whether one of them is of a loop, and else of a neighbour.
    is_loop: bool,
    /// Whether they were logged in the seconds of the test's stops; none where no text says when it began.
    timely: Option<bool>,
}

/// The events of some kinds, as they were logged.
fn logged(facts: &Facts) -> impl Iterator<Item = (&Fact, &str)> {
    let named = facts
        .facts
        .iter()
        .filter(|f| [LOOP, NEIGHBOUR].contains(&f.name));
    named.filter_map(|fact| Some((fact, fact.word()?)))
}

impl PathEvents {
    /// What was read of them, beside a flow whose intervals are these.
    fn of(facts: &Facts, flow: &Flow, e: &Evidence) -> Option<PathEvents> {
        let (first, _) = logged(facts).next()?;
        let seconds = times(facts, SECOND);
        // The date stands above the first line of the test.
        let test = flow.test.as_ref();
        let first_row = test.and_then(|test| Some(test.rows.first()?.at.min(test.at)));
        let begin = first_row.and_then(|at| facts.moments.second_of_day(at));
        let in_stop = |fact: &Fact| {
            let since = (seconds.get(&fact.at)? - begin?).rem_euclid(DAY_S);
            let still = e.counted.iter().filter(|row| row.bps <= 0.0);
            let mut near = still.map(|row| (row.from - APART_S, row.until + APART_S));
            Some(near.any(|(from, until)| since >= from && since <= until))
        };
        let each: Vec<Option<bool>> = logged(facts).map(|(fact, _)| in_stop(fact)).collect();
        let known = each.iter().any(Option::is_some);
        let timely = known.then(|| each.contains(&Some(true)));
        let own = logged(facts).zip(&each);
        let own = own.filter(|(_, near)| timely != Some(true) || **near == Some(true));
        let mut often: Vec<(&str, usize)> = Vec::new();
        for ((_, said), _) in own {
            match often.iter().position(|(known, _)| *known == said) {
                Some(n) => often[n].1 += 1,
                None if often.len() < NAMED_MAX => often.push((said, 1)),
                None => {}
            }
        }
        let each = often.iter().map(|(said, times)| match times {
            1 => (*said).to_owned(),
            n => format!("{said}, {n} times"),
        });
        let said: Vec<String> = each.collect();
        Some(PathEvents {
            said: format!(
                "{}: by the log {}",
                facts.place(first.at),
                said.join("; and ")
            ),
            is_loop: logged(facts).any(|(fact, _)| fact.name == LOOP),
            timely,
        })
    }
}

impl Evidence {
    /// Takes what logs have of the network.
    pub(crate) fn of_events(&mut self, facts: &Facts, flow: &Flow) {
        self.events = PathEvents::of(facts, flow, self);
    }

    /// What logs have of the network, where a stop was an outage and they are not of another time.
    fn events_of_outage(&self) -> Option<&PathEvents> {
        let events = self.events.as_ref().filter(|e| e.timely != Some(false));
        events.filter(|_| self.down() > 0.0)
    }

    /// What was behind such an event, of which its log says the time.
    pub(crate) fn asks_events(&self) -> Option<MissingFact> {
        let events = self.events_of_outage()?;
        let (would_decide, command) = match events.is_loop {
            true => (
                "which link makes the loop: a host that flaps between two ports is behind one of them, and its frames come back by the other",
                "on the switches with these ports, while it flaps: show mac address-table address MAC, show spanning-tree detail (last change, from which port), show interfaces PORT (broadcasts), show cdp neighbors or show lldp neighbors",
            ),
            false => (
                "why the neighbour was lost: its hellos did not arrive, as a link, a queue or a processor on the way took them, or it started anew",
                "at both ends of that link, at those times: show logging, show interfaces PORT (errors, drops, last flap), show processes cpu history; show ip ospf neighbor, show bgp summary (up since)",
            ),
        };
        Some(MissingFact {
            fact: "outage_events",
            would_decide: would_decide.to_owned(),
            command: command.to_owned(),
        })
    }

    /// What to mend of it, where it was logged in the seconds of the stops.
    pub(crate) fn mend_events(&self) -> Option<Change> {
        let events = self.events_of_outage().filter(|e| e.timely == Some(true))?;
        let (commands, risk): (Vec<&str>, &str) = match events.is_loop {
            true => (
                vec![
                    "take the link out that does not belong: shut one of the two ports between which the host flaps, the access port first, and see whether it stops",
                    "where a cable or a small switch closes the loop: spanning tree at all ports, BPDU guard at those of hosts (spanning-tree bpduguard enable), and storm control",
                    "no shutdown of that port brings it back",
                ],
                "what is behind the port that is shut has no network meanwhile",
            ),
            false => (
                vec![
                    "mend what took the hellos: the link to that neighbour first (errors, light, drops), then a full processor at either end",
                    "until then: another way around it, such as a higher cost of that link (ip ospf cost at its port, kept as it was for the undo)",
                ],
                "a cost that changes moves the traffic of all who use that link",
            ),
        };
        Some(Change {
            host: match events.is_loop {
                true => "the switches between whose ports it flaps".to_owned(),
                false => "the routers at both ends of that link".to_owned(),
            },
            commands: commands.into_iter().map(str::to_owned).collect(),
            risk: risk.to_owned(),
            ..Change::default()
        })
    }
}

/// What logs have of the network beside a stop that a test saw.
pub(crate) fn by_events(e: &Evidence, items: &mut Vec<Item>) {
    let Some(events) = e.events_of_outage() else {
        return;
    };
    let (weights, when) = match events.timely {
        Some(_) => (
            vec![(Cause::Outage, WEIGHT)],
            "that was in the seconds of these stops",
        ),
        None => (
            Vec::new(),
            "the texts do not say whether that was during the test (date before it does)",
        ),
    };
    items.push(Item {
        holds: 1.0,
        weights,
        sentence: format!("{}; {when}", events.said),
    });
}
