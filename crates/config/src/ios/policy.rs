//! Class maps and policy maps.

use farpath_units::{Rate, Size};

use crate::commands::{
    BANDWIDTH, BURST, BURST_BITS, Marks, PEAK_RATE, PERCENT, RATE, Section, Statement, Taken,
    Words, trust,
};
use crate::qos::{Action, Class, ClassMap, Match, Police, PolicyMap};

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

static CLASS: Section<Class> = Section {
    undo: false,
    read: &[
        ("set", set),
        ("trust", |s| {
            let trust = trust(s.next()?)?;
            s.put(Some(trust), |c| &mut c.trust)?;
            s.finish()
        }),
        ("police", |s| {
            let police = police(s)?;
            s.put(Some(police), |c| &mut c.police)?;
            s.finish()
        }),
        ("bandwidth", |s| {
            let rate = Rate::from_bps(s.number::<u64>(BANDWIDTH)? * 1000)?;
            s.put(Some(rate), |c| &mut c.bandwidth)?;
            s.finish()
        }),
        ("bandwidth ~percent", |s| {
            s.put_number(PERCENT, |c| &mut c.bandwidth_percent)?;
            s.finish()
        }),
        ("shape ~average|peak", shape),
        ("priority", |s| s.each(|c| c.priority = true)),
    ],
    over: &["random-detect|queue-limit|fair-queue|wred"],
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

fn set(s: &mut Statement<'_, '_, Class>) -> Option<()> {
    s.words.accept("ip");
    let (kind, field): (_, fn(&mut Class) -> &mut _) = match s.next()? {
        "dscp" => (Marks::Dscp, |c| &mut c.set_dscp),
        "precedence" => (Marks::Precedence, |c| &mut c.set_precedence),
        "cos" => (Marks::Cos, |c| &mut c.set_cos),
        _ => return None,
    };
    let mark = s.mark(kind)?;
    s.put(Some(mark), field)?;
    s.finish()
}

fn shape(s: &mut Statement<'_, '_, Class>) -> Option<()> {
    let rate = Rate::from_bps(s.number(RATE)?)?;
    let mut burst = None;
    if s.words.peek().is_some_and(|w| w.is_numeral()) {
        // IOS states a shaper's burst in bits.
        burst = Some(Size::from_bytes(s.number::<u64>(BURST_BITS)? / 8));
        if s.words.peek().is_some_and(|w| w.is_numeral()) {
            s.next();
        }
    }
    s.put(Some((rate, burst)), |c| &mut c.shape)?;
    s.finish()
}

/// What follows `police`: `RATE BURST [BURST]`, `cir RATE [bc BURST] [be BURST] [pir RATE]`, or
/// `rate RATE bps [burst BURST bytes] [peak-rate RATE bps peak-burst BURST bytes]`.
fn police(s: &mut Statement<'_, '_, Class>) -> Option<Police> {
    let named = s.words.accept("cir") || s.words.accept("rate");
    let rate = Rate::from_bps(s.number(RATE)?)?;
    s.words.accept("bps");
    let stated = s.words.accept("bc") || s.words.accept("burst");
    let burst = match named && !stated {
        // IOS takes what comes in a quarter of a second.
        true => Size::from_bytes(rate.as_bps() / 32),
        false => Size::from_bytes(s.number(BURST)?),
    };
    s.words.accept("bytes");
    let mut police = Police {
        rate,
        burst,
        max_burst: None,
        peak: None,
        conform: Action::Transmit,
        exceed: Action::Drop,
        violate: None,
    };
    while option(s, &mut police)? {}
    // Actions may stand on lines of their own below.
    let rest = s.words;
    for line in s.tree.statements(s.line) {
        s.words = Words::new(s.tree.content(line), s.tree.lines()[line].span.start);
        while option(s, &mut police)? {}
        s.finish();
        s.reader.count(Taken::Understood, s.tree, line);
    }
    s.words = rest;
    Some(police)
}

/// One option of a policer; `None` after a fault, `false` if there is none.
fn option(s: &mut Statement<'_, '_, Class>, police: &mut Police) -> Option<bool> {
    let Some(word) = s.words.peek() else {
        return Some(false);
    };
    match word.text {
        "conform-action" | "exceed-action" | "violate-action" | "pir" | "be" | "peak-rate"
        | "peak-burst" => s.next()?,
        text if word.is_numeral() => text,
        _ => return Some(false),
    };
    match word.text {
        "conform-action" => police.conform = action(s)?,
        "exceed-action" => police.exceed = action(s)?,
        "violate-action" => police.violate = Some(action(s)?),
        "pir" | "peak-rate" => {
            police.peak = Some(Rate::from_bps(s.number(PEAK_RATE)?)?);
            s.words.accept("bps");
        }
        _ => {
            police.max_burst = Some(Size::from_bytes(s.number(BURST)?));
            s.words.accept("bytes");
        }
    }
    Some(true)
}

fn action(s: &mut Statement<'_, '_, Class>) -> Option<Action> {
    Some(match s.next()? {
        "transmit" => Action::Transmit,
        "drop" => Action::Drop,
        "policed-dscp-transmit" | "policed-dscp" => Action::MarkDown,
        "set-dscp-transmit" => Action::SetDscp(s.mark(Marks::Dscp)?),
        "set-prec-transmit" => Action::SetDscp(8 * s.mark(Marks::Precedence)?),
        _ => return None,
    })
}
