//! Sockets with the options of a job: what is asked of the kernel, and what it made of it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use crate::job::{Connection, Ends, Side};
use crate::sys;
use crate::watch::{READ, WRITE, Watch, Woken};

/// Why a socket could not be had as it was wanted.
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
        "congestion control `{name}` is not to be had here ({source}); the kernel offers: {offers}"
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
pub(crate) fn refused<T>(what: &str, result: io::Result<T>) -> Result<T, SocketError> {
    result.map_err(|source| SocketError::Refused {
        what: what.to_owned(),
        source,
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
    pub(crate) fn discard(&self, most: usize) -> io::Result<usize> {
        let bytes = sys::discard(self.socket.as_fd(), most)?;
        if let Some(clamp) = self.clamp {
            set_clamp(self.socket.as_fd(), clamp)?;
        }
        Ok(bytes)
    }
}

fn set_clamp(socket: BorrowedFd<'_>, clamp: i32) -> io::Result<()> {
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
        let v6 = connection.ends.local.is_ipv6();
        let socket = refused("open a TCP socket", sys::socket(v6, libc::SOCK_STREAM, 0))?;
        let mut notes = Vec::new();
        let fd = socket.as_fd();
        refused(
            "set SO_REUSEADDR",
            sys::set(fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1),
        )?;
        set_mark(fd, connection.ends.mark)?;
        set_class(fd, &connection.ends)?;
        set_algorithm(fd, &connection.algorithm)?;
        for (option, wanted) in [
            (RECEIVE_BUFFER, connection.receive_buffer),
            (SEND_BUFFER, connection.send_buffer),
        ] {
            if let Some(wanted) = wanted {
                notes.extend(set_buffer(fd, option, wanted)?);
            }
        }
        if let Some(clamp) = connection.clamp() {
            refused("set TCP_WINDOW_CLAMP", set_clamp(fd, clamp))?;
        }
        let no_delay = sys::set(fd, libc::IPPROTO_TCP, libc::TCP_NODELAY, 1);
        refused("set TCP_NODELAY", no_delay)?;
        let local = connection.ends.local;
        refused(&format!("bind to {local}"), sys::bind(fd, local))?;
        if connection.side == Side::Listen {
            refused(&format!("listen at {local}"), sys::listen(fd, 1))?;
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
                let error = sys::read(self.socket.as_fd(), libc::SOL_SOCKET, libc::SO_ERROR);
                match refused(&what, error)? {
                    0 => self.socket,
                    code => refused(&what, Err(io::Error::from_raw_os_error(code)))?,
                }
            }
            Side::Listen => self.accept(watch)?,
        };
        set_class(socket.as_fd(), &self.connection.ends)?;
        Ok(Opened {
            clamp: self.connection.clamp(),
            socket,
            opened_ns,
            established_ns: watch.clock.now(),
        })
    }

    fn accept(&self, watch: &Watch) -> Result<OwnedFd, SocketError> {
        let local = self.connection.ends.local;
        let what = format!("take a connection at {local}");
        loop {
            match sys::accept(self.socket.as_fd()) {
                Ok(socket) => return Ok(socket),
                Err(error) if sys::would_block(&error) => {}
                Err(error) => return refused(&what, Err(error)),
            }
            let woken = watch.socket(self.socket.as_fd(), READ, u64::MAX);
            if refused(&what, woken)? == Woken::Stopped {
                return Err(SocketError::Stopped);
            }
        }
    }
}

/// The mark of what a socket sends.
pub(crate) fn set_mark(socket: BorrowedFd<'_>, mark: u32) -> Result<(), SocketError> {
    if mark == 0 {
        return Ok(());
    }
    let result = sys::set(socket, libc::SOL_SOCKET, libc::SO_MARK, mark.cast_signed());
    refused("set SO_MARK (it needs CAP_NET_ADMIN)", result)
}

/// The TOS byte or traffic class of what a socket sends. Of TCP the kernel keeps the ECN field.
pub(crate) fn set_class(socket: BorrowedFd<'_>, ends: &Ends) -> Result<(), SocketError> {
    let class = i32::from(ends.class);
    let result = if ends.local.is_ipv6() {
        sys::set(socket, libc::IPPROTO_IPV6, libc::IPV6_TCLASS, class)
    } else {
        sys::set(socket, libc::IPPROTO_IP, libc::IP_TOS, class)
    };
    refused("set the TOS byte", result)
}

/// Datagrams are never fragmented, and the kernel's memory of smaller path MTUs is not asked: what is
/// too long is for the path to drop.
pub(crate) fn set_unfragmented(socket: BorrowedFd<'_>, v6: bool) -> Result<(), SocketError> {
    let (level, name, value) = if v6 {
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
    let (level, option) = (libc::IPPROTO_TCP, libc::TCP_CONGESTION);
    let result = sys::set_bytes(socket, level, option, name.as_bytes()).and_then(|()| {
        let mut found = [0; 16];
        sys::read_bytes(socket, level, option, &mut found)?;
        let found = found.split(|b| *b == 0).next().unwrap_or_default();
        if found == name.as_bytes() {
            Ok(())
        } else {
            Err(io::Error::other("the kernel kept another"))
        }
    });
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
type Buffer = (i32, i32, &'static str);
pub(crate) const RECEIVE_BUFFER: Buffer = (libc::SO_RCVBUF, libc::SO_RCVBUFFORCE, "SO_RCVBUF");
pub(crate) const SEND_BUFFER: Buffer = (libc::SO_SNDBUF, libc::SO_SNDBUFFORCE, "SO_SNDBUF");

/// Largest request that the kernel can still double.
const LARGEST_BUFFER: u64 = (i32::MAX / 2) as u64;

/// Sets a buffer's size, past the host's limit where that is allowed; a note where less came of it.
pub(crate) fn set_buffer(
    socket: BorrowedFd<'_>,
    (plain, forced, name): Buffer,
    wanted: u64,
) -> Result<Option<String>, SocketError> {
    let request = wanted.min(LARGEST_BUFFER) as i32;
    let what = format!("set {name} to {wanted} bytes");
    let of_socket = libc::SOL_SOCKET;
    refused(&what, sys::set(socket, of_socket, plain, request))?;
    let got = || refused(&what, sys::read(socket, of_socket, plain));
    // The kernel doubles what it is asked for (socket(7)).
    if got()? < 2 * request
        && let Err(error) = sys::set(socket, of_socket, forced, request)
    {
        let got = got()? / 2;
        return Ok(Some(format!(
            "{name}: {wanted} bytes were asked for, the kernel gave {got} ({error}); raise \
             net.core.rmem_max and wmem_max, or run with CAP_NET_ADMIN"
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
    let bytes = [linger.l_onoff.to_ne_bytes(), linger.l_linger.to_ne_bytes()].concat();
    refused(
        "set SO_LINGER",
        sys::set_bytes(socket.as_fd(), libc::SOL_SOCKET, libc::SO_LINGER, &bytes),
    )
}
