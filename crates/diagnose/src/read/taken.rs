//! Texts that readers take, for their tests.

use super::{Facts, Line, Source, Tool, read};
use crate::fact::Place;

/// What a reader reads of a text.
///
/// # Panics
/// If it leaves a line to others.
pub(in crate::read) fn taken(mut tool: impl Tool, text: &str) -> Facts {
    let mut facts = Facts::default();
    for (n, line) in (1..).zip(text.lines()) {
        let line = Line {
            bare: line.trim(),
            at: Place::Line(0, n),
        };
        assert!(tool.line(line, n > 1, &mut facts), "{}", line.bare);
    }
    tool.finish(&mut facts);
    facts
}

/// What all readers read of a text, and whether they read all of it.
pub(in crate::read) fn whole(text: &str) -> (Facts, bool) {
    let facts = read(&[Source {
        name: "t.txt".to_owned(),
        bytes: text.as_bytes().to_vec(),
    }]);
    let whole = facts.ignored_count == [0];
    (facts, whole)
}
