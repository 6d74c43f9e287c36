//! Active measurement with real sockets: the tests of a scenario, run by real programs on real
//! hosts, and their results as records with the names and meanings of the simulated ones.
//!
//! [`job::Jobs`] says what each host does; [`plan_jobs`] makes them of a scenario; [`serve`] does a job, told
//! over one pipe and telling over another; [`Conductor`] has the [`peer::Peer`] of every host do so, compares their
//! clocks and brings the results together; [`records`] makes records of them. [The page](../../../docs/models/probe.md)
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
mod planned;
mod protocol;
mod records;
mod report;
mod results;
mod socket;
mod sys;
mod tcp;
mod udp;
mod watch;

pub use clock::{ClockName, Offset};
pub use conductor::{Conductor, ConductorError};
pub use host::{ServeError, serve};
pub use planned::{Hosts, Planned, plan_jobs};
pub use protocol::{Message, Order};
pub use records::{Paths, records};
pub use report::Report;
pub use results::{HostClock, Results};
pub use sys::monotonic_ns;
pub use watch::{Stop, Stopper};
