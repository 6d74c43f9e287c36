//! A stream of datagrams: sent when they are due, counted where they arrive.
//!
//! A payload begins with the datagram's number and the instant it was sent, nanoseconds of the run,
//! 8 bytes each, most significant first; zeroes follow.

mod sink;

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::sockopt::{ReceiveTimestampns, RxqOvfl, UdpGsoSegment};
use nix::sys::socket::{SockType, setsockopt};

use crate::datagram::{HEADER, MOST_BYTES};
use crate::job::{Due, Ends, UdpSendWork};
use crate::report::UdpSendReport;
use crate::socket::{
    RECEIVE_BUFFER, SEND_BUFFER, SocketError, refused, set_buffer, set_class, set_mark,
    set_unfragmented,
};
use crate::sys;
use crate::watch::{WRITE, Watch, Woken};

pub(crate) use sink::{hear, receive};

/// What is asked of the kernel for datagrams that wait: half a second of 1 Gbit/s.
const BUFFER: u64 = 64 << 20;

/// Closer together than this they leave several at a time: a call takes a few microseconds.
const CLOSE_NS: u64 = 15_000;

/// Several at a time are due within this.
const BATCH_NS: u64 = 50_000;

/// Most segments of one call (`UDP_MAX_SEGMENTS` of the kernels before 6.9).
const MOST_SEGMENTS: u64 = 64;

/// From here on it is not slept any more: what a wake-up is late by.
const SPIN_NS: u64 = 60_000;

/// An end's socket, bound and connected, with its notes.
pub(crate) struct Prepared {
    socket: OwnedFd,
    notes: Vec<String>,
}

impl Prepared {
    pub(crate) fn new(ends: &Ends) -> Result<Prepared, SocketError> {
        let socket = sys::socket(ends.local.ip(), SockType::Datagram, None);
        let socket = refused("open a UDP socket", socket)?;
        let fd = socket.as_fd();
        set_mark(fd, ends.mark)?;
        set_class(fd, ends)?;
        set_unfragmented(fd, ends.local.ip())?;
        let notes = [
            set_buffer(fd, RECEIVE_BUFFER, BUFFER)?,
            set_buffer(fd, SEND_BUFFER, BUFFER)?,
        ];
        let stamps = setsockopt(&fd, ReceiveTimestampns, &true);
        refused("set SO_TIMESTAMPNS", stamps)?;
        refused("set SO_RXQ_OVFL", setsockopt(&fd, RxqOvfl, &1))?;
        let (local, remote) = (ends.local, ends.remote);
        refused(&format!("bind to {local}"), sys::bind(fd, local))?;
        refused(&format!("connect to {remote}"), sys::connect(fd, remote))?;
        Ok(Prepared {
            socket,
            notes: notes.into_iter().flatten().collect(),
        })
    }
}

/// When datagrams are due, one after the other.
struct Schedule<'a> {
    due: &'a Due,
    size: u64,
    start_ns: u64,
    number: u64,
    /// Of the gaps so far.
    sum_ns: u64,
}

