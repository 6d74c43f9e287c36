//! Active queue management, as the keys of a link and of a class describe it.

mod codel;
mod pie;
mod red;

use farpath_element::qdisc::AqmConfig;

use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::key::Kind::Bool;
use crate::key::{Key, key};
pub use codel::FqCodel;
pub(crate) use codel::{FQ_CODEL, fq_codel};
pub use red::{DropRule, RedCurve};
pub(crate) use red::{curve, drop_rule};

/// Every kind: its key, and how the table there is read.
const KINDS: &[(Key, Read)] = &[
    (red::KEY, |f, faults| AqmConfig::Red(red::read(f, faults))),
    (codel::KEY, |f, _| AqmConfig::Codel(codel::read(f))),
    (pie::KEY, |f, faults| AqmConfig::Pie(pie::read(f, faults))),
];

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

/// What manages the queue of a table.
pub(crate) fn aqm(f: &Fields, faults: &mut Vec<Diagnostic>) -> Option<AqmConfig> {
    let mut said = KINDS.iter().filter(|(key, _)| f.has(key.name));
    let (key, read) = said.next()?;
    if let Some((other, _)) = said.next() {
        let title = format!("`{}` and `{}` of one queue", key.name, other.name);
        let d = Diagnostic::new(f.place(other.name), title);
        let d = d.see(f.place(key.name), "the other one");
        faults.push(
            d.help("keep one of them, or divide the frames into classes and give each its own"),
        );
    }
    Some(read(&f.get(key.name)?, faults))
}
