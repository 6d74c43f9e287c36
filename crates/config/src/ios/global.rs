//! Statements outside sections.

use core::ops::Range;

use super::modes::{self, Mode};
use super::read::{self, Reader, Taken};
use super::tree::{Kind, Tree};
use super::words::{Word, Words};
use super::{interface, policy};
use crate::qos::{Stated, faults};

/// Reads line `line` of the configuration and its section.
pub(crate) fn line(reader: &mut Reader, tree: &Tree<'_>, line: usize) {
    let entry = &tree.lines()[line];
    if entry.kind != Kind::Statement {
        return;
    }
    let (content, span) = (tree.content(line), entry.span.clone());
    let taken = statement(reader, tree, line);
    if !reader.count(taken) {
        if taken == Taken::PassedOver {
            reader.device.passed_over += tree
                .inside(Some(line))
                .filter(|l| tree.lines()[*l].kind == Kind::Statement)
                .count();
        }
        return;
    }
    if reader.is_prose(content, span.start) {
        return;
    }
    let place = reader.place(span.clone());
    if modes::knows(Mode::Interface, content) && !content.starts_with("clock") {
        let short = read::shortened(content);
        reader.fault(
            &faults::NOWHERE,
            span,
            format!("`{short}` belongs to an interface, and none is open here"),
            "put it below `interface NAME`",
        );
    } else if bears_on_qos(content) {
        reader.device.unknown_qos.push(place.clone());
    }
    reader.device.unknown.push(place);
    let below = tree
        .inside(Some(line))
        .filter(|l| tree.lines()[*l].kind == Kind::Statement);
    for inner in below.collect::<Vec<_>>() {
        let place = reader.place(tree.lines()[inner].span.clone());
        reader.device.unknown.push(place);
    }
}

/// Whether an unknown line may be one about classes and queues.
fn bears_on_qos(content: &str) -> bool {
    let first = content
        .split_whitespace()
        .find(|w| !matches!(*w, "no" | "default"));
    let near = |word: &str| {
        ["mls", "qos", "class-map", "policy-map", "interface"]
            .iter()
            .any(|k| strsim::osa_distance(k, word) <= 1)
    };
    first.is_some_and(|w| w.len() < 16 && near(w)) || content.contains("qos")
}

fn statement(reader: &mut Reader, tree: &Tree<'_>, line: usize) -> Taken {
    let span = tree.lines()[line].span.clone();
    let mut words = Words::new(tree.content(line), span.start);
    let off = words.accept("no") || words.accept("default");
    let Some(word) = words.next() else {
        return Taken::Unknown;
    };
    match word.text {
        "hostname" => {
            reader.device.name = words.next().map(|w| w.text.to_owned());
            Taken::Understood
        }
        "interface" | "int" if !off => {
            let names = interface::names(&mut words);
            let targets: Vec<usize> = names
                .iter()
                .filter(|n| !n.is_empty())
                .map(|n| reader.interface(n, span.clone()))
                .collect();
            if targets.is_empty() {
                return Taken::Unknown;
            }
            read::section(reader, tree, line, &targets);
            Taken::Understood
        }
        "class-map" if !off => policy::class_map(reader, tree, line, words),
        "policy-map" if !off => policy::policy_map(reader, tree, line, words),
        "mls" if words.accept("qos") => mls_qos(reader, words, off, span),
        other if modes::is_passed_over(other) => Taken::PassedOver,
        _ => Taken::Unknown,
    }
}

