//! Real hosts, a real clock: the network of a scenario between Linux kernels.
//!
//! Each `[[host]]` becomes a set of namespaces with an unmodified network stack, joined by TAPs to the
//! data plane. `docs/models/emulation.md` says what a host is, what is set in it and what is left behind.

#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    reason = "a driver in real time: it reads and writes the kernel's files"
)]

pub mod audit;
mod bound;
pub mod bpf;
pub mod capture;
pub mod certify;
mod counters;
pub mod driver;
mod ends;
mod enter;
mod felt;
pub mod fidelity;
pub mod host;
mod init;
pub mod lab;
mod latency;
pub mod layout;
mod orders;
pub mod plane;
mod process;
mod processors;
mod program;
mod roles;
pub mod rootless;
pub mod settings;
mod spec;
pub mod state;
mod sys;
pub mod tap;
pub mod tune;

pub use counters::{Counters, InterfaceDrops};
pub use enter::{EnterError, signal_of};
pub use host::{Host, HostError};
pub use process::{Held, Process};
pub use roles::init_main;
pub use spec::{
    DeviceChoice, HostSpec, InterfaceSpec, LARGEST_MTU, Route, SMALLEST_IPV6_MTU, Shaping,
};
pub use sys::keep_hangups_ignored;
pub use tap::{Device, Tap};
