//! The lines of a configuration and their nesting.
//!
//! A line is inside another if it is indented more, or, where a listing has lost its indentation, if
//! the mode the other opens knows its command: that is how IOS itself reads, which ignores
//! indentation. Banners, certificates and macros are blobs of lines. Nothing is lost: the lines
//! together are the text.

use super::modes::{self, Mode};
use crate::commands::{Kind, Line, Tree};

impl<'a> Tree<'a> {
    /// Reads any text.
    pub fn parse(text: &'a str) -> Tree<'a> {
        let mut builder = Builder {
            tree: Tree {
                text,
                lines: Vec::with_capacity(text.len() / 24),
                unfinished: None,
            },
            open: Vec::new(),
            blob: None,
        };
        let mut at = 0;
        for raw in text.split_inclusive('\n') {
            builder.line(raw, at);
            at += raw.len();
        }
        builder.finish()
    }
}

struct Open {
    line: usize,
    indent: usize,
    mode: Mode,
    indented: Option<bool>,
}

enum Until {
    Holds(String),
    Quit,
    At,
}

struct Builder<'a> {
    tree: Tree<'a>,
    open: Vec<Open>,
    blob: Option<(Until, usize)>,
}

impl<'a> Builder<'a> {
    fn line(&mut self, raw: &'a str, at: usize) {
        let number = self.tree.lines.len();
        let content = raw.trim();
        let indent = raw.len() - raw.trim_start().len();
        let mut line = Line {
            kind: Kind::Blank,
            span: at + indent..at + indent + content.len(),
            whole: at..at + raw.len(),
            parent: self.open.last().map(|o| o.line),
            end: number + 1,
        };
        if content.is_empty() {
            line.span = at..at;
        }
        if let Some((until, opener)) = &self.blob {
            line.kind = Kind::Blob;
            line.parent = Some(*opener);
            let last = match until {
                Until::Holds(mark) => content.contains(mark.as_str()),
                Until::Quit => content == "quit",
                Until::At => content == "@",
            };
            self.tree.lines.push(line);
            if last {
                self.blob = None;
            }
            return;
        }
        if content.is_empty() {
            self.tree.lines.push(line);
            return;
        }
        if content.starts_with('!') {
            line.kind = Kind::Comment;
            // A comment stands with what surrounds it, and closes nothing.
            line.parent = self
                .open
                .iter()
                .rev()
                .find(|o| indent > o.indent || (o.indented != Some(true) && o.mode != Mode::Plain))
                .map(|o| o.line);
            if line.parent != self.open.last().map(|o| o.line) {
                let keep = self.open.iter().position(|o| Some(o.line) == line.parent);
                self.close_to(keep.map_or(0, |k| k + 1), number);
            }
            self.tree.lines.push(line);
            return;
        }
        self.statement(line, content, indent, number);
    }

    fn statement(&mut self, mut line: Line, content: &'a str, indent: usize, number: usize) {
        let keep = section(&self.open, content, indent).map_or(0, |k| k + 1);
        self.close_to(keep, number);
        if modes::leaves(content) {
            line.kind = Kind::Leave;
            line.parent = self.open.last().map(|o| o.line);
            let to = match content {
                "end" => 0,
                _ => self.open.len().saturating_sub(1),
            };
            self.tree.lines.push(line);
            self.close_to(to, number + 1);
            return;
        }
        line.kind = Kind::Statement;
        line.parent = self.open.last().map(|o| o.line);
        if let Some(parent) = self.open.last_mut() {
            parent.indented.get_or_insert(indent > parent.indent);
        }
        let inside = self.open.last().map_or(Mode::Global, |o| o.mode);
        self.tree.lines.push(line);
        self.open.push(Open {
            line: number,
            indent,
            mode: modes::opened(inside, content),
            indented: None,
        });
        self.blob = opens_blob(content).map(|until| (until, number));
    }

    fn close_to(&mut self, keep: usize, end: usize) {
        for closed in self.open.drain(keep..) {
            self.tree.lines[closed.line].end = end;
        }
    }