fn mls_qos(reader: &mut Reader, mut words: Words<'_>, off: bool, span: Range<usize>) -> Taken {
    let Some(word) = words.peek() else {
        reader.device.qos = Some(reader.stated(!off, span));
        return Taken::Understood;
    };
    match word.text {
        "map" => {
            words.next();
            match words.next() {
                Some(kind) if off => {
                    reset(reader, kind.text);
                    Taken::Understood
                }
                Some(kind) => map(reader, kind, words, span),
                None => Taken::Unknown,
            }
        }
        "statistics-export" | "aggregate-policer" | "marking" | "protocol" | "mpls" | "rewrite"
        | "queueing-only" | "10g-only" | "gre" => {
            // `queueing-only` and `aggregate-policer` bear on what a port does.
            match word.text {
                "queueing-only" | "aggregate-policer" | "rewrite" | "marking" => Taken::Unknown,
                _ => Taken::PassedOver,
            }
        }
        "trust" | "cos" | "vlan-based" => Taken::Unknown,
        text if text.starts_with(|c: char| c.is_alphanumeric()) => Taken::Unknown,
        _ => {
            reader.device.qos = Some(reader.stated(!off, span));
            reader.finish(words);
            Taken::Understood
        }
    }
}

fn reset(reader: &mut Reader, kind: &str) {
    let fresh = crate::qos::Maps::default();
    let maps = &mut reader.device.maps;
    match kind {
        "cos-dscp" => maps.cos_dscp = fresh.cos_dscp,
        "ip-prec-dscp" => maps.precedence_dscp = fresh.precedence_dscp,
        "dscp-cos" => maps.dscp_cos = fresh.dscp_cos,
        "policed-dscp" => maps.policed_dscp = fresh.policed_dscp,
        _ => return,
    }
    maps.stated.retain(|s| s.value != kind);
}

/// Reads `mls qos map KIND …`.
fn map(reader: &mut Reader, kind: Word<'_>, mut words: Words<'_>, span: Range<usize>) -> Taken {
    let done = match kind.text {
        "cos-dscp" | "ip-prec-dscp" => eight(reader, kind, &mut words),
        "dscp-cos" => pairs(reader, &mut words, 7, |maps| &mut maps.dscp_cos),
        "policed-dscp" => {
            words.accept("normal-burst");
            pairs(reader, &mut words, 63, |maps| &mut maps.policed_dscp)
        }
        "dscp-mutation" | "dscp-exp" | "exp-dscp" | "exp-mutation" => return Taken::Unknown,
        _ => None,
    };
    if done.is_none() {
        return Taken::Unknown;
    }
    reader.finish(words);
    let name = ["cos-dscp", "ip-prec-dscp", "dscp-cos", "policed-dscp"]
        .into_iter()
        .find(|n| *n == kind.text);
    if let Some(value) = name {
        let place = reader.place(span);
        reader.device.maps.stated.push(Stated { value, place });
    }
    Taken::Understood
}

fn eight(reader: &mut Reader, kind: Word<'_>, words: &mut Words<'_>) -> Option<()> {
    let list = reader.numbers(words, "a DSCP", 0..=63)?;
    let Ok(table) = <[u64; 8]>::try_from(list) else {
        reader.fault(
            &faults::MISSING,
            kind.span(),
            format!(
                "`mls qos map {}` takes eight DSCP values, one for each of 0 to 7",
                kind.text
            ),
            "write eight, such as 0 8 16 24 32 40 48 56",
        );
        return None;
    };
    let table = table.map(|d| d as u8);
    match kind.text {
        "cos-dscp" => reader.device.maps.cos_dscp = table,
        _ => reader.device.maps.precedence_dscp = table,
    }
    Some(())
}

/// `DSCP … to VALUE`, several times.
fn pairs(
    reader: &mut Reader,
    words: &mut Words<'_>,
    most: u64,
    of: fn(&mut crate::qos::Maps) -> &mut [u8; 64],
) -> Option<()> {
    loop {
        let from = reader.numbers(words, "a DSCP", 0..=63)?;
        if !words.accept("to") {
            let at = words.rest().at;
            reader.fault(
                &faults::MISSING,
                at..at,
                "`to` is missing".to_owned(),
                "write DSCP values, `to`, and the value they become",
            );
            return None;
        }
        let to = reader.number(words, "the value they become", 0..=most)? as u8;
        for dscp in from {
            of(&mut reader.device.maps)[dscp as usize] = to;
        }
        if !words
            .peek()
            .is_some_and(|w| w.text.starts_with(|c: char| c.is_ascii_digit()))
        {
            return Some(());
        }
    }
}
