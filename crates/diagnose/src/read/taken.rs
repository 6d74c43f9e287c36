//! A text that a reader takes line by line, for the tests of readers.

use super::{Facts, Line, Tool};
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
