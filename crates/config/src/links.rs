//! Links, two interfaces in one subnet, in files of whichever language: MTUs (CCC014), tags (CCC023), channels (QOS025),
//! speed and duplex (QOS013), and what tunnels over them take (QOS028).

mod tunnels;

use core::net::Ipv4Addr;
use std::collections::BTreeMap;

use crate::ccc::{self, Unknown};
use crate::finding::Finding;
use crate::junos::model::{Interface as JunosPort, Router, Unit};
use crate::qos::{
    ChannelMode, Device, Duplex, Interface, Speed, channel_number, default_mtu, default_packet,
};
use crate::report::Report;
use crate::rules::{CCC014, CCC023, QOS013, QOS025};
use crate::source::{Place, Source};
use crate::vlan::{self, Tag};

/// Most interfaces in one subnet for it to be taken for links between each two.
pub const MOST_ON_A_LINK: usize = 16;

/// Subnets at least so long are those of two ends of one cable.
const CABLE: u8 = 30;

/// What an interface takes.
#[derive(PartialEq)]
struct Takes {
    /// The largest IP packet, in bytes; `None` where only the machine knows it.
    packet: Option<u64>,
    /// Whether the configuration states it.
    stated: bool,
    /// Of Junos the largest frame, and `family mpls mtu`.
    frame: Option<(u64, Option<u64>)>,
    mtu: Mtu,
}

/// What an `mtu` is that of.
#[derive(PartialEq)]
enum Mtu {
    /// Packets.
    Packets,
    /// Frames, as Junos counts their header.
    JunosFrames,
    /// Frames, as IOS XR counts their header.
    IosXrFrames,
}

/// An interface with an address.
struct End {
    /// As a message names it: the interface and its router.
    name: String,
    /// The whole router.
    router: Place,
    takes: Takes,
    /// Where that is stated, or the interface.
    place: Place,
    tag: Tag,
    /// Where the tag is stated, or the interface.
    tagged: Place,
    /// Statements about it that nobody understood.
    doubts: Vec<Place>,
    /// Of a channel: how it forms, in words too, and where that is stated.
    channel: Option<(ChannelMode, String, Place)>,
    /// Of an Ethernet port: what it does to agree with the other end, where that is known.
    speed: Option<(Agreed, Place)>,
}

