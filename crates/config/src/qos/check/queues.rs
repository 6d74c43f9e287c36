//! Checks of one port's queues.

use farpath_units::Size;

use super::super::port::FRAME;
use super::super::{KnownBy, Port, Queue, Queueing, RandomDetect, longest_wait, share_bounds};
use super::On;
use crate::finding::Severity;
use crate::platform::Platform;
use crate::rules::{
    QOS002, QOS003, QOS004, QOS005, QOS006, QOS007, QOS014, QOS016, QOS019, QOS020, QOS021, QOS022,
};
use crate::source::Place;

/// The low class's DSCP unless a note says otherwise: CS1, as QBSS and GÉANT's LBE have it.
const SCAVENGER: u8 = 8;
/// A share this small is none.
const NOTHING: f64 = 0.005;
/// A share this small is a scavenger's.
const LOW: f64 = 0.05;

/// All checks of the queues of an interface.
pub(super) fn queues(on: &mut On<'_, '_>) {
    let said = &on.interface.queueing;
    // Port types are those of one family of switches.
    let card = on.device.platform == Platform::Catalyst6500;
    let Some(first) = said.first().filter(|_| card) else {
        return meant_mtu(on);
    };
    let port = Port::of(on.device, on.interface, on.checker.options);
    let mut queues = Queues {
        on,
        said,
        port,
        first,
    };
    let fits = queues.port_type() & queues.numbers();
    queues.cos_maps();
    queues.limits();
    queues.thresholds();
    meant_mtu(queues.on);
    if fits {
        queues.idle();
        queues.credit();
        queues.not_low();
        queues.scavenger();
        queues.share();
        queues.figures();
    }
}

/// What an interface says of its queues, and the port that comes of it.
struct Queues<'s, 'c, 'a> {
    on: &'s mut On<'c, 'a>,
    said: &'c Queueing,
    port: Port,
    /// The first statement about transmit queues.
    first: &'c Place,
}

impl<'c> Queues<'_, 'c, '_> {
    /// What the port type has not.
    fn misfit(&mut self, place: &Place, message: String) {
        let remedy = format!(
            "write what {} has, or name the real type: --port-type, or a line `! farpath port-type …` in the interface",
            self.port.port_type
        );
        self.on.find(&QOS002, place, message, remedy);
    }

    /// Weights and limits by their number; `false` if the weights do not fit.
    fn port_type(&mut self) -> bool {
        let (t, name) = (self.port.port_type, self.port.name.clone());
        let weighted = usize::from(t.weighted);
        let mut fits = true;
        if let Some(weights) = &self.said.bandwidth {
            let n = weights.value.len();
            if n != weighted {
                fits = false;
                let message =
                    format!("{n} weights on {name}, and a {t} port has {weighted} weighted queues");
                self.misfit(&weights.place, message);
            } else if self.port.known_by == KnownBy::Weights {
                let message = format!(
                    "{n} weights on {name}: taken for a {t} port, the commonest at its speed with so many queues"
                );
                let remedy = "name the port type: --port-type, or a line `! farpath port-type …` in the interface";
                let checker = &mut self.on.checker;
                checker
                    .find(&QOS002, &weights.place, message, remedy)
                    .severity = Severity::Info;
            }
        }
        let limits = self.said.limits.as_ref();
        if let Some(limits) = limits.filter(|l| l.value.len() != weighted) {
            let message = format!(
                "{} queue limits on {name}, and a {t} port has {weighted} weighted queues",
                limits.value.len()
            );
            self.misfit(&limits.place, message);
        }
        fits
    }

    /// Queues and thresholds named that the port has not; `false` if a queue is.
    fn numbers(&mut self) -> bool {
        let (said, t, name) = (self.said, self.port.port_type, self.port.name.clone());
        let mut fits = true;
        let maps = said.cos_maps.iter().chain(&said.dscp_maps);
        let maps = maps.map(|m| (&m.place, m.value.queue, m.value.threshold));
        let tails = said.thresholds.iter().map(|m| (&m.place, m.value.0, 0));
        let random = said
            .random_detect
            .iter()
            .map(|r| (&r.place, r.value.queue(), 0));
        for (place, queue, threshold) in maps.chain(tails).chain(random) {
            if queue > t.weighted {
                let strict = match t.strict_queue() == Some(queue) {
                    true => "; its strict queue is mapped with `priority-queue cos-map 1 …`",
                    false => "",
                };
                fits = false;
                let message = format!(
                    "queue {queue} on {name}, and a {t} port has {} weighted queues{strict}",
                    t.weighted
                );
                self.misfit(place, message);
            } else if threshold > t.thresholds {
                let message = format!(
                    "threshold {threshold} on {name}, and the queues of a {t} port have {}",
                    t.thresholds
                );
                self.misfit(place, message);
            }
        }
        if let Some(strict) = said.strict_cos.as_ref().filter(|_| t.strict == 0) {
            let message = format!("`priority-queue` on {name}, and a {t} port has no strict queue");
            self.misfit(&strict.place, message);
        }
        fits
    }

