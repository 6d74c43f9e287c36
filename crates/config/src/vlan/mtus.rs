//! QOS034: ports of one switch that carry one VLAN and take packets of unlike sizes. What comes in by the larger one and
//! leaves by the smaller one is dropped, and nothing at layer 2 answers with ICMP. So is what the switch's own interface in
//! that VLAN routes to a port that takes less.

use std::collections::{BTreeMap, BTreeSet};

use super::{DEFAULT, LAST, Vlans, is_switched};
use crate::ccc::{self, Unknown};
use crate::dialect::Dialect;
use crate::finding::{Finding, Severity};
use crate::joined::{JUMBO, TAGS, by_default, is_default_known};
use crate::junos::model::{Interface as JunosPort, Router, Switching, Vlan};
use crate::qos::{Device, Interface, Switchport, channel_number};
use crate::report::Report;
use crate::rules::QOS034;
use crate::source::{Place, Source};

/// The Ethernet header, which `mtu` of Junos counts.
const JUNOS_HEADER: u64 = 14;

/// The largest IP packet of an Ethernet port of Junos that states no `mtu`, bytes (Junos, "Media MTU sizes by interface type").
const JUNOS_DEFAULT: u64 = 1500;

/// How many ranges of VLANs a message names.
const MOST_RANGES: usize = 6;

/// The VLANs of a port.
enum Carries {
    /// This one alone.
    Access(u16),
    /// These.
    Trunk(Vlans),
    /// It is the interface of the switch in this VLAN, which routes to its ports.
    Routed(u16),
}

/// A port of a switch that is up.
struct Port {
    name: String,
    /// The largest IP packet, bytes.
    packet: u64,
    /// What its `mtu` counts beside the packet, bytes.
    header: u64,
    stated: bool,
    /// Where that is stated, or the port.
    place: Place,
    carries: Carries,
    /// Statements about it that nobody understood.
    doubts: Vec<Place>,
}

/// The first port with the smallest packets, and the first one with the largest, by number.
struct Ends {
    least: usize,
    most: usize,
}

/// The ports of one VLAN.
#[derive(Default)]
struct Carriers {
    access: Option<Ends>,
    trunk: Option<Ends>,
    routed: Option<Ends>,
}

/// A port that passes on more than another takes, by numbers.
struct Pair {
    wide: usize,
    narrow: usize,
    /// A trunk that takes less, too.
    trunk: Option<usize>,
    /// The wide one is so for this VLAN, and not perhaps for others alone.
    sure: bool,
}

/// QOS034, of every switch. `unknown` is what nobody understood of Junos, in order.
pub(crate) fn check(sources: &[Source], unknown: &[Unknown], report: &mut Report) {
    let mut found = Vec::new();
    for router in &report.routers {
        found.extend(unlike(&of_junos(router, unknown)));
    }
    // Ports of CatOS take one of two sizes, by `set port jumbo`.
    let of_ports = report.devices.iter();
    for device in of_ports.filter(|d| d.dialect != Dialect::CatOs) {
        found.extend(unlike(&of_ios(device, &sources[device.file].text)));
    }
    report.findings.extend(found);
}

fn of_ios(device: &Device, text: &str) -> Vec<Port> {
    let known = is_default_known(text);
    let channels = device.interfaces.iter().filter(|i| !i.name.contains('.'));
    let channels: BTreeSet<u32> = channels.filter_map(|i| channel_number(&i.name)).collect();
    // A member's VLANs and MTU are those of its channel, which QOS030 compares.
    let is_member = |i: &Interface| {
        let channel = i.channel.as_ref();
        channel.is_some_and(|c| channels.contains(&c.value.number))
    };
    let ports = device.interfaces.iter().filter(|i| {
        !i.shutdown && !i.name.contains('.') && is_switched(device, i) && !is_member(i)
    });
    let port = |interface: &Interface| {
        let stated = interface.mtu.as_ref();
        let packet = match stated {
            Some(mtu) => u64::from(mtu.value),
            None => by_default(device, interface, known)?,
        };
        Some(Port {
            name: interface.name.clone(),
            packet,
            header: u64::from(interface.header_in_mtu),
            stated: stated.is_some(),
            place: stated
                .map(|m| &m.place)
                .or(interface.place.as_ref())?
                .clone(),
            carries: carried(interface)?,
            doubts: interface.unknown.clone(),
        })
    };
    let routed = device.interfaces.iter().filter_map(routed);
    ports.filter_map(port).chain(routed).collect()
}

