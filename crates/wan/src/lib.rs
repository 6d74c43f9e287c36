//! What lies between the hosts of a scenario: its links as ports of a network, the changes that events
//! make to them, their counters as link records, and as
//! evidence of what limited the traffic. The same for simulated hosts and for real ones.

mod circuits;
mod evidence;
mod links;
mod losses;
mod queueing;
mod realised;
mod wan;

pub use circuits::meter;
pub use evidence::Evidence;
pub use links::{Drops, link};
pub use wan::Wan;
