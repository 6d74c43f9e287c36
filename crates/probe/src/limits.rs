//! What limited a connection: the kernel's own timers, and where they are silent the state of its
//! congestion control.
//!
//! The kernel counts, in ticks of some milliseconds, how long a connection had data (`busy`), and of
//! that how long the receiver's window and the send buffer held it back. What is left of `busy` the
//! congestion window held back: in slow start, in recovery or after it, or repairing a loss. A
//! connection that was not busy waited for its application.

use std::collections::BTreeMap;

use crate::records::Overrule;
use crate::report::{Sample, TcpReceiveReport, TcpSendReport};

/// Times are taken together over this long: many of the kernel's ticks.
const WINDOW_NS: u64 = 100_000_000;

/// A thread that ran this share of the time had hardly a pause.
const BUSY: f64 = 0.95;

/// `tcpi_ca_state` (`enum tcp_ca_state`).
const OPEN: u8 = 0;
const DISORDER: u8 = 1;
const LOSS: u8 = 4;

/// Shares of the time from the measurement's start to the end of writing, by limit; they sum to 1.
/// Empty when nothing was seen.
pub(crate) fn shares(
    flow: usize,
    source: &TcpSendReport,
    sink: Option<&TcpReceiveReport>,
    (start_ns, from_ns): (u64, u64),
    overrule: Overrule<'_>,
) -> BTreeMap<String, f64> {
    let mut times: BTreeMap<String, f64> = BTreeMap::new();
    let mut add = |name: &str, ns: f64| {
        if ns > 0.0 {
            *times.entry(name.to_owned()).or_default() += ns;
        }
    };
    // The handshake: nothing may be sent yet.
    let handshake = source
        .established_ns
        .saturating_sub(from_ns.max(source.opened_ns));
    add("cwnd_slow_start", handshake as f64);
    let mut before = Sample {
        t_ns: source.established_ns,
        ..Sample::default()
    };
    let mut looks: Vec<&Sample> = Vec::new();
    // What a window's ticks were ahead of its time.
    let mut debt = 0.0;
    for (number, sample) in source.samples.iter().enumerate() {
        looks.push(sample);
        let last = number + 1 == source.samples.len();
        if sample.t_ns - before.t_ns.min(sample.t_ns) < WINDOW_NS && !last && sample.t_ns > from_ns
        {
            continue;
        }
        if sample.t_ns > from_ns {
            let window = Window {
                from: before,
                looks: &looks,
            };
            let cpu = sink.is_some_and(|sink| reader_was_busy(sink, start_ns, &window));
            match overrule(flow, before.t_ns, sample.t_ns) {
                Some(name) => add(name, window.ns()),
                None if cpu || window.writer_was_busy() => add("host_cpu", window.ns()),
                None => debt = window.account(debt, &mut add),
            }
        }
        before = *sample;
        looks.clear();
    }
    let sum: f64 = times.values().sum();
    times.values_mut().for_each(|share| *share /= sum);
    times
}

/// Consecutive looks at a connection, and the one before them.
struct Window<'a> {
    from: Sample,
    looks: &'a [&'a Sample],
}

impl Window<'_> {
    fn last(&self) -> &Sample {
        self.looks.last().copied().unwrap_or(&self.from)
    }

    fn ns(&self) -> f64 {
        self.last().t_ns.saturating_sub(self.from.t_ns) as f64
    }

    fn spent(&self, timer: fn(&Sample) -> u64) -> f64 {
        timer(self.last()).saturating_sub(timer(&self.from)) as f64 * 1000.0
    }

    fn writer_was_busy(&self) -> bool {
        // Before the first look nothing is known of the thread's time.
        let spent = self.last().cpu_ns.saturating_sub(self.from.cpu_ns) as f64;
        self.from.cpu_ns > 0 && spent >= BUSY * self.ns() && self.ns() >= WINDOW_NS as f64 / 2.0
    }

    /// Shares the window out; returns by how much the ticks are ahead of the clock.
    fn account(&self, debt: f64, add: &mut impl FnMut(&str, f64)) -> f64 {
        let busy = self.spent(|s| s.busy_us);
        let (rwnd, sndbuf) = (self.spent(|s| s.rwnd_us), self.spent(|s| s.sndbuf_us));
        let idle = self.ns() - busy - debt;
        add("application", idle);
        add("receive_window", rwnd);
        add("send_buffer", sndbuf);
        let rest = (busy - rwnd - sndbuf).max(0.0);
        let mut since = self.from.t_ns;
        for look in self.looks {
            let part = look.t_ns.saturating_sub(since) as f64 / self.ns().max(1.0);
            add(of_state(look), rest * part);
            since = look.t_ns;
        }
        (-idle).max(0.0)
    }
}

