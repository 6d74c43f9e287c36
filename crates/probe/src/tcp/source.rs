//! The end of a connection that writes.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::sockopt::{SndBuf, TcpMaxSeg};
use nix::sys::socket::{Shutdown, getsockopt, shutdown};

use super::info::TcpInfo;
use crate::job::{Span, TcpWork};
use crate::report::{Sample, TcpSendReport};
use crate::socket::{self, Opened, Prepared, SocketError, refused};
use crate::sys;
use crate::watch::{READ, WRITE, Watch, Woken};

/// Bytes offered to the kernel at once, at most.
const WRITE_BYTES: usize = 256 * 1024;

/// What is written.
static ZEROES: [u8; WRITE_BYTES] = [0; WRITE_BYTES];

/// How much of its send buffer a connection is offered at once. A kernel may hold much more than the buffer where it is
/// offered more: Linux 6.18 took 256 KiB whole into an empty one of 64 KiB, and had up to 330 kB in flight.
const BUFFER_SHARE: usize = 4;

/// What is to be written into a connection: zeroes.
#[derive(Debug)]
pub(crate) struct Outgoing {
    /// How many.
    pub(crate) left: u64,
    /// Bytes offered at once; 0 where the send buffer, which grows, is read first.
    piece: usize,
}

impl Outgoing {
    pub(crate) fn new(left: u64) -> Outgoing {
        Outgoing { left, piece: 0 }
    }

    /// Offers the kernel some of it: how much it took, or none when there is no room.
    pub(crate) fn offer(&mut self, socket: BorrowedFd<'_>) -> Result<Option<u64>, SocketError> {
        if self.piece == 0 {
            self.piece = piece(socket)?;
        }
        let bytes = self.left.min(self.piece as u64) as usize;
        match sys::send(socket, &ZEROES[..bytes]) {
            Ok(sent) => {
                self.left -= sent as u64;
                Ok(Some(sent as u64))
            }
            Err(error) if sys::would_block(error) => {
                self.piece = 0;
                Ok(None)
            }
            Err(error) => refused("send", Err(error)),
        }
    }
}

/// Whole segments in a share of the send buffer, one at least.
fn piece(socket: BorrowedFd<'_>) -> Result<usize, SocketError> {
    let buffer = refused("read SO_SNDBUF", getsockopt(&socket, SndBuf))?;
    let segment = refused("read TCP_MAXSEG", getsockopt(&socket, TcpMaxSeg))?;
    let segment = (segment as usize).max(1);
    let segments = (buffer / BUFFER_SHARE / segment).max(1);
    Ok(segments.saturating_mul(segment).min(WRITE_BYTES))
}

/// Most samples of a connection. When there are so many, every second one is forgotten, and samples are taken half as
/// often.
const MOST_SAMPLES: usize = 8192;

/// The shortest time between two samples; it grows to the series' interval.
const SHORTEST_NS: u64 = 1_000_000;

/// Samples in a round trip while a window grows that was never cut: slow start doubles it in that time, so that each is
/// within about a per cent of the next.
const OF_DOUBLING: u64 = 64;

/// The state of a connection's writing end: what has been seen of it.
#[derive(Debug)]
pub(crate) struct Source {
    report: TcpSendReport,
    /// When the next sample is due.
    next_ns: u64,
    every_ns: u64,
    quiet: bool,
    timers: bool,
}

impl Source {
    pub(crate) fn new(opened: &Opened, span: Span, quiet: bool, notes: Vec<String>) -> Source {
        Source {
            report: TcpSendReport {
                opened_ns: opened.opened_ns,
                established_ns: opened.established_ns,
                notes,
                ..TcpSendReport::default()
            },
            next_ns: opened.established_ns,
            every_ns: span.every,
            quiet,
            timers: true,
        }
    }

    /// When the connection's next sample is due.
    pub(crate) fn due(&self) -> u64 {
        self.next_ns
    }

    /// Notes that `bytes` more were written.
    pub(crate) fn wrote(&mut self, bytes: u64) {
        self.report.written += bytes;
    }

    /// Takes a sample of the connection if one is due.
    pub(crate) fn look(&mut self, socket: &OwnedFd, now: u64) -> Result<(), SocketError> {
        if now < self.next_ns {
            return Ok(());
        }
        if self.quiet {
            self.next_ns = u64::MAX;
            return Ok(());
        }
        self.sample(socket, now)?;
        if self.report.samples.len() >= MOST_SAMPLES {
            let mut number = 0;
            self.report.samples.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.every_ns *= 2;
        }
        self.next_ns = now + self.gap(now);
        Ok(())
    }

    /// Until the next sample: a fiftieth of the connection's age, and less in slow start.
    fn gap(&self, now: u64) -> u64 {
        let usual = now.saturating_sub(self.report.established_ns) / 50;
        let gap = match self.report.samples.as_slice() {
            [.., before, last] if last.ssthresh.is_none() && last.cwnd > before.cwnd => {
                usual.min(last.srtt_ns / OF_DOUBLING)
            }
            _ => usual,
        };
        gap.clamp(SHORTEST_NS, self.every_ns.max(SHORTEST_NS))
    }

