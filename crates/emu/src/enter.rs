//! Running a program in a host that is up, from outside: the entering process joins the host's
//! namespaces, starts the program there, and stays as its shadow, passing signals in and the exit
//! code out. The program is killed when its shadow is, and when the host ends.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus};

use nix::errno::Errno;
use nix::libc;
use nix::sched::{CloneFlags, setns};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::SignalFd;
use nix::unistd::{Pid, chroot, fchdir};

use crate::process::Process;
use crate::processors;
use crate::sys;

/// Exit codes of a shell for a program that is not there, and for one that cannot be run.
const NOT_FOUND: i32 = 127;
const NOT_RUN: i32 = 126;
/// And what it adds to the number of the signal that ended one.
const SIGNALLED: i32 = 128;

/// The namespace that has a host's network, by its file in `/proc/PID/ns`.
const NET: &str = "net";

/// Signals the shadow passes on.
const PASSED: [Signal; 7] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGWINCH,
];

/// Why a host could not be entered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnterError {
    /// The host's first process is no more.
    #[error("the host is gone: process {} has ended", .0.pid)]
    Gone(Process),
    /// The kernel refused.
    #[error(
        "enter the host's {what} namespace: {source}; root may, and who started the lab, in the user namespace it was started from"
    )]
    Refused {
        /// Which namespace.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// Signals for the program, or its end, could not be waited for.
    #[error("wait for the program: {0}")]
    Wait(#[source] io::Error),
}

impl Process {
    /// Moves the calling process into the host whose first process this is: its network, name and mounts at once, its processes
    /// for children alone. The process must have one thread.
    ///
    /// # Errors
    /// When the host is gone, and when the caller is neither root nor who started it.
    pub fn join(self) -> Result<(), EnterError> {
        let namespaces = [
            ("user", CloneFlags::CLONE_NEWUSER),
            (NET, CloneFlags::CLONE_NEWNET),
            ("uts", CloneFlags::CLONE_NEWUTS),
            ("pid", CloneFlags::CLONE_NEWPID),
            ("mnt", CloneFlags::CLONE_NEWNS),
        ];
        let refused = |what| move |source| EnterError::Refused { what, source };
        // All are opened before any is entered: afterwards /proc is the host's.
        let mut open = Vec::new();
        for (what, flag) in namespaces {
            open.push((what, flag, self.namespace(what)?));
        }
        // Only now is it certain whose they are.
        if !self.is_alive() {
            return Err(EnterError::Gone(self));
        }
        // What runs in a host runs on the hosts' processors.
        processors::as_process(self.pid);
        let folder = std::env::current_dir();
        let root = File::open(format!("/proc/{}/root", self.pid)).map_err(refused("root"))?;
        for (what, flag, file) in &open {
            // A user namespace cannot be entered by those who are in it.
            if *what == "user" && is_own_user_namespace(file) {
                continue;
            }
            setns(file, *flag).map_err(|e| refused(what)(e.into()))?;
        }
        // Entering mounts leads to the first of them; a host that was made below a chroot stays there.
        if !is_same(&File::open("/"), &root) {
            fchdir(&root).map_err(|e| refused("root")(e.into()))?;
            chroot(".").map_err(|e| refused("root")(e.into()))?;
        }
        // Where the folder is gone, the root will do.
        if let Ok(folder) = folder {
            _ = std::env::set_current_dir(folder);
        }
        Ok(())
    }

    /// What `ask` gives in the network of the host whose first process this is: on a thread of its own, which ends with it. A
    /// socket that it opens stays the host's.
    ///
    /// # Errors
    /// When the host is gone, and when the caller is neither root nor who started it.
    pub fn in_network<T: Send>(self, ask: impl FnOnce() -> T + Send) -> Result<T, EnterError> {
        let refused = |source| EnterError::Refused { what: NET, source };
        let there = || {
            let network = self.namespace(NET)?;
            // Only now is it certain whose it is.
            if !self.is_alive() {
                return Err(EnterError::Gone(self));
            }
            setns(&network, CloneFlags::CLONE_NEWNET).map_err(|e| refused(e.into()))?;
            Ok(ask())
        };
        std::thread::scope(|scope| {
            let done = scope.spawn(there).join();
            done.map_err(|_| refused(io::Error::other("a panic")))?
        })
    }

    /// One of the host's namespaces, opened.
    fn namespace(self, what: &'static str) -> Result<File, EnterError> {
        let file = File::open(format!("/proc/{}/ns/{what}", self.pid));
        file.map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => EnterError::Gone(self),
            _ => EnterError::Refused { what, source },
        })
    }

    /// Joins the host, runs `program` there and waits; the exit code to end with, as a shell would.
    ///
    /// # Errors
    /// When the host could not be entered. What goes wrong with the program is said on standard
    /// error and by the code.
    pub fn run(self, program: &OsStr, arguments: &[OsString]) -> Result<i32, EnterError> {
        self.join()?;
        let waited = SigSet::from_iter(PASSED.into_iter().chain([Signal::SIGCHLD]));
        let refused = |e: Errno| EnterError::Wait(e.into());
        waited.thread_block().map_err(refused)?;
        let signals = SignalFd::new(&waited).map_err(refused)?;
        let mut command = Command::new(program);
        command.args(arguments);
        sys::shadowed(&mut command);
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(e) => {
                complain(program, &e);
                let found = e.kind() != io::ErrorKind::NotFound;
                return Ok(if found { NOT_RUN } else { NOT_FOUND });
            }
        };
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(code(status)),
                Ok(None) => {}
                Err(e) => return Err(EnterError::Wait(e)),
            }
            let Some(signal) = signals.read_signal().map_err(refused)? else {
                continue;
            };
            // The terminal's own signals went to the whole foreground, the program included.
            let from_kernel = signal.ssi_code == libc::SI_KERNEL;
            let number = i32::from_ne_bytes(signal.ssi_signo.to_ne_bytes());
            if let Ok(signal) = Signal::try_from(number)
                && signal != Signal::SIGCHLD
                && !from_kernel
            {
                // It may have ended meanwhile: `try_wait` will say so.
                _ = kill(Pid::from_raw(child.id().cast_signed()), signal);
            }
        }
    }
}

#[allow(
    clippy::print_stderr,
    reason = "the shadow speaks for a program that could not start"
)]
fn complain(program: &OsStr, e: &io::Error) {
    eprintln!("{}: {e}", program.display());
}

fn is_own_user_namespace(file: &File) -> bool {
    is_same(&File::open("/proc/self/ns/user"), file)
}

/// Whether two are one file.
fn is_same(one: &io::Result<File>, other: &File) -> bool {
    let one = one.as_ref().map(File::metadata);
    match (one, other.metadata()) {
        (Ok(Ok(one)), Ok(other)) => one.ino() == other.ino() && one.dev() == other.dev(),
        _ => false,
    }
}

/// The name of the signal that an exit code stands for: one that ended a program of a host, or of a shell.
pub fn signal_of(code: u8) -> Option<&'static str> {
    let signal = Signal::try_from(i32::from(code) - SIGNALLED);
    signal.ok().map(Signal::as_str)
}

fn code(status: ExitStatus) -> i32 {
    let signalled = || SIGNALLED + status.signal().unwrap_or_default();
    status.code().unwrap_or_else(signalled)
}
