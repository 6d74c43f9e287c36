//! Interfaces: their names, their notes, and the commands that are not about queues.

use core::ops::Range;

use farpath_units::{Rate, Ratio};

use super::read::{Reader, Taken};
use super::tree::Tree;
use super::words::Words;
use super::{atm, queueing};
use crate::qos::faults;
use crate::qos::{
    ChannelGroup, Direction, Duplex, Intent, Interface, Service, Speed, Switchport, Trust,
};

/// Kinds of interface, in full.
const KINDS: [&str; 14] = [
    "GigabitEthernet",
    "FastEthernet",
    "TenGigabitEthernet",
    "HundredGigE",
    "FortyGigabitEthernet",
    "Ethernet",
    "Port-channel",
    "Vlan",
    "Loopback",
    "ATM",
    "POS",
    "Serial",
    "Tunnel",
    "Null",
];

/// The names after `interface`: of one, or of all of a range.
pub(crate) fn names(words: &mut Words<'_>) -> Vec<String> {
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

fn full_name(name: &str) -> String {
    let digits = name
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(name.len());
    let (kind, number) = name.split_at(digits);
    let starts = |k: &&&str| k.len() >= kind.len() && k[..kind.len()].eq_ignore_ascii_case(kind);
    match KINDS
        .iter()
        .find(starts)
        .filter(|_| kind.len() > 1 && kind.is_ascii())
    {
        Some(full) => format!("{full}{number}"),
        None => name.to_owned(),
    }
}

/// A comment inside an interface: notes that begin with `farpath` say what the text cannot.
pub(crate) fn note(reader: &mut Reader, content: &str, at: usize, targets: &[usize]) {
    let span = at..at + content.len();
    let Some(text) = content
        .trim_start_matches(['!', '#'])
        .trim_start()
        .strip_prefix("farpath ")
    else {
        return;
    };
    let mut words = Words::new(text, at + content.len() - text.len());
    let said = match words.next().map(|w| w.text) {
        Some("port-type") => words
            .rest()
            .text
            .parse()
            .map_err(|e: crate::qos::PortTypeError| e.to_string())
            .map(|t| {
                let stated = reader.stated(t, span.clone());
                each(reader, targets, |i| {
                    i.queueing.port_type = Some(stated.clone())
                });
            }),
        Some("wrr-unit") => words
            .rest()
            .text
            .parse()
            .map_err(|e: farpath_units::ParseError| e.to_string())
            .map(|u| {
                let stated = reader.stated(u, span.clone());
                each(reader, targets, |i| i.queueing.unit = Some(stated.clone()));
            }),
        Some("line") => line_rate(words.rest().text).map(|r| {
            let stated = reader.stated(r, span.clone());
            each(reader, targets, |i| i.line = Some(stated.clone()));
        }),
        Some("lbe") => intent(words.rest().text).map(|t| {
            let stated = reader.stated(t, span.clone());
            each(reader, targets, |i| i.intent = Some(stated.clone()));
        }),
        _ => return,
    };
    if let Err(why) = said {
        reader.fault(
            &faults::RANGE,
            span,
            why,
            "notes are `! farpath port-type 1p2q2t`, `wrr-unit 1536 B`, `line stm4`, `lbe share 1 % dscp 8 mtu 9000`",
        );
    }
}

fn line_rate(text: &str) -> Result<Rate, String> {
    match farpath_predict::Signal::named(text) {
        Some(signal) => Ok(signal.payload),
        None => text
            .parse()
            .map_err(|e: farpath_units::ParseError| e.to_string()),
    }
}

fn intent(text: &str) -> Result<Intent, String> {
    let mut share = None;
    let mut dscp = 8;
    let mut mtu = None;
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        match word {
            "share" => {
                let percent = words.next_if(|w| *w == "%").is_some();
                let text = if percent {
                    format!("{value} %")
                } else {
                    value.to_owned()
                };
                share = Some(text.parse::<Ratio>().map_err(|e| e.to_string())?);
            }
            "dscp" => {
                let number: Option<u8> = value.parse().ok();
                dscp = number
                    .filter(|d| *d < 64)
                    .ok_or_else(|| format!("DSCP `{value}` is not one of 0 to 63"))?;
            }
            "mtu" => {
                mtu = Some(
                    value
                        .parse()
                        .map_err(|_| format!("MTU `{value}` is no number of bytes"))?,
                )
            }
            _ => return Err(format!("`{word}` is not one of share, dscp, mtu")),
        }
    }
    let share = share.ok_or("an lbe note states a share, such as `share 1 %`")?;
    Ok(Intent { share, dscp, mtu })
}

pub(crate) fn each(reader: &mut Reader, targets: &[usize], mut f: impl FnMut(&mut Interface)) {
    for target in targets {
        f(&mut reader.device.interfaces[*target]);
    }
}

