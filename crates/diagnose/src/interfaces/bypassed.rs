//! Interfaces of hosts that did not carry a flow: what they say and count is kept, and not weighed.
//!
//! An interface is known not to have carried it where it had no link, or is slower than the flow was. So it is where another one of its
//! host has the flow's address or its route. A radio link is left out, too, where the test was bound to another interface, or the default
//! route leaves by one. Its counters are known to be of something else where it passed far less between their readings than the flow did. Of
//! every other interface nobody knows, and it counts.

use core::net::IpAddr;
use std::collections::{BTreeMap, BTreeSet};

use crate::ceiling::{bps, bytes};
use crate::fact::{Fact, Figure, Of, Place, Value};
use crate::flows::carried_beside::{arrived, may_shrink};
use crate::flows::flow::{Flow, number};
use crate::interfaces::counter::{Unit, Way};
use crate::interfaces::passed::{Key, Owner, Port, ports};
use crate::items::JUMBO;
use crate::lines::exceeded::HANDED;
use crate::read::Facts;
use crate::read::command::BOUND;
use crate::seen::Side;

/// Of more addresses than this nobody searches for the flow's.
const OWNERS_MAX: usize = 4096;

/// A rate is more than a speed from so many times on: clocks and rounding make less.
pub(crate) const ABOVE: f64 = 1.2;

/// Interfaces of virtual machines and containers state this speed, bit/s, and carry more.
const NOMINAL: f64 = 10e9;

/// Links side by side are so many at most (LACP's active ones): each may carry one part of a flow of several connections.
const PARTS: f64 = 8.0;

/// Who passed less than this part of a flow did not carry it between the readings.
const PART: f64 = 0.5;

/// Most interfaces that are named as left out.
const NAMED_MAX: usize = 4;

/// What counts packets that leave, and such that arrive.
const LEAVE: [&str; 2] = ["queue_drops", "nic_unsent"];
const ARRIVE: [&str; 3] = ["nic_damaged", "nic_drops", "nic_dropped"];

/// What a flow is known to have passed, at least.
#[derive(Clone, Copy, Debug)]
struct Least {
    /// Rate of payload, bit/s.
    rate: f64,
    /// Payload, bytes.
    bytes: f64,
    /// Parts of it that links side by side may have carried.
    parts: f64,
    /// How many times smaller it may have been made on its way.
    smaller: f64,
}

impl Least {
    /// Of a test from memory, or of a copy, which may have been made smaller on its way, and whose counters are often read in its middle:
    /// of that the rate alone.
    fn of(flow: &Flow) -> Option<Least> {
        let test = flow.test.as_ref()?;
        let smaller = may_shrink(test.tool)?;
        let (rate, side) = test.goodput()?;
        let streams = f64::from(test.streams.max(1));
        let (report, handed) = match side {
            Side::Receiver => (test.received.as_ref()?, 0.0),
            // What a sender counts, its kernel may still have; datagrams it may have dropped.
            Side::Sender if test.udp => return None,
            Side::Sender => (test.sent.as_ref()?, HANDED * streams),
        };
        let before = match report.seconds > 0.0 {
            true => handed * 8.0 / report.seconds,
            false if handed > 0.0 => f64::INFINITY,
            false => 0.0,
        };
        let payload = report.bytes.as_ref().map_or(0.0, |b| b.low);
        Some(Least {
            rate: rate.low - before,
            bytes: match smaller > 1.0 {
                true => 0.0,
                false => (payload - handed).max(0.0),
            },
            parts: streams.min(PARTS),
            smaller,
        })
    }

    /// The least speed of an interface that carried it, or its part, bit/s.
    fn speed(&self, parts: f64) -> f64 {
        self.rate / (ABOVE * parts * self.smaller)
    }

    /// Bytes that an interface which carried it, or its part, passed at least.
    fn passed(&self, parts: f64) -> f64 {
        PART * self.bytes / parts
    }
}

