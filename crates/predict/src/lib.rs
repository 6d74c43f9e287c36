//! Closed forms: what a path should give, each with its formula, source and range of validity.
//! Pure functions; no randomness, no time, no files.

mod framing;

pub use framing::{Framing, Signal};
