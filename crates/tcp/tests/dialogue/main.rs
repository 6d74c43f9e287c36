//! Dialogues between a sender and a receiver in virtual time, checked as packet traces.

mod harness;

mod ack_policy;
mod bottleneck;
mod fuzz;
mod handshake;
mod limits;
mod long_path;
mod recovery;
mod slow_start;
mod timeouts;
