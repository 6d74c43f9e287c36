//! `set port …`: one port's line, trust and default CoS.

use core::ops::Range;

use crate::ios::{Reader, Taken, Words, trust_named};
use crate::qos::{ChannelGroup, Direction, Duplex, Interface, Speed, Stated};

/// Reads what follows `set port`.
pub(super) fn port(reader: &mut Reader, mut words: Words<'_>, span: Range<usize>) -> Taken {
    let (Some(what), Some(list)) = (words.next(), words.next()) else {
        return Taken::Unknown;
    };
    let (what, list) = (what.text, list.text);
    let value = words.next().map(|w| w.text);
    let place = reader.place(span.clone());
    match (what, value) {
        ("qos", Some(kind)) => port_qos(reader, list, kind, words, span),
        ("speed" | "duplex", Some(value)) => speed_or_duplex(reader, list, value, span),
        ("jumbo", Some(text)) => {
            // Jumbo frames of CatOS ports are 9216 bytes.
            let mtu = (text == "enable").then_some(Stated { value: 9216, place });
            each(reader, list, span, |i| i.mtu = mtu.clone())
        }
        ("name", _) => {
            let value = format!("{} {}", value.unwrap_or_default(), words.rest().text);
            let value = value.trim_end().to_owned();
            let description = Stated { value, place };
            each(reader, list, span, |i| {
                i.description = Some(description.clone())
            })
        }
        ("flowcontrol", Some(text @ ("send" | "receive"))) => {
            let direction = match text {
                "send" => Direction::Output,
                _ => Direction::Input,
            };
            let wanted = words
                .next()
                .is_some_and(|w| matches!(w.text, "on" | "desired"));
            let value = (direction, wanted);
            let said = Stated { value, place };
            each(reader, list, span, |i| i.flow_control.push(said.clone()))
        }
        ("channel", Some(text)) => match text.parse() {
            Ok(number) => {
                let value = ChannelGroup { number };
                let channel = Stated { value, place };
                each(reader, list, span, |i| i.channel = Some(channel.clone()))
            }
            Err(_) => Taken::PassedOver,
        },
        ("disable" | "enable", None) => {
            each(reader, list, span, |i| i.shutdown = what == "disable")
        }
        (
            "negotiation" | "broadcast" | "membership" | "security" | "trap" | "protocol" | "host",
            _,
        ) => Taken::PassedOver,
        _ => Taken::Unknown,
    }
}

fn speed_or_duplex(reader: &mut Reader, list: &str, value: &str, span: Range<usize>) -> Taken {
    let place = reader.place(span.clone());
    let duplex = match value {
        "half" => Some(Duplex::Half),
        "full" => Some(Duplex::Full),
        _ => None,
    };
    if let Some(value) = duplex {
        let duplex = Stated { value, place };
        return each(reader, list, span, |i| i.duplex = Some(duplex.clone()));
    }
    let value = match (value, value.parse()) {
        ("auto", _) => Speed::Auto,
        (_, Ok(mbps)) => Speed::Fixed(mbps),
        _ => return Taken::Unknown,
    };
    let speed = Stated { value, place };
    each(reader, list, span, |i| i.speed = Some(speed.clone()))
}

fn port_qos(
    reader: &mut Reader,
    list: &str,
    kind: &str,
    mut words: Words<'_>,
    span: Range<usize>,
) -> Taken {
    match kind {
        "trust" => {
            let Some(value) = trust_named(words.next().map(|w| w.text)) else {
                return Taken::Unknown;
            };
            reader.finish(words);
            let trust = reader.stated(value, span.clone());
            each(reader, list, span, |i| i.trust = Some(trust.clone()))
        }
        "cos" => {
            let Some(value) = reader.number(&mut words, "a CoS", 0..=7) else {
                return Taken::Unknown;
            };
            reader.finish(words);
            let cos = reader.stated(value as u8, span.clone());
            each(reader, list, span, |i| i.default_cos = Some(cos.clone()))
        }
        "vlan-based" | "port-based" | "policy-source" | "trust-ext" | "cos-ext"
        | "trust-device" => Taken::PassedOver,
        _ => Taken::Unknown,
    }
}

/// Does `f` to every port of a list such as `3/1-4,4/2`.
pub(super) fn each(
    reader: &mut Reader,
    list: &str,
    span: Range<usize>,
    mut f: impl FnMut(&mut Interface),
) -> Taken {
    for name in ports(list) {
        let number = reader.interface(&name, span.clone());
        f(&mut reader.device.interfaces[number]);
    }
    Taken::Understood
}

fn ports(list: &str) -> Vec<String> {
    let mut all = Vec::new();
    for part in list.split(',').filter(|p| !p.is_empty()) {
        let (module, range) = part.split_once('/').unwrap_or(("", part));
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let to = to.rsplit('/').next().unwrap_or(to);
        match (from.parse::<u32>(), to.parse::<u32>()) {
            (Ok(a), Ok(b)) if a <= b && b - a < 1024 => {
                all.extend((a..=b).map(|n| format!("{module}/{n}")))
            }
            _ => all.push(part.to_owned()),
        }
    }
    all
}
