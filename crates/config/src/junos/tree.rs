//! A configuration as a tree of words: what both ways of writing Junos come to.
//!
//! `interfaces { ge-0/0/0 { mtu 9192; } }` and `set interfaces ge-0/0/0 mtu 9192` are the same four
//! words below each other. A node remembers where it was written, and where a group was applied if
//! it came from one.

use std::collections::BTreeMap;

/// Number of a node.
pub type Id = u32;

/// The root's number.
pub const ROOT: Id = 0;

const NONE: u32 = u32::MAX;

/// A node with more children than this has an index of them.
const NARROW: u32 = 8;

/// A word of the configuration and where it stands.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// The word, quotes taken off.
    pub word: &'a str,
    /// The node above; the root is its own.
    pub parent: Id,
    /// First byte of the word, where it was written first.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
    /// The word was in quotes.
    pub quoted: bool,
    /// It, and all below it, is `inactive:`.
    pub inactive: bool,
    /// It must not be changed: `protect:`.
    pub protect: bool,
    /// The words that brought it here from elsewhere (`apply-groups`, `member`).
    pub applied: Option<(u32, u32)>,
    deleted: bool,
    first: u32,
    last: u32,
    next: u32,
    count: u32,
}

/// A word and the bytes it covers, quotes included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) quoted: bool,
}

/// The tree.
#[derive(Clone, Debug)]
pub struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    /// Children by name, of nodes that have many.
    wide: BTreeMap<Id, BTreeMap<&'a str, Id>>,
    /// Nodes whose word is `apply-groups`, in the order they were written.
    pub(crate) applications: Vec<Id>,
}

impl Default for Tree<'_> {
    fn default() -> Self {
        let root = Word {
            text: "",
            start: 0,
            end: 0,
            quoted: false,
        };
        Tree {
            nodes: vec![node(root, ROOT)],
            wide: BTreeMap::new(),
            applications: Vec::new(),
        }
    }
}

fn node(word: Word<'_>, parent: Id) -> Node<'_> {
    Node {
        word: word.text,
        parent,
        start: word.start,
        end: word.end,
        quoted: word.quoted,
        inactive: false,
        protect: false,
        applied: None,
        deleted: false,
        first: NONE,
        last: NONE,
        next: NONE,
        count: 0,
    }
}

impl<'a> Tree<'a> {
    /// A node.
    pub fn node(&self, id: Id) -> &Node<'a> {
        &self.nodes[id as usize]
    }

    pub(crate) fn node_mut(&mut self, id: Id) -> &mut Node<'a> {
        &mut self.nodes[id as usize]
    }

    /// How many nodes there are, the root and deleted ones among them.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but the root.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// The nodes directly below, in the order they were written first.
    pub fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let step = |at: u32| (at != NONE).then_some(at);
        std::iter::successors(step(self.node(id).first), move |at| {
            step(self.node(*at).next)
        })
        .filter(|at| !self.node(*at).deleted)
    }

    /// The node of this word directly below.
    pub fn child(&self, id: Id, word: &str) -> Option<Id> {
        let last = self.node(id).last;
        if last != NONE && self.node(last).word == word && !self.node(last).deleted {
            return Some(last);
        }
        match self.wide.get(&id) {
            Some(index) => index.get(word).copied(),
            None => self.children(id).find(|c| self.node(*c).word == word),
        }
    }

    /// The node at this path below `id`.
    pub fn at(&self, id: Id, path: &[&str]) -> Option<Id> {
        path.iter().try_fold(id, |at, word| self.child(at, word))
    }

    /// The words from the root to a node.
    pub fn path(&self, id: Id) -> Vec<&'a str> {
        let mut words = Vec::new();
        let mut at = id;
        while at != ROOT {
            words.push(self.node(at).word);
            at = self.node(at).parent;
        }
        words.reverse();
        words
    }

    /// The node of `word` below `id`, made if it is not there.
    pub(crate) fn enter(&mut self, id: Id, word: Word<'a>) -> Id {
        self.child(id, word.text)
            .unwrap_or_else(|| self.add(id, word))
    }

    fn add(&mut self, id: Id, word: Word<'a>) -> Id {
        let new = self.nodes.len() as Id;
        self.nodes.push(node(word, id));
        if word.text == "apply-groups" {
            self.applications.push(new);
        }
        let last = self.node(id).last;
        if last == NONE {
            self.node_mut(id).first = new;
        } else {
            self.node_mut(last).next = new;
        }
        let above = self.node_mut(id);
        above.last = new;
        above.count += 1;
        if above.count > NARROW {
            self.index(id, new);
        }
        new
    }

    fn index(&mut self, id: Id, new: Id) {
        let word = self.node(new).word;
        if let Some(index) = self.wide.get_mut(&id) {
            index.insert(word, new);
            return;
        }
        let all = self.children(id).map(|c| (self.node(c).word, c)).collect();
        self.wide.insert(id, all);
    }

    /// Takes a node, and all below it, out.
    pub(crate) fn delete(&mut self, id: Id) {
        let node = self.node_mut(id);
        node.deleted = true;
        let (parent, word) = (node.parent, node.word);
        if let Some(index) = self.wide.get_mut(&parent) {
            index.remove(word);
        }
    }

    /// The word a node was made of.
    pub(crate) fn word(&self, id: Id) -> Word<'a> {
        let node = self.node(id);
        Word {
            text: node.word,
            start: node.start,
            end: node.end,
            quoted: node.quoted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Word<'_> {
        Word {
            text,
            start: 0,
            end: 0,
            quoted: false,
        }
    }

    #[test]
    fn children_are_found_among_few_and_among_many_and_not_after_deletion() {
        let names: Vec<String> = (0..40).map(|n| format!("n{n}")).collect();
        let mut tree = Tree::default();
        for name in &names {
            let id = tree.enter(ROOT, word(name));
            assert_eq!(tree.enter(ROOT, word(name)), id);
        }
        assert_eq!(tree.children(ROOT).count(), 40);
        let id = tree.child(ROOT, "n7").expect("it was entered");
        tree.delete(id);
        assert_eq!(tree.child(ROOT, "n7"), None);
        assert_ne!(tree.enter(ROOT, word("n7")), id);
        assert_eq!(tree.children(ROOT).count(), 40);
    }
}
