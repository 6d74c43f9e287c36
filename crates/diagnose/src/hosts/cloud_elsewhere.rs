//! Limits of an instance of a cloud that packets went beyond at a host which no text ties to the end that they would hold.

use std::collections::BTreeMap;

use crate::flows::flow::Flow;
use crate::hosts::cloud::{IN, OUT};
use crate::hosts::tally::tally;
use crate::read::Facts;
use crate::read::frames::ALLOWANCES;

/// Most hosts whose counters are read.
const HOSTS_MAX: usize = 64;

/// That a host counts packets beyond what its instance may send or receive from one reading to the next, and is not known to be the end of
/// the first flow that sends or receives.
pub(crate) fn notes(facts: &Facts, flows: &[Flow]) -> Vec<String> {
    let Some(flow) = flows.first() else {
        return Vec::new();
    };
    let mut named: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (n, names) in (0_u32..).zip(&facts.hosts).take(HOSTS_MAX) {
        if let Some(name) = names.first() {
            named.entry(name.as_str()).or_default().push(n);
        }
    }
    let mut all = Vec::new();
    for (_, kind, of) in ALLOWANCES {
        let (end, other, who) = match kind {
            OUT => (&flow.senders, &flow.receivers, "sender"),
            IN => (&flow.receivers, &flow.senders, "receiver"),
            _ => continue,
        };
        // What is known to be the other end is not this one.
        let is_known = |h: &u32| {
            let elsewhere = other.contains(h) && !flow.assumed.contains(h);
            end.contains(h) || elsewhere
        };
        for (name, hosts) in &named {
            let grew = tally((facts, flow), hosts, kind).filter(|t| t.grew && t.count.value > 0.0);
            let Some(tally) = grew.filter(|_| !hosts.iter().any(is_known)) else {
                continue;
            };
            let place = tally.count.from.first().map(|at| facts.place(*at));
            all.push(format!(
                "{}{:.0} packets were beyond {of} at {name} from one reading to the next, and no text says that {name} is the {who}: where it is, that holds the flow; give what it prints in a file {who}.txt",
                place.map_or_else(String::new, |place| format!("{place}: ")),
                tally.count.value
            ));
        }
    }
    all
}
