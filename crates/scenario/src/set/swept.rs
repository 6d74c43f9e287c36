//! `--set` of a key of the sweep: the sweep has this value, or those of a list, and no expectation is left at another.

use core::ops::Range;
use std::collections::BTreeMap;

use farpath_record::swept::same;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

use super::{Set, Target, collect, is_apart, literal, whole_entry, whole_lines};
use crate::literal::written;
use crate::sweep::{self, Home, LABEL};

/// What has to be replaced in a text, and by what, from its end to its beginning.
pub(super) struct Edits {
    pub(super) replaced: Vec<(Range<usize>, String)>,
    /// How many expectations were at points that are no more.
    pub(super) left_out: usize,
    /// The key has no value of its own: what is set is a list.
    pub(super) of_list: bool,
}

/// The edits that give the sweep the value of `set`, or its values; none of a key that is not swept.
pub(super) fn edits(
    text: &str,
    root: &DeTable<'_>,
    target: &Target<'_>,
    set: &Set,
) -> Option<Edits> {
    let takes_lists = target.keys.last().is_some_and(|key| key.kind.takes_lists());
    let home = sweep::home(root, &set.path)?;
    let mut change = Change {
        text,
        home: &home,
        path: &set.path,
        replaced: Vec::new(),
        kept: BTreeMap::new(),
    };
    let list = set.values().filter(|_| !takes_lists);
    match &list {
        Some(values) => change.take_list(values, literal(&set.value))?,
        None => change.take_one(&set.value)?,
    }
    let left_out = change.leave_out(root);
    let mut replaced = change.replaced;
    replaced.sort_by_key(|(span, _)| core::cmp::Reverse(span.start));
    Some(Edits {
        replaced,
        left_out,
        of_list: list.is_some(),
    })
}

/// A change of one key of the sweep, while it is put together.
struct Change<'t, 'h> {
    text: &'t str,
    home: &'h Home<'h>,
    path: &'h str,
    replaced: Vec<(Range<usize>, String)>,
    /// Keys that lose values, and the values they keep.
    kept: BTreeMap<String, Vec<String>>,
}

