//! What a host sent again of all its connections, where no text is of one of them.

use crate::fact::{Fact, Of};
use crate::part::part;
use crate::read::Facts;

/// From this share of all segments on it is said, of so many segments at least. Choices.
const SHARE: f64 = 0.01;
const SEGMENTS_LEAST: f64 = 100_000.0;

/// Most hosts that are named.
const NAMED_MAX: usize = 8;

/// That hosts sent much again since they were started; nothing where a test or a socket says more.
pub(crate) fn notes(facts: &Facts) -> Vec<String> {
    if !facts.tests.is_empty() || !facts.sockets.is_empty() {
        return Vec::new();
    }
    let said = (0_u32..).zip(&facts.hosts).filter_map(|(n, names)| {
        let last = |name: &'static str| {
            let number = facts.latest(Of::Host(n), name).and_then(Fact::number);
            number.map(|figure| figure.value)
        };
        let (again, all) = (last("host_retransmits")?, last("host_segments")?);
        let share = again / all.max(1.0);
        (all >= SEGMENTS_LEAST && share >= SHARE).then(|| {
            let at = facts.latest(Of::Host(n), "host_retransmits").map(|f| facts.place(f.at));
            format!(
                "{}: {} sent {} of its TCP segments again since it was started: which connections these are of, ss -tin shows (retrans), and a second reading whether it goes on",
                at.unwrap_or_default(),
                names.first().map_or("this host", String::as_str),
                part(share)
            )
        })
    });
    said.take(NAMED_MAX).collect()
}
