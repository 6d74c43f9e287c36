//! ATM: contracts of cells, shapers that keep them, policers that enforce them, cells lost on the way.
//!
//! Frames stay the unit: what happens to their cells is worked out a frame at a time, exactly. A
//! frame's cells leave a transmitter one after the other, so the instants of all of them follow from
//! the first one's and the spacing.

mod circuit;
mod gcra;
mod queue;

pub use circuit::{Action, CellLoss, Circuits, CircuitsConfig, Hurt};
pub use gcra::{Conformance, Contract, Gcra, Sustained};
pub use queue::{CellQueue, CellQueueConfig, Discard, Finished};
