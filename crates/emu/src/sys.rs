//! What the kernel offers and no safe crate does: a process born into namespaces, TAP and packet
//! sockets, descriptors that came in a message. All `unsafe` of this crate is here.

#![allow(
    unsafe_code,
    reason = "system calls without a safe wrapper; every block says why it is sound"
)]

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;

use nix::errno::Errno;
use nix::libc;
use nix::sched::CloneFlags;
use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use nix::unistd::Pid;

/// Bytes of `struct virtio_net_hdr` before every frame read or written.
pub const HEADER: usize = 10;

/// A process in new namespaces that runs the program at `path` with `control` as its standard
/// input, and its pidfd. It shares nothing with this process but open files.
pub(crate) fn spawn_into(
    namespaces: CloneFlags,
    path: &CString,
    arguments: &[CString],
    control: BorrowedFd<'_>,
) -> Result<(Pid, OwnedFd), Errno> {
    let pointers = |strings: &[CString]| -> Vec<*const c_char> {
        let all = strings.iter().map(|s| s.as_ptr());
        all.chain([ptr::null()]).collect()
    };
    let environment: Vec<CString> = std::env::vars_os()
        .filter_map(|(key, value)| {
            let mut entry = key.into_encoded_bytes();
            entry.push(b'=');
            entry.extend(value.into_encoded_bytes());
            CString::new(entry).ok()
        })
        .collect();
    let (arguments, environment) = (pointers(arguments), pointers(&environment));
    let mut pidfd: c_int = -1;
    let flags = namespaces.bits() | libc::CLONE_PIDFD | libc::SIGCHLD;
    // SAFETY: without CLONE_VM and with no stack this is a fork: the child has a copy of all memory.
    // Until execve it makes async-signal-safe calls alone, on values made above: it takes no lock that
    // another thread may have held. The third argument is where CLONE_PIDFD leaves the descriptor.
    let pid = unsafe {
        libc::syscall(
            libc::SYS_clone,
            c_uint::from_ne_bytes(flags.to_ne_bytes()) as libc::c_ulong,
            ptr::null_mut::<c_void>(),
            &raw mut pidfd,
            ptr::null_mut::<c_int>(),
            0 as libc::c_ulong,
        )
    };
    if pid == 0 {
        // SAFETY: as above; the arrays end in a null pointer, and the strings they name live on.
        unsafe {
            if control.as_raw_fd() == 0 {
                libc::fcntl(0, libc::F_SETFD, 0);
            } else {
                libc::dup2(control.as_raw_fd(), 0);
            }
            libc::execve(path.as_ptr(), arguments.as_ptr(), environment.as_ptr());
            libc::_exit(127);
        }
    }
    let pid = Errno::result(pid)?;
    let pid = i32::try_from(pid).map_err(|_| Errno::EOVERFLOW)?;
    Ok((Pid::from_raw(pid), owned(pidfd)))
}

/// A descriptor that names the process `pid`, whatever becomes of the number.
pub(crate) fn pidfd(pid: Pid) -> Result<OwnedFd, Errno> {
    // SAFETY: two integers go in; a new descriptor comes out, closed on exec.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid.as_raw(), 0) };
    let fd = Errno::result(fd)?;
    Ok(owned(i32::try_from(fd).map_err(|_| Errno::EOVERFLOW)?))
}

/// Sends `signal` to the process a pidfd names.
pub(crate) fn send_signal(pidfd: BorrowedFd<'_>, signal: Signal) -> Result<(), Errno> {
    // SAFETY: integers, and a null pointer that asks for the usual siginfo.
    let sent = unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            pidfd.as_raw_fd(),
            signal as c_int,
            ptr::null::<c_void>(),
            0,
        )
    };
    Errno::result(sent).map(drop)
}

/// Runs `install`, which sets handlers of signals, and lets hangups stay ignored where this process was started to ignore them, as nohup(1)
/// has it. An interrupt is heard all the same: shells start what is in their background to ignore it, and who sends one means it.
///
/// # Errors
/// The system refuses to say or to set what a hangup does.
pub fn keep_hangups_ignored<T>(install: impl FnOnce() -> T) -> std::io::Result<T> {
    if !ignores_hangups()? {
        return Ok(install());
    }
    // One that comes in between waits, and is discarded with all that wait.
    let hangup = SigSet::from(Signal::SIGHUP);
    hangup.thread_block()?;
    let installed = install();
    // SAFETY: to ignore a signal runs no code.
    unsafe { signal(Signal::SIGHUP, SigHandler::SigIgn) }?;
    hangup.thread_unblock()?;
    Ok(installed)
}

/// Asks, and changes nothing: a hangup that waits would be lost if it were set to be ignored for a moment.
fn ignores_hangups() -> Result<bool, Errno> {
    // SAFETY: a null pointer asks; the answer is plain old data for which zero is a valid value.
    let action = unsafe {
        let mut action = std::mem::zeroed::<libc::sigaction>();
        Errno::result(libc::sigaction(libc::SIGHUP, ptr::null(), &raw mut action))?;
        action
    };
    Ok(action.sa_sigaction == libc::SIG_IGN)
}

/// Takes over descriptors that arrived in a message.
pub(crate) fn received(descriptors: &[RawFd]) -> Vec<OwnedFd> {
    descriptors.iter().map(|fd| owned(*fd)).collect()
}