    fn sample(&mut self, socket: &OwnedFd, now: u64) -> Result<TcpInfo, SocketError> {
        let info = refused("read TCP_INFO", TcpInfo::of(socket.as_fd()))?;
        self.timers = info.has_timers();
        let sample: Sample = info.sample(now, sys::thread_cpu_ns());
        self.report.samples.push(sample);
        Ok(info)
    }

    /// The last sample, and the report.
    pub(crate) fn end(mut self, socket: &OwnedFd, now: u64) -> Result<TcpSendReport, SocketError> {
        let info = self.sample(socket, now)?;
        self.report.ended_ns = now;
        self.report.retransmits = info.retransmits();
        self.report.rtos = info.rtos();
        self.report.rtt_min_ns = info.rtt_min_ns();
        if !self.timers {
            self.report.notes.push(
                "the kernel keeps no timers of what limited it (Linux before 4.10): shares are \
                 those of the congestion state"
                    .to_owned(),
            );
        }
        Ok(self.report)
    }
}

/// Writes a test's data, and samples the connection meanwhile.
pub(crate) fn send(
    prepared: Prepared,
    work: &TcpWork,
    watch: &Watch,
) -> Result<TcpSendReport, SocketError> {
    let notes = prepared.notes.clone();
    let opened = prepared.open(watch, work.span.start)?;
    let mut source = Source::new(&opened, work.span, work.quiet, notes);
    let socket = opened.socket;
    let stop_ns = work.span.until.unwrap_or(u64::MAX);
    let mut out = Outgoing::new(work.bytes.unwrap_or(u64::MAX));
    let whole = loop {
        let now = watch.clock.now();
        if now >= stop_ns || watch.stopped() {
            break false;
        }
        source.look(&socket, now)?;
        if out.left == 0 {
            break true;
        }
        if let Some(sent) = out.offer(socket.as_fd())? {
            source.wrote(sent);
            continue;
        }
        let until = stop_ns.min(source.due());
        let woken = watch.socket(socket.as_fd(), WRITE, until);
        if refused("wait for room", woken)? == Woken::Stopped {
            break false;
        }
    };
    if whole && drain(&mut source, &socket, watch, stop_ns)? {
        return source.end(&socket, watch.clock.now());
    }
    let report = source.end(&socket, watch.clock.now())?;
    // What was written and never left does not exist in the test.
    socket::abort(socket)?;
    Ok(report)
}

/// Ends the connection in order and waits until the other end has everything; `false` when there
/// was no time for it.
fn drain(
    source: &mut Source,
    socket: &OwnedFd,
    watch: &Watch,
    stop_ns: u64,
) -> Result<bool, SocketError> {
    let ended = shutdown(socket.as_raw_fd(), Shutdown::Write);
    refused("end the connection", ended)?;
    loop {
        let now = watch.clock.now();
        if now >= stop_ns {
            return Ok(false);
        }
        source.look(socket, now)?;
        match sys::discard(socket.as_fd(), WRITE_BYTES) {
            Ok(0) => return Ok(true),
            Ok(_) => {}
            Err(error) if sys::would_block(error) => {
                let until = stop_ns.min(source.due());
                let woken = watch.socket(socket.as_fd(), READ, until);
                if refused("wait for the end", woken)? == Woken::Stopped {
                    return Ok(false);
                }
            }
            Err(Errno::ECONNRESET) => return Ok(true),
            Err(error) => return refused("wait for the end", Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::libc;
    use nix::sys::socket::setsockopt;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_window_that_doubles_is_sampled_often() {
        const MS: u64 = 1_000_000;
        let mut source = Source {
            report: TcpSendReport::default(),
            next_ns: 0,
            every_ns: 100 * MS,
            quiet: false,
            timers: true,
        };
        let mut look = |cwnd, ssthresh| {
            source.report.samples.push(Sample {
                cwnd,
                ssthresh,
                srtt_ns: 128 * MS,
                ..Sample::default()
            });
            source.gap(1000 * MS)
        };
        assert_eq!(look(10, None), 20 * MS, "a fiftieth of the age");
        assert_eq!(look(11, None), 2 * MS, "a 64th of the round trip");
        assert_eq!(look(11, None), 20 * MS, "it stands");
        assert_eq!(look(12, Some(8)), 20 * MS, "slow start has ended");
    }

    #[test]
    fn a_small_buffer_is_offered_a_quarter_in_whole_segments() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
        let largest = sys::set(listener.as_fd(), libc::IPPROTO_TCP, libc::TCP_MAXSEG, 1448);
        largest.expect("an MSS");
        let stream = TcpStream::connect(listener.local_addr().expect("an address"));
        let stream = stream.expect("a connection");
        stream.set_nonblocking(true).expect("it may");
        let segment = getsockopt(&stream, TcpMaxSeg).expect("its MSS") as usize;
        let sized = |bytes: usize| setsockopt(&stream, SndBuf, &bytes).expect("a buffer");
        // The kernel doubles what it is asked for (socket(7)).
        sized(32 << 10);
        assert_eq!(
            piece(stream.as_fd()).expect("a piece"),
            16_384 / segment * segment
        );
        // Nobody reads at the other end.
        let mut out = Outgoing::new(u64::MAX);
        while let Some(sent) = out.offer(stream.as_fd()).expect("it is open") {
            assert!((1..=16_384).contains(&sent), "{sent}");
        }
        sized(1);
        let least = piece(stream.as_fd()).expect("a piece");
        assert_eq!(least, segment, "one at least");
    }
}
