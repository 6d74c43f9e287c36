//! The kernel's calls: the one place of this crate that is unsafe. Every function is safe to call
//! with any argument; what the kernel refuses comes back as an [`io::Error`].

#![allow(
    unsafe_code,
    reason = "sockets' options, control messages and clocks have no safe calls in std"
)]

use std::io;
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;

/// A descriptor's number.
type Raw = std::os::fd::RawFd;

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

fn counted(result: isize) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// A clock of the machine, in nanoseconds.
fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid timespec that outlives the call.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    debug_assert_eq!(result, 0, "these clocks exist on every Linux");
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// What CLOCK_MONOTONIC shows, in nanoseconds: the same in all namespaces that have no time namespace of their own.
pub fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// CLOCK_REALTIME: the clock of the kernel's receive timestamps.
pub(crate) fn realtime_ns() -> u64 {
    clock_ns(libc::CLOCK_REALTIME)
}

/// Processor time of the calling thread.
pub(crate) fn thread_cpu_ns() -> u64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The error of a non-blocking call that would have had to wait.
pub(crate) fn would_block(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

/// A pipe: reading end, writing end; both closed on exec.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for the two descriptors, which nobody else owns afterwards.
    unsafe {
        checked(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC))?;
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

/// What a wait was for, or how it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    /// There is something to read, or an error to fetch.
    pub(crate) read: bool,
    /// There is room to write, or an error to fetch.
    pub(crate) write: bool,
}

/// Waits until each descriptor's wish is fulfilled for one of them, or until CLOCK_MONOTONIC shows
/// `until_ns`. At most four descriptors.
pub(crate) fn poll(wishes: &[(Raw, Ready)], until_ns: u64) -> io::Result<[Ready; 4]> {
    let mut fds = [libc::pollfd {
        fd: -1,
        events: 0,
        revents: 0,
    }; 4];
    for (slot, (fd, wish)) in fds.iter_mut().zip(wishes) {
        slot.fd = *fd;
        slot.events = if wish.read { libc::POLLIN } else { 0 };
        slot.events |= if wish.write { libc::POLLOUT } else { 0 };
    }
    let wait = until_ns.saturating_sub(monotonic_ns());
    let time = libc::timespec {
        tv_sec: (wait / 1_000_000_000).min(1 << 40).cast_signed(),
        tv_nsec: (wait % 1_000_000_000).cast_signed(),
    };
    // SAFETY: `fds` has four entries, those without a descriptor are ignored; no signal mask.
    let result = unsafe { libc::ppoll(fds.as_mut_ptr(), 4, &raw const time, ptr::null()) };
    if let Err(error) = checked(result)
        && error.kind() != io::ErrorKind::Interrupted
    {
        return Err(error);
    }
    let ended = libc::POLLERR | libc::POLLHUP | libc::POLLNVAL;
    Ok(fds.map(|slot| Ready {
        read: result > 0 && slot.revents & (libc::POLLIN | ended) != 0,
        write: result > 0 && slot.revents & (libc::POLLOUT | ended) != 0,
    }))
}

/// A new non-blocking socket, closed on exec.
pub(crate) fn socket(v6: bool, kind: i32, protocol: i32) -> io::Result<OwnedFd> {
    let family = if v6 { libc::AF_INET6 } else { libc::AF_INET };
    let kind = kind | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: no memory is passed; the new descriptor has no other owner.
    unsafe {
        let fd = checked(libc::socket(family, kind, protocol))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// A socket address as the kernel reads it.
struct Address {
    bytes: libc::sockaddr_storage,
    len: libc::socklen_t,
}

impl Address {
    fn empty() -> Address {
        Address {
            // SAFETY: all zeroes is a valid sockaddr_storage.
            bytes: unsafe { mem::zeroed() },
            len: mem::size_of::<libc::sockaddr_storage>() as libc::socklen_t,
        }
    }

    fn new(address: SocketAddr) -> Address {
        let mut to = Address::empty();
        match address {
            SocketAddr::V4(v4) => {
                let from = libc::sockaddr_in {
                    sin_family: libc::AF_INET as libc::sa_family_t,
                    sin_port: v4.port().to_be(),
                    sin_addr: libc::in_addr {
                        s_addr: u32::from(*v4.ip()).to_be(),
                    },
                    sin_zero: [0; 8],
                };
                to.len = mem::size_of_val(&from) as libc::socklen_t;
                // SAFETY: a sockaddr_storage is large and aligned enough for every address.
                unsafe { ptr::write((&raw mut to.bytes).cast(), from) };
            }
            SocketAddr::V6(v6) => {
                let from = libc::sockaddr_in6 {
                    sin6_family: libc::AF_INET6 as libc::sa_family_t,
                    sin6_port: v6.port().to_be(),
                    sin6_flowinfo: 0,
                    sin6_addr: libc::in6_addr {
                        s6_addr: v6.ip().octets(),
                    },
                    sin6_scope_id: v6.scope_id(),
                };
                to.len = mem::size_of_val(&from) as libc::socklen_t;
                // SAFETY: as above.
                unsafe { ptr::write((&raw mut to.bytes).cast(), from) };
            }
        }
        to
    }

    fn ip(&self) -> Option<IpAddr> {
        match i32::from(self.bytes.ss_family) {
            libc::AF_INET => {
                // SAFETY: the family says which type the kernel wrote.
                let v4: libc::sockaddr_in = unsafe { ptr::read((&raw const self.bytes).cast()) };
                Some(Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr)).into())
            }
            libc::AF_INET6 => {
                // SAFETY: as above.
                let v6: libc::sockaddr_in6 = unsafe { ptr::read((&raw const self.bytes).cast()) };
                Some(Ipv6Addr::from(v6.sin6_addr.s6_addr).into())
            }
            _ => None,
        }
    }

    fn pointer(&self) -> *const libc::sockaddr {
        (&raw const self.bytes).cast()
    }
}

