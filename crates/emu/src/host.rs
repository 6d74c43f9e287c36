//! A host that is up.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr};
use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::cmsg_space;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::CloneFlags;
use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::Signal;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;
use serde::Deserialize;

use crate::counters::{Counters, loopback};
use crate::felt;
use crate::init::{self, MOST_INTERFACES};
use crate::orders::{Answer, Orders};
use crate::process::{Process, reap_orphans};
use crate::program::iproute;
use crate::spec::{HostSpec, LARGEST_MTU, Shaping};
use crate::sys;
use crate::tap::Tap;

/// First arguments that make this program a host's init, or a shadow in a host.
pub(crate) const INIT: &str = "farpath-host-init";
pub(crate) const ENTER: &str = "farpath-host-enter";
/// The running program, even after its file was replaced.
const SELF: &str = "/proc/self/exe";

/// Why there is no host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The specification cannot be a host.
    #[error("host `{host}`: {why}")]
    Spec {
        /// The host.
        host: String,
        /// What is wrong.
        why: String,
    },
    /// The kernel makes no namespaces for this process.
    #[error("host `{host}`: create namespaces: {source}; {}", namespaces(*.source))]
    Namespaces {
        /// The host.
        host: String,
        /// Why.
        source: Errno,
    },
    /// The host could not make itself what it should be.
    #[error("host `{host}`: {why}")]
    Setup {
        /// The host.
        host: String,
        /// Step, cause and, where there is one, remedy.
        why: String,
    },
    /// Its first process ended while it was set up.
    #[error("host `{host}`: its first process ended before it was ready: {source}")]
    Ended {
        /// The host.
        host: String,
        /// What was seen of it.
        source: io::Error,
    },
}

/// What most probably keeps a process with the capabilities from having namespaces.
fn namespaces(refused: Errno) -> &'static str {
    match refused {
        Errno::ENOSPC | Errno::EUSERS => {
            "a limit is reached: raise user.max_net_namespaces, user.max_mnt_namespaces, user.max_pid_namespaces and \
             user.max_uts_namespaces, `sysctl -w KEY=1024` as root"
        }
        _ => {
            "a container's seccomp profile may forbid it: docker run --security-opt seccomp=unconfined --cap-add \
             SYS_ADMIN --cap-add NET_ADMIN"
        }
    }
}

/// In milliseconds: what a host that ends waits for longer is an orphan that somebody has to reap.
const PATIENCE: u8 = 20;
/// So many times when it is asked how a host ended: a second.
const TURNS: usize = 50;

impl Process {
    /// A command that runs `program` in the host whose first process this is. Network, host name, `/etc/hosts` and
    /// processes are the host's; files and, by default, standard streams and environment are the caller's. Killing the
    /// child kills the program, and the child passes signals on. Its exit code is the program's, or 128 and the number
    /// of the signal that ended the program. It is 127 when there is no such program, 126 when it cannot be run, 125
    /// when the host is gone.
    pub fn command(self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(SELF);
        let (pid, start) = (self.pid.to_string(), self.start.to_string());
        command.args([ENTER, &pid, &start]).arg(program);
        command
    }
}

/// A running host. Dropping it ends every process in it and waits until they are gone.
#[derive(Debug)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Its first process.
    pub init: Process,
    /// The far ends of its interfaces, in the order of the specification.
    pub taps: Vec<Tap>,
    /// What is not as it was asked for, or as a host elsewhere would have it.
    pub notes: Vec<String>,
    pidfd: OwnedFd,
    /// Closing it ends the host.
    control: Option<UnixStream>,
}

impl Host {
    /// Starts a host: returns when its interfaces are up and its settings made.
    ///
    /// # Errors
    /// A specification that cannot be, and whatever the kernel or iproute2 refuses.
    pub fn start(spec: &HostSpec) -> Result<Host, HostError> {
        check(spec)?;
        let ended = |source| HostError::Ended {
            host: spec.name.clone(),
            source,
        };
        let (mut control, theirs) = UnixStream::pair().map_err(ended)?;
        let mut host = Host::born(spec, theirs.as_fd())?;
        drop(theirs);
        let orders = Orders::of(spec, Path::new("/proc/sys/net/ipv6").exists());
        let answer = init::send(&mut control, &orders, &[])
            .and_then(|()| answer(&mut control, spec.interfaces.len()))
            .map_err(ended)?;
        host.control = Some(control);
        match answer {
            (Answer::Fault(why), _) => Err(HostError::Setup {
                host: spec.name.clone(),
                why,
            }),
            (Answer::Ready { device, notes }, descriptors) => {
                host.notes = notes;
                let pairs = spec.interfaces.iter().zip(descriptors);
                let tap = pairs.map(|(i, fd)| Tap::new(fd, device, &i.name, i.mac));
                host.taps = tap.collect();
                Ok(host)
            }
        }
    }

