//! Class maps and policy maps.

use super::class::CLASS;
use crate::commands::{Marks, Section, Statement};
use crate::qos::{Class, ClassMap, Match, PolicyMap};

static CLASS_MAP: Section<ClassMap> = Section {
    undo: false,
    read: &[("match", |s| {
        let condition = condition(s)?;
        s.finish();
        let stated = s.stated(condition);
        s.each(|map| map.matches.push(stated.clone()))
    })],
    over: &["description"],
};

static POLICY_MAP: Section<PolicyMap> = Section {
    undo: false,
    read: &[("class", |s| {
        let typed = s.words.accept("type");
        if typed {
            s.next()?;
        }
        let name = s.next()?;
        let given = &mut s.reader.device.given_classes;
        if typed && is_given(name) && !given.iter().any(|g| g == name) {
            given.push(name.to_owned());
        }
        let mut class = Class::named(name, s.place());
        class.unknown = s.section(&CLASS, &mut |_, _, _, f| f(&mut class));
        s.each(|map| map.classes.push(class.clone()))
    })],
    over: &["description"],
};

/// Whether a class of NX-OS is one of the machine's: `c-out-8q-q1`, `1p7q4t-out-pq1`, `class-fcoe`.
fn is_given(name: &str) -> bool {
    let by_hardware = ["-out-", "-in-", "-nq-"]
        .iter()
        .any(|part| name.contains(part));
    by_hardware || name.starts_with("c-") || name.starts_with("class-")
}

/// Types of class maps and policy maps that are about queues: those of NX-OS, and `traffic` of IOS XR.
const TYPES: [&str; 5] = ["qos", "queuing", "queueing", "network-qos", "traffic"];

/// Whether a map is of another type, such as `control subscriber`.
fn of_other_type(s: &mut Statement<'_, '_, ()>) -> Option<bool> {
    if !s.words.accept("type") {
        return Some(false);
    }
    let kind = s.next()?;
    Some(!TYPES.contains(&kind))
}

/// `class-map [match-all|match-any] NAME` and its section.
pub(super) fn class_map(s: &mut Statement<'_, '_, ()>) -> Option<()> {
    if of_other_type(s)? {
        return s.pass_over();
    }
    let any = s.words.accept("match-any");
    s.words.accept("match-all");
    let mut map = ClassMap {
        name: s.next()?.to_owned(),
        place: s.place(),
        any,
        matches: Vec::new(),
        unknown: Vec::new(),
    };
    map.unknown = s.section(&CLASS_MAP, &mut |_, _, _, f| f(&mut map));
    let known = &mut s.reader.device.class_maps;
    match known.iter_mut().find(|c| c.name == map.name) {
        Some(old) => {
            old.matches.append(&mut map.matches);
            old.unknown.append(&mut map.unknown);
        }
        None => known.push(map),
    }
    Some(())
}

fn condition(s: &mut Statement<'_, '_, ClassMap>) -> Option<Match> {
    s.words.accept("ip");
    let whole = s.words.rest().text;
    let word = s.next()?;
    if matches!(word, "dscp" | "precedence") && !s.words.accept("ipv4") {
        s.words.accept("ipv6");
    }
    Some(match word {
        "any" => Match::Any,
        "dscp" => Match::Dscp(s.marks(Marks::Dscp)?),
        "precedence" => Match::Precedence(s.marks(Marks::Precedence)?),
        "cos" => Match::Cos(s.marks(Marks::Cos)?),
        "mpls" if s.words.accept("experimental") => {
            s.words.accept("topmost");
            Match::Experimental(s.marks(Marks::Experimental)?)
        }
        "qos-group"
        | "traffic-class"
        | "discard-class"
        | "protocol"
        | "vlan"
        | "input-interface"
        | "packet"
        | "source-address"
        | "destination-address"
        | "flow"
        | "ipv4"
        | "ipv6"
        | "ethertype"
        | "fr-de"
        | "atm"
        | "not" => {
            while s.next().is_some() {}
            Match::Other(whole.to_owned())
        }
        "access-group" => {
            let _ = s.words.accept("ipv4") || s.words.accept("ipv6");
            s.words.accept("name");
            Match::AccessGroup(s.next()?.to_owned())
        }
        "class-map" => Match::Class(s.next()?.to_owned()),
        _ => return None,
    })
}

/// `policy-map NAME` and its section.
pub(super) fn policy_map(s: &mut Statement<'_, '_, ()>) -> Option<()> {
    if of_other_type(s)? {
        return s.pass_over();
    }
    let mut map = PolicyMap {
        name: s.next()?.to_owned(),
        place: s.place(),
        classes: Vec::new(),
        unknown: Vec::new(),
    };
    map.unknown = s.section(&POLICY_MAP, &mut |_, _, _, f| f(&mut map));
    s.reader.device.policy_maps.push(map);
    Some(())
}
