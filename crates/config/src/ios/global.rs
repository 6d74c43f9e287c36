//! Statements outside sections.

use super::modes::{self, Mode};
use super::{
    channels, crypto, features, icmp, interface, keywords, lists, names, over, policy, srr,
};
use crate::commands::{
    DSCP, Kind, Number, Reader, Section, Statement, Taken, Tree, Words, eight, fit, shortened,
};
use crate::dialect::Dialect;
use crate::platform::Platform;
use crate::qos::{Device, Maps};
use crate::rules::faults;

static GLOBAL: Section<()> = Section {
    undo: true,
    read: &[
        ("hostname|switchname", |s| {
            s.reader.device.name = s.next().map(str::to_owned);
            Some(())
        }),
        ("interface|int", interfaces),
        ("class-map", |s| unless_off(s, policy::class_map)),
        ("policy-map", |s| unless_off(s, policy::policy_map)),
        ("mls ~qos", |s| {
            // Another word is another command.
            let word = s.words.peek();
            if word.is_some_and(|w| w.text.starts_with(char::is_alphanumeric)) {
                return None;
            }
            s.reader.device.qos = Some(s.stated(!s.off));
            s.finish()
        }),
        ("system qos", policies_of_system),
        ("port-channel load-balance", channels::hash),
        ("crypto ipsec transform-set", crypto::transform_set),
        ("crypto ipsec profile", crypto::profile),
        ("mls ~qos map", map),
        ("mls ~qos srr-queue output", srr::map),
        ("mls ~qos queue-set output", srr::buffers),
    ],
    over: &[
        modes::OTHERS,
        over::OF_XR,
        over::OF_NXOS,
        "mls ~qos statistics-export|protocol|mpls|10g-only|gre",
        "mls ~qos srr-queue input",
    ],
};

/// Reads file number `file`.
pub fn read(text: &str, file: usize) -> Device {
    read_for(text, file, Platform::Catalyst6500)
}

/// Reads file number `file` as one of this machine.
pub(crate) fn read_for(text: &str, file: usize, platform: Platform) -> Device {
    let tree = Tree::parse(text);
    let mut reader = Reader::new(file, Dialect::Ios);
    reader.device.platform = platform;
    if let Some(line) = tree.unfinished() {
        reader.fault(
            &faults::UNFINISHED,
            tree.lines()[line].span.clone(),
            "this banner, certificate or macro never ends; everything after it was taken for its text".to_owned(),
            "end it: the banner's mark, `quit` or `@` on a line of its own",
        );
    }
    for line in tree.inside(None) {
        if tree.lines()[line].kind == Kind::Statement {
            statement(&mut reader, &tree, line);
        }
    }
    let lists = lists::read(&tree);
    lists::check(&lists, &mut reader);
    icmp::check(&lists, &mut reader);
    icmp::unreachables(&tree, &mut reader);
    names::check(&tree, &mut reader);
    features::check(&tree, &mut reader);
    keywords::check(&tree, &mut reader);
    reader.device
}

/// Reads line `line` and its section.
fn statement(reader: &mut Reader, tree: &Tree<'_>, line: usize) {
    if modes::is_listing(tree.content(line)) {
        reader.listing();
        return;
    }
    let taken = reader.take(&GLOBAL, tree, line, &mut |_, _, _, f| f(&mut ()));
    let unknown = reader.unknown(taken, tree, line);
    if taken == Taken::PassedOver {
        for inner in tree.statements(line) {
            reader.count(Taken::PassedOver, tree, inner);
        }
    }
    let Some(place) = unknown else { return };
    let content = tree.content(line);
    if modes::knows(Mode::Interface, content) && !content.starts_with("clock") {
        let short = shortened(content);
        reader.fault(
            &faults::NOWHERE,
            place.span.clone(),
            format!("`{short}` belongs to an interface, and none is open here"),
            "put it below `interface NAME`",
        );
    } else if bears_on_qos(content) {
        reader.device.unknown_qos.push(place.clone());
    }
    reader.device.unknown.push(place);
    for inner in tree.statements(line) {
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

type Global<'s, 'r, 't> = &'s mut Statement<'r, 't, ()>;

fn unless_off(s: Global<'_, '_, '_>, read: fn(Global<'_, '_, '_>) -> Option<()>) -> Option<()> {
    if s.off { None } else { read(s) }
}

fn interfaces(s: Global<'_, '_, '_>) -> Option<()> {
    if s.off {
        return None;
    }
    if s.words.accept("breakout") {
        return s.pass_over();
    }
    s.words.accept("preconfigure");
    let names = interface::names(&mut s.words);
    let names = names.iter().filter(|n| !n.is_empty());
    let targets: Vec<usize> = names
        .map(|n| s.reader.interface(n, s.span.clone()))
        .collect();
    if targets.is_empty() {
        return None;
    }
    interface::section(s.reader, s.tree, s.line, &targets);
    Some(())
}

/// `system qos` of NX-OS, `service-policy type KIND [input|output] NAME` below it: the policies of the whole switch.
fn policies_of_system(s: Global<'_, '_, '_>) -> Option<()> {
    for line in s.tree.statements(s.line) {
        let span = s.tree.lines()[line].span.clone();
        let words = Words::new(s.tree.content(line), span.start);
        let Some((.., mut words)) = fit("service-policy type *", words) else {
            continue;
        };
        let _ = words.accept("input") || words.accept("output");
        if let Some(name) = words.next() {
            let stated = s.reader.stated(name.text.to_owned(), span);
            s.reader.device.of_system.push(stated);
        }
    }
    s.pass_over()
}

/// Reads `mls qos map KIND …`.
fn map(s: Global<'_, '_, '_>) -> Option<()> {
    let kind = s.words.next()?;
    if s.off {
        let maps = &mut s.reader.device.maps;
        if let (Some((_, table)), Some((name, fresh))) =
            (maps.named(kind.text), Maps::default().named(kind.text))
        {
            table.copy_from_slice(fresh);
            maps.stated.retain(|s| s.value != name);
        }
        return Some(());
    }
    match kind.text {
        "cos-dscp" | "ip-prec-dscp" => {
            let message = format!(
                "`mls qos map {}` takes eight DSCP values, one for each of 0 to 7",
                kind.text
            );
            let remedy = "write eight, such as 0 8 16 24 32 40 48 56";
            eight(s, kind.text, kind, message, remedy)?;
        }
        "dscp-cos" => pairs(s, kind.text, 7)?,
        "policed-dscp" => {
            s.words.accept("normal-burst");
            pairs(s, kind.text, 63)?;
        }
        _ => return None,
    }
    s.finish();
    s.mapped(kind.text)
}

/// `DSCP … to VALUE`, several times.
fn pairs(s: Global<'_, '_, '_>, map: &str, most: u64) -> Option<()> {
    loop {
        let from: Vec<u8> = s.numbers(DSCP)?;
        if !s.words.accept("to") {
            let remedy = "write DSCP values, `to`, and the value they become";
            s.reader.missing(&s.words, "`to`", remedy.to_owned());
            return None;
        }
        let to = s.number(Number("the value they become", 0, most))?;
        for dscp in from {
            s.map(map)?[usize::from(dscp)] = to;
        }
        if !s.words.peek().is_some_and(|w| w.is_numeral()) {
            return Some(());
        }
    }
}
