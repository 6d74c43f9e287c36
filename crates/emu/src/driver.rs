//! The real clock: runs a data plane until it is told to stop.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use farpath_units::{Duration, Time};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::{TimeSpec, TimeValLike};
use nix::time::ClockId;

use crate::audit::clock_ns;
use crate::fidelity::Fidelity;
use crate::plane::{Interface, Plane};

/// What a driver does while nothing is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Polling {
    /// Sleeps until shortly before the next thing is due, then looks without pause. On a processor of its own it does not
    /// sleep while anything is under way.
    #[default]
    Hybrid,
    /// Looks without pause: a processor of its own, and the least lateness.
    Busy,
    /// Sleeps until the next thing is due: the least processor time.
    Sleep,
}

/// How long before something is due the hybrid stops sleeping, at least and at most: more than a wake-up takes,
/// which on a virtual machine may be a hundred times what it is on a real one.
const WAKE: [Duration; 2] = [Duration::from_us(80), Duration::from_ms(1)];

/// Longest sleep, and how often the owner has its turn.
const TURN: Duration = Duration::from_ms(1);

/// A clock that all namespaces of a machine share, from an instant on.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    zero_ns: u64,
}

impl Clock {
    /// A clock whose zero is `lead` from now; it stands still until then.
    pub fn start(lead: Duration) -> Clock {
        Clock {
            zero_ns: monotonic_ns() + lead.as_ns(),
        }
    }

    /// `CLOCK_MONOTONIC` at zero, in nanoseconds.
    pub fn zero_ns(&self) -> u64 {
        self.zero_ns
    }

    /// The time since zero.
    pub fn now(&self) -> Time {
        Time::ZERO + Duration::from_ns(monotonic_ns().saturating_sub(self.zero_ns))
    }
}

fn monotonic_ns() -> u64 {
    clock_ns(ClockId::CLOCK_MONOTONIC) as u64
}

/// Whether to sleep when there is nothing to do yet: on a processor of one's `own` or not, with so many packets under way.
fn sleeps(polling: Polling, own: bool, under_way: usize) -> bool {
    match polling {
        Polling::Hybrid => !own || under_way == 0,
        Polling::Busy => false,
        Polling::Sleep => true,
    }
}

/// Runs `plane` by `clock`, on a processor of its `own` or not; `turn` is called about every millisecond with the
/// time and stops the run by returning `false`. Returns when it stopped.
///
/// # Errors
/// Those of an interface: it is gone.
pub fn drive<I: Interface + AsFd>(
    plane: &mut Plane<I>,
    clock: Clock,
    (polling, own): (Polling, bool),
    fidelity: &mut Fidelity,
    mut turn: impl FnMut(&mut Plane<I>, Time, &Fidelity) -> bool,
) -> io::Result<Time> {
    let mut next_turn = Time::ZERO;
    let mut wake = WAKE[0];
    // When it looked last, and how long it meant to sleep since.
    let (mut looked, mut meant) = (clock.now(), Duration::ZERO);
    loop {
        let now = clock.now();
        fidelity.gap(now.since(looked).saturating_sub(meant));
        (looked, meant) = (now, Duration::ZERO);
        if now >= next_turn {
            if !turn(plane, now, fidelity) {
                return Ok(now);
            }
            next_turn = now + TURN;
        }
        let taken = plane.take_in(now)?;
        let until = clock.now();
        if plane.work_due() < until {
            plane.advance(until);
        }
        let given = plane.hand_out(until, &mut || clock.now(), fidelity)?;
        let before = clock.now();
        if taken + given == 0 && sleeps(polling, own, plane.packets_under_way()) {
            let ahead = match polling {
                Polling::Sleep => Duration::ZERO,
                _ => wake,
            };
            let due = plane.due().since(before).saturating_sub(ahead);
            let rest = due.min(next_turn.since(before));
            if rest > Duration::ZERO {
                // Who was stopped in his sleep has looked away as well.
                meant = rest;
                if sleep(plane, rest)? == Woken::ByTime {
                    wake = lead(wake, clock.now().since(before + rest));
                }
            }
        }
    }
}

/// How long before a deadline to wake next time, after `late` this time: a quarter more than the worst of late, forgotten
/// by a part in 64 each time.
fn lead(wake: Duration, late: Duration) -> Duration {
    let part = |d: Duration, of| Duration::from_ps(d.as_ps() / of);
    let faded = wake.saturating_sub(part(wake, 64));
    (late + part(late, 4)).max(faded).clamp(WAKE[0], WAKE[1])
}

/// What ended a sleep.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Woken {
    ByTime,
    ByHost,
}

/// Sleeps for `rest` or until a host sends.
fn sleep<I: Interface + AsFd>(plane: &Plane<I>, rest: Duration) -> io::Result<Woken> {
    let sources: Vec<BorrowedFd<'_>> = plane.interfaces().map(AsFd::as_fd).collect();
    let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(sources.len());
    fds.extend(sources.iter().map(|fd| PollFd::new(*fd, PollFlags::POLLIN)));
    let timeout = TimeSpec::nanoseconds(rest.as_ns() as i64);
    match ppoll(&mut fds, Some(timeout), None) {
        Ok(0) => Ok(Woken::ByTime),
        Ok(_) | Err(Errno::EINTR) => Ok(Woken::ByHost),
        Err(e) => Err(e.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_a_processor_is_awake_while_anything_is_under_way() {
        assert!(sleeps(Polling::Hybrid, false, 1));
        assert!(!sleeps(Polling::Hybrid, true, 1));
        assert!(sleeps(Polling::Hybrid, true, 0));
        assert!(!sleeps(Polling::Busy, false, 0));
        assert!(sleeps(Polling::Sleep, true, 1));
    }

    #[test]
    fn late_wake_ups_are_met_by_earlier_ones_and_forgotten() {
        let us = Duration::from_us;
        assert_eq!(lead(us(80), us(10)), us(80));
        assert_eq!(lead(us(80), us(200)), us(250));
        assert_eq!(lead(us(80), us(5000)), Duration::from_ms(1));
        let mut wake = Duration::from_ms(1);
        for _ in 0..64 {
            wake = lead(wake, us(10));
        }
        assert!(wake > us(300) && wake < us(400), "{wake}");
        for _ in 0..200 {
            wake = lead(wake, us(10));
        }
        assert_eq!(wake, us(80));
    }
}
