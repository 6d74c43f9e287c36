//! Faults of the text itself, before anyone asks what it means.

use crate::finding::{Rule, Severity};

/// A banner or certificate without its end.
pub(crate) static UNFINISHED: Rule = Rule {
    id: "IOS001",
    name: "never ends",
    severity: Severity::Error,
    explanation: "a banner, certificate or macro swallows every line up to its mark; without the mark the rest of the file is lost",
};

/// Words after a whole command.
pub(crate) static LEFT_OVER: Rule = Rule {
    id: "IOS002",
    name: "text after a command",
    severity: Severity::Error,
    explanation: "a command line holds nothing but its command; the switch marks the first word it does not know and does none of the line",
};

/// A number that cannot be.
pub(crate) static RANGE: Rule = Rule {
    id: "IOS003",
    name: "value out of range",
    severity: Severity::Error,
    explanation: "the switch refuses the line, and what it was to set keeps its default",
};

/// A command cut short.
pub(crate) static MISSING: Rule = Rule {
    id: "IOS004",
    name: "incomplete command",
    severity: Severity::Error,
    explanation: "the switch answers `% Incomplete command` and does nothing",
};

/// A line of words.
pub(crate) static PROSE: Rule = Rule {
    id: "IOS005",
    name: "not a command",
    severity: Severity::Warning,
    explanation: "listings copied from a slide or a page carry explanations between the commands; the switch refuses such lines",
};

/// An interface's command with no interface.
pub(crate) static NOWHERE: Rule = Rule {
    id: "IOS006",
    name: "outside any interface",
    severity: Severity::Error,
    explanation: "the command belongs to an interface, and none is open: the switch refuses it, or it lands on whatever interface is",
};
