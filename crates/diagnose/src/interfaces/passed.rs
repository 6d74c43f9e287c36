//! What hosts say of their interfaces: what they passed, whether they have a link, and which addresses and routes are theirs.

use core::net::IpAddr;
use std::collections::BTreeMap;

use crate::fact::{Fact, Figure, Of, Place, Value};
use crate::interfaces::counter::{Counter, Link, Unit, Way};
use crate::items::JUMBO;
use crate::read::Facts;
use crate::read::carrier::TRANSITIONS;
use crate::read::radio::INTERFACE;

/// A reading of a counter of what passed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Passed {
    host: u32,
    interface: String,
    counter: Counter,
    value: f64,
    at: Place,
}

/// What an interface of a host passed between two readings below dates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HostRate {
    pub(crate) host: u32,
    pub(crate) interface: String,
    pub(crate) way: Way,
    /// Its rate with headers, bit/s, and the time that it is of, seconds.
    pub(crate) bps: f64,
    pub(crate) seconds: f64,
    /// Where the two stand.
    pub(crate) at: [Place; 2],
}

/// An interface and its link.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Linked {
    host: u32,
    interface: String,
    link: Link,
}

/// An interface with an address of its own, or by which a route to another leaves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Owner {
    /// The source, and the name at its prompt, which may be empty.
    pub(crate) source: u32,
    pub(crate) prompt: String,
    pub(crate) interface: String,
    pub(crate) address: IpAddr,
    /// Where the route goes.
    pub(crate) to: Option<IpAddr>,
}

/// A default route, and its metric: of several that with the smallest counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DefaultRoute {
    /// The source, and the name at its prompt, which may be empty.
    source: u32,
    prompt: String,
    interface: String,
    metric: u64,
}

/// `date` shows whole seconds, so that less time between two of them says little of a rate.
const LEAST_S: f64 = 10.0;

/// Most readings of bytes that are held against dates.
const DATED_MAX: usize = 1000;

/// Most default routes that are kept.
const DEFAULTS_MAX: usize = 1000;

impl Facts {
    /// Adds a default route of whoever printed the lines that are read now.
    pub(crate) fn leaves_by_default(&mut self, interface: &str, metric: u64) {
        let (source, prompt) = self.prompt();
        if self.default_routes.len() < DEFAULTS_MAX && self.mixed_hosts.is_none() {
            self.default_routes.push(DefaultRoute {
                source,
                prompt,
                interface: crate::redact(interface),
                metric,
            });
        }
    }

    /// The interface by which the default route of a host leaves, as its own text has it; none where two of them count as much.
    pub(crate) fn default_of(&self, host: u32) -> Option<&str> {
        let source = self.host_sources.get(host as usize)?;
        let names = self.hosts.get(host as usize)?;
        let is_own = |route: &&DefaultRoute| {
            let named = match names.is_empty() {
                true => route.prompt.is_empty(),
                false => names.contains(&route.prompt),
            };
            route.source == *source && named
        };
        let own = || self.default_routes.iter().filter(is_own);
        let first = own().min_by_key(|route| route.metric)?;
        let same = |route: &DefaultRoute| {
            route.metric > first.metric || route.interface == first.interface
        };
        own().all(same).then_some(first.interface.as_str())
    }

    /// Adds a reading of what an interface passed.
    pub(crate) fn passes(
        &mut self,
        of: Of,
        interface: &str,
        counter: Counter,
        value: u64,
        at: Place,
    ) {
        if let Of::Host(host) = of
            && !interface.is_empty()
        {
            self.passed.push(Passed {
                host,
                interface: crate::redact(interface),
                counter,
                value: value as f64,
                at,
            });
        }
    }

    /// Whether two texts are of one host: of one piece, or by the name at their prompts.
    pub(crate) fn are_one(&self, a: u32, b: u32) -> bool {
        let name = |host: u32| {
            self.hosts
                .get(host as usize)
                .and_then(|names| names.first())
        };
        a == b || name(a).is_some() && name(a) == name(b)
    }

    /// How many frames interfaces received from the first reading of a counter to its last: the host, the interface and the count, of those
    /// that were read twice or more.
    pub(crate) fn received_between(&self) -> Vec<(u32, &str, f64)> {
        let is_frames = |p: &&Passed| p.counter.1 == Way::Received && p.counter.2 == Unit::Packets;
        let mut all: Vec<(&Passed, &Passed)> = Vec::new();
        for reading in self.passed.iter().filter(is_frames) {
            let same = |(first, _): &&mut (&Passed, &Passed)| {
                let alike = first.counter == reading.counter;
                let port = alike && first.interface == reading.interface;
                port && self.are_one(first.host, reading.host)
            };
            match all.iter_mut().find(same) {
                Some(known) => known.1 = reading,
                None => all.push((reading, reading)),
            }
        }
        let grew = all.into_iter().filter(|(first, last)| first.at != last.at);
        let each = grew.filter(|(first, last)| last.value >= first.value);
        each.map(|(first, last)| (last.host, last.interface.as_str(), last.value - first.value))
            .collect()
    }

