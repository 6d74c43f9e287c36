//! Firewalls that say of themselves that they drop data: a FortiOS that is short of memory, and a Cisco ASA whose counters of dropped segments
//! rise.

use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{number, word};
use crate::items::{Item, LOSSES, of, step};
use crate::reach::stuck;
use crate::read::Facts;

/// The firewall that is short of memory, as facts have it.
pub(crate) const CONSERVING: &str = "firewall_conserving";

/// The firewall that dropped segments, its counter with most of them, and how many: from one reading to the next, or in one reading.
pub(crate) const DROPPER: &str = "firewall_name";
pub(crate) const COUNTER: &str = "firewall_counter";
pub(crate) const DROPS: &str = "firewall_drops";
pub(crate) const DROPS_ONCE: &str = "firewall_drops_once";

/// What it is worth that drops grew while segments were sent again, and that as many stand in one reading; decibans. Choices, as those below.
const GREW: f64 = 26.0;
const STOOD: f64 = 12.0;

/// The same of a firewall that is short of memory, where a connection opened late or never, and where nothing failed.
const REFUSES: f64 = 22.0;
const CONSERVES: f64 = 8.0;

/// What drops of a firewall say against kinds of loss elsewhere, decibans.
const NO_OTHER: f64 = -10.0;

/// Drops that are this part of what was sent again are hardly why, and from the second on they surely are.
const PART: [f64; 2] = [0.2, 0.7];

/// The most that is said of a firewall whose drops grew, of one that refuses, and of one that no text ties to the flow.
const SURE: f64 = 0.9;
const TIED: f64 = 0.8;
const UNTIED: f64 = 0.6;

/// A firewall that says so.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Firewall {
    name: String,
    /// Where a text says it, for people.
    at: String,
    does: Does,
}

/// What it does.
#[derive(Clone, Debug, PartialEq)]
enum Does {
    /// It is short of memory; whether a connection opened late or never meanwhile.
    Conserves { fails: bool },
    /// It dropped so many segments, most of them by this counter; whether they are those between two readings.
    Drops {
        count: f64,
        grew: bool,
        counter: String,
    },
}

impl Firewall {
    fn that_drops(facts: &Facts) -> Option<Firewall> {
        let (name, at) = word(facts, Of::Path, DROPPER)?;
        let (counter, _) = word(facts, Of::Path, COUNTER)?;
        let grew = number(facts, Of::Path, DROPS);
        let does = Does::Drops {
            grew: grew.is_some(),
            count: grew.or_else(|| number(facts, Of::Path, DROPS_ONCE))?.value,
            counter: counter.to_owned(),
        };
        Some(Firewall {
            name: name.to_owned(),
            at: facts.place(at),
            does,
        })
    }

    fn that_conserves(facts: &Facts) -> Option<Firewall> {
        let (name, at) = word(facts, Of::Path, CONSERVING)?;
        let refused = &facts.refused;
        Some(Firewall {
            name: name.to_owned(),
            at: facts.place(at),
            does: Does::Conserves {
                fails: refused.timed_out.is_some() || refused.asked_again.is_some(),
            },
        })
    }

    /// How surely it is why something was sent again, or is at all, 0 to 1.
    fn holds(&self, e: &Evidence) -> f64 {
        let again = e.retransmits.as_ref().map_or(0.0, |r| r.value);
        match &self.does {
            Does::Conserves { .. } => 1.0,
            Does::Drops { .. } if again <= 0.0 => 0.0,
            Does::Drops { count, .. } => step(count / again, PART[0], PART[1]),
        }
    }

    /// What it is worth, decibans, and the most that is said of it.
    fn worth(&self) -> (f64, f64) {
        match &self.does {
            Does::Drops { grew: true, .. } => (GREW, SURE),
            Does::Drops { grew: false, .. } => (STOOD, UNTIED),
            Does::Conserves { fails: true } => (REFUSES, TIED),
            Does::Conserves { fails: false } => (CONSERVES, UNTIED),
        }
    }

    fn sentence(&self, e: &Evidence) -> String {
        let (name, at) = (&self.name, &self.at);
        match &self.does {
            Does::Conserves { .. } => format!(
                "{name} is short of memory, conserve mode ({at}): what inspects traffic then passes it unread or refuses new sessions, as its fail-open says. Near the end of memory new sessions are dropped"
            ),
            Does::Drops {
                count,
                grew,
                counter,
            } => {
                let again = e.retransmits.as_ref().map_or(0.0, |r| r.value);
                let since = match grew {
                    true => "between two readings",
                    false => "since its counters were cleared",
                };
                format!(
                    "{name} dropped {count:.0} segments of TCP {since}, most of them as {counter} ({at}), and {again:.0} were sent again: it keeps few segments that arrive out of order, and drops those that come behind a gap"
                )
            }
        }
    }

