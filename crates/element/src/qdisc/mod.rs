//! Queueing disciplines: what waits in front of a transmitter, and what may not.

mod fifo;

pub use fifo::{Fifo, Footprint, Limit, TallyId, WAITING_BYTES};