/// Gives a socket its local address and port.
pub(crate) fn bind(socket: BorrowedFd<'_>, to: SocketAddr) -> io::Result<()> {
    let to = Address::new(to);
    // SAFETY: pointer and length are those of one valid address.
    checked(unsafe { libc::bind(socket.as_raw_fd(), to.pointer(), to.len) }).map(drop)
}

/// Begins a connection. `Ok` also when it is under way.
pub(crate) fn connect(socket: BorrowedFd<'_>, to: SocketAddr) -> io::Result<()> {
    let to = Address::new(to);
    // SAFETY: pointer and length are those of one valid address.
    match checked(unsafe { libc::connect(socket.as_raw_fd(), to.pointer(), to.len) }) {
        Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => Ok(()),
        result => result.map(drop),
    }
}

/// Lets a socket take `backlog` connections.
pub(crate) fn listen(socket: BorrowedFd<'_>, backlog: i32) -> io::Result<()> {
    // SAFETY: no memory is passed.
    checked(unsafe { libc::listen(socket.as_raw_fd(), backlog) }).map(drop)
}

/// Takes a connection that is there, non-blocking and closed on exec.
pub(crate) fn accept(socket: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: the peer's address is not asked for; the new descriptor has no other owner.
    unsafe {
        let fd = libc::accept4(socket.as_raw_fd(), ptr::null_mut(), ptr::null_mut(), flags);
        Ok(OwnedFd::from_raw_fd(checked(fd)?))
    }
}

/// Closes the sending half.
pub(crate) fn shutdown_write(socket: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: no memory is passed.
    checked(unsafe { libc::shutdown(socket.as_raw_fd(), libc::SHUT_WR) }).map(drop)
}

/// Sets an option to some bytes.
pub(crate) fn set_bytes(
    socket: BorrowedFd<'_>,
    level: i32,
    name: i32,
    value: &[u8],
) -> io::Result<()> {
    // SAFETY: pointer and length are those of `value`, which the kernel copies.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            value.as_ptr().cast(),
            value.len() as libc::socklen_t,
        )
    };
    checked(result).map(drop)
}

/// Sets an option to an integer.
pub(crate) fn set(socket: BorrowedFd<'_>, level: i32, name: i32, value: i32) -> io::Result<()> {
    set_bytes(socket, level, name, &value.to_ne_bytes())
}

/// Reads an option into `value`; returns how many bytes of it the kernel filled.
pub(crate) fn read_bytes(
    socket: BorrowedFd<'_>,
    level: i32,
    name: i32,
    value: &mut [u8],
) -> io::Result<usize> {
    let mut len = value.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes, all of them inside `value`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            level,
            name,
            value.as_mut_ptr().cast(),
            &raw mut len,
        )
    };
    checked(result)?;
    Ok(len as usize)
}

/// Reads an integer option.
pub(crate) fn read(socket: BorrowedFd<'_>, level: i32, name: i32) -> io::Result<i32> {
    let mut value = [0; 4];
    read_bytes(socket, level, name, &mut value)?;
    Ok(i32::from_ne_bytes(value))
}

/// Sends bytes; a closed connection is an error and no signal.
pub(crate) fn send(socket: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: pointer and length are those of `bytes`.
    counted(unsafe {
        libc::send(
            socket.as_raw_fd(),
            bytes.as_ptr().cast(),
            bytes.len(),
            libc::MSG_NOSIGNAL,
        )
    })
}

