//! JUN008: filters that take path MTU discovery away.

use super::model::{Condition, Filter, Router, Term};
use crate::finding::Finding;
use crate::rules::JUN008;

/// Protocols by which routers say that a packet is too large.
const ICMP: [&str; 4] = ["icmp", "icmp6", "1", "58"];

/// JUN008, of the filters that interfaces have.
pub(super) fn check(router: &Router) -> Vec<Finding> {
    let units = router.interfaces.iter().flat_map(|i| &i.units);
    let applied: Vec<_> = units
        .flat_map(|u| &u.conditioners)
        .filter(|a| a.filter)
        .collect();
    let used = |f: &&Filter| {
        let mut all = applied.iter();
        all.any(|a| a.family == f.family && a.name.value == f.name.value)
    };
    router
        .filters
        .iter()
        .filter(used)
        .filter_map(lost)
        .collect()
}

/// The term that discards all ICMP, where none before it lets any pass.
fn lost(filter: &Filter) -> Option<Finding> {
    let reached = filter.terms.iter().take_while(|t| !t.from.is_empty());
    let term = reached.clone().find(|t| of_icmp(t))?;
    if !term.discards || !term.from.iter().all(|c| is_icmp(&c.value)) {
        return None;
    }
    let (too_large, kind) = match filter.family.as_str() {
        "inet6" => ("packet too big", "protocol icmp6; icmp-type packet-too-big"),
        _ => (
            "fragmentation needed",
            "protocol icmp; icmp-type unreachable; icmp-code fragmentation-needed",
        ),
    };
    let message = format!(
        "term `{}` of filter `{}` discards all ICMP, `{too_large}` too: where a link on the way carries less than the sender's MTU, full segments vanish",
        term.name, filter.name.value
    );
    let remedies = [
        format!("a term before it: `from {{ {kind}; }} then accept;`"),
        "or `tcp-mss` that fits every link of the way".to_owned(),
    ];
    Some(Finding::new(
        &JUN008,
        message,
        term.place.clone(),
        remedies.to_vec(),
    ))
}

/// Whether a term is about ICMP, all of it or some.
fn of_icmp(term: &Term) -> bool {
    term.from.iter().any(|c| is_icmp(&c.value))
}

fn is_icmp(condition: &Condition) -> bool {
    match condition {
        Condition::Protocol(all) => all.iter().any(|p| ICMP.contains(&p.as_str())),
        _ => false,
    }
}
