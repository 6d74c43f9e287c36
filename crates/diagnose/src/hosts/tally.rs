//! Counters of hosts and their interfaces: by how much they grew from one reading to the next.

use core::cmp::Ordering;
use std::collections::BTreeMap;

use crate::evidence::Evidence;
use crate::fact::{Figure, Of, Place};
use crate::flows::flow::Flow;
use crate::items::step;
use crate::read::Facts;
use crate::read::frames::UNSENT;

/// A reading of a counter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    /// The host whose counter it is.
    pub(crate) host: u32,
    /// The interface, empty where it was not printed.
    pub(crate) interface: String,
    /// What is counted, such as `nic_drops`.
    pub(crate) kind: &'static str,
    /// The counter's own name.
    pub(crate) name: &'static str,
    /// What it stood at.
    pub(crate) value: f64,
    /// Where it was read.
    pub(crate) at: Place,
}

impl Reading {
    /// The interface by the name that commands take: processors have none, and a queue is of its interface.
    pub(crate) fn port(&self) -> &str {
        let name = self.interface.split(' ').next();
        name.filter(|_| self.name != "softnet").unwrap_or("")
    }
}

impl Facts {
    /// Adds a reading of a counter of an interface: what it counts, and its own name.
    pub(crate) fn counted(
        &mut self,
        of: Of,
        interface: &str,
        (kind, name): (&'static str, &'static str),
        value: u64,
        at: Place,
    ) {
        if let Of::Host(host) = of {
            self.counters.push(Reading {
                host,
                interface: interface.to_owned(),
                kind,
                name,
                value: value as f64,
                at,
            });
        }
    }

    /// Takes off the last reading of a counter what is counted among it and elsewhere, too.
    pub(crate) fn counted_elsewhere(&mut self, of: Of, interface: &str, name: &str, value: u64) {
        let is_it =
            |r: &&mut Reading| Of::Host(r.host) == of && r.interface == interface && r.name == name;
        if let Some(reading) = self.counters.iter_mut().rev().find(is_it) {
            reading.value = (reading.value - value as f64).max(0.0);
        }
    }
}

/// What a counter says: by how much it grew where it was read more than once, else what it stood at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tally {
    /// The host whose counter it is.
    pub(crate) host: u32,
    /// The interface, empty where it is not known.
    pub(crate) interface: String,
    /// The counter's own name, empty where it is not known.
    pub(crate) counter: &'static str,
    /// The count.
    pub(crate) count: Figure,
    /// What the counter stood at last.
    pub(crate) stood: f64,
    /// Frames that its interface received until then, where they are known.
    pub(crate) received: Option<f64>,
    /// Whether it is what was counted between two readings.
    pub(crate) grew: bool,
}

/// Of more texts about hosts than this nobody knows which were before and which after.
pub(crate) const HOSTS_MAX: usize = 64;

/// The largest of the counters of a kind on these hosts. Where some were read twice or more they count by their growth, one interface of
/// a host at a time; what was counted once, since nobody knows when, counts only where nothing grew and something stood there. What did
/// not carry the flow counts for nothing.
pub(crate) fn tally(
    (facts, flow): (&Facts, &Flow),
    hosts: &[u32],
    kind: &'static str,
) -> Option<Tally> {
    if hosts.len() > HOSTS_MAX {
        return None;
    }
    let name = |host: u32| facts.hosts.get(host as usize).and_then(|n| n.first());
    let mut all: BTreeMap<_, (&Reading, &Reading)> = BTreeMap::new();
    let of_kind = facts.counters.iter().filter(|c| c.kind == kind);
    let left = |c: &Reading| flow.bypassed.leaves_count(c.host, c.port(), kind);
    for reading in of_kind.filter(|c| hosts.contains(&c.host) && !left(c)) {
        let key = (name(reading.host), &reading.interface, reading.name);
        all.entry(key).or_insert((reading, reading)).1 = reading;
    }
    let of = |(first, last): &(&Reading, &Reading)| {
        // A counter that fell began anew.
        let grew = first.at != last.at && last.value >= first.value;
        let count = if grew {
            last.value - first.value
        } else {
            last.value
        };
        let mut figure = Figure::exact(count, last.at);
        figure
            .from
            .extend(Some(first.at).filter(|at| grew && *at != last.at));
        Tally {
            host: last.host,
            interface: last.port().to_owned(),
            counter: last.name,
            count: figure,
            stood: last.value,
            received: facts.received(last.host, last.port()),
            grew,
        }
    };
    all.values().map(of).max_by(Tally::order)
}

/// The host of what a router counts.
pub(crate) const NOBODY: u32 = u32::MAX;

impl Tally {
    /// What the interface did with what it counts, for people.
    pub(crate) fn did(&self) -> &'static str {
        match self.counter {
            UNSENT => "failed to send",
            _ => "dropped",
        }
    }

    /// The larger of those of two ends: what grew before what only stands there.
    pub(crate) fn of_ends(
        among: (&Facts, &Flow),
        ends: [&[u32]; 2],
        kind: &'static str,
    ) -> Option<Tally> {
        let each = ends.into_iter().filter_map(|end| tally(among, end, kind));
        each.max_by(Tally::order)
    }

    /// The larger count last: what grew after what only stands there, and nothing before both.
    pub(crate) fn order(&self, other: &Tally) -> Ordering {
        let rank = |t: &Tally| (t.count.value > 0.0, t.grew);
        let by_rank = rank(self).cmp(&rank(other));
        by_rank.then(self.count.value.total_cmp(&other.count.value))
    }

    /// What was counted once, on no host that is known.
    pub(crate) fn once(count: &Figure) -> Tally {
        Tally {
            host: NOBODY,
            interface: String::new(),
            counter: "",
            stood: count.value,
            received: None,
            count: count.clone(),
            grew: false,
        }
    }

    /// How surely it counts, 0 to 1, from `least` to `enough` on: half where nobody knows since when.
    pub(crate) fn holds(&self, least: f64, enough: f64) -> f64 {
        let trust = if self.grew { 1.0 } else { 0.5 };
        step(self.count.value, least, enough) * trust
    }

    /// How well it accounts for the segments that were sent again, 0 to 1: fewer of it than of them are not what lost them. None where
    /// nothing says how many were sent again.
    pub(crate) fn accounts(&self, e: &Evidence) -> Option<f64> {
        Some(step(self.share(e)?, 0.2, 0.7))
    }

    /// It over the segments that were sent again; 0 where none were.
    fn share(&self, e: &Evidence) -> Option<f64> {
        let again = e.sent_again().filter(|_| !e.udp)?;
        Some(match again {
            n if n <= 0.0 => 0.0,
            n => self.count.value / n,
        })
    }

    /// What it counts of the segments that were sent again, at most all of them. None where nothing says how many there were.
    pub(crate) fn part_of(&self, e: &Evidence) -> Option<f64> {
        Some(self.share(e)?.min(1.0))
    }

    /// The same of what grew, which alone is sure to be of this time; 0 where nothing is known.
    pub(crate) fn surely_accounts(&self, e: &Evidence) -> f64 {
        self.accounts(e).filter(|_| self.grew).unwrap_or(0.0)
    }

    /// Since when it counts, for people.
    pub(crate) fn since(&self) -> &'static str {
        match self.grew {
            true => "from one reading to the next",
            false => "since it was started",
        }
    }
}
