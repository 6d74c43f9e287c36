//! Paths that mean nothing in a scenario: what to write instead.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Refusal;
use crate::decode::shorten;
use crate::diagnostic::{Diagnostic, nearest};
use crate::key::Section;
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
