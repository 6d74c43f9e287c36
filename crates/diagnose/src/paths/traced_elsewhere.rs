//! Traces that are of another path than a flow's: to another host than its ends, or from another. Pings from another host are alike.

use std::collections::BTreeSet;

use crate::fact::{Fact, Of, Place};
use crate::flows::flow::{Flow, alike};
use crate::flows::placed::by_names;
use crate::paths::pinged::{Pings, Run, apart, names, peer, runs_of};
use crate::programs::split::is_far_shorter;
use crate::read::Facts;

/// A run within this part of its mean stood in no queue that filled or emptied. A choice.
const STILL: f64 = 0.05;

/// Most targets that are named.
const NAMED_MAX: usize = 4;

/// Where traces stand that are not of a flow's path: those to an address that is not its peer's. Those to a name that no text ties to the flow,
/// or from another host, are not where a run of its path, which hardly varies, says another round trip.
pub(crate) fn of_flow(facts: &Facts, flow: &Flow, pings: &Pings) -> BTreeSet<Place> {
    let mut elsewhere = BTreeSet::new();
    let mut doubtful = BTreeSet::new();
    let ends = [0, 1].map(|n| names(flow, n));
    if ends.iter().all(Vec::is_empty) {
        return elsewhere;
    }
    for (at, target) in facts.trace_targets.iter().filter(|(_, of)| !of.is_empty()) {
        let is_end = |n: &usize| target.iter().any(|a| ends[*n].iter().any(|b| alike(a, b)));
        match [0, 1].into_iter().find(is_end) {
            None if apart(facts, target, peer(&ends, flow)) => {
                elsewhere.insert(*at);
            }
            Some(n)
                if !apart(facts, target, &ends[n])
                    && !is_strangers(facts, flow, *at, &ends[1 - n]) => {}
            _ => {
                doubtful.insert(*at);
            }
        }
    }
    if !doubtful.is_empty() {
        let against = contradicted(facts, pings, &elsewhere, &doubtful);
        elsewhere.extend(against);
    }
    elsewhere
}

/// Whether a trace began at the prompt of a third host: one that is neither end's, where the end that would have sent it has another.
fn is_strangers(facts: &Facts, flow: &Flow, at: Place, sender: &[String]) -> bool {
    let prompt = facts.traced_at.get(&at).filter(|name| !name.is_empty());
    let Some(prompt) = prompt else { return false };
    let mut shells = facts.shells.iter();
    by_names(facts, flow, core::slice::from_ref(prompt)).is_none()
        && shells.any(|(_, name, address)| sender.contains(address) && !alike(name, prompt))
}

/// Numbers of a flow's pings that were typed at the prompt of a third host, where the test was typed at one without a name, and what was
/// typed there says another round trip. Of prompts that all have names `vantage.rs` judges.
pub(crate) fn pings_of_third_hosts(facts: &Facts, flow: &Flow, pings: &Pings) -> Vec<u32> {
    let ends = [0, 1].map(|n| names(flow, n));
    let strange = |f: &Fact| {
        let Of::Ping(n) = f.of else { return None };
        let own = f.name == "rtt_min_ns" && pings.is_own(f.of);
        (own && is_third_hosts(facts, flow, &ends, (n, f.at))).then_some((n, f.at))
    };
    let strange: Vec<(u32, Place)> = facts.facts.iter().filter_map(strange).collect();
    if strange.is_empty() {
        return Vec::new();
    }
    let doubtful: BTreeSet<Place> = strange.iter().map(|(_, at)| *at).collect();
    let against = contradicted(facts, pings, &pings.elsewhere, &doubtful);
    let apart = strange.iter().filter(|(_, at)| against.contains(at));
    apart.map(|(n, _)| *n).collect()
}

/// Whether a ping to an end of a flow was typed at a prompt with a name that is neither end's, and the test at one without, in the same text.
fn is_third_hosts(
    facts: &Facts,
    flow: &Flow,
    ends: &[Vec<String>; 2],
    (ping, at): (u32, Place),
) -> bool {
    let prompt = facts.pinged_at.get(ping as usize);
    let Some(prompt) = prompt.filter(|name| !name.is_empty()) else {
        return false;
    };
    let target = &facts.pings[ping as usize];
    let is_end = |n: &usize| target.iter().any(|a| ends[*n].iter().any(|b| alike(a, b)));
    let (Some(end), Place::Line(source, _)) = ([0, 1].into_iter().find(is_end), at) else {
        return false;
    };
    let mut shells = facts.shells.iter().filter(|(of, _, _)| *of == source);
    by_names(facts, flow, core::slice::from_ref(prompt)).is_none()
        && shells.any(|(_, name, address)| name.is_empty() && ends[1 - end].contains(address))
}

/// Traces and pings among doubtful ones whose round trip is far from those of all runs of the flow's path, one of which stood in no queue.
fn contradicted(
    facts: &Facts,
    pings: &Pings,
    elsewhere: &BTreeSet<Place>,
    doubtful: &BTreeSet<Place>,
) -> Vec<Place> {
    let place = |run: &Run| run[0].from.first().copied();
    let among = |set: &BTreeSet<Place>, run: &Run| place(run).is_some_and(|at| set.contains(&at));
    let mut runs = runs_of(facts, |of| pings.is_own(of));
    runs.retain(|run| !among(elsewhere, run));
    let (doubted, known): (Vec<Run>, Vec<Run>) =
        runs.into_iter().partition(|run| among(doubtful, run));
    let still = |[least, mean, most]: &Run| most.value - least.value < STILL * mean.value;
    let loaded = |run: &Run| place(run).is_some_and(|at| facts.moments.is_loaded(at));
    let far = |a: &Run, b: &Run| is_far_shorter(a[2].value, b[0].value);
    let near = |run: &Run, own: &Run| !far(run, own) && !far(own, run);
    let against = |run: &Run, own: &Run| {
        still(own) && !loaded(own) && (far(run, own) || still(run) && far(own, run))
    };
    let is_apart = |run: &&Run| {
        known.iter().any(|own| against(run, own)) && !known.iter().any(|own| near(run, own))
    };
    doubted.iter().filter(is_apart).filter_map(place).collect()
}

/// Names where traces went that are of no flow's path.
pub(crate) fn left_out(facts: &Facts, flows: &[Flow]) -> Option<String> {
    let timed = |at: &Place| {
        let mut all = facts.facts.iter().filter(|f| f.at == *at);
        all.any(|f| f.of == Of::Path && f.name == "rtt_min_ns")
    };
    let of_none = |at: &Place| flows.iter().all(|f| f.pings.elsewhere.contains(at));
    let mut named: Vec<&str> = Vec::new();
    for (at, target) in &facts.trace_targets {
        let Some(first) = target.first().map(String::as_str) else {
            continue;
        };
        let new = named.len() < NAMED_MAX && !named.contains(&first);
        if new && of_none(at) && timed(at) {
            named.push(first);
        }
    }
    (!named.is_empty() && !flows.is_empty()).then(|| {
        format!(
            "traces to {} are of another path than the flows here: their times and losses are left out",
            named.join(", ")
        )
    })
}
