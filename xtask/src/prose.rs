//! What is written for readers in the repository's files: pages, comments and string literals, without
//! code, tables' rules and other people's words.

use crate::source::literals;
use crate::tree::TextFile;

/// What a piece of prose is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A paragraph or a list item of a page.
    Paragraph,
    /// A row of a page's table, or a heading.
    Row,
    /// A comment.
    Comment,
    /// A string literal of more than one word.
    Literal,
}

/// Consecutive words that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    /// Each word with its line, from 1. A code span is one word, between backticks.
    pub(crate) words: Vec<(usize, String)>,
}

/// The prose of one file; nothing of a file in a language not read here.
pub(crate) fn pieces(file: &TextFile) -> Vec<Piece> {
    let ending = file.path.rsplit('.').next().unwrap_or_default();
    let raw = match ending {
        "md" => page(&file.text),
        "rs" => quoted(literals(&file.text)),
        "ts" | "mjs" => quoted(scan(&file.text, "//", "\"'`")),
        "c" | "h" => quoted(scan(&file.text, "//", "\"")),
        "py" => quoted(scan(&file.text, "#", "\"'")),
        "toml" => quoted(scan(&own_words(&file.text), "#", "\"'")),
        _ => Vec::new(),
    };
    raw.into_iter()
        .map(|(kind, line, text)| Piece {
            kind,
            words: words(&mask(&text), line),
        })
        .collect()
}

type Raw = (Kind, usize, String);

/// Paragraphs, list items, rows and headings of a Markdown page. Code blocks and quotations are left out.
fn page(text: &str) -> Vec<Raw> {
    let mut found: Vec<Raw> = Vec::new();
    let (mut fenced, mut open) = (false, false);
    for (i, line) in text.lines().enumerate() {
        let text = line.trim();
        if text.starts_with("```") {
            fenced = !fenced;
        }
        if fenced || text.is_empty() || text.starts_with("```") || text.starts_with('>') {
            open = false;
        } else if text.starts_with('|') || text.starts_with('#') {
            open = false;
            found.push((Kind::Row, i + 1, text.to_owned()));
        } else if let Some(item) = list_item(text) {
            open = true;
            found.push((Kind::Paragraph, i + 1, item.to_owned()));
        } else if open {
            let (_, _, paragraph) = found.last_mut().expect("something is open");
            paragraph.push('\n');
            paragraph.push_str(text);
        } else {
            open = true;
            found.push((Kind::Paragraph, i + 1, text.to_owned()));
        }
    }
    found
}

/// What follows the mark of a list item (`- `, `* `, `1. `), if the line starts one.
fn list_item(line: &str) -> Option<&str> {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if after_number.len() < line.len() {
        return after_number.strip_prefix(". ");
    }
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))
}

/// What stands for escapes in a literal: an empty or indented line ends a sentence, the rest are blanks.
const ESCAPES: [(&str, &str); 4] = [
    ("\\n\\n", " . "),
    ("\\n  ", " . "),
    ("\\n", "  "),
    ("\\", " "),
];

/// Comments and literals as they are read: comments of consecutive lines are one.
fn quoted(found: Vec<(usize, String)>) -> Vec<Raw> {
    let mut pieces: Vec<Raw> = Vec::new();
    let (mut next_line, mut fenced) = (0, false);
    for (line, text) in found {
        let Some(text) = comment(&text) else {
            if text.contains(char::is_whitespace) {
                let text = ESCAPES
                    .iter()
                    .fold(text, |text, (from, to)| text.replace(from, to));
                pieces.push((Kind::Literal, line, text));
            }
            continue;
        };
        let marks_fence = text.trim_start().starts_with("```");
        fenced = marks_fence != (fenced && line == next_line);
        let continued = line == next_line && !text.trim().is_empty();
        next_line = line + text.matches('\n').count() + 1;
        if fenced || marks_fence {
            continue;
        }
        match pieces.last_mut() {
            Some((Kind::Comment, start, so_far))
                if continued && *start + so_far.matches('\n').count() + 1 == line =>
            {
                so_far.push('\n');
                so_far.push_str(&text);
            }
            _ => pieces.push((Kind::Comment, line, text)),
        }
    }
    pieces
}

/// The text of a comment without its marks; `None` for anything else.
fn comment(text: &str) -> Option<String> {
    if let Some(block) = text.strip_prefix("/*") {
        let lines = block.trim_end_matches("*/").split('\n');
        let lines: Vec<&str> = lines
            .map(|l| l.trim_start().trim_start_matches('*'))
            .collect();
        return Some(lines.join("\n"));
    }
    let line = text.strip_prefix("//").or_else(|| text.strip_prefix('#'))?;
    Some(line.trim_start_matches(['/', '!', '#']).to_owned())
}

