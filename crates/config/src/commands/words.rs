//! The words of a command, each with its place.

/// A word and the byte it begins at in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
}

impl Word<'_> {
    /// Its bytes.
    pub(crate) fn span(&self) -> core::ops::Range<usize> {
        self.at..self.at + self.text.len()
    }

    /// Whether it begins with a digit.
    pub(crate) fn is_numeral(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// Words not yet taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    rest: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    /// The words of `content`, which begins at byte `at`.
    pub(crate) fn new(content: &'a str, at: usize) -> Words<'a> {
        Words { rest: content, at }
    }

    /// The next word, without taking it.
    pub(crate) fn peek(&self) -> Option<Word<'a>> {
        let mut ahead = *self;
        ahead.next()
    }

    /// Takes the next word if it is `text`.
    pub(crate) fn accept(&mut self, text: &str) -> bool {
        let mut ahead = *self;
        let found = ahead
            .next()
            .is_some_and(|w| w.text.eq_ignore_ascii_case(text));
        if found {
            *self = ahead;
        }
        found
    }

    /// What is left, without white space around it, and where it begins.
    pub(crate) fn rest(&self) -> Word<'a> {
        let start = self.rest.trim_start();
        Word {
            text: start.trim_end(),
            at: self.at + self.rest.len() - start.len(),
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let start = self.rest.trim_start();
        if start.is_empty() {
            return None;
        }
        let at = self.at + self.rest.len() - start.len();
        let length = start.find(char::is_whitespace).unwrap_or(start.len());
        let (text, rest) = start.split_at(length);
        (self.rest, self.at) = (rest, at + length);
        Some(Word { text, at })
    }
}

/// How many words `pattern` has, the word at its first `*`, and what is left of `words`, if it fits.
pub(crate) fn fit<'t>(pattern: &str, mut words: Words<'t>) -> Option<(usize, &'t str, Words<'t>)> {
    let (mut length, mut named) = (0, "");
    for wanted in pattern.split(' ') {
        let word = words.next()?.text;
        let fits = match wanted.strip_prefix('~') {
            Some(any) => any.split('|').any(|w| w.eq_ignore_ascii_case(word)),
            None => wanted == "*" || wanted.split('|').any(|w| w == word),
        };
        if !fits {
            return None;
        }
        if wanted == "*" && named.is_empty() {
            named = word;
        }
        length += 1;
    }
    Some((length, named, words))
}
