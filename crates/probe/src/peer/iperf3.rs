//! An iperf3 server.

use super::{Peer, PeerError, Told, by_itself};
use crate::job::{HostJob, Work};
use crate::report::Report;

/// A host on which iperf3 servers listen already, one for each flow; their clients report what they measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Iperf3Server;

impl Peer for Iperf3Server {
    fn begin(&mut self, job: &HostJob, told: Told) -> Result<(), PeerError> {
        by_itself(job, &told, "is an iperf3 server", |work| match work {
            Work::Iperf3Server(_) => Some(Report::Iperf3Server),
            _ => None,
        })
    }
}
