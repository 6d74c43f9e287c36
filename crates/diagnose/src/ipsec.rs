//! Packets that a host's IPsec dropped, and why: `/proc/net/xfrm_stat` of Linux.

use std::collections::BTreeMap;

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Fact, Of};
use crate::flow::Flow;
use crate::items::Item;
use crate::read::Facts;
use crate::read::xfrm::{BEGIN, DROPS};

/// Most counters of which is said what they mean.
const SAID_MAX: usize = 3;

/// What drops that account for all that was sent again speak for random loss, decibans. A choice.
const WORTH: f64 = 8.0;

/// Packets that a host's IPsec dropped for one reason.
#[derive(Clone, Debug)]
pub(crate) struct Dropped {
    count: f64,
    /// It is by how much the count grew from one reading to another.
    grew: bool,
    sentence: String,
}

impl Dropped {
    /// Of one counter of a host, in the order of its readings.
    fn of(facts: &Facts, host: &str, readings: &[&Fact]) -> Option<Dropped> {
        let value = |fact: &&Fact| fact.number().map(|figure| figure.value);
        let (first, last) = (readings.first()?, readings.last()?);
        let (before, stood) = (value(first)?, value(last)?);
        let (_, means) = DROPS.iter().find(|(name, _)| *name == last.name)?;
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
        (count > 0.0).then_some(Dropped {
            count,
            grew,
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
        each.sort_by(|a, b| b.grew.cmp(&a.grew).then(b.count.total_cmp(&a.count)));
        each.truncate(SAID_MAX);
        self.around.ipsec = each;
    }
}

/// Weighs them: what grew is of this time, as far as it accounts for what was sent again.
pub(crate) fn by_ipsec(e: &Evidence, items: &mut Vec<Item>) {
    let again = e.sent_again().filter(|again| *again > 0.0 && !e.udp);
    items.extend(e.around.ipsec.iter().map(|dropped| {
        let part = again.map_or(0.0, |again| (dropped.count / again).min(1.0));
        Item {
            holds: 1.0,
            weights: match dropped.grew && part > 0.0 {
                true => vec![(Cause::RandomLoss, WORTH * part)],
                false => Vec::new(),
            },
            sentence: dropped.sentence.clone(),
        }
    }));
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
        let flows = crate::flow::flows(&facts);
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
