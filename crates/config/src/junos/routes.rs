//! `routing-options static`.

use super::parse;
use super::tree::{Id, ROOT, Tree};
use crate::dialect::Dialect;
use crate::routes::Route;
use crate::source::Place;

/// The static routes of a text that have an address as their next hop, and must reach it by themselves.
pub(crate) fn next_hops(text: &str, set: bool, file: usize) -> Vec<Route> {
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
    let routes = tree.children(routes).filter(by_itself);
    routes.flat_map(|id| hops(tree, id, file)).collect()
}

fn hops(tree: &Tree<'_>, id: Id, file: usize) -> Vec<Route> {
    let to = tree.node(id).word.split_once('/');
    let to = to.and_then(|(net, length)| net.parse().ok().zip(length.parse().ok()));
    let Some(hops) = tree.child(id, "next-hop") else {
        return Vec::new();
    };
    let route = |hop: Id| {
        let node = tree.node(hop);
        let place = Place {
            file,
            span: node.start as usize..node.end as usize,
        };
        Some(Route {
            to: to.filter(|net| net.1 <= 32),
            hop: (node.word.parse().ok()?, place),
        })
    };
    tree.children(hops).filter_map(route).collect()
}
