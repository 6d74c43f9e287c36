//! The time of a run on a real clock: nanoseconds of CLOCK_MONOTONIC since an instant that all
//! hosts of the run were told.

use crate::sys;

/// CLOCK_MONOTONIC, counted from the run's time zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    zero_ns: u64,
}

impl Clock {
    pub(crate) fn from_zero(zero_ns: u64) -> Clock {
        Clock { zero_ns }
    }

    /// Nanoseconds of the run; 0 before its start.
    pub(crate) fn now(&self) -> u64 {
        sys::monotonic_ns().saturating_sub(self.zero_ns)
    }

    /// What CLOCK_MONOTONIC shows at `t_ns` of the run.
    pub(crate) fn monotonic(&self, t_ns: u64) -> u64 {
        self.zero_ns.saturating_add(t_ns)
    }

    /// The time of the run at which CLOCK_REALTIME showed `realtime_ns`, if that was a moment ago:
    /// both clocks are read now, so that a step of one before or after does no harm.
    pub(crate) fn of_realtime(&self, realtime_ns: u64) -> Option<u64> {
        let (realtime, now) = (sys::realtime_ns(), self.now());
        let ago = realtime.checked_sub(realtime_ns)?;
        (ago <= LONGEST_AGO_NS).then(|| now.saturating_sub(ago))
    }
}

/// What waited longer in a socket than this had its clock stepped under it.
const LONGEST_AGO_NS: u64 = 10_000_000_000;