/// What the congestion control of a look means.
fn of_state(look: &Sample) -> &'static str {
    match look.state {
        LOSS => "loss",
        OPEN | DISORDER if look.ssthresh.is_none_or(|s| look.cwnd < s) => "cwnd_slow_start",
        _ => "cwnd_recovery",
    }
}

/// Whether the thread that read had hardly a pause during a window.
fn reader_was_busy(sink: &TcpReceiveReport, start_ns: u64, window: &Window<'_>) -> bool {
    let every = sink.every_ns.max(1);
    let interval = |t: u64| (t.saturating_sub(start_ns) / every) as usize;
    // Whole intervals inside the window.
    let (from, to) = (interval(window.from.t_ns) + 1, interval(window.last().t_ns));
    let Some(cpu) = sink.cpu_ns.get(from..to).filter(|cpu| !cpu.is_empty()) else {
        return false;
    };
    let spent: u64 = cpu.iter().sum();
    let whole = cpu.len() as f64 * every as f64;
    spent as f64 >= BUSY * whole && whole >= WINDOW_NS as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn no_overrule(_: usize, _: u64, _: u64) -> Option<&'static str> {
        None
    }

    /// A look every 10 ms from 0 on; `timers` gives busy, rwnd and sndbuf in ms.
    fn report(count: u64, look: impl Fn(u64) -> Sample) -> TcpSendReport {
        let samples = (0..=count).map(|n| Sample {
            t_ns: n * 10 * MS,
            ..look(n)
        });
        TcpSendReport {
            samples: samples.collect(),
            ..TcpSendReport::default()
        }
    }

    fn shares_of(report: &TcpSendReport, from_ms: u64) -> BTreeMap<String, f64> {
        shares(0, report, None, (0, from_ms * MS), &no_overrule)
    }

    fn assert_share(shares: &BTreeMap<String, f64>, name: &str, wanted: f64) {
        let found = shares.get(name).copied().unwrap_or(0.0);
        assert!((found - wanted).abs() < 1e-9, "{name}: {shares:?}");
    }

    #[test]
    fn timers_of_the_kernel_are_shares_of_the_time() {
        // Of each 10 ms: 8 busy, of these 4 at the receiver's window and 1 at the send buffer.
        let report = report(100, |n| Sample {
            busy_us: n * 8000,
            rwnd_us: n * 4000,
            sndbuf_us: n * 1000,
            cwnd: 10,
            ssthresh: Some(10),
            ..Sample::default()
        });
        let shares = shares_of(&report, 0);
        assert_share(&shares, "application", 0.2);
        assert_share(&shares, "receive_window", 0.4);
        assert_share(&shares, "send_buffer", 0.1);
        assert_share(&shares, "cwnd_recovery", 0.3);
        assert!((shares.values().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn ticks_of_the_kernel_are_no_idle_time() {
        // Always busy, but the timer moves by 40 ms at a time.
        let report = report(100, |n| Sample {
            busy_us: (n * 10).div_ceil(40) * 40_000,
            cwnd: 1,
            ..Sample::default()
        });
        let shares = shares_of(&report, 0);
        assert_share(&shares, "cwnd_slow_start", 1.0);
    }

    #[test]
    fn states_share_out_what_the_window_held_back() {
        let report = report(100, |n| Sample {
            busy_us: n * 10_000,
            state: match n {
                0..=50 => OPEN,
                51..=75 => 3,
                _ => LOSS,
            },
            cwnd: 5,
            ssthresh: (n > 50).then_some(5),
            ..Sample::default()
        });
        let shares = shares_of(&report, 0);
        assert_share(&shares, "cwnd_slow_start", 0.5);
        assert_share(&shares, "cwnd_recovery", 0.25);
        assert_share(&shares, "loss", 0.25);
        // The account begins with the measurement.
        let later = shares_of(&report, 500);
        assert_share(&later, "cwnd_slow_start", 0.0);
        assert_share(&later, "loss", 0.5);
    }

    #[test]
    fn handshakes_and_busy_threads_and_links_are_seen() {
        let mut busy = report(100, |n| Sample {
            busy_us: n * 10_000,
            cpu_ns: 1 + n * 10 * MS,
            ..Sample::default()
        });
        assert!(shares_of(&busy, 0)["host_cpu"] > 0.85);
        let full: Overrule<'_> = &|_, from, _| (from >= 500 * MS).then_some("link");
        let shares = shares(0, &busy, None, (0, 0), full);
        assert!((shares["link"] - 0.5).abs() < 0.06, "{shares:?}");
        busy.samples.clear();
        busy.established_ns = 10;
        assert_share(&shares_of(&busy, 0), "cwnd_slow_start", 1.0);
    }
}
