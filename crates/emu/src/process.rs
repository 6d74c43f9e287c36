//! Processes, identified by number and start time: another process may get the number later.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::time::ClockId;
use nix::unistd::{Pid, SysconfVar, sysconf};
use serde::{Deserialize, Serialize};

use crate::audit::clock_ns;
use crate::sys;
use farpath_units::Duration;

/// A process as others find it: its number may pass to another process, number and start time
/// together do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: i32,
    /// When it started, in clock ticks since the machine did (field 22 of `/proc/PID/stat`).
    pub start: u64,
}

/// How often to look whether programs have ended.
const CHECK: std::time::Duration = std::time::Duration::from_millis(10);

/// Ctrl-C, SIGTERM and SIGHUP wait until this is dropped, for the thread that made it and those it starts.
#[derive(Debug)]
pub struct Held(SigSet);

impl Held {
    /// From now on; nothing where the kernel refuses.
    pub fn hold() -> Option<Held> {
        let held = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]);
        held.thread_swap_mask(SigmaskHow::SIG_BLOCK).ok().map(Held)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // It was in force a moment ago.
        _ = self.0.thread_set_mask();
    }
}

impl Process {
    /// The process that has number `pid` now; `None` if there is none. One that has ended and waits
    /// to be reaped is none.
    pub fn of(pid: i32) -> Option<Process> {
        let (state, start) = stat(Path::new("/proc"), pid)?;
        (!matches!(state, 'Z' | 'X')).then_some(Process { pid, start })
    }

    /// The calling process.
    pub fn own() -> Process {
        let pid = std::process::id().cast_signed();
        // Where /proc hides it, nobody else finds it either.
        Process::of(pid).unwrap_or(Process { pid, start: 0 })
    }

    /// Whether it has not ended.
    pub fn is_alive(self) -> bool {
        Process::of(self.pid) == Some(self)
    }

    /// Whether the kernel has begun to end it, or nobody has reaped it yet: a host's first process waits until the last program there
    /// has gone. Not so where `/proc` hides it.
    pub(crate) fn is_ending(self) -> bool {
        flags(Path::new("/proc"), self.pid).is_some_and(|flags| flags & EXITING != 0)
    }

    /// How long ago it started, as far as clock ticks tell: a hundredth of a second.
    pub fn age(self) -> Duration {
        let ticks = sysconf(SysconfVar::CLK_TCK).ok().flatten().unwrap_or(100);
        let started = u128::from(self.start) * 1_000_000_000 / ticks.max(1).unsigned_abs() as u128;
        let now = clock_ns(ClockId::CLOCK_BOOTTIME).max(0).unsigned_abs();
        Duration::from_ns(now.saturating_sub(u64::try_from(started).unwrap_or(u64::MAX)))
    }

    /// Asks it to end (SIGTERM), unless it has ended.
    ///
    /// # Errors
    /// When it belongs to somebody else.
    pub fn ask_to_end(self) -> io::Result<()> {
        self.signal(Signal::SIGTERM)
    }

