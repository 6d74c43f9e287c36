//! What the kernel offers and no safe crate does: throwing received bytes away unread, options that
//! `nix` does not know, and options that are read as far as the kernel has them. All `unsafe` of this
//! crate is here. Beside it, `nix`'s calls in the form this crate wants them.

#![allow(
    unsafe_code,
    reason = "system calls without a safe wrapper; every block says why it is sound"
)]

use std::io::IoSliceMut;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::ptr;
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::socket::{
    AddressFamily, ControlMessageOwned, MsgFlags, SockFlag, SockProtocol, SockType,
    SockaddrStorage, recvmsg,
};
use nix::sys::time::{TimeSpec, TimeValLike};
use nix::sys::utsname::uname;
use nix::time::{ClockId, clock_gettime};

use crate::system::System;

/// A clock of the machine, in nanoseconds.
fn clock_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock).expect("these clocks exist on every Linux");
    time.num_nanoseconds().unsigned_abs()
}

/// What CLOCK_MONOTONIC shows, in nanoseconds: the same in all namespaces that have no time namespace of their own.
pub fn monotonic_ns() -> u64 {
    clock_ns(ClockId::CLOCK_MONOTONIC)
}

/// CLOCK_REALTIME: the clock of the kernel's receive timestamps.
pub(crate) fn realtime_ns() -> u64 {
    clock_ns(ClockId::CLOCK_REALTIME)
}

/// How far CLOCK_REALTIME may be from UTC, in nanoseconds: the kernel's maximum error, which grows from one correction to
/// the next (adjtimex(2)); none where nothing corrects it, or the kernel does not tell.
pub(crate) fn realtime_error_ns() -> Option<u64> {
    // SAFETY: all of it are numbers, and 0 is one of each; without modes nothing is set.
    let mut clock: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes into `clock` and keeps no pointer to it.
    Errno::result(unsafe { libc::adjtimex(&raw mut clock) }).ok()?;
    let error_us = u64::try_from(clock.maxerror).ok()?;
    (clock.status & libc::STA_UNSYNC == 0).then(|| error_us.saturating_mul(1000))
}

/// What this process runs on; none where the kernel's words cannot be read as text.
pub(crate) fn system() -> Option<System> {
    let name = uname().ok()?;
    Some(System {
        os: name.sysname().to_str()?.to_ascii_lowercase(),
        kernel: name.release().to_str()?.to_owned(),
    })
}

