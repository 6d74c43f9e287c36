//! Checks of channels: QOS018, QOS025, QOS030 and QOS035.

use core::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::{Device, Interface, Options, Port, Stated, Switchport, channel_number};
use super::Checker;
use crate::finding::Severity;
use crate::platform::Platform;
use crate::rules::{QOS018, QOS025, QOS030, QOS035};
use crate::source::Place;

impl Checker<'_> {
    /// Of every channel of a device.
    pub(super) fn channels(&mut self, device: &Device) {
        let mut channels: BTreeMap<u32, Vec<&Interface>> = BTreeMap::new();
        for interface in &device.interfaces {
            if let Some(channel) = &interface.channel {
                let members = channels.entry(channel.value.number).or_default();
                members.push(interface);
            }
        }
        self.hashed(device, &channels);
        for (number, members) in channels {
            self.one_protocol(number, &members);
            self.alike(device, number, &members);
            self.fitting(device, number, &members);
        }
    }

    /// QOS035, of a hash of MAC addresses alone: for information where no channel is routed, as hosts in one VLAN have an address each.
    fn hashed(&mut self, device: &Device, channels: &BTreeMap<u32, Vec<&Interface>>) {
        let Some(said) = &device.channel_hash else {
            return;
        };
        let several = |members: &[&Interface]| members.iter().filter(|m| !m.shutdown).count() > 1;
        let shared = channels.iter().filter(|(_, members)| several(members));
        let numbers: Vec<u32> = shared.map(|(number, _)| *number).collect();
        let is_routed = |number: &u32| {
            let mut all = device.interfaces.iter();
            all.any(|i| channel_number(&i.name) == Some(*number) && !i.addresses.is_empty())
        };
        let routed = numbers.iter().copied().find(is_routed);
        let Some(number) = routed.or(numbers.first().copied()) else {
            return;
        };
        let message = format!(
            "`port-channel load-balance {}` chooses the member by MAC addresses alone, and all frames between two routers have one pair of these: one member of channel {number} carries the whole of a routed path",
            said.value
        );
        let remedy = match device.platform {
            Platform::NxOs => "`port-channel load-balance src-dst ip-l4port`",
            _ => {
                "`port-channel load-balance src-dst-ip`, or with ports where the switch has that, such as `src-dst-mixed-ip-port`"
            }
        };
        let finding = self.find(&QOS035, &said.place, message, remedy);
        if routed.is_none() {
            finding.severity = Severity::Info;
        }
    }

    /// QOS025, of members that do not speak one protocol.
    fn one_protocol(&mut self, number: u32, members: &[&Interface]) {
        let modes = members.iter().filter_map(|i| {
            let channel = i.channel.as_ref()?;
            Some((i, channel.value.mode?, &channel.place))
        });
        let modes: Vec<_> = modes.collect();
        let names = modes.iter().map(|(i, ..)| i.name.as_str());
        let beside = |at: usize| {
            let with = modes.iter().filter(|(_, m, _)| m.is_beside(modes[at].1));
            with.count()
        };
        let Some((one, mode, _)) = usual(names, beside).map(|at| modes[at]) else {
            return;
        };
        let others = modes.iter().filter(|(_, m, _)| !m.is_beside(mode));
        if let Some((other, that, place)) = others.min_by(|a, b| a.0.name.cmp(&b.0.name)) {
            let message = format!(
                "{} is in channel {number} with `mode {}` and {} with `mode {}`: one protocol a channel",
                one.name,
                mode.word(),
                other.name,
                that.word()
            );
            let remedy = "`mode active` on all ports of both ends";
            self.find(&QOS025, place, message, remedy);
        }
    }

    /// QOS018, of members that treat frames differently.
    fn alike(&mut self, device: &Device, number: u32, members: &[&Interface]) {
        let treatment = |i: &Interface| {
            let mut port = Port::of(device, i, &Options::default());
            port.name.clear();
            port
        };
        let ports: Vec<Port> = members.iter().map(|i| treatment(i)).collect();
        let equal = |at: usize| ports.iter().filter(|p| **p == ports[at]).count();
        let names = members.iter().map(|i| i.name.as_str());
        let Some(at) = usual(names, equal) else {
            return;
        };
        let (first, expected) = (members[at], &ports[at]);
        let all = members.iter().zip(&ports);
        for (other, port) in all.filter(|(_, port)| *port != expected) {
            let Some(channel) = &other.channel else {
                continue;
            };
            let message = format!(
                "{} and {} are members of channel {number} and differ in {}",
                first.name,
                other.name,
                difference(expected, port)
            );
            let remedy = "give all members the same statements: `interface range`";
            let finding = self.find(&QOS018, &channel.place, message, remedy);
            for unknown in [&first.unknown, &other.unknown, &device.unknown_qos] {
                finding.doubt(unknown.iter().cloned());
            }
        }
    }

    /// QOS030, of members that the channel's own interface, or another member, does not agree with.
    fn fitting(&mut self, device: &Device, number: u32, members: &[&Interface]) {
        let is = |i: &&Interface| !i.name.contains('.') && channel_number(&i.name) == Some(number);
        let whole = device.interfaces.iter().find(is);
        let name = match device.platform {
            Platform::IosXr => format!("Bundle-Ether{number}"),
            _ => format!("Port-channel{number}"),
        };
        let remedy = format!("write it on `interface {name}`, and alike on every member");
        let fits = |at: usize| {
            let (member, all) = (members[at], members.len());
            let alike = members
                .iter()
                .filter(|m| differs(m, member, false).is_none());
            // What the channel's interface says outweighs what they say.
            let as_whole = whole.is_some_and(|w| differs(w, member, false).is_none());
            alike.count() + if as_whole { all } else { 0 }
        };
        let names = members.iter().map(|i| i.name.as_str());
        let Some(usual) = usual(names, fits).map(|at| members[at]) else {
            return;
        };
        for member in members {
            if let Some(address) = member.addresses.first() {
                let message = format!(
                    "{} is a member of channel {number} and has an address of its own, which no frame reaches",
                    member.name
                );
                let remedy = format!("take it out; the address is that of `interface {name}`");
                self.find(&QOS030, &address.place, message, remedy);
            }
            let against_whole = whole.and_then(|w| Some((w, differs(w, member, true)?)));
            let against_usual = differs(usual, member, false).map(|d| (usual, d));
            let Some((other, (what, place))) = against_whole.or(against_usual) else {
                continue;
            };
            let message = format!(
                "{} is a member of channel {number}, and its {what} is not that of {}: the switch suspends it",
                member.name, other.name
            );
            let finding = self.find(&QOS030, &place, message, &remedy);
            finding.doubt(member.unknown.iter().chain(&other.unknown).cloned());
        }
    }
}

