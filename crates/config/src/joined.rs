//! The two ends of a cable, whatever they carry: where one passes on only smaller packets than the other sends (CCC014).
//! Which ports a cable joins is said by a scenario, by listings of neighbours, or by the descriptions of ports. Interfaces in
//! one subnet are those of [`crate::links`].

use std::collections::{BTreeMap, BTreeSet};

use crate::ccc::{self, Unknown};
use crate::dialect::Dialect;
use crate::finding::Finding;
use crate::junos::model::{Interface as JunosPort, Router, Unit};
use crate::neighbors::{described, is_device, port_name};
use crate::qos::{Device, Interface, Options, channel_number, default_mtu};
use crate::report::Report;
use crate::rules::CCC014;
use crate::source::{Place, Source};
use crate::vlan::is_switched;

/// Two tags of 802.1Q: ports of layer 2 take such frames beyond their MTU, so that sizes that differ by no more agree.
pub(crate) const TAGS: u64 = 8;

/// IP packets that large are what layer 2 is made larger for; that one end takes still larger ones harms nobody.
pub(crate) const JUMBO: u64 = 9000;

/// What CatOS ports carry, unless jumbo frames are on.
const CATOS_MTU: u64 = 1500;

/// What a port does with frames.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    /// It passes on what others sent: a port of a switch, of a circuit.
    Passes,
    /// It sends packets itself.
    Routes,
}

/// A port that may have a cable.
struct Port {
    /// In the form of [`port_name`].
    cable: String,
    /// `ge-0/0/1`.
    name: String,
    description: Option<String>,
    /// The bundle it is a member of, in the same form.
    bundle: Option<String>,
    /// What it does, and the largest IP packet; `None` where it carries nothing, or that is not known.
    takes: Option<(Does, u64)>,
    /// What its `mtu` counts beside the packet, bytes.
    header: u64,
    /// Whether the configuration states the size.
    stated: bool,
    /// Where it is stated, or the port.
    place: Place,
    /// Statements about it that nobody understood.
    doubts: Vec<Place>,
    /// Its subnets.
    nets: BTreeSet<(u32, u8)>,
}

/// A router or switch.
struct Node {
    name: String,
    file: usize,
    ports: Vec<Port>,
}

/// A port by its node and its name in the form of [`port_name`].
type Plug = (usize, String);

/// CCC014 for all cables that are known. `unknown` is what nobody understood of Junos, in order.
pub(crate) fn check(
    sources: &[Source],
    unknown: &[Unknown],
    options: &Options,
    report: &mut Report,
) {
    let junos = report.routers.iter().map(|r| of_junos(r, unknown));
    let ios = report.devices.iter();
    let ios = ios.map(|d| of_ios(d, &sources[d.file]));
    let nodes: Vec<Node> = junos.chain(ios).collect();
    let cables = match &options.cables {
        Some(stated) => of_scenario(&nodes, stated),
        None => known(&nodes, sources, report),
    };
    let found: Vec<Finding> = cables
        .iter()
        .filter_map(|(a, b)| narrower(&nodes, at(&nodes, a)?, at(&nodes, b)?))
        .collect();
    report.findings.extend(found);
}

/// The port of a name, or the bundle it is a member of, by numbers.
fn at(nodes: &[Node], (node, cable): &Plug) -> Option<(usize, usize)> {
    let ports = &nodes[*node].ports;
    let find = |name: &str| ports.iter().position(|p| p.cable == name);
    let own = find(cable)?;
    let bundle = ports[own].bundle.as_deref();
    Some((*node, bundle.and_then(find).unwrap_or(own)))
}