    fn cos_maps(&mut self) {
        let said = self.said;
        let Some(first) = said.cos_maps.first() else {
            return;
        };
        let port_type = self.port.port_type;
        let mut missing = Vec::new();
        for cos in 0..8_u8 {
            let weighted = said
                .cos_maps
                .iter()
                .filter(|m| m.value.marks.contains(&cos));
            let strict = said.strict_cos.iter().filter(|s| s.value.contains(&cos));
            let weighted = weighted.map(|m| &m.place);
            let places: Vec<&Place> = weighted.chain(strict.map(|s| &s.place)).collect();
            match places.as_slice() {
                [] => missing.push(match port_type.default_cos(cos) {
                    (queue, _) if port_type.strict_queue() == Some(queue) => {
                        format!("{cos} (the strict queue)")
                    }
                    (queue, threshold) => format!("{cos} (queue {queue} threshold {threshold})"),
                }),
                [_] => {}
                [first, .., last] => {
                    let message = format!(
                        "CoS {cos} is mapped {} times on {}; only one mapping holds",
                        places.len(),
                        self.port.name
                    );
                    let remedy = format!("take CoS {cos} out of all but one of them");
                    let finding = self.on.find(&QOS003, last, message, remedy);
                    finding.relate((*first).clone(), "mapped here first");
                }
            }
        }
        if missing.is_empty() {
            return;
        }
        let message = format!(
            "no statement of {} maps CoS {}; the card's default does, here taken as that of {port_type}",
            self.port.name,
            missing.join(", ")
        );
        let remedy = "map every CoS, so that it does not depend on the card";
        self.on
            .find(&QOS003, &first.place, message, remedy)
            .severity = Severity::Warning;
    }

    fn limits(&mut self) {
        let (limits, strict) = (&self.said.limits, &self.said.strict_limit);
        let place = limits.as_ref().map(|l| &l.place);
        let Some(place) = place.or(strict.as_ref().map(|l| &l.place)) else {
            return;
        };
        let sum = match limits {
            Some(limits) => {
                limits.value.iter().sum::<u32>() + strict.as_ref().map_or(0, |s| s.value)
            }
            None => self.port.limits_percent,
        };
        if sum > 100 {
            let message = format!(
                "the queues of {} have {sum} % of its transmit buffer between them",
                self.port.name
            );
            let remedy = "make `wrr-queue queue-limit` and `priority-queue queue-limit` add up to 100 or less";
            self.on.find(&QOS021, place, message, remedy);
        }
    }

    fn thresholds(&mut self) {
        let (said, port) = (self.said, &self.port);
        for tails in &said.thresholds {
            let (queue, list) = &tails.value;
            if !list.is_sorted() {
                let message = format!(
                    "the tail-drop thresholds of queue {queue} of {} do not rise: {list:?} %",
                    port.name
                );
                let remedy = "order them; frames to be kept longest go to the last threshold";
                self.on.find(&QOS014, &tails.place, message, remedy);
            }
        }
        for queue in port.weighted() {
            let bounds = |r: &RandomDetect| !matches!(r, RandomDetect::Use(..));
            let of_queue = |r: &RandomDetect| bounds(r) && r.queue() == queue.number;
            let Some(said) = said.random_detect.iter().find(|r| of_queue(&r.value)) else {
                continue;
            };
            for (k, threshold) in queue.thresholds.iter().enumerate() {
                if let Some((min, max)) = threshold.random
                    && (min >= max || min == 100)
                {
                    let message = format!(
                        "random early detection of queue {} threshold {} of {} begins at {min} % and is certain at {max} %: it never acts",
                        queue.number,
                        k + 1,
                        port.name
                    );
                    let remedy = "write a minimum below the maximum, such as 40 and 70";
                    self.on.find(&QOS014, &said.place, message, remedy);
                }
            }
        }
    }

