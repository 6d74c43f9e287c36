//! The real clock: runs a data plane until its owner stops it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use farpath_scenario::{Scenario, Test};
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
    /// Sleeps until shortly before the next thing is due, then polls without pause. On a processor of its own it does not
    /// sleep while hosts send often and anything is under way, nor for a moment after a packet.
    #[default]
    Hybrid,
    /// Polls without pause: a processor of its own, and the least lateness.
    Busy,
}

/// How long before something is due the hybrid stops sleeping, at least and at most: more than a wake-up takes,
/// which on a virtual machine may be a hundred times what it is on a real one.
const WAKE: [Duration; 2] = [Duration::from_us(80), Duration::from_ms(1)];

/// The same at most, where nobody else wants the processor.
const WAKE_ALONE: Duration = Duration::from_ms(4);

/// How often the owner has its turn while the plane is awake.
const TURN: Duration = Duration::from_ms(1);

/// Longest sleep: the owner has a turn at least this often.
const LONGEST_SLEEP: Duration = Duration::from_ms(10);

/// A host answers this soon what it was given, and a test sends this soon after it was to.
const SOON: Duration = Duration::from_ms(1);

/// So many packets of hosts within [`LATELY`] are traffic, in which nobody waits for a plane to wake up; fewer are single
/// packets: what a lab's own ping sends, four in a second, is to let it sleep.
const OFTEN: usize = 12;
const LATELY: Duration = Duration::from_secs(1);

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

/// When packets passed, as far as it bears on sleeping.
#[derive(Debug, Default)]
struct Passed {
    /// When hosts sent the last few packets, the oldest at `next`.
    sent: [Option<Time>; OFTEN],
    next: usize,
    last: Option<Time>,
}

impl Passed {
    /// Packets were taken from hosts, or given to them.
    fn note(&mut self, taken: usize, now: Time) {
        for _ in 0..taken.min(OFTEN) {
            self.sent[self.next] = Some(now);
            self.next = (self.next + 1) % OFTEN;
        }
        self.last = Some(now);
    }

    fn within(at: Option<Time>, span: Duration, now: Time) -> bool {
        at.is_some_and(|at| now < at + span)
    }

    /// Whether to stay awake on a processor of one's own, with so many packets under way.
    fn keeps_awake(&self, under_way: usize, now: Time) -> bool {
        let often = Passed::within(self.sent[self.next], LATELY, now);
        (under_way > 0 && often) || Passed::within(self.last, SOON, now)
    }
}

/// Runs `plane` by `clock`, on a processor of its `own` or not; `turn` is called about every millisecond, or every ten while
/// there is nothing to do, with the time, and stops the run by returning `false`. Returns when it stopped.
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
    let mut turned = None;
    let mut wake = WAKE[0];
    let mut passed = Passed::default();
    // The last reading of the clock, and how long a sleep was intended since.
    let (mut last, mut meant) = (clock.now(), Duration::ZERO);
    loop {
        let now = clock.now();
        fidelity.gap(now.since(last).saturating_sub(meant));
        (last, meant) = (now, Duration::ZERO);
        if turned.is_none_or(|at| now >= at + TURN) {
            if !turn(plane, now, fidelity) {
                return Ok(now);
            }
            turned = Some(now);
        }
        let taken = plane.take_in(&mut || clock.now())?;
        let until = clock.now();
        if plane.work_due() < until {
            plane.advance(until);
        }
        let given = plane.hand_out(until, &mut || clock.now(), fidelity)?;
        let before = clock.now();
        if taken + given > 0 {
            passed.note(taken, before);
        } else if polling == Polling::Hybrid
            && !(own && passed.keeps_awake(plane.packets_under_way(), before))
        {
            // What a test is about to send has not come yet.
            let planned = planned(plane.scenario(), before - SOON);
            let due = plane.due().min(planned).since(before + wake);
            let turn_due = turned.map_or(before, |at| at + LONGEST_SLEEP);
            let rest = due.min(turn_due.since(before));
            if rest > Duration::ZERO {
                // Only the sleep that was intended is left out of the gap: a pause meanwhile counts.
                meant = rest;
                if sleep(plane, rest)? == Woken::ByTime {
                    wake = lead(wake, clock.now().since(before + rest), own);
                }
            }
        }
    }
}