/// Why an interface is left out.
#[derive(Clone, Debug, PartialEq)]
enum Why {
    Unlinked,
    /// Another interface has the flow's address, or its route.
    Elsewhere(String),
    /// The test was bound to another interface.
    Bound(String),
    /// The default route leaves by another interface.
    Routed(String),
    /// Another interface passed as much as the flow has.
    Carried(String),
    /// It is slower than this rate, bit/s.
    Slow(f64),
    /// It passed so many bytes, or packets, between its readings.
    Few(String),
}

/// What of an interface is left out: all, or what it counted of packets that leave, of such that arrive, and of both.
#[derive(Clone, Debug, PartialEq)]
struct Out {
    why: Why,
    sent: bool,
    received: bool,
    both: bool,
}

impl Out {
    fn whole(why: Why) -> Out {
        Out {
            why,
            sent: true,
            received: true,
            both: true,
        }
    }

    /// Whether it is left out as a whole, whenever it was read.
    fn is_whole(&self) -> bool {
        !matches!(self.why, Why::Few(_))
    }
}

/// Interfaces that did not carry a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bypassed {
    out: BTreeMap<Key, Out>,
    /// Of hosts with such an interface: the speed of the last that may have carried it.
    speeds: BTreeMap<u32, Option<Figure>>,
    /// Fewer packets than this between two readings of a router's port are not the flow; 0 where nothing says it.
    packets_least: f64,
    /// A port below this speed, bit/s, did not carry the flow; 0 where nothing says it.
    speed_least: f64,
    /// What is left out, for people.
    said: Vec<String>,
}

/// Gives each flow the interfaces that did not carry it.
pub(crate) fn give(facts: &Facts, flows: &mut [Flow]) {
    let Some(ports) = ports(facts) else { return };
    for flow in flows {
        flow.bypassed = Bypassed::of(facts, flow, &ports);
    }
}

/// The texts of one host, as far as that is known: its name, and the ends that they may be of.
type Group<'f> = (Option<&'f String>, [bool; 2]);

/// Whose text a host's is.
fn group<'f>(facts: &'f Facts, flow: &Flow, host: u32) -> Option<Group<'f>> {
    let ends = [&flow.senders, &flow.receivers].map(|end| end.contains(&host));
    let name = facts.hosts.get(host as usize).and_then(|n| n.first());
    let of_flow = ends != [false, false] || flow.between.contains(&host);
    of_flow.then_some((name, ends))
}

