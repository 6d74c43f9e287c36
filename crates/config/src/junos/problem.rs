//! What is wrong with a text of Junos, and how much of it is read.

use core::ops::Range;

use crate::report::Fault;
use crate::source::Place;

/// Most blocks inside each other.
pub const MOST_NESTED: usize = 64;

/// Most words from the top to a statement.
pub const MOST_WORDS: usize = 256;

/// What is wrong with a text, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl Problem {
    pub(crate) fn new(
        span: Range<usize>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Problem {
        Problem {
            span,
            message: message.into(),
            remedy: remedy.into(),
        }
    }

    pub(crate) fn fault(self, file: usize) -> Fault {
        Fault {
            place: Place {
                file,
                span: self.span,
            },
            message: self.message,
            remedy: self.remedy,
        }
    }
}