impl<'h> Change<'_, 'h> {
    /// The key has the values of a list. Names of the steps were those of its old ones.
    fn take_list(&mut self, values: &[String], list: String) -> Option<()> {
        let old = self.home.table.get(self.path)?;
        let is_old = old.get_ref().as_array().map(words).as_deref() == Some(values);
        self.kept.insert(self.path.to_owned(), values.to_vec());
        self.replaced.push((old.span(), list.clone()));
        if !is_old {
            self.unname(&list);
        }
        Some(())
    }

    /// The key has one value: that of a step, which the keys beside it take, too; or another, which goes with each step of those.
    fn take_one(&mut self, value: &str) -> Option<()> {
        let value = literal(value);
        let document = format!("v = {value}");
        let (tree, _) = DeTable::parse_recoverable(&document);
        let word = written(tree.get_ref().get("v")?.get_ref());
        let old = self.home.table.get(self.path)?;
        let step = words(old.get_ref().as_array()?)
            .iter()
            .position(|w| same(w, &word));
        let steps = step.map_or_else(|| self.steps_of_others(), |n| vec![n]);
        let others: Vec<_> = self.lists().filter(|(key, _)| *key != self.path).collect();
        for (key, list) in others {
            self.keep(key, list, &steps, step.is_some());
        }
        self.kept.insert(self.path.to_owned(), vec![word]);
        let copies = vec![value.as_str(); steps.len()];
        self.replaced
            .push((old.span(), format!("[{}]", copies.join(", "))));
        match step {
            Some(_) => {
                if let Some((name, list)) = self.label() {
                    self.keep(name, list, &steps, true);
                }
            }
            None => self.unname(&format!("[{value}]")),
        }
        Some(())
    }

    /// Leaves a list these elements; `alone` says that what is expected at others is left out.
    fn keep(&mut self, key: &str, list: &Spanned<DeValue<'_>>, steps: &[usize], alone: bool) {
        let Some(all) = list.get_ref().as_array() else {
            return;
        };
        let left = || steps.iter().filter_map(|n| all.get(*n));
        let texts: Vec<&str> = left().map(|v| &self.text[v.span()]).collect();
        self.replaced
            .push((list.span(), format!("[{}]", texts.join(", "))));
        if alone {
            let words = left().map(|v| written(v.get_ref())).collect();
            self.kept.insert(key.to_owned(), words);
        }
    }

    /// The keys that advance together with this one, and itself, each with its values.
    fn lists(&self) -> impl Iterator<Item = (&'h str, &'h Spanned<DeValue<'h>>)> + use<'h> {
        let group = self.home.group.is_some();
        let all = self.home.table.iter().filter(move |_| group);
        all.filter(|(key, _)| key.get_ref() != LABEL)
            .map(|(key, values)| (&**key.get_ref(), values))
    }

    /// The steps without this key, each once.
    fn steps_of_others(&self) -> Vec<usize> {
        let lists = self.lists().filter(|(key, _)| *key != self.path);
        let lists: Vec<Vec<String>> = lists
            .filter_map(|(_, list)| list.get_ref().as_array().map(words))
            .collect();
        let most = lists.iter().map(Vec::len).max().unwrap_or(1);
        let step = |n: usize| lists.iter().map(|l| l.get(n)).collect::<Vec<_>>();
        let first = |n: &usize| (0..*n).all(|before| step(before) != step(*n));
        (0..most).filter(first).collect()
    }

    /// The name of the steps, and its words.
    fn label(&self) -> Option<(&'h str, &'h Spanned<DeValue<'h>>)> {
        self.home.group?;
        let named = self.home.table.get(LABEL)?.get_ref().as_table()?;
        let (name, words) = named.iter().next()?;
        Some((&**name.get_ref(), words))
    }

    /// Takes the names of the steps away; a key that then stands alone goes to those that are crossed, with this list.
    fn unname(&mut self, list: &str) {
        let (Some((name, _)), Some(group)) = (self.label(), self.home.group) else {
            return;
        };
        self.kept.insert(name.to_owned(), Vec::new());
        let is_inline = self.text[group.span().start..].starts_with('{');
        if self.lists().count() > 1 || is_inline {
            let entry = self.home.table.get_key_value(LABEL);
            let spans = entry.map_or(Vec::new(), |(key, value)| {
                lines_of(self.text, is_inline, key, value)
            });
            self.replaced
                .extend(spans.into_iter().map(|s| (s, String::new())));
            return;
        }
        let mut lines = Vec::new();
        collect(self.text, group, whole_lines, &mut lines);
        self.replaced = lines.into_iter().map(|s| (s, String::new())).collect();
        let entry = format!("\"{}\" = {list}", self.path);
        let header = "[sweep]";
        let line = |at: usize| self.text[..at].rfind('\n').map_or(0, |n| n + 1);
        let headers = self.text.match_indices(header).map(|(at, _)| at);
        let mut headers = headers.filter(|at| self.text[line(*at)..*at].trim().is_empty());
        let end = self.text.len();
        self.replaced.push(match headers.next() {
            Some(at) => {
                let end = self.text[at..].find('\n').map_or(end, |n| at + n);
                (end..end, format!("\n{entry}"))
            }
            None => (end..end, format!("\n{header}\n{entry}\n")),
        });
    }

    /// Takes out what is expected at values that are no more: how many.
    fn leave_out(&mut self, root: &DeTable<'_>) -> usize {
        let mut left_out = 0;
        let expects = root.get("expect").and_then(|e| e.get_ref().as_array());
        for expect in expects.into_iter().flat_map(|list| list.iter()) {
            let at = expect.get_ref().as_table().and_then(|t| t.get("at"));
            let Some(at) = at.and_then(|at| at.get_ref().as_table()) else {
                continue;
            };
            let is_gone = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
                let kept = self.kept.get(&**key.get_ref());
                let value = written(value.get_ref());
                kept.is_some_and(|kept| !kept.iter().any(|k| same(k, &value)))
            };
            if at.iter().any(is_gone) {
                left_out += 1;
                let mut lines = Vec::new();
                collect(self.text, expect, whole_lines, &mut lines);
                self.replaced
                    .extend(lines.into_iter().map(|span| (span, String::new())));
            }
        }
        left_out
    }
}

/// Where an entry stands, with its line or its comma.
fn lines_of(
    text: &str,
    is_inline: bool,
    key: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
) -> Vec<Range<usize>> {
    let whole = if is_inline { whole_entry } else { whole_lines };
    let mut found = Vec::new();
    match is_apart(key, value) {
        true => collect(text, value, whole, &mut found),
        false => found.push(whole(text, key.span().start..value.span().end)),
    }
    found
}

/// Values as `--set` would write them.
fn words(list: &DeArray<'_>) -> Vec<String> {
    list.iter().map(|v| written(v.get_ref())).collect()
}

impl Set {
    /// The values of a list, each as `--set` would write it; none of another value.
    pub fn values(&self) -> Option<Vec<String>> {
        let document = format!("v = {}", literal(&self.value));
        let (tree, _) = DeTable::parse_recoverable(&document);
        let DeValue::Array(list) = tree.get_ref().get("v")?.get_ref() else {
            return None;
        };
        Some(words(list))
    }
}
