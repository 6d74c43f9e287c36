//! Interfaces: their names, and what stands inside them.

use farpath_units::Rate;

use super::keywords::slip;
use super::kinds::full_name;
use super::rate_limit::rate_limit;
use super::{address, atm, crypto, duplex, over, queueing, srr};
use crate::commands::{
    BANDWIDTH, BUNDLE, CHANNEL, COS, DIAL_POOL, DSCP, Kind, MSS, MSS_IPV6, MTU, MTU_NEXUS, Reader,
    SHARE, SPEED, STRICT_SHARE, Section, Statement, Tree, VLAN, Words, note, shortened, trust,
};
use crate::platform::Platform;
use crate::qos::{
    ChannelGroup, ChannelMode, Direction, Interface, RandomDetect, Service, Speed, Stated, Storm,
    StormControl, StormLevel, Switchport, Trust, TunnelMode,
};
use crate::rules::faults;
use crate::vlan::{Tag, Vlans};

static INTERFACE: Section<Interface> = Section {
    undo: true,
    read: &[
        ("~description", |s| {
            let text = s.words.rest().text.to_owned();
            s.put(Some(text), |i| &mut i.description)
        }),
        ("~shutdown", |s| {
            s.finish();
            let on = !s.off;
            s.each(|i| i.shutdown = on)
        }),
        ("~mtu", |s| {
            let range = match s.reader.device.platform {
                Platform::NxOs => MTU_NEXUS,
                _ => MTU,
            };
            let mtu: Option<u32> = s.number_unless_off(range);
            s.finish();
            let stated = mtu.map(|mtu| s.stated(mtu));
            s.each(|i| {
                let packet = |mtu: u32| mtu.saturating_sub(i.header_in_mtu);
                i.mtu = stated.clone().map(|m| Stated {
                    value: packet(m.value),
                    place: m.place,
                });
            })
        }),
        ("~speed", speed),
        ("~duplex", duplex::stated),
        ("~full-duplex", duplex::full),
        ("~half-duplex", duplex::half),
        ("~switchport", switchport),
        ("~switchport access vlan", |s| {
            let vlan = s.number_unless_off(VLAN);
            s.finish();
            s.put(vlan, |i| &mut i.access_vlan)
        }),
        ("~switchport trunk native vlan", |s| {
            let vlan = s.number_unless_off(VLAN);
            s.finish();
            s.put(vlan, |i| &mut i.native_vlan)
        }),
        ("~switchport trunk allowed vlan", allowed_vlans),
        ("~switchport trunk encapsulation", |s| {
            let isl = s.next() == Some("isl");
            s.put(isl.then_some(Tag::Other), |i| &mut i.tag)
        }),
        ("~encapsulation", encapsulation),
        ("~channel-group", |s| {
            let number = s.number_unless_off(CHANNEL);
            s.words.accept("force");
            let stated = s.words.accept("mode");
            let mode = stated.then(|| s.choice(&CHANNEL_MODES)).flatten();
            // NX-OS shows no mode where it is `on`.
            let silent = !stated && s.reader.device.platform == Platform::NxOs;
            let mode = mode.or(silent.then_some(ChannelMode::On));
            s.put(number.map(|number| ChannelGroup { number, mode }), |i| {
                &mut i.channel
            })
        }),
        ("~bundle ~id", |s| {
            let number = s.number_unless_off(BUNDLE);
            let stated = s.words.accept("mode");
            let mode = stated.then(|| s.choice(&CHANNEL_MODES)).flatten();
            // Without a mode a bundle speaks no protocol (IOS XR, `bundle id`).
            let mode = mode.or(Some(ChannelMode::On));
            s.put(number.map(|number| ChannelGroup { number, mode }), |i| {
                &mut i.channel
            })
        }),
        ("~negotiation", negotiation),
        ("~flowcontrol", flow_control),
        ("~service-policy", service),
        ("~pvc", atm::pvc),
        ("~mls ~qos trust", trusted),
        ("~mls ~qos cos", default_cos),
        ("~ip|ipv4 ~address", address::address),
        ("~ipv6 ~address", address::address_ipv6),
        ("~ip|ipv4 ~mtu", |s| {
            let mtu = s.number_unless_off(MTU);
            s.finish();
            s.put(mtu, |i| &mut i.ip_mtu)
        }),
        ("~ip ~tcp ~adjust-mss", |s| {
            let mss = s.number_unless_off(MSS);
            s.finish();
            s.put(mss, |i| &mut i.adjust_mss)
        }),
        ("~ipv6 ~tcp ~adjust-mss", |s| {
            let mss = s.number_unless_off(MSS_IPV6);
            s.finish();
            s.put(mss, |i| &mut i.adjust_mss_ipv6)
        }),
        ("~vrf", vrf),
        ("~ip ~vrf", vrf),
        ("switchport voice vlan", |s| {
            s.next();
            s.put(Some(()), |i| &mut i.voice_vlan)
        }),
        ("~bandwidth", bandwidth),
        ("~ipv6 ~mtu", |s| {
            let mtu = s.number_unless_off(MTU);
            s.finish();
            s.put(mtu, |i| &mut i.ipv6_mtu)
        }),
        ("~tunnel ~source", |s| {
            let source: String = s.words.rest().text.split_whitespace().collect();
            s.put(Some(full_name(&source)), |i| &mut i.tunnel.source)
        }),
        ("~tunnel ~mode", tunnel_mode),
        ("~tunnel ~protection", |s| {
            let named = crypto::profile_of(s.words.rest().text);
            s.put(Some(named.to_owned()), |i| &mut i.tunnel.protection)
        }),
        ("~tunnel ~key", |s| s.put(Some(()), |i| &mut i.tunnel.key)),
        ("dialer pool", |s| {
            let pool = s.number_unless_off(DIAL_POOL);
            s.put(pool, |i| &mut i.pppoe.pool)
        }),
        ("pppoe-client dial-pool-number", |s| {
            let pool = s.number_unless_off(DIAL_POOL);
            s.put(pool, |i| &mut i.pppoe.client)
        }),
        ("pppoe-client ppp-max-payload", |s| {
            s.put(Some(()), |i| &mut i.pppoe.larger)
        }),
        ("pppoe enable", |s| {
            s.put(Some(()), |i| &mut i.pppoe.enabled)
        }),
        ("~storm-control * ~level", storm_level),
        ("~rate-limit", rate_limit),
        ("wrr-queue bandwidth", queueing::bandwidth),
        ("wrr-queue queue-limit", |s| {
            s.put_numbers(SHARE, |i| &mut i.queueing.limits)?;
            queueing::end(s)
        }),
        ("wrr-queue cos-map", |s| {
            queueing::map(s, COS, |q| &mut q.cos_maps)
        }),
        ("wrr-queue dscp-map", |s| {
            queueing::map(s, DSCP, |q| &mut q.dscp_maps)
        }),
        ("wrr-queue threshold", queueing::thresholds),
        ("wrr-queue random-detect", queueing::random_detect),
        ("wrr-queue random-detect min-threshold", |s| {
            queueing::random_threshold(s, RandomDetect::Min)
        }),
        ("wrr-queue random-detect max-threshold", |s| {
            queueing::random_threshold(s, RandomDetect::Max)
        }),
        ("srr-queue bandwidth share", srr::share),
        ("srr-queue bandwidth shape", srr::shape),
        ("srr-queue bandwidth limit", srr::limit),
        ("priority-queue out", srr::expedite),
        ("queue-set", srr::queue_set),
        ("priority-queue cos-map", queueing::strict_cos),
        ("priority-queue queue-limit", |s| {
            s.put_number(STRICT_SHARE, |i| &mut i.queueing.strict_limit)?;
            queueing::end(s)
        }),
        (
            "rcv-queue bandwidth|cos-map|queue-limit|threshold|random-detect|dscp-map",
            |s| {
                let place = s.place();
                s.each(|i| i.queueing.receive.push(place.clone()))
            },
        ),
    ],
    over: &[
        "~access-group|arp|atm|authentication|auto|carrier-delay|cdp|channel-protocol|clock|crc|crypto|delay",
        "~dot1x|hold-queue|ip|ipv6|isis|keepalive|lacp|lldp|load-interval|logging|mac-address|media-type",
        "~mpls|ntp|pos|snmp|spanning-tree|standby|storm-control|tunnel|udld|vrrp|vrf",
        "dialer|pppoe|pppoe-client|ppp|auto|cts|macsec|mka|trust|device-tracking|fair-queue|plim|nat64|eigrp",
        over::ON_INTERFACES[0],
        over::ON_INTERFACES[1],
        over::ON_INTERFACES[2],
        "~mls ~qos vlan-based|bridged|channel-consistency|loopback|mpls",
    ],
};

