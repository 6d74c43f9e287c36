//! Counters of routers that were read at two times and stood still between them: they took nothing meanwhile.

use super::{Counted, Kind, PortReading, counts};
use crate::fact::Place;
use crate::read::Facts;

/// Most tests that are sought between two readings.
const TESTS_MAX: usize = 64;

/// Counters that are named, those together that may count the same.
const NAMED: [&[Kind]; 4] = [
    &[Kind::Policed],
    &[Kind::Damaged, Kind::Framing, Kind::Errors],
    &[Kind::Dropped],
    &[Kind::Refused],
];

impl Facts {
    /// Whether a test stands between two places.
    pub(super) fn tests_between(&self, first: Place, last: Place) -> bool {
        let mut all = self.tests.iter().take(TESTS_MAX);
        all.any(|test| first < test.at && test.at < last)
    }

    /// Whether two readings are of two times, whatever they say: a test stands between them, or a command that was typed again, or the end
    /// of a text. Where packets are counted beside them, and none came or left, only a test says so: the text may have been pasted twice.
    pub(super) fn are_two_times(&self, first: &PortReading, last: &PortReading) -> bool {
        if first.at == last.at {
            return false;
        }
        let counts = |r: &PortReading| r.packets.or(r.sent).is_some();
        let counts = counts(first) || counts(last);
        let elsewhere = last.at.lines_below(first.at).is_none();
        let again = elsewhere || self.moments.is_typed_between(first.at, last.at);
        again && !counts || self.tests_between(first.at, last.at)
    }
}

/// What stood still, for people: of each kind the counter that had counted most.
pub(super) fn said(facts: &Facts) -> Option<String> {
    let most = |kinds: &[Kind]| {
        let all = kinds.iter().flat_map(|kind| counts(facts, *kind));
        let still = all.filter(|c| c.grew && c.count.value <= 0.0 && c.stood > 0.0);
        still.max_by(|a, b| a.stood.total_cmp(&b.stood))
    };
    let said = NAMED
        .into_iter()
        .filter_map(|kinds| Some(sentence(facts, kinds[0], &most(kinds)?)));
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// A counter of this kind stood still.
fn sentence(facts: &Facts, kind: Kind, counted: &Counted) -> String {
    let n = counted.stood;
    let port = counted.port.named("a router's port");
    let counts = match kind {
        Kind::Policed => {
            let policer = counted.port.named("a router's policer");
            format!("the count of {policer}, {n:.0} dropped packets,")
        }
        Kind::Dropped => format!("the count of the queue of {port}, {n:.0} dropped packets,"),
        Kind::Refused => format!("the count of {port}, {n:.0} packets dropped as they arrived,"),
        _ => format!("the count of {port}, {n:.0} damaged frames,"),
    };
    let tested = match counted.count.from[..] {
        [last, first] => facts.tests_between(first, last),
        _ => false,
    };
    let when = match tested {
        true => "during the test",
        false => "from one reading to the next",
    };
    format!("{counts} did not grow {when}")
}
