//! A receiver's socket that was full: what its kernel dropped there, and how often it made room.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::number;
use crate::hosts::counted::growth;
use crate::hosts::machine::{DROPS_LEAST, alike};
use crate::hosts::tally::Tally;
use crate::items::{Item, LOSSES, of, step};
use crate::read::Facts;

/// Counters of segments that a kernel drops though they arrived: each drops one for want of memory of its own kind.
const DROPS: [&str; 4] = [
    "host_receive_drops",
    "host_reordered_drops",
    "host_backlog_drops",
    "host_closed_window_drops",
];

/// What a receiver's kernel did with segments that found its socket full.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overrun {
    /// Segments that it dropped.
    dropped: Option<Tally>,
    /// How often it looked for room by pressing segments together: before each that it dropped at least once.
    pruned: Option<Figure>,
    /// Segments that it pressed together.
    collapsed: Option<Figure>,
}

/// The sum of what was counted of each kind; none where nothing was.
fn sum(each: impl Iterator<Item = Figure>) -> Option<Figure> {
    each.reduce(|a, b| {
        let mut both = a.with(&b);
        both.value = a.value + b.value;
        (both.low, both.high) = (both.value, both.value);
        both
    })
}

/// What the kernels of these hosts dropped: by how much the counts grew, else what they stood at.
fn dropped(facts: &Facts, hosts: &[u32]) -> Option<Tally> {
    let grew = sum(DROPS
        .into_iter()
        .filter_map(|name| growth(facts, hosts, name)));
    let stood = |name: &'static str| {
        let each = hosts
            .iter()
            .filter_map(|host| number(facts, Of::Host(*host), name));
        each.max_by(|a, b| a.value.total_cmp(&b.value)).cloned()
    };
    let is_grown = grew.is_some();
    let count = grew.or_else(|| sum(DROPS.into_iter().filter_map(stood)))?;
    Some(Tally {
        grew: is_grown,
        ..Tally::once(&count)
    })
}

impl Overrun {
    /// What was counted on the receiver's hosts.
    pub(crate) fn of(facts: &Facts, receivers: &[u32]) -> Overrun {
        Overrun {
            dropped: dropped(facts, receivers),
            pruned: growth(facts, receivers, "host_pruned"),
            collapsed: growth(facts, receivers, "host_collapsed"),
        }
    }

    /// Whether segments were dropped.
    pub(crate) fn dropped_any(&self) -> bool {
        self.dropped.as_ref().is_some_and(|d| d.count.value > 0.0)
    }

    /// Whether nothing but a count that was read once says so.
    pub(crate) fn dropped_once(&self) -> bool {
        let dropped = self.dropped.as_ref();
        dropped.is_some_and(|d| d.count.value > 0.0 && !d.grew)
    }

    /// What it speaks for: what the receiving host dropped the path did not lose.
    pub(crate) fn items(&self, e: &Evidence, items: &mut Vec<Item>) {
        let room = self.pruned.as_ref().or(self.collapsed.as_ref());
        if let Some(room) = room.filter(|p| p.value > 0.0) {
            items.push(Item {
                holds: step(room.value, 1.0, 50.0),
                weights: vec![(e.fills_socket(), 8.0)],
                sentence: format!(
                    "the receiver's kernel made room in a full socket {:.0} times",
                    room.value
                ),
            });
        }
        match self.dropped.as_ref().filter(|d| d.count.value > 0.0) {
            Some(dropped) => by_dropped(e, dropped, items),
            None => self.by_room(e, items),
        }
    }

    /// Nothing counts the drops, and room was made as often as segments were sent again, or more often: it may have dropped them all.
    fn by_room(&self, e: &Evidence, items: &mut Vec<Item>) {
        let again = e.sent_again().filter(|n| !e.udp && *n >= DROPS_LEAST);
        let (Some(pruned), Some(again), None) = (&self.pruned, again, &self.dropped) else {
            return;
        };
        items.push(Item {
            holds: step(pruned.value / again, 0.5, 1.0),
            weights: [of(&LOSSES, -8.0), vec![(e.fills_socket(), 10.0)]].concat(),
            sentence: format!(
                "that is as often as segments were sent again, {again:.0}, or more often: the receiving host may have dropped them; nstat -az TcpExtTCPRcvQDrop TcpExtTCPOFODrop counts them"
            ),
        });
    }
}

/// Segments that the receiver's kernel dropped, beside those that were sent again.
fn by_dropped(e: &Evidence, dropped: &Tally, items: &mut Vec<Item>) {
    let count = dropped.count.value;
    let part = match (dropped.accounts(e), dropped.grew) {
        (Some(part), true) => part,
        (_, false) => alike(e, &dropped.count),
        // Nothing says how many were sent again.
        (None, true) => 0.3,
    };
    let again = e.sent_again().filter(|n| *n > 0.0 && !e.udp);
    let beside = match again {
        Some(again) if dropped.grew && count < 0.7 * again => format!(
            ", {:.1} % of the {again:.0} segments that were sent again: the rest was lost elsewhere",
            100.0 * count / again
        ),
        Some(again) if dropped.grew || part > 0.3 => {
            format!(", and {again:.0} segments were sent again: they had crossed the path")
        }
        Some(again) => format!(
            ", and {again:.0} segments were sent again: one reading does not say how many of them in this test"
        ),
        None => String::new(),
    };
    let sentence = format!(
        "the receiving host's kernel dropped {count:.0} segments at a full socket {}{beside}",
        dropped.since()
    );
    let holds = part * step(count, 1.0, DROPS_LEAST);
    // What is of another time, or a few of many, is said and weighs nothing.
    let found = holds > 0.3;
    items.push(Item {
        holds: if found { 0.0 } else { 1.0 },
        weights: Vec::new(),
        sentence: sentence.clone(),
    });
    items.push(Item {
        holds,
        weights: of(&LOSSES, -24.0)
            .into_iter()
            .chain([
                (e.fills_socket(), 34.0),
                (Cause::Link, -10.0),
                (Cause::Shaper, -8.0),
                (Cause::CrossTraffic, -8.0),
                (Cause::Nic, -6.0),
            ])
            .collect(),
        sentence,
    });
}
