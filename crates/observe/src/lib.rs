//! What was seen of a test, whoever saw it, and what it comes to: metrics, series, recovery, the start-up, and what
//! limited it.
//!
//! A simulated program, a kernel's `TCP_INFO`, a foreign tool's log each give an [`Observation`]. Everything a
//! [`Record`](farpath_record::Record) says of it is worked out here, once: [`Observation::fill`]. What is not in the
//! evidence is absent from the record, never zero.

mod answers;
mod back;
mod clocks;
mod connection;
mod connections;
mod convergence;
pub mod curve;
mod datagrams;
mod drains;
mod exchange;
mod fairness;
mod flight;
mod flights;
mod flows;
pub mod limit;
mod limited_at;
mod long_repair;
pub mod merge;
pub mod metric;
mod observation;
mod packets;
mod path;
mod percentile;
mod phase;
mod place;
mod probes;
mod ramp;
mod rates;
mod recovery;
mod series;
mod shared_time;
mod span;
mod stall;
mod stretch;
mod surroundings;
mod taken_back;
mod timeouts;
mod timers;
mod together;

pub use answers::{Refusal, answers};
pub use clocks::between_clocks;
pub use connection::{Connection, RoundTrips, Sample, Timers};
pub use datagrams::{Cells, Datagrams};
pub use exchange::Asker;
pub use flight::Flight;
pub use observation::Observation;
pub use packets::{Packets, too_late};
pub use path::{Dropped, Full, Hop, Interval, Path, Taken};
pub use percentile::percentile;
pub use place::{InStep, Sends, TailQueue};
pub use ramp::{REACHED, STEPS_OF_A_ROUND};
pub use recovery::{count_loss_events, recovery, unregained};
pub use span::Span;
pub use stretch::{Limit, Stretch};
pub use surroundings::Surroundings;
pub use taken_back::TakenBack;
