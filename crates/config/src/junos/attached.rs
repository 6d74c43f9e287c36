//! JUN009: interfaces of protocols that the router does not have.

use super::names::values;
use super::tree::{Id, ROOT, Tree};
use crate::finding::{Finding, quoted};
use crate::rules::JUN009;
use crate::source::Place;

/// Where protocols name their interfaces; the second word is that of the protocol.
const NAMED: [&str; 7] = [
    "protocols isis interface",
    "protocols ldp interface",
    "protocols mpls interface",
    "protocols ospf area <> interface",
    "protocols ospf3 area <> interface",
    "protocols pim interface",
    "protocols rsvp interface",
];

/// How interfaces begin that are there without a statement: loopbacks, management, and those that a router makes for tunnels.
const GIVEN: [&str; 10] = [
    "lo", "fxp", "em", "me", "vme", "vt-", "mt-", "pd-", "pe-", "lsi",
];

/// JUN009, of a whole text.
pub(super) fn check(tree: &Tree<'_>, place: &impl Fn(Id) -> Place) -> Vec<Finding> {
    let Some(ports) = tree.at(ROOT, &["interfaces"]) else {
        return Vec::new();
    };
    // Which ports a range has is not asked.
    if tree.child(ports, "interface-range").is_some() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for path in NAMED {
        let protocol = path.split(' ').nth(1).unwrap_or_default();
        for id in values(tree, path) {
            let node = tree.node(id);
            if !node.inactive && lacks(tree, ports, node.word) {
                let message = format!(
                    "`protocols {protocol}` has interface `{}`, which is not under `interfaces`",
                    quoted(node.word)
                );
                let remedy = match nearest_unit(tree, ports, node.word) {
                    Some(near) => format!("`{}` is", quoted(&near)),
                    None => "define it, or take it out".to_owned(),
                };
                found.push(Finding::new(&JUN009, message, place(id), vec![remedy]));
            }
        }
    }
    found
}

/// Whether nothing defines the unit of this name, unit 0 unless it says which.
fn lacks(tree: &Tree<'_>, ports: Id, name: &str) -> bool {
    let (port, unit) = name.split_once('.').unwrap_or((name, "0"));
    let is_name = port.contains(|c: char| c.is_ascii_digit()) && !port.contains(['*', '<', '[']);
    is_name
        && !GIVEN.iter().any(|g| port.starts_with(g))
        && tree.at(ports, &[port, "unit", unit]).is_none()
}

/// The unit with the nearest name.
fn nearest_unit(tree: &Tree<'_>, ports: Id, name: &str) -> Option<String> {
    let units = tree.children(ports).flat_map(move |port| {
        let below = tree.child(port, "unit");
        let below = below
            .into_iter()
            .flat_map(move |units| tree.children(units));
        let port = tree.node(port).word;
        below.map(move |unit| format!("{port}.{}", tree.node(unit).word))
    });
    units.min_by_key(|unit| strsim::osa_distance(unit, name))
}
