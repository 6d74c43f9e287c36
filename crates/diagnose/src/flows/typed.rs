//! Options of commands that start a test: each is of the test that is printed below it, and of no other.

use std::collections::BTreeMap;

use crate::fact::{Fact, Figure, Of, Place};
use crate::flows::flow::{Flow, number, same};
use crate::read::Facts;
use crate::seen::Test;

/// Most reports of one test: of either end, and once more where a text was pasted twice.
const REPORTS_MAX: usize = 8;

/// The source and the line of a place in a text.
fn line(at: Place) -> Option<(u32, u32)> {
    match at {
        Place::Line(source, line) => Some((source, line)),
        _ => None,
    }
}

/// What is known of an end by this name: of the sender, what was typed for the test of a flow.
pub(crate) fn said<'f>(
    facts: &'f Facts,
    flow: &Flow,
    of: Of,
    name: &'static str,
) -> Option<&'f Figure> {
    match of {
        Of::Sender => option(facts, flow, name),
        _ => number(facts, of, name),
    }
}

/// The last option of this name that was typed at the sender for the test of a flow. One below which its text has no test is of any.
pub(crate) fn option<'f>(facts: &'f Facts, flow: &Flow, name: &'static str) -> Option<&'f Figure> {
    of_test(facts, flow.test.as_ref(), name)?.number()
}

/// The same for any test.
pub(crate) fn number_of<'f>(
    facts: &'f Facts,
    test: &Test,
    name: &'static str,
) -> Option<&'f Figure> {
    of_test(facts, Some(test), name)?.number()
}

/// The last word of this name that was typed at the sender for a test, and where. One below which its text has no test is of any.
pub(crate) fn word<'f>(
    facts: &'f Facts,
    test: Option<&Test>,
    name: &'static str,
) -> Option<(&'f str, Place)> {
    let fact = of_test(facts, test, name)?;
    Some((fact.word()?, fact.at))
}

/// The last fact of this name that was typed at the sender for a test.
fn of_test<'f>(facts: &'f Facts, test: Option<&Test>, name: &'static str) -> Option<&'f Fact> {
    facts.latest(Of::Sender, name)?;
    let tests = || facts.tests.iter().filter_map(|t| Some((line(t.at)?, t)));
    let mut last: BTreeMap<u32, u32> = BTreeMap::new();
    for ((source, line), _) in tests() {
        let known = last.entry(source).or_insert(line);
        *known = line.max(*known);
    }
    // From the test before it in its text on.
    let mut spans = Vec::new();
    if let Some(own) = test {
        // Either end's report of one connection, whatever its rate.
        let ports = |t: &Test| (t.from.port, t.to.port);
        let ended = own.from.port.is_some() && own.to.port.is_some();
        let is_own = |t: &Test| own.at == t.at || ended && ports(own) == ports(t) || same(own, t);
        let reports = tests().filter(|(_, t)| is_own(t));
        for (at, _) in reports.take(REPORTS_MAX) {
            let others = tests().map(|(other, _)| other);
            let before = others.filter(|o| o.0 == at.0 && o.1 < at.1).max();
            spans.push((before.unwrap_or((at.0, 0)), at));
        }
    }
    let applies = |place: Place| match line(place) {
        Some(at) if last.get(&at.0).is_some_and(|l| *l >= at.1) => {
            spans.iter().any(|(from, to)| at > *from && at <= *to)
        }
        _ => true,
    };
    let is_it = |f: &&Fact| f.of == Of::Sender && f.name == name && applies(f.at);
    facts.facts.iter().rfind(is_it)
}
