//! What became of a script.

use core::fmt;

/// Something that went otherwise than the script says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The script's line, from 1.
    pub line: u32,
    /// What the script expects.
    pub expected: String,
    /// What happened instead.
    pub got: String,
    /// In a few words, for counting: "segment", "time", "assertion".
    pub kind: &'static str,
}

/// A line that a script's code printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The script's line where the code begins, from 1.
    pub line: u32,
    /// What `print` said, without control characters.
    pub text: String,
}

/// A script that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// What became of it.
    pub verdict: Verdict,
    /// What its code printed, in order.
    pub printed: Vec<Printed>,
}

/// What became of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All went as the script says.
    Pass,
    /// Something went otherwise. A run goes on behind a value that is not the script's; it ends where
    /// what follows has no meaning: a segment that did not come or is another one, a call that gave
    /// something else.
    Differs {
        /// The first difference.
        first: Difference,
        /// Those behind it, in order: at most 31.
        behind: Vec<Difference>,
    },
    /// The script needs what cannot be run here.
    Unsupported {
        /// The script's line, from 1.
        line: u32,
        /// What it needs.
        reason: String,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference {
            line,
            expected,
            got,
            ..
        } = self;
        write!(f, "line {line}: expected {expected}, got {got}")
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Pass => f.write_str("pass"),
            Verdict::Differs { first, behind } => {
                write!(f, "{first}")?;
                behind.iter().try_for_each(|d| write!(f, "; {d}"))
            }
            Verdict::Unsupported { line, reason } => {
                write!(f, "line {line}: unsupported: {reason}")
            }
        }
    }
}