/// The interface of a switch in a VLAN, where its MTU is stated: it sends no larger packets than its `ip mtu` lets it.
fn routed(interface: &Interface) -> Option<Port> {
    let vlan: u16 = interface.name.strip_prefix("Vlan")?.parse().ok()?;
    let stated = interface.mtu.as_ref()?;
    let smaller = interface.ip_mtu.as_ref();
    let least = smaller
        .filter(|ip| ip.value < stated.value)
        .unwrap_or(stated);
    let routes = !interface.shutdown && !interface.addresses.is_empty();
    routes.then(|| Port {
        name: interface.name.clone(),
        packet: u64::from(least.value),
        header: u64::from(interface.header_in_mtu),
        stated: true,
        place: least.place.clone(),
        carries: Carries::Routed(vlan),
        doubts: interface.unknown.clone(),
    })
}

/// What a port of IOS carries; `None` where it may be a trunk, and does not say.
fn carried(interface: &Interface) -> Option<Carries> {
    let mode = interface.switchport.as_ref().map(|s| s.value);
    let trunk = interface.trunk_vlans.as_ref().map(|v| v.value.clone());
    match mode {
        Some(Switchport::Trunk) => Some(Carries::Trunk(trunk.unwrap_or_else(Vlans::all))),
        Some(Switchport::Dynamic) | None if trunk.is_some() => None,
        _ => {
            let vlan = interface.access_vlan.as_ref().map_or(DEFAULT, |v| v.value);
            Some(Carries::Access(vlan))
        }
    }
}

fn of_junos(router: &Router, unknown: &[Unknown]) -> Vec<Port> {
    let is_port = |i: &&JunosPort| i.off.is_none() && i.member_of.is_none() && i.is_framed();
    let mut ports = Vec::new();
    for interface in router.interfaces.iter().filter(is_port) {
        let units = interface.units.iter().filter(|u| u.off.is_none());
        let of_port: &[&str] = &["interfaces", &interface.name];
        for (unit, switching) in units.filter_map(|u| Some((u, u.switching.as_ref()?))) {
            let logical = format!("{}.{}", interface.name, unit.number);
            let Some(carries) = of_family(router, &logical, switching) else {
                continue;
            };
            let mtu = interface.mtu.as_ref();
            let packet = |bytes: u64| bytes.saturating_sub(JUNOS_HEADER);
            ports.push(Port {
                name: interface.name.clone(),
                packet: mtu.map_or(JUNOS_DEFAULT, |m| packet(m.value.as_bytes())),
                header: JUNOS_HEADER,
                stated: mtu.is_some(),
                place: mtu.map_or(&interface.place, |m| &m.place).clone(),
                carries,
                doubts: ccc::unknown_in(unknown, &router.place, &[of_port]),
            });
        }
    }
    ports
}

/// What a unit of a Junos switch carries, by its own statements and those of `vlans`; names that nothing defines are left out.
fn of_family(router: &Router, unit: &str, switching: &Switching) -> Option<Carries> {
    if switching.bridge {
        return bridged(router, unit, switching);
    }
    let mut vlans = Vlans::none();
    for member in &switching.members {
        let named = router.vlans.iter().find(|v| v.name == *member);
        if let Some(id) = named.and_then(|v| v.id) {
            vlans.set(id, id, true);
        } else if member == "all" {
            vlans = Vlans::all();
        } else {
            let _ = vlans.list(member, true);
        }
    }
    let of_unit = |v: &&Vlan| v.interfaces.iter().any(|i| i == unit);
    for id in router.vlans.iter().filter(of_unit).filter_map(|v| v.id) {
        vlans.set(id, id, true);
    }
    as_port(vlans, switching.trunk)
}

