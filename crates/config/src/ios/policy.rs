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
        let mut class = Class::named(s.next()?, s.place());
        class.unknown = s.section(&CLASS, &mut |_, _, _, f| f(&mut class));
        s.each(|map| map.classes.push(class.clone()))
    })],
    over: &["description"],
};

/// `class-map [match-all|match-any] NAME` and its section.
pub(super) fn class_map(s: &mut Statement<'_, '_, ()>) -> Option<()> {
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
    Some(match s.next()? {
        "any" => Match::Any,
        "dscp" => Match::Dscp(s.marks(Marks::Dscp)?),
        "precedence" => Match::Precedence(s.marks(Marks::Precedence)?),
        "cos" => Match::Cos(s.marks(Marks::Cos)?),
        "mpls" if s.words.accept("experimental") => {
            s.words.accept("topmost");
            Match::Experimental(s.marks(Marks::Experimental)?)
        }
        "access-group" => {
            s.words.accept("name");
            Match::AccessGroup(s.next()?.to_owned())
        }
        "class-map" => Match::Class(s.next()?.to_owned()),
        _ => return None,
    })
}

/// `policy-map NAME` and its section.
pub(super) fn policy_map(s: &mut Statement<'_, '_, ()>) -> Option<()> {
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