/// Comments and literals of a language whose line comments start with `mark` and whose strings stand
/// between one of `quotes`. A string between single marks ends with its line; `/* */` goes with `//`.
fn scan(text: &str, mark: &str, quotes: &str) -> Vec<(usize, String)> {
    let (mut found, mut line, mut at) = (Vec::new(), 1, 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let triple: String = [c; 3].iter().collect();
        let length = if rest.starts_with(mark) {
            rest.find('\n').unwrap_or(rest.len())
        } else if mark == "//" && rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if quotes.contains(c) && rest.starts_with(&triple) && c != '`' {
            rest[3..].find(&triple).map_or(rest.len(), |end| end + 6)
        } else if quotes.contains(c) {
            string_length(rest, c)
        } else {
            0
        };
        if length > 0 {
            found.push((line, rest[..length].to_owned()));
        }
        let passed = &rest[..length.max(c.len_utf8())];
        line += passed.matches('\n').count();
        at += passed.len();
    }
    found
}

/// Bytes from an opening quote to behind the closing one, or to the end of the line.
fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            '\n' if quote != '`' => return i,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return i + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// TOML without the words of others: what a source stated, and its title.
fn own_words(text: &str) -> String {
    let theirs = |line: &str| {
        let key = line.split('=').next().unwrap_or_default().trim();
        matches!(key, "stated" | "source" | "title")
    };
    let lines = text.split('\n');
    let lines: Vec<&str> = lines.map(|l| if theirs(l) { "" } else { l }).collect();
    lines.join("\n")
}

/// Code between backticks becomes one word, the address of a link goes; newlines stay.
fn mask(text: &str) -> String {
    let (mut out, mut code, mut address) = (String::with_capacity(text.len()), false, false);
    let mut before = ' ';
    for c in text.chars() {
        address = if address {
            before != ')'
        } else {
            before == ']' && c == '('
        };
        if c == '`' {
            code = !code;
        }
        out.push(match c {
            '\n' | '`' => c,
            _ if address => ' ',
            _ if code => 'x',
            _ => c,
        });
        before = c;
    }
    out
}

fn words(text: &str, first_line: usize) -> Vec<(usize, String)> {
    let lines = text.split('\n').enumerate();
    lines
        .flat_map(|(i, line)| {
            line.split_whitespace()
                .map(move |w| (first_line + i, w.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str) -> Vec<(Kind, usize, String)> {
        let file = TextFile {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let joined = |p: Piece| {
            let words: Vec<&str> = p.words.iter().map(|(_, w)| w.as_str()).collect();
            (p.kind, p.words[0].0, words.join(" "))
        };
        pieces(&file)
            .into_iter()
            .filter(|p| !p.words.is_empty())
            .map(joined)
            .collect()
    }

    #[test]
    fn a_page_is_read_by_paragraph_item_and_row() {
        let text = "# Title\n\nOne\ntwo [three](a/b.md).\n- four `a b`\n  five\n1. six\n* seven\n| a | b |\n> said\n```sh\ncode\n```\nlast\n";
        let expected = [
            (Kind::Row, 1, "# Title"),
            (Kind::Paragraph, 3, "One two [three] ."),
            (Kind::Paragraph, 5, "four `xxx` five"),
            (Kind::Paragraph, 7, "six"),
            (Kind::Paragraph, 8, "seven"),
            (Kind::Row, 9, "| a | b |"),
            (Kind::Paragraph, 14, "last"),
        ];
        assert_eq!(
            read("a.md", text),
            expected.map(|(k, n, t)| (k, n, t.to_owned()))
        );
    }

    #[test]
    fn rust_gives_comments_and_literals_with_a_space() {
        let text = "//! One\n//! two.\n//!\n//! Three.\nfn f() {\n    g(\"a b \\\n       c\", \"d\"); // four\n}\n/// ```\n/// code\n/// ```\nfn h() {}\n";
        let expected = [
            (Kind::Comment, 1, "One two."),
            (Kind::Comment, 4, "Three."),
            (Kind::Literal, 6, "\"a b c\""),
            (Kind::Comment, 7, "four"),
        ];
        assert_eq!(
            read("a.rs", text),
            expected.map(|(k, n, t)| (k, n, t.to_owned()))
        );
    }

    #[test]
    fn other_languages_are_read_and_the_words_of_others_are_not() {
        let toml = "# one\nsummary = \"\"\"two\nthree\"\"\"\nstated = \"not ours\"\n";
        let script = "// one\nconst a = 'it is two'; /* three\n * four */\n`five ${six}`\n";
        let code = |found: Vec<Raw>| {
            found
                .into_iter()
                .map(|(k, n, _)| (k, n))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            code(read("a.toml", toml)),
            [(Kind::Comment, 1), (Kind::Literal, 2)]
        );
        assert_eq!(
            code(read("a.ts", script)),
            [
                (Kind::Comment, 1),
                (Kind::Literal, 2),
                (Kind::Comment, 2),
                (Kind::Literal, 4)
            ]
        );
    }
}
