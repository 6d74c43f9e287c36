//! Counters of routers: frames that arrived damaged at a port, light that is too weak, packets that a policer dropped.

mod between;
mod by_name;
mod damage;
mod dim;
mod giants;
mod offered;
mod once;
mod policing;
pub(crate) mod queue;
mod served;
pub(crate) mod several;
mod still;

use std::collections::BTreeMap;

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::flows::flow::Flow;
use crate::hosts::machine::{DROPS_LEAST, alike};
use crate::hosts::router_full::by_full_router;
use crate::interfaces::half_port::{half_on_path, halves};
pub(crate) use crate::interfaces::port::{Kind, Port, PortReading};
use crate::items::{Item, step};
use crate::read::Facts;
pub(crate) use by_name::speed as speed_by_name;
use damage::{as_many, grown, of_damage};
pub(crate) use offered::line_offered;

/// What a router's counter says: by how much it grew where it was read more than once, else what it stood at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Counted {
    pub(crate) port: Port,
    pub(crate) count: Figure,
    /// Of so many packets.
    packets: Option<f64>,
    /// So many packets left by the port meanwhile, where it is what its queue dropped.
    sent: Option<f64>,
    /// What it stood at last.
    stood: f64,
    grew: bool,
}

/// What routers on the path count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ports {
    damaged: Option<Counted>,
    /// Damaged frames that are so small a share of all that every line has as many.
    noise: Option<Counted>,
    /// How long before its text was printed the counters of each port were set to 0, seconds.
    cleared: Vec<Counted>,
    /// The speed of the port that counts them, bit/s.
    damaging: Option<Figure>,
    seconds: Option<Counted>,
    dark: Option<Counted>,
    /// The port that receives hardly enough light for any optics.
    dim: Option<Counted>,
    /// How much light the port receives whose light is too weak, dBm.
    received: Option<f64>,
    policed: Option<Counted>,
    /// What part of the bits that come to that policer it drops now, 0 to 1.
    policing: Option<f64>,
    /// What the queue of a port dropped.
    pub(crate) dropped: Option<Counted>,
    /// What a port dropped as it arrived.
    refused: Option<Counted>,
    /// A port that counts frames as too large for it.
    giants: Option<giants::Giants>,
    /// A port at half duplex that may have carried the flow.
    half: Option<PortReading>,
    /// Speeds of ports, bit/s.
    speeds: Vec<f64>,
    /// The port with the least MTU, bytes.
    mtu: Option<Counted>,
    /// The speed of the port whose queue dropped, or what that queue is shaped to, bit/s.
    pub(crate) dropping: Option<f64>,
    /// What that port carries at most by its name, where no text says its speed, bit/s.
    pub(crate) dropping_named: Option<f64>,
    /// What leaves by that port, bit/s.
    dropping_leaves: Option<f64>,
    /// Packets that left by that port while its queue counted.
    dropping_sent: Option<f64>,
    /// How long before its text was printed that port's counters were set to 0, seconds.
    dropping_cleared_s: Option<f64>,
    /// What that queue sends, bit/s.
    serves: Option<f64>,
    /// What it drops now, while packets wait in it, bit/s.
    drops: Option<f64>,
    /// What it is shaped to, bit/s.
    shaped: Option<Figure>,
    /// What part of it was full, 0 to 1.
    filled: Option<f64>,
    /// A mark that its class takes and that a rule of a host sets, for people.
    marked: Option<String>,
    /// That counters stood still from one reading to the next, for people.
    still: Option<String>,
}

/// What does not count up: of two readings the larger counts.
const RATES: [Kind; 6] = [
    Kind::Serves,
    Kind::Dropping,
    Kind::Leaves,
    Kind::Arrives,
    Kind::Filled,
    Kind::Policing,
];

/// What stands as it is: nothing of it counts up.
const STATES: [Kind; 6] = [
    Kind::Dark,
    Kind::Cleared,
    Kind::Speed,
    Kind::Shaped,
    Kind::Mtu,
    Kind::Received,
];

/// What is counted of packets that arrive, as their own count is.
const ARRIVING: [Kind; 4] = [Kind::Damaged, Kind::Framing, Kind::Errors, Kind::Refused];

/// The largest count of a kind. Where far fewer packets arrived between two readings than the flow has, it is not of the flow.
fn largest((facts, flow): (&Facts, &Flow), kind: Kind) -> Option<Counted> {
    let some = counts(facts, kind)
        .into_iter()
        .filter(|c| c.count.value > 0.0 && !c.is_of_other(flow, kind));
    some.max_by(Counted::order)
}

