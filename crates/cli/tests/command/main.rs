//! The built binary as a user meets it: arguments, documents, files, exit codes.

#![allow(
    clippy::disallowed_methods,
    reason = "these tests give files to a program and look at those it writes"
)]

mod compare;
mod config;
mod configured;
mod conformance;
mod farpath;
mod files;
mod help;
mod interrupt;
mod predict;
mod refused;
mod run;
mod shape;
