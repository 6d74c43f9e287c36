//! Where in `[sweep]` a key stands.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The tables of `[sweep]` whose keys advance together.
pub(super) const TOGETHER: &str = "together";

/// In one of those: the name of its steps, and a word for each.
pub(crate) const LABEL: &str = "label";

/// Where a key of the sweep stands.
pub(crate) struct Home<'t> {
    /// The table it is a key of.
    pub(crate) table: &'t DeTable<'t>,
    /// That table, where its keys advance together.
    pub(crate) group: Option<&'t Spanned<DeValue<'t>>>,
}

/// The table of a key in `[sweep]`: that itself, or one whose keys advance together.
pub(crate) fn home<'t>(root: &'t DeTable<'t>, path: &str) -> Option<Home<'t>> {
    let table = root.get("sweep")?.get_ref().as_table()?;
    if table.contains_key(path) {
        return Some(Home { table, group: None });
    }
    let groups = table.get(TOGETHER)?.get_ref().as_array()?;
    let has = |group: &&Spanned<DeValue<'_>>| {
        let keys = group.get_ref().as_table();
        keys.is_some_and(|keys| keys.contains_key(path))
    };
    let group = groups.iter().find(has)?;
    let table = group.get_ref().as_table()?;
    let group = Some(group);
    Some(Home { table, group })
}

/// The list of a key in `[sweep]`, by itself or beside those that it advances together with.
pub(super) fn values<'t>(root: &'t DeTable<'t>, path: &str) -> Option<&'t Spanned<DeValue<'t>>> {
    home(root, path)?.table.get(path)
}