/// When a test next sends of its own accord, not before `from`: single packets at their interval, others when they start.
fn planned(scenario: &Scenario, from: Time) -> Time {
    let next = |test: &Test| match test.kind.periodic() {
        Some(all) => {
            let interval = all.interval.as_ps().max(1);
            let number = from.since(test.start).as_ps().div_ceil(interval);
            (number < all.count.into()).then(|| test.start + all.interval.times(number))
        }
        None => (test.start >= from).then_some(test.start),
    };
    let tests = scenario.tests.iter();
    tests.filter_map(next).fold(Time::MAX, Time::min)
}

/// How long before a deadline to wake next time, after `late` this time: a quarter more than the worst of late. It is
/// forgotten by a part in 64 each time, or where the processor is its `own` a part in 1024, which takes some ten seconds.
fn lead(wake: Duration, late: Duration, own: bool) -> Duration {
    let part = |d: Duration, of| Duration::from_ps(d.as_ps() / of);
    let (slowness, most) = if own {
        (1024, WAKE_ALONE)
    } else {
        (64, WAKE[1])
    };
    let faded = wake.saturating_sub(part(wake, slowness));
    (late + part(late, 4)).max(faded).clamp(WAKE[0], most)
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

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn who_has_a_processor_is_awake_in_traffic_and_shortly_after_a_packet() {
        let mut passed = Passed::default();
        assert!(!passed.keeps_awake(1, at(0)), "nothing has passed yet");
        // Four in a second do not count as traffic: request, answer, request, answer.
        for ms in (0..3000).step_by(250) {
            passed.note(1, at(ms));
            assert!(passed.keeps_awake(0, at(ms)), "an answer comes at once");
            assert!(!passed.keeps_awake(1, at(ms + 1)), "{ms} ms");
        }
        // Twenty are.
        for ms in (3000..5000).step_by(50) {
            passed.note(1, at(ms));
        }
        assert!(passed.keeps_awake(1, at(5000)));
        assert!(!passed.keeps_awake(0, at(5000)), "nothing is under way");
        assert!(!passed.keeps_awake(1, at(5500)), "it is over");
        // A flight of a window is, all of it at once; what is given to hosts is not.
        passed.note(40, at(6000));
        passed.note(0, at(6002));
        assert!(passed.keeps_awake(1, at(6900)));
        assert!(!passed.keeps_awake(1, at(7001)));
    }

    #[test]
    fn a_test_that_is_about_to_send_is_expected() {
        let test = |name: &str, keys: &str| {
            format!("[[test]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"b\"\n{keys}\n")
        };
        let text = "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n\
             [[link]]\nname = \"l\"\nends = [\"a\", \"b\"]\nframing = \"gbe\"\n"
            .to_owned()
            + &test(
                "p",
                "kind = \"ping\"\nstart = \"1 s\"\ninterval = \"300 ms\"\ncount = 3",
            )
            + &test("t", "kind = \"tcp\"\nstart = \"1.4 s\"\nbytes = \"1 MB\"");
        let name = "x.toml".to_owned();
        let scenario =
            farpath_scenario::parse(&farpath_scenario::Source { name, text }, &[]).unwrap();
        for (from, next) in [
            (0, 1000),
            (1000, 1000),
            (1001, 1300),
            (1301, 1400),
            (1401, 1600),
        ] {
            assert_eq!(planned(&scenario, at(from)), at(next), "from {from} ms");
        }
        assert_eq!(planned(&scenario, at(1601)), Time::MAX);
    }

    #[test]
    fn late_wake_ups_are_met_by_earlier_ones_and_forgotten() {
        let us = Duration::from_us;
        assert_eq!(lead(us(80), us(10), false), us(80));
        assert_eq!(lead(us(80), us(200), false), us(250));
        assert_eq!(lead(us(80), us(5000), false), Duration::from_ms(1));
        assert_eq!(lead(us(80), us(5000), true), Duration::from_ms(4));
        let mut wake = Duration::from_ms(1);
        for _ in 0..64 {
            wake = lead(wake, us(10), false);
        }
        assert!(wake > us(300) && wake < us(400), "{wake}");
        for _ in 0..200 {
            wake = lead(wake, us(10), false);
        }
        assert_eq!(wake, us(80));
        // A tenth of a thousand wake-ups later the worst is still kept in mind.
        let kept = (0..100).fold(us(2000), |wake, _| lead(wake, us(10), true));
        assert!(kept > us(1800), "{kept}");
    }
}
