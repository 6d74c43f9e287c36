//! A configuration file's text, and places in it.

use core::ops::Range;

/// One file's name and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// As the user named it.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// A place in one of several files.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Number of the file, in the order they were given.
    pub file: usize,
    /// Bytes in its text.
    pub span: Range<usize>,
}

impl Source {
    /// Line and column of byte `at`, both from 1; the column counts characters.
    pub fn line_and_column(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |n| n + 1);
        (line, before[start..].chars().count() + 1)
    }
}

/// Where the lines of a text begin: many places are found quickly.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'s> {
    text: &'s str,
    starts: Vec<usize>,
}

impl<'s> Lines<'s> {
    pub(crate) fn of(source: &'s Source) -> Lines<'s> {
        let ends = source.text.match_indices('\n').map(|(i, _)| i + 1);
        Lines {
            text: &source.text,
            starts: core::iter::once(0).chain(ends).collect(),
        }
    }

    /// Line and column of byte `at`, both from 1; the column counts characters.
    pub(crate) fn line_and_column(&self, at: usize) -> (usize, usize) {
        let at = self.text.floor_char_boundary(at);
        let line = self.starts.partition_point(|s| *s <= at);
        let start = self.starts[line - 1];
        (line, self.text[start..at].chars().count() + 1)
    }

    /// The lines a span touches: where they start, and their text.
    pub(crate) fn around(&self, span: &Range<usize>) -> (usize, &'s str) {
        let first = self.starts.partition_point(|s| *s <= span.start).max(1) - 1;
        let start = self.starts[first];
        let after = self.text.floor_char_boundary(span.end.max(span.start));
        let end = self.text[after..]
            .find('\n')
            .map_or(self.text.len(), |n| after + n);
        (start, &self.text[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let source = Source {
            name: "r1.conf".to_owned(),
            text: "a\nü b\n".to_owned(),
        };
        assert_eq!(source.line_and_column(0), (1, 1));
        assert_eq!(source.line_and_column(5), (2, 3));
        assert_eq!(source.line_and_column(99), (3, 1));
    }
}
