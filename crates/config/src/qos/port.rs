//! What a port does, from what its configuration says: everything a simulated port needs.

mod round_robin;

use farpath_units::{Rate, Size};

use super::{
    Action, Device, Direction, Interface, Maps, Match, Options, Police, PortType, QueueMap,
    Queueing, RandomDetect, Service, Speed, Srr, Stated, Trust, srr,
};
use crate::dialect::Dialect;
use crate::platform::Platform;

/// A switch port with its queues, marks and policies, defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// The interface's name.
    pub name: String,
    /// Rate of the line, where it can be known from the name, `speed` or a note.
    pub rate: Option<Rate>,
    /// Largest IP packet in bytes; 1500 unless stated.
    pub mtu: u32,
    /// Whether queues and marks act at all; if not, the port is one FIFO and changes no mark.
    pub enabled: bool,
    /// What marks of arriving frames are believed.
    pub trust: Trust,
    /// CoS of what arrives untrusted or untagged.
    pub default_cos: u8,
    /// The hardware.
    pub port_type: PortType,
    /// How that is known.
    pub known_by: KnownBy,
    /// Bytes of credit per unit of weight.
    pub unit: Size,
    /// The weighted queues in order, then the strict one if there is one.
    pub queues: Vec<Queue>,
    /// Percent of the transmit buffer for all queues together.
    pub limits_percent: u32,
    /// Policies on arriving and departing frames.
    pub policies: Vec<PortPolicy>,
    /// The switch's maps.
    pub maps: Maps,
}

/// How a port's type is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBy {
    /// The user or a note states it.
    Statement,
    /// It is the commonest at the port's speed.
    Speed,
    /// It is the commonest at the port's speed with as many queues as weights are stated.
    Weights,
}

/// A transmit queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// From 1; the strict queue comes last.
    pub number: u8,
    /// Served before all others.
    pub strict: bool,
    /// Weight; 0 for the strict queue.
    pub weight: u32,
    /// Bytes it may send in a visit: weight times unit. 0 for the strict queue.
    pub credit: Size,
    /// Its part of the transmit buffer.
    pub limit_percent: u32,
    /// What may enter at which occupancy, first threshold first.
    pub thresholds: Vec<Threshold>,
}

/// A threshold of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// CoS values that have it.
    pub cos: Vec<u8>,
    /// DSCP values that have it whatever their CoS.
    pub dscp: Vec<u8>,
    /// Percent of the queue above which its frames are dropped.
    pub tail_percent: u32,
    /// With random early detection: percent at which dropping begins, and at which it is certain.
    pub random: Option<(u32, u32)>,
}

/// A policy map on a port.
#[derive(Clone, Debug, PartialEq)]
pub struct PortPolicy {
    /// On arriving or departing frames.
    pub direction: Direction,
    /// Its name.
    pub name: String,
    /// Its classes; a frame belongs to the first that matches.
    pub classes: Vec<PolicyClass>,
}

/// A class of a policy on a port, its conditions resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyClass {
    /// Its name.
    pub name: String,
    /// Whether one condition suffices.
    pub any: bool,
    /// Conditions; none matches everything (`class-default`).
    pub matches: Vec<Match>,
    /// The DSCP it gives.
    pub set_dscp: Option<u8>,
    /// The CoS it gives.
    pub set_cos: Option<u8>,
    /// What it believes, instead of the port's trust.
    pub trust: Option<Trust>,
    /// Its policer.
    pub police: Option<Police>,
    /// Its shaper: rate, and burst where that is stated.
    pub shape: Option<(Rate, Option<Size>)>,
}

/// Credit per unit of weight, unless it must be more for every queue to send a frame.
const UNIT: u64 = 256;

impl Queue {
    /// Whether nothing goes there.
    pub(crate) fn is_idle(&self) -> bool {
        let idle = |t: &Threshold| t.cos.is_empty() && t.dscp.is_empty();
        self.thresholds.iter().all(idle)
    }

    /// Bytes it may hold when the port has `memory` of transmit buffer, rounded down.
    pub fn limit(&self, memory: Size) -> Size {
        Size::from_bytes(
            (u128::from(memory.as_bytes()) * u128::from(self.limit_percent) / 100) as u64,
        )
    }
}

