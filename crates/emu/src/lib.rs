//! Real hosts for a path that is modelled: each `[[host]]` of a scenario becomes a set of Linux
//! namespaces with an unmodified network stack, joined to the data plane by TAPs.
//!
//! `docs/models/emulation.md` says what a host is, what is set in it and what is left behind.

#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    reason = "a driver in real time: it reads and writes the kernel's files"
)]

mod counters;
mod enter;
pub mod host;
mod init;
mod orders;
mod process;
mod program;
pub mod rootless;
mod spec;
mod sys;
pub mod tap;

pub use counters::{Counters, InterfaceDrops};
pub use enter::EnterError;
pub use host::{Host, HostError};
pub use process::Process;
pub use spec::{
    DeviceChoice, HostSpec, InterfaceSpec, LARGEST_MTU, Route, SMALLEST_IPV6_MTU, Shaping,
};
pub use tap::{Device, Tap};
