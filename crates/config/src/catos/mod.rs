//! CatOS: flat `set …` commands, the part about queues, marks and ports.
//!
//! Queues are set for all ports of a type at once, so a type is an interface of its own here,
//! `ports of type 1p2q2t`, beside the ports by number.

mod port;
mod queueing;

use core::ops::Range;

use farpath_units::{Rate, Size};

use crate::dialect::Dialect;
use crate::ios::{Reader, Taken, Words, note, shortened};
use crate::qos::{Action, Class, Device, Police, PolicyMap, Stated, Switchport};
use crate::qos::{OF_TYPE, faults};

/// First words of commands.
const VERBS: [&str; 14] = [
    "set", "clear", "commit", "show", "begin", "end", "enable", "exit", "write", "config",
    "switch", "copy", "no", "reset",
];

/// After `set`, with no bearing on queues, classes and ports' lines.
const PASSED_OVER: [&str; 34] = [
    "arp",
    "authentication",
    "banner",
    "boot",
    "cam",
    "cdp",
    "config",
    "enablepass",
    "errdisable-timeout",
    "garp",
    "gvrp",
    "igmp",
    "interface",
    "ip",
    "length",
    "logging",
    "logout",
    "mls",
    "module",
    "multicast",
    "ntp",
    "password",
    "prompt",
    "rcp",
    "rgmp",
    "snmp",
    "spantree",
    "summertime",
    "system",
    "time",
    "timezone",
    "udld",
    "vlan",
    "vtp",
];

/// Reads file number `file`.
pub(crate) fn read(text: &str, file: usize) -> Device {
    let mut reader = Reader::new(file, Dialect::CatOs);
    let mut at = 0;
    let mut pending: Option<Range<usize>> = None;
    let mut notes = Vec::new();
    for raw in text.split_inclusive('\n') {
        let content = raw.trim();
        let start = at + (raw.len() - raw.trim_start().len());
        at += raw.len();
        if content.is_empty() || content.starts_with(['#', '!']) {
            flush(&mut reader, text, &mut pending);
            notes.push((content, start));
            continue;
        }
        let verb = content
            .split_whitespace()
            .next()
            .is_some_and(|w| VERBS.contains(&w));
        match &mut pending {
            // A terminal wraps a long command; the rest of it begins with no command word.
            Some(span) if !verb && span.len() >= WRAPPED => span.end = start + content.len(),
            _ => {
                flush(&mut reader, text, &mut pending);
                pending = Some(start..start + content.len());
            }
        }
    }
    flush(&mut reader, text, &mut pending);
    for_types(&mut reader, &notes);
    reader.device
}

/// Gives the notes, and the largest MTU of any port, to the port types: which port has which type is
/// not in the text.
fn for_types(reader: &mut Reader, notes: &[(&str, usize)]) {
    let interfaces = &reader.device.interfaces;
    let types: Vec<usize> = (0..interfaces.len())
        .filter(|i| interfaces[*i].name.starts_with(OF_TYPE))
        .collect();
    let mtu = interfaces
        .iter()
        .filter_map(|i| i.mtu.clone())
        .max_by_key(|m| m.value);
    for (content, at) in notes {
        note(reader, content, *at, &types);
    }
    for number in types {
        reader.device.interfaces[number].mtu = mtu.clone();
    }
}

/// A command at least this long may go on in the next line.
const WRAPPED: usize = 70;

fn flush(reader: &mut Reader, text: &str, pending: &mut Option<Range<usize>>) {
    let Some(span) = pending.take() else { return };
    let content = &text[span.clone()];
    let taken = statement(reader, Words::new(content, span.start), span.clone());
    if !reader.count(taken) || reader.is_prose(content, span.start) {
        return;
    }
    let place = reader.place(span);
    if content.contains("qos") {
        reader.device.unknown_qos.push(place.clone());
    }
    reader.device.unknown.push(place);
}