/// How a channel forms.
const CHANNEL_MODES: [(&str, ChannelMode); 5] = [
    ("on", ChannelMode::On),
    ("active", ChannelMode::Active),
    ("passive", ChannelMode::Passive),
    ("desirable", ChannelMode::Desirable),
    ("auto", ChannelMode::Auto),
];

/// A statement of interfaces.
type Said<'s, 'r, 't> = &'s mut Statement<'r, 't, Interface>;

/// Reads what stands inside the interfaces `targets`.
pub(super) fn section(reader: &mut Reader, tree: &Tree<'_>, header: usize, targets: &[usize]) {
    let mut each = |reader: &mut Reader, _: &str, _: &_, f: &mut dyn FnMut(&mut Interface)| {
        for target in targets {
            f(&mut reader.device.interfaces[*target]);
        }
    };
    for line in tree.inside(Some(header)) {
        match tree.lines()[line].kind {
            Kind::Comment => note(reader, tree, line, &mut each),
            Kind::Statement => {
                let taken = reader.take(&INTERFACE, tree, line, &mut each);
                if let Some(place) = reader.unknown(taken, tree, line) {
                    for target in targets {
                        let unknown = &mut reader.device.interfaces[*target].unknown;
                        unknown.push(place.clone());
                    }
                }
            }
            Kind::Blank | Kind::Leave | Kind::Blob => {}
        }
    }
}