/// Takes up to `most` bytes of a TCP connection without copying them; 0 at its end.
pub(crate) fn discard(socket: BorrowedFd<'_>, most: usize) -> io::Result<usize> {
    // SAFETY: with MSG_TRUNC a TCP socket drops the bytes and writes to no memory (tcp(7)).
    counted(unsafe { libc::recv(socket.as_raw_fd(), ptr::null_mut(), most, libc::MSG_TRUNC) })
}

/// Sends one datagram to an address.
pub(crate) fn send_to(socket: BorrowedFd<'_>, bytes: &[u8], to: SocketAddr) -> io::Result<usize> {
    let to = Address::new(to);
    // SAFETY: pointers and lengths are those of `bytes` and of one valid address.
    counted(unsafe {
        libc::sendto(
            socket.as_raw_fd(),
            bytes.as_ptr().cast(),
            bytes.len(),
            libc::MSG_NOSIGNAL,
            to.pointer(),
            to.len,
        )
    })
}

/// A datagram as it was received.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Datagram {
    /// Its bytes in the buffer.
    pub(crate) len: usize,
    /// Whose it is.
    pub(crate) from: Option<IpAddr>,
    /// When the kernel received it, on CLOCK_REALTIME.
    pub(crate) realtime_ns: Option<u64>,
    /// Datagrams this socket had dropped for want of room, if the kernel says (SO_RXQ_OVFL).
    pub(crate) dropped: Option<u32>,
}

/// Receives one datagram with what the kernel says about it.
pub(crate) fn receive_from(socket: BorrowedFd<'_>, bytes: &mut [u8]) -> io::Result<Datagram> {
    let mut from = Address::empty();
    let mut part = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    // Aligned for control messages; two of them need 64 bytes.
    let mut control = [0_u64; 32];
    // SAFETY: all zeroes is a valid msghdr.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_name = (&raw mut from.bytes).cast();
    message.msg_namelen = from.len;
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = mem::size_of_val(&control) as _;
    // SAFETY: everything `message` points at is valid for the call and of the length it says.
    let len = counted(unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) })?;
    let mut datagram = Datagram {
        len,
        from: from.ip(),
        ..Datagram::default()
    };
    // SAFETY: the kernel wrote `message` and the control buffer; the macros stay inside them.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    while !header.is_null() {
        // SAFETY: `header` is not null and was returned by the macros for this message.
        let (level, kind, data) = unsafe {
            let head = &*header;
            (head.cmsg_level, head.cmsg_type, libc::CMSG_DATA(header))
        };
        if level == libc::SOL_SOCKET && kind == libc::SCM_TIMESTAMPNS {
            // SAFETY: the kernel put a timespec there; it may be unaligned.
            let time: libc::timespec = unsafe { ptr::read_unaligned(data.cast()) };
            let seconds = time.tv_sec.unsigned_abs();
            datagram.realtime_ns = Some(seconds * 1_000_000_000 + time.tv_nsec.unsigned_abs());
        } else if level == libc::SOL_SOCKET && kind == libc::SO_RXQ_OVFL {
            // SAFETY: the kernel put a u32 there; it may be unaligned.
            datagram.dropped = Some(unsafe { ptr::read_unaligned(data.cast()) });
        }
        // SAFETY: as for CMSG_FIRSTHDR.
        header = unsafe { libc::CMSG_NXTHDR(&raw const message, header) };
    }
    Ok(datagram)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn addresses_survive_the_kernels_form() {
        for text in ["192.0.2.7:49152", "[2001:db8::9]:5001"] {
            let address: SocketAddr = text.parse().expect("an address");
            assert_eq!(Address::new(address).ip(), Some(address.ip()));
        }
    }

    #[test]
    fn a_closed_pipe_wakes_who_waits() {
        let (read, write) = pipe().expect("a pipe");
        let wish = [(
            read.as_raw_fd(),
            Ready {
                read: true,
                write: false,
            },
        )];
        let before = poll(&wish, 0).expect("a wait that is over at once");
        assert!(!before[0].read);
        drop(write);
        assert!(poll(&wish, u64::MAX).expect("a wait")[0].read);
    }

    #[test]
    fn what_the_kernel_refuses_is_an_error() {
        let socket = socket(false, libc::SOCK_STREAM, 0).expect("a socket");
        let refused = set_bytes(
            socket.as_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            b"no-such-algorithm",
        );
        assert_eq!(
            refused.expect_err("there is none").raw_os_error(),
            Some(libc::ENOENT)
        );
    }
}
