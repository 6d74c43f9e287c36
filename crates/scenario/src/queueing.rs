//! Classes and schedulers of one direction of a link.

use std::collections::BTreeMap;

use farpath_element::qdisc::{AqmConfig, MOST_QUEUES};
use farpath_units::{Ratio, Size};

use crate::aqm;
use crate::decode::{At, Fields, first};
use crate::diagnostic::Diagnostic;
use crate::model::{
    Class, ClassLimit, Match, Protocol, QueueLimit, Queueing, RedCurve, Scheduler, Shape, Sharing,
};
use crate::named::ONLY;
use crate::names::Names;
use crate::sections::name_of;

/// The keys of a direction that need a router.
pub(crate) fn keys() -> impl Iterator<Item = &'static str> {
    let managed = aqm::KEYS.iter().map(|key| key.name);
    let served = ["scheduler", "memory", "wrr", "class", "fq_codel", "aqm"];
    let sent = ["shape", "mark", "police"];
    served.into_iter().chain(managed).chain(sent)
}

/// The queues of a direction whose tables are `layers`, the first winning.
pub(crate) fn queueing(
    layers: &[&Fields],
    queue: QueueLimit,
    names: &Names,
    faults: &mut Vec<Diagnostic>,
) -> Option<Queueing> {
    let word = first::<String>(layers, "scheduler").unwrap_or_else(|| "fifo".to_owned());
    let place = |key: &str| {
        let holder = layers.iter().find(|f| f.has(key)).or(layers.last());
        holder.map_or(0..0, |f| f.place(key))
    };
    let has = |key: &str| layers.iter().any(|f| f.has(key));
    let tables: Vec<Fields> = first(layers, "class").unwrap_or_default();
    if has("aqm") && word != "fifo" {
        let title = format!("`aqm` beside scheduler = \"{word}\"");
        let help = "keep one of them; a class has a `red`, `codel` or `pie` of its own";
        faults.push(Diagnostic::new(place("aqm"), title).help(help));
    }
    for (key, scheduler) in [("wrr", "wrr"), ("fq_codel", "fq-codel")] {
        let is_named = key == "fq_codel" && has("aqm");
        if has(key) && word != scheduler && !is_named {
            let title = format!("`{key}` beside scheduler = \"{word}\"");
            let help = format!("remove it, or write scheduler = \"{scheduler}\"");
            faults.push(Diagnostic::new(place(key), title).help(help));
        }
    }
    let scheduler = match word.as_str() {
        "wrr" => wrr(first::<Fields>(layers, "wrr").as_ref()),
        "drr" => Scheduler::Drr,
        "strict" => Scheduler::Strict,
        _ => return one_queue(layers, (&word, queue), &tables, faults),
    };
    for key in aqm::KEYS.map(|key| key.name).into_iter().filter(|k| has(k)) {
        let title = format!("`{key}` of a link with classes");
        let help = "write it in the [[link.class]] tables it is for";
        faults.push(Diagnostic::new(place(key), title).help(help));
    }
    if tables.is_empty() {
        if !has("class") {
            let title = format!("scheduler = \"{word}\" without classes");
            let help = "add a [[link.class]] table for each class, with a `name` and a match such as `dscp`";
            faults.push(Diagnostic::new(place("scheduler"), title).help(help));
        }
        return None;
    }
    let memory = first::<Size>(layers, "memory");
    checked(&tables, names, faults);
    let class = |f: &Fields| class(f, scheduler, (queue, memory), names, faults);
    let classes = tables.iter().map(class).collect();
    Some(Queueing {
        scheduler,
        memory,
        classes,
        fq_codel: None,
        shape: first::<Fields>(layers, "shape").and_then(|f| shape_of(&f)),
    })
}

fn shape_of(f: &Fields) -> Option<Shape> {
    Some(Shape {
        rate: f.get("rate")?,
        burst: f.get("burst"),
    })
}

