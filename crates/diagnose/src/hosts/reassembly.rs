//! Datagrams in fragments that a receiving host did not put together: memory for fragments that is short, or fragments that never came.

use crate::advice::{Remedy, kept};
use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, number};
use crate::hosts::counted::growth;
use crate::items::Item;
use crate::part::part;
use crate::read::Facts;
use crate::seen::Side;

/// What a host's IP counts of reassemblies, as facts have it: those that failed, and those that a fragment was waited for in vain.
pub(crate) const FAILED: &str = "host_reassembly_fails";
pub(crate) const TIMED_OUT: &str = "host_reassembly_timeouts";

/// The memory that fragments may take on a host, bytes (`net.ipv4.ipfrag_high_thresh`), as a fact has it.
pub(crate) const MEMORY: &str = "fragment_memory_bytes";

/// What it is worth where nothing shows it, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth where it accounts for all that was lost, and for a part. Choices.
const ALL: f64 = 126.0;
const SOME: f64 = 112.0;

/// It accounts for all losses from this part of them on, and from the second on it is worth a word. Choices.
const ALL_PART: f64 = 0.8;
const SOME_PART: f64 = 0.3;

/// Fewer failures any host has now and then. A choice.
const LEAST: f64 = 5.0;

/// So many times what the setting is gives fragments room. A choice.
const MORE: f64 = 16.0;

/// The setting.
const KEY: &str = "net.ipv4.ipfrag_high_thresh";

/// Reassemblies that failed during a test with datagrams.
#[derive(Clone, Debug)]
pub(crate) struct Reassembly {
    /// Those that failed though nothing was waited for in vain: the host had no room, or its own limits were met.
    refused: f64,
    /// Those that were given up, as a fragment did not come.
    timed_out: f64,
    /// Datagrams that the test lost.
    lost: f64,
    /// The memory that fragments may take, bytes.
    memory: Option<f64>,
}

impl Reassembly {
    /// What the receiver counts beside this many datagrams that were lost; none where it counts no more than any host, or not both counters.
    fn of(facts: &Facts, hosts: &[u32], lost: f64) -> Option<Reassembly> {
        let failed = growth(facts, hosts, FAILED)?.value;
        let timed_out = growth(facts, hosts, TIMED_OUT)?.value;
        let memory = hosts
            .iter()
            .find_map(|host| number(facts, Of::Host(*host), MEMORY));
        (failed >= LEAST && lost >= LEAST).then(|| Reassembly {
            refused: (failed - timed_out).max(0.0),
            timed_out,
            lost,
            memory: memory.map(|bytes| bytes.value),
        })
    }

    /// What it is worth, decibans; none where it is no more than a small part of what was lost.
    fn worth(&self) -> Option<f64> {
        match self.refused / self.lost {
            share if share >= ALL_PART => Some(ALL),
            share if share >= SOME_PART => Some(SOME),
            _ => None,
        }
    }

    /// What is said of it, for people.
    fn sentence(&self) -> String {
        let share = (self.refused / self.lost).min(1.0);
        let memory = match self.memory {
            Some(bytes) => format!(", of which {KEY} lets them take {bytes:.0} bytes"),
            None => format!(" ({KEY})"),
        };
        format!(
            "the receiver did not put datagrams together from their fragments {:.0} times, though it waited for none in vain: {} of the {:.0} that were lost. What it lacks is memory for fragments{memory}, or it holds too many that come between two of one datagram (ipfrag_max_dist)",
            self.refused,
            part(share),
            self.lost
        )
    }