/// That what some ports counted, or their duplex, is of something else than a flow.
pub(crate) fn left_out(facts: &Facts, flow: &Flow) -> Vec<String> {
    let of = |kind: Kind| {
        let others = counts(facts, kind).into_iter();
        others.filter(move |c| c.count.value > 0.0 && c.is_of_other(flow, kind))
    };
    let named = |c: Counted| {
        format!(
            "at {} {:.0} packets arrived between its readings, far fewer than the flow has: its {:.0} errors or drops in that time are of something else, and are not weighed",
            c.port.named("a router's port"),
            c.packets.unwrap_or(0.0),
            c.count.value
        )
    };
    let counted = ARRIVING.into_iter().flat_map(of).map(named);
    counted
        .chain(crate::interfaces::half_port::left_out(facts, flow))
        .collect()
}

/// Every port's count of a kind; of one that was read more than once its growth, where time passed between the readings. A speed and a
/// rate do not grow.
pub(crate) fn counts(facts: &Facts, kind: Kind) -> Vec<Counted> {
    let mut all: BTreeMap<&Port, Vec<&PortReading>> = BTreeMap::new();
    for reading in facts.ports.iter().filter(|r| r.kind == kind) {
        all.entry(&reading.port).or_default().push(reading);
    }
    let ends = all.into_values();
    let ends = ends.filter_map(|each| between::ends(facts, kind, &each));
    let counted = ends.map(|[first, last]| {
        // The same figures may stand in a text twice: where no packet came or left between them, neither did time pass, unless something
        // else was done meanwhile.
        let moved = |(before, after): (Option<f64>, Option<f64>)| {
            let both = before.zip(after);
            both.map(|(before, after)| before != after)
        };
        let came = moved((first.packets, last.packets));
        let came = came.unwrap_or(first.value != last.value);
        let left = moved((first.sent, last.sent)) == Some(true);
        let passed = came || left || facts.are_two_times(first, last);
        let state = STATES.contains(&kind) || RATES.contains(&kind);
        let grew = !state && passed && last.value >= first.value;
        let of = |r: &PortReading| (r.value, r.packets);
        let (before, came) = if grew { of(first) } else { (0.0, Some(0.0)) };
        let mut count = Figure::exact(last.value - before, last.at);
        count.from.extend(Some(first.at).filter(|_| grew));
        let left = if grew { first.sent } else { Some(0.0) };
        Counted {
            port: last.port.clone(),
            count,
            packets: last.packets.zip(came).map(|(all, came)| all - came),
            sent: last.sent.zip(left).map(|(all, left)| all - left),
            stood: last.value,
            grew,
        }
    });
    counted.collect()
}

/// The largest count of collisions, of all or of the late ones, at a port that is not too slow to have carried a flow. Nothing collides at a
/// port that runs at full duplex: what was read there once is of another time.
pub(crate) fn collided((facts, flow): (&Facts, &Flow), kind: Kind) -> Option<Counted> {
    let slow = |c: &Counted| flow.bypassed.is_too_slow(c.count.value);
    let slow: Vec<Port> = speeds(facts)
        .into_iter()
        .filter(slow)
        .map(|c| c.port)
        .collect();
    let all = counts(facts, kind).into_iter();
    let full = |c: &Counted| !c.grew && facts.full_ports.iter().any(|p| p.port == c.port);
    let left = |c: &Counted| slow.contains(&c.port) || full(c);
    let some = all.filter(|c| c.count.value > 0.0 && !left(c));
    some.max_by(Counted::order)
}

/// A port that carries so many times the rate it is said to have has another: the `bandwidth` of IOS and NX-OS is a statement, and sets none.
pub(crate) const STATED: f64 = 1.03;

/// The speeds of ports, bit/s, as far as no rate of the port is above it.
pub(crate) fn speeds(facts: &Facts) -> Vec<Counted> {
    let carried = [Kind::Leaves, Kind::Arrives].map(|way| counts(facts, way));
    let above = |speed: &Counted| {
        let mut own = carried.iter().flatten().filter(|c| c.port == speed.port);
        own.any(|c| c.count.value > STATED * speed.count.value)
    };
    let mut all = counts(facts, Kind::Speed);
    all.retain(|speed| !above(speed));
    all
}

impl Counted {
    /// Whether it grew while far fewer packets arrived than a flow has.
    fn is_of_other(&self, flow: &Flow, kind: Kind) -> bool {
        let packets = self
            .packets
            .filter(|_| self.grew && ARRIVING.contains(&kind));
        packets.is_some_and(|packets| flow.bypassed.is_too_few(packets))
    }

