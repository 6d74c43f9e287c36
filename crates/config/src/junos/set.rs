//! Reading `set` lines.

use super::lex::{Kind, Token, Tokens};
use super::problem::{MOST_WORDS, Problem};
use super::schema::{Schema, Shape};
use super::tree::{Id, ROOT, Tree, Word};

/// Reads every line as one command.
pub(super) fn read<'a>(tokens: &Tokens<'a>) -> (Tree<'a>, Vec<Problem>) {
    let mut reader = Reader {
        tokens,
        tree: Tree::default(),
        problems: Vec::new(),
    };
    for line in tokens.list.split(|t| t.kind == Kind::Newline) {
        let said: Vec<Token> = line.iter().copied().filter(|t| !t.is_silent()).collect();
        if let Some(open) = line.iter().find(|t| t.kind == Kind::OpenComment) {
            let at = open.first(2).span();
            let problem = Problem::new(
                at,
                "this comment is never closed",
                "write `*/` where it ends",
            );
            reader.problems.push(problem);
        }
        if let Some((command, rest)) = said.split_first() {
            reader.command(*command, rest);
        }
    }
    (reader.tree, reader.problems)
}

struct Reader<'t, 'a> {
    tokens: &'t Tokens<'a>,
    tree: Tree<'a>,
    problems: Vec<Problem>,
}

/// A command's words: the path, and the values of a list at its end.
struct Path<'a> {
    words: Vec<Word<'a>>,
    values: Vec<Word<'a>>,
}

/// How many of the nodes of `way` end where `word` follows, as it is a leaf beside theirs: a value and its key, or a leaf without value.
fn ended(way: &[(Id, Shape)], word: &str) -> usize {
    let schema = Schema::junos();
    let many = match way {
        [.., (_, leaf)] if schema.is_leaf(*leaf) => 1,
        [.., (_, key), _] if schema.ends_with_value(*key) => 2,
        _ => return 0,
    };
    let beside = way.len().checked_sub(many + 1).map(|at| way[at].1);
    match beside.is_some_and(|shape| schema.has(shape, word)) {
        true => many,
        false => 0,
    }
}

impl<'a> Reader<'_, 'a> {
    fn command(&mut self, command: Token, rest: &[Token]) {
        let name = self.tokens.word(command);
        let known = [
            "set",
            "delete",
            "activate",
            "deactivate",
            "protect",
            "unprotect",
            "annotate",
        ];
        if !known.contains(&name) {
            let message = format!(
                "`{}` is not a command here",
                name.chars().take(40).collect::<String>()
            );
            let remedy = format!("a line starts with one of {}", known.join(", "));
            self.problems
                .push(Problem::new(command.span(), message, remedy));
            return;
        }
        let Some(path) = self.path(command, rest) else {
            return;
        };
        match name {
            "set" => self.set(&path),
            "delete" => self.each(&path, |tree, id| tree.delete(id)),
            "activate" => self.each(&path, |tree, id| tree.node_mut(id).inactive = false),
            "deactivate" => self.each(&path, |tree, id| tree.node_mut(id).inactive = true),
            "protect" => self.each(&path, |tree, id| tree.node_mut(id).protect = true),
            "unprotect" => self.each(&path, |tree, id| tree.node_mut(id).protect = false),
            // A comment on a statement.
            _ => {}
        }
    }

    fn set(&mut self, path: &Path<'a>) {
        let schema = Schema::junos();
        let mut way = vec![(ROOT, schema.root())];
        for word in &path.words {
            // Several leaves of one statement may stand in a line: `if-exceeding bandwidth-limit 1g burst-size-limit 62k`.
            way.truncate(way.len() - ended(&way, word.text));
            let (at, shape) = way[way.len() - 1];
            let in_group = path.words[0].text == "groups" && way.len() == 2;
            let below = match in_group {
                true => schema.root(),
                false => schema.below(shape, word.text),
            };
            way.push((self.tree.enter(at, *word), below));
        }
        let (node, _) = way[way.len() - 1];
        for value in &path.values {
            self.tree.enter(node, *value);
        }
    }

    /// Does something to the nodes a path names; those that are not there are nothing to it.
    fn each(&mut self, path: &Path<'a>, act: impl Fn(&mut Tree<'a>, Id)) {
        let words: Vec<&str> = path.words.iter().map(|w| w.text).collect();
        let Some(node) = self.tree.at(ROOT, &words) else {
            return;
        };
        if path.values.is_empty() {
            act(&mut self.tree, node);
        }
        for value in &path.values {
            if let Some(id) = self.tree.child(node, value.text) {
                act(&mut self.tree, id);
            }
        }
    }

    fn path(&mut self, command: Token, rest: &[Token]) -> Option<Path<'a>> {
        let mut path = Path {
            words: Vec::new(),
            values: Vec::new(),
        };
        let mut list = None;
        let mut closed = false;
        for token in rest {
            match token.kind {
                Kind::ListOpen if list.is_none() => list = Some(*token),
                Kind::ListClose if list.is_some() && !closed => closed = true,
                _ if token.is_word() && !closed => {
                    if token.kind == Kind::OpenQuoted {
                        let at = token.first(1).span();
                        let remedy = "close it with `\"` on the same line";
                        self.problems
                            .push(Problem::new(at, "this string is never closed", remedy));
                    }
                    let word = Word {
                        text: self.tokens.word(*token),
                        start: token.start,
                        end: token.end,
                        quoted: token.kind != Kind::Word,
                    };
                    let to = if list.is_some() {
                        &mut path.values
                    } else {
                        &mut path.words
                    };
                    to.push(word);
                }
                _ => {
                    return self.refuse(
                        *token,
                        "this has no place in a `set` line",
                        "write words, and `[ a b ]` for several values",
                    );
                }
            }
        }
        if let (Some(open), false) = (list, closed) {
            let remedy = "write `]` after its last value";
            self.problems.push(Problem::new(
                open.span(),
                "this list is never closed",
                remedy,
            ));
        }
        if path.words.is_empty() {
            return self.refuse(
                command,
                "the line names no statement",
                "write the path of a statement after it",
            );
        }
        if path.words.len() >= MOST_WORDS {
            let message = format!("more than {MOST_WORDS} words in one line");
            return self.refuse(command, message, "no Junos statement is that long");
        }
        Some(path)
    }

    fn refuse(
        &mut self,
        token: Token,
        message: impl Into<String>,
        remedy: &str,
    ) -> Option<Path<'a>> {
        self.problems
            .push(Problem::new(token.span(), message, remedy));
        None
    }
}
