//! The routers of some files, of whichever language, as far as wires go: where a cable may be plugged in, and which
//! addresses show that two places are the ends of one.

use core::net::Ipv4Addr;
use std::collections::{BTreeMap, BTreeSet};

use farpath_config::junos::model::{Interface as JunosPort, Joins, Router as Junos, Unit};
use farpath_config::neighbors::port_name;
use farpath_config::qos::{
    Device, Interface, Options, Port as SwitchPort, Switchport, channel_number,
};
use farpath_config::vlan::{self, Tag, is_switched};
use farpath_config::{Dialect, MOST_ON_A_LINK, Report};
use farpath_units::Rate;

use super::super::classifiers::applied;
use super::super::switch::says_queues;

/// One router.
#[derive(Debug)]
pub(super) struct Node {
    /// As its file calls it, or the file's name.
    pub name: String,
    /// Number of its file.
    pub file: usize,
    /// The language of its file.
    pub dialect: Dialect,
    /// Where a cable may be plugged in: what has an address, what a circuit ends at.
    pub ports: Vec<Port>,
    /// Interfaces where it may not, each with the reason.
    pub closed: Vec<(String, &'static str)>,
}

impl Node {
    /// The switch's port that a cable of this name ends at.
    pub(super) fn switch_port(&self, cable: &str) -> Option<usize> {
        let is = |p: &Port| p.cable == cable && p.switch.is_some();
        self.ports.iter().position(is)
    }
}

/// One interface of a router.
#[derive(Clone, Debug)]
pub(super) struct Port {
    /// The name a link's `interfaces` has for it.
    pub name: String,
    /// With the lengths of their prefixes.
    pub addresses: Vec<(Ipv4Addr, u8)>,
    /// By its name, its speed or a note; of a channel what one member carries, as one connection gets no more.
    pub rate: Option<Rate>,
    /// The link's `framing`.
    pub framing: &'static str,
    /// Its file divides a transmit buffer among queues, and does not say how much it is.
    pub divides: bool,
    /// The place for its cable, in the form of [`port_name`].
    pub cable: String,
    /// The tag of what it sends as a router.
    pub tag: Tag,
    /// What its file says of it as a switch's port; `None` of a router's.
    pub switch: Option<Interface>,
    /// `description`, `set port name`.
    pub description: Option<String>,
    /// A circuit ends at it.
    circuit: bool,
    /// The circuit is one of the whole port, whatever tags its frames have.
    pub any_tag: bool,
}

/// A port by the numbers of its node and of itself.
pub(super) type End = (usize, usize);

/// The routers of all files, in the order of these.
pub(super) fn nodes(report: &Report) -> Vec<Node> {
    let junos = report.routers.iter().map(|r| of_junos(report, r));
    let ios = report.devices.iter().map(|d| of_ios(report, d));
    let mut all: Vec<Node> = junos.chain(ios).collect();
    all.sort_by_key(|n| n.file);
    all
}

fn of_junos(report: &Report, router: &Junos) -> Node {
    let on = router.connections.iter().filter(|c| c.off.is_none());
    let circuits = on.filter_map(|c| match &c.joins {
        Joins::Remote { interface, .. } => interface.as_ref().map(|i| i.value.clone()),
        _ => None,
    });
    let circuits: Vec<String> = circuits.collect();
    let mut closed = Vec::new();
    let mut ports = Vec::new();
    for interface in &router.interfaces {
        match (interface.off.is_some(), is_inside(&interface.name)) {
            (true, _) => closed.push((interface.name.clone(), "is switched off")),
            (_, true) => closed.push((interface.name.clone(), "is not a place for a cable")),
            _ => {
                parts(router, interface, &circuits, &mut ports, &mut closed);
            }
        }
    }
    Node {
        name: router.name.clone(),
        file: router.place.file,
        dialect: report.files[router.place.file].dialect,
        ports,
        closed,
    }
}

/// The ports that an interface is: one for each unit with a tag, and one for the others together. `circuits` are the
/// interfaces of circuits.
fn parts(
    router: &Junos,
    interface: &JunosPort,
    circuits: &[String],
    ports: &mut Vec<Port>,
    closed: &mut Vec<(String, &'static str)>,
) {
    // A map that nothing defines divides nothing: that it is not defined is said when the path is built.
    let divided = |name: &str| {
        let cos = &router.class_of_service;
        let mut maps = applied(cos, name).filter_map(|c| c.map.as_ref());
        maps.any(|used| cos.maps.iter().any(|m| m.name.value == used.value))
    };
    let port = |name: String, units: &[&Unit], tag: Tag| Port {
        cable: port_name(&name),
        addresses: units
            .iter()
            .flat_map(|u| &u.addresses)
            .map(|a| a.value)
            .collect(),
        rate: interface
            .rate()
            .or_else(|| of_bundle(router, &interface.name)),
        framing: match interface.is_sonet() {
            true => "pos",
            false => "ethernet",
        },
        divides: divided(&name),
        tag,
        switch: None,
        description: None,
        circuit: false,
        any_tag: false,
        name,
    };
    let of = |u: &Unit| vlan::of_unit(interface, u);
    let ends_at = |u: &Unit| {
        let full = format!("{}.{}", interface.name, u.number);
        let is = |c: &String| *c == full || u.number == "0" && *c == interface.name;
        circuits.iter().any(is)
    };
    let is_tagged = |u: &&Unit| of(u) != Tag::Untagged && (ends_at(u) || !u.addresses.is_empty());
    let (tagged, rest): (Vec<&Unit>, Vec<&Unit>) = interface.units.iter().partition(is_tagged);
    for unit in tagged.iter().filter(|u| u.off.is_none()) {
        let name = format!("{}.{}", interface.name, unit.number);
        match of(unit) {
            Tag::Other => closed.push((name, "has two tags, and a link has one")),
            // Frames keep their tag through the circuit.
            tag => ports.push(Port {
                circuit: ends_at(unit),
                ..port(name, &[unit], tag)
            }),
        }
    }
    let circuit = rest.iter().any(|u| ends_at(u));
    let routed: Vec<&&Unit> = rest.iter().filter(|u| !u.addresses.is_empty()).collect();
    let name = match routed[..] {
        [unit] if !tagged.is_empty() && !circuit => format!("{}.{}", interface.name, unit.number),
        _ => interface.name.clone(),
    };
    if circuit || tagged.is_empty() || !routed.is_empty() {
        let circuit = Port {
            circuit,
            any_tag: circuit && interface.tagging.is_none(),
            ..port(name, &rest, Tag::Untagged)
        };
        ports.push(circuit);
    }
}

fn of_ios(report: &Report, device: &Device) -> Node {
    let mut closed = Vec::new();
    let mut ports = Vec::new();
    for named in device.interfaces.iter().filter(|i| !i.is_type()) {
        let Some(interface) = device.interface(&named.name) else {
            continue;
        };
        if is_switch_port(device, &interface) {
            ports.push(Port {
                switch: Some(interface.clone()),
                ..port_of(device, &interface)
            });
        }
        match why_closed(&interface) {
            // Its parts speak for it.
            Some(_) if is_divided(device, &interface.name) => {}
            Some(why) => closed.push((interface.name, why)),
            None => ports.push(port_of(device, &interface)),
        }
    }
    let file = &report.files[device.file];
    let stem = |name: &str| {
        let own = name.rsplit('/').next().unwrap_or(name);
        own.split('.').next().unwrap_or(own).to_owned()
    };
    Node {
        name: device.name.clone().unwrap_or_else(|| stem(&file.name)),
        file: device.file,
        dialect: device.dialect,
        ports,
        closed,
    }
}

/// Whether an interface is a port of a switch that a cable may lead to.
fn is_switch_port(device: &Device, interface: &Interface) -> bool {
    let out = interface.shutdown || interface.channel.is_some();
    is_switched(device, interface) && !out && !is_virtual(&interface.name)
}

/// Whether an interface has subinterfaces.
fn is_divided(device: &Device, name: &str) -> bool {
    let part = |i: &Interface| {
        i.name
            .strip_prefix(name)
            .is_some_and(|r| r.starts_with('.'))
    };
    device.interfaces.iter().any(part)
}

/// Why no address shows what a cable at this interface leads to.
fn why_closed(interface: &Interface) -> Option<&'static str> {
    let layer_2 = interface.switchport.as_ref();
    let table = interface.vrf.as_ref().map(|v| v.value.to_ascii_lowercase());
    if interface.shutdown {
        Some("is shut down")
    } else if table.is_some_and(|t| t.starts_with("mgmt") || t.starts_with("management")) {
        Some("is in the routing table of management")
    } else if is_virtual(&interface.name) {
        Some("is not a place for a cable, and which port its frames leave by is in no file")
    } else if interface.channel.is_some() {
        Some("is a member of a channel")
    } else if layer_2.is_some_and(|s| matches!(s.value, Switchport::Access | Switchport::Trunk)) {
        Some("is a switch port, and no address shows what it leads to")
    } else if interface.addresses.is_empty() {
        Some("has no address")
    } else if vlan::of_interface(interface) == Tag::Other {
        Some("has two tags or another encapsulation, and a link has one tag of 802.1Q")
    } else {
        None
    }
}

fn port_of(device: &Device, interface: &Interface) -> Port {
    let port = SwitchPort::of(device, interface, &Options::default());
    let framing = match interface
        .name
        .trim_end_matches(|c: char| !c.is_alphabetic())
    {
        "ATM" => "atm",
        "POS" => "pos",
        _ => "ethernet",
    };
    Port {
        name: interface.name.clone(),
        addresses: interface.addresses.iter().map(|a| a.value).collect(),
        rate: port.rate.or_else(|| of_members(device, &interface.name)),
        framing,
        divides: device.platform.is_catalyst() && port.enabled && says_queues(interface),
        cable: port_name(&interface.name),
        tag: vlan::of_interface(interface),
        switch: None,
        description: interface.description.as_ref().map(|d| d.value.clone()),
        circuit: false,
        any_tag: false,
    }
}

/// What the slowest member of `ae0` carries.
fn of_bundle(router: &Junos, bundle: &str) -> Option<Rate> {
    let is = |i: &&JunosPort| i.member_of.as_ref().is_some_and(|m| m.value == bundle);
    let on = router.interfaces.iter().filter(|i| i.off.is_none());
    on.filter(is).filter_map(JunosPort::rate).min()
}

/// What the slowest member of `Port-channel1` carries.
fn of_members(device: &Device, channel: &str) -> Option<Rate> {
    let number = channel_number(channel)?;
    let is = |i: &&Interface| i.channel.as_ref().is_some_and(|c| c.value.number == number);
    let members = device.interfaces.iter().filter(is);
    let rates = members.filter_map(|i| SwitchPort::of(device, i, &Options::default()).rate);
    rates.min()
}

/// Every pair of ports in one subnet, once.
pub(super) fn links(nodes: &[Node]) -> Vec<(End, End)> {
    let mut subnets: BTreeMap<(u32, u8), Vec<End>> = BTreeMap::new();
    for (end, port) in all(nodes) {
        for (address, length) in &port.addresses {
            if (1..32).contains(length) {
                let net = u32::from(*address) >> (32 - length);
                subnets.entry((net, *length)).or_default().push(end);
            }
        }
    }
    let mut found = BTreeSet::new();
    for ends in subnets.values().filter(|e| e.len() <= MOST_ON_A_LINK) {
        for a in ends {
            let others = ends.iter().filter(|b| a.0 < b.0);
            found.extend(others.map(|b| (*a, *b)));
        }
    }
    found.into_iter().collect()
}

/// The two ports behind which the path's ends are: those of circuits, else those that no file joins to another.
pub(super) fn ends(
    nodes: &[Node],
    joined: &BTreeSet<End>,
    apart: &str,
    files: &[&str],
) -> Result<[End; 2], String> {
    let of_circuit = |(end, port): (End, &Port)| port.circuit.then_some(end);
    let mut found: Vec<End> = all(nodes).filter_map(of_circuit).collect();
    let circuits = !found.is_empty();
    if !circuits {
        let open = |(end, port): &(End, &Port)| !port.addresses.is_empty() && !joined.contains(end);
        found = all(nodes).filter(open).map(|(end, _)| end).collect();
    }
    <[End; 2]>::try_from(found).map_err(|found| {
        let kind = match circuits {
            true => "circuits end at",
            false => "interfaces that no other file's subnet joins are",
        };
        let what = match found.is_empty() {
            true => "none".to_owned(),
            false => found
                .iter()
                .map(|e| described(nodes, *e, files))
                .collect::<Vec<_>>()
                .join(", "),
        };
        let closed = closed(nodes, files);
        format!("{kind} {what}, and a path has two ends{closed}{apart}: give the files of one path, or describe it in a scenario with `config` for each [[router]]")
    })
}

/// The first file without a port that a wire could end at, and why its interfaces are none.
pub(super) fn without_port(nodes: &[Node], files: &[&str]) -> Option<String> {
    let none = |n: &&Node| n.ports.is_empty();
    let node = nodes.iter().find(none)?;
    let file = files[node.file];
    if node.closed.is_empty() {
        return Some(format!("{file} states no interface"));
    }
    Some(format!(
        "{file} has no interface that a link could end at: {}",
        listed(node)
    ))
}

fn all(nodes: &[Node]) -> impl Iterator<Item = (End, &Port)> {
    let numbered = nodes.iter().enumerate();
    numbered.flat_map(|(n, node)| {
        let ports = node.ports.iter().enumerate();
        ports.map(move |(p, port)| ((n, p), port))
    })
}

/// `ge-0/0/0 of ams (t/ams.conf, 192.0.2.1/30)`.
fn described(nodes: &[Node], (n, p): End, files: &[&str]) -> String {
    let (node, port) = (&nodes[n], &nodes[n].ports[p]);
    let addresses = port.addresses.iter();
    let addresses: String = addresses.map(|(a, l)| format!(", {a}/{l}")).collect();
    format!(
        "{} of {} ({}{addresses})",
        port.name, node.name, files[node.file]
    )
}

/// What else might have been an end, and is not: of files other than Junos', whose addresses stand elsewhere than the cables.
fn closed(nodes: &[Node], files: &[&str]) -> String {
    let lists = nodes
        .iter()
        .filter(|n| !is_junos(n.dialect) && !n.closed.is_empty());
    let all: Vec<String> = lists
        .map(|n| format!("of {} {}", files[n.file], listed(n)))
        .collect();
    match all.is_empty() {
        true => String::new(),
        false => format!(" ({})", all.join("; ")),
    }
}

/// At most this many interfaces are named.
const MOST_NAMED: usize = 6;

fn listed(node: &Node) -> String {
    let named = node.closed.iter().take(MOST_NAMED);
    let mut all: Vec<String> = named.map(|(name, why)| format!("{name} {why}")).collect();
    if node.closed.len() > MOST_NAMED {
        all.push(format!("{} more", node.closed.len() - MOST_NAMED));
    }
    all.join(", ")
}

fn is_junos(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Junos | Dialect::JunosSet)
}

/// Loopback and management, which no path leads through (Junos interface naming).
fn is_inside(name: &str) -> bool {
    [
        "lo", "fxp", "em", "me", "vme", "irb", "vlan", "st", "pp", "dsc", "vtep",
    ]
    .iter()
    .any(|kind| {
        let rest = name.strip_prefix(kind);
        rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
    })
}

/// Interfaces of IOS that are in no slot.
fn is_virtual(name: &str) -> bool {
    [
        "Loopback", "Vlan", "Tunnel", "Null", "BVI", "MgmtEth", "mgmt", "nve", "tunnel-",
    ]
    .iter()
    .any(|kind| name.starts_with(kind))
}