    fn idle(&mut self) {
        if self.said.cos_maps.is_empty() {
            return;
        }
        let port = &self.port;
        if let Some(strict) = port.queues.iter().find(|q| q.strict && q.is_idle()) {
            let message = format!(
                "the strict queue of {} has {} % of the buffer, and no CoS goes there",
                port.name, strict.limit_percent
            );
            let remedy =
                "map voice to it, `priority-queue cos-map 1 5`, or give its buffer to the others";
            self.on.find(&QOS004, self.first, message, remedy);
        }
        for queue in port.weighted() {
            let share = port.share(queue);
            if queue.is_idle() {
                let message = format!(
                    "queue {} of {} has weight {} and {} % of the buffer, and no CoS goes there",
                    queue.number, port.name, queue.weight, queue.limit_percent
                );
                let remedy = format!("map a CoS to it: `wrr-queue cos-map {} 1 …`", queue.number);
                self.on.find(&QOS004, self.first, message, remedy);
            } else if share < NOTHING {
                let message = format!(
                    "queue {} of {} has {:.2} % of the weight: its classes starve under load",
                    queue.number,
                    port.name,
                    100.0 * share
                );
                let remedy = "give it a larger weight, or the others smaller ones";
                self.on.find(&QOS004, self.first, message, remedy);
            }
        }
    }

    fn credit(&mut self) {
        let Some(weights) = &self.said.bandwidth else {
            return;
        };
        let noted = self.said.unit.as_ref().map(|u| u.value);
        let stated = self.on.checker.options.unit.or(noted);
        let unit = stated.unwrap_or(Size::from_bytes(256)).as_bytes();
        let (mtu, name) = (u64::from(self.port.mtu), &self.port.name);
        let bytes = u64::from(weights.value.iter().copied().min().unwrap_or(1)) * unit;
        if bytes >= mtu {
            return;
        }
        let (known, ask, severity) = match stated {
            Some(_) => ("", "", Severity::Error),
            None => (
                ", if the card counts the usual 256 B a unit of weight,",
                "\nor state what the card counts: --wrr-unit, or a line `! farpath wrr-unit 1536 B` in the interface",
                Severity::Warning,
            ),
        };
        let message = format!(
            "the smallest queue of {name} has {bytes} B of credit{known} and its frames are up to {} B (MTU {mtu}): the queue gets more than its share",
            mtu + FRAME
        );
        let remedy = match mtu.div_ceil(unit.max(1)) {
            fit @ 0..=255 => format!(
                "give the smallest queue a weight of {fit} or more, and the others in proportion{ask}"
            ),
            _ => format!("no weight up to 255 is enough: lower the MTU{ask}"),
        };
        self.on
            .find(&QOS005, &weights.place, message, remedy)
            .severity = severity;
    }

    /// Voice and routing control in the low queue.
    fn not_low(&mut self) {
        let port = &self.port;
        let least = port.lightest().map_or(0, |q| q.weight);
        for cos in [5, 6, 7] {
            let (number, _) = port.queue_of_cos(cos);
            let queue = port.weighted().find(|q| q.number == number);
            let low = |q: &&Queue| q.weight == least && port.share(q) <= LOW;
            let Some(queue) = queue.filter(low) else {
                continue;
            };
            let what = match cos {
                5 => "voice",
                _ => "routing and control",
            };
            let message = format!(
                "CoS {cos} ({what}) shares queue {number} of {} with the scavenger class, at {:.1} % of the weight",
                port.name,
                100.0 * port.share(queue)
            );
            let remedy = format!(
                "map it elsewhere: `wrr-queue cos-map 1 {} {cos}`, or the strict queue for voice",
                port.port_type.thresholds
            );
            let mut maps = self.said.cos_maps.iter().rev();
            let holder = maps.find(|m| m.value.marks.contains(&cos));
            let place = holder.map_or(self.mapped(), |m| &m.place);
            self.on.find(&QOS019, place, message, remedy);
        }
    }

