//! `routing-options static`.

use core::net::Ipv4Addr;

use super::parse;
use super::tree::{Id, ROOT, Tree};
use crate::dialect::Dialect;
use crate::finding::Finding;
use crate::mask::{refusal, slashed};
use crate::route::Route;
use crate::rules::NET003;
use crate::source::Place;

/// The static routes of a text that have an address as their next hop, and must reach it by themselves. Lengths that are none
/// are added to `refused`.
pub(crate) fn next_hops(
    text: &str,
    set: bool,
    file: usize,
    refused: &mut Vec<Finding>,
) -> Vec<Route> {
    let dialect = match set {
        true => Dialect::JunosSet,
        false => Dialect::Junos,
    };
    let parsed = parse(text, dialect);
    let tree = &parsed.tree;
    let Some(routes) = tree.at(ROOT, &["routing-options", "static", "route"]) else {
        return Vec::new();
    };
    let by_itself = |id: &Id| !tree.node(*id).inactive && tree.child(*id, "resolve").is_none();
    let mut all = Vec::new();
    for id in tree.children(routes).filter(by_itself) {
        let word = tree.node(id).word;
        let parts = word.split_once('/');
        let parts = parts.filter(|(net, _)| net.parse::<Ipv4Addr>().is_ok());
        if parts.is_some_and(|(_, length)| slashed(length).is_none()) {
            let (message, remedy) = refusal(word);
            let place = place(tree, id, file);
            refused.push(Finding::new(&NET003, message, place, vec![remedy]));
        }
        all.extend(hops(tree, id, file));
    }
    all
}

fn place(tree: &Tree<'_>, id: Id, file: usize) -> Place {
    let node = tree.node(id);
    Place {
        file,
        span: node.start as usize..node.end as usize,
    }
}

fn hops(tree: &Tree<'_>, id: Id, file: usize) -> Vec<Route> {
    let to = tree.node(id).word.split_once('/');
    let to = to.and_then(|(net, length)| net.parse().ok().zip(length.parse().ok()));
    let Some(hops) = tree.child(id, "next-hop") else {
        return Vec::new();
    };
    let route = |hop: Id| {
        Some(Route {
            to: to.filter(|net| net.1 <= 32),
            hop: (tree.node(hop).word.parse().ok()?, place(tree, hop, file)),
        })
    };
    tree.children(hops).filter_map(route).collect()
}