    /// A host whose init has its namespaces and nothing in them.
    fn born(spec: &HostSpec, theirs: BorrowedFd<'_>) -> Result<Host, HostError> {
        let namespaces = CloneFlags::CLONE_NEWNET
            | CloneFlags::CLONE_NEWNS
            | CloneFlags::CLONE_NEWPID
            | CloneFlags::CLONE_NEWUTS;
        let refused = |source| HostError::Namespaces {
            host: spec.name.clone(),
            source,
        };
        // Programs whose shadow is killed: the machine's first process reaps them late, in many containers never, and until
        // then their host does not end.
        set_child_subreaper(true).map_err(refused)?;
        let text = |s: &str| CString::new(s).map_err(|_| refused(Errno::EINVAL));
        // The name is for those who read a list of processes.
        let arguments = [text("farpath")?, text(INIT)?, text(&spec.name)?];
        let (pid, pidfd) =
            sys::spawn_into(namespaces, &text(SELF)?, &arguments, theirs).map_err(refused)?;
        let pid = pid.as_raw();
        let host = Host {
            name: spec.name.clone(),
            init: Process::of(pid).unwrap_or(Process { pid, start: 0 }),
            taps: Vec::new(),
            notes: Vec::new(),
            pidfd,
            control: None,
        };
        Ok(host)
    }

    /// Whether it has ended, after this patience.
    fn ended(&self, patience: PollTimeout) -> bool {
        let mut ended = [PollFd::new(self.pidfd.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ended, patience) {
            Ok(n) => n > 0,
            Err(e) => e != Errno::EINTR,
        }
    }

    /// Whether it has ended, or is about to: its programs go first.
    pub fn is_ending(&self) -> bool {
        self.ended(PollTimeout::ZERO) || self.init.is_ending()
    }

    /// How it came to an end, where it has: nobody but the lab is to end it. What ran in it has gone then, unless that takes long.
    pub fn fate(&self) -> Option<String> {
        if !self.is_ending() {
            return None;
        }
        for _ in 0..TURNS {
            if self.ended(PATIENCE.into()) {
                break;
            }
            reap_orphans();
        }
        // It still has to be waited for when it is dropped.
        let asked = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        let how = match waitid(Id::PIDFd(self.pidfd.as_fd()), asked) {
            Ok(WaitStatus::Signaled(_, signal, _)) => format!("was killed by {signal}"),
            Ok(WaitStatus::Exited(_, code)) => format!("ended with exit code {code}"),
            _ => "has ended".to_owned(),
        };
        let (pid, name) = (self.init.pid, &self.name);
        Some(format!(
            "its first process, {pid} (`farpath {INIT} {name}`), {how}"
        ))
    }

    /// [`Process::command`] in this host, with a process group of its own: the terminal's signals are not
    /// for it.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.init.command(program);
        command.process_group(0);
        command
    }

    /// What the host's kernel has dropped or run short of so far; [`Tap::drops`] of taps that were
    /// taken out is the caller's to add.
    ///
    /// # Errors
    /// When the host is gone.
    pub fn counters(&self) -> io::Result<Counters> {
        let mut counters = Counters::read(self.init.pid)?;
        for tap in &self.taps {
            counters.packet_socket_drops += tap.drops()?;
        }
        Ok(counters)
    }

    /// Packets that its loopback interface has carried so far: what its programs said to each other.
    ///
    /// # Errors
    /// When the host is gone.
    pub fn loopback_packets(&self) -> io::Result<u64> {
        loopback(self.init.pid)
    }

    /// UDP datagrams that its kernel took and that wait in front of its interfaces, where `sent` of them have left it and `strays` packets
    /// were meant for nobody. It is a lower bound: each packet over loopback, and each stray, may be one of those that the kernel counts.
    ///
    /// # Errors
    /// When the host is gone.
    pub fn datagrams_waiting(&self, sent: u64, strays: u64) -> io::Result<u64> {
        let counters = self.counters()?;
        let dropped: u64 = counters.interfaces.values().map(|i| i.sent).sum();
        let known = sent + strays + dropped + self.loopback_packets()?;
        Ok(counters.udp_sent.saturating_sub(known))
    }

