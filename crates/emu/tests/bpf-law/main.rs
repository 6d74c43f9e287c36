//! The windows of BPF congestion control beside their formulae, in real time on this machine's kernel: a sender
//! that does not get its processor shows as less growth, so this is for an idle machine (`make lab-test`).

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests of the real machine: its files, its programs, its clock"
)]

mod law;
mod path;
