//! Router configuration: read, checked, written.
//!
//! Text of one or several routers becomes trees that lose nothing, the part farpath understands
//! becomes typed, and [`Finding`]s say what is wrong with it, where, why, and what to write instead.
//! What is not understood is reported as coverage and never makes a finding fire.

mod bundles;
mod catos;
pub mod ccc;
mod check;
mod clamp;
mod commands;
mod detect;
mod dialect;
mod esp;
mod finding;
mod foreign;
mod hosts;
pub mod ios;
mod joined;
pub mod json;
pub mod junos;
mod links;
mod mask;
mod near;
mod neighbor;
pub mod neighbors;
mod platform;
pub mod qos;
pub mod render;
mod report;
mod route;
mod routes;
mod rules;
pub mod sarif;
mod secrets;
mod source;
mod subnets;
mod tunnels;
pub mod vlan;

pub use check::{check, check_with};
pub use dialect::Dialect;
pub use finding::{Evidence, Finding, Role, Rule, Severity, doubts, place};
pub use hosts::{CONTROLS, marks_of_tos};
pub use links::MOST_ON_A_LINK;
pub use platform::Platform;
pub use report::{Fault, FileReport, Report, Status, Structure};
pub use rules::RULES;
pub use secrets::masked;
pub use source::{Place, Source};
