//! A queue of the sender's own that shapes what it sends: `ip link` has its name, and `tc -s qdisc` alone its rate.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, word};
use crate::infer::Ranking;
use crate::items::{Item, step};
use crate::known::System;
use crate::losses::lookalike::{FIRST, most_of_others, share};
use crate::read::Facts;
use crate::windows::room::Room;

/// Queueing disciplines that hold back what comes faster than a rate, and how much their name alone says, decibans: each `tbf` has a rate,
/// and the others may have none.
const SHAPE: [(&str, f64); 4] = [("tbf", 24.0), ("htb", 8.0), ("hfsc", 8.0), ("cake", 3.0)];

/// So many segments that wait are more than the pieces in which a program writes.
const WAITS: f64 = 20.0;

/// A flow has as much of the line as it can from this part on.
const FULL: f64 = 0.85;

/// What holds a sender evenly and loses nothing, the one that stands first without a word on either.
pub(crate) const BOTH: [Cause; 2] = [Cause::SendBuffer, Cause::Shaper];

/// A congestion window so many times what is in flight is not what holds a sender.
const ROOM: f64 = 1.5;

impl Evidence {
    /// Whether a test's report alone speaks of its sender: both windows have room, nothing was lost, and neither buffers nor queues are known.
    fn is_held_unseen(&self) -> bool {
        let lossless = self.retransmits.as_ref().is_some_and(|r| r.value <= 1.0);
        let flight = self.settled_flight().map_or(f64::INFINITY, |f| f.high);
        let room = self.cwnd.as_ref().is_some_and(|c| c.value > ROOM * flight);
        let offered = self.windows.iter().any(Room::is_announced);
        let kernel = self.rwnd_share.is_some() || self.sndbuf_share.is_some();
        let socket = self.unsent.is_some() || self.queued.is_some() || self.busy_share.is_some();
        let buffers = !self.buffers.is_empty() || self.account.is_some();
        let queues = self.shaper.is_some() || self.around.own_queue.is_some();
        let linux = self.systems[0].is_none_or(|s| s == System::Linux);
        let seen = kernel || socket || buffers || queues;
        lossless && room && offered && linux && !seen && !self.udp && self.streams == 1.0
    }

    /// The rate of a queue of the sender's own, where a report alone speaks of it.
    pub(crate) fn asks_shaper(&self, asking: &Asking, likely: &[Cause]) -> Option<MissingFact> {
        let asked = self.is_held_unseen() && BOTH.iter().all(|c| likely.contains(c));
        asked.then(|| MissingFact {
            fact: "shaper_bps",
            would_decide: "whether a queue of the sender's own holds it back (tbf, htb, fq with maxrate): both windows have room, and nothing was lost".to_owned(),
            command: format!("on the sender, after a test to {}: tc -s qdisc show", asking.host),
        })
    }

    /// A shaper among the queues of the sender's interfaces.
    pub(crate) fn of_own_queue(&mut self, facts: &Facts, flow: &Flow) {
        let named = |h: &u32| word(facts, Of::Host(*h), "root_qdisc").map(|(kind, _)| kind);
        let named: Vec<&str> = flow.senders.iter().filter_map(named).collect();
        self.around.own_queue = SHAPE.into_iter().find(|(kind, _)| named.contains(kind));
    }

    /// Whether bytes wait in the sender's socket though its windows have room, nothing was lost but at the start, and the line is not full.
    pub(crate) fn waits_for_its_queue(&self) -> bool {
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

/// Shares the confidence of a send buffer with a shaper, where nothing but a test's report speaks of the sender, and neither half would stand
/// behind another cause. Says so where it does.
pub(crate) fn even_out(e: &Evidence, ranking: &mut [Ranking]) -> Option<String> {
    let leads = ranking.first().is_some_and(|r| r.cause == BOTH[0]);
    let other = ranking.iter().position(|r| r.cause == BOTH[1]);
    let other = other.filter(|_| leads && e.is_held_unseen())?;
    let half = FIRST * (ranking[0].confidence + ranking[other].confidence);
    if most_of_others(ranking, &BOTH) > half {
        return None;
    }
    share(ranking, other, 1.0);
    Some("a send buffer that is full and a shaper hold a sender alike, whose windows have room and which loses nothing: ss -tinm on the sender (sndbuf_limited), and tc -s qdisc there, tell them apart".to_owned())
}
