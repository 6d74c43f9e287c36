//! Paths that mean nothing in a scenario: what to write instead.

use core::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{NONE, Refusal, Target, reached};
use crate::diagnostic::{Diagnostic, nearest, shorten};
use crate::key::{Key, Kind, Section};
use crate::table::{self, ARRAYS, EVENT};

/// The fault of a name that nothing of a section has, with what to do: `there` are the names, and how many things there are.
pub(crate) fn named_so(
    fault: Diagnostic,
    section: &str,
    wanted: &str,
    there: (&[&str], usize),
) -> Diagnostic {
    let (names, all) = there;
    // Events alone may be without a name.
    let is_known = section != EVENT.name || nearest(wanted, names).is_some();
    if is_known || names.len() == all && all > 0 {
        return fault.suggest(wanted, names.iter().copied());
    }
    let wanted = shorten(wanted);
    fault.help(match all {
        0 => format!("add an [[event]] with name = \"{wanted}\""),
        _ => format!("write name = \"{wanted}\" below the [[event]] that is meant"),
    })
}

/// The fault of a path into a table of which there may be several, with the forms that set or sweep it.
pub(super) fn within_tables(
    (path, key): (&str, &Key),
    tables: &Section,
    (span, inner): &(Range<usize>, &str),
) -> Diagnostic {
    if tables.key(inner).is_none() {
        let title = format!("unknown key `{}` in {}", shorten(inner), tables.name);
        let known = tables.keys.iter().map(|k| k.name);
        return Diagnostic::new(span.clone(), title).suggest(inner, known);
    }
    let whole = &path[..span.start - 1];
    let inner_names = tables
        .keys
        .iter()
        .filter(|k| k.required || k.name == *inner);
    let all: Vec<String> = inner_names.map(|k| format!("{} = …", k.name)).collect();
    let all = all.join(", ");
    let title = format!(
        "`{}` may be several tables, and is set as a whole",
        key.name
    );
    Diagnostic::new(span.clone(), title).help(format!(
        "end the path at `{}`, with a value of {{ {all} }}; a sweep of it has `label.{inner} = [\"A\", \"B\"]` beside \
         `\"{whole}\" = [{{ {all} }}, {{ {all} }}]` in [[sweep.together]]",
        key.name
    ))
}

/// The fault of a path that goes on behind a key of `inside` that is not a table; the next part may be of a table beside it
/// that the key takes the name of.
pub(super) fn beyond(
    (path, key): (&str, &Key),
    inside: &Section,
    (at, (span, next)): (&Range<usize>, &(Range<usize>, &str)),
) -> Diagnostic {
    let title = format!("`{}` has no keys of its own", key.name);
    let fault = Diagnostic::new(span.clone(), title);
    let words = match key.kind {
        Kind::Choice(words) => words,
        _ => &[],
    };
    let is_word = |name: &str| words.iter().any(|word| word.replace('-', "_") == name);
    let has = |k: &&Key| {
        is_word(k.name) && matches!(k.kind, Kind::Table(table) if table.key(next).is_some())
    };
    let before = &path[..at.start];
    let beside = inside.keys.iter().filter(has);
    let paths: Vec<String> = beside
        .map(|k| format!("{before}{}.{next}", k.name))
        .collect();
    match &paths[..] {
        [] => fault.help(format!("end the path at `{}`", key.name)),
        [most @ .., last] => {
            let or = if most.is_empty() { "" } else { " or " };
            fault.help(format!("write {}{or}{last}", most.join(", ")))
        }
    }
}

/// Refuses to take away what is absent under its own path and stands in tables beside it, such as `shape` of `link.a` in its `forward`.
pub(super) fn beside(table: &DeTable<'_>, target: &Target<'_>, path: &str) -> Result<(), Refusal> {
    let (Some(first), Some(last)) = (target.keys.first(), target.keys.last()) else {
        return Ok(());
    };
    let has = |key: &&Key| {
        let inner = table.get(key.name).and_then(|t| t.get_ref().as_table());
        matches!(key.kind, Kind::Table(of) if of.key(first.name).is_some())
            && inner.is_some_and(|inner| reached(inner, &target.keys).is_some())
    };
    let below: Vec<&str> = target.keys.iter().map(|k| k.name).collect();
    let below = below.join(".");
    let thing = path.strip_suffix(&below).unwrap_or(path);
    let found: Vec<String> = target
        .section
        .keys
        .iter()
        .filter(has)
        .map(|key| format!("{thing}{}", key.name))
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    let title = format!("`{}` is in {}", last.name, found.join(" and "));
    let paths: Vec<String> = found
        .iter()
        .map(|at| format!("{at}.{below}={NONE}"))
        .collect();
    let fault = Diagnostic::new(0..path.len(), title);
    Err(Box::new(
        fault.help(format!("write {}", paths.join(" and "))),
    ))
}

/// The fault of a path that begins with the name of something, with what to write.
pub(super) fn with_section(mut fault: Refusal, root: &DeTable<'_>, path: &str) -> Refusal {
    let head = path.split('.').next().unwrap_or_default();
    let named = |section: &&Section| {
        let DeValue::Array(list) = root.get(section.name)?.get_ref() else {
            return None;
        };
        let name = |item: &Spanned<DeValue<'_>>| match item.get_ref() {
            DeValue::Table(t) => {
                matches!(t.get("name")?.get_ref(), DeValue::String(n) if n == head).then_some(())
            }
            _ => None,
        };
        list.iter().find_map(name)
    };
    let known = table::section(head).is_some();
    if let Some(section) = ARRAYS.iter().find(|s| !known && named(s).is_some()) {
        let name = section.name;
        let a = if name == EVENT.name { "an" } else { "a" };
        fault.remedies = vec![format!("`{head}` is {a} {name}: write {name}.{path}")];
    }
    fault
}