fn statement(reader: &mut Reader, mut words: Words<'_>, span: Range<usize>) -> Taken {
    match words.next().map(|w| w.text) {
        Some("set") => {}
        Some("begin" | "end" | "show" | "enable" | "exit" | "write" | "config") => {
            return Taken::PassedOver;
        }
        Some("commit") => return Taken::PassedOver,
        _ => return Taken::Unknown,
    }
    match words.next().map(|w| w.text) {
        Some("qos") => qos(reader, words, span),
        Some("port") => port::port(reader, words, span),
        Some("trunk") => {
            let Some(ports) = words.next() else {
                return Taken::Unknown;
            };
            let on = words.next().is_some_and(|w| !matches!(w.text, "off"));
            let mode = if on {
                Switchport::Trunk
            } else {
                Switchport::Access
            };
            let stated = reader.stated(mode, span.clone());
            port::each(reader, ports.text, span, |i| {
                i.switchport = Some(stated.clone())
            })
        }
        Some(word) if PASSED_OVER.contains(&word) => Taken::PassedOver,
        _ => Taken::Unknown,
    }
}

fn qos(reader: &mut Reader, mut words: Words<'_>, span: Range<usize>) -> Taken {
    let Some(what) = words.next() else {
        return Taken::Unknown;
    };
    match what.text {
        "enable" | "disable" => {
            reader.finish(words);
            reader.device.qos = Some(reader.stated(what.text == "enable", span));
            Taken::Understood
        }
        "map" | "wrr" | "txq-ratio" | "drop-threshold" | "wred" => {
            match queueing::of_type(reader, what.text, &mut words, span) {
                Some(()) => {
                    reader.finish(words);
                    Taken::Understood
                }
                None => Taken::Unknown,
            }
        }
        "cos-dscp-map" | "ipprec-dscp-map" => {
            let Some(list) = reader.numbers(&mut words, "a DSCP", 0..=63) else {
                return Taken::Unknown;
            };
            let Ok(table) = <[u64; 8]>::try_from(list) else {
                let place = what.span();
                reader.fault(
                    &faults::MISSING,
                    place,
                    format!("`set qos {}` takes eight DSCP values", what.text),
                    "write one for each of 0 to 7, such as 0 8 16 24 32 40 48 56",
                );
                return Taken::Unknown;
            };
            reader.finish(words);
            let table = table.map(|d| d as u8);
            let maps = &mut reader.device.maps;
            let (map, name) = match what.text {
                "cos-dscp-map" => (&mut maps.cos_dscp, "cos-dscp"),
                _ => (&mut maps.precedence_dscp, "ip-prec-dscp"),
            };
            *map = table;
            mapped(reader, name, span)
        }
        "dscp-cos-map" => dscp_map(reader, words, span, 7, "dscp-cos"),
        "policed-dscp-map" => dscp_map(reader, words, span, 63, "policed-dscp"),
        "policer" => policer(reader, words, span),
        "acl"
        | "policy-source"
        | "statistics"
        | "bridged-microflow-policing"
        | "mac-cos"
        | "rsvp"
        | "ipprec-tos" => Taken::PassedOver,
        _ => Taken::Unknown,
    }
}

fn mapped(reader: &mut Reader, value: &'static str, span: Range<usize>) -> Taken {
    let place = reader.place(span);
    reader.device.maps.stated.push(Stated { value, place });
    Taken::Understood
}

