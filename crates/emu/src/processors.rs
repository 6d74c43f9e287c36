//! Whose processor is whose: one is the data plane's own, and what runs in hosts has the others.
//!
//! A thread that is always awake and one that is woken a hundred thousand times a second do not share a processor
//! well: each turn of the other is milliseconds of lateness.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// The processors this process may use, divided.
#[derive(Debug)]
pub(crate) struct Processors {
    plane: CpuSet,
    hosts: CpuSet,
    /// As long as it lives no other lab takes this processor.
    _claim: UnixListener,
}

const CALLER: Pid = Pid::from_raw(0);

impl Processors {
    /// The last processor for the data plane, or the one before if another lab has that. None where data planes would
    /// take more than half of the processors, as on a machine with only one, or where the system does not say.
    pub(crate) fn divided() -> Option<Processors> {
        let all = sched_getaffinity(CALLER).ok()?;
        let mine: Vec<usize> = (0..CpuSet::count())
            .filter(|n| all.is_set(*n) == Ok(true))
            .collect();
        let mut candidates = mine.iter().rev().take(mine.len() / 2);
        let (number, claim) = candidates.find_map(|n| Some((*n, claim(*n)?)))?;
        let (mut plane, mut hosts) = (CpuSet::new(), all);
        plane.set(number).ok()?;
        hosts.unset(number).ok()?;
        Some(Processors {
            plane,
            hosts,
            _claim: claim,
        })
    }

    /// Keeps process `pid`, and what it starts from now on, off the data plane's.
    pub(crate) fn keep_off(&self, pid: i32) {
        // A process that is gone needs none.
        _ = sched_setaffinity(Pid::from_raw(pid), &self.hosts);
    }

    /// Runs `work` in this thread on the data plane's processor. Where a container does not allow that, `work` runs on
    /// any processor; its argument is whether the thread was moved.
    pub(crate) fn on_own<T>(&self, work: impl FnOnce(bool) -> T) -> T {
        let before = sched_getaffinity(CALLER);
        let moved = sched_setaffinity(CALLER, &self.plane);
        let done = work(moved.is_ok());
        if let Ok(before) = before {
            _ = sched_setaffinity(CALLER, &before);
        }
        done
    }
}

/// A name that only one process of the machine can have, and that is free again when it ends, however it does.
fn claim(processor: usize) -> Option<UnixListener> {
    let name = format!("farpath data plane on processor {processor}");
    let address = SocketAddr::from_abstract_name(name).ok()?;
    UnixListener::bind_addr(&address).ok()
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
        let has = |set: &CpuSet, n| set.is_set(n) == Ok(true);
        let count = (0..CpuSet::count()).filter(|n| has(&all, *n)).count();
        // Labs of others may have some.
        let labs: Vec<Processors> = std::iter::from_fn(Processors::divided).collect();
        assert!(labs.len() <= count / 2);
        for (number, lab) in labs.iter().enumerate() {
            for n in 0..CpuSet::count() {
                let parts = u8::from(has(&lab.plane, n)) + u8::from(has(&lab.hosts, n));
                assert_eq!(parts, u8::from(has(&all, n)));
                let others = labs[..number].iter().any(|l| has(&l.plane, n));
                assert!(!others || !has(&lab.plane, n), "processor {n} twice");
            }
            let inside = lab.on_own(|there| (there, sched_getaffinity(CALLER)));
            assert_eq!(inside, (true, Ok(lab.plane)));
            assert_eq!(sched_getaffinity(CALLER), Ok(all));
        }
    }
}