    /// Has the host feel another rate of an interface from now on. What waits goes on waiting.
    ///
    /// # Errors
    /// When the host is gone, or its kernel refuses.
    pub fn shape(&self, interface: &str, shaping: Option<Shaping>) -> io::Result<()> {
        felt::shape(self.init, interface, shaping)
    }

    /// Packets the host's own queues dropped so far, by interface: what waits in front of an interface
    /// is part of the host, so unlike [`Host::counters`] these may be as the model says.
    ///
    /// # Errors
    /// When the host is gone or `tc` cannot be run there.
    pub fn queue_drops(&self) -> io::Result<BTreeMap<String, u64>> {
        self.init.queue_drops()
    }

    /// UDP datagrams of IPv4 and IPv6 that the host's own queues dropped so far. The kernel counts as lost what a socket
    /// without room refuses, too, and a queue counts packets of all kinds: it is the lesser of both.
    ///
    /// # Errors
    /// When the host is gone or `tc` cannot be run there.
    pub fn datagrams_dropped(&self) -> io::Result<u64> {
        match self.counters()?.udp_send_buffer_errors {
            0 => Ok(0),
            refused => Ok(refused.min(self.queue_drops()?.values().sum())),
        }
    }
}

impl Process {
    /// [`Host::queue_drops`] of the host whose first process this is.
    ///
    /// # Errors
    /// When the host is gone or `tc` cannot be run there.
    pub fn queue_drops(self) -> io::Result<BTreeMap<String, u64>> {
        let tc = iproute("tc").map_err(io::Error::other)?;
        let mut command = self.command(tc.get_program());
        command.process_group(0).args(["-s", "-j", "qdisc", "show"]);
        let output = command.stdin(Stdio::null()).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(io::Error::other(format!("tc: {}", said.trim())));
        }
        let queues: Vec<Queue> = serde_json::from_slice(&output.stdout)?;
        let mut drops = BTreeMap::new();
        for queue in queues.into_iter().filter(|q| q.dev != "lo") {
            *drops.entry(queue.dev).or_default() += queue.drops;
        }
        Ok(drops)
    }
}

/// A queueing discipline, as `tc` reports it.
#[derive(Deserialize)]
struct Queue {
    dev: String,
    #[serde(default)]
    drops: u64,
}

impl AsFd for Host {
    /// Readable when the host has ended.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.control.take());
        // The kernel answers these for a child that has ended, and waits for one that has not: its
        // death takes every process of the host with it.
        _ = sys::send_signal(self.pidfd.as_fd(), Signal::SIGKILL);
        while !self.ended(PATIENCE.into()) {
            reap_orphans();
        }
        _ = waitpid(Pid::from_raw(self.init.pid), None);
    }
}

fn check(spec: &HostSpec) -> Result<(), HostError> {
    let fault = |why: String| {
        Err(HostError::Spec {
            host: spec.name.clone(),
            why,
        })
    };
    if spec.interfaces.len() > MOST_INTERFACES {
        let many = spec.interfaces.len();
        return fault(format!(
            "{many} interfaces: a host can have {MOST_INTERFACES}"
        ));
    }
    for interface in &spec.interfaces {
        let mtu = interface.mtu;
        if !(68..=LARGEST_MTU).contains(&mtu) {
            return fault(format!(
                "MTU {mtu} of {}: an interface takes 68 to {LARGEST_MTU} bytes",
                interface.name
            ));
        }
    }
    Ok(())
}

/// The init's answer, and a descriptor for each of `interfaces`.
fn answer(from: &mut UnixStream, interfaces: usize) -> io::Result<(Answer, Vec<OwnedFd>)> {
    let mut space = cmsg_space!([i32; MOST_INTERFACES]);
    let mut length = [0; 4];
    let mut parts = [IoSliceMut::new(&mut length)];
    let mut descriptors = Vec::new();
    let flags = MsgFlags::MSG_CMSG_CLOEXEC | MsgFlags::MSG_WAITALL;
    let message = recvmsg::<()>(from.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
    let bytes = message.bytes;
    for part in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(raw) = part {
            descriptors.extend(sys::received(&raw));
        }
    }
    if bytes != length.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let answer = init::receive_body(from, length)?;
    if matches!(answer, Answer::Ready { .. }) && descriptors.len() != interfaces {
        return Err(io::Error::other(
            "not every interface came with a descriptor",
        ));
    }
    Ok((answer, descriptors))
}