    /// What is changed on it.
    fn change(&self) -> Change {
        let (commands, undo, risk) = match &self.does {
            Does::Conserves { .. } => (
                vec![
                    "diagnose sys top-mem; diagnose sys session full-stat: what takes the memory".to_owned(),
                    "fewer profiles of inspection on the policy of this traffic, or inspection by flow in place of that by proxy".to_owned(),
                    "shorter times to keep idle sessions: config system session-ttl".to_owned(),
                ],
                vec!["the profiles and times that `show firewall policy` and `show system session-ttl` printed before".to_owned()],
                "what is no longer inspected passes unread",
            ),
            Does::Drops { .. } => (
                vec![
                    "tcp-map OUT-OF-ORDER; queue-limit 250 timeout 4: room for as many segments that arrive out of order as it can have".to_owned(),
                    "policy-map global_policy; class CLASS, whose class-map matches this traffic; set connection advanced-options OUT-OF-ORDER".to_owned(),
                    "or this traffic without inspection, which needs no order; and where segments begin to be lost or overtaken in front of it".to_owned(),
                    "where blocks of SACK in a capture behind it fit no sequence number: set connection random-sequence-number disable in that class".to_owned(),
                ],
                vec![
                    "in that class: no set connection advanced-options OUT-OF-ORDER, and set connection random-sequence-number enable; then no tcp-map OUT-OF-ORDER".to_owned(),
                ],
                "a longer queue takes memory for each connection; connections that are open keep the old one",
            ),
        };
        Change {
            host: self.name.clone(),
            commands,
            undo,
            risk: risk.to_owned(),
            ..Change::default()
        }
    }
}

impl Evidence {
    /// Takes what a firewall says of itself.
    pub(crate) fn of_firewall(&mut self, facts: &Facts) {
        let drops = Firewall::that_drops(facts);
        self.around.firewall = drops.or_else(|| Firewall::that_conserves(facts));
    }

    /// The most that is said of a device that drops data, where it is a firewall that says so.
    pub(crate) fn firewall_at_most(&self) -> f64 {
        let firewall = self.around.firewall.as_ref();
        firewall.map_or(1.0, |firewall| firewall.worth().1)
    }

    /// Whether connections fail beside a firewall that is short of memory.
    pub(crate) fn fails_at_firewall(&self) -> bool {
        let does = self.around.firewall.as_ref().map(|f| &f.does);
        matches!(does, Some(Does::Conserves { fails: true }))
    }

    /// What to change on such a firewall.
    pub(crate) fn change_firewall(&self) -> Option<Change> {
        self.around.firewall.as_ref().map(Firewall::change)
    }

    /// Whether what a firewall says is of this flow.
    pub(crate) fn asks_firewall(&self) -> Option<MissingFact> {
        let firewall = self.around.firewall.as_ref()?;
        let (would_decide, command) = match &firewall.does {
            Does::Drops { grew: true, .. } | Does::Conserves { fails: true } => return None,
            Does::Drops { .. } => (
                "whether what it counts grows by as many as are sent again",
                "show asp drop, before and after a test",
            ),
            Does::Conserves { .. } => (
                "whether the flow crosses it, and is slow only while it is short of memory",
                "traceroute from both ends; diagnose hardware sysinfo conserve, while it is slow and while it is not",
            ),
        };
        Some(MissingFact {
            fact: DROPS,
            would_decide: would_decide.to_owned(),
            command: format!("on {}: {command}", firewall.name),
        })
    }
}

/// Weighs it.
pub(crate) fn by_firewall(e: &Evidence, items: &mut Vec<Item>) {
    let Some(firewall) = &e.around.firewall else {
        return;
    };
    let own = vec![(Cause::Middlebox, firewall.worth().0 - stuck::UNSEEN)];
    let others = match &firewall.does {
        Does::Drops { .. } => of(&LOSSES, NO_OTHER),
        Does::Conserves { .. } => Vec::new(),
    };
    items.push(Item {
        holds: firewall.holds(e),
        weights: [own, others].concat(),
        sentence: firewall.sentence(e),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::infer::weigh;

    /// 45 Mbit/s with 293 segments sent again, beside such a firewall.
    fn beside(does: Does) -> Evidence {
        let figure = |value: f64| Some(Figure::exact(value, Place::You));
        let mut e = Evidence {
            rate: figure(45e6),
            rtt: figure(0.04),
            retransmits: figure(293.0),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        e.around.firewall = Some(Firewall {
            name: "fw1".to_owned(),
            at: "fw.txt:5".to_owned(),
            does,
        });
        e
    }

    fn drops(count: f64, grew: bool) -> Does {
        Does::Drops {
            count,
            grew,
            counter: "tcp-buffer-full".to_owned(),
        }
    }

    #[test]
    fn drops_that_grow_beside_segments_sent_again_are_the_firewalls() {
        let e = beside(drops(400.0, true));
        let ranking = weigh(&e, &[]).ranking;
        assert_eq!(ranking[0].cause, Cause::Middlebox, "{ranking:?}");
        assert!(ranking[0].confidence > 0.8, "{ranking:?}");
        assert_eq!(e.firewall_at_most(), SURE);
        assert!(e.asks_firewall().is_none());
        // Few of them are not why, and what stands in one reading may be of any time.
        let few = weigh(&beside(drops(20.0, true)), &[]).ranking;
        assert_ne!(few[0].cause, Cause::Middlebox, "{few:?}");
        let once = beside(drops(400.0, false));
        assert_eq!(once.firewall_at_most(), UNTIED);
        assert!(once.asks_firewall().is_some());
    }

    #[test]
    fn a_firewall_short_of_memory_is_a_cause_and_says_what_frees_some() {
        let e = beside(Does::Conserves { fails: true });
        assert!(e.fails_at_firewall() && e.firewall_at_most() == TIED);
        let change = e.change_firewall().expect("a change");
        assert!(change.commands[0].contains("top-mem"), "{change:?}");
        let open = beside(Does::Conserves { fails: false });
        let mut items = Vec::new();
        by_firewall(&open, &mut items);
        assert!(items[0].sentence.contains("conserve mode"));
        assert!(items[0].weights[0].1 > -stuck::UNSEEN);
        assert!(open.asks_firewall().is_some());
    }
}
