//! Tests that send a file, and not memory: which file each of them sent.

use crate::fact::{Fact, Of, Place, Value};
use crate::read::Facts;
use crate::read::command::{ASKED, SENT};
use crate::seen::Test;

/// The file that a test sent: by the command before its report, or the closing line behind it.
pub(crate) fn file_of(facts: &Facts, test: &Test) -> Option<String> {
    let ports = |t: &Test| t.from.port.zip(t.to.port);
    let same = |t: &&Test| t.at == test.at || ports(t).is_some() && ports(t) == ports(test);
    let mut reports = facts.tests.iter().filter(same);
    let said = |report: &Test| {
        facts
            .facts
            .iter()
            .find_map(|fact| is_of(facts, fact, report))
    };
    reports.find_map(said)
}

/// The file that a fact names, if it is of this report; of any where no other stands in its text.
fn is_of(facts: &Facts, fact: &Fact, report: &Test) -> Option<String> {
    let closing = fact.name == SENT;
    let (Value::Word(file), Of::Sender, true) =
        (&fact.value, fact.of, closing || fact.name == ASKED)
    else {
        return None;
    };
    let Place::Line(source, line) = fact.at else {
        return None;
    };
    let line_of = |t: &Test| match t.at {
        Place::Line(of, n) if of == source => Some(n),
        _ => None,
    };
    let mut lines = facts.tests.iter().filter_map(line_of).peekable();
    if lines.peek().is_none() {
        return Some(file.clone());
    }
    let own = match closing {
        true => lines.filter(|n| *n <= line).max(),
        false => lines.filter(|n| *n >= line).min(),
    };
    (own.is_some() && own == line_of(report)).then(|| file.clone())
}
