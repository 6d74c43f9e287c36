//! Router configuration: read, checked, written.
//!
//! Text of one or several routers becomes trees that lose nothing, the part farpath understands
//! becomes typed, and [`Finding`]s say what is wrong with it, where, why, and what to write instead.
//! What is not understood is reported as coverage and never makes a finding fire.

pub mod finding;
pub mod ios;
pub mod qos;
mod source;

pub use finding::{Finding, Rule, Severity};
pub use source::{Place, Source};
