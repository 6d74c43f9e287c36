//! Where rows of a table are in the sweep.

use farpath_record::{KeyName, Keys, Point};

use crate::grid::Column;

/// Keys of a sweep that have a column each; more share one.
const KEY_COLUMNS: usize = 3;

/// The sweep's columns, of the points of a table's rows: one for each key in the order of the file, or one for all where
/// they are many.
pub(crate) fn point_columns(rows: &[&Point], keys: &Keys) -> Vec<Column> {
    if keys.names().len() > KEY_COLUMNS {
        let cells = rows.iter().map(|at| keys.words(at)).collect();
        return vec![Column::text("point", cells)];
    }
    let column = |key: &KeyName| {
        let value = |at: &&Point| at.get(&key.key).cloned().unwrap_or_default();
        Column::text(&key.name, rows.iter().map(value).collect())
    };
    keys.names().iter().map(column).collect()
}
