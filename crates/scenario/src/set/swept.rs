//! `--set` of a list, of a key of the sweep: the sweep has these values, and no expectation is left at another.

use core::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{Set, Target, collect, literal, whole_lines, written};
use crate::sweep;

/// What has to be replaced in a text, and by what, from its end to its beginning.
pub(super) struct Edits {
    pub(super) replaced: Vec<(Range<usize>, String)>,
    /// How many expectations were at points that are no more.
    pub(super) left_out: usize,
}

/// The edits that give the sweep the values of `set`; none of another value, and of a key that is not swept or takes lists itself.
pub(super) fn edits(
    text: &str,
    root: &DeTable<'_>,
    target: &Target<'_>,
    set: &Set,
) -> Option<Edits> {
    let values = set.values()?;
    let takes_lists = target.keys.last().is_some_and(|key| key.kind.takes_lists());
    if takes_lists {
        return None;
    }
    let old = sweep::values(root, &set.path)?;
    let mut replaced = vec![(old.span(), literal(&set.value))];
    let mut left_out = 0;
    let expects = root.get("expect").and_then(|e| e.get_ref().as_array());
    for expect in expects.into_iter().flat_map(|list| list.iter()) {
        let at = expect.get_ref().as_table().and_then(|t| t.get("at"));
        let at = at.and_then(|at| at.get_ref().as_table()?.get(set.path.as_str()));
        if at.is_some_and(|at| !values.contains(&written(at.get_ref()))) {
            left_out += 1;
            let mut lines = Vec::new();
            collect(text, expect, whole_lines, &mut lines);
            replaced.extend(lines.into_iter().map(|span| (span, String::new())));
        }
    }
    replaced.sort_by_key(|(span, _)| core::cmp::Reverse(span.start));
    Some(Edits { replaced, left_out })
}

impl Set {
    /// The values of a list, each as `--set` would write it; none of another value.
    pub fn values(&self) -> Option<Vec<String>> {
        let document = format!("v = {}", literal(&self.value));
        let (tree, _) = DeTable::parse_recoverable(&document);
        let DeValue::Array(list) = tree.get_ref().get("v")?.get_ref() else {
            return None;
        };
        Some(list.iter().map(|v| written(v.get_ref())).collect())
    }
}
