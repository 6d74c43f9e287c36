//! Queueing disciplines: what waits in front of a transmitter, what may not, and who is next.

mod aqm;
mod classes;
mod classifier;
mod discipline;
mod fifo;
mod footprint;
mod fq_codel;
mod rounds;
mod token_bucket;
mod waiting;

pub use aqm::*;
use classes::Classes;
pub use classes::{ClassesConfig, Level, QueueConfig};
pub use classifier::{Classifier, MOST_QUEUES, Place, Transport};
pub use discipline::{Discipline, DisciplineConfig, QueuesConfig};
pub use fifo::{Fifo, Limit, TallyId, WAITING_BYTES};
pub use footprint::Footprint;
use fq_codel::FqCodel;
pub use fq_codel::FqCodelConfig;
pub use rounds::Rounds;
pub use token_bucket::TokenBucket;
pub use waiting::QueueCounter;
