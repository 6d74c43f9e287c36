//! Writing a tree as `set` lines or with braces.

use super::schema::{Schema, Shape};
use super::tree::{Id, Node, ROOT, Tree};

/// The tree as commands that make it again, without their line ends.
pub fn to_set(tree: &Tree<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut path = String::new();
    set_lines(tree, ROOT, &mut path, &mut lines);
    lines
}

fn set_lines(tree: &Tree<'_>, id: Id, path: &mut String, lines: &mut Vec<String>) {
    let mut leaf = true;
    for child in tree.children(id) {
        leaf = false;
        let before = path.len();
        path.push(' ');
        push_word(path, tree.node(child));
        set_lines(tree, child, path, lines);
        path.truncate(before);
    }
    if leaf && id != ROOT {
        lines.push(format!("set{path}"));
    }
    let node = tree.node(id);
    if node.inactive {
        lines.push(format!("deactivate{path}"));
    }
    if node.protect {
        lines.push(format!("protect{path}"));
    }
}

impl PartialEq for Tree<'_> {
    /// The same words below each other, with the same marks, in any order of siblings; where they
    /// were written does not matter.
    fn eq(&self, other: &Self) -> bool {
        fn lines(tree: &Tree<'_>) -> Vec<String> {
            let mut lines = to_set(tree);
            lines.sort();
            lines
        }
        lines(self) == lines(other)
    }
}

/// Writes a word, in quotes where it had or needs them.
fn push_word(out: &mut String, node: &Node<'_>) {
    let plain = |c: char| !c.is_whitespace() && !"{}[];\"#".contains(c);
    let bare = !node.quoted && !node.word.is_empty() && node.word.chars().all(plain);
    if bare && !node.word.starts_with("/*") {
        out.push_str(node.word);
    } else {
        out.push('"');
        out.push_str(node.word);
        out.push('"');
    }
}

/// The tree with braces, four columns a level, as a router prints it.
pub fn to_braces(tree: &Tree<'_>) -> String {
    let mut out = String::new();
    for child in tree.children(ROOT) {
        block(tree, child, Schema::junos().root(), "", 0, &mut out);
    }
    out
}

/// Writes one statement, `lead` being the words before it on its line.
fn block(tree: &Tree<'_>, id: Id, shape: Shape, lead: &str, depth: usize, out: &mut String) {
    let node = tree.node(id);
    let mut line = lead.to_owned();
    for (flag, tag) in [(node.inactive, "inactive: "), (node.protect, "protect: ")] {
        if flag {
            line.insert_str(0, tag);
        }
    }
    push_word(&mut line, node);
    let below = Schema::junos().below(shape, node.word);
    let children: Vec<Id> = tree.children(id).collect();
    let indent = "    ".repeat(depth);
    if children.is_empty() {
        out.push_str(&format!("{indent}{line};\n"));
        return;
    }
    // A mark on the statement needs a block of its own: on a line it would mark the value.
    let inline = Schema::junos().is_inline(below, node.word) && !node.inactive && !node.protect;
    if inline {
        line.push(' ');
        for child in children {
            block(tree, child, below, &line, depth, out);
        }
        return;
    }
    out.push_str(&format!("{indent}{line} {{\n"));
    for child in children {
        block(tree, child, below, "", depth + 1, out);
    }
    out.push_str(&format!("{indent}}}\n"));
}