impl Device {
    /// The interface of this name, with its queues. CatOS sets queues for all ports of a type and says of
    /// no port which it is: of the types that are set, it is the commonest at the port's speed, or else
    /// the only one. A subinterface has what it does not state itself from the interface it is a part of.
    pub fn interface(&self, name: &str) -> Option<Interface> {
        let named = self.interfaces.iter().find(|i| i.name == name)?;
        let mut interface = named.clone();
        let whole = name.split_once('.').map(|(whole, _)| whole);
        if let Some(whole) = whole.and_then(|w| self.interfaces.iter().find(|i| i.name == w)) {
            interface.inherit(whole);
        }
        if self.dialect == Dialect::CatOs && !named.is_type() {
            let types: Vec<&Interface> = self.interfaces.iter().filter(|i| i.is_type()).collect();
            let common = PortType::at_speed(speed_mbps(named).unwrap_or(1_000));
            let is = |i: &Interface, t: &PortType| {
                i.queueing.port_type.as_ref().is_some_and(|s| s.value == *t)
            };
            let of = common.iter().find_map(|t| types.iter().find(|i| is(i, t)));
            if let Some(of) = of.or(types.first().filter(|_| types.len() == 1)) {
                interface.queueing = of.queueing.clone();
            }
        }
        Some(interface)
    }
}

impl Interface {
    /// Takes from the interface it is a part of what it does not state itself: size and speed of what leaves, trust,
    /// queues, and policies of a direction for which it has none.
    fn inherit(&mut self, whole: &Interface) {
        self.mtu = self.mtu.take().or_else(|| whole.mtu.clone());
        self.speed = self.speed.take().or_else(|| whole.speed.clone());
        self.line = self.line.take().or_else(|| whole.line.clone());
        self.trust = self.trust.take().or_else(|| whole.trust.clone());
        let cos = self.default_cos.take();
        self.default_cos = cos.or_else(|| whole.default_cos.clone());
        self.shutdown |= whole.shutdown;
        if self.queueing == Queueing::default() {
            self.queueing = whole.queueing.clone();
        }
        if self.srr == Srr::default() {
            self.srr = whole.srr.clone();
        }
        let own = self.services.clone();
        let new = |s: &&Stated<Service>| own.iter().all(|o| o.value.direction != s.value.direction);
        self.services
            .extend(whole.services.iter().filter(new).cloned());
    }

    /// Whether it stands for all ports of a type, as those of CatOS do.
    pub fn is_type(&self) -> bool {
        self.name.starts_with(OF_TYPE)
    }
}

/// What the ports of a type are called together, as an interface of CatOS.
pub(crate) const OF_TYPE: &str = "ports of type ";

impl Port {
    /// The port `interface` of `device` is.
    pub fn of(device: &Device, interface: &Interface, options: &Options) -> Port {
        let router = !device.platform.is_catalyst();
        let mbps = speed_mbps(interface);
        let mtu = interface.mtu.as_ref().map_or(1500, |m| m.value);
        let shaped = device.platform == Platform::Catalyst && interface.srr.first().is_some();
        let ((port_type, known_by), (queues, unit)) = match shaped {
            true => (
                (srr::PORT, KnownBy::Statement),
                round_robin::queues(device, interface, mtu),
            ),
            false => {
                let known = port_type(interface, mbps, options);
                let weights = weights(interface, known.0);
                let unit = unit(interface, options, &weights, mtu);
                (known, (queues(interface, known.0, &weights, unit), unit))
            }
        };
        let stated = interface.line.as_ref().map(|l| l.value);
        Port {
            name: interface.name.clone(),
            rate: stated.or_else(|| Rate::from_bps(u64::from(mbps?) * 1_000_000)),
            mtu,
            // A router has no switch for it, and believes what arrives.
            enabled: router || device.qos.as_ref().is_some_and(|q| q.value),
            trust: if router {
                Trust::Dscp
            } else {
                interface.trusts()
            },
            default_cos: interface.default_cos.as_ref().map_or(0, |c| c.value),
            port_type,
            known_by,
            unit,
            limits_percent: queues.iter().map(|q| q.limit_percent).sum(),
            queues,
            policies: interface
                .services
                .iter()
                .filter_map(|s| policy(device, s.value.direction, &s.value.policy))
                .collect(),
            maps: device.maps.clone(),
        }
    }

