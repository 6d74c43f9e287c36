//! Several values of one thing, in words.

use core::fmt::Display;
use std::collections::BTreeSet;

/// So many values are named; of more, the least and the greatest.
const NAMED: usize = 3;

/// The values that something has over a sweep, by size.
///
/// ```
/// use farpath_experiment::spread;
///
/// assert_eq!(spread([10, 10]), "10");
/// assert_eq!(spread([20, 10]), "10, 20");
/// assert_eq!(spread([50, 20, 10, 200]), "10 to 200");
/// ```
pub fn spread<T: Ord + Display>(values: impl IntoIterator<Item = T>) -> String {
    let values: BTreeSet<T> = values.into_iter().collect();
    match (values.first(), values.last()) {
        (Some(least), Some(greatest)) if values.len() > NAMED => format!("{least} to {greatest}"),
        _ => {
            let texts: Vec<String> = values.iter().map(T::to_string).collect();
            texts.join(", ")
        }
    }
}