/// Reads one statement of the interfaces `targets`.
pub(crate) fn statement(
    reader: &mut Reader,
    tree: &Tree<'_>,
    line: usize,
    targets: &[usize],
) -> Taken {
    let span = tree.lines()[line].span.clone();
    let mut words = Words::new(tree.content(line), span.start);
    let off = words.accept("no") || words.accept("default");
    let Some(word) = words.next() else {
        return Taken::Unknown;
    };
    match word.text.to_ascii_lowercase().as_str() {
        "description" => {
            let text = words.rest().text.to_owned();
            let stated = (!off).then(|| reader.stated(text, span));
            each(reader, targets, |i| i.description = stated.clone());
        }
        "shutdown" => {
            reader.finish(words);
            each(reader, targets, |i| i.shutdown = !off);
        }
        "mtu" => {
            let value = if off {
                None
            } else {
                reader.number(&mut words, "an MTU", 64..=65_535)
            };
            reader.finish(words);
            let stated = value.map(|v| reader.stated(v as u32, span));
            each(reader, targets, |i| i.mtu = stated.clone());
        }
        "speed" => return speed(reader, words, off, span, targets),
        "duplex" => return duplex(reader, words, off, span, targets),
        "switchport" => switchport(reader, words, off, span, targets),
        "channel-group" => {
            let value = if off {
                None
            } else {
                reader.number(&mut words, "a channel's number", 1..=4096)
            };
            let stated = value.map(|v| reader.stated(ChannelGroup { number: v as u32 }, span));
            each(reader, targets, |i| i.channel = stated.clone());
        }
        "flowcontrol" => return flow_control(reader, words, off, span, targets),
        "service-policy" => return service(reader, words, off, span, targets),
        "pvc" => return atm::pvc(reader, tree, line, off, targets),
        "mls" => return mls(reader, words, off, span, targets),
        "ip" if words.accept("address") => address(reader, words, off, span, targets),
        "wrr-queue" | "priority-queue" | "rcv-queue" => {
            return queueing::statement(reader, word.text, words, off, span, targets);
        }
        other if PASSED_OVER.contains(&other) => return Taken::PassedOver,
        _ => return Taken::Unknown,
    }
    Taken::Understood
}

/// Commands of interfaces with no bearing on queues, classes and circuits.
const PASSED_OVER: [&str; 36] = [
    "access-group",
    "arp",
    "atm",
    "authentication",
    "bandwidth",
    "carrier-delay",
    "cdp",
    "channel-protocol",
    "clock",
    "crc",
    "crypto",
    "delay",
    "dot1x",
    "encapsulation",
    "hold-queue",
    "ip",
    "ipv6",
    "isis",
    "keepalive",
    "lacp",
    "lldp",
    "load-interval",
    "logging",
    "mac-address",
    "media-type",
    "mpls",
    "negotiation",
    "ntp",
    "pos",
    "snmp",
    "spanning-tree",
    "standby",
    "storm-control",
    "udld",
    "vrrp",
    "vrf",
];

