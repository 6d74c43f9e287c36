//! The virtual clock: a scenario's hosts as elements, its tests as programs on them, one run, and
//! the records that come of it.

mod build;
mod built;
mod collect;
mod due;
mod exchange;
mod host;
mod late;
mod prober;
mod programs;
mod rest;
mod run;
mod sequence;
mod station;
mod tcp;
mod udp;

pub use built::{Built, Keep, Piece};
pub use collect::{evidence, links, observations, records};
pub use exchange::{Answerer, Asker, ExchangeConfig};
pub use host::{Host, Way};
pub use prober::Prober;
pub use programs::measured;
pub use run::{Options, Outcome, Progress, RunError, TapSink, WINDOW, nominal_end, run, sampling};
pub use sequence::SequenceRecord;
pub use station::{Program, Station};
pub use tcp::{RttSummary, TcpSample, TcpSink, TcpSource};
pub use udp::{UdpSink, UdpSource};
