//! A run of pings that began on an idle path and rose with the queue that a flow filled: its shortest is of the path at rest, the others are not.

use crate::evidence::{Evidence, NS};
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::items::spread;
use crate::lines::bloat::{BLOAT, BLOAT_S, STAYS_FULL};
use crate::paths::pinged::{self, Run};
use crate::read::Facts;

/// A congestion window that is in flight takes as long as the longest ping by its rate, within these parts. Choices.
const AS_LONG: [f64; 2] = [0.5, 2.0];

impl Evidence {
    /// The round trip at rest, seconds, where the only run of pings rose far above it, and the flow's own window and rate are of as long a round trip.
    pub(crate) fn began_at_rest(
        &self,
        (facts, flow): (&Facts, &Flow),
        runs: &[Run],
    ) -> Option<Figure> {
        let [run] = runs else { return None };
        let other = pinged::is_before(facts, flow, run) || pinged::is_over_before(facts, flow, run);
        if other || self.udp || self.streams > 1.0 {
            return None;
        }
        let [least, mean, most] = run;
        let added = (mean.value - least.value) * NS;
        let rose = added > BLOAT_S && added > BLOAT * least.value * NS && least.value > 0.0;
        let full = spread(&self.steady).is_some_and(|s| s < STAYS_FULL);
        let cwnd = self.counted.iter().rev().find_map(|row| row.cwnd)?;
        let rate = self.settled().filter(|rate| rate.value > 0.0)?;
        let part = cwnd * 8.0 / rate.value / (most.value * NS);
        let in_flight = part > AS_LONG[0] && part < AS_LONG[1];
        (rose && full && in_flight).then(|| least.times(NS))
    }
}
