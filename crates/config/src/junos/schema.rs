//! Which statements are known, and what a file has besides.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::grammar::{EFFECT, GRAMMAR};
use super::tree::{Id, ROOT, Tree};

/// Where a statement stands in the schema; `None` where it is not known.
pub(crate) type Shape = Option<u32>;

/// Everything below is taken as it is.
const ANYTHING: u32 = u32::MAX;

/// Each word below is the top of a router.
const SYSTEMS: u32 = u32::MAX - 1;

/// What may stand below a known statement.
#[derive(Default)]
struct Entry {
    words: BTreeMap<&'static str, u32>,
    /// Below a word of the user's choice.
    named: Option<u32>,
    /// It takes one value, the last one given.
    one: bool,
    /// It takes values, each of which stands alone.
    many: bool,
    anything: bool,
}

/// The statements of [`GRAMMAR`].
pub(crate) struct Schema {
    entries: Vec<Entry>,
}

/// What [`survey`] found.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    /// Statements that are known.
    pub(crate) recognised: usize,
    /// Statements that are not.
    pub(crate) unrecognised: Vec<Id>,
    /// Statements that are known, and make no difference to a run.
    pub(crate) without_effect: Vec<Id>,
}

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::of(GRAMMAR));
static WITH_EFFECT: LazyLock<Schema> = LazyLock::new(|| Schema::of(EFFECT));

impl Schema {
    fn of(grammar: &'static str) -> Schema {
        let mut schema = Schema {
            entries: vec![Entry::default()],
        };
        for line in grammar.lines().filter(|l| !l.is_empty()) {
            let words: Vec<&'static str> = line.split(' ').collect();
            schema.learn(0, &words);
        }
        schema
    }

    /// The schema of Junos.
    pub(crate) fn junos() -> &'static Schema {
        &SCHEMA
    }

    fn learn(&mut self, at: u32, words: &[&'static str]) {
        let Some((word, rest)) = words.split_first() else {
            return;
        };
        match *word {
            "=" => self.entries[at as usize].one = true,
            "*" => self.entries[at as usize].many = true,
            "**" => self.entries[at as usize].anything = true,
            "<>" => {
                let next = self.entries[at as usize].named;
                let next = next.unwrap_or_else(|| self.grow());
                self.entries[at as usize].named = Some(next);
                self.learn(next, rest);
            }
            words => {
                for word in words.split('|') {
                    let next = self.entries[at as usize].words.get(word).copied();
                    let next = next.unwrap_or_else(|| self.grow());
                    self.entries[at as usize].words.insert(word, next);
                    self.learn(next, rest);
                }
            }
        }
    }

    fn grow(&mut self) -> u32 {
        self.entries.push(Entry::default());
        self.entries.len() as u32 - 1
    }

    /// The top.
    pub(crate) fn root(&self) -> Shape {
        Some(0)
    }

    /// What `word` is below a statement.
    pub(crate) fn below(&self, shape: Shape, word: &str) -> Shape {
        let at = shape?;
        if at == ANYTHING {
            return shape;
        }
        if at == SYSTEMS {
            return self.root();
        }
        let entry = &self.entries[at as usize];
        if let Some(next) = entry.words.get(word) {
            return Some(*next);
        }
        match word {
            // These two may stand anywhere; a logical system is a router in the router.
            "apply-groups" | "apply-groups-except" => return Some(ANYTHING),
            "logical-systems" if at == 0 => return Some(SYSTEMS),
            _ => {}
        }
        if let Some(next) = entry.named {
            return Some(next);
        }
        (entry.one || entry.many || entry.anything).then_some(ANYTHING)
    }

    /// Whether a statement takes one value only.
    pub(crate) fn takes_one(&self, shape: Shape) -> bool {
        let entry = shape.and_then(|at| self.entries.get(at as usize));
        entry.is_some_and(|e| e.one)
    }

    /// Whether nothing stands below it.
    pub(crate) fn is_leaf(&self, shape: Shape) -> bool {
        let entry = shape.and_then(|at| self.entries.get(at as usize));
        entry.is_some_and(|e| {
            e.words.is_empty() && e.named.is_none() && !e.one && !e.many && !e.anything
        })
    }

    /// Whether it ends with one value.
    pub(crate) fn ends_with_value(&self, shape: Shape) -> bool {
        let entry = shape.and_then(|at| self.entries.get(at as usize));
        entry.is_some_and(|e| e.one && e.words.is_empty() && e.named.is_none() && !e.anything)
    }

    /// Whether `word` is one of the statements that may stand below it.
    pub(crate) fn has(&self, shape: Shape, word: &str) -> bool {
        let entry = shape.and_then(|at| self.entries.get(at as usize));
        entry.is_some_and(|e| e.words.contains_key(word))
    }

    /// Whether what stands below `word` is written on its own line.
    pub(crate) fn is_inline(&self, shape: Shape, word: &str) -> bool {
        if matches!(word, "family" | "apply-groups" | "apply-groups-except") {
            return true;
        }
        let entry = shape.and_then(|at| self.entries.get(at as usize));
        entry.is_some_and(|e| {
            (e.one || e.many || e.named.is_some()) && e.words.is_empty() && !e.anything
        })
    }
}

/// Counts the statements of `tree` that are known and those that are not. A statement is what has
/// nothing below it. What stands below one of `idle` has no effect, for nothing refers to it.
pub(crate) fn survey(tree: &Tree<'_>, idle: &BTreeSet<Id>) -> Coverage {
    let mut coverage = Coverage::default();
    let root = Schema::junos().root();
    let mut open: Vec<(Id, Shape, Shape)> = vec![(ROOT, root, root)];
    while let Some((id, shape, effect)) = open.pop() {
        let node = tree.node(id);
        // That an inactive statement does nothing is what its author wants.
        let effect = match (node.inactive, idle.contains(&id)) {
            (true, _) => Some(ANYTHING),
            (false, true) => None,
            (false, false) => effect,
        };
        let mut leaf = true;
        for child in tree.children(id) {
            leaf = false;
            let word = tree.node(child).word;
            let next = Schema::junos().below(shape, word);
            open.push((child, next, WITH_EFFECT.below(effect, word)));
        }
        if leaf && id != ROOT {
            match (shape, effect) {
                (Some(_), Some(_)) => coverage.recognised += 1,
                (Some(_), None) => {
                    coverage.recognised += 1;
                    coverage.without_effect.push(id);
                }
                (None, _) => coverage.unrecognised.push(id),
            }
        }
    }
    coverage.unrecognised.sort_unstable();
    coverage
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(path: &str) -> bool {
        let schema = Schema::junos();
        let below = |at: Shape, word: &str| schema.below(at, word);
        path.split(' ').fold(schema.root(), below).is_some()
    }

    #[test]
    fn paths_of_the_grammar_are_known_and_others_not() {
        for path in [
            "interfaces so-1/0/0 unit 0 family mpls mtu 9188",
            "protocols mpls label-switched-path a to 192.0.2.1",
            "protocols ospf area 0.0.0.0 interface all metric 10",
            "interfaces ge-0/0/0 apply-groups jumbo",
        ] {
            assert!(known(path), "{path}");
        }
        for path in ["interfaces ge-0/0/0 mtux 9", "protocols nosuch group x"] {
            assert!(!known(path), "{path}");
        }
    }
}
