//! Sockets with the options of a job: what is asked of the kernel, and what it made of it.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::sockopt::{
    Ipv4Tos, Ipv6TClass, Linger, Mark, RcvBuf, RcvBufForce, ReuseAddr, SndBuf, SndBufForce,
    TcpCongestion, TcpNoDelay,
};
use nix::sys::socket::{
    Backlog, GetSockOpt, SetSockOpt, SockType, getsockopt, listen, setsockopt, sockopt,
};

use crate::job::{Connection, Ends, Side};
use crate::sys;
use crate::watch::{READ, WRITE, Watch, Woken};

/// Why a socket could not be made as it was wanted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum SocketError {
    /// The kernel refused something.
    #[error("{what}: {source}")]
    Refused {
        /// What was asked of it.
        what: String,
        /// Its answer.
        source: io::Error,
    },
    /// It lacks the congestion control.
    #[error(
        "congestion control `{name}` is not available here ({source}); the kernel offers: {offers}"
    )]
    Algorithm {
        /// The algorithm.
        name: String,
        /// What the kernel offers.
        offers: String,
        /// Its answer.
        source: io::Error,
    },
    /// Everything ended before it was there.
    #[error("stopped before the connection was there")]
    Stopped,
}

/// Names what was asked when the kernel refuses it.
pub(crate) fn refused<T, E: Into<io::Error>>(
    what: &str,
    result: Result<T, E>,
) -> Result<T, SocketError> {
    result.map_err(|source| SocketError::Refused {
        what: what.to_owned(),
        source: source.into(),
    })
}

/// A connection's socket before its start: bound, with all options, and listening if it is not the
/// one that begins.
#[derive(Debug)]
pub(crate) struct Prepared {
    socket: OwnedFd,
    connection: Connection,
    /// What the kernel did not do as asked.
    pub(crate) notes: Vec<String>,
}

/// A connection that is there.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) socket: OwnedFd,
    /// When this end began.
    pub(crate) opened_ns: u64,
    /// When it was there.
    pub(crate) established_ns: u64,
    /// `TCP_WINDOW_CLAMP`.
    clamp: Option<i32>,
}

impl Opened {
    /// Throws away what has arrived, as [`sys::discard`], and holds the window that is offered: the kernel sets
    /// its bound anew, as memory allows, when it learns how segments fill memory (Linux 6.5 and later).
    pub(crate) fn discard(&self, most: usize) -> Result<usize, Errno> {
        let bytes = sys::discard(self.socket.as_fd(), most)?;
        if let Some(clamp) = self.clamp {
            set_clamp(self.socket.as_fd(), clamp)?;
        }
        Ok(bytes)
    }
}

fn set_clamp(socket: BorrowedFd<'_>, clamp: i32) -> Result<(), Errno> {
    sys::set(socket, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, clamp)
}

impl Connection {
    /// The option's value.
    fn clamp(&self) -> Option<i32> {
        let bytes = self.window_clamp?;
        Some(i32::try_from(bytes).unwrap_or(i32::MAX))
    }
}

impl Prepared {
    pub(crate) fn new(connection: &Connection) -> Result<Prepared, SocketError> {
        let local = connection.ends.local;
        let socket = sys::socket(local.ip(), SockType::Stream, None);
        let socket = refused("open a TCP socket", socket)?;
        let mut notes = Vec::new();
        let fd = socket.as_fd();
        refused("set SO_REUSEADDR", setsockopt(&fd, ReuseAddr, &true))?;
        set_mark(fd, connection.ends.mark)?;
        set_class(fd, &connection.ends)?;
        set_algorithm(fd, &connection.algorithm)?;
        if let Some(wanted) = connection.receive_buffer {
            notes.extend(set_buffer(fd, RECEIVE_BUFFER, wanted)?);
        }
        if let Some(wanted) = connection.send_buffer {
            notes.extend(set_buffer(fd, SEND_BUFFER, wanted)?);
        }
        if let Some(clamp) = connection.clamp() {
            refused("set TCP_WINDOW_CLAMP", set_clamp(fd, clamp))?;
        }
        if let Some(rate) = connection.pacing {
            let set = sys::set(fd, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, rate);
            refused("set SO_MAX_PACING_RATE", set)?;
        }
        refused("set TCP_NODELAY", setsockopt(&fd, TcpNoDelay, &true))?;
        refused(&format!("bind to {local}"), sys::bind(fd, local))?;
        if connection.side == Side::Listen {
            let listening = Backlog::new(1).and_then(|one| listen(&fd, one));
            refused(&format!("listen at {local}"), listening)?;
        }
        Ok(Prepared {
            socket,
            connection: connection.clone(),
            notes,
        })
    }

