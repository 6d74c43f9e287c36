//! What queues of a router's ports dropped.

use super::once::{OF_OLD, by_age};
use super::served::by_served;
use super::{Counted, Kind, Port, Ports, counts};
use crate::cause::Cause;
use crate::ceiling::{bps, payload_share};
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::hosts::machine::{DROPS_LEAST, alike};
use crate::items::{Item, step};
use crate::part::part;
use crate::read::{CLASS_MARKS, Facts, SET_MARK};

impl Port {
    /// A queue, whatever made it drop.
    pub(crate) fn without_cause(&self) -> Port {
        Port {
            name: self.name.replace(" by RED", ""),
            router: self.router.clone(),
        }
    }

    /// Whether it is a queue of a port, called by its name and its port's, or the port itself.
    pub(crate) fn is_queue_of(&self, port: &Port) -> bool {
        let queue = self.name.strip_suffix(port.name.as_str());
        let is_queue = queue.is_some_and(|q| q.is_empty() || q.ends_with(" at "));
        is_queue && self.router == port.router
    }
}

impl Counted {
    /// Packets that left by the port whose queue dropped these, where its text says it of the port or of this queue.
    pub(super) fn sent_by_port(&self, facts: &Facts) -> Option<f64> {
        let queue = self.port.without_cause();
        let all = counts(facts, Kind::Dropped).into_iter();
        let mut own = all.filter(|c| queue.is_queue_of(&c.port));
        own.find_map(|c| c.sent)
    }
}

impl Ports {
    /// What the queue that dropped took of all that was to leave by its port, 0 to 1; none where nothing says how much that was.
    fn dropped_share(&self) -> Option<f64> {
        let (dropped, sent) = (self.dropped.as_ref()?.count.value, self.dropping_sent?);
        let all = sent + dropped;
        (all > 0.0).then(|| dropped / all)
    }

    /// Whether the queue that dropped is one before the flow's way back, which is full.
    pub(super) fn drop_back(&self, e: &Evidence) -> bool {
        self.dropping_leaves.is_some() && self.dropping_leaves == e.sent_back()
    }

    /// Packets that a port's queue on the data's way dropped from one reading to the next.
    pub(crate) fn dropped_between(&self, e: &Evidence) -> Option<f64> {
        let dropped = self.dropped.as_ref().filter(|d| d.grew)?;
        (!self.drop_back(e)).then_some(dropped.count.value)
    }

    /// Frames that arrived damaged at a port from one reading to the next.
    pub(crate) fn damaged_between(&self) -> Option<f64> {
        let damaged = self.damaged.as_ref().filter(|d| d.grew)?;
        Some(damaged.count.value)
    }

    /// Whether the queue that dropped is one before a port by which so much leaves, bit/s.
    pub(crate) fn drop_before(&self, leaves: f64) -> bool {
        self.dropping_leaves == Some(leaves)
    }

    /// How surely a queue before a port that is far from full dropped what this flow sent again, 0 to 1. A line that is full drops before
    /// itself.
    pub(crate) fn drop_below_full(&self, e: &Evidence) -> f64 {
        let speed = self.dropping.or(self.dropping_named);
        let (Some(dropped), Some(speed)) = (&self.dropped, speed) else {
            return 0.0;
        };
        let rate = e.usual_rate().map_or(0.0, |r| r.value);
        let full = rate / (speed * payload_share(e.mss));
        queue_holds(e, dropped) * (1.0 - step(full, OPEN[0], OPEN[1]))
    }
}

/// A class is full from this part of what its rate leaves for payload on, up to that.
pub(super) const FULL: [f64; 2] = [0.85, 1.06];

/// A queue is full from this part of what it holds on.
const BRIM: f64 = 0.9;

/// A queue that sends between these parts of a rate that is stated is held to it.
const SENDS: [f64; 2] = [0.95, 1.03];

impl Evidence {
    /// The rate to which the class is held whose queue dropped what this flow sent again, and which the flow fills, bit/s: as a text says, or
    /// as a rate that is stated is what the queue sends.
    pub(crate) fn full_class(&self) -> Option<Figure> {
        let ports = &self.around.ports;
        let dropped = ports.dropped.as_ref()?;
        let sends = |stated: &&Figure| {
            let part = ports.serves.map(|bps| bps / stated.value);
            part.is_some_and(|part| part > SENDS[0] && part < SENDS[1])
        };
        let stated = || self.shaper.as_ref().filter(sends).cloned();
        let held = ports.shaped.clone().or_else(stated)?;
        let part = self.usual_rate()?.value / (held.value * payload_share(self.mss));
        let full = part > FULL[0] && part < FULL[1];
        (full && self.class_holds(dropped) > 0.5).then_some(held)
    }