fn speed(
    reader: &mut Reader,
    mut words: Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Taken {
    let value = match words.peek().map(|w| w.text) {
        _ if off => None,
        Some("auto") => Some(Speed::Auto),
        Some("nonegotiate") => Some(Speed::NoNegotiation),
        _ => match reader.number(&mut words, "a speed in Mbit/s", 10..=400_000) {
            Some(n) => Some(Speed::Fixed(n as u32)),
            None => return Taken::Unknown,
        },
    };
    if matches!(value, Some(Speed::Auto | Speed::NoNegotiation)) {
        words.next();
    }
    // `speed auto 10 100` and the like limit what is offered.
    if value != Some(Speed::Auto) {
        reader.finish(words);
    }
    let stated = value.map(|v| reader.stated(v, span));
    each(reader, targets, |i| i.speed = stated.clone());
    Taken::Understood
}

fn duplex(
    reader: &mut Reader,
    mut words: Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Taken {
    let value = match words.next().map(|w| w.text) {
        _ if off => None,
        Some("auto") => Some(Duplex::Auto),
        Some("half") => Some(Duplex::Half),
        Some("full") => Some(Duplex::Full),
        _ => return Taken::Unknown,
    };
    reader.finish(words);
    let stated = value.map(|v| reader.stated(v, span));
    each(reader, targets, |i| i.duplex = stated.clone());
    Taken::Understood
}

fn switchport(
    reader: &mut Reader,
    mut words: Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) {
    let known = |i: &Interface| i.switchport.as_ref().map(|s| s.value);
    let value = match (words.next().map(|w| w.text), words.next().map(|w| w.text)) {
        (None, _) if off => None,
        (Some("mode"), _) if off => Some(Switchport::Dynamic),
        (Some("mode"), Some("access")) => Some(Switchport::Access),
        (Some("mode"), Some("trunk")) => Some(Switchport::Trunk),
        (None | Some("mode"), _) => Some(Switchport::Dynamic),
        _ => return,
    };
    let stated = value.map(|v| reader.stated(v, span));
    let bare = value == Some(Switchport::Dynamic);
    each(reader, targets, |i| {
        // A bare `switchport` does not undo the mode.
        if !(bare && !off && known(i).is_some()) {
            i.switchport = stated.clone();
        }
    });
}

fn flow_control(
    reader: &mut Reader,
    mut words: Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Taken {
    let direction = match words.next().map(|w| w.text) {
        Some("send") => Direction::Output,
        Some("receive") => Direction::Input,
        _ => return Taken::Unknown,
    };
    let wanted = match words.next().map(|w| w.text) {
        Some("on" | "desired") => !off,
        Some("off") => false,
        None if off => false,
        _ => return Taken::Unknown,
    };
    reader.finish(words);
    let stated = reader.stated((direction, wanted), span);
    each(reader, targets, |i| {
        i.flow_control.retain(|f| f.value.0 != direction);
        i.flow_control.push(stated.clone());
    });
    Taken::Understood
}

/// `service-policy input|output NAME`, of an interface.
fn service(
    reader: &mut Reader,
    mut words: Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Taken {
    let direction = match words.next().map(|w| w.text) {
        Some("input") => Direction::Input,
        Some("output") => Direction::Output,
        _ => return Taken::Unknown,
    };
    let Some(policy) = words.next() else {
        return Taken::Unknown;
    };
    reader.finish(words);
    let service = Service {
        direction,
        policy: policy.text.to_owned(),
    };
    let stated = reader.stated(service, span);
    each(reader, targets, |i| {
        i.services.retain(|s| s.value.direction != direction);
        if !off {
            i.services.push(stated.clone());
        }
    });
    Taken::Understood
}

/// The word after `trust`.
pub(crate) fn trust(word: Option<&str>) -> Option<Trust> {
    Some(match word? {
        "cos" | "trust-cos" => Trust::Cos,
        "dscp" | "trust-dscp" => Trust::Dscp,
        "ip-precedence" | "trust-ipprec" => Trust::Precedence,
        "untrusted" => Trust::Nothing,
        _ => return None,
    })
}

fn mls(
    reader: &mut Reader,
    mut words: Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Taken {
    if !words.accept("qos") {
        return Taken::Unknown;
    }
    match words.next().map(|w| w.text) {
        Some("trust") => {
            let word = words.next().map(|w| w.text);
            // Bare, it trusts DSCP, as `mls qos trust dscp` does.
            let value = match word {
                _ if off => Some(Trust::Nothing),
                None => Some(Trust::Dscp),
                Some("extend" | "device") => return Taken::PassedOver,
                word => trust(word),
            };
            let Some(value) = value else {
                return Taken::Unknown;
            };
            reader.finish(words);
            let stated = reader.stated(value, span);
            each(reader, targets, |i| i.trust = Some(stated.clone()));
        }
        Some("cos") => {
            let over = words.accept("override");
            let value = if off || over {
                None
            } else {
                reader.number(&mut words, "a CoS", 0..=7)
            };
            reader.finish(words);
            let stated = value.map(|v| reader.stated(v as u8, span));
            if !over {
                each(reader, targets, |i| i.default_cos = stated.clone());
            }
        }
        Some("vlan-based" | "bridged" | "channel-consistency" | "loopback" | "mpls") => {
            return Taken::PassedOver;
        }
        _ => return Taken::Unknown,
    }
    Taken::Understood
}

fn address(
    reader: &mut Reader,
    mut words: Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) {
    if off {
        return each(reader, targets, |i| i.addresses.clear());
    }
    let address = words.next().and_then(|w| w.text.parse().ok());
    let mask: Option<core::net::Ipv4Addr> = words.next().and_then(|w| w.text.parse().ok());
    let (Some(address), Some(mask)) = (address, mask) else {
        return;
    };
    let secondary = words.accept("secondary");
    let stated = reader.stated((address, mask.to_bits().leading_ones() as u8), span);
    each(reader, targets, |i| {
        if !secondary {
            i.addresses.clear();
        }
        i.addresses.push(stated.clone());
    });
}

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

    #[test]
    fn notes_state_what_is_meant() {
        let meant = intent("share 1 % dscp 8 mtu 9000").expect("whole");
        assert_eq!(
            (meant.share.get(), meant.dscp, meant.mtu),
            (0.01, 8, Some(9000))
        );
        assert_eq!(intent("share 1%").expect("short").dscp, 8);
        for bad in [
            "",
            "share",
            "share 2",
            "share 1 % dscp 64",
            "share 1 % mtu x",
            "colour red",
        ] {
            assert!(intent(bad).is_err(), "{bad}");
        }
    }
}
