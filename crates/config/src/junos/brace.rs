//! Reading text with braces.

use super::lex::{Kind, Token, Tokens};
use super::problem::{MOST_NESTED, MOST_WORDS, Problem};
use super::tree::{Id, ROOT, Tree, Word};
use crate::secrets::{ends_in_secret, masked};

/// A block that is open.
struct Block {
    /// The brace.
    open: Token,
    /// Column of the first thing on its line.
    indent: u32,
    node: Id,
    /// Words from the root to the node.
    words: usize,
}

pub(super) struct Reader<'t, 'a> {
    tokens: &'t Tokens<'a>,
    tree: Tree<'a>,
    problems: Vec<Problem>,
    stack: Vec<Block>,
    /// Words of the statement being read.
    words: Vec<Word<'a>>,
    /// Values of its list, if it has one.
    list: Option<(Token, Vec<Word<'a>>)>,
    /// A line ended since the last word.
    broken: bool,
    /// Open braces of a block nested too deep, which is left out.
    skipped: u32,
    /// Indentation decides which brace has no partner.
    by_indent: bool,
    indent: u32,
    line_start: u32,
    first_on_line: bool,
    /// Braces without a partner were met.
    unbalanced: bool,
}

/// Reads everything. Text whose braces do not match is read again by its indentation, which shows better where one is
/// missing.
pub(super) fn read<'a>(tokens: &Tokens<'a>) -> (Tree<'a>, Vec<Problem>) {
    let plain = Reader::new(tokens, false).run();
    if !plain.unbalanced {
        return (plain.tree, plain.problems);
    }
    let careful = Reader::new(tokens, true).run();
    let better = careful.problems.len() <= plain.problems.len();
    let chosen = if better { careful } else { plain };
    (chosen.tree, chosen.problems)
}

impl<'t, 'a> Reader<'t, 'a> {
    fn new(tokens: &'t Tokens<'a>, by_indent: bool) -> Self {
        Reader {
            tokens,
            tree: Tree::default(),
            problems: Vec::new(),
            stack: Vec::new(),
            words: Vec::new(),
            list: None,
            broken: false,
            skipped: 0,
            by_indent,
            indent: 0,
            line_start: 0,
            first_on_line: true,
            unbalanced: false,
        }
    }

    fn run(mut self) -> Self {
        let tokens = self.tokens;
        for token in &tokens.list {
            self.token(*token);
        }
        self.end();
        self
    }

    fn say(&mut self, token: Token, message: impl Into<String>, remedy: impl Into<String>) {
        self.problems
            .push(Problem::new(token.span(), message, remedy));
    }

    fn token(&mut self, token: Token) {
        if token.kind == Kind::Newline {
            self.broken = true;
            self.line_start = token.end;
            self.first_on_line = true;
            return;
        }
        if token.kind == Kind::OpenComment {
            self.say(
                token.first(2),
                "this comment is never closed",
                "write `*/` where it ends",
            );
        }
        if token.is_silent() {
            return;
        }
        let leads = core::mem::take(&mut self.first_on_line);
        if leads {
            self.indent = token.start - self.line_start;
        }
        if self.skipped > 0 {
            match token.kind {
                Kind::Open => self.skipped += 1,
                Kind::Close => self.skipped -= 1,
                _ => {}
            }
            return;
        }
        match token.kind {
            Kind::Open => self.open(token),
            Kind::Close => self.close(token, leads),
            Kind::Semicolon => self.statement(),
            Kind::ListOpen => self.list_open(token),
            Kind::ListClose => self.list_close(token),
            _ => self.word(token),
        }
    }

    fn word(&mut self, token: Token) {
        if token.kind == Kind::OpenQuoted {
            let remedy = "close it with `\"` on the same line";
            self.say(token.first(1), "this string is never closed", remedy);
        }
        let word = Word {
            text: self.tokens.word(token),
            start: token.start,
            end: token.end,
            quoted: token.kind != Kind::Word,
        };
        if let Some((_, values)) = &mut self.list {
            values.push(word);
            return;
        }
        let tags_only = self.words.iter().all(|w| is_tag(w));
        if core::mem::take(&mut self.broken) && !tags_only {
            self.missing_semicolon();
        }
        self.words.push(word);
    }

    /// The statement read so far ends here without a semicolon.
    fn missing_semicolon(&mut self) {
        if let Some(last) = self.words.last() {
            let words: Vec<&str> = self.words.iter().map(|w| w.text).collect();
            let message = match ends_in_secret(&words) {
                true => "no `;` after a secret".to_owned(),
                false => format!("no `;` after `{}`", last.text),
            };
            let remedy = "end the statement with `;`, or open a block with `{`";
            self.problems.push(Problem::new(
                last.start as usize..last.end as usize,
                message,
                remedy,
            ));
        }
        self.statement();
    }

    fn list_open(&mut self, token: Token) {
        self.broken = false;
        if self.list.is_some() || self.words.is_empty() {
            let message = "a list has no place here";
            self.say(token, message, "write `statement [ value value ];`");
            return;
        }
        self.list = Some((token, Vec::new()));
    }