/// The finding, where one end drops what the other sends.
fn narrower(nodes: &[Node], a: (usize, usize), b: (usize, usize)) -> Option<Finding> {
    let port = |end: (usize, usize)| &nodes[end.0].ports[end.1];
    let (one, other) = (port(a).takes?, port(b).takes?);
    let (near, far) = match one.1 <= other.1 {
        true => (a, b),
        false => (b, a),
    };
    let (narrow, wide) = (port(near), port(far));
    let ((does, takes), (sends, up_to)) = (narrow.takes?, wide.takes?);
    if up_to <= takes + TAGS || sends == Does::Passes && takes >= JUMBO {
        return None;
    }
    match does {
        Does::Passes => {}
        // Hosts keep to what a router takes; two routers in one subnet are compared as such.
        Does::Routes if sends == Does::Passes || !narrow.nets.is_disjoint(&wide.nets) => {
            return None;
        }
        Does::Routes => {}
    }
    let default = |p: &Port| match p.stated {
        true => "",
        false => " by default",
    };
    let verb = match sends {
        Does::Passes => "passes on",
        Does::Routes => "sends",
    };
    let message = format!(
        "`{}` of `{}` takes IP packets of {takes} bytes{}, and `{}` of `{}` at the other end of its cable {verb} up to {up_to}{}: what is larger is dropped, without ICMP",
        narrow.name,
        nodes[near.0].name,
        default(narrow),
        wide.name,
        nodes[far.0].name,
        default(wide),
    );
    let remedy = format!(
        "`mtu {}` on `{}` of `{}`, or `mtu {}` at most on `{}` of `{}`: each platform counts headers its own way, and these do not",
        up_to + narrow.header,
        narrow.name,
        nodes[near.0].name,
        takes + wide.header,
        wide.name,
        nodes[far.0].name,
    );
    let mut finding = Finding::new(&CCC014, message, narrow.place.clone(), vec![remedy]);
    finding.relate(wide.place.clone(), "the other end");
    finding.doubt(narrow.doubts.iter().chain(&wide.doubts).cloned());
    Some(finding)
}

/// The cables of a scenario.
fn of_scenario(nodes: &[Node], stated: &[[(usize, String); 2]]) -> Vec<(Plug, Plug)> {
    let plug = |(file, name): &(usize, String)| {
        let cable = port_name(name);
        let has = |n: &Node| n.file == *file && n.ports.iter().any(|p| p.cable == cable);
        Some((nodes.iter().position(has)?, cable.clone()))
    };
    let pairs = stated
        .iter()
        .filter_map(|[a, b]| Some((plug(a)?, plug(b)?)));
    pairs.collect()
}

/// What one end says of the other.
type Claim = (Plug, usize, Option<String>);

/// The cables that listings and descriptions agree on; where they contradict each other, none.
fn known(nodes: &[Node], sources: &[Source], report: &Report) -> Vec<(Plug, Plug)> {
    let mut listed = BTreeSet::new();
    let mut claims: Vec<Claim> = Vec::new();
    for neighbor in &report.neighbors {
        let file = &sources[neighbor.place.file].name;
        let asked = nodes.iter().position(|n| neighbor.is_of(&n.name, file));
        let Some(asked) = asked else { continue };
        let plug = (asked, port_name(&neighbor.port));
        listed.insert(plug.clone());
        let to = nodes
            .iter()
            .position(|n| is_device(&neighbor.device, &n.name));
        claims.extend(to.map(|to| (plug, to, Some(port_name(&neighbor.far_port)))));
    }
    let names: Vec<&str> = nodes.iter().map(|n| n.name.as_str()).collect();
    let ports_of = |n: usize| nodes[n].ports.iter().map(|p| p.cable.as_str()).collect();
    for (n, node) in nodes.iter().enumerate() {
        for port in &node.ports {
            let text = port.description.as_deref();
            let said = text.and_then(|text| described(text, n, &names, ports_of));
            let plug = (n, port.cable.clone());
            // A listing is newer than what was written once.
            if let Some((to, at)) = said.filter(|_| !listed.contains(&plug)) {
                claims.push((plug, to, at));
            }
        }
    }
    agreed(&claims)
}

