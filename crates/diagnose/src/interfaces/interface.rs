//! The fullest interface of a router on the path: it is full of the flow, of others, or on the way back.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of, Value};
use crate::items::{Item, step};
use crate::losses::way_back::UNSEEN;
use crate::ports::STATED;
use crate::read::Facts;

/// An interface that carries more than this part of a flow carries little else.
const OWN: f64 = 0.75;

/// A flow that is so many times as fast as what one way of an interface carries is not among it.
const BEYOND: f64 = 1.15;

/// What the other way carries is the flow, where it is from the first to the second of so many times its payload.
const SAME: [f64; 2] = [1.0, 1.15];

/// One way of an interface is full from the second of these shares of its rate on, and not below the first.
const FULL: [f64; 2] = [0.9, 0.96];

/// What a full way back is worth that the rates of an interface show, decibans: about what a window is that nobody knows.
const BACK: f64 = 2.0;

/// Facts of the two ways, and what an interface does by them.
const WAYS: [(&str, &str); 2] = [
    ("interface_received_bps", "received"),
    ("interface_sent_bps", SENT),
];
const SENT: &str = "sent";

/// What one way of an interface carries.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    /// What it does: `sent` or `received`.
    way: &'static str,
    /// How much, bit/s.
    rate: Figure,
    /// The interface's own rate where it is known, bit/s.
    speed: Option<Figure>,
    /// What its other way carries, bit/s.
    other: Option<f64>,
}

impl Carried {
    fn fill(&self) -> f64 {
        let speed = self.speed.as_ref();
        speed.map_or(0.0, |s| self.rate.value / s.value)
    }

    /// Whether a flow goes the other way: it is faster than what this way carries, or is what the other one does. Connections side by side
    /// may be spread over several interfaces. Others may send as much as the flow by chance: that does not count where a queue dropped before
    /// this way, and the flow lost segments. Where the queue dropped and the flow lost none, it does not go this way.
    fn is_back(&self, e: &Evidence) -> bool {
        let rate = e.rate.as_ref().map_or(0.0, |r| r.value);
        let is_it = |other: f64| other >= SAME[0] * rate && other <= SAME[1] * rate;
        let other = self.other.is_some_and(is_it);
        let own = rate / self.rate.value.max(1.0);
        if self.way == SENT && e.is_missed_by(self.rate.value) {
            return true;
        }
        own > BEYOND && (other || e.streams <= 1.0) || own < OWN && other && !self.drops(e)
    }

    /// Whether a queue dropped before this way, and the flow lost segments.
    fn drops(&self, e: &Evidence) -> bool {
        let lost = e.retransmits.as_ref().is_some_and(|r| r.value > 0.0);
        lost && self.way == SENT && e.around.ports.drop_before(self.rate.value)
    }
}

/// What a text says of an interface.
#[derive(Default)]
struct Stated<'f> {
    /// `BW` of IOS and NX-OS, or the speed of Junos, bit/s.
    speed: Option<&'f Figure>,
    /// The speed of its medium, where that is above it, bit/s.
    medium: Option<&'f Figure>,
    /// The most that it received, and that it sent, bit/s.
    ways: [Option<&'f Figure>; 2],
}

impl Stated<'_> {
    /// Its two ways. One that carries more than it is said to has the rate of its medium, or none that is known.
    fn carried(&self) -> Vec<Carried> {
        let [received, sent] = self.ways;
        let each = [(received, sent), (sent, received)].into_iter().zip(WAYS);
        let carried = each.filter_map(|((rate, other), (_, way))| {
            let rate = rate?;
            let holds = |s: &&Figure| rate.value <= STATED * s.value;
            let speed = self.speed.filter(holds).or(self.medium.filter(holds));
            Some(Carried {
                way,
                rate: rate.clone(),
                speed: speed.cloned(),
                other: other.map(|o| o.value),
            })
        });
        carried.collect()
    }
}

/// What the texts say of interfaces on the path.
fn stated(facts: &Facts) -> Vec<Stated<'_>> {
    let mut all = Vec::new();
    let mut this = Stated::default();
    for fact in facts.facts.iter().filter(|f| f.of == Of::Path) {
        match (&fact.value, fact.name) {
            (Value::Word(_), "interface") => all.push(core::mem::take(&mut this)),
            (Value::Number(figure), "interface_bps") => this.speed = Some(figure),
            (Value::Number(figure), "interface_medium_bps") => this.medium = Some(figure),
            (Value::Number(figure), name) => {
                let Some(way) = WAYS.iter().position(|(of, _)| *of == name) else {
                    continue;
                };
                if this.ways[way].is_none_or(|most| most.value < figure.value) {
                    this.ways[way] = Some(figure);
                }
            }
            _ => {}
        }
    }
    all.push(this);
    all
}

