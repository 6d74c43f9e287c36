//! Active measurement with real sockets, by real programs on real hosts.
//!
//! [`job::Jobs`] says what each host does; [`serve`] does a job, told over one pipe and telling over another;
//! [`Conductor`] has the [`peer::Peer`] of every host do so, compares their clocks and brings the [`report`]s
//! together. What a scenario's tests are as jobs, and reports as records, is `experiment`'s. [The page](../../../docs/models/probe.md)
//! says what each test does on the wire and where it differs from the simulated one.

mod clock;
mod conductor;
mod exchange;
mod host;
mod icmp;
mod iperf3;
pub mod job;
pub mod peer;
mod ping;
mod protocol;
pub mod report;
mod results;
mod socket;
mod sys;
mod tcp;
mod udp;
mod watch;
pub mod work;

pub use clock::{ClockName, Offset};
pub use conductor::{Conductor, ConductorError};
pub use host::{ServeError, serve};
pub use protocol::{Message, Order};
pub use report::Report;
pub use results::{HostClock, Results};
pub use sys::monotonic_ns;
pub use udp::HEADER as UDP_HEADER;
pub use watch::{Stop, Stopper};
