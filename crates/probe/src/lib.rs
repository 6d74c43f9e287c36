//! Active measurement with real sockets, by real programs on real hosts.
//!
//! [`job::Jobs`] holds what each host does. [`serve`] reads a job from one pipe, does it and reports over another.
//! [`Conductor`] has the [`peer::Peer`] of every host do its job, compares their clocks and brings the [`report`]s
//! together. What a scenario's tests are as jobs, and reports as records, is `experiment`'s. [The page](../../../docs/models/probe.md)
//! says what each test does on the wire and where it differs from the simulated one.

mod clock;
mod conductor;
mod datagram;
mod exchange;
mod host;
mod icmp;
mod iperf3;
pub mod job;
pub mod live;
mod netlink;
pub mod peer;
mod ping;
mod protocol;
pub mod report;
mod results;
mod socket;
mod survey;
mod sys;
mod system;
mod tcp;
mod udp;
mod watch;
pub mod work;

pub use clock::{ClockName, Offset, Utc};
pub use conductor::{Conductor, ConductorError};
pub use datagram::{HEADER as UDP_HEADER, MOST_BYTES as UDP_MOST_BYTES};
pub use host::{ServeError, serve};
pub use protocol::{Message, Order};
pub use report::Report;
pub use results::{HostClock, Results};
pub use survey::{SurveyError, counters, survey};
pub use sys::monotonic_ns;
pub use system::System;
pub use watch::{Stop, Stopper};
