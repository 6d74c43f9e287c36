//! Whose processor is whose: one is the data plane's own, and what runs in hosts has the others.
//!
//! A thread that is always awake and one that is woken a hundred thousand times a second do not share a processor
//! well: each turn of the other is milliseconds of lateness.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// The processors this process may use, divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Processors {
    plane: CpuSet,
    hosts: CpuSet,
}

const CALLER: Pid = Pid::from_raw(0);

impl Processors {
    /// The last processor for the data plane; nothing where there is only one, or the system does not tell.
    pub(crate) fn divided() -> Option<Processors> {
        let all = sched_getaffinity(CALLER).ok()?;
        let mut mine = (0..CpuSet::count()).filter(|n| all.is_set(*n) == Ok(true));
        let last = mine.next_back()?;
        mine.next()?;
        let (mut plane, mut hosts) = (CpuSet::new(), all);
        plane.set(last).ok()?;
        hosts.unset(last).ok()?;
        Some(Processors { plane, hosts })
    }

    /// Keeps process `pid`, and what it starts from now on, off the data plane's.
    pub(crate) fn keep_off(&self, pid: i32) {
        // A process that is gone needs none.
        _ = sched_setaffinity(Pid::from_raw(pid), &self.hosts);
    }

    /// Runs `work` in this thread on the data plane's.
    pub(crate) fn on_own<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = sched_getaffinity(CALLER);
        // Refused where a container allows less: then it runs where it runs.
        _ = sched_setaffinity(CALLER, &self.plane);
        let done = work();
        if let Ok(before) = before {
            _ = sched_setaffinity(CALLER, &before);
        }
        done
    }
}

/// Lets the calling process run where process `pid` may.
pub(crate) fn as_process(pid: i32) {
    if let Ok(theirs) = sched_getaffinity(Pid::from_raw(pid)) {
        _ = sched_setaffinity(CALLER, &theirs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_the_data_plane_s_processor_and_none_is_lost() {
        let all = sched_getaffinity(CALLER).expect("Linux tells");
        let Some(both) = Processors::divided() else {
            let count = (0..CpuSet::count())
                .filter(|n| all.is_set(*n) == Ok(true))
                .count();
            assert_eq!(count, 1);
            return;
        };
        for n in 0..CpuSet::count() {
            let parts =
                [both.plane.is_set(n), both.hosts.is_set(n)].map(|b| u8::from(b == Ok(true)));
            assert_eq!(parts[0] + parts[1], u8::from(all.is_set(n) == Ok(true)));
        }
        let inside = both.on_own(|| sched_getaffinity(CALLER));
        assert_eq!(inside, Ok(both.plane));
        assert_eq!(sched_getaffinity(CALLER), Ok(all));
    }
}