fn wrr(details: Option<&Fields>) -> Scheduler {
    let unit = details.and_then(|f| f.get::<i64>("unit"));
    Scheduler::Wrr {
        unit: unit.and_then(|u| u32::try_from(u).ok()).unwrap_or(256),
        carry: details.and_then(|f| f.get("carry")).unwrap_or(false),
    }
}

/// A direction without classes: a queue that is managed or shaped, a queue for each flow, or `None`
/// for the plain one.
fn one_queue(
    layers: &[&Fields],
    (word, queue): (&str, QueueLimit),
    tables: &[Fields],
    faults: &mut Vec<Diagnostic>,
) -> Option<Queueing> {
    let place = |key: &str| {
        layers
            .iter()
            .find(|f| f.has(key))
            .map_or(0..0, |f| f.place(key))
    };
    if let Some(class) = tables.first() {
        let help = "write scheduler = \"wrr\", \"drr\" or \"strict\" beside the classes";
        let title = "classes without a scheduler that serves them";
        faults.push(Diagnostic::new(class.span.clone(), title).help(help));
    } else if layers.iter().any(|f| f.has("memory")) && !layers.iter().any(|f| f.has("interfaces"))
    {
        let help = "write the size of the one queue as `queue`";
        let title = "`memory` without classes that share it";
        faults.push(Diagnostic::new(place("memory"), title).help(help));
    }
    let (fair, aqm, curve) = manager(layers, (word, queue), faults);
    let shape = first::<Fields>(layers, "shape").and_then(|f| shape_of(&f));
    if !fair && aqm.is_none() && shape.is_none() {
        return None;
    }
    Some(Queueing {
        scheduler: Scheduler::Strict,
        memory: None,
        classes: vec![Class {
            name: ONLY.to_owned(),
            matches: Vec::new(),
            sharing: Sharing::Priority,
            limit: ClassLimit::Own(queue),
            aqm,
            curve,
            drops: Vec::new(),
        }],
        fq_codel: fair.then(|| aqm::fq_codel(first::<Fields>(layers, "fq_codel").as_ref())),
        shape,
    })
}

/// What manages a direction's one queue: whether flows have a queue each, else the manager, and RED's curve.
fn manager(
    layers: &[&Fields],
    (word, queue): (&str, QueueLimit),
    faults: &mut Vec<Diagnostic>,
) -> (bool, Option<AqmConfig>, Option<RedCurve>) {
    if let Some(name) = first::<String>(layers, "aqm") {
        let aqm = aqm::named(&name, layers, faults);
        let table = layers.iter().find(|f| f.has(&name));
        let curve = match (&aqm, table) {
            (Some(AqmConfig::Red(_)), Some(f)) => aqm::curve(f, faults),
            (Some(AqmConfig::Red(_)), None) => Some(aqm::usual_curve(queue)),
            _ => None,
        };
        return (aqm::is_fair(&name), aqm, curve);
    }
    let fair = aqm::is_fair(word);
    let managed = layers.iter().find(|f| aqm::kinds(f).next().is_some());
    if fair && let Some((f, key)) = managed.and_then(|f| Some((f, aqm::kinds(f).next()?))) {
        let title = format!("`{key}` beside scheduler = \"fq-codel\"");
        let help = "every queue of fq-codel has a controller: set it in `fq_codel`";
        faults.push(Diagnostic::new(f.place(key), title).help(help));
    }
    let aqm = managed.and_then(|f| aqm::aqm(f, false, faults));
    (fair, aqm, managed.and_then(|f| aqm::curve(f, faults)))
}

