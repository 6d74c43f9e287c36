//! What is wrong with a configuration, where, why, and what to do about it.

use crate::source::Place;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// It works, and probably not as meant.
    Warning,
    /// It cannot work as written.
    Error,
}

impl Severity {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A check, by its stable number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// `CCC003`: never given to another check.
    pub id: &'static str,
    /// A few words: "tail mismatch".
    pub name: &'static str,
    /// The severity it usually has.
    pub severity: Severity,
    /// Why it matters, in a sentence or two.
    pub explanation: &'static str,
}

/// One thing a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which check.
    pub rule: &'static Rule,
    /// How bad it is here.
    pub severity: Severity,
    /// What is wrong here, with names and figures.
    pub message: String,
    /// The place of the fault.
    pub place: Place,
    /// Other places that have to do with it, and what they are.
    pub related: Vec<(Place, String)>,
    /// What to write instead, one line each.
    pub remedies: Vec<String>,
    /// Statements nobody understood in the parts this check depends on: with any, the finding is
    /// uncertain.
    pub uncertain: Vec<Place>,
}