    /// Begins the connection, or waits until the other end has.
    pub(crate) fn open(self, watch: &Watch, start_ns: u64) -> Result<Opened, SocketError> {
        let opened_ns = self.begin(watch, start_ns)?;
        self.finish(watch, opened_ns)
    }

    /// The same of two connections at once.
    pub(crate) fn open_both(
        both: [Prepared; 2],
        watch: &Watch,
        start_ns: u64,
    ) -> Result<[Opened; 2], SocketError> {
        let [one, other] = both;
        let begun = [one.begin(watch, start_ns)?, other.begin(watch, start_ns)?];
        Ok([one.finish(watch, begun[0])?, other.finish(watch, begun[1])?])
    }

    /// At the start, sends the SYN; returns when that was.
    fn begin(&self, watch: &Watch, start_ns: u64) -> Result<u64, SocketError> {
        if refused("wait for the start", watch.until(start_ns))? == Woken::Stopped {
            return Err(SocketError::Stopped);
        }
        let opened_ns = watch.clock.now();
        if self.connection.side == Side::Connect {
            let remote = self.connection.ends.remote;
            let result = sys::connect(self.socket.as_fd(), remote);
            refused(&format!("connect to {remote}"), result)?;
        }
        Ok(opened_ns)
    }

    fn finish(self, watch: &Watch, opened_ns: u64) -> Result<Opened, SocketError> {
        let what = format!("connect to {}", self.connection.ends.remote);
        let socket = match self.connection.side {
            Side::Connect => {
                let woken = watch.socket(self.socket.as_fd(), WRITE, u64::MAX);
                if refused(&what, woken)? == Woken::Stopped {
                    return Err(SocketError::Stopped);
                }
                match refused(&what, getsockopt(&self.socket, sockopt::SocketError))? {
                    0 => self.socket,
                    code => refused(&what, Err(Errno::from_raw(code)))?,
                }
            }
            Side::Listen => accept(self.socket, self.connection.ends.local, watch)?,
        };
        set_class(socket.as_fd(), &self.connection.ends)?;
        Ok(Opened {
            clamp: self.connection.clamp(),
            socket,
            opened_ns,
            established_ns: watch.clock.now(),
        })
    }
}

/// Takes the connection that comes.
fn accept(socket: OwnedFd, local: SocketAddr, watch: &Watch) -> Result<OwnedFd, SocketError> {
    let what = format!("take a connection at {local}");
    let listener = TcpListener::from(socket);
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                refused(&what, stream.set_nonblocking(true))?;
                return Ok(stream.into());
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return refused(&what, Err(error)),
        }
        let woken = watch.socket(listener.as_fd(), READ, u64::MAX);
        if refused(&what, woken)? == Woken::Stopped {
            return Err(SocketError::Stopped);
        }
    }
}

/// The mark of what a socket sends.
pub(crate) fn set_mark(socket: BorrowedFd<'_>, mark: u32) -> Result<(), SocketError> {
    if mark == 0 {
        return Ok(());
    }
    let result = setsockopt(&socket, Mark, &mark);
    refused("set SO_MARK (it needs CAP_NET_ADMIN)", result)
}

