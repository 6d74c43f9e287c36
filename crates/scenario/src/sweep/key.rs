//! A key of `[sweep]`.

use core::ops::Range;

use crate::decode::At;

/// One key of `[sweep]`: the `--set` path and the values as `--set` writes them.
pub(crate) struct Key {
    pub(super) path: At<String>,
    pub(super) values: Vec<String>,
    /// Where each value stands.
    pub(super) spans: Vec<Range<usize>>,
    /// Which `[[sweep.together]]` it stands in, by their order.
    pub(super) group: Option<usize>,
    /// It sets nothing: its values name the steps of its group.
    pub(super) is_label: bool,
}