impl Bypassed {
    fn of(facts: &Facts, flow: &Flow, ports: &BTreeMap<Key, Port>) -> Bypassed {
        // An interface without a name is one of its own text alone.
        let lone = |key: &Key| key.1.is_empty().then_some(key.0);
        let mut joined: BTreeMap<_, (Port, Vec<u32>)> = BTreeMap::new();
        for (key, port) in ports {
            let Some(whose) = group(facts, flow, key.0) else {
                continue;
            };
            let of = (whose, key.1.as_str(), lone(key));
            let (known, hosts) = joined.entry(of).or_default();
            known.join(port);
            hosts.push(key.0);
        }
        let asked = Asked::of(facts, flow);
        let mut all = Bypassed {
            packets_least: asked
                .least
                .map_or(0.0, |least| least.passed(least.parts) / JUMBO),
            speed_least: asked.least.map_or(0.0, |least| least.speed(least.parts)),
            ..Bypassed::default()
        };
        let carry = joined.iter().filter(|((whose, name, _), (port, _))| {
            !port.radio && is_port(name) && asked.is_passed(whose.1, port)
        });
        let carry = carry.map(|((whose, name, _), _)| (*whose, *name));
        let carry: Vec<(Group<'_>, &str)> = carry.collect();
        for ((whose, name, _), (port, hosts)) in &joined {
            let alone = port.radio && !port.member && !asked.bonds;
            let idle = alone && !asked.is_passed(whose.1, port);
            let other = carry.iter().find(|(of, _)| idle && of == whose);
            let carried = other.map(|(_, other)| Out::whole(Why::Carried((*other).to_owned())));
            let out = match asked.out((whose.1, *name), port, hosts) {
                Some(out) if out.is_whole() => Some(out),
                out => carried.or(out),
            };
            let Some(out) = out else { continue };
            if port.tells && all.said.len() < NAMED_MAX {
                all.said.push(asked.sentence((hosts[0], *name), port, &out));
            }
            let keys = hosts.iter().map(|host| (*host, (*name).to_owned()));
            all.out.extend(keys.map(|key| (key, out.clone())));
        }
        all.of_speeds(facts, flow, ports);
        all
    }

    /// The speed that counts of each host of which one was left out. Where nothing else of its host has a speed, one that is merely too
    /// slow stays: the rate contradicts it, and that is said.
    fn of_speeds(&mut self, facts: &Facts, flow: &Flow, ports: &BTreeMap<Key, Port>) {
        let is_out = |key: &Key| self.out.get(key).is_some_and(Out::is_whole);
        let with_speed = || ports.iter().filter(|(_, port)| port.speed.is_some());
        let mut speeds = BTreeMap::new();
        for (key, _) in with_speed().filter(|(key, _)| is_out(key)) {
            let own = with_speed().filter(|(k, _)| k.0 == key.0 && !is_out(k));
            let own = own.filter_map(|(_, port)| port.speed.as_ref());
            let last = own.max_by_key(|speed| speed.from.first().copied());
            let of = group(facts, flow, key.0);
            let mut others = with_speed().filter(|(k, _)| !is_out(k));
            let other = others.any(|(k, _)| group(facts, flow, k.0) == of);
            let out = self.out.get(key);
            let slow = out.is_some_and(|out| matches!(out.why, Why::Slow(_)));
            if other || !slow {
                speeds.insert(key.0, last.cloned());
            }
        }
        self.speeds = speeds;
    }

    /// Whether what an interface says of itself is left out.
    pub(crate) fn leaves(&self, host: u32, interface: &str) -> bool {
        let out = || self.out.get(&(host, interface.to_owned()));
        !self.out.is_empty() && out().is_some_and(Out::is_whole)
    }

    /// Whether what an interface counts of this kind is left out.
    pub(crate) fn leaves_count(&self, host: u32, interface: &str, kind: &str) -> bool {
        if self.out.is_empty() {
            return false;
        }
        let out = self.out.get(&(host, crate::redact(interface)));
        out.is_some_and(|out| match kind {
            _ if out.is_whole() => true,
            _ if LEAVE.contains(&kind) => out.sent,
            _ if ARRIVE.contains(&kind) => out.received,
            _ => out.both,
        })
    }

    /// Whether a port of this speed, bit/s, is too slow to have carried the flow.
    pub(crate) fn is_too_slow(&self, speed: f64) -> bool {
        speed < self.speed_least
    }

    /// Whether so many packets between two readings of a port are too few for the flow to have arrived there.
    pub(crate) fn is_too_few(&self, packets: f64) -> bool {
        packets < self.packets_least
    }
}

impl Flow {
    /// The speed of the interface of someone, bit/s: of one that may have carried the flow.
    pub(crate) fn speed_of(&self, facts: &Facts, of: Of) -> Option<Figure> {
        let known = match of {
            Of::Host(host) => self.bypassed.speeds.get(&host),
            _ => None,
        };
        match known {
            Some(speed) => speed.clone(),
            None => number(facts, of, "nic_bps").cloned(),
        }
    }
}

/// A flow, as far as its interfaces are asked for it.
struct Asked<'a> {
    facts: &'a Facts,
    flow: &'a Flow,
    least: Option<Least>,
    /// Interfaces with the address of an end, or by which its route leaves: of the sender, of the receiver.
    owners: [Vec<&'a Owner>; 2],
    /// Interfaces with an address that may be in the subnet of an end's.
    near: BTreeSet<&'a str>,
    /// Whether a text shows links side by side.
    bonds: bool,
}

impl<'a> Asked<'a> {
    fn of(facts: &'a Facts, flow: &'a Flow) -> Asked<'a> {
        let few = facts.owners.len() <= OWNERS_MAX;
        let addresses = [0, 1].map(|n| {
            let names = flow.end_names(n).into_iter();
            let parsed = names.filter_map(|name| name.parse::<IpAddr>().ok());
            parsed.collect::<Vec<IpAddr>>()
        });
        let owners = [0, 1].map(|n| {
            let is_it = |o: &&Owner| {
                let there = o.to.is_none_or(|to| addresses[1 - n].contains(&to));
                few && there && addresses[n].contains(&o.address)
            };
            facts.owners.iter().filter(is_it).collect::<Vec<&Owner>>()
        });
        let of_ends: Vec<IpAddr> = addresses.iter().flatten().copied().collect();
        let is_near = |o: &&Owner| few && of_ends.iter().any(|end| are_near(*end, o.address));
        let near = facts.owners.iter().filter(is_near);
        let near = near.map(|o| o.interface.as_str()).collect();
        let mut hosts = flow.senders.iter().chain(&flow.receivers);
        let bonds = hosts.any(|host| {
            let says = |name: &'static str| facts.latest(Of::Host(*host), name).is_some();
            says("bond_hash") || says("bond_member_bps")
        });
        Asked {
            facts,
            flow,
            least: Least::of(flow),
            owners,
            near,
            bonds,
        }
    }

