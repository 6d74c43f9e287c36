//! The engine of a run: what a scenario's points give, from every origin that is asked.
//!
//! It has no terminal, no files and no exit codes: it tells [`Progress`] how far it is and returns [`Fault`]s,
//! each with its remedy and whose it is to mend.

pub mod algorithms;
pub mod emulate;
mod fault;
mod loaded;
pub mod memory;
pub mod page;
mod progress;
pub mod search;
mod sequence;
pub mod simulate;
pub mod tap;

pub use fault::{Class, Fault};
pub use loaded::{Files, Loaded, keep_only, narrow, open};
pub use progress::{Progress, Silent};
