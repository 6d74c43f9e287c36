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

/// An instant by the machine's clock of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utc {
    /// Nanoseconds since 1970-01-01 00:00 UTC.
    pub at_ns: u64,
    /// How far the clock may be from UTC, in nanoseconds, by the kernel's own account; none where nothing keeps it right.
    pub error_ns: Option<u64>,
}

impl Utc {
    /// When CLOCK_MONOTONIC of this process shows `monotonic_ns`; none before 1970.
    pub(crate) fn at(monotonic_ns: u64) -> Option<Utc> {
        let before = sys::monotonic_ns();
        let realtime = sys::realtime_ns();
        let took = sys::monotonic_ns() - before;
        let ahead = i128::from(realtime) - i128::from(before + took / 2);
        let at_ns = u64::try_from(ahead + i128::from(monotonic_ns)).ok()?;
        let error_ns = sys::realtime_error_ns().map(|error| error.saturating_add(took));
        Some(Utc { at_ns, error_ns })
    }
}

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
    fn an_instant_is_the_same_on_both_clocks() {
        let (earlier, realtime) = (sys::monotonic_ns(), sys::realtime_ns());
        let now = Utc::at(sys::monotonic_ns()).expect("it is after 1970");
        let took = sys::monotonic_ns() - earlier;
        // Nobody sets the clock by more than this in the time that it takes to read it.
        let apart = now.at_ns.abs_diff(realtime);
        assert!(apart <= took + 1_000_000, "{apart} {took}");
        let minute = 60_000_000_000;
        let later = Utc::at(sys::monotonic_ns() + minute).expect("a minute later");
        assert!(later.at_ns - now.at_ns >= minute - 1_000_000);
        assert_eq!(Utc::at(0).map(|boot| boot.at_ns < now.at_ns), Some(true));
    }

    #[test]
    fn a_clock_is_itself_and_one_without_a_name_is_not() {
        let own = ClockName::own();
        assert!(own.is(&ClockName::own()), "{own:?}");
        let unknown = ClockName::default();
        assert!(!unknown.is(&unknown) && !own.is(&unknown));
    }
}
