//! The end that datagrams reach.

use std::os::fd::AsFd;

use nix::errno::Errno;

use farpath_record::{Missing, Seen};

use super::Prepared;
use crate::datagram::HEADER;
use crate::job::UdpReceiveWork;
use crate::report::UdpReceiveReport;
use crate::socket::{SocketError, refused};
use crate::sys::{self, Inbox};
use crate::watch::{READ, Watch, Woken};

/// Counts what arrives; by the simulator's rules.
#[derive(Debug)]
struct Counts {
    from_ns: u64,
    until_ns: u64,
    seen: Seen,
    missing: Missing,
    highest: Option<u64>,
    transit_ns: i64,
    report: UdpReceiveReport,
}

impl Counts {
    fn new(from_ns: u64, until_ns: u64) -> Counts {
        Counts {
            from_ns,
            until_ns,
            seen: Seen::new(),
            missing: Missing::default(),
            highest: None,
            transit_ns: 0,
            report: UdpReceiveReport::default(),
        }
    }

    fn datagram(&mut self, number: u64, sent_ns: u64, now: u64, bytes: u64) -> bool {
        let report = &mut self.report;
        if !self.seen.is_new(number) {
            report.duplicates += 1;
            return false;
        }
        self.missing.came(number, now);
        report.received += u64::from(sent_ns >= self.from_ns);
        report.total_bytes += bytes;
        if now >= self.from_ns && now < self.until_ns {
            report.bytes += bytes;
        }
        let transit_ns = now.cast_signed().saturating_sub(sent_ns.cast_signed());
        if let Some(highest) = self.highest {
            let change = transit_ns.abs_diff(self.transit_ns) as f64;
            report.jitter_ns += (change - report.jitter_ns) / 16.0;
            report.reordered += u64::from(number < highest);
        }
        self.highest = self.highest.max(Some(number));
        self.transit_ns = transit_ns;
        true
    }
}

/// Receives a stream until all of it is there, or nothing came for a while after its end.
pub(crate) fn receive(
    prepared: Prepared,
    work: &UdpReceiveWork,
    watch: &Watch,
) -> Result<UdpReceiveReport, SocketError> {
    let mut counts = Counts::new(work.span.from, work.span.until.unwrap_or(u64::MAX));
    let notes = hear(prepared, work, watch, |number, sent_ns, now| {
        counts.datagram(number, sent_ns, now, work.size.into())
    })?;
    Ok(UdpReceiveReport {
        notes,
        missing: counts.missing.series(),
        ..counts.report
    })
}

/// Tells `take` of every datagram its number, when it was sent and when it arrived, until it has said of all that they
/// were new, or nothing came for a while after their end. What a reader must know comes back.
pub(crate) fn hear(
    prepared: Prepared,
    work: &UdpReceiveWork,
    watch: &Watch,
    mut take: impl FnMut(u64, u64, u64) -> bool,
) -> Result<Vec<String>, SocketError> {
    let (socket, mut notes) = (prepared.socket, prepared.notes);
    let span = work.span;
    let until_ns = span.until.unwrap_or(u64::MAX);
    let mut inbox = Inbox::new((work.size as usize).max(HEADER) + 1);
    let (mut heard, mut last_ns, mut without_stamp, mut dropped) = (0, 0, 0_u64, 0);
    while heard < work.expected {
        let datagram = match inbox.receive(socket.as_fd()) {
            Ok(datagram) => datagram,
            Err(error) if sys::would_block(error) => {
                let last = until_ns.max(last_ns).saturating_add(span.settle);
                let woken = refused("wait", watch.socket(socket.as_fd(), READ, last))?;
                if woken != Woken::Ready {
                    break;
                }
                continue;
            }
            Err(Errno::ECONNREFUSED) => continue,
            Err(error) => return refused("receive", Err(error)),
        };
        let stamped = datagram
            .realtime_ns
            .and_then(|t| watch.clock.of_realtime(t));
        without_stamp += u64::from(stamped.is_none());
        let now = stamped.unwrap_or_else(|| watch.clock.now());
        dropped = datagram.dropped.unwrap_or(dropped);
        last_ns = now;
        // Whatever else comes to this port is not the test's.
        let (number, sent_ns) = (eight(&inbox.bytes, 0), eight(&inbox.bytes, 8));
        if datagram.len == work.size as usize && number < work.expected {
            heard += u64::from(take(number, sent_ns, now));
        }
    }
    if without_stamp > 0 {
        notes.push(format!(
            "{without_stamp} datagrams have no receive timestamp of the kernel: theirs are the program's"
        ));
    }
    if dropped > 0 {
        notes.push(format!(
            "the receiving socket dropped {dropped} datagrams for want of room: the program was too slow, not the path"
        ));
    }
    Ok(notes)
}

fn eight(bytes: &[u8], at: usize) -> u64 {
    let field = bytes.get(at..at + 8).and_then(|b| b.try_into().ok());
    u64::from_be_bytes(field.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_reordering_and_copies_are_told_apart() {
        let mut counts = Counts::new(100, 1000);
        // (number, sent, received): 2 overtook 1, 3 is lost, 4 came twice, 5 too late.
        let all = [
            (0, 50, 150),
            (2, 300, 400),
            (1, 200, 410),
            (4, 800, 900),
            (4, 800, 901),
            (5, 950, 1050),
        ];
        for (number, sent, now) in all {
            counts.datagram(number, sent, now, 10);
        }
        let report = counts.report;
        assert_eq!(
            report.received, 4,
            "the first was sent before the measurement"
        );
        assert_eq!((report.total_bytes, report.bytes), (50, 40));
        assert_eq!((report.reordered, report.duplicates), (1, 1));
        // Transits 100, 100, 210, 100, 100 (RFC 3550 §6.4.1).
        let mut jitter = 0.0;
        for change in [0.0, 110.0, 110.0, 0.0] {
            jitter += (change - jitter) / 16.0;
        }
        assert!((report.jitter_ns - jitter).abs() < 1e-9);
    }
}