fn speed(s: Said<'_, '_, '_>) -> Option<()> {
    let words = [("auto", Speed::Auto), ("nonegotiate", Speed::NoNegotiation)];
    let value = match s.off {
        true => None,
        false => match s.choice(&words) {
            None => Some(Speed::Fixed(s.number(SPEED)?)),
            named => named,
        },
    };
    // `speed auto 10 100` and the like limit what is offered.
    if value != Some(Speed::Auto) {
        s.finish();
    }
    s.put(value, |i| &mut i.speed)
}

/// `vrf forwarding NAME`, `vrf member NAME`, `vrf NAME`.
fn vrf(s: Said<'_, '_, '_>) -> Option<()> {
    let _ = s.words.accept("forwarding") || s.words.accept("member");
    let name = s.next().map(str::to_owned);
    s.put(name, |i| &mut i.vrf)?;
    s.pass_over()
}

/// `bandwidth KBPS`; `bandwidth receive …`, `inherit` and `qos-reference …` are passed over.
fn bandwidth(s: Said<'_, '_, '_>) -> Option<()> {
    if !s.off && s.words.peek().is_some_and(|w| !w.is_numeral()) {
        return s.pass_over();
    }
    let kbps: Option<u64> = s.number_unless_off(BANDWIDTH);
    if s.off {
        return s.put(None, |i| &mut i.bandwidth);
    }
    s.finish();
    s.put(Rate::from_bps(kbps? * 1000), |i| &mut i.bandwidth)
}

fn switchport(s: Said<'_, '_, '_>) -> Option<()> {
    let off = s.off;
    let value = match (s.next(), s.next()) {
        (None, _) if off => None,
        (Some("mode"), _) if off => Some(Switchport::Dynamic),
        (Some("mode"), Some("access")) => Some(Switchport::Access),
        (Some("mode"), Some("trunk")) => Some(Switchport::Trunk),
        (None | Some("mode"), _) => Some(Switchport::Dynamic),
        _ => return Some(()),
    };
    // A bare `switchport` does not undo the mode.
    let bare = value == Some(Switchport::Dynamic) && !off;
    let stated = value.map(|v| s.stated(v));
    s.each(|i| {
        if !(bare && i.switchport.is_some()) {
            i.switchport.clone_from(&stated);
        }
    })
}

/// `switchport trunk allowed vlan LIST`, and `add`, `remove`, `except`, `all`, `none`.
fn allowed_vlans(s: Said<'_, '_, '_>) -> Option<()> {
    if s.off {
        return s.each(|i| i.trunk_vlans = None);
    }
    let words = [
        ("add", (None, true)),
        ("remove", (None, false)),
        ("except", (Some(Vlans::all()), false)),
    ];
    let (from, carried) = match s.choice(&[("all", Vlans::all()), ("none", Vlans::none())]) {
        Some(whole) => {
            s.finish();
            return s.put(Some(whole), |i| &mut i.trunk_vlans);
        }
        None => s.choice(&words).unwrap_or((Some(Vlans::none()), true)),
    };
    let rest = s.words.rest();
    let list: String = rest.text.split_whitespace().collect();
    if Vlans::none().list(&list, true).is_none() {
        let short = shortened(rest.text);
        let message = format!("`{short}` is not a list of VLANs");
        let remedy = "write numbers from 1 to 4094, such as 10,20-29";
        s.reader.fault(&faults::RANGE, rest.span(), message, remedy);
        return None;
    }
    let place = s.place();
    s.each(|i| {
        let before = || i.trunk_vlans.as_ref().map(|v| v.value.clone());
        let mut vlans = from.clone().or_else(before).unwrap_or_else(Vlans::all);
        let _ = vlans.list(&list, carried);
        i.trunk_vlans = Some(Stated {
            value: vlans,
            place: place.clone(),
        });
    })
}

