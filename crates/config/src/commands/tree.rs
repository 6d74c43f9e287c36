//! Lines and their nesting. Nothing is lost: the lines together are the text.

use core::ops::Range;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing but white space.
    Blank,
    /// Begins with `!`.
    Comment,
    /// A command.
    Statement,
    /// `exit`, `end` and the like: leaves a section.
    Leave,
    /// Text that is not a command: a banner's, a certificate's.
    Blob,
}

/// A line, its place and its section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub kind: Kind,
    /// Bytes from its first to its last character that is not white space.
    pub span: Range<usize>,
    /// Bytes with indentation and the end of the line.
    pub whole: Range<usize>,
    /// Number of the line whose section this one is in.
    pub parent: Option<usize>,
    /// Number of the line after the last one of the section this one opens.
    pub end: usize,
}

/// A configuration as lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: Vec<Line>,
    pub(crate) unfinished: Option<usize>,
}

impl<'a> Tree<'a> {
    /// The text it was read from, byte for byte.
    pub fn print(&self) -> String {
        self.lines
            .iter()
            .map(|l| &self.text[l.whole.clone()])
            .collect()
    }

    /// All lines in order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// A line's words, without indentation.
    pub fn content(&self, line: usize) -> &'a str {
        &self.text[self.lines[line].span.clone()]
    }

    /// The numbers of the lines directly inside line `of`; of those at the top with `None`.
    pub fn inside(&self, of: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let (mut next, end) = match of {
            Some(line) => (line + 1, self.lines[line].end),
            None => (0, self.lines.len()),
        };
        core::iter::from_fn(move || {
            (next < end).then(|| {
                let this = next;
                next = self.lines[this].end;
                this
            })
        })
    }

    /// The commands directly inside line `of`.
    pub fn statements(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        let is_command = |line: &usize| self.lines[*line].kind == Kind::Statement;
        self.inside(Some(of)).filter(is_command)
    }

    /// The line that opened a banner or certificate which never ended.
    pub fn unfinished(&self) -> Option<usize> {
        self.unfinished
    }
}