    /// Waits until it has ended with all its threads, at most `patience`; whether it has. It need not be a child.
    ///
    /// # Errors
    /// Whatever the kernel says to a valid question.
    pub fn wait(self, patience: PollTimeout) -> io::Result<bool> {
        let Some(pidfd) = self.pidfd()? else {
            return Ok(true);
        };
        loop {
            let mut ended = [PollFd::new(pidfd.as_fd(), PollFlags::POLLIN)];
            match poll(&mut ended, patience) {
                Ok(n) => return Ok(n > 0),
                Err(Errno::EINTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// What runs in the host whose first process this is, but that itself: all of it, or one process group.
    pub fn programs(self, group: Option<u32>) -> Vec<Process> {
        let space = |pid: i32| std::fs::read_link(format!("/proc/{pid}/ns/pid")).ok();
        let Some(own) = space(self.pid) else {
            return Vec::new();
        };
        let is_one = |pid: &i32| {
            let in_group = || group.is_none() || group_of(Path::new("/proc"), *pid) == group;
            *pid != self.pid && space(*pid).as_ref() == Some(&own) && in_group()
        };
        numbers().filter(is_one).filter_map(Process::of).collect()
    }

    /// Asks `programs` to end and waits until all have, or `waits` says no more.
    pub fn dismiss(programs: &[Process], mut waits: impl FnMut() -> bool) {
        for program in programs {
            // One of somebody else's ends with its host.
            _ = program.ask_to_end();
        }
        while programs.iter().any(|p| p.is_alive()) && waits() {
            std::thread::park_timeout(CHECK);
        }
    }

    /// Sends it a signal, unless it has ended.
    ///
    /// # Errors
    /// When it belongs to somebody else.
    pub fn signal(self, signal: Signal) -> io::Result<()> {
        match self.pidfd()? {
            None => Ok(()),
            Some(pidfd) => match sys::send_signal(pidfd.as_fd(), signal) {
                Ok(()) | Err(Errno::ESRCH) => Ok(()),
                Err(e) => Err(e.into()),
            },
        }
    }

    fn pidfd(self) -> io::Result<Option<OwnedFd>> {
        match sys::pidfd(Pid::from_raw(self.pid)) {
            // Only now is it certain whose it is. One that waits to be reaped may have threads that still end.
            Ok(pidfd) => {
                let there = stat(Path::new("/proc"), self.pid);
                Ok(there
                    .filter(|(_, start)| *start == self.start)
                    .map(|_| pidfd))
            }
            Err(Errno::ESRCH) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }
}

/// The numbers of all processes that `/proc` shows.
fn numbers() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|e| e.file_name().to_str()?.parse().ok())
}

/// The process group: field 5 of `/proc/PID/stat`.
fn group_of(proc: &Path, pid: i32) -> Option<u32> {
    let text = std::fs::read_to_string(proc.join(format!("{pid}/stat"))).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    rest.split_whitespace().nth(2)?.parse().ok()
}

/// `PF_EXITING` (linux/sched.h).
const EXITING: u32 = 4;

/// The kernel's flags of a process: field 9 of `/proc/PID/stat`.
fn flags(proc: &Path, pid: i32) -> Option<u32> {
    let text = std::fs::read_to_string(proc.join(format!("{pid}/stat"))).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    rest.split_whitespace().nth(6)?.parse().ok()
}

/// State and start time: fields 3 and 22 of `/proc/PID/stat`.
fn stat(proc: &Path, pid: i32) -> Option<(char, u64)> {
    let text = std::fs::read_to_string(proc.join(format!("{pid}/stat"))).ok()?;
    // The name in parentheses may hold anything: fields count from its end.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

/// Reaps the programs of hosts that have become this process's children because their shadow was killed.
pub(crate) fn reap_orphans() {
    let own = std::process::id();
    for pid in numbers() {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
        if status.is_ok_and(|status| is_orphan(&status, own)) {
            _ = waitpid(Pid::from_raw(pid), Some(WaitPidFlag::WNOHANG));
        }
    }
}

/// Whether `status` is that of a process of a host which has ended and waits for `parent`. First processes of hosts are not:
/// who started them waits for them.
fn is_orphan(status: &str, parent: u32) -> bool {
    let value = |name: &str| status.lines().find_map(|l| l.strip_prefix(name));
    let is_ours = value("PPid:").is_some_and(|p| p.trim().parse() == Ok(parent));
    let has_ended = value("State:").is_some_and(|s| s.trim_start().starts_with('Z'));
    // Its number here, and in the host.
    let numbers: Vec<&str> = value("NSpid:").unwrap_or("").split_whitespace().collect();
    is_ours && has_ended && numbers.len() > 1 && numbers.last() != Some(&"1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_stands_behind_any_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("7")).unwrap();
        let found = |state: &str| {
            let text = format!(
                "7 (a) b (c) {state} 1 7 7 0 -1 4194560 5 0 0 0 0 0 0 0 20 0 1 0 4711 99 0\n"
            );
            std::fs::write(folder.path().join("7/stat"), text).unwrap();
            stat(folder.path(), 7)
        };
        assert_eq!(found("S"), Some(('S', 4711)));
        assert_eq!(found("Z"), Some(('Z', 4711)));
        assert_eq!(group_of(folder.path(), 7), Some(7));
        assert_eq!(flags(folder.path(), 7), Some(4_194_560));
        assert_eq!(stat(folder.path(), 8), None);
    }

    #[test]
    fn orphans_of_hosts_are_told_from_first_processes_and_own_children() {
        let orphan = "Name:\tsleep\nState:\tZ (zombie)\nPPid:\t70\nNSpid:\t81\t3\n";
        assert!(is_orphan(orphan, 70));
        assert!(!is_orphan(orphan, 71));
        for (is, instead) in [("Z", "S"), ("\t3", "\t1"), ("\t3", "")] {
            assert!(
                !is_orphan(&orphan.replacen(is, instead, 1), 70),
                "{instead}"
            );
        }
    }

    #[test]
    fn a_number_that_has_passed_on_is_nobody() {
        let own = Process::own();
        assert!(own.is_alive() && !own.is_ending());
        // A test program takes less than an hour; the machine has been up for longer than none.
        assert!(own.age() < Duration::from_secs(3600), "{}", own.age());
        let earlier = Process {
            start: own.start - 1,
            ..own
        };
        assert!(!earlier.is_alive());
        assert!(earlier.wait(PollTimeout::NONE).unwrap());
        assert!(!own.wait(PollTimeout::ZERO).unwrap());
        // Nobody is hit.
        earlier.signal(Signal::SIGKILL).unwrap();
    }

    #[test]
    fn the_end_of_a_process_is_seen() {
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let process = Process::of(child.id().cast_signed()).unwrap();
        process.signal(Signal::SIGTERM).unwrap();
        assert!(process.wait(PollTimeout::NONE).unwrap());
        // It waits to be reaped, and is waited for no more.
        assert!(!process.is_alive() && process.is_ending());
        assert!(process.wait(PollTimeout::NONE).unwrap());
        child.wait().unwrap();
    }
}
