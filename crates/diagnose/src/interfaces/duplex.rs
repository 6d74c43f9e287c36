//! Interfaces at half duplex, and mismatches: one end of a cable sends whenever it likes, and the other one listens before it does.

use std::collections::BTreeMap;

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Of, Place};
use crate::flows::flow::Flow;
use crate::hosts::machine::is_worth_saying;
use crate::hosts::tally::{HOSTS_MAX, NOBODY, Tally};
use crate::items::{Item, step};
use crate::paths::around::frames;
use crate::ports::{Kind, counts};
use crate::read::{Duplexed, Facts};

/// An interface of a host at half duplex, and one of the other host, or a port, at full, for people.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mismatch {
    half: String,
    full: String,
    /// Damaged frames that arrived at a port at full duplex; none of an interface of a host.
    damaged: Option<f64>,
}

/// Where hosts have an interface at half duplex that may have carried a flow: the last of each.
pub(crate) fn halves(facts: &Facts, flow: &Flow) -> BTreeMap<u32, Place> {
    let half = facts.duplexes.iter().filter(|d| d.half);
    let own = half.filter(|d| !flow.bypassed.leaves(d.host, &d.name));
    own.map(|d| (d.host, d.at)).collect()
}

/// Of more interfaces than this nobody knows which are of a flow.
const INTERFACES_MAX: usize = 512;

impl Mismatch {
    /// Of two hosts of a flow. Both ends of a cable have one speed, whatever their duplex is.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Option<Mismatch> {
        let hosts = flow.senders.len() + flow.receivers.len();
        if facts.duplexes.len() > INTERFACES_MAX || hosts > 2 * HOSTS_MAX {
            return None;
        }
        let of_flow = |d: &&Duplexed| {
            let host = &d.host;
            let of_end = flow.senders.contains(host) || flow.receivers.contains(host);
            of_end && !flow.bypassed.leaves(*host, &d.name)
        };
        let all: Vec<&Duplexed> = facts.duplexes.iter().filter(of_flow).collect();
        let speed = |d: &Duplexed| flow.speed_of(facts, Of::Host(d.host)).map(|s| s.value);
        let of_cable = |half: &Duplexed, full: &Duplexed| {
            let speeds = speed(half).zip(speed(full));
            let same = speeds.is_none_or(|(a, b)| a == b);
            same && !full.half && flow.are_apart(facts, half.host, full.host)
        };
        let named = |d: &Duplexed| {
            let port = match d.name.as_str() {
                "" => "an interface",
                name => name,
            };
            let host = flow.host_called(facts, d.host, "one of the hosts");
            format!("{port} of {host}")
        };
        let damaged = counts(facts, Kind::Damaged);
        let at_port = |half: &Duplexed| {
            let bps = speed(half)?;
            let full = facts.full_ports.iter().filter(|f| f.bps == bps);
            full.filter(|f| !f.port.name.is_empty()).find_map(|full| {
                let own = damaged.iter().find(|c| c.port == full.port)?;
                let some = own.count.value > 0.0;
                some.then(|| (full.port.named(""), own.count.value))
            })
        };
        let halves = all.iter().copied().filter(|d| d.half);
        let with_port = halves.clone().find_map(|half| {
            let (full, frames) = at_port(half)?;
            Some(Mismatch {
                half: named(half),
                full,
                damaged: Some(frames),
            })
        });
        let with_host = |half: &Duplexed| {
            let full = all.iter().copied().find(|full| of_cable(half, full))?;
            Some(Mismatch {
                half: named(half),
                full: named(full),
                damaged: None,
            })
        };
        with_port.or_else(|| halves.clone().find_map(with_host))
    }

    /// That the other end of a cable is at full duplex, where it counts what the half one breaks off, for people.
    pub(crate) fn shown(&self) -> Option<String> {
        let damaged = self.damaged?;
        Some(format!(
            "a duplex mismatch: {} is at half duplex and {} at full, where {damaged:.0} frames arrived damaged, as the full end sees what the half one breaks off",
            self.half, self.full
        ))
    }
}

