//! Packets that a host's IPsec dropped, and why: `/proc/net/xfrm_stat` of Linux.

use std::collections::BTreeMap;

use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::{Fact, Figure, Of};
use crate::flows::flow::Flow;
use crate::hosts::machine::alike;
use crate::items::{Item, LOSSES, of};
use crate::read::Facts;
use crate::read::xfrm::{BEGIN, DROPS, REPLAY};

/// Most counters of which is said what they mean.
const SAID_MAX: usize = 3;

/// What drops that are a part of what was sent again speak for random loss, decibans, were they all of it. A choice.
const WORTH: f64 = 8.0;

/// What drops say that account for what was sent again: for their cause, and against other losses, decibans. Choices, as of drops at an
/// interface. Packets outside of the replay window came out of order, which the path's own losses do not do.
const OWN: f64 = 18.0;
const REPLAYED: f64 = 34.0;
const OTHERS: f64 = -18.0;

/// What accounts for more than this of what was sent again is what is changed.
const HOLDS: f64 = 0.3;

/// Packets that a host's IPsec dropped for one reason.
#[derive(Clone, Debug)]
pub(crate) struct Dropped {
    count: Figure,
    /// It is by how much the count grew from one reading to another.
    grew: bool,
    /// The reason is the replay window.
    replay: bool,
    /// The host, for people, and what the reason means.
    host: String,
    means: &'static str,
    sentence: String,
}

impl Dropped {
    /// How surely it accounts for what a flow sent again, 0 to 1: it grew by as many.
    fn accounts(&self, e: &Evidence) -> f64 {
        match self.grew && !e.udp {
            true => alike(e, &self.count),
            false => 0.0,
        }
    }

    /// The cause for which it speaks then.
    fn cause(&self) -> Cause {
        match self.replay {
            true => Cause::Reordering,
            false => Cause::RandomLoss,
        }
    }

    /// What it says where it accounts for what was sent again.
    fn weights(&self) -> Vec<(Cause, f64)> {
        let (own, worth) = match self.replay {
            true => (Cause::Reordering, REPLAYED),
            false => (Cause::RandomLoss, OWN),
        };
        let others: Vec<Cause> = LOSSES.into_iter().filter(|c| *c != own).collect();
        [of(&others, OTHERS), vec![(own, worth)]].concat()
    }

    /// Of one counter of a host, in the order of its readings.
    fn of(facts: &Facts, host: &str, readings: &[&Fact]) -> Option<Dropped> {
        let value = |fact: &&Fact| fact.number().map(|figure| figure.value);
        let (first, last) = (readings.first()?, readings.last()?);
        let (before, stood) = (value(first)?, value(last)?);
        let &(_, means) = DROPS.iter().find(|(name, _)| *name == last.name)?;
        // A counter that fell began anew.
        let grew = readings.len() > 1 && stood >= before;
        let count = if grew { stood - before } else { stood };
        let sentence = format!(
            "IPsec of {host} dropped {count:.0} packets {} ({}, {}): {means}",
            match grew {
                true => "from one reading to the next",
                false => "since its start",
            },
            last.name,
            facts.place(last.at)
        );
        (count > 0.0).then(|| Dropped {
            count: Figure::exact(count, last.at),
            grew,
            replay: last.name == REPLAY,
            host: host.to_owned(),
            means,
            sentence,
        })
    }
}

impl Evidence {
    /// Takes what IPsec of the hosts of a flow, and of those between them, dropped: what grew first, and most first.
    pub(crate) fn of_ipsec(&mut self, facts: &Facts, flow: &Flow) {
        let mut all: BTreeMap<(String, &str), Vec<&Fact>> = BTreeMap::new();
        for fact in facts.facts.iter().filter(|f| f.name.starts_with(BEGIN)) {
            let Of::Host(host) = fact.of else { continue };
            let ends = flow.senders.iter().chain(&flow.receivers);
            if ends.chain(&flow.between).any(|n| *n == host) {
                let called = flow.host_called(facts, host, "a host");
                all.entry((called, fact.name)).or_default().push(fact);
            }
        }
        let each = all.iter();
        let each = each.filter_map(|((host, _), readings)| Dropped::of(facts, host, readings));
        let mut each: Vec<Dropped> = each.collect();
        each.sort_by(|a, b| {
            b.grew
                .cmp(&a.grew)
                .then(b.count.value.total_cmp(&a.count.value))
        });
        each.truncate(SAID_MAX);
        self.around.ipsec = each;
    }
}