    /// Rates of interfaces by the bytes that they counted between two readings below dates.
    pub(crate) fn host_rates(&self) -> Vec<HostRate> {
        let is_bytes = |p: &&Passed| p.counter.2 == Unit::Bytes;
        let mut last: Vec<&Passed> = Vec::new();
        let mut rates = Vec::new();
        for reading in self.passed.iter().filter(is_bytes).take(DATED_MAX) {
            let same = |before: &&mut &Passed| {
                let alike = before.counter == reading.counter;
                let port = alike && before.interface == reading.interface;
                port && self.are_one(before.host, reading.host)
            };
            let Some(before) = last.iter_mut().find(same) else {
                last.push(reading);
                continue;
            };
            let at = [before.at, reading.at];
            let grew = reading.value - before.value;
            *before = reading;
            let seconds = self.moments.seconds_between(at[0], at[1]);
            let Some(seconds) = seconds.filter(|s| *s >= LEAST_S && grew > 0.0) else {
                continue;
            };
            rates.push(HostRate {
                host: reading.host,
                interface: reading.interface.clone(),
                way: reading.counter.1,
                bps: 8.0 * grew / seconds,
                seconds,
                at,
            });
        }
        rates
    }

    /// The most frames that a counter of this host's interface has as received, when it was read last; none where nothing counts them.
    pub(crate) fn received(&self, host: u32, interface: &str) -> Option<f64> {
        let name = crate::redact(interface);
        let of = |p: &&Passed| {
            let frames = (p.counter.1, p.counter.2) == (Way::Received, Unit::Packets);
            frames && p.host == host && p.interface == name
        };
        self.passed
            .iter()
            .filter(of)
            .map(|p| p.value)
            .reduce(f64::max)
    }

    /// Adds what is said of an interface's link.
    pub(crate) fn links(&mut self, of: Of, interface: &str, link: Link) {
        if let Of::Host(host) = of {
            self.linked.push(Linked {
                host,
                interface: crate::redact(interface),
                link,
            });
        }
    }

    /// Adds an address of an interface, or the one that packets `to` another have by it.
    pub(crate) fn owned(&mut self, interface: &str, address: IpAddr, to: Option<IpAddr>) {
        if self.mixed_hosts.is_some() {
            return;
        }
        let (source, prompt) = self.prompt();
        self.owners.push(Owner {
            source,
            prompt,
            interface: crate::redact(interface),
            address,
            to,
        });
    }
}

/// Of more interfaces than this nobody knows which are of a flow.
const INTERFACES_MAX: usize = 512;

/// Most bytes of a packet as a host may count it: segments that its card takes apart.
const LARGEST: f64 = 65_536.0;

/// What the texts of a host say of an interface.
#[derive(Clone, Debug, Default)]
pub(crate) struct Port {
    /// The last speed, and the highest, bit/s.
    pub(crate) speed: Option<Figure>,
    pub(crate) fastest: f64,
    pub(crate) up: bool,
    pub(crate) down: bool,
    pub(crate) member: bool,
    /// Half duplex, a shaper, a radio link, or a counter above zero: something that would be weighed.
    pub(crate) tells: bool,
    /// It is a radio link.
    pub(crate) radio: bool,
    /// The first and the last reading of each counter of what passed, and where.
    counts: BTreeMap<Counter, [(f64, Place); 2]>,
}

/// A host's text, and an interface in it.
pub(crate) type Key = (u32, String);

impl Port {
    /// Takes what a later text of the same host says.
    pub(crate) fn join(&mut self, later: &Port) {
        self.speed = later.speed.clone().or(self.speed.take());
        self.fastest = self.fastest.max(later.fastest);
        self.up |= later.up;
        self.down |= later.down;
        self.member |= later.member;
        self.tells |= later.tells;
        self.radio |= later.radio;
        for (counter, [first, last]) in &later.counts {
            self.counts.entry(*counter).or_insert([*first, *last])[1] = *last;
        }
    }