/// The pairs of ports that are said to be joined, each port in one.
fn agreed(claims: &[Claim]) -> Vec<(Plug, Plug)> {
    let mut far: BTreeMap<&Plug, BTreeSet<Plug>> = BTreeMap::new();
    let exact = claims.iter();
    let exact = exact.filter_map(|(plug, to, port)| Some((plug.clone(), (*to, port.clone()?))));
    let exact: Vec<(Plug, Plug)> = exact.collect();
    // Where each of two devices has one port for the other.
    let open = |from: usize, to: usize| -> Vec<&Plug> {
        let all = claims.iter().filter(|c| c.0.0 == from && c.1 == to);
        let all =
            all.filter(|c| c.2.is_none() && exact.iter().all(|(a, b)| *a != c.0 && *b != c.0));
        all.map(|c| &c.0).collect()
    };
    let vague = claims.iter().filter(|c| c.2.is_none());
    let vague = vague.filter_map(|(plug, to, _)| match open(plug.0, *to)[..] {
        [near] if near == plug => match open(*to, plug.0)[..] {
            [back] => Some((plug.clone(), back.clone())),
            _ => None,
        },
        _ => None,
    });
    let all: Vec<(Plug, Plug)> = exact.iter().cloned().chain(vague).collect();
    for (a, b) in &all {
        far.entry(a).or_default().insert(b.clone());
        far.entry(b).or_default().insert(a.clone());
    }
    let one = |plug: &Plug| far.get(plug).is_some_and(|f| f.len() == 1);
    let pairs: BTreeSet<(Plug, Plug)> = all
        .iter()
        .filter(|(a, b)| a.0 != b.0 && one(a) && one(b))
        .map(|(a, b)| match a < b {
            true => (a.clone(), b.clone()),
            false => (b.clone(), a.clone()),
        })
        .collect();
    pairs.into_iter().collect()
}

fn net(address: core::net::Ipv4Addr, length: u8) -> Option<(u32, u8)> {
    (1..32)
        .contains(&length)
        .then(|| (u32::from(address) >> (32 - length), length))
}

fn of_junos(router: &Router, unknown: &[Unknown]) -> Node {
    let on = router.interfaces.iter().filter(|i| i.off.is_none());
    let port = |interface: &JunosPort| {
        let up = || interface.units.iter().filter(|u| u.off.is_none());
        let addresses = up().flat_map(|u| &u.addresses).map(|a| a.value);
        Port {
            cable: port_name(&interface.name),
            name: interface.name.clone(),
            description: None,
            bundle: interface.member_of.as_ref().map(|m| port_name(&m.value)),
            takes: junos_takes(interface, up()).filter(|_| interface.is_framed()),
            header: interface.header(),
            stated: interface.mtu.is_some() || up().any(|u| u.inet_mtu.is_some()),
            place: match &interface.mtu {
                Some(mtu) => mtu.place.clone(),
                None => interface.place.clone(),
            },
            doubts: ccc::unknown_in(unknown, &router.place, &[&["interfaces", &interface.name]]),
            nets: addresses.filter_map(|(a, l)| net(a, l)).collect(),
        }
    };
    Node {
        name: router.name.clone(),
        file: router.place.file,
        ports: on.map(port).collect(),
    }
}

/// What a port of Junos does, and its largest packet; `None` where no unit says what it carries.
fn junos_takes<'u>(
    interface: &JunosPort,
    up: impl Iterator<Item = &'u Unit> + Clone,
) -> Option<(Does, u64)> {
    let packet = interface
        .media_mtu()
        .as_bytes()
        .saturating_sub(interface.header());
    let layer_2 = |said: &str| ["ccc", "bridge", "vpls"].iter().any(|k| said.contains(k));
    let of_port = interface.encapsulation.as_ref();
    let mut all = up
        .clone()
        .map(|u| u.encapsulation.as_ref())
        .chain([of_port]);
    let encapsulated = all.any(|e| e.is_some_and(|e| layer_2(&e.value)));
    if encapsulated || up.clone().any(|u| u.ccc.is_some()) {
        return Some((Does::Passes, packet));
    }
    let of_unit = |u: &Unit| {
        let inet = u.inet_mtu.as_ref().map(|m| m.value.as_bytes());
        let routed = u.routed.is_some() || !u.addresses.is_empty();
        match (u.mpls.is_some(), routed) {
            (true, _) => Some(packet),
            (false, true) => Some(inet.unwrap_or(packet)),
            (false, false) => None,
        }
    };
    Some((Does::Routes, up.filter_map(of_unit).max()?))
}