    /// Number of the queue and of the threshold, both from 1, of a frame that leaves with this DSCP.
    pub fn queue_of_dscp(&self, dscp: u8) -> (u8, u8) {
        let of_dscp = |t: &Threshold| t.dscp.contains(&dscp);
        self.find(of_dscp)
            .unwrap_or_else(|| self.queue_of_cos(self.maps.dscp_cos[usize::from(dscp & 63)]))
    }

    /// Number of the queue and of the threshold, both from 1, of a frame that leaves with this CoS.
    pub fn queue_of_cos(&self, cos: u8) -> (u8, u8) {
        self.find(|t| t.cos.contains(&cos))
            .unwrap_or_else(|| self.port_type.default_cos(cos & 7))
    }

    fn find(&self, has: impl Fn(&Threshold) -> bool) -> Option<(u8, u8)> {
        self.queues.iter().find_map(|q| {
            let threshold = q.thresholds.iter().position(&has)?;
            Some((q.number, threshold as u8 + 1))
        })
    }

    /// The weighted queues.
    pub fn weighted(&self) -> impl Iterator<Item = &Queue> {
        self.queues.iter().filter(|q| !q.strict)
    }

    /// The first weighted queue of the least weight.
    pub(crate) fn lightest(&self) -> Option<&Queue> {
        self.weighted().min_by_key(|q| q.weight)
    }

    /// A weighted queue's part of all weights, 0 to 1.
    pub(crate) fn share(&self, queue: &Queue) -> f64 {
        let total: u32 = self.weighted().map(|q| q.weight).sum();
        f64::from(queue.weight) / f64::from(total.max(1))
    }

    /// The DSCP an arriving frame has inside the switch: from its own mark if that is trusted, or
    /// from the port's default CoS. `cos` is `None` on a frame without tag.
    pub fn internal_dscp(&self, dscp: u8, cos: Option<u8>) -> u8 {
        if !self.enabled {
            return dscp;
        }
        match self.trust {
            Trust::Dscp => dscp,
            Trust::Precedence => self.maps.precedence_dscp[usize::from(dscp >> 3 & 7)],
            Trust::Cos => self.maps.cos_dscp[usize::from(cos.unwrap_or(self.default_cos) & 7)],
            Trust::Nothing => self.maps.cos_dscp[usize::from(self.default_cos & 7)],
        }
    }
}

/// The number of a channel by its interface's name: `Port-channel1`, `Bundle-Ether1`, or a subinterface of theirs.
pub fn channel_number(name: &str) -> Option<u32> {
    let number = name.strip_prefix("Port-channel");
    let number = number.or_else(|| name.strip_prefix("Bundle-Ether"))?;
    number.split('.').next()?.parse().ok()
}

/// The speed of an interface in Mbit/s, from `speed` or its name.
pub(crate) fn speed_mbps(interface: &Interface) -> Option<u32> {
    if let Some(Speed::Fixed(mbps)) = interface.speed.as_ref().map(|s| s.value) {
        return Some(mbps);
    }
    let kind = interface
        .name
        .trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    Some(match kind {
        "Ethernet" if interface.any_speed => return None,
        "Ethernet" => 10,
        "FastEthernet" => 100,
        "GigabitEthernet" => 1_000,
        "TwoGigabitEthernet" => 2_500,
        "FiveGigabitEthernet" => 5_000,
        "TenGigabitEthernet" | "TenGigE" => 10_000,
        "TwentyFiveGigE" | "TwentyFiveGigabitEthernet" => 25_000,
        "FortyGigabitEthernet" | "FortyGigE" => 40_000,
        "FiftyGigE" => 50_000,
        "HundredGigE" | "HundredGigabitEthernet" => 100_000,
        "TwoHundredGigE" => 200_000,
        "FourHundredGigE" => 400_000,
        _ => return None,
    })
}

