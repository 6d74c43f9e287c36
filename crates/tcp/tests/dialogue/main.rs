//! Dialogues between a sender and a receiver in virtual time, checked as packet traces.

mod harness;

mod ack_policy;
mod autotuning;
mod bottleneck;
mod compressed;
mod dsack;
mod ecn;
mod fuzz;
mod handshake;
mod idle;
mod limits;
mod long_path;
mod path_mtu;
mod rack;
mod random_loss;
mod reading;
mod recovery;
mod reductions;
mod slow_start;
mod super_frames;
mod timeouts;
mod undo;