    fn finish(mut self) -> Tree<'a> {
        let end = self.tree.lines.len();
        self.close_to(0, end);
        self.tree.unfinished = self.blob.map(|(_, opener)| opener);
        self.tree
    }
}

/// The section among `open` that a statement belongs to.
fn section(open: &[Open], content: &str, indent: usize) -> Option<usize> {
    let flat = |o: &Open| o.indented != Some(true);
    let plain = |o: &Open| matches!(o.mode, Mode::Plain | Mode::Global);
    let knows = |o: &Open| modes::knows(o.mode, content);
    let innermost = open.iter().rposition(|o| !plain(o));
    innermost
        .filter(|k| knows(&open[*k]) && (indent > open[*k].indent || flat(&open[*k])))
        .or_else(|| open.iter().rposition(|o| indent > o.indent))
        .or_else(|| open.iter().rposition(|o| flat(o) && knows(o)))
        .or_else(|| {
            let unknown = !modes::is_global(content);
            open.iter().rposition(|o| unknown && flat(o) && !plain(o))
        })
        // Indentation that says otherwise is wrong: no other mode has this command.
        .or_else(|| open.iter().rposition(knows))
}

fn opens_blob(content: &str) -> Option<Until> {
    let mut words = content.split_whitespace();
    match words.next()? {
        "banner" => {
            let kind = words.next()?;
            let text = content[content.find(kind)? + kind.len()..].trim_start();
            let mark: String = match text.strip_prefix("^C") {
                Some(_) => "^C".to_owned(),
                None => text.chars().next()?.to_string(),
            };
            let rest = &text[mark.len()..];
            (!rest.contains(&mark)).then_some(Until::Holds(mark))
        }
        "certificate" => Some(Until::Quit),
        "key-string" if words.next().is_none() => Some(Until::Quit),
        "macro" => (words.next() == Some("name")).then_some(Until::At),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(text: &str, of: Option<usize>) -> Vec<usize> {
        Tree::parse(text).inside(of).collect()
    }

    #[test]
    fn indentation_nests() {
        let text = "policy-map P\n class A\n  police 1000000 15000 conform-action transmit exceed-action drop\n class B\nmls qos\n";
        assert_eq!(inside(text, None), [0, 4]);
        assert_eq!(inside(text, Some(0)), [1, 3]);
        assert_eq!(inside(text, Some(1)), [2]);
    }

    #[test]
    fn a_listing_without_indentation_nests_by_what_each_mode_knows() {
        let text = "interface GigabitEthernet3/1\nwrr-queue bandwidth 99 1\n! a note\nmls qos trust dscp\nnot a command at all\nmls qos\nhostname a\ninterface GigabitEthernet3/2\nmtu 9000\nend\nmls qos map cos-dscp 0 8 16 24 32 40 48 56\n";
        assert_eq!(inside(text, None), [0, 5, 6, 7, 10]);
        assert_eq!(inside(text, Some(0)), [1, 2, 3, 4]);
        assert_eq!(inside(text, Some(7)), [8, 9]);
    }

    #[test]
    fn banners_and_certificates_are_blobs() {
        let text = "banner motd ^C\ninterface x\n^C\ncrypto pki certificate chain C\n certificate self-signed 01\n  3082\n  quit\nhostname a\n";
        let tree = Tree::parse(text);
        assert_eq!(tree.inside(None).collect::<Vec<_>>(), [0, 3, 7]);
        assert_eq!(tree.lines()[1].kind, Kind::Blob);
        assert_eq!(tree.lines()[5].kind, Kind::Blob);
        assert_eq!(tree.unfinished(), None);
        assert_eq!(Tree::parse("banner login #\nhello\n").unfinished(), Some(0));
        assert_eq!(
            Tree::parse("banner login #hello#\nmls qos\n")
                .inside(None)
                .count(),
            2
        );
    }

    #[test]
    fn lines_are_the_text() {
        for text in [
            "",
            "\n",
            "a",
            " a\r\n  b\n\n!\n c",
            "banner motd #\nx",
            "\u{feff}hostname ü\n\t\u{a0}x\n",
        ] {
            assert_eq!(Tree::parse(text).print(), text);
        }
    }
}