/// The number of the member that weighs most; of several the one whose name is first, as the order of a file says nothing.
fn usual<'n>(
    names: impl Iterator<Item = &'n str>,
    weight: impl Fn(usize) -> usize,
) -> Option<usize> {
    let all = names.enumerate();
    let most = all.max_by_key(|(at, name)| (weight(*at), Reverse(*name)));
    most.map(|(at, _)| at)
}

/// In what two ports differ, in words.
fn difference(one: &Port, other: &Port) -> String {
    let of = [
        ("speed", one.rate != other.rate),
        ("MTU", one.mtu != other.mtu),
        (
            "trust",
            one.trust != other.trust || one.default_cos != other.default_cos,
        ),
        ("policy", one.policies != other.policies),
    ];
    let differ: Vec<&str> = of.iter().filter(|o| o.1).map(|o| o.0).collect();
    match differ.split_last() {
        None => "queues".to_owned(),
        Some((last, [])) => match *last {
            "MTU" => format!("MTU, {} and {}", one.mtu, other.mtu),
            last => last.to_owned(),
        },
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

/// In what a member differs from the channel's interface (`whole`), or from another member, and where that is stated. What
/// the channel's interface states it hands on to members that state nothing.
fn differs(other: &Interface, member: &Interface, whole: bool) -> Option<(&'static str, Place)> {
    let mode = |i: &Interface| i.switchport.as_ref().map(|s| s.value);
    let trunk = mode(member).or(mode(other)) == Some(Switchport::Trunk);
    let mode = apart(&other.switchport, &member.switchport, whole).map(|p| ("mode", p));
    let of_trunk = || {
        let native = apart(&other.native_vlan, &member.native_vlan, whole);
        let native = native.map(|p| ("native VLAN", p));
        native.or_else(|| {
            let carried = apart(&other.trunk_vlans, &member.trunk_vlans, whole);
            carried.map(|p| ("set of VLANs", p))
        })
    };
    let of_access = || {
        let vlan = apart(&other.access_vlan, &member.access_vlan, whole);
        vlan.map(|p| ("VLAN", p))
    };
    let vlans = || if trunk { of_trunk() } else { of_access() };
    // Between members speed and MTU are QOS018's.
    let line = || {
        let speed = apart(&other.speed, &member.speed, true).filter(|_| whole);
        let speed = speed.map(|p| ("speed", p));
        let mtu = || apart(&other.mtu, &member.mtu, true).filter(|_| whole);
        let duplex = || apart(&other.duplex, &member.duplex, whole).map(|p| ("duplex", p));
        speed.or_else(|| mtu().map(|p| ("MTU", p))).or_else(duplex)
    };
    mode.or_else(vlans).or_else(line)
}

/// Where two values differ; a value beside none does too, unless `both` must be stated.
fn apart<T: PartialEq>(
    one: &Option<Stated<T>>,
    other: &Option<Stated<T>>,
    both: bool,
) -> Option<Place> {
    match (one, other) {
        (Some(a), Some(b)) if a.value != b.value => Some(b.place.clone()),
        (None, Some(said)) | (Some(said), None) if !both => Some(said.place.clone()),
        _ => None,
    }
}
