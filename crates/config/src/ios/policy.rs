//! Class maps and policy maps.

use farpath_units::{Rate, Size};

use super::interface::trust;
use super::read::{Reader, Taken};
use super::tree::Tree;
use super::words::Words;
use crate::qos::{Action, Class, ClassMap, Match, Police, PolicyMap};

/// DSCP names of the standards (class selectors of RFC 2474, assured
/// forwarding, RFC 3246, RFC 8622).
const DSCP_NAMES: [(&str, u8); 23] = [
    ("default", 0),
    ("le", 1),
    ("cs1", 8),
    ("af11", 10),
    ("af12", 12),
    ("af13", 14),
    ("cs2", 16),
    ("af21", 18),
    ("af22", 20),
    ("af23", 22),
    ("cs3", 24),
    ("af31", 26),
    ("af32", 28),
    ("af33", 30),
    ("cs4", 32),
    ("af41", 34),
    ("af42", 36),
    ("af43", 38),
    ("cs5", 40),
    ("va", 44),
    ("ef", 46),
    ("cs6", 48),
    ("cs7", 56),
];

const PRECEDENCE_NAMES: [&str; 8] = [
    "routine",
    "priority",
    "immediate",
    "flash",
    "flash-override",
    "critical",
    "internet",
    "network",
];

/// Reads `class-map [match-all|match-any] NAME` and its section.
pub(crate) fn class_map(
    reader: &mut Reader,
    tree: &Tree<'_>,
    line: usize,
    mut words: Words<'_>,
) -> Taken {
    let any = words.accept("match-any");
    words.accept("match-all");
    let Some(name) = words.next() else {
        return Taken::Unknown;
    };
    let mut map = ClassMap {
        name: name.text.to_owned(),
        place: reader.place(tree.lines()[line].span.clone()),
        any,
        matches: Vec::new(),
        unknown: Vec::new(),
    };
    for inner in tree.statements(line) {
        let span = tree.lines()[inner].span.clone();
        let mut words = Words::new(tree.content(inner), span.start);
        let taken = match words.next().map(|w| w.text) {
            Some("description") => Taken::PassedOver,
            Some("match") => match condition(reader, &mut words) {
                Some(value) => {
                    reader.finish(words);
                    map.matches.push(reader.stated(value, span.clone()));
                    Taken::Understood
                }
                None => Taken::Unknown,
            },
            _ => Taken::Unknown,
        };
        if reader.count(taken) {
            map.unknown.push(reader.place(span));
        }
    }
    let known = &mut reader.device.class_maps;
    match known.iter_mut().find(|c| c.name == map.name) {
        Some(old) => {
            old.matches.append(&mut map.matches);
            old.unknown.append(&mut map.unknown);
        }
        None => known.push(map),
    }
    Taken::Understood
}

fn condition(reader: &mut Reader, words: &mut Words<'_>) -> Option<Match> {
    words.accept("ip");
    Some(match words.next()?.text {
        "any" => Match::Any,
        "dscp" => Match::Dscp(marks(reader, words, "a DSCP", 63, dscp_named)?),
        "precedence" => {
            Match::Precedence(marks(reader, words, "a precedence", 7, precedence_named)?)
        }
        "cos" => Match::Cos(marks(reader, words, "a CoS", 7, |_| None)?),
        "mpls" if words.accept("experimental") => {
            words.accept("topmost");
            Match::Experimental(marks(reader, words, "experimental bits", 7, |_| None)?)
        }
        "access-group" => {
            words.accept("name");
            Match::AccessGroup(words.next()?.text.to_owned())
        }
        "class-map" => Match::Class(words.next()?.text.to_owned()),
        _ => return None,
    })
}

fn marks(
    reader: &mut Reader,
    words: &mut Words<'_>,
    what: &str,
    most: u64,
    named: fn(&str) -> Option<u8>,
) -> Option<Vec<u8>> {
    let mut list = Vec::new();
    while let Some(word) = words.peek() {
        match named(word.text) {
            Some(mark) => {
                words.next();
                list.push(mark);
            }
            None if word.text.starts_with(|c: char| c.is_ascii_digit()) => {
                list.push(reader.number(words, what, 0..=most)? as u8);
            }
            None if list.is_empty() => {
                return reader.number(words, what, 0..=most).map(|_| Vec::new());
            }
            None => break,
        }
    }
    (!list.is_empty()).then_some(list)
}