    /// What else was counted at the same port, which the text names.
    fn same_port(&self, all: &[Counted]) -> Option<Figure> {
        let named = |c: &&Counted| c.port == self.port && !c.port.name.is_empty();
        all.iter().find(named).map(|c| c.count.clone())
    }

    /// The larger count last: what grew after what only stands there, and nothing before both.
    fn order(&self, other: &Counted) -> core::cmp::Ordering {
        let rank = |c: &Counted| (c.count.value > 0.0, c.grew);
        let by_rank = rank(self).cmp(&rank(other));
        by_rank.then(self.count.value.total_cmp(&other.count.value))
    }

    /// What it counts of all packets.
    fn share(&self) -> Option<f64> {
        let packets = self.packets.filter(|p| *p > 0.0)?;
        Some(self.count.value / packets)
    }

    /// How well it accounts for what a flow lost, 0 to 1: by its share of all packets, else as a count whose time nobody knows.
    fn accounts(&self, e: &Evidence) -> f64 {
        let lost = e.again.as_ref().filter(|_| !e.udp).or(e.idle_loss.as_ref());
        match (self.share(), lost) {
            (Some(_), Some(lost)) if lost.value <= 0.0 => 0.0,
            (Some(share), Some(lost)) => {
                let alone = self.alone(e) * alike(e, &self.count);
                damage::says(share / lost.value).max(alone)
            }
            _ => {
                // However long it was counted, it is no more than that of what was sent again.
                let again = e.retransmits.as_ref().filter(|r| !e.udp && r.value > 0.0);
                let part = again.map_or(1.0, |r| step(self.count.value / r.value, 0.1, 0.4));
                step(self.count.value, 1.0, 50.0) * part * if self.grew { 1.0 } else { 0.5 }
            }
        }
    }

    /// Whether it may be a part of what was sent again that is worth saying.
    fn may_be_lost(&self, e: &Evidence) -> bool {
        let again = e.retransmits.as_ref().filter(|r| !e.udp && r.value > 0.0);
        again.is_none_or(|r| self.count.value > PART * r.value)
    }

    fn since(&self) -> &'static str {
        match self.grew {
            true => " from one reading to the next",
            false => "",
        }
    }
}

impl Ports {
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Ports {
        let largest = |kind| largest((facts, flow), kind);
        let damaged = [Kind::Damaged, Kind::Framing].map(largest);
        let damaged = damaged.into_iter().flatten().max_by(Counted::order);
        let damaged = damaged.or_else(|| largest(Kind::Errors));
        let (noise, damaged) = once::apart(damaged);
        let cleared = counts(facts, Kind::Cleared);
        let dark = largest(Kind::Dark);
        let all = counts(facts, Kind::Received);
        let mut received = all
            .iter()
            .filter(|c| dark.as_ref().is_some_and(|d| d.port == c.port));
        let (dropped, speeds) = (largest(Kind::Dropped), speeds(facts));
        let of_dropping = |all: &[Counted]| {
            let port = dropped.as_ref().map(|d| d.port.without_cause());
            let port = port.filter(|p| !p.name.is_empty())?;
            let own = all.iter().find(|c| port.is_queue_of(&c.port));
            own.map(|c| c.count.clone())
        };
        let value = |figure: Figure| figure.value;
        let policed = largest(Kind::Policed);
        let shaped = of_dropping(&counts(facts, Kind::Shaped));
        let speed = shaped.clone().or_else(|| of_dropping(&speeds));
        Ports {
            dropping: speed.map(value),
            dropping_named: dropped.as_ref().and_then(|d| by_name::speed(facts, d)),
            dropping_leaves: of_dropping(&counts(facts, Kind::Leaves)).map(value),
            dropping_sent: dropped.as_ref().and_then(|d| d.sent_by_port(facts)),
            dropping_cleared_s: of_dropping(&cleared).map(value),
            cleared,
            serves: of_dropping(&counts(facts, Kind::Serves)).map(value),
            drops: of_dropping(&counts(facts, Kind::Dropping)).map(value),
            filled: of_dropping(&counts(facts, Kind::Filled)).map(value),
            marked: shaped.as_ref().and_then(|held| queue::marked(facts, held)),
            shaped,
            damaging: damaged.as_ref().and_then(|d| d.same_port(&speeds)),
            damaged,
            noise,
            seconds: largest(Kind::Seconds),
            received: received.next().map(|c| c.count.value),
            dark,
            dim: dim::dimmest(facts),
            policing: policed.as_ref().and_then(|p| p.drops_now(facts)),
            policed,
            dropped,
            refused: largest(Kind::Refused),
            giants: giants::of(facts, flow),
            half: half_on_path(facts, flow)
                .and_then(|at| halves(facts).find(|r| r.at == at).cloned()),
            mtu: counts(facts, Kind::Mtu).into_iter().min_by(Counted::order),
            speeds: speeds.iter().map(|c| c.count.value).collect(),
            still: still::said(facts),
        }
    }