    /// The same of a class that the flow fills. Where its queue was full when it was printed, all that it ever dropped need not be as many as
    /// were sent again.
    fn class_holds(&self, dropped: &Counted) -> f64 {
        let ports = &self.around.ports;
        let filled = ports.filled.is_some_and(|part| part >= BRIM) && !ports.drop_back(self);
        let filled = filled || ports.drops_now(self);
        // A class that the flow fills needs no count of this time.
        let holds = counted_holds(self, dropped, 1.0);
        libm::fmax(holds, f64::from(u8::from(filled)))
    }

    /// A class that is full is what shapes the flow, and no port before which it drops.
    pub(crate) fn of_full_class(&mut self) {
        if let Some(held) = self.full_class() {
            self.around.ports.dropping = Some(held.value);
            self.shaper = Some(held);
        }
    }
}

/// A port is far from full up to the first of these shares of what it leaves for payload, and not at all from the second on.
const OPEN: [f64; 2] = [0.6, 0.8];

/// What a queue that drops before a port which is far from full says more for being short, decibans.
const SHORT: f64 = 6.0;

/// How surely the packets that a port's queue dropped are this flow's, 0 to 1: as many as were sent again, or a good part of them from one
/// reading to the next.
pub(crate) fn queue_holds(e: &Evidence, dropped: &Counted) -> f64 {
    counted_holds(e, dropped, by_age(e.around.ports.dropping_cleared_s))
}

/// The same, where what was read once and is as many counts so much, 0 to 1.
fn counted_holds(e: &Evidence, dropped: &Counted, once: f64) -> f64 {
    if e.around.ports.drop_back(e) {
        return 0.0;
    }
    let again = e
        .retransmits
        .as_ref()
        .filter(|r| !e.udp && r.value >= DROPS_LEAST);
    let part = again.map_or(0.0, |r| dropped.count.value / r.value);
    match dropped.grew {
        // Others lost packets there, too, where there are many more.
        true => step(part, 0.2, 0.7) * (1.0 - step(part, 3.0, 10.0)),
        false => (once * alike(e, &dropped.count))
            .max(as_large(e, dropped))
            .max(since_cleared(e, dropped)),
    }
}

/// Counters that were cleared longer ago than this are of other times, seconds.
pub(super) const CLEARED_S: f64 = 3600.0;

/// A port by which between these parts of a flow's rate leaves carries the flow: headers are counted there, and means are of other times.
const CARRIES: [f64; 2] = [0.9, 1.2];

/// A port that drops so many times as much in a second as the flow sends again drops what others send.
const OF_OTHERS: f64 = 3.0;

/// How much a count says that began within the hour at a port which carries the flow, 0 to 1. The flow may have had all of it, or a part.
const OF_THE_HOUR: f64 = 0.7;

/// How surely the queue of a port dropped what this flow sent again since its counters were cleared, 0 to 1. It carries as much as the flow
/// has, and dropped as many or more, at no higher rate than the flow loses.
pub(super) fn since_cleared(e: &Evidence, dropped: &Counted) -> f64 {
    let ports = &e.around.ports;
    let cleared_s = ports.dropping_cleared_s.filter(|s| *s <= CLEARED_S);
    let again = e.retransmits.as_ref();
    let again = again.filter(|r| !e.udp && r.value >= DROPS_LEAST);
    let rate = e.usual_rate().filter(|rate| rate.value > 0.0);
    let carried = ports.dropping_leaves.zip(rate);
    let (Some(cleared_s), Some(again), Some((leaves, rate)), Some(test_s)) =
        (cleared_s, again, carried, e.seconds)
    else {
        return 0.0;
    };
    let carries = (CARRIES[0]..=CARRIES[1]).contains(&(leaves / rate.value));
    let times = libm::fmax(cleared_s / test_s, 1.0);
    let most = OF_OTHERS * again.value * times;
    let fits = (OF_FLOW * again.value..=most).contains(&dropped.count.value);
    f64::from(u8::from(carries && fits)) * OF_THE_HOUR
}

/// A counter below this part of what was sent again is of another time than the flow.
const OF_FLOW: f64 = 0.4;

/// How surely a port's queue dropped as large a share of what was to leave by it as this flow sent segments again, 0 to 1: what was read once
/// has the drops of others, too, and of all of them the flow has its share.
pub(super) fn as_large(e: &Evidence, dropped: &Counted) -> f64 {
    let again = e.again.as_ref().filter(|again| !e.udp && again.value > 0.0);
    let Some((again, share)) = again.zip(e.around.ports.dropped_share()) else {
        return 0.0;
    };
    let counted = e.retransmits.as_ref().filter(|r| r.value >= DROPS_LEAST);
    let enough = counted.is_some_and(|r| dropped.count.value >= OF_FLOW * r.value);
    let off = libm::fabs(libm::log(share.max(1e-12) / again.value));
    f64::from(u8::from(enough)) * (1.0 - step(off, 0.5, 1.0))
}

/// What a queue dropped is what a test lost of its datagrams where it is so many times it. A choice, as of damaged frames.
const AS_LOST: [f64; 2] = [0.4, 2.5];

