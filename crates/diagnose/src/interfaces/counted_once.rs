//! Drops that counters of a host have, where these were read once and are all that texts have: a second reading says whether they still grow.

use std::collections::BTreeMap;

use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::{Fact, Of};
use crate::hosts::tally::Reading;
use crate::part::part;
use crate::read::Facts;

/// How what is said first of them begins.
pub(crate) const ONCE: &str = "these counters were read once";

/// Tools whose counters may be all that there is.
const TOOLS: [&str; 4] = ["ip", "netstat", "nstat", "ethtool"];

/// What interfaces count, and what that is for people.
const OF_PORTS: [(&str, &str); 4] = [
    ("nic_drops", "had no room for"),
    ("nic_dropped", "dropped"),
    ("nic_damaged", "received damaged"),
    ("nic_unsent", "did not send"),
];

/// What kernels count, and what that is for people.
const OF_KERNELS: [(&str, &str); 2] = [
    (
        "host_pruned",
        "times a socket was full and was searched for room",
    ),
    ("host_receive_drops", "segments found their socket full"),
];

/// Most counters that are named, and most readings among which they are looked for.
const NAMED_MAX: usize = 3;
const READINGS_MAX: usize = 2000;

/// Such counters, for people, and what reads them again.
#[derive(Clone, Debug)]
pub(crate) struct CountedOnce {
    pub(crate) said: String,
    command: String,
}

impl CountedOnce {
    /// Those of the texts; none beside anything else that was read, and none where any of them was read twice.
    fn of(facts: &Facts) -> Option<CountedOnce> {
        let mut pieces = facts.pieces.iter().filter(|p| p.facts > 0);
        let alone = pieces.all(|p| TOOLS.contains(&p.tool));
        if !alone || facts.counters.len() > READINGS_MAX {
            return None;
        }
        let mut ports: BTreeMap<_, Vec<&Reading>> = BTreeMap::new();
        for reading in &facts.counters {
            let key = (reading.host, reading.interface.as_str(), reading.name);
            ports.entry(key).or_default().push(reading);
        }
        if ports.values().any(|readings| readings.len() > 1) {
            return None;
        }
        let mut said = Vec::new();
        let mut port = "INTERFACE";
        for reading in ports.values().flatten().filter(|r| r.value > 0.0) {
            let Some((_, does)) = OF_PORTS.iter().find(|(kind, _)| *kind == reading.kind) else {
                continue;
            };
            let all = facts.received(reading.host, &reading.interface);
            let all = all.filter(|all| *all > reading.value && reading.kind != "nic_unsent");
            let share = all.map_or_else(String::new, |all| {
                format!(", {} of what it received", part(reading.value / all))
            });
            let named = match reading.port() {
                "" => "an interface".to_owned(),
                name => {
                    port = name;
                    crate::redact(name)
                }
            };
            said.push(format!(
                "{named} {does} {:.0} frames ({}{share})",
                reading.value,
                facts.place(reading.at)
            ));
        }
        said.extend(
            OF_KERNELS
                .iter()
                .filter_map(|(name, what)| by_kernel(facts, name, what)),
        );
        said.truncate(NAMED_MAX);
        (!said.is_empty()).then(|| CountedOnce {
            said: format!(
                "{ONCE}, and may be of any time since the host was started: {}. Whether they are what is slow a second reading says: by how much they grow while it is",
                said.join("; ")
            ),
            command: format!(
                "twice, a minute apart, while it is slow: ip -s -s link show {port}; ethtool -S {port} | grep -iE 'drop|miss|err|discard'; nstat -az | grep -iE 'retrans|prune|rcvq'"
            ),
        })
    }

    /// What decides it.
    pub(crate) fn asks(&self) -> MissingFact {
        MissingFact {
            fact: "second_reading",
            would_decide: "whether these counters still grow, and how fast beside the packets that pass: what stands still is of another time".to_owned(),
            command: self.command.clone(),
        }
    }
}

/// What a kernel counted once, for people.
fn by_kernel(facts: &Facts, name: &str, what: &str) -> Option<String> {
    let is_it = |fact: &&Fact| fact.name == name && matches!(fact.of, Of::Host(_));
    let mut all = facts.facts.iter().filter(is_it);
    let (only, None) = (all.next()?, all.next()) else {
        return None;
    };
    let count = only.number().map(|n| n.value).filter(|n| *n > 0.0)?;
    Some(format!("{count:.0} {what} ({})", facts.place(only.at)))
}

impl Evidence {
    /// Takes drops that were counted once, where no rate was measured.
    pub(crate) fn of_counted_once(&mut self, facts: &Facts) {
        let open = self.rate.is_none() && self.quiet.is_none();
        self.around.counted_once = open.then(|| CountedOnce::of(facts)).flatten();
    }
}
