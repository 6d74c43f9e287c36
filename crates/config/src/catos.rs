//! CatOS: flat `set …` commands, the part about queues, marks and ports.
//!
//! Queues are set for all ports of a type at once, so a type is an interface of its own here,
//! `ports of type 1p2q2t`, beside the ports by number.

mod marks;
mod port;
mod queueing;

use crate::commands::{COS, Kind, Line, Reader, Section, Statement, Tree, WEIGHT, note, trust};
use crate::dialect::Dialect;
use crate::qos::{Device, Interface};

static COMMANDS: Section<Interface> = Section {
    undo: false,
    read: &[
        ("set qos enable", |s| switch(s, true)),
        ("set qos disable", |s| switch(s, false)),
        ("set qos map", |s| queueing::of_type(s, queueing::cos_map)),
        ("set qos wrr", |s| {
            queueing::of_type(s, |s, _| {
                s.put_numbers(WEIGHT, |i| &mut i.queueing.bandwidth)
            })
        }),
        ("set qos txq-ratio", |s| {
            queueing::of_type(s, queueing::limits)
        }),
        ("set qos drop-threshold", |s| {
            queueing::of_type(s, queueing::thresholds)
        }),
        ("set qos wred", |s| {
            queueing::of_type(s, queueing::random_detect)
        }),
        ("set qos cos-dscp-map", |s| {
            marks::eight_values(s, "cos-dscp")
        }),
        ("set qos ipprec-dscp-map", |s| {
            marks::eight_values(s, "ip-prec-dscp")
        }),
        ("set qos dscp-cos-map", |s| {
            marks::dscp_map(s, "dscp-cos", 7)
        }),
        ("set qos policed-dscp-map", |s| {
            marks::dscp_map(s, "policed-dscp", 63)
        }),
        ("set qos policer *", marks::policer),
        ("set port qos * trust", |s| {
            let trust = trust(s.next()?)?;
            s.finish();
            s.put(Some(trust), |i| &mut i.trust)
        }),
        ("set port qos * cos", |s| {
            let cos = s.number(COS)?;
            s.finish();
            s.put(Some(cos), |i| &mut i.default_cos)
        }),
        ("set port speed|duplex *", port::speed_or_duplex),
        ("set port jumbo *", port::jumbo),
        ("set port name *", port::name),
        ("set port flowcontrol *", port::flow_control),
        ("set port channel *", port::channel),
        ("set port disable *", |s| port::shutdown(s, true)),
        ("set port enable *", |s| port::shutdown(s, false)),
        ("set trunk *", port::trunk),
        ("clear trunk *", port::clear_trunk),
        ("set vlan *", port::vlan),
        ("set system name", |s| {
            s.reader.device.name = s.next().map(str::to_owned);
            Some(())
        }),
    ],
    over: &[
        "begin|end|show|enable|exit|write|config|commit",
        "set arp|authentication|banner|boot|cam|cdp|config|enablepass|errdisable-timeout|garp|gvrp|igmp|interface|ip",
        "set length|logging|logout|mls|module|multicast|ntp|password|prompt|rcp|rgmp|snmp|spantree|summertime|system",
        "set time|timezone|udld|vtp",
        "set qos acl|policy-source|statistics|bridged-microflow-policing|mac-cos|rsvp|ipprec-tos",
        "set port negotiation|broadcast|membership|security|trap|protocol|host *",
        "set port qos * vlan-based|port-based|policy-source|trust-ext|cos-ext|trust-device",
    ],
};

/// First words of commands.
const VERBS: [&str; 14] = [
    "set", "clear", "commit", "show", "begin", "end", "enable", "exit", "write", "config",
    "switch", "copy", "no", "reset",
];

/// A command at least this long may go on in the next line.
const WRAPPED: usize = 70;

/// Reads file number `file`.
pub(crate) fn read(text: &str, file: usize) -> Device {
    let mut reader = Reader::new(file, Dialect::CatOs);
    let tree = lines(text);
    let kind = |line: &usize| tree.lines()[*line].kind;
    for line in tree.inside(None).filter(|l| kind(l) == Kind::Statement) {
        let taken = reader.take(&COMMANDS, &tree, line, &mut port::each);
        let Some(place) = reader.unknown(taken, &tree, line) else {
            continue;
        };
        if tree.content(line).contains("qos") {
            reader.device.unknown_qos.push(place.clone());
        }
        reader.device.unknown.push(place);
    }
    // Notes, and the largest MTU of any port, are of the port types: which port has which type is not
    // in the text.
    let interfaces = &reader.device.interfaces;
    let types: Vec<usize> = (0..interfaces.len())
        .filter(|i| interfaces[*i].is_type())
        .collect();
    let mtus = interfaces.iter().filter_map(|i| i.mtu.clone());
    let mtu = mtus.max_by_key(|m| m.value);
    for line in tree.inside(None).filter(|l| kind(l) == Kind::Comment) {
        note(&mut reader, &tree, line, &mut |reader, _, _, f| {
            for number in &types {
                f(&mut reader.device.interfaces[*number]);
            }
        });
    }
    for number in types {
        reader.device.interfaces[number].mtu.clone_from(&mtu);
    }
    reader.device
}

/// The commands; a terminal wraps a long one, and the rest of it begins with no command word.
fn lines(text: &str) -> Tree<'_> {
    let mut lines: Vec<Line> = Vec::new();
    let mut at = 0;
    for raw in text.split_inclusive('\n') {
        let content = raw.trim();
        let start = at + (raw.len() - raw.trim_start().len());
        let span = start..start + content.len();
        let whole = at..at + raw.len();
        at += raw.len();
        let kind = match content.chars().next() {
            None => Kind::Blank,
            Some('#' | '!') => Kind::Comment,
            Some(_) => Kind::Statement,
        };
        let verb = content
            .split_whitespace()
            .next()
            .is_some_and(|w| VERBS.contains(&w));
        let goes_on = |l: &&mut Line| l.kind == Kind::Statement && l.span.len() >= WRAPPED;
        match lines.last_mut().filter(goes_on) {
            Some(last) if kind == Kind::Statement && !verb => {
                last.span.end = span.end;
                last.whole.end = whole.end;
            }
            _ => lines.push(Line {
                kind,
                span,
                whole,
                parent: None,
                end: lines.len() + 1,
            }),
        }
    }
    Tree {
        text,
        lines,
        unfinished: None,
    }
}

/// A command, which may be about ports.
type Command<'s, 'r, 't> = &'s mut Statement<'r, 't, Interface>;

fn switch(s: Command<'_, '_, '_>, on: bool) -> Option<()> {
    s.finish();
    s.reader.device.qos = Some(s.stated(on));
    Some(())
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