/// Processor time of the calling thread.
pub(crate) fn thread_cpu_ns() -> u64 {
    clock_ns(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// Whether a non-blocking call would have had to wait.
pub(crate) fn would_block(error: Errno) -> bool {
    matches!(error, Errno::EAGAIN | Errno::EINTR)
}

/// What a wait was for, or how it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    /// There is something to read, or an error to fetch.
    pub(crate) read: bool,
    /// There is room to write, or an error to fetch.
    pub(crate) write: bool,
}

/// Waits until the wish is fulfilled for one of the descriptors, or until CLOCK_MONOTONIC shows `until_ns`.
pub(crate) fn poll<const N: usize>(
    wishes: [(BorrowedFd<'_>, Ready); N],
    until_ns: u64,
) -> Result<[Ready; N], Errno> {
    let mut fds = wishes.map(|(fd, wish)| {
        let mut events = PollFlags::empty();
        events.set(PollFlags::POLLIN, wish.read);
        events.set(PollFlags::POLLOUT, wish.write);
        PollFd::new(fd, events)
    });
    let wait = until_ns.saturating_sub(monotonic_ns());
    let wait = TimeSpec::from(Duration::from_nanos(wait));
    let some = match ppoll(&mut fds, Some(wait), None) {
        Ok(count) => count > 0,
        Err(Errno::EINTR) => false,
        Err(error) => return Err(error),
    };
    let ended = PollFlags::POLLERR | PollFlags::POLLHUP | PollFlags::POLLNVAL;
    Ok(fds.map(|fd| {
        let came = fd.revents().filter(|_| some).unwrap_or(PollFlags::empty());
        Ready {
            read: came.intersects(PollFlags::POLLIN | ended),
            write: came.intersects(PollFlags::POLLOUT | ended),
        }
    }))
}

/// A new non-blocking socket for addresses like `local`, closed on exec.
pub(crate) fn socket(
    local: IpAddr,
    kind: SockType,
    protocol: Option<SockProtocol>,
) -> Result<OwnedFd, Errno> {
    let family = match local {
        IpAddr::V4(_) => AddressFamily::Inet,
        IpAddr::V6(_) => AddressFamily::Inet6,
    };
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    nix::sys::socket::socket(family, kind, flags, protocol)
}

/// Gives a socket its local address and port.
pub(crate) fn bind(socket: BorrowedFd<'_>, to: SocketAddr) -> Result<(), Errno> {
    nix::sys::socket::bind(socket.as_raw_fd(), &SockaddrStorage::from(to))
}

/// Begins a connection. `Ok` also when it is under way.
pub(crate) fn connect(socket: BorrowedFd<'_>, to: SocketAddr) -> Result<(), Errno> {
    match nix::sys::socket::connect(socket.as_raw_fd(), &SockaddrStorage::from(to)) {
        Err(Errno::EINPROGRESS) => Ok(()),
        result => result,
    }
}

/// Sends bytes; a closed connection is an error and no signal.
pub(crate) fn send(socket: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize, Errno> {
    nix::sys::socket::send(socket.as_raw_fd(), bytes, MsgFlags::MSG_NOSIGNAL)
}

/// A number without padding, of which the kernel may read every byte.
pub(crate) trait Integer: Copy {}

impl Integer for i32 {}
impl Integer for u64 {}

/// Sets an option that `nix` does not know: an integer of the length that the kernel takes.
pub(crate) fn set<T: Integer>(
    socket: BorrowedFd<'_>,
    level: i32,
    name: i32,
    value: T,
) -> Result<(), Errno> {
    // SAFETY: pointer and length are those of `value`, which the kernel copies.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            (&raw const value).cast(),
            size_of_val(&value) as libc::socklen_t,
        )
    };
    Errno::result(result).map(drop)
}

/// Reads an option into `value`; returns how many bytes of it the kernel filled.
pub(crate) fn read_bytes(
    socket: BorrowedFd<'_>,
    level: i32,
    name: i32,
    value: &mut [u8],
) -> Result<usize, Errno> {
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
    Errno::result(result)?;
    Ok(len as usize)
}

/// Takes up to `most` bytes of a TCP connection without copying them; 0 at its end.
pub(crate) fn discard(socket: BorrowedFd<'_>, most: usize) -> Result<usize, Errno> {
    // SAFETY: with MSG_TRUNC a TCP socket drops the bytes and writes to no memory (tcp(7)).
    let result = unsafe { libc::recv(socket.as_raw_fd(), ptr::null_mut(), most, libc::MSG_TRUNC) };
    Errno::result(result).map(isize::unsigned_abs)
}

/// A page of memory, bytes.
pub(crate) fn page_bytes() -> Option<u64> {
    // SAFETY: sysconf only returns a number.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).ok().filter(|b| *b > 0)
}

/// Asks drivers of interfaces (ethtool), as far as anybody may.
pub(crate) struct Ethtool {
    socket: OwnedFd,
}

/// Frames that a card's rings hold, and the most they could.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rings {
    pub(crate) receive: u32,
    pub(crate) receive_most: u32,
    pub(crate) send: u32,
    pub(crate) send_most: u32,
}

impl Ethtool {
    pub(crate) fn new() -> Result<Ethtool, Errno> {
        let local = IpAddr::from([0, 0, 0, 0]);
        let socket = socket(local, SockType::Datagram, None)?;
        Ok(Ethtool { socket })
    }

    /// A setting that is one number (`struct ethtool_value`).
    pub(crate) fn value(&self, interface: &str, command: u32) -> Result<u32, Errno> {
        let mut words = [0; ETHTOOL_WORDS];
        self.ask(interface, command, &mut words)?;
        Ok(words[1])
    }

    /// `ETHTOOL_GRINGPARAM`: the most of four rings, then what they have.
    pub(crate) fn rings(&self, interface: &str) -> Result<Rings, Errno> {
        let mut words = [0; ETHTOOL_WORDS];
        self.ask(interface, 0x10, &mut words)?;
        Ok(Rings {
            receive_most: words[1],
            send_most: words[4],
            receive: words[5],
            send: words[8],
        })
    }

    /// `ETHTOOL_GDRVINFO`: the driver's name, 32 bytes behind the command.
    pub(crate) fn driver(&self, interface: &str) -> Result<String, Errno> {
        let mut words = [0; ETHTOOL_WORDS];
        self.ask(interface, 0x03, &mut words)?;
        let name: Vec<u8> = words[1..9].iter().flat_map(|w| w.to_ne_bytes()).collect();
        let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
        Ok(String::from_utf8_lossy(&name[..end]).into_owned())
    }

    /// One of the commands above; each answers with a structure of known length.
    fn ask(
        &self,
        interface: &str,
        command: u32,
        words: &mut [u32; ETHTOOL_WORDS],
    ) -> Result<(), Errno> {
        words[0] = command;
        // SAFETY: all of it are numbers and a pointer that is set before the kernel uses it.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        let name = interface.as_bytes();
        if name.len() >= request.ifr_name.len() {
            return Err(Errno::ENODEV);
        }
        for (to, byte) in request.ifr_name.iter_mut().zip(name) {
            *to = *byte as libc::c_char;
        }
        request.ifr_ifru.ifru_data = words.as_mut_ptr().cast();
        // SAFETY: the kernel writes the structure of the command, which `words` has room for, and keeps no pointer.
        let result =
            unsafe { libc::ioctl(self.socket.as_raw_fd(), SIOCETHTOOL as _, &raw mut request) };
        Errno::result(result).map(drop)
    }
}

/// The longest structure of these commands is `struct ethtool_drvinfo`, 196 bytes.
const ETHTOOL_WORDS: usize = 64;

/// linux/sockios.h.
const SIOCETHTOOL: u32 = 0x8946;

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

/// Room for one datagram and what the kernel says about it.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub(crate) bytes: Vec<u8>,
    control: Vec<u8>,
}