/// How a port comes to its speed and duplex.
#[derive(Clone, Copy, PartialEq)]
enum Agreed {
    /// It negotiates both (IEEE 802.3 clause 28).
    Negotiated,
    /// Both are stated: Mbit/s, and whether both ends may send at once.
    Fixed(u32, bool),
    /// It has 1 Gbit/s, and does not negotiate, by this statement.
    Mute(&'static str),
}

/// The findings on all links that the files' subnets show. `unknown` is what nobody understood of Junos, in order.
pub(crate) fn check(sources: &[Source], unknown: &[Unknown], report: &mut Report) {
    let mut subnets: BTreeMap<(u32, u8), Vec<End>> = BTreeMap::new();
    for router in &report.routers {
        of_junos(router, unknown, &mut subnets);
    }
    for device in &report.devices {
        of_ios(device, &sources[device.file].text, &mut subnets);
    }
    let tunnels = tunnels::check(&report.devices, &subnets);
    report.findings.extend(tunnels);
    for ((_, length), ends) in subnets {
        if ends.len() > MOST_ON_A_LINK {
            continue;
        }
        let Some((first, others)) = ends.split_first() else {
            continue;
        };
        let others = others.iter().filter(|o| o.router != first.router);
        for other in others {
            report.findings.extend(differ(first, other));
            report.findings.extend(never_forms(first, other));
            // In a larger subnet a switch is likely in between.
            if length >= CABLE && ends.len() == 2 {
                report.findings.extend(disagree(first, other));
            }
            report
                .findings
                .extend(tags_differ(first, other, &report.devices));
        }
    }
}

/// Adds an interface to the subnets of its addresses.
fn add(
    subnets: &mut BTreeMap<(u32, u8), Vec<End>>,
    addresses: impl Iterator<Item = (Ipv4Addr, u8)>,
    end: impl Fn() -> End,
) {
    for subnet in addresses.filter_map(subnet) {
        subnets.entry(subnet).or_default().push(end());
    }
}

/// The subnet of an address, which may hold others: its first bits, and how many they are.
fn subnet((address, length): (Ipv4Addr, u8)) -> Option<(u32, u8)> {
    let net = || (u32::from(address) >> (32 - length), length);
    (1..32).contains(&length).then(net)
}

fn of_junos(router: &Router, unknown: &[Unknown], subnets: &mut BTreeMap<(u32, u8), Vec<End>>) {
    for interface in router.interfaces.iter().filter(|i| i.off.is_none()) {
        for unit in interface.units.iter().filter(|u| u.off.is_none()) {
            let end = || junos_end(router, interface, unit, unknown);
            add(subnets, unit.addresses.iter().map(|a| a.value), end);
        }
    }
}

fn junos_end(router: &Router, interface: &JunosPort, unit: &Unit, unknown: &[Unknown]) -> End {
    let port = interface.mtu.as_ref().map(|m| &m.place);
    let inet = unit.inet_mtu.as_ref();
    let mpls = unit.mpls_mtu.as_ref();
    let stated = inet.map(|m| &m.place).or(port);
    let place = mpls.map(|m| &m.place).or(stated);
    let frame = interface.media_mtu().as_bytes();
    let packet = frame.saturating_sub(interface.header());
    // What a tunnel takes by default only the machine knows.
    let tunnel = ["gr-", "ip-", "st0"]
        .iter()
        .any(|kind| interface.name.starts_with(kind));
    let by_default = Some(packet).filter(|_| !tunnel);
    End {
        name: format!("`{}.{}` of `{}`", interface.name, unit.number, router.name),
        router: router.place.clone(),
        takes: Takes {
            packet: inet.map(|m| m.value.as_bytes()).or(by_default),
            stated: stated.is_some(),
            frame: by_default.map(|_| (frame, mpls.map(|m| m.value.as_bytes()))),
            mtu: Mtu::JunosFrames,
        },
        place: place.unwrap_or(&unit.place).clone(),
        tag: vlan::of_unit(interface, unit),
        tagged: unit.vlan.as_ref().map_or(&unit.place, |v| &v.place).clone(),
        doubts: ccc::unknown_in(unknown, &router.place, &[&["interfaces", &interface.name]]),
        channel: bundle(interface),
        speed: agreed_of_junos(interface),
    }
}

fn of_ios(device: &Device, text: &str, subnets: &mut BTreeMap<(u32, u8), Vec<End>>) {
    // `system mtu` sets what interfaces have by default, and only some releases apply it to routed ones.
    let says = |l: &str| l.starts_with("system ") && l.contains("mtu");
    let default_known = !text.lines().any(|l| says(l.trim_start()));
    for named in device.interfaces.iter().filter(|i| !i.is_type()) {
        let Some(interface) = device.interface(&named.name).filter(|i| !i.shutdown) else {
            continue;
        };
        let stated = interface.ip_mtu.as_ref().or(interface.mtu.as_ref());
        let default = || default_mtu(&interface).or_else(|| default_packet(device, &interface));
        let by_default = default_known.then(default).flatten();
        let packet = stated.map(|m| m.value).or(by_default).map(u64::from);
        let name = device.name.as_deref().unwrap_or("the other router");
        let whole = Place {
            file: device.file,
            span: 0..text.len(),
        };
        let place = stated.map(|m| &m.place).or(interface.place.as_ref());
        let end = || End {
            name: format!("`{}` of `{name}`", interface.name),
            router: whole.clone(),
            takes: Takes {
                packet,
                stated: stated.is_some(),
                frame: None,
                mtu: match interface.header_in_mtu {
                    0 => Mtu::Packets,
                    _ => Mtu::IosXrFrames,
                },
            },
            place: place.unwrap_or(&whole).clone(),
            tag: vlan::of_interface(&interface),
            tagged: interface
                .tag
                .as_ref()
                .map(|t| &t.place)
                .or(interface.place.as_ref())
                .unwrap_or(&whole)
                .clone(),
            doubts: interface.unknown.clone(),
            channel: channel(device, &interface.name),
            speed: agreed(device, &interface),
        };
        add(subnets, interface.addresses.iter().map(|a| a.value), end);
    }
}

/// How the members of a channel form it: of `Port-channel1`, or of one of its subinterfaces.
fn channel(device: &Device, name: &str) -> Option<(ChannelMode, String, Place)> {
    let number = channel_number(name)?;
    let members = device.interfaces.iter().filter_map(|i| i.channel.as_ref());
    let mut members = members.filter(|c| c.value.number == number);
    members.find_map(|c| {
        let mode = c.value.mode?;
        Some((mode, format!("`mode {}`", mode.word()), c.place.clone()))
    })
}

/// How a bundle of Junos forms.
fn bundle(interface: &JunosPort) -> Option<(ChannelMode, String, Place)> {
    let number = interface.name.strip_prefix("ae")?;
    number.parse::<u32>().ok()?;
    Some(match &interface.lacp {
        Some(lacp) => {
            let says = format!("`lacp {}`", lacp.value.word());
            (lacp.value, says, lacp.place.clone())
        }
        None => (
            ChannelMode::On,
            "no LACP".to_owned(),
            interface.place.clone(),
        ),
    })
}

/// Whether a port of Junos is one whose speed ends agree on.
fn ethernet(interface: &JunosPort) -> bool {
    interface.name.starts_with("ge-") || interface.name.starts_with("fe-")
}

/// How a port of Junos comes to its speed. Whether one that states speed or duplex negotiates depends on the machine, where
/// `no-auto-negotiation` does not say.
fn agreed_of_junos(port: &JunosPort) -> Option<(Agreed, Place)> {
    if !ethernet(port) {
        return None;
    }
    let mode = port.link_mode.as_ref().map(|m| m.value.as_str());
    let Some(off) = &port.no_negotiation else {
        let negotiates = port.speed.is_none() && mode.is_none();
        return negotiates.then(|| (Agreed::Negotiated, port.place.clone()));
    };
    let mbps = u32::try_from(port.rate()?.as_bps() / 1_000_000).ok()?;
    let agreed = match (mode, mbps) {
        (Some("half-duplex"), _) => Agreed::Fixed(mbps, false),
        (_, 1000) => Agreed::Mute("no-auto-negotiation"),
        (Some("full-duplex"), _) => Agreed::Fixed(mbps, true),
        _ => return None,
    };
    Some((agreed, off.clone()))
}

/// How a port of IOS comes to its speed; none where only one of speed and duplex is stated, which QOS013 says by itself.
fn agreed(device: &Device, interface: &Interface) -> Option<(Agreed, Place)> {
    let whole = interface.name.split('.').next().unwrap_or_default();
    let port = device.interfaces.iter().find(|i| i.name == whole)?;
    let copper = ["Ethernet", "FastEthernet", "GigabitEthernet"];
    let kind = whole.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    if !copper.contains(&kind) {
        return None;
    }
    let speed = port.speed.as_ref().map_or(Speed::Auto, |s| s.value);
    let duplex = port.duplex.as_ref().map_or(Duplex::Auto, |d| d.value);
    if let Some(off) = port.negotiation.as_ref().filter(|n| !n.value)
        && kind == "GigabitEthernet"
        && matches!(speed, Speed::Auto | Speed::Fixed(1000))
        && duplex != Duplex::Half
    {
        return Some((Agreed::Mute("no negotiation auto"), off.place.clone()));
    }
    let agreed = match (speed, duplex) {
        (Speed::Auto, Duplex::Auto) => Agreed::Negotiated,
        (Speed::Fixed(mbps), Duplex::Full) => Agreed::Fixed(mbps, true),
        (Speed::Fixed(mbps), Duplex::Half) => Agreed::Fixed(mbps, false),
        _ => return None,
    };
    let stated = port.speed.as_ref().map(|s| &s.place);
    let place = stated.or(port.place.as_ref())?;
    Some((agreed, place.clone()))
}

/// QOS013, of two ends of a cable that do not come to one speed and duplex.
fn disagree(near: &End, far: &End) -> Option<Finding> {
    let (ours, place) = near.speed.as_ref()?;
    let (theirs, other) = far.speed.as_ref()?;
    let word = |full: bool| if full { "full" } else { "half" };
    let message = match (*ours, *theirs) {
        (Agreed::Fixed(a, _), Agreed::Fixed(b, _)) if a != b => format!(
            "{} is fixed to {a} Mbit/s and {} to {b}: the link stays down",
            near.name, far.name
        ),
        (Agreed::Fixed(_, a), Agreed::Fixed(_, b)) if a != b => format!(
            "{} is {} duplex and {} {}: under load frames collide and are lost",
            near.name,
            word(a),
            far.name,
            word(b)
        ),
        // A port of 1 Gbit/s and more negotiates whatever is stated.
        (Agreed::Fixed(mbps @ ..=100, true), Agreed::Negotiated) => falls_to_half(near, mbps, far),
        (Agreed::Negotiated, Agreed::Fixed(mbps @ ..=100, true)) => falls_to_half(far, mbps, near),
        (Agreed::Mute(by), Agreed::Negotiated) => hears_nothing(near, by, far),
        (Agreed::Negotiated, Agreed::Mute(by)) => hears_nothing(far, by, near),
        _ => return None,
    };
    let mute = [ours, theirs]
        .iter()
        .any(|end| matches!(end, Agreed::Mute(_)));
    let remedy = match mute {
        true => {
            "`negotiation auto` of IOS, `auto-negotiation` of Junos, at both ends; over fibre both may do without it"
        }
        false => {
            "`speed auto` and `duplex auto` (Junos: `auto-negotiation`) at both ends; or the same speed and `duplex full` at both (older IOS: `full-duplex`, Junos: `link-mode full-duplex`), as where a card of older IOS has no `duplex auto`"
        }
    };
    let finding = Finding::new(&QOS013, message, place.clone(), vec![remedy.to_owned()]);
    Some(of_both(finding, (near, far), other))
}

/// A finding at the near end with the place at the far one, and what nobody understood of either.
fn of_both(mut finding: Finding, (near, far): (&End, &End), other: &Place) -> Finding {
    finding.relate(other.clone(), "the other end");
    finding.doubt(near.doubts.iter().chain(&far.doubts).cloned());
    finding
}

fn falls_to_half(fixed: &End, mbps: u32, other: &End) -> String {
    format!(
        "{} is fixed to {mbps} Mbit/s full duplex and {} negotiates: it hears the speed, falls to half duplex, and frames are lost under load",
        fixed.name, other.name
    )
}

fn hears_nothing(mute: &End, by: &str, other: &End) -> String {
    format!(
        "{} has `{by}` at 1 Gbit/s and {} negotiates: over fibre the latter hears no offer and stays down while the former may be up (IEEE 802.3 clause 37), and copper needs both to negotiate (clause 40)",
        mute.name, other.name
    )
}

/// QOS025, of the two ends of a channel.
fn never_forms(near: &End, far: &End) -> Option<Finding> {
    let (near_end, far_end) = near.channel.as_ref().zip(far.channel.as_ref())?;
    let (a, ours, place) = near_end;
    let (b, theirs, other) = far_end;
    if a.forms_with(*b) {
        return None;
    }
    let message = format!(
        "{} forms its channel with {ours}, {} with {theirs}: it never forms",
        near.name, far.name
    );
    let remedy =
        "`mode active` (Junos: `lacp active`) at both ends, or no protocol, `mode on`, at both"
            .to_owned();
    let finding = Finding::new(&QOS025, message, place.clone(), vec![remedy]);
    Some(of_both(finding, (near, far), other))
}

/// The finding, where the ends take different sizes.
fn differ(near: &End, far: &End) -> Option<Finding> {
    let (a, b) = (&near.takes, &far.takes);
    let packets = a.packet.zip(b.packet).is_some_and(|(a, b)| a != b);
    let frames = a.frame.zip(b.frame).is_some_and(|(a, b)| a != b);
    if !packets && !frames {
        return None;
    }
    let show = |takes: &Takes| {
        let default = if takes.stated { "" } else { " by default" };
        let packet = takes.packet.unwrap_or_default();
        let mut text = format!("IP packets of {packet} bytes{default}");
        if let Some((frame, mpls)) = takes.frame.filter(|_| frames) {
            let mpls = mpls.map_or(String::new(), |m| format!(", `family mpls mtu {m}`"));
            text += &format!(" (frames of {frame}{mpls})");
        }
        text
    };
    let message = format!(
        "the link's ends differ: {} takes {}, {} {}",
        near.name,
        show(a),
        far.name,
        show(b)
    );
    let remedy = match a.mtu == b.mtu {
        true => "write the same `mtu` on both ends of the link",
        false => {
            "let both ends carry the same IP packets: Junos counts the Ethernet header in `mtu` (14 bytes, 18 with a tag), and so does IOS XR (14); IOS and NX-OS do not"
        }
    };
    let place = near.place.clone();
    let finding = Finding::new(&CCC014, message, place, vec![remedy.to_owned()]);
    Some(of_both(finding, (near, far), &far.place))
}

/// The finding, where the ends have different tags and no switch of `devices` may be between them.
fn tags_differ(near: &End, far: &End, devices: &[Device]) -> Option<Finding> {
    let (a, b) = (near.tag, far.tag);
    if a == b || devices.iter().any(|d| vlan::joins(d, a, b)) {
        return None;
    }
    let message = format!(
        "the link's ends have different tags: {} has {a}, {} has {b}",
        near.name, far.name
    );
    let id = [a, b].into_iter().find_map(|t| match t {
        Tag::Id(id) => Some(id),
        Tag::Untagged | Tag::Other => None,
    });
    let id = id.unwrap_or(vlan::DEFAULT);
    let remedy = format!(
        "write one VLAN on both ends, such as `encapsulation dot1Q {id}` (IOS), `vlan-tagging` and `vlan-id {id}` (Junos); or give the file of the switch between them, which changes the tag"
    );
    let finding = Finding::new(&CCC023, message, near.tagged.clone(), vec![remedy]);
    Some(of_both(finding, (near, far), &far.tagged))
}