    /// The first CoS map, or else the first statement.
    fn mapped(&self) -> &'c Place {
        self.said.cos_maps.first().map_or(self.first, |m| &m.place)
    }

    fn scavenger(&mut self) {
        let (said, port) = (self.said, &self.port);
        let intent = self.on.interface.intent.as_ref();
        if said.cos_maps.is_empty() && said.dscp_maps.is_empty() && intent.is_none() {
            return;
        }
        let dscp = intent.map_or(SCAVENGER, |i| i.value.dscp);
        let ((queue, _), (effort, _)) = (port.queue_of_dscp(dscp), port.queue_of_cos(0));
        let weight = port
            .weighted()
            .find(|q| q.number == queue)
            .map(|q| q.weight);
        let (least, low) = port.lightest().map_or((0, 1), |q| (q.weight, q.number));
        let why = match weight {
            _ if queue == effort => format!("shares queue {queue} with best effort"),
            None => "goes to the strict queue".to_owned(),
            Some(w) if w > least => {
                format!("goes to queue {queue} with weight {w}, while another has {least}")
            }
            Some(_) => return,
        };
        let cos = port.maps.dscp_cos[usize::from(dscp)];
        let message = format!(
            "the lower-effort class, DSCP {dscp} (CoS {cos}), {why} on {}",
            port.name
        );
        let remedy = format!(
            "give it the queue of least weight to itself: `wrr-queue cos-map {low} 1 {cos}`, and CoS 0 another"
        );
        self.on.find(&QOS006, self.mapped(), message, remedy);
    }

    fn share(&mut self) {
        let intent = self.on.interface.intent.as_ref().map(|i| i.value);
        let stated = self.on.checker.options.share;
        let Some(target) = stated.or(intent.map(|i| i.share)) else {
            return;
        };
        let port = &self.port;
        let (queue, _) = port.queue_of_dscp(intent.map_or(SCAVENGER, |i| i.dscp));
        let credits: Vec<Size> = port.weighted().map(|q| q.credit).collect();
        let index = usize::from(queue) - 1;
        if index >= credits.len() {
            return;
        }
        let largest = Size::from_bytes(u64::from(port.mtu) + FRAME);
        let (low, high) = share_bounds(&credits, index, largest);
        let off = (high - target.get()).max(target.get() - low);
        if off <= 0.01 + 1e-9 {
            return;
        }
        let message = format!(
            "queue {queue} of {} gets {:.2} to {:.2} % when all are full, by packet sizes; {:.2} % is wanted",
            port.name,
            100.0 * low,
            100.0 * high,
            100.0 * target.get()
        );
        let place = self
            .said
            .bandwidth
            .as_ref()
            .map_or(self.first, |b| &b.place);
        let remedy = "choose weights in that ratio: `farpath config lbe --share …` writes them";
        self.on.find(&QOS007, place, message, remedy).severity = match off > 0.05 {
            true => Severity::Warning,
            false => Severity::Info,
        };
    }

    fn figures(&mut self) {
        let Some(weights) = &self.said.bandwidth else {
            return;
        };
        let port = &self.port;
        let total: u32 = weights.value.iter().sum();
        let ratio: Vec<String> = weights.value.iter().map(u32::to_string).collect();
        let share = |w: &u32| format!("{:.1} %", 100.0 * f64::from(*w) / f64::from(total.max(1)));
        let shares: Vec<String> = weights.value.iter().map(share).collect();
        let message = format!(
            "weights {} on {}: queues get {} when all are full",
            ratio.join(":"),
            port.name,
            shares.join(", ")
        );
        self.on.find(&QOS020, &weights.place, message, "");
        let (Some(rate), Some(low)) = (port.rate, port.lightest()) else {
            return;
        };
        let message = format!(
            "queue {} of {} waits up to {:.3} ms while the others send their credit",
            low.number,
            port.name,
            longest_wait(port, low.number, rate).as_secs_f64() * 1e3
        );
        let remedy = "smaller weights in the same ratio shorten it";
        self.on.find(&QOS016, &weights.place, message, remedy);
    }
}

fn meant_mtu(on: &mut On<'_, '_>) {
    let Some(intent) = &on.interface.intent else {
        return;
    };
    let stated = on.interface.mtu.as_ref();
    let mtu = stated.map_or(1500, |m| m.value);
    let Some(meant) = intent.value.mtu.filter(|m| *m != mtu) else {
        return;
    };
    let place = stated.map_or(&intent.place, |m| &m.place);
    let message = format!(
        "the MTU of {} is {mtu}, and {meant} is meant",
        on.interface.name
    );
    on.find(&QOS022, place, message, format!("write `mtu {meant}`"))
        .severity = match meant > mtu {
        true => Severity::Warning,
        false => Severity::Info,
    };
}
