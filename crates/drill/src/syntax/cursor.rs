//! A place in the text, with its line.

use super::ParseError;

/// A place in the text. Bytes, not characters: everything the syntax knows is ASCII, and whatever
/// is not stands in comments and strings, which are copied.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor {
            text: text.as_bytes(),
            at: 0,
            line: 1,
        }
    }

    pub(super) fn line(&self) -> u32 {
        self.line
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    pub(super) fn starts_with(&self, word: &str) -> bool {
        self.text[self.at..].starts_with(word.as_bytes())
    }

    pub(super) fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        if byte == b'\n' {
            self.line += 1;
        }
        Some(byte)
    }

    /// Takes `word` if it is next.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let there = self.starts_with(word);
        if there {
            for _ in 0..word.len() {
                self.bump();
            }
        }
        there
    }

    /// Skips blanks within the line.
    pub(super) fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips white space, lines and comments.
    pub(super) fn space(&mut self) -> Result<(), ParseError> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => {
                    self.bump();
                }
                Some(b'/') if self.starts_with("//") => {
                    self.while_is(|b| b != b'\n');
                }
                Some(b'/') if self.starts_with("/*") => {
                    self.until("*/")?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Takes bytes while they are as wanted.
    pub(super) fn while_is(&mut self, wanted: impl Fn(u8) -> bool) -> String {
        let from = self.at;
        while self.peek().is_some_and(&wanted) {
            self.bump();
        }
        String::from_utf8_lossy(&self.text[from..self.at]).into_owned()
    }

    /// A word of letters, digits and underscores; empty when there is none.
    pub(super) fn word(&mut self) -> String {
        self.while_is(|b| b.is_ascii_alphanumeric() || b == b'_')
    }

    /// Everything up to `end`, which is taken too.
    pub(super) fn until(&mut self, end: &str) -> Result<String, ParseError> {
        let (from, line) = (self.at, self.line);
        while self.at < self.text.len() {
            if self.starts_with(end) {
                let inside = String::from_utf8_lossy(&self.text[from..self.at]).into_owned();
                self.take(end);
                return Ok(inside);
            }
            self.bump();
        }
        Err(ParseError {
            line,
            cause: format!("no `{end}` follows"),
            remedy: "close what was opened here".to_owned(),
        })
    }

    /// The rest of the line, for messages.
    pub(super) fn rest_of_line(&self) -> String {
        let rest = &self.text[self.at..];
        let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        let shown = &rest[..end.min(40)];
        String::from_utf8_lossy(shown).trim().to_owned()
    }

    /// An error here.
    pub(super) fn error(&self, cause: impl Into<String>, remedy: &str) -> ParseError {
        ParseError {
            line: self.line,
            cause: cause.into(),
            remedy: remedy.to_owned(),
        }
    }

    /// An error that shows what stands here.
    pub(super) fn expected(&self, what: &str, remedy: &str) -> ParseError {
        let rest = self.rest_of_line();
        let found = if self.peek().is_none() {
            "the end of the file".to_owned()
        } else if rest.is_empty() {
            "the end of the line".to_owned()
        } else {
            format!("`{rest}`")
        };
        self.error(format!("expected {what}, found {found}"), remedy)
    }

    /// `word`, or an error.
    pub(super) fn need(&mut self, word: &str, remedy: &str) -> Result<(), ParseError> {
        if self.take(word) {
            return Ok(());
        }
        Err(self.expected(&format!("`{word}`"), remedy))
    }

    /// A decimal or hexadecimal number.
    pub(super) fn number(&mut self) -> Result<u64, ParseError> {
        let mut ahead = self.clone();
        let (digits, radix) = if ahead.take("0x") || ahead.take("0X") {
            (ahead.while_is(|b| b.is_ascii_hexdigit()), 16)
        } else {
            (ahead.while_is(|b| b.is_ascii_digit()), 10)
        };
        if digits.is_empty() {
            return Err(self.expected("a number", "write digits, or 0x and hexadecimal digits"));
        }
        let value = u64::from_str_radix(&digits, radix)
            .map_err(|_| self.error(format!("`{digits}` is too large"), "at most 64 bits fit"))?;
        *self = ahead;
        Ok(value)
    }

    /// A number that fits 32 bits.
    pub(super) fn number32(&mut self) -> Result<u32, ParseError> {
        let here = self.clone();
        u32::try_from(self.number()?)
            .map_err(|_| here.error("the number is too large", "at most 4294967295 fits"))
    }

    /// Seconds with a fraction, in microseconds: `.1`, `0.25`, `3`. A fraction ends before `...`.
    pub(super) fn seconds(&mut self) -> Result<u64, ParseError> {
        let here = self.clone();
        let whole = self.while_is(|b| b.is_ascii_digit());
        let mut fraction = String::new();
        if self.peek() == Some(b'.') && !self.starts_with("..") {
            self.bump();
            fraction = self.while_is(|b| b.is_ascii_digit());
        }
        if whole.is_empty() && fraction.is_empty() {
            return Err(here.expected("a time in seconds", "write it like 0, .1 or 2.25"));
        }
        let mut micros = fraction.clone();
        micros.truncate(6);
        while micros.len() < 6 {
            micros.push('0');
        }
        let too_late = || here.error("the time is too large", "at most 100000 seconds fit");
        let whole: u64 = match whole.as_str() {
            "" => 0,
            digits => digits.parse().map_err(|_| too_late())?,
        };
        if whole > 100_000 {
            return Err(too_late());
        }
        let micros: u64 = micros.parse().map_err(|_| too_late())?;
        Ok(whole * 1_000_000 + micros)
    }
}