impl Evidence {
    /// What the queue of a port dropped, for people, where that is what a test lost of its datagrams: as many from one reading to the next,
    /// or as large a share of what was to leave by its port.
    pub(crate) fn queue_lost_datagrams(&self) -> Option<String> {
        let (share, lost) = (self.lost_of_sent()?, self.datagrams_lost?);
        let ports = &self.around.ports;
        let dropped = ports.dropped.as_ref().filter(|_| !ports.drop_back(self))?;
        let is_near = |part: f64| (AS_LOST[0]..AS_LOST[1]).contains(&part);
        let own = of_queue(self, dropped);
        if dropped.grew && is_near(dropped.count.value / lost) {
            return Some(format!("{own}, about as many as the test lost, {lost:.0}"));
        }
        let enough = dropped.count.value >= AS_LOST[0] * lost;
        let of_all = ports.dropped_share().filter(|_| enough)?;
        is_near(of_all / share).then(|| {
            format!(
                "{own}, {} of what was to leave by its port: as large a share",
                part(of_all)
            )
        })
    }
}

/// Packets that a port's queue dropped.
pub(super) fn by_queue(e: &Evidence, dropped: &Counted, items: &mut Vec<Item>) {
    if let Some(held) = e.full_class() {
        let ports = &e.around.ports;
        let filled = ports.filled.filter(|part| *part >= BRIM);
        let filled = filled.map_or_else(String::new, |part| {
            format!(
                ", with {:.0} % of its queue full when it was printed",
                100.0 * part
            )
        });
        let marked = ports.marked.iter().map(|marked| format!("; {marked}"));
        let marked: String = marked.collect();
        items.push(Item {
            holds: e.class_holds(dropped),
            weights: vec![
                (Cause::Shaper, 24.0),
                (Cause::ShallowBuffer, -10.0),
                (Cause::CongestionLoss, -4.0),
                (Cause::Policer, -14.0),
                (Cause::RandomLoss, -14.0),
            ],
            sentence: format!(
                "{}; its class is held to {}, and this flow fills that{filled}{marked}",
                of_queue(e, dropped),
                bps(held.value)
            ),
        });
        return;
    }
    if let Some(item) = by_served(e, dropped) {
        items.push(item);
        return;
    }
    let short = SHORT * e.around.ports.drop_below_full(e);
    items.push(Item {
        holds: queue_holds(e, dropped),
        weights: vec![
            (Cause::ShallowBuffer, 16.0 + short),
            (Cause::CongestionLoss, 6.0),
            (Cause::Policer, -14.0),
            (Cause::RandomLoss, -14.0),
        ],
        sentence: of_queue(e, dropped),
    });
}

/// The drops of a port beside what the flow sent again.
pub(super) fn of_queue(e: &Evidence, dropped: &Counted) -> String {
    let beside = e.retransmits.as_ref().filter(|r| !e.udp && r.value > 0.0);
    let beside = match e.around.ports.drop_back(e) {
        true => "; this flow's data does not leave by that port".to_owned(),
        false => beside.map_or(String::new(), |r| {
            format!("; this flow sent {:.0} segments again", r.value)
        }),
    };
    let shares = e.around.ports.dropped_share().zip(e.again.as_ref());
    let shares = shares.filter(|_| !dropped.grew && as_large(e, dropped) > 0.5);
    let shares = shares.map_or_else(String::new, |(own, again)| {
        format!(
            ", {} of its segments, as large a share as the queue dropped of what was to leave by its port, {}",
            part(again.value),
            part(own)
        )
    });
    let cleared = e.around.ports.dropping_cleared_s;
    let cleared = cleared.filter(|_| !dropped.grew && since_cleared(e, dropped) > 0.5);
    let cleared = cleared.map_or_else(String::new, |seconds| {
        format!(
            " in the {:.0} min since its counters were cleared, and as much leaves by that port as this flow has",
            (seconds / 60.0).max(1.0)
        )
    });
    let alone = match e.around.ports.drops_of_old(e) {
        true => OF_OLD,
        false => "",
    };
    format!(
        "the queue of {} dropped {:.0} packets{}{cleared}{beside}{shares}{alone}",
        dropped.port.named("a router's port"),
        dropped.count.value,
        dropped.since()
    )
}

/// A code point that the class takes which is held to this rate, and that a rule among the texts sets.
pub(super) fn marked(facts: &Facts, held: &Figure) -> Option<String> {
    let mut classes = facts.all_words(CLASS_MARKS);
    let (_, taken) = classes.find(|(fact, _)| held.from.contains(&fact.at))?;
    let mut rules = facts.all_words(SET_MARK);
    let (_, dscp) = rules.find(|(_, dscp)| taken.split(' ').any(|t| t == *dscp))?;
    Some(format!(
        "the class takes what is marked DSCP {dscp}, and a rule of a host sets that mark"
    ))
}
