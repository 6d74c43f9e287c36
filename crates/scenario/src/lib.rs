//! Text in, typed [`Scenario`] out, with errors that name file, line, cause and remedy.

mod model;
pub mod plan;

pub use model::*;
