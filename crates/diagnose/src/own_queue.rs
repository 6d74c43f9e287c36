//! A queue of the sender's own that shapes what it sends: `ip link` has its name, and `tc -s qdisc` alone its rate.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flow::{Flow, word};
use crate::items::{Item, step};
use crate::known::System;
use crate::read::Facts;

/// Queueing disciplines that hold back what comes faster than a rate, and how much their name alone says, decibans: each `tbf` has a rate,
/// and the others may have none.
const SHAPE: [(&str, f64); 4] = [("tbf", 24.0), ("htb", 8.0), ("hfsc", 8.0), ("cake", 3.0)];

/// So many segments that wait are more than the pieces in which a program writes.
const WAITS: f64 = 20.0;

/// A flow has as much of the line as it can from this part on.
const FULL: f64 = 0.85;

impl Evidence {
    /// A shaper among the queues of the sender's interfaces.
    pub(crate) fn of_own_queue(&mut self, facts: &Facts, flow: &Flow) {
        let named = |h: &u32| word(facts, Of::Host(*h), "root_qdisc").map(|(kind, _)| kind);
        let named: Vec<&str> = flow.senders.iter().filter_map(named).collect();
        self.around.own_queue = SHAPE.into_iter().find(|(kind, _)| named.contains(kind));
    }

    /// Whether bytes wait in the sender's socket though its windows have room, nothing was lost but at the start, and the line is not full.
    fn waits_for_its_queue(&self) -> bool {
        let lossless = match &self.retransmits {
            Some(again) => again.value <= 1.0 || self.start_only() > 0.5,
            None => false,
        };
        let waits = self
            .unsent
            .as_ref()
            .is_some_and(|u| u.value > WAITS * self.mss);
        let room = self.flight.as_ref().is_some_and(|f| self.has_room(f));
        let held = [&self.rwnd_share, &self.sndbuf_share].into_iter().flatten();
        let held = self.full_window.is_some() || held.into_iter().any(|s| s.value > 0.2);
        let rate = self.settled().map_or(0.0, |r| r.value);
        let line = self
            .line
            .as_ref()
            .map(|(l, _)| l.value * self.payload_share());
        let full = line.is_some_and(|line| rate > FULL * line);
        lossless && waits && room && !held && !full && !self.udp
    }

    /// What the sender's own queue does: the first to be asked where bytes wait before it, as its answer settles it.
    pub(crate) fn asks_own_queue(&self, asking: &Asking, likely: &[Cause]) -> Option<MissingFact> {
        let named = self.around.own_queue.is_some() && likely.contains(&Cause::Shaper);
        let other = [
            Cause::Pacing,
            Cause::ReceiveWindow,
            Cause::SendBuffer,
            Cause::Client,
            Cause::PauseFrames,
        ];
        let other = likely.first().is_some_and(|c| other.contains(c));
        let linux = self.systems[0].is_none_or(|s| s == System::Linux);
        let asked = named || self.waits_for_its_queue() && !other;
        (asked && linux && self.shaper.is_none()).then(|| MissingFact {
            fact: "shaper_bps",
            would_decide: "whether a queue of the sender's own holds it back (tbf, htb, fq with maxrate): bytes wait in its socket, its windows have room, and nothing is lost on the way".to_owned(),
            command: format!("on the sender, after a test to {}: tc -s qdisc show", asking.host),
        })
    }
}

/// What the name of the sender's queue says.
pub(crate) fn by_own_queue(e: &Evidence, items: &mut Vec<Item>) {
    let Some((kind, weight)) = e.around.own_queue.filter(|_| e.shaper.is_none()) else {
        return;
    };
    let rate = e.settled().map_or(0.0, |r| r.value);
    let line = e.line.as_ref().map(|(l, _)| l.value * e.payload_share());
    let below = line.map_or(1.0, |line| 1.0 - step(rate / line, 0.8, 0.93));
    items.push(Item {
        holds: below * if e.waits_for_its_queue() { 1.0 } else { 0.25 },
        weights: vec![(Cause::Shaper, weight)],
        sentence: format!(
            "an interface of the sender has {kind}, which shapes what it sends: no text has its rate"
        ),
    });
}
