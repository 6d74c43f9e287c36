//! Text in, typed [`Scenario`] out, with errors that name file, line, cause and remedy.

mod model;
mod forecast;
pub mod plan;

pub use forecast::forecast;

pub use model::*;
