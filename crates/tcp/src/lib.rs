//! A sans-IO TCP sender and receiver. Time and segments are arguments; no clock, no sockets, no frames.

mod config;

pub use config::{Algorithm, Config, DelayedAck, Profile};
