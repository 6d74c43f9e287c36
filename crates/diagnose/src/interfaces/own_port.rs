//! A port of a router that is full of the flow alone: its speed is the line, where nobody said that.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::infer::usual_line;
use crate::items::Item;
use crate::ports::{Counted, Kind, counts, speeds};
use crate::read::Facts;

/// A port is full from this part of its speed on: its counters leave some headers out. Where the flow's rate alone would show a line of that
/// speed, from the second part on. Choices.
const FULL: [f64; 2] = [0.94, 0.95];

/// What the flow has with all headers, over what the port carries, where it is all of that: routers print means of minutes. A choice.
const OWN: [f64; 2] = [0.9, 1.05];

/// What the line is called then.
pub(crate) const CALLED: &str = "a router's port that this flow fills";

/// What a port's counters say where a window that hosts come with leaves the same rate by chance, decibans. A choice.
const COUNTED: [(Cause, f64); 4] = [
    (Cause::Link, 6.0),
    (Cause::ReceiveWindow, -12.0),
    (Cause::SendBuffer, -12.0),
    (Cause::NoWindowScaling, -12.0),
];

impl Evidence {
    /// Takes the speed of a port that this flow fills alone for the line, where nobody said it, and no group of links is known. Where the rate
    /// fills a line of a usual speed, it is a port of that speed.
    pub(crate) fn of_own_port(&mut self, facts: &Facts) {
        let known = self.line.is_some() || self.around.group.is_some();
        let own = self.with_headers();
        if known || own <= 0.0 {
            return;
        }
        let usual = usual_line(self);
        let least = FULL[usize::from(usual.is_some())];
        let carried = [Kind::Leaves, Kind::Arrives].map(|way| counts(facts, way));
        // Of a port before whose line packets were dropped a flow without losses comes in, or is none of it.
        let may_be = |c: &&Counted| !carried[0].contains(c) || !self.is_missed_by(c.count.value);
        let full = speeds(facts).into_iter().filter_map(|speed| {
            let ways = carried.iter().flatten().filter(may_be);
            let mut ways = ways.filter(|c| c.port == speed.port && !c.port.name.is_empty());
            let fits = usual.is_none_or(|line| line == speed.count.value);
            let way = ways.find(|c| {
                let part = own / c.count.value.max(1.0);
                c.count.value > least * speed.count.value && part > OWN[0] && part < OWN[1]
            })?;
            fits.then_some((way.count.value, speed))
        });
        let slowest = full.min_by(|a, b| a.1.count.value.total_cmp(&b.1.count.value));
        let counted = slowest.as_ref().filter(|_| usual.is_some());
        self.around.own_port = counted.map(|(carried, speed)| {
            format!(
                "{} carries {}, {:.0} % of its {}, and this flow is all of that: it is full, whatever a window would leave",
                speed.port.named("a router's port"),
                bps(*carried),
                100.0 * carried / speed.count.value,
                bps(speed.count.value)
            )
        });
        self.line = slowest.map(|(_, speed)| (speed.count, CALLED));
    }
}

/// Weighs what such a port counts.
pub(crate) fn by_own_port(e: &Evidence, items: &mut Vec<Item>) {
    let stands = e.line.as_ref().is_some_and(|(_, called)| *called == CALLED);
    let said = e.around.own_port.clone().filter(|_| stands);
    items.extend(said.map(|sentence| Item {
        holds: 1.0,
        weights: COUNTED.to_vec(),
        sentence,
    }));
}