    /// What of an interface is left out, if anything.
    fn out(&self, (ends, name): ([bool; 2], &str), port: &Port, hosts: &[u32]) -> Option<Out> {
        let whole = |why| Some(Out::whole(why));
        if port.down && !port.up {
            return whole(Why::Unlinked);
        }
        if let Some(owner) = self.elsewhere((ends, name), port, hosts) {
            return whole(Why::Elsewhere(owner));
        }
        if let Some(why) = self.leaves_by((ends, name), port, hosts) {
            return whole(why);
        }
        let least = self.least?;
        let parts = match port.member || self.bonds {
            true => PARTS,
            false => least.parts,
        };
        let real = name.is_empty() || is_port(name);
        let stated = port.fastest > 0.0 && port.fastest < NOMINAL && real;
        if stated && port.fastest < least.speed(parts) {
            return whole(Why::Slow(least.rate));
        }
        let open = stated && !port.member && !self.bonds && self.is_open(ends, hosts);
        if open
            && let Some([rate, speed]) = arrived(self.flow)
            && port.fastest < speed
        {
            return whole(Why::Slow(rate));
        }
        let few = |way| port.few(way, least.passed(parts));
        let (sent, received) = (few(Way::Sent), few(Way::Received));
        let (sends, receives) = match ends {
            [false, false] => (true, true),
            [sends, receives] => (sends, receives),
        };
        let out = Out {
            why: Why::Few(growth(port, [sends && sent, receives && received])),
            sent: sends && sent,
            received: receives && received,
            both: (sent || !sends) && (received || !receives),
        };
        (out.sent || out.received || out.both).then_some(out)
    }

    /// Whether nothing ties an interface's host to an end: it is assumed to be one, or has a name and may be either. Links side by side of
    /// such a host are not supposed without a text.
    fn is_open(&self, ends: [bool; 2], hosts: &[u32]) -> bool {
        let named = |host: &u32| !self.facts.hosts[*host as usize].is_empty();
        let assumed = |host: &u32| self.flow.assumed.contains(host);
        let open = |host: &u32| assumed(host) || ends == [true; 2] && named(host);
        hosts.iter().all(open)
    }

