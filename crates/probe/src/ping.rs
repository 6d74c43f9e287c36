//! Echo requests at an interval, and the round-trip times of their replies.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use farpath_record::Seen;
use nix::errno::Errno;
use nix::sys::socket::sockopt::{Ipv4Ttl, Ipv6Ttl, ReceiveTimestampns};
use nix::sys::socket::{MsgFlags, SockProtocol, SockType, SockaddrStorage, sendto, setsockopt};

use crate::icmp::{self, Heard};
use crate::job::{Ends, PingWork};
use crate::report::{PingError, PingReport};
use crate::socket::{
    RECEIVE_BUFFER, SocketError, refused, set_buffer, set_class, set_mark, set_unfragmented,
};
use crate::sys::{self, Datagram, Inbox};
use crate::watch::{READ, Watch, Woken};

/// IPv4 and IPv6 headers without options.
const IP_HEADERS: [usize; 2] = [20, 40];

/// Receive buffer: replies while the program has no processor for a moment. The kernel's own is full with a dozen large ones.
const BUFFER: u64 = 4 << 20;

/// Requests whose errors are reported one by one.
const MOST_ERRORS: u64 = 100;

/// A socket for echoes.
pub(crate) struct Prepared {
    socket: OwnedFd,
    /// A raw socket: it hears everybody's echoes and, over IPv4, with their IP header.
    raw: bool,
}

impl Prepared {
    /// A raw socket, or the kernel's own for echoes where that is not allowed.
    pub(crate) fn new(work: &PingWork) -> Result<Prepared, SocketError> {
        let v6 = work.local.is_ipv6();
        let protocol = if v6 {
            SockProtocol::IcmpV6
        } else {
            SockProtocol::Icmp
        };
        let open = |kind| sys::socket(work.local, kind, Some(protocol));
        let (socket, raw) = match open(SockType::Raw) {
            Ok(socket) => (socket, true),
            Err(_) => {
                let what = "open a socket for echoes (it needs CAP_NET_RAW, or a group in \
                            net.ipv4.ping_group_range)";
                (refused(what, open(SockType::Datagram))?, false)
            }
        };
        let fd = socket.as_fd();
        // Such a socket's port is its echoes' identifier.
        let port = if raw { 0 } else { work.identifier };
        let local = SocketAddr::new(work.local, port);
        refused(&format!("bind to {local}"), sys::bind(fd, local))?;
        let remote = SocketAddr::new(work.remote, 0);
        let (class, mark) = (work.class, work.mark);
        let ends = Ends {
            local,
            remote,
            class,
            mark,
        };
        set_mark(fd, mark)?;
        set_class(fd, &ends)?;
        set_unfragmented(fd, work.local)?;
        // Where less is allowed, less of a pause of the machine is bridged.
        _ = set_buffer(fd, RECEIVE_BUFFER, BUFFER)?;
        let ttl = i32::from(work.ttl);
        let result = if v6 {
            setsockopt(&fd, Ipv6Ttl, &ttl)
        } else {
            setsockopt(&fd, Ipv4Ttl, &ttl)
        };
        refused("set the TTL", result)?;
        let stamps = setsockopt(&fd, ReceiveTimestampns, &true);
        refused("set SO_TIMESTAMPNS", stamps)?;
        Ok(Prepared { socket, raw })
    }
}

/// A ping under way.
struct Pinger<'a> {
    work: &'a PingWork,
    prepared: &'a Prepared,
    watch: &'a Watch,
    report: PingReport,
    seen: Seen,
    /// When the requests without a reply were sent.
    pending: BTreeMap<u64, u64>,
    /// Requests that came to nothing.
    failed: u64,
    /// Replies whose time is the program's, not the kernel's.
    without_stamp: u64,
}

/// Pings.
pub(crate) fn ping(
    prepared: Prepared,
    work: &PingWork,
    watch: &Watch,
) -> Result<PingReport, SocketError> {
    let mut pinger = Pinger {
        work,
        prepared: &prepared,
        watch,
        report: PingReport::default(),
        seen: Seen::new(),
        pending: BTreeMap::new(),
        failed: 0,
        without_stamp: 0,
    };
    let sent_at = |n: u64| work.start.saturating_add(work.interval.saturating_mul(n));
    let settled = sent_at(work.count.saturating_sub(1)).saturating_add(work.timeout);
    let mut inbox = Inbox::new(65_536);
    loop {
        let now = watch.clock.now();
        while pinger.report.sent < work.count && sent_at(pinger.report.sent) <= now {
            pinger.request()?;
        }
        let all_sent = pinger.report.sent == work.count;
        let heard = pinger.report.replies.len() as u64 + pinger.failed;
        if all_sent && (heard >= work.count || now >= settled) {
            break;
        }
        let until = if all_sent {
            settled
        } else {
            sent_at(pinger.report.sent)
        };
        let woken = watch.socket(prepared.socket.as_fd(), READ, until);
        match refused("wait for a reply", woken)? {
            Woken::Stopped => break,
            Woken::Ready => pinger.hear(&mut inbox)?,
            Woken::Due => {}
        }
    }
    Ok(pinger.finish())
}

