//! What is written once and stands in several places: `apply-groups` and `interface-range`.

use super::problem::Problem;
use super::schema::{Schema, Shape};
use super::tree::{Id, ROOT, Tree, Word};

/// Most words that groups and ranges may add to a configuration.
const MOST_INHERITED: usize = 2_000_000;

/// Most interfaces of one `member-range`.
const MOST_MEMBERS: u32 = 4096;

/// Puts what groups and ranges say where they are applied. What stands there already wins; of two
/// groups, the one named first.
pub(super) fn expand(tree: &mut Tree<'_>, problems: &mut Vec<Problem>) {
    let mut merge = Merge {
        left: MOST_INHERITED,
        tree,
    };
    merge.groups(problems);
    merge.ranges(problems);
    if merge.left == 0 {
        let message = format!("groups and ranges add more than {MOST_INHERITED} words");
        let remedy = "apply fewer of them, or give the parts of the configuration that matter";
        problems.push(Problem::new(0..0, message, remedy));
    }
}

struct Merge<'t, 'a> {
    tree: &'t mut Tree<'a>,
    /// Words that may still be added.
    left: usize,
}

impl<'a> Merge<'_, 'a> {
    fn groups(&mut self, problems: &mut Vec<Problem>) {
        let Some(groups) = self.tree.child(ROOT, "groups") else {
            let all = self.tree.applications.clone();
            for id in all {
                let names: Vec<Id> = self.tree.children(id).collect();
                for name in names {
                    problems.push(self.no_such_group(name));
                }
            }
            return;
        };
        // The nearest application wins, so the deepest come first.
        let mut applications: Vec<(usize, Id)> = self
            .tree
            .applications
            .iter()
            .map(|id| (self.tree.path(*id).len(), *id))
            .collect();
        applications.sort_by_key(|(depth, id)| (core::cmp::Reverse(*depth), *id));
        for (_, application) in applications {
            let path = self.tree.path(application);
            if path.first() == Some(&"groups") || self.tree.node(application).inactive {
                continue;
            }
            let target = self.tree.node(application).parent;
            let names: Vec<Id> = self.tree.children(application).collect();
            for name in names {
                let Some(group) = self.tree.child(groups, self.tree.node(name).word) else {
                    problems.push(self.no_such_group(name));
                    continue;
                };
                if self.tree.node(group).inactive || self.tree.node(name).inactive {
                    continue;
                }
                let word = self.tree.node(name).word;
                let node = self.tree.node(name);
                let applied = (node.start, node.end);
                let shape = self.shape(target);
                for source in self.sources(group, &path[..path.len() - 1]) {
                    self.inherit(target, source, shape, applied, word);
                }
            }
        }
    }

    fn no_such_group(&self, name: Id) -> Problem {
        let node = self.tree.node(name);
        let message = format!("there is no group `{}`", node.word);
        let remedy = "define it under `groups`, or do not apply it";
        Problem::new(node.start as usize..node.end as usize, message, remedy)
    }

    /// The parts of a group that are meant for the statement at `path`.
    fn sources(&self, group: Id, path: &[&str]) -> Vec<Id> {
        let mut here = vec![group];
        for word in path {
            here = here
                .iter()
                .flat_map(|at| self.tree.children(*at))
                .filter(|c| {
                    let pattern = self.tree.node(*c).word;
                    pattern == *word || wildcard(pattern).is_some_and(|p| matches(p, word))
                })
                .collect();
        }
        here
    }

    fn shape(&self, target: Id) -> Shape {
        let schema = Schema::junos();
        let below = |at: Shape, word: &&str| schema.below(at, word);
        self.tree.path(target).iter().fold(schema.root(), below)
    }

    /// Adds below `target` what stands below `source` and is not there.
    fn inherit(&mut self, target: Id, source: Id, shape: Shape, applied: (u32, u32), group: &str) {
        if self.left == 0 || self.excepts(target, group) {
            return;
        }
        let has_value = self.tree.children(target).next().is_some();
        if Schema::junos().takes_one(shape) && has_value {
            return;
        }
        let children: Vec<Id> = self.tree.children(source).collect();
        for child in children {
            let word = self.tree.word(child);
            if let Some(pattern) = wildcard(word.text) {
                let all: Vec<Id> = self.tree.children(target).collect();
                for found in all {
                    let name = self.tree.node(found).word;
                    if matches(pattern, name) && !name.starts_with("apply-groups") {
                        let below = Schema::junos().below(shape, name);
                        self.inherit(found, child, below, applied, group);
                    }
                }
                continue;
            }
            let below = Schema::junos().below(shape, word.text);
            let Some(to) = self.enter(target, child, word, applied) else {
                return;
            };
            self.inherit(to, child, below, applied, group);
        }
    }

    /// The node of `word` below `target`, copied from `from` if it is not there.
    fn enter(&mut self, target: Id, from: Id, word: Word<'a>, applied: (u32, u32)) -> Option<Id> {
        if let Some(old) = self.tree.child(target, word.text) {
            return Some(old);
        }
        self.left = self.left.checked_sub(1)?;
        let (inactive, protect) = {
            let node = self.tree.node(from);
            (node.inactive, node.protect)
        };
        let new = self.tree.enter(target, word);
        let node = self.tree.node_mut(new);
        node.applied = Some(applied);
        node.inactive = inactive;
        node.protect = protect;
        Some(new)
    }

    fn excepts(&self, target: Id, group: &str) -> bool {
        let except = self.tree.child(target, "apply-groups-except");
        except.is_some_and(|e| self.tree.child(e, group).is_some())
    }

    fn ranges(&mut self, problems: &mut Vec<Problem>) {
        let Some(interfaces) = self.tree.child(ROOT, "interfaces") else {
            return;
        };
        let Some(ranges) = self.tree.child(interfaces, "interface-range") else {
            return;
        };
        let all: Vec<Id> = self.tree.children(ranges).collect();
        for range in all {
            for (name, applied) in self.members(interfaces, range, problems) {
                let word = Word {
                    text: name,
                    start: applied.0,
                    end: applied.1,
                    quoted: false,
                };
                let target = self.tree.enter(interfaces, word);
                let shape = self.shape(target);
                let said: Vec<Id> = self.tree.children(range).collect();
                for child in said {
                    let word = self.tree.word(child);
                    if !matches!(word.text, "member" | "member-range" | "description") {
                        let below = Schema::junos().below(shape, word.text);
                        if let Some(to) = self.enter(target, child, word, applied) {
                            self.inherit(to, child, below, applied, "");
                        }
                    }
                }
            }
        }
    }

    /// Names of the interfaces of a range, and the words that say so.
    fn members(
        &self,
        interfaces: Id,
        range: Id,
        problems: &mut Vec<Problem>,
    ) -> Vec<(&'a str, (u32, u32))> {
        let mut members = Vec::new();
        let tree = &*self.tree;
        let written = |id: Id| (tree.node(id).start, tree.node(id).end);
        let present = |pattern: &str| -> Vec<&'a str> {
            tree.children(interfaces)
                .map(|c| tree.node(c).word)
                .filter(|w| *w != "interface-range" && matches(pattern, w))
                .collect()
        };
        for id in tree
            .child(range, "member")
            .iter()
            .flat_map(|m| tree.children(*m))
        {
            let word = tree.node(id).word;
            if word.contains(['*', '[', '?']) {
                members.extend(present(word).into_iter().map(|w| (w, written(id))));
            } else {
                members.push((word, written(id)));
            }
        }
        for from in tree
            .child(range, "member-range")
            .iter()
            .flat_map(|m| tree.children(*m))
        {
            let to = tree.child(from, "to").and_then(|t| tree.children(t).next());
            let ends = to.and_then(|to| span(tree.node(from).word, tree.node(to).word));
            let Some((stem, first, last)) = ends else {
                let at = written(from);
                let remedy =
                    "write `member-range ge-0/0/0 to ge-0/0/9`, at most 4096 ports of one card";
                let message = "this range of interfaces has no ends that belong together";
                problems.push(Problem::new(at.0 as usize..at.1 as usize, message, remedy));
                continue;
            };
            // Only interfaces that are written somewhere have names to point at.
            let within = |w: &&str| {
                let port = w.strip_prefix(stem).and_then(|n| n.parse::<u32>().ok());
                port.is_some_and(|p| (first..=last).contains(&p))
            };
            members.extend(
                present("*")
                    .into_iter()
                    .filter(within)
                    .map(|w| (w, written(from))),
            );
        }
        members
    }
}