/// The interface on the path that carried most of its own rate, or most where no rate is known.
pub(crate) fn fullest(facts: &Facts) -> Option<Carried> {
    let mut best: Option<Carried> = None;
    for new in stated(facts).iter().flat_map(Stated::carried) {
        let fuller = |old: &Carried| (new.fill(), new.rate.value) > (old.fill(), old.rate.value);
        if best.as_ref().is_none_or(fuller) {
            best = Some(new);
        }
    }
    best
}

impl Evidence {
    /// What the fullest interface sends, bit/s, where it is full and this is the way back of the flow.
    pub(crate) fn sent_back(&self) -> Option<f64> {
        let carried = self.around.interface.as_ref()?;
        let full = carried.way == SENT && carried.fill() > FULL[0];
        (full && carried.is_back(self)).then_some(carried.rate.value)
    }

    /// Whether the fullest interface is full, and of others more than of this flow.
    pub(crate) fn is_full_of_others(&self) -> bool {
        let both = self.around.interface.as_ref().zip(self.rate.as_ref());
        let Some((carried, rate)) = both.filter(|_| self.around.group.is_none()) else {
            return false;
        };
        let line = self.line.as_ref().map(|(line, _)| line);
        let speed = carried.speed.as_ref().or(line);
        let full = speed.is_some_and(|s| carried.rate.value > FULL[0] * s.value);
        let most = rate.value > OWN * carried.rate.value;
        let own = most || self.fills_with_others(carried.rate.value);
        full && !carried.is_back(self) && !own
    }

    /// Whether the fullest interface is full of this flow and of others of the texts, together.
    pub(crate) fn is_full_together(&self) -> bool {
        let carried = self.around.interface.as_ref();
        carried.is_some_and(|carried| {
            let full = carried.fill() > FULL[0] && !carried.is_back(self);
            full && self.around.group.is_none() && self.fills_with_others(carried.rate.value)
        })
    }
}

/// An interface that is full is full of this flow, or of others.
pub(crate) fn by_interface(e: &Evidence, rate: &Figure, items: &mut Vec<Item>) {
    let Some(carried) = &e.around.interface else {
        return;
    };
    if e.around.group.is_some() {
        // Full it is of its own share of the flow.
        return;
    }
    let line = e.line.as_ref().map(|(line, _)| line);
    // No interface carries more than its rate: that is another one then.
    let can = |full: &&Figure| carried.rate.value <= STATED * full.value;
    let Some(full) = carried.speed.as_ref().or(line).filter(can) else {
        return;
    };
    let own = rate.value / carried.rate.value.max(1.0);
    let holds = step(carried.rate.value / full.value, FULL[0], FULL[1]);
    let seen = format!(
        "an interface on the path {} {}, {:.0} % of its rate",
        carried.way,
        bps(carried.rate.value),
        100.0 * carried.rate.value / full.value
    );
    if carried.is_back(e) {
        of_back(rate, holds, &seen, items);
        return;
    }
    let together = e.is_full_together();
    let weights = match (own > OWN, together) {
        (true, _) => vec![(Cause::Link, 16.0)],
        (false, true) => vec![(Cause::Link, 34.0)],
        (false, false) => vec![
            (Cause::CrossTraffic, 34.0),
            (Cause::CongestionLoss, 8.0),
            (Cause::Policer, -10.0),
            (Cause::RandomLoss, -10.0),
        ],
    };
    items.push(Item {
        holds,
        weights,
        sentence: format!(
            "{seen}: this flow has {:.0} % of that{}",
            100.0 * own,
            match together {
                true => ", and others of these texts the rest",
                false => "",
            }
        ),
    });
}

/// An interface that is full the other way. It is said whatever is the cause.
fn of_back(rate: &Figure, holds: f64, seen: &str, items: &mut Vec<Item>) {
    items.push(Item {
        holds,
        weights: vec![(Cause::WayBack, BACK - UNSEEN)],
        sentence: String::new(),
    });
    items.push(Item {
        holds,
        weights: Vec::new(),
        sentence: format!(
            "{seen}: this flow of {} goes the other way, or by another interface, so that what is full there is its way back at most",
            bps(rate.value)
        ),
    });
}
