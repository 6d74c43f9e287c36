//! The built binary as a user meets it: arguments, documents, files, exit codes.

#![allow(
    clippy::disallowed_methods,
    reason = "these tests give files to a program and read those it writes"
)]

mod capture;
mod compare;
mod config;
mod configured;
mod conformance;
mod course;
mod diagnose;
mod documents;
mod evidence;
mod farpath;
mod files;
mod help;
mod host;
mod interrupt;
mod markdown;
mod marks;
mod places;
mod points;
mod predict;
mod refused;
mod run;
mod shape;
mod verify;
mod vlans;
