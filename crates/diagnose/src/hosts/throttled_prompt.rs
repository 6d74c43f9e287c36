//! A control group that was read at the prompt of a test, before that and after it, where the prompt shows a folder and names no host: `/ # `.

use std::collections::BTreeSet;

use crate::fact::{Of, Place};
use crate::flows::bystander::typed_for;
use crate::flows::flow::{Flow, word};
use crate::read::Facts;
use crate::read::cgroup::{FOLDER, PERIODS};
use crate::seen::Side;

/// The end at whose prompt a test was typed, and the texts of control groups that were printed at the same one, where periods of theirs were
/// read before the test and after it. Nothing where these have two names, or another end printed its address at such a prompt.
pub(crate) fn of_test(facts: &Facts, flow: &Flow) -> Option<(Side, Vec<u32>)> {
    let test = flow.test.as_ref()?;
    let client = typed_for(facts, test)?;
    let folder = client.folder.as_deref()?;
    let Place::Line(source, _) = client.at else {
        return None;
    };
    let side = test.client;
    let is_own = |n: &u32| {
        let here = facts.host_sources.get(*n as usize) == Some(&source);
        let other = flow.end_of(*n) == Some(side.other());
        let shown = word(facts, Of::Host(*n), FOLDER);
        here && !other && shown.is_some_and(|(shown, _)| shown == folder)
    };
    let all = 0..facts.hosts.len() as u32;
    let own: Vec<u32> = all.filter(is_own).collect();
    let names = own.iter().flat_map(|n| facts.hosts[*n as usize].iter());
    let names: BTreeSet<&String> = names.collect();
    let address = match side {
        Side::Sender => &flow.from.host,
        Side::Receiver => &flow.to.host,
    };
    let another = facts.shells.iter().any(|(of, name, printed)| {
        *of == source && name.is_empty() && !printed.is_empty() && printed != address
    });
    let is_of = |of: Of| matches!(of, Of::Host(n) if own.contains(&n));
    let read = facts.facts.iter().filter(|f| f.name == PERIODS);
    let places: Vec<Place> = read.filter(|f| is_of(f.of)).map(|f| f.at).collect();
    let before = places.iter().any(|at| *at < client.at);
    let after = places.iter().any(|at| *at > test.at);
    (before && after && !another && names.len() < 2).then_some((side, own))
}
