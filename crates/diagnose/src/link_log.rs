//! Links that logs of kernels and routers have as down: what explains a time in which nothing passed.

use std::collections::BTreeSet;

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Fact, Value};
use crate::items::Item;
use crate::read::Facts;

/// The words of a path whose link went down, and came up: the name of its interface or port.
pub(crate) const DOWN: &str = "link_down";
pub(crate) const UP: &str = "link_up";

/// How much such a log says of an outage that a test saw, decibans.
const WEIGHT: f64 = 20.0;

/// What logs have of links that went down.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkLog {
    /// The first of them, for people.
    said: String,
}

/// The interfaces or ports of which this was logged, in the order of the texts.
fn logged<'f>(facts: &'f Facts, name: &str) -> impl Iterator<Item = (&'f Fact, &'f str)> {
    let named = facts.facts.iter().filter(move |f| f.name == name);
    named.filter_map(|fact| match &fact.value {
        Value::Word(port) => Some((fact, port.as_str())),
        Value::Number(_) => None,
    })
}

impl LinkLog {
    /// What was read of links that went down.
    pub(crate) fn of(facts: &Facts) -> Option<LinkLog> {
        let (first, port) = logged(facts, DOWN).next()?;
        let times = logged(facts, DOWN).filter(|(_, p)| *p == port).count();
        let back = logged(facts, UP).any(|(up, p)| p == port && up.at > first.at);
        let all = logged(facts, DOWN).map(|(_, p)| p);
        let others = all.filter(|p| *p != port).collect::<BTreeSet<&str>>().len();
        let times = match times {
            0 | 1 => String::new(),
            n => format!(" {n} times"),
        };
        let others = match others {
            0 => String::new(),
            1 => ", and so did that of another port".to_owned(),
            n => format!(", and so did those of {n} other ports"),
        };
        let back = if back { ", and came up again" } else { "" };
        let at = facts.place(first.at);
        Some(LinkLog {
            said: format!("{at}: by the log the link of {port} went down{times}{back}{others}"),
        })
    }
}

/// What logs have of links, beside a stop that a test saw or by itself.
pub(crate) fn by_link_log(e: &Evidence, items: &mut Vec<Item>) {
    let Some(log) = &e.around.link_log else {
        return;
    };
    let (weights, whether) = match e.down() > 0.0 {
        true => (
            vec![(Cause::Outage, WEIGHT)],
            "such a link carries nothing meanwhile, as was seen here",
        ),
        false => (
            Vec::new(),
            "the texts do not say whether that was during the test",
        ),
    };
    items.push(Item {
        holds: 1.0,
        weights,
        sentence: format!("{}; {whether}", log.said),
    });
}
