//! The forwarding class that a Junos router gives to frames, by their marks.

use std::collections::BTreeMap;

use farpath_config::junos::model::{
    ClassOfService, Classifier, CosInterface, Marks, Router as Junos,
};

use super::known::Known;

/// How many classifiers may begin with each other.
const MOST_IMPORTS: usize = 8;

/// The queue of each mark that arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Classes {
    pub(super) dscp: [u8; 64],
    pub(super) exp: [u8; 8],
}

impl Classes {
    /// Those of a router without classifiers.
    fn usual() -> Classes {
        Classes {
            dscp: core::array::from_fn(|d| queue_of_precedence(d >> 3)),
            // Two neighbours share a class (Junos, "Default MPLS EXP classifier").
            exp: core::array::from_fn(|e| u8::try_from(e / 2).unwrap_or(0)),
        }
    }

    /// The queues that marks are sent to which would not be without classifiers.
    pub(super) fn meant(&self) -> impl Iterator<Item = u8> + '_ {
        let usual = Classes::usual();
        let own = self.dscp.iter().chain(&self.exp);
        let others: Vec<u8> = usual.dscp.iter().chain(&usual.exp).copied().collect();
        own.zip(others).filter(|(a, b)| **a != *b).map(|(a, _)| *a)
    }

    /// What an interface of `router` makes of what arrives.
    pub(super) fn of(router: &Junos, interface: &str) -> Classes {
        let cos = &router.class_of_service;
        let mut classes = Classes::usual();
        let all: Vec<&CosInterface> = applied(cos, interface).collect();
        if let Some(class) = all.iter().find_map(|i| i.class.as_ref()) {
            let queue = cos.queue(&class.value).unwrap_or(0);
            return Classes {
                dscp: [queue; 64],
                exp: [queue; 8],
            };
        }
        let named = all.iter().flat_map(|i| &i.classifiers);
        // The DS field outranks the precedence, which it contains.
        let mut named: Vec<_> = named.collect();
        named.sort_by_key(|(marks, _)| *marks == Marks::Dscp);
        for (marks, name) in named {
            let table = points(cos, *marks, &name.value, MOST_IMPORTS);
            let at = |point: u8| table.get(&point).copied().unwrap_or(0);
            match marks {
                Marks::Dscp => classes.dscp = core::array::from_fn(|d| at(d as u8)),
                Marks::Precedence => classes.dscp = core::array::from_fn(|d| at(d as u8 >> 3)),
                Marks::Exp => classes.exp = core::array::from_fn(|e| at(e as u8)),
                Marks::Cos => {}
            }
        }
        classes
    }

    /// The marks whose frames are in a queue.
    pub(super) fn marks(&self, queue: u8) -> Known {
        let dscps = (0..64_u8).filter(|d| self.dscp[usize::from(*d)] == queue);
        let exps = (0..8_u8).filter(|e| self.exp[usize::from(*e)] == queue);
        let mut known = Known::of_dscps(&dscps.collect::<Vec<_>>());
        known.add(&Known::of_exps(&exps.collect::<Vec<_>>()));
        known
    }
}

/// What is applied to an interface: of its unit first, of the port then.
pub(super) fn applied<'c>(
    cos: &'c ClassOfService,
    interface: &'c str,
) -> impl Iterator<Item = &'c CosInterface> {
    let (port, unit) = interface.split_once('.').unwrap_or((interface, "0"));
    let here = move |i: &&CosInterface| {
        let same = |written: &str, name: &str| match written.split_once('*') {
            Some((before, after)) => {
                name.len() >= before.len() + after.len()
                    && name.starts_with(before)
                    && name.ends_with(after)
            }
            None => written == name,
        };
        same(&i.port, port) && i.unit.as_ref().is_none_or(|u| same(u, unit))
    };
    let of_unit = cos.interfaces.iter().filter(|i| i.unit.is_some());
    let of_port = cos.interfaces.iter().filter(|i| i.unit.is_none());
    of_unit.chain(of_port).filter(here)
}

/// 6 and 7 are network control, the rest best effort (Junos, "Default IP precedence classifier").
fn queue_of_precedence(precedence: usize) -> u8 {
    if precedence >= 6 { 3 } else { 0 }
}

/// The code points of a classifier and their queues; what it does not name is in queue 0.
fn points(cos: &ClassOfService, marks: Marks, name: &str, imports: usize) -> BTreeMap<u8, u8> {
    let is = |c: &&Classifier| c.marks == marks && c.name.value == name;
    let Some(classifier) = cos.classifiers.iter().find(is) else {
        return usual(marks);
    };
    let begin = classifier.import.as_ref().filter(|_| imports > 0);
    let mut table = begin.map_or_else(BTreeMap::new, |import| {
        points(cos, marks, &import.value, imports - 1)
    });
    for (class, list) in &classifier.entries {
        let queue = cos.queue(class).unwrap_or(0);
        table.extend(list.iter().map(|point| (point.value, queue)));
    }
    table
}

/// The classifiers that are there without a definition (Junos, "Default DSCP classifier" and its neighbours).
fn usual(marks: Marks) -> BTreeMap<u8, u8> {
    match marks {
        Marks::Dscp => {
            let assured = (1..=4).flat_map(|class| (1..=3).map(move |drop| 8 * class + 2 * drop));
            let assured = assured.map(|d| (d, 2));
            assured.chain([(46, 1), (48, 3), (56, 3)]).collect()
        }
        Marks::Precedence => [(6, 3), (7, 3)].into(),
        Marks::Exp => (0..8).map(|e| (e, e / 2)).collect(),
        Marks::Cos => BTreeMap::new(),
    }
}
