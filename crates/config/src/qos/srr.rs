//! Egress queues of Catalyst 2960, 3560 and 3750 switches: shaped round robin (SRR).
//!
//! Each port has four. A queue that is shared has its part by weight; one that is shaped is held to one N-th of the port's
//! rate and has no part (Cisco, Catalyst 3750 configuration guide, "Configuring QoS").

use farpath_units::Rate;

use super::{PortType, Stated};

/// Egress queues of a port.
pub(crate) const QUEUES: usize = 4;
/// `srr-queue bandwidth shape` before anyone sets it: the first queue has a twenty-fifth of the line, the others share.
const SHAPE: [u32; QUEUES] = [25, 0, 0, 0];
/// `srr-queue bandwidth share` before anyone sets it.
const SHARE: u32 = 25;
/// What a port with four such queues is.
pub(super) const PORT: PortType = PortType {
    strict: 0,
    weighted: QUEUES as u8,
    thresholds: 1,
};

/// The queue of each mark, which a switch has for all its ports: `mls qos srr-queue output cos-map` and `dscp-map`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SrrMaps {
    /// The queue of each CoS, 1 to 4.
    pub cos: [u8; 8],
    /// The queue of each DSCP, 1 to 4.
    pub dscp: [u8; 64],
    /// `mls qos queue-set output N buffers`: the queue set, and percent of the buffer for each queue.
    pub buffers: Vec<Stated<(u8, Vec<u32>)>>,
}

impl Default for SrrMaps {
    /// Cisco's defaults: DSCP 40 to 47 and CoS 5 have queue 1, 0 to 15 queue 2, 16 to 31 queue 3, the rest queue 4.
    fn default() -> SrrMaps {
        let of = |precedence: usize| [2, 2, 3, 3, 4, 1, 4, 4][precedence];
        SrrMaps {
            cos: core::array::from_fn(of),
            dscp: core::array::from_fn(|dscp| of(dscp / 8)),
            buffers: Vec::new(),
        }
    }
}

/// The SRR statements of a port.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Srr {
    /// `srr-queue bandwidth share`: a weight for each queue, 1 to 255.
    pub share: Option<Stated<Vec<u32>>>,
    /// `srr-queue bandwidth shape`: N of one N-th for each queue, 0 to 65535; 0 is a queue that shares.
    pub shape: Option<Stated<Vec<u32>>>,
    /// `srr-queue bandwidth limit`: percent of the port's rate, 10 to 90.
    pub limit: Option<Stated<u32>>,
    /// `priority-queue out`: the first queue goes before the others, whatever its weights.
    pub expedite: Option<Stated<()>>,
    /// `queue-set`: 1 or 2.
    pub queue_set: Option<Stated<u8>>,
}

impl Srr {
    /// The first statement of them.
    pub fn first(&self) -> Option<&crate::source::Place> {
        let share = self.share.as_ref().map(|s| &s.place);
        let shape = self.shape.as_ref().map(|s| &s.place);
        let limit = self.limit.as_ref().map(|s| &s.place);
        let expedite = self.expedite.as_ref().map(|s| &s.place);
        let all = [share, shape, limit, expedite];
        all.into_iter().flatten().min_by_key(|p| p.span.start)
    }

    /// Whether queues of the port are said to share.
    pub fn says_queues(&self) -> bool {
        self.share.is_some() || self.shape.is_some() || self.expedite.is_some()
    }

    /// The N of one N-th that holds each queue; `None` of one that shares or goes first.
    pub fn shaped(&self) -> [Option<u32>; QUEUES] {
        let stated = self.shape.as_ref().map(|s| s.value.as_slice());
        core::array::from_fn(|at| {
            let n = stated.and_then(|s| s.get(at).copied()).unwrap_or(SHAPE[at]);
            let first = at == 0 && self.expedite.is_some();
            (n > 0 && !first).then_some(n)
        })
    }

    /// The weight of each queue that shares; `None` of one that is shaped or goes first.
    pub fn weights(&self) -> [Option<u32>; QUEUES] {
        let stated = self.share.as_ref().map(|s| s.value.as_slice());
        let shaped = self.shaped();
        core::array::from_fn(|at| {
            let weight = stated.and_then(|s| s.get(at).copied()).unwrap_or(SHARE);
            let first = at == 0 && self.expedite.is_some();
            (shaped[at].is_none() && !first).then_some(weight.max(1))
        })
    }

    /// What `srr-queue bandwidth limit` leaves of `line`.
    pub fn limited(&self, line: Rate) -> Option<Rate> {
        let percent = u64::from(self.limit.as_ref()?.value);
        Rate::from_bps(line.as_bps() / 100 * percent)
    }
}
