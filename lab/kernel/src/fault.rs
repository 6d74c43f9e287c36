//! Why a comparison could not be made.

use std::fmt;

/// A comparison that was not made.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The machine lacks something: what, and what to do.
    Environment(String),
    /// Something went wrong on the way.
    Failed(String),
    /// Ctrl-C.
    Interrupted,
}

impl Fault {
    /// The exit code: those of the command line.
    pub(crate) fn exit(&self) -> u8 {
        match self {
            Fault::Environment(_) => 3,
            Fault::Failed(_) => 1,
            Fault::Interrupted => 130,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Environment(text) | Fault::Failed(text) => f.write_str(text),
            Fault::Interrupted => f.write_str("interrupted"),
        }
    }
}
