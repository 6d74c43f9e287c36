//! What became of a script.

use core::fmt;

/// The first thing that went otherwise than the script says.
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

/// What became of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All went as the script says.
    Pass,
    /// Something went otherwise; the rest was not run.
    Differs(Difference),
    /// The script needs what cannot be run here.
    Unsupported {
        /// The script's line, from 1.
        line: u32,
        /// What it needs.
        reason: String,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Pass => f.write_str("pass"),
            Verdict::Differs(d) => {
                write!(f, "line {}: expected {}, got {}", d.line, d.expected, d.got)
            }
            Verdict::Unsupported { line, reason } => {
                write!(f, "line {line}: unsupported: {reason}")
            }
        }
    }
}
