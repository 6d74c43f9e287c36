//! What the machine itself was doing while a data plane ran on it.

use std::fs;

use farpath_units::Duration;
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};

/// Counters of the calling thread and of the machine, since some start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Audit {
    /// Processor time of the thread, nanoseconds.
    pub thread_ns: u64,
    /// How long the thread could have run and had no processor, nanoseconds.
    pub starved_ns: u64,
    /// Ticks of the machine's processors: busy, taken by the machine that hosts this one, all.
    pub machine: [u64; 3],
    /// By how much CLOCK_REALTIME is ahead of CLOCK_MONOTONIC, or was set, nanoseconds.
    pub clock_set_ns: i64,
    /// By how much CLOCK_BOOTTIME is: how long the machine was suspended, nanoseconds.
    pub suspended_ns: u64,
}

impl Audit {
    /// As they stand for the thread that calls.
    pub fn now() -> Audit {
        let schedstat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        Audit {
            thread_ns: clock_ns(ClockId::CLOCK_THREAD_CPUTIME_ID) as u64,
            starved_ns: nth(&schedstat, 1),
            machine: machine(&stat),
            clock_set_ns: ahead_ns(ClockId::CLOCK_REALTIME),
            suspended_ns: ahead_ns(ClockId::CLOCK_BOOTTIME).max(0) as u64,
        }
    }

    /// What has been added since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Audit) -> Audit {
        let difference = |n: usize| self.machine[n].saturating_sub(earlier.machine[n]);
        Audit {
            thread_ns: self.thread_ns.saturating_sub(earlier.thread_ns),
            starved_ns: self.starved_ns.saturating_sub(earlier.starved_ns),
            machine: [0, 1, 2].map(difference),
            clock_set_ns: self.clock_set_ns - earlier.clock_set_ns,
            suspended_ns: self.suspended_ns.saturating_sub(earlier.suspended_ns),
        }
    }

    /// Share of one processor the thread had in `time`.
    pub fn thread_share(&self, time: Duration) -> f64 {
        self.thread_ns as f64 / time.as_ns().max(1) as f64
    }

    /// Share of all processors that was busy.
    pub fn machine_share(&self) -> f64 {
        self.machine[0] as f64 / self.machine[2].max(1) as f64
    }

    /// Share of all processors that a hypervisor gave to others although this machine had work for them.
    pub fn stolen_share(&self) -> f64 {
        self.machine[1] as f64 / self.machine[2].max(1) as f64
    }
}

/// What a clock shows, nanoseconds.
pub(crate) fn clock_ns(clock: ClockId) -> i64 {
    // The one error is an unknown clock.
    clock_gettime(clock).map_or(0, |t| t.num_nanoseconds())
}

/// By how much `clock` is ahead of CLOCK_MONOTONIC: of a few readings, the one that took the least.
fn ahead_ns(clock: ClockId) -> i64 {
    let readings = (0..8).map(|_| {
        let before = clock_ns(ClockId::CLOCK_MONOTONIC);
        let there = clock_ns(clock);
        let took = clock_ns(ClockId::CLOCK_MONOTONIC) - before;
        (took, there - before - took / 2)
    });
    readings.min().map_or(0, |(_, ahead)| ahead)
}

fn nth(text: &str, n: usize) -> u64 {
    let word = text.split_whitespace().nth(n);
    word.and_then(|w| w.parse().ok()).unwrap_or(0)
}

/// Busy, stolen and all ticks of the first line of `/proc/stat`: user nice system idle iowait irq softirq steal.
fn machine(stat: &str) -> [u64; 3] {
    let first = stat.lines().next().unwrap_or_default();
    let ticks = first.split_whitespace().skip(1).take(8);
    let ticks: Vec<u64> = ticks.map(|t| t.parse().unwrap_or(0)).collect();
    let all: u64 = ticks.iter().sum();
    let idle: u64 = ticks.iter().skip(3).take(2).sum();
    let stolen = ticks.get(7).copied().unwrap_or(0);
    [all - idle, stolen, all]
}

/// `MemAvailable` in bytes; none where the system does not tell.
pub fn memory_available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kib = line.split_whitespace().nth(1)?.parse::<u64>().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_a_machine() {
        let stat = "cpu  100 1 19 800 50 0 0 30 0 0\ncpu0 1 1 1 1\n";
        assert_eq!(machine(stat), [150, 30, 1000]);
        assert_eq!(machine(""), [0, 0, 0]);
        assert_eq!(nth("123 456 7\n", 1), 456);
    }

    #[test]
    fn work_shows() {
        let before = Audit::now();
        let mut sum = 0_u64;
        for n in 0..10_000_000_u64 {
            sum = std::hint::black_box(sum.wrapping_add(n));
        }
        assert!(Audit::now().since(&before).thread_ns > 0);
    }
}
