//! Active measurement with real sockets: the tests of a scenario, run by real programs on real
//! hosts, and their results as records with the names and meanings of the simulated ones.
//!
//! [`job::Jobs`] says what each host does; [`plan_jobs`] makes them of a scenario; [`serve`] does a job, told
//! over one pipe and telling over another; [`Conductor`] starts such a process on every host and brings the
//! results together; [`records`] makes records of them. [The page](../../../docs/models/probe.md)
//! says what each test does on the wire and where it differs from the simulated one.

mod clock;
mod conductor;
mod exchange;
mod host;
mod icmp;
mod iperf3;
pub mod job;
mod limits;
mod ping;
mod planned;
mod records;
mod report;
mod socket;
mod sys;
mod tcp;
mod udp;
mod watch;

pub use conductor::{Conductor, ConductorError};
pub use host::{ServeError, serve};
pub use planned::{Hosts, Planned, plan_jobs};
pub use records::{Overrule, records};
pub use report::{Message, Report, Results};
pub use sys::monotonic_ns;
pub use watch::{Stop, Stopper};