    /// By how much what passed grew; none where it was read once or fell. The same count twice is a text that was pasted twice.
    pub(crate) fn growth(&self, way: Way, unit: Unit) -> Option<f64> {
        let grew = |[first, last]: &[(f64, Place); 2]| {
            let passed = last.0 > first.0 || last.0 == 0.0 && first.0 == 0.0;
            (first.1 != last.1 && passed).then_some(last.0 - first.0)
        };
        let of = self.counts.iter();
        let of = of.filter(|((_, w, u), _)| (*w, *u) == (way, unit));
        of.filter_map(|(_, both)| grew(both)).reduce(f64::max)
    }

    /// Whether less passed that way than these bytes. A counter of 32 bits that began anew shows by its packets.
    pub(crate) fn few(&self, way: Way, least: f64) -> bool {
        let growth = |unit| self.growth(way, unit);
        match (growth(Unit::Bytes), growth(Unit::Packets)) {
            (Some(bytes), packets) => bytes < least && packets.is_none_or(|n| n < least / JUMBO),
            (None, Some(packets)) => packets < least / LARGEST,
            (None, None) => false,
        }
    }
}

/// What the texts say of every interface; none of too many.
pub(crate) fn ports(facts: &Facts) -> Option<BTreeMap<Key, Port>> {
    let mut all: BTreeMap<Key, Port> = BTreeMap::new();
    let speed = |at: Place, fact: &Fact| match (&fact.value, fact.of) {
        (Value::Number(bps), Of::Host(host)) => Some((at, (host, bps.clone()))),
        _ => None,
    };
    let said = facts.facts.iter().filter(|f| f.name == "nic_bps");
    let speeds: BTreeMap<Place, (u32, Figure)> = said.filter_map(|f| speed(f.at, f)).collect();
    for port in &facts.negotiated {
        let Some((host, bps)) = port.at.and_then(|at| speeds.get(&at)) else {
            continue;
        };
        let known = all.entry((*host, port.name.clone())).or_default();
        known.speed = Some(bps.clone());
        known.fastest = known.fastest.max(bps.value);
    }
    for duplex in &facts.duplexes {
        let known = all.entry((duplex.host, duplex.name.clone())).or_default();
        known.tells |= duplex.half;
    }
    for shaper in facts.facts.iter().filter(|f| f.name == "shaper_port") {
        if let (Value::Word(name), Of::Host(host)) = (&shaper.value, shaper.of) {
            all.entry((host, name.clone())).or_default().tells = true;
        }
    }
    for radio in facts.facts.iter().filter(|f| f.name == INTERFACE) {
        if let (Value::Word(name), Of::Host(host)) = (&radio.value, radio.of) {
            let known = all.entry((host, name.clone())).or_default();
            (known.tells, known.radio) = (true, true);
        }
    }
    for counter in &facts.counters {
        let name = crate::redact(counter.port());
        let known = all.entry((counter.host, name)).or_default();
        // Every link came up once.
        known.tells |= counter.value > 0.0 && counter.kind != TRANSITIONS;
    }
    for said in &facts.linked {
        let known = all.entry((said.host, said.interface.clone())).or_default();
        match said.link {
            Link::Up => known.up = true,
            Link::Down => known.down = true,
            Link::Member => known.member = true,
        }
    }
    for read in &facts.passed {
        let known = all.entry((read.host, read.interface.clone())).or_default();
        let reading = (read.value, read.at);
        known.counts.entry(read.counter).or_insert([reading; 2])[1] = reading;
    }
    (all.len() <= INTERFACES_MAX).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(unit: Unit, [first, last]: [f64; 2]) -> Port {
        let mut port = Port::default();
        let readings = [(first, Place::Line(0, 1)), (last, Place::Line(0, 9))];
        port.counts.insert(("ip", Way::Sent, unit), readings);
        port
    }

    #[test]
    fn what_passed_grows_from_the_first_reading_to_the_last() {
        let mut port = of(Unit::Bytes, [4.2e9, 4.25e9]);
        assert!(port.few(Way::Sent, 1e9));
        assert!(!port.few(Way::Sent, 1e7));
        assert!(!port.few(Way::Received, 1e9));
        // 400 000 packets have more bytes than 50 MB: the counter of bytes began anew.
        port.join(&of(Unit::Packets, [1e6, 1.4e6]));
        assert!(!port.few(Way::Sent, 1e9));
        // A count that fell, and one that was pasted twice, say nothing; one that never counted says that nothing passed.
        assert!(!of(Unit::Bytes, [4.2e9, 1e9]).few(Way::Sent, 1e9));
        assert!(!of(Unit::Bytes, [4.2e9, 4.2e9]).few(Way::Sent, 1e9));
        assert!(of(Unit::Bytes, [0.0, 0.0]).few(Way::Sent, 1e9));
    }
}