fn of_ios(device: &Device, source: &Source) -> Node {
    let text = &source.text;
    let default_known = is_default_known(text);
    let whole = Place {
        file: device.file,
        span: 0..text.len(),
    };
    let named = device.interfaces.iter().filter(|i| !i.is_type());
    let resolved = named.filter_map(|i| device.interface(&i.name));
    let up = resolved.filter(|i| !i.shutdown && !i.name.contains('.'));
    let port = |interface: Interface| {
        let parts = parts(device, &interface);
        let addresses = parts.iter().flat_map(|p| &p.addresses).map(|a| a.value);
        let channel = interface.channel.as_ref();
        Port {
            cable: port_name(&interface.name),
            description: parts
                .iter()
                .find_map(|p| p.description.as_ref().map(|d| d.value.clone())),
            bundle: channel.and_then(|c| bundle(device, c.value.number)),
            takes: ios_takes(device, &interface, &parts, default_known),
            header: u64::from(interface.header_in_mtu),
            stated: interface.mtu.is_some() || parts.iter().any(|p| p.ip_mtu.is_some()),
            place: match &interface.mtu {
                Some(mtu) => mtu.place.clone(),
                None => interface.place.clone().unwrap_or_else(|| whole.clone()),
            },
            doubts: interface.unknown.clone(),
            nets: addresses.filter_map(|(a, l)| net(a, l)).collect(),
            name: interface.name,
        }
    };
    Node {
        name: match &device.name {
            Some(name) => name.clone(),
            None => {
                let own = source.name.rsplit('/').next().unwrap_or(&source.name);
                own.split('.').next().unwrap_or(own).to_owned()
            }
        },
        file: device.file,
        ports: up.map(port).collect(),
    }
}

/// Whether ports that state no MTU have that of their platform: `system mtu` sets what ports have by default, and policies of
/// NX-OS that of switch ports.
pub(crate) fn is_default_known(text: &str) -> bool {
    let says = |l: &str| l.starts_with("system ") && l.contains("mtu") || l.contains("network-qos");
    !text.lines().any(|l| says(l.trim_start()))
}

/// The largest IP packet of a port that states no MTU, bytes, where the platform's defaults are `known`.
pub(crate) fn by_default(device: &Device, interface: &Interface, known: bool) -> Option<u64> {
    match device.dialect {
        Dialect::CatOs => Some(CATOS_MTU),
        _ => default_mtu(interface).filter(|_| known).map(u64::from),
    }
}

/// An interface and its subinterfaces, each with what it has from the whole.
fn parts(device: &Device, interface: &Interface) -> Vec<Interface> {
    let of = |i: &&Interface| {
        let rest = i.name.strip_prefix(&interface.name);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let below = device.interfaces.iter().filter(of);
    let below = below
        .filter_map(|i| device.interface(&i.name))
        .filter(|i| !i.shutdown);
    core::iter::once(interface.clone()).chain(below).collect()
}

/// The channel of a number, in the form of [`port_name`].
fn bundle(device: &Device, number: u32) -> Option<String> {
    let is = |i: &&Interface| !i.name.contains('.') && channel_number(&i.name) == Some(number);
    let channel = device.interfaces.iter().find(is)?;
    Some(port_name(&channel.name))
}

/// What a port of IOS, NX-OS, IOS XR or CatOS does, and its largest packet.
fn ios_takes(
    device: &Device,
    interface: &Interface,
    parts: &[Interface],
    default_known: bool,
) -> Option<(Does, u64)> {
    let stated = interface.mtu.as_ref().map(|m| u64::from(m.value));
    let packet = stated.or_else(|| by_default(device, interface, default_known))?;
    let virtually = ["Vlan", "BVI", "Loopback", "Tunnel", "Null", "Mgmt", "mgmt"];
    if virtually
        .iter()
        .any(|kind| interface.name.starts_with(kind))
    {
        return None;
    }
    if is_switched(device, interface) {
        return Some((Does::Passes, packet));
    }
    let of_part = |p: &Interface| {
        let own = p.ip_mtu.as_ref().or(p.mtu.as_ref());
        (!p.addresses.is_empty()).then(|| own.map_or(packet, |m| u64::from(m.value)))
    };
    let sends = parts.iter().filter_map(of_part).max();
    // A router that has no address at a port may pass on frames there (`xconnect`, `l2transport`), or nothing.
    sends.map(|sends| (Does::Routes, sends))
}