fn port_type(interface: &Interface, mbps: Option<u32>, options: &Options) -> (PortType, KnownBy) {
    let noted = interface.queueing.port_type.as_ref().map(|t| t.value);
    if let Some(stated) = options.port_type.or(noted) {
        return (stated, KnownBy::Statement);
    }
    let known = PortType::at_speed(mbps.unwrap_or(1_000));
    let count = interface.queueing.bandwidth.as_ref().map(|b| b.value.len());
    let fits = |t: &&PortType| count == Some(usize::from(t.weighted));
    match known.iter().find(fits) {
        Some(first) if *first == known[0] => (known[0], KnownBy::Speed),
        Some(other) => (*other, KnownBy::Weights),
        None => (known[0], KnownBy::Speed),
    }
}

fn weights(interface: &Interface, port_type: PortType) -> Vec<u32> {
    let stated = interface.queueing.bandwidth.as_ref().map(|b| &b.value);
    match stated {
        Some(weights) if weights.len() == usize::from(port_type.weighted) => weights.clone(),
        _ => port_type.default_weights(),
    }
}

/// The unit stated, or 256 bytes, or as many times that as the smallest queue needs for a frame.
fn unit(interface: &Interface, options: &Options, weights: &[u32], mtu: u32) -> Size {
    let noted = interface.queueing.unit.as_ref().map(|u| u.value);
    options
        .unit
        .or(noted)
        .unwrap_or_else(|| fitting_unit(weights, mtu))
}

/// The least multiple of 256 bytes with which the smallest weight is credit for a whole frame.
pub(crate) fn fitting_unit(weights: &[u32], mtu: u32) -> Size {
    let least = u64::from(weights.iter().copied().min().unwrap_or(1).max(1));
    Size::from_bytes((u64::from(mtu) + FRAME).div_ceil(least).div_ceil(UNIT) * UNIT)
}

/// Header and check sequence of an Ethernet frame.
pub(crate) const FRAME: u64 = 18;

fn queues(interface: &Interface, port_type: PortType, weights: &[u32], unit: Size) -> Vec<Queue> {
    let said = &interface.queueing;
    let limits = limits(interface, port_type);
    let total = port_type.weighted + port_type.strict;
    let mut queues: Vec<Queue> = (1..=total)
        .map(|number| {
            let strict = Some(number) == port_type.strict_queue();
            let weight = if strict {
                0
            } else {
                weights[usize::from(number) - 1]
            };
            Queue {
                number,
                strict,
                weight,
                credit: Size::from_bytes(u64::from(weight) * unit.as_bytes()),
                limit_percent: limits[usize::from(number) - 1],
                thresholds: thresholds(interface, port_type, number, strict),
            }
        })
        .collect();
    for cos in 0..8_u8 {
        let stated = last_map(&said.cos_maps, cos);
        let strict = said
            .strict_cos
            .as_ref()
            .is_some_and(|s| s.value.contains(&cos));
        let (queue, threshold) = match (stated, port_type.strict_queue()) {
            (_, Some(number)) if strict => (number, 1),
            (Some(map), _) => (map.queue, map.threshold),
            (None, _) => port_type.default_cos(cos),
        };
        put(&mut queues, queue, threshold, |t| t.cos.push(cos));
    }
    for dscp in 0..64_u8 {
        if let Some(map) = last_map(&said.dscp_maps, dscp) {
            put(&mut queues, map.queue, map.threshold, |t| t.dscp.push(dscp));
        }
    }
    queues
}

/// Of the maps that name a mark, the last.
fn last_map(maps: &[Stated<QueueMap>], mark: u8) -> Option<&QueueMap> {
    let mut maps = maps.iter().rev().map(|m| &m.value);
    maps.find(|m| m.marks.contains(&mark))
}

fn put(queues: &mut [Queue], queue: u8, threshold: u8, f: impl FnOnce(&mut Threshold)) {
    let thresholds = queues
        .iter_mut()
        .find(|q| q.number == queue)
        .map(|q| &mut q.thresholds);
    if let Some(thresholds) = thresholds {
        let last = thresholds.len().max(1);
        if let Some(threshold) = thresholds.get_mut(usize::from(threshold.max(1)).min(last) - 1) {
            f(threshold);
        }
    }
}