    /// Whether speeds of ports are known, and none of them is this one, bit/s.
    pub(crate) fn run_at_others(&self, speed: f64) -> bool {
        !self.speeds.is_empty() && !self.speeds.contains(&speed)
    }

    /// The named port at half duplex that was read at this place, and of which system it is.
    pub(crate) fn half_duplex(&self, at: Place) -> Option<(&Port, Kind)> {
        let half = self.half.as_ref();
        let half = half.filter(|r| r.at == at && !r.port.name.is_empty())?;
        Some((&half.port, half.kind))
    }

    /// That a port has an MTU below so many bytes, for people.
    pub(crate) fn smaller_mtu(&self, bytes: f64) -> Option<String> {
        let mtu = self.mtu.as_ref().filter(|m| m.count.value < bytes)?;
        let port = mtu.port.named("a port of a router or switch");
        Some(format!("{port} has an MTU of {:.0} bytes", mtu.count.value))
    }

    /// The speed of the slowest port, bit/s.
    pub(crate) fn slowest(&self) -> Option<f64> {
        self.speeds.iter().copied().reduce(f64::min)
    }

    /// The speed of the fastest port, bit/s.
    pub(crate) fn fastest(&self) -> Option<f64> {
        self.speeds.iter().copied().reduce(f64::max)
    }

    /// Whether it is known that a policer dropped what was sent again: its count grew by as many.
    pub(crate) fn surely_police(&self, e: &Evidence) -> bool {
        let policed = self.policed.as_ref().filter(|p| p.grew);
        policed.is_some_and(|p| e.sent_again().is_some() && policed_holds(e, p) >= 1.0)
    }

    /// A port whose light is too weak.
    fn of_light(&self, dark: &Counted) -> String {
        format!(
            "the transceiver of {} {} that its light is too weak{}",
            dark.port.named("a router's port"),
            match dark.count.value {
                v if v < 1.0 => "warns",
                _ => "raises the alarm",
            },
            self.received
                .map_or(String::new(), |dbm| format!(": {dbm:.1} dBm"))
        )
    }

    /// What the ports of routers counted, which nobody is to miss.
    pub(crate) fn standing(&self, e: &Evidence) -> [Option<String>; 6] {
        // Of counters that share the loss the evidence has it.
        let own = !e.shares_loss();
        let policed = self.policed.as_ref().filter(|p| own && p.may_be_lost(e));
        let damaged = self.damaged.as_ref().filter(|_| own);
        let damaged = damaged.map(|d| of_damage(e, d));
        [
            policed.map(|p| of_policer(e, p)),
            damaged.or_else(|| self.noise.as_ref().map(once::of_noise)),
            self.dark.as_ref().map(|d| self.of_light(d)),
            self.dropped
                .as_ref()
                .filter(|_| own && e.queue_lost_datagrams().is_none())
                .map(|d| queue::of_queue(e, d)),
            self.refused.as_ref().map(|d| {
                format!(
                    "{} dropped {:.0} packets as they arrived{}",
                    d.port.named("a router's port"),
                    d.count.value,
                    d.since()
                )
            }),
            self.still.clone(),
        ]
    }

    /// Whether a policer of a router counts what it dropped.
    pub(crate) fn police(&self) -> bool {
        self.policed.is_some()
    }

    /// Whether a port counted as many damaged frames from one reading to the next as segments were sent again.
    pub(crate) fn settle_damage(&self, e: &Evidence) -> bool {
        let damaged = self.damaged.as_ref().filter(|_| !e.udp);
        damaged.is_some_and(|d| grown(e, d) >= 1.0)
    }

    /// Whether what arrived damaged at a port accounts for all that a flow lost.
    pub(crate) fn account_for_damage(&self, e: &Evidence) -> bool {
        self.damaged.as_ref().is_some_and(|d| d.accounts(e) >= 1.0)
    }

    /// The share of the frames at a port that arrived damaged, 0 to 1; none where nothing says of how many.
    pub(crate) fn damaged_share(&self) -> Option<f64> {
        self.damaged.as_ref()?.share()
    }

