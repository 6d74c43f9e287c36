//! Segments that were sent again though they had arrived: their receiver says so by duplicate SACKs (RFC 2883).

use crate::cause::Cause;
use crate::counted::growth;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flow::Flow;
use crate::items::{Item, LOSSES, of, step};
use crate::read::Facts;

/// Fewer segments sent again say nothing.
const AGAIN_LEAST: f64 = 20.0;

/// Of what was sent again, the share that had arrived, 0 to 1.
pub(crate) fn share(arrived: &Figure, again: &Figure) -> Option<Figure> {
    let mut share = (again.value >= AGAIN_LEAST).then(|| arrived.over(again))?;
    share.value = share.value.min(1.0);
    Some(share)
}

/// The same by how much the sender's counters grew.
pub(crate) fn by_counters(facts: &Facts, flow: &Flow) -> Option<Figure> {
    let grew = |name| growth(facts, &flow.senders, name);
    share(&grew("host_duplicates")?, &grew("host_retransmits")?)
}

/// What had arrived was not lost: it came late, behind what had left after it.
pub(crate) fn by_duplicates(e: &Evidence, items: &mut Vec<Item>) {
    let Some(share) = &e.duplicates else { return };
    items.push(Item {
        holds: step(share.value, 0.4, 0.9),
        weights: [of(&LOSSES, -18.0), vec![(Cause::Reordering, 18.0)]].concat(),
        sentence: format!(
            "{:.0} % of what was sent again had arrived already, as duplicate SACKs say: it was late, and not lost",
            100.0 * share.value
        ),
    });
}