/// The DSCP of this name.
pub(crate) fn dscp_named(name: &str) -> Option<u8> {
    DSCP_NAMES
        .iter()
        .find(|(n, _)| n.eq_ignore_ascii_case(name))
        .map(|(_, d)| *d)
}

fn precedence_named(name: &str) -> Option<u8> {
    PRECEDENCE_NAMES
        .iter()
        .position(|n| *n == name)
        .map(|p| p as u8)
}

/// Reads `policy-map NAME` and its section.
pub(crate) fn policy_map(
    reader: &mut Reader,
    tree: &Tree<'_>,
    line: usize,
    mut words: Words<'_>,
) -> Taken {
    let Some(name) = words.next() else {
        return Taken::Unknown;
    };
    let mut map = PolicyMap {
        name: name.text.to_owned(),
        place: reader.place(tree.lines()[line].span.clone()),
        classes: Vec::new(),
        unknown: Vec::new(),
    };
    for inner in tree.statements(line) {
        let span = tree.lines()[inner].span.clone();
        let mut words = Words::new(tree.content(inner), span.start);
        let taken = match words.next().map(|w| w.text) {
            Some("description") => Taken::PassedOver,
            Some("class") => match words.next() {
                Some(class) => {
                    let class = read_class(reader, tree, inner, class.text);
                    map.classes.push(class);
                    Taken::Understood
                }
                None => Taken::Unknown,
            },
            _ => Taken::Unknown,
        };
        if reader.count(taken) {
            map.unknown.push(reader.place(span));
        }
    }
    reader.device.policy_maps.push(map);
    Taken::Understood
}

fn read_class(reader: &mut Reader, tree: &Tree<'_>, line: usize, name: &str) -> Class {
    let mut class = Class::named(name, reader.place(tree.lines()[line].span.clone()));
    for inner in tree.statements(line) {
        let taken = class_statement(reader, tree, inner, &mut class);
        if reader.count(taken) {
            class
                .unknown
                .push(reader.place(tree.lines()[inner].span.clone()));
        }
    }
    class
}

fn class_statement(reader: &mut Reader, tree: &Tree<'_>, line: usize, class: &mut Class) -> Taken {
    let span = tree.lines()[line].span.clone();
    let mut words = Words::new(tree.content(line), span.start);
    let understood = match words.next().map(|w| w.text) {
        Some("set") => set(reader, &mut words, span, class),
        Some("trust") => {
            trust(words.next().map(|w| w.text)).map(|t| class.trust = Some(reader.stated(t, span)))
        }
        Some("police") => {
            // Actions may stand on lines of their own below.
            let below: Vec<usize> = tree.statements(line).collect();
            police(reader, &mut words, tree, &below)
                .map(|p| class.police = Some(reader.stated(p, span)))
        }
        Some("bandwidth") => bandwidth(reader, &mut words, span, class),
        Some("shape") if words.accept("average") || words.accept("peak") => {
            shape(reader, &mut words, span, class)
        }
        Some("priority") => {
            class.priority = true;
            return Taken::Understood;
        }
        Some("random-detect" | "queue-limit" | "fair-queue" | "wred") => return Taken::PassedOver,
        _ => None,
    };
    match understood {
        Some(()) => {
            reader.finish(words);
            Taken::Understood
        }
        None => Taken::Unknown,
    }
}

type Read = Option<()>;

fn set(
    reader: &mut Reader,
    words: &mut Words<'_>,
    span: core::ops::Range<usize>,
    class: &mut Class,
) -> Read {
    words.accept("ip");
    let one = |list: Vec<u8>| list.first().copied();
    match words.next()?.text {
        "dscp" => {
            let mark = one(marks(reader, words, "a DSCP", 63, dscp_named)?)?;
            class.set_dscp = Some(reader.stated(mark, span));
        }
        "precedence" => {
            let mark = one(marks(reader, words, "a precedence", 7, precedence_named)?)?;
            class.set_precedence = Some(reader.stated(mark, span));
        }
        "cos" => {
            let mark = one(marks(reader, words, "a CoS", 7, |_| None)?)?;
            class.set_cos = Some(reader.stated(mark, span));
        }
        _ => return None,
    }
    Some(())
}

