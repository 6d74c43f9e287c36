//! Texts changed at random, for the tests of whatever reads texts.
//!
//! A suite has a [`Corpus`] of good texts and hands [`run`] a test that says what became of one
//! text. The test sees [`MUTATIONS`] texts that are the same in every run, and as many that no run has
//! seen. `FARPATH_MUTATIONS` sets another number of each, `FARPATH_SEED` what the fresh ones come
//! of; a failure prints both, the text, and the command that brings it again.

mod corpus;
mod luck;
mod run;
mod single;

pub use corpus::Corpus;
pub use luck::Luck;
pub use run::{MUTATIONS, Outcomes, run};
pub use single::{Single, single_changes};
