//! Active queue management, as the keys of a link and of a class describe it.

mod codel;
mod pie;
mod red;

use farpath_element::qdisc::AqmConfig;

use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::key::Kind::{Bool, Choice};
use crate::key::{Key, key};
pub(crate) use codel::{FQ_CODEL, fq_codel};
pub(crate) use red::{curve, drop_rule, usual_curve};

/// Every kind: its key, and how the table there is read.
const KINDS: &[(Key, Read)] = &[
    (red::KEY, |f, faults| AqmConfig::Red(red::read(f, faults))),
    (codel::KEY, |f, _| AqmConfig::Codel(codel::read(f))),
    (pie::KEY, |f, faults| AqmConfig::Pie(pie::read(f, faults))),
];

/// Which of them, by name; the others' tables then say nothing.
pub(crate) const AQM: Key = key(
    "aqm",
    Choice(&[PLAIN, "red", "codel", "pie", FAIR]),
    "What manages the one queue, by name: with what its table says, or else with its defaults, for `red` a `min` of a twelfth of \
     `queue` and a `max` of a quarter. Tables of the others may stand beside it and say nothing, so that a sweep may go from one to \
     the other. `fq-codel` is the scheduler of that name, and takes no notice of `queue`. It is a router's.",
)
.default("what has a table");

const PLAIN: &str = "fifo";
const FAIR: &str = "fq-codel";

const ECN: Key = key(
    "ecn",
    Bool,
    "Whether ECN-capable datagrams are marked instead of dropped.",
);

type Read = fn(&Fields, &mut Vec<Diagnostic>) -> AqmConfig;

/// The keys of all kinds.
pub(crate) const KEYS: [Key; KINDS.len()] = {
    let mut keys = [KINDS[0].0; KINDS.len()];
    let mut n = 0;
    while n < keys.len() {
        keys[n] = KINDS[n].0;
        n += 1;
    }
    keys
};

/// The kinds a table has, by their keys.
pub(crate) fn kinds(f: &Fields) -> impl Iterator<Item = &'static str> {
    let named = KEYS.iter().map(|key| key.name);
    named.filter(|name| f.has(name))
}

/// Whether a word of `aqm` is the scheduler's.
pub(crate) fn is_fair(word: &str) -> bool {
    word == FAIR
}

/// What a word of `aqm` names, read of the first of `layers` that has its table, or as it is without one; none of a plain queue.
pub(crate) fn named(
    word: &str,
    layers: &[&Fields],
    faults: &mut Vec<Diagnostic>,
) -> Option<AqmConfig> {
    let (key, read) = KINDS.iter().find(|(key, _)| key.name == word)?;
    let table = layers.iter().find_map(|f| f.get(key.name));
    Some(read(&table.unwrap_or_else(Fields::empty), faults))
}

/// What manages the queue of a table, a class's or that of a direction without classes.
pub(crate) fn aqm(f: &Fields, is_class: bool, faults: &mut Vec<Diagnostic>) -> Option<AqmConfig> {
    let mut said = KINDS.iter().filter(|(key, _)| f.has(key.name));
    let (key, read) = said.next()?;
    if let Some((other, _)) = said.next() {
        let title = format!("`{}` and `{}` of one queue", key.name, other.name);
        let d = Diagnostic::new(f.place(other.name), title);
        let d = d.see(f.place(key.name), "the other one");
        faults.push(d.help(match is_class {
            true => "keep one of them, or give each a class of its own".to_owned(),
            false => format!(
                "name the one that is meant, `aqm = \"{}\"` or `aqm = \"{}\"`: the other's table then says nothing. A sweep of `aqm` wants one of \
                 them beside the tables, too, and sets its own values in its place",
                key.name, other.name
            ),
        }));
    }
    Some(read(&f.get(key.name)?, faults))
}
