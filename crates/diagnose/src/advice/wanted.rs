//! How fast a flow is wanted to be, and what has to be in flight for that.

use crate::channel::channel_bytes;
use crate::evidence::Evidence;

/// What is suggested to be in flight over a round trip that is known, where no rate is: 4 MiB.
pub(super) const MODEST: f64 = 4_194_304.0;

/// The rate that is wanted: the target, or the line's, or else the most that the path carried in other tests, bit/s.
pub(super) fn goal(e: &Evidence) -> Option<f64> {
    let said = e.target.as_ref().map(|target| target.value);
    said.or_else(|| e.narrowest()).or_else(|| carried(e))
}

/// What other tests between the same hosts got that were faster or had more connections, all of these together, bit/s.
fn carried(e: &Evidence) -> Option<f64> {
    let own = e.rate.as_ref()?.value;
    let wider = e.counted_else.wider.map(|(_, times)| times * own);
    let faster = e
        .counted_else
        .faster
        .as_ref()
        .map(|(_, rate, _)| rate.value);
    let most = wider.into_iter().chain(faster).reduce(f64::max);
    most.filter(|most| *most > own)
}

/// Bytes in flight of a connection that fill the line, or the target, and no more than its channel lets be in flight; none without a round
/// trip, which it goes by.
pub(crate) fn wanted(e: &Evidence) -> Option<f64> {
    let rtt = e.rtt_by_itself()?;
    let fills = goal(e).map_or(MODEST, |goal| goal * rtt.high / 8.0 / e.streams);
    Some(channel_bytes(e).map_or(fills, |most| fills.min(most)))
}