/// The TOS byte or traffic class of what a socket sends. Of TCP the kernel keeps the ECN field.
pub(crate) fn set_class(socket: BorrowedFd<'_>, ends: &Ends) -> Result<(), SocketError> {
    let class = i32::from(ends.class);
    let result = if ends.local.is_ipv6() {
        setsockopt(&socket, Ipv6TClass, &class)
    } else {
        setsockopt(&socket, Ipv4Tos, &class)
    };
    refused("set the TOS byte", result)
}

/// Datagrams are never fragmented, and the kernel's memory of smaller path MTUs is not asked: what is
/// too long is for the path to drop.
pub(crate) fn set_unfragmented(socket: BorrowedFd<'_>, local: IpAddr) -> Result<(), SocketError> {
    let (level, name, value) = if local.is_ipv6() {
        (
            libc::IPPROTO_IPV6,
            libc::IPV6_MTU_DISCOVER,
            libc::IPV6_PMTUDISC_PROBE,
        )
    } else {
        (
            libc::IPPROTO_IP,
            libc::IP_MTU_DISCOVER,
            libc::IP_PMTUDISC_PROBE,
        )
    };
    refused("forbid fragments", sys::set(socket, level, name, value))
}

fn set_algorithm(socket: BorrowedFd<'_>, name: &str) -> Result<(), SocketError> {
    let set = setsockopt(&socket, TcpCongestion, &name.into());
    let found = set.and_then(|()| getsockopt(&socket, TcpCongestion));
    let result = match found {
        Ok(found) if found == name => Ok(()),
        Ok(_) => Err(io::Error::other("the kernel kept another")),
        Err(error) => Err(error.into()),
    };
    result.map_err(|source| SocketError::Algorithm {
        name: name.to_owned(),
        offers: offered_algorithms(),
        source,
    })
}

/// `net.ipv4.tcp_available_congestion_control`.
#[allow(
    clippy::disallowed_methods,
    reason = "what the kernel offers stands in a file of its own"
)]
fn offered_algorithms() -> String {
    std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")
        .map_or_else(|e| format!("unknown ({e})"), |text| text.trim().to_owned())
}

/// The plain option of a buffer, the one that a privileged process has beside it, and its name.
type Buffer<Plain, Forced> = (Plain, Forced, &'static str);
pub(crate) const RECEIVE_BUFFER: Buffer<RcvBuf, RcvBufForce> = (RcvBuf, RcvBufForce, "SO_RCVBUF");
pub(crate) const SEND_BUFFER: Buffer<SndBuf, SndBufForce> = (SndBuf, SndBufForce, "SO_SNDBUF");

/// Largest request that the kernel can still double.
const LARGEST_BUFFER: u64 = (i32::MAX / 2) as u64;

/// Sets a buffer's size, past the host's limit where that is allowed; a note where less came of it.
pub(crate) fn set_buffer<Plain, Forced>(
    socket: BorrowedFd<'_>,
    (plain, forced, name): Buffer<Plain, Forced>,
    wanted: u64,
) -> Result<Option<String>, SocketError>
where
    Plain: SetSockOpt<Val = usize> + GetSockOpt<Val = usize> + Copy,
    Forced: SetSockOpt<Val = usize>,
{
    let request = wanted.min(LARGEST_BUFFER) as usize;
    let what = format!("set {name} to {wanted} bytes");
    refused(&what, setsockopt(&socket, plain, &request))?;
    let got = || refused(&what, getsockopt(&socket, plain));
    // The kernel doubles what it is asked for (socket(7)).
    if got()? < 2 * request
        && let Err(error) = setsockopt(&socket, forced, &request)
    {
        let got = got()? / 2;
        return Ok(Some(format!(
            "{name}: {wanted} bytes were asked for, the kernel gave {got} ({}); raise \
             net.core.rmem_max and wmem_max, or run with CAP_NET_ADMIN",
            io::Error::from(error)
        )));
    }
    Ok(None)
}

/// Closes a connection at once: what was not sent yet is thrown away, and the other end hears of it.
pub(crate) fn abort(socket: OwnedFd) -> Result<(), SocketError> {
    let linger = libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    refused("set SO_LINGER", setsockopt(&socket, Linger, &linger))
}