    /// More memory for fragments, and datagrams that need none.
    fn change(&self, host: &str) -> Change {
        let (set, undo) = match self.memory {
            Some(bytes) => (
                format!("{:.0}", MORE * bytes),
                format!("sysctl -w {KEY}={bytes:.0}"),
            ),
            None => (
                "BYTES".to_owned(),
                format!("sysctl -w {KEY}=VALUE, with the value that `sysctl {KEY}` printed before"),
            ),
        };
        let remedy = Remedy {
            commands: vec![
                "datagrams that fit one packet (1472 bytes at an MTU of 1500) need no fragments: let the program send those, or raise the MTU of the whole path"
                    .to_owned(),
                format!("sysctl {KEY} net.ipv4.ipfrag_time net.ipv4.ipfrag_max_dist, and keep what it prints"),
                format!("sysctl -w {KEY}={set}"),
                "sysctl -w net.ipv4.ipfrag_max_dist=0, where fragments of many datagrams come mixed".to_owned(),
                "nstat -az IpReasmFails IpReasmTimeout before and after shows whether it helped".to_owned(),
            ],
            undo: vec![
                undo,
                "sysctl -w net.ipv4.ipfrag_max_dist=VALUE, with the value that the second command printed".to_owned(),
            ],
            persist: kept(&[(KEY, &set)]),
            risk: "fragments may take as much memory from the rest of the host, also those that somebody sends to fill it".to_owned(),
            ..Remedy::default()
        };
        remedy.change(host, None, None)
    }
}

impl Evidence {
    /// Takes what a receiver counts of reassemblies beside datagrams that were lost.
    pub(crate) fn of_reassembly(&mut self, facts: &Facts, flow: &Flow) {
        let lost = self.datagrams_lost.filter(|_| self.udp);
        self.reassembly = lost.and_then(|lost| {
            let alone = flow.receivers.iter().copied();
            let alone: Vec<u32> = alone.filter(|host| !flow.senders.contains(host)).collect();
            Reassembly::of(facts, &alone, lost)
        });
    }

    /// What to change where reassembly is the cause.
    pub(crate) fn make_room_for_fragments(&self, flow: &Flow) -> Option<Change> {
        let own = self.reassembly.as_ref().filter(|r| r.worth().is_some())?;
        Some(own.change(&flow.called(Side::Receiver)))
    }
}

/// Weighs it.
pub(crate) fn by_reassembly(e: &Evidence, items: &mut Vec<Item>) {
    let Some(own) = &e.reassembly else { return };
    if let Some(worth) = own.worth() {
        items.push(Item {
            holds: 1.0,
            weights: vec![(Cause::Reassembly, worth)],
            sentence: own.sentence(),
        });
    } else if own.timed_out >= SOME_PART * own.lost {
        items.push(Item {
            holds: 1.0,
            weights: vec![(Cause::Client, -12.0)],
            sentence: format!(
                "for {:.0} datagrams the receiver waited for a fragment in vain: it was lost on the way or at an interface, and one that is lost costs the whole datagram",
                own.timed_out
            ),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(refused: f64, timed_out: f64, lost: f64) -> Reassembly {
        Reassembly {
            refused,
            timed_out,
            lost,
            memory: Some(262_144.0),
        }
    }

    /// As many failures as datagrams were lost: the receiving program had 31 %.
    #[test]
    fn what_a_host_does_not_put_together_accounts_for_what_was_lost() {
        let all = of(12_207.0, 0.0, 12_207.0);
        assert_eq!(all.worth(), Some(ALL));
        assert!(all.sentence().contains("100.0 % of the 12207"));
        let change = all.change("rx");
        assert!(change.commands[2].ends_with("=4194304"));
        assert!(change.undo[0].ends_with("=262144"));
        assert_eq!(of(5_000.0, 0.0, 12_207.0).worth(), Some(SOME));
    }

    /// Fragments that the path lost are given up after a time: that is the path's.
    #[test]
    fn fragments_that_never_came_are_not_the_hosts() {
        let e = Evidence {
            reassembly: Some(of(3.0, 12_000.0, 12_207.0)),
            ..Evidence::default()
        };
        let mut items = Vec::new();
        by_reassembly(&e, &mut items);
        assert_eq!(items.len(), 1);
        let speaks = |cause| {
            items[0]
                .weights
                .iter()
                .any(|(c, w)| *c == cause && *w > 0.0)
        };
        assert!(!speaks(Cause::Reassembly) && !speaks(Cause::Client));
        assert_eq!(of(100.0, 0.0, 12_207.0).worth(), None);
    }
}