/// `ge-0/0/3` and `ge-0/0/7` as their common stem and the two ports.
fn span<'a>(from: &'a str, to: &str) -> Option<(&'a str, u32, u32)> {
    let cut = from.rfind('/')? + 1;
    let stem = &from[..cut];
    let first: u32 = from[cut..].parse().ok()?;
    let last: u32 = to.strip_prefix(stem)?.parse().ok()?;
    (first <= last && last - first < MOST_MEMBERS).then_some((stem, first, last))
}

/// The pattern in `<ge-*>`.
fn wildcard(word: &str) -> Option<&str> {
    word.strip_prefix('<')?.strip_suffix('>')
}

/// Whether `name` is of `pattern`: `*` any characters, `?` one, `[0-5]` one of them.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    loop {
        if p == pattern.len() && n == name.len() {
            return true;
        }
        if pattern.get(p) == Some(&b'*') {
            again = Some((p, n));
            p += 1;
            continue;
        }
        if let Some(width) = one(&pattern[p..], name.get(n).copied()) {
            p += width;
            n += 1;
            continue;
        }
        match again {
            Some((star, from)) if from < name.len() => {
                again = Some((star, from + 1));
                p = star + 1;
                n = from + 1;
            }
            _ => return false,
        }
    }
}

/// How much of the pattern stands for `byte`, if it does.
fn one(pattern: &[u8], byte: Option<u8>) -> Option<usize> {
    let byte = byte?;
    match pattern.first()? {
        b'?' => Some(1),
        b'[' => {
            let end = pattern.iter().position(|b| *b == b']')?;
            let set = &pattern[1..end];
            let within = set
                .windows(3)
                .any(|w| w[1] == b'-' && (w[0]..=w[2]).contains(&byte));
            (within || set.contains(&byte)).then_some(end + 1)
        }
        b => (*b == byte).then_some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_a_router_does() {
        for (pattern, name, yes) in [
            ("*", "anything", true),
            ("ge-*", "ge-0/0/0", true),
            ("ge-*", "xe-0/0/0", false),
            ("ge-0/0/[0-3]", "ge-0/0/2", true),
            ("ge-0/0/[0-3]", "ge-0/0/4", false),
            ("*/1", "ge-1/0/1", true),
            ("", "", true),
            ("*a*b", "xaxbxab", true),
        ] {
            assert_eq!(matches(pattern, name), yes, "{pattern} {name}");
        }
    }
}