    fn list_close(&mut self, token: Token) {
        self.broken = false;
        match self.list.take() {
            // Kept among the words until the statement ends.
            Some((open, values)) => {
                self.enter_statement(Some(&values));
                if values.is_empty() {
                    self.say(
                        open,
                        "an empty list",
                        "name a value, or delete the statement",
                    );
                }
            }
            None => self.say(
                token,
                "`]` closes nothing",
                "delete it, or write `[` before the first value",
            ),
        }
    }

    fn unclosed_list(&mut self) {
        if let Some((open, values)) = self.list.take() {
            self.say(
                open,
                "this list is never closed",
                "write `]` after its last value",
            );
            self.enter_statement(Some(&values));
        }
    }

    fn statement(&mut self) {
        self.unclosed_list();
        if !self.words.is_empty() {
            self.enter_statement(None);
        }
        self.broken = false;
    }

    /// Puts the statement's words into the tree and returns the node of the last.
    fn enter_statement(&mut self, list: Option<&[Word<'a>]>) -> Id {
        let words = core::mem::take(&mut self.words);
        let (above, depth) = self.stack.last().map_or((ROOT, 0), |b| (b.node, b.words));
        let tags = words.iter().take_while(|w| is_tag(w)).count();
        let (tags, words) = words.split_at(tags);
        if depth + words.len() >= MOST_WORDS {
            let at = words
                .first()
                .map_or(0..0, |w| w.start as usize..w.end as usize);
            let message = format!("more than {MOST_WORDS} words from the top to this statement");
            let remedy = "no Junos statement is that deep: look for a missing `;` or `}`";
            self.problems.push(Problem::new(at, message, remedy));
            return above;
        }
        let has = |tag: &str| tags.iter().any(|t| t.text == tag);
        if (has("replace:") || has("delete:")) && !words.is_empty() {
            let path: Vec<&str> = words.iter().map(|w| w.text).collect();
            if let Some(old) = self.tree.at(above, &path) {
                self.tree.delete(old);
            }
            if has("delete:") {
                return above;
            }
        }
        let node = words.iter().fold(above, |at, w| self.tree.enter(at, *w));
        let marked: Vec<Id> = match list {
            Some(values) => values.iter().map(|w| self.tree.enter(node, *w)).collect(),
            None if words.is_empty() => Vec::new(),
            None => vec![node],
        };
        for id in marked {
            let node = self.tree.node_mut(id);
            node.inactive |= has("inactive:");
            node.protect |= has("protect:");
        }
        node
    }

    fn open(&mut self, token: Token) {
        self.unclosed_list();
        self.broken = false;
        if self.words.is_empty() {
            let message = "this block has no name";
            self.say(token, message, "write what it is before `{`");
        }
        if self.stack.len() >= MOST_NESTED {
            let message = format!("blocks nested deeper than {MOST_NESTED}");
            let remedy = "no Junos configuration is that deep: look for a missing `}`";
            self.say(token, message, remedy);
            self.words.clear();
            self.skipped = 1;
            return;
        }
        let depth = self.stack.last().map_or(0, |b| b.words) + self.words.len();
        let node = self.enter_statement(None);
        self.stack.push(Block {
            open: token,
            indent: self.indent,
            node,
            words: depth.min(MOST_WORDS),
        });
    }

    fn close(&mut self, token: Token, leads: bool) {
        self.unclosed_list();
        if !self.words.is_empty() {
            self.missing_semicolon();
        }
        self.broken = false;
        if self.by_indent && leads {
            let inner = self
                .stack
                .iter()
                .rev()
                .take_while(|b| b.indent > self.indent)
                .count();
            let match_below = self.stack.len().checked_sub(inner + 1);
            let matches = match_below.is_some_and(|i| self.stack[i].indent == self.indent);
            if inner == 0 && self.stack.last().is_some_and(|b| b.indent < self.indent) {
                self.stray(token);
                return;
            }
            if inner > 0 && matches {
                for _ in 0..inner {
                    self.unterminated();
                }
            }
        }
        if self.stack.pop().is_none() {
            self.stray(token);
        }
    }

    fn stray(&mut self, token: Token) {
        self.unbalanced = true;
        self.say(
            token,
            "`}` closes nothing",
            "delete it, or look for a `{` missing above",
        );
    }

    fn unterminated(&mut self) {
        self.unbalanced = true;
        if let Some(block) = self.stack.pop() {
            let name = self.tree.path(block.node).join(" ");
            let message = format!("the block `{}` is never closed", short(&masked(&name)));
            self.say(block.open, message, "write `}` after its last statement");
        }
    }

    fn end(&mut self) {
        self.unclosed_list();
        if !self.words.is_empty() {
            self.missing_semicolon();
        }
        // One missing brace leaves all the blocks around it open: the innermost is reported.
        if !self.stack.is_empty() {
            self.unterminated();
        }
        self.unbalanced |= self.skipped > 0;
    }
}

/// The end of a long path.
fn short(path: &str) -> String {
    let skip = path.chars().count().saturating_sub(60);
    if skip == 0 {
        return path.to_owned();
    }
    format!("…{}", path.chars().skip(skip).collect::<String>())
}

fn is_tag(word: &Word<'_>) -> bool {
    !word.quoted
        && matches!(
            word.text,
            "inactive:" | "active:" | "protect:" | "unprotect:" | "replace:" | "delete:"
        )
}