/// What a unit of `family bridge` carries: those of its VLANs that a bridge domain of the router's own switch has. `None` of units of
/// other switches.
fn bridged(router: &Router, unit: &str, switching: &Switching) -> Option<Carries> {
    let bridging = &router.bridging;
    if bridging.others.iter().any(|other| other == unit) {
        return None;
    }
    let mut vlans = vlans_of(&switching.members);
    let domains = vlans_of(&bridging.vlans);
    for id in (1..=LAST).filter(|id| !domains.has(*id)) {
        vlans.set(id, id, false);
    }
    as_port(vlans, switching.trunk)
}

/// The VLANs of numbers, of ranges of these, and of `all`; other words are left out.
fn vlans_of(words: &[String]) -> Vlans {
    let mut vlans = Vlans::none();
    for word in words {
        if word == "all" {
            vlans = Vlans::all();
        } else {
            let _ = vlans.list(word, true);
        }
    }
    vlans
}

fn as_port(vlans: Vlans, trunk: bool) -> Option<Carries> {
    match trunk {
        true => Some(Carries::Trunk(vlans)),
        false => (1..=LAST).find(|id| vlans.has(*id)).map(Carries::Access),
    }
}

/// The findings among the ports of one switch.
fn unlike(ports: &[Port]) -> Vec<Finding> {
    let alike = ports.windows(2).all(|w| w[0].packet == w[1].packet);
    if alike {
        return Vec::new();
    }
    let mut of_vlan: BTreeMap<u16, Carriers> = BTreeMap::new();
    for (number, port) in ports.iter().enumerate() {
        match &port.carries {
            Carries::Access(vlan) => {
                let at = of_vlan.entry(*vlan).or_default();
                widen(&mut at.access, ports, number);
            }
            Carries::Routed(vlan) => {
                let at = of_vlan.entry(*vlan).or_default();
                widen(&mut at.routed, ports, number);
            }
            Carries::Trunk(vlans) => {
                for vlan in (1..=LAST).filter(|v| vlans.has(*v)) {
                    let at = of_vlan.entry(vlan).or_default();
                    widen(&mut at.trunk, ports, number);
                }
            }
        }
    }
    // What is said of a trunk in one VLAN is not said again of each other.
    let mut pairs: BTreeMap<(usize, Option<usize>), (Pair, Vec<u16>)> = BTreeMap::new();
    for (vlan, carriers) in &of_vlan {
        if let Some(pair) = pair(ports, carriers) {
            let key = (pair.wide, pair.sure.then_some(pair.narrow));
            let (_, vlans) = pairs.entry(key).or_insert((pair, Vec::new()));
            vlans.push(*vlan);
        }
    }
    let found = pairs.values().map(|(pair, vlans)| said(ports, pair, vlans));
    found.collect()
}

fn widen(ends: &mut Option<Ends>, ports: &[Port], number: usize) {
    let packet = ports[number].packet;
    match ends {
        None => {
            *ends = Some(Ends {
                least: number,
                most: number,
            });
        }
        Some(ends) => {
            if packet < ports[ends.least].packet {
                ends.least = number;
            }
            if packet > ports[ends.most].packet {
                ends.most = number;
            }
        }
    }
}