/// `set qos dscp-cos-map 8-15:1 16:2`.
fn dscp_map(
    reader: &mut Reader,
    words: Words<'_>,
    span: Range<usize>,
    most: u64,
    name: &'static str,
) -> Taken {
    for word in words {
        let Some((from, to)) = word.text.split_once(':') else {
            reader.fault(
                &faults::RANGE,
                word.span(),
                format!(
                    "`{}` is no pair of a DSCP list and the value it becomes",
                    shortened(word.text)
                ),
                "write DSCP values, a colon and the value, such as 8-15:1",
            );
            return Taken::Unknown;
        };
        let from = reader.numbers(&mut Words::new(from, word.at), "a DSCP", 0..=63);
        let at = word.at + word.text.len() - to.len();
        let to = reader.number(&mut Words::new(to, at), "the value they become", 0..=most);
        let (Some(from), Some(to)) = (from, to) else {
            return Taken::Unknown;
        };
        let maps = &mut reader.device.maps;
        let table = if most == 7 {
            &mut maps.dscp_cos
        } else {
            &mut maps.policed_dscp
        };
        for dscp in from {
            table[dscp as usize] = to as u8;
        }
    }
    mapped(reader, name, span)
}

/// `set qos policer aggregate|microflow NAME rate KBPS policed-dscp|drop burst KBIT`. A policer is a
/// policy of its own name with one class here.
fn policer(reader: &mut Reader, mut words: Words<'_>, span: Range<usize>) -> Taken {
    words.next();
    let Some(name) = words.next() else {
        return Taken::Unknown;
    };
    let (mut rate, mut burst, mut exceed) = (None, None, Action::Drop);
    while let Some(word) = words.next() {
        match word.text {
            "rate" => rate = reader.number(&mut words, "a rate in kbit/s", 1..=100_000_000),
            "burst" => burst = reader.number(&mut words, "a burst in kbit", 1..=1_000_000),
            "drop" => exceed = Action::Drop,
            "policed-dscp" => exceed = Action::MarkDown,
            _ => return Taken::Unknown,
        }
    }
    let (Some(rate), Some(burst)) = (rate.and_then(|r| Rate::from_bps(r * 1000)), burst) else {
        return Taken::Unknown;
    };
    let police = Police {
        rate,
        burst: Size::from_bytes(burst * 125),
        max_burst: None,
        peak: None,
        conform: Action::Transmit,
        exceed,
        violate: None,
    };
    let place = reader.place(span.clone());
    let mut class = Class::named("class-default", place.clone());
    class.police = Some(reader.stated(police, span));
    reader.device.policy_maps.push(PolicyMap {
        name: name.text.to_owned(),
        place,
        classes: vec![class],
        unknown: Vec::new(),
    });
    Taken::Understood
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_type_has_its_queues() {
        let text = "set qos enable\nset qos map 1p2q2t tx 1 1 cos 0\nset qos map 1p2q2t tx 2 1 cos 1\nset qos map 1p2q2t 3 1 cos 5\nset qos wrr 1p2q2t 99 1\nset qos txq-ratio 1p2q2t 70 15 15\nset port qos 3/1-2 trust trust-dscp\nset qos dscp-cos-map 0-7:0 8-15:1\nset port jumbo 3/1 enable\n";
        let device = read(text, 0);
        assert_eq!(device.faults, []);
        assert_eq!(device.unknown, []);
        assert_eq!(device.interfaces.len(), 3);
        let said = &device.interfaces[0].queueing;
        assert_eq!(said.bandwidth.as_ref().expect("weights").value, [99, 1]);
        assert_eq!(said.strict_cos.as_ref().expect("strict").value, [5]);
        assert_eq!(said.strict_limit.as_ref().expect("limit").value, 15);
        assert_eq!(device.interfaces[1].name, "3/1");
        assert_eq!(
            device.interfaces[1].mtu.as_ref().expect("jumbo").value,
            9216
        );
    }

    #[test]
    fn a_wrapped_line_is_one_command() {
        let wrapped = "set qos dscp-cos-map 0-7:0 8-15:1 16-23:2 24-31:3 32-39:4 40-47:5 48-55:6\n56-63:7\nset qos enable\n";
        let device = read(wrapped, 0);
        assert_eq!(device.maps.stated.len(), 1);
        assert!(device.unknown.is_empty() && device.qos.is_some());
    }
}