    /// The interface of the same host that has the flow's address, or its route, where it is another one.
    fn elsewhere(
        &self,
        (ends, name): ([bool; 2], &str),
        port: &Port,
        hosts: &[u32],
    ) -> Option<String> {
        if port.member || self.bonds || !is_port(name) {
            return None;
        }
        let alone = ends != [true, true];
        let here = |owner: &&&Owner| {
            let of_text = |host: &u32| {
                let names = self.facts.hosts.get(*host as usize);
                let named = names.is_some_and(|n| !n.is_empty() && !n.contains(&owner.prompt));
                let source = self.facts.host_sources.get(*host as usize);
                let there = alone || source == Some(&owner.source);
                there && (owner.prompt.is_empty() || !named)
            };
            hosts.iter().all(of_text)
        };
        let of_ends = self.owners.iter().zip(ends).filter(|(_, own)| *own);
        let owners = of_ends.flat_map(|(owners, _)| owners.iter());
        let owners: Vec<&&Owner> = owners.filter(here).collect();
        // Of two in one subnet each may answer for the address of the other; a route names its own.
        let routed = owners.iter().any(|o| o.to.is_some());
        if self.near.contains(name) && !routed {
            return None;
        }
        // In Azure the card behind eth0 has a name of its own, and no address (Accelerated Networking).
        let another = |owner: &&Owner| {
            let owner = bare(&owner.interface);
            let card = name.starts_with("enP") && owner.starts_with("eth");
            is_port(owner) && owner != name && !card
        };
        let first = owners.first()?;
        let all = owners.iter().all(|owner| another(owner));
        all.then(|| bare(&first.interface).to_owned())
    }

    /// Whether an interface passed as many bytes as the flow has between its readings.
    fn is_passed(&self, ends: [bool; 2], port: &Port) -> bool {
        let [sent, received] =
            [Way::Sent, Way::Received].map(|way| port.growth(way, Unit::Bytes).unwrap_or(0.0));
        let most = match ends {
            [true, false] => sent,
            [false, true] => received,
            _ => sent.max(received),
        };
        let least = self.least.map_or(0.0, |least| least.bytes);
        least > 0.0 && most >= least
    }

    /// Why a radio link did not carry the flow, by what was typed for its test, or by the default route of its host.
    fn leaves_by(
        &self,
        (ends, name): ([bool; 2], &str),
        port: &Port,
        hosts: &[u32],
    ) -> Option<Why> {
        if !port.radio || port.member || self.bonds {
            return None;
        }
        let other = |interface: &str| {
            let interface = bare(interface);
            (is_port(interface) && interface != name).then(|| interface.to_owned())
        };
        if let Some(bound) = self.bound(ends, hosts) {
            return other(bound).map(Why::Bound);
        }
        // What lies in its own subnet it reaches without that route.
        let mut routes = hosts.iter().filter(|_| !self.near.contains(name));
        let route = routes.find_map(|host| self.facts.default_of(*host))?;
        other(route).map(Why::Routed)
    }

    /// The interface that a test was bound to at the end that these hosts are, or in their text where they may be either; none of several.
    fn bound(&self, ends: [bool; 2], hosts: &[u32]) -> Option<&'a str> {
        let of_text = |at: Place| {
            let source = |host: &u32| self.facts.host_sources.get(*host as usize).copied();
            let of = |of: u32| hosts.iter().all(|host| source(host) == Some(of));
            matches!(at, Place::Line(source, _) if of(source))
        };
        let is_own = |fact: &&Fact| match ends {
            [true, false] => fact.of == Of::Sender,
            [false, true] => fact.of == Of::Receiver,
            _ => of_text(fact.at),
        };
        let all = self.facts.facts.iter().filter(|fact| fact.name == BOUND);
        let mut words = all.filter(is_own).filter_map(|fact| match &fact.value {
            Value::Word(word) => Some(word.as_str()),
            Value::Number(_) => None,
        });
        let first = words.next()?;
        words.all(|word| word == first).then_some(first)
    }

    /// What is left out of an interface, and why, for people.
    fn sentence(&self, (host, name): (u32, &str), port: &Port, out: &Out) -> String {
        let called = match name {
            "" => "an interface",
            name => name,
        };
        let whose = self.flow.host_called(self.facts, host, "one of the hosts");
        let place = port.speed.as_ref().and_then(|s| s.from.first());
        let place = place.map_or_else(String::new, |at| format!(" ({})", self.facts.place(*at)));
        let least = self.least.unwrap_or(Least {
            rate: 0.0,
            bytes: 0.0,
            parts: 1.0,
            smaller: 1.0,
        });
        let what = match port.radio {
            true => "its radio link, its duplex and its counters",
            false => "its duplex, its shaper and its counters",
        };
        match &out.why {
            Why::Few(passed) => format!(
                "{called} of {whose} {passed} between its readings, and the flow is {}: what it counted there is of something else, and is not weighed{}",
                bytes(least.bytes),
                if port.radio && out.both {
                    ", nor is what its radio says"
                } else {
                    ""
                }
            ),
            Why::Unlinked => format!(
                "{called} of {whose}{place} had no link when it was read: {what} are not weighed"
            ),
            Why::Elsewhere(owner) => format!(
                "{called} of {whose}{place} did not carry the flow, which has the address of {owner}: {what} are not weighed"
            ),
            Why::Bound(other) => format!(
                "{called} of {whose}{place} did not carry the flow, whose test was bound to {other}: {what} are not weighed"
            ),
            Why::Routed(other) => format!(
                "{called} of {whose}{place} is not taken to have carried the flow, as the default route of its host leaves by {other}: {what} are not weighed"
            ),
            Why::Carried(other) => format!(
                "{called} of {whose}{place} is not taken to have carried the flow, as {other} passed as many bytes between its readings: {what} are not weighed"
            ),
            Why::Slow(rate) => format!(
                "{called} of {whose}{place} runs at {}, and did not carry a flow of {}: {what} are not weighed",
                bps(port.fastest),
                bps(*rate)
            ),
        }
    }
}

