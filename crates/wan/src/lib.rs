//! What lies between the hosts of a scenario: its links as ports of a network, the changes that events
//! make to them, and their counters as link records. The same for simulated hosts and for real ones.

mod circuits;
mod links;
mod losses;
mod queueing;
mod realised;
mod wan;

pub use circuits::meter;
pub use links::{Drops, link};
pub use wan::Wan;
