//! Checks of firewalls and of class-of-service.

use farpath_units::Rate;

use super::model::{Interface, Policer, Router};
use crate::finding::Finding;
use crate::qos::{Options, small_burst};
use crate::report::Structure;
use crate::rules::{JUN001, JUN002};

/// Names of this kind are checked with the circuits they are of.
const OF_CIRCUITS: &str = "label-switched-path";

/// A port that no policer is faster than.
const MOST_RATE: u64 = 800_000_000_000;

/// JUN001, of the names that a file refers to and nothing defines.
pub(super) fn names(undefined: &[Structure], defined: &[Structure]) -> Vec<Finding> {
    let own = undefined.iter().filter(|s| s.kind != OF_CIRCUITS);
    let finding = |s: &Structure| {
        let known = defined.iter().filter(|d| d.kind == s.kind);
        let near = known.min_by_key(|d| strsim::osa_distance(&d.name, &s.name));
        let remedy = match near {
            Some(near) => format!("define it; `{}` is defined", near.name),
            None => format!("define it, or take the {} out", s.kind),
        };
        let message = format!("{} `{}` is not defined", s.kind, s.name);
        Finding::new(&JUN001, message, s.place.clone(), vec![remedy])
    };
    own.map(finding).collect()
}

/// QOS011 and JUN002, of a router's policers.
pub(super) fn policers(router: &Router, options: &Options) -> Vec<Finding> {
    // Where the hardware alone knows how fast a port is, bursts come at once.
    let known = |i: &Interface| i.rate().or(Rate::from_bps(MOST_RATE));
    let fastest = router.interfaces.iter().filter_map(known).max();
    let mut all = Vec::new();
    for policer in &router.policers {
        let (name, place) = (&policer.name.value, &policer.name.place);
        match (&policer.rate, &policer.burst) {
            (Some(rate), Some(_)) if policer.discards && Some(rate.value) >= fastest => {}
            (Some(rate), Some(burst)) if policer.discards => {
                let named = format!("policer {name}");
                let contract = (rate.value, burst.value, fastest);
                all.extend(small_burst(&named, contract, &rate.place, options));
            }
            _ => all.extend(without_contract(policer).map(|(message, remedy)| {
                Finding::new(&JUN002, message, place.clone(), vec![remedy.to_owned()])
            })),
        }
    }
    all
}

/// Why a policer limits nothing, and what to write.
fn without_contract(policer: &Policer) -> Option<(String, &'static str)> {
    let name = &policer.name.value;
    let stated = policer.rate.is_some() || policer.percent.is_some();
    if !policer.discards {
        let message = format!("policer {name} discards nothing: what exceeds it goes on");
        return Some((message, "write `then discard`, if frames are to be dropped"));
    }
    (!stated || policer.burst.is_none()).then(|| {
        let message = format!("policer {name} states no rate or no burst");
        (
            message,
            "write `if-exceeding` with `bandwidth-limit` and `burst-size-limit`",
        )
    })
}