fn owned(fd: RawFd) -> OwnedFd {
    // SAFETY: the kernel has just made this descriptor for us, and nobody else knows it.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

/// Lets the program of `command` start with no signal blocked, and be killed when the process that
/// started it ends. That process must have one thread: the kernel watches the thread.
pub(crate) fn shadowed(command: &mut Command) {
    let hook = || {
        nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
        Ok(SigSet::empty().thread_set_mask()?)
    };
    // SAFETY: two system calls without allocation or lock.
    unsafe { command.pre_exec(hook) };
}

/// Makes of an open `/dev/net/tun` a TAP named `name`, with offloads and a header of
/// [`HEADER`] bytes before each frame. Whether UDP segmentation is among the offloads.
pub(crate) fn attach_tap(tun: BorrowedFd<'_>, name: &str) -> Result<bool, Errno> {
    let flags = libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR;
    let mut request = libc::ifreq {
        ifr_name: interface_name(name)?,
        ifr_ifru: libc::__c_anonymous_ifr_ifru {
            ifru_flags: flags as libc::c_short,
        },
    };
    let header = HEADER as c_int;
    let tcp = libc::TUN_F_CSUM | libc::TUN_F_TSO4 | libc::TUN_F_TSO6 | libc::TUN_F_TSO_ECN;
    let udp = libc::TUN_F_USO4 | libc::TUN_F_USO6;
    let fd = tun.as_raw_fd();
    // SAFETY: TUNSETIFF reads and writes one `ifreq`, TUNSETVNETHDRSZ reads one int; both outlive the
    // calls. TUNSETOFFLOAD takes its argument by value.
    unsafe {
        Errno::result(libc::ioctl(fd, libc::TUNSETIFF, &raw mut request))?;
        Errno::result(libc::ioctl(fd, libc::TUNSETVNETHDRSZ, &raw const header))?;
        let all = libc::c_ulong::from(tcp | udp);
        if libc::ioctl(fd, libc::TUNSETOFFLOAD, all) == 0 {
            return Ok(true);
        }
        let offload = libc::ioctl(fd, libc::TUNSETOFFLOAD, libc::c_ulong::from(tcp));
        Errno::result(offload)?;
    }
    Ok(false)
}

fn interface_name(name: &str) -> Result<[c_char; libc::IFNAMSIZ], Errno> {
    let mut field = [0; libc::IFNAMSIZ];
    if name.len() >= field.len() {
        return Err(Errno::ENAMETOOLONG);
    }
    for (to, from) in field.iter_mut().zip(name.bytes()) {
        *to = from as c_char;
    }
    Ok(field)
}

// linux/if_packet.h.
const PACKET_STATISTICS: c_int = 6;
const PACKET_VNET_HDR: c_int = 15;
const PACKET_QDISC_BYPASS: c_int = 20;
const PACKET_IGNORE_OUTGOING: c_int = 23;

/// A raw packet socket on interface `name` of the calling thread's namespace, which hears and sends
/// what a TAP would: frames behind a header of [`HEADER`] bytes.
pub(crate) fn packet_socket(name: &str) -> Result<OwnedFd, Errno> {
    let index = nix::net::if_::if_nametoindex(name)?;
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // Protocol 0: it hears nothing until it is bound, so nothing of another interface.
    // SAFETY: integers in, a new descriptor out.
    let fd = Errno::result(unsafe { libc::socket(libc::AF_PACKET, kind, 0) })?;
    let socket = owned(fd);
    for option in [PACKET_VNET_HDR, PACKET_QDISC_BYPASS, PACKET_IGNORE_OUTGOING] {
        let on: c_int = 1;
        // SAFETY: the option is one int, which outlives the call.
        let set = unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::SOL_PACKET,
                option,
                (&raw const on).cast(),
                size_of::<c_int>() as libc::socklen_t,
            )
        };
        Errno::result(set)?;
    }
    // SAFETY: all fields are integers, for which zero is a value.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as libc::c_ushort;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = i32::try_from(index).map_err(|_| Errno::EOVERFLOW)?;
    // SAFETY: a whole `sockaddr_ll` and its size; it outlives the call.
    let bound = unsafe {
        libc::bind(
            socket.as_raw_fd(),
            (&raw const address).cast(),
            size_of::<libc::sockaddr_ll>() as libc::socklen_t,
        )
    };
    Errno::result(bound)?;
    Ok(socket)
}

/// Packets a packet socket had no room for since this was last asked.
pub(crate) fn packet_drops(socket: BorrowedFd<'_>) -> Result<u64, Errno> {
    /// `struct tpacket_stats`.
    #[repr(C)]
    #[derive(Default)]
    struct Statistics {
        packets: c_uint,
        drops: c_uint,
    }
    let mut statistics = Statistics::default();
    let mut length = size_of::<Statistics>() as libc::socklen_t;
    // SAFETY: room for the whole structure, and its size, which the kernel does not go beyond.
    let got = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_PACKET,
            PACKET_STATISTICS,
            (&raw mut statistics).cast(),
            &raw mut length,
        )
    };
    Errno::result(got)?;
    Ok(statistics.drops.into())
}

/// Puts the calling thread in front of the others of the machine, as far as it may.
pub(crate) fn come_first() {
    // SAFETY: two numbers and no memory; 0 is the calling thread.
    let _refused = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -20) };
}
