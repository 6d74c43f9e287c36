//! How long a program of a host waits for a processor when it wakes: scheduling latency, measured as cyclictest does.
//!
//! A thread of ordinary priority, on the processors that hosts have, sleeps from one instant to the next and notes how
//! late it is. What keeps it waiting keeps programs waiting: other programs, other processes, the machine under this one.

use std::sync::atomic::{AtomicBool, Ordering};

use farpath_units::{Duration, Time};
use nix::sys::time::{TimeSpec, TimeValLike};
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};

use crate::driver::Clock;
use crate::ends::Ends;
use crate::fidelity::Histogram;
use crate::processors::Processors;

/// Time between two instants: often enough for the worst of a hundred in a second, and a thousandth of a processor. No
/// round number, so that it does not stand in the way of a program that wakes every 10 ms.
const EVERY: Duration = Duration::from_us(9973);

/// Does `work`, and says how long programs on the hosts' `processors` waited meanwhile, from zero of `clock` on.
pub(crate) fn beside<T>(
    processors: Option<&Processors>,
    clock: Clock,
    work: impl FnOnce() -> T,
) -> (T, Histogram) {
    let over = AtomicBool::new(false);
    let first = clock.now() + EVERY;
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| {
            if let Some(processors) = processors {
                processors.keep_off(0);
            }
            waits(clock, first, &over)
        });
        let ends = Ends(&over);
        let done = work();
        drop(ends);
        // A thread that could not measure has seen nothing late.
        (done, waits.join().unwrap_or_default())
    })
}

fn waits(clock: Clock, first: Time, over: &AtomicBool) -> Histogram {
    // Without this a sleep may be 50 µs longer by intent.
    _ = nix::sys::prctl::set_timerslack(1);
    let (mut waits, mut next) = (Histogram::default(), first);
    loop {
        let until = TimeSpec::nanoseconds((clock.zero_ns() + next.as_ns()) as i64);
        let flags = ClockNanosleepFlags::TIMER_ABSTIME;
        // Woken early by a signal: it sleeps on.
        _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &until);
        let last = over.load(Ordering::Relaxed);
        next = note(&mut waits, next, clock.now());
        if last {
            return waits;
        }
    }
}

/// Notes how late each instant from `next` to `now` is seen, and gives the one after them.
fn note(waits: &mut Histogram, mut next: Time, now: Time) -> Time {
    while next <= now {
        waits.add(now.since(next), 1);
        next += EVERY;
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_slept_through_was_waited_for_too() {
        let (at, bit) = (|n| Time::ZERO + EVERY.times(n), Duration::from_ms(2));
        let mut waits = Histogram::default();
        assert_eq!(note(&mut waits, at(2), at(1) + bit), at(2));
        assert_eq!(waits.total(), 0);
        assert_eq!(note(&mut waits, at(1), at(1)), at(2));
        assert_eq!(waits.max(), Duration::ZERO);
        // Of the second to the fourth none was seen before the fourth was over.
        assert_eq!(note(&mut waits, at(2), at(4) + bit), at(5));
        assert_eq!((waits.total(), waits.max()), (4, EVERY.times(2) + bit));
    }

    #[test]
    fn it_is_measured_until_the_work_is_done_and_the_work_s_result_comes_back() {
        let clock = Clock::start(Duration::ZERO);
        let (done, waits) = beside(None, clock, || {
            let end = clock.now() + EVERY.times(5);
            while clock.now() < end {
                std::thread::yield_now();
            }
            7
        });
        assert_eq!(done, 7);
        assert!(waits.total() >= 4, "{}", waits.total());
    }

    #[test]
    #[should_panic(expected = "work")]
    fn work_that_panics_ends_it() {
        let ((), _) = beside(None, Clock::start(Duration::ZERO), || panic!("work"));
    }
}
