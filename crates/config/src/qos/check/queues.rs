//! Checks of one port's queues.

use farpath_units::Size;

use super::super::port::FRAME;
use super::super::{
    Device, Interface, KnownBy, Port, RandomDetect, longest_wait, rules::*, share_bounds,
};
use super::{Checker, but, doubts};
use crate::finding::Severity;
use crate::source::Place;

/// The low class's DSCP unless a note says otherwise: CS1, as QBSS and GÉANT's LBE have it.
const SCAVENGER: u8 = 8;
/// A share this small is none.
const NOTHING: f64 = 0.005;
/// A share this small is a scavenger's.
const LOW: f64 = 0.05;

impl Checker<'_> {
    /// All checks of the queues of `interface`.
    pub(super) fn queues(&mut self, device: &Device, interface: &Interface) {
        let Some(first) = interface.queueing.first().cloned() else {
            self.meant_mtu(device, interface);
            return;
        };
        let port = Port::of(device, interface, self.options);
        let fits = self.port_type(device, interface, &port);
        self.cos_maps(device, interface, &port);
        self.limits(device, interface, &port);
        self.thresholds(device, interface, &port);
        self.meant_mtu(device, interface);
        if !fits {
            return;
        }
        self.idle(device, interface, &port);
        self.credit(device, interface, &port);
        self.scavenger(device, interface, &port, &first);
        self.share(device, interface, &port, &first);
        self.figures(device, interface, &port);
    }

    fn port_type(&mut self, device: &Device, interface: &Interface, port: &Port) -> bool {
        let said = &interface.queueing;
        let (t, weighted) = (port.port_type, port.port_type.weighted);
        let mut fits = true;
        let misfit = |this: &mut Self, place: &Place, message: String| {
            let remedy = format!(
                "write what {t} has, or name the real type: --port-type, or a line `! farpath port-type …` in the interface"
            );
            this.find(&QOS002, place, message, remedy).uncertain = doubts(device, interface);
        };
        if let Some(weights) = said.bandwidth.as_ref() {
            let n = weights.value.len();
            if n != usize::from(weighted) {
                fits = false;
                let why = format!(
                    "{n} weights on {}, and a {t} port has {weighted} weighted queues",
                    port.name
                );
                misfit(self, &weights.place, why);
            } else if port.known_by == KnownBy::Weights {
                let message = format!(
                    "{n} weights on {}: taken for a {t} port, the commonest at its speed with so many queues",
                    port.name
                );
                let remedy = "name the port type: --port-type, or a line `! farpath port-type …` in the interface".to_owned();
                self.find(&QOS002, &weights.place, message, remedy).severity = Severity::Info;
            }
        }
        if let Some(limits) = said
            .limits
            .as_ref()
            .filter(|l| l.value.len() != usize::from(weighted))
        {
            let why = format!(
                "{} queue limits on {}, and a {t} port has {weighted} weighted queues",
                limits.value.len(),
                port.name
            );
            misfit(self, &limits.place, why);
        }
        self.numbers(device, interface, port) && fits
    }

    /// Queues and thresholds named that the port has not; `false` if a queue is.
    fn numbers(&mut self, device: &Device, interface: &Interface, port: &Port) -> bool {
        let said = &interface.queueing;
        let (t, weighted) = (port.port_type, port.port_type.weighted);
        let mut fits = true;
        let misfit = |this: &mut Self, place: &Place, message: String| {
            let remedy = format!(
                "write what {t} has, or name the real type: --port-type, or a line `! farpath port-type …` in the interface"
            );
            this.find(&QOS002, place, message, remedy).uncertain = doubts(device, interface);
        };
        let cos = said
            .cos_maps
            .iter()
            .map(|m| (&m.place, m.value.queue, Some(m.value.threshold)));
        let dscp = said
            .dscp_maps
            .iter()
            .map(|m| (&m.place, m.value.queue, Some(m.value.threshold)));
        let tails = said.thresholds.iter().map(|m| (&m.place, m.value.0, None));
        let random = said.random_detect.iter().map(|r| match &r.value {
            RandomDetect::Use(q, _) | RandomDetect::Min(q, _) | RandomDetect::Max(q, _) => {
                (&r.place, *q, None)
            }
        });
        for (place, queue, threshold) in cos.chain(dscp).chain(tails).chain(random) {
            if queue > weighted {
                let strict = match port.port_type.strict_queue() == Some(queue) {
                    true => "; its strict queue is mapped with `priority-queue cos-map 1 …`",
                    false => "",
                };
                fits = false;
                misfit(
                    self,
                    place,
                    format!(
                        "queue {queue} on {}, and a {t} port has {weighted} weighted queues{strict}",
                        port.name
                    ),
                );
            } else if threshold.is_some_and(|th| th > t.thresholds) {
                let th = threshold.unwrap_or(0);
                misfit(
                    self,
                    place,
                    format!(
                        "threshold {th} on {}, and the queues of a {t} port have {}",
                        port.name, t.thresholds
                    ),
                );
            }
        }
        if let Some(strict) = said.strict_cos.as_ref().filter(|_| t.strict == 0) {
            misfit(
                self,
                &strict.place,
                format!(
                    "`priority-queue` on {}, and a {t} port has no strict queue",
                    port.name
                ),
            );
        }
        fits
    }

    fn cos_maps(&mut self, device: &Device, interface: &Interface, port: &Port) {
        let said = &interface.queueing;
        if said.cos_maps.is_empty() {
            return;
        }
        let mut missing = Vec::new();
        for cos in 0..8_u8 {
            let weighted = said
                .cos_maps
                .iter()
                .filter(|m| m.value.marks.contains(&cos))
                .map(|m| &m.place);
            let strict = said
                .strict_cos
                .iter()
                .filter(|s| s.value.contains(&cos))
                .map(|s| &s.place);
            let places: Vec<&Place> = weighted.chain(strict).collect();
            match places.as_slice() {
                [] => missing.push(cos),
                [_] => {}
                [first, .., last] => {
                    let message = format!(
                        "CoS {cos} is mapped {} times on {}; only one mapping holds",
                        places.len(),
                        port.name
                    );
                    let finding = self.find(
                        &QOS003,
                        last,
                        message,
                        format!("take CoS {cos} out of all but one of them"),
                    );
                    finding
                        .related
                        .push(((*first).clone(), "mapped here first".to_owned()));
                    finding.uncertain = doubts(device, interface);
                }
            }
        }
        if missing.is_empty() {
            return;
        }
        let queue = |cos: &u8| {
            let (queue, threshold) = port.port_type.default_cos(*cos);
            match port.port_type.strict_queue() == Some(queue) {
                true => format!("{cos} (the strict queue)"),
                false => format!("{cos} (queue {queue} threshold {threshold})"),
            }
        };
        let list: Vec<String> = missing.iter().map(queue).collect();
        let place = said.cos_maps[0].place.clone();
        let message = format!(
            "no statement of {} maps CoS {}; the card's default does, here taken as that of {}",
            port.name,
            list.join(", "),
            port.port_type
        );
        let finding = self.find(
            &QOS003,
            &place,
            message,
            "map every CoS, so that it does not depend on the card".to_owned(),
        );
        but(finding, Severity::Warning, doubts(device, interface));
    }

    fn limits(&mut self, device: &Device, interface: &Interface, port: &Port) {
        let said = &interface.queueing;
        let Some(place) = said
            .limits
            .as_ref()
            .map(|l| &l.place)
            .or(said.strict_limit.as_ref().map(|l| &l.place))
        else {
            return;
        };
        let stated: u32 = said.limits.as_ref().map_or(0, |l| l.value.iter().sum());
        let sum = match &said.limits {
            Some(_) => stated + said.strict_limit.as_ref().map_or(0, |s| s.value),
            None => port.limits_percent,
        };
        if sum > 100 {
            let message = format!(
                "the queues of {} have {sum} % of its transmit buffer between them",
                port.name
            );
            let remedy = "make `wrr-queue queue-limit` and `priority-queue queue-limit` add up to 100 or less".to_owned();
            self.find(&QOS021, place, message, remedy).uncertain = doubts(device, interface);
        }
    }

    fn thresholds(&mut self, device: &Device, interface: &Interface, port: &Port) {
        let said = &interface.queueing;
        let uncertain = doubts(device, interface);
        for tails in &said.thresholds {
            let list = &tails.value.1;
            if list.windows(2).any(|w| w[0] > w[1]) {
                let message = format!(
                    "the tail-drop thresholds of queue {} of {} do not rise: {list:?} %",
                    tails.value.0, port.name
                );
                let remedy =
                    "order them; frames to be kept longest go to the last threshold".to_owned();
                self.find(&QOS014, &tails.place, message, remedy).uncertain = uncertain.clone();
            }
        }
        for queue in port.weighted() {
            let of_queue = |r: &&super::super::Stated<RandomDetect>| match &r.value {
                RandomDetect::Min(q, _) | RandomDetect::Max(q, _) => *q == queue.number,
                RandomDetect::Use(..) => false,
            };
            let Some(place) = said
                .random_detect
                .iter()
                .find(of_queue)
                .map(|r| r.place.clone())
            else {
                continue;
            };
            for (k, (min, max)) in queue
                .thresholds
                .iter()
                .enumerate()
                .filter_map(|(k, t)| t.random.map(|r| (k + 1, r)))
            {
                if min >= max || min == 100 {
                    let message = format!(
                        "random early detection of queue {} threshold {k} of {} begins at {min} % and is certain at {max} %: it never acts",
                        queue.number, port.name
                    );
                    let remedy = "write a minimum below the maximum, such as 40 and 70".to_owned();
                    self.find(&QOS014, &place, message, remedy).uncertain = uncertain.clone();
                }
            }
        }
    }

    fn idle(&mut self, device: &Device, interface: &Interface, port: &Port) {
        let said = &interface.queueing;
        let (Some(place), false) = (said.first(), said.cos_maps.is_empty()) else {
            return;
        };
        if let Some(strict) = port.queues.iter().find(|q| {
            q.strict
                && q.thresholds
                    .iter()
                    .all(|t| t.cos.is_empty() && t.dscp.is_empty())
        }) {
            let message = format!(
                "the strict queue of {} has {} % of the buffer, and no CoS goes there",
                port.name, strict.limit_percent
            );
            let remedy =
                "map voice to it, `priority-queue cos-map 1 5`, or give its buffer to the others"
                    .to_owned();
            self.find(&QOS004, place, message, remedy).uncertain = doubts(device, interface);
        }
        let total: u32 = port.weighted().map(|q| q.weight).sum();
        for queue in port.weighted() {
            let empty = queue
                .thresholds
                .iter()
                .all(|t| t.cos.is_empty() && t.dscp.is_empty());
            let share = f64::from(queue.weight) / f64::from(total.max(1));
            if empty {
                let message = format!(
                    "queue {} of {} has weight {} and {} % of the buffer, and no CoS goes there",
                    queue.number, port.name, queue.weight, queue.limit_percent
                );
                let remedy = format!("map a CoS to it: `wrr-queue cos-map {} 1 …`", queue.number);
                self.find(&QOS004, place, message, remedy).uncertain = doubts(device, interface);
            } else if share < NOTHING {
                let message = format!(
                    "queue {} of {} has {:.2} % of the weight: its classes starve under load",
                    queue.number,
                    port.name,
                    100.0 * share
                );
                let remedy = "give it a larger weight, or the others smaller ones".to_owned();
                self.find(&QOS004, place, message, remedy).uncertain = doubts(device, interface);
            }
        }
    }

    fn credit(&mut self, device: &Device, interface: &Interface, port: &Port) {
        let said = &interface.queueing;
        let Some(weights) = &said.bandwidth else {
            return;
        };
        let stated = self.options.unit.or(said.unit.as_ref().map(|u| u.value));
        let unit = stated.unwrap_or(Size::from_bytes(256));
        let least = weights.value.iter().copied().min().unwrap_or(1);
        let bytes = u64::from(least) * unit.as_bytes();
        if bytes >= u64::from(port.mtu) {
            return;
        }
        let fit = u64::from(port.mtu).div_ceil(unit.as_bytes().max(1));
        let known = if stated.is_some() {
            ""
        } else {
            ", if the card counts the usual 256 B a unit of weight,"
        };
        let message = format!(
            "the smallest queue of {} has {bytes} B of credit{known} and its frames are up to {} B (MTU {}): the queue gets more than its share",
            port.name,
            u64::from(port.mtu) + FRAME,
            port.mtu
        );
        let remedy = match fit {
            0..=255 => format!(
                "give the smallest queue a weight of {fit} or more, and the others in proportion"
            ),
            _ => "no weight up to 255 is enough: lower the MTU".to_owned(),
        };
        let remedy = match stated {
            Some(_) => remedy,
            None => format!(
                "{remedy}\nor state what the card counts: --wrr-unit, or a line `! farpath wrr-unit 1536 B` in the interface"
            ),
        };
        let severity = if stated.is_some() {
            Severity::Error
        } else {
            Severity::Warning
        };
        but(
            self.find(&QOS005, &weights.place, message, remedy),
            severity,
            doubts(device, interface),
        );
    }

    fn scavenger(&mut self, device: &Device, interface: &Interface, port: &Port, first: &Place) {
        let said = &interface.queueing;
        let total: u32 = port.weighted().map(|q| q.weight).sum();
        let least = port.weighted().map(|q| q.weight).min().unwrap_or(0);
        let place = said.cos_maps.first().map_or(first, |m| &m.place);
        for cos in [5, 6, 7] {
            let (number, _) = port.queue_of_cos(cos);
            let Some(queue) = port.weighted().find(|q| q.number == number) else {
                continue;
            };
            let share = f64::from(queue.weight) / f64::from(total.max(1));
            if queue.weight == least && share <= LOW {
                let holder = said
                    .cos_maps
                    .iter()
                    .rev()
                    .find(|m| m.value.marks.contains(&cos));
                let what = if cos == 5 {
                    "voice"
                } else {
                    "routing and control"
                };
                let message = format!(
                    "CoS {cos} ({what}) shares queue {number} of {} with the scavenger class, at {:.1} % of the weight",
                    port.name,
                    100.0 * share
                );
                let remedy = format!(
                    "map it elsewhere: `wrr-queue cos-map 1 {} {cos}`, or the strict queue for voice",
                    port.port_type.thresholds
                );
                let place = holder.map_or(place, |m| &m.place);
                self.find(&QOS019, place, message, remedy).uncertain = doubts(device, interface);
            }
        }
        if said.cos_maps.is_empty() && said.dscp_maps.is_empty() && interface.intent.is_none() {
            return;
        }
        let dscp = interface
            .intent
            .as_ref()
            .map_or(SCAVENGER, |i| i.value.dscp);
        let ((queue, _), (effort, _)) = (port.queue_of_dscp(dscp), port.queue_of_cos(0));
        let weight = port
            .weighted()
            .find(|q| q.number == queue)
            .map(|q| q.weight);
        let cos = port.maps.dscp_cos[usize::from(dscp)];
        let why = match weight {
            _ if queue == effort => format!("shares queue {queue} with best effort"),
            None => "goes to the strict queue".to_owned(),
            Some(w) if w > least => {
                format!("goes to queue {queue} with weight {w}, while another has {least}")
            }
            Some(_) => return,
        };
        let message = format!(
            "the lower-effort class, DSCP {dscp} (CoS {cos}), {why} on {}",
            port.name
        );
        let low = port
            .weighted()
            .min_by_key(|q| q.weight)
            .map_or(1, |q| q.number);
        let remedy = format!(
            "give it the queue of least weight to itself: `wrr-queue cos-map {low} 1 {cos}`, and CoS 0 another"
        );
        self.find(&QOS006, place, message, remedy).uncertain = doubts(device, interface);
    }

    fn share(&mut self, device: &Device, interface: &Interface, port: &Port, first: &Place) {
        let intent = interface.intent.as_ref().map(|i| i.value);
        let Some(target) = self.options.share.or(intent.map(|i| i.share)) else {
            return;
        };
        let dscp = intent.map_or(SCAVENGER, |i| i.dscp);
        let (queue, _) = port.queue_of_dscp(dscp);
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
        let place = interface
            .queueing
            .bandwidth
            .as_ref()
            .map_or(first, |b| &b.place);
        let message = format!(
            "queue {queue} of {} gets {:.2} to {:.2} % when all are full, by packet sizes; {:.2} % is wanted",
            port.name,
            100.0 * low,
            100.0 * high,
            100.0 * target.get()
        );
        let remedy =
            "choose weights in that ratio: `farpath config lbe --share …` writes them".to_owned();
        let severity = if off > 0.05 {
            Severity::Warning
        } else {
            Severity::Info
        };
        but(
            self.find(&QOS007, place, message, remedy),
            severity,
            doubts(device, interface),
        );
    }

    fn figures(&mut self, device: &Device, interface: &Interface, port: &Port) {
        let Some(weights) = &interface.queueing.bandwidth else {
            return;
        };
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
        let finding = self.find(&QOS020, &weights.place, message, String::new());
        finding.uncertain = doubts(device, interface);
        let least = port.weighted().min_by_key(|q| q.weight);
        let (Some(rate), Some(low)) = (port.rate, least) else {
            return;
        };
        let wait = longest_wait(port, low.number, rate);
        let message = format!(
            "queue {} of {} waits up to {:.3} ms while the others send their credit",
            low.number,
            port.name,
            wait.as_secs_f64() * 1e3
        );
        let remedy = "smaller weights in the same ratio shorten it".to_owned();
        self.find(&QOS016, &weights.place, message, remedy)
            .uncertain = doubts(device, interface);
    }

    fn meant_mtu(&mut self, device: &Device, interface: &Interface) {
        let Some(intent) = &interface.intent else {
            return;
        };
        let mtu = interface.mtu.as_ref().map_or(1500, |m| m.value);
        let Some(meant) = intent.value.mtu.filter(|m| *m != mtu) else {
            return;
        };
        let place = interface.mtu.as_ref().map_or(&intent.place, |m| &m.place);
        let message = format!(
            "the MTU of {} is {mtu}, and {meant} is meant",
            interface.name
        );
        let severity = if meant > mtu {
            Severity::Warning
        } else {
            Severity::Info
        };
        let finding = self.find(&QOS022, place, message, format!("write `mtu {meant}`"));
        but(finding, severity, doubts(device, interface));
    }
}
