//! Queueing disciplines: what waits in front of a transmitter, what may not, and who is next.

mod classes;
mod classifier;
mod codel;
mod discipline;
mod fifo;
mod fq_codel;
mod red;
mod rounds;
mod token_bucket;

use classes::Classes;
pub use classes::{ClassesConfig, Level, QueueConfig, QueueCounter};
pub use classifier::{Classifier, MOST_QUEUES, Place, Transport};
pub use codel::CodelConfig;
pub use discipline::{Discipline, DisciplineConfig, QueuesConfig};
pub use fifo::{Fifo, Footprint, Limit, TallyId, WAITING_BYTES};
use fq_codel::FqCodel;
pub use fq_codel::FqCodelConfig;
pub use red::{Curve, RedConfig};
pub use rounds::Rounds;
pub use token_bucket::TokenBucket;
