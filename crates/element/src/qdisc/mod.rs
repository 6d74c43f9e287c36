//! Queueing disciplines: what waits in front of a transmitter, what may not, and who is next.

mod classes;
mod classifier;
mod fifo;
mod rounds;

pub use classes::{Classes, ClassesConfig, QueueConfig, QueueCounter};
pub use classifier::{Classifier, MOST_QUEUES, Place, Transport};
pub use fifo::{Fifo, Footprint, Limit, TallyId, WAITING_BYTES};
pub use rounds::Rounds;