impl Inbox {
    /// Of datagrams that are longer than `most` bytes the rest is cut off.
    pub(crate) fn new(most: usize) -> Inbox {
        Inbox {
            bytes: vec![0; most],
            control: nix::cmsg_space!(TimeSpec, u32),
        }
    }

    /// Receives one datagram.
    pub(crate) fn receive(&mut self, socket: BorrowedFd<'_>) -> Result<Datagram, Errno> {
        let mut parts = [IoSliceMut::new(&mut self.bytes)];
        let message = recvmsg::<SockaddrStorage>(
            socket.as_raw_fd(),
            &mut parts,
            Some(&mut self.control),
            MsgFlags::empty(),
        )?;
        let from = message.address.as_ref();
        let v4 = from.and_then(|a| Some(a.as_sockaddr_in()?.ip().into()));
        let v6 = || from.and_then(|a| Some(a.as_sockaddr_in6()?.ip().into()));
        let mut datagram = Datagram {
            len: message.bytes,
            from: v4.or_else(v6),
            ..Datagram::default()
        };
        for said in message.cmsgs().into_iter().flatten() {
            match said {
                ControlMessageOwned::ScmTimestampns(time) => {
                    datagram.realtime_ns = Some(time.num_nanoseconds().unsigned_abs());
                }
                ControlMessageOwned::RxqOvfl(count) => datagram.dropped = Some(count),
                _ => {}
            }
        }
        Ok(datagram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn a_closed_pipe_wakes_who_waits() {
        let (read, write) = std::io::pipe().expect("a pipe");
        let wish = Ready {
            read: true,
            write: false,
        };
        let wait = |until| poll([(read.as_fd(), wish)], until).expect("a wait")[0].read;
        assert!(!wait(0), "over at once");
        drop(write);
        assert!(wait(u64::MAX));
    }

    #[test]
    fn a_datagram_comes_with_its_sender_and_its_time() {
        use nix::sys::socket::{setsockopt, sockopt};
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let socket = std::net::UdpSocket::bind(address).expect("a socket");
            let own = socket.local_addr().expect("an address");
            setsockopt(&socket, sockopt::ReceiveTimestampns, &true).expect("time stamps");
            socket.send_to(b"farpath", own).expect("a datagram");
            let mut inbox = Inbox::new(4);
            let datagram = inbox.receive(socket.as_fd()).expect("the datagram");
            assert_eq!((datagram.len, &inbox.bytes[..]), (4, &b"farp"[..]));
            assert_eq!(datagram.from, Some(own.ip()));
            assert!(datagram.realtime_ns.is_some_and(|t| t <= realtime_ns()));
            assert_eq!(datagram.dropped, None);
        }
    }
}