/// What counts collisions: a router's port by its name.
fn who(counted: &Tally) -> &str {
    let port = counted.interface.as_str();
    match port.is_empty() || counted.host != NOBODY {
        true => "an interface",
        false => port,
    }
}

/// What late collisions, and damaged frames at the other end, say of both.
fn late_in_words(e: &Evidence, late: &Tally) -> String {
    let around = &e.around;
    let counted = [&around.damaged, &around.damaged_back];
    let mut others = counted.into_iter().flatten();
    let other = others.find(|d| d.host != late.host && d.count.value > 0.0);
    let beside = other.map_or_else(String::new, |damaged| {
        format!(
            "; {}, as that end sees what this one breaks off",
            frames(damaged)
        )
    });
    format!(
        "{} counts {:.0} late collisions: the other end is at full duplex, a duplex mismatch{beside}",
        who(late),
        late.count.value
    )
}

/// Collisions: at full duplex there are none, and at half none are late: the other end sends whenever it likes. What collides
/// is damaged, too.
fn collisions(e: &Evidence, items: &mut Vec<Item>) {
    let [all, late] = &e.around.collisions;
    let (holds, weight, sentence) = match (late, all) {
        (Some(late), _) => {
            let n = late.count.value;
            (step(n, 1.0, 20.0), 42.0, late_in_words(e, late))
        }
        (None, Some(all)) => {
            let n = all.count.value;
            let shown = e.around.mismatch.as_ref().and_then(Mismatch::shown);
            let text = format!(
                "{} counts {n:.0} collisions: it is at half duplex{}",
                who(all),
                match shown {
                    Some(_) => "",
                    None =>
                        ", shared or negotiated; only late collisions here, or damaged frames (FCS) at the other end, would show a mismatch",
                }
            );
            (step(n, 10.0, 500.0), 38.0, text)
        }
        (None, None) => return,
    };
    items.push(Item {
        holds,
        weights: vec![
            (Cause::Duplex, weight),
            (Cause::Nic, -12.0),
            (Cause::RandomLoss, -8.0),
        ],
        sentence,
    });
}

/// That an interface lost its carrier: a cable does that, and so does a mismatch.
fn carrier_in_words(lost: &Tally) -> String {
    let port = match lost.interface.as_str() {
        "" => "an interface",
        name => name,
    };
    format!(
        "{port} failed to send {:.0} frames, as its carrier was lost, {}: a cable or its plug, or a duplex mismatch",
        lost.count.value,
        lost.since()
    )
}

/// That an interface had no link for a while.
fn flapped_in_words(flapped: &Tally) -> String {
    let port = match flapped.interface.as_str() {
        "" => "an interface",
        name => name,
    };
    format!(
        "the link of {port} went down or came up {:.0} times {}: what was sent while it was down was lost, and a cable, its plug or the port at its other end does that",
        flapped.count.value,
        flapped.since()
    )
}

/// What both ends say of their duplex, and of their links.
pub(crate) fn by_duplex(e: &Evidence, items: &mut Vec<Item>) {
    collisions(e, items);
    let lost = e.around.carrier.as_ref();
    let lost = lost.filter(|lost| is_worth_saying(e, lost));
    items.extend(lost.map(|lost| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: carrier_in_words(lost),
    }));
    items.extend(e.around.flapped.as_ref().map(|flapped| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: flapped_in_words(flapped),
    }));
    items.extend(e.around.mismatch.as_ref().map(|mismatch| Item {
        holds: 1.0,
        weights: match mismatch.damaged {
            // Chance did not damage what the half end broke off.
            Some(_) => vec![(Cause::Duplex, 6.0), (Cause::RandomLoss, -8.0)],
            None => vec![(Cause::Duplex, 6.0)],
        },
        sentence: match mismatch.damaged {
            // It is said of the interface at half duplex.
            Some(_) => String::new(),
            None => format!(
                "{} is at half duplex and {} at full: a duplex mismatch where one cable joins them, and else where the port at the other end of the former's cable is at full, too",
                mismatch.half, mismatch.full
            ),
        },
    }));
}
