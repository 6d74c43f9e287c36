//! The one result type, for every origin: predicted, simulated, emulated, measured, captured; its
//! JSON and CSV; and the judging of expectations against it.

mod document;
mod judge;
mod number;
mod schema;

pub use document::{RECORD_SCHEMA, RUN_SCHEMA, point_text};
pub use judge::{DROP_REASONS, Expect, Point, Results, judge, link_metric};
pub use schema::*;