/// `encapsulation dot1Q ID [native]`; other encapsulations are not about VLANs.
fn encapsulation(s: Said<'_, '_, '_>) -> Option<()> {
    let kind = s.next().unwrap_or_default().to_ascii_lowercase();
    let value = match kind.as_str() {
        "dot1q" if s.off => None,
        "dot1q" => {
            let id = s.number(VLAN)?;
            let word = s.next().map(str::to_ascii_lowercase);
            Some(match word.as_deref() {
                Some("native") => Tag::Untagged,
                Some("second-dot1q") => Tag::Other,
                _ => Tag::Id(id),
            })
        }
        "isl" | "dot1ad" => Some(Tag::Other),
        _ => return s.pass_over(),
    };
    s.put(value, |i| &mut i.tag)
}

/// `negotiation auto`, `no negotiation auto`; `default negotiation auto` takes either back.
fn negotiation(s: Said<'_, '_, '_>) -> Option<()> {
    if !s.words.accept("auto") {
        return s.pass_over();
    }
    let line = s.tree.content(s.line).trim_start();
    let word = line.split_whitespace().next().unwrap_or("");
    let stated = match word.eq_ignore_ascii_case("default") {
        true => None,
        false => Some(s.stated(!s.off)),
    };
    s.each(|i| i.negotiation.clone_from(&stated))
}

fn flow_control(s: Said<'_, '_, '_>) -> Option<()> {
    let direction = s.choice(&[("send", Direction::Output), ("receive", Direction::Input)])?;
    let wanted = match s.next() {
        Some("on" | "desired") => !s.off,
        Some("off") => false,
        None if s.off => false,
        _ => return None,
    };
    s.finish();
    let stated = s.stated((direction, wanted));
    s.each(|i| {
        i.flow_control.retain(|f| f.value.0 != direction);
        i.flow_control.push(stated.clone());
    })
}

/// `service-policy [type KIND] input|output NAME`.
fn service(s: Said<'_, '_, '_>) -> Option<()> {
    let typed = s.words.accept("type");
    if typed && !matches!(s.next()?, "qos" | "queuing" | "queueing") {
        return s.pass_over();
    }
    let word = s.words.peek()?;
    slip(s.reader, word, ["input", "output"].into_iter());
    let direction = s.choice(&[("input", Direction::Input), ("output", Direction::Output)])?;
    let policy = s.next()?.to_owned();
    s.words.accept("no-stats");
    s.finish();
    let stated = s.stated(Service { direction, policy });
    let off = s.off;
    s.each(|i| {
        // Of two types there may be one each.
        let same = |said: &Stated<Service>| match typed {
            true => said.value == stated.value,
            false => said.value.direction == direction,
        };
        i.services.retain(|said| !same(said));
        i.services.extend((!off).then(|| stated.clone()));
    })
}

fn tunnel_mode(s: Said<'_, '_, '_>) -> Option<()> {
    let mode = match (s.next(), s.next()) {
        (Some("gre"), Some("ipv6")) => TunnelMode::GreIpv6,
        (Some("gre"), _) => TunnelMode::Gre,
        (Some("ipip"), _) => TunnelMode::Ipip,
        (Some("ipv6ip"), _) => TunnelMode::Ipv6ip,
        (Some("ipsec"), Some("ipv4")) => TunnelMode::Ipsec,
        _ => TunnelMode::Other,
    };
    s.put(Some(mode), |i| &mut i.tunnel.mode)
}

/// What a number is as a level of storm control.
type Level = fn(f64) -> StormLevel;

/// What a level counts, where it is not percent.
const LEVELS: [(&str, Level); 2] = [("bps", StormLevel::Bps), ("pps", StormLevel::Pps)];

