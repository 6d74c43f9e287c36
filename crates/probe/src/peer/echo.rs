//! A host that answers echo requests.

use super::{Peer, PeerError, Told, by_itself};
use crate::job::HostJob;

/// A host whose kernel answers echo requests: a router, or a machine without a program of ours.
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo;

impl Peer for Echo {
    fn begin(&mut self, job: &HostJob, told: Told) -> Result<(), PeerError> {
        by_itself(job, &told, "answers echo requests", |_| None)
    }
}