    /// The port whose plugs and cable are to be cleaned or changed, and where that was read.
    pub(crate) fn to_clean(&self, e: &Evidence) -> Option<&Counted> {
        let enough = |c: &&Counted| c.accounts(e) > 0.0;
        let damaged = self.damaged.as_ref().filter(enough);
        // Where frames are counted, and are few, so are the seconds with errors.
        let seconds = self.seconds.as_ref().filter(|_| self.damaged.is_none());
        damaged.or(self.dark.as_ref()).or(seconds)
    }
}

impl Evidence {
    /// A port that counts as many damaged frames as this flow sent segments again carries it: where no line is known, its speed is one.
    pub(crate) fn of_damaging_port(&mut self) {
        let ports = &self.around.ports;
        let Some((damaged, speed)) = ports.damaged.as_ref().zip(ports.damaging.as_ref()) else {
            return;
        };
        let slower = self.rate.as_ref().is_some_and(|r| r.low < speed.value);
        if self.line.is_none() && slower && as_many(self, damaged) > 0.5 {
            self.line = Some((speed.clone(), "the port that counts damaged frames"));
        }
    }
}

/// What routers count speaks of a line that damages frames, of a policer, and of a queue that overflows.
pub(crate) fn by_ports(e: &Evidence, items: &mut Vec<Item>) {
    let ports = &e.around.ports;
    by_full_router(e, items);
    if several::by_parts(e, items) {
        return;
    }
    if let Some(dropped) = &ports.dropped {
        queue::by_queue(e, dropped, items);
    }
    if let Some(damaged) = &ports.damaged {
        let mut weights = vec![(Cause::RandomLoss, 16.0), (Cause::Policer, -6.0)];
        if ports.settle_damage(e) {
            weights.extend([(Cause::CongestionLoss, -8.0), (Cause::ShallowBuffer, -8.0)]);
        }
        items.push(Item {
            holds: damaged.accounts(e).max(as_many(e, damaged)),
            weights,
            sentence: of_damage(e, damaged),
        });
    } else if let Some(seconds) = &ports.seconds {
        items.push(Item {
            holds: seconds.accounts(e),
            weights: vec![(Cause::RandomLoss, 12.0)],
            sentence: format!(
                "the line of {} had bit errors in {:.0} seconds",
                seconds.port.named("a router's port"),
                seconds.count.value
            ),
        });
    }
    if let Some(dark) = &ports.dark {
        items.push(Item {
            holds: dark.count.value,
            weights: vec![(Cause::RandomLoss, 12.0)],
            sentence: ports.of_light(dark),
        });
    }
    dim::by_light(ports, items);
    if let Some(policed) = &ports.policed {
        items.push(Item {
            holds: policed_holds(e, policed),
            weights: vec![(Cause::Policer, 18.0), (Cause::RandomLoss, -6.0)],
            sentence: of_policer(e, policed),
        });
    }
}

/// How surely what a policer dropped is what this flow sent again, 0 to 1. A count that was read once, and is far more, is of other times.
fn policed_holds(e: &Evidence, policed: &Counted) -> f64 {
    let again = e.retransmits.as_ref().filter(|r| !e.udp && r.value > 0.0);
    let Some(again) = again else {
        return policed.accounts(e);
    };
    let part = step(policed.count.value / again.value, PART, 0.7);
    match policed.grew || again.value < DROPS_LEAST {
        true => part,
        false => {
            let now = part * e.around.ports.drops_as_large(e);
            alike(e, &policed.count).max(OF_OTHER_TIMES * part).max(now)
        }
    }
}

/// Less than this part of what was sent again says nothing.
const PART: f64 = 0.2;

/// How much a count says that was read once and is not as many as were sent again.
const OF_OTHER_TIMES: f64 = 0.5;

/// What a policer dropped, beside what the flow sent again.
fn of_policer(e: &Evidence, policed: &Counted) -> String {
    let again = e.retransmits.as_ref().filter(|r| !e.udp && r.value > 0.0);
    let beside = match (again, policed.grew) {
        (None, _) => String::new(),
        (Some(r), true) => format!("; this flow sent {:.0} segments again", r.value),
        (Some(r), false) if alike(e, &policed.count) > 0.5 => {
            format!(
                ", about as many as this flow sent segments again, {:.0}",
                r.value
            )
        }
        (Some(_), false) if e.around.ports.drops_as_large(e) > 0.5 => {
            e.around.ports.drops_beside(e)
        }
        (Some(r), false) => format!(
            "; this flow sent {:.0} segments again, and one reading does not say how many of them are among these",
            r.value
        ),
    };
    format!(
        "{} dropped {:.0} packets{}{beside}",
        policed.port.named("a router's policer"),
        policed.count.value,
        policed.since()
    )
}
