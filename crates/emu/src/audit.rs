//! What the machine itself was doing while a data plane ran on it.

use std::fs;
use std::path::Path;

use farpath_units::Duration;
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};

/// Counters of the calling thread and of the machine, since some start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Audit {
    /// How long that is, on CLOCK_MONOTONIC, nanoseconds.
    pub lasted_ns: u64,
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
            lasted_ns: clock_ns(ClockId::CLOCK_MONOTONIC) as u64,
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
            lasted_ns: self.lasted_ns.saturating_sub(earlier.lasted_ns),
            thread_ns: self.thread_ns.saturating_sub(earlier.thread_ns),
            starved_ns: self.starved_ns.saturating_sub(earlier.starved_ns),
            machine: [0, 1, 2].map(difference),
            clock_set_ns: self.clock_set_ns - earlier.clock_set_ns,
            suspended_ns: self.suspended_ns.saturating_sub(earlier.suspended_ns),
        }
    }

    /// Share of one processor the thread had in `time`, 0 to 1: a thread has no more than one.
    pub fn thread_share(&self, time: Duration) -> f64 {
        (self.thread_ns as f64 / time.as_ns().max(1) as f64).min(1.0)
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

/// Bytes of memory available: `MemAvailable`, or what the process's control groups leave of it, as in a container; none
/// where the system does not say.
pub fn memory_available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"));
    let kib = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok());
    let machine = kib.and_then(|kib| kib.checked_mul(1024));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let groups = group_memory(&groups, Path::new("/sys/fs/cgroup"));
    machine.into_iter().chain(groups).min()
}

/// What the groups in `/proc/self/cgroup` leave: those of version 2, and of version 1's memory controller.
fn group_memory(groups: &str, mounted: &Path) -> Option<u64> {
    let of_line = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let (base, files) = match controllers {
            "" => (mounted.to_owned(), ["memory.max", "memory.current"]),
            "memory" => (
                mounted.join("memory"),
                ["memory.limit_in_bytes", "memory.usage_in_bytes"],
            ),
            _ => return None,
        };
        // A group has no more than those above it; a container may see its own as the root, whatever the path says.
        let own = base.join(path.trim_start_matches('/'));
        let all = own.ancestors().take_while(|g| g.starts_with(&base));
        all.filter_map(|group| left(group, files)).min()
    };
    groups.lines().filter_map(of_line).min()
}

/// What one group leaves. Files it has read and nobody uses are given up when memory is wanted.
fn left(group: &Path, [most, used]: [&str; 2]) -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        let text = fs::read_to_string(group.join(file)).ok()?;
        text.trim().parse().ok()
    };
    let (most, used) = (number(most)?, number(used)?);
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cache = |name: &str| {
        stat.lines()
            .find_map(|l| l.strip_prefix(name)?.trim().parse::<u64>().ok())
    };
    let cache = cache("total_inactive_file ").or_else(|| cache("inactive_file "));
    Some(most.saturating_sub(used.saturating_sub(cache.unwrap_or(0))))
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
    fn a_container_has_the_memory_its_group_leaves() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write("a/memory.max", "1000\n");
        write("a/memory.current", "700\n");
        write("a/memory.stat", "anon 500\ninactive_file 200\n");
        write("a/b/memory.max", "max\n");
        write("a/b/memory.current", "600\n");
        let of = |groups: &str| group_memory(groups, folder.path());
        assert_eq!(of("0::/a/b\n"), Some(500));
        assert_eq!(of("0::/\n"), None);
        assert_eq!(of("0::/../elsewhere\n"), None);
        write("memory/memory.limit_in_bytes", "9000\n");
        write("memory/memory.usage_in_bytes", "1000\n");
        let one = "5:cpu,cpuacct:/x\n4:memory:/docker/0123\n";
        assert_eq!(of(one), Some(8000));
        assert_eq!(of(&format!("{one}0::/a\n")), Some(500));
        assert_eq!(of(""), None);
    }

    #[test]
    fn work_shows() {
        let before = Audit::now();
        let mut sum = 0_u64;
        for n in 0..10_000_000_u64 {
            sum = std::hint::black_box(sum.wrapping_add(n));
        }
        let worked = Audit::now().since(&before);
        assert!(worked.thread_ns > 0 && worked.lasted_ns > 0);
        // Both are of one span, but for the instants between two readings.
        assert_eq!(
            worked.thread_share(Duration::from_ns(worked.thread_ns / 2)),
            1.0
        );
    }
}