/// One class.
fn class(
    f: &Fields,
    scheduler: Scheduler,
    (queue, memory): (QueueLimit, Option<Size>),
    names: &Names,
    faults: &mut Vec<Diagnostic>,
) -> Class {
    let name: String = f.get("name").unwrap_or_default();
    let strict = scheduler == Scheduler::Strict;
    let first_served = f.get("priority").unwrap_or(strict);
    let mut fault = |key: &str, title: String, help: &str| {
        faults.push(Diagnostic::new(f.place(key), title).help(help));
    };
    if strict && !first_served {
        let title = format!("class `{name}` without priority under scheduler = \"strict\"");
        fault(
            "priority",
            title,
            "remove `priority`: classes are served in the order they are written",
        );
    }
    let weight = f.get::<i64>("weight");
    if weight.is_some() && first_served {
        let title = format!("class `{name}` has a weight and is served by priority");
        fault(
            "weight",
            title,
            "keep `weight` under \"wrr\" or \"drr\" without `priority`; remove it otherwise",
        );
    } else if weight == Some(0) {
        let title = format!("class `{name}` has a weight of 0 and would never send");
        let help = "a class that gets only what others leave stands last under scheduler = \"strict\"; \
                    otherwise write a weight of at least 1";
        fault("weight", title, help);
    }
    let limit = limit(f, &name, (queue, memory), faults);
    let aqm = aqm::aqm(f, true, faults);
    let curve = aqm::curve(f, faults);
    let rules: Vec<Fields> = f.get("drop").unwrap_or_default();
    let rule = |r: &Fields| {
        let all = matches(r, names, &mut Vec::new());
        let all = all.into_iter().map(At::into_inner).collect();
        aqm::drop_rule(r, all, curve, faults)
    };
    Class {
        drops: rules.iter().map(rule).collect(),
        aqm,
        curve,
        matches: matches(f, names, &mut Vec::new())
            .into_iter()
            .map(At::into_inner)
            .collect(),
        sharing: if first_served {
            Sharing::Priority
        } else {
            Sharing::Weight(weight.and_then(|w| u32::try_from(w).ok()).unwrap_or(1))
        },
        limit,
        name,
    }
}

/// What may wait in a class.
fn limit(
    f: &Fields,
    name: &str,
    (queue, memory): (QueueLimit, Option<Size>),
    faults: &mut Vec<Diagnostic>,
) -> ClassLimit {
    let share = f.get::<Ratio>("memory_share");
    if share.is_some() && memory.is_none() {
        let title = format!("class `{name}` has a share of a memory whose size is not known");
        let help = "add `memory` to the link, such as memory = \"512 kB\"";
        faults.push(Diagnostic::new(f.place("memory_share"), title).help(help));
    }
    match (f.get("queue"), share, memory) {
        (Some(own), ..) => ClassLimit::Own(own),
        (None, Some(share), _) => ClassLimit::MemoryShare(share),
        (None, None, Some(_)) => ClassLimit::Memory,
        (None, None, None) => ClassLimit::Own(queue),
    }
}

/// Everything a class matches, with the place where it says so.
pub(crate) fn matches(f: &Fields, names: &Names, faults: &mut Vec<Diagnostic>) -> Vec<At<Match>> {
    let codes = |key: &str| f.get::<Vec<At<u8>>>(key).unwrap_or_default();
    let mut all = Vec::new();
    let mut add = |span: core::ops::Range<usize>, what: Match| all.push(At::new(span, what));
    for code in codes("dscp") {
        add(code.span(), Match::Dscp(*code.get_ref()));
    }
    for (key, labels) in [("precedence", false), ("cos", true)] {
        for code in codes(key) {
            let first = code.get_ref() << 3;
            for dscp in first..first + 8 {
                add(code.span(), Match::Dscp(dscp));
            }
            if labels {
                add(code.span(), Match::Exp(*code.get_ref()));
            }
        }
    }
    for code in codes("exp") {
        add(code.span(), Match::Exp(*code.get_ref()));
    }
    if let Some(word) = f.at::<String>("protocol") {
        let protocol = match word.get_ref().as_str() {
            "tcp" => Protocol::Tcp,
            "udp" => Protocol::Udp,
            _ => Protocol::Icmp,
        };
        add(word.span(), Match::Protocol(protocol));
    }
    for test in f.get::<Vec<At<String>>>("test").unwrap_or_default() {
        if names.test(&test, faults).is_some() {
            add(test.span(), Match::Test(test.into_inner()));
        }
    }
    all
}

