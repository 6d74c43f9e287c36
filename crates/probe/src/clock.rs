//! The time of a run on real clocks: nanoseconds of a host's CLOCK_MONOTONIC since the run's time zero. Each host gets
//! that instant as a reading of its own clock.

mod offset;

use serde::{Deserialize, Serialize};

use crate::sys;

pub(crate) use offset::Comparison;
pub use offset::Offset;

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

/// Which CLOCK_MONOTONIC a process reads: boot and time namespace. Processes that name the same one read
/// the same clock; nothing is known of one without a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockName(Option<String>);

impl ClockName {
    /// The clock of this process.
    pub(crate) fn own() -> ClockName {
        ClockName(own())
    }

    #[cfg(test)]
    pub(crate) fn named(name: &str) -> ClockName {
        ClockName(Some(name.to_owned()).filter(|name| !name.is_empty()))
    }

    /// Whether it is certainly the same clock.
    pub(crate) fn is(&self, other: &ClockName) -> bool {
        self.0.is_some() && self == other
    }
}

/// `None` when the files cannot be read.
#[allow(
    clippy::disallowed_methods,
    reason = "what clock a process reads stands in files of its own"
)]
fn own() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespaces = std::path::Path::new("/proc/self/ns");
    let namespace = match namespaces.join("time").read_link() {
        Ok(name) => name.to_string_lossy().into_owned(),
        // A kernel without time namespaces (before Linux 5.6) has one clock.
        Err(_) if namespaces.join("net").read_link().is_ok() => "time".to_owned(),
        Err(_) => return None,
    };
    Some(format!("{} {namespace}", boot.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_itself_and_one_without_a_name_is_not() {
        let own = ClockName::own();
        assert!(own.is(&ClockName::own()), "{own:?}");
        let unknown = ClockName::default();
        assert!(!unknown.is(&unknown) && !own.is(&unknown));
    }
}
