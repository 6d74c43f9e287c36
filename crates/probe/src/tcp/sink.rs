//! The end of a connection that reads.

use std::os::fd::AsFd;

use nix::errno::Errno;

use crate::job::{Span, TcpWork};
use crate::report::TcpReceiveReport;
use crate::socket::{Opened, Prepared, SocketError, refused};
use crate::sys;
use crate::watch::{READ, Watch, Woken};

/// Bytes taken from the kernel at once.
const READ_BYTES: usize = 1 << 20;

/// Intervals kept at most; then two become one.
const MOST_INTERVALS: usize = 8192;

/// What a connection's reading end has been given.
#[derive(Debug)]
pub(crate) struct Sink {
    span: Span,
    report: TcpReceiveReport,
    cpu_ns: u64,
}

impl Sink {
    pub(crate) fn new(opened: &Opened, span: Span, notes: Vec<String>) -> Sink {
        Sink {
            span,
            report: TcpReceiveReport {
                opened_ns: opened.opened_ns,
                last_ns: span.start,
                every_ns: span.every.max(1),
                notes,
                ..TcpReceiveReport::default()
            },
            cpu_ns: sys::thread_cpu_ns(),
        }
    }

    /// Bytes delivered so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.report.bytes
    }

    /// `bytes` were delivered at `now`.
    pub(crate) fn deliver(&mut self, now: u64, bytes: u64) {
        let report = &mut self.report;
        report.bytes += bytes;
        report.last_ns = now;
        let measured = now >= self.span.from && self.span.until.is_none_or(|until| now < until);
        report.measured += if measured { bytes } else { 0 };
        let since = now.saturating_sub(self.span.counted);
        while since / report.every_ns >= MOST_INTERVALS as u64 {
            halve(&mut report.delivered);
            halve(&mut report.cpu_ns);
            report.every_ns *= 2;
        }
        let interval = (since / report.every_ns) as usize;
        if report.delivered.len() <= interval {
            // Processor time is asked for once an interval: it belongs to the one that is over.
            let cpu_ns = sys::thread_cpu_ns();
            if let Some(last) = report.cpu_ns.last_mut() {
                *last += cpu_ns - self.cpu_ns;
            }
            self.cpu_ns = cpu_ns;
            report.delivered.resize(interval + 1, 0);
            report.cpu_ns.resize(interval + 1, 0);
        }
        report.delivered[interval] += bytes;
    }

    /// The report.
    pub(crate) fn end(self) -> TcpReceiveReport {
        self.report
    }
}

/// Makes one interval of two.
fn halve(intervals: &mut Vec<u64>) {
    let pairs = intervals.chunks(2).map(|pair| pair.iter().sum());
    *intervals = pairs.collect();
}

/// Reads until the other end has ended the connection, or has ended and nothing came for a while.
pub(crate) fn receive(
    prepared: Prepared,
    work: &TcpWork,
    watch: &Watch,
) -> Result<TcpReceiveReport, SocketError> {
    let notes = prepared.notes.clone();
    let opened = prepared.open(watch, work.span.start)?;
    let mut sink = Sink::new(&opened, work.span, notes);
    read(&opened, &mut sink, watch)?;
    Ok(sink.end())
}

fn read(opened: &Opened, sink: &mut Sink, watch: &Watch) -> Result<(), SocketError> {
    let span = sink.span;
    loop {
        match opened.discard(READ_BYTES) {
            Ok(0) => return Ok(()),
            Ok(bytes) => sink.deliver(watch.clock.now(), bytes as u64),
            Err(error) if sys::would_block(error) => {
                // The word that it is over may be lost.
                let last = span.until.map_or(u64::MAX, |until| {
                    until.max(sink.report.last_ns).saturating_add(span.settle)
                });
                let woken = refused("wait", watch.socket(opened.socket.as_fd(), READ, last))?;
                if woken != Woken::Ready {
                    return Ok(());
                }
            }
            // The end of a test of some time: see `source::send`.
            Err(Errno::ECONNRESET) => {
                if span.until.is_none() || watch.clock.now() < span.until.unwrap_or(0) {
                    let note = "the other end closed the connection before its time";
                    sink.report.notes.push(note.to_owned());
                }
                return Ok(());
            }
            Err(error) => return refused("receive", Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sink(until: Option<u64>) -> Sink {
        let span = Span {
            start: 1000,
            from: 3000,
            until,
            settle: 0,
            every: 1000,
            counted: 1000,
        };
        Sink {
            span,
            report: TcpReceiveReport {
                every_ns: span.every,
                ..TcpReceiveReport::default()
            },
            cpu_ns: sys::thread_cpu_ns(),
        }
    }

    #[test]
    fn the_measurement_has_its_first_instant_and_not_its_last() {
        let mut sink = sink(Some(5000));
        for (now, bytes) in [(2999, 1), (3000, 2), (4999, 4), (5000, 8)] {
            sink.deliver(now, bytes);
        }
        let report = sink.end();
        assert_eq!((report.bytes, report.measured), (15, 6));
        assert_eq!(report.last_ns, 5000);
        assert_eq!(report.delivered, [0, 1, 2, 4, 8]);
    }

    #[test]
    fn a_long_test_has_longer_intervals_and_no_more_of_them() {
        let mut sink = sink(None);
        for n in 0..40_000 {
            sink.deliver(1000 + n * 1000, 1);
        }
        let report = sink.end();
        assert_eq!(report.every_ns, 8000);
        assert_eq!(report.delivered.len(), 5000);
        assert_eq!(report.cpu_ns.len(), 5000);
        assert!(report.delivered.iter().all(|bytes| *bytes == 8));
    }
}