fn limits(interface: &Interface, port_type: PortType) -> Vec<u32> {
    let mut limits = port_type.default_limits();
    let weighted = usize::from(port_type.weighted);
    if let Some(stated) = &interface.queueing.limits {
        for (limit, stated) in limits.iter_mut().zip(&stated.value) {
            *limit = *stated;
        }
        let sum: u32 = limits.iter().take(weighted).sum();
        // What the weighted queues leave is the strict one's.
        if let Some(strict) = limits.get_mut(weighted) {
            *strict = 100_u32.saturating_sub(sum);
        }
    }
    if let (Some(strict), Some(stated)) =
        (limits.get_mut(weighted), &interface.queueing.strict_limit)
    {
        *strict = stated.value;
    }
    limits
}

fn thresholds(
    interface: &Interface,
    port_type: PortType,
    queue: u8,
    strict: bool,
) -> Vec<Threshold> {
    let said = &interface.queueing;
    let stated = |queue| {
        said.thresholds
            .iter()
            .find(|t| t.value.0 == queue)
            .map(|t| &t.value.1)
    };
    let mut tails = if strict {
        vec![100]
    } else {
        port_type.default_thresholds()
    };
    if let Some(stated) = stated(queue) {
        for (tail, stated) in tails.iter_mut().zip(stated) {
            *tail = *stated;
        }
    }
    let random = said.random_detect.iter();
    let used = random
        .clone()
        .any(|r| matches!(&r.value, RandomDetect::Use(q, true) if *q == queue));
    let refused = random
        .clone()
        .any(|r| matches!(&r.value, RandomDetect::Use(q, false) if *q == queue));
    let min = random.clone().find_map(|r| match &r.value {
        RandomDetect::Min(q, list) if *q == queue => Some(list),
        _ => None,
    });
    let max = random.clone().find_map(|r| match &r.value {
        RandomDetect::Max(q, list) if *q == queue => Some(list),
        _ => None,
    });
    let early = !refused && (used || min.is_some() || max.is_some());
    let threshold = |(k, tail): (usize, &u32)| {
        let high = max.and_then(|m| m.get(k)).copied().unwrap_or(*tail);
        let low = min.and_then(|m| m.get(k)).copied().unwrap_or(high / 2);
        Threshold {
            cos: Vec::new(),
            dscp: Vec::new(),
            tail_percent: *tail,
            random: early.then_some((low, high)),
        }
    };
    tails.iter().enumerate().map(threshold).collect()
}

fn policy(device: &Device, direction: Direction, name: &str) -> Option<PortPolicy> {
    let map = device.policy(name)?;
    let class = |class: &super::Class| {
        let map = device.class(&class.name);
        let precedence = class.set_precedence.as_ref().map(|p| 8 * p.value);
        PolicyClass {
            name: class.name.clone(),
            any: map.is_some_and(|m| m.any),
            matches: map.map_or_else(Vec::new, |m| {
                m.matches.iter().map(|s| s.value.clone()).collect()
            }),
            set_dscp: class.set_dscp.as_ref().map(|d| d.value).or(precedence),
            set_cos: class.set_cos.as_ref().map(|c| c.value),
            trust: class.trust.as_ref().map(|t| t.value),
            police: class.police.as_ref().map(|p| p.value),
            shape: class.shape.as_ref().map(|s| s.value),
        }
    };
    Some(PortPolicy {
        direction,
        name: name.to_owned(),
        classes: map.classes.iter().map(class).collect(),
    })
}

impl Police {
    /// What it does with a frame beyond its rate, as a DSCP: `None` if it drops it.
    pub fn beyond(&self, maps: &Maps, dscp: u8) -> Option<u8> {
        match self.exceed {
            Action::Transmit => Some(dscp),
            Action::Drop => None,
            Action::SetDscp(mark) => Some(mark),
            Action::MarkDown => Some(maps.policed_dscp[usize::from(dscp & 63)]),
        }
    }
}
