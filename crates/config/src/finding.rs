//! Findings of configurations: where they stand in the texts.

use farpath_record::Location;
pub use farpath_record::{Evidence, Role, Rule, Severity};

use crate::secrets::masked;
use crate::source::{Lines, Place};

/// One thing a check found; the first place of its evidence is that of the fault.
pub type Finding = farpath_record::Finding<Place>;

/// The place of the fault.
pub fn place(finding: &Finding) -> &Place {
    let first = finding.evidence.first();
    &first.expect("a check says where").place
}

/// The places of statements nobody understood that it may depend on.
pub fn doubts(finding: &Finding) -> Vec<&Place> {
    finding.with(Role::Doubt).map(|e| &e.place).collect()
}

/// A word of a text as a message quotes it: its first 60 characters, without secrets.
pub(crate) fn quoted(word: &str) -> String {
    masked(word).chars().take(60).collect()
}

/// The same place, for people to read.
pub(crate) fn location(place: &Place, name: &str, lines: &Lines<'_>) -> Location {
    let (line, column) = lines.line_and_column(place.span.start);
    let (_, text) = lines.around(&(place.span.start..place.span.start));
    Location::Text {
        source: name.to_owned(),
        line,
        column,
        excerpt: masked(&text.chars().take(200).collect::<String>()),
    }
}