fn bandwidth(
    reader: &mut Reader,
    words: &mut Words<'_>,
    span: core::ops::Range<usize>,
    class: &mut Class,
) -> Read {
    if words.accept("percent") {
        let percent = reader.number(words, "a share in percent", 1..=100)? as u32;
        class.bandwidth_percent = Some(reader.stated(percent, span));
        return Some(());
    }
    let kbps = reader.number(words, "a bandwidth in kbit/s", 1..=400_000_000)?;
    class.bandwidth = Some(reader.stated(Rate::from_bps(kbps * 1000)?, span));
    Some(())
}

fn shape(
    reader: &mut Reader,
    words: &mut Words<'_>,
    span: core::ops::Range<usize>,
    class: &mut Class,
) -> Read {
    let rate = Rate::from_bps(reader.number(words, "a rate in bit/s", 1..=400_000_000_000)?)?;
    let mut burst = None;
    if words
        .peek()
        .is_some_and(|w| w.text.starts_with(|c: char| c.is_ascii_digit()))
    {
        // IOS states a shaper's burst in bits.
        burst = Some(Size::from_bytes(
            reader.number(words, "a burst in bits", 1..=8_000_000_000)? / 8,
        ));
        if words
            .peek()
            .is_some_and(|w| w.text.starts_with(|c: char| c.is_ascii_digit()))
        {
            words.next();
        }
    }
    class.shape = Some(reader.stated((rate, burst), span));
    Some(())
}

/// Reads what follows `police`: `RATE BURST [BURST]` or `cir RATE bc BURST [be BURST] [pir RATE]`.
pub(crate) fn police(
    reader: &mut Reader,
    words: &mut Words<'_>,
    tree: &Tree<'_>,
    below: &[usize],
) -> Option<Police> {
    let named = words.accept("cir");
    let rate = Rate::from_bps(reader.number(words, "a rate in bit/s", 1..=400_000_000_000)?)?;
    if named {
        words.accept("bc");
    }
    let burst = Size::from_bytes(reader.number(words, "a burst in bytes", 1..=1_000_000_000)?);
    let mut police = Police {
        rate,
        burst,
        max_burst: None,
        peak: None,
        conform: Action::Transmit,
        exceed: Action::Drop,
        violate: None,
    };
    while police_option(reader, words, &mut police)? {}
    for line in below {
        let mut words = Words::new(tree.content(*line), tree.lines()[*line].span.start);
        while police_option(reader, &mut words, &mut police)? {}
        reader.finish(words);
        reader.count(Taken::Understood);
    }
    Some(police)
}

/// One option of a policer; `None` after a fault, `false` if there is none.
fn police_option(reader: &mut Reader, words: &mut Words<'_>, police: &mut Police) -> Option<bool> {
    let Some(word) = words.peek() else {
        return Some(false);
    };
    match word.text {
        "conform-action" | "exceed-action" | "violate-action" => {
            words.next();
            let action = action(reader, words)?;
            match word.text {
                "conform-action" => police.conform = action,
                "exceed-action" => police.exceed = action,
                _ => police.violate = Some(action),
            }
        }
        "pir" => {
            words.next();
            police.peak = Some(Rate::from_bps(reader.number(
                words,
                "a peak rate in bit/s",
                1..=400_000_000_000,
            )?)?);
        }
        "be" => {
            words.next();
            police.max_burst = Some(Size::from_bytes(reader.number(
                words,
                "a burst in bytes",
                1..=1_000_000_000,
            )?));
        }
        text if text.starts_with(|c: char| c.is_ascii_digit()) => {
            police.max_burst = Some(Size::from_bytes(reader.number(
                words,
                "a burst in bytes",
                1..=1_000_000_000,
            )?));
        }
        _ => return Some(false),
    }
    Some(true)
}

fn action(reader: &mut Reader, words: &mut Words<'_>) -> Option<Action> {
    Some(match words.next()?.text {
        "transmit" => Action::Transmit,
        "drop" => Action::Drop,
        "policed-dscp-transmit" | "policed-dscp" => Action::MarkDown,
        "set-dscp-transmit" => Action::SetDscp(
            marks(reader, words, "a DSCP", 63, dscp_named)?
                .first()
                .copied()?,
        ),
        "set-prec-transmit" => Action::SetDscp(
            8 * marks(reader, words, "a precedence", 7, precedence_named)?
                .first()
                .copied()?,
        ),
        _ => return None,
    })
}
