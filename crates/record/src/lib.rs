//! The one result type, for every origin: predicted, simulated, emulated, measured, captured.

mod schema;

pub use schema::*;
