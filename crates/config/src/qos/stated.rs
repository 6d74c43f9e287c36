//! What a text states.

use crate::source::Place;

/// A value and the place that states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Place,
}