/// Weighs them: what grew is of this time, as far as it accounts for what was sent again.
pub(crate) fn by_ipsec(e: &Evidence, items: &mut Vec<Item>) {
    let again = e.sent_again().filter(|again| *again > 0.0 && !e.udp);
    items.extend(e.around.ipsec.iter().map(|dropped| {
        let part = again.map_or(0.0, |again| (dropped.count.value / again).min(1.0));
        let accounts = dropped.accounts(e);
        let (holds, weights) = match dropped.grew && part > 0.0 {
            true if accounts > HOLDS => (accounts, dropped.weights()),
            true => (1.0, vec![(Cause::RandomLoss, WORTH * part)]),
            false => (1.0, Vec::new()),
        };
        Item {
            holds,
            weights,
            sentence: dropped.sentence.clone(),
        }
    }));
}

/// What grew, a sentence each: it is said whatever the verdict is.
pub(crate) fn sentences(e: &Evidence) -> impl Iterator<Item = String> {
    let grew = e.around.ipsec.iter().filter(|dropped| dropped.grew);
    grew.map(|dropped| dropped.sentence.clone())
}

/// What to change at the host whose IPsec dropped what a flow sent again: the replay window, or what its counter speaks of.
pub(crate) fn change(cause: Cause, e: &Evidence) -> Option<Change> {
    let mut all = e.around.ipsec.iter();
    let own = all.find(|d| d.cause() == cause && d.accounts(e) > HOLDS)?;
    let show = "ip -s xfrm state, and keep what it prints: replay-window is how far behind a packet may be, in packets, and what each security association dropped stands below it";
    let (commands, undo, risk) = match own.replay {
        true => (
            vec![
                show.to_owned(),
                "a larger replay window, 1024 packets or more (Linux keeps 4096 at most): replay_window of the child in swanctl.conf (strongSwan), replay-window of the connection (Libreswan), and then the security associations set up anew".to_owned(),
                "and find where packets overtake each other before that host: several links or queues for one tunnel, or another class for some of its packets".to_owned(),
            ],
            vec!["the value that was printed before".to_owned()],
            "packets of the tunnel are lost while its security associations are set up anew; a larger window takes some more memory, and lets in no packet twice",
        ),
        false => (
            vec![
                show.to_owned(),
                format!("what its IPsec drops for: {}", own.means),
            ],
            Vec::new(),
            "what is changed in policies and keys of a tunnel may stop all of it",
        ),
    };
    Some(Change {
        host: own.host.clone(),
        commands,
        undo,
        risk: risk.to_owned(),
        ..Change::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    /// What IPsec of the hosts of a text's first flow dropped, a sentence each.
    fn of(text: &str) -> Vec<String> {
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }]);
        assert_eq!(facts.ignored_count, [0], "{text}");
        let flows = crate::flows::flow::flows(&facts);
        let mut e = Evidence::default();
        e.of_ipsec(&facts, &flows[0]);
        e.around.ipsec.into_iter().map(|d| d.sentence).collect()
    }

    #[test]
    fn what_ipsec_drops_is_said_with_its_reason() {
        let reading = |seq: u32| {
            format!(
                "gw# cat /proc/net/xfrm_stat\nXfrmInError             \t0\nXfrmInNoStates          \t7\nXfrmInStateSeqError     \t{seq}\nXfrmOutBundleGenError   \t0\nXfrmNewerError          \t4\n"
            )
        };
        let once = of(&reading(900));
        assert_eq!(once.len(), 2, "{once:?}");
        assert!(
            once[0].contains("dropped 900 packets since its start (XfrmInStateSeqError, t.txt:4)"),
            "{once:?}"
        );
        assert!(once[0].contains("outside of the replay window"), "{once:?}");
        // What did not grow between two readings is of another time.
        let twice = of(&(reading(900) + "gw# ping -c 1 192.0.2.1\n" + &reading(1400)));
        assert_eq!(twice.len(), 1, "{twice:?}");
        assert!(
            twice[0].contains("dropped 500 packets from one reading to the next"),
            "{twice:?}"
        );
    }
}
