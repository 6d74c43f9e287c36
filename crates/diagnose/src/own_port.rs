//! A port of a router that is full of the flow alone: its speed is the line, where nobody said that.

use crate::evidence::Evidence;
use crate::infer::usual_line;
use crate::ports::{Kind, counts, speeds};
use crate::read::Facts;

/// A port is full from this part of its speed on: its counters leave some headers out. A choice.
const FULL: f64 = 0.94;

/// What the flow has with all headers, over what the port carries, where it is all of that: routers print means of minutes. A choice.
const OWN: [f64; 2] = [0.9, 1.05];

impl Evidence {
    /// Takes the speed of a port that this flow fills alone for the line, where nobody said it, no group of links is known, and the rate
    /// fills no line of a usual speed.
    pub(crate) fn of_own_port(&mut self, facts: &Facts) {
        let known = self.line.is_some() || self.around.group.is_some();
        let own = self.with_headers();
        if known || own <= 0.0 || usual_line(self).is_some() {
            return;
        }
        let carried = [Kind::Leaves, Kind::Arrives].map(|way| counts(facts, way));
        let full = speeds(facts).into_iter().filter(|speed| {
            let ways = carried.iter().flatten();
            let mut ways = ways.filter(|c| c.port == speed.port && !c.port.name.is_empty());
            ways.any(|c| {
                let part = own / c.count.value.max(1.0);
                c.count.value > FULL * speed.count.value && part > OWN[0] && part < OWN[1]
            })
        });
        let slowest = full.min_by(|a, b| a.count.value.total_cmp(&b.count.value));
        self.line = slowest.map(|speed| (speed.count, "a router's port that this flow fills"));
    }
}
