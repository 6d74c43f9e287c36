//! Tests of the whole simulator: scenario text in, records out.

mod congestion;
mod events;
mod law;
mod limits;
mod luck;
mod published;
mod random;
mod routers;
mod traffic;
mod world;