impl core::fmt::Display for Match {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Match::Dscp(n) => write!(f, "DSCP {n}"),
            Match::Exp(n) => write!(f, "traffic class {n}"),
            Match::Protocol(p) => write!(f, "protocol {p:?}"),
            Match::Test(name) => write!(f, "test `{name}`"),
        }
    }
}

/// What only all classes together can show: names and matches once, and every frame in a class.
fn checked(tables: &[Fields], names: &Names, faults: &mut Vec<Diagnostic>) {
    if tables.len() > MOST_QUEUES {
        let title = format!(
            "{} classes on one link: at most {MOST_QUEUES}",
            tables.len()
        );
        let help = "no port type has more queues; let one class match several DSCPs";
        faults.push(Diagnostic::new(tables[MOST_QUEUES].span.clone(), title).help(help));
    }
    let name = name_of;
    let mut seen: BTreeMap<String, &Fields> = BTreeMap::new();
    let mut owner: BTreeMap<Match, At<String>> = BTreeMap::new();
    let mut rest: Option<&Fields> = None;
    let mut shares = 0.0;
    for f in tables {
        if let Some(first) = seen.insert(name(f), f) {
            let title = format!("two classes of the name `{}` on one link", name(f));
            let d = Diagnostic::new(f.place("name"), title);
            let d = d.see(first.place("name"), "the first one");
            faults.push(d.help("give one of them another name"));
        }
        shares += f.get::<Ratio>("memory_share").map_or(0.0, Ratio::get);
        if shares > 1.0 + 1e-9 {
            let title = format!(
                "the classes' shares of the memory add up to {:.4} %",
                shares * 100.0
            );
            let help = "lower them to 100 % or less, or leave `memory_share` out where all of it may be used";
            faults.push(Diagnostic::new(f.place("memory_share"), title).help(help));
        }
        let rules: Vec<Fields> = f.get("drop").unwrap_or_default();
        let mut all = matches(f, names, faults);
        for rule in &rules {
            all.extend(matches(rule, names, faults));
        }
        for m in &all {
            let mine = At::new(m.span(), name(f));
            if let Some(first) = owner.insert(m.get_ref().clone(), mine)
                && *first.get_ref() != name(f)
            {
                let title = format!("{} is in class `{}` already", m.get_ref(), first.get_ref());
                let d = Diagnostic::new(m.span(), title).label("matched again");
                faults.push(
                    d.see(first.span(), "the first match")
                        .help("keep one of them"),
                );
                break;
            }
        }
        let says = ["dscp", "precedence", "cos", "exp", "protocol", "test"];
        if !says.iter().any(|k| f.has(k))
            && let Some(first) = rest.replace(f)
        {
            let title = format!("nothing is in class `{}`", name(f));
            let d = Diagnostic::new(f.span.clone(), title).label("no match");
            let d = d.see(
                first.span.clone(),
                "has no match either, and takes the rest",
            );
            faults.push(d.help("add a match such as dscp = \"le\", or remove the class"));
        }
    }
    every_frame(tables, &owner, rest, faults);
}

/// Every frame is in a class, and the class that takes the rest has one.
fn every_frame(
    tables: &[Fields],
    owner: &BTreeMap<Match, At<String>>,
    rest: Option<&Fields>,
    faults: &mut Vec<Diagnostic>,
) {
    let open = (0..64).find(|d| !owner.contains_key(&Match::Dscp(*d)));
    match (rest, open) {
        (Some(rest), None) => {
            let title = format!(
                "nothing is in class `{}`: the others match every DSCP",
                name_of(rest)
            );
            let help = "remove the class, or take some DSCPs from another";
            faults.push(Diagnostic::new(rest.span.clone(), title).help(help));
        }
        (None, Some(dscp)) => {
            let title = format!("frames of DSCP {dscp} are in no class");
            let help = "leave the match out of one class: it takes what no other matches";
            let place = tables.last().map_or(0..0, |f| f.span.clone());
            faults.push(Diagnostic::new(place, title).help(help));
        }
        _ => {}
    }
}
