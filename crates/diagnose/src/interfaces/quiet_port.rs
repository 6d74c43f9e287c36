//! Interfaces that were read twice and show next to nothing wrong, in texts that have no transfer and no loss.

use std::collections::BTreeMap;

use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::part::part;
use crate::read::Facts;

/// How what is said first of them begins.
pub(crate) const QUIET: &str = "these counters show nothing wrong";

/// Of fewer frames none that was dropped says little. A choice, as the next.
const FRAMES_LEAST: f64 = 1e5;

/// Up to this part of the frames errors and drops are those of every healthy interface.
const SHARE: f64 = 1e-5;

/// Of more readings than this nothing is said.
const READINGS_MAX: usize = 2000;

/// Tools whose counters, and pings, may be all that there is.
const TOOLS: [&str; 3] = ["ip", "nstat", "ping"];

/// By how much all that this interface counts of errors and drops grew.
fn grew(facts: &Facts, host: u32, interface: &str) -> f64 {
    let mut all: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let wrong = |kind: &str| kind.starts_with("nic_") || kind == "queue_drops";
    let own = facts.counters.iter().filter(|c| wrong(c.kind));
    for reading in own.filter(|c| facts.are_one(c.host, host)) {
        if crate::redact(reading.port()) == interface {
            let both = (reading.value, reading.value);
            all.entry(reading.name).or_insert(both).1 = reading.value;
        }
    }
    let each = all.values().map(|(first, last)| (last - first).max(0.0));
    each.sum()
}

/// What is said of them; none where one of them shows more, or none passed enough.
fn quiet(facts: &Facts) -> Option<String> {
    if facts.passed.len().max(facts.counters.len()) > READINGS_MAX {
        return None;
    }
    let all = facts.received_between();
    let all: Vec<(&str, f64, f64)> = all
        .into_iter()
        .map(|(host, interface, frames)| (interface, frames, grew(facts, host, interface)))
        .collect();
    let most = all.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (interface, frames, wrong) = *most;
    if frames < FRAMES_LEAST || all.iter().any(|(_, frames, wrong)| *wrong > SHARE * frames) {
        return None;
    }
    let share = match wrong > 0.0 {
        true => format!(
            "by {wrong:.0} in all, {} of them. A column `dropped` counts frames of protocols that the host does not speak as well",
            part(wrong / frames)
        ),
        false => "by nothing".to_owned(),
    };
    Some(format!(
        "{QUIET}: from the first reading to the last {interface} received {frames:.0} frames, and its errors and drops grew {share}"
    ))
}

impl Evidence {
    /// Takes interfaces that show nothing wrong, where texts have nothing else that does.
    pub(crate) fn of_quiet_ports(&mut self, facts: &Facts) {
        let refused = &facts.refused;
        let answered = !refused.connection && refused.unreachable.is_none();
        let still = facts.tests.is_empty() && facts.sockets.is_empty();
        let unseen = facts.captured.is_empty() && self.around.stalled.is_none();
        let mut pieces = facts.pieces.iter();
        let alone = pieces.all(|p| TOOLS.contains(&p.tool));
        let lossless = self.idle_loss.as_ref().is_none_or(|l| l.value <= 0.0);
        let free = self.rate.is_none() && answered && still && unseen && lossless && alone;
        self.quiet = free.then(|| quiet(facts)).flatten();
        self.of_counted_once(facts);
    }

    /// What there is to explain, if anything is.
    pub(crate) fn asks_complaint(&self) -> Option<MissingFact> {
        self.quiet.as_ref().map(|_| MissingFact {
            fact: "complaint",
            would_decide: "whether anything is to be explained: these counters show nothing, and where nothing is slow nothing is to be done".to_owned(),
            command: "what is slow, if anything (a page, a copy, a call): between which hosts, since when and at which hours".to_owned(),
        })
    }
}
