//! Junos text as tokens that leave nothing out.

use core::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Blanks on one line.
    Blank,
    /// A line's end: `\n` or `\r\n`.
    Newline,
    /// `/* … */`.
    Comment,
    /// `# …`, to the end of its line.
    Remark,
    /// A word without quotes.
    Word,
    /// A word in quotes, which belong to the token.
    Quoted,
    /// `{`
    Open,
    /// `}`
    Close,
    /// `[`
    ListOpen,
    /// `]`
    ListClose,
    /// `;`
    Semicolon,
    /// `/*` without its end: the rest of the text.
    OpenComment,
    /// A quote without its end on the same line.
    OpenQuoted,
}

/// A token: its kind and the bytes it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its first byte.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
}

impl Token {
    /// The bytes it covers.
    pub fn span(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Its first `n` bytes: the mark that opens it.
    pub(crate) fn first(self, n: u32) -> Token {
        Token {
            end: self.end.min(self.start + n),
            ..self
        }
    }

    /// Whether it can be a name or a value.
    pub(crate) fn is_word(self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Quoted | Kind::OpenQuoted)
    }

    /// Whether it says nothing.
    pub(crate) fn is_silent(self) -> bool {
        matches!(
            self.kind,
            Kind::Blank | Kind::Newline | Kind::Comment | Kind::Remark | Kind::OpenComment
        )
    }
}

/// A text and its tokens; between them they cover every byte once.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    /// The text.
    pub text: &'a str,
    /// Its tokens, in order.
    pub list: Vec<Token>,
}

/// Cuts `text` into tokens. Texts of 4 GiB and more must not come here.
pub fn lex(text: &str) -> Tokens<'_> {
    let bytes = text.as_bytes();
    let mut list = Vec::with_capacity(bytes.len() / 3);
    let mut at = 0;
    while at < bytes.len() {
        let (kind, end) = next(text, at);
        list.push(Token {
            kind,
            start: at as u32,
            end: end as u32,
        });
        at = end;
    }
    Tokens { text, list }
}

fn next(text: &str, at: usize) -> (Kind, usize) {
    let bytes = text.as_bytes();
    let rest = &bytes[at..];
    match rest[0] {
        b'\n' => (Kind::Newline, at + 1),
        b'\r' if rest.get(1) == Some(&b'\n') => (Kind::Newline, at + 2),
        b if is_blank(b) => (Kind::Blank, at + run(rest, is_blank)),
        b'{' => (Kind::Open, at + 1),
        b'}' => (Kind::Close, at + 1),
        b'[' => (Kind::ListOpen, at + 1),
        b']' => (Kind::ListClose, at + 1),
        b';' => (Kind::Semicolon, at + 1),
        b'#' => (Kind::Remark, at + run(rest, |b| b != b'\n')),
        b'/' if rest.get(1) == Some(&b'*') => match find(&rest[2..], b"*/") {
            Some(n) => (Kind::Comment, at + 2 + n + 2),
            None => (Kind::OpenComment, bytes.len()),
        },
        b'"' => quoted(rest, at),
        _ if space(text, at) > 0 => (Kind::Blank, at + space(text, at)),
        _ => (Kind::Word, word_end(text, at)),
    }
}

/// Bytes of the blank beyond ASCII that stands here: listings copied from web pages are indented with
/// no-break spaces, and saved ones may begin with a byte order mark.
fn space(text: &str, at: usize) -> usize {
    if text.as_bytes()[at] < 0x80 {
        return 0;
    }
    let first = text[at..].chars().next();
    let blank = first.filter(|c| c.is_whitespace() || *c == '\u{feff}');
    blank.map_or(0, char::len_utf8)
}

fn word_end(text: &str, at: usize) -> usize {
    let mut end = at;
    loop {
        let rest = &text.as_bytes()[end..];
        end += run(rest, |b| is_in_word(b) && b < 0x80);
        if end == text.len() || text.as_bytes()[end] < 0x80 || space(text, end) > 0 {
            return end;
        }
        end += text[end..].chars().next().map_or(1, char::len_utf8);
    }
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | 0x0c)
}

/// `/*` and `#` start a comment only where a word could start: `ge-0/0/*` is a word.
fn is_in_word(b: u8) -> bool {
    !is_blank(b) && !matches!(b, b'\n' | b'{' | b'}' | b'[' | b']' | b';' | b'"')
}

fn run(bytes: &[u8], part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|b| !part(*b)).unwrap_or(bytes.len())
}

fn find(bytes: &[u8], what: &[u8; 2]) -> Option<usize> {
    bytes.windows(2).position(|w| w == what)
}

/// A quoted word ends on its line; one that does not leaves a final semicolon to the statement.
fn quoted(rest: &[u8], at: usize) -> (Kind, usize) {
    let mut n = 1;
    while n < rest.len() && rest[n] != b'\n' {
        match rest[n] {
            b'"' => return (Kind::Quoted, at + n + 1),
            b'\\' if rest.get(n + 1).is_some_and(|b| *b != b'\n') => n += 2,
            _ => n += 1,
        }
    }
    let line = &rest[..n.min(rest.len())];
    let words = line.trim_ascii_end();
    let end = words.strip_suffix(b";").unwrap_or(words).len().max(1);
    (Kind::OpenQuoted, at + end)
}

impl<'a> Tokens<'a> {
    /// The text of a token; quotes are taken off.
    pub fn word(&self, token: Token) -> &'a str {
        let text = &self.text[token.span()];
        match token.kind {
            Kind::Quoted => &text[1..text.len() - 1],
            Kind::OpenQuoted => &text[1..],
            _ => text,
        }
    }

    /// The text again, token by token.
    pub fn print(&self) -> String {
        self.list.iter().map(|t| &self.text[t.span()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_slashes_and_stars_are_no_comments() {
        let tokens = lex("a ge-0/0/* /* c */ \"x; \\\" y\"; # {\nb");
        let words: Vec<&str> = tokens
            .list
            .iter()
            .filter(|t| t.is_word())
            .map(|t| tokens.word(*t))
            .collect();
        assert_eq!(words, ["a", "ge-0/0/*", "x; \\\" y", "b"]);
        assert_eq!(tokens.print(), tokens.text);
    }

    #[test]
    fn no_break_spaces_are_blanks() {
        let tokens = lex("\u{feff}a\u{a0}\u{a0}b\u{fc};");
        let words: Vec<&str> = tokens
            .list
            .iter()
            .filter(|t| t.is_word())
            .map(|t| tokens.word(*t))
            .collect();
        assert_eq!(words, ["a", "b\u{fc}"]);
        assert_eq!(tokens.print(), tokens.text);
    }

    #[test]
    fn an_open_quote_ends_before_the_semicolon_of_its_line() {
        let tokens = lex("d \"x y;\nb;");
        let kinds: Vec<Kind> = tokens.list.iter().map(|t| t.kind).collect();
        assert_eq!(kinds[2..4], [Kind::OpenQuoted, Kind::Semicolon]);
    }
}