/// Two ports of a VLAN of which one drops what the other passes on. A port of hosts is as wide as its hosts send; a trunk may
/// be so for other VLANs.
fn pair(ports: &[Port], carriers: &Carriers) -> Option<Pair> {
    let drops = |wide: usize, narrow: usize| {
        let (sends, takes) = (ports[wide].packet, ports[narrow].packet);
        sends > takes + TAGS && takes < JUMBO
    };
    let all = [&carriers.access, &carriers.trunk].into_iter().flatten();
    let narrow = all.map(|e| e.least).min_by_key(|n| ports[*n].packet)?;
    let least = carriers.trunk.as_ref().map(|trunk| trunk.least);
    let of = |wide: usize, narrow: usize, sure: bool| {
        let pair = Pair {
            wide,
            narrow,
            trunk: least.filter(|least| *least != narrow && drops(wide, *least)),
            sure,
        };
        drops(wide, narrow).then_some(pair)
    };
    let access = carriers.access.as_ref();
    let access = access.and_then(|e| of(e.most, narrow, true));
    let routed = carriers.routed.as_ref();
    let routed = || routed.and_then(|e| of(e.most, narrow, true));
    access.or_else(routed).or_else(|| {
        let trunk = carriers.trunk.as_ref()?;
        of(trunk.most, trunk.least, true).or_else(|| of(trunk.most, narrow, false))
    })
}

fn said(ports: &[Port], pair: &Pair, vlans: &[u16]) -> Finding {
    let (wide, narrow) = (&ports[pair.wide], &ports[pair.narrow]);
    let how = |p: &Port| if p.stated { "" } else { " by default" };
    let trunk = pair.trunk.map(|trunk| &ports[trunk]);
    let (more, less) = (wide.packet, narrow.packet);
    let names = listed(vlans);
    let routes = matches!(wide.carries, Carries::Routed(_));
    let sizes = format!(
        "{} takes packets of {more} bytes{}, and {} of {less}{}",
        wide.name,
        how(wide),
        narrow.name,
        how(narrow)
    );
    let message = match pair.sure {
        true if routes => format!(
            "{} routes packets of {more} bytes into {names}, and {} takes {less}{}: the switch drops what is larger there, and nothing answers with ICMP",
            wide.name,
            narrow.name,
            how(narrow)
        ),
        true => format!(
            "{sizes}; both carry {names}: the switch drops what is larger than {less} bytes between them, and nothing answers with ICMP"
        ),
        false => format!(
            "{sizes}; the trunk may have its MTU for other VLANs: in {names} the switch drops what is larger than the ports of hosts take, if it comes, and nothing answers with ICMP"
        ),
    };
    let remedies = vec![
        format!(
            "`mtu {}` on {}{}, and on every port that carries {names}, as {} has",
            more + narrow.header,
            narrow.name,
            trunk.map_or_else(String::new, |trunk| format!(", on {}", trunk.name)),
            wide.name
        ),
        match routes {
            true => format!(
                "or `mtu {less}` on {}, and on the hosts of {names}: the switch then answers larger packets with ICMP, or cuts them into pieces",
                wide.name
            ),
            false => format!(
                "or an MTU of at most {less} bytes on the hosts and routers of {names}, behind {} too",
                wide.name
            ),
        },
    ];
    let mut finding = Finding::new(&QOS034, message, narrow.place.clone(), remedies);
    finding.relate(wide.place.clone(), "takes larger packets");
    if let Some(trunk) = trunk {
        finding.relate(trunk.place.clone(), "takes smaller ones, too");
    }
    finding.doubt(wide.doubts.iter().chain(&narrow.doubts).cloned());
    if !pair.sure {
        finding.severity = Severity::Info;
    }
    finding
}

/// `VLAN 10`, `VLANs 1-9, 20`.
fn listed(vlans: &[u16]) -> String {
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for id in vlans {
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == *id => last.1 = *id,
            _ => ranges.push((*id, *id)),
        }
    }
    let shown = ranges.iter().take(MOST_RANGES);
    let shown: Vec<String> = shown
        .map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        })
        .collect();
    let plural = if vlans.len() == 1 { "" } else { "s" };
    let others = match ranges.len() > MOST_RANGES {
        true => " and others",
        false => "",
    };
    format!("VLAN{plural} {}{others}", shown.join(", "))
}