/// What an interface passed between its readings, for people: what it sent, what it received.
fn growth(port: &Port, [sent, received]: [bool; 2]) -> String {
    let ways = [
        (sent, Way::Sent, "sent"),
        (received, Way::Received, "received"),
    ];
    let of = |way: Way| {
        let packets = || port.growth(way, Unit::Packets);
        let grew = port.growth(way, Unit::Bytes).map(bytes);
        grew.or_else(|| packets().map(|n| format!("{n:.0} packets")))
    };
    let all = ways.into_iter().filter(|(is, ..)| *is);
    let all = all.filter_map(|(_, way, did)| Some(format!("{did} {}", of(way)?)));
    all.collect::<Vec<String>>().join(" and ")
}

/// Whether two addresses may be in one subnet: the first 24 bits of IPv4, and 64 of IPv6, are the same.
fn are_near(one: IpAddr, other: IpAddr) -> bool {
    match (one, other) {
        (IpAddr::V4(a), IpAddr::V4(b)) => a.octets()[..3] == b.octets()[..3],
        (IpAddr::V6(a), IpAddr::V6(b)) => a.segments()[..4] == b.segments()[..4],
        _ => false,
    }
}

/// An interface's name without the number of an alias, `eth0:1`.
fn bare(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
}

/// Whether a name is one that Linux gives a card: `eth0`, `eno1`, `enp3s0f0`, `p1p1`, `wlan0`. Bonds, bridges, tunnels and VLANs, which
/// others carry, have other names, and so has what stands above another interface, `eth0@if7`.
fn is_port(name: &str) -> bool {
    let kinds = ["eth", "en", "em", "wl"];
    let begins = kinds.iter().any(|kind| name.starts_with(kind));
    let slot = name.strip_prefix('p');
    let slot = slot.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    (begins || slot)
        && name.bytes().all(|b| b.is_ascii_alphanumeric())
        && name.bytes().any(|b| b.is_ascii_digit())
}

/// That what some interfaces and ports say is left out, each once.
pub(crate) fn left_out(facts: &Facts, flows: &[Flow]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for flow in flows {
        let own = flow.bypassed.said.iter().cloned();
        for said in own.chain(crate::ports::left_out(facts, flow)) {
            if all.len() < NAMED_MAX && !all.contains(&said) {
                all.push(said);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_has_a_name_that_nothing_above_it_has() {
        for name in ["eth0", "eno1", "enp3s0f0", "p1p1", "em1", "wlan0"] {
            assert!(is_port(name), "{name}");
        }
        for name in [
            "bond0", "br0", "eth0.100", "eth0@if7", "wg0", "tun0", "docker0", "lo", "",
        ] {
            assert!(!is_port(name), "{name}");
        }
    }
}
