//! What stands around a flow: disks of its hosts, radio links, and interfaces of routers on the path.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of, Value};
use crate::flow::{Flow, number};
use crate::items::{Item, step};
use crate::read::Facts;

/// What was said of disks and interfaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// Rate at which a disk of a host reads or writes, bit/s.
    pub(crate) disk: Option<Figure>,
    /// Share of the time in which a disk of a host was busy, 0 to 1.
    busy: Option<Figure>,
    /// What an interface on the path carried, and its own rate where it is known, bit/s: the fullest.
    interface: Option<(Figure, Option<Figure>)>,
}

/// Of a radio link's bit rate payload gets from a third to six sevenths: preambles, contention and acknowledgements take the rest.
/// A rule of thumb, held against no measurement.
const OF_RADIO: [f64; 3] = [0.35, 0.7, 0.86];

impl Evidence {
    /// What disks, radio links and interfaces of routers say.
    pub(crate) fn of_surroundings(&mut self, facts: &Facts, flow: &Flow) {
        let ends = [
            (&flow.senders, "radio_sends_bps"),
            (&flow.receivers, "radio_receives_bps"),
        ];
        for (hosts, radio) in ends {
            for host in hosts {
                let get = |name: &'static str| number(facts, Of::Host(*host), name).cloned();
                let busier =
                    |b: &Figure| self.around.busy.as_ref().is_none_or(|x| x.value < b.value);
                if let Some(busy) = get("disk_busy_ratio").filter(busier) {
                    self.around.busy = Some(busy);
                }
                self.around.disk = self.around.disk.take().or_else(|| get("disk_bps"));
                let Some(bits) = get(radio) else { continue };
                let mut air = bits.times(OF_RADIO[1]);
                (air.low, air.high) = (bits.low * OF_RADIO[0], bits.high * OF_RADIO[2]);
                if self.line.as_ref().is_none_or(|(l, _)| air.value < l.value) {
                    self.line = Some((air, "the radio link, seven tenths of its bit rate"));
                }
            }
        }
        self.around.interface = fullest(facts);
    }
}

/// The interface on the path that carried most of its own rate, or most where no rate is known.
fn fullest(facts: &Facts) -> Option<(Figure, Option<Figure>)> {
    let mut best: Option<(Figure, Option<Figure>)> = None;
    let mut speed: Option<&Figure> = None;
    let fill = |(carried, speed): &(Figure, Option<Figure>)| {
        speed.as_ref().map_or(0.0, |s| carried.value / s.value)
    };
    for fact in facts.facts.iter().filter(|f| f.of == Of::Path) {
        match (&fact.value, fact.name) {
            (Value::Word(_), "interface") => speed = None,
            (Value::Number(figure), "interface_bps") => speed = Some(figure),
            (Value::Number(figure), "interface_carried_bps") => {
                let new = (figure.clone(), speed.cloned());
                let fuller = |old: &(Figure, Option<Figure>)| {
                    (fill(&new), new.0.value) > (fill(old), old.0.value)
                };
                if best.as_ref().is_none_or(fuller) {
                    best = Some(new);
                }
            }
            _ => {}
        }
    }
    best
}

/// What they speak for.
pub(crate) fn by_surroundings(e: &Evidence, items: &mut Vec<Item>) {
    let Some(rate) = &e.rate else { return };
    if let Some(disk) = &e.around.disk {
        let met = rate.value / disk.value;
        items.push(Item {
            holds: step(met, 0.7, 0.85) * (1.0 - step(met, 1.1, 1.3)),
            weights: vec![(Cause::Disk, 18.0)],
            sentence: format!(
                "a host's disk was read or written at {}, and the flow went at {}",
                bps(disk.value),
                bps(rate.value)
            ),
        });
        items.push(Item {
            holds: 1.0 - step(met, 0.4, 0.7),
            weights: vec![(Cause::Disk, -14.0)],
            sentence: String::new(),
        });
    }
    if let Some(busy) = &e.around.busy {
        items.push(Item {
            holds: step(busy.value, 0.85, 0.95),
            weights: vec![(Cause::Disk, 16.0)],
            sentence: format!(
                "a host's disk was busy for {:.0} % of the time",
                busy.value * 100.0
            ),
        });
        items.push(Item {
            holds: 1.0 - step(busy.value, 0.4, 0.8),
            weights: vec![(Cause::Disk, -16.0)],
            sentence: String::new(),
        });
    }
    interfaces(e, rate, items);
}

/// An interface that is full is full of this flow, or of others.
fn interfaces(e: &Evidence, rate: &Figure, items: &mut Vec<Item>) {
    let Some((carried, speed)) = &e.around.interface else {
        return;
    };
    let line = e.line.as_ref().map(|(line, _)| line);
    let Some(full) = speed.as_ref().or(line) else {
        return;
    };
    let own = rate.value / carried.value.max(1.0);
    let weights = match own > OWN {
        true => vec![(Cause::Link, 16.0)],
        false => vec![
            (Cause::CrossTraffic, 34.0),
            (Cause::CongestionLoss, 8.0),
            (Cause::Policer, -10.0),
            (Cause::RandomLoss, -10.0),
        ],
    };
    items.push(Item {
        holds: step(carried.value / full.value, 0.9, 0.96),
        weights,
        sentence: format!(
            "an interface on the path carried {}, {:.0} % of its rate: this flow has {:.0} % of that",
            bps(carried.value),
            100.0 * carried.value / full.value,
            100.0 * own
        ),
    });
}

/// An interface that carries more than this part of a flow carries little else.
const OWN: f64 = 0.75;