impl Pinger<'_> {
    fn request(&mut self) -> Result<(), SocketError> {
        let work = self.work;
        let v6 = work.local.is_ipv6();
        let number = self.report.sent;
        let len = (work.size as usize).saturating_sub(IP_HEADERS[usize::from(v6)]);
        let bytes = icmp::request(work.remote, work.identifier, number as u16, len);
        let remote = SockaddrStorage::from(SocketAddr::new(work.remote, 0));
        self.report.sent += 1;
        self.pending.insert(number, self.watch.clock.now());
        let socket = self.prepared.socket.as_raw_fd();
        match sendto(socket, &bytes, &remote, MsgFlags::MSG_NOSIGNAL) {
            Ok(_) => Ok(()),
            // As lost as if it had been dropped a moment later.
            Err(
                error @ (Errno::EMSGSIZE
                | Errno::ENOBUFS
                | Errno::EAGAIN
                | Errno::ENETUNREACH
                | Errno::EHOSTUNREACH
                | Errno::ECONNREFUSED),
            ) => {
                self.pending.remove(&number);
                self.unsent(number, error);
                Ok(())
            }
            Err(error) => refused("send an echo request", Err(error)),
        }
    }

    fn unsent(&mut self, number: u64, error: Errno) {
        self.failed += 1;
        if self.failed <= MOST_ERRORS {
            let error = std::io::Error::from(error);
            let note = format!("request {} was not sent: {error}", number + 1);
            self.report.notes.push(note);
        }
    }

    /// Takes everything that is there.
    fn hear(&mut self, inbox: &mut Inbox) -> Result<(), SocketError> {
        loop {
            match inbox.receive(self.prepared.socket.as_fd()) {
                Ok(datagram) => self.message(&inbox.bytes, &datagram),
                Err(error) if sys::would_block(error) => return Ok(()),
                // An error of an earlier request, without saying which.
                Err(
                    Errno::EHOSTUNREACH
                    | Errno::ENETUNREACH
                    | Errno::ECONNREFUSED
                    | Errno::EMSGSIZE,
                ) => {}
                Err(error) => return refused("receive a reply", Err(error)),
            }
        }
    }

    fn message(&mut self, buffer: &[u8], datagram: &Datagram) {
        let work = self.work;
        let stamped = datagram
            .realtime_ns
            .and_then(|t| self.watch.clock.of_realtime(t));
        let now = stamped.unwrap_or_else(|| self.watch.clock.now());
        let headed = self.prepared.raw && work.remote.is_ipv4();
        let bytes = &buffer[..datagram.len.min(buffer.len())];
        match icmp::read(bytes, work.remote, work.identifier, headed) {
            Some(Heard::Reply(sequence)) if datagram.from == Some(work.remote) => {
                self.reply(sequence, now, stamped.is_none());
            }
            Some(Heard::Failed(sequence, error, labels)) => {
                let number = self.number(sequence);
                let Some(sent) = self.pending.remove(&number) else {
                    return;
                };
                self.failed += 1;
                if self.failed <= MOST_ERRORS {
                    self.report.errors.push(PingError {
                        request: number + 1,
                        by: datagram.from,
                        error,
                        rtt_ns: now.saturating_sub(sent),
                        labels: labels.entries().iter().map(|e| e.label()).collect(),
                    });
                }
            }
            _ => {}
        }
    }

    fn reply(&mut self, sequence: u16, now: u64, without_stamp: bool) {
        let number = self.number(sequence);
        if number >= self.report.sent {
            return;
        }
        if !self.seen.is_new(number) {
            self.report.duplicates += 1;
            return;
        }
        let Some(sent) = self.pending.remove(&number) else {
            self.report.late += 1;
            return;
        };
        let rtt = now.saturating_sub(sent);
        if rtt <= self.work.timeout {
            self.report.replies.push((sent, rtt));
            self.without_stamp += u64::from(without_stamp);
        } else {
            self.report.late += 1;
        }
        // What is too old to be answered any more is forgotten.
        let oldest = now.saturating_sub(self.work.timeout);
        while let Some((number, sent)) = self.pending.first_key_value()
            && *sent < oldest
            && self.pending.len() > 1
        {
            let number = *number;
            self.pending.remove(&number);
        }
    }

    /// The youngest request of a sequence number, which has 16 bits only; `u64::MAX` if there was none.
    fn number(&self, sequence: u16) -> u64 {
        let last = self.report.sent.saturating_sub(1);
        let behind = (last as u16).wrapping_sub(sequence);
        last.checked_sub(behind.into()).unwrap_or(u64::MAX)
    }

    fn finish(mut self) -> PingReport {
        if self.failed > MOST_ERRORS {
            let more = self.failed - MOST_ERRORS;
            self.report
                .notes
                .push(format!("{more} requests more came to nothing"));
        }
        if self.without_stamp > 0 {
            self.report.notes.push(format!(
                "{} replies have no receive timestamp of the kernel: theirs are the program's",
                self.without_stamp
            ));
        }
        self.report
    }
}