/// `storm-control KIND level PERCENT [PERCENT]`, or `level bps|pps NUMBER [NUMBER]`.
fn storm_level(s: Said<'_, '_, '_>) -> Option<()> {
    let of = match s.named.to_ascii_lowercase().as_str() {
        "broadcast" => Storm::Broadcast,
        "multicast" => Storm::Multicast,
        "unicast" => Storm::Unicast,
        _ => return None,
    };
    let level = match s.off {
        true => None,
        false => {
            let unit = s.choice(&LEVELS).unwrap_or(StormLevel::Percent);
            Some(unit(scaled(s.next()?)?))
        }
    };
    let stated = level.map(|level| s.stated(StormControl { of, level }));
    s.each(|i| {
        i.storms.retain(|s| s.value.of != of);
        i.storms.extend(stated.clone());
    })
}

/// `5.00`, `10m`.
fn scaled(text: &str) -> Option<f64> {
    let scale = match text.as_bytes().last()? {
        b'k' => 1e3,
        b'm' => 1e6,
        b'g' => 1e9,
        _ => 1.0,
    };
    let digits = text.trim_end_matches(['k', 'm', 'g']);
    let number: f64 = digits.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number * scale)
}

fn trusted(s: Said<'_, '_, '_>) -> Option<()> {
    // Bare, it trusts DSCP, as `mls qos trust dscp` does.
    let value = match s.next() {
        _ if s.off => Trust::Nothing,
        None => Trust::Dscp,
        Some("extend" | "device") => return s.pass_over(),
        Some(word) => trust(word)?,
    };
    s.finish();
    let stated = s.stated(value);
    s.each(|i| i.trust = Some(stated.clone()))
}

fn default_cos(s: Said<'_, '_, '_>) -> Option<()> {
    if s.words.accept("override") {
        return s.finish();
    }
    let cos = s.number_unless_off(COS);
    s.finish();
    s.put(cos, |i| &mut i.default_cos)
}

/// The names after `interface`: of one, or of all of a range.
pub(super) fn names(words: &mut Words<'_>) -> Vec<String> {
    let range = words.accept("range");
    let rest = words.rest().text;
    if !range {
        let mut parts = rest.split_whitespace();
        let first = parts.next().unwrap_or_default();
        let split = !first.contains(|c: char| c.is_ascii_digit());
        let second = if split {
            parts.next().unwrap_or_default()
        } else {
            ""
        };
        return vec![full_name(&format!("{first}{second}"))];
    }
    let mut all = Vec::new();
    for part in rest.split(',') {
        let (from, to) = part
            .split_once('-')
            .filter(|(_, to)| !to.contains(char::is_alphabetic))
            .unwrap_or((part, ""));
        let from: String = from.split_whitespace().collect();
        let name = full_name(&from);
        let (stem, first) =
            name.split_at(name.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        let last = to.trim().rsplit('/').next().unwrap_or_default();
        match (first.parse::<u32>(), last.parse::<u32>()) {
            (Ok(a), Ok(b)) if a <= b && b - a < MOST_IN_RANGE => {
                all.extend((a..=b).map(|n| format!("{stem}{n}")))
            }
            _ if !name.is_empty() => all.push(name),
            _ => {}
        }
        if all.len() > MOST_IN_RANGE as usize {
            break;
        }
    }
    all
}

/// More interfaces than `interface range` takes.
const MOST_IN_RANGE: u32 = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<String> {
        names(&mut Words::new(text, 0))
    }

    #[test]
    fn names_are_written_out() {
        for text in [
            "GigabitEthernet3/1",
            "gi3/1",
            "Gig 3/1",
            "gigabitethernet 3/1",
        ] {
            assert_eq!(named(text), ["GigabitEthernet3/1"], "{text}");
        }
        assert_eq!(named("Te1/1.100"), ["TenGigabitEthernet1/1.100"]);
        assert_eq!(named("ATM1/0.1 point-to-point"), ["ATM1/0.1"]);
        assert_eq!(named("ü1"), ["ü1"]);
    }

    #[test]
    fn ranges_name_every_member() {
        assert_eq!(
            named("range GigabitEthernet3/1 - 3 , Fa4/1, gi 5/2-5/3"),
            [
                "GigabitEthernet3/1",
                "GigabitEthernet3/2",
                "GigabitEthernet3/3",
                "FastEthernet4/1",
                "GigabitEthernet5/2",
                "GigabitEthernet5/3"
            ]
        );
        assert!(named("range gi1/1 - 4000000000").len() < 2);
    }
}