impl<'a> Schedule<'a> {
    fn new(work: &'a UdpSendWork) -> Schedule<'a> {
        Schedule {
            due: &work.due,
            size: work.size.into(),
            start_ns: work.span.start,
            number: 0,
            sum_ns: 0,
        }
    }

    /// When the next one is due; none when there are no more.
    fn next(&self) -> Option<u64> {
        match self.due {
            Due::Rate(rate) => {
                let bits = u128::from(self.number) * u128::from(self.size) * 8_000_000_000;
                let ns = bits / u128::from((*rate).max(1));
                u64::try_from(ns).ok()?.checked_add(self.start_ns)
            }
            Due::Gaps(gaps) => {
                let gap = *gaps.get(usize::try_from(self.number).ok()?)?;
                self.start_ns.checked_add(self.sum_ns)?.checked_add(gap)
            }
        }
    }

    fn advance(&mut self) {
        if let Due::Gaps(gaps) = self.due {
            let gap = gaps.get(self.number as usize).copied().unwrap_or(0);
            self.sum_ns = self.sum_ns.saturating_add(gap);
        }
        self.number += 1;
    }

    /// How many leave together: one, unless they are too close for that.
    fn batch(&self) -> u64 {
        let Due::Rate(rate) = self.due else { return 1 };
        let gap = (self.size * 8_000_000_000) / (*rate).max(1);
        if gap >= CLOSE_NS {
            return 1;
        }
        let due = BATCH_NS / gap.max(1);
        due.min(MOST_SEGMENTS)
            .min(MOST_BYTES / self.size.max(1))
            .max(1)
    }
}

/// Sends a stream.
pub(crate) fn send(
    prepared: Prepared,
    work: &UdpSendWork,
    watch: &Watch,
) -> Result<UdpSendReport, SocketError> {
    let socket = prepared.socket;
    let mut report = UdpSendReport {
        notes: prepared.notes,
        ..UdpSendReport::default()
    };
    let mut schedule = Schedule::new(work);
    let size = work.size as usize;
    if size < HEADER {
        let error = io::Error::from(io::ErrorKind::InvalidInput);
        return refused(
            &format!("send {size} bytes of {HEADER} or more"),
            Err(error),
        );
    }
    let mut batch = schedule.batch() as usize;
    if batch > 1 {
        match setsockopt(&socket, UdpGsoSegment, &(size as i32)) {
            Ok(()) => report.notes.push(together(batch)),
            Err(_) => batch = 1,
        }
    }
    let mut bytes = vec![0; size * batch];
    let stop_ns = work.span.until.unwrap_or(u64::MAX);
    loop {
        // Those that leave together: when the last of them is due.
        let (first, mut due_ns, mut count) = (schedule.number, 0, 0);
        while count < batch {
            match schedule.next().filter(|due| *due < stop_ns) {
                Some(due) => due_ns = due,
                None => break,
            }
            schedule.advance();
            count += 1;
        }
        if count == 0 || wait_until(watch, due_ns)? == Woken::Stopped {
            break;
        }
        let now = watch.clock.now();
        if now >= stop_ns {
            break; // A program that is late sends no more than there was time for.
        }
        report.late_max_ns = report.late_max_ns.max(now - due_ns);
        number(&mut bytes[..size * count], size, first, now);
        if !put(&socket, &bytes[..size * count], watch, stop_ns)? {
            break;
        }
        report.sent += count as u64;
        report.measured += if now >= work.span.from {
            count as u64
        } else {
            0
        };
    }
    Ok(report)
}

/// Hands datagrams to the kernel; `false` when there is no room for them before the end.
fn put(socket: &OwnedFd, bytes: &[u8], watch: &Watch, stop_ns: u64) -> Result<bool, SocketError> {
    while let Err(error) = sys::send(socket.as_fd(), bytes) {
        match error {
            Errno::EAGAIN | Errno::EINTR | Errno::ENOBUFS => {
                let woken = watch.socket(socket.as_fd(), WRITE, stop_ns);
                if refused("wait for room", woken)? != Woken::Ready {
                    return Ok(false);
                }
            }
            // An ICMP message about an earlier datagram: it says nothing of this one.
            Errno::ECONNREFUSED | Errno::EHOSTUNREACH | Errno::ENETUNREACH => {}
            _ => return refused("send", Err(error)),
        }
    }
    Ok(true)
}

fn together(batch: usize) -> String {
    format!(
        "datagrams leave {batch} at a time (UDP_SEGMENT): the first when the last of them is due"
    )
}

/// Writes numbers from `first` on, and the instant, into datagrams of `size` bytes.
fn number(datagrams: &mut [u8], size: usize, first: u64, now: u64) {
    for (n, datagram) in datagrams.chunks_exact_mut(size).enumerate() {
        datagram[..8].copy_from_slice(&(first + n as u64).to_be_bytes());
        datagram[8..HEADER].copy_from_slice(&now.to_be_bytes());
    }
}

/// Waits until an instant to the microsecond: asleep first, and awake for the last of it.
fn wait_until(watch: &Watch, t_ns: u64) -> Result<Woken, SocketError> {
    if watch.clock.now() >= t_ns {
        return Ok(if watch.stopped() {
            Woken::Stopped
        } else {
            Woken::Due
        });
    }
    let woken = watch.until(t_ns.saturating_sub(SPIN_NS));
    if refused("wait", woken)? == Woken::Stopped {
        return Ok(Woken::Stopped);
    }
    while watch.clock.now() < t_ns {
        std::hint::spin_loop();
    }
    Ok(Woken::Due)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Span;

    fn work(size: u32, due: Due) -> UdpSendWork {
        let address = "127.0.0.1:9".parse().expect("an address");
        UdpSendWork {
            ends: Ends {
                local: address,
                remote: address,
                class: 0,
                mark: 0,
            },
            span: Span {
                start: 1000,
                from: 1000,
                until: None,
                settle: 0,
                every: 1,
                counted: 0,
            },
            size,
            due,
        }
    }

    fn due(work: &UdpSendWork, count: usize) -> Vec<Option<u64>> {
        let mut schedule = Schedule::new(work);
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(schedule.next());
            schedule.advance();
        }
        all
    }

    #[test]
    fn equal_gaps_never_add_up_to_another_rate() {
        // 1000 bytes at 3 Mbit/s: 2 666 666 and two thirds of a nanosecond.
        let work = work(1000, Due::Rate(3_000_000));
        let all = due(&work, 4);
        assert_eq!(all, [1000, 2_667_666, 5_334_333, 8_001_000].map(Some));
    }

    #[test]
    fn gaps_come_to_an_end() {
        let work = work(1000, Due::Gaps(vec![0, 5, 0, 7]));
        assert_eq!(
            due(&work, 5),
            [Some(1000), Some(1005), Some(1005), Some(1012), None]
        );
    }

    #[test]
    fn only_what_is_too_close_leaves_together() {
        let batch = |size, rate| Schedule::new(&work(size, Due::Rate(rate))).batch();
        assert_eq!(batch(1472, 100_000_000), 1);
        // 1.18 µs apart: 42 in 50 µs, and 44 fit in a call.
        assert_eq!(batch(1472, 10_000_000_000), 42);
        assert_eq!(batch(8972, 100_000_000_000), 7);
        assert_eq!(batch(65_000, u64::MAX), 1);
    }
}
