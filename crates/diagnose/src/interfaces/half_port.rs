//! A router's port at half duplex: that of a port by which the flow may have gone is evidence, and that of another one is not.

use std::collections::{BTreeMap, BTreeSet};

use crate::fact::{Of, Place};
use crate::flows::flow::Flow;
use crate::ports::{Kind, Port, PortReading};
use crate::read::Facts;

/// Why a port did not carry a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Why {
    /// The line that says its duplex says that it is slower than the flow.
    Slow,
    /// So many packets arrived, and left, between its first and its last reading.
    Idle([f64; 2]),
}

/// What ports at half duplex are read as, by their system.
const HALVES: [Kind; 6] = [
    Kind::HalfOfJunos,
    Kind::HalfOfIos,
    Kind::HalfOfVrp,
    Kind::HalfOfRouterOs,
    Kind::HalfOfProCurve,
    Kind::HalfOfSrOs,
];

/// Readings of ports at half duplex.
pub(crate) fn halves(facts: &Facts) -> impl Iterator<Item = &PortReading> {
    let all = facts.ports.iter();
    all.filter(|r| HALVES.contains(&r.kind))
}

/// The ports at half duplex that did not carry a flow, by where that was read.
fn others<'f>(facts: &'f Facts, flow: &Flow) -> BTreeMap<Place, (&'f Port, Why)> {
    let speeds = facts.ports.iter().filter(|r| r.kind == Kind::Speed);
    let slow = speeds.filter(|r| flow.bypassed.is_too_slow(r.value));
    let slow: BTreeSet<Place> = slow.map(|r| r.at).collect();
    let mut ends: BTreeMap<&Port, (&PortReading, &PortReading)> = BTreeMap::new();
    for half in halves(facts) {
        ends.entry(&half.port).or_insert((half, half)).1 = half;
    }
    let mut all = BTreeMap::new();
    for half in halves(facts) {
        let ends = ends.get(&half.port);
        let why = match slow.contains(&half.at) {
            true => Some(Why::Slow),
            false => ends.and_then(|(first, last)| idle(first, last, flow)),
        };
        if let Some(why) = why {
            all.insert(half.at, (&half.port, why));
        }
    }
    all
}

/// What passed a port between two readings, where that is far fewer packets than the flow has, both ways. The same counts twice are a
/// text that was pasted twice, unless nothing ever passed.
fn idle(first: &PortReading, last: &PortReading, flow: &Flow) -> Option<Why> {
    let arrived = last.packets? - first.packets?;
    let left = last.sent? - first.sent?;
    let never = first.at != last.at && last.packets? + last.sent? == 0.0;
    let counted = never || arrived >= 0.0 && left >= 0.0 && arrived + left > 0.0;
    let both = [arrived, left];
    let few = both.iter().all(|n| flow.bypassed.is_too_few(*n));
    (counted && few && !first.port.name.is_empty()).then_some(Why::Idle(both))
}

/// Where a port on the path is at half duplex, the last one that may have carried the flow.
pub(crate) fn half_on_path(facts: &Facts, flow: &Flow) -> Option<Place> {
    let others = others(facts, flow);
    let said = facts.facts.iter();
    let mut half = said.filter(|f| f.of == Of::Path && f.name == "half_duplex");
    half.rfind(|f| !others.contains_key(&f.at)).map(|f| f.at)
}

/// That the duplex of some ports is not weighed, and why, for people.
pub(crate) fn left_out(facts: &Facts, flow: &Flow) -> Vec<String> {
    let sentence = |(port, why): (&Port, Why)| {
        let named = port.named("a router's port");
        match why {
            Why::Slow => format!(
                "{named} is slower than the flow, and did not carry it: its duplex is not weighed"
            ),
            Why::Idle([arrived, left]) => format!(
                "at {named} {arrived:.0} packets arrived and {left:.0} left between its readings, far fewer than the flow has: its duplex is not weighed"
            ),
        }
    };
    others(facts, flow).into_values().map(sentence).collect()
}
